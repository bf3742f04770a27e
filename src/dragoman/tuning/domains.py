"""Scores by domain: a mean over everything hides what a domain gained or lost (Green, Cer and Manning 2014).

Domains are those that sentences name themselves (`SourceText`); what names none is taken together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.metrics.base import Metric
from dragoman.metrics.references import ReferenceText
from dragoman.search.base import Tunable
from dragoman.text.source_text import Source, SourceText
from dragoman.tuning.dev import DevSet

__all__ = ["DomainScore", "domain_scores"]


@dataclass(frozen=True, slots=True)
class DomainScore:
    """The metric on the sentences of one domain."""

    score: float
    segments: int


def domain_scores(
    decoder: Tunable,
    sentences: Sequence[Source],
    references: ReferenceText,
    *,
    metric: str | Metric = "bleu",
    threads: int = 0,
) -> dict[str, DomainScore]:
    """Translate, and score each domain by itself and `all` together."""
    whole = DevSet.of(sentences, references, metric, threads=threads)
    texts = [found.text for found in decoder.translate(sentences, threads=threads)]
    places: dict[str, list[int]] = {}
    for place, sentence in enumerate(sentences):
        places.setdefault(SourceText.of(sentence).domain, []).append(place)
    found = {}
    for domain, chosen in sorted(places.items()):
        streams = [[stream[place] for place in chosen] for stream in whole.references]
        part = DevSet.of([sentences[place] for place in chosen], streams, whole.metric, threads=threads)
        found[domain] = DomainScore(part.score([texts[place] for place in chosen], threads=threads), len(chosen))
    return found | {"all": DomainScore(whole.score(texts, threads=threads), len(sentences))}
