"""Alignment: worked examples, searches against brute force, sampling, learning."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from dragoman.annotations import Sentence
from dragoman.annotations.graphs import DependencyGraph
from dragoman.entailment.alignment_search import (
    AlignmentProblem,
    EdgeScores,
    align,
    anneal,
    beam,
    climb,
    exhaustive,
    gibbs_chain,
    greedy,
)
from dragoman.entailment.entailer import Entailer
from dragoman.entailment.graph_alignment import HandScorer, ScoreSettings, align_graphs, word_table
from dragoman.entailment.learned_alignment import (
    AlignmentExample,
    LearnedScorer,
    learn_alignment,
    score_alignments,
    update,
)
from dragoman.entailment.pairs import AnnotatedPair
from dragoman.entailment.word_relations import ComparedWord, WordRelations
from dragoman.errors import InputError, UnknownName
from dragoman.seeds import stream


def sales(verb: str, lemma: str) -> DependencyGraph:
    return DependencyGraph.of(
        [Sentence.of(["sales", verb], lemmas=["sale", lemma], pos=["NOUN", "VERB"],
                     dependencies=([1, -1], ["nsubj", "root"]))]
    )  # fmt: skip


@pytest.mark.slow
def test_opposites_are_aligned(words: WordRelations) -> None:
    """MacCartney et al. (2006): what is aligned is what the sentences speak of; whether it agrees is seen later."""
    rose, fell = sales("rose", "rise"), sales("fell", "fall")
    found = align_graphs(rose, fell, words)
    assert found.choice == (0, 1)
    assert found.score == pytest.approx(math.log(0.95), abs=1e-4)
    assert found.mean == pytest.approx(-0.0256, abs=1e-4)
    assert found.relation(1).kind == "antonym"
    problem = HandScorer().problem(rose, fell, word_table(rose, fell, words))
    assert problem.score((0, 2)) == pytest.approx(-3.4957, abs=1e-4)
    polar = [list(row) for row in word_table(rose, fell, words)]
    polar[1][1] = polar[1][1]._replace(similarity=0.0)
    assert align(HandScorer().problem(rose, fell, polar), "exhaustive") == (0, 2), "else the contradiction is lost"


def random_problem(number: int, nodes: int, places: int) -> AlignmentProblem:
    random = stream(1, "problem", number)
    edges = tuple(
        EdgeScores(int(random.integers(node)), node, random.normal(size=(places + 1, places + 1)))
        for node in range(1, nodes)
    )
    return AlignmentProblem(random.normal(size=(nodes, places + 1)), edges, (True,) * nodes)


def test_an_unlimited_beam_is_exhaustive_and_wider_is_never_worse() -> None:
    for number in range(60):
        problem = random_problem(number, 1 + number % 4, 2 + number % 5)
        best = problem.score(exhaustive(problem))
        assert problem.score(beam(problem, width=20_000, candidates=99)) == pytest.approx(best)
        for found in (greedy(problem), climb(problem), beam(problem), anneal(problem, sweeps=20, restarts=1)):
            assert problem.score(found) <= best + 1e-9
    with pytest.raises(InputError, match="too many"):
        exhaustive(random_problem(1, 12, 9))
    with pytest.raises(UnknownName, match="beam"):
        align(random_problem(1, 2, 2), "hope")


@pytest.mark.slow
def test_annealing_finds_the_best_and_never_less_than_its_start() -> None:
    found = 0
    for number in range(20):
        problem = random_problem(number, 4, 9)
        choice = anneal(problem, number, restarts=3)
        assert problem.score(choice) >= problem.score(greedy(problem))
        assert choice == anneal(problem, number, restarts=3), "the seed decides"
        found += problem.score(choice) > problem.score(exhaustive(problem)) - 1e-9
    assert found >= 19


def test_the_sampler_draws_from_the_scores() -> None:
    problem = random_problem(7, 2, 1)
    every = list(product(range(2), repeat=2))
    weights = np.exp([problem.score(choice) for choice in every])
    drawn = dict.fromkeys(every, 0)
    for choice in gibbs_chain(problem, (0, 0), iter([1.0] * 8000), stream(1, "chain")):
        drawn[tuple(int(place) for place in choice)] += 1
    shares = np.array([drawn[choice] for choice in every]) / 8000
    assert np.abs(shares - weights / weights.sum()).max() < 0.02


def test_gibbs_worked() -> None:
    """Scores 2, 1, -0.5 at temperatures 1, 4 and 1/4."""
    for temperature, expected in (
        (1, (0.6897, 0.2537, 0.0566)),
        (4, (0.4321, 0.3366, 0.2313)),
        (0.25, (0.982, 0.018, 0)),
    ):
        problem = AlignmentProblem(np.array([[2.0, 1.0, -0.5]]), (), (True,))
        counts = np.zeros(3)
        for choice in gibbs_chain(problem, (0,), iter([float(temperature)] * 6000), stream(2, str(temperature))):
            counts[choice[0]] += 1
        assert np.abs(counts / 6000 - expected).max() < 0.025


def test_updates_worked() -> None:
    weights = {"a": 0.5, "b": -0.2, "c": 0.1}
    difference = {"a": 1.0, "c": -2.0}
    free = update(weights, difference, loss=1, step="mira", cap=math.inf)
    moved = {name: weights[name] + free.get(name, 0.0) for name in weights}
    assert moved == pytest.approx({"a": 0.64, "b": -0.2, "c": -0.18})
    assert moved["a"] - 2 * moved["c"] == pytest.approx(1.0)
    assert update(weights, difference, loss=1, step="mira", cap=0.1) == pytest.approx({"a": 0.1, "c": -0.2})
    assert update(weights, difference, loss=1, step="perceptron") == {"a": 1.0, "c": -2.0}
    assert update(weights, {}, loss=0, step="mira") == {}


@pytest.mark.slow
@pytest.mark.parametrize("step", ["mira", "perceptron"])
def test_learning_beats_hand_set_values_on_pairs_it_has_not_seen(
    entailer: Entailer, phenomena: list[AnnotatedPair], step: str
) -> None:
    """Gold by another principle, words aligned with what stands at the same place, which hand-set values ignore."""
    examples = []
    for pair in phenomena[:60]:
        hypothesis, text = entailer.graph([pair.hypothesis]), entailer.graph(pair.text)
        words = word_table(hypothesis, text, entailer.relations)
        gold = tuple(frozenset([node]) if node < len(text) else frozenset[int]() for node in range(len(hypothesis)))
        examples.append(AlignmentExample(hypothesis, text, words, gold))
    seen, unseen = examples[:40], examples[40:]
    passes = []
    scorer = learn_alignment(seen, step=step, passes=3, search="greedy", after_pass=lambda n, _: passes.append(n))
    by_hand = [align_graphs(e.hypothesis, e.text, entailer.relations).choice for e in unseen]
    learned = [align_graphs(e.hypothesis, e.text, entailer.relations, scorer=scorer).choice for e in unseen]
    assert score_alignments(unseen, learned).accuracy > score_alignments(unseen, by_hand).accuracy
    assert passes == [1, 2, 3]
    assert LearnedScorer.from_dict(scorer.to_dict()).weights == scorer.to_dict()


@pytest.mark.slow
def test_features_times_weights_are_the_score(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    random = stream(3, "weights")
    for pair in phenomena[:20]:
        hypothesis, text = entailer.graph([pair.hypothesis]), entailer.graph(pair.text)
        words = word_table(hypothesis, text, entailer.relations)
        choice = tuple(int(place) for place in random.integers(len(text) + 1, size=len(hypothesis)))
        names = LearnedScorer({}).features(hypothesis, text, words, choice)
        scorer = LearnedScorer({name: float(random.normal()) for name in names})
        expected = sum(scorer.weights[name] * count for name, count in names.items())
        assert scorer.problem(hypothesis, text, words).score(choice) == pytest.approx(expected)


def test_the_same_sentence_is_aligned_with_itself(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    for pair in phenomena[:40]:
        graph = entailer.graph([pair.hypothesis])
        found = align_graphs(graph, graph, entailer.relations)
        assert found.score == pytest.approx(0.0)
        assert all(graph.nodes[place].word.lower() == graph.nodes[node].word.lower() for node, place in found.links)
        tokens = found.tokens()
        assert all(match.score == 1.0 for match in tokens)


def test_word_relations(words: WordRelations) -> None:
    def kind(first: str, second: str, pos: str = "NOUN") -> str:
        return words.of(ComparedWord(first, first, pos), ComparedWord(second, second, pos)).kind

    assert kind("car", "automobile") == "synonym"
    assert kind("dog", "poodle") == "hyponym"
    assert kind("poodle", "dog") == "hypernym"
    assert kind("rise", "fall", "VERB") == "antonym"
    assert kind("hot", "cold", "ADJ") == "antonym"
    assert kind("two", "three", "NUM") == "number"
    assert kind("2", "two", "NUM") == "same"
    assert kind("sang", "sing", "VERB") == "same"
    assert kind("france", "paris", "PROPN") == "part"
    assert kind("hill", "peter hill", "PROPN") == "name"
    assert kind("uno", "united nations organization", "PROPN") in ("synonym", "name")
    assert kind("tea", "green tea") == "hyponym"
    assert words.of(ComparedWord("he", "he", "PRON"), ComparedWord("painter", "painter", "NOUN")).kind == "pronoun"
    assert words.of(ComparedWord("move", "move", "VERB"), ComparedWord("motion", "motion", "NOUN")).kind == "derived"


def test_settings_are_checked() -> None:
    assert ScoreSettings(unaligned=0.1).unaligned == 0.1


def test_learned_alignment_beats_the_hand_set_one_on_links_by_hand(
    entailer: Entailer, phenomena: list[AnnotatedPair]
) -> None:
    """On each half of the suite's gold links, weights learned from the other half."""
    linked = [pair for pair in phenomena if pair.gold]
    assert len(linked) > 100
    counts = {"hand": [0, 0], "learned": [0, 0]}
    for half, other in ((linked[::2], linked[1::2]), (linked[1::2], linked[::2])):
        examples = [entailer.alignment_example(pair) for pair in half]
        learned = entailer.with_learned_alignment(other, passes=3)
        for name, judge in (("hand", entailer), ("learned", learned)):
            found = score_alignments(examples, [judge.align(pair).choice for pair in half])
            counts[name][0] += found.right_words
            counts[name][1] += found.right_pairs
    assert counts["learned"][0] > counts["hand"][0]
    assert counts["learned"][1] > counts["hand"][1]
    with pytest.raises(InputError, match="outside"):
        entailer.alignment_example(replace(linked[0], gold="0-99"))
