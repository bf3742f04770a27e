"""The page: plain files of the package, which a browser asks for by names that change with their content."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from dragoman.errors import MissingDependency

try:
    from fastapi import APIRouter
    from fastapi.responses import HTMLResponse
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

__all__ = ["routes"]

routes = APIRouter()


@cache
def _file(name: str) -> str:
    folder = files("dragoman.server") / "static"
    digest = hashlib.sha256()
    for each in sorted(folder.iterdir(), key=lambda file: file.name):
        digest.update(each.read_bytes())
    return (folder / name).read_text("utf-8").replace("{version}", digest.hexdigest()[:12])


@routes.get("/", include_in_schema=False, response_class=HTMLResponse)
def page() -> str:
    """The translation page."""
    return _file("index.html")


@routes.get("/docs", include_in_schema=False, response_class=HTMLResponse)
def docs() -> str:
    """The description of the API, for people."""
    return _file("docs.html")
