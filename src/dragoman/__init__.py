"""Dragoman: statistical machine translation that can be trained on a laptop, looked into and measured honestly.

Importing this package is cheap: rooms (`dragoman.text`, `dragoman.lm`, ...) are imported when they are used. The map of
the house is in `docs/architecture.md`.
"""

from dragoman.errors import DragomanError

__all__ = ["DragomanError", "__version__"]

__version__ = "0.1.0"
