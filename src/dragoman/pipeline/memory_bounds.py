"""Memory of each stage of training: which stages keep to a bound by themselves, and what the others need.

With `memory` no stage may use more. Counting n-grams and extracting rules go through files beyond it, and an aligner
looks up what it cannot keep, with the same result. What stages hold in any case follows from the size of the text and
from how many different word pairs and n-grams it has, which are counted, by constants that lie above what was measured
(`experiments/growth`, and its page); a stage that would need more than allowed is refused before anything begins. What
does not grow with the text has no bound here: tuning and learning hold a dev set or a fold and map their tables.

Words are counted between blanks, so that text in a script without blanks needs more than is said here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.errors import SettingError
from dragoman.pipeline.preflight import Preflight, TextSize, megabytes
from dragoman.pipeline.recipe import Recipe

__all__ = ["NOT_OF_THE_TEXT", "StageMemory", "asked_order", "require_memory", "stage_memory"]

FIXED = 230 * 2**20
"""Bytes of the program itself, with all that it imports."""

PAIR, TOKEN = 450, 24
"""Bytes of a pair and of a token of either side as Python strings, with what tells duplicates apart."""

SLICE_PAIRS, PREPARED_TOKEN = 10_000, 700
"""Pairs that are tokenised at once, and bytes of each of their tokens meanwhile."""

LINE, LINE_TOKEN = 60, 9
"""Bytes of a line and of a token of one side, held as lines."""

TOKENS, NGRAMS = 1.25, 1.1
"""Tokens that a word between blanks makes, and n-grams of tokens to those of words, at most."""

NGRAM = 120
"""Bytes of a different n-gram while the model to query is built."""

ALIGN_TOKEN, WORD_PAIR = 12, 56
"""Bytes of a token and of a different word pair in an aligner, beside the text: numbers, tables, counts."""

CHAIN_CELL = 8
"""Bytes of a cell (a source token beside a target token of its pair) where chains are sampled: shares of links."""

CONTEXT_CELL = 16
"""Bytes of a cell in counts of words beside each other."""

TABLE, TABLE_WORD = 120 * 2**20, 25
"""Bytes that extraction holds beside its bound: while it writes rules, and of a word of the text in counts of links."""

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
    cells = TOKENS**2 * train.cells
    ngrams = NGRAM * _ngrams(checked, recipe.order)
    # n-grams of classes are at most as many as those of words
    classes = lines + NGRAM * _ngrams(checked, recipe.class_order) if recipe.classes else 0
    pairs = ALIGN_TOKEN * TOKENS * tokens + WORD_PAIR * train.word_pairs
    chains = CHAIN_CELL * cells if recipe.aligner == "bayes" else 0
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
    found.append(needs("alignment", sides + pairs + chains, f"{less}, or another aligner (aligner=fast)", bounded=True))
    if recipe.annotated_sides or recipe.model_sides or recipe.annotate or recipe.annotate_target:
        found.append(needs("annotation", 0, more))
    rules = TABLE + TABLE_WORD * tokens
    trees = sentences if recipe.annotated_sides or recipe.extraction_features else 0
    phrases = f"{less}, or take shorter phrases (max_phrase)"
    found.append(needs("table", rules + trees, phrases, bounded=True))
    if recipe.enriched:
        if checked.source_text is not None:
            found.append(needs("prepare source text", slices, more))
        source = train.source_tokens + _tokens(checked.source_text)
        found.append(needs("unknown words", sides + links + INDEX_TOKEN * source))
    sizes = {
        "joint": ("joint model", sides + links + WINDOW_TOKEN * train.target_tokens),
        "sequence": ("sequence model", sides + links + NGRAM * recipe.sequence_order * target),
        "vectors": ("vectors", sides + WINDOW_TOKEN * tokens),
        "context": ("context", LINE_TOKEN * tokens + CONTEXT_CELL * train.cells),
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
        fold = sides + links + max(ngrams, classes, rules)
        found.append(needs("folds", fold, f"{less}, or learn on no folds (fold_pairs=0)", bounded=True))
    return found


def _tokens(text: TextSize | None) -> int:
    return text.source_tokens + text.target_tokens if text is not None else 0


def _segments(text: TextSize | None) -> int:
    return text.segments if text is not None else 0


def _ngrams(checked: Preflight, order: int) -> float:
    """How many different n-grams up to this order the target text has, at most."""
    texts = [checked.train, *([checked.extra] if checked.extra is not None else [])]
    return NGRAMS * sum(sum(text.ngrams[:order]) for text in texts)


def asked_order(recipe: Recipe) -> int:
    """Up to which order different n-grams have to be counted before bounds can be said."""
    return max(recipe.order, recipe.class_order if recipe.classes else 0)


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
