"""Combination against exhaustive search, written once more from the definition."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import FormatError, InputError, LengthMismatch, SettingError, UnknownName
from dragoman.features.weights import Weights
from dragoman.lm import NgramModel, estimate
from dragoman.tuning.combination import CombinationDecoder, CombinationSettings, MatchFeatures, tune_combination
from dragoman.tuning.matching import (
    MatchedOutputs,
    Matcher,
    join_outputs,
    read_matched,
    split_outputs,
    write_matched,
)

EXACT = Matcher(stages=("exact",))
CATS = "the cat sat ||| a cat sat ||| the cat sits"
CAT_WEIGHTS = {f"match.exact.{system}.{n}": w for system in range(3) for n, w in ((1, 0.3), (2, 0.5))} | {"length": -1}

Place = tuple[int, int]


class Reference:
    """All hypotheses of a small input, by definition: sets of used places, no recombination, no beam."""

    def __init__(self, matched: MatchedOutputs, radius: int) -> None:
        self.outputs, self.radius = matched.outputs, radius
        self.present = [e for e, output in enumerate(self.outputs) if output]
        self.links: dict[Place, dict[int, int]] = defaultdict(dict)
        for a, i, b, j, _ in matched.links.tolist():
            self.links[a, i][b] = j
            self.links[b, j][a] = i
        for e in self.present:
            for i in range(len(self.outputs[e])):
                self.links[e, i][e] = i
            for o in self.present:
                self.links[e, len(self.outputs[e])][o] = len(self.outputs[o])

    def is_mark(self, e: int, i: int) -> bool:
        return 0 <= i < len(self.outputs[e]) and not any(c.isalnum() for c in self.outputs[e][i])

    def frontier(self, used: list[set[int]], e: int) -> int:
        return next(i for i in range(len(self.outputs[e]) + 2) if i not in used[e])

    def skip(self, used: list[set[int]], e: int) -> None:
        while self.is_mark(e, self.frontier(used, e)):
            used[e].add(self.frontier(used, e))

    def use(self, before: list[set[int]], e: int, i: int) -> list[set[int]]:
        used = [set(places) for places in before]
        used[e].add(i)
        for o, j in self.links[e, i].items():
            used[o].add(j)
            if o != e and self.is_mark(o, j):
                for step in (-1, 1):
                    k = j
                    while self.is_mark(o, k):
                        used[o].add(k)
                        k += step
        for o in self.present:
            if o != e:
                self.skip(used, o)
        while True:
            at = {o: self.frontier(used, o) for o in self.present}
            behind = [o for o in self.present if at[o] <= len(self.outputs[o])]
            if not behind:
                return used
            last = min(behind, key=lambda o: (at[o], o))
            if at[last] + self.radius >= max(at.values()):
                return used
            used[last].add(at[last])
            self.skip(used, last)

    def paths(self) -> Iterator[tuple[Place, ...]]:
        """Every sequence of places, the end included."""

        def grow(used: list[set[int]], path: tuple[Place, ...], bound: int | None) -> Iterator[tuple[Place, ...]]:
            ended = False
            for e in [bound] if bound is not None else self.present:
                i = self.frontier(used, e)
                if i > len(self.outputs[e]):
                    continue
                if i == len(self.outputs[e]):
                    if not ended:
                        yield (*path, (e, i))
                    ended = True
                    continue
                after = self.use(used, e, i)
                must = self.is_mark(e, i + 1) and i + 1 not in after[e]
                yield from grow(after, (*path, (e, i)), e if must else None)

        yield from grow([set() for _ in self.outputs], (), None)

    def text(self, path: tuple[Place, ...]) -> str:
        return " ".join(self.outputs[e][i] for e, i in path[:-1])

    def features(self, path: tuple[Place, ...], longest: int, name: str) -> dict[str, float]:
        found: dict[str, float] = defaultdict(float)
        found["length"] = len(path)
        for o in self.present:
            images = [-1, *(self.links[place].get(o) for place in path)]
            for t in range(1, len(images)):
                for n in range(1, longest + 1):
                    span = images[max(0, t - n + 1) : t + 1]
                    if len(span) == n and None not in span and all(b == a + 1 for a, b in pairwise(span)):  # type: ignore[operator]
                        found[f"match.{name}.{o}.{n}"] += 1
        return {key: value for key, value in found.items() if value}


def test_worked_example() -> None:
    decoder = CombinationDecoder(3, None, CAT_WEIGHTS, matcher=EXACT)
    found = decoder.translate([CATS], forests=True)[0]
    assert (found.text, round(found.score, 9)) == ("the cat sat", 3.0)
    counts = [[found.features[f"match.exact.{system}.{n}"] for n in (1, 2)] for system in range(3)]
    assert counts == [[4, 4], [3, 2], [3, 2]]
    assert found.features["length"] == 4
    ranked = found.nbest(5, distinct=True)
    assert [round(entry.score, 9) for entry in ranked[1:3]] == [1.8, 1.8]


@pytest.mark.parametrize(("radius", "strings"), [(0, 4), (1, 16), (2, 22), (7, 29)])
def test_worked_example_of_the_horizon(radius: int, strings: int) -> None:
    decoder = CombinationDecoder(3, None, CAT_WEIGHTS, CombinationSettings(radius=radius), matcher=EXACT)
    forest = decoder.translate([CATS], forests=True)[0].forest
    assert len({entry.text for entry in forest.kbest(10_000)}) == strings
    if radius == 0:
        assert {entry.text for entry in forest.kbest(100)} == {
            f"{article} cat {verb}" for article in ("a", "the") for verb in ("sat", "sits")
        }


words = st.sampled_from(["a", "b", "c", ",", "d"])
outputs = st.lists(words, min_size=0, max_size=3).map(tuple)


@st.composite
def sentences(draw: st.DrawFn) -> str:
    rows = draw(st.lists(outputs, min_size=1, max_size=3))
    return " ||| ".join(" ".join(row) for row in rows)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(line=sentences(), radius=st.integers(0, 3), seed=st.integers(0, 1000))
def test_equals_exhaustive_search(line: str, radius: int, seed: int) -> None:
    matched = EXACT.match([line])[0]
    reference = Reference(matched, radius)
    match = MatchFeatures(name="m", stages=("exact",), per_system=3)
    systems = len(matched.outputs)
    decoder = CombinationDecoder(
        systems, None, {}, CombinationSettings(radius=radius, beam=10**6, matches=(match,)), matcher=EXACT
    )
    rng = np.random.default_rng(seed)
    decoder = decoder.with_weights({name: float(rng.normal()) for name in decoder.feature_names})
    found = decoder.translate([line], forests=True)[0]
    if not any(matched.outputs):
        assert (found.text, found.score) == ("", 0)
        return
    best: dict[str, float] = {}
    for path in reference.paths():
        values = reference.features(path, 3, "m")
        score = sum(decoder.weights[name] * value for name, value in values.items())
        text = reference.text(path)
        distinct = all(len(set(output)) == len(output) for output in matched.outputs)
        assert not distinct or text not in best or best[text] == pytest.approx(score), "one string, two counts"
        best[text] = max(score, best.get(text, score))
    listed = found.forest.kbest(10**5, distinct=True)
    assert {entry.text: entry.score for entry in listed} == pytest.approx(best)
    assert found.score == pytest.approx(max(best.values()))
    assert found.rescore() == pytest.approx(found.score)
    assert found.text == listed[0].text
    assert set(found.target) <= {word for output in matched.outputs for word in output}


def model() -> NgramModel:
    return estimate(["the cat sat .", "a cat sits .", "the dog sat on a mat ."], order=3).build()


def test_language_model_is_part_of_the_score() -> None:
    lm = model()
    weights = {"lm": 1.0, "oov": -10.0}
    decoder = CombinationDecoder(2, lm, weights, matcher=EXACT)
    for entry in decoder.translate(["the cat sat . ||| the zebra sits ."], forests=True)[0].nbest(50):
        unknown = sum(word not in lm for word in entry.target)
        assert entry.score == pytest.approx(float(lm.score([entry.text])[0]) - 10.0 * unknown)


def test_words_unknown_to_the_model_are_combined_all_the_same() -> None:
    decoder = CombinationDecoder(2, model(), matcher=EXACT)
    found = decoder.translate(["xx yy zz ||| xx yy zz"], forests=True)[0]
    assert (found.text, found.features["oov"]) == ("xx yy zz", 3)


def test_forests_are_those_of_translations() -> None:
    decoder = CombinationDecoder(3, None, CAT_WEIGHTS | {"lm": 0, "oov": 0}, matcher=EXACT)
    lines = [CATS, "a b ||| b c ||| c a"]
    kept = [found.forest for found in decoder.translate(lines, forests=True)]
    for alone, forest in zip(decoder.forests(lines), kept, strict=True):
        assert forest is not None
        ours, theirs = ([(d.text, d.score, d.features) for d in each.kbest(100)] for each in (alone, forest))
        assert len(ours) > 1
        assert ours == theirs


def test_tuned_lists_hold_each_text_once() -> None:
    texts = ["the cat and the dog", "the the cat dog", "a dog and the cat"]
    decoder = CombinationDecoder(3, None, matcher=EXACT)
    joined = " ||| ".join(texts)
    tuned = tune_combination(decoder, [joined], ["a dog and a cat"], iterations=1, nbest=50, threads=1)
    derivations = decoder.translate([joined], forests=True)[0].nbest(10_000)
    assert len(derivations) > len({entry.text for entry in derivations}), "texts with several derivations"
    assert tuned.history[0].new == min(50, len({entry.text for entry in derivations}))


def test_one_system_comes_out_unchanged_and_so_do_equal_systems() -> None:
    sentence = "well , the cat -- sat ; here !"
    for systems in (1, 3):
        decoder = CombinationDecoder(systems, None, matcher=EXACT)
        found = decoder.translate([" ||| ".join([sentence] * systems)], forests=True)[0]
        assert [entry.text for entry in found.nbest(100)] == [sentence], "whose words they are makes no difference"


def test_lists_of_systems_that_nearly_agree_are_not_all_one_text() -> None:
    texts = [
        f"well , in a big red house , {subject} sat , and then {verb} home !"
        for subject, verb in (("he", "went"), ("she", "went"), ("he", "ran"), ("he", "went"))
    ]
    found = CombinationDecoder(4, None, matcher=EXACT).translate([" ||| ".join(texts)], forests=True)[0]
    listed = [entry.text for entry in found.nbest(20)]
    assert set(texts) <= set(listed)
    assert listed[0] == texts[0]


def test_permuting_systems_with_their_weights_changes_nothing() -> None:
    texts = ["the cat sat down , here", "a cat sat here", "the cat is sitting here"]
    lm = model()
    rng = np.random.default_rng(3)
    names = CombinationDecoder(3, None, matcher=EXACT).feature_names
    weights = {name: float(rng.normal()) for name in names}
    seen = set()
    for order in permutations(range(3)):
        moved = {
            name: weights[".".join([*parts[:2], str(order[int(parts[2])]), parts[3]])]
            if (parts := name.split("."))[0] == "match"
            else weights[name]
            for name in names
        }
        decoder = CombinationDecoder(3, lm, moved, matcher=EXACT)
        found = decoder.translate([" ||| ".join(texts[system] for system in order)])[0]
        seen.add((found.text, round(found.score, 9)))
    assert len(seen) == 1


def test_alignment_horizon_drops_what_all_have_passed() -> None:
    wide, narrow = (
        CombinationDecoder(
            3, None, CAT_WEIGHTS, CombinationSettings(horizon="alignment", radius=radius), matcher=EXACT
        ).translate([CATS], forests=True)[0]
        for radius in (7, 0)
    )
    assert wide.text == narrow.text == "the cat sat"
    counts = [len({entry.text for entry in found.nbest(1000)}) for found in (narrow, wide)]
    assert counts[0] < counts[1]
    assert counts[1] == 29


def test_collective_counts_are_sums_over_systems() -> None:
    separate, together = (
        CombinationDecoder(3, None, {}, CombinationSettings(matches=(match,)), matcher=EXACT)
        for match in (
            MatchFeatures(name="m", stages=("exact",), per_system=3),
            MatchFeatures(name="m", stages=("exact",), per_system=1, collective=3),
        )
    )
    assert together.feature_names[-2:] == ("match.m.all.2", "match.m.all.3")
    first, second = (decoder.translate([CATS], forests=True)[0].forest for decoder in (separate, together))
    sums = {entry.text: sum(entry.features.get(f"match.m.{e}.2", 0) for e in range(3)) for entry in first.kbest(1000)}
    assert {entry.text: entry.features.get("match.m.all.2", 0) for entry in second.kbest(1000)} == sums


def test_beam_and_threads_leave_the_result_alone() -> None:
    lines = [CATS, "the dog , a cat ||| dog and cat ||| the dog with a cat"] * 10
    decoder = CombinationDecoder(3, model(), matcher=EXACT)
    one, two = ([(t.text, t.score) for t in decoder.translate(lines, threads=n)] for n in (1, 2))
    assert one == two


def test_empty_outputs() -> None:
    decoder = CombinationDecoder(3, None, CAT_WEIGHTS, matcher=EXACT)
    found = decoder.translate([" |||  ||| ", "the cat |||  ||| the cat"])
    assert [translation.text for translation in found] == ["", "the cat"]


def test_matches_by_stem_and_in_files(tmp_path: Path) -> None:
    matcher = Matcher(stages=("exact", "stem"))
    matched = matcher.match(join_outputs([["cats sat , here"], ["the cat sat ,"], [""]]))
    assert matched[0].links.tolist() == [[0, 0, 1, 1, 1], [0, 1, 1, 2, 0], [0, 2, 1, 3, 0]]
    write_matched(tmp_path / "m", matched)
    again = list(read_matched(tmp_path / "m"))
    assert [m.outputs for m in again] == [m.outputs for m in matched]
    assert np.array_equal(again[0].links, matched[0].links)
    decoder = CombinationDecoder(3, None, matcher=EXACT)
    decoder.remember(again)
    assert decoder.translate(["cats sat , here ||| the cat sat , ||| "], forests=True)[0].text


@given(text=st.text(st.sampled_from("012ab\t\n -exactstem"), max_size=60), cut=st.integers(0, 40))
@pytest.mark.slow
def test_any_file_is_read_or_refused(text: str, cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    good = "2\na b\nb\n1\t0\texact\t1\n\n"
    path = tmp_path_factory.mktemp("matched") / "m"
    path.write_text(good[:cut] + text + good[cut:])
    try:
        found = list(read_matched(path))
    except FormatError:
        found = []
    for matched in found:
        for a, i, b, j, _ in matched.links.tolist():
            assert i < len(matched.outputs[a])
            assert j < len(matched.outputs[b])
        assert matched.native  # and combined


@pytest.mark.parametrize(
    "text",
    ["x\n", "0\n", "1²\na\n", "2\na\n", "2\na\nb\n0 0\n\n", "2\na\nb\n0\t1\texact\t1\n\n",
     f"2\na\nb\n{2**40}\t0\texact\t1\n\n", "2\na b\nc d\n0\t0\texact\t1\n0\t1\texact\t1\n\n",
     "2\na b\nc d\n0\t1\texact\t1\n1\t1\texact\t1\n\n"],
)  # fmt: skip
def test_damaged_files_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "m").write_text(text)
    with pytest.raises(FormatError):
        list(read_matched(tmp_path / "m"))


def test_bad_input_is_refused() -> None:
    with pytest.raises(LengthMismatch):
        join_outputs([["a"], ["a", "b"]])
    with pytest.raises(InputError, match="system 2, sentence 1"):
        join_outputs([["a"], ["a ||| b"]])
    with pytest.raises(UnknownName):
        CombinationDecoder(2, None, {"nonsense": 1.0})
    with pytest.raises(SettingError):
        CombinationSettings(horizon="wide")
    with pytest.raises(InputError, match="2 outputs where 3"):
        CombinationDecoder(3, None, matcher=EXACT).translate(["a ||| b"])
    twice = MatchedOutputs(split_outputs("a ||| b c"), np.array([[0, 0, 1, 0, 0], [0, 0, 1, 1, 0]], np.int32))
    with pytest.raises(InputError, match="two partners"):
        _ = twice.native
    assert Weights({}) == CombinationDecoder(2, None, {}).weights
