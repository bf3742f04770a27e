"""Roles by rule, on the sentences that the rules were made for, and by a labeller that must beat them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.annotations import Frame, Sentence
from dragoman.annotations.role_rules import label_roles
from dragoman.annotations.roles import RoleLabeler
from dragoman.annotations.scoring import score
from dragoman.annotations.treebanks import read_treebank

BOOKING = Sentence.of(
    ["The", "lack", "of", "snow", "discourages", "people", "from", "ordering", "ski", "stays"],
    lemmas=["the", "lack", "of", "snow", "discourage", "people", "from", "order", "ski", "stay"],
    pos=["DET", "NOUN", "ADP", "NOUN", "VERB", "NOUN", "SCONJ", "VERB", "NOUN", "NOUN"],
    dependencies=(
        [1, 4, 3, 1, -1, 4, 7, 4, 9, 7],
        ["det", "nsubj", "case", "nmod", "root", "obj", "mark", "advcl", "compound", "obj"],
    ),
)


def words(sentence: Sentence, frame: Frame) -> dict[str, str]:
    return {role: " ".join(sentence.words[at] for at in tokens) for role, tokens in frame.roles().items()}


def test_the_sentence_of_the_tine_paper() -> None:
    """Rios, Aziz and Specia (2011): `people` is whom snow discourages, and who orders."""
    sentence = BOOKING.with_layers(
        dependencies=type(BOOKING.dependencies)(
            BOOKING.dependencies.heads,
            tuple("xcomp" if at == 7 else x for at, x in enumerate(BOOKING.dependencies.labels)),
        )
    )
    discourage, order = label_roles(sentence)
    assert words(sentence, discourage)["A0"] == "The lack of snow"
    assert words(sentence, discourage)["A1"] == "people"
    assert words(sentence, order) == {"A0": "people", "A1": "ski stays"}


def test_passive_agent_modal_and_negation() -> None:
    sentence = Sentence.of(
        ["It", "must", "not", "be", "eaten", "by", "dogs", "today"],
        lemmas=["it", "must", "not", "be", "eat", "by", "dog", "today"],
        pos=["PRON", "AUX", "PART", "AUX", "VERB", "ADP", "NOUN", "NOUN"],
        dependencies=(
            [4, 4, 4, 4, -1, 6, 4, 4],
            ["nsubj:pass", "aux", "advmod", "aux:pass", "root", "case", "obl", "obl:tmod"],
        ),
    )
    [frame] = label_roles(sentence)
    assert words(sentence, frame) == {
        "A1": "It",
        "AM-MOD": "must",
        "AM-NEG": "not",
        "A0": "by dogs",
        "AM-TMP": "today",
    }


def test_what_falls_does_not_act() -> None:
    tree = ([1, -1], ["nsubj", "root"])
    sentence = Sentence.of(["Prices", "fall"], lemmas=["price", "fall"], pos=["NOUN", "VERB"], dependencies=tree)
    assert label_roles(sentence)[0].roles() == {"A1": (0,)}


@pytest.mark.slow
def test_a_trained_labeller_beats_the_rules(data: Path) -> None:
    """On half of the development part of PropBank over English-EWT, trained on the other half, with gold trees."""
    sentences = read_treebank(
        "roles",
        [data / "treebanks/srl/ewt-props.dev.conll.gz"],
        trees=[data / "treebanks/ud/en_ewt-ud-dev.conllu.gz"],
    )
    half = len(sentences) // 2
    labeler = RoleLabeler.train(sentences[:half], epochs=3)
    test = sentences[half:]
    learnt = score(test, labeler.annotate(test))
    ruled = score(test, [sentence.with_layers(frames=label_roles(sentence)) for sentence in test])
    assert learnt["roles"].f1 > ruled["roles"].f1 + 0.08
    assert learnt["predicates"].f1 > 0.88
