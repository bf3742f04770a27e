"""Natural logic: the join table from sets, marks, proofs on pairs of our own."""

from __future__ import annotations

from itertools import product

import pytest

from dragoman.entailment.entailer import Entailer, EntailmentJudgement
from dragoman.entailment.marker_lists import Markers
from dragoman.entailment.monotonicity import mark
from dragoman.entailment.natural_logic import RELATIONS, join, project, prove
from dragoman.entailment.pairs import AnnotatedPair
from dragoman.entailment.suites import load_suite


def relation(first: frozenset[int], second: frozenset[int]) -> str:
    if first == second:
        return "="
    if first < second:
        return "<"
    if second < first:
        return ">"
    return "#" if first & second else "|"


def test_joins_are_those_of_sets() -> None:
    """All triples of proper, non-empty subsets of four things; what is not determined is independence."""
    sets = [frozenset(at for at in range(4) if number >> at & 1) for number in range(1, 15)]
    seen: dict[tuple[str, str], set[str]] = {}
    for one, two, three in product(sets, repeat=3):
        seen.setdefault((relation(one, two), relation(two, three)), set()).add(relation(one, three))
    for pair, found in seen.items():
        assert join(*pair) == (found.pop() if len(found) == 1 else "#"), pair


def test_joins_are_associative_and_equivalence_is_neutral() -> None:
    for one, two, three in product(RELATIONS, repeat=3):
        assert join(join(one, two), three) == join(one, join(two, three))
    assert all(join("=", each) == join(each, "=") == each for each in RELATIONS)


def test_the_answer_is_yes_just_if_every_edit_is() -> None:
    for edits in product(RELATIONS, repeat=3):
        joined = "="
        for each in edits:
            joined = join(joined, each)
        assert (joined in "=<") == all(each in "=<" for each in edits)


def test_projection() -> None:
    assert [project(each, -1) for each in RELATIONS] == ["=", ">", "<", "#", "|"]
    assert [project(each, 0) for each in RELATIONS] == ["=", "#", "#", "#", "#"]
    assert [project(each, 1) for each in RELATIONS] == list(RELATIONS)


@pytest.mark.parametrize("name", ["phenomena", "logic"])
def test_the_prover_is_right_on_nine_of_ten(entailer: Entailer, name: str) -> None:
    pairs = load_suite(name)
    right = sum(entailer.judge(pair).proof.answer == pair.label for pair in pairs)
    assert len(pairs) >= {"phenomena": 150, "logic": 50}[name]
    assert right >= 0.9 * len(pairs)


def test_the_prover_does_not_contradict_itself(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    """What it says of a pair fits what it says of the pair turned round, and everything follows from itself."""
    allowed = {"=": "=", "<": ">#", ">": "<#", "|": "|#", "#": RELATIONS.replace("=", "")}
    for pair in [*phenomena, *load_suite("logic")]:
        if len(pair.text) > 1:
            continue
        turned = AnnotatedPair("turned", (pair.hypothesis,), pair.text[0])
        same = AnnotatedPair("same", (pair.hypothesis,), pair.hypothesis)
        there, back, itself = (entailer.judge(each).proof.relation for each in (pair, turned, same))
        assert itself == "=", pair.hypothesis.text
        assert back in allowed[there], (pair.raw, there, back)


def test_decisions_by_feature_are_covered_with_both_answers(phenomena: list[AnnotatedPair]) -> None:
    groups = {pair.task for pair in phenomena}
    assert {"negation", "adjunct", "antonymy", "modality", "factivity", "quantifier", "number", "date"} <= groups
    for group in groups:
        assert {pair.label for pair in phenomena if pair.task == group} == {True, False}


def marks(entailer: Entailer, pair: AnnotatedPair) -> dict[str, int]:
    graph = entailer.graph(pair.text)
    found = mark(graph, Markers.load())
    return {node.word.lower(): found.marks[node.index] for node in graph}


def test_marks(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    """No soldier without a uniform: the soldier is in a downward context, the uniform in an upward one again."""
    by_text = {pair.raw.text: pair for pair in [*phenomena, *load_suite("logic")]}
    found = marks(entailer, by_text["No soldier without clothes marched."])
    assert (found["soldier"], found["clothes"], found["marched"]) == (-1, 1, -1)
    found = marks(entailer, by_text["Every lazy student passed the test."])
    assert (found["student"], found["lazy"], found["passed"], found["test"]) == (-1, -1, 1, 1)
    found = marks(entailer, by_text["The dogs did not bark loudly."])
    assert (found["dogs"], found["bark"], found["loudly"]) == (1, -1, -1)
    found = marks(entailer, by_text["Most dogs bark loudly."])
    assert (found["dogs"], found["bark"]) == (0, 1)
    found = marks(entailer, by_text["The club refused to admit old women."])
    assert (found["club"], found["refused"], found["old women"]) == (1, 1, -1)
    found = marks(entailer, by_text["If a dog enters, the alarm rings."])
    assert (found["dog"], found["rings"]) == (-1, 1)


def test_a_proof_is_shown_step_by_step(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    [pair] = [each for each in phenomena if each.raw.hypothesis == "They didn't tango."]
    proof = prove(entailer.align(pair), entailer.relations, Markers.load())
    assert str(proof) == "SUB(dance, tango) in downward context: < (more special); so far <\nyes: forward"


def test_all_judgements_agree_with_their_proofs(judged: list[EntailmentJudgement]) -> None:
    for each in judged:
        joined = [relation for _, relation in each.proof.trace()]
        assert (joined[-1] if joined else "=") == each.proof.relation
