"""Why a decoder cannot say what it was told to."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Unreached"]


@dataclass(frozen=True, slots=True)
class Unreached:
    """A reference that cannot be derived: the reason, and what might help."""

    reason: str
    unwritten: tuple[str, ...] = ()
    """Words of the reference that no rule for this sentence writes where they stand."""
    untranslated: tuple[str, ...] = ()
    """Words of the sentence that no rule turns into words of the reference."""
    remedy: str = ""

    def __str__(self) -> str:
        return "; ".join(filter(None, (self.reason, self.remedy)))
