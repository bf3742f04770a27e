"""The joint model beside numpy, whose products are those of a BLAS: the same network, the same text, the same numbers.

Text and parameters are random, of the usual shape, with units enough for a text of 29,000 captions. What the machine
can do at most is measured in the same run: multiply-adds by a large product of numpy's, bytes by adding up an array
that no cache holds.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bench.contest import DATA, Contest, bench
from dragoman._native import features
from dragoman._native import neural as native
from dragoman.align import ALIGNERS
from dragoman.files import read_lines
from dragoman.neural.joint_training import fit_joint_model
from dragoman.text.tokenizer import Tokenizer

UNITS = 6000
SENTENCES = 40
WORDS = 13
HISTORY, WINDOW, VECTOR, HIDDEN = 3, 5, 64, 256


@cache
def _model() -> tuple[native.JointModel, native.JointText, Any, Any]:
    """A model, a text, its contexts and its words in units."""
    words = [f"w{number}" for number in range(UNITS)]
    units = np.arange(1, UNITS + 2, dtype=np.uint32)
    units[0] = 2  # whatever is unknown
    model = native.JointModel(
        source_words=words,
        source_units=units,
        target_words=words,
        target_units=units,
        target_shares=np.zeros(UNITS + 1, np.float32),
        source_count=UNITS + 2,
        target_counts=np.ones(UNITS + 2),
        history=HISTORY,
        window=WINDOW,
        vector=VECTOR,
        hidden=HIDDEN,
        seed=1,
    )
    rng = np.random.default_rng(1)
    numbers = rng.integers(0, UNITS, (2, SENTENCES, WORDS))
    source, target = ([" ".join(words[number] for number in row) for row in side] for side in numbers)
    links = " ".join(f"{i}-{i}" for i in range(WORDS))
    text = native.JointText(model, source, target, [links] * SENTENCES)
    contexts, predicted = [], []
    for these, those in zip(numbers[0] + 2, numbers[1] + 2, strict=True):
        for at in range(WORDS + 1):
            history = [those[at - 1 - i] if at > i else 0 for i in range(HISTORY)]
            around = range(at - WINDOW, at + WINDOW + 1)
            contexts.append(history + [0 if i < 0 else 1 if i >= WORDS else these[i] for i in around])
            predicted.append(those[at] if at < WORDS else 1)
    return model, text, np.array(contexts), np.array(predicted)


def _forward(model: native.JointModel, contexts: Any) -> tuple[Any, Any, Any, Any]:
    source, target, weights, bias, output, output_bias = model.parameters()
    source, target = source.reshape(-1, VECTOR), target.reshape(-1, VECTOR)
    weights, output = weights.reshape(-1, HIDDEN), output.reshape(-1, HIDDEN)
    vectors = np.concatenate([target[contexts[:, :HISTORY]], source[contexts[:, HISTORY:]]], axis=1)
    vectors = vectors.reshape(len(contexts), -1)
    hidden = np.maximum(vectors @ weights + bias, 0)
    return vectors, hidden, hidden @ output.T + output_bias, (weights, output)


def _close(ours: float, theirs: float) -> None:
    assert abs(ours - theirs) < 1e-3 * max(1, abs(theirs)), (ours, theirs)


@bench("joint model, perplexity of a text over 6,000 units, all cores", peer="numpy", target=0.5)
def evaluation() -> Contest:
    model, text, contexts, predicted = _model()

    def theirs() -> float:
        scores = _forward(model, contexts)[2]
        log_sums = np.log(np.exp(scores).sum(axis=1))
        return float((scores[np.arange(len(predicted)), predicted] - log_sums).mean())

    return Contest(lambda: model.evaluate(text, 0)[0], theirs, _close, units=len(predicted), unit="words", repeat=5)


@bench("joint model, gradients of a text over 6,000 units, all cores", peer="numpy", target=0.5)
def gradients() -> Contest:
    model, text, contexts, predicted = _model()
    trainer = native.JointTrainer(model, text, batch=256, normalization=0.1, dropout=0.0, seed=1)
    rows = np.arange(len(predicted))

    def theirs() -> float:
        vectors, hidden, scores, (weights, output) = _forward(model, contexts)
        exponents = np.exp(scores)
        sums = exponents.sum(axis=1, keepdims=True)
        logs = np.log(sums)
        exponents *= (1 + 0.2 * logs) / sums
        exponents[rows, predicted] -= 1
        output_gradient = exponents.T @ hidden
        hidden_gradient = (exponents @ output) * (hidden > 0)
        weights_gradient = vectors.T @ hidden_gradient
        vectors_gradient = hidden_gradient @ weights.T
        assert len(output_gradient) + len(weights_gradient) + len(vectors_gradient)
        own = scores[rows, predicted][:, None]
        return float((logs - own + 0.1 * logs**2).sum())

    def ours() -> float:
        return trainer.gradients(model, threads=0)[0]

    return Contest(ours, theirs, _close, units=len(predicted), unit="words", repeat=5)


QUERIES = 200_000


@cache
def _queries() -> tuple[Any, ...]:
    """What search asks: histories, words and positions in a sentence, all in units."""
    rng = np.random.default_rng(2)
    source = rng.integers(2, UNITS, 2 * WORDS).astype(np.uint32)
    few = rng.integers(2, UNITS, 60)  # words that a sentence's options have
    histories = few[rng.integers(0, len(few), (QUERIES, HISTORY))].astype(np.uint32)
    words = few[rng.integers(0, len(few), QUERIES)].astype(np.uint32)
    return source, histories, words, rng.integers(0, len(source), QUERIES).astype(np.uint32)


@bench("joint model, 200,000 scores one by one as search asks for them, one thread", peer="numpy", target=1)
def queries() -> Contest:
    model = _model()[0]
    source, histories, words, positions = _queries()
    source_vectors, target_vectors, weights, bias, output, output_bias = model.parameters()
    weights, output = weights.reshape(-1, HIDDEN), output.reshape(-1, HIDDEN)
    places = weights.reshape(-1, VECTOR, HIDDEN)
    before = [target_vectors.reshape(-1, VECTOR) @ places[place] for place in range(HISTORY)]
    vectors = source_vectors.reshape(-1, VECTOR)
    around = np.arange(len(source))[:, None] + np.arange(-WINDOW, WINDOW + 1)
    inside = np.where(around < 0, 0, np.where(around >= len(source), 1, source[np.clip(around, 0, len(source) - 1)]))
    windows = vectors[inside].reshape(len(source), -1) @ weights[HISTORY * VECTOR :] + bias

    def theirs() -> Any:
        scores = np.empty(QUERIES, np.float32)
        for begin in range(0, QUERIES, 2000):  # as much as the cache holds
            part = slice(begin, begin + 2000)
            hidden = windows[positions[part]]
            for place in range(HISTORY):
                hidden += before[place][histories[part, place]]
            np.maximum(hidden, 0, out=hidden)
            scores[part] = np.einsum("ij,ij->i", hidden, output[words[part]]) + output_bias[words[part]]
        return scores

    def agree(ours: Any, other: Any) -> None:
        assert np.allclose(ours, other, atol=1e-3), np.abs(ours - other).max()

    def ours() -> Any:
        return features.joint_scores(model, source, histories, words, positions)

    return Contest(ours, theirs, agree, units=QUERIES, unit="scores", repeat=5)


@bench("joint model, training and what the machine can do, one thread")
def limits() -> dict[str, str]:
    """Numpy's products are kept to one thread, too; all is measured in turns, so that other jobs disturb all alike."""
    from threadpoolctl import threadpool_limits

    model, text, _, predicted = _model()
    trainer = native.JointTrainer(model, text, batch=256, normalization=0.1, dropout=0.2, seed=1)
    size = 1024
    square = np.random.default_rng(1).random((size, size), np.float32)
    large = np.ones(1 << 26, np.float32)
    jobs: dict[str, Callable[[], Any]] = {
        "product": lambda: square @ square,
        "sum": large.sum,
        "sampled": lambda: trainer.train_pass(0, rate=1e-6, samples=1024, threads=1),
        "exact": lambda: trainer.train_pass(0, rate=1e-6, samples=0, threads=1),
    }
    best = dict.fromkeys(jobs, math.inf)
    with threadpool_limits(1):
        for _ in range(7):
            for name, work in jobs.items():
                began = time.process_time()
                work()
                best[name] = min(best[name], time.process_time() - began)
    flops, read = size**3 / best["product"], large.nbytes / best["sum"]
    contexts = 3 * HIDDEN * (HISTORY + 2 * WINDOW + 1) * VECTOR  # multiply-adds of a word, forwards and twice backwards
    figures = {
        "multiply-adds": f"{flops / 1e9:.1f} G/s",
        "memory": f"{read / 1e9:.1f} GB/s",
        "scores at most, by multiply-adds": f"{flops / HIDDEN:,.0f}/s",
        "scores at most, all rows from memory": f"{read / (HIDDEN * 4 * (HISTORY + 2)):,.0f}/s",
    }
    for name, job, units in (("1,024 samples", "sampled", 1024), ("all 6,002 units", "exact", UNITS + 2)):
        most = flops / (contexts + 3 * HIDDEN * units)
        figures[f"training at most, {name}"] = f"{most:,.0f} words/s"
        figures[f"training, {name}"] = f"{len(predicted) / best[job]:,.0f} words/s"
    return figures


TEXTS = {
    "captions, German to English": ("multi30k", "de", "en", 300),
    "descriptions, English to French": ("debian/en-fr", "en", "fr", 1800),
}
"""Bitexts, and the seconds within which a joint model of them is to be trained."""


@bench("joint model, trained as a recipe does, all cores")
def whole_training() -> dict[str, str]:
    figures = {}
    for name, (folder, source, target, most) in TEXTS.items():
        sides = [list(read_lines(DATA / folder / f"train.{side}.gz")) for side in (source, target)]
        if folder != "multi30k":
            sides = [
                [" ".join(tokens).lower() for tokens in Tokenizer(code).tokenize(side)]
                for code, side in zip((source, target), sides, strict=True)
            ]
        aligner = ALIGNERS.get("fast")()
        aligner.train(*sides)
        links = [str(each) for each in aligner.align(*sides)]
        began = time.perf_counter()
        with tempfile.TemporaryDirectory() as scratch:
            made = fit_joint_model(sides[0], sides[1], links, Path(scratch) / "joint.bin")
        seconds = time.perf_counter() - began
        passes = sum(len(network.history) for network in made.networks)
        figures[f"{len(links):,} pairs of {name}"] = (
            f"{seconds:,.0f} s of {most:,} for {passes} passes, held-out perplexity {made.quality.perplexity:.2f}"
        )
    return figures
