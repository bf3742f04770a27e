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
al. 2007). What an edit does is known by rules, or decided by a tree that was learned from problems (`edit_tree`).

    >>> join("<", "<"), join("<", "|"), join("|", "<")
    ('<', '|', '#')
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from dragoman.annotations.graphs import DependencyGraph, GraphEdge
from dragoman.entailment.decision_features import argument_role, quantifier
from dragoman.entailment.edit_tree import EditTree
from dragoman.entailment.graph_alignment import GraphAlignment
from dragoman.entailment.marker_lists import Markers
from dragoman.entailment.monotonicity import MonotonicityMarks, mark
from dragoman.entailment.quantities import quantity_of
from dragoman.entailment.relation_rules import RelationMatch, RelationRules
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
    "same": "=", "synonym": "=", "form": "=", "derived": "=", "name": "=", "demonym": "=",
    "coreference": "=", "paraphrase": "=",
    "hyponym": "<", "implied": "<", "hypernym": ">", "antonym": "|",
}  # fmt: skip
_LIKE = {"paraphrase": "synonym", "demonym": "synonym", "implied": "hyponym"}
"""Kinds that a learned classifier of edits need not tell from others."""
_ORDER = ("some", "many", "most", "all")
_GRAMMAR = ("det", "aux", "cop", "case", "mark", "cc", "punct", "expl", "discourse", "predet", "fixed")
_CONTEXT = {1: "upward", -1: "downward", 0: "neither"}
_WHERE = ("in", "at", "near", "inside", "to", "from", "within")
_SAME_PLACE = (frozenset(["in", "inside", "within"]), frozenset(["on", "upon"]), frozenset(["near", "beside"]))
"""Prepositions that say the same."""
_LEAST_ALIKE = 0.3
_COMPLEMENTS = frozenset(["ccomp", "xcomp", "acl", "csubj"])
_NEED_NOT_HOLD = "what it is said of need not hold without it"
_SAME_THING = 0.8
"""Words at least so alike may share a word of the text."""
_COMMENT = "a comment on the whole"
_POSSIBLE = "one of two that are possible"
_NOTHING = "adds nothing"
_EFFECTS = (_NEED_NOT_HOLD, _POSSIBLE, _COMMENT, "a condition")
"""What a phrase may do by its own meaning, not by where it stands."""


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
    """SUB, DEL, INS, QUANT (a determiner), MOVE (an argument in another place), or REL (a relation in other words)."""
    text: str
    hypothesis: str
    context: int
    relation: str
    """Of the sentences before and after."""
    why: str
    known: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """What a learned classifier is told of it, by attribute."""

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


def prove(
    alignment: GraphAlignment,
    relations: WordRelations,
    markers: Markers,
    tree: EditTree | None = None,
    rules: RelationRules | None = None,
) -> LogicProof:
    """The edits of an aligned pair, text first to last, each with its relation, by rules or as a tree decides.

    Where determiners change, words may be edited before them, in the contexts of the text, or after them, in those of
    the hypothesis: from *all old dogs* one gets to *some dogs* by way of *some old dogs*. Either order is a proof.
    Where edits prove nothing and a rule of relations (without `rules`, a shipped one) says that the text puts all of
    the hypothesis into other words, that is one.
    """
    editor = _Editor(alignment, relations, markers, tree)
    first = editor.proof()
    if first.answer:
        return first
    if any(edit.kind == "QUANT" for edit in first.edits):
        after = _Editor(alignment, relations, markers, tree, after=True).proof()
        if after.answer:
            return after
    reworded = editor.reworded(rules or RelationRules.load())
    return first if reworded is None else LogicProof((reworded,))


class _Editor:
    def __init__(
        self,
        alignment: GraphAlignment,
        relations: WordRelations,
        markers: Markers,
        tree: EditTree | None,
        *,
        after: bool = False,
    ) -> None:
        self.alignment, self.relations, self.markers, self.tree = alignment, relations, markers, tree
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
        for up, down, label in self.hypothesis.edges:  # what fills one place and is of one kind, or a kind of it
            if down not in found and up in found:
                sister = self._sister(down, label, found[up], taken)
                if sister is not None:
                    found[down] = sister
                    taken.add(sister)
        return found

    def _sister(self, node: int, label: str, governor: int, taken: set[int]) -> int | None:
        ours = ComparedWord.of(self.hypothesis.nodes[node])
        for edge in self.text.children[governor]:
            theirs = ComparedWord.of(self.text.nodes[edge.dependent])
            here = edge.label == label and edge.dependent not in taken and ours.pos == theirs.pos
            if here and (self.relations.sisters(ours, theirs) or self.relations.above(ours, theirs)):
                return edge.dependent
        return None

    def proof(self) -> LogicProof:
        """All edits; those of determiners come first where the others happen after them."""
        if self.tree is None:
            edits = [*self.substitutions(), *self.moves(), *self.deletions(), *self.insertions()]
        else:
            found = (*self.substitutions(), *self.deletions(), *self.insertions())
            edits = [_decided(each, self.tree) for each in found]
        return LogicProof(tuple(sorted(edits, key=lambda edit: edit.kind != "QUANT") if self.after else edits))

    def _known_words(self, node: int, place: int, context: int) -> dict[str, str]:
        """What is known of two words that stand for each other."""
        found = self.alignment.words[node][place]
        ours, theirs = ComparedWord.of(self.hypothesis.nodes[node]), ComparedWord.of(self.text.nodes[place])
        related = "sisters" if found.kind == "none" and self.relations.sisters(ours, theirs) else found.kind
        related = _LIKE.get(related, related)
        counted = quantity_of(ours.lemma, ours.pos), quantity_of(theirs.lemma, theirs.pos)
        if counted[0] is not None and counted[1] is not None:
            sign = "|" if counted[0].kind == "date" else _compared(counted[1].value, counted[0].value)
            related = {"=": "same number", "<": "smaller number", ">": "greater number", "|": "other date"}[sign]
        return {"edit": "SUB", "context": _CONTEXT[context], "related": related, "class": ours.pos}

    def _known_phrase(self, kind: str, graph: DependencyGraph, node: int, context: int, why: str) -> dict[str, str]:
        """What is known of a phrase that only one side has: what it is, and what its own meaning does."""
        if self._negation(graph, node):
            effect = "negation"
        elif (modal := self._modal(graph, node)) is not None:
            effect = modal
        else:
            light = self.markers.has("adjuncts", "empty", graph.nodes[node].lemma.lower())
            says = why.partition("' ")[2]  # what a word makes of its complement; added, it says something else
            says = f"added, {says}" if says and kind == "INS" else says
            effect = _NOTHING if light else says or (why if why in _EFFECTS else "")
        return {"edit": kind, "context": _CONTEXT[context], "effect": effect, "class": graph.nodes[node].pos}

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
            if why == "antonym" and context > 0 and (denial := self._own_denial(node)) is not None:
                self.matched_operators[0].add(denial)
                said = f"{self.hypothesis.nodes[denial].word} {ours.word}"
                yield Edit("SUB", theirs.word, said, 1, "<", "what excludes it", {"related": "denied opposite"})
                continue
            if base != "=" or theirs.lemma.lower() != ours.lemma.lower():
                known = self._known_words(node, place, context)
                yield Edit("SUB", theirs.word, ours.word, context, project(base, context), why, known)
            yield from self._quantity(node, place)
            yield from self._preposition(node, place)

    def _own_denial(self, node: int) -> int | None:
        """The negation by which the hypothesis alone denies a word, where it is all that turns it."""
        below = (edge.dependent for edge in self.hypothesis.children[node])
        denials = [each for each in below if self._negation(self.hypothesis, each)]
        turned = self.ours.marks[node] < 0 and len(self.ours.over(node)) == 1
        return denials[0] if turned and denials and denials[0] not in self.matched_operators[0] else None

    def _preposition(self, node: int, place: int) -> Iterator[Edit]:
        """Another preposition says something else; with one that restricts, the opposite."""
        ours, theirs = self.hypothesis.nodes[node].marker, self.text.nodes[place].marker
        labels = self._label(self.hypothesis, node), self._label(self.text, place)
        if ours != theirs and any({ours, theirs} <= same for same in _SAME_PLACE):
            yield Edit("SUB", theirs, ours, 1, "=", "the same place", {"edit": "SUB", "related": "same preposition"})
            return
        if ours and theirs and ours != theirs and all(each.startswith(("obl", "nmod")) for each in labels):
            opposite = {ours, theirs} == {"with", "without"}
            relation, why = ("|", "the opposite") if opposite else ("#", "another preposition")
            known = {"edit": "SUB", "related": "opposite preposition" if opposite else "preposition"}
            yield Edit("SUB", theirs, ours, 1, relation, why, known)

    def _lexical(self, node: int, place: int) -> tuple[str, str]:
        found = self.alignment.words[node][place]
        ours, theirs = ComparedWord.of(self.hypothesis.nodes[node]), ComparedWord.of(self.text.nodes[place])
        quantities = quantity_of(ours.lemma, ours.pos), quantity_of(theirs.lemma, theirs.pos)
        if found.kind == "number" and quantities[0] is not None and quantities[1] is not None:
            if quantities[0].kind == "date":
                return "|", "another date"
            return _compared(quantities[1].value, quantities[0].value), "numbers"
        if found.kind in _BY_KIND:
            said = {"hyponym": "more general", "implied": "what it implies", "hypernym": "more special"}
            return _BY_KIND[found.kind], said.get(found.kind, found.kind)
        if found.kind in ("part", "whole") and self.text.nodes[place].marker in _WHERE:
            return ("<", "a part of it") if found.kind == "part" else (">", "the whole of it")
        if self.relations.sisters(ours, theirs):
            return "|", "different kinds of one thing"
        if self.relations.above(ours, theirs):
            return ">", "more special"
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
            known = {"edit": "QUANT", "context": _CONTEXT[context], "related": f"determiners {relation}"}
            yield Edit("QUANT", shown[0], shown[1], context, project(relation, context), why, known)

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
            if first == second or _kept(label, labels) or self._symmetric(up, first, label, labels):
                continue
            if not labels and self._over_names(first, second):
                continue
            ours, theirs = self.hypothesis.nodes[down].word, self.text.nodes[second].word
            yield Edit("MOVE", theirs, ours, 1, "#", f"it is not the {label} of '{self.text.nodes[first].word}'")

    def _symmetric(self, node: int, place: int, label: str, labels: tuple[str, ...]) -> bool:
        """Whether two arguments of a verb may change places: who meets somebody is met."""
        verbs = self.hypothesis.nodes[node].lemma.lower(), self.text.nodes[place].lemma.lower()
        roles = {argument_role(label), *map(argument_role, labels)}
        return all(self.markers.has("arguments", "symmetric", verb) for verb in verbs) and roles == {
            "subject",
            "object",
        }

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
                if node not in self.matched_operators[1] and not self._of_embedding(node):
                    yield self._operator_edit("DEL", self.text, node, self.theirs)
                continue
            relation, why = self._removed(self.text, node, self.reached, self.theirs)
            if self.contexts is self.theirs.marks:
                context = _around(self.text, node, self.reached, self.theirs)
            if why == _COMMENT:
                context = 1  # it is said of the whole, outside of what denies
            elif self._signature(self.text, node) is not None:
                denials = [e for e in self.text.children[node] if self._negation(self.text, e.dependent)]
                context *= (-1) ** len(denials)  # its signature knows of them
            if relation == "|" and (denial := self._denied_complement(node)) is not None:
                self.matched_operators[0].add(denial)
                relation, why = "<", f"{why}, and so says the hypothesis"
            known = self._known_phrase("DEL", self.text, node, context, why)
            yield Edit("DEL", found.word, "", context, project(relation, context), why, known)

    def _signature(self, graph: DependencyGraph, node: int) -> str | None:
        """What a word makes of its complement; None if it has none that is known."""
        labels = {edge.label.partition(":")[0] for edge in graph.children[node]}
        if not labels & _COMPLEMENTS:
            return None
        lemma = graph.nodes[node].lemma.lower()
        names = [f"{lemma} {'to' if 'xcomp' in labels else 'that'}", lemma]
        return next((self.markers.signatures[name] for name in names if name in self.markers.signatures), None)

    def _of_embedding(self, node: int) -> bool:
        """Whether a negation denies a word that is left out and says what becomes of its complement when denied."""
        above = [edge.governor for edge in self.text.parents[node][:1]]
        return any(each not in self.reached and self._signature(self.text, each) is not None for each in above)

    def _denied_complement(self, node: int) -> int | None:
        """The negation by which the hypothesis denies what a word of the text makes false."""
        kept = {place: ours for ours, place in self.links.items()}
        for edge in self.text.children[node]:
            if edge.label.partition(":")[0] in _COMPLEMENTS and edge.dependent in kept:
                below = (each.dependent for each in self.hypothesis.children[kept[edge.dependent]])
                return next((each for each in below if self._negation(self.hypothesis, each)), None)
        return None

    def _embedding(
        self, graph: DependencyGraph, node: int, kept: list[GraphEdge], marked: MonotonicityMarks
    ) -> tuple[str, str]:
        """Leaving out a governor: it is what its signature says of the complement, or one of two conjuncts."""
        labels = {edge.label.partition(":")[0] for edge in kept}
        if labels <= {"conj", "nsubj", "parataxis"}:
            disjunction = any(edge.label == "conj:or" for edge in kept)
            return (">", _POSSIBLE) if disjunction else ("<", "one of two that are said")
        signature = self._signature(graph, node)
        if signature is None or not labels & _COMPLEMENTS:
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
            return "#", _NEED_NOT_HOLD
        if found.marker in self.markers.lists["polarity"]["conditionals"]:
            return "#", "a condition"
        if label == "conj:or":
            return ">", _POSSIBLE
        if label in ("root", "parataxis"):
            return "<", "another statement"
        if self.markers.has("adjuncts", "comments", found.lemma.lower()):
            return "<", _COMMENT
        if self.markers.has("adjuncts", "empty", found.lemma.lower()):
            return "=", _NOTHING
        return "<", "less is said"

    def insertions(self) -> Iterator[Edit]:
        """What only the hypothesis says."""
        for node in self._tops(self.hypothesis, set(self.links) | self._shared()):
            found, context = self.hypothesis.nodes[node], _around(self.hypothesis, node, self.links, self.ours)
            if self._negation(self.hypothesis, node) or self._modal(self.hypothesis, node):
                if node not in self.matched_operators[0]:
                    yield self._operator_edit("INS", self.hypothesis, node, self.ours)
                continue
            relation, why = self._removed(self.hypothesis, node, self.links, self.ours)
            if why == _COMMENT:
                context = 1
            relation = _TURNED.get(relation, relation)
            said = why.replace("less", "more")
            known = self._known_phrase("INS", self.hypothesis, node, context, why)
            yield Edit("INS", "", found.word, context, project(relation, context), said, known)

    def _shared(self) -> set[int]:
        """Words that stand for a text word which stands for another one already: *the writer Haitov* says that *Haitov
        is a writer*. A tree forgives that, rules want a word for each."""
        if self.tree is None:
            return set()
        found = ((node, self.alignment.relation(node)) for node, _ in self.alignment.links)
        return {node for node, each in found if each.similarity >= _SAME_THING and each.kind != "antonym"}

    def reworded(self, rules: RelationRules) -> Edit | None:
        """The edit from a relation that the text says to all that the hypothesis says, by a rule."""
        for found in rules.matches(self.alignment):
            if self._asserted(found) and self._only(self.hypothesis, found.hypothesis, found) and self._fitting(found):
                said = [
                    " ".join(graph.nodes[node].word for node in pair)
                    for graph, pair in ((self.text, found.text), (self.hypothesis, found.hypothesis))
                ]
                equal = found.same and self._only(self.text, found.text, found)
                known = {"edit": "REL", "related": found.rule.name}
                return Edit("REL", said[0], said[1], 1, "=" if equal else "<", f"relation {found.rule.name}", known)
        return None

    def _asserted(self, found: RelationMatch) -> bool:
        """Whether neither side denies, weakens, quantifies or only reports the relation."""
        for graph, marked, pair in (
            (self.hypothesis, self.ours, found.hypothesis),
            (self.text, self.theirs, found.text),
        ):
            sentence = graph.nodes[pair[0]].sentence
            if any(marked.marks[node] <= 0 or self._determined(graph, node)[1] is not None for node in pair):
                return False
            for node in graph:
                operator = self._negation(graph, node.index) or self._modal(graph, node.index) is not None
                embedded = self._label(graph, node.index).partition(":")[0] in ("ccomp", "xcomp", "advcl", "conj")
                if node.sentence == sentence and (operator or embedded):
                    return False
        return True

    def _only(self, graph: DependencyGraph, pair: tuple[int, int], found: RelationMatch) -> bool:
        """Whether a graph says nothing but the relation."""
        return all(
            node.index in pair or node.lemma.lower() in found.rule.lemmas or self._grammar(graph, node.index)
            for node in graph
        )

    def _fitting(self, found: RelationMatch) -> bool:
        """Whether the words for the relation fit: a wife is a spouse, but no husband."""
        ours, theirs = (
            [ComparedWord.of(node) for node in graph if node.lemma.lower() in found.rule.lemmas and node.pos == "NOUN"]
            for graph in (self.hypothesis, self.text)
        )
        kinds = [self.relations.of(one, other).kind for one in ours for other in theirs]
        return not any(kind in ("antonym", "hypernym") for kind in kinds)

    def _operator_edit(self, kind: str, graph: DependencyGraph, node: int, marked: MonotonicityMarks) -> Edit:
        """Leaving out or adding *not*, *can*, *must*."""
        word = graph.nodes[node].word
        text, hypothesis = (word, "") if kind == "DEL" else ("", word)
        known = self._known_phrase(kind, graph, node, marked.marks[node], "")
        if self._negation(graph, node):
            return Edit(kind, text, hypothesis, 1, "|", "negation", known)
        possible = self._modal(graph, node) == "possible"
        relation = ">" if possible == (kind == "DEL") else "<"
        context = marked.marks[node]
        why = "possible" if possible else "necessary"
        return Edit(kind, text, hypothesis, context, project(relation, context), why, known)


def _around(graph: DependencyGraph, node: int, kept: Collection[int], marked: MonotonicityMarks) -> int:
    """The context of a phrase that only one side has: that of its place, without what turns things inside it.

    *Without a hat* turns what is said of the hat, not what is said of him who came without it. A phrase that turns what
    stands around it as well (*in no country*), or that leaves some of its words behind, is taken as its head is.
    """
    inside = graph.below(node)
    if not inside.isdisjoint(kept):
        return marked.marks[node]
    if any(scope.operator in inside and not scope.nodes <= inside for scope in marked.scopes):
        return marked.marks[node]
    return math.prod(scope.effect for scope in marked.over(node) if scope.operator not in inside)


def _decided(edit: Edit, tree: EditTree) -> Edit:
    """The edit with the relation that a tree gives it."""
    relation = tree.decide(edit.known)
    return edit if relation is None else replace(edit, relation=relation, why=", ".join(tree.path(edit.known)))


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
