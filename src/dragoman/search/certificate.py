"""Certificates of exact decoding, and a verifier that trusts nobody.

A certificate states a problem (the options of a sentence with their scores, the price and the limits of jumps, which
language models under which weights), an answer (a derivation, its score, a bound that no derivation exceeds) and what
proves it: for each place of the search space, what is covered and where the last phrase ended, the contexts of target
words that must be told apart there. From these the verifier builds the bound anew, with nothing of the search that
found it: every derivation is scored as if only the longest listed context were known before each phrase, and the words
before it were the best that language models could wish for. If the best of all derivations under that is no better than
the answer, neither is any derivation under the model. (Aziz, Dymetman and Specia 2014.)

    verify(read_certificate("s1.json"), decoder.language_models).valid
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dragoman.errors import FormatError
from dragoman.features.language_model import LanguageModel
from dragoman.lm import Bounds

__all__ = ["Certificate", "JumpCosts", "ModelUse", "StatedOption", "Verdict", "read_certificate", "verify"]

_FORMAT, _VERSION = "dragoman exact phrase-based decoding", 1
_TOLERANCE = 1e-6
BEGIN, END = "<s>", "</s>"


@dataclass(frozen=True, slots=True)
class StatedOption:
    """An option: a span of the source, what it becomes, and what its rule scores."""

    start: int
    end: int
    target: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class ModelUse:
    """A language model by name, with its weight and order."""

    name: str
    weight: float
    order: int


@dataclass(frozen=True, slots=True)
class JumpCosts:
    """The price of a word that is jumped over, and which jumps are allowed (-1: all)."""

    weight: float
    limit: int
    final_jump: bool


@dataclass(frozen=True)
class Certificate:
    """A problem, an answer, and its proof; see the formats page for the JSON."""

    source: tuple[str, ...]
    options: tuple[StatedOption, ...]
    jumps: JumpCosts
    language_models: tuple[ModelUse, ...]
    derivation: tuple[int, ...]
    """Options, in target order."""
    score: float
    bound: float
    contexts: tuple[tuple[tuple[int, ...], int, tuple[str, ...]], ...]
    """Covered positions, end of the last phrase, target words known."""

    @property
    def target(self) -> tuple[str, ...]:
        return tuple(word for option in self.derivation for word in self.options[option].target)

    def to_dict(self) -> dict[str, Any]:
        return {"format": _FORMAT, "version": _VERSION, **asdict(self)}

    def save(self, path: Path | str) -> None:
        Path(path).write_text(json.dumps(self.to_dict(), ensure_ascii=False), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong with a certificate, if anything; score and bound as the verifier finds them."""

    problems: tuple[str, ...]
    score: float
    bound: float

    @property
    def valid(self) -> bool:
        return not self.problems

    @property
    def gap(self) -> float:
        """No derivation is better than the answer by more than this."""
        return self.bound - self.score


def read_certificate(path: Path | str) -> Certificate:
    """Read a certificate; refuses what is none."""
    remedy = "write it with `dragoman translate --search exact --certificate`"
    try:
        given = json.loads(Path(path).read_text(encoding="utf-8"))
        if given["format"] != _FORMAT or given["version"] != _VERSION:
            raise FormatError("a file of another format or version", where=str(path), remedy=remedy)
        return Certificate(
            tuple(map(str, given["source"])),
            tuple(
                StatedOption(int(c["start"]), int(c["end"]), tuple(c["target"]), float(c["score"]))
                for c in given["options"]
            ),
            JumpCosts(
                float(given["jumps"]["weight"]), int(given["jumps"]["limit"]), bool(given["jumps"]["final_jump"])
            ),
            tuple(ModelUse(str(m["name"]), float(m["weight"]), int(m["order"])) for m in given["language_models"]),
            tuple(map(int, given["derivation"])),
            float(given["score"]),
            float(given["bound"]),
            tuple((tuple(map(int, c[0])), int(c[1]), tuple(map(str, c[2]))) for c in given["contexts"]),
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise FormatError(f"no certificate: {error!r}", where=str(path), remedy=remedy) from error


def verify(
    certificate: Certificate, language_models: Sequence[LanguageModel], *, bounds: Sequence[Bounds] | None = None
) -> Verdict:
    """Check a certificate against language models; `bounds` are theirs, if they are known already."""
    return _Verifier(certificate, language_models, bounds).verdict()


Reached = tuple[frozenset[int], int]
Words = tuple[str, ...]


class _Verifier:
    """One check: the answer by the definition of the score, the bound by dynamic programming."""

    def __init__(
        self, certificate: Certificate, language_models: Sequence[LanguageModel], bounds: Sequence[Bounds] | None
    ) -> None:
        self.given = certificate
        self.length = len(certificate.source)
        self.problems: list[str] = []
        by_name = {use.name: use for use in language_models}
        made = {} if bounds is None else {use.name: each for use, each in zip(language_models, bounds, strict=True)}
        self.models: list[_Model] = []
        for use in certificate.language_models:
            found = by_name.get(use.name)
            if found is None:
                self.problems.append(f"no language model is called {use.name!r}")
            elif found.model.order != use.order:
                self.problems.append(f"{use.name!r} is of order {found.model.order}, not {use.order}")
            else:
                self.models.append(_Model(found, use.weight, made.get(use.name)))
        self.known: defaultdict[Reached, set[Words]] = defaultdict(set)
        for covered, end, words in certificate.contexts:
            self.known[frozenset(covered), end].add(words)
        self.scores: dict[tuple[Words, Words], float] = {}

    def verdict(self) -> Verdict:
        self._check_options()
        self._check_contexts()
        if self.problems:
            return Verdict(tuple(self.problems), float("nan"), float("nan"))
        score, bound = self._score(), self._bound()
        if not self.problems and abs(score - self.given.score) > _TOLERANCE * (1 + abs(score)):
            self.problems.append(f"the derivation scores {score:.6f}, not {self.given.score:.6f}")
        if bound > self.given.bound + _TOLERANCE * (1 + abs(bound)):
            self.problems.append(f"the contexts prove a bound of {bound:.6f}, not {self.given.bound:.6f}")
        return Verdict(tuple(self.problems), score, bound)

    def _check_options(self) -> None:
        for number, option in enumerate(self.given.options):
            if not 0 <= option.start < option.end <= self.length:
                self.problems.append(f"option {number} has no span of the sentence")
        if any(not 0 <= option < len(self.given.options) for option in self.given.derivation):
            self.problems.append("the derivation has steps that are no options")

    def _check_contexts(self) -> None:
        """Each must hold for a place: shorter ones are there as well, and the beginning is where a text begins."""
        for (covered, end), contexts in self.known.items():
            if covered and (max(covered) >= self.length or min(covered) < 0 or end - 1 not in covered):
                self.problems.append(f"no place covers {sorted(covered)} and ends at {end}")
            for words in contexts:
                if not words or (len(words) > 1 and words[1:] not in contexts):
                    self.problems.append(f"a context without its shorter one: {' '.join(words)}")
                if BEGIN in words[1:] or END in words:
                    self.problems.append(f"no context: {' '.join(words)}")

    def _allowed(self, covered: frozenset[int], end: int, option: StatedOption) -> bool:
        if any(position in covered for position in range(option.start, option.end)):
            return False
        gap = next(position for position in range(self.length) if position not in covered)
        limit = self.given.jumps.limit
        return (
            limit < 0
            or option.start == gap
            or (option.start > gap and abs(option.start - end) <= limit and option.end - gap <= limit)
        )

    def _final(self, end: int) -> float:
        return -self.given.jumps.weight * abs(self.length - end) if self.given.jumps.final_jump else 0.0

    def _score(self) -> float:
        """The derivation's own: whole histories, nothing left out."""
        covered: frozenset[int] = frozenset()
        end, total = 0, 0.0
        history: Words = (BEGIN,)
        for number in self.given.derivation:
            option = self.given.options[number]
            if not self._allowed(covered, end, option):
                self.problems.append(f"option {number} may not stand where the derivation has it")
                return float("nan")
            total += option.score - self.given.jumps.weight * abs(option.start - end)
            total += sum(model.exact(history, option.target) for model in self.models)
            history += option.target
            covered |= frozenset(range(option.start, option.end))
            end = option.end
        if len(covered) != self.length:
            self.problems.append("the derivation leaves words untranslated")
        return total + self._final(end) + sum(model.exact(history, (END,)) for model in self.models)

    def _most(self, context: Words, words: Words) -> float:
        key = context, words
        if key not in self.scores:
            self.scores[key] = sum(model.most(context, words) for model in self.models)
        return self.scores[key]

    def _longest(self, place: Reached, words: Words) -> Words:
        known = self.known.get(place)
        if known:
            for start in range(max(0, len(words) - self._reach), len(words)):
                if words[start:] in known:
                    return words[start:]
        return ()

    @cached_property
    def _reach(self) -> int:
        return max((len(words) for *_, words in self.given.contexts), default=0)

    def _bound(self) -> float:
        """The best that any derivation can reach, by the number of covered words."""
        layers: list[dict[tuple[Reached, Words], float]] = [{} for _ in range(self.length + 1)]
        layers[0][(frozenset(), 0), (BEGIN,)] = 0.0
        best = -float("inf")
        for count, layer in enumerate(layers):
            for ((covered, end), context), reached in layer.items():
                if count == self.length:
                    best = max(best, reached + self._final(end) + self._most(context, (END,)))
                    continue
                for option in self.given.options:
                    if not self._allowed(covered, end, option):
                        continue
                    after = covered.union(range(option.start, option.end)), option.end
                    score = reached + option.score - self.given.jumps.weight * abs(option.start - end)
                    score += self._most(context, option.target)
                    head = after, self._longest(after, context + option.target)
                    into = layers[len(after[0])]
                    if score > into.get(head, -float("inf")):
                        into[head] = score
        return best


class _Model:
    """What a language model says of words after a context: exactly, or at most."""

    def __init__(self, use: LanguageModel, weight: float, bounds: Bounds | None) -> None:
        self.use, self.weight = use, weight
        self.bounds = bounds or Bounds.of(use.model.list_ngrams(), use.model)
        self.reach = use.model.order - 1

    def exact(self, history: Words, words: Words) -> float:
        model = self.use.model
        said = self.use.said(history)
        state = model.begin_state() if said[0] == BEGIN else model.empty_state()
        for word in said[1:] if said[0] == BEGIN else said:
            _, state = model.step(state, word)
        total = 0.0
        for word in self.use.said(words):
            score, state = model.step(state, word)
            total += score
        return self.weight * total

    def most(self, context: Words, words: Words) -> float:
        said = self.use.said(context + words)
        total = 0.0
        for at in range(len(context), len(said)):
            near = " ".join(said[max(0, at - self.reach) : at]) if self.reach else ""
            lower, upper = self.bounds.range(near, said[at])
            total += upper if self.weight > 0 else lower
        return self.weight * total
