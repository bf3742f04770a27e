"""What the metric tests share: a small WordNet, and a sample of real system outputs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.files import read_lines
from dragoman.metrics.lexical import synset_numbers
from tests.tiny_wordnet import write_wordnet


@pytest.fixture
def wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A tiny WordNet instead of whatever is installed."""
    folder = tmp_path / "wordnet"
    folder.mkdir()
    monkeypatch.setenv("WNSEARCHDIR", str(write_wordnet(folder)))
    synset_numbers.cache_clear()
    yield folder
    synset_numbers.cache_clear()


@pytest.fixture(scope="session")
def outputs(data: Path) -> dict[str, tuple[list[str], list[list[str]]]]:
    """Outputs of shared tasks with references: language to (every 151st line of several systems, references)."""
    found: dict[str, tuple[list[str], list[list[str]]]] = {}
    for pair in ("de-en", "en-ru", "en-cs", "en-fr"):
        folder = data / "wmt" / "newstest2013" / pair
        target = pair[-2:]
        reference = list(read_lines(folder.parent / "references" / f"newstest2013.{target}.gz"))
        hypotheses: list[str] = []
        references: list[str] = []
        for number, file in enumerate(sorted(folder.iterdir())[:6]):
            hypotheses += list(read_lines(file))[number::151]
            references += reference[number::151]
        found[target] = hypotheses, [references]
    return found
