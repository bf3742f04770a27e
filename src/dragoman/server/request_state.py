"""What every route knows of a request: the service behind it, who asks, and what is noted about it."""

from __future__ import annotations

from dragoman.errors import MissingDependency
from dragoman.server.access import Client
from dragoman.server.kept_files import KeptFiles
from dragoman.server.observations import Notes
from dragoman.server.service import Service

try:
    from fastapi import Request
    from fastapi.responses import PlainTextResponse
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

__all__ = ["admitted", "bearer", "kept_files", "notes", "numbers", "service"]


def service(request: Request) -> Service:
    """The service behind a request."""
    found: Service = request.app.state.service
    return found


def notes(request: Request) -> Notes:
    """What is noted about a request."""
    found: Notes = request.scope["dragoman.notes"]
    return found


def kept_files(request: Request) -> KeptFiles:
    """Files that wait to be fetched."""
    found: KeptFiles = request.app.state.files
    return found


def admitted(request: Request, key: str) -> Client:
    """Who asks, by a key, if they may come in."""
    found: Client = request.app.state.admit(request, key)
    return found


def bearer(request: Request) -> Client:
    """The same by the header `Authorization: Bearer KEY`."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return admitted(request, key.strip() if scheme.lower() == "bearer" else "")


def numbers(request: Request) -> PlainTextResponse:
    """All that was counted, for Prometheus."""
    text = request.app.state.observations.exposition()
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")
