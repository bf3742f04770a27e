"""`dragoman combine`: one translation out of what several systems say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.output import Json, Seed, Threads, bar, note, show, show_json

if TYPE_CHECKING:
    from dragoman.tuning.matching import Matcher

Systems = Annotated[
    list[Path], typer.Argument(help="What each system said: tokenised, one sentence per line, lines in parallel.")
]
Out = Annotated[Path, typer.Option("--output", "-o", help="Where to write.")]
Stages = Annotated[str, typer.Option(help="How words are matched, of exact, stem, synonym, paraphrase; joined by '+'.")]
Language = Annotated[str, typer.Option(help="Language of the outputs, for stems and synonyms.")]
Paraphrases = Annotated[str, typer.Option(help="Table of paraphrases, for the stage of that name.")]
SystemWeights = Annotated[
    list[float] | None, typer.Option("--weight", "-w", help="How much a system counts; once for each.")
]

MANY = 10

group = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Combine the outputs of several systems.")


def _read(systems: list[Path]) -> list[list[str]]:
    from dragoman.files import read_lines

    if len(systems) < 2:
        note("warning: there is nothing to combine in fewer than two systems")
    if len(systems) > MANY:
        note(f"warning: {len(systems)} systems; search and tuning grow faster than their number")
    return [list(read_lines(path)) for path in systems]


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


@group.command("match", epilog="Example: dragoman combine match a.en b.en c.en -o dev.matched")
def match_outputs(
    systems: Systems,
    output: Out,
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
    systems: Systems,
    ref: Annotated[list[Path], typer.Option("--ref", "-r", help="References, tokenised; repeat for several.")],
    output: Out,
    lm: Annotated[Path | None, typer.Option("--lm", help="A language model of the outputs' language.")] = None,
    method: Annotated[str, typer.Option(help="A tuner; see `dragoman list tuners`.")] = "mert",
    metric: Annotated[str, typer.Option(help="What to tune to.")] = "bleu",
    iterations: Annotated[int, typer.Option(help="Rounds of tuning.", min=1)] = 10,
    nbest: Annotated[int, typer.Option(help="Size of the n-best lists.", min=1)] = 300,
    beam: Annotated[int, typer.Option(help="Hypotheses kept for each length.", min=1)] = 500,
    horizon: Annotated[str, typer.Option(help="How lag is measured: length or alignment.")] = "length",
    radius: Annotated[int, typer.Option(help="How many words a system may lag behind.", min=0)] = 7,
    language: Language = "en",
    stages: Stages = "exact+stem+synonym",
    paraphrases: Paraphrases = "",
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Learn how far to trust each system, on a dev set that none of them was tuned on."""
    from dragoman.bundle import Provenance
    from dragoman.files import read_lines
    from dragoman.lm import NgramModel
    from dragoman.tuning import tune as tune_decoder
    from dragoman.tuning.combination import CombinationDecoder, CombinationSettings
    from dragoman.tuning.matching import join_outputs

    decoder = CombinationDecoder(
        len(systems),
        NgramModel.load(lm) if lm else None,
        settings=CombinationSettings(beam=beam, horizon=horizon, radius=radius),
        matcher=_matcher(language, stages, paraphrases),
    )
    source = join_outputs(_read(systems))
    references = [list(read_lines(path)) for path in ref]
    with bar("tuning") as progress:
        result = tune_decoder(
            decoder, source, references, method=method, metric=metric, iterations=iterations, nbest=nbest, seed=seed,
            threads=threads, progress=progress,
        )  # fmt: skip
    inputs = [*systems, *ref, *([lm] if lm else [])]
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
    systems: Systems,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write; else to the terminal.")] = None,
    matched: Annotated[
        Path | None, typer.Option("--matched", help="Links written by `dragoman combine match`.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show for each word where it came from and why.")] = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Combine the outputs of the systems, given in the order in which they were tuned."""
    from dragoman.tuning.combination import CombinationDecoder
    from dragoman.tuning.matching import join_outputs, read_matched

    decoder = CombinationDecoder.load(combination)
    if matched is not None:
        decoder.remember(list(read_matched(matched)))
    found = decoder.translate(join_outputs(_read(systems)), threads=threads)
    if as_json:
        show_json([translation.to_dict() for translation in found])
    elif explain:
        for translation in found:
            show(translation.explain())
    else:
        _write(output, [translation.text for translation in found])


@group.command(epilog="Example: dragoman combine select a.en b.en c.en > chosen.en")
def select(
    systems: Systems,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write; else to the terminal.")] = None,
    metric: Annotated[str, typer.Option(help="How agreement is measured.")] = "bleu+1:tokenize=none",
    weight: SystemWeights = None,
    threads: Threads = 0,
) -> None:
    """Take, for each sentence, the output that the others agree with best; nothing needs tuning."""
    from dragoman.tuning.consensus import select as choose

    _write(output, choose(_read(systems), metric=metric, weights=weight, threads=threads))


@group.command(epilog="Example: dragoman combine vote a.en b.en c.en --lm en.lm > voted.en")
def vote(
    systems: Systems,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write; else to the terminal.")] = None,
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
    metric: Annotated[str, typer.Option(help="How likeness is measured.")] = "bleu:tokenize=none",
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


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.add_typer(group, name="combine")
