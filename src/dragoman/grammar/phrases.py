"""Extraction: from a word-aligned bitext to a table of rules.

A pair of phrases is taken when at least one link lies inside and none leaves it; unaligned words may stand at any edge
(Och, Tillmann and Ney 1999; Koehn, Och and Marcu 2003). With the limits of another kind, rules with nonterminals are
taken (`limits`). The table carries scores, counts, the most frequent word alignment of each pair, and on request
reordering, discontinuous phrases (Galley and Manning 2010), domain indicators and the sentences that taught each rule.

The work is done out of core: memory bounds the size of the sorted runs, not of the corpus or the table.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman._native import common
from dragoman._native import grammar as native
from dragoman.annotations import Sentence
from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.executors import Executor, LocalExecutor, Shard, Shared
from dragoman.files import read_lines, require_writable
from dragoman.grammar import shards
from dragoman.grammar.constraints import TreeSide
from dragoman.grammar.extraction_features import (
    EXTRACTION_FEATURES,
    ExtractionFeature,
    ImportedExtractionFeature,
    add_extraction_features,
)
from dragoman.grammar.labels import LabelledSide
from dragoman.grammar.limits import HieroLimits, PhraseLimits, RuleLimits
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.shards import Job
from dragoman.grammar.table import RuleTable
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import check_argument
from dragoman.version import __version__

__all__ = ["Extraction", "Skipped", "extract", "gappy_spans", "phrase_spans"]

_Slice = tuple[list[str], list[str], list[str]]

Lines = Path | str | Iterable[str]
"""A file name, or the lines themselves."""

SLICE_LINES = 8192
"""Sentence pairs of one extraction task. The table does not depend on it."""

_RANGE_PAIRS = 300_000
"""Pairs of one scoring task, if there are not too many tasks then and memory allows it."""

_REASONS = ("empty_source", "empty_target", "too_long", "no_links")


@dataclass(frozen=True, slots=True)
class Skipped:
    """Sentence pairs that taught nothing, and the line (from 1) of the first."""

    pairs: int = 0
    first_line: int = 0

    def __add__(self, other: Skipped) -> Skipped:
        return Skipped(self.pairs + other.pairs, self.first_line or other.first_line)


@dataclass(frozen=True, slots=True)
class Extraction:
    """A finished extraction: the table, and what was and was not used."""

    table: RuleTable
    pairs: int
    links: int
    skipped: Mapping[str, Skipped] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def extract(
    source: Lines,
    target: Lines,
    alignment: Lines,
    out: Path | str,
    *,
    limits: RuleLimits | None = None,
    scoring: Scoring | None = None,
    domains: Mapping[str, Sequence[int] | range] | None = None,
    evidence: bool = False,
    features: Sequence[ExtractionFeature | str] = (),
    annotations: Sequence[Sentence] = (),
    target_annotations: Sequence[Sentence] = (),
    only_for: Lines | None = None,
    max_sentence: int = 1000,
    compact: bool = False,
    memory: int = 2**30,
    threads: int = 0,
    executor: Executor | None = None,
    scratch: Path | str | None = None,
    progress: ProgressCallback | None = None,
) -> Extraction:
    """Learn a table from a bitext and its word alignment (Pharaoh lines), and write it to `out`.

    `domains` names sets of lines (from 0); each becomes an indicator column `domain.NAME`. `evidence` keeps which
    sentences taught each rule. `features` look at every occurrence of every phrase, with the `annotations` of the
    source if there are any, one for each line, and add columns (see `extraction_features`); they may be named, those in
    Python modules as `module:Class:option=value`. Limits that ask for
    trees, or for labels, find them in `annotations`, and in `target_annotations` for the target side. `only_for` keeps
    the rules that a text can use, with the values they would have in the whole table. Pairs with a side of more than
    `max_sentence` tokens are passed over and reported. `compact` rounds values to 256 per column. `memory` bounds the
    bytes of working memory beside the dictionaries; `scratch` is where intermediate files go. The `executor` works on
    slices, in threads of this process unless it is another; it, threads and memory change nothing in the result.
    """
    limits, scoring = limits or PhraseLimits(), scoring or Scoring()
    chosen = [_feature(each) if isinstance(each, str) else each for each in features]
    if chosen and not isinstance(limits, PhraseLimits):
        raise SettingError(
            f"features of occurrences with rules of the kind {limits.kind}",
            remedy="they look at phrases: leave them out",
        )
    if (silent := [each for each in chosen if each.needs_gaps]) and not limits.has_gaps:
        raise SettingError(
            f"the feature {silent[0]} with rules of the kind {limits.kind}, which have no gaps",
            remedy="leave it out, or extract phrases with gaps",
        )
    if chosen:
        source, target, alignment = _rereadable(source), _rereadable(target), _rereadable(alignment)
    domain_names, masks = _domains(domains or {})
    workers = common.worker_count(threads)
    check_argument("memory", memory, int, least=2**20)
    check_argument("max_sentence", max_sentence, int, least=1, most=2**16 - 1)
    columns = scoring.columns(limits, domain_names)
    instances = memory // (limits.bytes_per_instance * workers)
    labels = common.Vocabulary()
    for label in limits.usual_labels:
        labels.intern(label)
    report = progress or (lambda _: None)
    trees = _trees(limits, annotations, target_annotations)
    sides = _labelled(limits, annotations, target_annotations)
    native_limits = limits.native().hiero_limits
    require_writable(out, stream=False)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dragoman-extract-", dir=scratch)))
        source_words, target_words = common.Vocabulary(), common.Vocabulary()
        slices: list[tuple[Path, str]] = []
        reports: list[native.EncodingReport] = []

        def encode(
            part: str, first: int, lines: tuple[list[str], list[str], list[str]], heads: list[list[int]]
        ) -> None:
            path = folder / f"bitext.{len(slices)}"
            nodes = {
                side: sides[side].nodes(first, lines[place]) if side in sides else []
                for place, side in enumerate(("source", "target"))
            }
            made = native.encode_bitext(
                *lines,
                _masks(masks, first, len(lines[0])),
                source_words,
                target_words,
                trees=heads,
                source_nodes=nodes["source"],
                target_nodes=nodes["target"],
                labels=labels,
                limits=native_limits,
                first_line=first,
                longest=max_sentence,
                name=_name(alignment),
                path=path,
            )
            if part != "gaps":
                reports.append(made)
            slices.append((path, part))

        for first, (sources, targets, links) in _slices(source, target, alignment):
            if trees is None:
                encode("all", first, (sources, targets, links), [])
            else:
                # Where trees put words into another order, rules of words only are still those of the text as it is.
                apart = trees.crossing == "reorder"
                if apart:
                    encode("words", first, (sources, targets, links), [])
                made = trees.lines(first, sources, targets, links)
                lines = ([each.source for each in made], [each.target for each in made], [each.links for each in made])
                encode("gaps" if apart else "all", first, lines, [each.heads for each in made])
            report(Progress("reading", first + len(sources)))
        total = _count(reports)
        if masks and max(masks) >= total:
            raise InputError(f"a domain names line {max(masks)}, the bitext has {total} (from 0)")
        source_words, source_ids = native.in_byte_order(source_words)
        target_words, target_ids = native.in_byte_order(target_words)
        filter_words, filter_ends = _filter(only_for, source_words)
        job = Job(
            limits,
            scoring,
            tuple(domain_names),
            evidence,
            max(1000, instances),
            source_ids,
            target_ids,
            filter_words,
            filter_ends,
        )
        work = executor or LocalExecutor(threads=threads)
        given = [Shard((f"run.{number}", part), {"bitext": path}) for number, (path, part) in enumerate(slices)]
        counted = list(
            work.run(shards.EXTRACT, given, shared=Shared(job), folder=folder, total=len(given), progress=progress)
        )
        names = tuple(name for made_runs, _ in counted for name in made_runs)
        cut_words = sum(cut for _, cut in counted)
        runs = [folder / name for name in names]
        for path, _ in slices:
            path.unlink()
        native.merge_dictionaries(runs, folder, threads=workers)
        smoothing = scoring.native(limits).smoothing
        fixed = native.count_statistics(runs, folder, smoothing, folder / "statistics", threads=workers)
        cuts = native.cuts(runs, folder, least=_RANGE_PAIRS, most=8 * work.workers, limit=instances).tolist()
        ranges = [Shard((f"block.{number}", *ends)) for number, ends in enumerate(itertools.pairwise(cuts))]
        merged = shards.shared_runs(job, names, folder)
        scored = work.run(shards.SCORE, ranges, shared=merged, folder=folder, total=len(ranges), progress=progress)
        blocks = [folder / name for name in scored]
        assembled = folder / "table" if chosen else Path(out)
        native.assemble(
            runs,
            folder,
            blocks,
            columns=list(columns),
            metadata=_metadata(limits, scoring, source, target, total, compact),
            source_words=source_words,
            target_words=target_words,
            labels=labels,
            left_hand_side=1 if limits.usual_labels else 0,
            evidence=evidence,
            compact=compact and not chosen,
            path=assembled,
            threads=workers,
        )
        if chosen:
            if annotations and len(annotations) != total:
                raise LengthMismatch(f"annotations of {len(annotations)} lines for {total}")
            assert isinstance(limits, PhraseLimits)
            add_extraction_features(
                RuleTable.open(assembled),
                _slices(source, target, alignment),
                chosen,
                out,
                limits=limits,
                domains=domains,
                annotations=annotations,
                max_sentence=max_sentence,
                compact=compact,
                threads=workers,
                executor=work,
            )
    skipped = {reason: sum((Skipped(*getattr(r, reason)) for r in reports), Skipped()) for reason in _REASONS}
    notes = ["Kneser-Ney discounts could not be estimated from these counts: 0.5, 1 and 1.5 stand in"] if fixed else []
    if trees is not None:
        notes.append(f"{trees.crossed:,} of {total:,} trees of the {trees.side} side have crossing arcs")
    if trees is not None and trees.without:
        notes.append(f"{trees.without:,} lines have no tree: they taught only rules of words")
    if cut_words:
        notes.append(
            f"{cut_words:,} words of trees have more rules than are taken: lower max_depth, max_size or max_nodes"
        )
    for side in sides.values():
        if side.without:
            taught = "unlabelled rules only" if native_limits.fall_back else "nothing"
            notes.append(f"{side.without:,} lines of the {side.side} side have no labels: they taught {taught}")
    return Extraction(
        RuleTable.open(out),
        total,
        sum(r.links for r in reports),
        {reason: found for reason, found in skipped.items() if found.pairs},
        tuple(notes),
    )


def phrase_spans(
    source_length: int, target_length: int, links: Iterable[tuple[int, int]], *, limits: PhraseLimits | None = None
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Spans of the consistent phrase pairs of one aligned sentence pair, half-open.

    >>> phrase_spans(2, 2, [(0, 1), (1, 0)], limits=PhraseLimits(max_source=1))
    [((1, 2), (0, 1)), ((0, 1), (1, 2))]
    """
    limits = limits or PhraseLimits()
    none = native.OrientationModel.NONE
    rows = native.phrases_of(source_length, target_length, sorted(links), none, limits.native())
    return [((a, b), (c, d)) for a, b, c, d, *_ in rows.tolist()]


def gappy_spans(
    source_length: int, target_length: int, links: Iterable[tuple[int, int]], *, limits: PhraseLimits | None = None
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Positions of the discontinuous phrase pairs of one aligned sentence pair.

    >>> gappy_spans(3, 1, [(0, 0), (2, 0), (1, 0)]), gappy_spans(3, 2, [(0, 0), (1, 1), (2, 0)])
    ([], [((0, 2), (0,))])
    """
    settings = (limits or PhraseLimits(gaps=True)).native()
    units = native.gappy_units(source_length, target_length, sorted(links), settings)
    return [(tuple(source), tuple(target)) for source, target in units]


def _trees(limits: RuleLimits, source: Sequence[Sentence], target: Sequence[Sentence]) -> TreeSide | None:
    """The trees that limits ask for."""
    if not isinstance(limits, HieroLimits) or limits.dependencies == "none":
        return None
    side = source if limits.dependencies == "source" else target
    return TreeSide(limits, side, name=f"annotations of the {limits.dependencies} side")


def _labelled(limits: RuleLimits, source: Sequence[Sentence], target: Sequence[Sentence]) -> dict[str, LabelledSide]:
    """The sides whose syntax labels rules."""
    if not isinstance(limits, HieroLimits) or limits.labels == "none":
        return {}
    given = {"source": source, "target": target}
    return {side: LabelledSide(limits, side, given[side]) for side in limits.annotated_sides}


def _count(reports: Sequence[native.EncodingReport]) -> int:
    return sum(r.used + sum(getattr(r, reason)[0] for reason in _REASONS) for r in reports)


def _name(lines: Lines) -> str:
    return str(lines) if isinstance(lines, (str, Path)) else "alignment"


def _iterate(lines: Lines) -> Iterator[str]:
    return read_lines(lines) if isinstance(lines, (str, Path)) else iter(lines)


def _rereadable(lines: Lines) -> Path | str | list[str]:
    return lines if isinstance(lines, (str, Path)) else list(map(str, lines))


def _slices(*files: Lines) -> Iterator[tuple[int, list[list[str]]]]:
    """Slices of parallel lines; files of different lengths are refused with their lengths."""
    streams = [_iterate(lines) for lines in files]
    first = 0
    while True:
        lines = [list(map(str, itertools.islice(stream, SLICE_LINES))) for stream in streams]
        lengths = [len(piece) for piece in lines]
        if len(set(lengths)) > 1:
            totals = [first + length + sum(1 for _ in stream) for length, stream in zip(lengths, streams, strict=True)]
            what = ", ".join(
                f"{_label(lines, i)} has {total}" for i, (lines, total) in enumerate(zip(files, totals, strict=True))
            )
            raise LengthMismatch(
                f"the files have different numbers of lines: {what}",
                remedy="give a source, its translation and their alignment, line by line",
            )
        if not lengths[0]:
            return
        yield first, lines
        first += lengths[0]


def _label(lines: Lines, position: int) -> str:
    return str(lines) if isinstance(lines, (str, Path)) else ("the source", "the target", "the alignment")[position]


def _feature(name: str) -> ExtractionFeature:
    return ImportedExtractionFeature.parse(name).load() if ":" in name else EXTRACTION_FEATURES.get(name)()


def _domains(domains: Mapping[str, Sequence[int] | range]) -> tuple[list[str], dict[int, int]]:
    if len(domains) > 32:
        raise SettingError(f"{len(domains)} domains", remedy="at most 32 can be told apart")
    masks: dict[int, int] = {}
    for bit, (name, lines) in enumerate(domains.items()):
        if not name or any(c.isspace() for c in name):
            raise SettingError(f"{name!r} is no name of a domain", remedy="use one without blanks")
        for line in lines:
            if line < 0:
                raise InputError(f"domain {name} names line {line}", remedy="lines are numbered from 0")
            masks[line] = masks.get(line, 0) | 1 << bit
    return list(domains), masks


def _masks(masks: Mapping[int, int], first: int, count: int) -> NDArray[np.uint32]:
    if not masks:
        return np.empty(0, np.uint32)
    return np.fromiter((masks.get(line, 0) for line in range(first, first + count)), np.uint32, count)


def _filter(text: Lines | None, words: common.Vocabulary) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    if text is None:
        return np.empty(0, np.uint32), np.empty(0, np.int64)
    ids, ends = words.encode([str(line) for line in _iterate(text)])
    if not len(ends):
        raise InputError("the text to extract for is empty", where=_name(text))
    return ids, ends


def _metadata(limits: RuleLimits, scoring: Scoring, source: Lines, target: Lines, pairs: int, compact: bool) -> str:
    facts = {
        "dragoman": __version__,
        "kind": limits.kind,
        "pairs": pairs,
        **limits.facts,
        "smoothing": scoring.smoothing,
        "lexical": scoring.lexical,
        "min_probability": f"{scoring.min_probability:g}",
        "min_count": scoring.min_count,
        "reordering": str(scoring.reordering or ""),
        "compact": str(compact).lower(),
        "source": str(source) if isinstance(source, (str, Path)) else "",
        "target": str(target) if isinstance(target, (str, Path)) else "",
    }
    return "".join(f"{key}\t{str(value).translate({9: 32, 10: 32})}\n" for key, value in facts.items() if value != "")
