"""The joint model: the probability of each target word given the words before it and the source around it.

A phrase table knows a word's translation within a phrase, and a language model knows the words before it; neither sees
that the source word to the left was a verb. The joint model looks at all of these at once: the vectors of the target
words before a word and of the source words around the one that it is affiliated with go through one hidden layer to a
score for each word. An affiliated source word is the middle one of those that a word is linked to, or that of the
nearest neighbour that has links. Scores are trained to be log probabilities without being normalised, so that search
pays for one word, not for the vocabulary. (Devlin, Zbib, Huang, Lamar, Schwartz and Makhoul 2014.)

    >>> from dragoman.neural import train_joint_model
    >>> text = ["das haus", "ein haus", "das buch", "ein buch"] * 30
    >>> english = ["the house", "a house", "the book", "a book"] * 30
    >>> model = train_joint_model(text, english, ["0-0 1-1"] * 120, ["hidden=16", "vector=8"], threads=1)
    >>> good, bad = model.score(["das haus", "das haus"], ["the house", "a book"], ["0-0 1-1"] * 2)
    >>> bool(good > bad)
    True
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dragoman._native import neural as native
from dragoman.errors import InputError, LengthMismatch

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

__all__ = ["JointModel", "JointQuality", "reversed_links"]


@dataclass(frozen=True, slots=True)
class JointQuality:
    """How well a joint model predicts a text, in units.

    `perplexity` is that of normalised scores; `plain_perplexity` takes scores as they are. The logarithm of the sum of
    all exponentiated scores is 0 for probabilities: `log_sum` is its mean and `log_sum_deviation` its deviation.
    """

    words: int
    perplexity: float
    plain_perplexity: float
    log_sum: float
    log_sum_deviation: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "words": self.words,
            "perplexity": self.perplexity,
            "plain_perplexity": self.plain_perplexity,
            "log_sum": self.log_sum,
            "log_sum_deviation": self.log_sum_deviation,
        }


class JointModel:
    """A joint model to query, safe to share between threads."""

    def __init__(self, model: native.JointModel) -> None:
        self.native = model

    @classmethod
    def open(cls, path: Path | str) -> JointModel:
        """Read a file that `save` wrote; one that is damaged is refused."""
        return cls(native.JointModel.open(Path(path)))

    def save(self, path: Path | str) -> None:
        """Write it, with parameters of 16 bits."""
        self.native.save(Path(path))

    def __repr__(self) -> str:
        n = self.native
        return f"JointModel({n.source_units:,} and {n.target_units:,} units, {n.hidden} hidden)"

    def _text(self, source: Sequence[str], target: Sequence[str], links: Sequence[str]) -> native.JointText:
        if not len(source) == len(target) == len(links):
            raise LengthMismatch(
                f"{len(source)} source sentences, {len(target)} target sentences, {len(links)} lines of links"
            )
        return native.JointText(self.native, list(source), list(target), list(links))

    def require_text(self, source: Iterable[str], target: Iterable[str]) -> None:
        """Refuse text of which it knows less than half of the words: it is in other languages, or in other tokens."""
        for side, lines in (("source", source), ("target", target)):
            words = {word for line in lines for word in line.split()}
            known = sum(self.native.knows(word, target=side == "target") for word in words)
            if known * 2 < len(words):
                raise InputError(
                    f"a joint model of another text: of {len(words):,} {side} words it knows {known:,}",
                    remedy="take the one that was trained for these languages and this direction",
                )

    def evaluate(
        self, source: Sequence[str], target: Sequence[str], links: Sequence[str], *, threads: int = 0
    ) -> JointQuality:
        """How well it predicts tokenised sentence pairs; `links` are as in Pharaoh files, `0-0 1-2`."""
        return quality(self.native, self._text(source, target, links), threads)

    def score(
        self,
        source: Sequence[str],
        target: Sequence[str],
        links: Sequence[str],
        *,
        normalized: bool = False,
        threads: int = 0,
    ) -> NDArray[float64]:
        """The log probability of each target sentence, as search has it, or normalised."""
        text = self._text(source, target, links)
        scores = self.native.unit_scores(text, normalized=normalized, threads=threads).astype(np.float64)
        ends = np.cumsum([len(line.split()) + 1 for line in target], dtype=np.int64)
        sums = np.diff(np.concatenate([[0.0], np.cumsum(scores)])[np.concatenate([[0], ends])])
        shares = [sum(self.native.target_unit(word)[1] for word in line.split()) for line in target]
        return np.asarray(sums + np.array(shares))


def reversed_links(links: Iterable[str]) -> list[str]:
    """Links with their sides changed, for a model that predicts the source from the target.

    >>> reversed_links(["0-0 1-2"])
    ['0-0 2-1']
    """
    return [" ".join("-".join(reversed(link.split("-"))) for link in line.split()) for line in links]


def quality(model: native.JointModel, text: native.JointText, threads: int) -> JointQuality:
    """How well a native model predicts a text."""
    log_probability, score, log_sum, deviation, words = model.evaluate(text, threads)
    return JointQuality(words, math.exp(-log_probability), math.exp(-score), log_sum, deviation)
