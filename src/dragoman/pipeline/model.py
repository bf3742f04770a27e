"""The model: a bundle opened for translating raw text.

Opening maps the tables and reads the weights; nothing is copied, so it costs the same whatever the size. A model never
changes: other weights or search settings make another model that shares the tables. Text goes through the source side's
preprocessor, the decoder, and the target side's, which puts back what was protected; the way of every word is kept.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack, overload

from dragoman._native.common import worker_count
from dragoman.bundle import Bundle, Provenance, writing_bundle
from dragoman.errors import BundleError, SettingError
from dragoman.features.imported import ImportedFeature
from dragoman.features.marks import AnnotatedText, MarkedSentence
from dragoman.features.resources import ResourceOptions
from dragoman.features.template import Classes, Domains, Template
from dragoman.features.template_sets import template_specs
from dragoman.features.weights import Weights
from dragoman.files import take_file
from dragoman.grammar.table import RuleTable
from dragoman.lm import ClassMap, NgramModel
from dragoman.pipeline.tags import links_with_tags, positions_without_tags, token_line
from dragoman.pipeline.templates import (
    FOLDER,
    features_settings,
    given_files,
    made_templates,
    read_features,
    read_templates,
    require_trust,
    resources_of,
    usual_min_count,
)
from dragoman.pipeline.translated import Candidate, Translated
from dragoman.search.phrase import LanguageModel, PhraseDecoder, PhraseSettings
from dragoman.search.translation import Translation
from dragoman.text.preprocessor import Preprocessor

if TYPE_CHECKING:
    from dragoman.forest import Derivation
    from dragoman.text.prepared import Prepared

__all__ = [
    "BUNDLE_KIND",
    "LM_CLASSES",
    "Candidate",
    "Model",
    "Preprocessors",
    "SearchChanges",
    "Translated",
    "bundle_settings",
    "load",
    "read_language_models",
]

BUNDLE_KIND = "translation"
"""Kind of the bundles that translate."""

LM_CLASSES = "lm_classes"
"""Feature of the language model over word classes."""


class Preprocessors(NamedTuple):
    """The two sides' preprocessors: the source's prepares, the target's restores."""

    source: Preprocessor
    target: Preprocessor


class SearchChanges(TypedDict, total=False):
    """Settings of `PhraseSettings` that a call may change."""

    search: str
    recombination: str
    beam: int
    pop_limit: int
    threshold: float
    distortion_limit: int
    limit_kind: str
    future_distortion: bool
    final_jump: bool
    option_limit: int
    max_phrase_length: int
    unknown: str
    max_sentence_length: int
    long_sentences: str
    check_features: bool


def bundle_settings(
    search: PhraseSettings, language_models: Sequence[str], *, weights: str = "weights.txt"
) -> dict[str, Any]:
    """What the manifest of a bundle says about how to open it."""
    return {
        "decoder": "phrase",
        "weights": weights,
        "language_models": list(language_models),
        "search": asdict(search),
    }


def read_language_models(file: Callable[[str], Path], names: Sequence[str]) -> list[LanguageModel]:
    """Language models by the names of their features; `file` says where a file is."""
    models = []
    for name in names:
        classes = ClassMap.read(file("classes.tsv")).classes if name == LM_CLASSES else None
        models.append(LanguageModel(name, NgramModel.open(file(f"{name}.bin")), classes))
    return models


class Model:
    """A trained model, ready to translate; safe to share between threads."""

    def __init__(
        self, bundle: Bundle, decoder: PhraseDecoder, imported: Sequence[ImportedFeature] = (), *, stored: bool = True
    ) -> None:
        self.bundle, self.decoder, self.imported = bundle, decoder, tuple(imported)
        self._stored = stored  # whether the bundle has these templates and features

    @classmethod
    def open(cls, path: Path | str, *, trust_features: bool = False) -> Model:
        """Open a bundle that `train` wrote.

        A bundle may name features in Python modules. They are code: it is imported with `trust_features` only.
        """
        bundle = Bundle.open(path, kind=BUNDLE_KIND)
        where = str(bundle.path)
        try:
            if bundle.settings["decoder"] != "phrase":
                raise BundleError(
                    f"made for a decoder called {bundle.settings['decoder']!r}",
                    where=where,
                    remedy="install the version of dragoman that made it",
                )
            search = PhraseSettings(**bundle.settings["search"])
            names = [str(name) for name in bundle.settings["language_models"]]
            weights_file = str(bundle.settings["weights"])
            entries = list(bundle.settings.get("templates", ()))
            imported = read_features(bundle.settings.get("features", ()), where=where)
        except (KeyError, TypeError, SettingError) as error:
            raise BundleError(
                f"damaged: its settings are not usable ({error})", where=where, remedy="copy or train the model again"
            ) from None
        models = read_language_models(bundle.file, names)
        weights = Weights.load(bundle.file(weights_file))
        require_trust(imported, trusted=trust_features, where=where)
        features = [feature.load() for feature in imported]
        templates = read_templates(entries, bundle.file, where=where)
        table = RuleTable.open(bundle.file("table.rules"))
        decoder = PhraseDecoder(table, models, weights, search, features=[*features, *templates])
        decoder.check_weights(weights)
        return cls(bundle, decoder, imported)

    def __repr__(self) -> str:
        return f"Model({str(self.path)!r}, {'-'.join(self.languages)})"

    @property
    def path(self) -> Path:
        """Where the bundle lies."""
        return self.bundle.path

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target language."""
        source, target = self.bundle.languages
        return source, target

    @cached_property
    def preprocessors(self) -> Preprocessors:
        """What prepares raw text and restores it; read when first used."""
        return Preprocessors(*(Preprocessor.load(self.path / side) for side in ("source", "target")))

    @property
    def weights(self) -> Weights:
        """The weights in use."""
        return self.decoder.weights

    @cached_property
    def report(self) -> dict[str, Any]:
        """What training said about itself: sizes, seconds by stage, the score on the dev set."""
        report: dict[str, Any] = json.loads(self.bundle.file("report.json").read_text("utf-8"))
        return report

    def with_weights(self, weights: Weights | Mapping[str, float]) -> Model:
        """The same model under other weights."""
        weights = Weights(weights)
        self.decoder.check_weights(weights)
        return self._with(self.decoder.with_weights(weights))

    def with_settings(self, **search: Unpack[SearchChanges]) -> Model:
        """The same model searched in another way."""
        if not search:
            return self
        return self._with(self.decoder.with_settings(replace(self.decoder.settings, **search)))

    def with_templates(
        self,
        templates: Sequence[str],
        *,
        text: tuple[Sequence[str], Sequence[str]] | None = None,
        source_classes: Classes | None = None,
        target_classes: Classes | None = None,
        min_count: int = 0,
        domains: Domains | None = None,
        resource_options: ResourceOptions | None = None,
    ) -> Model:
        """The same model with further sparse templates, which weigh nothing until they are tuned.

        Templates are specifications (`rule:min_count=10`) or names of sets (`extended+filtered`); one that the model
        has with other options or classes is replaced, and its weights are dropped. Classes and word lists are those
        given, or else those that the model has, or else made from `text`, raw segments of both sides like those it was
        trained on. `min_count` is that of sets that filter by it, by default the usual one for the size of the training
        text.
        """
        own = self.decoder.templates
        given = {"source_classes": source_classes, "target_classes": target_classes}
        known = resources_of(own) | {option: value for option, value in given.items() if value is not None}
        planned = template_specs(
            templates,
            min_count=min_count or usual_min_count(self._pairs),
            domains=domains or next((each.declared_domains for each in own if each.declared_domains), None),
        )
        given_files(planned)
        added = made_templates(
            planned,
            known=known,
            resource_options=resource_options,
            text=None if text is None else lambda side: self._tokens(side, text[side], resource_options),
        )
        new = {template.prefix: template for template in added}
        gone = {each.prefix for each in own if each.prefix in new and each != new[each.prefix]}
        weights = {name: value for name, value in self.weights.items() if name.partition(":")[0] not in gone}
        return self._with_features([*(each for each in own if each.prefix not in new), *added], self.imported, weights)

    def with_features(self, features: Sequence[str | ImportedFeature]) -> Model:
        """The same model with further features in Python: `module:Class` or `module:Class:option=value`.

        Naming them here imports their modules. They weigh nothing until they are tuned.
        """
        parsed = [ImportedFeature.parse(each) if isinstance(each, str) else each for each in features]
        return self._with_features(self.decoder.templates, (*self.imported, *parsed), self.weights)

    def _with_features(
        self, templates: Sequence[Template], imported: Sequence[ImportedFeature], weights: Mapping[str, float]
    ) -> Model:
        features = [feature.load() for feature in imported]
        model = self._with(self.decoder.with_features([*features, *templates], weights))
        model.imported, model._stored = tuple(imported), False
        return model

    @property
    def _pairs(self) -> int:
        """Size of the training text, as far as it is known."""
        known = self.report if "report.json" in self.bundle.sizes else {}
        return int(known.get("stages", {}).get("prepare", {}).get("pairs", 0))

    def _tokens(self, side: int, text: Sequence[str], resource_options: ResourceOptions | None) -> list[str]:
        workers = resource_options.threads if resource_options is not None else 0
        return [token_line(each) for each in self.preprocessors[side].prepare_all(list(text), threads=workers)]

    def _with(self, decoder: PhraseDecoder) -> Model:
        model = Model(self.bundle, decoder, self.imported, stored=self._stored)
        if "preprocessors" in self.__dict__:
            model.__dict__["preprocessors"] = self.preprocessors
        return model

    def save_weights(
        self, weights: Weights | Mapping[str, float] | None = None, *, change: str = "new weights"
    ) -> Model:
        """Put weights (this model's own by default) into the bundle, in one step; what made it stays on record.

        A model with other templates or features than its bundle is saved as a whole, by `save`.
        """
        model = self if weights is None else self.with_weights(weights)
        if not self._stored:
            raise SettingError(
                "templates or features are not those of the bundle", where=str(self.path), remedy="save the whole model"
            )
        text = model.weights.to_text()
        old = str(self.bundle.settings["weights"])
        new = f"weights-{sha256(text.encode()).hexdigest()[:12]}.txt"
        if new == old:
            return model
        settings = {**self.bundle.settings, "weights": new}
        bundle = self.bundle.replaced(old, new, text, settings=settings, change=change)
        model.bundle = self.bundle = bundle
        return model

    def save(self, path: Path | str | None = None, *, change: str = "saved") -> Model:
        """Write the whole model, as it is now, to a bundle: a new one, or the one it came from.

        It is written aside and renamed, so that a crash leaves the old bundle or none. Files that are the same in both
        take no further space where the disk can do that.
        """
        old = self.bundle
        named = {str(old.settings["weights"])}
        settings = {**old.settings, **bundle_settings(self.decoder.settings, old.settings["language_models"])}
        provenance = Provenance.of_manifest(old.provenance).changed(change)
        target = old.path if path is None else Path(path)
        with writing_bundle(
            target, kind=BUNDLE_KIND, languages=old.languages, settings=settings, provenance=provenance
        ) as files:
            for name in old.sizes:
                if name not in named and not name.startswith(f"{FOLDER}/"):
                    (files / name).parent.mkdir(parents=True, exist_ok=True)
                    take_file(old.file(name), files / name)
            settings |= features_settings(self.decoder.templates, self.imported, files)
            self.weights.save(files / settings["weights"])
        saved = self._with(self.decoder)
        saved.bundle, saved._stored = Bundle.open(target, kind=BUNDLE_KIND), True
        return saved

    def marked(self, raw: str, tokens: str) -> str:
        """The tokens of a text, with its domain and the layers of its annotation if it has any."""
        if not isinstance(raw, MarkedSentence):
            return tokens
        if raw.domain:
            self.check_domain(raw.domain)
        return raw.tokenized(tokens) if isinstance(raw, AnnotatedText) else MarkedSentence(tokens, domain=raw.domain)

    def check_domain(self, domain: str) -> None:
        """Refuse a domain that the model does not tell apart."""
        known = next((each.declared_domains.names for each in self.decoder.templates if each.declared_domains), ())
        if domain not in known:
            remedy = f"choose from {', '.join(known)}" if known else "it has no templates that tell domains apart"
            raise SettingError(f"the model has no domain {domain!r}", where=str(self.path), remedy=remedy)

    @overload
    def translate(
        self,
        text: str,
        *,
        threads: int = 0,
        nbest: int = 0,
        forests: bool = False,
        consensus: int = 0,
        scale: float = 1.0,
        **search: Unpack[SearchChanges],
    ) -> Translated: ...

    @overload
    def translate(
        self,
        text: list[str] | tuple[str, ...],
        *,
        threads: int = 0,
        nbest: int = 0,
        forests: bool = False,
        consensus: int = 0,
        scale: float = 1.0,
        **search: Unpack[SearchChanges],
    ) -> list[Translated]: ...

    def translate(
        self,
        text: str | list[str] | tuple[str, ...],
        *,
        threads: int = 0,
        nbest: int = 0,
        forests: bool = False,
        consensus: int = 0,
        scale: float = 1.0,
        **search: Unpack[SearchChanges],
    ) -> Translated | list[Translated]:
        """Translate raw text, one or many; each may have several lines or sentences.

        `nbest` keeps so many different translations of each text, `forests` all that search found. A text that is not
        blank never becomes blank; tags and placeholders come back exactly once; white space at the edges stays.
        A `MarkedSentence` carries the domain of its text, an `AnnotatedText` also the tags and heads of its sentence.
        With `consensus` a sentence is not translated by what scores best, but by what of so many best agrees most with
        all that search found; `scale` is what scores are multiplied by for that (see `Translation.by_consensus`).
        """
        for name, value in (("nbest", nbest), ("consensus", consensus)):
            if value < 0:
                raise SettingError(f"{name} is {value}", remedy="ask for 0 or more")
        if not 0 < scale < math.inf:
            raise SettingError(f"scale is {scale}", remedy="it must be more than 0")
        decoder = self.with_settings(**search).decoder
        choose = partial(Translation.by_consensus, size=consensus, scale=scale) if consensus else None
        texts = [text] if isinstance(text, str) else list(text)
        found = self._translate(decoder, texts, threads, nbest, forests, choose)
        return found[0] if isinstance(text, str) else found

    def _translate(
        self,
        decoder: PhraseDecoder,
        texts: list[str],
        threads: int,
        nbest: int,
        forests: bool,
        choose: Callable[[Translation], Translation] | None,
    ) -> list[Translated]:
        before, after = self.preprocessors
        workers = threads if len(texts) > 50 else 1
        prepared = before.prepare_all(texts, threads=workers)
        positions = [[positions_without_tags(sentence) for sentence in text.sentences] for text in prepared]
        lines = [
            self.marked(raw, " ".join(sentence.tokens[place] for place in places))
            for raw, text, kept in zip(texts, prepared, positions, strict=True)
            for sentence, places in zip(text.sentences, kept, strict=True)
        ]
        needed = forests or nbest > 0 or choose is not None
        translations = decoder.translate(lines, threads=threads, forests=needed)
        if choose is not None:
            with ThreadPoolExecutor(worker_count(threads)) as pool:
                translations = list(pool.map(choose, translations))
        decoded = iter(translations)
        sentences = [tuple(next(decoded) for _ in text.sentences) for text in prepared]
        restored = after.restore_all(
            [[sentence.target for sentence in text] for text in sentences],
            prepared,
            [
                [links_with_tags(sentence.alignment, places) for sentence, places in zip(text, kept, strict=True)]
                for text, kept in zip(sentences, positions, strict=True)
            ],
            threads=workers,
        )
        results = []
        for number, (source, text, found) in enumerate(zip(texts, restored, sentences, strict=True)):
            candidates: tuple[Candidate, ...] = ()
            if nbest:
                candidates = tuple(self._candidates(found, positions[number], prepared[number], nbest))
            if needed and not forests:
                found = tuple(sentence.without_forest() for sentence in found)
            results.append(Translated(source, text, found, candidates))
        return results

    def _candidates(
        self, sentences: Sequence[Translation], positions: Sequence[Sequence[int]], prepared: Prepared, size: int
    ) -> list[Candidate]:
        """The best translations of a text out of those of its sentences, restored, each text once, its own first."""
        first: tuple[float, tuple[Derivation, ...]] = (0.0, ())
        combined = [first]
        for sentence in sentences:
            listed = sentence.nbest(size, distinct=True)
            combined = heapq.nlargest(
                size,
                (
                    (score + derivation.score, (*chosen, derivation))
                    for score, chosen in combined
                    for derivation in listed
                ),
                key=lambda pair: pair[0],
            )
            first = (first[0] + listed[0].score, (*first[1], listed[0]))
        combined = [first, *(each for each in combined if each[1] != first[1])][:size]
        texts = self.preprocessors.target.restore_all(
            [[derivation.target for derivation in chosen] for _, chosen in combined],
            [prepared] * len(combined),
            [
                [
                    links_with_tags(derivation.links, places)
                    for derivation, places in zip(chosen, positions, strict=True)
                ]
                for _, chosen in combined
            ],
        )
        found: dict[str, Candidate] = {}
        for text, (score, chosen) in zip(texts, combined, strict=True):
            found.setdefault(text, Candidate(text, score, _summed(chosen)))
        return list(found.values())


def _summed(chosen: Sequence[Derivation]) -> dict[str, float]:
    total: dict[str, float] = {}
    for derivation in chosen:
        for name, value in derivation.features.items():
            total[name] = total.get(name, 0.0) + value
    return total


def load(path: Path | str, *, trust_features: bool = False) -> Model:
    """Open a model bundle; `trust_features` imports the features in Python that it may name."""
    return Model.open(path, trust_features=trust_features)
