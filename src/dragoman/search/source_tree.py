"""The source tree beside a derivation: where its phrases lie, and what the rules of the translation did to them.

A phrase that a rule covers exactly was translated as one; a phrase that a rule cuts was not. Both are said for each
phrase, so that one sees at a glance how far a translation went along with the tree.

    >>> from dragoman.annotations import Sentence
    >>> parsed = Sentence.of(["a", "dog", "barks"], pos=["DET", "NOUN", "VERB"],
    ...                      dependencies=([1, 2, -1], ["det", "nsubj", "root"]))
    >>> print(*source_tree_lines(parsed, [(0, 2), (2, 3)]), sep="\\n")
    S  a dog barks
      NP =  a dog
      VP =  barks
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dragoman.annotations import Sentence, picture
from dragoman.annotations.phrase_spans import phrase_spans
from dragoman.search.told_sentence import ToldSentence

__all__ = ["LEGEND", "has_source_tree", "rule_spans", "source_tree_lines", "source_tree_svg"]

LEGEND = "phrases of the source: = is translated by one rule, + is cut by one"


def has_source_tree(translation: ToldSentence) -> bool:
    """Whether phrases are known of its source."""
    return translation.annotation is not None and bool(phrase_spans(translation.annotation))


def rule_spans(translation: ToldSentence) -> list[tuple[int, int]]:
    """What each rule covers, with all that its gaps do."""
    return [each.within if each.within[1] else each.source_span for each in translation.phrases]


def source_tree_lines(sentence: Sentence, rules: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The phrases of a sentence, a line each, under those that they lie in."""
    open_spans: list[tuple[int, int]] = []
    for label, start, end in phrase_spans(sentence):
        while open_spans and open_spans[-1][1] <= start:
            open_spans.pop()
        mark = " =" if (start, end) in rules else " +" if any(_cuts(rule, (start, end)) for rule in rules) else ""
        yield f"{'  ' * len(open_spans)}{label}{mark}  {' '.join(sentence.words[start:end])}"
        open_spans.append((start, end))


def source_tree_svg(sentence: Sentence) -> str:
    """Constituents, dependencies and tags of the source as a picture."""
    return picture.draw(sentence).svg()


def _cuts(rule: tuple[int, int], phrase: tuple[int, int]) -> bool:
    return max(rule[0], phrase[0]) < min(rule[1], phrase[1]) and not (
        (phrase[0] <= rule[0] and rule[1] <= phrase[1]) or (rule[0] <= phrase[0] and phrase[1] <= rule[1])
    )
