"""The stage cache: a killed job loses at most its current stage, and nothing stale is ever used.

A stage is a named function from inputs and settings to a directory of files. Its result is kept under a key made of the
content of the inputs, the settings, the versions of stage and binary formats, and the code that it runs, so that a
changed corpus, option or program leads to other keys all the way down, a file that could no longer be read is never
found, and what is unchanged costs nothing. Results are written aside and renamed: one that exists is whole. Training,
experiments and benchmarks share this cache.

    >>> import tempfile; folder = tempfile.TemporaryDirectory()
    >>> cache = StageCache(Path(folder.name))
    >>> def count(out: Path) -> None:
    ...     print("working")
    ...     _ = (out / "count.txt").write_text("1")
    >>> first = cache.run("count", work=count, settings={"by": "word"})
    working
    >>> cache.run("count", work=count, settings={"by": "word"}) == first
    True
    >>> folder.cleanup()
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from dragoman import _native
from dragoman._native import common
from dragoman.errors import FileError
from dragoman.files import checksum, writing_directory

__all__ = ["FORMATS", "ContentKey", "StageCache", "StageResult", "code_digest"]

FORMATS = {each.kind: each.version for each in common.binary_formats()}
"""Versions of the binary files that stages may write, by kind."""


@cache
def code_digest(rooms: tuple[str, ...]) -> str:
    """A hash of the code of some rooms and of the native core, so that results of other code are never used."""
    digest = hashlib.blake2b(digest_size=16)
    home = Path(__file__).parent
    files = [file for room in rooms for file in sorted((home / room).rglob("*.py"))]
    if rooms:
        files.append(Path(str(_native.__file__)))
    for file in files:
        digest.update(f"{file.name} {checksum(file)}\n".encode())
    return digest.hexdigest()


class ContentKey:
    """The key of a result under all that it depends on; the one way in which what is kept on disk is found again.

    Code and binary formats are part of every key. `of(text)` is the key of one of many results, which depends on a text
    of its own besides.

    >>> key = ContentKey({"annotator": "rules"}, rooms=["annotations"])
    >>> key.of("a sentence") == key.of("a sentence"), key.of("a sentence") == key.of("another")
    (True, False)
    """

    def __init__(self, identity: Mapping[str, Any], *, rooms: Sequence[str] = ()) -> None:
        self.identity = {**identity, "code": code_digest(tuple(rooms)), "formats": FORMATS}
        text = json.dumps(self.identity, sort_keys=True, ensure_ascii=False)
        self._state = hashlib.sha256(text.encode())

    def hexdigest(self) -> str:
        return self._state.hexdigest()[:32]

    def of(self, text: str) -> bytes:
        state = self._state.copy()
        state.update(b"\x1f" + text.encode("utf-8", "surrogatepass"))
        return state.digest()[:16]


@dataclass(frozen=True, slots=True)
class StageResult:
    """A finished stage: its files, and the key that stands for their content."""

    name: str
    key: str
    path: Path

    def file(self, name: str) -> Path:
        return self.path / name


_LEFT = re.compile(r"\..+-[0-9a-f]{32}\.\w+\.partial")
"""What a stage that was killed leaves; people may have other hidden folders where they keep finished ones."""


class StageCache:
    """Finished stages in a folder."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._digests: dict[tuple[str, int, int], str] = {}

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Only one job at a time; what a killed one left half done is cleared away."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = (self.folder / ".lock").open("w")
        except OSError as error:
            raise FileError(f"cannot write: {error.strerror}", where=str(self.folder)) from None
        with lock:
            try:
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:  # no such locks on this system: trust the user
                pass
            except OSError:
                raise FileError(
                    "another job is at work here", where=str(self.folder), remedy="wait for it, or use another folder"
                ) from None
            for partial in self.folder.glob(".*.partial"):
                if _LEFT.fullmatch(partial.name):
                    shutil.rmtree(partial, ignore_errors=True)
            yield

    def run(
        self,
        name: str,
        *,
        work: Callable[[Path], None],
        inputs: Mapping[str, Path | StageResult] | None = None,
        settings: Mapping[str, Any] | None = None,
        version: int = 1,
        rooms: Sequence[str] = (),
    ) -> StageResult:
        """The stage's result, computed by `work(directory)` unless it is there already; `rooms` are those it runs."""
        content = ContentKey(
            {
                "stage": name,
                "version": version,
                "settings": dict(settings or {}),
                "inputs": {label: self._digest(source) for label, source in sorted((inputs or {}).items())},
            },
            rooms=rooms,
        )
        key = content.hexdigest()
        path = self.folder / f"{name}-{key}"
        if not path.is_dir():
            with writing_directory(path) as folder:
                work(folder)
                record = json.dumps(content.identity, indent=1, ensure_ascii=False)
                (folder / "stage.json").write_text(record + "\n", "utf-8")
        return StageResult(name, key, path)

    def _digest(self, source: Path | StageResult) -> str:
        if isinstance(source, StageResult):
            return source.key
        status = source.stat()
        seen = (str(source.resolve()), status.st_size, status.st_mtime_ns)
        if seen not in self._digests:
            self._digests[seen] = checksum(source)
        return self._digests[seen]
