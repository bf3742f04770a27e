"""Links that are taken back or made anew, while the campaign is served: by the organiser's page and by the command."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from dragoman.assessment.access_keys import AccessFile, AccessKeys, link
from dragoman.assessment.campaign_folder import change_links, create_campaign_folder, write_links
from dragoman.errors import UnknownName
from tests.assessment.web.house import Assessor, House, make_campaign
from tests.cli.test_assess_serve import dragoman


def test_a_link_that_was_taken_back_opens_nothing(house: House) -> None:
    anna, bob = house.assessor(0).begin(), house.assessor(1)
    anna.judge(40)
    token = house.access.assessors[0].token
    house.file.change(lambda access: access.revoked("anna"))
    assert anna.client.get("/work").status_code == 401
    assert anna.client.get("/api/work").status_code == 401
    assert house.client().get(f"/t/{token}").status_code == 404
    assert bob.client.get("/work").status_code == 200
    assert [one.score for one in house.store.judgements()] == [40]
    assert [place.state for place in house.store.places()] == ["free", "free"]  # somebody else can go on


def test_an_assessor_who_is_removed_from_the_file_is_out(house: House) -> None:
    """The file is what counts, also for a server that starts anew on an old database."""
    anna = house.assessor(0)
    others = tuple(one for one in house.access.assessors if one.id != "anna")
    house.file.change(lambda access: AccessKeys(access.key, access.organizer, access.crowd, others))
    assert anna.client.get("/work").status_code == 401
    house.store.keep_links({"bob": "another"})
    assert house.store.seat(others[0].token) is None
    assert house.store.seat("another") is not None


def test_a_new_link_takes_the_place_of_the_old_one(house: House) -> None:
    anna = house.assessor(0).begin()
    anna.judge(40)
    old = house.access.assessors[0].token
    house.file.change(lambda access: access.reissued("anna"))
    new = house.access.assessors[0].token
    assert new != old
    assert anna.client.get("/work").status_code == 401
    again = house.assessor(0)
    assert (again.work()["judged"], again.work()["total"]) == (1, 4)


def test_the_organiser_takes_links_back_and_makes_new_ones(house: House) -> None:
    anna, boss = house.assessor(0), house.client()
    page = boss.get(f"/o/{house.access.organizer}").text
    bearer = {"Authorization": f"Bearer {house.access.organizer}"}
    assert page.count("Take back") == 3
    assert house.client().post("/api/revoke", json={"assessor": "anna"}).status_code == 401
    assert anna.client.get("/work").status_code == 200
    house.client().post("/api/revoke", json={"assessor": "anna"}, headers=bearer).raise_for_status()
    assert anna.client.get("/work").status_code == 401
    assert "taken back" in boss.get("/organizer").text
    house.client().post("/api/reissue", json={"assessor": "anna"}, headers=bearer).raise_for_status()
    assert house.access.assessors[0].token in boss.get("/organizer").text
    assert house.client().post("/api/revoke", json={"assessor": "nobody"}, headers=bearer).status_code == 404
    assert [event["kind"] for event in house.store.events()].count("revoked") == 1


def test_a_worker_who_is_shut_out_does_not_come_back(house: House) -> None:
    door, query = f"/c/{house.access.crowd}", {"PROLIFIC_PID": "5f0", "SESSION_ID": "a"}
    worker = Assessor(house.client())
    worker.client.get(door, params=query).raise_for_status()
    worker.begin()
    house.file.change(lambda access: access.revoked("prolific:5f0"))
    assert worker.client.get("/work").status_code == 401
    assert house.client().get(door, params=query).status_code == 403
    assert house.client().get(door, params={**query, "SESSION_ID": "b"}).status_code == 403
    house.file.change(lambda access: access.reissued("prolific:5f0"))
    house.client().get(door, params=query).raise_for_status()


def test_a_file_of_links_that_cannot_be_read_leaves_the_former_ones(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    anna = house.assessor(0)
    house.file.path.write_text("{", "utf-8")
    assert anna.client.get("/work").status_code == 200
    assert "the former links stay in force" in caplog.text


def test_links_on_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    campaign = make_campaign()
    create_campaign_folder(campaign, folder, server="https://judge.invalid")
    AccessKeys.fresh(["anna", "bob"]).write(folder / "access.json")
    before = AccessKeys.read(folder)
    assert dragoman("revoke", str(folder), "anna").returncode == 0
    assert dragoman("reissue", str(folder), "bob", "--crowd").returncode == 0
    access = AccessKeys.read(folder)
    assert list(access.tokens) == ["bob"]
    assert access.tokens["bob"] != before.tokens["bob"]
    assert (access.crowd != before.crowd, access.organizer == before.organizer) == (True, True)
    with (folder / "links.csv").open(encoding="utf-8") as file:
        rows = {row["who"]: row["link"] for row in csv.DictReader(file)}
    assert rows["anna"] == "taken back"
    assert rows["bob"] == link("https://judge.invalid", access.tokens["bob"])
    listed = json.loads(dragoman("links", str(folder), "--json").stdout)
    assert listed["assessors"]["anna"] is None
    tickets = dragoman("links", str(folder), "--tickets", "3").stdout.splitlines()
    assert len({line.partition("ticket=")[2].partition("&")[0] for line in tickets}) == 3
    wrong = dragoman("revoke", str(folder), "cyd")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert "known are: anna, bob" in wrong.stderr
    assert dragoman("revoke", str(folder)).returncode == 2


def test_links_keep_their_address(tmp_path: Path) -> None:
    access = AccessKeys.fresh(["anna"])
    access.write(tmp_path / "access.json")
    file = AccessFile(tmp_path / "access.json")
    write_links(access, tmp_path, "https://judge.invalid/")
    change_links(file, lambda keys: keys.reissued("anna"))
    assert f"https://judge.invalid/t/{file.keys().tokens['anna']}" in (tmp_path / "links.csv").read_text("utf-8")
    with pytest.raises(UnknownName, match="nobody"):
        change_links(file, lambda keys: keys.revoked("nobody"))
