"""Measures of UOW: the published examples, and its search for parameters."""

from __future__ import annotations

import numpy as np
import pytest

from dragoman.annotations import Sentence, Span
from dragoman.errors import SettingError
from dragoman.metrics.role_matching import PredicateRoles
from dragoman.similarity import TextPair
from dragoman.similarity.uow import MEASURES, Uow, chunk_bleu, name_score, role_score

LAYERLESS = ("chunks", "meteor", "names", "roles")


def bag(words: str) -> frozenset[str]:
    return frozenset(words.split())


def test_words_of_the_published_pair() -> None:
    """Seven tokens each, six shared; three words of content each, two shared."""
    pair = TextPair.of("A man is riding a bicycle.", "A man is riding a bike.")
    assert list(Uow(without=LAYERLESS).features(pair).values()) == pytest.approx([6 / 7, 2 / 3, 2 / 3, 2 / 3])
    longer = TextPair.of("A man is riding.", "A man is riding a bike.")
    there, back = (Uow(without=LAYERLESS).features(one) for one in (longer, longer.swapped()))
    assert there["precision of content"] == back["recall of content"]


def test_chunks() -> None:
    first, second = ["NP", "VP", "NP", "PP", "NP"], ["NP", "VP", "NP"]
    assert chunk_bleu(first, second) == pytest.approx(0.56462, abs=1e-5)
    assert chunk_bleu(second, first) == pytest.approx(0.51342, abs=1e-5)
    assert chunk_bleu(first, first) == pytest.approx(1.0)
    assert chunk_bleu([], first) == 0
    assert chunk_bleu(["NP"], ["VP"]) == 0


def named(words: str, *spans: Span) -> Sentence:
    return Sentence.of(words.split(), entities=spans)


def test_names() -> None:
    first = named("Ann met IBM", Span("PER", 0, 1), Span("ORG", 2, 3))
    assert name_score(first, first) == 1
    assert name_score(first, named("Ann left", Span("PER", 0, 1))) == pytest.approx(0.5)
    assert name_score(named("x"), named("y")) == 0
    other = named("Ann met Big Blue", Span("PER", 0, 1), Span("ORG", 2, 4))
    near = {"ibm": ["big blue"]}
    assert name_score(first, other, lambda word: near.get(word, [])) > name_score(first, other)


def test_roles() -> None:
    """Two verbs, one aligned with three roles of which two are shared: (1 + 0.5) / 3, over 2."""
    second = [
        PredicateRoles(1, "give", {"A0": bag("she"), "A1": bag("a book"), "AM-TMP": bag("now")}),
        PredicateRoles(5, "run", {}),
    ]
    first = [PredicateRoles(1, "give", {"A0": bag("she"), "A1": bag("a pen")})]

    def same(one: str, other: str) -> float:
        return float(one == other)

    assert role_score(first, second, same)[0] == pytest.approx(0.25)
    # a known weakness: unrelated verbs with the same arguments align
    peel, slice_ = (
        [PredicateRoles(2, verb, {"A0": bag("a man"), "A1": bag("a potato")})] for verb in ("peel", "slice")
    )
    score, aligned = role_score(peel, slice_, same)
    assert score == 1
    assert aligned[0][2] == pytest.approx(0.5)
    given = role_score(
        [PredicateRoles(0, "a", {"A0": bag("x")})],
        [PredicateRoles(0, "b", {"A0": bag("x")})],
        lambda a, b: 0.796,
        share=0.4,
    )
    assert given[1][0][2] == pytest.approx(0.4 * 0.796 + 0.6)
    assert role_score([], second, same) == (0.0, [])


def test_searched_parameters_fit_at_least_as_well_as_the_usual_ones() -> None:
    draws = np.random.default_rng(1)
    words = [f"w{number}" for number in range(20)]
    pairs, gold = [], []
    for _ in range(30):
        first = [str(word) for word in draws.choice(words, 6, replace=False)]
        kept = int(draws.integers(0, 7))
        second = [*first[:kept], *(str(word) for word in draws.choice(words, 6 - kept))]
        pairs.append(TextPair.of(" ".join(first), " ".join(second)))
        gold.append(kept / 6)
    usual = Uow(without=LAYERLESS).fit(pairs, gold)
    searched = Uow(without=LAYERLESS, search=True, population=6, generations=2, folds=3).fit(pairs, gold)
    errors = [float(np.mean((scorer.score(pairs) - gold) ** 2)) for scorer in (usual, searched)]
    assert errors[1] < 0.05
    assert errors[0] < float(np.var(gold))


def test_something_must_be_left() -> None:
    with pytest.raises(SettingError, match="nothing is left"):
        Uow(without=tuple(MEASURES))
    assert Uow().needs == ("chunks", "entities", "frames")
    assert Uow(without=("names",)).needs == ("chunks", "frames")
