from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman._native.common import Vocabulary
from dragoman.errors import DragomanError, FormatError
from dragoman.metrics.lexical import STEMMERS, Paraphrase, encode, read_paraphrases, remove_punctuation, stem


def test_stems() -> None:
    assert stem("running", "en") == stem("runs", "en") == "run"
    assert stem("häuser", "de") == stem("haus", "de")
    for language in STEMMERS:
        assert isinstance(stem("word", language), str)


def test_punctuation_goes_and_words_stay() -> None:
    assert remove_punctuation(["a , b -- c3 $ 'tis . …", "..."]) == ["a b c3 'tis", ""]


def test_paraphrase_tables(tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.write_text("By and large ||| mostly ||| 0.25\n\ndie\tpass away\n[X] ||| a b ||| c ||| f=1 ||| 0-0\n", "utf-8")
    assert read_paraphrases(str(table)) == (
        Paraphrase("by and large", "mostly", 0.25),
        Paraphrase("die", "pass away", None),
        Paraphrase("a b", "c", None),
    )


@pytest.mark.parametrize(
    "line", ["alone", "a ||| ", "a ||| b ||| x", "a ||| b ||| 0", "a ||| b ||| 1.5", "a ||| b ||| nan"]
)
def test_bad_paraphrases_are_refused_with_their_line(tmp_path: Path, line: str) -> None:
    table = tmp_path / "table"
    table.write_text(f"fine ||| good\n{line}\n", "utf-8")
    read_paraphrases.cache_clear()
    with pytest.raises(FormatError, match="table, line 2"):
        read_paraphrases(str(table))


@given(st.binary(max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
def test_any_bytes_are_a_table_or_an_error(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "table").write_bytes(raw + b" ||| x\n")
    read_paraphrases.cache_clear()
    with contextlib.suppress(DragomanError):
        assert isinstance(read_paraphrases(str(tmp_path / "table")), tuple)


def test_encoding_grows_the_vocabulary() -> None:
    words = Vocabulary()
    lines = encode(["a b a", "", "c"], words)
    assert lines.words.tolist() == [1, 2, 1, 3]
    assert lines.ends.tolist() == [3, 3, 4]
