"""The short form of `make torture`: the same damaged files and absurd command lines every time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parent.parent / "tools" / "torture.py"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
def test_damage_and_nonsense_are_clean_errors() -> None:
    command = [sys.executable, str(TOOL), "--inputs", "60", "--only", "files", "--only", "commands"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr + run.stdout
    assert "command line" in run.stdout
