"""The pages in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from selenium.webdriver import Keys

from dragoman.assessment.campaign import Passage
from tests.assessment.web.browser import PHONE, Browser, Chromium
from tests.assessment.web.house import House

Serve = Callable[..., House]


def test_a_line_has_no_mark_until_it_is_touched(house: House, browser: Browser) -> None:
    browser.begin(house.link())
    assert "1 of 4" in browser.text()
    slider = browser.one("input[type=range]")
    assert "untouched" in (slider.get_attribute("class") or "")
    assert not shows_a_mark(browser)
    assert slider.get_attribute("aria-valuetext") == "not rated yet"
    browser.one("#next").click()
    assert "Not rated yet: click on the line" in browser.text(".question")
    assert slider.get_attribute("aria-invalid") == "true"
    assert browser.driver.switch_to.active_element == slider
    assert list(house.store.judgements()) == []
    browser.rate(70)
    assert "untouched" not in (slider.get_attribute("class") or "")
    assert browser.text(".missing") == ""
    assert shows_a_mark(browser)
    browser.rate(70)
    browser.click_through("#next")
    assert "2 of 4" in browser.text()
    (judgement,) = house.store.judgements()
    assert judgement.score == pytest.approx(70, abs=1)
    assert judgement.moves == 2
    assert judgement.milliseconds > 0
    assert browser.complaints() == []


def shows_a_mark(browser: Browser) -> bool:
    """Whether the line looks different when its value is."""
    slider = browser.one("input[type=range]")
    looks = []
    for value in (20, 80):
        browser.run("arguments[0].value = arguments[1]", slider, value)
        looks.append(slider.screenshot_as_png)
    return looks[0] != looks[1]


def test_clicks_in_the_middle_count_for_what_they_are(house: House, browser: Browser) -> None:
    browser.begin(house.link())
    for score in (50, 51, 49):
        browser.rate(score)
        browser.click_through("#next")
    assert [one.score for one in house.store.judgements()] == [50, 51, 49]


def test_scrolling_across_a_line_is_no_answer(house: House, browser: Browser) -> None:
    browser.begin(house.link())
    press = """const line = document.querySelector('input[type=range]');
      const x = line.getBoundingClientRect().left + arguments[0];
      for (const kind of ['pointerdown', 'pointercancel']) line.dispatchEvent(new PointerEvent(kind, {clientX: x}));
      return [line.value, line.classList.contains('untouched')]"""
    assert browser.run(press, 10) == ["50", True]
    browser.rate(20)
    assert browser.run(press, 300) == ["20", False]


def test_everything_can_be_done_with_the_keyboard(serve: Serve, browser: Browser) -> None:
    house = serve(items=3, tasks=1, consent="Your answers are stored.")
    browser.open(house.link())
    browser.press_through(Keys.ENTER)  # the button is in focus: agree
    browser.press_through(Keys.ENTER)  # start
    browser.press(Keys.ARROW_RIGHT)
    browser.press_through(Keys.ENTER)
    browser.press(Keys.HOME)
    browser.press_with_shift(Keys.ARROW_RIGHT)
    browser.press_with_shift(Keys.ARROW_RIGHT)
    browser.press_through(Keys.ENTER)
    browser.press(Keys.END)
    browser.press_through(Keys.TAB, Keys.ENTER)  # to the button and press it
    assert [one.score for one in house.store.judgements()] == [51, 20, 100]
    browser.press(Keys.TAB, "quite fine", Keys.TAB)
    browser.press_through(Keys.ENTER)
    assert "Your completion code" in browser.text()
    assert [place.comment for place in house.store.places()] == ["quite fine"]


def test_closing_the_browser_and_coming_back_goes_on_where_it_was(house: House, browser: Browser) -> None:
    browser.begin(house.link())
    browser.rate(10)
    browser.click_through("#next")
    browser.rate(80)  # moved, but not sent
    anna = house.store.seat(house.access.assessors[0].token)
    assert anna is not None
    browser.wait.until(lambda _: house.store.draft(anna, item="t0i1"))
    browser.forget()
    browser.open(house.link())
    assert "2 of 4" in browser.text()
    slider = browser.one("input[type=range]")
    assert int(slider.get_attribute("value") or 0) == pytest.approx(80, abs=1)
    assert "untouched" not in (slider.get_attribute("class") or "")
    assert len(list(house.store.judgements())) == 1


def test_there_is_no_way_back(house: House, browser: Browser) -> None:
    browser.begin(house.link())
    browser.rate(10)
    browser.click_through("#next")
    assert not browser.all("#back")
    browser.driver.back()
    browser.open(f"{house.url}/work?page=0")
    assert "2 of 4" in browser.text()


def test_the_way_back_where_it_is_allowed(serve: Serve, browser: Browser) -> None:
    house = serve(change={"going_back": True})
    browser.begin(house.link())
    browser.rate(10)
    browser.click_through("#next")
    browser.click_through("#back")
    slider = browser.one("input[type=range]")
    assert int(slider.get_attribute("value") or 0) == pytest.approx(10, abs=1)
    browser.rate(60)
    browser.click_through("#next")
    assert "2 of 4" in browser.text()
    assert [one.score for one in house.store.judgements()] == [pytest.approx(60, abs=1)]


def test_a_second_window_cannot_overwrite_the_first(house: House, browser: Browser) -> None:
    browser.begin(house.link())
    other = house.assessor()
    other.judge(5).raise_for_status()
    browser.rate(95)
    browser.click_through("#next")
    assert "judged already, perhaps in another window" in browser.text()
    assert "2 of 4" in browser.text()
    assert [one.score for one in house.store.judgements()] == [5]


def test_a_page_of_several_items_shows_the_one_that_was_missed(serve: Serve, browser: Browser) -> None:
    house = serve(protocol="similarity", items=7, tasks=1)
    browser.begin(house.link())
    assert "1–5 of 7" in browser.text()
    browser.press("3")
    for at in (3, 4, 5):
        browser.one(f".item:nth-of-type({at}) input[value='{at - 1}']").click()
    browser.one("#next").click()
    browser.wait.until(lambda _: "Not answered yet" in browser.text(".item:nth-of-type(2)"))
    assert browser.text().count("Not answered yet") == 1
    inside = "const box = arguments[0].getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight"
    assert browser.run(inside, browser.one(".item:nth-of-type(2) .question"))
    browser.press("5")
    browser.press_through(Keys.ENTER)
    assert {one.item: one.score for one in house.store.judgements()} == {
        "t0i0": 3,
        "t0i1": 5,
        "t0i2": 2,
        "t0i3": 3,
        "t0i4": 4,
    }
    assert "6–7 of 7" in browser.text()


def test_five_labelled_categories(serve: Serve, browser: Browser) -> None:
    house = serve(protocol="likert-adequacy")
    browser.begin(house.link())
    browser.one("#next").click()
    assert "Not answered yet" in browser.text(".question")
    browser.press("4")
    browser.press_through(Keys.ENTER)
    assert [one.score for one in house.store.judgements()] == [4]


def test_two_candidates_side_by_side(serve: Serve, browser: Browser) -> None:
    house = serve(protocol="ranking", item={"systems": ("A", "B"), "candidates": ("one", "two")})
    browser.begin(house.link())
    browser.one("input[value='2 1']").click()
    browser.click_through("#next")
    browser.one("input[value='1 1']").click()
    browser.click_through("#next")
    assert [one.ranks for one in house.store.judgements()] == [(2, 1), (1, 1)]


def test_five_candidates_ranked(serve: Serve, browser: Browser) -> None:
    names = tuple("ABCDE")
    house = serve(protocol="ranking", item={"systems": names, "candidates": names})
    browser.begin(house.link())
    for at, rank in enumerate([3, 1, 1, 5]):
        browser.one(f"[data-candidate='{at}'] input[value='{rank}']").click()
    browser.one("#next").click()
    assert "Not ranked yet" in browser.text("[data-candidate='4']")
    browser.one("[data-candidate='4'] input[value='2']").click()
    browser.click_through("#next")
    assert [one.ranks for one in house.store.judgements()] == [(3, 1, 1, 5, 2)]


ESA_TEXT = "The 👩‍👩‍👧 cat's on the mat ."


def test_errors_are_marked_by_pointing_dragging_and_keys(serve: Serve, browser: Browser) -> None:
    house = serve(protocol="esa", item={"candidates": (ESA_TEXT,)})
    browser.begin(house.link())
    units = browser.all(".unit")
    assert [unit.text for unit in units[:-1]] == ["The", "👩‍👩‍👧", "cat's", "on", "the", "mat", "."]
    units[2].click()
    assert "begins at “cat's”" in browser.text(".spans-help")
    units[3].click()
    browser.one(".spans-list li input[value=major]").click()
    browser.drag(browser.all(".unit")[4], browser.all(".unit")[5])
    browser.one(".unit.absent").click()
    assert len(browser.all(".spans-list li")) == 3
    browser.one("#next").click()
    assert "Not rated yet" in browser.text(".scale")
    browser.rate(40)
    browser.click_through("#next")
    browser.press(" ", Keys.ARROW_RIGHT, Keys.ENTER)  # the second item by keys alone: the first two words
    browser.press(Keys.ARROW_LEFT, Keys.DELETE)  # no, nothing there
    browser.press(" ", " ")  # the first word only
    browser.press(Keys.TAB, Keys.TAB, Keys.TAB, Keys.ARROW_RIGHT)  # severity, remove, line
    browser.press_through(Keys.ENTER)
    first, second = house.store.judgements()
    marked = [(ESA_TEXT[span.start : span.end], span.severity) for span in first.spans]
    assert marked == [("cat's on", "major"), ("the mat", "minor"), ("", "minor")]
    assert first.spans[2].start == len(ESA_TEXT)
    assert [(ESA_TEXT[span.start : span.end], span.severity) for span in second.spans] == [("The", "minor")]
    assert second.score == 51
    browser.click_through("#back")
    assert [row.text.split("\n")[0] for row in browser.all(".spans-list q")] == ["The"]


RTL = {"target_language": "ar", "candidates": ("القط على الحصيرة",), "reference": "جلست القطة على الحصيرة"}


def test_scripts_that_run_from_right_to_left(serve: Serve, browser: Browser) -> None:
    house = serve(item=RTL)
    browser.begin(house.link())
    for selector in (".text.candidate", ".text.reference"):
        text = browser.one(selector)
        assert (text.get_attribute("dir"), text.get_attribute("lang")) == ("rtl", "ar")
        assert text.value_of_css_property("direction") == "rtl"
    right_edge = """const range = document.createRange(); range.selectNodeContents(arguments[0]);
      return arguments[0].getBoundingClientRect().right - range.getBoundingClientRect().right"""
    assert browser.run(right_edge, browser.one(".text.candidate")) < 24
    assert browser.one("html").get_attribute("dir") == "ltr"  # the page itself is in English here


def test_errors_are_marked_in_scripts_that_run_from_right_to_left(serve: Serve, browser: Browser) -> None:
    house = serve(protocol="esa", item=RTL)
    browser.begin(house.link())
    browser.press(Keys.ARROW_LEFT, " ", " ")  # left is onwards
    browser.rate(50)
    browser.click_through("#next")
    (judgement,) = house.store.judgements()
    assert [RTL["candidates"][0][span.start : span.end] for span in judgement.spans] == ["على"]


@pytest.mark.parametrize("protocol", ["adequacy", "likert-adequacy", "ranking", "esa", "similarity", "similarity-4"])
def test_a_phone_is_enough(serve: Serve, browser: Browser, protocol: str) -> None:
    several = {"systems": tuple("ABC"), "candidates": ("word " * 60, "x" * 200, "short")}
    house = serve(
        protocol=protocol,
        tasks=1,
        items=1,
        item=several
        if protocol == "ranking"
        else {
            "candidates": ("word " * 60,),
            "reference": "unbroken" * 40,
        },
    )
    browser.be_a_phone()
    browser.begin(house.link())
    assert browser.run("return document.documentElement.scrollWidth") <= PHONE[0]
    button = browser.one("#next").rect
    assert button["height"] >= 44
    targets = [label.rect["height"] for label in browser.all(".choices label")]
    assert all(height >= 24 for height in targets)
    if protocol == "adequacy":
        assert browser.one("input[type=range]").rect["height"] >= 44
        browser.one("#next").click()
        browser.wait.until(lambda _: "Not rated yet" in browser.text())
        browser.rate(30)
        browser.click_through("#next")
        assert [one.score for one in house.store.judgements()] == [pytest.approx(30, abs=2)]


def test_the_black_text_is_black_on_a_dark_screen(serve: Serve, browser: Browser) -> None:
    """Assessors are asked whether the black text says what the grey text says."""
    if not isinstance(browser, Chromium):
        pytest.skip("nobody can tell this browser that its owner likes it dark")
    house = serve(protocol="adequacy")
    browser.be_dark()
    browser.begin(house.link())

    def light(selector: str, colour: str) -> float:
        shown = browser.run("return getComputedStyle(arguments[0])[arguments[1]]", browser.one(selector), colour)
        return sum(map(int, re.findall(r"[0-9]+", shown)[:3])) / 3

    assert light("main", "backgroundColor") < 60, "the page is dark"
    assert light(".candidate", "color") < 60
    assert light(".candidate", "backgroundColor") == 255
    assert 60 < light(".reference", "color") < 160, "grey"
    assert light(".reference", "backgroundColor") > 200


def test_an_organizer_needs_no_more_than_a_phone(serve: Serve, browser: Browser) -> None:
    house = serve()
    browser.be_a_phone()
    browser.open(f"{house.url}/o/{house.access.organizer}")
    assert browser.run("return document.documentElement.scrollWidth") <= PHONE[0]
    for shown in [*browser.all(".people code"), *browser.all(".people button")]:
        box = shown.rect
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0]
        assert box["width"] > 100, "not a column of letters"


@pytest.mark.parametrize("protocol", ["adequacy", "likert-fluency", "ranking", "esa", "similarity"])
def test_every_control_has_a_name_and_every_id_is_one(serve: Serve, browser: Browser, protocol: str) -> None:
    """The names that browsers hand to screen readers."""
    house = serve(
        protocol=protocol,
        items=5,
        item={
            "candidates": ("one", "two", "three"),
            "systems": tuple("ABC"),
        }
        if protocol == "ranking"
        else {"context": (Passage(source="before", candidates=("before",)),)},
    )
    browser.begin(house.link())
    seen = browser.controls()
    nameless = [role for role, name in seen if not name.strip()]
    assert not nameless
    assert {"button", "progressbar"} < {role for role, _ in seen}
    ids = browser.run("return [...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert len(ids) == len(set(ids))
    pointed = browser.run(
        """return [...document.querySelectorAll('[aria-labelledby], [aria-describedby]')].flatMap((element) =>
        [element.getAttribute('aria-labelledby'), element.getAttribute('aria-describedby')])
        .filter(Boolean).flatMap((names) => names.split(' '))"""
    )
    assert set(pointed) <= set(ids)
    if protocol in ("adequacy", "esa"):
        (name,) = [name for role, name in seen if role == "slider"]
        assert "agree" in name or "good" in name
    assert browser.one("html").get_attribute("lang") == "en"


def test_colours_can_be_told_apart(house: House, browser: Browser) -> None:
    """Contrast of at least 4.5 to 1 between every text and what is behind it (WCAG 2, level AA)."""
    browser.begin(house.link())
    browser.one("#next").click()
    pairs = browser.run(
        """const behind = (element) => { for (let at = element; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor; if (!colour.endsWith(', 0)')) return colour; }
            return 'rgb(255, 255, 255)'; };
        return [...document.querySelectorAll('main *')].filter((element) => element.offsetParent &&
            [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()))
            .map((element) => [element.outerHTML, getComputedStyle(element).color, behind(element)])"""
    )

    def luminance(colour: str) -> float:
        parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    assert len(pairs) > 5
    for name, ink, paper in pairs:
        light, dark = sorted((luminance(ink), luminance(paper)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, name


INERT = (
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "\"><svg onload=document.title='owned'>",
    "' autofocus onfocus='document.title=1",
    "{{ 7 * 7 }} {% raw %} ${7*7}",
    "</p></section></form><h1>gone</h1>",
    "javascript:alert(1) &lt;b&gt; \u202e abc",
)


@pytest.mark.parametrize("protocol", ["adequacy", "esa"])
def test_what_systems_write_is_only_ever_text(serve: Serve, browser: Browser, protocol: str) -> None:
    text = " ".join(INERT)
    before = (Passage(source=text, reference=text, candidates=(text,)),)
    fields = {"candidates": (text,), "reference": text, "source": text, "context": before}
    house = serve(protocol=protocol, item=fields)
    browser.begin(house.link())
    content = "return arguments[0].textContent"
    assert browser.run(content, browser.one(".text.candidate")).startswith(text)
    first = ".text.reference" if protocol == "adequacy" else ".text.source"
    assert browser.run(content, browser.one(first)) == text
    assert browser.driver.title != "owned"
    assert not browser.all("main script, main img, main svg")
    assert len(browser.all("main h1")) == 1
    assert browser.complaints() == []
    if protocol == "esa":
        browser.all(".unit")[0].click()
        browser.all(".unit")[40].click()
        assert browser.text(".spans-list q").startswith("<script>")
        assert not browser.all(".spans-list script, .spans-list img")


def test_a_server_that_went_away_is_waited_for(serve: Serve, browser: Browser) -> None:
    house = serve()
    browser.begin(house.link())
    browser.rate(33)
    browser.disconnect(True)
    browser.one("#next").click()
    browser.wait.until(lambda _: "Not saved yet" in browser.text("#status"))
    assert list(house.store.judgements()) == []
    browser.disconnect(False)
    browser.wait.until(lambda _: "2 of 4" in browser.text())
    assert len(list(house.store.judgements())) == 1
    browser.complaints()


def test_pages_speak_the_language_of_the_assessor(serve: Serve, browser: Browser) -> None:
    house = serve(item={"target_language": "de"})
    browser.begin(house.link())
    assert browser.one("html").get_attribute("lang") == "de"
    assert "1 von 4" in browser.text()
    browser.one("#next").click()
    assert "Noch nicht bewertet" in browser.text()


def test_the_platform_gets_its_worker_back(serve: Serve, browser: Browser) -> None:
    house = serve(items=1, tasks=1, completion_url="https://platform.invalid/done?code={code}")
    browser.begin(house.link())
    browser.rate(60)
    browser.click_through("#next")
    browser.click_through("#finish")
    code = browser.text("#code")
    assert len(code) == 10
    assert browser.one("#return").get_attribute("href") == f"https://platform.invalid/done?code={code}"
    assert "nothing left to judge" in browser.text()
