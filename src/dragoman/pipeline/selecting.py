"""The part of a training text that is most like what will be translated, chosen before anything is learned.

Feature decay (Biçici and Yuret 2011; `dragoman.text.selection`) looks for n-grams of the source side of the dev set and
of any text of the domain, such as that which is to be translated: a system for one test set needs an eighth of a large
bitext (Green, Cer et al. 2013). Words are compared as tokens in lower case, however the text is prepared later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dragoman.errors import InputError
from dragoman.pipeline.base import Facts
from dragoman.pipeline.tags import token_line
from dragoman.text.corpus import SegmentPair
from dragoman.text.preprocessing import Preprocessing
from dragoman.text.preprocessor import Preprocessor
from dragoman.text.selection import select_lines

__all__ = ["selected_pairs"]


def selected_pairs(
    pairs: Sequence[SegmentPair],
    domain: Sequence[str],
    settings: Preprocessing,
    *,
    size: int,
    order: int,
    threads: int = 0,
) -> tuple[list[SegmentPair], Facts]:
    """At most `size` pairs, in their order, and what was chosen; `settings` are those of the source side."""
    if len(pairs) <= size:
        return list(pairs), {}
    if not any(text.strip() for text in domain):
        raise InputError(
            "pairs are to be chosen for a domain, and there is no text of it",
            remedy="give a dev set or text of the domain, or leave out select_pairs",
        )
    plain = Preprocessor(replace(settings, case="lowercase" if settings.tokenize else "keep", pieces="words"))

    def tokens(texts: Sequence[str]) -> list[str]:
        return [token_line(each) for each in plain.prepare_all(list(texts), threads=threads)]

    chosen = select_lines(
        tokens([pair.source for pair in pairs]), tokens(domain), size=size, order=order, threads=threads
    )
    rows = sorted(chosen.lines)
    facts: Facts = {"selected_of": len(pairs), "selected_unrelated": chosen.unrelated}
    return [pairs[row] for row in rows], facts
