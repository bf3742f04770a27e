"""Measures of the similarity tasks against worked examples, published tables and the established libraries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import InputError, LengthMismatch
from dragoman.evaluation.correlation import fisher_difference, interval, weighted_pearson
from dragoman.evaluation.similarity_runs import RunScores, normalized_correlation, study_runs, weighted_mean

GOLD = {"a": [0, 1, 2, 3], "b": [3, 4, 5]}
RUN = {"a": RunScores.of([1, 2, 2, 4]), "b": RunScores.of([1, 0, 3])}

SIZES = {"MSRpar": 750, "MSRvid": 750, "SMTeuroparl": 459, "OnWN": 750, "SMTnews": 399}
MEANS = {"MSRpar": 3.2707, "MSRvid": 2.2971, "SMTeuroparl": 4.5496, "OnWN": 3.8709, "SMTnews": 4.3348}
DEVIATIONS = {"MSRpar": 0.9216, "MSRvid": 1.6429, "SMTeuroparl": 0.5155, "OnWN": 1.0165, "SMTnews": 0.8183}
PUBLISHED_2012 = {  # ALLnrm, Mean, and the five sets (Agirre et al. 2012, table 1)
    "baseline": (0.6732, 0.4356, 0.4334, 0.2996, 0.4542, 0.5864, 0.3908),
    "UKP-run2": (0.8579, 0.6773, 0.6830, 0.8739, 0.5280, 0.6641, 0.4937),
    "UKP-run3": (0.8166, 0.4320, 0.6830, 0.8739, 0.5280, -0.0620, -0.0520),
    "takelab-simple": (0.8635, 0.6753, 0.7343, 0.8803, 0.4771, 0.6797, 0.3989),
    "takelab-syntax": (0.8569, 0.6601, 0.6985, 0.8620, 0.3612, 0.7049, 0.4683),
    "soft-cardinality": (0.8526, 0.6708, 0.6405, 0.8562, 0.5152, 0.7109, 0.4833),
    "UNT": (0.8440, 0.6162, 0.5353, 0.8750, 0.4203, 0.6715, 0.4033),
    "ETS-PERPphrases": (0.8089, 0.6399, 0.6397, 0.7200, 0.4850, 0.7124, 0.5312),
    "ETS-TERp": (0.7291, 0.5253, 0.5049, 0.5217, 0.4748, 0.6169, 0.4566),
    "FBK-run3": (0.8106, 0.6077, 0.5169, 0.7773, 0.4419, 0.6298, 0.6085),
    "weiwei-run1": (0.8303, 0.6081, 0.4106, 0.8351, 0.5128, 0.7273, 0.4383),
    "stanford-fsa": (0.7212, 0.4848, 0.3795, 0.5350, 0.4377, 0.6052, 0.4164),
    "stanford-pda": (0.7160, 0.5044, 0.4409, 0.4698, 0.4558, 0.6468, 0.4769),
    "stanford-rte": (0.7807, 0.4674, 0.4374, 0.8037, 0.3533, 0.3077, 0.3235),
    "UOW-LEX": (0.7187, 0.3825, 0.3628, 0.6426, 0.3074, 0.2806, 0.2082),
    "BUAP-run2": (0.5933, 0.1016, 0.1109, 0.0057, 0.0348, 0.1788, 0.1964),
}
SIZES_2013 = {"headlines": 750, "OnWN": 561, "FNWN": 189, "SMT": 750}
PUBLISHED_2013 = {  # Mean, and the four sets (Agirre et al. 2013, table 2)
    "baseline": (0.3639, 0.5399, 0.2828, 0.2146, 0.2861),
    "DKPro": (0.5652, 0.7347, 0.7345, 0.3405, 0.3256),
    "UMBC-ParingWords": (0.6181, 0.7642, 0.7529, 0.5818, 0.3804),
    "UMBC-galactus": (0.5927, 0.7428, 0.7053, 0.5444, 0.3705),
    "deft-baseline": (0.5795, 0.6532, 0.8431, 0.5083, 0.3265),
    "UMBC-saiyan": (0.5683, 0.7838, 0.5593, 0.5815, 0.3563),
    "MayoClinicNLP-r3wtCD": (0.5671, 0.6440, 0.8295, 0.3202, 0.3561),
    "CLaC-RUN2": (0.5587, 0.6921, 0.7366, 0.3793, 0.3375),
    "NTNU-RUN1": (0.5519, 0.7279, 0.5952, 0.3215, 0.4015),
    "SOFTCARDINALITY-run2": (0.5402, 0.6713, 0.7412, 0.3838, 0.2981),
    "ikernels-sys2": (0.5339, 0.7465, 0.5572, 0.3875, 0.3409),
    "PolyUCOMP-RUN1": (0.3284, 0.5176, 0.1517, 0.2496, 0.2914),
    "KnCe2013-set": (-0.0397, 0.0462, -0.1526, 0.0376, -0.0605),
}
MISPRINTED_2013 = {  # what is printed as Mean, what the printed sets make, and these
    "TakeLab-best": (0.5221, 0.5236, 0.6559, 0.6334, 0.4052, 0.3389),
    "TakeLab-sts12": (0.4340, 0.4354, 0.4858, 0.6334, 0.2693, 0.2787),
}
PUBLISHED_TYPED = {  # the mean of the eight types, and these (Agirre et al. 2013)
    "baseline": (0.4894, 0.6691, 0.4278, 0.4460, 0.5002, 0.4835, 0.3062, 0.5015, 0.5810),
    "Unitor-rbf": (0.7620, 0.7981, 0.8158, 0.6922, 0.7471, 0.7723, 0.6835, 0.7875, 0.7996),
    "Unitor-lin": (0.7341, 0.7564, 0.8076, 0.6758, 0.7090, 0.7351, 0.6623, 0.7520, 0.7745),
    "UBC-UOS-run3": (0.7132, 0.7461, 0.6656, 0.6544, 0.7411, 0.7257, 0.6545, 0.7417, 0.7763),
    "UBC-UOS-run1": (0.5103, 0.7256, 0.4568, 0.4467, 0.5762, 0.4858, 0.3090, 0.5015, 0.5810),
    "BUT-1": (0.4433, 0.3686, 0.7468, 0.3920, 0.5725, 0.3604, 0.2906, 0.2270, 0.5882),
    "BUAP-RUN3": (0.3004, 0.6992, 0.6345, 0.1055, 0.1461, 0.0000, -0.0668, 0.3729, 0.5120),
}
SIZES_2014 = {"forum": 450, "news": 300, "headlines": 750, "images": 750, "OnWN": 750, "tweet": 750}
PUBLISHED_2014 = {  # Mean, and the six sets; a set that was not handed in is missing (Agirre et al. 2014)
    "baseline": (0.507, 0.353, 0.596, 0.510, 0.513, 0.406, 0.654),
    "TakeLab": (0.678, 0.333, 0.716, 0.720, 0.742, 0.793, 0.650),
    "DLS@CU-run2": (0.761, 0.483, 0.766, 0.765, 0.821, 0.859, 0.764),
    "Meerkat-pairingWords": (0.761, 0.471, 0.763, 0.760, 0.801, 0.875, 0.779),
    "NTNU-run3": (0.755, 0.531, 0.781, 0.784, 0.834, 0.850, 0.675),
    "NTNU-run2": (0.749, 0.508, 0.766, 0.753, 0.813, 0.777, 0.792),
    "Meerkat-SuperSaiyan": (0.741, 0.492, 0.771, 0.767, 0.768, 0.802, 0.765),
    "DLS@CU-run1": (0.734, 0.483, 0.766, 0.765, 0.821, 0.723, 0.764),
    "UoW-run3": (0.721, 0.342, 0.763, 0.754, 0.788, 0.799, 0.753),
    "UNAL-NLP-run3": (0.721, 0.461, 0.722, 0.761, 0.778, 0.843, 0.658),
    "UMCC-run1": (0.682, 0.475, 0.662, 0.632, 0.742, 0.813, 0.675),
    "RTM-DCU-run1": (0.671, 0.434, 0.697, 0.620, 0.699, 0.806, 0.688),
    "StanfordNLP-run1": (0.627, 0.319, 0.635, 0.636, 0.758, 0.627, 0.669),
    "LIPN-run1": (0.508, 0.454, 0.640, 0.653, 0.809, None, 0.551),
    "LIPN-run2": (0.010, 0.084, None, None, None, None, None),
    "UNED-run22": (0.310, 0.104, 0.315, 0.037, 0.324, 0.509, 0.490),
}
SIZES_SPANISH = {"Wikipedia": 324, "News": 480}
PUBLISHED_SPANISH = {  # Mean, and the two sets (Agirre et al. 2014)
    "UMCC-run2": (0.807, 0.7802, 0.825),
    "Meerkat-run2": (0.804, 0.743, 0.845),
    "UNAL-NLP-run1": (0.801, 0.7803, 0.815),
    "UMCC-run1": (0.791, 0.741, 0.825),
    "Meerkat-run3": (0.788, 0.738, 0.822),
    "LIPN-run2": (0.785, 0.716, 0.832),
    "UoW-run1": (0.779, 0.748, 0.800),
    "LIPN-run1": (0.756, 0.652, 0.826),
    "Meerkat-run1": (0.738, 0.668, 0.785),
    "BUAP-run2": (0.714, 0.640, 0.764),
    "TeamZ-run1": (0.674, 0.610, 0.717),
    "RTM-DCU-run1": (0.588, 0.422, 0.700),
    "Bielefeld-run1": (0.437, 0.263, 0.554),
}


def test_worked_example() -> None:
    found = study_runs(GOLD, {"x": RUN})["x"]
    assert found.correlations == {"a": pytest.approx(0.92338, abs=1e-5), "b": pytest.approx(0.65465, abs=1e-5)}
    assert [found.mean, found.all, found.allnrm] == pytest.approx([0.80821, 0.18542, 0.94546], abs=1e-5)
    moments = [{name: float(getattr(np, what)(scores)) for name, scores in GOLD.items()} for what in ("mean", "std")]
    closed = normalized_correlation(found.correlations, {"a": 4, "b": 3}, moments[0], moments[1])
    assert closed == pytest.approx(found.allnrm, abs=1e-12)
    assert normalized_correlation({}, {"a": 4, "b": 3}, moments[0], moments[1]) == pytest.approx(0.77771, abs=1e-5)


def test_confidences() -> None:
    gold, scores = [0, 2, 4, 5], [1, 1, 3, 2]
    assert weighted_pearson(scores, gold, [1, 1, 1, 1]) == pytest.approx(0.74582, abs=1e-5)
    assert weighted_pearson(scores, gold, [100, 100, 100, 50]) == pytest.approx(0.78063, abs=1e-5)
    assert weighted_pearson(scores, gold, [700, 700, 700, 350]) == pytest.approx(0.78063, abs=1e-5)
    covariance = np.cov(scores, gold, aweights=[100, 100, 100, 50])
    expected = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert weighted_pearson(scores, gold, [100, 100, 100, 50]) == pytest.approx(float(expected))
    run = {"a": RunScores.of(scores, [100, 100, 100, 50])}
    assert study_runs({"a": gold}, {"x": run})["x"].mean == pytest.approx(0.78063, abs=1e-5)


@pytest.mark.parametrize("run", PUBLISHED_2012)
def test_published_sums_of_2012(run: str) -> None:
    """Mean and ALLnrm of the printed tables follow from the printed correlations of their sets."""
    allnrm, mean, *values = PUBLISHED_2012[run]
    correlations = dict(zip(SIZES, values, strict=True))
    assert weighted_mean(correlations, SIZES) == pytest.approx(mean, abs=1.01e-4)
    assert normalized_correlation(correlations, SIZES, MEANS, DEVIATIONS) == pytest.approx(allnrm, abs=2e-4)


@pytest.mark.parametrize(
    ("sizes", "published", "digits"),
    [(SIZES_2013, PUBLISHED_2013, 4), (SIZES_2014, PUBLISHED_2014, 3), (SIZES_SPANISH, PUBLISHED_SPANISH, 3)],
    ids=["2013", "2014", "Spanish"],
)
def test_published_means(sizes: dict[str, int], published: dict[str, tuple[float | None, ...]], digits: int) -> None:
    """The printed mean follows from the printed sets, within the rounding of both."""
    for run, (mean, *values) in published.items():
        given = {name: value for name, value in zip(sizes, values, strict=True) if value is not None}
        assert weighted_mean(given, sizes) == pytest.approx(mean, abs=1.05 * 10**-digits), run


def test_printed_means_that_do_not_follow() -> None:
    for printed, made, *values in MISPRINTED_2013.values():
        found = weighted_mean(dict(zip(SIZES_2013, values, strict=True)), SIZES_2013)
        assert found == pytest.approx(made, abs=5e-5)
        assert abs(found - printed) > 1e-3


def test_published_means_of_types() -> None:
    """Types count alike, whatever the number of pairs."""
    for mean, *values in PUBLISHED_TYPED.values():
        assert sum(values) / len(values) == pytest.approx(mean, abs=6e-5)


def test_worked_means() -> None:
    assert weighted_mean({"headlines": 0.5399, "OnWN": 0.2828, "FNWN": 0.2146, "SMT": 0.2861}, SIZES_2013) == (
        pytest.approx(0.36387, abs=1e-5)
    )
    baseline = dict(zip(SIZES_2014, PUBLISHED_2014["baseline"][1:], strict=True))
    assert weighted_mean({k: v for k, v in baseline.items() if v is not None}, SIZES_2014) == (
        pytest.approx(0.50664, abs=1e-5)
    )
    assert weighted_mean({"forum": 0.084}, SIZES_2014) == pytest.approx(0.01008, abs=1e-5)


def test_published_tests_and_intervals() -> None:
    """Agirre et al. (2012) give intervals for ALL, Agirre et al. (2013) one-sided tests of means."""
    assert list(interval(0.8239, 3108)) == pytest.approx([0.8123, 0.8349], abs=5e-5)
    assert fisher_difference(0.6181, 0.5927, 2250, 2250) == pytest.approx(0.0894, abs=5e-5)
    for better, worse, p in ((0.6181, 0.5795, 0.022), (0.5927, 0.5649, 0.081), (0.5927, 0.5587, 0.044)):
        assert fisher_difference(better, worse, 2250, 2250) == pytest.approx(p, abs=6e-4)


def test_missing_and_constant_sets_count_as_nothing() -> None:
    study = study_runs(GOLD, {"part": {"a": RUN["a"]}, "flat": {"a": RunScores.of([2.5] * 4), "b": RUN["b"]}})
    assert study["part"].mean == pytest.approx(4 * 0.92338 / 7, abs=1e-5)
    assert study["part"].missing == ("b",)
    assert study["flat"].correlations["a"] == 0
    assert len(study.warnings) == 2
    assert study.ranks() == {"part": 1, "flat": 2}


def test_random_scores_look_good_to_allnrm_only() -> None:
    draws = np.random.default_rng(1)
    gold = {name: draws.normal(MEANS[name], DEVIATIONS[name], size) for name, size in SIZES.items()}
    run = {name: RunScores.of(draws.random(size)) for name, size in SIZES.items()}
    found = study_runs(gold, {"random": run}, samples=10)["random"]
    assert abs(found.mean) < 0.1
    assert found.allnrm == pytest.approx(0.588, abs=0.02)


@given(st.integers(0, 2**32 - 1))
def test_what_does_not_change_measures(seed: int) -> None:
    draws = np.random.default_rng(seed)
    gold = {"a": draws.normal(size=9), "b": draws.normal(size=7)}
    scores = {name: draws.normal(size=len(values)) for name, values in gold.items()}
    changed = {"a": 3 * scores["a"] + 2, "b": 0.5 * scores["b"] - 1}
    flipped = {name: -values for name, values in changed.items()}
    runs = {
        label: {name: RunScores.of(values) for name, values in given.items()}
        for label, given in (("as is", scores), ("changed", changed), ("flipped", flipped))
    }
    study = study_runs(gold, runs, samples=10)
    assert study["changed"].mean == pytest.approx(study["as is"].mean, abs=1e-9)
    assert study["flipped"].mean == pytest.approx(-study["as is"].mean, abs=1e-9)
    assert study["changed"].allnrm == pytest.approx(study["as is"].allnrm, abs=1e-9)
    assert study["flipped"].allnrm == pytest.approx(study["as is"].allnrm, abs=1e-9)
    order = draws.permutation(9)
    shuffled = study_runs({"a": gold["a"][order]}, {"x": {"a": RunScores.of(scores["a"][order])}}, samples=10)["x"]
    assert shuffled.mean == pytest.approx(study["as is"].correlations["a"], abs=1e-9)
    assert shuffled.mean == pytest.approx(shuffled.all, abs=1e-12)


def test_a_better_run_is_better_in_all_tests() -> None:
    draws = np.random.default_rng(3)
    gold = {"a": draws.normal(size=300), "b": draws.normal(size=200)}
    noise = {name: draws.normal(size=len(values)) for name, values in gold.items()}
    good = {name: RunScores.of(values + 0.5 * noise[name]) for name, values in gold.items()}
    poor = {name: RunScores.of(values + 1.5 * noise[name]) for name, values in gold.items()}
    study = study_runs(gold, {"poor": poor, "good": good}, samples=1000)
    assert [run.name for run in study.runs] == ["good", "poor"]
    test = study.compare("good", "poor")
    assert test.bootstrap < 0.01
    assert test.interval[0] > 0
    assert test.fisher < 0.01
    assert max(test.williams.values()) < 0.01
    back = study.compare("poor", "good")
    assert back.difference == pytest.approx(-test.difference)
    assert test.fisher + back.fisher == pytest.approx(1)
    assert study.to_dict()["tests"][0]["first"] == "good"
    assert "2 of 2 (0)" in study.document().markdown()


def test_refuses_what_does_not_fit() -> None:
    with pytest.raises(LengthMismatch, match="3 scores for 4 pairs"):
        study_runs({"a": GOLD["a"]}, {"x": {"a": RunScores.of([1, 2, 3])}})
    with pytest.raises(InputError, match="no set of this task"):
        study_runs({"a": GOLD["a"]}, {"x": {"b": RUN["b"]}})
    with pytest.raises(InputError, match="outside 0 to 100"):
        RunScores.of([1.0], [101.0])
    skipped = study_runs({"a": GOLD["a"]}, {"x": {"a": RunScores.of([1, 2, np.nan, 4])}})
    assert "left out" in skipped.warnings[0]
