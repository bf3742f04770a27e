"""The experiments about human assessment run from end to end on simulated crowds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parent.parent.parent


@pytest.mark.parametrize(
    ("script", "pictures"), [("p29_over_time", ["ranking", "pace"]), ("p34_continuous_scales", ["assessors"])]
)
def test_a_small_run_writes_its_page(script: str, pictures: list[str], tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(HOME / "experiments" / script / "run.py"), "--small", "--out", str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "index.md").read_text("utf-8")
    result = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert len(result["tables"]) >= 3
    for text in result["verdicts"]:
        assert text in page
    assert "every published kappa" in page or "all 28 gains" in page
    for name in pictures:
        assert "</svg>" in (tmp_path / f"{name}.svg").read_text("utf-8")
