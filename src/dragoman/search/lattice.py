"""Word graphs as input: what a recogniser, a segmenter or a speller is not sure of, the decoder decides.

A lattice has nodes and arcs, each with a word and a score; all paths lead from its first node to its last. In a
confusion network every path passes through every node. Arcs without a word (`*EPS*`) are taken out when a lattice is
read, so that paths keep their words and scores. Two notations are read, a lattice a line: that of Moses and cdec, and
JSON. (Bertoldi, Zens and Federico 2007; Dyer, Muresan and Resnik 2008.)

    >>> lattice = Lattice.parse_plf("((('a',0.5,1),('ab',0.5,2),),(('b',1,1),),)", scores="probability")
    >>> [(arc.start, arc.end, arc.word) for arc in lattice.arcs]
    [(0, 1, 'a'), (0, 2, 'ab'), (1, 2, 'b')]
    >>> Lattice.of_columns([[("a", 0.0)], [("b", -0.1), ("*EPS*", -2.0)]]).arcs[0].end
    1
"""

from __future__ import annotations

import heapq
import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import regex

from dragoman.errors import InputError
from dragoman.forest.draw import DrawnEdge, graph_svg
from dragoman.settings import check_argument

__all__ = ["EMPTY", "LATTICE", "NOTATIONS", "SCORES", "Arc", "Lattice", "read_lattices"]

LATTICE = "lattice"
"""The feature whose values are the scores of arcs; its weight is 1 if a model says nothing about it."""

EMPTY = frozenset({"", "*EPS*", "<eps>"})
"""Words of arcs that have none."""

NOTATIONS = ("plf", "json")
SCORES = {
    "probability": "probabilities, above 0 and at most 1, of which the natural logarithm is taken",
    "log": "natural logarithms of probabilities",
    "cost": "negated natural logarithms",
}
"""What the numbers on arcs may be."""

MOST_ARCS = 100_000
MOST_NODES = 10_000


class Arc(NamedTuple):
    """A word between two nodes, with the logarithm of its probability."""

    start: int
    end: int
    word: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Lattice:
    """Arcs by where they begin; node 0 is the first, arcs lead to greater nodes, and all nodes lie on a path.

    Make one of any arcs with `Lattice.of`: it orders the nodes and takes out what leads nowhere.
    """

    arcs: tuple[Arc, ...]

    @property
    def nodes(self) -> int:
        """How many it has."""
        return max(arc.end for arc in self.arcs) + 1

    @property
    def columns(self) -> tuple[str, ...]:
        """A name for each position: all words that begin there."""
        words: list[list[str]] = [[] for _ in range(self.nodes - 1)]
        for arc in self.arcs:
            if arc.word not in words[arc.start]:
                words[arc.start].append(arc.word)
        return tuple("|".join(each) for each in words)

    @staticmethod
    def of(arcs: Iterable[Arc], *, start: int | None = None, end: int | None = None, where: str = "") -> Lattice:
        """A lattice of arcs between nodes of any numbers, from `start` to `end`.

        Without these the only node that no arc leads to is the first, and the only one that none leaves is the last.
        Arcs on no path from the first to the last are left out; arcs in a circle are refused, as is a lattice without
        a path.
        """
        given = list(arcs)
        if not given:
            raise InputError("an empty lattice", where=where, remedy="leave the line out, or give it a path")
        if len(given) > MOST_ARCS:
            raise InputError(f"a lattice of {len(given):,} arcs", where=where, remedy=f"prune it to {MOST_ARCS:,}")
        for arc in given:
            if not math.isfinite(arc.score):
                raise InputError(f"the arc {arc.word!r} has the score {arc.score}", where=where)
            if len(arc.word.split()) > 1:
                raise InputError(f"an arc of several words: {arc.word!r}", where=where, remedy="give each its own arc")
        starts, ends = {arc.start for arc in given}, {arc.end for arc in given}
        start = _only(starts - ends, "first", where) if start is None else start
        end = _only(ends - starts, "last", where) if end is None else end
        order = _in_order(given, where)
        arcs = _without_empty(given, order, start, end)
        arcs = _on_paths(arcs, start, end)
        if not arcs:
            raise InputError(
                "a lattice without a path of words from its first node to its last", where=where, remedy="mend its arcs"
            )
        used = {node for arc in arcs for node in (arc.start, arc.end)}
        number = {node: index for index, node in enumerate(node for node in order if node in used)}
        if len(number) > MOST_NODES:
            raise InputError(f"a lattice of {len(number):,} nodes", where=where, remedy=f"cut it to {MOST_NODES:,}")
        best: dict[tuple[int, int, str], float] = {}
        for arc in arcs:
            key = number[arc.start], number[arc.end], arc.word
            best[key] = max(best.get(key, -math.inf), arc.score)
        return Lattice(tuple(Arc(*key, score) for key, score in sorted(best.items())))

    @staticmethod
    def of_columns(columns: Iterable[Iterable[tuple[str, float]]], *, where: str = "") -> Lattice:
        """A confusion network: for each column its words with their scores."""
        listed = [list(column) for column in columns]
        if [] in listed:
            raise InputError(f"column {listed.index([])} of a confusion network is empty", where=where)
        arcs = [Arc(index, index + 1, word, score) for index, column in enumerate(listed) for word, score in column]
        return Lattice.of(arcs, start=0, end=len(listed), where=where)

    @staticmethod
    def of_words(words: Iterable[str]) -> Lattice:
        """A single path."""
        return Lattice(tuple(Arc(index, index + 1, word) for index, word in enumerate(words)))

    @staticmethod
    def parse_plf(text: str, *, scores: str = "probability", where: str = "") -> Lattice:
        """A lattice in Python lattice format: for each node its arcs `('word', number, how many nodes ahead)`."""
        log = _log(scores)
        arcs = []
        nodes = _Plf(text, where).read()
        for node, listed in enumerate(nodes):
            for word, number, ahead, column in listed:
                if not 1 <= ahead <= len(nodes) - node:
                    what = "a circle" if ahead < 1 else f"there are {len(nodes) - node} behind it"
                    raise InputError(
                        f"the arc {word!r} leads {ahead} nodes ahead: {what}",
                        where=_at(where, column),
                        remedy="arcs lead to later nodes, the last of which is behind all that are listed",
                    )
                arcs.append(Arc(node, node + ahead, word, log(number, _at(where, column))))
        return Lattice.of(arcs, start=0, end=len(nodes), where=where)

    @staticmethod
    def parse_json(text: str, *, scores: str = "probability", where: str = "") -> Lattice:
        """A lattice as JSON: `{"arcs": [[from, to, word, number], ...]}`, or a confusion network as
        `{"columns": [[[word, number], ...], ...]}`; numbers may be left out, `start` and `end` may name nodes."""
        log = _log(scores)

        def score(number: Sequence[Any]) -> float:
            if len(number) > 1:
                raise ValueError(f"an arc with {number!r} behind its word")
            return log(number[0] if number else _CERTAIN[scores], where)

        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"this is no JSON: {error}", where=where, remedy="a lattice is one line") from error
        remedy = 'write {"arcs": [[0, 1, "word", 0.5], ...]} or {"columns": [[["word", 0.5], ...], ...]}'
        try:
            if not isinstance(given, dict) or ("arcs" in given) == ("columns" in given):
                raise TypeError("neither arcs nor columns")
            if "columns" in given:
                return Lattice.of_columns(
                    [[(str(word), score(number)) for word, *number in column] for column in given["columns"]],
                    where=where,
                )
            arcs = [
                Arc(_node(start), _node(end), str(word), score(number)) for start, end, word, *number in given["arcs"]
            ]
            ends = {key: _node(given[key]) for key in ("start", "end") if key in given}
        except (TypeError, ValueError) as error:
            raise InputError(f"this is no lattice: {error}", where=where, remedy=remedy) from error
        return Lattice.of(arcs, **ends, where=where)

    def map_words(self, pieces: Callable[[str], Sequence[str]]) -> Lattice:
        """The same lattice with other words: one may become several, one after the other, or none."""
        arcs, fresh = [], self.nodes
        for arc in self.arcs:
            words = list(pieces(arc.word))
            at = arc.start
            for index, word in enumerate(words or [""]):
                last = index + 1 >= len(words)
                to = arc.end if last else fresh
                fresh += not last
                arcs.append(Arc(at, to, word, 0.0 if index else arc.score))
                at = to
        return Lattice.of(arcs, start=0, end=self.nodes - 1)

    def svg(self) -> str:
        """A picture: nodes from left to right, words with their scores between them."""
        nodes = [str(number) for number in range(self.nodes)]
        return graph_svg(nodes, [DrawnEdge(arc.end, (arc.start,), arc.word, arc.score) for arc in self.arcs], "")

    def _repr_html_(self) -> str:
        return self.svg()

    def native(self) -> list[tuple[int, int, str, float]]:
        """As native code takes it."""
        return [(arc.start, arc.end, arc.word, arc.score) for arc in self.arcs]


def read_lattices(
    lines: Iterable[str], notation: str, *, scores: str = "probability", first_line: int = 1
) -> Iterator[Lattice]:
    """Lattices, one a line."""
    check_argument("notation", notation, choices=NOTATIONS)
    parse = Lattice.parse_plf if notation == "plf" else Lattice.parse_json
    for number, line in enumerate(lines, first_line):
        yield parse(line, scores=scores, where=f"line {number}")


_CERTAIN = {"probability": 1.0, "log": 0.0, "cost": 0.0}


def _log(scores: str) -> Callable[[float, str], float]:
    check_argument("scores", scores, choices=SCORES)

    def log(number: float, where: str) -> float:
        number = float(number)
        if not math.isfinite(number):
            raise InputError(f"the number {number} on an arc", where=where)
        if scores != "probability":
            return -number if scores == "cost" else number
        if not 0 < number <= 1:
            raise InputError(
                f"the number {number:g} on an arc is no probability above 0",
                where=where,
                remedy="say what the numbers are: log, or cost",
            )
        return math.log(number)

    return log


def _node(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise ValueError(f"a node {value!r}")
    return value


def _only(nodes: set[int], which: str, where: str) -> int:
    if not nodes:
        raise InputError("the arcs of the lattice form a circle", where=where, remedy="take the circle out")
    if len(nodes) > 1:
        what = f"{len(nodes)} nodes could be the {which} of the lattice"
        raise InputError(what, where=where, remedy="name it with start and end")
    return next(iter(nodes))


def _in_order(arcs: Sequence[Arc], where: str) -> list[int]:
    """All nodes, each before those that arcs lead to from it; of those that are free the smallest comes first."""
    after: defaultdict[int, list[int]] = defaultdict(list)
    waiting: defaultdict[int, int] = defaultdict(int)
    for arc in arcs:
        after[arc.start].append(arc.end)
        waiting[arc.end] += 1
    nodes = {node for arc in arcs for node in (arc.start, arc.end)}
    free = [node for node in nodes if not waiting[node]]
    heapq.heapify(free)
    order = []
    while free:
        node = heapq.heappop(free)
        order.append(node)
        for later in after[node]:
            waiting[later] -= 1
            if not waiting[later]:
                heapq.heappush(free, later)
    if len(order) < len(nodes):
        inside = min(node for node in nodes if waiting[node])
        raise InputError(f"a lattice with a circle, through node {inside}", where=where, remedy="take the circle out")
    return order


def _without_empty(arcs: Sequence[Arc], order: Sequence[int], start: int, end: int) -> list[Arc]:
    """The same paths without arcs that have no word: an arc leads to all that such arcs lead to from its end."""
    empty: defaultdict[int, list[Arc]] = defaultdict(list)
    for arc in arcs:
        if arc.word in EMPTY:
            empty[arc.start].append(arc)
    if not empty:
        return list(arcs)
    reach: dict[int, dict[int, float]] = {}
    for node in reversed(order):
        found = {node: 0.0}
        for arc in empty[node]:
            for later, score in reach[arc.end].items():
                found[later] = max(found.get(later, -math.inf), arc.score + score)
        reach[node] = found
    kept = []
    for arc in arcs:
        if arc.word in EMPTY:
            continue
        ends = {arc.end: 0.0, **({end: reach[arc.end][end]} if end in reach[arc.end] else {})}
        kept += [Arc(arc.start, to, arc.word, arc.score + more) for to, more in ends.items()]
    # What stands behind arcs without words may begin where they do.
    leaving: defaultdict[int, list[Arc]] = defaultdict(list)
    for arc in kept:
        leaving[arc.start].append(arc)
    for node in order:
        for later, score in reach[node].items():
            if later != node:
                kept += [Arc(node, arc.end, arc.word, arc.score + score) for arc in leaving[later]]
    return kept


def _on_paths(arcs: Sequence[Arc], start: int, end: int) -> list[Arc]:
    def reached(first: int, ways: Mapping[int, list[int]]) -> set[int]:
        seen, stack = {first}, [first]
        while stack:
            for node in ways.get(stack.pop(), ()):
                if node not in seen:
                    seen.add(node)
                    stack.append(node)
        return seen

    ahead: defaultdict[int, list[int]] = defaultdict(list)
    back: defaultdict[int, list[int]] = defaultdict(list)
    for arc in arcs:
        ahead[arc.start].append(arc.end)
        back[arc.end].append(arc.start)
    useful = reached(start, ahead) & reached(end, back)
    return [arc for arc in arcs if arc.start in useful and arc.end in useful]


def _at(where: str, column: int) -> str:
    return f"{where}, character {column}" if where else f"character {column}"


class _Plf:
    """A parser of nested tuples as Python writes them; nothing is evaluated."""

    _TOKEN = regex.compile(r"\s*(?:([(),])|'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([-+0-9.eE]+|-?inf|nan))")

    def __init__(self, text: str, where: str) -> None:
        self._text, self._where, self._at = text.rstrip(), where, 0

    def read(self) -> list[list[tuple[str, float, int, int]]]:
        """The arcs of each node."""
        nodes = self._list(self._node)
        if self._at < len(self._text):
            self._fail("more than one lattice")
        return nodes

    def _node(self) -> list[tuple[str, float, int, int]]:
        return self._list(self._arc)

    def _arc(self) -> tuple[str, float, int, int]:
        self._take("(")
        column = self._at
        word = self._word()
        self._take(",")
        number = self._number()
        self._take(",")
        ahead = self._number()
        if ahead != int(ahead):
            self._fail("a distance that is no whole number")
        self._skip(",")
        self._take(")")
        return word, number, int(ahead), column

    def _list(self, item: Callable[[], Any]) -> list[Any]:
        self._take("(")
        found = []
        while not self._skip(")"):
            found.append(item())
            if not self._skip(","):
                self._take(")")
                break
        return found

    def _next(self) -> regex.Match[str]:
        match = self._TOKEN.match(self._text, self._at)
        if match is None:
            self._fail("this is no lattice")
        return match

    def _skip(self, mark: str) -> bool:
        match = self._TOKEN.match(self._text, self._at)
        if match is None or match[1] != mark:
            return False
        self._at = match.end()
        return True

    def _take(self, mark: str) -> None:
        if not self._skip(mark):
            self._fail(f"no {mark!r}")

    def _word(self) -> str:
        match = self._next()
        text = match[2] if match[2] is not None else match[3]
        if text is None:
            self._fail("no word in quotes")
        self._at = match.end()
        return str(regex.sub(r"\\(.)", r"\1", text))

    def _number(self) -> float:
        match = self._next()
        if match[4] is None:
            self._fail("no number")
        try:
            number = float(match[4])
        except ValueError:
            self._fail(f"{match[4]!r} is no number")
        self._at = match.end()
        return number

    def _fail(self, what: str) -> Any:
        raise InputError(
            what, where=_at(self._where, self._at), remedy="a line is ((('word', 0.5, 1), ...), ...): arcs of each node"
        )
