"""Hierarchical decoding: rules with gaps that other rules fill, applied bottom-up to ever larger spans.

A chart holds for each span of the source the best partial translations of it. Rules are matched with a dot that moves
over words and finished spans, so their arity and their labels are data; each cell is filled by cube pruning, with
language model states that have two sides. A glue grammar joins spans from left to right where no rule reaches.
(Chiang 2007; Huang and Chiang 2007.)
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from dragoman._native import search as native
from dragoman.annotations.phrase_spans import PhraseSpan
from dragoman.errors import SettingError
from dragoman.features.base import StateFeature
from dragoman.features.language_model import LanguageModel
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.labels import Labelling
from dragoman.grammar.rule_text import export_rules
from dragoman.grammar.table import RuleTable
from dragoman.progress import ProgressCallback
from dragoman.search.base import Feature, MosesExport, UnknownWords
from dragoman.search.moses_ini import write_chart_ini, write_glue
from dragoman.search.proven import ProvenDecoder
from dragoman.search.settings import ExactLimits, HieroSettings, SearchSettings
from dragoman.search.table_decoder import Marks
from dragoman.search.translation import UNKNOWN
from dragoman.settings import declared, read_plain
from dragoman.text.source_text import SourceText

__all__ = ["HieroDecoder", "HieroSettings", "LanguageModel"]

KINDS = ("hiero", "lr-hiero")
"""Kinds of tables that it can use."""

_WORDS, _RULES, _GLUE = "word_penalty", "rule_penalty", "glue"
_DISTORTION, _REORDERED, _WIDTH, _HEIGHT = "distortion.rule", "reordered", "width", "height"


class HieroDecoder(ProvenDecoder):
    """Chart decoding with synchronous rules, by cube pruning or cube growing.

    Rules come from a table of the kind `hiero`, or from a dynamic one above it. Feature ids are those of the decoder
    that this one is `like`, if there is one, so that vectors of weights fit both.
    """

    settings_type: ClassVar[type[SearchSettings]] = HieroSettings
    rule_kind: ClassVar[str] = "hiero"
    native_settings = native.HieroSettings
    native_decoder = native.HieroDecoder
    heeds: ClassVar[frozenset[str]] = frozenset({"options"})
    has_gaps: ClassVar[bool] = True
    _settings: HieroSettings
    _model: native.HieroModel
    loosened: ClassVar[tuple[tuple[str, int | str, str], ...]] = (
        ("max_span", 2**16 - 1, "it needs rules over more words than `max_span` lets them cover"),
    )
    _labelling: Labelling | None

    def __init__(
        self,
        table: RuleTable | DynamicTable,
        language_models: Sequence[LanguageModel],
        weights: Mapping[str, float] | None = None,
        settings: HieroSettings | None = None,
        *,
        features: Sequence[Feature | str] = (),
        unknown_words: UnknownWords | None = None,
        like: HieroDecoder | None = None,
    ) -> None:
        self._open_parts(table, language_models, features, unknown_words)
        kind = self.table.metadata.get("kind", "phrase")
        if kind not in KINDS:
            raise SettingError(
                f"a table of the kind {kind!r} for a chart decoder",
                where=str(self.table.path),
                remedy="extract one with `dragoman extract --kind hiero`, or decode it with --kind phrase",
            )
        for feature in self.features:
            if isinstance(feature, StateFeature) and not feature.can_combine():
                raise SettingError(
                    f"the feature {feature} has no method `combine`, which a decoder that builds from parts needs",
                    remedy="write it (see dragoman.features.base), or leave the feature out",
                )
        for each in self.templates:
            if each.state != "none" and not each.looks_at_target:
                raise SettingError(
                    f"the template `{each.prefix}` looks at the order of rules, of which a chart knows nothing",
                    remedy="leave it out, or use the decoder `phrase`",
                )
        self._begin(weights, settings or HieroSettings(), like)

    @property
    def settings(self) -> HieroSettings:
        return self._settings

    def with_settings(self, **changes: Any) -> HieroDecoder:
        settings = replace(self._settings, **read_plain(HieroSettings, changes))
        if settings.reordering_features == self._settings.reordering_features:
            return super().with_settings(**changes)
        rules = self.dynamic or self.table
        return HieroDecoder(
            rules,
            self.language_models,
            self.weights,
            settings,
            features=self.features,
            unknown_words=self.unknown_words,
            like=self,
        )

    def without_language_models(self) -> HieroDecoder:
        return HieroDecoder(
            self.dynamic or self.table,
            (),
            self.weights,
            replace(self._settings, search="cube", cube="pruning", margin=math.inf, beam=2**31, pop_limit=2**31),
            features=self.features,
            unknown_words=self.unknown_words,
            like=self,
        )

    def export_moses(self, folder: Path, *, progress: ProgressCallback | None = None) -> MosesExport:
        """Rule table, glue grammar, ARPA files, and `moses.ini` for the chart decoder of Moses, with the weights."""
        if self._settings.reordering_features:
            raise SettingError(
                "the model has features that Moses has not: how rules reorder",
                remedy="tune it with reordering_features=false",
            )
        if self.table.metadata.get("labels", "none") != "none":
            raise SettingError(
                "the model has rules with labels, for which Moses needs trees in place of text",
                remedy="write the rules alone with `dragoman table export --format moses-hiero`",
            )
        folder = self._export_folder(folder)
        table, glue, ini = (folder / name for name in ("rule-table.gz", "glue-grammar", "moses.ini"))
        export_rules(self.table, table, format="moses-hiero", progress=progress)
        write_glue(glue)
        models = self._export_language_models(folder)
        write_chart_ini(
            ini,
            table=table,
            glue=glue,
            columns=self.rule_columns,
            max_span=self._settings.max_span or self._table_span or 1000,
            language_models=models,
            weights=self.weights,
            settings=self._settings,
        )
        return MosesExport((table, glue, *(model.path for model in models), ini))

    def _nodes(self, text: SourceText) -> list[PhraseSpan]:
        if self._labelling is None or text.annotation is None:
            return []
        longest = self._settings.max_span or self._table_span
        return replace(self._labelling, longest=longest).nodes(text.annotation)

    def _warn_of_missing_layers(self, texts: Sequence[SourceText], marks: Sequence[Marks | None]) -> None:
        super()._warn_of_missing_layers(texts, marks)
        bare = sum(each is None or not each[5] for each in marks) if self._labelling else 0
        if bare and not self._warned:
            assert self._labelling is not None
            self._warned = True
            warnings.warn(
                f"{bare} of {len(texts)} sentences have no {', '.join(self._labelling.layers)}: no nonterminal with a "
                "label fits them, so that they are translated by rules of words and glue",
                stacklevel=6,
            )

    @property
    def _table_span(self) -> int:
        """Words that a rule of the table may cover, as far as it says so."""
        return int(self.table.metadata.get("max_span", 0))

    def _build(self, like: HieroDecoder | None) -> native.HieroModel:
        self._labelling = Labelling.of_table(self.table)
        self.labelled = self._labelling is not None
        model = native.HieroModel(self._rules(), like._model if like is not None else None)
        self._add_columns(model)
        model.set_penalties(word=_WORDS, rule=_RULES, unknown=UNKNOWN, glue=_GLUE)
        self._add_language_models(model)
        if like is not None and not self.language_models:  # theirs say all the same which rules are tried
            model.rank_like(like._model)
        if self._settings.reordering_features:
            model.set_reordering(distortion=_DISTORTION, reordered=_REORDERED, width=_WIDTH, height=_HEIGHT)
        model.read_labels(side=self.table.metadata.get("labels", "none"), max_span=self._table_span)
        self._add_features(model)
        return model

    def _native_settings(self, settings: SearchSettings) -> native.HieroSettings:
        made = native.HieroSettings()
        for name in declared(HieroSettings):
            if name not in ("search", "reordering_features", *declared(ExactLimits)):
                setattr(made, name, getattr(settings, name))
        return made
