"""What METEOR and TERp know about words: stems, synonyms, paraphrases and function words, as numbers for native code.

Stems come from the Snowball family, synonyms from WordNet (two words are synonyms when they share a synonym set in any
of their forms), paraphrases and function words from files. Each is worked out once per word type.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from dragoman._native import metrics as native
from dragoman._native.common import Vocabulary
from dragoman.errors import FormatError, SettingError
from dragoman.files import read_lines
from dragoman.metrics.references import Numbers
from dragoman.metrics.tokenize import tokenize
from dragoman.semantics.wordnet import WordNet
from dragoman.settings import check_argument

__all__ = [
    "STEMMERS",
    "LexicalReferences",
    "Lexicon",
    "Paraphrase",
    "encode",
    "is_punctuation",
    "paraphrase_lexicon",
    "read_paraphrases",
    "remove_punctuation",
]

STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "porter", "es": "spanish",
    "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Languages that can be stemmed, and by which Snowball algorithm."""

_lock = threading.Lock()
_NONE = np.zeros(0, np.uint32)


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """Two phrases that may stand for each other; None where the table gives no probability."""

    phrase: str
    other: str
    probability: float | None


@dataclass(frozen=True, slots=True)
class LexicalReferences:
    """Tokens of references, joined by spaces: which words there are is known when hypotheses come."""

    lines: list[str]

    def take(self, segments: Numbers, lines: Numbers) -> LexicalReferences:
        return LexicalReferences([self.lines[line] for line in lines.tolist()])


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Which knowledge is used, for which language."""

    language: str = "en"
    stems: bool = False
    synonyms: bool = False
    function_words: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.stems:
            check_argument("language", self.language, label="stems", choices=STEMMERS)
        if self.synonyms and self.language != "en":
            raise SettingError(
                f"synonyms come from WordNet, which is English, not {self.language!r}", remedy="leave synonyms out"
            )

    def relations(self, words: Vocabulary) -> native.WordRelations:
        """What is known of every word of a vocabulary, by number."""
        types = [words.word(number) for number in range(len(words))]
        numbers: dict[str, int] = {}
        stems = [numbers.setdefault(stem(word, self.language), len(numbers)) for word in types] if self.stems else []
        sets: list[int] = []
        ends: list[int] = []
        if self.synonyms:
            for word in types:
                sets.extend(sorted(synset_numbers(word)))
                ends.append(len(sets))
        functions = [word in self.function_words for word in types] if self.function_words else []
        return native.WordRelations(
            np.array(stems, np.uint32),
            np.array(ends, np.int64),
            np.array(sets, np.uint32),
            np.array(functions, np.uint8),
        )


@lru_cache(maxsize=2**18)
def stem(word: str, language: str) -> str:
    """The stem of a word."""
    with _lock:  # the algorithms keep the word that they work on in themselves
        return str(_stemmer(STEMMERS[language]).stemWord(word))


@cache
def _stemmer(algorithm: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(algorithm)


@lru_cache(maxsize=2**18)
def synset_numbers(word: str) -> tuple[int, ...]:
    """The synonym sets of a word in any of its forms, one number each."""
    codes = {"n": 0, "v": 1, "a": 2, "r": 3}
    return tuple(4 * offset + codes[pos] for pos, offset in WordNet.find().synset_ids(word))


def remove_punctuation(lines: list[str]) -> list[str]:
    """Tokenized lines without the tokens that have neither letter nor digit."""
    return [" ".join(token for token in line.split(" ") if not is_punctuation(token)) for line in lines]


@lru_cache(maxsize=2**18)
def is_punctuation(token: str) -> bool:
    """Whether a token has neither letter nor digit."""
    return all(unicodedata.category(letter)[0] in "PS" for letter in token)


def prepare_lines(lines: list[str], tokenizer: str, *, keep_punctuation: bool, threads: int) -> list[str]:
    """Lower-cased tokens, joined by spaces."""
    tokens = tokenize([line.lower() for line in lines], tokenizer, threads=threads)
    return tokens if keep_punctuation else remove_punctuation(tokens)


def encode(lines: list[str], words: Vocabulary, *, threads: int = 0) -> native.EncodedLines:
    """Tokenized lines as words of a vocabulary, which grows."""
    return native.Tokenizer("none").intern(lines, words, threads=threads)


@lru_cache(maxsize=4)
def read_paraphrases(path: str) -> tuple[Paraphrase, ...]:
    """A table of paraphrases: `phrase ||| other phrase [||| probability]`, or the same with tabs; lower-cased.

    Grammars with a label in front (`[X] ||| phrase ||| other ||| ...`) are read too; their features are not.
    """
    table: list[Paraphrase] = []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        parts = [part.strip() for part in (line.split("|||") if "|||" in line else line.split("\t"))]
        labelled = parts[0].startswith("[") and len(parts) > 2
        parts = parts[1:] if labelled else parts
        where = f"{path}, line {number}"
        if len(parts) < 2 or not parts[0] or not parts[1]:
            raise FormatError(
                "two phrases are needed", where=where, remedy="write: phrase ||| other phrase ||| probability"
            )
        probability = None
        if len(parts) > 2 and not labelled:
            try:
                probability = float(parts[2])
            except ValueError:
                raise FormatError(f"{parts[2]!r} is not a probability", where=where) from None
            if not 0 < probability <= 1:
                raise FormatError(f"{parts[2]} is not a probability", where=where, remedy="more than 0, at most 1")
        table.append(Paraphrase(parts[0].lower(), parts[1].lower(), probability))
    return tuple(table)


@lru_cache(maxsize=4)
def paraphrase_lexicon(path: str) -> Mapping[str, frozenset[str]]:
    """Single words and their paraphrases, in both directions."""
    found: dict[str, set[str]] = {}
    for row in read_paraphrases(path):
        if " " not in row.phrase and " " not in row.other:
            found.setdefault(row.phrase, set()).add(row.other)
            found.setdefault(row.other, set()).add(row.phrase)
    return {word: frozenset(others) for word, others in found.items()}


def phrase_pairs(table: Sequence[tuple[str, str, float]], words: Vocabulary, *, threads: int = 0) -> native.PhrasePairs:
    """(hypothesis phrase, reference phrase, value) whose words all occur in a vocabulary."""
    used = [row for row in table if all(word in words for phrase in row[:2] for word in phrase.split())]
    return native.PhrasePairs(
        encode([row[0] for row in used], words, threads=threads),
        encode([row[1] for row in used], words, threads=threads),
        np.array([row[2] for row in used], np.float64),
    )


@cache
def read_words(path: str) -> frozenset[str]:
    """One word per line, lower-cased."""
    return frozenset(line.strip().lower() for line in read_lines(path) if line.strip())
