"""Confidence: what is right by brute force, calibration by hand, a fit that finds the truth, and the command."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

import dragoman
from dragoman.cli import app
from dragoman.errors import FormatError, InputError, LengthMismatch, SettingError
from dragoman.pipeline.confidence import calibrate, kept_words, measure
from dragoman.pipeline.model import Model
from dragoman.search.confidence import EVIDENCE, Confidence, best_scale, fit, reliability
from tests.pipeline.conftest import Sides


def fewest_edits(hypothesis: str, reference: str) -> tuple[int, set[tuple[int, ...]]]:
    """By brute force: the fewest edits, and all sets of words that may stay with so many.

    What stays keeps its order; between two words that stay, the longer of the two gaps is paid.
    """
    found: dict[int, set[tuple[int, ...]]] = {}
    for size in range(min(len(hypothesis), len(reference)) + 1):
        for ours in combinations(range(len(hypothesis)), size):
            for theirs in combinations(range(len(reference)), size):
                if [hypothesis[i] for i in ours] != [reference[j] for j in theirs]:
                    continue
                ends = zip((-1, *ours), (-1, *theirs), (*ours, len(hypothesis)), (*theirs, len(reference)), strict=True)
                cost = sum(max(i - a, j - b) - 1 for a, b, i, j in ends)
                found.setdefault(cost, set()).add(ours)
    least = min(found)
    return least, found[least]


def test_words_are_right_that_the_fewest_edits_keep() -> None:
    choose = random.Random(3)
    for _ in range(300):
        hypothesis, reference = ("".join(choose.choice("abc") for _ in range(choose.randint(0, 5))) for _ in range(2))
        edits, kept = kept_words(hypothesis, reference)
        least, ways = fewest_edits(hypothesis, reference)
        assert edits == least, (hypothesis, reference)
        assert len(kept) == len(hypothesis)
        assert tuple(i for i, stays in enumerate(kept) if stays) in ways, (hypothesis, reference)


def test_reliability_by_hand() -> None:
    chances = np.array([0.1, 0.15, 0.3, 0.65, 0.6, 0.9, 0.95, 1.0, 0.99, 0.05])
    right = np.array([False, True, False, True, False, True, True, True, True, False])
    measured = reliability(chances, right, bins=5)
    # bins [0, .2): .05 .1 .15; [.2, .4): .3; [.6, .8): .6 .65; [.8, 1]: .9 .95 .99 1
    assert [count for _, _, count in measured.bins] == [3, 1, 2, 4]
    assert [confidence for confidence, _, _ in measured.bins] == pytest.approx([0.1, 0.3, 0.625, 0.96])
    assert [truth for _, truth, _ in measured.bins] == pytest.approx([1 / 3, 0, 0.5, 1])
    distances = (3 * (1 / 3 - 0.1), 1 * 0.3, 2 * 0.125, 4 * 0.04)
    assert measured.error == pytest.approx(sum(distances) / 10)
    assert measured.found == pytest.approx(2 / 4)  # the least confident two of ten are wrong, of four
    assert measured.right == pytest.approx(0.6)
    assert reliability(chances, np.ones(10, bool)).found == 0.0
    with pytest.raises(InputError, match="9 probabilities for 10 words"):
        reliability(chances[:9], right)


def words_like(weights: NDArray[np.float64], size: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Evidence, and words that are right as often as a logistic model of it says."""
    random = np.random.default_rng(5)
    evidence = random.normal(1.0, 2.0, (size, len(EVIDENCE)))
    chances = 1 / (1 + np.exp(-(0.5 + evidence @ weights)))
    return evidence, random.random(size) < chances


def test_a_known_model_is_found_again() -> None:
    weights = np.linspace(-0.6, 0.6, len(EVIDENCE))
    evidence, right = words_like(weights, 20_000)
    fitted = fit(evidence, right, 0.5)
    assert fitted.scale == 0.5
    found = np.array(fitted.weights[1:]) / np.array(fitted.deviation)
    assert found == pytest.approx(weights, abs=0.05)
    assert fitted.weights[0] - found @ np.array(fitted.mean) == pytest.approx(0.5, abs=0.1)
    measured = reliability(fitted.of_evidence(evidence), right)
    assert measured.error < 0.02
    assert measured.found > 0.35
    with pytest.raises(InputError, match="all of one kind"):
        fit(evidence, np.ones(len(evidence), bool), 0.5)


def test_the_scale_that_explains_most_is_chosen() -> None:
    weights = np.linspace(-0.6, 0.6, len(EVIDENCE))
    evidence, right = words_like(weights, 2000)
    noise = np.random.default_rng(6).normal(0.0, 2.0, evidence.shape)
    chosen = best_scale([(0.1, evidence + noise), (0.25, evidence), (1.0, noise)], right)
    assert chosen == fit(evidence, right, 0.25)


def test_it_is_stored_and_damage_is_told() -> None:
    evidence, right = words_like(np.linspace(-0.6, 0.6, len(EVIDENCE)), 500)
    fitted = fit(evidence, right, 0.25)
    stored = fitted.to_json()
    assert Confidence.from_json(stored) == fitted
    plain = json.loads(stored)
    for broken, told in (
        ({**plain, "evidence": plain["evidence"][::-1]}, "another version"),
        ({**plain, "weights": plain["weights"][1:]}, "another version"),
        ({name: value for name, value in plain.items() if name != "scale"}, "no model of confidence"),
        ({**plain, "mean": "much"}, "no model of confidence"),
    ):
        with pytest.raises(FormatError, match=told) as caught:
            Confidence.from_json(json.dumps(broken), where="confidence.json")
        assert caught.value.where == "confidence.json"


def test_a_model_learns_how_sure_it_is(model: Model, heldout: Sides) -> None:
    with pytest.raises(SettingError, match="does not know how sure it is"):
        measure(model, *heldout)
    with pytest.raises(LengthMismatch):
        calibrate(model, heldout.source, heldout.target[:-1])
    fitted = calibrate(model, *heldout, scales=(0.25, 1.0))
    assert fitted.scale in (0.25, 1.0)
    knowing = model.with_confidence(fitted)
    measured = measure(knowing, *heldout)
    assert measured.error < 0.1  # measured on what it was fitted to
    assert measured.found > 0.2
    assert sum(count for _, _, count in measured.bins) == sum(
        len(sentence.target) for each in knowing.translate(heldout.source) for sentence in each.sentences
    )
    # a second reference can only make more words right
    twice = measure(knowing, heldout.source, heldout.target, heldout.target[::-1])
    assert twice.right >= measured.right


def test_the_command_and_what_explanations_say(model: Model, heldout: Sides, tmp_path: Path) -> None:
    files = []
    for name, lines in zip(("dev.en", "dev.de"), heldout, strict=True):
        files.append(tmp_path / name)
        files[-1].write_text("".join(f"{line}\n" for line in lines), "utf-8")
    plot, output = tmp_path / "plot.svg", tmp_path / "knowing"
    command = ["confidence", str(model.path), "--dev-source", str(files[0]), "--dev-target", str(files[1])]
    run = CliRunner().invoke(app, [*command, "-o", str(output), "--plot", str(plot), "--json"])
    assert run.exit_code == 0, run.output
    said = json.loads(run.stdout)
    knowing = dragoman.load(output)
    assert knowing.confidence is not None
    assert said["scale"] == knowing.confidence.scale
    assert {"bins", "error", "found", "right"} <= set(said)
    assert measure(knowing, *heldout).to_dict() == {name: value for name, value in said.items() if name != "scale"}
    assert f"calibration error {said['error']:.3f}" in plot.read_text("utf-8")
    assert model.confidence is None  # the model that was read is as it was

    text = "The <b>old</b> house & the dog."
    found = knowing.translate(text)
    page, shown = found.explain(nbest=0)._repr_html_(), str(found.explain())
    assert f"How sure it is: {found.confidence:.2f}" in page
    assert f"confidence {found.confidence:.2f}: " in shown
    [chances] = found.word_confidence
    for word, chance in zip(found.sentences[0].target, chances, strict=True):
        assert f"{word.replace('&', '&amp;')}<small>{chance:.2f}</small>" in page
        assert f"{word} {chance:.2f}" in " ".join(shown.split())
    unsure = replace(knowing.confidence, weights=(-9.0, *[0.0] * len(EVIDENCE)))
    assert knowing.with_confidence(unsure).translate(text).confidence < 0.01
    silent = model.translate(text).explain()
    assert "confidence" not in str(silent)
    assert "How sure" not in silent._repr_html_()
