"""Trees in the form of Moses: read what was written, and refuse what is broken with its place."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from dragoman.annotations import Sentence, moses_xml
from dragoman.annotations.projective import in_order, reordered
from dragoman.errors import FormatError, InputError
from tests.annotations.test_projective import random_tree

CAT = ["the", "black", "cat", "ate", "the", "rat"]
CAT_TREE = ([2, 2, 3, -1, 5, 3], ["det", "amod", "nsubj", "root", "det", "obj"])


def test_the_cat_ate_the_rat() -> None:
    """Graham (2013): heads stand bare among the brackets of their dependents."""
    assert moses_xml.format_dependencies(Sentence.of(CAT, dependencies=CAT_TREE)) == (
        '<tree label="X"> <tree label="X"> <tree label="X"> the </tree> <tree label="X"> black </tree> cat </tree> ate '
        '<tree label="X"> <tree label="X"> the </tree> rat </tree> </tree>'
    )
    found = moses_xml.parse_line(
        moses_xml.format_dependencies(Sentence.of(CAT, dependencies=CAT_TREE), labels="deprel")
    )
    assert found.words == tuple(CAT)
    assert found.nodes == (
        ("root", 0, 6),
        ("nsubj", 0, 3),
        ("det", 0, 1),
        ("amod", 1, 2),
        ("obj", 4, 6),
        ("det", 4, 5),
    )


def test_special_letters_come_back(tmp_path: Path) -> None:
    words, nodes = ["a|b", "[X]", "<s>", "R&D", '"'], (("NP|<", 0, 2), ("A+B", 1, 5))
    line = moses_xml.format_spans(words, nodes)
    assert "|" not in line
    assert "[" not in line
    moses_xml.write([line, ""], tmp_path / "t.xml")
    first, second = moses_xml.read(tmp_path / "t.xml")
    assert (first.words, first.nodes) == (tuple(words), nodes)
    assert (second.words, second.nodes) == ((), ())


def test_constituents_in_nested_form() -> None:
    from dragoman.annotations.brackets import parse_tree

    tree = parse_tree("(S (NP (DT the) (NN dog)) (VP (VBZ barks)))")
    line = moses_xml.format_tree(tree)
    assert moses_xml.parse_line(line).nodes == (
        ("S", 0, 3),
        ("NP", 0, 2),
        ("DT", 0, 1),
        ("NN", 1, 2),
        ("VP", 2, 3),
        ("VBZ", 2, 3),
    )
    assert moses_xml.parse_line(moses_xml.format_tree(tree, tags=False)).nodes == tuple(tree.constituents.spans())


@pytest.mark.parametrize("seed", range(20))
def test_dependency_trees_come_back_as_their_subtrees(seed: int) -> None:
    tree = random_tree(Random(seed), 7)
    tree = reordered(tree, in_order(tree))
    sentence = Sentence.of([f"w{i}" for i in range(7)], dependencies=tree)
    found = moses_xml.parse_line(moses_xml.format_dependencies(sentence))
    assert sorted(found.nodes) == sorted(("X", tree.subtree(w)[0], tree.subtree(w)[-1] + 1) for w in range(7))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('<tree label="NP"> a', "NP is never closed"),
        ("a </tree>", "without its <tree>"),
        ('<tree label="NP"> </tree> a', "covers no word"),
        ("<tree> a </tree>", "is no tree"),
        ('<b label="NP"> a </tree>', "is no tree"),
        ('a <tree span="0-3" label="NP"/>', "covers words 0 to 3 of 1"),
        ('a <tree label="NP"/>', "has no span"),
        ("a < b", "part of no tag"),
    ],
)
def test_broken_trees_are_refused_with_their_line(line: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "t.xml"
    path.write_text(f"fine\n{line}\n", "utf-8")
    with pytest.raises(FormatError, match=said) as error:
        list(moses_xml.read(path))
    assert "line 2" in str(error.value)


def test_crossing_arcs_cannot_be_brackets() -> None:
    crossing = Sentence.of(list("abc"), dependencies=([2, -1, 1], ["x", "root", "y"]))
    with pytest.raises(InputError, match="crossing arcs"):
        moses_xml.format_dependencies(crossing)
