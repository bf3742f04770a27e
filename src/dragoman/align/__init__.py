"""Word alignment: which words of a sentence pair translate each other.

Aligners are chosen by name (`ALIGNERS`), trained on two lists of tokenised sentences, saved as bundles and asked for
links, soft links or symmetrized alignments. `bayes` is the default because it measured best; see
`docs/concepts/alignment-models.md`. The room itself can be called: `dragoman.align(source, target)` trains an aligner
on two texts and gives their links.
"""

import sys
from inspect import Signature, signature
from types import ModuleType
from typing import Any

from dragoman.align.aer import AlignmentScores, GoldAlignment, alignment_scores
from dragoman.align.alignment import Alignment
from dragoman.align.base import ALIGNERS, Aligner, AlignerReport, LinkPosteriors, get_aligner
from dragoman.align.symmetrize import HEURISTICS, symmetrize, symmetrize_all

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
    "get_aligner",
    "symmetrize",
    "symmetrize_all",
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
