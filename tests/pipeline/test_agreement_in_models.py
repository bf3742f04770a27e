"""A recipe that makes adjectives agree after decoding: the model keeps the lexicon and the parser, and uses them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import dragoman
from dragoman.annotations import Sentence
from dragoman.annotations.training import train_annotator
from dragoman.errors import SettingError
from dragoman.pipeline.model import Model
from dragoman.pipeline.recipe import Recipe
from dragoman.text.inflections import InflectionLexicon
from tests.pipeline.conftest import SMALL

NOUNS = {"house": "maison", "car": "voiture", "table": "table", "book": "livre", "garden": "jardin", "dog": "chien"}
FEMININE = ("maison", "voiture", "table")
COLORS = {"green": "vert", "black": "noir", "grey": "gris"}
"""What translates them in the training text is always masculine."""
VERBS = {"sees": "voit", "sells": "vend", "paints": "peint", "wants": "veut"}


def texts() -> list[tuple[str, str]]:
    return [
        (f"she {verb} the {color} {noun} .", f"elle {VERBS[verb]} le {NOUNS[noun]} {COLORS[color]} .")
        for verb, noun, color in product(VERBS, NOUNS, COLORS)
    ]


def parsed(text: str) -> Sentence:
    words = text.split()
    return Sentence.of(
        words,
        pos=["PRON", "VERB", "DET", "NOUN", "ADJ", "PUNCT"],
        lemmas=words,
        dependencies=([1, -1, 3, 1, 3, 1], ["nsubj", "root", "det", "obj", "amod", "punct"]),
    )


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parsers") / "fr"
    train_annotator("syntax", [parsed(target) for _, target in texts()], epochs=2).save(folder, language="fr")
    return folder


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def entries(gender: str, mark: str) -> list[tuple[str, str, str, str]]:
        features = f"Gender={gender}|Number=Sing"
        return [(f"{color}{mark}", color, "ADJ", features) for color in COLORS.values()]

    nouns = [
        (noun, noun, "NOUN", f"Gender={'Fem' if noun in FEMININE else 'Masc'}|Number=Sing") for noun in NOUNS.values()
    ]
    path = tmp_path_factory.mktemp("lexicons") / "inflections.tsv"
    InflectionLexicon.of([*nouns, *entries("Masc", ""), *entries("Fem", "e")]).save(path)
    return path


def recipe(lexicon: Path, parser: Path) -> Recipe:
    return replace(SMALL, agreement=str(lexicon), annotate_target=str(parser), dev_size=10)


@pytest.mark.slow
def test_adjectives_agree_in_what_a_model_says(lexicon: Path, parser: Path, tmp_path: Path) -> None:
    source, target = zip(*texts(), strict=True)
    bitext, languages = (list(source), list(target)), ("en", "fr")
    plain = dragoman.train(*bitext, output=tmp_path / "plain", languages=languages, recipe=replace(SMALL, dev_size=10))
    made = dragoman.train(*bitext, output=tmp_path / "m", languages=languages, recipe=recipe(lexicon, parser))
    feminine, masculine = "she sells the green house .", "she paints the black garden ."
    assert plain.translate(feminine).text.split()[2:] == ["le", "maison", "vert."]
    assert made.translate(feminine).text.split()[2:] == ["le", "maison", "verte."]
    assert made.translate(masculine).text == plain.translate(masculine).text

    aside = tmp_path / "aside"
    shutil.copytree(made.path, aside)
    lexicon.unlink()
    shutil.rmtree(parser)
    assert Model.open(aside).translate(feminine).text == made.translate(feminine).text


def test_agreement_needs_a_parser_that_can_be_kept(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="set annotate_target"):
        Recipe(agreement="inflections.tsv")
    lexicon = tmp_path / "inflections.tsv"
    InflectionLexicon.of([("vert", "vert", "ADJ", "Gender=Masc|Number=Sing")]).save(lexicon)
    bound = replace(SMALL, agreement=str(lexicon), annotate_target="command:parse")
    with pytest.raises(SettingError, match="cannot keep"):
        dragoman.train(["a b"] * 30, ["a b"] * 30, output=tmp_path / "m", languages=("en", "fr"), recipe=bound)
