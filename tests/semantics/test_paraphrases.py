from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dragoman.errors import InputError, SettingError
from dragoman.lm import estimate
from dragoman.semantics.association import Association
from dragoman.semantics.cooccurrence import ContextSpace
from dragoman.semantics.distributional import ContextFrame, Paraphraser, frame_quotas
from dragoman.semantics.pivot import PhraseCounts, PivotModel, PivotParaphrase
from dragoman.semantics.senses import rerank, sense_tag, smallest_pair
from tests.text.test_index import random_text

TEXT = [
    "she declined to provide any other details today",
    "he declined to give further details today",
    "police refused to provide any other information",
    "police refused to reveal any information",
    "they declined to give further details yesterday",
    "officials refused to reveal any information",
    "he declined the offer",
]
TARGET = "to provide any other"


@pytest.mark.parametrize(
    ("association", "give", "reveal"),
    [
        (Association(measure="count"), 0.5455, 0.5976),
        (Association(measure="llr", counts="tokens", scale=1), 0.3832, 0.4531),
        (Association(measure="pmi", counts="tokens"), 0.3850, 0.5045),
    ],
)
def test_paraphrase_worked_example(association: Association, give: float, reveal: float) -> None:
    """Worked example for Marton (2009): seven sentences, 45 tokens, window 2."""
    paraphraser = Paraphraser(ContextSpace.of(TEXT, window=2), association=association, stop_words=())
    assert paraphraser.space.index.tokens == 45
    assert paraphraser.frames(TARGET) == {
        ContextFrame("declined", "details"): 1,
        ContextFrame("refused", "information"): 1,
    }
    found = paraphraser.paraphrases(TARGET)
    assert [entry.phrase for entry in found] == ["to reveal any", "to give further"]
    assert [entry.score for entry in found] == pytest.approx([reveal, give], abs=1e-4)
    assert found[1].frames == ((ContextFrame("declined", "details"), 2),)
    strict = Paraphraser(paraphraser.space, association=association, stop_words=(), min_score=0.6)
    assert strict.paraphrases(TARGET) == []
    assert paraphraser.paraphrases("never seen") == []
    only = paraphraser.paraphrases(TARGET, candidates={"to give further"})
    assert [entry.phrase for entry in only] == ["to give further"]
    assert only[0].to_dict()["frames"][0]["count"] == 2


def test_quotas() -> None:
    assert frame_quotas([50_000, 3_000, 100]) == [2000, 565, 100]
    assert frame_quotas([]) == []


def test_contexts_grow_over_words_that_say_nothing() -> None:
    space = ContextSpace.of(["he lived in the house of the president"], window=2)
    settings = {"stop_words": ["in", "the", "of"], "stop_bigrams": ["in the", "of the"]}
    assert list(Paraphraser(space, **settings).frames("house")) == [ContextFrame("lived in the", "of the president")]  # type: ignore[arg-type]
    settings["stop_bigrams"] = []
    assert list(Paraphraser(space, **settings).frames("house")) == [ContextFrame("in the", "of the")]  # type: ignore[arg-type]
    assert Paraphraser(space, stop_words=[]).frames("he") == Counter()
    assert Paraphraser(space, stop_words=["president"]).frames("the") == {ContextFrame("in", "house"): 1}


@pytest.mark.parametrize("seed", range(3))
def test_paraphrases_equal_a_scan(seed: int) -> None:
    text = random_text(seed, lines=400, words=8)
    space = ContextSpace.of(text, window=2)
    paraphraser = Paraphraser(space, stop_words=["a"], stop_bigrams=[], max_length=2, k=1000, min_score=0.0)
    frames: Counter[ContextFrame] = Counter()
    met: dict[str, Counter[ContextFrame]] = {}

    def left(tokens: list[str], at: int) -> str | None:
        if at == 0:
            return None
        return tokens[at - 1] if tokens[at - 1] != "a" else (None if at < 2 else " ".join(tokens[at - 2 : at]))

    def right(tokens: list[str], at: int) -> str | None:
        if at >= len(tokens):
            return None
        return tokens[at] if tokens[at] != "a" else (None if at + 2 > len(tokens) else " ".join(tokens[at : at + 2]))

    for line in text:
        tokens = line.split()
        for at, token in enumerate(tokens):
            before, after = left(tokens, at), right(tokens, at + 1)
            if token == "b" and before and after:
                frames[ContextFrame(before, after)] += 1
    assert paraphraser.frames("b") == frames
    for line in text:
        tokens = line.split()
        for start in range(len(tokens)):
            for end in (start + 1, start + 2):
                for frame in frames:
                    first, last = frame.left.split(), frame.right.split()
                    there = start >= len(first) and end < len(tokens)
                    phrase = " ".join(tokens[start:end])
                    frame_here = (tokens[start - len(first) : start], tokens[end : end + len(last)])
                    if there and frame_here == (first, last) and phrase != "b":
                        met.setdefault(phrase, Counter())[frame] += 1
    assert paraphraser.candidates("b") == met
    found = paraphraser.paraphrases("b")
    assert {entry.phrase for entry in found} <= set(met)
    assert [entry.score for entry in found] == sorted((entry.score for entry in found), reverse=True)
    for threads in (1, 7):
        other = ContextSpace(space.index, window=2, threads=threads)
        again = Paraphraser(other, stop_words=["a"], stop_bigrams=[], max_length=2, k=1000, min_score=0.0)
        assert again.paraphrases("b") == found


# Pivots: worked example for Aziz and Specia (2013)

A = PhraseCounts(
    {
        ("forma", "manière"): 6, ("forma", "forme"): 10, ("modo", "manière"): 8, ("manera", "manière"): 16,
        ("figura", "forme"): 5, ("forma", "type"): 2, ("tipo", "type"): 18, ("forma", "moyen"): 2,
        ("medio", "moyen"): 14,
    }
)  # fmt: skip
B = PhraseCounts(
    {
        ("forma", "Weise"): 5, ("manera", "Weise"): 12, ("modo", "Weise"): 3, ("forma", "Form"): 12,
        ("figura", "Form"): 4, ("forma", "Art"): 3, ("tipo", "Art"): 6, ("manera", "Art"): 6,
    }
)  # fmt: skip
A_TAGS = PhraseCounts(
    {
        ("manière", "way"): 27, ("manière", "manner"): 3, ("forme", "form"): 18, ("forme", "shape"): 2,
        ("type", "kind"): 10, ("type", "type"): 10, ("moyen", "means"): 12, ("moyen", "way"): 4,
    }
)  # fmt: skip
B_TAGS = PhraseCounts(
    {("Weise", "way"): 20, ("Form", "form"): 16, ("Form", "shape"): 4, ("Art", "kind"): 9, ("Art", "way"): 6}
)
DIRECT = PhraseCounts(
    {
        ("forma", "way"): 12, ("manera", "way"): 20, ("camino", "way"): 40, ("modo", "way"): 8,
        ("forma", "form"): 20, ("formulario", "form"): 30,
    }
)  # fmt: skip
MODEL = PivotModel({"fr": A, "de": B}, {"fr": A_TAGS, "de": B_TAGS}, DIRECT, "en")


def values(model: PivotModel, **settings: str) -> dict[str, float]:
    found = model.paraphrases("forma", include_identity=True, **settings).found  # type: ignore[arg-type]
    return {entry.phrase: entry.probability for entry in found}


def test_pivot_worked_example() -> None:
    assert values(MODEL, tag="form") == pytest.approx({"forma": 22 / 31, "figura": 9 / 31})
    expected = {"manera": 318 / 605, "forma": 1053 / 4840, "modo": 219 / 1210, "tipo": 24 / 605, "medio": 35 / 968}
    assert values(MODEL, tag="way") == pytest.approx(expected)
    ccb = {"forma": 23 / 48, "manera": 0.185, "figura": 19 / 120, "tipo": 0.075, "modo": 47 / 800, "medio": 0.04375}
    assert values(MODEL) == pytest.approx(ccb)
    assert MODEL.paraphrases("forma").found[0].phrase == "manera"
    (figura,) = MODEL.paraphrases("forma", tag="form").found
    assert (figura.phrase, figura.languages) == ("figura", 2)
    assert [(s.language, s.pivot, round(s.share, 9)) for s in figura.support] == [
        ("fr", "forme", 0.075),
        ("de", "Form", 0.06),
    ]
    wsd = MODEL.paraphrases("forma", tag="way", model="ccb-wsd").found
    assert wsd[0].phrase == "camino"
    assert wsd[0].probability == pytest.approx(40 / 80)
    assert MODEL.paraphrases("forma", tag="form", model="ccb-wsd").found[0].phrase == "formulario"


def test_properties_of_pivots() -> None:
    twice = PivotModel(
        {"fr": A, "de": B, "fr2": A, "de2": B}, {"fr": A_TAGS, "de": B_TAGS, "fr2": A_TAGS, "de2": B_TAGS}
    )
    assert values(twice) == pytest.approx(values(MODEL))
    assert values(twice, tag="way") == pytest.approx(values(MODEL, tag="way"))
    constant = [PhraseCounts({(f, q): 1 for f in pairs.backward for q in ("x", "y")}) for pairs in (A, B)]
    same = PivotModel({"fr": A, "de": B}, {"fr": constant[0], "de": constant[1]})
    ccb = values(MODEL)
    assert values(same, tag="x") == pytest.approx({name: value / sum(ccb.values()) for name, value in ccb.items()})
    assert set(values(MODEL, tag="way")) <= set(ccb)
    each = PivotModel({"fr": A, "de": B}, {"fr": A_TAGS, "de": B_TAGS}, combine="per-language")
    assert sum(values(each, tag="way").values()) == pytest.approx(1)
    assert MODEL.paraphrases("forma", tag="nothing").reason == "no_shared_pivot"
    assert MODEL.paraphrases("nada").reason == "unknown_phrase"


def test_pivots_equal_dense_matrices() -> None:
    random = np.random.default_rng(3)
    pairs = random.integers(0, 4, (6, 7)) + np.eye(6, 7, dtype=int)
    tags = random.integers(0, 3, (7, 3)) + 1
    model = PivotModel(
        {"p": PhraseCounts({(f"e{i}", f"f{j}"): float(n) for (i, j), n in np.ndenumerate(pairs) if n})},
        {"p": PhraseCounts({(f"f{j}", f"q{k}"): float(n) for (j, k), n in np.ndenumerate(tags) if n})},
    )
    there, back = pairs / pairs.sum(1, keepdims=True), pairs / pairs.sum(0, keepdims=True)
    to_tag = tags / tags.sum(1, keepdims=True)
    for i in range(6):
        for k in range(3):
            sums = back @ np.diag(to_tag[:, k]) @ there[i]
            found = model.paraphrases(f"e{i}", tag=f"q{k}", include_identity=True).found
            assert {e.phrase: e.probability for e in found} == pytest.approx(
                {f"e{n}": value for n, value in enumerate(sums / sums.sum()) if value}
            )


def test_pivot_table(tmp_path: Path) -> None:
    count = MODEL.write_table(tmp_path / "t.txt")
    lines = (tmp_path / "t.txt").read_text().splitlines()
    assert len(lines) == count
    assert "forma ||| form ||| figura ||| 0.290323 ||| fr:forme=0.075 de:Form=0.06" in lines
    assert MODEL.write_table(tmp_path / "u.txt", tagged=False, top=1) == 6


def test_bad_pivots() -> None:
    with pytest.raises(SettingError, match="both a pivot and the language of the tags"):
        PivotModel({"en": A}, {"en": A_TAGS}, tag_language="en")
    with pytest.raises(InputError, match="pivot de has only one"):
        PivotModel({"fr": A, "de": B}, {"fr": A_TAGS})
    with pytest.raises(SettingError):
        MODEL.paraphrases("forma", model="multi")
    with pytest.raises(SettingError):
        MODEL.paraphrases("forma", tag="way", model="ccb")
    with pytest.raises(InputError):
        PhraseCounts({("a", "b"): 0})


def test_counts_from_a_bitext() -> None:
    found = PhraseCounts.of_bitext(["la casa", "la casa", "una casa"], ["das haus"] * 2 + ["ein haus"], ["0-0 1-1"] * 3)
    assert found.forward["casa"] == {"haus": 1.0}
    assert found.backward["haus"] == {"casa": 1.0}
    assert found.forward["la"] == {"das": 1.0}


def test_tags_by_alignment() -> None:
    links = [(0, 0), (1, 2), (2, 1), (3, 1)]
    assert smallest_pair((1, 2), links) == ((1, 2), (2, 3))
    assert smallest_pair((2, 3), links) == ((2, 4), (1, 2))
    assert smallest_pair((1, 2), [(0, 0)]) is None
    source, target = ["a", "b", "c", "d"], ["x", "y", "z"]
    tag = sense_tag(source, (2, 3), target, "0-0 1-2 2-1 3-1")
    assert tag is not None
    assert (tag.tag, tag.expanded) == ("y", True)
    assert sense_tag(source, (2, 3), target, "0-0 1-2 2-1 3-1", strict=True) is None
    for bad in ((2, 2), (-1, 1), (0, 9)):
        with pytest.raises(InputError):
            sense_tag(source, bad, target, "0-0")
    with pytest.raises(InputError, match="4-0"):
        sense_tag(source, (0, 1), target, "0-0 4-0")


def test_reranking_ranks_as_the_whole_sentence() -> None:
    text = ["the cat sat on the mat today", "the dog lay on the big rug today", "a cat lay on a mat"]
    model = estimate(text, order=3).build()
    candidates = [PivotParaphrase("cat", 0.5), PivotParaphrase("big dog", 0.3), PivotParaphrase("rug", 0.2)]
    for sentence in (text[0], text[1], "on the mat sat the cat and the dog today a cat lay"):
        tokens = sentence.split()
        for at in range(len(tokens)):
            found = rerank(tokens, (at, at + 1), candidates, model)
            whole = {
                c.phrase: math.log(c.probability)
                + float(model.score([" ".join([*tokens[:at], c.phrase, *tokens[at + 1 :]])])[0])
                for c in candidates
            }
            assert [entry.paraphrase.phrase for entry in found] == sorted(whole, key=lambda name: -whole[name])
            first, second = found[0], found[1]
            difference = whole[first.paraphrase.phrase] - whole[second.paraphrase.phrase]
            assert first.score - second.score == pytest.approx(difference)
    with pytest.raises(InputError):
        rerank(["a"], (1, 1), candidates, model)
