"""Similarity of texts in two languages by translating them first, with models trained here.

What most systems of 2014 did for Spanish: translate, then score in the other language. Scoring several translations of
each text against each other and taking the mean did better than the single best one (Kashyap et al. 2014). The scorer
that compares the translations may learn; it is then fitted to translated pairs, so that it knows how they read.

It stands in this room because it is made of a model; everybody finds it among the scorers of pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from dragoman.annotations import annotator_chain
from dragoman.errors import SettingError
from dragoman.pipeline.model import Model
from dragoman.progress import ProgressCallback
from dragoman.settings import setting
from dragoman.similarity.base import PairScorer, Scores, SetNames, annotate_pairs, open_scorer
from dragoman.similarity.cross_lingual import Translate, means_of, translated_pairs
from dragoman.similarity.ensemble import member_of
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import Contribution, PairReasons

__all__ = ["TranslatedSimilarity"]


@lru_cache(maxsize=2)
def _model(path: str) -> Model:
    return Model.open(path)


@lru_cache(maxsize=2)
def _chain(parts: tuple[str, ...]) -> annotator_chain.AnnotatorChain:
    return annotator_chain.of_parts(parts)


@dataclass(kw_only=True, eq=False)
class TranslatedSimilarity(PairScorer):
    """Texts in two languages: one side or both translated with a model, then compared by another scorer."""

    name: ClassVar[str] = "translated"
    resources: ClassVar[tuple[str, ...]] = ("first", "second", "annotators")
    scorer: str = setting("soft-cardinality", "What compares the translations, with its settings: NAME:SETTING=VALUE.")
    first: str = setting("", "The folder of a model that translates the first texts; else they stand as they are.")
    second: str = setting("", "The folder of a model that translates the second texts.")
    variants: int = setting(1, "Best translations of each text to average over.", least=1, most=1000)
    annotators: tuple[str, ...] = setting(
        (), "Model folders and annotators, one after the other, if the scorer looks at trees or roles."
    )
    _scorer: PairScorer | None = field(default=None, init=False, repr=False)

    @classmethod
    def around(cls, scorer: PairScorer, **settings: Any) -> Self:
        """With a scorer that is there already."""
        made = cls(scorer=scorer.name, **settings)
        made._scorer = scorer
        return made

    @property
    def compared(self) -> PairScorer:
        """What compares the translations."""
        if self._scorer is None:
            self._scorer = member_of(self.scorer)
        return self._scorer

    @property
    def learns(self) -> bool:
        return self.compared.learns

    @property
    def fitted(self) -> bool:
        return self.compared.fitted

    def _translator(self, path: str, threads: int) -> Translate | None:
        if not path:
            return None
        model = _model(path)

        def translate(texts: Sequence[str]) -> list[list[str]]:
            made = model.translate(list(texts), threads=threads)
            return [
                [each.text for each in one.nbest(self.variants)] if self.variants > 1 else [one.text] for one in made
            ]

        return translate

    def _translated(self, pairs: Sequence[TextPair], threads: int) -> tuple[list[TextPair], np.ndarray[Any, Any]]:
        if not self.first and not self.second:
            raise SettingError(
                "translated needs a model for one side or both", remedy="give first=FOLDER or second=FOLDER"
            )
        translators = [self._translator(path, threads) for path in (self.first, self.second)]
        crossed, owners = translated_pairs(pairs, first=translators[0], second=translators[1])
        if self.annotators:
            crossed = annotate_pairs(crossed, _chain(tuple(self.annotators)), threads=threads)
        return crossed, owners

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        crossed, owners = self._translated(pairs, threads)
        return means_of(self.compared.score(crossed, threads=threads), owners, len(pairs))

    def _fit(
        self,
        pairs: list[TextPair],
        gold: Scores,
        sets: SetNames,
        seed: int,
        threads: int,
        progress: ProgressCallback | None,
    ) -> None:
        crossed, owners = self._translated(pairs, threads)
        names = list(map(str, sets[owners]))
        self.compared.fit(crossed, gold[owners], sets=names, seed=seed, threads=threads, progress=progress)

    def _explain(self, pair: TextPair) -> PairReasons:
        """The reasons of the best translations, and what the others scored."""
        crossed, _ = self._translated([pair], 1)
        scores = self.compared.score(crossed, threads=1)
        told = self.compared.explain(crossed[0])
        features = told.features
        if len(crossed) > 1:
            features = tuple(
                Contribution(" / ".join(one.texts), score, score / len(crossed))
                for one, score in zip(crossed, scores.tolist(), strict=True)
            )
        notes = [
            f"the {name} text, translated: {crossed[0].texts[side]}"
            for side, (name, path) in enumerate((("first", self.first), ("second", self.second)))
            if path
        ]
        if len(crossed) > 1:
            notes.append(f"the mean over {len(crossed)} pairs of translations; the words are those of the best ones")
        return PairReasons(
            self.name,
            float(scores.mean()),
            told.first,
            told.second,
            told.alignment,
            features,
            told.roles,
            (*notes, f"compared by {told.scorer}", *told.notes),
        )

    def _write(self, folder: Path) -> None:
        self.compared.save(folder / "scorer")

    def _read(self, folder: Path) -> None:
        self._scorer = open_scorer(folder / "scorer")
