from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from dragoman.assessment.campaign import Campaign
from tests.assessment.web.browser import Browser, find_browser
from tests.assessment.web.house import House, make_campaign, open_house
from tests.assessment.web.postgresql import Cluster, running


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., House]]:
    """Serve a campaign (or one made of these settings) for the length of the test."""
    with ExitStack() as stack:

        def start(campaign: Campaign | None = None, **settings: Any) -> House:
            return stack.enter_context(open_house(campaign or make_campaign(**settings), tmp_path))

        yield start


@pytest.fixture
def house(serve: Callable[..., House]) -> House:
    return serve()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Cluster]:
    with running() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def _chromium() -> Iterator[Browser]:
    browser = find_browser("chromium")
    yield browser
    browser.quit()


@pytest.fixture(scope="session")
def _firefox() -> Iterator[Browser]:
    browser = find_browser("firefox")
    yield browser
    browser.quit()


@pytest.fixture(params=["chromium", pytest.param("firefox", marks=pytest.mark.slow)])
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """A browser as a stranger finds it: no cookies, a desktop's window."""
    found: Browser = request.getfixturevalue(f"_{request.param}")
    found.forget()
    yield found
    found.forget()
