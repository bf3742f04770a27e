"""`dragoman assess`: campaigns of human assessment, from texts to a ranking that can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.compare import Reports
from dragoman.cli.output import Json, On, Seed, note, show, show_json

__all__ = ["assess_app", "register"]

assess_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

CampaignPath = Annotated[Path, typer.Argument(help="A campaign's folder, or its campaign.json.")]
Database = Annotated[
    str, typer.Option(help="SQLAlchemy URL of the server's database, where it is not in the campaign's folder.")
]


@assess_app.callback()
def assess() -> None:
    """Human assessment: design a campaign, collect judgements in the browser, check assessors, rank systems."""


@assess_app.command(
    "new", epilog="Example: dragoman assess new campaign.toml -o news --server https://judge.example.org"
)
def new(
    recipe: Annotated[Path, typer.Argument(help="What to judge and how: a TOML file; see the guide on assessment.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The campaign's folder; by default named like the recipe.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print who judges what how often; write nothing.")] = False,
    server: Annotated[
        str, typer.Option(help="The address that assessors will open, for the list of links.")
    ] = "http://localhost:8000",
    force: Annotated[bool, typer.Option("--force", help="Replace a campaign that is there already.")] = False,
    as_json: Json = False,
) -> None:
    """Design a campaign: items with hidden controls, tasks, and a link for everyone who judges.

    A campaign of Appraise (batches) or Pearmut, as JSON, is taken over as it is.
    """
    from dragoman.assessment.campaign_folder import create_campaign_folder
    from dragoman.assessment.design.campaign_recipe import build_campaign, read_campaign_recipe
    from dragoman.assessment.design.workload import workload
    from dragoman.assessment.exchange.importing import open_campaign

    campaign = open_campaign(recipe) if recipe.suffix == ".json" else build_campaign(read_campaign_recipe(recipe))
    found = workload(campaign)
    folder = output or recipe.with_suffix("")
    if not dry_run:
        create_campaign_folder(campaign, folder, server=server, force=force)
    if as_json:
        show_json(found.to_dict())
    else:
        show(found)
    if not dry_run:
        note(f"written to {folder}: campaign.json and access.json are secret, links.csv has a link for each assessor")


@assess_app.command(
    "rehearse", epilog="Example: dragoman assess rehearse news --quality A=65 --quality B=55 -o trial.csv"
)
def rehearse(
    campaign: CampaignPath,
    output: Annotated[str, typer.Option("--output", "-o", help="Where the ratings go; '-' is standard output.")] = "-",
    quality: Annotated[
        list[str], typer.Option(help="SYSTEM=QUALITY from 0 to 100; others stand two points apart.")
    ] = [],  # noqa: B006
    seed: Seed = 1,
) -> None:
    """Let a simulated crowd judge a campaign, to try the analysis before anybody is asked or paid.

    Six in ten of the simulated assessors are conscientious, the others half-attentive, random or constant. A campaign
    of rankings gives judgements instead of ratings (JSON lines; analyse them with --campaign).
    """
    from dragoman.assessment.campaign_folder import write_judgements
    from dragoman.assessment.exchange.importing import open_campaign
    from dragoman.assessment.ratings import join, write_ratings
    from dragoman.assessment.simulation.assessors import rehearsal

    known = open_campaign(campaign)
    judged = rehearsal(known, quality, seed=seed)
    if all(protocol.scored for protocol in known.protocols.values()):
        write_ratings(output, join(known, judged).ratings)
    else:
        write_judgements(output, judged)


@assess_app.command("status", epilog="Example: dragoman assess status news --json")
def status(campaign: CampaignPath, database: Database = "", as_json: Json = False) -> None:
    """Show how far a campaign is: judgements by task and by assessor."""
    from dragoman.assessment.analysis.campaign_status import campaign_status
    from dragoman.assessment.exchange.importing import collected, open_campaign

    known = open_campaign(campaign)
    found = campaign_status(known, collected(campaign, known, database=database))
    if as_json:
        show_json(found.to_dict())
    else:
        show(found)


@assess_app.command("export", epilog="Example: dragoman assess export news -o news.csv")
def export(
    campaign: CampaignPath,
    output: Annotated[str, typer.Option("--output", "-o", help="The file to write; '-' is standard output.")] = "-",
    form: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="Results: csv, jsonl, judgements, appraise-scores, pearmut-annotations, mturk-batch; tasks: appraise, "
            "pearmut, mturk; or links.",
        ),
    ] = "csv",
    server: Annotated[str, typer.Option(help="The address in links.")] = "http://localhost:8000",
    database: Database = "",
) -> None:
    """Write results (at any time), or the tasks for another platform, or links for assessors."""
    from dragoman.assessment.exchange.exporting import export_text
    from dragoman.assessment.exchange.importing import open_campaign
    from dragoman.files import writing

    with writing(output, private=form == "links") as file:
        for line in export_text(open_campaign(campaign), campaign, form, server=server, database=database):
            file.write(line)


@assess_app.command("import", epilog="Example: dragoman assess import news pearmut-output.jsonl")
def import_results(
    campaign: Annotated[Path, typer.Argument(help="The campaign's folder.")],
    results: Annotated[list[Path], typer.Argument(help="Pearmut annotations or judgements (JSON lines).")],
) -> None:
    """Add judgements that were collected elsewhere to a campaign's folder; none is added twice."""
    from dragoman.assessment.exchange.importing import import_judgements

    count = import_judgements(campaign, results)
    note(f"{count} new judgements in {campaign}")


@assess_app.command("analyse", epilog="Example: dragoman assess analyse news --report news.html")
def analyse_results(
    results: Annotated[
        list[Path],
        typer.Argument(help="Campaign folders, our CSV or JSON lines, Appraise scores, Pearmut output, MTurk batches."),
    ],
    campaign: Annotated[
        Path | None, typer.Option(help="The campaign, where results name items by their ids only.")
    ] = None,
    test: Annotated[
        str,
        typer.Option("--test", "-t", help="How assessors are checked: auto, paired, welch, mann-whitney, gold, none."),
    ] = "auto",
    level: Annotated[float, typer.Option(help="Assessors whose test gives a p-value below it are kept.")] = 0.05,
    alpha: Annotated[float, typer.Option(help="Level of differences between systems.")] = 0.05,
    raw: Annotated[bool, typer.Option("--raw", help="Rank by raw scores instead of standardized ones.")] = False,
    min_judgements: Annotated[int, typer.Option(help="Judgements that a segment score needs.")] = 1,
    min_assessors: Annotated[int, typer.Option(help="Tasks with fewer kept assessors are listed to post again.")] = 1,
    exclude_references: Annotated[
        bool, typer.Option("--exclude-references", help="Leave reference items out of assessors' means and spreads.")
    ] = False,
    gain: Annotated[
        str, typer.Option(help="Gain over time: OLD@TESTSET:NEW@TESTSET:BENCHMARK (systems and test sets).")
    ] = "",
    report: Reports = None,
    segment_scores: Annotated[Path | None, typer.Option(help="Write segment scores as a table.")] = None,
    database: Database = "",
    as_json: Json = False,
) -> None:
    """Check assessors, standardize scores, rank systems and draw lines between them."""
    from dragoman.assessment.analysis.campaign_analysis import analyse
    from dragoman.assessment.analysis.gains import parse_gain
    from dragoman.assessment.analysis.report import analysis_document
    from dragoman.assessment.analysis.scores import write_segment_scores
    from dragoman.assessment.exchange.importing import open_campaign, read_results
    from dragoman.evaluation.report import write_report

    known = open_campaign(campaign) if campaign else None
    campaigns = [*filter(None, [known]), *(open_campaign(path) for path in results if path.is_dir())]
    scales = {name: one.scale for made in campaigns for name, one in made.protocols.items() if one.scale}
    read = [read_results(path, campaign=known, database=database) for path in results]
    found = analyse(
        sum(read[1:], read[0]),
        test=test,
        level=level,
        alpha=alpha,
        on="raw" if raw else "z",
        least=min_judgements,
        least_kept=min_assessors,
        exclude_references=exclude_references,
        gain=parse_gain(gain) if gain else None,
        scales=scales,
    )
    document = analysis_document(found, name=", ".join(path.name for path in results))
    for path in report or []:
        write_report(document, found.to_dict(), path)
    if segment_scores is not None:
        write_segment_scores(segment_scores, found.segments)
    if as_json:
        show_json(found.to_dict())
    else:
        show(document)


@assess_app.command("plan", epilog="Example: dragoman assess plan --systems 5 --difference 3 --pay 2.50")
def make_plan(
    systems: Annotated[int, typer.Option(help="How many systems are compared.")] = 2,
    difference: Annotated[float, typer.Option(help="The difference of raw means that should be found.")] = 5.0,
    judgements: Annotated[
        int, typer.Option(help="Judgements per system after filtering; by default what the difference needs.")
    ] = 0,
    power: Annotated[float, typer.Option(help="How surely the difference should be found.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Level of the test, one-sided.")] = 0.05,
    sd: Annotated[float, typer.Option(help="Standard deviation of single scores.")] = 25.0,
    protocol: Annotated[str, typer.Option(help="See `dragoman list protocols`.")] = "adequacy",
    items: Annotated[int, typer.Option(help="Items of a task.")] = 100,
    passing: Annotated[float, typer.Option(help="Share of judgements that survive quality control.")] = 0.6,
    pay: Annotated[float, typer.Option(help="Pay for one task.")] = 0.0,
    simulate: Annotated[int, typer.Option(help="Also let simulated crowds judge, so many times.")] = 0,
    on: On = "local",
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """How many judgements, tasks, hours and how much money a difference costs."""
    from dragoman.assessment.design.sample_size import campaign_size, judgements_needed

    wanted = judgements or judgements_needed(difference, sd=sd, alpha=alpha, power=power)
    made = campaign_size(
        systems=systems,
        judgements=wanted,
        protocol=protocol,
        items=items,
        passing=passing,
        pay=pay,
        sd=sd,
        alpha=alpha,
        power=power,
    )
    values = made.to_dict()
    if simulate:
        from dragoman.assessment.simulation.power import simulated_power
        from dragoman.pipeline.executors import get_executor

        before = round(wanted / passing)
        with get_executor(on) as executor:
            values["simulated_power"] = simulated_power(
                difference, before, systems=systems, alpha=alpha, runs=simulate, seed=seed, executor=executor
            )
    if as_json:
        show_json(values)
        return
    typer.echo(f"{made.judgements} judgements of each of {systems} systems after filtering")
    typer.echo(
        f"{made.tasks} tasks of {items} items, {made.minutes_per_task:.0f} minutes each, {made.hours:.1f} hours in all"
    )
    if pay:
        typer.echo(f"{made.cost:.2f} in pay")
    typer.echo(f"shows a difference of {made.detectable:.1f} points with power {power:g} at {alpha:g}")
    if simulate:
        typer.echo(f"simulated crowds found the difference in {values['simulated_power']:.0%} of {simulate} campaigns")


def register(app: typer.Typer) -> None:
    """Add the group to the program."""
    app.add_typer(assess_app, name="assess")
