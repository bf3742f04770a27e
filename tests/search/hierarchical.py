"""Tiny hierarchical grammars, and everything that they can say, by brute force.

A rule is written as `X1 b X2 | B X2 X1` with its score; nonterminals are X1, X2, ... in source order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dragoman.features.language_model import LanguageModel
from dragoman.grammar.rule import Nonterminal, Rule, Symbol
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import write_table
from dragoman.lm import NgramModel

__all__ = ["Derived", "Grammar", "bigram_model", "rule_table", "symbols"]

Span = tuple[int, int]


def symbols(text: str) -> tuple[Symbol, ...]:
    """`X1 b` as symbols of a rule."""
    return tuple(
        Nonterminal("X", int(word[1:]) - 1) if word[0] == "X" and word[1:].isdigit() else word for word in text.split()
    )


def rule_table(path: Path, rules: Mapping[str, float], *, kind: str = "lr-hiero", **metadata: str) -> RuleTable:
    """A table with one column, `score`; every word is linked to the first word of the other side."""
    made = []
    for text, score in rules.items():
        source, target = map(symbols, text.split("|"))
        words = [i for i, symbol in enumerate(source) if isinstance(symbol, str)]
        links = tuple((i, 0) for i in words) if isinstance(target[0], str) else ()
        made.append(Rule(source, target, {"score": score}, links=links, label="X"))
    return write_table(made, path, columns=["score"], metadata={"kind": kind, **metadata})


def bigram_model(path: Path, logprobs: Mapping[tuple[str, str], float]) -> LanguageModel:
    """A model of these natural logarithms; `<s>` and `</s>` are words, and pairs that are not listed have -20."""
    words = sorted({word for pair in logprobs for word in pair} | {"<s>", "</s>", "<unk>"})
    log10 = math.log(10)
    lines = ["\\data\\", f"ngram 1={len(words)}", f"ngram 2={len(logprobs)}", "", "\\1-grams:"]
    lines += [f"-8.68588963806504\t{word}\t0" for word in words]
    lines += ["", "\\2-grams:", *(f"{value / log10}\t{a} {b}" for (a, b), value in logprobs.items()), "", "\\end\\"]
    path.write_text("\n".join(lines) + "\n")
    return LanguageModel("lm", NgramModel.read_arpa(path))


@dataclass(frozen=True)
class Application:
    """A rule put to a span: the words it writes, the spans it leaves in target order, and what it is."""

    span: Span
    words: tuple[str, ...]
    parts: tuple[Span, ...]
    score: float
    kind: str


@dataclass(frozen=True)
class Derived:
    """A derivation: what was done, step by step, in target order."""

    steps: tuple[Application, ...]

    @property
    def text(self) -> str:
        return " ".join(word for step in self.steps for word in step.words)


class Grammar:
    """Rules of a left-to-right decoder and what they do to a sentence, straight from the definitions."""

    def __init__(
        self,
        rules: Mapping[str, float],
        *,
        right_boundary: str = "none",
        split_b: bool = False,
        max_span: int = 10,
        glue: bool = True,
        glue_when: str = "always",
    ) -> None:
        self.rules = [(tuple(map(symbols, text.split("|"))), score) for text, score in rules.items()]
        self.right_boundary, self.split_b, self.max_span = right_boundary, split_b, max_span
        self.glue, self.glue_when = glue, glue_when

    def matches(self, source: Sequence[Symbol], words: Sequence[str], span: Span) -> Iterator[list[Span]]:
        """All ways in which a source side covers a span exactly: spans of its nonterminals."""
        if not source:
            if span[0] == span[1]:
                yield []
            return
        first, rest = source[0], source[1:]
        if isinstance(first, str):
            if span[0] < span[1] and words[span[0]] == first:
                yield from self.matches(rest, words, (span[0] + 1, span[1]))
            return
        for end in range(span[0] + 1, span[1] + 1):
            for others in self.matches(rest, words, (end, span[1])):
                yield [(span[0], end), *others]

    def expansions(self, words: Sequence[str], span: Span) -> list[Application]:
        """All that may be done to a span."""
        found: list[Application] = []
        start, end = span
        for (source, target), score in self.rules:
            own = tuple(symbol for symbol in target if isinstance(symbol, str))
            order = [symbol.index for symbol in target if isinstance(symbol, Nonterminal)]
            if end - start <= self.max_span:
                for slots in self.matches(source, words, span):
                    parts = tuple(slots[i] for i in order)
                    found.append(Application(span, own, parts, score, "rule"))
            if order:
                found += self._with_boundary(source, own, order, score, words, span)
        if not self.glue:
            return found
        lexical: list[tuple[tuple[str, ...], tuple[str, ...], float | None]] = []
        for (source, target), score in self.rules:
            own = tuple(symbol for symbol in (*source, *target) if isinstance(symbol, str))
            if len(own) == len(source) + len(target):
                lexical.append((own[: len(source)], own[len(source) :], score))
        known = {first[0] for first, _, _ in lexical if len(first) == 1}
        lexical += [((word,), (word,), None) for word in dict.fromkeys(words) if word not in known]
        for pattern, written, value in lexical:
            for at in range(start, end - len(pattern) + 1):
                if tuple(words[at : at + len(pattern)]) != pattern:
                    continue
                before, behind = (start, at), (at + len(pattern), end)
                left = [part for part in (before, behind) if part[0] < part[1]]
                if not left:
                    if value is None:
                        found.append(Application(span, written, (), 0.0, "unknown"))
                    continue
                if self.glue_when == "no_regular" and any(
                    step.kind == "rule" and sorted(step.parts) == left for step in found
                ):
                    continue
                kind = "glue" if value is not None else "unknown glue"
                for parts in itertools.permutations(left):
                    found.append(Application(span, written, parts, value or 0.0, kind))
        return found

    def _with_boundary(
        self,
        source: Sequence[Symbol],
        own: tuple[str, ...],
        order: Sequence[int],
        score: float,
        words: Sequence[str],
        span: Span,
    ) -> Iterator[Application]:
        start, end = span
        last = source[-1]
        kind = "a" if isinstance(last, str) else "b" if last.index == order[-1] else "c"
        if kind not in self.right_boundary or self.right_boundary == "none":
            return
        if kind == "b" and not self.split_b:
            if end - start > self.max_span:
                for slots in self.matches(source, words, span):
                    if slots[-1][0] - start < self.max_span:
                        yield Application(span, own, tuple(slots[i] for i in order), score, "boundary")
            return
        for middle in range(start + 1, min(end, start + self.max_span + 1)):
            for slots in self.matches(source, words, (start, middle)):
                parts = (*(slots[i] for i in order), (middle, end))
                yield Application(span, own, parts, score, "boundary")

    def derivations(self, sentence: str) -> list[Derived]:
        """All of them."""
        words = tuple(sentence.split())

        @cache
        def of(span: Span) -> tuple[tuple[Application, ...], ...]:
            return tuple(
                (step, *itertools.chain.from_iterable(parts))
                for step in self.expansions(words, span)
                for parts in itertools.product(*(of(part) for part in step.parts))
            )

        return [Derived(steps) for steps in of((0, len(words)))]

    def reachable(self, sentence: str) -> set[str]:
        return {each.text for each in self.derivations(sentence)}


def chart_reachable(rules: Iterable[str], sentence: str, *, max_span: int = 10) -> set[str]:
    """What a chart decoder reaches with the same rules and monotone glue."""
    words = tuple(sentence.split())
    parsed = [tuple(map(symbols, text.split("|"))) for text in rules]
    matcher = Grammar({})

    @cache
    def of(span: Span) -> frozenset[tuple[str, ...]]:
        found: set[tuple[str, ...]] = set()
        if span[1] - span[0] > max_span:
            return frozenset()
        for source, target in parsed:
            for slots in matcher.matches(source, words, span):
                pieces = [[(s,)] if isinstance(s, str) else sorted(of(slots[s.index])) for s in target]
                found |= {tuple(itertools.chain.from_iterable(chosen)) for chosen in itertools.product(*pieces)}
        return frozenset(found)

    beginnings: list[set[tuple[str, ...]]] = [{()}]
    for end in range(1, len(words) + 1):
        beginnings.append(
            {(*first, *last) for start in range(end) for first in beginnings[start] for last in of((start, end))}
        )
    return {" ".join(each) for each in beginnings[-1]}
