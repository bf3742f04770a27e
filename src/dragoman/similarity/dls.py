"""DLS: the share of words of content that can be aligned.

Sultan, Bethard and Sumner (2014), first of 2014 without any training: with an alignment of the two sentences (see
`word_alignment`), the score is the harmonic mean of the shares of words of content that it covers on both sides. Words
that many texts of a task have, as definitions have `act` and `something`, say little there: `weighted` counts words in
the texts that it is fitted to, and lets rare ones count more.

    >>> from dragoman.similarity.pairs import TextPair
    >>> scorer = Dls(dependencies=False)
    >>> pair = TextPair.of("A small cat slept on the red mat.", "On a red mat slept the tiny cat.")
    >>> scorer.score([pair]).round(4).tolist()
    [0.8]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from dragoman.align.monolingual import MonolingualAlignment
from dragoman.metrics.lexical import paraphrase_lexicon
from dragoman.progress import ProgressCallback
from dragoman.settings import setting
from dragoman.similarity.base import PairScorer, Scores, SetNames
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import Contribution, PairReasons
from dragoman.similarity.records import TermWeights
from dragoman.similarity.word_alignment import GLOSS_WORDS, AlignedText, WordAligner
from dragoman.similarity.words import FUNCTION_WORDS, cut

__all__ = ["Dls", "aligned_shares", "harmonic_mean"]


def harmonic_mean(first: float, second: float) -> float:
    """2ab / (a + b), 0 if both are 0."""
    return 2 * first * second / (first + second) if first + second > 0 else 0.0


def aligned_shares(
    first: AlignedText,
    second: AlignedText,
    alignment: MonolingualAlignment,
    weight: Callable[[str], float] = lambda word: 1.0,
) -> tuple[float, float]:
    """The share of words of content on each side that are aligned, by their weights; 0 where there are none."""
    shares = []
    for side, text in enumerate((first, second)):
        aligned = alignment.positions(side)
        weights = {at: weight(text.words[at].lower()) for at in text.content_words()}
        total = sum(weights.values())
        shares.append(sum(value for at, value in weights.items() if at in aligned) / total if total > 0 else 0.0)
    return shares[0], shares[1]


@dataclass(kw_only=True, eq=False)
class Dls(PairScorer):
    """The share of words of content that can be aligned (Sultan, Bethard and Sumner 2014)."""

    name: ClassVar[str] = "dls"
    resources: ClassVar[tuple[str, ...]] = ("paraphrases",)
    language: str = setting("en", "Of both texts: words of function and stems.", choices=FUNCTION_WORDS)
    dependencies: bool = setting(
        True, "Look at neighbours in the dependency tree, which must be there; else at the text alone."
    )
    paraphrases: str = setting("", "A file of words that mean the same: `word<TAB>word`, or with `|||`.")
    gloss_words: bool = setting(False, "Definitions: words such as `someone` and `act` say nothing.")
    window: int = setting(3, "Words on each side that are neighbours in the text.", least=1, most=50)
    weighted: bool = setting(
        False, "Words count by how few of the texts that it was fitted to have them; what people gave is not used."
    )
    weight: float = setting(0.9, "What the words themselves count against their neighbours.", least=0, most=1)

    _counted: TermWeights | None = field(default=None, init=False, repr=False)

    @property
    def learns(self) -> bool:
        return self.weighted

    @property
    def fitted(self) -> bool:
        return not self.weighted or self._counted is not None

    @property
    def needs(self) -> tuple[str, ...]:
        return ("dependencies",) if self.dependencies else ()

    @cached_property
    def aligner(self) -> WordAligner:
        """The aligner with these settings."""
        return WordAligner(
            language=self.language,
            paraphrases=paraphrase_lexicon(self.paraphrases) if self.paraphrases else {},
            dependencies=self.dependencies,
            window=self.window,
            weight=self.weight,
            more_function_words=GLOSS_WORDS if self.gloss_words else frozenset(),
        )

    def align(self, pair: TextPair) -> tuple[AlignedText, AlignedText, MonolingualAlignment]:
        """Both sentences as the aligner sees them, and the matches."""
        first, second = self.aligner.prepare(pair.first), self.aligner.prepare(pair.second)
        return first, second, self.aligner.align(first, second)

    def _fit(
        self,
        pairs: list[TextPair],
        gold: Scores,
        sets: SetNames,
        seed: int,
        threads: int,
        progress: ProgressCallback | None,
    ) -> None:
        texts = [{word.lower() for word in cut(text)} for pair in pairs for text in pair.texts]
        self._counted = TermWeights(len(texts), Counter(word for text in texts for word in text))

    def _weight(self, word: str) -> float:
        return 1.0 if self._counted is None else self._counted.weight(word)

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        return np.array([self._score(*self.align(pair)) for pair in pairs], np.float64)

    def _score(self, first: AlignedText, second: AlignedText, alignment: MonolingualAlignment) -> float:
        if not first.content_words() or not second.content_words():
            return float(_lowered(first.words) == _lowered(second.words))
        return harmonic_mean(*aligned_shares(first, second, alignment, self._weight))

    def _write(self, folder: Path) -> None:
        if self._counted is not None:
            self._counted.save(folder)

    def _read(self, folder: Path) -> None:
        if self.weighted:
            self._counted = TermWeights.open(folder)

    def _explain(self, pair: TextPair) -> PairReasons:
        first, second, alignment = self.align(pair)
        shares = aligned_shares(first, second, alignment, self._weight)
        features = (
            Contribution("aligned words of content, first", shares[0]),
            Contribution("aligned words of content, second", shares[1]),
        )
        return PairReasons(
            self.name, self._score(first, second, alignment), first.words, second.words, alignment, features
        )


def _lowered(words: Sequence[str]) -> list[str]:
    return [word.lower() for word in words]
