"""Print what `pyproject.toml` asks for: `run` is the project's own dependencies, any other name a dependency group.

An older pip knows neither groups nor "dependencies without the project"; with this list `make demo` needs no newer one,
and run-time dependencies are fetched while the core is compiled. With `--oldest`, each stands at its lower bound:
constraints for `make test-wheel`, which tries those versions too.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def requirements(project: dict[str, Any], name: str) -> Iterator[str]:
    """The requirements of a group, with those of groups that it includes."""
    for each in project["project"]["dependencies"] if name == "run" else project["dependency-groups"][name]:
        if isinstance(each, str):
            yield each
        else:
            yield from requirements(project, each["include-group"])


if __name__ == "__main__":
    described = tomllib.loads(PROJECT.read_text("utf-8"))
    names = [name for name in sys.argv[1:] if name != "--oldest"]
    found = [each for name in names for each in requirements(described, name)]
    print("\n".join(each.replace(">=", "==") for each in found) if "--oldest" in sys.argv else "\n".join(found))
