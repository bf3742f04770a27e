"""Markdown: code stays, marks follow their words, and what only looks like it is text."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.markdown import closes_fence
from dragoman.text.placeholders import Finder
from tests.text.test_tags import restored


def found(text: str) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], span.kind) for span in Finder().find(text)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("# A **bold** *move*", ["# ", "**", "**", "*", "*"]),
        ("> - see **the [manual](x.html)**", ["> ", "**", "[", "](x.html)", "**"]),
        ('![alt](a.png "t") and [a][b]', ["![", '](a.png "t")', "[", "][b]"]),
        ("***x y*** ~~no~~ _em_", ["***", "***", "~~", "~~", "_", "_"]),
        ("use `ls -l` and ``a`b``", ["`ls -l`", "``a`b``"]),
        ("```py\nx = *1*\n```\n_em_", ["```py\nx = *1*\n```", "_", "_"]),
        ("~~~\nnever closed", ["~~~\nnever closed"]),
        ("`a*b` *c*", ["`a*b`", "*", "*"]),
    ],
)
def test_what_is_markdown(text: str, pieces: list[str]) -> None:
    assert [piece for piece, kind in found(text) if kind in ("markdown", "code")] == pieces


@pytest.mark.parametrize(
    "text",
    [
        "`foo' and `bar' (`a',`b')", "2*3*4 and *.txt or *.c /* x */", "*args, **kwargs", "a ** b ** c", "** bold **",
        "__init__ and snake_case_name", "5 * 3 * 2", "-v", "arr[1] (x)", "#42", "it's a `", "a_b_c", "C*-algebra*s",
    ],
)  # fmt: skip
def test_what_only_looks_like_it(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("raw", "target", "order", "expected"),
    [
        ("the **red** house", "la maison rouge", "0 2 1", "la maison **rouge**"),
        ("see [the manual](a.html) now", "voir maintenant le manuel", "0 2 3 1", "voir maintenant [le manuel](a.html)"),
        ("- the red house", "la maison rouge", "0 2 1", "- la maison rouge"),
    ],
)
def test_marks_follow_their_words(raw: str, target: str, order: str, expected: str) -> None:
    assert restored(raw, target, order) == expected


def test_fences_end_with_as_many_marks() -> None:
    assert closes_fence("````", "```")
    assert not closes_fence("``", "```")
    assert not closes_fence("```py", "```")
    assert not closes_fence("", "```")


@given(st.text(alphabet="ab *_`~[]()!#>-\n'", max_size=60))
def test_any_text_has_ranges_in_order(text: str) -> None:
    spans = Finder(["code", "markdown"]).find(text)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(left.end <= right.start for left, right in itertools.pairwise(spans))
