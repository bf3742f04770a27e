"""Features of the places where rules occur: against a count by hand, for any number of threads, through every tool."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dragoman.annotations import Sentence
from dragoman.cli import app
from dragoman.errors import InputError, MissingDependency, SettingError, UnknownName
from dragoman.executors import LocalExecutor, ProcessExecutor
from dragoman.grammar import extraction_features
from dragoman.grammar.extraction_features import (
    ExtractionFeature,
    GapSize,
    ImportedExtractionFeature,
    RuleOccurrence,
    TrainingPair,
)
from dragoman.grammar.limits import GappyLimits, HieroLimits, PhraseLimits
from dragoman.grammar.mixture import mix
from dragoman.grammar.moses import export_moses, import_moses
from dragoman.grammar.phrases import extract, gappy_spans, phrase_spans
from dragoman.grammar.pruning import filter_table, prune
from dragoman.grammar.rule import Nonterminal
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from dragoman.text import synthetic

Bitext = tuple[list[str], list[str], list[str]]
LIMITS = PhraseLimits(max_source=3, max_target=3)


class Length(ExtractionFeature):
    """Words of the sentences that a rule comes from, and whether they are of a domain."""

    columns = ("sentence.words", "sentence.web")

    def values(self, pair: TrainingPair, occurrences: Sequence[RuleOccurrence]) -> Sequence[Sequence[float]]:
        return [[len(pair.source), float("web" in pair.domains)] for _ in occurrences]


class Linked(ExtractionFeature):
    """Links inside, all added up."""

    columns = ("links.inside",)
    estimate = "sum"

    def values(self, pair: TrainingPair, occurrences: Sequence[RuleOccurrence]) -> Sequence[Sequence[float]]:
        return [[sum(a.source[0] <= i < a.source[1] for i, _ in pair.links)] for a in occurrences]


OWN = """
from pathlib import Path

from dragoman.grammar.extraction_features import ExtractionFeature


class Late(ExtractionFeature):
    'How far down in the sentence a rule stands.'

    columns = ("late",)

    def __init__(self, factor=1):
        self.factor = factor

    def values(self, pair, occurrences):
        return [[self.factor * each.source[0] / len(pair.source)] for each in occurrences]
"""


@pytest.fixture(scope="module")
def bitext() -> Bitext:
    items = synthetic.pair("en-de").splits(train=120, dev=1, test=1, seed=3).train
    return (
        [" ".join(item.source.tokens) for item in items],
        [" ".join(item.target.tokens) for item in items],
        [" ".join(f"{i}-{j}" for i, j in sorted(item.alignment)) for item in items],
    )


@pytest.fixture(scope="module")
def table(bitext: Bitext, tmp_path_factory: pytest.TempPathFactory) -> RuleTable:
    source, target, links = bitext
    return extract(
        source,
        target,
        links,
        tmp_path_factory.mktemp("features") / "table",
        limits=LIMITS,
        scoring=Scoring(min_probability=0.0),
        domains={"web": range(60)},
        features=["unaligned", "edge", Length(), Linked()],
    ).table


def occurrences(
    bitext: Bitext,
) -> dict[tuple[str, str], list[tuple[int, tuple[int, int], tuple[int, int]]]]:
    found = defaultdict(list)
    for line, (source, target, links) in enumerate(zip(*bitext, strict=True)):
        points = [tuple(map(int, link.split("-"))) for link in links.split()]
        words, others = source.split(), target.split()
        for (a, b), (c, d) in phrase_spans(len(words), len(others), points, limits=LIMITS):  # type: ignore[arg-type]
            found[" ".join(words[a:b]), " ".join(others[c:d])].append((line, (a, b), (c, d)))
    return found


def test_columns_are_what_counting_gives(table: RuleTable, bitext: Bitext) -> None:
    source, _, links = bitext
    found = occurrences(bitext)
    firsts = sum(a == 0 for each in found.values() for _, (a, _), _ in each)
    overall = firsts / sum(map(len, found.values()))
    assert len(table) == len(found)
    for rule in table:
        key = " ".join(map(str, rule.source)), " ".join(map(str, rule.target))
        places = found[key]
        lengths = [len(source[line].split()) for line, _, _ in places]
        assert rule.values["sentence.words"] == pytest.approx(np.mean(lengths), rel=1e-5)
        assert rule.values["sentence.web"] == pytest.approx(np.mean([line < 60 for line, _, _ in places]), rel=1e-5)
        inside = sum(a <= int(link.split("-")[0]) < b for line, (a, b), _ in places for link in links[line].split())
        assert rule.values["links.inside"] == pytest.approx(inside)
        first = sum(a == 0 for _, (a, _), _ in places)
        assert rule.values["edge.first"] == pytest.approx(math.log((first + 2 * overall) / (len(places) + 2)), abs=1e-5)
        unlinked = [
            (b - a) - len({int(k.split("-")[0]) for k in links[line].split()} & set(range(a, b)))
            for line, (a, b), _ in places
        ]
        assert rule.values["unaligned.source"] == pytest.approx(np.mean(unlinked), abs=1e-6)


def test_threads_and_ways_of_reading_change_nothing(table: RuleTable, bitext: Bitext, tmp_path: Path) -> None:
    files = []
    for name, lines in zip(("s", "t", "a"), bitext, strict=True):
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
        files.append(tmp_path / name)
    for threads in (1, 2, 7):
        source, target, links = map(iter, bitext) if threads > 1 else files
        again = extract(
            source,
            target,
            links,
            tmp_path / f"table{threads}",
            limits=LIMITS,
            scoring=Scoring(min_probability=0.0),
            domains={"web": range(60)},
            features=["unaligned", "edge", Length(), Linked()],
            threads=threads,
        ).table
        assert again.columns == table.columns
        assert again.native.values(0, len(again)).tobytes() == table.native.values(0, len(table)).tobytes()


@pytest.mark.slow
def test_where_batches_are_looked_at_changes_nothing(
    table: RuleTable, bitext: Bitext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction_features, "BATCH", 32)
    made = []
    for number, executor in enumerate((LocalExecutor(threads=2), ProcessExecutor(threads=2))):
        with executor:
            again = extract(
                *bitext,
                tmp_path / f"table{number}",
                limits=LIMITS,
                scoring=Scoring(min_probability=0.0),
                domains={"web": range(60)},
                features=["unaligned", "edge", "general", Length(), Linked()],
                executor=executor,
            ).table
        made.append(again.native.values(0, len(again)))
    assert made[0].tobytes() == made[1].tobytes()
    common = [again.columns.index(name) for name in table.columns]
    assert made[0].reshape(len(again), -1)[:, common] == pytest.approx(
        table.native.values(0, len(table)).reshape(len(table), -1), rel=1e-6
    )


def test_tags_and_domains_are_seen_natively(tmp_path: Path) -> None:
    source, target, links = ["the old house", "the house"], ["das alte Haus", "das Haus"], ["0-0 1-1 2-2", "0-0 1-1"]
    known = [
        Sentence.of(["the", "old", "house"], pos=["DET", "ADJ", "NOUN"]),
        Sentence.of(["the", "house"], pos=["DET", "NOUN"]),
    ]
    features = ["content", "general"]
    found = extract(
        source, target, links, tmp_path / "t", features=features, annotations=known, domains={"web": [0]}
    ).table
    shares = {text: found.lookup(text)[0].values["content"] for text in ("the", "the old", "the old house", "house")}
    assert shares == pytest.approx({"the": 0.0, "the old": 0.5, "the old house": 2 / 3, "house": 1.0})
    rare, common, general = (found.lookup(text)[0].values["general"] for text in ("old", "house", "the house"))
    assert rare < common < general < 0
    with pytest.raises(InputError, match="without tags") as error:
        extract(
            source,
            target,
            links,
            tmp_path / "u",
            features=["content"],
            annotations=[known[0], Sentence.of(["the", "house"])],
        )
    assert error.value.where == "line 2"


def test_columns_travel(table: RuleTable, tmp_path: Path) -> None:
    name = "sentence.words"
    some = filter_table(table, [" ".join(map(str, table.rule(0).source))], tmp_path / "some")
    rule = some.rule(0)
    assert rule.values[name] == table.lookup(rule.source)[0].values[name]
    best = prune(table, tmp_path / "best", top=1, min_count=2)
    assert 0 < best.after < len(table)
    assert best.table.columns == table.columns
    for pruned in best.table:
        [whole] = [each for each in table.lookup(pruned.source) if each.target == pruned.target]
        assert pruned.values == whole.values
    mixed = mix([table, some], tmp_path / "mixed")
    assert name in mixed.columns
    export_moses(table, tmp_path / "moses.gz")
    again = import_moses(tmp_path / "moses.gz", tmp_path / "read", columns=list(table.columns)).table
    for number in (0, len(table) // 2):
        one = table.rule(number)
        other = next(each for each in again.lookup(one.source) if each.target == one.target)
        assert other.values[name] == pytest.approx(one.values[name], rel=1e-3)


def test_a_class_of_ones_own_goes_by_its_place(bitext: Bitext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "places_of_rules"
    (tmp_path / f"{name}.py").write_text(OWN, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for side, lines in zip(("source", "target", "links"), bitext, strict=True):
        (tmp_path / side).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    files = [str(tmp_path / side) for side in ("source", "target", "links")]
    run = CliRunner().invoke(
        app, ["extract", *files, "-o", str(tmp_path / "t"), "--features", f"{name}:Late:factor=2", "--features", "edge"]
    )
    assert run.exit_code == 0, run.output
    found = RuleTable.open(tmp_path / "t")
    assert found.columns[-3:] == ("late", "edge.first", "edge.last")
    rule = found.rule(0)
    [other] = [each for each in found.lookup(rule.source) if each.target == rule.target]
    assert 0 <= other.values["late"] < 2
    assert ImportedExtractionFeature.parse(f"{name}:Late").fingerprint().startswith(f"{name}:Late ")
    with pytest.raises(SettingError, match="derive it from ExtractionFeature"):
        extract(*bitext, tmp_path / "x", features=[f"{name}:Path"])
    with pytest.raises(MissingDependency, match="nowhere"):
        extract(*bitext, tmp_path / "x", features=["nowhere:Late"])


def test_heads_are_seen(tmp_path: Path) -> None:
    source, target, links = ["a b c"], ["A B C"], ["0-0 1-1 2-2"]
    known = Sentence.of(["a", "b", "c"], dependencies=([1, -1, 1], ["x", "root", "x"]))
    found = extract(source, target, links, tmp_path / "t", features=["subtree"], annotations=[known]).table
    assert found.lookup("a b")[0].values["subtree"] > found.lookup("a b c")[0].values["subtree"] - 1e-6
    with pytest.raises(InputError, match="without heads") as error:
        extract(source, target, links, tmp_path / "u", features=["subtree"])
    assert error.value.where == "line 1"


class Inside(ExtractionFeature):
    """Words in gaps, where there are any."""

    columns = ("gaps.words",)

    def values(self, pair: TrainingPair, occurrences: Sequence[RuleOccurrence]) -> Sequence[Sequence[float | None]]:
        return [[sum(b - a for a, b in (*each.source_gaps, *each.target_gaps)) or None] for each in occurrences]


@pytest.mark.slow
def test_sizes_of_gaps_are_smoothed_probabilities(bitext: Bitext, tmp_path: Path) -> None:
    source, target, links = bitext
    limits = GappyLimits(gap_words=3, gap_source_span=10, gap_target_span=10)
    features: list[ExtractionFeature | str] = ["gap_size", Inside(), "unaligned"]
    scoring = Scoring(min_probability=0.0)
    table = extract(source, target, links, tmp_path / "t", limits=limits, scoring=scoring, features=features).table
    sizes: dict[tuple[str, str], dict[str, list[list[int]]]] = defaultdict(lambda: {"source": [], "target": []})
    for one, other, line in zip(*bitext, strict=True):
        points = [tuple(map(int, link.split("-"))) for link in line.split()]
        sides = {"source": one.split(), "target": other.split()}
        lengths = len(sides["source"]), len(sides["target"])
        for unit in gappy_spans(*lengths, points, limits=limits):  # type: ignore[arg-type]
            spelt, gaps = [], {}
            for name, positions in zip(sides, unit, strict=True):
                between = [b - a - 1 for a, b in pairwise(positions)]
                words = [sides[name][positions[0]]]
                for gap, at in zip(between, positions[1:], strict=True):
                    words += [*(["X"] if gap else []), sides[name][at]]
                spelt.append(" ".join(words))
                gaps[name] = [gap for gap in between if gap]
            for name, found in gaps.items():
                sizes[spelt[0], spelt[1]][name] += [found] if found else []

    def shares(found: list[list[int]]) -> np.ndarray:
        """How often gaps have each size, a unit counting once."""
        total = np.zeros(4)
        for each in found:
            for gap in each:
                total[0 if gap <= 2 else 1 if gap <= 4 else 2 if gap <= 8 else 3] += 1 / len(each)
        return total

    checked = 0
    for side in ("source", "target"):
        every = [each for unit in sizes.values() for each in unit[side]]
        overall = shares(every) / len(every)
        for rule in table:
            spelt_source, spelt_target = (
                " ".join("X" if isinstance(each, Nonterminal) else each for each in words)
                for words in (rule.source, rule.target)
            )
            key = spelt_source, spelt_target
            own = sizes[key][side] if key in sizes else []
            values = [rule.values[f"gap_size.{side}.{size}"] for size in ("1-2", "3-4", "5-8", "9+")]
            wanted = (shares(own) + 10 * np.maximum(overall, 1e-6)) / (len(own) + 10)
            assert np.exp(values) == pytest.approx(wanted, rel=1e-4)
            checked += bool(own)
            if own and side == "source":
                words_in = [sum(each) for each in own]
                assert rule.values["gaps.words"] == pytest.approx(np.mean(words_in), rel=1e-5) or sizes[key]["target"]
    assert checked > 50
    with pytest.raises(SettingError, match="no gaps"):
        extract(source, target, links, tmp_path / "u", features=["gap_size"])


def test_worked_example_of_gap_sizes() -> None:
    counts, totals = np.array([2, 0, 1, 0]), np.array([50, 30, 15, 5])
    assert (counts + 10 * totals / totals.sum()) / (counts.sum() + 10) == pytest.approx(
        [0.5385, 0.2308, 0.1923, 0.0385], abs=5e-5
    )
    assert GapSize.strength == 10


def test_what_is_wrong_is_told(bitext: Bitext, tmp_path: Path) -> None:
    class Bad(Length):
        """Fails."""

        def values(self, pair: TrainingPair, occurrences: Sequence[RuleOccurrence]) -> Sequence[Sequence[float]]:
            raise KeyError("x")

    class Few(Length):
        """Gives too little."""

        def values(self, pair: TrainingPair, occurrences: Sequence[RuleOccurrence]) -> Sequence[Sequence[float]]:
            return [[1.0]]

    class Endless(Linked):
        """Gives no number."""

        def values(self, pair: TrainingPair, occurrences: Sequence[RuleOccurrence]) -> Sequence[Sequence[float]]:
            return [[math.inf] for _ in occurrences]

    class Twice(Linked):
        """Has the name of a column that is there."""

        columns = ("phrase.st",)

    class Chance(Linked):
        """No probability."""

        estimate = "probability"

    source, target, links = (lines[:5] for lines in bitext)
    for feature, what in ((Bad(), "KeyError"), (Few(), "shape"), (Endless(), "finite"), (Chance(), "probabilities")):
        with pytest.raises(InputError, match=what):
            extract(source, target, links, tmp_path / "t", features=[feature])
    with pytest.raises(SettingError, match="several columns"):
        extract(source, target, links, tmp_path / "t", features=[Twice()])
    with pytest.raises(UnknownName):
        extract(source, target, links, tmp_path / "t", features=["edges"])
    with pytest.raises(SettingError, match="kind hiero"):
        extract(source, target, links, tmp_path / "t", features=["edge"], limits=HieroLimits())
