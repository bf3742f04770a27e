"""The decoder contract: sentences in, translations out, whatever the algorithm.

A decoder is made of models, weights and settings, and never changes; other weights or settings make another decoder
that shares the models. Every decoder reports scores that equal `weights . features` of its derivations, fills the same
kind of forest, and numbers its features in one vocabulary, so that tuners, combination, explanations and a server need
not know which decoder it is. `tests/conformance.py` holds all that are registered in `DECODERS` to this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dragoman._native.common import Vocabulary
from dragoman.errors import SettingError
from dragoman.features.base import RuleFeature, SourceSentence, StateFeature
from dragoman.features.bilingual import BilingualModel
from dragoman.features.language_model import LanguageModel
from dragoman.features.template import Template
from dragoman.features.weights import Weights
from dragoman.forest import Forest, KBestLists
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.rule import Rule
from dragoman.grammar.table import RuleTable
from dragoman.progress import ProgressCallback
from dragoman.search.certificate import Certificate
from dragoman.search.constraints import Constraints
from dragoman.search.decoders import kinds_that
from dragoman.search.exact import Samples
from dragoman.search.forest_certificate import ForestCertificate
from dragoman.search.lattice import Lattice
from dragoman.search.settings import SampleSettings, SearchSettings
from dragoman.search.table_options import TableOptions
from dragoman.search.translation import SentenceTranslation
from dragoman.search.unreached import Unreached
from dragoman.text.source_text import Source

__all__ = ["Decoder", "Feature", "MosesExport", "Tunable", "UnknownWords", "raise_first"]

Feature = RuleFeature | StateFeature | Template | BilingualModel
"""What a decoder may be given beyond its own features."""

UnknownWords = Callable[[SourceSentence, tuple[int, ...]], Sequence[Sequence[tuple[str, Mapping[str, float]]]]]
"""Gets a sentence and the positions of words that no rule translates by themselves, and gives for each of them its
translations: a text and the features that it fires. A word without any is left to the policy of the settings."""


@dataclass(frozen=True, slots=True)
class MosesExport:
    """A model in the formats of Moses: its files, and the features that Moses has no counterpart of."""

    files: tuple[Path, ...]
    left_out: tuple[str, ...] = ()


_START = {"lm": 0.5, "word_penalty": -1.0}


class Tunable(ABC):
    """What has weights and translates by them: a decoder, or several that are tuned as one."""

    features: tuple[Feature, ...] = ()
    """What it was given beyond its own features: sparse templates, features in Python; never changed."""

    @property
    @abstractmethod
    def feature_names(self) -> tuple[str, ...]:
        """Names of its dense features; sparse ones appear as they fire."""

    @property
    @abstractmethod
    def weights(self) -> Weights:
        """The weights in use."""

    @property
    @abstractmethod
    def feature_ids(self) -> Vocabulary:
        """Names of all features that have fired or were given a weight, by id; it grows as sparse features appear.

        All that were made from one by `with_...`, and their forests, share it. Id 0 is no feature.
        """

    @abstractmethod
    def with_weights(self, weights: Mapping[str, float]) -> Self:
        """The same models under other weights."""

    @abstractmethod
    def with_vector(self, vector: NDArray[np.float64]) -> Self:
        """The same models under weights by feature id: for tuners, as no name is looked up."""

    @abstractmethod
    def try_translate(
        self, sentences: Sequence[Source], *, threads: int = 0, forests: bool = False
    ) -> list[SentenceTranslation | Exception]:
        """Translate tokenised sentences, in order, with the error in the place of one that cannot be translated.

        `forests` keeps what search found for n-best lists and tuning. A translation tells what its search did
        (`statistics`): `language_model_queries` (one per word that search had scored, the answer known or not, so that
        decoders can be compared), the same per source word (`queries_per_word`), `built` and `kept` partial
        translations, and `rules_matched` at least.
        """

    def translate(
        self, sentences: Sequence[Source], *, threads: int = 0, forests: bool = False
    ) -> list[SentenceTranslation]:
        """As `try_translate`; the first sentence that cannot be translated raises its error."""
        return raise_first(self.try_translate(sentences, threads=threads, forests=forests))

    def forests(self, sentences: Sequence[Source], *, threads: int = 0) -> list[Forest]:
        """All that search found for each sentence: what tuners want."""
        return [found.forest for found in self.translate(sentences, threads=threads, forests=True)]

    def kbest_lists(
        self, sentences: Sequence[Source], *, nbest: int, distinct: bool = False, threads: int = 0
    ) -> KBestLists:
        """The best derivations of each sentence, as of its forest, with features by id; all that most tuners want.

        With `distinct` only the best derivation of each text. A decoder that need not write the forest for it may have
        a way of its own.
        """
        forests = self.forests(sentences, threads=threads)
        return KBestLists.of_forests(forests, nbest=nbest, distinct=distinct, threads=threads)

    @cached_property
    def templates(self) -> tuple[Template, ...]:
        """Its sparse templates."""
        return tuple(feature for feature in self.features if isinstance(feature, Template))

    @cached_property
    def bilingual_models(self) -> tuple[BilingualModel, ...]:
        """Its models of both sides."""
        return tuple(feature for feature in self.features if isinstance(feature, BilingualModel))

    @property
    def reads_annotation(self) -> bool:
        """Whether it may look at tags or trees of what it translates; features in Python always may."""
        templates = any(each.needs_tags or each.needs_phrases or each.adds_options for each in self.templates)
        return templates or any(each.needs for each in self.bilingual_models) or self.families is None

    @cached_property
    def families(self) -> tuple[str, ...] | None:
        """How names of its sparse features begin; None if features in Python may fire any."""
        ours = len(self.templates) + len(self.bilingual_models)
        return tuple(each.prefix for each in self.templates) if ours == len(self.features) else None

    def check_weights(self, weights: Weights) -> None:
        """Refuse weights for what this decoder cannot fire; what a user's features fire is known when they do."""
        if (families := self.families) is not None:
            weights.require_known([*self.feature_names, *families], prefixes=[f"{family}:" for family in families])


class Decoder(Tunable):
    """A search algorithm with its models, weights and settings."""

    settings_type: ClassVar[type[SearchSettings]]
    """What can be chosen about its search."""

    rule_kind: ClassVar[str]
    """The kind of rules that it is trained with, by its name in `dragoman.grammar.LIMITS`."""

    usual_templates: ClassVar[tuple[str, ...]] = ()
    """Sets of sparse templates that are worth learning on folds of the training text, as measured."""

    takes_bilingual: ClassVar[bool] = False
    """Whether it can be given models of both sides."""

    has_gaps: ClassVar[bool] = False
    """Whether its rules have gaps that other rules fill."""

    heeds: ClassVar[frozenset[str]] = frozenset()
    """What may restrict a sentence, by the names of the fields of `Constraints`."""

    language_models: tuple[LanguageModel, ...]

    table: RuleTable | None = None
    """The rules that it was trained with, if a table holds them."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.feature_names)} features, {len(self.weights):,} weights)"

    @classmethod
    @abstractmethod
    def open(
        cls,
        file: Callable[[str], Path],
        language_models: Sequence[LanguageModel],
        settings: Mapping[str, Any],
        *,
        features: Sequence[Feature] = (),
        like: Decoder | None = None,
    ) -> Self:
        """A decoder of the files of a model, under start weights.

        `file` says where a file is, by its name in the bundle; `settings` are plain values that differ from the usual.
        Feature ids are those of the decoder that this one is `like`, if there is one, so that vectors of weights fit
        both.
        """

    @abstractmethod
    def try_translate(
        self,
        sentences: Sequence[Source],
        *,
        threads: int = 0,
        forests: bool = False,
        constraints: Sequence[Constraints] = (),
    ) -> list[SentenceTranslation | Exception]:
        """As of all that translates; `constraints` are empty, or say for each sentence what restricts it."""

    def translate(
        self,
        sentences: Sequence[Source],
        *,
        threads: int = 0,
        forests: bool = False,
        constraints: Sequence[Constraints] = (),
    ) -> list[SentenceTranslation]:
        """As `try_translate`; the first sentence that cannot be translated raises its error."""
        return raise_first(self.try_translate(sentences, threads=threads, forests=forests, constraints=constraints))

    def check_constraints(self, constraints: Sequence[Constraints]) -> None:
        """Refuse what this decoder cannot heed."""
        for number, each in enumerate(constraints):
            if foreign := [kind for kind in each.kinds if kind not in self.heeds]:
                raise SettingError(
                    f"a {type(self).__name__} does not heed {', '.join(foreign)}",
                    where=f"sentence {number + 1}",
                    remedy=kinds_that(partial(_heeds, each.kinds)),
                )

    @property
    @abstractmethod
    def settings(self) -> SearchSettings:
        """How it searches."""

    @abstractmethod
    def with_settings(self, **changes: Any) -> Self:
        """The same models and weights, searched in another way; models are not built again."""

    @abstractmethod
    def with_features(self, features: Sequence[Feature], weights: Mapping[str, float]) -> Self:
        """The same models with these features in place of those it was given."""

    @property
    @abstractmethod
    def rule_columns(self) -> tuple[str, ...]:
        """Features that its rules carry, in the order of their table: by this order Moses numbers its weights."""

    def rules_for(self, phrase: Sequence[str]) -> list[Rule]:
        """What it has learned that these words can become as one phrase; nothing without a table."""
        return []

    def with_table(self, table: RuleTable | DynamicTable) -> Self:
        """The same decoder over another table with the same columns."""
        raise SettingError(f"a {type(self).__name__} cannot learn rules")

    def with_unknown_words(self, hook: UnknownWords | None) -> Self:
        """The same decoder, which asks a hook about words that no rule translates."""
        raise SettingError(f"a {type(self).__name__} asks nobody about unknown words")

    def translate_lattices(
        self, lattices: Sequence[Lattice], *, threads: int = 0, forests: bool = False, monotone: bool = False
    ) -> list[SentenceTranslation]:
        """Translate word graphs: of all their paths that one, and of all its translations that, which score best."""
        raise SettingError(
            f"a {type(self).__name__} does not translate lattices",
            remedy=kinds_that(lambda decoder: decoder.translate_lattices is not Decoder.translate_lattices),
        )

    def force(
        self,
        sentences: Sequence[Source],
        references: Sequence[str | Sequence[str]],
        *,
        threads: int = 0,
        forests: bool = False,
    ) -> list[SentenceTranslation | None]:
        """The best derivation of each reference, or of any of several, from its sentence; None where there is none."""
        raise SettingError(
            f"a {type(self).__name__} cannot be told what to say",
            remedy=kinds_that(lambda decoder: decoder.force is not Decoder.force),
        )

    def diagnose(self, sentence: Source, reference: str | Sequence[str]) -> Unreached | None:
        """Why a reference, or any of several, cannot be derived from a sentence; None if it can."""
        raise SettingError(
            f"a {type(self).__name__} cannot be told what to say",
            remedy=kinds_that(lambda decoder: decoder.force is not Decoder.force),
        )

    def sample(
        self, sentences: Sequence[Source], settings: SampleSettings | None = None, *, threads: int = 0
    ) -> list[Samples[SentenceTranslation]]:
        """Independent samples of derivations, distributed as exp(scale * score); see `Samples`."""
        raise SettingError(
            f"a {type(self).__name__} cannot draw samples",
            remedy=kinds_that(lambda decoder: decoder.sample is not Decoder.sample),
        )

    def stated_problem(self, source: Source) -> Certificate | ForestCertificate:
        """What a certificate of a sentence must state of this model; it answers nothing and proves nothing."""
        raise SettingError(
            f"a {type(self).__name__} cannot be searched exactly",
            remedy=kinds_that(lambda decoder: decoder.stated_problem is not Decoder.stated_problem),
        )

    def table_options(self) -> TableOptions | None:
        """Options of phrases straight from the table, if nothing else decides them."""
        return None

    @property
    def unknown_to_moses(self) -> tuple[str, ...]:
        """Features, by name, that a model in the formats of Moses would be without."""
        return ()

    def export_moses(self, folder: Path, *, progress: ProgressCallback | None = None) -> MosesExport:
        """Write models, weights and settings as Moses reads them."""
        raise SettingError(f"Moses has no counterpart of a {type(self).__name__}")

    def start_weights(self) -> Weights:
        """Weights before tuning: half for the language model, a bonus per word (Green, Wang, Cer and Manning 2013)."""
        return Weights({name: _START.get(name, 0.2) for name in self.feature_names})


def _heeds(kinds: Sequence[str], decoder: type[Decoder]) -> bool:
    return decoder.heeds.issuperset(kinds)


def raise_first(found: Sequence[SentenceTranslation | Exception]) -> list[SentenceTranslation]:
    """The translations; raises the first error among them."""
    translations = []
    for result in found:
        if isinstance(result, Exception):
            raise result
        translations.append(result)
    return translations
