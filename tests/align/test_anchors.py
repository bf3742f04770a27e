"""Known links: found, read, written, cleared of contradictions, and mixed with what is unknown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dragoman.align import ALIGNERS, Alignment
from dragoman.align.anchors import (
    Anchors,
    ExpressionAnchor,
    find_anchors,
    mixture_weights,
    read_anchors,
    without_conflicts,
    write_anchors,
)
from dragoman.align.ibm import Ibm1
from dragoman.align.sampler import Bayes
from dragoman.errors import FormatError, InputError, LengthMismatch, SettingError
from tests.align.votes import SOURCE, TARGET

VOTE = ("explication de vote", "explanation of vote", 1.0)


def test_found_where_both_sides_occur_equally_often() -> None:
    assert [a.sentence for a in find_anchors([VOTE], SOURCE, TARGET)] == [0, 1, 4]
    twice = find_anchors([("a", "x", 1.0)], ["a b a", "a a", "a"], ["x x y", "x", "y"])
    assert [(a.sentence, a.source, a.target) for a in twice] == [(0, 0, 0), (0, 2, 1)]
    longest = find_anchors([VOTE, ("vote", "vote", 1.0)], SOURCE[:1], TARGET[:1])
    assert longest == [ExpressionAnchor(0, 0, 1, 3, 3)]


def test_files(tmp_path: Path) -> None:
    anchors = find_anchors([VOTE], SOURCE, TARGET)
    write_anchors(tmp_path / "a", anchors, SOURCE, TARGET)
    assert (tmp_path / "a").read_text().splitlines()[0] == "1|||explication de vote|||explanation of vote|||1|||2"
    assert read_anchors(tmp_path / "a", SOURCE, TARGET) == anchors
    soft = [ExpressionAnchor(2, 1, 1, 1, 1, 0.75)]
    write_anchors(tmp_path / "soft", soft, SOURCE, TARGET)
    assert read_anchors(tmp_path / "soft", SOURCE, TARGET) == soft
    (tmp_path / "zero").write_text("0|||explication de vote|||explanation of vote|||0|||1\n")
    assert read_anchors(tmp_path / "zero", SOURCE, TARGET) == anchors[:1]
    for text, message in (
        ("3|||vote|||vote|||2|||2\n1|||vote|||vote|||1|||1\n", "bad, line 2.*not at these positions"),
        ("1|||a\n", "2 fields where 5"),
        ("x|||a|||b|||1|||1\n", "must be numbers"),
        ("3|||vote|||vote|||2|||2|||0.2\n", "confidence outside"),
    ):
        (tmp_path / "bad").write_text(text)
        with pytest.raises(FormatError, match=message):
            read_anchors(tmp_path / "bad", SOURCE, TARGET)


def test_conflicts() -> None:
    twice = [ExpressionAnchor(0, 0, 0, 1, 1), ExpressionAnchor(0, 0, 1, 1, 1), ExpressionAnchor(0, 2, 2, 1, 1)]
    assert Anchors.of(1, twice).links == (((2, 2, 1.0),),)
    assert without_conflicts(twice) == ([twice[2]], twice[:2])
    overlapping = [ExpressionAnchor(0, 0, 0, 1, 1), ExpressionAnchor(0, 0, 0, 2, 2)]
    assert without_conflicts(overlapping) == ([overlapping[1]], [overlapping[0]])
    with pytest.raises(InputError, match="several words"):
        Anchors.of(1, [ExpressionAnchor(0, 0, 0, 2, 1)])
    with pytest.raises(LengthMismatch, match="anchors of 1 sentence pairs for 2"):
        Ibm1().train(["a", "b"], ["x", "y"], anchors=Anchors.of(1))


def test_pairs_linked_by_hand_leave_no_choice() -> None:
    """In a pair linked by hand, words without a link go to NULL, and a word with two partners may take either."""
    source, target = ["a b c", "a b"], ["x y z", "x y"]
    known = Anchors.of(2, hand={0: Alignment.parse("0-1 1-1 2-0")})
    for name in ALIGNERS:
        aligner = Bayes(chains=1, sweeps=0.2) if name == "bayes" else ALIGNERS.get(name)()
        aligner.train(source, target, anchors=known)
        found = aligner.posteriors(source[:1], target[:1], anchors=Anchors(known.links[:1], frozenset({0})))[0]
        for table in (found.forward, found.reverse):
            assert table[:, 2].max() == pytest.approx(0, abs=1e-5), name
            assert table[0, 0] == pytest.approx(0, abs=1e-5), name
        assert found.forward[:2, 1].sum() == pytest.approx(1, abs=1e-3), name
        assert min(found.reverse[0, 1], found.reverse[1, 1], found.reverse[2, 0]) > 0.99, name


def test_a_mixture_weighs_what_is_known() -> None:
    """A pair that weighs three counts like the same pair three times."""
    source, target = ["vie bonne", "vie courte"], ["life good", "life short"]
    known = Anchors.of(2, hand={0: Alignment.parse("0-0 1-1")})
    assert mixture_weights(2, {0}, share=0.75) == [pytest.approx(3.0), 1.0]
    mixed = Ibm1(null_probability=0, iterations=3)
    mixed.train(source, target, anchors=known, weights=mixture_weights(2, {0}, share=0.75))
    thrice = Ibm1(null_probability=0, iterations=3)
    links = Alignment.parse("0-0 1-1")
    thrice.train(
        [source[0]] * 3 + source[1:],
        [target[0]] * 3 + target[1:],
        anchors=Anchors.of(4, hand={0: links, 1: links, 2: links}),
    )
    for word in ("vie", "courte"):
        assert dict(mixed.translations(word)) == pytest.approx(dict(thrice.translations(word)), abs=1e-6)
    plain = Ibm1(null_probability=0, iterations=3)
    plain.train(source, target, anchors=known)
    assert dict(mixed.translations("vie"))["life"] > dict(plain.translations("vie"))["life"]
    with pytest.raises(SettingError, match="between 0 and 1"):
        mixture_weights(2, {0}, share=1.0)
    with pytest.raises(SettingError, match="counts every pair once"):
        Bayes(chains=1, sweeps=0.1).train(source, target, weights=[1, 2])
    with pytest.raises(InputError, match="not a number"):
        plain.train(source, target, weights=[1, float("nan")])
    with pytest.raises(LengthMismatch, match="1 weights for 2"):
        plain.train(source, target, weights=[1])


@pytest.mark.parametrize("name", ["ibm2", "fast", "hmm", "joint", "ibm3", "ibm4"])
def test_weights_are_repetitions(name: str) -> None:
    """Of every model's own parameters too."""
    source, target = ["a b c", "b a", "c c a"], ["x y z", "y x", "z x"]
    models = []
    for rows, weights in (([0, 1, 2], [2.0, 1.0, 1.0]), ([0, 0, 1, 2], None)):
        aligner = ALIGNERS.get(name)()
        aligner.train([source[k] for k in rows], [target[k] for k in rows], weights=weights)
        models.append(aligner)
    for one, other in zip(*(model.posteriors(source, target) for model in models), strict=True):
        assert one.forward == pytest.approx(other.forward, abs=1e-3)
        assert one.reverse == pytest.approx(other.reverse, abs=1e-3)


@pytest.mark.parametrize("name", ["ibm1", "ibm2", "hmm"])
def test_a_word_without_a_choice_goes_without_anchors_and_the_others_keep_theirs(name: str) -> None:
    """Every source word is anchored and NULL is not allowed: the third target word has nothing to be linked to."""
    source, target = ["a b", "a c", "b c"], ["x y z", "x u", "y u"]
    known = Anchors.of(3, [ExpressionAnchor(0, 0, 0, 1, 1), ExpressionAnchor(0, 1, 1, 1, 1)])
    aligner = ALIGNERS.get(name)(null_probability=0)  # type: ignore[call-arg]
    report = aligner.train(source, target, anchors=known)
    assert report.ignored_anchors == 1
    one = Anchors(known.links[:1])
    found = aligner.posteriors(source[:1], target[:1], anchors=one)[0]
    assert found.forward[0, 0] == pytest.approx(1, abs=1e-6)
    assert found.forward[1, 1] == pytest.approx(1, abs=1e-6)
    assert found.forward[:, 2].sum() == pytest.approx(1, abs=1e-6)
    forward, _ = aligner.viterbi(source[:1], target[:1], anchors=one)
    assert {(0, 0), (1, 1)} < set(forward[0])
    assert len(forward[0]) == 3
    free = ALIGNERS.get(name)()
    assert free.train(source, target, anchors=known).ignored_anchors == 0  # NULL takes it


@pytest.mark.parametrize("exchanged", [False, True])
def test_corpus_prior_has_the_values_of_its_definition(exchanged: bool) -> None:
    """Okita et al. (2010), second model: recomputed for every pair of words that occur together."""
    source, target = ["a b c", "a d", "b d"], ["x y", "x z z", "y z"]
    links = [ExpressionAnchor(0, 0, 0, 1, 1), ExpressionAnchor(0, 2, 1, 1, 1), ExpressionAnchor(2, 1, 1, 1, 1)]
    terms = {("a", "x"), ("c", "y"), ("d", "z")}
    for forward in (True, False):
        sums: dict[tuple[str, str], float] = {}
        for k, (one, other) in enumerate(zip(source, target, strict=True)):
            words, others = one.split(), other.split()
            count = sum(anchor.sentence == k for anchor in links)
            length = len(words if forward else others)
            share = (length - count) / length * count
            for pair in ((a, b) for a in words for b in others):
                value = share if (pair in terms) != exchanged else count
                sums[pair] = sums.get(pair, 0.0) + value
        given = 0 if forward else 1
        expected = {}
        for pair in sums:
            together = [sums[each] for each in sums if each[given] == pair[given]]
            total = sum(together)
            least = 0.1 / len(together)
            expected[pair] = max(least, sums[pair] / total) if total else 1 / len(together)
        found = corpus_prior(source, target, Anchors.of(3, links), exchanged=exchanged)[0 if forward else 1]
        assert found == {pair: pytest.approx(value, rel=1e-6) for pair, value in expected.items()}


def corpus_prior(
    source: list[str], target: list[str], anchors: Anchors, *, exchanged: bool
) -> tuple[dict[tuple[str, str], float], dict[tuple[str, str], float]]:
    """The prior of each pair of words, source given and target given, as the trainer has it."""
    from dragoman._native import align as native

    aligner = Ibm1()
    aligner.train(source, target)
    bitext, _ = aligner._bitext(source, target, grow=False)
    trainer = native.Trainer(
        bitext,
        anchors.to_native(len(source)),
        np.zeros(0, np.float32),
        alpha=0.0,
        agreement=False,
        prior="relative",
        jump_prior=False,
        cell_budget=2**20,
        base=None,
        base_weight=1.0,
        threads=1,
    )
    trainer.set_dense_prior(exchanged=exchanged)
    pairs = {(a, b) for one, other in zip(source, target, strict=True) for a in one.split() for b in other.split()}
    assert aligner._source is not None
    assert aligner._target is not None
    ids = {pair: (aligner._source.id(pair[0]), aligner._target.id(pair[1])) for pair in pairs}
    forward, reverse = (
        {pair: trainer.dense_prior(*where, forward=each) for pair, where in ids.items()} for each in (True, False)
    )
    return forward, reverse
