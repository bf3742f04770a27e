"""Learning weights on folds of the training text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dragoman.errors import SettingError
from dragoman.features import preset
from dragoman.forest import KBestLists
from dragoman.grammar.phrases import extract
from dragoman.lm import estimate
from dragoman.search.phrase import LanguageModel, PhraseDecoder, PhraseSettings
from dragoman.text import synthetic
from dragoman.text.heldout import cut_folds
from dragoman.text.synthetic.item import SyntheticItem
from dragoman.tuning.families import family
from dragoman.tuning.folds import Fold, FoldDecoder, learn_on_folds
from dragoman.tuning.online import Online
from tests.conformance import candidates


@pytest.fixture(scope="module")
def folds(tmp_path_factory: pytest.TempPathFactory) -> list[Fold]:
    folder = tmp_path_factory.mktemp("folds")
    items = list(synthetic.pair("en-de").generate(240, seed=4))
    source, target = ([" ".join(getattr(item, side).tokens) for item in items] for side in ("source", "target"))
    made: list[Fold] = []
    first: PhraseDecoder | None = None
    for number, rows in enumerate(cut_folds(source, folds=3, size=80, seed=1)):
        rest = sorted(set(range(len(items))) - set(rows))
        decoder = _decoder(folder / f"{number}.table", [items[row] for row in rest], first)
        first = first or decoder
        made.append(Fold(decoder, [source[row] for row in rows], [target[row] for row in rows]))
    return made


def _decoder(path: Path, items: list[SyntheticItem], like: PhraseDecoder | None) -> PhraseDecoder:
    source, target = ([" ".join(getattr(item, side).tokens) for item in items] for side in ("source", "target"))
    table = extract(source, target, [item.pharaoh for item in items], path).table
    models = [LanguageModel("lm", estimate(target, order=2).build())]
    decoder = PhraseDecoder(
        table, models, {}, PhraseSettings(pop_limit=20, beam=20), features=preset("sparse"), like=like
    )
    return decoder if like is not None else decoder.with_weights(decoder.start_weights())


def test_each_sentence_is_translated_by_the_models_of_the_others(folds: list[Fold]) -> None:
    weights = folds[0].decoder.weights
    fold_of = {str(sentence): number for number, fold in enumerate(folds) for sentence in fold.source}
    together = FoldDecoder([fold.decoder for fold in folds], fold_of).with_weights(weights)
    mixed = [fold.source[row] for row in range(5) for fold in folds]
    found = [each.text for each in together.translate(mixed, threads=1)]
    alone = [
        fold.decoder.with_weights(weights).translate([fold.source[row]], threads=1)[0].text
        for row in range(5)
        for fold in folds
    ]
    assert found == alone
    lists = together.kbest_lists(mixed, nbest=5, threads=1)
    assert candidates(lists) == candidates(KBestLists.of_forests(together.forests(mixed), nbest=5))
    assert len(together.kbest_lists([], nbest=5)) == 0
    others = folds[1].decoder.with_weights(weights)
    assert found != [each.text for each in others.translate(mixed, threads=1)], "the models differ"


def test_a_vector_of_weights_means_the_same_to_all(folds: list[Fold]) -> None:
    first, second = folds[0].decoder, folds[1].decoder
    weights = first.start_weights() | {"link:a>b": 3.0, "lm": 0.7}
    ids = {name: first.with_weights(weights).feature_ids.id(name) for name in weights}
    vector = np.zeros(len(first.feature_ids))
    vector[list(ids.values())] = [weights[name] for name in ids]
    sentences = folds[1].source[:10]
    by_vector, by_name = second.with_vector(vector), second.with_weights(weights)
    assert [each.score for each in by_vector.translate(sentences, threads=1)] == [
        each.score for each in by_name.translate(sentences, threads=1)
    ]


@pytest.mark.slow
def test_decoders_with_ids_of_their_own_are_refused(folds: list[Fold], tmp_path: Path) -> None:
    stranger = _decoder(tmp_path / "t", list(synthetic.pair("en-de").generate(20, seed=9)), None)
    with pytest.raises(SettingError, match="number features differently"):
        FoldDecoder([folds[0].decoder, stranger], {})


@pytest.mark.slow
def test_what_is_learned_pays_and_can_be_repeated(folds: list[Fold]) -> None:
    start = folds[0].decoder.weights
    tuner = Online(batch=20, rate=0.05)
    learned = learn_on_folds(folds, start, tuner=tuner, passes=3, nbest=30, threads=1)
    assert learned.scores[-1] > learned.scores[0] + 0.01, learned.scores
    assert {"rule", "link", "dense"} <= {family(name) for name, value in learned.weights.items() if value}
    again = learn_on_folds(folds, start, tuner=tuner, passes=3, nbest=30, threads=2)
    assert again.weights == learned.weights
    assert again.scores == learned.scores
