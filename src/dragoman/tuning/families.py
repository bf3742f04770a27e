"""Families of features: what belongs together by name, how strongly each is regularised, what tuning chose of it.

The family of a sparse feature is its template, what stands before the colon; all others are `dense`. Strengths go by
the longest beginning of a name that is listed, so that `orient` may have another one than `orient:next` (Green, Cer
et al. 2013). A beginning without a colon stands for whole names: `orient` is not the beginning of `orient_class:`.

    >>> strength = Strengths(0.1, {"dense": 0.0, "orient": 10.0, "orient:next": 1.0})
    >>> [strength(name) for name in ("lm", "orient_class:4", "orient:previous.swap:a>b", "orient:next.swap:a>b")]
    [0.0, 0.1, 10.0, 1.0]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "DENSE",
    "Overlap",
    "Selection",
    "Strengths",
    "begins",
    "count_families",
    "family",
    "is_fixed",
    "overlap",
    "overlaps",
]

DENSE = "dense"


def family(name: str) -> str:
    """The template of a sparse feature, `dense` for all others."""
    template, colon, _ = name.partition(":")
    return template if colon else DENSE


def is_fixed(name: str, fixed: Collection[str]) -> bool:
    """Whether a feature, or the whole family that it is of, is to keep its weight."""
    return name in fixed or family(name) in fixed


@dataclass(frozen=True, slots=True)
class Strengths:
    """A strength for each feature name: that of the longest listed beginning, of `dense`, or the general one."""

    general: float
    by_prefix: Mapping[str, float] = field(default_factory=dict)

    def __call__(self, name: str) -> float:
        found = max((prefix for prefix in self.by_prefix if begins(name, prefix)), key=len, default=None)
        if ":" not in name and found is None:
            found = DENSE
        return self.by_prefix.get(found, self.general) if found is not None else self.general

    def unused(self, names: Iterable[str]) -> list[str]:
        """Listed beginnings that no name has."""
        waiting = {prefix for prefix in self.by_prefix if prefix != DENSE}
        for name in names:
            if not waiting:
                break
            waiting -= {prefix for prefix in waiting if begins(name, prefix)}
        return sorted(waiting)


def begins(name: str, prefix: str) -> bool:
    """Whether a name begins with a prefix; one without a colon must end where a part of the name ends."""
    return name.startswith(prefix) and (":" in prefix or name == prefix or name[len(prefix)] in ":.")


@dataclass(frozen=True, slots=True)
class Selection:
    """What is left of each family after tuning, and the largest weights."""

    kept: Mapping[str, int]
    """Features that are not 0, by family."""
    top: Mapping[str, tuple[tuple[str, float], ...]] = field(repr=False)

    @staticmethod
    def of(weights: Mapping[str, float], *, top: int = 10) -> Selection:
        """Count and sort weights."""
        names: dict[str, list[str]] = {}
        for name, value in weights.items():
            if value:
                names.setdefault(family(name), []).append(name)
        largest = {
            kind: tuple(
                (name, weights[name]) for name in sorted(members, key=lambda name: (-abs(weights[name]), name))[:top]
            )
            for kind, members in sorted(names.items())
        }
        return Selection({kind: len(members) for kind, members in sorted(names.items())}, largest)

    @property
    def size(self) -> int:
        """All features that are not 0."""
        return sum(self.kept.values())

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "kept": dict(self.kept),
            "top": {kind: [list(pair) for pair in rows] for kind, rows in self.top.items()},
        }

    def __rich__(self) -> Table:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False)
        for name in ("template", "kept", "largest weights"):
            table.add_column(name, justify="right" if name == "kept" else "left")
        for kind, count in self.kept.items():
            shown = ", ".join(f"{name} {value:+.3f}" for name, value in self.top[kind][:3])
            table.add_row(Text(kind), f"{count:,}", Text(shown))
        return table


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many sparse features two models have, and how many they share."""

    first: int
    second: int
    both: int


def overlap(first: Mapping[str, float], second: Mapping[str, float], *, kind: str | None = None) -> Overlap:
    """Compare what two models chose; `kind` looks at one family only."""

    def chosen(weights: Mapping[str, float]) -> set[str]:
        return {name for name, value in weights.items() if value and (family(name) == kind if kind else ":" in name)}

    left, right = chosen(first), chosen(second)
    return Overlap(len(left), len(right), len(left & right))


def overlaps(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, Overlap]:
    """The overlap of each template that one of two models has, and of all of them together."""
    kinds = {family(name) for weights in (first, second) for name, value in weights.items() if value} - {DENSE}
    return {kind: overlap(first, second, kind=kind) for kind in sorted(kinds)} | {"all": overlap(first, second)}


def count_families(names: Iterable[str]) -> dict[str, int]:
    """How many names each family has."""
    return dict(sorted(Counter(map(family, names)).items()))
