"""Authentication: who is at the other end of a request.

Whose work a request is about follows from its cookie alone; no message can name another assessor. A message that
changes something must also carry the token of the page that sends it.
"""

from __future__ import annotations

import hashlib
import hmac
import threading
from collections.abc import Mapping
from typing import Annotated, Any

from dragoman.assessment.access_keys import AccessFile, AccessKeys
from dragoman.assessment.campaign import Campaign
from dragoman.assessment.crowd_entrance import ArrivalLimit, CrowdEntrance
from dragoman.assessment.page_wording import texts
from dragoman.assessment.platform_tokens import SignedArrivals
from dragoman.assessment.web.api_messages import Refusal
from dragoman.assessment.web.assessor_page import render
from dragoman.assessment.web.store import Seat, Store, fingerprint
from dragoman.errors import MissingDependency

try:
    from fastapi import Depends, Header, HTTPException, Request
    from fastapi.responses import HTMLResponse, RedirectResponse, Response
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

__all__ = [
    "KnownSeat",
    "NeedsOrganizer",
    "NeedsOrganizerForm",
    "Served",
    "ServedCampaign",
    "WritingSeat",
    "form_token",
    "refusals",
    "same_secret",
]

_COOKIE_SECONDS = 180 * 24 * 3600


class ServedCampaign:
    """One campaign as it is served; links that are taken back or made anew while it is count from then on."""

    def __init__(self, campaign: Campaign, file: AccessFile, store: Store) -> None:
        self.campaign, self.store, self.file = campaign, store, file
        self.mark = fingerprint(campaign)[:12]
        self.entrance = CrowdEntrance.from_dict(campaign.crowd)
        self.arrivals = ArrivalLimit(self.entrance.per_address)
        self.signed = SignedArrivals(self.entrance) if self.entrance.keys else None
        self._lock = threading.Lock()
        self._known: AccessKeys | None = None
        self.look()

    def look(self) -> AccessKeys:
        """The keys as they are now; the store learns of every change before anybody is let in by it."""
        found = self.file.keys()
        if found is not self._known:
            with self._lock:
                if found is not self._known:
                    self.store.keep_links(found.tokens, barred=found.barred)
                    self._known = found
        return found

    @property
    def access(self) -> AccessKeys:
        return self.look()

    @property
    def cookie(self) -> str:
        """Cookies of several campaigns on one host must not meet: their names tell them apart."""
        return f"dragoman_{self.mark}"

    @property
    def organizer_cookie(self) -> str:
        return f"dragoman_organizer_{self.mark}"

    @property
    def say(self) -> dict[str, str]:
        """The texts of pages that belong to no task."""
        language = self.campaign.language or (self.campaign.tasks[0].target_language if self.campaign.tasks else "")
        found: dict[str, str] = texts(language)["page"]
        return found

    def seat(self, request: Request) -> Seat | None:
        return self.seat_of(request.cookies.get(self.cookie, ""))

    def seat_of(self, token: str) -> Seat | None:
        """Whose token it is, if it opens anything now."""
        self.look()
        return self.store.seat(token)

    def is_organizer(self, request: Request) -> bool:
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        token = bearer if scheme.lower() == "bearer" else request.cookies.get(self.organizer_cookie, "")
        return same_secret(token, self.access.organizer)

    def message(self, name: str, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
        """A page that says one thing."""
        campaign = self.campaign
        page = render(
            "message.html",
            language=campaign.language,
            title=campaign.name,
            text=self.say[name],
            contact=campaign.contact,
        )
        return HTMLResponse(page, status_code=status, headers=headers)

    def enter(self, request: Request, *, cookie: str, token: str, path: str) -> Response:
        """Give the browser its cookie and send it on."""
        response = RedirectResponse(path, status_code=303)
        response.set_cookie(
            cookie,
            token,
            max_age=_COOKIE_SECONDS,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
            path="/",
        )
        return response


def same_secret(given: str, secret: str) -> bool:
    """Compare without telling by the time it takes; an empty secret is nobody's."""
    return bool(secret) and hmac.compare_digest(given.encode(), secret.encode())


def form_token(session: str) -> str:
    """What a page must send along with the cookie it was made for.

    Another site can make a browser send the cookie but cannot read it, so it cannot know this; and a page that was left
    open while someone else logged in on the same browser cannot save under the newcomer's name.
    """
    return hmac.new(session.encode(), b"form token", hashlib.sha256).hexdigest()


def refusals(*codes: int) -> dict[int | str, dict[str, Any]]:
    """How a route that takes messages can refuse them, for its description."""
    return {code: {"model": Refusal} for code in (400, *codes, 408, 413, 415, 422)}


def _served(request: Request) -> ServedCampaign:
    found: ServedCampaign = request.app.state.served
    return found


Served = Annotated[ServedCampaign, Depends(_served)]
FormToken = Annotated[str, Header(include_in_schema=False)]


def _seated(request: Request, served: Served) -> Seat:
    seat = served.seat(request)
    if seat is None:
        raise HTTPException(401, "no assessor: open your personal link")
    return seat


KnownSeat = Annotated[Seat, Depends(_seated)]


def _writing(request: Request, served: Served, seat: KnownSeat, x_form_token: FormToken = "") -> Seat:
    _check_form(request, served.cookie, x_form_token)
    return seat


WritingSeat = Annotated[Seat, Depends(_writing)]


def _watching(request: Request, served: Served) -> None:
    if not served.is_organizer(request):
        raise HTTPException(401, "not the organiser")


NeedsOrganizer: Any = Depends(_watching)


def _organizing(request: Request, served: Served, x_form_token: FormToken = "") -> None:
    _watching(request, served)
    if "authorization" not in request.headers:
        _check_form(request, served.organizer_cookie, x_form_token)


NeedsOrganizerForm: Any = Depends(_organizing)


def _check_form(request: Request, cookie: str, given: str) -> None:
    """Refuse a message that does not come from a page of ours, made for this cookie."""
    if not same_secret(given, form_token(request.cookies.get(cookie, ""))):
        raise HTTPException(403, "this page is not yours any more: open your link again")
