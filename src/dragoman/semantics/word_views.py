"""Views of annotated sentences: lemmas, and lemmas with a letter for their part of speech.

Dictionaries have lemmas, and the noun `bank` is not the verb. A view is a line of tokens again, so that everything that
reads tokenised text can read it. Letters are those of WordNet: n, v, a, r, and x for all that is no content word.

    >>> sentence = Sentence.of(["Banks", "run"], lemmas=["bank", "run"], pos=["NOUN", "VERB"])
    >>> tagged_lemmas(sentence)
    ['bank.n', 'run.v']
"""

from __future__ import annotations

from dragoman.annotations import Sentence

__all__ = ["LETTERS", "lemmas", "tagged_lemmas"]

LETTERS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
"""Of universal parts of speech; all others are x."""


def lemmas(sentence: Sentence) -> list[str]:
    """The lemmas of a sentence in lower case; blanks within one are joined."""
    return [_joined(lemma) for lemma in sentence.lemmas]


def tagged_lemmas(sentence: Sentence) -> list[str]:
    """Lemmas with the letters of their parts of speech."""
    return [f"{lemma}.{LETTERS.get(tag, 'x')}" for lemma, tag in zip(lemmas(sentence), sentence.pos, strict=True)]


def _joined(lemma: str) -> str:
    return "_".join(lemma.lower().split()) or "_"
