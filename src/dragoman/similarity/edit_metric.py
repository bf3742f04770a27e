"""SPEDE: the probabilistic edit distance between reference and translation as a metric of translation quality.

Wang and Manning (2012) fit the edit models of `edit_distance` to what people gave translations, and score others with
them: the reference is edited into the translation, and the summed weight of all ways says how good it is. The score of
a segment is that of its best reference; that of a system is the mean over segments. The model is fitted like any scorer
of pairs, with references as first texts and translations as second ones.

The metric stands in this room and not among the others because it is made of what this room knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from dragoman.errors import SettingError
from dragoman.metrics.base import Floats, PreparedReferences
from dragoman.metrics.references import Numbers, References
from dragoman.metrics.segment_means import SegmentMeans
from dragoman.settings import setting
from dragoman.similarity.base import open_scorer
from dragoman.similarity.edit_distance import EditModel
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import PairReasons

__all__ = ["Spede"]


@dataclass(frozen=True, slots=True)
class _ReferenceLines:
    lines: list[str]

    def take(self, segments: Numbers, lines: Numbers) -> _ReferenceLines:
        return _ReferenceLines([self.lines[line] for line in lines.tolist()])


@dataclass(frozen=True, kw_only=True)
class Spede(SegmentMeans):
    """SPEDE: the weight of all ways to edit the reference into the translation (Wang and Manning 2012)."""

    name: ClassVar[str] = "spede"
    columns: ClassVar[tuple[str, ...]] = ("score", "segments")

    model: str = setting("", "The folder of an edit model (`dragoman similarity fit --with ppda`, or `pfsm`).")
    compose: bool = setting(False, "Compose accented letters (NFC) first.")

    def signature_parts(self) -> dict[str, str]:
        return {"edits": _model(self.model).name if self.model else "none"}

    def explain(self, hypothesis: str, references: Sequence[str]) -> PairReasons:
        """The edits behind a segment's score, from the best of its references."""
        model = self._edits()
        pairs = [TextPair.of(reference, hypothesis) for reference in references]
        return model.explain(pairs[int(np.argmax(model.score(pairs)))])

    def details(self, total: Floats) -> dict[str, float]:
        return {}

    def _edits(self) -> EditModel:
        if not self.model:
            raise SettingError("spede needs a model of edits", remedy="give model=FOLDER")
        return _model(self.model)

    def _prepare(self, references: References, threads: int) -> _ReferenceLines:
        self._edits()
        return _ReferenceLines(self._normalize(list(references.lines)))

    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats:
        lines: list[str] = prepared.state.lines
        sizes = np.diff(prepared.groups, prepend=0)
        owners = np.repeat(np.arange(len(hypotheses)), sizes).tolist()
        pairs = [TextPair.of(line, hypotheses[own]) for line, own in zip(lines, owners, strict=True)]
        scores = self._edits().score(pairs, threads=threads)
        best = np.maximum.reduceat(scores, prepared.groups - sizes)
        return np.stack([best, np.ones(len(best))], axis=1)


@lru_cache(maxsize=4)
def _model(path: str) -> EditModel:
    found = open_scorer(path)
    if not isinstance(found, EditModel):
        raise SettingError(f"{found.name} is not a model of edits", where=path, remedy="fit pfsm or ppda")
    return found
