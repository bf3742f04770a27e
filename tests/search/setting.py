"""A small model that all tests of search use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dragoman.features.base import RuleFeature, StateFeature
from dragoman.grammar.limits import RuleLimits
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.phrases import extract
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel, estimate
from dragoman.search.phrase import LanguageModel, PhraseDecoder, PhraseSettings
from dragoman.text import synthetic

__all__ = ["Setting"]


class Setting:
    """A table and a language model learned from a synthetic bitext with its gold alignment."""

    def __init__(self, folder: Path, reordering: str) -> None:
        items = list(synthetic.pair("en-de").generate(300, seed=4))
        source = [" ".join(item.source.tokens) for item in items]
        target = [" ".join(item.target.tokens) for item in items]
        scoring = Scoring(reordering=ReorderingModel.parse(reordering)) if reordering else Scoring()
        path = folder / f"{reordering or 'plain'}.table"
        links = [item.pharaoh for item in items]
        self.table = extract(source, target, links, path, scoring=scoring).table
        self.aligned, self._folder = (source, target, links), folder
        self.model: NgramModel = estimate(target, order=3).build()
        held = synthetic.pair("en-de").generate(25, seed=4, start=1000)
        self.sentences = [" ".join(item.source.tokens) for item in held]

    def rules(self, limits: RuleLimits, reordering: str = "", features: Sequence[str] = ()) -> RuleTable:
        """A table of other rules from the same bitext."""
        scoring = Scoring(reordering=ReorderingModel.parse(reordering)) if reordering else Scoring()
        path = self._folder / "-".join([limits.kind, reordering, *features])
        return extract(*self.aligned, path, limits=limits, scoring=scoring, features=features).table

    def decoder(self, *features: RuleFeature | StateFeature, **options: object) -> PhraseDecoder:
        chosen = PhraseSettings(**{"pop_limit": 60, "beam": 60, **options})  # type: ignore[arg-type]
        models = [LanguageModel("lm", self.model)]
        decoder = PhraseDecoder(self.table, models, {}, chosen, features=features)
        return decoder.with_weights(decoder.start_weights())
