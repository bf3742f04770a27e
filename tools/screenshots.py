"""Pictures of pages in headless Chromium: those in the guide to judging, with text of our own, and the documentation.

python -m tools.screenshots
python -m tools.screenshots site build/screenshots

The second builds the site and takes pages of it, and of an assessment, wide, dark and as on a phone, for people to look
at; they are not kept.
"""

from __future__ import annotations

import base64
import functools
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from dragoman.assessment.access_keys import AccessKeys, link
from dragoman.assessment.campaign import Campaign, CampaignTask, Item
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.simulation.demonstration import YOU, make_demonstration, set_up
from dragoman.assessment.web.store import database_url
from tests.assessment.web.browser import Chromium, find_browser
from tests.assessment.web.house import House, open_house

HOME = Path(__file__).parent.parent
FOLDER = HOME / "docs" / "how-to" / "images"

SITE_PAGES = {
    "front": "",
    "tutorial": "tutorial/",
    "how-to": "how-to/translate/",
    "commands": "reference/commands/",
    "python": "reference/python/dragoman/",
    "experiment": "experiments/multi30k/",
    "math": "concepts/exact-decoding/",
    "peers": "peers/",
}
"""Pages of every kind that the site has."""

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
    save(browser, FOLDER / f"assess-{name}.png", min(height, most))


def save(browser: Chromium, path: Path, height: int) -> None:
    """Save so much of the page."""
    area = {"x": 0, "y": 0, "width": browser.run("return innerWidth"), "height": height, "scale": 1}
    found = browser.driver.execute_cdp_cmd(
        "Page.captureScreenshot", {"format": "png", "clip": area, "captureBeyondViewport": True}
    )
    path.write_bytes(base64.b64decode(found["data"]))


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing of each request."""


@contextmanager
def served_site(folder: Path) -> Iterator[str]:
    """Build the documentation into a folder, and serve it: its address."""
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    subprocess.run(build, cwd=HOME, check=True, capture_output=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


_AT_ONCE = (
    "const style = document.createElement('style');"
    "style.textContent = '* {transition: none !important}';"
    "document.head.append(style)"
)
"""Nothing is half there when a picture is taken."""


LOOKS = ("wide", "dark", "phone")


def look_like(browser: Chromium, look: str) -> None:
    """Be a wide window, a dark one, or a phone."""
    browser.forget()
    browser.driver.set_window_size(1280, 1400)
    browser.be_dark(look == "dark")
    if look == "phone":
        browser.be_a_phone()


def assessment(browser: Chromium, out: Path) -> None:
    """Pages of the organiser, and of somebody who judges."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        made, folder = make_demonstration(), Path(name)
        access = set_up(made, folder, server="http://localhost:8000", database=database_url(folder))
        seat = next(one.token for one in access.assessors if one.id == YOU)
        with open_house(made.campaign, folder, access=access) as house:
            for look in LOOKS:
                look_like(browser, look)
                browser.begin(link(house.url, seat))
                browser.rate(72)
                save(browser, out / f"assess-judge-{look}.png", 900)
                look_like(browser, look)
                browser.open(f"{house.url}/o/{access.organizer}")
                save(browser, out / f"assess-organizer-{look}.png", 1400)
                browser.open(f"{house.url}/organizer/analysis")
                save(browser, out / f"assess-analysis-{look}.png", 1400)


def site(browser: Chromium, out: Path) -> None:
    """Pages of the documentation: wide, wide and dark, and on a phone, where the menu is opened, too."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, served_site(Path(folder)) as address:
        for look in LOOKS:
            look_like(browser, look)
            for name, page in SITE_PAGES.items():
                browser.open(address + page)
                browser.run("localStorage.clear()")  # which remembers the colours
                browser.open(address + page)
                browser.run(_AT_ONCE)
                save(browser, out / f"site-{name}-{look}.png", 1400)
        browser.open(address)
        browser.one("label.md-header__button[for=__drawer]").click()
        browser.wait.until(lambda _: browser.one(".md-sidebar--primary").rect["x"] == 0)
        save(browser, out / "site-menu-phone.png", 800)


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
    """Make all pictures of the guide, or of the site."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    browser = find_browser()
    assert isinstance(browser, Chromium)
    try:
        if sys.argv[1:2] == ["site"]:
            assessment(browser, Path(sys.argv[2]))
            site(browser, Path(sys.argv[2]))
            return
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
