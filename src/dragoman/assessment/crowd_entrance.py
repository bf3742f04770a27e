"""The crowd's entrance: how workers of a platform come in, and how much of a campaign strangers may hold.

A crowd platform tells who has come by parameters of the address, and whoever has the campaign's crowd link can write
others there, unless the platform signs what it says (`platform_tokens`). So what is counted is counted by worker and
not by visit (the gold gate, tasks, places), a worker who has been here comes back only from the same browser or under
the same one-time session id, and nobody can hold many places without working: places of which nothing was judged return
after minutes, only so many of them may be open at a time, and only so many new workers come from one address. Where
platforms can give every worker an address of its own, tickets (signed, good for one worker) leave nothing to invent.
"""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from dragoman.errors import SettingError
from dragoman.settings import Settings, setting

__all__ = ["ArrivalLimit", "CrowdEntrance", "subscriber"]


@dataclass(frozen=True, slots=True)
class CrowdEntrance(Settings):
    """How workers of crowd platforms come in."""

    tickets: bool = setting(False, "Nobody comes in without a ticket (`dragoman assess links --tickets`).")
    minutes: float = setting(20.0, "A task of which nothing was judged goes to the next one after so long.", above=0)
    hours: float = setting(2.0, "A task that was begun goes to the next one after so long without an answer.", above=0)
    waiting: int = setting(30, "Tasks that may be open at a time of which nothing was judged; 0: no limit.", least=0)
    per_address: int = setting(20, "New workers from one address within an hour; 0: no limit.", least=0)
    keys: str = setting(
        "", "The platform's public keys, an https address or a file: nobody comes in without its signature (Prolific)."
    )
    audience: str = setting("", "With keys: the host that the platform sends workers to, such as judge.example.org.")
    studies: tuple[str, ...] = setting((), "With keys: ids of the studies that workers may come from; none: any.")

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        if self.keys and not self.audience:
            raise SettingError("keys without an audience", remedy="name the host of this server: audience = ...")

    @property
    def unused(self) -> timedelta:
        """How long a place may be held without any work."""
        return timedelta(minutes=self.minutes)

    @property
    def silent(self) -> timedelta:
        """How long a place may be held after the last answer."""
        return timedelta(hours=self.hours)


class ArrivalLimit:
    """How many come from one address within some seconds; addresses are kept in memory for that long and nowhere else.

    >>> limit = ArrivalLimit(2, seconds=60, clock=lambda: 0.0)
    >>> [limit.admits("10.0.0.1"), limit.admits("10.0.0.1"), limit.admits("10.0.0.1"), limit.admits("10.0.0.2")]
    [True, True, False, True]
    """

    def __init__(self, most: int, *, seconds: float = 3600.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._seen: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def admits(self, address: str) -> bool:
        """Count an arrival, unless there were too many."""
        if not self._most:
            return True
        now, who = self._clock(), subscriber(address)
        with self._lock:
            for known in [one for one, times in self._seen.items() if times[-1] <= now - self._seconds]:
                del self._seen[known]
            times = self._seen.setdefault(who, deque())
            while times and times[0] <= now - self._seconds:
                times.popleft()
            if len(times) >= self._most:
                return False
            times.append(now)
            return True


def subscriber(address: str) -> str:
    """What one subscriber has: an IPv4 address, or 64 bits of an IPv6 one."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return address
    return str(ipaddress.ip_network((parsed, 64), strict=False))
