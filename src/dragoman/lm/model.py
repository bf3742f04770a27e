"""The n-gram model: open it, score text in batches, look at single words, walk through it state by state.

A model is mapped from its file and never changes, so that opening is instant and threads share it. All scores are
natural logarithms. Words are white-space separated tokens; whoever trained the model on tokenised text queries it with
tokenised text. Inside, words are numbers of the model's own vocabulary, 0 being `<unk>`; a decoder with its own
vocabulary translates ids through `NgramModel.map_words` once and for all.

    >>> from dragoman.lm import estimate
    >>> model = estimate(["the cat sat", "the dog sat"], order=2).build()
    >>> scores = model.score(["the cat sat", "sat the cat"])
    >>> bool(scores[0] > scores[1])
    True
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman._native import common
from dragoman._native import lm as native
from dragoman.errors import SettingError
from dragoman.files import open_binary
from dragoman.lm.arpa import read_lists, write_lists

if TYPE_CHECKING:
    from numpy import float64, int64, uint32
    from numpy.typing import NDArray
    from rich.table import Table

__all__ = [
    "LAYOUTS",
    "Cell",
    "NgramModel",
    "Ngrams",
    "Perplexity",
    "State",
    "TokenScore",
    "load_ngrams",
    "read_arpa",
    "write_arpa",
]

LAYOUTS = ("hashed", "compact")

State = native.State
Cell = native.Cell


@dataclass(frozen=True, slots=True)
class TokenScore:
    """One scored token: its log-probability, and the length of the n-gram that gave it (shorter: backed off)."""

    token: str
    logprob: float
    ngram_length: int
    known: bool


@dataclass(frozen=True, slots=True)
class Perplexity:
    """Perplexity with what it counts: `events` are tokens and sentence ends, `unknown` those outside the vocabulary.

    Unknown events are left out of `perplexity`, because their probability says more about the vocabulary than about the
    text; `perplexity_with_unknown` counts them. Neither compares across models with different vocabularies.
    """

    sentences: int
    events: int
    unknown: int
    logprob: float
    unknown_logprob: float

    @property
    def perplexity(self) -> float:
        return _perplexity(self.logprob - self.unknown_logprob, self.events - self.unknown)

    @property
    def perplexity_with_unknown(self) -> float:
        return _perplexity(self.logprob, self.events)

    def to_dict(self) -> dict[str, Any]:
        return {
            "perplexity": self.perplexity,
            "perplexity_with_unknown": self.perplexity_with_unknown,
            "sentences": self.sentences,
            "events": self.events,
            "unknown": self.unknown,
            "logprob": self.logprob,
        }


def _perplexity(logprob: float, events: int) -> float:
    return math.exp(-logprob / events) if events else math.nan


class NgramModel:
    """An n-gram model to query, safe to share between threads."""

    def __init__(self, model: native.Model) -> None:
        self.native = model

    @classmethod
    def open(cls, path: Path | str) -> NgramModel:
        """Map a binary model; the cost does not depend on its size."""
        return cls(native.Model.open(path))

    @classmethod
    def read_arpa(cls, path: Path | str, *, layout: str = "hashed", bits: int = 8) -> NgramModel:
        """Read an ARPA file and build the model in memory."""
        return read_arpa(path).build(layout=layout, bits=bits)

    @classmethod
    def load(cls, path: Path | str) -> NgramModel:
        """Either kind of file, told apart by content; `-` is an ARPA file on standard input."""
        if str(path) == "-":
            return cls.read_arpa(path)
        with open_binary(path) as file:
            start = file.read(8)
        if start == b"DRAGOMAN" or start == bytes(8):
            return cls.open(path)
        return cls.read_arpa(path)

    def save(self, path: Path | str) -> None:
        """Write the binary file."""
        self.native.save(path)

    @property
    def order(self) -> int:
        return self.native.order

    @property
    def counts(self) -> tuple[int, ...]:
        """How many n-grams there are, by order, those included that were inserted to close gaps."""
        return tuple(self.native.counts)

    @property
    def layout(self) -> str:
        return self.native.layout

    @property
    def bytes(self) -> int:
        """Size of the file, or of the same data in memory."""
        return self.native.bytes

    def __len__(self) -> int:
        """Words in the vocabulary, `<unk>` and sentence marks included."""
        return len(self.native)

    def __contains__(self, word: str) -> bool:
        return word == "<unk>" or self.native.id(word) != 0

    def __repr__(self) -> str:
        return f"NgramModel(order={self.order}, counts={self.counts}, layout={self.layout!r})"

    def words(self) -> list[str]:
        """The vocabulary, by id."""
        return [self.native.word(number) for number in range(len(self))]

    def map_words(self, words: common.Vocabulary) -> NDArray[uint32]:
        """For each id of another vocabulary this model's id: what a decoder translates its words through."""
        return self.native.map_words(words)

    # Whole sentences

    def score(
        self, sentences: Iterable[str], *, begin: bool = True, end: bool = True, threads: int = 0
    ) -> NDArray[float64]:
        """Log-probability of each sentence: after `<s>` if `begin`, `</s>` included if `end`."""
        return self.native.score(_list(sentences), begin=begin, end=end, threads=threads)[0]

    def score_ids(
        self, words: NDArray[uint32], ends: NDArray[int64], *, begin: bool = True, end: bool = True, threads: int = 0
    ) -> NDArray[float64]:
        """As `score`, of words given by the model's ids; `ends[i]` is where sentence i stops."""
        return self.native.score_ids(words, ends, begin=begin, end=end, threads=threads)

    def perplexity(
        self, sentences: Iterable[str], *, begin: bool = True, end: bool = True, threads: int = 0
    ) -> Perplexity:
        """Perplexity of a text and the numbers behind it; without `end`, sentence ends are not scored, nor counted."""
        scores = self.native.score(_list(sentences), begin=begin, end=end, threads=threads)
        logprob, unknown_logprob, events, unknown = (column.sum().item() for column in scores)
        return Perplexity(len(scores[0]), events, unknown, logprob, unknown_logprob)

    # Token by token

    def tokens(self, sentence: str, *, begin: bool = True, end: bool = True) -> list[TokenScore]:
        """Each token of a sentence with its log-probability and the n-gram that gave it."""
        logprobs, ids, matched, _ = self.native.events([sentence], begin=begin, end=end)
        names = [*sentence.split(), *(["</s>"] if end else [])]
        return [
            TokenScore(name, float(logprob), int(length), bool(number))
            for name, logprob, number, length in zip(names, logprobs, ids, matched, strict=True)
        ]

    def explain(self, sentence: str) -> Table:
        """A table of the tokens of a sentence: probability, and the n-gram it comes from."""
        from rich.table import Table
        from rich.text import Text

        tokens = self.tokens(sentence)
        table = Table("token", "log p", "p", "from", box=None, pad_edge=False)
        history = ["<s>", *sentence.split(), "</s>"]
        for position, token in enumerate(tokens, 1):
            ngram = " ".join(history[max(0, position - token.ngram_length + 1) : position + 1])
            source = ngram if token.known else "<unk>"
            table.add_row(Text(token.token), f"{token.logprob:.4f}", f"{math.exp(token.logprob):.3g}", Text(source))
        return table

    # State by state

    def begin_state(self) -> State:
        """The state at the beginning of a sentence."""
        return self.native.begin_state()

    def empty_state(self) -> State:
        """The state that knows nothing of what came before."""
        return native.State()

    def step(self, state: State, word: str | int) -> tuple[float, State]:
        """Log-probability of one more word, and the state after it."""
        logprob, after, _ = self.native.step(state, self._id(word))
        return logprob, after

    def step_phrase(self, state: State, words: str | Sequence[int]) -> tuple[float, State]:
        """Log-probability of a phrase after a state, and the state after it; words as text or as the model's ids."""
        ids = [self.native.id(word) for word in words.split()] if isinstance(words, str) else list(words)
        return self.native.step_phrase(state, ids)

    def finish(self, state: State) -> float:
        """Log-probability that the sentence ends here."""
        return self.native.step(state, self.native.end)[0]

    def join(self, parts: Sequence[str | int | Cell], *, begin: bool = False) -> tuple[float, Cell]:
        """Join words and cells (pieces made before) into a new cell, for text that grows from the middle.

        The score is what is newly paid: the words, and the corrections of the cells' estimates now that their left
        neighbours are known. The cells' own scores are the caller's to add. `begin`: the piece begins the sentence.
        """
        items = [part if isinstance(part, native.Cell) else self._id(part) for part in parts]
        return self.native.join(items, begin=begin)

    def _id(self, word: str | int) -> int:
        return self.native.id(word) if isinstance(word, str) else word

    def list_ngrams(self) -> Ngrams:
        """All n-grams, those included that were inserted to close gaps."""
        return Ngrams(self.native.list_ngrams())


@dataclass(frozen=True, slots=True, eq=False)
class Ngrams:
    """The n-grams of a model as lists: what files hold, estimation makes, and models are built from."""

    native: native.Ngrams = field(repr=False)
    notes: tuple[str, ...] = ()
    """What was forgiven when they were read."""

    @property
    def order(self) -> int:
        return self.native.order

    @property
    def counts(self) -> tuple[int, ...]:
        """How many n-grams there are, by order."""
        return tuple(self.native.counts)

    def build(self, *, layout: str = "hashed", bits: int = 8) -> NgramModel:
        """A model to query: `hashed` is fastest; `compact` is smaller, with values quantised to `bits` (32: exact)."""
        return NgramModel(native.Model.build(self.native, layout=layout, bits=bits))


def read_arpa(path: Path | str) -> Ngrams:
    """Read an ARPA file; `-` is standard input."""
    return Ngrams(*read_lists(path))


def write_arpa(ngrams: Ngrams, path: Path | str) -> None:
    """Write an ARPA file; `.gz` and `.xz` compress, `-` is standard output."""
    write_lists(ngrams.native, path)


def load_ngrams(path: Path | str) -> Ngrams:
    """The n-grams of an ARPA file (`-` is standard input) or of a model."""
    if str(path) == "-":
        return read_arpa(path)
    with open_binary(path) as file:
        binary = file.read(8) == b"DRAGOMAN"
    return NgramModel.open(path).list_ngrams() if binary else read_arpa(path)


def _list(sentences: Iterable[str]) -> list[str]:
    if isinstance(sentences, str):
        raise SettingError("one string where several sentences are expected", remedy="give a list: [sentence]")
    return sentences if isinstance(sentences, list) else list(sentences)
