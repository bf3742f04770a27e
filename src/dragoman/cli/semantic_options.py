"""Options that commands about words and their company share: where words come from and how they are compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.output import show, show_json

if TYPE_CHECKING:
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.thesaurus import Thesaurus

__all__ = [
    "Association",
    "Corpus",
    "Similarity",
    "TablePath",
    "ThesaurusSpec",
    "Window",
    "opened_thesaurus",
    "words_of",
]

TablePath = Annotated[Path, typer.Argument(help="A table written by `dragoman extract`.")]
Corpus = Annotated[Path, typer.Argument(help="Tokenised text, plain or compressed; '-' for what is piped in.")]
Window = Annotated[int, typer.Option(help="Tokens on each side that count as context.", min=1)]
Association = Annotated[
    str, typer.Option(help="count, cp, pmi, ppmi, pmi-ratio, llr, chi-square or tf-idf: the strength of a context.")
]
Similarity = Annotated[
    str, typer.Option(help="cosine, jaccard, dice, lin, l1, city-block, jensen-shannon or skew: how rows compare.")
]
ThesaurusSpec = Annotated[
    str,
    typer.Option(
        "--thesaurus", help="Senses by groups of words: wordnet, aiksaurus, tsv=FILE, mythes=FILE or moby=FILE."
    ),
]


def opened_thesaurus(spec: str) -> Thesaurus | None:
    """The thesaurus that an option names; none where it names none."""
    from dragoman.semantics.thesaurus import Thesaurus

    kind, _, path = spec.partition("=")
    return Thesaurus.open(path or None, format=kind) if spec else None


def words_of(path: Path, *, keep_marks: bool = False) -> list[str]:
    """Lines of a text as profiles see them: words alone, unless marks are kept."""
    from dragoman.files import read_lines
    from dragoman.semantics.cooccurrence import wording

    return list(read_lines(path) if keep_marks else wording(read_lines(path)))


def show_augmented(before: RuleTable, after: RuleTable, new: int, output: Path, as_json: bool) -> None:
    """Say how many rules a table has got."""
    if as_json:
        show_json({"before": len(before), "rules": len(after), "new": new, "table": str(output)})
        return
    show(f"{new:,} new rules, {len(after):,} in all: {output}")
