"""Figures of the docs are those of the records that they name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[2]


def section(page: str, title: str) -> str:
    text = (HOME / "docs" / "how-to" / page).read_text("utf-8")
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def record(path: str) -> Any:
    return json.loads((HOME / path).read_text("utf-8"))


def test_what_the_server_bears_is_what_was_recorded() -> None:
    said = section("serve.md", "How much it bears")
    jobs = {job["job"]: job for job in record("bench/results/server.json")["jobs"]}
    clients = jobs["50 clients for two minutes"]["figures"]
    assert (clients.pop("failures"), clients.pop("statuses")) == ("0", f"{{'200': {clients['requests']}}}")
    assert f"{clients.pop('requests')} requests, all answered with 200" in said
    assert clients.pop("processes that wanted a core, mean of five minutes") == "5 for 2 cores"
    assert "of two cores,\nwith 5 processes" in said
    for job in jobs.values():
        for name, figure in job["figures"].items():
            assert re.search(rf"(?<![\d.]){re.escape(figure)}", said), (job["job"], name)
    batch = jobs["100 sentences in one request"]
    assert f"{batch['ours']:.2f} s, {batch['theirs']:.2f} s" in said


def test_what_learning_gains_is_what_the_experiment_found() -> None:
    said = section("learn.md", "How much it gains")
    tables = record("docs/experiments/learning/result.json")["tables"]
    for row in tables["Work and keys, test part"]:
        figures = [f"{row['BLEU']:.2f}", f"{row['TER']:.2f}", f"{row['saved']:.2f} %"]
        if row["p BLEU"] is not None:
            chances = (row["p BLEU"], row["p TER"], row["p saved"])
            figures = [f"{figure} (p = {chance:.4f})" for figure, chance in zip(figures, chances, strict=True)]
        assert f"| {' | '.join(figures)} |" in said, row["system"]
    chosen = {row["system"]: row for row in tables["Which share of the cache, development part"]}
    usual, moved = chosen["phrases and cache 0.3"], chosen["phrases, cache 0.3 and weights"]
    assert f"{moved['BLEU']:.2f} BLEU instead of {usual['BLEU']:.2f}" in " ".join(said.split())
    assert round(moved["learn ms"] / usual["learn ms"]) == 3
    learned = {job["job"]: job for job in record("bench/results/server.json")["jobs"]}
    median = learned["learn a pair, and translate the next sentence"]["figures"]["processor time"]
    assert median.startswith("median 8.5 ms,")
    assert "in effect in 8.5 ms of processor time" in said
