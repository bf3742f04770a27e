"""Multiword expressions: mining, anchors, grouping and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.align import Alignment
from dragoman.align.mwe import (
    Anchors,
    Expression,
    ExpressionAnchor,
    extract_expressions,
    extract_numbered_terms,
    find_anchors,
    group,
    read_anchors,
    ungroup,
    ungroup_text,
    write_anchors,
)  # fmt: skip
from dragoman.errors import FormatError, InputError

SOURCE = ["explication de vote écrite", "une explication de vote", "le vote", "autre chose ici", "explication de vote"]
TARGET = [
    "written explanation of vote",
    "an explanation of vote",
    "the vote",
    "something else here",
    "explanation of vote",
]


def test_expressions_are_found_in_both_directions() -> None:
    found = extract_expressions(SOURCE, TARGET, min_count=3)
    assert found[0] == Expression("explication de vote", "explanation of vote", 3)


def test_a_glued_link_becomes_all_links() -> None:
    """The expression pair of three and three words is nine links."""
    anchors = find_anchors([Expression("explication de vote", "explanation of vote")], SOURCE, TARGET)
    assert [a.sentence for a in anchors] == [0, 1, 4]
    grouped = group(SOURCE, TARGET, anchors)
    assert grouped.source[0] == "explication_de_vote écrite"
    assert [ungroup_text(line) for line in grouped.source] == SOURCE
    assert (
        len(ungroup([Alignment.parse("0-0")], group(SOURCE[4:], TARGET[4:], [ExpressionAnchor(0, 0, 0, 3, 3)]))[0]) == 9
    )
    assert grouped.known_links().links[0] == ((0, 1, 1.0),)


def test_anchor_files(tmp_path: Path) -> None:
    anchors = find_anchors([Expression("explication de vote", "explanation of vote")], SOURCE, TARGET)
    write_anchors(tmp_path / "a", anchors, SOURCE, TARGET)
    assert (tmp_path / "a").read_text().splitlines()[0] == "1|||explication de vote|||explanation of vote|||1|||2"
    assert read_anchors(tmp_path / "a", SOURCE, TARGET) == anchors
    (tmp_path / "zero").write_text("0|||explication de vote|||explanation of vote|||0|||1\n")
    assert read_anchors(tmp_path / "zero", SOURCE, TARGET) == anchors[:1]
    for text, message in (("1|||vote|||vote|||1|||1\n", "not at these positions"), ("1|||a\n", "2 fields where 5"),
                          ("x|||a|||b|||1|||1\n", "must be numbers")):  # fmt: skip
        (tmp_path / "bad").write_text(text)
        with pytest.raises(FormatError, match=message):
            read_anchors(tmp_path / "bad", SOURCE, TARGET)


def test_numbered_terms_and_conflicts() -> None:
    found = extract_numbered_terms(["das Rad 2 dreht 3 mal"], ["the wheel 2 turns"])
    assert found == [ExpressionAnchor(0, 1, 1, 2, 2)]
    twice = [ExpressionAnchor(0, 0, 0, 1, 1), ExpressionAnchor(0, 0, 1, 1, 1), ExpressionAnchor(0, 2, 2, 1, 1)]
    assert Anchors.of(1, twice).links == (((2, 2, 1.0),),)
    with pytest.raises(InputError, match="several words"):
        Anchors.of(1, [ExpressionAnchor(0, 0, 0, 2, 1)])


@given(st.lists(st.sampled_from(["a", "b_c", "_", "d__e"]), min_size=1, max_size=6), st.integers(0, 5))
def test_grouping_can_be_undone(words: list[str], at: int) -> None:
    line = " ".join(words)
    start, size = at % len(words), 1 + at % 2
    anchors = [ExpressionAnchor(0, start, start, min(size, len(words) - start), min(size, len(words) - start))]
    grouped = group([line], [line], anchors)
    assert [i for part in grouped.source_parts[0] for i in part] == list(range(len(words)))
