"""The experiments with sparse features, on made-up text: what is published can be run again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parent.parent.parent


SIZES = ("--pops", "8", "--nbest", "10", "--sentences", "20", "--tested", "15")


@pytest.mark.parametrize(("name", "sizes"), [("p17_online", SIZES), ("p23_diversity", ()), ("p25_features", SIZES)])
def test_an_experiment_runs(name: str, sizes: tuple[str, ...], tmp_path: Path) -> None:
    script = str(HOME / "experiments" / name / "run.py")
    command = [sys.executable, script, "--out", str(tmp_path), "--small", "1", "--iterations", "1", *sizes]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert result["rows"]
    assert all(isinstance(verdict, bool) for verdict in result["verdicts"].values())
    assert (tmp_path / "plot.svg").read_text("utf-8").startswith("<svg")
