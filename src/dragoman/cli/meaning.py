"""`dragoman profiles`, `dragoman paraphrase` and `dragoman oov`: what text of one language says about its words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.output import Json, Seed, Threads, bar, note, show, show_json

if TYPE_CHECKING:
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.distributional import Paraphraser
    from dragoman.semantics.pivot import PivotModel, PivotResult
    from dragoman.semantics.thesaurus import Thesaurus

__all__ = ["register"]

profiles_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Words as what they are seen with.")
paraphrase_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Other ways to say a phrase.")
oov_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Translations for words that a table lacks.")

TablePath = Annotated[Path, typer.Argument(help="A table written by `dragoman extract`.")]
ProfilesPath = Annotated[Path, typer.Argument(help="Profiles made by `dragoman profiles build`.")]
Text = Annotated[Path, typer.Argument(help="Tokenised text, plain or compressed; '-' reads standard input.")]
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


def _thesaurus(spec: str) -> Thesaurus | None:
    from dragoman.semantics.thesaurus import Thesaurus

    kind, _, path = spec.partition("=")
    return Thesaurus.open(path or None, format=kind) if spec else None


def _lines(path: Path, *, keep_marks: bool = False) -> list[str]:
    from dragoman.files import read_lines
    from dragoman.semantics.cooccurrence import wording

    return list(read_lines(path) if keep_marks else wording(read_lines(path)))


@profiles_app.command(epilog="Example: dragoman profiles build mono.en -o en.profiles --association ppmi")
def build(
    text: Text = Path("-"),
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the profiles go: a folder.")],
    window: Window = 5,
    positional: Annotated[bool, typer.Option("--positional", help="Tell places in the window apart.")] = False,
    association: Association = "llr",
    similarity: Similarity = "cosine",
    min_count: Annotated[int, typer.Option(help="Leave out rarer words.", min=1)] = 5,
    stoplist: Annotated[
        int, typer.Option(help="Words with more different neighbours than this are no contexts.", min=0)
    ] = 2000,
    stoplist_least: Annotated[float, typer.Option(help="... counting neighbours seen at least so often.")] = 1,
    keep_marks: Annotated[
        bool, typer.Option("--keep-marks", help="Keep case, numbers and punctuation as they are.")
    ] = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Make profiles of the words of a text."""
    from dragoman.bundle import Provenance, require_place_for_bundle
    from dragoman.semantics.profiles import KIND, Profiles

    require_place_for_bundle(output, KIND)
    profiles = Profiles.train(
        _lines(text, keep_marks=keep_marks),
        window=window,
        positional=positional,
        association=association,
        similarity=similarity,
        min_count=min_count,
        stoplist_threshold=stoplist,
        stoplist_least=stoplist_least,
        threads=threads,
    )
    inputs = [text] if text.is_file() else []
    profiles.save(output, provenance=Provenance.of_files(inputs, command="dragoman profiles build"))
    facts = {
        "words": len(profiles),
        "tokens": profiles.space.index.tokens,
        "stoplist": len(profiles.space.stoplist),
        "contexts": int(profiles.matrix.nnz),
        "profiles": str(output),
    }
    if as_json:
        show_json(facts)
        return
    show(f"{facts['words']:,} words of {facts['tokens']:,} tokens, {facts['stoplist']:,} of them no contexts: {output}")
    if not 1 <= len(profiles.space.stoplist) <= 600:
        note("a stoplist of one to six hundred words is usual; --stoplist and --stoplist-least change it")


@profiles_app.command(epilog="Example: dragoman profiles nearest en.profiles bank river -k 5 --contexts")
def nearest(
    profiles: ProfilesPath,
    words: Annotated[list[str], typer.Argument(help="Words or quoted phrases.")],
    k: Annotated[int, typer.Option("-k", help="So many neighbours.", min=1)] = 10,
    contexts: Annotated[bool, typer.Option("--contexts", help="Show contexts in common, and a sentence.")] = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Show the words most like a word, and on request why."""
    from dragoman.semantics.profiles import Profiles

    opened = Profiles.open(profiles, threads=threads)
    for word in words:
        opened.require(word)
    result: dict[str, list[dict[str, Any]]] = {}
    for word, neighbors in zip(words, opened.nearest_of(words, k=k), strict=True):
        rows: list[dict[str, Any]] = [neighbor._asdict() for neighbor in neighbors]
        for row in rows if contexts else ():
            shared = opened.shared(word, row["phrase"], limit=5)
            row["contexts"] = [context for context, _ in shared]
            row["sentence"] = next(
                (found.text for context, _ in shared[:1] for found in opened.witnesses(row["phrase"], context)), ""
            )
        result[word] = rows
    if as_json:
        show_json({"words": result})
        return
    from rich.table import Table
    from rich.text import Text

    for word, rows in result.items():
        heads = ["contexts in common", "for example"] if contexts else []
        table = Table(word, opened.similarity_settings.measure, *heads, box=None, pad_edge=False)
        for row in rows:
            more = [Text(" ".join(row["contexts"])), Text(row["sentence"])] if contexts else []
            table.add_row(Text(row["phrase"]), f"{row['value']:.4f}", *more)
        show(table)


@profiles_app.command(epilog="Example: dragoman profiles evaluate en.profiles EN-WS-353-ALL.txt --json")
def evaluate(
    profiles: ProfilesPath,
    pairs: Annotated[list[Path], typer.Argument(help="Lines of two words and what people gave them, between tabs.")],
    unknown: Annotated[str, typer.Option(help="Pairs with unknown words: zero (unlike) or skip.")] = "zero",
    measure: Annotated[
        str,
        typer.Option(
            help="profile; concept, proportional or filtered (senses, with --thesaurus); lsa or glsa; or a measure of "
            "WordNet: path, resnik, lin, jiang-conrath, lesk."
        ),
    ] = "profile",
    thesaurus: ThesaurusSpec = "",
    bootstrap: Annotated[
        bool, typer.Option(help="Give each occurrence of a word to the sense that its neighbours speak for.")
    ] = True,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Compare with the judgements of people: Spearman's rank correlation, and coverage."""
    from dragoman.semantics.profiles import Profiles
    from dragoman.semantics.word_measures import word_measure
    from dragoman.semantics.word_pairs import evaluate_pairs, read_pairs

    opened = Profiles.open(profiles, threads=threads)
    lists = {path.name: [pair.lowered for pair in read_pairs(path)] for path in pairs}
    words = [word for found in lists.values() for pair in found for word in pair[:2]]
    alike = word_measure(measure, opened, thesaurus=_thesaurus(thesaurus), bootstrap=bootstrap, words=words)
    reports = {name: evaluate_pairs(found, alike, unknown=unknown) for name, found in lists.items()}
    if as_json:
        show_json({"files": {name: report.to_dict() for name, report in reports.items()}})
        return
    from rich.table import Table

    table = Table("pairs", "Spearman", "p", "known", "of", box=None, pad_edge=False)
    for name, report in reports.items():
        table.add_row(name, f"{report.spearman:.4f}", f"{report.p_value:.2g}", str(report.known), str(report.total))
    show(table)


@profiles_app.command(epilog="Example: dragoman profiles senses en.profiles bank --thesaurus wordnet")
def senses(
    profiles: ProfilesPath,
    words: Annotated[list[str], typer.Argument(help="Words.")],
    thesaurus: ThesaurusSpec = "wordnet",
    measure: Annotated[str, typer.Option(help="proportional, or filtered: contexts that a sense has at all.")] = (
        "proportional"
    ),
    bootstrap: Annotated[
        bool, typer.Option(help="Give each occurrence of a word to the sense that its neighbours speak for.")
    ] = True,
    k: Annotated[int, typer.Option("-k", help="So many contexts.", min=1)] = 5,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Divide the profiles of words among their senses: how much each is used, and its strongest contexts."""
    from dragoman.semantics.concepts import ConceptMatrix, SenseProfiles
    from dragoman.semantics.profiles import Profiles

    opened = Profiles.open(profiles, threads=threads)
    for word in words:
        opened.require(word)
    groups = _thesaurus(thesaurus)
    if groups is None:
        from dragoman.errors import SettingError

        raise SettingError("senses need a thesaurus", remedy="name one with --thesaurus")
    matrix = ConceptMatrix.base(opened.space, groups)
    divided = SenseProfiles(matrix.bootstrap() if bootstrap else matrix, kind=measure, association=opened.association)
    result = {word: [sense.to_dict() for sense in divided.describe(word, contexts=k)] for word in words}
    if as_json:
        show_json({"words": result})
        return
    from rich.table import Table
    from rich.text import Text

    for word, rows in result.items():
        table = Table(word, "share", "contexts", box=None, pad_edge=False)
        for row in rows:
            table.add_row(Text(row["sense"] or "-"), f"{row['share']:.2f}", Text(", ".join(row["contexts"])))
        show(table)


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
    groups = _thesaurus(thesaurus)
    index = CorpusIndex.build(_lines(corpus), threads=threads)
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
    _show_augmented(opened, made, len(rules), output, as_json)


def _show_augmented(before: RuleTable, after: RuleTable, new: int, output: Path, as_json: bool) -> None:
    if as_json:
        show_json({"before": len(before), "rules": len(after), "new": new, "table": str(output)})
        return
    show(f"{new:,} new rules, {len(after):,} in all: {output}")


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


Cased = Annotated[
    list[Path] | None, typer.Option(help="The same text with its capitals, to tell names; once per input.")
]
Inputs = Annotated[list[Path], typer.Argument(help="Tokenised text to translate, such as dev and test.")]


@oov_app.command(epilog="Example: dragoman oov find de-en.table dev.de test.de --cased dev.raw.de --cased test.raw.de")
def find(
    table: TablePath,
    inputs: Inputs,
    cased: Cased = None,
    definition: Annotated[str, typer.Option(help="in-no-phrase or no-rule (of its own).")] = "in-no-phrase",
    as_json: Json = False,
) -> None:
    """List the words that a table does not know; numbers and names apart."""
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.oov import find_unknown_words

    found = find_unknown_words(
        _all_lines(inputs), RuleTable.open(table), definition=definition, cased=_all_lines(cased) if cased else None
    )
    if as_json:
        show_json(found.to_dict())
        return
    for word in found.words:
        show(word)
    note(f"{len(found.words):,} words, {len(found.numbers):,} numbers, {len(found.names):,} names")


@oov_app.command(epilog="Example: dragoman oov translate de-en.table mono.de dev.de test.de -o oov.tsv")
def translate(
    table: TablePath,
    mono: Annotated[Path, typer.Argument(help="Tokenised text of the source language, as large as can be had.")],
    inputs: Inputs,
    cased: Cased = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write word, translation, p between tabs.")
    ] = None,
    graph: Annotated[str, typer.Option(help="tripartite, bipartite or full.")] = "tripartite",
    algorithm: Annotated[
        str, typer.Option(help="modified-adsorption, adsorption or label-propagation.")
    ] = "modified-adsorption",
    window: Window = 4,
    association: Association = "pmi",
    similarity: Similarity = "cosine",
    max_phrase: Annotated[int, typer.Option(help="Longest phrase of the table that is a node.", min=1)] = 1,
    min_count: Annotated[int, typer.Option(help="Other words of the text are nodes if seen so often.", min=1)] = 5,
    top: Annotated[int, typer.Option(help="Translations per word.", min=1)] = 20,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Give unknown words translations, over a graph of words that are used alike."""
    from dragoman.files import read_lines
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.association import Association as How
    from dragoman.semantics.cooccurrence import ContextSpace
    from dragoman.semantics.oov import find_unknown_words, graph_translations, write_lexicon
    from dragoman.semantics.similarity import Similarity as Measure
    from dragoman.text.index import CorpusIndex

    opened, wanted = RuleTable.open(table), _all_lines(inputs)
    words = list(find_unknown_words(wanted, opened, cased=_all_lines(cased) if cased else None).words)
    index = CorpusIndex.build([*read_lines(mono), *wanted], threads=threads)
    found = graph_translations(
        ContextSpace(index, window=window, threads=threads),
        opened,
        words,
        kind=graph,
        algorithm=algorithm,
        max_phrase=max_phrase,
        min_count=min_count,
        top=top,
        association=How(measure=association),
        similarity=Measure(measure=similarity),
    )
    if output is not None:
        write_lexicon(output, found.lexicon)
    elif as_json:

        def because(word: str, target: str) -> list[dict[str, Any]]:
            """The neighbours that bring a translation, each with a sentence it stands in."""
            return [
                {**reason, "sentence": index.sentence(index.occurrences(reason["neighbor"], limit=1)[0].sentence)}
                for reason in found.explain(word, target)
            ]

        show_json(
            {
                "words": {
                    word: [{**entry._asdict(), "because": because(word, entry.target)} for entry in entries]
                    for word, entries in found.lexicon.items()
                }
            }
        )
    else:
        from rich.table import Table
        from rich.text import Text

        rows = Table("word", "translation", "p", "because of", box=None, pad_edge=False)
        for word, entries in found.lexicon.items():
            for entry in entries[:3]:
                reasons = ", ".join(reason["neighbor"] for reason in found.explain(word, entry.target, limit=3))
                rows.add_row(Text(word), Text(entry.target), f"{entry.probability:.4f}", Text(reasons))
        show(rows)
    note(f"{len(found.lexicon):,} of {len(words):,} unknown words have translations now")


@oov_app.command(epilog="Example: dragoman oov graph de-en.table mono.de test.de -o graph.tsv --seeds seeds.tsv")
def graph(
    table: TablePath,
    mono: Annotated[Path, typer.Argument(help="Tokenised text of the source language, as large as can be had.")],
    inputs: Inputs,
    cased: Cased = None,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Write node, node, weight between tabs.")],
    seeds: Annotated[Path, typer.Option(help="Write node, translation, p of what the table knows, between tabs.")],
    kind: Annotated[str, typer.Option("--graph", help="tripartite, bipartite or full.")] = "tripartite",
    window: Window = 4,
    association: Association = "pmi",
    similarity: Similarity = "cosine",
    max_phrase: Annotated[int, typer.Option(help="Longest phrase of the table that is a node.", min=1)] = 1,
    min_count: Annotated[int, typer.Option(help="Other words of the text are nodes if seen so often.", min=1)] = 5,
    top: Annotated[int, typer.Option(help="Translations per known node.", min=1)] = 20,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Join unknown words to words that are used alike: the first half of `oov translate`, in files."""
    from dragoman.files import read_lines, require_writable
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.association import Association as How
    from dragoman.semantics.cooccurrence import ContextSpace
    from dragoman.semantics.oov import find_unknown_words, graph_of_table, seeds_of_table, write_labels
    from dragoman.semantics.similarity import Similarity as Measure
    from dragoman.text.index import CorpusIndex

    for path in (output, seeds):
        require_writable(path)
    opened, wanted = RuleTable.open(table), _all_lines(inputs)
    words = list(find_unknown_words(wanted, opened, cased=_all_lines(cased) if cased else None).words)
    index = CorpusIndex.build([*read_lines(mono), *wanted], threads=threads)
    made, labeled = graph_of_table(
        ContextSpace(index, window=window, threads=threads),
        opened,
        words,
        kind=kind,
        max_phrase=max_phrase,
        min_count=min_count,
        association=How(measure=association),
        similarity=Measure(measure=similarity),
    )
    made.write(output)
    known = seeds_of_table(opened, [node for node in labeled if node in made], top=top)
    write_labels(seeds, known)
    facts = {"nodes": len(made), "edges": int(made.matrix.nnz) // 2, "seeds": len(known), "graph": str(output)}
    if as_json:
        show_json(facts)
        return
    show(f"{facts['nodes']:,} nodes, {facts['edges']:,} edges, {facts['seeds']:,} known: {output}, {seeds}")


@oov_app.command("propagate", epilog="Example: dragoman oov propagate graph.tsv seeds.tsv -o labels.tsv")
def propagate_labels(
    graph: Annotated[Path, typer.Argument(help="Lines of node, node, weight between tabs.")],
    seeds: Annotated[Path, typer.Argument(help="Lines of node, label, value between tabs.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write node, label, value between tabs.")],
    algorithm: Annotated[
        str, typer.Option(help="modified-adsorption, adsorption or label-propagation.")
    ] = "modified-adsorption",
    keep_top: Annotated[int, typer.Option(help="Labels that a node keeps; 0 for all.", min=0)] = 200,
    last_wins: Annotated[bool, typer.Option("--last-wins", help="Of two weights of an edge take the last.")] = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Let labels of some nodes of any graph spread to the others, in files as Junto has them."""
    from dragoman.files import require_writable
    from dragoman.semantics.graph import Graph
    from dragoman.semantics.oov import read_labels, write_labels
    from dragoman.semantics.propagation import propagate

    require_writable(output)
    opened = Graph.read(graph, last_wins=last_wins)
    found = propagate(opened, read_labels(seeds), algorithm=algorithm, keep_top=keep_top, threads=threads)
    write_labels(output, {node: found.of(node) for node in opened.nodes})
    facts = {"nodes": len(opened), "labels": len(found.labels) - 1, "rounds": found.rounds, "change": found.change}
    if as_json:
        show_json({**facts, "output": str(output)})
        return
    show(f"{facts['labels']:,} labels over {facts['nodes']:,} nodes in {found.rounds} rounds: {output}")


@oov_app.command(epilog="Example: dragoman oov forms de-en.table corpus.tok.de Haustürschlüssel")
def forms(
    table: TablePath,
    corpus: Annotated[Path, typer.Argument(help="Tokenised text of the source language, to learn forms from.")],
    words: Annotated[list[str] | None, typer.Argument(help="Words that the table lacks.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Text whose unknown words to take.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write word, translation, score between tabs.")
    ] = None,
    morphs: Annotated[bool, typer.Option(help="Look stems and affixes up.")] = True,
    top: Annotated[int, typer.Option(help="Translations per word.", min=1)] = 20,
    as_json: Json = False,
) -> None:
    """Give unknown words translations by their form: compounds, stems and affixes, spelling."""
    from dragoman.errors import SettingError
    from dragoman.files import read_lines
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.forms import FormTranslations
    from dragoman.semantics.oov import find_unknown_words, write_lexicon
    from dragoman.text.compounds import CompoundModel
    from dragoman.text.morphs import Morphs

    opened, lines = RuleTable.open(table), list(read_lines(corpus))
    unknown = find_unknown_words(read_lines(file), opened).words if file is not None else {}
    wanted = [*(words or []), *unknown]
    if not wanted:
        raise SettingError("no unknown word", remedy="name some, or a text with --file")
    analyzer = FormTranslations(
        opened,
        compounds=CompoundModel.train(lines, preset="wmt13"),
        morphs=Morphs.train(lines) if morphs else None,
        top=top,
    )
    if output is not None:
        write_lexicon(output, analyzer.lexicon(wanted))
        return
    found = {word: analyzer.analyses(word) for word in wanted}
    if as_json:
        show_json({"words": {word: [entry.to_dict() for entry in entries] for word, entries in found.items()}})
        return
    from rich.table import Table
    from rich.text import Text

    rows = Table("word", "translation", "score", "by", "from", box=None, pad_edge=False)
    for word, entries in found.items():
        for entry in entries[:3]:
            rows.add_row(Text(word), Text(entry.target), f"{entry.score:.4f}", entry.kind, Text(entry.reason))
        if not entries:
            note(f"{word}: its form says nothing")
    show(rows)


@oov_app.command(epilog="Example: dragoman oov augment de-en.table oov.tsv -o de-en.oov.table")
def augment(
    table: TablePath,
    lexicon: Annotated[Path, typer.Argument(help="Translations written by `dragoman oov translate`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The table to write.")],
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Put translations of unknown words into a table, with a column for tuning to weigh; tune afterwards."""
    from dragoman.grammar.augment import augment_table, rules_by_translation
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.oov import read_lexicon

    opened = RuleTable.open(table)
    rules = rules_by_translation(opened, read_lexicon(lexicon))
    made = augment_table(opened, rules, output, threads=threads)
    _show_augmented(opened, made, len(rules), output, as_json)


@oov_app.command("evaluate", epilog="Example: dragoman oov evaluate oov.tsv test.de test.en test.align --json")
def evaluate_oov(
    lexicon: Annotated[Path, typer.Argument(help="Translations written by `dragoman oov translate`.")],
    source: Annotated[Path, typer.Argument(help="Tokenised source text with its unknown words.")],
    target: Annotated[Path, typer.Argument(help="Its translation.")],
    alignment: Annotated[Path, typer.Argument(help="Word alignment of the two, best learned from much text.")],
    top: Annotated[int, typer.Option(help="Look at so many translations of a word.", min=1)] = 20,
    as_json: Json = False,
) -> None:
    """Compare translations of unknown words with those of an aligned text: mean reciprocal rank and recall."""
    from dragoman.files import read_parallel
    from dragoman.semantics.oov import evaluate_translations, gold_lexicon, read_lexicon

    found = read_lexicon(lexicon)
    sources, targets, links = read_parallel([source, target, alignment])
    gold = gold_lexicon(sources, targets, links, found)
    report = evaluate_translations(found, gold, top=top)
    if as_json:
        show_json(report.to_dict())
        return
    show(
        f"MRR {report.reciprocal_rank:.4f}, recall {report.recall:.4f} over {report.words:,} words, "
        f"{report.covered:,} with translations"
    )


def _all_lines(paths: list[Path]) -> list[str]:
    from dragoman.files import read_lines

    return [line for path in paths for line in read_lines(path)]


def register(app: typer.Typer) -> None:
    """Add these groups to the program."""
    app.add_typer(profiles_app, name="profiles")
    app.add_typer(paraphrase_app, name="paraphrase")
    app.add_typer(oov_app, name="oov")
