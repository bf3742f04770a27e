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
from dragoman.entailment.decision import DecisionModel, cross_validated_prior, cross_validated_scores
from dragoman.entailment.decision_features import FEATURES, DecisionFeatures, ScoreReferences, extract_features
from dragoman.entailment.edit_tree import EditTree, learn_tree
from dragoman.entailment.graph_alignment import GraphAlignment, HandScorer, align_graphs, word_table
from dragoman.entailment.hybrid import best_bonus, hybrid_scores, middle_threshold
from dragoman.entailment.judgement import EntailmentJudgement
from dragoman.entailment.learned_alignment import AlignmentExample, LearnedScorer, learn_alignment
from dragoman.entailment.marker_lists import Markers
from dragoman.entailment.measures import DecisionScores, score_decisions
from dragoman.entailment.natural_logic import LogicProof, prove
from dragoman.entailment.pairs import LAYERS, AnnotatedPair, gold_links
from dragoman.entailment.relation_rules import RelationRules
from dragoman.entailment.word_relations import WordRelations
from dragoman.errors import InputError
from dragoman.plain_data import parse_json
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import Settings, setting

__all__ = ["KIND", "Entailer", "EntailerSettings"]

KIND = "entailment"
_FILE = "model.json"
_RESOURCES = ("vectors", "paraphrases")
"""Settings that name files."""


@dataclass(frozen=True, kw_only=True)
class EntailerSettings(Settings):
    """How a pair is judged."""

    search: str = setting("beam", "How alignments are searched.", choices=("beam", "anneal", "climb", "greedy"))
    vectors: str = setting("", "A file of word vectors (format of word2vec): words of like contexts may align.")
    paraphrases: str = setting("", "A file of words that mean the same: `word<TAB>word`, or with `|||`.")
    coreference: bool = setting(True, "Match words by what they refer to.")
    collocations: bool = setting(True, "Join words that WordNet has as one noun.")
    intervals: bool = setting(False, "Read over, at least and about as intervals of numbers.")
    reports: bool = setting(False, "Take as true what somebody says or announces, as the RTE challenges do.")
    prover: str = setting("rules", "What decides the relation of an edit.", choices=("rules", "learned"))
    bonus: float = setting(0.0, "What the prover's yes adds and its no takes off.", least=0)
    seed: int = setting(1, "Of searches that draw.", least=0)


class Entailer:
    """Judges annotated pairs."""

    def __init__(
        self,
        relations: WordRelations,
        model: DecisionModel | None = None,
        settings: EntailerSettings | None = None,
        *,
        markers: Markers | None = None,
        rules: RelationRules | None = None,
        scorer: HandScorer | LearnedScorer | None = None,
        tree: EditTree | None = None,
    ) -> None:
        self.settings, self.markers = settings or EntailerSettings(), markers or Markers.load()
        self.relations = relations.with_files(vectors=self.settings.vectors, paraphrases=self.settings.paraphrases)
        self.model = model or DecisionModel.hand()
        self.rules = rules or RelationRules.load()
        self.scorer = scorer or HandScorer()
        self.tree = tree or EditTree.load()
        self._heeded = self.markers.trusting_reports() if self.settings.reports else self.markers

    @property
    def language(self) -> str:
        """That of its lists of markers; lists that name none are taken as English."""
        return self.markers.language or "en"

    def with_settings(self, options: Sequence[str]) -> Entailer:
        """The same with other settings, `name=value`."""
        return self._changed(settings=self.settings.changed(options))

    def _changed(self, **parts: Any) -> Entailer:
        """The same with other parts."""
        names = ("relations", "model", "settings", "markers", "rules", "scorer", "tree")
        return Entailer(**{name: getattr(self, name) for name in names} | parts)

    @cached_property
    def _collapsing(self) -> Collapsing:
        joined = self.relations.is_collocation if self.settings.collocations else None
        return Collapsing(names=True, collocations=joined, particles=True, labels=True, punctuation=False, shared=True)

    def graph(self, sentences: Sequence[Any]) -> DependencyGraph:
        """The collapsed graph of annotated sentences, as this entailer sees it."""
        for sentence in sentences:
            sentence.require(*LAYERS, needed_by="entailment")
        return DependencyGraph.of(sentences, self._collapsing)

    def align(self, pair: AnnotatedPair) -> GraphAlignment:
        """The best alignment of a pair."""
        text, hypothesis = self.graph(pair.text), self.graph([pair.hypothesis])
        if not len(text) or not len(hypothesis):
            raise InputError("a pair without words", where=f"pair {pair.id}")
        chains = resolve(text, self.relations.is_person, self.markers) if self.settings.coreference else ()
        return align_graphs(
            hypothesis,
            text,
            self.relations,
            scorer=self.scorer,
            search=self.settings.search,
            seed=self.settings.seed,
            chains=chains,
        )

    def alignment_example(self, pair: AnnotatedPair) -> AlignmentExample:
        """A pair with gold links, as learning needs it; a node that covers several tokens may have links of any."""
        text, hypothesis = self.graph(pair.text), self.graph([pair.hypothesis])
        gold: list[set[int]] = [set() for _ in range(len(hypothesis))]
        for node, place in gold_links(pair, hypothesis, text):
            gold[node].add(place)
        chains = resolve(text, self.relations.is_person, self.markers) if self.settings.coreference else ()
        words = word_table(hypothesis, text, self.relations, chains)
        return AlignmentExample(hypothesis, text, words, tuple(map(frozenset, gold)))

    def with_learned_alignment(
        self, pairs: Sequence[AnnotatedPair], *, passes: int = 10, progress: ProgressCallback | None = None
    ) -> Entailer:
        """An entailer that aligns by weights learned from the gold links of pairs (Chambers et al. 2007)."""
        examples = [self.alignment_example(pair) for pair in pairs if pair.gold]
        scorer = learn_alignment(
            examples, passes=passes, search=self.settings.search, seed=self.settings.seed, progress=progress
        )
        return self._changed(scorer=scorer)

    def with_learned_edits(self, pairs: Sequence[AnnotatedPair]) -> Entailer:
        """An entailer whose prover decides edits by a tree learned from problems of one edit each.

        Problems that need another number of edits here teach nothing and are left out.
        """
        unknown = next((pair.id for pair in pairs if not pair.relation), None)
        if unknown is not None:
            raise InputError("a problem without a relation", where=f"pair {unknown}", remedy="write `# relation = <`")
        made = [(prove(self.align(pair), self.relations, self.markers).edits, pair.relation) for pair in pairs]
        tree = learn_tree([(edits[0].known, relation) for edits, relation in made if len(edits) == 1])
        return self._changed(tree=tree, settings=replace(self.settings, prover="learned"))

    def prove(self, alignment: GraphAlignment) -> LogicProof:
        """The proof of an aligned pair, by rules or as learned."""
        tree = self.tree if self.settings.prover == "learned" else None
        return prove(alignment, self.relations, self._heeded, tree, self.rules)

    def features(self, alignment: GraphAlignment, references: ScoreReferences | None = None) -> DecisionFeatures:
        """The features of an aligned pair."""
        referred = any(alignment.relation(node).kind == "coreference" for node, _ in alignment.links)
        return extract_features(
            alignment,
            self._heeded,
            references=references or self.model.references,
            rules=self.rules,
            intervals=self.settings.intervals,
            coreference=referred,
        )

    def judge(self, pair: AnnotatedPair) -> EntailmentJudgement:
        """The answer for one pair, with its reasons."""
        return self._judged(pair.id, self.align(pair))

    def _judged(self, name: str, alignment: GraphAlignment) -> EntailmentJudgement:
        features = self.features(alignment)
        proof = self.prove(alignment)
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
        kind: str = "adjusted",
        hybrid: bool = False,
        progress: ProgressCallback | None = None,
    ) -> Entailer:
        """An entailer with weights learned from pairs with labels; without `prior`, it is chosen in ten folds.

        `kind` is adjusted (weights set by hand, moved as far as the pairs ask), learned (from nothing but the pairs) or
        alignment (a threshold).
        With `hybrid`, the bonus of the prover and the threshold are chosen on these pairs as well, by scores of models
        that have not seen the pair they score: a model knows its own pairs too well to need a prover.
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
            around = DecisionModel.hand().weights if kind == "adjusted" else None
            chosen = prior if prior is not None else cross_validated_prior(vectors, labels, names=names, around=around)
            model = DecisionModel.fit(vectors, labels, prior=chosen, names=names, references=references, around=around)
        bonus = 0.0
        if hybrid:
            proofs = [self.prove(each).answer for each in alignments]
            unseen = (
                [model.score(each) for each in vectors]
                if kind == "alignment"
                else cross_validated_scores(vectors, labels, prior=chosen, names=names, around=around)
            )
            bonus = best_bonus(unseen, proofs, labels, threshold="median")
            threshold = middle_threshold(hybrid_scores(unseen, proofs, bonus), labels)
            model = replace(model, bias=model.bias - threshold)
        return self._changed(model=model, settings=replace(self.settings, bonus=bonus))

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
        """Write the model as a bundle, with copies of the files that the settings name."""
        import json
        import shutil

        scorer = self.scorer.to_dict() if isinstance(self.scorer, LearnedScorer) else None
        tree = self.tree.to_dict() if self.settings.prover == "learned" else None
        plain = {"decision": self.model.to_dict(), "alignment": scorer, "edits": tree}
        settings: dict[str, Any] = {}
        with writing_bundle(
            path, kind=KIND, languages=(self.language,), settings=settings, provenance=provenance
        ) as folder:
            kept: dict[str, str] = {}
            for name in _RESOURCES:
                if given := getattr(self.settings, name):
                    place = folder / "resources" / (name + "".join(Path(given).suffixes))
                    place.parent.mkdir(exist_ok=True)
                    shutil.copyfile(given, place)
                    kept[name] = f"resources/{place.name}"
            settings |= {**self.settings.to_dict(), **kept}
            (folder / _FILE).write_text(json.dumps(plain, indent=1, sort_keys=True) + "\n", "utf-8")

    @classmethod
    def open(
        cls,
        path: Path | str,
        relations: WordRelations,
        *,
        markers: Markers | None = None,
        rules: RelationRules | None = None,
    ) -> Entailer:
        """The entailer that `save` wrote."""
        bundle = Bundle.open(path, kind=KIND)
        file = bundle.path / _FILE
        plain = parse_json(file.read_bytes(), where=str(file))
        model = DecisionModel.from_dict(plain["decision"], where=str(file))
        scorer = LearnedScorer.from_dict(plain["alignment"]) if plain.get("alignment") is not None else None
        tree = EditTree.from_dict(plain["edits"], where=str(file)) if plain.get("edits") is not None else None
        given = bundle.settings
        places = {name: str(bundle.path / str(given[name])) for name in _RESOURCES if given.get(name)}
        settings = EntailerSettings.from_dict({**given, **places}, where=str(bundle.path))
        return cls(relations, model, settings, markers=markers, rules=rules, scorer=scorer, tree=tree)
