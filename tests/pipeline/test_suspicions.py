"""Preflight warns of what looks wrong with the text, with numbers, and of nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import InputError
from dragoman.pipeline.preflight import preflight
from dragoman.pipeline.suspicions import suspicions
from dragoman.text.corpus import Bitext, Corpus

ENGLISH = ["The house is very old, and we live in it.", "She reads a good book about the history of the town."] * 60
GERMAN = [
    "Das Haus ist sehr alt, und wir wohnen darin.",
    "Sie liest ein gutes Buch über die Geschichte der Stadt.",
] * 60
FRENCH = ["La maison est très vieille, et nous y habitons.", "Elle lit un bon livre sur l'histoire de la ville."] * 60
RUSSIAN = ["Дом очень старый, и мы живём в нём.", "Она читает хорошую книгу об истории города."] * 60


def pairs(source: list[str], target: list[str]) -> Bitext:
    return Bitext.of(zip(source, target, strict=True))


def found(source: list[str], target: list[str], languages: tuple[str, str] = ("en", "de"), **more: object) -> list[str]:
    return suspicions(pairs(source, target), languages, pairs=5000, **more)  # type: ignore[arg-type]


def test_good_text_is_not_suspicious() -> None:
    assert found(ENGLISH, GERMAN) == []
    assert found(ENGLISH, GERMAN, dev=pairs(ENGLISH, GERMAN), extra=Corpus.of(GERMAN)) == []
    assert found(ENGLISH, RUSSIAN, ("en", "ru")) == []


@pytest.mark.parametrize(
    ("source", "target", "languages", "message"),
    [
        (GERMAN, ENGLISH, ("en", "de"), "the sides of the training text look swapped: 100%"),
        (ENGLISH, FRENCH, ("en", "de"), "the target side of the training text looks like fr, not de: 100%"),
        (ENGLISH, RUSSIAN, ("en", "de"), "not in the script of de: only 0%"),
        (ENGLISH, ENGLISH, ("en", "de"), "100% (120 of 120) of the pairs are the same on both sides"),
        (ENGLISH, GERMAN, ("en", "qq"), "no language has the code 'qq'"),
        (
            [line.replace(".", " .").replace(",", " ,") for line in ENGLISH],
            [line.replace(".", " .").replace(",", " ,") for line in GERMAN],
            ("en", "de"),
            "looks tokenised",
        ),
    ],
)
def test_what_looks_wrong(source: list[str], target: list[str], languages: tuple[str, str], message: str) -> None:
    assert any(message in warning for warning in found(source, target, languages))


def test_other_text_is_looked_at() -> None:
    assert "dev set look swapped" in found(ENGLISH, GERMAN, dev=pairs(GERMAN, ENGLISH))[0]
    assert (
        "further text looks like en, the other side's language" in found(ENGLISH, GERMAN, extra=Corpus.of(ENGLISH))[0]
    )
    assert "should be tokenised" in found(ENGLISH, GERMAN, tokenized=True)[0]
    assert "hardly any" in suspicions(pairs(ENGLISH, GERMAN), ("en", "de"), pairs=120)[0]


def test_a_dev_set_in_the_training_text_and_strictness(tmp_path: Path) -> None:
    train, dev = pairs(ENGLISH, GERMAN), pairs(ENGLISH[:2], GERMAN[:2])
    checked = preflight(train, languages=("en", "de"), output=tmp_path / "m", dev=dev)
    assert any("100% (2 of 2) of the dev set's source segments" in warning for warning in checked.warnings)
    assert checked.to_dict()["warnings"]
    with pytest.raises(InputError, match=r"dev set's source segments.*strict=True"):
        preflight(train, languages=("en", "de"), output=tmp_path / "m", dev=dev, strict=True)
