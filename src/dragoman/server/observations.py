"""What operators see: a line of JSON for each request, and numbers for Prometheus.

Neither has the text of anybody, nor a key or an address, unless the operator asked for the texts. Paths are those of
routes, so that what strangers type into addresses does not fill logs and memory.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import IO, Any

from dragoman.errors import MissingDependency

try:
    from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

__all__ = ["Notes", "Observations"]

_SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)


class Notes:
    """What a request is about; whoever learns it writes it here."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.route = ""
        self.client = ""
        self.model = ""
        self.texts: list[str] = []
        self.translations: list[str] = []

    def translated(self, model: str, texts: list[str], translations: list[str]) -> None:
        """Remember what was asked, and what came out."""
        self.model = model
        self.texts += texts
        self.translations += translations


class Observations:
    """Counts and logs requests; `log` is where lines go, None for nowhere."""

    def __init__(self, *, waiting: Callable[[], int], log: IO[str] | None = sys.stderr, log_text: bool = False) -> None:
        self._log, self._log_text = log, log_text
        self._writing = threading.Lock()
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "dragoman_requests", "Requests answered.", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "dragoman_request_seconds",
            "Seconds from a request's head to its answer.",
            ["route"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.texts = Counter("dragoman_texts", "Texts translated.", ["model"], registry=self.registry)
        self.characters = Counter("dragoman_characters", "Characters translated.", ["model"], registry=self.registry)
        Gauge("dragoman_waiting_texts", "Texts that wait for a decoder.", registry=self.registry).set_function(waiting)

    def exposition(self) -> bytes:
        """All numbers, as Prometheus reads them."""
        return bytes(generate_latest(self.registry))

    def answered(self, notes: Notes, *, method: str, status: int) -> None:
        """Count a request, and write its line."""
        seconds = time.perf_counter() - notes.started
        route = notes.route or "other"
        self.requests.labels(method, route, str(status)).inc()
        self.seconds.labels(route).observe(seconds)
        characters = sum(map(len, notes.texts))
        if notes.texts:
            self.texts.labels(notes.model).inc(len(notes.texts))
            self.characters.labels(notes.model).inc(characters)
        if self._log is None:
            return
        line: dict[str, Any] = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "method": method,
            "route": route,
            "status": status,
            "milliseconds": round(seconds * 1000, 1),
        }
        if notes.client:
            line["client"] = notes.client
        if notes.texts:
            line |= {"model": notes.model, "texts": len(notes.texts), "characters": characters}
            if self._log_text:
                line |= {"source": notes.texts, "target": notes.translations}
        with self._writing:
            self._log.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._log.flush()
