"""Modality: whether a sentence says that something is, may be or must be, or denies one of these.

What is necessary is actual, what is actual is possible; what is not possible is not actual, what is not actual is not
necessary. The table of judgements follows from that; MacCartney et al. (2006) give two of its cells. It is symmetric
under exchanging possible with not necessary, actual with not actual, and necessary with not possible.
"""

from __future__ import annotations

from dragoman.annotations.graphs import DependencyGraph
from dragoman.entailment.marker_lists import Markers
from dragoman.entailment.monotonicity import MonotonicityMarks

__all__ = ["DUALS", "MODALITIES", "MODAL_ANSWERS", "modal_answer", "modality"]

MODALITIES = ("possible", "not possible", "actual", "not actual", "necessary", "not necessary")
DUALS = {
    "possible": "not necessary", "not necessary": "possible", "actual": "not actual", "not actual": "actual",
    "necessary": "not possible", "not possible": "necessary",
}  # fmt: skip
_TABLE = {
    "possible": ("yes", "no", "dont_know", "dont_know", "weak_no", "weak_yes"),
    "not possible": ("no", "yes", "no", "yes", "no", "yes"),
    "actual": ("yes", "no", "yes", "no", "dont_know", "dont_know"),
    "not actual": ("dont_know", "dont_know", "no", "yes", "no", "yes"),
    "necessary": ("yes", "no", "yes", "no", "yes", "no"),
    "not necessary": ("weak_yes", "weak_no", "dont_know", "dont_know", "no", "yes"),
}
MODAL_ANSWERS = ("yes", "weak_yes", "dont_know", "weak_no", "no")
_BELOW = ("aux", "advmod", "cop")
_UP = ("xcomp", "ccomp", "csubj", "acl", "advcl")


def modal_answer(text: str, hypothesis: str) -> str:
    """What the modality of a text says about that of a hypothesis.

    >>> modal_answer("possible", "necessary"), modal_answer("not possible", "not actual")
    ('weak_no', 'yes')
    """
    return _TABLE[text][MODALITIES.index(hypothesis)]


def modality(graph: DependencyGraph, node: int, marked: MonotonicityMarks, markers: Markers) -> str:
    """The modality of what a node says, by the words on it and on the verbs that govern it."""
    seen: set[int] = set()
    at: int | None = node
    while at is not None and at not in seen:
        seen.add(at)
        words = [at, *(e.dependent for e in graph.children[at] if e.label.partition(":")[0] in _BELOW)]
        for word in words:
            found = _own(graph, word, at, markers)
            if found is not None:
                return _denied(found) if marked.marks[word] < 0 else found
        up = next((edge for edge in graph.parents[at] if edge.label.partition(":")[0] in _UP), None)
        at = up.governor if up is not None else None
    return "not actual" if marked.marks[node] < 0 else "actual"


def _own(graph: DependencyGraph, word: int, head: int, markers: Markers) -> str | None:
    found = graph.nodes[word]
    names = {found.lemma.lower(), found.word.lower()}
    if found.lemma.lower() in ("have", "need") and graph.child(word, "xcomp") is not None:
        names.add(f"{found.lemma.lower()} to")
    for name in ("not_possible", "not_necessary", "possible", "necessary"):
        if markers.has("modality", name, *names) and (word != head or found.pos != "NOUN"):
            return name.replace("_", " ")
    return None


def _denied(name: str) -> str:
    return name.removeprefix("not ") if name.startswith("not ") else f"not {name}"
