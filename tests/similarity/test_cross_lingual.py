"""Texts in two languages: translated first, or compared by a lexicon."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from dragoman.errors import FormatError, LengthMismatch, SettingError
from dragoman.pipeline.model import Model
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.train import train
from dragoman.pipeline.translated_similarity import TranslatedSimilarity
from dragoman.similarity import TextPair, get_scorer, open_scorer
from dragoman.similarity.cross_lingual import score_translated
from dragoman.text import synthetic
from tests.commands import Run

WORDS = {"el": "the", "gato": "cat", "duerme": "sleeps", "perro": "dog"}
PAIRS = [TextPair.of("el gato duerme", "the cat sleeps"), TextPair.of("el perro", "the cat")]


def by_word(texts: Sequence[str]) -> list[list[str]]:
    return [[" ".join(WORDS.get(word, word) for word in text.split())] for text in texts]


def test_one_translation_is_scored_as_it_is() -> None:
    scorer = get_scorer("token-cosine")
    assert score_translated(scorer, PAIRS, first=by_word).tolist() == pytest.approx([1.0, 0.5])
    plain = [TextPair.of(by_word([one.texts[0]])[0][0], one.texts[1]) for one in PAIRS]
    assert score_translated(scorer, PAIRS, first=by_word).tolist() == scorer.score(plain).tolist()


def test_several_translations_are_averaged() -> None:
    def twice(texts: Sequence[str]) -> list[list[str]]:
        return [["the cat sleeps", "x"], ["", " "]]

    found = score_translated(get_scorer("token-cosine"), PAIRS, first=twice)
    assert found.tolist() == pytest.approx([0.5, 0.0])  # the second has no translation and stays as it is


def test_refuses_another_number_of_translations() -> None:
    with pytest.raises(LengthMismatch):
        score_translated(get_scorer("token-cosine"), PAIRS, second=lambda texts: [["one"]])


def test_word_translations(tmp_path: Path) -> None:
    lexicon = tmp_path / "lexicon"
    lexicon.write_text("gato cat 0.9\nduerme sleeps 0.8\nel the 0.7\nperro cat 0.01\n")
    scorer = get_scorer("word-translations", [f"lexicon={lexicon}"])
    assert scorer.score(PAIRS).tolist() == pytest.approx([1.0, 0.5])
    alignment = scorer.explain(TextPair.of("gato 1999", "1999 cat")).alignment
    assert alignment is not None
    assert [match.reason for match in alignment] == ["translation", "same"]
    (tmp_path / "bad").write_text("gato cat 9\n")
    with pytest.raises(FormatError, match="line 1"):
        get_scorer("word-translations", [f"lexicon={tmp_path / 'bad'}"]).score(PAIRS)
    with pytest.raises(SettingError, match="lexicon"):
        get_scorer("word-translations").score(PAIRS)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model from English to German."""
    folder = tmp_path_factory.mktemp("models")
    items = list(synthetic.pair("en-de").generate(200, seed=4))
    recipe = Recipe(order=3, aligner="fast", tuner="none", dev_size=20, search={"pop_limit": 30, "beam": 30})
    texts = ([item.source.text for item in items], [item.target.text for item in items])
    train(*texts, output=folder / "en-de", languages=("en", "de"), recipe=recipe)
    return folder / "en-de"


def test_translated_with_a_model(model: Path, run: Run, tmp_path: Path) -> None:
    items = list(synthetic.pair("en-de").generate(6, seed=9))
    pairs = [TextPair.of(item.source.text, item.target.text) for item in items]
    others = [TextPair.of(one.texts[0], other.texts[1]) for one, other in pairwise(pairs)]
    scorer = get_scorer("translated", [f"first={model}", "scorer=token-cosine:lowercase=true"])
    right, wrong = scorer.score(pairs), scorer.score(others)
    assert right.mean() > wrong.mean() + 0.2
    texts = [one.text for one in Model.open(model).translate([pair.texts[0] for pair in pairs])]
    plain = get_scorer("token-cosine", ["lowercase=true"])
    same = plain.score([TextPair.of(text, pair.texts[1]) for text, pair in zip(texts, pairs, strict=True)])
    assert right.tolist() == same.tolist()
    reasons = scorer.explain(pairs[0])
    assert reasons.notes[0].endswith(texts[0])
    assert reasons.alignment is not None

    # one that learns is fitted to translated pairs, and takes the model with it
    learned = get_scorer("translated", [f"first={model}", "scorer=ukp:wordnet=false", "variants=2"])
    assert learned.learns
    learned.fit([*pairs, *others], [1.0] * len(pairs) + [0.0] * len(others))
    learned.save(tmp_path / "saved")
    opened = open_scorer(tmp_path / "saved")
    assert isinstance(opened, TranslatedSimilarity)
    assert opened.first.startswith(str(tmp_path / "saved"))
    assert opened.score(pairs).tolist() == learned.score(pairs).tolist()

    # from the command line, with reasons, and measured like any other
    Path("a").write_text("".join(f"{pair.texts[0]}\n" for pair in pairs))
    Path("b").write_text("".join(f"{pair.texts[1]}\n" for pair in pairs))
    shown = run(
        "similarity",
        "score",
        "a",
        "b",
        "-w",
        "token-cosine",
        "--set",
        "lowercase=true",
        "--translate-first",
        str(model),
        "--explain",
        "--report",
        "why.html",
    )
    assert texts[0] in shown
    assert "<svg" in Path("why.html").read_text("utf-8")
    rows = [f"{5 * gold}\t{one.texts[0]}\t{one.texts[1]}" for gold, some in ((1, pairs), (0, others)) for one in some]
    Path("pairs.tsv").write_text("\n".join(rows) + "\n")
    found = json.loads(
        run("similarity", "evaluate", "pairs.tsv", "-w", "translated", "--set", f"first={model}", "--json")
    )
    assert found["runs"][0]["mean"] > 0.5
    with pytest.raises(SettingError, match="needs a model"):
        get_scorer("translated").score(pairs)
