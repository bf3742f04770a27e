"""Penn brackets: trees in, the same trees out; switches for functions and traces."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.annotations import Sentence, Token, brackets
from dragoman.annotations.offsets import locate_loosely, transfer
from dragoman.errors import DragomanError, FormatError
from dragoman.files import read_lines

TREE = (
    "( (S (NP-SBJ-1 (DT The) (NN dog)) (VP (VBZ barks) (NP (-NONE- *-1)) (-LRB- -LRB-) (ADVP (RB now)) (-RRB- -RRB-))))"
)


def test_clean_reading() -> None:
    sentence = brackets.parse_tree(TREE)
    assert sentence.words == ("The", "dog", "barks", "(", "now", ")")
    assert brackets.format_tree(sentence) == (
        "(S (NP (DT The) (NN dog)) (VP (VBZ barks) (-LRB- -LRB-) (ADVP (RB now)) (-RRB- -RRB-)))"
    )
    assert ("NP", 0, 2) in list(sentence.constituents.spans())


def test_everything_can_be_kept() -> None:
    kept = brackets.parse_tree(TREE, functions=True, traces=True, wrapped=True)
    assert brackets.format_tree(kept).replace("((", "( (") == TREE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (NP (DT The))", "lacks 1 \\)"),
        ("(S (DT The)))", "a \\) without its"),
        ("word", "outside of any bracket"),
        ("(S The (NN dog))", "not alone in the bracket"),
        ("(S (NN dog cat))", "not alone in the bracket"),
    ],
)
def test_errors_name_line_and_column(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        list(brackets.parse(["(A (B c))", text], name="f"))
    assert "f, line 2, column" in str(caught.value)


def test_sentences_without_a_parse() -> None:
    assert list(brackets.parse(["", "(())"])) == [None, None]
    assert brackets.format_tree(None) == "(())"


def test_a_tree_over_several_lines(tmp_path: Path) -> None:
    file = tmp_path / "x.trees"
    file.write_text("(S (NP (NN a))\n   (VP (VB b)))\n(X (Y z))\n", "utf-8")
    trees = [tree for tree in brackets.read(file) if tree is not None]
    assert [tree.words for tree in trees] == [("a", "b"), ("z",)]
    assert brackets.write(trees, tmp_path / "y.trees") == 2


@given(st.text(alphabet="() ab-", max_size=40))
def test_any_text_gives_trees_or_our_error(text: str) -> None:
    try:
        for tree in brackets.parse([text]):
            if tree is not None:
                again = brackets.parse_tree(brackets.format_tree(tree), wrapped=True)
                assert again.words == tree.words
    except DragomanError:
        pass


@pytest.mark.slow
def test_the_penn_sample_round_trips(data: Path) -> None:
    for file in sorted((data / "treebanks" / "penn-sample").glob("*.trees*")):
        lines = list(read_lines(file))
        trees = list(brackets.parse(lines, functions=True, traces=True, wrapped=True))
        assert [brackets.format_tree(tree) for tree in trees] == lines
        assert all(isinstance(tree, Sentence) for tree in brackets.parse(lines[:50]))


def test_trees_over_other_tokens() -> None:
    """Marton (2009): a preposition that is written with its noun leaves PP and NP over the same word."""
    tree = brackets.parse_tree("(S (PP (IN w) (NP (NN albyt))) (VP (VBD kan)))")
    tree = Sentence("walbyt kan", (Token("w", 0, 1), Token("albyt", 1, 6), Token("kan", 7, 10)), tree.layers)
    laid = transfer(tree, locate_loosely(["walbyt", "ka", "n"], "walbyt kan")).sentence
    assert list(laid.constituents.spans()) == [("S", 0, 3), ("PP", 0, 1), ("NP", 0, 1), ("VP", 1, 3)]
    assert brackets.format_tree(laid).startswith("(S (PP (NP (")
