"""Forests the size of those that decoders leave: rates of every walk, and memory per edge."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from random import Random

from bench.contest import Contest, bench
from dragoman.forest import Forest, ForestBuilder, feature_matrix
from dragoman.forest.inside import expected_features, posteriors
from dragoman.forest.mbr import NgramExpectations, consensus
from dragoman.forest.oracle import bleu_oracle
from dragoman.forest.store import read_forests, write_forests

FEATURES = [f"dense{number}" for number in range(14)]


@cache
def phrase_forest(length: int = 30, beam: int = 150, arcs: int = 6) -> Forest:
    """As stack decoding leaves it: nodes by covered words, each reached from earlier stacks by phrases."""
    random = Random(1)
    build = ForestBuilder([f"s{position}" for position in range(length)], weights=dict.fromkeys(FEATURES, 0.1))
    stacks = [[build.add_node(covered=0)]]
    build.add_edge(stacks[0][0], [])
    for covered in range(1, length + 1):
        stack = [build.add_node(covered=covered) for _ in range(beam if covered < length else 1)]
        for node in stack:
            for _ in range(arcs if covered < length else beam):
                size = min(random.choice([1, 1, 2, 3]), covered)
                words = [f"w{int(random.paretovariate(0.8))}" for _ in range(random.randint(1, size + 1))]
                features = {name: random.uniform(-2, 0) for name in FEATURES}
                tail = random.choice(stacks[covered - size])
                build.add_edge(node, [0, *words], [tail], features=features, span=(covered - size, covered))
        stacks.append(stack)
    return build.finish(stacks[-1][0])


@cache
def chart_forest(length: int = 24, nodes: int = 6, edges: int = 8) -> Forest:
    """As chart decoding leaves it: some nodes per span, binary and lexical edges."""
    random = Random(2)
    build = ForestBuilder([f"s{position}" for position in range(length)], weights=dict.fromkeys(FEATURES, 0.1))
    cells: dict[tuple[int, int], list[int]] = {}
    for size in range(1, length + 1):
        for start in range(length - size + 1):
            span = (start, start + size)
            cells[span] = [build.add_node(*span) for _ in range(nodes if size < length else 1)]
            for node in cells[span]:
                for _ in range(edges):
                    features = {name: random.uniform(-2, 0) for name in FEATURES}
                    words = [f"w{int(random.paretovariate(0.8))}" for _ in range(random.randint(1, 2))]
                    if size == 1:
                        build.add_edge(node, words, features=features, span=span)
                        continue
                    middle = random.randint(start + 1, span[1] - 1)
                    tails = [random.choice(cells[start, middle]), random.choice(cells[middle, span[1]])]
                    target: list[str | int] = random.choice([[0, 1], [1, 0], [0, words[0], 1]])
                    build.add_edge(node, target, tails, features=features, span=span)
    return build.finish(cells[0, length][0])


@bench("inside, log semiring, phrase-based")
def inside_lattice() -> Contest:
    forest = phrase_forest()
    return Contest(lambda: forest.inside("log"), units=forest.edges, unit="edges")


@bench("inside, log semiring, chart")
def inside_chart() -> Contest:
    forest = chart_forest()
    return Contest(lambda: forest.inside("log"), units=forest.edges, unit="edges")


@bench("new weights, 14 features per edge")
def reweight() -> Contest:
    forest = phrase_forest()
    weights = dict.fromkeys(FEATURES, 0.2)
    return Contest(lambda: forest.reweight(weights), units=forest.edges, unit="edges")


@bench("posteriors")
def edge_posteriors() -> Contest:
    forest = phrase_forest()
    return Contest(lambda: posteriors(forest), units=forest.edges, unit="edges")


@bench("expected features, 14 per edge")
def feature_expectations() -> Contest:
    forest = phrase_forest()
    return Contest(lambda: expected_features(forest), units=forest.edges, unit="edges")


@bench("k-best, k = 1000, phrase-based")
def kbest_lattice() -> Contest:
    forest = phrase_forest()
    return Contest(lambda: forest.kbest(1000), units=1000, unit="derivations")


@bench("k-best, k = 1000, chart")
def kbest_chart() -> Contest:
    forest = chart_forest()
    return Contest(lambda: forest.kbest(1000), units=1000, unit="derivations")


@bench("k-best, 1000 distinct, phrase-based")
def kbest_distinct() -> Contest:
    forest = phrase_forest()
    return Contest(lambda: forest.kbest(1000, distinct=True, most_pops=30_000), units=1000, unit="targets")


@bench("samples")
def samples() -> Contest:
    forest = phrase_forest()
    return Contest(lambda: forest.sample(10_000, seed=1), units=10_000, unit="draws")


@bench("features of 1000 derivations, 14 per edge")
def nbest_features() -> Contest:
    derivations = phrase_forest().kbest(1000)
    return Contest(lambda: feature_matrix(derivations), units=1000, unit="derivations")


@bench("expected 4-gram counts, whole phrase-based forest")
def ngram_counts() -> Contest:
    forest = phrase_forest()
    return Contest(lambda: NgramExpectations(forest), units=forest.edges, unit="edges")


@bench("consensus by linear gain, 100 candidates, density 100")
def linear_consensus() -> Contest:
    forest = phrase_forest().prune(density=100)
    return Contest(lambda: consensus(forest, gain="linear"), units=forest.edges, unit="edges")


@bench("BLEU oracle, beam 20, phrase-based")
def oracle() -> Contest:
    forest = phrase_forest()
    reference = forest.sample(1, seed=3)[0].target
    return Contest(lambda: bleu_oracle(forest, [reference], k=0), units=forest.edges, unit="edges")


@bench("forest memory")
def memory() -> dict[str, str]:
    figures = {}
    for name, forest in (("phrase-based", phrase_forest()), ("chart", chart_forest())):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "one.forests"
            write_forests(path, [forest])
            size = path.stat().st_size
            assert read_forests(path)[0].edges == forest.edges
        figures[f"{name}: edges"] = f"{forest.edges:,}"
        figures[f"{name}: bytes per edge in memory, 14 features"] = f"{forest.native.bytes / forest.edges:.0f}"
        figures[f"{name}: bytes per edge without features"] = f"{bare(forest) / forest.edges:.0f}"
        figures[f"{name}: bytes per edge in a file"] = f"{size / forest.edges:.0f}"
    return figures


def bare(forest: Forest) -> int:
    graph = forest.native
    return graph.bytes - graph.feature_ids.nbytes - graph.feature_values.nbytes
