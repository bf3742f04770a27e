"""The documentation in a real browser, wide and on a phone: nothing sticks out, and the front page says what it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.assessment.web.browser import Browser, Chromium, find_browser
from tools.screenshots import SITE_PAGES, served_site

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = find_browser()
    yield found
    found.quit()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    folder = tmp_path_factory.mktemp("site")
    with served_site(folder) as address:
        yield folder, address


def test_the_front_page_has_a_picture_and_four_lines_of_code(built: tuple[Path, str], browser: Browser) -> None:
    browser.forget()
    browser.open(built[1])
    picture = browser.one(".hero img")
    assert browser.run("return arguments[0].complete && arguments[0].naturalWidth > 0", picture)
    code = browser.run("return document.querySelector('.hero pre').innerText").split("\n")
    assert len([line for line in code if line.strip()]) == 4
    for shown in (picture, browser.one(".hero pre")):
        box = shown.rect
        assert box["y"] + box["height"] < 900, "seen without scrolling"
    tabs = browser.run("return [...document.querySelectorAll('.md-tabs__link')].map((each) => each.innerText.trim())")
    assert tabs == ["Start", "How to", "Concepts", "Experiments", "Reference", "Project"]
    assert browser.all(".md-search__input")
    assert browser.all("label[for^=__palette]"), "light and dark"
    assert browser.complaints() == []


def test_colours_are_those_of_the_system(built: tuple[Path, str], browser: Browser) -> None:
    """By day and by night, also on a page that was visited by day, unless somebody chooses."""
    browser.forget()
    assert isinstance(browser, Chromium)
    for dark, colours in ((False, "default"), (True, "slate"), (False, "default")):
        browser.be_dark(dark)
        browser.open(built[1])
        assert browser.run("return document.body.dataset.mdColorScheme") == colours


def test_titles_of_navigation_are_words(built: tuple[Path, str], browser: Browser) -> None:
    browser.forget()
    browser.open(f"{built[1]}{SITE_PAGES['experiment']}")
    links = "[...document.querySelectorAll('.md-nav--primary a.md-nav__link')]"
    titles = browser.run(f"return {links}.map((each) => each.textContent.trim())")
    assert "MERT: searches and windows" in titles
    assert [title for title in titles if not title or (title[0].lower() == "p" and title[1:].isdigit())] == []


def test_no_page_is_wider_than_a_phone(built: tuple[Path, str], browser: Browser) -> None:
    """Tables and code scroll within themselves; the page does not."""
    browser.forget()
    browser.be_a_phone()
    wide = []
    for page in sorted(built[0].rglob("index.html")):
        browser.open(f"{built[1]}{page.parent.relative_to(built[0]).as_posix()}/")
        width, room = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
        if width > room:
            wide.append((page.parent.name, width, room))
    assert wide == []
    assert browser.complaints() == []
