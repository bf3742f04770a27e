"""Labels of spans: what the syntax of a sentence calls each stretch of its words, for rules with labelled nonterminals.

A sentence may be seen as several trees: its tags alone (`pos`), with its chunks (`chunk`), with semantic roles whose
labels name the predicate (`srl`) or not (`srl-nonlex`), its constituents, its dependency subtrees as phrases, or nodes
that came with it. Trees are relaxed, as few spans are phrases (`shallow_trees.relaxed`). Training text and what is
translated must be seen in the same way. (Zollmann and Venugopal 2006; Aziz, Rios and Specia 2011.)

    >>> from dragoman.annotations import Sentence, Span
    >>> given = Sentence.of(["the", "dog", "barks"], tags=["DT", "NN", "VBZ"],
    ...     chunks=[Span("NP", 0, 2), Span("VP", 2, 3)])
    >>> span_labels(given, "chunk")[:3]
    (('S', 0, 3), ('NP', 0, 2), ('VP', 2, 3))
    >>> [label for label, start, end in span_labels(given, "chunk") if (start, end) == (1, 3)]
    ['NN++VP']
"""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.annotations.layers import Constituent
from dragoman.annotations.phrase_spans import PhraseSpan, phrase_spans
from dragoman.annotations.sentence import Sentence
from dragoman.annotations.shallow_trees import relaxed_nodes, shallow_tree, tree_nodes

__all__ = ["TREES", "has_tree", "layers_of", "rule_label", "span_labels"]

TREES = ("pos", "chunk", "srl", "srl-nonlex", "constituents", "dependencies", "nodes")
"""What a sentence may be seen as."""

_ROLES = {"chunk": "none", "srl": "lexicalised", "srl-nonlex": "labels"}
_NEEDS = {
    "pos": ("tags",),
    "chunk": ("tags", "chunks"),
    "srl": ("tags", "chunks", "frames"),
    "srl-nonlex": ("tags", "chunks", "frames"),
    "constituents": ("constituents",),
    "dependencies": ("dependencies", "pos"),
    "nodes": ("nodes",),
}
_SPELLINGS = str.maketrans(
    {
        "[": "-LSB-",
        "]": "-RSB-",
        "|": "-BAR-",
        "<": "-LT-",
        ">": "-GT-",
        "&": "-AMP-",
        "~": "-TILDE-",
        **dict.fromkeys(" \t\n\r\u00a0\u3000", "_"),
    }
)
_USUAL = "X"


def layers_of(tree: str) -> tuple[str, ...]:
    """The layers that a sentence needs to be seen as such a tree."""
    return _NEEDS[tree]


def has_tree(sentence: Sentence, tree: str) -> bool:
    """Whether it has these layers; for tags alone, those of any treebank will do."""
    return all(sentence.has(layer) or (tree == "pos" and sentence.has("pos")) for layer in _NEEDS[tree])


def span_labels(
    sentence: Sentence,
    tree: str = "chunk",
    *,
    relax: int = 2,
    label_pick: str = "outermost",
    binarize: str = "none",
    longest: int = 0,
) -> tuple[PhraseSpan, ...]:
    """Labels with their spans, those of the same span from outside inwards; empty if a layer is missing.

    Nodes that came with the sentence are given as they are, all others relaxed to a level; labels that relaxing adds
    to spans without any are given for up to `longest` words, 0 for any number.
    """
    if not len(sentence) or not has_tree(sentence, tree):
        return ()
    if tree == "nodes":
        return tuple((node.label, node.start, node.end) for node in sentence.nodes)
    nodes = _nodes(sentence, tree)
    added = relaxed_nodes(
        nodes,
        len(sentence),
        level=relax,
        label=label_pick,
        binarize="" if binarize == "none" else binarize,
        longest=longest,
    )
    return (*nodes, *added)


def _nodes(sentence: Sentence, tree: str) -> Sequence[PhraseSpan]:
    tags = sentence.tags if sentence.has("tags") else sentence.pos if sentence.has("pos") else ["_"] * len(sentence)
    if tree == "dependencies":
        return (*phrase_spans(sentence, "dependencies"), *((tag, at, at + 1) for at, tag in enumerate(tags)))
    if tree == "pos":
        return tree_nodes(Constituent("S", tuple(range(len(sentence)))), tags)
    found = sentence.constituents if tree == "constituents" else shallow_tree(sentence, roles=_ROLES[tree])
    return tree_nodes(found, tags)


def rule_label(label: str) -> str:
    """The label as nonterminals of rules have it: without letters that text formats of rules need for themselves.

    >>> rule_label("-[-"), rule_label("X"), rule_label("NP:A1:give")
    ('--LSB--', '-X-', 'NP:A1:give')
    """
    return "-X-" if label == _USUAL else label.translate(_SPELLINGS)
