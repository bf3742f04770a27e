"""Comparing systems against sacrebleu's paired tests: newstest2013 German-English, 3,000 segments, one thread."""

from __future__ import annotations

from functools import cache
from importlib import import_module

import numpy as np
import sacrebleu
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from bench.contest import DATA, Contest, bench
from dragoman.evaluation.hybrids import hybrid_scores
from dragoman.evaluation.measures import Measure, measure_texts
from dragoman.evaluation.resampling import SignificanceTest, compare_all, compare_statistics
from dragoman.files import read_lines
from dragoman.metrics import get_metric

SAMPLES = 10_000


@cache
def texts() -> tuple[list[list[str]], list[str]]:
    folder = DATA / "wmt" / "newstest2013"
    references = list(read_lines(folder / "references" / "newstest2013.en.gz"))
    return [list(read_lines(file)) for file in sorted((folder / "de-en").iterdir())[:10]], references


@cache
def measures() -> list[Measure]:
    systems, references = texts()
    named = {f"S{k}": lines for k, lines in enumerate(systems)}
    return measure_texts(named, references, ["bleu", "chrf"])[0]


def paired(kind: str, samples: int, test: SignificanceTest) -> Contest:
    """Both start from statistics that are at hand."""
    systems, references = texts()
    bleu = get_metric("bleu")
    x, y = (bleu.statistics(lines, references) for lines in systems[:2])
    significance = import_module("sacrebleu.significance")
    peer = sacrebleu.BLEU(force=True, references=[references])
    theirs: NDArray[np.float64] = np.array(peer._extract_corpus_statistics(systems[0], None))
    other = peer._extract_corpus_statistics(systems[1], None)
    baseline = {"BLEU": (theirs, significance.Result(peer._aggregate_and_compute(theirs.tolist()).score))}
    run = significance._paired_ar_test if kind == "ar" else significance._paired_bs_test

    class Prepared:
        """Their metric with statistics at hand, so that only the test is timed."""

        _aggregate_and_compute = peer._aggregate_and_compute
        _compute_score_from_stats = peer._compute_score_from_stats

        def _extract_corpus_statistics(self, *_: object) -> object:
            return other

    def them() -> float:
        found = run(baseline, "y", systems[1], None, {"BLEU": Prepared()}, samples, seed=12345)
        return float(found[1]["BLEU"].p_value)

    return Contest(
        lambda: compare_statistics(x, y, bleu.scores, test, threads=1).p,
        them,
        agree=lambda mine, their: assert_allclose(mine, their, atol=0.02),
        units=samples,
        unit="samples",
        repeat=2,
        note=f"{samples:,} samples of {len(x):,} segments; p-values agree to 0.02; ours includes intervals",
    )


@bench("Randomization test of BLEU, one pair", peer="sacrebleu", target=10.0)
def randomization() -> Contest:
    return paired("ar", SAMPLES, SignificanceTest(strict_ties=True))


@bench("Bootstrap test of BLEU, one pair", peer="sacrebleu", target=10.0)
def bootstrap() -> Contest:
    test = SignificanceTest(name="riezler-maxwell", centre="mean-abs", strict_ties=True, samples=2000)
    return paired("bs", 2000, test)


@bench("All 45 pairs of 10 systems, randomization, BLEU")
def matrix() -> Contest:
    measure = measures()[0]
    return Contest(
        lambda: compare_all(measure.statistics, measure.scores, threads=1),
        units=45,
        unit="pairs",
        note="10,000 samples of 3,000 segments",
    )


@bench("10,000 hybrid systems out of 10, BLEU and chrF")
def hybrids() -> Contest:
    judged = {name: np.random.default_rng(1).normal(size=3000) for name in measures()[0].statistics}
    return Contest(lambda: hybrid_scores(measures(), judged, threads=1), units=10_000, unit="hybrids")
