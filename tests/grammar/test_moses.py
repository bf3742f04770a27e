"""Moses text: exact formats, round trips, and what is refused."""

from __future__ import annotations

import gzip
import math
import random
from pathlib import Path

import pytest

from dragoman.errors import DragomanError, FormatError, SettingError
from dragoman.grammar.limits import PhraseLimits
from dragoman.grammar.moses import export_moses, export_reordering, import_moses
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.phrases import extract
from dragoman.grammar.rule import Nonterminal, Rule
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import write_table
from tests.grammar.conftest import Bitext, lines


def written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_lines_are_written_as_moses_writes_them(german: RuleTable, tmp_path: Path) -> None:
    export_moses(german, tmp_path / "pt.gz")
    text = gzip.decompress((tmp_path / "pt.gz").read_bytes()).decode().splitlines()
    assert "das haus ||| the house ||| 1 1 1 1 ||| 0-0 1-1 ||| 2 2 2 ||| |||" in text
    assert "klein ||| very small ||| 0.5 0.5 0.5 1 ||| 0-1 ||| 2 2 1 ||| |||" in text


def test_lines_are_read_as_moses_reads_them(tmp_path: Path) -> None:
    path = written(
        tmp_path / "pt",
        "das haus ||| the house ||| 0.8 0.5 0.6 0.4 ||| 0-0 1-1 ||| 5 6.67 4 ||| ||| {{Tree x}}\n"
        "in europa ||| in europe ||| 0.829007 0.207955 0 0.492402\n"
        "x ||| y ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| f1 0.5 f2 -2 |||\n",
    )
    done = import_moses(path, tmp_path / "t")
    house = done.table.lookup("das haus")[0]
    assert house.links == ((0, 0), (1, 1))
    assert [house.counts.target, house.counts.source, house.counts.joint] == pytest.approx([5, 6.67, 4])
    assert [math.exp(v) for v in house.values.values()] == pytest.approx([0.8, 0.5, 0.6, 0.4], rel=1e-6)
    assert done.table.lookup("in europa")[0].values["phrase.ts"] == -100
    assert done.table.lookup("x")[0].sparse == {"f1": 0.5, "f2": -2}
    assert (done.floored, done.properties) == (1, 1)


def test_tables_of_2009_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "pt", "a b ||| u v ||| (0) (0,1) ||| (0,1) (1) ||| 0.5 0.5 0.5 0.5 2.718\n")
    table = import_moses(path, tmp_path / "t").table
    assert table.columns[-1] == "penalty"
    assert table.lookup("a b")[0].links == ((0, 0), (1, 0), (1, 1))


@pytest.mark.parametrize("condition", ["f", "fe"])
@pytest.mark.slow
def test_round_trip_is_lossless(bitext: Bitext, tmp_path: Path, condition: str) -> None:
    model = ReorderingModel("hier", "mslr", "bidirectional", condition)
    table = extract(*lines(bitext), tmp_path / "a", scoring=Scoring(count=True, unique=True, reordering=model)).table
    export_moses(table, tmp_path / "pt.gz")
    export_reordering(table, tmp_path / "ro.gz")
    done = import_moses(
        tmp_path / "pt.gz",
        tmp_path / "b",
        columns=table.columns[:6],
        reordering=tmp_path / "ro.gz",
        reordering_model=model,
    )
    assert done.without_reordering == 0
    assert list(done.table) == list(table)
    export_moses(done.table, tmp_path / "pt2.gz")
    assert (tmp_path / "pt2.gz").read_bytes() == (tmp_path / "pt.gz").read_bytes()


def test_gaps_and_awkward_words_survive(tmp_path: Path) -> None:
    source, target = ["X ne veux pas |||", "a|||b c"], ["i do not X", "u v"]
    links = ["0-0 1-2 3-2 2-3 4-3", "0-0 1-1"]
    table = extract(source, target, links, tmp_path / "a", limits=PhraseLimits(gaps=True)).table
    export_moses(table, tmp_path / "pt")
    again = import_moses(tmp_path / "pt", tmp_path / "b", gaps=True).table
    assert list(again) == list(table)
    assert "&#124;&#124;&#124;" in (tmp_path / "pt").read_text()


def test_rules_missing_from_the_reordering_table_get_zeros(german: RuleTable, tmp_path: Path) -> None:
    export_moses(german, tmp_path / "pt")
    ro = written(tmp_path / "ro", "das haus ||| the house ||| 0.8 0.1 0.1 0.7 0.1 0.2\nno ||| such ||| 1 1 1 1 1 1\n")
    done = import_moses(tmp_path / "pt", tmp_path / "t", reordering=ro)
    assert done.without_reordering == len(german) - 1
    values = done.table.lookup("das haus")[0].values
    assert math.exp(values["orientation.next.other"]) == pytest.approx(0.2)
    assert done.table.lookup("ein")[0].values["orientation.previous.swap"] == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a ||| b", "2 fields where at least 3 are needed"),
        ("||| b ||| 1 1 1 1", "an empty source"),
        ("a ||| ||| 1 1 1 1", "an empty target"),
        ("a ||| b ||| 1 1 1", "3 scores where the first line has 4"),
        ("a ||| b ||| 1 1 x 1", "'x' is no probability"),
        ("a ||| b ||| 1 1 nan 1", "'nan' is no probability"),
        ("a ||| b ||| 1 1 -1 1", "a negative probability"),
        ("a ||| b ||| 1 1 1 1 ||| 0-1", "link 0-1 points outside"),
        ("a ||| b ||| 1 1 1 1 ||| 0_0", "'0_0' is not a link"),
        ("a ||| b ||| 1 1 1 1 ||| 0-0 ||| 1 2 3 4", "more than 3 counts"),
        ("a ||| b ||| 1 1 1 1 ||| 0-0 ||| 1 2 3 ||| name", "sparse feature 'name' has no value"),
        ("ok ||| ok ||| 1 1 1 1", "the same pair as line 1"),
        (" ".join("a" * 101) + " ||| b ||| 1 1 1 1", "100 symbols"),
    ],
)
def test_bad_lines_are_refused_with_their_number(tmp_path: Path, line: str, message: str) -> None:
    path = written(tmp_path / "pt", f"ok ||| ok ||| 1 1 1 1\n{line}\n")
    with pytest.raises(DragomanError, match=message) as caught:
        import_moses(path, tmp_path / "t")
    assert caught.value.where == f"{path}, line 2"
    assert not (tmp_path / "t").exists()


def test_bad_settings(german: RuleTable, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="empty phrase table"):
        import_moses(written(tmp_path / "pt", ""), tmp_path / "t")
    with pytest.raises(SettingError, match="2 column names for 1 scores"):
        import_moses(written(tmp_path / "pt", "a ||| b ||| 1\n"), tmp_path / "t", columns=["x", "y"])
    with pytest.raises(SettingError, match="no reordering model"):
        export_reordering(german, tmp_path / "ro")
    ro = written(tmp_path / "ro", "a ||| b ||| 0.5 0.5\n")
    with pytest.raises(FormatError, match="ro, line 1: 2 probabilities where the model has 6"):
        import_moses(tmp_path / "pt", tmp_path / "t", reordering=ro)


def test_rules_with_nonterminals_are_not_exported_as_phrases(tmp_path: Path) -> None:
    rule = Rule((Nonterminal("X", 0), "a"), ("b", Nonterminal("X", 0)), {"p": 0.0}, label="X")
    with pytest.raises(SettingError, match="nonterminals"):
        export_moses(write_table([rule], tmp_path / "t", columns=["p"]), tmp_path / "pt")


@pytest.mark.slow
def test_mutated_tables_never_crash(german: RuleTable, tmp_path: Path) -> None:
    export_moses(german, tmp_path / "pt")
    raw = (tmp_path / "pt").read_bytes()[:600]
    rng = random.Random(4)
    for _ in range(200):
        damaged = bytearray(raw)
        for _ in range(rng.randint(1, 8)):
            at = rng.randrange(len(damaged))
            damaged[at : at + rng.randint(0, 2)] = rng.choice([b"|", b"-", b" ", b"9", b"\xc3", b"\n", b"1e999"])
        (tmp_path / "damaged").write_bytes(damaged)
        try:
            import_moses(tmp_path / "damaged", tmp_path / "t")
        except DragomanError as error:
            if not error.where:
                raise


def test_printed_numbers_read_back_exactly(tmp_path: Path) -> None:
    rng = random.Random(6)
    rules = [Rule((f"w{i}",), ("x",), {"p": -math.exp(rng.uniform(-12, 4.6))}) for i in range(500)]
    table = write_table(rules, tmp_path / "a", columns=["p"])
    export_moses(table, tmp_path / "pt")
    again = import_moses(tmp_path / "pt", tmp_path / "b", columns=["p"]).table
    assert [rule.values for rule in again] == [rule.values for rule in table]
