"""Sarvi: verbs last, modifiers first, postpositions, relative clauses before their noun, a verb that agrees twice.

The articles, negation, modality, tense and hearsay that English says with words are suffixes here, so one Sarvi word
often translates several English ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
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
from dragoman.text.synthetic.lexicon import closed, lexicon
from dragoman.text.synthetic.morphology import sarvi
from dragoman.text.synthetic.morphology.sarvi import Stems

__all__ = ["Sarvi", "stems"]

_ARGUMENTS = "report early subject time place goal recipient object fixed manner predicate preverb verb"
_FEATURES = {"nom": "Nom", "acc": "Acc", "dat": "Dat", "gen": "Gen", "loc": "Loc", "ins": "Ins", "abl": "Abl"}
_SYNONYMS = 2
"""Every so many concepts have a second word."""


@cache
def stems() -> Stems:
    """The stems of all concepts."""
    words = lexicon()
    concepts = [noun.concept for noun in words.nouns]
    concepts += [adjective.concept for adjective in words.adjectives] + [verb.concept for verb in words.verbs]
    concepts += [part for noun in words.compounds for part in noun.parts]
    fixed = [
        *(adverbial.concept for adverbial in (*closed.TIMES, *closed.MANNER)),
        *(f"post.{preposition.concept}" for preposition in (*closed.PLACE, closed.TO)),
        *(f"post.{verb.english}-{'-'.join(verb.particle)}" for verb in words.verbs if verb.kind == "p"),
        *(f"conjunction.{subordinator.concept}" for subordinator in closed.SUBORDINATORS),
        *(f"number.{english}" for english, _ in closed.NUMBERS),
        *(f"pronoun.{pronoun.english}" for pronoun in closed.PRONOUNS),
        *(f"possessive.{word}" for word in ("my", "his", "her", "our", "their")),
        *(f"question.{english}" for english, _ in closed.WH),
        *(f"preverb.{verb.particle[0]}" for verb in words.verbs if verb.particle),
        "this",
        "every",
        "and",
        "but",
        "that",
        "be",
        "question",
    ]
    everything = [*concepts, *fixed]
    return Stems([*everything, *(f"{concept}/2" for concept in everything)])


class Sarvi(Realizer):
    """A constructed language, as unlike English as it is regular."""

    templates: ClassVar[dict[str, str]] = {
        "main": f"(S front {_ARGUMENTS})",
        "yesno": f"(S {_ARGUMENTS} ask)",
        "wh": "(S report early subject time place goal recipient object fixed manner predicate wh preverb verb)",
        "sub": f"(S {_ARGUMENTS} conjunction)",
        "that": f"(S {_ARGUMENTS} conjunction)",
        "relative": "(S subject time object preverb verb)",
    }
    quotes = ('"', '"')

    def stem(self, concept: str, key: int) -> str:
        """The word for a concept; some have two."""
        second = len(concept) % _SYNONYMS == 0 and "." not in concept and self.style.pick(key, 2)
        return stems()[f"{concept}/2" if second else concept]

    # Sentences

    def with_subordinate(self, main: Clause, other: Clause, *, before: bool, key: int) -> Tree:
        """Subordinate clauses always come first."""
        tree = self.clause(main)
        tree.parts[:0] = [self.subordinate(other), self.comma(key + COMMA)]
        return tree

    def coordinator(self, words: tuple[str, str]) -> Word:
        form = stems()[words[0]]
        return Word(form, form, "CCONJ", "CONJ")

    def finish(self, clause: Clause, tree: Tree) -> None:
        antecedent = "" if not clause.gap else "ARG0" if clause.gap == "subject" else "ARG1"
        verb = self.verbal[-1]  # verbs come last
        tree.predicate = Predicate(verb, f"{verb.word.lemma}.01", tuple(self.verbal), antecedent)

    # Verbs

    def slot_verb(self, clause: Clause) -> Sequence[Part]:
        key, verb = clause.key, clause.verb
        if verb is None:
            stem = stems()["be"]
        elif verb.gloss is not None:
            stem = stems()[next(v.concept for v in lexicon().verbs if v.concept.endswith(f".{verb.gloss[1]}"))]
        else:
            stem = self.stem(verb.concept, key)
        keys = [key]
        if clause.modal or clause.tense in ("perfect", "future"):
            keys.append(key + AUX)
        if clause.negated:
            keys.append(key + NEGATION)
        if clause.do_support:
            keys.append(key + 7)
        if clause.reported:
            keys.append(key + REPORT)
        subject = clause.subject
        if clause.form == "relative":
            form = sarvi.participle(stem, gap=clause.gap, tense=clause.tense, negated=clause.negated)
            features = "VerbForm=Part"
            keys.append(key + CONJUNCTION)
        else:
            target = clause.object
            agreed = target.number if target is not None and target.definite and clause.kind != "p" else ""
            form = sarvi.verb(
                stem,
                tense=clause.tense,
                person=subject.person,
                number=subject.number,
                modal=clause.modal,
                negated=clause.negated,
                reported=clause.reported,
                object_number=agreed,
            )
            number = "Plur" if subject.number == "pl" else "Sing"
            features = f"Number={number}|Person={subject.person}|Tense={clause.tense.capitalize()}|VerbForm=Fin"
            if agreed:
                features += f"|Number[obj]={'Plur' if agreed == 'pl' else 'Sing'}"
            if clause.negated:
                features += "|Polarity=Neg"
            if clause.reported:
                features += "|Evident=Nfh"
        copula = clause.kind == "c"
        word = Word(form, stem, "AUX" if copula else "VERB", "COP" if copula else "V", features)
        leaf = Leaf("cop" if copula else HEAD, word, tuple(keys))
        self.verbal.append(leaf)
        return [leaf]

    def slot_preverb(self, clause: Clause) -> Sequence[Part]:
        """Particle verbs have a word of their own before the verb."""
        verb = clause.verb
        if verb is None or verb.kind in "px" or not verb.particle:
            return ()
        form = stems()[f"preverb.{verb.particle[0]}"]
        leaf = Leaf("compound:prt", Word(form, form, "PART", "PV"), (clause.key,))
        self.verbal.append(leaf)
        return [leaf]

    def slot_fixed(self, clause: Clause) -> Sequence[Part]:
        verb = clause.verb
        if verb is None or verb.gloss is None:
            return ()
        stem = stems()[verb.gloss[0]]
        form = sarvi.noun(stem, plural=False, definite=True, case="acc")
        leaf = Leaf(HEAD, Word(form, stem, "NOUN", "N", "Case=Acc|Number=Sing"), (clause.key,))
        self.verbal.append(leaf)
        return [Tree("obj", "NP", [leaf])]

    def slot_ask(self, clause: Clause) -> Sequence[Part]:
        form = stems()["question"]
        return [Leaf("discourse", Word(form, form, "PART", "Q"))]

    def slot_wh(self, clause: Clause) -> Sequence[Part]:
        form = stems()[f"question.{clause.wh[0]}"]
        role = {"where": "ARGM-LOC", "when": "ARGM-TMP", "why": "ARGM-CAU", "how": "ARGM-MNR"}[clause.wh[0]]
        leaf = Leaf(HEAD, Word(form, form, "ADV", "ADV", "PronType=Int"), (clause.key + CONJUNCTION,))
        return [Tree("advmod", "AVP", [leaf], role)]

    def slot_conjunction(self, clause: Clause) -> Sequence[Part]:
        concept = f"conjunction.{clause.conjunction.concept}" if clause.conjunction else "that"
        form = stems()[concept]
        return [Leaf("mark", Word(form, form, "SCONJ", "C"), (clause.key + CONJUNCTION,))]

    # Arguments and modifiers

    def slot_front(self, clause: Clause) -> Sequence[Part]:
        """A complement clause comes before everything."""
        if clause.complement is None:
            return ()
        tree = self.clause(clause.complement)
        tree.relation, tree.role = "ccomp", "ARG1"
        return [tree, self.comma(clause.key + COMMA)]

    def slot_report(self, clause: Clause) -> Sequence[Part]:
        return () if clause.complement is None or clause.form == "main" else self.slot_front(clause)

    def slot_subject(self, clause: Clause) -> Sequence[Part]:
        if clause.gap == "subject":
            return ()
        case = "gen" if clause.form == "relative" else "nom"
        return [self.nominal(clause.subject, case, "nsubj", "ARG1" if clause.kind == "c" else "ARG0")]

    def _early(self, clause: Clause) -> bool:
        """Time may come before the subject."""
        return clause.form != "relative" and self.style.pick(clause.key + REPORT, 2) == 1

    def slot_early(self, clause: Clause) -> Sequence[Part]:
        return self._adverbial(clause.time) if clause.time and self._early(clause) else ()

    def slot_time(self, clause: Clause) -> Sequence[Part]:
        return self._adverbial(clause.time) if clause.time and not self._early(clause) else ()

    def slot_manner(self, clause: Clause) -> Sequence[Part]:
        return self._adverbial(clause.manner) if clause.manner else ()

    def slot_place(self, clause: Clause) -> Sequence[Part]:
        return [self._adjunct(clause.place)] if clause.place else ()

    def slot_goal(self, clause: Clause) -> Sequence[Part]:
        return [self._adjunct(clause.goal)] if clause.goal else ()

    def slot_recipient(self, clause: Clause) -> Sequence[Part]:
        return [self.nominal(clause.recipient, "dat", "iobj", "ARG2")] if clause.recipient else ()

    def slot_object(self, clause: Clause) -> Sequence[Part]:
        if clause.object is None or clause.gap == "object":
            return ()
        if clause.kind == "p":
            assert clause.verb is not None
            post = f"post.{clause.verb.english}-{'-'.join(clause.verb.particle)}"
            return [self._postposition(post, clause.object, clause.key + 5, "ARG1")]
        return [self.nominal(clause.object, "acc", "obj", "ARG1")]

    def slot_predicate(self, clause: Clause) -> Sequence[Part]:
        if clause.adjective is None:
            return ()
        form = self.stem(clause.adjective.concept, clause.key + 4)
        return [Tree(HEAD, "AP", [Leaf(HEAD, Word(form, form, "ADJ", "ADJ"), (clause.key + 4,))], "ARG2")]

    def _adjunct(self, adjunct: Adjunct) -> Part:
        assert adjunct.preposition is not None
        assert adjunct.nominal is not None
        if adjunct.preposition.sarvi == "post":
            return self._postposition(f"post.{adjunct.preposition.concept}", adjunct.nominal, adjunct.key, adjunct.role)
        phrase = self.nominal(adjunct.nominal, adjunct.preposition.sarvi, "obl", adjunct.role)
        self._stamp(phrase, adjunct.key)
        return phrase

    def _stamp(self, phrase: Part, key: int) -> None:
        """The case suffix expresses the preposition, so the inflected noun carries its key."""
        while isinstance(phrase, Tree):
            phrase = next(part for part in phrase.parts if part.relation == HEAD)
        phrase.keys = (*phrase.keys, key)

    def _postposition(self, concept: str, nominal: Nominal, key: int, role: str) -> Tree:
        form = stems()[concept]
        leaf = Leaf("case", Word(form, form, "ADP", "POST"), (key,))
        return Tree("obl", "PP", [self.nominal(nominal, "gen", HEAD), leaf], role)

    def _adverbial(self, adjunct: Adjunct) -> list[Part]:
        assert adjunct.adverbial is not None
        form = stems()[adjunct.adverbial.concept]
        return [Tree("advmod", "AVP", [Leaf(HEAD, Word(form, form, "ADV", "ADV"), (adjunct.key,))], adjunct.role)]

    # Noun phrases

    def nominal(self, nominal: Nominal, case: str, relation: str, role: str = "") -> Part:
        key = nominal.key
        if nominal.pronoun:
            stem = stems()[f"pronoun.{nominal.pronoun.english}"]
            form = sarvi.noun(stem, plural=False, definite=False, case=case)
            features = f"Case={_FEATURES[case]}|Person={nominal.person}|PronType=Prs"
            return Tree(relation, "NP", [Leaf(HEAD, Word(form, stem, "PRON", "PRO", features), (key,))], role)
        if nominal.name:  # only the last name is inflected
            last = len(nominal.name) - 1
            leaves: list[Part] = [
                Leaf(
                    HEAD if at == last else "flat",
                    Word(
                        sarvi.attach(name, (sarvi.CASES[case],)) if at == last else name,
                        name,
                        "PROPN",
                        "NAME",
                        f"Case={_FEATURES[case]}",
                    ),
                    (key + at,),
                )
                for at, name in enumerate(nominal.name)
            ]
            return Tree(relation, "NP", leaves, role)
        parts = self._determiner(nominal)
        for at, adjective in nominal.adjectives:
            stem = self.stem(adjective.concept, at)
            parts.append(Leaf("amod", Word(stem, stem, "ADJ", "ADJ"), (at,)))
        parts.append(self._noun(nominal, case))
        if nominal.relative is None:
            return Tree(relation, "NP", parts, role)
        clause = self.clause(nominal.relative)
        clause.relation = "acl:relcl"
        return Tree(relation, "NP", [clause, Tree(HEAD, "NP", parts)], role)

    def _noun(self, nominal: Nominal, case: str) -> Leaf:
        noun = nominal.noun
        assert noun is not None
        stem = (
            self.stem(noun.concept, nominal.key) if not noun.parts else stems()[noun.parts[0]] + stems()[noun.parts[1]]
        )
        definite = nominal.determiner == "def"
        plural = nominal.number == "pl" and nominal.determiner != "count"  # a number makes the suffix superfluous
        form = sarvi.noun(stem, plural=plural, definite=definite, case=case)
        number = "Plur" if plural else "Sing"
        features = f"Case={_FEATURES[case]}|Definite={'Def' if definite else 'Ind'}|Number={number}"
        keys = (nominal.key, nominal.key + DET) if definite else (nominal.key,)
        return Leaf(HEAD, Word(form, stem, "NOUN", "N", features), keys)

    def _determiner(self, nominal: Nominal) -> list[Part]:
        keys = (nominal.key + DET,)
        match nominal.determiner:
            case "none" | "def" | "indef":
                return []
            case "count":
                english = nominal.count[0]
                form = english if english[0].isdigit() else stems()[f"number.{english}"]
                return [Leaf("nummod", Word(form, form, "NUM", "NUM", "NumType=Card"), (nominal.key + COUNT,))]
            case "owner":
                assert nominal.owner is not None
                name = nominal.owner.name[0]
                form = sarvi.attach(name, (sarvi.CASES["gen"],))
                leaf = Leaf(HEAD, Word(form, name, "PROPN", "NAME", "Case=Gen"), (nominal.owner.key,))
                return [Tree("nmod:poss", "NP", [leaf])]
            case "this" | "every":
                form = stems()[nominal.determiner]
                return [Leaf("det", Word(form, form, "DET", "DET"), keys)]
        form = stems()[f"possessive.{nominal.determiner}"]
        return [Leaf("nmod:poss", Word(form, form, "PRON", "POSS", "Poss=Yes"), keys)]
