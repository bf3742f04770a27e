"""Sparse templates once more, slowly and obviously: what a finished translation fires, from its phrases alone."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dragoman.annotations.phrase_spans import PhraseSpan, phrase_spans
from dragoman.features import context, lexical, measures
from dragoman.features.frequencies import InverseFrequencies, is_punctuation
from dragoman.features.soft_syntax import SoftSyntax, SyntaxTerm
from dragoman.features.template import Template
from dragoman.lm.classes import ClassMap
from dragoman.text.source_text import SourceText

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Step:
    """One rule of a translation; `count` is None for what is not in the table."""

    span: tuple[int, int]
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: Pairs
    count: float | None
    marked: frozenset[str] = frozenset()


def coded(word: str) -> str:
    """A word as it stands in a feature name."""
    return re.sub(r"[%_>@#=\s\x00-\x20\x7f\x85]", lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), word)


def joined(words: Sequence[str]) -> str:
    return "_".join(map(coded, words))


def units(links: Pairs, *, cliques: bool) -> set[tuple[frozenset[int], frozenset[int]]]:
    found = set()
    for start, _ in links:
        sources = {start}
        targets: set[int] = set()
        while True:
            more_targets = targets | {t for s, t in links if s in ({start} if cliques else sources)}
            more_sources = sources | {s for s, t in links if t in more_targets}
            if (more_sources, more_targets) == (sources, targets):
                break
            sources, targets = more_sources, more_targets
        found.add((frozenset(sources), frozenset(targets)))
    return found


def labels(template: Template) -> tuple[Callable[[str], str], Callable[[str], str]]:
    source, target = getattr(template, "source_classes", None), getattr(template, "target_classes", None)
    return (
        source.of if isinstance(source, ClassMap) else str,
        target.of if isinstance(target, ClassMap) else str,
    )


class Fired(Counter[str]):
    def add(self, name: str, value: float = 1.0) -> None:
        self[name] += value  # type: ignore[assignment]


def fired(template: Template, steps: Sequence[Step], sentence: SourceText, known_targets: set[str]) -> dict[str, float]:
    """All that a template fires for a translation."""
    found = Fired()
    prefix = template.prefix
    domain = sentence.domain
    if template.declared_domains and not domain:
        domain = template.declared_domains.names[0]
    copies = [""]
    if isinstance(template, (lexical._Lexicalized, context.Orientations)) and template.domains:
        copies.append(f"@{coded(domain)}")
    in_source, in_target = labels(template)
    lexicalized = isinstance(
        template, (lexical.Rules, lexical.Links, lexical.Deletions, lexical.Insertions, context.Orientations)
    )

    def admitted(step: Step) -> bool:
        if step.count is None:
            return not lexicalized and not getattr(template, "min_count", 0)
        return step.count >= getattr(template, "min_count", 0)

    def spelt(step: Step) -> str:
        return f"{joined([*map(in_source, step.source)])}>{joined([*map(in_target, step.target)])}"

    for step in steps:
        if not admitted(step):
            continue
        if isinstance(template, (lexical.Rules, lexical.RuleClasses)):
            for copy in copies:
                found.add(f"{prefix}:{spelt(step)}{copy}")
        if isinstance(template, (lexical.Links, lexical.LinkClasses)):
            for sources, targets in units(step.links, cliques=template.unit == "clique"):
                left = joined(sorted(in_source(step.source[i]) for i in sources))
                right = joined(sorted(in_target(step.target[i]) for i in targets))
                for copy in copies:
                    found.add(f"{prefix}:{left}>{right}{copy}")
        if isinstance(template, (lexical.Deletions, lexical.DeletionClasses)):
            for index, word in enumerate(step.source):
                if index not in {s for s, _ in step.links}:
                    for copy in copies:
                        found.add(f"{prefix}:{coded(in_source(word))}{copy}")
        if isinstance(template, (lexical.Insertions, lexical.InsertionClasses)):
            for index, word in enumerate(step.target):
                if index not in {t for _, t in step.links}:
                    for copy in copies:
                        found.add(f"{prefix}:{coded(in_target(word))}{copy}")
        if isinstance(template, lexical.TargetClasses):
            for word in step.target:
                found.add(f"{prefix}:{coded(in_target(word))}")
        measure(template, step, sentence, found)
    look_back(template, steps, sentence, domain, copies, admitted, spelt, known_targets, found)
    return {name: value for name, value in found.items() if value}


def crosses(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two spans overlap and neither contains the other."""
    common = set(range(*one)) & set(range(*other))
    return bool(common) and not set(range(*one)) <= set(range(*other)) and not set(range(*other)) <= set(range(*one))


def syntax_value(term: SyntaxTerm, span: tuple[int, int], phrases: Sequence[PhraseSpan]) -> float:
    """What a soft constraint says of a span, by its definition."""
    meant = [(start, end) for label, start, end in phrases if not term.labels or label in term.labels]
    match, cross = span in meant, any(crosses(span, each) for each in meant)
    return {"=": match, "+": cross, "_": match - cross}[term.kind]


def measure(template: Template, step: Step, sentence: SourceText, found: Fired) -> None:
    prefix = template.prefix
    if isinstance(template, measures.Shape):
        source, target = len(step.source), len(step.target)
        for part, name in zip(
            measures._PARTS, (f"source.{source}", f"target.{target}", f"{source}x{target}"), strict=True
        ):
            if part in template.parts:
                found.add(f"{prefix}:{name}")
    if isinstance(template, measures.Punctuation) and (size := sum(map(is_punctuation, sentence.text.split()))):
        found.add(prefix, sum(map(is_punctuation, step.target)) / size)
    if isinstance(template, measures.FunctionWords):
        size = sum(word in template.source_words for word in sentence.text.split())  # type: ignore[operator]
        if size:
            found.add(prefix, sum(word in template.target_words for word in step.target) / size)  # type: ignore[operator]
    if isinstance(template, SoftSyntax) and sentence.annotation is not None:
        phrases = phrase_spans(sentence.annotation, "" if template.spans == "auto" else template.spans)
        for term in template.terms:
            found.add(f"{prefix}:{term.name}", syntax_value(term, step.span, phrases))
    if isinstance(template, measures.Idf):
        assert isinstance(template.source, InverseFrequencies)
        assert isinstance(template.target, InverseFrequencies)
        difference = sum(template.target[w] for w in step.target) - sum(template.source[w] for w in step.source)
        if difference:
            value = difference**2 if template.squared else abs(difference)
            found.add(f"{prefix}:{'target' if difference > 0 else 'source'}", value)
    if isinstance(template, measures.TaggedDeletions) and sentence.tags:
        for index in range(len(step.source)):
            position = step.span[0] + index
            tag = sentence.tags[position]
            if not tag.startswith(template.tags) or (template.heads_only and position not in sentence.heads):
                continue
            targets = [step.target[t] for s, t in step.links if s == index]
            if not targets or any(word in template.frequent for word in targets):  # type: ignore[operator]
                found.add(f"{prefix}:{coded(tag)}")
                found.add(f"{prefix}:any")


def orientation(previous: tuple[int, int] | None, span: tuple[int, int]) -> list[str]:
    if span[0] == (previous[1] if previous else 0):
        return ["monotone"]
    return ["swap" if previous and span[1] == previous[0] else "discontinuous", "nonmonotone"]


def look_back(
    template: Template,
    steps: Sequence[Step],
    sentence: SourceText,
    domain: str,
    copies: Sequence[str],
    admitted: Callable[[Step], bool],
    spelt: Callable[[Step], str],
    known_targets: set[str],
    found: Fired,
) -> None:
    prefix = template.prefix
    _, in_target = labels(template)
    for index, step in enumerate(steps):
        before = steps[index - 1] if index else None
        if isinstance(template, (context.Orientations, context.OrientationClasses)):
            for name in orientation(before.span if before else None, step.span):
                if template.classes == 2 and name in ("swap", "discontinuous"):
                    continue
                for side, credited in (("previous", step), ("next", before)):
                    if side in template.sides and credited and admitted(credited):
                        for copy in copies:
                            found.add(f"{prefix}:{side}.{name}:{spelt(credited)}{copy}")
        if isinstance(template, context.Jumps):
            jump = before.span[1] - step.span[0] if before else step.span[0]
            found.add(f"{prefix}:{jump}")
            if jump:
                found.add(f"{prefix}:{'positive' if jump > 0 else 'negative'}")
        if isinstance(template, context.DomainRules) and domain in step.marked:
            found.add(f"{prefix}:rule")
            found.add(f"{prefix}:rule@{coded(domain)}")
        if isinstance(template, context.AdjacentDomain) and before and domain in step.marked & before.marked:
            found.add(f"{prefix}:rules")
            found.add(f"{prefix}:rules@{coded(domain)}")
    if isinstance(template, context.TagOrder) and sentence.tags:
        tags = ["<s>", *(joined(sentence.tags[slice(*step.span)]) for step in steps), "</s>"]
        for place, (left, right) in enumerate(itertools.pairwise(tags)):
            if "previous" in template.sides and place < len(steps):
                found.add(f"{prefix}:previous.{left}>{right}")
            if "next" in template.sides and place > 0:
                found.add(f"{prefix}:next.{left}>{right}")
    if isinstance(template, context.Boundaries):
        written = [step.target for step in steps if step.target]
        last = "<s>"
        for target in written:
            found.add(f"{prefix}:{last}_{coded(in_target(target[0]))}")
            last = coded(in_target(target[-1]))
        found.add(f"{prefix}:{last}_</s>")
    if isinstance(template, (context.TargetNgrams, context.ClassNgrams)):
        order = template.order
        known = known_targets if isinstance(template, context.TargetNgrams) else None
        words = [
            "<unk>" if known is not None and word not in known else coded(in_target(word))
            for step in steps
            for word in step.target
        ]
        padded = ["<s>"] * (order - 1) + words + ["</s>"] * (order > 1)
        for end in range(order, len(padded) + 1):
            found.add(f"{prefix}:{'_'.join(padded[end - order : end])}")


def all_fired(
    templates: Sequence[Template], steps: Sequence[Step], sentence: SourceText, known_targets: set[str]
) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for template in templates:
        found |= fired(template, steps, sentence, known_targets)
    return found
