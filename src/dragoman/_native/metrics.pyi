"""Statistics and scores of metrics."""

import enum
from collections.abc import Callable, Sequence

from numpy import float64, int64, uint8, uint32
from numpy.typing import NDArray

import dragoman._native.common

class EncodedLines:
    """Lines as numbers of words or characters."""

    def __init__(self, words: NDArray[uint32], ends: NDArray[int64]) -> None: ...
    def __len__(self) -> int: ...
    def take(self, lines: NDArray[int64]) -> EncodedLines:
        """Some of the lines, in any order and as often as asked."""

    @property
    def words(self) -> NDArray[uint32]: ...
    @property
    def ends(self) -> NDArray[int64]: ...

class Tokenizer:
    """One of the tokenizers that metric definitions name."""

    def __init__(
        self, name: str, *, normalize: bool = False, remove_punctuation: bool = False, asian: bool = False
    ) -> None: ...
    def tokenize(self, lines: list[str], *, threads: int = 0) -> list[str]:
        """The tokens of each line, joined by spaces."""

    def intern(self, lines: list[str], words: dragoman._native.common.Vocabulary, *, threads: int = 0) -> EncodedLines:
        """Tokens as words of a vocabulary, which grows."""

    def lookup(self, lines: list[str], words: dragoman._native.common.Vocabulary, *, threads: int = 0) -> EncodedLines:
        """
        Tokens as words of a vocabulary; words that it lacks are equal to none.
        """

def characters(lines: list[str], *, keep_space: bool = False, threads: int = 0) -> EncodedLines:
    """Code points of each line."""

class ReferenceLength(enum.Enum):
    closest = 0

    shortest = 1

    average = 2

class Smoothing(enum.Enum):
    none = 0

    floor = 1

    add_k = 2

    add_k_all = 3

    exp = 4

class BleuOptions:
    def __init__(
        self,
        *,
        order: int,
        smoothing: Smoothing,
        smooth_value: float,
        effective_order: bool,
        reference_scale: float,
        reference_extra: float,
        penalize_length: bool,
        grounded: bool,
        scale_by_shortest: bool,
    ) -> None: ...

def bleu_statistics(
    hypotheses: EncodedLines,
    references: EncodedLines,
    groups: NDArray[int64],
    *,
    order: int,
    length: ReferenceLength,
    with_shortest: bool,
    threads: int = 0,
) -> NDArray[float64]: ...
def bleu_scores(statistics: NDArray[float64], options: BleuOptions) -> NDArray[float64]: ...
def bleu_parts(total: NDArray[float64], options: BleuOptions) -> tuple[float, list[float]]:
    """Brevity penalty and precisions."""

class ChrfOptions:
    def __init__(self, *, character_order: int, word_order: int, beta: float, epsilon_smoothing: bool) -> None: ...

def chrf_statistics(
    hypotheses: EncodedLines,
    references: EncodedLines,
    groups: NDArray[int64],
    hypothesis_words: EncodedLines,
    reference_words: EncodedLines,
    options: ChrfOptions,
    *,
    threads: int = 0,
) -> NDArray[float64]: ...
def chrf_scores(statistics: NDArray[float64], options: ChrfOptions) -> NDArray[float64]: ...
def bleu_matrix(
    hypotheses: EncodedLines, references: EncodedLines, options: BleuOptions, *, threads: int = 0
) -> NDArray[float64]: ...
def chrf_matrix(
    hypotheses: EncodedLines,
    references: EncodedLines,
    hypothesis_words: EncodedLines,
    reference_words: EncodedLines,
    options: ChrfOptions,
    *,
    threads: int = 0,
) -> NDArray[float64]: ...

class NgramInformation:
    """Bits that each n-gram of a set of references informs."""

    def __init__(self, references: EncodedLines, order: int) -> None: ...

def nist_statistics(
    hypotheses: EncodedLines,
    references: EncodedLines,
    groups: NDArray[int64],
    information: NgramInformation,
    *,
    threads: int = 0,
) -> NDArray[float64]: ...
def nist_scores(statistics: NDArray[float64], order: int) -> NDArray[float64]: ...

class EditKind(enum.Enum):
    wer = 0

    per = 1

    cder = 2

def edit_statistics(
    hypotheses: EncodedLines, references: EncodedLines, groups: NDArray[int64], kind: EditKind, *, threads: int = 0
) -> NDArray[float64]: ...
def ter_alignments(hypotheses: EncodedLines, references: EncodedLines) -> list[tuple[list[int], list[int]]]:
    """
    Each hypothesis with its blocks shifted, and for each word of its reference the place of its partner, or -1.
    """

def ter_statistics(
    hypotheses: EncodedLines, references: EncodedLines, groups: NDArray[int64], *, threads: int = 0
) -> NDArray[float64]: ...
def edit_rates(statistics: NDArray[float64]) -> NDArray[float64]: ...

class WordRelations:
    """Stems, synonym sets and function words, by number of the word."""

    def __init__(
        self, stems: NDArray[uint32], synset_ends: NDArray[int64], synsets: NDArray[uint32], is_function: NDArray[uint8]
    ) -> None: ...

class PhrasePairs:
    """Phrases that paraphrase each other."""

    def __init__(self, hypotheses: EncodedLines, references: EncodedLines, values: NDArray[float64]) -> None: ...

class MeteorOptions:
    def __init__(
        self,
        *,
        alpha: float,
        beta: float,
        gamma: float,
        delta: float,
        weights: Sequence[float],
        strict: bool,
        stages: Sequence[bool],
        beam: int,
    ) -> None: ...

def meteor_statistics(
    hypotheses: EncodedLines,
    references: EncodedLines,
    groups: NDArray[int64],
    relations: WordRelations,
    paraphrases: PhrasePairs,
    options: MeteorOptions,
    *,
    threads: int = 0,
) -> NDArray[float64]: ...
def meteor_scores(statistics: NDArray[float64], options: MeteorOptions) -> NDArray[float64]: ...
def meteor_parts(total: NDArray[float64], options: MeteorOptions) -> tuple[float, float, float]:
    """Precision, recall and fragmentation penalty."""

def match_words(
    hypotheses: EncodedLines,
    references: EncodedLines,
    relations: WordRelations,
    paraphrases: PhrasePairs,
    options: MeteorOptions,
) -> list[list[tuple[int, int, int, int, int]]]:
    """
    For each line, matches as (start, length) in the hypothesis, (start, length) in the reference, stage.
    """

class TerpOptions:
    def __init__(
        self,
        *,
        deletion: float,
        insertion: float,
        substitution: float,
        shift: float,
        stem: float,
        synonym: float,
        phrase: Sequence[float],
        relaxed: bool,
        beam: int,
        capped: bool,
    ) -> None: ...

def set_phrase_costs(phrases: PhrasePairs, relations: WordRelations, options: TerpOptions) -> None:
    """Turns the probabilities of phrases into costs."""

def terp_statistics(
    hypotheses: EncodedLines,
    references: EncodedLines,
    groups: NDArray[int64],
    relations: WordRelations,
    phrases: PhrasePairs,
    options: TerpOptions,
    *,
    threads: int = 0,
) -> NDArray[float64]: ...
def terp_distances(
    hypotheses: EncodedLines,
    references: EncodedLines,
    relations: WordRelations,
    phrases: PhrasePairs,
    options: TerpOptions,
    *,
    may_shift: bool = True,
) -> list[tuple[float, int]]:
    """Cost and shifts of each pair of lines."""

class Gain:
    """What a tuner maximises: a score of rows of statistics."""

    def scores(self, rows: NDArray[float64]) -> NDArray[float64]: ...

class BleuGain(Gain):
    """BLEU, natively."""

    def __init__(self, options: BleuOptions) -> None: ...

class CallbackGain(Gain):
    """Any function of a matrix of statistics."""

    def __init__(self, function: Callable[[NDArray[float64]], NDArray[float64]], width: int) -> None: ...

def bootstrap_sums(statistics: NDArray[float64], *, samples: int, seed: int, threads: int = 0) -> NDArray[float64]:
    """
    Sums of rows drawn with replacement: a row per sample, whose draws follow from (seed, sample) alone.
    """
