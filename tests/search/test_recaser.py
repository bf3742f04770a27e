"""Truecasing by a language model."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import InputError
from dragoman.search.recaser import Recaser

LINES = [
    "Yesterday Mr Brown saw a brown dog .",
    "a brown dog saw Mr Brown in Berlin .",
    "the dog is brown .",
    "Mr Brown lives in Berlin .",
    "NATO met in Berlin .",
    "the NATO met Mr Brown .",
]


def test_context_decides_the_case(tmp_path: Path) -> None:
    made = Recaser.train([line.split() for line in LINES], tmp_path / "case")
    given = ["mr brown saw a brown dog in berlin .", "THE NATO MET MR BROWN .", "quux ."]
    expected = ["Mr Brown saw a brown dog in Berlin .", "The NATO met Mr Brown .", "Quux ."]
    for recaser in (made, Recaser.open(tmp_path / "case")):
        assert [" ".join(tokens) for tokens in recaser.apply([line.split() for line in given])] == expected
    own = made.apply([line.lower().split() for line in LINES])
    pairs = [
        pair for tokens, line in zip(own, LINES, strict=True) for pair in zip(tokens[1:], line.split()[1:], strict=True)
    ]
    assert sum(one == other for one, other in pairs) / len(pairs) >= 0.95
    assert made.apply([[]]) == [[]]


def test_nothing_teaches_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        Recaser.train([], tmp_path)
