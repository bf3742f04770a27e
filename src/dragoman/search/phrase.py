"""Phrase-based decoding: a sentence is cut into phrases, each is translated by a rule, and the results are ordered.

Partial translations live in stacks by the number of covered words and are extended by cube pruning, or exhaustively;
a distortion limit keeps the order near that of the source, and an estimate of what is still to come keeps hard and easy
beginnings comparable. (Koehn, Och and Marcu 2003; Koehn 2004; Huang and Chiang 2007.)
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dragoman._native import search as native
from dragoman._native.common import Vocabulary
from dragoman.errors import SettingError
from dragoman.features.base import RuleFeature, StateFeature
from dragoman.features.template import Template, add_templates, marks
from dragoman.features.templates import template
from dragoman.features.weights import Weights
from dragoman.forest import Forest
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel
from dragoman.search.translation import Phrase, Translation

__all__ = ["ExtraOption", "LanguageModel", "PhraseDecoder", "PhraseSettings", "start_weights"]

_DISTORTION, _WORDS, _PHRASES, _UNKNOWN = "distortion", "word_penalty", "phrase_penalty", "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseSettings:
    """How to search. `distortion_limit=-1` is none; `beam` and `pop_limit` are per stack.

    Recombination keeps one of several partial translations that look the same to the future: to all features (`exact`),
    or to language models only (`pharaoh`), which merges more, but where other features have states, alternatives in
    n-best lists may then be scored as if they were the one that was kept. Sentences of more than `max_sentence_length`
    tokens are translated in pieces (`long_sentences="split"`), cut after punctuation, or refused (`"refuse"`).
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
    """A language model under the name of its feature; with `classes`, words are replaced by their classes first."""

    name: str
    model: NgramModel
    classes: Mapping[str, str] | None = field(default=None, repr=False)

    def word_map(self, table: RuleTable) -> list[int]:
        """For each target word of the table its id in a class model; empty for a model over words."""
        if self.classes is None:
            return []
        rest = self.classes.get("<unk>", "<unk>")
        words = (table.native.target_word(index) for index in range(table.native.target_size))
        return [self.model.native.id(self.classes.get(word, rest)) for word in words]


@dataclass(frozen=True, slots=True)
class ExtraOption:
    """A translation for a span of one sentence that is in no table; `exclusive` allows no other for its words."""

    start: int
    end: int
    target: str
    features: Mapping[str, float] = field(default_factory=dict)
    exclusive: bool = False


class PhraseDecoder:
    """Stack decoding with phrases, by cube pruning or exhaustively."""

    def __init__(
        self,
        table: RuleTable,
        language_models: Sequence[LanguageModel],
        weights: Weights | Mapping[str, float],
        settings: PhraseSettings | None = None,
        *,
        features: Sequence[RuleFeature | StateFeature | Template | str] = (),
        reordering: ReorderingModel | str | None = "from table",
    ) -> None:
        self.table, self.language_models = table, tuple(language_models)
        self.settings = settings or PhraseSettings()
        self.features = tuple(template(given) if isinstance(given, str) else given for given in features)
        self.templates = tuple(feature for feature in self.features if isinstance(feature, Template))
        if reordering == "from table":
            reordering = table.metadata.get("reordering") or None
        self.reordering = ReorderingModel.parse(reordering) if isinstance(reordering, str) else reordering
        self._model = self._build()
        self._names = Vocabulary()
        self._model.append_names(self._names)
        self.feature_names = tuple(self._names.word(index) for index in range(1, len(self._names)))
        self._weights: Weights | None = Weights(weights)
        self._vector = np.zeros(0)
        self._warned = False
        self._native = self._search()

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
        return PhraseDecoder(
            self.table, self.language_models, self.weights, settings, features=self.features, reordering=self.reordering
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
        found = self._decode(sentences, threads, forests, extra)
        for decoded in found:
            decoded.check()
        return [self._translation(decoded) for decoded in found]

    def forests(self, sentences: Sequence[str], *, threads: int = 0) -> list[Forest]:
        """All that search found for each sentence, without the best translation spelt out: what tuners want."""
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
        results: list[Translation | Exception] = []
        for decoded in self._decode(sentences, threads, forests, extra):
            try:
                decoded.check()
                results.append(self._translation(decoded))
            except Exception as error:
                results.append(error)
        return results

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
            warnings.warn(f"{missing} of {len(sentences)} sentences have no tags: {', '.join(needing)} "
                          "cannot fire for them", stacklevel=4)  # fmt: skip

    def _translation(self, decoded: native.Decoded) -> Translation:
        source, target = tuple(decoded.source), tuple(decoded.target)
        phrases = tuple(
            Phrase(
                span, place, source[slice(*span)], target[slice(*place)], score, _summed(values), tuple(links), unknown
            )
            for span, place, unknown, score, links, values in decoded.steps
        )
        forest = None
        if decoded.forest is not None:
            forest = Forest(decoded.forest, words=decoded.words, features=self._names, source=source)
        return Translation(
            source, target, decoded.score, phrases, _summed(decoded.final_values), self.weights,
            decoded.statistics, decoded.seconds, forest,
        )  # fmt: skip

    def _build(self) -> native.PhraseModel:
        model = native.PhraseModel(self.table.native)
        orientation = self.reordering.columns if self.reordering else ()
        by_domain = any(template.declared_domains is not None for template in self.templates)
        for index, name in enumerate(self.table.columns):
            if not name.startswith(("orientation.", "domain.") if by_domain else "orientation."):
                model.set_column(index, name)
        model.set_penalties(word=_WORDS, phrase=_PHRASES, unknown=_UNKNOWN)
        for use in self.language_models:
            model.add_language_model(use.name, use.model.native, use.word_map(self.table))
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
            self._model, list(self.weights.items()) if vector is None else vector, cube=settings.search == "cube",
            beam=settings.beam, pop_limit=settings.pop_limit, threshold=settings.threshold,
            exact=settings.recombination == "exact", longest=settings.max_sentence_length,
            split=settings.long_sentences == "split",
        )  # fmt: skip

    def _copy(self, *, weights: Weights | None) -> PhraseDecoder:
        copy = object.__new__(PhraseDecoder)
        copy.__dict__.update(self.__dict__)
        copy._weights = weights
        if weights is not None:
            copy._native = copy._search()
        return copy


def _summed(values: Sequence[tuple[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for name, value in values:
        total[name] = total.get(name, 0.0) + value
    return total


def start_weights(names: Sequence[str]) -> Weights:
    """Weights of dense features before tuning: half for the language model, a bonus per word (Green et al. 2013)."""
    special = {"lm": 0.5, _WORDS: -1.0}
    return Weights({name: special.get(name, 0.2) for name in names})
