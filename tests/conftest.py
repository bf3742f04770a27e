"""Fixtures that every room may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("dragoman", deadline=None, derandomize=True)
settings.load_profile("dragoman")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora (`DRAGOMAN_DATA`, or `../shared/data`); tests that need it skip where it is absent."""
    folder = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no real corpora here; name their folder in DRAGOMAN_DATA")
    return folder
