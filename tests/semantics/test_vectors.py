"""Word vectors: files, translations, objectives and their gradients, training that is the same however it is run."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from dragoman._native import semantics as native
from dragoman.align.aer import GoldAlignment, alignment_scores
from dragoman.align.alignment import Alignment
from dragoman.errors import DragomanError, FormatError, InputError, SettingError, UnknownName
from dragoman.grammar.phrases import extract
from dragoman.progress import Progress
from dragoman.semantics.embeddings import VectorSettings, train_both, train_vectors
from dragoman.semantics.phrase_similarity import PhraseVectors, VectorColumns
from dragoman.semantics.translation_counts import TranslationCounts, aligned_start, translation_matrix
from dragoman.semantics.vector_files import read_vectors
from dragoman.semantics.vector_matching import match_words
from dragoman.semantics.vectors import VectorSnapshots, WordVectors
from dragoman.semantics.word_pairs import WordPair, evaluate_pairs

TINY = VectorSettings(dimensions=6, window=4, hidden=8, min_count=1, passes=3, batch=32, curriculum=(4,))
TEXT = [
    f"the {noun} {verb} {place}"
    for noun in ("cat", "dog", "cow", "horse")
    for verb in ("sat", "ran", "slept")
    for place in ("here", "there", "outside")
] * 4
GIVEN = WordVectors(["government", "state", "house"], [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
LINKED = TranslationCounts({"t": {"government": 3, "state": 1}}, {"t": 5})


# Files


def test_files_come_back_as_they_were(tmp_path: Path) -> None:
    words = ["naïve", "犬", "x", "|"]
    vectors = WordVectors(words, np.random.default_rng(1).normal(size=(4, 3)))
    for name in ("a.vec", "a.bin", "a.vec.gz"):
        vectors.save(tmp_path / name)
        found = WordVectors.open(tmp_path / name)
        assert found.words == vectors.words
        assert np.array_equal(found.values, vectors.values)
    assert (tmp_path / "a.vec").read_text("utf-8").splitlines()[0] == "4 3"


def test_files_of_gensim(tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models")
    vectors = WordVectors(["one", "two"], [[1.0, 2.5], [-3.0, 0.125]])
    for binary in (False, True):
        vectors.save(tmp_path / "ours", binary=binary)
        theirs = models.KeyedVectors.load_word2vec_format(str(tmp_path / "ours"), binary=binary)
        assert np.array_equal(theirs["two"], vectors.vector("two"))
        theirs.save_word2vec_format(str(tmp_path / "theirs"), binary=binary)
        found = WordVectors.open(tmp_path / "theirs")
        assert found.words == vectors.words
        assert np.array_equal(found.values, vectors.values)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "first line"),
        (b"cat 1 2\n", "first line"),
        (b"2\n", "first line"),
        (b"-1 3\n", "first line"),
        (b"1 0\ncat\n", "first line"),
        (b"99999999999 99999999999999\nx 1\n", "first line"),
        (b"2 2\ncat 1 2\n", "1 vectors, where the first line says 2"),
        (b"1 2\ncat 1 2\ndog 1 2\n", "2 vectors, where the first line says 1"),
        (b"2 2\ncat 1 2\ndog 1\n", "a vector of 1 numbers"),
        (b"2 2\ncat 1 2\ndog 1 2 3\n", "a vector of 3 numbers"),
        (b"2 2\ncat 1 2\ndog 1 x\n", "not a word and numbers"),
        (b"2 2\ncat 1 2\ndog 1 nan\n", "no number"),
        (b"1 2\ncat inf 2\n", "no number"),
        (b"2 2\ncat 1 2\n\xff\xfe 1 2\n", "not UTF-8"),
        (b"3000000000 300\ncat " + struct.pack("<300f", *[1.0] * 300), "where the first line says"),
        (b"2 1\ncat " + struct.pack("<f", 1.0) + b"dog " + b"\x01", "where the first line says"),
        (b"1 1\ncat " + struct.pack("<f", math.nan), "no number"),
        (b"1 1\n" + b"x" * 20_000, "without an end"),
        (b"1 1\n\xff\xff " + struct.pack("<f", 1.0), "not UTF-8"),
        (b"1 1\ncat " + struct.pack("<f", 1.0) + b"dog " + struct.pack("<f", 1.0), "more than the 1"),
        (b"0 3\n", "no vectors"),
    ],
)
def test_hostile_files_are_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(content)
    with pytest.raises(DragomanError, match=said):
        WordVectors.open(path)


@given(st.binary(max_size=200), st.sampled_from([b"", b"1 1\n", b"2 3\n", b"2 1\nab "]))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes, start: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any-vectors"
    path.write_bytes(start + content)
    try:
        words, values = read_vectors(path)
    except DragomanError:
        return
    assert len(words) == len(values)
    assert np.isfinite(values).all()


def test_the_first_of_two_vectors_counts(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("3 1\na 1\nb 2\na 3\n", "utf-8")
    with pytest.warns(UserWarning, match="1 words are there twice"):
        found = WordVectors.open(tmp_path / "v")
    assert found.words == ("a", "b")
    assert found.values.ravel().tolist() == [1, 2]


# Asking


def test_neighbours_and_cosines() -> None:
    vectors = WordVectors(["a", "b", "c", "zero"], [[1.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [0.0, 0.0]])
    assert [each.phrase for each in vectors.nearest("a", k=3)] == ["b", "zero", "c"]
    assert vectors.similarity("a", "b") == pytest.approx(math.sqrt(0.5))
    assert vectors.similarity("a", "zero") == 0
    assert vectors.similarity("a", "other") is None
    assert vectors.nearest_across("c", WordVectors(["x", "y"], [[-2.0, 0.1], [3.0, 0.0]]), k=1)[0].phrase == "x"
    assert VectorSnapshots([vectors, vectors]).similarity("a", "c") == pytest.approx(-1)
    with pytest.raises(UnknownName, match="'d' has no vector"):
        vectors.nearest("d")
    with pytest.raises(SettingError, match="dimensions"):
        vectors.nearest_across("a", WordVectors(["x"], [[1.0]]))
    with pytest.raises(InputError, match="two vectors"):
        WordVectors(["a", "a"], [[1.0], [2.0]])


def test_neighbours_relative_to_their_own() -> None:
    """A word that is near to everything loses its advantage."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(30, 8))
    own = WordVectors([f"s{i}" for i in range(30)], values)
    other = WordVectors([f"t{i}" for i in range(30)] + ["hub"], [*(values + rng.normal(size=(30, 8))), values.mean(0)])
    plain = sum(own.nearest_across(f"s{i}", other, k=1)[0].phrase == f"t{i}" for i in range(30))
    relative = sum(own.nearest_across(f"s{i}", other, k=1, local=5)[0].phrase == f"t{i}" for i in range(30))
    assert relative >= plain


def test_rank_correlations_equal_scipy() -> None:
    scores, values = [1.0, 2.0, 2.0, 4.0, 5.0], [0.1, 0.1, 0.3, 0.2, 0.9]
    pairs = [WordPair(f"a{i}", f"b{i}", score) for i, score in enumerate(scores)]
    report = evaluate_pairs(pairs, lambda first, _: values[int(first[1:])])
    assert report.spearman == pytest.approx(spearmanr(scores, values).statistic)
    assert report.kendall == pytest.approx(kendalltau(scores, values).statistic)


# Translations


def test_vectors_begin_at_their_translations() -> None:
    links = aligned_start(LINKED, ["t"], GIVEN)
    assert links[0] == pytest.approx([4 / 6, 2 / 6], abs=1e-6)
    tokens = aligned_start(LINKED, ["t"], GIVEN, normalizer="tokens")
    assert tokens[0] == pytest.approx([4 / 7, 2 / 7], abs=1e-6)
    scaled = WordVectors(GIVEN.words, 3 * GIVEN.values)
    assert aligned_start(LINKED, ["t"], scaled)[0] == pytest.approx(3 * links[0], abs=1e-6)
    missing = TranslationCounts({"t": {"government": 3, "other": 5}})
    assert aligned_start(missing, ["t"], GIVEN)[0] == pytest.approx([1, 0])
    random = aligned_start(LINKED, ["unlinked"], GIVEN, seed=5)
    assert np.array_equal(random, aligned_start(LINKED, ["unlinked"], GIVEN, seed=5))


def test_shares_of_links_sum_to_one_or_nothing() -> None:
    matrix = translation_matrix(LINKED, ["t", "unlinked"], GIVEN)
    assert matrix.toarray().tolist() == [[0.75, 0.25, 0], [0, 0, 0]]


def test_links_are_counted_and_kept(tmp_path: Path) -> None:
    counts = TranslationCounts.of(["a b", "a"], ["x y", "x"], ["0-0 1-1", "0-0"])
    assert counts.links == {"a": {"x": 2}, "b": {"y": 1}}
    assert counts.transposed().links == {"x": {"a": 2}, "y": {"b": 1}}
    counts.save(tmp_path / "counts")
    assert TranslationCounts.open(tmp_path / "counts").links == counts.links
    (tmp_path / "counts").write_text("a\tb\n", "utf-8")
    with pytest.raises(FormatError, match="line 1"):
        TranslationCounts.open(tmp_path / "counts")
    with pytest.raises(InputError, match=r"line 2.*points outside"):
        TranslationCounts.of(["a b", "a"], ["x y", "x"], ["0-0 1-1", "0-1"])


def test_sides_that_are_swapped_are_noticed() -> None:
    counts = TranslationCounts.of(["x y"] * 3, ["a b"] * 3, ["0-0 1-1"] * 3)
    with pytest.raises(InputError, match="swap the two sides"):
        aligned_start(counts, ["x"], WordVectors(["x", "y"], [[1.0], [2.0]]))


# Objectives


def trainer(kind: type, *, dimensions: int = 3, hidden: int = 4, document_hidden: int = 0, window: int = 3) -> Any:
    words = np.array([3, 4, 5, 6, 3, 7, 5], np.uint32)
    return kind(
        words,
        np.array([4, 7], np.int64),
        np.array([0, 1], np.int32),
        np.linspace(0.5, 1.5, 8),
        dimensions=dimensions,
        window=window,
        scored=window - 1,
        hidden=hidden,
        document_hidden=document_hidden,
        seed=3,
    )


WINDOWS = [(0, 0, [5]), (1, 0, [6, 3]), (3, 0, [4]), (5, 1, [3]), (6, 1, [7, 4])]


@pytest.mark.parametrize("document_hidden", [0, 5])
@pytest.mark.parametrize("translation", [0.0, 50.0])
def test_gradients_equal_finite_differences(document_hidden: int, translation: float) -> None:
    network = trainer(native.ExactRankingTrainer, document_hidden=document_hidden)
    parts = network.parts()
    rng = np.random.default_rng(1)
    network.set_parts([rng.normal(scale=0.7, size=part.shape) for part in parts])
    mask = np.array([0, 0, 0, 1, 0, 1, 1, 1], np.uint8)
    network.set_translations(rng.normal(size=24), mask)
    parts = network.parts()
    loss, gradients = network.gradients(WINDOWS, translation=translation)
    assert loss > 0
    for number, part in enumerate(parts):
        for place in range(part.size):
            sides = []
            for step in (1e-6, -1e-6):
                changed = [each.copy() for each in parts]
                changed[number][place] += step
                network.set_parts(changed)
                sides.append(network.gradients(WINDOWS, translation=translation)[0])
            slope = (sides[0] - sides[1]) / 2e-6
            assert gradients[number][place] == pytest.approx(slope, rel=1e-5, abs=1e-6)
        network.set_parts(parts)


def test_hinge_of_a_window() -> None:
    """One dimension, windows of two words: tanh(-1) against tanh(3)."""
    network = trainer(native.ExactRankingTrainer, dimensions=1, hidden=1, window=2)
    vectors = np.zeros(8)
    vectors[3], vectors[4], vectors[5] = 0.5, -1.0, 1.0
    network.set_parts([vectors, np.array([1.0, 2.0]), np.array([0.5]), np.array([2.0])])
    loss, _ = network.gradients([(1, 0, [5])], translation=0)
    assert loss == pytest.approx(1 + 2 * 0.761594 + 2 * 0.995055, abs=1e-5)
    assert loss == pytest.approx(4.513298, abs=1e-5)


def test_distance_to_translations() -> None:
    network = trainer(native.ExactRankingTrainer, dimensions=2, hidden=1, window=2)
    vectors, targets = np.zeros((8, 2)), np.zeros((8, 2))
    vectors[3], targets[3] = (1, 0), (0.75, 0.25)
    mask = np.zeros(8, np.uint8)
    mask[3] = 1
    network.set_parts([vectors.ravel()])
    network.set_translations(targets.ravel(), mask)
    loss, gradients = network.gradients([(0, 0, [4])], translation=50, context=0)
    assert loss == pytest.approx(6.25)
    assert gradients[0].reshape(8, 2)[3].tolist() == pytest.approx([25, -25])


def test_floats_and_doubles_agree() -> None:
    exact, fast = (
        trainer(native.ExactRankingTrainer, document_hidden=5),
        trainer(native.RankingTrainer, document_hidden=5),
    )
    assert exact.gradients(WINDOWS, translation=0)[0] == pytest.approx(
        fast.gradients(WINDOWS, translation=0)[0], rel=1e-5
    )


def test_without_context_words_reach_their_translations() -> None:
    network = trainer(native.RankingTrainer)
    targets = np.random.default_rng(2).normal(size=(8, 3)).astype(np.float32)
    mask = np.array([0, 0, 0, 1, 1, 1, 1, 0], np.uint8)
    before = network.parts()[0].reshape(8, 3)
    network.set_translations(targets.ravel(), mask)
    for number in range(300):
        network.train_pass(
            number, rate=0.2, active=8, translation=1e3, context=0, batch=4, replacements=1, noise=0, threads=1
        )
    after = network.parts()[0].reshape(8, 3)
    assert after[3:7] == pytest.approx(targets[3:7], abs=0.01)
    assert np.array_equal(after[[0, 7]], before[[0, 7]])


# Training


def test_training_learns_and_is_the_same_for_all_threads() -> None:
    made = [train_vectors(TEXT, TINY, threads=threads) for threads in (1, 2, 5)]
    assert all(np.array_equal(each.vectors.values, made[0].vectors.values) for each in made)
    assert made[0].history[-1].context < made[0].history[0].context
    assert [each.words for each in made[0].history] == [4, 11, 11, 11]
    long = train_vectors(TEXT, replace(TINY, passes=60), threads=1).vectors
    animals = ["cat", "dog", "cow", "horse"]
    near = [each.phrase for each in long.nearest("cat", k=3)]
    assert sum(word in animals for word in near) >= 2


def test_documents_are_looked_at() -> None:
    lines = [line for number, text in enumerate(TEXT) for line in ((text, "") if number % 7 == 6 else (text,))]
    with_documents = train_vectors(lines, replace(TINY, documents=True), threads=1)
    assert with_documents.history[-1].context < with_documents.history[0].context
    assert not np.array_equal(with_documents.vectors.values, train_vectors(lines, TINY, threads=1).vectors.values)


def bilingual() -> tuple[list[str], WordVectors, TranslationCounts]:
    """The text with every word but `horse` spelt otherwise and linked."""
    given = train_vectors(TEXT, replace(TINY, passes=20), threads=1).vectors
    lines = [" ".join(f"{word}_2" for word in line.split()) for line in TEXT]
    links = [" ".join(f"{i}-{i}" for i, word in enumerate(line.split()) if word != "horse") for line in TEXT]
    return lines, given, TranslationCounts.of(lines, TEXT, links)


def test_a_second_language_lies_in_the_space_of_the_first() -> None:
    lines, given, counts = bilingual()
    settings = replace(TINY, passes=12)
    kept = train_vectors(lines, settings, given=given, counts=counts, threads=1)
    drifted = train_vectors(lines, replace(settings, translation=0), given=given, counts=counts, threads=1)
    assert kept.history[-1].translation < drifted.history[-1].translation
    known = [word for word in given.words if word != "horse"]
    found = sum(kept.vectors.nearest_across(f"{word}_2", given, k=1)[0].phrase == word for word in known)
    assert found >= 0.9 * len(known)
    one = train_vectors(lines, replace(settings, translation=0), given=given, counts=counts, threads=2)
    assert np.array_equal(one.vectors.values, drifted.vectors.values)


def test_both_languages_at_once() -> None:
    lines, given, counts = bilingual()
    first, second = train_both(lines, TEXT, counts, replace(TINY, passes=5), given=given, threads=1)
    assert first.nearest_across("cat_2", second, k=1)[0].phrase == "cat"


def test_training_goes_on_where_it_was(tmp_path: Path) -> None:
    whole = train_vectors(TEXT, TINY, threads=1).vectors
    state = tmp_path / "state"

    def stop(progress: Progress) -> None:
        if progress.done > 1:
            raise KeyboardInterrupt

    settings = replace(TINY, batch=1)  # reports come every 64 batches
    with pytest.raises(KeyboardInterrupt):
        train_vectors(TEXT, settings, state=state, threads=1, progress=stop)
    assert state.is_file()
    resumed = train_vectors(TEXT, settings, state=state, threads=1).vectors
    assert np.array_equal(resumed.values, train_vectors(TEXT, settings, threads=1).vectors.values)
    assert not list(tmp_path.iterdir())
    other = train_vectors([*TEXT, "more text"], TINY, state=state, threads=1).vectors
    assert len(other) == len(whole) + 2


def test_a_loss_that_is_no_number_stops_and_keeps_the_last_good_state(tmp_path: Path) -> None:
    state = tmp_path / "state"
    wild = replace(TINY, rate=1e39, passes=5)

    def stop(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(InputError, match="no longer a number") as caught:
        train_vectors(TEXT, wild, threads=1)
    assert "pass" in caught.value.where
    assert "batch" in caught.value.where
    with pytest.raises(KeyboardInterrupt):
        train_vectors(
            TEXT * 8, replace(TINY, batch=2), state=state, threads=1, progress=lambda p: stop(p) if p.done > 1 else None
        )
    with pytest.raises(InputError, match="pass 1 left is kept"):
        train_vectors(TEXT * 8, replace(wild, batch=2), state=state, threads=1)
    assert state.is_file()
    train_vectors(TEXT * 8, replace(TINY, batch=2), state=state, threads=1)
    assert not state.exists()


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(SettingError, match="give both"):
        train_vectors(TEXT, TINY, given=GIVEN)
    with pytest.raises(InputError, match="too few words"):
        train_vectors(["a a a"], TINY)
    with pytest.raises(SettingError):
        VectorSettings.configured(["window=1"])


# Links, and phrases


def test_words_are_matched_by_their_vectors() -> None:
    own = WordVectors(["a", "b"], np.eye(2))
    other = WordVectors(["x", "y", "z"], [[1.0, 0.1], [0.1, 1.0], [1.0, 0.1]])
    assert match_words(["a b"], ["y x"], own, other) == [Alignment.parse("0-1 1-0")]
    assert match_words(["a q a"], ["x z"], own, other) == [Alignment.parse("0-0 2-1")]
    assert match_words(["a b"], ["x"], own, other, threshold=0.5) == [Alignment.parse("0-0")]
    assert match_words(["a b"], ["x"], own, other, direction="intersection") == [Alignment.parse("0-0")]
    assert match_words(["q"], ["x"], own, other) == [Alignment()]
    with pytest.raises(SettingError):
        match_words([], [], own, other, direction="sideways")


def test_error_rate_of_sure_links_is_one_less_f() -> None:
    """Precision .27 and recall .32 are an error rate of .71, as Zou et al. print them; .37 and .45 are .59."""
    for found, right, all_gold, printed in ((100, 27, 84, 0.71), (100, 37, 82, 0.59)):
        gold = GoldAlignment(Alignment(tuple((i, 0) for i in range(all_gold))))
        links = Alignment(tuple((i, 0) for i in range(right)) + tuple((i, 1) for i in range(found - right)))
        score = alignment_scores([links], [gold])
        assert score.aer == pytest.approx(1 - score.f1)
        assert round(score.aer, 2) == printed


def test_likeness_of_phrases() -> None:
    source = WordVectors(["f", "g"], np.eye(2))
    target = WordVectors(["e", "left", "right"], [[1.0, 1.0], [1.0, 0.0], [-1.0, 0.0]])
    both = PhraseVectors.of(source, target)
    found = both.compare(["f g oov", "f", "f", "g f", "f g"], ["e", "oov", "left right", "e left", "left e"])
    assert found["cosine"].tolist()[:3] == pytest.approx([1, 0, 0])
    assert found["cosine"][3] == found["cosine"][4]
    assert found["best"][0] == pytest.approx(math.sqrt(0.5))
    assert found["unknown"][:3].tolist() == pytest.approx([1 / 4, 1 / 2, 0])
    scaled = PhraseVectors.of(WordVectors(source.words, 7 * source.values), target)
    assert scaled.compare(["f g"], ["e left"])["cosine"] == pytest.approx(both.compare(["f g"], ["e left"])["cosine"])
    with pytest.raises(SettingError, match="dimensions"):
        PhraseVectors.of(source, WordVectors(["x"], [[1.0]]))


def test_damaged_vectors_of_both_sides_are_refused(tmp_path: Path) -> None:
    PhraseVectors.of(GIVEN, GIVEN).save(tmp_path / "v")
    whole = (tmp_path / "v").read_bytes()
    assert PhraseVectors.open(tmp_path / "v").compare(["house"], ["house"])["cosine"][0] == pytest.approx(1)
    for content in (whole[: len(whole) // 2], whole[:-1] + bytes([whole[-1] ^ 1]), b"", b"DRAGOMAN"):
        (tmp_path / "v").write_bytes(content)
        with pytest.raises(DragomanError):
            PhraseVectors.open(tmp_path / "v")


def test_columns_of_a_table(tmp_path: Path) -> None:
    source, target, links = ["f g", "f"], ["e d", "e"], ["0-0 1-1", "0-0"]
    vectors = PhraseVectors.of(WordVectors(["f", "g"], np.eye(2)), WordVectors(["e", "d"], [[1.0, 1.0], [1.0, 0.0]]))
    feature = VectorColumns(vectors, ("cosine", "unknown"))
    table = extract(source, target, links, tmp_path / "t", features=[feature]).table
    for phrase in ("f", "g", "f g"):
        for rule in table.lookup(phrase):
            expected = vectors.compare([rule.source_text], [rule.target_text])["cosine"][0]
            assert rule.values["vectors.cosine"] == pytest.approx(expected, abs=1e-6)
    with pytest.raises(SettingError, match="kinds is 'sine'"):
        VectorColumns(vectors, ("sine",))
