"""Labels of spans: every kind of tree, relaxed within a length, spelt for rules, drawn, and read from Moses' trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.annotations import Argument, Constituent, Frame, Sentence, Span, picture
from dragoman.annotations.corpus import read_annotations
from dragoman.annotations.shallow_trees import relaxed_nodes
from dragoman.annotations.span_labels import TREES, has_tree, layers_of, rule_label, span_labels
from dragoman.errors import FormatError, InputError


def full() -> Sentence:
    return Sentence.of(
        ["dogs", "like", "old", "bones"],
        pos=["NOUN", "VERB", "ADJ", "NOUN"],
        tags=["NNS", "VBP", "JJ", "NNS"],
        lemmas=["dog", "like", "old", "bone"],
        chunks=[Span("NP", 0, 1), Span("VP", 1, 2), Span("NP", 2, 4)],
        frames=[Frame(1, "", (Argument("A0", 0, 1), Argument("A1", 2, 4)))],
        constituents=Constituent("S", (Constituent("NP", (0,)), Constituent("VP", (1, Constituent("NP", (2, 3)))))),
        dependencies=([1, -1, 3, 1], ["nsubj", "root", "amod", "obj"]),
        nodes=[Span("GIVEN", 1, 3), Span("CROSSING", 2, 4)],
    )


@pytest.mark.parametrize(
    ("tree", "label"),
    [
        ("pos", "JJ+NNS"),
        ("chunk", "NP"),
        ("srl", "NP:A1:like"),
        ("srl-nonlex", "NP:A1"),
        ("constituents", "NP"),
        ("dependencies", "NP"),
        ("nodes", "CROSSING"),
    ],
)
def test_every_kind_of_tree_names_the_bones(tree: str, label: str) -> None:
    found = span_labels(full(), tree, relax=1)
    assert next(name for name, start, end in found if (start, end) == (2, 4)) == label
    assert set(layers_of(tree)) <= set(full().layers.to_dict())
    assert tree in TREES


def test_a_missing_layer_gives_no_labels() -> None:
    bare = Sentence.of(["dogs", "bark"], pos=["NOUN", "VERB"])
    assert span_labels(bare, "chunk") == ()
    assert not has_tree(bare, "srl")
    assert span_labels(bare, "pos", relax=0) == (("S", 0, 2), ("NOUN", 0, 1), ("VERB", 1, 2))
    assert span_labels(Sentence.of([]), "pos") == ()


def test_relaxing_within_a_length_is_all_relaxing_cut_to_it() -> None:
    sentence = full()
    whole = span_labels(sentence, "srl", relax=2)
    short = span_labels(sentence, "srl", relax=2, longest=2)
    assert set(short) < set(whole)
    assert {each for each in whole if each[2] - each[1] <= 2} <= set(short)


def test_every_word_needs_a_node() -> None:
    with pytest.raises(InputError, match="no node over word 2"):
        relaxed_nodes([("S", 0, 2), ("A", 0, 1)], 2)


def test_labels_are_spelt_so_that_rules_can_be_written() -> None:
    assert rule_label("a b[c]|<&~>") == "a_b-LSB-c-RSB--BAR--LT--AMP--TILDE--GT-"
    assert rule_label("X") == "-X-"
    assert rule_label("NP:A0:donate,intend+VP/NP") == "NP:A0:donate,intend+VP/NP"


def test_nodes_are_drawn_as_bars_and_none_hides_another() -> None:
    given = Sentence.of(["a", "b", "c"], nodes=[Span("AB", 0, 2), Span("BC", 1, 3), Span("C", 2, 3)])
    drawn = picture.draw(given).svg()
    assert all(f">{label}<" in drawn for label in ("AB", "BC", "C"))
    assert drawn.count("<rect") == 1 + 3


def test_trees_of_moses_become_nodes(tmp_path: Path) -> None:
    path = tmp_path / "trees.xml"
    path.write_text('<tree label="NP"> the dog </tree> barks <tree span="1-2" label="NN+VB"/>\n')
    [sentence] = read_annotations(path)
    assert sentence.words == ("the", "dog", "barks")
    assert sentence.nodes == (Span("NP", 0, 2), Span("NN+VB", 1, 3))
    assert Sentence.from_dict(sentence.to_dict()) == sentence
    path.write_text('ok\n<tree label="NP"> the dog\n')
    with pytest.raises(FormatError, match="NP is never closed") as told:
        list(read_annotations(path))
    assert "line 2" in str(told.value)
    with pytest.raises(InputError, match="'nodes' reaches token 2 of 2"):
        Sentence.of(["a", "b"], nodes=[Span("N", 0, 3)])
