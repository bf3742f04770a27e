"""Penn brackets: constituent trees as `(S (NP (DT The) (NN dog)) (VP (VBZ barks)))`.

The treebank's labels carry functions and co-indices (`NP-SBJ-1`), its trees empty elements (`(-NONE- *T*-1)`), and its
sentences a label-less outer bracket. Some uses want all of that, most want plain labels over words, so the reader has
two switches and no hidden clean-up (Marcus, Santorini and Marcinkiewicz 1993). Brackets among the words are written
`-LRB-` and kin. The format allows a tree over many lines; blank lines and `(())` stand for sentences without a parse.

    >>> from dragoman.annotations import brackets
    >>> sentence = brackets.parse_tree("( (S (NP-SBJ-1 (NNS Dogs)) (VP (VBP bark) (NP (-NONE- *-1)))))")
    >>> sentence.words, sentence.tags, list(sentence.constituents.spans())
    (('Dogs', 'bark'), ('NNS', 'VBP'), [('S', 0, 2), ('NP', 0, 1), ('VP', 1, 2)])
    >>> brackets.format_tree(sentence)
    '(S (NP (NNS Dogs)) (VP (VBP bark)))'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from dragoman.annotations.layers import Constituent, Layers, Trace
from dragoman.annotations.sentence import Sentence, locate
from dragoman.errors import FormatError
from dragoman.files import read_lines, writing

__all__ = ["clean_label", "format_tree", "parse", "parse_tree", "read", "write"]

_PART = re.compile(r"\(|\)|[^\s()]+")
_ESCAPES = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_WORDS = {escape: word for word, escape in _ESCAPES.items()}
_NONE = "-NONE-"
_REMEDY = "every ( needs a ), every word a tag"

_Open = tuple[str, list["Constituent | int | Trace"], int]


def clean_label(label: str) -> str:
    """The category without functions and indices: `NP-SBJ-1` and `NP=2` are `NP`; `-LRB-` stays.

    >>> [clean_label(label) for label in ("NP-SBJ-1", "S=2", "PP|ADVP", "-LRB-")]
    ['NP', 'S', 'PP', '-LRB-']
    """
    if label.startswith("-"):
        return label
    return re.split(r"[-=|]", label, maxsplit=1)[0]


def read(
    path: Path | str, *, functions: bool = False, traces: bool = False, wrapped: bool = False
) -> Iterator[Sentence | None]:
    """The trees of a file, as a stream; None for a sentence without a parse. See `parse_tree` for the switches."""
    return parse(read_lines(path), name=str(path), functions=functions, traces=traces, wrapped=wrapped)


def parse(
    lines: Iterable[str],
    *,
    name: str = "brackets",
    functions: bool = False,
    traces: bool = False,
    wrapped: bool = False,
) -> Iterator[Sentence | None]:
    """Trees in these lines, one a line or spread over several; errors name `name`, line and column."""
    parts: list[tuple[str, int, int]] = []
    depth = 0
    for number, line in enumerate(lines, start=1):
        if depth == 0 and not line.strip():
            yield None
        for match in _PART.finditer(line):
            part = match.group()
            parts.append((part, number, match.start() + 1))
            depth += (part == "(") - (part == ")")
            if depth < 0:
                raise FormatError("a ) without its (", where=f"{name}, line {number}, column {match.start() + 1}")
            if depth == 0:
                if part != ")":
                    where = f"{name}, line {number}, column {match.start() + 1}"
                    raise FormatError(f"{part!r} outside of any bracket", where=where, remedy=_REMEDY)
                yield _tree(parts, name, functions, traces, wrapped)
                parts = []
    if depth:
        where = f"{name}, line {parts[0][1]}, column {parts[0][2]}"
        raise FormatError(f"a tree that lacks {depth} )", where=where, remedy=_REMEDY)


def parse_tree(text: str, *, functions: bool = False, traces: bool = False, wrapped: bool = False) -> Sentence:
    """One tree. `functions` keeps `-SBJ-1` on labels, `traces` keeps empty elements, `wrapped` the outer bracket."""
    found = [tree for tree in parse([text], functions=functions, traces=traces, wrapped=wrapped) if tree is not None]
    if len(found) != 1:
        raise FormatError(f"{len(found)} trees where one is needed", where=text, remedy=_REMEDY)
    return found[0]


def format_tree(sentence: Sentence | None) -> str:
    """The tree on one line; `(())` for None. Tags are the layer `tags`, else `pos`, else `X`."""
    if sentence is None:
        return "(())"
    tags = sentence.layers.tags or sentence.layers.pos or ("X",) * len(sentence)
    words = [re.sub(r"[()\[\]{}]", lambda match: _ESCAPES[match.group()], word) for word in sentence.words]
    out: list[str] = []
    agenda: list[Constituent | int | Trace | str] = [sentence.constituents]
    while agenda:
        node = agenda.pop()
        if isinstance(node, str):
            out.append(node)
        elif isinstance(node, int):
            out.append(f" ({tags[node]} {words[node]})")
        elif isinstance(node, Trace):
            out.append(f" ({node.tag} {node.text})")
        else:
            out.append(f" ({node.label}")
            agenda.append(")")
            agenda += reversed(node.children)
    return "".join(out).replace("( (", "((").strip()


def write(sentences: Iterable[Sentence | None], path: Path | str) -> int:
    """Write the trees, one a line; returns their number."""
    count = 0
    with writing(path) as file:
        for count, sentence in enumerate(sentences, start=1):  # noqa: B007
            file.write(format_tree(sentence) + "\n")
    return count


def _tree(
    parts: list[tuple[str, int, int]], name: str, functions: bool, traces: bool, wrapped: bool
) -> Sentence | None:
    """Build a sentence from the parts of one balanced bracket."""
    words: list[str] = []
    tags: list[str] = []
    stack: list[_Open] = [("", [], 0)]
    index = 0
    while index < len(parts):
        part, line, column = parts[index]
        where = f"{name}, line {line}, column {column}"
        if part == "(":
            label = ""
            if parts[index + 1][0] not in ("(", ")"):
                index += 1
                label = parts[index][0]
            stack.append((label, [], index))
        elif part == ")":
            label, children, _ = stack.pop()
            if children:
                stack[-1][1].append(Constituent(label if functions else clean_label(label), tuple(children)))
            elif label and parts[index - 1][0] not in ("(", ")") and parts[index - 2][0] == "(":
                raise FormatError(f"tag {label} without a word", where=where, remedy=_REMEDY)
        else:  # a word: its bracket holds nothing else
            label, children, opened = stack[-1]
            if not label or children or opened != index - 1 or parts[index + 1][0] != ")":
                raise FormatError(f"{part!r} is not alone in the bracket of its tag", where=where, remedy=_REMEDY)
            stack.pop()
            if label == _NONE:
                if traces:
                    stack[-1][1].append(Trace(part, label))
            else:
                stack[-1][1].append(len(words))
                words.append(re.sub(r"-[LR][RSC]B-", lambda match: _WORDS[match.group()], part))
                tags.append(label)
            index += 1
        index += 1
    children = stack[0][1]
    if not children:
        return None
    root = children[0]
    if isinstance(root, int | Trace):
        root = Constituent("", (root,))
    if not wrapped and not root.label and len(root.children) == 1 and isinstance(root.children[0], Constituent):
        root = root.children[0]
    if not words:
        return None
    text = " ".join(words)
    return Sentence(text, locate(words, text), Layers(tags=tuple(tags), constituents=root))
