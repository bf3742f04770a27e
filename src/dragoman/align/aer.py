"""Alignment error rate, precision, recall and F against gold links.

Annotators mark links as sure or as possible. A system's links A are judged with leniency: precision counts links that
are at least possible, recall counts the sure links that were found, and the error rate combines the two,
1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|), where P includes S. (Och and Ney 2003.) Where gold has no possible links, the
error rate is 1 - F1. All numbers are sums over the corpus, kept per sentence so that they can be resampled.

    >>> gold = GoldAlignment(Alignment.parse("0-0 1-1"), Alignment.parse("2-1"))
    >>> score = alignment_scores([Alignment.parse("0-0 2-1")], [gold])
    >>> round(score.aer, 3), score.precision, score.recall
    (0.25, 1.0, 0.5)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dragoman.align.alignment import Alignment
from dragoman.errors import LengthMismatch

__all__ = ["AlignmentScores", "GoldAlignment", "alignment_scores"]


@dataclass(frozen=True, slots=True)
class GoldAlignment:
    """Sure links, and possible ones; the possible ones include the sure."""

    sure: Alignment
    possible: Alignment = field(default_factory=Alignment)

    def __post_init__(self) -> None:
        object.__setattr__(self, "possible", self.possible | self.sure)


@dataclass(frozen=True, slots=True)
class AlignmentScores:
    """Counts over a corpus, and what follows from them."""

    links: int
    sure: int
    sure_found: int
    possible_found: int
    per_sentence: tuple[tuple[int, int, int, int], ...] = field(repr=False, default=())
    """Links, sure links, sure links found, and links that are possible, of each sentence pair."""

    @property
    def precision(self) -> float:
        """Share of the links that are at least possible; 1 if there are none."""
        return self.possible_found / self.links if self.links else 1.0

    @property
    def recall(self) -> float:
        """Share of the sure links that were found; 1 if there are none."""
        return self.sure_found / self.sure if self.sure else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def aer(self) -> float:
        """Alignment error rate; 0 if neither side has links."""
        total = self.links + self.sure
        return 1 - (self.sure_found + self.possible_found) / total if total else 0.0

    def to_dict(self) -> dict[str, float]:
        """The figures by name."""
        return {
            "aer": self.aer,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "links": self.links,
            "sure": self.sure,
            "sentences": len(self.per_sentence),
        }


def alignment_scores(alignments: Sequence[Alignment], gold: Sequence[GoldAlignment]) -> AlignmentScores:
    """Compare the links of each sentence pair with its gold links."""
    if len(alignments) != len(gold):
        raise LengthMismatch(
            f"{len(alignments)} alignments, {len(gold)} gold alignments",
            remedy="score the sentences that have gold links, in their order",
        )
    rows = []
    for alignment, truth in zip(alignments, gold, strict=True):
        links = set(alignment.links)
        sure, possible = set(truth.sure.links), set(truth.possible.links)
        rows.append((len(links), len(sure), len(links & sure), len(links & possible)))
    sums = [sum(row[at] for row in rows) for at in range(4)]
    return AlignmentScores(sums[0], sums[1], sums[2], sums[3], tuple(rows))
