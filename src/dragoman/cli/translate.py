"""`dragoman translate` and `dragoman explain`: text through a model, and why it came out as it did."""

from __future__ import annotations

import json
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer

from dragoman.cli.marked_text import Annotations, annotated, split_domains
from dragoman.cli.output import Json, Threads, TrustFeatures, note, show, show_json

if TYPE_CHECKING:
    from dragoman.pipeline.model import Model, SearchChanges, Translated

BATCH = 200
"""Lines translated at once, at most."""

ModelPath = Annotated[Path, typer.Argument(help="A model bundle made by `dragoman train`.")]
Search = Annotated[str | None, typer.Option("--search", help="cube or stack.")]
Distortion = Annotated[int | None, typer.Option("--distortion", help="Words a phrase may jump over; -1 for any.")]
Beam = Annotated[int | None, typer.Option("--beam", help="Partial translations kept per stack.")]
PopLimit = Annotated[int | None, typer.Option("--pop-limit", help="Taken from each cube, at most.")]
Unknown = Annotated[str | None, typer.Option("--unknown", help="Unknown words: copy, mark or drop.")]
CheckFeatures = Annotated[
    bool, typer.Option("--check-features", help="Score all that search kept from scratch, and compare (slow).")
]
Domain = Annotated[str, typer.Option("--domain", help="What kind of text it is, of those that the model knows.")]
TextDomains = Annotated[
    list[str] | None,
    typer.Option("--domain", help="What kind of text it is; NAME=FIRST-LAST or NAME=FILE for lines of it; repeat."),
]
WeightsPath = Annotated[Path | None, typer.Option("--weights", help="Weights instead of the model's own.")]


def search_changes(
    search: str | None,
    distortion: int | None,
    beam: int | None,
    pop_limit: int | None,
    unknown: str | None,
    check_features: bool = False,
) -> SearchChanges:
    """The search settings that were given."""
    given: dict[str, Any] = {
        "search": search,
        "distortion_limit": distortion,
        "beam": beam,
        "pop_limit": pop_limit,
        "unknown": unknown,
        "check_features": check_features or None,
    }
    changes: Any = {name: value for name, value in given.items() if value is not None}
    return changes  # type: ignore[no-any-return]


def batches(lines: Iterator[str], size: int) -> Iterator[list[str]]:
    """Lines as they come: those that are there already go together, and one that comes alone does not wait."""
    waiting: queue.Queue[str | BaseException | None] = queue.Queue(maxsize=2 * size)

    def read() -> None:
        try:
            for line in lines:
                waiting.put(line)
            waiting.put(None)
        except BaseException as error:
            waiting.put(error)

    threading.Thread(target=read, daemon=True).start()
    while True:
        batch: list[str] = []
        item = waiting.get()
        while isinstance(item, str):
            batch.append(item)
            if len(batch) == size:
                break
            try:
                item = waiting.get_nowait()
            except queue.Empty:
                break
        if batch:
            yield batch
        if isinstance(item, BaseException):
            raise item
        if item is None:
            return


def open_model(path: Path, weights: Path | None, changes: SearchChanges, trust_features: bool) -> Model:
    """The model with what the command line changes."""
    from dragoman.pipeline.model import Model
    from dragoman.pipeline.parts import read_weights

    model = Model.open(path, trust_features=trust_features).with_settings(**changes)
    return model if weights is None else model.with_weights(read_weights(weights, columns=model.decoder.table.columns))


def translate(
    model: ModelPath,
    file: Annotated[Path, typer.Argument(help="Text, one segment a line; '-' is standard input.")] = Path("-"),
    nbest: Annotated[int, typer.Option("--nbest", help="Print so many different translations of each line.")] = 0,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each translation came about.")] = False,
    consensus: Annotated[
        int, typer.Option(help="Of so many best take what agrees most with all that search found.", min=0)
    ] = 0,
    scale: Annotated[float, typer.Option(help="Of scores for --consensus: below 1 more of what was found counts.")] = 1,
    search: Search = None,
    distortion: Distortion = None,
    beam: Beam = None,
    pop_limit: PopLimit = None,
    unknown: Unknown = None,
    weights: WeightsPath = None,
    domain: TextDomains = None,
    annotations: Annotations = None,
    check_features: CheckFeatures = False,
    trust_features: TrustFeatures = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Translate raw text line by line, in order; with --json one object a line."""
    changes = search_changes(search, distortion, beam, pop_limit, unknown, check_features)
    opened = open_model(model, weights, changes, trust_features)
    names = opened.decoder.feature_names
    stream(
        annotated(texts_with_domains(file, domain or [], check=opened.check_domain), annotations),
        lambda batch: opened.translate(batch, threads=threads, nbest=nbest, consensus=consensus, scale=scale),
        lambda found, number: write_translation(found, number, names=names, nbest=nbest, as_json=as_json),
        explain=explain and not as_json,
    )


def texts_with_domains(file: Path, domains: list[str], *, check: Callable[[str], None] | None = None) -> Iterator[str]:
    """The lines of a text, each with its domain if one is named; `check` sees the names before anything is read."""
    from dragoman.features.marks import with_domains
    from dragoman.files import read_lines

    default, lines = split_domains(domains)
    if check is not None:
        for name in filter(None, (default, *lines)):
            check(name)
    return with_domains(read_lines(file), lines, default=default)


class Explained(Protocol):
    """What can say how it came about."""

    def explain(self) -> Any: ...


Found = TypeVar("Found", bound=Explained)


def stream(
    texts: Iterator[str],
    translate: Callable[[list[str]], Sequence[Found]],
    write: Callable[[Found, int], None],
    *,
    explain: bool,
) -> None:
    """Lines through a decoder in order, written as soon as they are done; `write` gets the number of the line."""
    started = time.perf_counter()
    number = 0
    for batch in batches(texts, BATCH):
        for found in translate(batch):
            write(found, number)
            if explain:
                sys.stdout.flush()
                show(found.explain())
            number += 1
        sys.stdout.flush()
    seconds = time.perf_counter() - started
    if number:
        note(f"{number:,} lines in {seconds:.1f} s ({number / max(seconds, 1e-9):.0f} a second)")


def write_translation(found: Translated, number: int, *, names: Sequence[str], nbest: int, as_json: bool) -> None:
    """One line of output, or one for each alternative, with the features of these names first."""
    if as_json:
        sys.stdout.write(json.dumps({"id": number, **found.to_dict()}, ensure_ascii=False) + "\n")
    elif nbest:
        from dragoman.search.nbest import moses_line

        for each in found.candidates:
            sys.stdout.write(moses_line(number, each.text, each.features, each.score, names=names) + "\n")
    else:
        sys.stdout.write(found.text + "\n")


def explain(
    model: ModelPath,
    text: Annotated[str, typer.Argument(help="A sentence, in quotes.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A picture: .svg, or .html with the table.")
    ] = None,
    nbest: Annotated[int, typer.Option("--nbest", help="Show so many alternatives.")] = 5,
    search: Search = None,
    distortion: Distortion = None,
    beam: Beam = None,
    pop_limit: PopLimit = None,
    unknown: Unknown = None,
    weights: WeightsPath = None,
    domain: Domain = "",
    trust_features: TrustFeatures = False,
    as_json: Json = False,
) -> None:
    """Show how a translation came about: each phrase, what it became, and what it cost by feature."""
    from rich.text import Text

    from dragoman.features.marks import MarkedSentence

    changes = search_changes(search, distortion, beam, pop_limit, unknown)
    opened = open_model(model, weights, changes, trust_features)
    found = opened.translate(MarkedSentence(text, domain=domain), nbest=nbest)
    if output is not None:
        from dragoman.search.picture import save_picture

        save_picture(output, found.sentences, title=found.text)
    if as_json:
        show_json(found.to_dict())
        return
    show(Text(found.text))
    show(found.explain())
    for candidate in found.candidates[1:]:
        show(Text(f"{candidate.score:10.3f}  {candidate.text}"))
    if found.unknown_words:
        note(f"unknown words: {' '.join(found.unknown_words)}")


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command(epilog="Example: dragoman translate models/de-en < input.de > output.en")(translate)
    app.command(epilog='Example: dragoman explain models/de-en "ein kleines Haus" -o why.html')(explain)
