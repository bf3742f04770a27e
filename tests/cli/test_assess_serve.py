from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx

from dragoman.assessment.campaign_folder import create_campaign_folder
from dragoman.assessment.simulation.demonstration import SYSTEMS, make_demonstration
from tests.assessment.web.house import make_campaign


def dragoman(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dragoman", "assess", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_demonstration_is_made_served_and_analysed(tmp_path: Path) -> None:
    folder = tmp_path / "demonstration"
    made = dragoman("demo", "-o", str(folder), "--only-make", "--json")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout) == {"folder": str(folder)}, "nothing listens: no address is printed"
    assert "http" not in made.stderr
    again = dragoman("demo", "-o", str(folder), "--only-make", "--seed", "7")
    assert again.returncode == 2
    assert "--seed 7 for a campaign that is there already" in again.stderr
    for name in ("access.json", "links.csv"):
        assert (folder / name).stat().st_mode & 0o077 == 0

    page = served(folder)
    assert page.index("steady") < page.index("middling") < page.index("hasty")

    analysis = json.loads(dragoman("analyse", str(folder), "--json").stdout)
    (ranking,) = analysis["rankings"]
    assert [one["system"] for one in ranking["systems"]] == list(SYSTEMS)
    kinds = make_demonstration().kinds
    verdicts = {one["assessor"]: one["kept"] for one in analysis["assessors"]}
    assert verdicts == {name: kind == "conscientious" for name, kind in kinds.items()}
    assert False in verdicts.values()
    assert analysis["judgements"] == 800


def served(folder: Path) -> str:
    """Serve the demonstration that is there, look at its pages, stop it; the page of the analysis."""
    command = [sys.executable, "-m", "dragoman", "assess", "demo", "-o", str(folder), "--port", "0", "--no-open"]
    with subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        text = ""
        while not text.endswith("}\n"):
            text += process.stdout.readline()
        links = json.loads(text)
        try:
            base = links["judge"].partition("/t/")[0]
            with httpx.Client(base_url=base, follow_redirects=True, timeout=60) as client:
                assert "Before you start" in client.get(links["judge"]).text
                organizer = client.get(links["organizer"]).text
                assert "judgements are stored" in organizer
                return client.get("/organizer/analysis").text
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)


def test_what_cannot_be_served_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    create_campaign_folder(make_campaign(), folder, server="http://localhost")
    with socket.create_server(("127.0.0.1", 0)) as busy:
        taken = dragoman("serve", str(folder), "--port", str(busy.getsockname()[1]))
    assert (taken.returncode, taken.stderr.count("\n")) == (2, 1)
    assert "cannot listen" in taken.stderr
    wrong = dragoman("serve", str(folder), "--port", "0", "--database", "mysql://x")
    assert wrong.returncode == 2
    assert "SQLite or PostgreSQL" in wrong.stderr
