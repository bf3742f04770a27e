"""Similarity from entailment: what speaks for and against each text following from the other, by regression.

Wang and Cer (2012, their second system): the features of an entailment recogniser in both directions, with sentence
BLEU in both, in a support-vector regression whose parameters are theirs. Texts that follow from each other say the
same; negation, numbers and exchanged arguments, which words alone do not see, speak against it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from dragoman.align.monolingual import MonolingualAlignment
from dragoman.entailment.both_directions import judge_both
from dragoman.entailment.decision_features import FEATURES
from dragoman.entailment.entailer import Entailer, EntailerSettings
from dragoman.entailment.word_relations import WordRelations
from dragoman.metrics.bleu import BleuPlusOne
from dragoman.settings import setting
from dragoman.similarity.learned import FeatureScorer
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import PairReasons

__all__ = ["EntailmentFeatures"]


@dataclass(kw_only=True, eq=False)
class EntailmentFeatures(FeatureScorer):
    """Features of entailment in both directions, and sentence BLEU, by regression (Wang and Cer 2012)."""

    name: ClassVar[str] = "entailment"
    fitted_scale: ClassVar[float] = 5.0
    wordnet: bool = setting(True, "Use WordNet, which must be installed.")
    search: str = setting("beam", "How alignments are searched.", choices=("beam", "anneal", "climb", "greedy"))
    cost: float = setting(2.0, "How much an error of a training pair costs.", above=0)
    gamma: float = setting(0.125, "Of the Gaussian kernel.", above=0)
    epsilon: float = setting(0.25, "Errors up to this cost nothing, on the scale from 0 to 5.", least=0, most=5)

    @property
    def needs(self) -> tuple[str, ...]:
        return ("lemmas", "pos", "dependencies")

    @cached_property
    def entailer(self) -> Entailer:
        """What judges each direction."""
        relations = WordRelations.find() if self.wordnet else WordRelations(None)
        return Entailer(relations, settings=EntailerSettings(search=self.search))

    @cached_property
    def _bleu(self) -> BleuPlusOne:
        return BleuPlusOne()

    def features(self, pair: TextPair) -> dict[str, float]:
        found: dict[str, float] = {}
        judged = judge_both(self.entailer, [pair.first], [pair.second])
        for direction, (one,) in (("forward", judged.forward), ("backward", judged.backward)):
            found |= {f"{direction} {name}": one.features.values[name] for name in FEATURES}
            found[f"{direction} prover"] = float(one.proof.answer)
        for name, (hypothesis, reference) in (("first", pair.texts), ("second", pair.texts[::-1])):
            found[f"bleu of the {name}"] = float(self._bleu.sentence_scores([hypothesis], [reference], threads=1)[0])
        return found

    def _regressor_settings(self) -> tuple[str, dict[str, Any]]:
        return "svr", {"cost": self.cost, "gamma": self.gamma, "epsilon": self.epsilon, "standardize": False}

    def _explain(self, pair: TextPair) -> PairReasons:
        """With the alignments of both directions, and what the strongest features have seen."""
        plain = super()._explain(pair)
        judged = judge_both(self.entailer, [pair.first], [pair.second])
        # of a judgement the hypothesis comes first
        matches = [*judged.forward[0].alignment.tokens().transposed(), *judged.backward[0].alignment.tokens()]
        seen = [
            f"{direction}: {reason}"
            for direction, (one,) in (("forward", judged.forward), ("backward", judged.backward))
            for _, _, reason in one.features.fired()
            if reason
        ]
        notes = (f"as two decisions: {judged.label}", *seen, *plain.notes)
        return PairReasons(
            self.name,
            plain.score,
            plain.first,
            plain.second,
            MonolingualAlignment.of(matches),
            plain.features,
            plain.roles,
            notes,
        )
