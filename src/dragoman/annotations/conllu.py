"""CoNLL-U: the tab-separated format of Universal Dependencies, read and written without loss.

Ten columns a word, one word a line, a blank line after every sentence; comments before it; multiword tokens as ranges
(`3-4`), words of the enhanced graph that are not in the text as decimals (`8.1`). The basic tree goes into the layers
of the sentence, the rest (`misc`, `enhanced`, ranges, empty nodes, comments) beside it, so that writing what was read
gives the same bytes. Files of the Universal Propositions project (Akbik et al. 2015) add a column for the frame and one
per predicate; `propositions=True` reads these as frames over the heads of the arguments. The format has no sentence
without words; one that was not annotated, and says so (`# unannotated = ...`), is written as the single word `_`.

    >>> from dragoman.annotations import conllu
    >>> lines = [
    ...     "1\\tDogs\\tdog\\tNOUN\\tNNS\\tNumber=Plur\\t2\\tnsubj\\t_\\t_",
    ...     "2\\tbark\\tbark\\tVERB\\tVBP\\t_\\t0\\troot\\t_\\t_",
    ... ]
    >>> [sentence] = conllu.parse(lines)
    >>> sentence.lemmas, sentence.dependencies.heads
    (('dog', 'bark'), (1, -1))
    >>> conllu.format_sentence(sentence).splitlines() == lines
    True
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from dragoman.annotations.layers import (
    Argument,
    Dependencies,
    EmptyNode,
    Frame,
    Layers,
    Morphology,
    Multiword,
)
from dragoman.annotations.sentence import Sentence, Token
from dragoman.errors import FormatError, InputError
from dragoman.files import read_lines, writing

__all__ = ["format_sentence", "parse", "read", "write"]

_ID = re.compile(
    r"(?P<word>[1-9][0-9]*)|(?P<first>[1-9][0-9]*)-(?P<last>[1-9][0-9]*)|(?P<after>0|[1-9][0-9]*)\.[1-9][0-9]*"
)
_REMEDY = "CoNLL-U has ten columns separated by tabs; see universaldependencies.org/format.html"
_COLUMNS = 10
_NO_WORDS = ["1", *["_"] * (_COLUMNS - 1)]


def read(path: Path | str, *, propositions: bool = False) -> Iterator[Sentence]:
    """The sentences of a file (plain, gzip, xz; `-` is standard input), as a stream."""
    return parse(read_lines(path), name=str(path), propositions=propositions)


def parse(lines: Iterable[str], *, name: str = "CoNLL-U", propositions: bool = False) -> Iterator[Sentence]:
    """The sentences in these lines; errors name `name` and the line."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            block.append((number, line))
        elif block:
            yield _sentence(block, name, propositions)
            block = []
    if block:
        yield _sentence(block, name, propositions)


def write(sentences: Iterable[Sentence], path: Path | str, *, propositions: bool = False) -> int:
    """Write the sentences, a blank line after each; returns their number."""
    count = 0
    with writing(path) as file:
        for count, sentence in enumerate(sentences, start=1):  # noqa: B007
            file.write(format_sentence(sentence, propositions=propositions) + "\n")
    return count


def format_sentence(sentence: Sentence, *, propositions: bool = False) -> str:
    """The lines of one sentence, each ended, without the blank line after it. Layers that are missing become `_`."""
    size, layers = len(sentence), sentence.layers
    if size == 0:
        return "".join(
            f"{line}\n" for line in (*(f"#{comment}" for comment in sentence.comments), "\t".join(_NO_WORDS))
        )
    blank = ("_",) * size
    dependencies = layers.dependencies
    columns = [
        [str(position + 1) for position in range(size)],
        sentence.words,
        layers.lemmas or blank,
        layers.pos or blank,
        layers.tags or blank,
        [str(features) for features in layers.morphology] if layers.morphology else blank,
        [str(head + 1) for head in dependencies.heads] if dependencies else blank,
        dependencies.labels if dependencies else blank,
        layers.enhanced or blank,
        layers.misc or _space_after(sentence),
    ]
    extra = 0
    if propositions:
        sentence.require("frames", needed_by="propositions=True")
        frames = [_frame_column(sentence, frame) for frame in sentence.frames]
        senses = {frame.predicate: frame.sense for frame in sentence.frames}
        columns += [[senses.get(position, "_") for position in range(size)], *frames]
        extra = len(frames) + 1
    for column in columns:
        for value in column:
            if "\t" in value or "\n" in value or not value:
                raise InputError(f"{value!r} cannot stand in a CoNLL-U column", where=sentence.text)
    ranges = {multiword.start: multiword for multiword in layers.multiwords or ()}
    empty: dict[int, list[EmptyNode]] = {}
    for node in layers.empty_nodes or ():
        empty.setdefault(node.after, []).append(node)
    lines = [f"#{comment}" for comment in sentence.comments]
    for position in range(-1, size):
        if position >= 0:
            if position in ranges:
                found = ranges[position]
                cells = [f"{found.start + 1}-{found.end}", found.text, *"___", found.features, *"___", found.misc]
                lines.append("\t".join(cells + ["_"] * extra))
            lines.append("\t".join(column[position] for column in columns))
        for index, node in enumerate(empty.get(position, ()), start=1):
            lines.append("\t".join([f"{position + 1}.{index}", *node.columns, *["_"] * extra]))
    return "".join(f"{line}\n" for line in lines)


def _sentence(block: list[tuple[int, str]], name: str, propositions: bool) -> Sentence:
    """Build a sentence from its numbered lines."""
    comments: list[str] = []
    rows: list[list[str]] = []
    ranges: list[Multiword] = []
    empty: list[EmptyNode] = []
    for number, line in block:
        where = f"{name}, line {number}"
        if line.startswith("#"):
            if rows or ranges or empty:
                raise FormatError("a comment inside a sentence", where=where, remedy="put a blank line before it")
            comments.append(line[1:])
            continue
        cells = line.split("\t")
        if len(cells) != _COLUMNS and not (propositions and len(cells) > _COLUMNS):
            raise FormatError(f"{len(cells)} columns where {_COLUMNS} are needed", where=where, remedy=_REMEDY)
        if "" in cells[:_COLUMNS]:
            raise FormatError(f"column {cells.index('') + 1} is empty", where=where, remedy="write _ for no value")
        match = _ID.fullmatch(cells[0])
        if match is None:
            raise FormatError(f"{cells[0]!r} is no word number", where=where, remedy=_REMEDY)
        if match["word"]:
            if int(cells[0]) != len(rows) + 1:
                raise FormatError(
                    f"word {cells[0]} follows word {len(rows)}", where=where, remedy="number words 1, 2, ..."
                )
            rows.append(cells)
        elif match["first"]:
            first, last = int(match["first"]), int(match["last"])
            if first != len(rows) + 1 or last <= first:
                raise FormatError(f"range {cells[0]} stands before word {len(rows) + 1}", where=where, remedy=_REMEDY)
            ranges.append(Multiword(first - 1, last, cells[1], cells[9], cells[5]))
        else:
            if int(match["after"]) != len(rows):
                raise FormatError(f"empty node {cells[0]} stands after word {len(rows)}", where=where, remedy=_REMEDY)
            empty.append(EmptyNode(len(rows) - 1, tuple(cells[1:_COLUMNS])))
    where = f"{name}, line {block[0][0]}"
    if not rows:
        raise FormatError("a sentence without words", where=where, remedy=_REMEDY)
    try:
        return _assemble(rows, comments, ranges, empty, propositions)
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(error.what, where=where, remedy=error.remedy) from None


def _assemble(
    rows: list[list[str]], comments: list[str], ranges: list[Multiword], empty: list[EmptyNode], propositions: bool
) -> Sentence:
    if rows == [_NO_WORDS] and any(comment.startswith(" unannotated = ") for comment in comments):
        return Sentence(_stated_text(comments) or "", (), comments=tuple(comments))
    columns = list(zip(*rows, strict=False))
    text, tokens = _text(columns[1], columns[9], ranges, comments)
    heads: tuple[int, ...] | None = None
    if set(columns[6]) != {"_"}:
        if not all(head.isdecimal() for head in columns[6]):
            bad = next(head for head in columns[6] if not head.isdecimal())
            raise InputError(f"head {bad!r} is not a number", remedy="write word numbers, 0 for the root")
        heads = tuple(int(head) - 1 for head in columns[6])
    frames = None
    if propositions:
        if any(len(row) != len(rows[0]) for row in rows):
            raise InputError("words with different numbers of columns", remedy="one column for each predicate")
        frames = _frames(columns[_COLUMNS:])
    layers = Layers(
        lemmas=_given(columns[2]),
        pos=_given(columns[3]),
        tags=_given(columns[4]),
        morphology=tuple(map(Morphology.of, columns[5])),
        dependencies=None if heads is None else Dependencies(heads, columns[7]),
        enhanced=_given(columns[8]),
        misc=columns[9],
        multiwords=tuple(ranges),
        empty_nodes=tuple(empty),
        frames=frames,
    )
    return Sentence(text, tokens, layers, tuple(comments))


def _given(column: tuple[str, ...]) -> tuple[str, ...] | None:
    return None if set(column) == {"_"} else column


def _text(
    forms: tuple[str, ...], misc: tuple[str, ...], ranges: list[Multiword], comments: list[str]
) -> tuple[str, tuple[Token, ...]]:
    """Raw text and offsets: from the `# text` comment where the words can be found in it, else from the words."""
    units: list[tuple[str, int, bool]] = []  # surface form, words it covers, whether a space follows
    covered = {multiword.start: multiword for multiword in ranges}
    position = 0
    while position < len(forms):
        found = covered.get(position)
        end = found.end if found else position + 1
        note = found.misc if found else misc[position]
        units.append((found.text if found else forms[position], end - position, "SpaceAfter=No" not in note.split("|")))
        position = end
    joined = "".join(form + " " * space for form, _, space in units).rstrip(" ")
    found_text = _stated_text(comments)
    stated = joined if found_text is None else found_text
    for text in (stated, joined):
        tokens: list[Token] = []
        cursor, index = 0, 0
        for form, words, _ in units:
            start = text.find(form, cursor)
            if start < 0:
                break
            cursor = start + len(form)
            tokens += [Token(forms[index + word], start, cursor) for word in range(words)]
            index += words
        else:
            return text, tuple(tokens)
    raise InputError("words that are not in the text", where=stated)


def _stated_text(comments: list[str]) -> str | None:
    """What the comment `# text = ` says."""
    return next((c.partition("=")[2].strip() for c in comments if re.match(r"\s*text\s*=", c)), None)


def _space_after(sentence: Sentence) -> list[str]:
    """`SpaceAfter=No` where two tokens touch; for words of one written token, its own line says it."""
    inside = {at for several in sentence.layers.multiwords or () for at in range(several.start, several.end)}
    ends = [token.start for token in sentence.tokens[1:]] + [-1]
    return [
        "SpaceAfter=No" if token.end == following and at not in inside else "_"
        for at, (token, following) in enumerate(zip(sentence.tokens, ends, strict=True))
    ]


def _frames(columns: list[tuple[str, ...]]) -> tuple[Frame, ...]:
    if not columns:
        return ()
    senses, *arguments = columns
    arguments = [column for column in arguments if set(column) != {""}]  # left behind where there is no predicate
    predicates = [position for position, sense in enumerate(senses) if sense not in ("_", "")]
    if len(predicates) != len(arguments):
        raise InputError(f"{len(predicates)} predicates but {len(arguments)} columns of arguments")
    return tuple(
        Frame(
            predicate,
            senses[predicate],
            tuple(Argument(role, at, at + 1) for at, role in enumerate(column) if role not in ("_", "V")),
            tuple((at, at + 1) for at, role in enumerate(column) if role == "V"),
        )
        for predicate, column in zip(predicates, arguments, strict=True)
    )


def _frame_column(sentence: Sentence, frame: Frame) -> list[str]:
    """One column of roles, each on the head of its span (the token whose head lies outside)."""
    column = ["_"] * len(sentence)
    heads = sentence.dependencies.heads
    for argument in frame.arguments:
        top = next(at for at in range(argument.start, argument.end) if not argument.start <= heads[at] < argument.end)
        column[top] = argument.role
    for start, end in frame.verb or ((frame.predicate, frame.predicate + 1),):
        column[start:end] = ["V"] * (end - start)
    return column
