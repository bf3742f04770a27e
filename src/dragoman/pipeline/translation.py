"""What comes out of a model: a text, how each of its sentences came about, and what else it might have been.

What costs memory or time is made when it is first asked for. A translation that was made without its forests is
searched once more, by the same model and with the same result, when alternatives are wanted.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dragoman.align.alignment import Alignment, Link
from dragoman.errors import SettingError
from dragoman.forest import Derivation, Forest
from dragoman.pipeline.control import TermUse
from dragoman.pipeline.evidence import Evidence
from dragoman.search.candidate import Candidate
from dragoman.search.confidence import Confidence
from dragoman.search.reasons import SentenceReasons, explain_sentence
from dragoman.search.translation import SentenceTranslation
from dragoman.settings import check_argument
from dragoman.text.morphs import JOINER
from dragoman.text.prepared import is_mask
from dragoman.text.subword import MARK

if TYPE_CHECKING:
    from dragoman.search.explanation import Explanation

__all__ = ["Translation"]

Restore = Callable[[Sequence[Sequence[Derivation]]], list[str]]
"""Raw texts out of derivations, one for each sentence of the text."""
Ranges = tuple[tuple[tuple[int, int], ...], ...]
"""Ranges of characters by sentence and token."""


class Translation:
    """A translated text: the raw translation, for each of its sentences how it came about, and what became of terms."""

    def __init__(
        self,
        source: str,
        text: str,
        sentences: tuple[SentenceTranslation, ...],
        *,
        search: Callable[[], tuple[SentenceTranslation, ...]],
        restore: Restore,
        source_ranges: Callable[[], Ranges] = tuple,
        terms: tuple[TermUse, ...] = (),
        confidence: Confidence | None = None,
        evidence: Evidence | None = None,
    ) -> None:
        self.source, self.text, self.sentences, self.terms = source, text, sentences, terms
        self._search, self._restore, self._confidence, self._evidence = search, restore, confidence, evidence
        self._source_ranges = source_ranges

    def __repr__(self) -> str:
        return f"Translation({self.text!r}, score={self.score:.3f})"

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Translation):
            return NotImplemented
        return (self.source, self.text, self.sentences) == (other.source, other.text, other.sentences)

    def __hash__(self) -> int:
        return hash((self.source, self.text))

    @property
    def score(self) -> float:
        """Model score, the sum over the sentences."""
        return sum(sentence.score for sentence in self.sentences)

    @property
    def unknown_words(self) -> tuple[str, ...]:
        """Source words, or pieces of them, that no rule could translate."""
        unknown = (word for part in self.sentences for word in part.unknown_words if not is_mask(word))
        return tuple(word.removeprefix(MARK).removeprefix(JOINER) for word in unknown)

    @property
    def dropped_words(self) -> tuple[str, ...]:
        """Source words that no target word is linked to."""
        return tuple(word for part in self.sentences for word in part.dropped_words if not is_mask(word))

    @property
    def alignment(self) -> Alignment:
        """Word links between the tokens of both sides, counted through all sentences."""
        links = ((sentence.alignment, sentence.source, sentence.target) for sentence in self.sentences)
        return Alignment(_joined(links))

    @property
    def source_ranges(self) -> Ranges:
        """For each sentence the characters of the text (without markup) that each of its source tokens stands for."""
        return self._source_ranges()

    @cached_property
    def searched(self) -> tuple[SentenceTranslation, ...]:
        """The sentences with all that search found for them."""
        kept = all(sentence.kept_forest is not None for sentence in self.sentences)
        if kept:
            return self.sentences
        pairs = zip(self._search(), self.sentences, strict=True)
        return tuple(replace(again, protected=first.protected) for again, first in pairs)

    @cached_property
    def word_confidence(self) -> tuple[tuple[float, ...], ...]:
        """For each sentence, how likely each of its target tokens is right; of a model that knows how sure it is."""
        if self._confidence is None:
            raise SettingError(
                "the model does not know how sure it is", remedy="fit that on a dev set: dragoman confidence MODEL ..."
            )
        return tuple(tuple(self._confidence.words(sentence).tolist()) for sentence in self.searched)

    @property
    def confidence(self) -> float:
        """The share of words that should be right; 1 for a text without words."""
        words = [chance for sentence in self.word_confidence for chance in sentence]
        return sum(words) / len(words) if words else 1.0

    @property
    def forest(self) -> Forest:
        """All derivations that search kept, of a text of one sentence."""
        return self._only().forest

    @property
    def derivation(self) -> Derivation:
        """How a text of one sentence came about, as a tree."""
        return self._only().nbest(1)[0]

    def _only(self) -> SentenceTranslation:
        if len(self.sentences) != 1:
            raise SettingError(f"a text of {len(self.sentences)} sentences", remedy="look at each of its `sentences`")
        return self.searched[0]

    def nbest(self, size: int) -> list[Candidate]:
        """The best different translations, this one first."""
        check_argument("nbest", size, int, least=1)
        first: tuple[float, tuple[Derivation, ...]] = (0.0, ())
        combined = [first]
        for sentence in self.searched:
            listed = sentence.nbest(size, distinct=True)
            combined = heapq.nlargest(
                size,
                (
                    (score + derivation.score, (*chosen, derivation))
                    for score, chosen in combined
                    for derivation in listed
                ),
                key=lambda pair: pair[0],
            )
            first = (first[0] + listed[0].score, (*first[1], listed[0]))
        combined = [first, *(each for each in combined if each[1] != first[1])][:size]
        found: dict[str, Candidate] = {}
        for text, (score, chosen) in zip(self._restore([each for _, each in combined]), combined, strict=True):
            links = _joined(
                (sentence.links_of(each), sentence.source, each.target)
                for each, sentence in zip(chosen, self.searched, strict=True)
            )
            found.setdefault(text, Candidate(text, score, _summed(chosen), links))
        return list(found.values())

    def explain(self, *, nbest: int = 3, legend: bool = True, reasons: bool = False) -> Explanation:
        """Why it came about: raw text, each phrase with what every concern added to the score, the next best ones.

        It shows itself in terminals and notebooks, prints as text, and can be saved as a page. With `nbest` 0 nothing
        is searched again for alternatives. `reasons` are added to a page: runner-up, posteriors, training sentences.
        A model that knows how sure it is says it of each word.
        """
        from dragoman.search.explanation import Explanation

        others = self.nbest(nbest + 1) if nbest else ()
        sentences = self.searched if nbest else self.sentences
        further = [each._repr_html_() for each in self.reasons] if reasons else ()
        return Explanation(
            sentences,
            source=self.source,
            text=self.text,
            nbest=others,
            legend=legend,
            further=further,
            confidence=self.word_confidence if self._confidence is not None else (),
        )

    @cached_property
    def reasons(self) -> tuple[SentenceReasons, ...]:
        """For each sentence why each phrase is there: runner-up, posteriors, training sentences if they were kept."""
        evidence = self._evidence or Evidence(None)
        scale = self._confidence.scale if self._confidence is not None else 1.0
        return tuple(
            explain_sentence(sentence, taught_by=evidence.taught_by, times=evidence.times, scale=scale)
            for sentence in self.searched
        )

    def to_dict(self, *, nbest: int = 0, confidence: bool = False) -> dict[str, Any]:
        """As plain values, for JSON; with so many of the best translations, and with what the model is sure of."""
        plain: dict[str, Any] = {
            "source": self.source,
            "text": self.text,
            "score": self.score,
            "unknown": list(self.unknown_words),
            "dropped": list(self.dropped_words),
            "terms": [term.to_dict() for term in self.terms],
            "sentences": [sentence.to_dict() for sentence in self.sentences],
        }
        if confidence:
            plain |= {"confidence": self.confidence, "word_confidence": [list(each) for each in self.word_confidence]}
        return plain | ({"nbest": [candidate.to_dict() for candidate in self.nbest(nbest)]} if nbest else {})

    def _repr_html_(self) -> str:
        return self.explain(reasons=True)._repr_html_()


def _joined(parts: Any) -> tuple[Link, ...]:
    """Links of sentences one after the other: (links, source tokens, target tokens) each."""
    links: list[Link] = []
    before = (0, 0)
    for own, source, target in parts:
        links += [(i + before[0], j + before[1]) for i, j in own]
        before = (before[0] + len(source), before[1] + len(target))
    return tuple(links)


def _summed(chosen: Sequence[Derivation]) -> dict[str, float]:
    total: dict[str, float] = {}
    for derivation in chosen:
        for name, value in derivation.features.items():
            total[name] = total.get(name, 0.0) + value
    return total
