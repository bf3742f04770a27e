from __future__ import annotations

import random
from pathlib import Path

import pytest

from dragoman.grammar.phrases import extract
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from tests.grammar import brute_force

Bitext = list[tuple[list[str], list[str], brute_force.Links]]


def lines(bitext: Bitext) -> tuple[list[str], list[str], list[str]]:
    return (
        [" ".join(source) for source, _, _ in bitext],
        [" ".join(target) for _, target, _ in bitext],
        [brute_force.pharaoh(links) for _, _, links in bitext],
    )


@pytest.fixture(scope="session")
def bitext() -> Bitext:
    """Three hundred short random pairs over a few words, so that phrases repeat."""
    rng = random.Random(5)
    return [brute_force.random_pair(rng) for _ in range(300)]


@pytest.fixture(scope="session")
def table(bitext: Bitext, tmp_path_factory: pytest.TempPathFactory) -> RuleTable:
    path = tmp_path_factory.mktemp("tables") / "random.table"
    return extract(*lines(bitext), path, scoring=Scoring(min_probability=0, smoothing="none"), evidence=True).table


@pytest.fixture
def german(tmp_path: Path) -> RuleTable:
    """Five sentences about a house."""
    source = ["das haus", "das kleine haus", "ein haus", "das haus ist ja klein", "ein buch"]
    target = ["the house", "the small house", "a house", "the house is very small", "a book"]
    links = ["0-0 1-1", "0-0 1-1 2-2", "0-0 1-1", "0-0 1-1 2-2 4-4", "0-0 1-1"]
    plain = Scoring(smoothing="none")
    return extract(source, target, links, tmp_path / "german.table", scoring=plain, evidence=True).table
