"""Shallow trees and their relaxation: the worked examples of Aziz, Rios and Specia (2011)."""

from __future__ import annotations

import re
from random import Random

import pytest

from dragoman.annotations import Argument, Constituent, Frame, MissingLayer, Sentence, Span
from dragoman.annotations.brackets import format_tree
from dragoman.annotations.shallow_trees import relaxed, shallow_tree, tree_nodes
from dragoman.errors import InputError, SettingError

TEXT = "he intends to donate this money to charity , but he has not decided which yet"
WORDS = TEXT.split()
TAGS = ["PRP", "VBZ", "TO", "VB", "DT", "NN", "TO", "NN", "PUNC", "CC", "PRP", "VBZ", "RB", "VBD", "WDT", "RB"]
BASE = {"intends": "intend", "has": "have", "decided": "decide"}
LEMMAS = [BASE.get(word, word) for word in WORDS]
CHUNKS = [
    Span("NP", 0, 1), Span("VP", 1, 4), Span("NP", 4, 6), Span("PP", 6, 7), Span("NP", 7, 8), Span("NP", 10, 11),
    Span("VP", 11, 14), Span("NP", 14, 15), Span("ADVP", 15, 16),
]  # fmt: skip


def frame(predicate: int, *arguments: tuple[str, int, int]) -> Frame:
    return Frame(predicate, "", tuple(Argument(*each) for each in arguments))


FRAMES = [
    frame(1, ("A0", 0, 1), ("A1", 2, 8)),
    frame(3, ("A0", 0, 1), ("A1", 4, 6), ("A2", 6, 8)),
    frame(13, ("A0", 10, 11), ("AM-NEG", 12, 13), ("A1", 14, 15), ("AM-TMP", 15, 16)),
]
CHARITY = Sentence.of(WORDS, tags=TAGS, lemmas=LEMMAS, chunks=CHUNKS, frames=FRAMES)


def spelt(sentence: Sentence, tree: Constituent) -> str:
    return format_tree(sentence.with_layers(constituents=tree))


def test_he_intends_to_donate() -> None:
    assert spelt(CHARITY, shallow_tree(CHARITY, roles="lexicalised")) == (
        "(S (NP:A0:donate,intend (PRP he)) (VP:T:intend (VBZ intends)) (A1:intend (VP:T:donate (TO to) (VB donate)) "
        "(NP:A1:donate (DT this) (NN money)) (A2:donate (PP (TO to)) (NP (NN charity)))) (O (PUNC ,)) (O (CC but)) "
        "(NP:A0:decide (PRP he)) (VP:T:decide (VBZ has) (AM-NEG:decide (RB not)) (VBD decided)) "
        "(NP:A1:decide (WDT which)) (ADVP:AM-TMP:decide (RB yet)))"
    )
    plain = shallow_tree(CHARITY, roles="labels")
    assert ("NP:A0", 0, 1) in list(plain.spans())
    chunks = spelt(CHARITY, shallow_tree(CHARITY, roles="none"))
    assert chunks.startswith("(S (NP (PRP he)) (VP (VBZ intends) (TO to) (VB donate))")


def bare(text: str, frames: list[Frame], chunks: list[Span], lemmas: list[str]) -> str:
    words = text.split()
    sentence = Sentence.of(words, tags=["X"] * len(words), lemmas=lemmas, chunks=chunks, frames=frames)
    return re.sub(r"\(X ([^()]+)\)", r"\1", spelt(sentence, shallow_tree(sentence, roles="lexicalised")))


def test_roles_that_overlap_are_merged_or_stretched() -> None:
    chunks = [Span("NP", 0, 1), Span("VP", 1, 2), Span("NP", 2, 3), Span("NP", 3, 4), Span("VP", 4, 6)]
    frames = [
        frame(1, ("A0", 0, 1), ("A2", 2, 3), ("A1", 3, 6)),
        frame(5, ("A0", 2, 3), ("A1", 3, 4)),
    ]
    assert bare("I gave you something to eat", frames, chunks, ["I", "give", "you", "something", "to", "eat"]) == (
        "(S (NP:A0:give I) (VP:T:give gave) (NP:A0:eat;A2:give you) (A1:give (NP:A1:eat something) (VP:T:eat to eat)))"
    )


def test_spans_of_one_length_become_one_and_longer_ones_stretch() -> None:
    words, tags = list("abcd"), ["X"] * 4
    chunks = [Span("NP", place, place + 1) for place in range(4)]

    def nodes(*arguments: tuple[str, int, int]) -> list[tuple[str, int, int]]:
        # Predicates that stand apart from what they govern, so that only their arguments show.
        frames = [Frame(0, "", (Argument(*arguments[0]),)), Frame(3, "", (Argument(*arguments[1]),))]
        given = Sentence.of(words, tags=tags, lemmas=list("pbcq"), chunks=chunks, frames=frames)
        return [node for node in shallow_tree(given, roles="lexicalised").spans() if node[2] - node[1] > 1]

    assert nodes(("A1", 0, 2), ("A2", 1, 3)) == [("S", 0, 4), ("A1:p;A2:q", 0, 3)]
    assert nodes(("A1", 0, 2), ("A2", 1, 4)) == [("S", 0, 4), ("A2:q", 0, 4), ("A1:p", 0, 2)]


WANTED = {
    (0, 2): {"NP:A0:donate,intend+VP:T:intend", "S/A1:intend"}, (1, 3): {"VP:T:intend++TO"}, (2, 4): {"TO+VB"},
    (3, 5): {"VB++DT"}, (4, 6): {"DT+NN"}, (5, 7): {"NN++PP"}, (6, 8): {"PP+NP"},
    (1, 4): {"VP:T:intend++VP:T:donate"}, (2, 5): {"VP:T:donate++DT"}, (3, 6): {"VB++NP:A1:donate"},
    (4, 7): {"NP:A1:donate++PP"}, (5, 8): {"NN++A2:donate"},
    (2, 6): {"VP:T:donate+NP:A1:donate", "A1:intend/A2:donate"},
    (4, 8): {"NP:A1:donate+A2:donate", "A1:intend\\VP:T:donate"}, (2, 7): {"A1:intend//NP"},
    (3, 8): {"A1:intend\\\\TO"}, (0, 6): {"S//A2:donate"}, (0, 7): {"S//NP"},
    (1, 8): {"VP:T:intend+A1:intend", "S\\NP:A0:donate,intend"},
}  # fmt: skip


def test_relaxing_the_first_eight_words() -> None:
    """17 nodes, and 23 labels more on 19 spans."""
    given = Sentence.of(WORDS[:8], tags=TAGS[:8], lemmas=LEMMAS[:8], chunks=CHUNKS[:5], frames=FRAMES[:2])
    tree = shallow_tree(given, roles="lexicalised")
    assert len(tree_nodes(tree, given.tags)) == 17
    found: dict[tuple[int, int], set[str]] = {}
    for label, start, end in relaxed(tree, given.tags, level=2):
        found.setdefault((start, end), set()).add(label)
    assert found == WANTED
    assert sum(map(len, found.values())) == 23
    inner = {
        label for label, start, end in relaxed(tree, given.tags, level=1, label="innermost") if (start, end) == (0, 2)
    }
    assert "PRP+VBZ" in inner


def random_sentence(seed: int) -> Sentence:
    random = Random(seed)
    size = random.randint(3, 12)
    chunks, at = [], 0
    while at < size:
        end = min(size, at + random.randint(1, 3))
        if random.random() < 0.8:
            chunks.append(Span(random.choice(("NP", "VP", "PP")), at, end))
        at = end
    frames = []
    for predicate in random.sample(range(size), min(size, random.randint(0, 3))):
        cut = sorted(random.sample(range(size + 1), 2))
        frames.append(frame(predicate, (random.choice(("A0", "A1", "AM-TMP")), cut[0], cut[1])))
    words = [f"w{place}" for place in range(size)]
    return Sentence.of(words, tags=["T"] * size, lemmas=words, chunks=chunks, frames=frames)


@pytest.mark.parametrize("seed", range(80))
def test_trees_nest_and_relaxing_grows_step_by_step(seed: int) -> None:
    sentence = random_sentence(seed)
    tree = shallow_tree(sentence, roles="lexicalised")
    spans = [(start, end) for _, start, end in tree.spans()]
    assert not any(a < c < b < d for a, b in spans for c, d in spans), "nothing crosses"
    assert list(tree.leaves()) == list(range(len(sentence)))
    asked = {(role.role, frame_.predicate) for frame_ in sentence.frames for role in frame_.arguments}
    shown = " ".join(label for label, _, _ in tree.spans())
    for role, predicate in asked:
        assert re.search(rf"{role}:(\w+,)*w{predicate}\b", shown), "every role is somewhere"
    steps = [set(relaxed(tree, sentence.tags, level=level)) for level in (0, 1, 2, 4)]
    assert not steps[0]
    assert steps[1] <= steps[2] <= steps[3]
    size = len(sentence)
    covered = {(a, b) for _, a, b in steps[3]} | {(a, b) for _, a, b in tree_nodes(tree, sentence.tags)}
    assert covered == {(a, b) for a in range(size) for b in range(a + 1, size + 1)}, "at level 4 all spans have a label"


def test_binarising_adds_beginnings_or_ends() -> None:
    tree = Constituent("VP", (0, 1, 2, 3))
    assert relaxed(tree, list("abcd"), level=0, binarize="left") == (("^VP", 0, 2), ("^VP", 0, 3))
    assert relaxed(tree, list("abcd"), level=0, binarize="right") == (("^VP", 2, 4), ("^VP", 1, 4))


def test_what_is_missing_or_wrong_is_told() -> None:
    with pytest.raises(MissingLayer, match="chunks"):
        shallow_tree(Sentence.of(["a"], tags=["T"]))
    with pytest.raises(MissingLayer, match="frames"):
        shallow_tree(Sentence.of(["a"], tags=["T"], chunks=[]))
    with pytest.raises(InputError, match="chunks overlap at word 2"):
        shallow_tree(Sentence.of(list("ab"), tags=["T"] * 2, chunks=[Span("NP", 0, 2), Span("NP", 1, 2)]), roles="none")
    with pytest.raises(SettingError, match="level 3"):
        relaxed(Constituent("S", (0,)), ["T"], level=3)
    with pytest.raises(SettingError, match="must be one of none"):
        shallow_tree(CHARITY, roles="all")
