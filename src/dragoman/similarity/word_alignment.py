"""Word alignment within a language: words that say the same, found from the surest to the least sure.

After Sultan, Bethard and Sumner (2014), whose aligner won the task of that year without training. In this order, each
word used once: identical stretches of at least two words, one of them of content; names; words of content whose
neighbours in the dependency tree are alike; words of content whose neighbours in the text are; and words of function
beside words that are aligned. A pair of words of content is worth 0.9 of how alike the words are, and 0.1 of how alike
their neighbours are.

Words are alike (1) if they are equal without case and `.`, `-`, `,`, or have one stem or lemma; 0.9 if a lexicon lists
them as paraphrases; a word of function is never like one of content, nor a number like another number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from dragoman.align.monolingual import MonolingualAlignment, WordMatch
from dragoman.annotations.sentence import Sentence
from dragoman.metrics.lexical import STEMMERS, is_punctuation, stem
from dragoman.settings import check_argument
from dragoman.similarity.words import function_words, with_tokens

__all__ = ["GLOSS_WORDS", "AlignedText", "WordAligner"]

GLOSS_WORDS = frozenset(["something", "someone", "somebody", "act", "activity", "some", "state"])
"""Words that definitions are made of, and that say little there."""

_NUMBERS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion
"""
_NUMBER_WORDS = frozenset(_NUMBERS.split())
_EQUIVALENT = {
    "nsubj:pass": "obj", "iobj": "obj", "csubj": "nsubj", "obl:agent": "nsubj", "acl": "amod", "acl:relcl": "amod",
    "nmod:poss": "nmod", "compound": "nmod", "xcomp": "ccomp", "nummod:gov": "nummod", "obl:tmod": "obl",
    "nmod:tmod": "nmod", "obl:npmod": "obl",
}  # fmt: skip
"""Relations that say the same of a pair of words in other constructions."""


@lru_cache(maxsize=2**18)
def _plain(word: str) -> str:
    return word.lower().replace(".", "").replace("-", "").replace(",", "") or word


@lru_cache(maxsize=2**18)
def _number(word: str) -> bool:
    return any(letter.isdigit() for letter in word) or word in _NUMBER_WORDS


@dataclass(frozen=True, slots=True)
class AlignedText:
    """A sentence made ready to be aligned."""

    words: tuple[str, ...]
    plain: tuple[str, ...]
    """Lower case, without points, dashes and commas."""
    stems: tuple[str, ...]
    content: tuple[bool, ...]
    function: tuple[bool, ...]
    """Neither of both: punctuation."""
    names: tuple[tuple[int, int], ...]
    relations: tuple[tuple[tuple[str, int], ...], ...] | None = None
    """Neighbours of each word in the tree, with the relation and its direction."""

    def content_words(self) -> list[int]:
        """Positions of words of content."""
        return [at for at, is_content in enumerate(self.content) if is_content]


@dataclass(frozen=True, kw_only=True)
class WordAligner:
    """The aligner and what it knows."""

    language: str = "en"
    paraphrases: Mapping[str, frozenset[str]] = field(default_factory=dict, repr=False)
    dependencies: bool = True
    window: int = 3
    weight: float = 0.9
    more_function_words: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        function_words(self.language)
        check_argument("language", self.language, label="stems", choices=STEMMERS)

    def prepare(self, sentence: Sentence) -> AlignedText:
        """What the aligner looks at."""
        if self.dependencies:
            sentence.require("dependencies", needed_by="the aligner")
        sentence = with_tokens(sentence)
        words = sentence.words
        plain = tuple(map(_plain, words))
        stems = tuple(stem(word, self.language) for word in plain)
        stop = function_words(self.language) | self.more_function_words
        punctuation = [is_punctuation(word) for word in words]
        function = tuple(not mark and word.lower() in stop for word, mark in zip(words, punctuation, strict=True))
        content = tuple(not mark and not small for mark, small in zip(punctuation, function, strict=True))
        if sentence.has("entities"):
            names = tuple((span.start, span.end) for span in sentence.entities)
        else:
            names = tuple(_capitalized(words, content))
        return AlignedText(words, plain, stems, content, function, names, self._relations(sentence))

    def _relations(self, sentence: Sentence) -> tuple[tuple[tuple[str, int], ...], ...] | None:
        if not self.dependencies:
            return None
        found: list[list[tuple[str, int]]] = [[] for _ in sentence.tokens]
        tree = sentence.dependencies
        for child, (head, label) in enumerate(zip(tree.heads, tree.labels, strict=True)):
            if head >= 0:
                kind = _EQUIVALENT.get(label, label)
                found[child].append((f"head {kind}", head))
                found[head].append((f"child {kind}", child))
        return tuple(map(tuple, found))

    def likeness(self, first: AlignedText, i: int, second: AlignedText, j: int) -> tuple[float, str]:
        """How alike two words are, and why; 0 for not at all."""
        if first.content[i] != second.content[j] or first.function[i] != second.function[j]:
            return 0.0, ""
        one, other = first.plain[i], second.plain[j]
        if one == other:
            return 1.0, "same"
        if _number(one) or _number(other):
            return 0.0, ""
        if first.stems[i] == second.stems[j]:
            return 1.0, "stem"
        if first.content[i] and other in self.paraphrases.get(one, ()):
            return 0.9, "paraphrase"
        return 0.0, ""

    def align(self, first: AlignedText, second: AlignedText) -> MonolingualAlignment:
        """The matches, each word at most once."""
        alike = {
            (i, j): found
            for i in range(len(first.words))
            for j in range(len(second.words))
            if (found := self.likeness(first, i, second, j))[0] > 0
        }
        work = _Work(first, second, alike, {}, set(), set())
        work.take_stretches()
        work.take_names()
        content = [pair for pair in alike if first.content[pair[0]]]
        if self.dependencies:
            evidence = {pair: work.tree_evidence(pair) for pair in content}
            work.take_best((pair for pair in content if evidence[pair] > 0), evidence, self.weight, "tree")
        evidence = {pair: work.text_evidence(pair, self.window) for pair in content}
        work.take_best(content, evidence, self.weight, "text")
        work.take_function_words(self.window)
        return MonolingualAlignment.of(work.found.values())


@dataclass(slots=True)
class _Work:
    """One pair of sentences while it is being aligned."""

    first: AlignedText
    second: AlignedText
    alike: dict[tuple[int, int], tuple[float, str]]
    found: dict[tuple[int, int], WordMatch]
    used_first: set[int]
    used_second: set[int]

    def free(self, i: int, j: int) -> bool:
        return i not in self.used_first and j not in self.used_second

    def take(self, i: int, j: int, score: float, reason: str) -> None:
        self.found[i, j] = WordMatch(i, j, score, reason)
        self.used_first.add(i)
        self.used_second.add(j)

    def _distance(self, i: int, j: int) -> float:
        return abs(i / len(self.first.words) - j / len(self.second.words))

    def take_stretches(self) -> None:
        """Identical stretches with a word of content, the longest first."""
        stretches = []
        same = {pair for pair, (_, reason) in self.alike.items() if reason == "same"}
        for i, j in same:
            if (i - 1, j - 1) in same:
                continue
            size = 1
            while (i + size, j + size) in same:
                size += 1
            if size > 1 and any(self.first.content[i : i + size]):
                stretches.append((-size, self._distance(i, j), i + j, i, j))
        for size, _, _, i, j in sorted(stretches):
            places = [(i + k, j + k) for k in range(-size)]
            if all(self.free(*place) for place in places):
                for place in places:
                    self.take(*place, 1.0, "same stretch")

    def take_names(self) -> None:
        """Names that are equal, stand for each other by initials, or are parts of each other."""
        for start, end in self.first.names:
            for from_, to in self.second.names:
                ours, theirs = self.first.words[start:end], self.second.words[from_:to]
                if _initials(ours) == theirs or _initials(theirs) == ours:
                    for i in range(start, end):
                        for j in range(from_, to):
                            if self.free(i, j):
                                self.take(i, j, 1.0, "name: initials")
        for start, end in self.first.names:
            for from_, to in self.second.names:
                equal = [
                    (i, j)
                    for i in range(start, end)
                    for j in range(from_, to)
                    if self.first.plain[i] == self.second.plain[j]
                ]
                for i, j in equal:
                    if self.free(i, j) and self.first.content[i] and self.second.content[j]:
                        self.take(i, j, 1.0, "name")

    def tree_evidence(self, pair: tuple[int, int]) -> float:
        """How alike the neighbours are that stand in the same relation."""
        assert self.first.relations is not None
        assert self.second.relations is not None
        return sum(
            self.alike.get((one, other), (0.0,))[0]
            for kind, one in self.first.relations[pair[0]]
            for same, other in self.second.relations[pair[1]]
            if kind == same
        )

    def text_evidence(self, pair: tuple[int, int], window: int) -> float:
        """How alike the words of content are that stand near."""
        i, j = pair
        near = [k for k in range(max(0, i - window), min(len(self.first.words), i + window + 1)) if k != i]
        far = [k for k in range(max(0, j - window), min(len(self.second.words), j + window + 1)) if k != j]
        return sum(self.alike.get((one, other), (0.0,))[0] for one in near if self.first.content[one] for other in far)

    def take_best(
        self, pairs: Iterable[tuple[int, int]], evidence: Mapping[tuple[int, int], float], weight: float, where: str
    ) -> None:
        """The best pair, again and again."""

        def order(pair: tuple[int, int]) -> tuple[float, float, int]:
            value = weight * self.alike[pair][0] + (1 - weight) * evidence[pair]
            return -round(value, 9), round(self._distance(*pair), 9), sum(pair)

        for i, j in sorted(pairs, key=order):
            if self.free(i, j):
                score, reason = self.alike[i, j]
                self.take(i, j, score, f"{reason}, {where} around it" if evidence[i, j] > 0 else reason)

    def take_function_words(self, window: int) -> None:
        """Equal words of function beside words that are aligned, in the tree or in the text."""
        aligned = set(self.found)
        for pair in sorted(self.alike, key=lambda pair: (self._distance(*pair), sum(pair))):
            i, j = pair
            if not self.first.function[i] or not self.free(i, j):
                continue
            beside = any((i + step, j + step) in aligned for step in (-1, 1))
            if self.first.relations is not None and self.second.relations is not None:
                beside = beside or any(
                    (one, other) in aligned
                    for _, one in self.first.relations[i]
                    for _, other in self.second.relations[j]
                )
            else:
                beside = beside or any(
                    (i + a, j + b) in aligned for a in range(-window, window + 1) for b in range(-window, window + 1)
                )
            if beside:
                self.take(i, j, *self.alike[pair])


def _capitalized(words: Sequence[str], content: Sequence[bool]) -> Iterable[tuple[int, int]]:
    """Runs of words of content with a capital, the first word of the sentence apart."""
    start: int | None = None
    for at in range(1, len(words) + 1):
        inside = at < len(words) and content[at] and words[at][:1].isupper()
        if inside and start is None:
            start = at
        elif not inside and start is not None:
            yield start, at
            start = None


def _initials(words: Sequence[str]) -> tuple[str, ...]:
    return ("".join(word[0] for word in words),) if len(words) > 1 else ()
