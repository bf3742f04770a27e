"""Hierarchical rules: worked examples, comparison with the definition, and independence of how the work is cut."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import SettingError, UnknownName
from dragoman.grammar import LIMITS
from dragoman.grammar.hiero import hiero_rules
from dragoman.grammar.limits import HieroLimits, LeftToRightLimits
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.phrases import extract
from dragoman.grammar.pruning import filter_table
from dragoman.grammar.rule import Nonterminal, Rule
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from tests.grammar import brute_force
from tests.grammar.conftest import Bitext, lines

ALL = Scoring(min_probability=0, smoothing="none")


def numbered(rule: Rule) -> brute_force.HieroPair:
    source, target = (
        tuple(each.index + 1 if isinstance(each, Nonterminal) else each for each in side)
        for side in (rule.source, rule.target)
    )
    return source, target


def text(rule: Rule) -> str:
    return str(rule)[6:-2].replace(",", "").replace("[", "").replace("]", "").replace(" ||| ", " / ")


SCHULER = "schuler ihre arbeit noch nicht gemacht haben ."
STUDENTS = "students have not yet done their work ."
LINKS = [(0, 0), (1, 5), (2, 6), (3, 3), (4, 2), (5, 4), (6, 1), (7, 7)]


@pytest.mark.parametrize(("symbols", "rules", "lexical", "prefix"), [(5, 81, 13, 29), (7, 175, 16, 40)])
def test_worked_example_of_a_reordered_clause(symbols: int, rules: int, lexical: int, prefix: int) -> None:
    """The sentence of Siahbani, Sankaran and Sarkar (2013): 17 initial phrase pairs."""
    found = hiero_rules(SCHULER, STUDENTS, LINKS, limits=HieroLimits(max_symbols=symbols))
    distinct = {text(rule) for rule, _ in found}
    assert len(distinct) == rules
    assert sum(rule.arity == 0 for rule, _ in found) == lexical
    assert math.fsum(count for _, count in found) == pytest.approx(17)
    only = hiero_rules(SCHULER, STUDENTS, LINKS, limits=LeftToRightLimits(max_symbols=symbols))
    shaped = {text(rule) for rule, _ in only}
    assert len(shaped) == prefix
    assert shaped < distinct
    if symbols == 5:
        assert "X1 noch nicht X2 haben / have not yet X2 X1" in shaped
        assert "X1 noch nicht gemacht X2 / X2 not yet done X1" in distinct - shaped


def test_worked_example_of_shared_counts(tmp_path: Path) -> None:
    """Three rules share the count of one initial pair, six that of another."""
    counts: dict[str, float] = defaultdict(float)
    for rule, count in hiero_rules("a b c", "x y z", [(0, 0), (1, 2), (2, 1)]):
        counts[text(rule)] += count
    third, sixth = pytest.approx(1 / 3), pytest.approx(1 / 6)
    assert counts == {
        **dict.fromkeys(["a / x", "b / z", "c / y"], 1.0),
        **dict.fromkeys(["b c / y z", "X1 c / y X1", "b X1 / X1 z"], third),
        **dict.fromkeys(["a b c / x y z", "a X1 / x X1", "X1 b c / X1 y z"], sixth),
        **dict.fromkeys(["a X1 c / x y X1", "a b X1 / x X1 z", "X1 b X2 / X1 X2 z"], sixth),
    }
    table = extract(["a b c"], ["x y z"], ["0-0 1-2 2-1"], tmp_path / "t", limits=HieroLimits()).table
    assert {text(rule): rule.counts.joint for rule in table} == pytest.approx(dict(counts))
    shaped = extract(["a b c"], ["x y z"], ["0-0 1-2 2-1"], tmp_path / "g", limits=LeftToRightLimits()).table
    assert len(shaped) == 8
    assert (table.metadata["kind"], shaped.metadata["kind"]) == ("hiero", "lr-hiero")
    assert table.metadata["max_span"] == "10"


SETTINGS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"max_symbols": 7, "max_phrase": 4}, {"symbols": 7, "length": 4}),
    ({"max_nonterminals": 3, "adjacent": True, "max_symbols": 6}, {"arity": 3, "adjacent": True, "symbols": 6}),
    ({"tight": False}, {"tight": False}),
    ({"min_hole": 2}, {"hole": 2}),
    ({"linked_words": False}, {"linked": False}),
    ({"prefix_lexicalised": "before", "loose_terminals": True}, {"prefix": True, "loose": True}),
    ({"tight": False, "adjacent": True, "linked_words": False}, {"tight": False, "adjacent": True, "linked": False}),
]


@pytest.mark.parametrize(("settings", "options"), SETTINGS)
def test_rules_are_those_of_the_definition(settings: dict[str, Any], options: dict[str, Any]) -> None:
    rng = random.Random(7)
    limits = HieroLimits(**settings)
    for _ in range(60):
        source, target, links = brute_force.random_pair(rng, longest=7, words=3)
        expected: Counter[brute_force.HieroPair] = Counter()
        patterns: dict[brute_force.HieroPair, set[str]] = defaultdict(set)
        for rules in brute_force.hiero(source, target, links, **options):
            for pair, possible in rules.items():
                expected[pair] += Fraction(1, len(rules))  # type: ignore[assignment]
                patterns[pair] |= possible
        found: dict[brute_force.HieroPair, float] = defaultdict(float)
        for rule, count in hiero_rules(" ".join(source), " ".join(target), links, limits=limits):
            pair = numbered(rule)
            found[pair] += count
            assert brute_force.pharaoh(rule.links) in patterns[pair]
        assert found == pytest.approx({pair: float(count) for pair, count in expected.items()})


def learn(bitext: Bitext, path: Path, *, scoring: Scoring = ALL, **settings: Any) -> RuleTable:
    return extract(*lines(bitext), path, limits=HieroLimits(max_phrase=6), scoring=scoring, **settings).table


def expected_counts(bitext: Bitext) -> dict[brute_force.HieroPair, Fraction]:
    counts: dict[brute_force.HieroPair, Fraction] = defaultdict(Fraction)
    for source, target, links in bitext:
        for rules in brute_force.hiero(source, target, links, length=6):
            for pair in rules:
                counts[pair] += Fraction(1, len(rules))
    return counts


def totals(counts: dict[brute_force.HieroPair, Fraction]) -> tuple[Counter[Any], Counter[Any]]:
    sources: Counter[Any] = Counter()
    targets: Counter[Any] = Counter()
    for (source, target), count in counts.items():
        sources[source] += count  # type: ignore[assignment]
        targets[target] += count  # type: ignore[assignment]
    return sources, targets


def test_scores_are_relative_frequencies_of_shared_counts(bitext: Bitext, tmp_path: Path) -> None:
    few = bitext[:80]
    table = learn(few, tmp_path / "t")
    counts = expected_counts(few)
    sources, targets = totals(counts)
    assert {numbered(rule) for rule in table} == set(counts)
    for rule in table:
        source, target = pair = numbered(rule)
        assert rule.label == "X"
        assert rule.counts.joint == pytest.approx(float(counts[pair]))
        assert rule.counts.source == pytest.approx(float(sources[source]))
        assert rule.counts.target == pytest.approx(float(targets[target]))
        assert math.exp(rule.values["phrase.ts"]) == pytest.approx(float(counts[pair] / sources[source]))
        assert math.exp(rule.values["phrase.st"]) == pytest.approx(float(counts[pair] / targets[target]))


def test_lexical_weights_look_at_words_only(bitext: Bitext, tmp_path: Path) -> None:
    """An unaligned word of a rule is explained by the empty word."""
    table = learn(bitext[:80], tmp_path / "t")
    words = brute_force.Table(bitext[:80]).words

    def weight(word: str, other: str | None, side: int) -> float:
        total = sum(count for pair, count in words.items() if pair[1 - side] == other)
        key = (word, other) if side == 0 else (other, word)
        return words[key] / total if total else 0.0

    for rule in list(table)[::17]:
        for side, column in ((0, "lex.st"), (1, "lex.ts")):
            own, others = (rule.source, rule.target) if side == 0 else (rule.target, rule.source)
            product = 1.0
            for position, symbol in enumerate(own):
                if isinstance(symbol, Nonterminal):
                    continue
                linked = [others[link[1 - side]] for link in rule.links if link[side] == position]
                factors = [weight(symbol, str(other), side) for other in linked] or [weight(symbol, None, side)]
                product *= max(sum(factors) / len(factors), 1e-5)
            assert math.exp(rule.values[column]) == pytest.approx(product, rel=1e-4)


@pytest.mark.parametrize("smoothing", ["none", "good-turing", "kneser-ney"])
def test_bytes_do_not_depend_on_threads_slices_or_memory(
    bitext: Bitext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, smoothing: str
) -> None:
    scoring = Scoring(smoothing=smoothing, rule_classes=True, count=True)

    def build(name: str, **settings: Any) -> bytes:
        domains = {"a": range(50), "b": range(40, 90)}
        table = learn(bitext[:120], tmp_path / name, scoring=scoring, evidence=True, domains=domains, **settings)
        return table.path.read_bytes()

    expected = build("a", threads=1)
    monkeypatch.setattr("dragoman.grammar.phrases.SLICE_LINES", 17)
    assert build("b", threads=3) == expected
    monkeypatch.setattr(HieroLimits, "bytes_per_instance", 2**16)
    assert build("c", threads=2, memory=2**20) == expected


@pytest.mark.parametrize("smoothing", ["none", "good-turing", "kneser-ney"])
def test_extracting_for_a_text_gives_the_values_of_the_whole_table(
    bitext: Bitext, tmp_path: Path, smoothing: str
) -> None:
    scoring = Scoring(smoothing=smoothing)
    wanted = ["a b c a d", "unknown b", "", "b a"]
    whole = learn(bitext[:100], tmp_path / "whole", scoring=scoring)
    part = learn(bitext[:100], tmp_path / "part", scoring=scoring, only_for=wanted)
    filtered = filter_table(whole, wanted, tmp_path / "filtered")
    assert 0 < len(part) < len(whole)
    assert list(part) == list(filtered)
    usable = {rule for rule in map(numbered, whole) if any(fits(rule[0], line.split()) for line in wanted)}
    assert {numbered(rule) for rule in filtered} == usable


def fits(source: tuple[str | int, ...], words: list[str]) -> bool:
    """Whether a source side covers some words, by trying all ends."""
    ends = set(range(len(words) + 1))
    for symbol in source:
        if isinstance(symbol, int):
            ends = {later for end in ends for later in range(end + 1, len(words) + 1)}
        else:
            ends = {end + 1 for end in ends if end < len(words) and words[end] == symbol}
    return bool(ends)


@pytest.mark.parametrize("smoothing", ["good-turing", "kneser-ney"])
def test_smoothing_takes_from_rules_that_were_seen_seldom(bitext: Bitext, tmp_path: Path, smoothing: str) -> None:
    plain = learn(bitext, tmp_path / "plain")
    smooth = learn(bitext, tmp_path / "smooth", scoring=Scoring(min_probability=0, smoothing=smoothing))
    mass: Counter[Any] = Counter()
    for before, after in zip(plain, smooth, strict=True):
        assert before.source == after.source
        mass[before.source] += math.exp(after.values["phrase.ts"])  # type: ignore[assignment]
        if smoothing == "good-turing":
            assert after.values["phrase.ts"] <= before.values["phrase.ts"] + 1e-6
    assert max(mass.values()) < 1 + 1e-5
    assert min(mass.values()) > 0


def test_kneser_ney_with_whole_counts_is_that_of_phrases(bitext: Bitext, tmp_path: Path) -> None:
    """Rules that share no counts are discounted as phrases are: the same formula, reached through weights."""
    scoring = Scoring(min_probability=0, smoothing="kneser-ney")
    limits = HieroLimits(max_nonterminals=0, max_symbols=10)
    shared = extract(*lines(bitext), tmp_path / "a", limits=limits, scoring=scoring).table
    whole = extract(
        *lines(bitext), tmp_path / "b", limits=HieroLimits(**limits.to_dict() | {"counting": "one"}), scoring=scoring
    ).table
    for a, b in zip(shared, whole, strict=True):
        assert a.values == pytest.approx(b.values, abs=1e-5)


def test_prefix_lexicalised_after_scoring_is_a_subset_with_the_same_values(bitext: Bitext, tmp_path: Path) -> None:
    few = lines(bitext[:80])
    whole = extract(*few, tmp_path / "all", limits=HieroLimits(), scoring=ALL).table
    part = extract(*few, tmp_path / "part", limits=HieroLimits(prefix_lexicalised="after"), scoring=ALL).table
    known = {numbered(rule): rule for rule in whole}
    assert 0 < len(part) < len(whole)
    for rule in part:
        kinds = [isinstance(symbol, Nonterminal) for symbol in rule.target]
        assert not kinds[0]
        assert sorted(kinds) == kinds
        assert known[numbered(rule)] == rule
    before = extract(*few, tmp_path / "before", limits=HieroLimits(prefix_lexicalised="before"), scoring=ALL).table
    assert {numbered(rule) for rule in before} == {numbered(rule) for rule in part}
    assert sum(rule.counts.joint for rule in before) > sum(rule.counts.joint for rule in part)


def test_counts_of_one_each_and_rule_classes(bitext: Bitext, tmp_path: Path) -> None:
    scoring = Scoring(rule_classes=True, min_probability=0)
    table = extract(*lines(bitext[:40]), tmp_path / "t", limits=HieroLimits(counting="one"), scoring=scoring).table
    assert table.columns[4:] == ("class.phrase", "class.hiero1", "class.hiero2")
    for rule in table:
        assert rule.counts.joint == int(rule.counts.joint)
        classes = [rule.values[name] for name in table.columns[4:]]
        assert classes == [float(rule.arity == arity) for arity in range(3)]


def test_nonterminals_follow_the_order_of_the_source(bitext: Bitext, tmp_path: Path) -> None:
    for rule in learn(bitext[:60], tmp_path / "t"):
        indices = [each.index for each in rule.source if isinstance(each, Nonterminal)]
        assert indices == list(range(len(indices)))
        assert sorted(each.index for each in rule.target if isinstance(each, Nonterminal)) == indices
        assert not any(isinstance(a, Nonterminal) and isinstance(b, Nonterminal) for a, b in pairwise(rule.source))


def test_little_text_has_fixed_discounts_and_says_so(tmp_path: Path) -> None:
    source, target, links = ["a b", "a c"], ["x y", "x z"], ["0-0 1-1", "0-0 1-1"]
    made = extract(source, target, links, tmp_path / "t", limits=LeftToRightLimits())
    assert any("could not be estimated" in note for note in made.notes)
    assert all(math.isfinite(value) and value <= 0 for rule in made.table for value in rule.values.values())
    plain = extract(
        source, target, links, tmp_path / "u", limits=LeftToRightLimits(), scoring=Scoring(smoothing="none")
    )
    assert plain.notes == ()


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="reordering model of rules of the kind hiero"):
        model = ReorderingModel.parse("msd-bidirectional-fe")
        extract(["a"], ["a"], ["0-0"], tmp_path / "t", limits=HieroLimits(), scoring=Scoring(reordering=model))
    with pytest.raises(SettingError, match="prefix_lexicalised"):
        LeftToRightLimits(prefix_lexicalised="no")
    with pytest.raises(SettingError, match="more than 65535 rules"):
        hiero_rules(
            " ".join("abcdefghijklmnopq"),
            " ".join("abcdefghijklmnopq"),
            [(i, i) for i in range(17)],
            limits=HieroLimits(max_phrase=17, max_symbols=17, max_nonterminals=9),
        )
    with pytest.raises(UnknownName, match="hiero"):
        LIMITS.get("heiro")
    assert {kind: LIMITS.get(kind).kind for kind in LIMITS} == {kind: kind for kind in LIMITS}
    assert set(LIMITS) == {"phrase", "gappy", "hiero", "lr-hiero"}
