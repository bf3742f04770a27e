from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

import dragoman
from dragoman.pipeline.model import Model
from dragoman.pipeline.recipe import Recipe
from dragoman.text import synthetic


class Sides(NamedTuple):
    source: list[str]
    target: list[str]


def sides(size: int, start: int = 0) -> Sides:
    items = list(synthetic.pair("en-de").generate(size, seed=4, start=start))
    return Sides([item.source.text for item in items], [item.target.text for item in items])


SMALL = Recipe(order=3, aligner="fast", tuner="none", dev_size=40, search={"pop_limit": 50, "beam": 50})


@pytest.fixture(scope="session")
def bitext() -> Sides:
    return sides(400)


@pytest.fixture(scope="session")
def heldout() -> Sides:
    return sides(30, start=5000)


@pytest.fixture(scope="session")
def model(bitext: Sides, tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A small English-German model of raw text."""
    output: Path = tmp_path_factory.mktemp("models") / "en-de"
    return dragoman.train(*bitext, output=output, languages=("en", "de"), recipe=SMALL)
