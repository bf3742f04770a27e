"""Grouping: the words of an expression glued into one token, and the way back.

Glued expressions are aligned as one unit. Afterwards either the links are unglued, or, as Okita et al. (2010) did,
rules are extracted from the glued text and the tokens of the rule tables are split. A glued token shows how many words
it has (`explanation_of_vote`; an underscore of the text itself is written `&#95;`), so that the text is all that is
needed to undo it.

    >>> from dragoman.align.anchors import ExpressionAnchor
    >>> grouped = group(["une explication de vote"], ["an explanation of vote"], [ExpressionAnchor(0, 1, 1, 3, 3)])
    >>> grouped.source, grouped.anchors
    (['une explication_de_vote'], (ExpressionAnchor(sentence=0, source=1, target=1, ..., confidence=1.0),))
    >>> len(ungroup([Alignment.parse("0-0 1-1")], grouped.source, grouped.target)[0])
    10
    >>> ungroup_text("explanation_of_vote snake&#95;case")
    'explanation of vote snake_case'
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dragoman.align.alignment import Alignment
from dragoman.align.anchors import Anchors, ExpressionAnchor, without_conflicts
from dragoman.errors import FormatError, InputError, LengthMismatch

__all__ = ["ANCHOR_LINKS", "JOINER", "GroupedBitext", "group", "ungroup", "ungroup_table", "ungroup_text"]

JOINER = "_"
"""Between the words of a glued expression."""

ANCHOR_LINKS = ("hard", "soft", "glued")
"""How glued expressions are linked: to each other, as far as they are probable, or as an aligner likes."""

_ESCAPED = re.compile(r"_|&(?=#(?:95|38);)")
_READ = re.compile(r"_|&#95;|&#38;")
_MEANING = {"_": " ", "&#95;": "_", "&#38;": "&"}


@dataclass(frozen=True, slots=True)
class GroupedBitext:
    """A bitext with expressions glued, and the anchors between the glued tokens."""

    source: list[str]
    target: list[str]
    anchors: tuple[ExpressionAnchor, ...]
    dropped: tuple[ExpressionAnchor, ...] = field(default=(), repr=False)
    """Anchors that contradicted others and were left out; their places are those of the original text."""

    def known_links(self) -> Anchors:
        """The anchors for an aligner."""
        return Anchors.of(len(self.source), self.anchors)


def group(source: Sequence[str], target: Sequence[str], anchors: Iterable[ExpressionAnchor]) -> GroupedBitext:
    """Glue the words of each anchored expression into one token on both sides; of conflicting anchors see `dropped`."""
    if len(source) != len(target):
        raise LengthMismatch(f"{len(source)} source sentences, {len(target)} target sentences")
    kept, dropped = without_conflicts(anchors)
    by_sentence: dict[int, list[ExpressionAnchor]] = defaultdict(list)
    for anchor in kept:
        by_sentence[anchor.sentence].append(anchor)
    lines: tuple[list[str], list[str]] = ([], [])
    moved = []
    for k, sentence in enumerate(zip(source, target, strict=True)):
        here = by_sentence.get(k, [])
        starts: list[dict[int, int]] = []
        for side, line in enumerate(sentence):
            tokens, where = _glued(line.split(), [anchor.spans()[side] for anchor in here])
            lines[side].append(" ".join(tokens))
            starts.append(where)
        moved += [ExpressionAnchor(k, starts[0][a.source], starts[1][a.target], 1, 1, a.confidence) for a in here]
    return GroupedBitext(lines[0], lines[1], tuple(moved), tuple(dropped))


def ungroup(alignments: Sequence[Alignment], source: Sequence[str], target: Sequence[str]) -> list[Alignment]:
    """Links of the original words, from those of glued lines: a link of glued tokens is all links between their words.

    Hence rule extraction cannot split an expression.
    """
    if not len(alignments) == len(source) == len(target):
        raise LengthMismatch(f"{len(alignments)} alignments of {len(source)} source and {len(target)} target sentences")
    found = []
    for k, (alignment, one, other) in enumerate(zip(alignments, source, target, strict=True), 1):
        sources, targets = _parts(one), _parts(other)
        alignment.check(len(sources), len(targets), where=f"sentence pair {k}")
        found.append(Alignment(tuple((a, b) for i, j in alignment for a in sources[i] for b in targets[j])))
    return found


def ungroup_text(line: str) -> str:
    """The words of a glued line."""
    return _READ.sub(lambda match: _MEANING[match[0]], line)


def ungroup_table(lines: Iterable[str], *, name: str = "table") -> Iterator[str]:
    """Split the glued tokens in a Moses phrase table or reordering table; lines come out sorted.

    Lines that become equal are one: their scores are averaged, weighted by their joint counts where the table has them,
    and the rest is that of the line which counts most.
    """
    found: dict[tuple[str, str], list[tuple[float, list[float], list[str]]]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        where = f"{name}, line {number}"
        fields = [part.strip() for part in line.split("|||")]
        if len(fields) < 3:
            raise FormatError(f"{len(fields)} fields where 3 are needed", where=where, remedy="source ||| target ||| p")
        try:
            scores = [float(score) for score in fields[2].split()]
            counts = [float(count) for count in fields[4].split()] if len(fields) > 4 else []
        except ValueError:
            raise FormatError("scores and counts must be numbers", where=where) from None
        rest = fields[3:]
        if rest and rest[0]:
            links = ungroup([Alignment.parse(rest[0], where=where)], fields[:1], fields[1:2])[0]
            rest[0] = str(links)
        weight = counts[2] if len(counts) > 2 and counts[2] > 0 else 1.0
        found[ungroup_text(fields[0]), ungroup_text(fields[1])].append((weight, scores, rest))
    for key in sorted(found):
        rows = found[key]
        total = sum(weight for weight, _, _ in rows)
        if len({len(scores) for _, scores, _ in rows}) != 1:
            raise FormatError(f"lines of {key[0]!r} have different numbers of scores", where=name)
        means = [sum(weight * scores[at] for weight, scores, _ in rows) / total for at in range(len(rows[0][1]))]
        rest = max(rows, key=lambda row: row[0])[2]
        yield " ||| ".join([*key, " ".join(f"{mean:.7g}" for mean in means), *rest])


def _parts(line: str) -> list[range]:
    """For each glued token, the positions of its words in the original sentence."""
    found, at = [], 0
    for token in line.split():
        size = token.count(JOINER) + 1
        found.append(range(at, at + size))
        at += size
    return found


def _glued(tokens: list[str], spans: Iterable[range]) -> tuple[list[str], dict[int, int]]:
    ends = {span.start: span.stop for span in spans}
    out: list[str] = []
    where: dict[int, int] = {}
    at = 0
    while at < len(tokens):
        end = ends.get(at, at + 1)
        where[at] = len(out)
        out.append(JOINER.join(_ESCAPED.sub(_escape, token) for token in tokens[at:end]))
        at = end
    if any(stop > len(tokens) for stop in ends.values()):
        raise InputError(f"an anchor that ends at word {max(ends.values())} of a sentence of {len(tokens)}")
    return out, where


def _escape(match: re.Match[str]) -> str:
    return "&#95;" if match[0] == "_" else "&#38;"
