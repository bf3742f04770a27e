"""The crowd's entrance: invented ids, borrowed ids, and places that are taken and not used."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest

from dragoman.assessment.access_keys import ticket
from dragoman.assessment.crowd_entrance import ArrivalLimit, CrowdEntrance
from dragoman.assessment.web import store as storing
from tests.assessment.web.house import Assessor, House

Serve = Callable[..., House]


def come(house: House, *, client: httpx.Client | None = None, address: str = "", **query: str) -> httpx.Response:
    """Open the crowd's link, with a browser of one's own unless one is given."""
    headers = {"X-Forwarded-For": address} if address else {}
    return (client or house.client()).get(f"/c/{house.access.crowd}", params=query, headers=headers)


def worker(house: House, name: str, session: str = "s", **more: Any) -> Assessor:
    client = house.client()
    come(house, client=client, PROLIFIC_PID=name, SESSION_ID=session, **more).raise_for_status()
    return Assessor(client)


GOLD = {"kind": "gold", "expected": 5.0, "accepted": (4.0, 5.0)}
GATE = {"entry": 1, "tries": 2, "least": 3, "stop": "2/3"}


def test_a_worker_who_was_stopped_stays_stopped_under_another_session(serve: Serve) -> None:
    house = serve(protocol="similarity", item=GOLD, change={"per_page": 1}, gate=GATE, tasks=4)
    careless = worker(house, "5f0").begin()
    for score in (0, 1):
        careless.judge(score).raise_for_status()
    assert careless.work()["stage"] == "stopped"
    house.store.release(silent=timedelta(0))
    come(house, client=careless.client, PROLIFIC_PID="5f0", SESSION_ID="another").raise_for_status()
    assert careless.work()["stage"] == "stopped"
    careless.post("/api/begin")
    assert {place.state for place in house.store.places()} == {"free"}


def test_who_knows_a_workers_id_gets_nothing_by_it(serve: Serve) -> None:
    house = serve(tasks=3)
    first = worker(house, "5f0", "secret-session").begin()
    thief = house.client()
    refused = come(house, client=thief, PROLIFIC_PID="5f0", SESSION_ID="invented")
    assert (refused.status_code, bool(thief.cookies)) == (403, False)
    assert "has been here before, in another browser" in refused.text
    task = first.work()["task"]
    # The one-time session id is the key: the same on another device is the same person, who has left the first.
    assert worker(house, "5f0", "secret-session").work()["task"] == task
    assert first.client.get("/work").status_code == 401


def test_a_worker_comes_again_after_the_task_is_done_and_not_before(serve: Serve) -> None:
    house = serve(items=1, tasks=3)
    first = worker(house, "5f0", "one").begin()
    busy = come(house, client=first.client, PROLIFIC_PID="5f0", SESSION_ID="two")
    assert busy.status_code == 403
    assert "Please finish it there first" in busy.text
    first.judge(50).raise_for_status()
    first.post("/api/finish", {"task": "task0"}).raise_for_status()
    come(house, client=first.client, PROLIFIC_PID="5f0", SESSION_ID="two").raise_for_status()
    assert first.begin().work()["task"] == "task1"


def test_reloading_adds_no_rows(serve: Serve) -> None:
    house = serve()
    someone = worker(house, "5f0", "a").begin()

    def rows() -> list[int]:
        tables = house.store._tables
        with house.store._engine.connect() as connection:
            return [len(connection.execute(table.select()).all()) for table in tables.metadata.sorted_tables]

    before = rows()
    for _ in range(5):
        come(house, client=someone.client, PROLIFIC_PID="5f0", SESSION_ID="a").raise_for_status()
        worker(house, "5f0", "a")  # another browser takes the seat over
        someone.client.get("/work")
    assert rows() == before


def test_invented_ids_from_one_address_take_few_places(serve: Serve) -> None:
    house = serve(tasks=40, crowd={"per_address": 5})
    statuses = [come(house, PROLIFIC_PID=f"x{at}", SESSION_ID="s", address="1.2.3.4").status_code for at in range(20)]
    assert statuses == [200] * 5 + [429] * 15
    refused = come(house, PROLIFIC_PID="y", SESSION_ID="s", address="1.2.3.4")
    assert refused.headers["retry-after"]
    assert "All tasks are taken at the moment" in refused.text
    assert come(house, PROLIFIC_PID="z", SESSION_ID="s", address="1.2.3.5").status_code == 200
    assert (
        come(house, PROLIFIC_PID="x0", SESSION_ID="s", address="1.2.3.4").status_code == 200
    )  # a known one comes back


def test_invented_ids_from_everywhere_hold_few_places_and_not_for_long(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = serve(tasks=40, items=2, crowd={"waiting": 6, "minutes": 20})
    robots = [worker(house, f"x{at}", address=f"10.0.0.{at}").begin() for at in range(12)]
    assert [robot.work()["stage"] for robot in robots] == ["judge"] * 6 + ["wait"] * 6
    assert "come back in half an hour" in robots[-1].client.get("/work").text
    assert house.assessor(0).begin().work()["stage"] == "judge"  # who was invited does not wait
    robots[0].judge(50).raise_for_status()
    late = worker(house, "late", address="10.0.1.1")
    assert late.begin().work()["stage"] == "judge"  # somebody has begun to work: one more may
    now = storing._now()
    monkeypatch.setattr(storing, "_now", lambda: now + timedelta(minutes=21))
    assert robots[-1].begin().work()["stage"] == "judge"  # the others have lost their claim
    monkeypatch.setattr(storing, "_now", lambda: now + timedelta(minutes=125))
    assert late.client.get("/work").status_code == 200


def test_places_that_were_taken_and_not_used_come_back(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    house = serve(tasks=2, items=2)
    gone = worker(house, "gone").begin()
    slow = worker(house, "slow").begin()
    slow.judge(50).raise_for_status()
    assert worker(house, "next").work()["stage"] == "nothing"
    now = storing._now()
    monkeypatch.setattr(storing, "_now", lambda: now + timedelta(minutes=21))
    newcomer = worker(house, "newcomer")
    assert newcomer.work()["stage"] == "begin"
    assert newcomer.begin().work()["task"] == "task0"
    assert gone.work()["stage"] == "nothing"
    assert slow.judge(60).status_code == 200  # whoever works keeps the place
    assert [event["task"] for event in house.store.events() if event["kind"] == "released"] == ["task0"]


def test_tickets_let_one_worker_in_each(serve: Serve) -> None:
    house = serve(tasks=3, crowd={"tickets": True})
    assert come(house, PROLIFIC_PID="5f0", SESSION_ID="a").status_code == 404
    assert come(house, ticket="7-AAAAAAAAAAAAAAAAAAAA", PROLIFIC_PID="5f0", SESSION_ID="a").status_code == 404
    good = ticket(house.access, 7)
    client = house.client()
    come(house, client=client, ticket=good, PROLIFIC_PID="5f0", SESSION_ID="a").raise_for_status()
    assert Assessor(client).begin().judge(50).status_code == 200
    assert [one.assessor for one in house.store.judgements()] == ["prolific:5f0"]
    assert come(house, ticket=good, PROLIFIC_PID="other", SESSION_ID="b").status_code == 403
    assert come(house, ticket=good, PROLIFIC_PID="5f0", SESSION_ID="c").status_code == 200  # another device
    assert come(house, ticket=ticket(house.access, 8)).status_code == 200  # where the platform names nobody


def test_addresses_are_forgotten_after_a_while() -> None:
    now = 0.0
    limit = ArrivalLimit(1, seconds=60, clock=lambda: now)
    assert limit.admits("2001:db8::1")
    assert not limit.admits("2001:db8::2")  # one subscriber has all of them
    assert limit.admits("2001:db8:0:1::1")
    now = 61.0
    assert limit.admits("2001:db8::3")
    assert len(limit._seen) == 1
    assert ArrivalLimit(0).admits("x")


def test_settings_of_the_entrance_are_checked() -> None:
    from dragoman.errors import SettingError

    with pytest.raises(SettingError, match="minutes"):
        CrowdEntrance.from_dict({"minutes": 0})
