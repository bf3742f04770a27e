"""The joint model in numpy, from its definition and in double precision: what native code must agree with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dragoman._native import neural as native
from dragoman.neural.joint_model import JointModel

__all__ = ["affiliated", "contexts_of", "hidden_layer", "network_score", "slopes", "training_loss"]

Array = NDArray[np.float64]

START, END = 0, 1


def affiliated(links: Sequence[tuple[int, int]], length: int) -> list[int]:
    """The source position of each target word: middle link, else that of the nearest linked word, right before left."""
    linked = {j: sorted(i for i, k in links if k == j) for j in range(length)}
    middle = {j: found[(len(found) - 1) // 2] for j, found in linked.items() if found}
    nearest = [min(((abs(k - j), k < j, k) for k in middle), default=None) for j in range(length)]
    return [middle[near[2]] if near else 0 for near in nearest]


def contexts_of(
    model: native.JointModel, source: Sequence[str], target: Sequence[str], links: Sequence[str]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The units that each target word and sentence end is predicted from, and its own; links as in Pharaoh files."""
    contexts, words = [], []
    for ours, theirs, linked in zip(source, target, links, strict=True):
        units = [model.source_unit(word) for word in ours.split()]
        said = [model.target_unit(word)[0] for word in theirs.split()] + [END]
        pairs = [(int(i), int(j)) for i, _, j in (link.partition("-") for link in linked.split())]
        centres = [*affiliated(pairs, len(said) - 1), len(units)]
        for at, (word, centre) in enumerate(zip(said, centres, strict=True)):
            history = [said[at - 1 - i] if at > i else START for i in range(model.history)]
            around = range(centre - model.window, centre + model.window + 1)
            contexts.append(history + [START if i < 0 else END if i >= len(units) else units[i] for i in around])
            words.append(word)
    return np.array(contexts, np.uint32), np.array(words, np.uint32)


def hidden_layer(
    model: native.JointModel, parameters: Sequence[Array], contexts: NDArray[np.uint32]
) -> tuple[Array, Array]:
    """Vectors of contexts, and what the rectified units make of them."""
    source_vectors, target_vectors = (parameters[side].reshape(-1, model.vector) for side in (0, 1))
    history, window = contexts[:, : model.history], contexts[:, model.history :]
    vectors = np.concatenate([target_vectors[history], source_vectors[window]], axis=1).reshape(len(contexts), -1)
    return vectors, np.maximum(vectors @ parameters[2].reshape(-1, model.hidden) + parameters[3], 0)


def training_loss(
    model: native.JointModel,
    parameters: Sequence[Array],
    contexts: NDArray[np.uint32],
    words: NDArray[np.uint32],
    *,
    normalization: float,
    samples: Sequence[int] = (),
) -> float:
    """What training makes small, without dropout.

    The sum over all words is exact, or estimated from samples, each standing for as many words as it is rarer than one
    in a draw (Bengio and Senecal 2008); a word itself is in its sum once, and never as a sample.
    """
    _, hidden = hidden_layer(model, parameters, contexts)
    scores = hidden @ parameters[4].reshape(-1, model.hidden).T + parameters[5]
    own = scores[np.arange(len(words)), words]
    if len(samples):
        drawn = (np.bincount(words, minlength=model.target_units) + 0.1) ** 0.75
        expected = len(samples) * drawn / drawn.sum()
        others = np.exp(scores[:, samples]) / expected[samples] * (np.array(samples)[None, :] != words[:, None])
        sums = np.exp(own) + others.sum(axis=1)
    else:
        sums = np.exp(scores).sum(axis=1)
    return float((np.log(sums) - own + normalization * np.log(sums) ** 2).sum())


def slopes(loss: Callable[[Sequence[Array]], float], parameters: Sequence[Array], part: int) -> Array:
    """How a loss changes with each number of a part, by steps to both sides."""
    step = 1e-6
    found = np.empty(parameters[part].size)
    for place in range(found.size):
        losses = []
        for sign in (step, -step):
            changed = list(parameters)
            changed[part] = changed[part].copy()
            changed[part].flat[place] += sign
            losses.append(loss(changed))
        found[place] = (losses[0] - losses[1]) / (2 * step)
    return found


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
