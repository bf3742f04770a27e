"""Rules: extraction, scoring, tables."""

import enum
import os
import pathlib
from collections.abc import Sequence

from numpy import float32, float64, int64, uint8, uint32
from numpy.typing import NDArray

import dragoman._native.common

class OrientationModel(enum.Enum):
    NONE = 0

    WORD = 1

    PHRASE = 2

    HIERARCHICAL = 3

class OrientationClasses(enum.Enum):
    NONE = 0

    MSD = 1

    MSLR = 2

    MONOTONICITY = 3

    LEFTRIGHT = 4

    MSDC = 5

    MSLRC = 6

class Smoothing(enum.Enum):
    NONE = 0

    GOOD_TURING = 1

    KNESER_NEY = 2

class LexicalWeight(enum.Enum):
    LINKS = 0

    BEST = 1

class HieroLimits:
    """Which hierarchical rules are taken."""

    def __init__(self) -> None: ...
    @property
    def max_phrase(self) -> int: ...
    @max_phrase.setter
    def max_phrase(self, arg: int, /) -> None: ...
    @property
    def max_symbols(self) -> int: ...
    @max_symbols.setter
    def max_symbols(self, arg: int, /) -> None: ...
    @property
    def max_nonterminals(self) -> int: ...
    @max_nonterminals.setter
    def max_nonterminals(self, arg: int, /) -> None: ...
    @property
    def min_hole(self) -> int: ...
    @min_hole.setter
    def min_hole(self, arg: int, /) -> None: ...
    @property
    def tight(self) -> bool: ...
    @tight.setter
    def tight(self, arg: bool, /) -> None: ...
    @property
    def adjacent(self) -> bool: ...
    @adjacent.setter
    def adjacent(self, arg: bool, /) -> None: ...
    @property
    def linked_words(self) -> bool: ...
    @linked_words.setter
    def linked_words(self, arg: bool, /) -> None: ...
    @property
    def fractional(self) -> bool: ...
    @fractional.setter
    def fractional(self, arg: bool, /) -> None: ...
    @property
    def loose_terminals(self) -> bool: ...
    @loose_terminals.setter
    def loose_terminals(self, arg: bool, /) -> None: ...
    @property
    def fall_back(self) -> bool: ...
    @fall_back.setter
    def fall_back(self, arg: bool, /) -> None: ...
    @property
    def tree_is_source(self) -> bool: ...
    @tree_is_source.setter
    def tree_is_source(self, arg: bool, /) -> None: ...
    @property
    def max_depth(self) -> int: ...
    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...
    @property
    def max_size(self) -> int: ...
    @max_size.setter
    def max_size(self, arg: int, /) -> None: ...
    @property
    def max_nodes(self) -> int: ...
    @max_nodes.setter
    def max_nodes(self, arg: int, /) -> None: ...
    @property
    def max_scope(self) -> int: ...
    @max_scope.setter
    def max_scope(self, arg: int, /) -> None: ...
    @property
    def labels(self) -> str: ...
    @labels.setter
    def labels(self, arg: str, /) -> None: ...
    @property
    def part(self) -> str: ...
    @part.setter
    def part(self, arg: str, /) -> None: ...
    @property
    def constraint(self) -> str: ...
    @constraint.setter
    def constraint(self, arg: str, /) -> None: ...
    @property
    def prefix_lexicalised(self) -> str: ...
    @prefix_lexicalised.setter
    def prefix_lexicalised(self, arg: str, /) -> None: ...

def hiero_rules(
    source: Sequence[int],
    target: Sequence[int],
    links: Sequence[tuple[int, int]],
    limits: HieroLimits,
    heads: Sequence[int],
    source_nodes: Sequence[tuple[str, int, int]],
    target_nodes: Sequence[tuple[str, int, int]],
    labels: dragoman._native.common.Vocabulary,
) -> list[tuple[list[int], list[int], list[tuple[int, int]], int]]:
    """
    Source (with its left-hand side behind it, if rules have labels) and target symbols, links and number of sharers of the rules of one aligned pair.
    """

class ExtractionSettings:
    """What is taken from a bitext."""

    def __init__(self) -> None: ...
    @property
    def max_source(self) -> int: ...
    @max_source.setter
    def max_source(self, arg: int, /) -> None: ...
    @property
    def max_target(self) -> int: ...
    @max_target.setter
    def max_target(self, arg: int, /) -> None: ...
    @property
    def max_ratio(self) -> float: ...
    @max_ratio.setter
    def max_ratio(self, arg: float, /) -> None: ...
    @property
    def only_tight(self) -> bool: ...
    @only_tight.setter
    def only_tight(self, arg: bool, /) -> None: ...
    @property
    def gap_words(self) -> int: ...
    @gap_words.setter
    def gap_words(self, arg: int, /) -> None: ...
    @property
    def gap_source_span(self) -> int: ...
    @gap_source_span.setter
    def gap_source_span(self, arg: int, /) -> None: ...
    @property
    def gap_target_span(self) -> int: ...
    @gap_target_span.setter
    def gap_target_span(self, arg: int, /) -> None: ...
    @property
    def gaps_both_sides(self) -> bool: ...
    @gaps_both_sides.setter
    def gaps_both_sides(self, arg: bool, /) -> None: ...
    @property
    def unaligned_gaps(self) -> bool: ...
    @unaligned_gaps.setter
    def unaligned_gaps(self, arg: bool, /) -> None: ...
    @property
    def gappy(self) -> bool: ...
    @gappy.setter
    def gappy(self, arg: bool, /) -> None: ...
    @property
    def hierarchical(self) -> bool: ...
    @hierarchical.setter
    def hierarchical(self, arg: bool, /) -> None: ...
    @property
    def hiero_limits(self) -> HieroLimits: ...
    @hiero_limits.setter
    def hiero_limits(self, arg: HieroLimits, /) -> None: ...
    @property
    def orientation(self) -> OrientationModel: ...
    @orientation.setter
    def orientation(self, arg: OrientationModel, /) -> None: ...
    @property
    def containment(self) -> bool: ...
    @containment.setter
    def containment(self, arg: bool, /) -> None: ...
    @property
    def domains(self) -> bool: ...
    @domains.setter
    def domains(self, arg: bool, /) -> None: ...
    @property
    def evidence(self) -> bool: ...
    @evidence.setter
    def evidence(self, arg: bool, /) -> None: ...
    @property
    def instances_per_run(self) -> int: ...
    @instances_per_run.setter
    def instances_per_run(self, arg: int, /) -> None: ...

class ScoringSettings:
    """How counts become values."""

    def __init__(self) -> None: ...
    @property
    def smoothing(self) -> Smoothing: ...
    @smoothing.setter
    def smoothing(self, arg: Smoothing, /) -> None: ...
    @property
    def lexical(self) -> LexicalWeight: ...
    @lexical.setter
    def lexical(self, arg: LexicalWeight, /) -> None: ...
    @property
    def min_probability(self) -> float: ...
    @min_probability.setter
    def min_probability(self, arg: float, /) -> None: ...
    @property
    def min_count(self) -> int: ...
    @min_count.setter
    def min_count(self, arg: int, /) -> None: ...
    @property
    def only_prefix_lexicalised(self) -> bool: ...
    @only_prefix_lexicalised.setter
    def only_prefix_lexicalised(self, arg: bool, /) -> None: ...
    @property
    def rule_classes(self) -> int: ...
    @rule_classes.setter
    def rule_classes(self, arg: int, /) -> None: ...
    @property
    def penalty(self) -> bool: ...
    @penalty.setter
    def penalty(self, arg: bool, /) -> None: ...
    @property
    def count(self) -> bool: ...
    @count.setter
    def count(self, arg: bool, /) -> None: ...
    @property
    def unique(self) -> bool: ...
    @unique.setter
    def unique(self, arg: bool, /) -> None: ...
    @property
    def count_bins(self) -> list[int]: ...
    @count_bins.setter
    def count_bins(self, arg: Sequence[int], /) -> None: ...
    @property
    def domains(self) -> list[str]: ...
    @domains.setter
    def domains(self, arg: Sequence[str], /) -> None: ...
    @property
    def classes(self) -> OrientationClasses: ...
    @classes.setter
    def classes(self, arg: OrientationClasses, /) -> None: ...
    @property
    def previous(self) -> bool: ...
    @previous.setter
    def previous(self, arg: bool, /) -> None: ...
    @property
    def next(self) -> bool: ...
    @next.setter
    def next(self, arg: bool, /) -> None: ...
    @property
    def by_source_only(self) -> bool: ...
    @by_source_only.setter
    def by_source_only(self, arg: bool, /) -> None: ...
    @property
    def orientation_smoothing(self) -> float: ...
    @orientation_smoothing.setter
    def orientation_smoothing(self, arg: float, /) -> None: ...

def column_names(settings: ScoringSettings) -> list[str]: ...

class EncodingReport:
    """What was passed over while encoding, by reason."""

    @property
    def used(self) -> int: ...
    @property
    def empty_source(self) -> tuple[int, int]: ...
    @property
    def empty_target(self) -> tuple[int, int]: ...
    @property
    def too_long(self) -> tuple[int, int]: ...
    @property
    def no_links(self) -> tuple[int, int]: ...
    @property
    def links(self) -> int: ...

def encode_bitext(
    source: list[str],
    target: list[str],
    alignment: list[str],
    domains: NDArray[uint32],
    source_words: dragoman._native.common.Vocabulary,
    target_words: dragoman._native.common.Vocabulary,
    *,
    trees: list[list[int]],
    source_nodes: list[list[tuple[str, int, int]]],
    target_nodes: list[list[tuple[str, int, int]]],
    labels: dragoman._native.common.Vocabulary,
    limits: HieroLimits,
    first_line: int,
    longest: int,
    name: str,
    path: str | os.PathLike[str],
) -> EncodingReport:
    """
    Write a slice of a bitext as ids and links, with heads of one side if trees are given, and with labels if nodes are; counts and first line (from 1) of what cannot be used.
    """

def in_byte_order(
    words: dragoman._native.common.Vocabulary,
) -> tuple[dragoman._native.common.Vocabulary, NDArray[uint32]]:
    """The words sorted by their bytes, and the new id of each."""

def extract_runs(
    bitext: str | os.PathLike[str],
    source_ids: NDArray[uint32],
    target_ids: NDArray[uint32],
    settings: ExtractionSettings,
    filter_words: NDArray[uint32],
    filter_ends: NDArray[int64],
    prefix: str | os.PathLike[str],
) -> tuple[list[pathlib.Path], int]:
    """
    Rules of one slice, counted and sorted, as files PREFIX.0, PREFIX.1, ...; and how many words of trees had more rules than are taken.
    """

def merge_dictionaries(
    runs: Sequence[str | os.PathLike[str]], folder: str | os.PathLike[str], *, threads: int = 0
) -> None: ...
def cuts(
    runs: Sequence[str | os.PathLike[str]], folder: str | os.PathLike[str], *, least: int, most: int, limit: int
) -> NDArray[uint32]:
    """
    Source ids that cut scoring into at most so many ranges of at least so many pairs, but never above the limit.
    """

def count_statistics(
    runs: Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    smoothing: Smoothing,
    path: str | os.PathLike[str],
    *,
    threads: int = 0,
) -> bool:
    """
    Write what smoothing needs; true if Kneser-Ney discounts could not be estimated and fixed ones stand in.
    """

def score_range(
    runs: Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    statistics: str | os.PathLike[str],
    begin: int,
    end: int,
    settings: ScoringSettings,
    extraction: ExtractionSettings,
    filter_words: NDArray[uint32],
    filter_ends: NDArray[int64],
    path: str | os.PathLike[str],
) -> None:
    """Merge and score the pairs of a range of sources into a block file."""

def assemble(
    runs: Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    blocks: Sequence[str | os.PathLike[str]],
    *,
    columns: Sequence[str],
    metadata: str,
    source_words: dragoman._native.common.Vocabulary,
    target_words: dragoman._native.common.Vocabulary,
    labels: dragoman._native.common.Vocabulary,
    left_hand_side: int,
    evidence: bool,
    compact: bool,
    path: str | os.PathLike[str],
    threads: int = 0,
) -> None: ...
def phrases_of(
    source_length: int,
    target_length: int,
    links: Sequence[tuple[int, int]],
    model: OrientationModel,
    settings: ExtractionSettings,
) -> NDArray[int64]:
    """
    Rows of source span, target span, previous and next orientation of one aligned pair.
    """

def gappy_units(
    source_length: int, target_length: int, links: Sequence[tuple[int, int]], settings: ExtractionSettings
) -> list[tuple[list[int], list[int]]]:
    """
    Source and target positions of the discontinuous phrases of one aligned pair.
    """

class RuleTable:
    """Stored rules, memory-mapped and safe to share between threads."""

    @staticmethod
    def open(path: str | os.PathLike[str]) -> RuleTable: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def metadata(self) -> str: ...
    @property
    def rules(self) -> int: ...
    @property
    def sources(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def targets(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def row_bytes(self) -> int: ...
    @property
    def has_evidence(self) -> bool: ...
    @property
    def label_size(self) -> int: ...
    @property
    def source_size(self) -> int: ...
    @property
    def target_size(self) -> int: ...
    def source_word(self, id: int) -> str: ...
    def target_word(self, id: int) -> str: ...
    def label(self, id: int) -> str: ...
    def feature(self, id: int) -> str: ...
    def source_id(self, word: str) -> int: ...
    def target_id(self, word: str) -> int: ...
    def label_id(self, word: str) -> int: ...
    def encode_source(self, lines: list[str]) -> tuple[NDArray[uint32], NDArray[int64]]:
        """
        Ids of all tokens, and where each line ends in them; unknown tokens are 0.
        """

    def encode_target(self, lines: list[str]) -> tuple[NDArray[uint32], NDArray[int64]]: ...
    def find(self, source: NDArray[uint32]) -> tuple[int, int, int]:
        """Node, first and last rule of a source; an empty range if it has none."""

    def find_rule(self, source: NDArray[uint32], target: NDArray[uint32]) -> int:
        """The rule of a pair, -1 if there is none."""

    def match(self, sentence: NDArray[uint32], max_length: int = 0) -> NDArray[int64]:
        """All spans with rules, as rows of start, end, first rule, last rule."""

    def match_gappy(self, sentence: NDArray[uint32], max_span: int) -> list[tuple[list[int], int, int]]:
        """Positions, first and last rule for every rule source with gaps."""

    def arities(self) -> list[int]:
        """
        How many rules have 0, 1, 2, ... nonterminals or gaps on the source side.
        """

    def label_counts(self) -> tuple[list[int], list[int], int]:
        """
        Rules by the label of their left-hand side, nonterminals of source sides by label, and how many rules have nonterminals of the usual label only.
        """

    def node_of(self, rule: int) -> int: ...
    def source(self, node: int) -> NDArray[uint32]: ...
    def target(self, rule: int) -> NDArray[uint32]: ...
    def values(self, first: int, last: int) -> NDArray[float32]:
        """Values of the rules [first, last), one row each."""

    def links(self, rule: int) -> list[tuple[int, int]]: ...
    def counts(self, rule: int) -> tuple[float, float, float]:
        """Target, source and joint count."""

    def left_hand_side(self, rule: int) -> int: ...
    def sparse(self, rule: int) -> list[tuple[int, float]]: ...
    def evidence(self, rule: int) -> NDArray[uint32]:
        """Numbers, from 0, of the sentences that taught the rule."""

def mark_matching(table: RuleTable, lines: list[str], max_gap_span: int, keep: NDArray[uint8]) -> NDArray[uint8]:
    """The marks, with the rules set whose source occurs in the lines."""

def mark_best(table: RuleTable, column: int, k: int) -> NDArray[uint8]: ...
def count_sentences(
    table: RuleTable,
    source: NDArray[uint32],
    source_ends: NDArray[int64],
    target: NDArray[uint32],
    target_ends: NDArray[int64],
    *,
    threads: int = 0,
) -> tuple[NDArray[uint32], NDArray[uint32], NDArray[uint32]]:
    """
    In how many sentences each source, each target, and both sides of each rule occur.
    """

def significance(
    table: RuleTable,
    of_source: NDArray[uint32],
    of_target: NDArray[uint32],
    joint: NDArray[uint32],
    sentences: int,
    *,
    threads: int = 0,
) -> NDArray[float64]:
    """
    Minus the natural log of Fisher's exact p-value of each rule, from counts of so many sentences.
    """

def minus_log_fisher(joint: int, source: int, target: int, sentences: int) -> float: ...
def relative_entropy(table: RuleTable, column: int, *, threads: int = 0) -> NDArray[float64]: ...
def column_values(table: RuleTable, column: int) -> NDArray[float32]:
    """One column of all rules; the column after the last is the joint count."""

def write_selected(
    table: RuleTable,
    keep: NDArray[uint8],
    *,
    metadata: str,
    compact: bool,
    path: str | os.PathLike[str],
    threads: int = 0,
) -> None: ...
def write_with_columns(
    table: RuleTable,
    names: Sequence[str],
    values: NDArray[float32],
    *,
    metadata: str,
    compact: bool,
    path: str | os.PathLike[str],
    threads: int = 0,
) -> None:
    """
    The table with further columns: a value of each for every rule, rule by rule.
    """

class OccurrenceBatch:
    """Where rules of a table occur in some lines of its bitext."""

    def __init__(
        self,
        table: RuleTable,
        first_line: int,
        sources: list[str],
        targets: list[str],
        links: list[str],
        *,
        longest: int,
        settings: ExtractionSettings,
        threads: int = 0,
    ) -> None: ...
    @property
    def rows(self) -> NDArray[int64]:
        """
        Of each occurrence: its line in the batch, its rule, its source span, its target span, and as bits the words of these that are in its gaps.
        """

    def values(
        self,
        feature: str,
        *,
        heads: Sequence[Sequence[int]],
        tags: Sequence[Sequence[str]],
        domains: Sequence[Sequence[str]],
        threads: int = 0,
    ) -> NDArray[float64]:
        """
        Values of a feature that is built in, a row per occurrence; of each line its domains, and heads and tags of its source words, empty if they are not known.
        """

def occurrence_features() -> list[tuple[str, list[str]]]:
    """Features of occurrences that are built in, with their columns."""

def join_tables(
    tables: Sequence[RuleTable],
    *,
    mode: str,
    weights: Sequence[float],
    indicators: Sequence[str],
    only_giver: bool,
    first_evidence: bool = False,
    metadata: str,
    compact: bool,
    path: str | os.PathLike[str],
    threads: int = 0,
) -> None: ...

class MosesReport:
    """What a reader of Moses text met."""

    @property
    def rules(self) -> int: ...
    @property
    def floored(self) -> int: ...
    @property
    def properties(self) -> int: ...

def count_scores(line: str, where: str) -> int: ...

class RuleList:
    """Rules gathered in memory, to be written as a table."""

    def __init__(self, columns: Sequence[str]) -> None: ...
    def __len__(self) -> int: ...
    def read_moses(self, lines: list[str], *, first_line: int, name: str, gaps: bool) -> MosesReport: ...
    def add_columns(self, names: Sequence[str]) -> None: ...
    def read_reordering(
        self,
        lines: list[str],
        *,
        first_line: int,
        name: str,
        gaps: bool,
        by_source: bool,
        probabilities: int,
        filled: NDArray[uint8],
    ) -> NDArray[uint8]:
        """
        Fill the last columns from lines of a reordering table; marks which rules were filled.
        """

    def source_id(self, word: str) -> int: ...
    def target_id(self, word: str) -> int: ...
    def label_id(self, word: str) -> int: ...
    def add(
        self,
        source: NDArray[uint32],
        target: NDArray[uint32],
        *,
        links: Sequence[tuple[int, int]],
        values: Sequence[float],
        counts: tuple[float, float, float],
        label: int,
        sparse: Sequence[tuple[str, float]],
    ) -> None: ...
    def write(
        self, path: str | os.PathLike[str], *, metadata: str, compact: bool, threads: int = 0, name: str
    ) -> None: ...

def moses_lines(
    table: RuleTable,
    first: int,
    last: int,
    columns: Sequence[int],
    *,
    gaps: bool = False,
    further: Sequence[float] = [],
    factors: Sequence[str] = [],
) -> str: ...
def reordering_lines(
    table: RuleTable, first: int, last: int, columns: Sequence[int], *, by_source: bool = False, gaps: bool = False
) -> str: ...

class RuleFormat(enum.Enum):
    HIERO = 0

    MOSES = 1

    LEFT_TO_RIGHT = 2

def value_names(line: str, format: RuleFormat, where: str) -> list[str]:
    """Names of the values on a line of rules."""

class RuleTextReport:
    """What a reader of text rules met."""

    @property
    def rules(self) -> int: ...
    @property
    def floored(self) -> int: ...
    @property
    def properties(self) -> int: ...
    @property
    def glue(self) -> int: ...

class RuleReader:
    """Reads text rules with nonterminals into a list."""

    def __init__(
        self, rules: RuleList, *, format: RuleFormat, adjacent: bool, prefix_lexicalised: bool, labels: str
    ) -> None: ...
    def read(self, lines: list[str], *, first_line: int, name: str) -> None: ...
    def finish(self, name: str) -> None:
        """Refuse what is seen at the end only."""

    @property
    def report(self) -> RuleTextReport: ...

def rule_lines(
    table: RuleTable, first: int, last: int, columns: Sequence[int], format: RuleFormat, labels: str = "none"
) -> str: ...

class LayeredView:
    """A table and a layer of rules above it, at one moment."""

    @property
    def rules(self) -> int: ...
    @property
    def added(self) -> int: ...
    @property
    def hidden(self) -> int: ...
    def source_id(self, word: str) -> int: ...
    def target_id(self, word: str) -> int: ...
    def source_word(self, id: int) -> str: ...
    def target_word(self, id: int) -> str: ...
    def is_added(self, rule: int) -> bool: ...
    def match(self, sentence: NDArray[uint32], max_length: int = 0) -> NDArray[int64]: ...
    def match_dotted(
        self, sentence: NDArray[uint32], *, max_span: int
    ) -> list[tuple[int, int, int, int, list[tuple[int, int]]]]:
        """
        Start, end, first and last rule, and the spans of nonterminals, for every way in which a source fits.
        """

    def rules_of(self, source: NDArray[uint32]) -> list[int]: ...
    def rule(self, rule: int) -> tuple[list[int], list[float], list[tuple[int, int]], tuple[float, float, float]]:
        """Target ids, values, links and counts of a rule."""

class LayeredTable:
    """A table with rules added and hidden above it."""

    def __init__(self, base: RuleTable) -> None: ...
    def intern_source(self, word: str) -> int: ...
    def intern_target(self, word: str) -> int: ...
    def add(
        self,
        source: NDArray[uint32],
        target: NDArray[uint32],
        *,
        links: Sequence[tuple[int, int]],
        values: Sequence[float],
        counts: tuple[float, float, float],
    ) -> None: ...
    def drop(self, source: NDArray[uint32], target: NDArray[uint32]) -> bool: ...
    def hide(self, rule: int) -> None: ...
    def unhide(self, rule: int) -> None: ...
    def view(self) -> LayeredView: ...
    def write(self, path: str | os.PathLike[str], *, metadata: str, threads: int = 0) -> None: ...
