"""Access: who may ask the server for what.

Without keys whoever reaches the server may translate, and only those who sit at the same machine may change anything:
open models again, teach them, write rules. With a file of keys everybody needs one, and its line says what else it is
good for. A line is a key, a name for the log, and the words `learn` or `admin`; lines that begin with `#` are skipped.
Keys are kept as digests and compared as digests, so that neither memory nor time tells them.
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dragoman.errors import DragomanError, FormatError
from dragoman.files import read_lines

__all__ = ["Access", "BadKey", "Client", "Forbidden", "NoKey"]

RIGHTS = ("learn", "admin")
"""What a key may be good for besides translating; `admin` includes `learn`."""


class NoKey(DragomanError):
    """A key is needed, and none was given."""


class BadKey(DragomanError):
    """A key that opens nothing."""


class Forbidden(DragomanError):
    """Something that this client may not do."""


@dataclass(frozen=True, slots=True)
class Client:
    """Who asks: a name for the log, what their requests are counted under, and what they may do."""

    name: str
    counted_as: str
    rights: frozenset[str] = frozenset()

    def need(self, right: str) -> None:
        """Refuse who may not do that."""
        if right not in self.rights:
            raise Forbidden(
                "this is not for everybody",
                remedy=f"send a key that may {right}, or ask from the machine of the server if it has no keys",
            )


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


class Access:
    """The keys of a server; without any, everybody may translate."""

    def __init__(self, keys: Iterable[str] = (), *, where: str = "keys") -> None:
        self._clients: dict[str, Client] = {}
        for number, line in enumerate(keys, 1):
            key, *words = line.split() or ["#"]
            if key.startswith("#"):
                continue
            rights = [word for word in words if word in RIGHTS]
            names = [word for word in words if word not in RIGHTS]
            if len(names) > 1 or len(key) < 8:
                raise FormatError(
                    "not a key of at least 8 characters, a name and rights",
                    where=f"{where}, line {number}",
                    remedy="write: KEY NAME [learn] [admin]",
                )
            name = names[0] if names else f"line {number}"
            granted = frozenset(RIGHTS if "admin" in rights else rights)
            self._clients[_digest(key)] = Client(name, f"key:{name}", granted)

    @classmethod
    def read(cls, path: Path | str) -> Access:
        """Keys of a file."""
        access = cls(read_lines(path), where=str(path))
        if not access.required:
            raise FormatError("no key in it", where=str(path), remedy="write: KEY NAME [learn] [admin]")
        return access

    @property
    def required(self) -> bool:
        """Whether nobody comes in without a key."""
        return bool(self._clients)

    def client(self, key: str, *, address: str, host: str) -> Client:
        """Who asks, by the key they sent, the address they come from, and the name that they call the server by."""
        if not self.required:
            # A page of another site that was made to resolve to this machine calls it by the other site's name.
            local = _is_loopback(address) and _is_loopback(host)
            return Client("", address, frozenset(RIGHTS) if local else frozenset())
        if not key:
            raise NoKey("Please contact the server operator to get an API key")
        found = self._clients.get(_digest(key))
        if found is None:
            raise BadKey("Invalid API key")
        return found


def _is_loopback(host: str) -> bool:
    name = host.strip().lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = name.partition(":")[0]
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
