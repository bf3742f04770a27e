"""Transcripts: what a new user types, and what must come back.

In a `.console` file, `$ ` begins a command, the lines below it are all that it prints on both channels, compared as
doctest does (`...` matches anything, white space is folded), and `[2]` at the end is its exit code if it is not 0.
Commands of a file run in one empty folder, in order.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

__all__ = ["play", "read"]

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_CODE = re.compile(r"\n?\[(\d+)\]\s*$")


def read(path: Path) -> list[tuple[str, str, int]]:
    """Commands with the output and the exit code that are expected; lines that begin with `#` are remarks."""
    found = []
    text = "\n".join(line for line in path.read_text("utf-8").splitlines() if not line.startswith("# "))
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        code = _CODE.search(output)
        found.append((command, _CODE.sub("", output), int(code[1]) if code else 0))
    return found


def play(path: Path, folder: Path) -> None:
    """Run a transcript in a folder; the first difference is an assertion."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    for command, expected, code in read(path):
        run = subprocess.run(
            ["bash", "-c", f"exec 2>&1; {command}"],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert run.returncode == code, f"$ {command}\n[{run.returncode}]\n{run.stdout}"
        if expected.strip():
            matches = doctest.OutputChecker().check_output(expected, run.stdout, FLAGS)
            assert matches, f"$ {command}\nexpected:\n{expected}\ngot:\n{run.stdout}"
