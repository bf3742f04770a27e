"""Training of word vectors, of one language or in the space of another.

A small network learns to tell a window of text from the same window with one word replaced at random, by a margin
(Collobert and Weston 2008), on request also by the document around it (Huang et al. 2012). Vectors of a second language
begin at the mean of the vectors of their translations, so that they lie in the space of the first; while they are
trained, a quadratic term keeps each word near the mean of its translations (Zou, Socher, Cer and Manning 2013). Words
that were never linked have no such term, and find their place by context alone. Frequent words go first: passes over a
growing vocabulary, in which words that are not yet learned stay where they are.

Steps are those of AdaGrad (Duchi, Hazan and Singer 2011). Results follow from the seed and do not depend on threads.

    >>> text = ["the cat sat down", "the dog sat down", "a cat ran off", "a dog ran off"] * 50
    >>> made = train_vectors(text, VectorSettings(dimensions=8, hidden=8, window=3, passes=3, min_count=1), threads=1)
    >>> len(made.vectors), made.vectors.dimensions
    (8, 8)
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dragoman._native import semantics as native
from dragoman.errors import FormatError, InputError, SettingError
from dragoman.files import writing
from dragoman.plain_data import parse_json
from dragoman.progress import Progress, ProgressCallback
from dragoman.semantics.translation_counts import NORMALIZERS, TranslationCounts, aligned_start, translation_matrix
from dragoman.semantics.vectors import WordVectors
from dragoman.settings import Settings, setting

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["TrainedVectors", "VectorPass", "VectorSettings", "train_both", "train_vectors"]

SPECIAL = ("<unk>", "<s>", "</s>")
"""Words that are not of the text: those that are too rare, and what stands before and after a sentence."""


@dataclass(frozen=True, kw_only=True)
class VectorSettings(Settings):
    """How vectors are made."""

    dimensions: int = setting(50, "Numbers that stand for a word.", least=1, most=10_000)
    window: int = setting(10, "Words of a window, the scored one among them.", least=2, most=100)
    position: str = setting("last", "Which word of a window is scored, and replaced.", choices=("last", "middle"))
    hidden: int = setting(100, "Hidden units of the network.", least=1)
    documents: bool = setting(False, "Blank lines part documents, and a second network looks at these.")
    words: int = setting(100_000, "Most words that get vectors.", least=1)
    min_count: int = setting(2, "How often such a word is seen at least.", least=1)
    curriculum: tuple[int, ...] = setting(
        (5000, 10_000, 25_000, 50_000),
        "Sizes of the vocabulary in passes that go before; those that are not smaller than the whole are left out.",
        least=1,
    )
    passes: int = setting(5, "Passes over the text with the whole vocabulary.", least=0)
    replacements: int = setting(1, "Random words that each scored word is compared with.", least=1)
    noise: float = setting(
        0.0, "Power of their frequency by which these are drawn; 0 draws all words alike.", least=0, most=1
    )
    batch: int = setting(256, "Windows that are learned from at once.", least=1)
    rate: float = setting(0.05, "Length of the first steps.", above=0)
    start: str = setting(
        "aligned",
        "Where words begin if vectors of another language are given: at their translations, or anywhere.",
        choices=("aligned", "random"),
    )
    normalizer: str = setting("links", "What counts are divided by at the start.", choices=NORMALIZERS)
    translation: float = setting(50.0, "How much the distance to translations counts; 0 for not at all.", least=0)
    seed: int = setting(1, "Random choices follow from it.", least=0)


@dataclass(frozen=True, slots=True)
class VectorPass:
    """What one pass came to."""

    words: int
    """The size of the vocabulary in it."""
    context: float
    """Mean loss of a window."""
    violated: float
    """Share of replacements that did not score lower by the margin."""
    translation: float
    """Mean squared distance of words to the means of their translations, after the pass; 0 without any."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "words": self.words,
            "context": self.context,
            "violated": self.violated,
            "translation": self.translation,
        }


@dataclass(frozen=True, slots=True)
class TrainedVectors:
    """Vectors, how training went, and on request what they were before."""

    vectors: WordVectors
    history: tuple[VectorPass, ...]
    start: float = 0.0
    """Mean squared distance to the means of translations before the first pass."""
    snapshots: tuple[WordVectors, ...] = field(default=(), repr=False)
    """Vectors after the last passes, as many as were asked for, the last one included."""


def train_vectors(
    lines: Iterable[str],
    settings: VectorSettings | Iterable[str] = (),
    *,
    given: WordVectors | None = None,
    counts: TranslationCounts | None = None,
    snapshots: int = 0,
    state: Path | str | None = None,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> TrainedVectors:
    """Vectors of the words of a tokenised text; with `given` vectors of another language and `counts`, in their space.

    With `state`, the name of a file, each pass leaves there what training goes on from: a job that was stopped, by a
    user or by a loss that is no number, takes it up, with another `rate` or number of passes if these were changed.
    """
    chosen = settings if isinstance(settings, VectorSettings) else VectorSettings.configured(settings)
    if (given is None) != (counts is None):
        raise SettingError("vectors of another language without counts of links, or the reverse", remedy="give both")
    if given is not None and given.dimensions != chosen.dimensions:
        chosen = replace(chosen, dimensions=given.dimensions)
    run = _Run(lines, chosen, given, counts)
    kept = _State(Path(state), run.digest) if state is not None else None
    history = kept.resume(run.trainer) if kept is not None else []
    taken: list[WordVectors] = []
    for number in range(len(history), len(run.plan)):
        history.append(run.train_pass(number, threads, progress, kept, history))
        if kept is not None:
            kept.keep(run.trainer, history)
        if number >= len(run.plan) - snapshots:
            taken.append(run.vectors())
    if kept is not None:
        kept.remove()
    return TrainedVectors(run.vectors(), tuple(history), run.begun, tuple(taken))


def train_both(
    lines: Sequence[str],
    other_lines: Sequence[str],
    counts: TranslationCounts,
    settings: VectorSettings | Iterable[str] = (),
    *,
    given: WordVectors,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> tuple[WordVectors, WordVectors]:
    """Vectors of two languages, each trained while the other stands still, pass by pass in turn.

    `given` are vectors of the other language to begin with; `counts` have the first language's words as rows.
    """
    chosen = settings if isinstance(settings, VectorSettings) else VectorSettings.configured(settings)
    chosen = replace(chosen, dimensions=given.dimensions)
    first = _Run(lines, chosen, given, counts)
    second = _Run(other_lines, replace(chosen, start="random"), first.vectors(), counts.transposed(), like=given)
    for number in range(max(len(first.plan), len(second.plan))):
        for run, other in ((first, second), (second, first)):
            run.draw_to(other.vectors())
            run.train_pass(min(number, len(run.plan) - 1), threads, progress, None, [], stream=number)
    return first.vectors(), second.vectors()


class _Run:
    """A text as ids, its trainer, and the plan of passes: how many words are active in each."""

    def __init__(
        self,
        lines: Iterable[str],
        settings: VectorSettings,
        given: WordVectors | None,
        counts: TranslationCounts | None,
        like: WordVectors | None = None,
    ) -> None:
        self.settings, self.counts = settings, counts
        text = list(lines)
        documents, sentences = _documents(text, settings.documents)
        seen = Counter(word for sentence in sentences for word in sentence)
        ranked = sorted((word for word in seen if seen[word] >= settings.min_count), key=lambda w: (-seen[w], w))
        self.words = [word for word in ranked if word not in SPECIAL][: settings.words]
        if len(self.words) < 2:
            raise InputError("too few words to make vectors of", remedy="give more text, or lower min_count")
        ids = {word: number for number, word in enumerate(self.words, len(SPECIAL))}
        encoded = np.array([ids.get(word, 0) for sentence in sentences for word in sentence], np.uint32)
        size = len(self.words) + len(SPECIAL)
        middle = settings.window // 2
        self.trainer = native.RankingTrainer(
            encoded,
            np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64),
            documents,
            _idf(encoded, documents, sentences, size),
            dimensions=settings.dimensions,
            window=settings.window,
            scored=settings.window - 1 if settings.position == "last" else middle,
            hidden=settings.hidden,
            document_hidden=settings.hidden if settings.documents else 0,
            seed=settings.seed,
        )
        bands = [size for size in sorted(set(settings.curriculum)) if size < len(self.words)]
        self.plan = [band + len(SPECIAL) for band in bands] + [size] * settings.passes
        self._matrix: csr_matrix | None = None
        self._targets = np.zeros((0, 0), np.float32)
        if given is not None and counts is not None:
            counts.require_known(given)
            self._given_words = given.words
            self._matrix = translation_matrix(counts, self.words, given)
            if like is not None:
                self._begin_like(like)
            elif settings.start == "aligned":
                begin = aligned_start(counts, self.words, given, normalizer=settings.normalizer, seed=settings.seed)
                self._set_rows(begin)
            self.draw_to(given)
        self.begun = self.distance()
        self.digest = _digest(text, settings, given, self._matrix)

    def _begin_like(self, vectors: WordVectors) -> None:
        rows = vectors.rows(self.words)
        begin = self._rows()
        begin[rows >= 0] = vectors.values[rows[rows >= 0]]
        self._set_rows(begin)

    def _rows(self) -> NDArray[np.float32]:
        whole = self.trainer.parts()[0].reshape(-1, self.settings.dimensions)
        return np.array(whole[len(SPECIAL) :])

    def _set_rows(self, rows: NDArray[np.float32]) -> None:
        whole = self.trainer.parts()[0].reshape(-1, self.settings.dimensions)
        whole[len(SPECIAL) :] = rows
        self.trainer.set_parts([np.ascontiguousarray(whole.ravel())])

    def draw_to(self, given: WordVectors) -> None:
        """Where translations are now is where words are drawn to."""
        assert self._matrix is not None
        if given.words != self._given_words:
            assert self.counts is not None
            self._matrix, self._given_words = translation_matrix(self.counts, self.words, given), given.words
        means = (self._matrix @ given.values.astype(np.float64)).astype(np.float32)
        self._targets = np.vstack([np.zeros((len(SPECIAL), means.shape[1]), np.float32), means])
        mask = np.concatenate([np.zeros(len(SPECIAL)), np.diff(self._matrix.indptr) > 0]).astype(np.uint8)
        self._mask = mask
        self.trainer.set_translations(np.ascontiguousarray(self._targets.ravel()), mask)

    def distance(self) -> float:
        """Mean squared distance of words to the means of their translations."""
        if self._matrix is None:
            return 0.0
        rows = self._mask[len(SPECIAL) :].astype(bool)
        gaps = self._rows()[rows] - self._targets[len(SPECIAL) :][rows]
        return float((gaps.astype(np.float64) ** 2).sum() / max(1, rows.sum()))

    def train_pass(
        self,
        number: int,
        threads: int,
        progress: ProgressCallback | None,
        kept: _State | None,
        history: Sequence[VectorPass],
        *,
        stream: int | None = None,
    ) -> VectorPass:
        chosen = self.settings
        note = f"loss {history[-1].context:.3f}" if history else ""
        try:
            context, _, violated, _ = self.trainer.train_pass(
                number if stream is None else stream,
                rate=chosen.rate,
                active=self.plan[number],
                translation=chosen.translation if self._matrix is not None else 0.0,
                context=1.0,
                batch=chosen.batch,
                replacements=chosen.replacements,
                noise=chosen.noise,
                threads=threads,
                progress=_reporter(progress, number, len(self.plan), note),
            )
        except InputError as error:
            if kept is None or not history:
                raise
            remedy = f"what pass {len(history)} left is kept in {kept.path}: go on from it with a smaller rate"
            raise InputError(error.what, where=error.where, remedy=remedy) from None
        return VectorPass(self.plan[number] - len(SPECIAL), context, violated, self.distance())

    def vectors(self) -> WordVectors:
        return WordVectors(self.words, self._rows())


def _documents(lines: Sequence[str], parted: bool) -> tuple[NDArray[np.int32], list[list[str]]]:
    """The document of each sentence, and sentences without the blank lines."""
    numbers: list[int] = []
    sentences: list[list[str]] = []
    number = 0
    for line in lines:
        words = line.split()
        if words:
            numbers.append(number if parted else 0)
            sentences.append(words)
        elif numbers and number == numbers[-1]:
            number += 1
    return np.array(numbers, np.int32), sentences


def _idf(
    ids: NDArray[np.uint32], documents: NDArray[np.int32], sentences: Sequence[Sequence[str]], size: int
) -> NDArray[np.float64]:
    """ln(documents / documents with the word)."""
    of_tokens = np.repeat(documents, [len(sentence) for sentence in sentences])
    pairs = np.unique(np.stack([ids.astype(np.int64), of_tokens.astype(np.int64)]), axis=1)
    having = np.bincount(pairs[0], minlength=size)
    total = max(1, len(np.unique(documents)))
    return np.log(total / np.maximum(having, 1)).astype(np.float64)


def _reporter(progress: ProgressCallback | None, number: int, passes: int, note: str) -> object:
    if progress is None:
        return None
    return lambda done: progress(Progress("vectors", number + done, passes, note))


def _digest(
    lines: Sequence[str], settings: VectorSettings, given: WordVectors | None, matrix: csr_matrix | None
) -> str:
    """What training that goes on must have in common with that which was begun: all but the rate and the end."""
    told = {name: value for name, value in settings.to_dict().items() if name not in ("rate", "passes")}
    found = hashlib.sha256(json.dumps(told, sort_keys=True).encode())
    found.update("\n".join(lines).encode("utf-8", "surrogatepass"))
    if given is not None and matrix is not None:
        found.update(given.values.tobytes() + matrix.data.tobytes() + matrix.indices.tobytes())
    return found.hexdigest()


class _State:
    """What training goes on from: the trainer's own file, and beside it what the passes came to."""

    def __init__(self, path: Path, digest: str) -> None:
        self.path, self.digest = path, digest
        self.notes = path.with_name(path.name + ".json")

    def resume(self, trainer: native.RankingTrainer) -> list[VectorPass]:
        if not (self.path.is_file() and self.notes.is_file()):
            return []
        found = parse_json(self.notes.read_bytes(), where=str(self.notes), remedy="remove it, and begin again")
        try:
            if found["digest"] != self.digest:
                return []
            history = [VectorPass(**each) for each in found["history"]]
        except (KeyError, TypeError) as error:
            raise FormatError(f"damaged ({error})", where=str(self.notes), remedy="remove it, begin again") from None
        return history[: trainer.restore(self.path)]

    def keep(self, trainer: native.RankingTrainer, history: Sequence[VectorPass]) -> None:
        with writing(self.notes) as file:
            json.dump({"digest": self.digest, "history": [each.to_dict() for each in history]}, file)
        trainer.save(self.path, len(history))

    def remove(self) -> None:
        for path in (self.path, self.notes):
            with suppress(FileNotFoundError):
                path.unlink()
