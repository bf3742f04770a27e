"""Certificates as files: each says by its format what it proves."""

from __future__ import annotations

import json
from pathlib import Path

from dragoman.errors import FileError, FormatError
from dragoman.files import writing
from dragoman.plain_data import parse_json
from dragoman.search import certificate, forest_certificate
from dragoman.search.certificate import Certificate
from dragoman.search.forest_certificate import ForestCertificate

__all__ = ["read_certificate", "write_certificate"]


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
