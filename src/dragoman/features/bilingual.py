"""Trained models as dense features, asked natively; each is a file of its own.

Unlike a language model they look at source and target at once, unlike columns of a table they are models of their own,
and unlike templates they have one dense value, or a few. Search must write a translation from left to right, phrase by
phrase, and say which word comes from which: the decoder of phrases does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol

from dragoman._native import features as native
from dragoman.errors import BundleError, InputError
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel
from dragoman.neural.joint_model import JointModel
from dragoman.registry import Registry

__all__ = [
    "BILINGUAL",
    "BilingualModel",
    "JointFeature",
    "SequenceFeature",
    "TakesBilingual",
    "knows_word",
    "paired_words",
    "read_bilingual_models",
    "require_words",
]

_LOOKED_AT = 2000
"""Words of a table that are looked at to see whether a model is of the same text."""


class TakesBilingual(Protocol):
    """A native model under construction."""

    def add_joint_model(self, feature: str, model: Any) -> None: ...
    def add_sequence_model(self, feature: str, model: Any) -> None: ...
    def add_phrase_vectors(self, features: list[str], vectors: Any) -> None: ...
    def add_word_context(self, features: list[str], information: Any, *, window: int) -> None: ...
    def add_source_order(self, feature: str, model: Any) -> None: ...
    def add_dependency_model(self, feature: str, model: Any) -> None: ...


class BilingualModel(ABC):
    """A model of both sides that is a dense feature."""

    name: ClassVar[str]
    """Of the feature, or of its family if there are several, `NAME.kind`; in a bundle the model is NAME.bin."""

    def __str__(self) -> str:
        return self.name

    @property
    def needs(self) -> tuple[str, ...]:
        """Layers that a source sentence must have for it to fire."""
        return ()

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
        require_words("a joint model", table, partial(knows_word, self.model.native), least=0.5)
        model.add_joint_model(self.name, self.model.native)


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


def knows_word(model: Any, word: str, target: bool) -> bool:
    """Whether a native model with words of two sides has one."""
    return bool(model.knows(word, target=target))


def require_words(what: str, table: RuleTable, knows: Callable[[str, bool], bool], *, least: float) -> None:
    """Refuse a model of another text: one of other languages or tokens knows hardly any word of the table."""
    own = table.native
    sides = (("source", own.source_word, own.source_size), ("target", own.target_word, own.target_size))
    for side, word, size in sides:
        looked_at = range(1, min(size, _LOOKED_AT + 1))
        known = sum(knows(word(number), side == "target") for number in looked_at)
        if known < least * len(looked_at):
            raise InputError(
                f"{what} of another text: of {len(looked_at):,} {side} words {known:,} are known",
                where=str(table.path),
                remedy="use the one that was trained with this table",
            )


_ORDER = "dragoman.features.order_models"
BILINGUAL = Registry[BilingualModel](
    "bilingual model",
    {
        "joint": "dragoman.features.bilingual:JointFeature",
        "sequence": "dragoman.features.bilingual:SequenceFeature",
        "distortion_model": f"{_ORDER}:JumpFeature",
        "relation_order": f"{_ORDER}:RelationFeature",
        "dependency_lm": f"{_ORDER}:DependencyFeature",
        "vectors": "dragoman.features.word_meaning:VectorFeature",
        "context": "dragoman.features.word_meaning:ContextFeature",
    },
)
"""Kinds, by the names of their features."""


def read_bilingual_models(file: Callable[[str], Path], names: Sequence[str]) -> list[BilingualModel]:
    """Models of a bundle or of a stage; `file` says where a file is."""
    if unknown := [name for name in names if name not in BILINGUAL]:
        known = ", ".join(BILINGUAL)
        raise BundleError(f"made for another model of both sides ({unknown[0]!r})", remedy=f"known are {known}")
    return [BILINGUAL.get(name).open(file(f"{name}.bin")) for name in names]


def paired_words(source: Sequence[str], target: Sequence[str], links: Sequence[str]) -> list[str]:
    """Sentence pairs as lines for a sequence model: target words, each with the source words that it is linked to.

    >>> paired_words(["das haus"], ["the big house"], ["0-0 1-2"])
    ['the|das big house|haus']
    """
    return native.paired_words(list(source), list(target), list(links))
