"""Multiword expressions and other known translations, brought into word alignment.

Expressions such as "explication de vote" = "explanation of vote" are mined from the bitext itself (or given by the
user), found in the sentences as *anchors*, glued into single tokens on both sides, and handed to the aligner as a prior
that makes the known pairs align. Links are unglued afterwards. (Okita, Maldonado Guerra, Graham and Way 2010; anchors
as constraints on the expectation step: Talbot 2005; mining after Kupiec 1993.)

    >>> source, target = ["explication de vote écrite"], ["written explanation of vote"]
    >>> found = find_anchors([Expression("explication de vote", "explanation of vote")], source, target)
    >>> found[0]
    ExpressionAnchor(sentence=0, source=0, target=1, source_words=3, target_words=3, confidence=1.0)
    >>> grouped = group(source, target, found)
    >>> grouped.source, grouped.target
    (['explication_de_vote écrite'], ['written explanation_of_vote'])
    >>> len(ungroup([Alignment.parse("0-1 1-0")], grouped)[0])
    10
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.align.alignment import Alignment
from dragoman.errors import FormatError, InputError, LengthMismatch, SettingError
from dragoman.files import read_lines, writing

if TYPE_CHECKING:
    from dragoman._native import align as native

__all__ = [
    "Anchors", "Expression", "ExpressionAnchor", "GroupedBitext", "extract_expressions", "extract_numbered_terms",
    "find_anchors", "group", "read_anchors", "ungroup", "write_anchors",
]  # fmt: skip

JOINER = "_"
"""Between the words of a glued expression; where the text has it already, it is doubled."""

MAX_WORDS = 5
FREQUENT = 100
"""So many most frequent words may not start or end an expression."""


@dataclass(frozen=True, slots=True)
class Expression:
    """Two expressions that translate each other."""

    source: str
    target: str
    count: int = 0
    """Sentence pairs that hold both."""
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class ExpressionAnchor:
    """An expression pair at its place in a sentence pair: first positions and numbers of words."""

    sentence: int
    source: int
    target: int
    source_words: int
    target_words: int
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Anchors:
    """Known links for an aligner: for each sentence pair (source, target, confidence)."""

    links: tuple[tuple[tuple[int, int, float], ...], ...]

    @classmethod
    def of(cls, pairs: int, anchors: Iterable[ExpressionAnchor]) -> Anchors:
        """Anchors between single tokens, as grouping leaves them, for this number of sentence pairs.

        A word with two partners has none: both are left out.
        """
        rows: list[dict[tuple[int, int], float]] = [{} for _ in range(pairs)]
        for anchor in anchors:
            if anchor.source_words != 1 or anchor.target_words != 1:
                raise InputError("an anchor of several words", remedy="group the text first (dragoman.align.mwe.group)")
            rows[anchor.sentence][anchor.source, anchor.target] = anchor.confidence
        kept = []
        for row in rows:
            sources, targets = Counter(i for i, _ in row), Counter(j for _, j in row)
            kept.append(tuple((i, j, c) for (i, j), c in sorted(row.items()) if sources[i] == targets[j] == 1))
        return cls(tuple(kept))

    def to_native(self, pairs: int) -> native.Anchors:
        """For the aligner."""
        import numpy as np

        from dragoman._native import align as native

        if len(self.links) != pairs:
            raise LengthMismatch(f"anchors of {len(self.links)} sentence pairs for {pairs} pairs")
        flat = [(i, j) for row in self.links for i, j, _ in row]
        confidence = [c for row in self.links for _, _, c in row]
        ends = np.cumsum([len(row) for row in self.links], dtype=np.int64)
        return native.Anchors(
            np.array(flat, np.int32).reshape(-1, 2), np.array(confidence, np.float32), ends.reshape(-1)
        )


def extract_expressions(
    source: Sequence[str],
    target: Sequence[str],
    *,
    max_words: int = MAX_WORDS,
    min_count: int = 3,
    min_probability: float = 0.3,
    combine: str = "intersection",
) -> list[Expression]:
    """Mine pairs of expressions from a tokenised bitext.

    Candidates are word sequences that neither start nor end in punctuation or one of the most frequent words; each is
    scored by the share of its sentence pairs that hold the other, in both directions. Pairs found in both directions
    (`intersection`) or in one (`union`) survive; among pairs that share a side the one with the highest log-likelihood
    ratio is kept, ties to the longer. At least one side has two words.
    """
    if len(source) != len(target):
        raise LengthMismatch(f"{len(source)} source sentences, {len(target)} target sentences")
    if combine not in ("intersection", "union"):
        raise SettingError(f"combine is 'intersection' or 'union', not {combine!r}")
    sides = [_candidates(side, max_words, min_count) for side in (source, target)]
    single, both = [Counter[str](), Counter[str]()], Counter[tuple[str, str]]()
    for one, other in zip(*sides, strict=True):
        single[0].update(one)
        single[1].update(other)
        both.update((s, t) for s in one for t in other if " " in s or " " in t)
    pairs = len(source)
    scored = []
    for (s, t), count in both.items():
        shares = (count / single[0][s] >= min_probability, count / single[1][t] >= min_probability)
        if count >= min_count and (all(shares) if combine == "intersection" else any(shares)):
            ratio = _log_likelihood_ratio(count, single[0][s], single[1][t], pairs)
            words = s.count(" ") + t.count(" ")
            scored.append((-ratio, -words, s, t, count))
    scored.sort()
    used: tuple[set[str], set[str]] = (set(), set())
    found = []
    for _, _, s, t, count in scored:
        if s in used[0] or t in used[1]:
            continue
        used[0].add(s)
        used[1].add(t)
        found.append(Expression(s, t, count))
    return found


def extract_numbered_terms(source: Sequence[str], target: Sequence[str]) -> list[ExpressionAnchor]:
    """Anchors between terms with a reference number ("wheel 2"), as patents have them: the same number, once a side.

    The term is the number with the word before it.
    """
    found = []
    for k, (one, other) in enumerate(zip(source, target, strict=True)):
        numbers = []
        for tokens in (one.split(), other.split()):
            places = defaultdict(list)
            for at, token in enumerate(tokens):
                if token.isdigit() and at > 0 and tokens[at - 1].isalpha():
                    places[token].append(at)
            numbers.append({number: at[0] for number, at in places.items() if len(at) == 1})
        found += [
            ExpressionAnchor(k, numbers[0][number] - 1, numbers[1][number] - 1, 2, 2)
            for number in sorted(numbers[0].keys() & numbers[1].keys())
        ]
    return found


def find_anchors(
    expressions: Iterable[Expression], source: Sequence[str], target: Sequence[str]
) -> list[ExpressionAnchor]:
    """Where expression pairs occur: where both sides occur equally often, the k-th with the k-th; longest first."""
    index: dict[str, list[tuple[list[str], list[str], float]]] = defaultdict(list)
    for expression in expressions:
        words, others = expression.source.split(), expression.target.split()
        if words and others:
            index[words[0]].append((words, others, expression.confidence))
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
        matches.sort(key=lambda m: (-(m.source_words + m.target_words), m.source, m.target))
        used: tuple[set[int], set[int]] = (set(), set())
        for match in matches:
            spans = (
                set(range(match.source, match.source + match.source_words)),
                set(range(match.target, match.target + match.target_words)),
            )
            if not (spans[0] & used[0] or spans[1] & used[1]):
                used[0].update(spans[0])
                used[1].update(spans[1])
                anchors.append(match)
    return anchors


@dataclass(frozen=True, slots=True)
class GroupedBitext:
    """A bitext with expressions glued, the anchors between the glued tokens, and the way back."""

    source: list[str]
    target: list[str]
    anchors: tuple[ExpressionAnchor, ...]
    source_parts: tuple[tuple[tuple[int, ...], ...], ...]
    """For each sentence and grouped token, the positions of its words in the original sentence."""
    target_parts: tuple[tuple[tuple[int, ...], ...], ...]

    def known_links(self) -> Anchors:
        """The anchors for an aligner."""
        return Anchors.of(len(self.source), self.anchors)


def group(source: Sequence[str], target: Sequence[str], anchors: Iterable[ExpressionAnchor]) -> GroupedBitext:
    """Glue the words of each anchored expression into one token on both sides."""
    by_sentence: dict[int, list[ExpressionAnchor]] = defaultdict(list)
    for anchor in anchors:
        by_sentence[anchor.sentence].append(anchor)
    lines: tuple[list[str], list[str]] = ([], [])
    parts: tuple[list[tuple[tuple[int, ...], ...]], list[tuple[tuple[int, ...], ...]]] = ([], [])
    moved = []
    for k, sentence in enumerate(zip(source, target, strict=True)):
        here = by_sentence.get(k, [])
        starts: list[dict[int, int]] = []
        for side, line in enumerate(sentence):
            spans = {(a.source, a.source_words) if side == 0 else (a.target, a.target_words) for a in here}
            tokens, positions, where = _glued(line.split(), spans)
            lines[side].append(" ".join(tokens))
            parts[side].append(positions)
            starts.append(where)
        moved += [ExpressionAnchor(k, starts[0][a.source], starts[1][a.target], 1, 1, a.confidence) for a in here]
    return GroupedBitext(lines[0], lines[1], tuple(moved), tuple(parts[0]), tuple(parts[1]))


def ungroup(alignments: Sequence[Alignment], grouped: GroupedBitext) -> list[Alignment]:
    """Links of the original words: a link of glued tokens becomes all links between their words."""
    found = []
    for k, alignment in enumerate(alignments):
        sources, targets = grouped.source_parts[k], grouped.target_parts[k]
        found.append(Alignment(tuple((a, b) for i, j in alignment for a in sources[i] for b in targets[j])))
    return found


def ungroup_text(line: str) -> str:
    """The words of a grouped line."""
    marker = "\0"
    words = [token.replace(JOINER * 2, marker).replace(JOINER, " ").replace(marker, JOINER) for token in line.split()]
    return " ".join(words)


def write_anchors(
    path: Path | str, anchors: Iterable[ExpressionAnchor], source: Sequence[str], target: Sequence[str]
) -> None:
    """One anchor a line: sentence, source words, target words, first positions, all counted from 1."""
    with writing(path) as file:
        for anchor in anchors:
            words = source[anchor.sentence].split()[anchor.source : anchor.source + anchor.source_words]
            others = target[anchor.sentence].split()[anchor.target : anchor.target + anchor.target_words]
            fields = [anchor.sentence + 1, " ".join(words), " ".join(others), anchor.source + 1, anchor.target + 1]
            file.write("|||".join(map(str, fields)) + "\n")


def read_anchors(path: Path | str, source: Sequence[str], target: Sequence[str]) -> list[ExpressionAnchor]:
    """Read anchors and check that the words are where they say; numbers from 1, or all from 0."""
    rows = []
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split("|||")
        where = f"{path}, line {number}"
        if len(fields) != 5:
            raise FormatError(
                f"{len(fields)} fields where 5 are needed", where=where, remedy="n|||source|||target|||i|||j"
            )
        try:
            sentence, i, j = int(fields[0]), int(fields[3]), int(fields[4])
        except ValueError:
            raise FormatError("sentence and positions must be numbers", where=where) from None
        rows.append((where, sentence, fields[1].split(), fields[2].split(), i, j))

    def fits(row: tuple[str, int, list[str], list[str], int, int], base: int) -> bool:
        _, sentence, words, others, i, j = row
        k, i, j = sentence - base, i - base, j - base
        return (
            0 <= k < len(source) and i >= 0 and j >= 0 and bool(words) and bool(others)
            and source[k].split()[i : i + len(words)] == words
            and target[k].split()[j : j + len(others)] == others
        )  # fmt: skip

    for base in (1, 0):
        if all(fits(row, base) for row in rows):
            return [
                ExpressionAnchor(k - base, i - base, j - base, len(words), len(others))
                for _, k, words, others, i, j in rows
            ]
    wrong = next(row for row in rows if not fits(row, 1))
    raise FormatError("the words are not at these positions", where=wrong[0], remedy="count sentences and words from 1")


def _candidates(lines: Sequence[str], max_words: int, min_count: int) -> list[set[str]]:
    words = Counter(word for line in lines for word in line.split())
    barred = {word for word, _ in words.most_common(FREQUENT)} if len(words) > 2 * FREQUENT else set()

    def allowed(word: str) -> bool:
        return word not in barred and any(letter.isalnum() for letter in word)

    found = []
    for line in lines:
        tokens = line.split()
        found.append(
            {
                " ".join(tokens[start : start + size])
                for size in range(1, max_words + 1)
                for start in range(len(tokens) - size + 1)
                if allowed(tokens[start]) and allowed(tokens[start + size - 1])
            }
        )
    counts = Counter(item for items in found for item in items)
    return [{item for item in items if counts[item] >= min_count} for items in found]


def _log_likelihood_ratio(both: int, first: int, second: int, total: int) -> float:
    cells = [both, first - both, second - both, total - first - second + both]
    rows, columns = [first, total - first], [second, total - second]
    expected = [rows[0] * columns[0], rows[0] * columns[1], rows[1] * columns[0], rows[1] * columns[1]]
    order = [cells[0], cells[1], cells[2], cells[3]]
    return 2 * sum(k * math.log(k * total / e) for k, e in zip(order, expected, strict=True) if k > 0 and e > 0)


def _places(words: list[str], tokens: list[str]) -> list[int]:
    size = len(words)
    return [start for start in range(len(tokens) - size + 1) if tokens[start : start + size] == words]


def _glued(
    tokens: list[str], spans: set[tuple[int, int]]
) -> tuple[list[str], tuple[tuple[int, ...], ...], dict[int, int]]:
    starts = dict(spans)
    out: list[str] = []
    positions: list[tuple[int, ...]] = []
    where: dict[int, int] = {}
    at = 0
    while at < len(tokens):
        size = starts.get(at, 1)
        if at + size > len(tokens):
            raise InputError(f"an anchor of {size} words at word {at + 1} of a sentence of {len(tokens)}")
        where[at] = len(out)
        out.append(JOINER.join(token.replace(JOINER, JOINER * 2) for token in tokens[at : at + size]))
        positions.append(tuple(range(at, at + size)))
        at += size
    return out, tuple(positions), where
