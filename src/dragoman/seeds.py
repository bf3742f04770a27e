"""Random streams by name: every random choice is keyed by a seed and by what it is for.

Two parts of one job never share a stream, so adding a draw to one of them does not change the other, and a result does
not depend on the order in which workers run.

    >>> from dragoman.seeds import stream
    >>> first, again = stream(1, "split"), stream(1, "split")
    >>> first.random(3).tolist() == again.random(3).tolist()
    True
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["stream"]


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """An independent generator for each (seed, names)."""
    import numpy as np

    digest = hashlib.blake2b("\x1f".join(map(str, (seed, *names))).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest, "little")))
