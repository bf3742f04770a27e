"""German inflection: nouns, determiners, adjectives, verbs, pronouns.

Nouns are given by gender and plural, verbs by principal parts; the rest follows from rules: four cases, the strong,
weak and mixed endings of adjectives, person endings with their linking e, and contractions of preposition and article.
"""

from __future__ import annotations

import re
from functools import cache

__all__ = ["adjective", "conjugate", "contract", "determiner", "noun", "personal", "possessive_stem", "relative"]

CASES = ("nom", "acc", "dat", "gen")

_DEFINITE = {
    "m": ("der", "den", "dem", "des"),
    "n": ("das", "das", "dem", "des"),
    "f": ("die", "die", "der", "der"),
    "pl": ("die", "die", "den", "der"),
}
_DER = {
    "m": ("er", "en", "em", "es"),
    "n": ("es", "es", "em", "es"),
    "f": ("e", "e", "er", "er"),
    "pl": ("e", "e", "en", "er"),
}
_EIN = {
    "m": ("", "en", "em", "es"),
    "n": ("", "", "em", "es"),
    "f": ("e", "e", "er", "er"),
    "pl": ("e", "e", "en", "er"),
}
_STRONG = {
    "m": ("er", "en", "em", "en"),
    "n": ("es", "es", "em", "en"),
    "f": ("e", "e", "er", "er"),
    "pl": ("e", "e", "en", "er"),
}
_WEAK = {"m": ("e", "en", "en", "en"), "n": ("e", "e", "en", "en"), "f": ("e", "e", "en", "en"), "pl": ("en",) * 4}
_MIXED = {"m": ("er", "en", "en", "en"), "n": ("es", "es", "en", "en"), "f": ("e", "e", "en", "en"), "pl": ("en",) * 4}
_STEMS = {"dunkel": "dunkl", "teuer": "teur", "hoch": "hoh", "müde": "müd"}
_RELATIVE = {
    "m": ("der", "den", "dem", "dessen"),
    "n": ("das", "das", "dem", "dessen"),
    "f": ("die", "die", "der", "deren"),
    "pl": ("die", "die", "denen", "deren"),
}
_CONTRACTIONS = {
    ("in", "dem"): "im", ("in", "das"): "ins", ("an", "dem"): "am",
    ("zu", "dem"): "zum", ("zu", "der"): "zur", ("von", "dem"): "vom", ("bei", "dem"): "beim",
}  # fmt: skip
_PERSONAL = {
    ("1", "sg", ""): ("ich", "mich", "mir"), ("1", "pl", ""): ("wir", "uns", "uns"),
    ("2", "pl", ""): ("Sie", "Sie", "Ihnen"),
    ("3", "sg", "m"): ("er", "ihn", "ihm"), ("3", "sg", "f"): ("sie", "sie", "ihr"),
    ("3", "pl", ""): ("sie", "sie", "ihnen"),
}  # fmt: skip
_POSSESSIVE = {"my": "mein", "our": "unser", "your": "Ihr", "his": "sein", "her": "ihr", "their": "ihr"}
_IRREGULAR = {
    "sein": {"present": ("bin", "ist", "sind"), "past": ("war", "war", "waren")},
    "haben": {"present": ("habe", "hat", "haben"), "past": ("hatte", "hatte", "hatten")},
    "werden": {"present": ("werde", "wird", "werden"), "past": ("wurde", "wurde", "wurden")},
    "können": {"present": ("kann", "kann", "können"), "past": ("konnte", "konnte", "konnten")},
    "müssen": {"present": ("muss", "muss", "müssen"), "past": ("musste", "musste", "mussten")},
    "sollen": {"present": ("soll", "soll", "sollen"), "past": ("sollte", "sollte", "sollten")},
    "dürfen": {"present": ("darf", "darf", "dürfen"), "past": ("durfte", "durfte", "durften")},
    "wissen": {"present": ("weiß", "weiß", "wissen"), "past": ("wusste", "wusste", "wussten")},
}


@cache
def noun(lemma: str, gender: str, plural: str | None, weak: bool, number: str, case: str) -> str:
    """A form of a noun.

    >>> noun("Kind", "n", "Kinder", False, "pl", "dat"), noun("Löwe", "m", "Löwen", True, "sg", "acc")
    ('Kindern', 'Löwen')
    """
    if number == "pl":
        assert plural is not None, lemma
        return plural + "n" if case == "dat" and not re.search(r"[nsa]$", plural) else plural
    if weak and case != "nom":
        assert plural is not None
        return plural + "s" if case == "gen" and lemma == "Buchstabe" else plural
    if case == "gen" and gender in "mn":
        if lemma.endswith("nis"):
            return lemma + "ses"
        return lemma + ("es" if re.search(r"(s|ß|x|z|sch|st)$", lemma) and not lemma.endswith("os") else "s")
    return lemma


def determiner(kind: str, gender: str, case: str) -> str:
    """A determiner; `gender` is m, f, n or pl; kinds: def, indef, no, this, every, and possessive stems.

    >>> determiner("def", "m", "dat"), determiner("no", "f", "acc"), determiner("unser", "pl", "nom")
    ('dem', 'keine', 'unsere')
    """
    at = CASES.index(case)
    match kind:
        case "def":
            return _DEFINITE[gender][at]
        case "this":
            return "dies" + _DER[gender][at]
        case "every":
            return "jed" + _DER[gender][at]
        case "indef":
            return "ein" + _EIN[gender][at]
        case "no":
            return "kein" + _EIN[gender][at]
    return kind + _EIN[gender][at]


def adjective(stem: str, kind: str, gender: str, case: str) -> str:
    """An attributive adjective after a determiner of this kind (`none`: strong endings).

    >>> [adjective("alt", kind, "m", "nom") for kind in ("def", "indef")], adjective("dunkel", "none", "n", "acc")
    (['alte', 'alter'], 'dunkles')
    """
    table = {"def": _WEAK, "this": _WEAK, "every": _WEAK, "none": _STRONG}.get(kind, _MIXED)
    return _STEMS.get(stem, stem) + table[gender][CASES.index(case)]


def relative(gender: str, case: str) -> str:
    """A relative pronoun."""
    return _RELATIVE[gender][CASES.index(case)]


def personal(person: str, number: str, gender: str, case: str) -> str:
    """A personal pronoun; the second person is the polite one."""
    return _PERSONAL[person, number, gender if (person, number) == ("3", "sg") else ""][CASES.index(case)]


def possessive_stem(english: str) -> str:
    """The stem of a possessive determiner."""
    return _POSSESSIVE[english]


def contract(preposition: str, article: str) -> str | None:
    """`im` for `in dem`, or None."""
    return _CONTRACTIONS.get((preposition, article))


@cache
def conjugate(infinitive: str, present: str, past: str, tense: str, person: str, number: str) -> str:
    """A finite form from the principal parts.

    >>> conjugate("geben", "gibt", "gab", "present", "3", "sg")
    'gibt'
    >>> conjugate("reden", "redet", "redete", "past", "3", "pl")
    'redeten'
    """
    at = 2 if number == "pl" or person == "2" else 0 if person == "1" else 1
    if infinitive in _IRREGULAR:
        return _IRREGULAR[infinitive][tense][at]
    if tense == "present":
        if at == 2:
            return infinitive
        if at == 1:
            return present
        if infinitive.endswith("eln"):
            return infinitive[:-3] + "le"
        return infinitive[:-1] + "e" if infinitive.endswith("ern") else infinitive[:-2] + "e"
    if at != 2:
        return past
    return past + ("n" if past.endswith("e") else "en")
