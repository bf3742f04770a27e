"""The annotation cache: what an annotator gave to a sentence, kept on disk under a hash of both.

Annotating a corpus is done once: a second run, or a corpus that shares sentences with an earlier one, reads what is
there. The key of an entry is the identity of the chain (with the checksums of its models) and the sentence as it came
in, so a retrained model never finds old answers. Entries live in one SQLite file, compressed; writers wait for
each other, and a damaged file is an error with its name, not a wrong answer.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from dragoman.annotations.sentence import Sentence
from dragoman.errors import FileError

__all__ = ["AnnotationCache"]


class AnnotationCache:
    """Annotated sentences by content; a context manager that closes its file.

    >>> from dragoman.annotations import Sentence
    >>> with AnnotationCache(":memory:") as cache:
    ...     cache.put("rules:1", [Sentence.of(["a"])], [Sentence.of(["a"], pos=["X"])])
    ...     [found.pos if found else None for found in cache.get("rules:1", [Sentence.of(["a"]), Sentence.of(["b"])])]
    [('X',), None]
    """

    def __init__(self, path: Path | str) -> None:
        self._path = str(path)
        try:
            if self._path != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self._path, timeout=60)
            self._file.execute("CREATE TABLE IF NOT EXISTS sentences (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
        except (sqlite3.Error, OSError) as error:
            raise self._trouble(error) from None

    def __enter__(self) -> AnnotationCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def get(self, identity: str, sentences: Sequence[Sentence]) -> list[Sentence | None]:
        """What is kept for each sentence."""
        keys = [_key(identity, sentence) for sentence in sentences]
        try:
            rows = [self._file.execute("SELECT value FROM sentences WHERE key = ?", (key,)).fetchone() for key in keys]
            return [Sentence.from_dict(json.loads(zlib.decompress(row[0]))) if row else None for row in rows]
        except (sqlite3.Error, zlib.error, ValueError) as error:
            raise self._trouble(error) from None

    def put(self, identity: str, sentences: Sequence[Sentence], annotated: Sequence[Sentence]) -> None:
        """Keep what came of these sentences."""
        rows = [
            (_key(identity, before), zlib.compress(json.dumps(after.to_dict(), ensure_ascii=False).encode(), 1))
            for before, after in zip(sentences, annotated, strict=True)
        ]
        try:
            with self._file:
                self._file.executemany("INSERT OR REPLACE INTO sentences VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            raise self._trouble(error) from None

    def _trouble(self, error: Exception) -> FileError:
        return FileError(
            f"cannot use the cache: {error}", where=self._path, remedy="delete the file, or do without --cache"
        )


def _key(identity: str, sentence: Sentence) -> bytes:
    plain = json.dumps(sentence.to_dict(), ensure_ascii=False, sort_keys=True)
    return hashlib.blake2b(f"{identity}\x1f{plain}".encode(), digest_size=20).digest()
