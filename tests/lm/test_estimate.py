from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import InputError, SettingError
from dragoman.executors import LocalExecutor
from dragoman.files import read_lines
from dragoman.lm import Estimate, counting, estimate, estimate_from_counts
from dragoman.lm.estimate import SMOOTHINGS, parse_memory


def listed(lines: list[str]) -> dict[str, tuple[float, float]]:
    """N-grams of an ARPA text with log10 probability and back-off weight."""
    found: dict[str, tuple[float, float]] = {}
    for line in lines:
        fields = line.split("\t")
        if len(fields) >= 2:
            found[fields[1]] = (float(fields[0]), float(fields[2]) if len(fields) > 2 else 0.0)
    return found


def arpa(made: Estimate, folder: Path) -> list[str]:
    made.write_arpa(folder / "made.arpa")
    return (folder / "made.arpa").read_text("utf-8").splitlines()


def random_text(sentences: int, seed: int = 1, words: int = 40) -> list[str]:
    chance = random.Random(seed)
    return [
        " ".join(f"w{chance.randrange(1 + chance.randrange(words))}" for _ in range(chance.randrange(12)))
        for _ in range(sentences)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("memory", ["2G", "1M"])
@pytest.mark.parametrize(
    ("name", "lines", "order", "prune", "interpolate_unigrams"),
    [
        ("multi30k-5000.o1", 5000, 1, (), True),
        ("multi30k-5000.o2", 5000, 2, (), True),
        ("multi30k-5000.o3", 5000, 3, (), True),
        ("multi30k-5000.o3.no-unigram-interpolation", 5000, 3, (), False),
        ("multi30k-5000.o4.prune-0-0-1-2", 5000, 4, (0, 0, 1, 2), True),
        ("multi30k-5000.o5", 5000, 5, (), True),
        ("multi30k-60.o3.fallback", 60, 3, (), True),
    ],
)
def test_equal_to_lmplz(
    data: Path,
    tmp_path: Path,
    name: str,
    lines: int,
    order: int,
    prune: tuple[int, ...],
    interpolate_unigrams: bool,
    memory: str,
) -> None:
    """The same n-grams, and the same numbers to print precision, in memory and through files."""
    reference = data / "reference-lm" / f"{name}.arpa.gz"
    if not reference.is_file():
        pytest.skip("no reference models here")
    text = list(itertools.islice(read_lines(data / "multi30k" / "train.en.gz"), lines))
    made = estimate(
        text, order=order, prune=prune, interpolate_unigrams=interpolate_unigrams, memory=memory, scratch=tmp_path
    )
    ours, theirs = listed(arpa(made, tmp_path)), listed(list(read_lines(reference)))
    assert ours.keys() == theirs.keys()
    assert max(abs(a - b) for ngram in theirs for a, b in zip(ours[ngram], theirs[ngram], strict=True)) < 1e-5
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made.arpa"]


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("options", [{}, {"prune": (0, 1)}, {"interpolate_unigrams": False}, {"vocabulary": ["w1 w2"]}])
def test_every_context_sums_to_one(order: int, options: dict[str, object]) -> None:
    text = random_text(200)
    if order == 1:
        options = {key: value for key, value in options.items() if key != "prune"}
    made = estimate(text, order=order, **options)  # type: ignore[arg-type]
    model = made.build()
    words = [word for word in model.words() if word != "<s>"]
    for context in ["", "w1", "w1 w2", "w3 w1 w2 w2", "never seen"]:
        for state in (model.begin_state(), model.empty_state()):
            _, after = model.step_phrase(state, context)
            assert math.fsum(math.exp(model.step(after, word)[0]) for word in words) == pytest.approx(1, abs=1e-5)


def test_small_text_never_aborts_and_says_so() -> None:
    for text in (["a"], ["a b c d e"], [""], ["a a a a a a"] * 20):
        made = estimate(text, order=4)
        assert all(order.fallback for order in made.orders if order.seen)
        assert any("too little text" in line for line in made.notes)
        assert made.build().score(text)[0] < 0


def test_estimated_discounts_are_reported() -> None:
    made = estimate(random_text(3000), order=3)
    assert not made.orders[2].fallback
    assert 0 < made.orders[2].discounts[0] < 1
    assert made.to_dict()["orders"][2]["fallback"] is None


def test_counts_give_the_same_model_as_the_text(tmp_path: Path) -> None:
    text = random_text(300)
    counts: Counter[tuple[str, ...]] = Counter()
    for line in text:
        tokens = ["<s>", *line.split(), "</s>"]
        for end in range(1, len(tokens)):
            for n in range(1, 4):
                if end - n + 1 >= 0:
                    counts[tuple(tokens[end - n + 1 : end + 1])] += 1
    whole = {ngram: n for ngram, n in counts.items() if len(ngram) == 3 or ngram[0] == "<s>"}
    (tmp_path / "counts").write_text("".join(f"{' '.join(ngram)}\t{n}\n" for ngram, n in counts.items()))
    expected = sorted(arpa(estimate(text, order=3), tmp_path))
    assert sorted(arpa(estimate_from_counts(tmp_path / "counts", order=3), tmp_path)) == expected
    pairs = [(" ".join(ngram), n) for ngram, n in whole.items()]
    assert sorted(arpa(estimate_from_counts(pairs, order=3), tmp_path)) == expected


def test_counts_of_trees_divide_by_what_follows() -> None:
    """A head with three dependents is counted once and followed three times; W4 of deep-syntax models, order 2."""
    counts = [
        ("<s> pass", 2), ("pass congress", 1), ("pass bill", 2), ("pass senate", 1), ("bill care", 1), ("bill the", 1),
        ("care health", 1), ("congress </s>", 1), ("senate </s>", 1), ("health </s>", 1), ("the </s>", 1),
    ]  # fmt: skip
    made = estimate_from_counts(counts, order=2, fallback=(0.0, 0.0, 0.0))
    model = made.build()
    state = model.step(model.empty_state(), "pass")[1]
    assert math.exp(model.step(state, "bill")[0]) == pytest.approx(2 / 4, abs=1e-6)
    assert math.exp(model.step(state, "congress")[0]) == pytest.approx(1 / 4, abs=1e-6)


@pytest.mark.parametrize(
    ("counts", "what"),
    [
        ([("a b c", 1)], "more than 2 words"),
        ([("a b", 0)], "impossible count"),
        ([("a b", -1)], "impossible count"),
        ([("", 1)], "no words"),
        ([("a <s>", 1)], "<s> can only be the first word"),
        ([("</s> a", 1)], "</s> can only be the last word"),
        ([("<unk> a", 1)], "meaning of its own"),
        ([("a b", 1), ("c", 3)], "no longer one extends"),
        ([], "no text to learn from"),
    ],
)
def test_impossible_counts_are_refused(counts: list[tuple[str, int]], what: str) -> None:
    with pytest.raises(InputError, match=what):
        estimate_from_counts(counts, order=2)


def test_bad_count_lines_are_named(tmp_path: Path) -> None:
    (tmp_path / "counts").write_text("<s> a\t1\na </s> 1\n")
    with pytest.raises(InputError, match="not `words<TAB>count`") as caught:
        estimate_from_counts(tmp_path / "counts", order=2)
    assert caught.value.where.endswith("counts, line 2")


@pytest.mark.parametrize("token", ["<s>", "</s>", "<unk>"])
def test_special_tokens_in_text(tmp_path: Path, token: str) -> None:
    (tmp_path / "text").write_text(f"a b\na {token} b\n")
    with pytest.raises(InputError, match="meaning of its own") as caught:
        estimate(tmp_path / "text", order=2)
    assert caught.value.where.endswith("text, line 2")
    skipped = estimate(tmp_path / "text", order=2, skip_special=True)
    assert sorted(arpa(skipped, tmp_path)) == sorted(arpa(estimate(["a b", "a b"], order=2), tmp_path))


def test_vocabulary_limit_keeps_no_other_words(tmp_path: Path) -> None:
    ngrams = listed(arpa(estimate(random_text(300), order=3, vocabulary=["w1", "w2 w5"]), tmp_path))
    assert {word for ngram in ngrams for word in ngram.split()} == {"<s>", "</s>", "<unk>", "w1", "w2", "w5"}


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"order": 0}, "order is 0"),
        ({"order": 11}, "order is 11"),
        ({"prune": (1,)}, "unigrams cannot be pruned"),
        ({"prune": (0, 2, 1)}, "must not fall"),
        ({"prune": (0, -1)}, "prune is -1"),
        ({"prune": (0,) * 6}, "more pruning thresholds"),
        ({"fallback": (2.0, 1.0, 1.0)}, "out of range"),
        ({"memory": "much"}, "memory is 'much'"),
        ({"memory": 5}, "at least 1,048,576"),
        ({"scratch": "/no/such/folder"}, "not a folder"),
    ],
)
def test_impossible_settings_are_refused(options: dict[str, object], what: str) -> None:
    with pytest.raises(SettingError, match=what):
        estimate(["a"], **{"order": 5, **options})  # type: ignore[arg-type]


def test_memory_in_words() -> None:
    assert [parse_memory(text) for text in ("1M", "2G", "1.5 GiB", "1048576", 2**21)] == [
        2**20,
        2**31,
        3 * 2**29,
        2**20,
        2**21,
    ]


def test_empty_lines_are_sentences() -> None:
    assert estimate(["a", "", "a"], order=2).sentences == 3


def test_words_whose_hashes_once_collided_stop_nothing() -> None:
    """Differences in the high bits of one eight-byte word of these were cancelled by the next one."""
    pairs = [
        ("bytestrings", "bytestrenge"),
        ("clotheslines", "clothespin's"),
        ("presentirà", "presenterò"),
        ("überlautes", "überlasten"),
    ]
    made = estimate([" ".join(pair) for pair in pairs for _ in range(3)], order=2)
    for layout in ("hashed", "compact"):
        model = made.build(layout=layout)
        for one, other in pairs:
            assert {one, other} <= set(model.words())
            assert model.score([f"{one} {other}"])[0] > model.score([f"{other} {one}"])[0]


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_counting_apart_changes_nothing(smoothing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere(LocalExecutor):
        remote = True

    monkeypatch.setattr(counting, "SLICE_LINES", 7)
    monkeypatch.setattr(counting, "RANGE_EVENTS", 40)
    monkeypatch.setattr(counting, "BLOCK_NGRAMS", 3)
    words = [f"w{number}" for number in range(30)]
    draws = random.Random(4)
    lines = [" ".join(draws.choices(words, k=draws.randrange(9))) for _ in range(100)]
    lines += ["", "<s> w1 w2", "w3 </s>", "<unk> w4 <unk>"]
    settings: dict[str, Any] = {"order": 4, "smoothing": smoothing, "prune": [0, 0, 1], "skip_special": True}
    for number, vocabulary in enumerate((None, ["w3 w1", "new"])):
        made = [
            estimate(lines, **settings, vocabulary=vocabulary, executor=executor, scratch=tmp_path)
            for executor in (None, LocalExecutor(), Elsewhere(threads=3))
        ]
        for at, each in enumerate(made):
            each.write_arpa(tmp_path / f"{number}.{at}.arpa")
            assert each.to_dict() == made[0].to_dict()
        assert len({(tmp_path / f"{number}.{at}.arpa").read_bytes() for at in range(3)}) == 1
    with pytest.raises(InputError, match=r"line 102.*'<s>'|'<s>'.*line 102"):
        estimate(lines, **{**settings, "skip_special": False}, executor=Elsewhere())
    with pytest.raises(InputError, match="no text to learn from"):
        estimate([], order=2, executor=Elsewhere())
