"""Established libraries to compare with. Never mocked: missing on a laptop skips the test, missing in CI fails it."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import pytest


def peer(name: str) -> Any:
    """The peer's module."""
    if os.environ.get("CI"):
        return import_module(name)
    return pytest.importorskip(name)
