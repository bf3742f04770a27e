"""The HMM aligner: a link depends on how far it jumps from the link before it.

Neighbouring words tend to have neighbouring translations, wherever in the sentence they are. (Vogel, Ney and Tillmann
1996; NULL states after Och and Ney 2003.)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dragoman.align.em import EmAligner, EmStage
from dragoman.settings import setting

if TYPE_CHECKING:
    from dragoman._native import align as native
    from dragoman.align.base import Sentences
    from dragoman.lm.classes import ClassMap

__all__ = ["Hmm"]


@dataclass(kw_only=True, eq=False)
class Hmm(EmAligner):
    """First-order HMM over jumps, with NULL."""

    name: ClassVar[str] = "hmm"
    ibm1_iterations: int = setting(5, "Iterations of IBM 1 first.", least=0)
    iterations: int = setting(5, "Iterations of training.", least=0)
    max_jump: int = setting(10, "Longer jumps share one parameter.", least=1, most=10000)
    uniform_share: float = setting(
        0.2, "Share of a jump's probability that is the same for all places.", least=0, most=1
    )
    classes: int = setting(
        0,
        "Jumps may depend on the class of the word they start from: so many classes are found in the text; 0: one.",
        least=0,
        most=1000,
    )
    start: str = setting(
        "jump", "Whether the first link is a jump from before the sentence.", choices=("jump", "uniform")
    )

    def stages(self) -> tuple[EmStage, ...]:
        return EmStage("ibm1", self.ibm1_iterations), EmStage("hmm", self.iterations)

    def position_settings(self) -> native.PositionSettings:
        settings = super().position_settings()
        settings.max_jump = self.max_jump
        settings.uniform_share = self.uniform_share
        settings.start_by_jump = self.start == "jump"
        return settings

    def _classes(
        self, source: Sentences, target: Sentences, classes: tuple[ClassMap, ClassMap] | None, threads: int
    ) -> tuple[list[int], list[int]] | None:
        if classes is None and self.classes == 0:
            return None
        from dragoman.lm.classes import UNKNOWN, train_classes

        assert self._source is not None
        assert self._target is not None
        numbers = []
        for at, (vocabulary, sentences) in enumerate(((self._source, source), (self._target, target))):
            if classes is not None:
                found = classes[at]
            else:
                lines = [line if isinstance(line, str) else " ".join(line) for line in sentences]
                seen = Counter(word for line in lines for word in line.split())
                count = min(self.classes, 1 + sum(times > 1 for times in seen.values()))
                found = train_classes(lines, classes=count, min_count=2, iterations=10, digits=False, threads=threads)
            # Class 0 is that of words not seen in training.
            names = {found.of(UNKNOWN): 0}
            numbers.append(
                [names.setdefault(found.of(vocabulary.word(each)), len(names)) for each in range(len(vocabulary))]
            )
        return numbers[0], numbers[1]
