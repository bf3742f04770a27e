"""Annotators that an experiment trains and keeps, and what they cost: processor time, speed, memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dragoman.annotations import Sentence, conllu
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.model import ModelAnnotator, open_model
from dragoman.annotations.scoring import LayerScores, score
from dragoman.annotations.training import stripped, train_annotator
from experiments.common import spent_before

__all__ = ["annotated", "figures_of", "interval_of", "memory_of", "p_value", "trained", "trained_model"]

HOME = Path(__file__).parent.parent


def trained_model(path: Path, train: Callable[[], ModelAnnotator]) -> tuple[Annotator, float]:
    """The model in this folder, trained unless a run before left it; and the CPU seconds of training."""
    record = path.with_suffix(".json")
    if record.exists():
        seconds = float(json.loads(record.read_text("utf-8"))["training, CPU s"])
        spent_before(seconds)
    else:
        started = time.process_time()
        model = train()
        seconds = time.process_time() - started
        model.save(path)
        record.write_text(json.dumps({"training, CPU s": seconds}), "utf-8")
    return open_model(path), seconds


def trained(folder: Path, name: str, kind: str, sentences: list[Sentence], **settings: Any) -> tuple[Annotator, float]:
    """A model of some kind, kept under its name."""
    return trained_model(folder / name, lambda: train_annotator(kind, sentences, **settings))


def annotated(model: Annotator, gold: list[Sentence]) -> tuple[list[Sentence], float]:
    """The sentences as the model annotates them, and how many it does in a second of processor time."""
    bare = [stripped(sentence, model) for sentence in gold]
    started = time.process_time()
    made = model.annotate(bare)
    return made, len(gold) / (time.process_time() - started)


def figures_of(scores: LayerScores, layers: tuple[str, ...]) -> dict[str, float]:
    """F1 of layers in per cent, not a number where a treebank does not have them."""
    return {layer: 100 * scores[layer].f1 if layer in scores.by_name else float("nan") for layer in layers}


def _counts(gold: list[Sentence], given: list[Sentence], layer: str) -> np.ndarray:
    """Right, gold and given of a layer, a row for each sentence."""
    found = [score([truth], [guess]).by_name.get(layer) for truth, guess in zip(gold, given, strict=True)]
    return np.array([(each.right, each.gold, each.given) if each else (0, 0, 0) for each in found], dtype=float)


def _f1(counts: np.ndarray) -> np.ndarray:
    return np.asarray(2 * counts[..., 0] / (counts[..., 1] + counts[..., 2]))


def p_value(gold: list[Sentence], ours: list[Sentence], theirs: list[Sentence], layer: str) -> float:
    """How often chance, which swaps sentences, makes a difference in F1 that is as large (two-sided, 10,000 draws)."""
    first, second = _counts(gold, ours, layer), _counts(gold, theirs, layer)
    random, trials, larger = np.random.default_rng(1), 10_000, 0

    seen = abs(_f1(first.sum(0)) - _f1(second.sum(0)))
    for _ in range(0, trials, 100):
        moved = random.integers(0, 2, (100, len(first))) @ (second - first)
        gains = _f1(first.sum(0) + moved) - _f1(second.sum(0) - moved)
        larger += int(np.count_nonzero(np.abs(gains) >= seen - 1e-12))
    return float((1 + larger) / (1 + trials))


def interval_of(gold: list[Sentence], given: list[Sentence], layer: str) -> tuple[float, float]:
    """95 % interval of F1 in per cent, by the bootstrap over sentences."""
    counts = _counts(gold, given, layer)
    random = np.random.default_rng(1)
    drawn = np.array([counts[random.integers(0, len(counts), len(counts))].sum(0) for _ in range(1_000)])
    low, high = np.percentile(100 * _f1(drawn), [2.5, 97.5])
    return float(low), float(high)


_ANNOTATE = """
import sys
from pathlib import Path
from dragoman.annotations import annotator_chain, conllu
from dragoman.annotations.corpus import annotate_sentences
from dragoman.annotations.training import stripped
chain = annotator_chain.load(sys.argv[1])
for _ in annotate_sentences(chain, [stripped(sentence, chain) for sentence in conllu.read(sys.argv[2])]):
    pass
print(int(Path("/proc/self/status").read_text("utf-8").partition("VmHWM:")[2].split()[0]) / 1024)
"""
"""`ru_maxrss` would not do: it starts with what the parent had when it forked."""


def memory_of(model: Path, test: list[Sentence]) -> float:
    """Peak memory of a process that reads the model and annotates, in MiB."""
    with tempfile.TemporaryDirectory() as place:
        conllu.write(test, Path(place) / "test.conllu")
        command = [sys.executable, "-c", _ANNOTATE, str(model.resolve()), str(Path(place) / "test.conllu")]
        said = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=HOME).stdout.decode()
    return float(said.split()[-1])
