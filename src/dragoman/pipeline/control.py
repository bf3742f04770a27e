"""What a user asks of the translation of a text, and how it becomes constraints on the tokens of its sentences.

Markup, terms and what is kept are said about raw characters; decoders know tokens. Here the one is turned into the
other, and afterwards it is told which terms came out as wished and which words have no counterpart.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from dragoman.errors import InputError
from dragoman.grammar.scoring import DIRECT
from dragoman.search.constraints import POLICIES, Constraints, ExtraOption
from dragoman.search.glossary import Glossary, TermMatch, term_options
from dragoman.search.translation import SentenceTranslation
from dragoman.settings import check_argument
from dragoman.text.markup import Marked, MarkedSpan, read_markup
from dragoman.text.placeholders import Finder, ProtectedSpan
from dragoman.text.prepared import Prepared, PreparedSentence
from dragoman.text.preprocessor import Preprocessor

__all__ = ["Control", "Controlled", "Steering", "TermUse", "with_prefix"]


@dataclass(frozen=True, slots=True)
class Control:
    """What is asked of the translation of texts; the default asks nothing."""

    glossary: Glossary | None = None
    markup: str = ""
    """How translations that are given in the text stand to rules (see `POLICIES`); empty if tags are only text."""
    keep: tuple[str, ...] = ()
    """Terms that are not translated, but copied exactly once, wherever they stand."""
    keep_patterns: tuple[str, ...] = ()
    """Regular expressions of what is kept."""
    monotone: bool = False
    no_drop: bool = False
    choices: tuple[MarkedSpan, ...] = ()
    """Translations that a user chose for ranges of characters of the text, which must be one: nothing else will do."""

    def __post_init__(self) -> None:
        if self.markup:
            check_argument("markup", self.markup, choices=POLICIES)

    @property
    def idle(self) -> bool:
        """Whether nothing is asked."""
        return self == Control()


@dataclass(frozen=True, slots=True)
class TermUse:
    """A term that stands in a text: its source words, the translations that it has, and the one that came out."""

    source: str
    targets: tuple[str, ...]
    used: str
    """Empty if none of them did."""
    hard: bool
    sentence: int
    span: tuple[int, int]
    """Tokens of the sentence."""
    line: int = 0
    """Of the glossary."""

    def report_line(self, number: int) -> str:
        """What became of it, for the report of a text: line of the text, source, translation, status, kind, term."""
        status, kind = ("used" if self.used else "not used"), ("hard" if self.hard else "soft")
        return f"{number}\t{self.source}\t{self.used}\t{status}\t{kind}\t{self.line}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "source": self.source,
            "targets": list(self.targets),
            "used": self.used,
            "hard": self.hard,
            "sentence": self.sentence,
            "span": list(self.span),
            "line": self.line,
        }


@dataclass(frozen=True, slots=True)
class Controlled:
    """A text as it goes to the preprocessor: without markup, with what is kept."""

    marked: Marked
    kept: tuple[ProtectedSpan, ...] = ()
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class _Found:
    """A term of a sentence, and its translations as tokens, by their text."""

    match: TermMatch
    targets: dict[str, str] = field(default_factory=dict)


class Steering:
    """Turns what is asked of texts into constraints; made once for a call."""

    def __init__(self, control: Control, source: Preprocessor, target: Preprocessor) -> None:
        self.control, self._source, self._target = control, source, target
        self._finder = Finder((), terms=control.keep, patterns=control.keep_patterns)
        glossary = control.glossary
        self._matcher = None if glossary is None else glossary.matcher(lru_cache(maxsize=None)(self._source_tokens))

    def _source_tokens(self, text: str) -> Sequence[str]:
        return [token for sentence in self._source.prepare(text).sentences for token in sentence.tokens]

    def _target_tokens(self, text: str) -> tuple[str, ...]:
        return tuple(token for sentence in self._target.prepare(text).sentences for token in sentence.tokens)

    def read(self, raw: str, prefix: str, where: str) -> Controlled:
        """A text without its markup."""
        marked = read_markup(raw, where=where) if self.control.markup else Marked(raw)
        if self.control.choices:
            marked = replace(marked, spans=(*marked.spans, *self.control.choices))
        own = marked.kept
        kept = [
            *own,
            *(
                span
                for span in self._finder.find(marked.text)
                if all(span.end <= other.start or other.end <= span.start for other in own)
            ),
        ]
        if prefix.strip() and not marked.text.strip():
            raise InputError("a prefix for a text that is blank", where=where, remedy="leave the prefix out")
        return Controlled(marked, tuple(sorted(kept, key=lambda span: span.start)), prefix)

    def constraints(
        self, given: Controlled, prepared: Prepared, positions: Sequence[Sequence[int]], where: str
    ) -> tuple[list[Constraints], list[list[_Found]]]:
        """For each sentence what restricts it, and the terms that it has; positions are of the tokens that count."""
        limits, terms = [], []
        for number, (sentence, places) in enumerate(zip(prepared.sentences, positions, strict=True)):
            spans = [sentence.spans[place] for place in places]
            options = self._marked_options(given.marked, sentence, spans, where)
            found = self._terms([sentence.tokens[place] for place in places], options)
            for each in found:
                options += term_options(each.match, each.targets.values())
            prefix = self._target_tokens(given.prefix) if number == 0 else ()
            limits.append(
                Constraints(
                    tuple(options),
                    prefix,
                    self._walls(given.marked, sentence, spans),
                    self._zones(given.marked, sentence, spans, where),
                    self.control.monotone,
                    self.control.no_drop,
                )
            )
            terms.append(found)
        self._check_inside(given.marked, prepared, where)
        return limits, terms

    def _terms(self, tokens: Sequence[str], options: Iterable[ExtraOption]) -> list[_Found]:
        if self._matcher is None:
            return []
        taken = [(option.start, option.end) for option in options]
        return [
            _Found(match, {text: " ".join(self._target_tokens(text)) for text in match.term.targets})
            for match in self._matcher.find(tokens, taken=taken)
        ]

    def _marked_options(
        self, marked: Marked, sentence: PreparedSentence, spans: Sequence[tuple[int, int]], where: str
    ) -> list[ExtraOption]:
        options = []
        for span in marked.spans:
            if not _inside(span.start, span.end, sentence):
                continue
            start, end = self._tokens(span.start, span.end, spans, marked, where)
            policy = "exclusive" if span.exclusive else self.control.markup
            for text, probability in span.targets:
                features = {DIRECT: math.log(probability)} if probability < 1 else {}
                options.append(ExtraOption(start, end, " ".join(self._target_tokens(text)), features, policy))
        return options

    def _walls(self, marked: Marked, sentence: PreparedSentence, spans: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        first, last = sentence.span
        found = {sum(start < wall for start, _ in spans) for wall in marked.walls if first <= wall <= last}
        return tuple(sorted(found & set(range(1, len(spans)))))

    def _zones(
        self, marked: Marked, sentence: PreparedSentence, spans: Sequence[tuple[int, int]], where: str
    ) -> tuple[tuple[int, int], ...]:
        return tuple(
            self._tokens(start, end, spans, marked, where)
            for start, end in marked.zones
            if _inside(start, end, sentence)
        )

    @staticmethod
    def _tokens(start: int, end: int, spans: Sequence[tuple[int, int]], marked: Marked, where: str) -> tuple[int, int]:
        """The tokens of a range of characters, which must not cut one."""
        touched = [n for n, (first, last) in enumerate(spans) if first < end and start < last]
        if not touched or spans[touched[0]][0] < start or spans[touched[-1]][1] > end:
            raise InputError(
                f"markup around {marked.text[start:end]!r}, which is no sequence of words",
                where=where,
                remedy="put it around whole words",
            )
        return touched[0], touched[-1] + 1

    @staticmethod
    def _check_inside(marked: Marked, prepared: Prepared, where: str) -> None:
        for start, end in (*((span.start, span.end) for span in marked.spans), *marked.zones):
            if not any(_inside(start, end, sentence) for sentence in prepared.sentences):
                raise InputError(
                    f"markup around {marked.text[start:end]!r}, which is in no sentence or in several",
                    where=where,
                    remedy="put it around words of one sentence",
                )

    def uses(self, terms: Sequence[Sequence[_Found]], sentences: Sequence[SentenceTranslation]) -> tuple[TermUse, ...]:
        """What became of the terms of a text."""
        return tuple(
            TermUse(
                " ".join(sentence.source[each.match.start : each.match.end]),
                each.match.term.targets,
                _used(each, sentence),
                each.match.term.hard,
                number,
                (each.match.start, each.match.end),
                each.match.term.line,
            )
            for number, (found, sentence) in enumerate(zip(terms, sentences, strict=True))
            for each in found
        )


def _inside(start: int, end: int, sentence: PreparedSentence) -> bool:
    return sentence.span[0] <= start and end <= sentence.span[1]


def _used(found: _Found, sentence: SentenceTranslation) -> str:
    """The translation of a term that the phrase has which translates it; longer ones are looked for first."""
    start, end = found.match.start, found.match.end
    for phrase in sentence.phrases:
        if not (phrase.source_span[0] <= start and end <= phrase.source_span[1]):
            continue
        written = f" {' '.join(phrase.target)} "
        for text, tokens in sorted(found.targets.items(), key=lambda each: -len(each[1])):
            if f" {tokens} " in written:
                return text
    return ""


def with_prefix(text: str, prefix: str, tokens: Sequence[str]) -> str:
    """A translation that begins with the prefix letter by letter, whatever became of it on the way.

    Preparing and restoring may change blanks, quotes and case; what stands in the text for the tokens of the prefix is
    replaced by the prefix itself.
    """
    if text.startswith(prefix) or not tokens:
        return text if text.startswith(prefix) else prefix + text
    wanted = sum(not letter.isspace() for letter in prefix)
    shown = [letter for letter in text if not letter.isspace()][:wanted]
    if "".join(shown).casefold() != "".join(prefix.split()).casefold():
        wanted = sum(len(html.unescape(token)) for token in tokens)
    at = 0
    while wanted and at < len(text):
        wanted -= not text[at].isspace()
        at += 1
    rest = text[at:]
    return prefix + (rest.lstrip() if prefix[-1].isspace() else rest)
