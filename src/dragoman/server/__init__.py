"""The server: translation over HTTP, for programs, for clients of LibreTranslate, and as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.server.access import Access
    from dragoman.server.app import create_app
    from dragoman.server.limits import Limits
    from dragoman.server.served_models import ServedModels, ServingOptions
    from dragoman.server.service import Service

__all__ = ["Access", "Limits", "ServedModels", "Service", "ServingOptions", "create_app"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Access": "dragoman.server.access",
        "Limits": "dragoman.server.limits",
        "ServedModels": "dragoman.server.served_models",
        "Service": "dragoman.server.service",
        "ServingOptions": "dragoman.server.served_models",
        "create_app": "dragoman.server.app",
    },
)
