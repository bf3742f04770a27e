"""What should words be cut into? Whole words, subwords, morphs and compounds on small bitexts, either side or both.

Pieces are chosen by BLEU of the dev set, which is not what weights are tuned to (tokens are); the test set says how
large the gain is.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.charts import forest_plot
from experiments.common import Claim, Table, arguments, grid, publish
from experiments.small_text import Output, Task, bible, bleu, made_up, multi30k, significance, translated

ARMS: dict[str, dict[str, Any]] = {
    "words": {"source_pieces": "words", "target_pieces": "words"},
    "source morphs": {"source_pieces": "morphs", "target_pieces": "words"},
    "source subwords": {"source_pieces": "subwords", "target_pieces": "words", "subwords": 4000},
    "both subwords": {"source_pieces": "subwords", "target_pieces": "subwords", "subwords": 4000},
    "source compounds": {"source_pieces": "compounds", "target_pieces": "words"},
}


def task_named(name: str) -> Task:
    """`bible sw-en`, `multi30k de-en 5000` or `synthetic en-de 200`."""
    kind, pair, *size = name.split()
    if kind == "bible":
        return bible(pair)
    return multi30k(pair.partition("-")[0], int(size[0])) if kind == "multi30k" else made_up(int(size[0]))


def main() -> None:
    given = arguments(
        __doc__, out="docs/experiments/pieces", tasks="bible sw-en,bible lv-en,bible uk-en", arms="", small=False
    )
    if given.small:
        given.tasks = "synthetic en-de 200"
    arms = given.arms.split(",") if given.arms else [name for name in ARMS if name != "source compounds"]
    tasks: dict[str, Task] = {}
    outputs: dict[str, dict[str, Output]] = {}

    def cell(task: str, pieces: str) -> dict[str, Any]:
        if task not in tasks:
            tasks[task] = task_named(task)
        if pieces == "source compounds" and tasks[task].languages[0] not in ("de", "nl", "sv"):
            return {}
        own = tasks[task]
        done = translated(own, ARMS[pieces])
        outputs.setdefault(task, {})[pieces] = done
        known = {name: each.test for name, each in outputs[task].items()}
        p = float("nan") if pieces == "words" else significance(own, known, "words")[pieces]
        return {
            "dev BLEU": bleu(own, done.dev, own.dev[1]),
            "test BLEU": bleu(own, done.test, own.test[1]),
            "p": p,
            "copied words": done.unknown,
        }

    table = grid(cell, task=given.tasks.split(","), pieces=arms)

    def gain(task: str, found: Table) -> float:
        rows = found.where(task=task)
        best = max(rows, key=lambda row: row["dev BLEU"])
        return float(best["test BLEU"] - found.where(task=task, pieces="words")[0]["test BLEU"])

    claims = [
        Claim(
            "pieces chosen on the dev set gain 1.5 BLEU or more over whole words on at least two of the tasks",
            lambda found: sum(gain(task, found) >= 1.5 for task in tasks) >= 2,
        ),
        Claim(
            "pieces chosen on the dev set are never worse than whole words on the test set",
            lambda found: all(gain(task, found) >= 0 for task in tasks),
        ),
    ]
    rows = [(f"{row['task']}, {row['pieces']}", *[row["test BLEU"]] * 3) for row in table.rows]
    plot = forest_plot(rows, title="test BLEU", sure=[True] * len(rows), zero=False, figure=".2f")
    publish(
        "Pieces of words", __doc__, {"": (table, claims)}, pictures={"plot": plot}, out=given.out, settings=vars(given)
    )


if __name__ == "__main__":
    main()
