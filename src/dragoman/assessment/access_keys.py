"""Access keys: who may judge, by links that nobody can guess, and codes that prove finished work.

Tokens and the campaign's key come from the operating system's random source, never from the campaign's seed: the design
can be repeated, a link cannot. They are kept in `access.json` beside the campaign, readable by its owner only, and that
file alone says who may come in: a link that is taken back there opens nothing from that moment on. A crowd platform
sends its own id of a worker instead; completion codes and tickets are signed, so that the server need not remember them
and a worker cannot make one up.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import re
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dragoman.assessment.json_fields import checked, sparse, tuple_of
from dragoman.errors import DragomanError, UnknownName
from dragoman.files import open_binary, writing
from dragoman.plain_data import parse_json
from dragoman.settings import check_argument

__all__ = [
    "PLATFORMS",
    "PLATFORM_ID",
    "AccessFile",
    "AccessKeys",
    "Assessor",
    "completion_code",
    "link",
    "new_token",
    "platform_link",
    "ticket",
    "ticket_number",
]

PLATFORMS: Mapping[str, Mapping[str, str]] = {
    "prolific": {
        "assessor": "PROLIFIC_PID", "assessor_value": "{{%PROLIFIC_PID%}}",
        "study": "STUDY_ID", "study_value": "{{%STUDY_ID%}}",
        "session": "SESSION_ID", "session_value": "{{%SESSION_ID%}}",
    },
    "mturk": {
        "assessor": "workerId", "assessor_value": "${workerId}",
        "study": "hitId", "study_value": "${hitId}",
        "session": "assignmentId", "session_value": "${assignmentId}",
    },
}  # fmt: skip
"""The query parameters by which crowd platforms tell a study page who has come, and what they write for the value."""

PLATFORM_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
"""What a platform's id of a worker or a session can be."""


@dataclass(frozen=True, slots=True)
class Assessor:
    """A person who judges: a name of the organiser's choice, and the token of the personal link.

    `tasks` are the ids of tasks laid out for this person, in order; empty where the next open task is handed out. A
    link that was taken back has no token.
    """

    id: str
    token: str
    tasks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return sparse(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, where: str = "") -> Assessor:
        """The inverse of `to_dict`."""
        found = checked(cls, values, where=where)
        found["tasks"] = tuple_of(str, found.get("tasks", ()), where=where)
        return cls(**found)


@dataclass(frozen=True)
class AccessKeys:
    """Keys of a campaign: `key` signs completion codes, `organizer` is the token of the organiser's page, `crowd` that
    of the page where workers of a platform come in (empty: no crowd). `barred` are workers of platforms who may not.
    """

    key: str
    organizer: str
    crowd: str = ""
    assessors: tuple[Assessor, ...] = field(default=())
    barred: tuple[str, ...] = ()

    @classmethod
    def fresh(cls, names: Iterable[str] = (), *, tasks: Mapping[str, tuple[str, ...]] | None = None) -> AccessKeys:
        """New keys and a new token for each name."""
        laid_out = tasks or {}
        people = tuple(Assessor(name, new_token(), tasks=laid_out.get(name, ())) for name in names)
        return cls(new_token(), new_token(), new_token(), people)

    def write(self, path: Path | str) -> None:
        """Write `access.json`, for its owner only."""
        values = {
            "key": self.key,
            "organizer": self.organizer,
            "crowd": self.crowd,
            "assessors": [assessor.to_dict() for assessor in self.assessors],
            "barred": list(self.barred),
        }
        with writing(path, private=True) as file:
            file.write(json.dumps(values, ensure_ascii=False, indent=1) + "\n")

    @classmethod
    def read(cls, path: Path | str) -> AccessKeys:
        """Read `access.json`, or the one in a campaign's folder."""
        path = Path(path)
        if path.is_dir():
            path /= "access.json"
        with open_binary(path) as file:
            found = checked(cls, parse_json(file.read(), where=str(path)), where=str(path))
        found["assessors"] = tuple(Assessor.from_dict(one, where=str(path)) for one in found.get("assessors", ()))
        found["barred"] = tuple_of(str, found.get("barred", ()), where=str(path))
        return cls(**found)

    def revoked(self, name: str) -> AccessKeys:
        """The same without the link of a named assessor, or with a worker of a platform (`prolific:ID`) shut out."""
        if _is_worker(name) and name not in self._names:
            return replace(self, barred=tuple(dict.fromkeys((*self.barred, name))))
        return self._with_token(name, "")

    def reissued(self, name: str) -> AccessKeys:
        """The same with a new link for a named assessor in place of the old one; a worker who was shut out may come."""
        if _is_worker(name) and name not in self._names:
            return replace(self, barred=tuple(one for one in self.barred if one != name))
        return self._with_token(name, new_token())

    @property
    def tokens(self) -> dict[str, str]:
        """The personal links that open something: tokens by the names of assessors."""
        return {assessor.id: assessor.token for assessor in self.assessors if assessor.token}

    @property
    def _names(self) -> set[str]:
        return {assessor.id for assessor in self.assessors}

    def _with_token(self, name: str, token: str) -> AccessKeys:
        if name not in self._names:
            known = ", ".join(sorted(self._names)) or "none"
            raise UnknownName(f"no assessor is called {name!r}", remedy=f"known are: {known}; workers are PLATFORM:ID")
        changed = (replace(one, token=token) if one.id == name else one for one in self.assessors)
        return replace(self, assessors=tuple(changed))


class AccessFile:
    """`access.json` of a campaign that is running: what it says now, whoever changed it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._identity, self._keys = self._look(), AccessKeys.read(path)

    def keys(self) -> AccessKeys:
        """The keys as they are now; a file that cannot be read leaves those that were there, and is told to the log."""
        with self._lock:
            identity = self._look()
            if identity != self._identity:
                self._identity = identity
                try:
                    self._keys = AccessKeys.read(self.path)
                except DragomanError as error:
                    logging.getLogger(__name__).warning("the former links stay in force: %s", error)
            return self._keys

    def change(self, how: Callable[[AccessKeys], AccessKeys]) -> AccessKeys:
        """Change the keys and the file."""
        now = how(self.keys())
        now.write(self.path)
        return self.keys()

    def _look(self) -> tuple[int, int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns


def _is_worker(name: str) -> bool:
    return name.partition(":")[0] in (*PLATFORMS, "ticket") and ":" in name


def new_token() -> str:
    """192 random bits, safe in an address."""
    return secrets.token_urlsafe(24)


def link(base: str, token: str) -> str:
    """The personal link of a token: `/t/TOKEN` on the server."""
    return f"{base.rstrip('/')}/t/{quote(token, safe='')}"


def platform_link(base: str, access: AccessKeys, platform: str, *, number: int | None = None) -> str:
    """The one link for all workers of a platform, with its place-holders for their ids; or that with a ticket.

    >>> platform_link("https://x.org", AccessKeys("k", "o", "c"), "prolific")
    'https://x.org/c/c?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}'
    """
    check_argument("platform", platform, choices=PLATFORMS)
    names = PLATFORMS[platform]
    query = "&".join(f"{names[part]}={names[f'{part}_value']}" for part in ("assessor", "study", "session"))
    admission = "" if number is None else f"ticket={ticket(access, number)}&"
    return f"{base.rstrip('/')}/c/{quote(access.crowd, safe='')}?{admission}{query}"


def completion_code(access: AccessKeys, *, assessor: str, task: str) -> str:
    """The code that a finished assessor hands in: ten letters and digits, the same whenever it is asked for."""
    return _signature(access, assessor, task)[:10]


def ticket(access: AccessKeys, number: int) -> str:
    """A ticket that lets one worker in, whoever comes with it first.

    >>> ticket_number(AccessKeys("k", "o"), ticket(AccessKeys("k", "o"), 7))
    7
    """
    return f"{number}-{_signature(access, 'ticket', str(number), 'of the crowd')[:20]}"


def ticket_number(access: AccessKeys, text: str) -> int | None:
    """The number of a ticket; None if it is not one of ours."""
    digits = text.partition("-")[0]
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10 and text.isascii()):
        return None
    number = int(digits)
    return number if hmac.compare_digest(text, ticket(access, number)) else None


def _signature(access: AccessKeys, *parts: str) -> str:
    """Thirty-two letters and digits that only the owner of the campaign's key can make."""
    digest = hmac.new(access.key.encode(), "\x1f".join(parts).encode(), hashlib.sha256).digest()
    alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return "".join(alphabet[byte % 32] for byte in digest)
