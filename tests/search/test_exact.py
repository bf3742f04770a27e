"""Exact phrase-based decoding against enumeration, and its certificates against tampering."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from dragoman.errors import LimitReached, SettingError
from dragoman.features.base import Fire, Option, SourceSentence, StateFeature
from dragoman.search.certificate import Certificate, StatedOption
from dragoman.search.certificate_files import read_certificate, write_certificate
from dragoman.search.constraints import Constraints
from dragoman.search.lattice import Lattice
from dragoman.search.settings import ExactSettings, SampleSettings
from dragoman.search.translation import SentenceTranslation
from tests.search.exact_instances import Instance, random_instance, worked_example
from tests.search.setting import Setting

LITERAL = ExactSettings(prune_every=0, seed_search=False, epsilon=1e-9)


def check(instance: Instance, settings: ExactSettings) -> SentenceTranslation:
    """What must hold of every run."""
    wanted = max(score for _, score in instance.derivations())
    found = instance.decoder.optimize([instance.source], settings, threads=1)[0]
    proof = found.proof
    assert proof is not None
    assert proof.optimal
    assert proof.stop == "proved"
    assert found.score == pytest.approx(wanted, abs=1e-5)
    assert proof.bound == pytest.approx(wanted, abs=1e-5)
    assert found.rescore() == pytest.approx(found.score, abs=1e-6)
    for before, after in pairwise(proof.trace):
        assert after.bound <= before.bound
        assert after.best >= before.best
    beam = instance.decoder.translate([instance.source], threads=1)[0]
    assert beam.score <= found.score + 1e-6
    return found


def test_worked_example(tmp_path: Path) -> None:
    """The run of two source words, refinement by refinement (Aziz, Dymetman and Specia 2014, by hand)."""
    instance = worked_example(tmp_path)
    found = check(instance, LITERAL)
    assert found.proof is not None
    rows = [(math.exp(row.bound), math.exp(row.score), row.nodes, row.edges) for row in found.proof.trace]
    wanted = [
        (0.018144, 0.0081648, 6, 10),
        (0.0127402, 0.0089181, 8, 13),
        (0.0127402, 0.0089181, 10, 16),
        (0.0089181, 0.0089181, 11, 17),
    ]
    for row, expected in zip(rows, wanted, strict=True):
        assert row == pytest.approx(expected, abs=1e-7)
    assert found.text == "a b"
    late = instance.decoder.optimize([instance.source], replace(LITERAL, start_known=False))[0].proof
    assert late is not None
    assert math.exp(late.trace[0].bound) == pytest.approx(0.096768, abs=1e-6)
    assert len(late.trace) == 4


def test_sums_of_the_worked_example(tmp_path: Path) -> None:
    """Sum of all scores, of all first bounds, and the share of draws that are accepted at first."""
    instance = worked_example(tmp_path)
    total = sum(math.exp(score) for _, score in instance.derivations())
    assert total == pytest.approx(0.03207971, abs=1e-7)
    drawn = instance.decoder.sample([instance.source], SampleSettings(samples=4000, acceptance=0.5), threads=1)[0]
    first = drawn.rounds[0]
    assert math.exp(first.log_norm) == pytest.approx(0.05648498, abs=1e-7)
    ratios = [row.mean_ratio for row in drawn.rounds if row.log_norm == first.log_norm]
    assert sum(ratios) / len(ratios) == pytest.approx(0.567933, abs=0.03)
    assert math.exp(drawn.log_partition) == pytest.approx(total, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(8))
def test_equals_enumeration(block: int, tmp_path: Path) -> None:
    """Pruned tables, back-offs above 1, several models, classes, negative weights, all switches."""
    for seed in range(250 * block, 250 * block + 250):
        chance = random.Random(seed)
        settings = ExactSettings(
            epsilon=1e-9,
            prune_every=chance.choice([0, 1, 3]),
            seed_search=chance.random() < 0.5,
            start_known=chance.random() < 0.7,
            words=chance.choice([1, 1, 2]),
        )
        check(random_instance(seed, tmp_path), settings)


SPACE = {
    2: ["1/3/3", "2/5/6", "2/5/6"],
    3: ["1/4/4", "3/8/10", "6/13/18", "6/13/18"],
    4: ["1/5/5", "5/11/15", "12/21/32", "24/33/56"],
    5: ["1/6/6", "8/14/20", "25/29/48", "60/53/100", "120/81/170"],
    6: ["1/7/7", "13/17/25", "53/37/64", "150/73/148", "360/129/298"],
}


def test_sizes_of_the_space(tmp_path: Path) -> None:
    """Derivations, nodes and edges of sentences whose words have one option each, by distortion limit."""
    from tests.search.exact_instances import one_option_each

    for length, row in SPACE.items():
        for limit, sizes in enumerate(row, start=1):
            instance = one_option_each(tmp_path, length, limit)
            proof = instance.decoder.optimize([instance.source], LITERAL)[0].proof
            assert proof is not None
            found = (
                sum(1 for _ in instance.derivations()),
                proof.sizes["nodes_at_first"] - 1,
                proof.sizes["edges_at_first"],
            )
            assert found == tuple(map(int, sizes.split("/"))), (length, limit)


@pytest.mark.slow
def test_limits_give_a_bounded_answer(tmp_path: Path) -> None:
    """The best so far, and a gap that holds the optimum."""
    for seed in range(40):
        instance = random_instance(seed, tmp_path)
        wanted = max(score for _, score in instance.derivations())
        proof = instance.decoder.optimize([instance.source], replace(LITERAL, iterations=1))[0].proof
        assert proof is not None
        assert proof.score - 1e-6 <= wanted <= proof.bound + 1e-5
        assert proof.optimal or (proof.status == "BOUNDED" and proof.stop == "iterations")


@pytest.mark.slow
@pytest.mark.parametrize("limits", [{"iterations": 2}, {"patience": 1}, {"time_limit": 1e-9}])
def test_bounded_answers_are_certified(limits: dict[str, Any], tmp_path: Path) -> None:
    """Whatever ended the search: the verifier finds the bound that was promised, and none below it."""
    stops = Counter[str]()
    for seed in range(60):
        instance = random_instance(seed, tmp_path)
        settings = replace(LITERAL, **limits)
        proof = instance.decoder.optimize([instance.source], settings)[0].proof
        assert proof is not None
        stops[proof.stop] += 1
        if proof.certificate is None:
            assert "a limit came" in proof.missing
            continue
        verdict = proof.certificate.verify(instance.decoder.language_models)
        assert verdict.valid, (seed, verdict)
        assert verdict.gap == pytest.approx(proof.gap, abs=1e-5)
        wanted = max(score for _, score in instance.derivations())
        assert proof.score - 1e-6 <= wanted <= verdict.bound + 1e-5
        if proof.gap > 0.01:
            lower = replace(proof.certificate, bound=proof.bound - 0.005)
            assert "prove a bound" in " ".join(lower.verify(instance.decoder.language_models).problems)
    wanted_stop = {"iterations": "iterations", "patience": "stalled", "time_limit": "time"}[next(iter(limits))]
    assert stops[wanted_stop] > 5, stops


def test_patience(tmp_path: Path) -> None:
    """A search that meets nothing better for so many iterations ends, and says so."""
    ended = 0
    for seed in range(40):
        instance = random_instance(seed, tmp_path)
        whole, patient = (
            instance.decoder.optimize([instance.source], replace(LITERAL, patience=patience))[0].proof
            for patience in (0, 2)
        )
        assert whole is not None
        assert patient is not None
        if patient.stop != "stalled":
            assert len(patient.trace) == len(whole.trace)
            continue
        ended += 1
        assert not patient.optimal
        assert len({row.best for row in patient.trace[-3:]}) == 1
        assert len(patient.trace) < len(whole.trace)
    assert ended > 3


def test_as_a_setting_of_the_decoder(exact_setting: Setting) -> None:
    decoder = exact_setting.decoder(distortion_limit=3, option_limit=5)
    exact = decoder.with_settings(search="exact", time_limit=60)
    one, two = (exact.translate(exact_setting.sentences, threads=threads) for threads in (1, 2))
    assert one == two
    for beam, found in zip(decoder.translate(exact_setting.sentences), one, strict=True):
        assert found.proof is not None
        assert found.proof.optimal
        assert beam.score <= found.score + 1e-6
        assert found.rescore() == pytest.approx(found.score, abs=1e-6)
        assert found.proof.certificate is not None
        assert found.proof.certificate.verify(decoder.language_models).valid
    with pytest.raises(SettingError, match="keeps no forest"):
        exact.translate(exact_setting.sentences[:1], forests=True)
    with pytest.raises(SettingError, match="keeps no forest"):
        exact.kbest_lists(exact_setting.sentences[:1], nbest=2)
    with pytest.raises(SettingError, match="takes no lattices"):
        exact.translate_lattices([Lattice.of_columns([[("a", 0.0)]])])


@pytest.mark.slow
@pytest.mark.parametrize("reordering", ["hier-mslr-bidirectional-fe", "phrase-msd-bidirectional-fe"])
def test_reordering_is_part_of_places(reordering: str, tmp_path: Path) -> None:
    """Equal to search that prunes nothing, with orientations and templates that look at the rule before."""
    setting = Setting(tmp_path, reordering)
    decoder = setting.decoder(distortion_limit=2, option_limit=3, max_phrase_length=2)
    orders = {name: 0.1 * at - 0.3 for at, name in enumerate(n for n in decoder.feature_names if "orientation" in n)}
    decoder = decoder.with_features(["orient", "jump"], {**decoder.weights, **orders, "orient:M": 0.1, "jump:1": -0.2})
    short = [line for line in setting.sentences if len(line.split()) <= 7][:5]
    whole = decoder.with_settings(search="stack", beam=2**31).translate(short)
    for best, found in zip(whole, decoder.optimize(short, ExactSettings(epsilon=1e-9)), strict=True):
        assert found.score == pytest.approx(best.score, abs=1e-6)
        assert found.proof is not None
        assert found.proof.optimal
        given = found.proof.certificate
        assert isinstance(given, Certificate)
        assert given.reordering == ("hierarchical" if reordering.startswith("hier") else "phrase")
        verdict = given.verify(decoder.language_models)
        assert verdict.valid, verdict
        assert verdict.gap <= 1e-5
        assert Certificate.from_dict(given.to_dict()) == given
        feature, first = given.features[0], given.options[given.derivation[0]]
        dearer = replace(first, previous=tuple(score - 1 for score in first.previous))
        planted = {
            "scores": replace(given, options=tuple(dearer if each == first else each for each in given.options)),
            "for each order": replace(given, reordering="none"),
            "no kind of reordering": replace(given, reordering="other"),
            "no automaton": replace(given, features=(replace(feature, states=()),)),
            "prove a bound": replace(given, bound=given.bound - 0.01),
        }
        for message, other in planted.items():
            assert message in " ".join(other.verify(decoder.language_models).problems), message


def test_empty_sentences_and_memory(exact_setting: Setting) -> None:
    decoder = exact_setting.decoder()
    empty = decoder.optimize([""])[0]
    assert empty.text == ""
    assert empty.proof is not None
    assert empty.proof.optimal
    assert empty.score == pytest.approx(decoder.translate([""])[0].score, abs=1e-9)
    for seeded in (True, False):
        tight = decoder.optimize(exact_setting.sentences[:1], ExactSettings(memory=1000, seed_search=seeded))[0]
        best = decoder.optimize(exact_setting.sentences[:1])[0]
        assert tight.proof is not None
        assert (tight.proof.status, tight.proof.stop) == ("BOUNDED", "memory")
        assert tight.score <= best.score + 1e-6 <= tight.proof.bound + 2e-6
        assert tight.proof.certificate is None
        assert "limit" in tight.proof.missing
    with pytest.raises(LimitReached, match="sentence 1 has more steps than the limit of memory allows"):
        decoder.sample(exact_setting.sentences[:1], SampleSettings(memory=1000))


@pytest.mark.slow
def test_a_bound_without_a_space(tmp_path: Path) -> None:
    """Whatever the problem, also with a negative price of jumps."""
    for seed in range(60):
        instance = random_instance(seed, tmp_path)
        if seed % 3 == 0:
            instance = replace(
                instance, decoder=instance.decoder.with_weights({**instance.decoder.weights, "distortion": -0.3})
            )
        wanted = max(score for _, score in instance.derivations())
        proof = instance.decoder.optimize([instance.source], ExactSettings(memory=1))[0].proof
        assert proof is not None
        assert proof.stop == "memory"
        assert proof.score - 1e-6 <= wanted <= proof.bound + 1e-6


class Everything(StateFeature):
    """Its state is all that was said."""

    def start(self, sentence: SourceSentence) -> Hashable:
        return ""

    def extend(self, state: Hashable, option: Option, fire: Fire) -> Hashable:
        fire("everything", 1.0)
        return f"{state} {option.target}"


def test_a_feature_without_a_bound_is_refused_by_name(exact_setting: Setting) -> None:
    decoder = exact_setting.decoder(distortion_limit=2)
    everything = decoder.with_features([Everything()], {**decoder.weights, "everything": 1.0})
    with pytest.raises(SettingError, match=r"Everything.*--features"):
        everything.optimize(exact_setting.sentences[:1])


def test_restricted_sentences(exact_setting: Setting) -> None:
    """Order and options are heeded; what is to be said is not for exact search."""
    decoder = exact_setting.decoder(distortion_limit=3, option_limit=4, max_phrase_length=2)
    line = next(line for line in exact_setting.sentences if 4 <= len(line.split()) <= 7)
    exact, whole = decoder.with_settings(search="exact"), decoder.with_settings(search="stack", beam=2**31)
    for limits in (Constraints(monotone=True), Constraints(walls=(2,)), Constraints(zones=((1, 3),))):
        best, found = (each.translate([line], constraints=[limits])[0] for each in (whole, exact))
        assert found.score == pytest.approx(best.score, abs=2e-3)
        assert found.proof is not None
        assert found.proof.optimal
        assert found.proof.certificate is None
        assert "constraints" in found.proof.missing
    with pytest.raises(SettingError, match="how a translation begins"):
        exact.translate([line], constraints=[Constraints(prefix=("x",))])


def test_windows_are_certified(exact_setting: Setting) -> None:
    decoder = exact_setting.decoder(distortion_limit=3, limit_kind="window", option_limit=4, future_distortion=True)
    found = decoder.optimize(exact_setting.sentences[:2])[0]
    assert found.proof is not None
    assert found.proof.certificate is not None
    assert found.proof.certificate.verify(decoder.language_models).valid


class TestCertificates:
    """What a verifier must notice."""

    @pytest.fixture
    def made(self, tmp_path: Path) -> tuple[Instance, Certificate]:
        instance = worked_example(tmp_path)
        proof = instance.decoder.optimize([instance.source], LITERAL)[0].proof
        assert proof is not None
        certificate = proof.certificate
        assert isinstance(certificate, Certificate)
        return instance, certificate

    def test_written_and_read(self, made: tuple[Instance, Certificate], tmp_path: Path) -> None:
        instance, certificate = made
        write_certificate(certificate, tmp_path / "proof.json")
        assert read_certificate(tmp_path / "proof.json") == certificate
        verdict = certificate.verify(instance.decoder.language_models)
        assert verdict.valid
        assert verdict.gap == pytest.approx(0, abs=1e-9)

    def test_planted_errors(self, made: tuple[Instance, Certificate]) -> None:
        instance, good = made
        first = good.options[0]
        planted = {
            "scores": replace(good, score=good.score + 0.01),
            "prove a bound": replace(good, bound=good.bound - 0.01),
            "untranslated": replace(good, derivation=good.derivation[:1]),
            "may not stand": replace(good, derivation=good.derivation[:1] * 2),
            "no options": replace(good, derivation=(99,)),
            "without its shorter": replace(good, contexts=tuple(c for c in good.contexts if len(c[2]) != 1)),
            "no language model": replace(good, language_models=(replace(good.language_models[0], name="other"),)),
            "is of order": replace(good, language_models=(replace(good.language_models[0], order=4),)),
            "no span": replace(good, options=(StatedOption(0, 9, first.target, first.score), *good.options[1:])),
            "no place": replace(good, contexts=(*good.contexts, ((7,), 8, ("a",)))),
        }
        for message, certificate in planted.items():
            verdict = certificate.verify(instance.decoder.language_models)
            assert message in " ".join(verdict.problems), (message, verdict)

    def test_every_forgotten_context_loosens_the_bound_or_is_not_needed(
        self, made: tuple[Instance, Certificate]
    ) -> None:
        """Without all contexts the bound is that of the first iteration."""
        instance, good = made
        verdict = replace(good, contexts=()).verify(instance.decoder.language_models)
        assert not verdict.valid
        assert math.exp(verdict.bound) == pytest.approx(0.018144, abs=1e-7)

    @pytest.mark.slow
    def test_of_random_instances(self, tmp_path: Path) -> None:
        for seed in range(60):
            instance = random_instance(seed, tmp_path)
            settings = ExactSettings(epsilon=1e-9, prune_every=1)
            proof = instance.decoder.optimize([instance.source], settings)[0].proof
            assert proof is not None
            assert proof.certificate is not None
            verdict = proof.certificate.verify(instance.decoder.language_models)
            assert verdict.valid, (seed, verdict)
            assert verdict.gap <= 1e-5
            worse = replace(proof.certificate, bound=proof.bound - 1e-3)
            assert not worse.verify(instance.decoder.language_models).valid


@pytest.mark.parametrize(("acceptance", "batch"), [(0.01, 500), (0.9, 100), (0.5, 1)])
def test_samples_follow_the_model(acceptance: float, batch: int, tmp_path: Path) -> None:
    """Chi-square of pooled samples against enumeration, however much was refined meanwhile."""
    for seed in (3, 8, 21, 34):
        instance = random_instance(seed, tmp_path)
        scale = 0.7
        settings = SampleSettings(samples=3000, scale=scale, acceptance=acceptance, batch=batch, seed=seed)
        drawn = instance.decoder.sample([instance.source], settings, threads=1)[0]
        assert len(drawn) == 3000
        weights = {
            tuple((each.start, each.end, each.target) for each in steps): math.exp(scale * score)
            for steps, score in instance.derivations()
        }
        total = sum(weights.values())
        counts = Counter(
            tuple((*phrase.source_span, phrase.target) for phrase in drawn.derivations[draw].phrases)
            for draw in drawn.draws
        )
        assert set(counts) <= set(weights)
        common = [key for key, weight in weights.items() if weight / total * 3000 >= 5]
        if len(common) < 2:
            continue
        observed = [counts[key] for key in common]
        expected = [weights[key] / total * 3000 for key in common]
        observed.append(3000 - sum(observed))
        expected.append(3000 - sum(expected))
        if expected[-1] < 5:
            observed[-2:] = [sum(observed[-2:])]
            expected[-2:] = [sum(expected[-2:])]
        assert stats.chisquare(observed, expected).pvalue > 1e-4, seed
        assert drawn.log_partition == pytest.approx(math.log(total), abs=0.3)
        mean = sum(weight / total * math.log(weight / total) for weight in weights.values())
        assert drawn.entropy() == pytest.approx(-mean, abs=0.3)


def test_samples_are_the_same_for_any_number_of_threads(exact_setting: Setting) -> None:
    decoder = exact_setting.decoder(distortion_limit=2, option_limit=4)
    settings = SampleSettings(samples=20, scale=0.2, acceptance=0.05)
    lines = exact_setting.sentences[:4]
    one, two = (decoder.sample(lines, settings, threads=threads) for threads in (1, 2))
    assert [each.draws for each in one] == [each.draws for each in two]
    assert [each.texts() for each in one] == [each.texts() for each in two]
    chosen = one[0].consensus(lambda hypothesis, reference: float(hypothesis == reference))
    assert one[0].texts()[chosen] == max(one[0].texts().values())
    assert one[0].expected_features()["phrase_penalty"] > 0


@pytest.fixture(scope="module")
def exact_setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("exact"), "")
