"""Constituent trees by way of dependency trees: every phrase hangs on its head word, so one parser serves both.

In a headed tree each phrase that is not the head of its parent attaches to a word. The label of that arc says at which
phrase of the word's spine, counted from below, it attaches: `VP 0`, `S 1`. Parsing constituents is then dependency
parsing with such labels, and the tree follows from the answer (Fernández-González and Martins 2015). Phrases over one
phrase are written as one label, `S+VP`; phrases over one word are labels of words, given by a tagger.

    >>> from dragoman.annotations import brackets
    >>> sentence = brackets.parse_tree("(S (NP (DT The) (NN dog)) (VP (VBZ barks)))")
    >>> encode(sentence.constituents, sentence.tags)
    HeadTree(heads=(1, 2, -1), labels=('NP 0', 'S 0', 'root'), chains=('_', '_', 'VP'))
    >>> decode(encode(sentence.constituents, sentence.tags)) == sentence.constituents
    True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.annotations.layers import Constituent, Dependencies, Trace
from dragoman.annotations.learners import SequenceTagger, TreeParser
from dragoman.annotations.model import ModelAnnotator
from dragoman.annotations.projection import uncrossed
from dragoman.annotations.sentence import Sentence
from dragoman.errors import InputError
from dragoman.progress import ProgressCallback

__all__ = ["ConstituentParser", "HeadTree", "decode", "encode"]

_ROOT, _NONE = "root", "_"

_HEADS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "S": ("left", ("VP", "S", "SBAR", "ADJP", "UCP", "NP")),
    "SINV": ("left", ("VBZ", "VBD", "VBP", "VB", "MD", "VP", "S", "SINV", "ADJP", "NP")),
    "SQ": ("left", ("VBZ", "VBD", "VBP", "VB", "MD", "VP", "SQ")),
    "SBAR": ("left", ("S", "SQ", "SINV", "SBAR", "FRAG", "WHNP", "WHPP", "WHADVP", "IN", "DT")),
    "SBARQ": ("left", ("SQ", "S", "SINV", "SBARQ", "FRAG")),
    "VP": ("left", ("VP", "VBD", "VBN", "MD", "VBZ", "VB", "VBG", "VBP", "TO", "AUX", "ADJP", "NN", "NNS", "NP")),
    "PP": ("left", ("IN", "TO", "VBG", "VBN", "RP", "FW", "PP")),
    "WHPP": ("left", ("IN", "TO", "FW")),
    "ADJP": ("right", ("JJ", "VBN", "VBG", "ADJP", "JJR", "JJS", "NN", "RB")),
    "ADVP": ("right", ("RB", "RBR", "RBS", "FW", "ADVP", "IN", "JJ")),
    "QP": ("right", ("CD", "NN", "NNS", "JJ", "QP")),
    "PRT": ("left", ("RP",)),
}  # fmt: skip
"""Where the head of a phrase is looked for: from which side, and what first (after Collins 1999)."""
_NOMINAL = ("right", ("NN", "NNP", "NNS", "NNPS", "NX", "NP", "NML", "PRP", "CD", "JJ", "WHNP"))


@dataclass(frozen=True, slots=True)
class HeadTree:
    """A constituent tree as heads and labels of words, and the phrases over single words."""

    heads: tuple[int, ...]
    labels: tuple[str, ...]
    chains: tuple[str, ...]


def encode(tree: Constituent, tags: Sequence[str]) -> HeadTree:
    """The tree as a dependency tree. Traces are left out."""
    size = len(tags)
    heads, labels, chains = [-1] * size, [_ROOT] * size, [_NONE] * size
    levels = [0] * size

    def visit(node: Constituent | int, chain: tuple[str, ...] = ()) -> tuple[int, str]:
        """The head word of a node, and its topmost label."""
        if isinstance(node, int):
            if chain:
                chains[node] = "+".join(chain)
            return node, chain[0] if chain else tags[node]
        children = [child for child in node.children if not isinstance(child, Trace) and not _hollow(child)]
        chain = (*chain, node.label)
        if len(children) == 1:
            return visit(children[0], chain)
        found = [visit(child) for child in children]
        top = found[_head_child(node.label, [label for _, label in found])][0]
        level = levels[top]
        for word, _ in found:
            if word != top:
                heads[word], labels[word] = top, f"{'+'.join(chain)} {level}"
        levels[top] += 1
        return top, chain[0]

    visit(tree)
    return HeadTree(tuple(heads), tuple(labels), tuple(chains))


def decode(tree: HeadTree) -> Constituent:
    """The constituent tree of a dependency tree; whatever the labels say, the result is a tree over all words."""
    heads = uncrossed(tree.heads)
    below: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head >= 0:
            below[head].append(word)

    built: dict[int, Constituent | int] = {}
    depths = Dependencies(heads, tree.labels).depths()
    for word in sorted(range(len(heads)), key=lambda at: -depths[at]):
        node = _chained(tree.chains[word], word)
        layers: dict[int, list[int]] = {}
        names: dict[int, str] = {}
        for side in ([w for w in reversed(below[word]) if w < word], [w for w in below[word] if w > word]):
            floor = 0
            for child in side:  # from the head outwards, phrases only grow
                name, _, counted = tree.labels[child].rpartition(" ")
                floor = max(floor, int(counted) if counted.isdecimal() else 0)
                layers.setdefault(floor, []).append(child)
                names.setdefault(floor, name or "X")
        for level in sorted(layers):
            left = [built[child] for child in sorted(layers[level]) if child < word]
            right = [built[child] for child in sorted(layers[level]) if child > word]
            *outer, inner = names[level].split("+")
            node = Constituent(inner, (*left, node, *right))
            for label in reversed(outer):
                node = Constituent(label, (node,))
        built[word] = node
    top = built[heads.index(-1)]
    return top if isinstance(top, Constituent) else Constituent("", (top,))


def _chained(chain: str, word: int) -> Constituent | int:
    node: Constituent | int = word
    if chain != _NONE:
        for label in reversed(chain.split("+")):
            node = Constituent(label, (node,))
    return node


def _hollow(node: Constituent | int | Trace) -> bool:
    """Whether no word lies below."""
    return isinstance(node, Constituent) and next(node.leaves(), None) is None


def _head_child(label: str, children: Sequence[str]) -> int:
    side, wanted = _HEADS.get(label, _NOMINAL)
    order = range(len(children)) if side == "left" else range(len(children) - 1, -1, -1)
    for name in wanted:
        for at in order:
            if children[at] == name:
                return at
    words = [at for at in order if children[at][:1].isalpha()]
    return words[0] if words else next(iter(order))


class ConstituentParser(ModelAnnotator):
    """Constituent trees (S, NP, VP, PP, ...), trained on Penn brackets."""

    name = "constituents"
    needs = ("tags",)
    gives = ("constituents",)

    def __init__(self, parser: TreeParser, chains: SequenceTagger, beam: int) -> None:
        super().__init__()
        self._parser, self._chains = parser, chains
        self.settings = {"beam": beam}

    @classmethod
    def train(
        cls,
        sentences: Sequence[Sentence],
        *,
        epochs: int = 8,
        beam: int = 8,
        seed: int = 1,
        least: float = 0.0,
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> ConstituentParser:
        """Learn from sentences with tags and constituents."""
        if not sentences:
            raise InputError("nothing to learn from", remedy="give Penn brackets")
        words = [sentence.words for sentence in sentences]
        tags = [sentence.tags for sentence in sentences]
        trees = [encode(sentence.constituents, sentence.tags) for sentence in sentences]
        chains = [tree.chains for tree in trees]
        parser = TreeParser.train(
            words,
            (tags, tags),
            [(tree.heads, tree.labels) for tree in trees],
            beam=beam,
            epochs=epochs,
            seed=seed,
            least=least,
            threads=threads,
            progress=progress,
            stage="phrases",
        )
        tagger = SequenceTagger.train(
            words, chains, given=[tags], epochs=epochs, seed=seed, least=least, progress=progress, stage="single words"
        )
        return cls(parser, tagger, beam)

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        words = [sentence.words for sentence in sentences]
        tags = [sentence.tags for sentence in sentences]
        trees = self._parser.parse(words, (tags, tags), threads=threads)
        chains = self._chains.tag(words, given=[tags], threads=threads)
        return [
            sentence.with_layers(constituents=decode(HeadTree(heads, labels, single)))
            for sentence, (heads, labels), single in zip(sentences, trees, chains, strict=True)
        ]

    def write_parts(self, folder: Path) -> None:
        self._parser.save(folder, "phrases")
        self._chains.save(folder, "chains")

    @classmethod
    def read_parts(cls, folder: Path, settings: Mapping[str, Any]) -> ConstituentParser:
        beam = int(settings["beam"])
        return cls(TreeParser.load(folder, "phrases", beam=beam), SequenceTagger.load(folder, "chains"), beam)
