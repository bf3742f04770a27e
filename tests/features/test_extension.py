"""Features that see what is covered and which options came before, against a replay of the finished translation."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.annotations import Sentence
from dragoman.errors import InputError
from dragoman.features.base import Fire, Option
from dragoman.features.extension import Extension, ExtensionFeature
from dragoman.search.phrase import PhraseDecoder
from dragoman.text.source_text import SourceText
from tests.search.phrasal import Tiny


class Gaps(ExtensionFeature):
    """Words that are jumped over while they are not covered."""

    sees = frozenset({"coverage"})

    def step(self, extension: Extension, fire: Fire) -> None:
        assert extension.covered is not None
        assert not extension.covered & set(range(*extension.option.span))
        fire("open", float(len(set(range(extension.option.span[0])) - extension.covered)))


class Neighbours(ExtensionFeature):
    """Whether an option follows its source neighbour; and its domain, tags and heads."""

    sees = frozenset({"previous"})

    def step(self, extension: Extension, fire: Fire) -> None:
        before = extension.previous
        fire("follows", float(before is not None and before.span[1] == extension.option.span[0]))
        sentence = extension.sentence
        if sentence.tags:
            fire(f"{sentence.domain}:{sentence.tags[extension.option.span[0]]}", 1.0)
        if sentence.heads:
            fire("head", float(sentence.heads[extension.option.span[0]] < 0))

    def end(self, extension: Extension | None, fire: Fire) -> None:
        assert extension is not None
        fire("last", float(extension.option.span[1]))


class Length(ExtensionFeature):
    """Words written before each option."""

    sees = frozenset({"all"})

    def step(self, extension: Extension, fire: Fire) -> None:
        fire("before", float(len(extension.target)))


WEIGHTS = {"open": -0.3, "follows": 0.4, "last": 0.1, "before": -0.05, "web:N": 0.2, "head": 0.1}


def decoder(tiny: Tiny, *features: ExtensionFeature) -> PhraseDecoder:
    return tiny.decoder.with_features(features, {**tiny.weights, **WEIGHTS})


def test_scores_recompute_and_search_is_exact(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, 1)
    made = decoder(tiny, Gaps(), Neighbours(), Length()).with_settings(check_features=True)
    sentences = [" ".join(tiny.sentence(4)) for _ in range(8)]
    for found in made.translate(sentences):
        assert found.rescore() == pytest.approx(found.score, abs=1e-6)
        covered: set[int] = set()
        written, previous = 0, None
        for phrase in found.phrases:
            start, end = phrase.source_span
            assert phrase.features.get("open", 0.0) == len(set(range(start)) - covered)
            assert phrase.features.get("follows", 0.0) == float(previous == start)
            assert phrase.features.get("before", 0.0) == written
            covered |= set(range(start, end))
            written, previous = written + len(phrase.target), end
        assert found.final_features["last"] == previous


def test_marks_of_the_sentence_are_seen(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, 2)
    known = Sentence.of(["a", "b"], tags=["N", "V"], dependencies=([1, -1], ["x", "root"]))
    [found] = decoder(tiny, Neighbours()).translate([SourceText.annotated(known, domain="web")])
    fired = found.features
    assert fired.get("web:N", 0.0) == 1.0
    [plain] = decoder(tiny, Neighbours()).translate(["a b"])
    assert "web:N" not in plain.features


def test_what_cannot_be_seen_is_refused(tmp_path: Path) -> None:
    class Wrong(Gaps):
        """Wants too much."""

        sees = frozenset({"future"})

    with pytest.raises(InputError, match="future"):
        decoder(Tiny(tmp_path, 1), Wrong()).translate(["a"])
    assert Option((0, 1), ("a",), ("b",), ()).slots == ()
