"""Hope and fear in a forest: what model and metric like together, and what the model likes in spite of the metric.

Clipped n-gram precision can be counted while partial targets grow, so for BLEU both are searched in the whole forest
(`dragoman.forest.oracle`). Other metrics judge finished texts only. For them the forest lists its best translations
under the model, and the search by n-grams adds its hope and its fear, which are often far below those; the metric then
chooses. (Chiang, Marton and Resnik 2008; Cherry and Foster 2012.)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman._native import forest as native
from dragoman.forest import Derivation, Forest, KBestLists
from dragoman.forest.derivation import feature_matrix
from dragoman.forest.oracle import BLEU_ORDER, ReferenceRows, reference_rows
from dragoman.metrics.base import Floats
from dragoman.tuning.dev import DevSet

__all__ = ["HopeAndFear", "HopeFearSearch", "ListSearch", "NgramSearch", "hope_fear_search"]

SparseVector = tuple[NDArray[np.integer], Floats]
"""Feature ids and values."""


@dataclass(frozen=True, slots=True)
class HopeAndFear:
    """The features of two derivations of one forest, and how far apart their gains are, in reference words."""

    hope: SparseVector
    fear: SparseVector
    margin: float

    def difference(self, size: int) -> Floats:
        """Features of the hope less those of the fear, by id."""
        found = np.zeros(size)
        np.add.at(found, *self.hope)
        np.subtract.at(found, *self.fear)
        return found


class HopeFearSearch(ABC):
    """Looks for hope and fear in forests of a dev set."""

    def __init__(self, dev: DevSet, *, beam: int) -> None:
        self.dev, self.beam = dev, beam
        self._rows: list[ReferenceRows] = []

    def begin(self, forests: Sequence[Forest]) -> None:
        """Get ready for these forests, one for each sentence."""
        texts = zip(*self.dev.references, strict=True)
        self._rows = [reference_rows(forest.words, each) for forest, each in zip(forests, texts, strict=True)]

    @abstractmethod
    def find(self, sentence: int, forest: Forest) -> HopeAndFear | None:
        """Hope and fear in the forest of a sentence, under the scores that it has now; None if it is empty."""

    def _by_ngrams(self, sentence: int, forest: Forest, sign: float) -> tuple[Derivation, float]:
        """The derivation with the highest score plus (or less) BLEU in reference words, and its BLEU."""
        edges, bleu = native.bleu_oracle(forest.native, *self._rows[sentence], self.beam, model=1.0, gain=sign)
        return Derivation(forest, edges), bleu


class NgramSearch(HopeFearSearch):
    """For metrics that are clipped n-gram precision: a beam of partial targets in the whole forest."""

    def find(self, sentence: int, forest: Forest) -> HopeAndFear | None:
        if not forest:
            return None
        hope, high = self._by_ngrams(sentence, forest, 1.0)
        fear, low = self._by_ngrams(sentence, forest, -1.0)
        margin = (high - low) * float(self.dev.words[sentence])
        return HopeAndFear(_features(hope), _features(fear), margin)


class ListSearch(HopeFearSearch):
    """For any metric: the best translations of the forest, with hope and fear by n-grams among them."""

    def __init__(self, dev: DevSet, *, beam: int, nbest: int, threads: int = 0) -> None:
        super().__init__(dev, beam=beam)
        self.nbest, self.threads = nbest, threads
        self._metric = dev.sentence_metric()
        self._known: list[dict[str, float]] = [{} for _ in range(len(dev))]

    def begin(self, forests: Sequence[Forest]) -> None:
        super().begin(forests)
        found = self._listed(forests)  # each text once: candidates are texts
        self._gains(np.repeat(np.arange(len(forests)), np.diff(found.lists)).tolist(), found.texts)

    def find(self, sentence: int, forest: Forest) -> HopeAndFear | None:
        if not forest:
            return None
        found = self._listed([forest])
        proposed = [self._by_ngrams(sentence, forest, sign)[0] for sign in (1.0, -1.0)]
        texts = found.texts + [each.text for each in proposed]
        scores = np.append(found.scores, [each.score for each in proposed])
        gains = self._gains([sentence] * len(texts), texts)

        def features(place: int) -> SparseVector:
            if place >= len(found.scores):
                return _features(proposed[place - len(found.scores)])
            part = slice(found.rows[place], found.rows[place + 1])
            return found.ids[part], found.values[part]

        hope, fear = int(np.argmax(scores + gains)), int(np.argmax(scores - gains))
        return HopeAndFear(features(hope), features(fear), float(gains[hope] - gains[fear]))

    def _listed(self, forests: Sequence[Forest]) -> KBestLists:
        """The best translations of each forest."""
        return KBestLists.of_forests(forests, nbest=self.nbest, distinct=True, threads=self.threads)

    def _gains(self, sentences: Sequence[int], texts: Sequence[str]) -> Floats:
        """The gain of each text in reference words; what is new for its sentence is measured first."""
        pairs = list(zip(sentences, texts, strict=True))
        new = list(dict.fromkeys((sentence, text) for sentence, text in pairs if text not in self._known[sentence]))
        if new:
            numbers = [sentence for sentence, _ in new]
            rows = self.dev.statistics(numbers, [text for _, text in new], threads=self.threads)
            gains = self.dev.metric.sign * self._metric.scores(rows) * self.dev.words[numbers]
            for (sentence, text), gain in zip(new, gains.tolist(), strict=True):
                self._known[sentence][text] = gain
        return np.array([self._known[sentence][text] for sentence, text in pairs])


def hope_fear_search(dev: DevSet, *, beam: int, nbest: int, threads: int = 0) -> HopeFearSearch:
    """The search that fits the metric of the dev set."""
    if dev.metric.ngram_order == BLEU_ORDER:
        return NgramSearch(dev, beam=beam)
    return ListSearch(dev, beam=beam, nbest=nbest, threads=threads)


def _features(derivation: Derivation) -> SparseVector:
    _, ids, values = feature_matrix([derivation])
    return ids, values
