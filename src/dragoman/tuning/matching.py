"""Which words of several translations of one sentence correspond: what combination starts from.

Every two outputs are matched word by word as METEOR does it, with punctuation kept: the same word, the same stem, a
synonym, a paraphrase (Banerjee and Lavie 2005; Heafield and Lavie 2010). A word has at most one partner in each other
output; links are not closed transitively.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman._native import combination as native
from dragoman.errors import FormatError, InputError, LengthMismatch
from dragoman.files import read_lines, writing
from dragoman.metrics.lexical import is_punctuation
from dragoman.metrics.meteor import STAGES, Meteor
from dragoman.settings import Settings, setting

__all__ = ["SEPARATOR", "MatchedOutputs", "Matcher", "join_outputs", "read_matched", "split_outputs", "write_matched"]

SEPARATOR = "|||"
"""Stands between the outputs when they are written on one line."""


def join_outputs(outputs: Sequence[Sequence[str]]) -> list[str]:
    """One line per sentence from one list per system: `output ||| output ||| ...`."""
    sizes = {len(output) for output in outputs}
    if len(sizes) > 1:
        raise LengthMismatch(f"systems with {', '.join(map(str, sorted(sizes)))} sentences")
    for number, output in enumerate(outputs, 1):
        for line, text in enumerate(output, 1):
            if SEPARATOR in text.split():
                raise InputError(
                    f"the token {SEPARATOR!r}", where=f"system {number}, sentence {line}", remedy="escape it"
                )
    return [f" {SEPARATOR} ".join(" ".join(text.split()) for text in row) for row in zip(*outputs, strict=True)]


def split_outputs(line: str) -> tuple[tuple[str, ...], ...]:
    """The tokens of each output of a line that `join_outputs` made."""
    outputs: list[list[str]] = [[]]
    for token in line.split():
        if token == SEPARATOR:
            outputs.append([])
        else:
            outputs[-1].append(token)
    return tuple(map(tuple, outputs))


@dataclass(frozen=True, eq=False)
class MatchedOutputs:
    """The outputs for one sentence; links are rows of system, word, system, word, stage."""

    outputs: tuple[tuple[str, ...], ...]
    links: NDArray[np.int32]

    @property
    def joined(self) -> str:
        """As a line of `join_outputs`."""
        return f" {SEPARATOR} ".join(" ".join(output) for output in self.outputs)

    @cached_property
    def native(self) -> native.Outputs:
        """For the combiner."""
        punctuation = [[is_punctuation(token) for token in output] for output in self.outputs]
        return native.Outputs([list(output) for output in self.outputs], punctuation, self.links)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matcher(Settings):
    """Finds links. Stages whose knowledge a language lacks must be left out: `synonym` needs English and WordNet."""

    language: str = setting("en", "Of the outputs.")
    stages: tuple[str, ...] = setting(("exact", "stem", "synonym"), "What links words.", choices=STAGES)
    paraphrases: str = setting("", "A file of paraphrases, for their stage.")
    _meteor: Meteor = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        meteor = Meteor(
            language=self.language,
            stages=self.stages,
            paraphrases=self.paraphrases,
            tokenize="none",
            keep_punctuation=True,
        )
        object.__setattr__(self, "_meteor", meteor)

    def match(self, lines: Sequence[str], *, threads: int = 0) -> list[MatchedOutputs]:
        """The links of lines that `join_outputs` made."""
        rows = [split_outputs(line) for line in lines]
        links: list[list[tuple[int, int, int, int, int]]] = [[] for _ in rows]
        systems = max(map(len, rows), default=0)
        for a, b in combinations(range(systems), 2):
            both = [number for number, row in enumerate(rows) if len(row) > b and row[a] and row[b]]
            texts = [[" ".join(rows[number][system]) for number in both] for system in (a, b)]
            for number, found in zip(both, self._meteor.matches(*texts, threads=threads), strict=True):
                for (h, h_end), (r, r_end), stage in found:
                    # The words of phrases that paraphrase each other correspond one by one, as far as they go.
                    steps = range(min(h_end - h, r_end - r))
                    links[number].extend((a, h + step, b, r + step, STAGES.index(stage)) for step in steps)
        return [
            MatchedOutputs(row, np.array(found, np.int32).reshape(-1, 5))
            for row, found in zip(rows, links, strict=True)
        ]


def write_matched(path: Path | str, sentences: Iterable[MatchedOutputs]) -> None:
    """Matched outputs as text: the number of systems, their outputs, then the links of each pair and a blank line.

    A link is `word TAB word TAB stage TAB score`; words count from 0, and the score is 1, as every link counts alike.
    """
    with writing(path) as file:
        for matched in sentences:
            print(len(matched.outputs), file=file)
            for output in matched.outputs:
                print(" ".join(output), file=file)
            for a, b in combinations(range(len(matched.outputs)), 2):
                for _, i, _, j, stage in (row for row in matched.links.tolist() if (row[0], row[2]) == (a, b)):
                    print(i, j, STAGES[stage], 1, sep="\t", file=file)
                print(file=file)


def read_matched(path: Path | str) -> Iterator[MatchedOutputs]:
    """What `write_matched` wrote."""
    lines = enumerate(read_lines(path), 1)
    number = 0

    def next_line() -> str:
        nonlocal number
        try:
            number, line = next(lines)
        except StopIteration:
            raise FormatError("the file ends within a sentence", where=f"{path}, line {number}") from None
        return line

    for number, line in lines:
        if not (line.isascii() and line.isdecimal() and int(line)):
            raise FormatError(f"the number of systems was expected, not {line!r}", where=f"{path}, line {number}")
        outputs = tuple(tuple(next_line().split()) for _ in range(int(line)))
        links = []
        for a, b in combinations(range(len(outputs)), 2):
            taken: set[tuple[int, int]] = set()
            while link := next_line():
                fields = link.split("\t")
                try:
                    i, j, stage = int(fields[0]), int(fields[1]), STAGES.index(fields[2])
                except (IndexError, ValueError):
                    raise FormatError(
                        f"{link!r} is no link", where=f"{path}, line {number}", remedy="word TAB word TAB stage TAB 1"
                    ) from None
                if not (0 <= i < len(outputs[a]) and 0 <= j < len(outputs[b])):
                    raise FormatError(
                        f"the link {link!r} leads to no word",
                        where=f"{path}, line {number}",
                        remedy=f"outputs {a + 1} and {b + 1} have {len(outputs[a])} and {len(outputs[b])}, from 0",
                    )
                if {(a, i), (b, j)} & taken:
                    raise FormatError(
                        f"the link {link!r} gives a word a second partner in one output",
                        where=f"{path}, line {number}",
                        remedy="keep one of the two links",
                    )
                taken |= {(a, i), (b, j)}
                links.append((a, i, b, j, stage))
        yield MatchedOutputs(outputs, np.array(links, np.int32).reshape(-1, 5))
