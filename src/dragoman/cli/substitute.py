"""`dragoman substitute`: the translation of one marked word that suits its sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.output import Json, Threads, note, show, show_json

if TYPE_CHECKING:
    from dragoman.semantics.substitution import ContextSubstitution, DecodedSubstitution
    from dragoman.semantics.substitution_files import Instance

__all__ = ["register"]

substitute_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The translation of a word in context.")

Information = Annotated[Path, typer.Argument(help="Counts from `dragoman substitute count`.")]
Instances = Annotated[Path, typer.Argument(help="Marked words: XML with <head>, or a table; see the docs.")]
Views = Annotated[
    Path | None, typer.Option(help="The sentences as the counts have them (`bank.n`), a line per instance.")
]
DictionaryPath = Annotated[
    Path | None,
    typer.Option("--dictionary", help="Word, translation between tabs in order; a dictd .index; or TEI XML (.tei)."),
]
Translator = Annotated[Path | None, typer.Option(help="A model that translates, to ask for the word in its sentence.")]
Nbest = Annotated[int, typer.Option("--nbest", help="So many translations of a sentence.", min=1)]
Task = Annotated[str, typer.Option(help="best: one answer; oot: up to ten.")]
GoldPath = Annotated[Path, typer.Argument(help="Right answers with votes: `bank.n 17 :: banco 3;orilla 1;`.")]
Features = Annotated[
    str, typer.Option("--features", help="Between commas: own, all, others, best, ten; empty for all there are.")
]
Candidates = Annotated[str, typer.Option(help="Where candidates come from: information, dictionary or table.")]
TableFile = Annotated[Path | None, typer.Option("--table", help="A table, for --candidates table.")]


@substitute_app.command(epilog="Example: dragoman substitute count train.en train.es -o en-es.counts")
def count(
    source: Annotated[Path, typer.Argument(help="Tokenised text, words or `lemma.tag`.")],
    target: Annotated[Path, typer.Argument(help="Its translation, likewise.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the counts go.")],
    smoothing: Annotated[float, typer.Option(help="Of pairs that were never seen together.")] = 0.1,
    min_count: Annotated[int, typer.Option(help="Leave out words of fewer sentences.", min=1)] = 1,
    max_words: Annotated[int, typer.Option(help="Pass over longer sentences.", min=1)] = 100,
    function_words: Annotated[
        int, typer.Option(help="So many of the most frequent words say nothing, where there are no tags.", min=0)
    ] = 100,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Count in how many sentence pairs words of two languages occur together."""
    from dragoman.files import read_parallel, require_writable
    from dragoman.semantics.mutual_information import MutualInformation

    require_writable(output)
    made = MutualInformation.train(
        *read_parallel([source, target]),
        smoothing=smoothing,
        min_count=min_count,
        max_words=max_words,
        function_words=function_words,
        threads=threads,
    )
    made.save(output)
    facts = {"sentences": int(made.native.sentences), "pairs": made.native.size, "tagged": made.native.tagged}
    if as_json:
        show_json({**facts, "counts": str(output)})
    else:
        show(f"{facts['pairs']:,} pairs of words in {facts['sentences']:,} sentence pairs: {output}")


@substitute_app.command("list", epilog="Example: dragoman substitute list en-es.counts bank.n -k 10")
def translations(
    information: Information,
    words: Annotated[list[str], typer.Argument(help="Words, as the counts have them.")],
    k: Annotated[int, typer.Option("-k", help="So many translations.", min=1)] = 50,
    as_json: Json = False,
) -> None:
    """Show the translations of words with the highest mutual information."""
    from dragoman.semantics.mutual_information import MutualInformation

    opened = MutualInformation.open(information)
    found = {word: opened.dictionary(word, size=k) for word in words}
    if as_json:
        show_json({"words": {word: [each._asdict() for each in near] for word, near in found.items()}})
        return
    from rich.table import Table
    from rich.text import Text

    for word, near in found.items():
        table = Table(word, "information", box=None, pad_edge=False)
        for each in near:
            table.add_row(Text(each.phrase), f"{each.value:.6f}")
        show(table)


@substitute_app.command(epilog="Example: dragoman substitute learn en-es.counts trial.xml trial.gold -o weights.toml")
def learn(
    information: Information,
    instances: Instances,
    gold: GoldPath,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the weights go.")],
    views: Views = None,
    dictionary: DictionaryPath = None,
    translator: Translator = None,
    table: TableFile = None,
    candidates: Candidates = "information",
    features: Features = "",
    nbest: Nbest = 1000,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the ranker, such as epochs=5; repeatable.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn what features of candidates weigh, from instances with right answers."""
    from dragoman.files import require_writable
    from dragoman.semantics.pair_ranking import PairRanker
    from dragoman.semantics.substitution_files import read_gold

    require_writable(output)
    read = _instances(instances, views)
    system = _system(information, read, dictionary, translator, table, candidates, features, nbest)
    made = system.fit(read, read_gold(gold), PairRanker.configured(settings or []))
    made.save_weights(output)
    weights = dict(zip(made.features, made.weights, strict=True))
    if as_json:
        show_json({"weights": weights})
        return
    show(", ".join(f"{name} {weight:.4f}" for name, weight in weights.items()))


@substitute_app.command(epilog="Example: dragoman substitute answer en-es.counts test.xml --weights weights.toml")
def answer(
    information: Information,
    instances: Instances,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where answers go, for a shared task.")] = None,
    task: Task = "best",
    weights: Annotated[Path | None, typer.Option(help="From `dragoman substitute learn`.")] = None,
    views: Views = None,
    dictionary: DictionaryPath = None,
    translator: Translator = None,
    table: TableFile = None,
    candidates: Candidates = "information",
    features: Features = "",
    nbest: Nbest = 1000,
    as_json: Json = False,
) -> None:
    """Translate marked words: candidates ranked by their sentences."""
    read = _instances(instances, views)
    system = _system(information, read, dictionary, translator, table, candidates, features, nbest)
    if weights is not None:
        system = system.with_weights(weights)
    _show(system.answer(read, task), task, output, as_json)


@substitute_app.command(epilog="Example: dragoman substitute decode models/en-es test.xml --dictionary en-es.tsv")
def decode(
    translator: Annotated[Path, typer.Argument(help="A model that translates.")],
    instances: Instances,
    dictionary: DictionaryPath = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where answers go, for a shared task.")] = None,
    task: Task = "best",
    nbest: Nbest = 1000,
    as_json: Json = False,
) -> None:
    """Translate marked words: what a translation model says and a dictionary has, then the dictionary."""
    read = _instances(instances, None)
    system = _decoded(translator, dictionary, read, nbest)
    answers, sources = system.answer_with_sources(read, task)
    note(
        f"{sources.decoded:,} answers from the translations, {sources.dictionary:,} from the dictionary, "
        f"{sources.unfiltered:,} that it does not know"
    )
    _show(answers, task, output, as_json)


@substitute_app.command(epilog="Example: dragoman substitute score answers.best test.gold")
def score(
    answers: Annotated[Path, typer.Argument(help="Answers of a system.")],
    gold: GoldPath,
    task: Task = "best",
    dedupe: Annotated[
        bool, typer.Option("--dedupe", help="Count repeated answers once, unlike the shared task.")
    ] = False,
    ignore_case: Annotated[bool, typer.Option("--ignore-case", help="Compare in lower case.")] = False,
    as_json: Json = False,
) -> None:
    """Score answers as the shared tasks do."""
    from dragoman.semantics.substitution_files import read_answers, read_gold
    from dragoman.semantics.substitution_scoring import score_answers

    found = score_answers(read_answers(answers), read_gold(gold), task=task, dedupe=dedupe, ignore_case=ignore_case)
    if found.strange:
        note(f"{found.strange:,} answers are to items that the gold file does not have")
    if found.repeated and not dedupe:
        note(f"{found.repeated:,} items have an answer more than once, which counts each time")
    if as_json:
        show_json(found.to_dict())
        return
    for line in found.lines():
        show(line)


@substitute_app.command(epilog="Example: dragoman annotate run ... | dragoman substitute view - -o train.lemmas")
def view(
    annotated: Annotated[Path, typer.Argument(help="Sentences with lemmas and parts of speech, CoNLL-U.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to: a line per sentence.")],
    plain: Annotated[bool, typer.Option("--plain", help="Lemmas without tags.")] = False,
) -> None:
    """Write annotated sentences as lines of `lemma.tag`."""
    from dragoman.annotations.corpus import read_annotations
    from dragoman.files import writing
    from dragoman.semantics.word_views import lemmas, tagged_lemmas

    with writing(output) as file:
        for sentence in read_annotations(annotated):
            file.write(" ".join(lemmas(sentence) if plain else tagged_lemmas(sentence)) + "\n")


def _instances(path: Path, views: Path | None) -> Sequence[Instance]:
    from dataclasses import replace

    from dragoman.errors import LengthMismatch
    from dragoman.files import read_lines
    from dragoman.semantics.substitution_files import read_instances

    found = read_instances(path)
    if views is None:
        return found
    lines = [line.split() for line in read_lines(views)]
    if len(lines) != len(found):
        raise LengthMismatch(f"{len(lines)} views of {len(found)} instances", where=str(views))
    return [replace(each, view=tuple(line)) for each, line in zip(found, lines, strict=True)]


def _decoded(
    translator: Path, dictionary: Path | None, instances: Sequence[Instance], nbest: int
) -> DecodedSubstitution:
    from dragoman.pipeline.model import Model
    from dragoman.search.head_translations import head_translations
    from dragoman.semantics.substitution import DecodedSubstitution
    from dragoman.semantics.substitution_files import read_dictionary

    decoder = Model.open(translator).decoder
    known: dict[Any, list[str]] = {}

    def heads(instance: Instance) -> Sequence[str]:
        if instance.key not in known:
            known[instance.key] = head_translations(decoder, instance.words, instance.head, nbest=nbest)
        return known[instance.key]

    return DecodedSubstitution(heads, read_dictionary(dictionary) if dictionary is not None else {})


def _system(
    information: Path,
    instances: Sequence[Instance],
    dictionary: Path | None,
    translator: Path | None,
    table: Path | None,
    candidates: str,
    features: str,
    nbest: int,
) -> ContextSubstitution:
    from dragoman.errors import SettingError
    from dragoman.semantics.mutual_information import MutualInformation
    from dragoman.semantics.substitution import FEATURES, ContextSubstitution, table_candidates
    from dragoman.semantics.substitution_files import read_dictionary

    listed: Mapping[str, Sequence[str]] | None = None
    if candidates == "dictionary":
        if dictionary is None:
            raise SettingError("candidates of a dictionary, and there is none", remedy="give --dictionary")
        listed = read_dictionary(dictionary)
    elif candidates == "table":
        from dragoman.grammar.table import RuleTable

        if table is None:
            raise SettingError("candidates of a table, and there is none", remedy="give --table")
        listed = table_candidates(RuleTable.open(table), instances)
    elif candidates != "information":
        raise SettingError(f"candidates={candidates!r}", remedy="choose from information, dictionary, table")
    first = _decoded(translator, dictionary, instances, nbest) if translator is not None else None
    wanted = tuple(filter(None, features.split(","))) or (FEATURES if first is not None else FEATURES[:3])
    return ContextSubstitution(MutualInformation.open(information), first, listed, wanted)


def _show(answers: Mapping[tuple[str, str], Sequence[str]], task: str, output: Path | None, as_json: bool) -> None:
    from dragoman.semantics.substitution_files import write_answers

    if output is not None:
        write_answers(output, answers, task=task)
        return
    if as_json:
        rows = [{"item": item, "id": number, "answers": [*given]} for (item, number), given in answers.items()]
        show_json({"task": task, "answers": rows})
        return
    for (item, number), given in answers.items():
        show(f"{item} {number}: {', '.join(given) or '-'}")


def register(app: typer.Typer) -> None:
    """Add this group to the program."""
    app.add_typer(substitute_app, name="substitute")
