"""Trees as Moses reads them: words with `<tree label="NP"> ... </tree>` around them, one sentence a line.

Brackets nest in nested form; phrases that may cross (what `relaxed` adds) are written after the words as
`<tree span="0-1" label="DT+NN"/>`, whose spans count words from 0, the last included. Both forms may stand in one line.
Words and labels have Moses' special letters and those of XML escaped. A dependency tree is written as brackets, too: a
word stands bare among the brackets of those that hang on it (Graham 2013).

    >>> from dragoman.annotations import Sentence
    >>> parsed = Sentence.of(["the", "cat", "ate"], dependencies=([1, 2, -1], ["det", "nsubj", "root"]))
    >>> format_dependencies(parsed)
    '<tree label="X"> <tree label="X"> <tree label="X"> the </tree> cat </tree> ate </tree>'
    >>> parse_line('<tree label="NP"> <tree label="DT"> the </tree> cat </tree>').nodes
    (('NP', 0, 2), ('DT', 0, 1))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dragoman.annotations.layers import Constituent, Trace
from dragoman.annotations.phrase_spans import PhraseSpan
from dragoman.annotations.projective import is_projective
from dragoman.annotations.sentence import Sentence
from dragoman.errors import FormatError, InputError
from dragoman.files import read_lines, writing

__all__ = ["BracketedLine", "format_dependencies", "format_spans", "format_tree", "parse_line", "read", "write"]

_ESCAPES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&apos;",
    "|": "&#124;",
    "[": "&#91;",
    "]": "&#93;",
}
_LETTERS = {escape: letter for letter, escape in _ESCAPES.items()}
_TAG = re.compile(r"<[^<>]*>")
_ATTRIBUTE = re.compile(r'(?<=\s)(\w+)="([^"]*)"')
_REMEDY = 'write <tree label="NP"> words </tree>, or <tree span="0-1" label="NP"/>'


@dataclass(frozen=True, slots=True)
class BracketedLine:
    """The words of a line and its nodes, outer ones first."""

    words: tuple[str, ...]
    nodes: tuple[PhraseSpan, ...]


def escape(text: str) -> str:
    """A word or label with special letters escaped."""
    return "".join(_ESCAPES.get(letter, letter) for letter in text)


def _unescaped(text: str) -> str:
    return re.sub(r"&[#\w]+;", lambda match: _LETTERS.get(match[0], match[0]), text)


def read(path: Path | str) -> Iterator[BracketedLine]:
    """The lines of a file, as a stream."""
    for number, line in enumerate(read_lines(path), 1):
        yield parse_line(line, where=f"{path}, line {number}")


def parse_line(line: str, *, where: str = "") -> BracketedLine:
    """Words and nodes of one line; errors name the place."""
    words: list[str] = []
    opened: list[tuple[str, int, int]] = []
    nodes: list[tuple[int, str, int, int]] = []
    order = at = 0
    for tag in _TAG.finditer(line):
        words += map(_unescaped, line[at : tag.start()].split())
        at = tag.end()
        inside = tag[0][1:-1]
        if inside.strip() == "/tree":
            if not opened:
                raise FormatError("a </tree> without its <tree>", where=where, remedy=_REMEDY)
            label, start, place = opened.pop()
            if start == len(words):
                raise FormatError(f"{label} covers no word", where=where, remedy=_REMEDY)
            nodes.append((place, label, start, len(words)))
            continue
        name, closed = inside.rstrip("/").rstrip(), inside.endswith("/")
        given = dict(_ATTRIBUTE.findall(name[4:]))
        if not name.startswith("tree") or _ATTRIBUTE.sub("", name[4:]).strip() or not given.get("label"):
            raise FormatError(f"{tag[0]} is no tree", where=where, remedy=_REMEDY)
        label = _unescaped(given["label"])
        if not closed:
            opened.append((label, len(words), order))
        elif span := re.fullmatch(r"(\d+)-(\d+)", given.get("span", "")):
            nodes.append((order, label, int(span[1]), int(span[2]) + 1))
        else:
            raise FormatError(f"{tag[0]} has no span", where=where, remedy=_REMEDY)
        order += 1
    rest = line[at:]
    if "<" in rest or ">" in rest:
        raise FormatError("a < or > that is part of no tag", where=where, remedy="write &lt; and &gt;")
    words += map(_unescaped, rest.split())
    if opened:
        raise FormatError(f"{opened[-1][0]} is never closed", where=where, remedy=_REMEDY)
    for _, label, start, end in nodes:
        if not 0 <= start < end <= len(words):
            raise FormatError(f"{label} covers words {start} to {end - 1} of {len(words)}", where=where, remedy=_REMEDY)
    return BracketedLine(tuple(words), tuple((label, start, end) for _, label, start, end in sorted(nodes)))


def format_tree(sentence: Sentence, *, tags: bool = True) -> str:
    """The constituent tree of a sentence in nested form, with a bracket for each part of speech if wanted."""
    labels = sentence.layers.tags or sentence.layers.pos if tags else None

    def spelt(node: Constituent | int | Trace) -> str:
        if isinstance(node, Trace):
            return ""
        if isinstance(node, int):
            word = escape(sentence.words[node])
            return f'<tree label="{escape(labels[node])}"> {word} </tree>' if labels else word
        inside = " ".join(filter(None, map(spelt, node.children)))
        return f'<tree label="{escape(node.label)}"> {inside} </tree>' if inside else ""

    return spelt(sentence.constituents)


def format_spans(words: Sequence[str], nodes: Iterable[PhraseSpan]) -> str:
    """Words, and nodes that may cross each other, in the form with spans."""
    spans = (f'<tree span="{start}-{end - 1}" label="{escape(label)}"/>' for label, start, end in nodes)
    return " ".join([*map(escape, words), *spans])


def format_dependencies(sentence: Sentence, *, labels: str = "X") -> str:
    """The dependency tree of a sentence as brackets labelled `X`, or by `deprel`; it must be projective."""
    if labels not in ("X", "deprel"):
        raise InputError(f"labels {labels!r}", remedy="choose from X, deprel")
    tree = sentence.dependencies
    if not is_projective(tree):
        raise InputError(
            "a tree with crossing arcs cannot be written as brackets",
            where=repr(sentence.text),
            remedy="put its words in order, or lift its arcs (dragoman.annotations.projective)",
        )

    def spelt(word: int) -> str:
        children = tree.children(word)
        parts = [*(spelt(child) for child in children if child < word), escape(sentence.words[word])]
        parts += [spelt(child) for child in children if child > word]
        label = tree.labels[word] if labels == "deprel" else "X"
        return f'<tree label="{escape(label)}"> {" ".join(parts)} </tree>'

    return spelt(tree.root)


def write(lines: Iterable[str], path: Path | str) -> int:
    """Write formatted lines; returns their number."""
    count = 0
    with writing(path) as file:
        for count, line in enumerate(lines, 1):  # noqa: B007
            file.write(line + "\n")
    return count
