"""The HMM aligner: a link depends on how far it jumps from the link before it.

Neighbouring words tend to have neighbouring translations, wherever in the sentence they are. (Vogel, Ney and Tillmann
1996; NULL states after Och and Ney 2003.)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dragoman.align.em import EmAligner, EmStage
from dragoman.errors import SettingError

if TYPE_CHECKING:
    from dragoman._native import align as native
    from dragoman.align.base import Sentences
    from dragoman.lm.classes import ClassMap

__all__ = ["Hmm"]


@dataclass(kw_only=True, eq=False)
class Hmm(EmAligner):
    """First-order HMM over jumps, with NULL."""

    name: ClassVar[str] = "hmm"
    ibm1_iterations: int = 5
    iterations: int = 5
    max_jump: int = 10
    """Longer jumps share one parameter."""
    uniform_share: float = 0.2
    classes: int = 0
    """Jumps may depend on the class of the word they start from: so many classes are found in the text; 0: one."""
    start: str = "jump"
    """The first link is a `jump` from before the sentence, or `uniform`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.max_jump <= 10000:
            raise SettingError(f"max_jump must lie in 1 to 10000, not {self.max_jump}")
        if not 0 <= self.uniform_share <= 1:
            raise SettingError(f"uniform_share must lie in 0 to 1, not {self.uniform_share}")
        if not 0 <= self.classes <= 1000:
            raise SettingError(f"classes must lie in 0 to 1000, not {self.classes}")
        if self.start not in ("jump", "uniform"):
            raise SettingError(f"start is 'jump' or 'uniform', not {self.start!r}")

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
