"""Dependency trees of one side of a bitext, made ready for extraction: checked, and without crossing arcs.

Rules with nonterminals may be asked to fit the trees of one side (see `HieroLimits.dependencies`). Such a tree must
have a head for each word of its line. Where its arcs cross, either the words of that line are put into the order of
the tree, and the word links with them, or the arcs are lifted; see `dragoman.annotations.projective`. (Graham 2013.)

    >>> from dragoman.annotations import Dependencies
    >>> tree = Dependencies((4, -1, 3, 1, 1, 1), ("x",) * 6)
    >>> line = tree_line("when did the crisis begin ?", "wann", "0-0", tree, side="source", crossing="reorder")
    >>> line.source, line.links, line.heads
    ('did the crisis when begin ?', '3-0', [-1, 2, 0, 4, 0, 0])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.annotations import Dependencies, MissingLayer, Sentence
from dragoman.annotations.projective import in_order, is_projective, lifted, moved_links, reordered
from dragoman.errors import FormatError, LengthMismatch
from dragoman.grammar.limits import HieroLimits
from dragoman.grammar.rule import Nonterminal, Rule

__all__ = ["TreeLine", "TreeSide", "fits", "tree_line"]


@dataclass(frozen=True, slots=True)
class TreeLine:
    """A sentence pair with the heads of one side, perhaps in another order of words."""

    source: str
    target: str
    links: str
    heads: list[int]


def tree_line(source: str, target: str, links: str, tree: Dependencies, *, side: str, crossing: str) -> TreeLine:
    """The pair as extraction takes it: by `crossing` its words are put into order, arcs are lifted, or all stays."""
    if crossing == "keep" or is_projective(tree):
        return TreeLine(source, target, links, list(tree.heads))
    if crossing == "lift":
        return TreeLine(source, target, links, list(lifted(tree).heads))
    order = in_order(tree)
    words = (source if side == "source" else target).split()
    line = " ".join(words[at] for at in order)
    try:
        points = [tuple(map(int, link.split("-"))) for link in links.split()]
        moved = moved_links([(a, b) for a, b in points], order, side=0 if side == "source" else 1)
    except (ValueError, KeyError):
        raise FormatError(f"{links[:40]!r} are not links", remedy="write them as source-target, from 0") from None
    pair = (line, target) if side == "source" else (source, line)
    heads = list(reordered(tree, order).heads)
    return TreeLine(*pair, " ".join(f"{a}-{b}" for a, b in moved), heads)


class TreeSide:
    """The annotated lines of one side, looked up slice by slice."""

    def __init__(self, limits: HieroLimits, annotations: Sequence[Sentence], *, name: str = "annotations") -> None:
        self.side, self.crossing, self.annotations, self.name = (
            limits.dependencies,
            limits.crossing,
            annotations,
            name,
        )
        self.without = 0
        """Lines that have no tree."""
        self.crossed = 0
        """Lines with crossing arcs."""
        if not any(sentence.has("dependencies") for sentence in annotations):
            raise MissingLayer(
                f"no dependency trees of the {self.side} side, which `dependencies={self.side}` needs",
                where=name,
                remedy="annotate the training text with `dragoman annotate`, or train with --annotate",
            )

    def lines(self, first: int, sources: Sequence[str], targets: Sequence[str], links: Sequence[str]) -> list[TreeLine]:
        """The pairs of a slice that begins with line `first`, from 0; one without a tree has no heads."""
        if len(self.annotations) < first + len(sources):
            raise LengthMismatch(
                f"{len(self.annotations)} annotated lines of the {self.side} side, and more lines of text",
                where=self.name,
                remedy="annotate each line as one sentence",
            )
        found = []
        for number, (source, target, points) in enumerate(zip(sources, targets, links, strict=True), first):
            sentence, words = self.annotations[number], (source if self.side == "source" else target).split()
            if not sentence.has("dependencies") or not words:
                self.without += bool(words)
                found.append(TreeLine(source, target, points, []))
                continue
            if len(sentence) != len(words):
                raise LengthMismatch(
                    f"a tree of {len(sentence)} words for {len(words)} tokens",
                    where=f"{self.name}, line {number + 1}",
                    remedy="annotate the text as it is tokenised (`dragoman annotate --tokenized`)",
                )
            self.crossed += not is_projective(sentence.dependencies)
            made = tree_line(source, target, points, sentence.dependencies, side=self.side, crossing=self.crossing)
            found.append(made)
        return found


def fits(rule: Rule, tree: Dependencies, start: int, widths: Sequence[int], *, side: str = "source") -> bool:
    """Whether a rule fits a tree at a place, by the definition: slow, for looking at single rules.

    The rule covers the words of its side from `start` on, and its nonterminals, in the order of that side, so many
    words each. Each must be the whole subtree of a word whose head is a word of the rule itself.
    """
    own: set[int] = set()
    gaps: list[range] = []
    at = start
    for symbol in rule.source if side == "source" else rule.target:
        if isinstance(symbol, Nonterminal):
            gaps.append(range(at, at + widths[len(gaps)]))
            at = gaps[-1].stop
        else:
            own.add(at)
            at += 1
    tops = {tree.subtree(word): word for gap in gaps for word in gap}
    return all(tuple(gap) in tops and tree.heads[tops[tuple(gap)]] in own for gap in gaps)
