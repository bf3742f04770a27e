"""Tags, lemmas, trees and words, learnt from a tiny treebank and, where it is at hand, from a real one."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.annotations import Sentence, conllu, lemmas
from dragoman.annotations.learners import _APART, SequenceTagger, TreeParser
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


def test_copies_that_were_never_wrong_are_averaged_as_well() -> None:
    """One label is always right, so that no copy has a weight: lemmas of a treebank whose lemmas are its words."""
    sentences = [["dogs", "bark"], ["cats", "sleep"]]
    tagger = SequenceTagger.train(sentences, [["keep"] * 2] * 2, epochs=2, copies=3)
    assert tagger.tag([["cows", "sleep"]]) == [("keep", "keep")]


def test_copies_are_averaged(treebank: list[Sentence], unseen: list[Sentence]) -> None:
    """The weights of several taggers are the means of theirs, and few sentences are learnt better by several."""
    words = [sentence.words for sentence in treebank[:12]]
    gold = [sentence.pos for sentence in treebank[:12]]
    one = SequenceTagger.train(words, gold, epochs=2)
    for copies in (1, 3):
        parts = [SequenceTagger.train(words, gold, epochs=2, seed=1 + _APART * copy) for copy in range(copies)]
        mixed = SequenceTagger.train(words, gold, epochs=2, copies=copies)
        sums: defaultdict[tuple[int, int], float] = defaultdict(float)
        for part in parts:
            for key, value in weights(part).items():
                sums[key] += value / copies
        assert weights(mixed) == pytest.approx(sums, abs=1e-5)
        assert (weights(mixed) == weights(one)) == (copies == 1)
    scores = {}
    for copies in (1, 4):
        model = Syntax.train(treebank[:40], SyntaxSettings(epochs=5, beam=4, folds=1, copies=copies))
        scores[copies] = score(unseen, model.annotate([stripped(sentence, model) for sentence in unseen]))
    assert scores[4]["LAS"].f1 > scores[1]["LAS"].f1
    assert scores[4]["UPOS"].f1 > scores[1]["UPOS"].f1


def test_the_fewer_sentences_the_more_copies_and_folds() -> None:
    chosen = [SyntaxSettings().for_treebank(size) for size in (600, 3_000, 3_001, 6_000, 6_001, 20_000)]
    assert [(each.copies, each.folds) for each in chosen] == [(4, 10), (4, 10), (3, 4), (2, 4), (1, 4), (1, 4)]
    asked = SyntaxSettings(copies=2, folds=1, epochs=3)
    assert asked.for_treebank(600) == asked


def weights(tagger: SequenceTagger) -> dict[tuple[int, int], float]:
    """By feature and label."""
    keys, ends, labels, values = tagger._native.arrays()
    begins = [0, *ends.tolist()]
    owners = [key for at, key in enumerate(keys.tolist()) for _ in range(begins[at], begins[at + 1])]
    return dict(zip(zip(owners, labels.tolist(), strict=True), values.tolist(), strict=True))


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


@pytest.mark.slow
def test_agreement_with_a_real_treebank(data: Path) -> None:
    """A tenth of English-EWT is enough to see that nothing is wrong with features or search."""
    folder = data / "treebanks" / "ud"
    train = list(conllu.read(folder / "en_ewt-ud-train.conllu.gz"))[::20]
    test = list(conllu.read(folder / "en_ewt-ud-dev.conllu.gz"))[::10]
    syntax = Syntax.train(train, SyntaxSettings(epochs=3, beam=4, folds=2, copies=1))
    scores = score(test, syntax.annotate([stripped(sentence, syntax) for sentence in test]))
    assert scores["UPOS"].f1 > 0.85
    assert scores["LAS"].f1 > 0.60
