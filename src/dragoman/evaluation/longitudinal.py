"""Is translation getting better over the years? Gains between systems that were measured on different test sets.

Scores of two years cannot be subtracted, because one year's test set may be harder. A benchmark system that translated
both test sets shows by how much; its drop is added to the difference of the years' best systems (Graham, Baldwin,
Moffat and Zobel 2014):

    difficulty = benchmark on old - benchmark on new
    gain       = (new on new - old on old) + difficulty

With more systems, test sets or years, a score is taken as the sum of what the system and what the test set contribute,
fitted by least squares; for the four cells above that is the same formula. Intervals come from bootstrap samples: of
segments, shared by the systems that translated one test set; or of assessors, shared by all cells.

    >>> cells = {("best07", "07"): 41.7, ("now", "07"): 62.4, ("best12", "12"): 47.4, ("now", "12"): 47.5}
    >>> fitted = fit(cells)
    >>> round(fitted.gain("best07", "best12"), 1), round(fitted.difficulty("07", "12"), 1)
    (20.6, 14.9)
"""

from __future__ import annotations

import statistics
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman._native.metrics import bootstrap_sums
from dragoman.errors import InputError, LengthMismatch
from dragoman.metrics.bootstrap import Scorer, interval

__all__ = ["Effects", "Gain", "fit", "harmonic_mean", "longitudinal_gain", "mean_gain", "sampled_cells"]

Array = NDArray[np.float64]
Cell = tuple[str, str]
"""A system and the test set that it translated."""


@dataclass(frozen=True)
class Effects:
    """What systems and test sets contribute to a score; only differences within each kind have a meaning."""

    systems: Mapping[str, float]
    test_sets: Mapping[str, float]
    residual: float
    """Root mean square of what the sum of both does not explain; 0 where there are as many cells as effects."""

    def gain(self, old: str, new: str) -> float:
        """How much better the new system is, test sets made equal."""
        return self.systems[new] - self.systems[old]

    def difficulty(self, old: str, new: str) -> float:
        """How much harder the new test set is."""
        return self.test_sets[old] - self.test_sets[new]


@dataclass(frozen=True)
class Gain:
    """A gain with its interval; `naive` is the difference of the scores as they stand, without the test sets' part."""

    gain: float
    difficulty: float
    naive: float
    interval: tuple[float, float] | None
    confidence: float
    samples: Array = field(repr=False, compare=False)

    def __str__(self) -> str:
        if self.interval is None:
            return f"{self.gain:+.2f}"
        return f"{self.gain:+.2f} [{self.interval[0]:+.2f}, {self.interval[1]:+.2f}]"


def fit(cells: Mapping[Cell, float]) -> Effects:
    """Split scores of systems on test sets into a part of the system and a part of the test set."""
    systems, test_sets, solve = _solver(list(cells))
    scores = np.array([cells[cell] for cell in cells], np.float64)
    bad = [cell for cell, value in zip(cells, scores, strict=True) if not np.isfinite(value)]
    if bad:
        raise InputError("the score is not a finite number", where=f"{bad[0][0]} on {bad[0][1]}")
    effects = solve @ scores
    by_system = dict(zip(systems, effects[: len(systems)].tolist(), strict=True))
    by_set = dict(zip(test_sets, effects[len(systems) :].tolist(), strict=True))
    missed = [value - by_system[system] - by_set[test_set] for (system, test_set), value in cells.items()]
    return Effects(by_system, by_set, float(np.sqrt(np.mean(np.square(missed)))))


def longitudinal_gain(
    cells: Mapping[Cell, float],
    *,
    old: Cell,
    new: Cell,
    samples: Mapping[Cell, Array] | None = None,
    confidence: float = 0.95,
) -> Gain:
    """The gain from one system on its test set to another on its own, made comparable by systems that translated both.

    `samples` gives scores of bootstrap samples for every cell (see `sampled_cells`); without them there is no interval.
    """
    for cell in (old, new):
        if cell not in cells:
            raise InputError(f"no score of {cell[0]} on {cell[1]}", remedy="both ends of a gain need a cell")
    fitted = fit(cells)
    drawn, bounds = np.zeros(0), None
    if samples is not None:
        systems, _, solve = _solver(list(cells))
        missing = [cell for cell in cells if cell not in samples]
        if missing:
            raise InputError(f"no samples of {missing[0][0]} on {missing[0][1]}")
        effects = solve @ np.stack([samples[cell] for cell in cells])
        drawn = effects[systems.index(new[0])] - effects[systems.index(old[0])]
        bounds = interval(drawn, confidence)
    return Gain(
        gain=fitted.gain(old[0], new[0]),
        difficulty=fitted.difficulty(old[1], new[1]),
        naive=cells[new] - cells[old],
        interval=bounds,
        confidence=confidence,
        samples=drawn,
    )


def mean_gain(gains: Sequence[Gain]) -> Gain:
    """The plain mean over language pairs, whose samples are independent of each other."""
    if not gains:
        raise InputError("no gain to average")
    sizes = {len(gain.samples) for gain in gains}
    if len(sizes) > 1:
        raise LengthMismatch("gains of different numbers of samples cannot be averaged")
    drawn = np.mean([gain.samples for gain in gains], axis=0)
    return Gain(
        gain=statistics.fmean(gain.gain for gain in gains),
        difficulty=statistics.fmean(gain.difficulty for gain in gains),
        naive=statistics.fmean(gain.naive for gain in gains),
        interval=interval(drawn, gains[0].confidence) if sizes != {0} else None,
        confidence=gains[0].confidence,
        samples=drawn,
    )


def sampled_cells(
    cells: Mapping[Cell, ArrayLike],
    *,
    groups: Mapping[Cell, Sequence[Hashable]] | None = None,
    scores: Scorer | None = None,
    paired: bool = True,
    samples: int = 1000,
    seed: int = 1,
    threads: int = 0,
) -> tuple[dict[Cell, float], dict[Cell, Array]]:
    """The score of each cell, and its scores in bootstrap samples.

    A cell holds scores, or rows of a metric's statistics with the metric's `scores`. Rows of cells of one test set are
    the same segments and are drawn together if `paired`; else every cell is drawn by itself. With `groups` — the
    assessor of each judgement, say — whole groups are drawn, the same ones in all cells; cells are then means of
    scores.
    """
    matrices = {cell: _matrix(values, cell, scores) for cell, values in cells.items()}
    score = scores or _mean
    whole = {cell: float(score(matrix.sum(axis=0)[None, :])[0]) for cell, matrix in matrices.items()}
    drawn: dict[Cell, Array] = {}
    if groups is not None:
        return whole, _sampled_groups(matrices, groups, samples, seed, threads)
    keys = {cell: cell[1] if paired else cell for cell in cells}
    streams: dict[Hashable, int] = {key: k for k, key in enumerate(dict.fromkeys(keys.values()))}
    sizes: dict[Hashable, int] = {}
    for cell, matrix in matrices.items():
        if sizes.setdefault(keys[cell], len(matrix)) != len(matrix):
            raise LengthMismatch(
                f"{len(matrix)} segments, but {sizes[keys[cell]]} of another system",
                where=f"{cell[0]} on {cell[1]}",
                remedy="score the same segments, or draw cells by themselves",
            )
        stream = seed + (streams[keys[cell]] << 32)  # another test set, other draws
        drawn[cell] = score(bootstrap_sums(matrix, samples=samples, seed=stream, threads=threads))
    return whole, drawn


def harmonic_mean(fluency: float, adequacy: float) -> float:
    """Both attributes in one figure, low where either is low."""
    if fluency < 0 or adequacy < 0:
        raise InputError("a harmonic mean is for scores that are not negative", remedy="use raw scores, not z-scores")
    return 2 * fluency * adequacy / (fluency + adequacy) if fluency + adequacy else 0.0


def _mean(sums: Array) -> Array:
    quotient: Array = sums[:, 0] / sums[:, 1]
    return quotient


def _matrix(values: ArrayLike, cell: Cell, scores: Scorer | None) -> Array:
    array = np.asarray(values, np.float64)
    where = f"{cell[0]} on {cell[1]}"
    if array.ndim == 1 and scores is None:
        array = np.stack([array, np.ones_like(array)], axis=1)
    if array.ndim != 2:
        raise InputError("a cell holds a list of scores, or rows of statistics and the metric's `scores`", where=where)
    if not len(array):
        raise InputError("the cell is empty", where=where)
    if not np.isfinite(array).all():
        raise InputError("scores must be finite numbers", where=where)
    return np.ascontiguousarray(array)


def _sampled_groups(
    matrices: Mapping[Cell, Array],
    groups: Mapping[Cell, Sequence[Hashable]],
    samples: int,
    seed: int,
    threads: int,
) -> dict[Cell, Array]:
    names: dict[Hashable, int] = {}
    for cell, matrix in matrices.items():
        members = groups.get(cell, ())
        if len(members) != len(matrix):
            raise LengthMismatch(
                f"{len(matrix)} judgements by {len(members)} assessors",
                where=f"{cell[0]} on {cell[1]}",
                remedy="name the assessor of each judgement",
            )
        for member in members:
            names.setdefault(member, len(names))
    table = np.zeros((len(names), 2 * len(matrices)))
    for k, (cell, matrix) in enumerate(matrices.items()):
        np.add.at(table[:, 2 * k : 2 * k + 2], [names[member] for member in groups[cell]], matrix[:, :2])
    sums = bootstrap_sums(table, samples=samples, seed=seed, threads=threads)
    found = {}
    for k, cell in enumerate(matrices):
        total, count = sums[:, 2 * k], sums[:, 2 * k + 1]
        if not count.all():
            raise InputError(
                "some samples of assessors leave it without judgements",
                where=f"{cell[0]} on {cell[1]}",
                remedy="too few assessors to draw from: leave out `groups`",
            )
        found[cell] = total / count
    return found


def _solver(cells: Sequence[Cell]) -> tuple[list[str], list[str], Array]:
    """The systems, the test sets, and the matrix from scores of cells to their effects."""
    systems = list(dict.fromkeys(system for system, _ in cells))
    test_sets = list(dict.fromkeys(test_set for _, test_set in cells))
    if not cells:
        raise InputError("no scores")
    linked = {cells[0][0]}
    while True:
        sets = {test_set for system, test_set in cells if system in linked}
        more = {system for system, test_set in cells if test_set in sets}
        if more == linked:
            break
        linked = more
    apart = next((system for system in systems if system not in linked), None)
    if apart is not None:
        raise InputError(
            f"no chain of test sets and systems links {apart!r} with {cells[0][0]!r}",
            remedy="score a benchmark system on both test sets",
        )
    design = np.zeros((len(cells), len(systems) + len(test_sets)))
    for row, (system, test_set) in enumerate(cells):
        design[row, systems.index(system)] = 1
        design[row, len(systems) + test_sets.index(test_set)] = 1
    solve: Array = np.linalg.pinv(design).astype(np.float64)
    return systems, test_sets, solve
