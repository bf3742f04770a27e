"""Hard syntactic constraints: what rules may cover, in every decoder, against brute force over free derivations."""

from __future__ import annotations

import warnings
from functools import cache
from random import Random

import pytest

from dragoman.annotations import Sentence
from dragoman.annotations.phrase_spans import PhraseSpan, phrase_spans
from dragoman.features.language_model import LanguageModel
from dragoman.grammar.limits import GappyLimits, HieroLimits, LeftToRightLimits
from dragoman.grammar.table import RuleTable
from dragoman.search import DECODERS
from dragoman.search.base import Decoder
from dragoman.search.translation import SentenceTranslation
from dragoman.text.source_text import SourceText
from tests.features.test_templates import random_tree
from tests.reference_templates import crosses
from tests.search.setting import Setting

LIMITS = {"gappy": GappyLimits(), "hiero": HieroLimits(), "lr-hiero": LeftToRightLimits()}
KINDS = ("no_cross", "match_only")


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("hard"), "")


@cache
def rules(setting: Setting, name: str) -> RuleTable:
    return setting.rules(LIMITS[name])


def made(name: str, setting: Setting, **settings: object) -> Decoder:
    table = rules(setting, name) if name in LIMITS else setting.table
    models = [LanguageModel("lm", setting.model)]
    return DECODERS.get(name).open(lambda _: table.path, models, {"pop_limit": 40, "beam": 40, **settings})


def trees(setting: Setting, seed: int, longest: int = 99) -> list[SourceText]:
    random = Random(seed)
    lines = [line.split() for line in setting.sentences if len(line.split()) <= longest][:5]
    return [
        SourceText.annotated(Sentence.of(words, constituents=random_tree(0, len(words), random))) for words in lines
    ]


def admits(kind: str, span: tuple[int, int], phrases: tuple[PhraseSpan, ...]) -> bool:
    """The definition, straight."""
    if span[1] - span[0] == 1:
        return True
    if kind == "match_only":
        return any((start, end) == span for _, start, end in phrases)
    return not any(crosses(span, (start, end)) for _, start, end in phrases)


def spans(translation: SentenceTranslation) -> list[tuple[int, int]]:
    """What rules cover; from left to right glue is a phrase put to a longer span, and what counts is the phrase."""
    return [
        each.source_span if "glue" in each.features or not each.within[1] else each.within
        for each in translation.phrases
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["phrase", "gappy", "hiero", "lr-hiero"])
def test_no_rule_covers_what_it_may_not(name: str, kind: str, setting: Setting) -> None:
    plainly = {"right_boundary": "none"} if name == "lr-hiero" else {}
    texts = trees(setting, 3)
    free, hard = made(name, setting, **plainly), made(name, setting, hard_syntax=kind, **plainly)
    broken = 0
    for text, bare, found in zip(texts, free.translate(texts), hard.translate(texts), strict=True):
        assert text.annotation is not None
        phrases = phrase_spans(text.annotation)
        assert all(admits(kind, span, phrases) for span in spans(found))
        assert sum(len(each.positions) for each in found.phrases) == len(found.source), "all words are translated"
        broken += not all(admits(kind, span, phrases) for span in spans(bare))
    assert broken, "free derivations go against such trees"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["phrase", "hiero"])
def test_the_best_is_the_best_free_derivation_that_is_allowed(name: str, kind: str, setting: Setting) -> None:
    texts = trees(setting, 8, longest=5)
    wide = {"pop_limit": 4000, "beam": 4000, "option_limit": 3}
    free = made(name, setting, **wide).translate(texts, forests=True)
    hard = made(name, setting, **wide).with_settings(hard_syntax=kind).translate(texts)
    decided = 0
    for text, all_of, found in zip(texts, free, hard, strict=True):
        assert text.annotation is not None
        phrases = phrase_spans(text.annotation)
        allowed = (
            derivation.score
            for derivation in all_of.nbest(20_000)
            if all(
                admits(kind, step.span, phrases)
                for step in derivation.steps
                if step.positions and any(isinstance(word, str) for word in step.target)
            )
        )
        best = next(allowed, None)
        if best is not None:
            decided += 1
            assert found.score == pytest.approx(best, abs=1e-6)
    assert decided


def test_exact_search_obeys(setting: Setting) -> None:
    for name in ("phrase", "hiero"):
        hard = made(name, setting, pop_limit=3000, beam=3000, hard_syntax="no_cross")
        texts = trees(setting, 2, longest=6)[:2]
        for exact, found in zip(
            hard.with_settings(search="exact").translate(texts), hard.translate(texts), strict=True
        ):
            assert exact.proof is not None
            assert exact.score == pytest.approx(found.score, abs=1e-3)


def test_without_a_tree_nothing_is_restricted_and_that_is_said_once(setting: Setting) -> None:
    hard = made("hiero", setting, hard_syntax="match_only")
    with pytest.warns(UserWarning, match="2 of 2 sentences have no phrases: hard_syntax"):
        found = hard.translate(setting.sentences[:2])
    assert [each.text for each in found] == [
        each.text for each in made("hiero", setting).translate(setting.sentences[:2])
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hard.translate(setting.sentences[:2])


def test_the_worked_example() -> None:
    """Three words, a tree (IP (NP a) (VP b c)): the first two words cannot be translated as one."""
    phrases: tuple[PhraseSpan, ...] = (("IP", 0, 3), ("NP", 0, 1), ("VP", 1, 3))
    assert [admits("no_cross", span, phrases) for span in ((0, 2), (1, 3), (0, 3), (2, 3))] == [
        False,
        True,
        True,
        True,
    ]
