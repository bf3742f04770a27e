"""Counting n-grams apart: by slices of the text, then by ranges of the newest word of an n-gram.

Three steps for any executor (`dragoman.executors`), whose results do not depend on it. Words of every slice are listed
in their order, so that the driver numbers them as one pass over the text would have. Every slice then counts its
events, sorts them and cuts them by ranges of their newest word, as many as the size of the text asks for. All that
extends an n-gram to the left ends in the same word, so every range can adjust its counts alone (the extensions of
Kneser and Ney 1995 are counts of what stands to the left), and the ranges one after the other are what one machine
would have counted. What is left to the driver is one pass over finished counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from dragoman._native import lm as native
from dragoman._native.common import Vocabulary
from dragoman.errors import InputError
from dragoman.executors import Executor, Shard, ShardPlace, ShardStep, Shared
from dragoman.progress import Progress, ProgressCallback

if TYPE_CHECKING:
    from numpy import int64, uint32
    from numpy.typing import NDArray

__all__ = ["count_apart"]

SLICE_LINES = 20_000
"""Lines of a slice; nothing depends on it but how the work is spread."""

RANGE_EVENTS = 1_000_000
"""Events that a range has, about: some hundred megabytes where they are sorted."""

BLOCK_NGRAMS = 100_000
"""N-grams with adjusted counts that the driver holds at once."""

_SPECIAL = ("<unk>", "<s>", "</s>")


@dataclass(frozen=True, slots=True)
class _Slice:
    """A slice of lines: its number, the number of its first line, and whether special words are left out."""

    number: int
    first: int
    lines: list[str]
    skip_special: bool


def _slices(lines: Iterable[str], skip_special: bool, told: ProgressCallback | None) -> Iterator[Shard[_Slice]]:
    source, first = iter(lines), 1
    number = 0
    while part := list(islice(source, SLICE_LINES)):
        yield Shard(_Slice(number, first, part, skip_special))
        number, first = number + 1, first + len(part)
        if told is not None:
            told(Progress("reading", first - 1))


def _number(shard: Shard[_Slice], shared: None, place: ShardPlace) -> tuple[list[str], NDArray[int64], int]:
    """The words of a slice in their first order, how often each occurs, and how many lines there are; the text as
    numbers stays in files."""
    import numpy as np

    given, vocabulary = shard.value, Vocabulary()
    words, ends = vocabulary.intern_all(given.lines)
    known = [vocabulary.word(number) for number in range(len(vocabulary))]
    counts = np.bincount(words, minlength=len(known))
    special = [word for word, count in zip(known, counts, strict=True) if word in _SPECIAL and count]
    if special and not given.skip_special:
        found = ((at, word) for at, line in enumerate(given.lines) for word in line.split() if word in _SPECIAL)
        at, word = next(found)
        raise InputError(
            f"the token '{word}' has a meaning of its own in language models",
            where=f"line {given.first + at}",
            remedy="remove it, or choose to skip such tokens",
        )
    words.tofile(place.folder / f"{given.number}.words")
    ends.astype(np.int64).tofile(place.folder / f"{given.number}.ends")
    return known, counts, len(given.lines)


@dataclass(frozen=True, slots=True)
class _Cut:
    """How events of a slice are numbered and cut: its number, the number of each of its words in the whole text, and
    the first newest word of every range but the first."""

    number: int
    words: NDArray[uint32]


def _count(shard: Shard[_Cut], shared: tuple[int, NDArray[uint32]], place: ShardPlace) -> None:
    """Sorted events of a slice, a file for each range."""
    import numpy as np

    order, bounds = shared
    words = np.fromfile(shard.files["words"], np.uint32)
    ends = np.fromfile(shard.files["ends"], np.int64)
    events = native.sorted_events(np.ascontiguousarray(shard.value.words[words]), ends, order)
    cuts = [0, *np.searchsorted(events[:, 0], bounds).tolist(), len(events)]
    for number, (start, end) in enumerate(pairwise(cuts)):
        events[start:end].tofile(place.folder / f"{shard.value.number}.events.{number}")


def _adjust(shard: Shard[int], shared: tuple[int, str], place: ShardPlace) -> None:
    """Adjusted counts of all n-grams of a range."""
    import numpy as np

    order, smoothing = shared
    parts = [np.fromfile(shard.files[name], np.uint32) for name in sorted(shard.files, key=int)]
    native.adjusted_counts(parts, order, smoothing).tofile(place.folder / f"counts.{shard.value}")


_NUMBERING = ShardStep("numbering words", _number)
_COUNTING = ShardStep("counting n-grams", _count)
_ADJUSTING = ShardStep("adjusting counts", _adjust)


def _bounds(counts: NDArray[int64], sentences: int) -> NDArray[uint32]:
    """First words of ranges that have about as many events each; `</s>` ends every sentence."""
    import numpy as np

    counts[2] = sentences
    total = np.cumsum(counts)
    wanted = np.arange(1, max(1, -(-int(total[-1]) // RANGE_EVENTS))) * RANGE_EVENTS
    found: NDArray[uint32] = np.unique(np.searchsorted(total, wanted) + 1).astype(np.uint32)
    return found


def count_apart(
    estimator: native.Estimator,
    lines: Iterable[str],
    executor: Executor,
    *,
    order: int,
    smoothing: str,
    skip_special: bool,
    scratch: Path | None,
    progress: ProgressCallback | None,
) -> None:
    """Count the n-grams of lines wherever the executor works; the estimator then knows all adjusted counts."""
    import numpy as np

    with TemporaryDirectory(prefix="dragoman-counting-", dir=scratch) as made:
        folder = Path(made)
        numbered: list[NDArray[uint32]] = []
        counts = np.zeros(0, np.int64)
        sentences = 0
        for words, seen, count in executor.run(
            _NUMBERING, _slices(lines, skip_special, progress), shared=Shared(None), folder=folder
        ):
            numbers = estimator.number(words)
            if (more := int(numbers.max(initial=2)) + 1 - len(counts)) > 0:
                counts = np.concatenate([counts, np.zeros(more, np.int64)])
            counts[numbers] += seen
            numbered.append(numbers)
            sentences += count
        estimator.begin_adjusted(int(counts[3:].sum()), sentences)
        bounds = _bounds(counts, sentences)

        def slices() -> Iterator[Shard[_Cut]]:
            for number, words in enumerate(numbered):
                yield Shard(_Cut(number, words), {name: folder / f"{number}.{name}" for name in ("words", "ends")})

        done = executor.run(
            _COUNTING,
            slices(),
            shared=Shared((order, bounds)),
            folder=folder,
            total=len(numbered),
            progress=progress,
        )
        for number, _ in enumerate(done):
            for name in ("words", "ends"):
                (folder / f"{number}.{name}").unlink()

        def ranges() -> Iterator[Shard[int]]:
            for number in range(len(bounds) + 1):
                files = {str(part): folder / f"{part}.events.{number}" for part in range(len(numbered))}
                yield Shard(number, files)

        done = executor.run(
            _ADJUSTING,
            ranges(),
            shared=Shared((order, smoothing)),
            folder=folder,
            total=len(bounds) + 1,
            progress=progress,
        )
        for number, _ in enumerate(done):
            adjusted = folder / f"counts.{number}"
            with adjusted.open("rb") as file:
                while len(block := np.fromfile(file, np.uint32, (order + 5) * BLOCK_NGRAMS)):
                    estimator.add_adjusted(block)
            adjusted.unlink()
            for part in range(len(numbered)):
                (folder / f"{part}.events.{number}").unlink()
    estimator.end_counts()
