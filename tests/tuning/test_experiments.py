"""The experiments on tuning, at the size of a toy, so that they cannot rot."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parent.parent.parent


@pytest.mark.parametrize(("name", "more"), [("p13_mert", ["--restarts", "2"]), ("p15_metrics", [])])
def test_an_experiment_runs(name: str, more: list[str], tmp_path: Path) -> None:
    script = HOME / "experiments" / name / "run.py"
    command = [sys.executable, str(script), "--small", "1", "--out", str(tmp_path), *more]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    found = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert found["rows"]
    assert len(found["verdicts"]) >= 7
    assert (tmp_path / "plot.svg").read_text("utf-8").startswith("<svg")
