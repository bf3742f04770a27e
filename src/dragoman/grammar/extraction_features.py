"""Features that are computed while rules are learned: from every place where a rule occurs in the bitext.

A decoder sees a rule and the sentence that it translates; here a feature sees the sentences that taught the rule, with
their words, links, domains and annotation. What it says of all occurrences of a rule is summed up, averaged, or turned
into the logarithm of a probability, and becomes a column of the table, which is stored, pruned, mixed and exported as
any other. Features in Python and in C++ obey one contract. Lines are looked at in batches, which an executor works on
wherever it likes; neither that nor the number of threads changes anything. (Cer, Galley, Jurafsky and Manning 2010.)

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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from dragoman._native import grammar as native
from dragoman.annotations import Sentence
from dragoman.errors import InputError, SettingError
from dragoman.executors import Executor, LocalExecutor, Shard, ShardPlace, ShardStep, Shared
from dragoman.files import take_file
from dragoman.grammar.limits import PhraseLimits
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import metadata_text
from dragoman.imported import Imported
from dragoman.registry import Registry
from dragoman.settings import check_argument

__all__ = [
    "ESTIMATES",
    "EXTRACTION_FEATURES",
    "ExtractionFeature",
    "ImportedExtractionFeature",
    "NativeExtractionFeature",
    "RuleOccurrence",
    "TrainingPair",
    "add_extraction_features",
]

Known = TypeVar("Known")

ESTIMATES = {
    "sum": "the sum over all occurrences",
    "mean": "the mean over all occurrences",
    "probability": "the natural logarithm of the mean of values from 0 to 1, drawn towards that of all rules",
}
"""What becomes of the values of all occurrences of a rule."""

BATCH = 2048
"""Sentence pairs that are looked at together; sums are made in their order."""


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
    """A rule at its place in a sentence pair: half-open spans of its source and its target, and of the gaps in them."""

    source: tuple[int, int]
    target: tuple[int, int]
    rule: int
    """Its number in the table."""
    source_gaps: tuple[tuple[int, int], ...] = ()
    target_gaps: tuple[tuple[int, int], ...] = ()


class ExtractionFeature(ABC):
    """A feature of the occurrences of rules."""

    columns: ClassVar[tuple[str, ...]] = ()
    """Names of the columns that it fills."""
    estimate: ClassVar[str] = "mean"
    """What becomes of the values of all occurrences: see `ESTIMATES`."""
    strength: ClassVar[float] = 2.0
    """How many occurrences the mean of all rules is worth in a probability."""
    needs_gaps: ClassVar[bool] = False
    """Whether it speaks of nothing but gaps."""

    def __str__(self) -> str:
        return type(self).__name__

    @abstractmethod
    def values(self, pair: TrainingPair, occurrences: Sequence[RuleOccurrence]) -> Sequence[Sequence[float | None]]:
        """For each occurrence in a sentence pair a value for each column; always the same for the same pair.

        None, or nan, where it has nothing to say: such an occurrence does not count.
        """

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


class ImportedExtractionFeature(Imported):
    """A feature in somebody's Python module, and the options it is made with: `module:Class:option=value`."""

    __slots__ = ()

    def load(self) -> ExtractionFeature:
        """Import the module and make the feature."""
        made: ExtractionFeature = self.make(ExtractionFeature)
        return made


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
        return found.native.values(
            self.name, heads=found.heads, tags=found.tags, domains=found.domains, threads=threads
        )


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


class GapSize(NativeExtractionFeature):
    """How probable gaps of 1 to 2, 3 to 4, 5 to 8 and more words are, on either side (Galley and Manning 2010)."""

    estimate = "probability"
    strength = 10.0
    needs_gaps = True

    def __init__(self) -> None:
        super().__init__("gap_size")


class Content(NativeExtractionFeature):
    """The share of its source words that are nouns, verbs, adjectives, adverbs, or names: the mean."""

    def __init__(self) -> None:
        super().__init__("content")


class General(NativeExtractionFeature):
    """How probable it is that it comes from a sentence of no domain."""

    estimate = "probability"

    def __init__(self) -> None:
        super().__init__("general")


@dataclass(frozen=True, slots=True)
class _Lines:
    """Some lines of the bitext: the number of the first, both sides and links, and what is known of them besides."""

    first: int
    sides: tuple[list[str], list[str], list[str]]
    domains: Mapping[int, tuple[str, ...]]
    annotations: Sequence[Sentence]


@dataclass(frozen=True, slots=True)
class _Task:
    """What all lines are asked."""

    table: RuleTable
    features: tuple[ExtractionFeature, ...]
    limits: PhraseLimits
    longest: int


class _Batch:
    """Lines of the bitext, and where rules occur in them."""

    def __init__(self, lines: _Lines, task: _Task, threads: int) -> None:
        self.native = native.OccurrenceBatch(
            task.table.native,
            lines.first,
            *lines.sides,
            longest=task.longest,
            settings=task.limits.native(),
            threads=threads,
        )
        self.rows = self.native.rows
        self._first, self._lines = lines.first, lines.sides
        self._domains, self._annotations = lines.domains, lines.annotations

    @property
    def heads(self) -> list[list[int]]:
        """Of the source words of each line, where they are annotated."""
        return self._known("dependencies", lambda known: list(known.dependencies.heads))

    @property
    def tags(self) -> list[list[str]]:
        """Universal tags of the source words of each line, where they are annotated."""
        return self._known("pos", lambda known: list(known.pos))

    @property
    def domains(self) -> list[list[str]]:
        """Of each line."""
        return [list(self._domains.get(self._first + index, ())) for index in range(len(self._lines[0]))]

    def _known(self, layer: str, read: Callable[[Sentence], list[Known]]) -> list[list[Known]]:
        if not self._annotations:
            return [[] for _ in self._lines[0]]
        return [read(each) if each.has(layer) else [] for each in self._annotations]

    def pairs(self) -> Iterator[tuple[TrainingPair, list[RuleOccurrence]]]:
        """Sentence pairs in which rules occur, in order."""
        ends = np.searchsorted(self.rows[:, 0], np.arange(len(self._lines[0])), side="right")
        start = 0
        for index, end in enumerate(ends.tolist()):
            if end > start:
                yield (
                    self._pair(index),
                    [
                        RuleOccurrence((a, b), (c, d), rule, _runs(inside, a), _runs(within, c))
                        for _, rule, a, b, c, d, inside, within in self.rows[start:end].tolist()
                    ],
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


def _runs(bits: int, start: int) -> tuple[tuple[int, int], ...]:
    """Spans of the bits that are set, counted from a start."""
    found: list[tuple[int, int]] = []
    for place in range(bits.bit_length()):
        if bits >> place & 1:
            at = start + place
            if found and found[-1][1] == at:
                found[-1] = (found[-1][0], at + 1)
            else:
                found.append((at, at + 1))
    return tuple(found)


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
    executor: Executor | None = None,
) -> RuleTable:
    """Write a table with a column for all that features say of the occurrences of its rules.

    `lines` are slices of the bitext that taught it: the number of the first line, sources, targets and links. `limits`
    are those of its extraction. A rule of which nothing is said has the value of all rules together, or 0 if values are
    sums. The `executor` works on batches of lines, in threads of this process unless it is another.
    """
    names = [name for feature in features for name in feature.columns]
    _check(features, names, table)
    membership: dict[int, tuple[str, ...]] = {}
    for name, numbers in (domains or {}).items():
        for number in numbers:
            membership[number] = (*membership.get(number, ()), name)
    sums = np.zeros((len(table), len(names)))
    counts = np.zeros_like(sums)
    work = executor or LocalExecutor(threads=threads)
    batches = _batches(lines, membership, annotations)
    for rules, total, said in work.run(_OCCURRENCES, batches, shared=_shared(table, features, limits, max_sentence)):
        sums[rules] += total
        counts[rules] += said
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


def _batches(
    lines: Iterable[tuple[int, Sequence[list[str]]]],
    domains: Mapping[int, tuple[str, ...]],
    annotations: Sequence[Sentence],
) -> Iterator[Shard[_Lines]]:
    for first, slices in lines:
        for start in range(0, len(slices[0]), BATCH):
            source, target, links = (side[start : start + BATCH] for side in slices)
            numbers = range(first + start, first + start + len(source))
            own = {number: domains[number] for number in numbers if number in domains}
            yield Shard(_Lines(numbers.start, (source, target, links), own, annotations[numbers.start : numbers.stop]))


def _shared(
    table: RuleTable, features: Sequence[ExtractionFeature], limits: PhraseLimits, longest: int
) -> Shared[_Task]:
    asked = tuple(features)
    return Shared(
        _Task(table, asked, limits, longest), (asked, limits, longest), partial(_save_table, table.path), _open
    )


def _save_table(path: Path, folder: Path) -> None:
    take_file(path, folder / "table")


def _open(plain: tuple[tuple[ExtractionFeature, ...], PhraseLimits, int], folder: Path) -> _Task:
    return _Task(RuleTable.open(folder / "table"), *plain)


def _occurrences(
    shard: Shard[_Lines], task: _Task, place: ShardPlace
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """The rules that occur in a batch; of each column what is said of them, added up, and how often that is."""
    found = _Batch(shard.value, task, place.threads)
    values = np.concatenate([feature.batch(found, place.threads) for feature in task.features], axis=1)
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values).any(axis=1))[0])
        raise InputError(
            "a feature gave a value that is no finite number",
            where=f"line {shard.value.first + int(found.rows[row, 0]) + 1}",
        )
    rules, places = np.unique(found.rows[:, 1], return_inverse=True)
    said = ~np.isnan(values)
    sums, counts = np.zeros((len(rules), values.shape[1])), np.zeros((len(rules), values.shape[1]))
    np.add.at(sums, places, np.where(said, values, 0.0))
    np.add.at(counts, places, said)
    return rules, sums, counts


_OCCURRENCES = ShardStep("looking at occurrences", _occurrences, wide=True)


def _check(features: Sequence[ExtractionFeature], names: Sequence[str], table: RuleTable) -> None:
    for feature in features:
        check_argument("estimate", feature.estimate, label=str(feature), choices=ESTIMATES)
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
    columns = sums.copy()
    at = 0
    for feature in features:
        for index in range(at, at + len(feature.columns)):
            total, seen = sums[:, index], counts[:, index]
            overall = math.fsum(total.tolist()) / max(1.0, float(seen.sum()))
            if feature.estimate == "mean":
                columns[:, index] = np.where(seen > 0, total / np.maximum(seen, 1), overall)
            elif feature.estimate == "probability":
                if not 0 <= overall <= 1 or (total < 0).any() or (total > seen + 1e-9).any():
                    raise InputError(
                        f"the feature {feature} gave values that are no probabilities",
                        remedy="give values from 0 to 1, or choose another estimate",
                    )
                prior = min(max(overall, 1e-6), 1.0)
                columns[:, index] = np.log((total + feature.strength * prior) / (seen + feature.strength))
        at += len(feature.columns)
    return columns


EXTRACTION_FEATURES: Registry[ExtractionFeature] = Registry(
    "extraction feature",
    {
        "unaligned": "dragoman.grammar.extraction_features:Unaligned",
        "edge": "dragoman.grammar.extraction_features:SentenceEdge",
        "subtree": "dragoman.grammar.extraction_features:Subtree",
        "gap_size": "dragoman.grammar.extraction_features:GapSize",
        "content": "dragoman.grammar.extraction_features:Content",
        "general": "dragoman.grammar.extraction_features:General",
    },
)
"""Features of the places where rules occur in the bitext."""
