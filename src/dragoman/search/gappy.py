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
from dragoman.grammar.table import RuleTable
from dragoman.search.base import Feature
from dragoman.search.settings import GappySettings, SearchSettings
from dragoman.search.table_decoder import TableDecoder, UnknownWords
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

    It has no model of orientations: what these would mean for phrases with gaps is another question. Feature ids are
    those of the decoder that this one is `like`, if there is one, so that vectors of weights fit both.
    """

    settings_type: ClassVar[type[SearchSettings]] = GappySettings
    native_settings = native.GappySettings
    native_decoder = native.GappyDecoder
    foreign_columns = ("orientation.",)
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
        *many, source_crossings, target_crossings, contained = _ORDER
        model.set_order(
            many=many, source_crossings=source_crossings, target_crossings=target_crossings, contained=contained
        )
        self._add_language_models(model)
        self._add_features(model)
        return model
