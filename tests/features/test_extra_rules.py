"""Rules for numbers, names and words that stay as they are."""

from __future__ import annotations

import pytest

from dragoman.errors import SettingError
from dragoman.features.extra_rules import ExtraRules, translated_number
from dragoman.features.template_specs import TemplateSpec
from dragoman.pipeline.recipe import Recipe
from dragoman.search.phrase import LanguageModel, PhraseDecoder
from tests.search.setting import Setting


@pytest.mark.parametrize(
    ("word", "source", "target", "found"),
    [
        ("1.234,5", "de", "en", "1,234.5"),
        ("1,234.5", "en", "de", "1.234,5"),
        ("1.234.567", "de", "en", "1,234,567"),
        ("1,234", "en", "fr", "1234"),
        ("3,5%", "de", "en", "3.5%"),
        ("-7", "de", "en", "-7"),
        ("1999", "xx", "yy", "1999"),
        ("3,5", "en", "de", None),  # two numbers, or a list
        ("12,34", "en", "de", None),
        ("3,5", "fr", "en", "3.5"),
        ("3.5", "xx", "en", None),
        ("Haus", "de", "en", None),
        ("A4", "de", "en", None),
        (".", "de", "en", None),
    ],
)
def test_numbers(word: str, source: str, target: str, found: str | None) -> None:
    assert translated_number(word, source, target) == found


def test_names_come_by_tags_or_by_capitals() -> None:
    rules = ExtraRules(languages=("en", "de"), kinds=("names",))
    words = ["Yesterday", "Ada", "King", "wrote"]
    assert [(each[0], each[1]) for each in rules.options(words, ())] == [(1, 3), (1, 2), (2, 3)]
    tags = ["NOUN", "PROPN", "NOUN", "VERB"]
    assert [each[:3] for each in rules.options(words, tags)] == [(1, 2, "Ada")]
    german = ExtraRules(languages=("de", "en"), kinds=("names",))
    assert german.options(["gestern", "kam", "Ada"], ()) == [], "capitals tell nothing there"
    with pytest.raises(SettingError):
        ExtraRules(languages=("de",))


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("extra"), "")


def test_decoders_weigh_them_against_the_table(setting: Setting) -> None:
    made = PhraseDecoder(
        setting.table,
        [LanguageModel("lm", setting.model)],
        features=[ExtraRules(languages=("en", "de"))],
    )
    line = setting.sentences[0] + " 1,234.5 Zyxgard"
    loved = made.with_weights(made.weights | {"extra:number": 9.0, "extra:name": 9.0})
    found = loved.translate([line])[0]
    assert "1.234,5" in found.target
    assert "Zyxgard" in found.target
    assert found.features["extra:number"] == 1
    assert found.score == pytest.approx(sum(loved.weights[n] * v for n, v in found.features.items()), abs=1e-6)
    same = made.with_weights(made.weights | {"extra:identity": 50.0}).translate([line])[0]
    assert list(same.target).count("1,234.5") == 1
    assert same.features["extra:identity"] == len(line.split())
    without = PhraseDecoder(setting.table, [LanguageModel("lm", setting.model)])
    hated = made.with_weights(made.weights | {"extra:identity": -99.0, "extra:number": -99.0, "extra:name": -99.0})
    known = setting.sentences[:8]
    assert [each.text for each in hated.translate(known)] == [each.text for each in without.translate(known)]
    lists = loved.kbest_lists([line], nbest=5)
    assert len(lists), "tuners see them, too"


def test_recipes_name_them() -> None:
    recipe = Recipe(extra_rules=("numbers", "names"), tuner="mira", templates=())
    [spec] = recipe.template_specs(1000)
    assert spec.missing == ("languages",)
    assert isinstance(spec.filled({"languages": ("de", "en")}).make(), ExtraRules)
    assert Recipe.from_dict(recipe.to_dict()) == recipe
    assert TemplateSpec.parse("extra:languages=de+en,kinds=numbers").make().kinds == ("numbers",)  # type: ignore[attr-defined]
