"""Guessing missing grammatical functions: Naive Bayes over the attributes of the dependent.

The classifier of Bryl, van Genabith and Graham (2009) asks how often dependents bear a function, what attributes such
dependents have, and, where a function is in the parent already, how often it is set-valued: several adjuncts are
normal, two subjects are not. Four variants see more and more: `none` (the most frequent function), `case` (its value
alone), `names` (which attributes there are) and `names+values` (their atoms, too). Several missing labels of a parent
are guessed one by one, each seeing the guesses before it, or jointly. The joint optimum is an assignment problem: a
function that the parent lacks offers one place at its full worth and more at the price of being set-valued, so that the
best assignment of dependents to places is the best labelling, whatever the order of the dependents.

    >>> from dragoman.annotations.fstructure import FStructure
    >>> from dragoman.annotations.functions import broken_at, cases
    >>> structure = FStructure.from_dict({"nodes": [
    ...     [["PRED", {"pred": "see"}], ["SUBJ", {"node": 1}], ["OBJ", {"node": 2}]],
    ...     [["PRED", {"pred": "dog"}], ["CASE", "nom"]],
    ...     [["PRED", {"pred": "cat"}], ["CASE", "acc"]],
    ... ]})
    >>> guesser = FunctionGuesser.train([structure])
    >>> [found.function for found in guesser.guess_all(broken_at(structure, cases(structure)))]
    ['SUBJ', 'OBJ']
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.annotations.fstructure import FStructure
from dragoman.annotations.functions import (
    LEFT_OUT,
    UNKNOWN,
    WORD_ATTRIBUTES,
    Description,
    FunctionCase,
    broken_sentence,
    by_parent,
    cases,
    described,
    labelled_sentence,
    restored,
)
from dragoman.annotations.sentence import Sentence
from dragoman.errors import FormatError, InputError, SettingError
from dragoman.files import read_lines, writing
from dragoman.plain_data import parse_json
from dragoman.settings import check_argument

__all__ = ["VARIANTS", "FunctionCounts", "FunctionGuesser", "GuessedFunction", "joint_choice", "one_by_one"]

VARIANTS = ("none", "case", "names", "names+values")
_CASES = ("CASE", "Case")
_FORMAT = "dragoman functions 1"

Floats = NDArray[np.float64]


class GuessedFunction(NamedTuple):
    """A case whose function was missing, and the posterior probability of the guess, its siblings being as they are."""

    case: FunctionCase
    probability: float

    @property
    def function(self) -> str:
        return self.case.function


@dataclass
class FunctionCounts:
    """What training counts: nothing here depends on smoothing or on the variant, so that those may change later."""

    functions: Counter[str] = field(default_factory=Counter)
    """Dependents that bear each function."""
    parents: int = 0
    bearing: Counter[str] = field(default_factory=Counter)
    """Parents that have each function."""
    repeating: Counter[str] = field(default_factory=Counter)
    """Parents that have it more than once."""
    names: dict[str, Counter[str]] = field(default_factory=dict)
    """By attribute name, dependents of each function that have it."""
    values: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    """By attribute name and atomic value."""

    def add(self, structure: FStructure, *, flat: bool, words: Collection[str], left_out: Collection[str]) -> None:
        for found in by_parent(cases(structure, left_out=left_out)).values():
            self.parents += 1
            borne = Counter(case.function for case in found if case.function != UNKNOWN)
            self.functions.update(borne)
            self.bearing.update(borne.keys())
            self.repeating.update(function for function, count in borne.items() if count > 1)
            for case in found:
                if case.function == UNKNOWN:
                    continue
                seen = described(structure, case.dependent, flat=flat, words=words)
                for name in seen.names:
                    self.names.setdefault(name, Counter())[case.function] += 1
                for name, value in seen.values.items():
                    self.values.setdefault(name, {}).setdefault(value, Counter())[case.function] += 1


class _Tables(NamedTuple):
    """Logarithms by function."""

    absent: Floats
    """Prior, and every name of the model absent."""
    present: Mapping[str, Floats]
    """What changes where a name is there."""
    values: Mapping[tuple[str, str], Floats]
    repeated: Floats
    """The price of bearing a function that the parent has already."""


@dataclass(frozen=True)
class FunctionGuesser:
    """Counts, and how to read them."""

    counts: FunctionCounts
    features: str = "names+values"
    alpha: float = 1.0
    """Added to every count, so that one unseen value vetoes nothing."""
    values: str = "categorical"
    """A value is one event where its attribute is there; or `binary`: each NAME=value is there or not."""
    set_valued: str = "conditional"
    """Repetition among parents that have the function; or `marginal`: among all parents."""
    flat: bool = True
    words: frozenset[str] = WORD_ATTRIBUTES
    left_out: frozenset[str] = LEFT_OUT

    def __post_init__(self) -> None:
        check_argument("features", self.features, choices=VARIANTS)
        check_argument("values", self.values, choices=("categorical", "binary"))
        check_argument("set_valued", self.set_valued, choices=("conditional", "marginal"))
        check_argument("alpha", self.alpha, float, least=0)
        if not self.counts.functions:
            raise InputError("no functions to learn from", remedy="give f-structures whose dependents have predicates")
        if len(self.counts.functions) == 1:
            warnings.warn("training has a single function: it will be every guess", UserWarning, stacklevel=3)

    @classmethod
    def train(cls, structures: Iterable[FStructure], **settings: Any) -> FunctionGuesser:
        """Count the functions of structures; `settings` are the fields of a guesser."""
        counts = FunctionCounts()
        flat = settings.get("flat", True)
        words, left_out = settings.get("words", WORD_ATTRIBUTES), settings.get("left_out", LEFT_OUT)
        for structure in structures:
            counts.add(structure, flat=flat, words=words, left_out=left_out)
        return cls(counts, **settings)

    def with_settings(self, **changes: Any) -> FunctionGuesser:
        """The same counts, read otherwise."""
        unknown = set(changes) - {"features", "alpha", "values", "set_valued"}
        if unknown:
            raise SettingError(f"{min(unknown)!r} cannot change after training", remedy="train again")
        return replace(self, **changes)

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """All functions, the most frequent first, equal ones by the alphabet: ties are decided in this order."""
        return tuple(sorted(self.counts.functions, key=lambda name: (-self.counts.functions[name], name)))

    @cached_property
    def _tables(self) -> _Tables:
        names, counts, alpha = self.functions, self.counts, self.alpha
        bearers = np.array([counts.functions[name] for name in names], dtype=np.float64)
        absent = _log(bearers, bearers.sum())
        present: dict[str, Floats] = {}
        if self.features in ("names", "names+values"):
            for name in sorted(counts.names):
                have = _row(counts.names[name], names)
                no = _log(bearers - have + alpha, bearers + 2 * alpha)
                absent = absent + no
                present[name] = _log(have + alpha, bearers + 2 * alpha) - no
        values: dict[tuple[str, str], Floats] = {}
        chosen = {"case": _CASES, "names+values": tuple(sorted(counts.values))}.get(self.features, ())
        for name in (each for each in chosen if each in counts.values):
            found = {value: _row(seen, names) for value, seen in sorted(counts.values[name].items())}
            every = sum(found.values(), np.zeros(len(names)))
            for value, seen in found.items():
                if self.values == "categorical":
                    values[name, value] = _log(seen + alpha, every + alpha * len(found))
                else:
                    no = _log(bearers - seen + alpha, bearers + 2 * alpha)
                    absent = absent + no
                    values[name, value] = _log(seen + alpha, bearers + 2 * alpha) - no
        parents = np.array([counts.bearing[name] for name in names], dtype=np.float64)
        if self.set_valued == "marginal":
            parents = np.full(len(names), float(counts.parents))
        repeated = _log(_row(counts.repeating, names) + alpha, parents + 2 * alpha)
        return _Tables(absent, present, values, np.minimum(repeated, 0.0))

    def log_worth(self, dependent: Description) -> Floats:
        """By function, the logarithm of prior times likelihood; what training never saw says nothing."""
        tables = self._tables
        worth = tables.absent.copy()
        for name in sorted(dependent.names):
            if name in tables.present:
                worth += tables.present[name]
        for pair in dependent.values.items():
            if pair in tables.values:
                worth += tables.values[pair]
        return worth

    def posterior(self, dependent: Description, present: Collection[str] = ()) -> dict[str, float]:
        """The probability of each function, likeliest first, beside siblings that bear those in `present`."""
        worth = self.log_worth(dependent) + self._has(present) * self._tables.repeated
        shares = np.exp(worth - worth.max())
        shares /= shares.sum()
        order = np.argsort(-shares, kind="stable")
        return {self.functions[at]: float(shares[at]) for at in order}

    def describe(self, structure: FStructure, node: int) -> Description:
        """What this guesser sees of a dependent."""
        return described(structure, node, flat=self.flat, words=self.words)

    def guess_parent(
        self, dependents: Sequence[Description], present: Collection[str] = (), *, joint: bool = True
    ) -> list[str]:
        """The functions of all dependents of one parent that miss theirs, beside those that it has."""
        if not dependents:
            return []
        worth = np.stack([self.log_worth(each) for each in dependents])
        choose = joint_choice if joint else one_by_one
        chosen = choose(worth, self._has(present).astype(bool), self._tables.repeated)
        return [self.functions[at] for at in chosen]

    def guess_all(
        self, structure: FStructure, *, joint: bool = True, use_guessed_children: bool = True
    ) -> list[GuessedFunction]:
        """A guess for every missing function of a structure, by parent and in the order of the file.

        Parents are taken from below, so that guesses for a dependent's own dependents are among its attributes, unless
        `use_guessed_children` is off.
        """
        current = structure
        guesses: dict[tuple[int, int], GuessedFunction] = {}
        groups = by_parent(cases(structure, left_out=self.left_out))
        for parent in _from_below(structure):
            found = groups.get(parent, [])
            gaps = [case for case in found if case.function == UNKNOWN]
            if not gaps:
                continue
            known = [case.function for case in found if case.function != UNKNOWN]
            seen = [self.describe(current, case.dependent) for case in gaps]
            labels = self.guess_parent(seen, known, joint=joint)
            made = [case._replace(function=label) for case, label in zip(gaps, labels, strict=True)]
            for at, (case, description) in enumerate(zip(made, seen, strict=True)):
                others = [*known, *labels[:at], *labels[at + 1 :]]
                chance = self.posterior(description, others)[case.function]
                guesses[parent, case.dependent] = GuessedFunction(case, chance)
            if use_guessed_children:
                current = restored(current, made)
        return [guesses[key] for key in sorted(guesses)]

    def fill(self, structure: FStructure, *, joint: bool = True, use_guessed_children: bool = True) -> FStructure:
        """The structure with all missing functions guessed."""
        found = self.guess_all(structure, joint=joint, use_guessed_children=use_guessed_children)
        return restored(structure, [guess.case for guess in found])

    def fill_sentence(self, sentence: Sentence, *, unknown: Collection[str] = ("_",), joint: bool = True) -> Sentence:
        """The sentence with a relation in the place of each that says nothing."""
        found = self.guess_all(broken_sentence(sentence, unknown=unknown), joint=joint)
        return labelled_sentence(sentence, [guess.case for guess in found])

    def _has(self, present: Collection[str]) -> Floats:
        return np.array([name in present for name in self.functions], dtype=np.float64)

    def save(self, path: Path | str) -> None:
        """Write the counts and settings as JSON."""
        counts = self.counts
        plain = {
            "format": _FORMAT,
            "settings": {
                "features": self.features,
                "alpha": self.alpha,
                "values": self.values,
                "set_valued": self.set_valued,
                "flat": self.flat,
                "words": sorted(self.words),
                "left_out": sorted(self.left_out),
            },
            "parents": counts.parents,
            "functions": counts.functions,
            "bearing": counts.bearing,
            "repeating": counts.repeating,
            "names": counts.names,
            "values": counts.values,
        }
        with writing(path) as file:
            file.write(json.dumps(plain, ensure_ascii=False, sort_keys=True) + "\n")

    @classmethod
    def load(cls, path: Path | str) -> FunctionGuesser:
        """Read what `save` wrote."""
        remedy = "train one with `dragoman functions train`"
        plain = parse_json("\n".join(read_lines(path)), where=str(path), remedy=remedy)
        if not isinstance(plain, dict) or plain.get("format") != _FORMAT:
            raise FormatError("not a model of functions", where=str(path), remedy=remedy)
        try:
            settings = dict(plain["settings"])
            counts = FunctionCounts(
                Counter(plain["functions"]),
                int(plain["parents"]),
                Counter(plain["bearing"]),
                Counter(plain["repeating"]),
                {name: Counter(found) for name, found in plain["names"].items()},
                {
                    name: {value: Counter(found) for value, found in values.items()}
                    for name, values in plain["values"].items()
                },
            )
            for name in ("words", "left_out"):
                settings[name] = frozenset(settings[name])
            return cls(counts, **settings)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise FormatError(f"damaged ({type(error).__name__}: {error})", where=str(path), remedy=remedy) from None


def one_by_one(worth: Floats, present: NDArray[np.bool_], repeated: Floats) -> list[int]:
    """For each dependent (row) in turn the best function (column), those chosen before being in the parent by then."""
    there = present.copy()
    chosen = []
    for row in worth:
        best = int(np.argmax(row + np.where(there, repeated, 0.0)))
        chosen.append(best)
        there[best] = True
    return chosen


def joint_choice(worth: Floats, present: NDArray[np.bool_], repeated: Floats) -> list[int]:
    """The functions of all dependents together that are worth most, exactly, by linear assignment."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = worth.shape
    if rows == 1:
        return one_by_one(worth, present, repeated)
    first = np.where(present, worth + repeated, worth)  # the first place of a function that is there costs the same
    places = [first] + [worth + repeated] * (rows - 1)
    _, found = linear_sum_assignment(np.concatenate(places, axis=1), maximize=True)
    return [int(place) % columns for place in found]


def _from_below(structure: FStructure) -> list[int]:
    """Nodes so that each comes after those below it, as far as the structure has a below."""
    below = by_parent(cases(structure, left_out=()))
    seen: set[int] = set()
    order: list[int] = []
    for start in range(len(structure.nodes)):
        agenda = [(start, False)]
        while agenda:
            node, done = agenda.pop()
            if done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                agenda.append((node, True))
                agenda += [(case.dependent, False) for case in reversed(below.get(node, []))]
    return order


def _row(counts: Mapping[str, int], names: Sequence[str]) -> Floats:
    return np.array([counts.get(name, 0) for name in names], dtype=np.float64)


def _log(part: Floats, whole: Floats | float) -> Floats:
    """Logarithms of shares; what is impossible is only very bad, so that sums and assignments stay defined."""
    shares = np.divide(part, whole, out=np.zeros_like(part), where=np.asarray(whole) > 0)
    return np.log(np.maximum(shares, 1e-300))
