"""Synthetic language pairs: as much parallel text as one wants, with everything known about it.

A small synchronous grammar says the same abstract sentences in English and in another language, so that raw text,
tokens, word alignment, both kinds of trees, predicate-argument frames, idioms, word senses and further references all
come from one derivation and are right by construction. Item `i` depends on the pair, the seed and `i` alone.

    >>> from dragoman.text import synthetic
    >>> pair = synthetic.pair("en-de")
    >>> item = pair.item(452)
    >>> item.source.text, item.target.text
    ('Every morning, Rosa kicks the bucket.', 'Jeden Morgen gibt Rosa den Löffel ab.')
    >>> item.idioms
    (Idiom(name='kick the bucket', source=(4, 5, 6), target=(2, 4, 5, 6)),)
"""

from __future__ import annotations

from dragoman.registry import Registry
from dragoman.text.synthetic.item import Ambiguity, Idiom, Side, SyntheticItem
from dragoman.text.synthetic.pair import Pair, Splits

__all__ = ["PAIRS", "Ambiguity", "Idiom", "Pair", "Side", "Splits", "SyntheticItem", "pair", "splits"]

PAIRS = Registry[Pair](
    "pair",
    {
        "en-de": "dragoman.text.synthetic.pair:EnglishGerman",
        "en-qsv": "dragoman.text.synthetic.pair:EnglishSarvi",
    },
)


def pair(name: str) -> Pair:
    """The language pair of this name."""
    return PAIRS.get(name)()


def splits(
    chosen: Pair | str, *, train: int, dev: int = 0, test: int = 0, seed: int = 1, references: int = 1
) -> Splits:
    """Disjoint train, dev and test sets of a pair."""
    found = pair(chosen) if isinstance(chosen, str) else chosen
    return found.splits(train=train, dev=dev, test=test, seed=seed, references=references)
