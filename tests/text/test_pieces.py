from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.text.pieces import Pieces
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
    if pieces in ("subwords", "morphs"):
        peer({"subwords": "sentencepiece", "morphs": "morfessor"}[pieces])
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
    peer("morfessor")
    cutting = trained("morphs")
    (sentence,) = cutting.prepare("Haustür Haustür %d").sentences
    assert sentence.tokens[0].startswith("▁")
    assert sentence.tokens[-1] == "⟦printf:0⟧"
    assert "".join(sentence.tokens[:-1]) == "▁Haustür▁Haustür"
    assert cutting.restore([["▁Tür", "en", "▁und"]], cutting.prepare("doors and")) == "Türen und"
