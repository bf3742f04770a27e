"""Memory of each stage of training: which stages keep to a bound by themselves, and what the others need.

With `memory` no stage may use more. Counting n-grams and extracting rules go through files beyond it, with the same
result. The other stages hold the text, or counts of it, in memory; what they need follows from the size of the text,
by constants that `bench/scale.py` measures, and one that would need more than allowed is refused before anything
begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.errors import SettingError
from dragoman.pipeline.preflight import Preflight, megabytes
from dragoman.pipeline.recipe import Recipe

__all__ = ["StageMemory", "require_memory", "stage_memory"]

FIXED = 230 * 2**20
"""Bytes of the program itself, with all that it imports."""

PREPARE_PAIR, PREPARE_TOKEN = 2500, 40
"""Bytes of a pair and of a token of either side while text is prepared: both sides as Python strings."""

CLASS_TOKEN = 900
"""Bytes of a target token while word classes are learned: lines, and counts of neighbours."""

ALIGN_TOKEN, ALIGN_CELL = 240, 12
"""Bytes of a token, and of a cell (source words times target words of a pair), while chains are sampled: lines, counts
of word pairs, slots and shares of links."""

DICTIONARY_TOKEN = 250
"""Bytes of a token in dictionaries of phrases, which extraction holds beside its bound."""


@dataclass(frozen=True, slots=True)
class StageMemory:
    """What a stage needs, at most; one that is `bounded` keeps to what it is given beside `needed`."""

    stage: str
    needed: int
    bounded: bool
    remedy: str


def stage_memory(recipe: Recipe, checked: Preflight) -> list[StageMemory]:
    """The stages of this training."""
    train = checked.train
    tokens = train.source_tokens + train.target_tokens
    extra = checked.extra.target_tokens if checked.extra is not None else 0
    classes = CLASS_TOKEN * (train.target_tokens + extra) if recipe.classes else 0
    less = "give it more, or less text"
    return [
        StageMemory("prepare", FIXED + PREPARE_PAIR * train.segments + PREPARE_TOKEN * tokens, False, less),
        StageMemory("language model", FIXED + classes, True, f"{less}, or no word classes (classes=0)"),
        StageMemory("alignment", FIXED + ALIGN_TOKEN * tokens + ALIGN_CELL * train.cells, False, less),
        StageMemory("table", FIXED + DICTIONARY_TOKEN * tokens, True, f"{less}, or take shorter phrases (max_phrase)"),
    ]


def require_memory(stages: Sequence[StageMemory], memory: int) -> None:
    """Refuse a bound that a stage cannot keep."""
    for each in stages:
        if each.needed > memory:
            raise SettingError(
                f"the stage {each.stage!r} needs about {megabytes(each.needed)} of memory, "
                f"and may use {megabytes(memory)}",
                remedy=each.remedy,
            )
