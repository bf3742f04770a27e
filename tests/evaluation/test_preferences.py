from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.errors import DragomanError, FormatError, InputError
from dragoman.evaluation.preferences import JudgedPair, holds_preferences, read_preferences, study_preferences
from dragoman.files import read_lines
from dragoman.metrics import get_metric

TABLE = (
    "ranking\tsegment\tjudge\tsystem1\trank1\tsystem2\trank2\n"
    "1\t7\tJ\tA\t1\tB\t3\n2\t7\tJ\tA\t2\tC\t2\n3\t8\tJ\tB\t4\tA\t1\n"
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text(TABLE, "utf-8")
    return path


def test_comparisons_are_read(table: Path, tmp_path: Path) -> None:
    assert holds_preferences(table)
    assert read_preferences(table) == [
        JudgedPair("7", "A", "B", 1),
        JudgedPair("7", "A", "C", 0),
        JudgedPair("8", "B", "A", -1),
    ]
    (tmp_path / "scores").write_text("SYSTEM\tSCORE\nA\t1\n", "utf-8")
    assert not holds_preferences(tmp_path / "scores")
    (tmp_path / "commas").write_text("segmentId,system1Id,system1rank,system2Id,system2rank\n1,A,2,B,1\n", "utf-8")
    assert read_preferences(tmp_path / "commas") == [JudgedPair("1", "A", "B", -1)]


def test_agreement_and_intervals() -> None:
    pairs = [JudgedPair(str(k), "A", "B", 1 if k % 4 else -1) for k in range(200)]
    scores = {(name, str(k)): float(name == "A") for name in "AB" for k in range(200)}
    errors = {thing: -score for thing, score in scores.items()}
    study = study_preferences(pairs, {"m": scores, "e": errors, "n": errors}, higher_is_better={"e": False})
    assert study["m"].tau == study["e"].tau == {"wmt12": 0.5, "wmt13": 0.5, "wmt14": 0.5}
    assert study["n"].tau["wmt14"] == -0.5
    assert study.metrics[-1].metric == "n"
    low, high = study["m"].intervals["wmt14"]
    assert 0.3 < low < 0.5 < high < 0.7
    assert study.to_dict()["pairs"] == 200
    assert "<svg" in study._repr_html_()
    with pytest.raises(KeyError):
        study["other"]


def test_refusals(table: Path, tmp_path: Path) -> None:
    pairs = read_preferences(table)
    with pytest.raises(InputError, match="m has no score of A, segment 7"):
        study_preferences(pairs, {"m": {}})
    with pytest.raises(InputError, match="no pair was preferred"):
        study_preferences(pairs, {"m": {}}, intersect=True)
    with pytest.raises(InputError, match="no metric"):
        study_preferences(pairs, {})
    for text, message in (
        ("segment\tsystem1\n", "line 1: not a table of comparisons"),
        (TABLE.replace("\t1\tB", "\tfirst\tB"), "line 2: 'first' is not a rank"),
        (TABLE + "1\t2\n", "line 5: 2 fields where 7"),
        (TABLE.splitlines()[0] + "\n", "no comparisons"),
    ):
        (tmp_path / "bad").write_text(text, "utf-8")
        with pytest.raises(DragomanError, match=message):
            read_preferences(tmp_path / "bad")


@pytest.mark.slow
@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
def test_mutated_tables_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    text = list(TABLE)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at] = data.draw(st.sampled_from(["", "\t", "\n", ",", "-1", "9" * 30, "é", " "]))
    path = tmp_path / "mutated"
    path.write_text("".join(text), "utf-8")
    with contextlib.suppress(FormatError, InputError):
        read_preferences(path)


@pytest.mark.slow
def test_real_preferences(data: Path) -> None:
    """Czech-English 2016: sentence BLEU and chrF agree with people more often than not, significantly so."""
    folder = data / "wmt" / "newstest2016-cs-en"
    pairs = read_preferences(folder / "pairwise.tsv.gz")
    assert len(pairs) == 11495
    names = sorted({pair.first for pair in pairs} | {pair.second for pair in pairs})
    references = list(read_lines(folder / "ref.en.gz"))
    outputs = {name: list(read_lines(folder / f"{name}.gz")) for name in names}
    scores = {}
    for metric in ("bleu+1", "chrf"):
        scores[metric] = {
            (name, str(k)): score
            for name in names
            for k, score in enumerate(get_metric(metric).sentence_scores(outputs[name], references).tolist(), 1)
        }
    study = study_preferences(pairs, scores)
    for found in study.metrics:
        assert found.intervals["wmt14"][0] > 0.2
        assert found.tau["wmt12"] <= found.tau["wmt14"] <= found.tau["wmt13"]
