"""Word graphs: reading them, and translating them against every path and every derivation."""

from __future__ import annotations

import contextlib
import json
import math
import random
import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import InputError, SettingError
from dragoman.search.lattice import Arc, Lattice, read_lattices
from tests.search.phrasal import Step, Tiny


def paths(lattice: Lattice) -> dict[tuple[str, ...], float]:
    """Every sequence of words, with its best score."""
    found: dict[tuple[str, ...], float] = {}

    def walk(node: int, words: tuple[str, ...], score: float) -> None:
        if node == lattice.nodes - 1:
            found[words] = max(found.get(words, -math.inf), score)
        for arc in lattice.arcs:
            if arc.start == node:
                walk(arc.end, (*words, arc.word), score + arc.score)

    walk(0, (), 0.0)
    return found


@st.composite
def arcs(draw: st.DrawFn) -> list[Arc]:
    nodes = draw(st.integers(2, 6))
    found = [Arc(node, node + 1, draw(st.sampled_from("abc")), -1.0) for node in range(nodes - 1)]
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, nodes - 2))
        end = draw(st.integers(start + 1, nodes - 1))
        found.append(Arc(start, end, draw(st.sampled_from(["a", "b", "c", "*EPS*"])), -draw(st.integers(0, 9)) / 4))
    return found


@given(arcs())
def test_arcs_without_words_change_no_path(given: list[Arc]) -> None:
    end = max(arc.end for arc in given)
    expected: dict[tuple[str, ...], float] = {}
    for words, score in paths(Lattice(tuple(given))).items():
        kept = tuple(word for word in words if word != "*EPS*")
        if kept:
            expected[kept] = max(expected.get(kept, -math.inf), score)
    lattice = Lattice.of(given, start=0, end=end)
    assert paths(lattice) == pytest.approx(expected)
    assert all(arc.start < arc.end for arc in lattice.arcs)
    assert list(lattice.arcs) == sorted(lattice.arcs)


def test_nodes_may_have_any_numbers() -> None:
    lattice = Lattice.of([Arc(7, 2, "a"), Arc(2, 9, "b"), Arc(7, 9, "c"), Arc(7, 30, "nowhere")], end=9)
    assert lattice.arcs == (Arc(0, 1, "a"), Arc(0, 2, "c"), Arc(1, 2, "b"))


def test_notations_say_the_same() -> None:
    plf = "((('a',0.5,1),('it\\'s',0.25,2),),(('b',1,1),),)"
    arcs = {"arcs": [[0, 1, "a", 0.5], [0, 2, "it's", 0.25], [1, 2, "b"]]}
    [one], [other] = read_lattices([plf], "plf"), read_lattices([json.dumps(arcs)], "json")
    assert one == other
    assert one.arcs[1] == Arc(0, 2, "it's", math.log(0.25))
    columns = {"columns": [[["a", 0.5], ["b", 0.5]], [["c"]]]}
    [network] = read_lattices([json.dumps(columns)], "json")
    assert len(network.arcs) == 3
    [costs] = read_lattices(["((('a',2,1),),)"], "plf", scores="cost")
    assert costs.arcs[0].score == -2


@pytest.mark.parametrize(
    ("text", "notation", "where", "what"),
    [
        ("((('a',0.5,1),", "plf", "line 3, character 14", "no '('"),
        ("((('a',0.5,0),),)", "plf", "line 3, character 3", "a circle"),
        ("((('a',0.5,2),),)", "plf", "line 3, character 3", "2 nodes ahead"),
        ("((('a',2,1),),)", "plf", "line 3, character 3", "no probability"),
        ("(((__import__('os'),2,1),),)", "plf", "line 3", "no lattice"),
        ("()", "plf", "line 3", "empty lattice"),
        ("", "plf", "line 3", "no '('"),
        ("((('*EPS*',1,1),),)", "plf", "line 3", "without a path of words"),
        ("{", "json", "line 3", "no JSON"),
        ('{"arcs": []}', "json", "line 3", "empty lattice"),
        (
            '{"arcs": [[0, 1, "a"], [1, 2, "b"], [2, 1, "c"], [2, 3, "d"]]}',
            "json",
            "line 3",
            "a circle, through node 1",
        ),
        ('{"arcs": [[0, 1, "a"], [1, 0, "b"]]}', "json", "line 3", "form a circle"),
        ('{"arcs": [[0, 1, "a"], [2, 1, "b"]]}', "json", "line 3", "2 nodes could be the first"),
        ('{"arcs": [[0, 1, "a b"]]}', "json", "line 3", "several words"),
        ('{"arcs": [[0, true, "a"]]}', "json", "line 3", "a node True"),
        ('{"columns": [[["a"]], []]}', "json", "line 3", "column 1"),
    ],
)
def test_what_is_no_lattice_is_refused(text: str, notation: str, where: str, what: str) -> None:
    with pytest.raises(InputError, match=re.escape(what)) as error:
        list(read_lattices([text], notation, first_line=3))
    assert error.value.where.startswith(where)


def test_unknown_notations_are_refused() -> None:
    with pytest.raises(SettingError, match="notation"):
        list(read_lattices(["()"], "xml"))
    with pytest.raises(SettingError, match="scores"):
        list(read_lattices(["()"], "plf", scores="bits"))


@given(st.text(alphabet="(),'a1.-\\ ", max_size=30))
def test_any_text_is_a_lattice_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        assert Lattice.parse_plf(text).arcs


def random_lattice(choose: random.Random, letters: str) -> Lattice:
    nodes = choose.randint(2, 5)
    found = [Arc(node, node + 1, choose.choice(letters), -choose.random()) for node in range(nodes - 1)]
    for _ in range(choose.randint(0, 4)):
        start = choose.randrange(nodes - 1)
        found.append(
            Arc(start, choose.randint(start + 1, nodes - 1), choose.choice([*letters, "*EPS*"]), -choose.random())
        )
    return Lattice.of(found, start=0, end=nodes - 1)


def brute_force(tiny: Tiny, lattice: Lattice, weight: float) -> float:
    """The best score over all paths between nodes, in any order that the distortion limit allows."""
    options: list[tuple[Step, float]] = []

    def walk(first: int, node: int, words: tuple[str, ...], score: float) -> None:
        if words:
            found = [(target, own) for (source, target), (own, _) in tiny.rules.items() if source == words]
            if len(words) == 1 and not found:
                found = [(words, -tiny.weights["unknown"])]
            for target, own in found:
                step = Step(first, node, target, frozenset())
                options.append((step, own + weight * score - 0.1 * len(target)))
        for arc in lattice.arcs:
            if arc.start == node and len(words) < 7:
                walk(first, arc.end, (*words, arc.word), score + arc.score)

    for node in range(lattice.nodes - 1):
        walk(node, node, (), 0.0)
    columns = ("x",) * (lattice.nodes - 1)
    return max(found.score + tiny.lm(found.target) for found in tiny._grow(columns, options, (), 0.0, tiny.limit))


@pytest.mark.parametrize("seed", range(4))
def test_search_finds_the_best_of_all_paths(seed: int, tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, seed)
    lattices = [random_lattice(tiny.random, tiny.source) for _ in range(15)]
    weighted = tiny.decoder.with_weights({**tiny.weights, "lattice": 0.5})
    for lattice, found in zip(lattices, weighted.translate_lattices(lattices, forests=True), strict=True):
        assert found.score == pytest.approx(brute_force(tiny, lattice, 0.5), abs=1e-6)
        assert found.rescore() == pytest.approx(found.score, abs=1e-6)
        assert found.source in paths(lattice)
        assert (
            tuple(word for p in sorted(found.phrases, key=lambda p: p.source_span) for word in p.source) == found.source
        )
        for derivation in found.nbest(5):
            other = found.with_derivation(derivation)
            assert other.source in paths(lattice)
            assert other.rescore() == pytest.approx(derivation.score, abs=1e-6)
            assert all(i < len(other.source) and j < len(other.target) for i, j in other.alignment)
        assert found.by_consensus(5).source in paths(lattice)


def test_a_single_path_is_a_sentence(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, 11)
    sentences = [tiny.sentence() for _ in range(20)]
    plain = tiny.decoder.translate([" ".join(words) for words in sentences])
    graphs = tiny.decoder.translate_lattices([Lattice.of_words(words) for words in sentences])
    for one, other in zip(plain, graphs, strict=True):
        assert (one.target, one.source, one.phrases) == (other.target, other.source, other.phrases)
        assert one.score == pytest.approx(other.score)


def test_sparse_templates_see_the_words_of_paths(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, 12)
    sentences = ["a b c", "b x a", "c c"]
    sparse = tiny.decoder.with_features(["rule:min_count=0"], tiny.weights)
    plain = sparse.translate(sentences)
    graphs = sparse.translate_lattices([Lattice.of_words(words.split()) for words in sentences])
    assert [each.features for each in plain] == [pytest.approx(each.features) for each in graphs]
    assert any(name.startswith("rule:") for name in plain[0].features)


def test_the_score_of_arcs_decides(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, 3)
    words = "abc"
    for one, other in product(words, words):
        sure = Lattice.of([Arc(0, 1, one, 0.0), Arc(0, 1, other, -50.0)] if one != other else [Arc(0, 1, one)])
        [found] = tiny.decoder.translate_lattices([sure])
        assert found.source == (one,)
    [apart] = tiny.decoder.translate_lattices([Lattice.of_words("abc")], monotone=True)
    assert [phrase.source_span[0] for phrase in apart.phrases] == sorted(p.source_span[0] for p in apart.phrases)


def test_words_are_pieces() -> None:
    lattice = Lattice.of_words(["ab", "c", "d"]).map_words(lambda word: [] if word == "d" else list(word))
    assert lattice.arcs[:2] == (Arc(0, 1, "a"), Arc(1, 2, "b"))
    assert paths(lattice) == {("a", "b", "c"): 0.0}
