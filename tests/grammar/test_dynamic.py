"""The layer above a table: adding, removing, undoing, and surviving a crash."""

from __future__ import annotations

import math
import random
import threading
from pathlib import Path

import pytest

from dragoman.errors import FormatError, InputError, UnknownName
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.phrases import extract
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable


def texts(rules: DynamicTable, source: str) -> list[str]:
    return [rule.target_text for rule in rules.lookup(source)]


def snapshot(rules: DynamicTable) -> list[list[str]]:
    return [sorted(texts(rules, source)) for source in ("das haus", "haus", "klein", "neues wort", "das")]


def test_added_rules_are_seen_at_once(german: RuleTable) -> None:
    rules = DynamicTable(german)
    rules.add("neues wort", "new word", values={"phrase.ts": -0.5}, links=[(0, 0), (1, 1)])
    found = rules.lookup("neues wort")[0]
    assert (found.target, found.values["phrase.ts"], found.links) == (("new", "word"), -0.5, ((0, 0), (1, 1)))
    matches = [tuple(match)[:2] for match in rules.match("das neues wort haus")]
    assert (1, 3) in matches
    assert len(rules) == len(german) + 1
    rules.remove("neues wort", "new word")
    assert texts(rules, "neues wort") == []
    assert len(rules) == len(german)


def test_removed_rules_of_the_table_are_hidden_from_decoders(german: RuleTable) -> None:
    rules = DynamicTable(german)
    number = german.find("das haus", "the house")
    assert number is not None
    rules.remove("das haus", "the house")
    assert texts(rules, "das haus") == []
    for match in rules.match("das haus ist ja klein"):
        assert not match.first <= number < match.last
    rules.add("das haus", "the house", values={"phrase.ts": -3.0})
    assert rules.lookup("das haus")[0].values["phrase.ts"] == -3.0


def test_adding_the_same_pair_replaces_it(german: RuleTable) -> None:
    rules = DynamicTable(german)
    rules.add("klein", "small", values={"phrase.ts": -0.1})
    rules.add("klein", "small", values={"phrase.ts": -0.2})
    first = rules.lookup("klein")[0]
    assert first.target_text == "small"
    assert first.values["phrase.ts"] == pytest.approx(-0.2)
    assert len(rules.lookup("klein")) == 2
    rules.undo()
    assert rules.lookup("klein")[0].values["phrase.ts"] == pytest.approx(-0.1)
    rules.undo()
    assert rules.lookup("klein") == german.lookup("klein")


def test_undo_restores_every_state(german: RuleTable, tmp_path: Path) -> None:
    rng = random.Random(9)
    rules = DynamicTable(german, journal=tmp_path / "journal")
    states = [snapshot(rules)]
    for _ in range(40):
        if rng.random() < 0.3 and len(states) > 1:
            rules.undo()
            states.pop()
        else:
            source = rng.choice(["das haus", "haus", "klein", "neues wort"])
            if rng.random() < 0.4 and texts(rules, source):
                rules.remove(source, rng.choice(texts(rules, source)))
            else:
                rules.add(source, rng.choice(["the house", "house", "small", "home"]))
            states.append(snapshot(rules))
        assert snapshot(rules) == states[-1]
        assert snapshot(DynamicTable(german, journal=tmp_path / "journal")) == states[-1]
    while len(states) > 1:
        rules.undo()
        states.pop()
        assert snapshot(rules) == states[-1]
    with pytest.raises(InputError, match="nothing to undo"):
        rules.undo()


@pytest.mark.slow
def test_a_torn_journal_loses_only_its_last_line(german: RuleTable, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    rules = DynamicTable(german, journal=path)
    rules.add("haus", "home")
    rules.add("haus", "building")
    whole = path.read_bytes()
    for cut in range(len(whole) // 2 + 5, len(whole)):
        path.write_bytes(whole[:cut])
        again = DynamicTable(german, journal=path)
        assert sorted(texts(again, "haus")) == ["home", "house"]
        again.add("haus", "hut")
        assert "hut" in texts(DynamicTable(german, journal=path), "haus")


def test_a_damaged_or_foreign_journal_is_refused(german: RuleTable, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    rules = DynamicTable(german, journal=path)
    rules.add("haus", "home")
    rules.remove("das haus", "the house")
    damaged = path.read_bytes().replace(b"home", b"hone")
    path.write_bytes(damaged)
    with pytest.raises(FormatError, match="line 1"):
        DynamicTable(german, journal=path)
    path.unlink()
    DynamicTable(german, journal=path).remove("das haus", "the house")
    other = extract(["x"], ["y"], ["0-0"], tmp_path / "other").table
    with pytest.raises(FormatError, match="does not fit the table"):
        DynamicTable(other, journal=path)


def test_refused_changes_leave_no_trace(german: RuleTable, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    rules = DynamicTable(german, journal=path)
    with pytest.raises(UnknownName):
        rules.add("a", "b", values={"prior": 0.0})
    with pytest.raises(InputError):
        rules.add("a", "b", values={"phrase.ts": math.nan})
    with pytest.raises(InputError):
        rules.add("", "b")
    with pytest.raises(InputError):
        rules.remove("no such", "rule")
    assert not path.exists()


def test_orientations_default_to_uniform(tmp_path: Path) -> None:
    scoring = Scoring(reordering=ReorderingModel.parse("hier-mslr-bidirectional-fe"))
    table = extract(["a"], ["u"], ["0-0"], tmp_path / "t", scoring=scoring).table
    rules = DynamicTable(table)
    rules.add("b", "v")
    values = rules.lookup("b")[0].values
    assert values["orientation.next.swap"] == pytest.approx(math.log(1 / 4))
    assert values["phrase.ts"] == 0


def test_saving_folds_the_layer_in(german: RuleTable, tmp_path: Path) -> None:
    rules = DynamicTable(german)
    rules.add("neues wort", "new word", links=[(0, 0)])
    rules.remove("ein buch", "a book")
    saved = rules.save(tmp_path / "t")
    assert len(saved) == len(german)
    assert saved.find("ein buch", "a book") is None
    expected = sorted(map(str, [*(r for r in german if r.source_text != "ein buch"), *rules.lookup("neues wort")]))
    assert sorted(map(str, saved)) == expected


def test_readers_keep_their_view(german: RuleTable) -> None:
    """A view taken before a change stays as it was, while other threads go on changing."""
    rules = DynamicTable(german)
    before = rules.view()
    size = before.rules

    def change() -> None:
        for number in range(50):
            rules.add("haus", f"house{number}")

    thread = threading.Thread(target=change)
    thread.start()
    for _ in range(200):
        rules.view().match(german.encode("das haus"), 0)
    thread.join()
    assert before.rules == size
    assert rules.view().rules == size + 50
