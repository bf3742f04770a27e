"""English inflection: plurals, third person, past, articles."""

from __future__ import annotations

import re

__all__ = ["article", "past", "plural", "third"]

_SIBILANT = re.compile(r"(s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_DOUBLING = {"rob", "travel", "cancel"}


def plural(noun: str) -> str:
    """The regular plural.

    >>> [plural(noun) for noun in ("dog", "fox", "story", "boy", "pupil")]
    ['dogs', 'foxes', 'stories', 'boys', 'pupils']
    """
    if _CONSONANT_Y.search(noun):
        return noun[:-1] + "ies"
    return noun + ("es" if _SIBILANT.search(noun) else "s")


def third(verb: str) -> str:
    """Third person singular of the present.

    >>> [third(verb) for verb in ("go", "carry", "have", "watch")]
    ['goes', 'carries', 'has', 'watches']
    """
    if verb in ("go", "do"):
        return verb + "es"
    return "has" if verb == "have" else plural(verb)


def past(verb: str) -> str:
    """The regular past.

    >>> [past(verb) for verb in ("love", "carry", "work", "travel")]
    ['loved', 'carried', 'worked', 'travelled']
    """
    if verb.endswith("e"):
        return verb + "d"
    if _CONSONANT_Y.search(verb):
        return verb[:-1] + "ied"
    return (verb + verb[-1] if verb in _DOUBLING else verb) + "ed"


def article(following: str) -> str:
    """`a` or `an`, by the sound of the next word.

    >>> [article(word) for word in ("apple", "university", "honest", "dog", "uncle")]
    ['an', 'a', 'an', 'a', 'an']
    """
    if re.match(r"(hon|hour|heir)", following) and following != "honey":
        return "an"
    if re.match(r"(uni|use|eu|one)", following):
        return "a"
    return "an" if following[0] in "aeiouAEIOU" else "a"
