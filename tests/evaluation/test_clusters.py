from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import InputError, SettingError
from dragoman.evaluation.clusters import clusters, rank_ranges
from dragoman.evaluation.ranks import rank_sum, rank_sum_matrix

NAMES = "ABCDE"


@st.composite
def matrices(draw: st.DrawFn) -> dict[str, dict[str, float | None]]:
    return {a: {b: draw(st.none() | st.floats(0, 1)) for b in NAMES if b > a} for a in NAMES}


@pytest.mark.slow
@given(matrices())
def test_a_line_is_drawn_where_all_above_beat_all_below(p: dict[str, dict[str, float | None]]) -> None:
    groups = clusters(NAMES, p)
    assert "".join("".join(group) for group in groups) == NAMES
    for place in range(1, len(NAMES)):
        apart = all((value := p[a][b]) is not None and value <= 0.05 for a in NAMES[:place] for b in NAMES[place:])
        assert apart == any(group[0] == NAMES[place] for group in groups)


@pytest.mark.slow
@given(matrices())
def test_rank_ranges_stay_within_the_cluster(p: dict[str, dict[str, float | None]]) -> None:
    ranges = rank_ranges(NAMES, p)
    first = 1
    for group in clusters(NAMES, p):
        last = first + len(group) - 1
        for system in group:
            low, high = ranges[system]
            assert first <= low <= high <= last
        first = last + 1


def test_a_lower_system_may_lead() -> None:
    assert clusters(["A", "B"], {"B": {"A": 0.001}}) == (("A", "B"),)
    assert clusters([], {}) == ()


def test_rank_sums_of_all_pairs() -> None:
    scores = {"A": [60, 70, 80, 75], "B": [40, 50, 45, 30], "C": [41, 51, 46, 31]}
    p = rank_sum_matrix(scores)
    assert p["A"]["B"] == rank_sum(scores["A"], scores["B"]).p
    assert clusters(["A", "C", "B"], p) == (("A",), ("C", "B"))


def test_refusals() -> None:
    with pytest.raises(SettingError, match="alpha"):
        clusters(["A", "B"], {}, alpha=0)
    with pytest.raises(InputError, match="twice"):
        clusters(["A", "A"], {})
    with pytest.raises(InputError, match="'C' has p-values but no place"):
        rank_ranges(["A", "B"], {"A": {"C": 0.1}})
    with pytest.raises(InputError, match="A against B: nan is not a p-value"):
        clusters(["A", "B"], {"A": {"B": math.nan}})


def test_official_clusters(data: Path) -> None:
    """The published rank ranges of WMT16 Czech-English, given as pairwise decisions, give the published clusters."""
    groups: list[list[str]] = [[]]
    ranges: dict[str, tuple[float, float]] = {}
    for line in (data / "wmt" / "official-rankings" / "wmt16.cze-eng.txt").read_text("utf-8").splitlines():
        if line.startswith("+"):
            groups.append([])
            continue
        name, _, low, high = line.replace("(", "").replace(")", "").replace(",", "").split()
        ranges[name] = float(low), float(high)
        groups[-1].append(name)
    p = {a: {b: 0.01 if ranges[a][1] < ranges[b][0] else 0.5 for b in ranges if b != a} for a in ranges}
    assert clusters(list(ranges), p) == tuple(map(tuple, groups))
