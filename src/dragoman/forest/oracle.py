"""Oracles: the best that a search space holds, judged by references.

How much better could the decoder have done with the same forest? Which derivation should training move towards? Any
gain can be asked over the k best; sentence BLEU also has a native search over the whole forest, which sees derivations
far below the k best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman._native import forest as native
from dragoman._native.common import Vocabulary
from dragoman.errors import InputError
from dragoman.forest.derivation import Derivation
from dragoman.forest.forest import Forest
from dragoman.forest.intersect import word_ids
from dragoman.settings import check_argument

__all__ = ["BLEU_ORDER", "Oracle", "ReferenceRows", "best_by", "bleu_oracle", "reference_rows", "sentence_bleu"]

BLEU_ORDER = native.BLEU_ORDER
"""The longest n-grams that the native search counts."""

ReferenceRows = tuple[NDArray[np.uint32], NDArray[np.uint32]]
"""Words of several references, one after the other, and where each ends."""


@dataclass(frozen=True, slots=True)
class Oracle:
    """A derivation and its gain."""

    derivation: Derivation
    gain: float


def best_by(forest: Forest, gain: Callable[[Derivation], float], *, k: int = 1000, most_pops: int = 30_000) -> Oracle:
    """Of the `k` best distinct translations the one with the greatest gain; of equal ones the better scored."""
    candidates = forest.kbest(k, distinct=True, most_pops=most_pops)
    if not candidates:
        raise InputError("the forest holds no derivation")
    gains = [gain(candidate) for candidate in candidates]
    best = int(np.argmax(gains))
    return Oracle(candidates[best], gains[best])


def bleu_oracle(forest: Forest, references: Sequence[str | Sequence[str]], *, beam: int = 20, k: int = 100) -> Oracle:
    """The derivation closest to the references by sentence BLEU, as far as a beam of partial targets finds it.

    The search is approximate, so the `k` best translations are looked at as well: the result is never worse than the
    best of them.
    """
    check_argument("beam", beam, int, least=1)
    check_argument("k", k, int, least=0)
    if not forest:
        raise InputError("the forest holds no derivation")
    rows = reference_rows(forest.words, references)
    edges, gain = native.bleu_oracle(forest.native, *rows, beam)
    found = Oracle(Derivation(forest, edges), gain)
    if k:
        listed = best_by(forest, lambda d: native.sentence_bleu(d.target_ids, *rows), k=k, most_pops=30 * k)
        if (listed.gain, listed.derivation.score) > (found.gain, found.derivation.score):
            return listed
    return found


def sentence_bleu(hypothesis: str | Sequence[str], references: Sequence[str | Sequence[str]]) -> float:
    """BLEU+1 (Lin and Och 2004): one is added to matches and totals above the first order; closest reference length.

    >>> round(sentence_bleu("the cat sat on mat", ["the cat sat on the mat"]), 6)
    0.651113
    """
    words = Vocabulary()
    tokens = [text.split() if isinstance(text, str) else list(text) for text in (hypothesis, *references)]
    for text in tokens:
        for token in text:
            words.intern(token)
    return native.sentence_bleu(word_ids(words, tokens[0]), *reference_rows(words, tokens[1:]))


def reference_rows(words: Vocabulary, references: Iterable[str | Sequence[str]]) -> ReferenceRows:
    """References as the native search takes them, in words of a forest's vocabulary."""
    texts = [word_ids(words, reference) for reference in references]
    if not texts:
        raise InputError("no reference")
    return np.concatenate(texts), np.cumsum([len(text) for text in texts], dtype=np.uint32)
