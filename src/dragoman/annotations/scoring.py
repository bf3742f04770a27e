"""Scores of annotation against gold, by the definitions of the shared tasks that made them.

Words, tags, lemmas and trees as in CoNLL 2018 (Zeman et al. 2018): words are matched by their letters in the raw text,
precision and recall are over words, labels of arcs count without their subtypes; of morphology all features must be
right, where CoNLL 2018 counts the universal ones only. Chunks and entities are right when label and both ends are
(Tjong Kim Sang and Buchholz 2000). Roles as in CoNLL 2005 (Carreras and Marquez 2005): an argument is right when
predicate, role and all its words are; continued arguments count once; the predicate itself does not count.
Constituents as PARSEVAL has them (Black et al. 1991): labelled spans, without the topmost and without punctuation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dragoman.annotations.layers import Span
from dragoman.annotations.sentence import Sentence
from dragoman.errors import LengthMismatch

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["LayerScore", "LayerScores", "score"]

_PUNCTUATION = frozenset((",", ":", "``", "''", ".", "-LRB-", "-RRB-"))
_TOPS = frozenset(("", "TOP", "ROOT", "S1"))


@dataclass(frozen=True, slots=True)
class LayerScore:
    """How many were right, of how many in the gold standard and how many given."""

    right: int
    gold: int
    given: int

    @property
    def precision(self) -> float:
        return self.right / self.given if self.given else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.gold + self.given) if self.gold + self.given else 0.0


@dataclass(frozen=True, slots=True)
class LayerScores:
    """Scores by name, in the order of the layers."""

    sentences: int
    by_name: dict[str, LayerScore] = field(default_factory=dict)

    def __getitem__(self, name: str) -> LayerScore:
        return self.by_name[name]

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON."""
        return {
            "sentences": self.sentences,
            "scores": {
                name: {
                    "precision": each.precision,
                    "recall": each.recall,
                    "f1": each.f1,
                    "right": each.right,
                    "gold": each.gold,
                    "given": each.given,
                }
                for name, each in self.by_name.items()
            },
        }

    def __rich__(self) -> Table:
        from rich.table import Table

        table = Table("layer", box=None, pad_edge=False)
        for name in ("precision", "recall", "F1", "right", "gold", "given"):
            table.add_column(name, justify="right")
        for name, each in self.by_name.items():
            shares = (f"{100 * value:.2f}" for value in (each.precision, each.recall, each.f1))
            table.add_row(name, *shares, f"{each.right:,}", f"{each.gold:,}", f"{each.given:,}")
        return table


def score(gold: Sequence[Sentence], given: Sequence[Sentence]) -> LayerScores:
    """Scores of all layers that both have, in every sentence of the gold standard."""
    if len(gold) != len(given):
        raise LengthMismatch(f"{len(given):,} sentences against {len(gold):,} in the gold standard")
    counts: dict[str, Counter[str]] = {}
    for truth, guess in zip(gold, given, strict=True):
        for name, right, wanted, offered in _compared(truth, guess):
            counts.setdefault(name, Counter()).update(right=right, gold=wanted, given=offered)
    order = [name for name in _ORDER if name in counts]
    return LayerScores(
        len(gold), {n: LayerScore(counts[n]["right"], counts[n]["gold"], counts[n]["given"]) for n in order}
    )


_ORDER = (
    "words", "UPOS", "XPOS", "features", "lemmas", "UAS", "LAS", "chunks", "entities", "predicates", "senses", "roles",
    "constituents",
)  # fmt: skip


def _compared(gold: Sentence, given: Sentence) -> Iterator[tuple[str, int, int, int]]:
    pairs = _matched(gold, given)
    sizes = len(gold), len(given)
    yield "words", len(pairs), *sizes
    ours, theirs = gold.layers, given.layers
    for name, first, second in (
        ("UPOS", ours.pos, theirs.pos),
        ("XPOS", ours.tags, theirs.tags),
        ("features", ours.morphology, theirs.morphology),
        ("lemmas", ours.lemmas, theirs.lemmas),
    ):
        if first is not None and second is not None:
            yield name, sum(1 for a, b in pairs if first[a] == second[b] or first[a] == "_"), *sizes
    if ours.dependencies is not None and theirs.dependencies is not None:
        there = {-1: -1} | {b: a for a, b in pairs}
        heads = [(a, b) for a, b in pairs if there.get(theirs.dependencies.heads[b], -2) == ours.dependencies.heads[a]]
        plain = [
            (a, b)
            for a, b in heads
            if ours.dependencies.labels[a].partition(":")[0] == theirs.dependencies.labels[b].partition(":")[0]
        ]
        yield "UAS", len(heads), *sizes
        yield "LAS", len(plain), *sizes
    for name in ("chunks", "entities"):
        if getattr(ours, name) is not None and getattr(theirs, name) is not None:
            yield name, *_overlap(_spans(getattr(ours, name)), _spans(getattr(theirs, name)))
    if ours.frames is not None and theirs.frames is not None:
        yield "predicates", *_overlap((f.predicate for f in ours.frames), (f.predicate for f in theirs.frames))
        yield (
            "senses",
            *_overlap(((f.predicate, f.sense) for f in ours.frames), ((f.predicate, f.sense) for f in theirs.frames)),
        )
        yield "roles", *_overlap(_arguments(gold), _arguments(given))
    if ours.constituents is not None and theirs.constituents is not None:
        yield "constituents", *_overlap(_phrases(gold, gold), _phrases(given, gold))


def _overlap(gold: Iterable[Hashable], given: Iterable[Hashable]) -> tuple[int, int, int]:
    first, second = Counter(gold), Counter(given)
    return (first & second).total(), first.total(), second.total()


def _spans(spans: Iterable[Span]) -> Iterator[Hashable]:
    return ((span.label, span.start, span.end) for span in spans)


def _arguments(sentence: Sentence) -> Iterator[Hashable]:
    """(predicate, role, words) with continuations joined to what they continue, roles in the short spelling."""
    for frame in sentence.frames:
        whole: list[tuple[str, set[int]]] = []
        for argument in frame.arguments:
            role = argument.role.replace("ARGM", "AM").replace("ARG", "A")
            words = set(range(argument.start, argument.end))
            if role.startswith("C-"):
                begun = next((each for name, each in reversed(whole) if name == role[2:]), None)
                if begun is not None:
                    begun |= words
                    continue
                role = role[2:]
            whole.append((role, words))
        for role, words in whole:
            yield frame.predicate, role, frozenset(words)


def _phrases(sentence: Sentence, tagged: Sentence) -> Iterator[Hashable]:
    """Labelled spans counted in words that are no punctuation."""
    tags = tagged.layers.tags or ("",) * len(tagged)
    before = [0]
    for tag in tags:
        before.append(before[-1] + (tag not in _PUNCTUATION))
    for label, start, end in sentence.constituents.spans():
        if label not in _TOPS and before[end] > before[start]:
            yield "ADVP" if label == "PRT" else label, before[start], before[end]


def _matched(gold: Sentence, given: Sentence) -> list[tuple[int, int]]:
    """Pairs of words that stand for the same letters; words of one written token are matched in order, if equal."""
    if gold.words == given.words:
        return [(at, at) for at in range(len(gold))]
    places: dict[tuple[int, int], list[int]] = {}
    for at, place in enumerate(_places(gold)):
        places.setdefault(place, []).append(at)
    pairs, last = [], -1
    for at, place in enumerate(_places(given)):
        for candidate in places.get(place, ()):
            same = len(places[place]) == 1 or gold.words[candidate].lower() == given.words[at].lower()
            if candidate > last and same:
                pairs.append((candidate, at))
                last = candidate
                break
    return pairs


def _places(sentence: Sentence) -> list[tuple[int, int]]:
    """Where words stand, counted in letters without white space."""
    before = [0]
    for letter in sentence.text:
        before.append(before[-1] + (not letter.isspace()))
    return [(before[token.start], before[token.end]) for token in sentence.tokens]
