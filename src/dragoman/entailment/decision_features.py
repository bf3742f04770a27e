"""Features of an aligned pair that speak for or against entailment (MacCartney et al. 2006, section 4).

Alignment finds the part of the text that the hypothesis speaks of; these features judge whether that part entails it:
negation on one side, adjuncts added or dropped, opposites, modality, verbs that leave their complement open, wider
quantifiers, other numbers and dates, exchanged arguments, relations that are said of others. Each comes with a sentence
that says what it saw.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from dragoman.annotations.graphs import DependencyGraph
from dragoman.entailment.graph_alignment import GraphAlignment, is_content
from dragoman.entailment.marker_lists import Markers
from dragoman.entailment.modality import MODAL_ANSWERS, modal_answer, modality
from dragoman.entailment.monotonicity import MonotonicityMarks, mark
from dragoman.entailment.quantities import Interval, Quantity, quantity_of
from dragoman.entailment.relation_rules import CLASSES, RelationRules

__all__ = [
    "FEATURES",
    "GROUPS",
    "DecisionFeatures",
    "ScoreReferences",
    "argument_role",
    "extract_features",
    "quantifier",
]

GROUPS: dict[str, tuple[str, ...]] = {
    "polarity": ("text_has_neg_marker", "hyp_has_neg_marker", "same_polarity", "diff_polarity"),
    "adjunct": ("dropped_pos", "dropped_neg", "dropped_all", "added_pos", "added_neg", "added_all"),
    "antonymy": ("antonym_same_polarity", "antonym_text_neg", "antonym_hyp_neg"),
    "modality": tuple(f"modal_{name}" for name in MODAL_ANSWERS),
    "factivity": (
        "text_is_factive",
        "text_is_contrafactive",
        "text_is_nonfactive",
        "embedded_unlisted_affirmative",
        "embedded_unlisted_negative",
    ),
    "quantifier": ("quant_widening", "quant_narrowing", "quant_no_mismatch"),
    "number": ("num_match", "num_mismatch"),
    "date": ("date_match", "date_mismatch", "date_insert", "date_deleted", "date_modifier_insert"),
    "structure": ("main_predicate_match", "argument_swapped", "argument_moved"),
    "relation": tuple(f"{name}_{found}" for name in CLASSES for found in ("match", "mismatch")),
    "alignment": ("score", "goodscore", "badscore", "has_coref"),
    "support": (
        "unsupported",
        "unsupported_verb",
        "unsupported_name",
        "unsupported_number",
        "weakest",
        "loose_edges",
    ),
}
"""Features by what they look at; ablations leave out groups."""
FEATURES = tuple(name for names in GROUPS.values() for name in names)
REAL = ("score", "goodscore", "badscore", *GROUPS["support"])
"""Features with values other than 0 and 1."""
ATTESTED = (
    "text_has_neg_marker",
    "same_polarity",
    "diff_polarity",
    "added_all",
    "antonym_same_polarity",
    "antonym_text_neg",
    "antonym_hyp_neg",
    *GROUPS["modality"],
    "text_is_factive",
    "quant_widening",
    "num_match",
    "date_mismatch",
    "date_insert",
    "date_deleted",
    "date_modifier_insert",
    "main_predicate_match",
    "score",
    "goodscore",
    "badscore",
)
"""Those that the paper names."""

_CATEGORIES = ("some", "many", "most", "all")
_SUBJECTS, _OBJECTS = ("nsubj", "csubj"), ("obj", "dobj", "iobj")
_EMBEDDING = ("ccomp", "xcomp", "csubj", "acl", "advcl")


@dataclass(frozen=True, slots=True)
class ScoreReferences:
    """What a good and a bad alignment score is, and how sharply they are told apart."""

    good: float = -0.35
    bad: float = -1.1
    width: float = 0.2

    @classmethod
    def of(cls, scores: list[float]) -> ScoreReferences:
        """Upper and lower quartile of scores seen, and half of their distance."""
        ordered = sorted(scores)
        good, bad = ordered[(3 * len(ordered)) // 4], ordered[len(ordered) // 4]
        return cls(good, bad, max((good - bad) / 2, 1e-3))


@dataclass
class DecisionFeatures:
    """Values of all features, and what those that fired have seen."""

    values: dict[str, float] = field(default_factory=lambda: dict.fromkeys(FEATURES, 0.0))
    reasons: dict[str, str] = field(default_factory=dict)

    def fire(self, name: str, reason: str, value: float = 1.0) -> None:
        """Set a feature; the first reason stays."""
        self.values[name] = value
        self.reasons.setdefault(name, reason)

    def fired(self) -> list[tuple[str, float, str]]:
        """Name, value and reason of what is not 0."""
        return [(name, value, self.reasons.get(name, "")) for name, value in self.values.items() if value]


def extract_features(
    alignment: GraphAlignment,
    markers: Markers,
    *,
    references: ScoreReferences | None = None,
    rules: RelationRules | None = None,
    intervals: bool = False,
    coreference: bool = False,
) -> DecisionFeatures:
    """All features of an aligned pair; with `intervals`, *over 2 million* covers 2.5 million.

    Without `rules` of relations, the shipped ones are used.
    """
    found = DecisionFeatures()
    reader = _Reader(alignment, markers, found)
    if alignment.hypothesis.roots:
        reader.polarity()
        reader.adjuncts()
        reader.antonyms()
        reader.modality()
        reader.factivity()
        reader.quantifiers()
        reader.numbers(intervals=intervals)
        reader.dates()
        reader.structure()
        for finding in (rules or RelationRules.load()).findings(alignment):
            found.fire(f"{finding.kind}_{'match' if finding.match else 'mismatch'}", finding.reason)
    reader.quality(references or ScoreReferences())
    reader.support()
    if coreference:
        found.fire("has_coref", "words of the text were matched by what they refer to")
    return found


def quantifier(graph: DependencyGraph, node: int, markers: Markers) -> str | None:
    """The category of a noun's quantifier, None without one."""
    for edge in graph.children[node]:
        if edge.label.partition(":")[0] not in ("det", "nummod", "amod", "advmod"):
            continue
        child = graph.nodes[edge.dependent]
        names = {child.word.lower(), child.lemma.lower()}
        for category in ("no", "all", "most", "many", "some"):
            if markers.has("quantifiers", category, *names):
                return category
        number = quantity_of(child.lemma, child.pos)
        if edge.label == "nummod" and number is not None and number.kind == "number":
            return "some" if number.value <= markers.largest_small_cardinal else "many"
    own = {graph.nodes[node].word.lower(), graph.nodes[node].lemma.lower()}
    if graph.nodes[node].pos in ("PRON", "DET"):
        return next(
            (each for each in ("no", "all", "most", "many", "some") if markers.has("quantifiers", each, *own)), None
        )
    return None


class _Reader:
    def __init__(self, alignment: GraphAlignment, markers: Markers, found: DecisionFeatures) -> None:
        self.alignment, self.markers, self.found = alignment, markers, found
        self.hypothesis, self.text = alignment.hypothesis, alignment.text
        self.ours, self.theirs = mark(self.hypothesis, markers), mark(self.text, markers)
        self.root = self.hypothesis.roots[0] if self.hypothesis.roots else -1
        self.place = alignment.place(self.root) if self.root >= 0 else None
        self.claim = self._claim()

    def _claim(self) -> tuple[int, int] | None:
        """What the hypothesis claims, with its place: its root, or of a headline that has none the verb on it."""
        if self.root < 0 or self.place is not None:
            return None if self.place is None else (self.root, self.place)
        below = (edge.dependent for edge in self.hypothesis.children[self.root])
        verbs = ((node, self.alignment.place(node)) for node in below if self.hypothesis.nodes[node].pos == "VERB")
        return next(((node, place) for node, place in verbs if place is not None), None)

    def name(self, node: int) -> str:
        """A hypothesis word for reasons."""
        return f"'{self.hypothesis.nodes[node].word}'"

    def text_name(self, node: int) -> str:
        return f"'{self.text.nodes[node].word}'"

    def _links(self) -> Iterator[tuple[int, int]]:
        return iter(sorted(self.alignment.links))

    def _negative(self, graph: DependencyGraph, marked: MonotonicityMarks, root: int) -> str | None:
        """The marker that turns the sentence of a root, if there is one."""
        sentence = graph.nodes[root].sentence
        for scope in marked.scopes:
            if scope.effect < 0 and scope.part != "restrictor" and graph.nodes[scope.operator].sentence == sentence:
                return graph.nodes[scope.operator].word
        return None

    def polarity(self) -> None:
        above = self._negative(self.hypothesis, self.ours, self.root)
        if above is not None:
            self.found.fire("hyp_has_neg_marker", f"the hypothesis has '{above}'")
        if self.place is None:
            return
        below = self._negative(self.text, self.theirs, self.place)
        if below is not None:
            self.found.fire("text_has_neg_marker", f"the text has '{below}'")
        same = self.ours.marks[self.root] == self.theirs.marks[self.place]
        names = f"{self.name(self.root)} and {self.text_name(self.place)}"
        self.found.fire(
            "same_polarity" if same else "diff_polarity",
            f"{names} are {'affirmed or denied alike' if same else 'affirmed on one side and denied on the other'}",
        )

    def _context(self, place: int) -> str:
        if self.theirs.universal(place):
            return "all"
        return "neg" if self.theirs.marks[place] < 0 else "pos"

    def _is_adjunct(self, graph: DependencyGraph, label: str, node: int) -> bool:
        lists = self.markers.lists["adjuncts"]
        lemma = graph.nodes[node].lemma.lower()
        if label == "nmod:poss" or label.partition(":")[0] not in lists["labels"] or lemma in lists["empty"]:
            return False
        return not self.markers.has("polarity", "negations", lemma) and lemma not in self.markers.operators

    def adjuncts(self) -> None:
        """Of the root, and of the words that are its arguments."""
        core = (*_SUBJECTS, *_OBJECTS)
        heads = [e.dependent for e in self.hypothesis.children[self.root] if e.label.startswith(core)]
        for head in dict.fromkeys([self.root, *heads]):
            place = self.alignment.place(head)
            if place is not None:
                self._added(head, place)
                self._dropped(place)

    def _added(self, head: int, place: int) -> None:
        near = self.text.distances[place]
        for edge in self.hypothesis.children[head]:
            if self._is_adjunct(self.hypothesis, edge.label, edge.dependent):
                other = self.alignment.place(edge.dependent)
                alike = self.alignment.relation(edge.dependent).similarity >= 0.3
                if other is None or not alike or near.get(other, 99) > 3:
                    said = f"{self.name(edge.dependent)} is said of {self.name(head)} only by the hypothesis"
                    self.found.fire(f"added_{self._context(place)}", said)

    def _dropped(self, place: int) -> None:
        reached = {each for _, each in self.alignment.links}
        for edge in self.text.children[place]:
            adjunct = self._is_adjunct(self.text, edge.label, edge.dependent)
            if adjunct and self.text.below(edge.dependent).isdisjoint(reached):
                said = f"{self.text_name(edge.dependent)} is said of {self.text_name(place)} only by the text"
                self.found.fire(f"dropped_{self._context(place)}", said)

    def antonyms(self) -> None:
        for node, place in self._links():
            if self.alignment.relation(node).kind != "antonym":
                continue
            ours, theirs = self.ours.marks[node] < 0, self.theirs.marks[place] < 0
            name = "antonym_same_polarity" if ours == theirs else "antonym_text_neg" if theirs else "antonym_hyp_neg"
            self.found.fire(name, f"{self.name(node)} and {self.text_name(place)} are opposites")

    def modality(self) -> None:
        if self.claim is None:
            return
        ours = modality(self.hypothesis, self.claim[0], self.ours, self.markers)
        theirs = modality(self.text, self.claim[1], self.theirs, self.markers)
        self.found.fire(f"modal_{modal_answer(theirs, ours)}", f"the text says it is {theirs}, the hypothesis {ours}")

    def factivity(self) -> None:
        if self.claim is None:
            return
        edge = next((e for e in self.text.parents[self.claim[1]] if e.label.partition(":")[0] in _EMBEDDING), None)
        if edge is None:
            return
        if edge.label.startswith(("acl:relcl", "advcl")) and self.text.nodes[edge.governor].pos not in ("ADJ", "VERB"):
            return
        if any(place == edge.governor for _, place in self.alignment.links):
            return  # the hypothesis speaks of the embedding verb as well
        verb = self.text.nodes[edge.governor]
        lemma = verb.lemma.lower()
        names = [f"{lemma} {'to' if edge.label.startswith('xcomp') else 'that'}", lemma]
        signature = next((self.markers.signatures[name] for name in names if name in self.markers.signatures), None)
        denied = self.theirs.marks[edge.governor] < 0
        if signature is None:
            if edge.label.partition(":")[0] in ("ccomp", "xcomp"):
                kind = "negative" if denied else "affirmative"
                self.found.fire(f"embedded_unlisted_{kind}", f"it stands below '{verb.word}'")
            return
        outcome = signature[2] if denied else signature[0]
        name = {"+": "text_is_factive", "-": "text_is_contrafactive", "o": "text_is_nonfactive"}[outcome]
        says = {"+": "makes it true", "-": "makes it false", "o": "leaves it open"}[outcome]
        self.found.fire(name, f"'{verb.word}'{', denied,' if denied else ''} {says}")

    def quantifiers(self) -> None:
        for node, place in self._links():
            ours = quantifier(self.hypothesis, node, self.markers)
            theirs = quantifier(self.text, place, self.markers)
            if ours is None or theirs is None or ours == theirs:
                continue
            if self._outer(self.ours, node) < 0 and self._outer(self.theirs, place) < 0:
                exchanged = {"no": "all", "all": "no"}
                ours, theirs = exchanged.get(ours, ours), exchanged.get(theirs, theirs)
            said = f"{theirs} {self.text_name(place)} became {ours} {self.name(node)}"
            if "no" in (ours, theirs):
                self.found.fire("quant_no_mismatch", said)
            else:
                wider = _CATEGORIES.index(ours) > _CATEGORIES.index(theirs)
                self.found.fire("quant_widening" if wider else "quant_narrowing", said)

    @staticmethod
    def _outer(marked: MonotonicityMarks, node: int) -> int:
        """The mark of a noun without what its own determiner does."""
        product = 1
        for scope in marked.over(node):
            if scope.part != "restrictor":
                product *= scope.effect
        return product

    def numbers(self, *, intervals: bool) -> None:
        for node, place in self._links():
            pair = [
                quantity_of(g.nodes[at].lemma, g.nodes[at].pos)
                for g, at in ((self.hypothesis, node), (self.text, place))
            ]
            ours, theirs = pair
            if ours is None or theirs is None or "date" in (ours.kind, theirs.kind):
                continue
            if intervals:
                wide = [self._interval(self.hypothesis, node, ours), self._interval(self.text, place, theirs)]
                match = wide[1].inside(wide[0])
            else:
                match = ours.value == theirs.value
            said = f"{self.text_name(place)} {'is' if match else 'is not'} {self.name(node)}"
            self.found.fire("num_match" if match else "num_mismatch", said)

    def _interval(self, graph: DependencyGraph, node: int, quantity: Quantity) -> Interval:
        """The numbers that a quantity with its modifiers covers."""
        near = [graph.nodes[edge.dependent] for edge in graph.children[node]]
        words = {each.word.lower() for each in near} | {f"{each.marker} {each.word.lower()}" for each in near}
        words |= {graph.nodes[node].marker}
        value = quantity.value
        if self.markers.has("numbers", "at_least", *words):
            return Interval(value, math.inf)
        if self.markers.has("numbers", "at_most", *words):
            return Interval(-math.inf, value)
        if self.markers.has("numbers", "about", *words):
            return Interval(0.9 * value, 1.1 * value)
        return Interval(value, value)

    def dates(self) -> None:
        used = set()
        for node in range(len(self.hypothesis)):
            ours = quantity_of(self.hypothesis.nodes[node].lemma, self.hypothesis.nodes[node].pos)
            if ours is None or ours.kind != "date":
                continue
            place = self.alignment.place(node)
            other = self.text.nodes[place] if place is not None else None
            theirs = quantity_of(other.lemma, other.pos) if other is not None else None
            if place is None or theirs is None or theirs.kind != "date":
                self.found.fire("date_insert", f"{self.name(node)} is only in the hypothesis")
                continue
            used.add(place)
            match = ours.date.agrees(theirs.date)
            said = f"{self.text_name(place)} {'agrees with' if match else 'is not'} {self.name(node)}"
            self.found.fire("date_match" if match else "date_mismatch", said)
            own = self._date_modifiers(self.hypothesis, node) - self._date_modifiers(self.text, place)
            if own:
                self.found.fire("date_modifier_insert", f"'{min(own)}' is added to {self.name(node)}")
        if self.place is None:
            return
        sentence = self.text.nodes[self.place].sentence
        for word in self.text:
            date = quantity_of(word.lemma, word.pos)
            if word.sentence == sentence and date is not None and date.kind == "date" and word.index not in used:
                self.found.fire("date_deleted", f"'{word.word}' of the text is not in the hypothesis")

    def _date_modifiers(self, graph: DependencyGraph, node: int) -> set[str]:
        words = {graph.nodes[edge.dependent].lemma.lower() for edge in graph.children[node]}
        words.add(graph.nodes[node].marker)
        return words & self.markers.lists["numbers"]["date_modifiers"]

    def structure(self) -> None:
        if self.place is None:
            return
        moved = 0
        for edge in self.hypothesis.children[self.root]:
            if not edge.label.startswith((*_SUBJECTS, *_OBJECTS)):
                continue
            place = self.alignment.place(edge.dependent)
            if place is None:
                moved += 1
                continue
            ours = argument_role(edge.label)
            theirs = {argument_role(label) for label in self.text.labels_between.get((self.place, place), ())}
            if ours in theirs:
                continue
            if theirs & {"subject", "object"}:
                whose = f"the {ours} of {self.name(self.root)}, in the text its {min(theirs)}"
                self.found.fire("argument_swapped", f"{self.name(edge.dependent)} is {whose}")
            else:
                moved += 1
                said = f"{self.name(edge.dependent)} does not belong to {self.text_name(self.place)}"
                self.found.fire("argument_moved", said)
        relation = self.alignment.relation(self.root)
        if relation.similarity >= 0.9 and not moved and not self.found.values["argument_swapped"]:
            said = f"{self.name(self.root)} and its arguments are those of {self.text_name(self.place)}"
            self.found.fire("main_predicate_match", said)

    def quality(self, references: ScoreReferences) -> None:
        mean = self.alignment.mean
        self.found.fire("score", "mean score of the alignment", mean)
        self.found.fire("goodscore", "nearness to a good score", _sigmoid((mean - references.good) / references.width))
        self.found.fire("badscore", "nearness to a bad score", _sigmoid((references.bad - mean) / references.width))

    def support(self) -> None:
        """Words of the hypothesis that nothing in the text stands for, and edges that it does not keep."""
        content = [node for node in range(len(self.hypothesis)) if is_content(self.hypothesis, node)]
        if not content:
            return
        self._alone("unsupported", content, [n for n in content if self.alignment.relation(n).similarity < 0.5])
        best = {node: max((each.similarity for each in self.alignment.words[node]), default=0.0) for node in content}
        for name, kind in (("unsupported_verb", "VERB"), ("unsupported_name", "PROPN")):
            some = [node for node in content if self.hypothesis.nodes[node].pos == kind]
            self._alone(name, some, [node for node in some if best[node] < 0.5])
        nodes = self.hypothesis.nodes
        counted = [node for node in content if quantity_of(nodes[node].lemma, nodes[node].pos) is not None]
        self._alone("unsupported_number", counted, [node for node in counted if best[node] < 0.9])
        weakest = min(content, key=lambda node: best[node])
        if best[weakest] < 1:
            self.found.fire("weakest", f"{self.name(weakest)} is the word with the least support", 1 - best[weakest])
        loose = [edge for edge in self.hypothesis.edges if not self._kept(edge.governor, edge.dependent)]
        if loose:
            said = f"{self.name(loose[0].dependent)} does not hang on {self.name(loose[0].governor)} in the text"
            self.found.fire("loose_edges", said, len(loose) / len(self.hypothesis.edges))

    def _alone(self, name: str, some: list[int], alone: list[int]) -> None:
        if alone:
            words = ", ".join(map(self.name, alone[:3]))
            self.found.fire(name, f"nothing in the text stands for {words}", len(alone) / len(some))

    def _kept(self, governor: int, dependent: int) -> bool:
        """Whether the text has an edge, or one node, for an edge of the hypothesis."""
        first, second = self.alignment.place(governor), self.alignment.place(dependent)
        if first is None or second is None:
            return False
        return first == second or bool(self.text.labels_between.get((first, second)))


def argument_role(label: str) -> str:
    """Subject, object, or the label: of a passive, its subject is the object and its agent the subject."""
    if label in ("nsubj:pass", "nsubjpass", "csubj:pass"):
        return "object"
    if label in ("obl:by", "obl:agent", "nmod:by"):
        return "subject"
    base = label.partition(":")[0]
    return "subject" if base in _SUBJECTS else "object" if base in _OBJECTS else label


def _sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-max(-500.0, min(500.0, value))))
