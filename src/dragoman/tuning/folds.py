"""Learning sparse weights from the training text itself, cut into folds.

A dev set of a thousand sentences shows too few words to weigh rules and words one by one: weights that are learned
there fit it and nothing else. The training text has them all, but the models know its sentences by heart. So it is cut
into folds, and each is translated by models of the others: then the features of a sentence are what they will be in new
text, and tens of thousands of sentences teach the weights. (Tuning on held-out bitext: Green, Wang, Cer and Manning
2013; leaving out what a rule was learned from: Wuebker, Mauser and Ney 2010.)

Dense weights go along, from where a dev set put them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dragoman._native.common import Vocabulary
from dragoman.errors import SettingError
from dragoman.features.weights import Weights
from dragoman.forest import Forest, KBestLists
from dragoman.metrics.base import Metric
from dragoman.progress import ProgressCallback
from dragoman.search.base import Decoder, Tunable
from dragoman.search.translation import SentenceTranslation
from dragoman.text.source_text import Source, SourceText
from dragoman.tuning.base import TuningTask
from dragoman.tuning.dev import DevSet
from dragoman.tuning.online import Online

__all__ = ["LEARNER", "Fold", "FoldDecoder", "Learned", "learn_on_folds"]

T = TypeVar("T")

LEARNER = ("batch=200", "rate=0.1", "l1=0.01")
"""How to learn from many sentences: longer steps than on a dev set, with less to keep weights at 0."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A part of the text, and a decoder that was made without it."""

    decoder: Decoder
    source: Sequence[Source]
    target: Sequence[str]


class FoldDecoder(Tunable):
    """Translates each sentence of the text by the models that have not seen it.

    The decoders must share feature ids: make all but the first one `like` the first.
    """

    def __init__(self, decoders: Sequence[Decoder], fold_of: Mapping[str, int]) -> None:
        if any(decoder.feature_ids is not decoders[0].feature_ids for decoder in decoders):
            raise SettingError(
                "decoders of folds that number features differently", remedy="make them `like` the first"
            )
        self.decoders, self._fold_of = tuple(decoders), fold_of
        self.features = decoders[0].features

    @property
    def weights(self) -> Weights:
        return self.decoders[0].weights

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.decoders[0].feature_names

    @property
    def feature_ids(self) -> Vocabulary:
        return self.decoders[0].feature_ids

    def with_weights(self, weights: Mapping[str, float]) -> FoldDecoder:
        return FoldDecoder([decoder.with_weights(weights) for decoder in self.decoders], self._fold_of)

    def with_vector(self, vector: NDArray[np.float64]) -> FoldDecoder:
        return FoldDecoder([decoder.with_vector(vector) for decoder in self.decoders], self._fold_of)

    def try_translate(
        self, sentences: Sequence[Source], *, threads: int = 0, forests: bool = False
    ) -> list[SentenceTranslation | Exception]:
        return self._each(
            sentences, lambda decoder, some: decoder.try_translate(some, threads=threads, forests=forests)
        )

    def forests(self, sentences: Sequence[Source], *, threads: int = 0) -> list[Forest]:
        return self._each(sentences, lambda decoder, some: decoder.forests(some, threads=threads))

    def kbest_lists(
        self, sentences: Sequence[Source], *, nbest: int, distinct: bool = False, threads: int = 0
    ) -> KBestLists:
        parts = self._parts(sentences)
        lists = [
            decoder.kbest_lists([sentences[place] for place in places], nbest=nbest, distinct=distinct, threads=threads)
            for decoder, places in parts
        ]
        if not lists:
            return self.decoders[0].kbest_lists([], nbest=nbest)
        joined = KBestLists.joined(lists)
        order = np.argsort([place for _, places in parts for place in places], kind="stable")
        return joined if np.array_equal(order, np.arange(len(order))) else joined.chosen(order.tolist())

    def _each(self, sentences: Sequence[Source], work: Callable[[Decoder, list[Source]], list[T]]) -> list[T]:
        found: dict[int, T] = {}
        for decoder, places in self._parts(sentences):
            found.update(zip(places, work(decoder, [sentences[place] for place in places]), strict=True))
        return [found[place] for place in range(len(sentences))]

    def _parts(self, sentences: Sequence[Source]) -> list[tuple[Decoder, list[int]]]:
        """Decoders that have something to do, and which of the sentences."""
        places: list[list[int]] = [[] for _ in self.decoders]
        for place, sentence in enumerate(sentences):
            places[self._fold_of[SourceText.of(sentence).text]].append(place)
        return [(decoder, some) for decoder, some in zip(self.decoders, places, strict=True) if some]


@dataclass(frozen=True, slots=True)
class Learned:
    """Weights, the score of each pass over the text, of translations made on the way, and what the tuner warned of."""

    weights: Weights
    scores: tuple[float, ...]
    warnings: tuple[str, ...] = ()


def learn_on_folds(
    folds: Sequence[Fold],
    start: Weights,
    *,
    tuner: Online | None = None,
    metric: str | Metric = "bleu",
    passes: int = 1,
    nbest: int = 100,
    seed: int = 1,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Learned:
    """Weights of all features, learned online in some passes over the sentences of all folds."""
    fold_of = {SourceText.of(text).text: number for number, fold in enumerate(folds) for text in fold.source}
    source = [sentence for fold in folds for sentence in fold.source]
    target = [sentence for fold in folds for sentence in fold.target]
    task = TuningTask(
        decoder=FoldDecoder([fold.decoder for fold in folds], fold_of),
        dev=DevSet.of(source, target, metric, threads=threads),
        iterations=passes,
        nbest=nbest,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    session = (tuner or Online.configured(LEARNER)).start(task)
    weights, scores = start, []
    warnings: dict[str, None] = {}
    for number in range(passes):
        step = session.step(number, weights)
        assert step.following is not None, "an online tuner is never done"
        weights = step.following
        scores.append(float(step.details["pass_score"]))
        warnings |= dict.fromkeys(step.warnings)
    return Learned(weights, tuple(scores), tuple(warnings))
