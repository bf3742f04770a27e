"""Multiword expressions, mined from a bitext: "explication de vote" = "explanation of vote".

Candidates of each side are word sequences whose part-of-speech tags follow a pattern (`dragoman.align.patterns`) or,
without tags, sequences that neither start nor end in punctuation or a very frequent word. Two of them belong together
when each is found in a good share of the sentence pairs that hold the other (`counts`), or when each is the most
probable translation of the other by IBM 1 over the phrases of both sides (`em`, after Kupiec 1993; needs tags). Terms
with a reference number, as patents have them, need no statistics (`extract_numbered_terms`). What is found becomes
anchors (`dragoman.align.anchors`). (Okita, Maldonado Guerra, Graham and Way 2010.)

    >>> source = ["une explication de vote", "explication de vote", "autre chose", "explication de vote orale"]
    >>> target = ["an explanation of vote", "explanation of vote", "something else", "oral explanation of vote"]
    >>> extract_expressions(source, target)[0].source
    'explication de vote'
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.align.anchors import ExpressionAnchor
from dragoman.align.patterns import TagPatterns
from dragoman.errors import FormatError, LengthMismatch, SettingError
from dragoman.files import read_lines, writing
from dragoman.settings import check_argument

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

__all__ = [
    "Expression",
    "Tagged",
    "extract_expressions",
    "extract_numbered_terms",
    "read_expressions",
    "write_expressions",
]

MAX_WORDS = 5
FREQUENT = 100
"""So many most frequent words may not start or end an expression."""

_CHUNK = 4_000_000
_GLUE = "\u241f"


@dataclass(frozen=True, slots=True)
class Expression:
    """Two expressions that translate each other."""

    source: str
    target: str
    count: int = 0
    """Sentence pairs that hold both."""
    probability: float = 1.0
    """How probable each is beside the other, in the direction where it is less so."""

    def anchor(self, *, soft: bool = False) -> tuple[str, str, float]:
        """For `find_anchors`; a soft anchor is trusted as far as it is probable."""
        return self.source, self.target, min(1.0, max(0.5, self.probability)) if soft else 1.0


@dataclass(frozen=True, slots=True)
class Tagged:
    """Part-of-speech tags of all sentences of a side, and the patterns that expressions follow."""

    tags: Sequence[Sequence[str]]
    patterns: TagPatterns


def extract_expressions(
    source: Sequence[str],
    target: Sequence[str],
    *,
    pairing: str = "counts",
    combine: str = "intersection",
    source_tags: Tagged | None = None,
    target_tags: Tagged | None = None,
    max_words: int = MAX_WORDS,
    min_count: int = 3,
    min_probability: float | None = None,
    threads: int = 0,
) -> list[Expression]:
    """Mine pairs of expressions from a tokenised bitext, the surest first.

    `counts` keeps pairs of which each has a share of at least `min_probability` (0.3) of the sentence pairs of the
    other; `em` keeps those that are each other's most probable translation, with at least that probability (0.5).
    Pairs found in both directions (`intersection`) or in one (`union`) survive; among pairs that share a side the one
    with the highest log-likelihood ratio stays, ties to the longer. At least one side has two words.
    """
    if len(source) != len(target):
        raise LengthMismatch(f"{len(source)} source sentences, {len(target)} target sentences")
    check_argument("combine", combine, choices=("intersection", "union"))
    check_argument("pairing", pairing, choices=("counts", "em"))
    check_argument("max_words", max_words, int, least=1)
    check_argument("min_count", min_count, int, least=1)
    if pairing == "em" and (source_tags is None or target_tags is None):
        raise SettingError(
            "`em` aligns whole phrases, which only tags can show",
            remedy="give tags of both sides, or use counts",
        )
    least = (0.3 if pairing == "counts" else 0.5) if min_probability is None else min_probability
    check_argument("min_probability", least, float, above=0, most=1)
    sides = [
        _candidates(lines, tagged, max_words, min_count, whole=pairing == "em")
        for lines, tagged in ((source, source_tags), (target, target_tags))
    ]
    totals = [Counter(item for items in side for item in items) for side in sides]
    joint = _joint_counts(sides[0], sides[1], min_count)
    shares = _shares(joint, totals) if pairing == "counts" else _translations(sides, threads)
    choose = all if combine == "intersection" else any
    scored = []
    for (s, t), probabilities in shares.items():
        count = joint.get((s, t), 0)
        if count < min_count or (" " not in s and " " not in t) or not choose(p >= least for p in probabilities):
            continue
        ratio = _log_likelihood_ratio(count, totals[0][s], totals[1][t], len(source))
        words = s.count(" ") + t.count(" ")
        scored.append((-ratio, -words, s, t, count, min(probabilities)))
    scored.sort()
    used: tuple[set[str], set[str]] = (set(), set())
    found = []
    for _, _, s, t, count, probability in scored:
        if s in used[0] or t in used[1]:
            continue
        used[0].add(s)
        used[1].add(t)
        found.append(Expression(s, t, count, probability))
    return found


def extract_numbered_terms(
    source: Sequence[str],
    target: Sequence[str],
    *,
    source_tags: Tagged | None = None,
    target_tags: Tagged | None = None,
    max_words: int = MAX_WORDS,
) -> list[ExpressionAnchor]:
    """Anchors between terms with a reference number ("rear wheel 2"), as patents have them: one number, once a side.

    The term is the number with the longest sequence before it that follows a pattern or, without tags, with one word.
    """
    if len(source) != len(target):
        raise LengthMismatch(f"{len(source)} source sentences, {len(target)} target sentences")
    found = []
    for k, sides in enumerate(zip(source, target, strict=True)):
        terms = []
        for line, tagged in zip(sides, (source_tags, target_tags), strict=True):
            tokens = line.split()
            places = defaultdict(list)
            for at, token in enumerate(tokens):
                if token.isdigit():
                    places[token].append(at)
            here = {}
            for number, positions in places.items():
                start = _term_start(tokens, positions[0], tagged.tags[k] if tagged else None, tagged, max_words)
                if len(positions) == 1 and start is not None:
                    here[number] = (start, positions[0] + 1 - start)
            terms.append(here)
        for number in sorted(terms[0].keys() & terms[1].keys()):
            (i, words), (j, others) = terms[0][number], terms[1][number]
            found.append(ExpressionAnchor(k, i, j, words, others))
    return found


def write_expressions(path: Path | str, expressions: Iterable[Expression]) -> None:
    """One pair a line: source, target, count, probability, with tabs between."""
    with writing(path) as file:
        for each in expressions:
            file.write(f"{each.source}\t{each.target}\t{each.count}\t{each.probability:.6g}\n")


def read_expressions(path: Path | str) -> list[Expression]:
    """Read such a list; a list of terms made by hand needs the first two columns only."""
    found = []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        fields = [field.strip() for field in line.split("\t")]
        if not 2 <= len(fields) <= 4 or not fields[0] or not fields[1]:
            raise FormatError("not `source<TAB>target`", where=where, remedy="write one pair of expressions a line")
        try:
            count = int(fields[2]) if len(fields) > 2 else 0
            probability = float(fields[3]) if len(fields) > 3 else 1.0
        except ValueError:
            raise FormatError("count and probability must be numbers", where=where) from None
        if count < 0 or not 0 <= probability <= 1:
            raise FormatError("a negative count or a probability outside 0 to 1", where=where)
        source, target = (" ".join(field.split()) for field in fields[:2])
        found.append(Expression(source, target, count, probability))
    return found


def _candidates(
    lines: Sequence[str], tagged: Tagged | None, max_words: int, min_count: int, *, whole: bool
) -> list[set[str]]:
    """For each sentence, what may be an expression and is frequent enough; `whole`: nothing inside something longer."""
    if tagged is not None and len(tagged.tags) != len(lines):
        raise LengthMismatch(f"tags of {len(tagged.tags)} sentences for {len(lines)} sentences")
    words = Counter(word for line in lines for word in line.split())
    barred = {word for word, _ in words.most_common(FREQUENT)} if len(words) > 2 * FREQUENT else set()

    def allowed(word: str) -> bool:
        return word not in barred and any(letter.isalnum() for letter in word)

    found = []
    for k, line in enumerate(lines):
        tokens = line.split()
        if tagged is not None:
            if len(tagged.tags[k]) != len(tokens):
                raise LengthMismatch(f"{len(tagged.tags[k])} tags for {len(tokens)} words", where=f"sentence {k + 1}")
            spans = tagged.patterns.spans(tagged.tags[k], max_words=max_words)
            if whole:
                spans = _longest(spans)
        else:
            spans = [
                (start, end)
                for start in range(len(tokens))
                for end in range(start + 1, min(len(tokens), start + max_words) + 1)
                if allowed(tokens[start]) and allowed(tokens[end - 1])
            ]
        found.append({" ".join(tokens[start:end]) for start, end in spans})
    counts = Counter(item for items in found for item in items)
    return [{item for item in items if counts[item] >= min_count} for items in found]


def _longest(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans without overlap, the longest first, then from the left."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span)):
        if all(end <= other[0] or other[1] <= start for other in kept):
            kept.append((start, end))
    return kept


def _joint_counts(source: Sequence[set[str]], target: Sequence[set[str]], least: int) -> dict[tuple[str, str], int]:
    """In how many sentence pairs two candidates are found together, where at least `least` times."""
    import numpy as np

    names: tuple[dict[str, int], dict[str, int]] = ({}, {})
    numbered = [
        [np.array(sorted(table.setdefault(item, len(table)) for item in items), np.int64) for items in side]
        for table, side in zip(names, (source, target), strict=True)
    ]
    width = max(1, len(names[1]))
    keys, counts = np.array([], np.int64), np.array([], np.int64)
    pending: list[NDArray[int64]] = []
    size = 0

    def settle() -> None:
        nonlocal keys, counts, pending, size
        new, times = np.unique(np.concatenate(pending) if pending else keys[:0], return_counts=True)
        merged, places = np.unique(np.concatenate([keys, new]), return_inverse=True)
        counts = np.bincount(places, np.concatenate([counts, times]), len(merged)).astype(np.int64)
        keys, pending, size = merged, [], 0

    for one, other in zip(*numbered, strict=True):
        pending.append((one[:, None] * width + other[None, :]).ravel())
        size += pending[-1].size
        if size > _CHUNK:
            settle()
    settle()
    kept = counts >= least
    first, second = list(names[0]), list(names[1])
    return {
        (first[key // width], second[key % width]): count
        for key, count in zip(keys[kept].tolist(), counts[kept].tolist(), strict=True)
    }


def _shares(
    joint: dict[tuple[str, str], int], totals: list[Counter[str]]
) -> dict[tuple[str, str], tuple[float, float]]:
    return {(s, t): (count / totals[0][s], count / totals[1][t]) for (s, t), count in joint.items()}


def _translations(sides: Sequence[Sequence[set[str]]], threads: int) -> dict[tuple[str, str], tuple[float, float]]:
    """Most probable translations of each candidate by IBM 1 over candidates; 0 in a direction where it is not."""
    from dragoman.align.ibm import Ibm1

    lines = [[" ".join(item.replace(" ", _GLUE) for item in sorted(items)) for items in side] for side in sides]
    if not any(one and other for one, other in zip(*lines, strict=True)):
        return {}
    aligner = Ibm1(max_length=10000)
    aligner.train(lines[0], lines[1], threads=threads)
    best: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for at, direction in enumerate(("forward", "reverse")):
        likeliest: dict[str, tuple[float, str]] = {}
        for given, generated, probability in aligner.lexicon(direction=direction):
            likeliest[given] = max(likeliest.get(given, (0.0, "")), (probability, generated))
        for given, (probability, generated) in likeliest.items():
            pair = (given, generated) if direction == "forward" else (generated, given)
            best[pair[0].replace(_GLUE, " "), pair[1].replace(_GLUE, " ")][at] = probability
    return {pair: (found[0], found[1]) for pair, found in best.items()}


def _term_start(
    tokens: list[str], number: int, tags: Sequence[str] | None, tagged: Tagged | None, max_words: int
) -> int | None:
    """Where the term before a number starts, if there is one."""
    if tags is None or tagged is None:
        return number - 1 if number > 0 and tokens[number - 1].isalpha() else None
    starts = range(max(0, number - max_words), number)
    return next((start for start in starts if tagged.patterns.matches(tags[start:number])), None)


def _log_likelihood_ratio(both: int, first: int, second: int, total: int) -> float:
    """Of independence, by the 2 x 2 table of sentence pairs. (Dunning 1993.)"""
    cells = (both, first - both, second - both, total - first - second + both)
    rows, columns = (first, total - first), (second, total - second)
    expected = (row * column for row in rows for column in columns)
    return 2 * sum(k * math.log(k * total / e) for k, e in zip(cells, expected, strict=True) if k > 0 and e > 0)
