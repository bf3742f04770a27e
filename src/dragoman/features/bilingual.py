"""Models of both sides as features: each has one name and one weight, and is asked natively.

Unlike a language model they look at source and target at once, unlike a rule's own features at what stands around the
rule, and unlike templates they have one dense value. Search must write a translation from left to right, phrase by
phrase, and say which word comes from which: the decoder of phrases does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

from dragoman._native import features as native
from dragoman.errors import BundleError, InputError
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel
from dragoman.neural.joint_model import JointModel

__all__ = ["BILINGUAL", "BilingualModel", "JointFeature", "SequenceFeature", "paired_words", "read_bilingual_models"]

_LOOKED_AT = 2000
"""Words of a table that are looked at to see whether a model is of the same text."""


class TakesBilingual(Protocol):
    """A native model under construction."""

    def add_joint_model(self, feature: str, model: Any) -> None: ...
    def add_sequence_model(self, feature: str, model: Any) -> None: ...


class BilingualModel(ABC):
    """A model of both sides that is a dense feature."""

    name: ClassVar[str]
    """Of the feature; in a bundle the model is the file NAME.bin."""

    def __str__(self) -> str:
        return self.name

    @classmethod
    @abstractmethod
    def open(cls, path: Path) -> BilingualModel:
        """Read a file."""

    @abstractmethod
    def save(self, path: Path) -> None:
        """Write it."""

    @abstractmethod
    def add_to(self, model: TakesBilingual, table: RuleTable) -> None:
        """Switch it on."""


@dataclass(frozen=True, slots=True, eq=False)
class JointFeature(BilingualModel):
    """The joint model (Devlin et al. 2014); see `dragoman.neural.joint_model`."""

    name: ClassVar[str] = "joint"
    model: JointModel = field(repr=False)

    @classmethod
    def open(cls, path: Path) -> JointFeature:
        return cls(JointModel.open(path))

    def save(self, path: Path) -> None:
        self.model.save(path)

    def add_to(self, model: TakesBilingual, table: RuleTable) -> None:
        self._require_words(table)
        model.add_joint_model(self.name, self.model.native)

    def _require_words(self, table: RuleTable) -> None:
        """Refuse a model of another text: one of other languages or tokens knows hardly any word of the table."""
        own = table.native
        sides = (("source", own.source_word, own.source_size), ("target", own.target_word, own.target_size))
        for side, word, size in sides:
            looked_at = range(1, min(size, _LOOKED_AT + 1))
            known = sum(self.model.native.knows(word(number), target=side == "target") for number in looked_at)
            if known * 2 < len(looked_at):
                raise InputError(
                    f"a joint model of another text: of {len(looked_at):,} {side} words it knows {known:,}",
                    where=str(table.path),
                    remedy="use the one that was trained with this table",
                )


@dataclass(frozen=True, slots=True, eq=False)
class SequenceFeature(BilingualModel):
    """A bilingual n-gram model: a language model of target words with what they are linked to (Niehues et al. 2011)."""

    name: ClassVar[str] = "sequence"
    model: NgramModel = field(repr=False)

    @classmethod
    def open(cls, path: Path) -> SequenceFeature:
        return cls(NgramModel.open(path))

    def save(self, path: Path) -> None:
        self.model.save(path)

    def add_to(self, model: TakesBilingual, table: RuleTable) -> None:
        model.add_sequence_model(self.name, self.model.native)


BILINGUAL: dict[str, type[BilingualModel]] = {each.name: each for each in (JointFeature, SequenceFeature)}
"""Kinds, by the names of their features."""
_KNOWN = ", ".join(BILINGUAL)


def read_bilingual_models(file: Callable[[str], Path], names: Sequence[str]) -> list[BilingualModel]:
    """Models of a bundle or of a stage; `file` says where a file is."""
    if unknown := [name for name in names if name not in BILINGUAL]:
        raise BundleError(f"made for another model of both sides ({unknown[0]!r})", remedy=f"known are {_KNOWN}")
    return [BILINGUAL[name].open(file(f"{name}.bin")) for name in names]


def paired_words(source: Sequence[str], target: Sequence[str], links: Sequence[str]) -> list[str]:
    """Sentence pairs as lines for a sequence model: target words, each with the source words that it is linked to.

    >>> paired_words(["das haus"], ["the big house"], ["0-0 1-2"])
    ['the|das big house|haus']
    """
    return native.paired_words(list(source), list(target), list(links))
