"""Typed similarity of records: worked examples, properties, files, regression, commands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from dragoman.annotations.annotator import Annotator
from dragoman.annotations.layers import Span
from dragoman.annotations.sentence import Sentence
from dragoman.errors import FormatError, LengthMismatch, SettingError
from dragoman.similarity import TextPair, get_scorer
from dragoman.similarity.record_scorers import TypedRecords
from dragoman.similarity.records import (
    TYPES,
    Record,
    TermWeights,
    annotate_records,
    applicable_mean,
    baseline_scores,
    read_record_gold,
    read_record_pairs,
    read_records,
    walk_pairs,
    years_of,
)
from dragoman.similarity.typed_regression import TypedRegression, record_features
from tests.commands import Run

VASES = [Record(str(at), title=text) for at, text in enumerate(["red vase", "blue vase", "map", "red map"])]


def test_cosines_worked() -> None:
    """Four records: idf of red, vase, map is ln 2, of blue ln 4."""
    weights = TermWeights.of(VASES)
    assert weights.cosine(["red", "vase"], ["blue", "vase"]) == pytest.approx(0.31623, abs=1e-5)
    assert weights.cosine(["red", "vase", "vase"], ["blue", "vase"]) == pytest.approx(0.4)
    assert weights.cosine([], ["blue"]) == 0
    peer = pytest.importorskip("sklearn.feature_extraction.text")
    counts = peer.CountVectorizer(token_pattern=r"\S+")
    table = counts.fit_transform([one.title for one in VASES]).toarray() * [
        weights.weight(word) for word in counts.get_feature_names_out()
    ]
    for one, row in zip(VASES, table, strict=True):
        for other, column in zip(VASES, table, strict=True):
            wanted = row @ column / np.linalg.norm(row) / np.linalg.norm(column)
            assert baseline_scores(one, other, weights)["general"] == pytest.approx(wanted)


def test_small_things() -> None:
    assert applicable_mean([None, None]) == 0
    assert years_of("from 1889 to 1890, 1890s, the 19th century, 12345") == (1889, 1890, 1895, 1850)
    near = {"a": ["b", "c"], "b": ["a", "d"], "c": ["d"], "d": ["b", "e"], "e": []}
    pairs = walk_pairs(["a"], near.__getitem__)
    assert all(one != other for one, other, _ in pairs)
    assert len({frozenset(pair[:2]) for pair in pairs}) == len(pairs)
    assert ("a", "d", 2) in pairs


class Names(Annotator):
    """Capitals are people, words in -ed verbs."""

    name = "names"
    gives = ("pos", "entities")

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        return cls()

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        return [
            one.with_layers(
                pos=tuple("VERB" if word.endswith("ed") else "NOUN" for word in one.words),
                entities=tuple(
                    Span("PER" if word != "Rome" else "LOC", at, at + 1)
                    for at, word in enumerate(one.words)
                    if word[0].isupper()
                ),
            )
            for one in sentences
        ]


def test_names_come_from_annotation() -> None:
    record = Record("1", title="Anna painted Rome", date=("1889",))
    assert record.words("people") == ()
    done = annotate_records([record], Names())[0]
    assert (done.words("people"), done.words("location"), done.words("event")) == (("anna",), ("rome",), ("painted",))
    weights = TermWeights.of([done, Record("2", title="Berta painted Paris")])
    same = baseline_scores(done, done, weights)
    assert all(value == 1 for kind, value in same.items() if done.words(kind))


def catalogue(size: int, seed: int) -> list[Record]:
    draws = np.random.default_rng(seed)
    words = [f"w{number}" for number in range(30)]

    def some(count: int) -> str:
        return " ".join(draws.choice(words, count))

    return [
        Record(
            str(at),
            some(3),
            (some(1), some(1)),
            some(8),
            (f"painter{draws.integers(5)}",),
            (str(1800 + draws.integers(100)),),
        )
        for at in range(size)
    ]


def test_a_regression_learns_what_a_type_is(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    records = catalogue(60, 1)
    draws = np.random.default_rng(2)
    pairs = [(records[a], records[b]) for a, b in draws.integers(60, size=(200, 2))]
    weights = TermWeights.of(records)
    gold = np.zeros((200, 8))
    for at, (one, other) in enumerate(pairs):
        near = 1 / (1 + abs(one.years[0] - other.years[0]) / 10)
        gold[at] = [near / 2 + (one.creator == other.creator) / 2, one.creator == other.creator, 0, near, 0, 0, 0, 0]
    gold += draws.normal(0, 0.02, gold.shape)
    model = TypedRegression(kind="rbf").fit(pairs[:150], gold[:150], weights)
    found = model.score(pairs[150:])
    for kind in ("general", "author", "time"):
        at = TYPES.index(kind)
        assert np.corrcoef(found[:, at], gold[150:, at])[0, 1] > 0.8
    turned = [(other, one) for one, other in pairs[150:]]
    np.testing.assert_allclose(model.score(turned), found)
    assert record_features(*pairs[0], weights) == record_features(*pairs[0][::-1], weights)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(TypedRegression.open(tmp_path / "model").score(pairs[150:]), found)
    reasons = model.explain(pairs[0], "time")
    assert reasons.strongest()[0].name == "years"
    assert reasons.score == pytest.approx(model.score(pairs[:1])[0, TYPES.index("time")])
    with pytest.raises(SettingError, match="kind is 'colour'"):
        model.explain(pairs[0], "colour")
    with pytest.raises(SettingError, match="fitted first"):
        TypedRegression().score(pairs)
    with pytest.raises(LengthMismatch):
        TypedRegression().fit(pairs, gold[:3], weights)


def test_records_are_texts_of_pairs(tmp_path: Path) -> None:
    """What the scorers of pairs say is what the functions for records say."""
    pytest.importorskip("sklearn")
    records = catalogue(20, 4)
    lines = [
        json.dumps(
            {"id": one.id, "dcTitle": one.title, "dcSubject": list(one.subject), "dcDate": list(one.date)}
            | {"dcDescription": one.description, "dcCreator": one.creator[0]}
        )
        for one in records
    ]
    (tmp_path / "items.jsonl").write_text("\n".join(lines) + "\n")
    weights = TermWeights.of(records)
    pairs = [TextPair.of(lines[at], lines[(3 * at + 1) % 20]) for at in range(20)]
    for kind in ("general", "author", "time"):
        scorer = get_scorer("records", [f"respect={kind}", f"catalogue={tmp_path / 'items.jsonl'}"])
        wanted = [baseline_scores(records[at], records[(3 * at + 1) % 20], weights)[kind] for at in range(20)]
        assert scorer.score(pairs).tolist() == pytest.approx(wanted)
        shares = [sum(each.share or 0.0 for each in scorer.explain(pair).features) for pair in pairs]
        assert shares == pytest.approx(wanted)
    typed = get_scorer("typed", ["kind=ridge", f"catalogue={tmp_path / 'items.jsonl'}"])
    gold = np.linspace(0, 1, 20)
    made = TypedRegression(kind="ridge").fit(
        [(records[at], records[(3 * at + 1) % 20]) for at in range(20)], np.tile(gold[:, None], (1, 8)), weights
    )
    found = typed.fit(pairs, gold).score(pairs)
    assert isinstance(typed, TypedRecords)
    assert found.tolist() == pytest.approx(made.score(typed.records(pairs))[:, 0].tolist())
    with pytest.raises(FormatError, match="no field"):
        get_scorer("records").score([TextPair.of('{"title": "x"}', "y")])


def test_files_and_commands(run: Run) -> None:
    records = catalogue(12, 3)
    with Path("items.jsonl").open("w") as file:
        for one in records:
            plain = {"id": one.id, "dcTitle": one.title, "dcSubject": list(one.subject), "dcDate": list(one.date)}
            file.write(json.dumps(plain | {"dcDescription": one.description, "dcCreator": one.creator[0]}) + "\n")
    Path("pairs.tsv").write_text("".join(f"{a}\t{(a * 5 + 1) % 12}\n" for a in range(12)))
    table = ["\t".join(f"{(a * k) % 6}" for k in range(1, 9)) for a in range(12)]
    Path("gold.tsv").write_text("\n".join(table) + "\n")
    read = read_records("items.jsonl")
    assert read["3"] == records[3]
    assert len(read_record_pairs("pairs.tsv", read)) == 12
    assert read_record_gold("gold.tsv").shape == (12, 8)
    printed = run("similarity", "records", "score", "items.jsonl", "pairs.tsv")
    assert len(printed.splitlines()[0].split("\t")) == 8
    score = ("similarity", "records", "score", "items.jsonl", "pairs.tsv")
    shown = run(*score, "--explain", "--type", "author", "--report", "why.html")
    assert "0 and 1" in shown
    assert "records, author" in shown
    assert Path("why.html").read_text("utf-8").count("<section>") == 12
    rows = [json.loads(line) for line in run(*score, "--explain", "--json").splitlines()]
    assert rows[0]["reasons"]["general"]["score"] == pytest.approx(rows[0]["scores"]["general"] / 5)
    assert "kind is 'colour'" in run(*score, "--explain", "--type", "colour", code=2)
    run(
        "similarity",
        "records",
        "fit",
        "items.jsonl",
        "pairs.tsv",
        "--gold",
        "gold.tsv",
        "-o",
        "m",
        "--set",
        "kind=ridge",
    )
    found = json.loads(
        run("similarity", "records", "evaluate", "items.jsonl", "pairs.tsv", "--gold", "gold.tsv", "-w", "m", "--json")
    )
    assert set(found["correlations"]) == set(TYPES)
    assert found["mean"] == pytest.approx(sum(found["correlations"].values()) / 8)
    for name, text, what in (
        ("items.jsonl", "{}\n", "needs an id"),
        ("items.jsonl", '{"id": 1, "x": 2}\n', "no field"),
        ("items.jsonl", '{"id": 1}\n{"id": 1}\n', "two records"),
        ("items.jsonl", "[\n", "not JSON"),
    ):
        Path(name).write_text(text)
        with pytest.raises(FormatError, match=what):
            read_records(name)
    Path("pairs.tsv").write_text("1\t99\n")
    with pytest.raises(FormatError, match="no record"):
        read_record_pairs("pairs.tsv", read)
    Path("gold.tsv").write_text("1\t2\n")
    with pytest.raises(FormatError, match="2 columns"):
        read_record_gold("gold.tsv")
