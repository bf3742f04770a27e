"""The training sentences behind the phrases of a translation, if a model kept them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dragoman.bundle import Bundle
from dragoman.grammar.provenance import Witness, witnesses
from dragoman.grammar.table import RuleTable
from dragoman.search.base import Decoder
from dragoman.search.translation import Phrase

__all__ = ["EVIDENCE_FILES", "Evidence"]

EVIDENCE_FILES = ("evidence.source", "evidence.target")
"""The training text in a bundle whose table knows which sentences taught each rule."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a table remembers of its bitext, and the text itself if it is at hand."""

    table: RuleTable | None
    texts: tuple[Path, Path] | None = None
    limit: int = 3
    """Sentences that are shown of each phrase."""

    @staticmethod
    def of(decoder: Decoder, bundle: Bundle) -> Evidence:
        """What a model kept."""
        source, target = EVIDENCE_FILES
        kept = all(name in bundle.sizes for name in EVIDENCE_FILES)
        return Evidence(decoder.table, (bundle.file(source), bundle.file(target)) if kept else None)

    def taught_by(self, phrase: Phrase) -> list[Witness]:
        """The first few sentences that taught a phrase; none for words that no rule translated."""
        if self.table is None or self.texts is None or not self.table.has_evidence or self._rule(phrase) is None:
            return []
        return witnesses(self.table.evidence(phrase.source, phrase.target), *self.texts, limit=self.limit)

    def times(self, phrase: Phrase) -> float:
        """How often the bitext has the phrase; 0 if it is not of the table."""
        rule = self._rule(phrase)
        return float(self.table.native.counts(rule)[2]) if self.table is not None and rule is not None else 0.0

    def _rule(self, phrase: Phrase) -> int | None:
        if self.table is None or phrase.unknown or not phrase.source or not phrase.target:
            return None
        return self.table.find(phrase.source, phrase.target)
