"""The API of LibreTranslate, as its clients really use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from libretranslatepy import LibreTranslateAPI

import dragoman
from tests.pipeline.conftest import Sides
from tests.server.house import House, open_house

SENTENCE = "The old house is small."


@pytest.fixture(scope="module")
def expected(models: Path) -> str:
    return dragoman.load(models / "en-de").translate(SENTENCE).text


def test_the_real_client(house: House, expected: str) -> None:
    client = LibreTranslateAPI(house.url)
    assert client.translate(SENTENCE, "en", "de") == expected
    assert client.detect("das alte haus ist klein und der mann sieht es")[0]["language"] == "de"
    assert {each["code"]: each["targets"] for each in client.languages()} == {"de": ["en"], "en": ["de"]}
    assert {each["name"] for each in client.languages()} == {"English", "German"}


def test_what_weblate_sends(house: House, expected: str) -> None:
    asked = {"api_key": "", "q": [SENTENCE, "I see [X12X] houses.", ""], "source": "en-US", "target": "de-AT"}
    answer = house.client.post("/translate", json=asked).json()["translatedText"]
    assert len(answer) == 3
    assert answer[0] == expected
    assert answer[1].count("[X12X]") == 1
    assert answer[2] == ""
    assert isinstance(house.client.post("/translate", json={**asked, "q": SENTENCE}).json()["translatedText"], str)


def test_what_the_plugin_of_omegat_sends(house: House, expected: str) -> None:
    asked = {"q": SENTENCE, "source": "en", "target": "de"}
    assert house.client.get("/translate", params=asked).json() == {"translatedText": expected}


def test_parameters_may_stand_anywhere(house: House, expected: str) -> None:
    asked = {"q": SENTENCE, "source": "en", "target": "de"}
    for answer in (
        house.client.post("/translate", params=asked),
        house.client.post("/translate", data=asked),
        house.client.post("/translate", files={name: (None, value) for name, value in asked.items()}),
        house.client.post("/translate", json={**asked, "unknown": [1, {"x": None}], "api_key": None}),
    ):
        assert answer.json() == {"translatedText": expected}, answer.text


def test_languages_are_recognised(house: House, texts: Sides) -> None:
    text = " ".join(texts.target[:3])
    answer = house.post("/translate", q=text, source="auto", target="en")
    assert answer["detectedLanguage"]["language"] == "de"
    assert answer["detectedLanguage"]["confidence"] > 50
    many = house.post("/translate", q=[text, "ja"], source="auto", target="en")
    assert len(many["detectedLanguage"]) == len(many["translatedText"]) == 2
    assert house.post("/detect", q="🙂 🙂") == [{"confidence": 0.0, "language": "en"}]


def test_alternatives(house: House) -> None:
    answer = house.post("/translate", q=SENTENCE, source="en", target="de", alternatives=3)
    assert 0 < len(answer["alternatives"]) <= 3
    assert answer["translatedText"] not in answer["alternatives"]
    assert len(set(answer["alternatives"])) == len(answer["alternatives"])
    many = house.post("/translate", q=[SENTENCE] * 2, source="en", target="de", alternatives=-2)
    assert "alternatives" not in many


def test_pages_keep_what_is_not_text(house: House) -> None:
    page = (
        "<!DOCTYPE html>\n<div class='a'><!-- a house --><p>The <b>old</b> house <code>is_small()</code></p>"
        "<script>let house = '<p>house</p>';</script></div> &amp; <p>The house &lt; a house</p>\n"
    )
    answer = house.post("/translate", q=page, source="en", target="de", format="html", alternatives=1)
    found = answer["translatedText"]
    assert answer["alternatives"] == []
    for kept in (
        "<!DOCTYPE html>\n<div class='a'><!-- a house --><p>",
        "<code>is_small()</code>",
        "<script>let house = '<p>house</p>';</script></div> &amp; <p>",
        "&lt;",
    ):
        assert found.count(kept) == 1, found
    assert found.count("<b>") == found.count("</b>") == 1
    assert "old" not in found
    assert house.post("/translate", q=["<p></p>", "<br>"], source="en", target="de", format="html") == {
        "translatedText": ["<p></p>", "<br>"]
    }


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        ({}, 400, "Invalid request: missing q parameter"),
        ({"q": ""}, 400, "Invalid request: missing q parameter"),
        ({"q": []}, 400, "Invalid request: missing q parameter"),
        ({"q": "x"}, 400, "Invalid request: missing source parameter"),
        ({"q": "x", "source": "en"}, 400, "Invalid request: missing target parameter"),
        ({"q": "x", "source": "zz", "target": "de"}, 400, "zz is not supported"),
        (
            {"q": "x", "source": "de", "target": "de"},
            400,
            "German (de) is not available as a target language from German (de)",
        ),
        ({"q": "x", "source": "en", "target": "de", "format": "xml"}, 400, "xml format is not supported"),
        (
            {"q": "x", "source": "en", "target": "de", "alternatives": "many"},
            400,
            "Invalid request: alternatives parameter is not a number",
        ),
        (
            {"q": "x", "source": "en", "target": "de", "alternatives": 10_000},
            400,
            "Invalid request: alternatives parameter must be <= 10",
        ),
        ({"q": 7, "source": "en", "target": "de"}, 400, "Invalid request: q parameter is not a text"),
        ({"q": "\ud800", "source": "en", "target": "de"}, 400, "Invalid request: q parameter is not a text"),
    ],
)
def test_refusals_have_the_words_of_libretranslate(house: House, asked: Any, status: int, words: str) -> None:
    import json

    answer = house.client.post("/translate", content=json.dumps(asked), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()) == (status, {"error": words})


def test_malformed_bodies(house: House) -> None:
    sent = {"Content-Type": "application/json"}
    for body in (b"[1]", b"{", b'{"q": "\xff"}', b"null", b"[" * 100_000):
        answer = house.client.post("/translate", content=body, headers=sent)
        assert (answer.status_code, answer.json()) == (400, {"error": "Invalid JSON format"}), body[:10]
    form = {"Content-Type": "multipart/form-data; boundary=x"}
    assert house.client.post("/translate", content=b"--y\r\n", headers=form).status_code == 400
    assert house.client.post("/translate", content=b"q", headers={"Content-Type": "text/plain"}).status_code == 415
    for method, path in (("GET", "/detect"), ("POST", "/languages"), ("POST", "/spec"), ("DELETE", "/translate")):
        answer = house.client.request(method, path)
        assert (answer.status_code, list(answer.json())) == (405, ["error"])
    assert house.client.get("/nowhere").status_code == 404


def test_limits(paths: list[Path]) -> None:
    with open_house(paths[:1], max_characters=50, max_texts=3, max_bytes=5000, rate=6) as house:

        def ask(q: Any) -> httpx.Response:
            return house.client.post("/translate", json={"q": q, "source": "en", "target": "de"})

        assert ask("x" * 51).json() == {"error": "Invalid request: request (51) exceeds text limit (50)"}
        assert ask(["x"] * 4).json() == {"error": "Invalid request: request (4) exceeds text limit (3)"}
        assert ask("x" * 6000).status_code == 413
        assert house.client.get("/frontend/settings").json()["charLimit"] == 50
        assert [ask("house").status_code for _ in range(5)] == [200, 200, 200, 200, 429]
        answer = ask("house")
        assert answer.json() == {"error": "Slowdown: 6 per 1 minute"}
        assert answer.headers["Retry-After"] == "60"
        assert house.client.get("/languages").status_code == 200


def test_keys(paths: list[Path]) -> None:
    with open_house(paths[:1], keys=["# keys", "", "secret-of-anna anna"]) as house:
        asked = {"q": "house", "source": "en", "target": "de"}
        answer = house.client.post("/translate", json=asked)
        assert answer.status_code == 400
        assert answer.json() == {"error": "Please contact the server operator to get an API key"}
        answer = house.client.post("/translate", json={**asked, "api_key": "other"})
        assert (answer.status_code, answer.json()) == (403, {"error": "Invalid API key"})
        assert LibreTranslateAPI(house.url, "secret-of-anna").translate("house", "en", "de")
        assert house.client.get("/frontend/settings").json()["keyRequired"] is True
        assert house.client.get("/health").json() == {"status": "ok"}
        assert house.client.get("/metrics").status_code == 401
        assert house.client.get("/metrics", headers={"Authorization": "Bearer secret-of-anna"}).status_code == 200
        assert "secret-of-anna" not in house.log.getvalue()
        assert house.logged(client="anna", route="/translate")
        assert house.logged(client="anna", route="/metrics")
