"""Dotted matching: every way in which a source with nonterminals covers a span, once."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from dragoman._native import grammar as native
from dragoman.grammar.rule import Nonterminal, Rule, Symbol
from dragoman.grammar.writing import write_table


def coverings(
    source: Sequence[Symbol], words: Sequence[str], start: int, end: int
) -> Iterator[tuple[tuple[int, int], ...]]:
    """Spans of the nonterminals, for each way in which the source covers the words, by recursion."""
    if not source:
        if start == end:
            yield ()
        return
    if isinstance(source[0], Nonterminal):
        for middle in range(start + 1, end + 1):
            for rest in coverings(source[1:], words, middle, end):
                yield ((start, middle), *rest)
    elif start < end and words[start] == source[0]:
        yield from coverings(source[1:], words, start + 1, end)


def random_sources(random_: random.Random) -> set[tuple[Symbol, ...]]:
    sources = set()
    for _ in range(random_.randint(1, 12)):
        slots = 0
        symbols: list[Symbol] = []
        for _ in range(random_.randint(1, 6)):
            if slots < 3 and random_.random() < 0.45:
                symbols.append(Nonterminal(random_.choice(["X", "Y"]), slots))
                slots += 1
            else:
                symbols.append(random_.choice("abc"))
        sources.add(tuple(symbols))
    return sources


@pytest.mark.parametrize("seed", range(40))
def test_matches_are_those_of_brute_force(tmp_path: Path, seed: int) -> None:
    random_ = random.Random(seed)
    sources = random_sources(random_)
    rules = [Rule(source, (*(s for s in source if isinstance(s, Nonterminal)), "w")) for source in sources]
    table = write_table(rules, tmp_path / "t", columns=[])
    words = [random_.choice("abcd") for _ in range(random_.randint(1, 7))]
    max_span = random_.choice([0, 2, 4])
    wanted = []
    for source in sources:
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + (max_span or len(words))) + 1):
                wanted += [(start, end, spans, str(source)) for spans in coverings(source, words, start, end)]
    found = [
        (match.start, match.end, match.spans, str(table.rule(match.first).source))
        for match in table.match_dotted(words, max_span=max_span)
    ]
    assert sorted(found) == sorted(wanted)


def test_a_source_that_fits_in_several_ways_comes_several_times(tmp_path: Path) -> None:
    """Worked example for Siahbani, Sankaran and Sarkar (2013)."""
    rule = Rule((Nonterminal("X", 0), "the", Nonterminal("X", 1)), (Nonterminal("X", 1), "x", Nonterminal("X", 0)))
    table = write_table([rule], tmp_path / "t", columns=[])
    whole = [m.spans for m in table.match_dotted("ok , the more the better") if (m.start, m.end) == (0, 6)]
    assert whole == [((0, 2), (3, 6)), ((0, 4), (5, 6))]


def test_hidden_and_added_rules_are_seen(tmp_path: Path) -> None:
    slot = Nonterminal("X", 0)
    table = write_table([Rule(("a", slot), ("w", slot)), Rule(("a", "b"), ("v",))], tmp_path / "t", columns=[])
    hidden = table.find("a b", "v")
    assert hidden is not None
    layered = native.LayeredTable(table.native)
    layered.hide(hidden)
    words = [layered.intern_source(word) for word in ("a", "b", "new")]
    layered.add(np.array(words[1:], np.uint32), np.array([1], np.uint32), links=[], values=[], counts=(0.0, 0.0, 0.0))
    found = layered.view().match_dotted(np.array(words, np.uint32), max_span=0)
    kept = 1 - hidden
    assert sorted(found) == [
        (0, 2, kept, kept + 1, [(1, 2)]),
        (0, 3, kept, kept + 1, [(1, 3)]),
        (1, 3, 2, 3, []),
    ]
