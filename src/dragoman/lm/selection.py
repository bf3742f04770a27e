"""Data selection by cross-entropy: lines that a model of the domain likes better than a model of the corpus does.

A line is scored by the difference of its cross-entropies, in nats a token, under a model of a random part of the corpus
and under one of the domain; the two models are estimated from as many lines and know the same words, those seen twice
in the domain (Moore and Lewis 2010). Each line stands for itself: what is chosen is like the domain, but may say the
same thing over and over. `dragoman.text.selection` has the method that looks at what was chosen already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from dragoman.errors import InputError
from dragoman.lm.estimate import estimate
from dragoman.progress import Progress, ProgressCallback
from dragoman.registry import Registry
from dragoman.seeds import stream
from dragoman.text.selection import LineSelection, check_selection

__all__ = ["SELECTORS", "select_by_cross_entropy"]

SELECTORS = Registry[Any](
    "selector",
    {
        "cross-entropy": "dragoman.lm.selection:select_by_cross_entropy",
        "feature-decay": "dragoman.text.selection:select_lines",
    },
)
"""Ways to select data: functions of a corpus and a text of the domain, with `size`, `order`, `threads`, `progress`."""


def select_by_cross_entropy(
    corpus: Iterable[str],
    domain: Iterable[str],
    *,
    size: int,
    order: int = 4,
    seed: int = 1,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> LineSelection:
    """Choose lines that a model of the domain likes better than one of the corpus does (Moore and Lewis 2010).

    `size` lines of a tokenised corpus are chosen, all if it has no more. The models are of the given `order`.
    """
    lines, wanted = list(corpus), list(domain)
    check_selection(wanted, size)
    if not lines:
        raise InputError("nothing to choose from: the corpus has no lines")
    report = progress or (lambda _: None)
    counts = Counter(word for line in wanted for word in line.split())
    known = sorted(word for word, count in counts.items() if count > 1) or sorted(counts)
    rng = stream(seed, "cross-entropy")
    sample = np.sort(rng.choice(len(lines), min(len(lines), len(wanted)), replace=False)).tolist()
    tokens = np.array([len(line.split()) for line in lines])
    differences = np.zeros(len(lines))
    for done, (sign, text) in enumerate([(1.0, wanted), (-1.0, [lines[at] for at in sample])]):
        report(Progress("scoring", done, 2))
        model = estimate(text, order=order, vocabulary=known, skip_special=True, threads=threads).build()
        differences += sign * model.score(lines, threads=threads) / (tokens + 1)
    report(Progress("scoring", 2, 2))
    differences[tokens == 0] = -np.inf
    best = np.argsort(-differences, kind="stable")[:size]
    return LineSelection(tuple(best.tolist()), tuple(differences[best].tolist()), len(lines), len(wanted))
