"""Interactive translation: what should come next, given what a translator has typed so far.

A prefix is decoded as a constraint (Green, Cer and Manning 2014): its words are fixed, and the last one, if it is not
finished, says with which letters the next one begins. The best translations of the rest say what comes next, and how
sure that is: each counts with its probability among them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dragoman.grammar.scoring import DIRECT
from dragoman.pipeline.control import Control
from dragoman.pipeline.model import Model
from dragoman.pipeline.translation import Translation
from dragoman.search.candidate import Candidate

__all__ = ["Completions", "Suggestion", "attempts", "complete", "completions_of", "split_prefix"]

_LONGEST, _RULES = 3, 20
"""Source words of a phrase, and rules of each, among which words are looked for that begin with some letters."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Text that may come next, and the share of what search found that agrees."""

    text: str
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"text": self.text, "confidence": self.confidence}


@dataclass(frozen=True, slots=True)
class Completions:
    """Whole translations that begin as the prefix does, the best first; what the next word and phrase may be."""

    texts: tuple[str, ...]
    words: tuple[Suggestion, ...]
    phrases: tuple[Suggestion, ...]

    @property
    def best(self) -> str:
        """The best whole translation."""
        return self.texts[0]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "completions": list(self.texts),
            "next_words": [each.to_dict() for each in self.words],
            "next_phrases": [each.to_dict() for each in self.phrases],
        }


def split_prefix(prefix: str) -> tuple[str, str]:
    """The finished words of a prefix, and the beginning of the next one.

    >>> split_prefix("the old hou"), split_prefix("the old "), split_prefix("x")
    (('the old ', 'hou'), ('the old ', ''), ('', 'x'))
    """
    at = max(prefix.rfind(blank) for blank in " \t\n\u00a0\u3000") + 1
    return prefix[:at], prefix[at:]


def complete(
    model: Model, text: str, prefix: str = "", *, limit: int = 5, control: Control | None = None, threads: int = 0
) -> Completions:
    """Translations of a text that begin as somebody began to write them."""
    scale = _scale(model)
    for begun in attempts(model, text, prefix):
        found = model.translate(text, prefix=begun, forests=True, control=control, threads=threads)
        made = completions_of(found, prefix, limit=limit, scale=scale)
        if made is not None:
            return made
    return Completions((prefix,), (), ())


def attempts(model: Model, text: str, prefix: str) -> Iterator[str]:
    """What to fix, one after the other, until something begins with the prefix.

    First its finished words; if nothing that search keeps goes on with the letters of the next one, then also the
    likeliest word with these letters that a rule knows for any phrase of the text; at last the letters as they are.
    """
    begun, partial = split_prefix(prefix)
    yield begun
    if partial:
        word = _word_beginning(model, text, partial)
        if word:
            yield begun + word
        yield prefix


def _word_beginning(model: Model, text: str, letters: str) -> str:
    """The likeliest target word that begins with these letters, of all rules for phrases of the text."""
    wanted = letters.casefold()
    best, chance = "", -math.inf
    for sentence in model.preprocessors.source.prepare(text).sentences:
        tokens = sentence.tokens
        for first in range(len(tokens)):
            for last in range(first + 1, min(first + _LONGEST, len(tokens)) + 1):
                for rule in model.decoder.rules_for(tokens[first:last])[:_RULES]:
                    value = rule.values.get(DIRECT, 0.0)
                    for word in rule.target:
                        if value > chance and isinstance(word, str) and word.casefold().startswith(wanted):
                            best, chance = letters + word[len(letters) :], value
    return best


def _scale(model: Model) -> float:
    return model.confidence.scale if model.confidence is not None else 1.0


def completions_of(
    found: Translation, prefix: str, *, limit: int, scale: float, searched: int = 30
) -> Completions | None:
    """Completions out of what search found; None if nothing of it begins with the prefix."""
    candidates = found.nbest(searched)
    fitting = [each for each in candidates if each.text.startswith(prefix)]
    if not fitting:
        wanted = prefix.casefold()
        fitting = [
            Candidate(prefix + each.text[len(prefix) :], each.score, each.features, each.alignment)
            for each in candidates
            if each.text[: len(prefix)].casefold() == wanted
        ]
    if not fitting:
        return None
    shares = _shares([each.score * scale for each in fitting])
    texts = list(dict.fromkeys(each.text for each in fitting))
    return Completions(
        tuple(texts[:limit]),
        _suggested([_next_words(each.text, len(prefix), 1) for each in fitting], shares, limit),
        _suggested([_next_words(each.text, len(prefix), 3) for each in fitting], shares, limit),
    )


def _shares(scores: Sequence[float]) -> list[float]:
    best = max(scores)
    weights = [math.exp(score - best) for score in scores]
    return [weight / sum(weights) for weight in weights]


def _next_words(text: str, at: int, count: int) -> str:
    """The rest of the word at a place and so many more words that it makes `count` of them."""
    end = at
    for _ in range(count):
        while end < len(text) and text[end].isspace():
            end += 1
        while end < len(text) and not text[end].isspace():
            end += 1
    return text[at:end]


def _suggested(texts: Sequence[str], shares: Sequence[float], limit: int) -> tuple[Suggestion, ...]:
    sums: defaultdict[str, float] = defaultdict(float)
    for text, share in zip(texts, shares, strict=True):
        if text.strip():
            sums[text] += share
    ordered = sorted(sums.items(), key=lambda each: -each[1])
    return tuple(Suggestion(text, min(1.0, share)) for text, share in ordered[:limit])
