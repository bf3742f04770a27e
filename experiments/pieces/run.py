"""What should words be cut into? Whole words, morphs, subwords and compounds in small bitexts, on either side.

Pieces are chosen by BLEU of the dev set; the test set says what the choice is worth. How rich in forms a text is, a
model can know before it is trained: the share of its words that it has only once estimates the share of unknown words
in the next text (Good 1953).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import dragoman
from dragoman.text.pieces import seen_once, usual_pieces
from experiments.common import Claim, Table, arguments, dot_plot, grid, publish
from experiments.recipes import names_of
from experiments.small_text import Output, bleu, significance, task_named, translated

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
SIDES = ("source", "target")
KINDS = tuple(SOURCE)
COMPOUNDING = ("de", "nl", "sv", "da")
TASKS = (
    ("bible sw-en", "bible lv-en", "bible uk-en", "multi30k de-en 2000", "multi30k cs-en 2000", "multi30k fr-en 2000"),
    ("debian en-de 3000", "debian en-de 10000", "debian en-de 31902"),
)
"""Bitexts whose source is cut, and those whose target is."""


def fits(task: str, kind: str, side: int) -> bool:
    """Whether words of one side may be cut so: compounds only where the language has them."""
    return kind != "compounds" or task.split()[1].split("-")[side] in COMPOUNDING


def compare(names: list[str], side: int, kinds: list[str]) -> Table:
    """Every task with some kinds of pieces of one side."""
    arms = {name: recipe for name, recipe in (SOURCE, TARGET)[side].items() if name in kinds}
    tasks = {name: task_named(name) for name in names}
    outputs: dict[str, dict[str, Output]] = {name: {} for name in names}

    def cell(task: str, pieces: str) -> dict[str, Any]:
        own = tasks[task]
        if not fits(task, pieces, side):
            return {}
        outputs[task][pieces] = done = translated(own, arms[pieces])

        def p(*, dev: bool) -> float:
            """That the difference from whole words is chance."""
            if pieces == "words":
                return float("nan")
            systems = {name: each.dev if dev else each.test for name, each in outputs[task].items()}
            return significance(own, systems, "words", dev=dev)[pieces]

        return {
            "seen once %": 100 * seen_once(own.train[side]),
            "other side %": 100 * seen_once(own.train[1 - side]),
            "auto": "yes" if usual_pieces(*own.train)[side] == pieces else "",
            "dev BLEU": bleu(own, done.dev, own.dev[1]),
            "p of dev": p(dev=True),
            "test BLEU": bleu(own, done.test, own.test[1]),
            "p": p(dev=False),
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

    where = SIDES[side]

    def usual(found: Table, task: str) -> dict[str, Any]:
        return next(row for row in found.where(task=task) if row["auto"])

    def claim(task: str) -> Claim:
        return Claim(
            f"pieces of the {where} chosen on the dev set are worth something on the test set (p < 0.05) for {task}",
            lambda found: gain(found, task) > 0 and chosen(found, task)["p"] < 0.05,
        )

    def decision(task: str) -> Claim:
        def says(found: Table) -> str:
            whole, *others = sorted(found.where(task=task), key=lambda row: row["pieces"] != "words")
            better = [row for row in others if row["dev BLEU"] > whole["dev BLEU"] and row["p of dev"] < 0.05]
            return str(max(better, key=lambda row: row["dev BLEU"], default=whole)["pieces"])

        return Claim(
            f"the recipe chooses for the {where} what the dev set says for {task}: the best pieces that are better "
            "than whole words (p < 0.05), or else these",
            lambda found: usual(found, task)["pieces"] == says(found),
        )

    claims = [
        *(claim(task) for task in names),
        *(decision(task) for task in names),
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


def left_out(tables: Mapping[str, Table]) -> list[str]:
    """What the design has and this run has not: a whole bitext, or kinds of pieces of it."""
    missing = []
    for side, name in enumerate(SIDES):
        rows = tables[name].rows if name in tables else ()
        for task in TASKS[side]:
            run = {row["pieces"] for row in rows if row["task"] == task}
            kinds = [kind for kind in KINDS if kind not in run and fits(task, kind, side)]
            if kinds:
                missing.append(f"{task} ({name}{': ' + ' and '.join(kinds) if run else ''})")
    return missing


def main() -> None:
    given = arguments(__doc__, out="docs/experiments/pieces", source="", target="", kinds="", small=False)
    tables, claims = {}, {}
    for side, name in enumerate(SIDES):
        asked = "synthetic en-de 150" if given.small else getattr(given, name)
        if asked != "none":
            tasks = names_of(asked, TASKS[side])
            tables[name] = compare(tasks, side, names_of(given.kinds, KINDS))
            claims[name] = claims_of(tasks, side)
    publish(
        "Pieces of words",
        __doc__,
        {f"Pieces of the {name}": (table, claims[name]) for name, table in tables.items()},
        pictures={
            f"pieces-of-the-{name}": dot_plot(
                table, label=lambda row: f"{row['task']}, {row['pieces']}", figure="test BLEU"
            )
            for name, table in tables.items()
        },
        out=given.out,
        settings=vars(given),
        not_run=left_out(tables),
    )


if __name__ == "__main__":
    main()
