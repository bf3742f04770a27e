"""Rules that fit dependency trees: worked examples, and both ways of extraction against brute force."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dragoman.annotations import Dependencies, MissingLayer, Sentence
from dragoman.annotations.projective import in_order, reordered
from dragoman.errors import LengthMismatch
from dragoman.grammar.constraints import fits, tree_line
from dragoman.grammar.hiero import hiero_rules
from dragoman.grammar.limits import SYSTEMS, HieroLimits, PhraseLimits
from dragoman.grammar.phrases import extract, phrase_spans
from dragoman.grammar.rule import Nonterminal, Rule, Symbol
from dragoman.grammar.table import RuleTable
from tests.annotations.test_projective import random_tree

Links = list[tuple[int, int]]
UNLIMITED: dict[str, Any] = {"max_depth": 100, "max_size": 100, "max_nodes": 100, "max_scope": 100}


def rules_of(source: str, target: str, links: Links, tree: Dependencies, **limits: object) -> Counter[tuple[str, str]]:
    chosen = HieroLimits.from_dict({"dependencies": "source", **limits})
    found = hiero_rules(source, target, links, limits=chosen, tree=tree, part="gaps")
    return Counter(spelt(rule) for rule, _ in found)


def spelt(rule: Rule) -> tuple[str, str]:
    sides = [
        [f"[X,{s.index + 1}]" if isinstance(s, Nonterminal) else s for s in side] for side in (rule.source, rule.target)
    ]
    return " ".join(sides[0]), " ".join(sides[1])


NUR = "ich möchte nur wenige anmerkungen machen ."
JUST = "i should like to make just a few comments ."
NUR_LINKS = [(0, 0), (1, 1), (1, 2), (1, 3), (2, 5), (3, 6), (3, 7), (4, 8), (5, 4), (6, 9)]
NUR_TREE = Dependencies((1, -1, 3, 4, 5, 1, 1), ("x",) * 7)


def test_just_a_few_comments() -> None:
    """Graham (2013), figure 5: 25 rules without limits, 18 with the usual ones."""
    found = rules_of(NUR, JUST, NUR_LINKS, NUR_TREE, **UNLIMITED)
    assert found.total() == 25
    assert found["[X,1] möchte [X,2] [X,3]", "[X,1] should like to [X,2] [X,3]"] == 1
    assert found["[X,1] machen", "make [X,1]"] == 1
    assert found["[X,1] wenige anmerkungen machen", "make [X,1] a few comments"] == 1
    limited = rules_of(NUR, JUST, NUR_LINKS, NUR_TREE)
    assert limited.total() == 18
    assert not limited - found
    dropped = found - limited
    assert all("wenige" in source and "möchte" in source for source, _ in dropped)


def test_white_house() -> None:
    links, white, blanca = [(0, 1), (1, 0)], Dependencies((1, -1), ("x", "x")), Dependencies((-1, 0), ("x", "x"))
    for side, tree in (("source", white), ("target", blanca)):
        for constraint in ("ghkm", "filter"):
            found = rules_of("white house", "casa blanca", links, tree, dependencies=side, constraint=constraint)
            assert found == {("[X,1] house", "casa [X,1]"): 1}


def test_trees_are_put_in_order_with_their_links() -> None:
    tree = Dependencies((4, -1, 3, 1, 1, 1), ("x",) * 6)
    line = tree_line("when did the crisis begin ?", "wann denn", "0-1", tree, side="source", crossing="reorder")
    assert (line.source, line.links) == ("did the crisis when begin ?", "3-1")
    line = tree_line("wann denn", "when did the crisis begin ?", "1-0", tree, side="target", crossing="reorder")
    assert (line.source, line.target, line.links) == ("wann denn", "did the crisis when begin ?", "1-3")
    assert tree_line("a b c d e f", "x", "0-0", tree, side="source", crossing="lift").source == "a b c d e f"


# Brute force


def frontier(tree: Dependencies, links: Links, size: int) -> dict[int, tuple[int, int]]:
    """Words whose subtree may become a nonterminal, with the string positions that it stands for, as defined."""
    owners: dict[int, set[int]] = {j: {i for i, k in links if k == j} for j in range(size)}
    linked = [j for j in range(size) if owners[j]]

    def above(word: int) -> list[int]:
        return [word, *above(tree.heads[word])] if word >= 0 else []

    attached: dict[int, set[int]] = {}
    for j in range(size):
        if owners[j]:
            continue
        left, right = [k for k in linked if k < j], [k for k in linked if k > j]
        if left and right:
            words = owners[left[-1]] | owners[right[0]]
            shared = set.intersection(*(set(above(word)) for word in words))
            attached[j] = {max(shared, key=lambda word: len(above(word)))}
        else:
            attached[j] = {tree.root}
    owners |= attached
    spans = {h: {j for j in range(size) if owners[j] & set(tree.subtree(h))} for h in range(len(tree))}
    found = {}
    for h, span in spans.items():
        outside = {j for j in range(size) if owners[j] - set(tree.subtree(h))}
        if not span or set(range(min(span), max(span) + 1)) & outside:
            continue
        if tree.heads[h] >= 0 and span == spans[tree.heads[h]]:
            continue
        found[h] = (min(span), max(span) + 1)
    return found


def every_rule(source: list[str], target: list[str], links: Links, tree: Dependencies) -> Counter[tuple[str, str]]:
    """All rules with nonterminals: every set of closed subtrees below every subtree that may be a left-hand side."""
    spans = frontier(tree, links, len(target))
    found: Counter[tuple[str, str]] = Counter()
    for top in spans:
        below = [word for word in tree.subtree(top) if word != top and word in spans]
        for count in range(1, len(below) + 1):
            for closed in itertools.combinations(below, count):
                if any(a in tree.subtree(b) for a, b in itertools.permutations(closed, 2)):
                    continue
                hidden = {word for each in closed for word in tree.subtree(each)}
                order = {word: number for number, word in enumerate(closed, 1)}
                first = {tree.subtree(each)[0]: each for each in closed}
                left = [
                    f"[X,{order[first[word]]}]" if word in first else source[word]
                    for word in tree.subtree(top)
                    if word in first or word not in hidden
                ]
                starts, covered = {}, set()
                for each in closed:
                    starts[spans[each][0]] = each
                    covered |= set(range(*spans[each]))
                right = [
                    f"[X,{order[starts[j]]}]" if j in starts else target[j]
                    for j in range(*spans[top])
                    if j in starts or j not in covered
                ]
                found[" ".join(left), " ".join(right)] += 1
    return found


def random_pair(seed: int) -> tuple[list[str], list[str], Links, Dependencies]:
    random = Random(seed)
    size, other = random.randint(2, 6), random.randint(1, 5)
    tree = random_tree(random, size)
    tree = reordered(tree, in_order(tree))
    links = sorted({(random.randrange(size), random.randrange(other)) for _ in range(random.randint(1, size + 2))})
    return [f"s{i}" for i in range(size)], [f"t{j}" for j in range(other)], links, tree


@pytest.mark.parametrize("seed", range(60))
def test_rules_of_trees_equal_brute_force(seed: int) -> None:
    source, target, links, tree = random_pair(seed)
    expected = every_rule(source, target, links, tree)
    assert rules_of(" ".join(source), " ".join(target), links, tree, **UNLIMITED) == expected
    minimal = rules_of(
        " ".join(source), " ".join(target), links, tree, max_depth=1, max_size=1, max_nodes=1, max_scope=99
    )
    assert not minimal - expected


@pytest.mark.parametrize("seed", range(60))
def test_exchanging_the_sides_exchanges_the_rules(seed: int) -> None:
    source, target, links, tree = random_pair(seed)
    ours = hiero_rules(
        " ".join(source),
        " ".join(target),
        links,
        tree=tree,
        part="gaps",
        limits=HieroLimits.from_dict({"dependencies": "source", **UNLIMITED}),
    )
    theirs = hiero_rules(
        " ".join(target),
        " ".join(source),
        [(b, a) for a, b in links],
        tree=tree,
        part="gaps",
        limits=HieroLimits.from_dict({"dependencies": "target", **UNLIMITED}),
    )
    assert Counter(renumbered(rule.target, rule.source) for rule, _ in ours) == Counter(
        renumbered(rule.source, rule.target) for rule, _ in theirs
    )


def renumbered(source: tuple[Symbol, ...], target: tuple[Symbol, ...]) -> tuple[str, str]:
    """Both sides with nonterminals numbered by the first of them."""
    order = {s.index: n for n, s in enumerate([s for s in source if isinstance(s, Nonterminal)], 1)}

    def spelt(side: tuple[Symbol, ...]) -> str:
        return " ".join(f"[X,{order[s.index]}]" if isinstance(s, Nonterminal) else s for s in side)

    return spelt(source), spelt(target)


def every_fitting_rule(source: list[str], target: list[str], links: Links, tree: Dependencies) -> set[tuple[str, str]]:
    """All rules of loose phrase pairs whose gaps are subtrees with their heads among the words of the rule."""
    pairs = phrase_spans(len(source), len(target), links, limits=PhraseLimits(max_source=99, max_target=99))
    subtrees = {tree.subtree(word): word for word in range(len(tree))}
    found = set()
    for (start, end), (low, high) in pairs:
        inside = [
            (gap, there)
            for gap, there in pairs
            if start <= gap[0] and gap[1] <= end and low <= there[0] and there[1] <= high
            if tuple(range(*gap)) in subtrees
        ]
        for count in range(1, 4):
            for gaps in itertools.combinations(sorted(inside), count):
                if any(
                    a < d and c < b
                    for sides in zip(*gaps, strict=True)
                    for (a, b), (c, d) in itertools.combinations(sides, 2)
                ):
                    continue
                hidden = {word for gap, _ in gaps for word in range(*gap)}
                heads = {tree.heads[subtrees[tuple(range(*gap))]] for gap, _ in gaps}
                if not all(start <= head < end and head not in hidden for head in heads):
                    continue
                left, right = (
                    [
                        f"[X,{[gap[side][0] for gap in gaps].index(word) + 1}]"
                        if word in {gap[side][0] for gap in gaps}
                        else words[word]
                        for word in range(*whole)
                        if word in {gap[side][0] for gap in gaps}
                        or not any(gap[side][0] <= word < gap[side][1] for gap in gaps)
                    ]
                    for side, words, whole in ((0, source, (start, end)), (1, target, (low, high)))
                )
                found.add((" ".join(left), " ".join(right)))
    return found


LOOSE: dict[str, Any] = {
    "tight": False,
    "linked_words": False,
    "max_symbols": 50,
    "max_nonterminals": 3,
    "adjacent": True,
}


@pytest.mark.parametrize("seed", range(60))
def test_the_filter_equals_brute_force_and_has_all_rules_of_the_tree(seed: int) -> None:
    source, target, links, tree = random_pair(seed)
    pair = " ".join(source), " ".join(target)
    filtered = set(rules_of(*pair, links, tree, constraint="filter", **LOOSE))
    assert filtered == every_fitting_rule(source, target, links, tree)
    plain = {spelt(rule) for rule, _ in hiero_rules(*pair, links, limits=HieroLimits.from_dict(LOOSE), part="gaps")}
    assert filtered <= plain, "the filter takes ordinary rules"
    of_tree = {rule for rule in rules_of(*pair, links, tree, **UNLIMITED) if "[X,4]" not in rule[0]}
    assert of_tree <= filtered, "rules of the tree fit it"


def test_a_single_rule_can_be_held_against_a_tree() -> None:
    tree = Dependencies((1, -1), ("x", "x"))
    gap = Nonterminal("X", 0)
    assert fits(Rule((gap, "house"), ("casa", gap)), tree, 0, [1])
    assert not fits(Rule(("white", gap), (gap, "blanca")), tree, 0, [1])


# Whole corpora


def bitext(folder: Path) -> tuple[list[str], list[str], list[str], list[Sentence]]:
    source = ["when did the crisis begin ?", NUR, "white house"]
    target = ["wann begann die krise ?", JUST, "casa blanca"]
    links = ["0-0 1-1 2-2 3-3 4-1 5-4", " ".join(f"{a}-{b}" for a, b in NUR_LINKS), "0-1 1-0"]
    trees = [Dependencies((4, -1, 3, 1, 1, 1), ("x",) * 6), NUR_TREE, Dependencies((1, -1), ("x", "x"))]
    return source, target, links, [Sentence.of(s.split(), dependencies=t) for s, t in zip(source, trees, strict=True)]


def turned(links: str) -> str:
    return " ".join(sorted("-".join(reversed(link.split("-"))) for link in links.split()))


def spelt_rules(table: RuleTable) -> set[tuple[str, str]]:
    return {spelt(table.rule(n)) for n in range(len(table))}


@pytest.mark.parametrize("side", ["sl", "tl"])
@pytest.mark.parametrize("form", ["dc-{}-npr", "dc-{}-pr", "hpb-{}-re", "hpb-{}-are"])
def test_systems_share_their_rules_of_words(form: str, side: str, tmp_path: Path) -> None:
    source, target, links, annotations = bitext(tmp_path)
    system, tree_side = form.format(side), {"sl": "source", "tl": "target"}[side]
    trees: dict[str, Any] = {"annotations": annotations}
    if side == "tl":
        source, target, links, trees = target, source, list(map(turned, links)), {"target_annotations": annotations}
    plain = extract(source, target, links, tmp_path / "plain", limits=HieroLimits.from_dict(SYSTEMS["hpb-orig"])).table
    limits = HieroLimits.from_dict(SYSTEMS[system])
    made = extract(source, target, links, tmp_path / system, limits=limits, **trees)
    words = {rule for rule in spelt_rules(plain) if "[X," not in rule[0]}
    ours = {rule for rule in spelt_rules(made.table) if "[X," not in rule[0]}
    if form == "hpb-{}-are":
        moved = ("did the crisis when begin", "wann begann die krise")
        assert (moved if side == "sl" else moved[::-1]) in ours - words
    else:
        assert ours == words
    assert f"1 of 3 trees of the {tree_side} side have crossing arcs" in made.notes
    if system == "dc-sl-npr":
        assert ("[X,1] möchte [X,2] [X,3]", "[X,1] should like to [X,2] [X,3]") in spelt_rules(made.table)
        assert max(made.table.arities) == 3
        assert made.table.with_gaps == len(spelt_rules(made.table)) - len(words)
        assert made.table.metadata["max_span"] == "0"


def test_trees_that_do_not_belong_are_refused(tmp_path: Path) -> None:
    source, target, links, annotations = bitext(tmp_path)
    limits = HieroLimits.from_dict(SYSTEMS["dc-sl-npr"])
    with pytest.raises(MissingLayer, match="no dependency trees of the source side"):
        extract(source, target, links, tmp_path / "t", limits=limits)
    with pytest.raises(MissingLayer, match="no dependency trees of the target side"):
        extract(
            source,
            target,
            links,
            tmp_path / "t",
            limits=HieroLimits.from_dict(SYSTEMS["dc-tl-npr"]),
            annotations=annotations,
        )
    with pytest.raises(LengthMismatch, match="2 annotated lines"):
        extract(source, target, links, tmp_path / "t", limits=limits, annotations=annotations[:2])
    with pytest.raises(LengthMismatch, match="a tree of 2 words for 7 tokens") as error:
        extract(
            source,
            target,
            links,
            tmp_path / "t",
            limits=limits,
            annotations=[annotations[0], annotations[2], annotations[2]],
        )
    assert "line 2" in str(error.value)


def test_lines_without_a_tree_teach_rules_of_words(tmp_path: Path) -> None:
    source, target, links, annotations = bitext(tmp_path)
    bare = [annotations[0], Sentence.of(source[1].split()), annotations[2]]
    limits = HieroLimits.from_dict(SYSTEMS["dc-sl-npr"])
    made = extract(source, target, links, tmp_path / "t", limits=limits, annotations=bare)
    assert "1 lines have no tree: they taught only rules of words" in made.notes
    assert ("nur", "just") in spelt_rules(made.table)
    assert not any("möchte" in rule[0] and "[X," in rule[0] for rule in spelt_rules(made.table))


@pytest.mark.slow
def test_words_with_too_many_rules_are_told(tmp_path: Path) -> None:
    """Of 18 words that hang on a last one each may stay closed: 2^18 rules, of which 100,000 are taken."""
    words = " ".join(f"w{i}" for i in range(19))
    links = " ".join(f"{i}-{i}" for i in range(19))
    tree = Sentence.of(words.split(), dependencies=Dependencies((*[18] * 18, -1), ("x",) * 19))
    for nodes, notes in ((15, 0), (100, 1)):
        limits = HieroLimits.from_dict({**SYSTEMS["dc-sl-npr"], "max_nodes": nodes, "max_scope": 100})
        made = extract([words], [words], [links], tmp_path / "t", limits=limits, annotations=[tree])
        assert sum("1 words of trees have more rules than are taken" in note for note in made.notes) == notes
