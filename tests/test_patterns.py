"""The linter of regular expressions (`tools/patterns.py`, part of `make lint`) finds those that can be made slow."""

from __future__ import annotations

import re
import signal

import pytest

from tools.patterns import expressions, hurt

SLOW = (r"(a+)+$", r"(?:\s|<!--.*?-->)*<x", r"\s*(?:\s)*x", r"^(\w+\s?)*$")


def test_expressions_are_found() -> None:
    assert len(list(expressions())) > 50


@pytest.mark.skipif(not hasattr(signal, "SIGVTALRM"), reason="no timer of processor time on this system")
@pytest.mark.parametrize("text", SLOW)
def test_the_search_for_texts_that_hurt_finds_them(text: str) -> None:
    assert hurt("re", text, int(re.DOTALL), "search")


def test_an_expression_that_cannot_be_hurt_is_left_alone() -> None:
    assert not hurt("re", r"[a-z]+\d", 0, "match")
