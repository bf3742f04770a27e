"""Made-up n-best lists: random ones, and ones whose best weights are known."""

from __future__ import annotations

import numpy as np

from dragoman.metrics.base import Floats
from dragoman.tuning.dev import DevSet
from dragoman.tuning.nbest import NBestPool

WORDS = ["a", "b", "c", "d", "e", "f", "g", "h"]


def random_pool(
    seed: int,
    *,
    sentences: int = 12,
    candidates: int = 10,
    features: int = 4,
    integers: bool = False,
    metric: str = "bleu",
) -> NBestPool:
    """Random texts with random features; `integers` makes many ties."""
    rng = np.random.default_rng(seed)
    references = [" ".join(rng.choice(WORDS, rng.integers(4, 9))) for _ in range(sentences)]
    pool = NBestPool(DevSet.of(["x"] * sentences, references, metric))
    items = []
    for sentence, reference in enumerate(references):
        for _ in range(candidates):
            words = reference.split()
            for _ in range(rng.integers(0, 5)):
                words[rng.integers(len(words))] = str(rng.choice(WORDS))
            values = rng.integers(-2, 3, features) if integers else rng.normal(size=features)
            items.append((sentence, " ".join(words), {f"f{i}": float(v) for i, v in enumerate(values)}))
    pool.add(items)
    return pool


def solvable_pool(
    seed: int, *, sentences: int = 10, candidates: int = 6, features: int = 3, metric: str = "bleu"
) -> tuple[NBestPool, Floats]:
    """Lists in which hidden weights, and all near them, rank the reference first everywhere."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=features)
    hidden /= np.abs(hidden).sum()
    references = [" ".join(rng.choice(WORDS, 7)) for _ in range(sentences)]
    pool = NBestPool(DevSet.of(["x"] * sentences, references, metric))
    items = []
    for sentence, reference in enumerate(references):
        values = rng.normal(size=(candidates, features))
        scores = values @ hidden
        best = int(scores.argmax())
        values[best] += hidden  # a margin
        for place, row in enumerate(values):
            words = reference.split()
            if place != best:
                for at in rng.choice(7, 4, replace=False):
                    words[at] = "z"
            items.append((sentence, " ".join(words), {f"f{i}": float(v) for i, v in enumerate(row)}))
    pool.add(items)
    return pool, pool.vector({f"f{i}": float(v) for i, v in enumerate(hidden)})
