"""Dragoman: statistical machine translation that can be trained on a laptop, looked into and measured honestly.

Importing this package is cheap: rooms (`dragoman.text`, `dragoman.lm`, ...) are imported when they are used. The map of
the house is in `docs/architecture.md`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dragoman.errors import DragomanError
from dragoman.version import __version__

if TYPE_CHECKING:
    from dragoman.evaluation.compare import compare
    from dragoman.metrics.report import score
    from dragoman.pipeline.model import load
    from dragoman.pipeline.train import train

__all__ = ["DragomanError", "__version__", "compare", "load", "score", "train"]

_LAZY = {
    "compare": "dragoman.evaluation.compare",
    "load": "dragoman.pipeline.model",
    "score": "dragoman.metrics.report",
    "train": "dragoman.pipeline.train",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'dragoman' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
