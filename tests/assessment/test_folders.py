"""The folders of the room keep an order of their own: each imports only from those to its left."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import dragoman.assessment

ROOM = Path(dragoman.assessment.__file__).parent
FOLDERS = ("design", "analysis", "web", "exchange", "simulation")


def imported_folders(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and f"{node.module}.".startswith("dragoman.assessment."):
            modules = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            found |= {part for module in modules for part in module.split(".")[2:3]}
    return found & set(FOLDERS)


def test_every_folder_is_known() -> None:
    packages = {path.parent.name for path in ROOM.glob("*/__init__.py")}
    assert packages == set(FOLDERS)


def test_values_that_all_share_need_no_folder() -> None:
    for file in ROOM.glob("*.py"):
        assert not imported_folders(file), file


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_imports_only_from_its_left(folder: str) -> None:
    allowed = set(FOLDERS[: FOLDERS.index(folder) + 1])
    for file in (ROOM / folder).glob("*.py"):
        assert imported_folders(file) <= allowed, file
