"""TOML and JSON are read in one way, wherever they come from."""

from __future__ import annotations

import ast
import contextlib
from pathlib import Path

import pytest

from dragoman.assessment.exchange.appraise import _read_spans
from dragoman.errors import DragomanError, FormatError
from dragoman.plain_data import parse_json, parse_toml
from dragoman.search.confidence import Confidence

SOURCE = Path(__file__).parent.parent / "src" / "dragoman"
OWN = {"plain_data.py", "assessment/web/store.py", "grammar/dynamic.py", "search/lattice.py", "tuning/log.py"}
"""The reader itself; a lattice, whose errors are those of a line of input; and what the same module wrote, into a
database, under a checksum, or in memory."""

HOSTILE = ("", "[" * 100_000, '{"a":' * 50_000, "1e400", "null", "[]", '"x"', "{}", "\ud800", "9" * 5000, "[[1]]", "{")


def test_nothing_reads_json_or_toml_by_itself() -> None:
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
            if named and (node.value.id, node.attr) in {  # type: ignore[attr-defined]
                ("json", "loads"),
                ("json", "load"),
                ("tomllib", "loads"),
                ("tomllib", "load"),
            }:
                found.add(str(path.relative_to(SOURCE)))
    assert found <= OWN, f"use dragoman.plain_data in {sorted(found - OWN)}"


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_hostile_is_one_kind_of_error(text: str) -> None:
    for read in (parse_json, parse_toml):
        with contextlib.suppress(DragomanError):
            read(text, where="x")
    with pytest.raises(FormatError):
        Confidence.from_json(text, where="x")
    if text:
        with pytest.raises(FormatError):
            _read_spans(text if text not in ("[]", "{}") else "[1]", "x")
