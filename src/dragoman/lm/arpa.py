"""ARPA files: the text format that every language-model tool reads and writes.

Files may be plain, gzip or xz. Logarithms to base 10 exist in these files only; everything else in the house speaks
natural logarithms. What is forgiven on reading is noted in `Ngrams.notes`: a missing `<unk>` (its words get a log10
probability of -100, as in KenLM) and missing back-off weights (taken as 1). What cannot be meant is refused with file
and line: counts that are not those of the sections, n-grams listed twice, log-probabilities above 0, words that are not
unigrams, a file that stops before `\\end\\`.
"""

from __future__ import annotations

import contextlib
import gzip
import lzma
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman._native import lm as native
from dragoman.errors import FileError
from dragoman.files import open_binary, writing

if TYPE_CHECKING:
    from dragoman.lm.model import NgramModel

__all__ = ["Ngrams", "read_arpa", "write_arpa"]

_BLOCK = 4 * 2**20


@dataclass(frozen=True, slots=True, eq=False)
class Ngrams:
    """The n-grams of a model as lists: what files hold, estimation makes, and models are built from."""

    native: native.Ngrams = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def order(self) -> int:
        return self.native.order

    @property
    def counts(self) -> tuple[int, ...]:
        """How many n-grams there are, by order."""
        return tuple(self.native.counts)

    def build(self, *, layout: str = "hashed", bits: int = 8) -> NgramModel:
        """A model to query: `hashed` is fastest; `compact` is smaller, with values quantised to `bits` (32: exact)."""
        from dragoman.lm.model import NgramModel

        return NgramModel(native.Model.build(self.native, layout=layout, bits=bits))


def read_arpa(path: Path | str) -> Ngrams:
    """Read an ARPA file; `-` is standard input."""
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
    return Ngrams(ngrams, tuple(reader.notes))


def write_arpa(ngrams: Ngrams, path: Path | str) -> None:
    """Write an ARPA file; `.gz` and `.xz` compress, `-` is standard output."""
    writer = native.ArpaWriter(ngrams.native)
    with writing(path) as file:
        for block in iter(writer.next, b""):
            file.write(block.decode("utf-8"))
