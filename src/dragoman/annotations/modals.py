"""Verbs of possibility, duty and wish, by lemma: English and German."""

from __future__ import annotations

__all__ = ["MODALS"]

MODALS = frozenset(
    [
        *("can", "could", "may", "might", "must", "shall", "should", "would", "ought"),
        *("dürfen", "können", "mögen", "müssen", "sollen", "wollen"),
    ]
)
"""Without `will`, which mostly says when."""
