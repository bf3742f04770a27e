"""The order of the house: imports go left only, and starting the program is cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import dragoman

SOURCE = Path(dragoman.__file__).parent

ROOMS = (
    "annotations", "text", "lm", "align", "grammar", "semantics", "forest", "features", "search",
    "metrics", "entailment", "similarity", "tuning", "evaluation", "assessment", "pipeline", "server", "cli",
)  # fmt: skip
"""Left to right; see `docs/architecture.md`."""

BESIDE = {
    "bundle",
    "cache",
    "charts",
    "drawing",
    "errors",
    "files",
    "progress",
    "registry",
    "seeds",
    "settings",
    "_native",
}
"""Modules beside the rooms; they import no room."""


def imported_rooms(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        modules: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            modules = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"{file}: relative import"
        names |= {module.split(".")[1] for module in modules if module.startswith("dragoman.")}
    return names & set(ROOMS)


def test_the_version_is_the_same_everywhere() -> None:
    from importlib.metadata import version

    citation = (SOURCE.parent.parent / "CITATION.cff").read_text("utf-8")
    assert version("dragoman") == dragoman.__version__
    assert f"\nversion: {dragoman.__version__}\n" in citation


def test_every_folder_is_a_known_room() -> None:
    folders = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders - BESIDE <= set(ROOMS)


@pytest.mark.parametrize("room", [room for room in ROOMS if (SOURCE / room).is_dir()])
def test_a_room_imports_only_from_its_left(room: str) -> None:
    allowed = set(ROOMS[: ROOMS.index(room) + 1])
    for file in sorted((SOURCE / room).rglob("*.py")):
        assert imported_rooms(file) <= allowed, file


def test_modules_beside_the_rooms_import_none() -> None:
    for name in sorted(BESIDE - {"_native"}):
        assert not imported_rooms(SOURCE / f"{name}.py"), name


SHARED_CLASS_NAMES: set[str] = set()
"""Names of public classes that may be defined more than once, each with its reason."""


def test_a_class_name_has_one_meaning() -> None:
    """Nor is it the name of a type alias elsewhere, but for the types of options on the command line."""
    classes: dict[str, set[str]] = {}
    aliases: dict[str, set[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        module = file.relative_to(SOURCE).as_posix()
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, set()).add(module)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and not module.startswith("cli/"):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name):
                        aliases.setdefault(target.id, set()).add(module)
    clashes = {
        name: sorted(modules | aliases.get(name, set()))
        for name, modules in classes.items()
        if not name.startswith("_") and len(modules | aliases.get(name, set())) > 1
    }
    assert set(clashes) == SHARED_CLASS_NAMES, clashes


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["list", "--help"]])
def test_starting_imports_nothing_heavy(arguments: list[str]) -> None:
    heavy = ["numpy", "scipy", "lxml", "sacremoses", "regex", "nltk", "matplotlib", "py3langid", "sentencex", "fastapi"]
    script = (
        "import sys\nfrom dragoman.cli import main\n"
        f"sys.argv = ['dragoman', *{arguments!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
