"""The best tree over scored arcs, against all trees."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dragoman.annotations.spanning_tree import maximum_tree


def is_tree(heads: tuple[int, ...]) -> bool:
    for word in range(1, len(heads)):
        seen = set()
        while word > 0:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word]
    return True


@pytest.mark.parametrize("seed", range(60))
def test_it_is_the_best_of_all_trees(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 6))
    scores = random.integers(-9, 10, (size, size)).astype(float) + random.random((size, size)) / 100
    best = max(
        sum(scores[head, word] for word, head in enumerate(heads, 1))
        for heads in product(range(size), repeat=size - 1)
        if all(head != word for word, head in enumerate(heads, 1)) and is_tree((-1, *heads))
    )
    found = maximum_tree(scores)
    assert is_tree(tuple(found.tolist()))
    assert sum(scores[found[word], word] for word in range(1, size)) == pytest.approx(best)
