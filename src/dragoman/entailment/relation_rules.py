"""Relations that can be said in several ways, and whether text and hypothesis say them of the same things.

*Karl's wife Anna* and *Anna is married to Karl* have no verb in common, and an alignment of words sees little that they
share. A rule says in which ways a relation between two things is put into words, as patterns over dependency graphs
(Chambers et al. 2007 write such rules by hand for family, work, membership, location, business and base). Where the
hypothesis says a relation, the text is searched for it: said of the things that correspond, it is a match; said of one
of them and something else, a mismatch. The rules are a file (`markers/relations.toml`) that can be changed.

    >>> rules = RelationRules.load()
    >>> rules.classes
    ('family', 'work', 'membership', 'location', 'business', 'base')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from dragoman.annotations.graphs import DependencyGraph
from dragoman.annotations.patterns import Pattern
from dragoman.entailment.graph_alignment import GraphAlignment
from dragoman.errors import FormatError
from dragoman.plain_data import parse_toml, read_toml

__all__ = ["CLASSES", "RelationFinding", "RelationMatch", "RelationRule", "RelationRules"]

CLASSES = ("family", "work", "membership", "location", "business", "base")
"""What rules may be about; each class has a feature for matches and one for mismatches."""
_KEYS = frozenset(["name", "class", "symmetric", "nouns", "verbs", "with", "patterns", "implies"])
_SAME = 0.85
"""Words at least so alike stand for the same thing: equal, synonyms, parts of one name, what a pronoun refers to."""
_OF_NOUN = (
    "{N} >nsubj {}=x >nmod:of {}=y", "{N} >nsubj {}=x >nmod:poss {}=y", "{N} >nsubj {}=x >nmod:in {}=y",
    "{}=x >appos ({N} >nmod:of {}=y)", "{}=x >appos ({N} >nmod:poss {}=y)",
    "{N} >appos {}=x >nmod:poss {}=y", "{N} >appos {}=x >nmod:of {}=y",
    "{}=x >nmod:poss {}=y >compound {N}", "{}=x >compound ({N} >nmod:poss {}=y)", "{}=x >compound {N} >compound {}=y",
    "{N} >compound {}=y >appos {}=x", "{N} >compound {}=y >nsubj {}=x",
)  # fmt: skip
_OF_VERB = (
    "{V} >nsubj {}=x >obj {}=y",
    "{V} >nsubj:pass {}=y >obl:by {}=x",
    "{V} >nsubj:pass {}=y >obl:agent {}=x",
    "{}=y >acl ({V} >obl:by {}=x)",
    "{}=x >acl:relcl ({V} >obj {}=y)",
)
_WITH = (
    "{V} >nsubj {}=x >obl:P {}=y",
    "{V} >nsubj:pass {}=x >obl:P {}=y",
    "{}=x >acl ({V} >obl:P {}=y)",
    "{V} >nsubj {}=x >nmod:P {}=y",
    "{}=x >acl:relcl ({V} >obl:P {}=y)",
)


@dataclass(frozen=True, eq=False)
class RelationRule:
    """A relation and the patterns that find it, with the nodes x and y."""

    name: str
    kind: str
    """One of `CLASSES`."""
    symmetric: bool
    lemmas: frozenset[str]
    """Its nouns and verbs; they say the relation and do not stand in it."""
    patterns: tuple[Pattern, ...]
    """Over these words."""
    own: tuple[Pattern, ...] = ()
    """Over any words."""
    implies: tuple[str, ...] = ()

    def find(self, graph: DependencyGraph) -> set[tuple[int, int]]:
        """Pairs of nodes of which a graph says the relation."""
        lemmas = [node.lemma.lower() for node in graph]
        patterns = self.own if self.lemmas.isdisjoint(lemmas) else (*self.patterns, *self.own)
        pairs = {(m["x"].index, m["y"].index) for pattern in patterns for m in pattern.find(graph)}
        found = {pair for pair in pairs if self.lemmas.isdisjoint(lemmas[at] for at in pair)}
        return found | {(y, x) for x, y in found} if self.symmetric else found


@dataclass(frozen=True, slots=True)
class RelationFinding:
    """What the text says of a relation of the hypothesis."""

    kind: str
    match: bool
    reason: str


@dataclass(frozen=True, slots=True)
class RelationMatch:
    """A relation of hypothesis nodes that the text says of the nodes that stand for them."""

    rule: RelationRule
    hypothesis: tuple[int, int]
    text: tuple[int, int]
    same: bool
    """Whether the text says this relation itself, not one that implies it."""


@dataclass(frozen=True, eq=False)
class RelationRules:
    """All rules of a language."""

    language: str
    rules: Mapping[str, RelationRule]

    @classmethod
    def load(cls, path: Path | str | None = None) -> RelationRules:
        """The rules of a file, or the shipped English ones."""
        return _shipped() if path is None else cls.of(read_toml(path), where=str(path))

    @classmethod
    def of(cls, plain: Mapping[str, Any], *, where: str) -> RelationRules:
        """Rules from plain values; a rule that cannot be read is a `FormatError` with its name."""
        found: dict[str, RelationRule] = {}
        given = plain.get("relations", ())
        if not isinstance(given, Sequence) or plain.keys() - {"language", "relations"}:
            raise FormatError("not rules of relations", where=where, remedy="copy the shipped file and change that")
        for each in given:
            rule = _rule(each, where)
            if rule.name in found:
                raise FormatError(f"two relations are called {rule.name!r}", where=where)
            found[rule.name] = rule
        for rule in found.values():
            for name in rule.implies:
                if name.removeprefix("-") not in found:
                    raise FormatError(f"relation {rule.name!r} implies {name!r}, which is not there", where=where)
        return cls(str(plain.get("language", "")), found)

    @property
    def classes(self) -> tuple[str, ...]:
        """What the rules are about, in their order."""
        return tuple(dict.fromkeys(rule.kind for rule in self.rules.values()))

    @cached_property
    def _implied_by(self) -> dict[str, list[tuple[RelationRule, bool]]]:
        """The relations from which each follows, itself first, and whether x and y change places."""
        found: dict[str, list[tuple[RelationRule, bool]]] = {name: [(rule, False)] for name, rule in self.rules.items()}
        for rule in self.rules.values():
            for name in rule.implies:
                found[name.removeprefix("-")].append((rule, name.startswith("-")))
        return found

    def said(self, graph: DependencyGraph, name: str) -> set[tuple[int, int]]:
        """Pairs of nodes of which a graph says a relation, or one that implies it."""
        found: set[tuple[int, int]] = set()
        for rule, turned in self._implied_by[name]:
            pairs = rule.find(graph)
            found |= {(y, x) for x, y in pairs} if turned else pairs
        if self.rules[name].symmetric:
            found |= {(y, x) for x, y in found}
        return found

    def matches(self, alignment: GraphAlignment) -> Iterator[RelationMatch]:
        """The relations of the hypothesis that the text says of the same things."""
        for rule in self.rules.values():
            wanted = rule.find(alignment.hypothesis)
            if not wanted:
                continue
            own = rule.find(alignment.text)
            for x, y in sorted(wanted):
                for tx, ty in sorted(self.said(alignment.text, rule.name)):
                    if min(alignment.words[x][tx].similarity, alignment.words[y][ty].similarity) >= _SAME:
                        yield RelationMatch(rule, (x, y), (tx, ty), (tx, ty) in own)

    def findings(self, alignment: GraphAlignment) -> Iterator[RelationFinding]:
        """For each relation of the hypothesis that the text speaks of, whether it says the same."""
        ours, theirs = alignment.hypothesis, alignment.text
        for rule in self.rules.values():
            wanted = rule.find(ours)
            if not wanted:
                continue
            given = self.said(theirs, rule.name)

            def same(node: int, place: int) -> bool:
                return alignment.words[node][place].similarity >= _SAME

            pairs = [(x, y, tx, ty) for x, y in sorted(wanted) for tx, ty in sorted(given)]
            both = [each for each in pairs if same(each[0], each[2]) and same(each[1], each[3])]
            one = [each for each in pairs if same(each[0], each[2]) or same(each[1], each[3])]
            if both or one:
                x, y, tx, ty = (both or one)[0]
                names = f"'{ours.nodes[x].word}' and '{ours.nodes[y].word}'"
                said = f"'{theirs.nodes[tx].word}' and '{theirs.nodes[ty].word}'"
                how = f"{rule.name}: {names}, in the text {said}"
                yield RelationFinding(rule.kind, bool(both), how)


def _rule(plain: Any, where: str) -> RelationRule:
    name = plain.get("name", "") if isinstance(plain, Mapping) else ""
    place = f"{where}, relation {name!r}"
    if not name or not isinstance(plain, Mapping) or plain.keys() - _KEYS:
        raise FormatError("a relation without a name, or with an unknown key", where=place)
    if plain.get("class") not in CLASSES:
        raise FormatError(f"class {plain.get('class')!r}", where=place, remedy=f"choose from {', '.join(CLASSES)}")
    try:
        nouns, verbs = (tuple(map(str, plain.get(key, ()))) for key in ("nouns", "verbs"))
        prepositions = {str(key): tuple(map(str, words)) for key, words in plain.get("with", {}).items()}
        own = tuple(map(str, plain.get("patterns", ())))
        made = [each.replace("{N}", _one_of(nouns)) for each in _OF_NOUN if nouns]
        made += [each.replace("{V}", _one_of(verbs)) for each in _OF_VERB if verbs]
        for preposition, joined in prepositions.items():
            made += [each.replace("{V}", _one_of(joined)).replace(":P ", f":{preposition} ") for each in _WITH]
        patterns, more = (tuple(Pattern(each, ignore_case=True) for each in some) for some in (made, own))
    except (FormatError, TypeError, AttributeError) as error:
        raise FormatError(f"not a relation ({error})", where=place) from None
    if any("=x" not in each or "=y" not in each for each in own):
        raise FormatError("a pattern without =x or =y", where=place, remedy="name both nodes")
    lemmas = frozenset([*nouns, *verbs, *(word for each in prepositions.values() for word in each)])
    implies = tuple(map(str, plain.get("implies", ())))
    kind, symmetric = str(plain["class"]), bool(plain.get("symmetric", False))
    return RelationRule(str(name), kind, symmetric, lemmas, patterns, more, implies)


def _one_of(words: Sequence[str]) -> str:
    return "{lemma:/^(" + "|".join(words) + ")$/}"


@cache
def _shipped() -> RelationRules:
    file = resources.files("dragoman.entailment") / "markers" / "relations.toml"
    return RelationRules.of(parse_toml(file.read_text("utf-8"), where=file.name), where=file.name)
