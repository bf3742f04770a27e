"""Editing with completions, teaching, rules and documents, on the page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Keys
from selenium.webdriver.common.by import By

from dragoman.server.served_models import ServingOptions
from tests.assessment.web.browser import Browser
from tests.server.house import House, open_house
from tests.server.test_page import picture, settled

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


def test_editing_and_teaching(page: Browser, learning: House, pictures: Path) -> None:
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
    # What may come next is offered word by word and as phrases, each with its probability.
    page.wait.until(lambda _: page.all("#next button") and page.all("#next-phrases button"))
    offered = learning.post("/v1/complete", text=SENTENCE, prefix="Die H", limit=5)
    for shown, suggested in (("#next", offered["next_words"]), ("#next-phrases", offered["next_phrases"])):
        chips = page.run(
            "return [...document.querySelectorAll(`${arguments[0]} button`)].map(b => [...b.childNodes].map(n => "
            "n.textContent))",
            shown,
        )
        expected = [["H" + each["text"], f"{100 * each['confidence']:.0f}%"] for each in suggested]
        assert chips
        assert all(chip in expected for chip in chips)
        assert chips[0] == expected[0]
    picture(page, pictures / "page-editing.png")
    phrase = page.all("#next-phrases button")[0]
    words = "Die H" + offered["next_phrases"][0]["text"]
    phrase.click()
    page.wait.until(lambda _: page.run("return document.querySelector('#draft').selectionStart") == len(words))
    assert page.run("return document.querySelector('#draft').value").startswith(words)
    page.run("const d = document.querySelector('#draft'); d.value = arguments[0]", "Die alte Hütte ist winzig.")
    page.one("#teach").click()
    page.wait.until(lambda _: page.text("#status").startswith("learned"))
    assert page.text("#result") == "Die alte Hütte ist winzig."
    page.one("#tab-rules").click()
    page.wait.until(lambda _: "Hütte" in page.text("#rules"))
    picture(page, pictures / "page-learned.png")
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


KNOWN, WRITTEN = "A dog sleeps in the old house.", "Ein Hund pennt im alten Haus."


@pytest.fixture
def remembering(models: Path, tmp_path: Path) -> Iterator[House]:
    shutil.copytree(models / "en-de", tmp_path / "en-de")
    pairs = tmp_path / "memory.tsv"
    pairs.write_text(f"{KNOWN}\t{WRITTEN}\nA dog sleeps in the small house.\tEin Hund schläft im Häuschen.\n", "utf-8")
    options = ServingOptions(learn=True, memory=True, memory_files=(pairs,))
    with open_house([tmp_path / "en-de"], options=options) as house:
        yield house


def test_what_was_translated_before_is_shown_with_its_share(
    browser: Browser, remembering: House, pictures: Path
) -> None:
    browser.open(remembering.url)
    browser.wait.until(lambda _: browser.all("#to option"))
    browser.one("#source").send_keys(KNOWN)
    browser.wait.until(lambda _: browser.text("#result") == WRITTEN)
    assert browser.text("#origin").lower() == "from memory"
    assert browser.text("#sure") == ""
    assert [each.text for each in browser.all("#matches .share")] == ["100%", "86%"]
    assert [each.text for each in browser.all("#matches mark")] == ["small"]
    # What the model makes of it is explained below, and a choice asks the model.
    own = remembering.post("/v1/explain", text=KNOWN)["explained"]
    assert own in browser.text("#pane-phrases")
    picture(browser, pictures / "page-memory.png")
    browser.all("#pane-phrases .line")[1].find_elements(By.CSS_SELECTOR, ".phrase")[0].click()
    browser.wait.until(lambda _: len(browser.all(".options button")) > 1)
    browser.all(".detail .options button[aria-pressed='false']")[0].click()
    browser.wait.until(lambda _: browser.all("#result .chosen"))
    assert not browser.one("#origin").is_displayed()
    browser.one("#unchoose").click()
    browser.wait.until(lambda _: browser.text("#result") == WRITTEN)
    # A near match is taken into the editor, and what is taught is in the memory.
    browser.all("#matches button")[1].click()
    assert browser.run("return document.querySelector('#draft').value") == "Ein Hund schläft im Häuschen."
    browser.one("#teach").click()
    browser.wait.until(lambda _: browser.text("#result") == "Ein Hund schläft im Häuschen.")
    browser.one("#source").send_keys(" A cat.")
    settled(browser)
    assert not browser.one("#origin").is_displayed()
    assert "% sure" in browser.text("#sure")
    browser.be_a_phone()
    browser.one("#clear").click()
    browser.one("#source").send_keys(KNOWN)
    browser.wait.until(lambda _: browser.all("#matches li"))
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    assert browser.complaints() == []


def test_a_document_from_memory_says_so(browser: Browser, remembering: House, tmp_path: Path, pictures: Path) -> None:
    file = tmp_path / "note.md"
    file.write_text(f"# The old house\n\n{KNOWN}\n", "utf-8")
    browser.open(remembering.url)
    browser.wait.until(lambda _: browser.all("#to option"))
    browser.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path / "got")}
    )
    browser.one("#document").send_keys(str(file))
    browser.wait.until(lambda _: browser.text("#status") == "note.md: 2 texts translated, 1 from memory")
    browser.wait.until(lambda _: (tmp_path / "got" / "note.md").is_file())
    assert WRITTEN in (tmp_path / "got" / "note.md").read_text("utf-8")
    picture(browser, pictures / "page-document.png")
    assert browser.complaints() == []


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
