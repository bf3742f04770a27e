"""The annotation cache: what an annotator gave to a sentence, kept on disk under a hash of both.

Annotating a corpus is done once: a second run, or a corpus that shares sentences with an earlier one, reads what is
there. Keys are made as for all that is kept on disk (`dragoman.cache.ContentKey`): of the chain with the
checksums of its models, the code of this room, and the sentence as it came in; so a retrained model or a changed rule
never finds old answers. What is kept is text as it will be written, because building sentences again costs more than
finding them. Entries live in one SQLite file, where stages have a folder each, because there may be millions; writers
wait for each other, and a damaged file is an error with its name, not a wrong answer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from dragoman.cache import ContentKey
from dragoman.errors import FileError

__all__ = ["AnnotationCache"]

_TOGETHER = 500
"""Keys in one question; SQLite allows at least 999."""


class AnnotationCache:
    """Texts by content; a context manager that closes its file.

    >>> with AnnotationCache(":memory:") as cache:
    ...     cache.put("rules:1", ["a"], ["annotated a"])
    ...     cache.get("rules:1", ["a", "b"])
    ['annotated a', None]
    """

    def __init__(self, path: Path | str) -> None:
        self._path = str(path)
        try:
            if self._path != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self._path, timeout=60)
            self._file.execute("CREATE TABLE IF NOT EXISTS sentences (key BLOB PRIMARY KEY, value TEXT) WITHOUT ROWID")
        except (sqlite3.Error, OSError) as error:
            raise self._trouble(error) from None

    def __enter__(self) -> AnnotationCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def get(self, identity: str, sentences: Sequence[str]) -> list[str | None]:
        """What is kept for each sentence."""
        keys = _keys(identity, sentences)
        found: dict[bytes, str] = {}
        try:
            for start in range(0, len(keys), _TOGETHER):
                some = keys[start : start + _TOGETHER]
                marks = ",".join("?" * len(some))
                found.update(self._file.execute(f"SELECT key, value FROM sentences WHERE key IN ({marks})", some))
        except sqlite3.Error as error:
            raise self._trouble(error) from None
        return [found.get(key) for key in keys]

    def put(self, identity: str, sentences: Sequence[str], texts: Sequence[str]) -> None:
        """Keep what came of these sentences."""
        rows = zip(_keys(identity, sentences), texts, strict=True)
        try:
            with self._file:
                self._file.executemany("INSERT OR REPLACE INTO sentences VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            raise self._trouble(error) from None

    def _trouble(self, error: Exception) -> FileError:
        remedy = "delete the file, or do without --cache"
        return FileError(f"cannot use the cache: {error}", where=self._path, remedy=remedy)


def _keys(identity: str, sentences: Sequence[str]) -> list[bytes]:
    content = ContentKey({"annotator": identity}, rooms=["annotations"])
    return [content.of(sentence) for sentence in sentences]
