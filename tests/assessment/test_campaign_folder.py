from __future__ import annotations

import os
from pathlib import Path

import pytest

from dragoman.assessment.campaign_folder import add_judgements, create_campaign_folder
from dragoman.assessment.web.store import Store, database_url
from dragoman.errors import FileError
from tests.assessment.web.house import make_campaign


def test_secrets_are_for_their_owner_from_the_moment_they_exist(tmp_path: Path) -> None:
    """Also under a umask that lets everybody read; nothing is created wide open and closed afterwards."""
    folder, seen = tmp_path / "campaign", {}
    campaign = make_campaign()
    old, replace = os.umask(0), Path.replace

    def watched(path: Path, target: Path) -> Path:
        seen[Path(target).name] = path.stat().st_mode & 0o777
        return replace(path, target)

    Path.replace = watched  # type: ignore[method-assign,assignment]
    try:
        create_campaign_folder(campaign, folder, server="https://judge.invalid")
        add_judgements(folder, [])
        Store(database_url(folder), campaign).close()
        with Store(database_url(folder), campaign)._engine.connect() as connection:
            connection.exec_driver_sql("SELECT 1")
            modes = {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}
    finally:
        Path.replace = replace  # type: ignore[method-assign]
        os.umask(old)
    assert set(seen) == {"campaign.json", "access.json", "links.csv", "judgements.jsonl"}
    assert set(seen.values()) == {0o600}
    assert {"judgements.sqlite", "judgements.sqlite-wal"} < set(modes)
    assert set(modes.values()) == {0o600}


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    campaign, folder = make_campaign(), tmp_path / "theirs"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine", "utf-8")
    with pytest.raises(FileError, match=r"has notes\.txt in it, which was not made by this command"):
        create_campaign_folder(campaign, folder, server="https://judge.invalid", force=True)
    assert [file.name for file in folder.iterdir()] == ["notes.txt"]
    (folder / "notes.txt").unlink()
    first = create_campaign_folder(campaign, folder, server="https://judge.invalid")
    again = create_campaign_folder(campaign, folder, server="https://judge.invalid", force=True)
    assert first.organizer != again.organizer
