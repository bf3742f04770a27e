"""What the README and the page about peers say of this repository is what its own records say."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from tests.test_docs import HOME

README = (HOME / "README.md").read_text("utf-8")
PEERS = (HOME / "docs/peers.md").read_text("utf-8")


def _jobs(room: str, begins: str) -> list[dict[str, Any]]:
    """What is on record of the jobs of a benchmark whose names begin so."""
    jobs = json.loads((HOME / f"bench/results/{room}.json").read_text("utf-8"))["jobs"]
    return [job for job in jobs if job["job"].startswith(begins)]


def _job(room: str, begins: str) -> dict[str, Any]:
    (job,) = _jobs(room, begins)
    return job


def _ratios(room: str, begins: str, peer: str) -> list[float]:
    """Times of a peer over ours."""
    return [job["theirs"] / job["ours"] for job in _jobs(room, begins) if job["peer"] == peer]


def test_scores_are_those_of_the_last_run_of_the_default_recipe() -> None:
    run = json.loads((HOME / "docs/experiments/multi30k/result.json").read_text("utf-8"))
    default = {row["language"]: row for row in run["tables"][""] if row["variant"] == "default"}
    said = " / ".join(f"{default[language]['BLEU']:.1f}" for language in ("de", "fr"))
    assert README.count(f"| {said} |") == 2, f"README does not say {said}"
    rows = (" / ".join(f"{row[figure]:.1f}" for figure in ("BLEU", "chrF", "TER")) for row in default.values())
    said = " | ".join(rows)
    assert said in PEERS, f"docs/peers.md does not say {said}"
    assert f"| {default['de']['train s']} s |" in PEERS


def test_ratios_are_those_of_the_benchmarks() -> None:
    metrics = [_ratios("metrics", f"{name}, 10 systems", "sacrebleu")[0] for name in ("BLEU", "chrF", "TER")]
    assert "| {:.0f} / {:.0f} / {:.0f} times as fast, the same scores |".format(*metrics) in README
    assert "| {:.0f}, {:.0f} and {:.0f} times as fast; scores equal".format(*metrics) in PEERS
    assert f"{_ratios('evaluation', 'Randomization test of BLEU', 'sacrebleu')[0]:.0f} times as fast |" in PEERS
    queries = _ratios("lm", "score", "kenlm")
    for page in (README, PEERS):
        assert f"| {min(queries):.1f} to {max(queries):.1f} times as fast" in page
    diagonal = _ratios("align", "diagonal model", "sil-thot FastAlign")
    assert f"| {min(diagonal):.1f} to {max(diagonal):.1f} times as fast |" in PEERS
    gold = _job("align", "alignment error rate of the default model")["figures"].values()
    assert all(" ok; " in said for said in gold)
    assert len(gold) == 9
    ratios = [*_ratios("align", "default model", "eflomal"), *(float(said.split()[-1].rstrip("x")) for said in gold)]
    said = f"{min(ratios):.1f} to {max(ratios):.1f} times as fast"
    assert f"| lower on all nine (`--symmetrize posterior`), {said} |" in README
    assert f"| eflomal | {said}, lower error rate on nine gold sets of nine (`--symmetrize posterior`) |" in PEERS
    extraction = f"| {_job('grammar', 'extract + score + hierarchical')['ours']:.1f} s |"
    assert f"| extraction and scoring of phrases, with reordering | Moses 30 s {extraction}" in README
    assert f"| Moses 30 - 33 s {extraction}" in PEERS


def test_the_readme_names_all_extras_and_no_others() -> None:
    project = tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["project"]
    told = README.partition("Extras bring")[2].partition("The command is")[0]
    named = set(re.findall(r"`(?:pip install '\.\[)?([a-z]+)(?:\]')?`", told))
    assert named == set(project["optional-dependencies"])
