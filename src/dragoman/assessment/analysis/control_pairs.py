"""Control pairs: what each assessor said of an item and of its hidden repeat, damaged copy or reference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from dragoman.assessment.ratings import Rating

__all__ = ["AssessorKey", "Controls", "collect_controls"]

AssessorKey = tuple[str, str, str]
"""An assessor, a protocol and a language pair."""


@dataclass(slots=True)
class Controls:
    """The control pairs of one assessor: (initial, repeat), (original, damaged), (output, reference), (given, gold)."""

    repeats: list[tuple[float, float]] = field(default_factory=list)
    degraded: list[tuple[float, float]] = field(default_factory=list)
    references: list[tuple[float, float]] = field(default_factory=list)
    gold: list[tuple[float, float]] = field(default_factory=list)
    incomplete: int = 0

    @property
    def d1(self) -> list[float]:
        """Absolute differences between an item and its repeat."""
        return [abs(a - b) for a, b in self.repeats]

    @property
    def d2(self) -> list[float]:
        """Signed differences between an item and its damaged copy: a random clicker's are about 0."""
        return [a - b for a, b in self.degraded]


def collect_controls(ratings: Sequence[Rating]) -> dict[AssessorKey, Controls]:
    """The control pairs of every assessor, attribute and language pair; incomplete pairs are only counted."""
    scores = {(one.assessor_key, one.task, one.item): one.score for one in ratings if one.kind == "system"}
    found: dict[AssessorKey, Controls] = defaultdict(Controls)
    for one in ratings:
        controls = found[one.assessor_key]
        if one.kind == "gold" and one.expected is not None:
            controls.gold.append((one.score, one.expected))
        if one.kind not in ("repeat", "degraded", "reference"):
            continue
        partner = scores.get((one.assessor_key, one.task, one.partner))
        if partner is None:
            controls.incomplete += 1
        else:
            kinds = {"repeat": controls.repeats, "degraded": controls.degraded, "reference": controls.references}
            kinds[one.kind].append((partner, one.score))
    return dict(found)
