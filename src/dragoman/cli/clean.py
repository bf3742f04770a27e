"""`dragoman text clean`: remove the pairs that are no translations, and say why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.output import Json, bar, note, show, show_json

__all__ = ["register"]


def clean(
    source: Annotated[Path, typer.Argument(help="The source side, or one file with both: .tsv, .jsonl, .tmx.")],
    target: Annotated[Path | None, typer.Argument(help="The target side.")] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help="Where the kept pairs go: one file, or two by repeating it."),
    ] = None,
    rejected: Annotated[
        Path | None, typer.Option(help="Where the removed pairs go with line and check: a .tsv or .jsonl.")
    ] = None,
    languages: Annotated[str | None, typer.Option("--languages", "-l", help="Such as de-en, source first.")] = None,
    check: Annotated[
        list[str] | None, typer.Option("--check", "-c", help="Use only the checks named; see `dragoman list checks`.")
    ] = None,
    add: Annotated[list[str] | None, typer.Option(help="Use this check too.")] = None,
    skip: Annotated[list[str] | None, typer.Option(help="Do not use this check.")] = None,
    fix: Annotated[
        list[str] | None, typer.Option("--fix", help="Use only the fixes named (`none` for none); see `dragoman list`.")
    ] = None,
    min_words: Annotated[int, typer.Option(help="For the check `length`.")] = 1,
    max_words: Annotated[int, typer.Option(help="For the check `length`.")] = 150,
    max_ratio: Annotated[float, typer.Option(help="For the check `ratio`.")] = 3.0,
    ratio_slack: Annotated[int, typer.Option(help="For the check `ratio`.")] = 8,
    max_shared: Annotated[float, typer.Option(help="For the check `untranslated`.")] = 0.8,
    min_script: Annotated[float, typer.Option(help="For the check `script`.")] = 0.5,
    min_letters: Annotated[float, typer.Option(help="For the check `symbols`.")] = 0.4,
    min_other: Annotated[float, typer.Option(help="For the check `language`.")] = 0.95,
    fields: Annotated[
        str | None, typer.Option(help="The two columns (.tsv) or fields (.jsonl), by name or number: `3,2`, `de,en`.")
    ] = None,
    markup: Annotated[str, typer.Option(help="Codes of inline tags (.tmx): `drop` or `keep`.")] = "drop",
    format: Annotated[  # noqa: A002 (the option's name)
        str | None, typer.Option("--format", "-f", help="Of the input; by default its name tells.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", help="Format of the output; by default its name tells.")] = None,
    examples: Annotated[int, typer.Option(help="Removed pairs to show for each check.")] = 3,
    as_json: Json = False,
) -> None:
    """Remove the pairs of a bitext that are no translations, and report what and why.

    Fixes (white space, Unicode form) come first, then the checks. Without --output only the report is made.
    """
    from dragoman.settings import check_argument
    from dragoman.text import cleaning
    from dragoman.text.checks import CHECKS, CleaningLimits
    from dragoman.text.corpus import Bitext
    from dragoman.text.formats import language_pair

    check_argument("--markup", markup, choices=("drop", "keep"))
    pair = language_pair(languages) if languages else None
    columns = _columns(fields) if fields else None
    bitext = Bitext.open(
        source, target, languages=pair, format=format, fields=columns, markup="keep" if markup == "keep" else "drop"
    )
    limits = CleaningLimits(
        languages=pair,
        min_words=min_words,
        max_words=max_words,
        max_ratio=max_ratio,
        ratio_slack=ratio_slack,
        max_shared=max_shared,
        min_script=min_script,
        min_letters=min_letters,
        min_other=min_other,
    )
    checks = list(check) if check else [name for name in cleaning.DEFAULT_CHECKS if name != "script" or pair]
    fixes = list(cleaning.DEFAULT_FIXES) if not fix else [name for name in fix if name != "none"]
    for name in skip or []:
        CHECKS.get(name)
    checks = [name for name in checks if name not in (skip or [])]
    with bar("cleaning") as progress:
        report = cleaning.clean(
            bitext,
            output or [],
            output_format=to,
            rejected=rejected,
            checks=[*checks, *(add or [])],
            fixes=fixes,
            limits=limits,
            examples=examples,
            progress=progress,
        )
    if "-" in map(str, output or []):  # standard output has the text
        return
    if as_json:
        show_json(report.to_dict())
        return
    show(report)
    if not output:
        note("nothing was written; name the files for the kept pairs with --output")


def _columns(text: str) -> tuple[str, str] | tuple[int, int]:
    from dragoman.errors import SettingError

    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise SettingError(f"--fields is {text!r}", remedy="name two, as in `1,2` or `de,en`")
    if parts[0].isdecimal() and parts[1].isdecimal():
        return int(parts[0]), int(parts[1])
    return parts[0], parts[1]


def register(text_app: typer.Typer) -> None:
    """Add this command to the group `text`."""
    text_app.command(
        "clean", epilog="Example: dragoman text clean corpus.de corpus.en -o clean.de -o clean.en --languages de-en"
    )(clean)
