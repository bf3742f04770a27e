"""Profiles: words and phrases as what they are seen with, and how alike two of them are.

A profile is a row of contexts with the strength of each; phrases with similar profiles mean similar things, or opposite
ones (Harris 1954; Lin 1998). Profiles keep the text they were made from, so that a likeness can be explained by
contexts and by sentences.

    >>> profiles = Profiles.train(["the cat sat", "the dog sat", "a dog ran"], window=1, min_count=1)
    >>> profiles.nearest("cat", k=1)
    [Neighbor(phrase='dog', value=0.119...)]
    >>> [context for context, _ in profiles.shared("cat", "dog")]
    ['the', 'sat']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, load_npz, save_npz, vstack

from dragoman.bundle import Bundle, Provenance, writing_bundle
from dragoman.errors import FormatError, InputError, UnknownName
from dragoman.files import read_lines
from dragoman.semantics.association import Association
from dragoman.semantics.cooccurrence import ContextSpace, ContextWitness, promiscuous
from dragoman.semantics.neighbor import Neighbor
from dragoman.semantics.similarity import Similarity
from dragoman.text.index import CorpusIndex

__all__ = ["Profiles"]

KIND = "profiles"


class Profiles:
    """Profiles of a list of phrases, with one way to weigh contexts and one to compare."""

    def __init__(
        self,
        space: ContextSpace,
        phrases: Sequence[str],
        matrix: csr_matrix,
        *,
        association: Association,
        similarity: Similarity,
    ) -> None:
        self.space, self.phrases, self.matrix = space, tuple(phrases), matrix
        self.association, self.similarity_settings = association, similarity

    @classmethod
    def train(
        cls,
        lines: Iterable[str] | CorpusIndex,
        *,
        window: int = 5,
        positional: bool = False,
        association: Association | str = "llr",
        similarity: Similarity | str = "cosine",
        min_count: int = 5,
        stoplist_threshold: int = 2000,
        stoplist_least: float = 1,
        threads: int = 0,
    ) -> Profiles:
        """Profiles of all words of a tokenised text that occur at least `min_count` times."""
        index = lines if isinstance(lines, CorpusIndex) else CorpusIndex.build(lines, threads=threads)
        stoplist = promiscuous(
            index, window=window, threshold=stoplist_threshold, least=stoplist_least, threads=threads
        )
        space = ContextSpace(index, window=window, positional=positional, stoplist=stoplist, threads=threads)
        counts = index.native.counts()
        words = [index.native.word(int(word)) for word in np.flatnonzero(counts >= max(1, min_count))]
        return cls.of(space, words, association=association, similarity=similarity)

    @classmethod
    def of(
        cls,
        space: ContextSpace,
        phrases: Sequence[str],
        *,
        association: Association | str = "llr",
        similarity: Similarity | str = "cosine",
    ) -> Profiles:
        """Profiles of these words and phrases."""
        if isinstance(association, str):
            association = Association(measure=association)
        if isinstance(similarity, str):
            similarity = Similarity(measure=similarity)
        matrix = association.apply(space.count(phrases))
        return cls(space, phrases, matrix, association=association, similarity=similarity)

    def save(self, path: Path | str, *, provenance: Provenance | None = None) -> None:
        """Write a bundle."""
        settings = {
            "contexts": self.space.settings(),
            "association": self.association.to_dict(),
            "similarity": self.similarity_settings.to_dict(),
        }
        with writing_bundle(path, kind=KIND, settings=settings, provenance=provenance) as folder:
            self.space.index.save(folder / "corpus.index")
            save_npz(folder / "profiles.npz", self.matrix)
            (folder / "phrases.txt").write_text("".join(f"{phrase}\n" for phrase in self.phrases), "utf-8")

    @classmethod
    def open(cls, path: Path | str, *, threads: int = 0) -> Profiles:
        """Open a bundle."""
        bundle = Bundle.open(path, kind=KIND)
        given: dict[str, Any] = dict(bundle.settings)
        try:
            index = CorpusIndex.open(bundle.file("corpus.index"))
            space = ContextSpace(index, threads=threads, **given["contexts"])
            association = Association.from_dict(given["association"], where=str(path))
            similarity = Similarity.from_dict(given["similarity"], where=str(path))
            matrix = csr_matrix(load_npz(bundle.file("profiles.npz")))
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"damaged profiles: {error}", where=str(path), remedy="build them again") from None
        phrases = list(read_lines(bundle.file("phrases.txt")))
        if matrix.shape != (len(phrases), space.width):
            raise FormatError("profiles and phrases do not fit", where=str(path), remedy="build them again")
        return cls(space, phrases, matrix, association=association, similarity=similarity)

    def __len__(self) -> int:
        return len(self.phrases)

    def __contains__(self, phrase: str) -> bool:
        return phrase in self._rows

    def __repr__(self) -> str:
        return f"Profiles({len(self):,} phrases, {self.association.measure}, {self.similarity_settings.measure})"

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {phrase: number for number, phrase in enumerate(self.phrases)}

    def profile(self, phrase: str) -> csr_matrix:
        """The row of a phrase; what is not in the list is counted now."""
        if phrase in self._rows:
            return self.matrix[self._rows[phrase]]
        return self.association.apply(self.space.count([phrase]))

    def contexts(self, phrase: str, *, limit: int | None = None) -> dict[str, float]:
        """Contexts of a phrase with their strengths, the strongest first."""
        return dict(list(self.space.spell_row(self.profile(phrase)).items())[:limit])

    def similarity(self, first: str, second: str) -> float:
        """How alike two phrases are; an unseen phrase is like nothing (0, or the greatest distance)."""
        return float(self.similarities([(first, second)])[0])

    def similarities(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The same for many pairs."""
        if not pairs:
            return np.zeros(0)
        needed = list(dict.fromkeys(phrase for pair in pairs for phrase in pair))
        row = {phrase: number for number, phrase in enumerate(needed)}
        matrix = csr_matrix(vstack([self.profile(phrase) for phrase in needed]))
        first, second = (matrix[[row[pair[side]] for pair in pairs]] for side in (0, 1))
        return self.similarity_settings.pairs(first, second)

    def nearest(self, phrase: str, *, k: int = 20) -> list[Neighbor]:
        """The phrases of the list most like a phrase."""
        return self.nearest_of([phrase], k=k)[0]

    def nearest_of(self, phrases: Sequence[str], *, k: int = 20) -> list[list[Neighbor]]:
        """The same for many phrases."""
        if not phrases:
            return []
        queries = csr_matrix(vstack([self.profile(phrase) for phrase in phrases]))
        own = np.array([self._rows.get(phrase, -1) for phrase in phrases], np.int32)
        found = self.similarity_settings.nearest(queries, self.matrix, k=k, own=own, threads=self.space.threads)
        return [[Neighbor(self.phrases[row], value) for row, value in found.of(query)] for query in range(len(phrases))]

    def shared(self, first: str, second: str, *, limit: int = 10) -> list[tuple[str, tuple[float, float]]]:
        """The contexts that two phrases have in common, with both strengths, what counts most first."""
        ours, theirs = self.space.spell_row(self.profile(first)), self.space.spell_row(self.profile(second))
        common = [(context, (value, theirs[context])) for context, value in ours.items() if context in theirs]
        return sorted(common, key=lambda entry: -(entry[1][0] * entry[1][1]))[:limit]

    def witnesses(self, phrase: str, context: str, *, limit: int = 3) -> list[ContextWitness]:
        """Sentences of the text in which a context stands beside a phrase."""
        word = context.partition("@")[0] if self.space.positional else context
        if word not in self.space.index:
            raise UnknownName(f"the text has no word {word!r}", remedy="name a context of the phrase")
        size, found = len(phrase.split()), []
        for sentence, start in self.space.index.occurrences(phrase):
            tokens = self.space.index.sentence(sentence).split()
            around = tokens[max(0, start - self.space.window) : start]
            around += tokens[start + size : start + size + self.space.window]
            if word in around:
                found.append(ContextWitness(sentence, " ".join(tokens)))
            if len(found) == limit:
                break
        return list(dict.fromkeys(found))

    def require(self, phrase: str) -> None:
        """Refuse a phrase that the text does not have."""
        if self.space.index.count(phrase) == 0:
            raise InputError(f"{phrase!r} does not occur in the text", remedy="check its spelling and tokenisation")
