"""Exact search for decoders whose derivations, language models apart, make a forest of moderate size.

Without language models nothing that two partial translations of a span say differently matters to what stands around
them, so all derivations of a sentence fit into one forest. The best of them under language models, or a sample, is
found there (`dragoman.search.exact`), with no more of the language models than it takes. (Aziz, Dymetman and
Venkatapathy 2013.)
"""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Self, TypeVar

from dragoman._native import search as native
from dragoman._native.common import worker_count
from dragoman.errors import LimitReached
from dragoman.features.language_model import LanguageModel
from dragoman.forest import Derivation
from dragoman.search.base import raise_first
from dragoman.search.constraints import Constraints
from dragoman.search.exact import (
    ForestOptimum,
    Samples,
    bounded_models,
    exact_limits,
    no_forest,
    optimize_forest,
    sample_forest,
)
from dragoman.search.forced import ForcedDecoder
from dragoman.search.forest_certificate import ForestCertificate
from dragoman.search.proof import proof_of, unfinished
from dragoman.search.settings import ExactLimits, ExactSettings, HieroSettings, LeftToRightSettings, SampleSettings
from dragoman.search.translation import SentenceTranslation
from dragoman.text.source_text import Source, SourceText

__all__ = ["ProvenDecoder"]

ProofLimits = TypeVar("ProofLimits", ExactSettings, SampleSettings)


class ProvenDecoder(ForcedDecoder):
    """A decoder that can prove its translations by the forest of all derivations without language models."""

    @property
    @abstractmethod
    def settings(self) -> HieroSettings | LeftToRightSettings: ...

    @abstractmethod
    def without_language_models(self) -> Self:
        """The same decoder without language models and without limits to what it keeps.

        It tries the same rules of each source side: language models are asked which are the best all the same.
        """

    def try_translate(
        self,
        sentences: Sequence[Source],
        *,
        threads: int = 0,
        forests: bool = False,
        constraints: Sequence[Constraints] = (),
    ) -> list[SentenceTranslation | Exception]:
        if self.settings.search != "exact":
            return super().try_translate(sentences, threads=threads, forests=forests, constraints=constraints)
        if forests:
            raise no_forest()
        return self._prove(sentences, exact_limits(self.settings), threads, constraints)

    def optimize(
        self, sentences: Sequence[Source], settings: ExactSettings | None = None, *, threads: int = 0
    ) -> list[SentenceTranslation]:
        """The best derivation of each sentence with its `proof`, by settings that `search="exact"` does not have."""
        return raise_first(self._prove(sentences, settings or ExactSettings(), threads, ()))

    def sample(
        self, sentences: Sequence[Source], settings: SampleSettings | None = None, *, threads: int = 0
    ) -> list[Samples[SentenceTranslation]]:
        """Independent samples of derivations, distributed as exp(scale * score)."""
        limits = settings or SampleSettings()
        space, models = self.without_language_models(), self._bounded_models()

        def one(number: int) -> Samples[SentenceTranslation]:
            begin = time.monotonic()
            limited = space._within(limits)
            whole = limited.try_translate([sentences[number]], threads=1, forests=True)[0]
            if isinstance(whole, LimitReached):
                what = f"more derivations than the limit of {whole.what} allows"
                raise LimitReached(what, where=f"sentence {number + 1}", remedy="raise it, or lower the option limit")
            if isinstance(whole, Exception):
                raise whole
            drawn = sample_forest(whole.forest, models, _left(limits, begin), item=number)
            return drawn.translated(partial(self._complete, whole))

        with ThreadPoolExecutor(worker_count(threads)) as pool:
            return list(pool.map(one, range(len(sentences))))

    def stated_problem(self, source: Source) -> ForestCertificate:
        space = self.without_language_models()._within(exact_limits(self.settings))
        whole = space.try_translate([source], threads=1, forests=True)[0]
        if isinstance(whole, LimitReached):
            raise LimitReached(f"more derivations than the limit of {whole.what} allows", remedy="raise it")
        if isinstance(whole, Exception):
            raise whole
        best = whole.forest.best()
        return ForestCertificate.of(whole.forest, self._uses(), best, score=best.score, bound=math.inf, contexts=())

    def _uses(self) -> list[tuple[LanguageModel, float]]:
        return [(use, self.weights.get(use.name, 0.0)) for use in self.language_models]

    def _prove(
        self,
        sentences: Sequence[Source],
        settings: ExactSettings,
        threads: int,
        constraints: Sequence[Constraints],
    ) -> list[SentenceTranslation | Exception]:
        prove = partial(
            self._prove_one,
            settings=settings,
            searched=self.with_settings(search="cube"),
            space=self.without_language_models(),
            models=self._bounded_models(),
        )
        limits = list(constraints) or [Constraints()] * len(sentences)
        with ThreadPoolExecutor(worker_count(threads)) as pool:
            return list(pool.map(prove, sentences, limits))

    def _prove_one(
        self,
        sentence: Source,
        constraints: Constraints,
        *,
        settings: ExactSettings,
        searched: Self,
        space: Self,
        models: native.BoundedModels,
    ) -> SentenceTranslation | Exception:
        """Search first, the forest of all derivations next, and then the proof that nothing there is better."""
        begin = time.monotonic()
        search = partial(searched.try_translate, [sentence], threads=1, constraints=[constraints])
        found = search()[0] if settings.seed_search else None
        limited = space._within(_left(settings, begin))
        whole = limited.try_translate([sentence], threads=1, forests=True, constraints=[constraints])[0]
        if isinstance(whole, LimitReached) and found is None:
            found = search()[0]
        if isinstance(whole, LimitReached) and isinstance(found, SentenceTranslation):
            bound = space._first_bound(sentence, constraints, models)
            return replace(found, proof=unfinished(found.score, bound, whole.what))
        if isinstance(whole, Exception) or isinstance(found, Exception):
            return whole if isinstance(whole, Exception) else found  # type: ignore[return-value]
        # A little less than what is known, so that its derivation, or one as good, is met again in the forest.
        known = -math.inf if found is None else found.score - 2 * settings.epsilon - 1e-6 * (1 + abs(found.score))
        best = optimize_forest(whole.forest, models, _left(settings, begin), known=known)
        seeded = None if found is None else found.score
        met = None if best.derivation is None else self._complete(whole, best.derivation)
        if met is not None and (found is None or met.score > found.score):
            found = met
        assert found is not None, "a forest has a derivation"
        score = math.nan if met is None else met.score
        certify = partial(self._certificate, whole, best, score)
        missing = "" if met is not None else "a limit came before the answer was met in the forest"
        proof = proof_of(best.proof, found.score, certify, seeded=seeded, missing=missing)
        return replace(found, proof=proof, seconds=whole.seconds + proof.trace[-1].seconds)

    def _within(self, limits: ExactLimits | SampleSettings) -> Self:
        """The same decoder, which gives a sentence up that would take more."""
        settings = self._native_settings(self.settings)
        settings.limit_space(memory=limits.memory, seconds=limits.time_limit)
        return self._copy(_native=self._native.with_settings(settings))

    def _first_bound(self, sentence: Source, constraints: Constraints, models: native.BoundedModels) -> float:
        """A score that no translation passes, found without keeping any."""
        text = SourceText.of(sentence)
        if self.unknown_words is not None:
            constraints = constraints.with_options(self._translations_of_unknown(0, text.text))
        lines, options, marks = self._requests([text], [constraints])
        return float(self._native.bound(lines, options, marks, [constraints.native()], models)[0])

    def _certificate(self, whole: SentenceTranslation, best: ForestOptimum, score: float) -> ForestCertificate | None:
        """What proves the bound of a derivation of this score; None if a limit came before one was met."""
        if best.derivation is None:
            return None
        bound, contexts, uses = best.proof.bound, best.contexts, self._uses()
        return ForestCertificate.of(whole.forest, uses, best.derivation, score=score, bound=bound, contexts=contexts)

    def _complete(self, whole: SentenceTranslation, derivation: Derivation) -> SentenceTranslation:
        """A derivation of the forest without language models, with what they say."""
        found = whole.with_derivation(derivation)
        values = {use.name: use.score(found.target) for use in self.language_models}
        final = {**found.final_features, **values}
        score = found.score + sum(self.weights[name] * value for name, value in values.items())
        return replace(
            found, score=score, final_features=final, weights=self.weights, kept_forest=None, derivation=None
        )

    def _bounded_models(self) -> native.BoundedModels:
        return bounded_models(self.language_models, self.weights, self._bounds())


def _left(limits: ProofLimits, begin: float) -> ProofLimits:
    """The limits of a sentence that was begun at a time, with what is left of its seconds."""
    if limits.time_limit == 0:
        return limits
    return replace(limits, time_limit=max(1e-6, begin + limits.time_limit - time.monotonic()))
