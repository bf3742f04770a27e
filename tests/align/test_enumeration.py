"""Every model agrees with the enumeration of all alignments of a tiny corpus."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from dragoman._native import align as native
from dragoman._native.common import Vocabulary
from dragoman.align import ALIGNERS, Aligner
from tests.align.slow_models import Diagonal, Jumps, Path, Positions, Table, ZeroOrder, train

SOURCE = ["das Haus", "das Buch", "ein kleines Buch", "das Haus da", "ein Haus"]
TARGET = ["the house", "the book", "a small book", "that house", "a house"]
NULL = 0.2
RARE_NULL = 0.001

Stages = Sequence[tuple[Callable[[], Positions], int]]
MODELS: dict[str, Stages] = {
    "ibm1": [(lambda: ZeroOrder(NULL), 5)],
    "ibm2": [(lambda: ZeroOrder(NULL), 5), (lambda: Table(NULL), 5)],
    "hmm": [(lambda: ZeroOrder(NULL), 5), (lambda: Jumps(NULL), 5)],
    "joint": [(lambda: ZeroOrder(NULL), 5), (lambda: Jumps(NULL), 5)],
}


def compare(aligner: Aligner, slow: Sequence[Sequence[NDArray[np.float64]]], tolerance: float) -> None:
    for found, forward, reverse in zip(aligner.posteriors(SOURCE, TARGET), *slow, strict=True):
        assert found.forward == pytest.approx(forward, abs=tolerance)
        assert found.reverse == pytest.approx(reverse, abs=tolerance)


@pytest.mark.parametrize("name", MODELS)
def test_em_equals_enumeration(name: str) -> None:
    aligner = ALIGNERS.get(name)()
    aligner.train(SOURCE, TARGET)
    compare(aligner, train(SOURCE, TARGET, MODELS[name], agreement=name == "joint"), 1e-4)


@pytest.mark.parametrize("rate", [0.0, 0.1, 1.0])
def test_the_diagonal_model_equals_enumeration(rate: float) -> None:
    aligner = ALIGNERS.get("fast")(null_probability=0, iterations=3, tension_rate=rate)  # type: ignore[call-arg]
    aligner.train(SOURCE, TARGET)
    slow = train(SOURCE, TARGET, [(lambda: Diagonal(0, 4.0, rate), 3)], alpha=0.01)
    compare(aligner, slow, 2e-3 if rate == 1 else 2e-4)


class FertilityNumbers:
    """What a trained IBM 3 or 4 stores, and the probability of an alignment by the formulas of Brown et al. (1993)."""

    def __init__(self, aligner: Aligner, fourth: bool) -> None:
        assert aligner._model is not None
        self.numbers = aligner._model.parameters(forward=True)
        self.fourth = fourth
        self.at = 3
        self.share, self.p1 = self.numbers[1], self.numbers[2]
        assert self.list() == []
        assert self.list() == []
        self.fertility = np.array(self.list()).reshape(-1, 11)
        if fourth:
            self.heads, self.tails = self.list(), self.list()
        else:
            blocks = int(self.numbers[self.at])
            lengths = np.array(self.numbers[self.at + 1 : self.at + 1 + 2 * blocks]).reshape(-1, 2)
            self.at += 1 + 2 * blocks
            table, start, self.places = self.list(), 0, {}
            for given, generated in lengths.astype(int).tolist():
                self.places[given, generated] = np.array(table[start : start + given * generated])
                start += given * generated
        self.t: dict[tuple[str, str], float] = defaultdict(lambda: 1e-7)
        for given, generated, probability in aligner.lexicon():
            self.t[given, generated] = probability
        self.ids = aligner._source

    def list(self) -> list[float]:
        size = int(self.numbers[self.at])
        found = list(self.numbers[self.at + 1 : self.at + 1 + size])
        self.at += 1 + size
        return found

    def probability(self, path: Path, given: Sequence[str], generated: Sequence[str]) -> float:
        """Without the probabilities of words made from nothing."""
        assert self.ids is not None
        size, empty = len(generated), sum(i is None for i in path)
        if 2 * empty > size:
            return 0.0
        value = math.comb(size - empty, empty) * (1 - self.p1) ** (size - 2 * empty) * self.p1**empty
        cepts = {i: [j for j, link in enumerate(path) if link == i] for i in range(len(given))}
        before: list[int] = []
        for i, word in enumerate(given):
            value *= self.fertility[self.ids.id(word), len(cepts[i])]
            value *= math.prod(self.t[word, generated[j]] for j in cepts[i])
            if not self.fourth:
                table = self.places[len(given), size].reshape(size, len(given))
                value *= math.factorial(len(cepts[i]))
                value *= math.prod((1 - self.share) * table[j, i] + self.share / size for j in cepts[i])
                continue
            for k, j in enumerate(cepts[i]):
                flat = self.share / (2 * size)
                if k == 0:
                    centre = math.ceil(sum(p + 1 for p in before) / len(before)) if before else 0
                    row = 0 if before else 81
                    value *= (1 - self.share) * self.heads[row + j + 1 - centre + 40] + flat
                else:
                    value *= (1 - self.share) * self.tails[j - cepts[i][k - 1] + 40] + flat
            before = cepts[i] or before
        return float(value)


@pytest.mark.parametrize("name", ["ibm3", "ibm4"])
def test_fertility_models_equal_enumeration(name: str) -> None:
    """The climb finds the best alignment of all; posteriors are sums over it and what differs by a move or swap."""
    aligner = ALIGNERS.get(name)()
    aligner.train(SOURCE, TARGET)
    numbers = FertilityNumbers(aligner, name == "ibm4")
    forward, _ = aligner.viterbi(SOURCE, TARGET)
    for k, found in enumerate(aligner.posteriors(SOURCE, TARGET)):
        given, generated = SOURCE[k].split(), TARGET[k].split()
        links = {j: i for i, j in forward[k]}
        best: Path = tuple(links.get(j) for j in range(len(generated)))
        assert None not in best  # words made from nothing have probabilities that are not listed
        all_paths = product(range(len(given)), repeat=len(generated))
        assert best == max(all_paths, key=lambda path: numbers.probability(path, given, generated))
        near: set[Path] = {best}
        for j in range(len(generated)):
            near |= {(*best[:j], i, *best[j + 1 :]) for i in range(len(given))}
            for other in range(j):
                swapped = list(best)
                swapped[j], swapped[other] = swapped[other], swapped[j]
                near.add(tuple(swapped))
        weights = {path: numbers.probability(path, given, generated) for path in near}
        expected = np.zeros((len(given), len(generated)))
        for path, weight in weights.items():
            for j, i in enumerate(path):
                assert i is not None
                expected[i, j] += weight
        # What goes to NULL is left: compare what each word gives to the others.
        rows = np.asarray(found.forward, float)
        ratio = rows.sum() / expected.sum()
        assert rows / ratio == pytest.approx(expected, rel=0.05, abs=0.02 * expected.max())


def exact_links(anchored: bool) -> NDArray[np.float64]:
    """Link posteriors of two pairs under the collapsed model with flat jumps and fertilities."""
    pairs = [(("a", "b"), ("x", "y")), (("a",), ("x",))]
    alpha, null_alpha, jump = 0.1, 0.1, 1 / 401
    support = {"a": 2, "b": 2}
    words = 3  # x, y, and the unknown word
    totals = np.zeros((3, 2))
    mass = 0.0
    paths = [list(product((None, *range(len(e))), repeat=len(f))) for e, f in pairs]
    for one, other in product(*paths):
        if anchored and other != (0,):
            continue
        counts: dict[tuple[str, str], int] = defaultdict(int)
        given: dict[str, int] = defaultdict(int)
        null: dict[str, int] = defaultdict(int)
        weight = 1.0
        for (e, f), path in zip(pairs, (one, other), strict=True):
            for j, i in enumerate(path):
                if i is None:
                    weight *= RARE_NULL * jump * (null[f[j]] + null_alpha) / (sum(null.values()) + null_alpha * words)
                    null[f[j]] += 1
                else:
                    word = e[i]
                    weight *= (1 - RARE_NULL) * jump**2
                    weight *= (counts[word, f[j]] + alpha) / (given[word] + alpha * support[word])
                    counts[word, f[j]] += 1
                    given[word] += 1
        mass += weight
        for j, i in enumerate(one):
            if i is not None:
                totals[j, i] += weight
        if other[0] is not None:
            totals[2, 0] += weight
    return totals / mass


@pytest.mark.parametrize("anchored", [False, True])
def test_the_sampler_equals_enumeration(anchored: bool) -> None:
    """With flat jumps and fertilities what is left are the collapsed lexical distributions and NULL."""
    source, target = Vocabulary(), Vocabulary()
    bitext = native.Bitext(*source.intern_all(["a b", "a"]), *target.intern_all(["x y", "x"]), max_length=10)
    settings = native.GibbsSettings()
    settings.lexical_alpha = settings.null_alpha = 0.1
    settings.jump_alpha = settings.fertility_alpha = settings.fertility_strength = 1e9
    settings.null_probability = RARE_NULL
    settings.sweeps, settings.burn_in, settings.chains = [2, 2, 50], 20, 32
    anchors = native.Anchors()
    if anchored:
        anchors = native.Anchors(np.array([[0, 0]], np.int32), np.ones(1, np.float32), np.array([0, 1], np.int64), [])
    means = []
    for seed in range(20):
        settings.seed = seed
        model = native.Sampler(bitext, anchors, settings, cell_budget=1000).run_all(threads=2)
        means.append(model.posteriors(bitext, native.Anchors(), threads=1)[0])
    forward = np.mean(means, 0)
    expected = exact_links(anchored)
    assert pytest.approx(expected[:2], abs=0.015) == forward[:4].reshape(2, 2).T
    assert forward[4] == pytest.approx(expected[2, 0], abs=0.015)
