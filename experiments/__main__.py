"""Run an experiment by its name, or list them all.

    python -m experiments
    python -m experiments exact-phrase --sentences 100
    python -m experiments exact-phrase --quick

Names are those of the folders without the number of the paper. `--quick` runs on a little synthetic text, to see that
it runs; other flags are the experiment's own (`--help`). The list says what the last published run cost.
"""

from __future__ import annotations

import difflib
import json
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent


def named() -> dict[str, Path]:
    """The script of each experiment by its name."""
    found = {}
    for script in sorted(HERE.glob("*/run.py")):
        folder = script.parent.name
        numbered = folder[:1] == "p" and folder[1:3].isdigit()
        found[(folder[4:] if numbered else folder).replace("_", "-")] = script
    return dict(sorted(found.items()))


def cost(script: Path) -> str:
    """What the published run of an experiment took, if it is on record."""
    spent = [
        float(kept["seconds"])
        for page in (HERE.parent / "docs" / "experiments").glob("*/result.json")
        if (kept := json.loads(page.read_text("utf-8"))).get("experiment") == script.parent.name and "seconds" in kept
    ]
    return f"{max(1, round(max(spent) / 60))} min" if spent else "not on record"


def listing() -> str:
    """Name, cost and question of each experiment."""
    rows = []
    for name, script in named().items():
        question = script.read_text("utf-8").partition('"""')[2].partition("\n")[0]
        rows.append(f"{name:24} {cost(script):>14}  {question}")
    return "\n".join(rows)


def main() -> None:
    scripts = named()
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print((__doc__ or "").strip(), "", "processor time of the last published run:", listing(), sep="\n")
        return
    name, *flags = sys.argv[1:]
    if name not in scripts:
        near = difflib.get_close_matches(name, scripts, 1)
        sys.exit(f"there is no experiment {name!r}{f'; did you mean {near[0]!r}?' if near else ''}")
    sys.argv = [str(scripts[name]), *("--small" if flag == "--quick" else flag for flag in flags)]
    runpy.run_path(str(scripts[name]), run_name="__main__")


if __name__ == "__main__":
    main()
