"""Random tiny grammars, and all of their derivations by brute force."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path

from dragoman.features.language_model import LanguageModel
from dragoman.grammar.rule import Nonterminal, Rule, Symbol
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import write_table
from dragoman.lm import NgramModel, estimate
from dragoman.search.hiero import HieroDecoder, HieroSettings

__all__ = [
    "UNLIMITED",
    "WEIGHTS",
    "Tree",
    "decoder",
    "derivations",
    "grammar",
    "language_model",
    "model_score",
    "random_grammar",
]

UNLIMITED = HieroSettings(beam=2**31, pop_limit=2**31, option_limit=2**31)
COLUMNS = ("p", "q")
WEIGHTS = {
    "p": 0.7, "q": 0.3, "word_penalty": -0.4, "rule_penalty": 0.25, "unknown": 1.5, "glue": -0.35, "lm": 0.6,
}  # fmt: skip


@dataclass(frozen=True)
class Tree:
    """A derivation: its target, its features without language models, and the text form by which it is told apart."""

    target: tuple[str, ...]
    features: Mapping[str, float] = field(hash=False)
    text: str


def grammar(rules: Sequence[Rule], path: Path, **facts: str) -> RuleTable:
    """The rules as a table of the kind that chart decoders take."""
    return write_table(rules, path, columns=COLUMNS, metadata={"kind": "hiero", **facts})


def random_grammar(seed: int) -> tuple[list[Rule], list[str]]:
    """Rules of arity up to 3 over two labels, and a sentence for them."""
    random_ = random.Random(seed)
    labels = random_.choice([["X"], ["X", "Y"], ["X", "Y", "S"]])
    pairs: dict[tuple[tuple[Symbol, ...], tuple[Symbol, ...]], Rule] = {}
    for _ in range(random_.randint(4, 9)):
        slots: list[Nonterminal] = []
        source: list[Symbol] = []
        for _ in range(random_.randint(1, 4)):
            if len(slots) < 3 and random_.random() < 0.4:
                slots.append(Nonterminal(random_.choice(labels), len(slots)))
                source.append(slots[-1])
            else:
                source.append(random_.choice("abc"))
        if len(slots) == len(source) == 1:
            continue  # one nonterminal and nothing else: see the test of such rules
        target: list[Symbol] = [*slots, *random_.choices("ABCD", k=random_.randint(0 if slots else 1, 2))]
        random_.shuffle(target)
        pairs[tuple(source), tuple(target)] = Rule(
            tuple(source),
            tuple(target),
            {"p": round(-random_.random(), 3), "q": round(-random_.random(), 3)},
            label=random_.choice(labels),
        )
    words = [random_.choice("aabbcd") for _ in range(random_.randint(1, 5))]
    return list(pairs.values()), words


def language_model(seed: int, order: int = 3) -> NgramModel:
    random_ = random.Random(seed)
    lines = [" ".join(random_.choices("ABCD", k=random_.randint(1, 6))) for _ in range(12)]
    return estimate(lines, order=order).build()


def derivations(
    rules: Sequence[Rule],
    words: Sequence[str],
    *,
    max_span: int = 0,
    cell: Callable[[str], str] = str,
    covers_span: Callable[[str, int, int], bool] = lambda label, start, end: True,
    derives_span: Callable[[str, int, int], bool] = lambda label, start, end: True,
) -> list[Tree]:
    """All derivations of the sentence: rules, glue, and a copy of each word that no rule translates by itself.

    `cell` says what a label is filled from and derives; `covers_span` whether a nonterminal may cover a span, and
    `derives_span` whether a rule with a left-hand side may.
    """
    limit = max_span or len(words)

    def joined(parts: Sequence[Tree], target: Sequence[Symbol], own: dict[str, float], name: str) -> Tree:
        text: list[str] = []
        for symbol in target:
            if isinstance(symbol, Nonterminal):
                text += parts[symbol.index].target
            else:
                text.append(symbol)
        features = dict(own)
        for part in parts:
            for key, value in part.features.items():
                features[key] = features.get(key, 0.0) + value
        return Tree(tuple(text), features, f"({name} {' '.join(part.text for part in parts)})")

    @cache
    def covers(label: str, start: int, end: int) -> tuple[Tree, ...]:
        if end - start > limit:
            return ()
        found = []
        for number, rule in enumerate(rules):
            if cell(rule.label) != label or not derives_span(rule.label, start, end):
                continue
            own = {**rule.values, "rule_penalty": 1.0}
            own["word_penalty"] = -float(sum(isinstance(symbol, str) for symbol in rule.target))
            found += [joined(parts, rule.target, own, str(number)) for parts in matches(rule.source, start, end)]
        known = any(rule.source == (words[start],) for rule in rules)
        if label == "X" and end == start + 1 and not known:
            own = {"unknown": -1.0, "rule_penalty": 1.0, "word_penalty": -1.0}
            found.append(Tree((words[start],), own, f"({words[start]})"))
        return tuple(found)

    def matches(source: tuple[Symbol, ...], start: int, end: int) -> list[tuple[Tree, ...]]:
        if not source:
            return [()] if start == end else []
        if isinstance(source[0], Nonterminal):
            return [
                (part, *rest)
                for middle in range(start + 1, end + 1)
                if (len(source) > 1 or middle == end) and covers_span(source[0].label, start, middle)
                for rest in matches(source[1:], middle, end)
                for part in covers(cell(source[0].label), start, middle)
            ]
        return matches(source[1:], start + 1, end) if start < end and words[start] == source[0] else []

    labels = sorted({cell(rule.label) for rule in rules} | {"X"})

    @cache
    def tops(end: int) -> tuple[Tree, ...]:
        first, second = Nonterminal("X", 0), Nonterminal("X", 1)
        found = [joined([part], [first], {}, "S") for label in labels for part in covers(label, 0, end)]
        for middle in range(1, end):
            for before, label in product(tops(middle), labels):
                found += [
                    joined([before, part], [first, second], {"glue": 1.0}, "SS") for part in covers(label, middle, end)
                ]
        return tuple(found)

    return list(tops(len(words)))


def model_score(tree: Tree, model: NgramModel, weights: Mapping[str, float]) -> float:
    [logprob] = model.score([" ".join(tree.target)])
    features = {**tree.features, "lm": float(logprob)}
    return sum(weights[name] * value for name, value in features.items())


def decoder(
    table: RuleTable, model: NgramModel, settings: HieroSettings = UNLIMITED, weights: Mapping[str, float] = WEIGHTS
) -> HieroDecoder:
    return HieroDecoder(table, [LanguageModel("lm", model)], weights, settings)
