"""ARPA files: the text format that every language-model tool reads and writes.

Files may be plain, gzip or xz. Logarithms to base 10 exist in these files only; everything else in the house speaks
natural logarithms. What is forgiven on reading is noted: a missing `<unk>` (its words get a log10
probability of -100, as in KenLM) and missing back-off weights (taken as 1). What cannot be meant is refused with file
and line: counts that are not those of the sections, n-grams listed twice, log-probabilities above 0, words that are not
unigrams, a file that stops before `\\end\\`.
"""

from __future__ import annotations

import contextlib
import gzip
import lzma
import zlib
from pathlib import Path

from dragoman._native import lm as native
from dragoman.errors import FileError
from dragoman.files import open_binary, writing

__all__ = ["read_lists", "write_lists"]

_BLOCK = 4 * 2**20


def read_lists(path: Path | str) -> tuple[native.Ngrams, tuple[str, ...]]:
    """The n-grams of a file, and notes; `-` is standard input."""
    reader = native.ArpaReader("standard input" if str(path) == "-" else str(path))
    file = open_binary(path)
    with contextlib.ExitStack() as stack:
        if str(path) != "-":
            stack.enter_context(file)
        try:
            for block in iter(lambda: file.read(_BLOCK), b""):
                reader.feed(block)
        except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, OSError) as error:
            raise FileError(f"damaged or truncated: {error}", where=str(path), remedy="copy the file again") from None
    ngrams = reader.finish()
    return ngrams, tuple(reader.notes)


def write_lists(ngrams: native.Ngrams, path: Path | str) -> None:
    """Write a file; `.gz` and `.xz` compress, `-` is standard output."""
    writer = native.ArpaWriter(ngrams)
    with writing(path) as file:
        for block in iter(writer.next, b""):
            file.write(block.decode("utf-8"))
