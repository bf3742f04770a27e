"""Every registered tuner keeps the contract of `dragoman.tuning.base`, with rules of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.features.language_model import LanguageModel
from dragoman.grammar.limits import GappyLimits, HieroLimits, LeftToRightLimits, RuleLimits
from dragoman.search import DECODERS
from dragoman.search.base import Decoder
from dragoman.text import synthetic
from dragoman.tuning import TUNERS
from tests.conformance import check_settings, check_tuner
from tests.search.setting import Setting


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("tuners"), "")


def held_out(size: int) -> list[list[str]]:
    """Text to tune on, source and target."""
    items = list(synthetic.pair("en-de").generate(size, seed=4, start=1000))
    return [[" ".join(getattr(item, side).tokens) for item in items] for side in ("source", "target")]


@pytest.mark.slow
@pytest.mark.parametrize("name", list(TUNERS))
def test_every_tuner_keeps_the_contract(name: str, setting: Setting, tmp_path: Path) -> None:
    source, target = held_out(30)
    decoder = setting.decoder(pop_limit=20, beam=20)
    check_tuner(TUNERS.get(name)(), decoder.with_weights(decoder.weights | {"lm": 0.1}), source, target, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("limits", [GappyLimits(), HieroLimits(), LeftToRightLimits()], ids=lambda limits: limits.kind)
@pytest.mark.parametrize("name", list(TUNERS))
def test_every_tuner_works_with_every_kind_of_rules(
    name: str, limits: RuleLimits, setting: Setting, tmp_path: Path
) -> None:
    source, target = held_out(12)
    table = setting.rules(limits)
    kind: type[Decoder] = DECODERS.get(limits.kind)
    settings = {"pop_limit": 20, "beam": 20}
    decoder = kind.open(lambda _: table.path, [LanguageModel("lm", setting.model)], settings)
    check_tuner(TUNERS.get(name)(), decoder.with_weights(decoder.weights | {"lm": 0.1}), source, target, tmp_path)


@pytest.mark.parametrize("name", list(TUNERS))
def test_settings_of_every_tuner(name: str) -> None:
    check_settings(TUNERS.get(name))
