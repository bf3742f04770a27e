"""Transliteration: names written in the letters of another script.

Learned from pairs of names: letters of one side stand for letters of the other, one or two for up to two at a time and
always in order, which expectation maximisation finds (Jiampojamarn, Kondrak and Sherif 2007). A name is then rewritten
by the most probable pieces, with a language model over the letters of the other side.

    >>> pairs = [("петр", "petr"), ("тор", "tor"), ("порт", "port"), ("ретро", "retro"), ("топор", "topor")]
    >>> Transliterator.train(pairs).best("перо")[0].target
    'pero'
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dragoman.align.alignment import Alignment
from dragoman.errors import InputError
from dragoman.lm import NgramModel, estimate
from dragoman.settings import check_argument
from dragoman.text.scripts import scripts

__all__ = ["Transliteration", "Transliterator", "name_pairs"]

_MOST = 2  # letters of a piece on either side
_SHAPES = {(1, 1): 1.0, (1, 2): 0.05, (2, 1): 0.05, (1, 0): 0.01}
"""Letters of a piece on both sides, and what such a piece weighs before anything is learned: most stand for one."""

Piece = tuple[str, str]


class Transliteration(NamedTuple):
    """A name in other letters, and how probable it is among those that were found."""

    target: str
    probability: float


def name_pairs(
    source: Iterable[str], target: Iterable[str], alignments: Iterable[Alignment | str], *, min_length: int = 3
) -> list[tuple[str, str]]:
    """Pairs of words in different scripts that are linked to each other alone, with a capital where there are any."""
    found: dict[tuple[str, str], None] = {}
    for first, second, links in zip(source, target, alignments, strict=True):
        tokens, others = first.split(), second.split()
        points = list(links if isinstance(links, Alignment) else Alignment.parse(links))
        for i, j in points:
            alone = sum(a == i for a, _ in points) == 1 and sum(b == j for _, b in points) == 1
            if not alone or i >= len(tokens) or j >= len(others):
                continue
            one, other = tokens[i], others[j]
            capital = one[:1].isupper() or other[:1].isupper()
            letters = min(len(one), len(other)) >= min_length and one.isalpha() and other.isalpha()
            if capital and letters and not scripts(one).keys() & scripts(other).keys():
                found[one.lower(), other.lower()] = None
    return list(found)


class Transliterator:
    """Probabilities of pieces, and a model of the letters of the other side."""

    def __init__(self, pieces: dict[Piece, float], letters: NgramModel) -> None:
        self.letters = letters
        self.choices: dict[str, list[tuple[str, float]]] = {}
        sums: dict[str, float] = {}
        for (source, _), value in pieces.items():
            sums[source] = sums.get(source, 0.0) + value
        for (source, target), value in sorted(pieces.items()):
            self.choices.setdefault(source, []).append((target, math.log(value / sums[source])))

    @classmethod
    def train(cls, pairs: Sequence[tuple[str, str]], *, rounds: int = 10, order: int = 4) -> Transliterator:
        """Learn from pairs of names."""
        if not pairs:
            raise InputError("no pairs of names to learn from", remedy="see name_pairs")
        check_argument("rounds", rounds, int, least=1)
        weights: dict[Piece, float] = {}
        for _ in range(rounds):
            counts: dict[Piece, float] = {}
            for source, target in pairs:
                _expect(source, target, weights, counts)
            total = sum(counts.values())
            if not total:
                raise InputError("no pair can be aligned letter by letter", remedy="give pairs of similar length")
            weights = {piece: value / total for piece, value in counts.items() if value / total > 1e-9}
        letters = estimate([" ".join(target) for _, target in pairs], order=order).build()
        return cls(weights, letters)

    def best(self, name: str, *, top: int = 5, beam: int = 50) -> list[Transliteration]:
        """The most probable spellings; none for a name with letters that were never seen."""
        name = name.lower()
        states: list[dict[str, float]] = [{} for _ in range(len(name) + 1)]
        states[0][""] = 0.0
        for at in range(len(name)):
            ranked = sorted(states[at].items(), key=lambda entry: (-entry[1], entry[0]))[:beam]
            for spelled, score in ranked:
                for size in range(1, min(_MOST, len(name) - at) + 1):
                    for piece, value in self.choices.get(name[at : at + size], ()):
                        made = spelled + piece
                        if score + value > states[at + size].get(made, -math.inf):
                            states[at + size][made] = score + value
        found = sorted(states[-1].items(), key=lambda entry: (-entry[1], entry[0]))[: max(beam, top)]
        found = [(spelled, score) for spelled, score in found if spelled]
        if not found:
            return []
        scores = self.letters.score([" ".join(spelled) for spelled, _ in found], threads=1)
        together = [score + float(other) for (_, score), other in zip(found, scores, strict=True)]
        highest = max(together)
        whole = sum(math.exp(score - highest) for score in together)
        ranked_names = sorted(
            (
                Transliteration(spelled, math.exp(score - highest) / whole)
                for (spelled, _), score in zip(found, together, strict=True)
            ),
            key=lambda entry: (-entry.probability, entry.target),
        )
        return ranked_names[:top]


def _expect(source: str, target: str, weights: dict[Piece, float], counts: dict[Piece, float]) -> None:
    """Add the expected counts of the pieces of one pair (forward-backward over all ways to cut both sides)."""
    rows, columns = len(source) + 1, len(target) + 1

    def weight(piece: Piece) -> float:
        return weights.get(piece, 0.0) if weights else _SHAPES[len(piece[0]), len(piece[1])]

    def steps(i: int, j: int) -> list[tuple[int, int]]:
        return [(i + a, j + b) for a, b in _SHAPES if i + a < rows and j + b < columns]

    forward = [[0.0] * columns for _ in range(rows)]
    backward = [[0.0] * columns for _ in range(rows)]
    forward[0][0] = backward[-1][-1] = 1.0
    for i in range(rows):
        for j in range(columns):
            for k, m in steps(i, j) if forward[i][j] else ():
                forward[k][m] += forward[i][j] * weight((source[i:k], target[j:m]))
    whole = forward[-1][-1]
    if not whole:
        return
    for i in reversed(range(rows)):
        for j in reversed(range(columns)):
            for k, m in steps(i, j):
                backward[i][j] += backward[k][m] * weight((source[i:k], target[j:m]))
    for i in range(rows):
        for j in range(columns):
            for k, m in steps(i, j) if forward[i][j] else ():
                piece = (source[i:k], target[j:m])
                value = forward[i][j] * weight(piece) * backward[k][m] / whole
                if value > 1e-12:
                    counts[piece] = counts.get(piece, 0.0) + value
