"""Similarity across languages: by translating one side or both first, or by word translations directly.

Translating and scoring in the other language is what most systems of 2014 did for Spanish; scoring several translations
of each sentence against each other and averaging did better than the single best one (Kashyap et al. 2014). Whoever
translates is a function here, from texts to several translations of each; the scorer `translated`, which does so with a
model, stands where models are (`dragoman.pipeline.translated_similarity`).

`word-translations` needs no translation: it looks up each word of content in a lexicon of word translations, such as
aligners write, and matches it with the words of the other text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dragoman.align.monolingual import MonolingualAlignment, WordMatch
from dragoman.errors import FormatError, InputError, LengthMismatch, SettingError
from dragoman.files import display_name, read_lines
from dragoman.metrics.lexical import is_punctuation
from dragoman.settings import setting
from dragoman.similarity.base import PairScorer, Scores
from dragoman.similarity.dls import harmonic_mean
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import Contribution, PairReasons
from dragoman.similarity.words import cut

__all__ = ["Translate", "WordTranslations", "means_of", "score_translated", "translated_pairs"]

Translate = Callable[[Sequence[str]], Sequence[Sequence[str]]]
"""Texts to one or several translations of each, the best first."""


def translated_pairs(
    pairs: Sequence[TextPair], *, first: Translate | None = None, second: Translate | None = None
) -> tuple[list[TextPair], NDArray[np.int64]]:
    """All pairs of translations of both sides, and the number of the pair that each belongs to.

    A side without a translator stands as it is, and so does a text that is translated into nothing.
    """
    sides = [
        _variants([pair.texts[side] for pair in pairs], translate) for side, translate in ((0, first), (1, second))
    ]
    crossed: list[TextPair] = []
    owners: list[int] = []
    for number, (ours, theirs) in enumerate(zip(*sides, strict=True)):
        crossed += [TextPair.of(one, other) for one in ours for other in theirs]
        owners += [number] * (len(ours) * len(theirs))
    return crossed, np.array(owners, np.int64)


def score_translated(
    scorer: PairScorer,
    pairs: Sequence[TextPair],
    *,
    first: Translate | None = None,
    second: Translate | None = None,
    annotate: Callable[[Sequence[TextPair]], Iterable[TextPair]] | None = None,
    threads: int = 0,
) -> Scores:
    """Mean score over all pairs of translations; `annotate` gives them the layers that the scorer needs."""
    crossed, owners = translated_pairs(pairs, first=first, second=second)
    ready = crossed if annotate is None else list(annotate(crossed))
    return means_of(scorer.score(ready, threads=threads), owners, len(pairs))


def means_of(scores: Scores, owners: NDArray[np.int64], size: int) -> Scores:
    """The mean of the scores that belong to each pair."""
    found: Scores = np.bincount(owners, scores, size) / np.maximum(1, np.bincount(owners, minlength=size))
    return found


def _variants(texts: list[str], translate: Translate | None) -> list[list[str]]:
    if translate is None:
        return [[text] for text in texts]
    found = translate(texts)
    if len(found) != len(texts):
        raise LengthMismatch(f"{len(found)} translations of {len(texts)} texts")
    return [
        list(dict.fromkeys(one for one in some if one.strip())) or [text]
        for text, some in zip(texts, found, strict=True)
    ]


@lru_cache(maxsize=2)
def _lexicon(path: str) -> Mapping[str, Mapping[str, float]]:
    """Words of the first language with their translations: `word translation probability` a line."""
    found: dict[str, dict[str, float]] = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        cells = line.split("\t") if "\t" in line else line.split()
        where = f"{display_name(path)}, line {number}"
        if len(cells) not in (2, 3):
            raise FormatError(f"{len(cells)} fields", where=where, remedy="write word, translation and probability")
        try:
            value = float(cells[2]) if len(cells) == 3 else 1.0
        except ValueError:
            raise FormatError(f"{cells[2]!r} is not a probability", where=where) from None
        if not 0 <= value <= 1:
            raise FormatError(f"{cells[2]!r} is not a probability", where=where, remedy="from 0 to 1")
        entry = found.setdefault(cells[0].lower(), {})
        entry[cells[1].lower()] = max(value, entry.get(cells[1].lower(), 0.0))
    if not found:
        raise InputError("no translations", where=path)
    return found


@dataclass(kw_only=True, eq=False)
class WordTranslations(PairScorer):
    """Words that translate each other by a lexicon, texts in two languages."""

    name: ClassVar[str] = "word-translations"
    resources: ClassVar[tuple[str, ...]] = ("lexicon",)
    lexicon: str = setting("", "Lines of word, translation and probability, first language first.")
    least: float = setting(0.05, "Less probable translations do not count.", least=0, most=1)

    def _matches(self, pair: TextPair) -> tuple[list[tuple[str, ...]], list[list[int]], MonolingualAlignment]:
        """Words, the places that count, and matches, each word once, the most probable first."""
        if not self.lexicon:
            raise SettingError("word-translations needs a lexicon", remedy="give lexicon=FILE")
        table = _lexicon(self.lexicon)
        words = [cut(text) for text in pair.texts]
        places = [[at for at, word in enumerate(side) if not is_punctuation(word)] for side in words]
        candidates = []
        for i in places[0]:
            known = table.get(words[0][i].lower(), {})
            for j in places[1]:
                other = words[1][j].lower()
                # names and numbers are the same in both languages
                value = max(known.get(other, 0.0), float(words[0][i].lower() == other))
                if value >= max(self.least, 1e-9):
                    candidates.append((-value, abs(i - j), i + j, i, j))
        used: tuple[set[int], set[int]] = (set(), set())
        found = []
        for value, _, _, i, j in sorted(candidates):
            if i not in used[0] and j not in used[1]:
                used[0].add(i)
                used[1].add(j)
                same = words[0][i].lower() == words[1][j].lower()
                found.append(WordMatch(i, j, -value, "same" if same else "translation"))
        return words, places, MonolingualAlignment.of(found)

    @staticmethod
    def _shares(places: list[list[int]], alignment: MonolingualAlignment) -> list[float]:
        return [len(alignment) / len(side) if side else 0.0 for side in places]

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        found = [self._matches(pair)[1:] for pair in pairs]
        return np.array([harmonic_mean(*self._shares(*one)) for one in found], np.float64)

    def _explain(self, pair: TextPair) -> PairReasons:
        words, places, alignment = self._matches(pair)
        shares = self._shares(places, alignment)
        features = tuple(
            Contribution(f"translated words, {side}", share)
            for side, share in zip(("first", "second"), shares, strict=True)
        )
        return PairReasons(self.name, harmonic_mean(*shares), words[0], words[1], alignment, features)
