"""Tags through a translation: a pair spans the targets of what it spanned, a single tag stays with its neighbour.

A model translates words without tags, in whatever order it likes; the word links then say where each tag belongs. The
tags of a sentence are a tree of pairs. A pair goes around the targets of its content, from the smallest to the
largest; words that belong to no other pair may come to lie in between. Where the content of another pair lies in
between, the pair is split, so that pairs never cross: it is opened and closed once for each of its parts. One with an
identifier, which may not occur twice, keeps its largest part only. Pairs without content, single tags and tags without
a partner stay beside the nearest word that has a target, inside the pair that they were in.

    >>> from dragoman.text.preprocessor import Preprocessing, Preprocessor
    >>> english = Preprocessor(Preprocessing(language="en", case="keep"))
    >>> prepared = english.prepare("a <i>graphical interface</i> for the package")
    >>> links = [(0, 0), (2, 2), (3, 1), (5, 3), (6, 4), (7, 5)]
    >>> english.restore(["une interface graphique pour le paquet".split()], prepared, [links])
    'une <i>interface graphique</i> pour le paquet'
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dragoman.text.placeholders import TAG_KINDS
from dragoman.text.prepared import PreparedSentence, Protected, is_mask

__all__ = ["Link", "is_tag", "tag_role", "tags_in_order", "with_tags", "without_tags"]

Link = tuple[int, int]
"""One link of a word alignment: source index, target index."""

_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)
_DEEPEST = 64
"""Pairs further inside than this are taken as single tags: nobody writes them, and time must not grow with depth."""
_IDENTIFIER = re.compile(r"""\s(?:xml:)?id\s*=""", re.I)


def is_tag(kept: Protected) -> bool:
    """Whether a protected span is taken out before translation, and put back by the words around it."""
    return kept.kind in TAG_KINDS


def tag_role(kept: Protected) -> str:
    """`open`, `close`, `toggle` (either, as Markdown's `**`), `first` (of its line) or `alone`."""
    text = kept.text
    if kept.kind == "markdown":
        if text[-1:].isspace():
            return "first"
        return "open" if text in ("[", "![") else "close" if text.startswith("]") else "toggle"
    if kept.kind != "tag" or text.startswith(("<!", "<?", "]]")) or text.endswith("/>"):
        return "alone"
    if text.startswith("</"):
        return "close"
    return "alone" if _name(text) in _VOID else "open"


def _name(text: str) -> str:
    """What the two tags of a pair have in common."""
    if text[:1] == "<":
        return text.strip("</>").split(None, 1)[0].lower() if text.strip("</> \n\t") else ""
    return "]" if text[:1] in "![]" else text


@dataclass(slots=True, eq=False)
class _Pair:
    """Two tags by their source indices, and what is between them: indices of words and single tags, and pairs."""

    opening: int = -1
    closing: int = -1
    inside: list[int | _Pair] = field(default_factory=list)
    words: list[int] = field(default_factory=list)

    def everything(self) -> Iterator[int]:
        """All tags of it, in order, for one whose content has no targets."""
        content = set(self.words)
        yield self.opening
        for each in self.inside:
            if isinstance(each, _Pair):
                yield from each.everything()
            elif each not in content:
                yield each
        yield self.closing


def _tree(sentence: PreparedSentence) -> _Pair:
    """The pairs of a sentence; its root has no tags of its own."""
    root = _Pair()
    open_pairs = [root]
    names: dict[str, list[int]] = defaultdict(list)  # places in `open_pairs` by the name of what is open

    def leave(count: int) -> None:
        """Pairs that are open beyond this number have no end: their first tags are single ones."""
        while len(open_pairs) > count:
            pair = open_pairs.pop()
            names[_name(sentence.protected[pair.opening].text)].pop()
            open_pairs[-1].inside += [pair.opening, *pair.inside]
            open_pairs[-1].words += pair.words

    for index in range(len(sentence.words)):
        kept = sentence.protected.get(index)
        if kept is None or not is_tag(kept):
            open_pairs[-1].inside.append(index)
            open_pairs[-1].words.append(index)
            continue
        role, name = tag_role(kept), _name(kept.text)
        partner = names[name][-1] if names[name] else None
        if partner is not None and role in ("close", "toggle"):
            leave(partner + 1)
            pair = open_pairs.pop()
            names[name].pop()
            pair.closing = index
            open_pairs[-1].inside.append(pair)
            open_pairs[-1].words += pair.words
        elif role in ("open", "toggle") and len(open_pairs) <= _DEEPEST:
            names[name].append(len(open_pairs))
            open_pairs.append(_Pair(index))
        else:
            open_pairs[-1].inside.append(index)
    leave(1)
    return root


def with_tags(words: Sequence[str], sentence: PreparedSentence, links: Iterable[Link]) -> tuple[list[str], list[Link]]:
    """Target words, which have none, with the tags of the source, and links between the words of both with tags."""
    links = list(links)
    tags = [index for index, kept in sentence.protected.items() if is_tag(kept)]
    if not tags:
        return list(words), links
    tree = _tree(sentence)
    targets: dict[int, list[int]] = defaultdict(list)
    known = set(links)
    if all(source in sentence.protected for source, _ in known):
        known |= _in_proportion([word for word in tree.words if word not in sentence.protected], len(words))
    for source, target in sorted(known):
        targets[source].append(target)
    (placed,) = _Layout(sentence, targets).lines(tree, [list(range(len(words)))])
    moved: dict[int, int] = {}
    result: list[str] = []
    tag_links: list[Link] = []
    for item in placed:
        if item >= 0:
            moved[item] = len(result)
            result.append(words[item])
        else:
            tag_links.append((-1 - item, len(result)))
            result.append(sentence.protected[-1 - item].mask)
    return result, [(source, moved[target]) for source, target in links] + tag_links


def _in_proportion(sources: Sequence[int], count: int) -> set[Link]:
    """Links for a translation of which nothing is known: the n-th part of one side is the n-th part of the other."""
    last = max(len(sources) - 1, 1)
    return {(source, round(place / last * (count - 1))) for place, source in enumerate(sources)} if count else set()


_Placed = list[int]
"""Target positions, and tags as -1 - their source index."""


class _Layout:
    """Where the tags of a sentence go, given the targets of its words."""

    def __init__(self, sentence: PreparedSentence, targets: Mapping[int, Sequence[int]]) -> None:
        self._sentence, self._targets = sentence, targets
        self._linked = frozenset(target for found in targets.values() for target in found)

    def lines(self, pair: _Pair, regions: list[list[int]]) -> list[_Placed]:
        """The parts of a pair, each a region of target positions in order, with all tags that are inside it."""
        region = {place for part in regions for place in part}
        children = [each for each in pair.inside if isinstance(each, _Pair)]
        parts = self._parts(pair, children, regions, region)
        items: list[list[_Placed]] = []
        inner = {
            number: self.lines(child, [part for _, part in parts[number]])
            for number, child in enumerate(children)
            if parts[number]
        }
        begins = {part[0]: (number, turn) for number, found in parts.items() for turn, (_, part) in enumerate(found)}
        for own in regions:
            line: list[_Placed] = []
            skip = -1
            for place in own:
                if place <= skip:
                    continue
                if place in begins:
                    number, turn = begins[place]
                    child = children[number]
                    line.append([-1 - child.opening, *inner[number][turn], -1 - child.closing])
                    skip = parts[number][turn][1][-1]
                else:
                    line.append([place])
            items.append(line)
        self._put_others(pair, {child for number, child in enumerate(children) if not parts[number]}, region, items)
        return [[each for item in line for each in item] for line in items]

    def _parts(
        self, pair: _Pair, children: Sequence[_Pair], regions: list[list[int]], region: set[int]
    ) -> dict[int, list[tuple[int, list[int]]]]:
        """For each child its parts: the number of the region they are in, and their positions."""
        votes: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for number, child in enumerate(children):
            for word in child.words:
                for target in self._targets.get(word, ()):
                    if target in region:
                        votes[target][number] += 1
        owner = {target: max(sorted(found), key=found.__getitem__) for target, found in votes.items()}
        parts: dict[int, list[tuple[int, list[int]]]] = {number: [] for number in range(len(children))}
        for turn, own in enumerate(regions):
            runs: list[tuple[int, int, int]] = []  # child, first and last place in `own`
            for place, target in enumerate(own):
                number = owner.get(target, -1)
                if number < 0:
                    continue
                if runs and runs[-1][0] == number:
                    runs[-1] = (number, runs[-1][1], place)
                else:
                    runs.append((number, place, place))
            for place, (number, first, last) in enumerate(runs):
                words = children[number].words
                if place == 0 and words[0] == pair.words[0] and self._free(own[:first]):
                    first = 0
                if place == len(runs) - 1 and words[-1] == pair.words[-1] and self._free(own[last + 1 :]):
                    last = len(own) - 1
                parts[number].append((turn, own[first : last + 1]))
        for number, child in enumerate(children):
            if len(parts[number]) > 1 and _IDENTIFIER.search(self._sentence.protected[child.opening].text):
                parts[number] = [max(parts[number], key=lambda part: len(part[1]))]
        return parts

    def _free(self, places: Iterable[int]) -> bool:
        return not any(place in self._linked for place in places)

    def _put_others(self, pair: _Pair, empty: set[_Pair], region: set[int], items: list[list[_Placed]]) -> None:
        """Put single tags and pairs without targets beside their neighbours; each item of a line stays whole."""
        content = set(pair.words)
        tags = [each for each in pair.inside if (each in empty if isinstance(each, _Pair) else each not in content)]
        if not tags:
            return
        where = {
            place: (turn, number)
            for turn, line in enumerate(items)
            for number, item in enumerate(line)
            for place in item
            if place >= 0
        }
        placed = [word for word in pair.words if any(place in region for place in self._targets.get(word, ()))]
        before: dict[tuple[int, int], _Placed] = defaultdict(list)
        after: dict[tuple[int, int], _Placed] = defaultdict(list)
        start: _Placed = []
        end: _Placed = []
        for tag in tags:
            first, last = (tag.opening, tag.closing) if isinstance(tag, _Pair) else (tag, tag)
            shown = [-1 - each for each in tag.everything()] if isinstance(tag, _Pair) else [-1 - tag]
            role = "alone" if isinstance(tag, _Pair) else tag_role(self._sentence.protected[tag])
            right = bisect_left(placed, last)
            if not placed or (role in ("open", "first") and not pair.words[: bisect_left(pair.words, first)]):
                start += shown
            elif role == "close" and bisect_left(pair.words, last) == len(pair.words):
                end += shown
            elif self._follows(pair, first, last, placed, right, opens=role in ("open", "first")):
                place = max(target for target in self._targets[placed[right - 1]] if target in region)
                after[where[place]] += shown
            else:
                place = min(target for target in self._targets[placed[right]] if target in region)
                before[where[place]] += shown
        for turn, line in enumerate(items):
            for number, item in enumerate(line):
                item[:0] = before.get((turn, number), [])
                item += after.get((turn, number), [])
        items[0].insert(0, start)
        items[-1].append(end)

    def _follows(self, pair: _Pair, first: int, last: int, placed: Sequence[int], right: int, *, opens: bool) -> bool:
        """Whether a tag stays with the word on its left: the nearer one, or the one that it touches."""
        if right == 0 or right == len(placed):
            return right > 0
        at = bisect_left(pair.words, first)
        to_left = at - bisect_left(pair.words, placed[right - 1])
        to_right = bisect_left(pair.words, placed[right]) - at + 1
        if to_left != to_right:
            return to_left < to_right
        spans = self._sentence.word_spans
        touches_left = first > 0 and spans[first - 1][1] == spans[first][0]
        touches_right = last + 1 < len(spans) and spans[last][1] == spans[last + 1][0]
        return touches_left if touches_left != touches_right else not opens


def without_tags(words: Sequence[str], sentence: PreparedSentence) -> list[int]:
    """Places of the target words that are no tags of the source."""
    tags = {kept.mask for kept in sentence.protected.values() if is_tag(kept)}
    return [place for place, word in enumerate(words) if word not in tags]


def tags_in_order(words: Sequence[str], sentence: PreparedSentence) -> bool:
    """Whether target words have every tag of the source exactly once, and no pairs that cross."""
    source = {kept.mask: index for index, kept in sentence.protected.items() if is_tag(kept)}
    found = [source[word] for word in words if is_mask(word) and word in source]
    if len(found) != len(source) or len(set(found)) != len(found):
        return False
    partner: dict[int, int] = {}
    waiting = [_tree(sentence)]
    while waiting:
        pair = waiting.pop()
        partner[pair.closing] = pair.opening
        waiting += [each for each in pair.inside if isinstance(each, _Pair)]
    opened: list[int] = []
    opening = set(partner.values())
    for index in found:
        if index in partner:
            if not opened or opened.pop() != partner[index]:
                return False
        elif index in opening:
            opened.append(index)
    return not opened
