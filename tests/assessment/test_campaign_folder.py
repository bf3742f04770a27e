from __future__ import annotations

import os
from pathlib import Path

from dragoman.assessment.campaign_folder import add_judgements, create_campaign_folder
from dragoman.assessment.web.store import Store, database_url
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
