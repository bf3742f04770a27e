"""Pictures of an annotated sentence: its constituent tree, its dependency arcs, roles and nodes, one above the other.

Drawn from the same few shapes as all pictures of the house (`dragoman.drawing`), so that they can be written for a web
page and for LaTeX. Arcs are drawn as brackets: straight lines stay readable where many arcs start at one word.

    >>> from dragoman.annotations import Sentence, picture
    >>> parsed = Sentence.of(["Dogs", "bark"], pos=["NOUN", "VERB"], dependencies=([1, -1], ["nsubj", "root"]))
    >>> "nsubj" in picture.draw(parsed).svg()
    True
"""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.annotations.layers import Constituent, Span, Trace
from dragoman.annotations.predicates import PredicateTree
from dragoman.annotations.sentence import Sentence
from dragoman.drawing import Box, Drawing, DrawnShape, Label, Line

__all__ = ["arc_levels", "draw", "draw_tree"]

_LETTER, _GAP, _ROW, _MARGIN = 7.5, 22.0, 26.0, 16.0
_SMALL, _TEXT = 11.0, 14.0
_ARC, _TREE, _GREY = "#2a6f97", "#6a4c93", "#888888"
_ROLES = ("#f6c28b", "#a8d5ba", "#bcd4e6", "#e6b8c2", "#d9d2b0", "#cfc1e6")


def draw(sentence: Sentence) -> Drawing:
    """Everything drawable that the sentence has: phrases above, words and tags, arcs and roles below."""
    middles, width = _columns(sentence)
    shapes: list[DrawnShape] = []
    top = _MARGIN
    if sentence.has("constituents"):
        height = sentence.constituents.height
        shapes += _tree(sentence.constituents, middles, top, top + height * _ROW)
        top += height * _ROW
    if sentence.has("dependencies"):
        levels = _levels(sentence.dependencies.heads)
        if not sentence.has("constituents"):
            top += _ROW * (max(levels, default=0) + 1)
            shapes += _arcs(sentence, middles, levels, top, up=True)
    baseline = top + _TEXT
    tags = sentence.layers.pos or sentence.layers.tags
    for at, (word, x) in enumerate(zip(sentence.words, middles, strict=True)):
        shapes.append(Label(x, baseline, word, "middle", size=_TEXT))
        if tags is not None:
            shapes.append(Label(x, baseline + 15, tags[at], "middle", _GREY, _SMALL))
    bottom = baseline + 22
    if sentence.has("dependencies", "constituents"):
        levels = _levels(sentence.dependencies.heads)
        shapes += _arcs(sentence, middles, levels, bottom, up=False)
        bottom += _ROW * (max(levels, default=0) + 1)
    if sentence.has("frames"):
        drawn = _frames(sentence, middles, bottom + 8)
        shapes += drawn
        bottom += 8 + _ROW * len(sentence.frames)
    if sentence.has("nodes"):
        rows = _bar_rows(sentence.nodes)
        shapes += _bars(sentence.nodes, rows, middles, bottom + 8)
        bottom += 8 + 20 * (max(rows, default=-1) + 1)
    return Drawing(width, bottom + _MARGIN, tuple(shapes), f"Analysis of: {sentence.text}")


def draw_tree(tree: PredicateTree) -> Drawing:
    """A tree of words from the root down, each head above the middle of its dependents."""
    below = tree.children()
    middle: dict[int, float] = {}
    depth = {-1: -1}
    for node in tree.preorder():
        depth[node] = depth[tree.heads[node]] + 1
    x = _MARGIN

    def wide(node: int) -> float:
        return max(len(tree.words[node]) * _LETTER * _TEXT / 12, 24.0)

    for node in _postorder(below):
        if below[node]:
            middle[node] = (middle[below[node][0]] + middle[below[node][-1]]) / 2
        else:
            middle[node] = x + wide(node) / 2
            x += wide(node) + _GAP
    left = min((middle[node] - wide(node) / 2 for node in middle), default=_MARGIN) - _MARGIN
    right = max((middle[node] + wide(node) / 2 for node in middle), default=_MARGIN) + _MARGIN
    step = 2 * _ROW
    shapes: list[DrawnShape] = []
    for node, head in enumerate(tree.heads):
        y = _MARGIN + _TEXT + depth[node] * step
        if head >= 0:
            shapes.append(Line(middle[head] - left, y - step + 5, middle[node] - left, y - _TEXT, _TREE))
        shapes.append(Label(middle[node] - left, y, tree.words[node], "middle", size=_TEXT))
    height = 2 * _MARGIN + _TEXT + max(depth.values()) * step
    return Drawing(right - left, height, tuple(shapes), f"Tree of: {' '.join(tree.words)}")


def _postorder(below: Sequence[Sequence[int]]) -> list[int]:
    """Nodes from left to right, each after its dependents."""
    found: list[int] = []
    agenda = list(below[-1])
    while agenda:  # heads before dependents, from the right; turned round at the end
        node = agenda.pop()
        found.append(node)
        agenda += below[node]
    return found[::-1]


def _columns(sentence: Sentence) -> tuple[list[float], float]:
    """The middle of each word, and the width of all: there is room for words and for labels over and under them."""
    letters = [len(label) for label in sentence.dependencies.labels] if sentence.has("dependencies") else []
    letters = letters or [0] * len(sentence)
    nodes = [*sentence.constituents.spans()] if sentence.has("constituents") else []
    nodes += [(node.label, node.start, node.end) for node in sentence.layers.nodes or ()]
    for label, start, end in nodes:
        for at in range(start, end):
            letters[at] = max(letters[at], len(label) // (end - start))
    middles, x = [], _MARGIN
    for word, count in zip(sentence.words, letters, strict=True):
        wide = max(len(word) * _LETTER * _TEXT / 12, count * _LETTER * 0.9, 24.0)
        middles.append(x + wide / 2)
        x += wide + _GAP
    return middles, x - _GAP + _MARGIN


def _tree(tree: Constituent, middles: Sequence[float], top: float, bottom: float) -> list[DrawnShape]:
    shapes: list[DrawnShape] = []

    def place(node: Constituent | int | Trace, level: int) -> float | None:
        if isinstance(node, Trace):
            return None
        if isinstance(node, int):
            return middles[node]
        y = top + level * _ROW
        below = [(child, place(child, level + 1)) for child in node.children]
        found = [(child, x) for child, x in below if x is not None]
        if not found:
            return None
        own = sum(x for _, x in found) / len(found)
        for child, x in found:
            end = bottom if isinstance(child, int) else y + _ROW - 10
            shapes.append(Line(own, y + 4, x, end, _TREE))
        shapes.append(Box(own - len(node.label) * 4 - 2, y - 9, len(node.label) * 8 + 4, 13, "#ffffff"))
        shapes.append(Label(own, y + 1, node.label, "middle", _TREE, _SMALL))
        return own

    place(tree, 0)
    return shapes


def _levels(heads: Sequence[int]) -> list[int]:
    """How high each arc must go; the root's stands above its word alone."""
    words = [word for word, head in enumerate(heads) if head >= 0]
    levels = [0] * len(heads)
    for word, level in zip(words, arc_levels([(word, heads[word]) for word in words]), strict=True):
        levels[word] = level
    return levels


def arc_levels(arcs: Sequence[tuple[int, int]]) -> list[int]:
    """How high each arc must go to pass over those inside it, the shortest drawn first."""
    levels = [0] * len(arcs)
    used: list[tuple[int, int, int]] = []
    for at in sorted(range(len(arcs)), key=lambda each: (abs(arcs[each][0] - arcs[each][1]), each)):
        first, last = sorted(arcs[at])
        level = 0
        while any(other == level and start < last and first < end for start, end, other in used):
            level += 1
        levels[at] = level
        used.append((first, last, level))
    return levels


def _arcs(
    sentence: Sentence, middles: Sequence[float], levels: Sequence[int], base: float, *, up: bool
) -> list[DrawnShape]:
    lines: list[DrawnShape] = []
    names: list[DrawnShape] = []  # above all lines
    sign = -1 if up else 1
    heads, labels = sentence.dependencies.heads, sentence.dependencies.labels
    for word, (head, label) in enumerate(zip(heads, labels, strict=True)):
        x = middles[word] + (0 if head < 0 else 4 if head > word else -4)
        if head < 0:
            names += _name(x, base + sign * 12, label)
            continue
        other = middles[head] + (-4 if head > word else 4)
        y = base + sign * (_ROW * (levels[word] + 1) - 8)
        note = f"{sentence.words[word]} is {label} of {sentence.words[head]}"
        lines.append(Line(x, base, x, y, _ARC, note=note))
        lines.append(Line(x, y, other, y, _ARC, note=note))
        lines.append(Line(other, y, other, base, _ARC, note=note))
        lines.append(Line(x - 3, base + sign * 6, x, base, _ARC))  # the arrow points at the dependent
        lines.append(Line(x + 3, base + sign * 6, x, base, _ARC))
        names += _name((x + other) / 2, y, label)
    return lines + names


def _name(x: float, y: float, label: str) -> list[DrawnShape]:
    """A label that hides the lines behind it."""
    wide = len(label) * 6.0
    return [Box(x - wide / 2 - 2, y - 6, wide + 4, 12, "#ffffff"), Label(x, y + 4, label, "middle", _ARC, _SMALL)]


def _bar_rows(nodes: Sequence[Span]) -> list[int]:
    """In which row each node is drawn, short ones first, so that none hides another."""
    rows = [0] * len(nodes)
    used: list[tuple[int, int, int]] = []
    for at in sorted(range(len(nodes)), key=lambda each: (nodes[each].end - nodes[each].start, each)):
        start, end = nodes[at].start, nodes[at].end
        row = 0
        while any(other == row and begin < end and start < stop for begin, stop, other in used):
            row += 1
        rows[at] = row
        used.append((start, end, row))
    return rows


def _bars(nodes: Sequence[Span], rows: Sequence[int], middles: Sequence[float], top: float) -> list[DrawnShape]:
    shapes: list[DrawnShape] = []
    for node, row in zip(nodes, rows, strict=True):
        left, right = middles[node.start] - 12, middles[node.end - 1] + 12
        shapes.append(Box(left, top + row * 20, right - left, 15, _ROLES[node.start % len(_ROLES)], note=node.label))
        shapes.append(Label((left + right) / 2, top + row * 20 + 11, node.label, "middle", size=_SMALL))
    return shapes


def _frames(sentence: Sentence, middles: Sequence[float], top: float) -> list[DrawnShape]:
    shapes: list[DrawnShape] = []
    for row, frame in enumerate(sentence.frames):
        y = top + row * _ROW
        for at, argument in enumerate(frame.arguments):
            left, right = middles[argument.start] - 14, middles[argument.end - 1] + 14
            shapes.append(Box(left, y, right - left, 18, _ROLES[at % len(_ROLES)], note=argument.role))
            shapes.append(Label((left + right) / 2, y + 13, argument.role, "middle", size=_SMALL))
        x = middles[frame.predicate]
        shapes.append(Label(x, y + 13, frame.sense, "middle", "#9c2a2a", _SMALL))
    return shapes
