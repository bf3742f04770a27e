"""The pool: what may be judged, read from files.

A test set is its systems' outputs line by line, with references, sources and document names where there are any; or one
table with a row per output. Files must be parallel: a campaign that judges line 7 against line 8 costs real people's
time before anyone notices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.assessment.campaign import Passage
from dragoman.errors import FormatError, InputError, LengthMismatch, SettingError
from dragoman.files import read_lines
from dragoman.seeds import stream
from dragoman.text.wmt import looks_like_wmt, parse_wmt

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Gold", "SystemOutput", "read_gold", "read_pairs", "read_table", "read_test_set", "with_context"]


@dataclass(frozen=True, slots=True)
class SystemOutput:
    """A system's output for one segment."""

    system: str
    text: str
    source: str = ""
    reference: str = ""
    source_language: str = ""
    target_language: str = ""
    testset: str = ""
    segment: int = 0
    document: str = ""
    context: tuple[Passage, ...] = ()

    @property
    def pair(self) -> str:
        return "-".join(filter(None, (self.source_language, self.target_language)))


@dataclass(frozen=True, slots=True)
class Gold:
    """A thing with a known score: accepted answers, and the reason that may be shown after a wrong one."""

    expected: float
    text: str
    source: str = ""
    reference: str = ""
    accepted: tuple[float, ...] = ()
    reason: str = ""


def read_test_set(
    systems: Mapping[str, Path | Sequence[Path]],
    *,
    pair: str,
    name: str = "",
    reference: Path | Sequence[Path] | None = None,
    source: Path | None = None,
    documents: Path | None = None,
    seed: int = 1,
) -> list[SystemOutput]:
    """The outputs of a test set, from plain files or WMT ones (which know their documents).

    A system with several files takes each segment from one of them at random: a tie for the best of its year, say. Of
    several references each segment has one at random, the same for all systems; blank ones are missing.
    """
    source_language, target_language = split_pair(pair)
    if not systems:
        raise SettingError("a test set needs systems", remedy="systems = { A = 'a.en', B = 'b.en' }")
    sizes: dict[str, int] = {}

    def read(path: Path | None, kind: str) -> tuple[list[str], list[str]]:
        texts, names = _texts(path, kind) if path is not None else ([], [])
        if path is not None:
            sizes[str(path)] = len(texts)
        return texts, names

    sources, source_documents = read(source, "source")
    given = [] if reference is None else [reference] if isinstance(reference, Path) else list(reference)
    readings = [read(path, "reference") for path in given]
    reference_documents = next((names for _, names in readings if names), [])
    named, _ = read(documents, "document")
    versions: dict[str, list[list[str]]] = {}
    for system, paths in systems.items():
        files = [paths] if isinstance(paths, Path) else list(paths)
        versions[system] = [read(path, "hypothesis")[0] for path in files]
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{path}: {size}" for path, size in sizes.items())
        raise LengthMismatch(f"files of different numbers of lines ({listed})", remedy="one line per segment in each")
    count = next(iter(sizes.values()))
    nothing = [""] * count
    references = _at_random([texts for texts, _ in readings], stream(seed, "reference", name))
    in_documents = named or source_documents or reference_documents or nothing
    found: list[SystemOutput] = []
    for system, texts in versions.items():
        chosen = stream(seed, "tie", name, system).integers(0, len(texts), count).tolist()
        found += (
            SystemOutput(
                system,
                texts[chosen[at]][at].strip(),
                (sources or nothing)[at].strip(),
                (references or nothing)[at].strip(),
                source_language,
                target_language,
                name,
                at,
                in_documents[at].strip(),
            )
            for at in range(count)
        )
    return found


def _at_random(versions: Sequence[Sequence[str]], rng: np.random.Generator) -> list[str]:
    """For each segment one of its versions that are not blank."""
    if len(versions) < 2:
        return list(versions[0]) if versions else []
    found = []
    for lines in zip(*versions, strict=True):
        there = [line for line in lines if line.strip()] or [""]
        found.append(there[int(rng.integers(0, len(there)))])
    return found


def _texts(path: Path, kind: str) -> tuple[list[str], list[str]]:
    """The segments of a plain file; or of one kind of a WMT file, with the names of their documents."""
    lines = list(read_lines(path))
    if kind == "document" or not looks_like_wmt(islice(lines, 50)):
        return lines, []
    sets = [one for one in parse_wmt("\n".join(lines), where=str(path)) if one.kind == kind]
    if len(sets) != 1:
        raise InputError(f"holds {len(sets)} sets of kind {kind}, not one", where=str(path), remedy="give plain files")
    return [one.text for one in sets[0].segments], [one.document for one in sets[0].segments]


_COLUMNS = {"system", "candidate", "source", "reference", "pair", "testset", "segment", "document"}


def read_table(path: Path, *, pair: str = "", name: str = "") -> list[SystemOutput]:
    """Outputs from a tab-separated table with a header: `system` and `candidate`, and more where known.

    `source`, `reference`, `pair`, `testset`, `document` and `segment` (a number from 0) may be added; without
    `segment`, rows of one system are counted.
    """
    found: list[SystemOutput] = []
    counted: dict[tuple[str, str], int] = {}
    for number, row in _rows(path, _COLUMNS, {"system", "candidate"}):
        where = f"{path}, line {number}"
        testset = row.get("testset") or name
        source_language, target_language = split_pair(row.get("pair") or pair, where=where)
        key = (testset, row["system"])
        counted[key] = counted.get(key, -1) + 1
        segment = row.get("segment", "")
        if segment and not segment.isdecimal():
            raise FormatError(f"segment {segment!r} is not a number", where=where, remedy="segments count from 0")
        found.append(
            SystemOutput(
                row["system"],
                row["candidate"],
                row.get("source", ""),
                row.get("reference", ""),
                source_language,
                target_language,
                testset,
                int(segment) if segment else counted[key],
                row.get("document", ""),
            )
        )
    places = [(output.testset, output.pair, output.system, output.segment) for output in found]
    if len(set(places)) != len(places):
        twice = next(place for at, place in enumerate(places) if place in places[:at])
        raise InputError(f"system {twice[2]!r} has two outputs for segment {twice[3]}", where=str(path))
    return found


def read_pairs(path: Path, *, language: str, name: str = "") -> list[SystemOutput]:
    """Sentence pairs for graded similarity, one `first<TAB>second` a line."""
    found = []
    for number, line in enumerate(read_lines(path), 1):
        cells = line.split("\t")
        if len(cells) != 2:
            raise FormatError(f"{len(cells)} columns where 2 are needed", where=f"{path}, line {number}")
        found.append(
            SystemOutput(
                name or path.name, cells[1].strip(), "", cells[0].strip(), "", language, name or path.name, number - 1
            )
        )
    return found


def read_gold(path: Path) -> list[Gold]:
    """Gold items from a table with a header: `expected` and `candidate`; `source`, `reference`, `accepted`, `reason`.

    `accepted` lists the right answers, separated by spaces; without it those within one point of the expected one are.
    """
    found = []
    columns = {"expected", "candidate", "source", "reference", "accepted", "reason"}
    for number, row in _rows(path, columns, {"expected", "candidate"}):
        where = f"{path}, line {number}"
        expected = _number(row["expected"], where)
        accepted = tuple(_number(cell, where) for cell in row.get("accepted", "").split())
        near = tuple(float(round(expected) + step) for step in (-1, 0, 1))
        found.append(
            Gold(
                expected,
                row["candidate"],
                row.get("source", ""),
                row.get("reference", ""),
                accepted or near,
                row.get("reason", ""),
            )
        )
    return found


def with_context(outputs: Sequence[SystemOutput], size: int) -> list[SystemOutput]:
    """The same outputs, each with the `size` segments of its document before it, as its own system translated them."""
    if any(not output.document for output in outputs):
        raise SettingError("context of documents needs their names", remedy="documents = 'FILE', one name a line")
    runs: dict[tuple[str, str, str, str], list[SystemOutput]] = {}
    for output in sorted(outputs, key=lambda one: one.segment):
        runs.setdefault((output.pair, output.testset, output.system, output.document), []).append(output)
    found = {}
    for run in runs.values():
        for at, output in enumerate(run):
            before = run[max(0, at - size) : at]
            passages = tuple(Passage(one.source, one.reference, (one.text,)) for one in before)
            found[id(output)] = replace(output, context=passages)
    return [found[id(output)] for output in outputs]


def split_pair(pair: str, *, where: str = "") -> tuple[str, str]:
    """Source and target language of `cs-en`; a single code is the target's."""
    parts = pair.split("-") if "-" in pair else ["", pair]
    if len(parts) != 2 or not parts[1]:
        raise SettingError(f"{pair!r} is not a language pair", where=where, remedy="write pair = 'cs-en'")
    return parts[0], parts[1]


def _rows(path: Path, known: set[str], needed: set[str]) -> list[tuple[int, dict[str, str]]]:
    lines = list(read_lines(path))
    header = lines[0].split("\t") if lines else []
    if missing := needed - set(header):
        raise FormatError(
            f"no column is called {sorted(missing)[0]!r}",
            where=f"{path}, line 1",
            remedy=f"the first line names the columns: {', '.join(sorted(known))}",
        )
    if unknown := set(header) - known:
        raise FormatError(f"unknown column {sorted(unknown)[0]!r}", where=f"{path}, line 1")
    found = []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != len(header):
            raise FormatError(f"{len(cells)} columns where {len(header)} are needed", where=f"{path}, line {number}")
        found.append((number, {name: cell.strip() for name, cell in zip(header, cells, strict=True)}))
    return found


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise FormatError(f"{text!r} is not a number", where=where) from None
