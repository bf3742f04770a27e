"""Learners with names: the native tagger, parser and classifier, their labels as strings, their weights as files.

Native learners know numbers only. Here they get their labels, and a place in a model bundle: `NAME.labels.txt` and four
plain arrays, `NAME.keys.npy` and so on, that any numpy reads. Weights near zero are left out, which costs nothing and
makes models a fraction of the size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman import _native
from dragoman.errors import FormatError, InputError
from dragoman.progress import Progress, ProgressCallback

if TYPE_CHECKING:
    import numpy as np

__all__ = ["LabelClassifier", "Labels", "SequenceTagger", "TreeParser"]

_PARTS = ("keys", "ends", "labels", "values")
_APART = 1_000_003
"""Between the seeds of copies, so that they are none of those that people choose."""
Columns = tuple[list[str], list[str], list[list[str]], "np.ndarray[Any, np.dtype[np.int64]]"]
Arrays = tuple[Any, Any, Any, Any]
"""Weights: features, where the labels of each end, labels, and the weight of each label."""


class Labels:
    """Strings and their numbers, by falling frequency, then alphabet."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.numbers = {name: number for number, name in enumerate(self.names)}

    @classmethod
    def of(cls, values: Iterable[str]) -> Labels:
        counts: dict[str, int] = {}
        for value in values:
            counts[value] = counts.get(value, 0) + 1
        return cls(sorted(counts, key=lambda name: (-counts[name], name)))

    def __len__(self) -> int:
        return len(self.names)

    def array(self, values: Iterable[str]) -> np.ndarray[Any, np.dtype[np.uint16]]:
        """The numbers of these values."""
        import numpy as np

        return np.array([self.numbers[value] for value in values], np.uint16)


def _in_a_row(lists: Iterable[Sequence[str]]) -> tuple[list[str], np.ndarray[Any, np.dtype[np.int64]]]:
    """The values of all lists, and where each list ends."""
    import numpy as np

    values: list[str] = []
    ends: list[int] = []
    for each in lists:
        values += each
        ends.append(len(values))
    return values, np.array(ends, np.int64)


def _columns(sentences: Iterable[Sequence[str]], given: Sequence[Iterable[Sequence[str]]]) -> Columns:
    """Words of all sentences in a row, the same in lower case, what else is given about them, and where each ends."""
    words, ends = _in_a_row(sentences)
    return words, [word.lower() for word in words], [_in_a_row(column)[0] for column in given], ends


def _told(
    progress: ProgressCallback | None, stage: str, epochs: int, *, copies: int = 1, copy: int = 0
) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda epoch, _: progress(Progress(stage, copy * epochs + epoch + 1, copies * epochs))


def _mean(parts: Sequence[Arrays]) -> Arrays:
    """Several learners as one: the weight that they give to a feature and a label, on average.

    A perceptron depends on the order in which it saw its examples, the more the fewer there are. The mean of some that
    saw them in different orders is better than each of them, and as fast (McDonald, Hall and Mann 2010).
    """
    import numpy as np

    if len(parts) == 1 or not any(len(part[0]) for part in parts):  # nothing was ever wrong: one label is always right
        return parts[0]
    keys = np.concatenate([np.repeat(part[0], np.diff(part[1].astype(np.int64), prepend=0)) for part in parts])
    labels, values = (np.concatenate([part[at] for part in parts]) for at in (2, 3))
    order = np.lexsort((labels, keys))
    keys, labels, values = keys[order], labels[order], values[order].astype(np.float64)
    begins = np.flatnonzero(np.append(True, (keys[1:] != keys[:-1]) | (labels[1:] != labels[:-1])))
    means = (np.add.reduceat(values, begins) / len(parts)).astype(np.float32)
    keys, labels = keys[begins], labels[begins]
    firsts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    return keys[firsts], np.append(firsts[1:], len(keys)).astype(np.uint32), labels, means


def _save(folder: Path, name: str, labels: Labels, arrays: Sequence[Any]) -> None:
    import numpy as np

    (folder / f"{name}.labels.txt").write_text("".join(f"{label}\n" for label in labels.names), "utf-8")
    for part, array in zip(_PARTS, arrays, strict=True):
        np.save(folder / f"{name}.{part}.npy", array)


def _load(folder: Path, name: str) -> tuple[Labels, Arrays]:
    import numpy as np

    try:
        labels = (folder / f"{name}.labels.txt").read_text("utf-8").split("\n")[:-1]
        keys, ends, numbers, values = (np.load(folder / f"{name}.{part}.npy", allow_pickle=False) for part in _PARTS)
    except (OSError, ValueError, EOFError) as error:
        raise FormatError(f"cannot read {name}: {error}", where=str(folder), remedy="train the model again") from None
    return Labels(labels), (keys, ends, numbers, values)


class SequenceTagger:
    """One label for each token of a sentence."""

    def __init__(self, labels: Labels, native: _native.annotations.Tagger) -> None:
        self.labels, self._native = labels, native

    @classmethod
    def train(
        cls,
        sentences: Sequence[Sequence[str]],
        gold: Sequence[Sequence[str]],
        *,
        given: Sequence[Sequence[Sequence[str]]] = (),
        epochs: int,
        copies: int = 1,
        seed: int = 1,
        least: float = 0.0,
        progress: ProgressCallback | None = None,
        stage: str = "tags",
    ) -> SequenceTagger:
        """Learn from sentences (words, or letters) with a label for each of their parts; see `_mean` for `copies`."""
        values = [label for sentence in gold for label in sentence]
        if not values:
            raise InputError("nothing to learn from: no sentence has tokens")
        labels = Labels.of(values)
        words, lowered, columns, ends = _columns(sentences, given)
        numbers = labels.array(values)
        parts = [
            _native.annotations.Tagger.train(
                words,
                lowered,
                columns,
                ends,
                numbers,
                len(labels),
                epochs=epochs,
                seed=seed + _APART * copy,
                least=least,
                told=_told(progress, stage, epochs, copies=copies, copy=copy),
            ).arrays()
            for copy in range(copies)
        ]
        return cls(labels, _native.annotations.Tagger(*_mean(parts), len(labels)))

    def tag(
        self,
        sentences: Sequence[Sequence[str]],
        *,
        given: Sequence[Sequence[Sequence[str]]] = (),
        threads: int = 0,
    ) -> list[tuple[str, ...]]:
        """The labels of each sentence."""
        words, lowered, columns, ends = _columns(sentences, given)
        names = self.labels.names
        found = [names[label] for label in self._native.tag(words, lowered, columns, ends, threads=threads).tolist()]
        starts = [0, *ends.tolist()]
        return [tuple(found[start:end]) for start, end in pairwise(starts)]

    def save(self, folder: Path, name: str) -> None:
        _save(folder, name, self.labels, self._native.arrays())

    @classmethod
    def load(cls, folder: Path, name: str) -> SequenceTagger:
        labels, arrays = _load(folder, name)
        return cls(labels, _native.annotations.Tagger(*arrays, len(labels)))


class TreeParser:
    """Heads and labels for the tokens of a sentence."""

    def __init__(self, labels: Labels, native: _native.annotations.Parser) -> None:
        self.labels, self._native = labels, native

    @classmethod
    def train(
        cls,
        sentences: Sequence[Sequence[str]],
        given: tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]],
        trees: Sequence[tuple[Sequence[int], Sequence[str]]],
        *,
        beam: int,
        epochs: int,
        copies: int = 1,
        seed: int = 1,
        least: float = 0.0,
        threads: int = 0,
        progress: ProgressCallback | None = None,
        stage: str = "trees",
    ) -> TreeParser:
        """Learn from words, their coarse and fine tags, and trees (heads, -1 for the root, and labels)."""
        import numpy as np

        names = [label for _, labels in trees for label in labels]
        if not names:
            raise InputError("nothing to learn from: no sentence has a tree")
        labels = Labels.of(names)
        words, lowered, columns, ends = _columns(sentences, given)
        heads = np.array([head for heads, _ in trees for head in heads], np.int32)
        numbers = labels.array(names)
        parts = [
            _native.annotations.Parser.train(
                words,
                lowered,
                columns,
                ends,
                heads,
                numbers,
                len(labels),
                beam=beam,
                epochs=epochs,
                seed=seed + _APART * copy,
                least=least,
                threads=threads,
                told=_told(progress, stage, epochs, copies=copies, copy=copy),
            ).arrays()
            for copy in range(copies)
        ]
        return cls(labels, _native.annotations.Parser(*_mean(parts), len(labels), beam))

    def parse(
        self,
        sentences: Sequence[Sequence[str]],
        given: tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]],
        *,
        threads: int = 0,
    ) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
        """Heads and labels of each sentence."""
        words, lowered, columns, ends = _columns(sentences, given)
        heads, numbers = self._native.parse(words, lowered, columns, ends, threads=threads)
        labels = [self.labels.names[number] for number in numbers.tolist()]
        all_heads, starts = heads.tolist(), [0, *ends.tolist()]
        return [(tuple(all_heads[start:end]), tuple(labels[start:end])) for start, end in pairwise(starts)]

    def save(self, folder: Path, name: str) -> None:
        _save(folder, name, self.labels, self._native.arrays())

    @classmethod
    def load(cls, folder: Path, name: str, *, beam: int) -> TreeParser:
        labels, arrays = _load(folder, name)
        return cls(labels, _native.annotations.Parser(*arrays, len(labels), beam))


class LabelClassifier:
    """One label for each bag of features."""

    def __init__(self, labels: Labels, native: _native.annotations.Classifier) -> None:
        self.labels, self._native = labels, native

    @classmethod
    def train(
        cls,
        items: Sequence[Sequence[str]],
        gold: Sequence[str],
        *,
        epochs: int,
        seed: int = 1,
        least: float = 0.0,
        progress: ProgressCallback | None = None,
        stage: str = "labels",
    ) -> LabelClassifier:
        """Learn from bags of features and their labels."""
        if not gold:
            raise InputError(f"nothing to learn {stage} from")
        labels = Labels.of(gold)
        features, ends = _in_a_row(items)
        native = _native.annotations.Classifier.train(
            features,
            ends,
            labels.array(gold),
            len(labels),
            epochs=epochs,
            seed=seed,
            least=least,
            told=_told(progress, stage, epochs),
        )
        return cls(labels, native)

    def scores(self, items: Sequence[Sequence[str]], *, threads: int = 0) -> np.ndarray[Any, np.dtype[np.float32]]:
        """A row for each item, a column for each label."""
        features, ends = _in_a_row(items)
        return self._native.scores(features, ends, threads=threads)

    def best(self, items: Sequence[Sequence[str]], *, threads: int = 0) -> list[str]:
        """The label of each item."""
        if not items:
            return []
        return [self.labels.names[at] for at in self.scores(items, threads=threads).argmax(axis=1).tolist()]

    def save(self, folder: Path, name: str) -> None:
        _save(folder, name, self.labels, self._native.arrays())

    @classmethod
    def load(cls, folder: Path, name: str) -> LabelClassifier:
        labels, arrays = _load(folder, name)
        return cls(labels, _native.annotations.Classifier(*arrays, len(labels)))
