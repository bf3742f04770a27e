"""A real browser: headless Chromium of the system, driven as a person would drive it.

Missing on a laptop skips the tests that need it; missing in CI fails them.
"""

from __future__ import annotations

import os
import shutil
from typing import Any

import pytest
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver import Chrome, ChromeOptions, Keys
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

DESKTOP, PHONE = (1100, 900), (360, 640)
BOX = "const box = arguments[0].getBoundingClientRect(); return [box.left, box.top, box.width, box.height]"


def find_browser() -> Browser:
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        if os.environ.get("CI"):
            pytest.fail("chromium and chromium-driver must be installed in CI")
        pytest.skip("no chromium here (Debian: apt-get install chromium chromium-driver)")
    options = ChromeOptions()
    options.binary_location = binary
    for option in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--force-device-scale-factor=1",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
        "--hide-scrollbars",
        f"--window-size={DESKTOP[0]},{DESKTOP[1]}",
    ):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return Browser(Chrome(options=options, service=Service(driver)))


class Browser:
    """What a person can do with a browser, and see in it."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver
        self.wait = WebDriverWait(
            driver, 60, poll_frequency=0.02, ignored_exceptions=(NoSuchElementException, StaleElementReferenceException)
        )

    def quit(self) -> None:
        self.driver.quit()

    def forget(self) -> None:
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        self.driver.get("about:blank")
        self.complaints()

    def be_a_phone(self) -> None:
        size = {"width": PHONE[0], "height": PHONE[1], "deviceScaleFactor": 1, "mobile": True}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def open(self, address: str) -> None:
        self.driver.get(address)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector: str = "main") -> str:
        return self.one(selector).text

    def rows(self, column: str) -> list[dict[str, str]]:
        """The rows of the first table that has such a column, by the names of columns."""
        found: list[dict[str, str]] = self.run(
            """const tables = [...document.querySelectorAll('table')].map((table) => [...table.rows].map(
                 (row) => [...row.cells].map((cell) => cell.textContent)));
               const [names, ...rows] = tables.find(([names]) => names.includes(arguments[0]));
               return rows.map((row) => Object.fromEntries(row.map((cell, at) => [names[at], cell])))""",
            column,
        )
        return found

    def complaints(self) -> list[str]:
        """What the browser's console complained about."""
        entries: list[dict[str, str]] = self.driver.execute("getLog", {"type": "browser"})["value"]
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def _here(self) -> Any:
        return self.run(
            "return document.readyState !== 'complete' ? null : location.href + ' ' + performance.timeOrigin"
        )

    def click_through(self, selector: str) -> None:
        """Click, and wait for the page that comes."""
        before = self._here()
        self.one(selector).click()
        self.wait.until(lambda _: self._here() not in (None, before))

    def press_through(self, *keys: str) -> None:
        """Press keys where the focus is, and wait for the page that comes."""
        before = self._here()
        self.press(*keys)
        self.wait.until(lambda _: self._here() not in (None, before))

    def press(self, *keys: str) -> None:
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def press_with_shift(self, key: str) -> None:
        ActionChains(self.driver, duration=0).key_down(Keys.SHIFT).send_keys(key).key_up(Keys.SHIFT).perform()

    def drag(self, start: WebElement, end: WebElement) -> None:
        ActionChains(self.driver, duration=50).click_and_hold(start).move_to_element(end).release().perform()

    def rate(self, score: float, *, slider: WebElement | None = None) -> None:
        """Click on the line where `score` of 100 is, give or take a point."""
        line = slider or self.one("input[type=range]")
        self.run("arguments[0].scrollIntoView({block: 'nearest'})", line)
        self._click_at(score, self.run(BOX, line)).perform()

    def rate_and_go_on(self, score: float, box: list[float]) -> None:
        """Click on the line in that box, press Enter, and wait for the page that comes."""
        before = self._here()
        self._click_at(score, box).perform()
        self.press(Keys.ENTER)
        self.wait.until(lambda _: self._here() not in (None, before))

    def _click_at(self, score: float, box: list[float]) -> ActionBuilder:
        left, top, width, height = box
        thumb = 20
        actions = ActionBuilder(self.driver, duration=0)
        pointer: Any = actions.pointer_action
        across = left + thumb / 2 + (width - thumb) * score / 100
        pointer.move_to_location(round(across), round(top + height / 2)).click()
        return actions

    def begin(self, link: str) -> None:
        """Open a personal link and go through what comes before the first item."""
        self.open(link)
        while buttons := self.all("button[data-post='/api/consent'], button[data-post='/api/begin']"):
            self.click_through(f"button[data-post='{buttons[0].get_attribute('data-post')}']")
