"""The server: assessors judge, the organiser watches and takes the results home.

Whoever opens a personal link (or comes from a crowd platform by the campaign's crowd link) gets a cookie that only this
server reads, and from then on sees one page: what comes next for them. Pages only read; everything that changes
something is a JSON message.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from dragoman.assessment.access_keys import PLATFORM_ID, PLATFORMS, AccessFile, new_token, ticket_number
from dragoman.assessment.campaign import Campaign, CampaignTask, ErrorSpan, Judgement
from dragoman.assessment.platform_tokens import PARAMETER
from dragoman.assessment.web.api_messages import Answer, Answers, Draft, Finish, Next, Refusal
from dragoman.assessment.web.assessor_page import assessor_state, may_begin, render_state
from dragoman.assessment.web.authentication import (
    KnownSeat,
    Served,
    ServedCampaign,
    WritingSeat,
    form_token,
    refusals,
    same_secret,
)
from dragoman.assessment.web.organizer_pages import organizer_routes
from dragoman.assessment.web.running import run_server
from dragoman.assessment.web.security_layer import SecurityLayer
from dragoman.assessment.web.store import Conflict, DatabaseAway, Store
from dragoman.errors import DragomanError, InputError, MissingDependency, UnknownName
from dragoman.version import __version__

try:
    from fastapi import APIRouter, FastAPI, Query, Request
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
    from fastapi.staticfiles import StaticFiles
    from starlette.exceptions import HTTPException as AnyHttpException
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

__all__ = ["create_app", "serve"]

_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"

routes = APIRouter()


def create_app(campaign: Campaign, access: AccessFile, store: Store) -> SecurityLayer:
    """The application that serves one campaign."""
    about = (
        "Messages of assessors need the cookie of a personal link and, in the header X-Form-Token, the token that "
        "/api/work tells; those of the organiser need the header Authorization: Bearer TOKEN."
    )
    app = FastAPI(title="dragoman assess", version=__version__, description=about, openapi_url=None)
    app.state.served = ServedCampaign(campaign, access, store)
    app.include_router(routes)
    app.include_router(organizer_routes)
    app.mount("/static", StaticFiles(packages=[("dragoman.assessment.web", "static")]), name="static")
    _handle_errors(app)
    # Around everything, the framework's own answers to our bugs included.
    return SecurityLayer(app)


def serve(
    campaign: Campaign,
    access: AccessFile,
    *,
    database: str,
    host: str = "127.0.0.1",
    port: int = 8000,
    proxies: str = "127.0.0.1",
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve a campaign until the process is told to stop.

    `port` 0 takes any free one; `ready` is called with the server's address when it listens. `proxies` are the
    addresses whose word about the visitor's address and HTTPS counts.
    """
    store = Store(database, campaign)
    try:
        run_server(create_app(campaign, access, store), host=host, port=port, proxies=proxies, ready=ready)
    finally:
        store.close()


# Coming in


@routes.get("/", include_in_schema=False)
def home(request: Request, served: Served) -> Response:
    """Where someone lands who types the address."""
    return served.message("closed") if served.seat(request) is None else RedirectResponse("/work", status_code=303)


@routes.get("/health", include_in_schema=False)
def health() -> dict[str, str]:
    """Whether the server is up, for whoever watches over it."""
    return {"status": "ok"}


@routes.get("/t/{token}", include_in_schema=False)
def personal(request: Request, served: Served, token: str) -> Response:
    """A personal link."""
    if served.seat_of(token) is None:
        return served.message("closed", status=404)
    return served.enter(request, cookie=served.cookie, token=token, path="/work")


@routes.get("/c/{token}", include_in_schema=False)
def crowd(request: Request, served: Served, token: str) -> Response:
    """The link by which all workers of a crowd platform come.

    The platform's worker id names the person; where the campaign has the platform's keys, its signature says so. Its
    session id, or a ticket, is what a seat is bound to; somebody who learnt another's worker id gets nothing by it
    (`Store.admit_worker`).
    """
    if not same_secret(token, served.access.crowd):
        return served.message("closed", status=404)
    worker, session = _visitor(request)
    if session == _PREVIEW:
        return served.message("preview")
    if served.signed is not None:
        worker, session = served.signed.visitor(request.query_params.get(PARAMETER, "")) or ("", "")
        if not worker:
            return served.message("closed", status=403)
    if "ticket" in request.query_params or served.entrance.tickets:
        number = ticket_number(served.access, request.query_params.get("ticket", ""))
        if number is None:
            return served.message("closed", status=404)
        worker, session = worker or f"ticket:{number}", f"ticket {number}"
    if not worker or not session:
        return served.message("closed", status=400)
    if worker in served.access.barred:
        return served.message("stopped", status=403)
    held = served.seat(request)
    if held is not None and (held.worker, held.session) == (worker, session):
        return RedirectResponse("/work", status_code=303)
    fresh, address = new_token(), request.client.host if request.client else ""
    found = served.store.admit_worker(
        worker=worker,
        session=session,
        token=fresh,
        held=held,
        signed=served.signed is not None,
        may_come=lambda: served.arrivals.admits(address),
    )
    if found == "full":
        return served.message("wait", status=429, headers={"Retry-After": "600"})
    if found == "busy" or found == "stranger":
        return served.message(found, status=403)
    return served.enter(request, cookie=served.cookie, token=fresh, path="/work")


def _visitor(request: Request) -> tuple[str, str]:
    """The worker and the session that a platform names in the address; empty where it names none that could be."""
    for platform, names in PLATFORMS.items():
        worker = request.query_params.get(names["assessor"], "")
        session = request.query_params.get(names["session"], "")
        if worker or session:
            named = f"{platform}:{worker}" if PLATFORM_ID.fullmatch(worker) else ""
            return named, session if PLATFORM_ID.fullmatch(session) else ""
    return "", ""


# An assessor's work


@routes.get("/work", include_in_schema=False)
def work_page(
    request: Request,
    served: Served,
    page: Annotated[int | None, Query(ge=0, le=10**6)] = None,
    overtaken: Annotated[bool, Query()] = False,
) -> Response:
    """What comes next."""
    seat = served.seat(request)
    if seat is None:
        return served.message("closed", status=401)
    shown = assessor_state(served.campaign, served.access, served.store, seat, page=page)
    token = form_token(request.cookies[served.cookie])
    return HTMLResponse(render_state(served.campaign, shown, form_token=token, overtaken=overtaken))


@routes.get("/api/work", responses={401: {"model": Refusal}})
def work_json(request: Request, served: Served, seat: KnownSeat) -> dict[str, Any]:
    """What comes next for the assessor of the cookie, and the token that messages must carry."""
    found = assessor_state(served.campaign, served.access, served.store, seat).to_dict(served.campaign)
    return {**found, "form_token": form_token(request.cookies[served.cookie])}


@routes.post("/api/consent", responses=refusals(401, 403))
def consent(served: Served, seat: WritingSeat) -> Next:
    """Agree to the conditions."""
    served.store.mark(seat, "consented")
    return Next(next="/work")


@routes.post("/api/begin", responses=refusals(401, 403, 409))
def begin(served: Served, seat: WritingSeat) -> Next:
    """Take a task, or go on with the open one."""
    if served.campaign.consent and not seat.consented:
        raise Conflict("the conditions come first", remedy="agree to them on the page")
    served.store.mark(seat, "instructed")
    if may_begin(served.campaign, served.store, seat):
        served.store.claim(seat)
    return Next(next="/work")


@routes.post("/api/judge", responses=refusals(401, 403, 404, 409))
def judge(served: Served, seat: WritingSeat, content: Answers) -> Next:
    """Judge the items of one page; when this answers, they are on disk."""
    task = served.campaign.task(content.task)
    page = _page_of(served.campaign, task, [one.item for one in content.answers])
    protocol = served.campaign.protocol_of(task)
    judgements = [_judgement(one, task=task.id, worker=seat.worker) for one in content.answers]
    for one in judgements:
        one.check(served.campaign.item(one.item), protocol)
    if served.campaign.gate and assessor_state(served.campaign, served.access, served.store, seat).stage == "stopped":
        raise Conflict("your work has ended", remedy="open your link again")
    served.store.save(seat, judgements, key=content.key)
    return Next(next=f"/work?page={page + 1}" if protocol.going_back else "/work")


@routes.post("/api/draft", status_code=204, responses=refusals(401, 403, 404, 409))
def draft(served: Served, seat: WritingSeat, content: Draft) -> None:
    """Keep an answer that is not finished; it counts for nothing."""
    task, _ = served.campaign.place(content.item)
    if task.id != content.task:
        raise UnknownName(f"no item {content.item!r} in this task")
    kept = content.model_dump(include={"score", "ranks", "spans", "not_applicable"}, exclude_unset=True)
    served.store.save_draft(seat, task=task.id, item=content.item, draft=kept)


@routes.post("/api/finish", responses=refusals(401, 403, 404, 409))
def finish(served: Served, seat: WritingSeat, content: Finish) -> Next:
    """Send a task in."""
    served.store.finish(seat, served.campaign.task(content.task).id, comment=content.comment.replace("\0", ""))
    return Next(next="/work")


def _page_of(campaign: Campaign, task: CampaignTask, items: list[str]) -> int:
    """The number of the page that consists of these items."""
    size = max(1, campaign.protocol_of(task).per_page)
    home, at = campaign.place(items[0])
    page = at // size
    if home.id != task.id or items != [item.id for item in task.items[page * size : (page + 1) * size]]:
        raise InputError("these items are not a page of this task", remedy="answer what is shown, all of it")
    return page


def _judgement(answer: Answer, *, task: str, worker: str) -> Judgement:
    now = datetime.now(UTC)
    spans = tuple(ErrorSpan(one.start, one.end, one.severity, one.category) for one in answer.spans)
    started = now - timedelta(milliseconds=answer.milliseconds)
    return Judgement(
        answer.item,
        task,
        worker,
        score=answer.score,
        ranks=tuple(answer.ranks),
        spans=spans,
        not_applicable=answer.not_applicable,
        comment=answer.comment,
        started=started.isoformat(timespec="milliseconds"),
        submitted=now.isoformat(timespec="milliseconds"),
        milliseconds=answer.milliseconds,
        moves=answer.moves,
    )


# Refusals


def _handle_errors(app: FastAPI) -> None:
    statuses: tuple[tuple[type[DragomanError], int], ...] = (
        (Conflict, 409),
        (DatabaseAway, 503),
        (UnknownName, 404),
        (InputError, 422),
    )

    def answer(what: str, remedy: str, status: int, **more: Any) -> Response:
        return JSONResponse(Refusal(error=what, remedy=remedy).model_dump(), status_code=status, **more)

    @app.exception_handler(DragomanError)
    def refuse(_: Request, error: DragomanError) -> Response:
        status = next((status for kind, status in statuses if isinstance(error, kind)), 500)
        return answer(error.what, error.remedy, status, headers={"Retry-After": "5"} if status == 503 else None)

    @app.exception_handler(RequestValidationError)
    def misread(_: Request, error: RequestValidationError) -> Response:
        # What was sent is not sent back: it may be long, and may be no text at all.
        first = error.errors()[0]
        return answer(f"{'.'.join(map(str, first.get('loc', ())))}: {first.get('msg', '')}", "", 422)

    @app.exception_handler(AnyHttpException)
    def miss(request: Request, error: AnyHttpException) -> Response:
        if request.url.path.startswith("/api/"):
            return answer(str(error.detail), "", error.status_code, headers=error.headers)
        served: ServedCampaign = request.app.state.served
        return served.message("closed", status=error.status_code)
