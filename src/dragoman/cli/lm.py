"""`dragoman lm`: estimate, query, convert, mix and bound language models, and cluster words."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.output import Json, Seed, Threads, bar, note, show, show_facts, show_json, show_json_lines

if TYPE_CHECKING:
    from dragoman.lm import Ngrams

lm_app = typer.Typer(name="lm", help="Language models.", no_args_is_help=True, rich_markup_mode=None)


def _model_of(path: Path) -> Path:
    from dragoman.pipeline.parts import part_of

    return part_of(path, "lm.bin")


Model = Annotated[
    Path,
    typer.Argument(
        callback=_model_of,
        help="A binary model, an ARPA file (plain, gzip or xz), or a model that has one.",
    ),
]
Text = Annotated[Path, typer.Argument(help="One sentence a line, tokenised; '-' reads standard input.")]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="ARPA if the name ends in .arpa (or .arpa.gz), else binary; '-' is ARPA.")
]
Layout = Annotated[str, typer.Option(help="Of a binary file: hashed (fast) or compact (small).")]
Bits = Annotated[int, typer.Option(help="Of the compact layout: 2 to 16 bits a value, or 32 for exact values.")]


def _is_arpa(path: Path) -> bool:
    return str(path) == "-" or ".arpa" in path.suffixes


def _require(path: Path) -> None:
    from dragoman.files import require_writable

    require_writable(path, stream=_is_arpa(path))


def _write(ngrams: Ngrams, path: Path, layout: str, bits: int) -> None:
    from dragoman.lm import write_arpa
    from dragoman.lm.model import LAYOUTS
    from dragoman.settings import check_argument

    check_argument("--layout", layout, choices=LAYOUTS)
    if _is_arpa(path):
        write_arpa(ngrams, path)
    else:
        ngrams.build(layout=layout, bits=bits).save(path)


@lm_app.command(epilog="Example: dragoman lm estimate corpus.en -o en.lm --order 5 --prune 0 --prune 0 --prune 1")
def estimate(
    text: Text = Path("-"),
    *,
    output: Output,
    order: Annotated[int, typer.Option(help="Length of the longest n-grams.")] = 5,
    smoothing: Annotated[str, typer.Option(help="kneser-ney (modified, interpolated), katz or witten-bell.")] = (
        "kneser-ney"
    ),
    prune: Annotated[
        list[int] | None,
        typer.Option(help="Drop n-grams seen this often or less; once per order from 1 up, the last is repeated."),
    ] = None,
    counts: Annotated[bool, typer.Option("--counts", help="TEXT holds `words<TAB>count` lines instead.")] = False,
    classes: Annotated[Path | None, typer.Option(help="Map words to classes first (`word<TAB>class` lines).")] = None,
    vocabulary: Annotated[Path | None, typer.Option(help="Keep only n-grams of these words.")] = None,
    interpolate_unigrams: Annotated[
        bool, typer.Option(help="Mix unigrams with the uniform distribution; else <unk> gets the mass left over.")
    ] = True,
    skip_special: Annotated[bool, typer.Option(help="Leave out <s>, </s> and <unk> in the text.")] = False,
    memory: Annotated[str, typer.Option(help="Work in files beyond this; the result is the same.")] = "2G",
    scratch: Annotated[Path | None, typer.Option(help="Folder for those files.")] = None,
    layout: Layout = "hashed",
    bits: Bits = 8,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Estimate a model from text or counts."""
    from dragoman.errors import SettingError
    from dragoman.files import read_lines
    from dragoman.lm import ClassMap
    from dragoman.lm import estimate as from_text
    from dragoman.lm import estimate_from_counts as from_counts

    _require(output)
    words = None if vocabulary is None else read_lines(vocabulary)
    with bar("estimating") as progress:
        if counts:
            if classes is not None:
                raise SettingError("--counts and --classes exclude each other", remedy="map the counts beforehand")
            made = from_counts(
                text,
                order=order,
                smoothing=smoothing,
                prune=prune or (),
                vocabulary=words,
                interpolate_unigrams=interpolate_unigrams,
                memory=memory,
                scratch=scratch,
                threads=threads,
                progress=progress,
            )
        else:
            made = from_text(
                text if classes is None else ClassMap.read(classes).apply_all(read_lines(text)),
                order=order,
                smoothing=smoothing,
                prune=prune or (),
                vocabulary=words,
                interpolate_unigrams=interpolate_unigrams,
                skip_special=skip_special,
                memory=memory,
                scratch=scratch,
                threads=threads,
                progress=progress,
            )
        _write(made.ngrams, output, layout, bits)
    for line in made.notes:
        note(line)
    if as_json:
        show_json(made.to_dict())
    elif str(output) != "-":
        from rich.table import Table

        table = Table("order", "n-grams", "kept", "discounts", box=None, pad_edge=False)
        for found in made.orders:
            discounts = " ".join(f"{value:.4f}" for value in found.discounts)
            table.add_row(
                str(found.order), str(found.seen), str(found.kept), discounts + (" (fixed)" if found.fallback else "")
            )
        show(table)


@lm_app.command(epilog="Example: dragoman lm score en.lm test.en")
def score(
    model: Model,
    text: Text = Path("-"),
    tokens: Annotated[bool, typer.Option("--tokens", help="Token by token, with the n-gram each comes from.")] = False,
    end: Annotated[bool, typer.Option(help="Score sentence ends.")] = True,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Print the log-probability (natural) of each sentence."""
    from dragoman.files import read_lines
    from dragoman.lm import NgramModel

    found = NgramModel.load(model)
    lines = list(read_lines(text))
    if tokens:
        each = [found.tokens(line, end=end) for line in lines]
        if as_json:
            show_json_lines({"tokens": [asdict(token) for token in sentence]} for sentence in each)
            return
        for sentence in each:
            typer.echo(" ".join(f"{t.token}={t.logprob:.4f}/{t.ngram_length if t.known else 'unk'}" for t in sentence))
        return
    scores = found.score(lines, end=end, threads=threads).tolist()
    if as_json:
        show_json_lines({"logprob": value} for value in scores)
    else:
        typer.echo("\n".join(f"{value:.6f}" for value in scores))


@lm_app.command(epilog="Example: dragoman lm perplexity en.lm test.en --json")
def perplexity(
    model: Model,
    text: Text = Path("-"),
    end: Annotated[bool, typer.Option(help="Score and count sentence ends.")] = True,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Perplexity of a text, unknown words left out and counted."""
    from dragoman.files import read_lines
    from dragoman.lm import NgramModel

    result = NgramModel.load(model).perplexity(read_lines(text), end=end, threads=threads).to_dict()
    if as_json:
        show_json(result)
        return
    show_facts({key: f"{value:.4f}" if isinstance(value, float) else value for key, value in result.items()})


@lm_app.command(epilog="Example: dragoman lm convert en.arpa.gz -o en.lm --layout compact")
def convert(model: Model, output: Output, layout: Layout = "hashed", bits: Bits = 8) -> None:
    """Turn an ARPA file or a compact model into a binary or an ARPA file."""
    from dragoman.lm.model import load_ngrams

    _require(output)
    with bar("converting"):
        ngrams = load_ngrams(model)
        _write(ngrams, output, layout, bits)
    for line in ngrams.notes:
        note(line)


@lm_app.command(epilog="Example: dragoman lm interpolate news.arpa talks.arpa --dev dev.en -o mixed.lm")
def interpolate(
    models: Annotated[list[Path], typer.Argument(help="ARPA files or compact models.")],
    output: Output,
    dev: Annotated[Path | None, typer.Option(help="Fit the weights on this text.")] = None,
    weight: Annotated[list[float] | None, typer.Option("--weight", "-w", help="Or give them, one per model.")] = None,
    layout: Layout = "hashed",
    bits: Bits = 8,
    as_json: Json = False,
) -> None:
    """Mix models into one, with given weights or those that fit a text best."""
    from dragoman.errors import SettingError
    from dragoman.files import read_lines
    from dragoman.lm import fit_weights
    from dragoman.lm import interpolate as mix
    from dragoman.lm.model import load_ngrams

    if (dev is None) == (weight is None):
        raise SettingError("weights are neither given nor fitted, or both", remedy="use --dev TEXT or --weight W ...")
    _require(output)
    with bar("mixing"):
        lists = [load_ngrams(path) for path in models]
        result: dict[str, Any] = {"weights": weight}
        if dev is not None:
            result = fit_weights([ngrams.build() for ngrams in lists], read_lines(dev)).to_dict()
        _write(mix(lists, result["weights"]), output, layout, bits)
    if as_json:
        show_json(result)
    else:
        show_facts(result)


@lm_app.command(epilog="Example: dragoman lm bounds en.arpa -o en.bounds --lm en.lm")
def bounds(
    source: Annotated[Path, typer.Argument(help="An ARPA file or a compact model.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the bounds go.")],
    binary: Annotated[
        Path | None,
        typer.Option("--lm", help="The binary model made from SOURCE that they are for; by default exact values."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compute upper and lower bounds for exact decoding, to be stored beside the model."""
    from dragoman.files import require_writable
    from dragoman.lm import Bounds, NgramModel
    from dragoman.lm.model import load_ngrams

    require_writable(output, stream=False)
    with bar("bounding"):
        ngrams = load_ngrams(source)
        found = Bounds.of(ngrams, None if binary is None else NgramModel.open(binary))
        found.save(output)
    result = {"model": repr(found.model), "bytes": found.native.bytes}
    if as_json:
        show_json(result)
    else:
        show_facts(result)


@lm_app.command(epilog="Example: dragoman lm info en.lm --json")
def info(model: Model, as_json: Json = False) -> None:
    """Order, n-grams, layout and size of a model."""
    from dragoman.lm import NgramModel

    found = NgramModel.load(model)
    result: dict[str, Any] = {
        "order": found.order,
        "words": len(found),
        "ngrams": list(found.counts),
        "inserted": found.native.inserted,
        "layout": found.layout,
        "bits": found.native.bits if found.layout == "compact" else 32,
        "bytes": found.bytes,
        "bytes_per_ngram": round(found.bytes / sum(found.counts), 2),
    }
    if as_json:
        show_json(result)
    else:
        show_facts(result)


@lm_app.command(epilog="Example: dragoman lm classes corpus.en -o en.classes --classes 512")
def classes(
    text: Text = Path("-"),
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Lines `word<TAB>class`; '-' is standard output.")],
    number: Annotated[
        int | None, typer.Option("--classes", help="How many; by default 512, or a tenth of the words if that is less.")
    ] = None,
    min_count: Annotated[int, typer.Option(help="Words seen less often are one word, <unk>.")] = 5,
    iterations: Annotated[int, typer.Option(help="Each moves a third of the vocabulary.")] = 30,
    digits: Annotated[bool, typer.Option(help="Fold digits to 0.")] = True,
    threads: Threads = 0,
    seed: Seed = 1,
) -> None:
    """Cluster words into classes that predict alike."""
    from dragoman.lm import train_classes

    with bar("clustering") as progress:
        train_classes(
            text,
            classes=number,
            min_count=min_count,
            iterations=iterations,
            digits=digits,
            threads=threads,
            seed=seed,
            progress=progress,
        ).write(output)


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.add_typer(lm_app)
