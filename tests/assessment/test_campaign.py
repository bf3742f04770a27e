"""A campaign survives its file, tells the browser nothing secret, and refuses answers that do not fit."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.assessment.campaign import Campaign, CampaignTask, ErrorSpan, Item, Judgement, Passage, direction
from dragoman.assessment.protocol import PROTOCOLS, Protocol, get_protocol
from dragoman.errors import DragomanError, FormatError, InputError, UnknownName

ITEM = Item(
    "1f",
    systems=("online-B",),
    candidates=("A cat <b>sat</b> .",),
    source="Kočka seděla .",
    reference="The cat sat .",
    source_language="cs",
    target_language="en",
    testset="news",
    segment=7,
    document="idnes.42",
    context=(Passage("Ano .", "Yes .", ("Yep .",)),),
)
CONTROLS = (
    replace(ITEM, id="2e", kind="repeat", partner="1f"),
    replace(ITEM, id="3d", kind="degraded", partner="1f", candidates=("A .",)),
    replace(ITEM, id="4c", kind="gold", expected=0.0, accepted=(0, 1), reason="nothing in common"),
)
CAMPAIGN = Campaign(
    "tiny",
    (CampaignTask("t1", 1, "adequacy", (ITEM, *CONTROLS), copies=2, assessors=("anna", "ben")),),
    {"adequacy": get_protocol("adequacy")},
    gate={"entry": 4},
)


def test_a_campaign_survives_its_file(tmp_path: Path) -> None:
    CAMPAIGN.write(tmp_path / "campaign.json")
    assert Campaign.read(tmp_path) == CAMPAIGN
    assert CAMPAIGN.item("3d").kind == "degraded"
    assert CAMPAIGN.place("4c") == (CAMPAIGN.tasks[0], 3)
    with pytest.raises(UnknownName):
        CAMPAIGN.item("zz")


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_nothing_secret_is_public(name: str) -> None:
    protocol = get_protocol(name)
    for item in (ITEM, *CONTROLS):
        text = json.dumps(item.public(protocol), ensure_ascii=False)
        for secret in ("online-B", "idnes", "news", "repeat", "degraded", "gold", "nothing", '"kind"', "partner"):
            assert secret not in text
        assert ("Kočka" in text) == ("source" in protocol.shows)
        assert ("The cat" in text) == ("reference" in protocol.shows)
        assert ("Yes" in text) == ("reference" in protocol.shows)
        assert set(item.public(protocol)) == set(ITEM.public(protocol))


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_protocols_survive_json(name: str) -> None:
    protocol = get_protocol(name)
    assert Protocol.from_dict(json.loads(json.dumps(protocol.to_dict()))) == protocol
    assert PROTOCOLS.describe(name)


def test_answers_that_do_not_fit_are_refused() -> None:
    adequacy, esa, ranking = get_protocol("adequacy"), get_protocol("esa"), get_protocol("ranking")
    given_answer = Judgement("1f", "t1", "anna", score=73)
    given_answer.check(ITEM, adequacy)
    for score in (None, 101, -1, 50.5, float("nan"), True):
        with pytest.raises(InputError):
            replace(given_answer, score=score).check(ITEM, adequacy)
    with pytest.raises(InputError):
        replace(given_answer, spans=(ErrorSpan(0, 1, "minor"),)).check(ITEM, adequacy)
    length = len(ITEM.candidates[0])
    replace(given_answer, spans=(ErrorSpan(0, length, "minor"), ErrorSpan(length, length, "major"))).check(ITEM, esa)
    for span in (
        ErrorSpan(0, length + 1, "minor"),
        ErrorSpan(3, 2, "minor"),
        ErrorSpan(-1, 2, "minor"),
        ErrorSpan(0, 1, "fatal"),
    ):
        with pytest.raises(InputError):
            replace(given_answer, spans=(span,)).check(ITEM, esa)
    two = replace(ITEM, systems=("A", "B"), candidates=("a", "b"))
    ranks = Judgement("1f", "t1", "anna", ranks=(1, 1))
    ranks.check(two, ranking)
    for wrong in ((1,), (1, 3), (0, 1), (1, 2, 3)):
        with pytest.raises(InputError):
            replace(ranks, ranks=wrong).check(two, ranking)
    with pytest.raises(InputError):
        replace(ranks, ranks=(), not_applicable=True).check(two, ranking)


def test_judgements_survive_json() -> None:
    zero = Judgement("1f", "t1", "anna", score=0, spans=(ErrorSpan(0, 3, "minor", "style"),), milliseconds=812)
    assert Judgement.from_dict(json.loads(json.dumps(zero.to_dict()))) == zero
    assert "score" in zero.to_dict()


def test_directions() -> None:
    assert [direction(code) for code in ("ar", "he", "ur", "cs", "zh", "xx-nonsense")] == [
        "rtl",
        "rtl",
        "rtl",
        "ltr",
        "ltr",
        "auto",
    ]


def test_ids_must_be_unique() -> None:
    task = CampaignTask("t1", 1, "adequacy", (ITEM, ITEM))
    with pytest.raises(FormatError, match="same id"):
        Campaign("twice", (task,), {"adequacy": get_protocol("adequacy")})
    with pytest.raises(FormatError, match="does not define"):
        Campaign("other", (replace(task, items=(ITEM,)),), {})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.slow
@given(st.data())
def test_damaged_campaigns_are_refused_politely(draw: st.DataObject) -> None:
    """Replace one value anywhere in the file by something else: it reads, or it says what is wrong."""
    values = json.loads(json.dumps(CAMPAIGN.to_dict()))
    node = values
    while True:
        key = draw.draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
        inner = node[key]
        if isinstance(inner, (dict, list)) and inner and draw.draw(st.booleans()):
            node = inner
            continue
        node[key] = draw.draw(JSON)
        break
    with contextlib.suppress(DragomanError):
        assert isinstance(Campaign.from_dict(values), Campaign)


def test_not_a_campaign(tmp_path: Path) -> None:
    for content in ("[]", "{", '{"format": "other"}', '{"format": "dragoman-campaign", "version": 9}'):
        (tmp_path / "campaign.json").write_text(content, "utf-8")
        with pytest.raises(FormatError, match=r"campaign\.json"):
            Campaign.read(tmp_path)
