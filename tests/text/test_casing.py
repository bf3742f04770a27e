"""Case: nothing that means something changes, and capitals only where source or language ask for them."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.casing import is_code, recased, untouchable
from dragoman.text.preprocessor import Preprocessing, Preprocessor

SEEN = [
    "We use -V and SQL and the option.",
    "We see the house and Path and sql and Usr and apt.",
    "It is a house: the option -V is big.",
    "Is it so? the house, we think, in use.",
]


@cache
def truecasing(language: str) -> Preprocessor:
    return Preprocessor.train(Preprocessing(language=language, case="truecase"), SEEN)


@cache
def lowercasing() -> Preprocessor:
    return Preprocessor(Preprocessing(language="en", case="lowercase"))


@pytest.mark.parametrize(
    ("raw", "tokens"),
    [
        ("Use -v now", "use -v now"),
        ("the file /usr/path stays", "the file ⟦path:0⟧ stays"),
        ("the SQL file", "the SQL file"),
        ("HOUSE OPTION", "house option"),
        ("the fooHouse", "the fooHouse"),
        ("House", "house"),
    ],
)
def test_truecasing_leaves_code_and_acronyms_alone(raw: str, tokens: str) -> None:
    assert " ".join(truecasing("en").prepare(raw).tokens[0]) == tokens


def test_what_is_code() -> None:
    for chunk in ("-v", "--help", "a/b", "x86", "foo_bar", "main()", "a.out", "fooBar", "C++", "key=value", "~/x"):
        assert is_code(chunk), chunk
    for chunk in ("house", "House", "well-known", "it's", "(end).", "NATO", "-", "3.", "l'URL"):
        assert not is_code(chunk) or chunk == "3.", chunk
    raw = "See /Etc/x of SQL"
    assert untouchable(raw, [(0, 3), (4, 5), (5, 8), (8, 9), (9, 10), (11, 13), (14, 17)]) == [
        False,
        True,
        True,
        True,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("raw", "target", "links", "expected"),
    [
        # A copied token keeps its case, and is not given a capital at the start if the language does not know it.
        ("Use -v", "-v nehmen", "1-0 0-1", "-v nehmen"),
        ("Run frobnicate", "frobnicate laufen", "1-0 0-1", "frobnicate laufen"),
        ("Run the house", "das house laufen", "2-1 0-2", "Das house laufen"),
        ("See /usr/bin", "⟦path:0⟧ sehen", "1-0 0-1", "/usr/bin sehen"),
        ("Use libX", "libX nehmen", "1-0 0-1", "libX nehmen"),
        # Marks: a capital after those that have one after them.
        ("Note: it is. The end: here", "merke : es ist . das ende : hier", "", "Merke: es ist. Das ende: hier"),
        ("Note: The end", "merke : das ende", "", "Merke: Das ende"),
        ("Is it? yes", "ist es ? ja", "", "Ist es? ja"),
        # The capital of the first word stays at the beginning.
        ("The house", "haus the", "0-1 1-0", "Haus the"),
        # Acronyms are not shouted.
        ("SQL USB", "USB mit SQL", "0-2 1-0", "USB mit SQL"),
    ],
)
def test_capitals_of_a_translation(raw: str, target: str, links: str, expected: str) -> None:
    prepared = truecasing("en").prepare(raw)
    found = [(int(a), int(b)) for a, b in (link.split("-") for link in links.split())]
    assert truecasing("de").restore([target.split()], prepared, [found]) == expected


def test_copied_names_of_lowercased_text_keep_their_capitals() -> None:
    goal = Preprocessor(Preprocessing(language="fr", case="lowercase"))
    prepared = lowercasing().prepare("Then Kabul uses MySQL in May")
    links = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]
    assert goal.restore([["alors", "kabul", "utilise", "mysql", "en", "mai"]], prepared, [links]) == (
        "Alors Kabul utilise MySQL en mai"
    )


SOURCE = ("The", "the", "House", "house", "SQL", "-v", "fooBar", "Kabul", "Then", ".", ":", ",", "?")
TARGET = ("das", "Haus", "haus", "SQL", "-v", "fooBar", "Kabul", "kabul", "the", "then", "house", ".", ":", ",")


@given(st.data(), st.lists(st.sampled_from(SOURCE), min_size=1), st.lists(st.sampled_from(TARGET), min_size=1))
def test_no_capital_inside_that_nobody_asks_for(data: st.DataObject, source: list[str], target: list[str]) -> None:
    """Inside of a sentence a word is as the search gave it, in a form of the target language, or is a word of the
    source that was copied, and written as there; whatever the links are."""
    raw = " ".join([*source, "we"])  # so that not all is written in capitals
    (sentence,) = truecasing("en").prepare(raw).sentences
    places = st.tuples(st.integers(0, len(sentence.words) - 1), st.integers(0, len(target) - 1))
    links = data.draw(st.lists(places))
    found = recased(target, sentence, raw, links, language="en", is_known=lambda word: word in ("das", "haus", "Haus"))
    for place, (given_word, word) in enumerate(zip(target, found, strict=True)):
        copied = {
            raw[slice(*sentence.word_spans[a])] for a, b in links if b == place and sentence.words[a] == given_word
        }
        begins = place == 0 or target[place - 1] in (".", ":", "?")
        assert word == given_word or word in copied or (begins and word == given_word[:1].upper() + given_word[1:])
        assert not is_code(given_word) or word.lower() == given_word.lower()
        assert begins or word[:1] == given_word[:1] or word in copied
