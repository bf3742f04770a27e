from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).parents[2]


def test_the_quality_experiment_runs_on_a_small_scale(tmp_path: Path) -> None:
    script = HOME / "experiments" / "multi30k" / "run.py"
    arguments = ["--small", "1", "--variants", "default,no lexicalised reordering", "--out", str(tmp_path)]
    subprocess.run([sys.executable, str(script), *arguments], check=True, capture_output=True)
    result = json.loads((tmp_path / "result.json").read_text())
    assert len(result["rows"]) == 4
    assert all(row["BLEU"] > 1 for row in result["rows"])
    assert (tmp_path / "plot.svg").is_file()
