"""UOW: regression over words, chunks, names and semantic roles of two sentences.

Rios, Aziz and Specia (2012). Eight measures of growing depth: the cosine of all tokens; precision, recall and their
mean of words of content; BLEU over the labels of chunks; METEOR; how well names of the same class agree; and how much
of the roles of aligned predicates is shared. A support-vector regression maps them to what people gave. Its three
parameters may be searched by a genetic algorithm, which the authors found to overfit; it is here to see that.

Measures are relative to the second text, as published: precision is of its words. Names and roles may be widened by
words of the same contexts (`neighbors`). A measure whose layer nobody can give is left out by `without`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np

from dragoman.annotations.sentence import Sentence
from dragoman.errors import SettingError
from dragoman.metrics.genetic import evolve
from dragoman.metrics.meteor import STAGES, Meteor
from dragoman.metrics.role_matching import PredicateRoles, RoleMatch, argument_score, assignment, predicates, verb_score
from dragoman.progress import ProgressCallback
from dragoman.semantics.profiles import Profiles
from dragoman.settings import setting
from dragoman.similarity.base import Scores
from dragoman.similarity.dls import harmonic_mean
from dragoman.similarity.learned import FeatureScorer
from dragoman.similarity.overlap import ngrams
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import PairReasons
from dragoman.similarity.regression import SupportVectors, fit_regressor
from dragoman.similarity.words import FUNCTION_WORDS, is_content, with_tokens

__all__ = ["MEASURES", "Uow", "chunk_bleu", "name_score", "role_score"]

MEASURES = {
    "cosine of tokens": (),
    "precision of content": (),
    "recall of content": (),
    "mean of both": (),
    "chunks": ("chunks",),
    "meteor": (),
    "names": ("entities",),
    "roles": ("frames",),
}
"""What is measured, and the layer that it needs."""
SCALE = 5.0


def chunk_bleu(first: Sequence[str], second: Sequence[str]) -> float:
    """BLEU of one sequence of labels against another, of n-grams up to the shorter one's length and at most four.

    From two in a row on one is added to matches and totals; most sentences are too short for anything else.

    >>> round(chunk_bleu("NP VP NP PP NP".split(), "NP VP NP".split()), 5)
    0.56462
    """
    longest = min(4, len(first), len(second))
    if not longest:
        return 0.0
    total = 0.0
    for order in range(1, longest + 1):
        ours, theirs = Counter(ngrams(first, order)), Counter(ngrams(second, order))
        more = 1 if order > 1 else 0
        matched = (ours & theirs).total() + more
        if not matched:
            return 0.0
        total += math.log(matched / (ours.total() + more))
    return math.exp(total / longest + min(0.0, 1 - len(second) / len(first)))


def name_score(first: Sentence, second: Sentence, neighbors: Any = None) -> float:
    """Mean over the classes of names of either side: 1 for the same names, the cosine of their words otherwise.

    Names of the other side's missing class count as 0, and so do two sentences without names.
    """
    bags: list[dict[str, frozenset[str]]] = []
    for side in (first, second):
        found: dict[str, set[str]] = {}
        for span in side.entities:
            words = [word.lower() for word in side.words[span.start : span.end]]
            found.setdefault(span.label, set()).update([*words, " ".join(words)])
        bags.append({kind: frozenset(words) for kind, words in found.items()})
    classes = sorted(bags[0].keys() | bags[1].keys())
    scores = [
        argument_score(bags[0][kind], bags[1][kind], neighbors) if kind in bags[0] and kind in bags[1] else 0.0
        for kind in classes
    ]
    return sum(scores) / len(scores) if scores else 0.0


def role_score(
    first: Sequence[PredicateRoles],
    second: Sequence[PredicateRoles],
    lexical: Any,
    neighbors: Any = None,
    *,
    share: float = 0.5,
) -> tuple[float, list[tuple[int, int, float]]]:
    """The share of roles of the second's predicates that aligned predicates of the first have, and the alignment.

    Predicates are aligned one to one for the greatest sum of `share` times their lexical similarity and the rest of
    their shared roles; pairs with nothing in common are dropped.
    """
    if not first or not second:
        return 0.0, []
    weights = [
        [share * lexical(one.lemma, other.lemma) + (1 - share) * verb_score(one, other, neighbors) for other in second]
        for one in first
    ]
    distances = [[abs(one.position - other.position) for other in second] for one in first]
    aligned = [(i, j, weights[i][j]) for i, j in assignment(weights, distances) if weights[i][j] > 0]
    return sum(verb_score(first[i], second[j], neighbors) for i, j, _ in aligned) / len(second), aligned


@lru_cache(maxsize=2)
def _thesaurus(path: str, k: int) -> Any:
    """Nearest words of a word with their values."""
    profiles = Profiles.open(path)
    return lru_cache(maxsize=2**16)(
        lambda word: {near.phrase: near.value for near in profiles.nearest(word, k=k)} if word in profiles else {}
    )


@dataclass(kw_only=True, eq=False)
class Uow(FeatureScorer):
    """Support-vector regression over words, chunks, names and roles (Rios, Aziz and Specia 2012)."""

    name: ClassVar[str] = "uow"
    resources: ClassVar[tuple[str, ...]] = ("neighbors",)
    language: str = setting("en", "Of words of function and stems.", choices=FUNCTION_WORDS)
    without: tuple[str, ...] = setting((), "Measures to leave out.", choices=tuple(MEASURES))
    stages: tuple[str, ...] = setting(("exact", "stem", "synonym"), "How words match in METEOR.", choices=STAGES)
    neighbors: str = setting("", "Profiles (`dragoman profiles build`) whose nearest words widen names and arguments.")
    k: int = setting(20, "So many neighbours of a word.", least=1, most=1000)
    lexical_share: float = setting(
        0.5, "What lemmas count in aligning predicates; arguments have the rest.", least=0, most=1
    )
    cost: float = setting(1.0, "How much an error of a training pair costs.", above=0)
    gamma: float = setting(0.0, "Of the Gaussian kernel; 0 for one over the number of measures.", least=0)
    epsilon: float = setting(0.1, "Errors up to this cost nothing, on the scale from 0 to 5.", least=0, most=5)
    search: bool = setting(False, "Search cost, gamma and epsilon by a genetic algorithm.")
    population: int = setting(80, "Of the search.", least=2)
    generations: int = setting(100, "Of the search.", least=1)
    folds: int = setting(10, "Of the training pairs, by which the search judges.", least=2)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.without) >= len(MEASURES):
            raise SettingError("uow: nothing is left to measure", remedy="leave fewer out")

    @property
    def needs(self) -> tuple[str, ...]:
        kept = (layers for name, layers in MEASURES.items() if name not in self.without)
        return tuple(dict.fromkeys(layer for layers in kept for layer in layers))

    @cached_property
    def _meteor(self) -> Meteor:
        return Meteor(language=self.language, stages=self.stages)

    def _near(self, word: str) -> Any:
        return _thesaurus(self.neighbors, self.k)(word) if self.neighbors else {}

    def _lexical(self, first: str, second: str) -> float:
        if first == second:
            return 1.0
        return float(max(self._near(first).get(second, 0.0), self._near(second).get(first, 0.0), 0.0))

    def features(self, pair: TextPair) -> dict[str, float]:
        first, second = (with_tokens(side) for side in (pair.first, pair.second))
        tokens = [set(first.words), set(second.words)]
        content = [{word for word in side.words if is_content(word, self.language)} for side in (first, second)]
        common = len(content[0] & content[1])
        precision, recall = (common / len(side) if side else 0.0 for side in (content[1], content[0]))
        found = {
            "cosine of tokens": len(tokens[0] & tokens[1]) / math.sqrt(len(tokens[0]) * len(tokens[1])),
            "precision of content": precision,
            "recall of content": recall,
            "mean of both": harmonic_mean(precision, recall),
        }
        if "chunks" not in self.without:
            found["chunks"] = chunk_bleu(*([chunk.label for chunk in side.chunks] for side in (first, second)))
        if "meteor" not in self.without:
            found["meteor"] = float(self._meteor.sentence_scores([first.text], [second.text], threads=1)[0])
        widened = self._near if self.neighbors else None
        if "names" not in self.without:
            found["names"] = name_score(first, second, widened)
        if "roles" not in self.without:
            ours, theirs = (predicates(side, needed_by=self.name) for side in (first, second))
            found["roles"] = role_score(ours, theirs, self._lexical, widened, share=self.lexical_share)[0]
        return {name: value for name, value in found.items() if name not in self.without}

    def _regressor_settings(self) -> tuple[str, dict[str, Any]]:
        gamma = self.gamma or None
        return "svr", {"cost": self.cost, "gamma": gamma, "epsilon": self.epsilon, "standardize": False}

    def _fit(
        self, pairs: list[TextPair], gold: Scores, seed: int, threads: int, progress: ProgressCallback | None
    ) -> None:
        names, rows = self.matrix(pairs)
        kind, settings = self._regressor_settings()
        if self.search:
            settings |= self._searched(names, rows, SCALE * gold, seed)
        self._regressor = fit_regressor(kind, names, rows, SCALE * gold, **settings)

    def _searched(self, names: Sequence[str], rows: Scores, gold: Scores, seed: int) -> dict[str, float]:
        """The parameters of least squared error over folds of the training pairs."""
        if len(gold) < self.folds:
            raise SettingError(f"{len(gold)} pairs for {self.folds} folds", remedy="give more pairs, or fewer folds")
        fold_of = np.arange(len(gold)) % self.folds

        def fitness(genes: Sequence[float]) -> float:
            gamma, cost, epsilon = 2.0 ** genes[0], 2.0 ** genes[1], genes[2]
            total = 0.0
            for fold in range(self.folds):
                rest, own = fold_of != fold, fold_of == fold
                model = SupportVectors.fit(
                    names, rows[rest], gold[rest], cost=cost, gamma=gamma, epsilon=epsilon, standardize=False
                )
                total += float(((model.predict(rows[own]) - gold[own]) ** 2).sum())
            return 1 / (1e-6 + total / len(gold))

        found = evolve(
            fitness,
            [(-15, 3), (-5, 15), (0.001, 1)],
            population=self.population,
            generations=self.generations,
            seed=seed,
        )
        return {"gamma": 2.0 ** found.best[0], "cost": 2.0 ** found.best[1], "epsilon": found.best[2]}

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        return super()._scores(pairs, threads) / SCALE

    def _explain(self, pair: TextPair) -> PairReasons:
        """With the roles of the predicates that were aligned."""
        plain = super()._explain(pair)
        features = tuple(
            type(each)(each.name, each.value, None if each.share is None else each.share / SCALE)
            for each in plain.features
        )
        roles: list[RoleMatch] = []
        if "roles" not in self.without:
            first, second = (predicates(side, needed_by=self.name) for side in (pair.first, pair.second))
            widened = self._near if self.neighbors else None
            for i, j, value in role_score(first, second, self._lexical, widened, share=self.lexical_share)[1]:
                one, other = first[i], second[j]
                for role, words in other.roles.items():
                    said = one.roles.get(role, frozenset())
                    score = argument_score(said, words, widened) if role in one.roles else 0.0
                    sides = " ".join(sorted(said)), " ".join(sorted(words))
                    roles.append(RoleMatch(one.lemma, other.lemma, f"alike {value:.2f}", role, *sides, score))
        return PairReasons(
            self.name, plain.score, plain.first, plain.second, plain.alignment, features, tuple(roles), plain.notes
        )
