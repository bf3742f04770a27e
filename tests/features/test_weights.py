from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import FormatError, SettingError, UnknownName
from dragoman.features.weights import Weights

names = st.text(st.characters(min_codepoint=33, max_codepoint=1000, exclude_characters="#[]="), min_size=1).filter(
    lambda name: not any(c.isspace() for c in name)
)


@pytest.mark.slow
@given(st.dictionaries(names, st.floats(allow_nan=False, allow_infinity=False)))
def test_what_was_saved_is_loaded(tmp_path_factory: pytest.TempPathFactory, values: dict[str, float]) -> None:
    path = tmp_path_factory.mktemp("weights") / "weights.txt"
    Weights(values).save(path)
    assert dict(Weights.load(path)) == values


def test_moses_sections(tmp_path: Path) -> None:
    path = tmp_path / "moses.ini"
    path.write_text(
        "# a comment\n[feature]\nKENLM name=LM0 path=x\n[weight]\nLM0= 0.5\nTranslationModel0= 0.1 0.2\n[other]\n6\n"
    )
    assert dict(Weights.load(path)) == {"LM0": 0.5, "TranslationModel0_1": 0.1, "TranslationModel0_2": 0.2}


@pytest.mark.parametrize(
    ("text", "message"),
    [("lm nan", "line 1: a weight of nan"), ("lm 1\nlm 2", "line 2: a second weight"), ("lm", "not a number")],
)
def test_bad_files_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "w").write_text(text + "\n")
    with pytest.raises(FormatError, match=message):
        Weights.load(tmp_path / "w")


def test_what_is_not_finite_is_refused() -> None:
    with pytest.raises(SettingError, match="'lm' is nan"):
        Weights({"lm": float("nan")})


def test_unknown_features_are_named() -> None:
    weights = Weights({"lm": 1.0, "wrod_penalty": 1.0, "rule:a>b": 1.0})
    with pytest.raises(UnknownName, match="no feature 'wrod_penalty'; did you mean 'word_penalty'"):
        weights.require_known(["lm", "word_penalty"], prefixes=["rule:"])


def test_normalized() -> None:
    assert dict(Weights({"a": 3.0, "b": -1.0}).normalized()) == {"a": 0.75, "b": -0.25}
    with pytest.raises(SettingError, match="all weights are zero"):
        Weights({"a": 0.0}).normalized()
