"""How a decoder translates one word of a sentence, over its best translations.

A translation of the sentence says through its word links what the word became there. The different answers, in the
order in which they first appear among the n best translations, are what a translation system has to say about the word
in this context (Aziz and Specia 2010).
"""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.errors import InputError
from dragoman.search.base import Decoder
from dragoman.search.translation import SentenceTranslation, phrase_steps

__all__ = ["head_translations", "translations_of_position"]


def head_translations(decoder: Decoder, tokens: Sequence[str], position: int, *, nbest: int = 1000) -> list[str]:
    """What the word at a position becomes in the best translations of a tokenised sentence, each once."""
    if not 0 <= position < len(tokens):
        raise InputError(f"the word {position} of {len(tokens)}")
    return translations_of_position(decoder.translate([" ".join(tokens)], forests=True)[0], position, nbest=nbest)


def translations_of_position(translation: SentenceTranslation, position: int, *, nbest: int = 1000) -> list[str]:
    """The same, of a translation that has its forest."""
    found: dict[str, None] = {}
    for derivation in translation.nbest(nbest):
        links = derivation.links
        if links:
            text = " ".join(derivation.target[j] for i, j in links if i == position)
        else:  # a table without word links: a phrase of this one word says it too
            text = next(
                (
                    " ".join(derivation.target[slice(*step.target)])
                    for step in phrase_steps(derivation)
                    if step.source == (position, position + 1)
                ),
                "",
            )
        if text:
            found.setdefault(text)
    return list(found)
