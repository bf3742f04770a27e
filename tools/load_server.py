"""Many clients at once: what a server of translations answers, and how soon.

    python tools/load_server.py http://127.0.0.1:5000 text.de --clients 50 --seconds 120

Each client sends a request, waits for its answer, and sends the next: single lines, lists of lines, completions and
explanations, in the proportion of `MIX`. Answers other than 200 are counted by status; 429 and 503 are how a server
says that it has enough to do, and any other is a failure. The figures are printed as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx

MIX = {"translate": 6, "many": 1, "complete": 2, "explain": 1}


def request(kind: str, lines: list[str], chance: random.Random) -> tuple[str, dict[str, Any]]:
    """An address and what is sent there."""
    line = chance.choice(lines)
    if kind == "many":
        return "/v1/translate", {"text": chance.sample(lines, min(10, len(lines)))}
    if kind == "complete":
        return "/v1/complete", {"text": line, "prefix": ""}
    return f"/v1/{kind}", {"text": line}


async def client(
    number: int, server: httpx.AsyncClient, lines: list[str], until: float, told: list[tuple[str, int, float]]
) -> None:
    """Ask until the time is over."""
    chance = random.Random(number)
    while time.monotonic() < until:
        kind = chance.choices(list(MIX), list(MIX.values()))[0]
        path, content = request(kind, lines, chance)
        started = time.monotonic()
        try:
            status = (await server.post(path, json=content)).status_code
        except httpx.HTTPError as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            status = 0
        told.append((kind, status, time.monotonic() - started))
        if status in (429, 503):
            await asyncio.sleep(0.5)


async def load(url: str, lines: list[str], *, clients: int, seconds: float) -> dict[str, Any]:
    """Load a server, and tell what it answered."""
    told: list[tuple[str, int, float]] = []
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=limits) as server:
        until = time.monotonic() + seconds
        await asyncio.gather(*(client(number, server, lines, until, told) for number in range(clients)))
    found: dict[str, Any] = {"clients": clients, "seconds": seconds, "requests": len(told)}
    found["statuses"] = dict(sorted(Counter(str(status) for _, status, _ in told).items()))
    found["failures"] = sum(status not in (200, 429, 503) for _, status, _ in told)
    for kind in MIX:
        times = [1000 * taken for own, status, taken in told if own == kind and status == 200]
        if len(times) > 1:
            cuts = statistics.quantiles(times, n=100)
            found[kind] = {"answers": len(times), "p50": cuts[49], "p90": cuts[89], "p99": cuts[98], "max": max(times)}
    return found


def main() -> None:
    """Load a server from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("url")
    parser.add_argument("text", type=Path)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=120.0)
    options = parser.parse_args()
    lines = [line for line in options.text.read_text("utf-8").splitlines() if line.strip()]
    found = asyncio.run(load(options.url, lines, clients=options.clients, seconds=options.seconds))
    print(json.dumps(found, indent=1))
    sys.exit(bool(found["failures"]))


if __name__ == "__main__":
    main()
