"""The deep-syntax model as features of finished translations, for re-ranking n-best lists.

A translation is parsed, made a tree of predicates and scored (Graham and van Genabith 2010). Long trees have low
probabilities whatever their worth, so their size, their unknown words and their ends are features too, and tuning finds
out what each deserves. A translation that the parser gives no tree scores as if all its words were unknown, and says so
(`dslm_fail`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dragoman.annotations.annotator import Annotator
from dragoman.annotations.corpus import annotate_lines
from dragoman.annotations.predicate_trees import PREDICATES, PredicateSteps, predicate_tree
from dragoman.annotations.sentence import Sentence
from dragoman.lm.deep_syntax import DeepSyntaxModel

__all__ = ["FEATURES", "DeepSyntaxFeatures"]

FEATURES = ("dslm", "dslm_norm", "dslm_events", "dslm_oov", "dslm_eos", "dslm_fail")
"""Log-probability of the tree; the same an event; events; unknown words; the ends' part; 1 without a tree."""

_LAYERS = ("lemmas", "pos", "dependencies")


@dataclass(frozen=True)
class DeepSyntaxFeatures:
    """Features of texts by a model, a parser, and the steps from its trees to the model's."""

    model: DeepSyntaxModel
    parser: Annotator = field(repr=False)
    steps: PredicateSteps = PREDICATES

    def values(self, texts: Sequence[str], *, threads: int = 0) -> list[dict[str, float]]:
        """The features of each tokenised text."""
        return [self._of(sentence) for sentence in annotate_lines(self.parser, texts, tokenized=True, threads=threads)]

    def _of(self, sentence: Sentence) -> dict[str, float]:
        tree = predicate_tree(sentence, self.steps) if sentence.has(*_LAYERS) else None
        if tree is None or not len(tree):
            size = len(sentence)
            unknown = self.model.unknown_logprob
            return dict(zip(FEATURES, (size * unknown, unknown, size, size, 0.0, 1.0), strict=True))
        found = self.model.score(tree)
        numbers = (found.logprob, found.mean, found.events, found.unknown, found.end_logprob, 0.0)
        return dict(zip(FEATURES, map(float, numbers), strict=True))
