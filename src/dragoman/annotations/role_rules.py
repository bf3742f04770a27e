"""Semantic roles by rule, for languages and texts without a trained labeller.

Predicates are verbs that are no auxiliaries; grammatical functions of Universal Dependencies become the roles they
mostly stand for: subjects act, objects undergo, oblique phrases say where, when, how and why by preposition. A subject
that is not said is taken from the governor: its object if it has one, else its subject. The subject of a passive, and
of a verb that happens to somebody (`fall`, `rise`), undergoes. Core roles come out mostly right, the others often not.

Labels are those of PropBank in the short form (`A0`, `AM-TMP`); labels of the first version of Universal Dependencies
(`dobj`, `nsubjpass`, `nmod`) are understood too.
"""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.annotations.annotator import Annotator
from dragoman.annotations.layers import Argument, Frame
from dragoman.annotations.modals import MODALS
from dragoman.annotations.sentence import Sentence

__all__ = ["RoleRules", "label_roles", "spans_of"]

_UNACCUSATIVE = frozenset(
    [
        "appear",
        "arise",
        "arrive",
        "collapse",
        "decline",
        "decrease",
        "die",
        "diminish",
        "disappear",
        "drop",
        "emerge",
        "exist",
        "fall",
        "go",
        "grow",
        "happen",
        "increase",
        "occur",
        "remain",
        "rise",
        "sink",
        "vanish",
    ]
)
_MOTION = frozenset(
    [
        "arrive",
        "bring",
        "carry",
        "climb",
        "come",
        "drive",
        "drop",
        "enter",
        "fall",
        "fly",
        "follow",
        "go",
        "head",
        "lead",
        "leave",
        "move",
        "pull",
        "push",
        "return",
        "ride",
        "run",
        "send",
        "step",
        "swim",
        "take",
        "throw",
        "travel",
        "turn",
        "walk",
    ]
)
_TIMES = frozenset(
    [
        "afternoon",
        "century",
        "christmas",
        "day",
        "decade",
        "evening",
        "friday",
        "hour",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "midnight",
        "minute",
        "moment",
        "monday",
        "month",
        "morning",
        "night",
        "noon",
        "saturday",
        "second",
        "sunday",
        "thursday",
        "time",
        "today",
        "tomorrow",
        "tuesday",
        "wednesday",
        "week",
        "weekend",
        "while",
        "winter",
        "summer",
        "spring",
        "autumn",
        "year",
        "yesterday",
    ]
)
_TIME_WORDS = _TIMES | frozenset(
    [
        "again",
        "already",
        "always",
        "before",
        "earlier",
        "ever",
        "finally",
        "later",
        "never",
        "now",
        "often",
        "once",
        "recently",
        "sometimes",
        "soon",
        "still",
        "then",
        "usually",
        "when",
        "whenever",
        "yet",
    ]
)
_PLACE_WORDS = frozenset(
    ["abroad", "anywhere", "everywhere", "here", "home", "nearby", "outside", "somewhere", "there", "upstairs", "where"]
)
_PLACES = frozenset(
    [
        "above",
        "across",
        "around",
        "at",
        "behind",
        "below",
        "beside",
        "between",
        "by",
        "in",
        "inside",
        "near",
        "on",
        "outside",
        "over",
        "under",
    ]
)
_DIRECTIONS = frozenset(["from", "into", "onto", "off", "out", "through", "to", "toward", "towards", "up", "down"])
_MANNER_PREPOSITIONS = frozenset(["by", "like", "with", "without"])
_NEGATIONS = frozenset(["kein", "keine", "ne", "never", "nicht", "no", "non", "not", "n't", "pas"])
_CAUSES = frozenset(["as", "because", "parce", "puisque", "since", "weil"])


class RoleRules(Annotator):
    """Predicates and roles by rules over universal tags and dependencies."""

    name = "role-rules"
    needs = ("pos", "dependencies")
    gives = ("frames",)
    identity = "role-rules:1"

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        return cls()

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        return [sentence.with_layers(frames=label_roles(sentence)) for sentence in sentences]


def label_roles(sentence: Sentence) -> tuple[Frame, ...]:
    """The frames of one sentence."""
    tree = _Tree(sentence)
    return tuple(
        _frame(tree, token)
        for token in range(len(sentence))
        if tree.pos[token] == "VERB" and tree.label(token) not in ("aux", "auxpass", "cop")
    )


class _Tree:
    """The sentence with what the rules ask about it."""

    def __init__(self, sentence: Sentence) -> None:
        self.words = [word.lower() for word in sentence.words]
        self.lemmas = sentence.layers.lemmas or tuple(self.words)
        self.pos = sentence.pos
        self.heads = sentence.dependencies.heads
        self.labels = sentence.dependencies.labels
        self.tags = sentence.layers.tags or ("",) * len(sentence)
        self.children: list[list[int]] = [[] for _ in self.heads]
        for token, head in enumerate(self.heads):
            if head >= 0:
                self.children[head].append(token)

    def label(self, token: int) -> str:
        return self.labels[token].partition(":")[0]

    def found(self, token: int, *labels: str) -> int:
        """The first dependent with one of these labels, -1 if there is none."""
        return next((child for child in self.children[token] if self.label(child) in labels), -1)

    def passive(self, verb: int) -> bool:
        return any(
            self.labels[child] in ("nsubj:pass", "aux:pass", "csubj:pass", "nsubjpass", "auxpass")
            for child in self.children[verb]
        )

    def below(self, token: int, *, without: Sequence[int] = ()) -> list[int]:
        found, agenda = [], [token]
        while agenda:
            node = agenda.pop()
            found.append(node)
            agenda += [child for child in self.children[node] if child not in without]
        return sorted(found)


def _frame(tree: _Tree, verb: int) -> Frame:
    roles: list[tuple[str, int]] = []
    for child in tree.children[verb]:
        role = _role(tree, verb, child)
        if role:
            roles.append((role, child))
    if not any(role in ("A0", "A1") and tree.label(token) in _SUBJECTS for role, token in roles):
        subject = _shared_subject(tree, verb)
        if subject >= 0 and all(token != subject for _, token in roles):
            role = _subject_role(tree, verb)
            if all(role != other for other, _ in roles):
                roles.append((role, subject))
    arguments = []
    for role, token in roles:
        outside = [verb] if verb in tree.below(token) else []
        arguments += spans_of(role, tree.below(token, without=outside))
    arguments.sort(key=lambda argument: (argument.start, argument.end))
    particles = tuple((child, child + 1) for child in tree.children[verb] if tree.labels[child] == "compound:prt")
    spans = ((verb, verb + 1), *particles) if particles else ()
    return Frame(verb, tree.lemmas[verb], tuple(arguments), spans)


_SUBJECTS = ("nsubj", "csubj", "nsubjpass", "csubjpass")


def _subject_role(tree: _Tree, verb: int) -> str:
    return "A1" if tree.passive(verb) or tree.lemmas[verb] in _UNACCUSATIVE else "A0"


def _role(tree: _Tree, verb: int, child: int) -> str:
    label = tree.label(child)
    if label in _SUBJECTS:
        return _subject_role(tree, verb)
    match label:
        case "obj" | "dobj":
            return "A1"
        case "iobj":
            return "A2"
        case "ccomp" | "xcomp":
            return "A1" if tree.found(verb, "obj", "dobj") < 0 else "A2"
        case "obl" | "nmod":
            return _oblique(tree, verb, child)
        case "advmod":
            return _adverb(tree, child)
        case "neg":
            return "AM-NEG"
        case "advcl":
            mark = tree.found(child, "mark")
            if mark >= 0 and tree.words[mark] in _CAUSES:
                return "AM-CAU"
            return "AM-TMP" if any(tree.words[at] in _TIME_WORDS for at in tree.children[child]) else "AM-ADV"
        case "aux":
            return "AM-MOD" if tree.tags[child] == "MD" or tree.lemmas[child] in (*MODALS, "will") else ""
    return ""


def _oblique(tree: _Tree, verb: int, child: int) -> str:
    case = tree.found(child, "case")
    preposition = tree.words[case] if case >= 0 else ""
    if tree.labels[child] in ("obl:agent", "nmod:agent") or (preposition == "by" and tree.passive(verb)):
        return "A0"
    if tree.labels[child] in ("obl:tmod", "nmod:tmod", "obl:npmod") or tree.lemmas[child].lower() in _TIMES:
        return "AM-TMP"
    if preposition == "to" and tree.lemmas[verb] not in _MOTION:
        return "A2"
    if preposition in _DIRECTIONS:
        return "AM-DIR" if tree.lemmas[verb] in _MOTION else "A2"
    if preposition == "because":
        return "AM-CAU"
    if preposition == "for":
        return "AM-PNC"
    if preposition in _PLACES:
        return "AM-LOC"
    return "AM-MNR" if preposition in _MANNER_PREPOSITIONS else "A2"


def _adverb(tree: _Tree, child: int) -> str:
    word = tree.words[child]
    if word in _NEGATIONS:
        return "AM-NEG"
    if word in _TIME_WORDS:
        return "AM-TMP"
    if word in _PLACE_WORDS:
        return "AM-LOC"
    return "AM-MNR" if word.endswith("ly") else "AM-ADV"


def _shared_subject(tree: _Tree, verb: int) -> int:
    """The subject that an infinitive, a participle or a conjunct takes from its governor."""
    governor, label = tree.heads[verb], tree.label(verb)
    if governor < 0:
        return -1
    if label in ("xcomp", "advcl"):
        shared = tree.found(governor, "obj", "dobj") if label == "xcomp" or tree.found(verb, "mark") < 0 else -1
        return shared if shared >= 0 else tree.found(governor, *_SUBJECTS)
    if label == "conj":
        return tree.found(governor, *_SUBJECTS)
    if label == "acl":
        return governor
    return -1


def spans_of(role: str, tokens: Sequence[int]) -> list[Argument]:
    """Tokens of one argument as spans: the first has the role, what is torn from it continues it (`C-`).

    >>> [(each.role, each.start, each.end) for each in spans_of("A1", [0, 1, 4])]
    [('A1', 0, 2), ('C-A1', 4, 5)]
    """
    stretches: list[list[int]] = []
    for token in tokens:
        if stretches and stretches[-1][-1] == token - 1:
            stretches[-1].append(token)
        else:
            stretches.append([token])
    return [
        Argument(role if not at else f"C-{role}", stretch[0], stretch[-1] + 1) for at, stretch in enumerate(stretches)
    ]
