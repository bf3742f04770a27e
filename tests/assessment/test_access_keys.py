"""Links cannot be guessed, codes cannot be made up, and the file is its owner's."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.assessment.access_keys import AccessKeys, completion_code, link, platform_link
from dragoman.errors import FormatError, SettingError


def test_tokens_differ_and_survive_the_file(tmp_path: Path) -> None:
    access = AccessKeys.fresh(["anna", "ben"], tasks={"anna": ("t1", "t2")})
    tokens = {access.key, access.organizer, access.crowd, *(one.token for one in access.assessors)}
    assert len(tokens) == 5
    assert min(map(len, tokens)) >= 32
    assert AccessKeys.fresh(["anna"]).assessors[0].token != access.assessors[0].token
    access.write(tmp_path / "access.json")
    assert (tmp_path / "access.json").stat().st_mode & 0o077 == 0
    assert AccessKeys.read(tmp_path) == access
    (tmp_path / "access.json").write_text('{"key": 1}', "utf-8")
    with pytest.raises(FormatError, match="key"):
        AccessKeys.read(tmp_path)


def test_links() -> None:
    access = AccessKeys.fresh()
    assert link("https://x.org/", "a b") == "https://x.org/t/a%20b"
    assert platform_link("https://x.org", access, "prolific").endswith(
        f"/c/{access.crowd}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&STUDY_ID={{{{%STUDY_ID%}}}}&SESSION_ID={{{{%SESSION_ID%}}}}"
    )
    assert "workerId=${workerId}" in platform_link("https://x.org", access, "mturk")
    with pytest.raises(SettingError, match="prolific"):
        platform_link("https://x.org", access, "fiverr")


def test_completion_codes() -> None:
    access = AccessKeys.fresh()
    code = completion_code(access, assessor="anna", task="t1")
    assert code == completion_code(access, assessor="anna", task="t1")
    assert len(code) == 10
    others = {completion_code(access, assessor=a, task=t) for a, t in (("anna", "t2"), ("ann", "at1"), ("ben", "t1"))}
    assert code not in others
    assert len(others) == 3
    assert completion_code(AccessKeys.fresh(), assessor="anna", task="t1") != code
