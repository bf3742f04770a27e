"""Alignment files: there and back, and hostile ones refused with file and line."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.align import Alignment, GoldAlignment, alignment_scores
from dragoman.align.formats import (
    read_a3,
    read_gold,
    read_naacl,
    read_pharaoh,
    write_a3,
    write_naacl,
    write_pharaoh,
)
from dragoman.errors import EncodingError, FormatError, InputError, LengthMismatch

links = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30))).map(lambda rows: Alignment(tuple(rows)))


@pytest.mark.slow
@given(links)
def test_pharaoh_there_and_back(alignment: Alignment) -> None:
    assert Alignment.parse(str(alignment)) == alignment
    assert alignment.transposed().transposed() == alignment


def test_files_there_and_back(tmp_path: Path) -> None:
    gold = [
        GoldAlignment(Alignment.parse("0-0"), Alignment.parse("1-0")),
        GoldAlignment(Alignment()),
        GoldAlignment(Alignment.parse("2-1")),
    ]
    write_naacl(tmp_path / "wa", gold)
    assert (tmp_path / "wa").read_text() == "1 1 1 S\n1 2 1 P\n3 3 2 S\n"
    assert read_naacl(tmp_path / "wa") == read_gold(tmp_path / "wa") == gold
    (tmp_path / "marked").write_text("0-0 1p0\n\n2-1\n")
    assert read_gold(tmp_path / "marked") == gold
    write_pharaoh(tmp_path / "a", [g.sure for g in gold])
    assert read_pharaoh(tmp_path / "a") == [g.sure for g in gold]
    (tmp_path / "p").write_text("0-0:0.5 1-1:1e-05\n")
    assert read_pharaoh(tmp_path / "p") == [Alignment.parse("0-0 1-1")]
    source, target = ["das Haus", "ja"], ["the big house", "yes"]
    found = [Alignment.parse("0-0 1-2"), Alignment.parse("0-0")]
    write_a3(tmp_path / "A3", source, target, found)
    assert "NULL ({ 2 }) das ({ 1 }) Haus ({ 3 })" in (tmp_path / "A3").read_text()
    read = read_a3(tmp_path / "A3")
    assert [(" ".join(s), " ".join(t), a) for s, t, a in read] == list(zip(source, target, found, strict=True))


@pytest.mark.parametrize("text", ["0-", "a-b", "0-0:1.5", "1 1", "0-0 -1-1", "999999-0"])
def test_bad_links_are_refused_with_their_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad").write_text(f"0-0\n{text}\n")
    with pytest.raises(FormatError, match="line 2"):
        read_pharaoh(tmp_path / "bad")


@pytest.mark.slow
def test_mutated_files_are_read_or_refused(tmp_path: Path) -> None:
    chance = random.Random(4)
    write_a3(tmp_path / "A3", ["das Haus"], ["the house"], [Alignment.parse("0-0 1-1")])
    write_naacl(tmp_path / "wa", [Alignment.parse("0-0 1-1")] * 3)
    seeds: list[tuple[Callable[[Path], object], bytes]] = [
        (read_a3, (tmp_path / "A3").read_bytes()),
        (read_gold, (tmp_path / "wa").read_bytes()),
        (read_pharaoh, b"0-0 1-1:0.5\n\n2-1\n"),
        (read_gold, b"0-0 1p1\n"),
    ]
    for trial in range(400):
        reader, raw = seeds[trial % len(seeds)]
        data = bytearray(raw)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(data))
            data[at : at + chance.randint(0, 2)] = bytes(
                chance.choices(b"0129-p: \n(){}#SPx\xff", k=chance.randint(0, 3))
            )
        (tmp_path / "x").write_bytes(bytes(data))
        with contextlib.suppress(FormatError, EncodingError):
            reader(tmp_path / "x")


def test_error_rate() -> None:
    gold = [GoldAlignment(Alignment.parse("0-0 1-1"), Alignment.parse("1-2"))]
    score = alignment_scores([Alignment.parse("0-0 1-2 2-2")], gold)
    assert [score.aer, score.precision, score.recall] == pytest.approx([1 - 3 / 5, 2 / 3, 0.5])
    only_sure = [GoldAlignment(Alignment.parse("0-0 1-1"))]
    score = alignment_scores([Alignment.parse("0-0 1-2")], only_sure)
    assert score.aer == pytest.approx(1 - score.f1)
    assert alignment_scores([Alignment()], [GoldAlignment(Alignment())]).aer == 0
    with pytest.raises(LengthMismatch):
        alignment_scores([], gold)
    with pytest.raises(InputError, match="lies outside"):
        Alignment.parse("3-0").check(2, 2)


def test_pictures_escape_and_show() -> None:
    picture = Alignment.parse("0-1 1-0").picture(["<b>", "zwei"], ["two", "&"], Alignment.parse("0-0"))
    assert str(picture).splitlines()[-2:] == [" <b> □ ■", "zwei ■ ·"]
    html = picture._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
