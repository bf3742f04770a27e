"""Diversity: the preference flips to what differs, and numbers mean what they say."""

from __future__ import annotations

import numpy as np
import pytest

from dragoman.errors import LengthMismatch, SettingError
from dragoman.metrics import get_metric
from dragoman.metrics.blend import PositiveDiversity
from dragoman.tuning.diversity import diversity

REFERENCE = ["the minister said he would go home"]
EARLIER = ["the minister said that he would go home"]
OTHER = ["the minister announced he would go home"]


def test_the_preference_flips() -> None:
    bleu = get_metric("bleu+1:tokenize=none")
    plain = [bleu.corpus_score(text, REFERENCE) for text in (OTHER, EARLIER)]
    assert plain == pytest.approx([0.591546, 0.594604], abs=1e-6)
    diverse = PositiveDiversity([EARLIER], 0.95, bleu, bleu)
    found = [diverse.corpus_score(text, REFERENCE) for text in (OTHER, EARLIER)]
    assert found == pytest.approx([0.536329, 0.514873], abs=1e-6)


def test_identical_systems_have_none() -> None:
    output = ["a b c d e f", "g h i j k"]
    found = diversity([output, output, ["x y z v w u", "r s t q p"]])
    assert found.from_earlier == pytest.approx(np.array([1, 0, 1]))
    assert found.from_others == pytest.approx(np.array([0, 0, 1]))
    assert found.pairwise == pytest.approx(np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]]))
    assert found.useful == 1


def test_more_systems_leave_less_that_is_new() -> None:
    outputs = [["a b c d x f g"], ["a b c d e f g"], ["a b c x y f g"]]
    few, many = (diversity([*outputs[:n], ["a b c d x y g"]]).from_earlier[-1] for n in (1, 3))
    assert many <= few


def test_bad_input_is_refused() -> None:
    with pytest.raises(LengthMismatch):
        diversity([["a"], ["a", "b"]])
    with pytest.raises(SettingError):
        diversity([["a"], ["b"]], metric="ter")
