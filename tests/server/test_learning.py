"""Learning, rules, glossary, memory, completion and documents over HTTP."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.server.served_models import ServingOptions
from tests.server.house import House, open_house

SENTENCE = "The old house is small."
CORRECTION = "Das betagte Gebäude ist winzig."


@pytest.fixture
def place(models: Path, tmp_path: Path) -> Path:
    shutil.copytree(models / "en-de", tmp_path / "en-de")
    return tmp_path / "en-de"


@pytest.fixture
def learning(place: Path) -> Iterator[House]:
    with open_house([place], options=ServingOptions(learn=True)) as house:
        yield house


def translated(house: House, text: str = SENTENCE) -> str:
    return str(house.post("/v1/translate", text=text)["translations"][0]["text"])


def test_a_correction_counts_in_the_next_request(learning: House, place: Path) -> None:
    before = translated(learning)
    change = learning.post("/v1/learn", text=SENTENCE, translation=CORRECTION)
    assert change["phrases"] > 5
    assert translated(learning) == CORRECTION
    listed = learning.client.get("/v1/rules").json()["changes"]
    assert [(each["action"], each["target"]) for each in listed] == [("learn", CORRECTION)]
    with open_house([place], options=ServingOptions(learn=True)) as again:
        assert translated(again) == CORRECTION
    with open_house([place]) as static:  # learned before, not learning now
        assert translated(static) == CORRECTION
        assert static.client.post("/v1/learn", json={"text": "a", "translation": "b"}).status_code == 403
    assert learning.post("/v1/rules/undo")["target"] == CORRECTION
    assert translated(learning) == before
    assert learning.client.post("/v1/rules/undo").status_code == 422


def test_rules_over_http(learning: House) -> None:
    learning.post("/v1/rules", phrase="house", translation="Hütte")
    assert "Hütte" in translated(learning)
    assert learning.post("/v1/options", text="house")["options"][0]["text"] == "Hütte"
    learning.post("/v1/rules/remove", phrase="house", translation="Hütte")
    assert "Hütte" not in translated(learning)
    gone = learning.client.post("/v1/rules/remove", json={"phrase": "house", "translation": "xyz"})
    assert (gone.status_code, gone.json()["error"]) == (422, "there is no such rule")
    assert learning.client.post("/v1/rules", json={"phrase": "", "translation": "x"}).status_code == 422
    stranger = {"Host": "evil.example.org"}
    asked = {"phrase": "house", "translation": "x"}
    assert learning.client.post("/v1/rules", json=asked, headers=stranger).status_code == 403


def test_suggestions_of_libretranslate(learning: House, house: House) -> None:
    asked = {"q": SENTENCE, "s": CORRECTION, "source": "en", "target": "de"}
    answer = house.client.post("/suggest", data=asked)
    assert (answer.status_code, answer.json()) == (403, {"error": "Suggestions are disabled on this server."})
    assert learning.client.post("/suggest", data=asked).json() == {"success": True}
    assert translated(learning) == CORRECTION
    missing = learning.client.post("/suggest", json={**asked, "s": ""})
    assert missing.json() == {"error": "Invalid request: missing s parameter"}
    assert learning.client.get("/frontend/settings").json()["suggestions"] is True


def test_a_glossary_for_everybody(learning: House, place: Path) -> None:
    terms = [{"source": ["house", "houses"], "target": ["Gebäude"], "hard": True}]
    answer = learning.client.put("/v1/glossary", json={"terms": terms})
    assert answer.json()["terms"] == terms
    assert "Gebäude" in translated(learning)
    own = [{"source": ["house"], "target": ["Kate"]}]
    assert "Kate" in learning.post("/v1/translate", text=SENTENCE, glossary=own)["translations"][0]["text"]
    with open_house([place]) as again:
        assert again.client.get("/v1/glossary").json()["terms"] == terms
        assert "Gebäude" in translated(again)
    bad = learning.client.put("/v1/glossary", json={"terms": [{"source": ["a|b"], "target": ["c"]}]})
    assert bad.status_code == 422
    twice = learning.client.put("/v1/glossary", json={"terms": [*terms, {"source": ["house"], "target": ["x"]}]})
    assert twice.status_code == 422


def test_memory_comes_first_and_says_so(place: Path, tmp_path: Path) -> None:
    known = tmp_path / "memory.tsv"
    known.write_text("A dog sleeps.\tEin Hund pennt.\n", "utf-8")
    options = ServingOptions(learn=True, memory=True, memory_files=(known,))
    with open_house([place], options=options) as house:
        one = house.post("/v1/translate", text=["A  dog sleeps.", "A cat."])["translations"]
        assert (one[0]["text"], one[0]["origin"]) == ("Ein Hund pennt.", "memory")
        assert one[1]["origin"] == "model"
        house.post("/v1/learn", text=SENTENCE, translation=CORRECTION)
        found = house.post("/v1/translate", text="The old house is big.", matches=2)["translations"][0]
        assert [match["target"] for match in found["matches"]] == [CORRECTION]
        assert house.post("/translate", q="A dog sleeps.", source="en", target="de") == {
            "translatedText": "Ein Hund pennt."
        }


def test_completion(house: House) -> None:
    whole = translated(house)
    words = whole.split()
    for prefix in ("", words[0], f"{words[0]} ", f"{words[0]} {words[1][:2]}", "Xy", "Das Xy ", whole):
        found = house.post("/v1/complete", text=SENTENCE, prefix=prefix, model="en-de")
        assert all(each.startswith(prefix) for each in found["completions"]), (prefix, found)
        assert all(0 < each["confidence"] <= 1 for each in found["next_words"])
    first = house.post("/v1/complete", text=SENTENCE, prefix="", model="en-de")
    assert first["completions"][0] == whole
    assert first["next_words"][0]["text"].strip() == words[0]
    assert sum(each["confidence"] for each in first["next_words"]) <= 1 + 1e-9


def test_documents(house: House) -> None:
    page = b"<p>The <b>old</b> house.</p>"
    expected = house.post("/translate", q=page.decode(), source="en", target="de", format="html")["translatedText"]
    answer = house.client.post("/v1/translate_file", files={"file": ("a b.html", page)}, data={"model": "en-de"})
    assert answer.content.decode() == expected
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''a%20b.html"
    theirs = house.client.post(
        "/translate_file", files={"file": ("../x.html", page)}, data={"source": "en", "target": "de"}
    ).json()["translatedFileUrl"]
    assert theirs.startswith(f"{house.url}/download_file/")
    fetched = house.client.get(theirs)
    assert fetched.content.decode() == expected
    assert fetched.headers["content-disposition"].endswith("x.html")
    assert house.client.get("/download_file/..%2f..%2fetc%2fpasswd").status_code in (400, 404)
    assert house.client.get("/download_file/x").json() == {"error": "Invalid filename"}

    def refused(**sent: object) -> dict[str, str]:
        data = {"source": "en", "target": "de"}
        found: dict[str, str] = house.client.post("/translate_file", data=data, **sent).json()  # type: ignore[arg-type]
        return found

    assert refused(files={"file": ("x.exe", b"x")}) == {"error": "Invalid request: file format not supported"}
    assert refused() == {"error": "Invalid request: missing file parameter"}
    damaged = house.client.post("/v1/translate_file", files={"file": ("a.docx", b"x")}, data={"model": "en-de"})
    assert damaged.status_code == 422
    assert house.client.get("/frontend/settings").json()["filesTranslation"] is True


def test_a_correction_takes_effect_quickly(learning: House, texts: object) -> None:
    """200 ms on an idle machine; processor time, because others may use this one."""
    started = time.process_time()
    learning.post("/v1/learn", text=SENTENCE, translation=CORRECTION)
    assert time.process_time() - started < 2.0
