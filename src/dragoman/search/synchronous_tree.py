"""The tree of a translation by hierarchical rules: which rule stands inside which, on both sides at once.

A left-to-right decoder writes its rules one after the other, and a chart decoder combines them from below; in both, the
part that a nonterminal stands for is a rule whose span lies within that of the rule above it. So the tree follows from
the spans of the phrases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from dragoman.forest.draw import DrawnEdge, graph_svg, shown_score
from dragoman.search.told_sentence import ToldPhrase, ToldSentence, shown

__all__ = ["SynchronousTree", "is_hierarchical", "synchronous_trees", "tree_lines", "tree_svg"]


@dataclass(frozen=True, slots=True)
class SynchronousTree:
    """A rule and the trees of its nonterminals, in target order."""

    phrase: ToldPhrase
    parts: tuple[SynchronousTree, ...]

    @property
    def source_order(self) -> tuple[SynchronousTree, ...]:
        """Its parts, in source order."""
        return tuple(sorted(self.parts, key=lambda part: part.phrase.within))

    @property
    def target_span(self) -> tuple[int, int]:
        """The target words of the whole tree."""
        spans = [self.phrase.target_span, *(part.target_span for part in self.parts)]
        written = [span for span in spans if span[0] < span[1]] or spans
        return min(start for start, _ in written), max(end for _, end in written)

    @property
    def rule(self) -> tuple[str, str]:
        """Both sides of the rule; a nonterminal is written as its number in source order."""
        numbers = {part.phrase.within: f"[{number}]" for number, part in enumerate(self.source_order, 1)}
        words, source = iter(self.phrase.source), list[str]()
        at, end = self.phrase.within
        while at < end:
            inside = next((span for span in numbers if span[0] == at), None)
            source.append(numbers[inside] if inside is not None else next(words))
            at = inside[1] if inside is not None else at + 1
        own, target = iter(self.phrase.target), list[str]()
        at = self.target_span[0]
        for part in self.parts:
            start, end = part.target_span
            target += islice(own, max(0, start - at))
            target.append(numbers[part.phrase.within])
            at = max(at, end)
        return " ".join(source), " ".join([*target, *own])

    def walk(self, depth: int = 0) -> Iterator[tuple[int, SynchronousTree]]:
        """All rules with their depths, each before its parts."""
        yield depth, self
        for part in self.parts:
            yield from part.walk(depth + 1)


def synchronous_trees(translation: ToldSentence) -> list[SynchronousTree]:
    """The trees that no rule joins: of the spans that glue puts together, or of the pieces of a long sentence."""
    remaining = sorted(translation.phrases, key=lambda phrase: (phrase.within[0], -phrase.within[1]))[::-1]

    def take() -> SynchronousTree:
        phrase = remaining.pop()
        parts = []
        while remaining and remaining[-1].within[1] <= phrase.within[1]:
            parts.append(take())
        return SynchronousTree(phrase, tuple(sorted(parts, key=lambda part: part.target_span)))

    trees = []
    while remaining:
        trees.append(take())
    return trees


def is_hierarchical(translation: ToldSentence) -> bool:
    """Whether some rule stands inside another, and all of them form trees.

    Phrases with gaps may cross each other, or write into each other's gaps; then they do not.
    """
    phrases = translation.phrases
    if not any(phrase.within[1] - phrase.within[0] > len(phrase.source) for phrase in phrases):
        return False
    return all(_is_whole([other for other in phrases if _touch(phrase, other)], phrase) for phrase in phrases)


def _touch(phrase: ToldPhrase, other: ToldPhrase) -> bool:
    """Whether some of the other's span lies in that of the phrase, and it does not lie in the other's."""
    (start, end), (first, last) = phrase.within, other.within
    return first < end and start < last and (other is phrase or not first <= start < end <= last)


def _is_whole(inside: list[ToldPhrase], phrase: ToldPhrase) -> bool:
    """Whether the phrases lie within the span of one, and what they write stands together."""
    if any(each.within[0] < phrase.within[0] or phrase.within[1] < each.within[1] for each in inside):
        return False
    written = [each for each in inside if each.target]
    words = sum(len(each.target) for each in written)
    spans = [each.target_span for each in written]
    return not written or max(end for _, end in spans) - min(start for start, _ in spans) == words


def tree_lines(translation: ToldSentence) -> Iterator[str]:
    """The trees as indented text, a rule a line."""
    for tree in synchronous_trees(translation):
        for depth, each in tree.walk():
            yield f"{'  ' * depth}{_shown_rule(translation, each)}  ({each.phrase.score:.4g})"


def _shown_rule(translation: ToldSentence, tree: SynchronousTree) -> str:
    return " → ".join(" ".join(shown(translation.protected, side.split())) for side in tree.rule)


def tree_svg(translation: ToldSentence, *, title: str = "") -> str:
    """The trees as an SVG picture: spans, and the rules that join them."""
    nodes: list[str] = []
    edges: list[DrawnEdge] = []

    def add(tree: SynchronousTree) -> int:
        tails = tuple(add(part) for part in tree.source_order)
        start, end = tree.phrase.within
        nodes.append(f"{start}–{end}")
        edges.append(DrawnEdge(len(nodes) - 1, tails, _shown_rule(translation, tree), tree.phrase.score))
        return len(nodes) - 1

    roots = tuple(add(tree) for tree in synchronous_trees(translation))
    if len(roots) > 1:
        nodes.append(f"0–{len(translation.source)}")
        glue = sum(translation.weights[name] * value for name, value in translation.final_features.items())
        parts = " ".join(f"[{number}]" for number in range(1, len(roots) + 1))
        edges.append(DrawnEdge(len(nodes) - 1, roots, f"{parts} → {parts}", glue))
    text = " ".join(shown(translation.protected, translation.target))
    return graph_svg(nodes, edges, title or f"{text}  ({shown_score(translation.score)})")
