"""Across languages: worked examples, properties, and pairs made from parallel text with known answers."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from dragoman.align import get_aligner
from dragoman.align.alignment import Alignment
from dragoman.entailment.both_directions import LABELS, label_of
from dragoman.entailment.cross_lingual import (
    CrossLingualModel,
    CrossLingualPair,
    insertions_and_deletions,
    local_match,
    pair_features,
    read_cross_lingual,
    rewritten,
    score_labels,
    shortened_pairs,
    unalignment,
    write_cross_lingual,
)
from dragoman.entailment.unaligned_words import CrossLingualEntailer
from dragoman.errors import FormatError, InputError, SettingError
from dragoman.text import synthetic
from tests.commands import Run

YUNUS = CrossLingualPair(
    "1",
    ("Yunus", "gründete", "die", "Bank", "vor", "30", "Jahren"),
    ("Yunus", "founded", "the", "successful", "bank", "30", "years", "ago", "in", "1976"),
)
LINKS = Alignment.parse("0-0 1-1 2-2 3-4 4-7 5-5 6-6")


def test_features_worked() -> None:
    found = pair_features(YUNUS, LINKS, {}, {"successful": 0.04, "in": 0.22})
    assert [found[f"forward {name}"] for name in ("A1", "A2", "A3")] == [3, 1, 2]
    assert [found[f"backward {name}"] for name in ("A1", "A2", "A3")] == [0, 0, 0]
    assert " ".join(rewritten(YUNUS, LINKS)) == "Yunus gründete die successful Bank 30 Jahren vor in 1976"


def test_strings_worked_and_their_properties() -> None:
    first = ["der", "alte", "Mann", "kaufte", "gestern", "ein", "Buch"]
    second = ["der", "Mann", "kaufte", "ein", "rotes", "Buch"]
    assert insertions_and_deletions(first, second) == 3
    local = local_match(first, second)
    assert (local.score, local.matches, local.penalties) == (2, 2, 0)
    longer = ["der", "Mann", "kaufte", "ein", "rotes", "Buch", "gestern", "hier"]
    shorter = [word for word in longer if word != "rotes"]
    local = local_match(longer, shorter)
    assert (local.score, local.matches, local.penalties) == (6, 7, 1), "a gap for rotes"
    assert insertions_and_deletions(longer, shorter) == 1
    choose = random.Random(1)
    for _ in range(60):
        one, other = ([choose.choice("abc") for _ in range(choose.randint(0, 7))] for _ in range(2))
        distance = insertions_and_deletions(one, other)
        assert distance == insertions_and_deletions(other, one)
        assert (distance == 0) == (one == other)
        assert (distance - len(one) - len(other)) % 2 == 0
        local = local_match(one, other)
        assert local.matches - local.penalties == local.score
        assert local.matches <= min(len(one), len(other))
    same = CrossLingualPair("x", ("a", "b"), ("a", "b"))
    found = pair_features(same, Alignment.parse("0-0 1-1"), {}, {})
    assert [found[name] for name in ("forward A1", "backward A1", "S1", "S2", "S3")] == [0, 0, 2, 0, 0]


def test_labels() -> None:
    made = {label_of(forward, backward) for forward in (True, False) for backward in (True, False)}
    assert made == set(LABELS)
    scores = score_labels(list(LABELS), ["bidirectional", "forward", "forward", "no_entailment"])
    assert scores.accuracy == 0.75
    assert (scores.forward, scores.backward) == (0.75, 0.75)
    with pytest.raises(SettingError, match="no feature"):
        CrossLingualModel("A9")
    with pytest.raises(SettingError, match="combine"):
        CrossLingualModel(combine="hope")


@pytest.mark.slow
def test_pairs_with_gold_links_are_told_apart() -> None:
    """What the features can do at best: three of four, where chance is one of four; both ways to decide."""
    items = list(synthetic.pair("en-de").generate(500, seed=1))
    first, second = [item.target.tokens for item in items], [item.source.tokens for item in items]
    links = [Alignment(item.alignment).transposed() for item in items]
    made = shortened_pairs(first, second, links, seed=1)
    assert len(made) > 100
    tables = unalignment(first, links, side=0), unalignment(second, links, side=1)
    rows = [pair_features(pair, alignment, *tables) for pair, alignment in made]
    gold = [pair.label for pair, _ in made]
    half = len(rows) // 2
    accuracy = {}
    for combine in ("two decisions", "one versus rest"):
        model = CrossLingualModel(combine=combine).fit(rows[:half], gold[:half])
        accuracy[combine] = score_labels(gold[half:], [model.predict(row) for row in rows[half:]]).accuracy
    assert accuracy["two decisions"] >= 0.75
    strings = CrossLingualModel("S1+S2+S3").fit(rows[:half], gold[:half])
    one_way = [strings.predict(row) in ("forward", "backward") for row in rows[half:]]
    assert sum(one_way) / len(one_way) < 0.25
    swapped = [
        pair_features(CrossLingualPair(p.id, p.second, p.first), a.transposed(), tables[1], tables[0]) for p, a in made
    ]
    for row, turned in zip(rows[:20], swapped[:20], strict=True):
        assert [row[f"forward {n}"] for n in ("A1", "A2", "A3")] == [
            turned[f"backward {n}"] for n in ("A1", "A2", "A3")
        ]


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "pairs.xml"
    file.write_text(
        '<entailment-corpus languages="deu-eng"><pair id="1" entailment="forward"><t1>a b</t1><t2>c</t2></pair>'
        "</entailment-corpus>"
    )
    assert read_cross_lingual(file) == [CrossLingualPair("1", ("a", "b"), ("c",), "forward")]
    for text, what in (
        ('<x><pair id="1" entailment="sideways"><t1>a</t1><t2>b</t2></pair></x>', "not a label"),
        ('<x><pair id="1"><t1>a</t1></pair></x>', "no t2"),
        ('<x><pair id="1"><t1>a</t1><t2>b</t2></pair><pair id="1"><t1>a</t1><t2>b</t2></pair></x>', "same id"),
        ("<x", "not XML"),
    ):
        file.write_text(text)
        with pytest.raises(FormatError, match=what):
            read_cross_lingual(file)
    pairs = [YUNUS, CrossLingualPair("2", ("a<b", "&"), ('"c"',), "no_entailment")]
    write_cross_lingual(pairs, file)
    assert read_cross_lingual(file) == pairs
    with pytest.raises(InputError, match="pair 3"):
        write_cross_lingual([CrossLingualPair("3", ("a\x01",), ("b",))], file)
    with pytest.raises(InputError, match="outside"):
        pair_features(CrossLingualPair("1", ("a",), ("b",)), Alignment.parse("0-3"), {}, {})


def test_learning_needs_labels_and_words() -> None:
    german, english = [("ein", "Hund"), ("eine", "Katze")], [("a", "dog"), ("a", "cat")]
    aligner = get_aligner("ibm1")
    aligner.train(german, english)
    entailer = CrossLingualEntailer.of(aligner, german, english)
    labelled = CrossLingualPair("1", german[0], english[0], "forward")
    with pytest.raises(InputError, match="no label") as error:
        entailer.fit([labelled, CrossLingualPair("unknown", german[1], english[1])])
    assert "pair unknown" in str(error.value)
    with pytest.raises(InputError, match="empty side"):
        entailer.fit([labelled, CrossLingualPair("2", (), ("a",), "forward")])


@pytest.mark.slow
def test_from_parallel_text_to_a_label_by_command(run: Run) -> None:
    items = list(synthetic.pair("en-de").generate(400, seed=3))
    sides = [[getattr(item, side).tokens for item in items] for side in ("source", "target")]
    made = shortened_pairs(sides[0], sides[1], [Alignment(item.alignment) for item in items], seed=1)
    for name, side in zip(("text.en", "text.de"), sides, strict=True):
        Path(name).write_text("".join(f"{' '.join(tokens)}\n" for tokens in side))
    for name, part in (("train.xml", made[: len(made) // 2]), ("test.xml", made[len(made) // 2 :])):
        write_cross_lingual([pair for pair, _ in part], name)
    aligner = get_aligner("fast")
    aligner.train(*sides, languages=("en", "de"))
    aligner.save("aligner")
    given = ("--aligner", "aligner", "--source", "text.en", "--target", "text.de")
    run("entail", "across", "fit", "train.xml", *given, "-o", "model")
    found = json.loads(run("entail", "across", "evaluate", "model", "test.xml", "-o", "out.tsv", "--json"))
    assert found["accuracy"] > 0.4
    assert len(Path("out.tsv").read_text().splitlines()) == len(made[len(made) // 2 :])
    entailer = CrossLingualEntailer.open("model")
    tests = [pair for pair, _ in made[len(made) // 2 :]]
    judged = [entailer.judge_all(tests, threads=threads) for threads in (1, 3)]
    assert judged[0] == judged[1]
    longer = next(pair for pair in tests if pair.label == "forward")
    plain = json.loads(run("entail", "across", "model", " ".join(longer.first), " ".join(longer.second), "--json"))
    assert set(plain["only_first"]) <= set(longer.first)
    assert "features: forward A1" in run("entail", "across", "model", " ".join(longer.first), " ".join(longer.second))
    assert "empty side" in run("entail", "across", "model", "", "ein Hund", code=2)
    Path("model/model.json").write_text("{}")
    assert "again" in run("entail", "across", "model", "a", "b", code=2)
