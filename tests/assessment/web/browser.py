"""Real browsers: headless Chromium and Firefox of the system, driven as a person would drive them.

Missing on a laptop skips the tests that need it; missing in CI fails them.
"""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from typing import Any

import pytest
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver import Chrome, ChromeOptions, FirefoxOptions, Keys, Remote
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from tests.assessment.web.marionette import Marionette

DESKTOP, PHONE = (1100, 900), (360, 640)
BOX = "const box = arguments[0].getBoundingClientRect(); return [box.left, box.top, box.width, box.height]"
CONTROLS = ("slider", "radio", "button", "checkbox", "textbox", "progressbar", "link", "group", "radiogroup")
"""Roles of what a person can use."""


def find_browser(name: str = "chromium") -> Browser:
    programs = {"chromium": ("chromium", "chromedriver"), "firefox": ("firefox-esr",)}[name]
    packages = {"chromium": "chromium chromium-driver", "firefox": "firefox-esr"}[name]
    if not all(map(shutil.which, programs)):
        if os.environ.get("CI"):
            pytest.fail(f"{packages} must be installed in CI")
        pytest.skip(f"no {name} here (Debian: apt-get install {packages})")
    return Chromium(*programs) if name == "chromium" else Firefox(*programs)


class Browser(ABC):
    """What a person can do with a browser, and see in it."""

    driver: WebDriver

    def __init__(self, driver: WebDriver) -> None:
        self.driver = driver
        self.wait = WebDriverWait(
            driver, 60, poll_frequency=0.02, ignored_exceptions=(NoSuchElementException, StaleElementReferenceException)
        )

    def quit(self) -> None:
        self.driver.quit()

    @abstractmethod
    def forget(self) -> None:
        """Be as a stranger finds it: no cookies, a desktop's window, nothing complained about."""

    @abstractmethod
    def be_a_phone(self) -> None: ...

    @abstractmethod
    def complaints(self) -> list[str]:
        """What the browser's console complained about."""

    @abstractmethod
    def disconnect(self, away: bool) -> None:
        """Lose the network, or find it again."""

    @abstractmethod
    def controls(self) -> list[tuple[str, str]]:
        """Roles and names of controls, as screen readers get them."""

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


class Chromium(Browser):
    """Through chromedriver."""

    driver: Chrome

    def __init__(self, binary: str, driver: str) -> None:
        options = ChromeOptions()
        options.binary_location = shutil.which(binary) or binary
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
        super().__init__(Chrome(options=options, service=Service(shutil.which(driver))))

    def forget(self) -> None:
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        self.driver.get("about:blank")
        self.complaints()

    def be_a_phone(self) -> None:
        size = {"width": PHONE[0], "height": PHONE[1], "deviceScaleFactor": 1, "mobile": True}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def be_dark(self, dark: bool = True) -> None:
        """A screen whose owner likes it dark."""
        wish = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [wish]})

    def complaints(self) -> list[str]:
        entries: list[dict[str, str]] = self.driver.execute("getLog", {"type": "browser"})["value"]
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def disconnect(self, away: bool) -> None:
        conditions = {"offline": away, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", conditions)

    def controls(self) -> list[tuple[str, str]]:
        tree = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in tree
            if not node["ignored"] and node["role"]["value"] in CONTROLS
        ]


class Firefox(Browser):
    """Through its own protocol."""

    def __init__(self, binary: str) -> None:
        self._firefox = Marionette(shutil.which(binary) or binary, size=DESKTOP)
        super().__init__(Remote(command_executor=self._firefox, options=FirefoxOptions()))

    def _resize(self, size: tuple[int, int] | None) -> None:
        """Give the page so much room, whatever the window has; None: the window's."""
        wanted = ["none", "none"] if size is None else [f"{side}px" for side in size]
        self._firefox.privileged(
            """const browser = gBrowser.selectedBrowser;
               for (const [at, name] of ["width", "height"].entries()) {
                 if (arguments[at] === "none") browser.style.removeProperty(name);
                 else browser.style.setProperty(name, arguments[at], "important");
               }""",
            *wanted,
        )

    def forget(self) -> None:
        self.disconnect(False)
        self._resize(None)
        self._firefox.privileged("Services.cookies.removeAll()")
        self.driver.get("about:blank")
        self._firefox.privileged("Services.console.reset()")

    def be_a_phone(self) -> None:
        self._resize(PHONE)
        self.wait.until(lambda _: self.run("return innerWidth") == PHONE[0])

    def complaints(self) -> list[str]:
        found: list[str] = self._firefox.privileged(
            """const found = Services.console.getMessageArray().filter((message) =>
                 message instanceof Ci.nsIScriptError && message.innerWindowID && !message.isFromPrivateWindow &&
                 /^(content javascript|CSP_|Mixed Content|CORS)/.test(message.category));
               Services.console.reset();
               return found.map((message) => message.errorMessage)"""
        )
        return found

    def disconnect(self, away: bool) -> None:
        # Firefox that is told to be offline still reaches this machine: send it through a proxy that is not there.
        self._firefox.privileged("Services.prefs.setIntPref('network.proxy.type', arguments[0])", 1 if away else 0)

    def controls(self) -> list[tuple[str, str]]:
        elements = self.all("input, button, textarea, progress, a[href], fieldset, [role]")
        seen = [one for one in elements if self.run("return arguments[0].checkVisibility()", one)]
        found = [(one.aria_role, one.accessible_name) for one in seen]
        return [(role, name) for role, name in found if role in CONTROLS]
