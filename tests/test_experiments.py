"""Every experiment runs, small, so that what is published can be run again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parent.parent
SCRIPTS = sorted(HOME.glob("experiments/*/run.py"))
SIZES = ("--iterations", "1", "--pops", "8", "--nbest", "10", "--sentences", "20", "--tested", "15")
MORE = {
    "multi30k": ("--variants", "default; coordinate descent"),
    "p17_online": SIZES,
    "p23_diversity": ("--iterations", "1"),
    "p25_features": SIZES,
}
SURE = {
    "p29_over_time": "all 28 gains",
    "p32_mwe_alignment": "every anchor is linked, and to nothing else",
    "p34_continuous_scales": "every published kappa",
}
"""Claims that hold at any size."""


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.parent.name)
def test_a_small_run_writes_its_page(script: Path, tmp_path: Path) -> None:
    name = script.parent.name
    command = [sys.executable, str(script), "--small", "--out", str(tmp_path), *MORE.get(name, ())]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert result["verdicts"]
    assert result["tables"]
    assert all(result["tables"].values())
    page = "".join(file.read_text("utf-8") for file in tmp_path.glob("*.md"))
    for claim, holds in result["verdicts"].items():
        assert claim in page
        assert holds or not claim.startswith(SURE.get(name, "?"))
    assert name not in SURE or SURE[name] in page
    pictures = list(tmp_path.glob("*.svg"))
    assert pictures
    assert all("</svg>" in file.read_text("utf-8") for file in pictures)
    assert str(tmp_path) not in json.dumps(result), "a result knows where it was written"


def test_published_results_name_no_folders() -> None:
    for file in HOME.glob("docs/experiments/*/result.json"):
        assert not {"out", "cache"} & set(json.loads(file.read_text("utf-8"))["settings"]), file


def test_words_around_a_result_are_kept(tmp_path: Path) -> None:
    script = HOME / "experiments" / "p15_metrics" / "run.py"
    page = tmp_path / "index.md"
    page.write_text("# Metrics\n\n<!-- result -->\nold\n<!-- /result -->\n\nWhat it means.\n", "utf-8")
    subprocess.run([sys.executable, str(script), "--small", "--out", str(tmp_path)], check=True, capture_output=True)
    text = page.read_text("utf-8")
    assert text.startswith("# Metrics\n\n<!-- result -->\n")
    assert text.endswith("<!-- /result -->\n\nWhat it means.\n")
    assert "old" not in text.splitlines()
    assert "by `python experiments/p15_metrics/run.py --small`" in text


def test_experiments_have_names() -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "experiments", *words], capture_output=True, text=True, check=False, cwd=HOME
        )

    listed = run().stdout
    assert all(f"\n{script.parent.name.split('_', 1)[-1].replace('_', '-')} " in listed for script in SCRIPTS)
    assert "did you mean 'exact-phrase'?" in run("exact-phrases").stderr
    assert "--sentences" in run("exact-phrase", "--help").stdout
