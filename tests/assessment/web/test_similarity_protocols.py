"""Graded similarity as crowds judged it, in a real browser: control pairs, the gold gate, the Spanish scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from selenium.webdriver import Keys

from dragoman.assessment.analysis.assessor_quality import assess_quality
from dragoman.assessment.campaign import Campaign, CampaignTask
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.ratings import join
from tests.assessment.web.browser import Browser
from tests.assessment.web.house import House, make_campaign, make_items

Serve = Callable[..., House]
GOLD = {"kind": "gold", "expected": 5.0, "accepted": (4.0, 5.0), "reason": "They mean the same."}


def answer_page(browser: Browser, answers: list[int]) -> None:
    """Click an answer to each item of the page, and send them."""
    for at, score in enumerate(answers, 1):
        browser.one(f".item:nth-of-type({at}) input[value='{score}']").click()
    browser.click_through("#next")


@pytest.mark.parametrize("browser", ["chromium"], indirect=True)
def test_hidden_control_pairs_sort_out_workers_afterwards(serve: Serve, browser: Browser) -> None:
    """The protocol of 2012: one pair of known score on each page of five, which nothing tells apart."""
    items = list(make_items(25, prefix="p"))
    expected = {at: float(at % 6) for at in range(25) if at % 5 in (1, 3)}  # twice as many, to be sure on few pages
    for at, score in expected.items():
        items[at] = replace(items[at], kind="gold", expected=score)
    task = CampaignTask("task", 1, "similarity", tuple(items), copies=2)
    house = serve(Campaign("sts", (task,), {"similarity": get_protocol("similarity")}))
    careful = [int(expected.get(at, at % 6)) for at in range(25)]
    careless = [5 - score for score in careful]
    for worker, answers in enumerate((careful, careless)):
        browser.forget()
        browser.begin(house.link(worker))
        for start in range(0, 25, 5):
            assert len(browser.all(".item")) == 5
            assert "gold" not in browser.run("return document.documentElement.outerHTML")
            answer_page(browser, answers[start : start + 5])
    judged = list(house.store.judgements())
    assert len(judged) == 50
    found = assess_quality(join(house.campaign, judged).ratings, test="gold")
    assert sorted(one.kept for one in found) == [False, True]
    assert browser.complaints() == []


@pytest.mark.parametrize("browser", ["chromium"], indirect=True)
def test_the_gold_gate_is_shut_in_the_browser(serve: Serve, browser: Browser) -> None:
    """The protocol of 2013: the right answer with its reason after a wrong one, and an end after too many."""
    gate = {"entry": 1, "tries": 2, "least": 3, "stop": "2/3"}
    house = serve(protocol="similarity", item=GOLD, change={"per_page": 1}, gate=gate)
    browser.begin(house.link())
    browser.press("0")
    browser.press_through(Keys.ENTER)
    assert "another answer was expected: 5" in browser.text()
    assert "They mean the same." in browser.text()
    browser.press("1")
    browser.press_through(Keys.ENTER)
    assert "Your work ends here" in browser.text()
    assert len(list(house.store.judgements())) == 2


@pytest.mark.parametrize("browser", ["chromium"], indirect=True)
def test_the_spanish_scale_has_five_points_and_speaks_spanish(serve: Serve, browser: Browser) -> None:
    """The protocol of 2014: seven pairs a page, from 0 to 4, everything in Spanish."""
    campaign = make_campaign(protocol="similarity-4", items=8, tasks=1, item={"target_language": "es"})
    house = serve(campaign)
    browser.begin(house.link())
    assert browser.one("html").get_attribute("lang") == "es"
    assert len(browser.all(".item")) == 7
    assert [one.get_attribute("value") for one in browser.all(".item:nth-of-type(1) input[type=radio]")] == list(
        "01234"
    )
    assert "son completamente equivalentes" in browser.text()
    answer_page(browser, [4, 3, 2, 1, 0, 4, 4])
    answer_page(browser, [2])
    assert [one.score for one in house.store.judgements()] == [4, 3, 2, 1, 0, 4, 4, 2]
    assert browser.complaints() == []
