"""Two texts to their word links in one call: what `dragoman.align` does.

>>> import dragoman
>>> german, english = ["das Haus", "das Buch", "ein Buch"], ["the house", "the book", "a book"]
>>> dragoman.align(german, english, aligner="ibm1")[0]
Alignment('0-0 1-1')
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dragoman.align.alignment import Alignment
from dragoman.align.base import Aligner, Sentences, get_aligner
from dragoman.align.symmetrize import USUAL
from dragoman.errors import LengthMismatch
from dragoman.files import read_lines
from dragoman.progress import ProgressCallback
from dragoman.progress_view import shows_progress

__all__ = ["align_texts"]


@shows_progress("aligning")
def align_texts(
    source: Path | str | Sentences,
    target: Path | str | Sentences,
    *,
    aligner: str | Aligner = "bayes",
    settings: Iterable[str] = (),
    symmetrize: str = USUAL,
    threads: int = 0,
    progress: ProgressCallback | bool | None = None,
) -> list[Alignment]:
    """Align the words of two tokenised texts, files or sentences, line by line; the aligner learns from them.

    `aligner` is one by name with `settings` written as `name=value`, or one that is made already; one that has learned
    is asked only. To keep it, make it by `dragoman.align.get_aligner`, `train` it, and `save` it.
    """
    sides = [list(read_lines(text)) if isinstance(text, Path | str) else text for text in (source, target)]
    if len(sides[0]) != len(sides[1]):
        raise LengthMismatch(
            f"{len(sides[0])} source sentences, {len(sides[1])} target sentences",
            remedy="sentence n of one side must translate sentence n of the other",
        )
    made = get_aligner(aligner, settings=settings)
    if not made.is_trained:
        told = progress if callable(progress) else None
        made.train(sides[0], sides[1], threads=threads, progress=told)
    return made.align(sides[0], sides[1], symmetrize=symmetrize, threads=threads)
