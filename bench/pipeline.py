"""The whole way: training by stages, opening a bundle, raw text to raw text, and memory that does not grow.

A model is trained on Multi30k German-English without tuning, and kept in the temporary folder; another by the usual
recipe, with tuning and all. Seconds are those of processors, stage by stage.
"""

from __future__ import annotations

import gzip
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

from bench.contest import DATA, Contest, bench
from dragoman.pipeline.model import Model

FOLDER = Path(tempfile.gettempdir()) / "model-for-dragoman"


def _lines(name: str) -> list[str]:
    path = DATA / "multi30k" / name
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return text.decode("utf-8").splitlines()


@cache
def _model(pairs: int) -> tuple[Path, dict[str, str]]:
    """A model of the first pairs, and the seconds of its stages."""
    import dragoman
    from dragoman.pipeline.recipe import Recipe

    output = FOLDER / f"de-en-{pairs}"
    shutil.rmtree(output, ignore_errors=True)
    sides = [_lines(f"train.{code}.gz")[:pairs] for code in ("de", "en")]
    model = dragoman.train(
        *sides, output=output, languages=("de", "en"), recipe=Recipe(tokenized=True, tuner="none"), threads=1
    )
    return output, {"pairs": f"{pairs:,}", **_by_stage(model)}


def _by_stage(model: Model) -> dict[str, str]:
    """Processor time of the stages, of all of them, and the size of the model."""
    stages = {name: facts["processor_seconds"] for name, facts in model.report["stages"].items()}
    size = sum(model.bundle.sizes.values()) / 2**20
    seconds = {name: f"{spent:.1f} s" for name, spent in stages.items()}
    return {**seconds, "all": f"{sum(stages.values()):.1f} s", "MB": f"{size:.0f}"}


@bench("train without tuning, 7,000 pairs, one thread")
def train_quarter() -> dict[str, str]:
    return _model(7000)[1]


@bench("train without tuning, 14,000 pairs, one thread")
def train_half() -> dict[str, str]:
    return _model(14_000)[1]


@bench("train without tuning, 29,000 pairs, one thread")
def train_all() -> dict[str, str]:
    return _model(29_000)[1]


@bench("train by the usual recipe, tuning and all, 29,000 pairs, one thread")
def train_and_tune() -> dict[str, str]:
    """Of what a user waits for, the share that is tuning: weights on the dev set, and features learned on folds."""
    import dragoman
    from dragoman.pipeline.recipe import Recipe

    output = FOLDER / "de-en-tuned"
    shutil.rmtree(output, ignore_errors=True)
    text, dev = ([_lines(name.format(code)) for code in ("de", "en")] for name in ("train.{}.gz", "val.{}"))
    model = dragoman.train(
        *text, dev=(dev[0], dev[1]), output=output, languages=("de", "en"), recipe=Recipe(tokenized=True), threads=1
    )
    stages = {name: facts["processor_seconds"] for name, facts in model.report["stages"].items()}
    learned = sum(spent for name, spent in stages.items() if name in ("tuning", "folds", "learning"))
    share = f"{learned / sum(stages.values()):.0%}"
    return {"pairs": f"{len(text[0]):,}", **_by_stage(model), "tuning, folds and learning, of all": share}


@bench("open a bundle")
def open_bundle() -> Contest:
    path, _ = _model(29_000)
    return Contest(ours=lambda: Model.open(path), repeat=10, note="target: under 0.2 s, whatever the size")


@bench("translate test_2016_flickr through the model, one thread")
def translate() -> Contest:
    model = Model.open(_model(29_000)[0])
    text = _lines("test_2016_flickr.de")
    return Contest(ours=lambda: model.translate(text, threads=1), units=len(text), unit="sentences")


@bench("memory of translating 1,000 sentences again and again")
def memory() -> dict[str, str]:
    model = Model.open(_model(29_000)[0])
    text = _lines("test_2016_flickr.de")

    def resident() -> float:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * 4096 / 2**20

    figures = {}
    started = time.perf_counter()
    for turn in range(1, 6):
        for start in range(0, len(text), 200):
            model.translate(text[start : start + 200], threads=1)
        figures[f"after {turn},000"] = f"{resident():.0f} MB"
    figures["seconds"] = f"{time.perf_counter() - started:.1f}"
    return figures
