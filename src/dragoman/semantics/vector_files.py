"""The formats of word2vec: a line with the number of words and of dimensions, then a word and its numbers each.

In the text form numbers are written out, a line a word; in the binary form they are 32-bit floats, little-endian, after
the word and a blank, with or without a line end behind them. Which of the two a file is can be seen in it. What a file
says of itself is never believed before it was read: a damaged one is refused with the place of the damage, and room is
made for what is there, not for what the first line promises. (Mikolov et al. 2013.)
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import FormatError
from dragoman.files import DAMAGE, damaged, decode_line, display_name, open_binary, writing, writing_bytes

__all__ = ["read_vectors", "write_vectors"]

_LONGEST_WORD = 10_000
_WIDEST = 100_000
_LONGEST_LINE = _LONGEST_WORD + 64 * _WIDEST
_LOOKED_AT = 4096
_BLOCK = 2**20


def write_vectors(
    path: Path | str, words: Sequence[str], values: NDArray[np.float32], *, binary: bool | None = None
) -> None:
    """Write vectors; the binary form if asked for, or if the name ends in `.bin`."""
    if bad := [word for word in words if not word or any(letter.isspace() for letter in word)]:
        raise FormatError(f"{bad[0]!r} cannot be written: a word has letters and no blanks")
    if binary if binary is not None else Path(path).suffix == ".bin":
        with writing_bytes(path) as raw:
            raw.write(f"{len(words)} {values.shape[1]}\n".encode())
            for word, row in zip(words, values.astype("<f4"), strict=True):
                raw.write(word.encode() + b" " + row.tobytes() + b"\n")
        return
    with writing(path) as file:
        file.write(f"{len(words)} {values.shape[1]}\n")
        for word, row in zip(words, values, strict=True):
            file.write(f"{word} {' '.join(repr(float(value)) for value in row)}\n")


def read_vectors(path: Path | str) -> tuple[list[str], NDArray[np.float32]]:
    """Words and their vectors, of a text or binary file; of a word that is there twice, the first counts."""
    name = display_name(path)
    with open_binary(path) as file:
        try:
            head = file.readline(_LOOKED_AT)
            count, size = _header(head, name)
            start = file.read(_LOOKED_AT)
            reader = _read_text if _is_text(start, size) else _read_binary
            words, rows = reader(_Buffered(start, file), count, size, name)
        except DAMAGE as error:
            raise damaged(error, where=name) from None
    kept: dict[str, int] = {}
    for row, word in enumerate(words):
        kept.setdefault(word, row)
    if len(kept) < len(words):
        warnings.warn(f"{name}: {len(words) - len(kept)} words are there twice: the first vector counts", stacklevel=2)
    if not kept:
        raise FormatError("no vectors", where=name)
    return list(kept), np.asarray(rows, np.float32)[list(kept.values())]


class _Buffered:
    """A file of which something was read already, to read up to a letter, or so many bytes."""

    def __init__(self, start: bytes, rest: BinaryIO) -> None:
        self._block, self._at, self._rest = start, 0, rest

    def read(self, size: int) -> bytes:
        while len(self._block) - self._at < size and self._more():
            pass
        taken = self._block[self._at : self._at + size]
        self._at += len(taken)
        return taken

    def until(self, letter: bytes, most: int) -> bytes:
        """Up to and with the letter; less where the file ends, or after `most` bytes."""
        looked = self._at
        while (end := self._block.find(letter, looked)) < 0 and len(self._block) - self._at < most:
            looked = len(self._block) - self._at
            more = self._more()
            looked += self._at
            if not more:
                break
        size = end + 1 - self._at if end >= 0 else len(self._block) - self._at
        return self.read(min(size, most))

    def _more(self) -> bool:
        more = self._rest.read(_BLOCK)
        self._block, self._at = self._block[self._at :] + more, 0
        return bool(more)


def _header(line: bytes, name: str) -> tuple[int, int]:
    fields = line.split()
    count = size = -1
    with suppress(ValueError):
        count, size = map(int, fields)
    if count < 0 or not 0 < size <= _WIDEST or not line.endswith(b"\n"):
        raise FormatError(
            "the first line is not a number of words and of dimensions",
            where=f"{name}, line 1",
            remedy="is it a file of word vectors? GloVe files need such a line in front",
        )
    return count, size


def _is_text(start: bytes, size: int) -> bool:
    """Whether the first word is followed by so many numbers in letters, as far as can be seen."""
    line, end, _ = start.partition(b"\n")
    fields = line.split(b" ")
    seen = [field for field in fields[1 : size + 1] if field]
    if not end and len(start) == _LOOKED_AT:
        seen = seen[:-1]
    try:
        return bool([float(field) for field in seen])
    except ValueError:
        return False


def _read_text(file: _Buffered, count: int, size: int, name: str) -> tuple[list[str], list[NDArray[np.float32]]]:
    words: list[str] = []
    rows: list[NDArray[np.float32]] = []
    number = 1
    while raw := file.until(b"\n", _LONGEST_LINE):
        number += 1
        where = f"{name}, line {number}"
        fields = decode_line(raw.removesuffix(b"\n").removesuffix(b"\r"), where=where).rstrip(" ").split(" ")
        if fields == [""] and len(words) == count:
            continue
        try:
            row = np.array(fields[1:], np.float32)
        except ValueError:
            raise FormatError("not a word and numbers", where=where) from None
        if len(row) != size or not fields[0]:
            raise FormatError(f"a vector of {len(row)} numbers, where the first line says {size}", where=where)
        if not np.isfinite(row).all():
            raise FormatError("a vector that is no number", where=where)
        words.append(fields[0])
        rows.append(row)
    _require_count(len(words), count, name)
    return words, rows


def _read_binary(file: _Buffered, count: int, size: int, name: str) -> tuple[list[str], list[NDArray[np.float32]]]:
    words: list[str] = []
    rows: list[NDArray[np.float32]] = []
    for number in range(1, count + 1):
        where = f"{name}, word {number:,}"
        letters = file.until(b" ", _LONGEST_WORD)
        if letters and not letters.endswith(b" "):
            raise FormatError("a word without an end", where=where, remedy="is the file damaged?")
        raw = file.read(4 * size)
        if len(raw) < 4 * size:
            _require_count(number - 1, count, name)
        row = np.frombuffer(raw, "<f4")
        if not np.isfinite(row).all():
            raise FormatError("a vector that is no number", where=where)
        word = decode_line(letters[:-1].removeprefix(b"\n"), where=where)
        if not word or any(each.isspace() for each in word):
            raise FormatError(f"{word!r} is no word", where=where, remedy="is the file damaged?")
        words.append(word)
        rows.append(row)
    if file.read(2).strip():
        raise FormatError(f"more than the {count:,} vectors that the first line says", where=name)
    return words, rows


def _require_count(found: int, count: int, name: str) -> None:
    if found != count:
        raise FormatError(
            f"{found:,} vectors, where the first line says {count:,}", where=name, remedy="copy the file again"
        )
