"""Alignments: which source words were translated by which target words.

A link is a pair of positions, source first, counted from 0; an alignment is the sorted set of links of one sentence
pair. Its text form is the field's Pharaoh form, `0-0 1-2`. Gold alignments also know links that an annotator found
possible but not sure, written `1p2`; aligners that give probabilities write `1-2:0.93`.

    >>> links = Alignment.parse("1-2 0-0")
    >>> links
    Alignment('0-0 1-2')
    >>> (links & Alignment.parse("0-0 1-1")).links
    ((0, 0),)
    >>> links.transposed()
    Alignment('0-0 2-1')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dragoman.align.picture import AlignmentPicture
from dragoman.errors import FormatError, InputError

if TYPE_CHECKING:
    from numpy import int32, int64
    from numpy.typing import NDArray

__all__ = ["MAX_POSITION", "Alignment", "Link", "from_arrays", "to_arrays"]

Link = tuple[int, int]

MAX_POSITION = 65535
"""No sentence has more words than this; a larger number is a mistake in a file."""

_LINK = re.compile(r"(\d{1,5})-(\d{1,5})(?::(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?))?")


@dataclass(frozen=True, slots=True)
class Alignment:
    """The links of one sentence pair: sorted, each once."""

    links: tuple[Link, ...] = ()

    def __post_init__(self) -> None:
        links = tuple(sorted({(int(source), int(target)) for source, target in self.links}))
        if links and (min(min(link) for link in links) < 0 or max(max(link) for link in links) > MAX_POSITION):
            raise InputError(f"a link outside 0 to {MAX_POSITION}")
        object.__setattr__(self, "links", links)

    @classmethod
    def parse(cls, text: str, *, where: str = "") -> Alignment:
        """Read the Pharaoh form; probabilities (`i-j:p`) are checked and dropped."""
        links = []
        for field in text.split():
            match = _LINK.fullmatch(field)
            if match is None or max(int(match[1]), int(match[2])) > MAX_POSITION:
                raise FormatError(f"{field!r} is not a link", where=where, remedy="links are written 0-0 1-2")
            if match[3] is not None and not 0 <= float(match[3]) <= 1:
                raise FormatError(f"{field!r} has a probability outside 0 to 1", where=where)
            links.append((int(match[1]), int(match[2])))
        return cls(tuple(links))

    def __str__(self) -> str:
        return " ".join(f"{source}-{target}" for source, target in self.links)

    def __repr__(self) -> str:
        return f"Alignment({str(self)!r})"

    def _repr_html_(self) -> str:
        """The matrix by positions; `picture` has the words."""
        source, target = (range(1 + max((link[side] for link in self.links), default=-1)) for side in (0, 1))
        return self.picture(list(map(str, source)), list(map(str, target)))._repr_html_()

    def __iter__(self) -> Iterator[Link]:
        return iter(self.links)

    def __len__(self) -> int:
        return len(self.links)

    def __contains__(self, link: object) -> bool:
        return link in self.links

    def __and__(self, other: Alignment) -> Alignment:
        return Alignment(tuple(set(self.links) & set(other.links)))

    def __or__(self, other: Alignment) -> Alignment:
        return Alignment(tuple(set(self.links) | set(other.links)))

    def __sub__(self, other: Alignment) -> Alignment:
        return Alignment(tuple(set(self.links) - set(other.links)))

    def transposed(self) -> Alignment:
        """The same links with source and target exchanged."""
        return Alignment(tuple((target, source) for source, target in self.links))

    def check(self, source: int, target: int, *, where: str = "") -> None:
        """Raise when a link lies outside sentences of these lengths."""
        for link in self.links:
            if link[0] >= source or link[1] >= target:
                raise InputError(
                    f"link {link[0]}-{link[1]} lies outside sentences of {source} and {target} words",
                    where=where,
                    remedy="are text and alignment of the same corpus, source first?",
                )

    def picture(
        self, source: Sequence[str], target: Sequence[str], possible: Alignment | None = None
    ) -> AlignmentPicture:
        """The alignment matrix, which shows itself in terminals and notebooks."""
        for links in filter(None, (self, possible)):
            links.check(len(source), len(target))
        return AlignmentPicture(
            tuple(source), tuple(target), frozenset(self.links), frozenset(possible.links if possible else ())
        )


def to_arrays(alignments: Iterable[Alignment]) -> tuple[NDArray[int32], NDArray[int64]]:
    """All links as rows (source, target), and where each alignment ends in them."""
    import numpy as np

    ends: list[int] = []
    rows: list[Link] = []
    for alignment in alignments:
        rows.extend(alignment.links)
        ends.append(len(rows))
    return np.array(rows, np.int32).reshape(-1, 2), np.array(ends, np.int64)


def from_arrays(links: NDArray[int32], ends: NDArray[int64]) -> list[Alignment]:
    """The inverse of `to_arrays`."""
    rows = [(source, target) for source, target in links.tolist()]
    found, start = [], 0
    for end in ends.tolist():
        # Native code gives sorted links; checking millions of them again would cost more than aligning.
        alignment = object.__new__(Alignment)
        object.__setattr__(alignment, "links", tuple(rows[start:end]))
        found.append(alignment)
        start = end
    return found
