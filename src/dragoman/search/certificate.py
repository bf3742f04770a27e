"""Certificates of exact decoding, and a verifier that trusts nobody.

A certificate states a problem (the options of a sentence with their scores, the price and the limits of jumps, which
language models under which weights), an answer (a derivation, its score, a bound that no derivation exceeds) and what
proves it: for each place of the search space, what is covered and where the last phrase ended, the contexts of target
words that must be told apart there. From these the verifier builds the bound anew, with nothing of the search that
found it: every derivation is scored as if only the longest listed context were known before each phrase, and the words
before it were the best that language models could wish for. If the best of all derivations under that is no better than
the answer, neither is any derivation under the model. (Aziz, Dymetman and Specia 2014.)

    read_certificate("s1.json").verify(decoder.language_models).valid
"""

from __future__ import annotations

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
    other_weights,
)

__all__ = ["FORMAT", "VERSION", "Certificate", "JumpCosts", "StatedOption"]

FORMAT, VERSION = "dragoman exact phrase-based decoding", 1


@dataclass(frozen=True, slots=True)
class StatedOption:
    """An option: a span of the source, what it becomes, and what its rule scores."""

    start: int
    end: int
    target: tuple[str, ...]
    score: float


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
                StatedOption(int(c["start"]), int(c["end"]), tuple(map(str, c["target"])), float(c["score"]))
                for c in given["options"]
            ),
            JumpCosts(float(jumps["weight"]), int(jumps["limit"]), bool(jumps["final_jump"]), str(jumps["kind"])),
            tuple(map(ModelUse.from_dict, given["language_models"])),
            tuple(map(int, given["derivation"])),
            float(given["score"]),
            float(given["bound"]),
            tuple((tuple(map(int, c[0])), int(c[1]), tuple(map(str, c[2]))) for c in given["contexts"]),
        )

    def other_settings(self, weights: Mapping[str, float], settings: object) -> list[str]:
        """What it states that is not so in a decoder."""
        found = other_weights(self.language_models, weights)
        limit = getattr(settings, "distortion_limit", self.jumps.limit)
        if max(limit, -1) != max(self.jumps.limit, -1):
            found.append(f"the distortion limit is {limit} in the model, not {self.jumps.limit}")
        if abs(weights.get("distortion", 0.0) - self.jumps.weight) > 1e-6 * (1 + abs(self.jumps.weight)):
            found.append("the weight of jumps is another one in the model")
        return found

    def verify(self, language_models: Sequence[LanguageModel], *, bounds: Sequence[Bounds] | None = None) -> Verdict:
        """Check it against language models; `bounds` are theirs, if they are known already."""
        return _Verifier(self, CertifiedModels(self.language_models, language_models, bounds)).verdict()


Reached = tuple[frozenset[int], int]


class _Verifier:
    """One check: the answer by the definition of the score, the bound by dynamic programming."""

    def __init__(self, certificate: Certificate, models: CertifiedModels) -> None:
        self.given, self.models = certificate, models
        self.length = len(certificate.source)
        self.problems = list(models.problems)
        self.known: defaultdict[Reached, set[Words]] = defaultdict(set)
        for covered, end, words in certificate.contexts:
            self.known[frozenset(covered), end].add(words)

    def verdict(self) -> Verdict:
        self._check_options()
        self._check_contexts()
        if self.problems:
            return Verdict(tuple(self.problems), float("nan"), float("nan"))
        score = self._score()
        if self.problems:
            return Verdict(tuple(self.problems), score, float("nan"))
        bound = max(self._bound(), score)
        stated = self.given
        self.problems += differences(score, bound, stated_score=stated.score, stated_bound=stated.bound)
        return Verdict(tuple(self.problems), score, bound)

    def _check_options(self) -> None:
        for number, option in enumerate(self.given.options):
            if not 0 <= option.start < option.end <= self.length:
                self.problems.append(f"option {number} has no span of the sentence")
        if self.given.jumps.kind not in ("jump", "window"):
            self.problems.append(f"no kind of limit: {self.given.jumps.kind!r}")
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
        if limit < 0 or option.start == gap:
            return True
        if self.given.jumps.kind == "window":
            return option.start < max(covered, default=gap - 1) + 1 or option.end <= gap + limit
        return option.start > gap and abs(option.start - end) <= limit and option.end - gap <= limit

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
            total += self.models.exact(history, option.target)
            history += option.target
            covered |= frozenset(range(option.start, option.end))
            end = option.end
        if len(covered) != self.length:
            self.problems.append("the derivation leaves words untranslated")
        return total + self._final(end) + self.models.exact(history, (END,))

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
                    best = max(best, reached + self._final(end) + self.models.most(context, (END,)))
                    continue
                for option in self.given.options:
                    if not self._allowed(covered, end, option):
                        continue
                    after = covered.union(range(option.start, option.end)), option.end
                    score = reached + option.score - self.given.jumps.weight * abs(option.start - end)
                    score += self.models.most(context, option.target)
                    head = after, self._longest(after, context + option.target)
                    into = layers[len(after[0])]
                    if score > into.get(head, -float("inf")):
                        into[head] = score
        return best
