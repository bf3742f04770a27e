"""`dragoman text inflections` and `dragoman text agree`: forms of words, and words that go together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.marked_text import Annotate, annotator
from dragoman.cli.output import Json, Threads, note, show, show_json
from dragoman.cli.text import Input, print_lines, text_batches

__all__ = ["register"]

_STDIN = Path("-")


def inflections(
    treebanks: Annotated[list[Path], typer.Argument(help="CoNLL-U with lemmas and morphology; several are joined.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The lexicon, a table.")],
    as_json: Json = False,
) -> None:
    """Collect the forms of adjectives, nouns and verbs, with their gender and number."""
    from dragoman.annotations import conllu
    from dragoman.files import require_writable
    from dragoman.text.inflections import InflectionLexicon

    require_writable(output)
    lexicon = InflectionLexicon.of_treebank(sentence for path in treebanks for sentence in conllu.read(path))
    lexicon.save(output)
    if as_json:
        show_json({"forms": len(lexicon), "lexicon": str(output)})
        return
    show(f"{len(lexicon):,} forms: {output}")


def agree(
    lexicon: Annotated[Path, typer.Argument(help="A lexicon of `dragoman text inflections`.")],
    file: Input = _STDIN,
    annotate: Annotate = "",
    threads: Threads = 0,
) -> None:
    """Make adjectives and participles of tokenised French agree with their nouns; how many is said at the end."""
    from dragoman.errors import SettingError
    from dragoman.text.agreement import AgreementCorrector, revise
    from dragoman.text.inflections import InflectionLexicon

    chain = annotator(annotate)
    if chain is None:
        raise SettingError("agreement needs to know which words belong together", remedy="name a parser: --annotate")
    corrector = AgreementCorrector(InflectionLexicon.open(lexicon))
    edits = lines = 0
    for batch in text_batches(file):
        words = [line.split() for line in batch]
        found = revise(corrector, chain, words, threads=threads)
        edits += sum(a != b for old, new in zip(words, found, strict=True) for a, b in zip(old, new, strict=True))
        lines += len(batch)
        print_lines(map(" ".join, found))
    note(f"{edits:,} words replaced in {lines:,} lines")


def register(app: typer.Typer) -> None:
    """Add these commands to the group `text`."""
    app.command(epilog="Example: dragoman text inflections fr_gsd-ud-train.conllu -o fr.inflections")(inflections)
    app.command(epilog="Example: dragoman text agree fr.inflections output.tok.fr --annotate fr-model")(agree)
