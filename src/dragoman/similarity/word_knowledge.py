"""What scorers know of words beyond their spelling: places in WordNet, vectors and frequencies from a text.

Both are worked out once per word, so that a pair of words costs a look at two small tables. Vectors are those of
generalised latent semantic analysis: association with neighbouring words, reduced to the strongest dimensions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import FormatError, InputError
from dragoman.files import open_binary, read_lines
from dragoman.metrics.lexical import is_punctuation
from dragoman.semantics.wordnet import WordNet
from dragoman.similarity.words import cut

__all__ = ["TextStatistics", "WordNetDistances"]

SynsetId = tuple[str, int]


class WordNetDistances:
    """How far words are from each other in WordNet, over hypernyms of nouns and verbs."""

    def __init__(self, wordnet: WordNet | None = None) -> None:
        self.wordnet = wordnet or WordNet.find()
        self.edges = lru_cache(maxsize=2**20)(self._edges)
        self._above = lru_cache(maxsize=2**16)(self.wordnet.hypernyms)
        self._places = lru_cache(maxsize=2**16)(self._distances)
        self.antonyms = lru_cache(maxsize=2**16)(self._antonyms)
        self.weight_of_class = lru_cache(maxsize=2**16)(self._weight_of_class)

    def _edges(self, first: str, second: str) -> int | None:
        """Edges on the shortest way between any senses of two words; None where there is none.

        One word, or words of one synonym set, are 0 apart.
        """
        if first == second:
            return 0
        ours, theirs = self._places(first), self._places(second)
        common = ours.keys() & theirs.keys()
        return min([ours[place] + theirs[place] for place in common]) if common else None

    def path(self, first: str, second: str) -> float:
        """1 / (1 + edges); 0 where there is no way."""
        edges = self.edges(first, second)
        return 0.0 if edges is None else 1 / (1 + edges)

    def shared_information(self, first: str, second: str, information: Callable[[SynsetId], float]) -> float:
        """Information of the most informative synonym set above both words (Resnik 1995); 0 where there is none."""
        common = self._places(first).keys() & self._places(second).keys()
        return max([value for value in map(information, common) if value < math.inf], default=0.0)

    def _distances(self, word: str) -> dict[SynsetId, int]:
        """Edges up to each synonym set above a word."""
        found: dict[SynsetId, int] = {}
        level: list[SynsetId] = self.wordnet.synset_ids(word)
        steps = 0
        while level:
            fresh = [place for place in dict.fromkeys(level) if place not in found]
            found.update(dict.fromkeys(fresh, steps))
            level = [above for place in fresh if place[0] in "nv" for above in self._above(*place)]
            steps += 1
        return found

    def _antonyms(self, word: str) -> frozenset[str]:
        """Words of the opposite meaning."""
        found = set()
        lemmas = {lemma for pos in "nvar" for lemma in self.wordnet.morphy(word, pos)}
        for synset in self.wordnet.synsets(word):
            for pointer in synset.pointers:
                own = pointer.relation == "!" and synset.lemmas[pointer.source - 1].lower().replace("_", " ") in lemmas
                if own:
                    target = self.wordnet.synset(pointer.part_of_speech, pointer.offset)
                    found.add(target.lemmas[pointer.target - 1].lower())
        return frozenset(found)

    def _weight_of_class(self, word: str) -> float:
        """1 for words that can be nouns or verbs, and for numbers; 0.5 for others that WordNet knows."""
        if any(letter.isdigit() for letter in word):
            return 1.0
        classes = {place[0] for place in self.wordnet.synset_ids(word)}
        return 1.0 if not classes or classes & {"n", "v"} else 0.5


class TextStatistics:
    """Frequencies and vectors of the words of a text."""

    def __init__(self, words: Sequence[str], counts: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        self.words, self.counts, self.vectors = tuple(words), counts, vectors
        self.total = int(counts.sum())
        self._rows = {word: row for row, word in enumerate(self.words)}
        self.cosine = lru_cache(maxsize=2**20)(self._cosine)
        self.information = lru_cache(maxsize=2**16)(self._information)

    @classmethod
    def of(
        cls, lines: Iterable[str], *, dimensions: int = 200, most_words: int = 20_000, window: int = 5, threads: int = 0
    ) -> TextStatistics:
        """Count and reduce; punctuation is left out, case ignored."""
        from dragoman.semantics.cooccurrence import ContextSpace
        from dragoman.semantics.reduced import ReducedVectors
        from dragoman.text.index import CorpusIndex

        text = [" ".join(word for word in cut(line.lower()) if not is_punctuation(word)) for line in lines]
        counted = Counter(word for line in text for word in line.split())
        if len(counted) < 3:
            raise InputError("too little text for vectors of words", remedy="give more lines")
        chosen = sorted(counted, key=lambda word: (-counted[word], word))[:most_words]
        space = ContextSpace(CorpusIndex.build(text, threads=threads), window=window, threads=threads)
        reduced = ReducedVectors.glsa(space, chosen, dimensions=dimensions)
        # all words keep their counts; vectors are for the frequent ones
        rest = sorted(counted.keys() - set(chosen))
        words = [*chosen, *rest]
        return cls(words, np.array([counted[word] for word in words], np.int64), reduced.vectors.astype(np.float32))

    @classmethod
    def of_file(cls, path: Path | str, *, dimensions: int, threads: int = 0) -> TextStatistics:
        """Of a text, one sentence a line; several scorers that learn from one file share what it says."""
        open_binary(path).close()  # says what is wrong, if anything
        state = Path(path).stat()
        return _of_file(str(path), state.st_mtime_ns, state.st_size, dimensions, threads)

    def _cosine(self, first: str, second: str) -> float:
        """Cosine of two words, at least 0; 0 if one has no vector."""
        one, other = self.vector(first), self.vector(second)
        return 0.0 if one is None or other is None else max(0.0, float(one @ other))

    def vector(self, word: str) -> NDArray[np.float32] | None:
        """The vector of a word, of length 1; None for rare and unknown words."""
        row = self._rows.get(word, len(self.vectors))
        return self.vectors[row] if row < len(self.vectors) else None

    def count(self, word: str) -> int:
        """How often a word was seen, at least 1."""
        row = self._rows.get(word)
        return 1 if row is None else int(self.counts[row])

    def rows(self, words: Iterable[str]) -> list[int]:
        """Which of the vectors are those of words; rare and unknown ones have none."""
        found = map(self._rows.get, words)
        return [row for row in found if row is not None and row < len(self.vectors)]

    def _information(self, word: str) -> float:
        """ln(tokens of the text / count)."""
        return math.log(max(self.total, 2) / self.count(word))

    def save(self, folder: Path) -> None:
        """Write two files."""
        (folder / "words.txt").write_text("".join(f"{word}\n" for word in self.words), "utf-8")
        np.savez(folder / "words.npz", counts=self.counts, vectors=self.vectors)

    @classmethod
    def open(cls, folder: Path) -> TextStatistics:
        """Read them again."""
        try:
            with np.load(folder / "words.npz", allow_pickle=False) as kept:
                return cls(list(read_lines(folder / "words.txt")), kept["counts"], kept["vectors"])
        except (OSError, KeyError, ValueError) as error:
            raise FormatError(f"damaged statistics of words: {error}", where=str(folder), remedy="fit again") from None


@lru_cache(maxsize=2)
def _of_file(path: str, changed: int, size: int, dimensions: int, threads: int) -> TextStatistics:
    return TextStatistics.of(read_lines(path), dimensions=dimensions, threads=threads)
