"""What features mean, in a sentence each, and the few concerns that they serve.

A model has eight dense features or twenty, and perhaps a hundred thousand sparse ones; a person who asks why a
translation came about wants five or six columns. Each feature serves one concern; families of features (`phrase.ts`,
`rule:das_haus>the_house`) are known by how their names begin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dragoman.features.template_specs import TEMPLATES

__all__ = ["CONCERNS", "Concern", "concern_of", "family_of", "meaning_of", "met_concerns"]


@dataclass(frozen=True, slots=True, eq=False)
class Concern:
    """What some features together are about."""

    name: str
    question: str
    features: Mapping[str, str]
    """Families that serve it, with what each of them measures."""


CONCERNS = (
    Concern(
        "fluency",
        "Is this what the target language sounds like?",
        {
            "lm": "how probable each target word is after the words before it",
            "cache": "how much more probable words are because they were confirmed lately",
            "lm_extra": "the same, by a model of further text of the target language",
            "lm_classes": "the same over classes of words, which know more contexts",
            "dependency_lm": "how well each target word hangs on another one near it",
            "dslm": "how probable each target word is below the words that its source word hangs on",
        },
    ),
    Concern(
        "phrases",
        "Was it translated like this before?",
        {
            "phrase": "how often the training text translates the whole phrase so, and back",
            "unknown": "a word that no rule translates, copied as it is",
            "count": "how often the rule was seen",
            "unique": "whether the rule was seen only once",
            "penalty": "a constant for each rule of a table made for Moses",
            "class": "which kind of rule it is, by its nonterminals",
        },
    ),
    Concern(
        "words",
        "Do the words translate each other one by one?",
        {
            "lex": "how probable the single words of both sides are as translations of each other",
            "joint": "how probable each target word is after the words before it and among the source words around it",
            "sequence": "how probable each target word with its source words is after the pairs before it",
            "vectors": "how alike the vectors of the words of both sides are",
            "context": "how well translations of single words go with the words around them",
        },
    ),
    Concern(
        "order",
        "Does it stand in the right place?",
        {
            "orientation": "whether such a phrase usually follows, changes places or jumps",
            "gap": "phrases with gaps: how many they are, how large their gaps, and how they cross",
            "distortion": "how far the translation jumped in the source sentence",
            "distortion_model": "how probable such jumps are from and to these words",
            "relation_order": "whether words that hang together so keep their order",
            "reordered": "a rule that changes the order of its parts",
            "width": "how wide the parts are that change places",
            "height": "how deep rules stand inside rules",
            "glue": "parts that were put side by side without a rule",
        },
    ),
    Concern(
        "length",
        "Is it neither too long nor too short?",
        {
            "word_penalty": "each target word",
            "phrase_penalty": "each phrase: few long ones or many short ones",
            "rule_penalty": "each rule: few large ones or many small ones",
        },
    ),
    Concern("sparse", "Do single words and rules have a say of their own?", {}),
    Concern("other", "What else the model was given.", {}),
)
"""All concerns, in the order in which they are shown."""

_SPARSE, _OTHER = CONCERNS[-2:]
_BY_FAMILY = {family: concern for concern in CONCERNS for family in concern.features}


def family_of(name: str) -> str:
    """The family of a feature: sparse templates by their prefix, reordering and table columns by their first part."""
    return name.partition(":")[0] if ":" in name else name.partition(".")[0]


def concern_of(name: str) -> Concern:
    """Which concern a feature serves."""
    family = family_of(name)
    if ":" in name or family in TEMPLATES:
        return _SPARSE
    return _BY_FAMILY.get(family, _OTHER)


def meaning_of(family: str) -> str:
    """What a family of features measures."""
    if family in TEMPLATES:
        return TEMPLATES.describe(family).rstrip(".")
    return _BY_FAMILY.get(family, _OTHER).features.get(family, "a feature of this model's own")


def met_concerns(names: Iterable[str]) -> dict[Concern, list[str]]:
    """The concerns of some features, in order, each with the families that were met."""
    met: dict[str, set[str]] = {}
    for name in names:
        met.setdefault(concern_of(name).name, set()).add(family_of(name))
    return {each: sorted(met[each.name]) for each in CONCERNS if each.name in met}
