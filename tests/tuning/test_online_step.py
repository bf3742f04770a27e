"""One step from one correction."""

from __future__ import annotations

import pytest

from dragoman.pipeline.model import Model
from dragoman.tuning.online_step import online_step
from tests.pipeline.conftest import Sides, bitext, heldout, model  # noqa: F401 - fixtures


def test_a_step_raises_the_hope_over_the_fear(model: Model, heldout: Sides) -> None:  # noqa: F811
    moved = 0
    for source, target in zip(heldout.source[:8], heldout.target[:8], strict=True):
        forest = model.translate(source, forests=True).searched[0].forest
        reference = [token for part in model.preprocessors.target.prepare(target).tokens for token in part]
        step = online_step(forest, reference, limit=1e-4)
        half = online_step(forest, reference, limit=5e-5)
        assert half == {name: pytest.approx(value / 2) for name, value in step.items()}
        assert online_step(forest, [], limit=0.01) == {}
        moved += bool(step)
    assert moved
