"""Forced decoding: how a model would derive a translation that is given, if it can.

It tells what a grammar reaches, where search went wrong because the given translation scores better than the one found,
and which training pairs a model can learn from. (Siahbani and Sarkar 2014.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from dragoman._native import search as native
from dragoman.errors import InputError
from dragoman.search.table_decoder import TableDecoder
from dragoman.search.translation import SentenceTranslation
from dragoman.search.unreached import Unreached
from dragoman.text.source_text import Source, SourceText

__all__ = ["ForcedDecoder"]


class ForcedDecoder(TableDecoder):
    """A decoder that can be told what to say."""

    unlimited: ClassVar[Mapping[str, Any]] = {"beam": 2**31, "pop_limit": 2**31, "option_limit": 2**31}
    """Settings under which it loses nothing that can be reached."""
    loosened: ClassVar[tuple[tuple[str, int | str, str], ...]] = ()
    """Settings that may be in the way: a name, the value that lets all pass, and what it means to need that."""

    def force(
        self,
        sentences: Sequence[Source],
        references: Sequence[str | Sequence[str]],
        *,
        threads: int = 0,
        forests: bool = False,
    ) -> list[SentenceTranslation | None]:
        """The best derivation of each reference from its sentence, or None where there is none.

        A sentence may have several references; the best derivation of any of them counts. Only what stands in a
        reference is built, so there is no limit to what is kept.
        """
        texts, allowed = self._checked(sentences, references)
        found = self._forced(texts, allowed, threads=threads, forests=forests)
        return [self._translation(decoded) if decoded.reached else None for decoded in found]

    def diagnose(self, sentence: Source, reference: str | Sequence[str]) -> Unreached | None:
        """Why a reference, or any of several, cannot be derived from a sentence; None if it can."""
        texts, allowed = self._checked([sentence], [reference])
        [decoded] = self._forced(texts, allowed)
        if decoded.reached:
            return None
        nearest, unwritten, untranslated = decoded.unreached
        words, source = allowed[0][nearest].split(), texts[0].text.split()
        missing = tuple(words[position] for position in unwritten)
        untouched = tuple(source[position] for position in untranslated)
        if not words or not source:
            return Unreached("one side is empty, and the other is not")
        if (limit := self._in_the_way(texts, allowed)) is not None:
            return limit
        if missing:
            reason = f"no rule for this sentence writes {_listed(missing)} as the reference does"
            return Unreached(reason, missing, untouched, "add rules for these words, or train on more text")
        if untouched:
            reason = f"no rule turns {_listed(untouched)} into words of the reference"
            return Unreached(reason, missing, untouched, "add rules for these words, or train on more text")
        return Unreached("rules write all its words, but no way to cut the sentence puts them together")

    def _in_the_way(self, texts: Sequence[SourceText], allowed: list[list[str]]) -> Unreached | None:
        """The limit of the search, or if one alone is not it all of them, without which the reference is reached."""
        tried = [[each] for each in self.loosened]
        if len(tried) > 1:
            tried.append(list(self.loosened))
        for limits in tried:
            try:
                free = self.with_settings(**{name: value for name, value, _ in limits})
                [decoded] = free._forced(texts, allowed)
            except InputError:  # too long without the limit
                continue
            if decoded.reached:
                reasons = [meaning.format(getattr(self.settings, name)) for name, _, meaning in limits]
                changes = [f"{name} to {value}" for name, value, _ in limits]
                return Unreached(" and ".join(reasons), remedy=f"set {' and '.join(changes)}")
        return None

    @staticmethod
    def _checked(
        sentences: Sequence[Source], references: Sequence[str | Sequence[str]]
    ) -> tuple[list[SourceText], list[list[str]]]:
        if len(sentences) != len(references):
            raise InputError(f"{len(references)} references for {len(sentences)} sentences")
        allowed = [[given] if isinstance(given, str) else list(given) for given in references]
        if not all(allowed):
            raise InputError("a sentence without a reference", where=f"sentence {allowed.index([]) + 1}")
        return [SourceText.of(each) for each in sentences], allowed

    def _forced(
        self, texts: Sequence[SourceText], allowed: list[list[str]], *, threads: int = 0, forests: bool = False
    ) -> list[native.Decoded]:
        lines, _, marks = self._requests(texts)
        free = self.with_settings(**self.unlimited)
        found: list[native.Decoded] = free._native.force(lines, allowed, marks, threads=threads, keep_forests=forests)
        self._model.append_names(self._names)
        for decoded in found:
            decoded.check()
        return found


def _listed(words: Sequence[str]) -> str:
    return ", ".join(repr(word) for word in words)
