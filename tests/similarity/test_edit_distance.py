"""Edit lattices against enumeration, gradients against differences, and the scorers over them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman._native import similarity as native
from dragoman.errors import InputError, SettingError
from dragoman.metrics import get_metric
from dragoman.similarity import TextPair, get_scorer
from dragoman.similarity.edit_distance import EditModel, _EditedPairs, squared_loss
from dragoman.similarity.edit_metric import Spede
from tests.conformance import check_metric

OPERATIONS = native.edit_operations()
SIZE = len(OPERATIONS)
FEATURES = SIZE + SIZE * SIZE
DELETE, INSERT, WORD = (OPERATIONS.index(name) for name in ("delete", "insert", "same word"))
Sides = tuple[int, ...]
Block = tuple[int, int, int, int]
"""Where a paraphrase begins in both texts, and how many words it has there."""


def feature(before: int, operation: int) -> int:
    return SIZE + before * SIZE + operation


def ways(
    first: str, second: str, *, jump: int = 0, sides: Sides = (), blocks: Sequence[Block] = ()
) -> Iterator[list[int]]:
    """All edit sequences, by the rules as they are written: words match their equals, and blocks their paraphrases."""
    texts, sizes = (first, second), (len(first), len(second))

    def moved(at: tuple[int, int], side: int, steps: int = 1) -> tuple[int, int]:
        return (at[0] + steps, at[1]) if side == 0 else (at[0], at[1] + steps)

    def matches(at: tuple[int, int]) -> Iterator[tuple[tuple[int, int], int]]:
        """Where substitutions lead, and what they are."""
        if at[0] < sizes[0] and at[1] < sizes[1] and texts[0][at[0]] == texts[1][at[1]]:
            yield (at[0] + 1, at[1] + 1), WORD
        for i, j, a, b in blocks:
            if at == (i, j):
                yield (i + a, j + b), paraphrase(a, b)

    def walk(
        at: tuple[int, int], made: list[int], memory: tuple[str, int, int, int, bool] = ("normal", 0, 0, 0, False)
    ) -> Iterator[list[int]]:
        mode = memory[0]
        consuming = (DELETE, INSERT)
        if mode == "normal":
            if at == sizes:
                yield made
            for side in (0, 1):
                if at[side] < sizes[side]:
                    yield from walk(moved(at, side), [*made, consuming[side]])
            for there, code in matches(at):
                yield from walk(there, [*made, code])
            for side in sides:
                name = f"jump {'second' if side else 'first'}"
                for distance in range(1, jump + 1):
                    landed = moved(at, side, distance)
                    if landed[side] < sizes[side]:
                        code = OPERATIONS.index(f"{name} 1")
                        yield from walk(landed, [*made, code], ("ahead", side, at[side], landed[side], False))
            return
        _, side, gap, land, substituted = memory
        name = f"jump {'second' if side else 'first'}"
        if mode == "ahead":
            for there, code in matches(at):
                yield from walk(there, [*made, code], ("ahead", side, gap, land, True))
            if substituted:
                for which in (0, 1):
                    if at[which] < sizes[which]:
                        yield from walk(moved(at, which), [*made, consuming[which]], memory)
                back = (at[0], gap) if side else (gap, at[1])
                code = OPERATIONS.index(f"{name} 2")
                yield from walk(back, [*made, code], ("gap", side, land, at[side], False))
            return
        if at[side] == gap:  # the end of the gap
            on = (at[0], land) if side else (land, at[1])
            yield from walk(on, [*made, OPERATIONS.index(f"{name} 3")])
            return
        for there, code in matches(at):
            if there[side] <= gap:
                yield from walk(there, [*made, code], ("gap", side, gap, land, True))
        if at[1 - side] < sizes[1 - side]:
            yield from walk(moved(at, 1 - side), [*made, consuming[1 - side]], memory)
        if substituted:
            yield from walk(moved(at, side), [*made, consuming[side]], memory)

    yield from walk((0, 0), [])


def paraphrase(a: int, b: int) -> int:
    return OPERATIONS.index(f"paraphrase {a}-{b}")


def lattices(
    first: str, second: str, *, jump: int = 0, sides: Sides = (), max_ahead: int = 0, blocks: Sequence[Block] = ()
) -> native.EditLattices:
    found = [(0, i, j, WORD, 1, 1) for i, a in enumerate(first) for j, b in enumerate(second) if a == b]
    found += [(0, i, j, paraphrase(a, b), a, b) for i, j, a, b in blocks]
    return native.EditLattices(
        np.array([[len(first), len(second)]], np.int64),
        np.array(found, np.int64).reshape(-1, 6),
        jump=jump,
        max_ahead=max_ahead,
        jump_first=0 in sides,
        jump_second=1 in sides,
    )


def fired(way: list[int]) -> Counter[int]:
    return Counter([*way, *(feature(a, b) for a, b in pairwise(way))])


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [
        ("ab", "ba", (8, 9, 10)),
        ("abc", "cab", (28, 35, 40)),
        ("abcd", "cdab", (88, 127, 166)),
        ("a,bc", "bca", (44, 53, 60)),
    ],
)
def test_numbers_of_ways(first: str, second: str, counts: tuple[int, int, int]) -> None:
    zero = np.zeros(FEATURES)
    for sides, count in zip(((), (1,), (0, 1)), counts, strict=True):
        assert lattices(first, second, jump=5, sides=sides).values(zero)[0] == pytest.approx(math.log(count))


def test_worked_example() -> None:
    """`a b` and `a c`: six ways without a substitution, two with one."""
    found = lattices("ab", "ac")
    weights = np.zeros(FEATURES)
    values, expected = found.expectations(weights)
    assert values[0] == pytest.approx(math.log(8))
    assert expected[0, [DELETE, INSERT, WORD]].tolist() == pytest.approx([1.75, 1.75, 0.25])
    weights[[DELETE, INSERT, WORD]] = -1, -1, 1
    values, expected = found.expectations(weights)
    assert values[0] == pytest.approx(-0.16765, abs=1e-5)
    assert expected[0, WORD] == pytest.approx(0.87005, abs=1e-5)
    assert expected[0, INSERT] == pytest.approx(1.12995, abs=1e-5)
    weights[feature(WORD, DELETE)] = 0.5
    assert found.values(weights)[0] == pytest.approx(0.08094, abs=1e-5)


SIDES = st.sampled_from([(), (1,), (0,), (0, 1)])


BLOCKS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 2), st.integers(1, 2)), max_size=3)


@given(st.text("abc", max_size=4), st.text("abc", max_size=4), st.integers(1, 3), SIDES, BLOCKS, st.integers(0, 99))
def test_equals_enumeration(first: str, second: str, jump: int, sides: Sides, blocks: list[Block], seed: int) -> None:
    """With paraphrases of one or two words wherever they fit into both texts."""
    if not first and not second:
        return
    blocks = [(i, j, a, b) for i, j, a, b in dict.fromkeys(blocks) if i + a <= len(first) and j + b <= len(second)]
    weights = np.random.default_rng(seed).normal(size=FEATURES)
    found = lattices(first, second, jump=jump, sides=sides, blocks=blocks)
    all_ways = list(ways(first, second, jump=jump, sides=sides, blocks=blocks))
    scores = np.array([sum(weights[f] * n for f, n in fired(way).items()) for way in all_ways])
    total = np.logaddexp.reduce(scores)
    values, expected = found.expectations(weights)
    assert values[0] == pytest.approx(total)
    wanted = np.zeros(FEATURES)
    for way, score in zip(all_ways, scores, strict=True):
        for f, n in fired(way).items():
            wanted[f] += n * math.exp(score - total)
    assert np.allclose(expected[0], wanted, atol=1e-9)
    best = [operation for operation, *_ in found.best(0, weights)]
    assert sum(weights[f] * n for f, n in fired(best).items()) == pytest.approx(scores.max())
    assert set(np.flatnonzero(found.feature_counts()).tolist()) == {f for way in all_ways for f in fired(way)}
    # every word is deleted, inserted or substituted, and jumps come in threes
    matched = [
        expected[0, WORD] + sum((a, b)[side] * expected[0, paraphrase(a, b)] for a in (1, 2) for b in (1, 2))
        for side in (0, 1)
    ]
    assert expected[0, DELETE] + matched[0] == pytest.approx(len(first))
    assert expected[0, INSERT] + matched[1] == pytest.approx(len(second))
    jumps = [expected[0, OPERATIONS.index(f"jump second {k}")] for k in (1, 2, 3)]
    assert jumps == pytest.approx([jumps[0]] * 3)


@given(st.text("ab", min_size=1, max_size=5), st.text("ab", min_size=1, max_size=5), st.integers(0, 99))
def test_gradient_equals_differences(first: str, second: str, seed: int) -> None:
    weights = np.random.default_rng(seed).normal(size=FEATURES)
    found = lattices(first, second, jump=2, sides=(0, 1))
    _, expected = found.expectations(weights)
    for at in np.random.default_rng(seed).choice(np.flatnonzero(found.feature_counts()), 4).tolist():
        up, down = weights.copy(), weights.copy()
        up[at] += 1e-5
        down[at] -= 1e-5
        slope = (found.values(up)[0] - found.values(down)[0]) / 2e-5
        assert expected[0, at] == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_gradient_of_the_objective_equals_differences() -> None:
    """With the penalty, the constant, and values over numbers of words."""
    draws = np.random.default_rng(3)
    model = EditModel(synonyms=False)
    pairs = [TextPair.of(first, second) for first, second, _ in PAIRS]
    gold = np.array([value for *_, value in PAIRS])
    parts = [_EditedPairs(*model._lattices(pairs[own], 1), gold[own]) for own in (slice(0, 10), slice(10, None))]
    used = np.flatnonzero(sum(part.lattices.feature_counts() for part in parts))
    point = draws.normal(0, 0.3, len(used) + 1)
    _, gradient = squared_loss(point, used, parts, 5.0)
    for at in [*draws.choice(len(used), 8, replace=False).tolist(), len(used)]:
        step = np.zeros(len(point))
        step[at] = 1e-5
        slope = (
            squared_loss(point + step, used, parts, 5.0)[0] - squared_loss(point - step, used, parts, 5.0)[0]
        ) / 2e-5
        assert gradient[at] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_paraphrases_of_a_table_are_blocks(tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.write_text("kicked the ||| died\nbought ||| purchased\nvery old man ||| senior\n")
    model = EditModel(synonyms=False, paraphrases=str(table))
    found = model._matches(["he", "kicked", "the", "bucket"], ["he", "died", "bought"])
    told = {(i, j, OPERATIONS[kind], a, b) for i, j, kind, a, b in found}
    assert told == {(0, 0, "same word", 1, 1), (1, 1, "paraphrase 2-1", 2, 1)}
    assert model._matches(["purchased"], ["bought"])[0][2] == paraphrase(1, 1)


def test_synonyms_are_english() -> None:
    for kind in ("pfsm", "ppda"):
        with pytest.raises(SettingError, match="WordNet is English, not 'de'"):
            get_scorer(kind, ["language=de"])
        assert get_scorer(kind, ["language=de", "synonyms=false"]).name == kind


def test_a_bound_on_what_is_ahead() -> None:
    zero = np.zeros(FEATURES)
    counts = [lattices("abcd", "cdab", jump=5, sides=(1,), max_ahead=n).values(zero)[0] for n in (1, 2, 9, 0)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    assert counts[2] == pytest.approx(counts[3])


def test_refuses_what_cannot_be() -> None:
    with pytest.raises(InputError, match="empty"):
        lattices("", "")
    with pytest.raises(InputError, match="outside"):
        native.EditLattices(np.array([[1, 1]]), np.array([[0, 1, 0, WORD, 1, 1]]))
    with pytest.raises(InputError, match="outside"):
        native.EditLattices(np.array([[1, 1]]), np.array([[0, 0, 0, DELETE, 1, 1]]))
    with pytest.raises(InputError, match="more than 1,000"):
        lattices("a" * 1001, "b")


PAIRS = [
    ("a b c d", "a b c d", 1.0),
    ("a b c d", "c d a b", 0.9),
    ("a b c d", "a b x y", 0.5),
    ("a b c d", "x y z w", 0.0),
    ("a b", "a b c", 0.8),
    ("x a b", "a b x", 0.9),
    ("p q r", "s t u v", 0.05),
    ("p q r", "p q", 0.75),
] * 3


@pytest.mark.slow
def test_the_scorers_learn_and_show_their_edits() -> None:
    pairs = [TextPair.of(first, second) for first, second, _ in PAIRS]
    gold = [value for *_, value in PAIRS]
    moved = TextPair.of("a b c d", "c d a b")
    errors = {}
    for kind in ("pfsm", "ppda"):
        scorer = get_scorer(kind, ["synonyms=false", "penalty=0.01", "cutoff=1"]).fit(pairs, gold)
        errors[kind] = float(np.mean((scorer.score(pairs) - gold) ** 2))
        links = scorer.explain(moved).alignment
        assert links is not None
        assert len(links) == (2 if kind == "pfsm" else 4)
    assert errors["ppda"] < errors["pfsm"] < float(np.var(gold))


@pytest.mark.slow
def test_held_out_scores_are_those_of_models_of_the_other_folds() -> None:
    """Lattices are built once for all folds; the result is that of fitting each fold by itself."""
    pairs = [TextPair.of(first, second) for first, second, _ in PAIRS]
    gold = np.array([value for *_, value in PAIRS])
    fold_of = np.arange(len(pairs)) % 3
    options = ["synonyms=false", "penalty=0.01", "cutoff=2"]
    model = get_scorer("ppda", options)
    found = model.held_out(pairs, gold, fold_of)
    for fold in range(3):
        rest, own = ([pair for pair, at in zip(pairs, fold_of == fold, strict=True) if at == mine] for mine in (0, 1))
        alone = get_scorer("ppda", options).fit(rest, gold[fold_of != fold])
        assert alone.score(own) == pytest.approx(found[fold_of == fold], abs=1e-3)
    assert model.score(pairs) == pytest.approx(get_scorer("ppda", options).fit(pairs, gold).score(pairs), abs=1e-3)


@pytest.mark.slow
def test_spede_is_the_model_as_a_metric(tmp_path: Path) -> None:
    model = get_scorer("ppda", ["synonyms=false", "penalty=0.01", "cutoff=1"])
    model.fit([TextPair.of(first, second) for first, second, _ in PAIRS], [value for *_, value in PAIRS])
    model.save(tmp_path / "edits")
    metric = get_metric(f"spede:model={tmp_path / 'edits'}")
    assert isinstance(metric, Spede)
    check_metric(metric)
    references = [["a b c d", "p q r"], ["x y z w", "s t u v"]]
    best = metric.sentence_scores(["c d a b", "s t u v"], references)
    pairs = [TextPair.of("a b c d", "c d a b"), TextPair.of("s t u v", "s t u v")]
    assert best == pytest.approx(model.score(pairs))
    assert metric.corpus_score(["c d a b", "s t u v"], references) == pytest.approx(best.mean())
    assert metric.sentence_scores([""], ["a"]).tolist() == [0.0]
    assert metric.explain("c d a b", ["x y z w", "a b c d"]).first == ("a", "b", "c", "d")
    assert "edits:ppda" in metric.signature
    with pytest.raises(SettingError, match="model=FOLDER"):
        get_metric("spede").corpus_score(["a"], ["a"])
    get_scorer("string").save(tmp_path / "string")
    with pytest.raises(SettingError, match="not a model of edits"):
        get_metric(f"spede:model={tmp_path / 'string'}").corpus_score(["a"], ["a"])
