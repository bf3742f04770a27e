"""What looks wrong with the text that a model is to be trained on, before an hour is wasted on it.

Nothing here is certain: a warning has the numbers that made it, and training goes on unless it is told to be strict.
Languages are identified on blocks of lines, which is far surer than line by line, and only a clear majority counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from dragoman.errors import UnknownName
from dragoman.text.languages import Identifier, known_languages, primary
from dragoman.text.scripts import script_share, scripts_of

if TYPE_CHECKING:
    from dragoman.text.corpus import Bitext, Corpus

__all__ = ["SharedText", "suspicions"]

_LOOKED_AT = 2000
_BLOCK = 20
_FEW_PAIRS = 1000
_ALIKE = (
    ("nb", "no", "nn", "da", "sv"),
    ("hr", "bs", "sr", "sl"),
    ("id", "ms"),
    ("cs", "sk"),
    ("es", "gl", "pt", "ca"),
)
"""Languages that are easily taken for each other."""
_APART = re.compile(r"\w [.,](?: |$)")
_ATTACHED = re.compile(r"\w[.,](?: |$)")


@dataclass(slots=True)
class SharedText:
    """How much of a dev set is in the training text; told of every pair while it is read."""

    dev: frozenset[tuple[str, str]]
    sources: frozenset[str]
    pairs: set[tuple[str, str]] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)

    @staticmethod
    def of(dev: Bitext | None) -> SharedText:
        """For a dev set, or none."""
        pairs = frozenset((pair.source, pair.target) for pair in dev) if dev is not None else frozenset()
        return SharedText(pairs, frozenset(source for source, _ in pairs))

    def see(self, source: str, target: str) -> None:
        """One pair of the training text."""
        if source in self.sources:
            self.seen.add(source)
            if (source, target) in self.dev:
                self.pairs.add((source, target))

    def warnings(self) -> list[str]:
        """If there is any to speak of."""
        if not self.dev or 20 * len(self.seen) < len(self.sources):
            return []
        return [
            f"{_share(len(self.seen), len(self.sources))} of the dev set's source segments are in the training text, "
            f"{_share(len(self.pairs), len(self.dev))} with the same translation: tuning will trust the table too much"
        ]


def suspicions(
    train: Bitext,
    languages: tuple[str, str],
    *,
    pairs: int,
    dev: Bitext | None = None,
    extra: Corpus | None = None,
    tokenized: bool = False,
) -> list[str]:
    """Sentences about what looks wrong, none if nothing does."""
    found = [
        f"no language has the code {code!r} that we know (they are like en and pt_BR): it will be treated like English"
        for code in languages
        if not _is_known(code)
    ]
    if pairs < _FEW_PAIRS:
        found.append(f"{pairs:,} pairs are hardly any: most words of other text will be unknown")
    sides = _sides(train)
    same = sum(source == target for source, target in zip(*sides, strict=True))
    if 10 * same > 3 * len(sides[0]):
        found.append(f"{_share(same, len(sides[0]))} of the pairs are the same on both sides")
    found += _wrong_languages("training text", sides, languages)
    if dev is not None:
        found += _wrong_languages("dev set", _sides(dev), languages)
    if extra is not None:
        found += _wrong_language("further text", list(islice(extra, _LOOKED_AT)), languages[1], languages)
    return found + _tokenization(sides, tokenized)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.0f}% ({part:,} of {whole:,})"


def _sides(bitext: Bitext) -> tuple[list[str], list[str]]:
    pairs = list(islice(bitext, _LOOKED_AT))
    return [pair.source for pair in pairs], [pair.target for pair in pairs]


def _is_known(code: str) -> bool:
    if primary(code) in known_languages():
        return True
    try:
        return bool(scripts_of(code))
    except UnknownName:
        return False


def _blocks(lines: Sequence[str]) -> list[str]:
    """Lines in blocks that are long enough to tell a language by."""
    blocks = [" ".join(lines[at : at + _BLOCK]) for at in range(0, len(lines), _BLOCK)]
    return [block for block in blocks if sum(map(str.isalpha, block)) > 100]


def _wrong_languages(what: str, sides: tuple[list[str], list[str]], languages: tuple[str, str]) -> list[str]:
    source, target = map(primary, languages)
    known = known_languages()
    if source != target and source in known and target in known:
        between = Identifier([source, target])
        others = []
        for lines, own in zip(sides, (source, target), strict=True):
            blocks = _blocks(lines)
            others.append((sum(each.language != own for each in between.identify(blocks)), len(blocks)))
        if all(count and 10 * wrong > 8 * count for wrong, count in others):
            return [
                f"the sides of the {what} look swapped: {_share(*others[0])} of the source looks like {target}, "
                f"{_share(*others[1])} of the target like {source}"
            ]
    return [
        warning
        for side, lines, own in zip(("source", "target"), sides, languages, strict=True)
        for warning in _wrong_language(f"{side} side of the {what}", lines, own, languages)
    ]


def _wrong_language(what: str, lines: Sequence[str], language: str, languages: Iterable[str]) -> list[str]:
    """A warning if text is hardly ever in the language that it should be in."""
    own = primary(language)
    blocks = _blocks(lines)
    if not blocks:
        return []
    try:
        share = script_share(language)(" ".join(blocks)[:100_000])
    except UnknownName:
        share = 1.0
    if share < 0.5:
        return [f"the {what} is not in the script of {language}: only {share:.0%} of its letters are"]
    if own not in known_languages():
        return []
    seen = [each.language for each in Identifier().identify(blocks)]
    likeliest = max(sorted(set(seen)), key=seen.count)
    alike = next((group for group in _ALIKE if own in group), (own,))
    if likeliest in alike or 10 * seen.count(likeliest) < 6 * len(seen) or 5 * seen.count(own) > len(seen):
        return []
    named = "the other side's language" if likeliest in map(primary, languages) else f"not {language}"
    return [f"the {what} looks like {likeliest}, {named}: {_share(seen.count(likeliest), len(seen))} blocks of lines"]


def _tokenization(sides: tuple[list[str], list[str]], tokenized: bool) -> list[str]:
    """Tokens where raw text is expected, or the reverse, by full stops and commas."""
    apart = attached = 0
    for line in (*sides[0], *sides[1]):
        apart += _APART.search(line) is not None
        attached += _ATTACHED.search(line) is not None
    if apart + attached < 20:
        return []
    if tokenized and 2 * attached > apart + attached:
        return [
            f"the text should be tokenised, but {_share(attached, apart + attached)} lines have full stops and commas "
            "at their words: leave out tokenized=True"
        ]
    if not tokenized and 10 * apart > 9 * (apart + attached):
        return [
            f"the text looks tokenised: {_share(apart, apart + attached)} lines have full stops and commas apart from "
            "words; if so, set tokenized=True"
        ]
    return []
