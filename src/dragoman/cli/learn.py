"""`dragoman learn`, `dragoman rules` and `dragoman compact`: what people put right, kept beside the model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.output import Json, TrustFeatures, note, show, show_json
from dragoman.cli.translate import ModelPath

if TYPE_CHECKING:
    from dragoman.pipeline.learned import LearnedChange, LearnedLayer

__all__ = ["register"]

SourceText = Annotated[str, typer.Argument(help="Text of the source language.")]
TargetText = Annotated[str, typer.Argument(help="Its translation, as it should be.")]

rules_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


def _layer(model: Path, trust_features: bool = False, step: float = 0.0) -> LearnedLayer:
    from dragoman.pipeline.learned import LearnedLayer
    from dragoman.pipeline.model import Model

    return LearnedLayer(Model.open(model, trust_features=trust_features), step=step)


def learn(
    model: ModelPath,
    source: Annotated[str, typer.Argument(help="A sentence of the source language.")] = "",
    target: Annotated[str, typer.Argument(help="Its translation, as it should be.")] = "",
    pairs: Annotated[
        Path | None, typer.Option("--pairs", help="Corrections of a file, a source, a tab and a target a line.")
    ] = None,
    step: Annotated[
        float, typer.Option("--step", help="How far weights may move with a correction; 0.001 is careful.", min=0)
    ] = 0.0,
    trust_features: TrustFeatures = False,
    as_json: Json = False,
) -> None:
    """Learn from a corrected translation; it counts from the next one on, and can be undone."""
    from dragoman.errors import FormatError, SettingError
    from dragoman.files import read_lines

    given = [(source, target)] if source or target else []
    for number, line in enumerate(read_lines(pairs) if pairs is not None else (), 1):
        columns = line.split("\t")
        if len(columns) != 2:
            raise FormatError(
                f"{len(columns)} columns", where=f"{pairs}, line {number}", remedy="write: source, tab, target"
            )
        given.append((columns[0], columns[1]))
    if not given:
        raise SettingError("no correction", remedy="give a source and a target, or --pairs FILE")
    layer = _layer(model, trust_features, step)
    made = [layer.learn(*pair) for pair in given]
    phrases = sum(len(each.rules) for each in made)
    if as_json:
        show_json({"corrections": len(made), "phrases": phrases})
    else:
        note(f"learned {phrases} phrases of {len(made)} corrections")


@rules_app.command("list", epilog="Example: dragoman rules list models/de-en")
def list_rules(model: ModelPath, as_json: Json = False) -> None:
    """Show what a model has learned, oldest first."""
    from rich.table import Table
    from rich.text import Text

    changes = _layer(model).changes
    if as_json:
        show_json({"rules": [_plain(each) for each in changes]})
        return
    table = Table(box=None, pad_edge=False)
    for header in ("what", "source", "target", "phrases"):
        table.add_column(header, justify="right" if header == "phrases" else "left")
    for each in changes:
        table.add_row(each.action, Text(each.source), Text(each.target), str(len(each.rules)))
    show(table)


def _plain(change: LearnedChange) -> dict[str, object]:
    return {"action": change.action, "source": change.source, "target": change.target, "phrases": len(change.rules)}


@rules_app.command("add", epilog='Example: dragoman rules add models/de-en "das Haus" "the house"')
def add_rule(model: ModelPath, source: SourceText, target: TargetText) -> None:
    """Add a rule, which is as probable as a rule can be."""
    _layer(model).add_rule(source, target)
    note(f"{source} → {target} added")


@rules_app.command("remove", epilog='Example: dragoman rules remove models/de-en "das Haus" "the house"')
def remove_rule(model: ModelPath, source: SourceText, target: TargetText) -> None:
    """Remove a rule, whether it was learned or trained."""
    _layer(model).remove_rule(source, target)
    note(f"{source} → {target} removed")


@rules_app.command("undo", epilog="Example: dragoman rules undo models/de-en")
def undo(model: ModelPath) -> None:
    """Take the last change back: a correction with all its phrases, or a rule."""
    change = _layer(model).undo()
    note(f"undone: {change.action} {change.source} → {change.target}")


def compact(model: ModelPath, trust_features: TrustFeatures = False, as_json: Json = False) -> None:
    """Fold what a model has learned into its bundle, in one step."""
    from dragoman.pipeline.learned import compact as fold

    changes = fold(model, trust_features=trust_features)
    if as_json:
        show_json({"changes": changes})
    else:
        note(f"{changes} changes are part of {model} now")


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command(epilog='Example: dragoman learn models/de-en "Das ist ein Haus." "This is a house."')(learn)
    app.add_typer(rules_app, name="rules", help="List, add, remove and undo rules that were learned.")
    app.command(epilog="Example: dragoman compact models/de-en")(compact)
