"""The model: a bundle opened for translating raw text.

Opening maps the tables and reads the weights; nothing is copied, so it costs the same whatever the size. A model never
changes: other weights or search settings make another model that shares the tables. Text goes through the source side's
preprocessor, the decoder, and the target side's, which puts back what was protected; the way of every word is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property, partial
from hashlib import sha256
from html import escape
from itertools import accumulate, islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from dragoman._native.common import worker_count
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.corpus import annotate_lines
from dragoman.bundle import Bundle, Provenance, require_new_bundle, writing_bundle
from dragoman.errors import BundleError, InputError, LengthMismatch, LimitReached, SettingError, UnknownName
from dragoman.features.bilingual import read_bilingual_models
from dragoman.features.imported import ImportedFeature
from dragoman.features.language_model import LanguageModel
from dragoman.features.resources import ResourceOptions
from dragoman.features.template import Classes, Domains, Template
from dragoman.features.template_sets import template_specs
from dragoman.features.weights import Weights
from dragoman.files import take_file
from dragoman.lm import ClassMap, NgramModel
from dragoman.pipeline.choosing import Choose, choice, chosen
from dragoman.pipeline.control import Control, Steering, with_prefix
from dragoman.pipeline.evidence import Evidence
from dragoman.pipeline.kept_annotators import kept_annotator
from dragoman.pipeline.lattices import LatticeTranslator
from dragoman.pipeline.postprocessing import AGREEMENT_FILE, with_agreement, with_postprocessing
from dragoman.pipeline.stored_templates import (
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
from dragoman.pipeline.tags import links_with_tags, positions_without_tags, ranges_without_tags, token_line
from dragoman.pipeline.translation import Translation
from dragoman.plain_data import parse_json
from dragoman.progress import ProgressCallback
from dragoman.remote_files import fetched_bundle
from dragoman.search import DECODERS
from dragoman.search.base import Decoder, MosesExport, UnknownWords
from dragoman.search.confidence import Confidence
from dragoman.search.constraints import Constraints
from dragoman.search.exact import Samples
from dragoman.search.lattice import Lattice
from dragoman.search.settings import SampleSettings, SearchSettings
from dragoman.search.translation import SentenceTranslation
from dragoman.settings import check_argument
from dragoman.text.placeholders import ProtectedSpan
from dragoman.text.preprocessor import Preprocessor
from dragoman.text.source_text import Source, SourceText

if TYPE_CHECKING:
    from dragoman.forest import Derivation
    from dragoman.text.prepared import Prepared, PreparedSentence

__all__ = [
    "BUNDLE_KIND",
    "LM_CLASSES",
    "POSTPROCESSING_FOLDER",
    "TUNING_OF_ALL",
    "Model",
    "Preprocessors",
    "bundle_settings",
    "load",
    "read_language_models",
    "translate",
    "tuned_facts",
]

BUNDLE_KIND = "translation"
"""Kind of the bundles that translate."""

LM_CLASSES = "lm_classes"
"""Feature of the language model over word classes."""


TUNING_OF_ALL = "tuning of all"
"""How a report calls the tuning of dense weights after the learning of sparse ones."""

_CONFIDENCE = "confidence.json"

POSTPROCESSING_FOLDER = "postprocessing"
"""Where a bundle has what it learned of case and blanks."""


class _Wish(NamedTuple):
    """How texts are to be translated."""

    threads: int
    forests: bool
    choose: Choose | None
    steering: Steering | None
    """What restricts the translations; None if nothing does."""
    prefixes: Sequence[str]
    max_tokens: int = 0


class Preprocessors(NamedTuple):
    """The two sides' preprocessors: the source's prepares, the target's restores."""

    source: Preprocessor
    target: Preprocessor


def bundle_settings(
    kind: str,
    search: SearchSettings,
    language_models: Sequence[str],
    *,
    bilingual: Sequence[str] = (),
    weights: str = "weights.txt",
) -> dict[str, Any]:
    """What the manifest of a bundle says about how to open it."""
    return {
        "decoder": kind,
        "weights": weights,
        "language_models": list(language_models),
        "bilingual_models": list(bilingual),
        "search": search.differences(),
    }


def tuned_facts(stages: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the last stage that tuned weights says of itself, of those that a report of training has."""
    return next((stages[name] for name in (TUNING_OF_ALL, "learning", "tuning") if stages.get(name)), {})


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
        self, bundle: Bundle, decoder: Decoder, imported: Sequence[ImportedFeature] = (), *, stored: bool = True
    ) -> None:
        self.bundle, self.decoder, self.imported = bundle, decoder, tuple(imported)
        self._stored = stored  # whether the bundle has these templates and features
        self._annotator: Annotator | None = None

    @classmethod
    def open(cls, path: Path | str, *, trust_features: bool = False) -> Model:
        """Open a bundle that `train` wrote.

        A bundle may name features in Python modules. They are code: it is imported with `trust_features` only.
        """
        bundle = Bundle.open(path, kind=BUNDLE_KIND)
        where = str(bundle.path)
        damaged = "copy or train the model again"
        try:
            kind = DECODERS.get(bundle.settings["decoder"])
            search = dict(bundle.settings["search"])
            names = [str(name) for name in bundle.settings["language_models"]]
            bilingual = [str(name) for name in bundle.settings.get("bilingual_models", ())]
            weights_file = str(bundle.settings["weights"])
            entries = list(bundle.settings.get("templates", ()))
            imported = read_features(bundle.settings.get("features", ()), where=where)
        except UnknownName as error:
            remedy = "install the version of dragoman that made it"
            raise BundleError(f"made for another decoder ({error.what})", where=where, remedy=remedy) from None
        except (KeyError, TypeError, ValueError) as error:
            raise BundleError(f"damaged: its settings are not usable ({error})", where=where, remedy=damaged) from None
        models = read_language_models(bundle.file, names)
        weights = Weights.load(bundle.file(weights_file))
        require_trust(imported, trusted=trust_features, where=where)
        features = [
            *(feature.load() for feature in imported),
            *read_bilingual_models(bundle.file, bilingual),
            *read_templates(entries, bundle.file, where=where),
        ]
        try:
            decoder = kind.open(bundle.file, models, search, features=features)
        except (SettingError, UnknownName) as error:
            raise BundleError(f"damaged: its settings are not usable ({error})", where=where, remedy=damaged) from None
        decoder.check_weights(weights)
        decoder = decoder.with_weights(weights)
        return cls(bundle, decoder, imported)

    def __repr__(self) -> str:
        return f"Model({str(self.path)!r}, {'-'.join(self.languages)})"

    def _repr_html_(self) -> str:
        """What it is, for notebooks."""
        stages = self.report.get("stages", {}) if "report.json" in self.bundle.sizes else {}
        tuned = tuned_facts(stages)
        facts = {
            "languages": " to ".join(self.languages),
            "kind": str(self.bundle.settings["decoder"]),
            "learned from": f"{self._pairs:,} pairs" if self._pairs else "",
            "rules": f"{stages['table']['rules']:,}" if "table" in stages else "",
            "dev BLEU": f"{tuned['dev_bleu']:.1f}" if "dev_bleu" in tuned else "",
            "size": f"{sum(self.bundle.sizes.values()) / 2**20:.0f} MB in {self.path}",
        }
        rows = "".join(f"<tr><th>{name}</th><td>{escape(said)}</td></tr>" for name, said in facts.items() if said)
        return f"<table>{rows}</table>"

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
        source, target = (Preprocessor.load(self.path / side) for side in ("source", "target"))
        way = str(self.bundle.settings.get("postprocess", "rules"))
        target = with_postprocessing(way, target, self.path / POSTPROCESSING_FOLDER)
        if AGREEMENT_FILE in self.bundle.sizes:
            entries = [str(entry) for entry in self.bundle.settings.get("target_annotators", ())]
            target = with_agreement(target, self.bundle.file(AGREEMENT_FILE), kept_annotator(entries, self.path))
        return Preprocessors(source, target)

    @property
    def weights(self) -> Weights:
        """The weights in use."""
        return self.decoder.weights

    @cached_property
    def report(self) -> dict[str, Any]:
        """What training said about itself: sizes, seconds by stage, the score on the dev set."""
        path = self.bundle.file("report.json")
        report: dict[str, Any] = parse_json(path.read_bytes(), where=str(path))
        return report

    @cached_property
    def confidence(self) -> Confidence | None:
        """What says how sure it is of its words, if that was fitted (see `dragoman.pipeline.confidence`)."""
        if _CONFIDENCE not in self.bundle.sizes:
            return None
        path = self.bundle.file(_CONFIDENCE)
        return Confidence.from_json(path.read_text("utf-8"), where=str(path))

    @cached_property
    def evidence(self) -> Evidence:
        """What the model remembers of the text that it was trained on."""
        return Evidence.of(self.decoder, self.bundle)

    def need_confidence(self) -> Confidence:
        """The same; it is an error if there is none."""
        if self.confidence is None:
            raise SettingError(
                "the model does not know how sure it is",
                where=str(self.path),
                remedy="fit that on a dev set: dragoman confidence MODEL --dev-source ... --dev-target ...",
            )
        return self.confidence

    def with_confidence(self, confidence: Confidence) -> Model:
        """The same model with another model of confidence."""
        model = self._with(self.decoder)
        model.__dict__["confidence"] = confidence
        return model

    def with_unknown_words(self, hook: UnknownWords | None) -> Model:
        """The same model, which asks a hook what becomes of words that no rule translates (see `UnknownWords`).

        The hook sees tokens of the source, and gives tokens of the target. A `LetterTable` is one.
        """
        return self._with(self.decoder.with_unknown_words(hook))

    @cached_property
    def _annotates(self) -> Annotator | None:
        """What annotates sentences that bring no annotation: what was given, or its own if its decoder looks at it."""
        return self._annotator or (self.annotator if self.decoder.reads_annotation else None)

    @cached_property
    def annotator(self) -> Annotator | None:
        """What annotates tokens for templates and rules that ask for it, as the bundle has it; None if it has none."""
        return kept_annotator([str(entry) for entry in self.bundle.settings.get("annotators", ())], self.path)

    def with_annotator(self, annotator: Annotator | None) -> Model:
        """The same model, which has the tokens of each sentence annotated before it translates them.

        For templates that look at tags or phrases; None is the annotator that the model itself keeps, if it does. A
        text that comes with an annotation keeps it.
        """
        model = self._with(self.decoder)
        model._annotator = annotator
        return model

    def with_preprocessors(self, preprocessors: Preprocessors) -> Model:
        """The same model with other ways from raw text to its tokens and back."""
        model = self._with(self.decoder)
        model.__dict__["preprocessors"] = preprocessors
        return model

    def with_decoder(self, decoder: Decoder) -> Model:
        """The same model searched by another decoder, which reads the same tokens."""
        model = self._with(decoder)
        model._stored = False
        return model

    def with_weights(self, weights: Weights | Mapping[str, float]) -> Model:
        """The same model under other weights."""
        weights = Weights(weights)
        self.decoder.check_weights(weights)
        return self._with(self.decoder.with_weights(weights))

    def with_settings(self, **search: Any) -> Model:
        """The same model searched in another way: `pop_limit=100`, or any other setting of its decoder."""
        return self._with(self.decoder.with_settings(**search))

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
        known = (
            {"languages": self.bundle.languages}
            | resources_of(own)
            | {option: value for option, value in given.items() if value is not None}
        )
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
            text=None if text is None else lambda side: self._tokens(side, text, resource_options),
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
        features = [*(feature.load() for feature in imported), *self.decoder.bilingual_models]
        model = self._with(self.decoder.with_features([*features, *templates], weights))
        model.imported, model._stored = tuple(imported), False
        return model

    @property
    def _pairs(self) -> int:
        """Size of the training text, as far as it is known."""
        known = self.report if "report.json" in self.bundle.sizes else {}
        return int(known.get("stages", {}).get("prepare", {}).get("pairs", 0))

    def _tokens(self, side: int, text: Sequence[Sequence[str]], resource_options: ResourceOptions | None) -> list[str]:
        if side >= len(self.preprocessors):
            raise SettingError(
                "a template needs word links of the training text",
                remedy="train the model with it (structure=coarse), or give the file of its counts",
            )
        workers = resource_options.threads if resource_options is not None else 0
        return [token_line(each) for each in self.preprocessors[side].prepare_all(list(text[side]), threads=workers)]

    def _with(self, decoder: Decoder) -> Model:
        model = Model(self.bundle, decoder, self.imported, stored=self._stored)
        model._annotator = self._annotator
        for known in ("preprocessors", "confidence", "annotator"):
            if known in self.__dict__:
                model.__dict__[known] = self.__dict__[known]
        return model

    def save_weights(
        self, weights: Weights | Mapping[str, float] | None = None, *, change: str = "new weights"
    ) -> Model:
        """Put weights (this model's own by default) into the bundle, in one step, and give the model that has them.

        What made the bundle stays on record. This model stays as it is, and can no longer save into the bundle that it
        was opened from. One with other templates or features than its bundle is saved as a whole, by `save`.
        """
        model = self if weights is None else self.with_weights(weights)
        if not self._stored:
            raise SettingError(
                "templates or features are not those of the bundle", where=str(self.path), remedy="save the whole model"
            )
        text = model.weights.to_text()
        bundle = self.bundle
        old = str(bundle.settings["weights"])
        new = f"weights-{sha256(text.encode()).hexdigest()[:12]}.txt"
        if new != old:
            bundle = bundle.replaced(old, new, text, settings={**bundle.settings, "weights": new}, change=change)
        saved = model._with(model.decoder)
        saved.bundle = bundle
        return saved

    def save(
        self,
        path: Path | str | None = None,
        *,
        change: str = "saved",
        force: bool = False,
        written: Mapping[str, Callable[[Path], object]] | None = None,
    ) -> Model:
        """Write the whole model, as it is now, to a bundle: a new one, or the one it came from.

        Another model that is there is replaced by `force`. It is written aside and renamed, so that a crash leaves the
        old bundle or none. Files that are the same in both take no further space where the disk can do that. Files that
        are `written` by functions are not taken over.
        """
        old = self.bundle
        named = {str(old.settings["weights"]), _CONFIDENCE, *(written or ())}
        kind, names = str(old.settings["decoder"]), old.settings["language_models"]
        bilingual = [each.name for each in self.decoder.bilingual_models]
        settings = {**old.settings, **bundle_settings(kind, self.decoder.settings, names, bilingual=bilingual)}
        provenance = Provenance.of_manifest(old.provenance).changed(change)
        target = old.path if path is None else Path(path)
        if target.resolve() != old.path.resolve():
            require_new_bundle(target, force=force)
        with writing_bundle(
            target, kind=BUNDLE_KIND, languages=old.languages, settings=settings, provenance=provenance
        ) as files:
            for name in old.sizes:
                if name not in named and not name.startswith(f"{FOLDER}/"):
                    (files / name).parent.mkdir(parents=True, exist_ok=True)
                    take_file(old.file(name), files / name)
            for name, write in (written or {}).items():
                write(files / name)
            if self.confidence is not None:
                (files / _CONFIDENCE).write_text(self.confidence.to_json(), "utf-8")
            settings |= features_settings(self.decoder.templates, self.imported, files)
            self.weights.save(files / settings["weights"])
        saved = self._with(self.decoder)
        saved.bundle, saved._stored = Bundle.open(target, kind=BUNDLE_KIND), True
        return saved

    def export_moses(self, folder: Path | str, *, progress: ProgressCallback | None = None) -> MosesExport:
        """Write the model as Moses reads it, as far as Moses has what it consists of."""
        return self.decoder.export_moses(Path(folder), progress=progress)

    @property
    def worth_unknown_to_moses(self) -> tuple[float, float] | None:
        """BLEU of the dev set with all features, and without those that Moses has not, as training measured it."""
        stages = self.report["stages"] if "report.json" in self.bundle.sizes else {}
        facts = tuned_facts(stages)
        return (facts["dev_bleu"], facts["dev_bleu_in_moses"]) if "dev_bleu_in_moses" in facts else None

    def check_domain(self, domain: str) -> None:
        """Refuse a domain that the model does not tell apart."""
        known = next((each.declared_domains.names for each in self.decoder.templates if each.declared_domains), ())
        if domain not in known:
            remedy = f"choose from {', '.join(known)}" if known else "it has no templates that tell domains apart"
            raise SettingError(f"the model has no domain {domain!r}", where=str(self.path), remedy=remedy)

    @overload
    def translate(
        self,
        text: Source,
        *,
        threads: int = 0,
        forests: bool = False,
        consensus: int = 0,
        scale: float = 1.0,
        prefix: str | Sequence[str] = "",
        control: Control | None = None,
        max_tokens: int = 0,
        **search: Any,
    ) -> Translation: ...

    @overload
    def translate(
        self,
        text: Sequence[Source],
        *,
        threads: int = 0,
        forests: bool = False,
        consensus: int = 0,
        scale: float = 1.0,
        prefix: str | Sequence[str] = "",
        control: Control | None = None,
        max_tokens: int = 0,
        **search: Any,
    ) -> list[Translation]: ...

    def translate(
        self,
        text: Source | Sequence[Source],
        *,
        threads: int = 0,
        forests: bool = False,
        consensus: int = 0,
        scale: float = 1.0,
        prefix: str | Sequence[str] = "",
        control: Control | None = None,
        max_tokens: int = 0,
        **search: Any,
    ) -> Translation | list[Translation]:
        """Translate raw text, one or many; each may have several lines or sentences.

        A text that is not blank never becomes blank; tags and placeholders come back exactly once; white space at the
        edges stays. A `SourceText` carries the domain of its text, and the annotation of its only sentence. `forests`
        keeps all that search found, for those who know that they will ask for alternatives. With `consensus` a sentence
        is not translated by what scores best, but by what of so many best agrees most with all that search found;
        `scale` is what scores are multiplied by for that (see `SentenceTranslation.by_consensus`). A translation begins
        with its `prefix`, letter by letter, one for all or one for each; `control` says what else is asked of it. Time
        grows with the length of a text: who serves others refuses those of more than `max_tokens` tokens, if it is not
        0, before any is translated. Any setting of the decoder may be given for this call: `pop_limit=100`.
        """
        if max_tokens:
            check_argument("max_tokens", max_tokens, int, least=0)
        choose = choice(consensus, scale) if consensus or scale != 1 else None
        model = self.with_settings(**search) if search else self
        single = isinstance(text, str | SourceText)
        texts = [SourceText.of(each) for each in ([text] if isinstance(text, str | SourceText) else text)]
        prefixes = [prefix] * len(texts) if isinstance(prefix, str) else list(prefix)
        if len(prefixes) != len(texts):
            raise LengthMismatch(f"{len(prefixes)} prefixes for {len(texts)} texts", remedy="give one for each")
        steered = (control is not None and not control.idle) or any(each.strip() for each in prefixes)
        steering = Steering(control or Control(), *self.preprocessors) if steered else None
        found = model._translate(texts, _Wish(threads, forests, choose, steering, prefixes, max_tokens))
        return found[0] if single else found

    def translate_lattices(
        self,
        lattices: Sequence[Lattice],
        *,
        threads: int = 0,
        forests: bool = False,
        consensus: int = 0,
        scale: float = 1.0,
        monotone: bool = False,
        **search: Any,
    ) -> list[Translation]:
        """Translate word graphs of raw words: of each the path and its translation that score best together.

        The scores of arcs are values of the feature `lattice`, of weight 1 if the model's weights do not name it. All
        else is as for `translate`.
        """
        choose = choice(consensus, scale) if consensus or scale != 1 else None
        model = self.with_settings(**search) if search else self
        translator = LatticeTranslator(model.decoder, *self.preprocessors, self.confidence, self.evidence)
        return translator.translate(lattices, threads=threads, forests=forests, monotone=monotone, choose=choose)

    def _translate(self, texts: Sequence[SourceText], wish: _Wish) -> list[Translation]:
        before, after = self.preprocessors
        threads, choose, steering = wish.threads, wish.choose, wish.steering
        given = [
            steering.read(text.text, prefix, f"text {number}")
            for number, (text, prefix) in enumerate(zip(texts, wish.prefixes, strict=True), 1)
            if steering is not None
        ]
        raws = [each.marked.text for each in given] if given else [text.text for text in texts]
        kept_spans = [each.kept for each in given]
        if any(text.fixed for text in texts):
            kept_spans = [
                (ProtectedSpan(0, len(raw), "code"),) if text.fixed and raw.strip() else found
                for text, raw, found in zip(texts, raws, kept_spans or repeat(()), strict=False)
            ]
        prepared = before.prepare_all(raws, kept=kept_spans, threads=threads)
        for number, ready in enumerate(prepared, 1):
            tokens = sum(len(sentence.tokens) for sentence in ready.sentences)
            if 0 < wish.max_tokens < tokens:
                raise InputError(
                    f"a text of {tokens:,} tokens where at most {wish.max_tokens:,} are translated",
                    where=f"text {number}",
                    remedy="send it in parts",
                )
        positions = [[positions_without_tags(sentence) for sentence in text.sentences] for text in prepared]
        lines = self.tokenized(
            [
                (raw, " ".join(sentence.tokens[place] for place in places))
                for raw, text, kept in zip(texts, prepared, positions, strict=True)
                for sentence, places in zip(text.sentences, kept, strict=True)
            ],
            threads,
        )
        limits: list[Constraints] = []
        terms = []
        for number, each in enumerate(given):
            assert steering is not None
            own, found_terms = steering.constraints(each, prepared[number], positions[number], f"text {number + 1}")
            limits += own
            terms.append(found_terms)
        forests = wish.forests or choose is not None
        decoded = self.decoder.translate(lines, threads=threads, forests=forests, constraints=limits)
        if choose is not None:
            decoded = chosen(choose, decoded, threads=threads, forests=wish.forests)
        ways = iter(decoded)
        sentences = [
            tuple(_naming(next(ways), each) if each.protected else next(ways) for each in text.sentences)
            for text in prepared
        ]
        restored = after.restore_all(
            [[sentence.target for sentence in text] for text in sentences],
            prepared,
            [
                [links_with_tags(sentence.alignment, places) for sentence, places in zip(text, kept, strict=True)]
                for text, kept in zip(sentences, positions, strict=True)
            ],
            threads=threads,
        )
        ends = accumulate(len(text.sentences) for text in prepared)
        translations = []
        for number, (found, end) in enumerate(zip(sentences, ends, strict=True)):
            part = slice(end - len(found), end)
            head = limits[part.start].prefix if limits[part] else ()
            prefix = wish.prefixes[number] if head else ""
            translations.append(
                Translation(
                    texts[number].text,
                    with_prefix(restored[number], prefix, head) if head else restored[number],
                    found,
                    search=partial(self._search, lines[part], limits[part], choose),
                    restore=partial(self._restore, prepared[number], positions[number], prefix, head),
                    source_ranges=partial(ranges_without_tags, prepared[number], positions[number]),
                    terms=steering.uses(terms[number], found) if steering is not None else (),
                    confidence=self.confidence,
                    evidence=self.evidence,
                )
            )
        return translations

    def tokenized(self, sentences: Iterable[tuple[SourceText, str]], threads: int) -> list[SourceText]:
        """The tokens of sentences with what is known of their texts, and what the annotator, if there is one, says of
        those that bring no annotation."""
        lines = []
        for raw, tokens in sentences:
            if raw.domain:
                self.check_domain(raw.domain)
            lines.append(raw.tokenized(tokens))
        if self._annotates is None:
            return lines
        bare = [line.text for line in lines if line.annotation is None]
        found = iter(annotate_lines(self._annotates, bare, tokenized=True, threads=threads))
        return [line if line.annotation is not None else replace(line, annotation=next(found)) for line in lines]

    def sample(
        self, text: Source, settings: SampleSettings | None = None, *, threads: int = 0
    ) -> list[Samples[SentenceTranslation]]:
        """Independent samples of how each sentence of a raw text may be translated (see `Samples`)."""
        raw = SourceText.of(text)
        sentences = (
            (raw, " ".join(sentence.tokens[place] for place in positions_without_tags(sentence)))
            for sentence in self.preprocessors.source.prepare_all([raw.text], threads=threads)[0].sentences
        )
        return self.decoder.sample(self.tokenized(sentences, threads), settings, threads=threads)

    def sample_all(
        self, texts: Iterable[Source], settings: SampleSettings | None = None, *, threads: int = 0
    ) -> Iterator[list[Samples[SentenceTranslation]] | LimitReached]:
        """Samples of many texts, in order, several texts at a time; of one that does not fit into its limits, which."""

        def one(text: Source) -> list[Samples[SentenceTranslation]] | LimitReached:
            try:
                return self.sample(text, settings, threads=1)
            except LimitReached as limit:
                return limit

        waiting, workers = iter(texts), worker_count(threads)
        with ThreadPoolExecutor(workers) as pool:
            while batch := list(islice(waiting, 16 * workers)):
                yield from pool.map(one, batch)

    def _search(
        self, lines: Sequence[SourceText], constraints: Sequence[Constraints], choose: Choose | None
    ) -> tuple[SentenceTranslation, ...]:
        """The sentences of a text once more, with all that search finds."""
        found = self.decoder.translate(lines, forests=True, constraints=constraints)
        return tuple(found if choose is None else chosen(choose, found, forests=True))

    def _restore(
        self,
        prepared: Prepared,
        positions: Sequence[Sequence[int]],
        prefix: str,
        head: Sequence[str],
        chosen: Sequence[Sequence[Derivation]],
    ) -> list[str]:
        """Raw texts out of derivations of the sentences of one text, which begin with its prefix."""
        links = [
            [links_with_tags(each.links, places) for each, places in zip(one, positions, strict=True)] for one in chosen
        ]
        targets = [[each.target for each in one] for one in chosen]
        texts = self.preprocessors.target.restore_all(targets, [prepared] * len(chosen), links)
        return [with_prefix(text, prefix, head) for text in texts] if head else texts


def _naming(found: SentenceTranslation, sentence: PreparedSentence) -> SentenceTranslation:
    """A translation that knows what the masks among its words stand for."""
    return replace(found, protected={kept.mask: kept.text for kept in sentence.protected.values()})


def load(path: Path | str, *, trust_features: bool = False) -> Model:
    """Open a model bundle, also by URL; `trust_features` imports the features in Python that it may name."""
    return Model.open(fetched_bundle(path), trust_features=trust_features)


def translate(
    model: Model | Path | str, text: Source | Sequence[Source], *, trust_features: bool = False, **options: Any
) -> Translation | list[Translation]:
    """Translate raw text, one or many, with a model or the bundle at a path; options are those of `Model.translate`.

    Who translates often opens the model once: `model = dragoman.load(path)`.
    """
    opened = model if isinstance(model, Model) else Model.open(model, trust_features=trust_features)
    return opened.translate(text, **options)
