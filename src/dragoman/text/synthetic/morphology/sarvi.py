"""Sarvi: a constructed language with vowel harmony, agglutinating and verb-final.

Words are coined, not borrowed: a stem follows from its concept by a fixed recipe (consonant-vowel syllables, all vowels
back or all front), so the lexicon needs no table and never changes. Suffix vowels harmonise: A is a or e, U is u or i,
as the last vowel of the stem is back (a o u) or front (e i ö). Nouns: stem, plural, definiteness, case. Verbs: stem,
modality, negation, tense, evidence, object, subject.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache

__all__ = ["CASES", "Stems", "attach", "noun", "participle", "verb"]

_BACK, _FRONT = "aou", "eiö"
_ONSETS = ("k", "t", "p", "s", "m", "n", "l", "r", "v", "d", "b", "g", "h", "z", "sh", "kh", "tr", "j")
_CODAS = ("", "", "", "n", "r", "l", "k", "s", "m", "t")

CASES = {"nom": "", "acc": "mU", "dat": "nA", "gen": "vUs", "loc": "dAl", "ins": "kAr", "abl": "shUn"}
_TENSES = {"present": "Ur", "past": "Ad", "perfect": "Ams", "future": "UvA"}
_MODALS = {"can": "bUl", "must": "gAr", "should": "lAt", "may": "zUn"}
_SUBJECT = {
    ("1", "sg"): "Un",
    ("2", "sg"): "Ash",
    ("3", "sg"): "",
    ("1", "pl"): "UnA",
    ("2", "pl"): "AshA",
    ("3", "pl"): "Ut",
}
_OBJECT = {"": "", "sg": "ok", "pl": "okta"}


class Stems:
    """Coins a stem for every concept; no two concepts share one, whatever the order of asking."""

    def __init__(self, concepts: Iterable[str]) -> None:
        self._stems: dict[str, str] = {}
        taken: set[str] = set()
        for concept in sorted(set(concepts)):
            attempt = 0
            while (stem := _coin(concept, attempt)) in taken:
                attempt += 1
            taken.add(stem)
            self._stems[concept] = stem

    def __getitem__(self, concept: str) -> str:
        return self._stems[concept]

    def __len__(self) -> int:
        return len(self._stems)


def _coin(concept: str, attempt: int) -> str:
    digest = hashlib.blake2b(f"sarvi/{concept}/{attempt}".encode(), digest_size=12).digest()
    vowels = _FRONT if digest[0] & 1 else _BACK
    syllables = 2 + (digest[1] % 4 == 0)
    word = "".join(_ONSETS[digest[2 + 2 * i] % len(_ONSETS)] + vowels[digest[3 + 2 * i] % 3] for i in range(syllables))
    return word + _CODAS[digest[9] % len(_CODAS)]


@cache
def attach(stem: str, suffixes: Sequence[str]) -> str:
    """Suffixes in harmony with the stem; two vowels never meet (a y parts them).

    >>> attach("kata", ("rA", "mU")), attach("sel", ("rA", "mU")), attach("kata", ("Ur",))
    ('kataramu', 'selremi', 'katayur')
    """
    word = stem
    back = next((letter in _BACK for letter in reversed(stem.lower()) if letter in _BACK + _FRONT), True)
    for suffix in suffixes:
        harmonic = suffix.replace("A", "a" if back else "e").replace("U", "u" if back else "i")
        if not back:
            harmonic = harmonic.replace("o", "ö")
        if harmonic and word[-1] in _BACK + _FRONT and harmonic[0] in _BACK + _FRONT:
            word += "y"
        if harmonic and word.endswith(harmonic[0] * 2):
            harmonic = harmonic[1:]  # no letter three times
        word += harmonic
    return word


def noun(stem: str, *, plural: bool, definite: bool, case: str) -> str:
    """Stem, plural, definiteness, case.

    >>> noun("kata", plural=True, definite=True, case="dat")
    'kataratana'
    """
    return attach(stem, ("rA" if plural else "", "tA" if definite else "", CASES[case]))


def verb(
    stem: str,
    *,
    tense: str,
    person: str,
    number: str,
    modal: str = "",
    negated: bool = False,
    reported: bool = False,
    object_number: str = "",
) -> str:
    """Stem, modality, negation, tense, evidence, object, subject.

    >>> verb("sel", tense="past", person="3", number="pl", negated=True, object_number="sg")
    'selmeyedökit'
    """
    return attach(
        stem,
        (
            _MODALS.get(modal, ""),
            "mA" if negated else "",
            _TENSES[tense],
            "mUsh" if reported else "",
            _OBJECT[object_number],
            _SUBJECT[person, number],
        ),
    )


def participle(stem: str, *, gap: str, tense: str, negated: bool) -> str:
    """The verb of a relative clause, which stands before its noun.

    >>> participle("kata", gap="object", tense="past", negated=False)
    'katayadduk'
    """
    return attach(stem, ("mA" if negated else "", _TENSES[tense], "dUk" if gap == "object" else "An"))
