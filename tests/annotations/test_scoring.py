"""LayerScores by worked examples that the shared tasks' definitions decide."""

from __future__ import annotations

import pytest

from dragoman.annotations import Argument, Frame, Sentence, Span, brackets
from dragoman.annotations.scoring import score
from dragoman.errors import LengthMismatch


def test_words_that_are_divided_otherwise() -> None:
    """Gold `do n't go`, given `don't go`: one word of three and of two is the same."""
    gold = Sentence.of(["do", "n't", "go"], text="don't go", pos=["AUX", "PART", "VERB"])
    given = Sentence.of(["don't", "go"], text="don't go", pos=["AUX", "VERB"])
    scores = score([gold], [given])
    assert (scores["words"].right, scores["words"].gold, scores["words"].given) == (1, 3, 2)
    assert scores["UPOS"].f1 == pytest.approx(2 * 1 / 5)


def test_subtypes_of_labels_do_not_count() -> None:
    gold = Sentence.of(["it", "rains"], dependencies=([1, -1], ["nsubj:expl", "root"]))
    given = Sentence.of(["it", "rains"], dependencies=([1, -1], ["nsubj", "root"]))
    wrong = Sentence.of(["it", "rains"], dependencies=([-1, 0], ["root", "nsubj"]))
    assert score([gold], [given])["LAS"].f1 == 1
    assert score([gold, gold], [given, wrong])["UAS"].f1 == 0.5


def test_spans_count_whole() -> None:
    gold = Sentence.of(["a", "b", "c", "d"], chunks=[Span("NP", 0, 2), Span("VP", 2, 3)])
    given = Sentence.of(["a", "b", "c", "d"], chunks=[Span("NP", 0, 1), Span("VP", 2, 3), Span("NP", 3, 4)])
    found = score([gold], [given])["chunks"]
    assert found.precision == pytest.approx(1 / 3)
    assert found.recall == 0.5


def test_continued_arguments_count_once_and_spelling_does_not() -> None:
    gold = Frame(1, "say.01", (Argument("ARG1", 0, 1), Argument("C-ARG1", 3, 5), Argument("ARGM-TMP", 2, 3)))
    same = Frame(1, "say.01", (Argument("A1", 0, 1), Argument("AM-TMP", 2, 3), Argument("C-A1", 3, 5)))
    half = Frame(1, "say.02", (Argument("A1", 0, 1),))
    words = ["a", "said", "then", "b", "c"]
    truth = Sentence.of(words, frames=[gold])
    assert score([truth], [Sentence.of(words, frames=[same])])["roles"].f1 == 1
    scores = score([truth], [Sentence.of(words, frames=[half])])
    assert scores["roles"].right == 0
    assert (scores["predicates"].f1, scores["senses"].f1) == (1, 0)


def test_constituents_without_punctuation_and_top() -> None:
    gold = brackets.parse_tree("(TOP (S (NP (NN a)) (VP (VB b) (NP (NN c))) (. .)))", wrapped=True)
    given = brackets.parse_tree("(S (NP (NN a)) (VP (VB b)) (NP (NN c)) (. .))")
    found = score([gold], [given])["constituents"]
    assert (found.right, found.gold, found.given) == (3, 4, 4)


def test_as_many_sentences_as_gold() -> None:
    with pytest.raises(LengthMismatch, match="0 sentences against 1"):
        score([Sentence.of(["a"])], [])
