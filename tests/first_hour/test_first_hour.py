"""The first hour of a new user: the README, the tutorial, and the mistakes that everybody makes, with what they see.

`tests/test_docs.py` runs the README, the tutorial and all other pages as they are written; the transcripts beside this
file are what no page shows.
"""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.first_hour.transcripts import play
from tests.interrupting import heed_interrupts
from tests.test_docs import BLOCK, HOME, PAGES, commands

TRANSCRIPTS = sorted(Path(__file__).parent.glob("*.console"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_transcript(path: Path, tmp_path: Path) -> None:
    play(path, tmp_path)


@pytest.mark.parametrize("name", ["README.md", "docs/tutorial.md"])
def test_the_first_pages_are_run_and_their_output_is_compared(name: str) -> None:
    page = HOME / name
    assert page in PAGES
    shown = [block for block in BLOCK.finditer(page.read_text("utf-8")) if not block["skip"]]
    told = [command for block in shown if block["kind"] == "console" for command, _ in commands(block["body"])]
    for word in ("dragoman train", "dragoman translate", "dragoman score", "dragoman explain"):
        assert any(command.startswith(word) for command in told), f"{name} does not show {word}"
    assert any(output.strip() for block in shown if block["kind"] == "console" for _, output in commands(block["body"]))


def test_the_readme_scores_a_translation_against_a_reference() -> None:
    text = (HOME / "README.md").read_text("utf-8")
    scored, reference = next(
        (command.split()[2], command.split()[4])
        for block in BLOCK.finditer(text)
        if block["kind"] == "console"
        for command, _ in commands(block["body"])
        if command.startswith("dragoman score")
    )
    assert f"> {scored}" in text, "what is scored was translated before"
    assert Path(reference).stem == "test"
    assert "being built" not in text


def test_an_interrupted_training_says_how_to_go_on(tmp_path: Path) -> None:
    """Ctrl-C in the middle of a long training, and the same command again."""
    run = [sys.executable, "-m", "dragoman"]
    made = [*run, "-q", "synth", "en-de", "--split", "train=3000,dev=50", "-o", "corpus"]
    subprocess.run(made, cwd=tmp_path, check=True, capture_output=True)
    train = [*run, "train", "corpus/train.en", "corpus/train.de", "-o", "m", "--dev-source", "corpus/dev.en"]
    train += ["--dev-target", "corpus/dev.de", "--set", "iterations=2", "--json"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        train, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True, preexec_fn=heed_interrupts
    ) as process:
        while not list((tmp_path / ".m.stages").glob("prepare-*/facts.json")) and process.poll() is None:
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=120)[1]
    assert process.returncode == 130, said
    assert "finished stages are kept in .m.stages (prepare" in said
    assert said.rstrip().endswith("the same call or command goes on from there")
    again = subprocess.run(train, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert json.loads(again.stdout)["stages"]["prepare"]["kept"] is True


def _numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [number for each in value.values() for number in _numbers(each)]
    if isinstance(value, list):
        return [number for each in value for number in _numbers(each)]
    return [value] if isinstance(value, float) else []


def test_json_is_json(tmp_path: Path) -> None:
    """No Infinity and no NaN, where both are easy to come by."""
    (tmp_path / "text").write_text("a b c d e\na b\nzzz\n", "utf-8")
    (tmp_path / "other").write_text("x\n\n\n", "utf-8")
    run = [sys.executable, "-m", "dragoman", "-q"]
    for command in (
        ["score", "text", "--ref", "text", "-m", "bleu", "-m", "nist", "--json"],
        ["compare", "A=text", "B=text", "--ref", "text", "--json"],
        ["lm", "estimate", "text", "-o", "lm", "--order", "2", "--json"],
        ["lm", "perplexity", "lm", "other", "--json"],
    ):
        done = subprocess.run([*run, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stderr)

        def refuse(name: str, command: list[str] = command) -> float:
            raise AssertionError(f"{command}: {name}")

        assert all(map(math.isfinite, _numbers(json.loads(done.stdout, parse_constant=refuse))))
