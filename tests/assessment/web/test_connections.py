"""Half-sent requests: one who is slow, or comes a thousand times, holds nobody else off."""

from __future__ import annotations

import contextlib
import socket
import time
from pathlib import Path

import httpx
import pytest

from dragoman.assessment.web.connections import connections
from tests.assessment.web.house import House, make_campaign, open_house

HALF = b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: "


def call(house: House, *, source: str = "127.0.0.1", said: bytes = HALF) -> socket.socket:
    """A connection from one of this machine's many addresses, on which something was said."""
    port = int(house.url.rpartition(":")[2])
    line = socket.create_connection(("127.0.0.1", port), timeout=20, source_address=(source, 0))
    line.sendall(said)
    return line


def ending(line: socket.socket) -> bytes:
    """What is said until the line is closed."""
    found = b""
    with line, contextlib.suppress(ConnectionResetError):  # the other side closed and had not read all
        while piece := line.recv(1000):
            found += piece
    return found


def test_a_head_that_does_not_end_is_not_waited_for(tmp_path: Path) -> None:
    http = connections(trusted="", seconds=0.5)
    with open_house(make_campaign(), tmp_path, http=http, limit_concurrency=60) as house:
        slow = [call(house, source=f"127.0.0.{2 + at % 2}") for at in range(60)]
        blocked = house.client().get("/health")
        assert blocked.status_code == 503  # so many are more than the server takes
        began = time.monotonic()
        assert {ending(line).split(b"\r\n")[0] for line in slow} == {b"HTTP/1.1 408 Request Timeout"}
        assert time.monotonic() - began < 10
        assert house.client().get("/health").json() == {"status": "ok"}


def test_a_second_head_on_the_same_line_has_no_more_time(tmp_path: Path) -> None:
    with open_house(make_campaign(), tmp_path, http=connections(trusted="", seconds=0.5)) as house:
        line = call(house, said=b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert line.recv(2000).startswith(b"HTTP/1.1 200")
        line.sendall(HALF)
        began = time.monotonic()
        with line, contextlib.suppress(OSError):
            while time.monotonic() - began < 10:  # a byte now and then does not help
                line.sendall(b"a")
                time.sleep(0.1)
        assert 0.3 < time.monotonic() - began < 8


def test_one_address_has_so_many_connections_and_others_are_served(tmp_path: Path) -> None:
    http = connections(trusted="127.0.0.9", seconds=20, per_address=10)
    with open_house(make_campaign(), tmp_path, http=http, limit_concurrency=50) as house:
        greedy = [call(house, source="127.0.0.2") for _ in range(30)]
        time.sleep(0.2)
        assert house.client().get("/health").json() == {"status": "ok"}
        for line in greedy[10:]:
            assert ending(line)[9:12] in (b"429", b"")
        trusted = [call(house, source="127.0.0.9") for _ in range(20)]  # a proxy speaks for many
        for line in trusted:
            line.sendall(b"\r\n\r\n")
            assert line.recv(2000).startswith(b"HTTP/1.1 200")
        for line in (*greedy[:10], *trusted):
            line.close()
        deadline = time.monotonic() + 10
        while ending(call(house, source="127.0.0.2", said=HALF + b"\r\nConnection: close\r\n\r\n"))[9:12] != b"200":
            assert time.monotonic() < deadline


def test_a_slow_body_still_has_its_own_time(tmp_path: Path) -> None:
    """The time for heads does not end a request that is being answered, or whose body is on its way."""
    with open_house(make_campaign(), tmp_path, http=connections(trusted="", seconds=0.3)) as house:
        head = b"POST /api/begin HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"
        with call(house, said=head) as line:
            time.sleep(0.8)
            line.sendall(b"{}")
            assert line.recv(100).startswith(b"HTTP/1.1 401")


@pytest.mark.parametrize("trusted", ["*", "127.0.0.1,10.0.0.0/8"])
def test_proxies_are_named_as_they_are_elsewhere(trusted: str, tmp_path: Path) -> None:
    with open_house(make_campaign(), tmp_path, http=connections(trusted=trusted, per_address=0)) as house:
        assert httpx.get(f"{house.url}/health").status_code == 200
