from __future__ import annotations

import math
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import InputError
from dragoman.forest import Forest, ForestBuilder
from dragoman.forest.intersect import Automaton, constrain, intersect
from tests import brute_force
from tests.strategies import WORDS, small_forests


def signature(forest: Forest) -> Counter[tuple[tuple[str, ...], float]]:
    return Counter((tree.target, round(tree.score, 8)) for tree in brute_force.derivations(forest))


@given(small_forests(max_derivations=60, vocabulary=("a", "b")))
def test_forced_derivations(forest: Forest) -> None:
    trees = brute_force.derivations(forest)
    for target in sorted({tree.target for tree in trees})[:8]:
        expected = Counter((tree.target, round(tree.score, 8)) for tree in trees if tree.target == target)
        assert signature(constrain(forest, target)) == expected
        assert signature(intersect(forest, Automaton.of_strings(forest.words, [target])).forest) == expected
    assert not constrain(forest, ["never", "seen"])


@given(small_forests(max_derivations=100), st.sets(st.text("abcd", max_size=4), max_size=6))
def test_a_set_of_strings(forest: Forest, strings: set[str]) -> None:
    wanted = {tuple(string) for string in strings}
    expected = Counter({key: n for key, n in signature(forest).items() if key[0] in wanted})
    assert signature(intersect(forest, Automaton.of_strings(forest.words, sorted(wanted))).forest) == expected


@st.composite
def automata(draw: st.DrawFn) -> list[tuple[dict[str, tuple[int, float]], tuple[int, float] | None, float | None]]:
    """States as (arcs, otherwise, final score)."""
    count = draw(st.integers(1, 4))
    arc = st.tuples(st.integers(0, count - 1), st.floats(-2, 2))
    state = st.tuples(st.dictionaries(st.sampled_from(WORDS), arc), st.none() | arc, st.none() | st.floats(-2, 2))
    return draw(st.lists(state, min_size=count, max_size=count))


def run(
    states: list[tuple[dict[str, tuple[int, float]], tuple[int, float] | None, float | None]], target: tuple[str, ...]
) -> float | None:
    """Score of a string, None if it is refused."""
    state, score = 0, 0.0
    for word in target:
        arc = states[state][0].get(word, states[state][1])
        if arc is None:
            return None
        state, score = arc[0], score + arc[1]
    final = states[state][2]
    return None if final is None else score + final


def automaton_of(
    forest: Forest, states: list[tuple[dict[str, tuple[int, float]], tuple[int, float] | None, float | None]]
) -> Automaton:
    automaton = Automaton(forest.words)
    for _ in states[1:]:
        automaton.add_state()
    for number, (arcs, otherwise, final) in enumerate(states):
        for word, (to, score) in arcs.items():
            automaton.add_arc(number, word, to, score)
        if otherwise:
            automaton.set_otherwise(number, *otherwise)
        if final is not None:
            automaton.set_final(number, final)
    return automaton


Item = tuple[int, int, int]
"""A node of a forest, and the states before and after what it derives."""


def bottom_up(
    forest: Forest, states: list[tuple[dict[str, tuple[int, float]], tuple[int, float] | None, float | None]]
) -> Counter[tuple[int, Item, tuple[Item, ...], float]]:
    """Intersection as CKY parses (Nederhof and Satta 2008): every node from every state, then what derives the goal
    from the first state: edges with their heads, tails and scores."""
    exits: dict[tuple[int, int], set[int]] = {}
    made: dict[Item, list[tuple[int, tuple[Item, ...], float]]] = {}
    goal = forest.nodes - 1
    for node, entry in product(range(forest.nodes), range(len(states))):
        for number in forest.edges_of(node):
            edge = forest.edge(number)
            partial: list[tuple[int, dict[int, Item], float]] = [(entry, {}, edge.score)]
            for symbol in edge.target:
                step: list[tuple[int, dict[int, Item], float]] = []
                for state, parts, score in partial:
                    if isinstance(symbol, int):
                        tail = edge.tails[symbol]
                        below = exits.get((tail, state), set())
                        step += [(to, {**parts, symbol: (tail, state, to)}, score) for to in below]
                    elif arc := states[state][0].get(symbol, states[state][1]):
                        step.append((arc[0], parts, score + arc[1]))
                partial = step
            for state, parts, score in partial:
                end = states[state][2] if node == goal else 0.0
                if end is None:
                    continue
                head = (node, entry, 0 if node == goal else state)
                exits.setdefault((node, entry), set()).add(state)
                tails = tuple(parts[index] for index in range(len(edge.tails)))
                made.setdefault(head, []).append((number, tails, round(score + end, 8)))
    found: Counter[tuple[int, Item, tuple[Item, ...], float]] = Counter()
    pending, seen = [(goal, 0, 0)], set[Item]()
    while pending:
        item = pending.pop()
        if item in seen:
            continue
        seen.add(item)
        for number, tails, score in made.get(item, ()):
            found[number, item, tails, score] += 1
            pending += tails
    return found


@given(small_forests(max_derivations=100), automata())
def test_bottom_up_is_the_same(
    forest: Forest, states: list[tuple[dict[str, tuple[int, float]], tuple[int, float] | None, float | None]]
) -> None:
    """Top-down and bottom-up intersection have the same nodes, edges and scores, once what is of no use is gone."""
    found = intersect(forest, automaton_of(forest, states))
    goal = found.forest.nodes - 1

    def item(node: int) -> Item:
        return int(found.nodes[node]), int(found.entry[node]), 0 if node == goal else int(found.exit[node])

    edges = ((int(found.edges[number]), found.forest.edge(number)) for number in range(found.forest.edges))
    top_down = Counter(
        (old, item(edge.head), tuple(map(item, edge.tails)), round(edge.score, 8)) for old, edge in edges
    )
    assert top_down == bottom_up(forest, states)


@pytest.mark.slow
@given(small_forests(max_derivations=80), automata())
def test_any_automaton(
    forest: Forest, states: list[tuple[dict[str, tuple[int, float]], tuple[int, float] | None, float | None]]
) -> None:
    automaton = automaton_of(forest, states)
    trees = brute_force.derivations(forest)
    accepted = [(tree, run(states, tree.target)) for tree in trees]
    found = intersect(forest, automaton)
    assert signature(found.forest) == Counter(
        (tree.target, round(tree.score + score, 8)) for tree, score in accepted if score is not None
    )
    # Every part knows where it comes from.
    for edge in range(found.forest.edges):
        new, old = found.forest.edge(edge), forest.edge(int(found.edges[edge]))
        assert (new.target, new.rule, new.links) == (old.target, old.rule, old.links)
        assert found.nodes[new.head] == old.head
        assert [int(found.nodes[tail]) for tail in new.tails] == list(old.tails)
    # As a feature, the scores of the automaton survive reweighting.
    noted = intersect(forest, automaton, feature="automaton", weight=0.5)
    again = noted.forest.reweight({"automaton": 1.0, "lm": 1.0})
    assert sorted(tree.score for tree in brute_force.derivations(again)) == pytest.approx(
        sorted(tree.features.get("lm", 0.0) + score for tree, score in accepted if score is not None), abs=1e-8
    )
    assert sorted(tree.score for tree in brute_force.derivations(noted.forest)) == pytest.approx(
        sorted(tree.score + 0.5 * score for tree, score in accepted if score is not None), abs=1e-8
    )


@pytest.mark.slow
@given(small_forests(max_derivations=100, vocabulary=("a", "b")), st.text("ab", min_size=1, max_size=3))
def test_words_after_a_context(forest: Forest, context: str) -> None:
    """Overlapping occurrences count; the number of derivations does not change."""
    automaton = Automaton.after(forest.words, tuple(context), {"a": -1.5}, otherwise=0.25)
    assert automaton.states == len(context) + 1

    def bonus(target: tuple[str, ...]) -> float:
        text = "".join(target)
        following = [text[at] for at in range(len(context), len(text)) if text[:at].endswith(context)]
        return sum(-1.5 if word == "a" else 0.25 for word in following)

    expected = Counter((t.target, round(t.score + bonus(t.target), 8)) for t in brute_force.derivations(forest))
    assert signature(intersect(forest, automaton).forest) == expected


def worked_example() -> Forest:
    """Five rules of a tiny hierarchical grammar with upper bounds of a bigram-like model on each word."""
    build = ForestBuilder()
    inner, outer, goal = build.add_node(1, 2), build.add_node(0, 2), build.add_node(0, 2)
    bound = {"a": 0.6, "b": 0.8, "</s>": 0.24, "<s>": 1.0}

    def rule(head: int, weight: float, target: list[str | int], tails: list[int]) -> None:
        score = math.log(weight) + sum(math.log(bound[word]) for word in target if isinstance(word, str))
        build.add_edge(head, target, tails, score=score)

    rule(outer, 0.45, ["a", 0], [inner])
    rule(outer, 0.55, [0, "a"], [inner])
    rule(inner, 0.6, ["b"], [])
    rule(inner, 0.4, ["a"], [])
    rule(goal, 1.0, ["<s>", 0, "</s>"], [outer])
    return build.finish(goal)


def test_refining_an_optimistic_forest() -> None:
    """Worked example in the manner of Aziz, Dymetman and Venkatapathy (2013): one context is made exact."""
    forest = worked_example()
    assert math.exp(forest.inside("log")) == pytest.approx(0.10368)
    refined = intersect(forest, Automaton.after(forest.words, ["<s>"], {"b": math.log(0.15 / 0.8)})).forest
    assert refined.edges == 7
    assert math.exp(refined.inside("log")) == pytest.approx(0.072792)
    assert math.exp(refined.inside("max")) == pytest.approx(0.031104)
    assert refined.best().target == ("<s>", "a", "b", "</s>")


def test_refining_until_the_forest_is_exact() -> None:
    """The same example, one context after the other: edges and mass after each, and the exact distribution at last."""
    order: list[tuple[str, dict[str, float], int, float]] = [
        ("<s>", {"b": 0.15 / 0.8}, 7, 0.072792),
        ("b", {"a": 0.45 / 0.6, "b": 0.36 / 0.8}, 10, 0.07101),
        ("a", {"a": 0.48 / 0.6}, 10, 0.064098),
        ("<s> a", {"a": 0.288 / 0.48, "</s>": 0.144 / 0.24}, 10, 0.0530388),
        ("a b", {"a": 0.315 / 0.45, "b": 0.252 / 0.36, "</s>": 0.7}, 10, 0.0437076),
        ("b a", {"b": 0.35 / 0.8}, 11, 0.0437076),
        ("a a", {"a": 0.32 / 0.48, "b": 0.5 / 0.8, "</s>": 0.16 / 0.24}, 11, 0.038178),
    ]
    forest = worked_example()
    for context, ratios, edges, mass in order:
        scores = {word: math.log(ratio) for word, ratio in ratios.items()}
        forest = intersect(forest, Automaton.after(forest.words, context, scores)).forest
        assert (forest.edges, forest.count()) == (edges, 4), context
        assert math.exp(forest.inside("log")) == pytest.approx(mass, rel=1e-6), context
    shares: Counter[str] = Counter()
    for derivation in forest.derivations():
        shares[" ".join(derivation.target[1:-1])] += math.exp(derivation.score) / 0.038178  # type: ignore[assignment]
    assert dict(shares) == pytest.approx({"a b": 0.570297, "a a": 0.289675, "b a": 0.140028}, abs=1e-6)


def test_mistakes_are_refused() -> None:
    forest, other = worked_example(), worked_example()
    with pytest.raises(InputError, match="number words differently"):
        intersect(forest, Automaton.of_strings(other.words, ["a"]))
    automaton = Automaton(forest.words)
    automaton.add_arc(0, "a", 0)
    with pytest.raises(InputError, match="two arcs for one word"):
        automaton.add_arc(0, "a", 0)
    with pytest.raises(InputError, match="state that does not exist"):
        automaton.add_arc(0, "b", 3)
    with pytest.raises(InputError, match="not a finite number"):
        automaton.set_otherwise(0, 0, math.nan)
    everything = Automaton(forest.words)
    everything.set_otherwise(0, 0)
    everything.set_final(0)
    with pytest.raises(InputError, match="more than 2 edges"):
        intersect(forest, everything, most_edges=2)
