"""Which of two texts in two languages says more, with the words that show it: an aligner, its counts, and a decision.

The route of Graham, Salehi and Baldwin (2013) from text to label (see `cross_lingual`): an aligner trained on parallel
text links the words of a pair, the same parallel text says how often each word is left without a link in
translations, and a model decides by what was left in this pair. Words that made the decision are part of the answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.align.alignment import Alignment
from dragoman.align.base import Aligner
from dragoman.bundle import Bundle, Provenance, writing_bundle
from dragoman.entailment.cross_lingual import (
    SELDOM,
    CrossLingualModel,
    CrossLingualPair,
    pair_features,
    unalignment,
)
from dragoman.errors import FormatError, InputError
from dragoman.plain_data import parse_json
from dragoman.settings import check_argument

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["KIND", "CrossLingualEntailer", "CrossLingualJudgement"]

KIND = "cross-lingual-entailment"
_FILE = "model.json"


@dataclass(frozen=True)
class CrossLingualJudgement:
    """A label, how probable the decisions behind it are, and the words that speak against each direction."""

    pair: CrossLingualPair
    label: str
    probabilities: Mapping[str, float]
    features: Mapping[str, float]
    alignment: Alignment
    more: tuple[tuple[str, ...], tuple[str, ...]]
    """Words of the first and of the second text without a link that translations seldom leave without one."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "id": self.pair.id,
            "label": self.label,
            "probabilities": dict(self.probabilities),
            "features": dict(self.features),
            "alignment": str(self.alignment),
            "only_first": list(self.more[0]),
            "only_second": list(self.more[1]),
        }

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        said = ", ".join(f"{name} {value:.2f}" for name, value in self.probabilities.items())
        links = Table("first", "second", title="words that correspond", title_justify="left", box=None)
        for one, other in sorted(self.alignment.links):
            links.add_row(Text(self.pair.first[one]), Text(self.pair.second[other]))
        alone = [
            Text(f"only the {side} says: {' '.join(words)}")
            for side, words in zip(("first", "second"), self.more, strict=True)
            if words
        ]
        counts = ", ".join(f"{name} {value:g}" for name, value in self.features.items())
        return Group(Text.assemble((self.label, "bold"), f" ({said})"), links, *alone, Text(f"features: {counts}"))


class CrossLingualEntailer:
    """Judges pairs of tokenised texts in two languages."""

    def __init__(
        self,
        aligner: Aligner,
        alone: tuple[Mapping[str, float], Mapping[str, float]],
        model: CrossLingualModel,
        *,
        seldom: float = SELDOM,
    ) -> None:
        check_argument("seldom", seldom, float, least=0, most=1)
        self.aligner, self.alone, self.model, self.seldom = aligner, alone, model, seldom

    @classmethod
    def of(
        cls,
        aligner: Aligner,
        first: Sequence[Sequence[str]],
        second: Sequence[Sequence[str]],
        model: CrossLingualModel | None = None,
        *,
        threads: int = 0,
    ) -> CrossLingualEntailer:
        """Count on parallel text how often words are left without a link; the model is to be fitted yet."""
        links = aligner.align(first, second, threads=threads)
        counted = unalignment(first, links, side=0), unalignment(second, links, side=1)
        return cls(aligner, counted, model or CrossLingualModel())

    def rows(
        self, pairs: Sequence[CrossLingualPair], *, threads: int = 0
    ) -> tuple[list[Alignment], list[dict[str, float]]]:
        """Links and features of pairs."""
        for pair in pairs:
            if not pair.first or not pair.second:
                raise InputError("a pair with an empty side", where=f"pair {pair.id}", remedy="leave the pair out")
        links = self.aligner.align([pair.first for pair in pairs], [pair.second for pair in pairs], threads=threads)
        found = [
            pair_features(pair, each, *self.alone, seldom=self.seldom) for pair, each in zip(pairs, links, strict=True)
        ]
        return links, found

    def fit(self, pairs: Sequence[CrossLingualPair], *, threads: int = 0) -> CrossLingualEntailer:
        """Learn the decision from pairs with labels."""
        for pair in pairs:
            if not pair.label:
                raise InputError("the pair has no label", where=f"pair {pair.id}", remedy="learning needs answers")
        self.model.fit(self.rows(pairs, threads=threads)[1], [pair.label for pair in pairs])
        return self

    def judge_all(self, pairs: Sequence[CrossLingualPair], *, threads: int = 0) -> list[CrossLingualJudgement]:
        """Labels with their reasons, in the order of the pairs."""
        found = []
        for pair, links, row in zip(pairs, *self.rows(pairs, threads=threads), strict=True):
            more = []
            for side, words in enumerate((pair.first, pair.second)):
                linked = {link[side] for link in links.links}
                table = self.alone[side]
                more.append(
                    tuple(
                        word for at, word in enumerate(words) if at not in linked and table.get(word, 0.0) < self.seldom
                    )
                )
            found.append(
                CrossLingualJudgement(
                    pair, self.model.predict(row), self.model.probabilities(row), row, links, (more[0], more[1])
                )
            )
        return found

    def save(self, path: Path | str, *, provenance: Provenance | None = None) -> None:
        """Write a bundle with the aligner in it."""
        plain = {"model": self.model.to_dict(), "alone": [dict(table) for table in self.alone], "seldom": self.seldom}
        languages = self.aligner.languages or ()
        with writing_bundle(path, kind=KIND, languages=languages, settings={}, provenance=provenance) as folder:
            (folder / _FILE).write_text(json.dumps(plain, ensure_ascii=False) + "\n", "utf-8")
            self.aligner.save(folder / "aligner")

    @classmethod
    def open(cls, path: Path | str) -> CrossLingualEntailer:
        """What `save` wrote."""
        bundle = Bundle.open(path, kind=KIND)
        file = bundle.path / _FILE
        plain = parse_json(file.read_bytes(), where=str(file))
        try:
            first, second = ({str(word): float(p) for word, p in table.items()} for table in plain["alone"])
            seldom = float(plain["seldom"])
            model = plain["model"]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"damaged model: {error}", where=str(file), remedy="fit it again") from None
        aligner = Aligner.load(bundle.path / "aligner")
        return cls(aligner, (first, second), CrossLingualModel.from_dict(model, where=str(file)), seldom=seldom)
