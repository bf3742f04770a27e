"""The first two IBM models: words alone, and words with a table of positions. (Brown et al. 1993.)

>>> aligner = Ibm1(null_probability=0)
>>> _ = aligner.train(["das Haus", "das Buch", "ein Buch"], ["the house", "the book", "a book"])
>>> aligner.align(["das Haus"], ["the house"])
[Alignment('0-0 1-1')]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dragoman.align.em import EmAligner, EmStage
from dragoman.settings import setting

__all__ = ["Ibm1", "Ibm2"]


@dataclass(kw_only=True, eq=False)
class Ibm1(EmAligner):
    """IBM 1: word translation only, all positions alike."""

    name: ClassVar[str] = "ibm1"
    iterations: int = setting(5, "Iterations of training.", least=0)

    def stages(self) -> tuple[EmStage, ...]:
        return (EmStage("ibm1", self.iterations),)


@dataclass(kw_only=True, eq=False)
class Ibm2(EmAligner):
    """IBM 2: word translation and a table of positions by sentence lengths."""

    name: ClassVar[str] = "ibm2"
    ibm1_iterations: int = setting(5, "Iterations of IBM 1 first.", least=0)
    iterations: int = setting(5, "Iterations of training.", least=0)

    def stages(self) -> tuple[EmStage, ...]:
        return EmStage("ibm1", self.ibm1_iterations), EmStage("ibm2", self.iterations)
