"""Word alignment: which words of a sentence pair translate each other.

Aligners are chosen by name (`ALIGNERS`), trained on two lists of tokenised sentences, saved as bundles and asked for
links, soft links or symmetrized alignments. `bayes` is the default because it measured best; see
`docs/concepts/alignment-models.md`.
"""

from dragoman.align.aer import AlignmentScores, GoldAlignment, alignment_scores
from dragoman.align.alignment import Alignment
from dragoman.align.base import Aligner, AlignerReport, LinkPosteriors
from dragoman.align.symmetrize import HEURISTICS, symmetrize, symmetrize_all
from dragoman.registry import Registry

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

ALIGNERS = Registry[Aligner](
    "aligner",
    {
        "bayes": "dragoman.align.sampler:Bayes",
        "fast": "dragoman.align.fast:Fast",
        "hmm": "dragoman.align.hmm:Hmm",
        "ibm1": "dragoman.align.ibm:Ibm1",
        "ibm2": "dragoman.align.ibm:Ibm2",
        "ibm3": "dragoman.align.fertility:Ibm3",
        "ibm4": "dragoman.align.fertility:Ibm4",
        "joint": "dragoman.align.joint:Joint",
    },
)
