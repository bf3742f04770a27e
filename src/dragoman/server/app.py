"""The application: all ways in, with who may come in, what is counted and logged, and how it refuses."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from dragoman.assessment.crowd_entrance import ArrivalLimit
from dragoman.assessment.web.running import run_server
from dragoman.assessment.web.security_layer import SecurityLayer
from dragoman.errors import (
    BundleError,
    DragomanError,
    EncodingError,
    FileError,
    FormatError,
    InputError,
    MissingDependency,
    SettingError,
    UnknownName,
)
from dragoman.pipeline.learned import NothingToUndo
from dragoman.server import libretranslate, page, rest
from dragoman.server.access import Access, BadKey, Client, Forbidden, NoKey
from dragoman.server.decoding_queue import Busy, Closing
from dragoman.server.kept_files import KeptFiles
from dragoman.server.limits import Limits
from dragoman.server.observations import Notes, Observations
from dragoman.server.served_models import ServedModels, ServingOptions
from dragoman.server.service import NoTimeLeft, Service, TooLarge
from dragoman.version import __version__

try:
    import python_multipart  # noqa: F401 - the parser of forms, which the framework asks for when the first one comes
    from fastapi import FastAPI, Request
    from fastapi.exceptions import RequestValidationError
    from fastapi.middleware.cors import CORSMiddleware
    from fastapi.responses import JSONResponse, Response
    from fastapi.staticfiles import StaticFiles
    from starlette.exceptions import HTTPException
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["TooOften", "create_app", "serve"]

KINDS = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
"""Media types of bodies."""

_STATUS: tuple[tuple[type[DragomanError], int], ...] = (
    (Busy, 503),
    (Closing, 503),
    (NoTimeLeft, 504),
    (NoKey, 401),
    (BadKey, 403),
    (Forbidden, 403),
    (TooLarge, 413),
    (UnknownName, 404),
    (NothingToUndo, 409),
    (EncodingError, 400),
    (BundleError, 500),
    (FileError, 500),
    (FormatError, 422),
    (InputError, 422),
    (SettingError, 422),
)
"""Of our own API; the first that fits."""


class TooOften(DragomanError):
    """More requests than a client may send."""


def create_app(
    service: Service,
    *,
    access: Access | None = None,
    cors: Sequence[str] = (),
    log: IO[str] | None = None,
    log_text: bool = False,
) -> ASGIApp:
    """The application that serves these models; `cors` are origins of other sites whose pages may ask, too."""

    files = KeptFiles()

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        yield
        service.close()
        files.close()

    app = FastAPI(
        title="dragoman",
        version=__version__,
        description="Translation with reasons, under /v1; what clients of LibreTranslate ask for is served beside it.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
    )
    app.state.service, app.state.access, app.state.files = service, access or Access(), files
    app.state.observations = Observations(waiting=lambda: service.queue.waiting, log=log, log_text=log_text)
    app.state.admit = _Door(app.state.access, service.limits.rate)
    app.include_router(rest.routes)
    app.include_router(libretranslate.routes)
    app.include_router(page.routes)
    app.mount("/static", StaticFiles(packages=[("dragoman.server", "static")]), name="static")
    _handle_errors(app)
    layered: Any = app
    if cors:
        layered = CORSMiddleware(
            layered,
            allow_origins=list(cors),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
            max_age=1_728_000,
        )
    guarded = SecurityLayer(
        layered,
        limit=service.limits.max_bytes,
        seconds=service.limits.arrival,
        kinds=KINDS,
        other_sites=bool(cors),
    )
    return _Observed(guarded, app.state.observations)


def serve(
    models: Sequence[Path | str],
    *,
    host: str = "127.0.0.1",
    port: int = 5000,
    limits: Limits | None = None,
    keys: Path | str | None = None,
    cors: Sequence[str] = (),
    proxies: str = "127.0.0.1",
    threads: int = 0,
    log_text: bool = False,
    options: ServingOptions | None = None,
    ready: Callable[[str, Service], None] = lambda address, service: None,
) -> None:
    """Serve models until the process is told to stop; requests that have begun are answered first.

    `port` 0 takes any free one; `ready` is called with the server's address when it listens.
    """
    access = Access.read(keys) if keys is not None else Access()
    service = Service(ServedModels(models, options), limits, threads=threads)
    try:
        app = create_app(service, access=access, cors=cors, log=sys.stderr, log_text=log_text)
        run_server(app, host=host, port=port, proxies=proxies, ready=lambda address: ready(address, service))
    finally:
        service.close()


class _Door:
    """Lets clients in: by key if keys are needed, and not too often."""

    def __init__(self, access: Access, rate: int) -> None:
        self._access, self._rate = access, rate
        self._arrivals = ArrivalLimit(rate, seconds=60)

    def __call__(self, request: Request, key: str) -> Client:
        address = request.client.host if request.client else ""
        client = self._access.client(key, address=address, host=request.headers.get("host", ""))
        request.scope["dragoman.notes"].client = client.name
        if not self._arrivals.admits(client.counted_as):
            raise TooOften(f"Slowdown: {self._rate} per 1 minute", remedy="send less often")
        return client


class _Observed:
    """Around everything: each request has its notes, and whatever becomes of it is counted and logged."""

    def __init__(self, app: ASGIApp, observations: Observations) -> None:
        self._app, self._observations = app, observations

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        notes = scope["dragoman.notes"] = Notes()
        status = 499  # the client has gone

        async def observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, observed)
        except BaseException:
            status = 500 if status == 499 else status
            raise
        finally:
            route = scope.get("route")
            notes.route = getattr(route, "path", "")
            self._observations.answered(notes, method=scope["method"], status=status)


def _handle_errors(app: FastAPI) -> None:
    def answer(request: Request, what: str, remedy: str, status: int, headers: Any = None) -> Response:
        body = {"error": what} if libretranslate.is_libretranslate(request.url.path) else _refusal(what, remedy)
        return JSONResponse(body, status_code=status, headers=headers)

    @app.exception_handler(DragomanError)
    async def refuse(request: Request, error: DragomanError) -> Response:
        status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
        if isinstance(error, TooOften):
            status = 429
        elif libretranslate.is_libretranslate(request.url.path) and status in (401, 404, 413, 422):
            status = 400  # LibreTranslate knows no others
        elif isinstance(error, libretranslate.BadRequest):
            status = 400
        waits = {"Retry-After": "60" if status == 429 else "2"} if status in (429, 503) else None
        return answer(request, error.what, error.remedy, status, waits)

    @app.exception_handler(RequestValidationError)
    async def misread(request: Request, error: RequestValidationError) -> Response:
        # What was sent is not sent back: it may be long, and may be no text at all.
        first = error.errors()[0]
        place = ".".join(map(str, first.get("loc", ())))
        malformed = first.get("type") == "json_invalid"
        return answer(request, f"{place}: {first.get('msg', '')}", "", 400 if malformed else 422)

    @app.exception_handler(HTTPException)
    async def miss(request: Request, error: HTTPException) -> Response:
        return answer(request, str(error.detail), "", error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def fail(request: Request, error: Exception) -> Response:
        return answer(request, "the server failed; its log says why", "", 500)


def _refusal(what: str, remedy: str) -> dict[str, str]:
    return {"error": what, "remedy": remedy}
