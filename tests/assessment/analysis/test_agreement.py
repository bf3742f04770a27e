"""Agreement: the published kappas, worked examples, and a peer's figures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.assessment.analysis.agreement import (
    agreement,
    category,
    differences,
    kappa,
    krippendorff_alpha,
    one_versus_rest,
    percentile_cuts,
    rest_correlations,
    score_pairs,
    slot_correlation,
    validate_crowd,
)
from dragoman.assessment.ratings import Rating
from dragoman.errors import InputError, SettingError
from tests.peers import peer

WORKED = [(12, 18), (35, 41), (55, 58), (60, 79), (80, 95), (5, 22), (44, 47), (99, 100), (61, 62), (30, 39)]


def rated(*columns: Sequence[float]) -> list[Rating]:
    """One column per assessor, one row per output."""
    return [
        Rating(f"a{who}", "t", at, f"i{at}", "system", score, system="S", segment=str(at))
        for who, scores in enumerate(columns)
        for at, score in enumerate(scores)
    ]


def test_kappa_worked_example() -> None:
    """Worked example for Graham et al. (2013): 8 of 10 agree in five categories."""
    pairs = [(category(a, 5), category(b, 5)) for a, b in WORKED]
    assert pairs == [(0, 0), (1, 2), (2, 2), (3, 3), (4, 4), (0, 1), (2, 2), (4, 4), (3, 3), (1, 1)]
    assert kappa(pairs, 5) == pytest.approx(0.75)
    rows = []
    for at, (a, b) in enumerate(WORKED):
        rows.append(Rating("w", "t", at, f"i{at}", "system", float(a)))
        rows.append(Rating("w", "t", 50 + at, f"r{at}", "repeat", float(b), partner=f"i{at}"))
    found = agreement(score_pairs(rows, kind="intra"), kind="intra")
    assert found is not None
    assert (found.share, found.kappa, found.pairs) == pytest.approx((0.8, 0.75, 10))
    sizes = differences(score_pairs(rows, kind="intra"))
    assert sizes is not None
    assert sizes.mean == pytest.approx(np.mean([abs(a - b) for a, b in WORKED]))


@pytest.mark.parametrize(
    ("share", "categories", "published"),
    [
        (0.604, 5, 0.505), (0.614, 5, 0.517), (0.597, 5, 0.496), (0.718, 5, 0.647), (0.646, 4, 0.528),
        (0.721, 4, 0.629), (0.852, 2, 0.704), (0.900, 2, 0.800), (0.330, 5, 0.162), (0.268, 5, 0.084),
        (0.295, 5, 0.119), (0.303, 5, 0.128), (0.302, 5, 0.127), (0.335, 5, 0.169), (0.381, 4, 0.174),
        (0.385, 4, 0.180), (0.355, 4, 0.140), (0.445, 4, 0.260), (0.665, 2, 0.331), (0.668, 2, 0.335),
        (0.755, 2, 0.510), (0.738, 2, 0.475),
    ],
)  # fmt: skip
def test_all_published_kappas_follow_from_uniform_chance(share: float, categories: int, published: float) -> None:
    """The 22 kappas of Tables 2 and 3 of Graham et al. (2013); one is printed as .16 there."""
    agreeing = round(1000 * share)
    pairs = [(0, 0)] * agreeing + [(0, 1)] * (1000 - agreeing)
    assert kappa(pairs, categories) == pytest.approx(published, abs=0.0015)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_kappa_properties(pairs: list[tuple[int, int]]) -> None:
    assert kappa(pairs, 4) == pytest.approx(kappa([(b, a) for a, b in pairs], 4))
    assert (kappa(pairs, 4) == pytest.approx(1)) == all(a == b for a, b in pairs)
    if len({one for pair in pairs for one in pair}) > 1:
        for chance in ("cohen", "scott"):
            assert kappa(pairs, 4, chance=chance) <= 1 + 1e-12


def test_kappa_is_zero_at_chance() -> None:
    pairs = [(a, b) for a in range(4) for b in range(4)]
    for chance in ("uniform", "cohen", "scott"):
        assert kappa(pairs, 4, chance=chance) == pytest.approx(0)
    with pytest.raises(SettingError, match="cohen"):
        kappa(pairs, 4, chance="luck")
    with pytest.raises(InputError, match="no pairs"):
        kappa([], 4)
    with pytest.raises(InputError, match="one category"):
        kappa([(1, 1)], 4, chance="scott")


@pytest.mark.slow
def test_cohen_and_scott_agree_with_nltk() -> None:
    metrics = peer("nltk.metrics.agreement")
    rng = np.random.default_rng(2)
    pairs = [(int(a), int(b)) for a, b in rng.integers(0, 3, (40, 2))]
    task = metrics.AnnotationTask(data=[(who, str(at), pair[who]) for at, pair in enumerate(pairs) for who in (0, 1)])
    assert kappa(pairs, 3, chance="cohen") == pytest.approx(task.kappa())
    assert kappa(pairs, 3, chance="scott") == pytest.approx(task.pi())


def test_krippendorff_agrees_with_nltk() -> None:
    metrics = peer("nltk.metrics.agreement")
    rng = np.random.default_rng(5)
    truth = rng.uniform(0, 100, 12)
    columns = [list(np.round(truth + rng.normal(0, 20, 12))) for _ in range(4)]
    data = [(f"a{who}", str(at), score) for who, scores in enumerate(columns) for at, score in enumerate(scores)]
    task = metrics.AnnotationTask(data=data, distance=lambda a, b: (a - b) ** 2)
    assert krippendorff_alpha(rated(*columns)) == pytest.approx(task.alpha())
    assert krippendorff_alpha(rated([1, 2])) is None
    assert krippendorff_alpha(rated([1, 2, 3], [1, 2, 3])) == pytest.approx(1)


def test_one_versus_rest_worked_example() -> None:
    """Worked example for Agirre et al. (2012): three annotators, four pairs."""
    rows = rated([5, 3, 0, 4], [4, 3, 1, 2], [5, 2, 0, 3])
    found = {key[0]: r for key, (r, _) in rest_correlations(rows).items()}
    assert [found[name] for name in ("a0", "a1", "a2")] == pytest.approx([0.94491, 0.86001, 0.96561], abs=1e-5)
    assert one_versus_rest(rows) == pytest.approx(0.92351, abs=1e-5)
    assert one_versus_rest(rated([1, 2, 3], [1, 2, 3])) == pytest.approx(1)
    assert one_versus_rest(rated([1, 2, 3])) is None
    assert rest_correlations(rated([1, 2, 3], [4, 4, 4]))["a1", "adequacy", ""][0] == 0


def test_a_crowd_is_validated_against_experts() -> None:
    """The check of Agirre et al. (2014): experts among themselves, each with the crowd, their mean with the crowd."""
    rng = np.random.default_rng(4)
    truth = rng.uniform(0, 5, 200)
    experts = rated(*(list(truth + rng.normal(0, 1.2, 200)) for _ in range(2)))
    crowd = rated(*(list(truth + rng.normal(0, 1.5, 200)) for _ in range(5)))
    found = validate_crowd(experts, crowd)
    assert found is not None
    assert found.experts < min(found.each.values()) < found.together
    assert found.outputs == 200
    columns = np.array([[one.score for one in experts if one.assessor == name] for name in ("a0", "a1")])
    assert found.experts == pytest.approx(np.corrcoef(columns)[0, 1])
    assert validate_crowd(experts[:2], crowd) is None


def test_slots() -> None:
    rng = np.random.default_rng(1)
    truth = rng.uniform(0, 5, 60)
    columns = [list(truth + rng.normal(0, 0.5, 60)) for _ in range(5)]
    found = slot_correlation(rated(*columns), slots=5, rng=rng)
    assert found is not None
    assert found == pytest.approx(one_versus_rest(rated(*columns)), abs=0.03)
    assert slot_correlation(rated(*columns), slots=6, rng=rng) is None


def test_distinct_judges_are_compared_once_per_output() -> None:
    rows = rated([10, 50], [20, 90], [30, 50])
    rows.append(Rating("a0", "t", 9, "r0", "repeat", 30.0, system="S", segment="0", partner="i0"))
    sizes = differences(score_pairs(rows, kind="inter"))
    assert sizes is not None
    assert sizes.pairs == 6
    assert sizes.mean == pytest.approx(np.mean([0, 10, 10, 40, 0, 40]))
    assert differences(score_pairs(rated([1, 2]), kind="inter")) is None


def test_categories() -> None:
    assert [category(score, 5) for score in (0, 19.9, 20, 60, 99, 100)] == [0, 0, 1, 3, 4, 4]
    with pytest.raises(InputError):
        category(101, 5)
    cut = percentile_cuts(range(100), 4)
    assert [cut(score) for score in (0, 24, 25, 60, 99)] == [0, 0, 1, 2, 3]
    assert [cut(score) for score in sorted(np.linspace(-5, 105, 40))] == sorted(
        cut(score) for score in np.linspace(-5, 105, 40)
    )
