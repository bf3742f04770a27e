from __future__ import annotations

import itertools
import math
import random
import struct
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from dragoman._native import common
from dragoman.errors import FormatError, SettingError
from dragoman.files import read_lines
from dragoman.lm import NgramModel, estimate, read_arpa
from dragoman.lm.model import Cell
from tests.lm.arpa_texts import EXAMPLE, random_table
from tests.peers import peer

TEXT = ["a b c a b", "b c a", "c c a b", "", "a b", "b a c b", "a b c d a b c d", "d a"]
LAYOUTS = {"hashed": ("hashed", 32), "compact": ("compact", 32), "quantized": ("compact", 8)}


def build(name: str) -> NgramModel:
    layout, bits = LAYOUTS[name]
    return estimate(TEXT * 2, order=4).build(layout=layout, bits=bits)


@pytest.fixture(scope="module", params=LAYOUTS)
def model(request: pytest.FixtureRequest) -> NgramModel:
    return build(request.param)


SENTENCES = st.lists(st.sampled_from(["a", "b", "c", "d", "z"]), max_size=9).map(" ".join)


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("layout", ["hashed", "compact"])
def test_scores_follow_the_definition(seed: int, layout: str, tmp_path: Path) -> None:
    """On random tables with holes and back-off weights above 1, and with weights on contexts that nothing extends."""
    table = random_table(seed, order=1 + seed % 4, closed=seed % 2 == 0)
    (tmp_path / "t.arpa").write_text(table.arpa())
    model = NgramModel.read_arpa(tmp_path / "t.arpa", layout=layout, bits=32)
    chance = random.Random(seed)
    for _ in range(60):
        words = [chance.choice(["a", "b", "c", "zzz"]) for _ in range(chance.randrange(7))]
        tokens = ["<s>", *words, "</s>"]
        expected = [table.logprob(tokens[:end], tokens[end]) for end in range(1, len(tokens))]
        assert_allclose([token.logprob for token in model.tokens(" ".join(words))], expected, atol=2e-6)


@pytest.mark.slow
@given(sentence=SENTENCES, cut=st.integers(0, 9))
def test_batch_step_phrase_and_ids_agree(model: NgramModel, sentence: str, cut: int) -> None:
    tokens = sentence.split()
    state, total = model.begin_state(), 0.0
    for token in tokens:
        logprob, state = model.step(state, token)
        total += logprob
    total += model.finish(state)
    first, middle = model.step_phrase(model.begin_state(), " ".join(tokens[:cut]))
    rest, last = model.step_phrase(middle, [model.native.id(token) for token in tokens[cut:]])
    assert last == state
    assert hash(last) == hash(state)
    scores = [
        model.score([sentence])[0],
        first + rest + model.finish(last),
        sum(token.logprob for token in model.tokens(sentence)),
        model.score_ids(np.array([model.native.id(t) for t in tokens], np.uint32), np.array([len(tokens)]))[0],
    ]
    assert_allclose(scores, total, atol=1e-9)


@pytest.mark.slow
@given(
    sentence=SENTENCES.filter(bool), choices=st.lists(st.integers(0, 8), min_size=9, max_size=9), begin=st.booleans()
)
def test_any_bracketing_of_cells_pays_the_sentence_once(
    model: NgramModel, sentence: str, choices: list[int], begin: bool
) -> None:
    pieces: list[tuple[float, Cell]] = [model.join([token]) for token in sentence.split()]
    for choice in choices:  # join random neighbours
        if len(pieces) > 1:
            at = choice % (len(pieces) - 1)
            (left_score, left), (right_score, right) = pieces[at : at + 2]
            score, cell = model.join([left, right])
            pieces[at : at + 2] = [(score + left_score + right_score, cell)]
    score, cell = model.join([cell for _, cell in pieces], begin=begin)
    total = score + sum(part for part, _ in pieces)
    assert total == pytest.approx(model.score([sentence], begin=begin, end=False)[0], abs=1e-6)
    if begin:
        assert cell.estimate == 0


@pytest.mark.parametrize("name", ["hashed", "compact"])
def test_equal_cells_have_equal_futures(name: str) -> None:
    """Recombination is safe: cells that compare equal cost the same in every context, and some do compare equal."""
    model = build(name)
    strings = [" ".join(words) for n in (1, 2, 3, 4) for words in itertools.product("abz", repeat=n)]
    cells: dict[Cell, str] = {}
    merged = 0
    for string in strings:
        own, cell = model.join(string.split())
        if cell in cells:
            merged += 1
            other_own, other = model.join(cells[cell].split())
            for left, right in [("a b", "c"), ("c d a", "d"), ("z", "a b c d"), ("", "b")]:
                one = model.join([*left.split(), cell, *right.split()])[0]
                two = model.join([*left.split(), other, *right.split()])[0]
                assert one == pytest.approx(two, abs=1e-9)
            assert own != other_own or string != cells[cell]
        else:
            cells[cell] = string
    assert merged > 20


def test_a_joined_rule_pays_only_what_is_new() -> None:
    """W5 of two-sided states: order 3, a piece x1 x2 x3 x4 in the rule `a X b`."""
    model = estimate(["a x1 x2 x3 x4 b", "x1 x2 x3 x4", "a x1 x2", "x4 b", "x3 x4 b", "c x1 x2 x3"], order=3).build()
    own, piece = model.join(["x1", "x2", "x3", "x4"])
    paid, joined = model.join(["a", piece, "b"])
    assert own + paid == pytest.approx(model.score(["a x1 x2 x3 x4 b"], begin=False, end=False)[0], abs=1e-6)
    assert piece.open_words <= 2
    assert joined.right == model.step_phrase(model.empty_state(), "x3 x4 b")[1]


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_change_nothing(model: NgramModel, threads: int) -> None:
    chance = random.Random(4)
    sentences = [" ".join(chance.choices("abcdz", k=chance.randrange(20))) for _ in range(2000)]
    assert (model.score(sentences, threads=threads) == model.score(sentences)).all()


@pytest.mark.parametrize(("order", "prune"), [(2, ()), (5, ()), (4, (0, 0, 1))])
def test_agreement_with_kenlm(data: Path, tmp_path: Path, order: int, prune: tuple[int, ...]) -> None:
    """KenLM reads our file and gives the same scores: unknown words, empty sentences and all."""
    text = list(itertools.islice(read_lines(data / "multi30k" / "train.en.gz"), 3000))
    made = estimate(text, order=order, prune=prune)
    made.write_arpa(tmp_path / "m.arpa")
    theirs = peer("kenlm").Model(str(tmp_path / "m.arpa"))
    sentences = [*read_lines(data / "multi30k" / "val.en"), "", "zzz qqq", "a zzz man", *text[:200]]
    model = NgramModel.read_arpa(tmp_path / "m.arpa")
    expected = [sum(score for score, _, _ in theirs.full_scores(sentence)) for sentence in sentences]
    assert_allclose(model.score(sentences) / math.log(10), expected, atol=1e-5)
    assert_allclose(model.score(sentences) / math.log(10), list(map(theirs.score, sentences)), atol=1e-5, rtol=2e-6)
    bare = [theirs.score(sentence, bos=False, eos=False) for sentence in sentences]
    assert_allclose(model.score(sentences, begin=False, end=False) / math.log(10), bare, atol=1e-5, rtol=2e-6)
    for sentence in sentences[-20:]:
        for token, (_, length, unknown) in zip(model.tokens(sentence), theirs.full_scores(sentence), strict=True):
            assert (token.ngram_length, not token.known) == (length, unknown)


def test_perplexity_leaves_unknown_words_out_and_counts_them(tmp_path: Path) -> None:
    (tmp_path / "t.arpa").write_text(EXAMPLE.arpa())
    model = NgramModel.load(tmp_path / "t.arpa")
    found = model.perplexity(["a b", "zzz"])
    assert (found.sentences, found.events, found.unknown) == (2, 5, 1)
    known = EXAMPLE.logprob(["<s>"], "a") + EXAMPLE.logprob(["<s>", "a"], "b")
    known += EXAMPLE.logprob(["a", "b"], "</s>") + EXAMPLE.logprob(["<unk>"], "</s>")
    assert found.perplexity == pytest.approx(math.exp(-known / 4), rel=1e-5)
    assert found.perplexity_with_unknown > found.perplexity
    assert math.isnan(model.perplexity([]).perplexity)
    assert model.perplexity(["a"], end=False).events == 1


def test_explain_names_the_ngrams() -> None:
    from rich.console import Console

    console = Console(width=100)
    with console.capture() as captured:
        console.print(build("hashed").explain("a b zzz"))
    assert "<s> a b" in captured.get()
    assert "<unk>" in captured.get()


def test_words_of_another_vocabulary_are_mapped_once() -> None:
    model = build("hashed")
    words = common.Vocabulary()
    for word in ("z", "c", "</s>", "a"):
        words.intern(word)
    assert [model.native.word(number) for number in model.map_words(words)] == ["<unk>", "<unk>", "c", "</s>", "a"]


def test_saved_models_are_the_same(model: NgramModel, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    again = NgramModel.load(tmp_path / "m")
    assert again.counts == model.counts
    assert again.words() == model.words()
    assert (again.score(TEXT) == model.score(TEXT)).all()
    again.save(tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == (tmp_path / "m").read_bytes()


@pytest.mark.parametrize("layout", ["hashed", "compact"])
def test_models_can_be_listed(layout: str) -> None:
    again = build(layout).list_ngrams().build()
    assert_allclose(again.score(TEXT), build("hashed").score(TEXT), atol=1e-9)
    assert again.native.fingerprint == build("hashed").native.fingerprint == build("compact").native.fingerprint


@pytest.mark.parametrize("seed", range(8))
def test_listing_loses_nothing(seed: int, tmp_path: Path) -> None:
    """Not even weights on contexts that nothing extends."""
    (tmp_path / "t.arpa").write_text(random_table(seed, order=1 + seed % 4, closed=seed % 2 == 0).arpa())
    model = NgramModel.read_arpa(tmp_path / "t.arpa")
    again = model.list_ngrams().build()
    assert (again.counts, again.native.fingerprint) == (model.counts, model.native.fingerprint)


@pytest.mark.slow
def test_few_ngrams_of_many_words() -> None:
    """Keys that lie far apart: the table grows until the bits that it stores tell them from each other."""
    words = [f"w{number}" for number in range(70_000)]
    model = estimate([*words, "w1 w2", "w1 w2", "w3 w69999 w4"], order=3).build()
    exact = estimate([*words, "w1 w2", "w1 w2", "w3 w69999 w4"], order=3).build(layout="compact", bits=32)
    text = ["w1 w2", "w3 w69999 w4", "w2 w1", "w5 w4 w3", *words[::1000], "w3 w69998", "zzz w69999"]
    assert_allclose(model.score(text), exact.score(text), rtol=1e-12)


def test_quantization_is_close_and_gets_closer_with_bits(data: Path) -> None:
    text = list(itertools.islice(read_lines(data / "multi30k" / "train.en.gz"), 2000))
    made = estimate(text, order=4)
    exact = made.build().score(text[:300])
    errors = [
        np.abs(made.build(layout="compact", bits=bits).score(text[:300]) - exact).mean() for bits in (2, 4, 8, 16)
    ]
    assert errors == sorted(errors, reverse=True)
    assert errors[2] < 0.5
    assert made.build(layout="compact").bytes < made.build().bytes / 2


def test_opening_does_not_read_the_file(tmp_path: Path) -> None:
    chance = random.Random(1)
    text = [" ".join(f"w{chance.randrange(3000)}" for _ in range(20)) for _ in range(4000)]
    estimate(text, order=4).build().save(tmp_path / "m")
    times = []
    for _ in range(5):
        start = time.perf_counter()
        NgramModel.open(tmp_path / "m")
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05


def damaged(raw: bytes, at: int, value: bytes) -> bytes:
    return raw[:at] + value + raw[at + len(value) :]


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda raw: raw[: len(raw) // 2], "truncated or overlong"),
        (lambda raw: raw[:40], "too short"),
        (lambda raw: raw + b"x", "truncated or overlong"),
        (lambda raw: damaged(raw, 0, bytes(8)), "never finished"),
        (lambda raw: damaged(raw, 8, b"VOCB"), "'LMNG' is needed"),
        (lambda raw: damaged(raw, 12, struct.pack("<H", 99)), "format version 99, this dragoman reads version 3"),
        (lambda raw: damaged(raw, 12, struct.pack(">H", 1)), "format version 256"),
        (lambda raw: damaged(raw, 16, struct.pack(">Q", len(raw))), "truncated or overlong"),
    ],
    ids=["half", "stub", "overlong", "torn", "kind", "version", "big-endian version", "big-endian size"],
)
def test_foreign_binaries_are_refused(tmp_path: Path, spoil: object, what: str) -> None:
    assert callable(spoil)
    build("hashed").save(tmp_path / "m")
    (tmp_path / "m").write_bytes(spoil((tmp_path / "m").read_bytes()))
    with pytest.raises(FormatError, match=what):
        NgramModel.open(tmp_path / "m")


def test_text_is_not_a_model(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a b c\n")
    with pytest.raises(FormatError, match="not an ARPA file"):
        NgramModel.load(tmp_path / "text")
    with pytest.raises(SettingError, match="one string where several"):
        build("hashed").score("a b c")
    with pytest.raises(SettingError, match="quantised to 1 bits"):
        estimate(TEXT, order=4).build(layout="compact", bits=1)
    with pytest.raises(SettingError, match="no layout"):
        estimate(TEXT, order=4).build(layout="heap")


def test_models_without_sentence_marks_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "t.arpa").write_text("\\data\\\nngram 1=2\n\n\\1-grams:\n-0.3\ta\n-0.5\tb\n\n\\end\\\n")
    ngrams = read_arpa(tmp_path / "t.arpa")
    assert "no <unk>" in ngrams.notes[0]
    model = ngrams.build()
    assert model.score(["a b"], end=False)[0] == pytest.approx(-0.8 * math.log(10), abs=1e-6)
    assert model.score(["zzz"], end=False)[0] == pytest.approx(-100 * math.log(10), rel=1e-6)
