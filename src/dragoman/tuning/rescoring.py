"""Re-scoring of n-best lists: features that need the whole translation, and the best candidate under new weights.

Some things can be said of a translation only when it is there: what a parser makes of it, say. They are added to lists
that a decoder wrote, weights are learnt for old and new features together (`dragoman.tuning.given_lists`), and the
candidate that scores best is the translation. A source of such features has a method `values` that gives, for texts,
their features by name.

    >>> class Lengths:
    ...     def values(self, texts, *, threads=0):
    ...         return [{"length": float(len(text.split()))} for text in texts]
    >>> lists = [RankedText(0, "a house", {"lm": -3.0}, -3.0), RankedText(0, "the house", {"lm": -2.5}, -2.5)]
    >>> [found.features for found in with_features(lists, [Lengths()])]
    [{'lm': -3.0, 'length': 2.0}, {'lm': -2.5, 'length': 2.0}]
    >>> best_texts(lists, {"lm": 1.0})
    ['the house']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from dragoman.errors import InputError
from dragoman.features.weights import Weights
from dragoman.files import writing
from dragoman.neural.joint_model import JointModel, reversed_links
from dragoman.search.nbest import moses_line
from dragoman.tuning.nbest import read_candidates

__all__ = [
    "RankedText",
    "TextFeatures",
    "best_texts",
    "read_ranked",
    "scored_by",
    "with_features",
    "with_joint_scores",
    "write_ranked",
]


class TextFeatures(Protocol):
    """What can say something about a finished translation."""

    def values(self, texts: Sequence[str], *, threads: int = 0) -> list[dict[str, float]]:
        """The features of each tokenised text."""
        ...


@dataclass(frozen=True, slots=True)
class RankedText:
    """A candidate of an n-best list: the number of its sentence, its text, features and score.

    `links` are those of its words, `0-0 1-2`, or None if the list has none.
    """

    sentence: int
    text: str
    features: Mapping[str, float]
    score: float
    links: str | None = None


def read_ranked(path: Path | str) -> list[RankedText]:
    """The candidates of Moses n-best lists; a line without a score has the score 0."""
    return [RankedText(*found) for found in read_candidates(path)]


def write_ranked(candidates: Iterable[RankedText], path: Path | str) -> None:
    """Write Moses n-best lists; `-` is standard output."""
    with writing(path) as file:
        for each in candidates:
            names = list(each.features)
            more = [] if each.links is None else [each.links]
            file.write(moses_line(each.sentence, each.text, each.features, each.score, names=names, more=more) + "\n")


def with_features(
    candidates: Sequence[RankedText], sources: Sequence[TextFeatures], *, threads: int = 0
) -> list[RankedText]:
    """The candidates with more features; a text that comes several times is looked at once."""
    texts = list(dict.fromkeys(each.text for each in candidates))
    found: dict[str, dict[str, float]] = {text: {} for text in texts}
    for source in sources:
        for text, values in zip(texts, source.values(texts, threads=threads), strict=True):
            found[text].update(values)
    for each in candidates:
        twice = set(each.features) & set(found[each.text])
        if twice:
            raise InputError(
                f"the lists have the feature {min(twice)!r} already",
                remedy="start from the lists that the decoder wrote",
            )
    return [replace(each, features={**each.features, **found[each.text]}) for each in candidates]


def with_joint_scores(
    candidates: Sequence[RankedText],
    source: Sequence[str],
    model: JointModel,
    *,
    name: str = "joint",
    reverse: bool = False,
    threads: int = 0,
) -> list[RankedText]:
    """The candidates with what a joint model says of them, normalised, as one more feature.

    A model that was trained in `reverse` predicts the source from the target around each word, of which search has
    written only the beginning; so it can be asked about finished translations alone (Devlin et al. 2014). `source` are
    the tokenised sentences; candidates must have links.
    """
    for each in candidates:
        if each.links is None:
            raise InputError(
                f"a candidate of sentence {each.sentence} has no word links",
                remedy="write lists with them: dragoman decode --nbest 100 --segments",
            )
        if each.sentence >= len(source):
            raise InputError(f"lists of sentence {each.sentence}, and a source text of {len(source)} lines")
        if name in each.features:
            raise InputError(
                f"the lists have the feature {name!r} already", remedy="start from the lists that the decoder wrote"
            )
    sides = [source[each.sentence] for each in candidates], [each.text for each in candidates]
    links = [each.links or "" for each in candidates]
    predicted = (sides[1], sides[0], reversed_links(links)) if reverse else (*sides, links)
    model.require_text(predicted[0], predicted[1])
    values = model.score(*predicted, normalized=True, threads=threads)
    return [
        replace(each, features={**each.features, name: float(value)})
        for each, value in zip(candidates, values, strict=True)
    ]


def scored_by(candidates: Iterable[RankedText], weights: Mapping[str, float]) -> list[RankedText]:
    """The candidates with scores by these weights, each list sorted, best first; equal ones stay as they were."""
    given = list(candidates)
    dense = {name: value for name, value in weights.items() if ":" not in name}  # sparse ones need not fire
    Weights(dense).require_known({name for each in given for name in each.features})
    scored = [
        replace(each, score=sum(weights.get(name, 0.0) * value for name, value in each.features.items()))
        for each in given
    ]
    return sorted(scored, key=lambda each: (each.sentence, -each.score))


def best_texts(candidates: Iterable[RankedText], weights: Mapping[str, float]) -> list[str]:
    """The text that scores best, of each sentence up to the last that has a list; an empty list gives an empty text."""
    best: dict[int, str] = {}
    for each in scored_by(candidates, weights):
        best.setdefault(each.sentence, each.text)
    return [best.get(number, "") for number in range(max(best, default=-1) + 1)]
