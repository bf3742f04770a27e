"""`dragoman paraphrase`: other ways to say a phrase, from text of one language or by way of another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.output import Json, Seed, Threads, bar, note, show, show_json
from dragoman.cli.semantic_options import (
    Association,
    Corpus,
    TablePath,
    ThesaurusSpec,
    Window,
    opened_thesaurus,
    show_augmented,
    words_of,
)

if TYPE_CHECKING:
    from dragoman.semantics.distributional import Paraphraser
    from dragoman.semantics.pivot import PivotModel, PivotResult

__all__ = ["register"]

paraphrase_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Other ways to say a phrase.")


@paraphrase_app.command(epilog='Example: dragoman paraphrase text mono.en "to provide any other"')
def text(
    corpus: Corpus,
    phrases: Annotated[list[str] | None, typer.Argument(help="Phrases of up to six words.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="More phrases, one a line.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Of all phrases of the text that occur often enough: its whole vocabulary.")
    ] = False,
    max_phrase: Annotated[int, typer.Option(help="Longest phrase, with --all.", min=1, max=6)] = 1,
    min_count: Annotated[int, typer.Option(help="Leave out rarer phrases, with --all.", min=1)] = 5,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write phrase ||| paraphrase ||| score.")
    ] = None,
    k: Annotated[int, typer.Option("-k", help="At most so many.", min=1)] = 20,
    min_score: Annotated[float, typer.Option(help="At least so alike; 0.6 is strict.")] = 0.3,
    window: Window = 6,
    association: Association = "llr",
    stoplist: Annotated[int, typer.Option(help="Different neighbours that make a word say nothing.", min=0)] = 2000,
    thesaurus: ThesaurusSpec = "",
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Paraphrases from text of one language: what stands in the same places and keeps the same company.

    With a thesaurus, words that it has are compared in their nearest senses.
    """
    from dragoman.semantics.association import Association as How
    from dragoman.semantics.concepts import ConceptMatrix, SenseProfiles
    from dragoman.semantics.cooccurrence import ContextSpace, promiscuous
    from dragoman.semantics.distributional import Paraphraser
    from dragoman.text.index import CorpusIndex

    wanted = [] if every else _phrases(phrases, file)
    groups = opened_thesaurus(thesaurus)
    index = CorpusIndex.build(words_of(corpus), threads=threads)
    stop = promiscuous(index, window=window, threshold=stoplist, threads=threads)
    space = ContextSpace(index, window=window, stoplist=stop, threads=threads)
    how = How(measure=association)
    of_senses = None
    if groups is not None:
        of_senses = SenseProfiles(ConceptMatrix.base(space, groups).bootstrap(), association=how)
    paraphraser = Paraphraser(space, association=how, senses=of_senses, k=k, min_score=min_score)
    if every:
        wanted = paraphraser.vocabulary(longest=max_phrase, min_count=min_count)
    _distributional(paraphraser, wanted, output, as_json)


def _phrases(phrases: list[str] | None, file: Path | None) -> list[str]:
    from dragoman.errors import SettingError
    from dragoman.files import read_lines

    found = [*(phrases or []), *(read_lines(file) if file else [])]
    if not found:
        raise SettingError("no phrase to paraphrase", remedy="name some, or a file of them with --file")
    return [" ".join(phrase.split()) for phrase in found if phrase.strip()]


def _distributional(paraphraser: Paraphraser, wanted: list[str], output: Path | None, as_json: bool) -> None:
    from dragoman.progress import tracked
    from dragoman.semantics.distributional import write_paraphrases

    with bar("paraphrasing") as progress:
        found = {
            phrase: paraphraser.paraphrases(phrase)
            for phrase in tracked(wanted, "paraphrasing", progress, total=len(wanted), every=10)
        }
    if output is not None:
        write_paraphrases(output, found)
        return
    if as_json:
        show_json(
            {
                "phrases": {
                    phrase: [
                        {**entry.to_dict(), "sentences": [seen._asdict() for seen in paraphraser.witnesses(entry)]}
                        for entry in entries
                    ]
                    for phrase, entries in found.items()
                }
            }
        )
        return
    from rich.table import Table
    from rich.text import Text

    for phrase, entries in found.items():
        if not entries:
            absent = phrase not in paraphraser.space.index
            note(f"{phrase}: " + ("not in the text" if absent else "nothing alike enough"))
            continue
        table = Table(phrase, "score", "seen in the same place", box=None, pad_edge=False)
        for entry in entries:
            frames = "; ".join(f"{frame.left} _ {frame.right}" for frame, _ in entry.frames[:3])
            table.add_row(Text(entry.phrase), f"{entry.score:.4f}", Text(frames))
        show(table)


@paraphrase_app.command(
    epilog="Example: dragoman paraphrase pivot forma --pivot fr=es-fr.table --tags fr=fr-en.table --tag form"
)
def pivot(
    phrases: Annotated[list[str] | None, typer.Argument(help="Phrases of the input language.")] = None,
    pivots: Annotated[
        list[str] | None, typer.Option("--pivot", help="LANGUAGE=TABLE from the input language to a pivot; repeat.")
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tags", help="LANGUAGE=TABLE from a pivot to the language of the tag; repeat.")
    ] = None,
    tag: Annotated[str | None, typer.Option(help="What the phrase is translated to here: keeps to one sense.")] = None,
    tag_pairs: Annotated[
        Path | None,
        typer.Option(
            "--tag-pairs", help="A table from the input language to that of the tag, which is the pivot then."
        ),
    ] = None,
    sentence: Annotated[
        str, typer.Option("--context", help="A tokenised sentence with the phrase: rank by what fits it.")
    ] = "",
    lm: Annotated[Path | None, typer.Option("--lm", help="A language model, for --context.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="More phrases, one a line.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write all phrases of the tables instead, with their tags.")
    ] = None,
    k: Annotated[int, typer.Option("-k", help="At most so many.", min=1)] = 10,
    as_json: Json = False,
) -> None:
    """Paraphrases through other languages: to a translation and back."""
    from dragoman.errors import SettingError

    if bool(sentence) != (lm is not None):
        raise SettingError("a sentence and a language model go together", remedy="give both --context and --lm")
    if tag_pairs is not None and tag is None:
        raise SettingError("--tag-pairs without a tag", remedy="name one with --tag")
    model = _pivot_model(pivots or [], tags or [], tag_pairs)
    if output is not None:
        count = model.write_table(output, tagged=bool(tags), top=k)
        show(f"{count:,} paraphrases: {output}")
        return
    kind = "ccb-wsd" if tag_pairs is not None else None
    first = None if sentence else k
    found = {phrase: model.paraphrases(phrase, tag=tag, model=kind, top=first) for phrase in _phrases(phrases, file)}
    if lm is not None:
        found = {phrase: _in_sentence(phrase, result, sentence, lm, k) for phrase, result in found.items()}
    if as_json:
        show_json(
            {
                "phrases": {
                    phrase: {"reason": result.reason, "paraphrases": [entry.to_dict() for entry in result.found]}
                    for phrase, result in found.items()
                }
            }
        )
        return
    from rich.table import Table
    from rich.text import Text

    for phrase, result in found.items():
        if not result.found:
            note(f"{phrase}: {result.reason.replace('_', ' ') or 'nothing found'}")
            continue
        table = Table(phrase, "p", "through", box=None, pad_edge=False)
        for entry in result.found:
            through = ", ".join(f"{support.language}: {support.pivot}" for support in entry.support[:4])
            table.add_row(Text(entry.phrase), f"{entry.probability:.4f}", Text(through))
        show(table)


def _in_sentence(phrase: str, result: PivotResult, sentence: str, lm: Path, top: int) -> PivotResult:
    """The paraphrases in the order in which they fit a sentence."""
    from dataclasses import replace

    from dragoman.errors import InputError
    from dragoman.lm import NgramModel
    from dragoman.semantics.senses import rerank

    tokens, words = sentence.split(), phrase.split()
    starts = [at for at in range(len(tokens)) if tokens[at : at + len(words)] == words]
    if not starts:
        raise InputError(f"the sentence has no {phrase!r}", remedy="give a tokenised sentence with the phrase in it")
    span = (starts[0], starts[0] + len(words))
    ranked = rerank(tokens, span, result.found, NgramModel.open(lm), top=top)
    return replace(result, found=tuple(entry.paraphrase for entry in ranked))


def _pivot_model(pivots: list[str], tags: list[str], tag_pairs: Path | None = None) -> PivotModel:
    from dragoman.errors import SettingError
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.pivot import PhraseCounts, PivotModel

    def read(given: list[str]) -> dict[str, PhraseCounts]:
        found = {}
        for entry in given:
            language, equals, path = entry.partition("=")
            if not equals or not language:
                raise SettingError(f"{entry!r} is not LANGUAGE=TABLE", remedy="write it like fr=es-fr.table")
            found[language] = PhraseCounts.of_table(RuleTable.open(path))
        return found

    if tag_pairs is None:
        return PivotModel(read(pivots), read(tags))
    direct = PhraseCounts.of_table(RuleTable.open(tag_pairs))
    return PivotModel(read(pivots) or {"tag": direct}, read(tags), direct)


@paraphrase_app.command(
    "augment", epilog="Example: dragoman paraphrase augment de-en.table paraphrases.txt -o de-en.more.table"
)
def augment_paraphrases(
    table: TablePath,
    paraphrases: Annotated[
        Path, typer.Argument(help="Lines of phrase ||| paraphrase ||| score, as `dragoman paraphrase text -o` writes.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The table to write.")],
    policy: Annotated[
        str, typer.Option(help="Several paraphrases, one translation: reinforce, best, random, marginal or sum.")
    ] = "reinforce",
    split: Annotated[str, typer.Option(help="Lengths of phrases that are weighed apart.")] = "1+2-6",
    values: Annotated[str, typer.Option(help="Other columns: copy those of the best path, or neutral.")] = "copy",
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Give phrases that a table lacks the translations of their paraphrases; tune afterwards."""
    from dragoman.grammar.augment import augment_table, rules_by_paraphrase
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.distributional import read_paraphrases

    opened = RuleTable.open(table)
    given = read_paraphrases(paraphrases)
    rules = rules_by_paraphrase(opened, given, policy=policy, split=split, values=values, seed=seed)
    made = augment_table(opened, rules, output, threads=threads)
    show_augmented(opened, made, len(rules), output, as_json)


@paraphrase_app.command(epilog="Example: dragoman paraphrase tag test.es test.en test.align forma --json")
def tag(
    source: Annotated[Path, typer.Argument(help="Tokenised text.")],
    target: Annotated[Path, typer.Argument(help="Its translation, by people or by a decoder.")],
    alignment: Annotated[Path, typer.Argument(help="Word alignment of the two.")],
    phrases: Annotated[list[str] | None, typer.Argument(help="Words or phrases of the source.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="More phrases, one a line.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Leave out what needs more words.")] = False,
    as_json: Json = False,
) -> None:
    """Tell the senses of phrases in a text: what each occurrence is translated to."""
    from dragoman.files import read_parallel
    from dragoman.semantics.senses import tag_text

    sources, targets, links = read_parallel([source, target, alignment])
    found = tag_text(sources, targets, links, _phrases(phrases, file), strict=strict)
    if as_json:
        show_json({"phrases": {phrase: [entry._asdict() for entry in entries] for phrase, entries in found.items()}})
        return
    from collections import Counter

    from rich.table import Table
    from rich.text import Text

    for phrase, entries in found.items():
        if not entries:
            note(f"{phrase}: not in the text, or not aligned")
            continue
        table = Table(phrase, "times", "lines", box=None, pad_edge=False)
        lines: dict[str, list[int]] = {}
        for entry in entries:
            lines.setdefault(entry.tag, []).append(entry.line)
        for name, count in Counter(entry.tag for entry in entries).most_common():
            shown = ", ".join(str(line) for line in lines[name][:5])
            table.add_row(Text(name), str(count), shown + (", ..." if count > 5 else ""))
        show(table)


def register(app: typer.Typer) -> None:
    """Add this group to the program."""
    app.add_typer(paraphrase_app, name="paraphrase")
