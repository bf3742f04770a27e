"""An ensemble: a regression over the scores of other scorers, each seeing what the others miss.

Stacked regression (Wolpert 1992; Breiman 1996). Members that learn are judged on pairs that they were not fitted to:
the training pairs are cut into folds, each fold is scored by members fitted to the others, and the regression is fitted
to those scores; then the members are fitted to all pairs. Without that the regression would trust whoever remembers
best.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from dragoman.errors import SettingError
from dragoman.progress import Progress, ProgressCallback
from dragoman.seeds import stream
from dragoman.settings import setting
from dragoman.similarity.base import PairScorer, Scores, get_scorer, open_scorer
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import Contribution, PairReasons
from dragoman.similarity.regression import Regressor, fit_regressor, read_regressor

__all__ = ["Ensemble", "member_of"]


def member_of(spec: str) -> PairScorer:
    """A scorer as an ensemble names it: `NAME`, or with settings, `NAME:SETTING=VALUE:SETTING=VALUE`."""
    name, *options = spec.split(":")
    return get_scorer(name, options)


@dataclass(kw_only=True, eq=False)
class Ensemble(PairScorer):
    """A regression over the scores of other scorers (Wolpert 1992)."""

    name: ClassVar[str] = "ensemble"
    learns: ClassVar[bool] = True
    members: tuple[str, ...] = setting(
        ("token-cosine", "string", "soft-cardinality", "ukp:wordnet=false"),
        "Scorers, with their settings as NAME:SETTING=VALUE.",
        valid=lambda names: len(names) > 1,
        wanted="two or more scorers",
    )
    folds: int = setting(5, "Parts that the training pairs are cut into.", least=2, most=100)
    penalty: float = setting(1.0, "On the weights of the regression.", least=0)
    _scorers: list[PairScorer] = field(default_factory=list, init=False, repr=False)
    _regressor: Regressor | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._scorers = [member_of(spec) for spec in self.members]
        if any(isinstance(member, Ensemble) for member in self._scorers):
            raise SettingError("an ensemble of ensembles", remedy="name their members")

    @property
    def needs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(layer for member in self._scorers for layer in member.needs))

    @property
    def fitted(self) -> bool:
        return self._regressor is not None

    def _fit(
        self, pairs: list[TextPair], gold: Scores, seed: int, threads: int, progress: ProgressCallback | None
    ) -> None:
        if len(pairs) < self.folds:
            raise SettingError(f"{len(pairs)} pairs for {self.folds} folds", remedy="give more pairs, or fewer folds")
        fold_of = stream(seed, "folds").permutation(len(pairs)) % self.folds
        columns = np.zeros((len(pairs), len(self._scorers)))
        for number, member in enumerate(self._scorers):
            if progress is not None:
                progress(Progress("members", number, len(self._scorers)))
            if not member.learns:
                columns[:, number] = member.score(pairs, threads=threads)
                continue
            for fold in range(self.folds):
                rest, own = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
                member.fit([pairs[at] for at in rest], gold[rest], seed=seed, threads=threads)
                columns[own, number] = member.score([pairs[at] for at in own], threads=threads)
            member.fit(pairs, gold, seed=seed, threads=threads)
        self._regressor = fit_regressor("ridge", self.members, columns, gold, penalty=self.penalty)

    def _columns(self, pairs: list[TextPair], threads: int) -> Scores:
        return np.stack([member.score(pairs, threads=threads) for member in self._scorers], axis=1)

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        assert self._regressor is not None
        return self._regressor.predict(self._columns(pairs, threads))

    def _explain(self, pair: TextPair) -> PairReasons:
        """The reasons of the member with the largest share that has an alignment, and what each member adds."""
        assert self._regressor is not None
        values = self._columns([pair], 1)[0]
        shares = self._regressor.shares(values)
        order = np.argsort(-np.abs(shares), kind="stable").tolist()
        told = [self._scorers[at].explain(pair) for at in order]
        shown = next((reasons for reasons in told if reasons.alignment is not None), told[0])
        return PairReasons(
            self.name,
            float(self._regressor.predict(values[np.newaxis])[0]),
            shown.first,
            shown.second,
            shown.alignment,
            tuple(
                Contribution(name, value, share)
                for name, value, share in zip(self.members, values.tolist(), shares.tolist(), strict=True)
            ),
            roles=next((reasons.roles for reasons in told if reasons.roles), ()),
            notes=(f"the words are those of {shown.scorer}",),
        )

    def _write(self, folder: Path) -> None:
        assert self._regressor is not None
        self._regressor.save(folder)
        for number, member in enumerate(self._scorers):
            member.save(folder / "members" / str(number))

    def _read(self, folder: Path) -> None:
        self._regressor = read_regressor(folder)
        self._scorers = [open_scorer(folder / "members" / str(number)) for number in range(len(self.members))]
