"""Trained models of order as dense features: where to go on in the source, and how well target words hang together.

- `distortion_model` (Green, Galley and Manning 2010): two log-linear classifiers of jumps, one by the word that is
  left, one by the word that is entered, over words, tags and places; the value is the sum of their log probabilities.
- `relation_order` (Chang, Tseng, Jurafsky and Manning 2009): whether the last word of a phrase and the first word of
  the next keep their order, by the path between them in a dependency tree of the source.
- `dependency_lm` (Galley and Manning 2009): each target word looks for the best head among the words around it, scored
  by a log-linear model of heads; the value is the sum of the best scores.

The first two follow from the source sentence, so all their answers are worked out once per sentence; a sentence that
lacks the layers that a model needs has no value of it. All three look at what stands beside a phrase, and are for the
decoder of phrases.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dragoman._native import features as native
from dragoman.annotations import Sentence
from dragoman.annotations.spanning_tree import maximum_tree
from dragoman.errors import InputError
from dragoman.features.bilingual import BilingualModel, TakesBilingual
from dragoman.grammar.table import RuleTable
from dragoman.settings import Settings, setting

__all__ = ["ChoiceTraining", "DependencyFeature", "JumpFeature", "RelationFeature", "SourceOrderFeature"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceTraining(Settings):
    """How a log-linear model of choices is trained: stochastic gradients with a step for each weight."""

    passes: int = setting(5, "Over the training text.", least=1)
    step: float = setting(0.2, "Of the first update of a weight.", above=0)
    min_count: int = setting(2, "Choices that must have taken something before it has a weight.", least=1)
    seed: int = setting(1, "Of the order of choices.", least=0)

    def options(self) -> dict[str, int | float]:
        """As native code takes them."""
        return {"passes": self.passes, "step": self.step, "min_count": self.min_count, "seed": self.seed}


def _plain(sentence: Sentence) -> tuple[list[str], list[str], list[int], list[str]]:
    """Words, tags, heads and relations; what is not known is empty."""
    tags = next((getattr(sentence, name) for name in ("tags", "pos") if sentence.has(name)), ())
    tree = sentence.dependencies if sentence.has("dependencies") else None
    heads, labels = (list(tree.heads), list(tree.labels)) if tree is not None else ([], [])
    return list(sentence.words), list(tags), heads, labels


@dataclass(frozen=True, slots=True, eq=False)
class SourceOrderFeature(BilingualModel):
    """A model of the order in which source words are translated."""

    model: native.SourceOrderModel = field(repr=False)
    relations: ClassVar[bool]

    @classmethod
    def train(
        cls,
        sentences: Iterable[Sentence],
        links: Sequence[str],
        training: ChoiceTraining | None = None,
        *,
        future: bool = True,
    ) -> SourceOrderFeature:
        """Learn from source sentences and the links to their translations, `0-0 1-2`.

        With `future`, search charges what it will be worth to go back to a gap as soon as it is left.
        """
        plain = [_plain(each) for each in sentences]
        cls._check(plain)
        options = (training or ChoiceTraining()).options()
        made = native.SourceOrderModel.train(plain, list(links), relations=cls.relations, future=future, **options)  # type: ignore[arg-type]
        return cls(made)

    @classmethod
    @abstractmethod
    def _check(cls, sentences: Sequence[tuple[list[str], list[str], list[int], list[str]]]) -> None:
        """Refuse text that lacks what must be learned from."""

    @classmethod
    def open(cls, path: Path) -> SourceOrderFeature:
        made = native.SourceOrderModel.open(path)
        if made.is_of_relations != cls.relations:
            raise InputError(f"a model of another kind than {cls.name}", where=str(path))
        return cls(made)

    def save(self, path: Path) -> None:
        self.model.save(path)

    def add_to(self, model: TakesBilingual, table: RuleTable) -> None:
        model.add_source_order(self.name, self.model)

    def values(self, sentence: Sentence) -> NDArray[np.float64]:
        """What it is worth to go on with a word (columns) after another (rows, the first of them the start).

        Empty if the sentence lacks a layer that the model needs.
        """
        found = self.model.values(_plain(sentence))
        return found.reshape(len(sentence) + 1 if len(found) else 0, len(sentence))


class JumpFeature(SourceOrderFeature):
    """Discriminative distortion."""

    __slots__ = ()
    name: ClassVar[str] = "distortion_model"
    relations: ClassVar[bool] = False

    @property
    def needs(self) -> tuple[str, ...]:
        return ("tags",) if self.model.uses_tags else ()

    @classmethod
    def _check(cls, sentences: Sequence[tuple[list[str], list[str], list[int], list[str]]]) -> None:
        if any(each[1] for each in sentences) and any(each[0] and not each[1] for each in sentences):
            missing = next(number for number, each in enumerate(sentences, 1) if each[0] and not each[1])
            raise InputError(
                "some sentences have tags and others have none",
                where=f"sentence {missing}",
                remedy="annotate all of the training text, or none of it",
            )


class RelationFeature(SourceOrderFeature):
    """Order by grammatical relation."""

    __slots__ = ()
    name: ClassVar[str] = "relation_order"
    relations: ClassVar[bool] = True

    @property
    def needs(self) -> tuple[str, ...]:
        return ("tags", "dependencies") if self.model.uses_tags else ("dependencies",)

    @classmethod
    def _check(cls, sentences: Sequence[tuple[list[str], list[str], list[int], list[str]]]) -> None:
        if not any(each[2] for each in sentences):
            raise InputError(
                f"{cls.name} is learned from dependency trees of the source, and there are none",
                remedy="annotate the training text (--annotate, --annotations)",
            )


@dataclass(frozen=True, slots=True, eq=False)
class DependencyFeature(BilingualModel):
    """A dependency language model of the target."""

    name: ClassVar[str] = "dependency_lm"
    model: native.DependencyModel = field(repr=False)

    @staticmethod
    def train(
        sentences: Iterable[Sentence], training: ChoiceTraining | None = None, *, window: int = 4
    ) -> DependencyFeature:
        """Learn from target sentences with parts of speech and dependencies; heads are looked for in a window of words.

        A window of 0 is any distance: then nothing recombines but what is equal throughout, unless search is told to
        look at language models only (`recombination=pharaoh`), as the authors do.
        """
        kept = [each for each in sentences if len(each) and each.has("pos", "dependencies")]
        if not kept:
            raise InputError(
                f"{DependencyFeature.name} is learned from dependency trees of the target, and there are none",
                remedy="annotate the target side of the training text (--annotate-target)",
            )
        names = sorted({tag for each in kept for tag in each.pos})
        numbers = {tag: number for number, tag in enumerate(names)}
        plain = [(list(each.words), [numbers[tag] for tag in each.pos], list(each.dependencies.heads)) for each in kept]
        options = (training or ChoiceTraining()).options()
        return DependencyFeature(native.DependencyModel.train(plain, names, window=window, **options))  # type: ignore[arg-type]

    @classmethod
    def open(cls, path: Path) -> DependencyFeature:
        return cls(native.DependencyModel.open(path))

    def save(self, path: Path) -> None:
        self.model.save(path)

    def add_to(self, model: TakesBilingual, table: RuleTable) -> None:
        model.add_dependency_model(self.name, self.model)

    def score(self, line: str) -> float:
        """The value of a tokenised sentence."""
        return float(self.model.score(line)[0])

    def heads(self, line: str) -> list[int]:
        """The best head of each word of a tokenised sentence, -1 for the root; they need not be a tree."""
        return list(self.model.score(line)[1])

    def tree(self, line: str) -> list[int]:
        """The best heads without circles, of a whole sentence, whatever the window; there may be several roots (-1)."""
        size = len(line.split())
        scores = np.zeros((size + 1, size + 1))
        for word in range(size):
            for head in range(-1, size):
                if head != word:
                    scores[head + 1, word + 1] = self.model.arc_score(line, head, word)
        return [int(head) - 1 for head in maximum_tree(scores)[1:]]
