"""One word in context: which translation suits a marked word, best and out of ten.

Two systems (Aziz and Specia 2010). `DecodedSubstitution` asks a translation system how it translates the word in the
best translations of the sentence, keeps what a dictionary has too, and falls back on the dictionary (WLVusp).
`ContextSubstitution` ranks candidates, by mutual information from a bitext or from a dictionary or table, by what the
word itself and the words around it say, and by what the first system answered; its weights are learned from pairs
(USPwlv). Translation systems come as a callable, so that any will do: `dragoman.search.head_translations` makes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import FormatError, InputError, SettingError
from dragoman.files import writing
from dragoman.grammar.table import RuleTable
from dragoman.plain_data import read_toml
from dragoman.semantics.mutual_information import MutualInformation, tag_of, without_tag
from dragoman.semantics.pair_ranking import PairRanker
from dragoman.semantics.substitution_files import GivenAnswers, Instance, RightAnswers
from dragoman.semantics.substitution_scoring import TASKS
from dragoman.settings import check_argument

__all__ = [
    "FEATURES",
    "OUT_OF",
    "AnswerSources",
    "ContextSubstitution",
    "DecodedSubstitution",
    "DictionarySubstitution",
    "Heads",
    "repeat_answers",
    "table_candidates",
]

Heads = Callable[[Instance], Sequence[str]]
"""How a translation system translates the marked word, in the order of its translations of the sentence."""

OUT_OF = 10
"""Answers of the second task."""

FEATURES = ("own", "all", "others", "best", "ten")
"""What a candidate is ranked by: mutual information with the word, mean over the words around it with and without it,
whether it is the best answer of the first system, and whether it is among the ten."""


class _Dictionary:
    """Translations by item (`bank.n`) or, failing that, by lemma; compared in lower case."""

    def __init__(self, entries: Mapping[str, Sequence[str]]) -> None:
        self._entries = {word.lower(): tuple(dict.fromkeys(listed)) for word, listed in entries.items()}

    def of(self, instance: Instance) -> tuple[str, ...]:
        return self._entries.get(instance.item.lower()) or self._entries.get(instance.lemma.lower(), ())


@dataclass(frozen=True, slots=True)
class AnswerSources:
    """Where answers came from."""

    decoded: int
    """From the translation system."""
    dictionary: int
    unfiltered: int
    """From the translation system, of items that the dictionary does not have."""
    short: int
    """Items with fewer than ten answers."""
    items: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "decoded": self.decoded,
            "dictionary": self.dictionary,
            "unfiltered": self.unfiltered,
            "short": self.short,
            "items": self.items,
        }


@dataclass(frozen=True, slots=True)
class DictionarySubstitution:
    """The first entries of a dictionary: the baseline."""

    dictionary: Mapping[str, Sequence[str]] = field(repr=False)

    def answer(self, instances: Sequence[Instance], task: str = "best") -> GivenAnswers:
        """The first entry, or the first ten."""
        known = _Dictionary(self.dictionary)
        return {each.key: known.of(each)[: _size(task)] for each in instances}


@dataclass(frozen=True, slots=True)
class DecodedSubstitution:
    """What a translation system says, as far as a dictionary agrees, then the dictionary."""

    heads: Heads = field(repr=False)
    dictionary: Mapping[str, Sequence[str]] = field(repr=False)

    def answer(self, instances: Sequence[Instance], task: str = "best") -> GivenAnswers:
        """Answers to each instance; none where neither knows the word."""
        return self.answer_with_sources(instances, task)[0]

    def answer_with_sources(
        self, instances: Sequence[Instance], task: str = "best"
    ) -> tuple[GivenAnswers, AnswerSources]:
        """Answers, and where they came from."""
        size = _size(task)
        known = _Dictionary(self.dictionary)
        answers: GivenAnswers = {}
        decoded = unfiltered = entries = 0
        for instance in instances:
            heads = list(dict.fromkeys(without_tag(head) for head in self.heads(instance)))
            listed = known.of(instance)
            if not listed:
                answers[instance.key] = tuple(heads[:size])
                unfiltered += len(answers[instance.key])
                continue
            spelt = {entry.lower(): entry for entry in reversed(listed)}
            tried = heads[:1] if task == "best" else heads
            found = list(dict.fromkeys(spelt[head.lower()] for head in tried if head.lower() in spelt))[:size]
            decoded += len(found)
            more = [entry for entry in listed if entry not in found][: size - len(found)]
            entries += len(more)
            answers[instance.key] = (*found, *more)
        short = sum(len(each) < OUT_OF for each in answers.values())
        return answers, AnswerSources(decoded, entries, unfiltered, short, len(answers))


def _size(task: str) -> int:
    check_argument("task", task, choices=TASKS)
    return 1 if task == "best" else OUT_OF


@dataclass(frozen=True, slots=True)
class ContextSubstitution:
    """Candidates ranked by what the sentence says about them."""

    information: MutualInformation = field(repr=False)
    first: DecodedSubstitution | None = field(default=None, repr=False)
    """The system whose answers are features."""
    candidates: Mapping[str, Sequence[str]] | None = field(default=None, repr=False)
    """Of each word, from a dictionary or a table; by mutual information if there are none."""
    features: tuple[str, ...] = FEATURES
    weights: tuple[float, ...] = ()
    size: int = 50
    """Most candidates of a word."""
    window: int = 5

    def __post_init__(self) -> None:
        for name in self.features:
            check_argument("features", name, choices=FEATURES)
        if self.weights and len(self.weights) != len(self.features):
            raise SettingError(f"{len(self.weights)} weights for {len(self.features)} features")
        if self.first is None and {"best", "ten"} & set(self.features):
            raise SettingError(
                "answers of a translation system are features, and there is none",
                remedy="give one, or choose from own, all, others",
            )

    def listed(self, instance: Instance) -> list[str]:
        """Candidates for the translation of a marked word, as the model has them."""
        if self.candidates is None:
            return [entry.phrase for entry in self.information.dictionary(self._head(instance), size=self.size)]
        tag = tag_of(instance.item) if self.information.native.tagged else ""
        listed = _Dictionary(self.candidates).of(instance)[: self.size]
        return [f"{each}.{tag}" if tag and not tag_of(each) else each for each in listed]

    def _head(self, instance: Instance) -> str:
        if self.information.native.tagged:
            return instance.item
        form = instance.words[instance.head]
        return form if self.information.native.count(form, target=False) else instance.lemma

    def measured(self, instances: Sequence[Instance]) -> list[tuple[list[str], NDArray[np.float64]]]:
        """Candidates of each instance with their features."""
        best: GivenAnswers = {}
        ten: GivenAnswers = {}
        if self.first is not None and {"best", "ten"} & set(self.features):
            best, ten = self.first.answer(instances), self.first.answer(instances, "oot")
        found = []
        for instance in instances:
            listed = self.listed(instance)
            words = list(instance.words)
            words[instance.head] = self._head(instance)
            scores = self.information.context(words, instance.head, listed, window=self.window)
            lemmas = [without_tag(each).lower() for each in listed]
            columns = {
                "own": scores.own,
                "all": scores.all,
                "others": scores.others,
                "best": _among(lemmas, best.get(instance.key, ())[:1]),
                "ten": _among(lemmas, ten.get(instance.key, ())),
            }
            found.append((listed, np.stack([columns[name] for name in self.features], axis=1)))
        return found

    def fit(
        self, instances: Sequence[Instance], gold: RightAnswers, ranker: PairRanker | None = None
    ) -> ContextSubstitution:
        """The system with weights learned from instances with right answers."""
        groups = []
        for instance, (listed, rows) in zip(instances, self.measured(instances), strict=True):
            votes = {answer.lower(): count for answer, count in gold.get(instance.key, {}).items()}
            if listed and votes:
                groups.append((rows, [votes.get(without_tag(each).lower(), 0) for each in listed]))
        if not groups:
            raise InputError("no instance has candidates and right answers", remedy="do the files belong together?")
        return replace(self, weights=tuple((ranker or PairRanker()).fit(groups).tolist()))

    def answer(self, instances: Sequence[Instance], task: str = "best") -> GivenAnswers:
        """The candidate with the highest score, or the ten highest."""
        size = _size(task)
        weights = np.array(self.weights or [1.0] * len(self.features))
        answers: GivenAnswers = {}
        for instance, (listed, rows) in zip(instances, self.measured(instances), strict=True):
            scores = rows @ weights
            order = sorted(range(len(listed)), key=lambda at: (-scores[at], at))
            answers[instance.key] = tuple(dict.fromkeys(without_tag(listed[at]) for at in order))[:size]
        return answers

    def save_weights(self, path: Path | str) -> None:
        """Features and their weights, as TOML."""
        with writing(path) as file:
            file.write(
                "".join(f"{name} = {weight!r}\n" for name, weight in zip(self.features, self.weights, strict=True))
            )

    def with_weights(self, path: Path | str) -> ContextSubstitution:
        """The system with the features and weights of a file."""
        found = read_toml(path, remedy="write lines like `own = 0.2`")
        if not found or not all(isinstance(value, int | float) and name in FEATURES for name, value in found.items()):
            raise FormatError("not features and their weights", where=str(path), remedy="learn them again")
        return replace(self, features=tuple(found), weights=tuple(map(float, found.values())))


def _among(candidates: Sequence[str], answers: Sequence[str]) -> NDArray[np.float64]:
    taken = {answer.lower() for answer in answers}
    return np.array([float(each in taken) for each in candidates])


def table_candidates(table: RuleTable, instances: Sequence[Instance], *, size: int = 50) -> dict[str, list[str]]:
    """Candidates of the items of instances: what a table translates their words to by themselves, in its order."""
    found: dict[str, list[str]] = {}
    for instance in instances:
        listed = found.setdefault(instance.item, [])
        for word in dict.fromkeys([instance.item, instance.words[instance.head], instance.lemma]):
            listed += [rule.target_text for rule in table.lookup(word) if rule.target_text not in listed]
    return {item: listed[:size] for item, listed in found.items() if listed}


def repeat_answers(answers: Mapping[tuple[str, str], Sequence[str]], count: int) -> GivenAnswers:
    """The first `count` answers dealt into ten places in turn: what the score of ten rewards.

    >>> repeat_answers({("bank.n", "1"): ["banco", "orilla", "ribera"]}, 2)[("bank.n", "1")][:3]
    ('banco', 'orilla', 'banco')
    """
    return {
        key: tuple(given[at % min(count, len(given))] for at in range(OUT_OF)) if given else ()
        for key, given in answers.items()
    }
