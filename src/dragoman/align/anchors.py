"""Anchors: links of a sentence pair that are known before anything is learnt.

They come from a list of terms, from mined expressions (`dragoman.align.mwe`), from rules, or from a person who linked
some sentences by hand. An aligner takes them between single tokens (`Anchors`); between expressions of several words
they have a place and a length on both sides (`ExpressionAnchor`), until grouping makes them single
(`dragoman.align.grouping`). (Okita, Maldonado Guerra, Graham and Way 2010; Talbot 2005 for anchors as constraints;
Callison-Burch, Talbot and Osborne 2004 for the mixture of sentences with and without links.)

    >>> source, target = ["explication de vote écrite"], ["written explanation of vote"]
    >>> find_anchors([("explication de vote", "explanation of vote", 1.0)], source, target)
    [ExpressionAnchor(sentence=0, source=0, target=1, source_words=3, target_words=3, confidence=1.0)]
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.align.alignment import Alignment
from dragoman.errors import FormatError, InputError, LengthMismatch
from dragoman.files import read_lines, writing
from dragoman.settings import check_argument

if TYPE_CHECKING:
    from dragoman._native import align as native

__all__ = [
    "Anchors",
    "ExpressionAnchor",
    "find_anchors",
    "mixture_weights",
    "read_anchors",
    "without_conflicts",
    "write_anchors",
]


@dataclass(frozen=True, slots=True)
class ExpressionAnchor:
    """An expression pair at its place in a sentence pair: first positions and numbers of words."""

    sentence: int
    source: int
    target: int
    source_words: int
    target_words: int
    confidence: float = 1.0

    def spans(self) -> tuple[range, range]:
        """The positions of its words on both sides."""
        return range(self.source, self.source + self.source_words), range(self.target, self.target + self.target_words)


@dataclass(frozen=True, slots=True)
class Anchors:
    """Known links for an aligner: for each sentence pair (source, target, confidence)."""

    links: tuple[tuple[tuple[int, int, float], ...], ...]
    whole: frozenset[int] = frozenset()
    """Sentence pairs whose anchors are all their links: their other words are linked to nothing."""

    @classmethod
    def of(
        cls, pairs: int, anchors: Iterable[ExpressionAnchor] = (), *, hand: Mapping[int, Alignment] | None = None
    ) -> Anchors:
        """Anchors between single tokens, as grouping leaves them, for this number of sentence pairs.

        A word with two partners has none: both are left out. `hand` gives all the links of some sentence pairs, made by
        hand; there a word may have several partners, and whoever aligns may choose among them.
        """
        rows: list[dict[tuple[int, int], float]] = [{} for _ in range(pairs)]
        for anchor in anchors:
            if anchor.source_words != 1 or anchor.target_words != 1:
                raise InputError("an anchor of several words", remedy="group the text first (dragoman.align.grouping)")
            rows[anchor.sentence][anchor.source, anchor.target] = anchor.confidence
        kept = []
        for k, row in enumerate(rows):
            if hand is not None and k in hand:
                kept.append(tuple((i, j, 1.0) for i, j in hand[k]))
                continue
            sources, targets = Counter(i for i, _ in row), Counter(j for _, j in row)
            kept.append(tuple((i, j, c) for (i, j), c in sorted(row.items()) if sources[i] == targets[j] == 1))
        return cls(tuple(kept), frozenset(hand or ()))

    def to_native(self, pairs: int) -> native.Anchors:
        """For the aligner."""
        import numpy as np

        from dragoman._native import align as native

        if len(self.links) != pairs:
            raise LengthMismatch(f"anchors of {len(self.links)} sentence pairs for {pairs} pairs")
        flat = [(i, j) for row in self.links for i, j, _ in row]
        confidence = [c for row in self.links for _, _, c in row]
        ends = np.cumsum([len(row) for row in self.links], dtype=np.int64)
        whole = [k in self.whole for k in range(pairs)] if self.whole else []
        return native.Anchors(
            np.array(flat, np.int32).reshape(-1, 2), np.array(confidence, np.float32), ends.reshape(-1), whole
        )


def mixture_weights(pairs: int, known: Collection[int], *, share: float) -> list[float]:
    """Weights of sentence pairs when some were linked by hand: these count `share`, the others what is left of 1.

    With a share of 0.5 all count alike; 0.9 lets one pair that a person linked weigh as much as nine that nobody did.
    """
    check_argument("share", share, float, above=0, below=1)
    return [share / (1 - share) if k in known else 1.0 for k in range(pairs)]


def find_anchors(
    expressions: Iterable[tuple[str, str, float]], source: Sequence[str], target: Sequence[str]
) -> list[ExpressionAnchor]:
    """Where expression pairs (source words, target words, confidence) occur.

    Where both sides occur equally often in a sentence pair, the k-th belongs to the k-th; otherwise nobody can tell and
    there is no anchor. Of anchors that overlap the longest is kept.
    """
    if len(source) != len(target):
        raise LengthMismatch(f"{len(source)} source sentences, {len(target)} target sentences")
    index: dict[str, list[tuple[list[str], list[str], float]]] = defaultdict(list)
    for one, other, confidence in expressions:
        words, others = one.split(), other.split()
        if words and others:
            index[words[0]].append((words, others, confidence))
    anchors = []
    for k, (one, other) in enumerate(zip(source, target, strict=True)):
        sides = one.split(), other.split()
        matches = []
        for word in set(sides[0]):
            for words, others, confidence in index.get(word, ()):
                first, second = _places(words, sides[0]), _places(others, sides[1])
                if first and len(first) == len(second):
                    matches += [
                        ExpressionAnchor(k, i, j, len(words), len(others), confidence)
                        for i, j in zip(first, second, strict=True)
                    ]
        anchors += _longest(matches)[0]
    return anchors


def without_conflicts(
    anchors: Iterable[ExpressionAnchor],
) -> tuple[list[ExpressionAnchor], list[ExpressionAnchor]]:
    """Anchors that can all hold, and those left out.

    An expression with two partners has none, because nobody knows which is right; of anchors that overlap otherwise the
    longest stays.
    """
    by_sentence: dict[int, list[ExpressionAnchor]] = defaultdict(list)
    for anchor in dict.fromkeys(anchors):
        by_sentence[anchor.sentence].append(anchor)
    kept: list[ExpressionAnchor] = []
    dropped: list[ExpressionAnchor] = []
    for k in sorted(by_sentence):
        here = by_sentence[k]
        partners = [Counter(anchor.spans()[side] for anchor in here) for side in (0, 1)]
        sole = [anchor for anchor in here if all(partners[side][anchor.spans()[side]] == 1 for side in (0, 1))]
        dropped += [anchor for anchor in here if anchor not in sole]
        longest, others = _longest(sole)
        kept += longest
        dropped += others
    return kept, dropped


def write_anchors(
    path: Path | str, anchors: Iterable[ExpressionAnchor], source: Sequence[str], target: Sequence[str]
) -> None:
    """One anchor a line: sentence, source words, target words, first positions, all from 1; confidence if below 1."""
    with writing(path) as file:
        for anchor in anchors:
            sides = source[anchor.sentence].split(), target[anchor.sentence].split()
            words = [" ".join(side[span.start : span.stop]) for side, span in zip(sides, anchor.spans(), strict=True)]
            fields: list[object] = [anchor.sentence + 1, *words, anchor.source + 1, anchor.target + 1]
            if anchor.confidence != 1:
                fields.append(f"{anchor.confidence:.4g}")
            file.write("|||".join(map(str, fields)) + "\n")


def read_anchors(path: Path | str, source: Sequence[str], target: Sequence[str]) -> list[ExpressionAnchor]:
    """Read anchors and check that the words are where they say; numbers from 1, or all from 0."""
    rows = []
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split("|||")
        where = f"{path}, line {number}"
        if len(fields) not in (5, 6):
            raise FormatError(
                f"{len(fields)} fields where 5 are needed",
                where=where,
                remedy="n|||source|||target|||i|||j",
            )
        try:
            sentence, i, j = int(fields[0]), int(fields[3]), int(fields[4])
            confidence = float(fields[5]) if len(fields) == 6 else 1.0
        except ValueError:
            raise FormatError("sentence, positions and confidence must be numbers", where=where) from None
        if not 0.5 <= confidence <= 1:
            raise FormatError("a confidence outside 0.5 to 1", where=where)
        rows.append((where, sentence, fields[1].split(), fields[2].split(), i, j, confidence))

    def fits(row: tuple[str, int, list[str], list[str], int, int, float], base: int) -> bool:
        _, sentence, words, others, i, j, _ = row
        k, i, j = sentence - base, i - base, j - base
        return (
            0 <= k < len(source)
            and i >= 0
            and j >= 0
            and bool(words)
            and bool(others)
            and source[k].split()[i : i + len(words)] == words
            and target[k].split()[j : j + len(others)] == others
        )

    for base in (1, 0):
        if all(fits(row, base) for row in rows):
            return [
                ExpressionAnchor(k - base, i - base, j - base, len(words), len(others), confidence)
                for _, k, words, others, i, j, confidence in rows
            ]
    wrong = next(row for row in rows if not fits(row, 1))
    raise FormatError("the words are not at these positions", where=wrong[0], remedy="count sentences and words from 1")


def _longest(matches: Iterable[ExpressionAnchor]) -> tuple[list[ExpressionAnchor], list[ExpressionAnchor]]:
    """Longest first, without overlaps; and the others."""
    kept: list[ExpressionAnchor] = []
    dropped: list[ExpressionAnchor] = []
    used: tuple[set[int], set[int]] = (set(), set())
    for match in sorted(matches, key=lambda m: (-(m.source_words + m.target_words), m.source, m.target)):
        spans = match.spans()
        if used[0].isdisjoint(spans[0]) and used[1].isdisjoint(spans[1]):
            used[0].update(spans[0])
            used[1].update(spans[1])
            kept.append(match)
        else:
            dropped.append(match)
    return kept, dropped


def _places(words: list[str], tokens: list[str]) -> list[int]:
    size = len(words)
    return [start for start in range(len(tokens) - size + 1) if tokens[start : start + size] == words]
