"""Preflight: everything that can be checked before hours of work, checked in seconds.

Training reads each text once to see that it can be read, that both sides have as many lines, what languages they are
in, and how large they are; from the sizes follows what training will need on disk and in memory. The first fault stops
the job with its place. What is found here is also what results are kept under: the digest stands for the text.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman._native.common import TextVariety
from dragoman.errors import InputError, SettingError
from dragoman.pipeline.suspicions import SharedText, suspicions
from dragoman.progress import ProgressCallback, tracked
from dragoman.text.languages import language_in_name

if TYPE_CHECKING:
    from rich.table import Table

    from dragoman.text.corpus import Bitext, Corpus
    from dragoman.text.formats import SegmentPair

__all__ = ["Preflight", "TextSize", "inspect_bitext", "inspect_corpus", "megabytes", "preflight", "resolve_languages"]

_LEAST_PAIRS = 10
_DISK_PER_TOKEN, _DISK_PER_FOLD = 1100, 150
"""Bytes of finished and intermediate files for each token of both sides, phrases up to 7 words, and of those for each
fold of the text that weights are learned on; measured."""
_MEMORY_PER_TOKEN = 900
"""Bytes at the height of alignment and extraction, for the same token; a fixed part comes on top."""
_MEMORY_FIXED = 200 * 2**20


@dataclass(frozen=True, slots=True)
class TextSize:
    """How much text there is, and a digest that stands for its content."""

    segments: int
    source_tokens: int
    target_tokens: int
    empty: int
    longest: int
    cells: int
    """Source tokens times target tokens, over all pairs."""
    digest: str
    word_pairs: int = 0
    """Different pairs of a source and a target token of one pair, about; 0 if nobody asked."""
    ngrams: tuple[int, ...] = ()
    """Different n-grams of target tokens, about, by order, as far as they were asked for."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "segments": self.segments,
            "source_tokens": self.source_tokens,
            "target_tokens": self.target_tokens,
            "empty": self.empty,
            "longest": self.longest,
        }


@dataclass(frozen=True, slots=True)
class Preflight:
    """What training is about to do, and what it needs."""

    languages: tuple[str, str]
    train: TextSize
    dev: TextSize | None
    extra: TextSize | None
    source_text: TextSize | None
    disk_needed: int
    disk_free: int
    memory_needed: int
    memory_free: int
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    """What looks wrong with the text."""

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        parts = {"train": self.train, "dev": self.dev, "extra": self.extra, "source_text": self.source_text}
        return {
            "languages": list(self.languages),
            **{name: size.to_dict() for name, size in parts.items() if size is not None},
            "disk_needed": self.disk_needed,
            "memory_needed": self.memory_needed,
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def __rich__(self) -> Table:
        from rich.table import Table

        table = Table("", "segments", "source tokens", "target tokens", box=None, pad_edge=False)
        for column in table.columns[1:]:
            column.justify = "right"
        for name, size in (
            ("train", self.train),
            ("dev", self.dev),
            ("further text", self.extra),
            ("further source text", self.source_text),
        ):
            if size is not None:
                table.add_row(name, f"{size.segments:,}", f"{size.source_tokens:,}", f"{size.target_tokens:,}")
        table.caption = (
            f"{'-'.join(self.languages)}; needs about {megabytes(self.disk_needed)} of disk "
            f"({megabytes(self.disk_free)} free) and {megabytes(self.memory_needed)} of memory"
        )
        table.caption_justify = "left"
        return table


def megabytes(size: int) -> str:
    """A size for people."""
    return f"{size / 2**30:.1f} GB" if size >= 2**30 else f"{max(1, size // 2**20)} MB"


def inspect_bitext(
    bitext: Bitext,
    *,
    see: Callable[[str, str], None] | None = None,
    order: int = 0,
    progress: ProgressCallback | None = None,
) -> TextSize:
    """Read a bitext to its end: sides of different lengths, bytes that are not text and the like are told now.

    `see` is told every pair on the way. With an `order`, different word pairs and n-grams up to it are counted.
    """

    def sides() -> Iterator[tuple[str, str, str]]:
        for pair in tracked(bitext, "reading", progress):
            facts = [f"\x1f{pair.metadata[name]}" for name in ("domain", "annotation") if name in pair.metadata]
            if see is not None:
                see(pair.source, pair.target)
            yield pair.source, "\x1e".join((pair.target, *pair.references)), "".join(facts)

    return _inspect(sides(), order)


def inspect_corpus(corpus: Corpus, *, order: int = 0) -> TextSize:
    """Read a text of one side; its tokens count as those of the target."""
    return _inspect((("", segment, "") for segment in corpus), order)


def _inspect(pairs: Iterable[tuple[str, str, str]], order: int) -> TextSize:
    digest, variety = hashlib.sha256(), TextVariety(order)
    segments = source_tokens = target_tokens = empty = longest = cells = 0
    for source, target, more in pairs:
        digest.update(f"{source}\x1f{target}{more}\x00".encode("utf-8", "surrogatepass"))
        lengths = len(source.split()), len(target.split())
        segments += 1
        source_tokens += lengths[0]
        target_tokens += lengths[1]
        empty += not any(lengths)
        longest = max(longest, *lengths)
        cells += lengths[0] * lengths[1]
        if order:
            variety.add(source, target)
    found = variety.word_pairs, tuple(variety.ngrams)
    return TextSize(segments, source_tokens, target_tokens, empty, longest, cells, digest.hexdigest(), *found)


def preflight(
    train: Bitext,
    *,
    languages: tuple[str, str] | None,
    output: Path,
    dev: Bitext | None = None,
    extra: Corpus | None = None,
    source_text: Corpus | None = None,
    table_size: float = 1.0,
    folds: Callable[[int], int] = lambda pairs: 0,
    tokenized: bool = False,
    strict: bool = False,
    order: int = 0,
    progress: ProgressCallback | None = None,
) -> Preflight:
    """Read everything, and compare what training needs with what there is.

    `table_size` is how large the table will be, where one of phrases of seven words has size 1; `folds` are those of so
    many pairs. What looks wrong with the text is a warning, or if `strict` an error. With an `order`, different n-grams
    up to it and different word pairs are counted, for bounds of memory.
    """
    notes: list[str] = []
    overlap = SharedText.of(dev)
    size = inspect_bitext(train, see=overlap.see if dev is not None else None, order=order, progress=progress)
    if size.segments < _LEAST_PAIRS:
        raise InputError(
            f"{size.segments} sentence pairs to train on", where=train.name, remedy=f"give it {_LEAST_PAIRS} or more"
        )
    if size.source_tokens == 0 or size.target_tokens == 0:
        side = "source" if size.source_tokens == 0 else "target"
        raise InputError(f"the {side} side is empty", where=train.name, remedy="check the files")
    if size.empty:
        notes.append(f"{size.empty:,} pairs are empty on both sides")
    known, found = resolve_languages(train, languages)
    if found:
        notes.append(found)
    warnings = suspicions(train, known, pairs=size.segments, dev=dev, extra=extra, tokenized=tokenized)
    warnings += overlap.warnings()
    if strict and warnings:
        raise InputError("; ".join(warnings), where=train.name, remedy="mend it, or leave out strict=True")
    tokens = size.source_tokens + size.target_tokens
    extra_size = inspect_corpus(extra, order=order) if extra is not None else None
    per_token = _DISK_PER_TOKEN + folds(size.segments) * _DISK_PER_FOLD
    needed = int(tokens * per_token * table_size) + (extra_size.target_tokens * 150 if extra_size else 0)
    parent = next(folder for folder in (output, *output.absolute().parents) if folder.is_dir())
    free = shutil.disk_usage(parent).free
    if needed > free:
        raise SettingError(
            f"training needs about {megabytes(needed)} of disk, {megabytes(free)} are free",
            where=str(parent),
            remedy="free some, choose another disk, or take fewer rules (max_phrase)",
        )
    memory = _MEMORY_FIXED + tokens * _MEMORY_PER_TOKEN
    available = _available_memory()
    if memory > available:
        notes.append(
            f"training may need {megabytes(memory)} of memory, {megabytes(available)} are free: "
            "expect it to be slow, or use less text"
        )
    dev_size = inspect_bitext(dev) if dev is not None else None
    if dev_size is not None and dev_size.segments == 0:
        raise InputError("the dev set is empty", where=dev.name if dev else "", remedy="leave it out, or fill it")
    source_size = inspect_corpus(source_text) if source_text is not None else None
    return Preflight(
        known,
        size,
        dev_size,
        extra_size,
        source_size,
        needed,
        free,
        memory,
        available,
        tuple(notes),
        tuple(warnings),
    )


def resolve_languages(bitext: Bitext, given: tuple[str, str] | None) -> tuple[tuple[str, str], str]:
    """Languages as told, as the names of the files say, or as the text looks; and a note when they were guessed."""
    told = given or bitext.languages
    if told is not None:
        return told, ""
    names = [_stem_and_code(name) for name in bitext.name.split(" and ")]
    if len(names) == 2 and names[0][0] == names[1][0] and names[0][1] != names[1][1] and all(code for _, code in names):
        return (names[0][1], names[1][1]), ""
    from dragoman.text.languages import Identifier

    sample: list[SegmentPair] = list(islice(bitext, 200))
    identifier = Identifier()
    sides = (" ".join(pair.source for pair in sample), " ".join(pair.target for pair in sample))
    source, target = (found.language for found in identifier.identify(sides))
    note = f"the languages look like {source} and {target}; if they are others, say `languages=FROM-TO`"
    return (source, target), note


def _stem_and_code(name: str) -> tuple[str, str]:
    """What a file name says before its ending, and the ending if it looks like the code of a language."""
    code = language_in_name(name)
    return Path(name).name.partition(f".{code}")[0] if code else Path(name).name, code


def _available_memory() -> int:
    try:
        with Path("/proc/meminfo").open() as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, AttributeError, OSError):
        return 2**62
