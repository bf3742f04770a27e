"""Left-to-right decoding with hierarchical rules: the target is written from its beginning to its end.

Rules write words first and then say in which order the spans that their nonterminals cover are to be translated. So a
partial translation is a target prefix and a list of source spans, and needs one language model history only, where a
chart decoder keeps two for every span: the same rules cost a fraction of the language model queries. The price is that
rules with a nonterminal before a word on the target side cannot be used. (Watanabe, Tsukada and Isozaki 2006; Siahbani,
Sankaran and Sarkar 2013; Siahbani and Sarkar 2014.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, cast

from dragoman._native import search as native
from dragoman.errors import SettingError
from dragoman.features.language_model import LanguageModel
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.table import RuleTable
from dragoman.search.base import Feature, UnknownWords
from dragoman.search.proven import ProvenDecoder
from dragoman.search.settings import LeftToRightSettings, SearchSettings
from dragoman.search.translation import UNKNOWN

__all__ = ["LeftToRightDecoder", "LeftToRightSettings"]

_KIND = "lr-hiero"
_USUAL_SPAN = 10
_REORDERING = ("distortion.rule", "distortion.glue", "reordered", "height", "width")
_BOUNDARY = "right_boundary"


class LeftToRightDecoder(ProvenDecoder):
    """Stacks by covered source words, lists of open spans, cube pruning.

    Rules come from a table of the kind `lr-hiero`, or from a dynamic one on top of it. Feature ids are those of the
    decoder that this one is `like`, if there is one, so that vectors of weights fit both.
    """

    settings_type: ClassVar[type[SearchSettings]] = LeftToRightSettings
    rule_kind: ClassVar[str] = "lr-hiero"
    native_settings = native.LeftToRightSettings
    native_decoder = native.LeftToRightDecoder
    heeds: ClassVar[frozenset[str]] = frozenset({"options", "prefix"})
    has_gaps: ClassVar[bool] = True
    unlimited = {**ProvenDecoder.unlimited, "glue_option_limit": 2**31, "threshold": math.inf}  # noqa: RUF012
    loosened: ClassVar[tuple[tuple[str, int | str, str], ...]] = (
        ("max_span", 2**16 - 1, "it needs rules over more words than `max_span` lets them cover"),
        ("right_boundary", "abc", "it needs rules that leave the end of a span open, and of these there are: {}"),
    )
    _settings: LeftToRightSettings
    _model: native.LeftToRightModel

    def __init__(
        self,
        table: RuleTable | DynamicTable,
        language_models: Sequence[LanguageModel],
        weights: Mapping[str, float] | None = None,
        settings: LeftToRightSettings | None = None,
        *,
        features: Sequence[Feature | str] = (),
        unknown_words: UnknownWords | None = None,
        like: LeftToRightDecoder | None = None,
    ) -> None:
        self._open_parts(table, language_models, features, unknown_words)
        if (kind := self.table.metadata.get("kind", "")) != _KIND:
            raise SettingError(
                f"a table of the kind {kind!r}" if kind else "a table that does not say its kind",
                where=str(self.table.path),
                remedy=f"extract rules of the kind {_KIND}, whose target sides begin with words",
            )
        self._begin(weights, settings or LeftToRightSettings(), like)

    @property
    def settings(self) -> LeftToRightSettings:
        return self._settings

    @property
    def feature_names(self) -> tuple[str, ...]:
        silent = () if self._settings.reordering_features else _REORDERING
        if not self._settings.boundary_feature:
            silent = (*silent, _BOUNDARY)
        return tuple(name for name in self._dense if name not in silent)

    def without_language_models(self) -> LeftToRightDecoder:
        return LeftToRightDecoder(
            self.dynamic or self.table,
            (),
            self.weights,
            replace(self._settings, search="stack", threshold=math.inf, beam=2**31, pop_limit=2**31),
            features=self.features,
            unknown_words=self.unknown_words,
            like=self,
        )

    def _native_settings(self, settings: SearchSettings) -> native.LeftToRightSettings:
        chosen = cast(LeftToRightSettings, settings)
        span = chosen.max_span or int(self.table.metadata.get("max_span", _USUAL_SPAN))
        return cast(native.LeftToRightSettings, super()._native_settings(replace(chosen, max_span=span)))

    def _build(self, like: LeftToRightDecoder | None) -> native.LeftToRightModel:
        model = native.LeftToRightModel(self._rules(), like._model if like is not None else None)
        self._add_columns(model)
        model.set_penalties(word="word_penalty", rule="rule_penalty", glue="glue", unknown=UNKNOWN)
        self._add_language_models(model)
        if like is not None and not self.language_models:  # theirs say all the same which rules are tried
            model.rank_like(like._model)
        rule, glue, reordered, height, width = _REORDERING
        model.set_reordering(
            rule_distortion=rule,
            glue_distortion=glue,
            reordered=reordered,
            height=height,
            width=width,
            boundary=_BOUNDARY,
        )
        if "prefix_lexicalised" not in self.table.metadata:  # not from our own extraction, which makes no others
            model.check_rules()
        self._add_features(model)
        return model
