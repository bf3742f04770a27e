"""Every registered decoder keeps the contract of `dragoman.search.base`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.features.language_model import LanguageModel
from dragoman.grammar.limits import GappyLimits, HieroLimits, LeftToRightLimits, RuleLimits
from dragoman.search import DECODERS
from dragoman.search.base import Decoder
from dragoman.search.settings import SETTINGS, ExactLimits, SearchSettings
from dragoman.settings import declared
from tests.conformance import LongWords, Repeats, check_decoder, check_feature
from tests.search.setting import Setting


def phrase(setting: Setting) -> tuple[Callable[[str], Path], dict[str, object]]:
    return (lambda _: setting.table.path), {"pop_limit": 60, "beam": 60}


def extracted(limits: RuleLimits) -> Callable[[Setting], tuple[Callable[[str], Path], dict[str, object]]]:
    def make(setting: Setting) -> tuple[Callable[[str], Path], dict[str, object]]:
        table = setting.rules(limits)
        return (lambda _: table.path), {"pop_limit": 60, "beam": 60}

    return make


MODELS = {
    "phrase": phrase,
    "gappy": extracted(GappyLimits()),
    "hiero": extracted(HieroLimits()),
    "lr-hiero": extracted(LeftToRightLimits()),
}
"""For each decoder the files and settings of a small model."""


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("decoders"), "hier-mslr-bidirectional-fe")


@pytest.mark.parametrize("feature", [LongWords(), Repeats()], ids=str)
def test_features_in_python_keep_the_contract(feature: LongWords | Repeats, setting: Setting) -> None:
    check_feature(feature, setting.decoder(), setting.sentences[:5])


@pytest.mark.parametrize("name", list(DECODERS))
def test_the_guide_says_where_settings_of_a_decoder_are(name: str) -> None:
    home = Path(__file__).parent.parent.parent
    table = [line.split("|") for line in (home / "CONTRIBUTING.md").read_text("utf-8").splitlines() if "|" in line]
    rows = [[cell.strip().strip("`") for cell in line[2:5]] for line in table if line[1].strip() == f"`{name}`"]
    kind: type[Decoder] = DECODERS.get(name)
    assert [row[0] for row in rows] == [kind.settings_type.__name__]
    assert SETTINGS[name] is kind.settings_type
    assert (home / "native" / "search" / rows[0][1]).is_file()
    shared = (home / "native" / "bindings" / "bind_search.hpp").read_text("utf-8")
    own = (home / "native" / "bindings" / rows[0][2]).read_text("utf-8")
    for setting in declared(SearchSettings):
        assert f'"{setting}"' in shared, setting
    python_only = {*declared(ExactLimits), "reordering_features", "search"}
    for setting in set(declared(kind.settings_type)) - python_only:
        assert f'"{setting}"' in shared + own, setting


@pytest.mark.slow
@pytest.mark.parametrize("name", list(DECODERS))
def test_every_decoder_keeps_the_contract(name: str, setting: Setting) -> None:
    kind: type[Decoder] = DECODERS.get(name)
    files, settings = MODELS[name](setting)
    decoder = kind.open(files, [LanguageModel("lm", setting.model)], settings)
    check_decoder(decoder, setting.sentences[:8])
    found = decoder.translate(setting.sentences, threads=1)
    assert 0 < sum(each.language_model_seconds for each in found) < sum(each.seconds for each in found)
    twin = kind.open(files, decoder.language_models, settings, like=decoder)
    assert twin.feature_ids is decoder.feature_ids
