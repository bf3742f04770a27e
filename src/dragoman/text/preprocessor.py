"""The preprocessor: raw text in, tokens for a model; tokens out, raw text again.

All that happens to text on its way into a model is one object, trained once and stored with the model, so that
translating takes and gives raw text. Protected spans are cut out first, sentences are found, letters and their accents
are composed (NFC: the same text has one spelling, however it was typed), punctuation is normalised, text is tokenised,
truecased or lower-cased, and words are cut into pieces, in this order; every token keeps the range of raw text it
came from. The source side prepares; the target side restores, with the prepared source for what was protected.

What holds for every text `x` (without lone surrogates): `restore(prepare(x).tokens, prepare(x)) == x`. For any target
tokens: each protected span of a sentence appears exactly once, byte for byte; white space around and between sentences
is that of the source; text that is not blank never becomes blank.

    >>> english = Preprocessor(Preprocessing(language="en", case="keep"))
    >>> prepared = english.prepare("See <b>%d</b> files at https://a.org/x!")
    >>> prepared.tokens[0]
    ('See', '⟦tag:0⟧', '⟦printf:0⟧', '⟦tag:1⟧', 'files', 'at', '⟦url:0⟧', '!')
    >>> german = Preprocessor(Preprocessing(language="de", case="keep"))
    >>> german.restore([["⟦tag:0⟧", "⟦printf:0⟧", "⟦tag:1⟧", "Dateien", "auf", "⟦url:0⟧", "ansehen", "!"]], prepared)
    '<b>%d</b> Dateien auf https://a.org/x ansehen!'
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from dragoman.errors import LengthMismatch, SettingError
from dragoman.executors import Executor, LocalExecutor, Shard, ShardPlace, ShardStep, Shared
from dragoman.text.blanks import Blanks, Joined
from dragoman.text.casing import recased, untouchable
from dragoman.text.composing import CharacterRange, composed
from dragoman.text.morphs import JOINER
from dragoman.text.pieces import PIECES, WordPieces
from dragoman.text.placeholders import Finder, ProtectedSpan
from dragoman.text.prepared import Prepared, PreparedSentence, Protected, is_mask
from dragoman.text.preprocessing import Preprocessing
from dragoman.text.restoring import gaps, with_protected
from dragoman.text.segmenting import BLANK, WordBreaker, habit_of_blanks, segmentation_of, unspaced_gaps
from dragoman.text.splitting import Masked, masked, sentence_ranges
from dragoman.text.subword import MARK
from dragoman.text.tags import Link, is_tag
from dragoman.text.tokenizer import Detokenizer, Normalizer, Tokenized, Tokenizer
from dragoman.text.truecaser import Forms, Truecaser, add_forms, count_forms

__all__ = ["STAND_IN", "Joins", "Preprocessing", "Preprocessor", "Recase", "Revise"]

_SETTINGS, _TRUECASER = "preprocessor.toml", "truecaser.txt"

_SLICE = 10_000
"""Texts that are looked at together while something is learned: what they are cut into takes far more memory than
they do. Nothing else depends on it."""

STAND_IN = "x"
"""What a mask is to those who put words together: a word that no rule of punctuation concerns."""


class Recase(Protocol):
    """Gives the words of sentences their case; masks stay as they are."""

    def __call__(self, sentences: Sequence[Sequence[str]], *, threads: int = 0) -> list[list[str]]: ...


class Revise(Protocol):
    """Replaces words of sentences by others, as many as there were; masks stay as they are."""

    def __call__(self, sentences: Sequence[Sequence[str]], *, threads: int = 0) -> list[list[str]]: ...


class Joins(Protocol):
    """Puts words together: the text of each line of words, with the place of each word in it."""

    def trace(
        self, lines: Iterable[Sequence[str]], *, threads: int = 0
    ) -> list[tuple[str, tuple[CharacterRange, ...]]]: ...


class Preprocessor:
    """Prepares raw text for a model and restores raw text from a model's tokens; safe to share between threads."""

    def __init__(
        self, settings: Preprocessing, *, truecaser: Truecaser | None = None, pieces: WordPieces | None = None
    ) -> None:
        if settings.case == "truecase" and truecaser is None:
            raise SettingError("truecasing needs a model", remedy="use Preprocessor.train, or another case")
        if (settings.pieces != "words") != (pieces is not None):
            raise SettingError(
                f"{settings.pieces} {'need' if pieces is None else 'have'} a model of pieces",
                remedy="use Preprocessor.train, or pieces=words without one",
            )
        self.settings, self.truecaser, self.pieces = settings, truecaser, pieces
        self._finder = Finder(settings.protect, terms=settings.terms, patterns=settings.patterns)
        self._normalizer = Normalizer(settings.language) if settings.normalize and settings.tokenize else None
        self._tokenizer: Tokenizer | Blanks = Blanks()
        self._detokenizer: Detokenizer | Joined = Joined()
        if settings.tokenize:
            self._tokenizer = Tokenizer(
                settings.language, aggressive_dash_splits=settings.aggressive_dash_splits, escape=settings.escape
            )
            self._detokenizer = Detokenizer(settings.language, unescape=settings.escape)
        self._recase: Recase | None = None
        self._revise: Revise | None = None
        self._learned_case = False
        self._joins: Joins = self._detokenizer
        segment = segmentation_of(settings.language, settings.segment) if settings.tokenize else "none"
        self._segmenter = WordBreaker(settings.language, segment) if segment != "none" else None

    def __repr__(self) -> str:
        return f"Preprocessor({self.settings!r})"

    @classmethod
    def train(
        cls,
        settings: Preprocessing,
        texts: Iterable[str],
        *,
        threads: int = 0,
        executor: Executor | None = None,
    ) -> Preprocessor:
        """Learn what the settings ask for, a truecaser and pieces of words, from raw text.

        Forms of words are counted, and words cut off for pieces, wherever the `executor` works: in slices of the text
        whose counts are added up.
        """
        texts = list(texts)
        working = executor or LocalExecutor(threads=threads)
        settings = replace(settings, segment=segmentation_of(settings.language, settings.segment))
        if settings.segment != "none":
            settings = replace(settings, mixed_blanks=habit_of_blanks(texts))
        truecaser = pieces = None
        if settings.case == "truecase":
            plain = cls(replace(settings, case="keep", pieces="words"))
            forms: Forms = {}
            for counted in working.run(_FORMS, _slices(texts), shared=plain._shared()):
                add_forms(forms, counted)
            truecaser = Truecaser(forms)
        if settings.pieces != "words":
            whole = cls(replace(settings, pieces="words"), truecaser=truecaser)
            words = [each for found in working.run(_WORDS, _slices(texts), shared=whole._shared()) for each in found]
            pieces = PIECES[settings.pieces].train(words, settings.subwords, threads)
        return cls(settings, truecaser=truecaser, pieces=pieces)

    def _shared(self) -> Shared[Preprocessor]:
        """What workers need to prepare texts as this does."""
        return Shared(self, None, self.save, _load)

    def restoring_by(self, *, recase: Recase | None = None, joins: Joins | None = None) -> Preprocessor:
        """The same, with something learned that gives words their case, or their case and what stands between them,
        in place of counts and rules."""
        made: Preprocessor = copy(self)
        made._recase, made._joins, made._learned_case = recase, joins or self._detokenizer, bool(recase or joins)
        return made

    def revising_by(self, revise: Revise | None) -> Preprocessor:
        """The same, with something that may replace words of a finished sentence, one by one, before it is restored."""
        made: Preprocessor = copy(self)
        made._revise = revise
        return made

    def prepare(self, raw: str) -> Prepared:
        """The tokens of a text, and the way back."""
        return self.prepare_all([raw])[0]

    def prepare_all(
        self, raws: Iterable[str], *, kept: Sequence[Sequence[ProtectedSpan]] = (), threads: int = 0
    ) -> list[Prepared]:
        """Prepare many texts at once; the result does not depend on `threads`.

        `kept` are spans of each text that are protected besides those that are found; where they overlap, they win.
        """
        found = [(raw, self._finder.find(raw)) for raw in raws]
        if kept:
            found = [(raw, _with_kept(spans, own)) for (raw, spans), own in zip(found, kept, strict=True)]
        texts = [masked(raw, spans) for raw, spans in found]
        ranges = [sentence_ranges(text, self.settings) for text in texts]
        lines = [
            composed(text.text[start:end]) for text, places in zip(texts, ranges, strict=True) for start, end in places
        ]
        traced = self._tokenizer.trace([line.text for line in lines], threads=threads, normalizer=self._normalizer)
        if self._segmenter is not None:
            traced = [self._segmenter.apply(line.text, each) for line, each in zip(lines, traced, strict=True)]
        tokenized = (
            each if line.places is None else Tokenized(each.tokens, line.raw_spans(each.spans))
            for line, each in zip(lines, traced, strict=True)
        )
        return [
            Prepared(
                text.raw,
                self.settings.language,
                tuple(self._sentence(text, start, end, next(tokenized)) for start, end in places),
            )
            for text, places in zip(texts, ranges, strict=True)
        ]

    def _sentence(self, text: Masked, start: int, end: int, tokenized: Tokenized) -> PreparedSentence:
        words = list(tokenized.tokens)
        spans = text.raw_spans(tokenized.spans, start)
        protected = _mask_words(words, text, start, tokenized.spans) if text.protected else {}
        code = untouchable(text.text[start:end], tokenized.spans)
        if self.settings.case == "lowercase":
            words = [word if index in protected else word.lower() for index, word in enumerate(words)]
        elif self.truecaser is not None:
            tags = frozenset(kept.mask for kept in protected.values() if is_tag(kept))
            words = self.truecaser.apply(words, skip=tags, keep=code)
        span = text.raw_span(start, end)
        if self.pieces is None:
            everything = tuple(words)
            return PreparedSentence(
                span, everything, tuple(spans), everything, tuple(spans), tuple(range(len(words))), protected, code
            )
        tokens: list[str] = []
        ranges: list[CharacterRange] = []
        word_of: list[int] = []
        for index, word in enumerate(words):
            parts = (word,) if index in protected else self.pieces.pieces(word)
            tokens += parts
            ranges += _piece_spans(parts, word, spans[index])
            word_of += [index] * len(parts)
        return PreparedSentence(
            span, tuple(tokens), tuple(ranges), tuple(words), tuple(spans), tuple(word_of), protected, code
        )

    def restore(
        self,
        tokens: Sequence[Sequence[str]],
        prepared: Prepared,
        alignments: Sequence[Iterable[Link]] | None = None,
    ) -> str:
        """The text of target tokens, one list for each sentence of the prepared source.

        `alignments` has for each sentence pairs (source token, target token); it tells where a protected span belongs
        that the target has lost or doubled.
        """
        return self.restore_all([tokens], [prepared], None if alignments is None else [alignments])[0]

    def restore_all(
        self,
        tokens: Sequence[Sequence[Sequence[str]]],
        prepared: Sequence[Prepared],
        alignments: Sequence[Sequence[Iterable[Link]]] | None = None,
        *,
        threads: int = 0,
    ) -> list[str]:
        """Restore many texts at once."""
        _check_lengths(tokens, prepared, alignments)
        targets = [
            self._target(target, sentence, source, list(alignments[number][index]) if alignments is not None else [])
            for number, source in enumerate(prepared)
            for index, (target, sentence) in enumerate(zip(tokens[number], source.sentences, strict=True))
        ]
        if self._revise is not None:
            revised = self._revise([words for words, _ in targets], threads=threads)
            targets = [(words, links) for words, (_, links) in zip(revised, targets, strict=True)]
        if self._recase is not None:
            cased = self._recase([words for words, _ in targets], threads=threads)
            targets = [(words, links) for words, (_, links) in zip(cased, targets, strict=True)]
        masks = [
            {kept.mask for kept in sentence.protected.values()} for source in prepared for sentence in source.sentences
        ]
        shown = [
            [STAND_IN if word in own else word for word in words]
            for (words, _), own in zip(targets, masks, strict=True)
        ]
        joined = iter(self._joins.trace(shown, threads=threads))
        pending = iter(targets)
        texts = []
        for source in prepared:
            pieces = []
            at = 0
            for sentence in source.sentences:
                start, end = sentence.span
                pieces.append(source.raw[at:start])
                words, links = next(pending)
                pieces.append(self._assembled(words, next(joined), sentence, source, links) or source.raw[start:end])
                at = end
            pieces.append(source.raw[at:])
            texts.append("".join(pieces))
        return texts

    def _target(
        self, target: Sequence[str], sentence: PreparedSentence, source: Prepared, links: list[Link]
    ) -> tuple[list[str], list[Link]]:
        """Target words, protected and recased, with links between words; nothing for what stays as it is: a copy of the
        source, and a sentence of which no word was translated."""
        if not target or tuple(target) == sentence.tokens:
            return [], []
        words, word_of = _words(target, self.pieces, sentence, links)
        between = [
            (sentence.word_of[ours], word_of[goal])
            for ours, goal in links
            if 0 <= ours < len(sentence.word_of) and 0 <= goal < len(word_of)
        ]
        if self._segmenter is None and BLANK in sentence.words:  # copied blanks are no words of this language
            places = [place for place, word in enumerate(words) if word != BLANK]
            moved = {place: number for number, place in enumerate(places)}
            words = [words[place] for place in places]
            between = [(ours, moved[goal]) for ours, goal in between if goal in moved]
        words, between = with_protected(words, sentence, between)
        if self.settings.case != "keep" and not self._learned_case:
            words = recased(words, sentence, source.raw, between, language=source.language, is_known=self._is_known)
        return words, between

    def _is_known(self, word: str) -> bool:
        """Whether a word was seen in training, as far as this is on record."""
        return self.truecaser is None or word.lower() in self.truecaser.forms

    def _assembled(
        self,
        words: Sequence[str],
        joined: tuple[str, tuple[CharacterRange, ...]],
        sentence: PreparedSentence,
        source: Prepared,
        links: list[Link],
    ) -> str:
        if not words:
            return ""
        text, places = joined
        guessed = [text[before[1] : here[0]] for before, here in zip(((0, 0), *places), places, strict=False)]
        spaces = guessed
        if self.settings.tokenize:
            french = (self.settings.language == "fr") != (source.language == "fr")
            spaces = gaps(words, guessed, sentence, source.raw, links, french=french)
        protected = {kept.mask: kept.text for kept in sentence.protected.values()}
        surfaces = [text[start:end] for start, end in places]
        if self._segmenter is not None:
            tags = {kept.mask for kept in sentence.protected.values() if is_tag(kept)}
            spaces = unspaced_gaps(words, surfaces, spaces, tags, mixed=self.settings.mixed_blanks)
            surfaces = [" " if word == BLANK else surface for word, surface in zip(words, surfaces, strict=True)]
        pieces = [
            space + protected.get(word, surface) for word, surface, space in zip(words, surfaces, spaces, strict=True)
        ]
        return "".join(pieces).strip()

    def save(self, folder: Path | str) -> None:
        """Write settings and models into a folder, usually that of a bundle in the making."""
        folder = Path(folder)
        self.settings.save(folder / _SETTINGS)
        if self.truecaser is not None:
            self.truecaser.save(folder / _TRUECASER)
        if self.pieces is not None:
            self.pieces.save(folder / PIECES[self.settings.pieces].file)

    @classmethod
    def load(cls, folder: Path | str) -> Preprocessor:
        """Read what `save` wrote."""
        folder = Path(folder)
        settings = Preprocessing.load(folder / _SETTINGS)
        truecaser = Truecaser.load(folder / _TRUECASER) if settings.case == "truecase" else None
        pieces = None
        if settings.pieces != "words":
            kind = PIECES[settings.pieces]
            pieces = kind.open(folder / kind.file)
        return cls(settings, truecaser=truecaser, pieces=pieces)


# Steps of learning, for any executor


def _slices(texts: Sequence[str]) -> Iterator[Shard[Sequence[str]]]:
    for first in range(0, len(texts), _SLICE):
        yield Shard(texts[first : first + _SLICE])


def _load(_: None, folder: Path) -> Preprocessor:
    return Preprocessor.load(folder)


def _cut_words(shard: Shard[Sequence[str]], preprocessor: Preprocessor, place: ShardPlace) -> list[list[str]]:
    return _sentences(preprocessor.prepare_all(shard.value, threads=place.threads))


def _forms(shard: Shard[Sequence[str]], preprocessor: Preprocessor, place: ShardPlace) -> Forms:
    return count_forms(_cut_words(shard, preprocessor, place))


_FORMS = ShardStep("counting forms", _forms, wide=True)
_WORDS = ShardStep("cutting words", _cut_words, wide=True)


def _sentences(prepared: Iterable[Prepared]) -> list[list[str]]:
    """Words of all sentences, for training; without tags, which are no words."""
    return [
        [
            word
            for index, word in enumerate(sentence.words)
            if index not in sentence.protected or not is_tag(sentence.protected[index])
        ]
        for text in prepared
        for sentence in text.sentences
    ]


def _with_kept(found: Sequence[ProtectedSpan], kept: Sequence[ProtectedSpan]) -> list[ProtectedSpan]:
    beside = [span for span in found if all(span.end <= own.start or own.end <= span.start for own in kept)]
    return sorted([*beside, *kept], key=lambda span: span.start)


def _mask_words(words: list[str], text: Masked, start: int, spans: Sequence[CharacterRange]) -> dict[int, Protected]:
    """Name the words that stand for protected spans, and say what they stand for."""
    protected: dict[int, Protected] = {}
    numbers: dict[str, int] = defaultdict(int)
    for index, (first, _) in enumerate(spans):
        found = text.protected.get(first + start) if words[index] == text.STAND_IN else None
        if found is not None:
            mask = f"⟦{found.kind}:{numbers[found.kind]}⟧"
            numbers[found.kind] += 1
            protected[index] = Protected(mask, found.kind, (found.start, found.end), text.raw[found.start : found.end])
            words[index] = mask
    return protected


def _piece_spans(parts: Sequence[str], word: str, span: CharacterRange) -> list[CharacterRange]:
    """Ranges of the pieces of a word: their own where they spell it and it stands in the raw text letter by letter."""
    start, end = span
    letters = [parts[0].removeprefix(MARK), *(part.removeprefix(JOINER) for part in parts[1:])]
    if len(parts) == 1 or end - start != len(word) or "".join(letters) != word:
        return [span] * len(parts)
    spans = []
    for part in letters:
        spans.append((start, start + len(part)))
        start += len(part)
    return spans


def _words(
    tokens: Sequence[str], pieces: WordPieces | None, sentence: PreparedSentence, links: Iterable[Link]
) -> tuple[list[str], Sequence[int]]:
    """Words from pieces, masks being words, and the index of the word of each piece.

    A piece of a source word that stands in the target as it is, since nothing translates it, loses its marks, and goes
    with the piece of its word before it if that was copied too.
    """
    if pieces is None and sentence.tokens == sentence.words:
        return list(tokens), range(len(tokens))
    copies = {
        goal: ours
        for ours, goal in (links if sentence.tokens != sentence.words else ())
        if 0 <= ours < len(sentence.tokens) and 0 <= goal < len(tokens) and tokens[goal] == sentence.tokens[ours]
    }
    rows: list[list[str]] = []
    mixed: set[int] = set()
    word_of: list[int] = []
    for place, token in enumerate(tokens):
        begins = not rows or is_mask(token) or is_mask(rows[-1][0])
        if place in copies and not is_mask(token):
            begins = begins or not token.startswith(JOINER) or copies.get(place - 1) != copies[place] - 1
            token = token.removeprefix(MARK).removeprefix(JOINER) or token
        else:
            begins = begins or pieces is None or not pieces.continues(token)
        if begins:
            rows.append([])
        rows[-1].append(token)
        word_of.append(len(rows) - 1)
        if place in copies:
            mixed.add(len(rows) - 1)
    return [
        row[0] if is_mask(row[0]) else "".join(row) if pieces is None or number in mixed else pieces.word(row)
        for number, row in enumerate(rows)
    ], word_of


def _check_lengths(
    tokens: Sequence[Sequence[Sequence[str]]],
    prepared: Sequence[Prepared],
    alignments: Sequence[Sequence[Iterable[Link]]] | None,
) -> None:
    for what, given in (("translations", tokens), ("alignments", alignments)):
        if given is None:
            continue
        if len(given) != len(prepared):
            raise LengthMismatch(f"{len(given)} {what} for {len(prepared)} prepared texts")
        for number, (parts, source) in enumerate(zip(given, prepared, strict=True)):
            if len(parts) != len(source.sentences):
                raise LengthMismatch(
                    f"{len(parts)} {what} for {len(source.sentences)} sentences",
                    where=f"text {number}",
                    remedy="give one list for each sentence",
                )
