"""What decoders share whose options are rules of a table and whose search is native.

Models are built once; weights and settings make cheap copies around them. Beyond the decoder contract they all take
options of a user for spans of a sentence, rules added at run time, and a hook for unknown words.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dragoman._native import search as native
from dragoman._native.common import Vocabulary
from dragoman._native.grammar import LayeredTable
from dragoman._native.grammar import RuleTable as NativeTable
from dragoman.annotations.phrase_spans import PhraseSpan, phrase_spans
from dragoman.errors import InputError, SettingError
from dragoman.features.base import RuleFeature, SourceSentence, StateFeature
from dragoman.features.language_model import LanguageModel
from dragoman.features.template import TakesTemplates, add_templates
from dragoman.features.template_specs import template
from dragoman.features.weights import Weights
from dragoman.forest import Forest
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.rule import Rule
from dragoman.grammar.table import RuleTable
from dragoman.lm import Bounds, write_arpa
from dragoman.search.base import Decoder, Feature, UnknownWords
from dragoman.search.constraints import Constraints, ExtraOption, NativeConstraints
from dragoman.search.decoders import kinds_that
from dragoman.search.exact import upper_bounds
from dragoman.search.moses_ini import MosesLanguageModel, moses_folder
from dragoman.search.settings import ExactLimits, SearchSettings
from dragoman.search.translation import Phrase, SentenceTranslation
from dragoman.settings import declared, read_plain
from dragoman.text.source_text import Source, SourceText

__all__ = ["Marks", "Options", "TableDecoder"]

Marks = tuple[str, list[str], list[int], list[PhraseSpan], list[str], list[PhraseSpan]]
"""Domain, tags, heads, phrases, relations and labelled nodes of a sentence, as native code takes them."""

Options = list[list[tuple[int, int, str, list[tuple[str, float]], str]]]
"""Extra options per sentence, as native code takes them."""


class NativeModel(TakesTemplates, Protocol):
    """What a native search knows, part by part."""

    def set_column(self, column: int, feature: str) -> None: ...
    def add_language_model(self, feature: str, model: Any) -> None: ...
    def add_class_model(self, feature: str, model: Any, classes: Mapping[str, str]) -> None: ...
    def add_rule_feature(self, feature: object) -> None: ...
    def add_state_feature(self, feature: object) -> None: ...
    def append_names(self, names: Vocabulary) -> None: ...


class TableDecoder(Decoder):
    """A native search over rules of a table, or of a dynamic one: what is added to it counts from the next call on."""

    native_settings: ClassVar[type]
    """The native namesake of `settings_type`, field by field."""
    native_decoder: ClassVar[Callable[..., Any]]
    labelled: bool = False
    """Whether nonterminals have labels that must be those of what they cover."""
    foreign_columns: ClassVar[tuple[str, ...]] = ()
    """Beginnings of the names of columns that are no features of rules."""

    dynamic: DynamicTable | None
    table: RuleTable

    @abstractmethod
    def __init__(
        self,
        table: RuleTable | DynamicTable,
        language_models: Sequence[LanguageModel],
        weights: Mapping[str, float] | None = None,
        settings: Any = None,
        *,
        features: Sequence[Feature | str] = (),
        unknown_words: UnknownWords | None = None,
        like: Any = None,
    ) -> None:
        """Each kind checks what it is given between `_open_parts` and `_begin`."""

    @classmethod
    def open(
        cls,
        file: Callable[[str], Path],
        language_models: Sequence[LanguageModel],
        settings: Mapping[str, Any],
        *,
        features: Sequence[Feature] = (),
        like: Decoder | None = None,
    ) -> Self:
        assert like is None or isinstance(like, cls), "decoders of one kind share ids"
        chosen = cls.settings_type.from_dict(settings)
        return cls(_bundled_table(file), language_models, None, chosen, features=features, like=like)

    def with_features(self, features: Sequence[Feature | str], weights: Mapping[str, float]) -> Self:
        return type(self)(
            self.dynamic or self.table,
            self.language_models,
            weights,
            self._settings,
            features=features,
            unknown_words=self.unknown_words,
        )

    def rules_for(self, phrase: Sequence[str]) -> list[Rule]:
        return (self.dynamic or self.table).lookup(phrase) if phrase else []

    def with_table(self, table: RuleTable | DynamicTable) -> Self:
        if tuple(table.columns) != tuple(self.table.columns):
            raise SettingError("a table with other columns", remedy=f"this one has {', '.join(self.table.columns)}")
        made = self._copy()
        made._open_parts(table, self.language_models, self.features, self.unknown_words)
        made._begin(self.weights, self._settings, None)
        return made

    def _open_parts(
        self,
        table: RuleTable | DynamicTable,
        language_models: Sequence[LanguageModel],
        features: Sequence[Feature | str],
        unknown_words: UnknownWords | None,
    ) -> None:
        self.dynamic = table if isinstance(table, DynamicTable) else None
        self.table = table.base if isinstance(table, DynamicTable) else table
        self.language_models = tuple(language_models)
        self.unknown_words = unknown_words
        self._known_bounds: list[Bounds] = []
        self._finding_bounds = Lock()
        self.features = tuple(template(given) if isinstance(given, str) else given for given in features)
        if gapped := [each.prefix for each in self.templates if each.needs_gaps and not self.has_gaps]:
            raise SettingError(
                f"the template `{gapped[0]}` looks at gaps of rules, and those of a {type(self).__name__} have none",
                remedy=f"leave it out, or {kinds_that(lambda decoder: decoder.has_gaps)}",
            )
        if self.bilingual_models and not self.takes_bilingual:
            raise SettingError(
                f"a {type(self).__name__} cannot ask the model {self.bilingual_models[0]}",
                remedy=f"leave it out, or {kinds_that(lambda decoder: decoder.takes_bilingual)}",
            )

    def _begin(self, weights: Mapping[str, float] | None, settings: SearchSettings, like: Self | None) -> None:
        """Build the models, number the features, and make the native decoder."""
        self._settings = settings
        self._model = self._build(like)
        self._names: Vocabulary = Vocabulary() if like is None else like._names
        self._model.append_names(self._names)
        self._dense = tuple(self._names.word(index) for index in range(1, len(self._names)))
        given = self.start_weights() if weights is None else Weights(weights)
        self._weights: Weights | None = given
        self._vector = np.zeros(0)
        self._warned = False
        self._native = self.native_decoder(self._model, list(given.items()), self._native_settings(settings))

    @abstractmethod
    def _build(self, like: Self | None) -> NativeModel:
        """The native model, with the feature ids of the decoder that this one is `like`."""

    def _rules(self) -> LayeredTable | NativeTable:
        return self.dynamic.layer if self.dynamic else self.table.native

    def _add_columns(self, model: NativeModel) -> None:
        by_domain = any(each.declared_domains is not None for each in self.templates)
        foreign = (*self.foreign_columns, "domain.") if by_domain else self.foreign_columns
        for index, name in enumerate(self.table.columns):
            if not name.startswith(foreign):
                model.set_column(index, name)

    def _add_language_models(self, model: NativeModel) -> None:
        for use in self.language_models:
            if use.classes is None:
                model.add_language_model(use.name, use.model.native)
            else:
                model.add_class_model(use.name, use.model.native, dict(use.classes))

    def _add_orientation(self, model: native.PhraseModel | native.GappyModel, reordering: ReorderingModel) -> None:
        columns = list(reordering.columns)
        model.set_orientation(
            classes=reordering.native_classes,
            hierarchical=reordering.model == "hier",
            previous="previous" in reordering.sides,
            next="next" in reordering.sides,
            columns=[self.table.column(name) for name in columns],
            features=columns,
        )

    def _add_features(self, model: NativeModel) -> None:
        for feature in self.features:
            if isinstance(feature, RuleFeature):
                model.add_rule_feature(feature)
            if isinstance(feature, StateFeature):
                model.add_state_feature(feature)
        add_templates(model, self.table, self.templates)

    @property
    def reads_annotation(self) -> bool:
        return super().reads_annotation or self.labelled or self._settings.hard_syntax != "free"

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

    @property
    def rule_columns(self) -> tuple[str, ...]:
        return tuple(self.table.columns)

    def with_weights(self, weights: Mapping[str, float]) -> Self:
        given = Weights(weights)
        made = self.native_decoder(self._model, list(given.items()), self._native_settings(self._settings))
        return self._copy(_weights=given, _native=made)

    def with_vector(self, vector: NDArray[np.float64]) -> Self:
        """The same models under weights by feature id; it knows its `weights` by name only when they are asked for."""
        made = self.native_decoder(self._model, vector, self._native_settings(self._settings))
        return self._copy(_weights=None, _vector=vector, _native=made)

    def with_settings(self, **changes: Any) -> Self:
        settings = replace(self._settings, **read_plain(self.settings_type, changes))
        return self._copy(_settings=settings, _native=self._native.with_settings(self._native_settings(settings)))

    def with_unknown_words(self, hook: UnknownWords | None) -> Self:
        return self._copy(unknown_words=hook)

    def _native_settings(self, settings: SearchSettings) -> Any:
        """Settings for the native side, name by name."""
        made = self.native_settings()
        for name in declared(self.settings_type):
            if name not in declared(ExactLimits):
                setattr(made, name, getattr(settings, name))
        return made

    def _copy(self, **changes: Any) -> Self:
        copy: Self = object.__new__(type(self))
        copy.__dict__.update(self.__dict__ | changes)
        return copy

    def forests(self, sentences: Sequence[Source], *, threads: int = 0) -> list[Forest]:
        """All that search found for each sentence, without the best translation spelt out."""
        if self.unknown_words is not None:
            return super().forests(sentences, threads=threads)
        found = self._decode([SourceText.of(each) for each in sentences], threads, True, ())
        for decoded in found:
            decoded.check()
        return [
            Forest(decoded.forest, words=decoded.words, features=self._names, source=tuple(decoded.source))
            for decoded in found
        ]

    def try_translate(
        self,
        sentences: Sequence[Source],
        *,
        threads: int = 0,
        forests: bool = False,
        constraints: Sequence[Constraints] = (),
    ) -> list[SentenceTranslation | Exception]:
        texts, limits = [SourceText.of(each) for each in sentences], list(constraints)
        if limits:
            self.check_constraints(limits)
        failures: dict[int, Exception] = {}
        if self.unknown_words is not None:
            limits = limits or [Constraints()] * len(texts)
            for number, text in enumerate(texts):
                try:
                    limits[number] = limits[number].with_options(self._translations_of_unknown(number, text.text))
                except InputError as error:
                    failures[number], texts[number], limits[number] = error, SourceText(""), Constraints()
        found = self._decode(texts, threads, forests, limits)
        results: list[SentenceTranslation | Exception] = []
        for number, decoded in enumerate(found):
            try:
                if number in failures:
                    raise failures[number]
                decoded.check()
                results.append(replace(self._translation(decoded), annotation=texts[number].annotation))
            except Exception as error:
                results.append(error)
        return results

    def _translations_of_unknown(self, number: int, line: str) -> tuple[ExtraOption, ...]:
        """What the user's hook knows about the unknown words of a sentence."""
        positions = tuple(self._native.unknown_words(line))
        if not positions or self.unknown_words is None:
            return ()
        where = f"sentence {number + 1}"
        try:
            found = self.unknown_words(SourceSentence(number, tuple(line.split())), positions)
        except Exception as error:
            what = f"the hook for unknown words failed: {type(error).__name__}: {error}"
            raise InputError(what, where=where, remedy="mend it, or leave it out") from error
        if len(found) != len(positions):
            what = f"the hook for unknown words answered for {len(found)} words of {len(positions)}"
            raise InputError(what, where=where, remedy="give a list per word, empty where nothing is known")
        return tuple(
            ExtraOption(position, position + 1, text, features)
            for position, options in zip(positions, found, strict=True)
            for text, features in options
        )

    def _decode(
        self, texts: Sequence[SourceText], threads: int, forests: bool, constraints: Sequence[Constraints]
    ) -> list[native.Decoded]:
        lines, options, marks = self._requests(texts, constraints)
        limits: list[NativeConstraints | None] = [each.native() for each in constraints]
        found: list[native.Decoded] = self._native.decode(
            lines, options, marks, limits if any(limits) else [], threads=threads, keep_forests=forests
        )
        self._model.append_names(self._names)
        return found

    def _requests(
        self, texts: Sequence[SourceText], constraints: Sequence[Constraints] = ()
    ) -> tuple[list[str], Options, list[Marks | None]]:
        """Sentences as the native side takes them: lines, extra options, marks."""
        options: Options = []
        if any(each.options for each in constraints):
            options = [
                [(o.start, o.end, o.target, list(o.features.items()), o.policy) for o in each.options]
                for each in constraints
            ]
        for made in (each for each in self.templates if each.adds_options):
            options = options or [[] for _ in texts]
            for text, own in zip(texts, options, strict=True):
                own += [
                    (start, end, target, [(feature, 1.0)], "inclusive")
                    for start, end, target, feature in made.options(text.text.split(), text.tags)
                ]
        marks: list[Marks | None] = (
            [
                (
                    text.domain,
                    list(text.tags),
                    list(text.heads),
                    self._phrases(text),
                    list(text.relations),
                    self._nodes(text),
                )
                for text in texts
            ]
            if self.features or self.labelled or self._settings.hard_syntax != "free"
            else []
        )
        if marks:
            self._warn_of_missing_layers(texts, marks)
        return [text.text for text in texts], options, marks

    def _nodes(self, text: SourceText) -> list[PhraseSpan]:
        """What nonterminals with labels may cover."""
        return []

    def _phrases(self, text: SourceText) -> list[PhraseSpan]:
        """The phrases of a sentence, if there is a template that looks at them, or a limit that they set."""
        wanted = next((each for each in self.templates if each.needs_phrases), None)
        if text.annotation is None or (wanted is None and self._settings.hard_syntax == "free"):
            return []
        return list(phrase_spans(text.annotation, wanted.phrase_layer if wanted is not None else ""))

    def _warn_of_missing_layers(self, texts: Sequence[SourceText], marks: Sequence[Marks | None]) -> None:
        if self._warned:
            return
        tagless = [each.prefix for each in self.templates if each.needs_tags]
        treeless = [each.prefix for each in self.templates if each.needs_phrases]
        headless: list[str] = []
        for model in self.bilingual_models:
            tagless += [model.name] if "tags" in model.needs else []
            headless += [model.name] if "dependencies" in model.needs else []
        if self._settings.hard_syntax != "free":
            treeless.append("hard_syntax")
        for needing, what, missing in (
            (tagless, "tags", sum(not text.tags for text in texts) if tagless else 0),
            (headless, "dependencies", sum(not text.heads for text in texts) if headless else 0),
            (treeless, "phrases", sum(each is None or not each[3] for each in marks) if treeless else 0),
        ):
            if missing:
                self._warned = True
                warnings.warn(
                    f"{missing} of {len(texts)} sentences have no {what}: {', '.join(needing)} cannot fire for them",
                    stacklevel=5,
                )

    def _bounds(self) -> list[Bounds]:
        """Of language models, made when exact search first asks for them; decoders of one model share them."""
        with self._finding_bounds:
            if not self._known_bounds:
                self._known_bounds.extend(upper_bounds(self.language_models))
        return self._known_bounds

    def _export_folder(self, folder: Path) -> Path:
        """A folder for the files of Moses, if it has all the features of this model."""
        foreign = [
            *map(str, self.features),
            *(use.name for use in self.language_models if use.classes is not None),
        ]
        if foreign:
            raise SettingError(
                f"the model has features that Moses has not: {', '.join(foreign)}",
                remedy="train it with --templates none --set classes=0, and without features in Python",
            )
        return moses_folder(folder)

    def _export_language_models(self, folder: Path) -> list[MosesLanguageModel]:
        """Language models as ARPA files."""
        written = []
        for use in self.language_models:
            path = folder / f"{use.name}.arpa"
            write_arpa(use.model.list_ngrams(), path)
            written.append(MosesLanguageModel(use.name, path, use.model.order))
        return written

    def _translation(self, decoded: native.Decoded, columns: Sequence[str] = ()) -> SentenceTranslation:
        """What search found, for people; a lattice has names for its `columns`."""
        source, target = tuple(decoded.source), tuple(decoded.target)
        phrases = tuple(
            Phrase(
                (positions[0], positions[-1] + 1),
                place,
                tuple(source[position] for position in positions),
                tuple(target[position] for position in written),
                score,
                values,
                tuple(links),
                unknown,
                within,
                positions,
            )
            for positions, within, place, written, unknown, score, links, values in decoded.steps
        )
        forest = None
        if decoded.forest is not None:
            forest = Forest(decoded.forest, words=decoded.words, features=self._names, source=tuple(columns) or source)
        return SentenceTranslation(
            source,
            target,
            decoded.score,
            phrases,
            decoded.final_values,
            self.weights,
            decoded.statistics,
            decoded.seconds,
            forest,
            paths=tuple(map(tuple, decoded.paths)),
            language_model_seconds=decoded.language_model_seconds,
        )


def _bundled_table(file: Callable[[str], Path]) -> RuleTable:
    """The table of a model, by its name in the bundle."""
    return RuleTable.open(file("table.rules"))
