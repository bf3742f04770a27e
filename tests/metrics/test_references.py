"""References in one form, and what is wrong with them said once, whoever takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dragoman
from dragoman.errors import InputError, LengthMismatch
from dragoman.metrics import get_metric
from dragoman.metrics.reference_spread import reference_spread
from dragoman.metrics.references import References, check_hypotheses, check_length
from dragoman.tuning.dev import DevSet


def test_one_form() -> None:
    one = References.of(["a b", "c"])
    assert (one.streams, one.lines, one.groups.tolist(), one.segments) == ((("a b", "c"),), ["a b", "c"], [1, 2], 2)
    assert References.of([["a b", "c"]]).streams == one.streams
    assert References.of(one) is one
    two = References.of([("a", None, "c"), ["d", "e", None]])
    assert (two.lines, two.groups.tolist()) == (["a", "d", "e", "c"], [2, 3, 4])
    assert two.part([2, 0]).streams == (("c", "a"), (None, "d"))
    assert References.of([]).segments == References.of([[], []]).segments == 0
    assert References.of([np.array(["a", "b"])]).lines == ["a", "b"]  # type: ignore[list-item]


TAKERS: dict[str, Callable[[Any], object]] = {
    "metric": lambda references: get_metric("bleu").corpus_score(["a", "b"], references),
    "blend": lambda references: get_metric("bleu - ter").corpus_score(["a", "b"], references),
    "score": lambda references: dragoman.score(["a", "b"], references),
    "compare": lambda references: dragoman.compare({"A": ["a", "b"], "B": ["a", "c"]}, references),
    "spread": lambda references: reference_spread(["a", "b"], references),
    "tuning": lambda references: DevSet.of(["a", "b"], references),
}


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize(
    ("references", "kind", "said"),
    [
        ("a b", InputError, r"one string where a list of references is needed; write \[segment\]"),
        ([["a", "b"], "ab"], InputError, r"reference 2: one string where a list of references is needed"),
        ([["a", "b"], ["a"]], LengthMismatch, "lists of references of different lengths: 1, 2"),
        ([["a", "b", "c"]], LengthMismatch, "2 [a-z ]+, but 3 references"),
        (["a", None], InputError, "segment 2: no reference"),
        ([None, "a"], InputError, "segment 1: no reference"),
        ([["a", None], ["b", None]], InputError, "segment 2: no reference"),
        (["a", 3], InputError, "reference 1: segment 2 is of type int, not a string"),
        ([1, 2], InputError, "reference 1: segment 1 is of type int, not a string"),
    ],
)
def test_what_is_wrong_is_said_alike(taker: str, references: Any, kind: type[Exception], said: str) -> None:
    if taker == "spread" and "but 3" in said:
        references = [*references, ["a", "b", "c"]]
    with pytest.raises(kind, match=said):
        TAKERS[taker](references)


def test_nothing_can_be_measured_and_not_scored() -> None:
    assert get_metric("bleu").statistics([], []).shape == (0, 9)
    with pytest.raises(InputError, match="there are no segments"):
        References.of([]).require_segments()
    with pytest.raises(InputError, match="there are no segments"):
        dragoman.score([], [])
    with pytest.raises(InputError, match="there are no segments"):
        dragoman.compare({"A": [], "B": []}, [[], []])


def test_lines_must_fit() -> None:
    check_hypotheses(["a"], 1)
    with pytest.raises(InputError, match=r"A: one string where a list of hypotheses is needed; write \[segment\]"):
        check_hypotheses("a", 1, where="A")
    with pytest.raises(LengthMismatch, match="A: 2 hypotheses, but 1 references"):
        check_hypotheses(["a", "b"], 1, where="A")
    with pytest.raises(InputError, match="hypothesis 1 is of type NoneType, not a string"):
        check_hypotheses([None], 1)
    check_length([None], 1)
    with pytest.raises(LengthMismatch, match="1 sentences, but 2 references"):
        check_length([None], 2, "sentences")


def test_a_dev_set_lacks_no_reference() -> None:
    with pytest.raises(InputError, match="reference 2: sentence 1 is missing"):
        DevSet.of(["x", "y"], [["a", "b"], [None, "c"]])
