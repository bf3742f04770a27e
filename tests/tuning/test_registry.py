"""Every registered tuner keeps the contract of `dragoman.tuning.base`."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.text import synthetic
from dragoman.tuning import TUNERS
from tests.conformance import check_settings, check_tuner
from tests.search.setting import Setting


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("tuners"), "")


@pytest.mark.slow
@pytest.mark.parametrize("name", list(TUNERS))
def test_every_tuner_keeps_the_contract(name: str, setting: Setting, tmp_path: Path) -> None:
    held = list(synthetic.pair("en-de").generate(30, seed=4, start=1000))
    source, target = ([" ".join(getattr(item, side).tokens) for item in held] for side in ("source", "target"))
    decoder = setting.decoder(pop_limit=20, beam=20)
    check_tuner(TUNERS.get(name)(), decoder.with_weights(decoder.weights | {"lm": 0.1}), source, target, tmp_path)


@pytest.mark.parametrize("name", list(TUNERS))
def test_settings_of_every_tuner(name: str) -> None:
    check_settings(TUNERS.get(name))
