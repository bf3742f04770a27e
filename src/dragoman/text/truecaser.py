"""Truecasing: words at the start of a sentence get the case they have elsewhere, and lose it again afterwards.

A capital that only marks the beginning of a sentence makes two words of one and thins out every count. The truecaser
learns for each word how often it was seen in which case, away from sentence starts, and writes the first word of a
sentence in its most frequent form; a form never seen (`HELLO`) is treated likewise anywhere. Semantics and file format
are those of the Moses scripts (Koehn et al. 2007), so that models can be exchanged.

    >>> model = Truecaser.train([["We", "saw", "the", "house"], ["The", "House", "is", "the", "house"]])
    >>> model.apply(["The", "house", ".", "House"])
    ['the', 'house', '.', 'house']
    >>> detruecase(["the", "house", ".", "it", "is"])
    ['The', 'house', '.', 'It', 'is']
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import repeat
from pathlib import Path

from dragoman.errors import FormatError
from dragoman.files import read_lines, writing

__all__ = ["Forms", "Truecaser", "add_forms", "count_forms", "detruecase"]

Forms = dict[str, dict[str, int]]
"""How often each lower-cased word was seen in which form; forms in the order in which they were first seen."""

_SENTENCE_END = frozenset(".:?!")
_DELAYED_START = frozenset(["(", "[", '"', "'", "„", "“", "«", "»", "¿", "¡", "&apos;", "&quot;", "&#91;", "&#93;"])
"""After these a sentence has not begun yet."""
_TAG = re.compile(r"<\S[^>]*>")
_ENTRY = re.compile(r"\(([0-9]{1,15})(?:/[0-9]{1,15})?\)")


class Truecaser:
    """Counts of the cased forms of each word, and what follows from them.

    `forms` maps a lower-cased word to the counts of its forms; the first of the most frequent ones is the best.
    """

    def __init__(self, forms: Mapping[str, Mapping[str, int]]) -> None:
        self.forms = {word: dict(counts) for word, counts in forms.items() if counts}
        self._best = {word: max(counts, key=counts.__getitem__) for word, counts in self.forms.items()}
        self._known = frozenset(form for counts in self.forms.values() for form in counts)

    def __len__(self) -> int:
        return len(self.forms)

    @classmethod
    def train(cls, sentences: Iterable[Sequence[str]], *, use_first: bool = False) -> Truecaser:
        """Count forms in tokenised sentences; with `use_first`, also first words that are not capitalised."""
        return cls(count_forms(sentences, use_first=use_first))

    def apply(
        self, tokens: Sequence[str], *, skip: Container[str] = frozenset(), keep: Sequence[bool] = ()
    ) -> list[str]:
        """The tokens of a line, sentence starts and unknown forms in their best case.

        `skip` are no words (tags); `keep` says of each token whether it stays as it is.
        """
        result = []
        first = True
        for token, kept in zip(tokens, keep or repeat(False), strict=False):
            if token in skip:
                result.append(token)
                continue
            if not kept and (first or token not in self._known):
                token = self._best.get(token.lower(), token)
            result.append(token)
            if token in _SENTENCE_END:
                first = True
            elif token not in _DELAYED_START:
                first = False
        return result

    def save(self, path: Path | str) -> None:
        """Write the model as Moses does: `best (count/total) other (count) ...`, a word a line, sorted."""
        with writing(path) as file:
            for word in sorted(self.forms):
                counts = self.forms[word]
                ranked = sorted(counts.items(), key=lambda entry: (entry[0] != self._best[word], -entry[1], entry[0]))
                (best, count), *others = ranked
                rest = "".join(f" {form} ({number})" for form, number in others)
                file.write(f"{best} ({count}/{sum(counts.values())}){rest}\n")

    @classmethod
    def load(cls, path: Path | str) -> Truecaser:
        """Read a model of ours or of Moses."""
        forms: dict[str, dict[str, int]] = {}
        for number, line in enumerate(read_lines(path), 1):
            fields = line.split(" ")
            entries = [_ENTRY.fullmatch(field) for field in fields[1::2]]
            if len(fields) % 2 or not all(entries) or not all(fields):
                raise FormatError(
                    "not a line of a truecasing model",
                    where=f"{path}, line {number}",
                    remedy="it should read `word (count/total) form (count) ...`",
                )
            for form, entry in zip(fields[::2], entries, strict=True):
                assert entry is not None
                forms.setdefault(form.lower(), {})[form] = int(entry[1])
        return cls(forms)


def count_forms(sentences: Iterable[Sequence[str]], *, use_first: bool = False) -> Forms:
    """What a truecaser is made of, from any part of a text."""
    forms: Forms = {}
    words: dict[str, str | None] = {}  # a token that can be cased, in lower case; None for any other
    for tokens in sentences:
        first = True
        for token in tokens:
            if token in _DELAYED_START or (token.startswith("<") and _TAG.search(token)):
                continue  # the sentence has not begun
            if not first and token in _SENTENCE_END:
                first = True
                continue
            if token not in words:
                words[token] = token.lower() if token.lower() != token.upper() else None
            word = words[token]
            if word is not None and (not first or (use_first and token[0].islower())):
                counts = forms.setdefault(word, {})
                counts[token] = counts.get(token, 0) + 1
            first = False
    return forms


def add_forms(forms: Forms, later: Forms) -> None:
    """Add the counts of a later part of a text: in the order of the parts, as if it had been counted in one.

    >>> whole = count_forms([["a", "Cat"]])
    >>> add_forms(whole, count_forms([["a", "cat", "cat"], ["the", "Dog"]]))
    >>> whole
    {'cat': {'Cat': 1, 'cat': 2}, 'dog': {'Dog': 1}}
    """
    for word, counts in later.items():
        known = forms.setdefault(word, {})
        for form, count in counts.items():
            known[form] = known.get(form, 0) + count


def detruecase(tokens: Sequence[str]) -> list[str]:
    """Capitalise the first word of a line and the one after each mark that ends a sentence."""
    result = []
    start = True
    for token in tokens:
        result.append(token[:1].upper() + token[1:] if start else token)
        start = token in _SENTENCE_END or (start and token in _DELAYED_START)
    return result
