"""Word alignment: which words of a sentence pair translate each other.

Aligners are chosen by name (`ALIGNERS`), trained on two lists of tokenised sentences, saved as bundles and asked for
links, soft links or symmetrized alignments. `bayes` is the default because it measured best; see
`docs/concepts/alignment-models.md`. The room itself can be called: `dragoman.align(source, target)` trains an aligner
on two texts and gives their links.
"""

from __future__ import annotations

import sys
from inspect import Signature, signature
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dragoman.align.aer import AlignmentScores, GoldAlignment, alignment_scores
from dragoman.align.alignment import Alignment
from dragoman.align.base import ALIGNERS, Aligner, AlignerReport, LinkPosteriors, get_aligner
from dragoman.align.symmetrize import HEURISTICS, symmetrize, symmetrize_all
from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.align.anchors import find_anchors
    from dragoman.align.grouping import group, ungroup

__all__ = [
    "ALIGNERS",
    "HEURISTICS",
    "Aligner",
    "AlignerReport",
    "Alignment",
    "AlignmentScores",
    "GoldAlignment",
    "LinkPosteriors",
    "alignment_scores",
    "find_anchors",
    "get_aligner",
    "group",
    "symmetrize",
    "symmetrize_all",
    "ungroup",
]


class _CallableRoom(ModuleType):
    """The room under a name that is also a verb: what people write first should work."""

    def __call__(self, *texts: Any, **options: Any) -> list[Alignment]:
        from dragoman.align.texts import align_texts

        return align_texts(*texts, **options)

    def __dir__(self) -> list[str]:
        return sorted(__all__)

    @property
    def __signature__(self) -> Signature:
        """What editors and notebooks show of it."""
        from dragoman.align.texts import align_texts

        return signature(align_texts)


sys.modules[__name__].__class__ = _CallableRoom

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "find_anchors": "dragoman.align.anchors",
        "group": "dragoman.align.grouping",
        "ungroup": "dragoman.align.grouping",
    },
)
