"""The runner of benchmarks (`python -m bench`): what is recorded, and what stays as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bench.__main__ as runner
from bench.contest import NotRun
from bench.contest import bench as job


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a room of two jobs is recorded, one of which needs a peer that is here only while the file `peer` is."""

    def room(_: str) -> None:
        @job("plain")
        def plain() -> dict[str, str]:
            return {"value": "1"}

        @job("beside a peer")
        def beside() -> dict[str, str]:
            if not (tmp_path / "peer").exists():
                raise NotRun("there is no peer")
            return {"value": "2"}

    monkeypatch.setattr(runner, "HERE", tmp_path)
    monkeypatch.setattr(runner, "import_module", room)
    monkeypatch.setattr("sys.argv", ["bench", "room", "--record"])
    jobs: list[object] = []
    monkeypatch.setattr("bench.contest.JOBS", jobs)
    monkeypatch.setattr(runner, "JOBS", jobs)
    (tmp_path / "peer").touch()
    return tmp_path / "results" / "room.json"


def values(file: Path) -> dict[str, str]:
    return {row["job"]: row["figures"]["value"] for row in json.loads(file.read_text("utf-8"))["jobs"]}


def test_a_job_that_lacks_its_peer_says_so_and_keeps_its_figures(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runner.main()
    assert values(recorded) == {"plain": "1", "beside a peer": "2"}
    (recorded.parent.parent / "peer").unlink()
    runner.main()
    assert "beside a peer: not run: there is no peer" in capsys.readouterr().out
    assert values(recorded) == {"plain": "1", "beside a peer": "2"}


def test_a_job_that_was_never_run_is_not_recorded(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (recorded.parent.parent / "peer").unlink()
    runner.main()
    assert values(recorded) == {"plain": "1"}
    monkeypatch.setattr("sys.argv", ["bench", "room", "--record", "--only", "peer"])
    runner.main()
    assert values(recorded) == {"plain": "1"}


def test_figures_of_jobs_that_are_gone_go(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner.main()
    kept = json.loads(recorded.read_text("utf-8"))
    kept["jobs"].append({**kept["jobs"][0], "job": "as it was once called"})
    recorded.write_text(json.dumps(kept), "utf-8")
    monkeypatch.setattr("sys.argv", ["bench", "room", "--record", "--only", "plain"])
    runner.main()
    assert set(values(recorded)) == {"plain", "beside a peer"}


def test_jobs_of_one_name_beside_several_peers_all_stay(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner.main()
    kept = json.loads(recorded.read_text("utf-8"))
    kept["jobs"].append({**kept["jobs"][1], "peer": "another"})
    recorded.write_text(json.dumps(kept), "utf-8")
    monkeypatch.setattr("sys.argv", ["bench", "room", "--record", "--only", "plain"])
    runner.main()
    assert [row["peer"] for row in json.loads(recorded.read_text("utf-8"))["jobs"]] == ["", "", "another"]
