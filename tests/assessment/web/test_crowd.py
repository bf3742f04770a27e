"""A crowd of good, random and lazy workers does a campaign through the pages; the analysis finds out who was who.

The workers know nothing but what the page shows them: a good one compares the two texts in front of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import pytest

from dragoman.assessment.campaign import Campaign
from dragoman.assessment.design.pool import SystemOutput
from dragoman.assessment.design.tasks import Design, build_tasks
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.simulation.demonstration import worsened
from dragoman.seeds import stream
from dragoman.text import synthetic
from tests.assessment.web.browser import BOX, Browser
from tests.assessment.web.house import open_house

QUALITY = {"Zebra": 0.03, "Mango": 0.2, "Apple": 0.45}
"""Systems, best first, and the share of words that each gets wrong."""

WORKERS = ("good-1", "good-2", "random", "lazy")
ITEMS = 40


def crowd_campaign() -> Campaign:
    texts = [one.source.text for one in synthetic.pair("en-de").generate(200, seed=5)]
    texts = [text for text in texts if len(text.split()) >= 6][:60]
    words = [word for text in texts for word in text.split()]
    pool = [
        SystemOutput(system, worsened(text, words, share, stream(3, system, at)), "", text, "de", "en", "test", at)
        for system, share in QUALITY.items()
        for at, text in enumerate(texts)
    ]
    protocol = get_protocol("adequacy")
    tasks = build_tasks(pool, protocol, Design(items=ITEMS, tasks=len(WORKERS)), seed=2)
    return Campaign("crowd", tuple(tasks), {"adequacy": protocol}, consent="Do you take part?")


@dataclass(frozen=True)
class Sight:
    """What a worker sees."""

    position: str
    item: str
    reference: str
    candidate: str
    box: list[float]


LOOK = f"""const line = document.querySelector('input[type=range]');
    const text = (selector) => document.querySelector(selector).textContent;
    return [text('#position'), document.querySelector('.item').dataset.item, text('.text.reference'),
      text('.text.candidate'), (function () {{ {BOX} }})(line)]"""


def look(browser: Browser) -> Sight:
    return Sight(*browser.run(LOOK))


def good(seen: Sight, rng: np.random.Generator) -> float:
    alike = SequenceMatcher(None, seen.reference.split(), seen.candidate.split(), autojunk=False).ratio()
    return float(np.clip(100 * alike**1.5 + rng.normal(0, 2), 0, 100))


BEHAVIOUR: dict[str, Callable[[Sight, np.random.Generator], float]] = {
    "good": good,
    "random": lambda _, rng: float(rng.uniform(0, 100)),
    "lazy": lambda _, rng: float(rng.normal(60, 1)),
}


@pytest.mark.slow
@pytest.mark.parametrize("browser", ["chromium"], indirect=True)
def test_a_crowd_judges_and_the_analysis_finds_out(browser: Browser, tmp_path: Path) -> None:
    campaign = crowd_campaign()
    given: dict[tuple[str, str], float] = {}
    with open_house(campaign, tmp_path, names=WORKERS) as house:
        for at, name in enumerate(WORKERS):
            browser.forget()
            browser.begin(house.link(at))
            rng = stream(9, name)
            for number in range(1, len(campaign.tasks[0].items) + 1):
                seen = look(browser)
                assert seen.position == f"{number} of {len(campaign.tasks[0].items)}"
                given[name, seen.item] = BEHAVIOUR[name.partition("-")[0]](seen, rng)
                browser.rate_and_go_on(given[name, seen.item], seen.box)
            browser.click_through("#finish")
            assert len(browser.text("#code")) == 10
        stored = {(one.assessor, one.item): one.score for one in house.store.judgements()}
        assert set(stored) == set(given)
        assert [stored[key] for key in given] == pytest.approx(list(given.values()), abs=1.5)

        browser.open(f"{house.url}/o/{house.access.organizer}")
        assert "4 of 4 tasks are done" in browser.text()
        browser.click_through("a[href='/organizer/analysis']")
        assert [row["system"] for row in browser.rows("system")] == list(QUALITY)
        verdicts = {row["assessor"]: row["verdict"] for row in browser.rows("verdict")}
        assert verdicts == {
            "good-1": "kept",
            "good-2": "kept",
            "lazy": "dropped",
            "random": "dropped",
        }
        assert browser.complaints() == []
