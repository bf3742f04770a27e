"""Phrase-based decoding: a sentence is cut into phrases, each is translated by a rule, and the results are ordered.

Partial translations live in stacks by the number of covered words and are extended by cube pruning, or exhaustively;
a distortion limit keeps the order near that of the source, and an estimate of what is still to come keeps hard and easy
beginnings comparable. (Koehn, Och and Marcu 2003; Koehn 2004; Huang and Chiang 2007.)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dragoman._native import search as native
from dragoman._native.common import Vocabulary
from dragoman.errors import InputError, SettingError
from dragoman.features.base import RuleFeature, SourceSentence, StateFeature
from dragoman.features.language_model import LanguageModel
from dragoman.features.template import add_templates, gathered
from dragoman.features.template_specs import template
from dragoman.features.weights import Weights
from dragoman.forest import Forest, KBestLists
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.table import RuleTable
from dragoman.progress import ProgressCallback
from dragoman.search.base import Decoder, Feature, MosesExport, raise_first
from dragoman.search.moses_export import export_phrase_model, unknown_to_moses
from dragoman.search.settings import PhraseSettings, SearchSettings
from dragoman.search.translation import UNKNOWN, FeatureValues, Phrase, SentenceTranslation
from dragoman.settings import declared, read_plain
from dragoman.text.source_text import Source, SourceText

__all__ = ["ExtraOption", "LanguageModel", "PhraseDecoder", "PhraseSettings", "UnknownWords"]

Marks = tuple[str, list[str], list[int]]
"""Domain, tags and heads of a sentence, as native code takes them."""
NativeOption = tuple[int, int, str, list[tuple[str, float]], bool]
"""An extra option, as native code takes it."""

_DISTORTION, _WORDS, _PHRASES = "distortion", "word_penalty", "phrase_penalty"


@dataclass(frozen=True, slots=True)
class ExtraOption:
    """A translation for a span of one sentence that is in no table; `exclusive` allows no other for its words."""

    start: int
    end: int
    target: str
    features: Mapping[str, float] = field(default_factory=dict)
    exclusive: bool = False


UnknownWords = Callable[[SourceSentence, tuple[int, ...]], Sequence[Sequence[tuple[str, Mapping[str, float]]]]]
"""Gets a sentence and the positions of words that no rule translates by themselves, and gives for each of them its
translations: a text and the features that it fires. A word without any is left to the policy of the settings."""


class PhraseDecoder(Decoder):
    """Stack decoding with phrases, by cube pruning or exhaustively.

    Rules come from a table, or from a dynamic one: what is added to it or removed counts from the next call on. Feature
    ids are those of the decoder that this one is `like`, if there is one, so that vectors of weights fit both.
    """

    settings_type: ClassVar[type[SearchSettings]] = PhraseSettings

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
        self.dynamic = table if isinstance(table, DynamicTable) else None
        self.table = table.base if isinstance(table, DynamicTable) else table
        if self.table.metadata.get("gaps") == "true":
            raise SettingError(
                "a table of phrases with gaps, which this decoder cannot use yet",
                where=str(self.table.path),
                remedy="extract it without --gaps",
            )
        self.language_models = tuple(language_models)
        self.unknown_words = unknown_words
        self._settings = settings or PhraseSettings()
        self.features = tuple(template(given) if isinstance(given, str) else given for given in features)
        if reordering == "from table":
            reordering = self.table.metadata.get("reordering") or None
        self.reordering = ReorderingModel.parse(reordering) if isinstance(reordering, str) else reordering
        self._model = self._build(like)
        self._names: Vocabulary = Vocabulary() if like is None else like._names
        self._model.append_names(self._names)
        self._dense = tuple(self._names.word(index) for index in range(1, len(self._names)))
        given = self.start_weights() if weights is None else Weights(weights)
        self._weights: Weights | None = given
        self._vector = np.zeros(0)
        self._warned = False
        self._native = native.PhraseDecoder(self._model, list(given.items()), _native(self._settings))

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
        table = RuleTable.open(file("table.rules"))
        return cls(table, language_models, None, PhraseSettings.from_dict(settings), features=features, like=like)

    @property
    def settings(self) -> PhraseSettings:
        return self._settings

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._dense

    @property
    def weights(self) -> Weights:
        if self._weights is None:
            found = np.flatnonzero(self._vector)
            self._weights = Weights({self._names.word(int(index)): float(self._vector[index]) for index in found})
        return self._weights

    @property
    def feature_ids(self) -> Vocabulary:
        self._model.append_names(self._names)
        return self._names

    def with_weights(self, weights: Mapping[str, float]) -> PhraseDecoder:
        given = Weights(weights)
        made = native.PhraseDecoder(self._model, list(given.items()), _native(self._settings))
        return self._copy(_weights=given, _native=made)

    def with_vector(self, vector: NDArray[np.float64]) -> PhraseDecoder:
        """The same models under weights by feature id; it knows its `weights` by name only when they are asked for."""
        made = native.PhraseDecoder(self._model, vector, _native(self._settings))
        return self._copy(_weights=None, _vector=vector, _native=made)

    def with_settings(self, **changes: Any) -> PhraseDecoder:
        settings = replace(self._settings, **read_plain(PhraseSettings, changes))
        return self._copy(_settings=settings, _native=self._native.with_settings(_native(settings)))

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

    def _copy(self, **changes: Any) -> PhraseDecoder:
        copy = object.__new__(PhraseDecoder)
        copy.__dict__.update(self.__dict__ | changes)
        return copy

    def translate(
        self,
        sentences: Sequence[Source],
        *,
        threads: int = 0,
        forests: bool = False,
        extra: Sequence[Sequence[ExtraOption]] = (),
    ) -> list[SentenceTranslation]:
        return raise_first(self.try_translate(sentences, threads=threads, forests=forests, extra=extra))

    def forests(self, sentences: Sequence[Source], *, threads: int = 0) -> list[Forest]:
        """All that search found for each sentence, without building the best translation."""
        if self.unknown_words is not None:
            return super().forests(sentences, threads=threads)
        found = self._decode([SourceText.of(each) for each in sentences], threads, True, ())
        for decoded in found:
            decoded.check()
        return [
            Forest(decoded.forest, words=decoded.words, features=self._names, source=tuple(decoded.source))
            for decoded in found
        ]

    def kbest_lists(
        self, sentences: Sequence[Source], *, nbest: int, distinct: bool = False, threads: int = 0
    ) -> KBestLists:
        """Lists straight from search, without forests."""
        texts = [SourceText.of(each) for each in sentences]
        extra = (
            []
            if self.unknown_words is None
            else [self._translations_of_unknown(number, text.text) for number, text in enumerate(texts)]
        )
        lines, options, marks = self._requests(texts, extra)
        found = self._native.kbest_lists(lines, options, marks, nbest=nbest, distinct=distinct, threads=threads)
        self._model.append_names(self._names)
        return KBestLists(*found)

    def try_translate(
        self,
        sentences: Sequence[Source],
        *,
        threads: int = 0,
        forests: bool = False,
        extra: Sequence[Sequence[ExtraOption]] = (),
    ) -> list[SentenceTranslation | Exception]:
        """As the contract says; `extra` are options beyond the table, a list per sentence."""
        texts, options = [SourceText.of(each) for each in sentences], [list(some) for some in extra]
        failures: dict[int, Exception] = {}
        if self.unknown_words is not None:
            options = options or [[] for _ in texts]
            for number, text in enumerate(texts):
                try:
                    options[number] += self._translations_of_unknown(number, text.text)
                except InputError as error:
                    failures[number], texts[number], options[number] = error, SourceText(""), []
        found = self._decode(texts, threads, forests, options)
        results: list[SentenceTranslation | Exception] = []
        for number, decoded in enumerate(found):
            try:
                if number in failures:
                    raise failures[number]
                decoded.check()
                results.append(self._translation(decoded))
            except Exception as error:
                results.append(error)
        return results

    @property
    def rule_columns(self) -> tuple[str, ...]:
        return tuple(self.table.columns)

    @property
    def unknown_to_moses(self) -> tuple[str, ...]:
        return unknown_to_moses(self.features)

    def export_moses(self, folder: Path, *, progress: ProgressCallback | None = None) -> MosesExport:
        local = [each for each in self.templates if each.looks_at_rules_only]
        native = gathered(self._model, self.table, local) if local else None
        files = export_phrase_model(
            folder,
            self.table,
            self.language_models,
            self.weights,
            self._settings,
            columns=[name for name in self.rule_columns if name in self._dense and "orientation." not in name],
            reordering=self.reordering,
            rule_scores=partial(native.rule_scores, weights=dict(self.weights)) if native is not None else None,
            progress=progress,
        )
        return MosesExport(files, self.unknown_to_moses)

    def _translations_of_unknown(self, number: int, line: str) -> list[ExtraOption]:
        """What the user's hook knows about the unknown words of a sentence."""
        positions = tuple(self._native.unknown_words(line))
        if not positions or self.unknown_words is None:
            return []
        where = f"sentence {number + 1}"
        try:
            found = self.unknown_words(SourceSentence(number, tuple(line.split())), positions)
        except Exception as error:
            what = f"the hook for unknown words failed: {type(error).__name__}: {error}"
            raise InputError(what, where=where, remedy="mend it, or leave it out") from error
        if len(found) != len(positions):
            what = f"the hook for unknown words answered for {len(found)} words of {len(positions)}"
            raise InputError(what, where=where, remedy="give a list per word, empty where nothing is known")
        return [
            ExtraOption(position, position + 1, text, features)
            for position, options in zip(positions, found, strict=True)
            for text, features in options
        ]

    def _decode(
        self, texts: Sequence[SourceText], threads: int, forests: bool, extra: Sequence[Sequence[ExtraOption]]
    ) -> list[native.Decoded]:
        lines, options, marks = self._requests(texts, extra)
        found = self._native.decode(lines, options, marks, threads=threads, keep_forests=forests)
        self._model.append_names(self._names)
        return found

    def _requests(
        self, texts: Sequence[SourceText], extra: Sequence[Sequence[ExtraOption]]
    ) -> tuple[list[str], list[list[NativeOption]], list[Marks | None]]:
        """Lines, options and marks, as native code takes them."""
        options = [
            [(o.start, o.end, o.target, list(o.features.items()), o.exclusive) for o in per_sentence]
            for per_sentence in extra
        ]
        marks: list[Marks | None] = (
            [(text.domain, list(text.tags), list(text.heads)) for text in texts] if self.templates else []
        )
        self._warn_of_missing_tags(texts)
        return [text.text for text in texts], options, marks

    def _warn_of_missing_tags(self, texts: Sequence[SourceText]) -> None:
        needing = [feature.prefix for feature in self.templates if feature.needs_tags]
        if not needing or self._warned:
            return
        if missing := sum(not text.tags for text in texts):
            self._warned = True
            warnings.warn(
                f"{missing} of {len(texts)} sentences have no tags: {', '.join(needing)} cannot fire for them",
                stacklevel=4,
            )

    def _translation(self, decoded: native.Decoded) -> SentenceTranslation:
        source, target = tuple(decoded.source), tuple(decoded.target)
        phrases = tuple(
            Phrase(
                span,
                place,
                source[slice(*span)],
                target[slice(*place)],
                score,
                FeatureValues(values),
                tuple(links),
                unknown,
            )
            for span, place, unknown, score, links, values in decoded.steps
        )
        forest = None
        if decoded.forest is not None:
            forest = Forest(decoded.forest, words=decoded.words, features=self._names, source=source)
        return SentenceTranslation(
            source,
            target,
            decoded.score,
            phrases,
            FeatureValues(decoded.final_values),
            self.weights,
            decoded.statistics,
            decoded.seconds,
            forest,
        )

    def _build(self, like: PhraseDecoder | None) -> native.PhraseModel:
        rules = self.dynamic.layer if self.dynamic else self.table.native
        model = native.PhraseModel(rules, like._model if like is not None else None)
        orientation = self.reordering.columns if self.reordering else ()
        by_domain = any(template.declared_domains is not None for template in self.templates)
        for index, name in enumerate(self.table.columns):
            if not name.startswith(("orientation.", "domain.") if by_domain else "orientation."):
                model.set_column(index, name)
        model.set_penalties(word=_WORDS, phrase=_PHRASES, unknown=UNKNOWN, distortion=_DISTORTION)
        for use in self.language_models:
            if use.classes is None:
                model.add_language_model(use.name, use.model.native)
            else:
                model.add_class_model(use.name, use.model.native, dict(use.classes))
        if self.reordering:
            model.set_orientation(
                classes=self.reordering.native_classes,
                hierarchical=self.reordering.model == "hier",
                previous="previous" in self.reordering.sides,
                next="next" in self.reordering.sides,
                columns=[self.table.column(name) for name in orientation],
                features=list(orientation),
            )
        for feature in self.features:
            if isinstance(feature, RuleFeature):
                model.add_rule_feature(feature)
            if isinstance(feature, StateFeature):
                model.add_state_feature(feature)
        add_templates(model, self.table, self.templates)
        return model


def _native(settings: PhraseSettings) -> native.PhraseSettings:
    """Settings for the native side, name by name."""
    made = native.PhraseSettings()
    for name in declared(PhraseSettings):
        setattr(made, name, getattr(settings, name))
    return made
