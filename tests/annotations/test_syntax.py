"""Tags, lemmas, trees and words, learnt from a tiny treebank and, where it is at hand, from a real one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.annotations import Sentence, conllu, lemmas
from dragoman.annotations.learners import TreeParser
from dragoman.annotations.scoring import score
from dragoman.annotations.segmenter import Segmenter
from dragoman.annotations.syntax import Syntax, SyntaxSettings
from dragoman.annotations.training import stripped
from dragoman.errors import InputError


def test_a_tiny_treebank_is_learnt(syntax: Syntax, unseen: list[Sentence]) -> None:
    scores = score(unseen, syntax.annotate([stripped(sentence, syntax) for sentence in unseen]))
    assert scores["UPOS"].f1 > 0.88
    assert scores["lemmas"].f1 > 0.85
    assert scores["LAS"].f1 > 0.7


def test_raw_text_is_divided_as_the_treebank_has_it(syntax: Syntax, unseen: list[Sentence]) -> None:
    found = syntax.tokenize([sentence.text for sentence in unseen])
    assert score(unseen, found)["words"].f1 > 0.99
    for sentence in found:
        assert all(sentence.text[token.start : token.end] == token.text for token in sentence.tokens)


def test_threads_and_a_second_training_change_nothing(treebank: list[Sentence], tmp_path: Path) -> None:
    for threads in (1, 3):
        Syntax.train(treebank[:60], SyntaxSettings(epochs=2, beam=3), threads=threads).save(tmp_path / str(threads))
    for file in (tmp_path / "1").glob("*.npy"):
        assert file.read_bytes() == (tmp_path / "3" / file.name).read_bytes()


def test_several_words_in_one_token() -> None:
    rows = [("Ich", "Ich"), ("bin", "bin")]
    lines = [
        "# text = Ich bin im Zug.",
        *(f"{n}\t{w}\t{w}\tX\t_\t_\t{n - 1}\tdep\t_\t_" for n, (w, _) in enumerate(rows, 1)),
        "3-4\tim\t_\t_\t_\t_\t_\t_\t_\t_",
        "3\tin\tin\tADP\t_\t_\t5\tcase\t_\t_",
        "4\tdem\tder\tDET\t_\t_\t5\tdet\t_\t_",
        "5\tZug\tZug\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No",
        "6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_",
    ]
    [sentence] = conllu.parse(lines)
    segmenter = Segmenter.train([sentence] * 5, epochs=3)
    [divided] = segmenter.divide(["Ich bin im Zug."])
    assert divided.words == sentence.words
    assert [(token.start, token.end) for token in divided.tokens[2:4]] == [(8, 10), (8, 10)]
    assert conllu.format_sentence(divided).splitlines()[2].startswith("3-4\tim")


def test_crossing_arcs_are_learnt() -> None:
    """A parser without swaps could not give this tree back: two arcs cross."""
    words = ["A", "hearing", "is", "scheduled", "on", "the", "issue", "today"]
    heads = (1, 3, 3, -1, 6, 6, 1, 3)
    labels = ("det", "nsubj", "aux", "root", "case", "det", "nmod", "advmod")
    parser = TreeParser.train([words] * 3, ([words] * 3, [words] * 3), [(heads, labels)] * 3, beam=4, epochs=5)
    assert parser.parse([words], ([words], [words])) == [(heads, labels)]


def test_a_treebank_without_trees_is_refused() -> None:
    with pytest.raises(InputError, match="sentence 1 of the treebank"):
        Syntax.train([Sentence.of(["a"])])
    with pytest.raises(InputError, match="without sentences"):
        Syntax.train([])


WORDS = st.text(
    st.characters(exclude_characters="\n\r \x1f", exclude_categories=["Cs", "Zs", "Cc"]), min_size=1, max_size=12
)


@given(WORDS, WORDS)
def test_rules_make_the_lemma_they_were_made_from(word: str, lemma: str) -> None:
    assert lemmas.apply(word, lemmas.rule(word, lemma)) == lemma


def test_agreement_with_a_real_treebank(data: Path) -> None:
    """A tenth of English-EWT is enough to see that nothing is wrong with features or search."""
    folder = data / "treebanks" / "ud"
    train = list(conllu.read(folder / "en_ewt-ud-train.conllu.gz"))[::20]
    test = list(conllu.read(folder / "en_ewt-ud-dev.conllu.gz"))[::10]
    syntax = Syntax.train(train, SyntaxSettings(epochs=3, beam=4, folds=2))
    scores = score(test, syntax.annotate([stripped(sentence, syntax) for sentence in test]))
    assert scores["UPOS"].f1 > 0.85
    assert scores["LAS"].f1 > 0.60
