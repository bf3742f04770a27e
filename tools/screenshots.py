"""The pictures in the guide to judging: pages of the demonstration in headless Chromium, with text of our own.

python -m tools.screenshots
"""

from __future__ import annotations

import base64
import tempfile
from dataclasses import replace
from pathlib import Path

from dragoman.assessment.access_keys import AccessKeys, link
from dragoman.assessment.campaign import Campaign, CampaignTask, Item
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.simulation.demonstration import YOU, make_demonstration, set_up
from dragoman.assessment.web.store import database_url
from tests.assessment.web.browser import Chromium, find_browser
from tests.assessment.web.house import House, open_house

FOLDER = Path(__file__).parent.parent / "docs" / "how-to" / "images"

ERRORS = Item(
    "errors",
    systems=("A",),
    source="Der alte Fischer verkauft am Markt frischen Fisch.",
    source_language="de",
    candidates=("The old fisherman buys fresh fresh fish on the moon.",),
    target_language="en",
)
RIGHT_TO_LEFT = Item(
    "arabic",
    systems=("A",),
    source_language="en",
    target_language="ar",
    candidates=("يبيع الصياد السمك في السوق",),
    reference="الصياد العجوز يبيع السمك الطازج في السوق",
)


def take(browser: Chromium, name: str, *, most: int = 1200) -> None:
    """Save the page from its top, cut below its last line or at `most` pixels."""
    browser.run("scrollTo(0, 0); document.activeElement.blur()")
    height = browser.run("return Math.ceil(document.querySelector('#status').getBoundingClientRect().top)")
    width = browser.run("return innerWidth")
    area = {"x": 0, "y": 0, "width": width, "height": min(height, most), "scale": 1}
    found = browser.driver.execute_cdp_cmd(
        "Page.captureScreenshot", {"format": "png", "clip": area, "captureBeyondViewport": True}
    )
    (FOLDER / f"assess-{name}.png").write_bytes(base64.b64decode(found["data"]))


def demonstration(browser: Chromium, folder: Path) -> None:
    """The way of an assessor through the demonstration, then the organiser's pages."""
    made = make_demonstration()
    access = set_up(made, folder, server="http://localhost:8000", database=database_url(folder))
    with open_house(made.campaign, folder, access=access) as house:
        browser.open(link(house.url, next(one.token for one in access.assessors if one.id == YOU)))
        browser.click_through("button.main")
        take(browser, "begin")
        browser.click_through("button.main")
        browser.rate(72)
        take(browser, "judge")
        browser.click_through("#next")
        browser.one("#next").click()
        take(browser, "missed")
        organizer(browser, house, access)


def organizer(browser: Chromium, house: House, access: AccessKeys) -> None:
    """The organiser's pages; tokens are taken out of the picture."""
    browser.open(f"{house.url}/o/{access.organizer}")
    hide = (
        "for (const one of document.querySelectorAll('code')) one.textContent = one.textContent.replace(/[^/]+$/, '…')"
    )
    browser.run(hide)
    take(browser, "organizer", most=620)
    browser.open(f"{house.url}/organizer/analysis")
    take(browser, "analysis", most=900)


def single(browser: Chromium, item: Item, protocol: str, folder: Path, name: str) -> None:
    """One item of a protocol, answered."""
    items = tuple(replace(item, id=f"{item.id}{at}") for at in range(12))
    campaign = Campaign(
        name, (CampaignTask(name, 1, protocol, items),), {protocol: get_protocol(protocol)}, language="en"
    )
    with open_house(campaign, folder) as house:
        browser.begin(house.link())
        if protocol == "esa":
            for first, last, severity in ((3, 3, "major"), (4, 5, "minor"), (7, 9, "major")):
                browser.all(".unit")[first].click()
                browser.all(".unit")[last].click()
                rows = browser.all(f".spans-list input[value={severity}]")
                rows[len(rows) - 1].click()
        browser.rate(35)
        take(browser, name)


def main() -> None:
    """Make all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    browser = find_browser()
    assert isinstance(browser, Chromium)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for part in ("demonstration", "errors", "phone"):
                (Path(folder) / part).mkdir()
            browser.driver.set_window_size(1000, 800)
            demonstration(browser, Path(folder) / "demonstration")
            single(browser, ERRORS, "esa", Path(folder) / "errors", "errors")
            browser.be_a_phone()
            single(browser, RIGHT_TO_LEFT, "adequacy", Path(folder) / "phone", "phone")
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
