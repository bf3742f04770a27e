"""Sparse feature templates."""

from collections.abc import Mapping, Sequence

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

def paired_words(source: list[str], target: list[str], links: list[str]) -> list[str]:
    """
    Sentence pairs as lines of target words, each with the source words that it is linked to.
    """
