"""`dragoman entail`: does a hypothesis follow from a text, and why; fit, evaluate, and pairs of our own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli import entail_across
from dragoman.cli.groups import DefaultGroup
from dragoman.cli.output import Json, Threads, bar, note, show, show_json

if TYPE_CHECKING:
    from dragoman.entailment.entailer import Entailer
    from dragoman.entailment.pairs import AnnotatedPair, EntailmentPair

__all__ = ["register"]

Chain = Annotated[
    str,
    typer.Option(
        "--with",
        "-w",
        help="Model folders and annotators joined by +, such as en-ewt; pairs that are annotated need none.",
    ),
]
EntailerPath = Annotated[
    Path | None, typer.Option("--entailer", help="A model made by `dragoman entail fit`; else hand-set weights.")
]
MarkerLists = Annotated[
    Path | None, typer.Option("--markers", help="Lists of markers (TOML) in place of the shipped English ones.")
]
RelationFile = Annotated[
    Path | None, typer.Option("--relations", help="Rules of relations (TOML) in place of the shipped English ones.")
]
Pairs = Annotated[
    Path,
    typer.Argument(metavar="PAIRS", help="RTE XML, tab-separated id, label, text, hypothesis; or annotated CoNLL-U."),
]
Translate = Annotated[
    Path | None, typer.Option("--translate", help="Translate the text with this model first; hypotheses stay.")
]
Options = Annotated[
    list[str] | None, typer.Option("--set", help="A setting of the entailer, NAME=VALUE; may be given again.")
]


def _entailer(path: Path | None, markers: Path | None, relations: Path | None, options: list[str] | None) -> Entailer:
    from dragoman.entailment.entailer import Entailer, EntailerSettings
    from dragoman.entailment.marker_lists import Markers
    from dragoman.entailment.relation_rules import RelationRules
    from dragoman.entailment.word_relations import WordRelations

    lists, rules = Markers.load(markers), RelationRules.load(relations)
    words = WordRelations.find()
    if path is None:
        return Entailer(words, settings=EntailerSettings.configured(options or []), markers=lists, rules=rules)
    return Entailer.open(path, words, markers=lists, rules=rules).with_settings(options or [])


def _pairs(path: Path, chain: str, threads: int, translate: Path | None, judge: Entailer) -> list[AnnotatedPair]:
    from dragoman.annotations import annotator_chain
    from dragoman.entailment.pairs import annotate_pairs, read_annotated, read_pairs
    from dragoman.errors import SettingError

    if ".conllu" in path.suffixes:
        return read_annotated(path)
    if not chain:
        raise SettingError("pairs of raw text need an annotator", remedy="name a model of `annotate train` by --with")
    links = annotator_chain.load(chain)
    with bar("annotating") as report:
        given = _translated(read_pairs(path), translate, threads)
        return annotate_pairs(links, given, language=judge.language, threads=threads, progress=report)


def _translated(pairs: list[EntailmentPair], model: Path | None, threads: int) -> list[EntailmentPair]:
    """The pairs with their texts in the language of the hypotheses."""
    from dataclasses import replace

    from dragoman.cli.translating import translator

    translate = translator(model, 1, threads)
    if translate is None:
        return pairs
    made = translate([pair.text for pair in pairs])
    return [replace(pair, text=best) for pair, [best] in zip(pairs, made, strict=True)]


def run(
    text: Annotated[str, typer.Argument(help="What is given: a sentence or several.")],
    hypothesis: Annotated[str, typer.Argument(help="What may follow from it: one sentence.")],
    chain: Chain = "",
    entailer: EntailerPath = None,
    markers: MarkerLists = None,
    relations: RelationFile = None,
    options: Options = None,
    translate: Translate = None,
    both: Annotated[
        bool, typer.Option("--both", help="Ask in both directions: which of the two follows from the other?")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw the aligned graphs and the proof into this file (SVG).")
    ] = None,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Say whether a hypothesis follows from a text, how surely, and why."""
    from dragoman.annotations import annotator_chain
    from dragoman.drawing import require_svg, save_svg
    from dragoman.entailment.both_directions import judge_both
    from dragoman.entailment.pairs import EntailmentPair, annotate_pairs
    from dragoman.entailment.picture import draw_proof
    from dragoman.errors import SettingError

    if output is not None:
        require_svg(output)
        if both:
            raise SettingError("a picture is of one direction", remedy="draw without --both")
    if not chain:
        raise SettingError("raw text needs an annotator", remedy="name a model of `dragoman annotate train` by --with")
    judge = _entailer(entailer, markers, relations, options)
    given = _translated([EntailmentPair("1", text, hypothesis)], translate, threads)
    [pair] = annotate_pairs(annotator_chain.load(chain), given, language=judge.language, threads=threads)
    if both:
        found = judge_both(judge, pair.text, [pair.hypothesis])
        if as_json:
            show_json(found.to_dict())
        else:
            show(found)
        return
    judgement = judge.judge(pair)
    if output is not None:
        save_svg(output, draw_proof(judgement.alignment, judgement.proof, judge.markers).svg())
    if as_json:
        show_json(judgement.to_dict())
    else:
        show(judgement)


def fit(
    pairs: Pairs,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model to write, a folder.")],
    chain: Chain = "",
    markers: MarkerLists = None,
    relations: RelationFile = None,
    options: Options = None,
    translate: Translate = None,
    prior: Annotated[float, typer.Option(help="Variance of the weights; 0 chooses it in ten folds.", min=0)] = 0.0,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            "-k",
            help="adjusted: hand-set weights, moved a little; learned: from nothing but these pairs; alignment: a"
            " threshold on its score.",
        ),
    ] = "adjusted",
    hybrid: Annotated[
        bool, typer.Option("--hybrid", help="Let the prover add to the score, by what helps here.")
    ] = False,
    learn_alignment: Annotated[
        bool, typer.Option("--learn-alignment", help="Learn alignment weights first, from gold links (CoNLL-U).")
    ] = False,
    edits: Annotated[
        Path | None,
        typer.Option("--edits", help="Learn what edits do from these problems of one edit each (CoNLL-U)."),
    ] = None,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Learn to decide from pairs with answers."""
    from dragoman.bundle import Provenance, require_place_for_bundle
    from dragoman.entailment.decision import KINDS
    from dragoman.entailment.entailer import KIND
    from dragoman.entailment.pairs import read_annotated
    from dragoman.settings import check_argument

    check_argument("kind", kind, choices=KINDS)
    require_place_for_bundle(output, KIND)
    judge = _entailer(None, markers, relations, options)
    given = _pairs(pairs, chain, threads, translate, judge)
    with bar("learning") as report:
        if learn_alignment:
            judge = judge.with_learned_alignment(given, progress=report)
        if edits is not None:
            judge = judge.with_learned_edits(read_annotated(edits))
        found = judge.fitted(given, prior=prior or None, kind=kind, hybrid=hybrid, progress=report)
    found.save(output, provenance=Provenance.of_files([pairs], command=f"dragoman entail fit {pairs} -o {output}"))
    scores, _ = found.evaluate(given)
    facts = {"model": str(output), "pairs": len(given), "bonus": found.settings.bonus, "accuracy": scores.accuracy}
    if as_json:
        show_json(facts)
    else:
        note(f"model from {len(given):,} pairs in {output}; right on {100 * scores.accuracy:.1f} % of them")


def evaluate(
    pairs: Pairs,
    chain: Chain = "",
    entailer: EntailerPath = None,
    markers: MarkerLists = None,
    relations: RelationFile = None,
    options: Options = None,
    translate: Translate = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write id, answer and probability of each pair (TSV).")
    ] = None,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Measure decisions against pairs with answers: accuracy, confidence-weighted score, average precision."""
    from dragoman.files import require_writable, writing

    if output is not None:
        require_writable(output)
    judge = _entailer(entailer, markers, relations, options)
    given = _pairs(pairs, chain, threads, translate, judge)
    with bar("judging") as report:
        scores, judged = judge.evaluate(given, progress=report)
    if output is not None:
        with writing(output) as file:
            for each in judged:
                file.write(f"{each.id}\t{'YES' if each.answer else 'NO'}\t{each.probability:.6f}\n")
    right = sum(each.proof.answer == bool(pair.label) for each, pair in zip(judged, given, strict=True))
    proved = sum(each.proof.answer for each in judged)
    plain = {**scores.to_dict(), "prover": {"accuracy": right / len(given), "yes": proved / len(given)}}
    if as_json:
        show_json(plain)
        return
    show(
        f"{scores.pairs} pairs, {100 * scores.accuracy:.1f} % right, confidence-weighted score"
        f" {100 * scores.confidence_weighted:.1f}, average precision {100 * scores.average_precision:.1f}"
    )
    show(
        f"answered yes: {100 * scores.yes:.1f} %, precision {100 * scores.precision:.1f},"
        f" recall {100 * scores.recall:.1f}"
    )
    show(f"the prover alone: {100 * right / len(given):.1f} % right, yes for {100 * proved / len(given):.1f} %")


def suite(
    name: Annotated[str, typer.Argument(help="phenomena, exceptions, logic or edits.")] = "phenomena",
    markers: MarkerLists = None,
    relations: RelationFile = None,
    options: Options = None,
    as_json: Json = False,
) -> None:
    """Judge the pairs written for this project, by what they try."""
    from rich.table import Table

    from dragoman.entailment.suites import load_suite

    pairs = load_suite(name)
    judged = _entailer(None, markers, relations, options).judge_all(pairs)
    rows: dict[str, list[int]] = {}
    for pair, each in zip(pairs, judged, strict=True):
        for group in (pair.task, "all"):
            row = rows.setdefault(group, [0, 0, 0])
            row[0] += 1
            row[1] += each.answer == pair.label
            row[2] += each.proof.answer == pair.label
    if as_json:
        show_json({group: {"pairs": row[0], "features": row[1], "prover": row[2]} for group, row in rows.items()})
        return
    table = Table(box=None)
    for title in ("tries", "pairs", "right by features", "right by the prover"):
        table.add_column(title, justify="left" if title == "tries" else "right")
    for group in [*(each for each in rows if each != "all"), "all"]:
        table.add_row(group, *map(str, rows[group]))
    show(table)


def register(app: typer.Typer) -> None:
    """Add the group to the program."""
    group = typer.Typer(
        name="entail",
        cls=DefaultGroup,
        help="Does it follow, and why: `dragoman entail TEXT HYPOTHESIS --with MODEL` (see `entail run --help`).",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("run", epilog="Example: dragoman entail 'Dogs barked loudly.' 'Dogs barked.' --with en-ewt")(run)
    group.command("fit", epilog="Example: dragoman entail fit rte1_dev.xml --with en-ewt -o rte --hybrid")(fit)
    group.command("evaluate", epilog="Example: dragoman entail evaluate rte1_test.xml --with en-ewt --entailer rte")(
        evaluate
    )
    group.command("suite", epilog="Example: dragoman entail suite logic")(suite)
    entail_across.register(group)
    app.add_typer(group)
