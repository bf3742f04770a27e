"""Mining of comparable pairs: sentences of one article, or of one event in the news, that say nearly the same.

As the Spanish sets of 2014 were made (Agirre et al. 2014): the abstract of an encyclopaedia article is compared with
its content, all pages about one event with each other; pairs of sentences of more than eight words are kept if the
shorter has more than half of the words of the longer and more than 0.35 of the words are in common, in order. Scores
are then spread over five bins, of which the low ones hold the interesting paraphrases. Not all sentences are compared:
those that can pass share enough of their words in whatever order, and an index of rare words finds all that do.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman._native import similarity as native
from dragoman.errors import FileError, InputError
from dragoman.files import read_lines
from dragoman.settings import Settings, setting
from dragoman.similarity.pairs import TextPair
from dragoman.text.sentences import split
from dragoman.text.strings import string_similarities

__all__ = [
    "MinedPair",
    "MiningReport",
    "MiningSettings",
    "content_blocks",
    "mine_articles",
    "mine_events",
    "read_articles",
    "read_events",
]

_TAGS = re.compile(
    r"<[^<>\n]{1,200}>|\[\[(?:[^\[\]|\n]{0,100}\|)?([^\[\]|\n]{0,100})\]\]|\{\{[^{}\n]{0,200}\}\}|'{2,5}|={2,6}"
)
LEAST_LETTERS = 80
MOST_SYMBOLS = 0.2


@dataclass(frozen=True, kw_only=True)
class MiningSettings(Settings):
    """Which sentences are comparable; the usual values are those of Agirre et al. (2014)."""

    language: str = setting("en", "Of the texts, by which sentences are found.")
    min_words: int = setting(9, "Shorter sentences are passed over.", least=1)
    ratio: float = setting(0.5, "The shorter has more than this share of the longer's words.", least=0, most=1)
    least: float = setting(0.35, "More than this share of the words must be in common, in order.", least=0, most=1)
    bins: int = setting(5, "Bins that similarities are spread over.", least=1, most=100)


@dataclass(frozen=True, slots=True)
class MinedPair:
    """Two comparable sentences, how much they have in common, and the bin of that among all that were found."""

    pair: TextPair
    similarity: float
    bin: int
    source: str


@dataclass(frozen=True)
class MiningReport:
    """The pairs, by article or event and then as they stand there; and what was passed over."""

    pairs: tuple[MinedPair, ...]
    documents: int
    skipped: int
    """Articles without a second paragraph, events with one page."""
    compared: int

    def to_dict(self) -> dict[str, Any]:
        """Numbers alone."""
        bins = [
            sum(one.bin == number for one in self.pairs)
            for number in range(max((p.bin for p in self.pairs), default=-1) + 1)
        ]
        return {
            "pairs": len(self.pairs),
            "bins": bins,
            "documents": self.documents,
            "skipped": self.skipped,
            "compared": self.compared,
        }


def read_articles(path: Path | str) -> list[list[str]]:
    """Articles as lists of paragraphs: one paragraph a line, a blank line between articles; mark-up is removed."""
    articles: list[list[str]] = [[]]
    for line in read_lines(path):
        text = _TAGS.sub(lambda found: found.group(1) or " ", line).strip()
        if text:
            articles[-1].append(text)
        elif not line.strip() and articles[-1]:
            articles.append([])
    found = [article for article in articles if article]
    if not found:
        raise InputError("no articles", where=str(path))
    return found


def read_events(path: Path | str) -> dict[str, list[list[str]]]:
    """Events by name: a folder each, with a text file for each page, a block of text a line."""
    folders = sorted(folder for folder in Path(path).iterdir() if folder.is_dir()) if Path(path).is_dir() else []
    if not folders:
        raise FileError("no folders of events", where=str(path), remedy="give a folder with a folder for each event")
    return {
        folder.name: [list(read_lines(page)) for page in sorted(folder.iterdir()) if page.is_file()]
        for folder in folders
    }


def content_blocks(blocks: Sequence[str]) -> list[str]:
    """The blocks of a page that are its text, and not menus and notices.

    A block counts if it has 80 characters or more, at most a fifth of them digits and symbols. Then a block between two
    that count counts too, and after that one between two that do not does not.
    """
    verdicts = [_is_content(block) for block in blocks]
    for wanted in (True, False):
        before = list(verdicts)
        for at in range(1, len(blocks) - 1):
            if before[at - 1] == before[at + 1] == wanted:
                verdicts[at] = wanted
    return [block for block, kept in zip(blocks, verdicts, strict=True) if kept and block.strip()]


def _is_content(block: str) -> bool:
    text = block.strip()
    symbols = sum(not (letter.isalpha() or letter.isspace()) for letter in text)
    return len(text) >= LEAST_LETTERS and symbols <= MOST_SYMBOLS * len(text)


@dataclass(frozen=True, slots=True)
class _Group:
    """Sentences of an article or event: the first ones are compared with the others, or all with each other."""

    name: str
    first: list[str]
    others: list[str] | None = None


def mine_articles(
    articles: Sequence[Sequence[str]], settings: MiningSettings | None = None, *, threads: int = 0
) -> MiningReport:
    """Sentences of the first paragraph with sentences of the others; an article of one paragraph is passed over."""
    chosen = settings or MiningSettings()
    groups = [
        _Group(f"article {number}", _sentences(paragraphs[:1], chosen), _sentences(paragraphs[1:], chosen))
        for number, paragraphs in enumerate(articles, 1)
        if len(paragraphs) > 1
    ]
    return _mine(groups, len(articles), chosen, threads)


def mine_events(
    events: dict[str, list[list[str]]], settings: MiningSettings | None = None, *, threads: int = 0
) -> MiningReport:
    """Sentences of all pages of an event with each other; an event with one page is passed over."""
    chosen = settings or MiningSettings()
    groups = []
    for name, pages in events.items():
        if len(pages) > 1:
            blocks = [block for page in pages for block in content_blocks(page)]
            groups.append(_Group(name, _sentences(blocks, chosen)))
    return _mine(groups, len(events), chosen, threads)


def _sentences(paragraphs: Iterable[str], settings: MiningSettings) -> list[str]:
    found = [text[span.start : span.end] for text in paragraphs for span in split(text, settings.language)]
    return list(dict.fromkeys(sentence.strip() for sentence in found if len(sentence.split()) >= settings.min_words))


def _comparable(text: str) -> str:
    """Lower case, without accents and punctuation."""
    plain = unicodedata.normalize("NFD", text.lower())
    letters = (c if c.isalnum() else " " for c in plain if not unicodedata.combining(c))
    return " ".join("".join(letters).split())


def _mine(groups: Sequence[_Group], documents: int, settings: MiningSettings, threads: int) -> MiningReport:
    kept: dict[tuple[str, str], tuple[float, str]] = {}
    compared = 0
    for group in groups:
        worth = _candidates(group, settings, threads)
        compared += len(worth)
        sides = [[_comparable(pair[side]) for pair in worth] for side in (0, 1)]
        values = string_similarities(sides[0], sides[1], unit="word", threads=threads)
        for pair, value in zip(worth, values.tolist(), strict=True):
            if value > settings.least and pair not in kept and pair[::-1] not in kept:
                kept[pair] = (value, group.name)
    low = min((value for value, _ in kept.values()), default=0.0)
    span = max((value for value, _ in kept.values()), default=1.0) - low
    bins = settings.bins
    found = tuple(
        MinedPair(TextPair.of(*pair), value, min(bins - 1, int(bins * (value - low) / span)) if span > 0 else 0, name)
        for pair, (value, name) in kept.items()
    )
    return MiningReport(found, documents, documents - len(groups), compared)


def _candidates(group: _Group, settings: MiningSettings, threads: int) -> list[tuple[str, str]]:
    """Pairs of a group that differ, are of similar length, and share enough words to pass, if these stood in order."""
    sentences = [*group.first, *(group.others or ())]
    words = [_comparable(text).split() for text in sentences]
    # more than `least` of both in common is more than this share of the words that both have together
    shared = max(settings.least / (2 - settings.least), 1e-6)
    ours, theirs, _ = native.near_duplicates(list(map(_counted, words)), least=shared, threads=threads)
    return [
        (sentences[i], sentences[j])
        for i, j in zip(ours.tolist(), theirs.tolist(), strict=True)
        if (group.others is None or i < len(group.first) <= j)
        and words[i] != words[j]
        and min(len(words[i]), len(words[j])) > settings.ratio * max(len(words[i]), len(words[j]))
    ]


def _counted(words: Sequence[str]) -> str:
    """A line of different words: the second `the` is another word than the first.

    >>> _counted("the cat and the dog".split())
    'the.1 cat.1 and.1 the.2 dog.1'
    """
    seen: Counter[str] = Counter()
    seen_words = []
    for word in words:
        seen[word] += 1
        seen_words.append(f"{word}.{seen[word]}")
    return " ".join(seen_words)
