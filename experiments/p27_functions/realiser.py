"""A small surface realiser: the words of a labelled dependency tree in an order, as a generator would give them.

Stands in for a grammar that generates. Training trees teach how often, below a head of this part of speech, a dependent
of one label precedes one of another, or the head itself. For each head a beam finds the likeliest orders, strings grow
from below, and an n-gram model chooses among the best of the whole sentence. As a grammar would, it refuses a sentence
that has a dependent without a function.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Sequence

from dragoman.annotations import Sentence
from dragoman.lm import NgramModel

__all__ = ["Realiser"]

_HEAD = "HEAD"


class Realiser:
    """Orders of labels by pairs, and a language model of words."""

    def __init__(self, sentences: Iterable[Sentence], model: NgramModel, *, beam: int = 10, kept: int = 5) -> None:
        self.before: Counter[tuple[str, str, str]] = Counter()
        self.model, self.beam, self.kept = model, beam, kept
        for sentence in sentences:
            tree = sentence.dependencies
            for head in range(len(sentence)):
                inside = sorted((head, *tree.children(head)))
                labels = [_HEAD if at == head else tree.labels[at] for at in inside]
                for first in range(len(labels)):
                    for second in range(first + 1, len(labels)):
                        self.before[labels[first], labels[second], sentence.pos[head]] += 1

    def log_before(self, first: str, second: str, pos: str) -> float:
        """How likely a dependent of one label precedes one of another below such a head."""
        yes, no = self.before[first, second, pos], self.before[second, first, pos]
        return math.log((yes + 0.5) / (yes + no + 1))

    def realise(self, sentence: Sentence, unknown: str = "_") -> str:
        """The words of a sentence's tree in the order that seems best; empty if a label is missing.

        The order of the sentence's own words is not looked at: dependents are taken by label and word.
        """
        tree = sentence.dependencies
        if unknown in tree.labels:
            return ""
        depths = tree.depths()
        found: dict[int, list[tuple[float, str]]] = {}
        for node in sorted(range(len(sentence)), key=lambda at: -depths[at]):
            children = sorted(tree.children(node), key=lambda at: (tree.labels[at], sentence.words[at]))
            found[node] = self._strings(sentence, node, children, found)
        return max(found[tree.root], key=lambda each: (float(self.model.score([each[1]])[0]), each[1]))[1]

    def _strings(
        self, sentence: Sentence, node: int, children: Sequence[int], found: dict[int, list[tuple[float, str]]]
    ) -> list[tuple[float, str]]:
        labels = [_HEAD, *(sentence.dependencies.labels[at] for at in children)]
        parts = [[(0.0, sentence.words[node])], *(found[at] for at in children)]
        made: dict[str, float] = {}
        for number, (score, order) in enumerate(self._orders(labels, sentence.pos[node])):
            best = [parts[at][0] for at in order]
            choices = [best]
            if number == 0:  # other strings of one dependent at a time, in the best order
                for place, at in enumerate(order):
                    choices += [[*best[:place], other, *best[place + 1 :]] for other in parts[at][1:]]
            for choice in choices:
                text = " ".join(words for _, words in choice)
                made[text] = max(made.get(text, -math.inf), score + sum(worth for worth, _ in choice))
        texts = list(made)
        fluent = self.model.score(texts, begin=False, end=False)
        ranked = sorted(
            zip(texts, fluent.tolist(), strict=True), key=lambda each: (-(made[each[0]] + each[1]), each[0])
        )
        return [(made[text], text) for text, _ in ranked[: self.kept]]

    def _orders(self, labels: Sequence[str], pos: str) -> list[tuple[float, tuple[int, ...]]]:
        """The likeliest orders of a head and its dependents, by pairs."""
        size = len(labels)
        pair = [[self.log_before(one, two, pos) for two in labels] for one in labels]
        beam: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
        for _ in range(size):
            grown = [
                (score + sum(pair[at][new] for at in order), (*order, new))
                for score, order in beam
                for new in range(size)
                if new not in order
            ]
            beam = heapq.nlargest(self.beam, grown)
        return beam[: self.kept]
