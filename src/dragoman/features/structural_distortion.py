"""Structural distortion: how wide the gaps of a hierarchical rule are, and whether the rule moves what fills them.

A hierarchical rule moves whatever fills its gaps, and does not know how long that will be; but short things are moved
often and long ones rarely. A gap is reordered if another gap of the rule, or a linked pair of its words, stands before
it on one side and behind it on the other. The fine form has a feature for each of two orders and eleven sizes, the
coarse one the log probability that a gap of its size is, or is not, reordered, as counted in word-aligned text. Chiang,
Marton and Resnik (2008) name both without defining them: this is a reconstruction that fits their numbers of features.

    >>> orders = GapOrders.of(["0-1 1-0", "0-0 1-1"])
    >>> orders.straight[0], orders.reordered[0]
    (2, 2)
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import ClassVar

from dragoman._native import features as native
from dragoman.errors import FormatError
from dragoman.features.template import Template, TemplateBuilder
from dragoman.files import read_lines, writing
from dragoman.settings import setting

__all__ = ["GapOrders", "StructuralDistortion", "StructuralProbability"]

SIZES = (*map(str, range(1, 11)), "more")
"""Gaps by their number of words."""
_ORDERS = ("straight", "reordered")
_PAIRS, _LONGEST = 10_000, 10


@dataclass(frozen=True, slots=True)
class GapOrders:
    """How many gaps of each size stay in order in word-aligned text, and how many are reordered."""

    straight: tuple[int, ...]
    reordered: tuple[int, ...]

    @staticmethod
    def of(links: Iterable[str], *, pairs: int = _PAIRS, longest: int = _LONGEST) -> GapOrders:
        """Counts over the first pairs of a text: each phrase within another one of up to `longest` words is a gap."""
        straight, reordered = native.count_gaps(list(islice(links, pairs)), longest)
        return GapOrders(tuple(straight), tuple(reordered))

    def log_probability(self, order: str, size: int) -> float:
        """Of a gap whose size has this number in `SIZES`; one that was never seen is as probable as not."""
        counts = [self.straight[size], self.reordered[size]]
        return math.log((counts[_ORDERS.index(order)] + 0.5) / (sum(counts) + 1))

    def write(self, path: Path) -> None:
        """A line for each size, with tabs between size and counts."""
        with writing(path) as file:
            for row in zip(SIZES, self.straight, self.reordered, strict=True):
                file.write("\t".join(map(str, row)) + "\n")

    @staticmethod
    def read(path: Path | str) -> GapOrders:
        """Read the file again."""
        rows = [line.split("\t") for line in read_lines(path)]
        for number, (row, size) in enumerate(zip(rows, SIZES, strict=False), start=1):
            if len(row) != 3 or row[0] != size or not (row[1].isdecimal() and row[2].isdecimal()):
                raise FormatError(
                    f"{' '.join(row)!r} where {size} and two counts were expected", where=f"{path}:{number}"
                )
        if len(rows) != len(SIZES):
            raise FormatError(f"{len(rows)} lines for {len(SIZES)} sizes of gaps", where=str(path))
        return GapOrders(*(tuple(int(row[column]) for row in rows) for column in (1, 2)))


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuralDistortion(Template):
    """The size of each gap of a rule, and whether the rule reorders it."""

    name: ClassVar[str] = "structure"
    fires: ClassVar[str] = "`structure:reordered.3`, `structure:straight.more` for each gap, by its words"
    needs_sentence: ClassVar[bool] = True
    needs_gaps: ClassVar[bool] = True
    single: ClassVar[bool] = True

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.native.add_structure([[(f"{self.prefix}:{order}.{size}", 1.0) for size in SIZES] for order in _ORDERS])


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuralProbability(Template):
    """How probable it is that gaps of these sizes are reordered, or are not."""

    gap_orders: GapOrders | Path | str = setting(
        help="Counts of gaps by size and order.", parse=Path, wanted="counts, or the file of them"
    )
    name: ClassVar[str] = "structure_probability"
    fires: ClassVar[str] = "`structure_probability:log`, the sum over gaps of log p(reordered or not, given the size)"
    needs_sentence: ClassVar[bool] = True
    needs_gaps: ClassVar[bool] = True
    single: ClassVar[bool] = True

    def add_to(self, builder: TemplateBuilder) -> None:
        known = self.gap_orders if isinstance(self.gap_orders, GapOrders) else GapOrders.read(self.gap_orders)
        feature = f"{self.prefix}:log"
        builder.native.add_structure(
            [[(feature, known.log_probability(order, size)) for size in range(len(SIZES))] for order in _ORDERS]
        )
