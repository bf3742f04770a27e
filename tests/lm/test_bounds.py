from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest

from dragoman.errors import FormatError, InputError
from dragoman.lm import Bounds, NgramModel, estimate, read_arpa
from tests.lm.arpa_texts import EXAMPLE, Table, histories, random_table


def read(table: Table, folder: Path) -> Bounds:
    path = folder / "table.arpa"
    path.write_text(table.arpa())
    return Bounds.of(read_arpa(path))


def test_worked_example(tmp_path: Path) -> None:
    """The table of max-ARPA values, worked by hand."""
    bounds = read(EXAMPLE, tmp_path)
    expected = {
        ("", "a"): 0.6, ("", "b"): 0.8, ("", "</s>"): 0.24, ("", "<unk>"): 0.12, ("<s>", "a"): 0.6, ("a", "b"): 0.8,
        ("b", "a"): 0.45, ("<s> a", "b"): 0.8, ("b a", "b"): 0.35,
        ("a", "</s>"): 0.24, ("<s>", "b"): 0.15, ("a b", "a"): 0.315,
    }  # fmt: skip
    for (context, word), value in expected.items():
        assert math.exp(bounds.upper(context, word)) == pytest.approx(value, abs=1e-7), (context, word)


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "pruned"])
@pytest.mark.parametrize("seed", range(12))
def test_bounds_are_the_extremes_over_all_histories(seed: int, closed: bool, tmp_path: Path) -> None:
    """Equality, not only a bound, with back-off weights above 1 and with holes in the table."""
    table = random_table(seed, order=2 + seed % 2 + (seed % 5 == 0), closed=closed)
    bounds = read(table, tmp_path)
    model = bounds.model
    words = [ngram[0] for ngram in table.p if len(ngram) == 1]

    def logprob(context: tuple[str, ...], word: str) -> float:
        state = model.empty_state()
        for token in context:
            _, state = model.step(state, token)
        return model.step(state, word)[0]

    for context in histories(words, table.order - 1):
        for word in words:
            every = [
                logprob((*history, *context), word) for history in histories(words, table.order - 1 - len(context))
            ]
            lower, upper = bounds.range(" ".join(context), word)
            assert lower == pytest.approx(min(every), abs=1e-12), (context, word)
            assert upper == pytest.approx(max(every), abs=1e-12), (context, word)
            assert logprob(context, word) == pytest.approx(table.logprob(context, word), abs=1e-5)


@pytest.mark.parametrize("layout", ["hashed", "compact"])
def test_longer_contexts_tighten_bounds(layout: str, tmp_path: Path) -> None:
    made = estimate(["a b c a b", "b c a", "c c a b", "a b", "b a c"] * 2, order=4)
    model = made.build(layout=layout, bits=4)
    bounds = Bounds.of(made.ngrams, model)
    bounds.save(tmp_path / "bounds")
    again = Bounds.open(tmp_path / "bounds", model)
    for context, word in [("a b c", "a"), ("c a b", "</s>"), ("b b b", "c"), ("z a", "b")]:
        words = context.split()
        ranges = [again.range(" ".join(words[start:]), word) for start in range(len(words), -1, -1)]
        for (low, high), (inner_low, inner_high) in pairwise(ranges):
            assert low <= inner_low <= inner_high <= high
        if len(words) == 3:
            assert ranges[-1][0] == ranges[-1][1]
        assert ranges == [bounds.range(" ".join(words[start:]), word) for start in range(len(words), -1, -1)]


def test_bounds_of_another_model_are_refused(tmp_path: Path) -> None:
    one, other = (estimate(text, order=2) for text in (["a b"], ["a c"]))
    Bounds.of(one.ngrams).save(tmp_path / "bounds")
    with pytest.raises(FormatError, match="bounds of another model"):
        Bounds.open(tmp_path / "bounds", other.build())
    with pytest.raises(InputError, match="does not have the n-grams"):
        Bounds.of(one.ngrams, other.build())
    assert isinstance(Bounds.open(tmp_path / "bounds", one.build(layout="compact", bits=32)).model, NgramModel)


def test_unigram_models_have_nothing_to_bound() -> None:
    bounds = Bounds.of(estimate(["a b", "a"], order=1).ngrams)
    low, high = bounds.range("", "a")
    assert low == high == bounds.upper("b b", "a")
