"""Natural logic: entailment as a chain of edits, each of a known kind, in a context of known monotonicity.

A text becomes the hypothesis by substitutions, deletions and insertions. Each is one of five relations:

| sign | relation | the first follows from |
|---|---|---|
| `=` | equivalent | both from each other |
| `<` | forward | the hypothesis from the text |
| `>` | reverse | the text from the hypothesis |
| `|` | exclusive | never both |
| `#` | independent | nothing |

Deleting a modifier is forward where the context is upward (*loud dogs barked*, so *dogs barked*) and reverse where it
is downward (*no dogs barked* says more than *no loud dogs barked*). The relations are joined from left to right; the
answer is yes if the whole is `=` or `<`, which happens just if every edit is (MacCartney and Manning 2007; Chambers et
al. 2007).

    >>> join("<", "<"), join("<", "|"), join("|", "<")
    ('<', '|', '#')
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from dragoman.annotations.graphs import DependencyGraph, GraphEdge
from dragoman.entailment.decision_features import argument_role, quantifier
from dragoman.entailment.graph_alignment import GraphAlignment
from dragoman.entailment.marker_lists import Markers
from dragoman.entailment.monotonicity import MonotonicityMarks, mark
from dragoman.entailment.quantities import quantity_of
from dragoman.entailment.word_relations import ComparedWord, WordRelations

__all__ = ["RELATIONS", "Edit", "LogicProof", "join", "project", "prove"]

RELATIONS = "=<>#|"
_JOINS = {
    "=": {"=": "=", "<": "<", ">": ">", "#": "#", "|": "|"},
    "<": {"=": "<", "<": "<", ">": "#", "#": "#", "|": "|"},
    ">": {"=": ">", "<": "#", ">": ">", "#": "#", "|": "#"},
    "#": {"=": "#", "<": "#", ">": "#", "#": "#", "|": "#"},
    "|": {"=": "|", "<": "#", ">": "|", "#": "#", "|": "#"},
}
_TURNED = {"<": ">", ">": "<"}
_NAMES = {"=": "equivalent", "<": "forward", ">": "reverse", "#": "independent", "|": "exclusive"}
_BY_KIND = {
    "same": "=", "synonym": "=", "form": "=", "derived": "=", "name": "=", "coreference": "=",
    "hyponym": "<", "hypernym": ">", "antonym": "|",
}  # fmt: skip
_ORDER = ("some", "many", "most", "all")
_GRAMMAR = ("det", "aux", "cop", "case", "mark", "cc", "punct", "expl", "discourse", "predet", "fixed")
_CONTEXT = {1: "upward", -1: "downward", 0: "neither"}
_WHERE = ("in", "at", "near", "inside", "to", "from", "within")
_LEAST_ALIKE = 0.3


def join(first: str, second: str) -> str:
    """The relation of the ends of two edits; what more than one relation could be is `#`."""
    return _JOINS[first][second]


def project(relation: str, context: int) -> str:
    """A relation of words as a relation of sentences, in an upward (1), downward (-1) or other (0) context."""
    if context > 0 or relation == "=":
        return relation
    return _TURNED.get(relation, relation) if context < 0 else "#"


@dataclass(frozen=True, slots=True)
class Edit:
    """One step from the text to the hypothesis."""

    kind: str
    """SUB, DEL, INS, QUANT (a determiner), or MOVE (an argument in another place)."""
    text: str
    hypothesis: str
    context: int
    relation: str
    """Of the sentences before and after."""
    why: str

    def __str__(self) -> str:
        words = {"DEL": self.text, "INS": self.hypothesis}.get(self.kind, f"{self.text}, {self.hypothesis}")
        return f"{self.kind}({words}) in {_CONTEXT[self.context]} context: {self.relation} ({self.why})"


@dataclass(frozen=True, slots=True)
class LogicProof:
    """All edits, and the relation they join to."""

    edits: tuple[Edit, ...]

    @property
    def relation(self) -> str:
        joined = "="
        for edit in self.edits:
            joined = join(joined, edit.relation)
        return joined

    @property
    def answer(self) -> bool:
        """Whether the hypothesis follows."""
        return self.relation in "=<"

    def trace(self) -> Iterator[tuple[Edit, str]]:
        """Each edit with the relation of text and sentence so far."""
        joined = "="
        for edit in self.edits:
            joined = join(joined, edit.relation)
            yield edit, joined

    def __str__(self) -> str:
        lines = [f"{edit}; so far {joined}" for edit, joined in self.trace()] or ["nothing is changed"]
        return "\n".join([*lines, f"{'yes' if self.answer else 'no'}: {_NAMES[self.relation]}"])


def prove(alignment: GraphAlignment, relations: WordRelations, markers: Markers) -> LogicProof:
    """The edits of an aligned pair, text first to last, each with its relation.

    Where determiners change, words may be edited before them, in the contexts of the text, or after them, in those of
    the hypothesis: from *all old dogs* one gets to *some dogs* by way of *some old dogs*. Either order is a proof.
    """
    first = _Editor(alignment, relations, markers).proof()
    if first.answer or not any(edit.kind == "QUANT" for edit in first.edits):
        return first
    after = _Editor(alignment, relations, markers, after=True).proof()
    return after if after.answer else first


class _Editor:
    def __init__(
        self, alignment: GraphAlignment, relations: WordRelations, markers: Markers, *, after: bool = False
    ) -> None:
        self.alignment, self.relations, self.markers = alignment, relations, markers
        self.text, self.hypothesis = alignment.text, alignment.hypothesis
        self.theirs, self.ours = mark(self.text, markers), mark(self.hypothesis, markers)
        self.links = self._one_to_one()
        self.reached = set(self.links.values())
        self.matched_operators = self._matched_operators()
        self.contexts = self._contexts_after() if after else self.theirs.marks
        self.after = after

    def _one_to_one(self) -> dict[int, int]:
        """Links between content words that are alike at all; of several to one text word the best."""
        found: dict[int, int] = {}
        taken: set[int] = set()
        ordered = sorted(self.alignment.links, key=lambda link: (-self.alignment.relation(link[0]).similarity, link))
        for node, place in ordered:
            alike = self.alignment.relation(node).similarity >= _LEAST_ALIKE
            if alike and place not in taken and not self._grammar(self.hypothesis, node):
                found[node] = place
                taken.add(place)
        return found

    def proof(self) -> LogicProof:
        """All edits; those of determiners come first where the others happen after them."""
        edits = [*self.substitutions(), *self.moves(), *self.deletions(), *self.insertions()]
        return LogicProof(tuple(sorted(edits, key=lambda edit: edit.kind != "QUANT") if self.after else edits))

    def _contexts_after(self) -> tuple[int, ...]:
        """The marks of text nodes under the determiners of the hypothesis: those of the nearest word it keeps."""
        kept = {place: node for node, place in self.links.items()}
        found = []
        for start in range(len(self.text)):
            at, seen = start, set[int]()
            while at not in kept and at not in seen and self.text.parents[at]:
                seen.add(at)
                at = self.text.parents[at][0].governor
            found.append(self.ours.marks[kept[at]] if at in kept else self.theirs.marks[start])
        return tuple(found)

    def _matched_operators(self) -> tuple[set[int], set[int]]:
        """Negations and modal verbs on words that stand for each other: *never* is *not*, *can* is *may*."""
        ours: set[int] = set()
        theirs: set[int] = set()
        for node, place in self.links.items():
            for one in (edge.dependent for edge in self.hypothesis.children[node]):
                kind = self._negation(self.hypothesis, one), self._modal(self.hypothesis, one)
                for other in (edge.dependent for edge in self.text.children[place] if any(kind)):
                    if kind == (self._negation(self.text, other), self._modal(self.text, other)):
                        ours.add(one)
                        theirs.add(other)
        return ours, theirs

    def _label(self, graph: DependencyGraph, node: int) -> str:
        return graph.parents[node][0].label if graph.parents[node] else "root"

    def _grammar(self, graph: DependencyGraph, node: int) -> bool:
        """Whether a node is a word of grammar that is treated with the word it belongs to."""
        label = self._label(graph, node).partition(":")[0]
        if self._negation(graph, node) or self._modal(graph, node) is not None:
            return False
        return (
            label in _GRAMMAR
            or graph.nodes[node].lemma.lower() in self.markers.operators
            or (label == "nummod" and quantity_of(graph.nodes[node].lemma, graph.nodes[node].pos) is not None)
        )

    def _negation(self, graph: DependencyGraph, node: int) -> bool:
        found = graph.nodes[node]
        label = self._label(graph, node).partition(":")[0]
        names = found.lemma.lower(), found.word.lower()
        turns = any(self.markers.has("polarity", each, *names) for each in ("negations", "downward_adverbs"))
        return turns and label not in ("det", "nsubj", "obj")

    def _modal(self, graph: DependencyGraph, node: int) -> str | None:
        """possible or necessary, of an auxiliary."""
        found = graph.nodes[node]
        if self._label(graph, node).partition(":")[0] != "aux":
            return None
        names = (found.lemma.lower(), found.word.lower())
        return next((each for each in ("possible", "necessary") if self.markers.has("modality", each, *names)), None)

    def substitutions(self) -> Iterator[Edit]:
        """Content words that stand for each other, and the determiners and numbers on them."""
        for node, place in sorted(self.links.items(), key=lambda link: link[1]):
            ours, theirs = self.hypothesis.nodes[node], self.text.nodes[place]
            context = self.contexts[place]
            base, why = self._lexical(node, place)
            if base != "=" or theirs.lemma.lower() != ours.lemma.lower():
                yield Edit("SUB", theirs.word, ours.word, context, project(base, context), why)
            yield from self._quantity(node, place)
            yield from self._preposition(node, place)

    def _preposition(self, node: int, place: int) -> Iterator[Edit]:
        """Another preposition says something else; with one that restricts, the opposite."""
        ours, theirs = self.hypothesis.nodes[node].marker, self.text.nodes[place].marker
        labels = self._label(self.hypothesis, node), self._label(self.text, place)
        if ours and theirs and ours != theirs and all(each.startswith(("obl", "nmod")) for each in labels):
            opposite = {ours, theirs} == {"with", "without"}
            relation, why = ("|", "the opposite") if opposite else ("#", "another preposition")
            yield Edit("SUB", theirs, ours, 1, relation, why)

    def _lexical(self, node: int, place: int) -> tuple[str, str]:
        found = self.alignment.relation(node)
        ours, theirs = ComparedWord.of(self.hypothesis.nodes[node]), ComparedWord.of(self.text.nodes[place])
        quantities = quantity_of(ours.lemma, ours.pos), quantity_of(theirs.lemma, theirs.pos)
        if found.kind == "number" and quantities[0] is not None and quantities[1] is not None:
            if quantities[0].kind == "date":
                return "|", "another date"
            return _compared(quantities[1].value, quantities[0].value), "numbers"
        if found.kind in (
            "hyponym",
            "hypernym",
            "synonym",
            "antonym",
            "same",
            "form",
            "derived",
            "name",
            "coreference",
        ):
            return _BY_KIND[found.kind], {"hyponym": "more general", "hypernym": "more special"}.get(
                found.kind, found.kind
            )
        if found.kind in ("part", "whole") and self.text.nodes[place].marker in _WHERE:
            return ("<", "a part of it") if found.kind == "part" else (">", "the whole of it")
        if self.relations.sisters(ours, theirs):
            return "|", "different kinds of one thing"
        return "#", f"not known to be related ({found.kind})"

    def _quantity(self, node: int, place: int) -> Iterator[Edit]:
        """What happens to the determiner or number of a noun."""
        ours, theirs = self._determined(self.hypothesis, node), self._determined(self.text, place)
        if ours == theirs:
            return
        context = self._outer(place)
        counts = [each[1] for each in (theirs, ours)]
        shown = [each[0] if each[1] is None else f"{each[1]:g}" for each in (theirs, ours)]
        if counts[0] is not None and counts[1] is not None:
            relation = _compared(counts[0], counts[1])
            operator = theirs[2], ours[2]
            if operator[0] != operator[1]:
                relation, why = "#", "other bounds"
            else:
                effect = {"-": -1, "o": 0}.get(operator[0], 1)
                relation, why = project(relation, effect), "numbers"
        elif counts[0] is not None or counts[1] is not None:
            relation, why = self._counted(theirs, ours), "a number and a determiner"
        else:
            relation, why = _category(theirs[0], ours[0]), "determiners"
        if relation != "=" or shown[0] != shown[1]:
            yield Edit("QUANT", shown[0], shown[1], context, project(relation, context), why)

    def _counted(self, theirs: tuple[str, float | None, str], ours: tuple[str, float | None, str]) -> str:
        if theirs[1] is not None:
            return "<" if ours[0] in ("some", "bare") and not theirs[2] else "#"
        return ">" if theirs[0] in ("some", "bare") and not ours[2] else "#"

    def _determined(self, graph: DependencyGraph, node: int) -> tuple[str, float | None, str]:
        """Category of the determiner, number, and whether an operator bounds the number (- from above, o exactly)."""
        number: float | None = None
        bound = ""
        own = ""
        for edge in graph.children[node]:
            child = graph.nodes[edge.dependent]
            found = quantity_of(child.lemma, child.pos)
            if edge.label.partition(":")[0] == "nummod" and found is not None and found.kind == "number":
                number = found.value
            for each in (edge.dependent, *(below.dependent for below in graph.children[edge.dependent])):
                near = graph.nodes[each]
                names = [f"{near.marker} {near.word.lower()}", near.word.lower(), near.lemma.lower()]
                operator = next((self.markers.operators[n] for n in names if n in self.markers.operators), None)
                if operator is None or edge.label.partition(":")[0] not in ("det", "nummod", "amod", "advmod"):
                    continue
                own = near.lemma.lower()
                if number is not None or each != edge.dependent:
                    bound = "-" if operator.restrictor < 0 else "o" if operator.restrictor == 0 else ""
        category = quantifier(graph, node, self.markers)
        if own and category is None:
            category = own  # few, little, only: each stands for itself
        return category or "bare", number, bound

    def _outer(self, place: int) -> int:
        """The mark of a text node without what its own determiner does."""
        product, below = 1, self.text.below(place)
        for scope in self.theirs.over(place):
            if scope.operator not in below:
                product *= scope.effect
        return product

    def moves(self) -> Iterator[Edit]:
        """Arguments that do not hang where they hung: nothing follows from exchanged roles."""
        for up, down, label in self.hypothesis.edges:
            if up not in self.links or down not in self.links or self._grammar(self.hypothesis, down):
                continue
            first, second = self.links[up], self.links[down]
            labels = self.text.labels_between.get((first, second), ())
            if first == second or _kept(label, labels):
                continue
            if not labels and self._over_names(first, second):
                continue
            ours, theirs = self.hypothesis.nodes[down].word, self.text.nodes[second].word
            yield Edit("MOVE", theirs, ours, 1, "#", f"it is not the {label} of '{self.text.nodes[first].word}'")

    def _over_names(self, first: int, second: int) -> bool:
        """Whether two text nodes are joined through nodes that the hypothesis left out, from above to below."""
        at, seen = second, set()
        while at not in seen:
            seen.add(at)
            if not self.text.parents[at]:
                return False
            at = self.text.parents[at][0].governor
            if at == first:
                return True
            if at in self.reached:
                return False
        return False

    def _tops(self, graph: DependencyGraph, kept: set[int]) -> Iterator[int]:
        """Nodes that are not kept, without those that hang on another such node and go with it."""
        for node in range(len(graph)):
            if node in kept or self._grammar(graph, node):
                continue
            governor = graph.parents[node][0].governor if graph.parents[node] else None
            swallowed = governor is not None and governor not in kept and not self._grammar(graph, governor)
            if swallowed and not (graph.below(governor) & kept if governor is not None else False):
                continue
            yield node

    def deletions(self) -> Iterator[Edit]:
        """What only the text says."""
        for node in self._tops(self.text, self.reached):
            found, context = self.text.nodes[node], self.contexts[node]
            if self._negation(self.text, node) or self._modal(self.text, node):
                if node not in self.matched_operators[1]:
                    yield self._operator_edit("DEL", self.text, node, self.theirs)
                continue
            relation, why = self._removed(self.text, node, self.reached, self.theirs)
            yield Edit("DEL", found.word, "", context, project(relation, context), why)

    def _embedding(
        self, graph: DependencyGraph, node: int, kept: list[GraphEdge], marked: MonotonicityMarks
    ) -> tuple[str, str]:
        """Leaving out a governor: it is what its signature says of the complement, or one of two conjuncts."""
        labels = {edge.label.partition(":")[0] for edge in kept}
        if labels <= {"conj", "nsubj", "parataxis"}:
            disjunction = any(edge.label == "conj:or" for edge in kept)
            return (">", "one of two that are possible") if disjunction else ("<", "one of two that are said")
        lemma = graph.nodes[node].lemma.lower()
        names = [f"{lemma} {'to' if 'xcomp' in labels else 'that'}", lemma]
        signature = next((self.markers.signatures[name] for name in names if name in self.markers.signatures), None)
        if signature is None or not labels & {"ccomp", "xcomp", "acl", "csubj"}:
            return "#", "what it governs is not known to hold"
        outcome = signature[2] if marked.marks[node] < 0 else signature[0]
        says = {"+": "makes it true", "-": "makes it false", "o": "leaves it open"}[outcome]
        return {"+": "<", "-": "|", "o": "#"}[outcome], f"'{graph.nodes[node].word}' {says}"

    def _removed(
        self, graph: DependencyGraph, node: int, reached: Collection[int], marked: MonotonicityMarks
    ) -> tuple[str, str]:
        """The relation of a phrase's deletion in an upward context."""
        own = [edge for edge in graph.children[node] if graph.parents[edge.dependent][0] == edge]
        kept = [edge for edge in own if not graph.below(edge.dependent).isdisjoint(reached)]
        if kept:
            return self._embedding(graph, node, kept, marked)
        found, label = graph.nodes[node], self._label(graph, node)
        if self.markers.has("modifiers", "not_subsective", found.lemma.lower(), found.word.lower()):
            return "#", "what it is said of need not hold without it"
        if found.marker in self.markers.lists["polarity"]["conditionals"]:
            return "#", "a condition"
        if label == "conj:or":
            return ">", "one of two that are possible"
        if label in ("root", "parataxis"):
            return "<", "another statement"
        if self.markers.has("adjuncts", "empty", found.lemma.lower()):
            return "=", "adds nothing"
        return "<", "less is said"

    def insertions(self) -> Iterator[Edit]:
        """What only the hypothesis says."""
        for node in self._tops(self.hypothesis, set(self.links)):
            found, context = self.hypothesis.nodes[node], self.ours.marks[node]
            if self._negation(self.hypothesis, node) or self._modal(self.hypothesis, node):
                if node not in self.matched_operators[0]:
                    yield self._operator_edit("INS", self.hypothesis, node, self.ours)
                continue
            relation, why = self._removed(self.hypothesis, node, self.links, self.ours)
            relation = _TURNED.get(relation, relation)
            said = why.replace("less", "more")
            yield Edit("INS", "", found.word, context, project(relation, context), said)

    def _operator_edit(self, kind: str, graph: DependencyGraph, node: int, marked: MonotonicityMarks) -> Edit:
        """Leaving out or adding *not*, *can*, *must*."""
        word = graph.nodes[node].word
        text, hypothesis = (word, "") if kind == "DEL" else ("", word)
        if self._negation(graph, node):
            return Edit(kind, text, hypothesis, 1, "|", "negation")
        possible = self._modal(graph, node) == "possible"
        relation = ">" if possible == (kind == "DEL") else "<"
        context = marked.marks[node]
        return Edit(
            kind, text, hypothesis, context, project(relation, context), "possible" if possible else "necessary"
        )


def _compared(text: float, hypothesis: float) -> str:
    """Of two numbers the greater says more: three dogs are two dogs."""
    return "=" if text == hypothesis else "<" if text > hypothesis else ">"


def _category(text: str, hypothesis: str) -> str:
    """The relation of two determiners; a bare noun is taken as some."""
    first, second = ("some" if each == "bare" else each for each in (text, hypothesis))
    if first == second:
        return "="
    if "no" in (first, second):
        return "|" if first in _ORDER or second in _ORDER else "#"
    if first not in _ORDER or second not in _ORDER:
        return "#"
    return "<" if _ORDER.index(first) > _ORDER.index(second) else ">"


def _kept(label: str, labels: tuple[str, ...]) -> bool:
    """Whether the text has the relation of the hypothesis: the same, or its counterpart in a passive."""
    ours = argument_role(label)
    theirs = {argument_role(each) for each in labels}
    if ours in theirs:
        return True
    return bool(theirs) and not (theirs | {ours}) & {"subject", "object"}
