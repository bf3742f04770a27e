"""Features that are computed while rules are learned: from every place where a rule occurs in the bitext.

A decoder sees a rule and the sentence that it translates; here a feature sees the sentences that taught the rule, with
their words, links, domains and annotation. What it says of all occurrences of a rule is summed up, averaged, or turned
into the logarithm of a probability, and becomes a column of the table, which is stored, pruned, mixed and exported as
any other. Features in Python and in C++ obey one contract, and the number of threads changes nothing. (Cer, Galley,
Jurafsky and Manning 2010.)

    >>> class LongSentences(ExtractionFeature):
    ...     "How long sentences are that a rule comes from."
    ...     columns = ("sentence_length",)
    ...     def values(self, pair, occurrences):
    ...         return [[len(pair.source)] for _ in occurrences]
    >>> str(LongSentences())
    'LongSentences'
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dragoman._native import grammar as native
from dragoman.annotations import Sentence
from dragoman.errors import InputError, SettingError
from dragoman.grammar.limits import PhraseLimits
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import metadata_text

__all__ = [
    "ESTIMATES",
    "ExtractionFeature",
    "NativeExtractionFeature",
    "RuleOccurrence",
    "TrainingPair",
    "add_extraction_features",
]

ESTIMATES = {
    "sum": "the sum over all occurrences",
    "mean": "the mean over all occurrences",
    "probability": "the natural logarithm of the mean of values from 0 to 1, drawn towards that of all rules",
}
"""What becomes of the values of all occurrences of a rule."""

BATCH = 2048
"""Sentence pairs that are looked at together; sums are made in their order."""

_STRENGTH = 2.0
"""How many occurrences the mean of all rules is worth in a probability."""


@dataclass(frozen=True, slots=True)
class TrainingPair:
    """A sentence pair of the bitext: its line from 0, its words and links, its domains, and what its source is known to
    be."""

    line: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[tuple[int, int], ...]
    domains: tuple[str, ...] = ()
    annotation: Sentence | None = None


@dataclass(frozen=True, slots=True)
class RuleOccurrence:
    """A rule at its place in a sentence pair: half-open spans of its source and its target."""

    source: tuple[int, int]
    target: tuple[int, int]
    rule: int
    """Its number in the table."""


class ExtractionFeature(ABC):
    """A feature of the occurrences of rules."""

    columns: ClassVar[tuple[str, ...]] = ()
    """Names of the columns that it fills."""
    estimate: ClassVar[str] = "mean"
    """What becomes of the values of all occurrences: see `ESTIMATES`."""

    def __str__(self) -> str:
        return type(self).__name__

    @abstractmethod
    def values(self, pair: TrainingPair, occurrences: Sequence[RuleOccurrence]) -> Sequence[Sequence[float]]:
        """For each occurrence in a sentence pair a value for each column; always the same for the same pair."""

    def batch(self, found: _Batch, threads: int) -> NDArray[np.float64]:
        """Values of all occurrences in a batch, row by row."""
        rows: list[NDArray[np.float64]] = []
        for pair, occurrences in found.pairs():
            try:
                given = np.asarray(self.values(pair, occurrences), dtype=np.float64)
            except InputError:
                raise
            except Exception as error:
                what = f"the feature {self} failed: {type(error).__name__}: {error}"
                raise InputError(what, where=f"line {pair.line + 1}", remedy="mend it, or leave it out") from error
            if given.shape != (len(occurrences), len(self.columns)):
                raise InputError(
                    f"the feature {self} gave values of the shape {given.shape} for {len(occurrences)} occurrences and "
                    f"{len(self.columns)} columns",
                    where=f"line {pair.line + 1}",
                )
            rows.append(given)
        return np.concatenate(rows) if rows else np.zeros((0, len(self.columns)))


class NativeExtractionFeature(ExtractionFeature):
    """A feature of the native core, by its name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.columns = tuple(dict(native.occurrence_features())[name])  # type: ignore[misc]

    def __str__(self) -> str:
        return self.name

    def values(self, pair: TrainingPair, occurrences: Sequence[RuleOccurrence]) -> Sequence[Sequence[float]]:
        raise AssertionError("native features are asked by batch")

    def batch(self, found: _Batch, threads: int) -> NDArray[np.float64]:
        return found.native.values(self.name, found.heads, threads=threads)


class Unaligned(NativeExtractionFeature):
    """Words of the rule that have no link where it occurs, on either side: the mean."""

    def __init__(self) -> None:
        super().__init__("unaligned")


class SentenceEdge(NativeExtractionFeature):
    """How probable it is that the rule begins, and that it ends, a sentence."""

    estimate = "probability"

    def __init__(self) -> None:
        super().__init__("edge")


class Subtree(NativeExtractionFeature):
    """How probable it is that its source words hang together: that only one has its head outside."""

    estimate = "probability"

    def __init__(self) -> None:
        super().__init__("subtree")


class _Batch:
    """Lines of the bitext, and where rules occur in them."""

    def __init__(
        self,
        table: RuleTable,
        first: int,
        lines: tuple[list[str], list[str], list[str]],
        domains: Mapping[int, tuple[str, ...]],
        annotations: Sequence[Sentence],
        longest: int,
        settings: native.ExtractionSettings,
        threads: int,
    ) -> None:
        self.native = native.OccurrenceBatch(
            table.native, first, *lines, longest=longest, settings=settings, threads=threads
        )
        self.rows = self.native.rows
        self._first, self._lines, self._domains, self._annotations = first, lines, domains, annotations

    @property
    def heads(self) -> list[list[int]]:
        """Of the source words, where they are annotated."""
        return [list(each.dependencies.heads) if each.has("dependencies") else [] for each in self._annotations]

    def pairs(self) -> Iterator[tuple[TrainingPair, list[RuleOccurrence]]]:
        """Sentence pairs in which rules occur, in order."""
        ends = np.searchsorted(self.rows[:, 0], np.arange(len(self._lines[0])), side="right")
        start = 0
        for index, end in enumerate(ends.tolist()):
            if end > start:
                yield (
                    self._pair(index),
                    [RuleOccurrence((a, b), (c, d), rule) for _, rule, a, b, c, d in self.rows[start:end].tolist()],
                )
            start = end

    def _pair(self, index: int) -> TrainingPair:
        source, target, links = (lines[index] for lines in self._lines)
        return TrainingPair(
            self._first + index,
            tuple(source.split()),
            tuple(target.split()),
            tuple(sorted((int(i), int(j)) for i, _, j in (link.partition("-") for link in links.split()))),
            self._domains.get(self._first + index, ()),
            self._annotations[index] if self._annotations else None,
        )


def add_extraction_features(
    table: RuleTable,
    lines: Iterable[tuple[int, Sequence[list[str]]]],
    features: Sequence[ExtractionFeature],
    out: Path | str,
    *,
    limits: PhraseLimits,
    domains: Mapping[str, Iterable[int]] | None = None,
    annotations: Sequence[Sentence] = (),
    max_sentence: int = 1000,
    compact: bool = False,
    threads: int = 0,
) -> RuleTable:
    """Write a table with a column for all that features say of the occurrences of its rules.

    `lines` are slices of the bitext that taught it: the number of the first line, sources, targets and links. `limits`
    are those of its extraction. A rule that occurs nowhere (because it has gaps, say) has the value of all rules
    together, or 0 if values are sums.
    """
    names = [name for feature in features for name in feature.columns]
    _check(features, names, table)
    membership: dict[int, tuple[str, ...]] = {}
    for name, numbers in (domains or {}).items():
        for number in numbers:
            membership[number] = (*membership.get(number, ()), name)
    sums = np.zeros((len(table), len(names)))
    counts = np.zeros(len(table))
    settings = limits.native()
    for first, slices in lines:
        for start in range(0, len(slices[0]), BATCH):
            part = slice(start, start + BATCH)
            known = annotations[first + start : first + start + len(slices[0][part])]
            found = _Batch(
                table,
                first + start,
                (slices[0][part], slices[1][part], slices[2][part]),
                membership,
                known,
                max_sentence,
                settings,
                threads,
            )
            rules = found.rows[:, 1]
            values = np.concatenate([feature.batch(found, threads) for feature in features], axis=1)
            if not np.isfinite(values).all():
                row = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
                raise InputError(
                    "a feature gave a value that is no finite number",
                    where=f"line {first + start + int(found.rows[row, 0]) + 1}",
                )
            np.add.at(counts, rules, 1)
            np.add.at(sums, rules, values)
    columns = _columns(features, sums, counts)
    native.write_with_columns(
        table.native,
        names,
        np.ascontiguousarray(columns, dtype=np.float32).ravel(),
        metadata=metadata_text({**table.metadata, "extraction_features": " ".join(map(str, features))}),
        compact=compact,
        path=Path(out),
        threads=threads,
    )
    return RuleTable.open(out)


def _check(features: Sequence[ExtractionFeature], names: Sequence[str], table: RuleTable) -> None:
    for feature in features:
        if feature.estimate not in ESTIMATES:
            raise SettingError(
                f"the feature {feature} wants the estimate {feature.estimate!r}",
                remedy=f"choose from {', '.join(ESTIMATES)}",
            )
        if not feature.columns:
            raise SettingError(f"the feature {feature} names no columns", remedy="set `columns`")
    every = [*table.columns, *names]
    if twice := sorted({name for name in every if every.count(name) > 1}):
        raise SettingError(f"several columns are called {', '.join(twice)}", remedy="give each a name of its own")
    if bad := [name for name in names if not name or any(c.isspace() for c in name) or ":" in name]:
        raise SettingError(f"{bad[0]!r} is no name of a column", remedy="use one without blanks and colons")


def _columns(
    features: Sequence[ExtractionFeature], sums: NDArray[np.float64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Columns from sums over occurrences and the numbers of these."""
    total = max(1.0, float(counts.sum()))
    columns = sums.copy()
    at = 0
    for feature in features:
        for index in range(at, at + len(feature.columns)):
            overall = math.fsum(sums[:, index].tolist()) / total
            if feature.estimate == "mean":
                columns[:, index] = np.where(counts > 0, sums[:, index] / np.maximum(counts, 1), overall)
            elif feature.estimate == "probability":
                if not 0 <= overall <= 1 or (sums[:, index] < 0).any() or (sums[:, index] > counts + 1e-9).any():
                    raise InputError(
                        f"the feature {feature} gave values that are no probabilities",
                        remedy="give values from 0 to 1, or choose another estimate",
                    )
                prior = min(max(overall, 1e-6), 1.0)
                columns[:, index] = np.log((sums[:, index] + _STRENGTH * prior) / (counts + _STRENGTH))
        at += len(feature.columns)
    return columns
