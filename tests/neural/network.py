"""The joint model in numpy, from its definition: what native code must agree with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dragoman.neural.joint_model import JointModel

__all__ = ["affiliated", "network_score"]

START, END = 0, 1


def affiliated(links: Sequence[tuple[int, int]], length: int) -> list[int]:
    """The source position of each target word: middle link, else that of the nearest linked word, right before left."""
    linked = {j: sorted(i for i, k in links if k == j) for j in range(length)}
    middle = {j: found[(len(found) - 1) // 2] for j, found in linked.items() if found}
    nearest = [min(((abs(k - j), k < j, k) for k in middle), default=None) for j in range(length)]
    return [middle[near[2]] if near else 0 for near in nearest]


def network_score(model: JointModel, source: Sequence[str], target: Sequence[str], positions: Sequence[int]) -> float:
    """The score of a target sentence whose words are affiliated with these positions."""
    native = model.native
    source_vectors, target_vectors, weights, bias, output, output_bias = native.parameters()
    source_vectors = source_vectors.reshape(-1, native.vector)
    target_vectors = target_vectors.reshape(-1, native.vector)
    weights, output = weights.reshape(-1, native.hidden), output.reshape(-1, native.hidden)
    units = [native.source_unit(word) for word in source]
    words = [native.target_unit(word) for word in target] + [(END, 0.0)]
    total = 0.0
    for at, (unit, share) in enumerate(words):
        history = [words[at - 1 - i][0] if at > i else START for i in range(native.history)]
        centre = positions[at] if at < len(target) else len(source)
        around = range(centre - native.window, centre + native.window + 1)
        window = [START if i < 0 else END if i >= len(source) else units[i] for i in around]
        context = np.concatenate([*(target_vectors[u] for u in history), *(source_vectors[u] for u in window)])
        hidden = np.maximum(context.astype(np.float64) @ weights + bias, 0)
        total += float(hidden @ output[unit] + output_bias[unit]) + share
    return total
