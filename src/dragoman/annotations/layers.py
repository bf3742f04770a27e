"""Layers: what can be said about the tokens of a sentence, each kind checked once, when it is built.

All are immutable values over token positions (0-based, spans half-open), so that they can be shared, hashed and sent to
other processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from dragoman.errors import InputError

__all__ = [
    "Argument",
    "Chain",
    "Constituent",
    "Dependencies",
    "EmptyNode",
    "Frame",
    "Layers",
    "Morphology",
    "Multiword",
    "Span",
    "Trace",
]


@dataclass(frozen=True, slots=True)
class Morphology:
    """Features of one token, such as Case=Dat, sorted by name as Universal Dependencies asks.

    >>> Morphology.of("Number=Sing|Case=Dat")["Case"]
    'Dat'
    """

    features: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, features: str | Morphology | Mapping[str, str]) -> Morphology:
        """From `Name=Value|...` (`_` is none) or a mapping."""
        if isinstance(features, Morphology):
            return features
        if isinstance(features, str):
            if features in ("", "_"):
                return EMPTY
            pairs = [feature.partition("=")[::2] for feature in features.split("|")]
            if any(not name or not value for name, value in pairs):
                raise InputError(f"{features!r} are not features", remedy="write them as Name=Value|Name=Value")
            return cls(tuple((name, value) for name, value in pairs))
        return cls(tuple(sorted(features.items(), key=lambda pair: pair[0].lower())))

    def __getitem__(self, name: str) -> str:
        return dict(self.features)[name]

    def get(self, name: str, default: str = "") -> str:
        return dict(self.features).get(name, default)

    def __contains__(self, name: object) -> bool:
        return any(name == key for key, _ in self.features)

    def __str__(self) -> str:
        return "|".join(f"{name}={value}" for name, value in self.features) or "_"


EMPTY = Morphology()


@dataclass(frozen=True, slots=True)
class Dependencies:
    """A dependency tree: the head of every token (-1 for the root) and the label of the arc to it."""

    heads: tuple[int, ...]
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.heads) != len(self.labels):
            raise InputError(f"{len(self.heads)} heads but {len(self.labels)} labels")
        size = len(self.heads)
        for token, head in enumerate(self.heads):
            if not -1 <= head < size or head == token:
                raise InputError(f"token {token} has head {head} in a sentence of {size}")
        roots = self.heads.count(-1)
        if size and roots != 1:
            raise InputError(f"a dependency tree has one root, this has {roots}")
        unseen, on_path, done = 0, 1, 2
        state = [unseen] * size
        for start in range(size):
            token, path = start, []
            while token != -1 and state[token] == unseen:
                state[token] = on_path
                path.append(token)
                token = self.heads[token]
            if token != -1 and state[token] == on_path:
                raise InputError(f"the heads of tokens {', '.join(map(str, path[path.index(token) :]))} form a cycle")
            for passed in path:
                state[passed] = done

    def __len__(self) -> int:
        return len(self.heads)

    @property
    def root(self) -> int:
        return self.heads.index(-1)

    def children(self, token: int) -> tuple[int, ...]:
        """The dependents of a token (of the root's imaginary head for -1), left to right."""
        return tuple(child for child, head in enumerate(self.heads) if head == token)

    def subtree(self, token: int) -> tuple[int, ...]:
        """The token and all that it dominates, left to right."""
        below: dict[int, list[int]] = {}
        for child, head in enumerate(self.heads):
            below.setdefault(head, []).append(child)
        found, agenda = [], [token]
        while agenda:
            current = agenda.pop()
            found.append(current)
            agenda += below.get(current, ())
        return tuple(sorted(found))

    def depths(self) -> tuple[int, ...]:
        """How many arcs lie between each token and the root."""
        found: dict[int, int] = {-1: -1}
        for start in range(len(self.heads)):
            path, token = [], start
            while token not in found:
                path.append(token)
                token = self.heads[token]
            for token in reversed(path):
                found[token] = found[self.heads[token]] + 1
        return tuple(found[token] for token in range(len(self.heads)))

    @property
    def projective(self) -> bool:
        """Whether no two arcs cross."""
        arcs = [(min(t, h), max(t, h)) for t, h in enumerate(self.heads) if h >= 0]
        return not any(a < c < b < d for a, b in arcs for c, d in arcs)


@dataclass(frozen=True, slots=True)
class Trace:
    """An empty element of a constituent tree (`*T*-1`), and its tag."""

    text: str
    tag: str = "-NONE-"


@dataclass(frozen=True, slots=True)
class Constituent:
    """A labelled phrase; its children are phrases, token positions, or traces, in the order of the sentence."""

    label: str
    children: tuple[Constituent | int | Trace, ...]

    def leaves(self) -> Iterator[int]:
        """Token positions below, left to right."""
        agenda: list[Constituent | int | Trace] = [self]
        while agenda:
            node = agenda.pop()
            if isinstance(node, int):
                yield node
            elif isinstance(node, Constituent):
                agenda += reversed(node.children)

    def subtrees(self) -> Iterator[Constituent]:
        """This phrase and all below it, top down, left to right."""
        agenda = [self]
        while agenda:
            node = agenda.pop()
            yield node
            agenda += [child for child in reversed(node.children) if isinstance(child, Constituent)]

    def spans(self) -> Iterator[tuple[str, int, int]]:
        """(label, start, end) of every phrase that covers a token, top down, left to right."""
        nodes = list(self.subtrees())
        ends: dict[int, tuple[int, int]] = {}  # the first and the last token, of phrases by their identity
        for node in reversed(nodes):
            below = [
                (child, child) if isinstance(child, int) else ends[id(child)]
                for child in node.children
                if isinstance(child, int) or id(child) in ends
            ]
            if below:
                ends[id(node)] = below[0][0], below[-1][1]
        for node in nodes:
            if id(node) in ends:
                first, last = ends[id(node)]
                yield node.label, first, last + 1

    @property
    def height(self) -> int:
        return 1 + max((child.height for child in self.children if isinstance(child, Constituent)), default=0)


@dataclass(frozen=True, slots=True)
class Span:
    """A labelled stretch of tokens: a chunk, an entity."""

    label: str
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise InputError(f"span {self.label} covers {self.start} to {self.end}")


@dataclass(frozen=True, slots=True)
class Argument:
    """A role and the tokens that fill it."""

    role: str
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise InputError(f"argument {self.role} covers {self.start} to {self.end}")


@dataclass(frozen=True, slots=True)
class Frame:
    """A predicate (token position, sense such as `give.01`) and its arguments, as annotated.

    The predicate's own span (`V`) is not an argument; `verb` holds it when it is more than the token.
    """

    predicate: int
    sense: str
    arguments: tuple[Argument, ...] = ()
    verb: tuple[tuple[int, int], ...] = ()
    """Stretches of the predicate's words, when they are more than one (particles)."""
    stem: str = ""
    """The predicate's lemma where the file says one that is not the sense's."""

    @property
    def lemma(self) -> str:
        return self.stem or self.sense.rpartition(".")[0] or self.sense

    def roles(self) -> dict[str, tuple[int, ...]]:
        """Token positions by role: R-X dropped, C-X joined to X, equal roles merged into one bag."""
        bags: dict[str, set[int]] = {}
        for argument in self.arguments:
            if not argument.role.startswith("R-"):
                bag = bags.setdefault(argument.role.removeprefix("C-"), set())
                bag.update(range(argument.start, argument.end))
        return {role: tuple(sorted(bag)) for role, bag in bags.items()}


@dataclass(frozen=True, slots=True)
class Chain:
    """Mentions (half-open spans) of one thing."""

    mentions: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Multiword:
    """An orthographic token that covers the syntactic words [start, end): `im` for `in dem`."""

    start: int
    end: int
    text: str
    misc: str = "_"
    features: str = "_"


@dataclass(frozen=True, slots=True)
class EmptyNode:
    """A word of the enhanced graph that is not in the text; it stands after token `after` (-1: at the start)."""

    after: int
    columns: tuple[str, ...]
    """The CoNLL-U columns from the form on."""


LayerValue: TypeAlias = (
    "tuple[str, ...] | tuple[Morphology, ...] | Dependencies | Constituent | tuple[Frame, ...] | tuple[Span, ...]"
    " | tuple[Chain, ...] | tuple[Multiword, ...] | tuple[EmptyNode, ...] | Mapping[str, Any] | None"
)


@dataclass(frozen=True, slots=True)
class Layers:
    """All layers; None is a layer that nobody provided."""

    lemmas: tuple[str, ...] | None = None
    pos: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    morphology: tuple[Morphology, ...] | None = None
    dependencies: Dependencies | None = None
    constituents: Constituent | None = None
    frames: tuple[Frame, ...] | None = None
    chunks: tuple[Span, ...] | None = None
    entities: tuple[Span, ...] | None = None
    nodes: tuple[Span, ...] | None = None
    """Labelled stretches that may nest and cross, outer ones first: brackets of any kind, as somebody gave them."""
    coreference: tuple[Chain, ...] | None = None
    f_structure: Mapping[str, Any] | None = None
    multiwords: tuple[Multiword, ...] | None = None
    empty_nodes: tuple[EmptyNode, ...] | None = None
    enhanced: tuple[str, ...] | None = None
    misc: tuple[str, ...] | None = None

    def check(self, size: int) -> None:
        """Raise an `InputError` that names the layer when one does not fit a sentence of `size` tokens."""
        for name in ("lemmas", "pos", "tags", "morphology", "dependencies", "enhanced", "misc"):
            layer = getattr(self, name)
            if layer is not None and len(layer) != size:
                raise InputError(f"layer {name!r} has {len(layer)} values for {size} tokens")
        if self.constituents is not None:
            leaves = list(self.constituents.leaves())
            if leaves != list(range(size)):
                raise InputError(f"layer 'constituents' covers tokens {leaves}, not 0 to {size - 1} in order")
        for name, ends in self._ends():
            if ends > size:
                raise InputError(f"layer {name!r} reaches token {ends - 1} of {size}")

    def _ends(self) -> Iterator[tuple[str, int]]:
        for frame in self.frames or ():
            yield "frames", frame.predicate + 1
            for argument in frame.arguments:
                yield "frames", argument.end
            for _, end in frame.verb:
                yield "frames", end
        for name, spans in (("chunks", self.chunks), ("entities", self.entities), ("nodes", self.nodes)):
            for span in spans or ():
                yield name, span.end
        for chain in self.coreference or ():
            for _, end in chain.mentions:
                yield "coreference", end
        for multiword in self.multiwords or ():
            yield "multiwords", multiword.end
        for node in self.empty_nodes or ():
            yield "empty_nodes", node.after + 1

    def to_dict(self) -> dict[str, Any]:
        """Plain values of the layers that are there."""
        return {
            field.name: _plain(getattr(self, field.name))
            for field in fields(self)
            if getattr(self, field.name) is not None
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Layers:
        """The layers that `to_dict` described."""
        return cls(**{name: _RESTORE[name](value) for name, value in plain.items()})


NO_LAYERS = Layers()


def _plain(value: Any) -> Any:
    match value:
        case Morphology():
            return str(value)
        case Dependencies():
            return {"heads": list(value.heads), "labels": list(value.labels)}
        case Constituent():
            return [value.label, *(_plain(child) for child in value.children)]
        case Trace():
            return {"trace": value.text, "tag": value.tag}
        case Frame():
            plain = {"predicate": value.predicate, "sense": value.sense, "arguments": _plain(value.arguments)}
            extra = {"verb": _plain(value.verb), "stem": value.stem}
            return plain | {name: part for name, part in extra.items() if part}
        case Argument(role, start, end) | Span(role, start, end):
            return [role, start, end]
        case Chain():
            return _plain(value.mentions)
        case Multiword():
            return [value.start, value.end, value.text, value.misc, value.features]
        case EmptyNode():
            return [value.after, *value.columns]
        case tuple():
            return [_plain(part) for part in value]
    return value


def _strings(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(map(str, values))


def _constituent(plain: Any) -> Constituent:
    def child(part: Any) -> Constituent | int | Trace:
        if isinstance(part, int):
            return part
        return Trace(part["trace"], part["tag"]) if isinstance(part, Mapping) else _constituent(part)

    return Constituent(str(plain[0]), tuple(child(part) for part in plain[1:]))


def _frame(plain: Any) -> Frame:
    arguments = tuple(Argument(str(role), int(start), int(end)) for role, start, end in plain["arguments"])
    verb = tuple((int(start), int(end)) for start, end in plain.get("verb", ()))
    return Frame(int(plain["predicate"]), str(plain["sense"]), arguments, verb, str(plain.get("stem", "")))


def _spans(plain: Any) -> tuple[Span, ...]:
    return tuple(Span(str(label), int(start), int(end)) for label, start, end in plain)


_RESTORE: Mapping[str, Any] = {
    "lemmas": _strings,
    "pos": _strings,
    "tags": _strings,
    "morphology": lambda plain: tuple(map(Morphology.of, plain)),
    "dependencies": lambda plain: Dependencies(tuple(map(int, plain["heads"])), _strings(plain["labels"])),
    "constituents": _constituent,
    "frames": lambda plain: tuple(map(_frame, plain)),
    "chunks": _spans,
    "entities": _spans,
    "nodes": _spans,
    "coreference": lambda plain: tuple(Chain(tuple((int(a), int(b)) for a, b in chain)) for chain in plain),
    "f_structure": dict,
    "multiwords": lambda plain: tuple(Multiword(*part) for part in plain),
    "empty_nodes": lambda plain: tuple(EmptyNode(int(after), _strings(columns)) for after, *columns in plain),
    "enhanced": _strings,
    "misc": _strings,
}
