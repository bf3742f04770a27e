"""Certificates of exact decoding, and a verifier that trusts nobody.

A certificate states a problem (the options of a sentence with their scores, the price and the limits of jumps, which
language models under which weights, what other features say of options after others), an answer (a derivation, its
score, a bound that no derivation exceeds) and what proves it: for each place of the search space, what is covered and
where the last phrase ended, the contexts of target words that must be told apart there. From these the verifier builds
the bound anew, with nothing of the search that found it: every derivation is scored as if only the longest listed
context were known before each phrase, and the words before it were the best that language models could wish for. If
the best of all derivations under that is no better than the answer, neither is any derivation under the model. Where
other features look back, their best is taken first, and only what could then reach the answer is gone through with
their states. (Aziz, Dymetman and Specia 2014.)

    read_certificate("s1.json").verify(decoder.language_models).valid
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from dragoman.features.language_model import LanguageModel
from dragoman.lm import Bounds
from dragoman.search.certified_models import (
    BEGIN,
    END,
    CertifiedModels,
    ModelUse,
    Verdict,
    Words,
    differences,
)
from dragoman.search.certified_states import REORDERING, PhraseStates, State, StatedFeature, covering

__all__ = ["FORMAT", "VERSION", "Certificate", "JumpCosts", "StatedOption"]

FORMAT, VERSION = "dragoman exact phrase-based decoding", 1


@dataclass(frozen=True, slots=True)
class StatedOption:
    """An option: a span of the source, what it becomes, and what its rule scores.

    `previous` and `next` have what the order with the phrase before and with that after it scores, where there is a
    model of that: monotone, swapped, to the left, to the right.
    """

    start: int
    end: int
    target: tuple[str, ...]
    score: float
    previous: tuple[float, ...] = ()
    next: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class JumpCosts:
    """The price of a word that is jumped over, and which jumps are allowed (-1: all).

    A limit of the kind `jump` is that of a jump, and of the way back to the first gap; one of the kind `window` is that
    of words from the first gap on.
    """

    weight: float
    limit: int
    final_jump: bool
    kind: str = "jump"


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
    reordering: str = "none"
    features: tuple[StatedFeature, ...] = ()

    @property
    def target(self) -> tuple[str, ...]:
        return tuple(word for option in self.derivation for word in self.options[option].target)

    def to_dict(self) -> dict[str, Any]:
        return {"format": FORMAT, "version": VERSION, **asdict(self)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Certificate:
        jumps = given["jumps"]
        return cls(
            tuple(map(str, given["source"])),
            tuple(
                StatedOption(
                    int(c["start"]),
                    int(c["end"]),
                    tuple(map(str, c["target"])),
                    float(c["score"]),
                    tuple(map(float, c["previous"])),
                    tuple(map(float, c["next"])),
                )
                for c in given["options"]
            ),
            JumpCosts(float(jumps["weight"]), int(jumps["limit"]), bool(jumps["final_jump"]), str(jumps["kind"])),
            tuple(map(ModelUse.from_dict, given["language_models"])),
            tuple(map(int, given["derivation"])),
            float(given["score"]),
            float(given["bound"]),
            tuple((tuple(map(int, c[0])), int(c[1]), tuple(map(str, c[2]))) for c in given["contexts"]),
            str(given["reordering"]),
            tuple(map(StatedFeature.from_dict, given["features"])),
        )

    def verify(self, language_models: Sequence[LanguageModel], *, bounds: Sequence[Bounds] | None = None) -> Verdict:
        """Check it against language models; `bounds` are theirs, if they are known already."""
        return _Verifier(self, CertifiedModels(self.language_models, language_models, bounds)).verdict()


Reached = tuple[int, int]
"""What is covered, bit by bit, and the end of the last phrase."""

Point = tuple[Reached, Words]
"""A place, and what is known of the words before it."""


class _Verifier:
    """One check: the answer by the definition of the score, the bound by dynamic programming."""

    def __init__(self, certificate: Certificate, models: CertifiedModels) -> None:
        self.given, self.models = certificate, models
        self.length = len(certificate.source)
        self.problems = list(models.problems)
        self.known: defaultdict[Reached, set[Words]] = defaultdict(set)
        self.by_span: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self.steps: dict[Reached, list[tuple[int, float, Reached]]] = {}

    def verdict(self) -> Verdict:
        self._check_options()
        self._check_contexts()
        if self.problems:
            return Verdict(tuple(self.problems), float("nan"), float("nan"))
        score = self._score()
        if self.problems:
            return Verdict(tuple(self.problems), score, float("nan"))
        bound = max(self._bound(score), score)
        stated = self.given
        self.problems += differences(score, bound, stated_score=stated.score, stated_bound=stated.bound)
        return Verdict(tuple(self.problems), score, bound)

    def _check_options(self) -> None:
        for number, option in enumerate(self.given.options):
            self.by_span[option.start, option.end].append(number)
            if not 0 <= option.start < option.end <= self.length:
                self.problems.append(f"option {number} has no span of the sentence")
            scores = (option.score, *option.previous, *option.next)
            if not all(map(math.isfinite, scores)):
                self.problems.append(f"option {number} has no score")
            if {len(option.previous), len(option.next)} - ({0} if self.given.reordering == "none" else {0, 4}):
                self.problems.append(f"option {number} has no score for each order")
        if self.given.jumps.kind not in ("jump", "window"):
            self.problems.append(f"no kind of limit: {self.given.jumps.kind!r}")
        if self.given.reordering not in REORDERING:
            self.problems.append(f"no kind of reordering: {self.given.reordering!r}")
        for feature in self.given.features:
            self.problems += feature.problems(len(self.given.options))
        if any(not 0 <= option < len(self.given.options) for option in self.given.derivation):
            self.problems.append("the derivation has steps that are no options")

    def _check_contexts(self) -> None:
        """Each must hold for a place: shorter ones are there as well, and the beginning is where a text begins."""
        for covered, end, words in self.given.contexts:
            if any(not 0 <= position < self.length for position in covered) or (covered and end - 1 not in covered):
                self.problems.append(f"no place covers {sorted(covered)} and ends at {end}")
            else:
                self.known[sum(1 << position for position in set(covered)), end].add(words)
        for contexts in self.known.values():
            for words in contexts:
                if not words or (len(words) > 1 and words[1:] not in contexts):
                    self.problems.append(f"a context without its shorter one: {' '.join(words)}")
                if BEGIN in words[1:] or END in words:
                    self.problems.append(f"no context: {' '.join(words)}")

    @cached_property
    def states(self) -> PhraseStates:
        return PhraseStates(self.given.reordering, self.given.options, self.given.features)

    def _allowed(self, covered: int, end: int, span: tuple[int, int]) -> bool:
        start, stop = span
        if covered & covering(start, stop):
            return False
        gap = (~covered & (covered + 1)).bit_length() - 1
        limit = self.given.jumps.limit
        if limit < 0 or start == gap:
            return True
        if self.given.jumps.kind == "window":
            return start < max(covered.bit_length(), gap) or stop <= gap + limit
        return start > gap and abs(start - end) <= limit and stop - gap <= limit

    def _steps(self, place: Reached) -> list[tuple[int, float, Reached]]:
        """Options that may follow, what each scores by itself and by its jump, and the place after it."""
        if place not in self.steps:
            covered, end = place
            self.steps[place] = [
                (
                    number,
                    self.given.options[number].score - self.given.jumps.weight * abs(span[0] - end),
                    (covered | covering(*span), span[1]),
                )
                for span, numbers in self.by_span.items()
                if self._allowed(covered, end, span)
                for number in numbers
            ]
        return self.steps[place]

    def _final(self, end: int) -> float:
        return -self.given.jumps.weight * abs(self.length - end) if self.given.jumps.final_jump else 0.0

    def _score(self) -> float:
        """The derivation's own: whole histories, nothing left out."""
        covered, end, total = 0, 0, 0.0
        history: Words = (BEGIN,)
        state = self.states.start
        for number in self.given.derivation:
            option = self.given.options[number]
            if not self._allowed(covered, end, (option.start, option.end)):
                self.problems.append(f"option {number} may not stand where the derivation has it")
                return float("nan")
            total += option.score - self.given.jumps.weight * abs(option.start - end)
            total += self.models.exact(history, option.target)
            score, state = self.states.extend(state, number, covered)
            total += score
            history += option.target
            covered |= covering(option.start, option.end)
            end = option.end
        if covered.bit_count() != self.length:
            self.problems.append("the derivation leaves words untranslated")
        return total + self._final(end) + self.models.exact(history, (END,)) + self.states.finish(state)

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

    def _bound(self, score: float) -> float:
        """The most that any derivation can reach, and the score of the answer where that is no more."""
        whole = (1 << self.length) - 1
        layers: list[dict[Point, list[tuple[int, float, Point]]]] = [{} for _ in range(self.length + 1)]
        layers[0][(0, 0), (BEGIN,)] = []
        for layer in layers[:-1]:
            for (place, context), edges in layer.items():
                for number, weight, after in self._steps(place):
                    target = self.given.options[number].target
                    head = after, self._longest(after, context + target)
                    weight += self.models.most(context, target)
                    edges.append((number, weight, head))
                    layers[after[0].bit_count()].setdefault(head, [])
        backward: dict[Point, float] = {}
        for node in layers[-1]:
            (_, end), context = node
            backward[node] = self._final(end) + self.models.most(context, (END,)) + self.states.most_at_end
        for layer in reversed(layers[:-1]):
            for node, edges in layer.items():
                backward[node] = max(
                    (
                        weight + self.states.most(number, completes=head[0][0] == whole) + backward[head]
                        for number, weight, head in edges
                    ),
                    default=-math.inf,
                )
        start = next(iter(layers[0]))
        return backward[start] if not self.states.any else self._bound_with_states(layers, backward, score)

    def _bound_with_states(
        self,
        layers: Sequence[Mapping[Point, list[tuple[int, float, Point]]]],
        backward: Mapping[Point, float],
        least: float,
    ) -> float:
        """The same with the states of other features, for what can still reach a score."""
        reached: list[dict[tuple[Point, State], float]] = [{} for _ in layers]
        reached[0][next(iter(layers[0])), self.states.start] = 0.0
        below = least - 1e-9 * (1 + abs(least))
        for edges, now in zip(layers, reached[:-1], strict=False):
            for (node, state), forward in now.items():
                for number, weight, head in edges[node]:
                    gained, after = self.states.extend(state, number, node[0][0])
                    score = forward + weight + gained
                    if score + backward[head] < below:
                        continue
                    into = reached[head[0][0].bit_count()]
                    if score > into.get((head, after), -math.inf):
                        into[head, after] = score
        return max(
            (
                forward + backward[node] - self.states.most_at_end + self.states.finish(state)
                for (node, state), forward in reached[-1].items()
            ),
            default=least,
        )
