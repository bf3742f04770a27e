"""Estimation from sentences or from n-gram counts: modified Kneser-Ney, Katz, Witten-Bell.

The usual model is that of Chen and Goodman (1998) in its interpolated form, with the conventions of KenLM's `lmplz`
(Heafield et al. 2013), so that the same text gives the same file: unigrams are interpolated with the uniform
distribution, `<unk>` takes its share of it, `<s>` is never predicted. Two things differ. Small corpora never abort:
where the discounts of an order cannot be estimated, fixed ones take their place, order by order, and the report says
so. And counts can come instead of sentences, because n-grams over trees cannot be written as sentences.

Two older ways of smoothing stand beside it, by raw counts throughout. `katz` (Katz 1987) is what SRILM does unless it
is told otherwise: counts up to 7 are discounted as Good and Turing would, larger ones believed, and only words that
were not seen take the model of the shorter context. `witten-bell` (Witten and Bell 1991) gives to what was not seen
after a context a mass that grows with the number of different words that were, which suits text whose counts of counts
say nothing, such as class sequences.

    >>> made = estimate(["a b", "a c", "b a b"], order=2)
    >>> made.ngrams.counts
    (6, 7)
    >>> [order.fallback for order in made.orders]
    [True, True]
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from dragoman._native import lm as native
from dragoman.errors import InputError, SettingError
from dragoman.executors import Executor
from dragoman.files import read_lines
from dragoman.lm.counting import count_apart
from dragoman.lm.model import NgramModel, Ngrams, write_arpa
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import byte_count, check_argument

__all__ = [
    "DEFAULT_MEMORY",
    "SMOOTHINGS",
    "Estimate",
    "OrderEstimate",
    "estimate",
    "estimate_from_counts",
    "parse_memory",
]

SMOOTHINGS = ("kneser-ney", "katz", "witten-bell")

DEFAULT_MEMORY = "2G"
FALLBACK = (0.5, 1.0, 1.5)
"""Discounts where none can be estimated, for counts 1, 2, and 3 or more."""

_LINES_AT_ONCE = 5000


@dataclass(frozen=True, slots=True)
class OrderEstimate:
    """What estimation found at one order: n-grams seen and kept, and its discounts for counts 1, 2, ...

    The last discount holds for all larger counts; Witten-Bell has none.
    """

    order: int
    seen: int
    kept: int
    discounts: tuple[float, ...]
    fallback_reason: str

    @property
    def fallback(self) -> bool:
        """Whether the discounts are fixed ones."""
        return bool(self.fallback_reason)


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated model, and how it came about."""

    ngrams: Ngrams
    orders: tuple[OrderEstimate, ...]
    sentences: int
    tokens: int

    def build(self, *, layout: str = "hashed", bits: int = 8) -> NgramModel:
        """The model to query; see `Ngrams.build`."""
        return self.ngrams.build(layout=layout, bits=bits)

    def write_arpa(self, path: Path | str) -> None:
        write_arpa(self.ngrams, path)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know about this estimate."""
        return tuple(
            f"order {order.order}: too little text to estimate discounts ({order.fallback_reason}); "
            f"used {', '.join(f'{value:g}' for value in order.discounts)}"
            for order in self.orders
            if order.fallback
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "sentences": self.sentences,
            "tokens": self.tokens,
            "orders": [
                {
                    "order": order.order,
                    "seen": order.seen,
                    "kept": order.kept,
                    "discounts": list(order.discounts),
                    "fallback": order.fallback_reason or None,
                }
                for order in self.orders
            ],
        }


def estimate(
    text: Path | str | Iterable[str],
    *,
    order: int = 5,
    smoothing: str = "kneser-ney",
    prune: Sequence[int] = (),
    vocabulary: Iterable[str] | None = None,
    interpolate_unigrams: bool = True,
    skip_special: bool = False,
    fallback: tuple[float, float, float] = FALLBACK,
    memory: int | str = DEFAULT_MEMORY,
    scratch: Path | str | None = None,
    threads: int = 0,
    executor: Executor | None = None,
    progress: ProgressCallback | None = None,
) -> Estimate:
    """Estimate a model from sentences: a file (one a line) or any iterable of strings.

    `prune` gives a threshold per order, the last being repeated: n-grams seen no more often are dropped and their mass
    goes to shorter ones. With `vocabulary`, n-grams with other words are dropped in the same way. Beyond `memory`, work
    goes through files in `scratch`; the result is the same. `<s>`, `</s>` and `<unk>` in the text are refused unless
    `skip_special` leaves them out. An `executor` that works elsewhere counts there (`dragoman.lm.counting`), with the
    same result.
    """
    estimator = _estimator(
        order, smoothing, prune, vocabulary, interpolate_unigrams, skip_special, fallback, memory, scratch
    )
    name = str(text) if isinstance(text, (str, Path)) else ""
    lines = read_lines(text) if isinstance(text, (str, Path)) else text
    if executor is not None and executor.remote:
        try:
            count_apart(
                estimator,
                lines,
                executor,
                order=order,
                smoothing=smoothing,
                skip_special=skip_special,
                scratch=Path(scratch) if scratch is not None else None,
                progress=progress,
            )
        except InputError as error:
            raise _named(error, name) from None
        return _finish(estimator, order, threads, progress)
    stream = iter(lines)
    done = 0
    while block := list(islice(stream, _LINES_AT_ONCE)):
        try:
            estimator.add_sentences(block, done + 1)
        except InputError as error:
            raise _named(error, name) from None
        done += len(block)
        if progress is not None:
            progress(Progress("reading", done))
    _count(estimator, order, progress, name)
    return _finish(estimator, order, threads, progress)


def estimate_from_counts(
    counts: Path | str | Iterable[tuple[str, int]],
    *,
    order: int,
    smoothing: str = "kneser-ney",
    prune: Sequence[int] = (),
    required: Iterable[str] = (),
    vocabulary: Iterable[str] | None = None,
    interpolate_unigrams: bool = True,
    fallback: tuple[float, float, float] = FALLBACK,
    memory: int | str = DEFAULT_MEMORY,
    scratch: Path | str | None = None,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Estimate:
    """Estimate a model from n-gram counts: a file of lines `words<TAB>count`, or pairs of such.

    Needed are the n-grams of the full order and the shorter ones that begin with `<s>`; the counts of other shorter
    ones follow from these, so they may be there or not. A denominator is the sum over what follows a context, not the
    context's own count, which in a tree is another number. For the same reason a context may be pruned that an n-gram
    needs; those named in `required` stay whatever their count (`dragoman.lm.deep_syntax` names them).
    """
    estimator = _estimator(order, smoothing, prune, vocabulary, interpolate_unigrams, False, fallback, memory, scratch)
    for ngram in required:
        estimator.require(ngram)
    name = str(counts) if isinstance(counts, (str, Path)) else ""
    pairs = _read_counts(counts) if isinstance(counts, (str, Path)) else counts
    number = 0
    for number, (ngram, count) in enumerate(pairs, 1):
        try:
            estimator.add_count(ngram, count, number)
        except (InputError, TypeError) as error:
            if isinstance(error, TypeError):
                raise InputError(f"an impossible count: {count!r}", where=f"item {number}") from None
            raise _named(error, name) from None
        if progress is not None and number % 100_000 == 0:
            progress(Progress("reading", number))
    _count(estimator, order, progress, name)
    return _finish(estimator, order, threads, progress)


def parse_memory(text: int | str) -> int:
    """Bytes from a number or from text such as `512M`."""
    try:
        value = text if isinstance(text, int) else byte_count(text)
    except ValueError:
        raise SettingError(f"memory is {text!r}", remedy="it must be a size such as 512M or 2G") from None
    check_argument("memory", value, int, least=2**20)
    return value


def _estimator(
    order: int,
    smoothing: str,
    prune: Sequence[int],
    vocabulary: Iterable[str] | None,
    interpolate_unigrams: bool,
    skip_special: bool,
    fallback: tuple[float, float, float],
    memory: int | str,
    scratch: Path | str | None,
) -> native.Estimator:
    check_argument("smoothing", smoothing, choices=SMOOTHINGS)
    for threshold in prune:
        check_argument("prune", threshold, int, least=0)
    if scratch is not None and not Path(scratch).is_dir():
        raise SettingError(f"{scratch} is not a folder", remedy="choose an existing one for scratch files")
    estimator = native.Estimator(
        order=order,
        smoothing=smoothing,
        prune=list(prune),
        interpolate_unigrams=interpolate_unigrams,
        skip_special=skip_special,
        fallback=fallback,
        memory=parse_memory(memory),
        scratch=os.fspath(scratch or ""),
    )
    if vocabulary is not None:
        estimator.limit_vocabulary([word for line in vocabulary for word in line.split()])
    return estimator


def _count(estimator: native.Estimator, order: int, progress: ProgressCallback | None, name: str) -> None:
    if progress is not None:
        progress(Progress("estimating", 0, order + 2))
    try:
        estimator.count()
    except InputError as error:
        raise _named(error, name) from None


def _finish(estimator: native.Estimator, order: int, threads: int, progress: ProgressCallback | None) -> Estimate:
    def report(done: int) -> None:
        if progress is not None:
            progress(Progress("estimating", done, order + 2))

    report(1)
    estimator.normalize(threads)
    report(2)
    for n in range(1, order + 1):
        estimator.interpolate(n)
        report(n + 2)
    orders = tuple(
        OrderEstimate(n, found.types, found.kept, tuple(found.discounts), found.fallback_reason)
        for n, found in enumerate(estimator.orders, 1)
    )
    return Estimate(Ngrams(estimator.take()), orders, estimator.sentences, estimator.tokens)


def _named(error: InputError, name: str) -> InputError:
    where = ", ".join(part for part in (name, error.where) if part)
    return InputError(error.what, where=where, remedy=error.remedy)


def _read_counts(path: Path | str) -> Iterable[tuple[str, int]]:
    for number, line in enumerate(read_lines(path), 1):
        ngram, tab, count = line.rpartition("\t")
        if not tab or not count.strip().isdigit():
            raise InputError("not `words<TAB>count`", where=f"{path}, line {number}", remedy="write one n-gram a line")
        yield ngram, int(count)
