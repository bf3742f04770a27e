"""Run the benchmarks, print them, and on request record them.

    python -m bench [ROOM ...] [--only TEXT] [--record]

Each room's jobs are in `bench/<room>.py`. `--record` keeps the figures in `bench/results/<room>.json` and rewrites
`bench/results.md` from all of them; with `--only` the figures of other jobs stay as they were. So do, with or without
it, those of jobs that lack something here.
"""

from __future__ import annotations

import argparse
import json
import platform
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.contest import JOBS, NotRun, Result, run

HERE = Path(__file__).parent
SHARED = {"__init__", "__main__", "contest", "english_parser"}


def render() -> str:
    """`results.md` from the recorded files."""
    lines = ["# Benchmark results", "", "Ratios are best time of the peer / best time of ours, run in turn.", ""]
    for file in sorted((HERE / "results").glob("*.json")):
        kept = json.loads(file.read_text("utf-8"))
        lines += [f"## {file.stem}", "", f"`{kept['command']}`, {kept['date']}, {kept['machine']}", ""]
        lines += [
            "| job | peer | ours s | peer s | ratio | target | rate | note |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for row in kept["jobs"]:
            result = Result(**row)
            if result.ours is not None:
                ratio = f"{result.ratio:.1f}" if result.ratio else ""
                theirs = f"{result.theirs:.3f}" if result.theirs else ""
                target = f"{result.target:g} {result.verdict}" if result.target else ""
                cells = [result.job, result.peer, f"{result.ours:.3f}", theirs, ratio, target, result.rate, result.note]
                lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
        for row in kept["jobs"]:
            if row["figures"]:
                lines += [f"**{row['job']}**", "", "| figure | value |", "|---|---|"]
                lines += [f"| {name} | {value} |" for name, value in row["figures"].items()]
                lines.append("")
    return "\n".join(lines)


def _joined(kept: list[dict[str, Any]], results: list[Result], known: set[str], today: str) -> list[Result]:
    """What was recorded before of the jobs that there are, with new results in the places of old ones and behind them.

    New ones have their date.
    """
    jobs = {(row["job"], row["peer"]): Result(**row) for row in kept if row["job"] in known}
    for result in results:
        result.figures = {**result.figures, "run on": today}
    return list({**jobs, **{(result.job, result.peer): result for result in results}}.values())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    rooms = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in SHARED)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(rooms)}; all by default")
    parser.add_argument("--only", default="", help="jobs whose name contains this text")
    parser.add_argument("--record", action="store_true", help="keep the figures in bench/results.md")
    arguments = parser.parse_args()
    console = Console()
    for room in arguments.rooms or rooms:
        first = len(JOBS)
        import_module(f"bench.{room}")
        results = []
        not_run = set()
        table = Table("job", "peer", "ours s", "peer s", "ratio", "target", "rate", "note", title=room)
        for job in [job for job in JOBS[first:] if arguments.only in job[0]]:
            try:
                result = run(*job)
            except NotRun as reason:
                not_run.add(job[0])
                console.print(f"{job[0]}: not run: {reason}", highlight=False, markup=False, soft_wrap=True)
                continue
            results.append(result)
            for name, value in result.figures.items():
                console.print(f"{result.job}: {name}: {value}", highlight=False, markup=False, soft_wrap=True)
            if result.ours is not None:
                ratio = f"{result.ratio:.2f}" if result.ratio else ""
                theirs = f"{result.theirs:.3f}" if result.theirs else ""
                target = f"{result.target:g} {result.verdict}" if result.target else ""
                table.add_row(
                    result.job, result.peer, f"{result.ours:.3f}", theirs, ratio, target, result.rate, result.note
                )
        if table.row_count:
            console.print(table)
        if arguments.record and results:
            file = HERE / "results" / f"{room}.json"
            date = today = datetime.now(UTC).date().isoformat()
            if file.exists():
                before = json.loads(file.read_text("utf-8"))
                if arguments.only:
                    known = {job[0] for job in JOBS[first:]}
                    results, date = _joined(before["jobs"], results, known, today), before["date"]
                else:
                    results += [Result(**row) for row in before["jobs"] if row["job"] in not_run]
            kept = {
                "command": f"python -m bench {room} --record",
                "date": date,
                "machine": f"{platform.machine()}, Python {platform.python_version()}",
                "jobs": [asdict(result) for result in results],
            }
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
            (HERE / "results.md").write_text(render(), "utf-8")


if __name__ == "__main__":
    main()
