"""Slow, obvious versions of things."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from dragoman.forest import Forest


@dataclass(frozen=True)
class Tree:
    """A derivation, spelt out; `key` is its place in the order of k-best lists."""

    edges: tuple[int, ...]
    score: float
    target: tuple[str, ...]
    links: frozenset[tuple[int, int]]
    features: dict[str, float]
    key: tuple[object, ...]

    def __hash__(self) -> int:
        return hash(self.edges)


def derivations(forest: Forest) -> list[Tree]:
    """All derivations of the goal, by recursion."""

    @cache
    def of(node: int) -> list[Tree]:
        found = []
        for number in forest.edges_of(node):
            edge = forest.edge(number)
            for parts in product(*(of(tail) for tail in edge.tails)):
                score = edge.score
                for part in parts:
                    score += part.score
                target: list[str] = []
                links: set[tuple[int, int]] = set()
                for index, symbol in enumerate(edge.target):
                    here = len(target)
                    if isinstance(symbol, int):
                        links |= {(source, here + position) for source, position in parts[symbol].links}
                        target += parts[symbol].target
                    else:
                        links |= {(edge.span[0] + source, here) for source, at in edge.links if at == index}
                        target.append(symbol)
                features = dict(edge.features)
                for part in parts:
                    for name, value in part.features.items():
                        features[name] = features.get(name, 0.0) + value
                found.append(
                    Tree(
                        edges=(number, *(e for part in parts for e in part.edges)),
                        score=score,
                        target=tuple(target),
                        links=frozenset(links),
                        features=features,
                        key=(-score, number, tuple(part.key for part in parts)),
                    )
                )
        return found

    return list(of(forest.nodes - 1)) if forest else []


def log_sum(scores: Sequence[float]) -> float:
    """Logarithm of the sum of exponentials."""
    greatest = max(scores)
    return greatest + math.log(math.fsum(math.exp(score - greatest) for score in scores))


def probabilities(trees: Sequence[Tree]) -> list[float]:
    """Of derivations, in proportion to exp(score)."""
    total = log_sum([tree.score for tree in trees])
    return [math.exp(tree.score - total) for tree in trees]


def ngrams(tokens: Sequence[str], order: int) -> Iterator[tuple[str, ...]]:
    """All n-grams up to an order, in any order."""
    for n in range(1, order + 1):
        for start in range(len(tokens) - n + 1):
            yield tuple(tokens[start : start + n])


def sentence_bleu(hypothesis: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """BLEU+1: one added to matches and totals from bigrams on; closest reference length, the shorter if two are."""
    log_precisions = 0.0
    for n in range(1, 5):
        own = Counter(gram for gram in ngrams(hypothesis, 4) if len(gram) == n)
        most: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            most |= Counter(gram for gram in ngrams(reference, 4) if len(gram) == n)
        matches, total = sum((own & most).values()), sum(own.values())
        if n == 1 and not matches:
            return 0.0
        log_precisions += math.log((matches + (n > 1)) / (total + (n > 1)))
    length = len(hypothesis)
    closest = min((abs(len(reference) - length), len(reference)) for reference in references)[1]
    return math.exp(log_precisions / 4 + min(0.0, 1 - closest / length))
