"""Scoring against sacrebleu: ten systems of newstest2013 German-English, 3,000 segments each, one thread.

Both sides prepare the references once and then score every system from its lines; scores must agree.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import sacrebleu
from numpy.testing import assert_allclose

from bench.contest import DATA, Contest, bench
from dragoman.files import read_lines
from dragoman.metrics import get_metric
from dragoman.metrics.base import Metric
from dragoman.metrics.bootstrap import bootstrap_scores, interval

SYSTEMS = 10
FOLDER = DATA / "wmt" / "newstest2013"


@cache
def texts(segments: int = 3000) -> tuple[list[list[str]], list[str]]:
    files = sorted((FOLDER / "de-en").iterdir())[:SYSTEMS]
    references = list(read_lines(FOLDER / "references" / "newstest2013.en.gz"))[:segments]
    return [list(read_lines(file))[:segments] for file in files], references


def clear_their_caches() -> None:
    """Their tokenizers remember lines; every run starts without that, as a first run does."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    for kind in (Tokenizer13a, TokenizerRegexp, TercomTokenizer):
        kind.__call__.cache_clear()


def corpus_scores(spec: str, make: Any, segments: int = 3000, repeat: int = 3) -> Contest:
    systems, references = texts(segments)
    metric: Metric = get_metric(spec)

    def ours() -> list[float]:
        prepared = metric.prepare(references)
        return [100 * metric.corpus_score(system, prepared) for system in systems]

    def theirs() -> list[float]:
        clear_their_caches()
        peer = make(references=[references])
        return [peer.corpus_score(system, None).score for system in systems]

    return Contest(
        ours,
        theirs,
        agree=lambda mine, other: assert_allclose(mine, other, atol=1e-6),
        units=len(systems) * len(references),
        unit="segments",
        repeat=repeat,
        note=f"{len(systems)} systems x {len(references)} segments, scores equal to 1e-6",
    )


@bench("BLEU, 10 systems", peer="sacrebleu", target=10.0)
def bleu() -> Contest:
    return corpus_scores("bleu", lambda **options: sacrebleu.BLEU(force=True, **options))


@bench("BLEU, tokenizer intl, 10 systems", peer="sacrebleu", target=10.0)
def bleu_intl() -> Contest:
    return corpus_scores("bleu:tokenize=intl", lambda **options: sacrebleu.BLEU(force=True, tokenize="intl", **options))


@bench("chrF, 10 systems", peer="sacrebleu", target=10.0)
def chrf() -> Contest:
    return corpus_scores("chrf", sacrebleu.CHRF, repeat=2)


@bench("chrF++, 10 systems", peer="sacrebleu", target=10.0)
def chrf_plus_plus() -> Contest:
    return corpus_scores("chrf++", lambda **options: sacrebleu.CHRF(word_order=2, **options), repeat=1)


@bench("TER, 10 systems", peer="sacrebleu", target=10.0)
def ter() -> Contest:
    return corpus_scores("ter", sacrebleu.TER, segments=200, repeat=1)


@bench("1,000 bootstrap samples of BLEU, 3,000 segments", peer="sacrebleu", target=10.0)
def bootstrap() -> Contest:
    from sacrebleu.significance import _bootstrap_resample

    systems, references = texts()
    metric, peer = get_metric("bleu"), sacrebleu.BLEU(force=True)
    rows = metric.statistics(systems[0], references)
    theirs = peer._extract_corpus_statistics(systems[0], [references])

    def width(scores: list[float]) -> float:
        low, high = interval(np.array(scores), 0.95)
        return high - low

    return Contest(
        lambda: width(list(100 * bootstrap_scores(metric.scores, rows, samples=1000))),
        lambda: width([score.score for score in _bootstrap_resample(theirs, peer, 1000)[1]]),
        agree=lambda mine, other: assert_allclose(mine, other, rtol=0.15),
        units=1000,
        unit="samples",
        repeat=5,
        note="widths of the 95% interval agree to 15%",
    )


@bench("Intervals of BLEU, chrF and TER, one system from its lines")
def report() -> Contest:
    import dragoman

    systems, references = texts()
    return Contest(lambda: dragoman.score(systems[0], references), units=3000, unit="segments")


@bench("METEOR without WordNet, one system")
def meteor() -> Contest:
    systems, references = texts()
    metric = get_metric("meteor:stages=exact+stem")
    return Contest(lambda: metric.corpus_score(systems[0], references), units=3000, unit="segments")


@bench("TERp, one system")
def terp() -> Contest:
    systems, references = texts()
    metric = get_metric("terp")
    return Contest(lambda: metric.corpus_score(systems[0], references), units=3000, unit="segments")


@bench("All pairs, chrF, 3,000 x 2,000")
def pairs() -> Contest:
    systems, references = texts()
    metric = get_metric("chrf")
    return Contest(lambda: metric.score_matrix(systems[0], references[:2000]), units=6e6, unit="pairs")
