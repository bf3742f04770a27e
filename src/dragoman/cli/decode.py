"""`dragoman decode` and `dragoman export-moses`: models as parts, ours and those of Moses."""

from __future__ import annotations

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.output import (
    Json,
    Nbest,
    NoVerify,
    Threads,
    TrustFeatures,
    bar,
    note,
    show,
    show_json,
    show_json_lines,
)
from dragoman.cli.search_options import search_options
from dragoman.cli.translate import (
    ModelPath,
    TextDomains,
    stream,
    texts_with_domains,
)

if TYPE_CHECKING:
    from dragoman.search.base import Decoder
    from dragoman.search.translation import SentenceTranslation


@search_options
def decode(
    file: Annotated[Path, typer.Argument(help="Tokenised text, one sentence a line; '-' is standard input.")] = Path(
        "-"
    ),
    ini: Annotated[Path | None, typer.Option("--ini", help="A moses.ini: decode a Moses model as it is.")] = None,
    table: Annotated[Path | None, typer.Option(help="A table of ours, or a Moses phrase table.")] = None,
    lm: Annotated[list[str] | None, typer.Option(help="Ours or ARPA; repeat as NAME=FILE for several.")] = None,
    reordering_table: Annotated[Path | None, typer.Option(help="Beside a Moses phrase table.")] = None,
    reordering_model: Annotated[str, typer.Option(help="What it holds.")] = "msd-bidirectional-fe",
    weights: Annotated[Path | None, typer.Option(help="`name value` lines, .toml, or a moses.ini.")] = None,
    templates: Annotated[
        list[str] | None,
        typer.Option(help="A sparse template with its files: rule, boundary:target_classes=FILE; repeat."),
    ] = None,
    domain: TextDomains = None,
    forced: Annotated[
        list[Path] | None,
        typer.Option(help="A translation per line: derive it, or say that it cannot be; repeat for more references."),
    ] = None,
    nbest: Nbest = 0,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each translation came about.")] = False,
    segments: Annotated[bool, typer.Option("--segments", help="Segmentation and alignment in n-best lists.")] = False,
    cache: Annotated[Path | None, typer.Option(help="Keep what text files were turned into in this folder.")] = None,
    no_verify: NoVerify = False,
    threads: Threads = 0,
    as_json: Json = False,
    *,
    changes: dict[str, Any],
) -> None:
    """Decode tokenised text with a model given by its parts, or with a Moses model."""

    from dragoman.cache import StageCache
    from dragoman.errors import SettingError
    from dragoman.pipeline.parts import (
        decoder_from_moses,
        decoder_from_parts,
        open_language_model,
        open_table,
        read_weights,
        reweighted,
    )
    from dragoman.search.candidate import Candidate
    from dragoman.search.nbest import moses_nbest

    if (ini is None) == (table is None):
        raise SettingError("either a moses.ini or parts", remedy="give --ini, or --table and --lm")
    if ini is not None and templates:
        raise SettingError("templates for a Moses model", remedy="give its parts: --table and --lm")
    if table is not None and not lm:
        raise SettingError("no language model", remedy="give --lm FILE")
    with ExitStack() as stack:
        folder = cache or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dragoman-decode-")))
        kept = StageCache(folder)
        with bar("reading") as progress:
            if ini is not None:
                decoder = decoder_from_moses(ini, cache=kept, progress=progress)
            else:
                assert table is not None
                opened = open_table(
                    table, cache=kept, reordering=reordering_table, reordering_model=reordering_model, progress=progress
                )
                models = [(name, open_language_model(Path(path), cache=kept)) for name, path in map(_named, lm or [])]
                decoder = decoder_from_parts(opened, models, features=templates or ())
        if weights is not None:
            decoder = reweighted(decoder, read_weights(weights, columns=decoder.rule_columns))
        if changes:
            decoder = decoder.with_settings(**changes)
        if forced:
            _force(decoder, file, forced, threads, as_json)
            return
        names = decoder.feature_names

        def write(found: SentenceTranslation, number: int) -> None:
            if as_json:
                plain = {"id": number, **found.to_dict()}
                if nbest:
                    plain["nbest"] = [Candidate.of(each).to_dict() for each in found.nbest(nbest)]
                show_json_lines([plain])
            elif nbest:
                lines = moses_nbest(found, number, nbest, names=names, segments=segments, alignment=segments)
                sys.stdout.writelines(f"{line}\n" for line in lines)
            else:
                sys.stdout.write(found.text + "\n")

        stream(
            texts_with_domains(file, domain or []),
            lambda batch: decoder.translate(batch, threads=threads, forests=nbest > 0),
            write,
            explain=explain and not as_json,
        )


def _force(decoder: Decoder, file: Path, references: list[Path], threads: int, as_json: bool) -> None:
    """Derive given translations, and print the derivations."""

    from dragoman.cli.output import note
    from dragoman.errors import LengthMismatch
    from dragoman.files import read_lines
    from dragoman.search.synchronous_tree import tree_lines

    lines = list(read_lines(file))
    texts = [list(read_lines(each)) for each in references]
    for path, found in zip(references, texts, strict=True):
        if len(found) != len(lines):
            raise LengthMismatch(
                f"{len(found)} lines of references for {len(lines)} of source",
                where=str(path),
                remedy="align the files",
            )
    reached = 0
    given = [list(each) for each in zip(*texts, strict=True)]
    for number, derived in enumerate(decoder.force(lines, given, threads=threads)):
        reached += derived is not None
        why = decoder.diagnose(lines[number], given[number]) if derived is None else None
        if as_json:
            plain = {"id": number, "status": "unreachable" if derived is None else "reached"}
            plain |= {} if why is None else {"reason": why.reason, "remedy": why.remedy}
            show_json_lines([plain | (derived.to_dict() if derived else {})])
        elif derived is None:
            sys.stdout.write(f"{number}\tunreachable\t{why}\n")
        else:
            sys.stdout.write(f"{number}\treached\t{derived.score:.6f}\t{derived.text}\n")
            sys.stdout.writelines(f"  {line}\n" for line in tree_lines(derived))
    note(f"{reached} of {len(lines)} reached")


def _named(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    return (name, path) if equals else ("lm", text)


def export_moses(
    model: ModelPath,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write.")],
    trust_features: TrustFeatures = False,
    as_json: Json = False,
) -> None:
    """Write a model in the formats of Moses: phrase-table.gz, reordering-table.gz, ARPA and moses.ini."""
    from dragoman.pipeline.model import Model

    with bar("writing") as progress:
        opened = Model.open(model, trust_features=trust_features)
        written = opened.export_moses(output, progress=progress)
    worth = opened.worth_unknown_to_moses if written.left_out else None
    if as_json:
        files = {path.name: path.stat().st_size for path in written.files}
        bleu = {"with": worth[0], "without": worth[1]} if worth else None
        show_json({"files": files, "left_out": list(written.left_out), "dev_bleu": bleu})
        return
    for path in written.files:
        show(f"{path} ({path.stat().st_size} bytes)")
    if written.left_out:
        known = f"; BLEU of the dev set with them {worth[0]:.2f}, without {worth[1]:.2f}" if worth else ""
        note(f"left out, as Moses has no such features: {', '.join(written.left_out)}{known}")


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command(epilog="Example: dragoman decode --ini moses.ini < input.de > output.en")(decode)
    app.command("export-moses", epilog="Example: dragoman export-moses models/de-en -o moses-de-en")(export_moses)
