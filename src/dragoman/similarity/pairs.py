"""Pairs of texts whose similarity people have judged, and the files of the shared tasks that hold them.

Semantic textual similarity (Agirre et al. 2012, 2013, 2014) asks how near two sentences are in meaning, on a scale from
0 (on different topics) to 5 (completely equivalent); Spanish sets have a scale of 0 to 4. A `PairSet` is one set of a
task: its pairs, the scores that people gave them (None where nobody did), and the scale that they are on.

What is read: `first<TAB>second`; `score<TAB>first<TAB>second`; `first<TAB>second<TAB>score`; `id<TAB>first<TAB>second`
(training input of 2012); tables with a header that names the sentences (SICK); the rows of the STS benchmark; and the
official layout, `STS.input.NAME.txt` beside `STS.gs.NAME.txt`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.annotations.sentence import Sentence
from dragoman.errors import FileError, FormatError, InputError, LengthMismatch
from dragoman.files import display_name, read_lines, read_parallel

__all__ = [
    "ENGLISH_SCALE",
    "SPANISH_SCALE",
    "PairSet",
    "TextPair",
    "on_spanish_scale",
    "read_gold",
    "read_pair_set",
    "read_task",
    "read_texts",
]

GoldScale = tuple[float, float]

ENGLISH_SCALE: GoldScale = (0.0, 5.0)
SPANISH_SCALE: GoldScale = (0.0, 4.0)

_HEADERS = (("sentence_a", "sentence_b"), ("sentence1", "sentence2"), ("first", "second"))
_SCORES = ("relatedness_score", "score", "similarity")
_SUFFIXES = {"gz", "bz2", "xz", "zst", "tsv", "txt", "csv", "test", "train", "dev", "trial", "annotated"}
"""What ends the name of a file and is no part of the name of its set."""


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two sentences, annotated or as they were read."""

    first: Sentence
    second: Sentence

    @classmethod
    def of(cls, first: str | Sentence, second: str | Sentence) -> TextPair:
        """Texts or sentences; a text has no tokens before somebody divides it."""
        return cls(*(Sentence(side, ()) if isinstance(side, str) else side for side in (first, second)))

    @property
    def texts(self) -> tuple[str, str]:
        """The raw texts."""
        return self.first.text, self.second.text

    def swapped(self) -> TextPair:
        """Second first."""
        return TextPair(self.second, self.first)


@dataclass(frozen=True)
class PairSet:
    """A set of pairs by name, with what people gave them, if anybody did."""

    name: str
    pairs: tuple[TextPair, ...]
    gold: tuple[float | None, ...] | None = None
    scale: GoldScale = ENGLISH_SCALE

    def __post_init__(self) -> None:
        low, high = self.scale
        if not low < high:
            raise InputError(f"a scale from {low} to {high}", where=self.name)
        if self.gold is not None:
            if len(self.gold) != len(self.pairs):
                raise LengthMismatch(f"{len(self.pairs)} pairs but {len(self.gold)} gold scores", where=self.name)
            for at, score in enumerate(self.gold, 1):
                if score is not None and not low <= score <= high:
                    raise InputError(
                        f"gold score {at} is {score:g}, outside of the scale from {low:g} to {high:g}",
                        where=self.name,
                        remedy="name the scale that the scores are on",
                    )

    def __len__(self) -> int:
        return len(self.pairs)

    def judged(self) -> PairSet:
        """The pairs that somebody scored."""
        if self.gold is None:
            raise InputError("nobody scored these pairs", where=self.name, remedy="give a file of gold scores")
        kept = [at for at, score in enumerate(self.gold) if score is not None]
        return PairSet(self.name, tuple(self.pairs[at] for at in kept), tuple(self.gold[at] for at in kept), self.scale)

    def scores(self) -> NDArray[np.float64]:
        """What people gave the pairs; all must have been scored."""
        if self.gold is None or None in self.gold:
            raise InputError("some pairs have no gold score", where=self.name, remedy="use the judged ones")
        return np.array(self.gold, np.float64)

    def with_pairs(self, pairs: Iterable[TextPair]) -> PairSet:
        """The same set with its sentences annotated."""
        return PairSet(self.name, tuple(pairs), self.gold, self.scale)

    def repeated(self) -> int:
        """How many pairs are there a second time; they count as they are, and the task's organisers left them in."""
        return len(self) - len(Counter(pair.texts for pair in self.pairs))


def on_spanish_scale(score: int) -> int:
    """A point of the scale of 0 to 5 on that of 0 to 4, which does not ask how important a difference is.

    >>> [on_spanish_scale(score) for score in range(6)]
    [0, 1, 2, 3, 3, 4]
    """
    if score not in range(6):
        raise InputError(f"{score!r} is no point of the scale from 0 to 5", remedy="means are rescaled by 4/5 instead")
    return score - (score > 3)


def read_texts(first: Path | str, second: Path | str) -> list[TextPair]:
    """Pairs from two files, line by line; files of different lengths are refused."""
    return [TextPair.of(a, b) for a, b in zip(*read_parallel([first, second]), strict=True)]


def read_gold(path: Path | str) -> list[float | None]:
    """One number a line; an empty line is a pair that nobody scored."""
    found: list[float | None] = []
    for number, line in enumerate(read_lines(path), 1):
        text = line.strip()
        found.append(_number(text, where=f"{display_name(path)}, line {number}") if text else None)
    return found


def read_pair_set(
    path: Path | str, *, gold: Path | str | None = None, name: str = "", scale: GoldScale = ENGLISH_SCALE
) -> PairSet:
    """A set from one file, with its gold scores in it or in a file of their own."""
    where = display_name(path)
    rows = [line.split("\t") for line in read_lines(path) if line.strip()]
    if not rows:
        raise InputError("no pairs", where=where)
    first, second, score, header = _columns(rows, gold is not None, where=where)
    needed = max(first, second, -1 if score is None else score) + 1
    pairs: list[TextPair] = []
    found: list[float | None] = []
    for number, row in enumerate(rows[header:], 1 + header):
        if len(row) < needed or (len(row) != len(rows[0]) and len(row) < 7):
            raise FormatError(
                f"{len(row)} fields where {len(rows[0])} are needed",
                where=f"{where}, line {number}",
                remedy="texts must not hold tabs",
            )
        pairs.append(TextPair.of(row[first], row[second]))
        if score is not None:
            cell = row[score].strip()
            found.append(_number(cell, where=f"{where}, line {number}") if cell else None)
    judged: tuple[float | None, ...] | None = tuple(found) if score is not None else None
    if gold is not None:
        judged = tuple(read_gold(gold))
        if len(judged) != len(pairs):
            raise LengthMismatch(
                f"{len(pairs)} pairs in {where} but {len(judged)} scores in {display_name(gold)}",
                remedy="an unscored pair has an empty line",
            )
    return PairSet(name or set_name(path), tuple(pairs), judged, scale)


def read_task(paths: Sequence[Path | str], *, scale: GoldScale = ENGLISH_SCALE) -> list[PairSet]:
    """The sets in files and folders, by name; in a folder all pair files, `STS.input` with its `STS.gs`."""
    found: list[PairSet] = []
    for path in map(Path, paths):
        files = sorted(_pair_files(path)) if path.is_dir() else [path]
        if not files:
            raise FileError("no files of pairs", where=str(path), remedy="they end in .tsv, or start with STS.input")
        for file in files:
            gold = file.with_name(file.name.replace("STS.input", "STS.gs", 1))
            given = gold if file.name.startswith("STS.input") and gold.is_file() else None
            found.append(read_pair_set(file, gold=given, scale=scale))
    twice = [name for name, count in Counter(one.name for one in found).items() if count > 1]
    if twice:
        raise InputError(f"two sets are called {twice[0]!r}", remedy="evaluate them apart, or rename a file")
    return found


def set_name(path: Path | str) -> str:
    """What a file calls its set: `MSRpar` for `STS.input.MSRpar.txt` and for `MSRpar.test.tsv.gz`."""
    parts = display_name(path).rpartition("/")[2].split(".")
    if parts[0] == "STS" and len(parts) > 2:
        parts = parts[2:]
    while len(parts) > 1 and parts[-1] in _SUFFIXES:
        parts.pop()
    return ".".join(parts)


def _pair_files(folder: Path) -> list[Path]:
    official = list(folder.glob("STS.input.*"))
    return official or [file for file in folder.iterdir() if ".tsv" in file.suffixes]


def _columns(rows: list[list[str]], gold: bool, *, where: str) -> tuple[int, int, int | None, bool]:
    """Where the two texts are, where the score is, and whether the first row is a header."""
    width = len(rows[0])
    names = [cell.strip().lower() for cell in rows[0]]
    for one, other in _HEADERS:
        if one in names and other in names:
            score = next((names.index(word) for word in _SCORES if word in names), None)
            return names.index(one), names.index(other), None if gold else score, True
    if width == 2:
        return 0, 1, None, False
    if width == 3:
        # most, not all: a column of scores with a mistake in it must be refused, not taken for identifiers
        numeric = [2 * sum(_is_number(row[at]) for row in rows if len(row) > at) > len(rows) for at in (0, 2)]
        if gold:
            return 1, 2, None, False
        if numeric[0]:
            return 1, 2, 0, False
        return (0, 1, 2, False) if numeric[1] else (1, 2, None, False)
    if width >= 7 and not gold:  # genre, file, year, number, score, and the two texts of the STS benchmark
        return 5, 6, 4, False
    raise FormatError(
        f"{width} columns, which are no pairs",
        where=f"{where}, line 1",
        remedy="write first<TAB>second, or score<TAB>first<TAB>second",
    )


def _is_number(text: str) -> bool:
    try:
        float(text.strip() or 0)
    except ValueError:
        return False
    return True


def _number(text: str, *, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise FormatError(f"{text!r} is not a score", where=where, remedy="write a number, or nothing") from None
    if not math.isfinite(value):
        raise FormatError(f"{text!r} is not a score", where=where, remedy="scores are finite numbers")
    return value
