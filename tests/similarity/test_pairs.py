"""Readers of pairs, gold scores and runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import EncodingError, FormatError, InputError, LengthMismatch
from dragoman.evaluation.similarity_runs import read_run
from dragoman.similarity.pairs import PairSet, TextPair, read_gold, read_pair_set, read_task, read_texts, set_name


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("a b\tc d\ne\tf\n", None),
        ("4.5\ta b\tc d\n0\te\tf\n", (4.5, 0.0)),
        ("a b\tc d\t4.5\ne\tf\t0\n", (4.5, 0.0)),
        ("MSRpar-1\ta b\tc d\nMSRpar-2\te\tf\n", None),
        ("g\tf\t2012\t1\t4.5\ta b\tc d\tsource\ng\tf\t2012\t2\t0\te\tf\n", (4.5, 0.0)),
        ("pair_ID\tsentence_A\tsentence_B\trelatedness_score\tlabel\n1\ta b\tc d\t4.5\tX\n2\te\tf\t0\tY\n", (4.5, 0.0)),
        ("\ta b\tc d\n0\te\tf\n", (None, 0.0)),
    ],
)
def test_layouts(tmp_path: Path, text: str, gold: tuple[float | None, ...] | None) -> None:
    found = read_pair_set(write(tmp_path / "set.tsv", text))
    assert [pair.texts for pair in found.pairs] == [("a b", "c d"), ("e", "f")]
    assert found.gold == gold
    assert found.name == "set"


def test_official_layout(tmp_path: Path) -> None:
    write(tmp_path / "STS.input.MSRpar.txt", "id\ta b\tc d\nid\te\tf\n")
    write(tmp_path / "STS.gs.MSRpar.txt", "4.5\n\n")
    [found] = read_task([tmp_path])
    assert (found.name, found.gold) == ("MSRpar", (4.5, None))
    judged = found.judged()
    assert len(judged) == 1
    assert judged.scores().tolist() == [4.5]
    with pytest.raises(InputError, match="no gold score"):
        found.scores()


def test_names_of_sets() -> None:
    assert set_name("x/STS.output.OnWN.txt") == "OnWN"
    assert set_name("SMTeuroparl.train.tsv.gz") == "SMTeuroparl"


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("a\tb\nc\n", FormatError, "line 2"),
        ("a\n", FormatError, "no pairs"),
        ("1\ta\tb\n2\tc\td\n3\te\tf\tg\n", FormatError, "line 3"),
        ("1\ta\tb\n2\tc\td\nx\te\tf\n", FormatError, "not a score"),
        ("", InputError, "no pairs"),
        ("nan\ta\tb\n", FormatError, "scores are finite"),
        ("6\ta\tb\n", InputError, "outside of the scale"),
    ],
)
def test_refuses_what_is_no_set(tmp_path: Path, text: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        read_pair_set(write(tmp_path / "set.tsv", text))


def test_refuses_different_lengths(tmp_path: Path) -> None:
    pairs, gold = write(tmp_path / "a.tsv", "a\tb\nc\td\n"), write(tmp_path / "gold", "1\n")
    with pytest.raises(LengthMismatch, match="2 pairs"):
        read_pair_set(pairs, gold=gold)
    with pytest.raises(LengthMismatch):
        read_texts(write(tmp_path / "x", "a\nb\n"), write(tmp_path / "y", "a\n"))
    with pytest.raises(LengthMismatch):
        PairSet("set", (TextPair.of("a", "b"),), (1.0, 2.0))


def test_refuses_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_bytes(b"a\t\xff\n")
    with pytest.raises(EncodingError):
        read_pair_set(tmp_path / "bad.tsv")


def test_gold_and_runs(tmp_path: Path) -> None:
    assert read_gold(write(tmp_path / "gold", "1.5\n\n3\n")) == [1.5, None, 3.0]
    run = read_run(write(tmp_path / "run", "# remark\n1\t100\n2.5\t0\n"))
    assert run.scores.tolist() == [1.0, 2.5]
    assert run.confidences is not None
    assert run.confidences.tolist() == [100.0, 0.0]
    silent = read_run(write(tmp_path / "run", "1\t0\n2.5\t0\n"))
    assert silent.confidences is not None
    assert silent.confidences.tolist() == [100.0, 100.0]
    with pytest.raises(FormatError, match="line 1"):
        read_run(write(tmp_path / "run", "nan\n2\n"))
    assert read_run(write(tmp_path / "run", "nan\n2\n"), nan="5").scores.tolist() == [5.0, 2.0]
    with pytest.raises(FormatError, match="confidence"):
        read_run(write(tmp_path / "run", "1\t101\n"))


def test_pairs_that_are_there_twice() -> None:
    pair = TextPair.of("a", "b")
    assert PairSet("set", (pair, pair, pair.swapped())).repeated() == 1
