"""Lexicalised reordering: how often a phrase stands in order, swapped, or apart from its neighbours.

A model is named as Moses names it, `hier-mslr-bidirectional-fe`: what a neighbour is (a link, an extractable phrase, or
a block of any length), which classes are told apart, which neighbours are looked at, and whether probabilities belong
to the source phrase alone or to the pair. The probabilities are columns of the table, so that a decoder needs no second
look-up. Where phrases have gaps, `msdc` and `mslrc` add a class of those that stand between words of their neighbour.
(Koehn et al. 2005; Tillmann 2004; Galley and Manning 2008, 2010.)

    >>> ReorderingModel.parse("hier-mslr-bidirectional-fe").columns[0]
    'orientation.previous.monotone'
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dragoman._native import grammar as native
from dragoman.errors import SettingError
from dragoman.settings import Settings, check_argument, setting

__all__ = ["CLASSES", "ReorderingModel", "neutral_value", "orientations"]

CLASSES = {
    "msd": ("monotone", "swap", "other"),
    "mslr": ("monotone", "swap", "left", "right"),
    "monotonicity": ("monotone", "not"),
    "leftright": ("right", "left"),
    "msdc": ("monotone", "swap", "other", "contained"),
    "mslrc": ("monotone", "swap", "left", "right", "contained"),
}
"""Orientation classes of each model type, in the order of its columns."""

_MODELS = {"wbe": "word", "phrase": "phrase", "hier": "hierarchical"}
_DIRECTIONS = {
    "forward": ("next",),
    "backward": ("previous",),
    "bidirectional": ("previous", "next"),
}


@dataclass(frozen=True, slots=True)
class ReorderingModel(Settings):
    """A lexicalised reordering model."""

    model: str = setting("hier", "What a neighbour is: a link, a phrase, or a block of any length.", choices=_MODELS)
    classes: str = setting("mslr", "Which orientations are told apart.", choices=CLASSES)
    direction: str = setting("bidirectional", "Which neighbours are looked at.", choices=_DIRECTIONS)
    condition: str = setting("fe", "Whose probabilities: of the source phrase, or of the pair.", choices=("f", "fe"))
    smoothing: float = setting(0.5, "What is added to each count.", least=0)

    @staticmethod
    def parse(name: str, *, smoothing: float = 0.5) -> ReorderingModel:
        """A model by its name; parts may be left out from the left (`msd-bidirectional-fe` is word-based)."""
        parts = name.split("-")
        model = parts.pop(0) if parts and parts[0] in _MODELS else "wbe"
        classes = parts.pop(0) if parts else ""
        classes = {"msd2": "mslr"}.get(classes, classes)
        direction = parts.pop(0) if parts and parts[0] in _DIRECTIONS else "backward"
        condition = parts.pop(0) if parts else "fe"
        if parts:
            raise SettingError(f"{name!r} is no reordering model", remedy="write it like hier-mslr-bidirectional-fe")
        return ReorderingModel(model, classes, direction, condition, smoothing)

    def __str__(self) -> str:
        return f"{self.model}-{self.classes}-{self.direction}-{self.condition}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns it fills, previous neighbours first."""
        return tuple(
            f"orientation.{side}.{name}" for side in _DIRECTIONS[self.direction] for name in CLASSES[self.classes]
        )

    @property
    def native_model(self) -> native.OrientationModel:
        return getattr(native.OrientationModel, _MODELS[self.model].upper())  # type: ignore[no-any-return]

    @property
    def native_classes(self) -> native.OrientationClasses:
        return getattr(native.OrientationClasses, self.classes.upper())  # type: ignore[no-any-return]

    @property
    def containment(self) -> bool:
        """Whether phrases between the words of their neighbour are a class of their own."""
        return "contained" in CLASSES[self.classes]

    @property
    def sides(self) -> tuple[str, ...]:
        """`previous`, `next`, or both."""
        return _DIRECTIONS[self.direction]


def orientations(
    source_length: int,
    target_length: int,
    links: Iterable[tuple[int, int]],
    *,
    model: str = "hier",
    max_length: int = 7,
    containment: bool = False,
) -> list[tuple[tuple[int, int, int, int], str, str]]:
    """The phrases of one aligned pair with their orientations to the previous and the next phrase.

    Each entry is (source begin, source end, target begin, target end), half-open, and two letters out of `M`, `S`, `L`
    and `R` (monotone, swap, discontinuous to the left and to the right), and with `containment` `C`, if words on both
    sides are linked to the one target word that stands before or after the phrase.
    """
    check_argument("model", model, choices=_MODELS)
    settings = native.ExtractionSettings()
    settings.max_source = settings.max_target = max_length
    settings.containment = containment
    kind = getattr(native.OrientationModel, _MODELS[model].upper())
    rows = native.phrases_of(source_length, target_length, sorted(links), kind, settings)
    return [((a, b, c, d), "MSLRC"[before], "MSLRC"[after]) for a, b, c, d, before, after in rows.tolist()]


def neutral_value(column: str, columns: Sequence[str]) -> float:
    """The value of a column of a table that says nothing: ln 1, and for an orientation that all are as probable."""
    if not column.startswith("orientation."):
        return 0.0
    side = column.rpartition(".")[0]
    return -math.log(sum(name.rpartition(".")[0] == side for name in columns))
