"""Compounds: words made of words, taken apart for translation and put together again.

A word is split where its parts are words of the text, with linking letters between them; of all ways to split, the one
with the greatest geometric mean of the counts of its parts wins, and the whole word is one of them (Koehn and Knight
2003). Splitting keeps a record of what was split how, by which the other direction is done: `affix` joins marked parts
(Green et al. 2013), `fb` joins unmarked neighbours that are parts of a known compound more often than neighbours, `cfb`
the same if the parts of speech fit (Stymne 2009), `nm` joins nothing.

    >>> text = ["die Regierung gab eine Erklärung", "die Regierungserklärung der Regierung", "eine Erklärung"] * 5
    >>> model = CompoundModel.train(text, preset="wmt13")
    >>> model.split("Regierungserklärung")
    ('Regierung', '#erklärung')
    >>> model.merge("die Regierung #erklärung".split())
    ['die', 'Regierungserklärung']
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from dragoman.errors import FormatError, InputError, SettingError, UnknownName
from dragoman.files import write_bytes
from dragoman.plain_data import parse_json
from dragoman.settings import Settings, check_argument, setting

__all__ = ["MERGING", "PRESETS", "CompoundModel", "CompoundSettings"]

MERGING = ("nm", "fb", "cfb", "affix")

_CONTENT = frozenset(["ADJ", "ADV", "NOUN", "NUM", "PROPN", "VERB"])


@dataclass(frozen=True, slots=True, kw_only=True)
class CompoundSettings(Settings):
    """What counts as a part, and what may stand between two parts."""

    label: ClassVar[str] = "compounds"

    min_length: int = setting(4, "Least letters of a part.", least=1)
    min_count: int = setting(5, "A part occurs as a word so often.", least=1)
    links: tuple[str, ...] = setting(("s", "es"), "Letters between parts; after - those that the first part loses.")
    marker: str = setting("", "Begins every part but the first.")
    max_parts: int = setting(4, "Most parts of a word.", least=2)


PRESETS = {
    "wmt11": CompoundSettings(),
    "wmt13": CompoundSettings(
        min_length=3, min_count=1, links=("s", "es", "n", "en", "er", "e", "-e"), marker="#", max_parts=8
    ),
}


class _Split(NamedTuple):
    parts: tuple[str, ...]  # in lower case
    links: tuple[str, ...]  # between them


@dataclass
class CompoundModel:
    """Counts of words, and what was split how."""

    settings: CompoundSettings
    counts: dict[str, int] = field(repr=False)
    """How often each word occurs, in lower case."""
    spellings: dict[str, str] = field(repr=False)
    """The most frequent spelling of each word in lower case."""
    compounds: dict[tuple[str, ...], Counter[str]] = field(default_factory=dict, repr=False)
    """Sequences of parts (in lower case) and the words they were split from."""
    links_after: dict[str, Counter[str]] = field(default_factory=dict, repr=False)
    links_by_ending: dict[str, Counter[str]] = field(default_factory=dict, repr=False)
    neighbors: dict[tuple[str, ...], int] = field(default_factory=dict, repr=False)
    """How often the parts of a compound stand beside each other as words."""
    classes: dict[str, str] = field(default_factory=dict, repr=False)
    """Parts of speech of compounds, by word in lower case."""
    _known: dict[str, _Split] = field(default_factory=dict, repr=False)

    @classmethod
    def train(
        cls,
        lines: Iterable[str],
        *,
        preset: str = "wmt11",
        settings: CompoundSettings | None = None,
        tags: Iterable[Sequence[str]] | None = None,
    ) -> CompoundModel:
        """Count the words of tokenised lines and split all that can be split; `tags` are parts of speech, for `cfb`."""
        if preset not in PRESETS:
            raise UnknownName(f"no preset is called {preset!r}", remedy=f"choose from {', '.join(PRESETS)}")
        text = [line.split() for line in lines]
        spelled = Counter(token for line in text for token in line)
        counts: Counter[str] = Counter()
        spellings: dict[str, str] = {}
        for token, count in sorted(spelled.items(), key=lambda entry: (-entry[1], entry[0])):
            counts[token.lower()] += count
            spellings.setdefault(token.lower(), token)
        model = cls(settings or PRESETS[preset], dict(counts), spellings)
        for token, count in spelled.items():
            model._record(token, count)
        longest = max(map(len, model.compounds), default=0)
        for line in text:
            low = [token.lower() for token in line]
            for start in range(len(low)):
                for end in range(start + 2, min(len(low), start + longest) + 1):
                    parts = tuple(low[start:end])
                    if parts in model.compounds:
                        model.neighbors[parts] = model.neighbors.get(parts, 0) + 1
        if tags is not None:
            seen: dict[str, Counter[str]] = {}
            for line, given in zip(text, tags, strict=True):
                for token, tag in zip(line, given, strict=True):
                    seen.setdefault(token.lower(), Counter())[tag] += 1
            words = {word.lower() for forms in model.compounds.values() for word in forms}
            model.classes = {word: seen[word].most_common(1)[0][0] for word in sorted(words)}
        return model

    def _record(self, token: str, count: int) -> None:
        found = self._analyze(token.lower())
        if len(found.parts) == 1:
            return
        self.compounds.setdefault(found.parts, Counter())[token] += count
        for part, link in zip(found.parts, found.links, strict=False):
            self.links_after.setdefault(part, Counter())[link] += count
            self.links_by_ending.setdefault(part[-3:], Counter())[link] += count

    def split(self, word: str) -> tuple[str, ...]:
        """The parts of a word, as it is if the whole is best."""
        found = self._analyze(word.lower())
        if len(found.parts) == 1:
            return (word,)
        if not self.settings.marker:
            return tuple(self.spellings.get(part, part) for part in found.parts)
        first = found.parts[0]
        first = first[:1].upper() + first[1:] if word[:1].isupper() else first
        return (first, *(f"{self.settings.marker}{part}" for part in found.parts[1:]))

    def pieces(self, word: str) -> tuple[str, ...]:
        """The parts of a word."""
        return self.split(word)

    def continues(self, piece: str) -> bool:
        """Whether a part is marked as belonging to the word before it."""
        marker = self.settings.marker
        return bool(marker) and piece.startswith(marker) and len(piece) > len(marker)

    def word(self, pieces: Sequence[str]) -> str:
        """The word of a row of marked parts."""
        marker = self.settings.marker
        run = [piece.removeprefix(marker) if piece != marker else piece for piece in pieces]
        return run[0] if len(run) == 1 else self._join(run)

    def split_line(self, line: str) -> str:
        """A tokenised line with its compounds split."""
        return " ".join(part for token in line.split() for part in self.split(token))

    def _analyze(self, word: str) -> _Split:
        if word not in self._known:
            self._known[word] = self._search(word)
        return self._known[word]

    def _search(self, word: str) -> _Split:
        """The split with the greatest geometric mean: for each number of parts the best product, by position."""
        whole = _Split((word,), ())
        if not word.isalpha() or len(word) < 2 * self.settings.min_length:
            return whole
        best: list[dict[int, tuple[float, _Split]]] = [{} for _ in range(len(word) + 1)]
        best[0][0] = (0.0, _Split((), ()))
        for start in range(len(word) - self.settings.min_length + 1):
            for count, (score, split) in sorted(best[start].items()):
                if count == self.settings.max_parts:
                    continue
                for end in range(start + self.settings.min_length, len(word) + 1):
                    for part, link, after in self._parts(word, start, end):
                        if count == 0 and after == len(word):
                            continue  # the whole word competes by itself
                        links = (*split.links, link) if after < len(word) else split.links
                        value = score + math.log(self.counts[part])
                        kept = best[after].get(count + 1)
                        if kept is None or value > kept[0] + 1e-12:
                            best[after][count + 1] = (value, _Split((*split.parts, part), links))
        known = self.counts.get(word, 0)
        winner, mean = whole, math.log(known) if known else -math.inf
        for count, (score, split) in sorted(best[len(word)].items()):
            if score / count > mean + 1e-12:
                winner, mean = split, score / count
        return winner

    def _parts(self, word: str, start: int, end: int) -> list[tuple[str, str, int]]:
        """Parts that `word[start:end]` may be, what links each to the next, and where that begins."""
        piece, found = word[start:end], []
        if self._usable(piece):
            found.append((piece, "", end))
            if end < len(word):
                rest = word[end:]
                found += [
                    (piece, link, end + len(link))
                    for link in self.settings.links
                    if link[0] != "-" and rest.startswith(link) and end + len(link) < len(word)
                ]
        if end < len(word):
            for link in self.settings.links:
                if link[0] == "-" and self._usable(piece + link[1:]):
                    found.append((piece + link[1:], link, end))
        return found

    def _usable(self, part: str) -> bool:
        return len(part) >= self.settings.min_length and self.counts.get(part, 0) >= self.settings.min_count

    def merge(self, tokens: Sequence[str], *, mode: str | None = None, tags: Sequence[str] | None = None) -> list[str]:
        """Tokens with their compounds joined; the usual mode is `affix` where parts are marked, else `fb`."""
        mode = mode or ("affix" if self.settings.marker else "fb")
        check_argument("mode", mode, choices=MERGING)
        if mode == "affix":
            if not self.settings.marker:
                raise SettingError("affix merging needs marked parts", remedy="train with preset wmt13")
            return self._merge_marked(tokens)
        if mode == "cfb" and (tags is None or len(tags) != len(tokens)):
            raise InputError("cfb needs a part of speech for each token", remedy="give tags, or use fb")
        merged: list[str] = []
        at = 0
        while at < len(tokens):
            size, word = 1, tokens[at]
            for length in range(min(self.settings.max_parts, len(tokens) - at), 1, -1) if mode != "nm" else ():
                part_tags = tags[at : at + length] if mode == "cfb" and tags is not None else None
                found = self._known_compound(tokens[at : at + length], part_tags)
                if found is not None:
                    size, word = length, found
                    break
            merged.append(word)
            at += size
        return merged

    def _known_compound(self, tokens: Sequence[str], tags: Sequence[str] | None) -> str | None:
        parts = tuple(token.lower() for token in tokens)
        forms = self.compounds.get(parts)
        if not forms:
            return None
        if sum(forms.values()) < self.neighbors.get(parts, 0):
            return None
        word = min(forms, key=lambda form: (-forms[form], form))
        fits = tags is None or (
            all(tag in _CONTENT for tag in tags[:-1]) and self.classes.get(word.lower()) == tags[-1]
        )
        return word if fits else None

    def _merge_marked(self, tokens: Sequence[str]) -> list[str]:
        merged: list[str] = []
        at = 0
        while at < len(tokens):
            end = at + 1
            while end < len(tokens) and self.continues(tokens[end]):
                end += 1
            merged.append(self.word(tokens[at:end]))
            at = end
        return merged

    def _join(self, run: Sequence[str]) -> str:
        """One word from its parts: the known one, or links as they mostly were after each part."""
        parts = tuple(part.lower() for part in run)
        forms = self.compounds.get(parts)
        if forms:
            word = min(forms, key=lambda form: (-forms[form], form))
        else:
            word = parts[-1]
            for part in reversed(parts[:-1]):
                seen = self.links_after.get(part) or self.links_by_ending.get(part[-3:]) or Counter({"": 1})
                link = min(seen, key=lambda name: (-seen[name], name))
                cut = part.removesuffix(link[1:]) if link.startswith("-") else part + link
                word = cut + word
        return word[:1].upper() + word[1:] if run[0][:1].isupper() else word[:1].lower() + word[1:]

    def save(self, path: Path | str) -> None:
        """Write the model as JSON."""
        content: dict[str, Any] = {
            "kind": "compounds",
            "settings": self.settings.to_dict(),
            "spellings": {self.spellings[word]: count for word, count in self.counts.items()},
            "compounds": [[list(parts), dict(forms)] for parts, forms in self.compounds.items()],
            "neighbors": [[list(parts), count] for parts, count in self.neighbors.items()],
            "classes": self.classes,
        }
        write_bytes(path, json.dumps(content, ensure_ascii=False).encode())

    @classmethod
    def open(cls, path: Path | str) -> CompoundModel:
        """Read what `save` wrote."""
        try:
            content = parse_json(Path(path).read_bytes(), where=str(path))
            settings = CompoundSettings.from_dict(content["settings"], where=str(path))
            spellings: Mapping[str, int] = content["spellings"]
            model = cls(
                settings,
                {word.lower(): int(count) for word, count in spellings.items()},
                {word.lower(): word for word in spellings},
                neighbors={tuple(parts): int(count) for parts, count in content["neighbors"]},
                classes=dict(content["classes"]),
            )
            for _, forms in content["compounds"]:
                for word, count in forms.items():
                    model._record(word, int(count))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise FormatError(f"not a model of compounds: {error}", where=str(path), remedy="train it again") from None
        return model
