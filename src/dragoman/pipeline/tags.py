"""Tags are no words: models neither learn nor translate them, and they come back through the word alignment.

A tag between two words would break the phrase that they are. So the tokens of a sentence go to a model without its
tags, and the links of the translation are counted as if they had been there, which is what restoring needs to put each
tag where its neighbours went. Placeholders of other kinds stay: they stand for words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from dragoman.text.prepared import Prepared, PreparedSentence
from dragoman.text.tags import Link, is_tag

__all__ = ["links_with_tags", "positions_without_tags", "ranges_without_tags", "token_line"]


def positions_without_tags(sentence: PreparedSentence) -> Sequence[int]:
    """Positions of the tokens that a model sees."""
    if not sentence.protected:
        return range(len(sentence.tokens))
    tags = {index for index, kept in sentence.protected.items() if is_tag(kept)}
    return [position for position, word in enumerate(sentence.word_of) if word not in tags]


def ranges_without_tags(text: Prepared, positions: Sequence[Sequence[int]]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """For each sentence the raw characters of the tokens at these positions."""
    return tuple(
        tuple((int(sentence.spans[place][0]), int(sentence.spans[place][1])) for place in places)
        for sentence, places in zip(text.sentences, positions, strict=True)
    )


def token_line(text: Prepared) -> str:
    """The tokens of a segment that a model sees; its sentences are joined."""
    parts = (
        [part.tokens[place] for place in positions_without_tags(part)] if part.protected else part.tokens
        for part in text.sentences
    )
    return " ".join(chain.from_iterable(parts))


def links_with_tags(links: Iterable[Link], positions: Sequence[int]) -> list[Link]:
    """Links with source positions as they are with tags."""
    return [(positions[source], target) for source, target in links]
