"""Settings of searches, declared once: recipes, model files, calls and command-line options all follow from here.

This module imports no decoder, so that the command line can show its options without loading one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from dragoman.settings import Settings, byte_count, setting

__all__ = [
    "SETTINGS",
    "ExactLimits",
    "ExactSettings",
    "GappySettings",
    "HieroSettings",
    "LeftToRightSettings",
    "PhraseSettings",
    "SampleSettings",
    "SearchSettings",
]


@dataclass(frozen=True, kw_only=True)
class SearchSettings(Settings):
    """What can be chosen about any search."""

    name: ClassVar[str] = "search"

    beam: int = setting(400, "Partial translations kept per stack or cell.", least=1, most=2**31)
    pop_limit: int = setting(400, "Taken from each cube, at most.", least=1, most=2**31)
    option_limit: int = setting(20, "Translations of a source phrase that are tried.", least=1, most=2**31)
    unknown: str = setting("copy", "What becomes of unknown words.", choices=("copy", "mark", "drop"))
    hard_syntax: str = setting(
        "free",
        "Where the source of a rule may lie in a tree of the sentence: anywhere, so that it cuts no phrase, or on "
        "phrases and single words only.",
        choices=("free", "no_cross", "match_only"),
    )


def _memory(help: str) -> Any:  # noqa: A002 - as `setting` calls it
    return setting(4 * 2**30, help, least=1, most=2**62, parse=byte_count, wanted="a size such as 512M or 4G")


@dataclass(frozen=True, kw_only=True)
class ExactLimits(Settings):
    """When exact search ends."""

    epsilon: float = setting(1e-3, "How far below the optimum an answer may lie that counts as proved.", least=0)
    time_limit: float = setting(600.0, "Seconds per sentence of exact search or sampling; 0 for any number.", least=0)
    memory: int = _memory("Memory per sentence of exact search or sampling, about, such as 4G.")


@dataclass(frozen=True, kw_only=True)
class ExactSettings(ExactLimits):
    """How exact search goes on; all but limits are for study. Each field has its namesake in the native settings."""

    name: ClassVar[str] = "exact"

    iterations: int = setting(100_000, "Refinements per sentence, at most.", least=0, most=2**62)
    patience: int = setting(
        0, "End after so many refinements without a better answer; 0 for never.", least=0, most=2**62
    )
    prune_every: int = setting(10, "After so many refinements drop what cannot win any more; 0 for never.", least=0)
    seed_search: bool = setting(True, "Begin with what the decoder's own search finds.")
    start_known: bool = setting(True, "The beginning of the sentence is known from the start.")
    words: int = setting(1, "Words by which a context of a place grows at a time.", least=1, most=9)
    contexts: int = setting(0, "Of forests: contexts registered at a time; 0 for all that a derivation lacks.", least=0)
    in_rule: bool = setting(True, "Of forests: words know those before them in their rule from the start.")


@dataclass(frozen=True, kw_only=True)
class SampleSettings(Settings):
    """How exact sampling goes on. Each field has its namesake in the native settings."""

    name: ClassVar[str] = "sample"

    samples: int = setting(100, "Samples of each sentence.", least=1, most=2**40)
    scale: float = setting(1.0, "What scores are multiplied by: 1 / temperature.", above=0)
    acceptance: float = setting(0.05, "Share of draws to be accepted before refinement ends.", above=0, most=1)
    batch: int = setting(500, "Draws between refinements.", least=1, most=2**31)
    refine: int = setting(10, "Rejected derivations to refine after a batch, or contexts of a forest.", least=1)
    in_rule: bool = setting(True, "Of forests: words know those before them in their rule from the start.")
    time_limit: float = setting(600.0, "Seconds per sentence; 0 for any number.", least=0)
    memory: int = _memory("Memory per sentence, about, such as 4G.")
    seed: int = setting(1, "Random choices follow from it.", least=0, most=2**63)


@dataclass(frozen=True, kw_only=True)
class PhraseSettings(ExactLimits, SearchSettings):
    """How to search.

    Recombination keeps one of several partial translations that look the same to the future: to all features (`exact`),
    or to language models only (`pharaoh`), which merges more, but where other features have states, alternatives in
    n-best lists may then be scored as if they were the one that was kept. Each field has its namesake in the native
    settings.
    """

    search: str = setting(
        "cube",
        "How stacks are filled: cube pruning, or everything; or a search for the best of all, with a proof.",
        choices=("cube", "stack", "exact"),
    )
    recombination: str = setting("exact", "Which states must be equal.", choices=("exact", "pharaoh"))
    threshold: float = setting(
        math.inf, "How far below the best a partial translation may score.", above=0, most=math.inf
    )
    distortion_limit: int = setting(6, "Words that a phrase may jump over; -1 for any number.", least=-1, most=2**30)
    limit_kind: str = setting(
        "jump", "What is limited: jumps, or the window after the first gap.", choices=("jump", "window")
    )
    future_distortion: bool = setting(False, "Charge the way back to gaps as soon as they are left.")
    way_back: str = setting(
        "tight",
        "Which covered words the way back leads over: those before the last gap, or all behind the first.",
        choices=("tight", "all"),
    )
    distortion_delay: float = setting(
        0.0, "The share of the way back that is charged one phrase later.", least=0, most=1
    )
    final_jump: bool = setting(False, "Charge the way from the last phrase to the end.")
    max_phrase_length: int = setting(7, "Longest phrase, in tokens.", least=1, most=2**16)
    max_sentence_length: int = setting(250, "Tokens that are translated at once.", least=1, most=10_000)
    long_sentences: str = setting(
        "split", "Longer sentences are cut after punctuation, or refused.", choices=("split", "refuse")
    )
    late_steps: int = setting(
        0,
        "Ask a joint model only about what search has kept, so many phrases in their places, best first: faster, and "
        "less is found. 0 asks it during search.",
        least=0,
        most=2**31,
    )
    check_features: bool = setting(
        False, "Score all that search kept from scratch, and name a feature whose state forgets what it uses (slow)."
    )


@dataclass(frozen=True, kw_only=True)
class GappySettings(SearchSettings):
    """How to search with phrases that have gaps.

    A phrase with gaps in its target is written run by run; while it is pending others are written into its gaps (Galley
    and Manning 2010). Recombination keeps one of several partial translations that have the same to come (`exact`), or
    that have as many phrases pending, whichever these are (`number`), as Galley and Manning do: stacks then hold more
    different ones, and the best may be lost. Each field has its namesake in the native settings.
    """

    recombination: str = setting(
        "exact", "What must be equal of what is pending: all of it, or the number.", choices=("exact", "number")
    )

    threshold: float = setting(
        math.inf, "How far below the best a partial translation may score.", above=0, most=math.inf
    )
    distortion_limit: int = setting(6, "Words that a phrase may jump over; -1 for any number.", least=-1, most=2**30)
    limit_kind: str = setting(
        "jump", "What is limited: jumps, or the window after the first gap.", choices=("jump", "window")
    )
    final_jump: bool = setting(False, "Charge the way from the last phrase to the end.")
    gap_jump: str = setting(
        "last",
        "Where a jump begins behind a phrase with gaps: its last word, its first run of words, the nearer, the mean.",
        choices=("last", "first", "nearest", "average"),
    )
    max_phrase_length: int = setting(7, "Longest phrase, in tokens.", least=1, most=2**16)
    max_source_span: int = setting(
        12, "Source words from the first to the last of a phrase with gaps.", least=2, most=40
    )
    max_target_span: int = setting(12, "The same in the target.", least=2, most=2**15)
    max_pending: int = setting(2, "Phrases that are not written to their end at once.", least=0, most=8)
    order_features: bool = setting(
        False, "Features of phrases with many gaps, that cross each other, or lie within each other."
    )
    max_sentence_length: int = setting(250, "Tokens that are translated at once.", least=1, most=10_000)
    long_sentences: str = setting(
        "split", "Longer sentences are cut after punctuation, or refused.", choices=("split", "refuse")
    )


@dataclass(frozen=True, kw_only=True)
class HieroSettings(ExactLimits, SearchSettings):
    """How a chart decoder searches.

    Cells are filled from small to large by cube pruning, or each as far as those above it ask for more, by cube growing
    (Huang and Chiang 2007). Each field has its namesake in the native settings, but for `reordering_features`, which
    adds features to the model.
    """

    search: str = setting(
        "cube",
        "Cubes of what cells hold; or a search for the best of all, with a proof.",
        choices=("cube", "exact"),
    )
    cube: str = setting("pruning", "How cells are filled: all, or on demand.", choices=("pruning", "growing"))
    margin: float = setting(
        math.inf, "How far below the best of its cell a partial translation may score.", above=0, most=math.inf
    )
    max_span: int = setting(0, "Words that a rule may cover; 0 for the limit of the table.", least=0, most=2**16 - 1)
    reordering_features: bool = setting(
        False, "Features of how rules reorder: distortion, reordered rules, width, height."
    )
    check_left_hand_sides: bool = setting(
        False, "Of rules with labels of the source, only those that are called as what they cover; words alone aside."
    )
    max_sentence_length: int = setting(400, "Tokens that are translated at once.", least=1, most=10_000)
    long_sentences: str = setting(
        "split", "Longer sentences are cut after punctuation, or refused.", choices=("split", "refuse")
    )


@dataclass(frozen=True, kw_only=True)
class LeftToRightSettings(ExactLimits, SearchSettings):
    """How to search from left to right with hierarchical rules.

    A rule must cover a span exactly. Where none does, rules without nonterminals serve as glue, and by `right_boundary`
    rules of the table may cover the beginning of a span and leave the rest to one more nonterminal at their end: those
    that end with a source word (`a`), also those that end with the same nonterminal on both sides (`b`), also all the
    others (`c`). With `c` all is reached that a chart decoder reaches with the same rules, and many texts are derived
    in more ways than one (Siahbani and Sarkar 2014). Each field has its namesake in the native settings.
    """

    beam: int = setting(500, "Partial translations kept per stack.", least=1, most=2**31)
    pop_limit: int = setting(500, "Taken from all cubes of a stack, at most.", least=1, most=2**31)
    search: str = setting(
        "cube",
        "How stacks are filled: cube pruning, or everything; or a search for the best of all, with a proof.",
        choices=("cube", "stack", "exact"),
    )
    grouping: str = setting(
        "first-span",
        "What partial translations of a cube have in common: the span that comes next, or all that are left.",
        choices=("first-span", "all-spans"),
    )
    threshold: float = setting(
        math.inf, "How far below the best a partial translation may score.", above=0, most=math.inf
    )
    lazy: bool = setting(
        False, "Ask language models about cells of cubes only when they come to the top; without queue diversity."
    )
    queue_diversity: int = setting(
        1,
        "Cells that each cube puts into the queue at first; 15 suits pairs of distant languages.",
        least=1,
        most=2**31,
    )
    queue_patience: int = setting(
        0,
        "After so many cells in a row that are no better a cube puts in no more; 0 for any number.",
        least=0,
        most=2**31,
    )
    glue_option_limit: int = setting(10, "Translations of a source phrase that are tried as glue.", least=0, most=2**31)
    glue_when: str = setting(
        "always",
        "Glue is used always, or only where no rule of the table has the same source side.",
        choices=("always", "no_regular"),
    )
    right_boundary: str = setting(
        "ab", "Rules that may leave the end of a span to one nonterminal more.", choices=("none", "a", "ab", "abc")
    )
    split_b: bool = setting(
        False, "Rules that end with the same nonterminal on both sides take a second one, instead of a wider one."
    )
    boundary_feature: bool = setting(False, "Count rules that left the end of a span, as a feature of their own.")
    max_span: int = setting(
        0,
        "Source words that a rule of the table may cover; 0 for the limit of its extraction.",
        least=0,
        most=2**16 - 1,
    )
    future_rules: str = setting(
        "lexical",
        "Rules by which the rest is estimated: those without nonterminals, or all.",
        choices=("lexical", "hierarchical"),
    )
    reordering_features: bool = setting(
        False, "Features of how rules reorder: distortion, reordered rules, width, height."
    )
    h_exact: bool = setting(
        False, "Recombine only where heights go on alike; else alternatives may be scored by the height of the best."
    )
    max_sentence_length: int = setting(250, "Tokens that are translated at once.", least=1, most=10_000)
    long_sentences: str = setting(
        "split", "Longer sentences are cut after punctuation, or refused.", choices=("split", "refuse")
    )


SETTINGS: dict[str, type[SearchSettings]] = {
    "phrase": PhraseSettings,
    "gappy": GappySettings,
    "hiero": HieroSettings,
    "lr-hiero": LeftToRightSettings,
}
"""Settings of each decoder, by its name in `DECODERS`: what the command line has options for."""
