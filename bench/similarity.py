"""Similarity: pairs a second of scorers on the sets of 2014, training of edit models, near-duplicates in a text."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.testing import assert_allclose

from bench.contest import DATA, Contest, bench
from dragoman.annotations import Sentence
from dragoman.files import read_lines
from dragoman.similarity import TextPair, get_scorer, read_pair_set, read_task
from dragoman.similarity.duplicates import near_duplicates
from dragoman.similarity.words import with_tokens


@cache
def pairs() -> list[TextPair]:
    """3,750 pairs."""
    sets = read_task(sorted((DATA / "sts" / "2014").glob("*.test.tsv*")))
    return [pair for one in sets for pair in one.pairs]


def scorer_job(name: str, *options: str) -> Contest:
    scorer, given = get_scorer(name, options), pairs()
    return Contest(ours=lambda: scorer.score(given, threads=1), units=len(given), unit="pairs", note="one thread")


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


@bench("string similarity (at least 2,000 pairs/s)")
def string_similarity() -> Contest:
    return scorer_job("string")


@bench("character n-grams (at least 2,000 pairs/s)")
def ngrams() -> Contest:
    return scorer_job("ngrams")


@bench("soft cardinality (at least 2,000 pairs/s)")
def soft_cardinality() -> Contest:
    return scorer_job("soft-cardinality")


def chained(sentence: Sentence) -> Sentence:
    """A sentence whose words each hang on the one before: as costly to look at as any tree."""
    cut = with_tokens(sentence)
    heads = tuple(range(-1, len(cut) - 1))
    return Sentence.of(cut.words, dependencies=(heads, ["root", *["dep"] * (len(cut) - 1)]))


@bench("DLS with trees at hand (at least 200 pairs/s)")
def dls() -> Contest:
    given = [TextPair(chained(pair.first), chained(pair.second)) for pair in pairs()]
    table = DATA / "paraphrase" / "ppdb-1.0-xxxl-lexical.uniquepairs.txt.gz"
    scorer = get_scorer("dls", [f"paraphrases={table}"])
    scorer.score(given[:1])
    return Contest(ours=lambda: scorer.score(given, threads=1), units=len(given), unit="pairs", note="chains as trees")


@bench("edit model without jumps, training on 5,000 pairs")
def edit_training() -> Contest:
    one = read_pair_set(DATA / "sts" / "sick2014" / "SICK_train.txt.gz")
    more = read_pair_set(DATA / "sts" / "2012" / "MSRpar.train.tsv")
    given = [*one.pairs, *more.pairs][:5000]
    gold = np.concatenate([one.scores(), more.scores()])[:5000] / 5
    return Contest(
        ours=lambda: get_scorer("pfsm", ["synonyms=false"]).fit(given, gold), units=len(given), unit="pairs", repeat=1
    )


@bench("near-duplicates of package descriptions, by shared words")
def duplicates() -> Contest:
    lines = list(read_lines(DATA / "debian" / "mono.en.gz"))
    return Contest(
        ours=lambda: near_duplicates(lines, least=0.8, least_shared=0.8), units=len(lines), unit="lines", repeat=1
    )
