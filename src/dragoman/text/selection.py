"""Data selection: the lines of a large corpus that are most like a small text of the domain wanted.

Feature decay (Biçici and Yuret 2011) picks line after line for the n-grams that it shares with the text of the domain.
An n-gram is worth ln(tokens of the corpus / its count there) at first and divided by one more each time it is picked; a
line is worth the sum over its n-grams, repeats included, by its tokens. So rare n-grams of the domain come early, and
each of them comes before any comes often. Lines are compared as if all were scored anew after each pick; of equal ones
the first is taken. (For translation: Green, Cer et al. 2013; Green, Cer and Manning 2014.)

    >>> chosen = select_lines(["a b", "b c", "a b c"], ["a b"], size=2, order=2)
    >>> chosen.lines, [round(score, 4) for score in chosen.scores]
    ((0, 2), [1.6764, 0.5588])
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman._native import text as native
from dragoman.errors import FormatError, InputError, SettingError
from dragoman.files import display_name, read_lines, writing
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import check_argument

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["Coverage", "LineSelection", "check_selection", "parse_size", "read_line_numbers", "select_lines"]

_LINES_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many different n-grams of one length the domain has, of these the corpus, and of these the lines chosen."""

    length: int
    wanted: int
    present: int
    chosen: int


@dataclass(frozen=True, slots=True)
class LineSelection:
    """The chosen lines of a corpus, best first."""

    lines: tuple[int, ...]
    """Numbers from 0, as `domains` of extraction and `Stream.at` take them."""
    scores: tuple[float, ...]
    corpus: int
    """Lines that could be chosen."""
    domain: int
    """Lines of the domain."""
    coverage: tuple[Coverage, ...] = ()

    @property
    def unrelated(self) -> int:
        """Lines among those chosen that share nothing with the domain, taken because nothing else was left."""
        return sum(not score for score in self.scores) if self.coverage else 0

    def write_lines(self, path: Path | str) -> None:
        """Write a line for each: its number, counted from 1, and its score."""
        with writing(path) as file:
            file.writelines(f"{line + 1}\t{score:.6g}\n" for line, score in zip(self.lines, self.scores, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """For JSON; the lines are not in it."""
        return {
            "corpus": self.corpus,
            "domain": self.domain,
            "chosen": len(self.lines),
            "unrelated": self.unrelated,
            "coverage": [
                {"length": one.length, "wanted": one.wanted, "present": one.present, "chosen": one.chosen}
                for one in self.coverage
            ],
        }

    def __rich__(self) -> Table:
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        table.add_column("n-grams", no_wrap=True)
        for name in ("domain", "corpus", "chosen", "%"):
            table.add_column(name, justify="right", no_wrap=True)
        for one in self.coverage:
            share = f"{100 * one.chosen / one.present:.1f}" if one.present else ""
            table.add_row(f"of {one.length}", f"{one.wanted:,}", f"{one.present:,}", f"{one.chosen:,}", share)
        return table


def select_lines(
    corpus: Iterable[str],
    domain: Iterable[str],
    *,
    size: int,
    order: int = 5,
    decay: float = 1.0,
    length_power: float = 1.0,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> LineSelection:
    """Choose lines for n-grams that they share with the domain, each worth less once chosen (Biçici and Yuret 2011).

    `size` lines of a tokenised corpus are chosen, all if it has no more. `domain` is text like the one to be
    translated, tokenised in the same way; its n-grams of up to `order` words count. `decay` is the power of the divisor
    that grows with each pick: 0 ranks lines without regard to each other. `length_power` is that of the tokens by which
    a line's worth is divided: 0 favours long lines.
    """
    lines = list(domain)
    check_selection(lines, size)
    picker = native.FeatureDecay(lines, order=order, decay=decay, length_power=length_power)
    stream = iter(corpus)
    while batch := list(islice(stream, _LINES_AT_ONCE)):
        picker.add(batch, threads=threads)
        if progress is not None:
            progress(Progress("reading", picker.lines))
    if not picker.lines:
        raise InputError("nothing to choose from: the corpus has no lines")
    size = min(size, picker.lines)
    numbers: list[int] = []
    scores: list[float] = []
    while len(numbers) < size:  # in portions, so that it can be watched and stopped
        some = picker.take(min(_LINES_AT_ONCE, size - len(numbers)))
        numbers += some[0].tolist()
        scores += some[1].tolist()
        if progress is not None:
            progress(Progress("choosing", len(numbers), size))
    coverage = tuple(Coverage(length, *row) for length, row in enumerate(picker.coverage, 1) if row[0])
    return LineSelection(tuple(numbers), tuple(scores), picker.lines, len(lines), coverage)


def check_selection(domain: Iterable[str], size: int) -> None:
    """Refuse a size or a text of the domain that no selector can work with."""
    check_argument("size", size, int, least=1)
    if not any(map(str.strip, domain)):
        raise InputError("the text of the domain is empty", remedy="give some sentences like those to be translated")


def parse_size(text: str, domain: int) -> int:
    """A number of lines, or so many times the lines of the domain.

    >>> parse_size("5000", 100), parse_size("20x", 100)
    (5000, 2000)
    """
    found = re.fullmatch(r"(\d+)|(\d+(?:\.\d+)?)x", text.strip())
    if not found:
        raise SettingError(f"size is {text!r}", remedy="it must be like 5000, or 20x for 20 times the domain")
    return int(found[1]) if found[1] else round(float(found[2]) * domain)


def read_line_numbers(path: Path | str) -> list[int]:
    """Numbers of lines (from 0) out of a file that has one, counted from 1, at the start of each line."""
    found = []
    for number, line in enumerate(read_lines(path), 1):
        cells = line.split(maxsplit=1)
        if not cells:
            continue
        if not cells[0].isdecimal() or int(cells[0]) < 1:
            raise FormatError(
                f"{cells[0]!r} is no line number",
                where=f"{display_name(path)}, line {number}",
                remedy="each line begins with one, counted from 1",
            )
        found.append(int(cells[0]) - 1)
    if not found:
        raise FormatError("no line numbers", where=display_name(path))
    return found
