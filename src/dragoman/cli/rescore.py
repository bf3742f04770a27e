"""`dragoman rescore`: n-best lists with more features, and the best translations under new weights."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.output import Threads, bar, note

__all__ = ["register"]


def rescore(
    lists: Annotated[Path, typer.Argument(help="N-best lists as Moses writes them; '-' reads standard input.")] = Path(
        "-"
    ),
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The lists again, or with --best one text a line; '-' prints.")
    ] = Path("-"),
    deep_lm: Annotated[
        Path | None, typer.Option("--deep-lm", help="Add the features of this deep-syntax model; needs --with.")
    ] = None,
    chain: Annotated[
        str, typer.Option("--with", "-w", help="Parse the texts with this model folder, or a chain joined by +.")
    ] = "",
    joint: Annotated[
        Path | None,
        typer.Option("--joint", help="Add what this joint model says; needs --source, and lists with links."),
    ] = None,
    reverse_joint: Annotated[
        Path | None,
        typer.Option(
            "--reverse-joint", help="Add what this one says of the source (`dragoman joint train --reverse`)."
        ),
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--source", help="The tokenised text that was translated, for joint models.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option("--weights", help="Score by these weights, and sort each list.")
    ] = None,
    best: Annotated[bool, typer.Option("--best", help="Write only the best text of each sentence.")] = False,
    threads: Threads = 0,
) -> None:
    """Add features to n-best lists that need whole translations, and choose again."""
    from dragoman.annotations import annotator_chain
    from dragoman.errors import SettingError
    from dragoman.features.deep_syntax import DeepSyntaxFeatures
    from dragoman.features.weights import Weights
    from dragoman.files import read_lines, require_writable, writing
    from dragoman.lm.deep_syntax import DeepSyntaxModel
    from dragoman.neural import JointModel
    from dragoman.tuning.rescoring import (
        best_texts,
        read_ranked,
        scored_by,
        with_features,
        with_joint_scores,
        write_ranked,
    )

    require_writable(output)
    if (deep_lm is None) != (not chain):
        raise SettingError(
            "a deep-syntax model needs a parser, and a parser a model", remedy="give --deep-lm and --with"
        )
    if (source is None) != (joint is None and reverse_joint is None):
        raise SettingError(
            "a joint model needs the source text", remedy="give --source with --joint or --reverse-joint"
        )
    if best and weights is None:
        raise SettingError(
            "nothing says which text is best", remedy="give --weights, such as `dragoman tune-lists` learns"
        )
    given = Weights.load(weights) if weights is not None else None
    candidates = read_ranked(lists)
    if deep_lm is not None:
        features = DeepSyntaxFeatures(DeepSyntaxModel.load(deep_lm), annotator_chain.load(chain))
        with bar("parsing"):
            candidates = with_features(candidates, [features], threads=threads)
        failed = sum(each.features["dslm_fail"] > 0 for each in candidates)
        if failed:
            note(f"{failed:,} of {len(candidates):,} candidates have no tree; their words count as unknown")
    for path, name in ((joint, "joint"), (reverse_joint, "reverse_joint")):
        if path is not None and source is not None:
            with bar("joint model"):
                candidates = with_joint_scores(
                    candidates,
                    list(read_lines(source)),
                    JointModel.open(path),
                    name=name,
                    reverse=path is reverse_joint,
                    threads=threads,
                )
    if best and given is not None:
        with writing(output) as file:
            file.writelines(f"{text}\n" for text in best_texts(candidates, given))
    else:
        write_ranked(candidates if given is None else scored_by(candidates, given), output)


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    example = "Example: dragoman rescore dev.nbest --deep-lm deep.arpa --with en-ewt -o dev.deep.nbest"
    app.command(epilog=example)(rescore)
