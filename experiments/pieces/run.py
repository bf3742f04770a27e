"""What should words be cut into? Whole words, morphs, subwords and compounds in small bitexts, on either side.

Pieces are chosen by BLEU of the dev set; the test set says what the choice is worth. How rich in forms a text is, a
model can know before it is trained: the share of its words that it has only once estimates the share of unknown words
in the next text (Good 1953).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import dragoman
from dragoman.text.pieces import seen_once, usual_pieces
from experiments.common import Claim, Table, arguments, dot_plot, grid, publish
from experiments.small_text import Output, Task, bible, bleu, debian, made_up, multi30k, significance, translated

SOURCE: dict[str, dict[str, Any]] = {
    "words": {"source_pieces": "words", "target_pieces": "words"},
    "morphs": {"source_pieces": "morphs", "target_pieces": "words"},
    "subwords": {"source_pieces": "subwords", "target_pieces": "words", "subwords": 4000},
    "compounds": {"source_pieces": "compounds", "target_pieces": "words"},
}
TARGET: dict[str, dict[str, Any]] = {
    "words": {"source_pieces": "words", "target_pieces": "words"},
    "morphs": {"source_pieces": "words", "target_pieces": "morphs"},
    "subwords": {"source_pieces": "words", "target_pieces": "subwords", "subwords": 8000},
    "compounds": {"source_pieces": "words", "target_pieces": "compounds"},
}
COMPOUNDING = ("de", "nl", "sv", "da")


def task_named(name: str) -> Task:
    """`bible sw-en`, `multi30k de-en 5000`, `debian en-de 20000` or `synthetic en-de 200`."""
    kind, pair, *size = name.split()
    if kind == "bible":
        return bible(pair)
    if kind == "debian":
        return debian(pair, int(size[0]))
    return multi30k(pair.partition("-")[0], int(size[0])) if kind == "multi30k" else made_up(int(size[0]))


def compare(names: list[str], side: int, kinds: list[str]) -> Table:
    """Every task with some kinds of pieces of one side."""
    arms = {name: recipe for name, recipe in (SOURCE, TARGET)[side].items() if name in kinds}
    tasks = {name: task_named(name) for name in names}
    outputs: dict[str, dict[str, Output]] = {name: {} for name in names}

    def cell(task: str, pieces: str) -> dict[str, Any]:
        own = tasks[task]
        if pieces == "compounds" and own.languages[side] not in COMPOUNDING:
            return {}
        outputs[task][pieces] = done = translated(own, arms[pieces])
        known = {name: each.test for name, each in outputs[task].items()}
        return {
            "seen once %": 100 * seen_once(own.train[side]),
            "other side %": 100 * seen_once(own.train[1 - side]),
            "auto": "yes" if usual_pieces(*own.train)[side] == pieces else "",
            "dev BLEU": bleu(own, done.dev, own.dev[1]),
            "test BLEU": bleu(own, done.test, own.test[1]),
            "p": float("nan") if pieces == "words" else significance(own, known, "words")[pieces],
            "test chrF": next(iter(dragoman.score(done.test, [own.test[1]], ["chrf"], confidence=None))).value,
            "copied words": done.unknown,
        }

    return grid(cell, task=names, pieces=list(arms))


def claims_of(names: list[str], side: int) -> list[Claim]:
    """What is claimed of the tasks of one side."""

    def chosen(found: Table, task: str) -> dict[str, Any]:
        return max(found.where(task=task), key=lambda row: row["dev BLEU"])

    def gain(found: Table, task: str) -> float:
        return float(chosen(found, task)["test BLEU"] - found.mean("test BLEU", task=task, pieces="words"))

    where = ("source", "target")[side]

    def usual(found: Table, task: str) -> dict[str, Any]:
        return next(row for row in found.where(task=task) if row["auto"])

    def claim(task: str) -> Claim:
        return Claim(
            f"pieces of the {where} chosen on the dev set are worth something on the test set (p < 0.05) for {task}",
            lambda found: gain(found, task) > 0 and chosen(found, task)["p"] < 0.05,
        )

    claims = [
        *(claim(task) for task in names),
        Claim(
            f"what the recipe chooses for the {where} is within 0.3 BLEU of the best on every dev set",
            lambda found: all(
                chosen(found, task)["dev BLEU"] - usual(found, task)["dev BLEU"] <= 0.3 for task in names
            ),
        ),
    ]
    if side == 0:
        scripture = [name for name in names if name.startswith("bible")]
        claims.append(
            Claim(
                "pieces chosen on the dev set gain 1.5 BLEU or more over whole words on at least two bibles",
                lambda found: sum(gain(found, task) >= 1.5 for task in scripture) >= 2,
            )
        )
    return claims


def joined(folders: list[Path], title: str) -> Table:
    """The table of several runs, each of some tasks, as they were written."""
    written = [json.loads((folder / "result.json").read_text("utf-8")) for folder in folders]
    rows = [
        {name: float("nan") if value is None else value for name, value in row.items()}
        for result in written
        for row in result["tables"].get(title, ())
    ]
    return Table(("task", "pieces"), tuple(rows))


def main() -> None:
    given = arguments(
        __doc__,
        out="docs/experiments/pieces",
        source="bible sw-en,bible lv-en,bible uk-en,multi30k de-en 2000,multi30k cs-en 2000,multi30k fr-en 2000",
        target="debian en-de 3000",
        kinds="words,morphs,subwords,compounds",
        join="",
        small=False,
    )
    if given.small:
        given.source = given.target = "synthetic en-de 150"
    tables = {}
    for side, name in enumerate(("source", "target")):
        title, tasks = f"Pieces of the {name}", getattr(given, name)
        if given.join:
            table = joined([Path(folder) for folder in given.join.split(",")], title)
        elif tasks:
            table = compare(tasks.split(","), side, given.kinds.split(","))
        else:
            continue
        if table.rows:
            tables[title] = table, claims_of(list(dict.fromkeys(row["task"] for row in table.rows)), side)
    pictures = {
        name.replace(" ", "-").lower(): dot_plot(
            table, label=lambda row: f"{row['task']}, {row['pieces']}", figure="test BLEU"
        )
        for name, (table, _) in tables.items()
    }
    publish("Pieces of words", __doc__, tables, pictures=pictures, out=given.out, settings=vars(given))


if __name__ == "__main__":
    main()
