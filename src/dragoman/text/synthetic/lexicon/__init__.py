"""The lexicon: concepts with their English and German words, read from the tables beside this file.

A concept is what both sides of a pair express. Its words are plain facts of vocabulary, written down for this project;
the order of the tables is the order of frequency within each semantic class (a Zipf-like law picks from it), so that
the ends of the tables are the rare words that a test set has and a training set has not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from dragoman.text.synthetic.morphology import english

__all__ = [
    "Adjective",
    "GermanNoun",
    "GermanVerb",
    "Noun",
    "SyntheticLexicon",
    "Verb",
    "lexicon",
]


@dataclass(frozen=True, slots=True)
class GermanNoun:
    """A German noun: gender m, f or n; no plural for mass nouns; weak masculines take -n in all but the nominative."""

    lemma: str
    gender: str
    plural: str | None
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Noun:
    """A thing, with its words. `sense` tells apart the concepts of an ambiguous English word, `cues` are the adjectives
    that fix the sense."""

    concept: str
    english: str
    english_plural: str
    german: tuple[GermanNoun, ...]
    classes: tuple[str, ...]
    sense: str = ""
    cues: tuple[str, ...] = ()
    modifier: str = ""
    """English modifier of a compound (`kitchen` of `kitchen table`); the German word is one."""
    parts: tuple[str, ...] = ()
    """Concepts of a compound's modifier and head."""

    @property
    def mass(self) -> bool:
        return self.german[0].plural is None


@dataclass(frozen=True, slots=True)
class Adjective:
    """A quality and the classes of nouns that can have it (`*` all, `=` only as a cue)."""

    concept: str
    english: str
    german: tuple[str, ...]
    classes: tuple[str, ...]
    sense: str = ""


@dataclass(frozen=True, slots=True)
class GermanVerb:
    """Principal parts of a German verb; `particle` is separable, `auxiliary` forms the perfect."""

    infinitive: str
    present: str
    past: str
    participle: str
    auxiliary: str
    particle: str = ""
    before: tuple[str, ...] = ()
    """Fixed words before it (idioms)."""

    @property
    def lemma(self) -> str:
        return self.particle + self.infinitive


@dataclass(frozen=True, slots=True)
class Verb:
    """An event: its kind (see verbs.txt), words, and the classes of its subject and object."""

    concept: str
    kind: str
    english: str
    particle: tuple[str, ...]
    past: str
    participle: str
    german: tuple[GermanVerb, ...]
    subject: tuple[str, ...]
    object: tuple[str, ...] = ()
    preposition: str = ""
    case: str = "acc"
    sense: str = ""
    gloss: tuple[str, str] | None = None
    """Concepts of an idiom's Sarvi translation: what the verb takes, and the verb."""


@dataclass(frozen=True, slots=True)
class SyntheticLexicon:
    """All concepts."""

    nouns: tuple[Noun, ...]
    compounds: tuple[Noun, ...]
    adjectives: tuple[Adjective, ...]
    verbs: tuple[Verb, ...]
    idioms: tuple[Verb, ...]

    def __len__(self) -> int:
        return sum(map(len, (self.nouns, self.compounds, self.adjectives, self.verbs, self.idioms)))

    def ambiguous(self, english_word: str) -> tuple[str, ...]:
        """The senses of an English word that has several."""
        entries: list[Noun | Adjective | Verb] = [*self.nouns, *self.adjectives, *self.verbs]
        return tuple(entry.sense for entry in entries if entry.sense and entry.english == english_word)


def rows(name: str) -> list[list[str]]:
    """The rows of a table, split into fields."""
    text = resources.files(__name__).joinpath(f"{name}.txt").read_text("utf-8")
    return [[f.strip() for f in line.split("|")] for line in text.splitlines() if line and not line.startswith("#")]


@cache
def lexicon() -> SyntheticLexicon:
    """The one lexicon, read once."""
    nouns = tuple(_noun(fields) for fields in rows("nouns"))
    by_english = {noun.english: noun for noun in reversed(nouns) if not noun.sense}
    compounds = tuple(
        _compound(modifier, german, by_english[head])
        for modifier, german, heads in rows("compounds")
        for head in heads.split(",")
    )
    return SyntheticLexicon(
        nouns,
        compounds,
        tuple(_adjective(fields) for fields in rows("adjectives")),
        tuple(_verb(fields) for fields in rows("verbs")),
        tuple(_idiom(fields) for fields in rows("idioms")),
    )


def _noun(fields: list[str]) -> Noun:
    word, german, classes, *rest = fields
    singular, _, plural = word.partition("/")
    classes, _, sense = classes.partition("#")
    words = []
    for entry in german.split(" + "):
        lemma, gender, many = entry.split(" ")
        words.append(GermanNoun(lemma, gender[0], None if many == "-" else many, gender.endswith("*")))
    cues = tuple(rest[0].split(",")) if rest else ()
    return Noun(
        sense or singular,
        singular,
        plural or english.plural(singular),
        tuple(words),
        tuple(classes.split(",")),
        sense,
        cues,
    )


def _compound(modifier: str, german: str, head: Noun) -> Noun:
    def join(word: GermanNoun) -> GermanNoun:
        plural = None if word.plural is None else german + word.plural.lower()
        return replace(word, lemma=german + word.lemma.lower(), plural=plural)

    return replace(
        head,
        concept=f"{modifier}-{head.concept}",
        german=(join(head.german[0]),),
        modifier=modifier,
        parts=(modifier, head.concept),
    )


def _adjective(fields: list[str]) -> Adjective:
    word, german, classes = fields
    classes, _, sense = classes.partition("#")
    concept = sense or (f"cue.{word}" if classes == "=" else word)
    return Adjective(concept, word, tuple(german.split(" + ")), tuple(classes.split(",")), sense)


def _german_verb(entry: str, before: tuple[str, ...] = ()) -> GermanVerb:
    infinitive, present, past, participle, auxiliary = entry.split(" ")
    particle, _, stem = infinitive.rpartition("+")
    return GermanVerb(stem.replace("~", ""), present, past, participle, auxiliary, particle, before)


def _english_verb(field: str) -> tuple[str, tuple[str, ...], str, str]:
    """Base, particle words, past and participle."""
    parts = field.split(":")
    base, *particle = parts[0].split(" ")
    if len(parts) == 3:
        return base, tuple(particle), parts[1].split(" ")[0], parts[2].split(" ")[0]
    return base, tuple(particle), english.past(base), english.past(base)


def _verb(fields: list[str]) -> Verb:
    kind, word, german, subject, objects = fields
    objects, _, sense = objects.partition("#")
    base, particle, past, participle = _english_verb(word)
    preposition, case = "", "acc"
    if kind == "p":
        objects, preposition, case = objects.split(" ")
    concept = sense or f"{kind}.{'-'.join((base, *particle))}"
    return Verb(
        concept,
        kind,
        base,
        particle,
        past,
        participle,
        tuple(_german_verb(entry) for entry in german.split(" + ")),
        tuple(subject.split(",")),
        tuple(filter(None, objects.split(","))),
        preposition,
        case,
        sense,
    )


def _idiom(fields: list[str]) -> Verb:
    word, german, gloss = fields
    base, particle, past, participle = _english_verb(word)
    before, _, forms = german.partition(" > ")
    thing, verb = gloss.split(" ")
    return Verb(
        f"idiom.{word.partition(':')[0]}",
        "x",
        base,
        particle,
        past,
        participle,
        (_german_verb(forms, tuple(before.split(" "))),),
        ("person",),
        gloss=(thing, verb),
    )
