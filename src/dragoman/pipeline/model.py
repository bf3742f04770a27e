"""The model: a bundle opened for translating raw text.

Opening maps the tables and reads the weights; nothing is copied, so it costs the same whatever the size. A model never
changes: other weights or search settings make another model that shares the tables. Text goes through the source side's
preprocessor, the decoder, and the target side's, which puts back what was protected; the way of every word is kept.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack, overload

from dragoman.bundle import Bundle
from dragoman.errors import BundleError, SettingError
from dragoman.features.weights import Weights
from dragoman.grammar.table import RuleTable
from dragoman.lm import ClassMap, NgramModel
from dragoman.pipeline.tags import links_with_tags, positions_without_tags
from dragoman.search.phrase import LanguageModel, PhraseDecoder, PhraseSettings
from dragoman.text.prepared import is_mask
from dragoman.text.preprocessor import Preprocessor

if TYPE_CHECKING:
    from rich.console import Group

    from dragoman.forest import Derivation
    from dragoman.search.translation import Translation
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


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the best translations of a text."""

    text: str
    score: float
    features: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        return {"text": self.text, "score": self.score, "features": dict(self.features)}


@dataclass(frozen=True, slots=True)
class Translated:
    """A translated text: the raw translation, and for each of its sentences how it came about."""

    source: str
    text: str
    sentences: tuple[Translation, ...]
    candidates: tuple[Candidate, ...] = field(default=(), repr=False)

    @property
    def score(self) -> float:
        """Model score, the sum over the sentences."""
        return sum(sentence.score for sentence in self.sentences)

    @property
    def unknown_words(self) -> tuple[str, ...]:
        """Source words that no rule could translate."""
        return tuple(word for part in self.sentences for word in part.unknown_words if not is_mask(word))

    @property
    def alignments(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each sentence its word links, between the tokens of its two sides."""
        return tuple(sentence.alignment for sentence in self.sentences)

    def explain(self) -> Group:
        """For the terminal: for each sentence every phrase with its source and its score by feature."""
        from rich.console import Group

        return Group(*(sentence.explain() for sentence in self.sentences))

    def nbest(self, size: int) -> list[Candidate]:
        """The best translations, this one first; as many as were asked for when translating, at most."""
        if not self.candidates:
            raise SettingError("alternatives were not kept", remedy="translate with nbest=N")
        return list(self.candidates[:size])

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "source": self.source,
            "text": self.text,
            "score": self.score,
            "unknown": list(self.unknown_words),
            "sentences": [sentence.to_dict() for sentence in self.sentences],
            **({"nbest": [candidate.to_dict() for candidate in self.candidates]} if self.candidates else {}),
        }

    def _repr_html_(self) -> str:
        from dragoman.search.picture import translation_svg

        return "".join(translation_svg(sentence) + sentence._repr_html_() for sentence in self.sentences)


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

    def __init__(self, bundle: Bundle, decoder: PhraseDecoder) -> None:
        self.bundle, self.decoder = bundle, decoder

    @classmethod
    def open(cls, path: Path | str) -> Model:
        """Open a bundle that `train` wrote."""
        bundle = Bundle.open(path, kind=BUNDLE_KIND)
        where = str(bundle.path)
        try:
            if bundle.settings["decoder"] != "phrase":
                raise BundleError(
                    f"made for a decoder called {bundle.settings['decoder']!r}", where=where,
                    remedy="install the version of dragoman that made it",
                )  # fmt: skip
            search = PhraseSettings(**bundle.settings["search"])
            names = [str(name) for name in bundle.settings["language_models"]]
            weights_file = str(bundle.settings["weights"])
        except (KeyError, TypeError, SettingError) as error:
            raise BundleError(f"damaged: its settings are not usable ({error})", where=where,
                              remedy="copy or train the model again") from None  # fmt: skip
        models = read_language_models(bundle.file, names)
        weights = Weights.load(bundle.file(weights_file))
        decoder = PhraseDecoder(RuleTable.open(bundle.file("table.rules")), models, weights, search)
        weights.require_known(decoder.feature_names)
        return cls(bundle, decoder)

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
        if not self.decoder.features:  # what a user's features fire is known when they fire it
            weights.require_known(self.decoder.feature_names)
        return self._with(self.decoder.with_weights(weights))

    def with_settings(self, **search: Unpack[SearchChanges]) -> Model:
        """The same model searched in another way."""
        if not search:
            return self
        return self._with(self.decoder.with_settings(replace(self.decoder.settings, **search)))

    def _with(self, decoder: PhraseDecoder) -> Model:
        model = Model(self.bundle, decoder)
        if "preprocessors" in self.__dict__:
            model.__dict__["preprocessors"] = self.preprocessors
        return model

    def save_weights(
        self, weights: Weights | Mapping[str, float] | None = None, *, change: str = "new weights"
    ) -> Model:
        """Put weights (this model's own by default) into the bundle, in one step; what made it stays on record."""
        model = self if weights is None else self.with_weights(weights)
        text = "".join(f"{name} {value!r}\n" for name, value in model.weights.items())
        old = str(self.bundle.settings["weights"])
        new = f"weights-{sha256(text.encode()).hexdigest()[:12]}.txt"
        if new == old:
            return model
        settings = {**self.bundle.settings, "weights": new}
        bundle = self.bundle.replaced(old, new, text, settings=settings, change=change)
        model.bundle = self.bundle = bundle
        return model

    @overload
    def translate(
        self, text: str, *, threads: int = 0, nbest: int = 0, forests: bool = False, **search: Unpack[SearchChanges]
    ) -> Translated: ...

    @overload
    def translate(
        self,
        text: list[str] | tuple[str, ...],
        *,
        threads: int = 0,
        nbest: int = 0,
        forests: bool = False,
        **search: Unpack[SearchChanges],
    ) -> list[Translated]: ...

    def translate(
        self,
        text: str | list[str] | tuple[str, ...],
        *,
        threads: int = 0,
        nbest: int = 0,
        forests: bool = False,
        **search: Unpack[SearchChanges],
    ) -> Translated | list[Translated]:
        """Translate raw text, one or many; each may have several lines or sentences.

        `nbest` keeps so many different translations of each text, `forests` all that search found. A text that is not
        blank never becomes blank; tags and placeholders come back exactly once; white space at the edges stays.
        """
        if nbest < 0:
            raise SettingError(f"nbest is {nbest}", remedy="ask for 0 or more")
        decoder = self.with_settings(**search).decoder
        single = isinstance(text, str)
        found = self._translate(decoder, [text] if isinstance(text, str) else list(text), threads, nbest, forests)
        return found[0] if single else found

    def _translate(
        self, decoder: PhraseDecoder, texts: list[str], threads: int, nbest: int, forests: bool
    ) -> list[Translated]:
        before, after = self.preprocessors
        workers = threads if len(texts) > 50 else 1
        prepared = before.prepare_all(texts, threads=workers)
        positions = [[positions_without_tags(sentence) for sentence in text.sentences] for text in prepared]
        lines = [
            " ".join(sentence.tokens[place] for place in places)
            for text, kept in zip(prepared, positions, strict=True)
            for sentence, places in zip(text.sentences, kept, strict=True)
        ]
        decoded = iter(decoder.translate(lines, threads=threads, forests=forests or nbest > 0))
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
                if not forests:
                    found = tuple(replace(sentence, kept_forest=None) for sentence in found)
            results.append(Translated(source, text, found, candidates))
        return results

    def _candidates(
        self, sentences: Sequence[Translation], positions: Sequence[Sequence[int]], prepared: Prepared, size: int
    ) -> list[Candidate]:
        """The best translations of a text out of those of its sentences, restored, each text once."""
        combined: list[tuple[float, tuple[Derivation, ...]]] = [(0.0, ())]
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


def load(path: Path | str) -> Model:
    """Open a model bundle."""
    return Model.open(path)
