"""Phrase-based systems for experiments on tuning: trained once from Multi30k, or from a synthetic bitext, and kept.

Texts are tokenised and lower-cased as shipped. `val` is cut in two: `dev` to tune on, `heldout` to choose by;
`test_2016_flickr` is reported. `bitext` is sampled from the training text before alignment, for those who tune on that.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dragoman.align import ALIGNERS
from dragoman.cache import StageCache
from dragoman.features import preset
from dragoman.features.frequencies import function_words
from dragoman.features.template import Template
from dragoman.files import read_lines
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.phrases import extract
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel, estimate
from dragoman.lm.classes import ClassMap, train_classes
from dragoman.search.phrase import LanguageModel, PhraseDecoder, PhraseSettings
from dragoman.seeds import stream
from dragoman.text import synthetic

HOME = Path(__file__).parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data"))
CACHE = HOME / "build" / "experiments"

Texts = tuple[list[str], list[str]]


@dataclass(frozen=True)
class System:
    """What a decoder is made of, and the texts to tune and test it on."""

    table: RuleTable
    model: NgramModel = field(repr=False)
    source_classes: ClassMap = field(repr=False)
    target_classes: ClassMap = field(repr=False)
    words: tuple[tuple[str, ...], tuple[str, ...]] = field(repr=False)
    dev: Texts = field(repr=False)
    bitext: Texts = field(repr=False)
    heldout: Texts = field(repr=False)
    test: Texts = field(repr=False)

    def limited(self, dev: int, tested: int) -> System:
        """The same system with so many sentences to tune on, and to choose by and report on.

        Where `dev` does not suffice, text of the training kind follows it.
        """

        def first(texts: Texts, size: int) -> Texts:
            return texts[0][:size], texts[1][:size]

        tuning = self.dev[0] + self.bitext[0], self.dev[1] + self.bitext[1]
        return replace(self, dev=first(tuning, dev), heldout=first(self.heldout, tested), test=first(self.test, tested))

    def templates(self, name: str, *, min_count: int = 10) -> list[Template]:
        """Templates of a preset; none for `dense`."""
        if name == "dense":
            return []
        return preset(
            name,
            source_classes=self.source_classes,
            target_classes=self.target_classes,
            function_words=self.words,
            min_count=min_count,
        )

    def decoder(self, templates: Sequence[Template] = (), *, pop_limit: int = 100) -> PhraseDecoder:
        """A decoder with the weights from before tuning."""
        settings = PhraseSettings(pop_limit=pop_limit, beam=pop_limit, distortion_limit=5)
        decoder = PhraseDecoder(self.table, [LanguageModel("lm", self.model)], {}, settings, features=templates)
        return decoder.with_weights(decoder.start_weights())


def _texts(source: str, small: bool, pairs: int, bitext: int) -> dict[str, Texts]:
    if small:
        parts = synthetic.pair("en-de").splits(train=300 + bitext, dev=60, test=30, seed=1)
        found = {
            name: ([" ".join(i.source.tokens) for i in items], [" ".join(i.target.tokens) for i in items])
            for name, items in (("train", parts.train), ("val", parts.dev), ("test", parts.test))
        }
    else:
        files = {"train": ("train", ".gz"), "val": ("val", ""), "test": ("test_2016_flickr", "")}
        found = {
            name: (
                list(read_lines(DATA / "multi30k" / f"{stem}.{source}{suffix}")),
                list(read_lines(DATA / "multi30k" / f"{stem}.en{suffix}")),
            )
            for name, (stem, suffix) in files.items()
        }
    order = stream(1, "bitext").permutation(len(found["train"][0])).tolist()
    kept, sampled = order[bitext : bitext + pairs], order[:bitext]
    cut = len(found["val"][0]) * 7 // 10
    both = (0, 1)
    return {
        "train": _pair([found["train"][side][place] for place in sorted(kept)] for side in both),
        "bitext": _pair([found["train"][side][place] for place in sampled] for side in both),
        "dev": _pair(found["val"][side][:cut] for side in both),
        "heldout": _pair(found["val"][side][cut:] for side in both),
        "test": found["test"],
    }


def _pair(sides: Iterable[list[str]]) -> Texts:
    source, target = sides
    return source, target


def system(source: str = "de", *, pairs: int = 27_000, bitext: int = 2000, small: bool = False) -> System:
    """A system from `source` into English; with `small` a synthetic one, in seconds."""
    texts = _texts(source, small, pairs, 60 if small else bitext)
    text = hashlib.blake2b(repr(texts["train"]).encode(), digest_size=16).hexdigest()
    made = StageCache(CACHE).run(
        "system",
        work=lambda folder: _train(texts["train"], folder),
        settings={"text": text, "recipe": _RECIPE},
        rooms=("text", "lm", "align", "grammar", "features"),
    )
    folder = made.path
    parts = json.loads((folder / "parts.json").read_text("utf-8"))
    source_classes, target_classes = map(ClassMap, parts["classes"])
    source_words, target_words = map(tuple, parts["words"])
    return System(
        RuleTable.open(folder / "rules.table"),
        NgramModel.open(folder / "lm.bin"),
        source_classes,
        target_classes,
        (source_words, target_words),
        texts["dev"],
        texts["bitext"],
        texts["heldout"],
        texts["test"],
    )


_RECIPE: dict[str, Any] = {
    "aligner": "joint",
    "reordering": "hier-mslr-bidirectional-fe",
    "order": 4,
    "class_min_count": 2,
    "function_words": 25,
}


def _train(train: Texts, folder: Path) -> None:
    aligner = ALIGNERS.get(_RECIPE["aligner"])()
    aligner.train(*train)
    links = [str(alignment) for alignment in aligner.align(*train, symmetrize="posterior")]
    scoring = Scoring(reordering=ReorderingModel.parse(_RECIPE["reordering"]))
    extract(*train, links, folder / "rules.table", scoring=scoring)
    estimate(train[1], order=_RECIPE["order"]).build().save(folder / "lm.bin")
    classes = [dict(train_classes(side, min_count=_RECIPE["class_min_count"]).classes) for side in train]
    parts = {"classes": classes, "words": [function_words(side, size=_RECIPE["function_words"]) for side in train]}
    (folder / "parts.json").write_text(json.dumps(parts, ensure_ascii=False), "utf-8")
