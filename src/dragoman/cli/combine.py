"""`dragoman combine`: one translation out of what several systems say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.output import (
    DevSource,
    DevTarget,
    Json,
    Seed,
    Threads,
    TrustFeatures,
    TunerName,
    bar,
    note,
    show,
    show_json,
    show_json_lines,
)
from dragoman.cli.tuning_view import LogFile, Plot, Resume, draw_curve, tuning_view

if TYPE_CHECKING:
    from dragoman.tuning.matching import MatchedOutputs, Matcher
    from dragoman.tuning.nbest import ScoredText

Systems = Annotated[
    list[Path], typer.Argument(help="What each system said: tokenised, one sentence per line, lines in parallel.")
]
Outputs = Annotated[
    list[Path] | None, typer.Argument(help="What each system said, in the order in which it was tuned; or --matched.")
]
Matched = Annotated[
    Path | None, typer.Option("--matched", help="Outputs and links by `dragoman combine align`, instead of outputs.")
]
Out = Annotated[Path, typer.Option("--output", "-o", help="The combination to write, a folder.")]
MaybeOut = Annotated[Path | None, typer.Option("--output", "-o", help="Where to write; else to the terminal.")]
Stages = Annotated[str, typer.Option(help="How words are matched, of exact, stem, synonym, paraphrase; joined by '+'.")]
Language = Annotated[str, typer.Option("--language", "-l", help="Language of the outputs, for stems and synonyms.")]
Paraphrases = Annotated[str, typer.Option(help="Table of paraphrases, for the stage of that name.")]
SystemWeights = Annotated[
    list[float] | None, typer.Option("--weight", "-w", help="How much a system counts; once for each.")
]

MANY = 10
STDOUT = Path("-")

group = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Combine the outputs of several systems.")


def _read(systems: list[Path]) -> list[list[str]]:
    from dragoman.files import read_parallel

    _warn(len(systems))
    return read_parallel(systems)


def _read_lists(systems: list[Path], most: int) -> list[list[list[ScoredText]]]:
    """The n-best lists of each system; sentences that a file does not have are empty, and worth a warning."""
    from dragoman.tuning.nbest import read_scored

    _warn(len(systems))
    found = [read_scored(path, most=most) for path in systems]
    sentences = max(map(len, found))
    for path, lists in zip(systems, found, strict=True):
        lists.extend([] for _ in range(sentences - len(lists)))
        if missing := sum(not candidates for candidates in lists):
            note(f"warning: {path} has no candidates for {missing} of {sentences} sentences")
    return found


def _warn(systems: int) -> None:
    if systems < 2:
        note("warning: there is nothing to combine in fewer than two systems")
    if systems > MANY:
        note(f"warning: {systems} systems; search and tuning grow faster than their number")


def _joined(systems: list[Path] | None, matched: Path | None) -> tuple[list[str], list[MatchedOutputs]]:
    """Outputs, a line for each sentence, and their links, if these are known."""
    from dragoman.errors import FormatError, SettingError
    from dragoman.tuning.matching import join_outputs, read_matched

    if bool(systems) == (matched is not None):
        raise SettingError("outputs or --matched are needed, one of the two")
    if matched is None:
        return join_outputs(_read(systems or [])), []
    found = list(read_matched(matched))
    counts = [len(sentence.outputs) for sentence in found]
    if len(set(counts)) != 1:
        raise FormatError("sentences of different numbers of systems, or none", where=str(matched))
    _warn(counts[0])
    return [sentence.joined for sentence in found], found


def _matcher(language: str, stages: str, paraphrases: str) -> Matcher:
    from dragoman.tuning.matching import Matcher

    return Matcher(language=language, stages=tuple(stages.split("+")), paraphrases=paraphrases)


def _write(path: Path | None, lines: list[str]) -> None:
    from dragoman.files import writing

    if path is None:
        for line in lines:
            typer.echo(line)
        return
    with writing(path) as file:
        file.writelines(f"{line}\n" for line in lines)


@group.command("align", epilog="Example: dragoman combine align a.en b.en c.en > dev.matched")
def align_outputs(
    systems: Systems,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write; else to the terminal.")] = STDOUT,
    language: Language = "en",
    stages: Stages = "exact+stem+synonym",
    paraphrases: Paraphrases = "",
    threads: Threads = 0,
) -> None:
    """Find the words that correspond in the outputs, and write them down."""
    from dragoman.tuning.matching import join_outputs, write_matched

    found = _matcher(language, stages, paraphrases).match(join_outputs(_read(systems)), threads=threads)
    write_matched(output, found)
    note(f"{sum(len(matched.links) for matched in found):,} links in {len(found):,} sentences")


@group.command(epilog="Example: dragoman combine tune a.dev b.dev c.dev --ref ref.dev --lm en.lm -o combination")
def tune(
    ref: Annotated[list[Path], typer.Option("--ref", "-r", help="References, tokenised; repeat for several.")],
    output: Out,
    systems: Outputs = None,
    matched: Matched = None,
    lm: Annotated[Path | None, typer.Option("--lm", help="A language model of the outputs' language.")] = None,
    tuner: TunerName = "auto",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the tuner: NAME=VALUE; repeat.")
    ] = None,
    metric: Annotated[str, typer.Option("--metric", "-m", help="What to tune to.")] = "bleu",
    iterations: Annotated[int, typer.Option(help="Rounds of tuning.", min=1)] = 10,
    nbest: Annotated[int, typer.Option(help="Size of the n-best lists.", min=1)] = 300,
    beam: Annotated[int, typer.Option(help="Hypotheses kept for each length.", min=1)] = 500,
    horizon: Annotated[str, typer.Option(help="How lag is measured: length or alignment.")] = "length",
    radius: Annotated[int, typer.Option(help="How many words a system may lag behind.", min=0)] = 7,
    stay_threshold: Annotated[
        float, typer.Option(help="Share of the systems that must not have passed a word, for the horizon alignment.")
    ] = 0.8,
    language: Language = "en",
    stages: Stages = "exact+stem+synonym",
    paraphrases: Paraphrases = "",
    log: LogFile = None,
    resume: Resume = False,
    plot: Plot = None,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Learn how far to trust each system, on a dev set that none of them was tuned on."""
    from dragoman.bundle import Provenance, require_place_for_bundle
    from dragoman.drawing import require_svg
    from dragoman.files import read_parallel, require_writable
    from dragoman.lm import NgramModel
    from dragoman.tuning import get_tuner
    from dragoman.tuning.combination import BUNDLE_KIND, CombinationDecoder, CombinationSettings, tune_combination
    from dragoman.tuning.matching import split_outputs

    require_place_for_bundle(output, BUNDLE_KIND)
    if log is not None:
        require_writable(log)
    if plot is not None:
        require_svg(plot)
    source, known = _joined(systems, matched)
    references = read_parallel(ref, beside=(matched or (systems or [])[0], len(source)))
    chosen = get_tuner(tuner, sparse=False, settings=settings or [])
    decoder = CombinationDecoder(
        len(split_outputs(source[0])) if source else len(systems or []),
        NgramModel.load(lm) if lm else None,
        settings=CombinationSettings(beam=beam, horizon=horizon, radius=radius, stay_threshold=stay_threshold),
        matcher=_matcher(language, stages, paraphrases),
    )
    decoder.remember(known)
    with tuning_view(metric) as (watch, progress):
        result = tune_combination(
            decoder,
            source,
            references,
            tuner=chosen,
            metric=metric,
            iterations=iterations,
            nbest=nbest,
            seed=seed,
            threads=threads,
            log=log,
            resume=resume,
            progress=progress,
            watch=watch,
        )
    draw_curve(plot, result)
    inputs = [*(systems or []), *([matched] if matched else []), *ref, *([lm] if lm else [])]
    provenance = Provenance.of_files(inputs, command="dragoman combine tune", seed=seed)
    decoder.with_weights(result.weights).save(output, provenance=provenance)
    scores = [iteration.score * result.scale for iteration in result.history]
    if as_json:
        show_json({"scores": scores, "best": result.best_iteration, "weights": dict(result.weights)})
    else:
        note(f"{metric} {scores[0]:.2f} before tuning, {scores[result.best_iteration]:.2f} after")


@group.command("decode", epilog="Example: dragoman combine decode combination a.test b.test c.test > combined.test")
def decode_outputs(
    combination: Annotated[Path, typer.Argument(help="A combination written by `dragoman combine tune`.")],
    systems: Outputs = None,
    matched: Matched = None,
    output: MaybeOut = None,
    nbest: Annotated[int, typer.Option(help="Print this many of the best, as Moses n-best lists.", min=0)] = 0,
    explain: Annotated[bool, typer.Option("--explain", help="Show for each word where it came from and why.")] = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Combine the outputs of the systems, given in the order in which they were tuned."""
    from dragoman.tuning.combination import CombinationDecoder

    decoder = CombinationDecoder.load(combination)
    source, known = _joined(systems, matched)
    decoder.remember(known)
    found = decoder.translate(source, threads=threads, forests=nbest > 0)
    if as_json:
        show_json_lines({"id": number, **translation.to_dict()} for number, translation in enumerate(found))
    elif explain:
        for translation in found:
            show(translation.explain())
    elif nbest:
        from dragoman.search.nbest import moses_nbest

        names = decoder.feature_names
        lists = (moses_nbest(each, n, nbest, names=names, distinct=True) for n, each in enumerate(found))
        _write(output, [line for listed in lists for line in listed])
    else:
        _write(output, [translation.text for translation in found])


@group.command(epilog="Example: dragoman combine select a.en b.en c.en > chosen.en")
def select(
    systems: Systems,
    output: MaybeOut = None,
    nbest: Annotated[
        int, typer.Option(help="The files are n-best lists as Moses writes them: pool so many of each.", min=0)
    ] = 0,
    scale: Annotated[
        float, typer.Option(help="Of the scores in n-best lists: more trusts the first of them more.")
    ] = 1,
    metric: Annotated[str, typer.Option("--metric", "-m", help="How agreement is measured.")] = "bleu+1:tokenize=none",
    weight: SystemWeights = None,
    threads: Threads = 0,
) -> None:
    """Take, for each sentence, the output that the others agree with best; nothing needs tuning.

    With --nbest it is the one of all candidates of all systems whose expected agreement is greatest.
    """
    from dragoman.tuning.consensus import select as choose
    from dragoman.tuning.consensus import select_from_lists

    if nbest:
        lists = _read_lists(systems, nbest)
        _write(output, select_from_lists(lists, metric=metric, scale=scale, weights=weight, threads=threads))
    else:
        _write(output, choose(_read(systems), metric=metric, weights=weight, threads=threads))


@group.command(epilog="Example: dragoman combine vote a.en b.en c.en --lm en.lm > voted.en")
def vote(
    systems: Systems,
    output: MaybeOut = None,
    lm: Annotated[Path | None, typer.Option("--lm", help="A language model of the outputs' language.")] = None,
    model_weight: Annotated[float, typer.Option(help="How much the language model counts.")] = 0.2,
    weight: SystemWeights = None,
    threads: Threads = 0,
) -> None:
    """Align all outputs to the one nearest to the others, and vote word by word."""
    from dragoman.lm import NgramModel
    from dragoman.tuning.consensus import vote as cast

    model = NgramModel.load(lm) if lm else None
    found = cast(_read(systems), weights=weight, language_model=model, model_weight=model_weight, threads=threads)
    _write(output, found)


@group.command(epilog="Example: dragoman combine diversity a.en b.en c.en")
def diversity(
    systems: Systems,
    metric: Annotated[str, typer.Option("--metric", "-m", help="How likeness is measured.")] = "bleu:tokenize=none",
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Show how much the systems differ, and how many of them are worth combining."""
    from rich.table import Table

    from dragoman.tuning.diversity import diversity as measure

    found = measure(_read(systems), metric=metric, threads=threads)
    if as_json:
        report: dict[str, Any] = {
            "systems": [str(path) for path in systems],
            "from_earlier": found.from_earlier.tolist(),
            "from_others": found.from_others.tolist(),
            "pairwise": found.pairwise.tolist(),
            "useful": found.useful,
        }
        show_json(report)
        return
    table = Table(title="what is new, in percent", box=None, title_justify="left", pad_edge=False)
    for header in ("system", "beside earlier ones", "beside all others"):
        table.add_column(header, justify="left" if header == "system" else "right")
    for path, earlier, others in zip(systems, found.from_earlier, found.from_others, strict=True):
        table.add_row(path.name, f"{100 * earlier:.1f}", f"{100 * others:.1f}")
    show(table)
    note(f"the first {found.useful} say enough that is new to be combined")


@group.command(
    epilog="Example: dragoman combine diversify models/de-en --dev-source dev.de --dev-target dev.en -o copies"
)
def diversify(
    model: Annotated[Path, typer.Argument(help="The model bundle; it stays as it is.")],
    dev_source: DevSource,
    dev_target: DevTarget,
    output: Annotated[Path, typer.Option("--output", "-o", help="A folder for the weights of each copy.")],
    copies: Annotated[
        int, typer.Option(help="How many copies, the first of which is tuned to references only.", min=1)
    ] = 5,
    alpha: Annotated[float, typer.Option(help="How much references count; the rest punishes likeness.")] = 0.95,
    tuner: TunerName = "auto",
    metric: Annotated[str, typer.Option("--metric", "-m", help="What measures likeness.")] = "bleu",
    iterations: Annotated[int, typer.Option(help="Rounds of tuning for each copy.", min=1)] = 10,
    nbest: Annotated[int, typer.Option(help="Size of the n-best lists.", min=1)] = 100,
    seed: Seed = 1,
    trust_features: TrustFeatures = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Tune copies of a model one after the other, each away from what those before it say.

    Writes N.weights, for `dragoman translate --weights`, and N.tokens, what copy N makes of the dev set.
    """
    from dragoman.files import read_parallel, require_own_folder, writing_directory
    from dragoman.metrics import get_metric
    from dragoman.pipeline.model import Model
    from dragoman.pipeline.tune import prepared_dev
    from dragoman.tuning.diversity import DiverseSystem, tune_diverse
    from dragoman.tuning.diversity import diversity as measure

    _warn(copies)
    require_own_folder(output, _own_files)
    opened = Model.open(model, trust_features=trust_features)
    lines, *others = read_parallel([dev_source, *dev_target])
    dev = prepared_dev(opened, lines, others, threads=threads)
    goal = get_metric(metric).for_tokens()
    scores: list[float] = []

    def watch(number: int, system: DiverseSystem) -> None:
        scores.append(goal.scale * goal.corpus_score(system.outputs, dev[1], threads=threads))
        note(f"copy {number + 1}: {goal.name} {scores[-1]:.2f}")

    with bar("tuning") as progress:
        found = tune_diverse(
            [opened.decoder] * copies,
            *dev,
            alpha=alpha,
            metric=metric,
            tuner=tuner,
            iterations=iterations,
            nbest=nbest,
            seed=seed,
            threads=threads,
            progress=progress,
            watch=watch,
        )
    with writing_directory(output, own=_own_files) as folder:
        for number, system in enumerate(found, 1):
            system.weights.save(folder / f"{number}.weights")
            _write(folder / f"{number}.tokens", list(system.outputs))
    new = measure([system.outputs for system in found], threads=threads).from_earlier.tolist()
    if as_json:
        show_json({"scores": scores, "new": new})
        return
    for number, (score, share) in enumerate(zip(scores, new, strict=True), 1):
        said = "" if number == 1 else f", {100 * share:.1f}% of it new"
        show(f"{number}.weights: {goal.name} {score:.2f} on the dev set{said}")


def _own_files(folder: Path) -> list[str]:
    """What an earlier run wrote into a folder."""
    return [file.name for file in folder.iterdir() if re.fullmatch(r"\d+\.(weights|tokens)", file.name)]


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.add_typer(group, name="combine")
