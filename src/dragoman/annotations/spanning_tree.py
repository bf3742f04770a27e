"""The best tree over scored arcs: each word has one head, nothing runs in a circle, the sum of scores is the highest.

Taking the best head of every word may leave circles; one is drawn together to a single word, the smaller problem is
solved, and the circle is broken where that is cheapest (Chu and Liu 1965; Edmonds 1967).

    >>> import numpy as np
    >>> scores = np.array([[0, 1.0, 1.0], [0, 0, 9.0], [0, 9.0, 0]])  # two words that want each other
    >>> maximum_tree(scores).tolist()
    [-1, 0, 1]
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["maximum_tree"]


def maximum_tree(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Heads of all words; `scores[head, word]`, where number 0 is the root, which has the head -1."""
    arcs = np.array(scores, dtype=np.float64)
    np.fill_diagonal(arcs, -np.inf)
    heads: NDArray[np.int64] = arcs.argmax(axis=0)
    heads[0] = -1
    circle = _circle(heads)
    if not circle:
        return heads
    outside = [word for word in range(len(arcs)) if word not in circle]
    one = len(outside)  # the number of the circle in the smaller problem
    smaller = np.full((one + 1, one + 1), -np.inf)
    smaller[:one, :one] = arcs[np.ix_(outside, outside)]
    own = np.array([arcs[heads[word], word] for word in circle])
    into = arcs[np.ix_(outside, circle)] - own
    smaller[:one, one] = own.sum() + into.max(axis=1)
    out_of = arcs[np.ix_(circle, outside)]
    smaller[one, 1:one] = out_of.max(axis=0)[1:]
    solved = maximum_tree(smaller)
    for number, word in enumerate(outside[1:], 1):
        head = solved[number]
        heads[word] = circle[int(out_of[:, number].argmax())] if head == one else outside[head]
    above = int(solved[one])
    heads[circle[int(into[above].argmax())]] = outside[above]
    return heads


def _circle(heads: NDArray[np.int64]) -> list[int]:
    """The words of a circle, if there is one."""
    done: set[int] = set()
    for start in range(1, len(heads)):
        path: list[int] = []
        word = start
        while word > 0 and word not in done and word not in path:
            path.append(word)
            word = int(heads[word])
        if word in path:
            return path[path.index(word) :]
        done.update(path)
    return []
