"""N-gram language models."""

import os
from collections.abc import Sequence

from numpy import float64, int64, uint8, uint32
from numpy.typing import NDArray

import dragoman._native.common

class Ngrams:
    """The n-grams of a model as plain lists."""

    @property
    def order(self) -> int: ...
    @property
    def counts(self) -> list[int]:
        """How many n-grams there are, by order."""

class ArpaReader:
    """Reads an ARPA file given in blocks of bytes."""

    def __init__(self, name: str) -> None: ...
    def feed(self, block: bytes) -> None: ...
    def finish(self) -> Ngrams: ...
    @property
    def notes(self) -> list[str]:
        """What was forgiven."""

class ArpaWriter:
    """Writes an ARPA file in blocks of bytes."""

    def __init__(self, ngrams: Ngrams) -> None: ...
    def next(self) -> bytes:
        """The next block; empty at the end."""

def interpolate(lists: list[Ngrams], weights: Sequence[float]) -> Ngrams:
    """Mixes models into one list of n-grams."""

def sorted_events(words: NDArray[uint32], ends: NDArray[int64], order: int) -> NDArray[uint32]:
    """
    Events of numbered sentences, a row each: words newest first, and their count in two halves.
    """

def adjusted_counts(parts: list[NDArray[uint32]], order: int, smoothing: str) -> NDArray[uint32]:
    """
    Adjusted counts of all n-grams of sorted events of parts of a text, for `Estimator.add_adjusted`.
    """

class OrderReport:
    """What estimation found at one order."""

    @property
    def types(self) -> int: ...
    @property
    def kept(self) -> int: ...
    @property
    def discounts(self) -> list[float]: ...
    @property
    def fallback_reason(self) -> str: ...

class Estimator:
    """Estimation, stage by stage."""

    def __init__(
        self,
        *,
        order: int,
        smoothing: str,
        prune: Sequence[int],
        interpolate_unigrams: bool,
        skip_special: bool,
        fallback: Sequence[float],
        memory: int,
        scratch: str | os.PathLike[str],
    ) -> None: ...
    def limit_vocabulary(self, words: list[str]) -> None: ...
    def add_sentences(self, sentences: list[str], first_line: int) -> None: ...
    def require(self, ngram: str) -> None:
        """This n-gram stays whatever its count."""

    def add_count(self, ngram: str, count: int, line: int) -> None: ...
    def number(self, words: list[str]) -> NDArray[uint32]:
        """Numbers of words; those that are new get the next ones."""

    def begin_adjusted(self, tokens: int, sentences: int) -> None:
        """Adjusted counts from elsewhere follow, in place of `count`."""

    def add_adjusted(self, records: NDArray[uint32]) -> None:
        """What `adjusted_counts` found in the next range of newest words."""

    def end_counts(self) -> None:
        """There are no more."""

    def count(self) -> None: ...
    def normalize(self, threads: int) -> None: ...
    def interpolate(self, order: int) -> None: ...
    def take(self) -> Ngrams:
        """The n-grams; once."""

    @property
    def tokens(self) -> int: ...
    @property
    def sentences(self) -> int: ...
    @property
    def orders(self) -> list[OrderReport]: ...

class State:
    """What the model remembers of the words before."""

    def __init__(self) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def length(self) -> int:
        """How many words it remembers."""

class Cell:
    """A piece of text whose neighbours are not known yet."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def estimate(self) -> float:
        """The part of its score that its left neighbour may change."""

    @property
    def open_words(self) -> int:
        """How many words that concerns."""

    @property
    def right(self) -> State: ...

class Model:
    """An n-gram model, safe to share between threads."""

    @staticmethod
    def open(path: str | os.PathLike[str]) -> Model: ...
    @staticmethod
    def build(ngrams: Ngrams, *, layout: str = "hashed", bits: int = 8) -> Model: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def list_ngrams(self) -> Ngrams:
        """All n-grams; of the compact layout only."""

    @property
    def order(self) -> int: ...
    @property
    def counts(self) -> list[int]: ...
    @property
    def layout(self) -> str: ...
    @property
    def bits(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def inserted(self) -> int: ...
    @property
    def fingerprint(self) -> int: ...
    @property
    def begin(self) -> int:
        """Id of <s>; 0 if there is none."""

    @property
    def end(self) -> int:
        """Id of </s>; 0 if there is none."""

    def __len__(self) -> int:
        """Words in the vocabulary."""

    def id(self, word: str) -> int:
        """The id of a word, 0 if it is unknown."""

    def word(self, id: int) -> str: ...
    def map_words(self, words: dragoman._native.common.Vocabulary) -> NDArray[uint32]:
        """For each id of a vocabulary, the model's id."""

    def score(
        self, sentences: list[str], *, begin: bool = True, end: bool = True, threads: int = 0
    ) -> tuple[NDArray[float64], NDArray[float64], NDArray[int64], NDArray[int64]]:
        """
        Per sentence: log-probability, that of unknown words in it, events, unknown words.
        """

    def score_ids(
        self, words: NDArray[uint32], ends: NDArray[int64], *, begin: bool = True, end: bool = True, threads: int = 0
    ) -> NDArray[float64]:
        """
        As `score`, of words given by the model's ids; `ends[i]` is where sentence i stops.
        """

    def events(
        self, sentences: list[str], *, begin: bool = True, end: bool = True
    ) -> tuple[NDArray[float64], NDArray[uint32], NDArray[uint8], NDArray[int64]]:
        """
        Event by event: log-probability, word id, length of the n-gram found; and where sentences end.
        """

    def begin_state(self) -> State:
        """After <s>."""

    def step(self, state: State, word: int) -> tuple[float, State, int]:
        """
        Log-probability of one more word, the state after it, length of the n-gram found.
        """

    def step_phrase(self, state: State, words: Sequence[int]) -> tuple[float, State]:
        """Log-probability of some more words, and the state after them."""

    def join(self, parts: list[int | Cell], *, begin: bool = False) -> tuple[float, Cell]:
        """Joins words and cells; the score does not include the cells' own."""

class Bounds:
    """Largest and smallest probability over all longer histories."""

    @staticmethod
    def of(ngrams: Ngrams, model: Model) -> Bounds: ...
    @staticmethod
    def open(path: str | os.PathLike[str], model: Model) -> Bounds: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def range(self, model: Model, context: Sequence[int], word: int) -> tuple[float, float]: ...
    @property
    def bytes(self) -> int: ...

class ClassTrainer:
    """Word classes by predictive exchange."""

    def __init__(self, min_count: int) -> None: ...
    def add_sentences(self, sentences: list[str]) -> None: ...
    def start(self, classes: int, seed: int) -> None: ...
    def assign(self, word: int, to: int) -> None: ...
    def iterate(self, threads: int) -> int:
        """One iteration; returns how many words moved."""

    def objective(self) -> float: ...
    def gain(self, word: int, to: int) -> float: ...
    def id(self, word: str) -> int: ...
    @property
    def class_count(self) -> int: ...
    def classes(self) -> list[tuple[str, int]]:
        """Words with their classes; <unk> comes first."""
