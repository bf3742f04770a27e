"""`dragoman entail across`: which of two texts in two languages says more, by words that are left without a partner."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.groups import DefaultGroup
from dragoman.cli.output import Json, Threads, note, show, show_json

__all__ = ["register"]

EntailerFolder = Annotated[Path, typer.Argument(metavar="MODEL", help="A model of `dragoman entail across fit`.")]
LabelledPairs = Annotated[
    Path, typer.Argument(metavar="PAIRS", help="XML of the shared task (t1, t2, entailment), tokens between blanks.")
]


def run(
    entailer: EntailerFolder,
    first: Annotated[str, typer.Argument(help="A text in the first language, tokens between blanks.")],
    second: Annotated[str, typer.Argument(help="A text in the second language.")],
    as_json: Json = False,
) -> None:
    """Say which text follows from which: bidirectional, forward, backward or no_entailment, and by which words."""
    from dragoman.entailment.cross_lingual import CrossLingualPair
    from dragoman.entailment.unaligned_words import CrossLingualEntailer

    pair = CrossLingualPair("1", tuple(first.split()), tuple(second.split()))
    [judgement] = CrossLingualEntailer.open(entailer).judge_all([pair])
    if as_json:
        show_json(judgement.to_dict())
    else:
        show(judgement)


def fit(
    pairs: LabelledPairs,
    aligner: Annotated[Path, typer.Option("--aligner", help="An aligner trained on parallel text (`dragoman align`).")],
    source: Annotated[Path, typer.Option(help="Parallel text in the first language, tokens between blanks.")],
    target: Annotated[Path, typer.Option(help="The same in the second language.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model to write, a folder.")],
    features: Annotated[str, typer.Option(help="A1, A2, A3, S1, S2, S3, joined by +.")] = "A1+A2+A3",
    combine: Annotated[str, typer.Option(help="'two decisions' or 'one versus rest'.")] = "two decisions",
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Learn to decide from pairs with labels."""
    from dragoman.align.base import Aligner
    from dragoman.bundle import Provenance, require_place_for_bundle
    from dragoman.entailment.cross_lingual import CrossLingualModel, read_cross_lingual
    from dragoman.entailment.unaligned_words import KIND, CrossLingualEntailer
    from dragoman.files import read_parallel

    require_place_for_bundle(output, KIND)
    model = CrossLingualModel(features, combine)
    given = read_cross_lingual(pairs)
    texts = [[line.split() for line in side] for side in read_parallel([source, target])]
    found = CrossLingualEntailer.of(Aligner.load(aligner), texts[0], texts[1], model, threads=threads)
    found.fit(given, threads=threads)
    command = "dragoman entail across fit"
    found.save(output, provenance=Provenance.of_files([pairs, source, target], command=command))
    if as_json:
        show_json({"model": str(output), "pairs": len(given), "features": features, "combine": combine})
    else:
        note(f"model from {len(given):,} pairs in {output}")


def evaluate(
    entailer: EntailerFolder,
    pairs: LabelledPairs,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write id, label and probabilities of each pair (TSV).")
    ] = None,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Measure labels against those of pairs: accuracy, F1 of each label, accuracy of the two decisions."""
    from dragoman.entailment.cross_lingual import read_cross_lingual, score_labels
    from dragoman.entailment.unaligned_words import CrossLingualEntailer
    from dragoman.files import require_writable, writing

    if output is not None:
        require_writable(output)
    given = read_cross_lingual(pairs)
    judged = CrossLingualEntailer.open(entailer).judge_all(given, threads=threads)
    if output is not None:
        with writing(output) as file:
            for each in judged:
                said = "\t".join(f"{name}={value:.6f}" for name, value in each.probabilities.items())
                file.write(f"{each.pair.id}\t{each.label}\t{said}\n")
    scores = score_labels([pair.label for pair in given], [each.label for each in judged])
    if as_json:
        show_json(
            {"pairs": len(given), "accuracy": scores.accuracy, "forward": scores.forward, "backward": scores.backward}
            | {"f1": dict(scores.f1)}
        )
        return
    show(
        f"{len(given)} pairs, {100 * scores.accuracy:.1f} % right; forward {100 * scores.forward:.1f} %,"
        f" backward {100 * scores.backward:.1f} %"
    )
    show("F1: " + ", ".join(f"{label} {100 * value:.1f}" for label, value in scores.f1.items()))


def register(app: typer.Typer) -> None:
    """Add the group to `entail`."""
    group = typer.Typer(
        name="across",
        cls=DefaultGroup,
        help="Texts in two languages: `dragoman entail across MODEL FIRST SECOND` (see `entail across run --help`).",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("run", epilog="Example: dragoman entail across clte 'der Hund bellt laut' 'the dog barks'")(run)
    group.command(
        "fit",
        epilog="Example: dragoman entail across fit train.xml --aligner de-en --source c.de --target c.en -o clte",
    )(fit)
    group.command("evaluate", epilog="Example: dragoman entail across evaluate clte test.xml")(evaluate)
    app.add_typer(group)
