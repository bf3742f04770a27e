"""Memory of each stage of training: which stages keep to a bound by themselves, and what the others need.

With `memory` no stage may use more. Counting n-grams and extracting rules go through files beyond it, with the same
result. The other stages hold the text, or counts of it, in memory; what they need at most follows from the size of the
text, by constants that lie above what was measured (`experiments/growth`, and its page), and one that would need more
than allowed is refused before anything begins. What does not grow with the text has no bound here: tuning and learning
hold a dev set or a fold and map their tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.errors import SettingError
from dragoman.pipeline.preflight import Preflight, TextSize, megabytes
from dragoman.pipeline.recipe import Recipe

__all__ = ["NOT_OF_THE_TEXT", "StageMemory", "require_memory", "stage_memory"]

FIXED = 230 * 2**20
"""Bytes of the program itself, with all that it imports."""

PAIR, TOKEN = 450, 24
"""Bytes of a pair and of a token of either side as Python strings, with what tells duplicates apart."""

SLICE_PAIRS, PREPARED_TOKEN = 10_000, 700
"""Pairs that are tokenised at once, and bytes of each of their tokens meanwhile."""

LINE, LINE_TOKEN = 60, 9
"""Bytes of a line and of a token of one side, held as lines."""

NGRAM = 150
"""Bytes of an n-gram while the model to query is built."""

NEW_NGRAMS = (0.05, 0.3, 0.65, 0.9, 1.0)
"""N-grams of each order that a token of real text brings at most; longer ones bring one each."""

NEW_CLASS_NGRAMS = (0.0, 0.1, 0.4, 0.7, 0.9, 1.0)
"""The same of classes of words."""

ALIGN_TOKEN, ALIGN_CELL = 240, 16
"""Bytes of a token, and of a cell (source words times target words of a pair), while chains are sampled: lines, counts
of word pairs, slots and shares of links."""

DICTIONARY_TOKEN = 250
"""Bytes of a token in dictionaries of phrases, which extraction holds beside its bound."""

SENTENCE_TOKEN = 400
"""Bytes of a token in annotated sentences, which models of order look at."""

WINDOW_TOKEN = 130
"""Bytes of a target token in windows of source and target words, which the joint model learns from."""

INDEX_TOKEN = 60
"""Bytes of a token in an index of a text, and in what unknown words are looked up by."""

LEAST_LEFT = 16 * 2**20
"""Bytes that sorting through files is to have at least."""

NOT_OF_THE_TEXT = frozenset({"tuning", "learning"})
"""Stages whose memory follows from the dev set, a fold, and the beam."""


@dataclass(frozen=True, slots=True)
class StageMemory:
    """What a stage needs, at most; one that is `bounded` keeps to what it is given beside `needed`."""

    stage: str
    needed: int
    bounded: bool
    remedy: str


def stage_memory(recipe: Recipe, checked: Preflight) -> list[StageMemory]:
    """The stages of this training, in their order."""
    train = checked.train
    tokens = train.source_tokens + train.target_tokens
    target = train.target_tokens + _tokens(checked.extra)
    sides = LINE * 2 * train.segments + LINE_TOKEN * tokens
    links = LINE * train.segments + LINE_TOKEN * max(train.source_tokens, train.target_tokens)
    lines = LINE * (train.segments + _segments(checked.extra)) + LINE_TOKEN * target
    more, less = "give it more", "give it more, or less text"
    slices = PREPARED_TOKEN * tokens * min(SLICE_PAIRS, train.segments) // max(1, train.segments)
    ngrams = NGRAM * _ngrams(NEW_NGRAMS, recipe.order, target)
    classes = lines + NGRAM * _ngrams(NEW_CLASS_NGRAMS, recipe.class_order, target) if recipe.classes else 0
    sentences = sides + links + SENTENCE_TOKEN * tokens

    def needs(stage: str, size: float, remedy: str = less, *, bounded: bool = False) -> StageMemory:
        return StageMemory(stage, FIXED + int(size), bounded, remedy)

    found = [needs("prepare", slices + PAIR * train.segments + TOKEN * tokens)]
    if checked.extra is not None:
        found.append(needs("prepare extra", slices, more))
    if recipe.postprocess != "rules":
        found.append(needs("post-processing", lines + ngrams, f"{less}, or restore by rules (postprocess=rules)"))
    order = f"{less}, a shorter order (order), or no word classes (classes=0)"
    found.append(needs("language model", max(ngrams, classes), order, bounded=True))
    found.append(needs("alignment", ALIGN_TOKEN * tokens + ALIGN_CELL * train.cells))
    if recipe.annotated_sides or recipe.model_sides or recipe.annotate or recipe.annotate_target:
        found.append(needs("annotation", 0, more))
    trees = sentences if recipe.annotated_sides or recipe.extraction_features else 0
    phrases = f"{less}, or take shorter phrases (max_phrase)"
    found.append(needs("table", DICTIONARY_TOKEN * tokens + trees, phrases, bounded=True))
    if recipe.enriched:
        if checked.source_text is not None:
            found.append(needs("prepare source text", slices, more))
        source = train.source_tokens + _tokens(checked.source_text)
        found.append(needs("unknown words", sides + links + INDEX_TOKEN * source))
    sizes = {
        "joint": ("joint model", sides + links + WINDOW_TOKEN * train.target_tokens),
        "sequence": ("sequence model", sides + links + NGRAM * _ngrams(NEW_NGRAMS, recipe.sequence_order, target)),
        "vectors": ("vectors", sides + WINDOW_TOKEN * tokens),
        "context": ("context", LINE_TOKEN * tokens + ALIGN_CELL * train.cells),
        "distortion_model": ("distortion model", sentences),
        "relation_order": ("relation order", sentences),
        "dependency_lm": ("dependency model", sentences),
    }
    found += [
        needs(stage, size, f"{less}, or do without ({name}=false)")
        for name, (stage, size) in sizes.items()
        if getattr(recipe, name)
    ]
    if recipe.template_specs(train.segments):
        found.append(needs("templates", sides + links, f"{less}, or no templates"))
    if recipe.learned_pairs(train.segments):
        fold = sides + links + max(ngrams, classes, DICTIONARY_TOKEN * tokens)
        found.append(needs("folds", fold, f"{less}, or learn on no folds (fold_pairs=0)", bounded=True))
    return found


def _tokens(text: TextSize | None) -> int:
    return text.source_tokens + text.target_tokens if text is not None else 0


def _segments(text: TextSize | None) -> int:
    return text.segments if text is not None else 0


def _ngrams(new: Sequence[float], order: int, tokens: int) -> int:
    """How many n-grams up to this order text of so many tokens has, at most."""
    return int(tokens * (sum(new[:order]) + max(0, order - len(new))))


def require_memory(stages: Sequence[StageMemory], memory: int) -> dict[str, int]:
    """Refuse a bound that a stage cannot keep; what is left of it for those that go through files beyond that."""
    for each in stages:
        least = each.needed + each.bounded * LEAST_LEFT
        if least > memory:
            raise SettingError(
                f"the stage {each.stage!r} needs about {megabytes(least)} of memory, and may use {megabytes(memory)}",
                remedy=each.remedy,
            )
    return {each.stage: memory - each.needed for each in stages if each.bounded}
