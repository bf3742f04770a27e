"""Running a server: one process that listens, says where, and stops when it is told to."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from dragoman.assessment.web.connections import connections
from dragoman.errors import MissingDependency, SettingError

try:
    import uvicorn
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = ["run_server"]


def run_server(app: ASGIApp, *, host: str, port: int, proxies: str, ready: Callable[[str], None]) -> None:
    """Serve an application until the process is told to stop; requests that have begun are answered first.

    `port` 0 takes any free one; `ready` is called with the server's address when it listens. `proxies` are the
    addresses whose word about the visitor's address and HTTPS counts.
    """
    settings = uvicorn.Config(
        app,
        http=connections(trusted=proxies),
        ws="none",
        log_level="warning",
        access_log=False,
        proxy_headers=True,
        forwarded_allow_ips=proxies,
        server_header=False,
        limit_concurrency=2000,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=10,
    )
    with _listening(host, port) as listener:
        ready(f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}")
        uvicorn.Server(settings).run(sockets=[listener])


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SettingError(
            f"cannot listen at {host}, port {port}: {reason}", remedy="choose another with --port or --host"
        ) from None
