"""Derivations: abstract sentences drawn at random, one independent stream for each item.

Frequencies are meant to look like language: words of a class follow a Zipf-like law, clauses are mostly simple, long
sentences rare. What can be said together is decided by semantic classes (one reads texts and eats food), so that
sentences make some sense and an ambiguous word always has something beside it that fixes its sense.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from typing import Generic, TypeVar

from dragoman.text.synthetic.abstract import NEGATION, STEP, AbstractSentence, Adjunct, Clause, Nominal
from dragoman.text.synthetic.lexicon import Adjective, Noun, Verb, closed, lexicon
from dragoman.text.synthetic.lexicon.closed import Adverbial, Preposition

__all__ = ["Deriver"]

T = TypeVar("T")
MODALS = ("can", "must", "should", "may")
STATES = frozenset({
    "know.person", "t.love", "t.need", "t.see", "t.hear", "t.understand", "t.lose", "t.forget", "t.find", "t.inherit",
    "t.miss", "t.destroy", "t.bite", "t.wear", "i.die", "i.fall", "i.live", "i.get-up", "i.wake-up", "i.fall-asleep",
    "i.snore", "i.hesitate", "i.begin", "i.disappear", "run.move", "t.admire",
})  # fmt: skip
"""Verbs that do not go with adverbs of manner."""
OPPOSITES = (
    frozenset({"old", "new", "young", "modern", "medieval", "fresh"}),
    frozenset({"big", "small"}),
    frozenset({"expensive", "cheap"}),
    frozenset({"red", "blue", "green", "white", "black"}),
    frozenset({"warm", "cold"}),
    frozenset({"sweet", "salty"}),
    frozenset({"long", "short"}),
    frozenset({"fast", "slow"}),
    frozenset({"dirty", "clean", "dusty"}),
    frozenset({"difficult", "simple", "hard"}),
    frozenset({"interesting", "boring"}),
    frozenset({"happy", "angry"}),
    frozenset({"dark", "light"}),
    frozenset({"heavy", "light"}),
)
POSSESSIVES = ("my", "his", "her", "our", "their")


class Zipf(Generic[T]):
    """Draws from a sequence, earlier entries more often: weight 1 / (rank + shift)."""

    def __init__(self, entries: Sequence[T], shift: float = 3.0) -> None:
        self.entries = tuple(entries)
        self.sums = list(accumulate(1 / (rank + shift) for rank in range(len(self.entries))))

    def draw(self, random: Callable[[], float]) -> T:
        return self.entries[bisect(self.sums, random() * self.sums[-1])]


@cache
def _nouns(classes: tuple[str, ...]) -> Zipf[Noun]:
    """Nouns of these classes; the sense-bound ones and compounds have their place in the order of frequency."""
    words = lexicon()
    found = [
        noun
        for noun in words.nouns
        if ("*" in classes and "part" not in noun.classes and "season" not in noun.classes)
        or set(noun.classes) & set(classes)
    ]
    joined = [noun for noun in words.compounds if "*" in classes or set(noun.classes) & set(classes)]
    ambiguous = [noun for noun in found if noun.sense]
    plain = [noun for noun in found if not noun.sense]
    third = len(plain) // 3
    return Zipf([*plain[:third], *ambiguous, *plain[third:], *joined])


@cache
def _adjectives(classes: tuple[str, ...]) -> Zipf[Adjective]:
    found = []
    for adjective in lexicon().adjectives:
        allowed = adjective.classes
        if allowed[0].startswith("!"):
            fits = not set(classes) & {name.removeprefix("!") for name in allowed}
        else:
            fits = "*" in allowed or classes[0] in allowed
        if fits and "=" not in allowed:
            found.append(adjective)
    return Zipf(found)


@cache
def _cue(english: str) -> Adjective:
    return next(adjective for adjective in lexicon().adjectives if adjective.concept in (f"cue.{english}", english))


def _clash(first: Adjective, second: Adjective) -> bool:
    """Whether nothing is both."""
    return first is second or any({first.english, second.english} <= group for group in OPPOSITES)


@cache
def _decides(classes: tuple[str, ...], noun: Noun) -> bool:
    """Whether a verb that takes these classes leaves only this sense of the noun's English word."""
    others = [other for other in lexicon().nouns if other.english == noun.english and other is not noun]
    return "*" not in classes and not any(set(other.classes) & set(classes) for other in others)


@cache
def _verbs(kind: str) -> Zipf[Verb]:
    return Zipf(lexicon().idioms if kind == "x" else [verb for verb in lexicon().verbs if verb.kind == kind], 6.0)


@cache
def _adverbials(entries: tuple[Adverbial, ...], tense: str) -> Zipf[Adverbial]:
    return Zipf([entry for entry in entries if tense in entry.tenses])


_NAMES, _FAMILIES, _CITIES = Zipf(closed.GIVEN_NAMES), Zipf(closed.FAMILY_NAMES), Zipf(closed.CITIES)
_PRONOUNS, _PLACES, _SUBORDINATORS = Zipf(closed.PRONOUNS), Zipf(closed.PLACE, 2.0), Zipf(closed.SUBORDINATORS, 4.0)
_FEMALE = frozenset(
    [
        "Anna",
        "Maria",
        "Julia",
        "Clara",
        "Emma",
        "Laura",
        "Nora",
        "Helen",
        "Lena",
        "Ida",
        "Marta",
        "Greta",
        "Paula",
        "Rosa",
        "Elena",
        "Mona",
        "Judith",
        "Sofia",
        "Thea",
        "Amalia",
        "Edda",
        "Tilda",
        "Mathilda",
        "Ottilie",
        "Philippa",
    ]
)


class Deriver:
    """Draws one sentence from a stream of random numbers."""

    def __init__(self, random: Callable[[], float]) -> None:
        self.random = random
        self.last = 0

    def key(self) -> int:
        self.last += STEP
        return self.last

    def sentence(self) -> AbstractSentence:
        draw = self.random()
        key = self.key()
        if draw < 0.44:
            return AbstractSentence(key, "plain", self.clause())
        if draw < 0.56:
            return AbstractSentence(key, "plain", self.question())
        if draw < 0.78:
            return self.complex(key)
        if draw < 0.90:
            tense = self.tense()
            main, other = self.clause(tense=tense, short=True), self.clause(tense=tense, short=True)
            return AbstractSentence(
                key, "coordinated", main, other, ("and", "und") if self.random() < 0.6 else ("but", "aber")
            )
        speaker = self.speech()
        return AbstractSentence(
            key, "quote", speaker, self.clause(short=True) if self.random() < 0.7 else self.question()
        )

    def complex(self, key: int) -> AbstractSentence:
        conjunction = _SUBORDINATORS.draw(self.random)
        tense = conjunction.tense or ("past" if self.random() < 0.5 else "present")
        main, other = self.clause(tense=tense, short=True), self.clause(tense=tense, short=True)
        main.modal = other.modal = ""
        other.reported = False
        other.form, other.conjunction, other.fronted = "sub", conjunction, False
        main.fronted = False
        return AbstractSentence(key, "before" if self.random() < 0.4 else "after", main, other)

    def speech(self) -> Clause:
        verb = next(verb for verb in lexicon().verbs if verb.concept == "s.say")
        return Clause(
            self.key(), "s", self.person(), verb, tense="past" if self.random() < 0.5 else "present", narrative=True
        )

    def tense(self) -> str:
        draw = self.random()
        return "present" if draw < 0.42 else "past" if draw < 0.78 else "perfect" if draw < 0.88 else "future"

    def question(self) -> Clause:
        clause = self.clause(short=True, relatives=False)
        clause.fronted = clause.reported = False
        if clause.negated:
            self._affirm(clause)
        if self.random() < 0.5 or clause.kind == "c":
            clause.form = "yesno"
        else:
            clause.form = "wh"
            clause.wh = closed.WH[int(self.random() * len(closed.WH))]
            if clause.kind == "m" and clause.wh[0] == "where":  # the place is already said
                clause.wh = closed.WH[1]
            clause.time = None if clause.wh[0] == "when" else clause.time
            clause.place = None if clause.wh[0] == "where" else clause.place
            clause.manner = None if clause.wh[0] == "how" else clause.manner
        return clause

    def _affirm(self, clause: Clause) -> None:
        clause.negated = False
        if clause.object is not None:
            clause.object.negated_by = None

    def clause(self, *, tense: str = "", short: bool = False, relatives: bool = True, depth: int = 0) -> Clause:
        """A clause with everything that may go with its verb; `short` ones have fewer modifiers."""
        random = self.random
        draw = random()
        kind = "t" if draw < 0.44 else "i" if draw < 0.58 else "d" if draw < 0.67 else "p" if draw < 0.75 else ""
        kind = kind or ("c" if draw < 0.84 else "m" if draw < 0.90 else "s" if draw < 0.95 else "x")
        if kind == "s" and depth:
            kind = "t"
        key = self.key()
        tense = tense or self.tense()
        relative = 0.0 if depth or not relatives else 0.05 if short else 0.14
        verb = None if kind == "c" else _verbs(kind).draw(random)
        subject = self.subject(verb.subject if verb else ("person", "animal", "thing", "building"), relative)
        clause = Clause(key, kind, subject, verb, tense=tense, narrative=random() < 0.25)
        if tense == "present" and random() < 0.2:
            clause.modal = MODALS[int(random() * len(MODALS))]
        clause.negated = random() < 0.12
        self._arguments(clause, relative, depth)
        self._modifiers(clause, 0.25 if short else 0.5)
        if clause.negated:
            self._negate(clause)
        elif not depth and not clause.modal and tense in ("present", "past") and random() < 0.05:
            clause.reported = True
        return clause

    def _arguments(self, clause: Clause, relative: float, depth: int) -> None:
        verb, random = clause.verb, self.random
        if verb is None:
            noun = clause.subject.noun
            classes = noun.classes if noun else ("person",)
            said = {adjective.english for _, adjective in clause.subject.adjectives}
            clause.adjective = _adjectives(classes).draw(random)
            while clause.adjective.english in said:
                clause.adjective = _adjectives(classes).draw(random)
            return
        if clause.kind in "td":
            clause.object = self.nominal(verb.object, relative * 1.5, verb_key=clause.key)
        if clause.kind == "t" and "person" in verb.object and random() < 0.12:
            clause.object = self.pronoun(clause.subject)
        if clause.kind == "p":
            clause.object = self.nominal(verb.object, 0.0)
        if clause.kind == "d":
            clause.recipient = self.person() if random() < 0.4 else self.nominal(("person",), 0.0)
        if clause.kind == "s":
            clause.complement = self.clause(
                tense="past" if clause.tense == "past" else "present", short=True, depth=depth + 1
            )
            clause.complement.form, clause.complement.fronted = "that", False
        if clause.kind == "m":
            clause.goal = self.goal()

    def _modifiers(self, clause: Clause, rate: float) -> None:
        random = self.random
        tense = clause.tense
        if clause.kind != "c" and tense != "perfect" and random() < rate:
            adverbial = _adverbials(closed.TIMES, tense).draw(random)
            clause.time = Adjunct(self.key(), "ARGM-TMP", adverbial=adverbial)
            clause.fronted = random() < 0.3 and adverbial.english[0] not in ("often", "seldom")
        verb = clause.verb
        acts = verb is not None and verb.kind in "it" and "person" in verb.subject and verb.concept not in STATES
        if acts and clause.tense in ("present", "past") and random() < rate * 0.3:
            adverbial = _adverbials(closed.MANNER, clause.tense).draw(random)
            clause.manner = Adjunct(self.key(), "ARGM-MNR", adverbial=adverbial)
        if clause.kind in "it" and random() < rate * 0.8:
            clause.place = self.place(for_whom=clause.kind == "t")

    def _negate(self, clause: Clause) -> None:
        clause.manner = None
        if clause.kind == "x":
            clause.negated = False
            return
        target = clause.object if clause.kind in "td" else None
        if target is not None and target.noun is not None and target.determiner in ("indef", "none"):
            target.negated_by = clause.key + NEGATION

    def place(self, *, for_whom: bool) -> Adjunct:
        random = self.random
        if random() < 0.15:
            return Adjunct(self.key(), "ARGM-LOC", closed.IN_CITY, self.city())
        preposition: Preposition = _PLACES.draw(random)
        if preposition.concept == "for" and not for_whom:
            preposition = closed.PLACE[0]
        role = {"with": "ARGM-COM", "for": "ARGM-GOL", "without": "ARGM-MNR"}.get(preposition.concept, "ARGM-LOC")
        return Adjunct(self.key(), role, preposition, self.nominal(preposition.classes, 0.0))

    def goal(self) -> Adjunct:
        draw = self.random()
        if draw < 0.3:
            return Adjunct(self.key(), "ARGM-DIR", closed.TO_CITY, self.city())
        preposition = closed.TO if draw < 0.7 else closed.INTO
        return Adjunct(self.key(), "ARGM-DIR", preposition, self.nominal(preposition.classes, 0.0))

    def city(self) -> Nominal:
        return Nominal(self.key(), name=(_CITIES.draw(self.random),), city=True, gender="n", determiner="none")

    def person(self) -> Nominal:
        """A named person."""
        random = self.random
        name = _NAMES.draw(random)
        words = (name, _FAMILIES.draw(random)) if random() < 0.3 else (name,)
        return Nominal(self.key(), name=words, gender="f" if name in _FEMALE else "m", determiner="none")

    def pronoun(self, subject: Nominal | None = None) -> Nominal:
        pronoun = _PRONOUNS.draw(self.random)
        if subject is not None:  # the object is somebody else, and not the speaker either, who may be the subject
            pronoun = closed.PRONOUNS[int(self.random() * 3)]
        return Nominal(self.key(), pronoun=pronoun, number=pronoun.number, gender=pronoun.gender)

    def subject(self, classes: tuple[str, ...], relative: float) -> Nominal:
        draw = self.random()
        if "person" in classes and draw < 0.22:
            return self.pronoun()
        if "person" in classes and draw < 0.45:
            return self.person()
        if "person" in classes and draw < 0.8:
            return self.nominal(("person",), relative)
        return self.nominal(classes, relative)

    def nominal(self, classes: tuple[str, ...], relative: float, *, verb_key: int | None = None) -> Nominal:
        """A noun phrase with a noun of these classes; an ambiguous noun gets a cue unless the verb is one."""
        random = self.random
        noun = _nouns(classes).draw(random)
        key = self.key()
        draw = random()
        if noun.mass:
            determiner = "def" if draw < 0.5 else "none" if draw < 0.9 else POSSESSIVES[int(random() * 5)]
            number = "sg"
        elif draw < 0.16:
            determiner, number = ("none", "pl") if draw < 0.08 else ("count", "pl")
        else:
            number = "pl" if random() < 0.18 else "sg"
            determiner = "def" if draw < 0.56 else "indef" if draw < 0.80 else "this" if draw < 0.85 else ""
            determiner = determiner or (
                "every" if draw < 0.87 else "owner" if draw < 0.92 else POSSESSIVES[int(random() * 5)]
            )
            if determiner in ("indef", "every"):
                number = "sg"
        found = Nominal(key, noun, number=number, determiner=determiner)
        if determiner == "count":
            found.count = self.count()
        if determiner == "owner":
            found.owner = self.person()
            found.owner.name = found.owner.name[:1]
            if found.owner.name[0].endswith("s"):
                found.owner.name = ("Anna",)
                found.owner.gender = "f"
        if noun.sense and verb_key is not None and _decides(classes, noun) and random() < 0.5:
            found.cue = verb_key
        elif noun.sense:
            found.cue = self.key()
            found.adjectives.append((found.cue, _cue(noun.cues[int(random() * len(noun.cues))])))
        elif random() < 0.34:
            adjectives = _adjectives(noun.classes)
            first = adjectives.draw(random)
            found.adjectives.append((self.key(), first))
            if random() < 0.1 and not _clash(first, second := adjectives.draw(random)):
                found.adjectives.append((self.key(), second))
        if relative and random() < relative:
            self._relative(found, classes)
        return found

    def count(self) -> tuple[str, str]:
        draw = self.random()
        if draw < 0.7:
            return closed.NUMBERS[int(self.random() * len(closed.NUMBERS))]
        value = int(10 ** (1.1 + 3.2 * self.random() * self.random())) + 2
        return f"{value:,}", f"{value:,}".replace(",", ".")

    def _relative(self, antecedent: Nominal, classes: tuple[str, ...]) -> None:
        """A relative clause: its subject or object is the antecedent."""
        random = self.random
        assert antecedent.noun is not None
        own = set(antecedent.noun.classes)
        gap = "subject" if own & {"person", "animal"} and random() < 0.6 else "object"
        for _ in range(12):
            verb = _verbs("t").draw(random)
            if not verb.sense and own & set(verb.subject if gap == "subject" else verb.object):
                break
        else:
            return
        clause = Clause(self.key(), "t", antecedent, verb, form="relative", gap=gap, narrative=random() < 0.25)
        clause.tense = "past" if random() < 0.6 else "present"
        if gap == "subject":
            clause.object = self.nominal(verb.object, 0.0)
        else:
            clause.subject, clause.object = self.subject(verb.subject, 0.0), antecedent
        if random() < 0.15:
            clause.time = Adjunct(
                self.key(), "ARGM-TMP", adverbial=_adverbials(closed.TIMES, clause.tense).draw(random)
            )
        antecedent.relative = clause
