"""The experiment on multiword expressions runs, small."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from experiments.p32_mwe_alignment import run


def test_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["run.py", "--small", "--out", str(tmp_path)])
    run.main()
    result = json.loads((tmp_path / "result.json").read_text())
    first = "every anchor is linked, and to nothing else, by every model with a sentence prior"
    assert result["verdicts"][first]
    assert "| synthetic | gold | ibm3 | posterior |" in (tmp_path / "table.md").read_text()
