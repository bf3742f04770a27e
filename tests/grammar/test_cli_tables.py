"""The commands: what they print, what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.errors import DragomanError


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("s").write_text("das haus\ndas kleine haus\nein haus\nein buch\n\n")
    Path("t").write_text("the house\nthe small house\na house\na book\nx\n")
    Path("a").write_text("0-0 1-1\n0-0 1-1 2-2\n0-0 1-1\n0-0 1-1\n\n")
    return tmp_path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def answer(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


def test_from_text_to_table_and_back(corpus: Path) -> None:
    Path("web.lines").write_text("4\t1.25\n3\n")
    made = answer(
        "extract",
        "s",
        "t",
        "a",
        "-o",
        "x.table",
        "--evidence",
        "--reordering",
        "hier-mslr-bidirectional-fe",
        "--count",
        "--unique",
        "--count-bins",
        "1,2",
        "--domain",
        "start=1-2",
        "--domain",
        "web=web.lines",
    )
    assert made["skipped"] == {"empty_source": {"pairs": 1, "first_line": 5}}
    assert "domain.start" in made["columns"]
    found = answer("table", "lookup", "x.table", "das haus")["rules"]
    assert found[0]["target"] == "the house"
    marks = [answer("table", "lookup", "x.table", text)["rules"][0]["values"] for text in ("das", "haus", "buch")]
    assert [(one["domain.start"], one["domain.web"]) for one in marks] == [(1, 0), (1, 1), (0, 1)]
    assert len(answer("table", "lookup", "x.table", "ein haus und buch", "--sentence")["rules"]) > 3
    assert answer("table", "info", "x.table")["rules"] == made["rules"]
    witness = answer("table", "evidence", "x.table", "ein", "a")
    assert [entry["line"] for entry in witness["shown"]] == [3, 4]
    assert witness["shown"][1]["source"] == "ein buch"

    run("table", "export", "x.table", "-o", "pt.gz", "--reordering-table", "ro.gz")
    columns = ",".join(c for c in made["columns"] if not c.startswith("orientation"))
    again = answer(
        "table",
        "import",
        "pt.gz",
        "-o",
        "y.table",
        "--reordering-table",
        "ro.gz",
        "--reordering-model",
        "hier-mslr-bidirectional-fe",
        "--columns",
        columns,
    )
    assert (again["rules"], again["columns"]) == (made["rules"], made["columns"])
    assert answer("table", "lookup", "y.table", "das haus")["rules"] == found

    Path("text").write_text("ein haus\n")
    assert 0 < answer("table", "filter", "x.table", "text", "-o", "f.table")["rules"] < made["rules"]
    pruned = answer(
        "table",
        "prune",
        "x.table",
        "-o",
        "p.table",
        "--top",
        "1",
        "--significance",
        "0.1",
        "--source",
        "s",
        "--target",
        "t",
    )
    assert set(pruned["dropped"]) == {"top", "significance"}
    dev = ["--dev-source", "s", "--dev-target", "t", "--dev-alignment", "a"]
    mixed = answer("table", "mix", "x.table", "f.table", "-o", "m.table", *dev)
    assert mixed["rules"] == made["rules"]
    assert sum(mixed["weights"]["phrase.ts"]) == pytest.approx(1)


def test_tables_for_people(corpus: Path) -> None:
    assert "rules from 5 pairs" in run("extract", "s", "t", "a", "-o", "x.table", "--evidence")
    shown = run("table", "lookup", "x.table", "haus")
    assert "house" in shown
    assert "phrase.ts" in shown
    assert "das kleine haus" in run("table", "evidence", "x.table", "haus", "house")
    assert "bytes per rule" in run("table", "info", "x.table")
    assert "das haus ||| the house |||" in run("table", "export", "x.table", "-o", "-")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["extract", "s", "t", "a", "-o", "x", "--memory", "lots"], "512M"),
        (["extract", "s", "t", "a", "-o", "x", "--domain", "news"], "news=1-5000"),
        (["extract", "s", "t", "a", "-o", "x", "--domain", "news=1-99"], "line 98"),
        (["extract", "s", "t", "a", "-o", "x", "--domain", "news=5-1"], "lines count from 1"),
        (["extract", "s", "t", "a", "-o", "x", "--domain", "news=s"], "s, line 1: 'das' is no line number"),
        (["extract", "s", "t", "a", "-o", "x", "--count-bins", "a"], "1,2,4"),
        (["extract", "s", "t", "a", "-o", "x", "--reordering", "hier"], "it must be one of msd"),
        (["extract", "s", "t", "a", "-o", "x", "--on", "moon"], "no executor is called 'moon'"),
        (["extract", "s", "t", "missing", "-o", "x"], "no such file"),
        (["table", "info", "s"], "not a dragoman binary file"),
        (["table", "mix", "s", "t", "-o", "x", "--weight", "1"], "not a dragoman binary file"),
    ],
)
def test_mistakes_are_explained(corpus: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(DragomanError, match=message):
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert not Path("x").exists()


def test_evidence_must_have_been_kept(corpus: Path) -> None:
    run("extract", "s", "t", "a", "-o", "x.table")
    with pytest.raises(DragomanError, match="--evidence"):
        CliRunner().invoke(app, ["table", "evidence", "x.table", "haus", "house"], catch_exceptions=False)
    run("extract", "s", "t", "a", "-o", "x.table", "--evidence")
    with pytest.raises(DragomanError, match="no such rule"):
        CliRunner().invoke(app, ["table", "evidence", "x.table", "haus", "car"], catch_exceptions=False)


def test_hierarchical_rules_from_text_to_table_and_back(corpus: Path) -> None:
    made = answer("extract", "s", "t", "a", "-o", "h.table", "--kind", "hiero", "--max-symbols", "3", "--rule-classes")
    assert made["columns"][4:] == ["class.phrase", "class.hiero1", "class.hiero2"]
    info = answer("table", "info", "h.table")
    assert (info["rules"], info["made_by"]["kind"], info["made_by"]["max_symbols"]) == (made["rules"], "hiero", "3")
    found = answer("table", "lookup", "h.table", "das [X,1]")["rules"]
    assert [rule["target"] for rule in found] == ["the [X,1]"]
    fitting = answer("table", "lookup", "h.table", "das buch", "--sentence")["rules"]
    assert {"das [X,1]", "[X,1] buch"} <= {rule["source"] for rule in fitting}
    Path("input").write_text("ein kleine\n")
    kept = answer("table", "filter", "h.table", "input", "-o", "f.table")
    assert 0 < kept["rules"] < made["rules"]
    assert answer("table", "prune", "h.table", "-o", "p.table", "--min-count", "0.9")["rules"] < made["rules"]
    for form in ("hiero", "moses-hiero"):
        run("table", "export", "h.table", "-o", f"{form}.gz", "--format", form)
        names = [] if form == "hiero" else ["--columns", ",".join(made["columns"])]
        again = answer("table", "import", f"{form}.gz", "-o", "i.table", "--format", form, *names)
        assert (again["rules"], again["columns"]) == (made["rules"], made["columns"])
    with pytest.raises(DragomanError, match="choose the format moses-hiero or hiero"):
        run("table", "export", "h.table", "-o", "pt.gz")


def test_left_to_right_rules_and_settings_of_another_kind(corpus: Path) -> None:
    made = answer("extract", "s", "t", "a", "-o", "l.table", "--kind", "lr-hiero", "--no-loose-terminals")
    facts = answer("table", "info", "l.table")["made_by"]
    assert (facts["kind"], facts["prefix_lexicalised"], facts["loose_terminals"]) == ("lr-hiero", "before", "false")
    run("table", "export", "l.table", "-o", "lr.gz", "--format", "lr-hiero")
    assert answer("table", "import", "lr.gz", "-o", "m.table", "--format", "lr-hiero")["rules"] == made["rules"]
    with pytest.raises(DragomanError, match="has no setting 'max_symbols'"):
        run("extract", "s", "t", "a", "-o", "x.table", "--max-symbols", "3")
    with pytest.raises(DragomanError, match="no kind of rule is called 'heiro'"):
        run("extract", "s", "t", "a", "-o", "x.table", "--kind", "heiro")
