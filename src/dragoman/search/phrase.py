"""Phrase-based decoding: a sentence is cut into phrases, each is translated by a rule, and the results are ordered.

Partial translations live in stacks by the number of covered words and are extended by cube pruning, or exhaustively;
a distortion limit keeps the order near that of the source, and an estimate of what is still to come keeps hard and easy
beginnings comparable. (Koehn, Och and Marcu 2003; Koehn 2004; Huang and Chiang 2007.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from dragoman._native import search as native
from dragoman.errors import SettingError
from dragoman.features.language_model import LanguageModel
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.moses import export_moses as export_table
from dragoman.grammar.moses import export_reordering
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.table import RuleTable
from dragoman.progress import ProgressCallback
from dragoman.search.base import Decoder, Feature
from dragoman.search.moses_ini import write_moses_ini
from dragoman.search.settings import PhraseSettings, SearchSettings
from dragoman.search.table_decoder import ExtraOption, TableDecoder, UnknownWords, open_bundled_table
from dragoman.search.translation import UNKNOWN

__all__ = ["ExtraOption", "LanguageModel", "PhraseDecoder", "PhraseSettings", "UnknownWords"]

_DISTORTION, _WORDS, _PHRASES = "distortion", "word_penalty", "phrase_penalty"


class PhraseDecoder(TableDecoder):
    """Stack decoding with phrases, by cube pruning or exhaustively.

    Rules come from a table, or from a dynamic one: what is added to it or removed counts from the next call on. Feature
    ids are those of the decoder that this one is `like`, if there is one, so that vectors of weights fit both.
    """

    settings_type: ClassVar[type[SearchSettings]] = PhraseSettings
    usual_templates: ClassVar[tuple[str, ...]] = ("filtered",)
    native_settings = native.PhraseSettings
    native_decoder = native.PhraseDecoder
    foreign_columns = ("orientation.",)
    _settings: PhraseSettings
    _model: native.PhraseModel

    def __init__(
        self,
        table: RuleTable | DynamicTable,
        language_models: Sequence[LanguageModel],
        weights: Mapping[str, float] | None = None,
        settings: PhraseSettings | None = None,
        *,
        features: Sequence[Feature | str] = (),
        reordering: ReorderingModel | str | None = "from table",
        unknown_words: UnknownWords | None = None,
        like: PhraseDecoder | None = None,
    ) -> None:
        self._open_parts(table, language_models, features, unknown_words)
        if self.table.metadata.get("gaps") == "true":
            raise SettingError(
                "a table of phrases with gaps, which this decoder cannot use yet",
                where=str(self.table.path),
                remedy="extract it without --gaps",
            )
        if reordering == "from table":
            reordering = self.table.metadata.get("reordering") or None
        self.reordering = ReorderingModel.parse(reordering) if isinstance(reordering, str) else reordering
        self._begin(weights, settings or PhraseSettings(), like)

    @classmethod
    def open(
        cls,
        file: Callable[[str], Path],
        language_models: Sequence[LanguageModel],
        settings: Mapping[str, Any],
        *,
        features: Sequence[Feature] = (),
        like: Decoder | None = None,
    ) -> PhraseDecoder:
        assert like is None or isinstance(like, PhraseDecoder), "decoders of one kind share ids"
        table = open_bundled_table(file)
        return cls(table, language_models, None, PhraseSettings.from_dict(settings), features=features, like=like)

    @property
    def settings(self) -> PhraseSettings:
        return self._settings

    def with_features(self, features: Sequence[Feature | str], weights: Mapping[str, float]) -> PhraseDecoder:
        return PhraseDecoder(
            self.dynamic or self.table,
            self.language_models,
            weights,
            self._settings,
            features=features,
            reordering=self.reordering,
            unknown_words=self.unknown_words,
        )

    def export_moses(self, folder: Path, *, progress: ProgressCallback | None = None) -> list[Path]:
        """Phrase table, reordering table, ARPA files, and `moses.ini` with the weights."""
        folder = self._export_folder(folder)
        columns = [name for name in self.rule_columns if not name.startswith("orientation.")]
        written = [folder / "phrase-table.gz"]
        export_table(self.table, written[0], columns=columns, progress=progress)
        reordering_file = folder / "reordering-table.gz" if self.reordering is not None else None
        if reordering_file is not None:
            export_reordering(self.table, reordering_file, progress=progress)
            written.append(reordering_file)
        models = self._export_language_models(folder)
        written += [path for _, path, _ in models]
        write_moses_ini(
            folder / "moses.ini",
            table=written[0],
            columns=columns,
            language_models=models,
            reordering=reordering_file,
            reordering_model=self.reordering,
            weights=self.weights,
            settings=self._settings,
        )
        return [*written, folder / "moses.ini"]

    def _build(self, like: PhraseDecoder | None) -> native.PhraseModel:
        model = native.PhraseModel(self._rules(), like._model if like is not None else None)
        self._add_columns(model)
        model.set_penalties(word=_WORDS, phrase=_PHRASES, unknown=UNKNOWN, distortion=_DISTORTION)
        self._add_language_models(model)
        if self.reordering:
            orientation = list(self.reordering.columns)
            model.set_orientation(
                classes=self.reordering.native_classes,
                hierarchical=self.reordering.model == "hier",
                previous="previous" in self.reordering.sides,
                next="next" in self.reordering.sides,
                columns=[self.table.column(name) for name in orientation],
                features=orientation,
            )
        self._add_features(model)
        return model
