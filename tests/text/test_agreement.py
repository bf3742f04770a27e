"""Agreement of adjectives and participles, and the lexicon that it goes by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from dragoman.annotations import Sentence, conllu
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.sentence import MissingLayer
from dragoman.errors import FormatError
from dragoman.text.agreement import AgreementCorrector, revise
from dragoman.text.inflections import PARTICIPLE, InflectionLexicon
from dragoman.text.preprocessing import Preprocessing
from dragoman.text.preprocessor import Preprocessor

ENTRIES = [
    ("maison", "maison", "NOUN", "Gender=Fem|Number=Sing"),
    ("maisons", "maison", "NOUN", "Gender=Fem|Number=Plur"),
    ("bras", "bras", "NOUN", "Gender=Masc|Number=Sing"),
    ("bras", "bras", "NOUN", "Gender=Masc|Number=Plur"),
    ("chien", "chien", "NOUN", "Gender=Masc|Number=Sing"),
    ("vert", "vert", "ADJ", "Gender=Masc|Number=Sing"),
    ("verte", "vert", "ADJ", "Gender=Fem|Number=Sing"),
    ("vertes", "vert", "ADJ", "Gender=Fem|Number=Plur"),
    ("rouge", "rouge", "ADJ", "Number=Sing"),
    ("rouges", "rouge", "ADJ", "Number=Plur"),
    ("vendu", "vendre", "VERB", "Gender=Masc|Number=Sing|Tense=Past|VerbForm=Part"),
    ("vendue", "vendre", "VERB", "Gender=Fem|Number=Sing|Tense=Past|VerbForm=Part"),
]
LEXICON = InflectionLexicon.of(ENTRIES)


def noun_phrase(noun: str, adjective: str) -> Sentence:
    return Sentence.of(
        ["la", noun, adjective],
        pos=["DET", "NOUN", "ADJ"],
        lemmas=["le", noun, adjective],
        dependencies=([1, -1, 1], ["det", "root", "amod"]),
    )


def said_of(noun: str, verb: str, lemma: str, participle: str, label: str = "aux:pass") -> Sentence:
    return Sentence.of(
        ["la", noun, verb, participle],
        pos=["DET", "NOUN", "AUX", "VERB"],
        lemmas=["le", noun, lemma, participle],
        dependencies=([1, 3, 3, -1], ["det", "nsubj:pass", label, "root"]),
    )


def corrected(sentence: Sentence) -> str:
    return " ".join(AgreementCorrector(LEXICON).correct(sentence)[0])


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (noun_phrase("maison", "vert"), "la maison verte"),
        (noun_phrase("maisons", "Vert"), "la maisons Vertes"),
        (noun_phrase("maison", "verte"), "la maison verte"),
        (noun_phrase("maison", "rouge"), "la maison rouge"),  # shows no gender, and so any
        (noun_phrase("maisons", "rouge"), "la maisons rouges"),
        (noun_phrase("bras", "verte"), "la bras verte"),  # one or several: nobody can tell
        (noun_phrase("chien", "vertes"), "la chien vert"),
        (noun_phrase("table", "vert"), "la table vert"),  # unknown noun
        (noun_phrase("maison", "bleu"), "la maison bleu"),  # unknown adjective
        (said_of("maison", "est", "être", "vendu"), "la maison est vendue"),
        (said_of("maison", "a", "avoir", "vendu", "aux:tense"), "la maison a vendu"),  # no agreement with avoir
        (said_of("maisons", "sont", "être", "vendu"), "la maisons sont vendu"),  # that form is not known
    ],
)
def test_forms_are_replaced_where_nothing_is_in_doubt(given: Sentence, wanted: str) -> None:
    assert corrected(given) == wanted


def test_coordinations_are_left_alone() -> None:
    words = ["maison", "et", "chien", "vert"]
    parsed = Sentence.of(
        words,
        pos=["NOUN", "CCONJ", "NOUN", "ADJ"],
        lemmas=words,
        dependencies=([-1, 2, 0, 0], ["root", "cc", "conj", "amod"]),
    )
    assert corrected(parsed) == " ".join(words)
    with pytest.raises(MissingLayer, match="lemmas"):
        corrected(Sentence.of(words, pos=["NOUN"] * 4))


def test_what_was_replaced_is_told() -> None:
    _, edits = AgreementCorrector(LEXICON).correct(noun_phrase("maison", "vert"))
    assert [tuple(edit) for edit in edits] == [(2, "vert", "verte", 1)]


def test_other_forms() -> None:
    assert LEXICON.other_forms("Vert", "ADJ") == {"verte", "vertes"}
    assert LEXICON.other_forms("vendue", "PART-PAST") == {"vendu"}
    assert LEXICON.other_forms("maison", "ADJ") == set()


def test_lexicons_survive_their_file(tmp_path: Path) -> None:
    LEXICON.save(tmp_path / "fr.tsv")
    assert InflectionLexicon.open(tmp_path / "fr.tsv") == LEXICON
    (tmp_path / "bad.tsv").write_text("maison\tmaison\n")
    with pytest.raises(FormatError, match="line 1"):
        InflectionLexicon.open(tmp_path / "bad.tsv")


class Phrases(Annotator):
    """Takes three words for a noun phrase, and refuses longer sentences."""

    name = "phrases"

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        return cls()

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        return [noun_phrase(*each.words[1:]) for each in sentences]


def test_sentences_are_revised_before_they_are_restored() -> None:
    corrector = AgreementCorrector(LEXICON)
    assert revise(corrector, Phrases(), [["la", "maison", "vert"], []]) == [["la", "maison", "verte"], []]
    plain = Preprocessor.train(Preprocessing(language="fr"), ["la maison verte ."])
    source = plain.prepare("the green house")
    revised = plain.revising_by(lambda sentences, threads=0: revise(corrector, Phrases(), sentences))
    assert plain.restore([["la", "maison", "vert"]], source) == "la maison vert"
    assert revised.restore([["la", "maison", "vert"]], source) == "la maison verte"


@pytest.mark.slow
def test_edits_of_a_treebank_are_right(data: Path) -> None:
    """French-Sequoia: words that were put into another form are put back, and hardly anything else is touched."""
    folder = data / "treebanks" / "ud"
    lexicon = InflectionLexicon.of_treebank(conllu.read(folder / "fr_sequoia-ud-train.conllu.gz"))
    corrector = AgreementCorrector(lexicon)
    right = wrong = touched = 0
    for sentence in conllu.read(folder / "fr_sequoia-ud-test.conllu.gz"):
        touched += len(corrector.correct(sentence)[1])
        for place, _ in corrector.pairs(sentence):
            for other in sorted(lexicon.other_forms(sentence.words[place], "ADJ", PARTICIPLE)):
                words = [*sentence.words[:place], other, *sentence.words[place + 1 :]]
                damaged = Sentence.of(
                    words, pos=sentence.pos, lemmas=sentence.lemmas, dependencies=sentence.dependencies
                )
                found, edits = corrector.correct(damaged)
                if any(edit.position == place for edit in edits):
                    same = found[place].lower() == sentence.words[place].lower()
                    right, wrong = right + same, wrong + (not same)
    assert right > 300
    assert wrong <= 0.02 * right
    assert touched <= 8  # of 547 pairs; half of these are mistakes of the text
