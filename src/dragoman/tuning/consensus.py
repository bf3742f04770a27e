"""Simple combinations of outputs, to hold the real one against: choose one output, or vote word by word.

`select` takes, for each sentence, the output that agrees best with all others, and `select_from_lists` does so with the
n-best lists of the systems: minimum Bayes risk over all that the systems find likely (Kumar and Byrne 2004).
`vote` aligns all outputs to the one nearest to the others, by edits and shifts, and takes the best path through the
columns (Rosti et al. 2007, after Fiscus 1997).
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from dragoman._native import metrics as native
from dragoman._native.common import Vocabulary
from dragoman.errors import LengthMismatch, SettingError
from dragoman.forest.mbr import gains_over_list
from dragoman.lm import NgramModel
from dragoman.metrics import get_metric
from dragoman.metrics.lexical import encode
from dragoman.settings import check_argument
from dragoman.tuning.nbest import ScoredText

__all__ = ["agreement", "confusion_network", "select", "select_from_lists", "vote"]

ROUNDED = 12
"""Decimals of a gain that count; what is equal on paper differs after that by the order of addition."""

_FLOOR = 1e-3


def _weights(outputs: Sequence[Sequence[object]], weights: Sequence[float] | None) -> list[float]:
    if not outputs:
        raise SettingError("no systems", remedy="give at least one list of outputs")
    if len({len(output) for output in outputs}) > 1:
        raise LengthMismatch("systems with different numbers of sentences")
    found = [1.0] * len(outputs) if weights is None else list(weights)
    if len(found) != len(outputs) or min(found) < 0 or not math.isfinite(sum(found)) or not sum(found):
        raise SettingError(f"weights {found} for {len(outputs)} systems", remedy="one for each, none below 0")
    return [weight / sum(found) for weight in found]


def agreement(
    outputs: Sequence[Sequence[str]],
    *,
    metric: str = "bleu+1:tokenize=none",
    weights: Sequence[float] | None = None,
    threads: int = 0,
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """For each system (rows) and sentence: how well all other systems agree with it, on average; more is better."""
    shares = _weights(outputs, weights)
    measure = get_metric(metric)
    total = np.zeros((len(outputs), len(outputs[0])))
    for other, reference in enumerate(outputs):
        prepared = measure.prepare(list(reference), threads=threads)
        for system, hypotheses in enumerate(outputs):
            if system != other:
                scores = measure.sentence_scores(hypotheses, prepared, threads=threads)
                total[system] += shares[other] * measure.sign * scores
    return total


def select(
    outputs: Sequence[Sequence[str]],
    *,
    metric: str = "bleu+1:tokenize=none",
    weights: Sequence[float] | None = None,
    threads: int = 0,
) -> list[str]:
    """For each sentence the output with which the systems agree best; the first among equals."""
    lists = [[[ScoredText(text, 0.0)] for text in output] for output in outputs]
    return select_from_lists(lists, metric=metric, weights=weights, threads=threads)


def select_from_lists(
    lists: Sequence[Sequence[Sequence[ScoredText]]],
    *,
    metric: str = "bleu+1:tokenize=none",
    scale: float = 1.0,
    weights: Sequence[float] | None = None,
    threads: int = 0,
) -> list[str]:
    """For each sentence the candidate of any system with the greatest expected gain; the first among equals.

    `lists` holds the n-best lists of each system, sentence by sentence. Those of one system are taken as all that it
    finds possible, with probabilities in proportion to exp(scale * score); systems count the same unless `weights` say
    otherwise. A system without candidates takes no part in that sentence; where none that counts has any, nothing is
    chosen.
    """
    shares = _weights(lists, weights)
    check_argument("scale", scale, float, least=0)
    measure = get_metric(metric)

    def gains(texts: list[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
        return measure.sign * measure.score_matrix(texts, texts, threads=threads)

    chosen = []
    for sentence in zip(*lists, strict=True):
        texts = [candidate.text for candidates in sentence for candidate in candidates]
        logs = np.concatenate([_log_posteriors(*pair, scale) for pair in zip(sentence, shares, strict=True)])
        if np.isfinite(logs).any():
            expected = gains_over_list(texts, logs, gains)
            chosen.append(texts[int(np.argmax(np.round(expected, ROUNDED)))])
        else:
            chosen.append("")
    return chosen


def _log_posteriors(
    candidates: Sequence[ScoredText], share: float, scale: float
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """What each candidate of a system has of the system's share."""
    scores = scale * np.array([candidate.score for candidate in candidates])
    total = np.logaddexp.reduce(scores) if len(scores) else 0.0
    return scores - total + (math.log(share) if share else -math.inf)


Column = defaultdict[str, float]
"""Votes for each word, the empty one included."""


def confusion_network(outputs: Sequence[str], weights: Sequence[float], skeleton: int) -> list[Column]:
    """The columns of one sentence: each output aligned to the skeleton, after shifting its blocks."""
    words = Vocabulary()
    lines = encode(list(outputs), words)
    against = encode([outputs[skeleton]] * len(outputs), words)
    slots: list[Column] = [defaultdict(float) for _ in outputs[skeleton].split()]
    gaps: list[list[Column]] = [[] for _ in range(len(slots) + 1)]
    total = 0.0
    for (shifted, partners), weight in zip(native.ter_alignments(lines, against), weights, strict=True):
        tokens = [words.word(word) for word in shifted]
        start = 0
        for slot, (gap, partner) in enumerate(zip(gaps, [*partners, len(tokens)], strict=True)):
            extra = tokens[start : max(start, partner)]
            while len(gap) < len(extra):
                gap.append(defaultdict(float, {"": total}))
            for place, column in enumerate(gap):
                column[extra[place] if place < len(extra) else ""] += weight
            start = max(start, partner + 1)
            if slot < len(slots):
                slots[slot][tokens[partner] if partner >= 0 else ""] += weight
        total += weight
    return [column for gap, slot in zip(gaps, [*slots, None], strict=True) for column in [*gap, slot] if column]


def vote(
    outputs: Sequence[Sequence[str]],
    *,
    weights: Sequence[float] | None = None,
    language_model: NgramModel | None = None,
    model_weight: float = 0.2,
    empty_weight: float = 0.0,
    beam: int = 20,
    threads: int = 0,
) -> list[str]:
    """The best path through the confusion network of each sentence.

    A path scores the log of the votes of its words, `model_weight` times its log probability under the language model,
    and `empty_weight` for each empty word.
    """
    shares = _weights(outputs, weights)
    near = agreement(outputs, metric="ter:case_sensitive=true", weights=weights, threads=threads).argmax(axis=0)
    texts = []
    for sentence, skeleton in enumerate(near.tolist()):
        columns = confusion_network([output[sentence] for output in outputs], shares, skeleton)
        texts.append(_best_path(columns, language_model, model_weight, empty_weight, beam))
    return texts


def _best_path(
    columns: list[Column], model: NgramModel | None, model_weight: float, empty_weight: float, beam: int
) -> str:
    stack: list[tuple[float, tuple[str, ...], Any]] = [(0.0, (), model.begin_state() if model else None)]
    for column in columns:
        found: dict[tuple[str, ...], tuple[float, tuple[str, ...], Any]] = {}
        for score, words, state in stack:
            for word, votes in sorted(column.items()):
                gain, after = math.log(max(votes, _FLOOR)), state
                if not word:
                    gain += empty_weight
                elif model:
                    logprob, after = model.step(state, word)
                    gain += model_weight * logprob
                path = (*words, word) if word else words
                if path not in found or found[path][0] < score + gain:
                    found[path] = (score + gain, path, after)
        stack = heapq.nsmallest(beam, found.values(), key=lambda item: (-item[0], len(item[1]), item[1]))
    if model:
        stack = [(score + model_weight * model.finish(state), words, state) for score, words, state in stack]
    return " ".join(min(stack, key=lambda item: (-item[0], len(item[1]), item[1]))[1])
