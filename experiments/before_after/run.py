"""Is the default recipe as good as it was before the house was rebuilt, and what does it cost?

    python experiments/before_after/run.py --before ../old/.venv/bin/python

The code of 15 November 2026 (commit d27068eb, the last one before the decoder contract, declared settings and stages),
and this one, each with the recipe that was its default, train on the same text, are tuned on the same dev set, and
translate the same test set, with as many random seeds as `--seeds` says: BLEU, its standard deviation and seconds are
over these runs, and `p` is that of the difference in BLEU over all of them at once (approximate randomisation over
segments, two-sided), so that the luck of one run does not decide. A claim that quality was kept holds if the new code
is not significantly worse. Seconds are those of processors, over all threads: `tuning` is that of dense weights on the
dev set, `folds` the making of rules from parts of the training text for what they have to say about the rest,
`learning` that of sparse weights from these. The sets are German and French to English of Multi30k (29,000 pairs),
tokenised and lower-cased as shipped, and, with `--sets`, package descriptions of Debian.

`--before` is the Python of a virtual environment in which the old code was built (`git worktree add ../old d27068eb`,
then `make setup` there). `--cache` keeps what a training gave. With `--small` a synthetic bitext stands in, and without
`--before` the same code twice, to see that the script runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.cache import StageCache
from experiments.common import TRAINING_ROOMS, Claim, Table, arguments, dot_plot, grid, publish, remembered
from experiments.comparison import compared
from experiments.recipes import metric, texts

OLD = "d27068eb"
SMALL = {"aligner": "fast", "order": 3, "iterations": 2, "fold_pairs": 200}
SETS = "multi30k de-en;multi30k fr-en"
LEARNING = ("tuning", "folds", "learning")
"""Stages that find weights."""


def trained(
    python: str, parts: Mapping[str, tuple[list[str], list[str]]], languages: Sequence[str], recipe: Mapping[str, Any]
) -> dict[str, Any]:
    """What the code of one Python gives: trained on one part of a text, tuned on the next, and run on the last."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for part, sides in parts.items():
            for side, lines in zip(("source", "target"), sides, strict=True):
                (folder / f"{part}.{side}").write_text("\n".join(lines) + "\n", "utf-8")
        (folder / "job.json").write_text(json.dumps({"languages": languages, "recipe": recipe}), "utf-8")
        # Away from this folder, whose packages must not stand before those of the other code.
        worker = Path(__file__).with_name("one_training.py").resolve()
        subprocess.run([str(Path(python).absolute()), str(worker), str(folder)], cwd=folder, check=True)
        found: dict[str, Any] = json.loads((folder / "found.json").read_text("utf-8"))
    return found


def main() -> None:
    options = arguments(
        __doc__, out="docs/experiments/before-after", seeds=3, small=False, before="", sets=SETS, cache=""
    )
    pythons = {"before": options.before or sys.executable, "now": sys.executable}
    kept: dict[tuple[str, str], list[list[str]]] = {}
    with tempfile.TemporaryDirectory() as place:
        cache = StageCache(options.cache or Path(place) / "cache")

        def cell(set: str, code: str) -> Mapping[str, Any]:  # noqa: A002 - as the column is called
            def run(seed: int) -> dict[str, Any]:
                def work() -> dict[str, Any]:
                    recipe = {
                        "tokenized": not set.startswith("debian"),
                        **(SMALL if options.small else {}),
                        "seed": seed,
                    }
                    return trained(pythons[code], texts(set, options.small), set.split()[1].split("-"), recipe)

                settings = {
                    "set": set,
                    "small": options.small,
                    "seed": seed,
                    "code": OLD if code == "before" else "this",
                }
                found: dict[str, Any] = remembered(cache, "training", settings, work, rooms=rooms)
                return found

            rooms = TRAINING_ROOMS if code == "now" or not options.before else ()
            runs = [run(seed) for seed in range(1, options.seeds + 1)]
            kept[set, code] = [found["outputs"] for found in runs]
            theirs = kept[set, "before"] if code == "now" else []
            row = compared(metric(set), [texts(set, options.small)["test"][1]], kept[set, code], theirs)
            seconds = {name: fmean(found["stages"].get(name, 0.0) for found in runs) for name in LEARNING}
            return {
                **row,
                "dev BLEU": round(fmean(found["dev"][-1] for found in runs), 2),
                **{f"{name} s": round(spent, 1) for name, spent in seconds.items()},
                "weights s": round(sum(seconds.values()), 1),
                "training s": round(fmean(found["training"] for found in runs), 1),
                "translating s": round(fmean(found["translating"] for found in runs), 1),
            }

        names = [name.strip() for name in options.sets.split(";")]
        table = grid(cell, set=names, code=list(pythons))
    claims = [claim for name in names for claim in claims_about(name)]
    plot = dot_plot(table, label=lambda row: f"{row['set']}, {row['code']}", figure="BLEU")
    settings = {name: value for name, value in vars(options).items() if name != "before"}
    publish(
        "Before and after", __doc__, {"": (table, claims)}, pictures={"plot": plot}, out=options.out, settings=settings
    )


def claims_about(name: str) -> list[Claim]:
    def pair(table: Table) -> tuple[dict[str, Any], dict[str, Any]]:
        before, now = (table.where(set=name, code=code)[0] for code in ("before", "now"))
        return before, now

    def as_good(table: Table) -> bool:
        now = pair(table)[1]
        return bool(not now["difference"] < 0 or now["p"] >= 0.05)

    def at_most(figure: str, share: float) -> Any:
        def holds(table: Table) -> bool:
            before, now = pair(table)
            return bool(now[figure] <= share * before[figure])

        return holds

    return [
        Claim(f"{name}: the default recipe is not significantly worse than it was", as_good),
        Claim(f"{name}: finding weights takes at most half of the processor time", at_most("weights s", 0.5)),
        Claim(f"{name}: tuning of the dense weights takes at most half", at_most("tuning s", 0.5)),
        Claim(f"{name}: training takes no longer", at_most("training s", 1.0)),
        Claim(f"{name}: translating takes no longer", at_most("translating s", 1.0)),
    ]


if __name__ == "__main__":
    main()
