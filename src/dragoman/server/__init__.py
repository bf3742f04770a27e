"""The server: translation over HTTP, for programs, for clients of LibreTranslate, and as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.server.app import create_app
    from dragoman.server.service import Service

__all__ = ["Service", "create_app"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Service": "dragoman.server.service",
        "create_app": "dragoman.server.app",
    },
)
