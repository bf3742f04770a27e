"""Rules for unknown words and phrases as a stage of training."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import dragoman
from dragoman.errors import SettingError
from dragoman.grammar.table import RuleTable
from dragoman.pipeline.model import Model
from dragoman.pipeline.recipe import Recipe
from tests.pipeline.conftest import SMALL, Sides, sides

RECIPE = replace(
    SMALL,
    oov="graph+forms",
    paraphrase=True,
    paraphrase_phrases=30,
    oov_words=60,
    tuner="mira",
    iterations=1,
    nbest=20,
)


@pytest.fixture(scope="module")
def mono(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mono") / "more.en"
    path.write_text("".join(f"{line}\n" for line in sides(800, start=20_000).source), "utf-8")
    return path


@pytest.fixture(scope="module")
def enriched(bitext: Sides, mono: Path, tmp_path_factory: pytest.TempPathFactory) -> Model:
    output = tmp_path_factory.mktemp("enriched") / "en-de"
    return dragoman.train(*bitext, output=output, languages=("en", "de"), recipe=RECIPE, source_text=[mono])


def test_rules_are_added_before_tuning_and_weighed(enriched: Model, bitext: Sides) -> None:
    facts = enriched.report["stages"]["unknown words"]
    assert facts["unknown"] == 60
    assert facts["translated"] > 30
    assert facts["paraphrased"] > 0
    table = RuleTable.open(enriched.path / "table.rules")
    columns = {"paraphrase.graph", "paraphrase.form", "paraphrase.1", "paraphrase.2-6"}
    assert columns <= set(table.columns)
    assert columns <= set(enriched.weights)
    known = " ".join(bitext.source[0].split()[1:2])
    assert all(rule.values[column] == 0 for rule in table.lookup(known) for column in columns)
    assert len(table) == facts["rules"] == enriched.report["stages"]["table"]["rules"] + facts["new_rules"]


def test_every_new_rule_has_reasons(enriched: Model) -> None:
    lines = (enriched.path / "induced.tsv").read_text("utf-8").splitlines()
    assert len(lines) == enriched.report["stages"]["unknown words"]["new_rules"]
    table = RuleTable.open(enriched.path / "table.rules")
    for line in lines[:20]:
        source, target, reasons = line.split("\t")
        assert reasons
        assert any(rule.target_text == target for rule in table.lookup(source))


def test_the_gain_is_told(enriched: Model) -> None:
    stages = enriched.report["stages"]
    gain = stages["tuning"]["dev_bleu"] - stages["plain tuning"]["dev_bleu"]
    (note,) = [note for note in enriched.report["notes"] if "BLEU of the dev set" in note]
    assert note.endswith(f"{gain:+.2f}")


def test_unknown_words_are_translated(enriched: Model, model: Model) -> None:
    word = next(line.split("\t")[0] for line in (enriched.path / "induced.tsv").read_text("utf-8").splitlines() if line)
    assert word in model.translate(f"the {word} sleeps").unknown_words
    assert word not in enriched.translate(f"the {word} sleeps").unknown_words


def test_text_that_no_stage_uses_is_refused(bitext: Sides, mono: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="does not use it"):
        dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=SMALL, source_text=[mono])
    with pytest.raises(SettingError, match="split"):
        Recipe(paraphrase_split="x")
