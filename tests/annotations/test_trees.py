"""Trees carried over: constituents through heads, trees through links, layers through letters."""

from __future__ import annotations

import itertools
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.annotations import Argument, Constituent, Dependencies, Frame, Sentence, brackets, conllu
from dragoman.annotations.head_trees import HeadTree, decode, encode
from dragoman.annotations.layers import Span, Trace
from dragoman.annotations.offsets import locate_loosely, transfer
from dragoman.annotations.projection import project, uncrossed, whole_tree
from dragoman.errors import InputError
from dragoman.text import synthetic
from dragoman.text.tokenizer import Tokenizer
from tests.features.test_templates import random_tree as random_constituents


@pytest.mark.slow
def test_constituents_come_back_from_heads(data: Path) -> None:
    trees = [tree for tree in brackets.read(data / "treebanks/penn-sample/dev.trees") if tree is not None]
    for tree in trees:
        assert decode(encode(tree.constituents, tree.tags)) == tree.constituents


@given(st.data(), st.integers(1, 12))
def test_whatever_heads_say_is_a_tree_over_all_words(draw: st.DataObject, size: int) -> None:
    heads = draw.draw(st.lists(st.integers(-1, size - 1), min_size=size, max_size=size))
    labels = draw.draw(st.lists(st.sampled_from(["NP 0", "S 1", "X+Y 2", "root", "dep"]), min_size=size, max_size=size))
    tree = whole_tree(heads, labels)
    lifted = uncrossed(tree.heads)
    assert Dependencies(lifted, tree.labels).projective
    constituents = decode(HeadTree(tree.heads, tuple(labels), ("NP",) * size))
    assert list(constituents.leaves()) == list(range(size))


def test_gold_links_carry_trees_over() -> None:
    """Between languages of the generator, where links are known, most heads arrive."""
    right = total = 0
    for item in synthetic.pair("en-de").generate(60, seed=3):
        source, target = item.source.annotated, item.target.annotated
        found = project(source, target.words, item.alignment)
        assert found.sentence.words == target.words
        right += sum(a == b for a, b in zip(found.sentence.dependencies.heads, target.dependencies.heads, strict=True))
        total += len(target)
    assert right / total > 0.7


def test_links_out_of_range_are_refused() -> None:
    source = Sentence.of(["a"], dependencies=([-1], ["root"]))
    with pytest.raises(InputError, match="link 0-3"):
        project(source, ["b"], [(0, 3)])


def test_layers_over_other_tokens() -> None:
    parsed = Sentence.of(
        ["“", "Dr.", "Who", "”", "ca", "n't", "wait"],
        text="“Dr. Who” can't wait",
        lemmas=["“", "Dr.", "Who", "”", "can", "not", "wait"],
        dependencies=([1, 6, 1, 1, 6, 6, -1], ["punct", "nsubj", "flat", "punct", "aux", "advmod", "root"]),
        frames=[Frame(6, "wait.01", (Argument("A0", 0, 4), Argument("AM-NEG", 5, 6)))],
        entities=[Span("PERSON", 1, 3)],
    )
    moses = ["&quot;", "dr.", "who", "&quot;", "can", "&apos;t", "wait"]
    laid = transfer(parsed, locate_loosely(moses, parsed.text))
    assert (laid.unplaced, laid.dropped) == (0, 0)
    assert laid.sentence.frames[0].roles() == {"A0": (0, 1, 2, 3), "AM-NEG": (4, 5)}
    assert laid.sentence.entities == (Span("PERSON", 1, 3),)
    assert laid.sentence.dependencies.heads == (1, 6, 1, 1, 6, 6, -1)
    strange = transfer(parsed, locate_loosely(["nothing", "who", "wait"], parsed.text))
    assert strange.unplaced == 1
    assert strange.sentence.dependencies.heads == (2, 2, -1)


def test_phrases_still_nest_where_a_preposition_is_glued_to_its_noun() -> None:
    """The token stands where its longest piece did, and the preposition is gone: PP and NP are one span."""
    parsed = brackets.parse_tree("(S (NP (PRP I)) (VP (VBP live) (PP (IN in) (NP (NNP Rome)))))")
    glued = transfer(parsed, locate_loosely(["I", "live", "inRome"], "I live inRome")).sentence
    assert [*glued.constituents.spans()] == [("S", 0, 3), ("NP", 0, 1), ("VP", 1, 3), ("PP", 2, 3), ("NP", 2, 3)]
    parted = transfer(parsed, locate_loosely(["I", "live", "in", "Ro", "me"], "I live inRome")).sentence
    assert [*parted.constituents.spans()][-2:] == [("PP", 2, 5), ("NP", 3, 5)]


@given(st.integers(1, 12), st.randoms())
def test_spans_are_those_of_the_leaves(size: int, random: Random) -> None:
    tree = random_constituents(0, size, random)
    tree = Constituent("S", (Constituent("NP", (Trace("*"),)), tree, Trace("*T*")))
    expected = [(node.label, leaves[0], leaves[-1] + 1) for node in tree.subtrees() if (leaves := list(node.leaves()))]
    assert list(tree.spans()) == expected


def _nested(tree: Constituent) -> bool:
    spans = [(start, end) for _, start, end in tree.spans()]
    return not any(a < c < b < d for a, b in spans for c, d in spans)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=8), st.randoms())
def test_phrases_nest_over_whatever_tokens(lengths: list[int], random: Random) -> None:
    words = ["abc"[:length] for length in lengths]
    text = "".join(words)
    tree = Sentence.of(words, text=text, constituents=random_constituents(0, len(words), random))
    cuts = sorted({0, len(text), *(random.randrange(len(text)) for _ in range(4))})
    tokens = [text[a:b] for a, b in itertools.pairwise(cuts)]
    laid = transfer(tree, locate_loosely(tokens, text)).sentence.constituents
    assert _nested(laid)
    leaves = list(laid.leaves())
    assert leaves == sorted(set(leaves))


@pytest.mark.slow
def test_offsets_on_real_text(data: Path) -> None:
    """Treebank words against Moses tokens of the same raw text: all but a few tokens find their place."""
    sentences = list(conllu.read(data / "treebanks/ud/en_ewt-ud-dev.conllu.gz"))[:500]
    tokenizer = Tokenizer("en", escape=True)
    tokens = tokenizer.tokenize([sentence.text for sentence in sentences])
    total = unplaced = 0
    for sentence, words in zip(sentences, tokens, strict=True):
        laid = transfer(sentence, locate_loosely(words, sentence.text))
        assert laid.sentence.words == tuple(words)
        total += len(words)
        unplaced += laid.unplaced
    assert unplaced <= 0.001 * total


def test_phrases_over_single_words() -> None:
    tree = Constituent("S", (Constituent("VP", (0,)),))
    assert encode(tree, ["VB"]) == HeadTree((-1,), ("root",), ("S+VP",))
    assert decode(encode(tree, ["VB"])) == tree
