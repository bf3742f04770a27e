"""The command itself: it serves, bears many clients, and stops in order."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.pipeline.conftest import Sides
from tests.server.house import open_house
from tools.load_server import load


def start(*arguments: str) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "dragoman", "serve", *arguments, "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(r"open (http://\S+) in a browser", line):
            return process, found[1]
    raise AssertionError(process.wait())


def test_it_serves_and_stops_in_order(paths: list[Path], texts: Sides) -> None:
    process, url = start(str(paths[0]), f"back={paths[1]}", "--threads", "1")
    try:
        names = [each["name"] for each in httpx.get(f"{url}/v1/models").json()["models"]]
        assert names == ["en-de", "back"]
        answers: list[Any] = []

        def ask() -> None:
            content = {"text": texts.source * 4, "model": "en-de"}
            answers.append(httpx.post(f"{url}/v1/translate", json=content, timeout=60).json())

        asking = threading.Thread(target=ask)
        asking.start()
        deadline = time.monotonic() + 30
        while not httpx.get(f"{url}/v1/health").json()["waiting"] and time.monotonic() < deadline and not answers:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGTERM)  # what has begun is answered
        asking.join(60)
        assert len(answers[0]["translations"]) == len(texts.source) * 4
        assert process.wait(30) in (0, -signal.SIGTERM)
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def test_what_was_learned_survives_a_kill(models: Path, tmp_path: Path) -> None:
    shutil.copytree(models / "en-de", tmp_path / "en-de")
    correction = {"text": "The old house is small.", "translation": "Das betagte Gebäude ist winzig."}
    for _ in range(2):
        process, url = start(str(tmp_path / "en-de"), "--learn")
        try:
            changes = httpx.get(f"{url}/v1/rules").json()["changes"]
            if not changes:
                assert httpx.post(f"{url}/v1/learn", json=correction, timeout=60).status_code == 200
        finally:
            process.kill()
            process.wait()
            assert process.stderr is not None
            process.stderr.close()
    assert [change["target"] for change in changes] == [correction["translation"]]


def test_mistakes_are_told_in_a_line(paths: list[Path], tmp_path: Path) -> None:
    for arguments, words in (
        ([str(tmp_path / "none")], "none"),
        ([str(paths[0]), str(paths[0])], "two models are called 'en-de'"),
        ([str(paths[0]), "--keys", str(tmp_path / "keys")], "keys"),
        ([str(paths[0]), "--max-texts", "0"], "max_texts"),
        ([str(paths[0]), "--port", "0", "--host", "256.1.1.1"], "cannot listen"),
    ):
        command = [sys.executable, "-m", "dragoman", "serve", *arguments]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert run.returncode == 2, run.stderr
        assert words in run.stderr
        assert "Traceback" not in run.stderr


def test_many_clients_at_once(paths: list[Path], texts: Sides) -> None:
    """The short form of `tools/load_server.py`: nothing but answers, and refusals of a full queue."""
    with open_house(paths[:1], waiting=30) as house:
        found = asyncio.run(load(house.url, texts.source, clients=20, seconds=2.0))
    assert found["failures"] == 0, found["statuses"]
    assert set(found["statuses"]) <= {"200", "503"}
    assert found["requests"] > 0


@pytest.mark.parametrize("kind", ["po", "md"])
def test_files_are_translated_from_the_command_line(paths: list[Path], tmp_path: Path, kind: str) -> None:
    file, output = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    content = {"po": 'msgid ""\nmsgstr ""\n\nmsgid "The %s house"\nmsgstr ""\n', "md": "# The **old** house\n"}[kind]
    file.write_text(content, "utf-8")
    command = [
        sys.executable,
        "-m",
        "dragoman",
        "translate-file",
        str(paths[0]),
        str(file),
        "-o",
        str(output),
        "--json",
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert '"translated": 1' in run.stdout
    found = output.read_text("utf-8")
    assert ("%s" in found.rpartition("msgstr")[2]) if kind == "po" else found.startswith("# ") and "**" in found
    assert "fuzzy" in found or kind == "md"


def test_the_demonstration_can_be_opened_in_a_browser(models: Path, tmp_path: Path) -> None:
    """A model that is there already is served at once, and the browser is told where."""
    shutil.copytree(models / "en-de", tmp_path / "en-de")
    told = tmp_path / "told"
    command = [sys.executable, "-m", "dragoman", "demo", "--serve", "--port", "0", "-o", str(tmp_path)]
    environment = {**os.environ, "BROWSER": f"{sys.executable} -c \"open({str(told)!r}, 'w').write('%s')\""}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        address = re.search(r"the page is (http://\S+);", line)
        assert address is not None, line
        assert "<title>dragoman</title>" in httpx.get(address[1]).text
        deadline = time.monotonic() + 20
        while not (told.exists() and told.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert told.read_text() == address[1]
    finally:
        process.terminate()
        process.wait(30)
        assert process.stderr is not None
        process.stderr.close()
