from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.errors import DragomanError, FormatError, InputError
from dragoman.evaluation.score_files import ScoreRow, read_metrics_task, read_segment_scores, write_metrics_task


def written(folder: Path, text: str) -> Path:
    path = folder / "scores.tsv"
    path.write_text(text, "utf-8")
    return path


def test_a_table_with_names(tmp_path: Path) -> None:
    path = written(tmp_path, "METRIC\tLP\tTESTSET\tSYSTEM\tSCORE\nBLEU\tes-en\tnews12\tonlineA\t0.25\n")
    assert read_metrics_task(path) == [ScoreRow("BLEU", "es-en", "news12", "onlineA", None, 0.25, 2)]


def test_a_table_without_names(tmp_path: Path) -> None:
    path = written(tmp_path, "BLEU\tes-en\tnews12\tA\t0.25\tensemble\tno\n")
    assert read_metrics_task(path)[0].segment is None
    path = written(tmp_path, "BLEU\tes-en\tnews12\tA\t17\t0.25\n")
    row = read_metrics_task(path)[0]
    assert (row.segment, row.score, row.thing) == ("17", 0.25, ("A", "17"))


def test_columns_in_any_order_and_with_holes(tmp_path: Path) -> None:
    path = written(tmp_path, "LP SYSTEM SID HUMAN\nes-en MES:.2801 2 -0.559\n")
    row = read_metrics_task(path)[0]
    assert (row.metric, row.pair, row.system, row.segment, row.score) == ("HUMAN", "es-en", "MES:.2801", "2", -0.559)
    path = written(tmp_path, "system,score\nA,1\nB,2\n")
    assert [row.score for row in read_metrics_task(path)] == [1, 2]
    path = written(tmp_path, "SYSTEM\tHUMAN\tSCORE\nA\tx\t1\n")
    assert read_metrics_task(path)[0].score == 1


@pytest.mark.slow
@given(
    st.lists(
        st.builds(
            ScoreRow,
            *[st.text("abcé.:- ", min_size=1, max_size=5).filter(lambda t: t == t.strip() != "")] * 4,
            st.just(None),
            st.floats(allow_nan=False, allow_infinity=False),
        ),
        min_size=1,
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read(tmp_path: Path, rows: list[ScoreRow]) -> None:
    path = tmp_path / "table.tsv"
    write_metrics_task(rows, path)
    again = read_metrics_task(path)
    assert [(row.metric, row.system, row.score) for row in again] == [(r.metric, r.system, r.score) for r in rows]


def test_segment_scores_in_four_forms(tmp_path: Path) -> None:
    assert read_segment_scores(written(tmp_path, "0.5\n0.25\n"), system="A") == {"A": [0.5, 0.25]}
    assert read_segment_scores(written(tmp_path, "A\tB\n0.5\t1\n0.25\t2\n")) == {"A": [0.5, 0.25], "B": [1, 2]}
    comet = "a.en\tSegment 0\tscore: 0.5\na.en\tSegment 1\tscore: 0.25\na.en\tscore: 0.375\nb.en\tSegment 0\tscore: 1\n"
    assert read_segment_scores(written(tmp_path, comet)) == {"a.en": [0.5, 0.25], "b.en": [1]}
    task = "m\tx-y\tt\tA\t10\t0.25\nm\tx-y\tt\tA\t9\t0.5\n"
    assert read_segment_scores(written(tmp_path, task)) == {"A": [0.5, 0.25]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no scores"),
        ("0.5\n", "whose scores are these"),
        ("A\tB\n1\n", "line 2: 1 fields where 2"),
        ("A\tB\n1\tx\n", "line 2, column 'B': 'x' is not a number"),
        ("A\tB\n1\tnan\n", "line 2, column 'B': the score is nan"),
        ("A\tA\n1\t2\n", "same name"),
        ("1\t2\n", "names of its systems"),
        ("a\tSegment 0\tscore: 1\na\tSegment 2\tscore: 1\n", "line 2: segment 2 where 1 is next"),
        ("a\tSegment 0\tscore: 1\nrubbish\n", "line 2: not a line as comet-score"),
        ("m\tx-y\tt\tA\t0.25\n", "scores of whole systems"),
        ("m\tx-y\tt\tA\t1\t0.25\nm\tx-y\tt\tA\t1\t0.5\n", "two scores"),
        ("m\tx-y\tt\tA\t1\t0.25\nn\tx-y\tt\tA\t1\t0.5\n", "more than one metric"),
        ("m\tx-y\tt\tA\t1\t0.25\nm\tx-y\tt\tB\t2\t0.5\n", "A has no score of segment 2"),
    ],
)
def test_bad_segment_scores(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError if "no score" in message or "whose" in message else DragomanError, match=message):
        read_segment_scores(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("BLEU\tes-en\n", "line 1: 2 fields where 5"),
        ("SYSTEM\tSCORE\nA\n", "line 2: 1 fields where at least 2"),
        ("SYSTEM\tSCORE\nA\tgood\n", "line 2: 'good' is not a number"),
        ("SYSTEM\tSCORE\nA\t1_0\n", "line 2: '1_0' is not a number"),
        ("SYSTEM\tSCORE\nA\tinf\n", "line 2: the score is inf"),
        ("SYSTEM\tSCORE\n\t1\n", "line 2: no name of a system"),
        ("SYSTEM\tSYSTEM\tSCORE\n", "two columns say the system"),
        ("SYSTEM\tSEGMENT\tSCORE\nA\t\t1\n", "line 2: no segment"),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DragomanError, match=message):
        read_metrics_task(written(tmp_path, text))


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be a field"):
        write_metrics_task([ScoreRow("a\tb", "x", "t", "A", None, 1.0)], tmp_path / "t")
    with pytest.raises(InputError, match="cannot be a field"):
        write_metrics_task([ScoreRow("#a", "x", "t", "A", None, 1.0)], tmp_path / "t")
    with pytest.raises(InputError, match="cannot stand in one table"):
        rows = [ScoreRow("m", "x", "t", "A", "1", 1.0), ScoreRow("m", "x", "t", "A", None, 1.0)]
        write_metrics_task(rows, tmp_path / "t")
    assert not (tmp_path / "t").exists()


SEED = "METRIC\tLP\tTESTSET\tSYSTEM\tSEGMENT\tSCORE\nm\tx-y\tt\tA\t1\t0.5\nm\tx-y\tt\tB\t1\t-2e3\n"


@pytest.mark.slow
@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_mutated_tables_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    text = list(SEED)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at] = data.draw(st.sampled_from(["", "\t", "\n", ",", "nan", "1e999", "é", " ", "#", "0"]))
    path = written(tmp_path, "".join(text))
    for read in (read_metrics_task, read_segment_scores):
        with contextlib.suppress(FormatError, InputError):
            read(path)
