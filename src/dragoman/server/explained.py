"""A translation with its reasons as plain values: what the page draws, and what programs may draw themselves.

For each sentence there are its tokens, with the characters that they stand for on both sides; its phrases, with what
each concern added to the score, and what else might have stood there; what each family of features added in all; and
for rules inside rules their tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import unescape
from typing import Any

from dragoman.pipeline.translation import Translation
from dragoman.search.concerns import family_of, meaning_of
from dragoman.search.sentence_explanation import ExplainedText, PhraseRow, SentenceExplanation
from dragoman.search.synchronous_tree import SynchronousTree, is_hierarchical, synchronous_trees
from dragoman.search.translation import Phrase, SentenceTranslation
from dragoman.server.served_models import ServedModel

__all__ = ["explained", "token_ranges"]

Range = tuple[int, int]


def token_ranges(text: str, tokens: Iterable[str]) -> list[Range | None]:
    """Where tokens stand in the text that was made of them, whatever became of blanks and case; None where not.

    >>> token_ranges('He said: "No"', ["he", "said", ":", "&quot;", "no", "&quot;"])
    [(0, 2), (3, 7), (7, 8), (9, 10), (10, 12), (12, 13)]
    """
    folded = text.casefold()
    if len(folded) != len(text):  # some letters become two: then their case must be the same
        folded = text
    found: list[Range | None] = []
    at = 0
    for token in tokens:
        place, size = -1, 0
        for tried in (token, unescape(token)):
            place, size = folded.find(tried.casefold() if folded is not text else tried, at), len(tried)
            if place >= 0:
                break
        if place < 0 or place > at + 40:  # what is far away is another one
            found.append(None)
            continue
        found.append((place, place + size))
        at = place + size
    return found


def explained(translation: Translation, served: ServedModel, *, nbest: int) -> dict[str, Any]:
    """All that is known of how a text was translated."""
    candidates = translation.nbest(nbest + 1) if nbest else []
    sure = served.model.confidence is not None
    whole = ExplainedText(translation.searched, source=translation.source, text=translation.text)
    ranges = iter(token_ranges(translation.text, (word for each in translation.sentences for word in each.target)))
    sentences = []
    for number, (sentence, told) in enumerate(zip(translation.searched, whole.sentences, strict=True)):
        sentences.append(
            {
                "source": _tokens(sentence.source, translation.source_ranges[number]),
                "target": _tokens(
                    sentence.target,
                    [next(ranges) for _ in sentence.target],
                    translation.word_confidence[number] if sure else (),
                ),
                "score": sentence.score,
                "links": [list(link) for link in sentence.alignment],
                "phrases": [
                    _phrase(row, row.phrase, sentence, told, served) for row in told.rows if row.phrase is not None
                ],
                "end": _values(told, told.rows[-1]),
                "features": _by_family(sentence),
                "tree": [_tree(each) for each in synchronous_trees(sentence)] if is_hierarchical(sentence) else [],
            }
        )
    return {
        "model": served.name,
        "source": served.source,
        "target": served.target,
        "text": translation.text,
        "score": translation.score,
        "confidence": translation.confidence if sure else None,
        "concerns": [
            {
                "name": concern.name,
                "question": concern.question,
                "features": {family: meaning_of(family) for family in families},
            }
            for concern, families in whole.concerns.items()
        ],
        "sentences": sentences,
        "nbest": [{"text": each.text, "score": each.score} for each in candidates],
        "terms": [term.to_dict() for term in translation.terms],
    }


def _tokens(
    words: Sequence[str], ranges: Sequence[Range | None], confidence: Sequence[float] = ()
) -> list[dict[str, Any]]:
    tokens: list[dict[str, Any]] = [
        {"text": word, "range": None if place is None else list(place)}
        for word, place in zip(words, ranges, strict=True)
    ]
    for token, chance in zip(tokens, confidence, strict=False):
        token["confidence"] = chance
    return tokens


def _phrase(
    row: PhraseRow, phrase: Any, sentence: SentenceTranslation, told: SentenceExplanation, served: ServedModel
) -> dict[str, Any]:
    assert isinstance(phrase, Phrase)
    return {
        "source": list(phrase.positions),
        "target": _written(phrase, sentence.target),
        "score": phrase.score,
        "unknown": phrase.unknown,
        "times": served.model.evidence.times(phrase),
        "values": _values(told, row),
        "features": {name: value for name, value in phrase.features.items() if value and sentence.weights[name]},
        "alternatives": [{"text": text, "less": gap} for text, gap in row.alternatives],
    }


def _values(told: SentenceExplanation, row: PhraseRow) -> dict[str, float]:
    return {concern.name: value for concern, value in zip(told.concerns, row.values, strict=True)}


def _by_family(sentence: SentenceTranslation) -> dict[str, float]:
    """What each family of features added to the score of a sentence."""
    added: dict[str, float] = {}
    for name, value in sentence.features.items():
        if value and sentence.weights[name]:
            added[family_of(name)] = added.get(family_of(name), 0.0) + value * sentence.weights[name]
    return added


def _written(phrase: Phrase, target: Sequence[str]) -> list[int]:
    """Positions of the words that a phrase wrote itself; rules inside it may have written others between them."""
    first, last = phrase.target_span
    if last - first == len(phrase.target):
        return list(range(first, last))
    places, at = [], first
    for word in phrase.target:
        at = next((place for place in range(at, last) if target[place] == word), last)
        if at < last:
            places.append(at)
            at += 1
    return places


def _tree(tree: SynchronousTree) -> dict[str, Any]:
    source, target = tree.rule
    return {
        "source": source,
        "target": target,
        "score": tree.phrase.score,
        "span": list(tree.phrase.within),
        "parts": [_tree(part) for part in tree.parts],
    }
