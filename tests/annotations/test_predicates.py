"""Graphs to trees, and Universal Dependencies to predicates: worked examples and random graphs."""

from __future__ import annotations

import random
from contextlib import nullcontext

import pytest

from dragoman.annotations import MissingLayer, Sentence, conllu
from dragoman.annotations.picture import draw_tree
from dragoman.annotations.predicate_files import FORMS, trees_of
from dragoman.annotations.predicate_trees import PLAIN_WORDS, predicate_tree, predicate_trees
from dragoman.annotations.predicates import PredicateGraph, PredicateTree, UnreachedWords
from dragoman.errors import InputError

WORDS = ("like", "hillary", "be", "president", "at", "u.n.", "the")
ARCS = (
    (0, 1, "SUBJ"), (0, 2, "XCOMP"), (2, 1, "SUBJ"), (2, 3, "XCOMP"), (2, 4, "ADJ"), (3, 1, "SUBJ"), (4, 5, "OBJ"),
    (5, 6, "SPEC"),
)  # fmt: skip


def test_a_shared_argument_stays_with_its_highest_head() -> None:
    """Hillary liked being president at the U.N. (Graham and van Genabith 2010)."""
    expected = (-1, 0, 0, 2, 2, 4, 5)
    for arcs in (ARCS, ARCS[::-1]):
        for attach in ("dfs", "bfs"):
            assert PredicateGraph.of(WORDS, arcs).tree(attach=attach).heads == expected


def test_an_arc_to_what_was_reached_before_is_dropped_whatever_the_numbers() -> None:
    """Where clauses come first, the arc from like to Hillary runs from a lower to a higher number, and goes."""
    plain = [(head, end, "other") for head, end, _ in sorted(ARCS, key=lambda arc: -arc[1])]
    tree = PredicateGraph.of(WORDS, plain).tree()
    assert len(tree) == 7
    assert tree.heads[1] == 3


def test_random_graphs_become_trees() -> None:
    rng = random.Random(1)
    for _ in range(200):
        size = rng.randint(1, 9)
        arcs = [(rng.randrange(size), rng.randrange(size), rng.choice(["SUBJ", "COMP", "X"])) for _ in range(2 * size)]
        graph = PredicateGraph.of([f"w{n}" for n in range(size)], arcs, roots=[rng.randrange(size)])
        for attach in ("dfs", "bfs"):
            with pytest.warns(UnreachedWords) if not _reaches_all(graph) else nullcontext():
                tree = graph.tree(attach=attach)
            assert len(tree.preorder()) == size  # each node once, from the root


def _reaches_all(graph: PredicateGraph) -> bool:
    seen, agenda = set(graph.roots), list(graph.roots)
    while agenda:
        node = agenda.pop()
        for head, end, _ in graph.arcs:
            if head == node and end not in seen:
                seen.add(end)
                agenda.append(end)
    return len(seen) == len(graph.words)


def test_graphs_that_cannot_be_trees() -> None:
    with pytest.raises(InputError, match="cycle without a root"):
        PredicateGraph.of(["a", "b"], [(0, 1, "X"), (1, 0, "X")]).tree()
    with pytest.raises(InputError, match="2 roots"):
        PredicateGraph.of(["a", "b"], []).tree(several_roots=False)
    with pytest.raises(InputError, match="no root reaches b"):
        PredicateGraph.of(["a", "b"], [], roots=[0]).tree(unreachable=False)
    with pytest.raises(InputError, match="among 1 words"):
        PredicateGraph.of(["a"], [(0, 3, "X")])
    with pytest.raises(InputError, match="cycle"):
        PredicateTree(("a", "b"), (1, 0))


def parsed(text: str) -> Sentence:
    """Columns word/lemma/tag/head/relation, heads from 1."""
    rows = [row.split("/") for row in text.split()]
    lines = [f"{n}\t{w}\t{le}\t{p}\t_\t_\t{h}\t{r}\t_\t_" for n, (w, le, p, h, r) in enumerate(rows, 1)]
    return next(conllu.parse(lines))


def outline(text: str) -> str:
    return str(predicate_tree(parsed(text)))


def test_the_papers_sentence() -> None:
    found = outline(
        "Today/today/NOUN/3/obl:tmod Congress/congress/NOUN/3/nsubj passed/pass/VERB/0/root"
        " Obama/Obama/PROPN/8/nmod:poss 's/'s/PART/4/case health/health/NOUN/7/compound"
        " care/care/NOUN/8/compound bill/bill/NOUN/3/obj ././PUNCT/3/punct"
    )
    assert found == "pass\n  today\n  congress\n  bill\n    obama\n    care\n      health"


def test_modals_and_subjects() -> None:
    found = outline(
        "We/we/PRON/4/nsubj must/must/AUX/4/aux not/not/PART/4/advmod ask/ask/VERB/0/root to/to/PART/6/mark"
        " go/go/VERB/4/xcomp"
    )
    assert found == "must\n  we\n  not\n  ask\n    go"


def test_a_copula_below_a_modal() -> None:
    found = outline("It/it/PRON/5/nsubj would/would/AUX/5/aux be/be/AUX/5/cop a/a/DET/5/det debate/debate/NOUN/0/root")
    assert found == "would\n  it\n  be\n    debate\n      a"


def test_coordination_and_prepositions() -> None:
    found = outline(
        "Nobody/nobody/PRON/2/nsubj agrees/agree/VERB/0/root with/with/ADP/4/case points/point/NOUN/2/obl"
        " two/two/NUM/4/nummod and/and/CCONJ/7/cc three/three/NUM/5/conj"
    )
    assert found == "agree\n  nobody\n  with\n    point\n      and\n        two\n        three"
    both = outline(
        "go/go/VERB/0/root in/in/ADP/3/case Rome/Rome/PROPN/1/obl and/and/CCONJ/6/cc"
        " in/in/ADP/6/case Bonn/Bonn/PROPN/3/conj"
    )
    assert both == "go\n  and\n    in\n      rome\n    in\n      bonn"


def test_a_conjunction_before_a_clause_governs_it() -> None:
    found = outline("And/and/CCONJ/3/cc this/this/PRON/3/nsubj works/work/VERB/0/root")
    assert found == "and\n  work\n    this"


def test_plain_words_keep_the_tree() -> None:
    sentence = parsed("Dogs/_/NOUN/2/nsubj bark/bark/VERB/0/root !/!/PUNCT/2/punct")
    tree = predicate_tree(sentence, PLAIN_WORDS)
    assert tree.words == ("dogs", "bark", "!")
    assert tree.heads == sentence.dependencies.heads


def test_a_sentence_of_punctuation_has_no_tree() -> None:
    assert list(predicate_trees([parsed("!/!/PUNCT/0/root ?/?/PUNCT/1/punct")])) == []


def test_enhanced_graphs() -> None:
    lines = [
        "1\tHillary\tHillary\tPROPN\t_\t_\t2\tnsubj\t2:nsubj|4:nsubj\t_",
        "2\tlikes\tlike\tVERB\t_\t_\t0\troot\t0:root\t_",
        "3\tto\tto\tPART\t_\t_\t4\tmark\t4:mark\t_",
        "4\trun\trun\tVERB\t_\t_\t2\txcomp\t2:xcomp\t_",
        "4.1\tfast\tfast\tADV\t_\t_\t_\t_\t4:advmod\t_",
    ]
    [sentence] = conllu.parse(lines)
    graph = PredicateGraph.of_sentence(sentence, enhanced=True)
    assert len(graph.arcs) == 5
    assert str(graph.tree()) == "like\n  hillary\n  run\n    to\n    fast"
    with pytest.raises(InputError, match="not there"):
        PredicateGraph.of_sentence(next(conllu.parse([lines[0].replace("4:", "9:"), *lines[1:]])), enhanced=True)


def test_missing_layers_are_named() -> None:
    bare = Sentence.of(["Dogs", "bark"])
    for form in FORMS:
        if form != "strings":
            with pytest.raises(MissingLayer, match="no layer"):
                list(trees_of([bare], form))
    assert [tree.words for tree in trees_of([bare], "strings")] == [("dogs", "bark")]


def test_every_sentence_of_treebanks_becomes_a_tree(data: object) -> None:
    from pathlib import Path

    file = Path(str(data)) / "treebanks" / "ud" / "en_ewt-ud-dev.conllu.gz"
    if not file.exists():
        pytest.skip("no treebank")
    trees = list(predicate_trees(conllu.read(file)))
    assert len(trees) > 1900
    assert all(tree.heads.count(-1) >= 1 for tree in trees)


def test_a_tree_is_drawn() -> None:
    drawn = draw_tree(PredicateGraph.of(WORDS, ARCS).tree()).svg()
    assert all(f">{word}</text>" in drawn for word in WORDS)
