"""Two hundred assessors at once, with the servers killed in the middle: not one judgement may be lost."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dragoman.assessment.access_keys import AccessKeys
from dragoman.assessment.campaign import Campaign
from dragoman.assessment.campaign_folder import create_campaign_folder
from dragoman.assessment.web.store import Store, database_url
from tests.assessment.web.house import make_campaign
from tests.assessment.web.postgresql import PORTS, Cluster

ITEMS = 3


class Server:
    """The real command, as a process of its own."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder, self.database, self.port = folder, database, 0
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "dragoman", "assess", "serve", str(self.folder), "--port", str(self.port)]
        self.process = subprocess.Popen([*command, "--database", self.database], stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if found := re.search(r"serving .* at http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                return
        raise AssertionError("the server did not start")

    def stop(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        code = self.process.wait(timeout=60)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code


class Line:
    """One browser's connection: HTTP/1.1 with as little as it takes, so that the load is the server's."""

    def __init__(self, port: int) -> None:
        self.port, self.cookie, self.token = port, "", ""
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str, content: Any = None) -> tuple[int, Any]:
        """Ask until there is an answer: a server that is away is asked again, as the page does."""
        while True:
            try:
                answer = await self._ask(path, content)
                if answer[0] != 503:
                    return answer
                await asyncio.sleep(0.1)
            except (OSError, asyncio.IncompleteReadError, IndexError):
                await self.close()
                await asyncio.sleep(0.1)

    async def _ask(self, path: str, content: Any) -> tuple[int, Any]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        body = b"" if content is None else json.dumps(content).encode()
        head = f"{'GET' if content is None else 'POST'} {path} HTTP/1.1\r\nHost: x\r\nCookie: {self.cookie}\r\n"
        if content is not None:
            head += f"Content-Type: application/json\r\nX-Form-Token: {self.token}\r\nContent-Length: {len(body)}\r\n"
        writer.write(head.encode() + b"\r\n" + body)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        if "set-cookie" in headers:
            self.cookie = headers["set-cookie"].partition(";")[0]
        found = await reader.readexactly(int(headers.get("content-length", 0)))
        is_json = headers.get("content-type", "").startswith("application/json")
        return int(lines[0].split()[1]), json.loads(found) if is_json else None

    async def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


async def assess(number: int, port: int, access: AccessKeys, acknowledged: dict[tuple[str, str], int]) -> None:
    line = Line(port)
    status, _ = await line.ask(f"/c/{access.crowd}?PROLIFIC_PID=p{number}&STUDY_ID=s&SESSION_ID=x{number}")
    assert status == 303
    status, work = await line.ask("/api/work")
    line.token = work["form_token"]
    assert (await line.ask("/api/begin", {}))[0] == 200
    for at in range(ITEMS):
        status, work = await line.ask("/api/work")
        assert (status, work["stage"], work["judged"]) == (200, "judge", at)
        (item,) = work["items"]
        score = (number * 7 + at) % 101
        answer = {"item": item["id"], "score": score, "milliseconds": 1000, "moves": 1}
        content = {"task": work["task"], "key": f"key-{number}-{at:05}", "answers": [answer]}
        assert (await line.ask("/api/judge", content))[0] == 200
        acknowledged[f"prolific:p{number}", item["id"]] = score
    assert (await line.ask("/api/finish", {"task": work["task"]}))[0] == 200
    await line.close()


async def everybody(
    server: Server, campaign: Campaign, folder: Path, cluster: Cluster | None
) -> dict[tuple[str, str], int]:
    acknowledged: dict[tuple[str, str], int] = {}
    access, whole = AccessKeys.read(folder), len(campaign.tasks) * ITEMS
    people = [asyncio.ensure_future(assess(at, server.port, access, acknowledged)) for at in range(len(campaign.tasks))]

    async def until(count: int) -> None:
        while len(acknowledged) < count:
            await asyncio.sleep(0.01)
            for one in people:
                if one.done():
                    one.result()

    await until(whole // 3)
    server.stop(signal.SIGKILL)
    before = dict(acknowledged)
    assert 0 < len(before) < whole
    store = Store(server.database, campaign)
    kept = {(one.assessor, one.item): one.score for one in store.judgements()}
    store.close()
    lost = [key for key, score in before.items() if kept.get(key) != score]
    assert not lost, f"{len(lost)} of {len(before)} acknowledged judgements were lost"
    server.start()
    if cluster is not None:
        await until(whole * 2 // 3)
        cluster.kill()
        await asyncio.sleep(0.3)
        await asyncio.to_thread(cluster.start, PORTS[1])
    await asyncio.gather(*people)
    return acknowledged


@pytest.mark.parametrize(("database", "assessors"), [("sqlite", 200), ("postgresql", 40)])
def test_no_judgement_is_lost_though_servers_are_killed(
    database: str, assessors: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The server is killed; with PostgreSQL, the database too, which comes back at another address."""
    folder = tmp_path / "campaign"
    campaign = make_campaign(items=ITEMS, tasks=assessors, crowd={"per_address": 0, "waiting": 0})
    create_campaign_folder(campaign, folder, server="http://localhost")
    cluster = request.getfixturevalue("postgresql") if database == "postgresql" else None
    if cluster is not None:
        cluster.empty()
    server = Server(folder, database_url(folder) if cluster is None else cluster.url)
    try:
        acknowledged = asyncio.run(everybody(server, campaign, folder, cluster))
    finally:
        if server.process.poll() is None:
            code = server.stop(signal.SIGTERM)
    assert code in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
    store = Store(server.database, campaign)
    stored = {(one.assessor, one.item): one.score for one in store.judgements()}
    places = store.places()
    store.close()
    assert len(acknowledged) == assessors * ITEMS
    assert stored == acknowledged
    assert {place.state for place in places} == {"done"}
    assert len({place.worker for place in places}) == assessors
