"""Fixtures that every room may use."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.json_shape import watch_json

settings.register_profile("dragoman", deadline=None, derandomize=True)
settings.load_profile("dragoman")

_LONG = re.compile(
    r"tests/(cli|first_hour|pipeline|server|assessment/web)/"
    r"|/test_(cli|docs|experiments|front|house|patterns|plain_data|torture)|_commands?\.py"
)
"""Files of tests that run commands, servers and trainings."""

_MORE = re.compile(r"\[([2-9]|\d\d+)\]$")
"""Tests of random instances by number: two are enough for daily work."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What `make test-fast` leaves out: tests marked one by one, those of whole files, and more of the same."""
    for item in items:
        if _LONG.search(item.path.as_posix()) or _MORE.search(item.name):
            item.add_marker("slow")


@pytest.fixture(autouse=True, scope="session")
def _json_has_one_shape() -> Iterator[None]:
    """Whatever JSON a command prints in a test is looked at."""
    with pytest.MonkeyPatch.context() as patch:
        watch_json(patch)
        yield


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora (`DRAGOMAN_DATA`, or `../shared/data`); tests that need it skip where it is absent."""
    folder = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no real corpora here; name their folder in DRAGOMAN_DATA")
    return folder
