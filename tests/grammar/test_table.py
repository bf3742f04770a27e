"""Look-up, matching, storage and hostile files."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dragoman.errors import DragomanError, FormatError, InputError, UnknownName
from dragoman.grammar.rule import Counts, Nonterminal, Rule
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import write_table
from dragoman.pipeline.describe import describe


def test_lookup_goes_by_probability(german: RuleTable) -> None:
    assert [rule.target_text for rule in german.lookup("klein")] == ["small", "very small"]
    assert german.lookup("das haus")[0].counts == Counts(2, 2, 2)
    assert german.lookup("unheard of") == german.lookup("") == []


def test_match_finds_all_spans_with_rules(table: RuleTable) -> None:
    rng = random.Random(1)
    for _ in range(50):
        sentence = [rng.choice("abcdefg") for _ in range(rng.randint(0, 9))]
        expected = [
            (start, end, ids.start, ids.stop)
            for start in range(len(sentence))
            for end in range(start + 1, min(len(sentence), start + 7) + 1)
            if (ids := table.ids(sentence[start:end]))
        ]
        assert sorted(tuple(match) for match in table.match(sentence)) == expected
        assert all(match.end - match.start <= 2 for match in table.match(sentence, max_length=2))


def test_rules_are_in_order_and_findable(table: RuleTable) -> None:
    rules = list(table)
    keys = [(len(rule.source), rule.source, rule.target) for rule in rules]
    assert keys == sorted(keys)
    for number in range(0, len(rules), 13):
        assert table.find(rules[number].source, rules[number].target) == number
    assert table.find("a", "nothing like this") is None


def test_everything_written_comes_back(tmp_path: Path) -> None:
    rules = [
        Rule(("ne", Nonterminal(), "pas"), ("not",), {"p": -1.5, "q": 0.0}, ((0, 0), (2, 0)), Counts(3, 2, 1)),
        Rule(
            (Nonterminal("X", 0), "de", Nonterminal("X", 1)),
            (Nonterminal("X", 1), "'s", Nonterminal("X", 0)),
            {"p": -0.25, "q": 1.0},
            ((1, 1),),
            Counts(1, 1, 1),
            "X",
            {"rule:de": 0.5},
        ),
        Rule(("X",), ("x",), {"p": -0.1, "q": -100.0}, label="NP"),
    ]
    table = write_table(rules, tmp_path / "t", columns=["p", "q"], metadata={"made": "by hand"})
    key = repr
    assert sorted(map(str, table), key=key) == sorted(map(str, rules), key=key)
    by_text = {str(rule): rule for rule in table}
    for rule in rules:
        again = by_text[str(rule)]
        assert (again.links, again.counts, again.label, again.sparse) == (
            rule.links,
            rule.counts,
            rule.label,
            rule.sparse,
        )
        assert again.values == pytest.approx(rule.values)
    assert table.metadata["made"] == "by hand"
    assert table.find(rules[0].source, rules[0].target) is not None
    assert table.lookup("X")[0].target == ("x",)
    assert describe(tmp_path / "t", verify=True)["what"] == "translation table"


def test_bad_rules_are_refused(tmp_path: Path) -> None:
    good = Rule(("a",), ("b",), {"p": 0.0})
    with pytest.raises(InputError, match="same pair"):
        write_table([good, good], tmp_path / "t", columns=["p"])
    with pytest.raises(InputError, match="no value for q"):
        write_table([good], tmp_path / "t", columns=["p", "q"])
    with pytest.raises(InputError, match="finite"):
        write_table([Rule(("a",), ("b",), {"p": float("nan")})], tmp_path / "t", columns=["p"])
    with pytest.raises(InputError, match="both sides"):
        Rule((), ("b",))
    with pytest.raises(InputError, match="link 0-1"):
        Rule(("a",), ("b",), links=((0, 1),))
    assert list(tmp_path.iterdir()) == []


def test_long_rules_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="100 symbols"):
        write_table([Rule(("a",) * 101, ("b",), {"p": 0.0})], tmp_path / "t", columns=["p"])


def test_unknown_columns_are_named(german: RuleTable) -> None:
    with pytest.raises(UnknownName, match=r"it has phrase\.st"):
        german.column("prior")


@pytest.mark.slow
def test_damaged_files_are_refused_or_read_safely(german: RuleTable, tmp_path: Path) -> None:
    raw = german.path.read_bytes()
    rng = random.Random(2)
    refused = 0
    for _ in range(300):
        damaged = bytearray(raw)
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(len(raw))] = rng.randrange(256)
        if rng.random() < 0.2:
            damaged = damaged[: rng.randrange(len(raw))]
        path = tmp_path / "damaged"
        path.write_bytes(damaged)
        try:
            table = RuleTable.open(path)
            table.match("das haus ist ja klein")
            for rule in range(len(table)):
                table.native.target(rule), table.native.links(rule), table.native.evidence(rule)
                table.native.source(table.native.node_of(rule)), table.native.values(rule, rule + 1)
        except (DragomanError, UnicodeDecodeError):
            refused += 1
    assert refused
    with pytest.raises(FormatError):
        RuleTable.open(_written(tmp_path / "x", b"not a table"))


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_info(german: RuleTable) -> None:
    info = german.info()
    assert (info["rules"], info["evidence"]) == (len(german), True)
    assert info["sources"] == len({rule.source for rule in german})
    assert info["made_by"]["pairs"] == "5"
