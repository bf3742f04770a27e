from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from dragoman.errors import FormatError, InputError, MissingDependency, SettingError
from dragoman.text.subword import MARK, Subwords
from tests.peers import peer
from tests.text import nasty

CORPUS = [
    f"{a}{b} {b}{c} unter{a} {c}".split() for a in ("haus", "boot", "schiff") for b in ("bau", "fahrt") for c in "xyz"
]


@pytest.fixture(scope="module", params=["unigram", "bpe"])
def model(request: pytest.FixtureRequest) -> Subwords:
    peer("sentencepiece")
    return Subwords.train(CORPUS, size=40, kind=request.param)


def test_words_are_cut_and_joined(model: Subwords) -> None:
    pieces = model.apply(["bauschiffhaus", "unterboot", "qqq"])
    assert len(pieces) > 3
    assert all(piece != MARK for piece in pieces)
    assert model.undo(pieces) == ["bauschiffhaus", "unterboot", "qqq"]


@pytest.mark.slow
@given(tokens=nasty.tokens)
@settings(max_examples=300)
def test_undoing_is_exact_for_any_tokens(tokens: list[str]) -> None:
    tokens = [token for token in tokens if token]
    model = _cached()
    assert model.undo(model.apply(tokens)) == tokens


_MODELS: list[Subwords] = []


def _cached() -> Subwords:
    peer("sentencepiece")
    if not _MODELS:
        _MODELS.append(Subwords.train(CORPUS, size=40))
    return _MODELS[0]


def test_a_saved_model_cuts_alike(model: Subwords, tmp_path: Path) -> None:
    model.save(tmp_path / "pieces.model")
    assert Subwords.load(tmp_path / "pieces.model").apply(CORPUS[0]) == model.apply(CORPUS[0])
    assert [file.name for file in tmp_path.iterdir()] == ["pieces.model"]


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    peer("sentencepiece")
    (tmp_path / "bad").write_bytes(b"nonsense")
    with pytest.raises(FormatError, match="not a sentencepiece model"):
        Subwords.load(tmp_path / "bad")
    with pytest.raises(SettingError, match="size is 1"):
        Subwords.train(CORPUS, size=1)
    with pytest.raises(InputError, match="cannot be learnt"):
        Subwords.train([])


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingDependency, match=r"pip install 'dragoman\[subword\]'"):
        Subwords(b"")
