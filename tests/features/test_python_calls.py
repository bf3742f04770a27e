"""How often features in Python are called: for each thing that can differ once a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import pytest

from dragoman.features.base import Fire, Option, SourceSentence, StateFeature
from tests.search.setting import Setting


class Counting(StateFeature):
    """The last word written, of which there are few."""

    def __init__(self) -> None:
        self.extended: Counter[tuple[Hashable, tuple[int, int], tuple[str, ...]]] = Counter()
        self.finished: Counter[Hashable] = Counter()

    def start(self, sentence: SourceSentence) -> Hashable:
        return ""

    def extend(self, state: Hashable, option: Option, fire: Fire) -> Hashable:
        self.extended[state, option.span, option.target] += 1
        fire("last", float(bool(option.target) and option.target[-1] == state))
        return option.target[-1] if option.target else state

    def finish(self, state: Hashable, fire: Fire) -> None:
        self.finished[state] += 1
        fire("ends", float(state == "."))


class Expecting(Counting):
    """The same, with an opinion of options before anything stands beside them."""

    def isolated(self, option: Option) -> float:
        return 100.0 if len(option.target) == 1 else 0.0


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("calls"), "")


def test_nothing_is_asked_twice(setting: Setting) -> None:
    feature = Counting()
    decoder = setting.decoder(feature)
    for line in setting.sentences[:5]:
        feature.extended.clear()
        feature.finished.clear()
        [found] = decoder.with_weights(decoder.weights | {"last": 0.3, "ends": 0.2}).translate([line])
        assert set(feature.extended.values()) == {1}
        assert feature.finished[found.target[-1]] == 1
        assert set(feature.finished.values()) == {1}
        assert found.features["ends"] == float(found.target[-1] == ".")


def test_expectations_are_heard(setting: Setting) -> None:
    lines = setting.sentences[:8]
    weights = {"last": 0.0, "ends": 0.0}
    plain, expecting = setting.decoder(Counting(), option_limit=3), setting.decoder(Expecting(), option_limit=3)
    usual = plain.with_weights(plain.weights | weights).with_settings(pop_limit=1, beam=1).translate(lines)
    led = expecting.with_weights(expecting.weights | weights).with_settings(pop_limit=1, beam=1).translate(lines)
    # what is expected leads the search, and is not part of the score
    assert [each.text for each in usual] != [each.text for each in led]
    assert all(each.rescore() == pytest.approx(each.score, abs=1e-6) for each in led)
    assert sum(len(phrase.target) == 1 for each in led for phrase in each.phrases) > sum(
        len(phrase.target) == 1 for each in usual for phrase in each.phrases
    )
