"""Expressions that are known to belong together, in training: glued, linked, and taken apart again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import dragoman
from dragoman.align import Alignment
from dragoman.errors import FormatError, UnknownName
from dragoman.pipeline.recipe import Recipe
from dragoman.text.corpus import Bitext
from tests.pipeline.conftest import SMALL

SOURCE = [
    "the red tape is long",
    "he hates red tape",
    "the tape is red",
    "a long tape",
    "he is a man",
    "the man hates tape",
]
TARGET = [
    "der amtsschimmel ist lang", "er hasst den amtsschimmel", "das band ist rot", "ein langes band", "er ist ein mann",
    "der mann hasst band",
]  # fmt: skip
RECIPE = replace(SMALL, tokenized=True, dev_size=0, aligner="hmm", reordering="")


def links(folder: Path, **more: object) -> tuple[list[Alignment], dict[str, object]]:
    """Links of a small text in which `red tape` is one thing, and what training says of them."""
    recipe = replace(RECIPE, **more)  # type: ignore[arg-type]
    bitext = Bitext.of(zip(SOURCE * 3, TARGET * 3, strict=True), languages=("en", "de"))
    model = dragoman.train(bitext, output=folder / "m", recipe=recipe, cache=folder / "stages", force=True)
    facts = model.report["stages"]["alignment"]
    found = max(folder.glob("stages/alignment-*"), key=lambda path: path.stat().st_mtime) / "links"
    return [Alignment.parse(line) for line in found.read_text("utf-8").splitlines()], facts


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    (tmp_path / "terms.tsv").write_text("red tape\tamtsschimmel\t6\t0.9\n")
    return tmp_path / "terms.tsv"


def test_known_expressions_are_linked_as_one(listed: Path, tmp_path: Path) -> None:
    found, facts = links(tmp_path, anchors=str(listed))
    assert facts["anchors"] == 6
    for row, (words, place) in {0: ((1, 2), 1), 1: ((2, 3), 3)}.items():
        linked = set(found[row])
        assert {(word, place) for word in words} <= linked
        assert not any((source in words) != (target == place) for source, target in linked)
    whole, _ = links(tmp_path, anchors=str(listed), anchor_links="glued")
    assert all(((1, 1) in row) == ((2, 1) in row) for row in whole[:1])  # both words or none
    soft, _ = links(tmp_path, anchors=str(listed), anchor_links="soft")
    assert {(1, 1), (2, 1)} <= set(soft[0])


def test_another_list_is_another_alignment(listed: Path, tmp_path: Path) -> None:
    """The content of the list is part of the key under which the alignment is kept."""
    first, _ = links(tmp_path, anchors=str(listed))
    listed.write_text("man\tist\n")
    second, facts = links(tmp_path, anchors=str(listed))
    assert not facts.get("kept")
    assert first != second


def test_wrong_lists_and_settings(listed: Path, tmp_path: Path) -> None:
    listed.write_text("red tape\n")
    with pytest.raises(FormatError, match="line 1"):
        links(tmp_path, anchors=str(listed))
    assert Recipe(aligner="ibm4", aligner_settings=("classes=50",)).aligner_settings == ("classes=50",)
    with pytest.raises(UnknownName, match="colours"):
        Recipe(aligner="ibm4", aligner_settings=("colours=50",))


def test_settings_of_the_aligner_are_used(tmp_path: Path) -> None:
    plain, _ = links(tmp_path)
    one, _ = links(tmp_path, aligner_settings=("iterations=0", "ibm1_iterations=1"))
    assert plain != one
