"""Mixtures: one table out of several, for a domain of which there is little.

Linear interpolation mixes probabilities with one weight per table and column; the weights that make a dev bitext's
phrase pairs most probable are found by expectation maximisation (Foster and Kuhn 2007; Sennrich 2012). Fill-up takes
each rule from the first table that has it and marks where it came from (Bisazza, Ruiz and Federico 2011). Indicators
keep the first table's values and mark which tables know the rule, for a tuner to weigh.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman._native import grammar as native
from dragoman.errors import InputError, SettingError
from dragoman.files import require_writable
from dragoman.grammar.rule import Symbol
from dragoman.grammar.scoring import DIRECT
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import metadata_text
from dragoman.settings import check_argument

__all__ = ["MODES", "Fitted", "fit_weights", "mix"]

MODES = ("linear", "fill-up", "indicators")


@dataclass(frozen=True, slots=True)
class Fitted:
    """Weights per column (one per table, summing to 1), and the dev perplexity of each column before and after."""

    weights: Mapping[str, tuple[float, ...]]
    before: Mapping[str, float]
    after: Mapping[str, float]
    pairs: int
    """Dev phrase pairs that at least one table knows."""


def mix(
    tables: Sequence[RuleTable],
    out: Path | str,
    *,
    mode: str = "linear",
    weights: Sequence[float] | Mapping[str, Sequence[float]] | Fitted | None = None,
    names: Sequence[str] | None = None,
    compact: bool = False,
    threads: int = 0,
) -> RuleTable:
    """Join tables of the same columns.

    `weights` (linear) are per table, per column and table, or fitted; all equal if not given.
    `names` call the tables in the indicator columns: `from.NAME` after a fill-up (1 for the table that gave the rule),
    `in.NAME` with `indicators` (1 for each table that has it).
    """
    check_argument("mode", mode, choices=MODES)
    require_writable(out, stream=False)
    if len(tables) < 2:
        raise SettingError(f"{len(tables)} table to mix", remedy="give two or more")
    if any(table.columns != tables[0].columns for table in tables):
        raise InputError(
            "the tables have different columns",
            where=", ".join(str(table.path) for table in tables),
            remedy="extract them with the same settings",
        )
    labels = list(names) if names is not None else [table.path.stem for table in tables]
    if len(labels) != len(tables) or len(set(labels)) != len(labels):
        raise SettingError("the tables need different names", remedy="give one name per table")
    matrix = _weights(tables, weights if mode == "linear" else None)
    indicators: list[str] = []
    if mode != "linear":
        indicators = [f"{'from' if mode == 'fill-up' else 'in'}.{label}" for label in labels]
    facts = {
        **{k: v for k, v in tables[0].metadata.items() if k in ("reordering", "gaps")},
        "mixed": " ".join(labels),
        "mode": mode,
    }
    native.join_tables(
        [table.native for table in tables],
        mode="linear" if mode == "linear" else "fill-up",
        weights=matrix.ravel().tolist(),
        indicators=indicators,
        only_giver=mode == "fill-up",
        metadata=metadata_text(facts),
        compact=compact,
        path=out,
        threads=threads,
    )
    return RuleTable.open(out)


def fit_weights(
    tables: Sequence[RuleTable], dev: RuleTable, *, iterations: int = 100, tolerance: float = 1e-9
) -> Fitted:
    """Weights that make the phrase pairs of a dev table (extracted from a dev bitext) most probable, per column.

    Each pair counts as often as it was extracted. Pairs that no table knows say nothing about the weights. Columns of
    p(target | source) and p(source | target) and the lexical weights are fitted; other columns get the weights of
    p(target | source).
    """
    if len(tables) < 2:
        raise SettingError(f"{len(tables)} table to fit", remedy="give two or more")
    columns = [name for name in tables[0].columns if name.startswith(("phrase.", "lex."))]
    counts, found = _known_pairs(tables, dev)
    if not len(counts):
        raise InputError(
            "no phrase pair of the dev bitext is in any table",
            where=str(dev.path),
            remedy="are the languages and the tokenisation the same?",
        )
    weights: dict[str, tuple[float, ...]] = {}
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    for name in columns:
        likelihood = _likelihoods(tables, found, name)
        start = np.full(len(tables), 1 / len(tables))
        fitted = _maximize(likelihood, counts, start, iterations, tolerance)
        weights[name] = tuple(float(w) for w in fitted)
        before[name], after[name] = (_perplexity(likelihood, counts, w) for w in (start, fitted))
    shared = weights.get(DIRECT) or next(iter(weights.values()))
    for name in tables[0].columns:
        weights.setdefault(name, shared)
    return Fitted(weights, before, after, len(counts))


def _weights(
    tables: Sequence[RuleTable], weights: Sequence[float] | Mapping[str, Sequence[float]] | Fitted | None
) -> NDArray[np.float64]:
    columns = tables[0].columns
    if isinstance(weights, Fitted):
        weights = weights.weights
    if weights is None:
        rows: list[Sequence[float]] = [[1 / len(tables)] * len(tables)] * len(columns)
    elif isinstance(weights, Mapping):
        missing = [name for name in columns if name not in weights]
        if missing:
            raise SettingError(f"no weights for {', '.join(missing)}")
        rows = [weights[name] for name in columns]
    else:
        rows = [weights] * len(columns)
    for row in rows:
        if len(row) != len(tables) or min(row) < 0 or not 0 < sum(row) < float("inf"):
            raise SettingError(f"weights {list(row)}", remedy="give one per table, none below 0, not all 0")
    return np.array([np.array(row) / sum(row) for row in rows], np.float64)


def _known_pairs(
    tables: Sequence[RuleTable], dev: RuleTable
) -> tuple[NDArray[np.float64], list[tuple[tuple[Symbol, ...], tuple[Symbol, ...], list[int | None]]]]:
    counts: list[float] = []
    found: list[tuple[tuple[Symbol, ...], tuple[Symbol, ...], list[int | None]]] = []
    for rule in dev:
        numbers = [table.find(rule.source, rule.target) for table in tables]
        if any(number is not None for number in numbers):
            counts.append(rule.counts.joint or 1.0)
            found.append((rule.source, rule.target, numbers))
    return np.array(counts), found


def _likelihoods(
    tables: Sequence[RuleTable],
    found: Sequence[tuple[tuple[Symbol, ...], tuple[Symbol, ...], list[int | None]]],
    name: str,
) -> NDArray[np.float64]:
    """Probability of each pair in each table, 0 where it does not have it."""
    column = tables[0].column(name)
    values = [native.column_values(table.native, column) for table in tables]
    return np.array(
        [
            [float(np.exp(values[t][n])) if n is not None else 0.0 for t, n in enumerate(numbers)]
            for _, _, numbers in found
        ]
    )


def _maximize(
    likelihood: NDArray[np.float64], counts: NDArray[np.float64], start: NDArray[np.float64], rounds: int, close: float
) -> NDArray[np.float64]:
    weights: NDArray[np.float64] = start
    for _ in range(rounds):
        joint = likelihood * weights
        updated = (joint / joint.sum(1, keepdims=True) * counts[:, None]).sum(0)
        updated /= updated.sum()
        if np.abs(updated - weights).max() < close:
            break
        weights = updated
    return weights


def _perplexity(likelihood: NDArray[np.float64], counts: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    with np.errstate(divide="ignore"):
        return float(np.exp(-(np.log(likelihood @ weights) * counts).sum() / counts.sum()))
