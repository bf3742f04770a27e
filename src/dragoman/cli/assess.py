"""`dragoman assess`: campaigns of human assessment, from texts to a ranking that can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.output import Json, note, show, show_json

__all__ = ["assess_app", "register"]

assess_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

Campaign = Annotated[Path, typer.Argument(help="A campaign's folder, or its campaign.json.")]


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
    """Design a campaign: items with hidden controls, tasks, and a link for everyone who judges."""
    from dragoman.assessment.overview import overview
    from dragoman.assessment.recipe import build_campaign, read_recipe
    from dragoman.assessment.workspace import create

    campaign = build_campaign(read_recipe(recipe))
    found = overview(campaign)
    if as_json:
        show_json(found.to_dict())
    else:
        show(found)
    if dry_run:
        return
    folder = output or recipe.with_suffix("")
    create(campaign, folder, server=server, force=force)
    note(f"written to {folder}: campaign.json and access.json are secret, links.csv has a link for each assessor")


def register(app: typer.Typer) -> None:
    """Add the group to the program."""
    app.add_typer(assess_app, name="assess")
