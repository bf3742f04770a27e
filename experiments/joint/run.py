"""What are models of both sides worth on top of the default recipe, and from how much text on?

    python experiments/joint/run.py --cache build/experiments/joint

Four models are added to the default recipe one by one and together: a bilingual n-gram model (`sequence`, Niehues et
al. 2011), a joint model that is asked in search (Devlin et al. 2014) or only about what search has kept (`joint, late`,
1,000 steps) or made of two networks, likeness of phrases by vectors of both languages (`vectors`, Zou et al. 2013), and
translations of single words by the words around them (`context`, Aziz and Specia 2010). All arms of a text share
preprocessing, language models, alignment, table and learned sparse weights; dense weights are tuned again on the same
dev set in the same way.

*Held-out text* decides what the recipe does by itself: 1,000 pairs of the training text whose source sentence the rest
does not have are translated by models of the rest. *The default recipe* reports on test sets that were used for nothing
else: captions (Multi30k, `test_2016_flickr`, tuned on `val`) and package descriptions (Debian, the first 1,000 pairs of
test and dev set). *More and more text* takes the first so many pairs of a random order.

BLEU is of tokens as shipped for captions, of raw text for descriptions; `p` by approximate randomisation against the
recipe without these models, two-sided, 10,000 samples. One seed. `training, s` is processor time of the added models,
`joint, min` how long the joint model's training took on two cores that others used, too, and `translating, s` is
processor time of translating the test set on one thread. Two networks, vectors and contexts are tried on two of the
texts.

With `--small` a synthetic bitext stands in. `--parts` names parts, or a part and a text of it (`held-out text: debian
en-de 31902`), between semicolons. Every arm is kept in `--cache` as soon as it is done, so that parts may be run one by
one, a stopped run goes on, and a last run that names all that is done joins them.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import dragoman
from dragoman.cache import StageCache
from dragoman.charts import line_plot
from dragoman.pipeline.train import train
from dragoman.seeds import stream
from dragoman.text.heldout import leak_key
from experiments.common import Claim, Row, Table, arguments, dot_plot, grid, publish, remembered
from experiments.recipes import others
from experiments.small_text import Task, bleu, debian, made_up, multi30k, significance

ARMS: dict[str, dict[str, Any]] = {
    "none": {},
    "sequence": {"sequence": True},
    "joint": {"joint": True},
    "joint, late": {"joint": True, "search": {"late_steps": 1000}},
    "joint and sequence": {"joint": True, "sequence": True},
    "two networks": {"joint": True, "joint_settings": ("networks=2",)},
    "vectors": {"vectors": True},
    "context": {"context": True},
    "all four": {"joint": True, "sequence": True, "vectors": True, "context": True},
}
MODELS = ("sequence", "joint", "joint and sequence")
OFTEN_TRIED = ("none", "sequence", "joint", "joint, late", "joint and sequence")
TEXTS = (
    "multi30k de-en 29000",
    "multi30k fr-en 29000",
    "debian en-de 31902",
    "debian en-fr 52596",
    "debian en-es 5081",
)
WHERE_ALL_ARE_TRIED = ("multi30k de-en 29000", "debian en-de 31902")
GROWTH = tuple(
    f"{name} {size}"
    for name, sizes in {
        "multi30k de-en": (5000, 10_000, 29_000),
        "debian en-fr": (5000, 10_000, 29_000, 52_596),
    }.items()
    for size in sizes
)
PARTS = {"held-out text": TEXTS, "the default recipe": TEXTS, "more and more text": GROWTH}
HELD_OUT = 1000
SMALL = {"joint_settings": ("hidden=16", "vector=8", "passes=3"), "aligner": "fast", "order": 3, "iterations": 2}
ROOMS = ("text", "lm", "align", "grammar", "semantics", "neural", "features", "search", "metrics", "tuning", "pipeline")
STAGES = {"joint": "joint model", "sequence": "sequence model", "vectors": "vectors", "context": "context"}


@cache
def task_named(name: str) -> Task:
    """`multi30k de-en 29000`, `debian en-de 20000` or `synthetic en-de 200`."""
    kind, pair, size = name.split()
    if kind == "debian":
        return debian(pair, int(size))
    return multi30k(pair.partition("-")[0], int(size)) if kind == "multi30k" else made_up(int(size))


@cache
def held_out(name: str) -> Task:
    """The same text, of which some pairs are the test set; the rest has none of their source sentences."""
    task = task_named(name)
    keys = [leak_key(line) for line in task.train[0]]
    order = stream(1, "held-out text").permutation(len(keys)).tolist()
    size = min(HELD_OUT, len(keys) // 10)
    chosen = set(order[:size])
    leaked = {keys[row] for row in chosen}
    rest = [row for row in range(len(keys)) if keys[row] not in leaked]
    sides = tuple([side[row] for row in rest] for side in task.train)
    tests = tuple([side[row] for row in sorted(chosen)] for side in task.train)
    return dataclasses.replace(
        task, name=f"{task.name}, held out", train=(sides[0], sides[1]), test=(tests[0], tests[1])
    )


class Arms:
    """Translations of each text by each arm, as far as they are not kept from another run."""

    def __init__(self, folder: Path, recipe: Mapping[str, Any]) -> None:
        self.folder, self.recipe = folder, recipe
        self.kept = StageCache(folder / "arms")

    def run(self, task: Task, arm: str) -> dict[str, Any]:
        """Outputs, time and reports of an arm."""
        texts = hashlib.blake2b(repr((task.train, task.dev, task.test)).encode(), digest_size=16).hexdigest()
        settings = {"texts": texts, "recipe": self._recipe(arm)}
        found: dict[str, Any] = remembered(self.kept, "arm", settings, lambda: self._train(task, arm), rooms=ROOMS)
        return found

    def _recipe(self, arm: str) -> dict[str, Any]:
        own = ARMS[arm].get("joint_settings", ())
        return {**self.recipe, **ARMS[arm], "joint_settings": (*self.recipe.get("joint_settings", ()), *own)}

    def _train(self, task: Task, arm: str) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            model = train(
                *task.train,
                output=Path(folder) / "model",
                dev=task.dev,
                languages=task.languages,
                recipe={"tokenized": task.tokenized, **self._recipe(arm)},
                cache=self.folder / "stages",
            )
            began = time.process_time()
            found = [each.text for each in model.translate(task.test[0], threads=1)]
            seconds = time.process_time() - began
            return {
                "outputs": found,
                "seconds": seconds,
                "stages": model.report["stages"],
                "weights": dict(model.weights),
            }

    def row(self, task: Task, arm: str) -> Row:
        """What is printed of an arm."""
        run = self.run(task, arm)
        stages, outputs = run["stages"], {name: self.run(task, name)["outputs"] for name in {"none", arm}}
        scores = {name: bleu(task, texts, task.test[1]) for name, texts in outputs.items()}
        chrf = next(iter(dragoman.score(outputs[arm], [task.test[1]], ["chrf"], confidence=None))).value
        tuned = next(stages[name] for name in ("tuning of all", "learning", "tuning") if name in stages)
        return {
            "dev BLEU": float(tuned["dev_bleu"]),
            "BLEU": scores[arm],
            "difference": scores[arm] - scores["none"] if arm != "none" else float("nan"),
            "p": significance(task, outputs, "none")[arm] if arm != "none" else float("nan"),
            "chrF": chrf,
            "perplexity": float(stages.get("joint model", {}).get("perplexity", "nan")),
            "training, s": sum(stages.get(name, {}).get("processor_seconds", 0.0) for name in STAGES.values()),
            "joint, min": float(stages.get("joint model", {}).get("seconds", "nan")) / 60,
            "translating, s": round(run["seconds"], 1),
        }


def sure(row: Row, least: float = 0.0) -> bool:
    """Whether a gain is as large and no chance."""
    return bool(row["difference"] > 0 and row["difference"] >= least and row["p"] < 0.05)


def one(table: Table, text: str, arm: str) -> Row:
    return table.where(text=text, models=arm)[0]


def worth(texts: Sequence[str], arms: Sequence[str], where: str) -> list[Claim]:
    """Whether each arm gains something on each text."""
    return [
        Claim(
            f"{arm}: worth something on {where} of {text} (p < 0.05)",
            lambda found, t=text, a=arm: sure(one(found, t, a)),
        )
        for text in texts
        for arm in arms
        if arm != "none" and tried(text, arm)
    ]


def tried(text: str, arm: str) -> bool:
    """Whether an arm is run on a text."""
    return arm in OFTEN_TRIED or text in WHERE_ALL_ARE_TRIED or text.startswith("synthetic")


def targets(texts: Sequence[str]) -> list[Claim]:
    """What was hoped for."""
    claims = []
    for text in texts:
        goal, most = (3, 30) if text.startswith("debian") else (2, 5)
        claims += [
            Claim(
                f"joint and sequence gain {goal} BLEU or more on {text} (p < 0.05)",
                lambda found, t=text, g=goal: sure(one(found, t, "joint and sequence"), g),
            ),
            Claim(
                f"with them, translating takes at most twice as long on {text}",
                lambda found, t=text: (
                    one(found, t, "joint and sequence")["translating, s"] <= 2 * one(found, t, "none")["translating, s"]
                ),
            ),
            Claim(
                f"a joint model of {text} is trained within {most} minutes",
                lambda found, t=text, m=most: one(found, t, "joint")["joint, min"] <= m,
            ),
        ]
    return claims


def grown(table: Table) -> dict[str, Any]:
    """A curve for each arm and text over the size of the text."""
    pictures = {}
    for name in dict.fromkeys(row["text"].rpartition(" ")[0] for row in table.rows):
        rows = [row for row in table.rows if row["text"].startswith(name)]
        curves = {
            arm: [(float(row["text"].split()[-1]), row["BLEU"]) for row in rows if row["models"] == arm]
            for arm in dict.fromkeys(row["models"] for row in rows)
        }
        pictures[f"growth-{name.replace(' ', '-')}"] = line_plot(
            curves, title=name, x_name="sentence pairs", y_name="BLEU", zero=False
        )
    return pictures


def chosen(given: str) -> dict[str, list[str]]:
    """The texts of each part that are to be run, by what was given on the command line."""
    if not given:
        return {part: list(texts) for part, texts in PARTS.items()}
    found: dict[str, list[str]] = {}
    for each in given.split(";"):
        part, _, text = (word.strip() for word in each.partition(":"))
        if part not in PARTS or (text and text not in PARTS[part]):
            raise SystemExit(f"{each.strip()!r} is none of: {'; '.join(f'{p}: {t}' for p in PARTS for t in PARTS[p])}")
        wanted = [text] if text else PARTS[part]
        found[part] = [one for one in PARTS[part] if one in {*found.get(part, ()), *wanted}]
    return found


def main() -> None:
    given = arguments(__doc__, out="docs/experiments/joint", parts="", cache="", small=False)
    parts = {part: ["synthetic en-de 200"] for part in PARTS} if given.small else chosen(given.parts)
    every = [] if given.small else [f"{part}: {text}" for part, texts in PARTS.items() for text in texts]
    tables: dict[str, tuple[Table, Sequence[Claim]]] = {}
    pictures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(given.cache or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        arms = Arms(folder, SMALL if given.small else {})

        def compared(texts: Sequence[str], models: Sequence[str], task: Callable[[str], Task]) -> Table:
            def cell(text: str, models: str) -> Row:
                return arms.row(task(text), models) if tried(text, models) else {}

            return grid(cell, text=texts, models=models)

        if texts := parts.get("held-out text"):
            table = compared(texts, ["none", *MODELS], held_out)
            tables["Held-out training text"] = table, worth(texts, MODELS, "held-out training text")
        if texts := parts.get("the default recipe"):
            table = compared(texts, list(ARMS), task_named)
            claims = [*targets(texts), *worth(texts, list(ARMS), "the test set")]
            tables["The default recipe and what is added to it"] = table, claims
            pictures["test-sets"] = dot_plot(table, label=lambda row: f"{row['text']}, {row['models']}", figure="BLEU")
        if texts := parts.get("more and more text"):
            table = compared(texts, ["none", *MODELS], task_named)
            tables["More and more text"] = table, worth(texts, ["joint and sequence"], "the test set")
            pictures |= grown(table)
    publish(
        "Models of both sides",
        __doc__,
        tables,
        pictures=pictures,
        out=given.out,
        settings=vars(given),
        not_run=others(every, [f"{part}: {text}" for part, texts in parts.items() for text in texts]),
    )


if __name__ == "__main__":
    main()
