"""Restoring: the target text of a sentence from its target tokens and its prepared source.

Three things that a model cannot be trusted with are put right here, with the word alignment as guide where there is
one: every placeholder of the source appears exactly once; tags are around what they were around (`dragoman.text.tags`);
and gaps beside protected spans and beside symbols (`and/or`, `24 %`) are those of the source, where the detokenizer
would have to guess.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from dragoman.text.composing import CharacterRange
from dragoman.text.placeholders import MASK, TAG_KINDS
from dragoman.text.prepared import PreparedSentence, is_mask
from dragoman.text.tags import Link, is_tag, tag_role, tags_in_order, with_tags, without_tags

__all__ = ["gaps", "with_protected"]

_PLAIN_PUNCTUATION = frozenset(".,?!:;)]}([{'\"`„“”‚‘’«»‹›¿¡…。，、！？；：")
"""What the detokenizer knows how to space."""
_TAG_MASKS = tuple(f"⟦{kind}:" for kind in TAG_KINDS)
_SPACED_IN_FRENCH = frozenset("?!:;%«»")


def with_protected(
    words: Sequence[str], sentence: PreparedSentence, links: Sequence[Link]
) -> tuple[list[str], list[Link]]:
    """Target words with each placeholder of the source exactly once and its tags around what they were around.

    The links are those to the new places of words. Tags that the target has already stay where they are, if all of
    them are there and none cross; else they are put where the links say.
    """
    if not sentence.protected and not MASK.search(" ".join(words)):
        return list(words), list(links)
    if not tags_in_order(words, sentence):
        kept = without_tags(words, sentence)
        moved = {place: number for number, place in enumerate(kept)}
        words = [words[place] for place in kept]
        links = [(source, moved[target]) for source, target in links if target in moved]
        words, links = _with_placeholders(words, sentence, links)
        return with_tags(words, sentence, links)
    return _with_placeholders(words, sentence, links, tags=True)


def _with_placeholders(
    words: Sequence[str], sentence: PreparedSentence, links: Sequence[Link], *, tags: bool = False
) -> tuple[list[str], list[Link]]:
    """Target words with each mask of the source exactly once, those of tags if they are among the words."""
    targets: dict[int, list[int]] = defaultdict(list)
    for source, target in links:
        targets[source].append(target)
    found: dict[str, list[int]] = defaultdict(list)
    for index, word in enumerate(words):
        if is_mask(word):
            found[word].append(index)
    at = {
        index: _chosen(found.get(kept.mask, []), targets[index])
        for index, kept in sentence.protected.items()
        if tags or not is_tag(kept)
    }
    stays = {index for index in at.values() if index is not None}
    order = _Order(index for index, word in enumerate(words) if index in stays or not is_mask(word))
    _insert_missing(at, order, len(words), sentence, targets)
    inserted = {node: sentence.protected[index].mask for index, node in at.items() if node is not None}
    nodes = order.nodes()
    result = [inserted.get(node) or words[node] for node in nodes]
    moved = {node: position for position, node in enumerate(nodes)}
    between = {(source, moved[target]) for source, target in links if target in moved and source not in at}
    return result, sorted(between | {(index, moved[node]) for index, node in at.items() if node is not None})


def _chosen(found: Sequence[int], linked: Sequence[int]) -> int | None:
    """Which of a mask's occurrences stays: one that is linked to its source, else the first."""
    return next((index for index in found if index in linked), found[0] if found else None)


class _Order:
    """Target words as a chain, so that putting one in costs the same anywhere; a word's number is its first place."""

    START = -1

    def __init__(self, nodes: Iterable[int]) -> None:
        self._next: dict[int, int] = {}
        self._before: dict[int, int] = {}
        self.kept = list(nodes)
        for previous, node in pairwise([self.START, *self.kept, self.START]):
            self._next[previous], self._before[node] = node, previous

    def put_after(self, node: int, new: int) -> None:
        following = self._next[node]
        self._next[node], self._next[new] = new, following
        self._before[new], self._before[following] = node, new

    def put_before(self, node: int, new: int) -> None:
        self.put_after(self._before[node], new)

    def __contains__(self, node: int) -> bool:
        return node in self._next

    def nodes(self) -> list[int]:
        found = []
        node = self._next[self.START]
        while node != self.START:
            found.append(node)
            node = self._next[node]
        return found


def _insert_missing(
    at: dict[int, int | None],
    order: _Order,
    fresh: int,
    sentence: PreparedSentence,
    targets: Mapping[int, Sequence[int]],
) -> None:
    """Put each mask that is missing beside the target of its nearest source neighbour, else in proportion."""

    def places(source: int) -> list[int]:
        if source in at:
            place = at[source]
            return [] if place is None else [place]
        return [target for target in targets.get(source, ()) if target in order]

    count = len(sentence.words)
    right: list[int | None] = [None] * (count + 1)  # the nearest neighbour to the right that has a target
    for source in range(count - 1, -1, -1):
        right[source] = source if places(source) else right[source + 1]
    left: int | None = None
    for source in range(count):
        if source in at and at[source] is None:
            near = [neighbour for neighbour in (left, right[source + 1]) if neighbour is not None]
            if near:
                neighbour = min(near, key=lambda neighbour: abs(source - neighbour))
                if neighbour < source:
                    order.put_after(max(places(neighbour)), fresh)
                else:
                    order.put_before(min(places(neighbour)), fresh)
            else:
                share = round(source / max(count - 1, 1) * len(order.kept))
                order.put_after(order.kept[share - 1] if share else order.START, fresh)
            at[source] = fresh
            fresh += 1
        if places(source):
            left = source


def gaps(
    words: Sequence[str],
    guessed: Sequence[str],
    sentence: PreparedSentence,
    raw: str,
    links: Sequence[Link],
    *,
    french: bool,
) -> list[str]:
    """The white space before each target word: the source's where that says more than the detokenizer's guess.

    `french` says that exactly one of the two languages sets a space before high punctuation.
    """
    result = list(guessed)
    source = [word.lower() for word in sentence.words]
    target = [word.lower() for word in words]
    spans = sentence.word_spans
    neighbours = {pair: index for index, pair in enumerate(pairwise(source))}
    for k, pair in enumerate(pairwise(target), 1):
        found = neighbours.get(pair)
        if found is not None and _shape(pair[0]) == _shape(pair[1]) == "word":
            result[k] = _gap(raw, spans, found)
    anchors = _anchors(target, source, links)
    for k in sorted({place for anchor in anchors for place in (anchor, anchor + 1) if 0 < place < len(words)}):
        left, right = anchors.get(k - 1), anchors.get(k)
        opinions = [(0, "")]
        if left is not None and left + 1 < len(source):
            inner = left in sentence.protected and tag_role(sentence.protected[left]) == "open"
            gap = _gap(raw, spans, left)
            opinions.append(_opinion(gap, source[left + 1], target[k], guessed[k], inner, french))
        if right is not None and right > 0:
            inner = right in sentence.protected and tag_role(sentence.protected[right]) == "close"
            gap = _gap(raw, spans, right - 1)
            opinions.append(_opinion(gap, source[right - 1], target[k - 1], guessed[k], inner, french))
        strength, gap = max(opinions, key=lambda opinion: opinion[0])
        if strength > 0:
            result[k] = gap
    return result


def _gap(raw: str, spans: Sequence[CharacterRange], index: int) -> str:
    """What the raw text has after a word, before the next one, if that is white space."""
    between = raw[spans[index][1] : spans[index + 1][0]]
    return between if between.isspace() else ""


def _anchors(target: Sequence[str], source: Sequence[str], links: Sequence[Link]) -> dict[int, int]:
    """Target positions of masks and symbols with the source positions they were copied from."""
    places: dict[str, list[int]] = defaultdict(list)
    for index, word in enumerate(source):
        if _shape(word) == "anchor":
            places[word].append(index)
    if not places:
        return {}
    found: dict[str, list[int]] = defaultdict(list)
    for index, word in enumerate(target):
        if word in places:
            found[word].append(index)
    anchors: dict[int, int] = {}
    for word, positions in found.items():
        if len(positions) == len(places[word]):
            anchors.update(zip(positions, places[word], strict=True))
    linked = (link for link in links if source[link[0]] == target[link[1]] and _shape(source[link[0]]) == "anchor")
    return anchors | {position: index for index, position in linked}


def _opinion(gap: str, source: str, target: str, guess: str, inner: bool, french: bool) -> tuple[int, str]:
    """How strongly (0: not at all) the source's gap is the right one, given its neighbour and the target's."""
    if inner:
        return 4, gap
    if source == target:
        return (0, "") if french and source in _SPACED_IN_FRENCH else (3, gap)
    elided = not guess and target.endswith(("'", "’"))
    if _class(source) == _class(target) and _class(source) and not elided:
        return 2, gap
    return (1, gap) if gap and guess else (0, "")


def _class(word: str) -> str:
    """`digit` or `letter` by the first of either in a word; masks of words count as letters; else nothing."""
    if word.startswith(_TAG_MASKS) and is_mask(word):
        return "tag"
    for character in word:
        if character.isdigit():
            return "digit"
        if character.isalpha():
            return "letter"
    return ""


@lru_cache(maxsize=1 << 16)
def _shape(word: str) -> str:
    """`word`, `punctuation` that the detokenizer knows how to space, or `anchor`: masks, and symbols like `/`."""
    if is_mask(word):
        return "anchor"
    if any(character.isalnum() for character in word):
        return "word"
    known = all(character in _PLAIN_PUNCTUATION or unicodedata.category(character)[0] not in "PS" for character in word)
    return "punctuation" if known else "anchor"
