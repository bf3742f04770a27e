"""Features of a pair, as the winners of 2012 used them: strings, n-grams, best matches, vectors, numbers and names.

Two sets. `takelab_features` are those of the simple system of Šarić et al. (2012), best by ALLnrm; `ukp_features` those
of Bär et al. (2012), first by ALL, but for their expansion by translating there and back. Each is a number of one pair;
all are worked out from its texts, as far as what is known of words allows.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

import numpy as np

from dragoman.metrics.lexical import is_punctuation, stem
from dragoman.similarity.concepts import ConceptVectors
from dragoman.similarity.dls import harmonic_mean
from dragoman.similarity.matching import WordSimilarity, best_matches
from dragoman.similarity.overlap import ngrams, overlap, shared_count, stretches
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.word_knowledge import TextStatistics, WordNetDistances
from dragoman.similarity.words import cut, function_words
from dragoman.text.strings import common_stretches, common_subsequences

__all__ = ["WordKnowledge", "takelab_features", "ukp_features"]

T = TypeVar("T", bound=Hashable)
_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


@dataclass(frozen=True)
class WordKnowledge:
    """What features know of words; any may be missing, and features that need it with it."""

    wordnet: WordNetDistances | None = None
    statistics: TextStatistics | None = None
    second: TextStatistics | None = None
    """Vectors from another text."""
    resnik: WordSimilarity | None = None
    concepts: ConceptVectors | None = None
    substitutes: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Words that may stand for each other."""


@lru_cache(maxsize=2**14)
def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in cut(text.lower()) if not is_punctuation(word))


@lru_cache(maxsize=2**14)
def _content(text: str) -> tuple[str, ...]:
    small = function_words("en")
    return tuple(word for word in _words(text) if word not in small) or _words(text)


@lru_cache(maxsize=2**14)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word, "en") for word in _content(text))


def _f_overlap(first: Counter[T], second: Counter[T]) -> float:
    common = shared_count(first, second)
    if not common:
        return 0.0
    return harmonic_mean(common / first.total(), common / second.total())


def _ngram_f(first: Sequence[str], second: Sequence[str], order: int) -> float:
    return _f_overlap(Counter(ngrams(first, order)), Counter(ngrams(second, order)))


def _best_match_f(first: Sequence[str], second: Sequence[str], similarity: WordSimilarity) -> float:
    if not first or not second:
        return 0.0
    forward, back = best_matches(first, second, similarity)
    return harmonic_mean(*(float(np.mean([value for _, value in side])) for side in (forward, back)))


def _information_f(first: Sequence[str], second: Sequence[str], statistics: TextStatistics) -> float:
    sums = [sum(map(statistics.information, set(side))) for side in (first, second)]
    common = sum(map(statistics.information, set(first) & set(second)))
    return harmonic_mean(*(common / total if total > 0 else 0.0 for total in sums))


def _vector_cosine(first: Sequence[str], second: Sequence[str], statistics: TextStatistics, *, weighted: bool) -> float:
    sums = []
    for side in (first, second):
        rows = statistics.vectors[statistics.rows(side)]
        if weighted:
            known = [word for word in side if statistics.vector(word) is not None]
            rows = rows * np.array([[statistics.information(word)] for word in known]).reshape(-1, 1)
        sums.append(rows.sum(axis=0, dtype=np.float64))
    lengths = math.sqrt(float(sums[0] @ sums[0]) * float(sums[1] @ sums[1]))
    return abs(float(sums[0] @ sums[1])) / lengths if lengths > 0 else 0.0


def _numbers(text: str) -> list[float]:
    return [float(found.replace(",", "")) for found in _DIGITS.findall(text)]


def _number_features(first: str, second: str) -> dict[str, float]:
    """Numbers are the same if one is the other rounded."""
    ours, theirs = _numbers(first), _numbers(second)

    def known(number: float, others: list[float]) -> bool:
        return any(
            math.isclose(number, other, rel_tol=1e-9) or number == round(other) or other == round(number)
            for other in others
        )

    shared = [sum(known(number, others) for number in own) for own, others in ((ours, theirs), (theirs, ours))]
    parts = [found / len(own) if own else 0.0 for found, own in zip(shared, (ours, theirs), strict=True)]
    return {
        "numbers": math.log(1 + len(ours) + len(theirs)),
        "numbers, shared": harmonic_mean(*parts) if ours or theirs else 1.0,
        "numbers, subset": float(bool(ours or theirs) and (parts[0] == 1 or parts[1] == 1)),
    }


def _marked(name: str, ours: set[str], theirs: set[str]) -> dict[str, float]:
    shared = _f_overlap(Counter(ours), Counter(theirs)) if ours or theirs else 1.0
    return {name: math.log(1 + len(ours) + len(theirs)), f"{name}, shared": shared}


def takelab_features(pair: TextPair, knowledge: WordKnowledge) -> dict[str, float]:
    """Features of Šarić et al. (2012)."""
    texts = pair.texts
    words, content, stems = ([side(text) for text in texts] for side in (_words, _content, _stems))
    found = {f"words, {order}-grams": _ngram_f(content[0], content[1], order) for order in (1, 2, 3)}
    found |= {f"stems, {order}-grams": _ngram_f(stems[0], stems[1], order) for order in (1, 2, 3)}
    lengths = [len(side) for side in words]
    found["length difference"] = abs(lengths[0] - lengths[1]) / max(*lengths, 1)
    if knowledge.wordnet is not None:
        found["wordnet best matches"] = _best_match_f(content[0], content[1], knowledge.wordnet.path)
    if knowledge.statistics is not None:
        known = knowledge.statistics
        found["information shared, words"] = _information_f(content[0], content[1], known)
        found["information shared, stems"] = _information_f(stems[0], stems[1], known)
        found["vectors"] = _vector_cosine(content[0], content[1], known, weighted=False)
        found["vectors, weighted"] = _vector_cosine(content[0], content[1], known, weighted=True)
        if knowledge.second is not None:
            for name, weighted in (("vectors, second text", False), ("vectors, weighted, second text", True)):
                found[name] = _vector_cosine(content[0], content[1], knowledge.second, weighted=weighted)
        totals = [sum(map(known.information, side)) for side in content]
        found["information difference"] = abs(totals[0] - totals[1]) / max(*totals, 1e-9)
    found |= _number_features(*texts)
    cased = [cut(text)[1:] for text in texts]
    capitals = [{word for word in side if word[:1].isupper() and not word.isupper()} for side in cased]
    found |= _marked("capitalised words", capitals[0], capitals[1])
    tickers = [{word for word in side if len(word) > 1 and word.isupper() and word.isalpha()} for side in cased]
    return found | _marked("words in capitals", tickers[0], tickers[1])


def _tiles(first: Sequence[str], second: Sequence[str], least: int = 3) -> int:
    """Words covered by identical stretches of at least so many words, the longest first (greedy string tiling)."""
    places: dict[tuple[str, ...], list[int]] = {}
    for j, stretch in enumerate(ngrams(second, least)):
        places.setdefault(stretch, []).append(j)
    starts = [(i, j) for i, stretch in enumerate(ngrams(first, least)) for j in places.get(stretch, ())]
    ours, theirs = [False] * len(first), [False] * len(second)
    covered = 0
    while starts:
        best = (least - 1, 0, 0)
        for i, j in starts:
            size = 0
            while (
                i + size < len(first)
                and j + size < len(second)
                and first[i + size] == second[j + size]
                and not ours[i + size]
                and not theirs[j + size]
            ):
                size += 1
            if size > best[0]:
                best = (size, i, j)
        if best[0] < least:
            break
        size, i, j = best
        ours[i : i + size], theirs[j : j + size] = [True] * size, [True] * size
        covered += size
    return covered


def ukp_features(pair: TextPair, knowledge: WordKnowledge) -> dict[str, float]:
    """Features of Bär et al. (2012), before their logarithm is taken."""
    lowered = [text.lower() for text in pair.texts]
    words = [_words(text) for text in pair.texts]
    content = [_content(text) for text in pair.texts]
    stretch, first, second = common_stretches([lowered[0]], [lowered[1]], threads=1)[0].tolist()
    sequence = int(common_subsequences([lowered[0]], [lowered[1]], threads=1)[0, 0])
    found = {
        "longest common stretch": stretch / max(first, second),
        "longest common subsequence, sum": 2 * sequence / (first + second),
        "longest common subsequence, shorter": sequence / min(first, second),
        "tiles": 2 * _tiles(words[0], words[1]) / max(1, len(words[0]) + len(words[1])),
    }
    for order in (2, 3, 4):
        grams = [Counter(stretches(text, order)) for text in lowered]
        found[f"character {order}-grams"] = overlap(grams[0], grams[1], "cosine")
    for name, side in (("words", words), ("content words", content)):
        sets = {order: [set(ngrams(one, order)) for one in side] for order in (1, 2, 3, 4)}
        for order in (1, 3, 4):
            found[f"{name}, {order}-grams, jaccard"] = _set_overlap(sets[order], "jaccard")
        for order in (1, 2):
            found[f"{name}, {order}-grams, contained"] = _set_overlap(sets[order], "containment")
    if knowledge.substitutes:
        widened = [set(side).union(*(knowledge.substitutes.get(word, ()) for word in side)) for side in content]
        covered = [
            sum(word in other for word in side) / max(1, len(side))
            for side, other in zip(content, widened[::-1], strict=True)
        ]
        found["words or their substitutes"] = harmonic_mean(*covered)
    if knowledge.wordnet is not None:
        found["wordnet best matches"] = _best_match_f(content[0], content[1], knowledge.wordnet.path)
    if knowledge.resnik is not None:
        found["resnik best matches"] = _best_match_f(content[0], content[1], knowledge.resnik)
    if knowledge.concepts is not None:
        found["concepts"] = knowledge.concepts.cosine(content[0], content[1])
    if knowledge.statistics is not None:
        forward, back = (
            best_matches(content[0], content[1], _similar(knowledge.statistics)) if all(content) else ([], [])
        )
        means = [
            _weighted(side, values, knowledge.statistics) for side, values in zip(content, (forward, back), strict=True)
        ]
        found["best matches by contexts"] = harmonic_mean(*means)
        found["vectors, weighted"] = _vector_cosine(content[0], content[1], knowledge.statistics, weighted=True)
    return found


def _set_overlap(sets: Sequence[set[T]], measure: str) -> float:
    first, second = sets
    if not first or not second:
        return 0.0
    common = len(first & second)
    return common / (min(len(first), len(second)) if measure == "containment" else len(first) + len(second) - common)


def _similar(statistics: TextStatistics) -> WordSimilarity:
    return lambda one, other: 1.0 if one == other else statistics.cosine(one, other)


def _weighted(words: Sequence[str], matches: Sequence[tuple[int, float]], statistics: TextStatistics) -> float:
    weights = [statistics.information(word) for word in words]
    total = sum(weights)
    return sum(w * value for w, (_, value) in zip(weights, matches, strict=True)) / total if total > 0 else 0.0
