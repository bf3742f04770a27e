"""Options that say more of a text than its words: which lines are of which domain, and how sentences are annotated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dragoman.annotations.annotator import Annotator
    from dragoman.text.source_text import SourceText

__all__ = [
    "Annotate",
    "Annotations",
    "DomainLines",
    "Patterns",
    "Terms",
    "annotated",
    "annotator",
    "parse_domains",
    "read_list",
    "split_domains",
]

Terms = Annotated[Path | None, typer.Option("--terms", help="Words and phrases that are not translated, one a line.")]
Patterns = Annotated[
    Path | None, typer.Option("--patterns", help="Regular expressions of what is not translated, one a line.")
]

Annotations = Annotated[
    Path | None,
    typer.Option(
        "--annotations",
        help="Annotation of the source text, tokenised as the model does it: CoNLL-U, Penn brackets (.mrg), .jsonl.",
    ),
]
Annotate = Annotated[
    str,
    typer.Option(
        "--annotate",
        help="Annotate source tokens by model folders and annotators joined by +; see `dragoman annotate train`.",
    ),
]
DomainLines = Annotated[
    list[str] | None, typer.Option("--domain", help="NAME=FIRST-LAST or NAME=FILE: lines (from 1) of a domain; repeat.")
]


def read_list(path: Path | None) -> list[str] | None:
    """The lines of a file that are not blank, if there is a file."""
    from dragoman.files import read_lines

    return None if path is None else [line.strip() for line in read_lines(path) if line.strip()]


def annotated(texts: Iterator[SourceText], annotations: Path | None) -> Iterator[SourceText]:
    """Texts with what the file says of them, if there is one."""
    if annotations is None:
        return texts
    from dragoman.annotations.corpus import read_annotations
    from dragoman.text.source_text import with_annotations

    return with_annotations(texts, read_annotations(annotations), name=str(annotations))


def annotator(chain: str) -> Annotator | None:
    """What annotates tokens, if somebody named it."""
    if not chain:
        return None
    from dragoman.annotations import annotator_chain

    return annotator_chain.load(chain)


def parse_domains(texts: list[str]) -> dict[str, Sequence[int]]:
    """Lines (from 0) by domain name; a file has a number, counted from 1, at the start of each line."""
    from dragoman.errors import SettingError
    from dragoman.text.selection import read_line_numbers

    domains: dict[str, Sequence[int]] = {}
    for text in texts:
        name, equals, lines = text.partition("=")
        if not equals or not name or not lines or name.split() != [name]:
            raise SettingError(f"{text!r} is no domain", remedy="write it like news=1-5000 or web=FILE")
        found = re.fullmatch(r"(\d+)-(\d+)", lines)
        if found and not 1 <= int(found[1]) <= int(found[2]):
            raise SettingError(f"{text!r} is no domain", remedy="lines count from 1, the last is included")
        domains[name] = range(int(found[1]) - 1, int(found[2])) if found else read_line_numbers(lines)
    return domains


def split_domains(texts: list[str]) -> tuple[str, dict[str, Sequence[int]]]:
    """The domain of a text as a whole, if one is named without lines, and the lines of others."""
    from dragoman.errors import SettingError

    whole = [text for text in texts if "=" not in text]
    if len(whole) > 1:
        raise SettingError(f"the text is {' and '.join(whole)}", remedy="say which lines are: NAME=FIRST-LAST")
    return "".join(whole), parse_domains([text for text in texts if "=" in text])
