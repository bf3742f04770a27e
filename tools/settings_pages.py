"""Write the tables of settings into the reference pages, or check that they are up to date.

python tools/settings_pages.py [--check]

A table stands between `<!-- settings: KIND NAME -->`, such as `tuners mert`, and `<!-- end of settings -->`; `dragoman
list KIND NAME` shows the same.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from dragoman.cli.listing import REGISTRIES
from dragoman.settings import declared

PAGES = Path(__file__).parent.parent / "docs" / "reference"
_TABLE = re.compile(r"(<!-- settings: (\w+) (\S+) -->\n).*?(<!-- end of settings -->\n)", flags=re.S)


def table(kind: str, name: str) -> str:
    """The settings of one thing, as Markdown."""
    module, _, attribute = REGISTRIES[kind].partition(":")
    rows = ["| setting | default | may be | what it is |", "|---|---|---|---|"]
    for setting, each in declared(getattr(import_module(module), attribute).get(name)).items():
        said = each.describe()
        default = f"`{said['default']}`" if said.get("default") else ""
        rows.append(f"| `{setting}` | {default} | {said['wanted']} | {said['what']} |")
    return "\n".join(rows) + "\n"


def written(page: str) -> str:
    """A page with its tables as the code has them."""
    return _TABLE.sub(lambda found: found[1] + table(found[2], found[3]) + found[4], page)


def named(page: str) -> Iterator[tuple[str, str]]:
    """Kinds and names of the things whose settings a page shows."""
    for found in _TABLE.finditer(page):
        yield found[2], found[3]


def main() -> int:
    """Write or check all pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a page is out of date")
    check = parser.parse_args().check
    stale = [
        path for path in sorted(PAGES.rglob("*.md")) if written(path.read_text("utf-8")) != path.read_text("utf-8")
    ]
    for path in stale:
        if not check:
            path.write_text(written(path.read_text("utf-8")), "utf-8")
        print(f"{path}: {'out of date; run `make pages`' if check else 'written'}", file=sys.stderr)
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
