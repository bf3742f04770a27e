"""Every registered aligner keeps the contract of `dragoman.align.base`."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.align import ALIGNERS
from dragoman.text import synthetic
from tests.conformance import check_aligner, check_settings


@pytest.mark.slow
@pytest.mark.parametrize("name", list(ALIGNERS))
def test_every_aligner_keeps_the_contract(name: str, tmp_path: Path) -> None:
    items = list(synthetic.pair("en-de").generate(60, seed=2))
    source, target = ([" ".join(getattr(item, side).tokens) for item in items] for side in ("source", "target"))
    check_aligner(ALIGNERS.get(name)(), source, target, tmp_path)


@pytest.mark.parametrize("name", list(ALIGNERS))
def test_settings_of_every_aligner(name: str) -> None:
    check_settings(ALIGNERS.get(name))
