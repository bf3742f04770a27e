"""Rules as text: round trips, what other systems write, and what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from dragoman.errors import DragomanError, FormatError, SettingError
from dragoman.grammar.limits import HieroLimits, LeftToRightLimits, PhraseLimits
from dragoman.grammar.phrases import extract
from dragoman.grammar.rule import Nonterminal, Rule
from dragoman.grammar.rule_text import RULE_FORMATS, export_rules, import_rules
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import write_table
from tests.grammar.conftest import Bitext, lines

X, Y = (Nonterminal("X", index) for index in range(2))


def facts(rule: Rule, format: str) -> tuple[object, ...]:  # noqa: A002 - as the option is called
    """What a format holds of a rule."""
    links = () if format == "lr-hiero" else rule.links
    counts = rule.counts if format == "moses-hiero" else ()
    return rule.source, rule.target, rule.label, dict(rule.values), links, counts


@pytest.mark.parametrize("format", RULE_FORMATS)
def test_what_is_written_is_read_again(bitext: Bitext, tmp_path: Path, format: str) -> None:  # noqa: A002
    limits = LeftToRightLimits() if format == "lr-hiero" else HieroLimits(max_nonterminals=3, max_symbols=7)
    table = extract(*lines(bitext[:100]), tmp_path / "a.table", limits=limits, scoring=Scoring(count=True)).table
    export_rules(table, tmp_path / "rules.gz", format=format)
    done = import_rules(tmp_path / "rules.gz", tmp_path / "b.table", format=format, columns=table.columns)
    assert (done.floored, done.properties, done.glue) == (0, 0, 0)
    assert done.table.kind == limits.kind
    assert [facts(rule, format) for rule in done.table] == [facts(rule, format) for rule in table]
    export_rules(done.table, tmp_path / "again.gz", format=format)
    assert gzip.decompress((tmp_path / "again.gz").read_bytes()) == gzip.decompress(
        (tmp_path / "rules.gz").read_bytes()
    )


ODD = (
    "[X]",
    "[X,1]",
    "[1]",
    "[X][X]",
    "&#91;X&#93;",
    "&amp;#91;X&amp;#93;",
    "X__1",
    "&#88;__1",
    "X",
    "a|||b",
    "[",
    "[]",
    "&amp;",
)


@pytest.mark.parametrize("format", RULE_FORMATS)
def test_words_that_look_like_something_else(tmp_path: Path, format: str) -> None:  # noqa: A002
    rules = [Rule((word, X), (word, word, X), {"score.0": -1.5}, label="X") for word in ODD]
    table = write_table(rules, tmp_path / "a.table", columns=["score.0"])
    export_rules(table, tmp_path / "rules", format=format)
    again = import_rules(tmp_path / "rules", tmp_path / "b.table", format=format).table
    assert {rule.source[0] for rule in again} == set(ODD)
    assert [(rule.source, rule.target) for rule in again] == [(rule.source, rule.target) for rule in table]


def test_lines_of_other_systems(tmp_path: Path) -> None:
    text = tmp_path / "rules"
    text.write_text(
        "[X] ||| le [X,1] chat ||| the [X,1] cat ||| EgivenF=-0.5 Lex=-1.25 Rare=1 ||| 0-0 2-2\n"
        "[NP] ||| [X,2] de [NP,1] ||| [1] 's [2] ||| EgivenF=-2\n"
        "[S] ||| [X,1] ||| [X,1] ||| Glue=0\n"
        "[S] ||| [S,1] [X,2] ||| [S,1] [X,2] ||| Glue=1\n"
    )
    done = import_rules(text, tmp_path / "t", columns=["EgivenF", "Lex"], max_span=15)
    assert (len(done.table), done.glue) == (2, 2)
    by_label = {rule.label: rule for rule in done.table}
    cat, owner = by_label["X"], by_label["NP"]
    assert (cat.source, cat.target) == (("le", X, "chat"), ("the", X, "cat"))
    assert (dict(cat.values), dict(cat.sparse), cat.links) == (
        {"EgivenF": -0.5, "Lex": -1.25},
        {"Rare": 1.0},
        ((0, 0), (2, 2)),
    )
    assert owner.source == (Nonterminal("X", 0), "de", Nonterminal("NP", 1))
    assert owner.target == (Nonterminal("NP", 1), "'s", Nonterminal("X", 0))
    assert dict(owner.values) == {"EgivenF": -2.0, "Lex": 0.0}
    assert done.table.metadata["max_span"] == "15"


def test_lines_of_moses(tmp_path: Path) -> None:
    text = tmp_path / "rules"
    text.write_text(
        "le [X][X] de [X][X] [X] ||| [X][X] 's [X][X] [X] ||| 0.5 0.25 1 0 ||| 1-2 2-1 3-0 ||| 4 2 1 ||| ||| {{A b}}\n"
    )
    done = import_rules(text, tmp_path / "t", format="moses-hiero")
    (rule,) = done.table
    assert (rule.source, rule.target) == (("le", X, "de", Y), (Y, "'s", X))
    assert (rule.links, rule.label, rule.counts.joint) == (((2, 1),), "X", 1)
    assert (done.floored, done.properties, rule.values["lex.ts"]) == (1, 1, -100)


def test_lines_of_left_to_right_decoders(tmp_path: Path) -> None:
    text = tmp_path / "rules"
    text.write_text("aber X__1 sagen X__2 ||| but say X__2 X__1 ||| -0.5 -1 -1.5 -2\n")
    table = import_rules(text, tmp_path / "t", format="lr-hiero").table
    (rule,) = table
    assert (rule.source, rule.target) == (("aber", X, "sagen", Y), ("but", "say", Y, X))
    assert (rule.label, table.kind, rule.values["phrase.st"]) == ("X", "lr-hiero", -0.5)


def test_a_pair_may_have_several_left_hand_sides(tmp_path: Path) -> None:
    rules = [Rule(("a",), ("b",), {"p": -float(place)}, label=label) for place, label in enumerate(("X", "NP", "VP"))]
    table = write_table(rules, tmp_path / "t", columns=["p"])
    assert [(rule.label, rule.values["p"]) for rule in table] == [("NP", -1), ("VP", -2), ("X", 0)]
    export_rules(table, tmp_path / "rules")
    again = import_rules(tmp_path / "rules", tmp_path / "again").table
    assert [(rule.label, rule.values["p"]) for rule in again] == [(rule.label, rule.values["p"]) for rule in table]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[X] ||| a [NP,1] ||| b [NP,1] ||| p=0", r"line 1: unknown nonterminal \[NP\]: no rule has it"),
        ("[X] ||| a [X,1] ||| b ||| p=0", r"line 1: nonterminal \[X,1\] is on the source side only \(1 on the source"),
        ("[X] ||| a ||| b [X,1] ||| p=0", r"line 1: nonterminal \[X,1\] is on the target side only"),
        ("[X] ||| a [X,1] b [X,2] ||| b [X,1] ||| p=0", "2 on the source side, 1 on the target side"),
        ("[X] ||| [X,1] a [X,1] ||| b [X,1] ||| p=0", r"\[X,1\] stands twice on the source side"),
        ("[X] ||| a [X,1] ||| b [Y,1] ||| p=0", "the labels of .* differ"),
        ("[X] ||| a [X,1] [X,2] ||| b [X,1] [X,2] ||| p=0", "neighbouring nonterminals"),
        ("[X] ||| [X,1] ||| b [X,1] ||| p=0", r"in a circle: \[X\] -> \[X\]"),
        ("[X] ||| a ||| b ||| p=0\n[X] ||| [Y,1] ||| [Y,1] ||| p=0\n[Y] ||| [X,1] ||| [X,1] ||| p=0",
         r"line 2: .* circle: \[X\] -> \[Y\] -> \[X\]"),
        ("X ||| a ||| b ||| p=0", "'X' is no left-hand side"),
        ("[X] ||| a [X] ||| b [X,1] ||| p=0", r"'\[X\]' is no nonterminal"),
        ("[X] ||| a [X,0] ||| b [X,0] ||| p=0", "not between 1 and 255"),
        ("[X] ||| a", "2 fields"),
        ("[X] ||| ||| b ||| p=0", "an empty source"),
        ("[X] ||| a ||| b ||| p=x", "'x' is no value"),
        ("[X] ||| a ||| b ||| p=0 ||| 0-1", "link 0-1 points outside"),
        ("[X] ||| a ||| b ||| p=0\n[X] ||| a ||| b ||| p=1", "line 2: the same pair as line 1"),
    ],
)  # fmt: skip
def test_bad_rules_are_refused_with_line_and_reason(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "rules").write_text(text + "\n")
    with pytest.raises(DragomanError, match=reason):
        import_rules(tmp_path / "rules", tmp_path / "t")
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a [X][X] [X] ||| b [X][X] [X] ||| 1 ||| 0-0", r"nonterminal \[X\]\[X\] is on the source side only"),
        ("a [X][X] [X] ||| b [X][X] [X] ||| 1 ||| 0-1 1-0", "joins a nonterminal and a word"),
        ("a [X] ||| b [S] ||| 1 ||| 0-0", r"left-hand sides '\[X\]' and '\[S\]' differ"),
        ("a [X][S] [X] ||| b [X][S] [X] ||| 1 ||| 0-0 1-1", "labels of .* differ"),
        ("a ||| b ||| 1", "is no left-hand side|an empty source"),
    ],
)
def test_bad_lines_of_moses_are_refused(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "rules").write_text(text + "\n")
    with pytest.raises(FormatError, match=reason):
        import_rules(tmp_path / "rules", tmp_path / "t", format="moses-hiero")


def test_neighbours_are_accepted_when_allowed(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("[X] ||| a [X,1] [X,2] ||| b [X,2] [X,1] ||| p=0\n")
    (rule,) = import_rules(tmp_path / "rules", tmp_path / "t", adjacent=True).table
    assert rule.target == ("b", Y, X)


def test_left_to_right_rules_begin_with_words(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("a ||| b ||| 0\nX__1 a ||| X__1 b ||| 0\n")
    with pytest.raises(FormatError, match="line 2: the target side is not words first"):
        import_rules(tmp_path / "rules", tmp_path / "t", format="lr-hiero")


def test_tables_that_do_not_fit_a_format(tmp_path: Path, table: RuleTable) -> None:
    gappy = extract(["a b c"], ["x y"], ["0-0 2-0 1-1"], tmp_path / "g", limits=PhraseLimits(gaps=True)).table
    with pytest.raises(SettingError, match="gaps do not fit"):
        export_rules(gappy, tmp_path / "x")
    labelled = write_table([Rule(("a",), ("b",), {"p": 0.0}, label="NP")], tmp_path / "l", columns=["p"])
    with pytest.raises(SettingError, match="one label, X, and the table NP"):
        export_rules(labelled, tmp_path / "x", format="lr-hiero")
    with pytest.raises(SettingError, match="format"):
        export_rules(table, tmp_path / "x", format="joshua")
    export_rules(table, tmp_path / "phrases")
    assert (tmp_path / "phrases").read_text().startswith("[X] ||| ")
