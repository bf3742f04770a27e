"""Our own API: what it answers is what the library says, and whatever is sent, nothing breaks."""

from __future__ import annotations

import json
import shutil
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

import dragoman
from tests.pipeline.conftest import SMALL, Sides, sides
from tests.server.house import House, open_house

SENTENCE = "The old house is small."


def test_answers_are_those_of_the_library(house: House, models: Path, texts: Sides) -> None:
    model = dragoman.load(models / "en-de")
    expected = [found.text for found in model.translate(texts.source)]
    answer = house.post("/v1/translate", text=texts.source, source="en", target="de")
    assert [each["text"] for each in answer["translations"]] == expected
    assert (answer["model"], answer["source"], answer["target"]) == ("en-de", "en", "de")
    assert "nbest" not in answer["translations"][0]


def test_a_translation_with_all_that_can_be_asked(house: House, models: Path) -> None:
    model = dragoman.load(models / "en-de")
    found = model.translate(SENTENCE, forests=True)
    asked = {"text": SENTENCE, "model": "en-de", "nbest": 3, "alignment": True, "confidence": True}
    one = house.post("/v1/translate", **asked)["translations"][0]
    assert one["nbest"] == [{"text": each.text, "score": pytest.approx(each.score)} for each in found.nbest(3)]
    assert [tuple(link) for link in one["alignment"]] == list(found.alignment)
    assert one["confidence"] == pytest.approx(found.confidence)
    assert len(one["word_confidence"]) == len(one["target_tokens"])


def test_control(house: House) -> None:
    glossary = [{"source": ["house"], "target": ["Gebäude"]}]
    one = house.post("/v1/translate", text=SENTENCE, model="en-de", glossary=glossary)["translations"][0]
    assert "Gebäude" in one["text"]
    assert [(term["source"], term["used"]) for term in one["terms"]] == [("house", "Gebäude")]
    kept = house.post("/v1/translate", text="the OldHouse is small", model="en-de", keep=["OldHouse"])
    assert kept["translations"][0]["text"].count("OldHouse") == 1
    begun = house.post("/v1/translate", text=[SENTENCE] * 2, model="en-de", prefix=["Das kleine", ""])
    assert begun["translations"][0]["text"].startswith("Das kleine")
    marked = 'the <n translation="Hütte">house</n> is small'
    assert (
        "Hütte"
        in house.post("/v1/translate", text=marked, model="en-de", markup="exclusive")["translations"][0]["text"]
    )


def test_an_explanation_covers_everything(house: House) -> None:
    text = f"{SENTENCE} A man sees <b>the house</b>."
    found = house.post("/v1/explain", text=text, model="en-de")
    assert len(found["sentences"]) == 2
    total = 0.0
    for sentence in found["sentences"]:
        for token in sentence["source"]:
            start, end = token["range"]
            assert text[start:end].lower() == token["text"].lower()
        for token in sentence["target"]:
            assert 0 <= token["confidence"] <= 1
            start, end = token["range"]
            assert found["text"][start:end].lower() == token["text"].lower()
        covered = sorted(i for phrase in sentence["phrases"] for i in phrase["source"])
        assert covered == list(range(len(sentence["source"])))
        written = sorted(j for phrase in sentence["phrases"] for j in phrase["target"])
        assert written == list(range(len(sentence["target"])))
        total += sum(value for phrase in sentence["phrases"] for value in phrase["values"].values())
        total += sum(sentence["end"].values())
        assert sum(sentence["features"].values()) == pytest.approx(sentence["score"])
    assert total == pytest.approx(found["score"])
    named = {name for concern in found["concerns"] for name in concern["features"]}
    assert all(set(sentence["features"]) <= named for sentence in found["sentences"])
    assert found["nbest"][0]["text"] == found["text"]
    assert {concern["name"] for concern in found["concerns"]} >= {"fluency"}


def test_a_choice_is_heeded(house: House) -> None:
    start = SENTENCE.index("house")
    choice = {"start": start, "end": start + 5, "target": "Hütte"}
    found = house.post("/v1/explain", text=SENTENCE, model="en-de", choices=[choice])
    assert "Hütte" in found["text"]
    cut = {"start": start + 1, "end": start + 3, "target": "x"}
    answer = house.client.post("/v1/explain", json={"text": SENTENCE, "model": "en-de", "choices": [cut]})
    assert (answer.status_code, answer.json()["remedy"]) == (422, "put it around whole words")


def test_hierarchical_rules_come_as_trees(house: House, texts: Sides) -> None:
    found = house.post("/v1/explain", text=texts.target[0], model="de-en")
    tree = found["sentences"][0]["tree"]
    assert tree
    assert {"source", "target", "score", "span", "parts"} == set(tree[0])


def test_options_and_evidence(house: House) -> None:
    found = house.post("/v1/options", text="house", model="en-de")
    assert found["phrase"] == ["house"]
    best = found["options"][0]
    assert best["times"] >= 1
    taught = house.post("/v1/evidence", phrase=["house"], translation=best["text"].split(), model="en-de")
    assert taught["times"] == best["times"]
    assert all("house" in each["source"].lower() for each in taught["sentences"])
    assert len(taught["sentences"]) == min(3, best["times"])
    assert house.post("/v1/options", text="xyzzy", model="en-de")["options"] == []


def test_models_health_and_numbers(house: House) -> None:
    listed = house.client.get("/v1/models").json()["models"]
    assert [(each["name"], each["kind"], each["confidence"]) for each in listed] == [
        ("en-de", "phrase", True),
        ("de-en", "hiero", False),
    ]
    assert house.client.get("/v1/health").json()["status"] == "ok"
    house.post("/v1/translate", text=["a house", "the house"], model="en-de")
    numbers = house.client.get("/v1/metrics").text
    assert 'dragoman_texts_total{model="en-de"}' in numbers
    assert 'route="/v1/translate",status="200"' in numbers
    assert "dragoman_waiting_texts 0.0" in numbers


def test_the_log_has_no_text_unless_asked(house: House, paths: list[Path]) -> None:
    house.post("/v1/translate", text="the secret house", model="en-de")
    house.client.get("/translate", params={"q": "the secret house", "source": "en", "target": "de"})
    assert house.logged(route="/translate", status=200, model="en-de", texts=1)
    assert "secret" not in house.log.getvalue()
    with open_house(paths[:1], log_text=True) as other:
        other.post("/v1/translate", text="the secret house")
        assert other.logged(source=["the secret house"])


def test_many_at_once_are_not_mixed_up(house: House, models: Path, texts: Sides) -> None:
    model = dragoman.load(models / "en-de")
    expected = {text: model.translate(text).text for text in texts.source}

    def ask(text: str) -> bool:
        answer = httpx.post(f"{house.url}/v1/translate", json={"text": [text, text], "model": "en-de"}, timeout=60)
        return {each["text"] for each in answer.json()["translations"]} == {expected[text]}

    with ThreadPoolExecutor(50) as pool:
        assert all(pool.map(ask, texts.source * 3))


def test_what_is_too_much_is_refused(paths: list[Path]) -> None:
    with open_house(paths[:1], max_texts=10, waiting=5, max_tokens=20, max_nbest=5, threads=1) as house:

        def ask(**asked: Any) -> httpx.Response:
            return house.client.post("/v1/translate", json=asked)

        assert ask(text=["x"] * 11).status_code == 413
        assert ask(text="house " * 50).status_code == 422
        assert ask(text="x", nbest=6).status_code == 413
        full = ask(text=["x"] * 6)
        assert (full.status_code, full.headers["Retry-After"]) == (503, "2")
        assert ask(text=["house", "a " * 50]).status_code == 422
        assert ask(text=["x"] * 5).status_code == 200


def test_time_is_bounded(paths: list[Path], texts: Sides) -> None:
    with open_house(paths[:1], timeout=0.01, threads=1) as house:
        answer = house.client.post("/v1/translate", json={"text": texts.source * 5})
        assert answer.status_code == 504
        deadline = time.monotonic() + 20
        while house.service.queue.waiting and time.monotonic() < deadline:
            time.sleep(0.01)
        assert house.service.queue.waiting == 0


def test_slow_and_broken_clients(house: House) -> None:
    host, port = house.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:
        line.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n")
        assert b"413" in line.recv(100)
    with socket.create_connection((host, int(port))) as line:
        line.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n")
        line.sendall(b"Content-Length: 100\r\n\r\n{")
    sent = {"Content-Type": "application/json"}
    for body, status in (
        (b"{", 400),
        (b'{"text": "\xff"}', 400),
        (b"[]", 422),
        (b"{}", 422),
        (b'{"text": "\\ud800"}', 422),
    ):
        answer = house.client.post("/v1/translate", content=body, headers=sent)
        assert answer.status_code == status, body
        assert set(answer.json()) == {"error", "remedy"}
    assert house.client.post("/v1/translate", json={"text": "x", "model": "none"}).status_code == 404
    assert house.client.post("/v1/translate", json={"text": "x", "target": "fr"}).status_code == 404
    assert house.client.get("/v1/health").status_code == 200


def test_a_request_that_never_ends_is_given_up(paths: list[Path]) -> None:
    with open_house(paths[:1], arrival=0.2) as house:
        host, port = house.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=20) as line:
            line.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n")
            line.sendall(b"Content-Length: 100\r\n\r\n{")
            assert line.recv(100).startswith(b"HTTP/1.1 408")
        assert house.client.get("/v1/health").status_code == 200


def test_rights(paths: list[Path]) -> None:
    with open_house(paths[:1], keys=["secret-of-anna anna", "secret-of-bob bob admin"]) as house:
        reload = "/v1/models/reload"
        assert house.client.get("/v1/models").status_code == 401
        assert house.client.get("/v1/models", headers={"Authorization": "Bearer no"}).status_code == 403
        anna, bob = ({"Authorization": f"Bearer secret-of-{name}"} for name in ("anna", "bob"))
        assert house.client.get("/v1/models", headers=anna).status_code == 200
        assert house.client.post(reload, headers=anna).status_code == 403
        assert house.client.post(reload, headers=bob).status_code == 200


def test_only_this_machine_may_change_anything_without_keys(house: House) -> None:
    reload = "/v1/models/reload"
    assert house.client.post(reload).status_code == 200
    assert house.client.post(reload, headers={"Host": "evil.example.org"}).status_code == 403
    assert house.client.post(reload, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_other_sites_are_let_in_only_if_named(house: House, paths: list[Path]) -> None:
    asked = {"q": "house", "source": "en", "target": "de"}
    other = {"Origin": "https://example.org", "Sec-Fetch-Site": "cross-site"}
    assert house.client.post("/translate", json=asked, headers=other).status_code == 403
    assert "access-control-allow-origin" not in house.client.get("/languages", headers=other).headers
    with open_house(paths[:1], cors=["https://example.org"]) as open_one:
        answer = open_one.client.post("/translate", json=asked, headers=other)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "https://example.org"
        stranger = open_one.client.get("/languages", headers={"Origin": "https://evil.example.org"})
        assert "access-control-allow-origin" not in stranger.headers


def test_models_change_only_when_they_are_opened_again(models: Path, tmp_path: Path) -> None:
    place = tmp_path / "en-de"
    shutil.copytree(models / "en-de", place)
    with open_house([place]) as house:
        before = house.post("/v1/translate", text=SENTENCE)["translations"][0]["text"]
        source, target = sides(60)
        other = dragoman.train(
            source, [line.upper() for line in target], output=tmp_path / "new", languages=("en", "de"), recipe=SMALL
        )
        expected = other.translate(SENTENCE).text
        place.rename(tmp_path / "old")
        (tmp_path / "new").rename(place)
        assert house.post("/v1/translate", text=SENTENCE)["translations"][0]["text"] == before
        assert house.client.get("/v1/models").json()["models"][0]["changed_on_disk"] is True
        assert house.post("/v1/evidence", phrase=["house"], translation=["haus"])["sentences"] == []
        answer = house.client.post("/v1/models/reload").json()
        assert answer["models"][0]["changed_on_disk"] is False
        after = house.post("/v1/translate", text=SENTENCE)["translations"][0]["text"]
        assert after == expected
        assert after != before
        (place / "model.toml").unlink()
        assert house.client.post("/v1/models/reload").status_code == 500
        assert house.post("/v1/translate", text=SENTENCE)["translations"][0]["text"] == after


def test_every_answer_forbids_what_it_should(house: House) -> None:
    for path in ("/", "/v1/models", "/nowhere", "/static/page.js"):
        headers = house.client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert json.loads(house.client.get("/openapi.json").text)["info"]["title"] == "dragoman"
