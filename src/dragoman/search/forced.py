"""Forced decoding: how a model would derive a translation that is given, if it can.

It tells what a grammar reaches, where search went wrong because the given translation scores better than the one found,
and which training pairs a model can learn from. (Siahbani and Sarkar 2014.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from dragoman.errors import InputError
from dragoman.search.proven import ProvenDecoder
from dragoman.search.translation import SentenceTranslation
from dragoman.text.source_text import Source, SourceText

__all__ = ["ForcedDecoder"]


class ForcedDecoder(ProvenDecoder):
    """A decoder that can be told what to say."""

    unlimited: ClassVar[Mapping[str, Any]] = {"beam": 2**31, "pop_limit": 2**31, "option_limit": 2**31}
    """Settings under which it loses nothing that can be reached."""

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
        if len(sentences) != len(references):
            raise InputError(f"{len(references)} references for {len(sentences)} sentences")
        texts = [SourceText.of(each) for each in sentences]
        allowed = [[given] if isinstance(given, str) else list(given) for given in references]
        if not all(allowed):
            raise InputError("a sentence without a reference", where=f"sentence {allowed.index([]) + 1}")
        lines, _, marks = self._requests(texts)
        free = self.with_settings(**self.unlimited)
        found = free._native.force(lines, allowed, marks, threads=threads, keep_forests=forests)
        self._model.append_names(self._names)
        for decoded in found:
            decoded.check()
        return [self._translation(decoded) if decoded.reached else None for decoded in found]
