"""Phrases as labelled spans of words, read off what says where they are: constituents, dependencies, or chunks.

Those who ask where a noun phrase begins and ends need no tree, and not every language has a constituent treebank. The
subtree of a word is a phrase, too: it is called after the category of its head, in the labels of the Penn Treebank, so
that one specification fits all. A preposition that hangs on its noun (as Universal Dependencies have it) makes a PP,
and what it governs is an NP within; a clause with a conjunction before it is an SBAR around an S; the words of a clause
behind its subject are a VP. Words of the lexicon's small change (articles, conjunctions, marks) are no phrases, and a
subtree with a gap in it is none either.

    >>> from dragoman.annotations import Sentence
    >>> parsed = Sentence.of(["a", "dog", "barks", "at", "night"], pos=["DET", "NOUN", "VERB", "ADP", "NOUN"],
    ...                      dependencies=([1, 2, -1, 4, 2], ["det", "nsubj", "root", "case", "obl"]))
    >>> phrase_spans(parsed)
    (('S', 0, 5), ('NP', 0, 2), ('VP', 2, 5), ('PP', 3, 5), ('NP', 4, 5))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dragoman.annotations.brackets import clean_label
from dragoman.annotations.layers import Dependencies
from dragoman.annotations.sentence import Sentence

__all__ = ["SPAN_LAYERS", "PhraseSpan", "phrase_spans"]

PhraseSpan = tuple[str, int, int]
"""Label, start and end of a phrase."""

SPAN_LAYERS = ("constituents", "dependencies", "chunks")
"""Layers that phrases can be read off, the best first."""

_OUTER = frozenset({"", "ROOT", "TOP", "VROOT"})
_PHRASES = {
    **dict.fromkeys(("NOUN", "PROPN", "PRON"), "NP"),
    **dict.fromkeys(("VERB", "AUX"), "VP"),
    "ADJ": "ADJP",
    "ADV": "ADVP",
    "NUM": "QP",
}
_SUBJECTS = ("nsubj", "csubj", "expl")
_PREPOSITIONS = ("ADP",)
_COORDINATION = ("conj", "cc")


def phrase_spans(sentence: Sentence, layer: str = "") -> tuple[PhraseSpan, ...]:
    """The phrases of a sentence, longest first from the left; from the best layer that it has unless one is named.

    Empty if it has none of them. Labels are plain ones, without functions; the tree's outermost bracket is left out.
    """
    names = (layer,) if layer else SPAN_LAYERS
    found: list[PhraseSpan] = []
    for name in names:
        if not sentence.has(name):
            continue
        if name == "constituents":
            found = [(clean_label(label), start, end) for label, start, end in sentence.constituents.spans()]
        elif name == "chunks":
            found = [(chunk.label, chunk.start, chunk.end) for chunk in sentence.chunks]
        elif sentence.has("pos"):
            found = list(_subtrees(sentence.dependencies, sentence.pos))
        break
    kept = dict.fromkeys(each for each in found if each[0] not in _OUTER)
    return tuple(sorted(kept, key=lambda each: (each[1], -each[2])))


def _subtrees(tree: Dependencies, pos: Sequence[str]) -> Iterator[PhraseSpan]:
    yields = _yields(tree)
    below: list[list[int]] = [[] for _ in tree.heads]
    for child, head in enumerate(tree.heads):
        if head >= 0:
            below[head].append(child)
    labels = [label.partition(":")[0] for label in tree.labels]
    for head, covered in enumerate(yields):
        if len(covered) != covered[-1] - covered[0] + 1 or pos[head] not in _PHRASES:
            continue
        start, end = covered[0], covered[-1] + 1
        if tree.heads[head] >= 0:  # a comma at its edge belongs to the sentence
            while pos[start] == "PUNCT" and start < head:
                start += 1
            while pos[end - 1] == "PUNCT" and end - 1 > head:
                end -= 1
        children = below[head]
        start = max([start, *(child + 1 for child in children if child < head and labels[child] == "cc")])
        for whole_end in dict.fromkeys((end, _first_conjunct(children, labels, yields, head, end))):
            yield from _around(head, start, whole_end, children, labels, yields, pos)


def _yields(tree: Dependencies) -> list[list[int]]:
    """The positions below each word and its own, in order."""
    yields: list[list[int]] = [[] for _ in tree.heads]
    for word in range(len(tree.heads)):
        above = word
        while above >= 0:
            yields[above].append(word)
            above = tree.heads[above]
    return yields


def _first_conjunct(
    children: Sequence[int], labels: Sequence[str], yields: Sequence[Sequence[int]], head: int, end: int
) -> int:
    """Where the first of several coordinated phrases ends: before the first conjunct, or conjunction, behind it."""
    more = [yields[child][0] for child in children if child > head and labels[child] in _COORDINATION]
    return max(head + 1, min([end, *more]))


def _around(
    head: int,
    start: int,
    end: int,
    children: Sequence[int],
    labels: Sequence[str],
    yields: Sequence[Sequence[int]],
    pos: Sequence[str],
) -> Iterator[PhraseSpan]:
    """The phrases that a head makes of its words, from the outermost inwards."""
    inside = [child for child in children if start <= child < end]
    cases = [child for child in inside if labels[child] == "case" and pos[child] in _PREPOSITIONS]
    if cases:
        yield "PP", start, end
        before = [yields[case][-1] + 1 for case in cases if case < head]
        behind = [yields[case][0] for case in cases if case > head]
        start, end = max([start, *before]), min([end, *behind])
    category = _PHRASES[pos[head]]
    subjects = [child for child in inside if labels[child] in _SUBJECTS]
    if not subjects and category != "VP":
        yield category, start, end
        return
    marks = [yields[child][-1] + 1 for child in inside if labels[child] == "mark" and child < head]
    if marks:
        yield "SBAR", start, end
        start = max(start, *marks)
    if subjects or labels[head] == "root":
        yield "S", start, end
        start = max([start, *(yields[child][-1] + 1 for child in subjects if child < head)])
        if end == len(pos) and pos[end - 1] == "PUNCT" and end - 1 > head:
            end -= 1
    if start <= head < end:
        yield "VP", start, end
