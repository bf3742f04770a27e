"""`dragoman translate` and `dragoman explain`: text through a model, and why it came out as it did."""

from __future__ import annotations

import contextlib
import itertools
import math
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer

from dragoman.cli.marked_text import (
    Annotate,
    Annotations,
    Patterns,
    Terms,
    annotated,
    annotator,
    read_list,
    split_domains,
)
from dragoman.cli.output import (
    Json,
    Nbest,
    NoVerify,
    On,
    Seed,
    Threads,
    TrustFeatures,
    bar,
    note,
    show,
    show_json,
    show_json_lines,
    whole_number,
)
from dragoman.cli.search_options import search_options
from dragoman.remote_files import with_urls

if TYPE_CHECKING:
    from dragoman.pipeline.batch_translation import BatchWish
    from dragoman.pipeline.control import Control
    from dragoman.pipeline.model import Model
    from dragoman.pipeline.translation import Translation
    from dragoman.search.exact import Samples
    from dragoman.search.lattice import Lattice
    from dragoman.search.proof import Proof
    from dragoman.search.translation import SentenceTranslation
    from dragoman.text.source_text import SourceText

BATCH = 200
"""Lines translated at once, at most."""

ModelPath = Annotated[Path, typer.Argument(help="A model bundle made by `dragoman train`.")]
Domain = Annotated[str, typer.Option("--domain", help="What kind of text it is, of those that the model knows.")]
TextDomains = Annotated[
    list[str] | None,
    typer.Option("--domain", help="What kind of text it is; NAME=FIRST-LAST or NAME=FILE for lines of it; repeat."),
]
GlossaryPath = Annotated[
    Path | None,
    typer.Option("--glossary", help="Terms: source forms, a tab, target forms, each apart by |; then a tab and soft."),
]
Markup = Annotated[
    str,
    typer.Option("--markup", help="Heed translations, zones and walls in the text: exclusive, inclusive, constraint."),
]
Monotone = Annotated[bool, typer.Option("--monotone", help="Keep phrases in the order of the source.")]
NoDrop = Annotated[bool, typer.Option("--no-drop", help="Leave no source word without a counterpart.")]
WeightsPath = Annotated[Path | None, typer.Option("--weights", help="Weights instead of the model's own.")]


def batches(lines: Iterator[SourceText], size: int) -> Iterator[list[SourceText]]:
    """Lines as they come: those that are there already go together, and one that comes alone does not wait."""
    waiting: queue.Queue[SourceText | BaseException | None] = queue.Queue(maxsize=2 * size)

    def read() -> None:
        try:
            for line in lines:
                waiting.put(line)
            waiting.put(None)
        except BaseException as error:
            waiting.put(error)

    threading.Thread(target=read, daemon=True).start()
    while True:
        batch: list[SourceText] = []
        item = waiting.get()
        while item is not None and not isinstance(item, BaseException):
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


def open_model(path: Path, weights: Path | None, changes: dict[str, Any], trust_features: bool) -> Model:
    """The model with what the command line changes."""
    from dragoman.pipeline.batch_translation import BatchWish

    return BatchWish(search=changes, weights=weights, trust_features=trust_features).open(path)


@search_options
def translate(
    model: ModelPath,
    file: Annotated[Path, typer.Argument(help="Text, one segment a line; '-' is standard input.")] = Path("-"),
    nbest: Nbest = 0,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each translation came about.")] = False,
    consensus: Annotated[
        int, typer.Option(help="Of so many best take what agrees most with all that search found.", min=0)
    ] = 0,
    scale: Annotated[float, typer.Option(help="Of scores for --consensus: below 1 more of what was found counts.")] = 1,
    prefix: Annotated[
        Path | None, typer.Option("--prefix", help="Beginnings of the translations, a line for each; may be blank.")
    ] = None,
    glossary: GlossaryPath = None,
    markup: Markup = "",
    terms: Terms = None,
    patterns: Patterns = None,
    monotone: Monotone = False,
    no_drop: NoDrop = False,
    transliterate: Annotated[
        Path | None,
        typer.Option("--transliterate", help="Letters of unknown words, a tab, and what they become, a line each."),
    ] = None,
    unknown_words: Annotated[
        Path | None,
        typer.Option(
            "--unknown-words", help="Translations of words that the model lacks, as `oov translate -o` has them."
        ),
    ] = None,
    lattice: Annotated[
        str, typer.Option("--lattice", help="Lines are word graphs in this notation: plf, or json.")
    ] = "",
    lattice_scores: Annotated[
        str, typer.Option("--lattice-scores", help="What numbers on arcs are: probability, log, cost.")
    ] = "probability",
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Say how sure the model is, in front of each translation.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write what became of the terms of the glossary to this TSV file.")
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(help="With --search exact: a folder for what proves each sentence; older certificates there go."),
    ] = None,
    sample: Annotated[int, typer.Option(help="Print so many exact samples of each line, by count.", min=0)] = 0,
    temperature: Annotated[float, typer.Option(help="Of --sample: above 1 flatter, below 1 sharper.")] = 1,
    seed: Seed = 1,
    weights: WeightsPath = None,
    domain: TextDomains = None,
    annotations: Annotations = None,
    annotate: Annotate = "",
    trust_features: TrustFeatures = False,
    no_verify: NoVerify = False,
    max_tokens: Annotated[
        int,
        typer.Option(
            callback=whole_number("--max-tokens", least=0, most=2**31), help="Refuse longer lines; 0 refuses none."
        ),
    ] = 0,
    threads: Threads = 0,
    on: On = "local",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write to this file, in blocks that are kept: the same command resumes a killed one."
        ),
    ] = None,
    as_json: Json = False,
    *,
    changes: dict[str, Any],
) -> None:
    """Translate raw text line by line, in order; with --json one object a line."""
    from dragoman.files import writing

    if output is not None or on != "local":
        beside = {
            "--nbest": nbest,
            "--explain": explain,
            "--prefix": prefix,
            "--transliterate": transliterate,
            "--unknown-words": unknown_words,
            "--lattice": lattice,
            "--confidence": confidence,
            "--report": report,
            "--certificate": certificate,
            "--sample": sample,
            "--json": as_json,
            "--annotate": annotate,
        }
        from dragoman.pipeline.batch_translation import BatchWish

        wish = BatchWish(
            search=changes,
            weights=weights,
            control=asked(glossary, markup, terms, patterns, monotone, no_drop),
            consensus=consensus,
            scale=scale,
            max_tokens=max_tokens,
            trust_features=trust_features,
        )
        _translate_to_file(
            model,
            file,
            lambda near, opened: annotated(
                texts_with_domains(near, domain or [], check=opened.check_domain), annotations
            ),
            output,
            wish,
            on=on,
            threads=threads,
            refused=[name for name, value in beside.items() if value],
        )
        return
    if certificate is not None:
        from dragoman.search.certificate_files import certificate_folder

        certificate_folder(certificate)
    opened = open_model(model, weights, changes, trust_features).with_annotator(annotator(annotate))
    if confidence:
        opened.need_confidence()
    if transliterate is not None:
        from dragoman.search.letters import LetterTable

        opened = opened.with_unknown_words(LetterTable.read(transliterate))
    if unknown_words is not None:
        if transliterate is not None:
            from dragoman.errors import SettingError

            raise SettingError("two ways to translate unknown words", remedy="--transliterate or --unknown-words")
        from dragoman.semantics.oov import InducedTranslations, read_lexicon

        opened = opened.with_unknown_words(InducedTranslations(read_lexicon(unknown_words)))
    names = opened.decoder.feature_names
    if sample:
        from dragoman.errors import LimitReached
        from dragoman.search.exact import Samples, sample_settings
        from dragoman.settings import check_argument

        check_argument("temperature", temperature, float, above=0)
        drawn = sample_settings(opened.decoder.settings, samples=sample, scale=1 / temperature, seed=seed)
        texts = annotated(texts_with_domains(file, domain or [], check=opened.check_domain), annotations)
        for number, drawings in enumerate(opened.sample_all(texts, drawn, threads=threads)):
            if isinstance(drawings, LimitReached):
                note(f"line {number + 1}: no samples: {drawings}")
                drawings = [Samples((), (), (), False, math.nan, drawn.scale)]
            for samples in drawings:
                if samples.rounds and len(samples) < sample:
                    note(f"line {number + 1}: {len(samples):,} of {sample:,} samples within --time-limit")
                write_samples(samples, number, names=names, as_json=as_json, consensus=consensus > 0)
        return
    control = asked(glossary, markup, terms, patterns, monotone, no_drop)
    graphs = _lattices(lattice, lattice_scores, control, prefix, domain, annotations)
    beginnings = _LinesBeside(prefix)
    counts = {"terms": 0, "not used": 0, "dropped": 0}
    proofs: list[Proof] = []

    def translate_batch(batch: list[SourceText]) -> list[Translation]:
        if graphs is not None:
            return opened.translate_lattices(
                graphs([each.text for each in batch]),
                threads=threads,
                forests=nbest > 0 or confidence,
                consensus=consensus,
                scale=scale,
                monotone=monotone,
            )
        return opened.translate(
            batch,
            threads=threads,
            forests=nbest > 0 or confidence,
            consensus=consensus,
            scale=scale,
            prefix=beginnings(len(batch)),
            control=control,
            max_tokens=max_tokens,
        )

    with contextlib.ExitStack() as files:
        told = files.enter_context(writing(report)) if report is not None else None

        def write(found: Translation, number: int) -> None:
            if certificate is not None:
                write_certificates(found, number, certificate)
            write_translation(found, number, names=names, nbest=nbest, as_json=as_json, confidence=confidence)
            for use in found.terms:
                counts["terms"] += 1
                counts["not used"] += not use.used
                if told is not None:
                    told.write(use.report_line(number + 1) + "\n")
            counts["dropped"] += len(found.dropped_words)
            proofs.extend(each.proof for each in found.sentences if each.proof is not None)
            if no_drop and found.dropped_words:
                note(f"line {number + 1}: dropped words: {' '.join(found.dropped_words)}")

        stream(
            annotated(texts_with_domains(file, domain or [], check=opened.check_domain), annotations),
            translate_batch,
            write,
            explain=explain and not as_json,
        )
    beginnings(0, end=True)
    if glossary is not None:
        note(f"{counts['terms']} terms, {counts['not used']} of them not used")
    if proofs:
        note(proof_summary(proofs))


@with_urls("file")
def _translate_to_file(
    model: Path,
    file: Path,
    texts: Callable[[Path, Model], Iterator[SourceText]],
    output: Path | None,
    wish: BatchWish,
    *,
    on: str,
    threads: int,
    refused: list[str],
) -> None:
    """Lines in blocks, each kept when it is done; what is more than a line of text has no place in the file."""
    from dragoman.errors import SettingError
    from dragoman.pipeline.batch_translation import translate_batches

    if output is None:
        raise SettingError(f"--on {on} without a file to write", remedy="name one with --output")
    if refused:
        raise SettingError(f"--output with {', '.join(refused)}", remedy="only translations are written in blocks")
    with bar("translating") as progress:
        made = translate_batches(
            model, partial(texts, file), output, on=on, threads=threads, wish=wish, progress=progress
        )
    again = f", {made.kept:,} of them kept from before" if made.kept else ""
    note(f"{output}: {made.lines:,} lines{again}")


def asked(
    glossary: Path | None, markup: str, terms: Path | None, patterns: Path | None, monotone: bool, no_drop: bool
) -> Control:
    """What the command line asks of translations."""
    from dragoman.pipeline.control import Control
    from dragoman.search.glossary import Glossary

    return Control(
        Glossary.read(glossary) if glossary is not None else None,
        markup,
        tuple(read_list(terms) or ()),
        tuple(read_list(patterns) or ()),
        monotone=monotone,
        no_drop=no_drop,
    )


def _lattices(
    notation: str, scores: str, control: Control, prefix: Path | None, domain: list[str] | None, annotations: Any
) -> Callable[[Sequence[str]], list[Lattice]] | None:
    """What reads lines as word graphs, if they are; then what is said about words of a sentence has no meaning."""
    if not notation:
        return None
    from dragoman.errors import SettingError
    from dragoman.search.lattice import NOTATIONS, read_lattices
    from dragoman.settings import check_argument

    check_argument("notation", notation, choices=NOTATIONS)
    given = {
        "--prefix": prefix,
        "--domain": domain,
        "--annotations": annotations,
        "--glossary": control.glossary,
        "--markup": control.markup,
        "--terms": control.keep,
        "--patterns": control.keep_patterns,
        "--no-drop": control.no_drop,
    }
    if refused := [name for name, value in given.items() if value]:
        raise SettingError(
            f"--lattice with {', '.join(refused)}",
            remedy="of all that restricts a translation only --monotone goes with it",
        )
    read = 0

    def graphs(lines: Sequence[str]) -> list[Lattice]:
        nonlocal read
        found = list(read_lattices(lines, notation, scores=scores, first_line=read + 1))
        read += len(lines)
        return found

    return graphs


class _LinesBeside:
    """Lines of a file that goes along with the text, as they are needed."""

    def __init__(self, path: Path | None) -> None:
        from dragoman.files import read_lines

        self._path = path
        self._lines = iter(read_lines(path)) if path is not None else None
        self._read = 0

    def __call__(self, count: int, *, end: bool = False) -> list[str] | str:
        from dragoman.errors import LengthMismatch

        if self._lines is None:
            return ""
        found = list(itertools.islice(self._lines, count))
        self._read += len(found)
        if len(found) < count or (end and next(self._lines, None) is not None):
            raise LengthMismatch(
                f"{'more' if end else 'fewer'} lines than the text has, after {self._read}",
                where=str(self._path),
                remedy="give a line for each, blank where there is nothing",
            )
        return found


def texts_with_domains(
    file: Path, domains: list[str], *, check: Callable[[str], None] | None = None
) -> Iterator[SourceText]:
    """The lines of a text, each with its domain if one is named; `check` sees the names before anything is read."""
    from dragoman.files import read_lines
    from dragoman.text.source_text import with_domains, with_fences

    default, lines = split_domains(domains)
    if check is not None:
        for name in filter(None, (default, *lines)):
            check(name)
    return with_domains(with_fences(read_lines(file)), lines, default=default)


class Explained(Protocol):
    """What can say how it came about."""

    def explain(self, *, nbest: int, legend: bool) -> Any: ...


Found = TypeVar("Found", bound=Explained)


def stream(
    texts: Iterator[SourceText],
    translate: Callable[[list[SourceText]], Sequence[Found]],
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
                show(found.explain(nbest=0, legend=number == 0))
            number += 1
        sys.stdout.flush()
    seconds = time.perf_counter() - started
    if number:
        lines = "1 line" if number == 1 else f"{number:,} lines"
        note(f"{lines} in {seconds:.1f} s ({number / max(seconds, 1e-9):.0f} a second)")


def proof_summary(proofs: Sequence[Proof]) -> str:
    """How many sentences are proved to be the best, and how far from the best the others may be."""
    open_gaps = [each.gap for each in proofs if not each.optimal]
    said = f"exact search: {len(proofs) - len(open_gaps):,} of {len(proofs):,} sentences proved to be the best"
    if not open_gaps:
        return said
    return f"{said}; the others score at most {max(open_gaps):.3f} less than it; --time-limit and --memory decide"


def write_certificates(found: Translation, number: int, folder: Path) -> None:
    """A file for each sentence of a line: 000001.json, or 000001-2.json for a second one."""
    from dragoman.errors import SettingError
    from dragoman.search.certificate_files import write_certificate

    for at, sentence in enumerate(found.sentences):
        if sentence.proof is None:
            raise SettingError("a certificate is a proof of exact search", remedy="add --search exact")
        certificate = sentence.proof.certificate
        if certificate is None:
            remedy = "raise --time-limit and --memory, leave constraints out, or train without that feature"
            note(f"line {number + 1}: no certificate: {sentence.proof.missing}; {remedy}")
            continue
        name = f"{number + 1:06}" + (f"-{at + 1}" if at else "")
        write_certificate(certificate, folder / f"{name}.json")


def gains(texts: Sequence[str]) -> Callable[[str, str], float]:
    """What each text is worth if another one is right, by chrF: for a consensus of samples."""
    from dragoman.metrics import get_metric

    measure, places = get_metric("chrf"), {text: place for place, text in enumerate(texts)}
    rows = [measure.sentence_scores(texts, [reference] * len(texts)) for reference in texts]
    return lambda hypothesis, reference: float(rows[places[reference]][places[hypothesis]])


def write_samples(
    samples: Samples[SentenceTranslation], number: int, *, names: Sequence[str], as_json: bool, consensus: bool
) -> None:
    """The derivations of a sentence that were drawn, the most frequent first, each with its count.

    With `consensus` the text of least expected risk instead, or beside them.
    """
    from collections import Counter
    from dataclasses import asdict

    from dragoman.search.nbest import moses_line

    chosen = samples.consensus(gains(list(samples.texts()))) if consensus and len(samples) else ""
    if consensus and not as_json:
        sys.stdout.write(chosen + "\n")
        return
    counts = Counter(samples.draws).most_common()
    if as_json:
        plain = {
            "id": number,
            "log_partition": samples.log_partition,
            "acceptance": samples.acceptance,
            "reached": samples.reached,
            "rounds": [asdict(each) for each in samples.rounds],
            "entropy": samples.entropy(),
            "expected_features": samples.expected_features(),
            **({"consensus": chosen} if consensus else {}),
            "samples": [
                {"text": samples.derivations[at].text, "score": samples.derivations[at].score, "count": count}
                for at, count in counts
            ],
        }
        show_json_lines([plain])
        return
    for at, count in counts:
        found = samples.derivations[at]
        sys.stdout.write(f"{moses_line(number, found.text, found.features, found.score, names=names)} ||| {count}\n")


def write_translation(
    found: Translation, number: int, *, names: Sequence[str], nbest: int, as_json: bool, confidence: bool = False
) -> None:
    """One line of output, or one for each alternative, with the features of these names first."""
    if as_json:
        show_json_lines([{"id": number, **found.to_dict(nbest=nbest, confidence=confidence)}])
    elif nbest:
        from dragoman.search.nbest import moses_line

        for each in found.nbest(nbest):
            sys.stdout.write(moses_line(number, each.text, each.features, each.score, names=names) + "\n")
    else:
        sys.stdout.write((f"{found.confidence:.3f}\t" if confidence else "") + found.text + "\n")


@search_options
def explain(
    model: ModelPath,
    text: Annotated[str, typer.Argument(help="A sentence, in quotes; '-' is standard input.")] = "-",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A picture: .svg, or .html with all of it.")
    ] = None,
    nbest: Nbest = 5,
    prefix: Annotated[str, typer.Option("--prefix", help="What the translation begins with.")] = "",
    glossary: GlossaryPath = None,
    markup: Markup = "",
    terms: Terms = None,
    patterns: Patterns = None,
    monotone: Monotone = False,
    no_drop: NoDrop = False,
    why: Annotated[
        bool, typer.Option("--why", help="For each phrase its runner-up, why it lost, and who taught the phrase.")
    ] = False,
    graph: Annotated[
        Path | None, typer.Option("--graph", help="Write all that search kept, of one sentence: .dot, .svg or .json.")
    ] = None,
    weights: WeightsPath = None,
    domain: Domain = "",
    annotate: Annotate = "",
    trust_features: TrustFeatures = False,
    no_verify: NoVerify = False,
    as_json: Json = False,
    *,
    changes: dict[str, Any],
) -> None:
    """Show how a translation came about: each phrase, what it became, and what it cost by feature."""
    from rich.text import Text

    from dragoman.files import read_lines
    from dragoman.text.source_text import SourceText

    opened = open_model(model, weights, changes, trust_features).with_annotator(annotator(annotate))
    control = asked(glossary, markup, terms, patterns, monotone, no_drop)
    said = "\n".join(read_lines(text)) if text == "-" else text
    found = opened.translate(SourceText(said, domain), forests=nbest > 0, prefix=prefix, control=control)
    explanation = found.explain(nbest=max(0, nbest - 1), reasons=why)
    if output is not None:
        explanation.save(output)
    if graph is not None:
        from dragoman.forest.graphviz import save_graph

        save_graph(found.forest, graph)
    if as_json:
        reasons = {"reasons": [each.to_dict() for each in found.reasons]} if why else {}
        show_json({**found.to_dict(nbest=nbest, confidence=opened.confidence is not None), **reasons})
        return
    show(explanation)
    for each in found.reasons if why else ():
        show(each)
    for use in found.terms:
        show(Text(f"term {use.source!r}: {use.used or 'not used'} ({'hard' if use.hard else 'soft'})"))
    if found.unknown_words:
        note(f"unknown words: {' '.join(found.unknown_words)}")
    if found.dropped_words:
        note(f"words without a counterpart: {' '.join(found.dropped_words)}")


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command(epilog="Example: dragoman translate models/de-en < input.de > output.en")(translate)
    app.command(epilog='Example: dragoman explain models/de-en "ein kleines Haus" -o why.html')(explain)
