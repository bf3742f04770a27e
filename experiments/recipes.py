"""Systems of recipes that experiments on decoders train, tune and compare, and the sets of text that they share.

All systems of a set have one text, word alignment and language model; a system is a recipe beyond these. It is tuned
with several seeds, and a difference is tested over all of its runs at once: a segment is swapped in every run, and the
statistics of a system are the sums over its runs, so that luck of the tuner and of the segments are both in the p-value
(as in Clark, Dyer, Lavie and Smith 2011). Every run is kept in the stage cache, so that sets can be run one by one, and
the last run joins them into a page.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import dragoman
from dragoman.cache import StageCache
from dragoman.evaluation.resampling import SignificanceTest, compare_statistics
from dragoman.files import read_lines
from dragoman.metrics import get_metric
from dragoman.pipeline.model import Model
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.tune import tune_model
from dragoman.text import synthetic
from experiments.common import arguments

__all__ = ["DENSE", "SETS", "Systems", "metric", "names_of", "system_arguments", "texts"]

DATA = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
DENSE = ["templates=", "classes=0", "tuner=mira"]
SETS = ("multi30k de-en", "multi30k fr-en", "debian en-de", "verb-final")


def metric(name: str) -> str:
    """BLEU of the tokens as shipped, or of raw text."""
    return "bleu" if name.startswith("debian") else "bleu:tokenize=none"


@cache
def texts(name: str, small: bool) -> dict[str, tuple[list[str], list[str]]]:
    """Train, dev and test."""
    if small or name == "verb-final":
        sizes = {"train": 300, "dev": 30, "test": 30} if small else {"train": 8000, "dev": 500, "test": 500}
        parts = synthetic.pair("en-qsv").splits(**sizes, seed=1)
        return {
            part: ([" ".join(i.target.tokens) for i in items], [" ".join(i.source.tokens) for i in items])
            for part, items in (("train", parts.train), ("dev", parts.dev), ("test", parts.test))
        }
    folder, codes = name.split()
    sides = codes.split("-")
    if folder == "multi30k":
        files = {"train": "train.{}.gz", "dev": "val.{}", "test": "test_2016_flickr.{}"}
    else:
        folder, files = f"debian/{codes}", {"train": "train.{}.gz", "dev": "dev.{}", "test": "test.{}"}
    found = {}
    for part, pattern in files.items():
        source, target = (list(read_lines(DATA / folder / pattern.format(side))) for side in sides)
        found[part] = source, target
    return found


def system_arguments(doc: str | None, *, out: str, **defaults: Any) -> argparse.Namespace:
    """The flags of an experiment with systems: which sets, how they are aligned and tuned, where stages are kept."""
    usual = {"small": False, "sets": "", "cache": "", "aligner": "bayes", "iterations": 6, "pops": 200}
    return arguments(doc, out=out, **{**usual, **defaults})


def names_of(given: str, known: Sequence[str]) -> list[str]:
    """Names between semicolons; all that are known if none is given."""
    return [each.strip() for each in given.split(";")] if given else list(known)


class Systems:
    """Models of the sets, and their translations of the test sets."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.small = options, options.small
        self._folder = tempfile.TemporaryDirectory()
        self.stages = Path(options.cache or Path(self._folder.name) / "stages")
        self.kept = StageCache(self.stages / "systems")

    def __enter__(self) -> Systems:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    @cache  # noqa: B019 - one object lives as long as the program
    def model(self, name: str, recipe: tuple[str, ...]) -> Model:
        """A model without tuned weights, or tuned as the recipe says."""
        parts = texts(name, self.small)
        tokenized = not name.startswith("debian")
        usual = ["aligner=fast", "order=3"] if self.small else [f"aligner={self.options.aligner}"]
        return dragoman.train(
            *parts["train"],
            dev=parts["dev"],
            languages=("de", "en") if tokenized else ("en", "de"),
            recipe=Recipe(tokenized=tokenized).changed([*DENSE, *usual, *recipe]),
            output=Path(self._folder.name) / f"model-{len(list(Path(self._folder.name).glob('model-*')))}",
            cache=self.stages,
        )

    @cache  # noqa: B019
    def weights(self, name: str, recipe: tuple[str, ...], seed: int) -> dict[str, float]:
        """Tuned on the first segments of the dev set."""
        model = self.model(name, (*recipe, "tuner=none"))
        source, target = (side[: self.options.dev] for side in texts(name, self.small)["dev"])
        tuned = tune_model(model, source, [target], tuner="mira", iterations=self.options.iterations, seed=seed)
        return dict(tuned.weights)

    def remember(self, what: str, settings: Mapping[str, Any], work: Callable[[], Any]) -> Any:
        """What a piece of work gave, now or in an earlier run with the same code."""
        sizes = {name: getattr(self.options, name) for name in ("small", "aligner", "iterations", "dev", "seeds")}

        def write(folder: Path) -> None:
            (folder / "found.json").write_text(json.dumps(work(), ensure_ascii=False), "utf-8")

        rooms = ("search", "tuning", "pipeline")
        stage = self.kept.run(what, work=write, settings={**sizes, **settings}, rooms=rooms)
        return json.loads(stage.file("found.json").read_text("utf-8"))

    def translations(self, name: str, recipe: Sequence[str], search: Mapping[str, Any]) -> dict[str, Any]:
        """Outputs of the test set with each seed, what the search counted, and processor time on one thread."""

        def work() -> dict[str, Any]:
            source = texts(name, self.small)["test"][0]
            base = self.model(name, (*recipe, "tuner=none"))
            outputs, sentences, seconds = [], [], 0.0
            for seed in range(1, self.options.seeds + 1):
                model = base.with_weights(self.weights(name, tuple(recipe), seed)).with_settings(**search)
                started = time.process_time()
                found = model.translate(source, threads=1)
                seconds += time.process_time() - started
                outputs.append([each.text for each in found])
                sentences += [sentence for each in found for sentence in each.sentences]
            words = sum(len(sentence.source) for sentence in sentences)
            queries = sum(sentence.statistics["language_model_queries"] for sentence in sentences)
            return {
                "outputs": outputs,
                "queries/word": round(queries / words, 1),
                "score": round(float(np.mean([sentence.score for sentence in sentences])), 4),
                "jumps": round(float(np.mean([-each.features.get("distortion", 0.0) for each in sentences])), 2),
                "seconds": round(seconds / self.options.seeds, 1),
                "rules": base.report["stages"]["table"]["rules"],
            }

        found: dict[str, Any] = self.remember(
            "translations", {"set": name, "recipe": list(recipe), "search": dict(search)}, work
        )
        return found

    def compared(self, name: str, ours: Sequence[Sequence[str]], theirs: Sequence[Sequence[str]]) -> dict[str, Any]:
        """BLEU (mean and standard deviation of the runs), the difference from other runs, and its p-value."""
        scorer = get_metric(metric(name))
        references = scorer.prepare(texts(name, self.small)["test"][1])

        def scored(outputs: Sequence[Sequence[str]]) -> tuple[Any, list[float]]:
            runs = [scorer.statistics(output, references) for output in outputs]
            return sum(runs), [100 * float(scorer.scores(run.sum(axis=0)[None, :])[0]) for run in runs]

        statistics, scores = scored(ours)
        row = {
            "BLEU": round(float(np.mean(scores)), 2),
            "deviation": round(float(np.std(scores, ddof=1)), 2) if len(scores) > 1 else float("nan"),
            "difference": float("nan"),
            "p": float("nan"),
        }
        if theirs and theirs != ours:
            others, other_scores = scored(theirs)
            test = SignificanceTest(samples=1000 if self.small else 10_000)
            row["difference"] = round(float(np.mean(scores) - np.mean(other_scores)), 2)
            row["p"] = compare_statistics(statistics, others, scorer.scores, test).p
        return row
