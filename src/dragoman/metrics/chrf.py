"""chrF: F-score of character n-grams; chrF++ adds words and word pairs.

Popović (2015, 2017). Needs no tokenizer, which makes it the safest choice across languages. Equal to sacrebleu's for
the same signature. With several references a segment counts against the one that it matches best.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dragoman._native import metrics as native
from dragoman._native.common import Vocabulary
from dragoman.errors import SettingError
from dragoman.metrics.base import Floats, Metric, PreparedReferences
from dragoman.metrics.references import Numbers, References, Texts
from dragoman.settings import setting

__all__ = ["Chrf", "ChrfPlusPlus"]

_WORDS = native.Tokenizer("chrf")
_NO_WORDS = native.EncodedLines(np.zeros(0, np.uint32), np.zeros(0, np.int64))


@dataclass(frozen=True, slots=True)
class _References:
    characters: native.EncodedLines
    vocabulary: Vocabulary
    words: native.EncodedLines

    def take(self, segments: Numbers, lines: Numbers) -> _References:
        words = self.words.take(lines) if len(self.words) else self.words
        return _References(self.characters.take(lines), self.vocabulary, words)


@dataclass(frozen=True, kw_only=True)
class Chrf(Metric):
    """chrF: F-score of character n-grams (Popović 2015)."""

    name: ClassVar[str] = "chrf"

    char_order: int = setting(6, "Characters of the longest n-grams.", least=0, most=20)
    word_order: int = setting(0, "Words of the longest n-grams of words.", least=0, most=9)
    beta: float = setting(2.0, "How much more recall weighs than precision.", above=0)
    lowercase: bool = setting(False, "Compare without case.")
    compose: bool = setting(False, "Compose accented letters (NFC) first.")
    whitespace: bool = setting(False, "Count white space.")
    eps_smoothing: bool = setting(
        False, "Count orders that do not exist as nearly zero, as the first implementations did."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.char_order + self.word_order == 0:
            raise SettingError(f"{self.name}: char_order and word_order are 0", remedy="set one of them to more")

    @property
    def width(self) -> int:
        return 3 * (self.char_order + self.word_order)

    def _options(self) -> native.ChrfOptions:
        return native.ChrfOptions(
            character_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            epsilon_smoothing=self.eps_smoothing,
        )

    def _prepare(self, references: References, threads: int) -> _References:
        vocabulary = Vocabulary()
        lines = self._normalize(references.lines)
        words = _WORDS.intern(lines, vocabulary, threads=threads) if self.word_order else _NO_WORDS
        return _References(native.characters(lines, keep_space=self.whitespace, threads=threads), vocabulary, words)

    def _encode(
        self, hypotheses: list[str], state: _References, threads: int
    ) -> tuple[native.EncodedLines, native.EncodedLines]:
        words = _WORDS.lookup(hypotheses, state.vocabulary, threads=threads) if self.word_order else _NO_WORDS
        return native.characters(hypotheses, keep_space=self.whitespace, threads=threads), words

    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats:
        state: _References = prepared.state
        characters, words = self._encode(hypotheses, state, threads)
        return native.chrf_statistics(
            characters, state.characters, prepared.groups, words, state.words, self._options(), threads=threads
        )

    def score_matrix(self, hypotheses: Texts, references: Texts, *, threads: int = 0) -> Floats:
        state: _References = self.prepare(references, threads=threads).state
        characters, words = self._encode(self._normalize(list(hypotheses)), state, threads)
        if not len(hypotheses):
            return np.zeros((0, len(references)))
        return native.chrf_matrix(characters, state.characters, words, state.words, self._options(), threads=threads)

    def scores(self, statistics: Floats) -> Floats:
        return native.chrf_scores(statistics, self._options())

    def signature_parts(self) -> dict[str, str]:
        said = {
            "case": "lc" if self.lowercase else "mixed",
            "eff": "no" if self.eps_smoothing else "yes",
            "nc": str(self.char_order),
            "nw": str(self.word_order),
            "space": "yes" if self.whitespace else "no",
        }
        return said if self.beta == 2 else {**said, "beta": f"{self.beta:g}"}


@dataclass(frozen=True, kw_only=True)
class ChrfPlusPlus(Chrf):
    """chrF++: chrF with words and word pairs (Popović 2017)."""

    name: ClassVar[str] = "chrf++"
    word_order: int = 2
