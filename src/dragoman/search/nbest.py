"""N-best lists as text in the format of Moses, which tuners and rerankers read.

A line is `id ||| tokens  ||| name= value ... ||| score ||| segmentation ||| alignment`, the last two on request. Every
token is followed by a blank, hence two of them before the bars. Dense features come first, in the decoder's order, each
with its value even if it is 0; sparse ones follow by name. Values are natural logs and not weighted; the score is.
Bars inside a token would end the field, so they are written as Moses writes them in its input: `&#124;`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from dragoman.search.translation import phrase_steps

if TYPE_CHECKING:
    from dragoman.forest import Derivation
    from dragoman.search.translation import SentenceTranslation

__all__ = ["moses_line", "moses_nbest", "segmentation"]


def moses_nbest(
    translation: SentenceTranslation,
    number: int,
    size: int,
    *,
    names: Sequence[str] = (),
    distinct: bool = False,
    segments: bool = False,
    alignment: bool = False,
) -> Iterator[str]:
    """The lines of one sentence, best first; `number` counts from 0, `names` are those of the dense features."""
    for derivation in translation.nbest(size, distinct=distinct):
        more = []
        if segments:
            pairs = segmentation(derivation)
            more.append(" ".join(f"{_range(*source)}={_range(*target)}" for source, target in pairs))
        if alignment:
            more.append("".join(f"{source}-{target} " for source, target in derivation.links))
        yield moses_line(number, derivation.text, derivation.features, derivation.score, names=names, more=more)


def moses_line(
    number: int,
    text: str,
    features: Mapping[str, float],
    score: float,
    *,
    names: Sequence[str] = (),
    more: Sequence[str] = (),
) -> str:
    """One line; `more` are fields after the score."""
    listed = [*names, *sorted(set(features).difference(names))]
    values = " ".join(f"{name}= {features.get(name, 0.0):.9g}" for name in listed)
    escaped = text.replace("|", "&#124;")
    return " ||| ".join([str(number), f"{escaped} " if escaped else "", values, f"{score:.9g}", *more])


def segmentation(derivation: Derivation) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Source and target span of each phrase of a derivation, half-open, in target order."""
    return [(step.source, step.target) for step in phrase_steps(derivation)]


def _range(start: int, end: int) -> str:
    """Inclusive, as Moses writes it; a phrase that writes nothing has no position."""
    if end <= start:
        return ""
    return str(start) if end == start + 1 else f"{start}-{end - 1}"
