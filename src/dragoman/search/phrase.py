"""Phrase-based decoding: a sentence is cut into phrases, each is translated by a rule, and the results are ordered.

Partial translations live in stacks by the number of covered words and are extended by cube pruning, or exhaustively;
a distortion limit keeps the order near that of the source, and an estimate of what is still to come keeps hard and easy
beginnings comparable. (Koehn, Och and Marcu 2003; Koehn 2004; Huang and Chiang 2007.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Self

from dragoman._native import search as native
from dragoman.errors import LimitReached, SettingError
from dragoman.features.language_model import LanguageModel
from dragoman.features.template import gathered
from dragoman.forest import KBestLists
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.table import RuleTable
from dragoman.progress import ProgressCallback
from dragoman.search.base import Feature, MosesExport, UnknownWords
from dragoman.search.certificate import Certificate, JumpCosts, StatedOption
from dragoman.search.certified_models import ModelUse
from dragoman.search.certified_states import StatedFeature
from dragoman.search.constraints import Constraints
from dragoman.search.exact import Round, Samples, exact_limits, native_settings, no_forest
from dragoman.search.forced import ForcedDecoder
from dragoman.search.lattice import LATTICE, Lattice
from dragoman.search.moses_export import export_phrase_model, unknown_to_moses
from dragoman.search.proof import proof_of
from dragoman.search.settings import ExactSettings, PhraseSettings, SampleSettings, SearchSettings
from dragoman.search.table_decoder import Marks, Options
from dragoman.search.table_options import TableOptions
from dragoman.search.translation import UNKNOWN, SentenceTranslation
from dragoman.text.source_text import Source, SourceText

__all__ = ["LanguageModel", "PhraseDecoder", "PhraseSettings", "UnknownWords"]

_DISTORTION, _WORDS, _PHRASES = "distortion", "word_penalty", "phrase_penalty"


class PhraseDecoder(ForcedDecoder):
    """Stack decoding with phrases, by cube pruning or exhaustively.

    Rules come from a table, or from a dynamic one: what is added to it or removed counts from the next call on. Feature
    ids are those of the decoder that this one is `like`, if there is one, so that vectors of weights fit both.
    """

    settings_type: ClassVar[type[SearchSettings]] = PhraseSettings
    rule_kind: ClassVar[str] = "phrase"
    usual_templates: ClassVar[tuple[str, ...]] = ("filtered",)
    native_settings = native.PhraseSettings
    native_decoder = native.PhraseDecoder
    foreign_columns = ("orientation.",)
    takes_bilingual: ClassVar[bool] = True
    heeds: ClassVar[frozenset[str]] = frozenset({"options", "prefix", "walls", "zones", "monotone", "no_drop"})
    loosened: ClassVar[tuple[tuple[str, int | str, str], ...]] = (
        ("distortion_limit", -1, "it needs jumps over more than {} words"),
        ("max_phrase_length", 2**16, "it needs phrases of more than {} words"),
    )
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
                "a table of phrases with gaps, which this decoder does not know",
                where=str(self.table.path),
                remedy="use the kind gappy, or extract it without --gaps",
            )
        if reordering == "from table":
            reordering = self.table.metadata.get("reordering") or None
        self.reordering = ReorderingModel.parse(reordering) if isinstance(reordering, str) else reordering
        self._begin(weights, settings or PhraseSettings(), like)

    @property
    def settings(self) -> PhraseSettings:
        return self._settings

    def with_features(self, features: Sequence[Feature | str], weights: Mapping[str, float]) -> Self:
        return type(self)(
            self.dynamic or self.table,
            self.language_models,
            weights,
            self._settings,
            features=features,
            reordering=self.reordering,
            unknown_words=self.unknown_words,
        )

    def kbest_lists(
        self, sentences: Sequence[Source], *, nbest: int, distinct: bool = False, threads: int = 0
    ) -> KBestLists:
        """Lists straight from search, without forests."""
        if self._settings.search == "exact":
            raise no_forest()
        lines, options, marks = self._requests_with_unknown(sentences)
        found = self._native.kbest_lists(lines, options, marks, nbest=nbest, distinct=distinct, threads=threads)
        self._model.append_names(self._names)
        return KBestLists(*found)

    def _requests_with_unknown(self, sentences: Sequence[Source]) -> tuple[list[str], Options, list[Marks | None]]:
        """Sentences as the native side takes them, with what the user's hook knows about unknown words."""
        texts = [SourceText.of(each) for each in sentences]
        if self.unknown_words is None:
            return self._requests(texts)
        extra = [Constraints(self._translations_of_unknown(number, text.text)) for number, text in enumerate(texts)]
        return self._requests(texts, extra)

    def _decode(
        self, texts: Sequence[SourceText], threads: int, forests: bool, constraints: Sequence[Constraints]
    ) -> list[native.Decoded]:
        if self._settings.search != "exact":
            return super()._decode(texts, threads, forests, constraints)
        if forests:
            raise no_forest()
        return self._optimize(self._requests(texts, constraints), exact_limits(self._settings), threads, constraints)

    def optimize(
        self, sentences: Sequence[Source], settings: ExactSettings | None = None, *, threads: int = 0
    ) -> list[SentenceTranslation]:
        """The best derivation of each sentence with its `proof`, by settings that `search="exact"` does not have."""
        found = self._optimize(self._requests_with_unknown(sentences), settings or ExactSettings(), threads, ())
        for decoded in found:
            decoded.check()
        return [self._translation(decoded) for decoded in found]

    def _optimize(
        self,
        requests: tuple[list[str], Options, list[Marks | None]],
        settings: ExactSettings,
        threads: int,
        constraints: Sequence[Constraints],
    ) -> list[native.Decoded]:
        lines, options, marks = requests
        limits = [each.native() for each in constraints]
        bounds = [each.native for each in self._bounds()]
        chosen = native_settings(native.ExactSettings, settings)
        found = self._native.optimize(
            lines, options, marks, limits if any(limits) else [], bounds, chosen, threads=threads
        )
        self._model.append_names(self._names)
        return list(found)

    def _translation(self, decoded: native.Decoded, columns: Sequence[str] = ()) -> SentenceTranslation:
        found = super()._translation(decoded, columns)
        if decoded.proof is None:
            return found
        return replace(
            found, proof=proof_of(decoded.proof, found.score, partial(self._certificate, decoded.proof, found))
        )

    def sample(
        self, sentences: Sequence[Source], settings: SampleSettings | None = None, *, threads: int = 0
    ) -> list[Samples[SentenceTranslation]]:
        """Independent samples of derivations, distributed as exp(scale * score)."""
        chosen = settings or SampleSettings()
        lines, options, marks = self._requests_with_unknown(sentences)
        bounds = [each.native for each in self._bounds()]
        given = native_settings(native.SampleSettings, chosen)
        found = self._native.sample(lines, options, marks, [], bounds, given, threads=threads)
        self._model.append_names(self._names)
        return [
            Samples(
                tuple(map(self._translation, derivations)),
                tuple(draws),
                tuple(Round(*row) for row in rounds),
                reached,
                log_partition,
                chosen.scale,
            )
            for derivations, draws, rounds, reached, log_partition in found
        ]

    def stated_problem(self, source: Source) -> Certificate:
        found = self.optimize([source], ExactSettings(iterations=0, seed_search=False), threads=1)[0].proof
        assert found is not None
        certificate = found.certificate
        if not isinstance(certificate, Certificate):
            raise LimitReached(found.missing)
        return certificate

    def table_options(self) -> TableOptions | None:
        chosen = self._settings
        if self.features or self.unknown_words is not None or self.dynamic is not None or chosen.hard_syntax != "free":
            return None
        columns = tuple(name for name in self.table.columns if not name.startswith(self.foreign_columns))
        return TableOptions(
            self.table,
            columns,
            self.weights,
            self.language_models,
            chosen.option_limit,
            chosen.max_phrase_length,
            chosen.unknown,
        )

    def _certificate(self, found: native.Proof, translation: SentenceTranslation) -> Certificate | None:
        """What proves the bound; None where native search says what is missing."""
        if found.missing:
            return None
        chosen, weights = self._settings, self.weights
        limit = -1 if chosen.distortion_limit < 0 else chosen.distortion_limit
        return Certificate(
            translation.source,
            tuple(StatedOption(*each) for each in found.options),
            JumpCosts(weights.get(_DISTORTION, 0.0), limit, chosen.final_jump, chosen.limit_kind),
            tuple(ModelUse(use.name, weights.get(use.name, 0.0), use.model.order) for use in self.language_models),
            tuple(found.derivation),
            translation.score,
            found.bound,
            tuple(dict.fromkeys(found.contexts)),
            found.reordering,
            tuple(
                StatedFeature(name, tuple(map(tuple, after)), tuple(map(tuple, scores)), tuple(states))
                for name, after, scores, states in found.features
            ),
        )

    def translate_lattices(
        self, lattices: Sequence[Lattice], *, threads: int = 0, forests: bool = False, monotone: bool = False
    ) -> list[SentenceTranslation]:
        """Translate word graphs: of all their paths that one, and of all its translations that, which score best.

        The scores of arcs are values of the feature `lattice`, whose weight is 1 unless the weights say otherwise.
        The source of a translation is the path that was taken; jumps are counted in nodes.
        """
        if self._settings.search == "exact":
            raise SettingError("exact search takes no lattices", remedy="search them by cubes or stacks")
        if LATTICE not in self.weights:
            return self.with_weights({**self.weights, LATTICE: 1.0}).translate_lattices(
                lattices, threads=threads, forests=forests, monotone=monotone
            )
        found = self._native.decode_lattices(
            [" ".join(each.columns) for each in lattices],
            [each.native() for each in lattices],
            LATTICE,
            [Constraints(monotone=True).native()] * len(lattices) if monotone else [],
            threads=threads,
            keep_forests=forests,
        )
        self._model.append_names(self._names)
        for decoded in found:
            decoded.check()
        return [self._translation(decoded, each.columns) for decoded, each in zip(found, lattices, strict=True)]

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

    def _build(self, like: PhraseDecoder | None) -> native.PhraseModel:
        model = native.PhraseModel(self._rules(), like._model if like is not None else None)
        self._add_columns(model)
        model.set_penalties(word=_WORDS, phrase=_PHRASES, unknown=UNKNOWN, distortion=_DISTORTION)
        self._add_language_models(model)
        if self.reordering is not None:
            self._add_orientation(model, self.reordering)
        for each in self.bilingual_models:
            each.add_to(model, self.table)
        self._add_features(model)
        return model
