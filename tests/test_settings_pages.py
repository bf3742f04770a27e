"""Reference pages show the settings that the code declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.align import ALIGNERS
from dragoman.metrics import METRICS
from dragoman.registry import Registry
from dragoman.similarity import SCORERS
from dragoman.tuning import TUNERS
from tools.settings_pages import PAGES, named, written

TEXTS = {path.relative_to(PAGES): path.read_text("utf-8") for path in sorted(PAGES.rglob("*.md"))}


@pytest.mark.parametrize("page", sorted(TEXTS), ids=str)
def test_tables_are_up_to_date(page: Path) -> None:
    assert written(TEXTS[page]) == TEXTS[page], "run `make pages`"


@pytest.mark.parametrize(
    ("kind", "registry"), [("aligners", ALIGNERS), ("metrics", METRICS), ("scorers", SCORERS), ("tuners", TUNERS)]
)
def test_every_one_has_a_table(kind: str, registry: Registry[object]) -> None:
    """Or is a variant, with other defaults, of one that has."""
    shown = tuple(registry.get(name) for text in TEXTS.values() for of, name in named(text) if of == kind)
    assert [name for name in registry if not issubclass(registry.get(name), shown)] == []
