"""What the decoder contract answers for a decoder that says no more than it must."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dragoman.errors import SettingError
from dragoman.search.base import Decoder
from dragoman.search.constraints import Constraints
from dragoman.search.lattice import Lattice


def _not_asked(self: Decoder, *_: Any, **__: Any) -> Any:
    raise AssertionError("only the usual answers are looked at")


Bare: type[Decoder] = type("Bare", (Decoder,), dict.fromkeys(Decoder.__abstractmethods__, _not_asked))


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda bare: bare.with_table(None), "a Bare cannot learn rules"),
        (lambda bare: bare.with_unknown_words(None), "a Bare asks nobody about unknown words"),
        (lambda bare: bare.translate_lattices([Lattice.of_words(["a"])]), "a Bare does not translate lattices"),
        (lambda bare: bare.force(["a"], ["b"]), "a Bare cannot be told what to say"),
        (lambda bare: bare.diagnose("a", "b"), "a Bare cannot be told what to say"),
        (lambda bare: bare.sample(["a"]), "a Bare cannot draw samples"),
        (lambda bare: bare.export_moses(None), "Moses has no counterpart of a Bare"),
    ],
)
def test_what_a_decoder_does_not_know_it_refuses(call: Callable[[Any], Any], what: str) -> None:
    with pytest.raises(SettingError, match=what):
        call(Bare())


@pytest.mark.parametrize(
    ("call", "kinds"),
    [
        (lambda bare: bare.force(["a"], ["b"]), "phrase, hiero or lr-hiero"),
        (lambda bare: bare.translate_lattices([Lattice.of_words(["a"])]), "phrase"),
        (lambda bare: bare.check_constraints([Constraints(prefix=("a",))]), "phrase or lr-hiero"),
    ],
)
def test_a_refusal_names_the_kinds_that_can(call: Callable[[Any], Any], kinds: str) -> None:
    with pytest.raises(SettingError, match=f"use a model of the kind {kinds}$"):
        call(Bare())


def test_a_decoder_without_a_table_has_no_rules() -> None:
    assert Bare().table is None
    assert Bare().rules_for(["a"]) == []
