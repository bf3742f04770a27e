"""What words mean, in search: values recompute from outside, columns and features agree, threads change nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dragoman.errors import InputError, SettingError
from dragoman.features.word_meaning import ContextFeature, VectorFeature
from dragoman.grammar.phrases import extract
from dragoman.pipeline.recipe import Recipe
from dragoman.search.head_translations import head_translations
from dragoman.search.phrase import PhraseDecoder
from dragoman.semantics.mutual_information import MutualInformation
from dragoman.semantics.phrase_similarity import KINDS, PhraseVectors, VectorColumns
from dragoman.semantics.vectors import WordVectors
from tests.search.setting import Setting


def random_vectors(lines: list[str], seed: int) -> WordVectors:
    words = sorted({word for line in lines for word in line.split()})
    return WordVectors(words, np.random.default_rng(seed).normal(size=(len(words), 5)))


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("search"), "wbe-msd-bidirectional-fe")


@pytest.fixture(scope="module")
def vectors(setting: Setting) -> PhraseVectors:
    source, target, _ = setting.aligned
    return PhraseVectors.of(random_vectors(source, 1), random_vectors(target, 2))


@pytest.fixture(scope="module")
def information(setting: Setting) -> MutualInformation:
    source, target, links = setting.aligned
    return MutualInformation.train(source, target, links=links, function_words=3)


@pytest.fixture(scope="module")
def decoder(setting: Setting, vectors: PhraseVectors, information: MutualInformation) -> PhraseDecoder:
    plain = setting.decoder()
    features = [VectorFeature(vectors, tuple(KINDS)), ContextFeature(information)]
    named = [*(f"vectors.{kind}" for kind in KINDS), *(f"context.{kind}" for kind in ("own", "all", "others"))]
    return plain.with_features(features, {**plain.weights, **dict.fromkeys(named, 0.3)})


def test_values_recompute_from_the_output(
    setting: Setting, decoder: PhraseDecoder, vectors: PhraseVectors, information: MutualInformation
) -> None:
    scales = information.native.scales
    for found in decoder.translate(setting.sentences[:10]):
        assert found.rescore() == pytest.approx(found.score, abs=1e-6)
        for phrase in found.phrases:
            alike = vectors.compare([" ".join(phrase.source)], [" ".join(phrase.target)])
            for kind in KINDS:
                assert phrase.features.get(f"vectors.{kind}", 0.0) == pytest.approx(alike[kind][0], abs=1e-9)
            sums = np.zeros(3)
            for i, j in () if phrase.unknown else phrase.links:  # of a copied word nothing is known
                word = found.target[j]
                if information.is_content(found.source[i]) and information.is_content(word, target=True):
                    said = information.context(found.source, i, [word])
                    sums += np.array([said.own[0], said.all[0], said.others[0]]) / scales
            for kind, value in zip(("own", "all", "others"), sums, strict=True):
                assert phrase.features.get(f"context.{kind}", 0.0) == pytest.approx(value, abs=1e-9)


def test_threads_change_nothing(setting: Setting, decoder: PhraseDecoder) -> None:
    one, many = (decoder.translate(setting.sentences, threads=threads) for threads in (1, 4))
    assert [(each.text, each.score) for each in one] == [(each.text, each.score) for each in many]


def test_a_column_says_what_a_feature_says(setting: Setting, vectors: PhraseVectors, tmp_path: Path) -> None:
    table = extract(*setting.aligned, tmp_path / "t", features=[VectorColumns(vectors)]).table
    plain = setting.decoder()
    assert "vectors.cosine" in table.columns
    with_feature = plain.with_features([VectorFeature(vectors)], {**plain.weights, "vectors.cosine": 0.5})
    for found in with_feature.translate(setting.sentences[:5]):
        for phrase in found.phrases:
            for rule in table.lookup(" ".join(phrase.source)):
                if rule.target_text == " ".join(phrase.target):
                    assert phrase.features.get("vectors.cosine", 0.0) == pytest.approx(
                        rule.values["vectors.cosine"], abs=1e-6
                    )


def test_models_of_another_language_are_refused(setting: Setting, vectors: PhraseVectors) -> None:
    plain = setting.decoder()
    strange = WordVectors(["qq", "ww"], np.eye(2))
    with pytest.raises(InputError, match="vectors of another text"):
        plain.with_features([VectorFeature(PhraseVectors.of(strange, strange))], plain.weights)
    counts = MutualInformation.train(["qq ww"], ["rr tt"], function_words=0)
    with pytest.raises(InputError, match="counts of another text"):
        plain.with_features([ContextFeature(counts)], plain.weights)


def test_recipes_name_them() -> None:
    assert Recipe(vectors=True, context=True).bilingual_models == ["vectors", "context"]
    with pytest.raises(SettingError, match="window"):
        Recipe(vectors_settings=("window=0",))
    with pytest.raises(SettingError, match="cannot ask"):
        Recipe(vectors=True, kind="hiero")


def test_what_a_word_becomes(setting: Setting) -> None:
    decoder = setting.decoder()
    tokens = setting.sentences[0].split()
    found = head_translations(decoder, tokens, 0, nbest=50)
    best = decoder.translate([setting.sentences[0]], forests=True)[0]
    first = " ".join(best.target[j] for i, j in best.alignment if i == 0)
    assert not first or found[0] == first
    assert len(found) == len(set(found))
    with pytest.raises(InputError):
        head_translations(decoder, tokens, len(tokens))
