"""What decoders read: run-time rules, class language models, and what a user knows of unknown words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from dragoman.errors import InputError, SettingError
from dragoman.features.base import SourceSentence
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.limits import PhraseLimits
from dragoman.grammar.phrases import extract
from dragoman.lm import estimate
from dragoman.search.phrase import LanguageModel, PhraseDecoder, PhraseSettings
from tests.search.setting import Setting


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("models"), "hier-mslr-bidirectional-fe")


def test_a_table_with_gaps_is_refused_by_name(tmp_path: Path) -> None:
    made = extract(["a b c"], ["x y"], ["0-0 2-0 1-1"], tmp_path / "gappy.table", limits=PhraseLimits(gaps=True))
    with pytest.raises(SettingError, match=r"gappy.table: a table of phrases with gaps.*without --gaps"):
        PhraseDecoder(made.table, [])


def test_rules_added_and_removed_at_run_time_count_from_the_next_call(setting: Setting) -> None:
    rules = DynamicTable(setting.table)
    decoder = PhraseDecoder(rules, [LanguageModel("lm", setting.model)], {}, PhraseSettings(pop_limit=60, beam=60))
    decoder = decoder.with_weights(decoder.start_weights() | {"unknown": 5.0})
    sentence = "the old house Zyx ."
    plain = setting.decoder().with_weights(decoder.weights)
    [before] = decoder.translate([sentence])
    assert before.to_dict() | {"seconds": 0} == plain.translate([sentence])[0].to_dict() | {"seconds": 0}
    assert before.unknown_words == ("Zyx",)

    rules.add("house Zyx", "Hausname Zyxer", values={"phrase.ts": 3.0})
    [after] = decoder.translate([sentence], forests=True)
    assert "Hausname Zyxer" in after.text
    assert after.unknown_words == ()
    for derivation in after.nbest(20):
        assert derivation.rescore(decoder.weights) == pytest.approx(derivation.score, abs=1e-6)

    rules.undo()
    assert decoder.translate([sentence])[0].text == before.text
    best = max(before.phrases, key=lambda phrase: len(phrase.source))
    rules.remove(best.source, best.target)
    [without] = decoder.translate([sentence])
    assert (best.source, best.target) not in [(phrase.source, phrase.target) for phrase in without.phrases]
    rules.undo()
    assert decoder.translate([sentence])[0].text == before.text


def test_forests_where_rules_of_the_table_and_of_the_layer_compete(setting: Setting) -> None:
    """Both have more options than are kept, so that the chart is cut after its options got their numbers."""
    rules = DynamicTable(setting.table)
    settings = PhraseSettings(pop_limit=60, beam=60, option_limit=3)
    decoder = PhraseDecoder(rules, [LanguageModel("lm", setting.model)], {}, settings)
    decoder = decoder.with_weights(decoder.start_weights())
    for sentence in setting.sentences[:8]:
        for word in sentence.split():
            for number in range(6):
                rules.add(word, f"{word}{number}", values={"phrase.ts": -0.1 * number})
    for found in decoder.translate(setting.sentences[:8], forests=True):
        listed = found.nbest(30)
        assert listed[0].score == pytest.approx(found.score, abs=1e-6)
        for derivation in listed:
            assert derivation.rescore(decoder.weights) == pytest.approx(derivation.score, abs=1e-6)


def test_several_language_models_and_one_over_classes(setting: Setting) -> None:
    items = [setting.table.native.target_word(index) for index in range(setting.table.native.target_size)]
    classes = {word: f"c{len(word) % 3}" for word in items if len(word) > 2} | {"<unk>": "short", "Zyx": "c0"}
    text = setting.decoder().translate(setting.sentences)
    lines = [" ".join(classes.get(word, "short") for word in t.target) for t in text]
    over_classes = estimate(lines, order=3).build()
    models = [LanguageModel("lm", setting.model), LanguageModel("lm_class", over_classes, classes)]
    decoder = PhraseDecoder(setting.table, models, {}, PhraseSettings(pop_limit=60, beam=60))
    decoder = decoder.with_weights(decoder.start_weights())
    for translation in decoder.translate([*setting.sentences[:6], "the Zyx Zyz c1 house ."]):
        assert translation.features["lm"] == pytest.approx(setting.model.score([translation.text])[0], abs=1e-4)
        mapped = " ".join(classes.get(word, "short") for word in translation.target)
        assert translation.features["lm_class"] == pytest.approx(over_classes.score([mapped])[0], abs=1e-4)


def test_a_hook_translates_unknown_words(setting: Setting) -> None:
    calls = []

    def hook(
        sentence: SourceSentence, positions: tuple[int, ...]
    ) -> Sequence[Sequence[tuple[str, Mapping[str, float]]]]:
        calls.append((sentence.number, positions))
        if "Bad" in sentence.tokens:
            raise ValueError("no idea")
        return [[(f"{sentence.tokens[i].lower()} eins", {"hook": 1.0})] if i else [] for i in positions]

    models = [LanguageModel("lm", setting.model)]
    decoder = PhraseDecoder(setting.table, models, {}, PhraseSettings(pop_limit=60), unknown_words=hook)
    weighted = decoder.with_weights(decoder.start_weights() | {"hook": -0.5})
    good, bad, known = weighted.try_translate(["Abc the Xyz Uvw .", "the Bad", "the old house ."])
    assert not isinstance(good, Exception)
    assert not isinstance(known, Exception)
    assert calls == [(0, (0, 2, 3)), (1, (1,))]
    assert "Abc" in good.text
    assert "xyz eins" in good.text
    assert good.unknown_words == ("Abc",)
    assert good.features["hook"] == 2.0
    assert good.rescore() == pytest.approx(good.score, abs=1e-6)
    assert isinstance(bad, InputError)
    assert "sentence 2: the hook for unknown words failed: ValueError: no idea" in str(bad)
    with pytest.raises(InputError, match="answered for 0 words of 1"):
        PhraseDecoder(setting.table, models, {}, unknown_words=lambda sentence, positions: []).translate(["Abc"])


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_must_be_finite(setting: Setting, value: float) -> None:
    with pytest.raises(SettingError, match="'lm'"):
        setting.decoder().with_weights({"lm": value})
