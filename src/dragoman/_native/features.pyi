"""Sparse feature templates."""

import os
from collections.abc import Mapping, Sequence

from numpy import float32, float64, uint32
from numpy.typing import NDArray

import dragoman._native.neural

def jump_class(jump: int) -> int:
    """The class of a jump over so many words, negative for one back."""

class SourceOrderModel:
    """In which order source words are translated."""

    @staticmethod
    def train(
        sentences: list[tuple[list[str], list[str], list[int], list[str]]],
        links: list[str],
        *,
        relations: bool,
        future: bool,
        passes: int,
        step: float,
        min_count: int,
        seed: int,
    ) -> SourceOrderModel:
        """
        Learn from sentences (words, tags, heads, relations) and the links to their translations.
        """

    @staticmethod
    def open(path: str | os.PathLike[str]) -> SourceOrderModel: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    @property
    def is_of_relations(self) -> bool: ...
    @property
    def uses_tags(self) -> bool: ...
    @property
    def future(self) -> bool: ...
    def values(self, sentence: tuple[list[str], list[str], list[int], list[str]]) -> NDArray[float64]:
        """
        What it is worth to go on with one word after another: by the word before, from the start of the sentence on, and the word after; empty if a layer is missing.
        """

class DependencyModel:
    """How well target words find heads among those around them."""

    @staticmethod
    def train(
        sentences: list[tuple[list[str], list[int], list[int]]],
        tags: list[str],
        *,
        window: int,
        passes: int,
        step: float,
        min_count: int,
        seed: int,
    ) -> DependencyModel:
        """
        Learn from sentences (words, numbers of tags, heads with -1 for the root).
        """

    @staticmethod
    def open(path: str | os.PathLike[str]) -> DependencyModel: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    @property
    def window(self) -> int: ...
    @property
    def tags(self) -> list[str]: ...
    def score(self, line: str) -> tuple[float, list[int], list[str]]:
        """
        The sum of best scores of a sentence, the best head of each word (-1: the root), and its tag.
        """

    def arc_score(self, line: str, head: int, word: int) -> float:
        """How well a word of a sentence hangs on another; head -1 is the root."""

class WordClasses:
    """Words to classes; digits are folded, the rest has the class of <unk>."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None: ...
    def of(self, word: str) -> str: ...

def span_labels(
    nodes: Sequence[tuple[str, int, int]], labels: Sequence[str], *, length: int, longest: int
) -> list[tuple[int, int, list[str], list[str]]]:
    """
    For each span of up to `longest` words: which labels match a node, and which cross one; '' stands for any.
    """

class Templates:
    """The sparse templates of a model, gathered one by one."""

    def add_rule(
        self,
        prefix: str,
        *,
        source_classes: WordClasses | None,
        target_classes: WordClasses | None,
        min_count: float,
        per_domain: bool,
    ) -> None: ...
    def add_links(
        self,
        prefix: str,
        *,
        source_classes: WordClasses | None,
        target_classes: WordClasses | None,
        min_count: float,
        cliques: bool,
        per_domain: bool,
    ) -> None: ...
    def add_unaligned(
        self, prefix: str, *, target_side: bool, classes: WordClasses | None, per_domain: bool
    ) -> None: ...
    def add_target_words(self, prefix: str, *, classes: WordClasses | None) -> None: ...
    def add_shape(self, prefix: str, *, source: bool, target: bool, both: bool) -> None: ...
    def add_ratio(self, name: str, *, source_words: Sequence[str], target_words: Sequence[str]) -> None: ...
    def add_frequencies(
        self,
        prefix: str,
        *,
        source: Mapping[str, float],
        source_unseen: float,
        target: Mapping[str, float],
        target_unseen: float,
        squared: bool,
    ) -> None: ...
    def add_domain(self, prefix: str) -> None: ...
    def add_deletion(self, prefix: str, *, tags: Sequence[str], frequent: Sequence[str], heads_only: bool) -> None: ...
    def add_syntax(self, terms: Sequence[tuple[str, Sequence[str], float, float]], *, with_glue: bool) -> None:
        """
        Soft constraints: of each feature its name, its labels (none: any), and what a match and a crossing count.
        """

    def add_structure(self, fired: Sequence[Sequence[tuple[str, float]]]) -> None:
        """
        Structural distortion: of gaps in order and of reordered ones, by size, the feature and its value.
        """

    def add_orientation(
        self,
        prefix: str,
        *,
        source_classes: WordClasses | None,
        target_classes: WordClasses | None,
        min_count: float,
        coarse: bool,
        previous: bool,
        next: bool,
        per_domain: bool,
    ) -> None: ...
    def add_jump(self, prefix: str) -> None: ...
    def add_tag_order(self, prefix: str, *, previous: bool, next: bool) -> None: ...
    def add_adjacent_domain(self, prefix: str) -> None: ...
    def add_target_ngrams(
        self, prefix: str, *, classes: WordClasses | None, order: int, boundary_only: bool
    ) -> None: ...
    def rule_scores(self, first: int, last: int, weights: Mapping[str, float]) -> list[float]:
        """
        What templates that look at rules alone are worth, for a range of rules.
        """

def joint_scores(
    model: dragoman._native.neural.JointModel,
    source: NDArray[uint32],
    histories: NDArray[uint32],
    words: NDArray[uint32],
    positions: NDArray[uint32],
) -> NDArray[float32]:
    """
    Scores of a joint model as search asks for them, one by one from sums that are ready; all in units.
    """

def paired_words(source: list[str], target: list[str], links: list[str]) -> list[str]:
    """
    Sentence pairs as lines of target words, each with the source words that it is linked to.
    """

def count_gaps(links: list[str], longest: int) -> tuple[list[int], list[int]]:
    """
    Gaps of word-aligned phrases that stay in order, and those that are reordered, by size.
    """
