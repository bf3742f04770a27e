"""English: subject, verb, object; auxiliaries, do-support, particles after the verb; Penn tags and labels."""

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
from dragoman.text.synthetic.morphology import english

__all__ = ["English"]

_REST = "recipient object indirect complement goal manner place time that"
_WITH_TO = frozenset({"explain", "recommend"})
"""Verbs whose recipient needs a preposition."""
_BEFORE_VERB = frozenset({"often", "sometimes", "seldom"})
_BE = {"present": ("am", "is", "are"), "past": ("was", "was", "were")}
_NUMBER = {"sg": "Number=Sing", "pl": "Number=Plur"}


class English(Realizer):
    """Real, simple English."""

    templates: ClassVar[dict[str, str]] = {
        "main": f"(S front report subject (VP finite negation frequency verb particle {_REST}))",
        "yesno": f"(SQ finite subject negation (VP frequency verb particle {_REST}))",
        "wh": f"(SBARQ wh finite subject negation (VP frequency verb particle {_REST}))",
        "sub": f"(SBAR conjunction (S subject (VP finite negation frequency verb particle {_REST})))",
        "that": f"(SBAR conjunction (S subject (VP finite negation frequency verb particle {_REST})))",
        "relative": "(SBAR relativizer (S subject (VP finite negation frequency verb particle object time)))",
    }

    def finish(self, clause: Clause, tree: Tree) -> None:
        verb = self.verbal[0]
        lemma = "_".join((verb.word.lemma, *(clause.verb.particle if clause.verb else ())))
        number = clause.verb.sense if clause.verb else ""
        antecedent = "" if not clause.gap else "ARG0" if clause.gap == "subject" else "ARG1"
        sense = f"{lemma}.02" if number in _SECOND else f"{lemma}.01"
        tree.predicate = Predicate(verb, sense, tuple(self.verbal), antecedent)

    def coordinator(self, words: tuple[str, str]) -> Word:
        return Word(words[0], words[0], "CCONJ", "CC")

    def slot_front(self, clause: Clause) -> Sequence[Part]:
        if not clause.fronted or clause.time is None:
            return ()
        return [*self._adverbial(clause.time), self.comma(clause.key + COMMA)]

    def slot_report(self, clause: Clause) -> Sequence[Part]:
        if not clause.reported:
            return ()
        word = Word("apparently", "apparently", "ADV", "RB")
        return [
            Tree("advmod", "ADVP", [Leaf(HEAD, word, (clause.key + REPORT,))], "ARGM-ADV"),
            self.comma(clause.key + 7),
        ]

    def slot_subject(self, clause: Clause) -> Sequence[Part]:
        if clause.gap == "subject":
            return ()
        return [self.nominal(clause.subject, "nom", "nsubj", "ARG1" if clause.kind == "c" else "ARG0")]

    def slot_wh(self, clause: Clause) -> Sequence[Part]:
        word = Word(clause.wh[0], clause.wh[0], "ADV", "WRB", "PronType=Int")
        role = {"where": "ARGM-LOC", "when": "ARGM-TMP", "why": "ARGM-CAU", "how": "ARGM-MNR"}[clause.wh[0]]
        return [Tree("advmod", "WHADVP", [Leaf(HEAD, word, (clause.key + CONJUNCTION,))], role)]

    def slot_conjunction(self, clause: Clause) -> Sequence[Part]:
        if clause.form == "that":
            return [Leaf("mark", Word("that", "that", "SCONJ", "IN"), (clause.key + CONJUNCTION,))]
        assert clause.conjunction is not None
        word = clause.conjunction.english
        return [Leaf("mark", Word(word, word, "SCONJ", "WRB" if word == "when" else "IN"), (clause.key + CONJUNCTION,))]

    def slot_relativizer(self, clause: Clause) -> Sequence[Part]:
        antecedent = clause.subject if clause.gap == "subject" else clause.object
        assert antecedent is not None
        human = antecedent.noun is not None and "person" in antecedent.noun.classes
        who = human and clause.gap == "subject"
        word = (
            Word("who", "who", "PRON", "WP", "PronType=Rel")
            if who
            else Word("that", "that", "PRON", "WDT", "PronType=Rel")
        )
        relation, role = ("nsubj", "R-ARG0") if clause.gap == "subject" else ("obj", "R-ARG1")
        return [Tree(relation, "WHNP", [Leaf(HEAD, word, (clause.key + CONJUNCTION,))], role)]

    def _auxiliary(self, clause: Clause) -> str:
        """The auxiliary that a clause has apart from do-support."""
        if clause.modal:
            return clause.modal
        return {"perfect": "have", "future": "will"}.get(clause.tense, "")

    def slot_finite(self, clause: Clause) -> Sequence[Part]:
        auxiliary = self._auxiliary(clause)
        tense = "past" if clause.tense == "past" else "present"
        third = clause.subject.person == "3" and clause.subject.number == "sg"
        if auxiliary in ("can", "must", "should", "may", "will"):
            role = "" if auxiliary == "will" else "ARGM-MOD"
            return [Leaf("aux", Word(auxiliary, auxiliary, "AUX", "MD", "VerbForm=Fin"), (clause.key + AUX,), role)]
        if auxiliary == "have":
            form, tag = ("has", "VBZ") if third else ("have", "VBP")
            return [
                Leaf("aux", Word(form, "have", "AUX", tag, "Mood=Ind|Tense=Pres|VerbForm=Fin"), (clause.key + AUX,))
            ]
        if clause.kind == "c":
            at = 1 if third else 0 if (clause.subject.person, clause.subject.number) == ("1", "sg") else 2
            tag = "VBD" if tense == "past" else "VBZ" if third else "VBP"
            return self._main(Leaf("cop", Word(_BE[tense][at], "be", "AUX", tag, _finite(tense)), (clause.key,)))
        if clause.do_support:
            form = "did" if tense == "past" else "does" if third else "do"
            tag = "VBD" if tense == "past" else "VBZ" if third else "VBP"
            # Tense sits on the auxiliary here and on the verb there.
            return [Leaf("aux", Word(form, "do", "AUX", tag, _finite(tense)), (clause.key + 7,))]
        return ()

    def slot_negation(self, clause: Clause) -> Sequence[Part]:
        if not clause.negated:
            return ()
        return [Leaf("advmod", Word("not", "not", "PART", "RB", "Polarity=Neg"), (clause.key + NEGATION,), "ARGM-NEG")]

    def slot_verb(self, clause: Clause) -> Sequence[Part]:
        auxiliary = self._auxiliary(clause)
        if clause.kind == "c":
            if not auxiliary:
                return ()
            form, tag, features = (
                ("been", "VBN", "VerbForm=Part") if auxiliary == "have" else ("be", "VB", "VerbForm=Inf")
            )
            return self._main(Leaf("cop", Word(form, "be", "AUX", tag, features), (clause.key,)))
        verb = clause.verb
        assert verb is not None
        tense = "past" if clause.tense == "past" else "present"
        keys = (clause.key,)
        if auxiliary == "have":
            word = Word(verb.participle, verb.english, "VERB", "VBN", "Tense=Past|VerbForm=Part")
        elif auxiliary or clause.do_support:
            word = Word(verb.english, verb.english, "VERB", "VB", "VerbForm=Inf")
        elif tense == "past":
            word = Word(verb.past, verb.english, "VERB", "VBD", _finite("past"))
        elif clause.subject.person == "3" and clause.subject.number == "sg":
            word = Word(english.third(verb.english), verb.english, "VERB", "VBZ", _finite("present"))
        else:
            word = Word(verb.english, verb.english, "VERB", "VBP", _finite("present"))
        return self._main(Leaf(HEAD, word, keys))

    def _main(self, leaf: Leaf) -> list[Part]:
        self.verbal.append(leaf)
        return [leaf]

    def slot_particle(self, clause: Clause) -> Sequence[Part]:
        verb = clause.verb
        if verb is None or not verb.particle or verb.kind == "p":
            return ()
        if verb.kind == "x":
            tree = _fixed(verb.particle, (clause.key,))
            self.verbal += [part for part in tree.parts if isinstance(part, Leaf)]
            return [tree]
        leaves = [Leaf(HEAD, Word(word, word, "ADP", "RP"), (clause.key,)) for word in verb.particle]
        self.verbal += leaves
        return [Tree("compound:prt", "PRT", [leaf]) for leaf in leaves]

    def slot_recipient(self, clause: Clause) -> Sequence[Part]:
        if clause.recipient is None or (clause.verb and clause.verb.english in _WITH_TO):
            return ()
        return [self.nominal(clause.recipient, "acc", "iobj", "ARG2")]

    def slot_indirect(self, clause: Clause) -> Sequence[Part]:
        if clause.recipient is None or clause.verb is None or clause.verb.english not in _WITH_TO:
            return ()
        leaf = Leaf("case", Word("to", "to", "ADP", "TO"), (clause.recipient.key + 7,))
        return [Tree("obl", "PP", [leaf, self.nominal(clause.recipient, "acc", HEAD)], "ARG2")]

    def slot_frequency(self, clause: Clause) -> Sequence[Part]:
        return self._adverbial(clause.time) if clause.time and _early(clause) else ()

    def slot_object(self, clause: Clause) -> Sequence[Part]:
        if clause.object is None or clause.gap == "object":
            return ()
        verb = clause.verb
        assert verb is not None
        phrase = self.nominal(
            clause.object, "acc", HEAD if verb.kind == "p" else "obj", "" if verb.kind == "p" else "ARG1"
        )
        if verb.kind != "p":
            return [phrase]
        word = verb.particle[0]
        return [Tree("obl", "PP", [Leaf("case", Word(word, word, "ADP", "IN"), (clause.key + 5,)), phrase], "ARG1")]

    def slot_complement(self, clause: Clause) -> Sequence[Part]:
        if clause.adjective is None:
            return ()
        word = Word(clause.adjective.english, clause.adjective.english, "ADJ", "JJ", "Degree=Pos")
        return [Tree(HEAD, "ADJP", [Leaf(HEAD, word, (clause.key + 4,))], "ARG2")]

    def slot_goal(self, clause: Clause) -> Sequence[Part]:
        return [self._phrase(clause.goal)] if clause.goal else ()

    def slot_manner(self, clause: Clause) -> Sequence[Part]:
        return self._adverbial(clause.manner) if clause.manner else ()

    def slot_place(self, clause: Clause) -> Sequence[Part]:
        return [self._phrase(clause.place)] if clause.place else ()

    def slot_time(self, clause: Clause) -> Sequence[Part]:
        if clause.time is None or _early(clause) or (clause.fronted and clause.form == "main"):
            return ()
        return self._adverbial(clause.time)

    def slot_that(self, clause: Clause) -> Sequence[Part]:
        if clause.complement is None:
            return ()
        tree = self.clause(clause.complement)
        tree.relation, tree.role = "ccomp", "ARG1"
        return [tree]

    def _phrase(self, adjunct: Adjunct) -> Tree:
        assert adjunct.preposition is not None
        assert adjunct.nominal is not None
        words = adjunct.preposition.english
        leaves: list[Part] = [Leaf("case", Word(word, word, "ADP", "IN"), (adjunct.key,)) for word in words]
        return Tree("obl", "PP", [*leaves, self.nominal(adjunct.nominal, "acc", HEAD)], adjunct.role)

    def _adverbial(self, adjunct: Adjunct) -> list[Part]:
        assert adjunct.adverbial is not None
        words = adjunct.adverbial.english
        if len(words) == 1:
            word = Word(words[0], words[0], "ADV", "RB")
            return [Tree("advmod", "ADVP", [Leaf(HEAD, word, (adjunct.key,))], adjunct.role)]
        return [_fixed(words, (adjunct.key,), relation="obl", role=adjunct.role, last=True)]

    def nominal(self, nominal: Nominal, case: str, relation: str, role: str = "") -> Part:
        key = nominal.key
        if nominal.pronoun:
            pronoun = nominal.pronoun
            form = pronoun.english if case == "nom" else pronoun.oblique
            word = Word(
                form,
                pronoun.english,
                "PRON",
                "PRP",
                f"Case={'Nom' if case == 'nom' else 'Acc'}|{_NUMBER[pronoun.number]}|Person={pronoun.person}",
            )
            return Tree(relation, "NP", [Leaf(HEAD, word, (key,))], role)
        if nominal.name:
            leaves: list[Part] = [
                Leaf("flat" if at else HEAD, Word(name, name, "PROPN", "NNP", "Number=Sing"), (key + at,))
                for at, name in enumerate(nominal.name)
            ]
            return Tree(relation, "NP", leaves, role)
        noun = nominal.noun
        assert noun is not None
        parts: list[Part] = []
        for at, adjective in nominal.adjectives:
            parts.append(Leaf("amod", Word(adjective.english, adjective.english, "ADJ", "JJ", "Degree=Pos"), (at,)))
        if noun.modifier:
            parts.append(Leaf("compound", Word(noun.modifier, noun.modifier, "NOUN", "NN", "Number=Sing"), (key,)))
        form, tag = (noun.english, "NN") if nominal.number == "sg" else (noun.english_plural, "NNS")
        parts.append(Leaf(HEAD, Word(form, noun.english, "NOUN", tag, _NUMBER[nominal.number]), (key,)))
        first = parts[0]
        assert isinstance(first, Leaf)
        parts[:0] = self._determiner(nominal, first.word.form)
        if nominal.relative is None:
            return Tree(relation, "NP", parts, role)
        clause = self.clause(nominal.relative)
        clause.relation = "acl:relcl"
        return Tree(relation, "NP", [Tree(HEAD, "NP", parts), clause], role)

    def _determiner(self, nominal: Nominal, following: str) -> list[Part]:
        keys = (nominal.key + DET,)
        match nominal.determiner:
            case "none":
                return []
            case "count":
                return [
                    Leaf(
                        "nummod",
                        Word(nominal.count[0], nominal.count[0], "NUM", "CD", "NumType=Card"),
                        (nominal.key + COUNT,),
                    )
                ]
            case "owner":
                assert nominal.owner is not None
                name = nominal.owner.name[0]
                return [
                    Tree(
                        "nmod:poss",
                        "NP",
                        [
                            Leaf(HEAD, Word(name, name, "PROPN", "NNP", "Number=Sing"), (nominal.owner.key,)),
                            Leaf("case", Word("'s", "'s", "PART", "POS"), (nominal.owner.key,)),
                        ],
                    )
                ]
            case "def":
                word = Word("the", "the", "DET", "DT", "Definite=Def|PronType=Art")
            case "indef":
                form = english.article(following)
                word = Word(form, "a", "DET", "DT", "Definite=Ind|PronType=Art")
            case "this":
                form = "this" if nominal.number == "sg" else "these"
                word = Word(form, "this", "DET", "DT", f"{_NUMBER[nominal.number]}|PronType=Dem")
            case "every":
                word = Word("every", "every", "DET", "DT", "PronType=Tot")
            case possessive:
                return [Leaf("nmod:poss", Word(possessive, possessive, "PRON", "PRP$", "Poss=Yes|PronType=Prs"), keys)]
        return [Leaf("det", word, keys)]


_SECOND = ("know.fact", "run.manage", "draw.pull", "serve.guest")


def _early(clause: Clause) -> bool:
    """Whether the time adverbial stands before the verb."""
    fronted = clause.fronted and clause.form == "main"
    adverbial = clause.time.adverbial if clause.time else None
    return adverbial is not None and adverbial.english[0] in _BEFORE_VERB and not fronted


def _finite(tense: str) -> str:
    return f"Mood=Ind|Tense={'Past' if tense == 'past' else 'Pres'}|VerbForm=Fin"


_TAGS = {
    "the": ("DET", "DT"), "a": ("DET", "DT"), "every": ("DET", "DT"), "it": ("PRON", "PRP"), "of": ("ADP", "IN"),
    "in": ("ADP", "IN"), "on": ("ADP", "IN"), "at": ("ADP", "IN"), "around": ("ADP", "IN"), "through": ("ADP", "IN"),
    "during": ("ADP", "IN"), "two": ("NUM", "CD"), "last": ("ADJ", "JJ"), "next": ("ADJ", "JJ"), "ago": ("ADV", "RB"),
    "blind": ("ADJ", "JJ"), "wrong": ("ADJ", "JJ"),
}  # fmt: skip


def _fixed(
    words: tuple[str, ...], keys: tuple[int, ...], *, relation: str = "obj", role: str = "", last: bool = True
) -> Tree:
    """A fixed expression: a phrase headed by its last noun."""
    leaves: list[Part] = []
    for at, word in enumerate(words):
        pos, tag = _TAGS.get(word, ("NOUN", "NN"))
        head = at == len(words) - 1
        link = HEAD if head else {"ADP": "case", "DET": "det", "ADJ": "amod", "NUM": "nummod"}.get(pos, "nmod")
        leaves.append(Leaf(link, Word(word, word, pos, tag), keys))
    return Tree(relation, "PP" if _TAGS.get(words[0], ("",))[0] == "ADP" else "NP", leaves, role)
