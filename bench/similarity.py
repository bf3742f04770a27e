"""Similarity: pairs a second of scorers on the sets of 2014, training of edit models, near-duplicates in a text."""

from __future__ import annotations

import resource
import time
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.testing import assert_allclose

from bench.contest import DATA, Contest, bench
from dragoman.annotations.training import train_annotator
from dragoman.annotations.treebanks import read_treebank
from dragoman.files import read_lines
from dragoman.similarity import TextPair, annotate_pairs, get_scorer, read_pair_set, read_task
from dragoman.similarity.duplicates import near_duplicates
from dragoman.similarity.learned import FeatureScorer


@cache
def pairs() -> list[TextPair]:
    """3,750 pairs."""
    sets = read_task(sorted((DATA / "sts" / "2014").glob("*.test.tsv*")))
    return [pair for one in sets for pair in one.pairs]


def timed(job: Callable[[], Any], units: int, unit: str, target: int = 0) -> dict[str, str]:
    """Processor time of a job, and units of work in a second of it: machines are shared."""
    begun = time.process_time()
    job()
    seconds = time.process_time() - begun
    wanted = f" (target {target:,})" if target else ""
    return {f"{unit} a CPU second{wanted}": f"{units / seconds:,.0f}", "CPU seconds": f"{seconds:,.1f}"}


def scorer_job(name: str, *options: str, target: int = 2000) -> dict[str, str]:
    """Pairs a second of a scorer; one that learns was fitted to pairs of another year."""
    scorer, given = get_scorer(name, options), pairs()
    if scorer.learns:
        train = read_pair_set(DATA / "sts" / "2012" / "MSRpar.train.tsv")
        scorer.fit(train.pairs, train.scores() / 5, threads=1)
    scorer.score(given[:10], threads=1)
    return timed(lambda: scorer.score(given, threads=1), len(given), "pairs", target)


def captions() -> list[str]:
    """Text to learn words from."""
    return [f"text={DATA / 'multi30k' / 'train.en.gz'}", "dimensions=100"]


@bench("token cosine", peer="scikit-learn")
def token_cosine() -> Contest:
    from sklearn.feature_extraction.text import CountVectorizer

    scorer, given = get_scorer("token-cosine"), pairs()

    def theirs() -> Any:
        vectors = CountVectorizer(binary=True, lowercase=False, tokenizer=str.split, token_pattern=None)
        rows = vectors.fit_transform([text for pair in given for text in pair.texts]).astype(np.float64)
        first, second = rows[::2], rows[1::2]
        common = np.asarray(first.multiply(second).sum(1)).ravel()
        return common / np.sqrt(np.asarray(first.sum(1)).ravel() * np.asarray(second.sum(1)).ravel())

    return Contest(
        ours=lambda: scorer.score(given, threads=1),
        theirs=theirs,
        agree=lambda ours, others: assert_allclose(ours, others, atol=1e-12),
        units=len(given),
        unit="pairs",
    )


@bench("string similarity")
def string_similarity() -> dict[str, str]:
    return scorer_job("string")


@bench("character n-grams", peer="scikit-learn")
def ngrams() -> Contest:
    from sklearn.feature_extraction.text import CountVectorizer

    scorer, given = get_scorer("ngrams"), pairs()

    def theirs() -> Any:
        vectors = CountVectorizer(analyzer=lambda text: [text.lower()[at : at + 3] for at in range(len(text) - 2)])
        rows = vectors.fit_transform([text for pair in given for text in pair.texts]).astype(np.float64)
        first, second = rows[::2], rows[1::2]
        common = np.asarray(first.minimum(second).sum(1)).ravel()
        return common / np.sqrt(np.asarray(first.sum(1)).ravel() * np.asarray(second.sum(1)).ravel())

    return Contest(
        ours=lambda: scorer.score(given, threads=1),
        theirs=theirs,
        agree=lambda ours, others: assert_allclose(ours, others, atol=1e-12),
    )


@bench("chrF of pairs in both directions", peer="sacrebleu")
def both_chrf() -> Contest:
    from sacrebleu.metrics.chrf import CHRF

    scorer, given = get_scorer("metrics", ["metrics=chrf"]), pairs()
    assert isinstance(scorer, FeatureScorer)
    peer = CHRF()

    def theirs() -> Any:
        return np.array(
            [
                [peer.sentence_score(one, [other]).score / 100, peer.sentence_score(other, [one]).score / 100]
                for one, other in (pair.texts for pair in given)
            ]
        )

    return Contest(
        ours=lambda: scorer.matrix(given)[1],
        theirs=theirs,
        agree=lambda ours, others: assert_allclose(ours, others, atol=1e-9),
    )


@bench("character n-grams, processor time")
def ngrams_alone() -> dict[str, str]:
    return scorer_job("ngrams")


@bench("soft cardinality")
def soft_cardinality() -> dict[str, str]:
    return scorer_job("soft-cardinality")


@bench("best matches by WordNet")
def matching() -> dict[str, str]:
    return scorer_job("matching")


@bench("pairing words, WordNet and vectors of words")
def pairing_words() -> dict[str, str]:
    return scorer_job("pairing-words", *captions())


@bench("TakeLab's features and regression, WordNet and vectors of words")
def takelab() -> dict[str, str]:
    return scorer_job("takelab", *captions())


@bench("UKP's features and regression, WordNet, vectors and concepts of words")
def ukp() -> dict[str, str]:
    return scorer_job("ukp", *captions())


@bench("DLS once annotated, trees by a parser trained on 1,000 sentences")
def dls() -> dict[str, str]:
    treebank = read_treebank("syntax", [DATA / "treebanks" / "ud" / "en_ewt-ud-train.conllu.gz"])
    parser = train_annotator("syntax", list(islice(treebank, 1000)), epochs=3)
    plain = [TextPair.of(*map(printed, pair.texts)) for pair in pairs()]
    given = annotate_pairs(plain, parser, threads=0)
    table = DATA / "paraphrase" / "ppdb-1.0-xxxl-lexical.uniquepairs.txt.gz"
    scorer = get_scorer("dls", [f"paraphrases={table}"])
    scorer.score(given[:1])
    return timed(lambda: scorer.score(given, threads=1), len(given), "pairs", 200)


def printed(text: str) -> str:
    """Without control characters, which annotators refuse."""
    return "".join(letter for letter in text if unicodedata.category(letter) != "Cc")


@bench("edit model without jumps, training on 5,000 pairs")
def edit_training() -> dict[str, str]:
    one = read_pair_set(DATA / "sts" / "sick2014" / "SICK_train.txt.gz")
    more = read_pair_set(DATA / "sts" / "2012" / "MSRpar.train.tsv")
    given = [*one.pairs, *more.pairs][:5000]
    gold = np.concatenate([one.scores(), more.scores()])[:5000] / 5
    scorer = get_scorer("pfsm", ["synonyms=false"])
    return timed(lambda: scorer.fit(given, gold, threads=1), len(given), "pairs")


@bench("near-duplicates of package descriptions, by shared words")
def duplicates() -> dict[str, str]:
    lines = list(read_lines(DATA / "debian" / "mono.en.gz"))
    return timed(lambda: near_duplicates(lines, least=0.8, least_shared=0.8), len(lines), "lines")


def generated_lines(size: int) -> list[str]:
    """Lines of words as frequent as ranks say; one in twenty is a line before it with one word changed."""
    draws = np.random.default_rng(1)
    words = np.array([f"w{number}" for number in range(500_000)])
    shares = 1 / np.arange(1, len(words) + 1)
    chosen = draws.choice(len(words), size=(size, 15), p=shares / shares.sum())
    copies = np.flatnonzero(draws.random(size) < 0.05)
    copies = copies[copies > 0]
    chosen[copies] = chosen[draws.integers(0, copies)]
    chosen[copies, draws.integers(0, 15, len(copies))] = draws.integers(0, len(words), len(copies))
    return [" ".join(row) for row in words[chosen].tolist()]


@bench("near-duplicates in a million generated lines, shared words first, soft cardinality second")
def million_lines() -> dict[str, str]:
    lines, scorer = generated_lines(1_000_000), get_scorer("soft-cardinality")
    found = timed(lambda: near_duplicates(lines, scorer, least=0.8, least_shared=0.8), len(lines), "lines")
    # of the whole process: run the job alone (`--only`) to read it
    return {**found, "peak memory, GB": f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f}"}
