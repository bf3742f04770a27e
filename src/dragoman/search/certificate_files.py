"""Certificates as files: each says by its format what it proves."""

from __future__ import annotations

import json
import re
from pathlib import Path

from dragoman.errors import FileError, FormatError
from dragoman.files import require_own_folder, writing
from dragoman.plain_data import parse_json
from dragoman.search import certificate, forest_certificate
from dragoman.search.certificate import Certificate
from dragoman.search.forest_certificate import ForestCertificate

__all__ = ["certificate_folder", "read_certificate", "write_certificate"]

_NAME = re.compile(r"\d{6,}(-\d+)?\.json")
_BEGINNINGS = tuple(f'{{"format": "{each.FORMAT}"'.encode() for each in (certificate, forest_certificate))


def certificate_folder(folder: Path | str) -> None:
    """Make a folder for the certificates of a text, without those of an earlier one; others' files are left alone."""
    folder = Path(folder)
    require_own_folder(folder, _own_files)
    folder.mkdir(parents=True, exist_ok=True)
    for name in _own_files(folder):
        (folder / name).unlink()


def _own_files(folder: Path) -> list[str]:
    """The certificates there: by their names, and by how they begin."""
    own = []
    for file in folder.iterdir():
        if _NAME.fullmatch(file.name) and file.is_file():
            with file.open("rb") as opened:
                own += [file.name] if opened.read(100).startswith(_BEGINNINGS) else []
    return own


def write_certificate(given: Certificate | ForestCertificate, path: Path | str) -> None:
    """Write a certificate, one JSON object."""
    with writing(path) as out:
        out.write(json.dumps(given.to_dict(), ensure_ascii=False) + "\n")


def read_certificate(path: Path | str) -> Certificate | ForestCertificate:
    """Read a certificate; refuses what is none."""
    remedy = "write it with `dragoman translate --search exact --certificate`"
    kinds: dict[tuple[str, int], type[Certificate | ForestCertificate]] = {
        (certificate.FORMAT, certificate.VERSION): Certificate,
        (forest_certificate.FORMAT, forest_certificate.VERSION): ForestCertificate,
    }
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f"cannot read: {reason}", where=str(path), remedy="check the spelling") from None
    given = parse_json(raw, where=str(path), remedy=remedy, finite=True)
    try:
        kind = kinds.get((given["format"], given["version"]))
        if kind is None:
            raise FormatError("a file of another format or version", where=str(path), remedy=remedy)
        return kind.from_dict(given)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise FormatError(f"no certificate: {error!r}", where=str(path), remedy=remedy) from error
