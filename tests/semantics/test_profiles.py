from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import chi2_contingency

from dragoman.errors import BundleError, InputError, SettingError, UnknownName
from dragoman.semantics.association import Association, associate, log_likelihood_ratio
from dragoman.semantics.cooccurrence import ContextSpace, promiscuous, wording
from dragoman.semantics.profiles import Profiles
from dragoman.semantics.reduced import ReducedVectors
from dragoman.semantics.similarity import SIMILARITIES, Similarity
from dragoman.semantics.word_pairs import WordPair, evaluate_pairs, read_pairs
from dragoman.text import synthetic
from tests.text.test_index import random_text

TINY = ["the cat sat", "the dog sat", "a dog ran"]


def one(measure: str, joint: float, row: float, column: float, total: float, **settings: Any) -> float:
    found = associate(
        csr_matrix([[joint]]), np.array([row]), np.array([column]), total, Association(measure=measure, **settings)
    )
    return float(found[0, 0])


def test_association_worked_example() -> None:
    """Worked example for Marton (2009): Count(u)=20, Count(v)=30, together 8 times among 1000 tokens."""
    assert one("llr", 8, 20, 30, 1000, scale=1) == pytest.approx(16.0075, abs=1e-4)
    assert one("llr", 8, 20, 30, 1000) == pytest.approx(32.0150, abs=1e-4)
    assert one("pmi", 8, 20, 30, 1000) == pytest.approx(2.5903, abs=1e-4)
    assert one("cp", 8, 20, 30, 1000) == pytest.approx(0.4)
    assert one("llr", 0.6, 20, 30, 1000) == pytest.approx(0, abs=1e-12)
    assert one("pmi", 0.6, 20, 30, 1000) == pytest.approx(0, abs=1e-12)
    assert one("llr", 0.1, 20, 30, 1000, scale=1) == pytest.approx(0.3316, abs=1e-4)
    assert one("llr", 0.1, 20, 30, 1000, scale=1, sign="drop") == 0
    assert one("llr", 25, 20, 30, 1000, scale=1) == pytest.approx(109.0953, abs=1e-4)
    assert one("ppmi", 0.1, 20, 30, 1000) == 0
    assert one("pmi-ratio", 8, 20, 30, 1000) == pytest.approx(8 / 600)


def test_profile_worked_example() -> None:
    """Worked example for Razmara et al. (2013): three sentences, window 1."""
    space = ContextSpace.of(TINY, window=1)
    assert space.context_totals.sum() == 12
    counts = space.count(["cat", "dog"])

    def strengths(measure: str, **settings: Any) -> csr_matrix:
        return Association(measure=measure, **settings).apply(counts)

    def value(matrix: csr_matrix, row: int, context: str) -> float:
        return float(matrix[row, space.index.native.id(context)])

    pmi = strengths("pmi", base=2)
    assert value(pmi, 0, "the") == pytest.approx(1.584963, abs=1e-6)
    assert value(pmi, 1, "the") == pytest.approx(0.584963, abs=1e-6)
    assert value(pmi, 1, "a") == pytest.approx(1.584963, abs=1e-6)
    assert Similarity().pairs(pmi[[0]], pmi[[1]])[0] == pytest.approx(0.346242, abs=1e-6)
    cp = strengths("cp")
    for measure, expected in (("cosine", 0.707107), ("l1", 1.0), ("jensen-shannon", 0.431523)):
        assert Similarity(measure=measure).pairs(cp[[0]], cp[[1]])[0] == pytest.approx(expected, abs=1e-6)
    half = Similarity(measure="jensen-shannon", half=True)
    assert half.pairs(cp[[0]], cp[[1]])[0] == pytest.approx(0.431523 / 2, abs=1e-6)
    assert value(strengths("llr"), 0, "the") == pytest.approx(1.539221, abs=1e-6)
    assert value(strengths("chi-square"), 0, "the") == pytest.approx(1.92)
    assert value(strengths("llr"), 1, "a") == pytest.approx(2.385382, abs=1e-6)


def test_log_likelihood_equals_scipy() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        cells = random.integers(1, 60, (2, 2))
        row, column = cells[0].sum(), cells[:, 0].sum()
        expected = chi2_contingency(cells, correction=False, lambda_="log-likelihood").statistic
        assert 2 * log_likelihood_ratio(cells[0, 0], row, column, cells.sum()) == pytest.approx(expected)
        expected = chi2_contingency(cells, correction=False).statistic
        assert one("chi-square", cells[0, 0], row, column, cells.sum()) == pytest.approx(expected)


@pytest.mark.parametrize("positional", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_counts_equal_a_scan(seed: int, positional: bool) -> None:
    text = random_text(seed, lines=200)
    space = ContextSpace(
        ContextSpace.of(text).index, window=2, positional=positional, stoplist=["h", "not in the text"]
    )
    phrases = ["a", "b", "a b", "c a", "z"]
    counts = space.count(phrases)
    for phrase in phrases:
        parts, expected = phrase.split(), dict[str, float]()
        for line in text:
            tokens = line.split()
            for start in range(len(tokens) - len(parts) + 1):
                if tokens[start : start + len(parts)] != parts:
                    continue
                end = start + len(parts)
                around = [(start - k, -k) for k in (1, 2)] + [(end + k - 1, k) for k in (1, 2)]
                for place, offset in around:
                    if 0 <= place < len(tokens) and tokens[place] != "h":
                        name = f"{tokens[place]}@{offset:+d}" if positional else tokens[place]
                        expected[name] = expected.get(name, 0) + 1
        assert counts.of(phrase) == expected
    words = space.count(space.index.words())
    assert np.allclose(np.asarray(words.matrix.sum(0)).ravel(), space.context_totals)
    assert words.tokens.sum() == space.index.tokens


def test_flat_counts_are_symmetric_and_bounded() -> None:
    space = ContextSpace.of(random_text(3, lines=300), window=3)
    counts = space.count(space.index.words())
    square = counts.matrix[:, 1:].toarray()
    assert np.array_equal(square, square.T)
    assert (square.sum(1) <= 6 * counts.tokens).all()


def test_samples_are_scaled_up() -> None:
    index = ContextSpace.of(["a b"] * 300 + ["a c"] * 300).index
    counts = ContextSpace(index, window=1, at_most=100).count(["a"])
    assert counts.of("a") == {"b": pytest.approx(300), "c": pytest.approx(300)}
    assert counts.tokens.tolist() == [600]


def brute_force(measure: Similarity, a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    if measure.measure == "cosine":
        return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
    if measure.measure == "l1":
        return float(np.abs(a - b).sum())
    if measure.measure == "city-block":
        return float(np.abs(a / np.abs(a).sum() - b / np.abs(b).sum()).sum())
    a, b = np.maximum(a, 0), np.maximum(b, 0)
    if measure.measure == "jaccard":
        return float(np.minimum(a, b).sum() / np.maximum(a, b).sum())
    if measure.measure == "dice":
        return float(2 * np.minimum(a, b).sum() / (a.sum() + b.sum()))
    if measure.measure == "lin":
        return float((a + b)[(a > 0) & (b > 0)].sum() / (a.sum() + b.sum()))
    a, b = a / a.sum(), b / b.sum()

    def divergence(p: np.ndarray[Any, Any], q: np.ndarray[Any, Any]) -> float:
        return float((p[p > 0] * np.log(p[p > 0] / q[p > 0])).sum())

    if measure.measure == "skew":
        return divergence(a, measure.alpha * b + (1 - measure.alpha) * a)
    return divergence(a, (a + b) / 2) + divergence(b, (a + b) / 2)


@pytest.mark.parametrize("name", SIMILARITIES)
def test_nearest_neighbors_equal_brute_force(name: str) -> None:
    random = np.random.default_rng(5)
    dense = random.random((60, 40)) * (random.random((60, 40)) < 0.15)
    if name in ("cosine", "l1", "city-block"):
        dense *= random.choice([-1, 1], dense.shape)
    dense[:, 0] += 0.01 * (np.arange(60) % 3 == 0)
    dense[dense.any(1) == 0, 5] = 0.5
    measure = Similarity(measure=name)
    rows = csr_matrix(dense)
    values = np.array([[brute_force(measure, a, b) for b in dense] for a in dense])
    first, second = np.repeat(np.arange(60), 60), np.tile(np.arange(60), 60)
    assert measure.pairs(rows[first], rows[second]) == pytest.approx(values.ravel(), abs=1e-9)
    own = np.arange(60, dtype=np.int32)
    found = [measure.nearest(rows, rows, k=7, own=own, threads=threads) for threads in (1, 2, 7)]
    for other in found[1:]:
        assert found[0].rows.tolist() == other.rows.tolist()
        assert found[0].values.tolist() == other.values.tolist()
    sign = 1 if measure.is_distance else -1
    for query in range(60):
        sharing = [row for row in range(60) if row != query and ((dense[row] != 0) & (dense[query] != 0)).any()]
        best = sorted(sharing, key=lambda row: (sign * values[query, row], row))[:7]
        expected = [values[query, row] for row in best]
        assert [value for _, value in found[0].of(query)] == pytest.approx(expected, abs=1e-9)


def test_properties_of_cosine() -> None:
    counts = ContextSpace.of(random_text(4, lines=300), window=2).count(["a", "b", "c"])
    pairs = ([0, 0, 1, 2], [0, 1, 0, 2])

    def cosines(**settings: Any) -> np.ndarray[Any, Any]:
        rows = Association(**settings).apply(counts)
        return Similarity().pairs(rows[pairs[0]], rows[pairs[1]])

    assert cosines(measure="cp") == pytest.approx(cosines(measure="count"))
    assert cosines(measure="llr", scale=2) == pytest.approx(cosines(measure="llr", scale=1))
    found = cosines(measure="cp")
    assert found[0] == pytest.approx(1)
    assert found[3] == pytest.approx(1)
    assert found[1] == found[2]


def test_promiscuous_words() -> None:
    index = ContextSpace.of([f"the w{i}" for i in range(30)] + ["x y"] * 9).index
    assert promiscuous(index, window=1, threshold=20) == ["the"]
    assert promiscuous(index, window=1, threshold=20, least=2) == []
    assert list(wording(["The CAT , 42 x2"])) == ["the cat x2"]


@pytest.fixture(scope="module")
def english() -> list[str]:
    items = synthetic.pair("en-de").generate(4000)
    return list(wording(" ".join(item.source.tokens) for item in items))


@pytest.mark.slow
def test_profiles_of_the_synthetic_text(english: list[str], tmp_path: Path) -> None:
    profiles = Profiles.train(english, window=3, association="ppmi", stoplist_threshold=400)
    assert "the" in profiles.space.stoplist
    near = [neighbor.phrase for neighbor in profiles.nearest("dog", k=5)]
    assert set(near) & {"cat", "horse", "bird", "cow", "dogs"}, near
    profiles.save(tmp_path / "p")
    again = Profiles.open(tmp_path / "p")
    assert again.nearest("dog") == profiles.nearest("dog")
    assert again.contexts("dog", limit=3) == profiles.contexts("dog", limit=3)
    context, strengths = profiles.shared("dog", near[0])[0]
    assert min(strengths) > 0
    for witness in profiles.witnesses("dog", context):
        assert {"dog", context} <= set(witness.text.split())
    assert profiles.similarity("dog", "no such word") == 0
    with pytest.raises(UnknownName):
        profiles.witnesses("dog", "no such word")
    with pytest.raises(InputError, match="does not occur"):
        profiles.require("no such word")
    (tmp_path / "p" / "phrases.txt").write_text("x\n")
    with pytest.raises(BundleError):
        Profiles.open(tmp_path / "p")


def test_thread_count_does_not_change_profiles(english: list[str]) -> None:
    found = [Profiles.train(english, association="llr", threads=threads).matrix for threads in (1, 2, 7)]
    for other in found[1:]:
        assert (found[0] != other).nnz == 0


def test_reduced_vectors() -> None:
    documents = [["cat", "dog", "pet"], ["dog", "pet", "cat"], ["bank", "loan"], ["loan", "bank", "money"]] * 3
    vectors = ReducedVectors.lsa(documents, dimensions=2)
    assert vectors.similarity("cat", "dog") > 0.9 > 0.1 > vectors.similarity("cat", "loan")
    assert vectors.nearest("cat", k=1)[0].phrase in ("dog", "pet")
    assert vectors.similarity("cat", "unknown") == 0
    assert vectors.nearest("unknown") == []
    space = ContextSpace.of([" ".join(document) for document in documents], window=3)
    generalised = ReducedVectors.glsa(space, ["cat", "dog", "pet", "bank", "loan", "money"], dimensions=2)
    assert generalised.similarity("cat", "dog") > generalised.similarity("cat", "loan")
    with pytest.raises(InputError):
        ReducedVectors.lsa([])
    with pytest.raises(SettingError):
        ReducedVectors.lsa(documents, dimensions=0)


def test_log_entropy_decomposition_equals_numpy() -> None:
    documents = [["a", "b"], ["a", "c", "c"], ["b", "c", "d"], ["d", "a"]]
    vectors = ReducedVectors.lsa(documents, dimensions=3)
    counts = np.array([[d.count(w) for d in documents] for w in vectors.words], float)
    share = counts / counts.sum(1, keepdims=True)
    weights = 1 + np.where(share > 0, share * np.log(np.where(share > 0, share, 1)), 0).sum(1) / math.log(4)
    left, strengths, _ = np.linalg.svd(np.log1p(counts) * weights[:, None])
    reduced = left[:, :3] * strengths[:3]
    reduced /= np.linalg.norm(reduced, axis=1, keepdims=True)
    assert vectors.vectors @ vectors.vectors.T == pytest.approx(reduced @ reduced.T, abs=1e-8)


def test_word_pairs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("# remark\nmoney\tcash\t9.15\nMoney\tcash\t9.08\na\tb\t5\nc\td\t1\ne\tf\t3\n")
    pairs = read_pairs(path)
    assert pairs[0] == WordPair("money", "cash", 9.15)
    assert len(pairs) == 4
    values: dict[str, float | None] = {"money": 1.0, "a": 0.5, "c": 0.7, "e": None}
    zero = evaluate_pairs(pairs, lambda first, _: values[first])
    skip = evaluate_pairs(pairs, lambda first, _: values[first], unknown="skip")
    assert (zero.known, zero.total, zero.coverage, zero.pairs, skip.pairs) == (3, 4, 0.75, 4, 3)
    assert skip.spearman == pytest.approx(0.5)
    with pytest.raises(InputError):
        evaluate_pairs(pairs[:2], lambda *_: 1.0)
    path.write_text("a b 3\n")
    with pytest.raises(Exception, match="line 1"):
        read_pairs(path)


@pytest.mark.parametrize("settings", [{"measure": "mi"}, {"counts": "x"}, {"scale": 0}, {"base": 1}, {"sign": "x"}])
def test_bad_association(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        Association(**settings)


def test_bad_settings() -> None:
    with pytest.raises(SettingError):
        ContextSpace.of(TINY, window=0)
    with pytest.raises(SettingError):
        Similarity(measure="x")
    with pytest.raises(SettingError):
        Similarity(alpha=1)
    with pytest.raises(SettingError):
        Similarity().nearest(csr_matrix([[1.0]]), csr_matrix([[1.0]]), k=0)
    with pytest.raises(InputError, match="greater than the whole"):
        one("pmi", 1, 20, 30, 10)


def test_lins_worked_example() -> None:
    """`stay` and `holiday` by what they are objects of: book and enjoy are shared, hotel is not, long says nothing."""
    stay = csr_matrix([[np.log(24 / 15), np.log(12 / 9), np.log(3), 0.0]])
    holiday = csr_matrix([[np.log(36 / 25), np.log(24 / 15), 0.0, 0.0]])
    assert Similarity(measure="lin").pairs(stay, holiday)[0] == pytest.approx(0.59174, abs=1e-5)
