"""What every aligner does: train, align, give probabilities, save, load, go on learning.

An aligner is constructed with settings only. `train` learns both directions at once; `align` is a function of the model
and the sentence pair alone, so that a pair gets the same links before and after saving, alone or among others, and with
any number of threads. Pairs with an empty side, or one longer than `max_length`, are skipped: they get no links and are
counted in the report.
"""

from __future__ import annotations

import dataclasses
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from dragoman.align.alignment import Alignment, from_arrays
from dragoman.bundle import Bundle, Provenance, writing_bundle
from dragoman.errors import BundleError, InputError, LengthMismatch, SettingError
from dragoman.progress import Report

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from dragoman._native import align as native
    from dragoman._native.common import Vocabulary
    from dragoman.align.mwe import Anchors

__all__ = ["Aligner", "Posteriors", "Sentences", "TrainingReport"]

Sentences = Sequence[str] | Sequence[Sequence[str]]
"""Tokenised sentences: strings with blanks between tokens, or sequences of tokens."""

CELL_BUDGET = 2**29
"""Cells (source words times target words, summed over pairs) whose table slots are kept in memory, four bytes each."""


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What training saw and did."""

    pairs: int
    used: int
    empty: int
    too_long: int
    word_pairs: int
    seconds: float
    logprobs: tuple[tuple[str, float, float], ...] = ()
    """Stage and log-likelihoods (forward, reverse) before each iteration."""
    ignored_anchors: int = 0
    """Sentence pairs whose anchors contradicted each other in the last iteration."""


@dataclass(frozen=True, slots=True, eq=False)
class Posteriors:
    """Probabilities of all links of one sentence pair, source by target, as each direction sees them."""

    forward: NDArray[float32]
    reverse: NDArray[float32]
    forward_logprob: float
    reverse_logprob: float

    def mean(self) -> NDArray[float32]:
        """Mean of both directions."""
        combined: NDArray[float32] = self.forward + self.reverse
        combined /= 2
        return combined

    def pharaoh(self, alignment: Alignment) -> str:
        """The links with their mean probabilities, `0-0:0.98 1-2:0.51`."""
        mean = self.mean()
        return " ".join(f"{i}-{j}:{min(1.0, float(mean[i, j])):.4g}" for i, j in alignment.links)


@dataclass(kw_only=True, eq=False)
class Aligner(ABC):
    """Settings of an aligner, and after training, its model."""

    name: ClassVar[str]
    max_length: int = 200
    _model: native.Model | None = field(default=None, init=False, repr=False)
    _source: Vocabulary | None = field(default=None, init=False, repr=False)
    _target: Vocabulary | None = field(default=None, init=False, repr=False)
    languages: tuple[str, str] | None = field(default=None, init=False, repr=False)
    """Source and target language, if training was told."""

    def __post_init__(self) -> None:
        if self.max_length < 1 or self.max_length > 10000:
            raise SettingError(f"max_length must lie in 1 to 10000, not {self.max_length}")

    @abstractmethod
    def _learn(
        self,
        bitext: native.Bitext,
        anchors: native.Anchors,
        base: native.Model | None,
        base_weight: float,
        threads: int,
        progress: Report | None,
    ) -> tuple[native.Model, tuple[tuple[str, float, float], ...], int]:
        """Train on a bitext, from nothing or from a model: the model, log-likelihoods, ignored anchors."""

    def train(
        self,
        source: Sentences,
        target: Sentences,
        *,
        anchors: Anchors | None = None,
        languages: tuple[str, str] | None = None,
        threads: int = 0,
        progress: Report | None = None,
    ) -> TrainingReport:
        """Learn from sentence pairs, forgetting what was known before."""
        from dragoman._native.common import Vocabulary

        self._source, self._target, self._model = Vocabulary(), Vocabulary(), None
        self.languages = languages
        return self._train(source, target, anchors, None, 1.0, threads, progress)

    def update(
        self,
        source: Sentences,
        target: Sentences,
        *,
        anchors: Anchors | None = None,
        weight: float = 1.0,
        threads: int = 0,
        progress: Report | None = None,
    ) -> TrainingReport:
        """Learn from further sentence pairs, keeping what is known; `weight` is what one of them counts."""
        if not weight > 0:
            raise SettingError(f"the weight of new pairs must be positive, not {weight}")
        return self._train(source, target, anchors, self._trained(), 1 / weight, threads, progress)

    def _train(
        self,
        source: Sentences,
        target: Sentences,
        anchors: Anchors | None,
        base: native.Model | None,
        base_weight: float,
        threads: int,
        progress: Report | None,
    ) -> TrainingReport:
        started = time.monotonic()
        bitext, lengths = self._bitext(source, target, grow=True)
        if bitext.usable_pairs == 0:
            raise InputError(
                "no sentence pair to learn from: all have an empty or too long side",
                remedy=f"the limit is {self.max_length} words (max_length)",
            )
        known = self._anchors(anchors, len(bitext))
        self._model, logprobs, ignored = self._learn(bitext, known, base, base_weight, threads, progress)
        empty = sum(not all(pair) for pair in lengths)
        return TrainingReport(
            pairs=len(bitext),
            used=bitext.usable_pairs,
            empty=empty,
            too_long=len(bitext) - bitext.usable_pairs - empty,
            word_pairs=self._model.word_pairs,
            seconds=time.monotonic() - started,
            logprobs=logprobs,
            ignored_anchors=ignored,
        )

    def align(
        self,
        source: Sentences,
        target: Sentences,
        *,
        symmetrize: str = "posterior",
        threshold: float = 0.45,
        anchors: Anchors | None = None,
        threads: int = 0,
    ) -> list[Alignment]:
        """Symmetrized links of each pair.

        `posterior` takes the links whose mean probability over both directions reaches the threshold, `agreement` those
        whose geometric mean does; the other names are heuristics on the best links of each direction.
        """
        from dragoman._native import align as native

        model = self._trained()
        bitext, _ = self._bitext(source, target, grow=False)
        known = self._anchors(anchors, len(bitext))
        if symmetrize in ("posterior", "agreement"):
            if not 0 < threshold <= 1:
                raise SettingError(f"the threshold must lie in 0 to 1, not {threshold}")
            product = symmetrize == "agreement"
            return from_arrays(*model.likely(bitext, known, threshold=threshold, product=product, threads=threads))
        forward, reverse = model.viterbi(bitext, known, threads=threads)
        return from_arrays(*native.symmetrize(*forward, *reverse, heuristic=symmetrize, threads=threads))

    def viterbi(
        self, source: Sentences, target: Sentences, *, anchors: Anchors | None = None, threads: int = 0
    ) -> tuple[list[Alignment], list[Alignment]]:
        """Best links of each direction: forward (each target word at most once), reverse (each source word)."""
        bitext, _ = self._bitext(source, target, grow=False)
        forward, reverse = self._trained().viterbi(bitext, self._anchors(anchors, len(bitext)), threads=threads)
        return from_arrays(*forward), from_arrays(*reverse)

    def posteriors(
        self, source: Sentences, target: Sentences, *, anchors: Anchors | None = None, threads: int = 0
    ) -> list[Posteriors]:
        """Probabilities of all links of each pair; arrays of size 0 where a pair is skipped."""
        bitext, lengths = self._bitext(source, target, grow=False)
        forward, reverse, limits, first, second = self._trained().posteriors(
            bitext, self._anchors(anchors, len(bitext)), threads=threads
        )
        result, start = [], 0
        for k, (end, shape) in enumerate(zip(limits.tolist(), lengths, strict=True)):
            size = shape if end > start else (0, 0)
            result.append(
                Posteriors(
                    forward[start:end].reshape(size),
                    reverse[start:end].reshape(size),
                    float(first[k]),
                    float(second[k]),
                )
            )
            start = end
        return result

    def translations(self, word: str, *, direction: str = "forward", limit: int = 10) -> list[tuple[str, float]]:
        """The most probable translations of a source word (`reverse`: of a target word)."""
        model = self._trained()
        assert self._source is not None
        assert self._target is not None
        given, generated = (self._source, self._target) if direction == "forward" else (self._target, self._source)
        words, probabilities = model.translations(given.id(word), forward=direction == "forward")
        ranked = sorted(zip((-probabilities).tolist(), words.tolist(), strict=True))[:limit]
        return [(generated.word(each), -negated) for negated, each in ranked]

    def coverage(self, source: Sentences, target: Sentences) -> tuple[float, float]:
        """Share of the tokens of each side that training has seen: low when the text is of other languages."""
        self._trained()
        assert self._source is not None
        assert self._target is not None
        shares = []
        for vocabulary, sentences in ((self._source, source), (self._target, target)):
            words, _ = vocabulary.encode(_lines(sentences))
            shares.append(float((words != 0).mean()) if words.size else 1.0)
        return shares[0], shares[1]

    def settings(self) -> dict[str, int | float | bool | str]:
        """The settings that construct an equal aligner."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.init}

    def save(self, path: Path | str, *, provenance: Provenance | None = None) -> None:
        """Write a bundle."""
        model = self._trained()
        assert self._source is not None
        assert self._target is not None
        settings = {"aligner": self.name, **self.settings()}
        with writing_bundle(
            path, kind="aligner", languages=self.languages or (), settings=settings, provenance=provenance
        ) as files:
            self._source.save(files / "source.vocabulary")
            self._target.save(files / "target.vocabulary")
            model.save(files / "tables.bin")

    @classmethod
    def load(cls, path: Path | str, *, languages: tuple[str, str] | None = None) -> Self:
        """Open a bundle; `languages` are those the caller needs, source first."""
        from dragoman._native import align as native
        from dragoman._native.common import Vocabulary
        from dragoman.align import ALIGNERS

        bundle = Bundle.open(path, kind="aligner")
        settings = dict(bundle.settings)
        if languages is not None and bundle.languages and tuple(bundle.languages) != tuple(languages):
            raise BundleError(
                f"an aligner of {'-'.join(bundle.languages)} where {'-'.join(languages)} is needed",
                where=str(path),
                remedy="load another one, or exchange source and target",
            )
        kind = ALIGNERS.get(str(settings.pop("aligner", "")))
        if not issubclass(kind, cls):
            raise BundleError(f"an aligner of kind {kind.name!r}, not {cls.name!r}", where=str(path))
        try:
            aligner = kind(**settings)
        except TypeError:
            raise BundleError("its settings are not those of its aligner", where=str(path)) from None
        aligner.languages = (bundle.languages[0], bundle.languages[1]) if len(bundle.languages) == 2 else None
        aligner._source = Vocabulary.load(bundle.file("source.vocabulary"))
        aligner._target = Vocabulary.load(bundle.file("target.vocabulary"))
        aligner._model = native.Model.load(bundle.file("tables.bin"))
        return aligner

    def _trained(self) -> native.Model:
        if self._model is None:
            raise InputError("this aligner has not been trained", remedy="call train, or load a saved one")
        return self._model

    def _bitext(
        self, source: Sentences, target: Sentences, *, grow: bool
    ) -> tuple[native.Bitext, list[tuple[int, int]]]:
        from dragoman._native import align as native

        if len(source) != len(target):
            raise LengthMismatch(
                f"{len(source)} source sentences, {len(target)} target sentences",
                remedy="line n of one side must translate line n of the other",
            )
        assert self._source is not None
        assert self._target is not None
        encoded = []
        for vocabulary, sentences in ((self._source, source), (self._target, target)):
            lines = _lines(sentences)
            encoded.append(vocabulary.intern_all(lines) if grow else vocabulary.encode(lines))
        (words, ends), (other_words, other_ends) = encoded
        bitext = native.Bitext(words, ends, other_words, other_ends, max_length=self.max_length)
        return bitext, list(zip(_differences(ends.tolist()), _differences(other_ends.tolist()), strict=True))

    def _anchors(self, anchors: Anchors | None, pairs: int) -> native.Anchors:
        from dragoman._native import align as native

        return native.Anchors() if anchors is None else anchors.to_native(pairs)


def _differences(ends: Sequence[int]) -> list[int]:
    return [end - start for start, end in zip((0, *ends), ends, strict=False)]


def _lines(sentences: Sentences) -> list[str]:
    return [sentence if isinstance(sentence, str) else _joined(sentence) for sentence in sentences]


def _joined(tokens: Iterable[str]) -> str:
    line = " ".join(tokens)
    if not isinstance(tokens, Sequence) or len(line.split()) != len(tokens):
        raise InputError("a token is empty or holds a blank", where=line[:60])
    return line
