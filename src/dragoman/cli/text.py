"""`dragoman text`: what is done to text before training and after translation, each step as a filter.

The commands read a file or standard input, plain or compressed, and write standard output, a batch of lines at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from dragoman.cli.output import Threads, note, show_json_lines

__all__ = ["Input", "print_lines", "register", "text_app", "text_batches"]

text_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
truecase_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
recase_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
postprocess_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

Input = Annotated[Path, typer.Argument(help="A text file, plain, gzip or xz; '-' reads standard input.")]
Language = Annotated[str, typer.Option("--language", "-l", help="Code of the language, such as `de`.")]
JsonLines = Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")]
Segment = Annotated[
    str, typer.Option(help="What text without blanks is cut into: words (by dictionary), characters, none, auto.")
]
_STDIN = Path("-")
_BATCH = 10_000


@text_app.callback()
def text() -> None:
    """Split, normalise, tokenise, truecase and protect text; the inverse of each is here too."""


def text_batches(path: Path) -> Iterator[list[str]]:
    """The lines of a file, many at a time."""
    from dragoman.files import read_lines

    lines = read_lines(path)
    while batch := list(islice(lines, _BATCH)):
        yield batch


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output."""
    import sys

    sys.stdout.writelines(f"{line}\n" for line in lines)


@text_app.command(epilog="Example: dragoman text tokenize -l de < corpus.de > corpus.tok.de")
def tokenize(
    file: Input = _STDIN,
    language: Language = "en",
    escape: Annotated[
        bool, typer.Option("--escape", help="Write & | < > ' \" [ ] as entities, as Moses does.")
    ] = False,
    aggressive_dash_splits: Annotated[
        bool, typer.Option("--aggressive-dash-splits", help="Split words at hyphens: `foo @-@ bar`.")
    ] = False,
    protect: Annotated[
        list[str] | None, typer.Option(help="A regular expression whose matches stay whole; may be repeated.")
    ] = None,
    normalize_first: Annotated[bool, typer.Option("--normalize", help="Normalise punctuation first.")] = False,
    segment: Segment = "auto",
    threads: Threads = 0,
    as_json: JsonLines = False,
) -> None:
    """Split lines into tokens, as Moses and sacremoses do; text without blanks between words into words, too."""
    from dragoman.settings import check_argument
    from dragoman.text.segmenting import Segmentation, WordBreaker, segmentation_of
    from dragoman.text.tokenizer import Normalizer, Tokenizer

    check_argument("--segment", segment, choices=get_args(Segmentation))
    kind = segmentation_of(language, cast("Segmentation", segment))
    breaker = WordBreaker(language, kind) if kind != "none" else None
    tokenizer = Tokenizer(
        language,
        aggressive_dash_splits=aggressive_dash_splits,
        escape=escape,
        protected_patterns=protect or (),
    )
    normalizer = Normalizer(language) if normalize_first else None
    for batch in text_batches(file):
        if as_json or breaker is not None:
            traced = tokenizer.trace(batch, threads=threads, normalizer=normalizer)
            if breaker is not None:
                traced = [breaker.apply(line, found) for line, found in zip(batch, traced, strict=True)]
        if breaker is not None and not as_json:
            print_lines(" ".join(line.tokens) for line in traced)
        elif as_json:
            show_json_lines({"tokens": line.tokens, "spans": line.spans} for line in traced)
        else:
            print_lines(map(" ".join, tokenizer.tokenize(batch, threads=threads, normalizer=normalizer)))


@text_app.command(epilog="Example: dragoman text detokenize -l fr < output.tok > output.fr")
def detokenize(
    file: Input = _STDIN,
    language: Language = "en",
    unescape: Annotated[bool, typer.Option(help="Turn Moses' entities back into characters.")] = True,
    threads: Threads = 0,
) -> None:
    """Join tokens (separated by spaces) to text; of languages without blanks between words, without blanks."""
    from dragoman.text.segmenting import joined_words, segmentation_of
    from dragoman.text.tokenizer import Detokenizer

    detokenizer = Detokenizer(language, unescape=unescape)
    unspaced = segmentation_of(language, "auto") != "none"
    for batch in text_batches(file):
        lines = [line.split() for line in batch]
        if unspaced:
            traced = detokenizer.trace(lines, threads=threads)
            print_lines(joined_words(words, *found) for words, found in zip(lines, traced, strict=True))
        else:
            print_lines(detokenizer.detokenize(lines, threads=threads))


@text_app.command(epilog="Example: dragoman text normalize -l de < web.de > plain.de")
def normalize(
    file: Input = _STDIN,
    language: Language = "en",
    penn: Annotated[bool, typer.Option(help="Treat ` and '' as quotation marks.")] = True,
    replace_unicode_punctuation: Annotated[
        bool, typer.Option("--replace-unicode-punctuation", help="Replace full-width punctuation, too.")
    ] = False,
    remove_control_characters: Annotated[
        bool, typer.Option("--remove-control-characters", help="Remove control and format characters.")
    ] = False,
    threads: Threads = 0,
) -> None:
    """Write plain quotation marks, dashes and spaces for typographic ones."""
    from dragoman.text.tokenizer import Normalizer

    normalizer = Normalizer(
        language,
        penn=penn,
        replace_unicode_punctuation=replace_unicode_punctuation,
        remove_control_characters=remove_control_characters,
    )
    for batch in text_batches(file):
        print_lines(normalizer.normalize(batch, threads=threads))


@truecase_app.callback()
def truecase() -> None:
    """Learn the case of words, apply it to sentence starts, and undo it."""


@truecase_app.command("train", epilog="Example: dragoman text truecase train corpus.tok.en -o case.en")
def train_truecaser(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the truecaser.")],
    file: Input = _STDIN,
    use_first: Annotated[
        bool, typer.Option("--use-first", help="Count first words, too, if they are not capitalised.")
    ] = False,
) -> None:
    """Count in which case words occur in tokenised text."""
    from dragoman.text.truecaser import Truecaser

    tokens = (line.split() for batch in text_batches(file) for line in batch)
    truecaser = Truecaser.train(tokens, use_first=use_first)
    truecaser.save(output)
    note(f"{len(truecaser)} words in {output}")


@truecase_app.command("apply", epilog="Example: dragoman text truecase apply case.en < corpus.tok.en")
def apply_truecaser(
    model: Annotated[Path, typer.Argument(help="A truecaser that `train` or Moses wrote.")],
    file: Input = _STDIN,
) -> None:
    """Write sentence starts of tokenised text in their most frequent case."""
    from dragoman.text.truecaser import Truecaser

    truecaser = Truecaser.load(model)
    for batch in text_batches(file):
        print_lines(" ".join(truecaser.apply(line.split())) for line in batch)


@truecase_app.command("undo", epilog="Example: dragoman text truecase undo < output.tok")
def undo_truecaser(file: Input = _STDIN) -> None:
    """Capitalise sentence starts of tokenised text."""
    from dragoman.text.truecaser import detruecase

    for batch in text_batches(file):
        print_lines(" ".join(detruecase(line.split())) for line in batch)


@recase_app.callback()
def recase() -> None:
    """Give lower-cased tokens the case in which a language model likes them best."""


@recase_app.command("train", epilog="Example: dragoman text recase train corpus.tok.en -o recaser")
def train_recaser(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write.")],
    file: Input = _STDIN,
    order: Annotated[int, typer.Option(help="Of the language model.", min=1)] = 3,
) -> None:
    """Learn forms of words and a language model of cased, tokenised text."""
    from dragoman.search.recaser import Recaser

    Recaser.train((line.split() for batch in text_batches(file) for line in batch), output, order=order)


@recase_app.command("apply", epilog="Example: dragoman text recase apply recaser < output.lower")
def apply_recaser(
    model: Annotated[Path, typer.Argument(help="A folder that `train` wrote.")],
    file: Input = _STDIN,
    threads: Threads = 0,
) -> None:
    """Give tokens their case."""
    from dragoman.search.recaser import Recaser

    recaser = Recaser.open(model)
    for batch in text_batches(file):
        print_lines(" ".join(tokens) for tokens in recaser.apply([line.split() for line in batch], threads=threads))


@postprocess_app.callback()
def postprocess() -> None:
    """Learn to undo what a pre-processor does, letter by letter."""


@postprocess_app.command("train", epilog="Example: dragoman text postprocess train corpus.en corpus.tok.en -o post.en")
def train_postprocessor(
    raw: Annotated[Path, typer.Argument(help="Raw text.")],
    prepared: Annotated[Path, typer.Argument(help="The same lines as a pre-processor left them.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model to write, a file.")],
    iterations: Annotated[int, typer.Option(help="Of the optimiser.", min=1)] = 60,
) -> None:
    """Learn what becomes of each letter."""
    from dragoman.files import read_lines
    from dragoman.text.postprocessor import LearnedPostprocessor

    pairs = list(zip(read_lines(raw), read_lines(prepared), strict=True))
    LearnedPostprocessor.train_on(pairs, iterations=iterations).save(output)


@postprocess_app.command("apply", epilog="Example: dragoman text postprocess apply post.en < output.tok")
def apply_postprocessor(
    model: Annotated[Path, typer.Argument(help="A model that `train` wrote.")], file: Input = _STDIN
) -> None:
    """Restore case and spacing."""
    from dragoman.text.postprocessor import LearnedPostprocessor

    restore = LearnedPostprocessor.open(model).apply
    for batch in text_batches(file):
        print_lines(restore(batch))


@text_app.command(epilog="Example: dragoman text split -l en < chapter.txt > sentences.txt")
def split(
    file: Input = _STDIN,
    language: Language = "en",
    breaks: Annotated[str, typer.Option(help="What always ends a sentence: `line` or `paragraph`.")] = "line",
    as_json: JsonLines = False,
) -> None:
    """Print the sentences of a text, one a line; an empty line stays one."""
    from dragoman.settings import check_argument
    from dragoman.text.sentences import split as split_text

    check_argument("--breaks", breaks, choices=("line", "paragraph"))
    for number, block in _blocks(file, breaks):
        spans = split_text(block, language, breaks="paragraph" if breaks == "paragraph" else "line")
        if as_json:
            show_json_lines(
                {"line": number, "start": span.start, "end": span.end, "text": block[span.start : span.end]}
                for span in spans
            )
        else:
            print_lines(" ".join(block[span.start : span.end].split()) for span in spans)
            if not spans:
                print_lines([""])


def _blocks(file: Path, breaks: str) -> Iterator[tuple[int, str]]:
    """Lines, or paragraphs as they stand; each with the number of its first line."""
    waiting: list[str] = []
    number = 0
    for number, line in enumerate((line for batch in text_batches(file) for line in batch), 1):
        if breaks == "line":
            yield number, line
        elif line.strip():
            waiting.append(line)
        else:
            if waiting:
                yield number - len(waiting), "\n".join(waiting)
            yield number, ""
            waiting = []
    if waiting:
        yield number - len(waiting) + 1, "\n".join(waiting)


@text_app.command(epilog="Example: dragoman text identify -l de -l en < crawl.txt")
def identify(
    file: Input = _STDIN,
    language: Annotated[
        list[str] | None, typer.Option("--language", "-l", help="One that can occur; may be repeated.")
    ] = None,
    as_json: JsonLines = False,
) -> None:
    """Print the likeliest language of each line, and its probability among those given."""
    from dragoman.text.languages import Identifier
    from dragoman.text.scripts import script_share

    identifier = Identifier(language)
    for batch in text_batches(file):
        found = identifier.identify(batch)
        if as_json:
            show_json_lines(
                {
                    "language": line.language,
                    "confidence": line.confidence,
                    "script_share": round(script_share(line.language)(raw), 6),
                }
                for raw, line in zip(batch, found, strict=True)
            )
        else:
            print_lines(f"{line.language}\t{line.confidence:.4f}" for line in found)


@text_app.command(epilog="Example: dragoman text protect --terms names.txt < messages.txt")
def protect(
    file: Input = _STDIN,
    kind: Annotated[list[str] | None, typer.Option("--kind", "-k", help="Only these; may be repeated.")] = None,
    terms: Annotated[Path | None, typer.Option(help="Words that are not translated, one a line.")] = None,
    pattern: Annotated[list[str] | None, typer.Option(help="A regular expression; may be repeated.")] = None,
    as_json: JsonLines = False,
) -> None:
    """Show the spans that translation will not touch: line, start, end, kind and text of each."""
    from dragoman.files import read_lines
    from dragoman.text.placeholders import KINDS, Finder

    listed = [line for line in read_lines(terms) if line.strip()] if terms else []
    finder = Finder(kind or tuple(KINDS), terms=listed, patterns=pattern or ())
    number = 0
    for batch in text_batches(file):
        for line in batch:
            number += 1
            for span in finder.find(line):
                protected = line[span.start : span.end]
                if as_json:
                    where = {"line": number, "start": span.start, "end": span.end}
                    show_json_lines([{**where, "kind": span.kind, "text": protected}])
                else:
                    print_lines([f"{number}\t{span.start}\t{span.end}\t{span.kind}\t{protected}"])


def register(app: typer.Typer) -> None:
    """Add the group to the program."""
    text_app.add_typer(truecase_app, name="truecase")
    text_app.add_typer(recase_app, name="recase")
    text_app.add_typer(postprocess_app, name="postprocess")
    app.add_typer(text_app, name="text")
