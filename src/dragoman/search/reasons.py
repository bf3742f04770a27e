"""Why a translation came out as it did: for each phrase what else might have stood there, and why it does not.

The runner-up of a phrase is the best translation of the whole sentence in which a word of it becomes something else. It
is found exactly: of every step that search kept and that makes something else of a word of the phrase the best
translation through it is known, and the best of these that reads differently is the runner-up. (The same words in other
phrases are no other translation: nearly every phrase has that next to it.) The two are compared feature by feature,
which says what decided. Posteriors say how much of all that search found agrees with each word; where a table kept its
evidence, the training sentences that taught a phrase are named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dragoman.forest import Derivation, Edge, Forest
from dragoman.forest.inside import max_marginals
from dragoman.grammar.provenance import Witness
from dragoman.search.concerns import family_of
from dragoman.search.confidence import word_posteriors
from dragoman.search.reasons_view import facts_html, facts_text
from dragoman.search.told_sentence import shown
from dragoman.search.translation import Phrase, SentenceTranslation, phrase_steps

__all__ = ["Reason", "RunnerUp", "SentenceReasons", "explain_sentence"]

Teachers = Callable[[Phrase], Sequence[Witness]]
"""Training sentences that taught a phrase, the first few."""

_FAR = 1e9


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The best translation of a sentence in which the words of a phrase become something else."""

    source: tuple[str, ...]
    """The words of the step there that makes something else of a word of the phrase, ..."""
    target: tuple[str, ...]
    """... and what it writes."""
    text: str
    """The whole translation."""
    score: float
    lost_by: float
    """How far its score is below that of the translation."""
    against: tuple[tuple[str, float], ...]
    """What each family of features took from it, compared with the translation, the most first."""
    favour: tuple[tuple[str, float], ...]
    """What each gave to it."""

    @property
    def why(self) -> str:
        """The reason in words."""
        taken = ", ".join(f"{name} {-value:+.2f}" for name, value in self.against[:3])
        given = ", ".join(f"{name} {value:+.2f}" for name, value in self.favour[:2])
        return f"lost by {self.lost_by:.2f}: {taken or 'nothing against it'}" + (f"; for it {given}" if given else "")

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "source": list(self.source),
            "target": list(self.target),
            "text": self.text,
            "score": self.score,
            "lost_by": self.lost_by,
            "against": dict(self.against),
            "for": dict(self.favour),
        }


@dataclass(frozen=True, slots=True)
class Reason:
    """A phrase of a translation, and why it is there."""

    phrase: Phrase
    posteriors: tuple[float, ...]
    """Of each of its target words: the share of all that search found which has it."""
    runner_up: RunnerUp | None
    """None if nothing that search kept makes anything else of its words."""
    taught_by: tuple[Witness, ...] = ()
    times: float = 0.0
    """How often the bitext has it, if its table knows."""
    protected: Mapping[str, str] = field(default_factory=dict)
    """What masks among words stand for."""

    @property
    def head(self) -> str:
        """What became what."""
        return self._became(self.phrase)

    def _became(self, step: Phrase | RunnerUp) -> str:
        source, target = (" ".join(shown(self.protected, side)) for side in (step.source, step.target))
        return f"{source} → {target or '(nothing)'}"

    def facts(self) -> list[tuple[str, str]]:
        """What a person should know of it, by name."""
        shares = zip(shown(self.protected, self.phrase.target), self.posteriors, strict=False)
        facts = [("found in", " ".join(f"{word} {share:.2f}" for word, share in shares))]
        runner = self.runner_up
        if runner is None:
            facts.append(("runner-up", "nothing else was left in the search"))
        else:
            facts.append(("runner-up", f"{self._became(runner)}, {runner.why}"))
        if self.times:
            facts.append(("seen", f"{self.times:g} times"))
        return facts + [("taught by", f"line {each.line}: {each.source} ||| {each.target}") for each in self.taught_by]

    def details(self) -> list[tuple[str, str]]:
        """The same with the whole of the runner-up, and the features of the phrase."""
        facts = self.facts()
        if self.runner_up is not None:
            whole = " ".join(shown(self.protected, self.runner_up.text.split()))
            facts.insert(2, ("the whole of it", f"{whole} ({self.runner_up.score:.3f})"))
        values = ", ".join(f"{name} {value:.3g}" for name, value in sorted(self.phrase.features.items()))
        return [*facts, ("features", values)]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "source": list(self.phrase.source),
            "target": list(self.phrase.target),
            "score": self.phrase.score,
            "features": dict(self.phrase.features),
            "posteriors": list(self.posteriors),
            "runner_up": self.runner_up.to_dict() if self.runner_up is not None else None,
            "times": self.times,
            "taught_by": [{"line": each.line, "source": each.source, "target": each.target} for each in self.taught_by],
        }


@dataclass(frozen=True, slots=True)
class SentenceReasons:
    """The reasons for a sentence, phrase by phrase, and how much search looked at."""

    sentence: SentenceTranslation
    phrases: tuple[Reason, ...]
    nodes: int
    edges: int
    derivations: int

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "text": self.sentence.text,
            "score": self.sentence.score,
            "graph": {"nodes": self.nodes, "edges": self.edges, "derivations": self.derivations},
            "phrases": [each.to_dict() for each in self.phrases],
        }

    @property
    def _searched(self) -> str:
        count = self.derivations
        shown = f"{count:,}" if count < 10**9 else f"about 10^{len(str(count)) - 1}"
        return f"search kept {self.nodes:,} nodes, {self.edges:,} edges, {shown} derivations"

    def __rich__(self) -> Any:
        return facts_text([(each.head, each.facts()) for each in self.phrases], self._searched)

    def _repr_html_(self) -> str:
        heads = [(f"{each.head} ({each.phrase.score:.2f})", each.details()) for each in self.phrases]
        return facts_html(heads, self._searched)


def explain_sentence(
    sentence: SentenceTranslation,
    *,
    taught_by: Teachers | None = None,
    times: Callable[[Phrase], float] | None = None,
    scale: float = 1.0,
) -> SentenceReasons:
    """The reasons for a translation whose forest was kept; `scale` is what scores are multiplied by for posteriors."""
    forest = sentence.forest
    chances = word_posteriors(sentence, scale)[0]
    own = sentence.derivation or forest.best()
    runners = _runners_up(sentence, forest, own)
    reasons = []
    at = 0
    for phrase, runner in zip(sentence.phrases, runners, strict=True):
        places = _written(phrase, at)
        at = phrase.target_span[1]
        reasons.append(
            Reason(
                phrase,
                tuple(float(chances[place]) for place in places if place < len(chances)),
                runner,
                tuple(taught_by(phrase)) if taught_by is not None else (),
                times(phrase) if times is not None else 0.0,
                sentence.protected,
            )
        )
    return SentenceReasons(sentence, tuple(reasons), forest.nodes, forest.edges, forest.count())


def _written(phrase: Phrase, at: int) -> Sequence[int]:
    first, last = phrase.target_span
    return range(first, last) if last - first == len(phrase.target) else range(at, at + len(phrase.target))


def _runners_up(sentence: SentenceTranslation, forest: Forest, own: Derivation) -> list[RunnerUp | None]:
    """For each phrase of a derivation the best derivation that reads differently there."""
    steps = [own.steps[step.number] for step in phrase_steps(own)]
    waiting = {index: frozenset(step.positions) for index, step in enumerate(steps)}
    words = {place: said for step in steps for place, said in _said(forest.edge(step.edge), step.positions).items()}
    found: list[RunnerUp | None] = [None] * len(steps)
    _, through = max_marginals(forest)
    for edge in np.argsort(-through, kind="stable").tolist():
        if not waiting or not np.isfinite(through[edge]):
            break
        data = forest.edge(edge)
        tails = [forest.node(tail) for tail in data.tails]
        covered = forest.node(data.head).coverage
        taken = (
            covered.difference(*(tail.coverage for tail in tails))
            if covered
            else frozenset(range(*data.span)).difference(*(range(tail.start, tail.end) for tail in tails))
        )
        other = {place for place, said in _said(data, sorted(taken)).items() if said != words[place]}
        wanted = [index for index, places in waiting.items() if places & other]
        if wanted and (runner := _runner_up(sentence, forest, edge)) is not None:
            for index in wanted:
                found[index] = runner
                del waiting[index]
    return found


def _said(edge: Edge, positions: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """What a step writes for each source word of its own; a word without links goes with the one to its left."""
    sources: defaultdict[int, list[int]] = defaultdict(list)
    for source, target in edge.links:
        sources[target].append(edge.span[0] + source)
    said: dict[int, list[str]] = {place: [] for place in positions}
    here = sources[min(sources)] if sources else list(positions)
    for index, word in enumerate(edge.target):
        here = sources.get(index, here)
        if isinstance(word, str):
            for place in said.keys() & here:
                said[place].append(word)
    return {place: tuple(each) for place, each in said.items()}


def _runner_up(sentence: SentenceTranslation, forest: Forest, edge: int) -> RunnerUp | None:
    """The best translation through an edge, unless it reads the same."""
    scores = forest.scores.copy()
    scores[edge] += _FAR
    other = forest.derivation(forest.rescore(scores).best().edges)
    whole = sentence.with_derivation(other)
    if whole.target == sentence.target:
        return None
    index = next(k for k, step in enumerate(phrase_steps(other)) if other.steps[step.number].edge == edge)
    phrase = whole.phrases[index]
    gaps: defaultdict[str, float] = defaultdict(float)
    for sign, features in ((1.0, whole.features), (-1.0, sentence.features)):
        for name, value in features.items():
            gaps[family_of(name)] += sign * sentence.weights[name] * value
    ordered = sorted(gaps.items(), key=lambda each: each[1])
    return RunnerUp(
        phrase.source,
        phrase.target,
        whole.text,
        whole.score,
        sentence.score - whole.score,
        tuple((name, -value) for name, value in ordered if value < -0.005),
        tuple((name, value) for name, value in reversed(ordered) if value > 0.005),
    )
