"""Paraphrases from one language alone: what can stand where a phrase stands, and keeps its company.

For each occurrence of a phrase the word to its left and to its right is taken, and words further out while these say
nothing (Marton, Callison-Burch and Resnik 2009; Marton 2009). Whatever stands between the same two contexts elsewhere
is a candidate; candidates are ranked by the similarity of their profiles to that of the phrase. No other language and
no annotation is needed, so that any text of the source language helps. Opposites rank high too: they keep the same
company.

    >>> text = ["she declined to provide any other details", "he declined to give further details"]
    >>> from dragoman.semantics.cooccurrence import ContextSpace
    >>> paraphraser = Paraphraser(ContextSpace.of(text, window=2), stop_words=(), min_score=0.1)
    >>> [found.phrase for found in paraphraser.paraphrases("to provide any other")]
    ['to give further']
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import FormatError, InputError, SettingError
from dragoman.files import display_name, read_lines, writing
from dragoman.semantics.association import Association
from dragoman.semantics.concepts import SenseProfiles
from dragoman.semantics.cooccurrence import ContextSpace, ContextWitness, promiscuous
from dragoman.semantics.similarity import Similarity
from dragoman.settings import check_argument

__all__ = [
    "ContextFrame",
    "Paraphraser",
    "RankedParaphrase",
    "frame_quotas",
    "read_paraphrases",
    "write_paraphrases",
]


@dataclass(frozen=True, slots=True, order=True)
class ContextFrame:
    """What stands to the left and to the right of a phrase."""

    left: str
    right: str


_Frame = tuple[tuple[int, ...], tuple[int, ...]]
"""The same by the ids of its words."""


@dataclass(frozen=True, slots=True)
class RankedParaphrase:
    """A phrase that may stand for another, how like it is, and the reasons: frames that both were seen in."""

    phrase: str
    score: float
    frames: tuple[tuple[ContextFrame, int], ...] = ()
    """Frames shared with the phrase, and how often the paraphrase was met in each; most often first."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "phrase": self.phrase,
            "score": self.score,
            "frames": [{"left": f.left, "right": f.right, "count": count} for f, count in self.frames],
        }


def write_paraphrases(path: Path | str, found: Mapping[str, Iterable[RankedParaphrase]]) -> None:
    """Lines of `phrase ||| paraphrase ||| score`."""
    with writing(path) as file:
        for phrase, entries in found.items():
            file.writelines(f"{phrase} ||| {entry.phrase} ||| {entry.score:.6g}\n" for entry in entries)


def read_paraphrases(path: Path | str) -> dict[str, list[tuple[str, float]]]:
    """Read what `write_paraphrases` wrote: paraphrases with their scores, by phrase."""
    found: dict[str, list[tuple[str, float]]] = {}
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split(" ||| ")
        try:
            phrase, other, score = fields[0], fields[1], float(fields[2])
            if len(fields) != 3 or not 0 < score <= 1 + 1e-9:
                raise ValueError
        except (IndexError, ValueError):
            raise FormatError(
                "not a phrase, a paraphrase and a score above 0, up to 1, between |||",
                where=f"{display_name(path)}, line {number}",
                remedy="write them with `dragoman paraphrase text -o`",
            ) from None
        found.setdefault(phrase, []).append((other, score))
    return found


def frame_quotas(counts: Sequence[int], *, sample: int = 10_000, least: int = 250, most: int = 2000) -> list[int]:
    """How many occurrences of each frame are visited: in proportion, but within bounds, and never more than there are.

    >>> frame_quotas([50_000, 3_000, 100])
    [2000, 565, 100]
    """
    total = sum(counts)
    return [min(max(round(count * sample / total), least), most, count) for count in counts] if total else []


class Paraphraser:
    """Finds paraphrases in one text.

    `stop_words` are those that a context is grown over; by default the promiscuous words of the text. With `senses`
    the similarity is that of the nearest senses, for phrases that the thesaurus has.
    """

    def __init__(
        self,
        space: ContextSpace,
        *,
        association: Association | None = None,
        similarity: Similarity | None = None,
        stop_words: Iterable[str] | None = None,
        stop_bigrams: Iterable[str] | None = None,
        senses: SenseProfiles | None = None,
        max_length: int = 6,
        sample: int = 10_000,
        least_visits: int = 250,
        most_visits: int = 2000,
        k: int = 20,
        min_score: float = 0.3,
    ) -> None:
        for name, value in (("max_length", max_length), ("sample", sample), ("most_visits", most_visits), ("k", k)):
            check_argument(name, value, int, least=1)
        self.space = ContextSpace(
            space.index,
            window=space.window,
            positional=space.positional,
            at_most=sample,
            stoplist=space.stoplist,
            threads=space.threads,
        )
        self.association, self.similarity = association or Association(), similarity or Similarity()
        if self.similarity.is_distance:
            raise SettingError("paraphrases are scored by a similarity", remedy="choose cosine, jaccard, dice or lin")
        if stop_words is None:
            stop_words = space.stoplist or promiscuous(space.index, window=space.window, threads=space.threads)
        self.stop_words = frozenset(stop_words)
        self._stop_bigrams = None if stop_bigrams is None else frozenset(stop_bigrams)
        self._stop = np.zeros(len(space.index.native), bool)
        self._stop[[space.index.native.id(word) for word in self.stop_words if space.index.native.id(word)]] = True
        self.senses = senses
        self.max_length, self.sample, self.k, self.min_score = max_length, sample, k, min_score
        self.least_visits, self.most_visits = least_visits, most_visits

    def vocabulary(self, *, longest: int = 1, min_count: int = 5) -> list[str]:
        """All phrases of the text up to a length that occur so often, without those of words that say nothing."""
        index = self.space.index
        text = index.native.text
        counts: Counter[tuple[int, ...]] = Counter()
        for length in range(1, longest + 1):
            shifted = [text[at : len(text) - length + 1 + at] for at in range(length)]
            counts.update(row for row in zip(*(part.tolist() for part in shifted), strict=True) if 0 not in row)
        return [
            index.spell(ids)
            for ids, count in sorted(counts.items(), key=lambda entry: (len(entry[0]), -entry[1], entry[0]))
            if count >= min_count and not all(self._stop[word] for word in ids)
        ]

    def frames(self, phrase: str) -> Counter[ContextFrame]:
        """The frames of a phrase, grown over words that say nothing; those cut off by a sentence are dropped."""
        return self._spelled(self._frames(self.space.index.ids(phrase)))

    def _frames(self, phrase: NDArray[np.uint32]) -> Counter[_Frame]:
        places = self.space.index.native.occurrences(phrase, self.sample).astype(np.int64)
        sides = zip(self._side(places, -1), self._side(places + len(phrase) - 1, 1), strict=True)
        return Counter((left, right) for left, right in sides if left is not None and right is not None)

    def _spelled(self, frames: Counter[_Frame]) -> Counter[ContextFrame]:
        spell = self.space.index.spell
        return Counter({ContextFrame(spell(left), spell(right)): count for (left, right), count in frames.items()})

    def _side(self, places: NDArray[np.int64], step: int) -> list[tuple[int, ...] | None]:
        """Ids of the context on one side of each place: one word, two if it says nothing, three if both do not."""
        text = self.space.index.native.text
        reach = np.clip(places[:, None] + step * np.arange(1, 4), 0, len(text) - 1)
        words = text[reach].astype(np.int64)
        blocked: dict[tuple[int, int], bool] = {}
        found: list[tuple[int, ...] | None] = []
        for row in words.tolist():
            grown: list[int] = []
            for word in row:
                if word == 0:
                    grown = []
                    break
                grown.append(word)
                if len(grown) == 1 and not self._stop[word]:
                    break
                if len(grown) == 2:
                    pair = (grown[0], grown[1]) if step > 0 else (grown[1], grown[0])
                    if pair not in blocked:
                        blocked[pair] = self._says_nothing(pair)
                    if not blocked[pair]:
                        break
            found.append(tuple(grown if step > 0 else reversed(grown)) or None)
        return found

    def _says_nothing(self, pair: tuple[int, int]) -> bool:
        if self._stop_bigrams is not None:
            return self.space.index.spell(pair) in self._stop_bigrams
        if not self._stop[pair[0]] or not self._stop[pair[1]]:
            return False
        return self.space.index.native.count(np.array(pair, np.uint32)) > self.sample

    def candidates(self, phrase: str) -> dict[str, Counter[ContextFrame]]:
        """What stands in the frames of a phrase, with how often it was met in each."""
        return {found: self._spelled(where) for found, where in self._candidates(phrase).items()}

    def _candidates(self, phrase: str) -> dict[str, Counter[_Frame]]:
        """The same by ids: of thousands of frames, only those of what is found in the end are worth spelling."""
        index = self.space.index
        own = index.ids(phrase)
        frames = list(self._frames(own))
        if not frames:
            return {}
        sides = [np.array(side, np.uint32) for frame in frames for side in frame]
        ends = np.cumsum([len(side) for side in sides])
        counts = [index.native.count(side) for side in sides]
        anchors = [min(pair) for pair in zip(counts[0::2], counts[1::2], strict=True)]
        quotas = frame_quotas(anchors, sample=self.sample, least=self.least_visits, most=self.most_visits)
        stretches, last = index.native.between(
            np.concatenate(sides),
            ends[0::2].copy(),
            ends[1::2].copy(),
            np.array(quotas, np.int64),
            longest=self.max_length,
            threads=self.space.threads,
        )
        text = index.native.text
        met: defaultdict[tuple[int, ...], Counter[_Frame]] = defaultdict(Counter)
        start = 0
        for frame, end in zip(frames, last.tolist(), strict=True):
            for place, length in stretches[start:end].tolist():
                met[tuple(text[place : place + length].tolist())][frame] += 1
            start = end
        met.pop(tuple(own.tolist()), None)
        return {index.spell(ids): where for ids, where in met.items()}

    def paraphrases(self, phrase: str, *, candidates: Collection[str] | None = None) -> list[RankedParaphrase]:
        """Paraphrases of a phrase, best first; none for a phrase that the text does not have.

        With `candidates` only these are looked at (phrases that a table can translate, say): faster, and other ones.
        """
        if not phrase.split():
            raise InputError("an empty phrase", remedy="give at least one word")
        met = self._candidates(phrase)
        if candidates is not None:
            met = {found: where for found, where in met.items() if found in candidates}
        if not met:
            return []
        names = sorted(met)
        scores = self._scores(phrase, names)
        order = sorted(range(len(names)), key=lambda i: (-scores[i], -len(met[names[i]]), names[i]))
        return [
            RankedParaphrase(
                names[i],
                float(scores[i]),
                tuple(sorted(self._spelled(met[names[i]]).items(), key=lambda e: (-e[1], e[0]))),
            )
            for i in order[: self.k]
            if scores[i] >= self.min_score
        ]

    def witnesses(self, paraphrase: RankedParaphrase, *, limit: int = 3) -> list[ContextWitness]:
        """Sentences of the text in which a paraphrase stands in a frame of the phrase: what its score rests on."""
        index = self.space.index
        found: dict[ContextWitness, None] = {}
        for frame, _ in paraphrase.frames:
            for place in index.occurrences(f"{frame.left} {paraphrase.phrase} {frame.right}", limit=limit):
                found[ContextWitness(place.sentence, index.sentence(place.sentence))] = None
            if len(found) >= limit:
                break
        return list(found)[:limit]

    def _scores(self, phrase: str, others: Sequence[str]) -> NDArray[np.float64]:
        counted = self.space.count([phrase, *others])
        rows = self.association.apply(counted)
        found = self.similarity.nearest(rows[[0]], rows[1:], k=len(others), threads=self.space.threads)
        scores = np.zeros(len(others))  # of what shares no context
        scores[found.rows] = found.values
        if self.senses is not None:
            known = self.senses.concepts.thesaurus
            for number, other in enumerate(others):
                if phrase in known or other in known:
                    scores[number] = self.senses.similarity(phrase, other).value
        return scores
