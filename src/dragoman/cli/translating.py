"""Texts translated before something else is done with them: what commands with a `--translate` option share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["translator"]


def translator(model: Path | None, variants: int, threads: int) -> Callable[[Sequence[str]], list[list[str]]] | None:
    """What translates texts with a model, several times each; None without a model."""
    if model is None:
        return None
    from dragoman.pipeline.model import Model

    opened = Model.open(model)

    def translate(texts: Sequence[str]) -> list[list[str]]:
        made = opened.translate(list(texts), threads=threads)
        return [[each.text for each in one.nbest(variants)] if variants > 1 else [one.text] for one in made]

    return translate
