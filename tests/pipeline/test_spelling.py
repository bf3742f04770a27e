"""A text is translated alike however its accents were typed."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import dragoman
from tests.pipeline.conftest import SMALL


def test_decomposed_text_is_translated_like_composed_text(tmp_path: Path) -> None:
    words = ["über", "grün", "Öl", "schön", "müde", "böse", "Tür", "kühl"]
    source = [f"{one} {other} ." for one in words for other in words]
    target = [f"T{words.index(one)} T{words.index(other)} ." for one in words for other in words]
    mixed = [unicodedata.normalize("NFD" if number % 2 else "NFC", line) for number, line in enumerate(source)]
    model = dragoman.train(mixed, target, output=tmp_path / "model", languages=("de", "en"), recipe=SMALL)
    text = "grün über Tür ."
    composed, decomposed = (model.translate(unicodedata.normalize(form, text)) for form in ("NFC", "NFD"))
    assert not composed.unknown_words
    assert (decomposed.text, decomposed.score) == (composed.text, composed.score)
