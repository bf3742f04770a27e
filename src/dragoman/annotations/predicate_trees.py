"""From Universal Dependencies to trees of predicates, as lexical-functional grammar draws them.

In Universal Dependencies content words govern function words. In the f-structures of Graham and van Genabith (2010) a
preposition governs its noun, *be* what is said of the subject, a modal its verb and a conjunction what it joins, while
other auxiliaries, complementisers and punctuation are no predicates at all. The conversion turns one into the other,
step by step in this order, each step as asked: punctuation goes; a copula becomes the head of its predicate; a modal
that of its verb; other auxiliaries, *to*, possessive *'s* and complementisers go; prepositions, and conjunctions that
introduce adverbial clauses, become heads of what they introduce; a coordinating conjunction that of the conjuncts. The
subject moves along to the new head of its clause. Control and raising stay as the treebank has them: one head a word.

    >>> from dragoman.annotations import Sentence
    >>> sentence = Sentence.of(
    ...     ["This", "is", "a", "debate", "at", "the", "U.N."],
    ...     lemmas=["this", "be", "a", "debate", "at", "the", "U.N."],
    ...     pos=["PRON", "AUX", "DET", "NOUN", "ADP", "DET", "PROPN"],
    ...     dependencies=([3, 3, 3, -1, 6, 6, 3], ["nsubj", "cop", "det", "root", "case", "det", "nmod"]),
    ... )
    >>> print(predicate_tree(sentence))
    be
      this
      debate
        a
        at
          u.n.
            the
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dragoman.annotations.modals import MODALS
from dragoman.annotations.predicates import PredicateTree
from dragoman.annotations.sentence import Sentence
from dragoman.annotations.treebanks import sentence_id
from dragoman.errors import InputError

__all__ = ["PLAIN_WORDS", "PREDICATES", "PredicateSteps", "predicate_tree", "predicate_trees"]

_SUBJECTS = ("nsubj", "csubj", "expl")
_CLAUSAL = (*_SUBJECTS, "aux", "mark", "advcl", "parataxis", "discourse", "vocative", "dislocated", "cc")
_NOMINAL = ("NOUN", "PROPN", "PRON", "NUM")
"""Dependents that belong to a clause, not to the word that happened to head it."""


@dataclass(frozen=True, slots=True)
class PredicateSteps:
    """Which steps the conversion takes."""

    punctuation: bool = True
    """Punctuation goes."""
    copulas: bool = True
    modals: bool = True
    function_words: bool = True
    """Auxiliaries, `to`, possessive `'s` and complementisers go; words of a fixed expression become one."""
    adpositions: bool = True
    coordination: bool = True
    lowercase: bool = True


PREDICATES = PredicateSteps()
"""Trees of predicates."""
PLAIN_WORDS = PredicateSteps(False, False, False, False, False, False)
"""The tree as it is, lower-cased lemmas in it."""


def predicate_tree(sentence: Sentence, steps: PredicateSteps = PREDICATES) -> PredicateTree:
    """The tree of one sentence, which needs lemmas, parts of speech and dependencies."""
    return _Clauses(sentence, steps).tree()


def predicate_trees(sentences: Iterable[Sentence], steps: PredicateSteps = PREDICATES) -> Iterator[PredicateTree]:
    """The trees of sentences that have a predicate; a sentence of punctuation alone has none and is left out."""
    for number, sentence in enumerate(sentences, 1):
        try:
            tree = predicate_tree(sentence, steps)
        except InputError as error:
            where = sentence_id(sentence) or f"sentence {number}"
            raise type(error)(error.what, where=where, remedy=error.remedy) from None
        if len(tree):
            yield tree


class _Clauses:
    """Heads and labels of a sentence while they change."""

    def __init__(self, sentence: Sentence, steps: PredicateSteps) -> None:
        sentence.require("lemmas", "pos", "dependencies", needed_by="a tree of predicates")
        self.name = sentence_id(sentence)
        self.lemmas = [
            form if lemma == "_" else lemma for lemma, form in zip(sentence.lemmas, sentence.words, strict=True)
        ]
        self.plain = [lemma.lower() for lemma in self.lemmas]
        self.pos = sentence.pos
        features = sentence.layers.morphology
        self.negative = [
            self.plain[at] in ("not", "n't", "nicht")
            or (features is not None and features[at].get("Polarity") == "Neg")
            for at in range(len(sentence))
        ]
        self.heads = list(sentence.dependencies.heads)
        self.labels = [label.partition(":")[0] for label in sentence.dependencies.labels]
        self.gone: set[int] = set()
        self.steps = steps
        if steps.punctuation:
            self._drop(at for at, label in enumerate(self.labels) if label == "punct" or self.pos[at] == "PUNCT")
        if steps.copulas:
            self._copulas()
        if steps.modals:
            self._modals()
        if steps.function_words:
            self._function_words()
        if steps.adpositions:
            self._adpositions()
        if steps.coordination:
            self._coordination()

    def tree(self) -> PredicateTree:
        kept = [at for at in range(len(self.heads)) if at not in self.gone]
        places = {at: place for place, at in enumerate(kept)}
        words = tuple(self.plain[at] if self.steps.lowercase else self.lemmas[at] for at in kept)
        heads = tuple(places.get(self.heads[at], -1) for at in kept)
        return PredicateTree(words, heads, tuple(kept), self.name)

    def _children(self, head: int) -> list[int]:
        return [at for at, own in enumerate(self.heads) if own == head and at not in self.gone]

    def _drop(self, tokens: Iterable[int]) -> None:
        """Leave tokens out; what depended on one depends on its head. A root without a dependent leaves nothing."""
        for token in list(tokens):
            children = self._children(token)
            if self.heads[token] < 0 and children:  # the first dependent takes its place
                first, *children = children
                self.heads[first], self.labels[first] = -1, "root"
                for child in children:
                    self.heads[child] = first
            else:
                for child in children:
                    self.heads[child] = self.heads[token]
            self.gone.add(token)

    def _raise(self, token: int) -> int:
        """Put a token above its head; returns the head."""
        below = self.heads[token]
        self.heads[token], self.labels[token] = self.heads[below], self.labels[below]
        self.heads[below], self.labels[below] = token, "xcomp"
        return below

    def _take_clause(self, token: int, below: int, *, adverbs: bool) -> None:
        """Move what belongs to the clause from its old head to the new one.

        Of `adverbs`, one right before the predicate says how much of it (*very good*); where others stand does not
        matter.
        """
        for child in self._children(below):
            label = self.labels[child]
            moves = label in _CLAUSAL
            if label == "advmod":
                moves = self.negative[child] or (adverbs and child != below - 1)
            elif label == "conj":
                own = {self.labels[each] for each in self._children(child)}
                moves = bool(own & {"nsubj", "csubj", "expl", "cop"}) or self.pos[child] in ("VERB", "AUX")
            elif label == "obl":
                moves = adverbs and self.pos[below] in _NOMINAL
            if moves and child != token:
                self.heads[child] = token

    def _copulas(self) -> None:
        for token, label in enumerate(self.labels):
            if label == "cop" and token not in self.gone and self.heads[token] >= 0:
                below = self._raise(token)
                self._take_clause(token, below, adverbs=True)

    def _modals(self) -> None:
        for token, label in enumerate(self.labels):
            if label == "aux" and self.plain[token] in MODALS and token not in self.gone and self.heads[token] >= 0:
                below = self._raise(token)
                self._take_clause(token, below, adverbs=False)

    def _function_words(self) -> None:
        for token, label in enumerate(self.labels):
            if label == "fixed" and token not in self.gone and self.heads[token] >= 0:
                self.lemmas[self.heads[token]] += "_" + self.lemmas[token]
                self.plain[self.heads[token]] += "_" + self.plain[token]
                self._drop([token])
        self._drop(
            token
            for token, label in enumerate(self.labels)
            if token not in self.gone
            and (
                label == "aux"
                or (
                    label == "mark" and (self.plain[token] in ("to", "zu") or self.labels[self.heads[token]] != "advcl")
                )
                or (label == "case" and self.pos[token] != "ADP")
            )
        )

    def _adpositions(self) -> None:
        for token, label in enumerate(self.labels):
            introduces = label == "case" or (label == "mark" and self.labels[self.heads[token]] == "advcl")
            if introduces and token not in self.gone and self.heads[token] >= 0:
                below = self._raise(token)
                for child in self._children(below):  # "in A and in B" joins what the prepositions head
                    own = {self.labels[each] for each in self._children(child)}
                    if self.labels[child] == "cc" or (self.labels[child] == "conj" and own & {"case", "mark"}):
                        self.heads[child] = token

    def _coordination(self) -> None:
        for first in range(len(self.heads)):
            if first in self.gone:
                continue
            joined = [at for at in self._children(first) if self.labels[at] == "conj"]
            conjunctions = [at for each in (first, *joined) for at in self._children(each) if self.labels[at] == "cc"]
            if not conjunctions:
                continue
            top = conjunctions[-1]
            self.heads[top], self.labels[top] = self.heads[first], self.labels[first]
            for each in (first, *joined):
                self.heads[each], self.labels[each] = top, "conjunct"
            self._drop(conjunctions[:-1])
