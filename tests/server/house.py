"""A server of small models, and clients who talk to it over HTTP."""

from __future__ import annotations

import contextlib
import io
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from dragoman.server.access import Access
from dragoman.server.app import create_app
from dragoman.server.limits import Limits
from dragoman.server.served_models import ServedModels, ServingOptions
from dragoman.server.service import Service
from tests.web_server import running


@dataclass
class House:
    """A running server."""

    service: Service
    url: str
    log: io.StringIO
    client: httpx.Client

    def post(self, path: str, **content: Any) -> Any:
        answer = self.client.post(path, json=content)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def logged(self, **wanted: Any) -> list[dict[str, Any]]:
        """Lines of the log that say so; a line is written after its answer, so that the first is waited for."""
        for _ in range(50):
            lines = [json.loads(line) for line in self.log.getvalue().splitlines()]
            found = [line for line in lines if wanted.items() <= line.items()]
            if found:
                break
            time.sleep(0.1)
        return found


@contextlib.contextmanager
def open_house(
    models: Sequence[Path | str],
    *,
    keys: Sequence[str] = (),
    cors: Sequence[str] = (),
    log_text: bool = False,
    threads: int = 2,
    options: ServingOptions | None = None,
    **limits: Any,
) -> Iterator[House]:
    service = Service(ServedModels(models, options), Limits(**limits), threads=threads)
    log = io.StringIO()
    app = create_app(service, access=Access(keys), cors=cors, log=log, log_text=log_text)
    with running(app) as url, httpx.Client(base_url=url, timeout=60) as client:
        yield House(service, url, log, client)
