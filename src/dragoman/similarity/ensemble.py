"""An ensemble: a regression over the scores of other scorers, each seeing what the others miss.

Stacked regression (Wolpert 1992; Breiman 1996). Members that learn are judged on pairs that they were not fitted to:
the training pairs are cut into folds, each fold is scored by members fitted to the others, and the regression is fitted
to those scores; then the members are fitted to all pairs. Without that the regression would trust whoever remembers
best.

Texts that will be scored are often of another kind than those that were learned from, and what was learned may mislead
there. Three things keep the weights from learning too much: none is negative (Breiman 1996), because a member that
fails on one kind of text must not be held against another; they are drawn to each other by a strong penalty, so that no
member decides alone; and they explain differences within sets, not between them: that one set is rated higher than
another says nothing about its pairs.

Where texts that will be scored are of the kind of one of the sets, that set may have a say of its own (`like`): weights
then explain its pairs, and are drawn to those of all sets instead of to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from dragoman.errors import SettingError
from dragoman.progress import Progress, ProgressCallback
from dragoman.seeds import stream
from dragoman.settings import setting
from dragoman.similarity.base import PairScorer, Scores, SetNames, get_scorer, open_scorer
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import Contribution, PairReasons
from dragoman.similarity.regression import Regressor, Ridge, read_regressor

__all__ = ["Ensemble", "member_of", "random_folds", "stacked"]


def member_of(spec: str) -> PairScorer:
    """A scorer as an ensemble names it: `NAME`, or with settings, `NAME:SETTING=VALUE:SETTING=VALUE`."""
    name, *options = spec.split(":")
    return get_scorer(name, options)


def random_folds(size: int, folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each of so many pairs."""
    return stream(seed, "folds").permutation(size) % folds


def stacked(
    names: Sequence[str],
    columns: Scores,
    gold: Scores,
    sets: SetNames,
    *,
    penalty: float = 1.0,
    like: str = "",
    closeness: float = 0.3,
) -> Ridge:
    """Weights of columns, none negative, that explain gold scores within sets; then the line to the scale of all.

    >>> draws = np.random.default_rng(1)
    >>> good, useless = draws.random(60), draws.random(60)
    >>> columns, sets = np.stack([good, useless], 1), np.array(["news", "mail", "talk"] * 20)
    >>> gold = good + (sets == "mail")
    >>> stacked(["good", "useless"], columns, gold, sets, penalty=0).weights.round(1).tolist()[1]
    0.0
    """
    centred = columns - _set_means(columns, sets)
    scales = np.sqrt((centred**2).mean(0))
    scales[scales < 1e-12] = 1.0
    rows, wanted = centred / scales, gold - _set_means(gold[:, None], sets)[:, 0]
    weights = _drawn(rows, wanted, np.zeros(len(names)), penalty)
    if like:
        own = sets == like
        weights = _drawn(rows[own], wanted[own], weights, closeness)
    means = columns.mean(0)
    together = (columns - means) / scales @ weights
    spread = float(together @ together)
    slope = float(together @ (gold - gold.mean())) / spread if spread > 0 else 0.0
    return Ridge(tuple(names), means, scales, max(slope, 1e-3) * weights, float(gold.mean()))


def _drawn(rows: Scores, wanted: Scores, towards: Scores, strength: float) -> Scores:
    """Weights of least squares, none negative, drawn towards others as strongly as so many times all rows."""
    pull = np.sqrt(strength * len(rows))
    found: Scores = nnls(np.vstack([rows, pull * np.eye(rows.shape[1])]), np.concatenate([wanted, pull * towards]))[0]
    return found


def _set_means(values: Scores, sets: SetNames) -> Scores:
    """For each row the means over its set."""
    numbers = np.unique(sets, return_inverse=True)[1]
    sums = np.zeros((int(numbers.max()) + 1, values.shape[1]))
    np.add.at(sums, numbers, values)
    found: Scores = (sums / np.bincount(numbers)[:, None])[numbers]
    return found


@dataclass(kw_only=True, eq=False)
class Ensemble(PairScorer):
    """A regression over the scores of other scorers (Wolpert 1992)."""

    name: ClassVar[str] = "ensemble"
    members: tuple[str, ...] = setting(
        ("token-cosine", "string", "soft-cardinality", "ukp:wordnet=false"),
        "Scorers, with their settings as NAME:SETTING=VALUE.",
        valid=lambda names: len(names) > 1,
        wanted="two or more scorers",
    )
    folds: int = setting(5, "Parts that the training pairs are cut into.", least=2, most=100)
    penalty: float = setting(
        1.0, "On the weights of the regression; 1 counts for each weight as much as all pairs.", least=0
    )
    like: str = setting("", "Texts to be scored are of the kind of this set, one of those that it is fitted to.")
    closeness: float = setting(
        0.3, "How much the weights for that set are drawn to those of all; 1 counts as much as its pairs.", least=0
    )
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
    def learns(self) -> bool:
        return True

    @property
    def fitted(self) -> bool:
        return self._regressor is not None

    def _fit(
        self,
        pairs: list[TextPair],
        gold: Scores,
        sets: SetNames,
        seed: int,
        threads: int,
        progress: ProgressCallback | None,
    ) -> None:
        if len(pairs) < self.folds:
            raise SettingError(f"{len(pairs)} pairs for {self.folds} folds", remedy="give more pairs, or fewer folds")
        if self.like and self.like not in sets:
            known = ", ".join(np.unique(sets).tolist())
            raise SettingError(f"no set is called {self.like!r}", remedy=f"choose from {known}")
        fold_of = random_folds(len(pairs), self.folds, seed)
        columns = np.zeros((len(pairs), len(self._scorers)))
        for number, member in enumerate(self._scorers):
            if progress is not None:
                progress(Progress("members", number, len(self._scorers)))
            columns[:, number] = member.held_out(pairs, gold, fold_of, seed=seed, threads=threads)
        self._regressor = stacked(
            self.members, columns, gold, sets, penalty=self.penalty, like=self.like, closeness=self.closeness
        )

    @property
    def scorers(self) -> tuple[PairScorer, ...]:
        """The members; once the ensemble is fitted, those that learn are fitted to all of its pairs."""
        return tuple(self._scorers)

    def combined(self, columns: Scores) -> Scores:
        """Scores of pairs from those of the members, a column for each."""
        self._require_fitted()
        assert self._regressor is not None
        return self._regressor.predict(columns)

    def _columns(self, pairs: list[TextPair], threads: int) -> Scores:
        return np.stack([member.score(pairs, threads=threads) for member in self._scorers], axis=1)

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        return self.combined(self._columns(pairs, threads))

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
