"""What every aligner does: train, align, give probabilities, save, load, go on learning.

An aligner is constructed with settings only. `train` learns both directions at once; `align` is a function of the model
and the sentence pair alone, so that a pair gets the same links before and after saving, alone or among others, and with
any number of threads. Pairs with an empty side, or one longer than `max_length`, are skipped: they get no links and are
counted in the report.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from dragoman.align.alignment import Alignment, from_arrays
from dragoman.align.symmetrize import USUAL
from dragoman.bundle import Bundle, Provenance, writing_bundle
from dragoman.errors import BundleError, InputError, LengthMismatch, SettingError, UnknownName
from dragoman.progress import ProgressCallback
from dragoman.registry import Registry
from dragoman.settings import Settings, check_argument, setting

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from dragoman._native import align as native
    from dragoman._native.common import Vocabulary
    from dragoman.align.anchors import Anchors
    from dragoman.executors import Executor
    from dragoman.lm.classes import ClassMap

__all__ = ["ALIGNERS", "KIND", "Aligner", "AlignerReport", "LinkPosteriors", "Sentences", "TrainingData", "get_aligner"]

KIND = "aligner"
"""Of the bundles that aligners are kept in."""

Sentences = Sequence[str] | Sequence[Sequence[str]]
"""Tokenised sentences: strings with blanks between tokens, or sequences of tokens."""

BALANCE = 9
"""A word makes at most so many words of the other side, in any model with fertilities worth the name."""

SLOT, SLOT_MEMORY = 4, 2**31
"""Bytes of the place in the tables of a cell (a source word beside a target word of a pair), and of all that are kept
in memory unless somebody says otherwise."""


@dataclass(frozen=True, slots=True)
class AlignerReport:
    """What training saw and did."""

    pairs: int
    used: int
    empty: int
    too_long: int
    word_pairs: int
    seconds: float
    logprobs: tuple[tuple[str, float, float], ...] = ()
    """Stage and log-likelihoods (forward, reverse) before each iteration."""
    unbalanced: int = 0
    """Pairs of which one side has more than nine times the words of the other: hardly translations of each other."""
    ignored_anchors: int = 0
    """Words that anchors left no choice and that therefore went without them, in the last iteration."""


@dataclass(frozen=True, slots=True, eq=False)
class LinkPosteriors:
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


@dataclass(frozen=True, slots=True, eq=False)
class TrainingData:
    """What an aligner learns from."""

    bitext: native.Bitext
    anchors: native.Anchors
    weights: NDArray[float32]
    """What each sentence pair counts; empty: one each."""
    classes: tuple[list[int], list[int]] | None
    """Classes of the words of both vocabularies."""
    base: native.Model | None
    base_weight: float
    executor: Executor | None = None
    """Who works on what can be done apart; None: this process."""
    memory: int = SLOT_MEMORY

    @property
    def cell_budget(self) -> int:
        """Of a text with at most so many cells, all places in the tables are kept; of others each is looked up."""
        return self.memory // SLOT


@dataclass(kw_only=True, eq=False)
class Aligner(Settings, ABC):
    """Settings of an aligner, and after training, its model."""

    name: ClassVar[str]
    max_length: int = setting(
        200, "Words of the longest sentences; pairs with a longer side are skipped.", least=1, most=10000
    )
    _model: native.Model | None = field(default=None, init=False, repr=False)
    _source: Vocabulary | None = field(default=None, init=False, repr=False)
    _target: Vocabulary | None = field(default=None, init=False, repr=False)
    languages: tuple[str, str] | None = field(default=None, init=False, repr=False)
    """Source and target language, if training was told."""

    @abstractmethod
    def _learn(
        self, data: TrainingData, threads: int, progress: ProgressCallback | None
    ) -> tuple[native.Model, tuple[tuple[str, float, float], ...], int]:
        """Train on a bitext, from nothing or from a model: the model, log-likelihoods, ignored anchors."""

    def train(
        self,
        source: Sentences,
        target: Sentences,
        *,
        anchors: Anchors | None = None,
        weights: Sequence[float] | None = None,
        classes: tuple[ClassMap, ClassMap] | None = None,
        languages: tuple[str, str] | None = None,
        threads: int = 0,
        executor: Executor | None = None,
        memory: int = SLOT_MEMORY,
        progress: ProgressCallback | None = None,
    ) -> AlignerReport:
        """Learn from sentence pairs, forgetting what was known before.

        `weights` say what each pair counts, as if it stood there so many times; `classes` are word classes of both
        sides, for models whose positions depend on them. An `executor` works on what the aligner can do apart: chains
        of the sampled one, expectation steps of others. `memory` is what places in the tables may take, in bytes:
        where those of the text do not fit, they are looked up time and again, with the same result.
        """
        from dragoman._native.common import Vocabulary

        self._source, self._target, self._model = Vocabulary(), Vocabulary(), None
        self.languages = languages
        return self._train(source, target, anchors, weights, classes, None, 1.0, threads, progress, executor, memory)

    def update(
        self,
        source: Sentences,
        target: Sentences,
        *,
        anchors: Anchors | None = None,
        weight: float = 1.0,
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> AlignerReport:
        """Learn from further sentence pairs, keeping what is known; `weight` is what one of them counts."""
        check_argument("weight", weight, float, above=0)
        return self._train(source, target, anchors, None, None, self._trained(), 1 / weight, threads, progress)

    def _train(
        self,
        source: Sentences,
        target: Sentences,
        anchors: Anchors | None,
        weights: Sequence[float] | None,
        classes: tuple[ClassMap, ClassMap] | None,
        base: native.Model | None,
        base_weight: float,
        threads: int,
        progress: ProgressCallback | None,
        executor: Executor | None = None,
        memory: int = SLOT_MEMORY,
    ) -> AlignerReport:
        import numpy as np

        started = time.monotonic()
        bitext, lengths = self._bitext(source, target, grow=True)
        if bitext.usable_pairs == 0:
            raise InputError(
                "no sentence pair to learn from: all have an empty or too long side",
                remedy=f"the limit is {self.max_length} words (max_length)",
            )
        if weights is not None and len(weights) != len(bitext):
            raise LengthMismatch(f"{len(weights)} weights for {len(bitext)} sentence pairs")
        counted = np.array([] if weights is None else weights, np.float32)
        if not np.isfinite(counted).all() or (counted < 0).any():
            raise InputError("a weight of a sentence pair is negative or not a number")
        grouped = None if base is not None else self._classes(source, target, classes, threads)
        known = self._anchors(anchors, len(bitext))
        data = TrainingData(bitext, known, counted, grouped, base, base_weight, executor, memory)
        self._model, logprobs, ignored = self._learn(data, threads, progress)
        empty = sum(not all(pair) for pair in lengths)
        return AlignerReport(
            pairs=len(bitext),
            used=bitext.usable_pairs,
            empty=empty,
            too_long=len(bitext) - bitext.usable_pairs - empty,
            word_pairs=self._model.word_pairs,
            seconds=time.monotonic() - started,
            logprobs=logprobs,
            unbalanced=sum(max(pair) > BALANCE * min(pair) > 0 for pair in lengths),
            ignored_anchors=ignored,
        )

    def align(
        self,
        source: Sentences,
        target: Sentences,
        *,
        symmetrize: str = USUAL,
        threshold: float = 0.45,
        competitive: bool = False,
        anchors: Anchors | None = None,
        threads: int = 0,
    ) -> list[Alignment]:
        """Symmetrized links of each pair.

        The usual heuristic, on the best links of each direction, makes good rules; `posterior` has the fewest errors,
        as measured against links by hand. It takes the links whose mean probability over both directions reaches the
        threshold, `agreement` those whose geometric mean does; with `competitive`, such a link must also touch the
        most probable one of its row and of its column, directly or through links between them.
        """
        from dragoman._native import align as native

        model = self._trained()
        bitext, _ = self._bitext(source, target, grow=False)
        known = self._anchors(anchors, len(bitext))
        if symmetrize in ("posterior", "agreement"):
            check_argument("threshold", threshold, float, above=0, most=1)
            product = symmetrize == "agreement"
            return from_arrays(
                *model.likely(
                    bitext, known, threshold=threshold, product=product, competitive=competitive, threads=threads
                )
            )
        if competitive:
            raise SettingError("competitive thresholds go with posterior or agreement", remedy="or leave it out")
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
    ) -> list[LinkPosteriors]:
        """Probabilities of all links of each pair; arrays of size 0 where a pair is skipped."""
        bitext, lengths = self._bitext(source, target, grow=False)
        forward, reverse, limits, first, second = self._trained().posteriors(
            bitext, self._anchors(anchors, len(bitext)), threads=threads
        )
        result, start = [], 0
        for k, (end, shape) in enumerate(zip(limits.tolist(), lengths, strict=True)):
            size = shape if end > start else (0, 0)
            result.append(
                LinkPosteriors(
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
        forward = self._is_forward(direction)
        given, generated = (self._source, self._target) if forward else (self._target, self._source)
        words, probabilities = model.translations(given.id(word), forward=forward)
        ranked = sorted(zip((-probabilities).tolist(), words.tolist(), strict=True))[:limit]
        return [(generated.word(each), -negated) for negated, each in ranked]

    def lexicon(self, *, direction: str = "forward") -> Iterator[tuple[str, str, float]]:
        """All word translation probabilities: given word, generated word, probability; by given and generated id.

        Forward, source words are given; NULL is not listed, nor are pairs at the floor of both directions.
        """
        model = self._trained()
        forward = self._is_forward(direction)
        assert self._source is not None
        assert self._target is not None
        names = [[each.word(at) for at in range(len(each))] for each in (self._source, self._target)]
        sources, targets, probabilities = model.lexicon(forward=forward)
        for source, target, probability in zip(sources.tolist(), targets.tolist(), probabilities.tolist(), strict=True):
            one, other = names[0][source], names[1][target]
            yield (one, other, probability) if forward else (other, one, probability)

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

    def save(self, path: Path | str, *, provenance: Provenance | None = None) -> None:
        """Write a bundle."""
        model = self._trained()
        assert self._source is not None
        assert self._target is not None
        settings = {"aligner": self.name, **self.to_dict()}
        with writing_bundle(
            path, kind=KIND, languages=self.languages or (), settings=settings, provenance=provenance
        ) as files:
            self._source.save(files / "source.vocabulary")
            self._target.save(files / "target.vocabulary")
            model.save(files / "tables.bin")

    @classmethod
    def load(cls, path: Path | str, *, languages: tuple[str, str] | None = None) -> Self:
        """Open a bundle; `languages` are those the caller needs, source first."""
        from dragoman._native import align as native
        from dragoman._native.common import Vocabulary

        bundle = Bundle.open(path, kind=KIND)
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
            aligner = kind.from_dict(settings)
        except (SettingError, UnknownName) as error:
            raise BundleError(f"its settings are not those of its aligner: {error}", where=str(path)) from None
        aligner.languages = (bundle.languages[0], bundle.languages[1]) if len(bundle.languages) == 2 else None
        aligner._source = Vocabulary.load(bundle.file("source.vocabulary"))
        aligner._target = Vocabulary.load(bundle.file("target.vocabulary"))
        aligner._model = native.Model.load(bundle.file("tables.bin"))
        return aligner

    @staticmethod
    def _is_forward(direction: str) -> bool:
        check_argument("direction", direction, choices=("forward", "reverse"))
        return direction == "forward"

    @property
    def is_trained(self) -> bool:
        """Whether it has learned, or was loaded."""
        return self._model is not None

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

    def _classes(
        self, source: Sentences, target: Sentences, classes: tuple[ClassMap, ClassMap] | None, threads: int
    ) -> tuple[list[int], list[int]] | None:
        """Numbers of the classes of all words, if the model wants any."""
        if classes is not None:
            raise SettingError(f"the aligner {self.name!r} has no word classes", remedy="hmm, joint and ibm4 have them")
        return None

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


ALIGNERS = Registry[Aligner](
    "aligner",
    {
        "bayes": "dragoman.align.sampler:Bayes",
        "fast": "dragoman.align.fast:Fast",
        "hmm": "dragoman.align.hmm:Hmm",
        "ibm1": "dragoman.align.ibm:Ibm1",
        "ibm2": "dragoman.align.ibm:Ibm2",
        "ibm3": "dragoman.align.fertility:Ibm3",
        "ibm4": "dragoman.align.fertility:Ibm4",
        "joint": "dragoman.align.joint:Joint",
    },
)
"""All aligners by name."""


def get_aligner(spec: str | Aligner, *, settings: Iterable[str] = (), **changes: Any) -> Aligner:
    """An aligner by name, with settings written as `name=value` or given as arguments; one that is made stays as it is.

    >>> get_aligner("hmm", settings=["classes=50"]).name
    'hmm'
    """
    if isinstance(spec, str):
        return ALIGNERS.get(spec).configured(settings, **changes)
    if changes or list(settings):
        raise SettingError("settings beside an aligner that has its own", remedy="name it, or make it with them")
    return spec
