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

from dragoman.annotations import Sentence, conllu
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.model import ModelAnnotator, open_model
from dragoman.annotations.scoring import LayerScores
from dragoman.annotations.training import stripped, train_annotator
from experiments.common import spent_before

__all__ = ["annotated", "figures_of", "memory_of", "trained", "trained_model"]

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
