"""One training with the default recipe, and what it cost: run by `run.py` with the Python of one code or the other.

    python one_training.py FOLDER

It asks nothing of the package that an old one does not have. FOLDER has the sides `train.source`, `train.target` and
the like for `dev` and `test`, and `job.json` (languages, settings of the recipe); `found.json` is written into it.
Seconds are those of processors, as elapsed time depends on what else runs; they are taken around each stage here, for
the old code does not keep them.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dragoman


def spent() -> float:
    """Seconds of processors, ours and those of processes that have ended."""
    return sum(os.times()[:4])


def timed_stages() -> dict[str, float]:
    """What each stage takes from now on, by its name."""
    home = "dragoman.cache" if find_spec("dragoman.cache") else "dragoman.pipeline.cache"  # where it was before
    stage_cache = import_module(home).StageCache
    seconds: dict[str, float] = {}
    run = stage_cache.run

    def timed(self: Any, name: str, **given: Any) -> Any:
        begun = spent()
        result = run(self, name, **given)
        seconds[name] = seconds.get(name, 0.0) + spent() - begun
        return result

    stage_cache.run = timed
    return seconds


def main() -> None:
    folder = Path(sys.argv[1])
    job = json.loads((folder / "job.json").read_text("utf-8"))
    seconds = timed_stages()
    begun = spent()
    model = dragoman.train(
        *(str(folder / f"train.{side}") for side in ("source", "target")),
        dev=(str(folder / "dev.source"), str(folder / "dev.target")),
        languages=tuple(job["languages"]),
        recipe=job["recipe"],
        output=folder / "model",
        cache=folder / "stages",
    )
    trained = spent()
    stages = model.report["stages"].values()
    lines = (folder / "test.source").read_text("utf-8").splitlines()
    opened = spent()
    outputs = [each.text for each in model.translate(lines)]
    found = {
        "outputs": outputs,
        "dev": [facts[name] for facts in stages for name in ("dev bleu", "dev_bleu") if name in facts],
        "stages": seconds,
        "training": trained - begun,
        "translating": spent() - opened,
    }
    (folder / "found.json").write_text(json.dumps(found, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
