"""Shallow trees: tags, chunks and semantic roles fused into one tree per sentence, and trees relaxed into more phrases.

Roles of one predicate do not overlap, but those of several may contain, equal or cross each other, and chunks know
nothing of either. So spans are placed from short to long: equal ones share their labels, those of one length that
overlap become one, and a longer one that crosses what is there is stretched over it. A role that is just a chunk
specialises its label (`NP:A0:give`), any other becomes a node of its own. (Aziz, Rios and Specia 2011.)

Few spans of a sentence are phrases of such a tree. `relaxed` adds more, as SAMT does (Zollmann and Venugopal 2006):
neighbours joined (`DT+NN`), a phrase without its first or last part (`VP\\NP`, `VP/NP`), and at level 2 whatever two
nodes can make of a span that is still without one (`A++B`, `A//B`, `A\\\\B`); level 4 names all others `_FAIL`.

    >>> from dragoman.annotations import Frame, Argument, Sentence, Span
    >>> given = Sentence.of(["dogs", "like", "old", "bones"], tags=["NNS", "VBP", "JJ", "NNS"],
    ...     chunks=[Span("NP", 0, 1), Span("VP", 1, 2), Span("NP", 2, 4)],
    ...     frames=[Frame(1, "", (Argument("A0", 0, 1), Argument("A1", 2, 4)))])
    >>> tree = shallow_tree(given)
    >>> list(tree.spans())
    [('S', 0, 4), ('NP:A0', 0, 1), ('VP:T', 1, 2), ('NP:A1', 2, 4)]
    >>> [label for label, start, end in relaxed(tree, given.tags, level=1) if (start, end) == (1, 4)]
    ['VP:T+NP:A1', 'S\\\\NP:A0']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dragoman.annotations.layers import Constituent
from dragoman.annotations.phrase_spans import PhraseSpan
from dragoman.annotations.sentence import Sentence
from dragoman.errors import InputError, SettingError
from dragoman.settings import check_argument

__all__ = ["LEVELS", "ROLES", "relaxed", "relaxed_nodes", "shallow_tree", "tree_nodes"]

ROLES = ("none", "labels", "lexicalised")
"""What becomes of semantic roles: nothing (chunks only), labels, or labels with the lemma of their predicate."""

LEVELS = (0, 1, 2, 4)
"""How far trees can be relaxed; there is no level 3."""

FAIL = "_FAIL"

_Stretch = tuple[int, int]
_Roles = dict[str, set[str]]


def shallow_tree(sentence: Sentence, *, roles: str = "labels") -> Constituent:
    """The tree of a sentence with chunks, and with frames unless roles are left out; parts of speech stay tags."""
    check_argument("roles", roles, choices=ROLES)
    sentence.require("tags", "chunks", needed_by="a shallow tree")
    if roles != "none":
        sentence.require("frames", needed_by="a shallow tree with roles")
    frames = sentence.frames if roles != "none" else ()
    targets = sorted({frame.predicate for frame in frames})
    chunks = dict(_chunks(sentence, targets))
    asked: dict[_Stretch, _Roles] = {}
    for frame in frames:
        told = sentence.lemmas if sentence.has("lemmas") else sentence.words
        lemma = frame.lemma or told[frame.predicate]
        own = (frame.predicate, frame.predicate + 1)
        home = [span for span, label in chunks.items() if label == "VP" and span[0] <= frame.predicate < span[1]]
        for role, span in [("T", home[0] if home else own)] + [
            (argument.role, (argument.start, argument.end)) for argument in frame.arguments if argument.role != "V"
        ]:
            if span[1] > len(sentence):
                raise InputError(f"role {role} covers words {span[0]} to {span[1]} of {len(sentence)}")
            asked.setdefault(span, {}).setdefault(role, set()).add(lemma)
    placed = _placed(asked, list(chunks))
    nodes: list[tuple[_Stretch, int, str]] = []
    for span, label in chunks.items():
        grafted = f"{label}:{_label(placed[span], roles)}" if span in placed else label
        nodes.append((span, 0, grafted))
    nodes += [(span, 1, _label(found, roles)) for span, found in placed.items() if span not in chunks]
    # From outside inwards; one word's role node stands around its chunk, unless it lies within a longer chunk.
    return _nested(len(sentence), sorted(nodes, key=lambda node: (node[0][0], -node[0][1], -node[1])))


def _chunks(sentence: Sentence, targets: Sequence[int]) -> Iterator[tuple[_Stretch, str]]:
    """Chunks, verb phrases cut behind each but the last of their predicates; other words stand alone, as `O`."""
    at = 0
    for chunk in sorted(sentence.chunks, key=lambda each: each.start):
        if chunk.start < at:
            raise InputError(f"chunks overlap at word {chunk.start + 1}", remedy="chunks must not")
        yield from (((word, word + 1), "O") for word in range(at, chunk.start))
        start = chunk.start
        if chunk.label == "VP":
            for cut in [word for word in targets if chunk.start <= word < chunk.end][:-1]:
                yield (start, cut + 1), chunk.label
                start = cut + 1
        yield (start, chunk.end), chunk.label
        at = chunk.end
    yield from (((word, word + 1), "O") for word in range(at, len(sentence)))


def _crosses(one: _Stretch, other: _Stretch) -> bool:
    return one[0] < other[0] < one[1] < other[1] or other[0] < one[0] < other[1] < one[1]


def _placed(asked: dict[_Stretch, _Roles], chunks: Sequence[_Stretch]) -> dict[_Stretch, _Roles]:
    waiting = {span: {role: set(lemmas) for role, lemmas in roles.items()} for span, roles in asked.items()}
    placed: dict[_Stretch, _Roles] = {}

    def enter(span: _Stretch, roles: _Roles) -> None:
        known = waiting.setdefault(span, {})
        for role, lemmas in roles.items():
            known.setdefault(role, set()).update(lemmas)

    while waiting:
        length = min(end - start for start, end in waiting)
        now = sorted(span for span in waiting if span[1] - span[0] == length)
        overlapping = next(((a, b) for a in now for b in now if a < b and _crosses(a, b)), None)
        if overlapping is not None:
            first, second = overlapping
            roles = [waiting.pop(first), waiting.pop(second)]
            for each in roles:
                enter((first[0], second[1]), each)
            continue
        span = now[0]
        roles_of_span = waiting.pop(span)
        wide = span
        while crossed := [each for each in (*placed, *chunks) if _crosses(wide, each)]:
            wide = (min(wide[0], crossed[0][0]), max(wide[1], crossed[0][1]))
        if wide != span:
            enter(wide, roles_of_span)
        else:
            placed[span] = roles_of_span
    return placed


def _label(roles: _Roles, how: str) -> str:
    if how == "labels":
        return ";".join(sorted(roles))
    return ";".join(f"{role}:{','.join(sorted(lemmas))}" for role, lemmas in sorted(roles.items()))


def _nested(size: int, nodes: Sequence[tuple[_Stretch, int, str]]) -> Constituent:
    """A tree of nodes that nest, outer ones first, under an S."""

    def build(label: str, span: _Stretch, inside: Sequence[tuple[_Stretch, int, str]]) -> Constituent:
        children: list[Constituent | int] = []
        at, number = span[0], 0
        while number < len(inside):
            stretch, _, name = inside[number]
            children += range(at, stretch[0])
            end = number + 1
            while end < len(inside) and inside[end][0][0] < stretch[1]:
                end += 1
            children.append(build(name, stretch, inside[number + 1 : end]))
            at, number = stretch[1], end
        children += range(at, span[1])
        return Constituent(label, tuple(children))

    return build("S", (0, size), nodes)


def tree_nodes(tree: Constituent, tags: Sequence[str]) -> tuple[PhraseSpan, ...]:
    """All nodes of a tree from outside inwards, parts of speech among them."""
    words = [(tag, place, place + 1) for place, tag in enumerate(tags)]
    return (*tree.spans(), *words)


def relaxed(
    tree: Constituent, tags: Sequence[str], *, level: int = 2, label: str = "outermost", binarize: str = ""
) -> tuple[PhraseSpan, ...]:
    """The nodes that relaxing a tree adds, span by span; a span may get several.

    Of several nodes over the same words new labels are made of the `outermost` one; Moses' own tool takes the
    `innermost`. `binarize` (`left`, `right`) adds the beginnings or ends of phrases of three parts or more, `^VP`.
    """
    return relaxed_nodes(tree_nodes(tree, tags), len(tags), level=level, label=label, binarize=binarize)


def relaxed_nodes(
    nodes: Sequence[PhraseSpan],
    size: int,
    *,
    level: int = 2,
    label: str = "outermost",
    binarize: str = "",
    longest: int = 0,
) -> tuple[PhraseSpan, ...]:
    """As `relaxed`, for nodes from outside inwards, one over each word of a sentence of this size among them.

    Of what level 2 and 4 add to spans without any, those of up to `longest` words are given, 0 for all.
    """
    if level not in LEVELS:
        raise SettingError(f"level {level}", remedy="trees are relaxed to 1, 2 or 4, or not (0)")
    check_argument("label", label, choices=("outermost", "innermost"))
    if binarize:
        check_argument("binarize", binarize, choices=("left", "right"))
    names: dict[_Stretch, str] = {}
    for name, start, end in nodes:
        if label == "innermost" or (start, end) not in names:
            names[start, end] = name
    for word in range(size):
        if (word, word + 1) not in names:
            raise InputError(f"no node over word {word + 1}", remedy="give one for each word, such as its tag")
    ends: list[list[int]] = [[] for _ in range(size)]
    starts: list[list[int]] = [[] for _ in range(size + 1)]
    for start, end in sorted(names):
        ends[start].append(end)
        starts[end].append(start)
    added: dict[PhraseSpan, None] = {}
    for parent, name in names.items():
        parts = _parts(parent, ends)
        labels = [names[part] for part in parts]
        if binarize and len(parts) > 2:
            for cut in range(2, len(parts)):
                edges = (parts[0][0], parts[cut - 1][1]) if binarize == "left" else (parts[-cut][0], parts[-1][1])
                added[f"^{name}", *edges] = None
        if level == 0 or len(parts) < 2:
            continue
        for one, other, left, right in zip(parts, parts[1:], labels, labels[1:], strict=False):
            added[f"{left}+{right}", one[0], other[1]] = None
        if len(parts) > 2:
            added[f"{name}\\{labels[0]}", parts[1][0], parent[1]] = None
            added[f"{name}/{labels[-1]}", parent[0], parts[-1][0]] = None
    if level >= 2:
        known = {(start, end) for _, start, end in added} | set(names)
        for start in range(size):
            for end in range(start + 2, min(size, start + longest if longest else size) + 1):
                if (start, end) in known or end - start == size:
                    continue
                if found := _combined(start, end, ends, starts, names):
                    added[found, start, end] = None
                elif level == 4:
                    added[FAIL, start, end] = None
    return tuple(added)


def _parts(parent: _Stretch, ends: Sequence[Sequence[int]]) -> list[_Stretch]:
    """The children of a node: from its left edge always the longest node that is not itself."""
    parts: list[_Stretch] = []
    at = parent[0]
    while at < parent[1] and parent[1] - parent[0] > 1:
        end = next(end for end in reversed(ends[at]) if end <= parent[1] and (at, end) != parent)
        parts.append((at, end))
        at = end
    return parts


def _combined(
    start: int, end: int, ends: Sequence[Sequence[int]], starts: Sequence[Sequence[int]], names: dict[_Stretch, str]
) -> str:
    """What two nodes make of a span: side by side, or one without the other."""
    for middle in ends[start]:
        if middle < end and (middle, end) in names:
            return f"{names[start, middle]}++{names[middle, end]}"
    for later in ends[start]:
        if later > end and (end, later) in names:
            return f"{names[start, later]}//{names[end, later]}"
    for earlier in reversed(starts[end]):
        if earlier < start and (earlier, start) in names:
            return f"{names[earlier, end]}\\\\{names[earlier, start]}"
    return ""
