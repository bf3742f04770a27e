"""Mining of comparable pairs: sentences of one article, or of one event in the news, that say nearly the same.

As the Spanish sets of 2014 were made (Agirre et al. 2014): the abstract of an encyclopaedia article is compared with
its content, all pages about one event with each other; pairs of sentences of more than eight words are kept if the
shorter has more than half of the words of the longer and more than 0.35 of the words are in common, in order. Scores
are then spread over five bins, of which the low ones hold the interesting paraphrases. Sentences that share no rare
word cannot pass and are not compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.errors import FileError, InputError
from dragoman.files import read_lines
from dragoman.settings import check_argument
from dragoman.similarity.pairs import TextPair
from dragoman.text.sentences import split
from dragoman.text.strings import string_similarities

__all__ = [
    "MinedPair",
    "MiningReport",
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


def mine_articles(
    articles: Sequence[Sequence[str]],
    *,
    language: str,
    min_words: int = 9,
    ratio: float = 0.5,
    least: float = 0.35,
    bins: int = 5,
    threads: int = 0,
) -> MiningReport:
    """Sentences of the first paragraph with sentences of the others; an article of one paragraph is passed over."""
    groups = []
    skipped = 0
    for number, paragraphs in enumerate(articles, 1):
        if len(paragraphs) < 2:
            skipped += 1
            continue
        first = _sentences(paragraphs[:1], language, min_words)
        groups.append(
            (f"article {number}", [(a, b) for a in first for b in _sentences(paragraphs[1:], language, min_words)])
        )
    return _mine(groups, len(articles), skipped, ratio, least, bins, threads)


def mine_events(
    events: dict[str, list[list[str]]],
    *,
    language: str,
    min_words: int = 9,
    ratio: float = 0.5,
    least: float = 0.35,
    bins: int = 5,
    threads: int = 0,
) -> MiningReport:
    """Sentences of all pages of an event with each other; an event with one page is passed over."""
    groups = []
    skipped = 0
    for name, pages in events.items():
        if len(pages) < 2:
            skipped += 1
            continue
        sentences = [_sentences(content_blocks(page), language, min_words) for page in pages]
        joined = list(dict.fromkeys(one for page in sentences for one in page))
        groups.append((name, [(a, b) for at, a in enumerate(joined) for b in joined[at + 1 :]]))
    return _mine(groups, len(events), skipped, ratio, least, bins, threads)


def _sentences(paragraphs: Iterable[str], language: str, min_words: int) -> list[str]:
    found = [paragraph[span.start : span.end] for paragraph in paragraphs for span in split(paragraph, language)]
    return list(dict.fromkeys(sentence.strip() for sentence in found if len(sentence.split()) >= min_words))


def _comparable(text: str) -> str:
    """Lower case, without accents and punctuation."""
    plain = unicodedata.normalize("NFD", text.lower())
    letters = (c if c.isalnum() else " " for c in plain if not unicodedata.combining(c))
    return " ".join("".join(letters).split())


def _mine(
    groups: Sequence[tuple[str, list[tuple[str, str]]]],
    documents: int,
    skipped: int,
    ratio: float,
    least: float,
    bins: int,
    threads: int,
) -> MiningReport:
    check_argument("ratio", ratio, float, least=0, most=1)
    check_argument("least", least, float, least=0, most=1)
    check_argument("bins", bins, int, least=1, most=100)
    kept: dict[tuple[str, str], tuple[float, str]] = {}
    compared = 0
    for name, pairs in groups:
        plain = {text: _comparable(text) for pair in pairs for text in pair}
        words = {text: frozenset(value.split()) for text, value in plain.items()}
        sizes = {text: len(value.split()) for text, value in plain.items()}
        worth = [
            (a, b)
            for a, b in pairs
            if plain[a] != plain[b]
            and min(sizes[a], sizes[b]) > ratio * max(sizes[a], sizes[b])
            and 2 * _most_common(words[a], words[b], sizes[a], sizes[b]) > least * (sizes[a] + sizes[b])
        ]
        compared += len(worth)
        values = string_similarities(
            [plain[a] for a, _ in worth], [plain[b] for _, b in worth], unit="word", threads=threads
        )
        for pair, value in zip(worth, values.tolist(), strict=True):
            if value > least and pair not in kept and pair[::-1] not in kept:
                kept[pair] = (value, name)
    low = min((value for value, _ in kept.values()), default=0.0)
    span = max((value for value, _ in kept.values()), default=1.0) - low
    found = tuple(
        MinedPair(TextPair.of(*pair), value, min(bins - 1, int(bins * (value - low) / span)) if span > 0 else 0, name)
        for pair, (value, name) in kept.items()
    )
    return MiningReport(found, documents, skipped, compared)


def _most_common(first: frozenset[str], second: frozenset[str], one: int, other: int) -> int:
    """No subsequence can be longer: words without a partner are not in it."""
    return min(one - len(first - second), other - len(second - first))
