"""Alignment scores that are learned from gold alignments.

The score of a word pair is a weighted sum of its features (the same lemma, synonyms, equal tags, nearness in the
sentence ...), and so is the score of an edge (kept, under another label, reversed, over a path of two ...). A pass goes
through the pairs in random order, aligns each with the current weights, and where the result is wrong moves the weights
towards the gold alignment: by one step (perceptron; Collins 2002) or just as far as the margin asks (MIRA; Crammer and
Singer 2003), as in Chambers et al. (2007). The weights that align are the average over all steps.

    >>> from collections import Counter
    >>> move = update({"a": 0.5, "b": -0.2, "c": 0.1}, Counter(a=1, c=-2), loss=1, step="mira", cap=float("inf"))
    >>> {name: round(value, 2) for name, value in move.items()}
    {'a': 0.14, 'c': -0.28}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.annotations.graphs import DependencyGraph
from dragoman.entailment.alignment_search import AlignmentProblem, EdgeScores, PlaceChoice, align
from dragoman.entailment.graph_alignment import WordTable, is_content
from dragoman.entailment.quantities import quantity_of
from dragoman.entailment.word_relations import COARSE, WordRelation
from dragoman.errors import FormatError, InputError, SettingError
from dragoman.progress import Progress, ProgressCallback
from dragoman.seeds import stream

__all__ = ["AlignedCounts", "AlignmentExample", "LearnedScorer", "learn_alignment", "score_alignments", "update"]

_PATHS = ("kept", "same-node", "reversed", "down-2", "down-3", "path-2", "path-3", "path-4", "far", "apart", "one-none")
_PATH_NUMBER = {name: at for at, name in enumerate(_PATHS)}


@dataclass(frozen=True)
class AlignmentExample:
    """Two graphs, how their words are related, and the right places of each hypothesis node."""

    hypothesis: DependencyGraph
    text: DependencyGraph
    words: WordTable
    gold: tuple[frozenset[int], ...]
    """Text nodes that are right for each hypothesis node, any of them; an empty set means none."""

    def __post_init__(self) -> None:
        if len(self.gold) != len(self.hypothesis):
            raise InputError(f"{len(self.gold)} gold places for {len(self.hypothesis)} nodes")
        if any(not 0 <= place < len(self.text) for places in self.gold for place in places):
            raise InputError(f"a gold place outside the {len(self.text)} nodes of the text")

    def right(self, node: int, place: int) -> bool:
        """Whether a place (the number of text nodes for none) is right."""
        return place in self.gold[node] if self.gold[node] else place == len(self.text)


class LearnedScorer:
    """Scores by learned weights."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.weights = dict(weights)

    def to_dict(self) -> dict[str, float]:
        return {name: value for name, value in sorted(self.weights.items()) if value}

    @classmethod
    def from_dict(cls, plain: Any) -> LearnedScorer:
        """The scorer that `to_dict` described."""
        try:
            return cls({str(name): float(value) for name, value in plain.items()})
        except (AttributeError, TypeError, ValueError) as error:
            raise FormatError(f"not weights of an alignment ({error})") from None

    def problem(self, hypothesis: DependencyGraph, text: DependencyGraph, words: WordTable) -> AlignmentProblem:
        weights = self.weights
        nodes = np.zeros((len(hypothesis), len(text) + 1))
        for one in range(len(hypothesis)):
            for other in range(len(text) + 1):
                nodes[one, other] = sum(
                    weights.get(name, 0.0) for name in word_features(hypothesis, text, words, one, other)
                )
        paths = _path_numbers(text)
        by_path = np.array([weights.get(f"edge {name}", 0.0) for name in _PATHS])
        base: NDArray[np.float64] = by_path[paths]
        content = tuple(is_content(hypothesis, node) for node in range(len(hypothesis)))
        edges = []
        for up, down, label in hypothesis.edges:
            scores = base.copy()
            into = weights.get("edge kept into function word", 0.0) if not content[down] else 0.0
            for (first, second), labels in text.labels_between.items():
                scores[first, second] += into + sum(weights.get(name, 0.0) for name in _label_features(label, labels))
            edges.append(EdgeScores(up, down, scores))
        return AlignmentProblem(nodes, tuple(edges), content)

    def features(
        self, hypothesis: DependencyGraph, text: DependencyGraph, words: WordTable, choice: PlaceChoice
    ) -> Counter[str]:
        """The features of a whole alignment; weights times them is its score."""
        found: Counter[str] = Counter()
        for node, place in enumerate(choice):
            found.update(word_features(hypothesis, text, words, node, place))
        paths = _path_numbers(text)
        for up, down, label in hypothesis.edges:
            first, second = choice[up], choice[down]
            found[f"edge {_PATHS[paths[first, second]]}"] += 1
            labels = text.labels_between.get((first, second))
            if labels is not None:
                found.update(_label_features(label, labels))
                if not is_content(hypothesis, down):
                    found["edge kept into function word"] += 1
        return found


def word_features(
    hypothesis: DependencyGraph, text: DependencyGraph, words: WordTable, node: int, place: int
) -> list[str]:
    """What speaks for or against aligning a hypothesis word with a text word, or with none."""
    ours = hypothesis.nodes[node]
    coarse = COARSE.get(ours.pos, ours.pos)
    if place == len(text):
        return ["none", f"none {coarse}"]
    theirs = text.nodes[place]
    relation: WordRelation = words[node][place]
    other = COARSE.get(theirs.pos, theirs.pos)
    found = [f"relation {relation.kind}", "aligned content" if is_content(hypothesis, node) else "aligned function"]
    if relation.distance:
        found.append(f"{relation.kind} by {min(relation.distance, 3)}")
    if ours.word.lower() == theirs.word.lower():
        found.append("same form")
    found.append("same tag" if ours.tag == theirs.tag else "other tag")
    found.append("same coarse" if coarse == other else f"coarse {coarse} {other}")
    if ours.ner and ours.ner == theirs.ner:
        found.append("same entity type")
    numbers = quantity_of(ours.lemma, ours.pos), quantity_of(theirs.lemma, theirs.pos)
    if numbers[0] is not None and numbers[1] is not None:
        found.append("equal number" if numbers[0] == numbers[1] else "unequal number")
    here = node / max(1, len(hypothesis) - 1)
    there = place / max(1, len(text) - 1)
    found.append(f"shift {min(3, int(abs(here - there) * 4))}")
    return found


def _label_features(label: str, labels: Sequence[str]) -> list[str]:
    """Features of an edge that the text keeps, by its labels."""
    if label in labels:
        return ["edge same label"]
    base = {each.partition(":")[0] for each in labels}
    if label.partition(":")[0] in base:
        return ["edge same base label"]
    swapped = {("nsubj:pass", "obj"), ("obj", "nsubj:pass"), ("nsubj", "obl:by"), ("obl:by", "nsubj")}
    if any((label, each) in swapped for each in labels):
        return ["edge passive alternation"]
    return [f"edge {label.partition(':')[0]} as {min(base)}"]


def _path_numbers(text: DependencyGraph) -> NDArray[np.int64]:
    """The kind of path between every two places, labels apart; the last row and column are for none."""
    size = len(text)
    found = np.full((size + 1, size + 1), _PATH_NUMBER["apart"])
    for node, reached in enumerate(text.distances):
        for other, steps in reached.items():
            found[node, other] = _PATH_NUMBER[f"path-{steps}" if 2 <= steps <= 4 else "far"]
    for node, reached in enumerate(text.distances_down):
        for other, steps in reached.items():
            if steps >= 2:
                found[node, other] = _PATH_NUMBER["down-2" if steps == 2 else "down-3"]
    for up, down, _ in text.edges:
        found[down, up] = _PATH_NUMBER["reversed"]
    for up, down, _ in text.edges:
        found[up, down] = _PATH_NUMBER["kept"]
    np.fill_diagonal(found, _PATH_NUMBER["same-node"])
    found[size, :] = found[:, size] = _PATH_NUMBER["one-none"]
    return found


def update(
    weights: Mapping[str, float], difference: Mapping[str, float], *, loss: float, step: str, cap: float = 0.1
) -> dict[str, float]:
    """How far to move which weights, given features of gold minus features of the prediction."""
    if step == "perceptron":
        return {name: float(value) for name, value in difference.items() if value}
    if step != "mira":
        raise SettingError(f"no update is called {step!r}", remedy="choose perceptron or mira")
    norm = sum(value * value for value in difference.values())
    if not norm:
        return {}
    margin = sum(weights.get(name, 0.0) * value for name, value in difference.items())
    size = min(cap, max(0.0, (loss - margin) / norm))
    return {name: size * value for name, value in difference.items() if value and size}


@dataclass
class _Averaged:
    """Weights and their sum over steps, by the usual trick of counting late moves less."""

    current: dict[str, float] = field(default_factory=dict)
    late: dict[str, float] = field(default_factory=dict)
    steps: int = 1

    def move(self, moves: Mapping[str, float]) -> None:
        for name, value in moves.items():
            self.current[name] = self.current.get(name, 0.0) + value
            self.late[name] = self.late.get(name, 0.0) + self.steps * value

    def average(self) -> dict[str, float]:
        return {name: value - self.late[name] / self.steps for name, value in self.current.items()}


def learn_alignment(
    examples: Sequence[AlignmentExample],
    *,
    step: str = "mira",
    passes: int = 10,
    cap: float = 0.1,
    search: str = "beam",
    seed: int = 1,
    after_pass: Callable[[int, LearnedScorer], None] | None = None,
    progress: ProgressCallback | None = None,
) -> LearnedScorer:
    """Weights from gold alignments; `after_pass` sees the averaged weights of each pass."""
    if not examples:
        raise InputError("no gold alignments to learn from")
    weights = _Averaged()
    for number in range(passes):
        for at in stream(seed, "pass", number).permutation(len(examples)):
            example = examples[at]
            scorer = LearnedScorer(weights.current)
            problem = scorer.problem(example.hypothesis, example.text, example.words)
            found = align(problem, search, seed)
            loss = sum(not example.right(node, place) for node, place in enumerate(found))
            if loss:
                gold = align(_restricted(problem, example), search, seed)
                difference = scorer.features(example.hypothesis, example.text, example.words, gold)
                difference.subtract(scorer.features(example.hypothesis, example.text, example.words, found))
                weights.move(update(weights.current, difference, loss=loss, step=step, cap=cap))
            weights.steps += 1
        if progress is not None:
            progress(Progress("passes", number + 1, passes))
        if after_pass is not None:
            after_pass(number + 1, LearnedScorer(weights.average()))
    return LearnedScorer(weights.average())


def _restricted(problem: AlignmentProblem, example: AlignmentExample) -> AlignmentProblem:
    """The same with all wrong places forbidden: its best alignment is the gold one that scores highest."""
    nodes = np.full_like(problem.nodes, -1e9)
    for node, places in enumerate(example.gold):
        allowed = sorted(places) or [problem.none]
        nodes[node, allowed] = problem.nodes[node, allowed]
    return AlignmentProblem(nodes, problem.edges, problem.content)


@dataclass(frozen=True, slots=True)
class AlignedCounts:
    """How many words and whole pairs were aligned as in the gold standard."""

    words: int
    right_words: int
    pairs: int
    right_pairs: int

    @property
    def accuracy(self) -> float:
        """The share of words that are right."""
        return self.right_words / max(1, self.words)


def score_alignments(examples: Sequence[AlignmentExample], found: Sequence[PlaceChoice]) -> AlignedCounts:
    """Compare alignments with the gold ones."""
    words = right = whole = 0
    for example, choice in zip(examples, found, strict=True):
        hits = [example.right(node, place) for node, place in enumerate(choice)]
        words, right, whole = words + len(hits), right + sum(hits), whole + all(hits)
    return AlignedCounts(words, right, len(examples), whole)
