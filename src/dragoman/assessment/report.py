"""The report of an analysis: the same sections on the terminal, as Markdown and as one HTML file with its pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.assessment.analysis import Analysis
from dragoman.assessment.picture import assessor_picture, pace_picture, ranking_picture
from dragoman.errors import SettingError
from dragoman.files import writing

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["Section", "html", "markdown", "sections", "terminal", "write_report"]


@dataclass(frozen=True, slots=True)
class Section:
    """A title, a sentence on how to read it, a table, and a picture for the HTML file."""

    title: str
    text: str
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    picture: str = ""


def sections(analysis: Analysis, *, name: str = "") -> list[Section]:
    """What a report says, in the order a reader needs it: results first, then what they rest on."""
    found = [_summary(analysis, name)]
    found += _rankings(analysis)
    found += _gains(analysis)
    found += _assessors(analysis)
    found += _agreement(analysis)
    return found


def _summary(analysis: Analysis, name: str) -> Section:
    share = analysis.kept_judgements / analysis.judgements if analysis.judgements else 0.0
    people = {one.assessor for one in analysis.quality} | {name for one in analysis.preferences for name in one.weights}
    text = f"{analysis.judgements} judgements by {len(people)} assessors"
    if analysis.quality or not people:
        text += (
            f"; {analysis.kept} of {len(analysis.quality)} records of assessors kept, "
            f"with {analysis.kept_judgements} judgements ({share:.0%})"
        )
    text += "."
    rows = tuple((warning,) for warning in analysis.warnings)
    return Section(name or "Assessment", text, ("notes",) if rows else (), rows)


def _rankings(analysis: Analysis) -> Iterator[Section]:
    for ranking in analysis.rankings:
        rows = tuple(
            (
                str(ranking.cluster_of(one.system)), "-".join(map(str, dict.fromkeys(ranking.ranges[one.system]))),
                one.system, f"{one.z:+.3f}", f"[{one.interval[0]:+.3f}, {one.interval[1]:+.3f}]", f"{one.raw:.1f}",
                str(one.judgements), str(one.segments), str(one.assessors),
            )
            for one in ranking.systems
        )  # fmt: skip
        yield Section(
            f"Systems: {ranking.protocol} {ranking.pair}".strip(),
            "z is the mean of standardized scores with its 95% interval. Every system of a cluster is significantly "
            f"better than all of the next (rank-sum test, p < {analysis.settings['alpha']:g}).",
            ("cluster", "ranks", "system", "z", "interval", "raw", "judgements", "segments", "assessors"),
            rows,
            ranking_picture(ranking),
        )
    for pair, table in analysis.combined.items():
        better = tuple(
            (a, b, attribute, f"{p:.4f}") for a, row in table.items() for b, (attribute, p) in row.items()
        )  # fmt: skip
        yield Section(
            f"Who is better than whom: {pair}",
            "Adequacy decides where it separates two systems, fluency where adequacy does not.",
            ("system", "is better than", "by", "p"), better,
        )  # fmt: skip
    for one in analysis.preferences:
        groups = {system: at for at, group in enumerate(one.clusters, 1) for system in group}
        ranked = tuple(
            (str(groups[system]), "-".join(map(str, dict.fromkeys(one.ranges[system]))), system, f"{wins:.3f}")
            for system, wins in one.wins.items()
        )
        agreed = "; ".join(
            f"{name} kappa {found.kappa:.3f} on {found.pairs} pairs"
            for name, found in (("intra", one.intra), ("inter", one.inter))
            if found
        )
        yield Section(
            f"Systems by ranking: {one.pair}", f"Expected wins over {one.comparisons} comparisons. {agreed}".strip(),
            ("cluster", "ranks", "system", "expected wins"), ranked,
        )  # fmt: skip
        yield Section(
            f"Items won: {one.pair}",
            "All judgements of an item are one vote, in which an assessor weighs as much as they agree with the "
            "majority of the others. p is of the exact one-sided binomial test over items, for each two systems by "
            "themselves.",
            ("system", "preferred to", "items", "of", "%", "tied", "judgements", "p"),
            tuple(
                (
                    vote.better, vote.worse, str(vote.won), str(vote.won + vote.lost), f"{100 * vote.share:.1f}",
                    str(vote.tied), str(vote.judgements), f"{vote.p:.4f}",
                )
                for vote in one.votes
            ),
        )  # fmt: skip
    if analysis.errors:
        names = sorted({severity for one in analysis.errors for severity in one.per_output})
        yield Section(
            "Marked errors", "Errors per output, by severity.", ("system", "outputs", *names),
            tuple(
                (one.system, str(one.outputs), *(f"{one.per_output.get(name, 0.0):.2f}" for name in names))
                for one in analysis.errors
            ),
        )  # fmt: skip


def _gains(analysis: Analysis) -> Iterator[Section]:
    if not analysis.gains:
        return
    rows = []
    for one in analysis.gains:
        for name, gain in (("raw", one.raw), ("z", one.z)):
            bounds = "" if gain.interval is None else f"[{gain.interval[0]:+.2f}, {gain.interval[1]:+.2f}]"
            figures = (f"{gain.gain:+.2f}", bounds, f"{gain.naive:+.2f}", f"{gain.difficulty:+.2f}")
            rows.append((one.protocol, one.pair, name, *figures))
    yield Section(
        "Gain over time",
        "The difference of the systems plus what the new test set is harder by; the naive difference leaves that out.",
        ("protocol", "pair", "scores", "gain", "95% interval", "naive", "difficulty"), tuple(rows),
    )  # fmt: skip


def _assessors(analysis: Analysis) -> Iterator[Section]:
    if not analysis.quality:
        return
    several = len({(one.protocol, one.pair) for one in analysis.quality}) > 1
    rows = tuple(
        (
            one.assessor, *((one.protocol, one.pair) if several else ()), "kept" if one.kept else "dropped", one.reason,
            str(one.judgements), f"{one.seconds:.1f}" if one.seconds else "",
            f"{one.mean_d1:.1f}" if one.repeats else "", f"{one.mean_d2:.1f}" if one.degraded else "",
        )
        for one in analysis.quality
    )  # fmt: skip
    paired = any(one.degraded and one.repeats for one in analysis.quality)
    paced = any(one.p_paired is not None and one.seconds for one in analysis.quality)
    yield Section(
        "Assessors",
        "d1 is the mean size of differences between an item and its repeat, d2 the mean loss of degraded copies.",
        ("assessor", *(("protocol", "pair") if several else ()), "verdict", "why", "judgements", "s/item", "d1", "d2"),
        rows,
        (assessor_picture(analysis.quality) if paired else "") + (pace_picture(analysis.quality) if paced else ""),
    )
    flagged = tuple((one.assessor, flag) for one in analysis.quality for flag in one.flags)
    if flagged:
        yield Section(
            "Worth a look", "For a person to decide on before payment; the analysis decides nothing by these.",
            ("assessor", "what"), flagged,
        )  # fmt: skip
    consistent = [one for one in analysis.quality if one.kept and one.consistent is not None]
    if consistent:
        same = sum(one.consistent is not None and one.consistent >= 0.05 for one in consistent)
        yield Section(
            "Repeats",
            f"{same} of {len(consistent)} kept records score repeats like the first time (two-sided paired t-test, "
            "p >= 0.05). This checks the filter; random clicking passes it too.",
        )
    if analysis.repost:
        yield Section(
            "Tasks to post again", "Too few kept assessors did these.", ("protocol", "task", "kept assessors"),
            tuple((protocol, task, str(kept)) for protocol, task, kept in analysis.repost),
        )  # fmt: skip


def _agreement(analysis: Analysis) -> Iterator[Section]:
    if analysis.agreement:
        yield Section(
            "Agreement",
            "Kappa with uniform chance agreement; intra compares an assessor with the repeat, inter two assessors.",
            ("protocol", "kind", "categories", "assessors", "scores", "agree", "kappa", "pairs"),
            tuple(
                (
                    row.protocol, row.found.kind, str(row.found.categories), row.assessors, row.scores,
                    f"{row.found.share:.3f}", f"{row.found.kappa:.3f}", str(row.found.pairs),
                )
                for row in analysis.agreement
            ),
        )  # fmt: skip
    if analysis.differences:
        yield Section(
            "Differences of scores", "Sizes of differences between two scores of the same thing.",
            ("of", "mean", "sd", "pairs"),
            tuple((name, f"{d.mean:.1f}", f"{d.sd:.1f}", str(d.pairs)) for name, d in analysis.differences.items()),
        )  # fmt: skip
    if analysis.one_versus_rest:
        yield Section(
            "Correlation with the others", "Each assessor against the mean of the rest, and Krippendorff's alpha.",
            ("protocol", "one versus rest", "alpha"),
            tuple(
                (name, f"{r:.3f}", f"{analysis.alpha_interval[name]:.3f}" if name in analysis.alpha_interval else "")
                for name, r in analysis.one_versus_rest.items()
            ),
        )  # fmt: skip


def markdown(found: Sequence[Section]) -> str:
    """The report as Markdown, without pictures."""
    lines: list[str] = []
    for level, section in enumerate(found):
        lines += [f"{'#' if level == 0 else '##'} {section.title}", "", section.text, ""]
        if section.header:
            lines.append("| " + " | ".join(section.header) + " |")
            lines.append("|" + "---|" * len(section.header))
            lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in section.rows]
            lines.append("")
    return "\n".join(lines)


_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0;display:block;overflow-x:auto}"
    "th,td{text-align:left;padding:.2em .8em;border-bottom:1px solid #ddd;vertical-align:top}"
    "svg{max-width:100%;height:auto}"
)


def html(found: Sequence[Section]) -> str:
    """The report as one HTML file that needs nothing else."""
    title = escape(found[0].title)
    out = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{_STYLE}</style></head><body>",
    ]
    for level, section in enumerate(found):
        tag = "h1" if level == 0 else "h2"
        out += [f"<{tag}>{escape(section.title)}</{tag}>", f"<p>{escape(section.text)}</p>", section.picture]
        if section.header:
            head = "".join(f'<th scope="col">{escape(name)}</th>' for name in section.header)
            rows = ("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in section.rows)
            out += [f"<table><thead><tr>{head}</tr></thead><tbody>", *rows, "</tbody></table>"]
    return "\n".join([*filter(None, out), "</body></html>"]) + "\n"


def terminal(found: Sequence[Section]) -> Group:
    """The report as tables on the terminal."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    parts: list[Any] = []
    for section in found:
        parts += [Text(section.title, style="bold"), Text(section.text)]
        if section.header:
            table = Table(*section.header, box=None, pad_edge=False)
            for row in section.rows:
                table.add_row(*(Text(cell) for cell in row))
            parts.append(table)
        parts.append(Text())
    return Group(*parts)


def write_report(path: Path, analysis: Analysis, *, name: str = "") -> None:
    """Write a report; `.html`, `.md` or `.json` by the name of the file."""
    found = sections(analysis, name=name)
    forms = {".html": lambda: html(found), ".md": lambda: markdown(found)}
    if path.suffix == ".json":
        text = json.dumps(analysis.to_dict(), ensure_ascii=False, indent=1) + "\n"
    elif path.suffix in forms:
        text = forms[path.suffix]()
    else:
        raise SettingError(f"no report is written as {path.suffix or path.name!r}", remedy="use .html, .md or .json")
    with writing(path) as file:
        file.write(text)
