"""Hypotheses and references from files, plain or WMT, fitted to each other and checked."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from dragoman.errors import EncodingError, InputError, LengthMismatch, SettingError
from dragoman.files import read_lines
from dragoman.metrics.references import References, Texts, check_hypotheses
from dragoman.text.wmt import WmtSet, looks_like_wmt, parse_wmt

__all__ = ["ScoreInputs", "check_texts", "looks_tokenized", "read_inputs"]

FEW_SEGMENTS = 100
"""Below it, a corpus score says little."""


@dataclass(frozen=True, slots=True)
class ScoreInputs:
    """Systems by name, and references, one list per reference."""

    systems: dict[str, list[str]]
    references: list[list[str | None]]

    def split(self, domains: Mapping[str, Sequence[int]]) -> dict[str, ScoreInputs]:
        """The segments of each domain by themselves, those that no domain lists as `other`, and `all` together: a mean
        over everything hides what a domain gained or lost (Green, Cer and Manning 2014)."""
        size = len(self.references[0])
        listed = {number for numbers in domains.values() for number in numbers}
        if listed and max(listed) >= size:
            raise InputError(
                f"a domain has line {max(listed) + 1}, but there are {size}", remedy="lines must be those of this text"
            )
        chosen = {name: sorted(set(numbers)) for name, numbers in domains.items()}
        chosen["other"] = [number for number in range(size) if number not in listed]
        parts = {name: self._part(numbers) for name, numbers in chosen.items() if numbers}
        return {**parts, "all": self}

    def _part(self, numbers: Sequence[int]) -> ScoreInputs:
        return ScoreInputs(
            {name: [lines[number] for number in numbers] for name, lines in self.systems.items()},
            [[lines[number] for number in numbers] for lines in self.references],
        )


def read_inputs(hypotheses: Sequence[str], references: Sequence[str]) -> ScoreInputs:
    """Read files, a hypothesis as FILE or `NAME=FILE`. Segments of WMT files are matched by document and id."""
    if sum(name.rpartition("=")[2] == "-" for name in (*hypotheses, *references)) > 1:
        raise SettingError("standard input can be read once only", remedy="name files")
    places: dict[tuple[str, str], int] | None = None
    made: list[list[str | None]] = []
    sizes: list[tuple[str, int]] = []
    for file in references:
        for lines, ids in _texts(file, "reference"):
            if ids is not None and places is None and not made:
                places = {key: place for place, key in enumerate(ids)}
            made.append(list(_placed(lines, ids, places, file)))
            sizes.append((file, len(made[-1])))
    systems: dict[str, list[str]] = {}
    for argument in hypotheses:
        name, given, file = argument.rpartition("=")
        if not given or Path(argument).exists():
            name, file = "", argument
        for index, (lines, ids) in enumerate(_texts(file, "hypothesis")):
            label = name or (Path(file).name if file != "-" else "-")
            label = label if not index else f"{label}.{index + 1}"
            while label in systems:
                label += "'"
            systems[label] = _placed(lines, ids, places, file)
            sizes.append((file, len(systems[label])))
    if len({size for _, size in sizes}) > 1:
        found = ", ".join(f"{file}: {size}" for file, size in dict(sizes).items())
        raise LengthMismatch(f"files of different numbers of segments ({found})", remedy="one line per segment in each")
    return ScoreInputs(systems, made)


def _texts(file: str, kind: str) -> list[tuple[list[str], list[tuple[str, str]] | None]]:
    lines = list(read_lines(file))
    if not looks_like_wmt(islice(lines, 50)):
        return [(lines, None)]
    found: list[WmtSet] = parse_wmt("\n".join(lines), where=file)
    wanted = [one for one in found if one.kind == kind]
    if not wanted:
        raise InputError(f"holds no {kind}, only {', '.join(sorted({one.kind for one in found}))}", where=file)
    return [([s.text for s in one.segments], [(s.document, s.number) for s in one.segments]) for one in wanted]


def _placed(
    lines: list[str], ids: list[tuple[str, str]] | None, places: dict[tuple[str, str], int] | None, file: str
) -> list[str]:
    if ids is None or places is None:
        return lines
    present = set(ids)
    unknown = next((key for key in ids if key not in places), None)
    missing = next((key for key in places if key not in present), None)
    for key, what in ((unknown, "has"), (missing, "lacks")):
        if key is not None:
            raise LengthMismatch(
                f"{what} segment {key[1]!r} of document {key[0]!r}, unlike the first reference", where=file
            )
    placed = [""] * len(places)
    for key, line in zip(ids, lines, strict=True):
        placed[places[key]] = line
    return placed


def check_texts(systems: Mapping[str, Texts], references: References, *, allow_empty_references: bool) -> list[str]:
    """Refuse what cannot be scored; return warnings about what should not be."""
    references.require_segments()
    segments, streams = references.segments, references.streams
    for number, stream in enumerate(streams, 1):
        for segment, line in enumerate(stream, 1):
            if line is not None and not line.strip() and not allow_empty_references:
                raise InputError(
                    "an empty reference",
                    where=f"reference {number}, segment {segment}",
                    remedy="mend it, or allow empty references",
                )
            if line is not None and "\x00" in line:
                raise EncodingError("a NUL character", where=f"reference {number}, segment {segment}")
    warnings = []
    if segments < FEW_SEGMENTS:
        warnings.append(f"only {segments} segment{'s' * (segments != 1)}: corpus scores of so few are unreliable")
    raw = not any(looks_tokenized([line for line in stream if line]) for stream in streams)
    for name, lines in systems.items():
        check_hypotheses(lines, segments, where=name)
        for segment, line in enumerate(lines, 1):
            if "\x00" in line:
                raise EncodingError("a NUL character", where=f"{name}, segment {segment}")
        if not any(line.strip() for line in lines):
            raise InputError("all hypotheses are empty", where=name, remedy="is this the right file?")
        if raw and looks_tokenized(lines):
            warnings.append(
                f"{name} looks tokenized and the references do not: detokenize it, or scores come out wrong"
            )
    spelt = {name: all(map(_is_composed, lines)) for name, lines in systems.items()}
    spelt["the references"] = all(_is_composed(line) for stream in streams for line in stream if line)
    if len(set(spelt.values())) > 1:
        others = ", ".join(name for name, whole in spelt.items() if not whole)
        warnings.append(
            f"accented letters are spelt in two ways (in {others} not composed, NFC), which count as different:"
            " `compose=true`, as in `-m bleu:compose=true`, makes them one"
        )
    return warnings


def _is_composed(line: str) -> bool:
    return line.isascii() or unicodedata.is_normalized("NFC", line)


def looks_tokenized(lines: Sequence[str]) -> bool:
    """Whether many lines have stops or commas with white space in front, as tokenizers leave them."""
    marked = sum(line.rstrip().endswith((" .", " ?", " !")) or " , " in line for line in lines)
    return (marked >= 10 and marked >= 0.2 * len(lines)) or (len(lines) < 50 and marked >= max(2, 0.5 * len(lines)))
