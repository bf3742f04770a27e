"""Every example in the docs runs, in order, page by page, in an empty folder, and prints what the page says.

In a ```console block, lines that start with `$ ` are commands; the lines below one are its standard output, compared as
doctest does (`...` matches anything, white space is folded; a command followed by nothing may print anything). A
```python block runs as a doctest when it has `>>>`, else as a script that knows the names of those above. A block
preceded by `<!-- not run -->` is shown only. The examples in the docstrings of all modules run too.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

HOME = Path(__file__).parent.parent
PAGES = [HOME / "README.md", *sorted((HOME / "docs").rglob("*.md"))]
BLOCK = re.compile(r"(?P<skip><!-- not run -->\s*)?^```(?P<kind>console|python)\n(?P<body>.*?)^```$", re.S | re.M)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands(body: str) -> list[tuple[str, str]]:
    """Each command with the output that the page shows below it."""
    found: list[tuple[str, str]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line[2:]}", "")
        else:
            found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    return found


SOURCE = HOME / "src"
MODULES = sorted(
    ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for file in SOURCE.rglob("*.py")
    if ">>>" in file.read_text("utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_run(module: str) -> None:
    assert doctest.testmod(import_module(module), optionflags=FLAGS).failed == 0


def test_examples_import_from_rooms() -> None:
    """What people need is offered by a room itself; only a name that a module there has must be taken from below it."""
    shown = re.compile(r"^\s*(?:>>> )?from dragoman\.(\w+)\.([\w.]+) import (.+)$", re.M)
    for page in [*PAGES, HOME / "CONTRIBUTING.md"]:
        for room, below, names in shown.findall(page.read_text("utf-8")):
            folder = SOURCE / "dragoman" / room
            if (folder / below.replace(".", "/")).is_dir():
                continue
            for name in re.findall(r"\w+", names):
                assert (folder / f"{name}.py").is_file(), f"{page.name}: `from dragoman.{room} import {name}`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    names = {"__name__": "__docs__"}
    for block in BLOCK.finditer(page.read_text("utf-8")):
        if block["skip"]:
            continue
        if block["kind"] == "python":
            if ">>>" in block["body"]:
                test = doctest.DocTestParser().get_doctest(block["body"], {}, page.name, str(page), 0)
                report: list[str] = []
                assert doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append).failed == 0, "".join(
                    report
                )
            else:
                exec(compile(block["body"], str(page), "exec"), names)
            continue
        for command, expected in commands(block["body"]):
            run = subprocess.run(
                ["bash", "-ec", command], env=environment, capture_output=True, text=True, check=False, timeout=300
            )
            assert run.returncode == 0, f"$ {command}\n{run.stdout}{run.stderr}"
            if expected.strip():
                matches = doctest.OutputChecker().check_output(expected, run.stdout, FLAGS)
                assert matches, f"$ {command}\nexpected:\n{expected}\ngot:\n{run.stdout}"


def test_the_cluster_file_is_one_that_ray_accepts() -> None:
    """By the check with which `ray up` begins; no cluster is started from it."""
    pytest.importorskip("ray")
    yaml: Any = import_module("yaml")
    from ray.autoscaler._private.util import prepare_config, validate_config

    [shown] = re.findall(r"^```yaml\n(.*?)^```$", (HOME / "docs/how-to/scale.md").read_text("utf-8"), re.S | re.M)
    validate_config(prepare_config(yaml.safe_load(shown)))
