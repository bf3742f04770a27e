"""Dragoman: statistical machine translation that can be trained on a laptop, looked into and measured honestly.

Importing this package is cheap: rooms (`dragoman.text`, `dragoman.lm`, ...) are imported when they are used. The map of
the house is in `docs/architecture.md`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dragoman.errors import DragomanError

if TYPE_CHECKING:
    from dragoman.evaluation.compare import compare
    from dragoman.metrics.report import score

__all__ = ["DragomanError", "__version__", "compare", "score"]

__version__ = "0.1.0"

_LAZY = {"compare": "dragoman.evaluation.compare", "score": "dragoman.metrics.report"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'dragoman' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
