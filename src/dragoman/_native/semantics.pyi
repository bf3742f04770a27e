"""
Co-occurrence counts, neighbours of sparse rows, labels that spread over a graph, and word vectors.
"""

import os

from numpy import float32, float64, int32, int64, uint8, uint32
from numpy.typing import NDArray

import dragoman._native.text

def context_columns(index: dragoman._native.text.CorpusIndex, *, window: int, positional: bool) -> int:
    """How many columns count_contexts gives."""

def count_contexts(
    index: dragoman._native.text.CorpusIndex,
    words: NDArray[uint32],
    ends: NDArray[int64],
    keep: NDArray[uint8],
    claims: NDArray[uint8],
    *,
    window: int,
    positional: bool,
    at_most: int,
    threads: int = 0,
) -> tuple[NDArray[int64], NDArray[int32], NDArray[float64]]:
    """
    Counts of what stands beside each phrase, as the arrays of a CSR matrix.
    """

def context_totals(index: dragoman._native.text.CorpusIndex, *, window: int, positional: bool) -> NDArray[float64]:
    """Sum of each column over all tokens of the corpus."""

def neighbor_types(
    index: dragoman._native.text.CorpusIndex, *, window: int, least: float, threshold: int, threads: int = 0
) -> NDArray[int64]:
    """
    How many different words stand beside each word; 0 for words too rare to exceed the threshold.
    """

def count_by_concept(
    index: dragoman._native.text.CorpusIndex,
    words: NDArray[uint32],
    ends: NDArray[int64],
    concept_starts: NDArray[int64],
    concepts: NDArray[int32],
    strengths: tuple[NDArray[int64], NDArray[int32], NDArray[float64]],
    keep: NDArray[uint8],
    claims: NDArray[uint8],
    *,
    window: int,
    positional: bool,
    at_most: int,
    drop_ties: bool,
    threads: int = 0,
) -> tuple[NDArray[int64], NDArray[int32], NDArray[float64]]:
    """
    Counts for each pair of term and concept, over the occurrences that suit the concept best.
    """

def pair_values(
    starts: NDArray[int64],
    columns: NDArray[int32],
    values: NDArray[float64],
    other_starts: NDArray[int64],
    other_columns: NDArray[int32],
    other_values: NDArray[float64],
    *,
    width: int,
    measure: str,
    alpha: float,
) -> NDArray[float64]:
    """Measure of row i of the first with row i of the second."""

def nearest(
    starts: NDArray[int64],
    columns: NDArray[int32],
    values: NDArray[float64],
    other_starts: NDArray[int64],
    other_columns: NDArray[int32],
    other_values: NDArray[float64],
    own: NDArray[int32],
    *,
    width: int,
    k: int,
    measure: str,
    alpha: float,
    threads: int = 0,
) -> tuple[NDArray[int64], NDArray[int32], NDArray[float64]]:
    """
    The k nearest of the other rows for each row that share a column with it: starts, rows, values.
    """

def propagate(
    coupling: tuple[NDArray[int64], NDArray[int32], NDArray[float64]],
    given: tuple[NDArray[int64], NDArray[int32], NDArray[float64]],
    start: tuple[NDArray[int64], NDArray[int32], NDArray[float64]],
    divisors: NDArray[float64],
    *,
    labels: int,
    rounds: int,
    tolerance: float,
    keep_top: int,
    threads: int = 0,
) -> tuple[tuple[NDArray[int64], NDArray[int32], NDArray[float64]], int, float]:
    """
    Labels of all nodes, the rounds it took and the last mean squared change.
    """

class RankingTrainer:
    """Passes over a text that make vectors of its words."""

    def __init__(
        self,
        words: NDArray[uint32],
        ends: NDArray[int64],
        documents: NDArray[int32],
        idf: NDArray[float64],
        *,
        dimensions: int,
        window: int,
        scored: int,
        hidden: int,
        document_hidden: int,
        seed: int,
    ) -> None:
        """
        Ids of a text (0 unknown, 1 and 2 the edges of a sentence, then words by frequency), where sentences end, the document of each, and the inverse document frequency of each word.
        """

    def parts(self) -> list[NDArray[float32]]:
        """
        Vectors; weights, bias and output of the network of windows; the same of that of documents. Copied.
        """

    def set_parts(self, parts: list[NDArray[float32]]) -> None:
        """The first parts, or all of them."""

    def set_translations(self, targets: NDArray[float32], has_target: NDArray[uint8]) -> None:
        """Where each word is drawn to, row by row, and which words are."""

    def train_pass(
        self,
        number: int,
        *,
        rate: float,
        active: int,
        translation: float,
        context: float,
        batch: int,
        replacements: int,
        noise: float,
        threads: int,
        progress: object = None,
    ) -> tuple[float, float, float, int]:
        """
        One pass over the windows of active words; gives the mean loss of windows, the mean squared distance to translations, the share of replacements that are not worse by the margin, and the number of windows.
        """

    def gradients(
        self, windows: list[tuple[int, int, list[int]]], *, translation: float, context: float = 1.0, threads: int = 0
    ) -> tuple[float, list[NDArray[float32]]]:
        """
        The loss of windows (token, sentence, replacements) as one batch, and its gradients by part.
        """

    def save(self, path: str | os.PathLike[str], passes: int) -> None:
        """Everything that training goes on from."""

    def restore(self, path: str | os.PathLike[str]) -> int:
        """Gives the number of passes that were made."""

class ExactRankingTrainer:
    """Passes over a text that make vectors of its words."""

    def __init__(
        self,
        words: NDArray[uint32],
        ends: NDArray[int64],
        documents: NDArray[int32],
        idf: NDArray[float64],
        *,
        dimensions: int,
        window: int,
        scored: int,
        hidden: int,
        document_hidden: int,
        seed: int,
    ) -> None:
        """
        Ids of a text (0 unknown, 1 and 2 the edges of a sentence, then words by frequency), where sentences end, the document of each, and the inverse document frequency of each word.
        """

    def parts(self) -> list[NDArray[float64]]:
        """
        Vectors; weights, bias and output of the network of windows; the same of that of documents. Copied.
        """

    def set_parts(self, parts: list[NDArray[float64]]) -> None:
        """The first parts, or all of them."""

    def set_translations(self, targets: NDArray[float64], has_target: NDArray[uint8]) -> None:
        """Where each word is drawn to, row by row, and which words are."""

    def train_pass(
        self,
        number: int,
        *,
        rate: float,
        active: int,
        translation: float,
        context: float,
        batch: int,
        replacements: int,
        noise: float,
        threads: int,
        progress: object = None,
    ) -> tuple[float, float, float, int]:
        """
        One pass over the windows of active words; gives the mean loss of windows, the mean squared distance to translations, the share of replacements that are not worse by the margin, and the number of windows.
        """

    def gradients(
        self, windows: list[tuple[int, int, list[int]]], *, translation: float, context: float = 1.0, threads: int = 0
    ) -> tuple[float, list[NDArray[float64]]]:
        """
        The loss of windows (token, sentence, replacements) as one batch, and its gradients by part.
        """

    def save(self, path: str | os.PathLike[str], passes: int) -> None:
        """Everything that training goes on from."""

    def restore(self, path: str | os.PathLike[str]) -> int:
        """Gives the number of passes that were made."""

class PhraseVectors:
    """Vectors of the words of two languages in one space."""

    def __init__(
        self, source_words: list[str], source: NDArray[float32], target_words: list[str], target: NDArray[float32]
    ) -> None: ...
    @property
    def dimensions(self) -> int: ...
    def knows(self, word: str, *, target: bool) -> bool: ...
    def compare(self, sources: list[str], targets: list[str]) -> NDArray[float64]:
        """
        Of each pair of phrases: cosine of mean vectors, mean of the best cosines of source words, and the share of unknown words.
        """

    def save(self, path: str | os.PathLike[str]) -> None: ...
    @staticmethod
    def open(path: str | os.PathLike[str]) -> PhraseVectors: ...

def count_together(
    source: NDArray[uint32],
    source_ends: NDArray[int64],
    target: NDArray[uint32],
    target_ends: NDArray[int64],
    rows: NDArray[uint8],
    columns: NDArray[uint8],
    *,
    threads: int = 0,
) -> tuple[NDArray[int64], NDArray[int32], NDArray[float64]]:
    """
    In how many sentence pairs words occur together, as the arrays of a CSR matrix.
    """

class MutualInformation:
    """Mutual information of words of two languages."""

    def __init__(
        self,
        source_words: list[str],
        source_counts: NDArray[float32],
        source_content: NDArray[uint8],
        target_words: list[str],
        target_counts: NDArray[float32],
        target_content: NDArray[uint8],
        starts: NDArray[int64],
        columns: NDArray[int32],
        together: NDArray[float64],
        *,
        sentences: float,
        smoothing: float,
        tagged: bool,
        scales: NDArray[float64],
    ) -> None:
        """
        Words behind `<unk>`, which is number 0 of the counts; rows of the matrix are source words.
        """

    @property
    def smoothing(self) -> float: ...
    @property
    def sentences(self) -> float: ...
    @property
    def tagged(self) -> bool: ...
    @property
    def scales(self) -> list[float]: ...
    @property
    def size(self) -> int: ...
    def words(self, *, target: bool) -> list[str]: ...
    def count(self, word: str, *, target: bool) -> float:
        """Sentences that have a word."""

    def is_content(self, word: str, *, target: bool) -> bool: ...
    def value(self, source: str, target: str) -> float: ...
    def partners(self, source: str) -> list[tuple[str, float]]:
        """Target words that were seen with a source word, and their values."""

    def context(self, sentence: list[str], position: int, candidates: list[str], *, window: int) -> NDArray[float64]:
        """
        Of each candidate: value of the word itself, mean over the content words around it with and without it.
        """

    def save(self, path: str | os.PathLike[str]) -> None: ...
    @staticmethod
    def open(path: str | os.PathLike[str]) -> MutualInformation: ...
