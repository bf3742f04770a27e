"""Settings of searches, declared once: recipes, model files, calls and command-line options all follow from here.

This module imports no decoder, so that the command line can show its options without loading one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from dragoman.settings import Settings, setting

__all__ = ["PhraseSettings", "SearchSettings"]


@dataclass(frozen=True, kw_only=True)
class SearchSettings(Settings):
    """What can be chosen about any search."""

    name: ClassVar[str] = "search"

    beam: int = setting(400, "Partial translations kept per stack or cell.", least=1, most=2**31)
    pop_limit: int = setting(400, "Taken from each cube, at most.", least=1, most=2**31)
    option_limit: int = setting(20, "Translations of a source phrase that are tried.", least=1, most=2**31)
    unknown: str = setting("copy", "What becomes of unknown words.", choices=("copy", "mark", "drop"))


@dataclass(frozen=True, kw_only=True)
class PhraseSettings(SearchSettings):
    """How to search.

    Recombination keeps one of several partial translations that look the same to the future: to all features (`exact`),
    or to language models only (`pharaoh`), which merges more, but where other features have states, alternatives in
    n-best lists may then be scored as if they were the one that was kept. Each field has its namesake in the native
    settings.
    """

    search: str = setting("cube", "How stacks are filled: cube pruning, or everything.", choices=("cube", "stack"))
    recombination: str = setting("exact", "Which states must be equal.", choices=("exact", "pharaoh"))
    threshold: float = setting(
        math.inf, "How far below the best a partial translation may score.", above=0, most=math.inf
    )
    distortion_limit: int = setting(6, "Words that a phrase may jump over; -1 for any number.", least=-1, most=2**30)
    limit_kind: str = setting(
        "jump", "What is limited: jumps, or the window after the first gap.", choices=("jump", "window")
    )
    future_distortion: bool = setting(False, "Charge the way back to gaps as soon as they are left.")
    final_jump: bool = setting(False, "Charge the way from the last phrase to the end.")
    max_phrase_length: int = setting(7, "Longest phrase, in tokens.", least=1, most=2**16)
    max_sentence_length: int = setting(250, "Tokens that are translated at once.", least=1, most=10_000)
    long_sentences: str = setting(
        "split", "Longer sentences are cut after punctuation, or refused.", choices=("split", "refuse")
    )
    check_features: bool = setting(
        False, "Score all that search kept from scratch, and name a feature whose state forgets what it uses (slow)."
    )
