"""Metrics that fit the text: its language, and how it is cut into tokens where no blanks stand between words.

A metric over words takes a Japanese sentence for a single word unless it is told better, and METEOR would stem German
as if it were English. What a caller asks for in so many words is done; what is left open is chosen by the references
and by the language, as far as it is known, and said.

    >>> chosen, warnings = fitting(["bleu"], ["这是一本书"])
    >>> chosen["bleu"].tokenize, warnings
    ('zh', ['the references look like zh, written without blanks between words: bleu cuts them by `zh`'])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from dragoman.metrics.base import Metric
from dragoman.metrics.blend import Blend
from dragoman.metrics.by_name import get_metric
from dragoman.metrics.references import References, ReferenceText
from dragoman.settings import declared
from dragoman.text.languages import primary
from dragoman.text.scripts import UNSPACED, unspaced_language

__all__ = ["MetricSpecs", "fitting", "unspaced_tokenizer"]

MetricSpecs = Sequence[str | Metric] | str | Metric
"""Metrics by name or expression, as they are, or both; one or several."""

_LOOKED_AT = 200
_BY_BLANKS = ("13a", "intl", "none")


def unspaced_tokenizer(language: str) -> str:
    """How metrics cut text of a language that has no blanks between words; nothing for others."""
    return "" if primary(language) not in UNSPACED else "zh" if primary(language) == "zh" else "char"


def fitting(
    specs: MetricSpecs, references: References | ReferenceText, *, language: str = ""
) -> tuple[dict[str, Metric], list[str]]:
    """Metrics by what reports call them, made for these references, and what was decided on the way."""
    lines = [line for line in islice(References.of(references).lines, _LOOKED_AT) if line]
    seen = unspaced_language(" ".join(lines))
    tokenize = unspaced_tokenizer(language if primary(language) in UNSPACED and seen else seen)
    named: dict[str, Metric] = {}
    cut: list[str] = []
    blind: list[str] = []
    warnings: list[str] = []
    for spec in [specs] if isinstance(specs, str | Metric) else specs:
        metric = get_metric(spec, language=language, tokenize=tokenize)
        label = spec.strip() if isinstance(spec, str) else metric.name
        while label in named:
            label += "'"
        named[label] = metric
        if tokenize:
            (blind if any(_by_blanks(each) for each in _members(metric)) else cut).append(label)
        if not language and isinstance(spec, str) and "language" not in spec and _is_english(metric):
            warnings.append(
                f"{label}: no language is known, so stems and synonyms are English; say "
                f"`{label}{',' if ':' in label else ':'}language=de`, or give the language"
            )
    cut = [label for label in cut if any("tokenize" in declared(type(each)) for each in _members(named[label]))]
    if cut:
        warnings.append(
            f"the references look like {seen}, written without blanks between words: {', '.join(cut)} cuts them by "
            f"`{tokenize}`"
        )
    if blind:
        warnings.append(
            f"the references look like {seen}, written without blanks between words, and {', '.join(blind)} takes what "
            f"stands between blanks for a word; leave the tokenizer out, or choose `{tokenize}`"
        )
    return named, warnings


def _members(metric: Metric) -> Iterable[Metric]:
    return [each for _, each in metric.terms] if isinstance(metric, Blend) else [metric]


def _by_blanks(metric: Metric) -> bool:
    settings: Mapping[str, Any] = metric.to_dict() if not isinstance(metric, Blend) else {}
    return settings.get("tokenize") in _BY_BLANKS


def _is_english(metric: Metric) -> bool:
    """Whether a metric stems, and in English."""
    return any(each.stemmed_language == "en" for each in _members(metric))
