from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import FormatError
from dragoman.files import read_lines
from dragoman.text.tokenizer import Tokenizer
from dragoman.text.truecaser import Truecaser, detruecase
from tests.peers import peer

words = st.sampled_from(["The", "the", "THE", "house", "House", ".", ":", '"', "(", "42", "is", "Is", "Ärger", "ärger"])
sentences = st.lists(st.lists(words, max_size=8), max_size=12)


@pytest.mark.slow
@given(sentences, st.lists(words, max_size=8))
def test_sacremoses_agrees(corpus: list[list[str]], line: list[str]) -> None:
    theirs = peer("sacremoses").MosesTruecaser()
    theirs.train(corpus)
    ours = Truecaser.train(corpus)
    assert ours.apply(line) == theirs.truecase(" ".join(line), use_known=True)
    assert detruecase(line) == peer("sacremoses").MosesDetruecaser().detruecase(" ".join(line))


@pytest.mark.slow
@given(sentences)
def test_a_saved_model_is_the_same(tmp_path_factory: pytest.TempPathFactory, corpus: list[list[str]]) -> None:
    path = tmp_path_factory.mktemp("case") / "model"
    model = Truecaser.train(corpus)
    model.save(path)
    again = Truecaser.load(path)
    assert again.forms == model.forms
    for line in corpus:
        assert again.apply(line) == model.apply(line)


def test_moses_reads_our_models(tmp_path: Path) -> None:
    Truecaser.train([["a", "Cat", "cat", "Cat"]]).save(tmp_path / "model")
    assert (tmp_path / "model").read_text() == "Cat (2/3) cat (1)\n"
    theirs = peer("sacremoses").MosesTruecaser(str(tmp_path / "model"))
    assert theirs.truecase("cat", return_str=True) == "Cat"


def test_first_words_can_be_counted() -> None:
    assert not Truecaser.train([["iPhone"], ["Berlin"]]).forms
    assert Truecaser.train([["iPhone"], ["Berlin"]], use_first=True).forms == {"iphone": {"iPhone": 1}}


@pytest.mark.parametrize("line", ["word", "word (x)", "word (1/2) form", " (1)", "word (1)  other (2)"])
def test_a_damaged_model_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "model").write_text(f"fine (1/1)\n{line}\n")
    with pytest.raises(FormatError, match="not a line of a truecasing model") as caught:
        Truecaser.load(tmp_path / "model")
    assert caught.value.where.endswith("line 2")


@given(
    st.lists(st.sampled_from(["a", "A", "(1)", "(1/2)", "(", " ", "\n", "(9" * 9, "é", "\t", "9" * 5000]), max_size=12)
)
def test_any_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    path = tmp_path_factory.mktemp("any") / "model"
    path.write_text("".join(pieces))
    with contextlib.suppress(FormatError):
        Truecaser.load(path).apply(["a", "A"])


def test_most_sentence_starts_of_real_text_lose_their_capital(data: Path) -> None:
    lines = Tokenizer("en").tokenize(list(read_lines(data / "bible" / "sw-en" / "train.en.gz"))[:3000])
    model = Truecaser.train(lines)
    pairs = [(line[0], model.apply(line)[0]) for line in lines if line and line[0] in ("And", "But", "For", "Jesus")]
    assert len(pairs) > 500
    assert dict(pairs) == {"And": "and", "But": "but", "For": "for", "Jesus": "Jesus"}
