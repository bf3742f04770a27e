"""The security layer around the server: what may come in, and what every answer says about itself.

Bodies are bounded in size and in time and must be of a kind that the application reads; where that is JSON alone,
another site's form cannot be a message of ours, and where forms are read, too, browsers say which site sent them. Every
answer forbids the browser to load or run anything that is not the server's own, to be framed, to be stored, and to tell
other sites where it came from.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["BODY_LIMIT", "HEADERS", "SecurityLayer"]

BODY_LIMIT = 256 * 1024
"""The most bytes of a request's body."""

BODY_SECONDS = 20.0
"""The most time that a body may take to arrive."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""Said with every answer, whatever it is."""

_KEPT = "public, max-age=31536000, immutable"
"""Style and script may be kept: pages ask for them by a name that changes with their content."""


class SecurityLayer:
    """The outermost layer of the application: no answer comes from outside of it."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        limit: int = BODY_LIMIT,
        seconds: float = BODY_SECONDS,
        kinds: Collection[str] = ("application/json",),
        other_sites: bool = False,
    ) -> None:
        """`kinds` are the media types of bodies; `other_sites` says that their pages may send requests, too."""
        self._app, self._limit, self._seconds = app, limit, seconds
        self._kinds, self._other_sites = frozenset(kinds), other_sites

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if it is fit to be read."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        said = {**HEADERS, "Cache-Control": _KEPT} if scope["path"].startswith("/static/") else dict(HEADERS)
        if self._other_sites:
            said["Cross-Origin-Resource-Policy"] = "cross-origin"

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [(name, value) for name, value in message["headers"] if name.decode().title() not in said]
                ours = [(name.lower().encode(), value.encode()) for name, value in said.items()]
                message = {**message, "headers": [*given, *ours]}
            await send(message)

        if scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, answer)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._limit:
            await _refuse(answer, 413, f"more than {self._limit} bytes")
            return
        if not self._other_sites and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            await _refuse(answer, 403, "sent by another site")
            return
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return  # the browser has gone
                    body += message.get("body", b"")
                    if len(body) > self._limit:
                        await _refuse(answer, 413, f"more than {self._limit} bytes")
                        return
                    if not message.get("more_body", False):
                        break
        except TimeoutError:
            await _refuse(answer, 408, "the message did not arrive in time")
            return
        if body and headers.get("content-type", "").partition(";")[0].strip().lower() not in self._kinds:
            await _refuse(answer, 415, f"messages are {' or '.join(sorted(self._kinds))}")
            return
        whole: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def replay() -> Message:
            return whole.pop() if whole else await receive()

        await self._app(scope, replay, answer)


async def _refuse(send: Send, status: int, why: str) -> None:
    body = json.dumps({"error": why, "remedy": ""}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
