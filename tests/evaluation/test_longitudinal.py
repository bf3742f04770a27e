from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from dragoman.errors import InputError, LengthMismatch
from dragoman.evaluation.longitudinal import fit, harmonic_mean, longitudinal_gain, mean_gain, sampled_cells
from dragoman.metrics import get_metric

OLD, NEW = ("best07", "07"), ("best12", "12")

PUBLISHED = {
    # current on 2007, current on 2012, best of 2007, best of 2012 -> gain; fluency, then adequacy
    "fr-en": ((65.9, 58.0, 57.8, 60.2, 10.3), (61.0, 52.3, 52.7, 51.5, 7.5)),
    "es-en": ((68.4, 59.2, 56.7, 56.7, 9.2), (68.0, 56.9, 59.0, 55.7, 7.8)),
    "cs-en": ((62.3, 49.9, 40.8, 50.5, 22.1), (62.4, 47.5, 41.7, 47.4, 20.6)),
    "en-es": ((77.2, 73.4, 63.3, 71.9, 12.4), (75.2, 68.1, 62.5, 67.2, 11.8)),
    "en-fr": ((57.1, 55.2, 49.5, 56.4, 8.8), (64.2, 61.9, 57.2, 62.3, 7.4)),
    "en-de": ((52.3, 54.1, 53.7, 55.5, 0.0), (60.3, 57.4, 58.3, 58.3, 2.9)),
}


def table(current_old: float, current_new: float, best_old: float, best_new: float) -> dict[tuple[str, str], float]:
    return {("current", "07"): current_old, ("current", "12"): current_new, OLD: best_old, NEW: best_new}


@pytest.mark.parametrize("pair", PUBLISHED)
def test_published_gains(pair: str) -> None:
    """Graham, Baldwin, Moffat and Zobel (2014), tables 4 and 5."""
    for *cells, gain in PUBLISHED[pair]:
        found = longitudinal_gain(table(*cells), old=OLD, new=NEW)
        assert found.gain == pytest.approx(gain, abs=0.051)
        assert found.difficulty == pytest.approx(cells[0] - cells[1])
        assert found.naive == pytest.approx(cells[3] - cells[2])
        assert found.interval is None


def test_both_attributes_in_one_figure() -> None:
    """Worked example for the same paper: Czech-English, best of 2012 and gain of the harmonic mean."""
    fluency, adequacy = PUBLISHED["cs-en"]
    assert harmonic_mean(fluency[3], adequacy[3]) == pytest.approx(48.90, abs=0.005)
    joint = [harmonic_mean(f, a) for f, a in zip(fluency[:4], adequacy[:4], strict=True)]
    assert longitudinal_gain(table(*joint), old=OLD, new=NEW).gain == pytest.approx(21.3, abs=0.05)
    assert harmonic_mean(0, 0) == 0
    with pytest.raises(InputError, match="not negative"):
        harmonic_mean(-0.1, 0.2)


def test_several_years_are_split_into_system_and_test_set() -> None:
    systems = {"a": 10.0, "b": 14.0, "c": 15.0, "now": 20.0}
    sets = {"07": 0.0, "10": -3.0, "12": -8.0}
    cells = {
        (system, test_set): systems[system] + sets[test_set]
        for system, test_set in [("a", "07"), ("b", "10"), ("c", "12"), ("now", "07"), ("now", "10"), ("now", "12")]
    }
    found = fit(cells)
    assert found.residual == pytest.approx(0, abs=1e-9)
    assert (found.gain("a", "b"), found.gain("a", "c")) == pytest.approx((4, 5))
    assert found.difficulty("07", "12") == pytest.approx(8)
    assert fit({**cells, ("a", "12"): 3.0}).residual > 0.1


@pytest.mark.slow
def test_interval_covers_a_planted_gain() -> None:
    """A harder test set hides the gain from the plain difference, and not from the estimate."""
    covered, naive = 0, []
    for seed in range(100):
        random = np.random.default_rng(seed)
        means = {("current", "07"): 60.0, ("current", "12"): 50.0, OLD: 45.0, NEW: 43.0}  # gain 8, difficulty 10
        cells = {cell: random.normal(mean, 20.0, size=300) for cell, mean in means.items()}
        scores, samples = sampled_cells(cells, paired=seed % 2 == 0, samples=400, seed=seed)
        found = longitudinal_gain(scores, old=OLD, new=NEW, samples=samples)
        assert found.interval is not None
        covered += found.interval[0] <= 8 <= found.interval[1]
        naive.append(found.naive)
    assert covered >= 90
    assert np.mean(naive) == pytest.approx(-2, abs=0.5)


def test_assessors_are_drawn_together() -> None:
    """Leniency of an assessor who judged all cells alike cancels when whole assessors are drawn."""
    random = np.random.default_rng(1)
    workers = np.repeat(np.arange(30), 20)
    leniency = random.normal(0, 15, size=30)[workers]
    means = {("current", "07"): 60.0, ("current", "12"): 50.0, OLD: 45.0, NEW: 43.0}
    cells = {cell: mean + leniency + random.normal(0, 1, size=600) for cell, mean in means.items()}
    scores, apart = sampled_cells(cells)
    _, together = sampled_cells(cells, groups=dict.fromkeys(cells, workers.tolist()))
    loose = longitudinal_gain(scores, old=OLD, new=NEW, samples=apart)
    tight = longitudinal_gain(scores, old=OLD, new=NEW, samples=together)
    assert tight.interval is not None
    assert loose.gain == tight.gain == pytest.approx(8, abs=0.3)
    assert tight.interval[1] - tight.interval[0] < 1
    spread = {cell: float(values.std()) for cell, values in together.items()}
    assert min(spread.values()) > 1.5  # a cell by itself does vary with its assessors


def test_metric_statistics_and_shared_segments() -> None:
    bleu = get_metric("bleu")
    reference = [f"the cat number {n} sat on the mat near {n % 7} doors ." for n in range(60)]
    good = [line.replace("near", "by") for line in reference]
    bad = [line.replace("cat", "dog") if n % 3 else line.replace("mat", "rug") for n, line in enumerate(reference)]
    rows: dict[tuple[str, str], NDArray[np.float64]] = {
        ("current", "07"): bleu.statistics(good, reference),
        ("current", "12"): bleu.statistics(bad[:40], reference[:40]),
        OLD: bleu.statistics(bad, reference),
        NEW: bleu.statistics(bad[:40], reference[:40]),
    }
    scores, samples = sampled_cells(rows, scores=bleu.scores, samples=200)
    assert scores[OLD] == pytest.approx(bleu.corpus_score(bad, reference))
    found = longitudinal_gain(scores, old=OLD, new=NEW, samples=samples)
    assert found.interval is not None
    assert found.interval[0] <= found.gain <= found.interval[1]
    np.testing.assert_array_equal(samples["current", "12"], samples[NEW])  # same outputs, same segments drawn
    assert (samples["current", "07"] != samples["current", "12"]).any()


def test_mean_over_language_pairs() -> None:
    random = np.random.default_rng(3)
    gains = []
    for shift in (0.0, 4.0):
        cells = {cell: random.normal(mean, 5, size=100) for cell, mean in table(60, 55, 40, 41 + shift).items()}
        scores, samples = sampled_cells(cells, samples=500)
        gains.append(longitudinal_gain(scores, old=OLD, new=NEW, samples=samples))
    mean = mean_gain(gains)
    assert mean.gain == pytest.approx((gains[0].gain + gains[1].gain) / 2)
    assert mean.interval is not None
    assert gains[0].interval is not None
    assert mean.interval[1] - mean.interval[0] < gains[0].interval[1] - gains[0].interval[0]
    assert str(mean).startswith("+")
    plain = longitudinal_gain(table(60, 55, 40, 41), old=OLD, new=NEW)
    assert mean_gain([plain]).interval is None
    assert str(plain) == "+6.00"


def test_refusals() -> None:
    cells = table(60, 55, 40, 41)
    with pytest.raises(InputError, match="no chain of test sets and systems links 'best12'"):
        fit({cell: value for cell, value in cells.items() if cell != ("current", "12")})
    with pytest.raises(InputError, match="no score of best99 on 99"):
        longitudinal_gain(cells, old=OLD, new=("best99", "99"))
    with pytest.raises(InputError, match="no scores"):
        fit({})
    with pytest.raises(InputError, match="best07 on 07: the score is not a finite"):
        fit({**cells, OLD: math.nan})
    with pytest.raises(InputError, match="no samples of"):
        longitudinal_gain(cells, old=OLD, new=NEW, samples={})
    with pytest.raises(InputError, match="best07 on 07: the cell is empty"):
        sampled_cells({OLD: []})
    with pytest.raises(InputError, match="finite"):
        sampled_cells({OLD: [1, math.inf]})
    with pytest.raises(InputError, match="list of scores, or rows"):
        sampled_cells({OLD: np.zeros((2, 2, 2))})
    with pytest.raises(LengthMismatch, match="current on 07: 1 segments, but 2 of another system"):
        sampled_cells({OLD: [1, 2], ("current", "07"): [1]})
    with pytest.raises(LengthMismatch, match="2 judgements by 1 assessors"):
        sampled_cells({OLD: [1, 2]}, groups={OLD: ["w"]})
    with pytest.raises(InputError, match="without judgements"):
        sampled_cells({OLD: [1, 2], NEW: [3]}, groups={OLD: ["v", "w"], NEW: ["w"]})
    with pytest.raises(InputError, match="no gain"):
        mean_gain([])
    scores, samples = sampled_cells({cell: [1.0, 2.0] for cell in cells}, samples=20)
    one = longitudinal_gain(scores, old=OLD, new=NEW, samples=samples)
    with pytest.raises(LengthMismatch):
        mean_gain([one, longitudinal_gain(cells, old=OLD, new=NEW)])
