"""Word alignment: which words of a sentence pair translate each other.

Aligners are chosen by name (`ALIGNERS`), trained on two lists of tokenised sentences, saved as bundles and asked for
links, soft links or symmetrized alignments. `bayes` is the default because it measured best; see
`docs/concepts/alignment-models.md`.
"""

from dragoman.align.aer import AlignmentScores, GoldAlignment, alignment_scores
from dragoman.align.alignment import Alignment
from dragoman.align.base import ALIGNERS, Aligner, AlignerReport, LinkPosteriors
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
    "symmetrize",
    "symmetrize_all",
]
