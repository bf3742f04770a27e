"""Every experiment runs, small, so that what is published can be run again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from dragoman.cache import StageCache
from dragoman.drawing import Drawing
from dragoman.pipeline import stages
from dragoman.pipeline.base import Stage
from experiments.__main__ import named
from experiments.common import TRAINING_ROOMS, Claim, Table, publish, remembered, settings_line, sources_digest
from experiments.comparison import compared, flipped, gains_compared, longer

HOME = Path(__file__).parent.parent
SCRIPTS = sorted(HOME.glob("experiments/*/run.py"))
MORE = {
    "multi30k": ("--variants", "default; coordinate descent"),
    "p24_postprocess": ("--iterations", "10"),
}
SURE = {
    "p29_over_time": "all 28 gains",
    "p32_mwe_alignment": "every anchor is linked, and to nothing else",
    "p34_continuous_scales": "every published kappa",
}
"""Claims that hold at any size."""


@pytest.mark.parametrize("experiment", named())
def test_a_quick_run_writes_its_page(experiment: str, tmp_path: Path) -> None:
    name = named()[experiment].parent.name
    command = [sys.executable, "-m", "experiments", experiment, "--quick", "--out", str(tmp_path), *MORE.get(name, ())]
    home = {**os.environ, "PYTHONPATH": str(HOME)}
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=home)
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


def test_pages_show_the_settings_of_their_runs() -> None:
    for file in HOME.glob("docs/experiments/*/result.json"):
        settings = json.loads(file.read_text("utf-8"))["settings"]
        assert settings_line(settings) in file.with_name("index.md").read_text("utf-8"), file


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


def test_a_page_says_what_the_script_of_its_run_says(tmp_path: Path) -> None:
    table, drawing = Table(("x",), ({"x": 1, "y": 2.0},)), Drawing(10, 10, (), "a plot")

    def run(doc: str, tables: Mapping[str, tuple[Table, Sequence[Claim]]]) -> str:
        publish("A title", doc, tables, pictures={"plot": drawing}, out=tmp_path, settings={"seeds": 1})
        return (tmp_path / "index.md").read_text("utf-8")

    page = run("Of five seeds.\n", {"Old": (table, [])})
    assert page.startswith("# A title\n\n<!-- about -->\n\nOf five seeds.\n\n<!-- /about -->\n\n<!-- result -->\n")
    page = page.replace("<!-- result -->", "What people make of it.\n\n<!-- result -->") + "More of that.\n"
    (tmp_path / "index.md").write_text(page, "utf-8")
    page = run("Of three seeds.\n", {"New": (table, [])})
    assert page.startswith(
        "# A title\n\n<!-- about -->\n\nOf three seeds.\n\n<!-- /about -->\n\nWhat people make of it.\n"
    )
    assert page.endswith("<!-- /result -->\nMore of that.\n")
    assert "five seeds" not in page
    assert "not run" not in page
    assert "## Old" not in page
    assert "## New" in page


def test_a_page_names_the_parts_that_were_not_run(tmp_path: Path) -> None:
    table, drawing = Table(("x",), ({"x": 1, "y": 2.0},)), Drawing(10, 10, (), "a plot")
    publish("A title", "", {"": (table, [])}, pictures={"plot": drawing}, out=tmp_path, settings={}, not_run=["b", "c"])
    assert "**Parts that were not run: b, c.**" in (tmp_path / "index.md").read_text("utf-8")
    assert json.loads((tmp_path / "result.json").read_text("utf-8"))["not run"] == ["b", "c"]


def test_experiments_have_names() -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "experiments", *words], capture_output=True, text=True, check=False, cwd=HOME
        )

    listed = run().stdout
    assert set(named().values()) == set(SCRIPTS)
    assert all(f"\n{name} " in listed for name in named())
    assert {"exact-phrase", "multi30k", "annotator-peers"} <= set(named())
    assert "did you mean 'exact-phrase'?" in run("exact-phrases").stderr
    assert "--sentences" in run("exact-phrase", "--help").stdout


def test_runs_are_compared_over_all_seeds_at_once() -> None:
    reference = [f"the cat number {number} sat on the mat" for number in range(40)]
    worse = [line.replace("sat", "sits") if at % 2 else line for at, line in enumerate(reference)]
    bleu = "bleu:tokenize=none"
    row = compared(bleu, [reference], [reference, reference], [worse, worse])
    assert row["BLEU"] == 100
    assert row["deviation"] == 0
    assert row["difference"] > 0
    assert row["p"] < 0.01
    swapped = compared(bleu, [reference], [reference, worse], [worse, reference])
    assert swapped["difference"] == 0
    assert swapped["p"] == 1
    once = compared(bleu, [reference], [worse, worse], [reference])
    assert (once["difference"], once["p"]) == (-row["difference"], row["p"])
    with pytest.raises(ValueError, match="2 runs cannot be compared with 3"):
        compared(bleu, [reference], [worse] * 2, [reference] * 3)


def test_gains_are_compared_by_drawing_test_sets() -> None:
    reference = [f"the cat number {number} sat on the mat" for number in range(60)]
    poor = [line.replace("sat", "sits") for line in reference]
    fair = [line.replace("sat", "sits") if at % 2 else line for at, line in enumerate(reference)]
    bleu = "bleu:tokenize=none"
    whole, half = ([reference], [reference], [poor]), ([reference], [fair, fair], [poor])
    row = gains_compared(bleu, whole, half, samples=1000)
    wanted = compared(bleu, [reference], [reference], [poor])["difference"]
    wanted -= compared(bleu, [reference], [fair], [poor])["difference"]
    assert row["difference"] == pytest.approx(wanted, abs=0.011)
    assert row["p"] < 0.01
    assert gains_compared(bleu, half, whole, samples=1000) == {"difference": -row["difference"], "p": row["p"]}
    assert gains_compared(bleu, half, half, samples=1000) == {"difference": 0.0, "p": 1.0}
    assert gains_compared(bleu, whole, half, times=3, samples=1000)["difference"] < 0
    other = [line.replace("mat", "rug") for line in reference]
    apart = gains_compared(bleu, half, ([other], [other], [other]), samples=1000)
    assert apart["difference"] > 0
    assert apart["p"] < 0.01


def test_lengths_are_compared_segment_by_segment() -> None:
    short, long = [["a b"] * 20], [["a b c"] * 20, ["a b c d"] * 20]
    row = longer(long, short)
    assert row["difference"] == 1.5
    assert row["p"] < 0.01
    assert longer(short, short) == {"difference": 0.0, "p": 1.0}


def test_random_signs_of_paired_figures() -> None:
    assert flipped([1.0] * 5, [0.0] * 5) == 2 / 32
    assert flipped([1.0, 2.0], [1.0, 2.0]) == 1


def test_work_is_done_once(tmp_path: Path) -> None:
    done: list[int] = []

    def work() -> list[int]:
        done.append(1)
        return done

    kept = StageCache(tmp_path)
    assert remembered(kept, "work", {"seed": 1}, work, rooms=()) == [1]
    assert remembered(kept, "work", {"seed": 1}, work, rooms=()) == [1]
    assert remembered(kept, "work", {"seed": 2}, work, rooms=()) == [1, 1]
    assert remembered(kept, "work", {"seed": 2}, lambda: "by other code", rooms=()) == "by other code"


def test_what_is_kept_depends_on_all_rooms_that_training_runs() -> None:
    declared = {room for each in vars(stages).values() if isinstance(each, Stage) for room in each.rooms}
    assert declared <= set(TRAINING_ROOMS)


def test_a_record_names_the_code_that_ran(tmp_path: Path) -> None:
    for name in ("src/a.py", "native/b.cpp", "experiments/c.py", "docs/d.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("", "utf-8")
    known = {sources_digest(tmp_path)}
    for name in ("src/a.py", "native/b.cpp", "experiments/c.py"):
        (tmp_path / name).write_text("x", "utf-8")
        known.add(sources_digest(tmp_path))
    assert len(known) == 4
    (tmp_path / "docs/d.md").write_text("x", "utf-8")
    assert sources_digest(tmp_path) in known
