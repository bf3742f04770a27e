"""Markup: what it says about which characters, and where it is broken."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import InputError
from dragoman.text.markup import read_markup


def test_translations_and_probabilities() -> None:
    marked = read_markup("das <np english='a &quot;b&quot;||c' prob='0.5||0.5'>ein  Haus </np> da")
    assert marked.text == "das ein  Haus  da"
    [span] = marked.spans
    assert marked.text[span.start : span.end] == "ein  Haus"
    assert span.targets == (('a "b"', 0.5), ("c", 0.5))


def test_order() -> None:
    marked = read_markup("a <zone>b <wall/>c</zone> <wall/>d")
    assert marked.text == "a b c d"
    assert marked.zones == ((2, 5),)
    assert marked.walls == (4, 6)


def test_words_by_number() -> None:
    [span] = read_markup('<n translation="x" span="1-2"/>ein kleines Haus').spans
    assert (span.start, span.end) == (4, 16)


def test_what_is_kept_and_what_is_named() -> None:
    marked = read_markup('von <x translate="no">NT AUTHORITY</x> um <ne entity="42">@num@</ne>')
    assert [marked.text[span.start : span.end] for span in marked.kept] == ["NT AUTHORITY"]
    [span] = marked.spans
    assert (span.targets, span.exclusive) == ((("42", 1.0),), True)


def test_tags_of_the_user_stay() -> None:
    raw = 'a <b>c</b> <br/> 1 < 2 <n translation="x">d <n>e</n></n> </i>'
    marked = read_markup(raw)
    assert marked.text == "a <b>c</b> <br/> 1 < 2 d <n>e</n> </i>"
    [span] = marked.spans
    assert marked.text[span.start : span.end] == "d <n>e</n>"


@pytest.mark.parametrize(
    ("raw", "character", "what"),
    [
        ('a <n translation="x">b', 3, "never closed"),
        ('a <n translation="x>b</n>', 3, "does not end"),
        ("a </zone> b", 3, "closes nothing"),
        ('<zone><n translation="x">b</zone></n>', 27, "is open"),
        ('<n translation="x||y" prob="1">b</n>', 1, "1 probabilities for 2"),
        ('<n translation="x" prob="2">b</n>', 1, "prob is '2'"),
        ('<n translation="x" prob="much">b</n>', 1, "prob is 'much'"),
        ('<n translation="x||">b</n>', 1, "empty translation"),
        ('<n translation="x"> </n>', 1, "no words inside"),
        ('<n translation="x"/>b', 1, "no words inside"),
        ('<n translation="x" translation="y">b</n>', 20, "two attributes"),
        ('b <n translation="x" span="3-1"/>', 1, "span 3-1 of 1 words"),
        ('b <n translation="x" span="one"/>', 3, "span is 'one'"),
        ("a <wall> b", 3, "no words inside"),
        ('<ne entity="4">two words</ne>', 1, "one word"),
        ('a <update id="2"/>', 3, "only Moses"),
        ("a <zone", 3, "does not end"),
    ],
)
def test_broken_markup_is_located(raw: str, character: int, what: str) -> None:
    with pytest.raises(InputError, match=re.escape(what)) as caught:
        read_markup(raw, where="line 7")
    assert caught.value.where == f"line 7, character {character}"


@given(st.text(alphabet="ab <>/\"'=nzw&", max_size=60))
def test_any_text_is_read_or_refused(raw: str) -> None:
    try:
        marked = read_markup(raw)
    except InputError as error:
        if not error.where.startswith("character "):
            raise
        return
    for span in marked.spans:
        assert 0 <= span.start < span.end <= len(marked.text)
    if "translation" not in raw and "<zone" not in raw and "<wall" not in raw:
        assert marked.text == raw
