"""Phrase-based decoding: a sentence is cut into phrases, each is translated by a rule, and the results are ordered.

Partial translations live in stacks by the number of covered words and are extended by cube pruning, or exhaustively;
a distortion limit keeps the order near that of the source, and an estimate of what is still to come keeps hard and easy
beginnings comparable. (Koehn, Och and Marcu 2003; Koehn 2004; Huang and Chiang 2007.)
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dragoman._native import search as native
from dragoman._native.common import Vocabulary
from dragoman.errors import InputError, SettingError
from dragoman.features.base import RuleFeature, SourceSentence, StateFeature
from dragoman.features.template import Template, add_templates, marks
from dragoman.features.template_specs import template
from dragoman.features.weights import Weights
from dragoman.forest import Forest
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel
from dragoman.search.translation import UNKNOWN, FeatureValues, Phrase, Translation

__all__ = ["ExtraOption", "LanguageModel", "PhraseDecoder", "PhraseSettings", "UnknownWords", "start_weights"]

_DISTORTION, _WORDS, _PHRASES = "distortion", "word_penalty", "phrase_penalty"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseSettings:
    """How to search. `distortion_limit=-1` is none; `beam` and `pop_limit` are per stack.

    Recombination keeps one of several partial translations that look the same to the future: to all features (`exact`),
    or to language models only (`pharaoh`), which merges more, but where other features have states, alternatives in
    n-best lists may then be scored as if they were the one that was kept. Sentences of more than `max_sentence_length`
    tokens are translated in pieces (`long_sentences="split"`), cut after punctuation, or refused (`"refuse"`).
    `check_features` scores all that search kept from scratch and raises an error that names a feature whose state
    forgets what it uses; it is slow, and meant for those who write features.
    """

    search: str = "cube"
    recombination: str = "exact"
    beam: int = 400
    pop_limit: int = 400
    threshold: float = math.inf
    distortion_limit: int = 6
    limit_kind: str = "jump"
    future_distortion: bool = False
    final_jump: bool = False
    option_limit: int = 20
    max_phrase_length: int = 7
    unknown: str = "copy"
    max_sentence_length: int = 250
    long_sentences: str = "split"
    check_features: bool = False

    def __post_init__(self) -> None:
        choices = {
            "search": ("cube", "stack"),
            "recombination": ("exact", "pharaoh"),
            "limit_kind": ("jump", "window"),
            "unknown": ("copy", "mark", "drop"),
            "long_sentences": ("split", "refuse"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise SettingError(f"{name}={getattr(self, name)!r}", remedy=f"choose from {', '.join(allowed)}")
        for name in ("beam", "pop_limit", "option_limit", "max_phrase_length"):
            if not 1 <= getattr(self, name) <= 2**31:
                raise SettingError(f"{name}={getattr(self, name)}", remedy="it must be at least 1")
        if not 1 <= self.max_sentence_length <= 10_000:
            raise SettingError(f"max_sentence_length={self.max_sentence_length}", remedy="choose from 1 to 10000")
        if not self.threshold > 0:
            raise SettingError(f"threshold={self.threshold}", remedy="it must be positive")


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A language model under the name of its feature.

    With `classes` it is a model over word classes: every word is replaced by its class, or by that of `<unk>`.
    """

    name: str
    model: NgramModel
    classes: Mapping[str, str] | None = field(default=None, repr=False)


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


class PhraseDecoder:
    """Stack decoding with phrases, by cube pruning or exhaustively.

    Rules come from a table, or from a dynamic one: what is added to it or removed counts from the next call on. Feature
    ids are those of the decoder that this one is `like`, if there is one, so that vectors of weights fit both.
    """

    def __init__(
        self,
        table: RuleTable | DynamicTable,
        language_models: Sequence[LanguageModel],
        weights: Weights | Mapping[str, float],
        settings: PhraseSettings | None = None,
        *,
        features: Sequence[RuleFeature | StateFeature | Template | str] = (),
        reordering: ReorderingModel | str | None = "from table",
        unknown_words: UnknownWords | None = None,
        like: PhraseDecoder | None = None,
    ) -> None:
        self.dynamic = table if isinstance(table, DynamicTable) else None
        self.table = table.base if isinstance(table, DynamicTable) else table
        self.language_models = tuple(language_models)
        self.unknown_words = unknown_words
        self.settings = settings or PhraseSettings()
        self.features = tuple(template(given) if isinstance(given, str) else given for given in features)
        self.templates = tuple(feature for feature in self.features if isinstance(feature, Template))
        if reordering == "from table":
            reordering = self.table.metadata.get("reordering") or None
        self.reordering = ReorderingModel.parse(reordering) if isinstance(reordering, str) else reordering
        self._model = self._build(like)
        self._names: Vocabulary = Vocabulary() if like is None else like._names
        self._model.append_names(self._names)
        self.feature_names = tuple(self._names.word(index) for index in range(1, len(self._names)))
        self._weights: Weights | None = Weights(weights)
        self._vector = np.zeros(0)
        self._warned = False
        self._native = self._search()

    def check_weights(self, weights: Weights) -> None:
        """Refuse weights for what this decoder cannot fire; what a user's features fire is known when they do."""
        if len(self.templates) == len(self.features):
            families = [template.prefix for template in self.templates]
            weights.require_known([*self.feature_names, *families], prefixes=[f"{family}:" for family in families])

    def with_weights(self, weights: Weights | Mapping[str, float]) -> PhraseDecoder:
        """The same models under other weights."""
        return self._copy(weights=Weights(weights))

    def with_vector(self, vector: NDArray[np.float64]) -> PhraseDecoder:
        """The same models under weights by feature id (`feature_ids`): for tuners, as it spells no name.

        Such a decoder knows its `weights` by name only when they are asked for.
        """
        copy = self._copy(weights=None)
        copy._native = copy._search(vector)
        copy._vector = vector
        return copy

    @property
    def weights(self) -> Weights:
        """The weights in use."""
        if self._weights is None:
            found = np.flatnonzero(self._vector)
            self._weights = Weights({self._names.word(int(index)): float(self._vector[index]) for index in found})
        return self._weights

    @property
    def feature_ids(self) -> Vocabulary:
        """Names of all features that have fired or were given a weight, by id; it grows as sparse features appear."""
        self._model.append_names(self._names)
        return self._names

    def with_settings(self, settings: PhraseSettings) -> PhraseDecoder:
        """The same models and weights, searched in another way."""
        return self._rebuilt(self.weights, settings, self.features)

    def with_features(
        self, features: Sequence[RuleFeature | StateFeature | Template | str], weights: Mapping[str, float]
    ) -> PhraseDecoder:
        """The same models with these features in place of those it has."""
        return self._rebuilt(weights, self.settings, features)

    def _rebuilt(
        self,
        weights: Mapping[str, float],
        settings: PhraseSettings,
        features: Sequence[RuleFeature | StateFeature | Template | str],
    ) -> PhraseDecoder:
        return PhraseDecoder(
            self.dynamic or self.table,
            self.language_models,
            weights,
            settings,
            features=features,
            reordering=self.reordering,
            unknown_words=self.unknown_words,
        )

    def translate(
        self,
        sentences: Sequence[str],
        *,
        threads: int = 0,
        forests: bool = False,
        extra: Sequence[Sequence[ExtraOption]] = (),
    ) -> list[Translation]:
        """Translate tokenised sentences, in order. The first sentence that cannot be translated raises its error."""
        found = self.try_translate(sentences, threads=threads, forests=forests, extra=extra)
        for result in found:
            if isinstance(result, Exception):
                raise result
        return [result for result in found if isinstance(result, Translation)]

    def forests(self, sentences: Sequence[str], *, threads: int = 0) -> list[Forest]:
        """All that search found for each sentence, without the best translation spelt out: what tuners want."""
        if self.unknown_words is not None:
            return [found.forest for found in self.translate(sentences, threads=threads, forests=True)]
        found = self._decode(sentences, threads, True, ())
        for decoded in found:
            decoded.check()
        return [
            Forest(decoded.forest, words=decoded.words, features=self._names, source=tuple(decoded.source))
            for decoded in found
        ]

    def try_translate(
        self,
        sentences: Sequence[str],
        *,
        threads: int = 0,
        forests: bool = False,
        extra: Sequence[Sequence[ExtraOption]] = (),
    ) -> list[Translation | Exception]:
        """As `translate`, with the error in the place of a sentence that cannot be translated."""
        lines, options = list(sentences), [list(some) for some in extra]
        failures: dict[int, Exception] = {}
        if self.unknown_words is not None:
            options = options or [[] for _ in lines]
            for number, line in enumerate(lines):
                try:
                    options[number] += self._translations_of_unknown(number, line)
                except InputError as error:
                    failures[number], lines[number], options[number] = error, "", []
        found = self._decode(lines, threads, forests, options)
        results: list[Translation | Exception] = []
        for number, decoded in enumerate(found):
            try:
                if number in failures:
                    raise failures[number]
                decoded.check()
                results.append(self._translation(decoded))
            except Exception as error:
                results.append(error)
        return results

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
        self, sentences: Sequence[str], threads: int, forests: bool, extra: Sequence[Sequence[ExtraOption]]
    ) -> list[native.Decoded]:
        options = [
            [(o.start, o.end, o.target, list(o.features.items()), o.exclusive) for o in per_sentence]
            for per_sentence in extra
        ]
        known = marks(sentences) if self.templates else []
        self._warn_of_missing_tags(sentences, known)
        found = self._native.decode(list(sentences), options, known, threads=threads, keep_forests=forests)
        self._model.append_names(self._names)
        return found

    def _warn_of_missing_tags(
        self, sentences: Sequence[str], known: Sequence[tuple[str, list[str], list[int]] | None]
    ) -> None:
        needing = [feature.prefix for feature in self.templates if feature.needs_tags]
        if not needing or self._warned:
            return
        missing = len(sentences) - sum(bool(item and item[1]) for item in known)
        if missing:
            self._warned = True
            warnings.warn(
                f"{missing} of {len(sentences)} sentences have no tags: {', '.join(needing)} cannot fire for them",
                stacklevel=4,
            )

    def _translation(self, decoded: native.Decoded) -> Translation:
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
        return Translation(
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
        model.set_penalties(word=_WORDS, phrase=_PHRASES, unknown=UNKNOWN)
        for use in self.language_models:
            if use.classes is None:
                model.add_language_model(use.name, use.model.native)
            else:
                model.add_class_model(use.name, use.model.native, dict(use.classes))
        settings = self.settings
        model.set_distortion(
            _DISTORTION,
            limit=settings.distortion_limit,
            window=settings.limit_kind == "window",
            future=settings.future_distortion,
            final_jump=settings.final_jump,
        )
        if self.reordering:
            model.set_orientation(
                classes=self.reordering.native_classes,
                hierarchical=self.reordering.model == "hier",
                previous="previous" in self.reordering.sides,
                next="next" in self.reordering.sides,
                columns=[self.table.column(name) for name in orientation],
                features=list(orientation),
            )
        model.set_options(
            limit=settings.option_limit,
            max_phrase_length=settings.max_phrase_length,
            unknown=getattr(native.UnknownPolicy, settings.unknown.upper()),
        )
        for feature in self.features:
            if isinstance(feature, RuleFeature):
                model.add_rule_feature(feature)
            if isinstance(feature, StateFeature):
                model.add_state_feature(feature)
        add_templates(model, self.table, self.templates)
        return model

    def _search(self, vector: NDArray[np.float64] | None = None) -> native.PhraseDecoder:
        settings = self.settings
        return native.PhraseDecoder(
            self._model,
            list(self.weights.items()) if vector is None else vector,
            cube=settings.search == "cube",
            beam=settings.beam,
            pop_limit=settings.pop_limit,
            threshold=settings.threshold,
            exact=settings.recombination == "exact",
            longest=settings.max_sentence_length,
            split=settings.long_sentences == "split",
            check_features=settings.check_features,
        )

    def _copy(self, *, weights: Weights | None) -> PhraseDecoder:
        copy = object.__new__(PhraseDecoder)
        copy.__dict__.update(self.__dict__)
        copy._weights = weights
        if weights is not None:
            copy._native = copy._search()
        return copy


def start_weights(names: Sequence[str]) -> Weights:
    """Weights of dense features before tuning: half for the language model, a bonus per word (Green et al. 2013)."""
    special = {"lm": 0.5, _WORDS: -1.0}
    return Weights({name: special.get(name, 0.2) for name in names})
