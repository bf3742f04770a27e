"""Tables whose ids lead nowhere: refused when they are opened, so that nothing that uses them has to look."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.bundle import verify_when_opened
from dragoman.errors import FormatError
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.rule import Counts, Nonterminal, Rule
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import write_table

NODE_SYMBOLS, TARGET_SYMBOLS, LINKS, LABELS, SPARSE, SOURCE_LETTERS = 15, 22, 28, 29, 31, 4


@pytest.fixture(autouse=True)
def crafted() -> Iterator[None]:
    """As if whoever made the file had written the right checksum, too."""
    verify_when_opened(False)
    yield
    verify_when_opened(True)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    x = Nonterminal("X", 0)
    rules = [
        Rule(("das", "haus"), ("the", "house"), {"p": -1.5}, ((0, 0), (1, 1)), Counts(3, 2, 1)),
        Rule((x, "de"), ("of", x), {"p": -0.25}, ((1, 0),), Counts(1, 1, 1), "X", {"rule:de": 0.5}),
    ]
    write_table(rules, tmp_path / "rules", columns=["p"])
    return tmp_path / "rules"


def patch(path: Path, section: int, value: bytes, *, at: int = 0) -> None:
    raw = bytearray(path.read_bytes())
    offset, size, _ = struct.unpack_from("<QQQ", raw, 64 + 24 * section)
    assert size >= at + len(value)
    raw[offset + at : offset + at + len(value)] = value
    path.write_bytes(raw)


@pytest.mark.parametrize(
    ("section", "value", "at", "what"),
    [
        (NODE_SYMBOLS, struct.pack("<I", 0x7FFFFFF0), 4, "a source word"),
        (NODE_SYMBOLS, struct.pack("<I", 0x80FFFF00), 4, "a source word"),
        (TARGET_SYMBOLS, struct.pack("<I", 0x7FFFFFF0), 0, "a target word"),
        (LABELS, struct.pack("<I", 0x00FFFFFF), 0, "a label"),
        (SPARSE, struct.pack("<I", 0x00FFFFFF), 0, "a feature"),
        (SOURCE_LETTERS, b"\xff", 6, "not UTF-8"),
    ],
)
def test_ids_out_of_range_are_refused(table: Path, section: int, value: bytes, at: int, what: str) -> None:
    patch(table, section, value, at=at)
    with pytest.raises(FormatError, match=what) as caught:
        DynamicTable(RuleTable.open(table)).save(table.with_name("saved"))
    assert caught.value.where == str(table)


def test_links_that_lead_nowhere_are_no_links(table: Path) -> None:
    patch(table, LINKS, b"\x00\xfa")
    patch(table, LINKS, b"\xfa\x00", at=2)
    opened = RuleTable.open(table)
    for rule in opened:
        assert all(i < len(rule.source) and j < len(rule.target) for i, j in rule.links)
    DynamicTable(opened).save(table.with_name("saved"))
