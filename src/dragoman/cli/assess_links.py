"""`dragoman assess links`, `revoke` and `reissue`: who may come in, also while the campaign is served."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.output import Json, note, show_json
from dragoman.errors import SettingError

if TYPE_CHECKING:
    from dragoman.assessment.access_keys import AccessKeys

__all__ = ["register"]

Folder = Annotated[Path, typer.Argument(help="The campaign's folder.")]
Names = Annotated[
    list[str] | None, typer.Argument(help="Names of assessors, or workers of a platform such as prolific:ID.")
]
Server = Annotated[str, typer.Option(help="The address in links; by default the one that links.csv has.")]
Everyone = Annotated[bool, typer.Option("--crowd", help="The link by which all workers of crowd platforms come.")]


def links(
    folder: Folder,
    output: Annotated[str, typer.Option("--output", "-o", help="The file to write; '-' is standard output.")] = "-",
    server: Annotated[str, typer.Option(help="The address in links.")] = "http://localhost:8000",
    tickets: Annotated[
        int, typer.Option(help="So many links of the crowd, each with a ticket for one worker.", min=0, max=10**6)
    ] = 0,
    platform: Annotated[str, typer.Option(help="The platform of tickets: prolific or mturk.")] = "prolific",
    as_json: Json = False,
) -> None:
    """List the links of a campaign: who opens which address, and whose was taken back."""
    from dragoman.assessment.access_keys import AccessKeys, link, platform_link
    from dragoman.assessment.campaign_folder import links_csv
    from dragoman.files import writing

    access = AccessKeys.read(folder)
    if tickets:
        lines = [platform_link(server, access, platform, number=number) for number in range(1, tickets + 1)]
        with writing(output, private=True) as file:
            file.writelines(f"{line}\n" for line in lines)
    elif as_json:
        known = {one.id: link(server, one.token) if one.token else None for one in access.assessors}
        show_json({"assessors": known, "barred": list(access.barred)})
    else:
        with writing(output, private=True) as file:
            file.write(links_csv(access, server))


def revoke(folder: Folder, names: Names = None, server: Server = "", crowd: Everyone = False) -> None:
    """Take links back: they open nothing any more, on any device, at once; what was judged with them stays.

    Workers of a platform are shut out. A server that runs notices by itself.
    """
    from dataclasses import replace

    _change(
        folder, names, server, lambda access, name: access.revoked(name), crowd, lambda keys: replace(keys, crowd="")
    )


def reissue(
    folder: Folder,
    names: Names = None,
    server: Server = "",
    crowd: Everyone = False,
    organizer: Annotated[bool, typer.Option("--organizer", help="The organiser's link.")] = False,
) -> None:
    """Make new links in place of old ones, which open nothing any more; workers who were shut out may come again."""
    from dataclasses import replace

    from dragoman.assessment.access_keys import new_token

    def others(keys: AccessKeys) -> AccessKeys:
        keys = replace(keys, crowd=new_token()) if crowd else keys
        return replace(keys, organizer=new_token()) if organizer else keys

    _change(folder, names, server, lambda access, name: access.reissued(name), crowd or organizer, others)


def _change(
    folder: Path,
    names: list[str] | None,
    server: str,
    how: Callable[[AccessKeys, str], AccessKeys],
    more: bool,
    others: Callable[[AccessKeys], AccessKeys],
) -> None:
    from dragoman.assessment.access_keys import AccessFile, link
    from dragoman.assessment.campaign_folder import change_links

    if not names and not more:
        raise SettingError("nobody is named", remedy="give names of assessors; `dragoman assess links` lists them")

    def change(keys: AccessKeys) -> AccessKeys:
        for name in names or []:
            keys = how(keys, name)
        return others(keys) if more else keys

    access = change_links(AccessFile(folder / "access.json"), change, server=server)
    if sys.stderr.isatty() and server:  # links are keys: a person at the terminal may see them, a log file may not
        for name in names or []:
            if name in access.tokens:
                note(f"{name}: {link(server, access.tokens[name])}")
    note(f"done; the links of {folder} are in links.csv")


def register(app: typer.Typer) -> None:
    """Add these commands to the group."""
    app.command(epilog="Example: dragoman assess links news --server https://judge.example.org")(links)
    app.command(epilog="Example: dragoman assess revoke news anna prolific:5f0a1")(revoke)
    app.command(epilog="Example: dragoman assess reissue news anna")(reissue)
