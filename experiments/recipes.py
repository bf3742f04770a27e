"""Systems of recipes that experiments on decoders train, tune and compare, and the sets of text that they share.

All systems of a set have one text, word alignment and language model; a system is a recipe beyond these. It is tuned
with several seeds, and a difference is tested over all of its runs at once: a segment is swapped in every run, and the
statistics of a system are the sums over its runs, so that luck of the tuner and of the segments are both in the p-value
(as in Clark, Dyer, Lavie and Smith 2011). Every run is kept in the stage cache, so that sets can be run one by one, and
the last run joins them into a page.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np

import dragoman
from dragoman.annotations.annotator import Annotator
from dragoman.cache import StageCache
from dragoman.files import read_lines
from dragoman.pipeline.model import Model
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.tune import tune_model
from dragoman.text import synthetic
from experiments.common import TRAINING_ROOMS, arguments, remembered
from experiments.comparison import compared

__all__ = ["DENSE", "SETS", "Systems", "metric", "names_of", "others", "system_arguments", "texts"]

DATA = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
DENSE = ["templates=", "classes=0", "tuner=mira"]
SETS = ("multi30k de-en", "multi30k fr-en", "debian en-de", "verb-final")
"""Those that experiments on decoders run over; any other pair of Multi30k goes by the same form of name."""


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
        other = "-".join(reversed(sides))
        folder = f"debian/{codes if (DATA / 'debian' / codes).is_dir() else other}"
        files = {"train": "train.{}.gz", "dev": "dev.{}", "test": "test.{}"}
    found = {}
    for part, pattern in files.items():
        source, target = (list(read_lines(DATA / folder / pattern.format(side))) for side in sides)
        found[part] = source, target
    return found


def _languages(name: str) -> tuple[str, str]:
    source, target = name.split()[1].split("-") if " " in name else ("de", "en")
    return source, target


def system_arguments(doc: str | None, *, out: str, **defaults: Any) -> argparse.Namespace:
    """The flags of an experiment with systems: which sets, how they are aligned and tuned, where stages are kept."""
    usual = {"small": False, "sets": "", "cache": "", "aligner": "bayes", "iterations": 6, "pops": 200}
    usual |= {"train": 0, "test": 0}  # of a set the first so many pairs; 0 for all
    return arguments(doc, out=out, **{**usual, **defaults})


def names_of(given: str, known: Sequence[str]) -> list[str]:
    """Names between semicolons; all that are known if none is given."""
    return [each.strip() for each in given.split(";")] if given else list(known)


def others(known: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """What a run leaves out."""
    return [each for each in known if each not in chosen]


class Systems:
    """Models of the sets, and their translations of the test sets."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.small = options, options.small
        self._folder = tempfile.TemporaryDirectory()
        self.stages = Path(options.cache or Path(self._folder.name) / "stages")
        self.kept = StageCache(self.stages / "systems")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def texts(self, name: str) -> dict[str, tuple[list[str], list[str]]]:
        """Train, dev and test, as many pairs of them as this run wants; `choice` is the rest of dev, to choose by."""
        sizes = {"train": self.options.train, "dev": getattr(self.options, "dev", 0), "test": self.options.test}
        whole = texts(name, self.small)
        parts = {
            part: (source[: sizes.get(part) or None], target[: sizes.get(part) or None])
            for part, (source, target) in whole.items()
        }
        used = len(parts["dev"][0])
        return {**parts, "choice": (whole["dev"][0][used:], whole["dev"][1][used:])}

    def annotators(self, name: str) -> tuple[Annotator | None, Annotator | None]:
        """What annotates the source and the target side of a set; for experiments on syntax to say."""
        return None, None

    def spent_aside(self, name: str) -> float:
        """Processor seconds so far that annotators took, for experiments that count them: decoding is timed without."""
        return 0.0

    @cache  # noqa: B019 - one object lives as long as the program
    def model(self, name: str, recipe: tuple[str, ...]) -> Model:
        """A model without tuned weights, or tuned as the recipe says."""
        parts = self.texts(name)
        tokenized = not name.startswith("debian")
        usual = ["aligner=fast", "order=3"] if self.small else [f"aligner={self.options.aligner}"]
        annotator, target_annotator = self.annotators(name)
        model = dragoman.train(
            *parts["train"],
            dev=parts["dev"],
            languages=_languages(name),
            recipe=Recipe(tokenized=tokenized).changed([*DENSE, *usual, *recipe]),
            output=Path(self._folder.name) / f"model-{len(list(Path(self._folder.name).glob('model-*')))}",
            annotator=annotator,
            target_annotator=target_annotator,
            cache=self.stages,
        )
        return model.with_annotator(annotator)

    @cache  # noqa: B019
    def weights(self, name: str, recipe: tuple[str, ...], seed: int, without: tuple[str, ...] = ()) -> dict[str, float]:
        """Tuned on the first segments of the dev set; features that a system is `without` stay at 0."""
        model = self.model(name, (*recipe, "tuner=none"))
        source, target = self.texts(name)["dev"]
        tuned = tune_model(
            model,
            source,
            [target],
            tuner="mira",
            iterations=self.options.iterations,
            seed=seed,
            start={**model.decoder.weights, **dict.fromkeys(without, 0.0)} if without else None,
            fixed=without,
        )
        return dict(tuned.weights)

    def remember(self, what: str, settings: Mapping[str, Any], work: Callable[[], Any]) -> Any:
        """What a piece of work gave, now or in an earlier run with the same code."""
        names = ("small", "aligner", "iterations", "dev", "seeds", "train", "test")
        sizes = {name: getattr(self.options, name) for name in names}
        return remembered(self.kept, what, {**sizes, **settings}, work, rooms=TRAINING_ROOMS)

    def translations(
        self,
        name: str,
        recipe: Sequence[str],
        search: Mapping[str, Any],
        without: Sequence[str] = (),
        seeds: int = 0,
        part: str = "test",
    ) -> dict[str, Any]:
        """Outputs of the test set (or of `choice`) with each seed (or the first so many), what the search counted, and
        processor time on one thread."""
        seeds = min(seeds or self.options.seeds, self.options.seeds)

        def work() -> dict[str, Any]:
            source = self.texts(name)[part][0]
            base = self.model(name, (*recipe, "tuner=none"))
            outputs, sentences, seconds = [], [], 0.0
            for seed in range(1, seeds + 1):
                model = base.with_weights(self.weights(name, tuple(recipe), seed, tuple(without)))
                model = model.with_settings(**search)
                started, aside = time.process_time(), self.spent_aside(name)
                found = model.translate(source, threads=1)
                seconds += time.process_time() - started - (self.spent_aside(name) - aside)
                outputs.append([each.text for each in found])
                sentences += [sentence for each in found for sentence in each.sentences]
            words = sum(len(sentence.source) for sentence in sentences)
            queries = sum(sentence.statistics["language_model_queries"] for sentence in sentences)
            return {
                "outputs": outputs,
                "queries/word": round(queries / words, 1),
                "score": round(float(np.mean([sentence.score for sentence in sentences])), 4),
                "jumps": round(float(np.mean([-each.features.get("distortion", 0.0) for each in sentences])), 2),
                "seconds": round(seconds / seeds, 1),
                "rules": base.report["stages"]["table"]["rules"],
            }

        system: dict[str, Any] = {"set": name, "recipe": list(recipe), "search": dict(search)}
        system |= {"without": list(without)} if without else {}
        system |= {"seeds": seeds} if seeds != self.options.seeds else {}
        system |= {"part": part} if part != "test" else {}
        found: dict[str, Any] = self.remember("translations", system, work)
        return found

    def compared(
        self, name: str, ours: Sequence[Sequence[str]], theirs: Sequence[Sequence[str]], part: str = "test"
    ) -> dict[str, Any]:
        """BLEU (mean and standard deviation of the runs), the difference from other runs, and its p-value."""
        references = self.texts(name)[part][1]
        return compared(metric(name), [references], ours, theirs, samples=1000 if self.small else 10_000)
