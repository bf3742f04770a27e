"""`dragoman similarity`: how much two texts mean the same, and why; data for it, and near-duplicates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli import similarity_records
from dragoman.cli.compare import Reports
from dragoman.cli.output import Json, Limit, Seed, Threads, bar, note, show, show_json, show_json_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dragoman.progress import ProgressCallback
    from dragoman.similarity.pairs import PairSet, TextPair

__all__ = ["register"]

similarity_app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="How much two texts mean the same, and why."
)

Scorer = Annotated[
    str,
    typer.Option("--with", "-w", help="A scorer, or the folder of a fitted one; see `dragoman list scorers`."),
]
Settings = Annotated[list[str] | None, typer.Option("--set", help="A setting of the scorer: NAME=VALUE; repeat.")]
Annotators = Annotated[
    str | None,
    typer.Option(
        "--annotator", help="Model folders and annotators joined by +, for scorers that look at trees or roles."
    ),
]
Scale = Annotated[float, typer.Option(help="The score of texts that mean the same; nothing in common is 0.", min=1e-9)]
Pairs = Annotated[
    list[Path], typer.Argument(help="Files or folders of pairs: score, first and second text between tabs.")
]


def _annotated(
    pairs: Sequence[TextPair], annotator: str | None, threads: int, progress: ProgressCallback
) -> list[TextPair]:
    from dragoman.annotations import annotator_chain
    from dragoman.similarity.base import annotate_pairs

    if annotator is None:
        return list(pairs)
    return annotate_pairs(pairs, annotator_chain.load(annotator), threads=threads, progress=progress)


@similarity_app.command(epilog="Example: dragoman similarity score a.txt b.txt --with token-cosine --explain")
def score(
    first: Annotated[Path, typer.Argument(help="Texts, one a line.")],
    second: Annotated[Path, typer.Argument(help="As many texts to compare them with.")],
    scorer: Scorer = "soft-cardinality",
    settings: Settings = None,
    annotator: Annotators = None,
    scale: Scale = 5.0,
    translate_first: Annotated[
        Path | None, typer.Option(help="Translate the first texts with this model before they are compared.")
    ] = None,
    translate_second: Annotated[Path | None, typer.Option(help="Translate the second texts with this model.")] = None,
    variants: Annotated[int, typer.Option(help="Best translations of each text to average over.", min=1)] = 1,
    explain: Annotated[bool, typer.Option("--explain", help="Show for each pair what decided its score.")] = False,
    report: Reports = None,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Score how much the texts of two files mean the same, line by line."""
    from dragoman.annotations.annotator_chain import parts_of
    from dragoman.cli.reasons_file import check_reasons_file, write_reasons
    from dragoman.similarity.base import get_scorer
    from dragoman.similarity.pairs import read_texts

    for path in report or []:
        check_reasons_file(path)
    pairs = read_texts(first, second)
    chosen = get_scorer(scorer, settings or [])
    if translate_first or translate_second:
        from dragoman.pipeline.translated_similarity import TranslatedSimilarity

        models = {"first": translate_first, "second": translate_second}
        chosen = TranslatedSimilarity.around(
            chosen,
            variants=variants,
            annotators=tuple(parts_of(annotator)) if annotator else (),
            **{side: str(model) for side, model in models.items() if model is not None},
        )
    with bar("scoring") as progress:
        ready = _annotated(pairs, annotator if chosen.needs else None, threads, progress)
        scores = [scale * value for value in chosen.score(ready, threads=threads, progress=progress).tolist()]
    reasons = [chosen.explain(pair) for pair in ready] if explain or report else []
    for path in report or []:
        write_reasons(reasons, path)
    if as_json:
        why: list[dict[str, Any]] = [each.to_dict() for each in reasons] if explain else [{} for _ in scores]
        show_json_lines({**each, "score": value, "scale": scale} for value, each in zip(scores, why, strict=True))
    elif explain:
        for each in reasons:
            show(each)
            show("")
    else:
        for value in scores:
            show(f"{value:.4f}")


def _sets(paths: Sequence[Path], scale: float, *, judged: bool = True) -> list[PairSet]:
    from dragoman.similarity.pairs import read_task

    found = read_task(paths, scale=(0.0, scale))
    return [one.judged() for one in found] if judged else found


@similarity_app.command(epilog="Example: dragoman similarity fit train.tsv --with takelab -o models/takelab")
def fit(
    pairs: Pairs,
    scorer: Scorer,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the fitted scorer goes: a folder.")],
    settings: Settings = None,
    annotator: Annotators = None,
    scale: Scale = 5.0,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Fit a scorer to pairs that people have scored."""
    import numpy as np

    from dragoman.bundle import Provenance, require_place_for_bundle
    from dragoman.similarity.base import KIND, get_scorer

    require_place_for_bundle(output, KIND)
    chosen = get_scorer(scorer, settings or [])
    sets = _sets(pairs, scale)
    given = [pair for one in sets for pair in one.pairs]
    gold = np.concatenate([one.scores() for one in sets]) / scale
    with bar("fitting") as progress:
        ready = _annotated(given, annotator if chosen.needs else None, threads, progress)
        names = [one.name for one in sets for _ in one.pairs]
        chosen.fit(ready, gold, sets=names, seed=seed, threads=threads, progress=progress)
    inputs = [path for path in pairs if path.is_file()]
    chosen.save(output, provenance=Provenance.of_files(inputs, command="dragoman similarity fit", seed=seed))
    facts = {"scorer": chosen.name, "pairs": len(given), "sets": [one.name for one in sets], "output": str(output)}
    if as_json:
        show_json(facts)
    else:
        show(f"{chosen.name}, fitted to {len(given)} pairs of {', '.join(one.name for one in sets)}: {output}")


@similarity_app.command(
    epilog="Example: dragoman similarity evaluate sts/2014 --with token-cosine --with models/takelab --report sts.html"
)
def evaluate(
    pairs: Pairs,
    scorers: Annotated[
        list[str] | None,
        typer.Option("--with", "-w", help="A scorer, or the folder of a fitted one; repeat for several."),
    ] = None,
    runs: Annotated[
        list[str] | None,
        typer.Option(
            "--run", help="Scores made elsewhere: NAME=FILE, or NAME=FOLDER with a file for each set; repeat."
        ),
    ] = None,
    settings: Settings = None,
    annotator: Annotators = None,
    scale: Scale = 5.0,
    nan: Annotated[str, typer.Option(help="What a score that is no number becomes: error, 0, 5 or skip.")] = "error",
    strict: Annotated[bool, typer.Option("--strict", help="Refuse scores outside of the scale.")] = False,
    report: Reports = None,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Measure scorers and runs against what people gave, as the shared tasks did, and test their differences."""
    import numpy as np

    from dragoman.errors import InputError, SettingError
    from dragoman.evaluation.report import write_report
    from dragoman.evaluation.similarity_runs import RunScores, study_runs
    from dragoman.similarity.base import get_scorer

    if not scorers and not runs:
        raise SettingError("nothing to measure", remedy="name scorers by --with, or files of scores by --run")
    sets = _sets(pairs, scale)
    outputs: dict[str, dict[str, RunScores]] = {}
    with bar("scoring") as progress:
        for spec in scorers or []:
            chosen = get_scorer(spec, settings or [])
            name = chosen.name if chosen.name not in outputs else spec
            outputs[name] = {}
            for one in sets:
                ready = _annotated(one.pairs, annotator if chosen.needs else None, threads, progress)
                outputs[name][one.name] = RunScores.of(scale * np.asarray(chosen.score(ready, threads=threads)))
    for spec in runs or []:
        name, _, place = spec.partition("=")
        if not place:
            raise SettingError(f"{spec!r} has no name", remedy="write NAME=FILE")
        outputs[name] = _run(Path(place), sets, nan)
    study = study_runs(
        {one.name: one.scores() for one in sets}, outputs, scale=(0.0, scale) if runs else None, seed=seed
    )
    for warning in study.warnings:
        if strict and "outside" in warning:
            raise InputError(warning, remedy="rescale the scores, or do without --strict")
        note(f"warning: {warning}")
    for path in report or []:
        write_report(study.document(), study.to_dict(), path)
    if as_json:
        show_json(study.to_dict())
    else:
        show(study)


def _run(place: Path, sets: Sequence[PairSet], nan: str) -> dict[str, Any]:
    from dragoman.errors import SettingError
    from dragoman.evaluation.similarity_runs import read_run
    from dragoman.similarity.pairs import set_name

    if not place.is_dir():
        if len(sets) != 1:
            raise SettingError(f"{place} is one file for {len(sets)} sets", remedy="give a folder with a file for each")
        return {sets[0].name: read_run(place, nan=nan)}
    names = {one.name for one in sets}
    return {
        set_name(file): read_run(file, nan=nan)
        for file in sorted(place.iterdir())
        if file.is_file() and set_name(file) in names
    }


@similarity_app.command(epilog="Example: dragoman similarity duplicates corpus.en --with soft-cardinality --least 0.9")
def duplicates(
    text: Annotated[Path, typer.Argument(help="Texts, one a line; '-' reads standard input.")] = Path("-"),
    scorer: Annotated[
        str | None,
        typer.Option("--with", "-w", help="A scorer, or the folder of a fitted one; else shared words alone decide."),
    ] = None,
    settings: Settings = None,
    annotator: Annotators = None,
    least: Annotated[float, typer.Option(help="Show pairs that score at least this, of 1.", min=0, max=1)] = 0.8,
    least_shared: Annotated[
        float, typer.Option(help="Look only at pairs that share so much of their words, of 1.", min=0.01, max=1)
    ] = 0.5,
    limit: Limit = 0,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Find lines of a text that say nearly the same."""
    from dragoman.files import read_lines
    from dragoman.similarity.base import get_scorer
    from dragoman.similarity.duplicates import near_duplicates

    lines = list(read_lines(text))
    chosen = get_scorer(scorer, settings or []) if scorer is not None else None
    with bar("searching") as progress:

        def annotate(pairs: Sequence[TextPair]) -> Iterable[TextPair]:
            return _annotated(pairs, annotator, threads, progress)

        found = near_duplicates(
            lines, chosen, least=least, least_shared=least_shared, annotate=annotate, threads=threads, progress=progress
        )
    shown = found[:limit] if limit else found
    if as_json:
        show_json({"pairs": [{**each.to_dict(), "texts": [lines[each.first], lines[each.second]]} for each in shown]})
        return
    for each in shown:
        typer.echo(f"{each.score:.4f}\t{each.first + 1}\t{each.second + 1}\t{lines[each.first]}\t{lines[each.second]}")
    note(f"{len(found):,} pairs in {len(lines):,} lines")


@similarity_app.command(epilog="Example: dragoman similarity sample candidates.tsv --size 750 -o pairs.tsv")
def sample(
    candidates: Annotated[Path, typer.Argument(help="Lines of class, first and second text, or of the two texts.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Pairs, first and second text between tabs.")],
    size: Annotated[int, typer.Option("--size", "-n", help="Pairs to draw.", min=1)] = 750,
    bands: Annotated[str, typer.Option(help="Lower ends of bands of string similarity.")] = "0.4,0.5,0.6,0.7,0.8",
    width: Annotated[float, typer.Option(help="How wide a band is.")] = 0.1,
    max_tokens: Annotated[int, typer.Option(help="Leave out texts of more tokens; 0 keeps all.", min=0)] = 0,
    min_ratio: Annotated[float, typer.Option(help="Leave out pairs of more different lengths.", min=0, max=1)] = 0.0,
    lines: Annotated[Path | None, typer.Option(help="Class and similarity of each pair, in the same order.")] = None,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Draw pairs for a new set: equal numbers of each class and band of string similarity."""
    from dragoman.errors import FormatError, SettingError
    from dragoman.files import display_name, read_lines, require_writable, writing
    from dragoman.similarity.pairs import TextPair
    from dragoman.similarity.sampling import PairCandidate, banded_sample

    for place in filter(None, (output, lines)):
        require_writable(place)
    try:
        ends = [float(part) for part in bands.split(",")]
    except ValueError:
        raise SettingError(f"--bands {bands}", remedy="write numbers with commas between them") from None
    given = []
    for number, line in enumerate(read_lines(candidates), 1):
        cells = line.split("\t")
        if len(cells) not in (2, 3):
            raise FormatError(
                f"{len(cells)} fields",
                where=f"{display_name(candidates)}, line {number}",
                remedy="write first<TAB>second, or class<TAB>first<TAB>second",
            )
        given.append(PairCandidate(TextPair.of(*cells[-2:]), cells[0] if len(cells) == 3 else ""))
    found = banded_sample(
        given, size, bands=ends, width=width, max_tokens=max_tokens, min_ratio=min_ratio, seed=seed, threads=threads
    )
    with writing(output) as file:
        file.writelines("\t".join(one.pair.texts) + "\n" for one in found.candidates)
    if lines is not None:
        with writing(lines) as file:
            file.writelines(
                f"{one.kind}\t{value:.4f}\n" for one, value in zip(found.candidates, found.similarities, strict=True)
            )
    for kind, band in found.short:
        note(f"warning: {kind or 'pairs'} from {band:g} to {band + width:g}: fewer than their share; others made up")
    if as_json:
        show_json({**found.to_dict(), "output": str(output)})
    else:
        show(f"{len(found.candidates)} of {len(given)} pairs: {output}")


@similarity_app.command(epilog="Example: dragoman similarity mine articles.es --language es -o pairs.tsv")
def mine(
    texts: Annotated[
        Path, typer.Argument(help="Articles, a paragraph a line, a blank line between; or a folder for each event.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Pairs, first and second text between tabs.")],
    language: Annotated[str, typer.Option("--language", "-l", help="Of the texts, to split sentences.")] = "en",
    min_words: Annotated[int, typer.Option(help="Shorter sentences are left out.", min=1)] = 9,
    ratio: Annotated[float, typer.Option(help="The shorter has more than this of the longer's words.")] = 0.5,
    least: Annotated[
        float, typer.Option(help="More than this of the words are in common, in order.", min=0, max=1)
    ] = 0.35,
    bins: Annotated[int, typer.Option(help="Bins of similarity; all are written.", min=1)] = 5,
    lines: Annotated[
        Path | None, typer.Option(help="Bin, similarity and document of each pair, in the same order.")
    ] = None,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Find comparable sentences in articles (abstract and content) or in pages about the same events."""
    from dragoman.files import require_writable, writing
    from dragoman.similarity.mining import MiningSettings, mine_articles, mine_events, read_articles, read_events

    for place in filter(None, (output, lines)):
        require_writable(place)
    settings = MiningSettings(language=language, min_words=min_words, ratio=ratio, least=least, bins=bins)
    if texts.is_dir():
        found = mine_events(read_events(texts), settings, threads=threads)
    else:
        found = mine_articles(read_articles(texts), settings, threads=threads)
    with writing(output) as file:
        file.writelines("\t".join(one.pair.texts) + "\n" for one in found.pairs)
    if lines is not None:
        with writing(lines) as file:
            file.writelines(f"{one.bin}\t{one.similarity:.4f}\t{one.source}\n" for one in found.pairs)
    if as_json:
        pairs = [{"similarity": one.similarity, "bin": one.bin, "source": one.source} for one in found.pairs]
        show_json({**found.to_dict(), "mined": pairs, "output": str(output)})
    else:
        show(f"{len(found.pairs)} pairs of {found.documents} documents, {found.skipped} passed over: {output}")


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    similarity_records.register(similarity_app)
    app.add_typer(similarity_app, name="similarity")
