"""`dragoman align mwe`: mine bilingual expressions, glue them, and undo it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.output import Json, Threads, note, show_json

if TYPE_CHECKING:
    from dragoman.align.anchors import ExpressionAnchor
    from dragoman.align.mwe import Tagged

__all__ = ["register", "report_dropped"]

Source = Annotated[Path, typer.Argument(metavar="SRC", help="Tokenised source text, one sentence a line.")]
Target = Annotated[Path, typer.Argument(metavar="TGT", help="Tokenised target text, line by line.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="Where to write; '-' is standard output.")]
Tags = typer.Option(help="Parts of speech of this side, CoNLL-U with the tokens of the text.")
Patterns = typer.Option(help="A file of tag patterns, or the name of a set of ours: en, fr, de, any.")


def extract(
    source: Source,
    target: Target,
    output: Output = Path("-"),
    pairing: Annotated[
        str,
        typer.Option(
            help="How pairs are found: counts, em (IBM 1 over candidates), or numbers (terms with reference numbers)."
        ),
    ] = "counts",
    combine: Annotated[str, typer.Option(help="Pairs found in both directions (intersection) or one (union).")] = (
        "intersection"
    ),
    min_count: Annotated[int, typer.Option(help="Least number of sentence pairs that hold both.")] = 3,
    min_probability: Annotated[
        float | None, typer.Option(help="Least probability in each direction [default: 0.3; em: 0.5].")
    ] = None,
    max_words: Annotated[int, typer.Option(help="Longest expression.")] = 5,
    source_tags: Annotated[Path | None, Tags] = None,
    target_tags: Annotated[Path | None, Tags] = None,
    source_patterns: Annotated[str, Patterns] = "any",
    target_patterns: Annotated[str, Patterns] = "any",
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Mine pairs of expressions; lines `source<TAB>target<TAB>count<TAB>probability`, anchors for `numbers`."""
    from dragoman.align import mwe
    from dragoman.align.anchors import write_anchors
    from dragoman.files import read_lines

    sides = list(read_lines(source)), list(read_lines(target))
    tagged = (
        _tagged(source_tags, source_patterns, sides[0]),
        _tagged(target_tags, target_patterns, sides[1]),
    )
    if pairing == "numbers":
        terms = mwe.extract_numbered_terms(*sides, source_tags=tagged[0], target_tags=tagged[1], max_words=max_words)
        write_anchors(output, terms, *sides)
        found = len(terms)
    else:
        expressions = mwe.extract_expressions(
            *sides,
            pairing=pairing,
            combine=combine,
            source_tags=tagged[0],
            target_tags=tagged[1],
            max_words=max_words,
            min_count=min_count,
            min_probability=min_probability,
            threads=threads,
        )
        mwe.write_expressions(output, expressions)
        found = len(expressions)
    if as_json and str(output) != "-":
        show_json({"pairing": pairing, "found": found, "pairs": len(sides[0])})


def group(
    source: Source,
    target: Target,
    prefix: Annotated[str, typer.Option("--output", "-o", help="Writes PREFIX.source, PREFIX.target, PREFIX.anchors.")],
    expressions: Annotated[Path | None, typer.Option(help="Pairs of expressions, as `extract` writes them.")] = None,
    anchors: Annotated[Path | None, typer.Option(help="Known links: n|||words|||words|||i|||j, from 1.")] = None,
    soft: Annotated[bool, typer.Option("--soft", help="Trust an expression as far as it is probable.")] = False,
    as_json: Json = False,
) -> None:
    """Glue the words of known expressions into one token on both sides."""
    from dragoman.align.anchors import find_anchors, read_anchors, write_anchors
    from dragoman.align.grouping import group as glue
    from dragoman.align.mwe import read_expressions
    from dragoman.errors import SettingError
    from dragoman.files import read_lines, writing

    if (expressions is None) == (anchors is None):
        raise SettingError("give either --expressions or --anchors")
    sides = list(read_lines(source)), list(read_lines(target))
    if expressions is not None:
        found = find_anchors([each.anchor(soft=soft) for each in read_expressions(expressions)], *sides)
    else:
        assert anchors is not None
        found = read_anchors(anchors, *sides)
    grouped = glue(*sides, found)
    report_dropped(grouped.dropped)
    for name, lines in (("source", grouped.source), ("target", grouped.target)):
        with writing(f"{prefix}.{name}") as file:
            file.writelines(f"{line}\n" for line in lines)
    write_anchors(f"{prefix}.anchors", grouped.anchors, grouped.source, grouped.target)
    if as_json:
        holding = len({anchor.sentence for anchor in grouped.anchors})
        show_json({"anchors": len(grouped.anchors), "sentences": holding, "dropped": len(grouped.dropped)})


def ungroup(
    alignments: Annotated[Path, typer.Argument(metavar="A", help="Links of the glued text, Pharaoh.")],
    source: Annotated[Path, typer.Argument(metavar="SRC", help="Glued source text.")],
    target: Annotated[Path, typer.Argument(metavar="TGT", help="Glued target text.")],
    output: Output = Path("-"),
) -> None:
    """Turn links of glued text into links of its words: all words of an expression are linked to each other."""
    from dragoman.align.formats import read_pharaoh, write_pharaoh
    from dragoman.align.grouping import ungroup as unglue
    from dragoman.files import read_lines

    write_pharaoh(output, unglue(read_pharaoh(alignments), list(read_lines(source)), list(read_lines(target))))


def ungroup_table(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="Phrase or reordering table, Moses text.")],
    output: Output = Path("-"),
) -> None:
    """Split the glued tokens in a rule table that was extracted from glued text."""
    from dragoman.align.grouping import ungroup_table as split
    from dragoman.files import read_lines, writing

    with writing(output) as file:
        file.writelines(f"{line}\n" for line in split(read_lines(table), name=str(table)))


def report_dropped(dropped: tuple[ExpressionAnchor, ...]) -> None:
    """Say which anchors contradicted others."""
    if dropped:
        places = ", ".join(f"{a.sentence + 1}:{a.source + 1}-{a.target + 1}" for a in dropped[:5])
        more = "" if len(dropped) <= 5 else ", ..."
        note(f"{len(dropped)} anchors overlap or contradict others and are left out ({places}{more})")


def _tagged(tags: Path | None, patterns: str, lines: list[str]) -> Tagged | None:
    if tags is None:
        return None
    from dragoman.align.mwe import Tagged
    from dragoman.align.patterns import NOUN_PHRASES, TagPatterns, tags_of
    from dragoman.annotations import conllu

    chosen = NOUN_PHRASES[patterns] if patterns in NOUN_PHRASES else TagPatterns.read(patterns)
    return Tagged(tags_of(conllu.read(tags), lines, name=str(tags)), chosen)


def register(group_app: typer.Typer) -> None:
    """Add the commands to `dragoman align`."""
    app = typer.Typer(
        name="mwe",
        help="Mine bilingual expressions, glue them, and undo it.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    app.command("extract", epilog="Example: dragoman align mwe extract corpus.fr corpus.en -o expressions")(extract)
    app.command(
        "group", epilog="Example: dragoman align mwe group corpus.fr corpus.en --expressions expressions -o glued"
    )(group)
    app.command("ungroup", epilog="Example: dragoman align mwe ungroup links glued.source glued.target -o words")(
        ungroup
    )
    app.command("ungroup-table", epilog="Example: dragoman align mwe ungroup-table phrases.gz -o split.gz")(
        ungroup_table
    )
    group_app.add_typer(app)
