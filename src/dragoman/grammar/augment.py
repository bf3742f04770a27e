"""Augmented tables: rules for phrases that a table does not have, taken from phrases that stand for them.

An unknown phrase with paraphrases gets their translations. Each new rule has a column that says how much to trust it:
the decoder's own rules have 0 there (the logarithm of 1), so that tuning sets the price. A translation that several
paraphrases lead to gains by each of them:

| policy | value of a translation reached over paraphrases of scores s |
|---|---|
| `reinforce` | 1 - product of (1 - s): evidence adds up (Marton 2009) |
| `best`, `random` | the greatest s; that of any one path |
| `separate` | one rule per path, for decoders (a table holds each pair once) |
| `marginal` | sum of p(target | paraphrase) s / sum of s (Razmara et al. 2013) |
| `sum` | sum of s, at most 1 (Aziz and Specia 2013) |

The other columns are copied from the best path (`values="copy"`) or say nothing (`"neutral"`). A split such as `1+2-6`
gives phrases of one word and of two to six words columns of their own.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dragoman._native import grammar as native
from dragoman.errors import InputError, SettingError
from dragoman.grammar.orientation import neutral_value
from dragoman.grammar.rule import Rule
from dragoman.grammar.scoring import DIRECT
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import metadata_text, write_table
from dragoman.seeds import stream
from dragoman.settings import check_argument

__all__ = [
    "COPY_COLUMN",
    "FORM_COLUMN",
    "GRAPH_COLUMN",
    "POLICIES",
    "InducedRule",
    "augment_table",
    "copy_rules",
    "join_rules",
    "parse_split",
    "rules_by_paraphrase",
    "rules_by_translation",
]

POLICIES = ("reinforce", "best", "random", "separate", "marginal", "sum")

PREFIX = "paraphrase."
GRAPH_COLUMN = "paraphrase.graph"
FORM_COLUMN = "paraphrase.form"
COPY_COLUMN = "paraphrase.copy"

_FLOOR = 1e-9
_PART = re.compile(r"(\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class InducedRule:
    """A new rule, and the paraphrases that lead to it with their scores."""

    rule: Rule
    paths: tuple[tuple[str, float], ...] = ()


def parse_split(split: str) -> list[tuple[str, range]]:
    """Columns of a split with the lengths that each is for.

    >>> parse_split("1+2-6")
    [('paraphrase.1', range(1, 2)), ('paraphrase.2-6', range(2, 7))]
    """
    columns: list[tuple[str, range]] = []
    for part in split.split("+"):
        match = _PART.fullmatch(part)
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= low <= high:
            raise SettingError(f"{part!r} in the split {split!r}", remedy="write it like 1+2-6")
        if any(set(lengths) & set(range(low, high + 1)) for _, lengths in columns):
            raise SettingError(f"lengths of the split {split!r} overlap", remedy="give each length once")
        columns.append((f"{PREFIX}{part}", range(low, high + 1)))
    return columns


def rules_by_paraphrase(
    table: RuleTable,
    paraphrases: Mapping[str, Sequence[tuple[str, float]]],
    *,
    policy: str = "reinforce",
    split: str = "1+2-6",
    values: str = "copy",
    seed: int = 1,
) -> list[InducedRule]:
    """Rules for unknown phrases from (paraphrase, score) pairs; phrases that the table has are passed over."""
    check_argument("policy", policy, choices=POLICIES)
    columns = parse_split(split)
    _check_values(values)
    found: list[InducedRule] = []
    for phrase, given in paraphrases.items():
        length = len(phrase.split())
        column = next((name for name, lengths in columns if length in lengths), None)
        if column is None or len(table.ids(phrase)):
            continue
        paths: dict[str, list[tuple[float, str, Rule]]] = {}
        for other, score in given:
            if not 0 < score <= 1 + 1e-9:
                raise InputError(f"paraphrase {other!r} of {phrase!r} has the score {score}", remedy="0 < score <= 1")
            for rule in table.lookup(other):
                paths.setdefault(rule.target_text, []).append((min(score, 1.0), other, rule))
        for target, reached in sorted(paths.items()):
            reached.sort(key=lambda path: (-path[0], -path[2].values.get(DIRECT, 0.0), path[1]))
            chosen = [reached] if policy != "separate" else [[path] for path in reached]
            for group in chosen:
                value = _value(policy, group, given, seed, phrase, target)
                zeros = {name: 0.0 for name, _ in columns}
                rule = _induced(table, phrase, group[0][2], {**zeros, column: math.log(max(value, _FLOOR))}, values)
                found.append(InducedRule(rule, tuple((other, score) for score, other, _ in group)))
    return found


def rules_by_translation(
    table: RuleTable,
    lexicon: Mapping[str, Sequence[tuple[str, float]]],
    *,
    column: str = GRAPH_COLUMN,
    because: Callable[[str, str], Sequence[tuple[str, float]]] | None = None,
) -> list[InducedRule]:
    """Rules for unknown words with translations and probabilities of their own; the other columns say nothing.

    `because` tells what a translation of a word rests on, for its `paths`.
    """
    found = []
    for word, translations in lexicon.items():
        if len(table.ids(word)):
            continue
        for target, probability in translations:
            tokens = tuple(target.split())
            links = tuple((0, j) for j in range(len(tokens))) if len(word.split()) == 1 else ()
            new = {column: math.log(min(1.0, max(probability, _FLOOR)))}
            rule = Rule(tuple(word.split()), tokens, {**_neutral(table), **new}, links)
            paths = ((target, probability),) if because is None else tuple(because(word, target))
            found.append(InducedRule(rule, paths))
    return found


def copy_rules(table: RuleTable, words: Iterable[str]) -> list[InducedRule]:
    """Rules that copy unknown words, as a decoder does with those that nobody knows.

    A word with translations of little worth is better copied; an indicator of its own lets tuning set the price.
    """
    values = {**_neutral(table), COPY_COLUMN: 1.0}
    return [
        InducedRule(Rule((word,), (word,), values, ((0, 0),)), (("copied", 1.0),))
        for word in dict.fromkeys(words)
        if not len(table.ids(word))
    ]


def join_rules(induced: Iterable[InducedRule]) -> list[InducedRule]:
    """Rules of several kinds of evidence as rules of one table.

    A pair of phrases that several kinds lead to is one rule with the columns of all, other values as the first has
    them; a column of which a rule knows nothing is 0 there.
    """
    found: dict[tuple[object, object], InducedRule] = {}
    columns: dict[str, None] = {}
    for entry in induced:
        columns |= {name: None for name in entry.rule.values if name.startswith(PREFIX)}
        pair = (entry.rule.source, entry.rule.target)
        if pair in found:
            first = found[pair]
            new = {name: value for name, value in entry.rule.values.items() if name.startswith(PREFIX)}
            values = {**first.rule.values, **new}
            entry = InducedRule(replace(first.rule, values=values), first.paths + entry.paths)
        found[pair] = entry
    nothing = dict.fromkeys(columns, 0.0)
    return [
        replace(entry, rule=replace(entry.rule, values={**nothing, **entry.rule.values})) for entry in found.values()
    ]


def augment_table(
    table: RuleTable, induced: Iterable[InducedRule], out: Path | str, *, compact: bool = False, threads: int = 0
) -> RuleTable:
    """Write the table with the new rules in it; its own rules keep their values, with 0 in the new columns."""
    rules = [entry.rule for entry in induced]
    new = [name for name in (rules[0].values if rules else ()) if name not in table.columns]
    clash = [name for name in table.columns if name.startswith(PREFIX)]
    if clash:
        raise InputError(
            f"the table has a column {clash[0]} already", where=str(table.path), remedy="augment the original table"
        )
    pairs = {(rule.source, rule.target) for rule in rules}
    if len(pairs) < len(rules):
        raise InputError(
            "several rules for one pair of phrases",
            where=str(out),
            remedy="a table holds each pair once: choose another policy than separate",
        )
    facts = {**table.metadata, "augmented": f"{len(rules)} rules"}
    with tempfile.TemporaryDirectory(prefix="dragoman-augment-") as folder:
        extra = write_table(rules, Path(folder) / "new.table", columns=[*table.columns, *new])
        native.join_tables(
            [table.native, extra.native],
            mode="fill-up",
            weights=[],
            indicators=[],
            only_giver=False,
            first_evidence=True,
            metadata=metadata_text(facts),
            compact=compact,
            path=out,
            threads=threads,
        )
    return RuleTable.open(out)


def _check_values(values: str) -> None:
    check_argument("values", values, choices=("copy", "neutral"))


def _value(
    policy: str,
    group: Sequence[tuple[float, str, Rule]],
    given: Sequence[tuple[str, float]],
    seed: int,
    phrase: str,
    target: str,
) -> float:
    scores = [score for score, _, _ in group]
    if policy == "reinforce":
        return 1 - math.prod(1 - score for score in scores)
    if policy == "random":
        return scores[int(stream(seed, "paraphrase", phrase, target).integers(len(scores)))]
    if policy == "marginal":
        whole = sum(score for _, score in given)
        return sum(score * math.exp(rule.values[DIRECT]) for score, _, rule in group) / whole
    if policy == "sum":
        return min(1.0, sum(scores))
    return scores[0]


def _induced(table: RuleTable, phrase: str, path: Rule, new: Mapping[str, float], values: str) -> Rule:
    source = tuple(phrase.split())
    kept = path.links if len(source) == len(path.source) else ()
    base = dict(path.values) if values == "copy" else _neutral(table)
    return Rule(source, path.target, {**base, **new}, kept)


def _neutral(table: RuleTable) -> dict[str, float]:
    """The logarithm of 1 in all columns, and equal chances for all orientations."""
    found = {name: neutral_value(name, table.columns) for name in table.columns}
    if "penalty" in found:
        found["penalty"] = 1.0
    return found
