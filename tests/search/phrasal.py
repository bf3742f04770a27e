"""Tiny phrase tables, and every derivation that they have, by brute force."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from dragoman.features.language_model import LanguageModel
from dragoman.grammar.rule import Rule
from dragoman.grammar.writing import write_table
from dragoman.search.constraints import Constraints, ExtraOption
from dragoman.search.phrase import PhraseDecoder, PhraseSettings
from tests.search.hierarchical import bigram_model

__all__ = ["Derived", "Step", "Tiny", "heeded"]

Words = tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """A phrase: its source span, what it writes, which of its source words are linked, and whether a user gave it."""

    start: int
    end: int
    target: Words
    linked: frozenset[int]
    given: bool = False


@dataclass(frozen=True)
class Derived:
    steps: tuple[Step, ...]
    score: float

    @property
    def target(self) -> Words:
        return tuple(word for step in self.steps for word in step.target)


class Tiny:
    """A random table over few words, with a bigram model, and its decoder with nothing pruned."""

    def __init__(self, folder: Path, seed: int, *, limit: int = 2) -> None:
        self.random = random.Random(seed)
        self.limit = limit
        choose = self.random.choice
        self.source, self.words = "abcd", "uvwxyz"
        self.rules: dict[tuple[Words, Words], tuple[float, frozenset[int]]] = {}
        for _ in range(14):
            source = tuple(choose(self.source[:3]) for _ in range(self.random.choice((1, 1, 2, 3))))
            target = tuple(choose(self.words) for _ in range(self.random.choice((1, 1, 2))))
            linked = frozenset(range(len(source))) if len(source) == 1 or self.random.random() < 0.6 else frozenset({0})
            self.rules[source, target] = (round(self.random.uniform(-4, 0), 2), linked)
        made = [
            Rule(source, target, {"score": score}, links=tuple((i, 0) for i in sorted(linked)))
            for (source, target), (score, linked) in self.rules.items()
        ]
        table = write_table(made, folder / f"tiny{seed}.table", columns=["score"])
        pairs = {(a, b): round(self.random.uniform(-3, 0), 2) for a in self.words for b in self.words}
        self.pairs = {pair: value for pair, value in pairs.items() if self.random.random() < 0.7}
        model: LanguageModel = bigram_model(folder / f"tiny{seed}.arpa", self.pairs)
        self.weights = {"score": 1.0, "lm": 0.7, "distortion": 0.3, "word_penalty": 0.1, "unknown": 2.0}
        many = 10**6
        settings = PhraseSettings(beam=many, pop_limit=many, option_limit=many, distortion_limit=limit)
        self.decoder = PhraseDecoder(table, [model], self.weights, settings)

    def sentence(self, length: int = 5) -> Words:
        return tuple(self.random.choice(self.source) for _ in range(length))

    def options(self, sentence: Words, extra: Sequence[ExtraOption] = ()) -> list[tuple[Step, float]]:
        """All phrases for the sentence with their scores, without the language model."""
        found = []
        for start in range(len(sentence)):
            for end in range(start + 1, min(len(sentence), start + 7) + 1):
                some = [
                    (Step(start, end, target, linked), score)
                    for (source, target), (score, linked) in self.rules.items()
                    if source == sentence[start:end]
                ]
                given = [each for each in extra if (each.start, each.end) == (start, end)]
                if end == start + 1 and not some and not given and not _strict(extra, start, end):
                    some = [(Step(start, end, (sentence[start],), frozenset({0})), -self.weights["unknown"])]
                linked = frozenset(range(end - start))
                some += [(Step(start, end, tuple(each.target.split()), linked, given=True), 0.0) for each in given]
                found += [(step, score - 0.1 * -len(step.target) * -1) for step, score in some]
        return found

    def derivations(self, sentence: Words, constraints: Constraints = Constraints()) -> Iterator[Derived]:  # noqa: B008
        """Every derivation that heeds the constraints."""
        for derived in self._grow(
            sentence, self.options(sentence, constraints.options), (), 0.0, 0 if constraints.monotone else self.limit
        ):
            if heeded(derived, sentence, constraints):
                yield Derived(derived.steps, derived.score + self.lm(derived.target))

    def lm(self, target: Words) -> float:
        padded = ("<s>", *target, "</s>")
        return 0.7 * sum(self.pairs.get(pair, -20.0) for pair in pairwise(padded))

    def _grow(
        self, sentence: Words, options: list[tuple[Step, float]], steps: tuple[Step, ...], score: float, limit: int
    ) -> Iterator[Derived]:
        covered = {position for step in steps for position in range(step.start, step.end)}
        if len(covered) == len(sentence):
            yield Derived(steps, score)
            return
        gap = min(set(range(len(sentence))) - covered)
        last = steps[-1].end if steps else 0
        for step, own in options:
            if covered & set(range(step.start, step.end)):
                continue
            jump = abs(step.start - last)
            if step.start != gap and (jump > limit or step.end - gap > limit):
                continue
            yield from self._grow(sentence, options, (*steps, step), score + own - 0.3 * jump, limit)


def _strict(extra: Sequence[ExtraOption], start: int, end: int) -> bool:
    return any(each.policy != "inclusive" and each.start < end and start < each.end for each in extra)


def heeded(derived: Derived, sentence: Words, constraints: Constraints) -> bool:
    """Whether a derivation does what is asked of it."""
    steps = derived.steps
    if derived.target[: len(constraints.prefix)] != constraints.prefix:
        return False
    for zone in constraints.zones:
        inside = [n for n, step in enumerate(steps) if step.start < zone[1] and zone[0] < step.end]
        if inside != list(range(inside[0], inside[-1] + 1)):
            return False
        for step in (steps[n] for n in inside):
            if not (zone[0] <= step.start and step.end <= zone[1]) and not (
                step.start <= zone[0] and zone[1] <= step.end
            ):
                return False
    for wall in constraints.walls:
        around = [zone for zone in constraints.zones if zone[0] < wall < zone[1]]
        first, last = min(around, key=lambda zone: zone[1] - zone[0]) if around else (0, len(sentence))
        if any(step.start < wall < step.end for step in steps):
            return False
        before = [n for n, step in enumerate(steps) if first <= step.start < wall]
        behind = [n for n, step in enumerate(steps) if wall <= step.start < last]
        if before and behind and max(before) > min(behind):
            return False
    for option in constraints.options:
        if option.policy == "inclusive":
            continue
        [step] = [step for step in steps if step.start <= option.start < step.end]
        wanted = [
            tuple(each.target.split())
            for each in constraints.options
            if (each.start, each.end) == (option.start, option.end)
        ]
        if step.given and (step.start, step.end) == (option.start, option.end) and step.target in wanted:
            continue
        if option.policy == "exclusive" or step.end < option.end:
            return False
        size = [len(each) for each in wanted]
        if not any(step.target[at : at + n] in wanted for n in size for at in range(len(step.target) - n + 1)):
            return False
    return not constraints.no_drop or all(len(step.linked) == step.end - step.start for step in steps)
