"""Lemmas as rules: what to cut off and what to put there, so that a word that was never seen still gets one.

A rule keeps the longest common part of word and lemma and says what changes before and after it; whether letter case
goes is part of the rule. Choosing a rule is tagging (Chrupala 2006).

    >>> rule("Walked", "walk"), apply("Jumped", rule("Walked", "walk"))
    ('l 0  2 ', 'jump')
    >>> apply("gesagt", rule("gelacht", "lachen"))
    'sagen'
"""

from __future__ import annotations

from difflib import SequenceMatcher

__all__ = ["apply", "rule"]


def rule(word: str, lemma: str) -> str:
    """The rule that makes this lemma of this word: case, letters cut and put before, letters cut and put after."""
    lowers = lemma == lemma.lower() and word != word.lower()
    form = word.lower() if lowers else word
    match = SequenceMatcher(None, form, lemma, autojunk=False).find_longest_match()
    if match.size == 0 or " " in lemma:
        return f"= {lemma}"
    before, after = lemma[: match.b], lemma[match.b + match.size :]
    case = "l" if lowers else "k"
    return f"{case} {match.a} {before} {len(form) - match.a - match.size} {after}"


def apply(word: str, made: str) -> str:
    """The lemma that a rule makes of a word; the word itself where the rule cuts more than there is."""
    if made.startswith("= "):
        return made[2:]
    case, cut_before, before, cut_after, after = made.split(" ")
    form = word.lower() if case == "l" else word
    first, last = int(cut_before), len(form) - int(cut_after)
    if first >= last:
        return form
    return before + form[first:last] + after
