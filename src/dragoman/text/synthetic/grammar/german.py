"""German: the finite verb second in main clauses, first in questions, last in subordinate clauses.

The other verb forms and separable particles close the clause; between the two verbal brackets come subject, pronouns,
time, dative, accusative, manner, negation, place (the topological fields of traditional grammar). Tags are those of
STTS, features those of Universal Dependencies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from dragoman.text.synthetic.abstract import (
    AUX,
    COMMA,
    CONJUNCTION,
    COUNT,
    DET,
    NEGATION,
    REPORT,
    Adjunct,
    Clause,
    Nominal,
)
from dragoman.text.synthetic.grammar.base import Realizer
from dragoman.text.synthetic.grammar.production import HEAD, Leaf, Part, Predicate, Tree, Word
from dragoman.text.synthetic.lexicon import GermanNoun, GermanVerb
from dragoman.text.synthetic.lexicon.closed import REPORTED
from dragoman.text.synthetic.morphology import german

__all__ = ["German"]

_MIDDLE = "light report time recipient object manner negation prepositional place goal predicate fixed"
_MODALS = {"can": "können", "must": "müssen", "should": "sollen", "may": "dürfen"}
_SEIN = GermanVerb("sein", "ist", "war", "gewesen", "s")
_PRETERITE = frozenset({"sein", "haben", "kennen", "wissen"})
"""Verbs that are not told in the perfect."""
_CASE = {"nom": "Nom", "acc": "Acc", "dat": "Dat", "gen": "Gen"}
_GENDER = {"m": "Masc", "f": "Fem", "n": "Neut"}
_NUMBER = {"sg": "Sing", "pl": "Plur"}
_ROLES = {"where": "ARGM-LOC", "when": "ARGM-TMP", "why": "ARGM-CAU", "how": "ARGM-MNR"}


class German(Realizer):
    """Correct, simple German."""

    templates: ClassVar[dict[str, str]] = {
        "main": f"(S front finite inverted {_MIDDLE} rest that)",
        "after": f"(S finite subject {_MIDDLE} rest that)",
        "yesno": f"(S finite subject {_MIDDLE} rest that)",
        "wh": f"(S wh finite subject {_MIDDLE} rest that)",
        "sub": f"(S conjunction subject {_MIDDLE} final that)",
        "that": f"(S comma conjunction subject {_MIDDLE} final that)",
        "relative": f"(S comma relativizer subject {_MIDDLE} final closing)",
    }
    quotes = ("„", "“")
    quote_tags = ("$(", "$(")
    colon_tag = "$."
    stop_tag = "$."
    comma_tag = "$,"

    # Sentences

    def with_subordinate(self, main: Clause, other: Clause, *, before: bool, key: int) -> Tree:
        clause = self.subordinate(other)
        if not before:
            tree = self.clause(main)
            tree.parts += [self.comma(key + COMMA), clause]
            return tree
        form, main.form = main.form, "after"  # the subordinate clause takes the first place, so the verb is next
        tree = self.clause(main)
        main.form = form
        tree.parts[:0] = [clause, self.comma(key + COMMA)]
        return tree

    def coordinator(self, words: tuple[str, str]) -> Word:
        return Word(words[1], words[1], "CCONJ", "KON")

    def finish(self, clause: Clause, tree: Tree) -> None:
        verb = self.verb(clause)
        words = [leaf for leaf in self.verbal if leaf.relation != "aux"]
        main = next((leaf for leaf in words if leaf.word.pos == "VERB"), words[0])
        antecedent = "" if not clause.gap else "ARG0" if clause.gap == "subject" else "ARG1"
        tree.predicate = Predicate(main, f"{verb.lemma}.01", tuple(words), antecedent)

    # Verbs

    def verb(self, clause: Clause) -> GermanVerb:
        if clause.verb is None:
            return _SEIN
        return clause.verb.german[self.style.pick(clause.key, len(clause.verb.german))]

    def _complex(self, clause: Clause) -> tuple[tuple[Leaf, ...], Leaf]:
        """The infinite part (participle, infinitive) and the finite verb."""
        verb, subject, key = self.verb(clause), clause.subject, clause.key
        copula = clause.kind == "c"
        head, pos = ("cop", "AUX") if copula else (HEAD, "VERB")
        prefix = "VA" if copula else "VV"

        def auxiliary(infinitive: str, tense: str, keys: tuple[int, ...], role: str = "") -> Leaf:
            form = german.conjugate(infinitive, "", "", tense, subject.person, subject.number)
            tag = "VMFIN" if infinitive in _MODALS.values() else "VAFIN"
            return Leaf("aux", Word(form, infinitive, "AUX", tag, _finite(tense, subject)), keys, role)

        tense = clause.tense
        if clause.modal or tense == "future":
            infinitive = Word(verb.lemma, verb.lemma, pos, f"{prefix}INF", "VerbForm=Inf")
            if clause.modal:
                mood = "past" if clause.modal == "should" else "present"
                # What one must not do, one is not allowed to do.
                modal = "may" if clause.modal == "must" and clause.negated else clause.modal
                finite = auxiliary(_MODALS[modal], mood, (key + AUX,), "ARGM-MOD")
            else:
                finite = auxiliary("werden", "present", (key + AUX,))
            return (Leaf(head, infinitive, (key,)),), finite
        if tense == "perfect" or (tense == "past" and not clause.narrative and verb.infinitive not in _PRETERITE):
            word = Word(verb.particle + verb.participle, verb.lemma, pos, f"{prefix}PP", "VerbForm=Part")
            keys: tuple[int, ...] = (key + AUX,) if tense == "perfect" else (key + 7,) if clause.do_support else (key,)
            helper = "sein" if verb.auxiliary == "s" else "haben"
            return (Leaf(head, word, (key,)),), auxiliary(helper, "present", keys)
        form = german.conjugate(verb.infinitive, verb.present, verb.past, tense, subject.person, subject.number)
        keys = (key, key + 7) if clause.do_support else (key,)
        return (), Leaf(head, Word(form, verb.lemma, pos, f"{prefix}FIN", _finite(tense, subject)), keys)

    def slot_finite(self, clause: Clause) -> Sequence[Part]:
        _, finite = self._complex(clause)
        self.verbal.append(finite)
        return [finite]

    def slot_rest(self, clause: Clause) -> Sequence[Part]:
        infinite, _ = self._complex(clause)
        verb = self.verb(clause)
        parts: list[Leaf] = [*infinite]
        if not infinite and verb.particle:
            parts = [Leaf("compound:prt", Word(verb.particle, verb.particle, "ADP", "PTKVZ"), (clause.key,))]
        self.verbal += parts
        return parts

    def slot_final(self, clause: Clause) -> Sequence[Part]:
        infinite, finite = self._complex(clause)
        verb = self.verb(clause)
        if not infinite and verb.particle:
            finite.word = finite.word._replace(form=verb.particle + finite.word.form)
        self.verbal += [*infinite, finite]
        return [*infinite, finite]

    def slot_fixed(self, clause: Clause) -> Sequence[Part]:
        before = self.verb(clause).before
        if not before:
            return ()
        tree = _fixed(before, (clause.key,), relation="obl", role="")
        self.verbal += [part for part in tree.parts if isinstance(part, Leaf)]
        return [tree]

    # Arguments and modifiers

    def _fronted(self, clause: Clause) -> bool:
        if clause.time is None or clause.form != "main":
            return False
        return clause.fronted != (self.style.pick(clause.key + REPORT, 4) == 1)

    def slot_front(self, clause: Clause) -> Sequence[Part]:
        if self._fronted(clause):
            assert clause.time is not None
            return self._adverbial(clause.time)
        return self.slot_subject(clause)

    def slot_inverted(self, clause: Clause) -> Sequence[Part]:
        return self.slot_subject(clause) if self._fronted(clause) else ()

    def slot_subject(self, clause: Clause) -> Sequence[Part]:
        if clause.gap == "subject":
            return ()
        return [self.nominal(clause.subject, "nom", "nsubj", "ARG1" if clause.kind == "c" else "ARG0")]

    def slot_light(self, clause: Clause) -> Sequence[Part]:
        """Object pronouns come first."""
        if clause.object is None or clause.object.pronoun is None or clause.kind == "p":
            return ()
        return [self.nominal(clause.object, "acc", "obj", "ARG1")]

    def slot_report(self, clause: Clause) -> Sequence[Part]:
        if not clause.reported:
            return ()
        [word] = REPORTED.german[self.style.pick(clause.key + COMMA, len(REPORTED.german))]
        leaf = Leaf(HEAD, Word(word, word, "ADV", "ADV"), (clause.key + REPORT,))
        return [Tree("advmod", "AVP", [leaf], "ARGM-ADV")]

    def slot_time(self, clause: Clause) -> Sequence[Part]:
        return () if clause.time is None or self._fronted(clause) else self._adverbial(clause.time)

    def slot_recipient(self, clause: Clause) -> Sequence[Part]:
        return [self.nominal(clause.recipient, "dat", "iobj", "ARG2")] if clause.recipient else ()

    def slot_object(self, clause: Clause) -> Sequence[Part]:
        if clause.object is None or clause.object.pronoun or clause.kind == "p" or clause.gap == "object":
            return ()
        return [self.nominal(clause.object, "acc", "obj", "ARG1")]

    def slot_manner(self, clause: Clause) -> Sequence[Part]:
        return self._adverbial(clause.manner) if clause.manner else ()

    def slot_negation(self, clause: Clause) -> Sequence[Part]:
        if not clause.negated or (clause.object is not None and clause.object.negated_by is not None):
            return ()
        word = Word("nicht", "nicht", "PART", "PTKNEG", "Polarity=Neg")
        return [Leaf("advmod", word, (clause.key + NEGATION,), "ARGM-NEG")]

    def slot_prepositional(self, clause: Clause) -> Sequence[Part]:
        if clause.kind != "p":
            return ()
        assert clause.object is not None
        assert clause.verb is not None
        return [self._phrase(clause.verb.preposition, clause.verb.case, clause.object, clause.key + 5, "ARG1")]

    def slot_place(self, clause: Clause) -> Sequence[Part]:
        return [self._adjunct(clause.place)] if clause.place else ()

    def slot_goal(self, clause: Clause) -> Sequence[Part]:
        return [self._adjunct(clause.goal)] if clause.goal else ()

    def slot_predicate(self, clause: Clause) -> Sequence[Part]:
        if clause.adjective is None:
            return ()
        words = clause.adjective.german
        form = words[self.style.pick(clause.key + 4, len(words))]
        return [
            Tree(HEAD, "AP", [Leaf(HEAD, Word(form, form, "ADJ", "ADJD", "Degree=Pos"), (clause.key + 4,))], "ARG2")
        ]

    def slot_that(self, clause: Clause) -> Sequence[Part]:
        if clause.complement is None:
            return ()
        tree = self.clause(clause.complement)
        tree.relation, tree.role = "ccomp", "ARG1"
        return [tree]

    def slot_wh(self, clause: Clause) -> Sequence[Part]:
        leaf = Leaf(HEAD, Word(clause.wh[1], clause.wh[1], "ADV", "PWAV", "PronType=Int"), (clause.key + CONJUNCTION,))
        return [Tree("advmod", "AVP", [leaf], _ROLES[clause.wh[0]])]

    def slot_comma(self, clause: Clause) -> Sequence[Part]:
        return [self.comma(clause.key + COMMA)]

    def slot_closing(self, clause: Clause) -> Sequence[Part]:
        return [self.comma(clause.key + 5, soft=True)]

    def slot_conjunction(self, clause: Clause) -> Sequence[Part]:
        form = "dass"
        if clause.conjunction is not None:
            form = clause.conjunction.german[self.style.pick(clause.key + CONJUNCTION, len(clause.conjunction.german))]
        return [Leaf("mark", Word(form, form, "SCONJ", "KOUS"), (clause.key + CONJUNCTION,))]

    def slot_relativizer(self, clause: Clause) -> Sequence[Part]:
        antecedent = clause.subject if clause.gap == "subject" else clause.object
        assert antecedent is not None
        case, relation, role = ("nom", "nsubj", "R-ARG0") if clause.gap == "subject" else ("acc", "obj", "R-ARG1")
        gender = self._gender(antecedent)
        word = Word(german.relative(gender, case), "der", "PRON", "PRELS", _agreement(gender, case) + "|PronType=Rel")
        return [Tree(relation, "NP", [Leaf(HEAD, word, (clause.key + CONJUNCTION,))], role)]

    def _adjunct(self, adjunct: Adjunct) -> Tree:
        assert adjunct.preposition is not None
        assert adjunct.nominal is not None
        preposition = adjunct.preposition
        return self._phrase(preposition.german, preposition.case, adjunct.nominal, adjunct.key, adjunct.role)

    def _phrase(self, preposition: str, case: str, nominal: Nominal, key: int, role: str) -> Tree:
        phrase = self.nominal(nominal, case, HEAD)
        leaf = Leaf("case", Word(preposition, preposition, "ADP", "APPR"), (key,))
        assert isinstance(phrase, Tree)
        first = phrase.parts[0]
        if nominal.determiner == "def" and nominal.relative is None and isinstance(first, Leaf):
            short = german.contract(preposition, first.word.form)
            if short and len(phrase.parts) > 1:
                features = first.word.features
                leaf = Leaf("case", Word(short, preposition, "ADP", "APPRART", features), (key, *first.keys))
                del phrase.parts[0]
        return Tree("obl", "PP", [leaf, phrase], role)

    def _adverbial(self, adjunct: Adjunct) -> list[Part]:
        assert adjunct.adverbial is not None
        ways = adjunct.adverbial.german
        words = ways[self.style.pick(adjunct.key, len(ways))]
        if len(words) == 1:
            leaf = Leaf(HEAD, Word(words[0], words[0], "ADV", "ADV"), (adjunct.key,))
            return [Tree("advmod", "AVP", [leaf], adjunct.role)]
        return [_fixed(words, (adjunct.key,), relation="obl", role=adjunct.role)]

    # Noun phrases

    def _noun(self, nominal: Nominal) -> GermanNoun:
        assert nominal.noun is not None
        return nominal.noun.german[self.style.pick(nominal.key, len(nominal.noun.german))]

    def _gender(self, nominal: Nominal) -> str:
        return "pl" if nominal.number == "pl" else self._noun(nominal).gender

    def nominal(self, nominal: Nominal, case: str, relation: str, role: str = "") -> Part:
        key = nominal.key
        if nominal.pronoun:
            pronoun = nominal.pronoun
            form = german.personal(pronoun.person, pronoun.number, pronoun.gender, case)
            lemma = german.personal(pronoun.person, pronoun.number, pronoun.gender, "nom")
            features = f"Case={_CASE[case]}|Number={_NUMBER[pronoun.number]}|Person={pronoun.person}|PronType=Prs"
            return Tree(relation, "NP", [Leaf(HEAD, Word(form, lemma, "PRON", "PPER", features), (key,))], role)
        if nominal.name:
            features = f"Case={_CASE[case]}|Number=Sing"
            leaves: list[Part] = [
                Leaf("flat" if at else HEAD, Word(name, name, "PROPN", "NE", features), (key + at,))
                for at, name in enumerate(nominal.name)
            ]
            return Tree(relation, "NP", leaves, role)
        noun, gender = self._noun(nominal), self._gender(nominal)
        features = _agreement(gender, case, noun.gender)
        kind = nominal.determiner
        parts = self._determiner(nominal, gender, case)
        if nominal.negated_by is not None:
            kind = "no"
        elif kind in ("count", "owner"):
            kind = "none"
        for at, adjective in nominal.adjectives:
            stem = adjective.german[self.style.pick(at, len(adjective.german))]
            form = german.adjective(stem, kind, gender, case)
            parts.append(Leaf("amod", Word(form, stem, "ADJ", "ADJA", features + "|Degree=Pos"), (at,)))
        form = german.noun(noun.lemma, noun.gender, noun.plural, noun.weak, nominal.number, case)
        parts.append(Leaf(HEAD, Word(form, noun.lemma, "NOUN", "NN", features), (key,)))
        if nominal.relative is None:
            return Tree(relation, "NP", parts, role)
        clause = self.clause(nominal.relative)
        clause.relation = "acl:relcl"
        return Tree(relation, "NP", [Tree(HEAD, "NP", parts), clause], role)

    def _determiner(self, nominal: Nominal, gender: str, case: str) -> list[Part]:
        features = _agreement(gender, case)
        keys: tuple[int, ...] = (nominal.key + DET,)
        kind = nominal.determiner
        if nominal.negated_by is not None:
            form = german.determiner("no", gender, case)
            keys = (nominal.key + DET, nominal.negated_by)
            return [Leaf("det", Word(form, "kein", "DET", "PIAT", features + "|PronType=Neg"), keys, "")]
        match kind:
            case "none":
                return []
            case "count":
                word = Word(nominal.count[1], nominal.count[1], "NUM", "CARD", "NumType=Card")
                return [Leaf("nummod", word, (nominal.key + COUNT,))]
            case "owner":
                assert nominal.owner is not None
                name = nominal.owner.name[0]
                leaf = Leaf(HEAD, Word(name + "s", name, "PROPN", "NE", "Case=Gen|Number=Sing"), (nominal.owner.key,))
                return [Tree("nmod:poss", "NP", [leaf])]
            case "def":
                lemma, tag, extra = "der", "ART", "|PronType=Art"
            case "indef":
                lemma, tag, extra = "ein", "ART", "|PronType=Art"
            case "this":
                lemma, tag, extra = "dieser", "PDAT", "|PronType=Dem"
            case "every":
                lemma, tag, extra = "jeder", "PIAT", "|PronType=Tot"
            case _:
                kind = lemma = german.possessive_stem(kind)
                tag, extra = "PPOSAT", "|Poss=Yes"
        form = german.determiner(kind, gender, case)
        return [Leaf("det", Word(form, lemma, "DET", tag, features + extra), keys)]


def _agreement(gender: str, case: str, inherent: str = "") -> str:
    if gender == "pl":
        return f"Case={_CASE[case]}|" + (f"Gender={_GENDER[inherent]}|" if inherent else "") + "Number=Plur"
    return f"Case={_CASE[case]}|Gender={_GENDER[gender]}|Number=Sing"


def _finite(tense: str, subject: Nominal) -> str:
    name = "Past" if tense == "past" else "Pres"
    person = "3" if subject.person == "2" else subject.person  # polite Sie is grammatically third person plural
    number = "Plur" if subject.number == "pl" else "Sing"
    return f"Mood=Ind|Number={number}|Person={person}|Tense={name}|VerbForm=Fin"


_ARTICLES = frozenset(["der", "die", "das", "den", "dem", "des"])
_PREPOSITIONS = frozenset(["in", "auf", "an", "um", "aus", "für", "vor", "während"])
_SHORT = frozenset(["im", "am", "ins", "ans", "zum", "zur"])


def _fixed(words: tuple[str, ...], keys: tuple[int, ...], *, relation: str, role: str) -> Tree:
    """A fixed expression, headed by its last noun (or its last word)."""
    nouns = [at for at, word in enumerate(words) if word[0].isupper()]
    head = nouns[-1] if nouns else len(words) - 1
    leaves: list[Part] = []
    for at, word in enumerate(words):
        if word in _ARTICLES:
            analysis, link = Word(word, "der", "DET", "ART", "PronType=Art"), "det"
        elif word == "jeden":
            analysis, link = Word(word, "jeder", "DET", "PIAT", "PronType=Tot"), "det"
        elif word in _PREPOSITIONS:
            analysis, link = Word(word, word, "ADP", "APPR"), "case"
        elif word in _SHORT:
            analysis, link = Word(word, word, "ADP", "APPRART"), "case"
        elif word[0].isupper():
            analysis, link = Word(word, word, "NOUN", "NN"), "nmod"
        elif at < head:
            analysis, link = Word(word, word, "ADJ", "ADJA"), "amod"
        else:
            analysis, link = Word(word, word, "ADV", "ADV"), "advmod"
        leaves.append(Leaf(HEAD if at == head else link, analysis, keys))
    first = leaves[0]
    assert isinstance(first, Leaf)
    return Tree(relation, "PP" if first.word.pos == "ADP" else "NP", leaves, role)
