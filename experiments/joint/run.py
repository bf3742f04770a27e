"""Do models of both sides help? A joint model (Devlin et al. 2014) and a bilingual n-gram model (Niehues et al. 2011).

Each text is translated without them, with either and with both; `dense` recipes have no sparse templates, `usual` ones
have those that are learned on folds of the text. All arms of a text share preprocessing, language models, alignment and
table, and are tuned on the same dev set in the same way; the test set is used for nothing else. Seconds are processor
time: of training the model, and of translating the test set on one thread.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import dragoman
from dragoman.pipeline.train import train
from experiments.common import Claim, Table, arguments, dot_plot, grid, publish
from experiments.small_text import CACHE, Task, bleu, debian, made_up, multi30k, significance

ARMS: dict[str, dict[str, Any]] = {
    "none": {},
    "sequence": {"sequence": True},
    "joint": {"joint": True},
    "both": {"joint": True, "sequence": True},
}
DENSE = {"templates": ()}
QUICK = {"iterations": 6, "search": {"pop_limit": 200, "beam": 200}}
SMALL = {"joint_settings": ("hidden=16", "vector=8", "passes=3", "exact_passes=1"), "aligner": "fast", "order": 3}


def task_named(name: str) -> Task:
    """`multi30k de-en 29000`, `debian en-de 20000` or `synthetic en-de 200`."""
    kind, pair, size = name.split()
    if kind == "debian":
        return debian(pair, int(size))
    return multi30k(pair.partition("-")[0], int(size)) if kind == "multi30k" else made_up(int(size))


def compare(names: list[str], arms: list[str], recipe: dict[str, Any]) -> tuple[Table, list[Claim]]:
    """Every task with every arm."""
    tasks = {name: task_named(name) for name in names}
    outputs: dict[str, dict[str, list[str]]] = {name: {} for name in names}

    def cell(text: str, models: str) -> dict[str, Any]:
        task = tasks[text]
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            model = train(
                *task.train,
                output=Path(folder) / "model",
                dev=task.dev,
                languages=task.languages,
                recipe={**QUICK, "tokenized": task.tokenized, **recipe, **ARMS[models]},
                cache=CACHE / task.name.replace(" ", "-"),
                progress=False,
            )
            began = time.process_time()
            found = [each.text for each in model.translate(task.test[0], threads=1)]
            seconds = time.process_time() - began
            stages = model.report["stages"]
            weights = {name: model.weights[name] for name in ("joint", "sequence") if name in model.weights}
        outputs[text][models] = found
        return {
            "dev BLEU": next(
                float(stages[name]["dev_bleu"]) for name in ("tuning of all", "learning", "tuning") if name in stages
            ),
            "test BLEU": bleu(task, found, task.test[1]),
            "p": float("nan") if models == "none" else significance(task, outputs[text], "none")[models],
            "test chrF": next(iter(dragoman.score(found, [task.test[1]], ["chrf"], confidence=None))).value,
            **{f"weight of {name}": weights.get(name, float("nan")) for name in ("joint", "sequence")},
            "perplexity": float(stages.get("joint model", {}).get("perplexity", "nan")),
            "training, s": float(
                sum(stages.get(name, {}).get("processor_seconds", 0) for name in ("joint model", "sequence model"))
            ),
            "translating, s": round(seconds, 1),
        }

    table = grid(cell, text=names, models=arms)

    def gain(found: Table, text: str, models: str) -> float:
        return found.mean("test BLEU", text=text, models=models) - found.mean("test BLEU", text=text, models="none")

    def sure(found: Table, text: str, models: str) -> bool:
        return gain(found, text, models) > 0 and found.mean("p", text=text, models=models) < 0.05

    def slower(found: Table, text: str, models: str) -> float:
        return found.mean("translating, s", text=text, models=models) / max(
            0.1, found.mean("translating, s", text=text, models="none")
        )

    claims = []
    for text in names:
        for models in arms[1:]:
            label = "both models are" if models == "both" else f"a {models} model is"
            claims.append(
                Claim(
                    f"{label} worth something on the test set of {text} (p < 0.05)",
                    lambda found, text=text, models=models: sure(found, text, models),
                )
            )
        if "joint" in arms:
            goal = 3 if text.startswith("debian") else 2
            claims += [
                Claim(
                    f"a joint model gains {goal} BLEU or more on {text}",
                    lambda found, text=text, goal=goal: gain(found, text, "joint") >= goal,
                ),
                Claim(
                    f"with a joint model, translating takes at most twice as long on {text}",
                    lambda found, text=text: slower(found, text, "joint") <= 2,
                ),
            ]
    return table, claims


def main() -> None:
    given = arguments(
        __doc__,
        out="docs/experiments/joint",
        dense="multi30k de-en 5000;multi30k de-en 10000;multi30k de-en 29000;multi30k fr-en 29000;debian en-de 20000",
        usual="multi30k de-en 29000",
        small=False,
    )
    recipe: dict[str, Any] = {}
    if given.small:
        given.dense, given.usual, recipe = "synthetic en-de 200", "", SMALL
    tables = {}
    if given.dense:
        tables["Dense recipes"] = compare(given.dense.split(";"), list(ARMS), {**DENSE, **recipe})
    if given.usual:
        tables["The usual recipe"] = compare(given.usual.split(";"), ["none", "joint", "both"], recipe)
    pictures = {
        name.replace(" ", "-").lower(): dot_plot(
            table, label=lambda row: f"{row['text']}, {row['models']}", figure="test BLEU"
        )
        for name, (table, _) in tables.items()
    }
    publish("Models of both sides", __doc__, tables, pictures=pictures, out=given.out, settings=vars(given))


if __name__ == "__main__":
    main()
