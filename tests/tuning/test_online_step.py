"""One step from one correction."""

from __future__ import annotations

import pytest

from dragoman.pipeline.model import Model
from dragoman.tuning.online_step import online_step
from tests.pipeline.conftest import Sides, bitext, heldout, model  # noqa: F401 - fixtures


def test_a_step_raises_the_hope_over_the_fear(model: Model, heldout: Sides) -> None:  # noqa: F811
    found = model.translate(heldout.source[0], forests=True)
    reference = [token for part in model.preprocessors.target.prepare(heldout.target[0]).tokens for token in part]
    step = online_step(found.searched[0].forest, reference, limit=0.01)
    assert step
    assert max(map(abs, step.values())) > 0
    half = online_step(found.searched[0].forest, reference, limit=0.005)
    assert half == {name: pytest.approx(value / 2) for name, value in step.items()}
    assert online_step(found.searched[0].forest, [], limit=0.01) == {}
