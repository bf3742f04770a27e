from __future__ import annotations

import json

from dragoman.forest import ForestBuilder
from tests.forest.test_store import example


def test_steps_of_a_chart() -> None:
    """A rule translates what lies in its span and in none of its parts."""
    build = ForestBuilder("er hat es gestern gesehen")
    adverb, pronoun, goal = build.add_node(3, 4), build.add_node(2, 3), build.add_node(0, 5)
    build.add_edge(adverb, "yesterday", span=(3, 4), links=[(0, 0)])
    build.add_edge(pronoun, "it", span=(2, 3), links=[(0, 0)])
    build.add_edge(goal, ["he", "saw", 0, 1], [pronoun, adverb], span=(0, 5), links=[(0, 0), (1, 1), (4, 1)], rule=8)
    best = build.finish(goal).best()
    assert best.text == "he saw it yesterday"
    assert best.links == ((0, 0), (1, 1), (2, 2), (3, 3), (4, 1))
    top, first, second = best.steps
    assert (top.positions, top.source, top.parts, top.rule) == ((0, 1, 4), ("er", "hat", "gesehen"), (1, 2), 8)
    assert (first.source, second.source) == (("es",), ("gestern",))
    assert best.steps_of_target == (0, 0, 1, 2)
    assert list(best.lines()) == [
        "er hat gesehen → he saw [1] [2]  (0)",
        "  es → it  (0)",
        "  gestern → yesterday  (0)",
    ]


def test_steps_of_left_to_right_decoding() -> None:
    """With coverage sets, also phrases with gaps translate what they add to the coverage."""
    build = ForestBuilder("il ne dort pas")
    start = build.add_node(coverage=[])
    subject = build.add_node(0, 1, coverage=[0])
    negation = build.add_node(1, 4, coverage=[0, 1, 3])
    goal = build.add_node(2, 3, coverage=[0, 1, 2, 3])
    build.add_edge(start, [])
    build.add_edge(subject, [0, "he"], [start], span=(0, 1), links=[(0, 1)])
    build.add_edge(negation, [0, "does", "not"], [subject], span=(1, 4), links=[(0, 2), (2, 2)])
    build.add_edge(goal, [0, "sleep"], [negation], span=(2, 3), links=[(0, 1)])
    best = build.finish(goal).best()
    assert [step.source for step in best.steps] == [("dort",), ("ne", "pas"), ("il",), ()]
    assert (best.text, best.links) == ("he does not sleep", ((0, 0), (1, 2), (2, 3), (3, 2)))


def test_as_plain_values() -> None:
    found = json.loads(json.dumps(example().best().to_dict()))
    assert (found["target"], found["score"], found["features"]) == (["the", "house"], -0.75, {"lm": -0.75})
    assert found["steps"][0] == {
        "node": 1,
        "rule": 0,
        "positions": [0],
        "source": ["das"],
        "target": ["the", 0],
        "parts": [1],
        "features": {"lm": -0.25},
        "score": -0.25,
    }


def test_equality() -> None:
    forest = example()
    first, second = forest.kbest(2)
    assert first == forest.best()
    assert first != second
    assert first != example().best()
    assert len({first, second, forest.best()}) == 2
    assert repr(first) == "<Derivation 'the house', score -0.75>"


def test_arrays_outlive_their_forest() -> None:
    scores = example().native.scores
    words = example().best().target_ids
    assert (scores.tolist(), len(words)) == ([-0.5, -1.5, -0.25], 2)
    assert not scores.flags.writeable
