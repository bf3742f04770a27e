"""The server over HTTP: who may do what, and that nothing secret or foreign gets through."""

from __future__ import annotations

import asyncio
import json
import math
import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from dragoman.assessment.access_keys import AccessKeys
from dragoman.assessment.web.security_layer import BODY_LIMIT, HEADERS, SecurityLayer
from tests.assessment.web.house import SECRET, Assessor, House, make_campaign, open_house

Serve = Callable[..., House]


def test_a_task_from_the_link_to_the_code(serve: Serve) -> None:
    house = serve(items=2, tasks=1, consent="We keep your answers.")
    anna = house.assessor()
    assert anna.work()["stage"] == "consent"
    assert anna.post("/api/begin").status_code == 409
    anna.post("/api/consent")
    assert anna.work()["stage"] == "begin"
    anna.post("/api/begin")
    for score in (20, 90):
        anna.judge(score).raise_for_status()
    assert anna.work()["stage"] == "finish"
    anna.post("/api/finish", {"task": "task0", "comment": "done"}).raise_for_status()
    work = anna.work()
    assert (work["stage"], work["another"], len(work["code"])) == ("done", False, 10)
    first, second = house.store.judgements()
    assert (first.assessor, first.score, second.score) == ("anna", 20, 90)
    assert first.started <= first.submitted <= second.submitted


def test_another_task_for_those_who_want_one(serve: Serve) -> None:
    house = serve(items=1, tasks=2)
    anna = house.assessor().begin()
    anna.judge(50)
    anna.post("/api/finish", {"task": "task0"})
    assert anna.work()["another"] is True
    assert "Do another task" in anna.client.get("/work").text
    assert anna.begin().work()["task"] == "task1"


def test_links_cannot_be_guessed() -> None:
    """Tokens of at least 128 bits: long, of many letters, all different, and no letter more likely than another."""
    access = AccessKeys.fresh([f"a{at}" for at in range(300)])
    tokens = [one.token for one in access.assessors] + [access.organizer, access.crowd, access.key]
    assert len(set(tokens)) == 303
    letters = Counter("".join(tokens))
    total = sum(letters.values())
    entropy = -sum(count / total * math.log2(count / total) for count in letters.values())
    assert entropy * min(map(len, tokens)) >= 128


def test_a_stranger_sees_nothing(house: House) -> None:
    paths = ("/work", "/organizer", "/api/work", "/api/status", "/results.csv", "/judgements.jsonl", "/events.jsonl")
    for cookies in ({}, {"dragoman_x": "x"}, {f"dragoman_{'0' * 12}": house.access.assessors[0].token}):
        client = house.client()
        client.cookies.update(cookies)
        for path in paths:
            answer = client.get(path)
            assert answer.status_code == 401
            assert SECRET not in answer.text


def test_a_wrong_token_opens_nothing(house: House) -> None:
    right, client = house.access.assessors[0].token, house.client()
    for token in ("", "x", right[:-1], right + "x", "%00", "..%2f..%2fetc%2fpasswd", "'; DROP TABLE seats; --", "ü"):
        for path in ("/t/{}", "/c/{}?PROLIFIC_PID=x&SESSION_ID=y", "/o/{}", "/nothing/{}"):
            assert client.get(path.format(token)).status_code == 404
            assert not client.cookies
    assert client.get(f"/o/{right}").status_code == 404


def test_an_assessor_cannot_touch_anothers_work(house: House) -> None:
    anna, bob = house.assessor(0).begin(), house.assessor(1).begin()
    anna.judge(10)
    hers, his = anna.work(), bob.work()
    assert hers["task"] != his["task"]
    theft = {"task": hers["task"], "key": "stolen-key", "answers": [{"item": hers["items"][0]["id"], "score": 1}]}
    assert bob.post("/api/judge", theft).status_code == 409
    mixed = {**theft, "task": his["task"]}
    assert bob.post("/api/judge", mixed).status_code == 422
    assert bob.post("/api/draft", {"task": hers["task"], "item": hers["items"][0]["id"]}).status_code == 409
    assert bob.post("/api/finish", {"task": hers["task"]}).status_code == 409
    named = {**theft, "assessor": "anna", "worker": "anna", "seat": 1}
    assert bob.post("/api/judge", named).status_code == 422
    assert [(one.assessor, one.score) for one in house.store.judgements()] == [("anna", 10)]
    assert anna.work() == hers
    for path in ("/api/status", "/results.csv", "/organizer"):
        assert bob.client.get(path).status_code == 401


def test_assessors_of_one_browser_are_not_mixed_up(house: House) -> None:
    """A page that was left open cannot save under the name of the next person at the machine."""
    anna = house.assessor(0).begin()
    work = anna.work()
    anna.client.get(f"/t/{house.access.assessors[1].token}")  # bob sits down
    content = {"task": work["task"], "key": "left-open", "answers": [{"item": work["items"][0]["id"], "score": 1}]}
    answer = anna.client.post("/api/judge", json=content, headers={"X-Form-Token": work["form_token"]})
    assert answer.status_code == 403
    assert "open your link again" in answer.json()["error"]
    assert list(house.store.judgements()) == []


def test_other_sites_cannot_send_messages(house: House) -> None:
    anna = house.assessor().begin()
    work = anna.work()
    content = {"task": work["task"], "key": "from-afar", "answers": [{"item": work["items"][0]["id"], "score": 1}]}
    token = {"X-Form-Token": work["form_token"]}
    refused = [
        anna.client.post("/api/judge", json=content),
        anna.client.post("/api/judge", json=content, headers={"X-Form-Token": "0" * 64}),
        anna.client.post("/api/judge", json=content, headers={**token, "Sec-Fetch-Site": "cross-site"}),
        anna.client.post("/api/judge", data={"task": work["task"]}, headers=token),
        anna.client.post("/api/judge", content=b"{}", headers={**token, "Content-Type": "text/plain"}),
        anna.client.get("/api/judge", params=content, headers=token),
    ]
    assert [answer.status_code for answer in refused] == [403, 403, 403, 415, 415, 405]
    preflight = anna.client.options("/api/judge", headers={"Origin": "https://evil.invalid"})
    assert not [name for name in preflight.headers if name.startswith("access-control")]
    assert list(house.store.judgements()) == []


def test_cookies_are_for_this_server_only(serve: Serve) -> None:
    house = serve()
    with httpx.Client(base_url=house.url) as client:
        plain = client.get(f"/t/{house.access.assessors[0].token}").headers["set-cookie"]
        proxied = client.get(
            f"/t/{house.access.assessors[0].token}",
            headers={"X-Forwarded-Proto": "https", "X-Forwarded-For": "1.2.3.4"},
        ).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(plain.split("; "))
    assert "Secure" not in plain.split("; ")
    assert "Secure" in proxied.split("; ")


def test_what_goes_wrong_inside_says_nothing_and_forbids_as_much(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("SecretReason")

    anna = house.assessor()
    monkeypatch.setattr("dragoman.assessment.web.server.assessor_state", broken)
    for path in ("/work", "/api/work"):
        answer = anna.client.get(path, headers={"Connection": "close"})
        assert answer.status_code == 500
        assert "SecretReason" not in answer.text
        missing = {name.lower() for name in HEADERS} - set(answer.headers)
        assert not missing
        assert answer.headers["cache-control"] == "no-store"


def test_the_description_of_the_api_is_the_organisers(house: House) -> None:
    assert house.client().get("/openapi.json").status_code == 401
    assert house.assessor().client.get("/openapi.json").status_code == 401
    bearer = {"Authorization": f"Bearer {house.access.organizer}"}
    described = house.client().get("/openapi.json", headers=bearer).json()
    assert "/api/judge" in described["paths"]
    for path in ("/docs", "/redoc"):
        assert house.client().get(path, headers=bearer).status_code == 404


def test_every_answer_forbids_what_it_does_not_need(house: House) -> None:
    anna = house.assessor().begin()
    for path in (
        "/",
        "/work",
        "/api/work",
        "/static/assess.js",
        "/static/assess.css",
        "/nothing",
        "/t/x",
        "/openapi.json",
    ):
        headers = anna.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert ("no-store" in headers["cache-control"]) == (not path.startswith("/static/"))


def test_pages_load_nothing_from_elsewhere(house: House) -> None:
    anna = house.assessor().begin()
    for path in ("/work", "/static/assess.js", "/static/assess.css"):
        assert not re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]+", anna.client.get(path).text)
    page = anna.client.get("/work").text
    assert not re.findall(r"<script(?![^>]*src=)|\son[a-z]+=|<style|style=", page)


@pytest.mark.parametrize("protocol", ["adequacy", "fluency", "esa", "ranking"])
def test_nothing_tells_kind_or_system(serve: Serve, protocol: str) -> None:
    several = {"systems": (SECRET, "OtherSystem"), "candidates": ("one", "two")}
    secrets = {
        "kind": "degraded", "partner": "SecretPartner", "reason": "SecretReason", "expected": 3.25, "segment": 987654,
        "document": "SecretDocument", "accepted": (3.25,),
    }  # fmt: skip
    house = serve(protocol=protocol, item=secrets | (several if protocol == "ranking" else {}))
    anna = house.assessor().begin()
    for path in ("/work", "/api/work"):
        seen = anna.client.get(path).text
        words = ("Secret", "OtherSystem", "degraded", "987654", "3.25", "partner", "testset", "system")
        assert not [word for word in words if word in seen]
        if protocol == "fluency":
            assert "reference number" not in seen
            assert "zdroj" not in seen
    assert "candidate number 0" in seen or "one" in seen


def test_what_is_too_large_is_refused(house: House) -> None:
    anna = house.assessor().begin()
    work = anna.work()
    big = {"task": work["task"], "key": "12345678", "answers": [{"item": "x", "comment": "y" * BODY_LIMIT}]}
    assert anna.post("/api/judge", big).status_code == 413

    def chunks() -> Any:
        for _ in range(BODY_LIMIT // 10000 + 2):
            yield b" " * 10000

    headers = {"Content-Type": "application/json", "X-Form-Token": work["form_token"]}
    assert anna.client.post("/api/judge", content=chunks(), headers=headers).status_code == 413
    assert anna.client.post("/api/judge", content=b"[" * 100_000, headers=headers).status_code == 400
    assert anna.client.get("/work", params={"page": "9" * 5000}).status_code == 422
    host, port = house.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as raw:
        raw.sendall(b"GET /" + b"a" * 200_000)
        assert raw.recv(100).startswith((b"HTTP/1.1 400", b"HTTP/1.1 431"))
    assert anna.judge(50).status_code == 200


NO_ANSWERS: list[dict[str, Any]] = [
    {"score": 101},
    {"score": -1},
    {"score": 0.5},
    {"score": "50"},
    {"score": True},
    {"score": None},
    {},
    {"score": 50, "ranks": [1]},
    {"score": 50, "spans": [{"start": 0, "end": 1, "severity": "minor"}]},
    {"score": 50, "not_applicable": True, "extra": 1},
    {"not_applicable": True},
    {"score": 50, "milliseconds": -1},
    {"score": 50, "moves": 10**30},
    {"score": 50, "comment": "\ud800"},
    {"score": 1e400},
]


def test_a_message_that_does_not_end_is_not_waited_for() -> None:
    async def never() -> Message:
        await asyncio.sleep(60)
        raise AssertionError

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/judge",
        "headers": [(b"content-type", b"application/json")],
    }
    asyncio.run(SecurityLayer(app, seconds=0.05)(scope, never, send))
    assert sent[0]["status"] == 408


def test_an_answer_that_is_none_is_refused(house: House) -> None:
    anna = house.assessor().begin()
    work = anna.work()
    headers = {"X-Form-Token": work["form_token"], "Content-Type": "application/json"}
    for answer in NO_ANSWERS:
        content = {"task": work["task"], "key": "12345678", "answers": [{"item": work["items"][0]["id"], **answer}]}
        got = anna.client.post("/api/judge", content=json.dumps(content).encode(), headers=headers)
        assert got.status_code == 422, answer
        assert got.json()["error"]
    assert list(house.store.judgements()) == []


def test_marks_outside_the_text_are_refused(serve: Serve) -> None:
    house = serve(protocol="esa", item={"candidates": ("abc",)})
    anna = house.assessor().begin()
    work = anna.work()
    for start, end, severity in ((0, 4, "minor"), (2, 1, "minor"), (0, 1, "deadly")):
        span = {"start": start, "end": end, "severity": severity}
        content = {
            "task": work["task"],
            "key": "12345678",
            "answers": [{"item": work["items"][0]["id"], "score": 1, "spans": [span]}],
        }
        assert anna.post("/api/judge", content).status_code == 422
    assert list(house.store.judgements()) == []


def test_workers_of_a_platform_come_by_one_link(serve: Serve) -> None:
    house = serve(items=1, tasks=3)
    door = f"/c/{house.access.crowd}"

    def come(**query: str) -> httpx.Client:
        client = house.client()
        client.get(door, params=query).raise_for_status()
        return client

    first = Assessor(come(PROLIFIC_PID="5f0", STUDY_ID="s", SESSION_ID="a")).begin()
    task = first.work()["task"]
    again = Assessor(come(PROLIFIC_PID="5f0", STUDY_ID="s", SESSION_ID="a"))
    assert again.work()["task"] == task
    turk = Assessor(come(workerId="A1", hitId="h", assignmentId="x")).begin()
    turk.judge(40)
    assert [one.assessor for one in house.store.judgements()] == ["mturk:A1"]
    preview = come(workerId="A2", hitId="h", assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE")
    assert not preview.cookies
    for query in ({}, {"PROLIFIC_PID": "a b", "SESSION_ID": "x"}, {"PROLIFIC_PID": "a"}, {"workerId": "x" * 101}):
        assert house.client().get(door, params=query).status_code == 400
    assert house.client().get("/c/", params={"PROLIFIC_PID": "x", "SESSION_ID": "y"}).status_code == 404


def test_nobody_comes_as_a_named_assessor_through_the_crowds_door(house: House) -> None:
    anna = house.assessor().begin()
    client = house.client()
    client.get(f"/c/{house.access.crowd}", params={"PROLIFIC_PID": "anna", "SESSION_ID": "x"})
    assert Assessor(client).begin().work()["task"] != anna.work()["task"]


def test_the_organiser_watches_and_takes_results_home(house: House) -> None:
    anna = house.assessor().begin()
    for score in (10, 20, 30):
        anna.judge(score)
    boss = house.client()
    page = boss.get(f"/o/{house.access.organizer}").text
    assert "3</strong> judgements are stored" in page
    assert house.access.assessors[2].token in page
    csv = boss.get("/results.csv")
    assert csv.headers["content-disposition"].startswith("attachment")
    lines = csv.text.splitlines()
    assert lines[0].startswith("assessor,task,position,item,kind")
    assert [line.split(",")[0] for line in lines[1:]] == ["anna"] * 3
    assert SECRET in lines[1]
    bearer = {"Authorization": f"Bearer {house.access.organizer}"}
    with httpx.Client(base_url=house.url, headers=bearer) as program:
        raw = program.get("/judgements.jsonl").text.splitlines()
        assert len(raw) == 3
        kinds = [line for line in program.get("/events.jsonl").text.splitlines() if '"assigned"' in line]
        assert len(kinds) == 1
        status = program.get("/api/status").json()
        assert (status["judgements"], status["places"]) == (3, {"free": 1, "open": 1, "done": 0})
        assert program.post("/api/release", json={"hours": 0}).json() == {"next": "/organizer"}
        assert program.get("/api/status").json()["places"] == {"free": 2, "open": 0, "done": 0}
    assert boss.post("/api/release", json={"hours": 0}).status_code == 403  # the cookie alone is not enough


def test_a_released_task_is_taken_up_again(house: House) -> None:
    anna = house.assessor().begin()
    anna.judge(10)
    house.store.release(silent=timedelta(0))
    assert anna.work()["stage"] == "begin"
    anna.post("/api/begin")
    assert (anna.work()["judged"], anna.work()["total"]) == (1, 4)


def test_a_double_click_stores_once(house: House) -> None:
    anna = house.assessor().begin()
    work = anna.work()
    content = {"task": work["task"], "key": "the-same-key", "answers": [{"item": work["items"][0]["id"], "score": 7}]}
    headers = {"X-Form-Token": work["form_token"]}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: anna.client.post("/api/judge", json=content, headers=headers), range(8)))
    assert {answer.status_code for answer in answers} == {200}
    assert len(list(house.store.judgements())) == 1


def test_campaigns_on_one_host_do_not_share_cookies(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> None:
    house = serve()
    with open_house(make_campaign(items=7), tmp_path_factory.mktemp("other")) as other:
        anna = house.assessor()
        assert house.client().get(f"{house.url}/work").status_code == 401
        assert anna.client.get(f"{house.url}/work").status_code == 200
        assert anna.client.get(f"{other.url}/work").status_code == 401  # the browser does send the cookie


def test_the_gold_gate_tells_and_stops(serve: Serve) -> None:
    gold = {"kind": "gold", "expected": 5.0, "accepted": (4.0, 5.0), "reason": "They mean the same."}
    gate = {"entry": 1, "tries": 2, "least": 3, "stop": "2/3"}
    house = serve(protocol="similarity", item=gold, change={"per_page": 1}, gate=gate)
    careless = house.assessor(0).begin()
    careless.judge(0).raise_for_status()
    page = careless.client.get("/work").text
    assert "another answer was expected: 5 (completely equivalent" in page
    assert "They mean the same." in page
    work = careless.work()
    careless.judge(1).raise_for_status()
    assert careless.work()["stage"] == "stopped"
    assert "Your work ends here" in careless.client.get("/work").text
    late = {"task": work["task"], "key": "too-late", "answers": [{"item": "t0i2", "score": 5}]}
    assert careless.post("/api/judge", late).status_code == 409
    careless.post("/api/begin").raise_for_status()
    assert careless.work()["stage"] == "stopped"

    careful = house.assessor(1).begin()
    for score in (4, 5, 1):
        assert "They mean the same." not in careful.client.get("/work").text
        careful.judge(score).raise_for_status()
    assert careful.work()["stage"] == "judge"  # two of three are right, which is not below two thirds


def test_an_assessor_who_has_judged_the_most_gets_no_further_task(serve: Serve) -> None:
    house = serve(items=2, tasks=2, gate={"entry": 0, "tries": 0, "cap": 2})
    anna = house.assessor().begin()
    for score in (1, 2):
        anna.judge(score)
    anna.post("/api/finish", {"task": "task0"})
    work = anna.work()
    assert (work["stage"], work["another"]) == ("done", False)
    anna.post("/api/begin")
    assert anna.work()["stage"] == "done"


def test_declining_to_judge_where_it_is_allowed(serve: Serve) -> None:
    house = serve(change={"not_applicable": True})
    anna = house.assessor().begin()
    work = anna.work()
    content = {
        "task": work["task"],
        "key": "declining",
        "answers": [{"item": work["items"][0]["id"], "not_applicable": True}],
    }
    anna.post("/api/judge", content).raise_for_status()
    assert [one.not_applicable for one in house.store.judgements()] == [True]
    assert "checkbox" in anna.client.get("/work").text


def test_everyone_is_spoken_to_in_the_language_of_their_task(serve: Serve) -> None:
    made = make_campaign(consent="Welcome.")
    tasks = [
        replace(task, assessors=(name,), items=tuple(replace(item, target_language=language) for item in task.items))
        for task, name, language in zip(made.tasks, ("anna", "bob"), ("de", "fr"), strict=True)
    ]
    house = serve(replace(made, tasks=tuple(tasks)))
    for at, (consent, start) in enumerate([("Bevor Sie beginnen", "Beginnen"), ("Avant de commencer", "Commencer")]):
        someone = house.assessor(at)
        assert consent in someone.client.get("/work").text
        someone.post("/api/consent")
        assert start in someone.client.get("/work").text


@pytest.mark.parametrize("missing", ["fastapi", "pydantic", "uvicorn"])
def test_what_is_not_installed_is_named(missing: str) -> None:
    script = f"import sys; sys.modules[{missing!r}] = None; import dragoman.assessment.web.server"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert f"MissingDependency: the server needs {missing}; pip install 'dragoman[server]'" in run.stderr
