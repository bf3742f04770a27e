"""Left-to-right decoding against brute force and the worked examples of the papers."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dragoman.annotations import Sentence
from dragoman.errors import InputError, SettingError
from dragoman.features.language_model import LanguageModel
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.rule import Rule
from dragoman.grammar.writing import write_table
from dragoman.search.constraints import Constraints, ExtraOption
from dragoman.search.left_to_right import LeftToRightDecoder, LeftToRightSettings
from dragoman.search.settings import ExactSettings
from dragoman.search.translation import SentenceTranslation
from dragoman.text.source_text import SourceText
from tests.search.hierarchical import (
    Application,
    Derived,
    Grammar,
    Span,
    bigram_model,
    chart_reachable,
    rule_table,
    symbols,
)

UNLIMITED = {"beam": 2**31, "pop_limit": 2**31, "option_limit": 2**31, "glue_option_limit": 2**31}
SMALL = {"score": 1.0, "lm": 1.0, "glue": -0.1}

Logprobs = Mapping[tuple[str, str], float]


def decoder(
    path: Path, rules: Mapping[str, float], lm: LanguageModel | None, weights: Mapping[str, float], **settings: Any
) -> LeftToRightDecoder:
    table = rule_table(path, rules)
    return LeftToRightDecoder(table, [lm] if lm else [], weights, LeftToRightSettings(**settings))


# Worked examples


@pytest.fixture(scope="module")
def two_words(tmp_path_factory: pytest.TempPathFactory) -> LeftToRightDecoder:
    """Two words that may be swapped (Siahbani, Sankaran and Sarkar 2013, rules of a walk-through)."""
    folder = tmp_path_factory.mktemp("two")
    logprobs = {
        ("<s>", "A"): -0.5, ("<s>", "B"): -0.9, ("A", "B"): -0.7, ("B", "A"): -0.2,
        ("A", "</s>"): -0.3, ("B", "</s>"): -0.4,
    }  # fmt: skip
    lm = bigram_model(folder / "lm.arpa", logprobs)
    rules = {"a | A": -0.2, "b | B": -0.3, "X1 b | B X1": -0.4}
    return decoder(folder / "t.rules", rules, lm, SMALL, search="stack", right_boundary="none")


def test_a_search_of_five_partial_translations_and_seven_queries(two_words: LeftToRightDecoder) -> None:
    found = two_words.translate(["a b"])[0]
    assert found.text == "B A"
    assert found.score == pytest.approx(-2.0, abs=1e-5)
    assert found.statistics["built"] == 5
    assert found.statistics["recombined"] == 1
    assert found.statistics["language_model_queries"] == 7
    assert found.statistics["rules_matched"] == 3


def test_distortion_makes_the_swap_too_dear(two_words: LeftToRightDecoder) -> None:
    weights = {**SMALL, "distortion.rule": 0.1, "distortion.glue": 0.1}
    found = two_words.with_weights(weights).with_settings(reordering_features=True).translate(["a b"], forests=True)[0]
    assert found.text == "A B"
    assert found.score == pytest.approx(-2.2, abs=1e-5)
    swapped = next(each for each in found.nbest(5) if each.text == "B A")
    assert swapped.score == pytest.approx(-2.4, abs=1e-5)
    assert two_words.translate(["a b"])[0].text == "B A"


STUDENTS = "schuler ihre arbeit noch nicht gemacht haben ."
STUDENT_RULES = {
    "schuler | students": 0.0,
    "haben | have": 0.0,
    "X1 noch nicht X2 | not yet X2 X1": 0.0,
    "gemacht | done": 0.0,
    "ihre arbeit | their work": 0.0,
    ". | .": 0.0,
}


def test_the_worked_derivation_has_its_spans_distortion_height_and_width(tmp_path: Path) -> None:
    text = "students have not yet done their work ."
    words = ["<s>", *text.split(), "</s>"]
    lm = bigram_model(tmp_path / "lm.arpa", dict.fromkeys(pairwise(words), -0.1))
    made = decoder(
        tmp_path / "t.rules", STUDENT_RULES, lm, {"lm": 1.0}, reordering_features=True, right_boundary="none"
    )
    found = made.translate([STUDENTS], forests=True)[0]
    assert found.text == text
    best = next(  # there are others with the same words
        each
        for each in map(found.with_derivation, found.nbest(10_000))
        if each.text == text and [p.within for p in each.phrases] == [(0, 8), (1, 8), (1, 6), (5, 6), (1, 3), (7, 8)]
    )
    assert {name: value for name, value in best.features.items() if name not in ("score", "lm")} == {
        "distortion.rule": -10.0,
        "distortion.glue": -12.0,
        "reordered": 1.0,
        "height": 3.0,
        "width": 6.0,
        "glue": 2.0,
        "rule_penalty": 4.0,
        "word_penalty": -8.0,
    }
    assert open_spans(best) == [
        [(0, 8)],
        [(1, 8)],
        [(1, 6), (7, 8)],
        [(5, 6), (1, 3), (7, 8)],
        [(1, 3), (7, 8)],
        [(7, 8)],
        [],
    ]
    assert (5, 4) in best.alignment  # gemacht, done
    assert {(3, 2), (4, 2)} <= set(best.alignment)
    six = Grammar(
        {
            "schuler X1 | students X1": 0.0,
            "X1 haben X2 | have X1 X2": 0.0,
            **dict.fromkeys(list(STUDENT_RULES)[2:], 0.0),
        },
        glue=False,
    )
    assert len(six.derivations(STUDENTS)) == 5
    assert [each.text for each in six.derivations(STUDENTS)].count(text) == 1


def open_spans(translation: SentenceTranslation) -> list[list[Span]]:
    """Spans that are left before each step and at the end; what a step leaves is seen from those that follow."""
    steps = [phrase.within for phrase in translation.phrases]
    lists = []
    for number in range(len(steps) + 1):
        left: list[Span] = []
        for span in steps[number:]:
            if not any(start <= span[0] and span[1] <= end for start, end in left):
                left.append(span)
        lists.append(left)
    return lists


WORDS_BEHIND = {"a | A": 0.0, "m X1 w | IS X1": 0.0, "x | C": 0.0, "b | B": 0.0}
SWAP_INSIDE = {"t | T": 0.0, "p | P": 0.0, "X1 inj X2 | INJ X2 X1": 0.0, "k | K": 0.0, ". | .": 0.0}


def reached(made: LeftToRightDecoder, sentence: str) -> set[str]:
    """All texts of the forest in which no word is unknown."""
    [forest] = made.with_settings(**UNLIMITED).forests([sentence])
    return {each.text for each in forest.kbest(100_000) if "unknown" not in each.features}


def test_rules_followed_by_a_nonterminal_reach_what_comes_in_order(tmp_path: Path) -> None:
    made = decoder(tmp_path / "t.rules", WORDS_BEHIND, None, {"score": 1.0})
    without = {"A B IS C", "B A IS C"}
    assert chart_reachable(WORDS_BEHIND, "a m x w b") == {"A IS C B"}
    assert reached(made.with_settings(right_boundary="none"), "a m x w b") == without
    for boundary in ("a", "ab", "abc"):
        assert reached(made.with_settings(right_boundary=boundary), "a m x w b") == without | {"A IS C B"}


def test_only_all_types_reach_a_swap_that_something_follows(tmp_path: Path) -> None:
    made = decoder(tmp_path / "t.rules", SWAP_INSIDE, None, {"score": 1.0})
    sets = {
        boundary: reached(made.with_settings(right_boundary=boundary), "t p inj k .")
        for boundary in ("none", "a", "ab", "abc")
    }
    assert chart_reachable(SWAP_INSIDE, "t p inj k .") == {"T INJ K P ."}
    assert {boundary: len(texts) for boundary, texts in sets.items()} == {"none": 10, "a": 10, "ab": 10, "abc": 13}
    assert sets["none"] == sets["ab"] < sets["abc"]
    assert "T INJ K P ." in sets["abc"] - sets["ab"]


# Brute force


def random_rules(chance: random.Random, words: str, *, score: bool = True) -> dict[str, float]:
    """Rules over a handful of words, the targets of which begin with words."""
    rules: dict[str, float] = {}
    for _ in range(chance.randint(3, 7)):
        arity = chance.choice((0, 0, 1, 1, 2))
        source = [chance.choice(words) for _ in range(chance.randint(1, 2))]
        slots = [f"X{i + 1}" for i in range(arity)]
        if arity == 1:
            source.insert(chance.randint(0, len(source)), slots[0])
        elif arity == 2:
            places = (0, len(source) + 1) if len(source) == 1 or chance.random() < 0.5 else (0, 2)
            for place, slot in zip(places, slots, strict=True):
                source.insert(place, slot)
        chance.shuffle(slots)
        target = [chance.choice(words.upper()) for _ in range(chance.randint(1, 2))] + slots
        rules[" ".join(source) + " | " + " ".join(target)] = -round(chance.random(), 3) if score else 0.0
    return rules


def tree_features(steps: Sequence[Application]) -> dict[str, float]:
    """Features of a derivation from its tree, by definition."""
    place = 0
    total = {"distortion.rule": 0.0, "distortion.glue": 0.0, "reordered": 0.0, "height": 0.0, "width": 0.0}
    total |= {"right_boundary": 0.0}

    def walk() -> int:
        nonlocal place
        step = steps[place]
        place += 1
        visits = [(step.span[0], step.span[0])]
        runs = [i for i in range(*step.span) if not any(a <= i < b for a, b in step.parts)]
        for i in runs:
            if visits[-1][1] == i and len(visits) > 1:
                visits[-1] = (visits[-1][0], i + 1)
            else:
                visits.append((i, i + 1))
        visits += [*step.parts, (step.span[1], step.span[1])]
        jumps = sum(abs(after[0] - before[1]) for before, after in pairwise(visits))
        own = step.kind in ("rule", "unknown")
        total["distortion.rule" if own else "distortion.glue"] -= jumps
        total["reordered"] += list(step.parts) != sorted(step.parts)
        total["width"] += sum(end - start for start, end in step.parts[:-1])
        total["right_boundary"] += step.kind == "boundary"
        heights = [walk() for _ in step.parts]
        total["height"] += sum(heights[:-1])
        return 1 + max(heights, default=0)

    walk()
    return total


def features_of(derived: Derived, logprobs: Logprobs) -> dict[str, float]:
    words = ["<s>", *derived.text.split(), "</s>"]
    kinds = [step.kind for step in derived.steps]
    own = sum(kind in ("rule", "unknown") for kind in kinds)
    return {
        "score": sum(step.score for step in derived.steps),
        "lm": sum(logprobs[pair] for pair in pairwise(words)),
        "word_penalty": -float(len(words) - 2),
        "rule_penalty": float(own),
        "glue": float(len(kinds) - own),
        "unknown": -float(sum("unknown" in kind for kind in kinds)),
        **tree_features(derived.steps),
    }


SEARCHES: list[dict[str, Any]] = [
    {"search": "stack"},
    {"search": "stack", "future_rules": "hierarchical", "grouping": "all-spans"},
    {"search": "cube"},
    {"search": "cube", "grouping": "all-spans", "queue_diversity": 3},
    {"search": "cube", "queue_diversity": 2**30},
]


@pytest.mark.parametrize("seed", range(40))
def test_unlimited_search_equals_brute_force(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    rules = random_rules(chance, "abc")
    sentence = " ".join(chance.choice("abc") for _ in range(chance.randint(1, 4)))
    vocabulary = ["A", "B", "C", "a", "b", "c"]
    logprobs = {
        (first, second): -round(3 * chance.random(), 4)
        for first in ("<s>", *vocabulary)
        for second in (*vocabulary, "</s>")
    }
    lm = bigram_model(tmp_path / "lm.arpa", logprobs)
    boundary = chance.choice(("none", "a", "ab", "abc"))
    split_b, when = chance.random() < 0.5, chance.choice(("always", "no_regular"))
    max_span = chance.choice((2, 3, 10))
    grammar = Grammar(rules, right_boundary=boundary, split_b=split_b, max_span=max_span, glue_when=when)
    derivations = [features_of(each, logprobs) for each in grammar.derivations(sentence)]
    weights = {name: round(chance.uniform(-1, 1), 3) for name in derivations[0]}
    weights["lm"] = abs(weights["lm"])
    expected = sorted((sum(weights[n] * v for n, v in each.items()) for each in derivations), reverse=True)

    made = decoder(
        tmp_path / "t.rules",
        rules,
        lm,
        weights,
        **UNLIMITED,
        right_boundary=boundary,
        split_b=split_b,
        glue_when=when,
        max_span=max_span,
        reordering_features=True,
        h_exact=True,
        boundary_feature=True,
    )
    for changes in SEARCHES:
        found = made.with_settings(**changes).translate([sentence], forests=True)[0]
        assert found.score == pytest.approx(expected[0], abs=2e-4), changes
        assert found.rescore() == pytest.approx(found.score, abs=1e-6)
        listed = found.nbest(len(expected) + 1)
        assert [each.score for each in listed] == pytest.approx(expected, abs=2e-4), changes
        for derivation in listed[:20]:
            told = found.with_derivation(derivation)
            values = tree_features(rebuilt(told))
            assert all(told.features.get(name, 0.0) == values[name] for name in values if name != "right_boundary")
            covered = sorted(p for step in derivation.steps for p in step.positions)
            assert covered == list(range(len(found.source)))
    proved = made.with_settings(beam=1, pop_limit=1).optimize([sentence], ExactSettings(epsilon=1e-9))[0]
    assert proved.proof is not None
    assert proved.proof.optimal
    assert proved.score == pytest.approx(expected[0], abs=2e-4)
    assert proved.rescore() == pytest.approx(proved.score, abs=1e-6)
    stopped = made.with_settings(beam=1, pop_limit=1).optimize([sentence], ExactSettings(memory=1))[0]
    assert stopped.proof is not None
    assert (stopped.proof.status, stopped.proof.stop) == ("BOUNDED", "memory")
    assert expected[0] - 2e-4 <= stopped.proof.bound < math.inf


def rebuilt(translation: SentenceTranslation) -> list[Application]:
    """The steps of a translation with what each left, from the spans of those that follow."""
    steps = []
    spans = [phrase.within for phrase in translation.phrases]
    for number, phrase in enumerate(translation.phrases):
        start, end = phrase.within
        parts: list[Span] = []
        for span in spans[number + 1 :]:
            if start <= span[0] and span[1] <= end and not any(a <= span[0] and span[1] <= b for a, b in parts):
                parts.append(span)
        kind = "glue" if phrase.features.get("glue") else "rule"
        steps.append(Application(phrase.within, phrase.target, tuple(parts), phrase.score, kind))
    return steps


@pytest.mark.slow
def test_with_all_types_everything_is_reached_that_a_chart_reaches(tmp_path: Path) -> None:
    usable = 0
    for seed in range(150):
        chance = random.Random(1000 + seed)
        rules = random_rules(chance, "abcd", score=False)
        rules |= {f"{word} | {word.upper()}": 0.0 for word in "abcd" if chance.random() < 0.7}
        sentence = " ".join(chance.choice("abcd") for _ in range(chance.randint(2, 5)))
        max_span = chance.choice((2, 3, 10))
        charted = chart_reachable(rules, sentence, max_span=max_span)
        if not charted:
            continue
        usable += 1
        path = tmp_path / f"{seed}.rules"
        made = decoder(path, rules, None, {"score": 1.0}, right_boundary="abc", max_span=max_span, **UNLIMITED)
        for changes in ({}, {"split_b": True}):
            results = made.with_settings(**changes).force([sentence] * len(charted), [[text] for text in charted])
            assert all(each is not None for each in results), (rules, sentence, changes)
    assert usable > 30


@pytest.mark.parametrize("seed", range(25))
def test_forced_decoding_decides_like_brute_force(seed: int, tmp_path: Path) -> None:
    chance = random.Random(2000 + seed)
    rules = random_rules(chance, "abc")
    sentence = " ".join(chance.choice("abc") for _ in range(chance.randint(1, 6)))
    boundary = chance.choice(("none", "ab", "abc"))
    made = decoder(tmp_path / "t.rules", rules, None, {"score": 1.0, "glue": -0.3}, right_boundary=boundary)
    derivations = Grammar(rules, right_boundary=boundary).derivations(sentence)
    best: dict[str, float] = {}
    for each in derivations:
        score = sum(step.score - 0.3 * (step.kind in ("glue", "boundary", "unknown glue")) for step in each.steps)
        best[each.text] = max(best.get(each.text, -math.inf), score)
    texts = sorted(best)
    reachable = chance.sample(texts, min(5, len(texts)))
    changed = [" ".join(reversed(text.split())) for text in reachable] + [reachable[0] + " A", "B", ""]
    given = [*reachable, *changed]
    results = made.force([sentence] * len(given), [[text] for text in given], threads=2)
    for text, result in zip(given, results, strict=True):
        assert (result is not None) == (text in best)
        if result is not None:
            assert result.text == text
            assert result.score == pytest.approx(best[text], abs=1e-6)
            assert result.rescore() == pytest.approx(best[text], abs=1e-6)
    # of several references any will do, the best of those that can be reached
    [several] = made.force([sentence], [[*reachable, "no such text"]])
    assert several is not None
    assert several.score == pytest.approx(max(best[text] for text in reachable), abs=1e-6)


# Bad input and odds and ends


def test_rules_that_do_not_begin_with_words_are_refused_by_name(tmp_path: Path) -> None:
    for number, (rule, problem) in enumerate(
        [
            ("X1 b | X1 B", "does not begin with a word"),
            ("X1 b | A X1 B", "a word behind a nonterminal"),
            ("X1 X2 b | B X1 X2", "neighbouring nonterminals"),
            ("X1 b | B", "not paired"),
            ("b | B X1", "not paired"),
        ]
    ):
        source, target = map(symbols, rule.split("|"))
        made = Rule(source, target, {"score": 0.0})
        other = Rule(("a",), ("A",), {"score": 0.0})
        table = write_table([made, other], tmp_path / f"{number}", columns=["score"], metadata={"kind": "lr-hiero"})
        with pytest.raises(InputError, match=problem) as caught:
            LeftToRightDecoder(table, [])
        spelt = rule.replace("X1", "[X1]").replace("X2", "[X2]").replace("|", "|||")
        assert spelt in str(caught.value)


def test_tables_of_another_kind_are_refused(tmp_path: Path) -> None:
    rules = [Rule(("a",), ("A",), {"score": 0.0})]
    for kind in ({}, {"kind": "hiero"}):
        table = write_table(rules, tmp_path / f"{len(kind)}", columns=["score"], metadata=kind)
        with pytest.raises(SettingError, match="kind"):
            LeftToRightDecoder(table, [])


def test_the_span_limit_comes_from_the_table_unless_one_is_given(tmp_path: Path) -> None:
    rules = {"a | A": -1.0, "b | B": -1.0, "a X1 c | BEST X1": 0.0, "c | C": -1.0}
    table = rule_table(tmp_path / "t.rules", rules, max_span="2")
    made = LeftToRightDecoder(table, [], {"score": 1.0}, LeftToRightSettings(right_boundary="none"))
    assert "BEST" not in made.translate(["a b c"])[0].text
    assert made.with_settings(max_span=3).translate(["a b c"])[0].text == "BEST B"


def test_names_of_reordering_features_are_there_when_they_are_on(two_words: LeftToRightDecoder) -> None:
    assert "height" not in two_words.feature_names
    on = two_words.with_settings(reordering_features=True, boundary_feature=True)
    assert {"distortion.rule", "distortion.glue", "reordered", "height", "width", "right_boundary"} <= set(
        on.feature_names
    )
    assert set(two_words.start_weights()) == set(two_words.feature_names)


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(SettingError, match="queue_diversity is 0"):
        LeftToRightSettings(queue_diversity=0)
    with pytest.raises(SettingError, match="right_boundary is 'b'"):
        LeftToRightSettings(right_boundary="b")


def test_forcing_needs_references_for_every_sentence(two_words: LeftToRightDecoder) -> None:
    with pytest.raises(InputError):
        two_words.force(["a b", "b"], [["A B"]])
    with pytest.raises(InputError):
        two_words.force(["a b"], [[]])


def test_sparse_templates_see_nonterminals_and_what_is_written(two_words: LeftToRightDecoder) -> None:
    templates = ["rule", "delete", "insert", "target_ngram", "shape"]
    [found] = two_words.with_features(templates, two_words.weights).translate(["a b"], forests=True)
    told = {name: value for each in found.nbest(10) for name, value in each.features.items() if ":" in name}
    assert told["rule:[X1]_b>B_[X1]"] == 1.0
    assert {name for name in told if name.startswith("target_ngram:")} == {
        "target_ngram:<s>_A",
        "target_ngram:<s>_B",
        "target_ngram:A_B",
        "target_ngram:B_A",
        "target_ngram:A_</s>",
        "target_ngram:B_</s>",
    }
    assert not any(name.startswith(("delete:", "insert:")) for name in told)
    for derivation in found.nbest(10):
        assert derivation.rescore(found.weights) == pytest.approx(derivation.score, abs=1e-6)


def test_templates_of_order_and_tags_look_at_the_own_words_of_rules(tmp_path: Path) -> None:
    logprobs = dict.fromkeys((("<s>", "V"), ("V", "B"), ("B", "A"), ("A", "</s>")), -0.1)
    rules = {"a | A": 0.0, "b | B": 0.0, "X1 v X2 w | V X2 X1": 0.0}
    weights = {"score": 1.0, "lm": 1.0, "glue": -5.0, "orient:next.swap:b>B": 0.7, "jump:3": -0.3}
    plain = decoder(tmp_path / "t", rules, bigram_model(tmp_path / "lm.arpa", logprobs), weights, **UNLIMITED)
    made = plain.with_features(["orient", "jump", "pos_order"], weights)
    line = SourceText.annotated(Sentence.of(["a", "v", "b", "w"], tags=["N", "V", "N", "P"]))
    [found] = made.translate([line], forests=True)
    assert found.text == "V B A"
    # `v … w` begins at position 1 and ends at 4, `b` lies inside of it, and `a` before it.
    fired = {name: value for name, value in found.features.items() if name.startswith(("jump:", "pos_order:"))}
    assert fired == {
        "jump:1": 1.0,
        "jump:2": 2.0 - 1.0,
        "jump:3": 1.0,
        "jump:positive": 3.0,
        "pos_order:previous.<s>>V_[X]_P": 1.0,
        "pos_order:previous.V_[X]_P>N": 1.0,
        "pos_order:next.V_[X]_P>N": 1.0,
        "pos_order:previous.N>N": 1.0,
        "pos_order:next.N>N": 1.0,
        "pos_order:next.N></s>": 1.0,
    }
    orders = {name for name in found.features if name.startswith("orient:previous.")}
    assert "orient:previous.discontinuous:b>B" in orders
    for each in found.nbest(100):
        assert each.rescore(found.weights) == pytest.approx(each.score, abs=1e-6)


def test_rules_added_at_run_time_count_from_the_next_call_on(tmp_path: Path) -> None:
    table = rule_table(tmp_path / "t.rules", {"a | A": -1.0, "b | B": -1.0})
    rules = DynamicTable(table)
    made = LeftToRightDecoder(rules, [], {"score": 1.0, "glue": -0.5})
    assert made.translate(["a b"])[0].text in ("A B", "B A")
    rules.add("a b", "BOTH", values={"score": -0.1})
    assert made.translate(["a b"])[0].text == "BOTH"
    rules.remove("a", "A")
    assert made.translate(["a"])[0].unknown_words == ("a",)


def test_options_of_a_user_stand_beside_rules_and_may_exclude_them(two_words: LeftToRightDecoder) -> None:
    beside = two_words.translate(["a b"], constraints=[Constraints((ExtraOption(1, 2, "C D", {"score": 200.0}),))])[0]
    assert "C D" in beside.text
    only = two_words.translate(["a b a"], constraints=[Constraints((ExtraOption(0, 2, "E", {}, policy="exclusive"),))])[
        0
    ]
    assert sorted(only.target) == ["A", "E"]
    assert only.phrases[only.target.index("E")].source_span == (0, 2)


def test_long_sentences_are_cut_and_their_forests_joined(two_words: LeftToRightDecoder) -> None:
    short = two_words.with_settings(max_sentence_length=2)
    [found] = short.translate(["a b a b b"], forests=True)
    assert found.statistics["pieces"] == 3
    assert found.nbest(1)[0].text == found.text
    assert found.rescore() == pytest.approx(found.score, abs=1e-6)
    with pytest.raises(InputError, match="at most 2"):
        short.with_settings(long_sentences="refuse").translate(["a b a"])


def test_unknown_words_are_copied_marked_or_dropped(two_words: LeftToRightDecoder) -> None:
    texts = {
        policy: set(two_words.with_settings(unknown=policy).translate(["a q"])[0].target)
        for policy in ("copy", "mark", "drop")
    }
    assert texts == {"copy": {"A", "q"}, "mark": {"A", "<unk:q>"}, "drop": {"A"}}


def test_lazy_cube_pruning_asks_less_and_finds_the_same_without_limits(two_words: LeftToRightDecoder) -> None:
    sentence = "a b b a b a"
    eager = two_words.with_settings(search="cube", right_boundary="abc")
    lazy = eager.with_settings(lazy=True)
    one, other = (each.with_settings(**UNLIMITED).translate([sentence])[0] for each in (eager, lazy))
    assert other.score == pytest.approx(one.score, abs=1e-9)
    few, fewer = (each.with_settings(pop_limit=3).translate([sentence])[0].statistics for each in (eager, lazy))
    assert fewer["language_model_queries"] < few["language_model_queries"]
