"""A tiny treebank from the generator, and models that are trained on it in seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.annotations import Sentence, conllu
from dragoman.annotations.syntax import Syntax, SyntaxSettings
from dragoman.text import synthetic


def sentences(size: int, seed: int) -> list[Sentence]:
    return [item.source.annotated for item in synthetic.pair("en-de").generate(size, seed=seed)]


@pytest.fixture(scope="session")
def treebank() -> list[Sentence]:
    return sentences(150, seed=1)


@pytest.fixture(scope="session")
def unseen() -> list[Sentence]:
    return sentences(40, seed=2)


@pytest.fixture(scope="session")
def syntax(treebank: list[Sentence]) -> Syntax:
    return Syntax.train(treebank, SyntaxSettings(epochs=5, beam=4, folds=1, copies=1))


@pytest.fixture(scope="session")
def model(syntax: Syntax, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "en-tiny"
    syntax.save(path, language="en", licence="made here")
    return path


@pytest.fixture
def treebank_file(treebank: list[Sentence], tmp_path: Path) -> Path:
    path = tmp_path / "tiny.conllu"
    conllu.write(treebank, path)
    return path
