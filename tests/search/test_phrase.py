from __future__ import annotations

import itertools
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.errors import InputError, SettingError
from dragoman.features.base import Fire, Option, RuleFeature, SourceSentence, StateFeature
from dragoman.grammar.table import RuleTable
from dragoman.search.constraints import Constraints, ExtraOption
from dragoman.search.phrase import PhraseDecoder, PhraseSettings
from tests.search.setting import Setting


@pytest.fixture(scope="module", params=["", "wbe-msd-bidirectional-fe", "hier-mslr-bidirectional-fe"])
def setting(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("search"), request.param)


@pytest.fixture(scope="module")
def hierarchical(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("search"), "hier-mslr-bidirectional-fe")


@pytest.mark.slow
@pytest.mark.parametrize("search", ["cube", "stack"])
def test_every_nbest_score_recomputes(setting: Setting, search: str) -> None:
    for options in ({}, {"future_distortion": True, "final_jump": True}, {"limit_kind": "window"}):
        decoder = setting.decoder(search=search, beam=30, **options)
        for translation in decoder.translate(setting.sentences[:8], forests=True):
            assert translation.rescore() == pytest.approx(translation.score, abs=1e-6)
            best, *others = translation.nbest(50)
            assert best.score == pytest.approx(translation.score, abs=1e-6)
            assert best.text == translation.text
            for derivation in (best, *others):
                assert derivation.rescore(decoder.weights) == pytest.approx(derivation.score, abs=1e-6)


def test_features_are_spelt_when_somebody_looks(setting: Setting) -> None:
    decoder = setting.decoder()
    [found], [again] = decoder.translate(setting.sentences[:1]), decoder.translate(setting.sentences[:1])
    phrase = found.phrases[0]
    copied = pickle.loads(pickle.dumps(phrase))  # not looked at yet, and then plain
    assert type(copied.features) is dict
    assert copied.features == phrase.features == dict(again.phrases[0].features.items())
    assert repr(phrase.features) == repr(dict(phrase.features))
    assert found.phrases == again.phrases
    assert phrase.features["phrase_penalty"] == 1
    assert "no such feature" not in phrase.features
    assert sum(decoder.weights[name] * phrase.features[name] for name in phrase.features) == pytest.approx(phrase.score)


def test_the_language_model_scores_the_output_as_from_outside(setting: Setting) -> None:
    for translation in setting.decoder().translate(setting.sentences[:8]):
        assert translation.features["lm"] == pytest.approx(setting.model.score([translation.text])[0], abs=1e-4)


def test_every_source_word_is_translated_once(setting: Setting) -> None:
    for translation in setting.decoder().translate(setting.sentences):
        covered = sorted(itertools.chain.from_iterable(range(*phrase.source_span) for phrase in translation.phrases))
        assert covered == list(range(len(translation.source)))
        assert [word for phrase in translation.phrases for word in phrase.target] == list(translation.target)


def test_threads_and_repetition_change_nothing(setting: Setting) -> None:
    decoder = setting.decoder()
    once = [translation.to_dict() | {"seconds": 0} for translation in decoder.translate(setting.sentences, threads=1)]
    for threads in (1, 2, 7):
        again = decoder.translate(setting.sentences, threads=threads)
        assert [translation.to_dict() | {"seconds": 0} for translation in again] == once


@pytest.mark.slow
def test_a_larger_search_is_not_worse_on_average(hierarchical: Setting) -> None:
    means = [
        sum(t.score for t in hierarchical.decoder(pop_limit=size, beam=size).translate(hierarchical.sentences))
        for size in (5, 50, 500)
    ]
    assert means[0] <= means[1] + 1e-9 <= means[2] + 2e-9


def test_monotone_decoding_keeps_the_order(hierarchical: Setting) -> None:
    for translation in hierarchical.decoder(distortion_limit=0).translate(hierarchical.sentences):
        starts = [phrase.source_span[0] for phrase in translation.phrases]
        assert starts == sorted(starts)


class Clash(StateFeature):
    """Costs one when a phrase starts with the last letter before it; `state` is that letter, or a wrong one."""

    def start(self, sentence: SourceSentence) -> str:
        return ""

    def extend(self, state: object, option: Option, fire: Fire) -> str:
        text = "".join(option.target)
        if state and text.startswith(str(state)):
            fire("clash", -1.0)
        return text[-1:] or str(state)


class Letters(RuleFeature):
    def rule(self, sentence: SourceSentence, option: Option, fire: Fire) -> None:
        fire("letters", sum(map(len, option.target)) / 10)


def test_features_written_in_python(hierarchical: Setting) -> None:
    decoder = hierarchical.decoder(Clash(), Letters())
    weighted = decoder.with_weights(decoder.weights | {"clash": 2.0, "letters": 0.1})
    for translation in weighted.translate(hierarchical.sentences[:6], forests=True, threads=2):
        assert translation.rescore() == pytest.approx(translation.score, abs=1e-6)
        letters = sum(map(len, translation.target)) / 10
        assert translation.features.get("letters", 0.0) == pytest.approx(letters)
        previous, clashes = "", 0
        for phrase in translation.phrases:
            text = "".join(phrase.target)
            clashes -= bool(previous) and text.startswith(previous)
            previous = text[-1:] or previous
        assert translation.features.get("clash", 0.0) == clashes
        for derivation in translation.nbest(20):
            assert derivation.rescore(weighted.weights) == pytest.approx(derivation.score, abs=1e-6)


def test_a_feature_of_zero_changes_nothing(hierarchical: Setting) -> None:
    plain = hierarchical.decoder().translate(hierarchical.sentences[:6])
    silent = hierarchical.decoder(Clash()).translate(hierarchical.sentences[:6])
    assert [t.text for t in plain] == [t.text for t in silent]
    assert [t.score for t in plain] == pytest.approx([t.score for t in silent])


class Broken(RuleFeature):
    def rule(self, sentence: SourceSentence, option: Option, fire: Fire) -> None:
        if "house" in sentence.tokens:
            raise ValueError("no houses")


def test_a_broken_feature_is_named_and_stops_nothing_else(hierarchical: Setting) -> None:
    decoder = hierarchical.decoder(Broken())
    good, bad = decoder.try_translate(["the dog sleeps .", "the house"])
    assert not isinstance(good, Exception)
    assert isinstance(bad, InputError)
    assert "sentence 2: the feature Broken failed: ValueError: no houses" in str(bad)
    with pytest.raises(InputError, match="Broken"):
        decoder.translate(["the house"])


@pytest.mark.parametrize(("unknown", "expected"), [("copy", "Zyx"), ("mark", "<unk:Zyx>"), ("drop", "")])
def test_unknown_words(hierarchical: Setting, unknown: str, expected: str) -> None:
    [translation] = hierarchical.decoder(unknown=unknown).translate(["Zyx"])
    assert translation.text == expected
    assert translation.unknown_words == ("Zyx",)
    assert translation.features["unknown"] == -1


def test_extra_options_may_exclude_others(hierarchical: Setting) -> None:
    limits = [Constraints((ExtraOption(1, 2, "Fachbegriff hier", {"glossary": 1.0}, policy="exclusive"),))]
    [translation] = hierarchical.decoder().translate(["the house is old ."], constraints=limits)
    assert "Fachbegriff hier" in translation.text
    assert translation.features["glossary"] == 1.0


@given(line=st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_can_be_translated(hierarchical: Setting, line: str) -> None:
    [translation] = hierarchical.decoder(pop_limit=20, beam=20).translate([line])
    assert list(translation.source) == re.findall(r"[^ \t\n\v\f\r]+", line)
    assert bool(translation.target) == bool(translation.source)
    assert translation.rescore() == pytest.approx(translation.score, abs=1e-6)


def test_an_empty_sentence_stays_empty(hierarchical: Setting) -> None:
    [empty] = hierarchical.decoder().translate([""])
    assert empty.text == ""


def test_settings_are_checked() -> None:
    with pytest.raises(SettingError, match="it must be one of cube, stack"):
        PhraseSettings(search="beam")
    with pytest.raises(SettingError, match="pop_limit is 0"):
        PhraseSettings(pop_limit=0)


@pytest.mark.slow
def test_tables_without_reordering_need_none(tmp_path: Path) -> None:
    table: RuleTable = Setting(tmp_path, "").table
    decoder = PhraseDecoder(table, [], {"phrase.ts": 1.0})
    assert "orientation.next.swap" not in decoder.feature_names
    assert decoder.translate(["the old house"])[0].score < 0
