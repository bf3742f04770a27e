"""The API of LibreTranslate, as its clients really use it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from libretranslatepy import LibreTranslateAPI

import dragoman
from dragoman.server.final_stop import FinalStop
from dragoman.server.served_models import ServingOptions
from tests.pipeline.conftest import SMALL, Sides, sides
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


def test_a_language_that_is_only_written_is_recognised(paths: list[Path], texts: Sides) -> None:
    german = " ".join(texts.target[:3])
    with open_house(paths[:1]) as house:
        found = house.post("/detect", q=german)
        assert found[0]["language"] == "de"
        assert len(found) <= 3
        # What cannot be translated from there is taken for what can be, and it is said how sure that is.
        answer = house.post("/translate", q=german, source="auto", target="de")
        assert answer["detectedLanguage"]["language"] == "en"
        assert answer["detectedLanguage"]["confidence"] < 50


def test_what_is_in_no_language_is_in_english(house: House, paths: list[Path]) -> None:
    unknown = {"confidence": 0.0, "language": "en"}
    for text in ("🙂 🙂", "?!", "--- 👩‍👩‍👧 …"):
        assert house.post("/detect", q=text) == [unknown]
        for form in ("text", "html"):
            found = house.post("/translate", q=text, source="auto", target="de", format=form)
            assert found == {"translatedText": text, "detectedLanguage": unknown}
    with open_house(paths[1:]) as german:  # the answer is the same where nothing is in English
        assert german.post("/detect", q="🙂") == [unknown]
        both = german.post("/translate", q=["🙂", " 🙂 "], source="auto", target="en")
        assert both == {"translatedText": ["🙂", " 🙂 "], "detectedLanguage": [unknown] * 2}


def test_emoji_come_back_as_they_went(house: House) -> None:
    for text in ("🙂", " 🙂  🙂 ", "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪", "❤️\n\n👍🏽"):
        assert house.post("/translate", q=text, source="en", target="de") == {"translatedText": text}


def test_no_final_stop_is_added_or_lost(house: House, texts: Sides) -> None:
    bare = [text.rstrip(".") for text in texts.source]
    for asked in ([*texts.source, *bare], [f"{text} <b>now</b>." for text in bare[:5]], ['"The house."', "A house!"]):
        for form in ("text", "html"):
            found = house.post("/translate", q=asked, source="en", target="de", format=form, alternatives=2)
            for source, made, others in zip(asked, found["translatedText"], found["alternatives"], strict=True):
                for each in (made, *others):
                    ends = each.rstrip('"”“»').endswith(".")
                    assert ends == source.rstrip('"').endswith("."), (source, each)


def test_a_model_that_adds_and_loses_stops(models: Path, tmp_path: Path) -> None:
    shutil.copytree(models / "en-de", tmp_path / "en-de")
    with open_house([tmp_path / "en-de"], options=ServingOptions(learn=True)) as house:
        asked = ["A dog sleeps", SENTENCE]
        terms = [{"source": ["sleeps"], "target": ["pennt."]}, {"source": ["small."], "target": ["klein"]}]
        assert house.client.put("/v1/glossary", json={"terms": terms}).status_code == 200
        own = [each["text"] for each in house.post("/v1/translate", text=asked)["translations"]]
        assert [text.endswith(".") for text in own] == [True, False]
        pages = [f"<p>{text}</p>" for text in asked]
        for form, texts, around in (("text", asked, "{}"), ("html", pages, "<p>{}</p>")):
            found = house.post("/translate", q=texts, source="en", target="de", format=form)["translatedText"]
            assert found == [around.format(own[0].rstrip(".")), around.format(f"{own[1]}.")]
        alternatives = house.post("/translate", q=asked, source="en", target="de", alternatives=5)["alternatives"]
        assert [{text.endswith(".") for text in others} for others in alternatives] == [{False}, {True}]


def test_a_stop_is_that_of_the_source(models: Path) -> None:
    preprocessors = dragoman.load(models / "en-de").preprocessors
    stop = FinalStop(*preprocessors, language="de")
    for source, translation, expected in (
        ("A house.", "Ein Haus", "Ein Haus."),
        ("A house", "Ein Haus.", "Ein Haus"),
        ("A house", "Ein Haus .", "Ein Haus "),
        ("A house?", "Ein Haus.", "Ein Haus?"),
        ("A house.", "Ein Haus!", "Ein Haus!"),
        ("A house...", "Ein Haus", "Ein Haus..."),
        ("A <b>house.</b>", "Ein <b>Haus</b>", "Ein <b>Haus.</b>"),
        ("(A house.)\n", "(Ein Haus)\n", "(Ein Haus.)\n"),
        ("Houses and so on", "Häuser usw.", "Häuser usw."),
        ("At 5 p.m.", "Um 17 Uhr", "Um 17 Uhr"),
        ("A house.", "", ""),
        (".", ".", "."),
        ("x", ".", "."),
        ("", "x", "x"),
    ):
        assert stop.kept(source, translation) == expected, (source, translation)
    chinese, thai = (FinalStop(*preprocessors, language=code) for code in ("zh-Hans", "th"))
    assert chinese.kept("A house.", "房子") == "房子。"
    assert thai.kept("A house.", "บ้าน") == "บ้าน"


def test_forms_of_requests(house: House, expected: str) -> None:
    pair = {"source": "en", "target": "de"}
    # Line ends of forms are those of browsers; of JSON they are what was meant.
    lines = house.client.post("/translate", data={"q": "a house\r\nthe house\rhouse", **pair}).json()
    assert lines["translatedText"].count("\n") == 2
    assert "\r" not in lines["translatedText"]
    # A text that a form has twice is no list.
    form = {"Content-Type": "application/x-www-form-urlencoded"}

    def sent(content: str | bytes, address: str = "") -> Any:
        return house.client.post(f"/translate{address}", content=content, headers=form).json()

    twice = sent("q=The+old+house+is+small.&q=house&source=en&target=de")
    assert twice == {"translatedText": expected}
    # Letters may come as they are, as curl sends them, or as percents.
    for q in ("🙂 ü", "%F0%9F%99%82+%C3%BC"):
        assert sent(f"q={q}&source=en&target=de".encode()) == {"translatedText": "🙂 ü"}
    assert house.client.get("/translate?q=%F0%9F%99%82+%C3%BC&source=en&target=de").json() == {"translatedText": "🙂 ü"}
    for broken in (b"q=\xff", b"q=%ff", b"&".join(b"x%d=1" % number for number in range(200))):
        assert sent(broken + b"&source=en&target=de") == {"error": "Invalid request: not a form"}
    assert sent("q=house&source=xx", "?source=en&target=de")["translatedText"]  # what the address says comes first
    # Keys that say nothing, parameters that nobody knows, letters of any case.
    for key in ("", None):
        asked = {"q": SENTENCE, "source": "EN", "target": "DE_de", "api_key": key, "glossary_id": 5, "format": None}
        assert house.post("/translate", **asked) == {"translatedText": expected}
    one = house.client.post("/translate", json={"q": ["Käse"], **pair})
    assert "Käse".encode() in one.content  # text, not escapes
    assert one.headers["content-type"] == "application/json"
    for method, path in (("GET", "/detect"), ("GET", "/suggest"), ("POST", "/frontend/settings")):
        assert house.client.request(method, path).status_code == 405
    # Their client sends a form where nothing is read.
    assert house.client.request("GET", "/languages", data={"api_key": "x"}).status_code == 200


def test_codes_with_a_script_or_region(models: Path, tmp_path: Path) -> None:
    """What people call `pt-br` is `pt-BR`, in answers, too."""
    source, target = sides(60)
    recipe = replace(SMALL, dev_size=10)
    dragoman.train(source, target, output=tmp_path / "en-pt", languages=("en", "pt_br"), recipe=recipe)
    with open_house([tmp_path / "en-pt"]) as house:
        assert {each["code"] for each in house.client.get("/languages").json()} == {"en", "pt-BR"}
        for code in ("pt-br", "pt-BR", "PT_BR"):
            assert house.post("/translate", q="house", source="en", target=code)["translatedText"]
        wrong = house.client.post("/translate", json={"q": "house", "source": "pt-br", "target": "en"})
        words = "English (en) is not available as a target language from Portuguese (BR) (pt-BR)"
        assert (wrong.status_code, wrong.json()) == (400, {"error": words})


def test_alternatives(house: House) -> None:
    answer = house.post("/translate", q=SENTENCE, source="en", target="de", alternatives=3)
    assert 0 < len(answer["alternatives"]) <= 3
    assert answer["translatedText"] not in answer["alternatives"]
    assert len(set(answer["alternatives"])) == len(answer["alternatives"])
    many = house.post("/translate", q=[SENTENCE] * 2, source="en", target="de", alternatives=-2)
    assert "alternatives" not in many
    listed = house.post("/translate", q=[SENTENCE] * 2, source="en", target="de", alternatives="5")["alternatives"]
    assert listed[0] == listed[1]
    assert 3 < len(listed[0]) <= 5
    assert "" not in listed[0]


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
            "Invalid request: alternatives parameter must be <= 5",
        ),
        (
            {"q": "x", "source": "en", "target": "de", "alternatives": True},
            400,
            "Invalid request: alternatives parameter is not a number",
        ),
        ({"q": "x", "target": "de", "alternatives": "many"}, 400, "Invalid request: missing source parameter"),
        ({"q": "x", "source": "zz", "target": "de", "format": "xml"}, 400, "zz is not supported"),
        (
            {"q": "x", "source": "en", "target": "de", "api_key": 7},
            400,
            "Invalid request: api_key parameter is not a text",
        ),
        ({"q": 7, "source": "en", "target": "de"}, 400, "Invalid request: q parameter is not a text"),
        ({"q": "\ud800", "source": "en", "target": "de"}, 400, "Invalid request: q parameter is not a text"),
    ],
)
def test_refusals_have_the_words_of_libretranslate(house: House, asked: Any, status: int, words: str) -> None:
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
