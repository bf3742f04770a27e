"""Labels of rules: nodes of the trees of one side or both, line by line, made ready for extraction, and for decoding.

A rule whose nonterminals have labels of the source says what syntax must call the words they cover: `this [NN,1]` fits
where a noun stands. Labels of the target are those of what fills a nonterminal; of both, `NN~N`, a nonterminal has the
two. (Zollmann and Venugopal 2006; Hoang and Koehn 2010; Aziz, Rios and Specia 2011.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dragoman.annotations import MissingLayer, Sentence
from dragoman.annotations.phrase_spans import PhraseSpan
from dragoman.annotations.span_labels import TREES, has_tree, layers_of, rule_label, span_labels
from dragoman.errors import FormatError, LengthMismatch
from dragoman.grammar.limits import LABEL, HieroLimits
from dragoman.grammar.table import RuleTable

__all__ = ["GrammarStatistics", "LabelledSide", "Labelling", "grammar_statistics"]


@dataclass(frozen=True, slots=True)
class Labelling:
    """How a sentence gets labels: which tree, and how far it is relaxed."""

    tree: str = "chunk"
    relax: int = 2
    binarize: str = "none"
    label_pick: str = "outermost"
    longest: int = 0

    @classmethod
    def of(cls, limits: HieroLimits) -> Labelling:
        return cls(limits.tree, limits.relax, limits.binarize, limits.label_pick, limits.max_phrase)

    @classmethod
    def of_table(cls, table: RuleTable) -> Labelling | None:
        """What a table asks of the sentences that are translated with it; None if they need no labels."""
        told = table.metadata
        if told.get("labels", "none") not in ("source", "both"):
            return None
        tree, relax = told.get("tree", "nodes"), told.get("relax", "2")
        if tree not in TREES or not relax.isdigit():
            raise FormatError(f"labels of {tree!r}, relaxed to {relax!r}", where=str(table.path))
        # Where decoders let a rule cover more, labels of longer spans are asked for, too.
        return cls(tree, int(relax), told.get("binarize", "none"), told.get("label_pick", "outermost"))

    def nodes(self, sentence: Sentence) -> list[PhraseSpan]:
        """Labels as rules have them, with their spans, outermost first; none if the sentence lacks a layer."""
        found = span_labels(
            sentence,
            self.tree,
            relax=self.relax,
            label_pick=self.label_pick,
            binarize=self.binarize,
            longest=self.longest,
        )
        return [(rule_label(label), start, end) for label, start, end in found]

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that it needs."""
        return layers_of(self.tree)


class LabelledSide:
    """The annotated lines of one side, and the nodes of each."""

    def __init__(self, limits: HieroLimits, side: str, annotations: Sequence[Sentence]) -> None:
        self.labelling, self.side, self.annotations = Labelling.of(limits), side, annotations
        self.name = f"annotations of the {side} side"
        self.without = 0
        """Lines without labels."""
        layers = self.labelling.layers
        if not any(has_tree(sentence, limits.tree) for sentence in annotations):
            raise MissingLayer(
                f"no {', '.join(layers)} of the {side} side, which labels of the tree `{limits.tree}` need",
                where=self.name,
                remedy="annotate the training text with `dragoman annotate`, or train with --annotate",
            )

    def nodes(self, first: int, lines: Sequence[str]) -> list[list[PhraseSpan]]:
        """The nodes of a slice of lines that begins with line `first`, from 0."""
        if len(self.annotations) < first + len(lines):
            raise LengthMismatch(
                f"{len(self.annotations)} annotated lines of the {self.side} side, and more lines of text",
                where=self.name,
                remedy="annotate each line as one sentence",
            )
        found = []
        for number, line in enumerate(lines, first):
            sentence, size = self.annotations[number], len(line.split())
            if size and len(sentence) != size:
                raise LengthMismatch(
                    f"a tree of {len(sentence)} words for {size} tokens",
                    where=f"{self.name}, line {number + 1}",
                    remedy="annotate the text as it is tokenised (`dragoman annotate --tokenized`)",
                )
            nodes = self.labelling.nodes(sentence) if size else []
            self.without += bool(size) and not nodes
            found.append(nodes)
        return found


@dataclass(frozen=True, slots=True)
class GrammarStatistics:
    """Sizes of a grammar: rules by arity and by the label of what they derive, nonterminals by label."""

    rules: int
    arities: Mapping[int, int]
    labels: int
    """How many labels there are."""
    derived: Mapping[str, int]
    """Rules by the label of their left-hand side, the most frequent first."""
    nonterminals: Mapping[str, int]
    """Nonterminals of source sides by label, the most frequent first."""
    unlabelled: int
    """Rules with nonterminals, all of which have the usual label."""


def grammar_statistics(table: RuleTable) -> GrammarStatistics:
    """Count the rules of a table by arity and label."""
    derived, nonterminals, unlabelled = table.native.label_counts()

    def by_name(counts: Sequence[int]) -> dict[str, int]:
        found = Counter({table.native.label(i) if i else LABEL: int(count) for i, count in enumerate(counts) if count})
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    return GrammarStatistics(
        len(table),
        table.arities,
        len(set(by_name(derived)) | set(by_name(nonterminals))),
        by_name(derived),
        by_name(nonterminals),
        unlabelled,
    )
