"""What a new user does and mistakes in the first hour, with what the program says: a transcript that is run."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.test_docs import FLAGS, commands

TRANSCRIPT = Path(__file__).parent / "text.md"
BLOCK = re.compile(r"^```console\n(?P<body>.*?)^```$(?=\n\n|\n\Z)", re.S | re.M)


def test_the_transcript(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "200",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    wrong: list[str] = []
    for block in BLOCK.finditer(TRANSCRIPT.read_text("utf-8")):
        for command, expected in commands(block["body"]):
            run = subprocess.run(
                ["bash", "-ec", command],
                env=environment,
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            matches = doctest.OutputChecker().check_output(expected, run.stdout, FLAGS)
            if run.returncode or (expected.strip() and not matches):
                wrong.append(f"$ {command}\nexpected:\n{expected}\ngot ({run.returncode}):\n{run.stdout}{run.stderr}")
    assert not wrong, "\n".join(wrong)
