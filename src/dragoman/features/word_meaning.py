"""What words mean, as dense features: likeness of both sides by vectors, and words that go with the words around them.

Both models are made from the training text and its links (`dragoman.semantics.embeddings`,
`dragoman.semantics.mutual_information`), and are asked natively, once for each rule and place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ClassVar

from dragoman.errors import InputError
from dragoman.features.bilingual import BilingualModel, TakesBilingual, knows_word, require_words
from dragoman.grammar.table import RuleTable
from dragoman.semantics.mutual_information import MutualInformation
from dragoman.semantics.phrase_similarity import KINDS, PhraseVectors

__all__ = ["ContextFeature", "VectorFeature"]

_LOOKED_AT = 2000
"""Rules of a table that are looked at before it is said to have no links."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorFeature(BilingualModel):
    """How alike the vectors of both sides of a phrase are (Zou et al. 2013)."""

    name: ClassVar[str] = "vectors"
    vectors: PhraseVectors = field(repr=False)
    kinds: tuple[str, ...] = ("cosine",)
    """Which likenesses are features; see `dragoman.semantics.phrase_similarity.KINDS`."""

    @classmethod
    def open(cls, path: Path) -> VectorFeature:
        return cls(PhraseVectors.open(path))

    def save(self, path: Path) -> None:
        self.vectors.save(path)

    def add_to(self, model: TakesBilingual, table: RuleTable) -> None:
        # Vectors of rare words may be missing; of another language, nearly all are.
        require_words("vectors", table, partial(knows_word, self.vectors.native), least=0.05)
        names = [f"{self.name}.{kind}" if kind in self.kinds else "" for kind in KINDS]
        model.add_phrase_vectors(names, self.vectors.native)


@dataclass(frozen=True, slots=True, eq=False)
class ContextFeature(BilingualModel):
    """How well the translations of single words go with the words around them: a soft sense of each word.

    The scores that candidates of lexical substitution are ranked by (Aziz and Specia 2010), each summed over the linked
    content words of a phrase, in deviations of what they are in the training text.
    """

    name: ClassVar[str] = "context"
    information: MutualInformation = field(repr=False)
    kinds: tuple[str, ...] = ("own", "all", "others")
    window: int = 5

    @classmethod
    def open(cls, path: Path) -> ContextFeature:
        return cls(MutualInformation.open(path))

    def save(self, path: Path) -> None:
        self.information.save(path)

    def add_to(self, model: TakesBilingual, table: RuleTable) -> None:
        rules = range(min(_LOOKED_AT, len(table)))
        if rules and not any(len(table.native.links(rule)) for rule in rules):
            raise InputError(
                "context needs word links", where=str(table.path), remedy="extract the table with alignments"
            )
        counts = self.information.native.count
        require_words("counts", table, lambda word, target: counts(word, target=target) > 0, least=0.05)
        names = [f"{self.name}.{kind}" if kind in self.kinds else "" for kind in ("own", "all", "others")]
        model.add_word_context(names, self.information.native, window=self.window)
