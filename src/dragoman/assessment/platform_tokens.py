"""Signed arrivals: what a crowd platform says of a worker, so that nobody else can say it.

A platform that signs (Prolific, with *secured* study addresses) adds a token to the address: a JSON Web Token, signed
with RS256, whose claims name worker, study and session. It counts if the platform's public key confirms it, if it has
not expired, if it was made by the platform for the address of this server, and for a study that is ours: anybody can
make a study that leads here. The parameters beside it, which anybody can write, are then not looked at.
"""

from __future__ import annotations

import logging
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from dragoman.assessment.access_keys import PLATFORM_ID, PLATFORMS
from dragoman.errors import DragomanError, FormatError, MissingDependency
from dragoman.files import open_binary
from dragoman.plain_data import parse_json

if TYPE_CHECKING:
    from jwt import PyJWK

    from dragoman.assessment.crowd_entrance import CrowdEntrance

__all__ = ["PARAMETER", "PlatformKeys", "SignedArrivals"]

PARAMETER = "prolific_token"
"""The parameter of the address that has the token."""

ISSUER = "https://www.prolific.com"
_OLD, _SOON, _SECONDS = 24 * 3600.0, 60.0, 10.0
"""Keys are fetched anew after a day, or for a key that is not among them, but then no sooner than after a minute."""


class PlatformKeys:
    """The public keys of a platform, from a file or an address (a JSON Web Key Set), fetched anew when they are old."""

    def __init__(self, source: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._source, self._clock = source, clock
        self._lock = threading.Lock()
        self._keys: dict[str, PyJWK] = {}
        self._fetched = self._tried = -_OLD

    def find(self, name: str) -> PyJWK | None:
        """The key of this name, if the platform has it."""
        with self._lock:
            now = self._clock()
            stale = now - self._fetched >= _OLD or name not in self._keys
            if stale and now - self._tried >= _SOON:
                self._tried = now
                try:
                    self._keys, self._fetched = self.fetch(), now
                except (DragomanError, OSError) as error:
                    logging.getLogger(__name__).warning("the platform's keys of before stay in force: %s", error)
            return self._keys.get(name)

    def fetch(self) -> dict[str, PyJWK]:
        """The keys as they are at their place now."""
        jwt = _library()
        if self._source.startswith("https://"):
            with urllib.request.urlopen(self._source, timeout=_SECONDS) as answer:
                raw = answer.read(2**20)
        else:
            with open_binary(self._source) as file:
                raw = file.read(2**20)
        listed = parse_json(raw, where=self._source)
        try:
            found = {str(each["kid"]): jwt.PyJWK(each, "RS256") for each in listed["keys"]}
        except (jwt.PyJWTError, KeyError, TypeError, ValueError) as error:
            raise FormatError(f"no set of public keys: {error}", where=self._source) from None
        if not found:
            raise FormatError("a set of no keys", where=self._source)
        return found


class SignedArrivals:
    """Who a platform says has come, by its signature."""

    def __init__(self, entrance: CrowdEntrance, *, keys: PlatformKeys | None = None) -> None:
        self._entrance = entrance
        self._keys = keys or PlatformKeys(entrance.keys)

    def visitor(self, token: str) -> tuple[str, str] | None:
        """Worker and session of a token; None if it is not one that the platform made for this campaign."""
        jwt = _library()
        try:
            name = jwt.get_unverified_header(token).get("kid", "")
            key = self._keys.find(name) if isinstance(name, str) else None
            if key is None:
                return None
            claims = jwt.decode(
                token,
                key,
                algorithms=["RS256"],
                issuer=ISSUER,
                options={"require": ["exp", "iss", "aud"], "verify_aud": False},  # an address, of which the host counts
            )
        except jwt.PyJWTError:
            return None
        return self._named(claims)

    def _named(self, claims: Mapping[str, Any]) -> tuple[str, str] | None:
        names, said = PLATFORMS["prolific"], claims.get("prolific")
        audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        if self._entrance.audience not in map(_host, audience) or not isinstance(said, dict):
            return None
        worker, session, study = (said.get(names[part]) for part in ("assessor", "session", "study"))
        if not all(isinstance(each, str) and PLATFORM_ID.fullmatch(each) for each in (worker, session)):
            return None
        if self._entrance.studies and study not in self._entrance.studies:
            return None
        return f"prolific:{worker}", str(session)


def _host(address: Any) -> str:
    """The host of an address, or of a host without the rest."""
    text = str(address)
    try:
        return (urlsplit(text if "//" in text else f"//{text}").hostname or "").lower()
    except ValueError:
        return ""


def _library() -> Any:
    try:
        import jwt
        from jwt.algorithms import has_crypto
    except ImportError as error:
        raise MissingDependency(f"signed arrivals need {error.name}", remedy="pip install 'dragoman[server]'") from None
    if not has_crypto:
        raise MissingDependency("signed arrivals need cryptography", remedy="pip install 'dragoman[server]'")
    return jwt
