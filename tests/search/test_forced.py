"""Why a reference cannot be reached: the diagnosis is true of every derivation that brute force finds."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from dragoman.grammar.rule import Rule
from dragoman.grammar.writing import write_table
from dragoman.search.forced import ForcedDecoder
from dragoman.search.hiero import HieroDecoder
from dragoman.search.left_to_right import LeftToRightDecoder, LeftToRightSettings
from dragoman.search.phrase import PhraseDecoder, PhraseSettings
from dragoman.search.unreached import Unreached
from tests.search.hierarchical import Grammar, rule_table
from tests.search.hiero_setting import UNLIMITED, WEIGHTS, derivations, grammar, random_grammar
from tests.search.phrasal import Tiny
from tests.search.test_left_to_right import random_rules

SEEDS = range(20)


def references(reached: set[str], letters: str, choose: random.Random) -> list[str]:
    """What can be reached, the same with a word changed, moved, lost or added, and what nobody ever said."""
    found = choose.sample(sorted(reached), min(4, len(reached)))
    for text in list(found):
        words = text.split()
        at = choose.randrange(len(words))
        found.append(" ".join([*words[:at], choose.choice(letters), *words[at + 1 :]]))
        found.append(" ".join([*words[at:], *words[:at]]))
        found.append(" ".join([*words[:at], *words[at + 1 :]]))
        found.append(" ".join([*words[:at], choose.choice(letters), *words[at:]]))
    return [*found, "never said", ""]


def written(reference: str, phrases: Iterable[tuple[str, ...]]) -> set[str]:
    """The words of a reference that some phrase writes where they stand."""
    words = tuple(reference.split())
    return {
        word
        for phrase in phrases
        for at in range(len(words) - len(phrase) + 1)
        if words[at : at + len(phrase)] == phrase
        for word in phrase
    }


def check(
    decoder: ForcedDecoder,
    sentence: str,
    reached: set[str],
    given: Iterable[str],
    phrases: Iterable[tuple[str, ...]],
) -> list[Unreached]:
    """Every reference that cannot be reached has a reason, and the reason is true; gives the reasons.

    `phrases` are what rules without nonterminals write that match the sentence.
    """
    reasons = []
    for reference in given:
        why = decoder.diagnose(sentence, reference)
        [forced] = decoder.force([sentence], [reference])
        assert (why is None) == (forced is not None) == (reference in reached), (sentence, reference)
        if why is None:
            continue
        reasons.append(why)
        assert why.reason
        assert set(why.unwritten) <= set(reference.split())
        if len(set(reference.split())) == len(reference.split()):  # words tell places
            assert not set(why.unwritten) & written(reference, phrases)
        assert set(why.untranslated) <= set(sentence.split())
        if reference and not why.unwritten and not why.untranslated and why.remedy:
            changes = dict(each.split(" to ") for each in why.remedy.removeprefix("set ").split(" and "))
            plain = {name: int(value) if value.lstrip("-").isdigit() else value for name, value in changes.items()}
            assert decoder.with_settings(**plain).diagnose(sentence, reference) is None, why
    return reasons


@pytest.mark.parametrize("seed", SEEDS)
def test_reasons_of_phrases_are_true(tmp_path: Path, seed: int) -> None:
    tiny = Tiny(tmp_path, seed, limit=1 + seed % 3)
    choose = random.Random(seed)
    sentence = tiny.sentence(4)
    reached = {" ".join(each.target) for each in tiny.derivations(sentence)}
    phrases = [step.target for step, _ in tiny.options(sentence)]
    reasons = check(tiny.decoder, " ".join(sentence), reached, references(reached, tiny.words, choose), phrases)
    for why in reasons:
        if "no rule for this sentence" in why.reason:
            assert why.unwritten
    assert len(reasons) > 5


@pytest.mark.parametrize("seed", SEEDS)
def test_reasons_of_a_chart_are_true(tmp_path: Path, seed: int) -> None:
    rules, words = random_grammar(seed)
    if not rules:
        pytest.skip("no rules came out")
    max_span = seed % 3 * 2
    table = grammar(rules, tmp_path / "t", max_span=str(max_span))
    made = HieroDecoder(table, [], {name: value for name, value in WEIGHTS.items() if name != "lm"}, UNLIMITED)
    reached = {" ".join(tree.target) for tree in derivations(rules, words, max_span=max_span)}
    phrases = [tuple(map(str, rule.target)) for rule in rules if rule.source in {(word,) for word in words}]
    check(made, " ".join(words), reached, references(reached - {""}, "ABCDa", random.Random(seed)), phrases)


@pytest.mark.parametrize("seed", SEEDS)
def test_reasons_from_left_to_right_are_true(tmp_path: Path, seed: int) -> None:
    choose = random.Random(3000 + seed)
    rules = random_rules(choose, "abc")
    sentence = " ".join(choose.choice("abc") for _ in range(choose.randint(2, 5)))
    boundary, max_span = choose.choice(("none", "ab", "abc")), choose.choice((2, 10))
    settings = LeftToRightSettings(right_boundary=boundary, max_span=max_span)
    made = LeftToRightDecoder(rule_table(tmp_path / "t", rules), [], {"score": 1.0}, settings)
    found = Grammar(rules, right_boundary=boundary, max_span=max_span).derivations(sentence)
    reached = {each.text for each in found}
    sides = [tuple(side.split() for side in rule.split("|")) for rule in rules]
    phrases = [tuple(target) for source, target in sides if len(source) == 1 and source[0] in sentence.split()]
    check(made, sentence, reached, references(reached, "ABCa", choose), phrases)


def test_each_reason_is_found(tmp_path: Path) -> None:
    def phrases(**settings: Any) -> ForcedDecoder:
        rules = [Rule((word,), (word.upper(),), {"score": 0.0}) for word in "abcd"]
        rules.append(Rule(("a", "b", "c"), ("ABC",), {"score": 0.0}))
        table = write_table(rules, tmp_path / "phrases", columns=["score"])
        return PhraseDecoder(table, [], {"score": 1.0}, PhraseSettings(**settings))

    def why(decoder: ForcedDecoder, sentence: str, reference: str) -> str:
        return str(decoder.diagnose(sentence, reference))

    assert "writes 'Z'" in why(phrases(), "a b", "A Z")
    assert "turns 'b' into words of the reference" in why(phrases(), "a b", "A")
    assert "jumps over more than 1 words; set distortion_limit to -1" in why(
        phrases(distortion_limit=1), "a b c d", "D A B C"
    )
    assert "phrases of more than 2 words" in why(phrases(max_phrase_length=2), "a b c", "ABC")
    both = why(phrases(max_phrase_length=2, distortion_limit=0), "d d a b c", "ABC D D")
    assert "set distortion_limit to -1 and max_phrase_length to 65536" in both
    assert "one side is empty" in why(phrases(), "a", "")
    assert "no way to cut" in why(phrases(), "a b", "A B A")
    rules = {"a | A": 0.0, "b | B": 0.0, "c | C": 0.0, "a X1 c | AC X1": 0.0}
    table = rule_table(tmp_path / "left", rules)
    left = LeftToRightDecoder(table, [], {"score": 1.0}, LeftToRightSettings(right_boundary="none", max_span=2))
    assert "set max_span" in why(left, "a b c", "AC B")
    wide = left.with_settings(max_span=10)
    assert wide.diagnose("a b c", "AC B") is None
    assert "set right_boundary to abc" in why(wide, "a b c b", "AC B B")
    chart = HieroDecoder(rule_table(tmp_path / "chart", rules, kind="hiero", max_span="2"), [], {"score": 1.0})
    assert "set max_span" in why(chart, "a b c", "AC B")
