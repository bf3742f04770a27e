"""Synthetic bitext: pairs per second, and what the text is like."""

from __future__ import annotations

import time
from collections import Counter

from bench.contest import Contest, bench
from dragoman.text import synthetic


def _plain(name: str) -> Contest:
    pair = synthetic.pair(name)

    def run() -> None:
        for item in pair.generate(5000):
            _ = item.source.text, item.target.text, item.alignment

    return Contest(run, units=5000, unit="pairs", note="raw text, tokens, alignment; one process")


@bench("generate en-de")
def generate_german() -> Contest:
    return _plain("en-de")


@bench("generate en-qsv")
def generate_sarvi() -> Contest:
    return _plain("en-qsv")


@bench("generate en-de with annotations")
def annotate() -> Contest:
    pair = synthetic.pair("en-de")

    def run() -> None:
        for item in pair.generate(1500):
            _ = item.source.annotated, item.target.annotated

    return Contest(run, units=1500, unit="pairs", note="trees, features and frames of both sides")


def _figures(name: str) -> dict[str, str]:
    items = list(synthetic.pair(name).generate(10_000, seed=1))
    lengths = sorted(len(item.source) for item in items)
    train = [{token for item in items[:5000] for token in getattr(item, side).tokens} for side in ("source", "target")]
    heldout = [
        [token for item in items[5000:6000] for token in getattr(item, side).tokens] for side in ("source", "target")
    ]
    unknown = [
        sum(token not in known for token in tokens) / len(tokens) for known, tokens in zip(train, heldout, strict=True)
    ]
    linked = Counter(len(item.idioms) > 0 for item in items)
    return {
        "source tokens per sentence, mean": f"{sum(lengths) / len(lengths):.1f}",
        "longest source sentence": str(lengths[-1]),
        "repeated source sentences in 10,000": str(len(items) - len({item.source.text for item in items})),
        "types in 5,000 pairs, source and target": f"{len(train[0]):,} and {len(train[1]):,}",
        "unknown tokens in the next 1,000 pairs": f"{unknown[0]:.2%} and {unknown[1]:.2%}",
        "pairs with an idiom": f"{linked[True] / len(items):.1%}",
        "pairs with an ambiguous word": f"{sum(bool(item.ambiguous) for item in items) / len(items):.1%}",
    }


@bench("generate, by processor time")
def processor_time() -> dict[str, str]:
    """What an idle machine would give: other people's load does not count here."""
    figures = {}
    for name in synthetic.PAIRS:
        times = []
        for _ in range(3):
            start = time.process_time()
            for item in synthetic.pair(name).generate(3000):
                _ = item.source.text, item.target.text, item.alignment
            times.append(time.process_time() - start)
        figures[f"{name}, pairs per second of processor time"] = f"{3000 / min(times):,.0f}"
    return figures


@bench("the text of en-de")
def german_text() -> dict[str, str]:
    return _figures("en-de")


@bench("the text of en-qsv")
def sarvi_text() -> dict[str, str]:
    return _figures("en-qsv")
