"""A campaign made for tests, its server, and assessors who talk to it as browsers do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from dragoman.assessment.access_keys import AccessFile, AccessKeys
from dragoman.assessment.campaign import Campaign, CampaignTask, Item
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.web.server import create_app
from dragoman.assessment.web.store import Store
from tests.web_server import running

SECRET = "SecretSystem"
"""The name of the system in test campaigns; no page may ever hold it."""


def make_items(count: int, *, prefix: str = "i", **fields: Any) -> tuple[Item, ...]:
    common: dict[str, Any] = {
        "systems": (SECRET,),
        "source_language": "cs",
        "target_language": "en",
        "testset": "SecretSet",
    }
    return tuple(
        Item(
            f"{prefix}{at}",
            **{
                "candidates": (f"candidate number {at}",),
                "reference": f"reference number {at}",
                "source": f"zdroj číslo {at}",
                "segment": at,
                **common,
                **fields,
            },
        )
        for at in range(count)
    )


def make_campaign(
    *,
    items: int = 4,
    tasks: int = 2,
    copies: int = 1,
    protocol: str = "adequacy",
    item: dict[str, Any] | None = None,
    change: dict[str, Any] | None = None,
    **settings: Any,
) -> Campaign:
    made = tuple(
        CampaignTask(f"task{at}", at + 1, protocol, make_items(items, prefix=f"t{at}i", **(item or {})), copies=copies)
        for at in range(tasks)
    )
    return Campaign("test", made, {protocol: get_protocol(protocol, **(change or {}))}, **settings)


@dataclass
class House:
    """A running server."""

    campaign: Campaign
    file: AccessFile
    store: Store
    url: str
    clients: contextlib.ExitStack

    @property
    def access(self) -> AccessKeys:
        return self.file.keys()

    def client(self) -> httpx.Client:
        made = httpx.Client(base_url=self.url, follow_redirects=True, timeout=60)
        return self.clients.enter_context(made)

    def assessor(self, at: int = 0) -> Assessor:
        """The assessor of the `at`-th personal link, just come in."""
        client = self.client()
        client.get(f"/t/{self.access.assessors[at].token}").raise_for_status()
        return Assessor(client)

    def link(self, at: int = 0) -> str:
        return f"{self.url}/t/{self.access.assessors[at].token}"


class Assessor:
    """Someone at a browser, without the browser."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.keys = 0

    def work(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get("/api/work").raise_for_status().json()
        return found

    def post(self, path: str, content: Any = None) -> httpx.Response:
        headers = {"X-Form-Token": self.work()["form_token"]}
        return self.client.post(path, json={} if content is None else content, headers=headers)

    def begin(self) -> Assessor:
        if self.work()["stage"] == "consent":
            self.post("/api/consent").raise_for_status()
        self.post("/api/begin").raise_for_status()
        return self

    def judge(self, *scores: float, key: str = "") -> httpx.Response:
        """Judge the page that is shown, with a score for each of its items."""
        work = self.work()
        self.keys += 1
        answers = [{"item": item["id"], "score": score} for item, score in zip(work["items"], scores, strict=True)]
        return self.post("/api/judge", {"task": work["task"], "key": key or f"key-{self.keys:05}", "answers": answers})


@contextlib.contextmanager
def open_house(
    campaign: Campaign,
    folder: Path,
    *,
    names: Sequence[str] = ("anna", "bob", "cyd"),
    access: AccessKeys | None = None,
    database: str = "",
    **server_settings: Any,
) -> Iterator[House]:
    (access or AccessKeys.fresh(names)).write(folder / "access.json")
    file = AccessFile(folder / "access.json")
    store = Store(database or f"sqlite:///{folder}/judgements.sqlite", campaign)
    try:
        with (
            running(create_app(campaign, file, store), **server_settings) as address,
            contextlib.ExitStack() as clients,
        ):
            yield House(campaign, file, store, address, clients)
    finally:
        store.close()
