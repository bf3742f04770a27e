"""Typed similarity that is learned: one regression for each type, over what all fields say.

The best systems of 2013 trained a support-vector regression per type on the features of all types, with a linear or a
Gaussian kernel, because the respects in which two records are alike go together (Agirre et al. 2013). Features: the
eight cosines of the baseline, shares of words in common by field, how near the closest years are, how alike titles and
creators are spelled, and which fields are missing. All are the same for (a, b) and (b, a).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dragoman.bundle import Bundle, Provenance, writing_bundle
from dragoman.errors import FormatError, InputError, LengthMismatch, SettingError
from dragoman.plain_data import parse_json
from dragoman.settings import Settings, setting
from dragoman.similarity.records import TYPES, Number, Record, TermWeights, baseline_scores
from dragoman.similarity.regression import Regressor, fit_regressor, read_regressor
from dragoman.text.strings import string_similarities

__all__ = ["KIND", "KINDS", "TypedRegression", "record_features"]

KIND = "typed-similarity"
KINDS = ("rbf", "linear", "ridge")
_COMPARED = ("author", "subject", "description", "general")


def record_features(first: Record, second: Record, weights: TermWeights) -> dict[str, float]:
    """What a regression of any type sees of two records."""
    found = {f"cosine, {kind}": value for kind, value in baseline_scores(first, second, weights).items()}
    for kind in _COMPARED:
        ours, theirs = set(first.words(kind)), set(second.words(kind))
        common, either = len(ours & theirs), len(ours | theirs)
        found[f"in common, {kind}"] = common / either if either else 0.0
        found[f"contained, {kind}"] = common / min(len(ours), len(theirs)) if ours and theirs else 0.0
    apart = [abs(one - other) for one in first.years for other in second.years]
    found["years"] = 1 / (1 + min(apart) / 10) if apart else 0.0
    texts = {"title": (first.title, second.title), "creator": tuple(" ".join(r.creator) for r in (first, second))}
    for name, (one, other) in texts.items():
        alike = string_similarities([one.lower()], [other.lower()], threads=1)[0] if one and other else 0.0
        found[f"spelling, {name}"] = float(alike)
    for name in ("title", "subject", "description", "creator", "date"):
        found[f"missing, {name}"] = sum(not getattr(record, name) for record in (first, second)) / 2
    return found


@dataclass(kw_only=True, eq=False)
class TypedRegression(Settings):
    """One regression for each type (Agirre et al. 2013); scores are on the scale of 0 to 1."""

    kind: str = setting("rbf", "A Gaussian kernel, a linear one, or ridge regression.", choices=KINDS)
    cost: float = setting(1.0, "How much an error of a training pair costs (support vectors).", above=0)
    epsilon: float = setting(0.05, "Errors up to this cost nothing, on the scale from 0 to 1.", least=0, most=1)
    _weights: TermWeights | None = field(default=None, init=False, repr=False)
    _regressors: dict[str, Regressor] = field(default_factory=dict, init=False, repr=False)

    def _matrix(self, pairs: Sequence[tuple[Record, Record]]) -> tuple[tuple[str, ...], Number]:
        if self._weights is None:
            raise SettingError("typed similarity must be fitted first", remedy="use `dragoman similarity records fit`")
        rows = [record_features(one, other, self._weights) for one, other in pairs]
        names = tuple(rows[0]) if rows else ()
        return names, np.array([list(row.values()) for row in rows], np.float64).reshape(len(rows), -1)

    def fit(self, pairs: Sequence[tuple[Record, Record]], gold: Number, weights: TermWeights) -> TypedRegression:
        """Learn from pairs and a row of eight scores (0 to 1) for each; `weights` come from the collection."""
        if len(pairs) != len(gold) or gold.ndim != 2 or gold.shape[1] != len(TYPES):
            raise LengthMismatch(f"{len(pairs)} pairs but gold scores of shape {gold.shape}")
        if len(pairs) < 2:
            raise InputError("too few pairs to learn from")
        self._weights = weights
        names, rows = self._matrix(pairs)
        settings: dict[str, Any] = {}
        if self.kind != "ridge":
            settings = {"cost": self.cost, "epsilon": self.epsilon, "gamma": 0.0 if self.kind == "linear" else None}
        model = "ridge" if self.kind == "ridge" else "svr"
        self._regressors = {
            kind: fit_regressor(model, names, rows, gold[:, at], **settings) for at, kind in enumerate(TYPES)
        }
        return self

    def score(self, pairs: Sequence[tuple[Record, Record]]) -> Number:
        """A row of eight scores for each pair."""
        _, rows = self._matrix(pairs)
        return np.stack([self._regressors[kind].predict(rows) for kind in TYPES], axis=1)

    def explain(self, pair: tuple[Record, Record], kind: str, *, limit: int = 8) -> list[tuple[str, float, float]]:
        """The features that decide most for a type: name, value, and what the score changes by it."""
        if kind not in TYPES:
            raise SettingError(f"no type is called {kind!r}", remedy=f"choose from {', '.join(TYPES)}")
        names, rows = self._matrix([pair])
        shares = self._regressors[kind].shares(rows[0])
        order = np.argsort(-np.abs(shares), kind="stable")[:limit]
        return [(names[at], float(rows[0, at]), float(shares[at])) for at in order]

    def save(self, path: Path | str, *, provenance: Provenance | None = None) -> None:
        """Write a bundle."""
        if self._weights is None:
            raise SettingError("typed similarity must be fitted first", remedy="use `dragoman similarity records fit`")
        with writing_bundle(path, kind=KIND, settings=self.to_dict(), provenance=provenance) as folder:
            counted = {"records": self._weights.records, "counts": dict(self._weights.counts)}
            (folder / "words.json").write_text(json.dumps(counted, ensure_ascii=False) + "\n", "utf-8")
            for kind, regressor in self._regressors.items():
                (folder / kind).mkdir()
                regressor.save(folder / kind)

    @classmethod
    def open(cls, path: Path | str) -> TypedRegression:
        """What `save` wrote."""
        bundle = Bundle.open(path, kind=KIND)
        found = cls.from_dict(bundle.settings, where=str(path))
        file = bundle.path / "words.json"
        plain = parse_json(file.read_bytes(), where=str(file))
        try:
            counts = {str(word): int(count) for word, count in plain["counts"].items()}
            found._weights = TermWeights(int(plain["records"]), counts)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"damaged model: {error}", where=str(file), remedy="fit it again") from None
        found._regressors = {kind: read_regressor(bundle.path / kind) for kind in TYPES}
        return found
