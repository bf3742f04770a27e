"""`dragoman assess serve` and `dragoman assess demo`: judging in the browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.output import Json, OptionalSeed, note, show_json

__all__ = ["register"]

Host = Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 for all of this machine's.")]
Port = Annotated[int, typer.Option(help="The port to listen at; 0 takes any free one.", min=0, max=65535)]


def serve(
    folder: Annotated[Path, typer.Argument(help="A campaign's folder, as `dragoman assess new` makes it.")],
    host: Host = "127.0.0.1",
    port: Port = 8000,
    database: Annotated[
        str, typer.Option(help="SQLAlchemy URL of the database; by default judgements.sqlite in the folder.")
    ] = "",
    address: Annotated[
        str, typer.Option(help="The address that assessors see, if a proxy stands before the server.")
    ] = "",
    proxies: Annotated[
        str, typer.Option(help="Addresses of proxies whose word about HTTPS is believed, separated by commas.")
    ] = "127.0.0.1",
) -> None:
    """Serve a campaign: assessors judge in the browser, the organiser watches and downloads results."""
    from dragoman.assessment.access_keys import AccessFile, link
    from dragoman.assessment.campaign import Campaign
    from dragoman.assessment.web.server import serve as run
    from dragoman.assessment.web.store import database_url

    campaign, file = Campaign.read(folder), AccessFile(folder / "access.json")
    access = file.keys()

    def ready(listening: str) -> None:
        base = (address or listening).rstrip("/")
        if sys.stderr.isatty():  # links are keys: a person at the terminal may see them, a log file may not
            for name, token in access.tokens.items():
                note(f"{name}: {link(base, token)}")
            note(f"organiser: {base}/o/{access.organizer}")
        note(f"serving {campaign.name!r} at {listening}; Ctrl-C stops, nothing is lost")

    url = database or database_url(folder)
    run(campaign, file, database=url, host=host, port=port, proxies=proxies, ready=ready)


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The campaign's folder; one that is there is gone on with.")
    ] = Path("demonstration"),
    host: Host = "127.0.0.1",
    port: Port = 8000,
    items: Annotated[
        int | None, typer.Option(help="How many items you are asked to judge; 20 if not said.", min=10, max=100)
    ] = None,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in your browser.")] = True,
    only_make: Annotated[bool, typer.Option("--only-make", help="Make the campaign and do not serve it.")] = False,
    seed: OptionalSeed = None,
    as_json: Json = False,
) -> None:
    """Try an assessment: a small campaign with a simulated crowd, a task for you, and the analysis."""
    from dragoman.assessment.access_keys import AccessFile, link
    from dragoman.assessment.campaign import Campaign
    from dragoman.assessment.simulation.demonstration import YOU, make_demonstration, set_up
    from dragoman.assessment.web.server import serve as run
    from dragoman.assessment.web.store import database_url
    from dragoman.errors import SettingError

    url = database_url(output)
    if (output / "campaign.json").exists():
        for option, value in (("--seed", seed), ("--items", items)):
            if value is not None:
                raise SettingError(
                    f"{option} {value} for a campaign that is there already",
                    where=str(output),
                    remedy="leave it out to go on with that one, or name another folder with -o",
                )
    else:
        made = make_demonstration(items=items or 20, seed=5 if seed is None else seed)
        set_up(made, output, server=f"http://{host}:{port}", database=url)
        note(f"made a campaign in {output}: {len(made.kinds)} simulated workers gave {len(made.history)} judgements")
    campaign, file = Campaign.read(output), AccessFile(output / "access.json")
    access = file.keys()
    token = access.tokens.get(YOU, "")

    def ready(listening: str) -> None:
        yours, organizer = link(listening, token), f"{listening}/o/{access.organizer}"
        if as_json:
            show_json({"folder": str(output), "judge": yours, "organizer": organizer})
        else:
            note(f"judge here:       {yours}")
            note(f"see the analysis: {organizer}")
            note(f"Ctrl-C stops; `dragoman assess demo -o {output}` goes on where you were")
        if open_page:
            import webbrowser

            webbrowser.open(yours)

    if only_make:
        if as_json:
            show_json({"folder": str(output)})
        else:
            note(f"to judge, and to see the analysis: dragoman assess demo -o {output}")
        return
    run(campaign, file, database=url, host=host, port=port, ready=ready)


def register(app: typer.Typer) -> None:
    """Add these commands to the group."""
    app.command(epilog="Example: dragoman assess serve news --port 8080 --address https://judge.example.org")(serve)
    app.command(epilog="Example: dragoman assess demo --port 8080")(demo)
