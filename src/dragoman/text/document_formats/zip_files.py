"""Documents that are archives: some of their members are rewritten, all others are copied as they are."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from dragoman.errors import FormatError, InputError

__all__ = ["read_members", "with_members"]

_MOST = 2**28
"""Bytes that a member may have when it is unpacked: a small file can hold a very large one."""


def read_members(content: bytes, *, where: str) -> dict[str, bytes]:
    """All members of an archive by name, in their order."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(each.file_size for each in archive.infolist()) > _MOST:
                raise InputError(f"more than {_MOST:,} bytes when it is unpacked", where=where)
            return {each.filename: archive.read(each) for each in archive.infolist()}
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise FormatError(f"not a document of this kind: {error}", where=where) from None


def with_members(content: bytes, changed: Mapping[str, bytes]) -> bytes:
    """The archive with other content for some members; order, times and ways of packing stay."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for each in old.infolist():
            new.writestr(each, changed.get(each.filename, old.read(each)), compress_type=each.compress_type)
    return out.getvalue()
