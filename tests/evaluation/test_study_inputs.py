from __future__ import annotations

import math

import pytest

from dragoman.errors import InputError, SettingError
from dragoman.evaluation.score_files import ScoreRow
from dragoman.evaluation.study_inputs import chosen_rows, human_segments, segment_measures, study_level, system_means


def row(system: str, segment: str | None, score: float, metric: str = "m", pair: str = "x-y") -> ScoreRow:
    return ScoreRow(metric, pair, "t", system, segment, score, 3)


def test_means_of_systems() -> None:
    rows = [row("A", "1", 1), row("A", "2", 4), row("B", None, 7)]
    assert [(one.system, one.segment, one.score) for one in system_means(rows)] == [("A", None, 2.5), ("B", None, 7)]


def test_one_pair_and_test_set() -> None:
    rows = [row("A", None, 1), row("A", None, 1, pair="y-z")]
    assert chosen_rows(rows, pair="y-z", test_set=None) == rows[1:]
    with pytest.raises(InputError, match="there are: x-y, t; y-z, t"):
        chosen_rows(rows, pair=None, test_set=None)


def test_segments_judged_often_and_never() -> None:
    found = human_segments([row("A", "1", 1), row("A", "1", 4), row("C", "1", 9)], ["A", "B"], ["1", "2"])
    assert found["A"][0] == 2.5
    assert math.isnan(found["A"][1])
    assert all(map(math.isnan, found["B"]))
    assert "C" not in found
    with pytest.raises(InputError, match="A: people scored segment 3, which does not exist"):
        human_segments([row("A", "3", 1)], ["A"], ["1"])
    with pytest.raises(InputError, match="systems, not segments"):
        human_segments([row("A", None, 1)], ["A"], ["1"])


def test_measures_of_segments() -> None:
    rows = [row("A", "1", 1), row("A", "2", 3), row("B", "2", 5), row("B", "1", 6)]
    (measure,), segments = segment_measures(rows, [], {"m": False})
    assert segments == ["1", "2"]
    assert measure.statistics["B"][:, 0].tolist() == [6, 5]
    assert not measure.higher_is_better
    with pytest.raises(InputError, match="m has no score of segment 2 of B"):
        segment_measures(rows[:2] + rows[3:], [])
    with pytest.raises(InputError, match="twice"):
        segment_measures([*rows, rows[0]], [])
    with pytest.raises(InputError, match="systems, not segments"):
        segment_measures([row("A", None, 1)], [])


def test_hybrids_without_metrics() -> None:
    with pytest.raises(SettingError, match="no metric"):
        study_level("hybrid", [row("A", "1", 1, metric="HUMAN")], [])
