from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman._native import metrics as native
from dragoman.align.monolingual import MonolingualAlignment
from dragoman.errors import InputError, MissingDependency, SettingError
from dragoman.metrics import get_metric
from dragoman.metrics.meteor import PARAMETERS, Meteor, Meteor15, MeteorRank
from dragoman.semantics import wordnet as wordnet_module

HYP, REF = ["the cat sat on mat"], ["the cat sat on the mat"]
WORDS = ("exact", "stem")


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        (Meteor(stages=WORDS), 0.827175),
        (Meteor(stages=WORDS, alpha=0.5), 0.872293),
        (MeteorRank(stages=WORDS), 0.574599),
        (MeteorRank(stages=WORDS, alpha=0.5), 0.621611),
    ],
)
def test_worked_example(metric: Meteor, score: float) -> None:
    """Five matches in two chunks, by the formulas of Lavie and Agarwal (2007)."""
    assert metric.corpus_score(HYP, REF) == pytest.approx(score, abs=1e-6)
    details = metric.details(metric.statistics(HYP, REF)[0])
    assert [details["precision"], details["recall"], details["chunks"]] == pytest.approx([1, 5 / 6, 2])


def test_published_example() -> None:
    """Banerjee and Lavie (2005): P = 5/6... and F9 with penalty 0.5 (chunks/m)^3, on their example sentences."""
    hyp, ref = ["the president then spoke to the audience"], ["the president spoke to the audience"]
    meteor = Meteor(stages=("exact",), alpha=0.9, beta=3, gamma=0.5)
    precision, recall = 6 / 7, 1.0
    mean = 10 * precision * recall / (recall + 9 * precision)
    assert meteor.corpus_score(hyp, ref) == pytest.approx(mean * (1 - 0.5 * (2 / 6) ** 3))


def test_identical_segments() -> None:
    assert Meteor(stages=WORDS).corpus_score(REF * 3, REF * 3) == 1
    strict = Meteor(stages=WORDS, strict_formula=True)
    assert strict.corpus_score(REF, REF) == pytest.approx(1 - 0.4 * (1 / 6) ** 2.5)
    assert "strict:yes" in strict.signature


@pytest.mark.usefixtures("wordnet")
def test_stages() -> None:
    matches = Meteor().align("Children purchased big houses!", "A child bought a large home.")
    assert isinstance(matches, MonolingualAlignment), "what all aligners of one language give"
    assert [tuple(match) for match in matches] == [
        (0, 1, 1.0, "synonym"),
        (1, 2, 1.0, "synonym"),
        (2, 4, 1.0, "synonym"),
        (3, 5, 1.0, "synonym"),
    ]
    assert Meteor(stages=WORDS).align("running cats", "runs cat").matches[0].reason == "stem"
    assert Meteor(stages=("exact",)).align("running cats", "runs cat") == MonolingualAlignment()


def test_paraphrases(tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.write_text("by and large ||| mostly\nkick the bucket\tdie\n", "utf-8")
    meteor = Meteor(stages=("exact", "paraphrase"), paraphrases=str(table))
    lines = "they by and large die", "they mostly kick the bucket"
    [matches] = meteor.matches([lines[0]], [lines[1]])
    assert [tuple(match) for match in matches] == [
        ((0, 1), (0, 1), "exact"),
        ((1, 4), (1, 2), "paraphrase"),
        ((4, 5), (2, 5), "paraphrase"),
    ]
    assert str(meteor.align(*lines).links()) == "0-0 1-1 2-1 3-1 4-2 4-3 4-4", "words of phrases, all with all"
    assert meteor.corpus_score(["they by and large die"], ["they mostly kick the bucket"]) == 1
    with pytest.raises(SettingError, match="need each other"):
        Meteor(stages=("exact", "paraphrase"))
    with pytest.raises(SettingError, match="need each other"):
        Meteor(paraphrases=str(table))


@pytest.mark.usefixtures("wordnet")
def test_parameters_by_language(tmp_path: Path) -> None:
    words = tmp_path / "function"
    words.write_text("the\non\n", "utf-8")
    metric = Meteor15(function_words=str(words))
    alpha, beta, gamma, delta, _ = PARAMETERS["en"]
    content, function = 3, 2  # cat sat mat, the on
    precision = 1.0
    recall = (delta * content + (1 - delta) * function) / (delta * 3 + (1 - delta) * 3)
    mean = precision * recall / (alpha * precision + (1 - alpha) * recall)
    assert metric.corpus_score(HYP, REF) == pytest.approx(mean * (1 - gamma * (2 / 5) ** beta))
    assert get_metric("meteor-1.5:de").signature != get_metric("meteor-1.5:fr").signature
    assert Meteor15(language="de").stages == ("exact", "stem")
    assert Meteor15(language="de").align("die häuser", "das haus").matches[0][2:] == (0.8, "stem")
    weighted = Meteor15(language="de").statistics(["häuser"], ["haus"])
    assert Meteor15(language="de").details(weighted[0])["precision"] == 0.8
    with pytest.raises(SettingError, match="no synonym stage for language 'de'"):
        Meteor15(language="de", stages=("exact", "synonym"))
    with pytest.raises(SettingError, match="language is 'xx'"):
        Meteor15(language="xx")
    with pytest.raises(SettingError, match="stems: language is 'xx'"):
        Meteor(language="xx", stages=("stem",))
    with pytest.raises(SettingError, match="WordNet"):
        Meteor(language="fr", stages=("synonym",))
    assert Meteor(language="fr").stages == ("exact", "stem")
    assert Meteor(language="xx").stages == ("exact",)


def test_missing_wordnet_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    monkeypatch.delenv("WNHOME", raising=False)
    monkeypatch.setattr(wordnet_module, "_FOLDERS", ())
    with pytest.raises(MissingDependency, match=r"wordnet-base.*stages=exact\+stem`; if the text is not English"):
        Meteor().corpus_score(HYP, REF)
    assert Meteor(stages=WORDS).corpus_score(HYP, REF) > 0


def test_punctuation() -> None:
    assert Meteor(stages=WORDS).corpus_score(["Hello, world!"], ["hello world"]) == 1
    kept = Meteor(stages=WORDS, keep_punctuation=True)
    assert kept.corpus_score(["Hello, world!"], ["hello world"]) < 1


def test_the_best_reference_counts() -> None:
    meteor = Meteor(stages=WORDS)
    rows = meteor.statistics(["a b c"], [["x y z"], ["a b c"], ["a b d"]])
    assert meteor.score(rows[0]) == 1


def test_segments_beyond_the_limit_are_refused() -> None:
    with pytest.raises(InputError, match="more than 4096 words"):
        Meteor(stages=WORDS).corpus_score(["a " * 5000], ["b"])


Link = tuple[int, int]


def matchings(graph: dict[int, list[int]], words: list[int], used: frozenset[int]) -> Iterator[list[Link]]:
    if not words:
        yield []
        return
    for rest in matchings(graph, words[1:], used):
        yield rest
    for partner in graph[words[0]]:
        if partner not in used:
            for rest in matchings(graph, words[1:], used | {partner}):
                yield [(words[0], partner), *rest]


def quality(links: list[Link], earlier: list[Link]) -> tuple[int, int, int]:
    """Fewer is better: unmatched, crossings, distance."""
    every = [*earlier, *links]
    crossings = sum((a < c) != (b < d) for i, (a, b) in enumerate(every) for c, d in every[:i])
    return -len(links), crossings, sum(abs(a - b) for a, b in links)


SETS = st.lists(st.frozensets(st.integers(0, 4), min_size=1, max_size=2), min_size=1, max_size=6)
BEAMS = st.sampled_from([40, 1000])


def encoded(words: list[int]) -> native.EncodedLines:
    return native.EncodedLines(np.array(words, np.uint32), np.array([len(words)], np.int64))


NO_PHRASES = native.PhrasePairs(
    native.EncodedLines(np.zeros(0, np.uint32), np.zeros(0, np.int64)),
    native.EncodedLines(np.zeros(0, np.uint32), np.zeros(0, np.int64)),
    np.zeros(0),
)


@pytest.mark.slow
@given(SETS, SETS, st.lists(st.integers(0, 3), min_size=12, max_size=12), BEAMS)
@settings(max_examples=300)
def test_stages_are_maximal_and_cross_least(
    first: list[frozenset[int]], second: list[frozenset[int]], stems: list[int], beam: int
) -> None:
    """Stems, then synonym sets that need not be transitive, against all matchings."""
    sets = [*first, *second]
    synsets = [number for word in sets for number in sorted(word)]
    ends = np.cumsum([len(word) for word in sets])
    relations = native.WordRelations(
        np.array(stems[: len(sets)], np.uint32),
        ends.astype(np.int64),
        np.array(synsets, np.uint32),
        np.zeros(0, np.uint8),
    )
    options = native.MeteorOptions(
        alpha=0.8,
        beta=2.5,
        gamma=0.4,
        delta=0.5,
        weights=[1, 1, 1, 1],
        strict=False,
        stages=[False, True, True, False],
        beam=beam,
    )
    hypothesis, reference = list(range(len(first))), list(range(len(first), len(sets)))
    found = native.match_words(encoded(hypothesis), encoded(reference), relations, NO_PHRASES, options)[0]
    earlier: list[Link] = []
    for stage in (1, 2):
        links = [(h, r) for h, _, r, _, which in found if which == stage]
        related = [
            [stems[h] == stems[r] if stage == 1 else bool(sets[h] & sets[r]) for r in reference] for h in hypothesis
        ]
        taken, used = {h for h, _ in earlier}, frozenset(r for _, r in earlier)
        graph = {h: [r for r in range(len(second)) if related[h][r]] for h in hypothesis if h not in taken}
        best = min(quality(links, earlier) for links in matchings(graph, list(graph), used))
        assert quality(links, earlier) == best
        earlier += links


@given(
    st.lists(st.sampled_from("abc"), min_size=20, max_size=40),
    st.lists(st.sampled_from("abc"), min_size=20, max_size=40),
)
@settings(max_examples=20)
def test_the_beam_keeps_matchings_maximal(first: list[str], second: list[str]) -> None:
    matches = Meteor(stages=("exact",), tokenize="none").align(" ".join(first), " ".join(second))
    assert len(matches) == sum(min(first.count(word), second.count(word)) for word in "abc")
