"""Whatever is sent, the answer is one that the description of the API promises, and what it allows is accepted."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.core.result import Ok

from dragoman.server.served_models import ServingOptions
from tests.server.house import House, open_house

SOME = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck), database=None)
LANGUAGES = {"model": "en-de", "source": "en", "target": "de"}
SENTENCE, TRANSLATION = "The old house is small", "Das alte Haus ist klein"


@pytest.fixture(scope="module")
def teachable(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server that learns, whatever it is taught, and remembers it."""
    place = tmp_path_factory.mktemp("taught") / "en-de"
    shutil.copytree(models / "en-de", place)
    with open_house([place], options=ServingOptions(learn=True, memory=True), max_nbest=1000) as house:
        yield house


def sensible(case: Case[Any], house: House) -> dict[str, Any]:
    """Give what was made up the sense that a schema cannot ask for, and say what is sent besides.

    Languages are those that are served, files exist, choices lie within their text, terms do not contradict each other,
    there is a text where its translation is begun, and words where words are taught.
    """
    sent: dict[str, Any] = cast(Any, case.body) if isinstance(case.body, dict) else {}
    for where in (sent, case.query if isinstance(case.query, dict) else {}):
        where.update({name: known for name, known in LANGUAGES.items() if where.get(name)})
    for number, term in enumerate(sent.get("glossary", sent.get("terms", []))):
        term["source"] = [f"{form} {number} {at}" for at, form in enumerate(term["source"])]
    path = case.operation.path
    if path.endswith("/translate_file"):
        form = {name: value for name, value in sent.items() if name != "file"}
        return {"files": {"file": ("note.txt", f"{SENTENCE}\n".encode())}, "data": form}
    if path.startswith("/download_file/"):
        files = {"file": ("note.txt", SENTENCE.encode())}
        kept = house.client.post("/translate_file", files=files, data=LANGUAGES).json()["translatedFileUrl"]
        case.path_parameters = {"name": kept.rpartition("/")[2]}
    elif path == "/v1/translate" and "prefix" in sent:
        texts = [sent["text"]] if isinstance(sent["text"], str) else sent["text"]
        sent["text"] = [f"{text} {SENTENCE}" for text in texts]
        if isinstance(sent["prefix"], list):
            sent["prefix"] = (sent["prefix"] + [""] * len(texts))[: len(texts)]
    elif path in ("/v1/explain", "/v1/complete"):
        sent["text"] += f" {SENTENCE}"
        size = len(sent["text"])
        sent["choices"] = [{**each, "start": size - 5, "end": size} for each in sent.pop("choices", [])[:1]]
        if path == "/v1/complete":
            del sent["choices"]
    taught = {"/v1/learn": ("text", "translation"), "/suggest": ("q", "s")}.get(path, ("phrase", "translation"))
    if path.startswith("/v1/rules") or path in ("/v1/learn", "/suggest"):
        for name, words in zip(taught, (SENTENCE, TRANSLATION), strict=True):
            if name in sent:
                sent[name] += f" {words}"
    return {}


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda mode: mode.value)
def test_answers_are_as_described(teachable: House, mode: GenerationMode) -> None:
    description = schemathesis.openapi.from_url(f"{teachable.url}/openapi.json")
    operations = [found.ok() for found in description.get_all_operations() if isinstance(found, Ok)]

    def run(case: Case[Any]) -> None:
        case.call_and_validate(**(sensible(case, teachable) if mode is GenerationMode.POSITIVE else {}))

    for operation in operations:
        try:
            SOME(given(operation.as_strategy(generation_mode=mode))(run))()
        except Unsatisfiable:
            assert mode is GenerationMode.NEGATIVE
    assert {each.label for each in operations} >= {"GET /translate", "POST /translate", "POST /v1/explain"}
    assert len(operations) == 29
