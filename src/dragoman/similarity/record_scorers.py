"""Records of a catalogue as texts of pairs, so that everything that works with scorers works with records.

A text that is a JSON object is a record (`dragoman.similarity.records`); any other text is one that has a title only.
`records` is the baseline of the typed task of 2013 in one respect, `typed` a regression over what all fields say,
fitted to whatever people were asked (Agirre et al. 2013). People, places and verbs of a record are known if annotators
are named that find them.

    >>> from dragoman.similarity import TextPair, get_scorer
    >>> pair = TextPair.of('{"dcTitle": "a map", "dcCreator": "Anna Bach"}', '{"dcCreator": "anna bach"}')
    >>> get_scorer("records", ["respect=author"]).score([pair]).tolist()
    [1.0]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dragoman.annotations import annotator_chain
from dragoman.progress import ProgressCallback
from dragoman.settings import setting
from dragoman.similarity.base import PairScorer, Scores, SetNames
from dragoman.similarity.learned import FeatureScorer
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import PairReasons
from dragoman.similarity.records import TYPES, Record, TermWeights, annotate_records, parse_record, read_records
from dragoman.similarity.typed_regression import KINDS, cosine_reasons, record_features, record_reasons

__all__ = ["RecordCosine", "TypedRecords"]

_EVEN = TermWeights(2, {})
"""All words weigh the same."""


def _record(text: str) -> Record:
    return parse_record(text, where=text[:60]) if text.lstrip().startswith("{") else Record("", title=text)


@dataclass(kw_only=True, eq=False)
class _WithRecords(PairScorer):
    resources: ClassVar[tuple[str, ...]] = ("catalogue", "annotators")
    catalogue: str = setting("", "Records in which words are counted, a JSON object a line: rare words weigh more.")
    annotators: tuple[str, ...] = setting(
        (), "Model folders and annotators, one after the other, that find people, places and verbs."
    )
    _counted: TermWeights | None = field(default=None, init=False, repr=False)

    @cached_property
    def _chain(self) -> annotator_chain.AnnotatorChain:
        return annotator_chain.of_parts(self.annotators)

    def _annotated(self, records: Sequence[Record], threads: int) -> list[Record]:
        return annotate_records(records, self._chain, threads=threads) if self.annotators else list(records)

    def records(self, pairs: Iterable[TextPair], threads: int = 0) -> list[tuple[Record, Record]]:
        """The records of pairs; each is annotated once."""
        given = list(pairs)
        texts = list(dict.fromkeys(text for pair in given for text in pair.texts))
        known = dict(zip(texts, self._annotated([_record(text) for text in texts], threads), strict=True))
        return [(known[pair.texts[0]], known[pair.texts[1]]) for pair in given]

    def weights(self, threads: int = 0) -> TermWeights:
        """How much words weigh: by the catalogue, by what was learned from, or all the same."""
        if self._counted is None and self.catalogue:
            self._counted = TermWeights.of(self._annotated(list(read_records(self.catalogue).values()), threads))
        return self._counted or _EVEN


@dataclass(kw_only=True, eq=False)
class RecordCosine(_WithRecords):
    """In one respect, how alike two records of a catalogue are: the cosine of weighted words (Agirre et al. 2013)."""

    name: ClassVar[str] = "records"
    respect: str = setting("general", "In which respect.", choices=TYPES)

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        weights = self.weights(threads)
        found = [
            weights.cosine(one.words(self.respect), other.words(self.respect))
            for one, other in self.records(pairs, threads)
        ]
        return np.array(found, np.float64)

    def _explain(self, pair: TextPair) -> PairReasons:
        return cosine_reasons(self.records([pair])[0], self.respect, self.weights(), self.name)


@dataclass(kw_only=True, eq=False)
class TypedRecords(_WithRecords, FeatureScorer):
    """How alike two records of a catalogue are, by regression over all of their fields (Agirre et al. 2013)."""

    name: ClassVar[str] = "typed"
    kind: str = setting("rbf", "A Gaussian kernel, a linear one, or ridge regression.", choices=KINDS)
    cost: float = setting(1.0, "How much an error of a training pair costs (support vectors).", above=0)
    epsilon: float = setting(0.05, "Errors up to this cost nothing, on the scale from 0 to 1.", least=0, most=1)

    def features(self, pair: TextPair) -> dict[str, float]:
        return record_features(*self.records([pair])[0], self.weights())

    def matrix(self, pairs: list[TextPair]) -> tuple[tuple[str, ...], Scores]:
        rows = [record_features(one, other, self.weights()) for one, other in self.records(pairs)]
        return tuple(rows[0]), np.array([list(row.values()) for row in rows], np.float64)

    def _regressor_settings(self) -> tuple[str, dict[str, Any]]:
        if self.kind == "ridge":
            return "ridge", {}
        return "svr", {"cost": self.cost, "epsilon": self.epsilon, "gamma": 0.0 if self.kind == "linear" else None}

    def _count(self, pairs: Sequence[TextPair], threads: int) -> None:
        """Without a catalogue, words are counted in the records that are learned from."""
        if not self.catalogue:
            known = {record: None for pair in self.records(pairs, threads) for record in pair}
            self._counted = TermWeights.of(known)

    def _fit(
        self,
        pairs: list[TextPair],
        gold: Scores,
        sets: SetNames,
        seed: int,
        threads: int,
        progress: ProgressCallback | None,
    ) -> None:
        self._count(pairs, threads)
        super()._fit(pairs, gold, sets, seed, threads, progress)

    def held_out(
        self, pairs: Sequence[TextPair], gold: Scores, fold_of: NDArray[np.int64], *, seed: int = 1, threads: int = 0
    ) -> Scores:
        self._count(pairs, threads)
        return super().held_out(pairs, gold, fold_of, seed=seed, threads=threads)

    def _explain(self, pair: TextPair) -> PairReasons:
        plain = super()._explain(pair)
        return record_reasons(self.records([pair])[0], "general", self.name, plain.score, plain.features, plain.notes)

    def _write(self, folder: Path) -> None:
        super()._write(folder)
        self.weights().save(folder)

    def _read(self, folder: Path) -> None:
        super()._read(folder)
        self._counted = TermWeights.open(folder)
