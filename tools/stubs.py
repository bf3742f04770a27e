"""Write the type stubs of the native module into the source tree, or check that they are up to date.

python tools/stubs.py [--check]
"""

from __future__ import annotations

import argparse
import filecmp
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HOME = Path(__file__).parent.parent
STUBS = HOME / "src" / "dragoman" / "_native"

# stubgen spells arrays and paths in ways that strict type checkers dislike or people cannot read.
_ARRAY = re.compile(r"Annotated\[NDArray\[(numpy\.)?(\w+)\], dict\([^\]]*\)\]")
_REPLACEMENTS = [
    (_ARRAY, r"NDArray[\2]"),
    (re.compile(r"str \| os\.PathLike(?!\[)"), "str | os.PathLike[str]"),
    (re.compile(r"numpy\.(u?int\d+|float\d+|bool_)\b"), r"\1"),
    (re.compile(r"__hash__: None = None"), "__hash__: None  # type: ignore[assignment]"),
]
_IMPORTS = re.compile(r"^(import numpy|from typing import Annotated|from numpy.typing import NDArray)\n", flags=re.M)
_DTYPES = ("bool_", "float32", "float64", "int8", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def mend(text: str) -> str:
    """Spell arrays and paths plainly."""
    for pattern, replacement in _REPLACEMENTS:
        text = pattern.sub(replacement, text)
    used = [name for name in _DTYPES if re.search(rf"NDArray\[{name}\]", text)]
    text = re.sub(
        r"^(import numpy|from typing import Annotated|from numpy.typing import NDArray)\n", "", text, flags=re.M
    )
    if used:
        imports = f"from numpy import {', '.join(used)}\nfrom numpy.typing import NDArray\n"
        docstring = re.match(r'""".*?"""\n', text, flags=re.S)
        start = docstring.end() if docstring else 0
        text = text[:start] + imports + text[start:]
    return text


def generate(folder: Path) -> None:
    """Write the stubs of the installed extension into a folder."""
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-r", "-m", "dragoman._native", "-O", str(folder.parent)]
    subprocess.run(command, check=True)
    for file in sorted(folder.rglob("*.pyi")):
        file.write_text(mend(file.read_text()))
    ruff = [sys.executable, "-m", "ruff"]
    config = ["--config", str(HOME / "pyproject.toml"), "--config", "extend-exclude=[]", "-q"]
    subprocess.run([*ruff, "check", *config, "--fix", "--select", "I,F401,UP", str(folder)], check=True)
    subprocess.run([*ruff, "format", *config, str(folder)], check=True)


def main() -> None:
    """Write or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as name:
        fresh = Path(name) / "_native"
        generate(fresh)
        found = {file.relative_to(fresh) for file in fresh.rglob("*.pyi")}
        if not check:
            shutil.rmtree(STUBS, ignore_errors=True)
            for file in sorted(found):
                (STUBS / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(fresh / file, STUBS / file)
            return
        committed = {file.relative_to(STUBS) for file in STUBS.rglob("*.pyi")}
        same = found == committed and all(filecmp.cmp(fresh / file, STUBS / file, shallow=False) for file in found)
        if not same:
            sys.exit("the stubs in src/dragoman/_native are not those of the native code: run `make stubs`")


if __name__ == "__main__":
    main()
