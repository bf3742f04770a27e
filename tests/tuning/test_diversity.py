"""Diversity: the preference flips to what differs, and numbers mean what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import LengthMismatch, SettingError
from dragoman.metrics import get_metric
from dragoman.metrics.blend import PositiveDiversity
from dragoman.tuning import tune
from dragoman.tuning.combination import CombinationDecoder
from dragoman.tuning.dev import DevSet
from dragoman.tuning.diversity import diversity, tune_diverse
from dragoman.tuning.matching import Matcher, join_outputs

REFERENCE = ["the minister said he would go home"]
EARLIER = ["the minister said that he would go home"]
OTHER = ["the minister announced he would go home"]


def test_the_preference_flips() -> None:
    bleu = get_metric("bleu+1:tokenize=none")
    plain = [bleu.corpus_score(text, REFERENCE) for text in (OTHER, EARLIER)]
    assert plain == pytest.approx([0.591546, 0.594604], abs=1e-6)
    diverse = PositiveDiversity([EARLIER], 0.95, bleu, bleu)
    found = [diverse.corpus_score(text, REFERENCE) for text in (OTHER, EARLIER)]
    assert found == pytest.approx([0.536329, 0.514873], abs=1e-6)


def test_sentences_are_judged_by_smoothed_terms_on_one_scale() -> None:
    corpus = get_metric("bleu:tokenize=none")
    dev = DevSet.of(["x"], REFERENCE, PositiveDiversity([EARLIER], 0.95, corpus, corpus))
    rows = dev.statistics([0, 0], [*OTHER, *EARLIER])
    assert rows.shape == (2, 18)
    assert dev.sentence_gains(rows) == pytest.approx(np.array([0.536329, 0.514873]), abs=1e-6)


texts = st.lists(st.sampled_from("abc"), min_size=1, max_size=6).map(" ".join)


@pytest.mark.slow
@given(text=texts, reference=texts, others=st.lists(texts, min_size=1, max_size=3), more=texts)
def test_references_alone_count_without_others_and_more_others_never_match_less(
    text: str, reference: str, others: list[str], more: str
) -> None:
    bleu = get_metric("bleu+1:tokenize=none")
    plain = bleu.corpus_score([text], [reference])
    earlier = [[other] for other in others]
    assert PositiveDiversity(earlier, 1.0, bleu, bleu).corpus_score([text], [reference]) == pytest.approx(plain)
    assert PositiveDiversity([], 0.3, bleu, bleu).corpus_score([text], [reference]) == pytest.approx(0.3 * plain)
    few, many = (
        PositiveDiversity(systems, 0.9, bleu, bleu).statistics([text], [reference])[0, bleu.width :][:4]
        for systems in (earlier, [*earlier, [more]])
    )
    assert (many >= few).all()


def test_copies_start_alike_and_turn_away_from_those_before() -> None:
    outputs = [
        ["the cat sat on a mat", "a dog ran house", "we saw the old house"],
        ["a cat sits on the mat", "a dog ran home", "we see an old house"],
    ]
    reference = ["the cat sat on the mat", "a dog ran home", "we saw the old house"]
    source = join_outputs(outputs)
    decoder = CombinationDecoder(2, None, matcher=Matcher(stages=("exact",)))
    found = tune_diverse([decoder] * 3, source, reference, alpha=0.5, iterations=2, nbest=20, threads=1)
    bleu = get_metric("bleu:tokenize=none")
    for number, system in enumerate(found):
        others = [list(earlier.outputs) for earlier in found[:number]]
        goal = PositiveDiversity(others, 0.5, bleu, bleu) if others else bleu
        alone = tune(decoder, source, reference, metric=goal, iterations=2, nbest=20, seed=1 + number, threads=1)
        assert system.weights == alone.weights
        assert list(system.outputs) == [t.text for t in decoder.with_weights(alone.weights).translate(source)]
    assert found[0].outputs != found[1].outputs


def test_copies_tuned_to_an_error_keep_it_low() -> None:
    outputs = [
        ["the cat sat on a mat", "a dog ran house", "we saw the old house"],
        ["a cat sits on the mat", "a dog ran home", "we see an old house"],
    ]
    reference = ["the cat sat on the mat", "a dog ran home", "we saw the old house"]
    decoder = CombinationDecoder(2, None, matcher=Matcher(stages=("exact",)))
    source = join_outputs(outputs)
    before = [translation.text for translation in decoder.translate(source)]
    found = tune_diverse([decoder] * 2, source, reference, metric="ter", iterations=2, nbest=20, threads=1)
    ter = get_metric("ter")
    for system in found:
        assert ter.corpus_score(system.outputs, reference) <= ter.corpus_score(before, reference) + 0.05


def test_a_bad_alpha_is_refused_before_anything_is_tuned() -> None:
    decoder = CombinationDecoder(2, None, matcher=Matcher(stages=("exact",)))
    seen: list[int] = []
    with pytest.raises(SettingError, match="alpha"):
        tune_diverse([decoder] * 2, ["a ||| b"], ["a"], alpha=1.1, watch=lambda number, _: seen.append(number))
    assert not seen


def test_identical_systems_have_none() -> None:
    output = ["a b c d e f", "g h i j k"]
    found = diversity([output, output, ["x y z v w u", "r s t q p"]])
    assert found.from_earlier == pytest.approx(np.array([1, 0, 1]))
    assert found.from_others == pytest.approx(np.array([0, 0, 1]))
    assert found.pairwise == pytest.approx(np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]]))
    assert found.useful == 1


def test_more_systems_leave_less_that_is_new() -> None:
    outputs = [["a b c d x f g"], ["a b c d e f g"], ["a b c x y f g"]]
    few, many = (diversity([*outputs[:n], ["a b c d x y g"]]).from_earlier[-1] for n in (1, 3))
    assert many <= few


def test_bad_input_is_refused() -> None:
    with pytest.raises(LengthMismatch):
        diversity([["a"], ["a", "b"]])
    with pytest.raises(SettingError):
        diversity([["a"], ["b"]], metric="ter")
