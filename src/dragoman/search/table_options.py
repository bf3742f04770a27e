"""The options of phrases straight from a table: what a certificate should state, by the definition of the score.

Nothing of what decoders use to find options is used here, so that a verifier need not trust it: rules are looked up
span by span, scored by their columns and penalties, and ranked with what language models say of them by themselves.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dragoman.features.language_model import LanguageModel
from dragoman.grammar.table import RuleTable
from dragoman.search.certificate import Certificate
from dragoman.search.certified_models import Words, first_of, same

__all__ = ["TableOptions"]

_CLOSE = 1e-4
"""Estimates of language models are kept in few digits: rules as close as this may come in either order."""
Offered = dict[Words, tuple[float, float]]
"""Targets with their scores, and with what language models say of them by themselves."""


@dataclass(frozen=True)
class TableOptions:
    """What a table offers for the phrases of a sentence, if columns, penalties and language models decide it alone."""

    table: RuleTable
    columns: tuple[str, ...]
    weights: Mapping[str, float]
    language_models: Sequence[LanguageModel]
    limit: int
    longest: int
    unknown: str

    def problems(self, given: Certificate) -> list[str]:
        """Options that the table has not, or scores otherwise, or offers and that are not stated."""
        stated: defaultdict[tuple[int, int], dict[Words, float]] = defaultdict(dict)
        for option in given.options:
            stated[option.start, option.end][option.target] = option.score
        return first_of(list(self._spans(given.source, stated)))

    def _spans(self, source: Words, stated: Mapping[tuple[int, int], Mapping[Words, float]]) -> Iterator[str]:
        for start in range(len(source)):
            for end in range(start + 1, len(source) + 1):
                words, options = source[start:end], stated.get((start, end), {})
                offered = self._offered(words) if end - start <= self.longest else {}
                for target, score in options.items():
                    said = f"{' '.join(words)!r} as {' '.join(target)!r}"
                    if target not in offered:
                        yield f"the table has no rule for {said}"
                    elif not same(offered[target][0], score):
                        yield f"{said} scores {offered[target][0]:.6f} by the table, not {score:.6f}"
                yield from self._left_out(words, options, offered)

    def _left_out(self, words: Words, options: Mapping[Words, float], offered: Offered) -> Iterator[str]:
        """Rules that are better than the worst that is stated, though the limit has room for the best only."""
        wanted = min(self.limit, len(offered))
        if len(options) != wanted:
            yield f"{len(options)} options of {' '.join(words)!r} are stated, of {wanted}"
        worst = min((offered[target][1] for target in options if target in offered), default=math.inf)
        for target, (_, estimate) in offered.items():
            if target not in options and estimate > worst + _CLOSE * (1 + abs(worst)):
                yield f"a rule of the table is not stated: {' '.join(words)!r} as {' '.join(target)!r}"

    def _offered(self, words: Words) -> Offered:
        found: Offered = {}
        for rule in self.table.lookup(words):
            target = tuple(map(str, rule.target))
            score = sum(self.weights.get(name, 0.0) * rule.values[name] for name in self.columns)
            found[target] = self._with_penalties(target, score)
        if not found and len(words) == 1:
            said = {"copy": words, "mark": (f"<unk:{words[0]}>",), "drop": ()}[self.unknown]
            found[said] = self._with_penalties(said, -self.weights.get("unknown", 0.0))
        return found

    def _with_penalties(self, target: Words, score: float) -> tuple[float, float]:
        score += self.weights.get("phrase_penalty", 0.0) - len(target) * self.weights.get("word_penalty", 0.0)
        return score, score + sum(self._alone(use, target) for use in self.language_models)

    def _alone(self, use: LanguageModel, target: Words) -> float:
        total, state = 0.0, use.model.empty_state()
        for word in use.said(target):
            score, state = use.model.step(state, word)
            total += score
        return self.weights.get(use.name, 0.0) * total
