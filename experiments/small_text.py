"""Translation from little text, for experiments: tasks with few sentence pairs, and models trained by recipes.

All arms of a comparison have the same settings of search and tuning: quick ones (`QUICK`), so that a grid takes
minutes, or those of the recipe. What is compared is what the recipe changes. Dev sets choose, test sets report.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import dragoman
from dragoman.cache import StageCache
from dragoman.files import read_lines
from dragoman.pipeline.train import train
from dragoman.seeds import stream
from dragoman.text import synthetic
from experiments.common import TRAINING_ROOMS, remembered

__all__ = [
    "CACHE",
    "QUICK",
    "Output",
    "Task",
    "bible",
    "bleu",
    "debian",
    "made_up",
    "multi30k",
    "significance",
    "task_named",
    "translated",
]

HOME = Path(__file__).parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data"))
CACHE = HOME / "build" / "experiments" / "small-text" / Path(sys.argv[0]).resolve().parent.name
"""Each experiment keeps its own stages, so that two may run at once."""

QUICK: dict[str, Any] = {"iterations": 5, "search": {"pop_limit": 100, "beam": 100}}

Texts = tuple[list[str], list[str]]


@dataclass(frozen=True)
class Task:
    """A small bitext, what else there is in the source language, and texts to tune and test on."""

    name: str
    languages: tuple[str, str]
    train: Texts = field(repr=False)
    dev: Texts = field(repr=False)
    test: Texts = field(repr=False)
    mono: list[str] = field(repr=False)
    tokenized: bool = False

    @property
    def text_metrics(self) -> str:
        """BLEU of text as it is shipped: tokenised text is not tokenised again."""
        return "bleu:tokenize=none" if self.tokenized else "bleu"


def _sides(folder: Path, names: Sequence[str], ending: str = "") -> Texts:
    source, target = (list(read_lines(folder / f"{name}{ending}")) for name in names)
    return source, target


def multi30k(source: str, pairs: int, *, seed: int = 1) -> Task:
    """So many captions; the source side of all others is the text of one language."""
    folder, sides = DATA / "multi30k", (source, "en")
    whole = _sides(folder, [f"train.{side}" for side in sides], ".gz")
    order = stream(seed, "small text").permutation(len(whole[0])).tolist()
    chosen, others = sorted(order[:pairs]), sorted(order[pairs:])
    return Task(
        f"multi30k {source}-en {pairs:,}",
        (source, "en"),
        ([whole[0][row] for row in chosen], [whole[1][row] for row in chosen]),
        _sides(folder, [f"val.{side}" for side in sides]),
        _sides(folder, [f"test_2016_flickr.{side}" for side in sides]),
        [whole[0][row] for row in others],
        tokenized=True,
    )


def debian(pair: str, pairs: int, *, seed: int = 1) -> Task:
    """So many package descriptions; a thousand to tune on and a thousand to test on."""
    source, target = pair.split("-")
    folder, sides = DATA / "debian" / pair, (source, target)
    whole = _sides(folder, [f"train.{side}" for side in sides], ".gz")
    order = stream(seed, "small text").permutation(len(whole[0])).tolist()
    chosen, others = sorted(order[:pairs]), sorted(order[pairs:])
    dev, test = (_sides(folder, [f"{part}.{side}" for side in sides]) for part in ("dev", "test"))
    return Task(
        f"debian {pair} {pairs:,}",
        (source, target),
        ([whole[0][row] for row in chosen], [whole[1][row] for row in chosen]),
        (dev[0][:1000], dev[1][:1000]),
        (test[0][:1000], test[1][:1000]),
        [whole[0][row] for row in others],
    )


def made_up(pairs: int) -> Task:
    """So many synthetic pairs, and as many more sentences: enough to see that a script runs."""
    parts = synthetic.pair("en-de").splits(train=2 * pairs, dev=30, test=30, seed=1)
    train, dev, test = (
        ([" ".join(each.source.tokens) for each in part], [" ".join(each.target.tokens) for each in part])
        for part in (parts.train, parts.dev, parts.test)
    )
    few = train[0][:pairs], train[1][:pairs]
    return Task(f"synthetic en-de {pairs:,}", ("en", "de"), few, dev, test, train[0][pairs:], tokenized=True)


def bible(pair: str) -> Task:
    """The New Testament but Acts; the source side of Acts, which is to be translated, is the text of one language."""
    source, target = pair.split("-")
    folder, sides = DATA / "bible" / pair, (source, target)
    test = _sides(folder, [f"test.{side}" for side in sides])
    return Task(
        f"bible {pair}",
        (source, target),
        _sides(folder, [f"train.{side}" for side in sides], ".gz"),
        _sides(folder, [f"dev.{side}" for side in sides]),
        test,
        test[0],
    )


def task_named(name: str) -> Task:
    """`bible sw-en`, `multi30k de-en 5000`, `debian en-de 20000` or `synthetic en-de 200`."""
    kind, pair, *size = name.split()
    if kind == "bible":
        return bible(pair)
    if kind == "debian":
        return debian(pair, int(size[0]))
    return multi30k(pair.partition("-")[0], int(size[0])) if kind == "multi30k" else made_up(int(size[0]))


@dataclass(frozen=True)
class Output:
    """What a trained model made of a text, and what training said."""

    test: list[str] = field(repr=False)
    dev: list[str] = field(repr=False)
    unknown: int
    """Words of the test text that were copied."""
    report: dict[str, Any] = field(repr=False)


def translated(task: Task, recipe: Mapping[str, Any], *, test: bool = True, quick: bool = True) -> Output:
    """Train by a recipe, and translate dev and test; what was done before is kept, so that tasks can be run apart."""
    settings = {**(QUICK if quick else {}), "tokenized": task.tokenized, **recipe}
    texts = hashlib.blake2b(repr((task.train, task.dev, task.test, task.mono)).encode(), digest_size=16).hexdigest()

    kept = remembered(
        StageCache(CACHE / "outputs"),
        "translated",
        {"recipe": settings, "texts": texts, "test": test},
        lambda: asdict(_translated(task, settings, test=test)),
        rooms=TRAINING_ROOMS,
    )
    return Output(**kept)


def _translated(task: Task, settings: Mapping[str, Any], *, test: bool) -> Output:
    CACHE.mkdir(parents=True, exist_ok=True)
    enriched = settings.get("oov", "none") != "none" or settings.get("paraphrase", False)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        mono = Path(folder) / "mono"
        mono.write_text("".join(f"{line}\n" for line in task.mono), "utf-8")
        model = train(
            *task.train,
            output=Path(folder) / "model",
            dev=task.dev,
            languages=task.languages,
            recipe=settings,
            source_text=[mono] if enriched else (),
            cache=CACHE / task.name.replace(" ", "-"),
        )
        found = list(model.translate(task.test[0])) if test else []
        return Output(
            [each.text for each in found],
            [each.text for each in model.translate(task.dev[0])],
            sum(len(each.unknown_words) for each in found),
            dict(model.report),
        )


def bleu(task: Task, texts: Sequence[str], references: Sequence[str]) -> float:
    """Of translations of a task."""
    return next(iter(dragoman.score(list(texts), [list(references)], [task.text_metrics], confidence=None))).value


def significance(
    task: Task, systems: Mapping[str, Sequence[str]], baseline: str, *, dev: bool = False
) -> dict[str, float]:
    """Probability by randomization that each system differs from the baseline on the test text (or that of the dev
    set) by chance."""
    outputs = {name: list(texts) for name, texts in systems.items()}
    references = (task.dev if dev else task.test)[1]
    found = next(iter(dragoman.compare(outputs, references, task.text_metrics, baseline=baseline)))
    return {name: found.pair_p(baseline, name) for name in systems if name != baseline}
