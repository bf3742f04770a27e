"""`dragoman list` and `dragoman info`: what there is, and what a file is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.output import Json, show, show_facts, show_json

if TYPE_CHECKING:
    from rich.console import RenderableType

REGISTRIES: dict[str, str] = {
    "aligners": "dragoman.align:ALIGNERS",
    "annotators": "dragoman.annotations.annotator:ANNOTATORS",
    "checks": "dragoman.text.checks:CHECKS",
    "decoders": "dragoman.search:DECODERS",
    "collections": "dragoman.text.catalog:COLLECTIONS",
    "document-formats": "dragoman.text.document_formats.base:DOCUMENT_FORMATS",
    "executors": "dragoman.pipeline.executors:EXECUTORS",
    "extraction-features": "dragoman.grammar:EXTRACTION_FEATURES",
    "fixes": "dragoman.text.checks:FIXES",
    "formats": "dragoman.text.formats:FORMATS",
    "metrics": "dragoman.metrics:METRICS",
    "pairs": "dragoman.text.synthetic:PAIRS",
    "protocols": "dragoman.assessment.protocol:PROTOCOLS",
    "recipes": "dragoman.pipeline.named_recipes:RECIPES",
    "scorers": "dragoman.similarity:SCORERS",
    "selectors": "dragoman.lm.selection:SELECTORS",
    "templates": "dragoman.features:TEMPLATES",
    "tuners": "dragoman.tuning:TUNERS",
}
"""What `dragoman list` shows: plural kind to `module:REGISTRY`."""


def show_registries(
    kind: Annotated[str | None, typer.Argument(help="One kind only, such as `metrics`.")] = None,
    name: Annotated[str | None, typer.Argument(help="One thing of that kind, with its settings.")] = None,
    settings: Annotated[bool, typer.Option("--settings", help="Show what can be set about each.")] = False,
    as_json: Json = False,
) -> None:
    """Show everything that can be chosen by name, and what can be set about it."""
    from dragoman.errors import UnknownName

    if kind is not None and kind not in REGISTRIES:
        raise UnknownName(f"nothing is called {kind!r}", remedy=f"choose from {', '.join(REGISTRIES)}")
    found: dict[str, dict[str, Any]] = {}
    for plural in [kind] if kind else REGISTRIES:
        module, _, attribute = REGISTRIES[plural].partition(":")
        registry = getattr(import_module(module), attribute)
        found[plural] = {each: registry.describe(each) for each in ([name] if name is not None else registry)}
        if settings or name is not None:
            for each, what in found[plural].items():
                found[plural][each] = {"what": what, "settings": _settings(plural, registry.get(each))}
    if as_json:
        show_json({plural.replace("-", "_"): entries for plural, entries in found.items()})
    elif settings or name is not None:
        for entries in found.values():
            for each, entry in entries.items():
                _show_settings(each, **entry)
    else:
        for plural, entries in found.items():
            show(_table("name", "what it is", title=plural, rows=entries.items()))


def _settings(plural: str, kind: Any) -> dict[str, dict[str, Any]]:
    """What can be set about an entry of a registry; those of a decoder are a class of their own."""
    from dragoman.settings import declared

    holder = kind.settings_type if plural == "decoders" else kind
    return {name: each.describe() for name, each in declared(holder).items()} if isinstance(holder, type) else {}


def _show_settings(name: str, what: str, settings: Mapping[str, Mapping[str, Any]]) -> None:
    from rich.text import Text

    show(Text(f"{name}: {what}"))
    rows = [(each, said.get("default", "-"), said["wanted"], said["what"]) for each, said in settings.items()]
    show(_table("setting", "default", "may be", "what it is", rows=rows) if rows else Text("nothing can be set", "dim"))
    show("")


def _table(*head: str, rows: Iterable[tuple[str, ...]], title: str | None = None) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table(*head, title=title, title_justify="left", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def info(
    path: Annotated[Path, typer.Argument(help="A bundle, or any file that dragoman writes.")],
    verify: Annotated[bool, typer.Option("--verify", help="Recompute all checksums.")] = False,
    only_weights: Annotated[
        bool, typer.Option("--only-weights", help="Only show the largest weights of a model, by template.")
    ] = False,
    against: Annotated[
        Path | None, typer.Option(help="Only show how many sparse features this and another model share.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what a file or model is: for a model its languages, size, data, quality, what it can do, where it is from."""
    from dragoman.pipeline.describe import describe, stored_weights
    from dragoman.pipeline.model_page import model_page
    from dragoman.pipeline.parts import is_model

    if against is not None:
        _show_overlaps(path, against, as_json)
        return
    if only_weights:
        from dragoman.tuning.families import Selection

        selection = Selection.of(stored_weights(path))
        if as_json:
            show_json(selection.to_dict())
        else:
            show(selection)
        return
    description: dict[str, Any] = describe(path, verify=verify)
    if as_json:
        show_json(description)
        return
    if is_model(path):
        show(model_page(path))
        if verify:
            show("all checksums are right")
        return
    show_facts(description)


def _show_overlaps(first: Path, second: Path, as_json: bool) -> None:
    from rich.table import Table

    from dragoman.pipeline.describe import stored_weights
    from dragoman.tuning.families import overlaps

    found = overlaps(stored_weights(first), stored_weights(second))
    if as_json:
        show_json({"templates": {kind: asdict(each) for kind, each in found.items()}})
        return
    table = Table("template", box=None, pad_edge=False)
    for name in ("first", "second", "both"):
        table.add_column(name, justify="right")
    for kind, each in found.items():
        table.add_row(kind, f"{each.first:,}", f"{each.second:,}", f"{each.both:,}")
    show(table)


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command("list", epilog="Example: dragoman list tuners mert")(show_registries)
    app.command("info", epilog="Example: dragoman info models/de-en --verify")(info)
