"""How sure a model is of each word that it wrote, and of the whole.

A forest says with what probability a word is in the translation at all, and with what probability it stands for the
same source words; a phrase says how it came about. A logistic model of these, fitted to words that were right or wrong
on a dev set, turns them into the probability of being right. Posteriors of words are the classic evidence (Ueffing and
Ney 2007); scores of a tuned model are no log probabilities, so they are multiplied by a scale first, which is fitted as
well.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import FormatError, InputError
from dragoman.forest.inside import posteriors
from dragoman.plain_data import parse_json
from dragoman.search.translation import SentenceTranslation

__all__ = ["EVIDENCE", "Confidence", "Reliability", "fit", "reliability", "word_evidence", "word_posteriors"]

EVIDENCE = (
    "logit of being there",
    "logit of being there for its source words",
    "score of its phrase per word",
    "words of its phrase",
    "source words of its phrase",
    "unknown",
    "linked",
    "same in the second best",
)
"""What is known of a word that was written."""

_EDGE = 1e-4
_ITERATIONS = 50


def _logit(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    clipped = np.clip(probabilities, _EDGE, 1 - _EDGE)
    return np.asarray(np.log(clipped / (1 - clipped)))


def word_posteriors(
    translation: SentenceTranslation, scale: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """For each word of a translation whose forest was kept: the share of all that search found that has the word at
    all, the share that has it for the same source words, and whether it is linked to any.

    `scale` is what scores are multiplied by before they become probabilities.
    """
    forest = translation.forest
    size = len(translation.target)
    if size == 0:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    native = forest.native
    chances = posteriors(forest.scale(scale)).edges
    starts, targets = native.target_starts.astype(np.int64), native.targets.astype(np.int64)
    lengths = np.diff(starts)
    words = len(forest.words)
    is_word = targets < words
    weight = np.repeat(chances, lengths)
    expected = np.bincount(targets[is_word], weights=weight[is_word], minlength=words)
    # Links, as (source position, word).
    link_starts, links = native.link_starts.astype(np.int64), native.links.reshape(-1, 2).astype(np.int64)
    edge_of = np.repeat(np.arange(len(lengths)), np.diff(link_starts))
    source = native.spans.reshape(-1, 2)[edge_of, 0].astype(np.int64) + links[:, 0]
    written = targets[starts[edge_of] + links[:, 1]]
    linked = written < words
    keys, inverse = np.unique(source[linked] * words + written[linked], return_inverse=True)
    together = dict(zip(keys.tolist(), np.bincount(inverse, weights=chances[edge_of[linked]]).tolist(), strict=True))
    ids = [forest.words.id(word) for word in translation.target]
    there = np.minimum(1.0, expected[ids])
    same = np.zeros(size)
    has_links = np.zeros(size)
    for i, j in translation.alignment:
        has_links[j] = 1.0
        same[j] = max(same[j], min(1.0, together.get(i * words + ids[j], 0.0)))
    return there, np.where(has_links > 0, same, there), has_links


def word_evidence(translation: SentenceTranslation, scale: float) -> NDArray[np.float64]:
    """A row for each word of the translation; its forest must have been kept."""
    size = len(translation.target)
    if size == 0:
        return np.zeros((0, len(EVIDENCE)))
    there, same, has_links = word_posteriors(translation, scale)
    evidence = np.zeros((size, len(EVIDENCE)))
    evidence[:, 0], evidence[:, 1], evidence[:, 6] = _logit(there), _logit(same), has_links
    at = 0
    for phrase in translation.phrases:
        first, last = phrase.target_span
        places = (
            [at + k for k in range(len(phrase.target))] if last - first != len(phrase.target) else range(first, last)
        )
        for j in places:
            if j < size:
                count = len(phrase.target)
                evidence[j, 2:6] = phrase.score / count, count, len(phrase.source), float(phrase.unknown)
        at = last
    others = [each for each in translation.nbest(2, distinct=True) if each.target != translation.target]
    if others:
        kept = set(others[0].target)
        evidence[:, 7] = [float(word in kept) for word in translation.target]
    else:
        evidence[:, 7] = 1.0
    return evidence


@dataclass(frozen=True, slots=True)
class Confidence:
    """A fitted model of words that are right."""

    scale: float
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    weights: tuple[float, ...]
    """The first is the bias."""

    def words(self, translation: SentenceTranslation) -> NDArray[np.float64]:
        """The probability that each word of a translation is right."""
        return self.of_evidence(word_evidence(translation, self.scale))

    def of_evidence(self, evidence: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same of what is known of words."""
        rows = (evidence - np.asarray(self.mean)) / np.asarray(self.deviation)
        return np.asarray(1 / (1 + np.exp(-(self.weights[0] + rows @ np.asarray(self.weights[1:])))))

    def to_json(self) -> str:
        """For a file."""
        plain = {name: getattr(self, name) for name in self.__slots__} | {"evidence": list(EVIDENCE)}
        return json.dumps(plain, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str, *, where: str = "") -> Confidence:
        """Read what `to_json` wrote."""
        try:
            plain: dict[str, Any] = parse_json(text, where=where, remedy="fit it again")
            made = cls(float(plain["scale"]), *(tuple(map(float, plain[n])) for n in ("mean", "deviation", "weights")))
            fits = tuple(plain["evidence"]) == EVIDENCE and len(made.weights) == len(EVIDENCE) + 1
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise FormatError(f"no model of confidence ({error})", where=where, remedy="fit it again") from None
        if not fits:
            raise FormatError("a model of confidence of another version", where=where, remedy="fit it again")
        return made


def fit(evidence: NDArray[np.float64], right: NDArray[np.bool_], scale: float, *, ridge: float = 1.0) -> Confidence:
    """Logistic regression by Newton's method, with a ridge so that few words cannot mislead it."""
    if len(evidence) != len(right) or len(np.unique(right)) < 2:
        raise InputError(
            f"{len(right)} words, all of one kind", remedy="fit confidence on text with right and wrong words"
        )
    mean, deviation = evidence.mean(axis=0), evidence.std(axis=0)
    deviation[deviation < 1e-9] = 1.0
    rows = np.column_stack([np.ones(len(evidence)), (evidence - mean) / deviation])
    weights = np.zeros(rows.shape[1])
    penalty = np.diag([0.0, *[ridge] * (rows.shape[1] - 1)])
    for _ in range(_ITERATIONS):
        chances = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (right - chances) - penalty @ weights
        curvature = (rows * (chances * (1 - chances))[:, None]).T @ rows + penalty
        step = np.linalg.solve(curvature + 1e-9 * np.eye(len(weights)), gradient)
        weights += step
        if np.abs(step).max() < 1e-8:
            break
    return Confidence(scale, tuple(mean.tolist()), tuple(deviation.tolist()), tuple(weights.tolist()))


@dataclass(frozen=True, slots=True)
class Reliability:
    """How well confidence and truth agree."""

    bins: tuple[tuple[float, float, int], ...]
    """Mean confidence, share of right words, number of words, from the least to the most confident."""
    error: float
    """Expected calibration error: the mean distance between the two (Guo, Pleiss, Sun and Weinberger 2017)."""
    found: float
    """Share of all wrong words that are among the least confident fifth; by chance it is 0.2."""
    right: float
    """Share of right words."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "bins": [list(each) for each in self.bins],
            "error": self.error,
            "found": self.found,
            "right": self.right,
        }


def reliability(chances: NDArray[np.float64], right: NDArray[np.bool_], *, bins: int = 10) -> Reliability:
    """Compare probabilities with what was right, in bins of equal width."""
    if len(chances) != len(right) or len(chances) == 0:
        raise InputError(f"{len(chances)} probabilities for {len(right)} words")
    numbers = np.minimum((chances * bins).astype(int), bins - 1)
    rows = []
    for number in range(bins):
        chosen = numbers == number
        if count := int(chosen.sum()):
            rows.append((float(chances[chosen].mean()), float(right[chosen].mean()), count))
    error = sum(count * abs(confidence - truth) for confidence, truth, count in rows) / len(chances)
    order = np.argsort(chances, kind="stable")
    least = order[: len(order) // 5]
    wrong = int((~right).sum())
    found = float((~right[least]).sum() / wrong) if wrong else 0.0
    return Reliability(tuple(rows), float(error), found, float(right.mean()))


def best_scale(evidence: Sequence[tuple[float, NDArray[np.float64]]], right: NDArray[np.bool_]) -> Confidence:
    """Of evidence under several scales, the model that explains the words best."""
    fitted = [fit(rows, right, scale) for scale, rows in evidence]

    def loss(number: int) -> float:
        chances = np.clip(fitted[number].of_evidence(evidence[number][1]), 1e-9, 1 - 1e-9)
        return float(-np.log(np.where(right, chances, 1 - chances)).mean())

    return fitted[min(range(len(fitted)), key=loss)]
