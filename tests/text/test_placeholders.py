from __future__ import annotations

import time
import unicodedata
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import SettingError, UnknownName
from dragoman.text.placeholders import KINDS, Finder
from tests.text import nasty


def found(text: str, **options: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(span.kind, text[span.start : span.end]) for span in Finder(**options).find(text)]


@pytest.mark.parametrize(
    ("kind", "whole"),
    [
        ("tag", "<b>"),
        ("tag", "</b >"),
        ("tag", "<br/>"),
        ("tag", "<a href=\"x y\" class='z' data-n=3>"),
        ("tag", "<input disabled value='>'/>"),
        ("tag", "<0>"),
        ("tag", "<g:x id='1'/>"),
        ("tag", "<!-- a <b> c -->"),
        ("tag", "<?php echo 1 ?>"),
        ("tag", "<!DOCTYPE html>"),
        ("entity", "&nbsp;"),
        ("entity", "&#8217;"),
        ("entity", "&#x2019;"),
        ("url", "https://en.wikipedia.org/wiki/A_(b)?c=d%20e#f"),
        ("url", "ftp://x/y"),
        ("url", "www.dragoman.org"),
        ("email", "first.last+tag@mail.example.org"),
        ("email", "ж@пример.рф"),
        ("printf", "%s"),
        ("printf", "%1$s"),
        ("printf", "%-5.2f"),
        ("printf", "%%"),
        ("printf", "%(count)05d"),
        ("printf", "%@"),
        ("printf", "%lld"),
        ("brace", "{}"),
        ("brace", "{name}"),
        ("brace", "{0:>3}"),
        ("brace", "{user.name!r:>{width}}"),
        ("brace", "{price:,.2f}"),
        ("brace", "{when:%Y-%m-%d}"),
        ("brace", "{{ user.name | upper }}"),
        ("brace", "{% if x %}"),
        ("icu", "{n, plural, one {# file in {dir}} other {# files '{' }}"),
        ("icu", "{who, select, female {her} other {their}}"),
        ("icu", "{d, date, short}"),
        ("variable", "${HOME}"),
        ("variable", "%{count}"),
        ("variable", "#{user.name}"),
        ("mask", "[X12X]"),
        ("mask", "⟦url:0⟧"),
    ],
)
def test_kinds(kind: str, whole: str) -> None:
    for before, after in [("", ""), ("Word ", " word"), ("(", ")"), ("“", "”."), ("中", "中")]:
        if kind in ("url", "email") and before == "中":
            continue  # letters are part of addresses
        assert found(before + whole + after) == [(kind, whole)]


@pytest.mark.parametrize(
    "text",
    [
        "a<b and c>d", "1 < 2 > 0", "<3", "< b>", "AT&T; R&D", "a & b", "50% of", "100% des", "100%ige", "5%",
        "{a, b, c}", "{some text}", "{note: this one}", "$5 and $x", "[X]", "X12X", "a@b", "@home", "www.", "http://",
        "and/or", "{", "}{", "[ ] < > & ||| 🙂", "⟦⟧",
    ],
)  # fmt: skip
def test_ordinary_text_is_not_protected(text: str) -> None:
    assert found(text) == []


def test_addresses_end_where_the_sentence_goes_on() -> None:
    assert found("See http://x.org/a, (http://x.org/b) or <http://x.org/c>: www.d.org!") == [
        ("url", "http://x.org/a"),
        ("url", "http://x.org/b"),
        ("url", "http://x.org/c"),
        ("url", "www.d.org"),
    ]
    assert found("Ask me@x.org. Or <you@x.org>!") == [("email", "me@x.org"), ("email", "you@x.org")]


def test_the_first_and_longest_wins() -> None:
    assert found('<a href="http://x.org/%s">%s</a>') == [
        ("tag", '<a href="http://x.org/%s">'),
        ("printf", "%s"),
        ("tag", "</a>"),
    ]
    assert found("New York City", terms=("New York", "New York City", "York")) == [("term", "New York City")]


def test_a_users_list() -> None:
    assert found("Firefox, Firefoxes, C++ and Ha-Ha", terms=("Firefox", "C++", "Ha")) == [
        ("term", "Firefox"),
        ("term", "C++"),
        ("term", "Ha"),
        ("term", "Ha"),
    ]
    assert found("ID-12 and ID-x", patterns=(r"\bID-\d+",)) == [("term", "ID-12")]
    assert found("and/or 1/2, see /usr/bin/env, ~/.profile and n/a.") == [
        ("path", "/usr/bin/env"),
        ("path", "~/.profile"),
    ], "by default"
    assert found("/usr/share/doc, C:\\Windows\\x.ini.", kinds=("path",)) == [
        ("path", "/usr/share/doc"),
        ("path", "C:\\Windows\\x.ini"),
    ]


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(UnknownName, match="choose from tag"):
        Finder(("tags",))
    with pytest.raises(SettingError, match="no regular expression"):
        Finder(patterns=("(",))
    with pytest.raises(SettingError, match="empty"):
        Finder(terms=("a", " "))


@pytest.mark.slow
@given(text=nasty.texts, kinds=st.sets(st.sampled_from(list(KINDS))))
@settings(max_examples=500)
def test_spans_are_in_order_and_apart(text: str, kinds: set[str]) -> None:
    at = 0
    for span in Finder(tuple(kinds), terms=("a", "é中"), patterns=("x*", "[“”]")).find(text):
        assert at <= span.start < span.end <= len(text)
        at = span.end


@pytest.mark.parametrize(
    "text",
    [
        "<!--" * 50000, "{a,plural," * 20000, "<a " * 50000, "a" * 300000 + "@", "<a b=c " * 30000, "www." * 50000,
        "{{" * 50000 + "}}" * 50000, "%1$" * 50000, "http://" + "(" * 100000 + ")" * 100000, "/a" * 100000,
        "a.b-" * 50000 + "@" + "a." * 50000, "&a" * 100000, "{a:" * 50000 + "}" * 50000, "<?" * 100000, "C:\\a" * 50000,
    ],
    ids=lambda text: text[:8],
)  # fmt: skip
def test_time_is_linear(text: str) -> None:
    finder = Finder(tuple(KINDS))
    start = time.perf_counter()
    finder.find(text)
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("listed", ["NFC", "NFD"])
@pytest.mark.parametrize("written", ["NFC", "NFD"])
def test_terms_are_found_however_they_are_spelt(listed: Literal["NFC", "NFD"], written: Literal["NFC", "NFD"]) -> None:
    finder = Finder((), terms=[unicodedata.normalize(listed, "Müller GmbH"), "Mu"], patterns=["Ärzte?"])
    raw = unicodedata.normalize(written, "für Müller GmbH und Ärzte, Mu, Mü")
    found = [raw[span.start : span.end] for span in finder.find(raw)]
    assert [unicodedata.normalize("NFC", text) for text in found] == ["Müller GmbH", "Ärzte", "Mu"]
