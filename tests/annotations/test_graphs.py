"""Dependency graphs: what collapsing joins, takes into labels, shares and leaves out."""

from __future__ import annotations

from dragoman.annotations import Sentence, Span
from dragoman.annotations.graphs import COLLAPSED, PLAIN, Collapsing, DependencyGraph


def relations(graph: DependencyGraph) -> set[tuple[str, str, str]]:
    return {(label, graph.nodes[up].word, graph.nodes[down].word) for up, down, label in graph.edges}


SALES = Sentence.of(
    ["Sales", "in", "spite", "of", "this", "rose", "to", "$", "5", ",", "and", "fell", "."],
    pos=["NOUN", "ADP", "NOUN", "ADP", "PRON", "VERB", "ADP", "SYM", "NUM", "PUNCT", "CCONJ", "VERB", "PUNCT"],
    dependencies=(
        [5, 4, 1, 1, 5, -1, 7, 5, 7, 11, 11, 5, 5],
        ["nsubj", "case", "fixed", "fixed", "obl", "root", "case", "obl", "nummod", "punct", "cc", "conj", "punct"],
    ),
)


def test_plain_graphs_are_the_tree() -> None:
    graph = DependencyGraph.of([SALES], PLAIN)
    assert [node.word for node in graph] == list(SALES.words)
    assert [(e.governor, e.dependent, e.label) for e in graph.edges] == [
        (head, at, label)
        for at, (head, label) in enumerate(zip(SALES.dependencies.heads, SALES.dependencies.labels, strict=True))
        if head >= 0
    ]
    assert graph.roots == (5,)


def test_function_words_go_into_labels_and_punctuation_goes() -> None:
    graph = DependencyGraph.of([SALES], COLLAPSED)
    assert relations(graph) == {
        ("nsubj", "rose", "Sales"),
        ("obl:in_spite_of", "rose", "this"),
        ("obl:to", "rose", "$"),
        ("nummod", "$", "5"),
        ("conj:and", "rose", "fell"),
    }
    assert graph.nodes[graph.node_of[0, 7]].marker == "to"


def test_conjuncts_share_subjects_and_infinitives_have_one() -> None:
    shared = DependencyGraph.of([SALES], Collapsing(shared=True))
    assert ("nsubj", "fell", "Sales") in relations(shared)
    tried = Sentence.of(["He", "tried", "to", "run"], dependencies=([1, -1, 3, 1], ["nsubj", "root", "mark", "xcomp"]))
    assert ("nsubj", "run", "He") in relations(DependencyGraph.of([tried], Collapsing(shared=True)))


def test_entities_particles_and_collocations_are_one_node() -> None:
    sentence = Sentence.of(
        ["Banco", "do", "Brasil", "gave", "up", "the", "power", "plant"],
        lemmas=["Banco", "do", "Brasil", "give", "up", "the", "power", "plant"],
        pos=["PROPN", "ADP", "PROPN", "VERB", "ADP", "DET", "NOUN", "NOUN"],
        dependencies=(
            [3, 2, 0, -1, 3, 7, 7, 3],
            ["nsubj", "case", "nmod", "root", "compound:prt", "det", "compound", "obj"],
        ),
        entities=[Span("ORG", 0, 3)],
    )
    graph = DependencyGraph.of(
        [sentence], Collapsing(names=True, particles=True, collocations={"power plant"}.__contains__)
    )
    assert [node.word for node in graph] == ["Banco do Brasil", "gave up", "the", "power plant"]
    assert graph.nodes[0].ner == "ORG"
    assert graph.nodes[1].lemma == "give up"
    assert relations(graph) == {
        ("nsubj", "gave up", "Banco do Brasil"),
        ("obj", "gave up", "power plant"),
        ("det", "power plant", "the"),
    }


def test_several_sentences_are_a_forest() -> None:
    one = Sentence.of(["Dogs", "bark"], dependencies=([1, -1], ["nsubj", "root"]))
    graph = DependencyGraph.of([one, one])
    assert graph.roots == (1, 3)
    assert graph.nodes[2].sentence == 1
    assert graph.distances[0] == {0: 0, 1: 1}
    assert graph.below(3) == {2, 3}
    assert graph.above(0) == {0, 1}
