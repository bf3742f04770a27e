"""Word alignment of a training text in which some expressions are known to belong together.

A list of pairs, made by hand or mined (`dragoman align mwe extract`), is prepared as the text is; where both sides of a
pair occur, their words are glued into one token each, the aligner links the tokens, and links of glued tokens become
links between all their words, so that no rule splits them (Okita, Maldonado Guerra, Graham and Way 2010).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dragoman.align.alignment import Alignment
from dragoman.align.anchors import Anchors, find_anchors
from dragoman.align.base import Aligner
from dragoman.align.grouping import GroupedBitext, group, ungroup
from dragoman.align.mwe import read_expressions
from dragoman.pipeline.tags import token_line
from dragoman.text.preprocessor import Preprocessor

__all__ = ["AnchoredText", "anchored_text"]


@dataclass(frozen=True, slots=True)
class AnchoredText:
    """A text with its known expressions glued."""

    glued: GroupedBitext
    known: Anchors | None
    """The links that are known; None where glued expressions may be linked as the aligner likes."""

    @property
    def anchors(self) -> int:
        """How many places were glued."""
        return len(self.glued.anchors)

    def links(self, aligner: Aligner, symmetrize: str, *, threads: int = 0) -> list[Alignment]:
        """Links between the words of the text, by an aligner that was trained on the glued one."""
        found = aligner.align(
            self.glued.source, self.glued.target, symmetrize=symmetrize, anchors=self.known, threads=threads
        )
        return ungroup(found, self.glued.source, self.glued.target)


def anchored_text(
    expressions: Path | str,
    source: Sequence[str],
    target: Sequence[str],
    preprocessors: tuple[Preprocessor, Preprocessor],
    *,
    links: str = "hard",
) -> AnchoredText:
    """Tokenised lines of both sides with the expressions of a file glued; `links` is one of `ANCHOR_LINKS`."""
    listed = [each.anchor(soft=links == "soft") for each in read_expressions(expressions)]
    sides = (
        [
            [token_line(found) for found in preprocessor.prepare_all(words)]
            for preprocessor, words in zip(
                preprocessors, zip(*((a, b) for a, b, _ in listed), strict=True), strict=True
            )
        ]
        if listed
        else [[], []]
    )
    pairs = [(one, other, each[2]) for one, other, each in zip(*sides, listed, strict=True)]
    glued = group(source, target, find_anchors(pairs, source, target))
    return AnchoredText(glued, glued.known_links() if links != "glued" else None)
