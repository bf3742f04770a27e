"""`dragoman serve`: models over HTTP, with a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.assess_serve import Host
from dragoman.cli.output import NoVerify, Threads, TrustFeatures, note
from dragoman.cli.setting_options import with_options
from dragoman.server.limits import Limits
from dragoman.settings import declared

if TYPE_CHECKING:
    from dragoman.server.service import Service

__all__ = ["register"]


def serve(
    models: Annotated[list[str], typer.Argument(help="Model bundles made by `dragoman train`; NAME=FOLDER names one.")],
    host: Host = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen at; 0 takes any free one.", min=0, max=65535)] = 5000,
    keys: Annotated[
        Path | None, typer.Option("--keys", help="Who may ask: lines of KEY NAME [learn] [admin]; else everybody.")
    ] = None,
    cors: Annotated[
        list[str] | None,
        typer.Option("--cors", help="An origin whose pages may ask the server, too; repeat; * is all."),
    ] = None,
    proxies: Annotated[
        str, typer.Option(help="Addresses of proxies whose word about HTTPS is believed, separated by commas.")
    ] = "127.0.0.1",
    learn: Annotated[
        bool, typer.Option("--learn", help="Learn from corrections, which are kept beside the model.")
    ] = False,
    step: Annotated[
        float, typer.Option("--step", help="How far weights may move with a correction; 0.001 is careful.", min=0)
    ] = 0.0,
    remember: Annotated[
        bool, typer.Option("--remember", help="What people wrote before for the same text comes before the model.")
    ] = False,
    pairs: Annotated[
        list[Path] | None, typer.Option("--pairs", help="A translation memory (TMX, TSV) to remember; repeat.")
    ] = None,
    log_text: Annotated[bool, typer.Option("--log-text", help="Write texts and translations to the log, too.")] = False,
    trust_features: TrustFeatures = False,
    no_verify: NoVerify = False,
    threads: Threads = 0,
    *,
    limits: dict[str, Any],
) -> None:
    """Serve models: a page, an API with reasons, and that of LibreTranslate."""
    from dragoman.server.app import serve as run
    from dragoman.server.served_models import ServingOptions

    bounds = Limits.from_dict(limits)

    def ready(address: str, service: Service) -> None:
        for each in service.models.all:
            note(f"{each.name}: {each.source} to {each.target}, {each.size / 2**20:.0f} MB")
        note(f"open {address} in a browser; Ctrl-C stops")

    run(
        models,
        host=host,
        port=port,
        limits=bounds,
        keys=keys,
        cors=cors or (),
        proxies=proxies,
        threads=threads,
        log_text=log_text,
        options=ServingOptions(
            trust_features=trust_features,
            learn=learn,
            step=step,
            memory=remember or bool(pairs),
            memory_files=tuple(pairs or ()),
        ),
        ready=ready,
    )


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    command = with_options(serve, {"Limits": declared(Limits)}, argument="limits")
    app.command(epilog="Example: dragoman serve models/de-en --port 5000")(command)
