"""Cleaning: a bitext passed through fixes and checks, with an account of what was removed and why.

>>> from dragoman.text.corpus import Bitext
>>> cleaning = Cleaning(Bitext.of([("ein  Haus", "a house"), ("???", "no"), ("ein Haus", "a house")]))
>>> [tuple(pair) for pair in cleaning]
[('ein Haus', 'a house')]
>>> {name: removal.count for name, removal in cleaning.report.removed.items() if removal.count}
{'symbols': 1, 'duplicate': 1}
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.executors import Executor, LocalExecutor, Shard, ShardPlace, ShardStep, Shared
from dragoman.progress import ProgressCallback, tracked
from dragoman.text.checks import CHECKS, FIXES, REMEMBERING, Check, CleaningLimits, Fix
from dragoman.text.corpus import Bitext, SegmentPair
from dragoman.text.formats import BitextLayout, resolve

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["DEFAULT_CHECKS", "DEFAULT_FIXES", "Cleaning", "CleaningReport", "Example", "Removal", "clean"]

DEFAULT_FIXES = ("nfc", "whitespace")
DEFAULT_CHECKS = ("empty", "control", "identical", "length", "ratio", "symbols", "script", "duplicate")
"""`script` takes part when the languages are known."""


@dataclass(frozen=True, slots=True)
class Example:
    """A removed pair, and where it stood: its place in the bitext, counted from 1 (the line, in plain files)."""

    line: int
    source: str
    target: str


@dataclass(slots=True)
class Removal:
    """How many pairs a check removed, with the first few of them."""

    count: int = 0
    examples: list[Example] = field(default_factory=list)


@dataclass(slots=True)
class CleaningReport:
    """What came in, what stayed, and which check removed how much."""

    pairs: int = 0
    kept: int = 0
    fixed: dict[str, int] = field(default_factory=dict)
    removed: dict[str, Removal] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "pairs": self.pairs,
            "kept": self.kept,
            "fixed": dict(self.fixed),
            "removed": {
                name: {
                    "count": removal.count,
                    "examples": [
                        {"line": example.line, "source": example.source, "target": example.target}
                        for example in removal.examples
                    ],
                }
                for name, removal in self.removed.items()
            },
        }

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False)
        table.add_column("", no_wrap=True)
        table.add_column("pairs", justify="right", no_wrap=True)
        table.add_column("%", justify="right", no_wrap=True)
        whole = max(self.pairs, 1)
        rows = [("read", self.pairs)]
        rows += [(f"mended: {name}", count) for name, count in self.fixed.items()]
        rows += [(f"removed: {name}", removal.count) for name, removal in self.removed.items()]
        for name, count in [*rows, ("kept", self.kept)]:
            table.add_row(name, f"{count:,}", f"{100 * count / whole:.1f}", style="bold" if name == "kept" else "")
        lines = [
            f"  {check}, line {example.line}: {_shortened(example.source)} | {_shortened(example.target)}"
            for check, removal in self.removed.items()
            for example in removal.examples
        ]
        if lines:
            lines.insert(0, "first examples of what was removed:")
        return Group(table, *(Text(line, no_wrap=True, overflow="ellipsis") for line in lines))


def _shortened(text: str, most: int = 40) -> str:
    text = "".join(c if c.isprintable() else "\ufffd" for c in text[: most + 1])
    return text if len(text) <= most else f"{text[: most - 1]}…"


class Cleaning:
    """The pairs that stay, each time it is iterated; `report` is about the last iteration.

    Checks are tried in the order of the registry, whatever the order of their names, and a pair counts under the first
    that removes it. `rejected`, if given, is called with each removed pair, whose metadata then says line and check.
    """

    def __init__(
        self,
        bitext: Iterable[SegmentPair],
        *,
        checks: Sequence[str] | None = None,
        fixes: Sequence[str] = DEFAULT_FIXES,
        limits: CleaningLimits | None = None,
        examples: int = 3,
        rejected: Callable[[SegmentPair], None] | None = None,
    ) -> None:
        self.limits = limits or CleaningLimits()
        if checks is None:
            checks = [name for name in DEFAULT_CHECKS if name != "script" or self.limits.languages]
        self.bitext, self.examples, self.rejected = bitext, examples, rejected
        self.report = CleaningReport()
        for name in checks:
            CHECKS.get(name)(self.limits)  # a wrong name or setting is told now, not in the middle of a corpus
        for name in fixes:
            FIXES.get(name)
        self.checks = [name for name in CHECKS if name in checks]
        self.fixes = [name for name in FIXES if name in fixes]

    def __iter__(self) -> Iterator[SegmentPair]:
        return self.apart(LocalExecutor())

    def apart(self, executor: Executor, *, size: int = 2000) -> Iterator[SegmentPair]:
        """The same pairs, mended and checked wherever the executor works; what must see all pairs is asked here.

        Checks that remember other pairs are the last of the registry, so they come after the others in any case.
        """
        alone = [name for name in self.checks if name not in REMEMBERING]
        together: list[tuple[str, Check]] = [
            (name, CHECKS.get(name)(self.limits)) for name in self.checks if name in REMEMBERING
        ]
        report = self.report = CleaningReport(
            fixed=dict.fromkeys(self.fixes, 0), removed={name: Removal() for name in self.checks}
        )
        asked = _Asked(tuple(self.fixes), tuple(alone), self.limits)
        sent: deque[list[SegmentPair]] = deque()
        line = 0
        for found in executor.run(_CLEANING, _slices(self.bitext, size, sent), shared=Shared(asked)):
            for name, count in found.fixed.items():
                report.fixed[name] += count
            for place, original in enumerate(sent.popleft()):
                line += 1
                report.pairs = line
                pair = original
                if place in found.mended:
                    pair = SegmentPair(*found.mended[place], original.metadata)
                name = found.removed.get(place) or next((name for name, removes in together if removes(*pair)), "")
                if name:
                    self._reject(original, line, name)
                    continue
                report.kept += 1
                yield pair

    def _reject(self, pair: SegmentPair, line: int, check: str) -> None:
        removal = self.report.removed[check]
        removal.count += 1
        if len(removal.examples) < self.examples:
            removal.examples.append(Example(line, pair.source, pair.target))
        if self.rejected is not None:
            self.rejected(replace(pair, metadata={"line": line, "check": check}))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of every slice of a bitext."""

    fixes: tuple[str, ...]
    checks: tuple[str, ...]
    limits: CleaningLimits


_Texts = tuple[str, str, tuple[str, ...]]
"""Source, target and references of a pair: all that fixes and checks look at."""


@dataclass(frozen=True, slots=True)
class _Answered:
    """Of a slice, by place: what its pairs became that were mended, and the checks that remove some."""

    mended: dict[int, _Texts]
    removed: dict[int, str]
    fixed: dict[str, int]


def _slices(bitext: Iterable[SegmentPair], size: int, sent: deque[list[SegmentPair]]) -> Iterator[Shard[list[_Texts]]]:
    """Slices to be looked at elsewhere; whole pairs wait in `sent`."""
    pairs = iter(bitext)
    while part := list(islice(pairs, size)):
        sent.append(part)
        yield Shard([(pair.source, pair.target, pair.references) for pair in part])


def _clean(shard: Shard[list[_Texts]], asked: _Asked, place: ShardPlace) -> _Answered:
    checks: list[tuple[str, Check]] = [(name, CHECKS.get(name)(asked.limits)) for name in asked.checks]
    fixes: list[tuple[str, Fix]] = [(name, FIXES.get(name)) for name in asked.fixes]
    found = _Answered({}, {}, dict.fromkeys(asked.fixes, 0))
    for at, texts in enumerate(shard.value):
        now = _mended(texts, fixes, found.fixed)
        if now is not texts:
            found.mended[at] = now
        removed_by = next((name for name, removes in checks if removes(now[0], now[1])), "")
        if removed_by:
            found.removed[at] = removed_by
    return found


_CLEANING = ShardStep("cleaning", _clean, wide=True)


def _mended(texts: _Texts, fixes: Sequence[tuple[str, Fix]], counts: dict[str, int]) -> _Texts:
    source, target, references = texts
    for name, fix in fixes:
        before = source, target, references
        source, target = fix(source), fix(target)
        if references:
            references = tuple(fix(reference) for reference in references)
        if (source, target, references) != before:
            counts[name] += 1
    now = source, target, references
    return texts if now == texts else now


def clean(
    bitext: Bitext,
    output: Sequence[Path | str] = (),
    *,
    output_format: str | None = None,
    rejected: Path | str | None = None,
    checks: Sequence[str] | None = None,
    fixes: Sequence[str] = DEFAULT_FIXES,
    limits: CleaningLimits | None = None,
    examples: int = 3,
    progress: ProgressCallback | None = None,
) -> CleaningReport:
    """Clean a bitext into one or two files (or none, for the account only); removed pairs go to `rejected`.

    `rejected` is one file, `.tsv` or `.jsonl`, with the check and line of each pair. All files appear at the end.
    """
    limits = limits or CleaningLimits(languages=bitext.languages)
    layout = BitextLayout(languages=limits.languages)
    with ExitStack() as stack:
        cleaning = Cleaning(bitext, checks=checks, fixes=fixes, limits=limits, examples=examples)
        keep = None
        if output:
            keep = stack.enter_context(resolve(output, output_format)[0].writing(output, layout))
        if rejected is not None:
            cleaning.rejected = stack.enter_context(resolve([rejected])[0].writing([rejected], layout))
        for pair in tracked(cleaning, "cleaning", progress):
            if keep is not None:
                keep(pair)
    return cleaning.report
