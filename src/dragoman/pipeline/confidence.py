"""Fitting confidence on a dev set, and measuring it on another text.

A word of a translation is right if it is kept when the translation is turned into its nearest reference by the fewest
insertions, deletions and substitutions of words. This is asked of the tokens that the decoder wrote, so that case and
spacing, which come later, play no part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dragoman.charts import line_plot
from dragoman.drawing import Drawing
from dragoman.errors import LengthMismatch
from dragoman.search.confidence import Confidence, Reliability, best_scale, reliability, word_evidence

if TYPE_CHECKING:
    from dragoman.pipeline.model import Model
    from dragoman.pipeline.translation import Translation

__all__ = ["SCALES", "calibrate", "kept_words", "measure", "reliability_plot"]

SCALES = (0.1, 0.25, 0.5, 1.0)
"""What scores may be multiplied by before they become probabilities."""


def kept_words(hypothesis: Sequence[str], reference: Sequence[str]) -> tuple[int, list[bool]]:
    """The fewest edits that turn one into the other, and for each word of the first whether it stays."""
    rows, columns = len(hypothesis), len(reference)
    table = [[0] * (columns + 1) for _ in range(rows + 1)]
    table[0] = list(range(columns + 1))
    for i, word in enumerate(hypothesis, 1):
        before, here = table[i - 1], table[i]
        here[0] = i
        for j, other in enumerate(reference, 1):
            here[j] = min(before[j - 1] + (word != other), before[j] + 1, here[j - 1] + 1)
    kept = [False] * rows
    i, j = rows, columns
    while i and j:
        same = hypothesis[i - 1] == reference[j - 1]
        if table[i][j] == table[i - 1][j - 1] + (not same):
            i, j = i - 1, j - 1
            kept[i] = same
        elif table[i][j] == table[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
    return table[rows][columns], kept


def _right_words(
    model: Model, source: Sequence[str], references: Sequence[Sequence[str]], threads: int
) -> tuple[list[Translation], NDArray[np.bool_]]:
    """Translations with forests, and for each of their words whether it is right."""
    for each in references:
        if len(each) != len(source):
            raise LengthMismatch(f"{len(each)} references for {len(source)} segments", remedy="give one for each")
    found = model.translate(list(source), forests=True, threads=threads)
    target = model.preprocessors.target
    tokens = [
        [[token for sentence in text.sentences for token in sentence.tokens] for text in target.prepare_all(list(each))]
        for each in references
    ]
    right: list[bool] = []
    for number, translation in enumerate(found):
        words = [word for sentence in translation.sentences for word in sentence.target]
        right += min((kept_words(words, each[number]) for each in tokens), key=lambda pair: pair[0])[1]
    return found, np.array(right, dtype=bool)


def _evidence(found: Sequence[Translation], scale: float) -> NDArray[np.float64]:
    return np.concatenate([word_evidence(sentence, scale) for each in found for sentence in each.sentences])


def calibrate(
    model: Model, source: Sequence[str], *references: Sequence[str], scales: Sequence[float] = SCALES, threads: int = 0
) -> Confidence:
    """Fit confidence to raw text that was translated by people; one reference for each segment, or several."""
    found, right = _right_words(model, source, references, threads)
    return best_scale([(scale, _evidence(found, scale)) for scale in scales], right)


def measure(
    model: Model, source: Sequence[str], *references: Sequence[str], bins: int = 10, threads: int = 0
) -> Reliability:
    """How reliable the confidence of a model is on a text."""
    found, right = _right_words(model, source, references, threads)
    confidence = model.need_confidence()
    return reliability(confidence.of_evidence(_evidence(found, confidence.scale)), right, bins=bins)


def reliability_plot(measured: Reliability) -> Drawing:
    """Share of right words over confidence, beside the diagonal where both agree."""
    points = [(confidence, truth) for confidence, truth, _ in measured.bins]
    return line_plot(
        {"words": points, "as it should be": [(0.0, 0.0), (1.0, 1.0)]},
        title=f"Reliability: calibration error {measured.error:.3f}",
        x_name="confidence",
        y_name="share of right words",
    )
