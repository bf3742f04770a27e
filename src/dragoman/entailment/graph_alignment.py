"""Aligning a hypothesis with a text: which node of the text each node of the hypothesis speaks of.

    score(a) = sum over nodes of node(h, a(h)) + sum over edges of edge((h, h'), (a(h), a(h')))

A node scores the logarithm of how alike the two words are (`word_relations`); an edge scores how well the text keeps
it: as it is, under another label, over a longer path, reversed, or not at all. Words of little meaning weigh less.
Polarity is ignored on purpose: *rose* is aligned with *fell*, so that the decision can see that they are opposites
(MacCartney et al. 2006, whose paper gives the order of the values; the values are ours).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dragoman.align.monolingual import MonolingualAlignment, WordMatch
from dragoman.annotations.graphs import DependencyGraph
from dragoman.annotations.patterns import AlignedGraphs
from dragoman.entailment.alignment_search import AlignmentProblem, EdgeScores, PlaceChoice, align
from dragoman.entailment.word_relations import UNRELATED, ComparedWord, WordRelation, WordRelations
from dragoman.settings import Settings, setting

__all__ = ["CONTENT", "AlignmentScorer", "GraphAlignment", "HandScorer", "ScoreSettings", "align_graphs", "is_content"]

CONTENT = frozenset(["NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "SYM", "PRON", "INTJ"])
_LIGHT_VERBS = frozenset(["be", "have", "do"])


def is_content(graph: DependencyGraph, node: int) -> bool:
    """Whether a node is a word of meaning, not one of grammar."""
    found = graph.nodes[node]
    if found.pos not in CONTENT:
        return False
    labels = [edge.label for edge in graph.parents[node]]
    return not (found.lemma.lower() in _LIGHT_VERBS and any(each.startswith(("aux", "cop")) for each in labels))


@dataclass(frozen=True, kw_only=True)
class ScoreSettings(Settings):
    """The values of a hand-set alignment."""

    floor: float = setting(0.02, "Likeness of unrelated words.", above=0, most=1)
    unaligned: float = setting(0.05, "Likeness of a word and nothing.", above=0, most=1)
    function_weight: float = setting(0.3, "Weight of function words and of edges into them.", least=0)
    other_label: float = setting(-0.2, "An edge under another label, or both ends in one node.", most=0)
    step_down: float = setting(-0.3, "Each step of a longer downward path.", most=0)
    reversed_edge: float = setting(-0.8, "An edge the other way round.", most=0)
    step: float = setting(-0.4, "Each step of any other path.", most=0)
    worst: float = setting(-2.0, "The least that a path or its absence scores.", most=0)
    end_unaligned: float = setting(-0.5, "An edge of which an end is not aligned.", most=0)


class AlignmentScorer(Protocol):
    """Makes the scores of a pair of graphs."""

    def problem(self, hypothesis: DependencyGraph, text: DependencyGraph, words: WordTable) -> AlignmentProblem:
        """The scores of all nodes and edges."""
        ...


WordTable = list[list[WordRelation]]
"""A row for each hypothesis node, the relation of each text node to it."""


def word_table(
    hypothesis: DependencyGraph, text: DependencyGraph, relations: WordRelations, chains: Sequence[Sequence[int]] = ()
) -> WordTable:
    """How each text node is related to each hypothesis node; nodes of a chain are as alike as its best.

    A pronoun of a chain stands for what the chain says, and for nothing else.
    """
    ours = [ComparedWord.of(node) for node in hypothesis]
    theirs = [ComparedWord.of(node) for node in text]
    table = [[relations.of(one, other) for other in theirs] for one in ours]
    for row in table:
        for chain in chains:
            spoken = [row[node] for node in chain if row[node].kind != "pronoun"]
            best = max(spoken, key=lambda each: each.similarity, default=UNRELATED)
            for node in chain:
                if row[node].similarity < best.similarity or row[node].kind == "pronoun":
                    row[node] = best if best is UNRELATED else best._replace(kind="coreference")
    return table


class HandScorer:
    """Scores by hand-set values."""

    def __init__(self, settings: ScoreSettings | None = None) -> None:
        self.settings = settings or ScoreSettings()

    def problem(self, hypothesis: DependencyGraph, text: DependencyGraph, words: WordTable) -> AlignmentProblem:
        chosen = self.settings
        content = tuple(is_content(hypothesis, node) for node in range(len(hypothesis)))
        weights = np.array([1.0 if each else chosen.function_weight for each in content])
        alike = np.array([[max(each.similarity, chosen.floor) for each in row] for row in words])
        alike = alike.reshape(len(hypothesis), len(text))
        nothing = np.full((len(hypothesis), 1), chosen.unaligned)
        nodes = weights[:, None] * np.log(np.hstack([alike, nothing]))
        paths = _path_scores(text, chosen)
        by_label: dict[str, list[tuple[int, int]]] = {}
        for up, down, label in text.edges:
            by_label.setdefault(label, []).append((up, down))
        made = []
        for up, down, label in hypothesis.edges:
            scores = paths.copy()
            for pair in by_label.get(label, ()):
                scores[pair] = 0.0
            made.append(EdgeScores(up, down, scores if content[down] else chosen.function_weight * scores))
        return AlignmentProblem(nodes, tuple(made), content)


def _path_scores(text: DependencyGraph, chosen: ScoreSettings) -> NDArray[np.float64]:
    """What the path between two text nodes is worth, labels apart; the last row and column are for none."""
    size = len(text)
    scores = np.full((size + 1, size + 1), chosen.worst)
    for node, reached in enumerate(text.distances):
        for other, steps in reached.items():
            scores[node, other] = max(chosen.step * steps, chosen.worst)
    for node, reached in enumerate(text.distances_down):
        for other, steps in reached.items():
            if steps >= 2:
                scores[node, other] = max(scores[node, other], chosen.step_down * steps, chosen.worst)
    for up, down, _ in text.edges:
        scores[down, up] = chosen.reversed_edge
    for up, down, _ in text.edges:
        scores[up, down] = chosen.other_label
    np.fill_diagonal(scores, chosen.other_label)
    scores[size, :] = scores[:, size] = chosen.end_unaligned
    return scores


@dataclass(frozen=True)
class GraphAlignment:
    """An alignment of two graphs, with what each link was made for."""

    hypothesis: DependencyGraph
    text: DependencyGraph
    choice: PlaceChoice
    """The text node of each hypothesis node; the number of text nodes stands for none."""
    score: float
    words: WordTable = field(repr=False)

    @property
    def mean(self) -> float:
        """The score per hypothesis node, so that lengths compare."""
        return self.score / max(1, len(self.choice))

    def place(self, node: int) -> int | None:
        """The text node that a hypothesis node is aligned to."""
        return self.choice[node] if self.choice[node] < len(self.text) else None

    def relation(self, node: int) -> WordRelation:
        """How the two words of a link are related."""
        place = self.place(node)
        return UNRELATED if place is None else self.words[node][place]

    @property
    def links(self) -> frozenset[tuple[int, int]]:
        """(hypothesis node, text node) of all that are aligned."""
        return frozenset((node, place) for node, place in enumerate(self.choice) if place < len(self.text))

    def graphs(self) -> AlignedGraphs:
        """Both graphs and the links, as patterns see them."""
        return AlignedGraphs(self.hypothesis, self.text, self.links)

    def tokens(self) -> MonolingualAlignment:
        """The same over tokens: of the hypothesis first, then of the text, its sentences one after the other.

        Nodes of several tokens align word by word where they have the same words, else all with all.
        """
        offsets = [0]
        for sentence in self.text.sentences:
            offsets.append(offsets[-1] + len(sentence))
        found = []
        for node, place in sorted(self.links):
            ours, theirs = self.hypothesis.nodes[node], self.text.nodes[place]
            relation = self.relation(node)
            spoken = self.hypothesis.sentences[ours.sentence].words
            said = self.text.sentences[theirs.sentence].words
            pairs = [(one, other) for one in ours.tokens for other in theirs.tokens]
            same = [pair for pair in pairs if spoken[pair[0]].lower() == said[pair[1]].lower()]
            for one, other in same or pairs:
                score = min(1.0, max(0.0, relation.similarity))
                found.append(WordMatch(one, offsets[theirs.sentence] + other, score, relation.kind))
        return MonolingualAlignment.of(found)


def align_graphs(
    hypothesis: DependencyGraph,
    text: DependencyGraph,
    relations: WordRelations,
    *,
    scorer: AlignmentScorer | None = None,
    search: str = "beam",
    seed: int = 1,
    chains: Sequence[Sequence[int]] = (),
) -> GraphAlignment:
    """The best alignment of two graphs; `chains` are text nodes that speak of the same thing."""
    words = word_table(hypothesis, text, relations, chains)
    problem = (scorer or HandScorer()).problem(hypothesis, text, words)
    choice = align(problem, search, seed)
    return GraphAlignment(hypothesis, text, choice, problem.score(choice), words)
