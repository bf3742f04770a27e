"""Access keys: who may judge, by links that nobody can guess, and codes that prove finished work.

Tokens and the campaign's key come from the operating system's random source, never from the campaign's seed: the design
can be repeated, a link cannot. They are kept in `access.json` beside the campaign, readable by its owner only. A crowd
platform sends its own id of a worker instead; completion codes are signed, so that the server need not remember them
and a worker cannot make one up.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dragoman.assessment.json_fields import checked, sparse, tuple_of
from dragoman.files import open_binary, write_bytes
from dragoman.plain_data import parse_json
from dragoman.settings import check_argument

__all__ = ["PLATFORMS", "AccessKeys", "Assessor", "completion_code", "link", "platform_link"]

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


@dataclass(frozen=True, slots=True)
class Assessor:
    """A person who judges: a name of the organiser's choice or a platform's id, and the token of the personal link.

    `tasks` are the ids of tasks laid out for this person, in order; empty where the next open task is handed out.
    """

    id: str
    token: str
    platform: str = ""
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
    of the page where workers of a platform come in (empty: no crowd).
    """

    key: str
    organizer: str
    crowd: str = ""
    assessors: tuple[Assessor, ...] = field(default=())

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
        }
        old = os.umask(0o077)
        try:
            write_bytes(path, json.dumps(values, ensure_ascii=False, indent=1).encode() + b"\n")
        finally:
            os.umask(old)

    @classmethod
    def read(cls, path: Path | str) -> AccessKeys:
        """Read `access.json`, or the one in a campaign's folder."""
        path = Path(path)
        if path.is_dir():
            path /= "access.json"
        with open_binary(path) as file:
            found = checked(cls, parse_json(file.read(), where=str(path)), where=str(path))
        found["assessors"] = tuple(Assessor.from_dict(one, where=str(path)) for one in found.get("assessors", ()))
        return cls(**found)


def new_token() -> str:
    """192 random bits, safe in an address."""
    return secrets.token_urlsafe(24)


def link(base: str, token: str) -> str:
    """The personal link of a token: `/t/TOKEN` on the server."""
    return f"{base.rstrip('/')}/t/{quote(token, safe='')}"


def platform_link(base: str, access: AccessKeys, platform: str) -> str:
    """The one link for all workers of a platform, with its place-holders for their ids.

    >>> platform_link("https://x.org", AccessKeys("k", "o", "c"), "prolific")
    'https://x.org/c/c?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}'
    """
    check_argument("platform", platform, choices=PLATFORMS)
    names = PLATFORMS[platform]
    query = "&".join(f"{names[part]}={names[f'{part}_value']}" for part in ("assessor", "study", "session"))
    return f"{base.rstrip('/')}/c/{quote(access.crowd, safe='')}?{query}"


def completion_code(access: AccessKeys, *, assessor: str, task: str) -> str:
    """The code that a finished assessor hands in: ten letters and digits, the same whenever it is asked for."""
    message = "\x1f".join((assessor, task)).encode()
    digest = hmac.new(access.key.encode(), message, hashlib.sha256).digest()
    alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return "".join(alphabet[byte % 32] for byte in digest[:10])
