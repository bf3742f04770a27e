"""What is needed is named with the oldest version that may be used, and a bill of materials lists it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[[\w,]+\])?(?P<bound>>=[\d.]+)?")


def test_every_dependency_has_a_lower_bound() -> None:
    extras = [each for group in PROJECT["optional-dependencies"].values() for each in group]
    for requirement in (*PROJECT["dependencies"], *extras):
        found = REQUIREMENT.fullmatch(requirement)
        assert found is not None, requirement
        assert found["bound"] or found["name"] == "dragoman", requirement


def test_remedies_name_extras_that_exist() -> None:
    """Whoever follows an error or a page finds what it names."""
    texts = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]
    named = {extra for file in texts for extra in re.findall(r"dragoman\[(\w+)\]", file.read_text("utf-8"))}
    assert {"hanta", "parsers", "spacy"} <= named <= set(PROJECT["optional-dependencies"])


def test_the_bill_of_materials_lists_what_is_needed(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "tools" / "sbom.py"), str(tmp_path / "bill.json")], check=True)
    bill = json.loads((tmp_path / "bill.json").read_text("utf-8"))
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "dragoman")
    listed = {each["name"] for each in bill["components"] if each["scope"] == "required"}
    needed = {re.split(r"[\[>]", requirement)[0] for requirement in PROJECT["dependencies"]}
    assert needed <= listed
    assert all(each["purl"] == f"pkg:pypi/{each['name']}@{each['version']}" for each in bill["components"])
