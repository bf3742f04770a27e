"""Rules with labels of the syntax of a side: worked examples, brute force, formats, statistics, bad input."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from dragoman.annotations import MissingLayer, Sentence, Span
from dragoman.annotations.phrase_spans import PhraseSpan
from dragoman.annotations.span_labels import span_labels
from dragoman.cli import app
from dragoman.errors import FormatError, LengthMismatch, SettingError
from dragoman.grammar.hiero import hiero_rules
from dragoman.grammar.labels import grammar_statistics
from dragoman.grammar.limits import SYSTEMS, HieroLimits, LeftToRightLimits
from dragoman.grammar.phrases import extract
from dragoman.grammar.rule import Nonterminal, Rule
from dragoman.grammar.rule_text import export_rules, import_rules
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from tests.grammar.brute_force import blocks, is_tight, pharaoh, random_pair

ALL = Scoring(smoothing="none", min_probability=0)
MONEY = [("NP:A1:donate", 0, 2), ("DT", 0, 1), ("NN", 1, 2), ("DT+NN", 0, 2)]


def spelt(rule: Rule) -> str:
    return f"{rule.source_text} ||| {rule.target_text} ||| {rule.label}"


def test_this_money() -> None:
    """A phrase with two labels: five rules share its count, rules of words have the outermost label."""
    found = hiero_rules("this money", "este dinero", [(0, 0), (1, 1)], limits=HieroLimits(labels="source"), nodes=MONEY)
    assert {spelt(rule): count for rule, count in found} == {
        "this money ||| este dinero ||| NP:A1:donate": 0.2,
        "[DT,1] money ||| [DT,1] dinero ||| NP:A1:donate": 0.2,
        "[DT,1] money ||| [DT,1] dinero ||| DT+NN": 0.2,
        "this [NN,1] ||| este [NN,1] ||| NP:A1:donate": 0.2,
        "this [NN,1] ||| este [NN,1] ||| DT+NN": 0.2,
        "this ||| este ||| DT": 1.0,
        "money ||| dinero ||| NN": 1.0,
    }


def random_nodes(random: Random, size: int, share: float) -> list[PhraseSpan]:
    spans = [(start, end) for start in range(size) for end in range(start + 1, size + 1)]
    return [(label, *span) for span in spans for label in ("A", "B", "C") if random.random() < share]


def by_definition(
    source: Sequence[str],
    target: Sequence[str],
    links: frozenset[tuple[int, int]],
    nodes: Sequence[PhraseSpan],
    target_nodes: Sequence[PhraseSpan],
    limits: HieroLimits,
) -> Counter[tuple[str, float]]:
    """Rules and counts by trying all sets of holes and all labels."""
    found = [
        b for b in blocks(len(source), len(target), links, limits.max_phrase) if not limits.tight or is_tight(links, b)
    ]

    def labels(block: tuple[int, int, int, int]) -> list[str]:
        ours = [label for label, *span in nodes if tuple(span) == block[:2]]
        theirs = [label for label, *span in target_nodes if tuple(span) == block[2:]]
        if limits.labels == "source":
            given = ours
        elif limits.labels == "target":
            given = theirs
        elif limits.fall_back:
            given = [f"{a}~{b}" for a in ours or ["X"] for b in theirs or ["X"]] if ours or theirs else []
        else:
            given = [f"{a}~{b}" for a in ours for b in theirs]
        return given or (["X"] if limits.fall_back else [])

    def side(words: Sequence[str], begin: int, end: int, holes: Sequence[tuple[int, int, str]]) -> list[str]:
        made, at = [], begin
        while at < end:
            hole = next((number for number, (first, _, _) in enumerate(holes) if first == at), None)
            made.append(words[at] if hole is None else f"[{holes[hole][2]},{hole + 1}]")
            at = at + 1 if hole is None else holes[hole][1]
        return made

    everything: Counter[tuple[str, float]] = Counter()
    for whole in found:
        rules: set[str] = set()
        inside = [
            b
            for b in found
            if b != whole and whole[0] <= b[0] and b[1] <= whole[1] and whole[2] <= b[2] and b[3] <= whole[3]
        ]
        for arity in range(limits.max_nonterminals + 1):
            for chosen in itertools.combinations(sorted(inside), arity):
                crossing = [
                    (a, b)
                    for a, b in itertools.combinations(chosen, 2)
                    if not (a[1] <= b[0] and (a[3] <= b[2] or b[3] <= a[2]))
                ]
                touching = [(a, b) for a, b in itertools.combinations(chosen, 2) if a[1] == b[0]]
                if crossing or (touching and not limits.adjacent):
                    continue
                if not any(all(not (h[0] <= i < h[1]) for h in chosen) for i, j in links if whole[0] <= i < whole[1]):
                    continue
                for names in itertools.product(*(labels(hole) for hole in chosen)):
                    left = side(source, *whole[:2], [(h[0], h[1], n) for h, n in zip(chosen, names, strict=True)])
                    right = side(target, *whole[2:], [(h[2], h[3], n) for h, n in zip(chosen, names, strict=True)])
                    if len(left) > limits.max_symbols or (len(left) == 1 and arity):
                        continue
                    for label in labels(whole) if arity or limits.labels != "source" else labels(whole)[:1]:
                        rules.add(f"{' '.join(left)} ||| {' '.join(right)} ||| {label}")
        everything.update((rule, 1 / len(rules)) for rule in rules)
    return everything


@pytest.mark.parametrize("side", ["source", "target", "both"])
@pytest.mark.parametrize("settings", [{}, {"fall_back": True}, {"tight": False, "adjacent": True, "max_symbols": 3}])
def test_labelled_rules_are_those_of_the_definition(side: str, settings: dict[str, Any]) -> None:
    random = Random(5)
    limits = HieroLimits(labels=side, **settings)
    rules = 0
    for _ in range(80):
        source, target, links = random_pair(random, longest=5)
        nodes, theirs = (random_nodes(random, len(words), 0.5) for words in (source, target))
        found = hiero_rules(" ".join(source), " ".join(target), links, limits=limits, nodes=nodes, target_nodes=theirs)
        assert Counter((spelt(rule), count) for rule, count in found) == by_definition(
            source, target, links, nodes, theirs, limits
        )
        rules += len(found)
    assert rules > 50


TEXT = [
    ("this money", "este dinero", "0-0 1-1", ("DT NN", [("NP", 0, 2)])),
    ("this house", "esta casa", "0-0 1-1", ("DT NN", [("NP", 0, 2)])),
    ("he gave this money", "dio este dinero", "1-0 2-1 3-2",
     ("PRP VBD DT NN", [("NP", 0, 1), ("VP", 1, 2), ("NP", 2, 4)])),
    ("he gave", "dio", "1-0", ("PRP VBD", [("NP", 0, 1), ("VP", 1, 2)])),
]  # fmt: skip


def annotated() -> list[Sentence]:
    return [
        Sentence.of(source.split(), tags=tags.split(), chunks=[Span(*chunk) for chunk in chunks])
        for source, _, _, (tags, chunks) in TEXT
    ]


def learn(path: Path, *, sentences: Sequence[Sentence] | None = None, scoring: Scoring = ALL, **more: Any) -> RuleTable:
    source, target, links, _ = zip(*TEXT, strict=True)
    limits = HieroLimits(**{"labels": "source", **{key: more.pop(key) for key in list(more) if key in FIELDS}})
    given = annotated() if sentences is None else sentences
    return extract(source, target, links, path, limits=limits, scoring=scoring, annotations=given, **more).table


FIELDS = ("labels", "tree", "relax", "fall_back", "tight", "binarize")


def erased(rule: Rule) -> str:
    sides = [
        " ".join(f"[{s.index}]" if isinstance(s, Nonterminal) else s for s in each)
        for each in (rule.source, rule.target)
    ]
    return " ||| ".join(sides)


def test_scores_are_relative_frequencies_of_labelled_rules(tmp_path: Path) -> None:
    table = learn(tmp_path / "t")
    counts: defaultdict[tuple[str, str, str], float] = defaultdict(float)
    for (source, target, links, _), sentence in zip(TEXT, annotated(), strict=True):
        points = [(int(i), int(j)) for i, j in (link.split("-") for link in links.split())]
        nodes = span_labels(sentence, "chunk", longest=10)
        for rule, count in hiero_rules(source, target, points, limits=HieroLimits(labels="source"), nodes=nodes):
            counts[rule.source_text, rule.target_text, rule.label] += count
    assert {(rule.source_text, rule.target_text, rule.label) for rule in table} == set(counts)
    assert any(rule.label != "NP" for rule in table if rule.source_text == "this [NN,1]")
    sources: defaultdict[tuple[str, str], float] = defaultdict(float)
    targets: defaultdict[str, float] = defaultdict(float)
    for (source, target, label), count in counts.items():
        sources[source, label] += count
        targets[target] += count
    for rule in table:
        count = counts[rule.source_text, rule.target_text, rule.label]
        assert rule.counts.joint == pytest.approx(count)
        assert math.exp(rule.values["phrase.ts"]) == pytest.approx(count / sources[rule.source_text, rule.label])
        assert math.exp(rule.values["phrase.st"]) == pytest.approx(count / targets[rule.target_text])


def test_labels_only_leave_rules_out_and_level_4_leaves_none_out(tmp_path: Path) -> None:
    """Without their labels they are rules of the plain grammar; where every span has one, all of them."""
    source, target, links, _ = zip(*TEXT, strict=True)
    plain = extract(source, target, links, tmp_path / "p", limits=HieroLimits(), scoring=ALL).table
    everything = {erased(rule) for rule in plain}
    sizes, sets = [], []
    for level in (0, 1, 2, 4):
        table = learn(tmp_path / f"t{level}", relax=level)
        sizes.append(len(table))
        sets.append({erased(rule) for rule in table})
        assert sets[-1] <= everything
    assert sizes[0] < sizes[1] <= sizes[2] <= sizes[3]
    assert sets[0] < everything
    assert sets[3] == everything
    fallen = learn(tmp_path / "f", relax=0, fall_back=True)
    assert {erased(rule) for rule in fallen} == everything
    assert any(rule.label == "X" for rule in fallen)


def test_bytes_do_not_depend_on_slices_or_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = learn(tmp_path / "a", threads=1).path.read_bytes()
    monkeypatch.setattr("dragoman.grammar.phrases.SLICE_LINES", 1)
    assert learn(tmp_path / "b", threads=2).path.read_bytes() == whole


def test_only_for_a_text_gives_the_values_of_the_whole_table(tmp_path: Path) -> None:
    whole = {(spelt(rule), tuple(rule.values.values())) for rule in learn(tmp_path / "a")}
    kept = {(spelt(rule), tuple(rule.values.values())) for rule in learn(tmp_path / "b", only_for=["this house"])}
    assert kept < whole
    assert {text for text, _ in kept} >= {"this [NN,1] ||| este [NN,1] ||| NP"}
    assert not any("money" in text for text, _ in kept)


@pytest.mark.parametrize("side", ["source", "target", "both"])
@pytest.mark.parametrize("form", ["hiero", "moses-hiero"])
def test_formats_keep_labels(side: str, form: str, tmp_path: Path) -> None:
    table = learn(
        tmp_path / "t",
        labels=side,
        target_annotations=[
            Sentence.of(target.split(), tags=["T"] * len(target.split()), chunks=[]) for _, target, _, _ in TEXT
        ],
    )
    export_rules(table, tmp_path / "text", format=form)
    again = import_rules(tmp_path / "text", tmp_path / "u", format=form, labels=side, tree="chunk").table
    assert sorted(map(spelt, again)) == sorted(map(spelt, table))
    assert again.metadata["labels"] == side
    lines = (tmp_path / "text").read_text().splitlines()
    if form == "moses-hiero" and side == "source":
        assert any(line.startswith("this [NN][X] [NP] ||| este [NN][X] [X] |||") for line in lines)
    if form == "hiero" and side == "source":
        assert any(line.startswith("[NP] ||| this [NN,1] ||| este [NN,1] |||") for line in lines)


def test_moses_labels_of_the_wrong_side_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("this [NN][X] [NP] ||| este [NN][X] [X] ||| 0.5 ||| 0-0 1-1 ||| 1 1 1\n")
    with pytest.raises(FormatError, match=r"differ.*line 1|line 1.*differ"):
        import_rules(text, tmp_path / "t", format="moses-hiero")
    with pytest.raises(FormatError, match="on the source side is not X"):
        import_rules(text, tmp_path / "t", format="moses-hiero", labels="target")
    with pytest.raises(SettingError, match="kind lr-hiero"):
        import_rules(text, tmp_path / "t", format="moses-hiero", labels="source", kind="lr-hiero")


@pytest.mark.slow
def test_statistics_count_by_label_and_arity(tmp_path: Path) -> None:
    table = learn(tmp_path / "t", fall_back=True, relax=0)
    found = grammar_statistics(table)
    rules = list(table)
    assert found.rules == len(rules)
    assert found.arities == Counter(rule.arity for rule in rules)
    assert found.derived == Counter(rule.label for rule in rules)
    names = Counter(s.label for rule in rules for s in rule.source if isinstance(s, Nonterminal))
    assert found.nonterminals == names
    assert found.labels == len(set(names) | set(found.derived))
    slots = [[s.label for s in rule.source if isinstance(s, Nonterminal)] for rule in rules]
    assert found.unlabelled == sum(bool(each) and set(each) == {"X"} for each in slots)
    told = CliRunner().invoke(app, ["table", "labels", str(table.path), "--json", "--limit", "2"])
    assert json.loads(told.stdout)["rules"] == found.rules
    assert [each["rules"] for each in json.loads(told.stdout)["by_label"]] == list(found.derived.values())[:2]
    assert "nonterminals" in CliRunner().invoke(app, ["table", "labels", str(table.path)]).stdout


def test_named_systems_and_what_does_not_go_together() -> None:
    assert HieroLimits.from_dict(SYSTEMS["chunk"]).annotated_sides == ("source",)
    assert HieroLimits(labels="both").annotated_sides == ("source", "target")
    assert SYSTEMS["srl"]["tree"] == "srl"
    with pytest.raises(SettingError, match="choose one of labels and dependencies"):
        HieroLimits(labels="source", dependencies="source")
    with pytest.raises(SettingError, match="left to right"):
        LeftToRightLimits(labels="source")


def test_bad_annotations_are_told(tmp_path: Path) -> None:
    given = annotated()
    with pytest.raises(LengthMismatch, match="line 2: a tree of 3 words for 2 tokens"):
        learn(tmp_path / "t", sentences=[given[0], Sentence.of(["a", "b", "c"], tags=["X"] * 3, chunks=[]), *given[2:]])
    with pytest.raises(LengthMismatch, match="3 annotated lines"):
        learn(tmp_path / "t", sentences=given[:3])
    with pytest.raises(MissingLayer, match="no tags, chunks, frames of the source side"):
        learn(tmp_path / "t", tree="srl")
    source, target, links, _ = zip(*TEXT, strict=True)
    partly = [given[0], Sentence.of(given[1].words), *given[2:]]
    made = extract(source, target, links, tmp_path / "t", limits=HieroLimits(labels="source"), annotations=partly)
    assert made.notes == (
        "Kneser-Ney discounts could not be estimated from these counts: 0.5, 1 and 1.5 stand in",
        "1 lines of the source side have no labels: they taught nothing",
    )
    assert made.table.find("house", "casa") is None


def test_trees_of_moses_are_read_as_nodes(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("this money\n")
    (tmp_path / "t").write_text("este dinero\n")
    (tmp_path / "a").write_text("0-0 1-1\n")
    tree = '<tree label="NP"> <tree label="DT"> this </tree> <tree label="NN"> money </tree> </tree>'
    (tmp_path / "trees.xml").write_text(tree + '<tree span="0-1" label="DT+NN"/>\n')
    arguments = [
        "extract",
        *(str(tmp_path / name) for name in "sta"),
        "-o",
        str(tmp_path / "o"),
        "--kind",
        "hiero",
        "--annotations",
        str(tmp_path / "trees.xml"),
        "--labels",
        "source",
        "--tree",
        "nodes",
    ]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert len(RuleTable.open(tmp_path / "o")) == 7
    (tmp_path / "trees.xml").write_text('<tree label="NP"> this money\n')
    refused = CliRunner().invoke(app, arguments)
    assert isinstance(refused.exception, FormatError)
    assert "line 1: NP is never closed" in str(refused.exception)


def test_links_of_random_text_are_kept(tmp_path: Path) -> None:
    """Rules of a random bitext pass through runs, merging and the table with their labels."""
    random = Random(3)
    pairs = [random_pair(random, longest=6) for _ in range(40)]
    sentences = [
        Sentence.of(source, nodes=[Span(*node) for node in random_nodes(random, len(source), 0.3)])
        for source, _, _ in pairs
    ]
    limits = HieroLimits(labels="source", tree="nodes", counting="one")
    table = extract(
        [" ".join(s) for s, _, _ in pairs],
        [" ".join(t) for _, t, _ in pairs],
        [pharaoh(a) for *_, a in pairs],
        tmp_path / "t",
        limits=limits,
        scoring=ALL,
        annotations=sentences,
    ).table
    wanted: Counter[str] = Counter()
    for (source, target, links), sentence in zip(pairs, sentences, strict=True):
        nodes = [(node.label, node.start, node.end) for node in sentence.nodes]
        found = hiero_rules(" ".join(source), " ".join(target), links, limits=limits, nodes=nodes)
        wanted.update(spelt(rule) for rule, _ in found)
    assert {spelt(rule): rule.counts.joint for rule in table} == pytest.approx(dict(wanted))
