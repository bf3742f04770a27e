"""The page, in a real browser; its pictures are those of the docs.

`DRAGOMAN_PICTURES=docs/how-to/images` writes them anew.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Keys

from tests.assessment.web.browser import Browser
from tests.pipeline.conftest import Sides
from tests.server.house import House

SENTENCE = "The old house is small. A man sees the xyzzy."


@pytest.fixture
def page(browser: Browser, house: House) -> Iterator[Browser]:
    browser.open(house.url)
    browser.run("localStorage.clear()")
    browser.open(house.url)
    browser.wait.until(lambda _: browser.all("#to option"))
    yield browser
    assert browser.complaints() == []


def translated(page: Browser, text: str = SENTENCE) -> str:
    """Type a text and wait for its translation."""
    page.one("#from").send_keys("English")
    page.run("document.querySelector('#source').value = ''")
    page.one("#source").send_keys(text)
    return settled(page)


def settled(page: Browser) -> str:
    page.wait.until(lambda _: page.all("#result .phrase") and not page.all("#result.waiting"))
    page.wait.until(lambda _: "ms" in page.text("#status"))
    return page.text("#result")


def picture(page: Browser, path: Path) -> None:
    """All that the page shows, however long it is."""
    size = page.run(
        "scrollTo(0, 0); return [document.documentElement.clientWidth, "
        "document.querySelector('main').getBoundingClientRect().bottom]"
    )
    area = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
    taken = page.driver.execute_cdp_cmd(
        "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": area}
    )
    path.write_bytes(base64.b64decode(taken["data"]))


def colours(page: Browser, theme: str) -> None:
    page.run("document.documentElement.dataset.theme = arguments[0]", theme)


def test_a_text_is_translated_and_explained(page: Browser, house: House, pictures: Path) -> None:
    expected = house.post("/v1/translate", text=SENTENCE, model="en-de")["translations"][0]["text"]
    assert translated(page) == expected
    assert "% sure" in page.text("#sure")
    assert page.all("#result .phrase.unknown")
    # What it is not sure of is shaded, the more the less sure it is.
    shades = [each.value_of_css_property("background-color") for each in page.all("#result .unsure")]
    assert shades
    assert "rgba(0, 0, 0, 0)" not in shades
    # Pointing at a phrase shows its source.
    phrase = page.all("#result .phrase")[0]
    page.run("arguments[0].dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))", phrase)
    number = phrase.get_attribute("data-phrase")
    assert {each.get_attribute("data-phrase") for each in page.all(".phrase.on")} == {number}
    assert len(page.all("#pane-phrases .phrase.on")) >= 2
    # Choosing it shows what else it might have been, and what taught it.
    phrase.click()
    page.wait.until(lambda _: page.all(".witness"))
    assert page.all(".detail .bars .bar")
    assert page.one(".options button[aria-pressed='true']")
    picture(page, pictures / "page-light.png")
    colours(page, "dark")
    picture(page, pictures / "page-dark.png")
    colours(page, "light")


def test_a_choice_is_kept_and_undone(page: Browser) -> None:
    before = translated(page, "The old house is small.")
    page.all("#result .phrase")[0].click()
    page.wait.until(lambda _: len(page.all(".options button")) > 1)
    other = page.all(".options button[aria-pressed='false']")[0]
    words = other.text.splitlines()[0]
    other.click()
    page.wait.until(lambda _: page.all("#result .chosen"))
    assert settled(page) != before
    assert page.one("#unchoose").is_displayed(), words
    page.one("#unchoose").click()
    page.wait.until(lambda _: not page.all("#result .chosen"))
    assert settled(page) == before


def test_tabs_matrix_scores_and_others(page: Browser, pictures: Path) -> None:
    translated(page)
    page.one("#tab-phrases").send_keys(Keys.ARROW_RIGHT)
    assert page.one("#tab-alignment").get_attribute("aria-selected") == "true"
    assert page.all("#pane-alignment .matrix td.link")
    picture(page, pictures / "page-alignment.png")
    assert not page.one("#tab-tree").is_displayed()
    page.one("#tab-scores").click()
    assert "fluency" in page.text("#pane-scores")
    assert len(page.all("#pane-scores .features .bar")) > len(page.all("#pane-scores > .bars .bar"))
    picture(page, pictures / "page-scores.png")
    page.one("#tab-others").click()
    assert page.all("#pane-others li mark")
    picture(page, pictures / "page-others.png")


def test_hierarchical_rules_are_drawn_as_trees(page: Browser, texts: Sides, pictures: Path) -> None:
    page.one("#from").send_keys("German")
    page.one("#source").send_keys(texts.target[0])
    settled(page)
    assert page.run("return document.querySelector('#to').value") == "en"
    page.one("#tab-tree").click()
    assert page.all("#pane-tree .rule")
    picture(page, pictures / "page-tree.png")


def test_everything_by_keyboard(page: Browser) -> None:
    page.one("#from").send_keys("English")
    page.one("#source").send_keys("The old house is small.", Keys.CONTROL, Keys.ENTER)
    settled(page)
    first = page.all("#result .phrase")[0]
    page.run("arguments[0].focus()", first)
    page.press(Keys.ARROW_RIGHT)
    focused = page.run("return document.activeElement.dataset.phrase")
    assert focused == page.all("#result .phrase")[1].get_attribute("data-phrase")
    page.press(Keys.ENTER)
    page.wait.until(lambda _: page.all(".detail"))
    page.press(Keys.ESCAPE)
    assert not page.all(".detail")
    assert page.run("return document.activeElement.dataset.phrase") == focused
    names = [name for role, name in page.controls() if role in ("button", "textbox", "combobox", "tab")]
    assert all(names)


def test_on_a_phone(page: Browser, house: House, pictures: Path) -> None:
    page.be_a_phone()
    page.open(house.url)
    page.wait.until(lambda _: page.all("#to option"))
    translated(page)
    page.all("#result .phrase")[0].click()
    page.wait.until(lambda _: page.all(".detail"))
    assert page.run("return document.documentElement.scrollWidth <= innerWidth")
    page.driver.save_screenshot(str(pictures / "page-phone.png"))


def test_what_goes_wrong_is_said(page: Browser) -> None:
    page.one("#from").send_keys("English")
    page.run("document.querySelector('#source').value = 'x'.repeat(30000)")
    page.one("#source").send_keys("x")
    page.wait.until(lambda _: page.one("#problem").is_displayed())
    assert "exceeds text limit" in page.text("#problem")
    page.complaints()  # the browser itself says that the answer was 413
    page.one("#clear").click()
    page.wait.until(lambda _: not page.one("#problem").is_displayed())


def test_text_is_never_markup(page: Browser) -> None:
    translated(page, 'the <img src=x onerror=alert(1)> house &lt;b&gt; "x"')
    assert not page.all("#result img, #pane-phrases img")


def test_the_api_is_described_for_people(browser: Browser, house: House) -> None:
    browser.open(f"{house.url}/docs")
    browser.wait.until(lambda _: browser.all(".operation"))
    paths = house.client.get("/openapi.json").json()["paths"]
    expected = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert {each.text for each in browser.all(".operation code")} == expected
    browser.one("#libretranslate_translate summary").click()
    said = browser.text("#libretranslate_translate")
    for words in ("Sent as application/json", "Sent as multipart/form-data", "alternatives", "must be there"):
        assert words in said
    assert "translatedText" in said
    assert browser.complaints() == []
