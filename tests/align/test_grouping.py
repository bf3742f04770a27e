"""Glued expressions: in and out of text, links and tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.align import Alignment
from dragoman.align.anchors import ExpressionAnchor
from dragoman.align.grouping import group, ungroup, ungroup_table, ungroup_text
from dragoman.errors import FormatError, InputError
from dragoman.grammar.phrases import phrase_spans

SOURCE, TARGET = "explication de vote écrite", "written explanation of vote"


def test_a_glued_link_becomes_all_links() -> None:
    """The expression pair of three and three words is nine links, and can only be extracted whole."""
    grouped = group([SOURCE], [TARGET], [ExpressionAnchor(0, 0, 1, 3, 3)])
    assert (grouped.source, grouped.target) == (["explication_de_vote écrite"], ["written explanation_of_vote"])
    assert grouped.known_links().links == (((0, 1, 1.0),),)
    links = ungroup([Alignment.parse("0-1 1-0")], grouped.source, grouped.target)[0]
    assert len(links) == 10
    inside = [(a, b) for a, b in phrase_spans(4, 4, links) if a[1] <= 3 and b[0] >= 1]
    assert inside == [((0, 3), (1, 4))]


@given(st.lists(st.sampled_from(["a", "b_c", "_", "d__e", "&#95;", "&", "_&#38;_"]), min_size=1, max_size=6), st.data())
def test_grouping_can_be_undone(words: list[str], data: st.DataObject) -> None:
    line = " ".join(words)
    start = data.draw(st.integers(0, len(words) - 1))
    size = data.draw(st.integers(1, len(words) - start))
    grouped = group([line], [line], [ExpressionAnchor(0, start, start, size, size)])
    assert ungroup_text(grouped.source[0]) == line
    assert len(grouped.source[0].split()) == len(words) - size + 1
    diagonal = Alignment(tuple((k, k) for k in range(len(grouped.source[0].split()))))
    links = ungroup([diagonal], grouped.source, grouped.target)[0]
    assert {i for i, _ in links} == set(range(len(words)))
    assert len(links) == len(words) - size + size * size


def test_tables_are_split() -> None:
    """Lines that become equal are averaged, by joint counts where there are any."""
    table = [
        "explication_de_vote ||| explanation_of_vote ||| 0.5 0.25 ||| 0-0 ||| 2 2 1",
        "explication de vote ||| explanation of vote ||| 0.9 0.75 ||| 0-0 1-1 2-2 ||| 4 4 3",
        "une ||| an ||| 1 1 ||| 0-0 ||| 1 1 1",
    ]
    assert list(ungroup_table(table)) == [
        "explication de vote ||| explanation of vote ||| 0.8 0.625 ||| 0-0 1-1 2-2 ||| 4 4 3",
        "une ||| an ||| 1 1 ||| 0-0 ||| 1 1 1",
    ]
    nine = next(ungroup_table(table[:1])).split(" ||| ")[3]
    assert len(nine.split()) == 9
    assert list(ungroup_table(["a_b ||| c ||| 0.2 0.8"])) == ["a b ||| c ||| 0.2 0.8"]
    for line, message in (
        ("a ||| b", "2 fields"),
        ("a ||| b ||| x", "must be numbers"),
        ("a ||| b ||| 1 ||| 1-0", "outside"),
    ):
        with pytest.raises((FormatError, InputError), match=message):
            list(ungroup_table([line]))


def test_conflicting_anchors_are_listed() -> None:
    anchors = [ExpressionAnchor(0, 0, 1, 2, 2), ExpressionAnchor(0, 1, 2, 2, 2), ExpressionAnchor(0, 3, 0, 1, 1)]
    grouped = group([SOURCE], [TARGET], anchors)
    assert grouped.source == ["explication_de vote écrite"]
    assert grouped.dropped == (anchors[1],)
    with pytest.raises(InputError, match="ends at word 9"):
        group([SOURCE], [TARGET], [ExpressionAnchor(0, 3, 0, 6, 1)])
