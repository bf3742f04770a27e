"""How an analysis is told: results first, then what they rest on."""

from __future__ import annotations

from collections.abc import Iterator

from dragoman.assessment.analysis.campaign_analysis import Analysis
from dragoman.assessment.analysis.pictures import assessor_picture, pace_picture, ranking_picture
from dragoman.evaluation.clusters import show_ranks
from dragoman.evaluation.report import Document, Heading, Paragraph, Part, Picture, Table

__all__ = ["analysis_document"]


def analysis_document(analysis: Analysis, *, name: str = "") -> Document:
    """Sections in the order a reader needs them; each says how to read its table."""
    parts = [*_summary(analysis), *_rankings(analysis), *_gains(analysis), *_assessors(analysis), *_agreement(analysis)]
    return Document(name or "Assessment", tuple(parts))


def _summary(analysis: Analysis) -> Iterator[Part]:
    share = analysis.kept_judgements / analysis.judgements if analysis.judgements else 0.0
    people = {one.assessor for one in analysis.quality} | {name for one in analysis.preferences for name in one.weights}
    text = f"{analysis.judgements} judgements by {len(people)} assessors"
    if analysis.quality or not people:
        text += (
            f"; {analysis.kept} of {len(analysis.quality)} records of assessors kept, "
            f"with {analysis.kept_judgements} judgements ({share:.0%})"
        )
    yield Paragraph(f"{text}.")
    for warning in analysis.warnings:
        yield Paragraph(warning, warning=True)


def _rankings(analysis: Analysis) -> Iterator[Part]:
    for number, ranking in enumerate(analysis.rankings, 1):
        rows = tuple(
            (
                str(ranking.cluster_of(one.system)),
                show_ranks(ranking.ranges[one.system]),
                one.system,
                f"{one.z:+.3f}",
                f"[{one.interval[0]:+.3f}, {one.interval[1]:+.3f}]",
                f"{one.raw:.1f}",
                str(one.judgements),
                str(one.segments),
                str(one.assessors),
            )
            for one in ranking.systems
        )
        yield Heading(f"Systems: {ranking.protocol} {ranking.pair}".strip())
        yield Paragraph(
            "z is the mean of standardized scores with its 95% interval. Every system of a cluster is significantly "
            f"better than all of the next (rank-sum test, p < {analysis.settings['alpha']:g})."
        )
        yield Picture(f"ranking-{number}", ranking_picture(ranking))
        yield Table(("cluster", "ranks", "system", "z", "interval", "raw", "judgements", "segments", "assessors"), rows)
    for pair, table in analysis.combined.items():
        better = tuple((a, b, attribute, f"{p:.4f}") for a, row in table.items() for b, (attribute, p) in row.items())
        yield Heading(f"Who is better than whom: {pair}")
        yield Paragraph("Adequacy decides where it separates two systems, fluency where adequacy does not.")
        yield Table(("system", "is better than", "by", "p"), better)
    for one in analysis.preferences:
        groups = {system: at for at, group in enumerate(one.clusters, 1) for system in group}
        ranked = tuple(
            (str(groups[system]), show_ranks(one.ranges[system]), system, f"{wins:.3f}")
            for system, wins in one.wins.items()
        )
        agreed = "; ".join(
            f"{name} kappa {found.kappa:.3f} on {found.pairs} pairs"
            for name, found in (("intra", one.intra), ("inter", one.inter))
            if found
        )
        yield Heading(f"Systems by ranking: {one.pair}")
        yield Paragraph(f"Expected wins over {one.comparisons} comparisons. {agreed}".strip())
        yield Table(("cluster", "ranks", "system", "expected wins"), ranked)
        yield Heading(f"Items won: {one.pair}")
        yield Paragraph(
            "All judgements of an item are one vote, in which an assessor weighs as much as they agree with the "
            "majority of the others. p is of the exact one-sided binomial test over items, for each two systems by "
            "themselves."
        )
        yield Table(
            ("system", "preferred to", "items", "of", "%", "tied", "judgements", "p"),
            tuple(
                (
                    vote.better,
                    vote.worse,
                    str(vote.won),
                    str(vote.won + vote.lost),
                    f"{100 * vote.share:.1f}",
                    str(vote.tied),
                    str(vote.judgements),
                    f"{vote.p:.4f}",
                )
                for vote in one.votes
            ),
        )
    if analysis.errors:
        names = sorted({severity for one in analysis.errors for severity in one.per_output})
        yield Heading("Marked errors")
        yield Paragraph("Errors per output, by severity.")
        yield Table(
            ("system", "outputs", *names),
            tuple(
                (one.system, str(one.outputs), *(f"{one.per_output.get(name, 0.0):.2f}" for name in names))
                for one in analysis.errors
            ),
        )


def _gains(analysis: Analysis) -> Iterator[Part]:
    if not analysis.gains:
        return
    rows = []
    for one in analysis.gains:
        for name, gain in (("raw", one.raw), ("z", one.z), ("share", one.share)):
            if gain is None:
                continue
            bounds = "" if gain.interval is None else f"[{gain.interval[0]:+.2f}, {gain.interval[1]:+.2f}]"
            figures = (f"{gain.gain:+.2f}", bounds, f"{gain.naive:+.2f}", f"{gain.difficulty:+.2f}")
            rows.append((one.protocol, one.pair, name, *figures))
    yield Heading("Gain over time")
    yield Paragraph(
        "The difference of the systems plus what the new test set is harder by; the naive difference leaves that out. "
        "Raw gains are in points of the scales that people used, which are narrower than the line; share is the gain "
        "as a share of the distance from the old system to the references, which does not depend on that."
    )
    yield Table(("protocol", "pair", "scores", "gain", "95% interval", "naive", "difficulty"), tuple(rows))


def _assessors(analysis: Analysis) -> Iterator[Part]:
    if not analysis.quality:
        return
    several = len({(one.protocol, one.pair) for one in analysis.quality}) > 1
    rows = tuple(
        (
            one.assessor,
            *((one.protocol, one.pair) if several else ()),
            "kept" if one.kept else "dropped",
            one.reason,
            str(one.judgements),
            f"{one.seconds:.1f}" if one.seconds else "",
            f"{one.mean_d1:.1f}" if one.repeats else "",
            f"{one.mean_d2:.1f}" if one.degraded else "",
        )
        for one in analysis.quality
    )
    yield Heading("Assessors")
    yield Paragraph(
        "d1 is the mean size of differences between an item and its repeat, d2 the mean loss of degraded copies."
    )
    if any(one.degraded and one.repeats for one in analysis.quality):
        yield Picture("assessors", assessor_picture(analysis.quality))
    if any(one.p_paired is not None and one.seconds for one in analysis.quality):
        yield Picture("pace", pace_picture(analysis.quality))
    yield Table(
        ("assessor", *(("protocol", "pair") if several else ()), "verdict", "why", "judgements", "s/item", "d1", "d2"),
        rows,
    )
    flagged = tuple((one.assessor, flag) for one in analysis.quality for flag in one.flags)
    if flagged:
        yield Heading("Worth a look")
        yield Paragraph("For a person to decide on before payment; the analysis decides nothing by these.")
        yield Table(("assessor", "what"), flagged)
    consistent = [one.consistent for one in analysis.quality if one.kept and one.consistent is not None]
    if consistent:
        yield Heading("Repeats")
        yield Paragraph(
            f"{sum(p >= 0.05 for p in consistent)} of {len(consistent)} kept records score repeats like the first time "
            "(two-sided paired t-test, p >= 0.05). This checks the filter; random clicking passes it too."
        )
    if analysis.repost:
        yield Heading("Tasks to post again")
        yield Paragraph("Too few kept assessors did these.")
        yield Table(
            ("protocol", "task", "kept assessors"),
            tuple((protocol, task, str(kept)) for protocol, task, kept in analysis.repost),
        )


def _agreement(analysis: Analysis) -> Iterator[Part]:
    if analysis.agreement:
        yield Heading("Agreement")
        yield Paragraph(
            "Kappa with uniform chance agreement; intra compares an assessor with the repeat, inter two assessors."
        )
        yield Table(
            ("protocol", "kind", "categories", "assessors", "scores", "agree", "kappa", "pairs"),
            tuple(
                (
                    row.protocol,
                    row.found.kind,
                    str(row.found.categories),
                    row.assessors,
                    row.scores,
                    f"{row.found.share:.3f}",
                    f"{row.found.kappa:.3f}",
                    str(row.found.pairs),
                )
                for row in analysis.agreement
            ),
        )
    if analysis.differences:
        yield Heading("Differences of scores")
        yield Paragraph("Sizes of differences between two scores of the same thing.")
        yield Table(
            ("of", "mean", "sd", "pairs"),
            tuple((name, f"{d.mean:.1f}", f"{d.sd:.1f}", str(d.pairs)) for name, d in analysis.differences.items()),
        )
    if analysis.one_versus_rest:
        yield Heading("Correlation with the others")
        yield Paragraph("Each assessor against the mean of the rest, and Krippendorff's alpha.")
        yield Table(
            ("protocol", "one versus rest", "alpha"),
            tuple(
                (name, f"{r:.3f}", f"{analysis.alpha_interval[name]:.3f}" if name in analysis.alpha_interval else "")
                for name, r in analysis.one_versus_rest.items()
            ),
        )
