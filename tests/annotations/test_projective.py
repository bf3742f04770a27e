"""Trees without crossing arcs: by another order of words, or by lifting arcs."""

from __future__ import annotations

from random import Random

import pytest

from dragoman.annotations import Dependencies
from dragoman.annotations.projective import in_order, is_projective, joined, lifted, moved_links, reordered
from dragoman.errors import InputError


def random_tree(random: Random, size: int) -> Dependencies:
    order = random.sample(range(size), size)
    heads = [-1] * size
    for place, word in enumerate(order[1:], 1):
        heads[word] = order[random.randrange(place)]
    return Dependencies(tuple(heads), tuple(f"d{word}" for word in range(size)))


def projective_by_definition(tree: Dependencies) -> bool:
    """Every word strictly between a word and its head hangs, directly or not, on that head."""
    return all(
        between in tree.subtree(head)
        for word, head in enumerate(tree.heads)
        if head >= 0
        for between in range(min(word, head) + 1, max(word, head))
    )


def test_when_did_the_crisis_begin() -> None:
    """Graham (2013): the arc from `begin` to `when` spans words that do not hang on `begin`."""
    tree = Dependencies((4, -1, 3, 1, 1, 1), ("x",) * 6)
    assert not is_projective(tree)
    order = in_order(tree)
    assert order == (1, 2, 3, 0, 4, 5)
    assert reordered(tree, order).heads == (-1, 2, 0, 4, 0, 0)
    assert moved_links([(0, 7)], order) == ((3, 7),)
    assert moved_links([(7, 0), (1, 4)], order, side=1) == ((1, 4), (7, 3))


@pytest.mark.parametrize("seed", range(60))
def test_order_and_lifting_leave_projective_trees(seed: int) -> None:
    random = Random(seed)
    tree = random_tree(random, random.randint(1, 9))
    assert is_projective(tree) == projective_by_definition(tree)
    order = in_order(tree)
    assert sorted(order) == list(range(len(tree)))
    moved = reordered(tree, order)
    assert projective_by_definition(moved)
    arcs = {(word, tree.heads[word]) for word in range(len(tree))}
    assert arcs == {(order[word], order[head] if head >= 0 else -1) for word, head in enumerate(moved.heads)}
    assert moved.labels == tuple(tree.labels[word] for word in order)
    raised = lifted(tree)
    assert projective_by_definition(raised)
    assert raised.labels == tree.labels
    if is_projective(tree):
        assert (moved, raised) == (tree, tree)


def test_sentences_of_one_line_become_one_tree() -> None:
    first, second = Dependencies((1, -1), ("a", "root")), Dependencies((-1, 0, 0), ("root", "b", "c"))
    assert joined([first, second]).heads == (1, -1, 1, 2, 2)


def test_an_order_of_other_words_is_refused() -> None:
    with pytest.raises(InputError, match="an order of 2 words for a tree of 3"):
        reordered(Dependencies((1, -1, 1), ("x",) * 3), [0, 1])
