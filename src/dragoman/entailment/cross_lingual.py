"""Entailment across languages, from words that are left without a partner (Graham, Salehi and Baldwin 2013).

Two texts in two languages say the same, or one says more, or each says something of its own. A word aligner trained on
parallel text links what corresponds; what stays without a link in the second text is evidence that the second says
something the first does not. Two decisions, does the second follow from the first (forward) and the first from the
second (backward), make four labels.

| feature | value, for the forward decision over the second text |
|---|---|
| A1 | tokens without a link |
| A2 | numbers (digits only) that are no token of the other text |
| A3 | tokens without a link, of words that translations seldom leave without one |
| S1, S2 | matches and penalised steps of the best local alignment with the rewritten text (Smith and Waterman 1981) |
| S3 | words to insert and delete to make the one of the other |

For S1 to S3 the second text is rewritten word by word in the language of the first; they are the same in both
directions, so alone they can only tell *both* from *neither*.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.align.alignment import Alignment
from dragoman.entailment.both_directions import LABELS, label_of
from dragoman.entailment.decision import fit_logistic
from dragoman.entailment.pairs import pair_elements
from dragoman.errors import FormatError, InputError, LengthMismatch, SettingError
from dragoman.files import writing
from dragoman.seeds import stream
from dragoman.settings import check_argument

__all__ = [
    "COMBINATIONS",
    "CrossLingualModel",
    "CrossLingualPair",
    "LabelScores",
    "LocalMatch",
    "insertions_and_deletions",
    "local_match",
    "pair_features",
    "read_cross_lingual",
    "rewritten",
    "score_labels",
    "shortened_pairs",
    "unalignment",
    "write_cross_lingual",
]

DIRECTED, SHARED = ("A1", "A2", "A3"), ("S1", "S2", "S3")
COMBINATIONS = ("two decisions", "one versus rest")
"""How four labels are made: of a forward and a backward decision, or each against the others."""
_NUMBER = re.compile(r"[0-9]+")
SELDOM = 0.11
"""A word counts as seldom left alone below this share, the paper's value."""


@dataclass(frozen=True, slots=True)
class CrossLingualPair:
    """Two tokenised texts in two languages, and which follows from which, where that is known."""

    id: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    label: str = ""


def read_cross_lingual(path: Path | str) -> list[CrossLingualPair]:
    """Pairs of the shared task's XML (`t1`, `t2`, `entailment`), tokens between blanks."""
    found: dict[str, CrossLingualPair] = {}
    for said, texts in pair_elements(path, ("t1", "t2")):
        name, label = said.get("id", ""), said.get("entailment", "")
        where = f"{path}, pair {name}"
        if label and label not in LABELS:
            raise FormatError(f"{label!r} is not a label", where=where, remedy=f"choose from {', '.join(LABELS)}")
        if name in found:
            raise FormatError("two pairs have the same id", where=where)
        if not all(texts):
            raise FormatError(f"the pair has no {'t2' if texts[0] else 't1'}", where=where)
        found[name] = CrossLingualPair(name, tuple(texts[0].split()), tuple(texts[1].split()), label)
    return list(found.values())


def write_cross_lingual(pairs: Iterable[CrossLingualPair], path: Path | str) -> None:
    """Write pairs so that `read_cross_lingual` gives them back."""
    from lxml import etree

    root = etree.Element("entailment-corpus")
    for pair in pairs:
        said = {"id": pair.id, "entailment": pair.label} if pair.label else {"id": pair.id}
        element = etree.SubElement(root, "pair", said)
        for name, tokens in (("t1", pair.first), ("t2", pair.second)):
            try:
                etree.SubElement(element, name).text = " ".join(tokens)
            except ValueError as error:
                raise InputError(f"not for XML: {error}", where=f"pair {pair.id}") from None
    with writing(path) as file:
        file.write(etree.tostring(root, encoding="unicode", pretty_print=True))


def unalignment(sentences: Iterable[Sequence[str]], alignments: Iterable[Alignment], *, side: int) -> dict[str, float]:
    """The share of each word's tokens that have no link, in parallel text; `side` is 0 for source, 1 for target."""
    seen: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for tokens, alignment in zip(sentences, alignments, strict=True):
        linked = {link[side] for link in alignment.links}
        seen.update(tokens)
        alone.update(token for at, token in enumerate(tokens) if at not in linked)
    return {word: alone[word] / count for word, count in seen.items()}


def rewritten(
    pair: CrossLingualPair, alignment: Alignment, probability: Mapping[tuple[str, str], float] | None = None
) -> list[str]:
    """The second text word by word in the first language; of several links the most probable, then the leftmost."""
    known = probability or {}
    links: dict[int, list[int]] = {}
    for one, other in alignment.links:
        links.setdefault(other, []).append(one)
    found = []
    for at, token in enumerate(pair.second):
        places = links.get(at, [])
        best = max(places, key=lambda place: (known.get((pair.first[place], token), 0.0), -place), default=None)
        found.append(token if best is None else pair.first[best])
    return found


def insertions_and_deletions(first: Sequence[str], second: Sequence[str]) -> int:
    """Words to insert and delete to make one list of the other; replacing is both.

    >>> insertions_and_deletions("der alte Mann kaufte ein Buch".split(), "der Mann kaufte ein rotes Buch".split())
    2
    """
    row = list(range(len(second) + 1))
    for i, word in enumerate(first, start=1):
        above, row = row, [i]
        for j, other in enumerate(second, start=1):
            row.append(above[j - 1] if word == other else min(above[j], row[j - 1]) + 1)
    return row[-1]


@dataclass(frozen=True, slots=True)
class LocalMatch:
    """The best stretch that two lists share: its score, words that match, and steps that were penalised."""

    score: int
    matches: int
    penalties: int


def local_match(first: Sequence[str], second: Sequence[str]) -> LocalMatch:
    """Smith-Waterman over words: a match is worth 1, anything else costs 1; the first best in the order of rows.

    >>> first, second = "der Mann kaufte ein rotes Buch gestern hier", "der Mann kaufte ein Buch gestern hier"
    >>> local_match(first.split(), second.split())
    LocalMatch(score=6, matches=7, penalties=1)
    """
    table = np.zeros((len(first) + 1, len(second) + 1), np.int64)
    for i, word in enumerate(first, start=1):
        for j, other in enumerate(second, start=1):
            same = table[i - 1, j - 1] + (1 if word == other else -1)
            table[i, j] = max(0, same, table[i - 1, j] - 1, table[i, j - 1] - 1)
    i, j = (int(at) for at in np.unravel_index(int(table.argmax()), table.shape))
    score, matches, penalties = int(table[i, j]), 0, 0
    while table[i, j] > 0:
        same = first[i - 1] == second[j - 1]
        if table[i, j] == table[i - 1, j - 1] + (1 if same else -1):
            i, j = i - 1, j - 1
            matches, penalties = matches + same, penalties + (not same)
        else:
            up = table[i, j] == table[i - 1, j] - 1
            i, j = (i - 1, j) if up else (i, j - 1)
            penalties += 1
    return LocalMatch(score, matches, penalties)


def pair_features(
    pair: CrossLingualPair,
    alignment: Alignment,
    alone_first: Mapping[str, float],
    alone_second: Mapping[str, float],
    *,
    seldom: float = SELDOM,
    probability: Mapping[tuple[str, str], float] | None = None,
) -> dict[str, float]:
    """All features of a pair: `forward A1` and so on, `backward A1` and so on, and S1 to S3.

    A word that the parallel text does not have is taken to be one that is seldom left alone: such are names.
    """
    alignment.check(len(pair.first), len(pair.second), where=f"pair {pair.id}")
    found: dict[str, float] = {}
    for direction, own, other, side, table in (
        ("forward", pair.second, pair.first, 1, alone_second),
        ("backward", pair.first, pair.second, 0, alone_first),
    ):
        linked = {link[side] for link in alignment.links}
        alone = [token for at, token in enumerate(own) if at not in linked]
        found[f"{direction} A1"] = float(len(alone))
        found[f"{direction} A2"] = float(sum(bool(_NUMBER.fullmatch(t)) and t not in other for t in own))
        found[f"{direction} A3"] = float(sum(table.get(token, 0.0) < seldom for token in alone))
    words = rewritten(pair, alignment, probability)
    local = local_match(pair.first, words)
    found["S1"], found["S2"] = float(local.matches), float(local.penalties)
    found["S3"] = float(insertions_and_deletions(pair.first, words))
    return found


@dataclass
class _Regression:
    """Logistic regression over standardised columns."""

    columns: tuple[str, ...]
    prior: float = 1.0
    means: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    spreads: NDArray[np.float64] = field(default_factory=lambda: np.ones(0))
    weights: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    bias: float = 0.0

    def fit(self, rows: Sequence[Mapping[str, float]], gold: Sequence[bool]) -> None:
        values = np.array([[row[name] for name in self.columns] for row in rows])
        self.means, self.spreads = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-6)
        self.weights, self.bias = fit_logistic((values - self.means) / self.spreads, gold, self.prior)

    def probability(self, row: Mapping[str, float]) -> float:
        values = np.array([row[name] for name in self.columns])
        score = float((values - self.means) / self.spreads @ self.weights + self.bias)
        return float(1 / (1 + np.exp(-np.clip(score, -500, 500))))

    def to_dict(self) -> dict[str, Any]:
        arrays = {name: getattr(self, name).tolist() for name in ("means", "spreads", "weights")}
        return {"columns": list(self.columns), "prior": self.prior, "bias": self.bias, **arrays}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> _Regression:
        arrays = {name: np.array(plain[name], np.float64) for name in ("means", "spreads", "weights")}
        columns = tuple(map(str, plain["columns"]))
        if any(values.shape != (len(columns),) for values in arrays.values()):
            raise ValueError("weights of other features")
        return cls(columns, float(plain["prior"]), bias=float(plain["bias"]), **arrays)


class CrossLingualModel:
    """Four labels from features.

    `combine="two decisions"` joins a forward and a backward decision; `"one versus rest"` learns each label against the
    others from the features of both directions.
    """

    def __init__(self, features: str = "A1+A2+A3", combine: str = "two decisions", prior: float = 1.0) -> None:
        names = features.split("+")
        unknown = [name for name in names if name not in DIRECTED + SHARED]
        if unknown:
            raise SettingError(f"no feature is called {unknown[0]!r}", remedy="A1, A2, A3, S1, S2, S3, joined by +")
        check_argument("combine", combine, choices=COMBINATIONS)
        self.features, self.combine = features, combine
        shared = tuple(name for name in names if name in SHARED)
        by_direction = {
            direction: tuple(f"{direction} {name}" for name in names if name in DIRECTED) + shared
            for direction in ("forward", "backward")
        }
        if combine == "two decisions":
            self._models = {direction: _Regression(columns, prior) for direction, columns in by_direction.items()}
        else:
            both = tuple(dict.fromkeys((*by_direction["forward"], *by_direction["backward"])))
            self._models = {label: _Regression(both, prior) for label in LABELS}

    def fit(self, rows: Sequence[Mapping[str, float]], labels: Sequence[str]) -> CrossLingualModel:
        """Learn from features and labels."""
        if len(rows) != len(labels):
            raise LengthMismatch(f"{len(rows)} pairs but {len(labels)} labels")
        for name, model in self._models.items():
            wanted = {name, "bidirectional"} if self.combine == "two decisions" else {name}
            model.fit(rows, [label in wanted for label in labels])
        return self

    def probabilities(self, row: Mapping[str, float]) -> dict[str, float]:
        """Of the two decisions, or of each label against the rest."""
        return {name: model.probability(row) for name, model in self._models.items()}

    def predict(self, row: Mapping[str, float]) -> str:
        """The label of a pair."""
        found = self.probabilities(row)
        if self.combine == "two decisions":
            return label_of(found["forward"] > 0.5, found["backward"] > 0.5)
        return max(LABELS, key=lambda label: found[label])

    def to_dict(self) -> dict[str, Any]:
        """Plain values; `from_dict` reads them back."""
        models = {name: model.to_dict() for name, model in self._models.items()}
        return {"features": self.features, "combine": self.combine, "models": models}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], *, where: str = "") -> CrossLingualModel:
        """The model that `to_dict` described; anything else is a `FormatError`."""
        try:
            found = cls(str(plain["features"]), str(plain["combine"]))
            for name, model in found._models.items():
                read = _Regression.from_dict(plain["models"][name])
                if read.columns != model.columns:
                    raise ValueError(f"other features for {name}")
                found._models[name] = read
        except (KeyError, TypeError, ValueError, AttributeError, SettingError) as error:
            raise FormatError(f"not a model of entailment across languages ({error})", where=where) from None
        return found


@dataclass(frozen=True, slots=True)
class LabelScores:
    """Accuracy over four labels, F1 of each, and accuracy of the two decisions."""

    accuracy: float
    f1: Mapping[str, float]
    forward: float
    backward: float


def score_labels(gold: Sequence[str], found: Sequence[str]) -> LabelScores:
    """Compare labels with the gold ones."""
    if not gold or len(gold) != len(found):
        raise LengthMismatch(f"{len(gold)} gold labels and {len(found)} found")
    f1 = {}
    for label in LABELS:
        both = sum(one == other == label for one, other in zip(gold, found, strict=True))
        f1[label] = 2 * both / max(1, sum(each == label for each in gold) + sum(each == label for each in found))
    decisions = {
        direction: float(
            np.mean([(one in wanted) == (other in wanted) for one, other in zip(gold, found, strict=True)])
        )
        for direction in ("forward", "backward")
        for wanted in [{direction, "bidirectional"}]
    }
    right = float(np.mean([one == other for one, other in zip(gold, found, strict=True)]))
    return LabelScores(right, f1, decisions["forward"], decisions["backward"])


def shortened_pairs(
    first: Sequence[Sequence[str]], second: Sequence[Sequence[str]], alignments: Sequence[Alignment], *, seed: int = 1
) -> list[tuple[CrossLingualPair, Alignment]]:
    """Pairs with known labels from parallel text: phrases that translate each other are left out of one side or both.

    The labels take turns. A phrase has two to five words on each side, and no link leads out of it; sentences without
    one, or without two where both sides lose one, are skipped. Alignments of what is left come along.
    """
    made: list[tuple[CrossLingualPair, Alignment]] = []
    for at, (ours, theirs, alignment) in enumerate(zip(first, second, alignments, strict=True)):
        random = stream(seed, "shortened", at)
        blocks = _blocks(len(ours), len(theirs), alignment)
        label = LABELS[len(made) % 4]
        needed = {"bidirectional": 0, "no_entailment": 2}.get(label, 1)
        chosen: list[tuple[range, range]] = []
        for number in random.permutation(len(blocks)):
            block = blocks[int(number)]
            if all(_apart(block[0], each[0]) and _apart(block[1], each[1]) for each in chosen):
                chosen.append(block)
            if len(chosen) == max(needed, 1):
                break
        if len(chosen) < max(needed, 1):
            continue
        lost_first = set(chosen[0][0]) if label in ("backward", "no_entailment") else set()
        lost_second = set(chosen[-1][1]) if label in ("forward", "no_entailment") else set()
        made.append(_without(f"{at}", ours, theirs, alignment, lost_first, lost_second, label))
    if not made:
        raise InputError("no sentence has phrases that can be left out", remedy="give more, or longer, parallel text")
    return made


def _blocks(first: int, second: int, alignment: Alignment) -> list[tuple[range, range]]:
    """Phrases of both sides that are linked with each other and with nothing else."""
    found = []
    for start in range(1, first):
        for end in range(start + 2, min(first, start + 6)):
            inside = [other for one, other in alignment.links if start <= one < end]
            if not inside:
                continue
            low, high = min(inside), max(inside) + 1
            closed = all(start <= one < end for one, other in alignment.links if low <= other < high)
            if closed and 2 <= high - low <= 5 and high < second and low > 0:
                found.append((range(start, end), range(low, high)))
    return found


def _apart(one: range, other: range) -> bool:
    return one.stop <= other.start or other.stop <= one.start


def _without(
    name: str,
    first: Sequence[str],
    second: Sequence[str],
    alignment: Alignment,
    lost_first: set[int],
    lost_second: set[int],
    label: str,
) -> tuple[CrossLingualPair, Alignment]:
    kept = (
        [at for at in range(len(first)) if at not in lost_first],
        [at for at in range(len(second)) if at not in lost_second],
    )
    places = [{old: new for new, old in enumerate(side)} for side in kept]
    links = [
        (places[0][one], places[1][other]) for one, other in alignment.links if one in places[0] and other in places[1]
    ]
    pair = CrossLingualPair(name, tuple(first[at] for at in kept[0]), tuple(second[at] for at in kept[1]), label)
    return pair, Alignment(tuple(links))
