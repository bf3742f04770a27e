"""Completion, and a translator who types with its help."""

from __future__ import annotations

import pytest

from dragoman.pipeline.interactive import Completions, complete
from dragoman.pipeline.memory import TranslationMemory
from dragoman.pipeline.model import Model
from dragoman.pipeline.simulated_user import simulate, type_sentence
from tests.pipeline.conftest import Sides


def offering(*texts: str) -> Completions:
    return Completions(texts, (), ())


def test_keys_are_counted_as_a_person_would_press_them() -> None:
    """Worked example: the reference has 11 letters and a last key."""
    # All right at once: one key.
    keys = type_sentence("x", "das haus da", lambda source, prefix: offering("das haus da"))
    assert (keys.letters, keys.typed, keys.accepted, keys.words, keys.predicted) == (12, 0, 1, 3, 3)
    assert keys.saved == pytest.approx(11 / 12)

    # 'das h' is right: one key accepts it, 'a' is typed, then all is right: one more key.
    def wrong_once(source: str, prefix: str) -> Completions:
        return offering("das hof da" if not prefix else "das haus da")

    keys = type_sentence("x", "das haus da", wrong_once)
    assert (keys.typed, keys.accepted, keys.predicted) == (1, 2, 2)
    assert keys.ratio == pytest.approx(3 / 12)
    # No help at all: every letter is typed, and the last key confirms.
    keys = type_sentence("x", "das haus da", lambda source, prefix: offering(prefix))
    assert (keys.typed, keys.accepted, keys.ratio, keys.predicted) == (11, 1, 1.0, 0)


def test_completions_begin_as_asked(model: Model, heldout: Sides) -> None:
    for source, target in zip(heldout.source[:4], heldout.target[:4], strict=True):
        for at in (0, 1, len(target) // 2, len(target)):
            found = complete(model, source, target[:at], limit=3)
            assert all(text.startswith(target[:at]) for text in found.texts)
            assert 1 <= len(found.texts) <= 3


def test_letters_of_a_word_find_it_though_search_did_not(model: Model) -> None:
    rare = str(model.decoder.rules_for(["house"])[-1].target[0])
    found = complete(model, "The old house is small.", f"Kein {rare[:3]}")
    assert found.best.startswith(f"Kein {rare[:3]}")
    assert not found.best.startswith(f"Kein {rare[:3]} ")


def test_a_model_saves_keys(model: Model, bitext: Sides) -> None:
    found = simulate(model, bitext.source[:4], bitext.target[:4])
    assert found.sentences == 4
    assert 0.2 < found.saved < 1
    assert found.to_dict()["completions"] == len(found.seconds)


def test_memory_prefers_the_last_of_equal_sources() -> None:
    memory = TranslationMemory([("a b c d", "1"), ("a b c d", "2"), ("a b x d", "3"), ("", "4"), ("q", " ")])
    assert memory.exact("a b  c d") == "2"
    assert [match.target for match in memory.fuzzy("a b c d")] == ["2", "3"]
    assert memory.fuzzy("nothing like it") == []
    assert len(memory) == 2


def test_memory_forgets_and_finds_what_was_before() -> None:
    memory = TranslationMemory([("a", "1"), ("a", "2"), ("b", "3")])
    memory.forget("a", "2")
    assert memory.exact("a") == "1"
    memory.forget("a", "1")
    memory.forget("a", "never")
    assert (memory.exact("a"), memory.fuzzy("a"), len(memory)) == (None, [], 1)


def test_memory_keeps_lines_entities_and_blanks_around() -> None:
    memory = TranslationMemory([("a & b", " 1 < 2 "), ("x\ny", "1\n2")])
    assert memory.exact("\ta &  b\n") == "\t1 < 2\n"
    assert memory.exact_markup("a &amp; b") == "1 &lt; 2"
    assert memory.exact_markup("<b>a</b> &amp; b") is None
    assert memory.exact("x y") is None
    assert memory.exact("x \n y") == "1\n2"
