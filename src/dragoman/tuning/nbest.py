"""n-best lists of a dev set, merged over iterations, as flat arrays.

A tuner that only saw the lists of the last iteration would forget what it learned to avoid; so lists accumulate, and a
candidate that comes again is kept once (by its text and its features rounded to 1e-6). Features are a sparse matrix
with a table of names, metric statistics a dense one with a row per different text. The lists live in native memory;
what loops over candidates does so there.

    >>> from dragoman.tuning.dev import DevSet
    >>> pool = NBestPool(DevSet.of(["das Haus"], ["the house"], "bleu:order=2,smooth=none"))
    >>> pool.add([(0, "the house", {"lm": -2.0}), (0, "the home", {"lm": -3.0}), (0, "the house", {"lm": -2.0})])
    2
    >>> pool.score({"lm": 1.0}), pool.score({"lm": -1.0})
    (1.0, 0.0)
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman._native import tuning as native
from dragoman._native.common import Vocabulary
from dragoman.errors import FormatError, InputError
from dragoman.features.weights import Weights
from dragoman.files import read_lines, writing
from dragoman.forest import KBestLists
from dragoman.metrics.base import Floats, Metric
from dragoman.metrics.references import References, ReferenceText
from dragoman.search.translation import SentenceTranslation
from dragoman.tuning.dev import DevSet
from dragoman.tuning.families import is_fixed

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["EmptyLists", "Lists", "NBestPool", "ScoredText", "read_candidates", "read_scored"]

MOST_MISSING = 100_000
"""Sentences in a row that may lack a list; a number that is further ahead is a slip."""


class EmptyLists(UserWarning):
    """Sentences without a single candidate."""


@dataclass(frozen=True, slots=True)
class Lists:
    """All candidates as flat arrays: list `i` is rows `starts[i]` to `starts[i + 1]` of every other array."""

    starts: NDArray[np.int64]
    features: csr_matrix = field(repr=False)
    statistics: Floats = field(repr=False)
    texts: NDArray[np.int64] = field(repr=False)
    """Which of the different texts, over all sentences, a candidate derives."""

    @property
    def sentences(self) -> NDArray[np.int64]:
        """The sentence of each candidate."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


class NBestPool:
    """Merged n-best lists; feature ids are places in weight vectors (`vector`, `weights`)."""

    def __init__(self, dev: DevSet) -> None:
        self.dev = dev
        self.native = native.Pool(len(dev), dev.metric.width)

    def __len__(self) -> int:
        """The number of candidates."""
        return self.native.candidates

    def __repr__(self) -> str:
        return f"<NBestPool of {len(self)} candidates for {len(self.dev)} sentences>"

    @property
    def names(self) -> list[str]:
        """Names of the features by id; id 0 is none."""
        return [self.native.name(index) for index in range(self.native.features)]

    def add_translations(
        self,
        translations: Sequence[SentenceTranslation],
        *,
        nbest: int,
        distinct: bool = False,
        sentences: Sequence[int] | None = None,
        threads: int = 0,
    ) -> int:
        """Add the best derivations of each forest; returns how many were new.

        `sentences` are the numbers of the translated sentences, each once; all of the dev set if None. With `distinct`
        only the best derivation of each text is taken.
        """
        numbers = list(range(len(self.dev)) if sentences is None else sentences)
        if len(numbers) != len(translations) or len(set(numbers)) != len(numbers):
            raise InputError(f"{len(translations)} translations for {len(set(numbers))} different sentences")
        forests = [translation.forest for translation in translations]
        added = 0
        # Decoders share one vocabulary of features; forests from elsewhere may each have their own.
        vocabularies = {id(forest.features): forest.features for forest in forests}
        for key, features in vocabularies.items():
            chosen = [place for place, forest in enumerate(forests) if id(forest.features) == key]
            lists = KBestLists.of_forests(
                [forests[place] for place in chosen], nbest=nbest, distinct=distinct, threads=threads
            )
            added += self.add_lists(lists, features, [numbers[place] for place in chosen], threads=threads)
        return added

    def add_lists(self, lists: KBestLists, features: Vocabulary, sentences: Sequence[int], *, threads: int = 0) -> int:
        """Add a list to each of these sentences, with feature ids of that vocabulary; returns how many were new."""
        added = self.native.add_lists(
            list(sentences),
            lists.lists,
            lists.rows,
            lists.ids,
            lists.values,
            lists.text_of,
            lists.texts,
            features=features,
            threads=threads,
        )
        self._measure(threads)
        return added

    def add(self, candidates: Iterable[tuple[int, str, Mapping[str, float]]]) -> int:
        """Add candidates given as sentence number, text and features; returns how many were new."""
        added = 0
        for sentence, text, features in candidates:
            ids = np.array([self.native.intern(name) for name in features], dtype=np.uint32)
            values = np.array(list(features.values()), dtype=np.float64)
            added += self.native.add(sentence, text, ids, values)
        self._measure(1)
        return added

    def _measure(self, threads: int) -> None:
        sentences, texts = self.native.pending()
        self.native.set_statistics(self.dev.statistics(sentences, texts, threads=threads))

    # Weight vectors by feature id.

    def vector(self, weights: Mapping[str, float]) -> Floats:
        """Weights as an array by feature id; names that no candidate has get a place too."""
        ids = {self.native.intern(name): value for name, value in weights.items()}
        vector = np.zeros(self.native.features)
        vector[list(ids)] = list(ids.values())
        return vector

    def weights(self, vector: Floats, *, keep: Iterable[str] = ()) -> Weights:
        """An array by feature id as weights: those that are not 0, and those named in `keep`."""
        kept = dict.fromkeys(keep, 0.0)
        kept.update({self.native.name(int(index)): float(vector[index]) for index in np.flatnonzero(vector)})
        return Weights(kept)

    def fixed(self, names: Collection[str], size: int) -> NDArray[np.uint8]:
        """A flag per feature: 1 for those that must keep their weight, by themselves or with their family."""
        flags = np.zeros(size, dtype=np.uint8)
        if names:
            flags[:] = [is_fixed(self.native.name(index), names) for index in range(size)]
        return flags

    # What the lists say.

    def statistics(self, weights: Mapping[str, float], *, threads: int = 0) -> Floats:
        """Sum of the statistics of the candidates that score best."""
        return self.native.best_statistics(self.vector(weights), threads=threads)

    def score(self, weights: Mapping[str, float], *, threads: int = 0) -> float:
        """The metric of the candidates that score best."""
        return self.dev.metric.score(self.statistics(weights, threads=threads))

    def lists(self) -> Lists:
        """Everything as flat arrays, copied."""
        from scipy.sparse import csr_matrix

        starts, rows, ids, values, _, texts, statistics = self.native.arrays()
        shape = (len(rows) - 1, self.native.features)
        return Lists(starts, csr_matrix((values, ids.astype(np.int32), rows), shape=shape), statistics[texts], texts)

    def candidates(self) -> Iterator[tuple[int, str, dict[str, float]]]:
        """Each candidate: sentence number, text, features."""
        starts, rows, ids, values, first_texts, texts, _ = (part.tolist() for part in self.native.arrays())
        names = self.names
        for sentence in range(len(self.dev)):
            strings = self.native.strings(sentence)
            for row in range(starts[sentence], starts[sentence + 1]):
                part = slice(rows[row], rows[row + 1])
                features = {names[index]: value for index, value in zip(ids[part], values[part], strict=True)}
                yield sentence, strings[texts[row] - first_texts[sentence]], features

    # The n-best format of Moses: `sentence ||| text ||| name= value ... ||| score`.

    def save(self, path: Path | str, weights: Mapping[str, float] | None = None) -> None:
        """Write Moses n-best lists; the score is that of `weights`."""
        given = weights or {}
        with writing(path) as file:
            for sentence, text, features in self.candidates():
                values = " ".join(f"{name}= {value!r}" for name, value in features.items())
                score = sum(given.get(name, 0.0) * value for name, value in features.items())
                file.write(f"{sentence} ||| {text} ||| {values} ||| {score!r}\n")

    @staticmethod
    def of_moses(
        paths: Iterable[Path | str],
        references: ReferenceText,
        metric: str | Metric = "bleu",
        *,
        threads: int = 0,
    ) -> NBestPool:
        """Lists from files, merged, with tokenised references; sentences that have no candidate are left out, and a
        warning says how many."""
        given = References.of(references)
        given.require_segments()
        candidates = [found for path in paths for found in _moses_candidates(path, given.segments)]
        kept = sorted({sentence for sentence, _, _ in candidates})
        missing = given.segments - len(kept)
        if not kept:
            raise InputError("lists without candidates")
        if missing:
            said = f"{missing:,} of {given.segments:,} sentences have no candidates, and are left out"
            warnings.warn(said, EmptyLists, stacklevel=2)
        dev = DevSet.of([str(sentence) for sentence in kept], given.part(kept), metric, threads=threads)
        pool = NBestPool(dev)
        places = {sentence: place for place, sentence in enumerate(kept)}
        pool.add((places[sentence], text, features) for sentence, text, features in candidates)
        return pool

    def load(self, path: Path | str) -> int:
        """Add candidates from Moses n-best lists; several values under one name become `name_1`, `name_2`, ..."""
        return self.add(_moses_candidates(path, len(self.dev)))


class ScoredText(NamedTuple):
    """A candidate without its reasons."""

    text: str
    score: float


def read_scored(path: Path | str, *, most: int | None = None) -> list[list[ScoredText]]:
    """Texts and scores of Moses n-best lists, by sentence; of each list the first `most`, if that is given.

    A sentence that has no candidate in the file has an empty list.
    """
    lists: list[list[ScoredText]] = []
    for where, sentence, fields in _moses_lines(path, least=4):
        if sentence > len(lists) + MOST_MISSING:
            raise FormatError(f"sentence {sentence} after {len(lists)} others", where=where)
        lists.extend([] for _ in range(sentence + 1 - len(lists)))
        if most is None or len(lists[sentence]) < most:
            score = _number(fields[3], where)
            if not np.isfinite(score):
                raise FormatError(f"the score is {fields[3]}", where=where)
            lists[sentence].append(ScoredText(fields[1].replace("&#124;", "|"), score))
    return lists


def read_candidates(path: Path | str) -> Iterator[tuple[int, str, dict[str, float], float, str | None]]:
    """Sentence number, text, features, score and links of each line of Moses n-best lists.

    Without a score it is 0; without links, the last field if it has no `=`, they are None.
    """
    for where, sentence, fields in _moses_lines(path, least=3):
        score = _number(fields[3], where) if len(fields) > 3 else 0.0
        links = fields[-1] if len(fields) > 4 and "=" not in fields[-1] else None
        yield sentence, fields[1].replace("&#124;", "|"), _moses_features(fields[2], where), score, links


def _moses_lines(path: Path | str, *, least: int) -> Iterator[tuple[str, int, list[str]]]:
    """Where a line is, the number of its sentence, and its fields."""
    for number, line in enumerate(read_lines(path), 1):
        where = f"{path}, line {number}"
        fields = [part.strip() for part in line.split("|||")]
        if len(fields) < least:
            raise FormatError("not an n-best line", where=where, remedy="write `id ||| text ||| name= value ||| score`")
        if not fields[0].isdecimal() or len(fields[0]) > 18:
            raise FormatError(f"no sentence {fields[0]!r}", where=where, remedy="number them from 0")
        yield where, int(fields[0]), fields


def _moses_candidates(path: Path | str, sentences: int) -> Iterator[tuple[int, str, dict[str, float]]]:
    for where, sentence, fields in _moses_lines(path, least=3):
        if sentence >= sentences:
            raise FormatError(f"no sentence {fields[0]!r} among {sentences}", where=where)
        yield sentence, fields[1], _moses_features(fields[2], where)


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise FormatError(f"{text!r} is not a number", where=where) from None


def _moses_features(text: str, where: str) -> dict[str, float]:
    groups: list[tuple[str, list[float]]] = []
    for item in text.split():
        if item.endswith("="):
            groups.append((item[:-1], []))
            continue
        value = _number(item, where)
        if not groups:
            raise FormatError("a value before the first name", where=where, remedy="write `name= value`")
        if not np.isfinite(value):
            raise FormatError(f"the feature {groups[-1][0]!r} is {item}", where=where)
        groups[-1][1].append(value)
    features: dict[str, float] = {}
    for name, values in groups:
        for place, value in enumerate(values, 1):
            full = name if len(values) == 1 else f"{name}_{place}"
            if full in features:
                raise FormatError(f"a second value of {full!r}", where=where)
            features[full] = value
    return features
