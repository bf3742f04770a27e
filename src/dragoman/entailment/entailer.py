"""Does this sentence follow from that one, and why: align, look, decide.

    text, hypothesis -> graphs -> alignment -> features -> score
                                            -> edits    -> proof

The score of the features and the answer of the prover are joined as Chambers et al. (2007) do: the prover says yes
seldom but is seldom wrong, so its yes adds `bonus` to the score and its no takes `bonus` off.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dragoman.annotations.graphs import Collapsing, DependencyGraph
from dragoman.bundle import Bundle, Provenance, writing_bundle
from dragoman.entailment.coreference import resolve
from dragoman.entailment.decision import DecisionModel, cross_validated_prior
from dragoman.entailment.decision_features import FEATURES, DecisionFeatures, ScoreReferences, extract_features
from dragoman.entailment.graph_alignment import GraphAlignment, HandScorer, align_graphs
from dragoman.entailment.hybrid import best_bonus
from dragoman.entailment.learned_alignment import LearnedScorer
from dragoman.entailment.marker_lists import Markers
from dragoman.entailment.measures import DecisionScores, score_decisions
from dragoman.entailment.natural_logic import LogicProof, prove
from dragoman.entailment.pairs import AnnotatedPair
from dragoman.entailment.word_relations import WordRelations
from dragoman.errors import InputError
from dragoman.plain_data import parse_json
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import Settings, setting

__all__ = ["KIND", "Entailer", "EntailerSettings", "EntailmentJudgement"]

KIND = "entailment"
_FILE = "model.json"


@dataclass(frozen=True, kw_only=True)
class EntailerSettings(Settings):
    """How a pair is judged."""

    search: str = setting("beam", "How alignments are searched.", choices=("beam", "anneal", "climb", "greedy"))
    coreference: bool = setting(True, "PatternMatch words by what they refer to.")
    collocations: bool = setting(True, "Join words that WordNet has as one noun.")
    intervals: bool = setting(False, "Read over, at least and about as intervals of numbers.")
    bonus: float = setting(0.0, "What the prover's yes adds and its no takes off.", least=0)
    seed: int = setting(1, "Of searches that draw.", least=0)


@dataclass(frozen=True)
class EntailmentJudgement:
    """An answer with everything it rests on."""

    id: str
    answer: bool
    probability: float
    """Of yes."""
    score: float
    alignment: GraphAlignment
    features: DecisionFeatures
    contributions: dict[str, float]
    """What each feature, the bias and the prover added to the score."""
    proof: LogicProof

    @property
    def confidence(self) -> float:
        """How sure the answer is, from 0.5 to 1."""
        return max(self.probability, 1 - self.probability)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        nodes, places = self.alignment.hypothesis.nodes, self.alignment.text.nodes
        return {
            "id": self.id,
            "answer": "yes" if self.answer else "no",
            "probability": self.probability,
            "score": self.score,
            "alignment": {
                "score": self.alignment.score,
                "mean": self.alignment.mean,
                "links": [
                    {
                        "hypothesis": nodes[node].word,
                        "text": places[place].word,
                        "relation": self.alignment.relation(node).kind,
                        "similarity": self.alignment.relation(node).similarity,
                    }
                    for node, place in sorted(self.alignment.links)
                ],
            },
            "features": [
                {"feature": name, "value": value, "adds": self.contributions.get(name, 0.0), "reason": reason}
                for name, value, reason in self.features.fired()
            ],
            "proof": {
                "answer": "yes" if self.proof.answer else "no",
                "relation": self.proof.relation,
                "edits": [
                    {
                        "edit": edit.kind, "text": edit.text, "hypothesis": edit.hypothesis, "context": edit.context,
                        "relation": edit.relation, "joined": joined, "reason": edit.why,
                    }
                    for edit, joined in self.proof.trace()
                ],
            },
        }  # fmt: skip


class Entailer:
    """Judges annotated pairs."""

    def __init__(
        self,
        relations: WordRelations,
        model: DecisionModel | None = None,
        settings: EntailerSettings | None = None,
        *,
        markers: Markers | None = None,
        scorer: HandScorer | LearnedScorer | None = None,
    ) -> None:
        self.relations, self.model = relations, model or DecisionModel.hand()
        self.settings, self.markers = settings or EntailerSettings(), markers or Markers.load()
        self.scorer = scorer or HandScorer()

    @cached_property
    def _collapsing(self) -> Collapsing:
        joined = self.relations.is_collocation if self.settings.collocations else None
        return Collapsing(names=True, collocations=joined, particles=True, labels=True, punctuation=False, shared=True)

    def graph(self, sentences: Sequence[Any]) -> DependencyGraph:
        """The collapsed graph of annotated sentences, as this entailer sees it."""
        for sentence in sentences:
            sentence.require("lemmas", "pos", "dependencies", needed_by="entailment")
        return DependencyGraph.of(sentences, self._collapsing)

    def align(self, pair: AnnotatedPair) -> GraphAlignment:
        """The best alignment of a pair."""
        text, hypothesis = self.graph(pair.text), self.graph([pair.hypothesis])
        if not len(text) or not len(hypothesis):
            raise InputError("a pair without words", where=f"pair {pair.id}")
        chains = resolve(text, self.relations.is_person, self.markers) if self.settings.coreference else ()
        return align_graphs(
            hypothesis, text, self.relations,
            scorer=self.scorer, search=self.settings.search, seed=self.settings.seed, chains=chains,
        )  # fmt: skip

    def features(self, alignment: GraphAlignment, references: ScoreReferences | None = None) -> DecisionFeatures:
        """The features of an aligned pair."""
        referred = any(alignment.relation(node).kind == "coreference" for node, _ in alignment.links)
        return extract_features(
            alignment, self.markers, references=references or self.model.references,
            intervals=self.settings.intervals, coreference=referred,
        )  # fmt: skip

    def judge(self, pair: AnnotatedPair) -> EntailmentJudgement:
        """The answer for one pair, with its reasons."""
        return self._judged(pair.id, self.align(pair))

    def _judged(self, name: str, alignment: GraphAlignment) -> EntailmentJudgement:
        features = self.features(alignment)
        proof = prove(alignment, self.relations, self.markers)
        contributions = {**self.model.contributions(features), "bias": self.model.bias}
        if self.settings.bonus:
            contributions["prover"] = self.settings.bonus if proof.answer else -self.settings.bonus
        score = sum(contributions.values())
        probability = 1 / (1 + math.exp(-max(-500.0, min(500.0, score))))
        return EntailmentJudgement(name, score > 0, probability, score, alignment, features, contributions, proof)

    def judge_all(
        self, pairs: Iterable[AnnotatedPair], *, progress: ProgressCallback | None = None
    ) -> list[EntailmentJudgement]:
        """Answers in the order of the pairs."""
        found = []
        for pair in pairs:
            found.append(self.judge(pair))
            if progress is not None and len(found) % 50 == 0:
                progress(Progress("pairs", len(found)))
        return found

    def fitted(
        self,
        pairs: Sequence[AnnotatedPair],
        *,
        prior: float | None = None,
        names: Sequence[str] = FEATURES,
        kind: str = "learned",
        hybrid: bool = False,
        progress: ProgressCallback | None = None,
    ) -> Entailer:
        """An entailer with weights learned from pairs with labels; without `prior`, it is chosen in ten folds.

        With `hybrid`, the bonus of the prover is chosen for these pairs as well.
        """
        unknown = [pair.id for pair in pairs if pair.label is None]
        if unknown:
            raise InputError(f"pair {unknown[0]} has no label", remedy="learning needs pairs with answers")
        labels = [bool(pair.label) for pair in pairs]
        alignments = []
        for pair in pairs:
            alignments.append(self.align(pair))
            if progress is not None and len(alignments) % 50 == 0:
                progress(Progress("pairs", len(alignments), len(pairs)))
        references = ScoreReferences.of([each.mean for each in alignments])
        vectors = [self.features(each, references) for each in alignments]
        if kind == "alignment":
            model = DecisionModel.alignment_only(vectors, labels, references=references)
        else:
            chosen = prior if prior is not None else cross_validated_prior(vectors, labels, names=names)
            model = DecisionModel.fit(vectors, labels, prior=chosen, names=names, references=references)
        bonus = 0.0
        if hybrid:
            proofs = [prove(each, self.relations, self.markers).answer for each in alignments]
            bonus = best_bonus([model.score(each) for each in vectors], proofs, labels)
        return Entailer(
            self.relations, model, replace(self.settings, bonus=bonus), markers=self.markers, scorer=self.scorer
        )

    def evaluate(
        self, pairs: Sequence[AnnotatedPair], *, progress: ProgressCallback | None = None
    ) -> tuple[DecisionScores, list[EntailmentJudgement]]:
        """Measures over pairs with labels, and all judgements."""
        judged = self.judge_all(pairs, progress=progress)
        if any(pair.label is None for pair in pairs):
            raise InputError("pairs without labels cannot be measured", remedy="judge them instead")
        gold = [bool(pair.label) for pair in pairs]
        return score_decisions(gold, [j.answer for j in judged], [j.probability for j in judged]), judged

    def save(self, path: Path | str, *, provenance: Provenance | None = None) -> None:
        """Write the model as a bundle."""
        import json

        scorer = self.scorer.to_dict() if isinstance(self.scorer, LearnedScorer) else None
        plain = {"decision": self.model.to_dict(), "alignment": scorer}
        settings = self.settings.to_dict()
        with writing_bundle(path, kind=KIND, languages=("en",), settings=settings, provenance=provenance) as folder:
            (folder / _FILE).write_text(json.dumps(plain, indent=1, sort_keys=True) + "\n", "utf-8")

    @classmethod
    def open(cls, path: Path | str, relations: WordRelations, *, markers: Markers | None = None) -> Entailer:
        """The entailer that `save` wrote."""
        bundle = Bundle.open(path, kind=KIND)
        file = bundle.path / _FILE
        plain = parse_json(file.read_bytes(), where=str(file))
        model = DecisionModel.from_dict(plain["decision"], where=str(file))
        scorer = LearnedScorer.from_dict(plain["alignment"]) if plain.get("alignment") is not None else None
        settings = EntailerSettings.from_dict(bundle.settings, where=str(bundle.path))
        return cls(relations, model, settings, markers=markers, scorer=scorer)
