"""Whether the problem that a certificate states is the one that a model has.

A certificate proves something about the options, scores and limits that it states, so it proves nothing about a model
unless these are the model's: a competing option that is left out, or made cheaper, would let any answer win. They are
compared with what the model says itself of the sentence, without any search for an answer. Where options of phrases
follow from the table alone (columns, penalties, language models), they are also looked up there rule by rule, by the
definition of the score, with nothing of the code that decoders use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from dragoman.errors import LimitReached
from dragoman.lm import Bounds
from dragoman.search.base import Decoder
from dragoman.search.certificate import Certificate, StatedOption
from dragoman.search.certified_models import ModelUse, Verdict, first_of, same
from dragoman.search.certified_states import StatedFeature
from dragoman.search.forest_certificate import ForestCertificate, StatedEdge

__all__ = ["other_problem", "verified"]


def verified(
    given: Certificate | ForestCertificate, decoder: Decoder, *, bounds: Sequence[Bounds] | None = None
) -> Verdict:
    """Check a certificate against a model: its proof, and whether what it proves is said of this model."""
    verdict = given.verify(decoder.language_models, bounds=bounds)
    try:
        problems = other_problem(given, decoder.stated_problem(" ".join(given.source)))
    except LimitReached as limit:
        problems = [f"whether the model states the same cannot be found out: {limit}"]
    table = decoder.table_options()
    if table is not None and isinstance(given, Certificate):
        problems += table.problems(given)
    return Verdict((*dict.fromkeys(problems), *verdict.problems), verdict.score, verdict.bound)


def other_problem(given: Certificate | ForestCertificate, own: Certificate | ForestCertificate) -> list[str]:
    """What a certificate states of a sentence that the model, which states `own`, does not say."""
    found = list(_models(given.language_models, own.language_models))
    if isinstance(given, Certificate) and isinstance(own, Certificate):
        found += [*_options(given, own), *_phrase_rules(given, own)]
    elif isinstance(given, ForestCertificate) and isinstance(own, ForestCertificate):
        found += _edges(given, own)
    else:
        return ["it is a certificate of another kind of model"]
    return first_of(found)


def _same_all(one: Sequence[float], other: Sequence[float]) -> bool:
    return len(one) == len(other) and all(map(same, one, other))


def _models(given: Sequence[ModelUse], own: Sequence[ModelUse]) -> Iterator[str]:
    """Those that are not stated as the model uses them; a weight of 0 is no use."""
    stated, known = ({use.name: use for use in uses if use.weight != 0} for uses in (given, own))
    for name in (each for each in known if each not in stated):
        yield f"the language model {name!r} is not stated"
    for name in (each for each in stated if each not in known):
        yield f"the model does not use the language model {name!r}"
    for name in (each for each in stated if each in known):
        one, other = stated[name].weight, known[name].weight
        if not same(one, other):
            yield f"the weight of {name!r} is {other:.6g} in the model, not {one:.6g}"


def _said(option: StatedOption, source: Sequence[str]) -> str:
    return f"{' '.join(source[option.start : option.end])!r} as {' '.join(option.target)!r}"


def _options(given: Certificate, own: Certificate) -> Iterator[str]:
    stated, known = _by_place(given.options), _by_place(own.options)
    for place in (each for each in known if each not in stated):
        yield f"an option of the model is not stated: {_said(known[place][0], given.source)}"
    for place in (each for each in stated if each not in known):
        yield f"the model has no option {_said(stated[place][0], given.source)}"
    for place in (each for each in stated if each in known):
        one, other = stated[place], known[place]
        if len(one) != len(other):
            yield f"{_said(one[0], given.source)} is stated {len(one)} times, and {len(other)} times in the model"
        for ours, theirs in zip(one, other, strict=False):
            if not same(ours.score, theirs.score):
                yield f"{_said(ours, given.source)} scores {theirs.score:.6f} in the model, not {ours.score:.6f}"
            if not (_same_all(ours.previous, theirs.previous) and _same_all(ours.next, theirs.next)):
                yield f"the orders of {_said(ours, given.source)} score otherwise in the model"


def _by_place(options: Sequence[StatedOption]) -> dict[tuple[int, int, tuple[str, ...]], list[StatedOption]]:
    found = defaultdict(list)
    for option in options:
        found[option.start, option.end, option.target].append(option)
    return {place: sorted(alike, key=lambda option: option.score) for place, alike in found.items()}


def _phrase_rules(given: Certificate, own: Certificate) -> Iterator[str]:
    """How phrases may follow each other, and what is said of that."""
    stated_jumps, jumps = given.jumps, own.jumps
    if not same(stated_jumps.weight, jumps.weight):
        yield f"the weight of jumps is {jumps.weight:.6g} in the model, not {stated_jumps.weight:.6g}"
    if stated_jumps.limit != jumps.limit:
        yield f"the distortion limit is {jumps.limit} in the model, not {stated_jumps.limit}"
    if stated_jumps.kind != jumps.kind:
        yield f"the distortion limit is one of the kind {jumps.kind} in the model, not {stated_jumps.kind}"
    if stated_jumps.final_jump != jumps.final_jump:
        yield f"the model {'charges' if jumps.final_jump else 'does not charge'} the last jump"
    if given.reordering != own.reordering:
        yield f"the reordering is {own.reordering} in the model, not {given.reordering}"
    if len(given.options) == len(own.options):  # automata are over numbers of options
        stated, known = ({feature.name: feature for feature in each.features} for each in (given, own))
        for name in {**stated, **known}:
            if name not in stated:
                yield f"{name} is not stated"
            elif name not in known or not _same_automaton(stated[name], known[name]):
                yield f"{name} is another one in the model"


def _same_automaton(one: StatedFeature, other: StatedFeature) -> bool:
    def shape(feature: StatedFeature) -> Any:
        options = [[option for option, _ in row] for row in feature.scores]
        return feature.after, options, [state[:2] for state in feature.states]

    def scores(feature: StatedFeature) -> list[float]:
        rows = [score for row in feature.scores for _, score in row]
        return [*rows, *(end for *_, end in feature.states)]

    return bool(shape(one) == shape(other) and _same_all(scores(one), scores(other)))


def _edges(given: ForestCertificate, own: ForestCertificate) -> Iterator[str]:
    """Forests of one parser number their nodes alike, so that edges can be compared one by one."""
    if given.goal != own.goal:
        yield f"the forest of the model has {own.goal + 1} nodes, not {given.goal + 1}"
        return
    stated, known = _scores_by_place(given.edges), _scores_by_place(own.edges)

    def said(place: EdgePlace) -> str:
        return f"{' '.join(str(each) for each in place[2])!r} of node {place[0]}"

    for place in (each for each in known if each not in stated):
        yield f"an edge of the model is not stated: {said(place)}"
    for place in (each for each in stated if each not in known):
        yield f"the model has no edge {said(place)}"
    for place in (each for each in stated if each in known):
        if not _same_all(sorted(stated[place]), sorted(known[place])):
            yield f"the edge {said(place)} scores otherwise in the model"


EdgePlace = tuple[int, tuple[int, ...], tuple[str | int, ...]]


def _scores_by_place(edges: Sequence[StatedEdge]) -> dict[EdgePlace, list[float]]:
    found = defaultdict(list)
    for edge in edges:
        found[edge.head, edge.tails, edge.target].append(edge.score)
    return found
