"""The deep-syntax model inside search, where heads are known: those of the source tree, carried over by word links.

The first target word that a source word is linked to stands for it, and hangs on the word that stands for the nearest
word above it in the tree of the source that has one. As soon as enough of its ancestors are translated, the word is
scored after them (`dslm`), however far away they stand in the text: Graham and van Genabith (2010) propose this and
leave it open. Ends are not scored, since a word may get dependents later. The state holds which words are translated,
and the words that others still wait for or may come to hang on.

It is an experiment, in Python, for the decoder of phrases: a recipe names it in `features`, as
`dragoman.features.deep_syntax_search:DeepSyntaxSearch:model=deep.arpa`. The model must know words as they are
translated, in lower case, so that its trees are trees of words (`PredicateTree`), not of predicates.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dragoman.annotations.predicates import PredicateTree
from dragoman.errors import SettingError
from dragoman.features.base import Fire, Option, SourceSentence, StateFeature
from dragoman.lm.deep_syntax import DeepSyntaxModel
from dragoman.lm.tree_events import as_token

__all__ = ["DeepSyntaxSearch", "carried_tree"]


class _Translated(NamedTuple):
    """What is known of a partial translation."""

    heads: tuple[int, ...]
    covered: int
    """A bit for each source word that is translated."""
    words: tuple[tuple[int, str], ...]
    """Translated source words that others may come to hang on, with what stands for them; empty for nothing."""
    waiting: tuple[tuple[int, str], ...]
    """Those whose ancestors are not all known yet, with what stands for them."""


class DeepSyntaxSearch(StateFeature):
    """Log-probabilities of target words after those that stand for their heads in the source tree."""

    def __init__(self, model: DeepSyntaxModel | Path | str, lowercase: bool = True) -> None:
        self.model = model if isinstance(model, DeepSyntaxModel) else DeepSyntaxModel.load(model)
        if self.model.events.kind != "ancestors":
            raise SettingError(
                f"a deep-syntax model of the kind {self.model.events.kind}", remedy="use one of words after ancestors"
            )
        self.lowercase = lowercase

    def __str__(self) -> str:
        return "dslm"

    def start(self, sentence: SourceSentence) -> Hashable:
        heads = sentence.heads if len(sentence.heads) == len(sentence.tokens) else ()
        return _Translated(tuple(heads), 0, (), ())

    def extend(self, state: Hashable, option: Option, fire: Fire) -> Hashable:
        assert isinstance(state, _Translated), "a state of this feature"
        if not state.heads:
            return state
        start, end = option.span
        own = self._standing_for(option, state.heads)
        known = dict(state.words) | {at: own.get(at, "") for at in range(start, end)}
        covered = state.covered | ((1 << (end - start)) - 1) << start
        waiting, sum_ = [], 0.0
        for at, word in (*state.waiting, *sorted(own.items())):
            context = self._context(at, state.heads, known, covered)
            if context is None:
                waiting.append((at, word))
            else:
                sum_ += self.model.word_logprob(word, context)
        if sum_:
            fire("dslm", sum_)
        kept = self._still_needed(state.heads, covered, [at for at, _ in waiting])
        return _Translated(
            state.heads, covered, tuple(sorted((at, word) for at, word in known.items() if at in kept)), tuple(waiting)
        )

    def _standing_for(self, option: Option, heads: Sequence[int]) -> dict[int, str]:
        found: dict[int, str] = {}
        for at, place in _owners(option.links, option.span[0], len(option.target), heads):
            word = option.target[place]
            found.setdefault(at, as_token(word.lower() if self.lowercase else word))
        return found

    def _context(self, at: int, heads: Sequence[int], known: dict[int, str], covered: int) -> tuple[str, ...] | None:
        """The ancestors of a word, the furthest first; None if they are not known yet."""
        above: list[str] = []
        head = heads[at]
        while len(above) < self.model.order - 1:
            if not 0 <= head < len(heads):
                above.append("<s>")
                break
            if not covered >> head & 1:
                return None
            if known[head]:
                above.append(known[head])
            head = heads[head]
        return tuple(reversed(above))

    @staticmethod
    def _still_needed(heads: Sequence[int], covered: int, waiting: Sequence[int]) -> set[int]:
        """Translated words above some word that is not, or that waits."""
        found: set[int] = set()
        for at in (*(at for at in range(len(heads)) if not covered >> at & 1), *waiting):
            head = heads[at]
            while 0 <= head < len(heads) and head not in found:
                found.add(head)
                head = heads[head]
        return {at for at in found if covered >> at & 1}


def _owners(
    links: Sequence[tuple[int, int]], start: int, words: int, heads: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Target words, each with the uppermost source word that it is linked to."""

    def depth(at: int) -> int:
        above = 0
        while 0 <= heads[at] < len(heads) and above < len(heads):
            at, above = heads[at], above + 1
        return above

    for place in range(words):
        linked = [start + source for source, target in links if target == place]
        if linked:
            yield min(linked, key=lambda at: (depth(at), at)), place


def carried_tree(
    words: Sequence[str], links: Sequence[tuple[int, int]], heads: Sequence[int], *, lowercase: bool = True
) -> PredicateTree:
    """The whole tree that search scores word by word: target words that stand for source words, and their heads."""
    standing: dict[int, int] = {}
    for at, place in _owners(links, 0, len(words), heads):
        standing.setdefault(at, place)
    order = sorted(standing, key=standing.__getitem__)
    numbers = {at: number for number, at in enumerate(order)}
    above = []
    for at in order:
        head = heads[at]
        while 0 <= head < len(heads) and head not in standing:
            head = heads[head]
        above.append(numbers[head] if 0 <= head < len(heads) else -1)
    spelt = (words[standing[at]] for at in order)
    return PredicateTree(tuple(word.lower() if lowercase else word for word in spelt), tuple(above))
