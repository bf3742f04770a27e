"""The German of the synthetic pair, checked by rules that do not know how it was made.

The tables below say which cases, genders and numbers each form can have; the generator's own tables go the other way.
"""

from __future__ import annotations

import pytest

from dragoman.annotations import Constituent, Sentence
from dragoman.text import synthetic
from dragoman.text.synthetic.morphology import german

DEFINITE = {
    "der": {"Nom Masc", "Dat Fem", "Gen Fem", "Gen Plur"},
    "die": {"Nom Fem", "Acc Fem", "Nom Plur", "Acc Plur"},
    "das": {"Nom Neut", "Acc Neut"},
    "den": {"Acc Masc", "Dat Plur"},
    "dem": {"Dat Masc", "Dat Neut"},
    "des": {"Gen Masc", "Gen Neut"},
}
EIN = {
    "": {"Nom Masc", "Nom Neut", "Acc Neut"},
    "e": {"Nom Fem", "Acc Fem", "Nom Plur", "Acc Plur"},
    "en": {"Acc Masc", "Dat Plur"},
    "em": {"Dat Masc", "Dat Neut"},
    "er": {"Dat Fem", "Gen Fem", "Gen Plur"},
    "es": {"Gen Masc", "Gen Neut"},
}
SHORT = {"im": "dem", "am": "dem", "zum": "dem", "vom": "dem", "beim": "dem", "ins": "das", "zur": "der"}
WEAK_E = {"Nom Masc", "Nom Fem", "Acc Fem", "Nom Neut", "Acc Neut"}
GOVERNS = {
    "mit": "Dat", "zu": "Dat", "nach": "Dat", "von": "Dat", "für": "Acc", "ohne": "Acc", "um": "Acc", "über": "Acc",
    "hinter": "Dat", "neben": "Dat", "unter": "Dat", "vor": "Dat",
}  # fmt: skip
FINITE = ("VVFIN", "VAFIN", "VMFIN")


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    return [item.target.annotated for item in synthetic.pair("en-de").generate(2500, seed=21)]


def slot(sentence: Sentence, at: int) -> str:
    features = sentence.morphology[at]
    return f"{features.get('Case')} {'Plur' if features.get('Number') == 'Plur' else features.get('Gender')}"


@pytest.mark.slow
def test_every_determiner_agrees_with_its_noun(sentences: list[Sentence]) -> None:
    checked = 0
    for sentence in sentences:
        for at, head in enumerate(sentence.dependencies.heads):
            if sentence.dependencies.labels[at] != "det" or not sentence.morphology[head].features:
                continue  # words of fixed expressions have no features
            form = sentence.tokens[at].text.lower()
            place = slot(sentence, head)
            if form in DEFINITE:
                assert place in DEFINITE[form], sentence.text
            elif sentence.tags[at] in ("PDAT",) or sentence.lemmas[at] == "jeder":
                article = {"er": "der", "e": "die", "es": "das", "en": "den", "em": "dem"}[
                    form.removeprefix("dies").removeprefix("jed")
                ]
                assert place in DEFINITE[article] or (form.endswith("es") and place.startswith("Gen")), sentence.text
            else:
                ending = form.removeprefix(sentence.lemmas[at].lower())
                assert place in EIN[ending], (form, sentence.text)
            checked += 1
    assert checked > 2000


@pytest.mark.slow
def test_every_adjective_agrees(sentences: list[Sentence]) -> None:
    """Weak, mixed and strong endings: somebody marks the case, and only one of determiner and adjective does."""
    checked = 0
    for sentence in sentences:
        heads = sentence.dependencies.heads
        for at, head in enumerate(heads):
            if sentence.tags[at] != "ADJA" or not sentence.morphology[head].features:
                continue
            place = slot(sentence, head)
            determiners = [d for d, h in enumerate(heads) if h == head and sentence.dependencies.labels[d] == "det"]
            cases = [d for d, h in enumerate(heads) if h == head and sentence.tags[d] == "APPRART"]
            stem = {"dunkel": "dunkl", "teuer": "teur", "hoch": "hoh", "müde": "müd"}.get(
                sentence.lemmas[at], sentence.lemmas[at]
            )
            ending = sentence.tokens[at].text.lower().removeprefix(stem.lower())
            form = sentence.tokens[determiners[0]].text.lower() if determiners else ""
            lemma = sentence.lemmas[determiners[0]] if determiners else ""
            if cases or lemma in ("der", "dieser", "jeder"):
                expected = "e" if place in WEAK_E else "en"
            elif (
                determiners and form == lemma.lower()
            ):  # ein, kein, mein without an ending: the adjective marks the case
                expected = "er" if place == "Nom Masc" else "es"
            elif determiners:
                expected = "e" if place in ("Nom Fem", "Acc Fem") else "en"
            else:
                expected = {
                    "Nom Masc": "er",
                    "Acc Masc": "en",
                    "Dat Masc": "em",
                    "Dat Neut": "em",
                    "Nom Neut": "es",
                    "Acc Neut": "es",
                    "Dat Fem": "er",
                    "Dat Plur": "en",
                }.get(place, "e")
            assert ending == expected, (place, form, sentence.text)
            checked += 1
    assert checked > 800


def test_contractions_and_prepositions_govern_the_right_case(sentences: list[Sentence]) -> None:
    for sentence in sentences:
        for at, head in enumerate(sentence.dependencies.heads):
            if sentence.dependencies.labels[at] != "case" or not sentence.morphology[head].features:
                continue
            form = sentence.tokens[at].text.lower()
            place = slot(sentence, head)
            if form in SHORT:
                assert place in DEFINITE[SHORT[form]], sentence.text
            elif form in GOVERNS and sentence.pos[head] != "PROPN":
                assert place.startswith(GOVERNS[form]), sentence.text


def test_nouns_are_capitalised_and_dative_plurals_end_in_n(sentences: list[Sentence]) -> None:
    for sentence in sentences:
        for at, token in enumerate(sentence.tokens):
            if sentence.tags[at] == "NN":
                assert token.text[0].isupper(), sentence.text
                if slot(sentence, at) == "Dat Plur":
                    assert token.text[-1] in "nsa", sentence.text


def test_the_finite_verb_stands_where_german_wants_it(sentences: list[Sentence]) -> None:
    """Second in main clauses (first in questions), last in clauses with a conjunction or relative pronoun."""
    second = last = 0
    for sentence in sentences:
        for clause in sentence.constituents.subtrees():
            if clause.label != "S":
                continue
            parts = [
                part
                for part in clause.children
                if not (isinstance(part, int) and sentence.pos[part] in ("PUNCT", "CCONJ"))
            ]
            verbs = [at for at, part in enumerate(parts) if isinstance(part, int) and sentence.tags[part] in FINITE]
            if not verbs:
                continue  # two coordinated clauses
            [finite] = verbs
            first = parts[0]
            inner = next(iter(first.leaves())) if isinstance(first, Constituent) else first
            opens_with_clause = isinstance(first, Constituent) and first.label == "S"
            assert isinstance(inner, int)
            if sentence.tags[inner] in ("KOUS", "PRELS") and not opens_with_clause:
                after = parts[finite + 1 :]
                assert all(isinstance(part, Constituent) and part.label == "S" for part in after), sentence.text
                last += 1
            elif finite == 0:
                assert "?" in sentence.text, sentence.text
            else:
                assert finite == 1, sentence.text
                second += 1
    assert second > 1000
    assert last > 300


def test_particles_close_main_clauses_and_join_in_subordinate_ones(sentences: list[Sentence]) -> None:
    separated = joined = 0
    for sentence in sentences:
        for at, lemma in enumerate(sentence.lemmas):
            if sentence.tags[at] == "PTKVZ":
                separated += 1
                head = sentence.dependencies.heads[at]
                assert sentence.lemmas[head].startswith(lemma)
                assert sentence.tags[head] == "VVFIN"
            if sentence.tags[at] == "VVFIN" and lemma.startswith(("auf", "aus", "ein", "weg", "an", "zurück")):
                joined += any(
                    sentence.tokens[at].text.startswith(p) for p in ("auf", "aus", "ein", "weg", "an", "zurück")
                )
    assert separated > 40
    assert joined > 10


@pytest.mark.parametrize(
    ("arguments", "form"),
    [
        (("Mädchen", "n", "Mädchen", False, "pl", "dat"), "Mädchen"),
        (("Haus", "n", "Häuser", False, "pl", "dat"), "Häusern"),
        (("Haus", "n", "Häuser", False, "sg", "gen"), "Hauses"),
        (("Student", "m", "Studenten", True, "sg", "dat"), "Studenten"),
        (("Auto", "n", "Autos", False, "pl", "dat"), "Autos"),
        (("Geheimnis", "n", "Geheimnisse", False, "sg", "gen"), "Geheimnisses"),
        (("Buchstabe", "m", "Buchstaben", True, "sg", "gen"), "Buchstabens"),
    ],
)
def test_nouns(arguments: tuple[str, str, str, bool, str, str], form: str) -> None:
    assert german.noun(*arguments) == form


def test_verbs_and_adjectives() -> None:
    assert german.conjugate("lächeln", "lächelt", "lächelte", "present", "1", "sg") == "lächle"
    assert german.conjugate("füttern", "füttert", "fütterte", "present", "1", "sg") == "füttere"
    assert german.conjugate("sehen", "sieht", "sah", "past", "3", "pl") == "sahen"
    assert german.adjective("teuer", "indef", "n", "nom") == "teures"
    assert german.adjective("hoch", "def", "f", "dat") == "hohen"
