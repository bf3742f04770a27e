"""Connections: nobody holds the others off by being slow, or by coming a hundred times.

The HTTP server that we use gives a request's body to the application piece by piece (`security_layer` bounds its time)
but waits for the end of its head for ever, and a connection that waits counts against the most that it serves. Here a
head has some seconds to arrive, and one address a number of connections. Proxies that are trusted speak for many and
may have any number; they have limits of their own (see the guide).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from dragoman.assessment.crowd_entrance import subscriber
from dragoman.errors import MissingDependency

try:
    import uvicorn  # noqa: F401 - named first, so that it is what is missing if it is
    from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
    from uvicorn.protocols.http.auto import AutoHTTPProtocol
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

__all__ = ["HEAD_SECONDS", "PER_ADDRESS", "connections"]

HEAD_SECONDS = 10.0
"""The most time that the head of a request may take to arrive."""

PER_ADDRESS = 100
"""The most connections of one address; a browser has six."""

_LATE = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_MANY = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 10\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def connections(
    *, trusted: str, seconds: float = HEAD_SECONDS, per_address: int = PER_ADDRESS
) -> type[asyncio.Protocol]:
    """The class of connections for a server; `trusted` are the addresses of proxies, as uvicorn writes them."""
    counts: Counter[str] = Counter()
    proxies = ProxyHeadersMiddleware(_nothing, trusted).trusted_hosts
    base: Any = AutoHTTPProtocol

    class Connection(base):  # type: ignore[misc]
        def connection_made(self, transport: asyncio.Transport) -> None:
            self._address = ""
            self._clock: asyncio.TimerHandle | None = None
            peer = transport.get_extra_info("peername")
            if peer is not None and peer[0] not in proxies:
                who = subscriber(peer[0])
                if counts[who] >= per_address:
                    transport.write(_MANY)
                    transport.close()
                    self._refused = True
                    return
                self._address = who
                counts[who] += 1
            self._refused = False
            super().connection_made(transport)
            self._wait()

        def connection_lost(self, error: Exception | None) -> None:
            if self._refused:
                return
            self._stop()
            if self._address:
                counts[self._address] -= 1
                if not counts[self._address]:
                    del counts[self._address]
            super().connection_lost(error)

        def data_received(self, data: bytes) -> None:
            if self._refused:
                return
            request = self.cycle
            super().data_received(data)
            if self.cycle is not request:
                self._stop()
            elif self._clock is None and (request is None or request.response_complete):
                self._wait()  # the beginning of another request's head

        def eof_received(self) -> None:
            if not self._refused:
                super().eof_received()

        def _wait(self) -> None:
            self._clock = asyncio.get_running_loop().call_later(seconds, self._give_up)

        def _stop(self) -> None:
            if self._clock is not None:
                self._clock.cancel()
                self._clock = None

        def _give_up(self) -> None:
            self._clock = None
            if not self.transport.is_closing():
                self.transport.write(_LATE)
                self.transport.close()

    return Connection


async def _nothing(*_: Any) -> None:
    """An application that nobody asks."""
