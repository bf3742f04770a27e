from __future__ import annotations

import math
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.evaluation.resampling import (
    TESTS,
    Difference,
    SignificanceTest,
    compare_all,
    compare_statistics,
    p_value,
)
from dragoman.files import read_lines
from dragoman.metrics import get_metric
from dragoman.metrics.bootstrap import bootstrap_scores, interval
from tests.peers import peer

Array = NDArray[np.float64]


def mean(sums: Array) -> Array:
    """A score that is the sum of the one statistic; its scale does not matter to any test."""
    return sums[:, 0]


def ratio(sums: Array) -> Array:
    """Edits over length, lower is better."""
    quotient: Array = sums[:, 0] / sums[:, 1]
    return quotient


def column(*values: float) -> Array:
    return np.array(values, np.float64)[:, None]


def exact(x: Array, y: Array, **settings: object) -> Difference:
    return compare_statistics(x, y, mean, SignificanceTest(exact=True, smoothing=False, **settings))  # type: ignore[arg-type]


X, Y = column(6, 7, 3, 5, 8), column(4, 8, 1, 5, 5)


@pytest.mark.parametrize(
    ("settings", "count", "p"),
    [
        ({"name": "randomization", "sided": 1}, 4, 0.125),
        ({"name": "randomization", "sided": 2}, 8, 0.25),
        ({"name": "paired-bootstrap", "sided": 1, "strict_ties": True}, 86, 0.02752),
        ({"name": "paired-bootstrap", "sided": 1}, 167, 0.05344),
        ({"name": "bootstrap", "sided": 1}, 136, 0.04352),
        ({"name": "bootstrap", "sided": 2}, 303, 0.09696),
        ({"name": "riezler-maxwell"}, 136, 0.04352),
        ({"name": "riezler-maxwell", "centre": "mean-abs"}, 51, 51 / 3125),
    ],
)
def test_mean_metric_enumerated(settings: dict[str, object], count: int, p: float) -> None:
    """First worked example for Graham, Mathur and Baldwin (2014): differences 2, -1, 2, 0, 3."""
    result = exact(X, Y, **settings)
    assert result.count == count
    assert result.p == pytest.approx(p)


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({"name": "randomization", "sided": 1}, 6),
        ({"name": "randomization", "sided": 2}, 12),
        ({"name": "paired-bootstrap", "sided": 1, "strict_ties": True}, 31),
        ({"name": "paired-bootstrap", "sided": 1}, 54),
        ({"name": "bootstrap", "sided": 1}, 15),
        ({"name": "bootstrap", "sided": 2}, 46),
        ({"name": "riezler-maxwell"}, 15),
        ({"name": "riezler-maxwell", "centre": "mean-abs"}, 5),
    ],
)
def test_ratio_metric_enumerated(settings: dict[str, object], count: int) -> None:
    """Second worked example: a ratio, lower is better; the mean of the pseudo-statistics is not the difference."""
    x = np.array([[1, 10], [2, 5], [0, 20], [3, 8]], np.float64)
    y = np.array([[2, 10], [2, 5], [3, 20], [2, 8]], np.float64)
    result = compare_statistics(
        x,
        y,
        ratio,
        SignificanceTest(exact=True, smoothing=False, **settings),  # type: ignore[arg-type]
        higher_is_better=False,
    )
    assert result.delta == pytest.approx(3 / 43)
    assert result.count == count


def test_four_segments_disagree_wildly() -> None:
    """Third worked example."""
    x, y = column(5, 7, 6, 4), column(4, 5, 6, 3)
    counts = [
        exact(x, y, name=test, sided=sided).count
        for test, sided in [("randomization", 1), ("randomization", 2), ("paired-bootstrap", 1), ("bootstrap", 1)]
    ]
    assert counts == [2, 4, 1, 1]
    assert exact(x, y, name="bootstrap", sided=2).count == 2


@pytest.mark.parametrize("name", ["randomization", "bootstrap", "paired-bootstrap"])
@pytest.mark.parametrize("sided", [1, 2])
def test_samples_approach_the_enumeration(name: str, sided: int) -> None:
    x, y = np.random.default_rng(8).normal(size=(2, 6, 1))  # without ties, which a sampled mean would break
    exactly = exact(x, y, name=name, sided=sided).p
    test = SignificanceTest(name=name, sided=sided, samples=20000, exact=False, smoothing=False)
    sampled = compare_statistics(x, y, mean, test).p
    assert abs(sampled - exactly) < 4 * math.sqrt(0.25 / 20000) * (2 if name == "paired-bootstrap" else 1)


@pytest.mark.parametrize("test", TESTS)
def test_identical_systems_never_differ(test: str) -> None:
    assert compare_statistics(X, X, mean, SignificanceTest(name=test, exact=False)).p == 1


@pytest.mark.slow
@given(st.integers(0, 1000))
def test_swapping_the_systems_changes_no_two_sided_p(seed: int) -> None:
    x, y = np.random.default_rng(seed).normal(size=(2, 30, 1))
    for test in ("randomization", "bootstrap", "riezler-maxwell"):
        chosen = SignificanceTest(name=test, samples=200, seed=seed)
        forward = compare_statistics(x, y, mean, chosen)
        backward = compare_statistics(y, x, mean, chosen)
        assert forward.p == backward.p
        assert forward.delta == pytest.approx(-backward.delta)


def test_thread_count_changes_nothing() -> None:
    x, y = np.random.default_rng(3).normal(size=(2, 300, 4))
    results = [
        compare_statistics(x, y, mean, SignificanceTest(name=test, samples=1000), threads=threads)
        for test in ("randomization", "bootstrap")
        for threads in (1, 2, 7)
    ]
    assert results[0] == results[1] == results[2]
    assert results[3] == results[4] == results[5]


@pytest.mark.slow
def test_agreement_with_scipy() -> None:
    x, y = np.random.default_rng(11).normal(size=(2, 40))
    theirs = stats.permutation_test(
        (x, y), lambda a, b: a.sum() - b.sum(), permutation_type="samples", n_resamples=20000, rng=1, vectorized=False
    ).pvalue
    ours = compare_statistics(x[:, None], y[:, None], mean, SignificanceTest(samples=20000)).p
    assert ours == pytest.approx(theirs, abs=0.02)


@pytest.mark.slow
def test_level_is_kept_and_the_old_form_is_half() -> None:
    """Equal systems: a test at 0.05 rejects about one time in twenty; the 2005 form twice as often."""
    rejections = dict.fromkeys(TESTS, 0)
    for seed in range(400):
        x, y = np.random.default_rng(seed).normal(size=(2, 60, 1))
        for test in TESTS:
            chosen = SignificanceTest(name=test, samples=400, seed=seed)
            rejections[test] += compare_statistics(x, y, mean, chosen).p < 0.05
    assert 0.025 < rejections["randomization"] / 400 < 0.08
    assert 0.025 < rejections["bootstrap"] / 400 < 0.09
    assert rejections["riezler-maxwell"] > 1.5 * rejections["randomization"]


def test_interval_covers_the_truth() -> None:
    covered = 0
    for seed in range(200):
        x = np.random.default_rng(seed).normal(loc=1.0, size=(100, 1))
        low, high = interval(bootstrap_scores(lambda sums: sums[:, 0] / 100, x, seed=seed), 0.95)
        covered += low <= 1.0 <= high
    assert 0.88 < covered / 200 < 0.99


def test_refusals() -> None:
    with pytest.raises(LengthMismatch, match="second: 4 segments, but first has 5"):
        compare_statistics(X, Y[:4], mean)
    with pytest.raises(SettingError, match="name is 'ar'"):
        SignificanceTest(name="ar")
    with pytest.raises(InputError, match="first, segment 2: the statistics are not finite"):
        compare_statistics(column(1, math.nan, 2), column(1, 2, 3), mean)
    with pytest.raises(InputError, match="empty"):
        compare_statistics(np.zeros((0, 1)), np.zeros((0, 1)), mean)
    with pytest.raises(SettingError, match="too many to enumerate"):
        compare_statistics(np.zeros((30, 1)), np.ones((30, 1)), mean, SignificanceTest(exact=True))
    with pytest.raises(InputError, match="two systems"):
        compare_all({"one": X}, mean)
    with pytest.raises(InputError, match="B: statistics must be matrices of equal width"):
        compare_all({"A": X, "B": np.ones((5, 2))}, mean)
    for settings in ({"sided": 3}, {"samples": 1}, {"centre": "median"}, {"confidence": 1.0}):
        with pytest.raises(SettingError):
            SignificanceTest(**settings)


@pytest.mark.parametrize("name", TESTS)
def test_many_systems_share_the_samples_of_two(name: str) -> None:
    """A pair's result does not depend on which other systems are compared in the same run."""
    rows = np.random.default_rng(5).integers(0, 9, size=(4, 50, 3)).astype(np.float64)
    systems = dict(zip("ABCD", rows, strict=True))
    test = SignificanceTest(name=name, samples=300)
    together = compare_all(systems, mean, test)
    assert len(together.differences) == 6
    for (x, y), difference in together.differences.items():
        assert difference == compare_statistics(systems[x], systems[y], mean, test)
    some = compare_all(systems, mean, test, pairs=[("D", "A")])
    assert list(some.differences) == [("D", "A")]


def test_effect_size_of_a_mean_is_that_of_cohen() -> None:
    gains = np.random.default_rng(2).normal(0.3, 1.0, size=(400, 1))
    x = np.hstack([gains, np.ones_like(gains)])
    y = np.hstack([np.zeros_like(gains), np.ones_like(gains)])
    found = compare_statistics(x, y, ratio, SignificanceTest(samples=5000))
    assert found.effect == pytest.approx(float(gains.mean() / gains.std()), rel=0.05)
    low, high = found.effect_interval
    assert low < found.effect < high
    assert found.wins > 0.99


@pytest.fixture(scope="module")
def outputs() -> tuple[list[str], list[str], list[str]]:
    """References and two imperfect systems, of uneven segments so that no two samples tie."""
    random = np.random.default_rng(4)
    words = [f"w{k}" for k in range(60)]
    references = [" ".join(random.choice(words, size=random.integers(8, 40))) for _ in range(80)]

    def damage(line: str, share: float) -> str:
        return " ".join(word if random.random() > share else str(random.choice(words)) for word in line.split())

    return references, [damage(r, 0.30) for r in references], [damage(r, 0.34) for r in references]


@pytest.mark.parametrize("kind", ["ar", "bs"])
def test_p_values_are_those_of_sacrebleu_on_the_same_samples(
    outputs: tuple[list[str], list[str], list[str]], kind: str
) -> None:
    """Fed with the samples that sacrebleu draws, our definitions give its p-values exactly.

    Its randomization test counts strictly larger differences; its bootstrap is the form of Riezler and Maxwell (2005)
    centred at the mean of absolute values.
    """
    sacrebleu = peer("sacrebleu")
    references, first, second = outputs
    paired = import_module("sacrebleu.significance").PairedTest(
        [("x", first), ("y", second)], {"BLEU": sacrebleu.BLEU(force=True)}, [references], test_type=kind, n_samples=500
    )
    theirs = paired()[1]["BLEU"][1].p_value
    bleu = get_metric("bleu")
    x, y = (bleu.statistics(lines, references) for lines in (first, second))
    random = np.random.default_rng(12345)
    if kind == "ar":
        kept = random.integers(2, size=(500, len(x)), dtype=bool).astype(np.float64)
        sums = kept @ x + (1 - kept) @ y, (1 - kept) @ x + kept @ y
        test = SignificanceTest(strict_ties=True)
    else:
        drawn = random.choice(len(x), size=(500, len(x)), replace=True)
        sums = x[drawn].sum(axis=1), y[drawn].sum(axis=1)
        test = SignificanceTest(name="riezler-maxwell", centre="mean-abs", strict_ties=True)
    pseudo = bleu.scores(sums[0]) - bleu.scores(sums[1])
    delta = bleu.score(x.sum(axis=0)) - bleu.score(y.sum(axis=0))
    assert p_value(pseudo, delta, test)[2] == pytest.approx(theirs, abs=1e-12)
    ours = compare_statistics(x, y, bleu.scores, replace(test, samples=20000)).p
    assert ours == pytest.approx(theirs, abs=4 * math.sqrt(0.25 / 500))


@pytest.mark.slow
def test_published_p_values(data: Path) -> None:
    """newstest2017 English-German against LIUM-NMT: MultEval's randomization and Moses' bootstrap of BLEU."""
    folder = data / "wmt" / "newstest2017-en-de"
    table = [line.split("\t") for line in read_lines(folder / "pvalues.tsv")][1:]
    references = list(read_lines(folder / "ref.gz"))
    bleu = get_metric("bleu:tokenize=none")
    prepared = bleu.prepare(references)
    names = ["LIUM-NMT.4900", *(row[0] for row in table)]
    systems = {name: bleu.statistics(list(read_lines(folder / f"{name}.gz")), prepared) for name in names}
    pairs = [(names[0], name) for name in names[1:]]
    shuffled = compare_all(systems, bleu.scores, SignificanceTest(), pairs=pairs)
    bootstrap = SignificanceTest(name="riezler-maxwell", centre="mean-abs", strict_ties=True)
    drawn = compare_all(systems, bleu.scores, bootstrap, pairs=pairs)
    for name, moses, multeval, _ in table:
        assert shuffled.differences[names[0], name].p == pytest.approx(float(multeval), abs=0.02), name
        assert drawn.differences[names[0], name].p == pytest.approx(float(moses), abs=0.02), name
