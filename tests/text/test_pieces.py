from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.text.morphs import Morphs
from dragoman.text.pieces import Pieces, seen_once, usual_pieces
from dragoman.text.preprocessing import Preprocessing
from dragoman.text.preprocessor import Preprocessor
from tests.peers import peer

TEXT = [
    "Die Regierung gab eine Erklärung ab.",
    "Die Regierungserklärung der Regierung kam spät.",
    "Eine Erklärung der Tür: die Haustür ist eine Tür am Haus.",
    "Das Haus und die Tür des Hauses.",
] * 5


def trained(pieces: Pieces) -> Preprocessor:
    return Preprocessor.train(Preprocessing(language="de", case="keep", pieces=pieces, subwords=60), TEXT)


@pytest.mark.parametrize("pieces", ["subwords", "morphs", "compounds", "marked-compounds"])
def test_text_comes_back_and_models_are_kept(pieces: Pieces, tmp_path: Path) -> None:
    if pieces == "subwords":
        peer("sentencepiece")
    cutting = trained(pieces)
    cutting.save(tmp_path)
    again = Preprocessor.load(tmp_path)
    for text in (*TEXT[:4], "Haustüren, %s und https://a.org/x kosten 3 €!", ""):
        prepared = cutting.prepare(text)
        assert cutting.restore([each.tokens for each in prepared.sentences], prepared) == text
        assert again.prepare(text) == prepared


def test_compounds_are_words_on_one_side_and_marked_on_the_other() -> None:
    source, target = trained("compounds"), trained("marked-compounds")
    (sentence,) = source.prepare("eine Regierungserklärung").sentences
    assert sentence.tokens == ("eine", "Regierung", "Erklärung")
    assert sentence.word_of == (0, 1, 1)
    assert sentence.spans[1] == sentence.spans[2] == (5, 24)
    (marked,) = target.prepare("eine Regierungserklärung").sentences
    assert marked.tokens == ("eine", "Regierung", "￭erklärung")
    given = source.prepare("a %s declaration of the government")
    tokens = ["eine", "Regierung", "￭erklärung", "⟦printf:0⟧", "￭tür"]
    assert target.restore([tokens], given) == "eine Regierungserklärung %s tür"
    assert (
        target.restore([["Haus", "￭erklärung"]], source.prepare("x")) == "Hauserklärung"
    )  # a new one, as joined mostly


def test_morphs_carry_a_mark() -> None:
    cutting = trained("morphs")
    (sentence,) = cutting.prepare("Haustür Haustür %d").sentences
    assert sentence.tokens[-1] == "⟦printf:0⟧"
    assert "".join(sentence.tokens[:-1]).replace("￭", "") == "HaustürHaustür"
    assert cutting.restore([["Tür", "￭en", "und"]], cutting.prepare("doors and")) == "Türen und"


def test_copied_pieces_become_words_again() -> None:
    """What nothing translates is copied: pieces of one word side by side are that word, without marks."""
    settings = Preprocessing(language="sw", case="keep", pieces="morphs")
    source = Preprocessor(settings, pieces=Morphs({"mna": 3, "soma": 2, "na": 1}, whole=["leo"]))
    prepared = source.prepare("leo mnasoma na")
    assert prepared.tokens[0] == ("leo", "mna", "￭soma", "na")
    words = Preprocessor(Preprocessing(language="en", case="keep"))
    links = [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert words.restore([["today", "mna", "￭soma", "and"]], prepared, [links]) == "today mnasoma and"
    assert words.restore([["today", "you", "￭soma", "and"]], prepared, [links]) == "today you soma and"
    assert words.restore([["leo", "you", "read", "and"]], prepared, [links]) == "leo you read and"
    pieces = Preprocessor(settings, pieces=Morphs({"mna": 3}))
    assert pieces.restore([["to", "￭day", "mna", "￭soma"]], prepared, [[(1, 2), (2, 3)]]) == "today mnasoma"


def test_a_source_rich_in_forms_is_cut() -> None:
    rich = [f"{stem}{ending} na" for stem in ("pend", "som", "andik") for ending in ("a", "iwa", "eni", "ewa", "isha")]
    poor = ["he loves and reads"] * len(rich)
    assert seen_once(rich) == 0.5
    assert usual_pieces(rich, poor) == ("morphs", "words")
    assert usual_pieces(poor, rich) == ("words", "words")
    assert usual_pieces(rich, rich) == ("words", "words"), "the other side is as rich"
    assert usual_pieces(rich + ["na"] * 2000, poor) == ("words", "words"), "rare forms are rare"
    assert usual_pieces(rich * 1000, poor * 1000) == ("words", "words"), "the text is large"
    assert seen_once([]) == 0
