"""Probabilistic edit distance: the weight of all ways to edit one text into the other, fitted to what people gave.

Wang and Cer (2012). Words are deleted, inserted, and substituted where they match: the same word or mark, the same
stem, synonyms, paraphrases of up to two words. Each operation and each pair of neighbouring operations has a weight; a
pair's value is the logarithm of the summed weight of *all* edit sequences, divided by the number of words, plus a
constant, and the weights are those for which the values come nearest to people's scores (least squares, L-BFGS).
`pfsm` edits from left to right; `ppda` may jump over a gap, match a block, and come back to fill the gap, on either
side, so that moved phrases match too. Sums and gradients are exact (native code).

The objective is not convex, other than published: its square hides the curve of the logarithm. Weights start at 0, and
the result is the same every time. Two things differ from the paper: texts of more than `max_tokens` words are cut
there, and a jump matches at most `max_ahead` words before it comes back, because lattices of long sentences grow fast;
`max_ahead=0` lifts that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dragoman._native import similarity as native
from dragoman.align.monolingual import MonolingualAlignment, WordMatch
from dragoman.errors import FormatError, SettingError
from dragoman.metrics.lexical import STEMMERS, is_punctuation, read_paraphrases, stem, synset_numbers
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import setting
from dragoman.similarity.base import PairScorer, Scores, SetNames
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import Contribution, PairReasons
from dragoman.similarity.words import cut

__all__ = ["OPERATIONS", "EditModel", "PushDownEdits"]

OPERATIONS: tuple[str, ...] = tuple(native.edit_operations())
"""What edits are made of."""

_SIZE = len(OPERATIONS)
FEATURES = _SIZE + _SIZE * _SIZE
SCALE = 5.0
"""People's scores are fitted on the scale of the shared task, for which the penalty was chosen."""
_TOGETHER = 100

Matches = list[tuple[int, int, int, int, int]]


@lru_cache(maxsize=2)
def _phrase_table(path: str) -> Mapping[tuple[str, ...], frozenset[tuple[str, ...]]]:
    """Paraphrases of at most two words on either side, in both directions."""
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for row in read_paraphrases(path):
        one, other = tuple(row.phrase.split()), tuple(row.other.split())
        if len(one) <= 2 and len(other) <= 2:
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {phrase: frozenset(others) for phrase, others in found.items()}


def _code(name: str) -> int:
    return OPERATIONS.index(name)


@dataclass(frozen=True, eq=False)
class _EditedPairs:
    """Lattices of pairs, the number of words of each, and what people gave them."""

    lattices: native.EditLattices
    words: NDArray[np.float64]
    gold: Scores


def squared_loss(
    point: NDArray[np.float64],
    used: NDArray[np.int64],
    parts: Sequence[_EditedPairs],
    penalty: float,
    *,
    threads: int = 0,
) -> tuple[float, NDArray[np.float64]]:
    """What training makes small, and its gradient: squared errors on the scale of the task, and the penalty.

    The point is a weight for each of the features that are used, and the constant.
    """
    weights = _spread(point, used)
    total = penalty * float(point[:-1] @ point[:-1])
    gradient = np.append(2 * penalty * point[:-1], 0.0)
    for part in parts:
        values, expected = part.lattices.expectations(weights, threads=threads)
        left = SCALE * part.gold - values / part.words - point[-1]
        total += float(left @ left)
        gradient -= 2 * np.append(((left / part.words) @ expected)[used], left.sum())
    return total, gradient


def _spread(point: NDArray[np.float64], used: NDArray[np.int64]) -> NDArray[np.float64]:
    """Weights of all features, 0 for those that are not used."""
    weights = np.zeros(FEATURES)
    weights[used] = point[:-1]
    return weights


@dataclass(kw_only=True, eq=False)
class EditModel(PairScorer):
    """The summed weight of all ways to edit one text into the other, from left to right (Wang and Cer 2012)."""

    name: ClassVar[str] = "pfsm"
    resources: ClassVar[tuple[str, ...]] = ("paraphrases",)
    language: str = setting("en", "Of stems; synonyms are English.", choices=STEMMERS)
    synonyms: bool = setting(True, "Words of one synonym set of WordNet match.")
    paraphrases: str = setting("", "A file of paraphrases, of which those of one or two words are used.")
    penalty: float = setting(5.0, "On the weights.", least=0)
    cutoff: int = setting(5, "Features that can fire in fewer training pairs have no weight.", least=1)
    max_tokens: int = setting(100, "Longer texts are cut there.", least=1, most=1000)
    iterations: int = setting(200, "The most steps of training.", least=1)
    _weights: NDArray[np.float64] | None = field(default=None, init=False, repr=False)
    _bias: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.synonyms and self.language != "en":
            raise SettingError(f"WordNet is English, not {self.language!r}", remedy="choose synonyms=false")

    @property
    def learns(self) -> bool:
        return True

    @property
    def fitted(self) -> bool:
        return self._weights is not None

    @property
    def farthest(self) -> int:
        """How far a jump goes; this model makes none."""
        return 0

    @property
    def most_ahead(self) -> int:
        """Words consumed before a jump comes back; 0 for any number."""
        return 0

    def _words(self, text: str) -> list[str]:
        return [word.lower() for word in cut(text)][: self.max_tokens]

    def _matches(self, first: Sequence[str], second: Sequence[str]) -> Matches:
        """Substitutions that are possible: positions, operation, words on both sides; one for each pair of words."""
        found: Matches = []
        for i, one in enumerate(first):
            for j, other in enumerate(second):
                if one == other:
                    kind = "same punctuation" if is_punctuation(one) else "same word"
                elif stem(one, self.language) == stem(other, self.language):
                    kind = "same lemma"
                elif self.synonyms and not set(synset_numbers(one)).isdisjoint(synset_numbers(other)):
                    kind = "synonym"
                else:
                    continue
                found.append((i, j, _code(kind), 1, 1))
        return found + self._paraphrases(first, second, {(i, j) for i, j, *_ in found})

    def _paraphrases(self, first: Sequence[str], second: Sequence[str], taken: set[tuple[int, int]]) -> Matches:
        if not self.paraphrases:
            return []
        table = _phrase_table(self.paraphrases)
        places: dict[tuple[str, ...], list[int]] = {}
        for size in (1, 2):
            for j in range(len(second) - size + 1):
                places.setdefault(tuple(second[j : j + size]), []).append(j)
        found: Matches = []
        for size in (1, 2):
            for i in range(len(first) - size + 1):
                for other in sorted(table.get(tuple(first[i : i + size]), frozenset()) & places.keys()):
                    for j in places[other]:
                        if size == len(other) == 1 and (i, j) in taken:
                            continue
                        found.append((i, j, _code(f"paraphrase {size}-{len(other)}"), size, len(other)))
        return found

    def _lattices(self, pairs: Sequence[TextPair], threads: int) -> tuple[native.EditLattices, NDArray[np.float64]]:
        """The lattices of pairs, and the number of words of each."""
        lengths: list[tuple[int, int]] = []
        rows: list[tuple[int, ...]] = []
        for number, pair in enumerate(pairs):
            first, second = (self._words(text) for text in pair.texts)
            lengths.append((len(first), len(second)))
            rows += [(number, *match) for match in self._matches(first, second)]
        found = native.EditLattices(
            np.array(lengths, np.int64).reshape(-1, 2),
            np.array(rows, np.int64).reshape(-1, 6),
            jump=self.farthest,
            max_ahead=self.most_ahead,
            threads=threads,
        )
        return found, np.array(lengths, np.float64).sum(1)

    def _fit(
        self,
        pairs: list[TextPair],
        gold: Scores,
        sets: SetNames,
        seed: int,
        threads: int,
        progress: ProgressCallback | None,
    ) -> None:
        self._learn([_EditedPairs(*self._lattices(pairs, threads), gold)], threads, progress)

    def held_out(
        self, pairs: Sequence[TextPair], gold: Scores, fold_of: NDArray[np.int64], *, seed: int = 1, threads: int = 0
    ) -> Scores:
        """The lattices of each fold are built once."""
        rows = [np.flatnonzero(fold_of == fold) for fold in np.unique(fold_of)]
        parts = [_EditedPairs(*self._lattices([pairs[at] for at in own.tolist()], threads), gold[own]) for own in rows]
        found = np.zeros(len(pairs))
        for number, own in enumerate(rows):
            self._learn([*parts[:number], *parts[number + 1 :]], threads)
            found[own] = self._values(parts[number].lattices, parts[number].words, threads)
        self._learn(parts, threads)
        return found

    def _learn(self, parts: Sequence[_EditedPairs], threads: int, progress: ProgressCallback | None = None) -> None:
        """Weights and constant for which the values come nearest to what people gave."""
        from scipy.optimize import minimize

        used = np.flatnonzero(sum(part.lattices.feature_counts() for part in parts) >= self.cutoff)
        steps = 0

        def loss(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            nonlocal steps
            steps += 1
            if progress is not None:
                progress(Progress("training", min(steps, self.iterations), self.iterations))
            return squared_loss(point, used, parts, self.penalty, threads=threads)

        found = minimize(
            loss, np.zeros(len(used) + 1), jac=True, method="L-BFGS-B", options={"maxiter": self.iterations}
        )
        self._weights, self._bias = _spread(found.x, used), float(found.x[-1])

    def _values(self, lattices: native.EditLattices, words: NDArray[np.float64], threads: int) -> Scores:
        assert self._weights is not None
        found: Scores = (lattices.values(self._weights, threads=threads) / words + self._bias) / SCALE
        return found

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        parts = [pairs[start : start + _TOGETHER] for start in range(0, len(pairs), _TOGETHER)]
        return np.concatenate([self._values(*self._lattices(part, threads), threads) for part in parts])

    def _explain(self, pair: TextPair) -> PairReasons:
        """The heaviest way of editing, and what each operation is expected to add over all ways."""
        assert self._weights is not None
        lattices, words = self._lattices([pair], 1)
        lengths = {(i, j, kind): (a, b) for i, j, kind, a, b in self._matches(*map(self._words, pair.texts))}
        matches, told = [], []
        for kind, i, j in lattices.best(0, self._weights):
            told.append(OPERATIONS[kind])
            a, b = lengths.get((i, j, kind), (0, 0))
            matches += [WordMatch(i + x, j + y, 1.0, OPERATIONS[kind]) for x in range(a) for y in range(b)]
        _, expected = lattices.expectations(self._weights)
        features = [
            Contribution(_feature_name(at), count, float(self._weights[at] * count / words[0] / SCALE))
            for at, count in enumerate(expected[0].tolist())
            if count > 1e-9
        ]
        shown = [tuple(cut(text)[: self.max_tokens]) for text in pair.texts]
        return PairReasons(
            self.name,
            float(self._scores([pair], 1)[0]),
            shown[0],
            shown[1],
            MonolingualAlignment.of(matches),
            tuple(features),
            notes=(
                "the heaviest edits: " + ", ".join(told),
                "features: how often each is expected over all ways of editing, and what that adds",
            ),
        )

    def _write(self, folder: Path) -> None:
        assert self._weights is not None
        np.savez(folder / "edits.npz", weights=self._weights, bias=self._bias, operations=np.array(OPERATIONS))

    def _read(self, folder: Path) -> None:
        try:
            with np.load(folder / "edits.npz", allow_pickle=False) as kept:
                if tuple(kept["operations"].tolist()) != OPERATIONS:
                    raise ValueError("other operations")
                self._weights, self._bias = kept["weights"], float(kept["bias"])
        except (OSError, KeyError, ValueError) as error:
            raise FormatError(f"damaged edit model: {error}", where=str(folder), remedy="fit again") from None


@dataclass(kw_only=True, eq=False)
class PushDownEdits(EditModel):
    """The same with jumps, so that blocks which moved can match (Wang and Cer 2012)."""

    name: ClassVar[str] = "ppda"
    jump: int = setting(5, "The farthest that a jump goes.", least=0, most=100)
    max_ahead: int = setting(
        5, "Words consumed on the side of the jump before it comes back; 0 for any number.", least=0
    )

    @property
    def farthest(self) -> int:
        return self.jump

    @property
    def most_ahead(self) -> int:
        return self.max_ahead


def _feature_name(at: int) -> str:
    if at < _SIZE:
        return OPERATIONS[at]
    before, operation = divmod(at - _SIZE, _SIZE)
    return f"{OPERATIONS[before]}, then {OPERATIONS[operation]}"
