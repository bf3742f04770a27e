"""Agreement: adjectives and participles of a translation are given the gender and number of what they belong to.

A phrase-based system translates *la maison* and *vert* by different rules, and nothing makes them agree. After
decoding, the sentence is parsed, and where a lexicon leaves no doubt, the form is replaced: an adjective that modifies
a noun, an adjective or past participle that is said of a subject with *être* (Green, Cer et al. 2013, for French). The
noun's readings must agree on gender and number, and the dependent must have one form with these values; anything else
stays as it is. A participle with *avoir* is left alone, as is whatever has a coordination above or beside it.
References need not have the same noun, so BLEU says little: count edits and look at them.

    >>> from dragoman.annotations import Sentence
    >>> from dragoman.text.inflections import InflectionLexicon
    >>> lexicon = InflectionLexicon.of([("maison", "maison", "NOUN", "Gender=Fem|Number=Sing"),
    ...     ("vert", "vert", "ADJ", "Gender=Masc|Number=Sing"), ("verte", "vert", "ADJ", "Gender=Fem|Number=Sing")])
    >>> parsed = Sentence.of("la maison vert".split(), pos=["DET", "NOUN", "ADJ"], lemmas=["le", "maison", "vert"],
    ...     dependencies=([1, -1, 1], ["det", "root", "amod"]))
    >>> AgreementCorrector(lexicon).correct(parsed)
    (['la', 'maison', 'verte'], [ReplacedForm(position=2, old='vert', new='verte', head=1)])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dragoman.annotations import Sentence
from dragoman.annotations.annotator import Annotator, reason
from dragoman.text.inflections import PARTICIPLE, InflectionLexicon

__all__ = ["AgreementCorrector", "ReplacedForm", "revise"]

NEEDED = ("pos", "lemmas", "dependencies")
"""Layers that a sentence must have."""
_SUBJECTS = ("nsubj", "nsubj:pass")
_VERBS_OF_BEING = ("cop", "aux:pass", "aux", "aux:tense")
_BE = "être"


class ReplacedForm(NamedTuple):
    """A form that was replaced, and the word it now agrees with."""

    position: int
    old: str
    new: str
    head: int


@dataclass(frozen=True)
class AgreementCorrector:
    """Makes French adjectives and participles agree, where a lexicon leaves no doubt."""

    lexicon: InflectionLexicon

    def correct(self, sentence: Sentence) -> tuple[list[str], list[ReplacedForm]]:
        """The words of a parsed sentence, and what was replaced."""
        sentence.require(*NEEDED, needed_by="agreement")
        words = list(sentence.words)
        edits = []
        for dependent, head in self.pairs(sentence):
            new = self._agreeing(words[dependent], words[head])
            if new is not None:
                edits.append(ReplacedForm(dependent, words[dependent], new, head))
                words[dependent] = new
        return words, edits

    def pairs(self, sentence: Sentence) -> Iterator[tuple[int, int]]:
        """Dependents that must agree with a noun, from left to right."""
        tree, pos, lemmas = sentence.dependencies, sentence.pos, sentence.lemmas
        below = [[(child, tree.labels[child]) for child in tree.children(word)] for word in range(len(sentence))]
        joined = [any(label == "conj" for _, label in children) for children in below]
        for word, children in enumerate(below):
            if joined[word] or tree.labels[word] == "conj":
                continue
            head = tree.heads[word]
            if tree.labels[word] != "amod":
                being = any(label in _VERBS_OF_BEING and lemmas[child] == _BE for child, label in children)
                subjects = [child for child, label in children if label in _SUBJECTS]
                head = subjects[0] if being and len(subjects) == 1 and pos[word] in ("ADJ", "VERB") else -1
            if head >= 0 and pos[head] == "NOUN" and not joined[head]:
                yield word, head

    def _agreeing(self, form: str, noun: str) -> str | None:
        """What the form should be for a noun; None if it is right, or nobody can tell."""
        values = {(each.gender, each.number) for each in self.lexicon.of_form(noun, "NOUN")}
        if len(values) != 1:
            return None
        gender, number = values.pop()
        own = self.lexicon.of_form(form, "ADJ", PARTICIPLE)
        if not gender or not number or not own or any(each.shows(gender, number) for each in own):
            return None
        lemmas = {(each.lemma, each.pos) for each in own}
        found = [self.lexicon.forms(*lemma, gender=gender, number=number) for lemma in sorted(lemmas)]
        if not all(len(forms) == 1 for forms in found) or len(set.union(*found)) != 1:
            return None
        new = found[0].pop()
        return new[:1].upper() + new[1:] if form[:1].isupper() else new


def revise(
    corrector: AgreementCorrector, annotator: Annotator, sentences: Sequence[Sequence[str]], *, threads: int = 0
) -> list[list[str]]:
    """Sentences as lists of words, parsed and corrected; those that cannot be parsed come back as they are."""
    places = [at for at, words in enumerate(sentences) if words]
    parsed = annotator.annotate([Sentence.of(sentences[at]) for at in places], threads=threads)
    found = [list(words) for words in sentences]
    for at, sentence in zip(places, parsed, strict=True):
        if reason(sentence) is None:
            found[at] = corrector.correct(sentence)[0]
    return found
