"""A German-English system of image captions, trained once by library calls and kept in a folder for experiments."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from dragoman.align import ALIGNERS
from dragoman.files import read_lines
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.phrases import extract
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel, estimate
from dragoman.search.phrase import LanguageModel, PhraseDecoder, PhraseSettings, start_weights
from dragoman.text import synthetic

__all__ = ["System", "load", "small"]

KEPT = Path(__file__).parent.parent / "build" / "experiments"

Sides = tuple[list[str], list[str]]


@dataclass(frozen=True)
class System:
    """A decoder with weights as they are before tuning, and text to tune and test it on."""

    name: str
    decoder: PhraseDecoder
    dev: Sides
    test: Sides


def data_folder() -> Path:
    return Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))


def load(source: str = "de", target: str = "en", *, pop_limit: int = 100) -> System:
    """Multi30k: 29,000 pairs to train on, 1,014 to tune on, 1,000 to test on."""
    folder = data_folder() / "multi30k"

    def part(name: str) -> Sides:
        found = []
        for language in (source, target):
            path = folder / f"{name}.{language}"
            found.append(list(read_lines(path if path.exists() else path.with_name(f"{path.name}.gz"))))
        return found[0], found[1]

    kept = KEPT / f"multi30k-{source}-{target}"
    decoder = _decoder(kept, part("train") if not (kept / "lm.bin").exists() else ([], []), pop_limit)
    return System(f"multi30k {source}-{target}", decoder, part("val"), part("test_2016_flickr"))


def small(folder: Path) -> System:
    """A made-up language pair that trains in a second, to try an experiment out."""
    items = list(synthetic.pair("en-de").generate(360, seed=4))
    sides = ([" ".join(item.source.tokens) for item in items], [" ".join(item.target.tokens) for item in items])

    def part(first: int, end: int) -> Sides:
        return sides[0][first:end], sides[1][first:end]

    return System("synthetic en-de", _decoder(folder, part(0, 300), 30), part(300, 330), part(330, 360))


def _decoder(kept: Path, train: Sides, pop_limit: int) -> PhraseDecoder:
    table, model = kept / "table.rules", kept / "lm.bin"
    if not model.exists():
        kept.mkdir(parents=True, exist_ok=True)
        aligner = ALIGNERS.get("fast")()
        aligner.train(*train)
        links = [str(alignment) for alignment in aligner.align(*train)]
        extract(*train, links, table, scoring=Scoring(reordering=ReorderingModel()))
        estimate(train[1], order=4).build().save(model)
    settings = PhraseSettings(pop_limit=pop_limit, beam=pop_limit)
    decoder = PhraseDecoder(RuleTable.open(table), [LanguageModel("lm", NgramModel.open(model))], {}, settings)
    return decoder.with_weights(start_weights(decoder.feature_names))
