"""WordNet is needed for most of what entailment knows of words."""

from __future__ import annotations

import pytest

from dragoman.entailment.entailer import Entailer
from dragoman.entailment.judgement import EntailmentJudgement
from dragoman.entailment.pairs import AnnotatedPair
from dragoman.entailment.suites import load_suite
from dragoman.entailment.word_relations import WordRelations
from dragoman.errors import MissingDependency


@pytest.fixture(scope="session")
def words() -> WordRelations:
    try:
        return WordRelations.find()
    except MissingDependency as error:
        pytest.skip(error.what)


@pytest.fixture(scope="session")
def entailer(words: WordRelations) -> Entailer:
    return Entailer(words)


@pytest.fixture(scope="session")
def phenomena() -> list[AnnotatedPair]:
    return load_suite("phenomena")


@pytest.fixture(scope="session")
def judged(entailer: Entailer, phenomena: list[AnnotatedPair]) -> list[EntailmentJudgement]:
    return entailer.judge_all(phenomena)
