"""Firefox without a driver program: its own remote protocol, behind Selenium's interface.

Firefox speaks Marionette, whose commands are those of WebDriver under other names; the program that usually translates
(geckodriver) is not in Debian, and this is what it does (https://firefox-source-docs.mozilla.org/testing/marionette).
"""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection

COMMANDS = {
    "newSession": "NewSession",
    "get": "Navigate",
    "getCurrentUrl": "GetCurrentURL",
    "getTitle": "GetTitle",
    "goBack": "Back",
    "refresh": "Refresh",
    "findElement": "FindElement",
    "findElements": "FindElements",
    "findChildElements": "FindElements",
    "clickElement": "ElementClick",
    "sendKeysToElement": "ElementSendKeys",
    "getElementText": "GetElementText",
    "getElementRect": "GetElementRect",
    "getElementProperty": "GetElementProperty",
    "getElementValueOfCssProperty": "GetElementCSSValue",
    "getElementAriaRole": "GetComputedRole",
    "getElementAriaLabel": "GetComputedLabel",
    "w3cGetActiveElement": "GetActiveElement",
    "elementScreenshot": "TakeScreenshot",
    "screenshot": "TakeScreenshot",
    "w3cExecuteScript": "ExecuteScript",
    "actions": "PerformActions",
    "clearActionState": "ReleaseActions",
    "setWindowRect": "SetWindowRect",
}
"""Selenium's names of commands, and Marionette's (all of them `WebDriver:...`)."""

PREFERENCES = {
    "marionette.port": 0,  # any free one
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 1,  # where nobody listens
    "network.proxy.allow_hijacking_localhost": True,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "app.normandy.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "extensions.getAddons.cache.enabled": False,
    "layout.css.devPixelsPerPx": "1.0",
}


class Marionette(RemoteConnection):
    """A running Firefox, as what Selenium sends its commands to."""

    def __init__(self, binary: str, *, size: tuple[int, int]) -> None:
        super().__init__(client_config=ClientConfig("http://unused.invalid"))
        self._stack = contextlib.ExitStack()
        profile = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="firefox-")))
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items())
        (profile / "user.js").write_text("".join(lines), "utf-8")
        # The window has a frame, so that what is asked for is set again once it is there.
        command = [
            binary,
            "--headless",
            "--marionette",
            "--remote-allow-system-access",
            "--no-remote",
            "--profile",
            str(profile),
        ]
        command += ["--width", str(size[0]), "--height", str(size[1])]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        told, deadline = profile / "MarionetteActivePort", time.monotonic() + 120
        while not (told.exists() and told.read_text("utf-8")):
            assert self._process.poll() is None, "Firefox did not start"
            assert time.monotonic() < deadline, "Firefox does not answer"
            time.sleep(0.05)
        line = socket.create_connection(("127.0.0.1", int(told.read_text("utf-8"))), timeout=120)
        self._line = self._stack.enter_context(line)
        self._file = self._stack.enter_context(line.makefile("rb"))
        self._number = 0
        self._receive()

    def _receive(self) -> Any:
        length = b""
        while (digit := self._file.read(1)) != b":":
            length += digit
        return json.loads(self._file.read(int(length)))

    def ask(self, command: str, parameters: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Send a command; the error and the result."""
        self._number += 1
        text = json.dumps([0, self._number, command, parameters or {}]).encode()
        self._line.sendall(b"%d:%s" % (len(text), text))
        _, number, error, result = self._receive()
        assert number == self._number
        return error, result

    def privileged(self, script: str, *arguments: Any) -> Any:
        """Run a script in the browser itself, not in the page."""
        self.ask("Marionette:SetContext", {"value": "chrome"})
        try:
            error, result = self.ask("WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})
        finally:
            self.ask("Marionette:SetContext", {"value": "content"})
        assert error is None, error
        return result["value"]

    def execute(self, command: str, params: dict[str, Any]) -> dict[str, Any]:
        """What Selenium calls."""
        given = {name: value for name, value in params.items() if name != "sessionId"}
        if command == "quit":
            self.close()
            return {"value": None}
        if command == "newSession":
            given = {}
        if command == "findChildElements":
            given["element"] = given.pop("id")
        if command.lower().endswith("screenshot"):
            given |= {"full": False, "hash": False}
        error, result = self.ask(f"WebDriver:{COMMANDS[command]}", given)
        if error is not None:
            return {"status": 400, "value": json.dumps({"value": error})}
        if isinstance(result, dict) and set(result) == {"value"}:
            result = result["value"]
        return {"value": result}

    def close(self) -> None:
        """End Firefox."""
        with contextlib.suppress(Exception):
            self.ask("Marionette:Quit", {"flags": ["eForceQuit"]})
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stack.close()
