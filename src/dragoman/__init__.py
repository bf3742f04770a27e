"""Dragoman: statistical machine translation that can be trained on a laptop, looked into and measured honestly.

    >>> import dragoman
    >>> dir(dragoman)  # doctest: +NORMALIZE_WHITESPACE
    ['DragomanError', 'Model', 'Recipe', 'align', 'compare', 'load', 'score', 'train', 'translate', 'tune']

Importing this package is cheap: rooms (`dragoman.text`, `dragoman.lm`, ...) are imported when they are used. The map of
the house is in `docs/architecture.md`.
"""

from typing import TYPE_CHECKING

from dragoman.errors import DragomanError
from dragoman.lazy_names import lazy_names
from dragoman.version import __version__ as __version__

if TYPE_CHECKING:
    from dragoman.align.texts import align_texts as align
    from dragoman.evaluation.compare import compare
    from dragoman.metrics.report import score
    from dragoman.pipeline.model import Model, load, translate
    from dragoman.pipeline.recipe import Recipe
    from dragoman.pipeline.train import train
    from dragoman.pipeline.tune import tune_model as tune

__all__ = ["DragomanError", "Model", "Recipe", "align", "compare", "load", "score", "train", "translate", "tune"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Model": "dragoman.pipeline.model",
        "Recipe": "dragoman.pipeline.recipe",
        "align": "dragoman.align",
        "compare": "dragoman.evaluation.compare",
        "load": "dragoman.pipeline.model",
        "score": "dragoman.metrics.report",
        "train": "dragoman.pipeline.train",
        "translate": "dragoman.pipeline.model",
        "tune": "dragoman.pipeline.tune:tune_model",
    },
)
