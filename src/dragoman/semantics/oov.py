"""Unknown words: find them, give them translations from text of the source language alone, and evaluate these.

Words that no rule translates are copied by a decoder. Here they get translations from words and phrases that are used
alike and that the table can translate: by paraphrases (`dragoman.semantics.distributional`), or by labels that spread
over a graph of similar phrases (Razmara et al. 2013). Numbers and names are left out: copying them is right more often
than not. Translations go into the table before tuning (`dragoman.grammar.augment`), or to the decoder as it meets a
word (`InducedTranslations`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from dragoman.align.alignment import Alignment
from dragoman.errors import FormatError, LengthMismatch, SettingError
from dragoman.files import display_name, read_lines, writing
from dragoman.grammar.augment import GRAPH_COLUMN
from dragoman.grammar.scoring import DIRECT
from dragoman.grammar.table import RuleTable
from dragoman.semantics.association import Association
from dragoman.semantics.cooccurrence import ContextSpace
from dragoman.semantics.graph import Graph, build_graph
from dragoman.semantics.propagation import DUMMY, SoftLabels, propagate
from dragoman.semantics.senses import smallest_pair
from dragoman.semantics.similarity import Similarity
from dragoman.settings import check_argument

__all__ = [
    "GraphTranslations",
    "Induced",
    "InducedTranslations",
    "OovReport",
    "UnknownWordList",
    "assign_translations",
    "evaluate_translations",
    "find_unknown_words",
    "gold_lexicon",
    "graph_of_table",
    "graph_translations",
    "known_phrases",
    "read_labels",
    "read_lexicon",
    "seeds_of_table",
    "unknown_phrases",
    "write_labels",
    "write_lexicon",
]

_LETTER, _DIGIT = re.compile(r"[^\W\d_]"), re.compile(r"\d")


class Induced(NamedTuple):
    """A translation that was found for an unknown word, and how probable it is."""

    target: str
    probability: float


InducedLexicon = Mapping[str, Sequence[Induced]]


@dataclass(frozen=True, slots=True)
class UnknownWordList:
    """Unknown words of a text with how often they occur, and what was left out."""

    words: dict[str, int]
    numbers: dict[str, int]
    names: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        return {"words": self.words, "numbers": self.numbers, "names": self.names}


def find_unknown_words(
    lines: Iterable[str],
    table: RuleTable,
    *,
    definition: str = "in-no-phrase",
    cased: Iterable[str] | None = None,
) -> UnknownWordList:
    """Words of tokenised lines that the table does not know.

    `in-no-phrase` are those in no source side, `no-rule` those without a rule of their own (which a decoder may still
    have to copy). `cased` has the same lines before lower-casing or truecasing: a word with a capital that does not
    begin a line is a name.
    """
    check_argument("definition", definition, choices=("in-no-phrase", "no-rule"))
    known = table.native.source_id if definition == "in-no-phrase" else lambda word: len(table.ids([word]))
    counts: Counter[str] = Counter()
    names: set[str] = set()
    lines = list(lines)
    originals = lines if cased is None else list(cased)
    if len(originals) != len(lines):
        raise LengthMismatch(f"{len(originals)} cased lines for {len(lines)}", remedy="give the same lines")
    for line, original in zip(lines, originals, strict=True):
        tokens, before = line.split(), original.split()
        counts.update(tokens)
        if cased is not None and len(before) == len(tokens):
            names.update(word for word, form in list(zip(tokens, before, strict=True))[1:] if form[:1].isupper())
    unknown = {word: count for word, count in sorted(counts.items()) if not known(word)}
    numbers = {w: c for w, c in unknown.items() if not _LETTER.search(w)}
    named = {w: c for w, c in unknown.items() if w not in numbers and w in names}
    words = {w: c for w, c in unknown.items() if w not in numbers and w not in named}
    return UnknownWordList(words, numbers, named)


def unknown_phrases(lines: Iterable[str], table: RuleTable, *, longest: int = 6, shortest: int = 1) -> dict[str, int]:
    """Stretches of up to `longest` tokens that are no source side of the table; those with numbers or marks are out."""
    if not 1 <= shortest <= longest:
        raise SettingError(f"phrases of {shortest} to {longest} tokens", remedy="give 1 or more, in order")
    found: Counter[str] = Counter()
    for line in lines:
        tokens = line.split()
        usable = [bool(_LETTER.search(token)) and not _DIGIT.search(token) for token in tokens]
        known = {(match.start, match.end) for match in table.match(tokens, max_length=longest)}
        for start in range(len(tokens)):
            for end in range(start + 1, min(len(tokens), start + longest) + 1):
                if not usable[end - 1]:
                    break
                if end - start >= shortest and (start, end) not in known:
                    found[" ".join(tokens[start:end])] += 1
    return dict(sorted(found.items()))


def seeds_of_table(table: RuleTable, phrases: Collection[str], *, top: int = 20) -> dict[str, dict[str, float]]:
    """The `top` translations of each phrase that the table has, with p(target | source)."""
    seeds: dict[str, dict[str, float]] = {}
    for phrase in phrases:
        rules = table.lookup(phrase)[:top]
        if rules:
            seeds[phrase] = {rule.target_text: math.exp(rule.values[DIRECT]) for rule in rules}
    return seeds


def assign_translations(
    labels: SoftLabels, words: Iterable[str], *, top: int = 20, renormalize: bool = False
) -> dict[str, list[Induced]]:
    """Ranked translations of each word that has any; what the dummy label holds is lost unless `renormalize`."""
    found: dict[str, list[Induced]] = {}
    for word in words:
        if word not in labels.graph:
            continue
        given = labels.of(word)
        whole = sum(value for label, value in given.items() if not (renormalize and label == DUMMY))
        ranked = [Induced(label, value / whole) for label, value in given.items() if label != DUMMY]
        if ranked:
            found[word] = ranked[:top]
    return found


@dataclass(frozen=True, slots=True)
class GraphTranslations:
    """Translations by a graph, with the graph and the labels that explain them."""

    lexicon: dict[str, list[Induced]]
    graph: Graph = field(repr=False)
    labels: SoftLabels = field(repr=False)
    seeds: dict[str, dict[str, float]] = field(repr=False)
    absent: tuple[str, ...] = ()
    """Words that the text does not have, or that are like nothing in it."""
    _known: dict[str, dict[str, float]] = field(default_factory=dict, repr=False)

    def explain(self, word: str, target: str, *, limit: int = 5) -> list[dict[str, Any]]:
        """The neighbours of a word that bring a translation, the weightiest first: labelled ones and bridges."""
        if word not in self.graph:
            return []
        reasons: list[dict[str, Any]] = []
        for neighbor, weight in self.graph.neighbors(word).items():
            share = self._labels_of(neighbor).get(target, 0.0)
            if share > 0:
                known = self.seeds.get(neighbor, {}).get(target)
                reasons.append({"neighbor": neighbor, "similarity": weight, "label": share, "in_table": known})
        return sorted(reasons, key=lambda reason: -reason["similarity"] * reason["label"])[:limit]

    def _labels_of(self, node: str) -> dict[str, float]:
        if node not in self._known:
            self._known[node] = self.labels.of(node)
        return self._known[node]


def graph_translations(
    space: ContextSpace,
    table: RuleTable,
    words: Sequence[str],
    *,
    kind: str = "tripartite",
    algorithm: str = "modified-adsorption",
    max_phrase: int = 1,
    min_count: int = 5,
    top: int = 20,
    keep_top: int = 200,
    renormalize: bool = False,
    k_labeled: int = 15,
    k_unlabeled: int = 5,
    k: int = 20,
    mutual: bool = False,
    association: Association | None = None,
    similarity: Similarity | None = None,
) -> GraphTranslations:
    """Translations of unknown words over a graph of the words (and phrases up to `max_phrase`) of a text.

    Words of the text that the table does not have are bridges if they occur `min_count` times. While labels spread, a
    node keeps its `keep_top` greatest (0: all): in a connected graph every translation of the table reaches every node,
    which takes long and changes little among the first. Other settings are those of `build_graph`.
    """
    unknown = list(dict.fromkeys(words))
    graph, labeled = graph_of_table(
        space,
        table,
        unknown,
        kind=kind,
        max_phrase=max_phrase,
        min_count=min_count,
        k_labeled=k_labeled,
        k_unlabeled=k_unlabeled,
        k=k,
        mutual=mutual,
        association=association,
        similarity=similarity,
    )
    seeds = seeds_of_table(table, [node for node in labeled if node in graph], top=top)
    labels = propagate(graph, seeds, algorithm=algorithm, keep_top=keep_top, threads=space.threads)
    lexicon = assign_translations(labels, unknown, top=top, renormalize=renormalize)
    return GraphTranslations(lexicon, graph, labels, seeds, tuple(word for word in unknown if word not in lexicon))


def graph_of_table(
    space: ContextSpace,
    table: RuleTable,
    words: Sequence[str],
    *,
    kind: str = "tripartite",
    max_phrase: int = 1,
    min_count: int = 5,
    k_labeled: int = 15,
    k_unlabeled: int = 5,
    k: int = 20,
    mutual: bool = False,
    association: Association | None = None,
    similarity: Similarity | None = None,
) -> tuple[Graph, list[str]]:
    """A graph of unknown words, of what a table knows, and of other words of a text; and what the table knows of it."""
    check_argument("max_phrase", max_phrase, int, least=1)
    unknown = list(dict.fromkeys(words))
    labeled = known_phrases(table, space, max_phrase)
    taken = {*unknown, *labeled}
    counts = space.index.native.counts()
    frequent = [
        word
        for number, word in enumerate(space.index.words(), 1)
        if counts[number] >= min_count and word not in taken and word not in space.stoplist
    ]
    graph = build_graph(
        space,
        unknown=unknown,
        labeled=labeled,
        unlabeled=frequent,
        kind=kind,
        k_labeled=k_labeled,
        k_unlabeled=k_unlabeled,
        k=k,
        mutual=mutual,
        association=association,
        similarity=similarity,
    )
    return graph, labeled


def known_phrases(table: RuleTable, space: ContextSpace, max_phrase: int) -> list[str]:
    """Source sides of a table, up to a length, that the text has."""
    native = table.native
    found: dict[str, None] = {}
    for node in range(native.nodes):
        ids = native.source(node)
        if 0 < len(ids) <= max_phrase and not (ids & 0x80000000).any():
            phrase = " ".join(native.source_word(int(word)) for word in ids)
            if phrase in space.index and len(table.ids(phrase)):
                found[phrase] = None
    return list(found)


class _Sentence(Protocol):
    @property
    def tokens(self) -> Sequence[str]: ...


class InducedTranslations:
    """What a decoder asks for the translations of words that it does not know (`PhraseDecoder(unknown_words=...)`).

    Each fires the features `paraphrase.graph` (or `feature`), the logarithm of its probability, and `induced`, 1, for a
    flat price.
    """

    def __init__(self, lexicon: InducedLexicon, *, feature: str = GRAPH_COLUMN, floor: float = 1e-9) -> None:
        self.lexicon, self.feature, self.floor = lexicon, feature, floor

    def __call__(self, sentence: _Sentence, positions: tuple[int, ...]) -> list[list[tuple[str, Mapping[str, float]]]]:
        return [
            [
                (found.target, {self.feature: math.log(max(found.probability, self.floor)), "induced": 1.0})
                for found in self.lexicon.get(sentence.tokens[position], ())
            ]
            for position in positions
        ]


def gold_lexicon(
    source: Iterable[str], target: Iterable[str], alignments: Iterable[Alignment | str], words: Collection[str]
) -> dict[str, set[str]]:
    """What each of some words is translated to in an aligned text: the other side of the smallest pair around it."""
    wanted, gold = frozenset(words), dict[str, set[str]]()
    for first, second, links in zip(source, target, alignments, strict=True):
        tokens, others = first.split(), second.split()
        points = links if isinstance(links, Alignment) else Alignment.parse(links)
        for position, token in enumerate(tokens):
            if token not in wanted:
                continue
            pair = smallest_pair((position, position + 1), points)
            if pair is not None and pair[0] == (position, position + 1):
                gold.setdefault(token, set()).add(" ".join(others[slice(*pair[1])]))
    return gold


@dataclass(frozen=True, slots=True)
class OovReport:
    """How good lists of translations are."""

    reciprocal_rank: float
    """Mean over words of the mean reciprocal rank of their right translations, 0 for those not in the list."""
    recall: float
    """Mean over words of the share of right translations in the list."""
    words: int
    covered: int
    """Words with any translation at all."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "mrr": self.reciprocal_rank,
            "recall": self.recall,
            "words": self.words,
            "covered": self.covered,
        }


def evaluate_translations(lexicon: InducedLexicon, gold: Mapping[str, Collection[str]], *, top: int = 20) -> OovReport:
    """Compare lists of translations with right ones.

    >>> lists = {"u": [Induced(t, 0.1) for t in "bac"], "v": [Induced(t, 0.1) for t in "xzy"]}
    >>> report = evaluate_translations(lists, {"u": {"a"}, "v": {"x", "y"}, "w": {"q"}})
    >>> round(report.reciprocal_rank, 6)
    0.388889
    """
    ranks = recall = 0.0
    covered = 0
    for word, right in gold.items():
        listed = [entry.target for entry in lexicon.get(word, ())][:top]
        covered += bool(listed)
        places = {target: place for place, target in reversed(list(enumerate(listed, 1)))}
        ranks += sum(1 / places[target] for target in right if target in places) / max(1, len(right))
        recall += sum(target in places for target in right) / max(1, len(right))
    size = max(1, len(gold))
    return OovReport(ranks / size, recall / size, len(gold), covered)


NodeLabels = Mapping[str, Mapping[str, float]]


def write_labels(path: Path | str, labels: NodeLabels) -> None:
    """Lines of node, tab, label, tab, value."""
    with writing(path) as file:
        for node, given in labels.items():
            for label, value in given.items():
                file.write(f"{node}\t{label}\t{value!r}\n")


def read_labels(path: Path | str) -> dict[str, dict[str, float]]:
    """Read what `write_labels` wrote."""
    found: dict[str, dict[str, float]] = {}
    for number, line in enumerate(read_lines(path), 1):
        try:
            node, label, text = line.split("\t")
            value = float(text)
            if not (value >= 0 and math.isfinite(value)):
                raise ValueError
        except ValueError:
            raise FormatError(
                "not a node, a label and a value of 0 or more between tabs",
                where=f"{display_name(path)}, line {number}",
            ) from None
        found.setdefault(node, {})[label] = value
    return found


def write_lexicon(path: Path | str, lexicon: InducedLexicon) -> None:
    """Lines of word, tab, translation, tab, probability."""
    with writing(path) as file:
        for word, found in lexicon.items():
            for target, probability in found:
                file.write(f"{word}\t{target}\t{probability!r}\n")


def read_lexicon(path: Path | str) -> dict[str, list[Induced]]:
    """Read what `write_lexicon` wrote; a line of two fields (a gold lexicon) has probability 1."""
    found: dict[str, list[Induced]] = {}
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split("\t")
        try:
            word, target = fields[0], fields[1]
            probability = float(fields[2]) if len(fields) > 2 else 1.0
            if len(fields) > 3 or not 0 < probability <= 1:
                raise ValueError
        except (IndexError, ValueError):
            raise FormatError(
                "not a word, a translation and a probability between tabs", where=f"{display_name(path)}, line {number}"
            ) from None
        found.setdefault(word, []).append(Induced(target, probability))
    return found
