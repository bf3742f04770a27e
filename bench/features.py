"""Sparse templates: what they cost in decoding.

A system from Multi30k (German to English, trained once and kept) translates the same sentences with no template, with
10 and with 30 of them, all native, in turn. Template weights are random, so that nothing can be skipped. There is no
peer that has them all, so the ratio is that of the speed with templates to the speed without.

A decoder remembers what templates fire for a rule or for words beside each other, so that text like what it has met is
translated faster than the first sentences after a start. Both matter to a user: a server runs warm, but a command that
translates one file is cold for most of it. So cold decoders, each made anew, are measured as well, on sentences that
they meet once. The sets of 10 and 30 are extremes, as they tell all rules and words apart however rare these are; the
target is for the templates that a training uses unless told otherwise, which leave rare rules out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache
from random import Random

import numpy as np

from bench.contest import bench
from dragoman.features import template
from dragoman.features.frequencies import InverseFrequencies
from dragoman.features.template import Template
from dragoman.features.weights import Weights
from dragoman.lm.classes import train_classes
from dragoman.search.phrase import PhraseDecoder
from experiments.systems import System, system

SENTENCES = 100
UNSEEN = 300
COLD_TARGET = 0.5
"""Templates may double the time of a file, but not more: else one would rather search deeper without them."""


@cache
def _system() -> System:
    return system("de")


@cache
def templates() -> tuple[Template, ...]:
    """Thirty templates; the first ten are of every kind."""
    made = _system()
    fine = {"source_classes": made.source_classes, "target_classes": made.target_classes}
    coarse = {
        "source_classes": train_classes(made.dev[0], classes=20, min_count=2),
        "target_classes": train_classes(made.dev[1], classes=20, min_count=2),
        "label": "coarse",
    }
    words = {"source_words": made.words[0], "target_words": made.words[1]}
    target = {"target_classes": made.target_classes}
    idf = {"source": InverseFrequencies.of(made.dev[0]), "target": InverseFrequencies.of(made.dev[1])}
    rough = {"target_classes": coarse["target_classes"], "label": "coarse"}
    return (
        template("rule"),
        template("link"),
        template("delete"),
        template("orient"),
        template("rule_class", **fine),
        template("orient_class", **fine),
        template("boundary", **target),
        template("shape"),
        template("jump"),
        template("target_class", **target),
        template("insert"),
        template("link_class", **fine),
        template("insert_class", **target),
        template("delete_class", source_classes=made.source_classes),
        template("punctuation"),
        template("function_words", **words),
        template("idf", **idf),
        template("target_ngram"),
        template("class_ngram", **target),
        template("class_ngram:order=3,label=three", **target),
        template("rule:min_count=10,label=frequent"),
        template("link:unit=clique,label=clique"),
        template("orient:classes=2,label=two"),
        template("rule_class", **coarse),
        template("link_class", **coarse),
        template("orient_class", **coarse),
        template("boundary", **rough),
        template("target_class", **rough),
        template("idf:squared,label=squared", **idf),
        template("shape:parts=both,label=both"),
    )


def _weighted(chosen: Sequence[Template], pop_limit: int, sentences: Sequence[str]) -> PhraseDecoder:
    """A decoder with weights for all that fires in these sentences."""
    decoder = _system().decoder(chosen, pop_limit=pop_limit)
    names = sorted({name for found in decoder.translate(sentences) for name in found.features} - set(decoder.weights))
    random = Random(1)
    return decoder.with_weights(decoder.weights | {name: random.uniform(-0.05, 0.05) for name in names})


def _milliseconds(decoders: dict[str, PhraseDecoder], sentences: list[str], *, forests: bool) -> dict[str, float]:
    """Best processor time per sentence, the decoders in turn: other people's jobs on the machine do not count."""
    best: dict[str, float] = {}
    for _ in range(3):
        for name, decoder in decoders.items():
            start = time.process_time()
            if forests:
                decoder.forests(sentences, threads=1)
            else:
                decoder.translate(sentences, threads=1)
            spent = 1000 * (time.process_time() - start) / len(sentences)
            best[name] = min(best.get(name, spent), spent)
    return best


def _figures(pop_limit: int) -> dict[str, str]:
    sentences = _system().heldout[0][:SENTENCES]
    decoders = {f"{count} templates": _weighted(templates()[:count], pop_limit, sentences) for count in (0, 10, 30)}
    found: dict[str, str] = {}
    for what, forests in (("translate", False), ("forests for tuning", True)):
        spent = _milliseconds(decoders, sentences, forests=forests)
        for name, value in spent.items():
            ratio = spent["0 templates"] / value
            found[f"{what}, {name}"] = f"{value:.2f} ms/sentence, {ratio:.2f} of the speed without"
    return found | {"weights with 30 templates": f"{len(decoders['30 templates'].weights):,}"}


@bench("decoding with templates, pop limit 100, one thread, processor time")
def small_search() -> dict[str, str]:
    return _figures(100)


@bench("decoding with templates, pop limit 400, one thread, processor time")
def large_search() -> dict[str, str]:
    return _figures(400)


def _cold(chosen: Sequence[Template], weights: Weights, sentences: list[str], pop_limit: int) -> tuple[float, float]:
    """Milliseconds per sentence of a decoder that has met no text, and of the same one when it meets the text again."""
    decoder = _system().decoder(chosen, pop_limit=pop_limit).with_weights(weights)
    spent = []
    for _ in range(2):
        start = time.process_time()
        decoder.translate(sentences, threads=1)
        spent.append(1000 * (time.process_time() - start) / len(sentences))
    return spent[0], spent[1]


@bench(
    "decoding of unseen text with templates, pop limit 400, one thread, processor time; target for those of the usual "
    f"recipe: {COLD_TARGET} of the speed without"
)
def unseen_text() -> dict[str, str]:
    sentences = _system().heldout[0][:UNSEEN]
    usual = "usual templates"
    sets: dict[str, Sequence[Template]] = {
        "0 templates": (),
        usual: _system().templates("filtered"),
        "10 templates": templates()[:10],
        "30 templates": templates(),
    }
    weights = {name: _weighted(chosen, 400, sentences).weights for name, chosen in sets.items()}
    best: dict[str, tuple[float, float]] = {}
    for _ in range(3):
        for name, chosen in sets.items():
            cold, warm = _cold(chosen, weights[name], sentences, 400)
            known = best.get(name, (cold, warm))
            best[name] = min(known[0], cold), min(known[1], warm)
    found = {}
    for name, (cold, warm) in best.items():
        ratio, again = (before / now for before, now in zip(best["0 templates"], (cold, warm), strict=True))
        verdict = "" if name != usual else ", ok" if ratio >= COLD_TARGET else ", SHORT"
        found[name] = (
            f"cold {cold:.2f} ms/sentence, {ratio:.2f} of the speed without{verdict}; "
            f"warm {warm:.2f} ms/sentence, {again:.2f}"
        )
    return found


@bench("other weights for the same models")
def other_weights() -> dict[str, str]:
    decoder = _weighted(templates()[:4], 100, _system().heldout[0][:SENTENCES])
    ids = decoder.feature_ids
    weights = Weights({ids.word(index): 0.01 for index in range(1, min(len(ids), 100_001))})
    vector = np.full(len(ids), 0.01)
    figures = {}
    makers: dict[str, Callable[[], PhraseDecoder]] = {
        "by name": lambda: decoder.with_weights(weights),
        "by id": lambda: decoder.with_vector(vector),
    }
    for name, make in makers.items():
        times = []
        for _ in range(5):
            start = time.process_time()
            make()
            times.append(time.process_time() - start)
        size = len(weights) if name == "by name" else len(vector)
        figures[f"{size:,} weights {name}"] = f"{1000 * min(times):.1f} ms"
    return figures
