"""Features of a pair, as the winners of 2012 used them: strings, n-grams, best matches, vectors, numbers and names.

Two sets. `takelab_features` are those of the simple system of Šarić et al. (2012), best by ALLnrm; `ukp_features` those
of Bär et al. (2012), first by ALL, as far as they need no resources of their own (explicit semantic analysis and
expansion by translation are left out). Each is a number of one pair; all are worked out from its texts.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dragoman.metrics.lexical import is_punctuation, stem
from dragoman.similarity.dls import harmonic_mean
from dragoman.similarity.matching import best_matches
from dragoman.similarity.overlap import ngrams, overlap
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.word_knowledge import TextStatistics, WordNetDistances
from dragoman.similarity.words import cut, function_words
from dragoman.text.strings import common_stretches, common_subsequences

__all__ = ["WordKnowledge", "takelab_features", "ukp_features"]

_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


@dataclass(frozen=True)
class WordKnowledge:
    """What features know of words; either may be missing, and features that need it with it."""

    wordnet: WordNetDistances | None
    statistics: TextStatistics | None


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


def _f_overlap(first: Counter[Hashable], second: Counter[Hashable]) -> float:
    common = (first & second).total()
    if not common:
        return 0.0
    return harmonic_mean(common / first.total(), common / second.total())


def _ngram_f(first: Sequence[str], second: Sequence[str], order: int) -> float:
    return _f_overlap(Counter(ngrams(first, order)), Counter(ngrams(second, order)))


def _best_match_f(first: Sequence[str], second: Sequence[str], knowledge: WordNetDistances) -> float:
    if not first or not second:
        return 0.0
    forward, back = best_matches(first, second, knowledge.path)
    return harmonic_mean(*(float(np.mean([value for _, value in side])) for side in (forward, back)))


def _information_f(first: Sequence[str], second: Sequence[str], statistics: TextStatistics) -> float:
    sums = [sum(map(statistics.information, set(side))) for side in (first, second)]
    common = sum(map(statistics.information, set(first) & set(second)))
    return harmonic_mean(*(common / total if total > 0 else 0.0 for total in sums))


def _vector_cosine(first: Sequence[str], second: Sequence[str], statistics: TextStatistics, *, weighted: bool) -> float:
    sums = []
    for side in (first, second):
        vectors = [
            vector * (statistics.information(word) if weighted else 1.0)
            for word in side
            if (vector := statistics.vector(word)) is not None
        ]
        sums.append(np.sum(vectors, axis=0) if vectors else np.zeros(statistics.vectors.shape[1]))
    lengths = float(np.linalg.norm(sums[0]) * np.linalg.norm(sums[1]))
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
        found["wordnet best matches"] = _best_match_f(content[0], content[1], knowledge.wordnet)
    if knowledge.statistics is not None:
        known = knowledge.statistics
        found["information shared, words"] = _information_f(content[0], content[1], known)
        found["information shared, stems"] = _information_f(stems[0], stems[1], known)
        found["vectors"] = _vector_cosine(content[0], content[1], known, weighted=False)
        found["vectors, weighted"] = _vector_cosine(content[0], content[1], known, weighted=True)
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
    ours, theirs = [False] * len(first), [False] * len(second)
    covered = 0
    while True:
        best = (least - 1, 0, 0)
        for i in range(len(first)):
            for j in range(len(second)):
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
            return covered
        size, i, j = best
        ours[i : i + size], theirs[j : j + size] = [True] * size, [True] * size
        covered += size


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
        grams = [Counter(ngrams(text, order)) for text in lowered]
        found[f"character {order}-grams"] = overlap(grams[0], grams[1], "cosine")
    for name, side in (("words", words), ("content words", content)):
        for order in (1, 3, 4):
            sets = [Counter(set(ngrams(one, order))) for one in side]
            found[f"{name}, {order}-grams, jaccard"] = overlap(sets[0], sets[1], "jaccard")
        for order in (1, 2):
            sets = [Counter(set(ngrams(one, order))) for one in side]
            found[f"{name}, {order}-grams, contained"] = overlap(sets[0], sets[1], "containment")
    if knowledge.wordnet is not None:
        found["wordnet best matches"] = _best_match_f(content[0], content[1], knowledge.wordnet)
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


def _similar(statistics: TextStatistics):  # type: ignore[no-untyped-def]
    return lambda one, other: 1.0 if one == other else statistics.cosine(one, other)


def _weighted(words: Sequence[str], matches: Sequence[tuple[int, float]], statistics: TextStatistics) -> float:
    weights = [statistics.information(word) for word in words]
    total = sum(weights)
    return sum(w * value for w, (_, value) in zip(weights, matches, strict=True)) / total if total > 0 else 0.0
