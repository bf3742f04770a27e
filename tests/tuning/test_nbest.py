from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from dragoman.errors import FormatError, InputError, LengthMismatch
from dragoman.forest import ForestBuilder
from dragoman.metrics import get_metric
from dragoman.metrics.blend import PositiveDiversity
from dragoman.metrics.bleu import Bleu, BleuNakov, BleuPlusOne
from dragoman.search.nbest import moses_line
from dragoman.tuning.dev import DevSet
from dragoman.tuning.nbest import NBestPool, read_scored
from tests.tuning.lists import random_pool


def test_a_candidate_is_kept_once() -> None:
    pool = NBestPool(DevSet.of(["x", "y"], ["a b", "c d"]))
    assert pool.add([(0, "a b", {"p": 1.0}), (0, "a b", {"p": 1.0 + 1e-9}), (0, "a b", {"p": 1.001})]) == 2
    assert pool.add([(0, "a b", {"p": 1.0, "zero": 0.0}), (1, "a b", {"p": 1.0})]) == 1
    assert [(s, t) for s, t, _ in pool.candidates()] == [(0, "a b"), (0, "a b"), (1, "a b")]
    lists = pool.lists()
    assert lists.starts.tolist() == [0, 2, 3]
    assert lists.sentences.tolist() == [0, 0, 1]
    assert lists.texts.tolist() == [0, 0, 1]
    assert_allclose(lists.features.toarray()[:, pool.native.id("p")], [1.0, 1.001, 1.0])


def test_scores_are_those_of_the_metric() -> None:
    for metric in ("bleu", "ter", "nist", "chrf", "bleu - 2*ter"):
        pool = random_pool(4, metric=metric)
        lists = pool.lists()
        weights = np.random.default_rng(1).normal(size=pool.native.features)
        scores = lists.features @ weights
        texts = [text for _, text, _ in pool.candidates()]
        best = [int(a + scores[a:b].argmax()) for a, b in zip(lists.starts[:-1], lists.starts[1:], strict=True)]
        expected = pool.dev.metric.corpus_score([texts[place] for place in best], pool.dev.references)
        assert pool.score(pool.weights(weights)) == pytest.approx(expected, abs=1e-9)


def test_statistics_of_any_texts_in_any_order() -> None:
    references = [["the cat sat", "a dog ran off", "no"], ["that cat sat down", "the dog ran", "no way"]]
    others = [["the cat sat", "dog", "no"]]
    metrics = [get_metric("bleu:tokenize=none"), get_metric("nist:tokenize=none"), PositiveDiversity(others)]
    for metric in metrics:
        dev = DevSet.of(["x", "y", "z"], references, metric)
        sentences, texts = [2, 0, 0, 1, 2], ["no", "the cat", "cat the sat", "the dog ran", "way no"]
        rows = dev.statistics(sentences, texts)
        for sentence, text, row in zip(sentences, texts, rows, strict=True):
            hypotheses = ["", "", ""]
            hypotheses[sentence] = text
            assert_allclose(metric.statistics(hypotheses, dev.prepared)[sentence], row)
        assert dev.statistics([], []).shape == (0, metric.width)


def test_metrics_for_tokens_and_for_sentences() -> None:
    assert get_metric("bleu - ter").for_tokens().terms[0][1].tokenize == "none"  # type: ignore[attr-defined]
    assert isinstance(Bleu().sentence_level(references=1), BleuNakov)
    assert isinstance(Bleu().sentence_level(references=1, words=12), BleuPlusOne)
    assert isinstance(Bleu(order=2).sentence_level(references=3), BleuPlusOne)
    assert get_metric("ter").sentence_level() == get_metric("ter")
    blend = get_metric("bleu:2 - ter").sentence_level(references=2)
    assert blend.terms[0][1] == BleuPlusOne(order=2)  # type: ignore[attr-defined]
    diverse = PositiveDiversity([["a"]]).sentence_level()
    assert isinstance(diverse, PositiveDiversity)
    assert isinstance(diverse.similarity, BleuNakov)
    # A sentence that misses a 4-gram still has a gain.
    dev = DevSet.of(["x"], ["the cat sat on the mat"])
    rows = dev.statistics([0], ["the cat sat on mat"])
    assert dev.sentence_metric("bleu-nakov").scores(rows) == pytest.approx(0.533086, abs=1e-6)
    assert dev.sentence_gains(rows) == pytest.approx(dev.sentence_metric("bleu+1").scores(rows))


def test_bad_dev_sets_are_refused() -> None:
    with pytest.raises(InputError, match="without sentences"):
        DevSet.of([], [])
    with pytest.raises(LengthMismatch):
        DevSet.of(["x"], ["a", "b"])
    with pytest.raises(LengthMismatch):
        DevSet.of(["x", "y"], [["a", "b"], ["c"]])
    with pytest.raises(InputError, match="string"):
        DevSet.of("x", ["a"])


def test_bad_candidates_are_refused() -> None:
    pool = NBestPool(DevSet.of(["x"], ["a b"]))
    with pytest.raises(InputError, match=r"'p' is not finite"):
        pool.add([(0, "a", {"p": float("nan")})])
    with pytest.raises(IndexError):
        pool.add([(1, "a", {"p": 1.0})])
    with pytest.raises(InputError, match="no candidate"):
        pool.score({"p": 1.0})


def test_moses_lists_go_out_and_come_back(tmp_path: Path) -> None:
    pool = random_pool(3)
    weights = {"f0": 1.0, "f1": -0.5}
    pool.save(tmp_path / "lists.gz", weights)
    again = NBestPool(pool.dev)
    assert again.load(tmp_path / "lists.gz") == len(pool)
    assert list(again.candidates()) == list(pool.candidates())
    assert again.score(weights) == pool.score(weights)


def test_moses_lists_of_others(tmp_path: Path) -> None:
    path = tmp_path / "lists"
    path.write_text("0 ||| a b  ||| LM0= -3.5 TM0= 1 2 Penalty= 0 ||| -7 ||| 0-0 1-1\n")
    pool = NBestPool(DevSet.of(["x"], ["a b"]))
    assert pool.load(path) == 1
    assert list(pool.candidates()) == [(0, "a b", {"LM0": -3.5, "TM0_1": 1.0, "TM0_2": 2.0})]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0 ||| a", "not an n-best line"),
        ("7 ||| a ||| f= 1 ||| 0", "no sentence '7'"),
        ("-1 ||| a ||| f= 1 ||| 0", "no sentence"),
        ("0 ||| a ||| f= one ||| 0", "'one' is not a number"),
        ("0 ||| a ||| 1 ||| 0", "before the first name"),
        ("0 ||| a ||| f= nan ||| 0", "'f' is nan"),
        ("0 ||| a ||| f= 1 f= 2 ||| 0", "second value of 'f'"),
    ],
)
def test_bad_moses_lists_are_refused(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "lists"
    path.write_text(f"0 ||| a b ||| f= 1 ||| 1\n{line}\n")
    with pytest.raises(FormatError, match=r"lists, line 2") as error:
        NBestPool(DevSet.of(["x"], ["a b"])).load(path)
    assert said in str(error.value)


@given(st.text(alphabet="01 |=.af-\n", max_size=80))
def test_any_moses_list_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("moses") / "lists"
    path.write_text(text)
    with contextlib.suppress(FormatError, InputError):
        NBestPool(DevSet.of(["x"], ["a b"])).load(path)
    with contextlib.suppress(FormatError):
        read_scored(path)


def test_scored_texts_of_moses_lists(tmp_path: Path) -> None:
    path = tmp_path / "lists"
    texts = [(0, "a | b", -1.5), (0, "", -2.0), (0, "c", -3.0), (2, "d", 1.0)]
    path.write_text("".join(f"{moses_line(number, text, {'f': 1.0}, score)}\n" for number, text, score in texts))
    assert read_scored(path) == [[("a | b", -1.5), ("", -2.0), ("c", -3.0)], [], [("d", 1.0)]]
    assert read_scored(path, most=1) == [[("a | b", -1.5)], [], [("d", 1.0)]]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0 ||| a ||| f= 1", "not an n-best line"),
        ("x ||| a ||| f= 1 ||| 0", "no sentence 'x'"),
        (f"{10**9} ||| a ||| f= 1 ||| 0", "after 1 others"),
        (f"{'9' * 5000} ||| a ||| f= 1 ||| 0", "no sentence"),
        ("0 ||| a ||| f= 1 ||| much", "'much' is not a number"),
        ("0 ||| a ||| f= 1 ||| inf", "the score is inf"),
    ],
)
def test_lists_without_usable_scores_are_refused(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "lists"
    path.write_text(f"0 ||| a b ||| f= 1 ||| 1\n{line}\n")
    with pytest.raises(FormatError, match=r"lists, line 2") as error:
        read_scored(path)
    assert said in str(error.value)


def test_translations_are_listed_by_their_forests() -> None:
    class Found:
        def __init__(self, *words: str) -> None:
            build = ForestBuilder("x")
            goal = build.add_node()
            for place, word in enumerate(words):
                build.add_edge(goal, word, features={"p": -float(place)}, score=-float(place))
            self.forest = build.finish(goal)

    pool = NBestPool(DevSet.of(["x", "y"], ["a", "d"]))
    found = [Found("a", "b", "c"), Found("d", "e", "d")]  # with vocabularies of their own
    assert pool.add_translations(found, nbest=2) == 4  # type: ignore[arg-type]
    assert pool.add_translations(found, nbest=3, distinct=True, threads=2) == 1  # type: ignore[arg-type]
    assert [text for _, text, _ in pool.candidates()] == ["a", "b", "c", "d", "e"]
    with pytest.raises(InputError, match="different sentences"):
        pool.add_translations(found, nbest=1, sentences=[0, 0])  # type: ignore[arg-type]
