"""A bound for memory: kept, or refused before anything begins."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.bundle import Bundle
from dragoman.errors import SettingError
from dragoman.pipeline import enrichment, stages
from dragoman.pipeline.base import Stage
from dragoman.pipeline.memory_bounds import NOT_OF_THE_TEXT, StageMemory, require_memory, stage_memory
from dragoman.pipeline.preflight import Preflight, TextSize, inspect_bitext
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.stages import BILINGUAL_STAGES
from dragoman.text.corpus import Bitext
from tests.pipeline.conftest import SMALL, Sides, sides


def test_the_first_stage_that_cannot_keep_a_bound_is_named() -> None:
    stages = [StageMemory("one", 2**20, True, ""), StageMemory("two", 2**26, False, "give it more")]
    assert require_memory(stages, 2**26) == {"one": 2**26 - 2**20}
    with pytest.raises(
        SettingError, match=r"the stage 'two' needs about 64 MB of memory, and may use 32 MB; give it more"
    ):
        require_memory(stages, 2**25)


def test_a_bounded_stage_is_left_something_to_sort_in() -> None:
    stage = StageMemory("one", 2**20, True, "give it more")
    assert require_memory([stage], 17 * 2**20) == {"one": 16 * 2**20}
    with pytest.raises(SettingError, match=r"needs about 17 MB of memory, and may use 16 MB"):
        require_memory([stage], 16 * 2**20)


def test_a_bound_is_refused_at_once_or_changes_nothing(bitext: Sides, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="the stage 'prepare' needs about"):
        dragoman.train(*bitext, output=tmp_path / "a", languages=("en", "de"), recipe=SMALL, memory="64M")
    assert not list(tmp_path.iterdir())
    with pytest.raises(SettingError, match="512M or 2G"):
        dragoman.train(*bitext, output=tmp_path / "a", languages=("en", "de"), recipe=SMALL, memory="lots")
    made = [
        dragoman.train(*bitext, output=tmp_path / name, languages=("en", "de"), recipe=SMALL, memory=memory)
        for name, memory in (("free", 0), ("bound", "512M"))
    ]
    names = [name for name in Bundle.open(made[0].path).sizes if name != "report.json"]
    assert [(made[0].path / name).read_bytes() for name in names] == [
        (made[1].path / name).read_bytes() for name in names
    ]


def test_every_stage_has_its_bound(bitext: Sides) -> None:
    """Whatever a recipe asks for, no stage begins whose memory nobody has thought of."""
    text = inspect_bitext(Bitext.of(zip(*bitext, strict=True), languages=("en", "de")))
    checked = Preflight(("en", "de"), text, None, text, text, 0, 0, 0, 0)
    wanted = {"oov": "graph+forms", "postprocess": "language-model", "templates": ["auto"], "fold_pairs": 100}
    recipe = Recipe.from_dict({**wanted, "annotate": "tags", **dict.fromkeys(BILINGUAL_STAGES, True)})
    known = {each.stage for each in stage_memory(recipe, checked)}
    declared = {each.name for room in (stages, enrichment) for each in vars(room).values() if isinstance(each, Stage)}
    declared |= {each.name for each in BILINGUAL_STAGES.values()}
    assert declared == known | NOT_OF_THE_TEXT
    assert not known & NOT_OF_THE_TEXT
    plain = {each.stage for each in stage_memory(Recipe(tuner="none"), replace(checked, extra=None, source_text=None))}
    assert plain == {"prepare", "language model", "alignment", "table"}


def test_three_million_short_pairs_fit_into_four_gigabytes() -> None:
    """Text as of the experiment on growth: what was counted at 100,000 pairs, carried on by the slopes there."""
    ngrams = (188_000, 2_200_000, 9_700_000, 19_600_000, 23_300_000, 22_200_000, 19_400_000)
    text = TextSize(3_000_000, 31_500_000, 31_400_000, 0, 100, 417_000_000, "", 29_000_000, ngrams)
    checked = Preflight(("en", "de"), text, None, None, None, 0, 0, 0, 0)
    recipe = Recipe(tuner="none", aligner="fast", order=3, classes=0)
    left = require_memory(stage_memory(recipe, checked), 2**32)
    assert left.keys() == {"language model", "alignment", "table"}
    for more, stage in (({"order": 5}, "language model"), ({"aligner": "bayes"}, "alignment")):
        with pytest.raises(SettingError, match=f"the stage '{stage}' needs about"):
            require_memory(stage_memory(replace(recipe, **more), checked), 2**32)


TAKEN = """
import json, sys, threading, time
from pathlib import Path
import dragoman
from dragoman.pipeline.memory_bounds import LEAST_LEFT, asked_order, stage_memory
from dragoman.pipeline.preflight import preflight
from dragoman.pipeline.recipe import Recipe
from dragoman.text.corpus import Bitext

def held():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))

stage, taken = [""], {}
def watch():
    while True:
        taken[stage[0]] = max(taken.get(stage[0], 0), held())
        time.sleep(0.01)

def told(progress):
    if progress.stage == "training":
        stage[0] = progress.note

recipe = Recipe(tuner="none", **json.loads(sys.argv[1]))
files = (Path("text.en"), Path("text.de"))
checked = preflight(Bitext.open(*files), languages=("en", "de"), output=Path("other"), order=asked_order(recipe))
stages = stage_memory(recipe, checked)
memory = max(each.needed + each.bounded * LEAST_LEFT for each in stages)
threading.Thread(target=watch, daemon=True).start()
dragoman.train(*files, output=Path("model"), languages=("en", "de"), recipe=recipe, memory=memory, progress=told)
allowed = {each.stage: memory if each.bounded else each.needed for each in stages}
print(json.dumps({name: (taken.get(name, 0), size) for name, size in allowed.items()}))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"aligner": "fast", "classes": 50, "context": True, "sequence": True, "distortion_model": True},
        {"aligner": "bayes", "aligner_settings": ["sweeps=0.2"]},
    ],
)
def test_what_stages_need_lies_above_what_they_take(settings: dict[str, Any], tmp_path: Path) -> None:
    """Stage by stage, with as little memory as the stage that needs most can do with."""
    text = sides(3000)
    for name, lines in zip(("en", "de"), text, strict=True):
        (tmp_path / f"text.{name}").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    command = [sys.executable, "-c", TAKEN, json.dumps(settings)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    found: dict[str, tuple[int, int]] = json.loads(run.stdout)
    assert {"prepare", "language model", "alignment", "table"} <= found.keys()
    assert {name: sizes for name, sizes in found.items() if sizes[0] > sizes[1]} == {}
