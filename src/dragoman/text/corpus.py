"""Corpora and bitexts: text as a stream that can be read again and again.

A `Corpus` is text of one side, a `Bitext` is text of two sides aligned segment by segment. Both hold a way to read, not
the text: each iteration opens the files anew and closes them at its end, so that a corpus of any size takes constant
memory and needs no `with`. Slices, shards, filters and splits are corpora too, read when iterated.

    >>> bitext = Bitext.of([("eins", "one"), ("zwei", "two"), ("drei", "three")], languages=("de", "en"))
    >>> [target for source, target in bitext[1:]]
    ['two', 'three']
    >>> train, dev, test = bitext.split(dev=1, test=1, seed=3)
    >>> train.count(), dev.count(), test.count()
    (1, 1, 1)
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, tee
from pathlib import Path
from typing import Generic, Literal, NamedTuple, Self, TypeVar

from dragoman.annotations import Sentence
from dragoman.errors import FileError, InputError, SettingError
from dragoman.files import display_name, read_lines, require_file, writing
from dragoman.progress import ProgressCallback, tracked
from dragoman.seeds import stream
from dragoman.settings import check_argument
from dragoman.text.formats import BitextLayout, SegmentPair, resolve, write_line
from dragoman.text.plain import read_sides
from dragoman.text.source_text import with_annotations

__all__ = ["Bitext", "Corpus", "SegmentPair", "Split", "Stream", "order_key"]

T = TypeVar("T")
S = TypeVar("S")


class Split(NamedTuple, Generic[S]):
    """A corpus cut into what is learned from, tuned on, and reported on."""

    train: S
    dev: S
    test: S


class Stream(ABC, Generic[T]):
    """Items that can be read again and again; what `Corpus` and `Bitext` have in common."""

    def __init__(self, read: Callable[[], Iterable[T]], *, name: str = "") -> None:
        self._read, self.name = read, name

    def __iter__(self) -> Iterator[T]:
        return iter(self._read())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @abstractmethod
    def _derived(self, read: Callable[[], Iterable[T]], name: str) -> Self:
        """The same kind of stream, with the same languages, over other items."""

    def count(self, *, progress: ProgressCallback | None = None) -> int:
        """How many items there are. It reads them all: there is no `len`, which would be taken to be free."""
        return sum(1 for _ in tracked(self, "counting", progress))

    def __getitem__(self, part: slice) -> Self:
        """A slice, read when iterated; negative positions count from the end, which costs one more reading."""
        if (part.step or 1) < 1:
            raise SettingError("a corpus is read forwards only", remedy="use a positive step")

        def read() -> Iterator[T]:
            start, stop, step = part.start or 0, part.stop, part.step
            if start < 0 or (stop is not None and stop < 0):
                start, stop, step = part.indices(self.count())
            return islice(self, start, stop, step)

        bounds = ":".join("" if bound is None else str(bound) for bound in (part.start, part.stop))
        return self._derived(read, f"{self.name}[{bounds}{f':{part.step}' if part.step else ''}]")

    def __add__(self, other: Self) -> Self:
        """One after the other."""
        return self._derived(lambda: chain(self, other), f"{self.name} + {other.name}")

    def filter(self, keep: Callable[[T], bool]) -> Self:
        """The items for which `keep` is true."""
        return self._derived(lambda: filter(keep, self), self.name)

    def map(self, change: Callable[[T], T]) -> Self:
        """Each item changed."""
        return self._derived(lambda: map(change, self), self.name)

    def at(self, places: Iterable[int]) -> Self:
        """The items at these places (from 0), in their own order; a place named twice counts once."""
        chosen = frozenset(places)
        return self._derived(
            lambda: (item for place, item in enumerate(self) if place in chosen), f"{self.name}, {len(chosen):,} chosen"
        )

    def shard(self, index: int, count: int) -> Self:
        """Every `count`-th item from `index` on: the `count` shards together are the whole."""
        if not 0 <= index < count:
            raise SettingError(f"shard {index} of {count}", remedy="shards count from 0")
        return self._derived(lambda: islice(self, index, None, count), f"{self.name}, shard {index} of {count}")

    def batches(self, size: int) -> Iterator[tuple[T, ...]]:
        """Lists of `size` items (the last may be shorter), in one reading."""
        check_argument("size", size, int, least=1)
        items = iter(self)
        while batch := tuple(islice(items, size)):
            yield batch

    def split(
        self, *, dev: float = 0, test: float = 0, seed: int = 0, by: Callable[[T], str] | None = None
    ) -> Split[Self]:
        """Cut into train, dev and test, the same for the same seed.

        `dev` and `test` are numbers of items, or shares of the whole when below 1. With `by`, items with the same key
        (a document, a package) stay together: whole groups are taken in an order that only seed and key decide, as
        long as they fit, so dev and test never have more than was asked for and may have a little less.
        """
        groups = Counter(map(by, self)) if by is not None else Counter()
        total = groups.total() if by is not None else self.count()
        sizes = [round(size * total) if size < 1 else int(size) for size in (dev, test)]
        if min(dev, test) < 0 or sum(sizes) > total:
            raise SettingError(
                f"{sizes[0]:,} for dev and {sizes[1]:,} for test do not fit into {total:,} segments", where=self.name
            )
        home: Callable[[int, T], int]
        if by is not None:
            homes = _place_groups(groups, sizes, seed)
            home = lambda _, item: homes.get(by(item), 0)  # noqa: E731
        else:
            chosen = stream(seed, "split").choice(total, size=sum(sizes), replace=False).tolist()
            places = dict.fromkeys(chosen[: sizes[0]], 1) | dict.fromkeys(chosen[sizes[0] :], 2)
            home = lambda index, _: places.get(index, 0)  # noqa: E731
        return Split(self._part(home, 0, "train"), self._part(home, 1, "dev"), self._part(home, 2, "test"))

    def _part(self, home: Callable[[int, T], int], number: int, name: str) -> Self:
        return self._derived(
            lambda: (item for i, item in enumerate(self) if home(i, item) == number), f"{self.name} ({name})"
        )


def _place_groups(groups: Mapping[str, int], sizes: Sequence[int], seed: int) -> dict[str, int]:
    """Which groups go to dev (1) and test (2): in shuffled order, each into the first part that has room for it."""
    homes: dict[str, int] = {}
    room = [0, *sizes]
    for group in sorted(groups, key=lambda group: order_key(seed, group)):
        home = next((part for part in (2, 1) if groups[group] <= room[part]), 0)
        if home:
            room[home] -= groups[group]
            homes[group] = home
    return homes


def order_key(seed: int, group: str) -> bytes:
    """A place in a shuffled order that depends on seed and name alone, not on what else is there."""
    return hashlib.blake2b(f"{seed}\x1f{group}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _once(read: Callable[[], Iterable[T]], paths: Sequence[Path | str]) -> Callable[[], Iterable[T]]:
    """Standard input and pipes cannot be read again; say so instead of giving nothing, or waiting, the second time."""
    if not any(str(path) == "-" or not Path(path).is_file() for path in paths):
        return read
    spent = False

    def read_once() -> Iterable[T]:
        nonlocal spent
        if spent:
            raise FileError("standard input or a pipe can be read only once", remedy="save it to a file first")
        spent = True
        return read()

    return read_once


class Corpus(Stream[str]):
    """Text of one side, one segment at a time."""

    def __init__(self, read: Callable[[], Iterable[str]], *, name: str = "", language: str = "") -> None:
        super().__init__(read, name=name)
        self.language = language

    def _derived(self, read: Callable[[], Iterable[str]], name: str) -> Self:
        return type(self)(read, name=name, language=self.language)

    @classmethod
    def open(cls, path: Path | str, *, language: str = "") -> Corpus:
        """The lines of a file, plain or compressed; `-` is standard input. For files of pairs see `Bitext.source`."""
        _check_exists(path)
        return cls(_once(lambda: read_lines(path), [path]), name=str(path), language=language)

    @classmethod
    def of(cls, segments: Iterable[str], *, language: str = "") -> Corpus:
        """Segments in memory."""
        kept = tuple(segments)
        return cls(lambda: kept, name=f"{len(kept)} segments", language=language)

    def write(self, path: Path | str) -> int:
        """Write one segment a line; gives their number."""
        number = 0
        with writing(path) as file:
            for number, segment in enumerate(self, start=1):
                write_line(file, [segment], where=f"{display_name(path)}, line {number}")
        return number


class Bitext(Stream[SegmentPair]):
    """Two sides aligned segment by segment."""

    def __init__(
        self,
        read: Callable[[], Iterable[SegmentPair]],
        *,
        name: str = "",
        languages: tuple[str, str] | None = None,
    ) -> None:
        super().__init__(read, name=name)
        self.languages = languages

    def _derived(self, read: Callable[[], Iterable[SegmentPair]], name: str) -> Self:
        return type(self)(read, name=name, languages=self.languages)

    @classmethod
    def open(
        cls,
        source: Path | str,
        target: Path | str | None = None,
        *,
        languages: tuple[str, str] | None = None,
        format: str | None = None,  # noqa: A002
        fields: tuple[str, str] | tuple[int, int] | None = None,
        markup: Literal["drop", "keep"] = "drop",
        references: Sequence[Path | str] = (),
        metadata: Mapping[str, Path | str] | None = None,
    ) -> Bitext:
        """A bitext in two parallel files, or in one (`.tsv`, `.jsonl`, `.tmx`), plain or compressed.

        With `languages=("de", "en")` and no file of that name, `source` may also be the common beginning of two files:
        `corpus` stands for `corpus.de` and `corpus.en`. `fields`, `markup` and `languages` are as in `BitextLayout`;
        `references` (further translations) and `metadata` (a fact per line, such as the document) are parallel files
        beside plain ones. A wrong name is told here; the files are read when the bitext is iterated.
        """
        paths: list[Path | str] = [source] if target is None else [source, target]
        if target is None and languages is not None and format in {None, "plain"} and not Path(source).exists():
            paths = [_existing(f"{source}.{language}") for language in languages]
        layout = BitextLayout(languages=languages, fields=fields, markup=markup)
        reader, name = resolve(paths, format)
        extra = [*references, *(metadata or {}).values()]
        if extra and name != "plain":
            raise SettingError(f"format {name!r} holds references and metadata itself")
        for path in [*paths, *extra]:
            _check_exists(path)
        if paths.count("-") > 1:
            raise SettingError("standard input cannot be both sides")

        def read() -> Iterator[SegmentPair]:
            if extra:
                return read_sides(paths[0], paths[1], references=references, metadata=metadata)
            return reader.read(paths, layout)

        return cls(_once(read, [*paths, *extra]), name=" and ".join(map(str, paths)), languages=languages)

    @classmethod
    def of(cls, pairs: Iterable[SegmentPair | tuple[str, str]], *, languages: tuple[str, str] | None = None) -> Bitext:
        """Pairs in memory."""
        kept = tuple(pair if isinstance(pair, SegmentPair) else SegmentPair(*pair) for pair in pairs)
        return cls(lambda: kept, name=f"{len(kept)} pairs", languages=languages)

    @property
    def source(self) -> Corpus:
        """The source side."""
        language = self.languages[0] if self.languages else ""
        return Corpus(lambda: (pair.source for pair in self), name=f"{self.name} (source)", language=language)

    @property
    def target(self) -> Corpus:
        """The target side."""
        language = self.languages[1] if self.languages else ""
        return Corpus(lambda: (pair.target for pair in self), name=f"{self.name} (target)", language=language)

    def swapped(self) -> Bitext:
        """The other direction. References belong to the target side, and are left out."""
        languages = (self.languages[1], self.languages[0]) if self.languages else None
        return Bitext(
            lambda: (SegmentPair(pair.target, pair.source, (), pair.metadata) for pair in self),
            name=f"{self.name} (swapped)",
            languages=languages,
        )

    def labelled(self, field: str, lines: Mapping[str, Sequence[int]]) -> Bitext:
        """With a metadata field that names the sets of pairs (counted from 0) that each pair is in, joined by `+`.

        >>> bitext = Bitext.of([("eins", "one"), ("zwei", "two")])
        >>> [pair.metadata for pair in bitext.labelled("domain", {"web": [1], "talk": range(2)})]
        [{'domain': 'talk'}, {'domain': 'web+talk'}]
        """
        chosen = {name: lines if isinstance(lines, range) else frozenset(lines) for name, lines in lines.items()}

        def read() -> Iterator[SegmentPair]:
            count = 0
            for count, pair in enumerate(self, 1):
                names = "+".join(name for name, numbers in chosen.items() if count - 1 in numbers)
                yield replace(pair, metadata={**pair.metadata, field: names})
            for name, numbers in chosen.items():
                if numbers and max(numbers) >= count:
                    raise InputError(
                        f"{name!r} has line {max(numbers) + 1}, but there are {count}",
                        where=self.name,
                        remedy="lines must be those of this text",
                    )

        return Bitext(read, name=self.name, languages=self.languages)

    def annotated(self, sentences: Callable[[], Iterable[Sentence]], *, name: str = "annotations") -> Bitext:
        """With the annotation of each source segment as a fact `annotation` of its pair, in plain values.

        `sentences` reads them anew at each pass: one for each segment that is not blank.
        """

        def read() -> Iterator[SegmentPair]:
            pairs, again = tee(self)
            texts = with_annotations((pair.source for pair in again), sentences(), name=name)
            for pair, text in zip(pairs, texts, strict=True):
                known = {"annotation": text.annotation.to_dict()} if text.annotation is not None else {}
                yield replace(pair, metadata={**pair.metadata, **known})

        return Bitext(read, name=self.name, languages=self.languages)

    def split_by(self, field: str, *, dev: float = 0, test: float = 0, seed: int = 0) -> Split[Self]:
        """Split so that all pairs with the same value of a metadata field (a document, say) stay together."""

        def group(pair: SegmentPair) -> str:
            if field not in pair.metadata:
                raise InputError(
                    f"a pair without {field!r}",
                    where=self.name,
                    remedy=f"it has {', '.join(pair.metadata) or 'no metadata'}",
                )
            return str(pair.metadata[field])

        return self.split(dev=dev, test=test, seed=seed, by=group)

    def write(
        self,
        source: Path | str,
        target: Path | str | None = None,
        *,
        languages: tuple[str, str] | None = None,
        format: str | None = None,  # noqa: A002
        fields: tuple[str, str] | None = None,
        progress: ProgressCallback | None = None,
    ) -> int:
        """Write two parallel files, or one, by format, and give the number of pairs; the files appear at the end."""
        paths = [source] if target is None else [source, target]
        writer, _ = resolve(paths, format)
        number = 0
        with writer.writing(paths, BitextLayout(languages=languages or self.languages, fields=fields)) as put:
            for pair in tracked(self, "writing", progress):
                put(pair)
                number += 1
        return number


def _check_exists(path: Path | str) -> None:
    if str(path) != "-" and Path(path).is_dir():
        raise FileError("is a folder, not a file", where=str(path))
    if str(path) != "-" and not Path(path).exists():
        require_file(path)


def _existing(path: str) -> Path:
    """The file of this name, or its compressed form."""
    for suffix in ("", ".gz", ".xz"):
        if Path(f"{path}{suffix}").exists():
            return Path(f"{path}{suffix}")
    return Path(path)
