"""Frames in columns: predicates and their arguments as SENNA and the CoNLL shared tasks write them.

One token a line, a blank line after every sentence; some leading columns (word, tag, ...), one that marks predicates,
and one more per predicate in which its arguments are spans: bracketed, `(A0*`, `*`, `*)`, in the CoNLL formats
(Carreras and Marquez 2005), with positions, `B-A0`, `I-A0`, `E-A0`, `S-V`, `O`, in SENNA's output (Collobert et al.
2011). A `ColumnLayout` names the leading columns; the three in use are ready. Role names stay as they are: `A0` or
`ARG0`.

    >>> from dragoman.annotations import frames
    >>> [sentence] = frames.parse(["Dogs - (A0*)", "chase chase (V*)", "black - (A1*", "cats - *)"], frames.CONLL2005)
    >>> [(frame.sense, frame.roles()) for frame in sentence.frames]
    [('chase', {'A0': (0,), 'A1': (2, 3)})]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dragoman.annotations import brackets
from dragoman.annotations.layers import Argument, Constituent, Frame, Layers, Span, Trace
from dragoman.annotations.sentence import Sentence, locate
from dragoman.errors import FormatError, InputError
from dragoman.files import read_lines, writing

__all__ = ["CONLL2005", "PROPBANK", "SENNA", "ColumnLayout", "format_sentence", "parse", "read", "write"]


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """The columns before the arguments: any of number, word, tag, chunk, entity, parse, predicate, sense.

    `spans` says how spans are written (`brackets` or `iobes`), `last` a column after the arguments (SENNA's parse),
    `absent` what stands where there is no predicate, `separator` what is written between columns.
    """

    leading: tuple[str, ...]
    spans: str = "brackets"
    last: str = ""
    absent: str = "-"
    separator: str = "\t"


CONLL2005 = ColumnLayout(("word", "predicate"))
"""Word and predicate lemma, then bracketed arguments."""
PROPBANK = ColumnLayout(("number", "word", "tag", "parse", "predicate", "sense"))
"""Number, word, tag, parse bit, predicate lemma, frame, then bracketed arguments, as PropBank releases are joined."""
SENNA = ColumnLayout(("word", "tag", "chunk", "entity", "predicate"), spans="iobes", last="parse")
"""SENNA's default output: word, tag, chunk, entity, predicate, arguments, parse."""

_BIT = re.compile(r"(?P<open>(?:\([^()*\s]+)*)\*(?P<close>\)*)")
_ROLE = re.compile(r"(?P<open>(?:\([^()*\s]+)*)\*(?P<close>(?:[^()*\s]*\))*)")


def read(path: Path | str, layout: ColumnLayout = CONLL2005) -> Iterator[Sentence]:
    """The sentences of a file, as a stream."""
    return parse(read_lines(path), layout, name=str(path))


def parse(lines: Iterable[str], layout: ColumnLayout = CONLL2005, *, name: str = "frames") -> Iterator[Sentence]:
    """The sentences in these lines; errors name `name` and the line."""
    comments: list[str] = []
    rows: list[list[str]] = []
    first = 1
    for number, line in enumerate(lines, start=1):
        if line.startswith("# ") and not rows:
            comments.append(line[1:])
        elif line.strip():
            if not rows:
                first = number
            cells = line.split()
            if rows and len(cells) != len(rows[0]):
                what = f"{len(cells)} columns where the line above has {len(rows[0])}"
                raise FormatError(what, where=f"{name}, line {number}", remedy="one column for each predicate")
            rows.append(cells)
        elif rows:
            yield _sentence(rows, comments, layout, name, first)
            rows, comments = [], []
    if rows:
        yield _sentence(rows, comments, layout, name, first)


def write(sentences: Iterable[Sentence], path: Path | str, layout: ColumnLayout = CONLL2005) -> int:
    """Write the sentences, a blank line after each; returns their number."""
    count = 0
    with writing(path) as file:
        for count, sentence in enumerate(sentences, start=1):  # noqa: B007
            file.write(format_sentence(sentence, layout) + "\n")
    return count


def format_sentence(sentence: Sentence, layout: ColumnLayout = CONLL2005) -> str:
    """The lines of one sentence, each ended, without the blank line after it."""
    size = len(sentence)
    frames = sorted(sentence.frames, key=lambda frame: frame.predicate)
    if len({frame.predicate for frame in frames}) < len(frames):
        raise InputError("two frames with one predicate cannot be written in columns", where=sentence.text)
    names = [*layout.leading, *["" for _ in frames], *([layout.last] if layout.last else [])]
    columns = [_column(sentence, name, layout) for name in names if name]
    at = len(layout.leading)
    columns[at:at] = [_write_spans(_spans_of(frame), size, layout.spans) for frame in frames]
    lines = [f"#{comment}" for comment in sentence.comments]
    lines += [layout.separator.join(column[position] for column in columns) for position in range(size)]
    return "".join(f"{line}\n" for line in lines)


def _column(sentence: Sentence, name: str, layout: ColumnLayout) -> Sequence[str]:
    size = len(sentence)
    by_predicate = {frame.predicate: frame for frame in sentence.frames}
    match name:
        case "number":
            return [str(position + 1) for position in range(size)]
        case "word":
            return sentence.words
        case "tag":
            return sentence.layers.tags or ("-",) * size
        case "chunk" | "entity":
            spans = sentence.layers.chunks if name == "chunk" else sentence.layers.entities
            return _write_spans([(span.label, span.start, span.end) for span in spans or ()], size, "iobes")
        case "parse":
            return _parse_bits(sentence) if sentence.has("constituents") else ("*",) * size
        case "predicate" | "sense":
            values = [layout.absent] * size
            for position, frame in by_predicate.items():
                values[position] = frame.lemma if name == "predicate" and "sense" in layout.leading else frame.sense
            return values
    raise InputError(f"no column is called {name!r}")


def _sentence(rows: list[list[str]], comments: list[str], layout: ColumnLayout, name: str, first: int) -> Sentence:
    leading, trailing = len(layout.leading), 1 if layout.last else 0
    where = f"{name}, line {first}"
    if len(rows[0]) < leading + trailing:
        what = f"{len(rows[0])} columns where at least {leading + trailing} are needed"
        raise FormatError(what, where=where, remedy=f"they are: {', '.join(layout.leading)}")
    table = [list(column) for column in zip(*rows, strict=True)]
    columns = dict(zip(layout.leading, table[:leading], strict=True))
    if layout.last:
        columns[layout.last] = table[-1]
    arguments = table[leading : len(table) - trailing]
    marks = columns.get("predicate", columns.get("sense", [layout.absent] * len(rows)))
    predicates = [position for position, mark in enumerate(marks) if mark != layout.absent]
    if len(predicates) != len(arguments):
        what = f"{len(predicates)} predicates but {len(arguments)} columns of arguments"
        raise FormatError(what, where=where, remedy="one column for each predicate, in order")
    words = columns["word"]
    senses = columns.get("sense", marks)
    frames = []
    for position, column in zip(predicates, arguments, strict=True):
        spans = _read_spans(column, layout.spans, name, first)
        verb = tuple((start, end) for label, start, end in spans if label in _VERB)
        found = tuple(Argument(label, start, end) for label, start, end in spans if label not in _VERB)
        frame = Frame(position, senses[position], found, () if verb == ((position, position + 1),) else verb)
        frames.append(
            frame if frame.lemma == marks[position] or senses is marks else replace(frame, stem=marks[position])
        )
    chunks, entities = (
        tuple(Span(*span) for span in _read_spans(columns[layer], "iobes", name, first)) if layer in columns else None
        for layer in ("chunk", "entity")
    )
    constituents = _read_parse(columns["parse"], name, first) if "parse" in columns else None
    text = " ".join(words)
    layers = Layers(
        tags=tuple(columns["tag"]) if "tag" in columns else None,
        frames=tuple(frames),
        chunks=chunks,
        entities=entities,
        constituents=constituents,
    )
    try:
        return Sentence(text, locate(words, text), layers, tuple(comments))
    except InputError as error:
        raise FormatError(error.what, where=where, remedy=error.remedy) from None


_VERB = ("V", "C-V")


def _spans_of(frame: Frame) -> list[tuple[str, int, int]]:
    verb = frame.verb or ((frame.predicate, frame.predicate + 1),)
    own = [("C-V" if at else "V", start, end) for at, (start, end) in enumerate(verb)]
    return [*own, *((argument.role, argument.start, argument.end) for argument in frame.arguments)]


def _read_spans(column: list[str], style: str, name: str, first: int) -> list[tuple[str, int, int]]:
    return _read_brackets(column, name, first) if style == "brackets" else _read_iobes(column, name, first)


def _read_brackets(column: list[str], name: str, first: int) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    stack: list[tuple[str, int]] = []
    for position, cell in enumerate(column):
        where = f"{name}, line {first + position}"
        match = _ROLE.fullmatch(cell)
        if match is None:
            raise FormatError(f"{cell!r} is not a bracketed span", where=where, remedy="write (A0* or * or *)")
        stack += [(label, position) for label in match["open"].split("(")[1:]]
        for _ in range(match["close"].count(")")):
            if not stack:
                raise FormatError("a ) without its (", where=where, remedy="spans must be balanced in each column")
            label, start = stack.pop()
            found.append((label, start, position + 1))
    if stack:
        where = f"{name}, line {first + stack[-1][1]}"
        raise FormatError(f"span ({stack[-1][0]} is never closed", where=where, remedy="spans must be balanced")
    return sorted(found, key=lambda span: (span[1], -span[2]))


def _read_iobes(column: list[str], name: str, first: int) -> list[tuple[str, int, int]]:
    """Spans of B-, I-, E-, S- and O; plain IOB is read too."""
    found: list[tuple[str, int, int]] = []
    open_label, start = "", 0
    for position, cell in enumerate([*column, "O"]):
        kind, _, label = cell.partition("-")
        if kind not in ("B", "I", "E", "S", "O") or (kind == "O") == bool(label):
            where = f"{name}, line {first + position}"
            raise FormatError(f"{cell!r} is not a span mark", where=where, remedy="write B-X, I-X, E-X, S-X or O")
        if open_label and (kind in "BSO" or label != open_label):
            found.append((open_label, start, position))
            open_label = ""
        if kind in "BS" or (kind != "O" and not open_label):
            open_label, start = label, position
        if kind in "ES":
            found.append((open_label, start, position + 1))
            open_label = ""
    return found


def _write_spans(spans: list[tuple[str, int, int]], size: int, style: str) -> list[str]:
    if style == "brackets":
        opens, closes = [""] * size, [""] * size
        for label, start, end in sorted(spans, key=lambda span: (span[1], -span[2])):
            opens[start] += f"({label}"
            closes[end - 1] += ")"
        return [f"{before}*{after}" for before, after in zip(opens, closes, strict=True)]
    cells = ["O"] * size
    for label, start, end in spans:
        if any(cell != "O" for cell in cells[start:end]):
            raise InputError(f"span {label} overlaps another and cannot be written as IOBES", remedy="use brackets")
        cells[start:end] = [f"I-{label}"] * (end - start)
        cells[end - 1] = f"E-{label}"
        cells[start] = f"B-{label}" if end - start > 1 else f"S-{label}"
    return cells


def _read_parse(column: list[str], name: str, first: int) -> Constituent:
    """A tree from parse bits such as `(S(NP*` and `*))`."""
    stack: list[tuple[str, list[Constituent | int | Trace]]] = [("", [])]
    for position, cell in enumerate(column):
        match = _BIT.fullmatch(cell)
        if match is None:
            where = f"{name}, line {first + position}"
            raise FormatError(f"{cell!r} is not a parse bit", where=where, remedy="write (S(NP* or * or *))")
        stack += [(label, []) for label in match["open"].split("(")[1:]]
        stack[-1][1].append(position)
        for _ in match["close"]:
            if len(stack) == 1:
                raise FormatError("a ) without its (", where=f"{name}, line {first + position}")
            label, children = stack.pop()
            stack[-1][1].append(Constituent(label, tuple(children)))
    if len(stack) > 1:
        raise FormatError(f"constituent ({stack[-1][0]} is never closed", where=f"{name}, line {first}")
    children = stack[0][1]
    if len(children) == 1 and isinstance(children[0], Constituent):
        return children[0]
    return Constituent("", tuple(children))


def _parse_bits(sentence: Sentence) -> list[str]:
    """Parse bits of the constituents: the brackets of the tree with a star for each tagged word."""
    tree = brackets.format_tree(sentence.with_layers(tags=("*",) * len(sentence)))
    bits = re.sub(r"\(\* [^\s()]+\)", "*", tree).replace(" ", "")
    if not sentence.constituents.label:
        bits = bits.removeprefix("(").removesuffix(")")
    return re.findall(r"[^*]*\*\)*", bits)
