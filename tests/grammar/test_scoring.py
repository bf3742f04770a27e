"""Lexical weights, smoothing and extra columns."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from dragoman.grammar.phrases import extract
from dragoman.grammar.scoring import Scoring
from tests.grammar import brute_force
from tests.grammar.conftest import Bitext, lines


def test_lexical_weight_of_a_worked_example(tmp_path: Path) -> None:
    """er geht ja nicht / he does not go; `geht` is linked twice, `ja` not at all."""
    table = extract(["er geht ja nicht"], ["he does not go"], ["0-0 1-1 1-3 3-2"], tmp_path / "t").table
    values = table.lookup("geht ja nicht")[0].values
    assert math.exp(values["lex.ts"]) == pytest.approx(0.25)
    assert math.exp(values["lex.st"]) == pytest.approx(1.0)


def test_best_lexical_weight_looks_at_all_words(tmp_path: Path) -> None:
    """`v` is unaligned beside `a`, which often means `v`: its links say NULL, the best word says `a`."""
    source, target = ["a b", "a", "a", "a", "a", "c"], ["u v", "u", "v", "v", "v", "z w w"]
    by_links, best = (
        extract(source, target, ["0-0"] * 6, tmp_path / kind, scoring=Scoring(lexical=kind)).table.lookup("a b")
        for kind in ("links", "best")
    )
    assert {r.target_text: math.exp(r.values["lex.ts"]) for r in by_links} == pytest.approx({"u": 0.4, "u v": 0.4 / 3})
    assert {r.target_text: math.exp(r.values["lex.ts"]) for r in best} == pytest.approx({"u": 0.4, "u v": 0.4 * 0.6})


@pytest.mark.slow
def test_good_turing(bitext: Bitext, tmp_path: Path) -> None:
    table = extract(*lines(bitext), tmp_path / "t", scoring=Scoring(smoothing="good-turing", min_probability=0)).table
    truth = brute_force.Table(bitext)
    seen = Counter(truth.joint.values())
    discounts = [0.01]
    for c in range(1, 9):
        discounts.append(max(discounts[-1], min(1.0, (c + 1) / c * (seen[c + 1] + 0.1) / (seen[c] + 0.1))))
    for rule in list(table)[::3]:
        c = int(rule.counts.joint)
        kept = c * (discounts[c] if c <= 8 else 1.0)
        assert math.exp(rule.values["phrase.ts"]) == pytest.approx(kept / rule.counts.source, rel=1e-5)
        assert math.exp(rule.values["phrase.st"]) == pytest.approx(kept / rule.counts.target, rel=1e-5)


def test_kneser_ney_gives_away_what_it_takes(bitext: Bitext, tmp_path: Path) -> None:
    table = extract(*lines(bitext), tmp_path / "t", scoring=Scoring(smoothing="kneser-ney", min_probability=0)).table
    truth = brute_force.Table(bitext)
    n = Counter(truth.joint.values())
    y = n[1] / (n[1] + 2 * n[2])
    one, two, more = 1 - 2 * y * n[2] / n[1], 2 - 3 * y * n[3] / n[2], 3 - 4 * y * n[4] / n[3]
    partners: Counter[str] = Counter(target for _, target in truth.joint)

    def discount(count: int) -> float:
        return {1: one, 2: two}.get(count, more)

    source = max(truth.source, key=lambda phrase: (truth.source[phrase], phrase))
    targets = {t: c for (s, t), c in truth.joint.items() if s == source}
    reserved = sum(discount(c) for c in targets.values())
    found = {rule.target_text: math.exp(rule.values["phrase.ts"]) for rule in table.lookup(source)}
    lower = {t: partners[t] / len(truth.joint) for t in partners}
    expected = {t: (c - discount(c) + reserved * lower[t]) / truth.source[source] for t, c in targets.items()}
    assert found == pytest.approx(expected, rel=1e-5)
    unseen = sum(reserved * p / truth.source[source] for t, p in lower.items() if t not in targets)
    assert sum(found.values()) + unseen == pytest.approx(1, abs=1e-5)


def test_few_counts_fall_back_to_fixed_discounts_and_say_so(tmp_path: Path) -> None:
    done = extract(["a"], ["u"], ["0-0"], tmp_path / "t", scoring=Scoring(smoothing="kneser-ney"))
    assert "0.5, 1 and 1.5" in done.notes[0]
    assert math.exp(done.table.lookup("a")[0].values["phrase.ts"]) == pytest.approx(1.0)


def test_count_columns(tmp_path: Path) -> None:
    scoring = Scoring(penalty=True, count=True, unique=True, count_bins=(1, 3))
    table = extract(
        ["a"] * 3 + ["b"] * 9 + ["c"], ["u"] * 3 + ["v"] * 9 + ["w"], ["0-0"] * 13, tmp_path / "t", scoring=scoring
    ).table
    assert table.columns[4:] == ("penalty", "count", "unique", "count.1", "count.2-3", "count.4+")
    rows = {word: list(table.lookup(word)[0].values.values())[5:] for word in "abc"}
    assert rows["a"] == pytest.approx([math.log(3), 0, 0, 1, 0])
    assert rows["b"] == pytest.approx([math.log(9), 0, 0, 0, 1])
    assert rows["c"] == pytest.approx([0, -1, 1, 0, 0])


@pytest.mark.parametrize(("setting", "left"), [({"min_probability": 0.3}, {"u"}), ({"min_count": 2}, {"u"})])
def test_unlikely_rules_are_dropped(tmp_path: Path, setting: dict[str, float], left: set[str]) -> None:
    scoring = Scoring(smoothing="none", **setting)  # type: ignore[arg-type]
    table = extract(["a"] * 5, ["u"] * 4 + ["v"], ["0-0"] * 5, tmp_path / "t", scoring=scoring).table
    assert {rule.target_text for rule in table.lookup("a")} == left
    assert table.lookup("a")[0].counts.source == 5


def test_compact_values_are_near(bitext: Bitext, tmp_path: Path) -> None:
    """On one column of many different values, rounding to 256 keeps every value within a step of its neighbours."""
    exact = extract(*lines(bitext), tmp_path / "a", scoring=Scoring(min_probability=0)).table
    small = extract(*lines(bitext), tmp_path / "b", scoring=Scoring(min_probability=0), compact=True).table
    assert small.native.row_bytes < exact.native.row_bytes
    for ours, theirs in zip(small, exact, strict=True):
        assert (ours.source, ours.target, ours.links, ours.counts) == (
            theirs.source,
            theirs.target,
            theirs.links,
            theirs.counts,
        )
        for name, value in theirs.values.items():
            assert ours.values[name] == pytest.approx(value, abs=0.2)
