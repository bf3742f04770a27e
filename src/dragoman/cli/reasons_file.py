"""Reasons of scores, written to a file: a page that stands alone, or JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dragoman.metrics.base import SegmentReasons

__all__ = ["check_reasons_file", "write_reasons"]


def check_reasons_file(path: Path) -> None:
    """Refuse a name that promises something else, and a place that cannot be written, before the work."""
    from dragoman.files import require_writable
    from dragoman.settings import check_argument

    check_argument("report", path.suffix, choices=(".html", ".json"))
    require_writable(path)


def write_reasons(reasons: Sequence[SegmentReasons], path: Path, *, title: str = "Similarity with reasons") -> None:
    """Write what the suffix says."""
    from dragoman.files import writing
    from dragoman.similarity.reasons import reasons_page

    with writing(path) as file:
        if path.suffix == ".json":
            json.dump([each.to_dict() for each in reasons], file, ensure_ascii=False, indent=2)
        else:
            file.write(reasons_page(reasons, title=title))
