"""What a metric is: statistics per segment, and a score of their sum.

Everything that resamples, tunes or compares works on matrices of statistics (a row per segment) and never on strings:
a corpus score is `score` of the sum of the rows, a sentence score is `score` of one row, a bootstrap sample is a sum of
rows drawn with replacement. Scores are fractions (NIST: bits); reports multiply by `scale` to show the customary
points. A metric is a frozen value: its settings are its fields, its signature states them.

    >>> from dragoman.metrics import get_metric
    >>> bleu = get_metric("bleu:tokenize=none")
    >>> rows = bleu.statistics(["the cat sat on mat"], ["the cat sat on the mat"])
    >>> rows.tolist()
    [[5.0, 3.0, 2.0, 1.0, 5.0, 4.0, 3.0, 2.0, 6.0]]
    >>> round(bleu.score(rows.sum(axis=0)), 5)
    0.57893
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dragoman import __version__
from dragoman.errors import InputError, LengthMismatch, SettingError

if TYPE_CHECKING:
    from dragoman._native.common import Vocabulary
    from dragoman._native.metrics import EncodedLines

__all__ = ["Floats", "Metric", "PreparedReferences", "ReferenceText", "Texts", "choices"]

Floats = NDArray[np.float64]
Texts = Sequence[str]
ReferenceText = Sequence[str] | Sequence[Sequence[str | None]]
"""One list of references, or several, each with one entry per segment; None where a segment lacks that reference."""


@dataclass(frozen=True, slots=True)
class PreparedReferences:
    """References as a metric wants them, made once and used for any number of systems."""

    metric: Metric
    lines: list[str]
    groups: NDArray[np.int64]
    state: Any

    @property
    def segments(self) -> int:
        """How many segments there are."""
        return len(self.groups)

    @property
    def per_segment(self) -> str:
        """References per segment, `var` if that varies; as signatures say it."""
        counts = np.unique(np.diff(self.groups, prepend=0))
        return str(counts[0]) if len(counts) == 1 else "var"


class Metric(ABC):
    """A way to score hypotheses against references."""

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    scale: ClassVar[float] = 100.0
    """What reports multiply a score by: points for fractions, 1 for bits."""
    local: ClassVar[bool] = True
    """Whether the statistics of a segment depend on that segment only."""
    positional: ClassVar[str] = ""
    """The setting that a bare value after the name sets, as in `bleu:2`."""

    def prepare(self, references: ReferenceText | PreparedReferences, *, threads: int = 0) -> PreparedReferences:
        """References made ready, to be handed to `statistics` many times."""
        if isinstance(references, PreparedReferences):
            if references.metric != self:
                raise SettingError(f"references prepared for {references.metric.name!r}, not for {self.name!r}")
            return references
        lines, groups = gather(references)
        return PreparedReferences(self, lines, groups, self._prepare(self._normalize(lines), groups, threads))

    def statistics(
        self, hypotheses: Texts, references: ReferenceText | PreparedReferences, *, threads: int = 0
    ) -> Floats:
        """A row of statistics per segment."""
        prepared = self.prepare(references, threads=threads)
        if isinstance(hypotheses, str):
            raise InputError("one string where a list of hypotheses is needed", remedy="write [hypothesis]")
        check_strings(hypotheses, "hypothesis")
        if len(hypotheses) != prepared.segments:
            raise LengthMismatch(f"{len(hypotheses)} hypotheses, but {prepared.segments} segments of references")
        if not prepared.segments:
            return np.zeros((0, self.width))
        return self._statistics(self._normalize(list(hypotheses)), prepared, threads)

    @property
    @abstractmethod
    def width(self) -> int:
        """How many statistics a segment has."""

    @abstractmethod
    def scores(self, statistics: Floats) -> Floats:
        """The score of each row of a matrix of statistics (sums, or single segments)."""

    def score(self, total: Floats) -> float:
        """The score of one vector of statistics, usually a sum over segments."""
        return float(self.scores(np.ascontiguousarray(total, dtype=np.float64).reshape(1, -1))[0])

    def corpus_score(
        self, hypotheses: Texts, references: ReferenceText | PreparedReferences, *, threads: int = 0
    ) -> float:
        """The score of all segments together."""
        return self.score(self.statistics(hypotheses, references, threads=threads).sum(axis=0))

    def sentence_scores(
        self, hypotheses: Texts, references: ReferenceText | PreparedReferences, *, threads: int = 0
    ) -> Floats:
        """The score of each segment by itself."""
        return self.scores(self.statistics(hypotheses, references, threads=threads))

    def score_matrix(self, hypotheses: Texts, references: Texts, *, threads: int = 0) -> Floats:
        """The sentence score of every hypothesis (rows) against every single reference (columns)."""
        if not len(hypotheses):
            return np.zeros((0, len(references)))
        prepared = [self.prepare([reference] * len(hypotheses), threads=threads) for reference in references]
        columns = [self.sentence_scores(hypotheses, each, threads=threads) for each in prepared]
        return np.stack(columns, axis=1) if columns else np.zeros((len(hypotheses), 0))

    def details(self, total: Floats) -> dict[str, float]:
        """The parts of a score that explain it."""
        return {}

    @property
    def signature(self) -> str:
        """The settings that must be stated for a score to be reproduced."""
        return "|".join(f"{key}:{value}" for key, value in {**self._signature(), "version": _VERSION}.items())

    @abstractmethod
    def _signature(self) -> dict[str, str]: ...

    def _normalize(self, lines: list[str]) -> list[str]:
        """What is done to every line before the tokenizer sees it."""
        return [line.lower() for line in lines] if getattr(self, "lowercase", False) else lines

    @abstractmethod
    def _prepare(self, lines: list[str], groups: NDArray[np.int64], threads: int) -> Any: ...

    @abstractmethod
    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats: ...

    def _check_choices(self) -> None:
        """Refuse settings outside the choices that their fields declare."""
        for field in fields(self):  # type: ignore[arg-type]
            allowed = field.metadata.get("choices")
            value = getattr(self, field.name)
            for one in value if isinstance(value, tuple) else (value,):
                if allowed is not None and one not in allowed:
                    raise SettingError(
                        f"{self.name}: {field.name} cannot be {one!r}", remedy=f"choose from {', '.join(allowed)}"
                    )


_VERSION = f"dragoman-{__version__}"


@dataclass(frozen=True, slots=True)
class EncodedReferences:
    """Words of references as numbers, with the vocabulary that numbers them."""

    words: Vocabulary
    lines: EncodedLines


def choices(names: Sequence[str]) -> dict[str, Any]:
    """Metadata of a field that takes one of these names."""
    return {"choices": tuple(names)}


def check_strings(lines: Sequence[object], what: str) -> None:
    """Refuse what is not text, by its place."""
    for number, line in enumerate(lines, 1):
        if not isinstance(line, str):
            raise InputError(f"{what} {number} is of type {type(line).__name__}, not a string")


def gather(references: ReferenceText) -> tuple[list[str], NDArray[np.int64]]:
    """All references, segment by segment, and where those of each segment end."""
    if isinstance(references, str):
        raise InputError("one string where a list of references is needed", remedy="write [reference]")
    if not len(references) or isinstance(references[0], str):
        streams: list[Sequence[str | None]] = [references]  # type: ignore[list-item]
    else:
        streams = list(references)
    for stream in streams:
        check_strings([line for line in stream if line is not None], "reference")
    sizes = {len(stream) for stream in streams}
    if len(sizes) > 1:
        raise LengthMismatch(f"lists of references of different lengths: {', '.join(map(str, sorted(sizes)))}")
    if len(streams) == 1 and None not in streams[0]:
        lines: list[str] = list(streams[0])  # type: ignore[arg-type]
        return lines, np.arange(1, len(lines) + 1, dtype=np.int64)
    lines = []
    groups = np.zeros(sizes.pop(), dtype=np.int64)
    for segment, row in enumerate(zip(*streams, strict=True)):
        lines.extend(line for line in row if line is not None)
        groups[segment] = len(lines)
        if (segment and groups[segment] == groups[segment - 1]) or not lines:
            raise InputError("no reference", where=f"segment {segment + 1}")
    return lines, groups
