"""Slow, obvious versions of extraction, scoring and labelling, straight from the definitions."""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

Links = frozenset[tuple[int, int]]
Spans = tuple[int, int, int, int]


def consistent(links: Links, spans: Spans) -> bool:
    s, t, u, v = spans
    inside = [(i, j) for i, j in links if s <= i < t and u <= j < v]
    return bool(inside) and all((s <= i < t) == (u <= j < v) for i, j in links)


def blocks(n: int, m: int, links: Links, longest: int) -> set[Spans]:
    """All consistent pairs of spans, half-open."""
    return {
        (s, t, u, v)
        for s in range(n)
        for t in range(s + 1, min(n, s + longest) + 1)
        for u in range(m)
        for v in range(u + 1, min(m, u + longest) + 1)
        if consistent(links, (s, t, u, v))
    }


def orientation(n: int, m: int, links: Links, spans: Spans, neighbours: set[Spans] | None) -> tuple[str, str]:
    """Labels with the previous and the next phrase; `neighbours` are blocks, or None for links."""
    s, t, u, v = spans

    def corner(i: int, j: int, source_end: bool, target_end: bool) -> bool:
        if (i, j) in ((-1, -1), (n, m)):
            return True
        if not (0 <= i < n and 0 <= j < m):
            return False
        if neighbours is None:
            return (i, j) in links
        return any(
            (b[1] - 1 if source_end else b[0]) == i and (b[3] - 1 if target_end else b[2]) == j for b in neighbours
        )

    def label(monotone: bool, swap: bool, left: bool) -> str:
        if monotone != swap:
            return "M" if monotone else "S"
        return "L" if left else "R"

    around = [(i, i + 1, j, j + 1) for i, j in links] if neighbours is None else neighbours
    previous = label(
        corner(s - 1, u - 1, True, True),
        corner(t, u - 1, False, True),
        any(b[3] == u and b[0] >= t for b in around),
    )
    following = label(
        corner(t, v, False, False),
        corner(s - 1, v, True, False),
        any(b[2] == v and b[1] <= s for b in around),
    )
    return previous, following


def gappy(
    n: int, m: int, links: Links, words: int, span: int, both: bool, unaligned: bool
) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Discontinuous units by trying all sets."""
    aligned_source, aligned_target = {i for i, _ in links}, {j for _, j in links}

    def gaps_fine(positions: tuple[int, ...], aligned: set[int]) -> bool:
        holes = [range(a + 1, b) for a, b in itertools.pairwise(positions) if b > a + 1]
        return unaligned or all(any(i in aligned for i in hole) for hole in holes)

    def sets(size: int) -> Iterator[tuple[int, ...]]:
        for k in range(1, words + 1):
            for chosen in itertools.combinations(range(size), k):
                if chosen[-1] - chosen[0] < span:
                    yield chosen

    def adjacent(positions: tuple[int, ...]) -> bool:
        """Every run of neighbouring target positions holds an aligned one."""
        runs: list[list[int]] = []
        for j in positions:
            if runs and runs[-1][-1] == j - 1:
                runs[-1].append(j)
            else:
                runs.append([j])
        return all(any(j in aligned_target for j in run) for run in runs)

    found = set()
    for source in sets(n):
        for target in sets(m):
            inside = [(i, j) for i, j in links if i in source and j in target]
            closed = all((i in source) == (j in target) for i, j in links)
            if not inside or not closed:
                continue
            gaps = [p[-1] - p[0] + 1 != len(p) for p in (source, target)]
            if not any(gaps) or (all(gaps) and not both) or not adjacent(target):
                continue
            if gaps_fine(source, aligned_source) and gaps_fine(target, aligned_target):
                found.add((source, target))
    return found


def random_pair(rng: random.Random, longest: int = 6, words: int = 4) -> tuple[list[str], list[str], Links]:
    n, m = rng.randint(1, longest), rng.randint(1, longest)
    links = frozenset((i, j) for i in range(n) for j in range(m) if rng.random() < 1.2 / max(n, m))
    return [rng.choice("abcdef"[:words]) for _ in range(n)], [rng.choice("uvwxyz"[:words]) for _ in range(m)], links


def pharaoh(links: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


class Table:
    """Counts, scores and alignments of a bitext, by the formulas."""

    def __init__(self, bitext: list[tuple[list[str], list[str], Links]], longest: int = 7) -> None:
        self.joint: Counter[tuple[str, str]] = Counter()
        self.patterns: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.sentences: dict[tuple[str, str], list[int]] = defaultdict(list)
        self.words: Counter[tuple[str | None, str | None]] = Counter()
        self.labels: dict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
        for number, (source, target, links) in enumerate(bitext):
            n, m = len(source), len(target)
            for i, j in links:
                self.words[source[i], target[j]] += 1
            for i in set(range(n)) - {i for i, _ in links}:
                self.words[source[i], None] += 1
            for j in set(range(m)) - {j for _, j in links}:
                self.words[None, target[j]] += 1
            everything = blocks(n, m, links, max(n, m))
            for spans in blocks(n, m, links, longest):
                s, t, u, v = spans
                pair = " ".join(source[s:t]), " ".join(target[u:v])
                self.joint[pair] += 1
                inside = sorted((i - s, j - u) for i, j in links if s <= i < t)
                self.patterns[pair][pharaoh(inside)] += 1
                self.labels[pair][orientation(n, m, links, spans, everything)] += 1
                if number not in self.sentences[pair]:
                    self.sentences[pair].append(number)
        self.source: Counter[str] = Counter()
        self.target: Counter[str] = Counter()
        for (source_phrase, target_phrase), count in self.joint.items():
            self.source[source_phrase] += count
            self.target[target_phrase] += count

    def pattern(self, pair: tuple[str, str]) -> str:
        return min(self.patterns[pair], key=lambda text: (-self.patterns[pair][text], text))

    def lexical(self, pair: tuple[str, str], *, explain_source: bool) -> float:
        source, target = (side.split() for side in pair)
        links = [tuple(map(int, p.split("-"))) for p in self.pattern(pair).split()]
        words = source if explain_source else target

        def weight(word: str, other: str | None) -> float:
            key = (word, other) if explain_source else (other, word)
            side = 1 if explain_source else 0
            total = sum(c for k, c in self.words.items() if k[side] == other)
            return self.words[key] / total if total else 0.0

        product = 1.0
        for position, word in enumerate(words):
            others = [
                (target[j] if explain_source else source[i])
                for i, j in links
                if (i if explain_source else j) == position
            ]
            factor = sum(weight(word, o) for o in others) / len(others) if others else weight(word, None)
            product *= max(factor, 1e-5)
        return product


def is_tight(links: Links, spans: Spans) -> bool:
    """Whether all four words at the edges are aligned."""
    s, t, u, v = spans
    sources, targets = {i for i, _ in links}, {j for _, j in links}
    return {s, t - 1} <= sources and {u, v - 1} <= targets


HieroPair = tuple[tuple[str | int, ...], tuple[str | int, ...]]
"""Two sides; a nonterminal is its number, from 1."""


def hiero(
    source: list[str],
    target: list[str],
    links: Links,
    *,
    length: int = 10,
    symbols: int = 5,
    arity: int = 2,
    tight: bool = True,
    adjacent: bool = False,
    linked: bool = True,
    hole: int = 1,
    prefix: bool = False,
    loose: bool = False,
) -> list[dict[HieroPair, set[str]]]:
    """For each initial phrase pair, the rules it gives and the links each may have, by trying all sets of holes."""
    everything = sorted(blocks(len(source), len(target), links, length))
    initial = [spans for spans in everything if not tight or is_tight(links, spans)]

    def inside(a: Spans, b: Spans) -> bool:
        return a != b and b[0] <= a[0] and a[1] <= b[1] and b[2] <= a[2] and a[3] <= b[3]

    def apart(a: Spans, b: Spans) -> bool:
        return (a[1] <= b[0] or b[1] <= a[0]) and (a[3] <= b[2] or b[3] <= a[2])

    def side(words: list[str], begin: int, end: int, holes: list[tuple[int, int]]) -> tuple[list[str | int], list[int]]:
        made: list[str | int] = []
        places = []
        position = begin
        while position < end:
            number = next((n for n, (first, _) in enumerate(holes, 1) if first == position), 0)
            places.append(-1 if number else position)
            made.append(number or words[position])
            position = holes[number - 1][1] if number else position + 1
        return made, places

    def rule(spans: Spans, holes: tuple[Spans, ...]) -> tuple[HieroPair, str] | None:
        ordered = sorted(holes)
        left, left_places = side(source, spans[0], spans[1], [(a, b) for a, b, _, _ in ordered])
        right, right_places = side(target, spans[2], spans[3], [(c, d) for _, _, c, d in ordered])
        kept = [
            (left_places.index(i), right_places.index(j)) for i, j in links if i in left_places and j in right_places
        ]
        numbers = [isinstance(symbol, int) for symbol in left]
        words_first = sorted(right, key=lambda symbol: isinstance(symbol, int)) == right and isinstance(right[0], str)
        wrong = [
            len(left) > symbols,
            not adjacent and any(a and b for a, b in itertools.pairwise(numbers)),
            linked and not kept,
            any(b - a < hole for a, b, _, _ in holes),
            prefix and not words_first,
            numbers == [True],
        ]
        return None if any(wrong) else ((tuple(left), tuple(right)), pharaoh(kept))

    found = []
    for spans in initial:
        rules: dict[HieroPair, set[str]] = defaultdict(set)
        smaller = [each for each in initial if inside(each, spans)]
        for size in range(arity + 1):
            for holes in itertools.combinations(smaller, size):
                if all(apart(a, b) for a, b in itertools.combinations(holes, 2)) and (made := rule(spans, holes)):
                    rules[made[0]].add(made[1])
        found.append(rules)
    if loose and tight:
        lonely = [rule(spans, ()) for spans in everything if not is_tight(links, spans)]
        found += [{made[0]: {made[1]}} for made in lonely if made]
    return found
