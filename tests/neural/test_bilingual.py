"""Models of both sides in search: scores recompute from outside, states are exact, threads change nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import InputError, SettingError
from dragoman.features.bilingual import JointFeature, SequenceFeature, paired_words
from dragoman.lm import estimate
from dragoman.neural.joint_training import JointSettings, train_joint_model
from dragoman.pipeline.recipe import Recipe
from dragoman.search.phrase import PhraseDecoder
from dragoman.search.translation import SentenceTranslation
from tests.neural.network import affiliated, network_score
from tests.search.setting import Setting

TINY = JointSettings(history=3, window=2, vector=6, hidden=16, classes=3, passes=2, exact_passes=1, samples=16)


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("search"), "wbe-msd-bidirectional-fe")


@pytest.fixture(scope="module")
def joint(setting: Setting) -> JointFeature:
    return JointFeature(train_joint_model(*setting.aligned, TINY, threads=1))


@pytest.fixture(scope="module")
def sequence(setting: Setting) -> SequenceFeature:
    return SequenceFeature(estimate(paired_words(*setting.aligned), order=3).build())


@pytest.fixture(scope="module")
def decoder(setting: Setting, joint: JointFeature, sequence: SequenceFeature) -> PhraseDecoder:
    plain = setting.decoder()
    return plain.with_features([joint, sequence], {**plain.weights, "joint": 0.4, "sequence": 0.3})


def placed(found: SentenceTranslation) -> tuple[list[int], list[str]]:
    """Positions that words are affiliated with inside their phrases, and words with what they are linked to."""
    positions: list[int] = []
    pairs: list[str] = []
    for phrase in found.phrases:
        start, at = phrase.source_span[0], phrase.target_span[0]
        inside = [(i - start, j - at) for i, j in phrase.links]
        positions += [start + position for position in affiliated(inside, len(phrase.target))]
        links = " ".join(f"{i}-{j}" for i, j in inside)
        pairs += paired_words([" ".join(phrase.source)], [" ".join(phrase.target)], [links])
    return positions, pairs


def test_scores_recompute_from_the_output(setting: Setting, decoder: PhraseDecoder, joint: JointFeature) -> None:
    sequence = decoder.bilingual_models[1]
    assert isinstance(sequence, SequenceFeature)
    for found in decoder.translate(setting.sentences[:10], forests=True):
        positions, pairs = placed(found)
        wanted = network_score(joint.model, found.source, found.target, positions)
        assert found.features["joint"] == pytest.approx(wanted, abs=1e-5 * max(1, len(positions)))
        assert found.features["sequence"] == pytest.approx(sequence.model.score([" ".join(pairs)])[0], abs=1e-4)
        assert found.rescore() == pytest.approx(found.score, abs=1e-5)
        for derivation in found.nbest(20):
            assert derivation.rescore(decoder.weights) == pytest.approx(derivation.score, abs=1e-5)


def test_states_hold_all_that_is_looked_at(setting: Setting, decoder: PhraseDecoder) -> None:
    decoder.with_settings(check_features=True).translate(setting.sentences[:6])


def test_threads_change_nothing(setting: Setting, decoder: PhraseDecoder) -> None:
    once = [each.to_dict() | {"seconds": 0} for each in decoder.translate(setting.sentences, threads=1)]
    again = [each.to_dict() | {"seconds": 0} for each in decoder.translate(setting.sentences, threads=3)]
    assert once == again


def test_a_late_pass_asks_about_what_search_kept(setting: Setting, decoder: PhraseDecoder, joint: JointFeature) -> None:
    plain = decoder.with_weights({name: value for name, value in decoder.weights.items() if name != "joint"})
    before = plain.translate(setting.sentences[:10])
    one = decoder.with_settings(late_steps=1).translate(setting.sentences[:10])
    assert [found.text for found in one] == [found.text for found in before], "the best derivation and nothing else"
    late = decoder.with_settings(late_steps=10**6)
    for found, alone in zip(late.translate(setting.sentences[:10], forests=True), one, strict=True):
        positions, _ = placed(found)
        wanted = network_score(joint.model, found.source, found.target, positions)
        assert found.features["joint"] == pytest.approx(wanted, abs=1e-5 * max(1, len(positions)))
        assert found.rescore() == pytest.approx(found.score, abs=1e-5)
        assert found.score > alone.score - 1e-9
        listed = found.nbest(20)
        assert listed[0].score == pytest.approx(found.score, abs=1e-9)
        for derivation in listed:
            assert derivation.rescore(decoder.weights) == pytest.approx(derivation.score, abs=1e-5)
    late.with_settings(check_features=True).translate(setting.sentences[:3])


def test_where_search_keeps_all_it_does_not_matter_when_a_model_is_asked(
    setting: Setting, decoder: PhraseDecoder
) -> None:
    short = [" ".join(sentence.split()[:4]) for sentence in setting.sentences[:6]]
    whole = decoder.with_settings(search="stack", beam=10**6, option_limit=5)
    best = whole.translate(short)
    late = whole.with_settings(late_steps=10**9).translate(short, threads=2)
    assert [found.score for found in late] == pytest.approx([found.score for found in best], abs=1e-6)


def test_explanations_name_them(setting: Setting, decoder: PhraseDecoder) -> None:
    [found] = decoder.translate(setting.sentences[:1])
    assert {"joint", "sequence"} <= set(found.features)
    assert decoder.families == ()
    assert decoder.unknown_to_moses == ("joint", "sequence")


def test_a_model_of_another_text_is_refused(setting: Setting) -> None:
    other = train_joint_model(["x y z"] * 20, ["u v w"] * 20, ["0-0 1-1 2-2"] * 20, TINY, threads=1)
    plain = setting.decoder()
    with pytest.raises(InputError, match="a joint model of another text"):
        plain.with_features([JointFeature(other)], plain.weights)


@pytest.mark.parametrize("kind", ["hiero", "lr-hiero", "gappy"])
def test_decoders_that_cannot_ask_them_say_so(kind: str) -> None:
    with pytest.raises(SettingError, match="cannot ask that model"):
        Recipe(kind=kind, joint=True)
    with pytest.raises(SettingError, match="cannot ask that model"):
        Recipe(kind=kind, sequence=True)


def test_settings_of_a_recipe_are_checked_at_once() -> None:
    with pytest.raises(SettingError, match="hidden"):
        Recipe(joint=True, joint_settings=("hidden=0",))
    assert Recipe(seed=7).joint_training.seed == 7


def test_files(joint: JointFeature, sequence: SequenceFeature, tmp_path: Path) -> None:
    for model in (joint, sequence):
        model.save(tmp_path / f"{model}.bin")
        assert str(type(model).open(tmp_path / f"{model}.bin")) == str(model)
