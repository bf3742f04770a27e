"""Editing with completions, teaching, rules and documents, on the page."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Keys

from dragoman.server.served_models import ServingOptions
from tests.assessment.web.browser import Browser
from tests.server.house import House, open_house
from tests.server.test_page import settled

SENTENCE = "The old house is small."


@pytest.fixture
def learning(models: Path, tmp_path: Path) -> Iterator[House]:
    shutil.copytree(models / "en-de", tmp_path / "en-de")
    with open_house([tmp_path / "en-de"], options=ServingOptions(learn=True)) as house:
        yield house


@pytest.fixture
def page(browser: Browser, learning: House) -> Iterator[Browser]:
    browser.open(learning.url)
    browser.wait.until(lambda _: browser.all("#to option"))
    browser.one("#source").send_keys(SENTENCE)
    settled(browser)
    yield browser
    assert browser.complaints() == []


def test_editing_and_teaching(page: Browser, tmp_path: Path) -> None:
    pictures = Path(os.environ.get("DRAGOMAN_PICTURES", tmp_path))
    before = page.text("#result")
    page.one("#edit").click()
    page.wait.until(lambda _: page.all("#next button"))
    # Tab takes the next word of the completion.
    page.press(Keys.TAB)
    first = before.split()[0]
    page.wait.until(lambda _: page.run("return document.querySelector('#draft').selectionStart") == len(first))
    # What is typed instead is kept, and the rest follows it.
    page.run("const d = document.querySelector('#draft'); d.value = ''; d.focus()")
    page.press("Die H")
    page.wait.until(lambda _: page.text("#ghost").startswith("Die H"))
    page.driver.save_screenshot(str(pictures / "page-editing.png"))
    page.run("const d = document.querySelector('#draft'); d.value = arguments[0]", "Die alte Hütte ist winzig.")
    page.one("#teach").click()
    page.wait.until(lambda _: page.text("#status").startswith("learned"))
    assert page.text("#result") == "Die alte Hütte ist winzig."
    page.one("#tab-rules").click()
    page.wait.until(lambda _: "Hütte" in page.text("#rules"))
    page.one("#rule-undo").click()
    page.wait.until(lambda _: page.text("#rule-said").startswith("undone"))
    assert page.text("#result") == before


def test_rules_are_added_and_removed(page: Browser) -> None:
    before = page.text("#result")
    page.one("#tab-rules").click()
    page.one("#rule-source").send_keys("house")
    page.one("#rule-target").send_keys("Hütte", Keys.ENTER)
    page.wait.until(lambda _: "Hütte" in page.text("#result"))
    page.one("#rule-remove").click()
    page.wait.until(lambda _: page.text("#result") == before)


def test_a_document_comes_back(page: Browser, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_text(f"{SENTENCE}\n", "utf-8")
    page.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path / "got")}
    )
    page.one("#document").send_keys(str(file))
    page.wait.until(lambda _: "translated" in page.text("#status"))
    page.wait.until(lambda _: (tmp_path / "got" / "note.txt").is_file())
    assert (tmp_path / "got" / "note.txt").read_text("utf-8").strip() == page.text("#result")
    bad = tmp_path / "note.docx"
    bad.write_bytes(b"x")
    page.one("#document").send_keys(str(bad))
    page.wait.until(lambda _: page.one("#problem").is_displayed())
    assert "not a document" in page.text("#problem")
    page.complaints()
