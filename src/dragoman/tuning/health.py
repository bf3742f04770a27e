"""Signs that weights have gone wrong, in words.

A tuner that degenerates still reports a number; what gives it away are weights that no working system has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["ill_signs"]

DOMINANT = 0.9
"""A dense feature with more than this share of all absolute weights hardly leaves the others a say."""
EXPLODED = 1000.0
"""Weights that grew by more than this factor are running away."""
LENGTHS = (0.75, 1.3)
"""Output shorter or longer than this, in words per reference word, is a metric being gamed or a penalty gone wrong."""


def ill_signs(
    weights: Mapping[str, float],
    *,
    dense: Iterable[str],
    start: Mapping[str, float] | None = None,
    length_ratio: float = 1.0,
) -> list[str]:
    """What looks wrong with weights, a sentence each; `dense` are the features that every sentence has.

    >>> ill_signs({"lm": -0.5, "phrase.ts": 0.2}, dense=["lm", "phrase.ts"])
    ['the weight of the language model lm is negative (-0.5): fluent output is being punished']
    """
    signs: list[str] = []
    total = sum(abs(value) for value in weights.values())
    if total == 0:
        return ["all weights are zero: every translation scores the same"]
    for name in weights:
        if (name == "lm" or name.startswith("lm.")) and weights[name] < 0:
            value = weights[name]
            signs.append(
                f"the weight of the language model {name} is negative ({value:.3g}): fluent output is being punished"
            )
    shares = {name: abs(weights.get(name, 0.0)) for name in dense}
    among = sum(shares.values())
    if len(shares) > 2 and among > 0:
        largest = max(shares, key=lambda name: shares[name])
        if shares[largest] > DOMINANT * among:
            signs.append(f"the feature {largest} has {shares[largest] / among:.0%} of the weight of all dense features")
    if start:
        before, now = max(map(abs, start.values()), default=0.0), max(map(abs, weights.values()))
        if before > 0 and now > EXPLODED * before:
            signs.append(f"weights grew {now / before:.0f}-fold: the tuner is running away")
    if length_ratio < LENGTHS[0]:
        signs.append(f"the output has only {length_ratio:.2f} words per reference word")
    elif length_ratio > LENGTHS[1]:
        signs.append(f"the output has {length_ratio:.2f} words per reference word")
    return signs
