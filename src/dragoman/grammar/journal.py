"""A journal: lines that are on disk before anybody is told that they are.

Each line has its checksum. After a crash the last one may be torn; it was never acknowledged, and is cut away. Any
other damage is an error, because what comes behind it would be read in another order than it was written.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

from dragoman.errors import FormatError
from dragoman.files import display_name
from dragoman.plain_data import parse_json

__all__ = ["Journal", "damaged_line", "journal_line"]


def damaged_line(path: Path, number: int) -> FormatError:
    """What to say of a line that cannot be read."""
    return FormatError(
        "a damaged line in the journal",
        where=f"{path}, line {number}",
        remedy="restore the journal from a copy, or delete it to start afresh",
    )


def journal_line(entry: dict[str, Any]) -> bytes:
    """An entry as it stands in a journal."""
    text = json.dumps(entry, ensure_ascii=False)
    return f"{zlib.crc32(text.encode()):08x} {text}\n".encode()


class Journal:
    """A file of JSON objects, a line each."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def append(self, entry: dict[str, Any]) -> None:
        """Write an entry; when this returns it survives the end of the process and of the machine."""
        line = journal_line(entry)
        fresh = not self.path.exists()
        with self.path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        if fresh:
            directory = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)

    def read(self) -> list[dict[str, Any]]:
        """Every whole entry, oldest first; what a crash tore off the end is cut away."""
        if not self.path.exists():
            return []
        raw = self.path.read_bytes()
        entries: list[dict[str, Any]] = []
        good = 0
        for number, line in enumerate(raw.splitlines(keepends=True), 1):
            digest, _, text = line.removesuffix(b"\n").partition(b" ")
            whole = line.endswith(b"\n") and digest == f"{zlib.crc32(text):08x}".encode()
            if not whole and good + len(line) == len(raw):
                break
            if not whole:
                raise damaged_line(self.path, number)
            entry = parse_json(text, where=f"{display_name(self.path)}, line {number}")
            if not isinstance(entry, dict):
                raise damaged_line(self.path, number)
            entries.append(entry)
            good += len(line)
        if good < len(raw):
            with self.path.open("rb+") as file:
                file.truncate(good)
                os.fsync(file.fileno())
        return entries
