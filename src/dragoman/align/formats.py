"""Alignment files: Pharaoh, NAACL/WPT and GIZA's A3.

Pharaoh has one sentence pair a line, `0-0 1-2`, with `1p2` for a possible link and `1-2:0.9` for a probability. NAACL
(also WPT) has one link a line, `sentence source target [S|P]`, counted from 1. A3 has three lines a pair: a comment,
the target sentence, and the source words from NULL on, each with the target positions it is linked to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from dragoman.align.aer import GoldAlignment
from dragoman.align.alignment import MAX_POSITION, Alignment
from dragoman.errors import FormatError
from dragoman.files import read_lines, writing

__all__ = ["read_a3", "read_gold", "read_naacl", "read_pharaoh", "write_a3", "write_naacl", "write_pharaoh"]

_MARKED = re.compile(r"(\d{1,5})([-p?])(\d{1,5})(?::\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)?")
_NAACL = re.compile(r"(\d{1,9})\s+(\d{1,5})\s+(\d{1,5})(?:\s+([SP]))?(?:\s+(?:\d+(?:\.\d+)?|\.\d+))?")
_A3 = re.compile(r"(?<!\S)(\S+) \(\{((?: \d{1,5})*) \}\)")


def read_pharaoh(path: Path | str) -> list[Alignment]:
    """Alignments, one line each; probabilities are dropped."""
    return [Alignment.parse(line, where=f"{path}, line {n}") for n, line in enumerate(read_lines(path), 1)]


def write_pharaoh(path: Path | str, alignments: Iterable[Alignment | str]) -> None:
    """One line per sentence pair."""
    with writing(path) as file:
        for alignment in alignments:
            file.write(f"{alignment}\n")


def read_gold(path: Path | str, *, sentences: int | None = None) -> list[GoldAlignment]:
    """Gold links: Pharaoh with `1p2` for possible links, or NAACL, told apart by content."""
    lines = list(read_lines(path))
    content = next((line for line in lines if line.strip()), "")
    if _NAACL.fullmatch(content.strip()):
        return _naacl(lines, str(path), sentences)
    gold = []
    for number, line in enumerate(lines, 1):
        sure: list[tuple[int, int]] = []
        possible: list[tuple[int, int]] = []
        for field in line.split():
            match = _MARKED.fullmatch(field)
            if match is None or max(int(match[1]), int(match[3])) > MAX_POSITION:
                raise FormatError(
                    f"{field!r} is not a link", where=f"{path}, line {number}", remedy="write 0-0, or 0p0 if possible"
                )
            (sure if match[2] == "-" else possible).append((int(match[1]), int(match[3])))
        gold.append(GoldAlignment(Alignment(tuple(sure)), Alignment(tuple(possible))))
    return gold


def read_naacl(path: Path | str, *, sentences: int | None = None) -> list[GoldAlignment]:
    """Links by sentence number; `sentences` is how many there are when the last have no links."""
    return _naacl(list(read_lines(path)), str(path), sentences)


def _naacl(lines: Sequence[str], path: str, sentences: int | None) -> list[GoldAlignment]:
    most = 10_000_000
    sure: dict[int, list[tuple[int, int]]] = {}
    possible: dict[int, list[tuple[int, int]]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        match = _NAACL.fullmatch(line.strip())
        where = f"{path}, line {number}"
        if match is None:
            raise FormatError("not a link", where=where, remedy="write: sentence source target S (or P), from 1")
        k, i, j = int(match[1]), int(match[2]), int(match[3])
        if not (1 <= k <= most and 1 <= i <= MAX_POSITION and 1 <= j <= MAX_POSITION):
            raise FormatError("numbers are counted from 1", where=where)
        if sentences is not None and k > sentences:
            raise FormatError(f"sentence {k} of {sentences}", where=where)
        (possible if match[4] == "P" else sure).setdefault(k, []).append((i - 1, j - 1))
    count = sentences if sentences is not None else max([*sure, *possible], default=0)
    return [
        GoldAlignment(Alignment(tuple(sure.get(k, ()))), Alignment(tuple(possible.get(k, ()))))
        for k in range(1, count + 1)
    ]


def write_naacl(path: Path | str, gold: Iterable[GoldAlignment | Alignment]) -> None:
    """One link a line, counted from 1, possible links marked P."""
    with writing(path) as file:
        for k, item in enumerate(gold, 1):
            truth = GoldAlignment(item) if isinstance(item, Alignment) else item
            for i, j in truth.possible:
                file.write(f"{k} {i + 1} {j + 1} {'S' if (i, j) in truth.sure else 'P'}\n")


def read_a3(path: Path | str) -> list[tuple[list[str], list[str], Alignment]]:
    """Source words, target words and links of each pair. The file's NULL-first side is the source."""
    lines = list(read_lines(path))
    if len(lines) % 3:
        raise FormatError(f"{len(lines)} lines, not a multiple of 3", where=str(path), remedy="is the file complete?")
    pairs = []
    for at in range(0, len(lines), 3):
        where = f"{path}, line {at + 3}"
        if not lines[at].startswith("#"):
            raise FormatError("a comment line is needed first", where=f"{path}, line {at + 1}")
        target = lines[at + 1].split()
        fields = list(_A3.finditer(lines[at + 2]))
        rest = _A3.sub("", lines[at + 2]).strip()
        if rest or not fields or fields[0][1] != "NULL":
            raise FormatError("not a line of words with links, NULL first", where=where)
        links = []
        for i, field in enumerate(fields[1:]):
            for number in field[2].split():
                if not 1 <= int(number) <= len(target):
                    raise FormatError(f"position {number} of {len(target)} words", where=where)
                links.append((i, int(number) - 1))
        pairs.append(([field[1] for field in fields[1:]], target, Alignment(tuple(links))))
    return pairs


def write_a3(
    path: Path | str,
    source: Sequence[str],
    target: Sequence[str],
    alignments: Sequence[Alignment],
    *,
    scores: Sequence[float] | None = None,
) -> None:
    """Directional links (each target word at most once) in GIZA's form."""
    with writing(path) as file:
        for k, (one, other, alignment) in enumerate(zip(source, target, alignments, strict=True)):
            words, others = one.split(), other.split()
            alignment.check(len(words), len(others), where=f"sentence pair {k + 1}")
            score = scores[k] if scores is not None else 1.0
            file.write(
                f"# Sentence pair ({k + 1}) source length {len(words)} target length {len(others)} "
                f"alignment score : {score:g}\n{other}\n"
            )
            linked: list[list[int]] = [[] for _ in words]
            for i, j in alignment:
                linked[i].append(j + 1)
            free = sorted(set(range(1, len(others) + 1)) - {j + 1 for _, j in alignment})
            file.write(" ".join(_entry(w, n) for w, n in [("NULL", free), *zip(words, linked, strict=True)]) + " \n")


def _entry(word: str, numbers: Sequence[int]) -> str:
    return f"{word} ({{{''.join(f' {n}' for n in numbers)} }})"
