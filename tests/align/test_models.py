"""Every aligner: worked examples, properties, storage, threads."""

from __future__ import annotations

import math
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from dragoman.align import ALIGNERS, Aligner, Alignment
from dragoman.align.anchors import Anchors, ExpressionAnchor
from dragoman.align.base import SLOT_MEMORY
from dragoman.align.hmm import Hmm
from dragoman.align.ibm import Ibm1
from dragoman.align.sampler import Bayes
from dragoman.errors import BundleError, InputError, LengthMismatch, SettingError
from dragoman.lm import ClassMap

HOUSE = ["das Haus", "das Buch", "ein Buch"], ["the house", "the book", "a book"]


def translation(aligner: Aligner, word: str, other: str) -> float:
    return dict(aligner.translations(word)).get(other, 0.0)


@pytest.mark.parametrize(("iterations", "known", "rare"), [(1, 0.5, 0.5), (2, 0.6364, 0.5714), (3, 0.7479, 0.6534)])
def test_model_1_worked_example(iterations: int, known: float, rare: float) -> None:
    aligner = Ibm1(null_probability=0, iterations=iterations)
    aligner.train(*HOUSE)
    assert translation(aligner, "das", "the") == pytest.approx(known, abs=1e-4)
    assert translation(aligner, "Buch", "book") == pytest.approx(known, abs=1e-4)
    assert translation(aligner, "Haus", "house") == pytest.approx(rare, abs=1e-4)


PRIORS = {
    "none": [(0.5, 0.5), (0.6, 0.5714), (0.6923, 0.64)],
    "paper": [(0.75, 0.5), (0.8864, 0.625), (0.9461, 0.74)],
    "relative": [(0.6667, 0.5), (0.7971, 0.5833), (0.8652, 0.6837)],
    "posterior": [(0.75, 0.5), (0.8276, 0.625), (0.8865, 0.7154)],
}


@pytest.mark.parametrize("form", PRIORS)
@pytest.mark.parametrize("iterations", [1, 2, 3])
def test_priors_worked_example(form: str, iterations: int) -> None:
    """Okita et al. (2010): an anchor in one sentence pair, none in the other."""
    source, target = ["vie bonne", "vie courte"], ["life good", "life short"]
    anchors = None if form == "none" else Anchors.of(2, [ExpressionAnchor(0, 0, 0, 1, 1)])
    aligner = Ibm1(null_probability=0, iterations=iterations, prior="posterior" if form == "none" else form)
    aligner.train(source, target, anchors=anchors)
    known, other = PRIORS[form][iterations - 1]
    assert translation(aligner, "vie", "life") == pytest.approx(known, abs=1e-4)
    assert translation(aligner, "courte", "short") == pytest.approx(other, abs=1e-4)
    if form != "none":
        assert translation(aligner, "bonne", "good") == pytest.approx(1, abs=1e-4)


def test_an_anchor_decides_what_statistics_cannot() -> None:
    source, target = ["c' est la vie .", "la vie en rose ."], ["that is life .", "rosy life ."]
    plain = Ibm1(null_probability=0, iterations=10)
    plain.train(source, target)
    assert (
        translation(plain, "vie", "life")
        == pytest.approx(translation(plain, "la", "life"))
        == pytest.approx(0.4791, abs=1e-3)
    )
    for form in ("paper", "relative", "posterior"):
        aligner = Ibm1(null_probability=0, iterations=10, prior=form)
        known = Anchors.of(2, [ExpressionAnchor(0, 3, 2, 1, 1), ExpressionAnchor(1, 1, 1, 1, 1)])
        aligner.train(source, target, anchors=known)
        assert translation(aligner, "vie", "life") == pytest.approx(1, abs=1e-4)
        assert translation(aligner, "la", "life") < 1e-6


def toy(pairs: int = 400, seed: int = 3) -> tuple[list[str], list[str], list[Alignment]]:
    """A language pair of 60 words with local reordering, and its links."""
    random = np.random.default_rng(seed)
    source, target, gold = [], [], []
    for _ in range(pairs):
        words = random.integers(0, 60, random.integers(3, 9)).tolist()
        order = np.arange(len(words))
        for at in range(len(words) - 1):
            if random.random() < 0.3:
                order[[at, at + 1]] = order[[at + 1, at]]
        source.append(" ".join(f"s{w}" for w in words))
        target.append(" ".join(f"t{words[i]}" for i in order))
        gold.append(Alignment(tuple((int(i), j) for j, i in enumerate(order))))
    return source, target, gold


def quick(name: str) -> Aligner:
    return Bayes(chains=2, sweeps=0.2) if name == "bayes" else ALIGNERS.get(name)()


@pytest.mark.slow
@pytest.mark.parametrize("name", list(ALIGNERS))
def test_learns_saves_loads_and_does_not_depend_on_threads(name: str, tmp_path: Path) -> None:
    source, target, gold = toy(300)
    found = []
    for threads in (1, 3):
        aligner = quick(name)
        report = aligner.train(source, target, threads=threads, languages=("xx", "yy"))
        assert (report.pairs, report.used) == (300, 300)
        found.append(aligner.align(source, target, threads=threads))
    assert found[0] == found[1]
    right = sum(len(a & b) for a, b in zip(found[0], gold, strict=True))
    assert right / sum(map(len, gold)) > 0.8
    aligner.save(tmp_path / "model")
    again = Aligner.load(tmp_path / "model", languages=("xx", "yy"))
    assert type(again) is type(aligner)
    assert again.to_dict() == aligner.to_dict()
    for heuristic in ("posterior", "agreement", "grow-diag-final-and"):
        first = aligner.align(source, target, symmetrize=heuristic)
        assert again.align(source, target, symmetrize=heuristic) == first
        assert again.align(source[5:6], target[5:6], symmetrize=heuristic) == first[5:6]
    with pytest.raises(BundleError, match="an aligner of xx-yy where yy-xx is needed"):
        Aligner.load(tmp_path / "model", languages=("yy", "xx"))


@pytest.mark.parametrize("name", list(ALIGNERS))
def test_places_that_are_looked_up_change_nothing(name: str, tmp_path: Path) -> None:
    made: list[bytes] = []
    source, target, _ = toy(40)
    for memory in (SLOT_MEMORY, 0):
        aligner = quick(name)
        aligner.train(source, target, memory=memory)
        aligner.save(tmp_path / f"{len(made)}")
        made.append((tmp_path / f"{len(made)}" / "tables.bin").read_bytes())
    assert made[0] == made[1]


@pytest.mark.parametrize("name", list(ALIGNERS))
def test_posteriors_are_probabilities(name: str) -> None:
    source, target, _ = toy(60)
    aligner = quick(name)
    aligner.train(source, target)
    for found, one, other in zip(aligner.posteriors(source, target), source, target, strict=True):
        assert found.forward.shape == found.reverse.shape == (len(one.split()), len(other.split()))
        assert found.forward.min() >= 0
        assert found.forward.sum(0).max() <= 1.01
        assert found.reverse.sum(1).max() <= 1.01
        assert found.forward_logprob < 0


@pytest.mark.parametrize("name", ["ibm1", "ibm2", "hmm"])
def test_likelihood_never_falls(name: str) -> None:
    source, target, _ = toy(100)
    aligner = ALIGNERS.get(name)()
    logprobs = aligner.train(source, target).logprobs
    stages = [stage for stage, _, _ in logprobs]
    for side in (1, 2):
        values = [row[side] for row in logprobs]
        for at in range(1, len(values)):
            if stages[at] == stages[at - 1]:
                assert values[at] >= values[at - 1] - 1e-3 * abs(values[at - 1])  # type: ignore[operator, arg-type]


@pytest.mark.parametrize("name", list(ALIGNERS))
def test_anchors_hold(name: str) -> None:
    source, target, gold = toy(80)
    anchored = []
    for k, links in enumerate(gold):
        i, j = links.links[k % len(links)]
        anchored.append(ExpressionAnchor(k, i, j, 1, 1))
    known = Anchors.of(len(source), anchored)
    aligner = quick(name)
    aligner.train(source, target, anchors=known)
    forward, reverse = aligner.viterbi(source, target, anchors=known)
    for k, anchor in enumerate(anchored):
        link = (anchor.source, anchor.target)
        assert link in forward[k]
        assert link in reverse[k]
        assert not [x for x in forward[k] if x != link and (x[0] == link[0] or x[1] == link[1])]


@pytest.mark.parametrize("name", list(ALIGNERS))
def test_update_learns_new_words(name: str) -> None:
    source, target, _ = toy(150)
    aligner = quick(name)
    aligner.train(source, target)
    before = aligner.align(source[:20], target[:20])
    aligner.update(["s1 neu s2", "neu s5", "s7 s9 neu"] * 3, ["t1 new t2", "new t5", "t7 t9 new"] * 3)
    assert aligner.translations("neu", limit=1)[0][0] == "new"
    after = aligner.align(source[:20], target[:20])
    same = sum(len(a & b) for a, b in zip(before, after, strict=True))
    assert same > 0.9 * sum(map(len, before))


def test_bad_input() -> None:
    with pytest.raises(LengthMismatch, match="2 source sentences, 1 target"):
        Ibm1().train(["a", "b"], ["x"])
    with pytest.raises(InputError, match="no sentence pair to learn from"):
        Ibm1().train(["", "a"], ["x", ""])
    with pytest.raises(InputError, match="has not been trained"):
        Ibm1().align(["a"], ["x"])
    with pytest.raises(InputError, match="empty or holds a blank"):
        Ibm1().train([["a b"]], [["x"]])
    with pytest.raises(SettingError, match="null_probability"):
        Ibm1(null_probability=1.5)
    with pytest.raises(SettingError, match="no symmetrization is called"):
        aligner = Ibm1()
        aligner.train(*HOUSE)
        aligner.align(*HOUSE, symmetrize="best")


def test_long_and_empty_pairs_are_skipped_and_counted() -> None:
    long = " ".join(f"w{n}" for n in range(1000))
    aligner = Bayes(chains=1, sweeps=0.05)
    report = aligner.train([*HOUSE[0], long, "", "allein"], [*HOUSE[1], long, "x", ""])
    assert (report.pairs, report.used, report.empty, report.too_long, report.unbalanced) == (6, 3, 2, 1, 0)
    assert Ibm1().train(["a", "b c"], ["x " * 10, "x y"]).unbalanced == 1
    assert [len(a) for a in aligner.align([long, ""], [long, "x"])] == [0, 0]
    assert aligner.posteriors([long], [long])[0].forward.size == 0


def test_seeds_give_chains_of_their_own() -> None:
    source, target, _ = toy(40)
    means = []
    for seed in (1, 1, 2):
        aligner = Bayes(chains=1, sweeps=0.05, seed=seed)
        aligner.train(source, target)
        means.append(np.concatenate([p.mean().ravel() for p in aligner.posteriors(source, target)]))
    assert np.array_equal(means[0], means[1])
    assert not np.array_equal(means[0], means[2])


def test_counts_without_anchors_are_maximum_likelihood() -> None:
    source, target, _ = toy(40)
    tables = []
    for prior in ("posterior", "relative"):
        aligner = ALIGNERS.get("hmm")(prior=prior)  # type: ignore[call-arg]
        aligner.train(source, target, anchors=Anchors.of(len(source)))
        tables.append(list(aligner.lexicon()))
    assert tables[0] == tables[1]


@pytest.mark.parametrize("name", ["ibm1", "ibm2", "hmm"])
def test_translations_sum_to_one(name: str) -> None:
    source, target, _ = toy(60)
    aligner = ALIGNERS.get(name)()
    aligner.train(source, target)
    for direction in ("forward", "reverse"):
        totals: dict[str, float] = {}
        for given, _, probability in aligner.lexicon(direction=direction):
            totals[given] = totals.get(given, 0) + probability
        assert max(abs(total - 1) for total in totals.values()) < 1e-4
    with pytest.raises(SettingError, match="direction is 'up'"):
        list(aligner.lexicon(direction="up"))


@pytest.mark.parametrize("name", ["ibm1", "ibm2", "hmm"])
def test_likelihood_with_anchors_never_falls(name: str) -> None:
    source, target, gold = toy(80)
    known = Anchors.of(len(source), [ExpressionAnchor(k, *links.links[0], 1, 1) for k, links in enumerate(gold)])
    rows = ALIGNERS.get(name)().train(source, target, anchors=known).logprobs
    for before, after in pairwise(rows):
        if before[0] == after[0]:
            assert after[1] >= before[1] - 1e-3 * abs(before[1])


def test_anchors_teach_the_other_words_too() -> None:
    """After as many iterations, right links between words without anchors are more probable than without any."""
    source, target, gold = toy(200)
    known = Anchors.of(len(source), [ExpressionAnchor(k, *links.links[0], 1, 1) for k, links in enumerate(gold)])
    right = []
    for anchors in (None, known):
        aligner = Ibm1(iterations=2)
        aligner.train(source, target, anchors=anchors)
        found = aligner.posteriors(source, target)
        right.append(sum(float(p.mean()[i, j]) for p, b in zip(found, gold, strict=True) for i, j in b.links[1:]))
    assert right[1] > right[0] * 1.02


def test_word_classes() -> None:
    """One class is no class; classes found in the text or given; saved with the model."""
    source, target, gold = toy(150)
    one = ClassMap({"<unk>": "all"})
    plain, single = Hmm(), Hmm()
    plain.train(source, target)
    single.train(source, target, classes=(one, one))
    assert single.align(source, target) == plain.align(source, target)
    halves = ClassMap({"<unk>": "0", **{f"s{n}": str(n % 2) for n in range(60)}})
    given = Hmm()
    given.train(source, target, classes=(halves, one))
    assert [p.mean().sum() for p in given.posteriors(source[:5], target[:5])] != [
        p.mean().sum() for p in plain.posteriors(source[:5], target[:5])
    ]
    for name in ("hmm", "joint", "ibm4"):
        aligner = ALIGNERS.get(name)(classes=4)  # type: ignore[call-arg]
        aligner.train(source, target)
        right = sum(len(a & b) for a, b in zip(aligner.align(source, target), gold, strict=True))
        assert right / sum(map(len, gold)) > 0.7
    with pytest.raises(SettingError, match="has no word classes"):
        Ibm1().train(source, target, classes=(one, one))


def test_thresholds() -> None:
    """Soft symmetrization is what it says of the posteriors; a competitive link reaches the best of its row, column."""
    source, target, _ = toy(60)
    aligner = ALIGNERS.get("hmm")(iterations=1)  # type: ignore[call-arg]
    aligner.train(source, target)
    soft = [(p.forward.astype(np.float64), p.reverse.astype(np.float64)) for p in aligner.posteriors(source, target)]
    fewer = 0
    for heuristic in ("posterior", "agreement"):
        tables = [(a + b) / 2 if heuristic == "posterior" else np.sqrt(a * b) for a, b in soft]
        found = aligner.align(source, target, symmetrize=heuristic, threshold=0.05)
        assert [set(a) for a in found] == [set(zip(*map(list, np.where(t >= 0.05)), strict=True)) for t in tables]
        competitive = aligner.align(source, target, symmetrize=heuristic, threshold=0.05, competitive=True)
        for table, links, some in zip(tables, found, competitive, strict=True):
            expected = {(i, j) for i, j in links if joined(table[i], j) and joined(table[:, j], i)}
            assert set(some) == expected
            fewer += len(links) - len(some)
    assert fewer > 0
    with pytest.raises(SettingError, match="competitive thresholds"):
        aligner.align(source, target, symmetrize="union", competitive=True)


def joined(line: NDArray[np.float64], at: int) -> bool:
    best = int(line.argmax())
    return bool((line[min(at, best) : max(at, best) + 1] >= 0.05).all())


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("ibm1", {"alpha": math.nan}), ("ibm1", {"null_probability": math.nan}), ("fast", {"tension": math.nan}),
        ("fast", {"tension_rate": math.nan}), ("hmm", {"uniform_share": math.nan}), ("hmm", {"classes": -1}),
        ("ibm3", {"fertility_smoothing": math.nan}), ("bayes", {"lexical_alpha": math.nan}),
        ("bayes", {"sweeps": math.nan}), ("bayes", {"fertility_strength": math.inf}),
    ],
)  # fmt: skip
def test_numbers_that_are_none_are_refused(name: str, settings: dict[str, float]) -> None:
    with pytest.raises(SettingError):
        ALIGNERS.get(name)(**settings)  # type: ignore[arg-type]


def test_nan_never_passes_silently() -> None:
    source, target, _ = toy(20)
    aligner = Ibm1()
    with pytest.raises(InputError, match="confidence outside"):
        aligner.train(source, target, anchors=Anchors.of(20, [ExpressionAnchor(0, 0, 0, 1, 1, math.nan)]))
    aligner.train(source, target)
    with pytest.raises(SettingError, match="threshold"):
        aligner.align(source, target, symmetrize="posterior", threshold=math.nan)
    with pytest.raises(SettingError, match="weight is nan"):
        aligner.update(source, target, weight=math.nan)


def test_long_sentences_stay_within_bounds() -> None:
    """A sentence of 1,000 words is skipped and counted unless it is asked for; then it is aligned in bounded time."""
    source, target, _ = toy(50)
    long = " ".join((source * 4)[k].split()[0] for k in range(200)) + " x" * 800, "y " * 1000
    for name in ("fast", "hmm", "bayes"):
        aligner = quick(name)
        report = aligner.train([*source, long[0]], [*target, long[1]])
        assert (report.used, report.too_long) == (50, 1)
    wide = ALIGNERS.get("fast")(max_length=1000, iterations=1)  # type: ignore[call-arg]
    started = time.monotonic()
    report = wide.train([*source, long[0]], [*target, long[1]])
    assert (report.used, report.too_long) == (51, 0)
    assert wide.posteriors([long[0]], [long[1]])[0].forward.shape == (1000, 1000)
    assert time.monotonic() - started < 20
