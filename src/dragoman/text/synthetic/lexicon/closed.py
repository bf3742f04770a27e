"""Closed classes and names: pronouns, adverbials, prepositions, subordinators, proper names."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "CITIES",
    "FAMILY_NAMES",
    "GIVEN_NAMES",
    "MANNER",
    "NUMBERS",
    "PLACE",
    "PRONOUNS",
    "REPORTED",
    "SUBORDINATORS",
    "TIMES",
    "WH",
    "Adverbial",
    "Preposition",
    "Pronoun",
    "Subordinator",
]


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A personal pronoun: subject and object form, person, number, gender."""

    english: str
    oblique: str
    person: str
    number: str
    gender: str = ""


@dataclass(frozen=True, slots=True)
class Adverbial:
    """A fixed adverbial and the tenses that it goes with."""

    concept: str
    english: tuple[str, ...]
    german: tuple[tuple[str, ...], ...]
    tenses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preposition:
    """A preposition, the case it takes in German, and case or postposition in Sarvi."""

    concept: str
    english: tuple[str, ...]
    german: str
    case: str
    classes: tuple[str, ...]
    sarvi: str
    """A local case, or `post` for a postposition after the genitive."""


@dataclass(frozen=True, slots=True)
class Subordinator:
    """A conjunction; `tense` restricts it (German *als* and *wenn* are both `when`)."""

    concept: str
    english: str
    german: tuple[str, ...]
    tense: str = ""
    sense: str = ""


PRONOUNS = (
    Pronoun("he", "him", "3", "sg", "m"),
    Pronoun("she", "her", "3", "sg", "f"),
    Pronoun("they", "them", "3", "pl"),
    Pronoun("I", "me", "1", "sg"),
    Pronoun("we", "us", "1", "pl"),
    Pronoun("you", "you", "2", "pl"),
)


def _times(table: str) -> tuple[Adverbial, ...]:
    found = []
    for line in table.strip().splitlines():
        english, german, tenses = (field.strip() for field in line.split("|"))
        words = tuple(tuple(entry.split(" ")) for entry in german.split(" + "))
        found.append(Adverbial(english.replace(" ", "-"), tuple(english.split(" ")), words, tuple(tenses.split(","))))
    return tuple(found)


TIMES = _times("""
    yesterday | gestern | past
    today | heute | present,past,future
    every day | jeden Tag + täglich | present
    often | oft + häufig | present
    tomorrow | morgen | future
    last week | letzte Woche + vergangene Woche | past
    on Monday | am Montag | past,future
    soon | bald | future
    every morning | jeden Morgen | present
    in the evening | am Abend + abends | present,past,future
    next year | nächstes Jahr + im nächsten Jahr | future
    on Saturday | am Samstag + am Sonnabend | past,future
    two days ago | vor zwei Tagen | past
    sometimes | manchmal + gelegentlich | present
    at midnight | um Mitternacht | present,past
    on Wednesday | am Mittwoch | past,future
    in the summer | im Sommer | present,past
    during the winter | während des Winters | past,present
    seldom | selten | present
    at dawn | im Morgengrauen | present,past
""")
MANNER = _times("""
    quickly | schnell + rasch | present,past
    quietly | leise | present,past
    slowly | langsam | present,past
    carefully | sorgfältig + vorsichtig | present,past
    secretly | heimlich | present,past
    gladly | gern | present,past
    patiently | geduldig | present,past
    reluctantly | widerwillig | present,past
""")
REPORTED = Adverbial("reported", ("apparently",), (("offenbar",), ("anscheinend",)))
PLACE = (
    Preposition("in", ("in",), "in", "dat", ("building", "area"), "loc"),
    Preposition("on", ("on",), "auf", "dat", ("surface",), "loc"),
    Preposition("behind", ("behind",), "hinter", "dat", ("building", "landmark"), "post"),
    Preposition("beside", ("beside",), "neben", "dat", ("landmark", "building"), "post"),
    Preposition("under", ("under",), "unter", "dat", ("surface", "landmark"), "post"),
    Preposition("in-front-of", ("in", "front", "of"), "vor", "dat", ("building", "landmark"), "post"),
    Preposition("with", ("with",), "mit", "dat", ("person", "animal"), "ins"),
    Preposition("for", ("for",), "für", "acc", ("person",), "post"),
    Preposition("without", ("without",), "ohne", "acc", ("person", "text"), "post"),
)
TO = Preposition("to", ("to",), "zu", "dat", ("building", "landmark"), "dat")
INTO = Preposition("into", ("into",), "in", "acc", ("building", "area"), "dat")
TO_CITY = Preposition("to-city", ("to",), "nach", "dat", (), "dat")
IN_CITY = Preposition("in-city", ("in",), "in", "dat", (), "loc")
SUBORDINATORS = (
    Subordinator("because", "because", ("weil", "da")),
    Subordinator("when.once", "when", ("als",), "past", "when.once"),
    Subordinator("when.always", "when", ("wenn",), "present", "when.always"),
    Subordinator("if", "if", ("wenn", "falls"), "present"),
    Subordinator("although", "although", ("obwohl",)),
    Subordinator("while", "while", ("während",)),
    Subordinator("before", "before", ("bevor", "ehe")),
)
WH = (("where", "wo"), ("when", "wann"), ("why", "warum"), ("how", "wie"))
NUMBERS = (
    ("two", "zwei"), ("three", "drei"), ("four", "vier"), ("five", "fünf"), ("six", "sechs"), ("seven", "sieben"),
    ("eight", "acht"), ("nine", "neun"), ("ten", "zehn"), ("eleven", "elf"), ("twelve", "zwölf"),
)  # fmt: skip
GIVEN_NAMES = (
    "Anna",
    "Peter",
    "Maria",
    "Paul",
    "Julia",
    "Martin",
    "Clara",
    "Jonas",
    "Emma",
    "David",
    "Laura",
    "Simon",
    "Nora",
    "Oskar",
    "Helen",
    "Erik",
    "Lena",
    "Robert",
    "Ida",
    "Viktor",
    "Marta",
    "Anton",
    "Greta",
    "Leo",
    "Paula",
    "Emil",
    "Rosa",
    "Hugo",
    "Elena",
    "Karl",
    "Mona",
    "Albert",
    "Judith",
    "Ruben",
    "Sofia",
    "Kilian",
    "Thea",
    "Ludwig",
    "Amalia",
    "Konrad",
    "Edda",
    "Valentin",
    "Tilda",
    "Bruno",
    "Mathilda",
    "Leander",
    "Ottilie",
    "Balduin",
    "Philippa",
    "Gereon",
)
FAMILY_NAMES = (
    "Keller",
    "Berger",
    "Winter",
    "Sommer",
    "Brandt",
    "Lindner",
    "Vogel",
    "Hartmann",
    "Seidel",
    "Moser",
    "Krüger",
    "Falk",
    "Rieder",
    "Albers",
    "Thalheim",
    "Ostwald",
    "Bergner",
    "Steinbach",
    "Holm",
    "Wendt",
    "Kaltner",
    "Rohde",
    "Amberg",
    "Tessmer",
    "Dorn",
    "Grünfeld",
    "Hallstein",
    "Ruland",
    "Wiesner",
    "Quandt",
)
CITIES = (
    "Altenfurt",
    "Brennau",
    "Korvik",
    "Lindheim",
    "Marbeck",
    "Solvin",
    "Tarnhaven",
    "Weidenbrook",
    "Ostermoor",
    "Feldkron",
    "Havelring",
    "Quorndal",
    "Rosenthal",
    "Silbergrund",
    "Nordhaven",
    "Eschwald",
    "Grauenstein",
    "Ulmrath",
    "Zornheide",
    "Kaltwasser",
)
