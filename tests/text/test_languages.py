from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from dragoman.errors import UnknownName
from dragoman.files import read_lines
from dragoman.text.languages import Identifier, known_languages
from dragoman.text.scripts import script_share, scripts, scripts_of
from tests.text import nasty


def test_languages_of_real_text(data: Path) -> None:
    identifier = Identifier(["cs", "de", "en", "es", "fr", "ru"])
    for language in identifier.languages:
        lines = list(read_lines(data / "wmt" / "newstest2013" / "references" / f"newstest2013.{language}.gz"))[:1000:5]
        found = identifier.identify(lines)
        right = sum(line.language == language for line in found)
        assert right > 0.9 * len(lines), (language, right)
        assert sum(script_share(language)(line) > 0.8 for line in lines) > 0.95 * len(lines)


def test_only_the_given_languages_are_found() -> None:
    assert {line.language for line in Identifier(["sw", "lv"]).identify(["This is English", "Das", "", "…"])} <= {
        "sw",
        "lv",
    }
    assert Identifier().languages == known_languages()
    one, other = Identifier(["de", "en"]), Identifier(["fr", "it"])
    assert other.identify(["le chat est là"])[0].language == "fr"
    assert one.identify(["der Hund ist da"])[0].language == "de"


def test_confidence_is_a_probability_and_none_without_letters() -> None:
    identifier = Identifier(["de", "en"])
    assert 0.9 < identifier.identify(["Das ist ganz gewiss ein deutscher Satz."])[0].confidence <= 1
    assert [line.confidence for line in identifier.identify(["", "12 + 3", " "])] == [0, 0, 0]


def test_unknown_languages_are_refused() -> None:
    with pytest.raises(UnknownName, match="'tlh'"):
        Identifier(["en", "tlh"])


@pytest.mark.slow
@given(nasty.texts)
def test_any_text_can_be_identified(text: str) -> None:
    (found,) = Identifier(["de", "en", "zh"]).identify([text])
    assert 0 <= found.confidence <= 1
    assert 0 <= script_share("ja")(text) <= 1
    assert sum(scripts(text).values()) <= len(text)


def test_scripts() -> None:
    assert scripts("Abc где 中 ん") == {"Latin": 3, "Cyrillic": 3, "Han": 1, "Hiragana": 1}
    assert (scripts_of("ja"), scripts_of("sw"), scripts_of("uk")) == (
        ("Han", "Hiragana", "Katakana"),
        ("Latin",),
        ("Cyrillic",),
    )
    assert script_share("ja")("漢字とかな") == 1
    assert script_share("ru")("12 !") == 1


def test_every_language_that_is_identified_has_a_script() -> None:
    assert all(scripts_of(language) for language in known_languages())
