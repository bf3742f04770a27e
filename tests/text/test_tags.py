"""Tags after translation: well-formed, around the targets of what they were around, whatever the order of words."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.text.prepared import PreparedSentence
from dragoman.text.preprocessor import Preprocessing, Preprocessor

Links = list[tuple[int, int]]


@cache
def plain(language: str = "en") -> Preprocessor:
    return Preprocessor(Preprocessing(language=language, case="keep"))


def words_of(sentence: PreparedSentence) -> list[int]:
    return [index for index in range(len(sentence.words)) if index not in sentence.protected]


def restored(raw: str, target: str, order: str, goal: str = "fr") -> str:
    """`order` links the n-th source word to target words: `0 2,3 - 1`."""
    prepared = plain().prepare(raw)
    (sentence,) = prepared.sentences
    links = [
        (index, int(place))
        for index, places in zip(words_of(sentence), order.split(), strict=True)
        if places != "-"
        for place in places.split(",")
    ]
    return plain(goal).restore([target.split()], prepared, [links])


@pytest.mark.parametrize(
    ("raw", "target", "order", "expected"),
    [
        (
            "a <i>graphical interface</i> for the package",
            "une interface graphique pour le paquet",
            "0 2 1 3 4 5",
            "une <i>interface graphique</i> pour le paquet",
        ),
        ("the <b>red</b> house", "la maison rouge", "0 2 1", "la maison <b>rouge</b>"),
        ("the <b>red <i>big</i></b> house", "la gros maison rouge", "0 3 1 2", "la <b><i>gros</i> maison rouge</b>"),
        # Content of another pair in between: split.
        ("<b>do not</b> <i>go</i>", "ne va pas", "- 0,2 1", "<b>ne</b> <i>va</i> <b>pas</b>"),
        # An identifier stays unique.
        (
            '<a id="1">do not</a> <i>go</i> there now',
            "ne va pas là maintenant",
            "- 0,2,3 1 4 -",
            'ne <i>va</i> <a id="1">pas là</a> maintenant',
        ),
        # Words without links at the edge belong to a pair that goes to the edge.
        ("<p>house</p>", "la maison !", "1", "<p>la maison !</p>"),
        ("the <b>cat</b>", "le chat noir", "0 1", "le <b>chat noir</b>"),
        # Empty pairs and single tags stay with their neighbour.
        ("big <a></a>house", "maison grande", "1 0", "<a></a>maison grande"),
        ("press <br/> now", "jetzt drücken", "1 0", "jetzt drücken <br/>"),
        ("the <img/>icon here", "ici le icône", "1 2 0", "ici le <img/>icône"),
        ("<b>the <img/>icon</b> here", "ici le icône", "1 2 0", "ici <b>le <img/>icône</b>"),
        # A tag without partner at the edge stays there.
        ("<p>red house", "maison rouge", "1 0", "<p>maison rouge"),
        ("red house</p>", "maison rouge", "1 0", "maison rouge</p>"),
        # Content that has no target: the pair is kept.
        ("the <b>very</b> house", "la maison", "0 - 1", "la <b></b> maison"),
    ],
)  # fmt: skip
def test_where_tags_go(raw: str, target: str, order: str, expected: str) -> None:
    assert restored(raw, target, order) == expected


@st.composite
def marked_text(draw: st.DrawFn) -> str:
    """Words `w0 w1 ...` with pairs `<t1>`, `<t2 id="2">` around some, nested, and single tags `<s3/>` between."""
    count = draw(st.integers(1, 9))
    number = iter(range(1000))

    def part(words: list[int], depth: int) -> list[str]:
        pieces: list[str] = []
        at = 0
        for choice in draw(st.lists(st.integers(0, 7), max_size=6)) if depth else []:
            if choice < 3:
                end = draw(st.integers(at, len(words)))
                name = next(number)
                identifier = f' id="{name}"' if choice == 2 else ""
                pieces += [f"<t{name}{identifier}>", *part(words[at:end], depth - 1), f"</t{name}>"]
                at = end
            elif choice == 3:
                pieces.append(f"<s{next(number)}/>")
            elif at < len(words):
                pieces.append(f"w{words[at]}")
                at += 1
        return [*pieces, *(f"w{word}" for word in words[at:])]

    return " ".join(part(list(range(count)), 3))


def enclosing(pieces: list[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Each word with the names of the pairs that it is in."""
    opened: list[str] = []
    found = []
    for piece in pieces:
        if piece.startswith("</"):
            assert opened.pop() == piece[2:-1]
        elif piece.startswith("<s"):
            found.append((piece, tuple(opened)))
        elif piece.startswith("<"):
            opened.append(piece.strip("<>").split()[0])
        else:
            found.append((piece, tuple(opened)))
    return found


PIECE = re.compile(r"<[^>]+>|[^<\s]+")


@pytest.mark.slow
@given(st.data())
@settings(max_examples=300, deadline=None)
def test_any_reordering(data: st.DataObject) -> None:
    raw = data.draw(marked_text())
    prepared = plain().prepare(raw)
    (sentence,) = prepared.sentences
    sources = words_of(sentence)
    # Each source word becomes none, one or two target words, in any order, with unlinked words in between.
    bag = [place for place in range(len(sources)) for _ in range(data.draw(st.integers(0, 2)))]
    bag += [-1] * data.draw(st.integers(0, 2))
    order = data.draw(st.permutations(bag)) or [-1]
    links = [(sources[place], target) for target, place in enumerate(order) if place >= 0]
    text = plain().restore([[f"v{target}" for target in range(len(order))]], prepared, [links])

    ET.fromstring(f"<r>{text}</r>")
    pieces = PIECE.findall(text)
    assert [piece for piece in pieces if piece[0] != "<"] == [f"v{target}" for target in range(len(order))]
    counts, given_counts = Counter(pieces), Counter(PIECE.findall(raw))
    for tag in given_counts:
        if tag[0] == "<":
            assert counts[tag] >= 1
            if tag.startswith("<s") or "id=" in tag:
                assert counts[tag] == 1
    if not links:
        return
    before = dict(enclosing(PIECE.findall(raw)))
    after = dict(enclosing(pieces))
    unique = set(re.findall(r"<(t\d+) id=", raw))
    for target, place in enumerate(order):
        if place < 0:
            continue
        inside = set(after[f"v{target}"])
        belongs = set(before[f"w{sources.index(sources[place])}"])
        # All of its pairs are around it, but for those that may not be split and what is in them.
        if not belongs & unique:
            assert belongs <= inside
            # A pair around it that is not its own has only words of no other pair than its own in between.
            for other in inside - belongs:
                assert not belongs or all(pair in ancestors(before, other) for pair in belongs)
    for tag, pairs in before.items():
        if tag.startswith("<s"):
            assert set(pairs) <= set(after[tag])
    split = {tag for tag in counts if tag[0] == "<" and counts[tag] > 1}
    if not split and order == list(range(len(sources))):
        assert PIECE.sub(lambda piece: piece.group().replace("v", "w"), text) == raw


def ancestors(words: dict[str, tuple[str, ...]], pair: str) -> set[str]:
    """The pairs around a pair, if any word says so."""
    return {each for pairs in words.values() if pair in pairs for each in pairs[: pairs.index(pair)]} or {
        each for pairs in words.values() for each in pairs
    }


@given(marked_text())
@settings(max_examples=200, deadline=None)
def test_the_same_order_gives_the_same_text(raw: str) -> None:
    prepared = plain().prepare(raw)
    (sentence,) = prepared.sentences
    links = [(index, place) for place, index in enumerate(words_of(sentence))]
    target = [sentence.words[index].replace("w", "v") for index in words_of(sentence)]
    text = plain().restore([target], prepared, [links])
    assert re.sub(r"\bv(\d)", r"w\1", text) == raw


@pytest.mark.slow
def test_tags_inside_each_other_without_end_take_no_more_time() -> None:
    deep = "<b>w " * 3000 + "</b> " * 3000
    prepared = plain().prepare(deep)
    (sentence,) = prepared.sentences
    links = [(index, place) for place, index in enumerate(reversed(words_of(sentence)))]
    text = plain().restore([["v"] * 3000], prepared, [links])
    assert text.count("<b>") >= 3000
    assert text.count("v") == 3000
