"""Five pairs of sentences with an expression of three words, for the tests of mining and of anchors."""

from __future__ import annotations

SOURCE = ["explication de vote écrite", "une explication de vote", "le vote", "autre chose ici", "explication de vote"]
TARGET = [
    "written explanation of vote",
    "an explanation of vote",
    "the vote",
    "something else here",
    "explanation of vote",
]
