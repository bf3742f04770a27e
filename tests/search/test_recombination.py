"""Which partial translations may be one, and whether features say so truthfully."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import pytest

from dragoman.errors import InputError
from dragoman.features.base import Fire, Option, SourceSentence, StateFeature
from dragoman.grammar.phrases import extract
from dragoman.lm import estimate
from dragoman.search.phrase import LanguageModel, PhraseDecoder, PhraseSettings
from tests.search.setting import Setting


class Clash(StateFeature):
    """Costs one when a phrase starts with the last letter written before it; that letter is the state."""

    def start(self, sentence: SourceSentence) -> Hashable:
        return ""

    def extend(self, state: Hashable, option: Option, fire: Fire) -> Hashable:
        text = "".join(option.target)
        if state and text.startswith(str(state)):
            fire("clash", -1.0)
        return text[-1:] or state


class Forgetful(Clash):
    """Uses the last letter and says that all states are equal."""

    class Letter(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Forgetful.Letter)

        def __hash__(self) -> int:
            return 0

    def start(self, sentence: SourceSentence) -> Hashable:
        return self.Letter("")

    def extend(self, state: Hashable, option: Option, fire: Fire) -> Hashable:
        return self.Letter(super().extend(state, option, fire))


class Impure(StateFeature):
    """Remembers the last option in itself, where search cannot see it."""

    def start(self, sentence: SourceSentence) -> Hashable:
        self.last = ""
        return None

    def extend(self, state: Hashable, option: Option, fire: Fire) -> Hashable:
        fire("impure", float(len(self.last)))
        self.last = " ".join(option.target)
        return None


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> PhraseDecoder:
    """Source `a b`, monotone; a becomes `uk` or, at -0.1, `um`; b becomes `ka`; the language model is constant."""
    folder = tmp_path_factory.mktemp("letters")
    pairs = [("a", "uk"), ("a", "um"), ("b", "ka")]
    table = extract([a for a, _ in pairs], [b for _, b in pairs], ["0-0"] * 3, folder / "letters.table").table
    model = estimate(["uk um ka", "um ka uk", "ka uk um"], order=1).build()
    weights = {"um": -0.1, "clash": 1.0}

    class Dearer(Clash):
        def extend(self, state: Hashable, option: Option, fire: Fire) -> Hashable:
            if option.target == ("um",):
                fire("um", 1.0)
            return super().extend(state, option, fire)

    settings = PhraseSettings(distortion_limit=0)
    return PhraseDecoder(table, [LanguageModel("lm", model)], weights, settings, features=[Dearer()])


def test_only_exact_recombination_respects_the_state_of_a_feature(letters: PhraseDecoder) -> None:
    """Worked example for Green, Cer and Manning (2014): the clash is seen only by those who keep both letters."""
    [exact] = letters.translate(["a b"])
    assert exact.text == "um ka"
    assert exact.score == pytest.approx(-0.1)
    [pharaoh] = letters.with_settings(recombination="pharaoh").translate(["a b"])
    assert pharaoh.text == "uk ka"
    assert pharaoh.score == pytest.approx(-1.0)


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("recombination"), "hier-mslr-bidirectional-fe")


def test_exact_recombination_is_never_worse_with_unlimited_beams(setting: Setting) -> None:
    sentences = [sentence for sentence in setting.sentences if len(sentence.split()) <= 7][:4]
    limits = {"beam": 10**6, "pop_limit": 10**6, "distortion_limit": 2, "option_limit": 4}
    for exact, pharaoh in zip(
        setting.decoder(**limits).translate(sentences),
        setting.decoder(recombination="pharaoh", **limits).translate(sentences),
        strict=True,
    ):
        assert exact.score >= pharaoh.score - 1e-9
        assert pharaoh.rescore() == pytest.approx(pharaoh.score, abs=1e-6)
        assert pharaoh.statistics["kept"] <= exact.statistics["kept"]


def _weighted(setting: Setting, feature: StateFeature, **options: object) -> PhraseDecoder:
    decoder = setting.decoder(feature, beam=15, pop_limit=15, check_features=True, **options)
    return decoder.with_weights(decoder.weights | {"clash": 0.5, "impure": 0.1})


@pytest.mark.parametrize("recombination", ["exact", "pharaoh"])
def test_truthful_features_pass_the_check(setting: Setting, recombination: str) -> None:
    checked = _weighted(setting, Clash(), recombination=recombination).translate(setting.sentences[:4])
    plain = setting.decoder(Clash(), beam=15, pop_limit=15, recombination=recombination)
    assert [t.text for t in checked] == [
        t.text for t in plain.with_weights(plain.weights | {"clash": 0.5}).translate(setting.sentences[:4])
    ]


@pytest.mark.parametrize(("feature", "name"), [(Forgetful(), "clash"), (Impure(), "impure")])
def test_a_state_that_forgets_is_caught(setting: Setting, feature: StateFeature, name: str) -> None:
    expected = f"sentence [1-4]: the state of the feature {type(feature).__name__} forgets something: '{name}' differs"
    with pytest.raises(InputError, match=expected):
        _weighted(setting, feature).translate(setting.sentences[:4], threads=1)


def test_native_features_can_be_checked_with_none_of_ones_own(setting: Setting, tmp_path: Path) -> None:
    [translation] = setting.decoder(check_features=True).translate(setting.sentences[:1])
    assert translation.rescore() == pytest.approx(translation.score, abs=1e-6)
