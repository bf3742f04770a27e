"""The organiser's pages: how far the campaign is, its links, its results at any time, and their analysis."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from dragoman.assessment.access_keys import PLATFORMS, link, platform_link
from dragoman.assessment.campaign_folder import change_links
from dragoman.assessment.web.api_messages import LinkOf, Next, Refusal, Release
from dragoman.assessment.web.assessor_page import render
from dragoman.assessment.web.authentication import (
    NeedsOrganizer,
    NeedsOrganizerForm,
    Served,
    ServedCampaign,
    form_token,
    refusals,
    same_secret,
)
from dragoman.errors import MissingDependency

try:
    from fastapi import APIRouter, Request
    from fastapi.responses import HTMLResponse, Response
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

__all__ = ["organizer_routes", "status"]

organizer_routes = APIRouter()


@organizer_routes.get("/o/{token}", include_in_schema=False)
def enter(request: Request, served: Served, token: str) -> Response:
    """The organiser's link."""
    if not same_secret(token, served.access.organizer):
        return served.message("closed", status=404)
    return served.enter(request, cookie=served.organizer_cookie, token=token, path="/organizer")


@organizer_routes.get("/organizer", include_in_schema=False)
def page(request: Request, served: Served) -> Response:
    """The overview."""
    if not served.is_organizer(request):
        return served.message("closed", status=401)
    base, access = str(request.base_url), served.access
    return HTMLResponse(
        render(
            "organizer.html",
            title=served.campaign.name,
            form_token=form_token(request.cookies.get(served.organizer_cookie, "")),
            status=status(served),
            links=[(one.id, link(base, one.token) if one.token else "") for one in access.assessors],
            barred=access.barred,
            crowd=[(name, platform_link(base, access, name)) for name in PLATFORMS] if access.crowd else [],
            hours=served.campaign.hours,
        )
    )


@organizer_routes.get("/organizer/analysis", include_in_schema=False)
def analysis(request: Request, served: Served) -> Response:
    """What the judgements say so far: systems, and assessors with the reasons to keep or reject them."""
    if not served.is_organizer(request):
        return served.message("closed", status=401)
    from dragoman.assessment.analysis.campaign_analysis import analyse
    from dragoman.assessment.analysis.report import analysis_document
    from dragoman.assessment.ratings import join

    campaign = served.campaign
    scales = {name: protocol.scale for name, protocol in campaign.protocols.items() if protocol.scale}
    found = analyse(join(campaign, served.store.judgements()), scales=scales)
    return HTMLResponse(
        render(
            "analysis.html",
            title=campaign.name,
            document=analysis_document(found, name=f"{campaign.name}: analysis"),
        )
    )


@organizer_routes.get("/api/status", responses={401: {"model": Refusal}}, dependencies=[NeedsOrganizer])
def status_json(served: Served) -> dict[str, Any]:
    """How far the campaign is, place by place."""
    return status(served)


@organizer_routes.get("/results.csv", include_in_schema=False, dependencies=[NeedsOrganizer])
def results(served: Served) -> Response:
    """Scores so far, joined with what was judged: the file that analysis reads."""
    from dragoman.assessment.ratings import join, lines_of

    rows = lines_of(join(served.campaign, served.store.judgements()).ratings, "csv")
    return _file("".join(rows), "results.csv", "text/csv")


@organizer_routes.get("/judgements.jsonl", include_in_schema=False, dependencies=[NeedsOrganizer])
def judgements(served: Served) -> Response:
    """Every judgement so far as it was given, of whatever protocol."""
    return _file(_json_lines(one.to_dict() for one in served.store.judgements()), "judgements.jsonl")


@organizer_routes.get("/events.jsonl", include_in_schema=False, dependencies=[NeedsOrganizer])
def events(served: Served) -> Response:
    """What happened so far."""
    return _file(_json_lines(served.store.events()), "events.jsonl")


@organizer_routes.post("/api/release", responses=refusals(401, 403), dependencies=[NeedsOrganizerForm])
def release(served: Served, content: Release) -> Next:
    """Free the places whose assessors are silent."""
    served.store.release(silent=timedelta(hours=content.hours))
    return Next(next="/organizer")


@organizer_routes.post("/api/revoke", responses=refusals(401, 403, 404), dependencies=[NeedsOrganizerForm])
def revoke(served: Served, content: LinkOf) -> Next:
    """Take an assessor's link back, or shut a worker of a platform out; what they judged stays."""
    change_links(served.file, lambda access: access.revoked(content.assessor))
    served.look()
    return Next(next="/organizer")


@organizer_routes.post("/api/reissue", responses=refusals(401, 403, 404), dependencies=[NeedsOrganizerForm])
def reissue(served: Served, content: LinkOf) -> Next:
    """Make a new link for an assessor, in place of the old one, or let a worker of a platform in again."""
    change_links(served.file, lambda access: access.reissued(content.assessor))
    served.look()
    return Next(next="/organizer")


@organizer_routes.get("/openapi.json", include_in_schema=False, dependencies=[NeedsOrganizer])
def description(request: Request) -> dict[str, Any]:
    """The description of the API, for programs; assessors' pages need none, and strangers get none."""
    found: dict[str, Any] = request.app.openapi()
    return found


def _json_lines(values: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def _file(content: str, name: str, kind: str = "application/x-ndjson") -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=f"{kind}; charset=utf-8", headers=headers)


def status(served: ServedCampaign) -> dict[str, Any]:
    """How far a campaign is."""
    places = served.store.places()
    rows = []
    for place in places:
        task = served.campaign.task(place.task)
        times = {"assigned": place.assigned, "active": place.active, "finished": place.finished}
        rows.append(
            {
                "task": task.id,
                "number": task.number,
                "copy": place.copy,
                "protocol": task.protocol,
                "pair": task.pair,
                "items": len(task.items),
                "state": place.state,
                "worker": place.worker,
                "judged": place.judged,
                "comment": place.comment,
                **{name: at and at.isoformat(timespec="seconds") for name, at in times.items()},
            }
        )
    states = [place.state for place in places]
    return {
        "campaign": served.campaign.name,
        "places": {name: states.count(name) for name in ("free", "open", "done")},
        "judgements": served.store.count(),
        "tasks": rows,
    }
