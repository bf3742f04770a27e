"""Exact search with models that look back: the best of all where their states can be gone through, else a refusal."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from dragoman.errors import SettingError
from dragoman.features.bilingual import BilingualModel, JointFeature, SequenceFeature, paired_words
from dragoman.features.order_models import ChoiceTraining, DependencyFeature, JumpFeature, RelationFeature
from dragoman.lm import estimate
from dragoman.neural.joint_training import JointSettings, train_joint_model
from dragoman.search.phrase import PhraseDecoder
from dragoman.search.settings import ExactSettings
from dragoman.text import synthetic
from dragoman.text.source_text import Source, SourceText
from tests.search.setting import Setting

pytestmark = pytest.mark.slow
TRAINING = ChoiceTraining(passes=3, min_count=1)
JOINT = JointSettings(history=3, window=2, vector=6, hidden=16, classes=3, passes=2, exact_passes=1, samples=16)
SMALL = {"distortion_limit": 2, "option_limit": 3, "max_phrase_length": 2}


class World:
    """A small model of phrases, annotated text of both sides, and sentences with their trees."""

    def __init__(self, folder: Path) -> None:
        self.setting = Setting(folder, "")
        items = list(synthetic.pair("en-de").generate(300, seed=4))
        self.source = [item.source.annotated for item in items]
        self.target = [item.target.annotated for item in items]
        self.links = [item.pharaoh for item in items]
        held = [item.source.annotated for item in synthetic.pair("en-de").generate(25, seed=4, start=1000)]
        self.held = sorted(map(SourceText.annotated, held), key=lambda text: len(text.text.split()))

    def decoder(self, model: BilingualModel, **settings: object) -> PhraseDecoder:
        plain = self.setting.decoder(**settings)
        return plain.with_features([model], {**plain.weights, model.name: 0.7})

    def joint(self, **settings: int) -> JointFeature:
        return JointFeature(train_joint_model(*self.setting.aligned, replace(JOINT, **settings), threads=1))

    def sequence(self) -> SequenceFeature:
        return SequenceFeature(estimate(paired_words(*self.setting.aligned), order=3).build())

    def jumps(self, *, future: bool) -> JumpFeature:
        made = JumpFeature.train(self.source, self.links, TRAINING, future=future)
        assert isinstance(made, JumpFeature)
        return made

    def relations(self, *, future: bool) -> RelationFeature:
        made = RelationFeature.train(self.source, self.links, TRAINING, future=future)
        assert isinstance(made, RelationFeature)
        return made

    def dependencies(self, window: int) -> DependencyFeature:
        return DependencyFeature.train(self.target, TRAINING, window=window)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


def check(decoder: PhraseDecoder, texts: Sequence[Source]) -> None:
    """Equal to search that keeps everything, with a proof that its verifier accepts."""
    whole = decoder.with_settings(search="stack", beam=2**31).translate(texts)
    for best, found in zip(whole, decoder.optimize(texts, ExactSettings(epsilon=1e-9)), strict=True):
        assert found.score == pytest.approx(best.score, abs=1e-5)
        assert found.proof is not None
        assert found.proof.optimal
        assert found.rescore() == pytest.approx(found.score, abs=1e-5)
        if found.proof.certificate is not None:
            assert found.proof.certificate.verify(decoder.language_models).valid
        else:
            assert "too many states" in found.proof.missing


def test_joint_and_sequence_models(world: World) -> None:
    for model in (world.joint(), world.sequence()):
        check(world.decoder(model, **SMALL), world.held[:5])


def test_models_of_order_that_look_at_the_last_word(world: World) -> None:
    for model in (world.jumps(future=False), world.relations(future=False)):
        check(world.decoder(model, **SMALL), world.held[:5])


def test_the_dependency_model_with_a_short_window(world: World) -> None:
    check(world.decoder(world.dependencies(1), **SMALL), world.held[:2])


def refused(decoder: PhraseDecoder, text: Source) -> str:
    with pytest.raises(SettingError, match="exact search knows no bound of a feature with so many states") as told:
        decoder.optimize([text], ExactSettings(time_limit=60))
    assert told.value.remedy
    return str(told.value)


def test_refusals_name_the_model_and_its_setting(world: World) -> None:
    long = world.held[-1]
    said = refused(world.decoder(world.joint(history=8)), long)
    assert "the joint model" in said
    assert "joint=false" in said
    said = refused(world.decoder(world.jumps(future=True)), long)
    assert "the model of jumps" in said
    assert "distortion_model=false, or with future_order=false" in said
    said = refused(world.decoder(world.relations(future=True)), long)
    assert "the model of order by grammatical relation" in said
    assert "relation_order=false, or with future_order=false" in said
    said = refused(world.decoder(world.dependencies(0)), long)
    assert "the dependency language model" in said
    assert "dependency_lm=false" in said


def test_a_sequence_model_of_everything_is_refused(world: World) -> None:
    """One that has seen the words of a sentence in every order has a state for each."""
    plain = world.setting.decoder(max_phrase_length=1)
    line = world.held[-1].text
    words = {
        f"{option.target[0]}|{line.split()[option.start]}"
        for option in plain.stated_problem(line).options
        if len(option.target) == 1
    }
    chance, pairs = random.Random(1), sorted(words)
    text = [" ".join(chance.choices(pairs, k=12)) for _ in range(6000)]
    said = refused(world.decoder(SequenceFeature(estimate(text, order=5).build()), max_phrase_length=1), line)
    assert "the sequence model" in said
    assert "sequence=false" in said


def test_templates_are_refused_by_name(world: World) -> None:
    plain = world.setting.decoder()
    words = plain.with_features(["target_ngram:order=5"], {**plain.weights})
    assert "leave them out of --templates" in refused(words, world.held[-1].text)
