"""Votes over items by hand, the test of the paper, and the pairwise protocol from recipe to report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from dragoman.assessment.analysis.preferences import sign_test
from dragoman.assessment.analysis.votes import assessor_weights, vote_tests
from dragoman.assessment.campaign import Item, Judgement
from dragoman.assessment.design.campaign_recipe import build_campaign, read_campaign_recipe
from dragoman.assessment.protocol import Protocol, get_protocol
from dragoman.assessment.ratings import Preference
from dragoman.assessment.web.assessor_page import AssessorState, render_state
from dragoman.assessment.web.markable_words import differing
from dragoman.cli import app
from dragoman.errors import FormatError, InputError


def looks(item: int, **choices: int) -> list[Preference]:
    """What assessors chose of one item: 1 for A, -1 for B, 0 for neither."""
    return [Preference(who, "cs-en", "t", str(item), "A", "B", choice) for who, choice in choices.items()]


@pytest.mark.parametrize(("won", "p"), [(120, 0.0028), (115, 0.020), (112, 0.052), (111, 0.069), (103, 0.362)])
def test_published_p_values_of_200_items(won: int, p: float) -> None:
    """Table 5 of Cer, Manning and Jurafsky (2010)."""
    assert sign_test(won, 200 - won) == pytest.approx(p, abs=5e-4 if p > 0.01 else 5e-5)
    (test,) = vote_tests([one for at in range(200) for one in looks(at, x=1 if at < won else -1)])
    assert (test.better, test.won, test.lost, test.share) == ("A", won, 200 - won, won / 200)
    assert test.p == sign_test(won, 200 - won)


def test_weights_by_hand() -> None:
    """x is with both others once and against both once; y is with them once; z once, and against them twice."""
    rows = looks(1, x=1, y=1, z=-1) + looks(2, x=1, y=1, z=1) + looks(3, x=-1, y=-1, z=1) + looks(4, x=1, y=-1, z=-1)
    assert assessor_weights(rows) == pytest.approx({"x": (1 + 1) / (2 + 2), "y": (1 + 1) / (1 + 2), "z": 2 / (3 + 2)})
    (test,) = vote_tests(rows)
    assert (test.better, test.won, test.lost, test.tied, test.judgements) == ("A", 2, 2, 0, 12)
    assert test.p == pytest.approx(11 / 16)


def test_a_trusted_assessor_outvotes_two_careless_ones() -> None:
    rows = [one for item in range(6) for one in looks(item, a=1, b=1, c=-1)]  # c is against the others
    rows += [one for item in range(6, 12) for one in looks(item, a=1, b=1, d=-1)]  # so is d
    rows += [one for item in range(12, 18) for one in looks(item, a=1, b=1, e=1)]
    last = looks(18, b=1, c=-1, d=-1)
    assert assessor_weights(rows + last) == pytest.approx({"a": 7 / 8, "b": 7 / 9, "c": 1 / 8, "d": 1 / 8, "e": 7 / 8})
    assert vote_tests(rows + last)[0].won == 19
    (even,) = vote_tests(rows + last, weights=dict.fromkeys("abcde", 1.0))
    assert (even.won, even.lost) == (18, 1)


def test_ties_abstain_and_items_without_a_winner_are_left_out() -> None:
    rows = looks(1, x=0, y=1, z=0) + looks(2, x=1, y=-1) + looks(3, x=0, y=0)
    (test,) = vote_tests(rows, weights={"x": 1, "y": 1, "z": 1})
    assert (test.won, test.lost, test.tied) == (1, 0, 2)
    assert vote_tests(looks(3, x=0, y=0))[0].p == 1.0
    assert assessor_weights(looks(1, x=1)) == {"x": 0.5}  # nothing is known
    assert vote_tests(looks(1, x=1) + looks(1, x=-1))[0].won == 1  # the first look counts


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from("wxyz"), st.sampled_from([-1, 0, 1])), min_size=1))
def test_names_and_order_of_the_systems_do_not_matter(given_looks: list[tuple[int, str, int]]) -> None:
    rows = [Preference(who, "p", "t", str(item), "A", "B", choice) for item, who, choice in given_looks]
    turned = [Preference(one.assessor, "p", "t", one.segment, "B", "A", -one.margin) for one in rows]
    assert vote_tests(turned) == vote_tests(rows)
    renamed = [Preference(one.assessor, "p", "t", one.segment, "Z", "B", one.margin) for one in rows]
    (first,), (second,) = vote_tests(rows), vote_tests(renamed)
    assert (first.won, first.lost, first.tied, first.p) == (second.won, second.lost, second.tied, second.p)
    assert all(0 < weight < 1 for weight in assessor_weights(rows).values())


def test_three_systems_give_three_tests() -> None:
    rows = [Preference("x", "p", "t", "1", a, b, 1) for a, b in [("A", "B"), ("C", "A"), ("B", "C")]]
    assert [(one.better, one.worse) for one in vote_tests(rows)] == [("A", "B"), ("C", "A"), ("B", "C")]


# The protocol.

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d,", "é"]), max_size=6).map(" ".join)


@given(WORDS, WORDS)
def test_differences_are_of_words_and_lose_no_character(first: str, second: str) -> None:
    both = differing(first, second)
    assert tuple("".join(text for text, _ in parts) for parts in both) == (first, second)
    kept = [" ".join(text for text, differs in parts if not differs) for parts in both]
    assert kept[0].replace(",", " ,").split() == kept[1].replace(",", " ,").split()
    assert (first == second) == (not any(differs for parts in both for _, differs in parts))


def test_a_choice_is_asked_for() -> None:
    protocol = get_protocol("pairwise")
    item = Item("i", systems=("A", "B"), candidates=("one", "two"))
    Judgement("i", "t", "x", ranks=(2, 1)).check(item, protocol)
    with pytest.raises(InputError, match="equal ranks are not allowed"):
        Judgement("i", "t", "x", ranks=(1, 1)).check(item, protocol)
    with pytest.raises(FormatError, match="not a protocol that can be shown"):
        Protocol.from_dict({**protocol.to_dict(), "candidates": [2, 3]})


RECIPE = """
name = "pairs"
protocol = "pairwise"
[design]
judgements = 3
items = 50
controls = []
[[testsets]]
pair = "cs-en"
reference = ["r0.en", "r1.en"]
systems = { A = "a.en", B = "b.en" }
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    for name in ("a", "b", "r0", "r1"):
        (tmp_path / f"{name}.en").write_text("".join(f"line {at} <of> {name}\n" for at in range(200)))
    lines = (tmp_path / "r1.en").read_text().split("\n")
    (tmp_path / "r1.en").write_text("\n".join(["", *lines[1:]]))
    (tmp_path / "pairs.toml").write_text(RECIPE)
    return tmp_path / "pairs.toml"


def test_items_have_a_random_order_and_a_random_reference(recipe: Path) -> None:
    campaign = build_campaign(read_campaign_recipe(recipe))
    items = sorted(campaign, key=lambda item: item.segment)
    assert [item.segment for item in items] == list(range(200))
    assert {item.systems for item in items} == {("A", "B"), ("B", "A")}
    assert 70 < sum(item.systems == ("A", "B") for item in items) < 130
    assert items[0].reference == "line 0 <of> r0"  # the other is missing
    assert 70 < sum(item.reference.endswith("r0") for item in items) < 130
    assert all(task.copies == 3 for task in campaign.tasks)


def test_the_page_emphasises_what_differs_and_offers_no_tie(recipe: Path) -> None:
    campaign = build_campaign(read_campaign_recipe(recipe))
    task = campaign.tasks[0]
    page = render_state(campaign, AssessorState("judge", task, items=task.items[:1], total=50), form_token="")
    number = task.items[0].segment
    assert f"line {number} &lt;of&gt; <strong>a</strong></p>" in page
    assert f"line {number} &lt;of&gt; <strong>b</strong></p>" in page
    assert 'value="1 2"' in page
    assert 'value="1 1"' not in page
    assert "<strong>r" not in page


@pytest.mark.slow
def test_from_recipe_to_report(recipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(recipe.parent)

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(app, ["assess", *arguments], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    run("new", "pairs.toml", "-o", "pairs")
    run("rehearse", "pairs", "--quality", "A=65", "--quality", "B=50", "-o", "trial.jsonl")
    found = json.loads(run("analyse", "trial.jsonl", "--campaign", "pairs", "--json"))["preferences"][0]
    (vote,) = found["votes"]
    assert (vote["better"], vote["worse"], vote["won"] + vote["lost"] + vote["tied"]) == ("A", "B", 200)
    assert vote["judgements"] == 600
    assert vote["p"] == pytest.approx(sign_test(vote["won"], vote["lost"]))
    assert len(found["weights"]) == 12
    run("import", "pairs", "trial.jsonl")
    table = run("analyse", "pairs")
    assert "Items won: cs-en" in table
    assert f"{vote['won']}" in table
