"""Sampling of pairs for new similarity data: as many near ones as far ones, of every kind.

Pairs drawn at random are nearly all unrelated, and a set of them measures nothing. The shared tasks therefore drew
equal numbers from bands of string similarity (see `dragoman.text.strings`), and from each class of candidates: same
video and different video, paraphrase and not, same cluster of news and another (Agirre et al. 2012, 2013, 2014). A band
[low, low + width) takes pairs by the similarity of their texts. Where a band runs short, all of it is taken, the other
bands of its class give what is missing, and the report says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dragoman.errors import InputError, SettingError
from dragoman.seeds import stream
from dragoman.settings import check_argument
from dragoman.similarity.pairs import TextPair
from dragoman.text.strings import string_similarities

__all__ = ["BANDS_2012", "BandedSample", "PairCandidate", "banded_sample"]

BANDS_2012 = (0.4, 0.5, 0.6, 0.7, 0.8)
"""Lower ends of the five bands, each a tenth wide, that the paraphrases of 2012 were drawn from."""


@dataclass(frozen=True, slots=True)
class PairCandidate:
    """A pair that may be drawn, and its class."""

    pair: TextPair
    kind: str = ""


@dataclass(frozen=True)
class BandedSample:
    """The pairs drawn, in the order of the candidates, and how many by class and band."""

    candidates: tuple[PairCandidate, ...]
    similarities: tuple[float, ...]
    drawn: Mapping[tuple[str, float], int]
    wanted: int
    short: tuple[tuple[str, float], ...]
    """Classes and bands that had fewer than their share."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, without the texts."""
        cells = [{"class": kind, "band": band, "pairs": count} for (kind, band), count in self.drawn.items()]
        short = [{"class": kind, "band": band} for kind, band in self.short]
        return {"pairs": len(self.candidates), "wanted": self.wanted, "cells": cells, "short": short}


def banded_sample(
    candidates: Sequence[PairCandidate],
    size: int,
    *,
    bands: Sequence[float] = BANDS_2012,
    width: float = 0.1,
    max_tokens: int = 0,
    min_ratio: float = 0.0,
    seed: int = 1,
    threads: int = 0,
) -> BandedSample:
    """Draw `size` pairs, equal numbers of each class and band.

    `max_tokens` leaves out longer texts (0: none), `min_ratio` pairs whose shorter text has less than that share of the
    words of the longer: a length bias is why entailment pairs make poor similarity data (Agirre et al. 2012).
    """
    check_argument("size", size, int, least=1)
    check_argument("width", width, float, above=0, most=1)
    check_argument("min_ratio", min_ratio, float, least=0, most=1)
    if not bands or sorted(set(bands)) != list(bands) or not 0 <= bands[0] <= bands[-1] <= 1:
        raise SettingError(f"bands {list(bands)}", remedy="give lower ends from 0 to 1, in order")
    usable = [at for at, one in enumerate(candidates) if _fits(one.pair, max_tokens, min_ratio)]
    texts = [[candidates[at].pair.texts[side] for at in usable] for side in (0, 1)]
    values = string_similarities(texts[0], texts[1], threads=threads)
    places = np.searchsorted(np.asarray(bands), values + 1e-12, side="right") - 1
    cells: dict[tuple[str, float], list[int]] = {
        (kind, band): [] for kind in dict.fromkeys(one.kind for one in candidates) for band in bands
    }
    for at, place, value in zip(usable, places.tolist(), values.tolist(), strict=True):
        if (place >= 0 and value < bands[place] + width - 1e-12) or (place == len(bands) - 1 and value == 1):
            cells[candidates[at].kind, bands[place]].append(at)
    if not any(cells.values()):
        raise InputError("no candidate lies in any band", remedy="choose other bands, or give more candidates")
    shares = _shares(size, cells)
    draws = stream(seed, "banded-sample")
    taken: list[int] = []
    drawn: dict[tuple[str, float], int] = {}
    for cell, members in cells.items():
        count = min(shares[cell], len(members))
        chosen = draws.permutation(len(members))[:count]
        taken += [members[at] for at in chosen.tolist()]
        drawn[cell] = count
    known = dict(zip(usable, values.tolist(), strict=True))
    fair = size / len(cells)
    return BandedSample(
        tuple(candidates[at] for at in sorted(taken)),
        tuple(known[at] for at in sorted(taken)),
        drawn,
        size,
        tuple(cell for cell, members in cells.items() if len(members) < int(fair)),
    )


def _shares(size: int, cells: Mapping[tuple[str, float], Sequence[int]]) -> dict[tuple[str, float], int]:
    """How many each cell gives: equal shares, what a band lacks from the other bands of its class."""
    kinds = list(dict.fromkeys(kind for kind, _ in cells))
    shares: dict[tuple[str, float], int] = {}
    for number, kind in enumerate(kinds):
        own = [cell for cell in cells if cell[0] == kind]
        left = size // len(kinds) + (number < size % len(kinds))
        open_cells = list(own)
        shares |= dict.fromkeys(own, 0)
        while left and open_cells:
            for at, cell in enumerate(list(open_cells)):
                part = left // len(open_cells) + (at < left % len(open_cells))
                shares[cell] += part
            left = 0
            for cell in list(open_cells):
                if shares[cell] > len(cells[cell]):
                    left += shares[cell] - len(cells[cell])
                    shares[cell] = len(cells[cell])
                if shares[cell] == len(cells[cell]):
                    open_cells.remove(cell)
    return shares


def _fits(pair: TextPair, max_tokens: int, min_ratio: float) -> bool:
    lengths = sorted(len(text.split()) for text in pair.texts)
    if lengths[0] == 0 or (max_tokens and lengths[1] > max_tokens):
        return False
    return lengths[0] >= min_ratio * lengths[1]
