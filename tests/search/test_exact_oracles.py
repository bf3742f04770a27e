"""What exact search refines, rebuilt from scratch by the contexts that it told apart; and its answers by OpenFst."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dragoman.features.language_model import LanguageModel
from dragoman.forest import Forest
from dragoman.search.certificate import Certificate
from dragoman.search.certified_models import CertifiedModels, Words
from dragoman.search.exact import bounded_models, optimize_forest, sample_forest
from dragoman.search.settings import ExactSettings, SampleSettings
from tests.peers import peer
from tests.search.exact_instances import Choice, Instance, random_instance, worked_example
from tests.search.test_exact import LITERAL
from tests.search.test_exact_forest import LITERAL as FOREST_LITERAL
from tests.search.test_exact_forest import random_problem

BEGIN, END = "<s>", "</s>"
Place = tuple[frozenset[int], int]
Node = tuple[Place, Words]


class Graph:
    """The bound of a set of contexts, place by place: each step leads to the longest context that it ends in."""

    def __init__(self, instance: Instance, certificate: Certificate) -> None:
        self.instance = instance
        self.length = len(instance.source.split())
        self.models = CertifiedModels(certificate.language_models, instance.decoder.language_models, None)
        self.known: defaultdict[Place, set[Words]] = defaultdict(set)
        for covered, end, words in certificate.contexts:
            self.known[frozenset(covered), end].add(words)
        self.start: Node = (frozenset(), 0), (BEGIN,)

    def _jump(self, start: int, end: int) -> float:
        return self.instance.decoder.weights["distortion"] * abs(start - end)

    def steps(self, node: Node) -> Iterator[tuple[Choice, Node, float]]:
        (covered, end), context = node
        limit = self.instance.decoder.settings.distortion_limit
        gap = min(set(range(self.length)) - covered)
        for each in self.instance.choices:
            inside = frozenset(range(each.start, each.end))
            far = abs(each.start - end) > limit or each.end - gap > limit
            if inside & covered or (limit >= 0 and each.start != gap and far):
                continue
            after = covered | inside, each.end
            said = (*context, *each.target)
            known = next((said[at:] for at in range(len(said)) if said[at:] in self.known[after]), ())
            score = each.score - self._jump(each.start, end) + self.models.most(context, each.target)
            yield each, (after, known), score

    def finish(self, node: Node) -> float:
        (_, end), context = node
        last = self._jump(self.length, end) if self.instance.decoder.settings.final_jump else 0.0
        return self.models.most(context, (END,)) - last

    def promised(self, steps: tuple[Choice, ...]) -> float:
        """What the bound says of a derivation."""
        node, total = self.start, 0.0
        for wanted in steps:
            _, node, score = next(step for step in self.steps(node) if step[0] is wanted)
            total += score
        return total + self.finish(node)

    def sizes(self) -> tuple[int, int, int, float]:
        """Nodes and edges on some path to the end, the goal included; paths; the best of them."""
        found: dict[Node, tuple[int, float]] = {}
        edges = 0

        def below(node: Node) -> tuple[int, float]:
            nonlocal edges
            if node not in found:
                if len(node[0][0]) == self.length:
                    edges += 1
                    found[node] = 1, self.finish(node)
                else:
                    rows = [(below(head), score) for _, head, score in self.steps(node)]
                    live = [(paths, score + best) for (paths, best), score in rows if paths]
                    edges += len(live)
                    found[node] = sum(paths for paths, _ in live), max((best for _, best in live), default=-math.inf)
            return found[node]

        paths, best = below(self.start)
        return sum(1 for count, _ in found.values() if count) + 1, edges, paths, best


def _proof(instance: Instance, steps: int) -> tuple[Graph, list[float]]:
    """The graph after so many refinements, and what native search says of it."""
    proof = instance.decoder.optimize([instance.source], replace(LITERAL, iterations=steps))[0].proof
    assert proof is not None
    certificate = proof.certificate
    assert isinstance(certificate, Certificate)
    last = proof.trace[-1]
    return Graph(instance, certificate), [last.nodes, last.edges, last.bound]


@pytest.mark.slow
def test_refined_graphs(tmp_path: Path) -> None:
    """At every step: the graph of its contexts has the same size and the same best path, and as many derivations as at
    first; it never puts a derivation below its score, or above what it said before."""
    refined = 0
    for seed in range(120):
        instance = worked_example(tmp_path) if seed == 0 else random_instance(seed, tmp_path)
        derivations = list(instance.derivations())
        if len(derivations) > 400:
            continue
        whole = instance.decoder.optimize([instance.source], LITERAL)[0].proof
        assert whole is not None
        before = [math.inf] * len(derivations)
        for step in range(len(whole.trace)):
            graph, told = _proof(instance, step)
            nodes, edges, paths, best = graph.sizes()
            assert (nodes, edges) == (told[0], told[1]), (seed, step)
            assert paths == len(derivations), (seed, step)
            assert best == pytest.approx(told[2], abs=1e-6), (seed, step)
            chance = random.Random(seed)
            for at in chance.sample(range(len(derivations)), min(30, len(derivations))):
                choices, score = derivations[at]
                promised = graph.promised(choices)
                assert score - 1e-6 <= promised <= before[at] + 1e-6, (seed, step)
                before[at] = promised
            refined += step > 0
    assert refined > 100


@pytest.mark.slow
def test_samplers_of_phrases_keep_every_derivation(tmp_path: Path) -> None:
    """However much was refined, the sum of the proposal is no less than that of all derivations."""
    reached = 0
    for seed in range(60):
        instance = random_instance(seed, tmp_path)
        scores = [score for _, score in instance.derivations()]
        most = max(scores)
        total = most + math.log(sum(math.exp(score - most) for score in scores))
        settings = SampleSettings(samples=4000, acceptance=1.0, batch=100, refine=10, seed=seed)
        drawn = instance.decoder.sample([instance.source], settings, threads=1)[0]
        for before, after in pairwise(drawn.rounds):
            assert total - 1e-6 <= after.log_norm <= before.log_norm + 1e-9, seed
        reached += drawn.rounds[-1].log_norm == pytest.approx(total, abs=1e-6)
    assert reached > 20


def _automaton(use: LanguageModel, weight: float, words: list[str], label: dict[str, int], fst: Any) -> Any:
    """A language model as an acceptor of texts with their end: a state for each history that it can tell apart."""
    machine = fst.VectorFst()
    states: dict[Words, int] = {}
    reach = use.model.order - 1

    def state(history: Words) -> int:
        if history not in states:
            states[history] = machine.add_state()
            todo.append(history)
        return states[history]

    todo: list[Words] = []
    machine.set_start(state((BEGIN,)))
    last = machine.add_state()
    machine.set_final(last)
    models = _exact(use, weight)
    while todo:
        history = todo.pop()
        for word in [*words, END]:
            after = last if word == END else state((*history, word)[-max(1, reach) :] if reach else ())
            cost = -models(history, word)
            machine.add_arc(states[history], fst.Arc(label[word], label[word], cost, after))
    return machine.arcsort("ilabel")


def _exact(use: LanguageModel, weight: float) -> Callable[[Words, str], float]:
    def cost(history: Words, word: str) -> float:
        model, said = use.model, use.said((*history, word))
        state = model.begin_state() if said[:1] == (BEGIN,) else model.empty_state()
        for each in said[1:-1] if said[0] == BEGIN else said[:-1]:
            _, state = model.step(state, each)
        return weight * float(model.step(state, said[-1])[0])

    return cost


def _lattice(instance: Instance, label: dict[str, int], fst: Any) -> Any:
    """All orders of phrases that are allowed, as an acceptor of their texts."""
    lattice, states, todo = fst.VectorFst(), dict[Place, int](), list[Place]()
    goal, length = lattice.add_state(), len(instance.source.split())
    price, limit = instance.decoder.weights["distortion"], instance.decoder.settings.distortion_limit
    lattice.set_final(goal)

    def state(place: Place) -> int:
        if place not in states:
            states[place] = lattice.add_state()
            todo.append(place)
        return states[place]

    lattice.set_start(state((frozenset(), 0)))
    while todo:
        covered, end = place = todo.pop()
        if len(covered) == length:
            cost = price * abs(length - end) * instance.decoder.settings.final_jump
            lattice.add_arc(states[place], fst.Arc(label[END], label[END], cost, goal))
            continue
        gap = min(set(range(length)) - covered)
        for each in instance.choices:
            inside = frozenset(range(each.start, each.end))
            far = abs(each.start - end) > limit or each.end - gap > limit
            if inside & covered or (limit >= 0 and each.start != gap and far):
                continue
            cost = price * abs(each.start - end) - each.score
            heads = [lattice.add_state() for _ in each.target[1:]] + [state((covered | inside, each.end))]
            for tail, word, head in zip([states[place], *heads], each.target, heads, strict=False):
                lattice.add_arc(tail, fst.Arc(label[word], label[word], cost, head))
                cost = 0.0
    return lattice


@pytest.mark.slow
def test_composition_by_openfst(tmp_path: Path) -> None:
    """The lattice of all orders of phrases, composed with language models: its shortest path scores what was proved."""
    fst = peer("pywrapfst")
    for seed in range(60):
        instance = random_instance(seed, tmp_path)
        words = sorted({word for each in instance.choices for word in each.target})
        label = {word: number for number, word in enumerate([*words, END], start=1)}
        whole = _lattice(instance, label, fst)
        for use in instance.decoder.language_models:
            automaton = _automaton(use, instance.decoder.weights[use.name], words, label, fst)
            whole = fst.compose(whole.arcsort("olabel"), automaton)
        shortest = float(fst.shortestdistance(whole, reverse=True)[whole.start()])
        found = instance.decoder.optimize([instance.source], ExactSettings(epsilon=1e-9))[0]
        assert found.score == pytest.approx(-shortest, abs=1e-3), seed


Passed = tuple[tuple[Words, ...], Words]


class Rebuilt:
    """A forest intersected at once with the automaton of all contexts that were registered (Aho and Corasick 1975)."""

    def __init__(self, forest: Forest, models: CertifiedModels, contexts: tuple[Words, ...]) -> None:
        self.forest, self.models = forest, models
        self.known = set(contexts)
        self.prefixes = {words[:length] for words in contexts for length in range(len(words) + 1)} | {()}
        self.by_head: defaultdict[int, list[int]] = defaultdict(list)
        for edge in range(forest.edges):
            self.by_head[forest.edge(edge).head].append(edge)
        self.edges = 0
        self.made: dict[tuple[int, Words], dict[Words, float]] = {}

    def step(self, context: Words, word: str) -> tuple[Words, float]:
        """The state after a word, and what the word scores after the longest registered context."""
        registered = next((context[at:] for at in range(len(context)) if context[at:] in self.known), ())
        said = (*context, word)
        after = next(said[at:] for at in range(len(said) + 1) if said[at:] in self.prefixes)
        return after, 0.0 if word == BEGIN else self.models.most(registered, (word,))

    def read(self, target: tuple[str | int, ...], tails: tuple[int, ...], entry: Words) -> dict[Passed, float]:
        """Ways through a rule with their weights: the states in which its tails end, and the last state."""
        partial: dict[Passed, float] = {((), entry): 0.0}
        for symbol in target:
            after: dict[Passed, float] = {}
            for (ends, state), weight in partial.items():
                if isinstance(symbol, str):
                    leave, score = self.step(state, symbol)
                    after[ends, leave] = weight + score
                else:
                    for leave, inside in self.expand(tails[symbol], state).items():
                        after[(*ends, leave), leave] = weight + inside
            partial = after
        return partial

    def expand(self, node: int, entry: Words) -> dict[Words, float]:
        """Where a node may end that begins in a state: the logarithm of the sum over its derivations."""
        if (node, entry) not in self.made:
            sums: dict[Words, float] = {}
            for number in self.by_head[node]:
                edge = self.forest.edge(number)
                rows = self.read(edge.target, edge.tails, entry)
                self.edges += len(rows)
                for (_, leave), weight in rows.items():
                    total = weight + edge.score
                    known = sums.get(leave)
                    sums[leave] = (
                        total if known is None else max(known, total) + math.log1p(math.exp(-abs(known - total)))
                    )
            self.made[node, entry] = sums
        return self.made[node, entry]

    def whole(self) -> tuple[int, float]:
        """Edges, the one at the top included, and the logarithm of the sum."""
        rows = self.read((BEGIN, 0, END), (self.forest.nodes - 1,), ())
        top = max(rows.values())
        return self.edges + len(rows), top + math.log(sum(math.exp(each - top) for each in rows.values()))


@pytest.mark.slow
def test_incremental_intersection_equals_a_rebuild(tmp_path: Path) -> None:
    """Rules and sums of every round of a sampler, and of every step of a proof, from its contexts alone."""
    rounds = 0
    for seed in range(150):
        forest, uses = random_problem(seed, tmp_path)
        if forest.count() > 300 or any(not forest.edge(edge).target for edge in range(forest.edges)):
            continue
        models = bounded_models([use for use, _ in uses], {use.name: weight for use, weight in uses})
        given = Certified(uses)
        settings = SampleSettings(samples=10**6, acceptance=1.0, batch=40, refine=1, in_rule=False, time_limit=0.05)
        drawn = sample_forest(forest, models, settings)
        for number, each in enumerate(drawn.rounds[:12]):
            contexts = drawn.contexts[: sum(row.refined for row in drawn.rounds[:number])]
            edges, norm = Rebuilt(forest, given.models, contexts).whole()
            assert edges == each.edges, (seed, number)
            assert norm == pytest.approx(each.log_norm, abs=1e-6), (seed, number)
            rounds += 1
        proof = optimize_forest(forest, models, FOREST_LITERAL)
        for step, row in enumerate(proof.proof.trace):
            contexts = proof.contexts[: sum(each[5] for each in proof.proof.trace[:step])]
            assert Rebuilt(forest, given.models, contexts).whole()[0] == row[4], (seed, step)
        bounds = [row[0] for row in proof.proof.trace]
        assert all(after <= before for before, after in pairwise(bounds))
    assert rounds > 100


class Certified:
    """Language models as verifiers ask them."""

    def __init__(self, uses: list[tuple[LanguageModel, float]]) -> None:
        from dragoman.search.certified_models import ModelUse

        stated = [ModelUse(use.name, weight, use.model.order) for use, weight in uses]
        self.models = CertifiedModels(stated, [use for use, _ in uses], None)
