"""Lexicons of inflected forms: which forms a word has, and which gender and number each of them shows.

Such a lexicon is a table of forms with lemma, part of speech and features, as Universal Dependencies write them. It is
collected from a treebank, or written by hand; a lexicon that knows little says little, and who asks it leaves things as
they are.

    >>> lexicon = InflectionLexicon.of([("petit", "petit", "ADJ", "Gender=Masc|Number=Sing"),
    ...                                 ("petite", "petit", "ADJ", "Gender=Fem|Number=Sing")])
    >>> lexicon.forms("petit", "ADJ", gender="Fem", number="Sing")
    {'petite'}
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dragoman.annotations import Sentence
from dragoman.annotations.layers import Morphology
from dragoman.errors import FormatError
from dragoman.files import read_lines, writing

__all__ = ["Inflection", "InflectionLexicon"]

PARTICIPLE = "PART-PAST"
"""Stands for the part of speech of past participles, whose other forms are those of a verb."""
_CLASSES = ("ADJ", "NOUN", "VERB", "AUX")


class Inflection(NamedTuple):
    """One reading of a form; gender and number are empty where the form does not show them."""

    lemma: str
    pos: str
    gender: str
    number: str

    def shows(self, gender: str, number: str) -> bool:
        """Whether the form can stand for these: what it does not show, it does not contradict."""
        return self.gender in ("", gender) and self.number in ("", number)


@dataclass(frozen=True)
class InflectionLexicon:
    """Readings of forms in lower case, and forms of lemmas."""

    readings: dict[str, tuple[Inflection, ...]]

    @classmethod
    def of(cls, entries: Iterable[tuple[str, str, str, str]]) -> InflectionLexicon:
        """From forms with lemma, part of speech (of Universal Dependencies) and features."""
        found: dict[str, dict[Inflection, None]] = defaultdict(dict)
        for form, lemma, pos, features in entries:
            known = Morphology.of(features)
            if pos in ("VERB", "AUX") and known.get("VerbForm") == "Part" and known.get("Tense", "Past") == "Past":
                pos = PARTICIPLE
            found[form.lower()][Inflection(lemma, pos, known.get("Gender"), known.get("Number"))] = None
        return cls({form: tuple(each) for form, each in sorted(found.items())})

    @classmethod
    def of_treebank(cls, sentences: Iterable[Sentence]) -> InflectionLexicon:
        """From sentences with lemmas, parts of speech and morphology: adjectives, nouns and verbs."""

        def entries() -> Iterator[tuple[str, str, str, str]]:
            for sentence in sentences:
                rows = zip(sentence.words, sentence.lemmas, sentence.pos, sentence.morphology, strict=True)
                yield from ((form, lemma, pos, str(more)) for form, lemma, pos, more in rows if pos in _CLASSES)

        return cls.of(entries())

    def of_form(self, form: str, *classes: str) -> tuple[Inflection, ...]:
        """The readings of a form that are of some parts of speech."""
        return tuple(each for each in self.readings.get(form.lower(), ()) if each.pos in classes)

    def forms(self, lemma: str, pos: str, *, gender: str, number: str) -> set[str]:
        """The forms of a lemma that show a gender and a number, both of them outright."""
        return set(self._by_value.get((lemma, pos, gender, number), ()))

    def other_forms(self, form: str, *classes: str) -> set[str]:
        """All other forms that the lemmas of a form have as these parts of speech."""
        own = {(each.lemma, each.pos) for each in self.of_form(form, *classes)}
        found = {each for value, forms in self._by_value.items() if value[:2] in own for each in forms}
        return found - {form.lower()}

    @property
    def _by_value(self) -> dict[tuple[str, str, str, str], list[str]]:
        if "_forms" not in self.__dict__:
            forms: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
            for form, readings in self.readings.items():
                for lemma, pos, gender, number in readings:
                    for each in (gender,) if gender else ("Masc", "Fem"):
                        forms[lemma, pos, each, number].append(form)
            self.__dict__["_forms"] = dict(forms)
        found: dict[tuple[str, str, str, str], list[str]] = self.__dict__["_forms"]
        return found

    def __len__(self) -> int:
        return len(self.readings)

    def save(self, path: Path | str) -> None:
        """Write a line for each reading: form, lemma, part of speech, features."""
        with writing(path) as file:
            for form, readings in self.readings.items():
                for lemma, pos, gender, number in readings:
                    values = {"Gender": gender, "Number": number}
                    known = {name: value for name, value in values.items() if value}
                    if pos == PARTICIPLE:
                        pos, known = "VERB", known | {"Tense": "Past", "VerbForm": "Part"}
                    file.write(f"{form}\t{lemma}\t{pos}\t{Morphology.of(known)}\n")

    @classmethod
    def open(cls, path: Path | str) -> InflectionLexicon:
        """Read what `save` wrote, or a table of one's own."""

        def entries() -> Iterator[tuple[str, str, str, str]]:
            for number, line in enumerate(read_lines(path), 1):
                fields = line.split("\t")
                if len(fields) != 4 or not all(fields):
                    raise FormatError(
                        "not a line of a lexicon",
                        where=f"{path}, line {number}",
                        remedy="write form, lemma, part of speech and features (`_` for none), between tabs",
                    )
                yield fields[0], fields[1], fields[2], fields[3]

        return cls.of(entries())
