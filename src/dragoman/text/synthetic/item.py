"""Items: one abstract sentence said in two languages, with everything that is known about it.

Tokens, text and alignment are there at once; annotated sentences and further references are made when they are asked
for, because most uses never ask.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dragoman.annotations import Argument, Constituent, Dependencies, Frame, Layers, Morphology, Sentence, Token
from dragoman.text.synthetic.abstract import CONJUNCTION, AbstractSentence, Clause, Nominal
from dragoman.text.synthetic.grammar.production import HEAD, Leaf, Tree

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["Ambiguity", "Idiom", "Side", "SyntheticItem"]

Realize = Callable[[int], "Side"]
"""The target side once more, with other choices."""

_CLOSERS = frozenset(".,?!:“")
_PUNCTUATION = frozenset(".,?!:")


@dataclass(frozen=True, slots=True)
class Idiom:
    """An expression whose translation does not follow from its words: token positions on both sides."""

    name: str
    source: tuple[int, ...]
    target: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A source word of several senses: its position, the sense meant, its translation, and the word that decides."""

    word: str
    sense: str
    source: int
    target: tuple[int, ...]
    cue: int | None
    """Position of the source word that fixes the sense."""


class Side:
    """A sentence in one language: raw text, tokens, and (when asked for) all annotations."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._leaves = _leaves(tree)
        forms = [leaf.word.form for leaf in self._leaves]
        forms[0] = forms[0][0].upper() + forms[0][1:]
        for at in range(1, len(forms) - 1):
            if forms[at - 1] == "„" or (forms[at - 1] == '"' and forms[at - 2] == ":"):
                forms[at] = forms[at][0].upper() + forms[at][1:]
        self.tokens = tuple(forms)
        """Tokens as the Moses tokeniser would make them from the text."""

    @cached_property
    def text(self) -> str:
        """Raw text, cased and spaced as people write it."""
        return self._spaced[0]

    @cached_property
    def _spaced(self) -> tuple[str, list[int]]:
        out: list[str] = []
        starts: list[int] = []
        position, glue, open_quote = 0, True, False
        for form in self.tokens:
            closing = form in _CLOSERS or form == "'s" or (form == '"' and open_quote)
            if not glue and not closing:
                out.append(" ")
                position += 1
            starts.append(position)
            out.append(form)
            position += len(form)
            if form == '"':
                open_quote = not open_quote
            glue = form == "„" or (form == '"' and open_quote)
        return "".join(out), starts

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.tokens)

    def positions(self, key: int) -> tuple[int, ...]:
        """Tokens that express a part of the derivation."""
        return tuple(at for at, leaf in enumerate(self._leaves) if key in leaf.keys)

    @cached_property
    def annotated(self) -> Sentence:
        """Lemmas, parts of speech, features, both kinds of trees, and frames."""
        text, starts = self._spaced
        tokens = tuple(Token(form, at, at + len(form)) for form, at in zip(self.tokens, starts, strict=True))
        analysis = _Analysis(self._leaves)
        constituents, _, _ = analysis.walk(self._tree, 0, [])
        words = [leaf.word for leaf in self._leaves]
        layers = Layers(
            lemmas=tuple(word.lemma for word in words),
            pos=tuple(word.pos for word in words),
            tags=tuple(word.tag for word in words),
            morphology=tuple(Morphology.of(_sorted(word.features)) for word in words),
            dependencies=Dependencies(tuple(analysis.heads), tuple(analysis.labels)),
            constituents=constituents,
            frames=analysis.frames(),
        )
        return Sentence(text, tokens, layers)


class _Analysis:
    """Reads arcs and frames off a tree."""

    def __init__(self, leaves: list[Leaf]) -> None:
        self.leaves = leaves
        self.heads, self.labels = [-1] * len(leaves), ["root"] * len(leaves)
        self._position = {id(leaf): at for at, leaf in enumerate(leaves)}
        self._arguments: dict[int, tuple[Tree, list[Argument]]] = {}

    def walk(self, tree: Tree, start: int, arguments: list[Argument]) -> tuple[Constituent, int, int]:
        """Constituents below, the head's position, and where the phrase ends.

        Parts with a role go to `arguments`, those of the clause around them.
        """
        if tree.predicate is not None:
            arguments = []
            self._arguments[id(tree)] = tree, arguments
        children: list[Constituent | int] = []
        tops: list[tuple[int, str]] = []
        spans: list[tuple[Tree, int, int]] = []
        at, head = start, -1
        for part in tree.parts:
            begin = at
            if isinstance(part, Leaf):
                if id(part) not in self._position:
                    continue  # a comma that other punctuation swallowed
                children.append(at)
                top = at
                at += 1
            else:
                phrase, top, at = self.walk(part, at, arguments)
                children.append(phrase)
                spans.append((part, begin, at))
            if part.role:
                arguments.append(Argument(part.role, begin, at))
            tops.append((top, part.relation))
            if part.relation == HEAD and head < 0:
                head = top
        if head < 0:
            head = tops[0][0]
        for top, relation in tops:
            if top != head:
                self.heads[top], self.labels[top] = head, "dep" if relation == HEAD else relation
        for clause, _, _ in spans:
            if clause.predicate is not None and clause.predicate.antecedent:
                begin, end = next((b, e) for part, b, e in spans if part.relation == HEAD)
                self._arguments[id(clause)][1].append(Argument(clause.predicate.antecedent, begin, end))
        return Constituent(tree.label, tuple(children)), head, at

    def frames(self) -> tuple[Frame, ...]:
        found = []
        for tree, arguments in self._arguments.values():
            assert tree.predicate is not None
            words = sorted({self._position[id(leaf)] for leaf in tree.predicate.words})
            ordered = tuple(sorted(arguments, key=lambda argument: (argument.start, -argument.end)))
            verb = _stretches(words) if len(words) > 1 else ()
            found.append(Frame(self._position[id(tree.predicate.leaf)], tree.predicate.sense, ordered, verb))
        return tuple(sorted(found, key=lambda frame: frame.predicate))


def _stretches(positions: list[int]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for at in positions:
        if found and found[-1][1] == at:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    return tuple(found)


def _sorted(features: str) -> str:
    return features if features == "_" else "|".join(sorted(features.split("|"), key=str.lower))


def _leaves(tree: Tree) -> list[Leaf]:
    """The words left to right, without commas that meet other punctuation."""
    found: list[Leaf] = []
    agenda: list[Tree | Leaf] = [tree]
    while agenda:
        part = agenda.pop()
        if isinstance(part, Tree):
            agenda += reversed(part.parts)
        else:
            if found and found[-1].word.soft and part.word.form in _PUNCTUATION:
                found.pop()
            found.append(part)
    return found


class SyntheticItem:
    """A sentence pair with its gold: alignment, idioms, ambiguous words, references, annotations."""

    def __init__(
        self, number: int, derivation: AbstractSentence, source: Side, target: Side, realize: Realize, references: int
    ) -> None:
        self.number = number
        """Its place in the stream; the item depends on the seed and on this only."""
        self.source, self.target = source, target
        self._derivation, self._realize, self._wanted = derivation, realize, references

    @cached_property
    def alignment(self) -> tuple[tuple[int, int], ...]:
        """Gold links, sorted (source, target) pairs of token positions."""
        by_key: dict[int, list[int]] = {}
        for at, leaf in enumerate(self.target._leaves):
            for key in leaf.keys:
                by_key.setdefault(key, []).append(at)
        return tuple(
            sorted(
                {
                    (at, other)
                    for at, leaf in enumerate(self.source._leaves)
                    for key in leaf.keys
                    for other in by_key.get(key, ())
                }
            )
        )

    @property
    def pharaoh(self) -> str:
        """The alignment as `0-0 1-2 ...`."""
        return " ".join(f"{source}-{target}" for source, target in self.alignment)

    @cached_property
    def idioms(self) -> tuple[Idiom, ...]:
        """Idioms in the sentence; their words are linked all to all."""
        return tuple(
            Idiom(
                clause.verb.concept.removeprefix("idiom."),
                self.source.positions(clause.key),
                self.target.positions(clause.key),
            )
            for clause in clauses(self._derivation)
            if clause.verb is not None and clause.verb.kind == "x"
        )

    @property
    def idiom_links(self) -> tuple[tuple[int, int], ...]:
        """The links of the alignment that belong to idioms."""
        return tuple(
            link for link in self.alignment if any(link[0] in i.source and link[1] in i.target for i in self.idioms)
        )

    @cached_property
    def ambiguous(self) -> tuple[Ambiguity, ...]:
        """Words of the source whose translation depends on another word of the sentence."""
        found = []
        for word, sense, key, cue in senses(self._derivation):
            positions = [at for at in self.source.positions(key) if self.source._leaves[at].word.lemma == word]
            cues = self.source.positions(cue) if cue is not None else ()
            if positions:
                found.append(
                    Ambiguity(word, sense, positions[-1], self.target.positions(key), cues[-1] if cues else None)
                )
        return tuple(sorted(found, key=lambda ambiguity: ambiguity.source))

    @cached_property
    def references(self) -> tuple[str, ...]:
        """Different translations of the source, the target first; fewer than asked for when no more were found."""
        found = {self.target.text: None}
        for attempt in range(4 * self._wanted):
            if len(found) >= self._wanted:
                break
            found.setdefault(self._realize(attempt + 1).text)
        return tuple(found)[: max(1, self._wanted)]

    def to_dict(self, *, annotations: bool = False) -> dict[str, object]:
        """Plain values for JSON."""
        plain: dict[str, object] = {
            "number": self.number,
            "source": self.source.text,
            "target": self.target.text,
            "source_tokens": list(self.source.tokens),
            "target_tokens": list(self.target.tokens),
            "alignment": self.pharaoh,
            "idioms": [{"name": i.name, "source": list(i.source), "target": list(i.target)} for i in self.idioms],
            "ambiguous": [
                {"word": a.word, "sense": a.sense, "source": a.source, "target": list(a.target), "cue": a.cue}
                for a in self.ambiguous
            ],
            "references": list(self.references),
        }
        if annotations:
            plain["source_annotations"] = self.source.annotated.to_dict()
            plain["target_annotations"] = self.target.annotated.to_dict()
        return plain

    def __rich__(self) -> RenderableType:
        """Both sides as a grid: a mark where a source word (row) is linked with a target word (column)."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        idioms, links = set(self.idiom_links), set(self.alignment)
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 0))
        for row, word in enumerate(self.source.tokens):
            linked = [self.target.tokens[column] for source, column in self.alignment if source == row]
            marks = "".join(
                "◆" if (row, column) in idioms else "■" if (row, column) in links else "·"
                for column in range(len(self.target))
            )
            table.add_row(Text(word), Text(marks), Text(" ".join(linked)))
        notes = [Text(f"idiom: {idiom.name}", style="magenta") for idiom in self.idioms]
        for ambiguity in self.ambiguous:
            cue = "" if ambiguity.cue is None else f", decided by {self.source.tokens[ambiguity.cue]!r}"
            notes.append(Text(f"sense: {ambiguity.sense}{cue}", style="cyan"))
        references = [Text(reference, style="green") for reference in self.references]
        return Group(Text(self.source.text, style="bold"), *references, table, *notes, Text(""))

    def __repr__(self) -> str:
        return f"SyntheticItem({self.number}, {self.source.text!r}, {self.target.text!r})"


def clauses(derivation: AbstractSentence) -> list[Clause]:
    """All clauses of a derivation."""
    found: list[Clause] = []
    agenda = [clause for clause in (derivation.main, derivation.other) if clause is not None]
    while agenda:
        clause = agenda.pop()
        found.append(clause)
        if clause.complement is not None:
            agenda.append(clause.complement)
        agenda += [nominal.relative for nominal in nominals(clause) if nominal.relative is not None]
    return found


def nominals(clause: Clause) -> list[Nominal]:
    """The noun phrases of a clause, without a relative clause's antecedent."""
    found = [clause.subject, clause.object, clause.recipient]
    found += [adjunct.nominal for adjunct in (clause.place, clause.goal) if adjunct is not None]
    return [nominal for nominal in found if nominal is not None and nominal.relative is not clause]


def senses(derivation: AbstractSentence) -> list[tuple[str, str, int, int | None]]:
    """(English word, sense, key, key of the cue) of every ambiguous word."""
    found: list[tuple[str, str, int, int | None]] = []
    for clause in clauses(derivation):
        verb = clause.verb
        if verb is not None and verb.sense:
            cue = (
                clause.object.key
                if clause.object
                else clause.complement.key + CONJUNCTION
                if clause.complement
                else None
            )
            found.append((verb.english, verb.sense, clause.key, cue))
        if clause.conjunction is not None and clause.conjunction.sense:
            found.append((clause.conjunction.english, clause.conjunction.sense, clause.key + CONJUNCTION, clause.key))
        if clause.adjective is not None and clause.adjective.sense:
            found.append((clause.adjective.english, clause.adjective.sense, clause.key + 4, clause.subject.key))
        for nominal in nominals(clause):
            if nominal.noun is not None and nominal.noun.sense and not nominal.noun.modifier:
                found.append((nominal.noun.english, nominal.noun.sense, nominal.key, nominal.cue))
            for key, adjective in nominal.adjectives:
                if adjective.sense:
                    found.append((adjective.english, adjective.sense, key, nominal.key))
    return found
