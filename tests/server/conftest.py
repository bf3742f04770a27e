from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import dragoman
from dragoman.pipeline.confidence import calibrate
from dragoman.pipeline.recipe import Recipe
from tests.assessment.web.browser import Browser, find_browser
from tests.pipeline.conftest import SMALL, Sides, sides
from tests.server.house import House, open_house


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model of phrases, `en-de`, and one of hierarchical rules, `de-en`."""
    folder = tmp_path_factory.mktemp("served")
    english, german = sides(300)
    recipe = replace(SMALL, evidence=True, keep_aligner=True)
    made = dragoman.train(english, german, output=folder / "en-de", languages=("en", "de"), recipe=recipe)
    heldout = sides(30, start=5000)
    made.with_confidence(calibrate(made, heldout.source, heldout.target, scales=(0.5,))).save()
    back = Recipe(kind="hiero", order=3, aligner="fast", tuner="none", dev_size=40)
    dragoman.train(german, english, output=folder / "de-en", languages=("de", "en"), recipe=back)
    return folder


@pytest.fixture(scope="session")
def paths(models: Path) -> list[Path]:
    return [models / "en-de", models / "de-en"]


@pytest.fixture(scope="session")
def texts() -> Sides:
    return sides(40, start=9000)


@pytest.fixture(scope="module")
def house(paths: list[Path]) -> Iterator[House]:
    with open_house(paths) as found:
        yield found


@pytest.fixture(scope="session")
def _browser() -> Iterator[Browser]:
    browser = find_browser("chromium")
    yield browser
    browser.quit()


@pytest.fixture
def browser(_browser: Browser) -> Browser:
    _browser.forget()
    return _browser


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where pictures of the page go: into the docs, if the environment says so."""
    return Path(os.environ.get("DRAGOMAN_PICTURES", tmp_path))
