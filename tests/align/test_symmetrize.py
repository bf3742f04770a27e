"""Symmetrization against a slow, obvious version, and against cases worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.align import HEURISTICS, Alignment, symmetrize, symmetrize_all
from dragoman.errors import LengthMismatch, SettingError

Links = set[tuple[int, int]]
NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def slow(forward: Links, reverse: Links, heuristic: str) -> Links:
    simple = {
        "source-to-target": forward,
        "target-to-source": reverse,
        "intersection": forward & reverse,
        "union": forward | reverse,
    }
    if heuristic in simple:
        return simple[heuristic]
    found, union = forward & reverse, forward | reverse
    while True:
        before = len(found)
        for target in range(10):
            for source in range(10):
                if (source, target) not in found:
                    continue
                for row, column in NEIGHBOURS[: 4 if heuristic == "grow" else 8]:
                    new = (source + row, target + column)
                    uncovered = new[0] not in {s for s, _ in found} or new[1] not in {t for _, t in found}
                    if new in union and new not in found and uncovered:
                        found.add(new)
        if len(found) == before:
            break
    if "final" in heuristic:
        test = all if heuristic.endswith("and") else any
        for link in [*sorted(forward, key=lambda link: (link[1], link[0])), *sorted(reverse)]:
            if test((link[0] not in {s for s, _ in found}, link[1] not in {t for _, t in found})):
                found.add(link)
    return found


directional = st.dictionaries(st.integers(0, 6), st.integers(0, 6), max_size=7)


@given(directional, directional)
def test_equals_the_slow_version(targets: dict[int, int], sources: dict[int, int]) -> None:
    forward = {(source, target) for target, source in targets.items()}
    reverse = set(sources.items())
    one, other = Alignment(tuple(forward)), Alignment(tuple(reverse))
    for heuristic in HEURISTICS:
        assert set(symmetrize(one, other, heuristic=heuristic)) == slow(forward, reverse, heuristic), heuristic


def test_by_hand() -> None:
    """The second source word may join by the diagonal, or in the final step only."""
    forward, reverse = "0-0 1-1 1-2", "0-0 1-1 3-3"
    assert str(symmetrize(forward, reverse, heuristic="intersection")) == "0-0 1-1"
    assert str(symmetrize(forward, reverse, heuristic="grow")) == "0-0 1-1 1-2"
    assert str(symmetrize(forward, reverse, heuristic="grow-diag")) == "0-0 1-1 1-2"
    assert str(symmetrize(forward, reverse, heuristic="grow-diag-final")) == "0-0 1-1 1-2 3-3"
    assert str(symmetrize("0-0 2-2", "0-0 2-1", heuristic="grow-diag-final-and")) == "0-0 2-2"
    assert str(symmetrize("0-0 2-2", "0-0 2-1", heuristic="grow-diag-final")) == "0-0 2-1 2-2"


def test_refuses() -> None:
    with pytest.raises(LengthMismatch):
        symmetrize_all(["0-0"], [])
    with pytest.raises(SettingError, match="choose from source-to-target"):
        symmetrize("0-0", "0-0", heuristic="grown")
