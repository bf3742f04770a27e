"""What filters and pruning criteria keep, against brute force and scipy."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import LengthMismatch, SettingError
from dragoman.grammar import pruning
from dragoman.grammar.phrases import extract
from dragoman.grammar.pruning import filter_table, minus_log_fisher, prune, relative_entropies, significances
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from dragoman.pipeline.executors import get_executor
from tests.grammar.conftest import Bitext, lines
from tests.peers import peer


@given(st.data())
def test_fisher_agrees_with_scipy(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 400))
    source, target = data.draw(st.integers(1, n)), data.draw(st.integers(1, n))
    joint = data.draw(st.integers(max(0, source + target - n), min(source, target)))
    hypergeometric = peer("scipy.stats").hypergeom
    p = hypergeometric.sf(joint - 1, n, source, target)
    assert minus_log_fisher(joint, source, target, n) == pytest.approx(-math.log(p), abs=1e-6)


def test_once_once_once_attains_alpha() -> None:
    """Johnson et al. 2007: a pair whose sides occur once each, together, has -ln p = ln N."""
    assert minus_log_fisher(1, 1, 1, 29000) == pytest.approx(math.log(29000))


def contains(words: list[str], phrase: tuple[object, ...]) -> bool:
    return any(tuple(words[i : i + len(phrase)]) == phrase for i in range(len(words)))


def test_significance_counts_sentences_that_hold_both_sides(bitext: Bitext, table: RuleTable) -> None:
    source, target, _ = lines(bitext)
    values, sentences = significances(table, source, target, threads=2)
    assert sentences == len(bitext)
    for number in range(0, len(table), 97):
        rule = table.rule(number)
        has_source = [contains(s, rule.source) for s, _, _ in bitext]
        has_target = [contains(t, rule.target) for _, t, _ in bitext]
        both = sum(a and b for a, b in zip(has_source, has_target, strict=True))
        assert values[number] == pytest.approx(
            minus_log_fisher(both, sum(has_source), sum(has_target), sentences), abs=1e-9
        )


@pytest.mark.parametrize("name", ["local", "processes"])
@pytest.mark.slow
def test_sentences_are_counted_in_slices(
    name: str, bitext: Bitext, table: RuleTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = lines(bitext)[:2]
    expected, sentences = significances(table, *files)
    monkeypatch.setattr(pruning, "_BATCH", 7)
    with get_executor(name, threads=2) as executor:
        values, counted = significances(table, *files, executor=executor)
        assert counted == sentences
        assert np.array_equal(values, expected)
        with pytest.raises(LengthMismatch, match=f"text has {sentences} lines, text {sentences - 8}"):
            significances(table, files[0], files[1][:-8], executor=executor)
    nothing, none = significances(table, [], [])
    assert none == 0
    assert not nothing[np.isfinite(nothing)].any()


def test_significance_thresholds(bitext: Bitext, table: RuleTable, tmp_path: Path) -> None:
    files = lines(bitext)[:2]
    loose = prune(table, tmp_path / "a", significance="a-e", bitext=files)
    strict = prune(table, tmp_path / "b", significance="a+e", bitext=files)
    assert 0 < strict.after < loose.after < len(table)
    assert loose.dropped == {"significance": len(table) - loose.after}
    values, n = significances(table, *files)
    assert strict.after == np.count_nonzero(values >= math.log(n) + 1e-6)


def test_top_keeps_the_best(table: RuleTable, tmp_path: Path) -> None:
    kept = prune(table, tmp_path / "t", top=2).table
    for source in {rule.source for rule in table}:
        best = sorted((-rule.values["phrase.ts"], rule.target) for rule in table.lookup(source))[:2]
        assert sorted(rule.target for rule in kept.lookup(source)) == sorted(target for _, target in best)


def test_criteria_combine_and_values_stay(table: RuleTable, tmp_path: Path) -> None:
    done = prune(table, tmp_path / "t", min_value=0.1, min_count=2)
    expected = [r for r in table if math.exp(r.values["phrase.ts"]) >= 0.1 - 1e-9 and r.counts.joint >= 2]
    assert list(done.table) == expected
    assert done.dropped["min_count"] == sum(r.counts.joint < 2 for r in table)
    some = expected[0]
    assert done.table.evidence(some.source, some.target) == table.evidence(some.source, some.target)


def test_entropy_of_what_is_said_already(tmp_path: Path) -> None:
    """`a b` always goes to `u v`, as its parts do; `c d` is an idiom whose parts mean something else."""
    source = ["a b", "a", "b", "c d", "c", "d"]
    target = ["u v", "u", "v", "x y", "w", "z"]
    links = ["0-0 1-1", "0-0", "0-0", "0-0 0-1 1-0 1-1", "0-0", "0-0"]
    table = extract(source * 3, target * 3, links * 3, tmp_path / "t", scoring=Scoring(smoothing="none")).table
    values = dict(zip([rule.source_text for rule in table], relative_entropies(table), strict=True))
    assert values["a b"] == pytest.approx(0)
    assert values["c d"] == values["a"] == math.inf
    kept = prune(table, tmp_path / "p", entropy=1e-9).table
    assert {rule.source_text for rule in kept} == {"a", "b", "c", "d", "c d"}


def test_entropy_follows_the_definition(tmp_path: Path) -> None:
    """p(a b -> u v) = 1 while its parts give 1/2 each: ln 1 - ln 1/4, weighted by the share of the pair."""
    source, target = ["a b", "a", "b"], ["u v", "w", "w"]
    table = extract(source, target, ["0-0 1-1", "0-0", "0-0"], tmp_path / "t", scoring=Scoring(smoothing="none")).table
    values = dict(zip([rule.source_text + rule.target_text for rule in table], relative_entropies(table), strict=True))
    assert values["a bu v"] == pytest.approx(math.log(4) / 5)


def test_filter_keeps_exactly_what_a_text_can_use(table: RuleTable, tmp_path: Path) -> None:
    text = ["a b c d e", "f a b unknown c"]
    kept = filter_table(table, text, tmp_path / "t")
    assert list(kept) == [r for r in table if any(contains(line.split(), r.source) for line in text)]
    for line in text:
        assert len(kept.match(line)) == len(table.match(line))


def test_bad_settings(table: RuleTable, tmp_path: Path) -> None:
    for settings in ({}, {"top": 0}, {"min_value": 2.0}, {"significance": "a"}, {"significance": "a-e"}):
        bitext = (["a"], ["b"]) if settings == {"significance": "a"} else None
        with pytest.raises(SettingError):
            prune(table, tmp_path / "t", bitext=bitext, **settings)
    with pytest.raises(LengthMismatch):
        prune(table, tmp_path / "t", significance="a-e", bitext=(["a"], ["b", "c"]))
