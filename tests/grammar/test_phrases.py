"""Extraction against the definition, a peer, the worked examples, and bad input."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import FormatError, InputError, LengthMismatch, SettingError
from dragoman.executors import ProcessExecutor
from dragoman.grammar.limits import PhraseLimits
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.phrases import extract, gappy_spans, phrase_spans
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from tests.grammar import brute_force
from tests.grammar.conftest import Bitext, lines
from tests.peers import peer

ALL = Scoring(min_probability=0, smoothing="none")


@st.composite
def pairs(draw: st.DrawFn, longest: int = 6) -> tuple[int, int, brute_force.Links]:
    n, m = draw(st.integers(1, longest)), draw(st.integers(1, longest))
    points = st.tuples(st.integers(0, n - 1), st.integers(0, m - 1))
    return n, m, draw(st.frozensets(points, max_size=8))


def test_twenty_two_pairs_of_a_worked_example(tmp_path: Path) -> None:
    """das haus ist ja klein / the house is very small, `ja` and `very` unaligned."""
    table = extract(
        ["das haus ist ja klein"], ["the house is very small"], ["0-0 1-1 2-2 4-4"], tmp_path / "t", scoring=ALL
    ).table
    assert len(table) == 22

    def targets(source: str) -> set[str]:
        return {rule.target_text for rule in table.lookup(source)}

    assert targets("ist") == targets("ist ja") == {"is", "is very"}
    assert targets("klein") == targets("ja klein") == {"small", "very small"}
    assert targets("ja") == set()
    assert "very" not in {rule.target_text for rule in table}


@given(pairs(), st.integers(1, 4))
def test_spans_are_all_consistent_ones(pair: tuple[int, int, brute_force.Links], longest: int) -> None:
    n, m, links = pair
    found = phrase_spans(n, m, links, limits=PhraseLimits(max_source=longest, max_target=longest))
    assert len(found) == len(set(found))
    assert {(*s, *t) for s, t in found} == brute_force.blocks(n, m, links, longest)


@pytest.mark.slow
def test_agrees_with_nltk() -> None:
    # Without a length bound: with one, nltk cuts longer phrases short instead of leaving them out.
    extraction = peer("nltk.translate.phrase_based").phrase_extraction
    rng = random.Random(3)
    for _ in range(150):
        source, target, links = brute_force.random_pair(rng)
        theirs = {(s, t) for s, t, _, _ in extraction(" ".join(source), " ".join(target), sorted(links))}
        assert set(phrase_spans(len(source), len(target), links)) == theirs


@pytest.mark.slow
@given(pairs())
def test_tight_phrases_have_aligned_edges(pair: tuple[int, int, brute_force.Links]) -> None:
    n, m, links = pair
    sources, targets = {i for i, _ in links}, {j for _, j in links}
    expected = {
        (s, t, u, v)
        for s, t, u, v in brute_force.blocks(n, m, links, 7)
        if {s, t - 1} <= sources and {u, v - 1} <= targets
    }
    found = phrase_spans(n, m, links, limits=PhraseLimits(only_tight=True))
    assert {(*s, *t) for s, t in found} == expected


@pytest.mark.slow
@given(pairs())
def test_ratio_bounds_lopsided_phrases(pair: tuple[int, int, brute_force.Links]) -> None:
    found = phrase_spans(*pair, limits=PhraseLimits(max_ratio=2))
    lengths = [(s[1] - s[0], t[1] - t[0]) for s, t in phrase_spans(*pair)]
    assert len(found) == sum(max(a, b) <= 2 * min(a, b) for a, b in lengths)


def test_gaps_of_a_worked_example(tmp_path: Path) -> None:
    """je ne veux pas / i do not want."""
    links = [(0, 0), (1, 2), (3, 2), (2, 3)]
    found = gappy_spans(4, 4, links, limits=PhraseLimits(gaps=True))
    assert [unit for unit in found if unit[0] == (1, 3)] == [((1, 3), (2,)), ((1, 3), (1, 2))]
    table = extract(
        ["je ne veux pas"],
        ["i do not want"],
        [brute_force.pharaoh(links)],
        tmp_path / "t",
        limits=PhraseLimits(gaps=True),
        scoring=ALL,
    ).table
    texts = {f"{rule.source_text} ||| {rule.target_text}" for rule in table}
    assert {"ne X pas ||| not", "ne X pas ||| do not"} <= texts
    rule = next(rule for rule in table if rule.source_text == "ne X pas" and rule.target_text == "do not")
    assert rule.links == ((0, 1), (2, 1))
    positions = [tuple(p) for p, _, _ in table.native.match_gappy(table.encode("je ne veux pas"), 12)]
    assert (1, 3) in positions
    assert all(match.end - match.start <= 4 for match in table.match("je ne veux pas"))


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("unaligned", [False, True])
def test_gaps_are_all_units_of_the_definition(both: bool, unaligned: bool) -> None:
    rng = random.Random(11)
    limits = PhraseLimits(
        gaps=True, gap_words=3, gap_source_span=4, gap_target_span=4, gaps_both_sides=both, unaligned_gaps=unaligned
    )
    for _ in range(120):
        source, target, links = brute_force.random_pair(rng, 5)
        found = gappy_spans(len(source), len(target), links, limits=limits)
        assert len(found) == len(set(found))
        assert set(found) == brute_force.gappy(len(source), len(target), links, 3, 4, both, unaligned)


@pytest.mark.slow
def test_counts_scores_and_links_follow_the_formulas(bitext: Bitext, table: RuleTable) -> None:
    truth = brute_force.Table(bitext)
    assert len(table) == len(truth.joint)
    for rule in table:
        pair = rule.source_text, rule.target_text
        counts = rule.counts
        assert (counts.joint, counts.source, counts.target) == (
            truth.joint[pair],
            truth.source[pair[0]],
            truth.target[pair[1]],
        )
        assert brute_force.pharaoh(rule.links) == truth.pattern(pair)
        assert math.exp(rule.values["phrase.st"]) == pytest.approx(counts.joint / counts.target, rel=1e-6)
        assert math.exp(rule.values["phrase.ts"]) == pytest.approx(counts.joint / counts.source, rel=1e-6)
        assert math.exp(rule.values["lex.st"]) == pytest.approx(truth.lexical(pair, explain_source=True), rel=1e-5)
        assert math.exp(rule.values["lex.ts"]) == pytest.approx(truth.lexical(pair, explain_source=False), rel=1e-5)


def test_sentences_behind_each_rule(bitext: Bitext, table: RuleTable) -> None:
    truth = brute_force.Table(bitext)
    for pair, sentences in list(truth.sentences.items())[::7]:
        assert table.evidence(*pair) == sentences


def test_reversing_the_bitext_swaps_the_directions(bitext: Bitext, table: RuleTable, tmp_path: Path) -> None:
    reverse: Bitext = [(t, s, frozenset((j, i) for i, j in links)) for s, t, links in bitext]
    other = extract(*lines(reverse), tmp_path / "t", scoring=ALL).table
    assert len(other) == len(table)
    for rule in list(table)[::11]:
        number = other.find(rule.target, rule.source)
        assert number is not None
        back = other.rule(number)
        assert back.values["phrase.st"] == pytest.approx(rule.values["phrase.ts"])
        assert back.values["lex.st"] == pytest.approx(rule.values["lex.ts"])


def build(bitext: Bitext, path: Path, **settings: object) -> bytes:
    scoring = Scoring(reordering=ReorderingModel.parse("hier-mslr-bidirectional-fe"), count=True)
    extract(*lines(bitext), path, scoring=scoring, evidence=True, **settings)  # type: ignore[arg-type]
    return path.read_bytes()


def test_bytes_do_not_depend_on_threads_shards_or_memory(
    bitext: Bitext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = build(bitext, tmp_path / "a", threads=1)
    monkeypatch.setattr("dragoman.grammar.phrases.SLICE_LINES", 37)
    assert build(bitext, tmp_path / "b", threads=7) == expected
    monkeypatch.setattr(PhraseLimits, "bytes_per_instance", 2**16)
    assert build(bitext, tmp_path / "c", threads=2, memory=2**20) == expected


@pytest.mark.slow
def test_bytes_do_not_depend_on_processes(bitext: Bitext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.grammar.phrases.SLICE_LINES", 100)
    expected = build(bitext, tmp_path / "a")
    assert build(bitext, tmp_path / "b", executor=ProcessExecutor(threads=2)) == expected


@pytest.mark.parametrize("smoothing", ["none", "good-turing", "kneser-ney"])
@pytest.mark.parametrize("gaps", [False, True])
def test_extracting_for_a_text_gives_the_values_of_the_whole_table(
    bitext: Bitext, tmp_path: Path, smoothing: str, gaps: bool
) -> None:
    settings = {
        "limits": PhraseLimits(gaps=gaps, gap_words=3),
        "scoring": Scoring(smoothing=smoothing, reordering=ReorderingModel.parse("hier-mslr-bidirectional-f")),
    }
    text = ["a b c a d", "unknown b", ""]
    whole = extract(*lines(bitext[:100]), tmp_path / "whole", **settings).table  # type: ignore[arg-type]
    part = extract(*lines(bitext[:100]), tmp_path / "part", only_for=text, **settings).table  # type: ignore[arg-type]
    from dragoman.grammar.pruning import filter_table

    filtered = filter_table(whole, text, tmp_path / "filtered")
    assert 0 < len(part) < len(whole)
    assert list(part) == list(filtered)


def test_domains_become_indicators(tmp_path: Path) -> None:
    table = extract(
        ["a", "a", "b"], ["u", "u", "v"], ["0-0"] * 3, tmp_path / "t", domains={"news": [0], "talks": range(1, 3)}
    ).table
    a, b = table.lookup("a")[0].values, table.lookup("b")[0].values
    assert (a["domain.news"], a["domain.talks"], b["domain.news"], b["domain.talks"]) == (1, 1, 0, 1)


def test_what_is_not_used_is_reported(tmp_path: Path) -> None:
    done = extract(
        ["a", "", "b", "c " * 30, "d"],
        ["u", "v", "", "w", "x"],
        ["0-0", "", "", "0-0", ""],
        tmp_path / "t",
        max_sentence=20,
    )
    found = {reason: (skipped.pairs, skipped.first_line) for reason, skipped in done.skipped.items()}
    assert found == {"empty_source": (1, 2), "empty_target": (1, 3), "too_long": (1, 4), "no_links": (1, 5)}
    assert (done.pairs, len(done.table)) == (5, 1)


def test_thousand_word_sentences_are_handled(tmp_path: Path) -> None:
    words = " ".join(f"w{i % 50}" for i in range(1000))
    links = " ".join(f"{i}-{(i * 7) % 1000}" for i in range(1000))
    scoring = Scoring(reordering=ReorderingModel.parse("hier-mslr-bidirectional-fe"))
    done = extract([words], [words], [links], tmp_path / "t", scoring=scoring)
    assert done.skipped == {}
    assert len(done.table) > 0


def test_an_empty_bitext_gives_an_empty_table(tmp_path: Path) -> None:
    table = extract([], [], [], tmp_path / "t").table
    assert (len(table), list(table), table.lookup("a"), table.match("a b")) == (0, [], [], [])


def test_links_outside_are_refused_with_line_and_point(tmp_path: Path) -> None:
    source, target, links = (tmp_path / name for name in ("s", "t", "a"))
    source.write_text("a b\nc d\n")
    target.write_text("u v\nw\n")
    links.write_text("0-0\n0-0 1-1\n")
    with pytest.raises(InputError, match=r"a, line 2: link 1-1 points outside: the target has 1 tokens"):
        extract(source, target, links, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    links.write_text("0-0\n0:0\n")
    with pytest.raises(FormatError, match=r"a, line 2: '0:0' is not a link"):
        extract(source, target, links, tmp_path / "out")


@pytest.mark.parametrize(("slice_lines"), [2, 8192])
def test_unequal_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slice_lines: int) -> None:
    monkeypatch.setattr("dragoman.grammar.phrases.SLICE_LINES", slice_lines)
    with pytest.raises(LengthMismatch, match="the source has 5, the target has 4, the alignment has 5"):
        extract(["a"] * 5, ["u"] * 4, ["0-0"] * 5, tmp_path / "t")


@pytest.mark.parametrize(
    "make",
    [
        lambda: PhraseLimits(max_source=0),
        lambda: PhraseLimits(max_ratio=0.5),
        lambda: PhraseLimits(gap_words=1),
        lambda: Scoring(smoothing="magic"),
        lambda: Scoring(min_probability=2),
        lambda: Scoring(count_bins=(2, 1)),
        lambda: ReorderingModel.parse("hier-xyz-fe"),
        lambda: ReorderingModel.parse("hier-msd-bidirectional-fe-more"),
    ],
)
def test_settings_out_of_range_are_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(SettingError):
        make()


def test_a_failure_leaves_the_old_table(tmp_path: Path) -> None:
    path = tmp_path / "t"
    extract(["a"], ["u"], ["0-0"], path)
    before = path.read_bytes()
    with pytest.raises(InputError):
        extract(["a"], ["u"], ["5-0"], path)
    assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [path]


def test_real_text(data: Path, tmp_path: Path) -> None:
    """Identity alignments of real sentences: every rule's links must stay inside, and probabilities sum to one."""
    text = (data / "multi30k" / "val.en").read_text("utf-8").splitlines()[:300]
    links = [" ".join(f"{i}-{i}" for i in range(len(line.split()))) for line in text]
    table = extract(text, text, links, tmp_path / "t", scoring=ALL).table
    for match in table.match(text[0]):
        total = sum(
            math.exp(rule.values["phrase.ts"]) for rule in table.lookup(text[0].split()[match.start : match.end])
        )
        assert total == pytest.approx(1, abs=1e-5)
