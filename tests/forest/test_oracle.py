from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import InputError, SettingError
from dragoman.forest import Forest, ForestBuilder
from dragoman.forest.oracle import best_by, bleu_oracle, sentence_bleu
from tests import brute_force
from tests.strategies import small_forests

texts = st.lists(st.sampled_from("abcde"), max_size=8)


@pytest.mark.slow
@given(texts, st.lists(texts, min_size=1, max_size=3))
def test_sentence_bleu(hypothesis: list[str], references: list[list[str]]) -> None:
    assert sentence_bleu(hypothesis, references) == pytest.approx(brute_force.sentence_bleu(hypothesis, references))


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("the cat sat on mat", "the cat sat on the mat", 0.651113),
        ("the cat sat", "the cat sat down", 0.716531),
        ("the cat sat on the mat", "the cat sat on a mat", (5 / 6 * 4 / 6 * 3 / 5 * 2 / 4) ** 0.25),
    ],
)
def test_sentence_bleu_worked_examples(hypothesis: str, reference: str, expected: float) -> None:
    assert sentence_bleu(hypothesis, [reference]) == pytest.approx(expected, abs=1e-6)


@given(small_forests(max_derivations=100), st.lists(texts, min_size=1, max_size=2))
def test_a_wide_beam_finds_the_best(forest: Forest, references: list[list[str]]) -> None:
    """With room for every partial target the search is exhaustive."""
    trees = brute_force.derivations(forest)
    if not trees:
        return
    gains = [brute_force.sentence_bleu(tree.target, references) for tree in trees]
    found = bleu_oracle(forest, references, beam=10_000, k=0)
    assert found.gain == pytest.approx(max(gains))
    assert found.gain == pytest.approx(brute_force.sentence_bleu(found.derivation.target, references))


@given(small_forests(max_derivations=200), st.lists(texts, min_size=1, max_size=2), st.integers(1, 5))
def test_never_worse_than_the_k_best(forest: Forest, references: list[list[str]], k: int) -> None:
    if not forest:
        return
    listed = best_by(forest, lambda d: brute_force.sentence_bleu(d.target, references), k=k)
    found = bleu_oracle(forest, references, beam=1, k=k)
    assert found.gain >= listed.gain - 1e-12
    assert found.gain == pytest.approx(brute_force.sentence_bleu(found.derivation.target, references))


def test_the_search_sees_beyond_the_k_best() -> None:
    """The reference needs every choice against the model: it is the last of 2^12 derivations."""
    build = ForestBuilder()
    nodes = [build.add_node() for _ in range(13)]
    build.add_edge(nodes[0], [])
    for number in range(12):
        build.add_edge(nodes[number + 1], [0, f"w{number}"], [nodes[number]], score=-1.0)
        build.add_edge(nodes[number + 1], [0, "junk"], [nodes[number]], score=0.0)
    forest = build.finish(nodes[12])
    found = bleu_oracle(forest, [" ".join(f"w{number}" for number in range(12))], beam=5, k=10)
    assert found.gain == 1.0
    assert found.derivation.score == -12.0


def test_of_equal_gains_the_better_score_wins() -> None:
    build = ForestBuilder()
    goal = build.add_node()
    for score in (-2.0, -1.0, -3.0):
        build.add_edge(goal, "a b", score=score)
    assert bleu_oracle(build.finish(goal), ["a b"], k=0).derivation.score == -1.0


def test_mistakes_are_refused() -> None:
    build = ForestBuilder()
    goal = build.add_node()
    build.add_edge(goal, "a b")
    forest = build.finish(goal)
    with pytest.raises(InputError, match="no reference"):
        bleu_oracle(forest, [])
    with pytest.raises(SettingError, match="beam"):
        bleu_oracle(forest, ["a"], beam=0)
    with pytest.raises(InputError, match="no derivation"):
        bleu_oracle(build.finish(build.add_node()), ["a"])
