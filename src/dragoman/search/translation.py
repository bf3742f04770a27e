"""A translation: what a decoder found for one sentence, with the reasons.

It knows its text, its score, which source words each target word came from, what every phrase cost by feature, and,
if the decoder kept the forest, all the alternatives. One of these can take its place, with its own reasons.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from dragoman.errors import SettingError
from dragoman.features.weights import Weights

if TYPE_CHECKING:
    from dragoman.annotations import Sentence
    from dragoman.forest import Derivation, Forest
    from dragoman.search.explanation import Explanation
    from dragoman.search.proof import Proof

__all__ = ["UNKNOWN", "Phrase", "PhraseStep", "SentenceTranslation", "phrase_steps"]

UNKNOWN = "unknown"
"""The feature that counts words which no rule could translate."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """One step of a translation: the source words, what they became, and what that cost.

    A rule with nonterminals translates only some of the words from the first to the last of its own; `within` is its
    span with all that they cover.
    """

    source_span: tuple[int, int]
    target_span: tuple[int, int]
    source: tuple[str, ...]
    target: tuple[str, ...]
    score: float
    features: Mapping[str, float]
    links: tuple[tuple[int, int], ...]
    unknown: bool
    within: tuple[int, int] = (0, 0)
    positions: tuple[int, ...] = ()
    """Of its own source words."""

    def __repr__(self) -> str:
        return f"Phrase({' '.join(self.source)!r} -> {' '.join(self.target)!r}, score={self.score:.3f})"


@dataclass(frozen=True, slots=True)
class SentenceTranslation:
    """A translated sentence; phrases are in target order, links are (source, target) positions in the sentence."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    score: float
    phrases: tuple[Phrase, ...]
    final_features: Mapping[str, float]
    weights: Weights = field(repr=False)
    statistics: Mapping[str, float] = field(repr=False)
    """What the search did; see `Decoder.try_translate`."""
    seconds: float = field(repr=False, compare=False)
    kept_forest: Forest | None = field(default=None, repr=False, compare=False)
    derivation: Derivation | None = field(default=None, repr=False, compare=False)
    """Which derivation of the forest it is, if not the one with the best score."""
    proof: Proof | None = field(default=None, repr=False, compare=False)
    """How far from the best of all derivations it can be, if exact search found it."""
    paths: tuple[tuple[str, ...], ...] = field(default=(), repr=False, compare=False)
    """Of a lattice whose forest was kept: source words of the rules of the forest, by their numbers."""
    language_model_seconds: float = field(default=0.0, repr=False, compare=False)
    """How much of `seconds` went to language models during search: an estimate from every 61st time they were asked."""
    annotation: Sentence | None = field(default=None, repr=False, compare=False)
    """What was known of the source besides its words."""
    protected: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """What masks among its words stand for, to be shown in their place."""

    def __repr__(self) -> str:
        return f"SentenceTranslation({self.text!r}, score={self.score:.3f}, phrases={len(self.phrases)})"

    @property
    def text(self) -> str:
        """The target tokens, joined by blanks."""
        return " ".join(self.target)

    @property
    def alignment(self) -> tuple[tuple[int, int], ...]:
        """Word links of all phrases, sorted."""
        return tuple(sorted(link for phrase in self.phrases for link in phrase.links))

    @property
    def rules_with_gaps(self) -> int:
        """How many rules with nonterminals it was made of; glue is none of them."""
        return sum(phrase.within[1] - phrase.within[0] > len(phrase.positions) for phrase in self.phrases)

    @property
    def unknown_words(self) -> tuple[str, ...]:
        """Source words that no rule could translate."""
        return tuple(word for phrase in self.phrases if phrase.unknown for word in phrase.source)

    @property
    def dropped_words(self) -> tuple[str, ...]:
        """Source words that no target word is linked to; what is translated by phrases without links is not among them.

        They may be meant by a phrase as a whole, or have no counterpart in the target language.
        """
        linked = {source for source, _ in self.alignment}
        return tuple(
            self.source[position]
            for phrase in sorted(self.phrases, key=lambda each: each.source_span)
            if phrase.links or not phrase.target
            for position in phrase.positions
            if position not in linked
        )

    @property
    def features(self) -> dict[str, float]:
        """Sum of all feature values."""
        total: defaultdict[str, float] = defaultdict(float)
        for values in (*(phrase.features for phrase in self.phrases), self.final_features):
            for name, value in values.items():
                total[name] += value
        return dict(total)

    def rescore(self) -> float:
        """The score recomputed from the features; equal to `score` unless a feature lies about its state."""
        return sum(self.weights[name] * value for name, value in self.features.items())

    @property
    def forest(self) -> Forest:
        """All derivations that search kept."""
        if self.kept_forest is None:
            raise SettingError("the forest was not kept", remedy="translate with forests=True")
        return self.kept_forest

    def nbest(self, size: int, *, distinct: bool = False) -> list[Derivation]:
        """The best derivations, this translation first."""
        found = self.forest.kbest(size, distinct=distinct)
        own = self.derivation
        if own is None:
            return found
        others = (each for each in found if each != own and not (distinct and each.target == own.target))
        return [own, *others][:size]

    def with_derivation(self, derivation: Derivation) -> SentenceTranslation:
        """The sentence as another derivation of its forest translates it."""
        links: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for link in derivation.links:
            links[derivation.steps_of_target[link[1]]].append(link)
        phrases, final = [], dict[str, float]()
        path = self._path(derivation) if self.paths else None
        for number, source, target, written in phrase_steps(derivation):
            step = derivation.steps[number]
            own, within, positions, linked = step.source, step.span, tuple(step.positions), tuple(links[number])
            if path is not None:
                first, own = path[number], self.paths[step.rule]
                source = within = (first, first + len(own))
                positions = tuple(range(*source))
                linked = tuple((first + i - step.span[0], j) for i, j in linked)
            phrases.append(
                Phrase(
                    source,
                    target,
                    own,
                    tuple(derivation.target[position] for position in written),
                    step.score,
                    step.features,
                    linked,
                    UNKNOWN in step.features,
                    within,
                    positions,
                )
            )
        for step in derivation.steps:
            if not step.positions:
                for name, value in step.features.items():
                    final[name] = final.get(name, 0.0) + value
        return replace(
            self,
            source=self.source if path is None else self._words(phrases),
            target=derivation.target,
            score=derivation.score,
            phrases=tuple(phrases),
            final_features=final,
            derivation=derivation,
        )

    def links_of(self, derivation: Derivation) -> tuple[tuple[int, int], ...]:
        """Word links of a derivation of its forest; of a lattice, to the words of the path that it takes."""
        return self.with_derivation(derivation).alignment if self.paths else derivation.links

    def _path(self, derivation: Derivation) -> dict[int, int]:
        """Of a lattice: for each step that translates something the place of its first word on the path."""
        first, at = {}, 0
        for number, step in sorted(enumerate(derivation.steps), key=lambda each: each[1].span):
            if step.positions:
                first[number] = at
                at += len(self.paths[step.rule])
        return first

    @staticmethod
    def _words(phrases: Sequence[Phrase]) -> tuple[str, ...]:
        """Source words of phrases, in their own order."""
        return tuple(word for phrase in sorted(phrases, key=lambda each: each.source_span) for word in phrase.source)

    def by_consensus(self, size: int, *, scale: float = 1.0) -> SentenceTranslation:
        """Of the `size` best translations the one that agrees most with all that search found.

        The model's best guess may stand alone, while many that score a little less say nearly the same: what is best
        on average, by BLEU against the expected n-grams of the forest (DeNero, Chiang and Knight 2009), is safer.
        `scale` multiplies scores before they become probabilities: below 1 more of the forest is heard. A sentence
        that was too long to be searched at once stays as it is: n-grams across its pieces have too many combinations.
        """
        from dragoman.forest.mbr import consensus

        if self.statistics.get("pieces", 1) > 1:
            return self
        choice = consensus(self.forest, k=size, scale=scale)
        return self.with_derivation(choice.derivation) if choice.index else self

    def without_forest(self) -> SentenceTranslation:
        """The same translation without its alternatives, which take memory."""
        return replace(self, kept_forest=None, derivation=None)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "source": list(self.source),
            "target": list(self.target),
            "text": self.text,
            "score": self.score,
            "alignment": [list(link) for link in self.alignment],
            "unknown": list(self.unknown_words),
            "dropped": list(self.dropped_words),
            "rules_with_gaps": self.rules_with_gaps,
            "phrases": [
                {
                    "source": [*phrase.source_span],
                    "target": [*phrase.target_span],
                    "score": phrase.score,
                    "features": dict(phrase.features),
                }
                for phrase in self.phrases
            ],
            "features": self.features,
            "statistics": dict(self.statistics),
            "seconds": self.seconds,
            **({} if self.proof is None else {"proof": self.proof.to_dict()}),
        }

    def explain(self, *, nbest: int = 0, legend: bool = True) -> Explanation:
        """Why it came about: each phrase with what every concern added to the score, and so many next best ones."""
        from dragoman.search.candidate import Candidate
        from dragoman.search.explanation import Explanation

        others = [Candidate.of(each) for each in self.nbest(nbest + 1, distinct=True)] if nbest else ()
        return Explanation([self], nbest=others, legend=legend)

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()


class PhraseStep(NamedTuple):
    """A step of a derivation that translates something: its number, and what it reads and writes itself."""

    number: int
    source: tuple[int, int]
    """From the first to the last of its own words, half-open; others may lie between them, as on the target side."""
    target: tuple[int, int]
    written: tuple[int, ...]


def phrase_steps(derivation: Derivation) -> list[PhraseStep]:
    """The steps of a derivation that translate something, in the order of what they write first."""
    steps = derivation.steps
    written: list[list[int]] = [[] for _ in steps]
    ends = [0] * len(steps)
    at = 0
    stack: list[tuple[int, int]] = [(0, 0)] if steps else []  # a step, and the symbol of its target that comes next
    order = []
    while stack:
        number, symbol = stack.pop()
        step = steps[number]
        while symbol < len(step.target) and isinstance(step.target[symbol], str):
            written[number].append(at)
            at, symbol = at + 1, symbol + 1
        if symbol < len(step.target):
            part = step.target[symbol]
            assert isinstance(part, int)
            stack += [(number, symbol + 1), (step.parts[part], 0)]
        else:
            ends[number] = at
            order.append(number)
    found = []
    for number in order:
        if positions := steps[number].positions:
            own = tuple(written[number])
            target = (own[0], own[-1] + 1) if own else (ends[number], ends[number])
            found.append(PhraseStep(number, (positions[0], positions[-1] + 1), target, own))
    return sorted(found, key=lambda each: each.target[0])
