from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx

from dragoman.assessment.access import Access
from dragoman.assessment.campaign import Campaign
from dragoman.assessment.demonstration import SYSTEMS, make_demonstration


def dragoman(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dragoman", "assess", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_demonstration_can_be_judged_and_analysed(tmp_path: Path) -> None:
    folder = tmp_path / "demonstration"
    made = dragoman("demo", "-o", str(folder), "--only-make", "--json")
    assert made.returncode == 0, made.stderr
    links = json.loads(made.stdout)
    assert links["judge"].startswith("http://127.0.0.1:8000/t/")
    for name in ("access.json", "links.csv"):
        assert (folder / name).stat().st_mode & 0o077 == 0
    again = dragoman("demo", "-o", str(folder), "--only-make", "--json")
    assert json.loads(again.stdout) == links
    assert "made a campaign" not in again.stderr
    analysis = json.loads(dragoman("analyse", str(folder), "--json").stdout)
    (ranking,) = analysis["rankings"]
    assert [one["system"] for one in ranking["systems"]] == list(SYSTEMS)
    kinds = make_demonstration().kinds
    verdicts = {one["assessor"]: one["kept"] for one in analysis["assessors"]}
    assert verdicts == {name: kind == "conscientious" for name, kind in kinds.items()}
    assert False in verdicts.values()
    rows = dragoman("export", str(folder)).stdout.splitlines()
    assert len(rows) == 1 + analysis["judgements"]
    status = json.loads(dragoman("status", str(folder), "--json").stdout)
    assert status["judgements"] == analysis["judgements"]


def test_the_demonstration_is_served(tmp_path: Path) -> None:
    folder = tmp_path / "demonstration"
    command = [sys.executable, "-m", "dragoman", "assess", "demo", "-o", str(folder), "--port", "0", "--no-open"]
    with subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        text = ""
        while not text.endswith("}\n"):
            text += process.stdout.readline()
        links = json.loads(text)
        try:
            with httpx.Client(follow_redirects=True) as client:
                assert "Before you start" in client.get(links["judge"]).text
                assert "judgements are stored" in client.get(links["organizer"]).text
                page = client.get(links["organizer"].partition("/o/")[0] + "/organizer/analysis").text
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=20)
    assert page.index("steady") < page.index("middling") < page.index("hasty")
    assert len(list(Campaign.read(folder).tasks)) == 9
    assert any(one.id == "you" for one in Access.read(folder).assessors)


def test_what_cannot_be_served_is_one_line(tmp_path: Path) -> None:
    missing = dragoman("serve", str(tmp_path / "nothing"))
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)
    folder = tmp_path / "demonstration"
    dragoman("demo", "-o", str(folder), "--only-make")
    with socket.create_server(("127.0.0.1", 0)) as busy:
        taken = dragoman("serve", str(folder), "--port", str(busy.getsockname()[1]))
    assert taken.returncode == 2
    assert "cannot listen" in taken.stderr
    wrong = dragoman("serve", str(folder), "--port", "0", "--database", "mysql://x")
    assert wrong.returncode == 2
    assert "SQLite or PostgreSQL" in wrong.stderr
