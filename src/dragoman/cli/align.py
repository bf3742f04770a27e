"""`dragoman align`: train and apply word aligners, symmetrize, score, show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli import align_mwe
from dragoman.cli.align_mwe import report_dropped
from dragoman.cli.groups import DefaultGroup
from dragoman.cli.output import Json, Seed, Threads, bar, note, show, show_json

if TYPE_CHECKING:
    from dragoman.align import Aligner
    from dragoman.align.anchors import Anchors

__all__ = ["register"]

MIN_COVERAGE = 0.2
"""A saved aligner that knows fewer of the words of a side was trained on other languages."""


Source = Annotated[Path, typer.Argument(metavar="SRC", help="Tokenised source text, one sentence a line.")]
Target = Annotated[Path, typer.Argument(metavar="TGT", help="Tokenised target text, line by line.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="Alignments; '-' is standard output.")]


def run(
    source: Source,
    target: Target,
    output: Output = Path("-"),
    aligner: Annotated[str, typer.Option("--aligner", help="See `dragoman list aligners`.")] = "bayes",
    symmetrize: Annotated[
        str, typer.Option("--symmetrize", help="A heuristic, `posterior`, `agreement`, or `none` for both directions.")
    ] = "grow-diag-final-and",
    threshold: Annotated[float, typer.Option(help="Least probability of a link, for `posterior`.")] = 0.45,
    competitive: Annotated[
        bool, typer.Option("--competitive", help="With `posterior`: links must touch the best of their row and column.")
    ] = False,
    save: Annotated[Path | None, typer.Option(help="Keep the trained aligner in this folder.")] = None,
    load: Annotated[Path | None, typer.Option(help="Align with a saved aligner, or a model that has one.")] = None,
    update: Annotated[bool, typer.Option("--update", help="With --load: learn from this text too.")] = False,
    posteriors: Annotated[bool, typer.Option("--posteriors", help="Write links as i-j:p.")] = False,
    a3: Annotated[str | None, typer.Option("--a3", help="Also write PREFIX.forward.A3 and PREFIX.reverse.A3.")] = None,
    anchors: Annotated[Path | None, typer.Option(help="Known links: n|||words|||words|||i|||j, from 1.")] = None,
    known: Annotated[
        Path | None, typer.Option(help="Links of pairs that were linked by hand; an empty line for the others.")
    ] = None,
    known_share: Annotated[float, typer.Option(help="What a pair linked by hand counts, of 1.")] = 0.5,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the aligner, such as iterations=8; repeatable.")
    ] = None,
    lexicon: Annotated[str | None, typer.Option(help="Also write PREFIX.forward, PREFIX.reverse: e f p.")] = None,
    languages: Annotated[str | None, typer.Option("--languages", "-l", help="Such as de-en, source first.")] = None,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Align the words of two texts, line by line; train on them unless a saved aligner is given."""
    from dragoman.align.anchors import Anchors, mixture_weights, read_anchors
    from dragoman.align.base import KIND
    from dragoman.align.formats import read_pharaoh, write_a3, write_pharaoh
    from dragoman.align.grouping import group, ungroup
    from dragoman.bundle import Provenance, require_place_for_bundle
    from dragoman.errors import LengthMismatch, SettingError
    from dragoman.files import read_lines, writing
    from dragoman.text.composing import nfc
    from dragoman.text.formats import language_pair

    if save is not None:
        require_place_for_bundle(save, KIND)
    sides = [nfc(line) for line in read_lines(source)], [nfc(line) for line in read_lines(target)]
    if len(sides[0]) != len(sides[1]):
        raise LengthMismatch(
            f"{len(sides[0])} lines, {target} has {len(sides[1])}",
            where=str(source),
            remedy="line n of one file must translate line n of the other",
        )
    pair = language_pair(languages) if languages else None
    if symmetrize == "none" and output == Path("-"):
        raise SettingError("--symmetrize none writes two files", remedy="name one with -o")
    held: Anchors | None = None
    weights = None
    grouped = None
    if anchors is not None and known is not None:
        raise SettingError("--anchors and --known do not go together")
    if anchors is not None:
        grouped = group(*sides, read_anchors(anchors, *sides))
        report_dropped(grouped.dropped)
        held = grouped.known_links()
        sides = grouped.source, grouped.target
    if known is not None:
        hand_links = read_pharaoh(known)
        if len(hand_links) != len(sides[0]):
            raise LengthMismatch(f"{len(hand_links)} lines, {source} has {len(sides[0])}", where=str(known))
        by_hand = {k: links for k, links in enumerate(hand_links) if len(links)}
        held = Anchors.of(len(sides[0]), hand=by_hand)
        if known_share != 0.5:
            weights = mixture_weights(len(sides[0]), by_hand, share=known_share)
    trained, report = _aligner(aligner, settings or [], load, update, sides, held, weights, pair, seed, threads)
    if save is not None:
        command = f"dragoman align {source} {target} --aligner {trained.name}"
        files = [path for path in (source, target) if str(path) != "-"]
        trained.save(save, provenance=Provenance.of_files(files, command=command, seed=seed))
    unglue = (lambda links: ungroup(links, *sides)) if grouped is not None else (lambda links: links)
    if a3 is not None or symmetrize == "none":
        forward, reverse = trained.viterbi(*sides, anchors=held, threads=threads)
        if a3 is not None:
            write_a3(f"{a3}.forward.A3", *sides, forward)
            write_a3(f"{a3}.reverse.A3", sides[1], sides[0], [links.transposed() for links in reverse])
        if symmetrize == "none":
            write_pharaoh(output.with_name(output.name + ".forward"), unglue(forward))
            write_pharaoh(output.with_name(output.name + ".reverse"), unglue(reverse))
    if symmetrize != "none":
        links = trained.align(
            *sides, symmetrize=symmetrize, threshold=threshold, competitive=competitive, anchors=held, threads=threads
        )
        if posteriors:
            if grouped is not None:
                raise SettingError("--posteriors and --anchors do not go together")
            found = trained.posteriors(*sides, anchors=held, threads=threads)
            write_pharaoh(output, [p.pharaoh(a) if len(a) else "" for p, a in zip(found, links, strict=True)])
        else:
            write_pharaoh(output, unglue(links))
        report["links"] = sum(map(len, links))
    if lexicon is not None:
        for direction in ("forward", "reverse"):
            with writing(f"{lexicon}.{direction}") as file:
                for given, generated, p in trained.lexicon(direction=direction):
                    file.write(f"{generated} {given} {p:.7g}\n")
    if as_json and str(output) != "-":
        show_json(report)


def _aligner(
    name: str,
    chosen: list[str],
    load: Path | None,
    update: bool,
    sides: tuple[list[str], list[str]],
    held: Anchors | None,
    weights: list[float] | None,
    languages: tuple[str, str] | None,
    seed: int,
    threads: int,
) -> tuple[Aligner, dict[str, Any]]:
    """A trained or loaded aligner, and what to tell about it."""
    from dragoman.align import ALIGNERS, Aligner
    from dragoman.errors import InputError, SettingError
    from dragoman.pipeline.parts import part_of
    from dragoman.settings import declared

    if load is None:
        if update:
            raise SettingError("--update needs --load")
        kind = ALIGNERS.get(name)
        aligner = kind.configured(chosen, **({"seed": seed} if "seed" in declared(kind) else {}))
        with bar("aligning") as progress:
            report = aligner.train(
                *sides, anchors=held, weights=weights, languages=languages, threads=threads, progress=progress
            )
    else:
        if chosen:
            raise SettingError("--set goes with training; a saved aligner has its settings")
        load = part_of(load, "aligner", remedy="train it with --set keep_aligner=true")
        aligner = Aligner.load(load, languages=languages)
        for side, share in zip(("source", "target"), aligner.coverage(*sides), strict=True):
            if share < MIN_COVERAGE:
                raise InputError(
                    f"the aligner knows {share:.0%} of the {side} words",
                    where=str(load),
                    remedy="was it trained on other languages, or are source and target exchanged?",
                )
        if not update:
            return aligner, {"aligner": aligner.name, "pairs": len(sides[0])}
        with bar("learning") as progress:
            report = aligner.update(*sides, anchors=held, threads=threads, progress=progress)
    skipped = report.empty + report.too_long
    if skipped:
        note(
            f"{skipped} of {report.pairs} pairs skipped: {report.empty} empty, {report.too_long} over the length limit"
        )
    if report.unbalanced:
        note(f"{report.unbalanced} pairs have sides of very different length; are they translations of each other?")
    return aligner, {
        "aligner": aligner.name,
        "pairs": report.pairs,
        "used": report.used,
        "empty": report.empty,
        "too_long": report.too_long,
        "unbalanced": report.unbalanced,
        "seconds": round(report.seconds, 3),
    }


def symmetrize_files(
    forward: Annotated[Path, typer.Argument(metavar="FWD", help="Links of the model that generates the target.")],
    reverse: Annotated[Path, typer.Argument(metavar="REV", help="Links of the other direction, source first too.")],
    output: Output = Path("-"),
    symmetrize: Annotated[str, typer.Option("--symmetrize", help="How to combine them.")] = "grow-diag-final-and",
    threads: Threads = 0,
) -> None:
    """Combine the alignments of two directions."""
    from dragoman.align import symmetrize_all
    from dragoman.align.formats import read_pharaoh, write_pharaoh

    write_pharaoh(
        output, symmetrize_all(read_pharaoh(forward), read_pharaoh(reverse), heuristic=symmetrize, threads=threads)
    )


def score(
    hypothesis: Annotated[Path, typer.Argument(metavar="HYP", help="Alignments to score, Pharaoh.")],
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="Gold links, Pharaoh (1p2 possible) or NAACL.")],
    possible: Annotated[Path | None, typer.Option(help="Possible links in a file of their own, Pharaoh.")] = None,
    as_json: Json = False,
) -> None:
    """Alignment error rate, precision, recall and F against gold links."""
    from dragoman.align import GoldAlignment, alignment_scores
    from dragoman.align.formats import read_gold, read_pharaoh
    from dragoman.errors import LengthMismatch

    links = read_pharaoh(hypothesis)
    truth = read_gold(gold, sentences=None)
    if possible is not None:
        others = read_pharaoh(possible)
        if len(others) != len(truth):
            raise LengthMismatch(f"{len(others)} lines, {gold} has {len(truth)}", where=str(possible))
        truth = [GoldAlignment(t.sure, t.possible | p) for t, p in zip(truth, others, strict=True)]
    scores = alignment_scores(links, truth).to_dict()
    if as_json:
        show_json(scores)
        return
    from rich.table import Table

    table = Table("aer", "precision", "recall", "f1", "links", "sure", "sentences", box=None, pad_edge=False)
    table.add_row(*(f"{value:.4f}" if isinstance(value, float) else str(value) for value in scores.values()))
    show(table)


def order(
    source: Source,
    hypothesis: Annotated[Path, typer.Argument(metavar="HYP", help="A translation of it, tokenised.")],
    links: Annotated[Path, typer.Argument(metavar="A", help="Links of source and translation, Pharaoh.")],
    ref: Annotated[Path, typer.Option("--ref", "-r", help="The reference, tokenised.")],
    ref_links: Annotated[Path, typer.Option(help="Links of source and reference, Pharaoh.")],
    distance: Annotated[str, typer.Option(help="Between two orders: kendall (LR-K) or hamming.")] = "kendall",
    as_json: Json = False,
) -> None:
    """LRscore: how alike a translation and a reference put the words of the source into order."""
    from dragoman.align.formats import read_pharaoh
    from dragoman.errors import LengthMismatch
    from dragoman.files import read_lines
    from dragoman.metrics.lr_score import LrScore, OrderedPair

    texts = [[len(line.split()) for line in read_lines(path)] for path in (source, hypothesis, ref)]
    found = [read_pharaoh(path) for path in (links, ref_links)]
    sizes = [*map(len, texts), *map(len, found)]
    if len(set(sizes)) != 1:
        raise LengthMismatch(
            f"files of {', '.join(map(str, sizes))} lines",
            remedy="give text, translation, links, reference and its links, line by line",
        )
    pairs = [
        OrderedPair(words, (ours, a.links), ((theirs, b.links),))
        for words, ours, theirs, a, b in zip(*texts, *found, strict=True)
    ]
    measure = LrScore(distance=distance)
    value = measure.corpus(pairs)
    if as_json:
        show_json({"score": value, "distance": distance, "sentences": len(pairs)})
        return
    show(f"LRscore ({distance}) {value:.2f} of {len(pairs)} sentences")


def show_matrix(
    source: Source,
    target: Target,
    alignments: Annotated[Path, typer.Argument(metavar="A", help="Alignments, Pharaoh.")],
    line: Annotated[int, typer.Option("--line", "-n", help="Which sentence pair, counted from 1.")] = 1,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write a drawing (SVG) instead.")] = None,
) -> None:
    """Draw the alignment matrix of one sentence pair."""
    from dragoman.align.formats import read_pharaoh
    from dragoman.drawing import save_svg
    from dragoman.errors import InputError
    from dragoman.files import read_lines
    from dragoman.text.composing import nfc

    sides = [nfc(line) for line in read_lines(source)], [nfc(line) for line in read_lines(target)]
    links = read_pharaoh(alignments)
    lengths = {len(links), *map(len, sides)}
    if len(lengths) != 1 or not 1 <= line <= len(links):
        raise InputError(f"no line {line} in files of {sorted(lengths)} lines")
    picture = links[line - 1].picture(sides[0][line - 1].split(), sides[1][line - 1].split())
    if output is None:
        show(picture)
        return
    save_svg(output, picture.svg())


def register(app: typer.Typer) -> None:
    """Add the group to the program."""
    group = typer.Typer(
        name="align",
        cls=DefaultGroup,
        help="Align words: `dragoman align SRC TGT -o A` trains and aligns (see `dragoman align run --help`).",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("run", epilog="Example: dragoman align corpus.de corpus.en -o links --save aligner")(run)
    group.command("symmetrize", epilog="Example: dragoman align symmetrize fwd rev -o both")(symmetrize_files)
    group.command("score", epilog="Example: dragoman align score links gold.wa --json")(score)
    group.command(
        "order", epilog="Example: dragoman align order test.de out.en out.links --ref test.en --ref-links test.links"
    )(order)
    group.command("show", epilog="Example: dragoman align show corpus.de corpus.en links -n 3")(show_matrix)
    align_mwe.register(group)
    app.add_typer(group)
