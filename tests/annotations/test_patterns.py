"""Patterns: results are those of brute force on random graphs, errors point at the character."""

from __future__ import annotations

import random
from itertools import product

import pytest

from dragoman.annotations import Sentence
from dragoman.annotations.graphs import COLLAPSED, DependencyGraph, GraphEdge, GraphNode
from dragoman.annotations.layers import EMPTY
from dragoman.annotations.pattern_syntax import (
    Alternatives,
    NodeTest,
    PatternError,
    PatternTree,
    Relation,
    Step,
    WantedValue,
    parse_pattern,
)
from dragoman.annotations.patterns import AlignedGraphs, Pattern
from dragoman.annotations.sentence import MissingLayer
from dragoman.errors import InputError

LABELS = ("x", "y", "z")
WORDS = ("a", "b")


def random_graph(choose: random.Random) -> DependencyGraph:
    """Any edges at all: several governors, cycles, none."""
    size = choose.randint(1, 6)
    nodes = tuple(GraphNode(at, 0, (at,), at, choose.choice(WORDS), "", "", "", "", EMPTY) for at in range(size))
    pairs = [(up, down) for up in range(size) for down in range(size) if up != down]
    edges = tuple(
        GraphEdge(up, down, choose.choice(LABELS)) for up, down in pairs for _ in range(2) if choose.random() < 0.2
    )
    return DependencyGraph(nodes, tuple(dict.fromkeys(edges)), (0,), (), frozenset(["dependencies"]))


def random_pattern(choose: random.Random, depth: int = 2, *, plain: bool = False, aligned: bool = False) -> PatternTree:
    attributes = ((("word", WantedValue(choose.choice(WORDS))),)) if choose.random() < 0.3 else ()
    node = NodeTest(attributes, choose.random() < 0.05, choose.choice(["", "", "n", "m", "k"]))
    if depth == 0 or choose.random() < 0.2:
        return PatternTree(node)

    def step() -> Step:
        operator = choose.choice([">", "<", ">>", "<<", *(["@"] if aligned else [])])
        label = None if operator == "@" or choose.random() < 0.3 else WantedValue(choose.choice(LABELS))
        return Step(operator, label, random_pattern(choose, depth - 1, plain=plain, aligned=aligned))

    def relation() -> Relation:
        mark = "" if plain else choose.choice(["", "", "!", "?"])
        if not plain and choose.random() < 0.2:
            options = tuple((Relation(step()),) for _ in range(choose.randint(1, 2)))
            return Relation(Alternatives(options), mark)
        return Relation(step(), mark)

    count = 1 if plain or choose.random() < 0.6 else 2
    options = tuple(tuple(relation() for _ in range(choose.randint(1, 2))) for _ in range(count))
    return PatternTree(node, Alternatives(options))


def related(graphs: tuple[DependencyGraph, ...], links: frozenset[tuple[int, int]], step: Step) -> set[object]:
    """All pairs that an operator relates, from the closure of the edges as a table."""
    if step.operator == "@":
        return {((0, h), (1, t)) for h, t in links} | {((1, t), (0, h)) for h, t in links}
    found: set[object] = set()
    for side, graph in enumerate(graphs):
        size = len(graph)
        reach = [
            [up == down or (up, down) in {e[:2] for e in graph.edges} for down in range(size)] for up in range(size)
        ]
        for middle, up, down in product(range(size), repeat=3):
            reach[up][down] = reach[up][down] or (reach[up][middle] and reach[middle][down])
        for up, down, label in graph.edges:
            if step.label is not None and step.label.text != label:
                continue
            for top in range(size):
                direct = step.operator in (">", "<")
                if (top == up) if direct else reach[top][up]:
                    pair = ((side, top), (side, down))
                    found.add(pair if step.operator in (">", ">>") else pair[::-1])
    return found


Graphs = tuple[DependencyGraph, ...]
Links = frozenset[tuple[int, int]]
Place = tuple[int, int]
Names = dict[str, Place]


def holds(graphs: tuple[DependencyGraph, ...], node: NodeTest, place: tuple[int, int]) -> bool:
    found = graphs[place[0]].nodes[place[1]]
    return (not node.root or place[1] == 0) and all(value.text == found.word for _, value in node.attributes)


def slots(tree: PatternTree) -> list[PatternTree]:
    if tree.relations is None:
        return [tree]
    [option] = tree.relations.options
    return [tree, *(slot for relation in option for slot in slots(relation.of.target))]  # type: ignore[union-attr]


def steps(tree: PatternTree) -> list[tuple[PatternTree, Step]]:
    if tree.relations is None:
        return []
    [option] = tree.relations.options
    found = []
    for relation in option:
        assert isinstance(relation.of, Step)
        found += [(tree, relation.of), *steps(relation.of.target)]
    return found


def found_by(pattern: str, graphs: DependencyGraph | AlignedGraphs) -> list[tuple[int, tuple[tuple[str, object], ...]]]:
    return [(match.node.index, tuple(sorted(match.places.items()))) for match in Pattern(pattern).find(graphs)]


def test_conjunctions_are_what_all_tuples_of_nodes_give() -> None:
    choose = random.Random(1)
    several = 0
    for _ in range(150):
        graph, tree = random_graph(choose), random_pattern(choose, plain=True)
        operands = slots(tree)
        if len(operands) > 5:
            continue
        tables = [(up, step, related((graph,), frozenset(), step)) for up, step in steps(tree)]
        number = {id(operand): at for at, operand in enumerate(operands)}
        expected = set()
        for nodes in product(range(len(graph)), repeat=len(operands)):
            names: dict[str, int] = {}
            for operand, at in zip(operands, nodes, strict=True):
                if not holds((graph,), operand.node, (0, at)):
                    break
                if operand.node.name and names.setdefault(operand.node.name, at) != at:
                    break
            else:
                if all(
                    ((0, nodes[number[id(up)]]), (0, nodes[number[id(step.target)]])) in table
                    for up, step, table in tables
                ):
                    expected.add((nodes[0], tuple(sorted((name, (0, at)) for name, at in names.items()))))
        given = found_by(str(tree), graph)
        assert len(given) == len(set(given)), "a binding twice"
        assert set(given) == expected, (str(tree), str(graph))
        several += len(expected) > 1
    assert several > 20


def brute(graphs: Graphs, links: Links, tree: PatternTree, place: Place, names: Names) -> list[Names]:
    """The meaning of the whole language by trying every node of every graph as the target of every step."""
    if not holds(graphs, tree.node, place) or names.get(tree.node.name, place) != place:
        return []
    names = {**names, tree.node.name: place} if tree.node.name else names
    if tree.relations is None:
        return [names]
    return [e for option in tree.relations.options for e in brute_all(graphs, links, option, place, names)]


def brute_all(graphs: Graphs, links: Links, relations: tuple[Relation, ...], place: Place, names: Names) -> list[Names]:
    ways = [names]
    for relation in relations:
        after: list[Names] = []
        for way in ways:
            if isinstance(relation.of, Step):
                table = related(graphs, links, relation.of)
                every = [(side, at) for side, graph in enumerate(graphs) for at in range(len(graph))]
                made = [
                    e for to in every if (place, to) in table for e in brute(graphs, links, relation.of.target, to, way)
                ]
            else:
                made = [e for option in relation.of.options for e in brute_all(graphs, links, option, place, way)]
            after += {"": made, "!": [] if made else [way], "?": made or [way]}[relation.mark]
        ways = after
    return ways


@pytest.mark.parametrize("aligned", [False, True])
def test_the_whole_language_is_what_brute_force_gives(aligned: bool) -> None:
    choose = random.Random(2)
    tried = 0
    while tried < 150:
        tree = random_pattern(choose, aligned=aligned)
        try:
            parse_pattern(str(tree))
        except PatternError:
            continue
        tried += 1
        graphs: Graphs = tuple(random_graph(choose) for _ in range(2 if aligned else 1))
        links = frozenset(
            (h, t) for h in range(len(graphs[0])) for t in range(len(graphs[-1])) if aligned and choose.random() < 0.3
        )
        expected = {
            (at, tuple(sorted(names.items())))
            for at in range(len(graphs[0]))
            for names in brute(graphs, links, tree, (0, at), {})
        }
        given = found_by(str(tree), AlignedGraphs(graphs[0], graphs[1], links) if aligned else graphs[0])
        assert len(given) == len(set(given))
        assert set(given) == expected, str(tree)


def test_a_pattern_that_is_printed_and_read_is_the_same() -> None:
    choose = random.Random(3)
    for _ in range(300):
        try:
            once = parse_pattern(str(random_pattern(choose, 3)))
        except PatternError:
            continue
        assert parse_pattern(str(once)) == once


def test_mirrors_and_inclusions() -> None:
    choose = random.Random(4)
    for _ in range(50):
        graph = random_graph(choose)
        down = {(m["a"].index, m["b"].index) for m in Pattern("{}=a >x {}=b").find(graph)}
        up = {(m["b"].index, m["a"].index) for m in Pattern("{}=a <x {}=b").find(graph)}
        far = {(m["a"].index, m["b"].index) for m in Pattern("{}=a >>x {}=b").find(graph)}
        assert down == up <= far
        some = {m.node.index for m in Pattern("{} >x {}").find(graph)}
        none = {m.node.index for m in Pattern("{} !>x {}").find(graph)}
        assert some | none == set(range(len(graph)))
        assert not some & none


@pytest.mark.parametrize(
    ("pattern", "position", "what"),
    [
        ("{word:run", 0, "never closed"),
        ("{wrod:run}", 1, "no attribute is called 'wrod'"),
        ("{} >nsubj", 9, "a node is missing"),
        ("{} >nsubj {} )", 13, "closes nothing"),
        ("{word:/(/}", 7, "not a regular expression"),
        ("{} !>x {}=a >y {}=a", 18, "inside a negation"),
        ("{} @x {}", 3, "no label"),
        ("{} [>x {}", 9, "']' is missing"),
        ("{}= >x {}", 3, "a name is missing"),
        ("", 0, "a node is missing"),
        ("(" * 60, 50, "brackets"),
    ],
)
def test_errors_point_at_the_character(pattern: str, position: int, what: str) -> None:
    with pytest.raises(PatternError, match=what.replace("(", r"\(")) as caught:
        Pattern(pattern)
    assert caught.value.position == position
    assert str(caught.value).splitlines()[2].startswith("  " + " " * position + "^")


CLINTON = Sentence.of(
    ["Bill", "Clinton", "is", "married", "to", "Hillary"],
    lemmas=["Bill", "Clinton", "be", "marry", "to", "Hillary"],
    pos=["PROPN", "PROPN", "AUX", "VERB", "ADP", "PROPN"],
    dependencies=([3, 0, 3, -1, 5, 3], ["nsubj:pass", "flat", "aux:pass", "root", "case", "obl"]),
)
WIFE = Sentence.of(
    ["Bill", "Clinton", "'s", "wife", "Hillary", "smiled"],
    lemmas=["Bill", "Clinton", "'s", "wife", "Hillary", "smile"],
    pos=["PROPN", "PROPN", "PART", "NOUN", "PROPN", "VERB"],
    dependencies=([3, 0, 0, 5, 3, -1], ["nmod:poss", "flat", "case", "nsubj", "appos", "root"]),
)


def test_a_rule_over_an_aligned_pair() -> None:
    """Chambers et al. (2007): "X is married to Y" follows from "X's wife Y"."""
    hypothesis, text = (DependencyGraph.of([sentence], COLLAPSED) for sentence in (CLINTON, WIFE))
    words = [[node.word for node in graph] for graph in (hypothesis, text)]
    assert words == [["Bill Clinton", "is", "married", "Hillary"], ["Bill Clinton", "wife", "Hillary", "smiled"]]
    pair = AlignedGraphs(hypothesis, text, frozenset([(0, 0), (3, 2)]))
    rule = Pattern(
        "({}=x <nsubj:pass ({word:married} >obl:to {}=y)) @ ({} <nmod:poss ({lemma:/wife|husband/} >appos {}=z))"
    )
    [match] = rule.find(pair)
    assert (match["x"].word, match["y"].word, match["z"].word) == ("Bill Clinton", "Hillary", "Hillary")
    assert (match.places["y"], match.places["z"]) == ((0, 3), (1, 2))
    assert (3, 2) in pair.links, "y and z correspond, so the marriage is stated"


def test_what_cannot_be_asked_is_an_error() -> None:
    graph = DependencyGraph.of([Sentence.of(["Dogs", "bark"], dependencies=([1, -1], ["nsubj", "root"]))])
    with pytest.raises(InputError, match="no alignment"):
        list(Pattern("{} @ {}").find(graph))
    with pytest.raises(MissingLayer, match="'lemmas'"):
        list(Pattern("{lemma:dog}").find(graph))
    with pytest.raises(InputError, match="lies outside"):
        AlignedGraphs(graph, graph, frozenset([(0, 2)]))


def test_values() -> None:
    sentence = Sentence.of(["Dogs", "bark"], morphology=["Number=Plur", "_"], dependencies=([1, -1], ["nsubj", "root"]))
    graph = DependencyGraph.of([sentence])

    def found(text: str, **how: bool) -> list[str]:
        return [match.node.word for match in Pattern(text, **how).find(graph)]

    assert found("{Number:Plur}") == ["Dogs"]
    assert found("{idx:2}") == found("{$}") == found("{deprel:root}") == ["bark"]
    assert found("{word:dogs}") == []
    assert found("{word:dogs}", ignore_case=True) == ["Dogs"]
    assert found("{word:/og/}") == ["Dogs"]
    assert found("{word:/og/}", fullmatch=True) == []
    assert found('{word:"Dogs"}') == ["Dogs"]
