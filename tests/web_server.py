"""A web server in a thread, for the length of a test."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

import uvicorn


@contextlib.contextmanager
def running(app: Any, **settings: Any) -> Iterator[str]:
    """Serve an application; gives its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", access_log=False, **settings))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=60)
