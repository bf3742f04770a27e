"""Certificates as files: each says by its format what it proves."""

from __future__ import annotations

import json
from pathlib import Path

from dragoman.errors import FormatError
from dragoman.search import certificate, forest_certificate
from dragoman.search.certificate import Certificate
from dragoman.search.forest_certificate import ForestCertificate

__all__ = ["read_certificate"]


def read_certificate(path: Path | str) -> Certificate | ForestCertificate:
    """Read a certificate; refuses what is none."""
    remedy = "write it with `dragoman translate --search exact --certificate`"
    kinds: dict[tuple[str, int], type[Certificate | ForestCertificate]] = {
        (certificate.FORMAT, certificate.VERSION): Certificate,
        (forest_certificate.FORMAT, forest_certificate.VERSION): ForestCertificate,
    }
    try:
        given = json.loads(Path(path).read_text(encoding="utf-8"))
        kind = kinds.get((given["format"], given["version"]))
        if kind is None:
            raise FormatError("a file of another format or version", where=str(path), remedy=remedy)
        return kind.from_dict(given)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise FormatError(f"no certificate: {error!r}", where=str(path), remedy=remedy) from error
