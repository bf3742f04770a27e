"""Files that wait to be fetched: translated documents, for half an hour.

Names of clients are cut down to what no file system minds; where files lie is decided by random numbers alone.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

__all__ = ["KeptFiles", "attachment", "safe_name"]

SECONDS = 30 * 60
MOST = 200
"""Files that are kept at a time; the oldest go first."""

_KEPT = re.compile(r"([0-9a-f-]{36})\.(.+)")


def safe_name(name: str) -> str:
    """The last part of a name, without what could mean something to a system.

    >>> safe_name("../../etc/passwd"), safe_name("C:\\\\x\\\\My file (1).PO"), safe_name("..")
    ('passwd', 'My file (1).PO', 'file')
    """
    last = re.split(r"[/\\]", name)[-1]
    kept = re.sub(r"[^\w .()+-]", "_", last).strip(" .")[-100:]
    return kept or "file"


def attachment(name: str) -> str:
    """The header that offers a file under its name."""
    return f"attachment; filename*=UTF-8''{quote(name)}"


class KeptFiles:
    """A folder of its own, which goes with the server."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="dragoman-"))
        self._lock = threading.Lock()

    def put(self, name: str, content: bytes) -> str:
        """Keep a file; gives the name to fetch it by."""
        with self._lock:
            self._tidy()
            kept = f"{uuid4()}.{safe_name(name)}"
            (self._folder / kept.partition(".")[0]).write_bytes(content)
        return kept

    def get(self, kept: str) -> tuple[str, bytes] | None:
        """The own name of a file, and its content; None if there is no such file (any more)."""
        found = _KEPT.fullmatch(kept)
        if found is None:
            return None
        try:
            path = self._folder / found[1]
            if path.stat().st_mtime < time.time() - SECONDS:
                return None
            return safe_name(found[2]), path.read_bytes()
        except OSError:
            return None

    def _tidy(self) -> None:
        files = sorted(self._folder.iterdir(), key=lambda file: file.stat().st_mtime)
        for number, file in enumerate(files):
            if file.stat().st_mtime < time.time() - SECONDS or number <= len(files) - MOST:
                file.unlink()

    def close(self) -> None:
        """Remove them all."""
        shutil.rmtree(self._folder, ignore_errors=True)
