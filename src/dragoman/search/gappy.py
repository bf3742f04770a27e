"""Decoding with phrases that have gaps: `ne X pas` becomes `do not`, and `saw X off` comes from one word.

A phrase may cover words of the source that do not stand together, and write words that do not, either. The words of
others fill its gaps. Search is that of phrases, with what is not written to its end yet as part of what partial
translations must share to be one. (Galley and Manning 2010.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from dragoman._native import search as native
from dragoman.features.language_model import LanguageModel
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.table import RuleTable
from dragoman.search.base import Feature, UnknownWords
from dragoman.search.settings import GappySettings, SearchSettings
from dragoman.search.table_decoder import TableDecoder
from dragoman.search.translation import UNKNOWN

__all__ = ["GappyDecoder", "GappySettings"]

_ORDER = (
    "gap.source_2",
    "gap.source_3",
    "gap.source_4",
    "gap.source_crossing",
    "gap.target_crossing",
    "gap.contained",
)
"""What `order_features` adds."""


class GappyDecoder(TableDecoder):
    """Stack decoding by cube pruning with phrases that may have gaps.

    What the table knows of orientations and of the sizes of gaps is used. To a model of orientations a phrase lies
    where its first and its last word do, and what it writes behind its gaps is no step of its own. Feature ids are
    those of the decoder that this one is `like`, if there is one, so that vectors of weights fit both.
    """

    settings_type: ClassVar[type[SearchSettings]] = GappySettings
    rule_kind: ClassVar[str] = "gappy"
    native_settings = native.GappySettings
    native_decoder = native.GappyDecoder
    foreign_columns = ("orientation.", "gap_size.")
    heeds: ClassVar[frozenset[str]] = frozenset({"options"})
    _settings: GappySettings
    _model: native.GappyModel

    def __init__(
        self,
        table: RuleTable | DynamicTable,
        language_models: Sequence[LanguageModel],
        weights: Mapping[str, float] | None = None,
        settings: GappySettings | None = None,
        *,
        features: Sequence[Feature | str] = (),
        unknown_words: UnknownWords | None = None,
        like: GappyDecoder | None = None,
    ) -> None:
        self._open_parts(table, language_models, features, unknown_words)
        named = self.table.metadata.get("reordering")
        self.reordering = ReorderingModel.parse(named) if named else None
        self._begin(weights, settings or GappySettings(), like)

    @property
    def settings(self) -> GappySettings:
        return self._settings

    @property
    def feature_names(self) -> tuple[str, ...]:
        silent = () if self._settings.order_features else _ORDER
        return tuple(name for name in self._dense if name not in silent)

    def _build(self, like: GappyDecoder | None) -> native.GappyModel:
        model = native.GappyModel(self._rules(), like._model if like is not None else None)
        self._add_columns(model)
        model.set_penalties(word="word_penalty", phrase="phrase_penalty", unknown=UNKNOWN, distortion="distortion")
        model.set_gaps(
            source="gap.source",
            source_words="gap.source_words",
            target="gap.target",
            target_words="gap.target_words",
        )
        if sizes := [self.table.column(name) for name in self.table.columns if name.startswith("gap_size.")]:
            model.set_gap_sizes(columns=sizes, source="gap.source_sizes", target="gap.target_sizes")
        if self.reordering is not None:
            self._add_orientation(model, self.reordering)
        *many, source_crossings, target_crossings, contained = _ORDER
        model.set_order(
            many=many, source_crossings=source_crossings, target_crossings=target_crossings, contained=contained
        )
        self._add_language_models(model)
        self._add_features(model)
        return model
