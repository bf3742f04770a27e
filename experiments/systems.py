"""Phrase-based systems for experiments on tuning: trained once from Multi30k, or from a synthetic bitext, and kept.

Texts are tokenised and lower-cased as shipped. `val` is cut in two: `dev` to tune on, `heldout` to choose by;
`test_2016_flickr` is reported. `bitext` is sampled from the training text before alignment, for those who tune on that.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dragoman.align import ALIGNERS
from dragoman.cache import StageCache
from dragoman.features import preset
from dragoman.features.frequencies import function_words
from dragoman.features.template import Domains, Template
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
from dragoman.text.selection import select_lines
from dragoman.text.source_text import Source, SourceText
from dragoman.text.tokenizer import Tokenizer

HOME = Path(__file__).parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data"))
CACHE = HOME / "build" / "experiments"

Texts = tuple[list[str], list[str]]
DOMAINS = ("software", "captions")
"""Of English to German; the first is the default, the other has marks on its rules."""


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
    key: str = ""
    """Stands for all that it was trained from and by."""
    others: Mapping[str, list[list[str]]] = field(default_factory=dict, repr=False)
    """Further references of `dev`, `heldout` and `test`."""
    labels: Mapping[str, list[str]] = field(default_factory=dict, repr=False)
    """The domain of each sentence of these, where sentences have one."""

    def texts(self, part: str) -> tuple[list[Source], list[list[str]]]:
        """The source of a part, with domains if it has any, and all its references."""
        source, target = getattr(self, part)
        labels = self.labels.get(part, [])
        known: list[Source] = [SourceText(*pair) for pair in zip(source, labels, strict=True)] if labels else source
        return known, [target, *self.others.get(part, ())]

    def limited(self, dev: int, tested: int) -> System:
        """The same system with so many sentences to tune on, and to choose by and report on.

        Where `dev` does not suffice, text of the training kind follows it.
        """
        tuning = self.dev[0] + self.bitext[0], self.dev[1] + self.bitext[1]
        sizes = {"dev": dev, "heldout": tested, "test": tested}
        return replace(
            self,
            dev=first(tuning, dev),
            heldout=first(self.heldout, tested),
            test=first(self.test, tested),
            others={part: [each[: sizes[part]] for each in lists] for part, lists in self.others.items()},
            labels={part: names[: sizes[part]] for part, names in self.labels.items()},
        )

    def templates(self, name: str, *, min_count: int = 10) -> list[Template]:
        """Templates of a preset; none for `dense`, all but one for `extended - jump`."""
        if name == "dense":
            return []
        name, _, dropped = name.partition(" - ")
        found = preset(
            name,
            source_classes=self.source_classes,
            target_classes=self.target_classes,
            function_words=self.words,
            min_count=min_count,
            domains=Domains(DOMAINS) if self.labels else None,
        )
        return [template for template in found if template.name != dropped]

    def decoder(self, templates: Sequence[Template] = (), *, pop_limit: int = 100) -> PhraseDecoder:
        """A decoder with the weights from before tuning."""
        settings = PhraseSettings(pop_limit=pop_limit, beam=pop_limit, distortion_limit=5)
        decoder = PhraseDecoder(self.table, [LanguageModel("lm", self.model)], {}, settings, features=templates)
        return decoder.with_weights(decoder.start_weights())


def first(texts: Texts, size: int) -> Texts:
    """The first so many pairs."""
    return texts[0][:size], texts[1][:size]


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


def system(
    source: str = "de", *, pairs: int = 27_000, bitext: int = 2000, small: bool = False, cache: Path | str = CACHE
) -> System:
    """A system from `source` into English; with `small` a synthetic one, in seconds."""
    return _made(_texts(source, small, pairs, 60 if small else bitext), cache)


def urdu(*, small: bool = False, cache: Path | str = CACHE) -> System:
    """A system from Urdu into lower-cased English, with four references in `dev`, `heldout` and `test`.

    It has little to learn from: a dictionary, and the `devtest` sentences with each of their translations; for the
    language model there is more. Segments that lack a translation are left out. The first 500 of `dev` are to tune
    on, the others to choose by.
    """
    if small:
        made = system(small=True, cache=cache)
        others = {part: [made.texts(part)[1][0]] * 3 for part in ("dev", "heldout", "test")}
        return replace(made, others=others)
    folder = DATA / "indian" / "ur-en"

    def lines(name: str) -> list[str]:
        return [line.lower() for line in read_lines(folder / name)]

    def complete(part: str) -> tuple[list[str], list[list[str]]]:
        columns = [lines(f"{part}.ur"), *(lines(f"{part}.en.{number}") for number in range(4))]
        kept = [row for row in zip(*columns, strict=True) if all(row)]
        return [row[0] for row in kept], [[row[number] for row in kept] for number in range(1, 5)]

    source, references = lines("devtest.ur"), [lines(f"devtest.en.{number}") for number in range(4)]
    pairs = [pair for reference in references for pair in zip(source, reference, strict=True) if all(pair)]
    train = (
        lines("dict.ur.gz") + [one for one, _ in pairs],
        lines("dict.en.gz") + [other for _, other in pairs],
    )
    (dev, dev_references), (test, test_references) = complete("dev"), complete("test")
    cut = 500
    parts: dict[str, Texts] = {
        "train": train,
        "bitext": ([], []),
        "dev": (dev[:cut], dev_references[0][:cut]),
        "heldout": (dev[cut:], dev_references[0][cut:]),
        "test": (test, test_references[0]),
    }
    others = {
        "dev": [each[:cut] for each in dev_references[1:]],
        "heldout": [each[cut:] for each in dev_references[1:]],
        "test": test_references[1:],
    }
    made = _made(parts, cache, model_text=[*lines("lm.en.gz"), *(other for _, other in pairs)])
    return replace(made, others=others)


def english_german(*, small: bool = False, cache: Path | str = CACHE) -> dict[str, System]:
    """One system from English into German for two domains: with the texts of each, of `both`, and of both `marked`.

    Captions are those of Multi30k, software is described in Debian, tokenised here; all is lower-cased. In `marked`,
    rules that were learned from what is selected for captions (20 times as many lines as their `dev`, by feature decay)
    have marks for that domain, and sentences say theirs, as in Green, Cer and Manning (2014).
    """
    kinds = {"captions": _captions(small), "software": _software(small)}
    parts = ("dev", "heldout", "test")

    def joined(part: str, names: Sequence[str]) -> Texts:
        return _pair([line for name in names for line in kinds[name][part][side]] for side in (0, 1))

    train = joined("train", DOMAINS)
    names = {**{name: (name,) for name in DOMAINS}, "both": DOMAINS}
    texts = {
        key: {"train": train, "bitext": ([], []), **{part: joined(part, of) for part in parts}}
        for key, of in names.items()
    }
    found = {key: _made(each, cache) for key, each in texts.items()}
    wanted = kinds["captions"]["dev"][0]
    chosen = select_lines(train[0], wanted, size=20 * len(wanted)).lines
    labels = {part: [name for name in DOMAINS for _ in kinds[name][part][0]] for part in parts}
    marked = _made(texts["both"], cache, marked={"captions": sorted(chosen)})
    return {**found, "marked": replace(marked, labels=labels)}


def _captions(small: bool) -> dict[str, Texts]:
    """English and German captions: 15,000 to train on, 400 of `val` to tune on and 200 to choose by."""
    if small:
        return _made_up("en-de", 1)
    folder = DATA / "multi30k"
    train, val, test = (
        _pair(list(read_lines(folder / name.format(side))) for side in ("en", "de"))
        for name in ("train.{}.gz", "val.{}", "test_2016_flickr.{}")
    )
    heldout = val[0][400:600], val[1][400:600]
    return {"train": first(train, 15_000), "dev": first(val, 400), "heldout": heldout, "test": test}


def _software(small: bool) -> dict[str, Texts]:
    """Package descriptions: all to train on, 400 and 200 as for captions, and the first 1,000 of `test`."""
    if small:
        return _made_up("en-de", 2)

    def lines(name: str, side: str) -> list[str]:
        raw = list(read_lines(DATA / "debian" / "en-de" / name.format(side)))
        return [" ".join(tokens).lower() for tokens in Tokenizer(side).tokenize(raw)]

    train, dev, test = (
        _pair(lines(name, side) for side in ("en", "de")) for name in ("train.{}.gz", "dev.{}", "test.{}")
    )
    heldout = dev[0][400:600], dev[1][400:600]
    return {"train": train, "dev": first(dev, 400), "heldout": heldout, "test": first(test, 1000)}


def _made_up(pair: str, seed: int) -> dict[str, Texts]:
    parts = synthetic.pair(pair).splits(train=200, dev=40, test=30, seed=seed)
    train, dev, test = (
        _pair([" ".join(getattr(item, side).tokens) for item in items] for side in ("source", "target"))
        for items in (parts.train, parts.dev, parts.test)
    )
    return {"train": train, "dev": first(dev, 30), "heldout": (dev[0][30:], dev[1][30:]), "test": test}


def _made(
    texts: Mapping[str, Texts],
    cache: Path | str,
    *,
    model_text: Sequence[str] = (),
    marked: Mapping[str, Sequence[int]] | None = None,
) -> System:
    """The system of these texts, trained unless it is there; `model_text` is for the language model, if not `train`.

    `marked` are lines of domains for which their rules have marks.
    """
    told = (texts["train"], model_text, marked) if model_text or marked else texts["train"]
    text = hashlib.blake2b(repr(told).encode(), digest_size=16).hexdigest()
    made = StageCache(cache).run(
        "system",
        work=lambda folder: _train(texts["train"], model_text or texts["train"][1], marked, folder),
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
        key=made.key,
    )


_RECIPE: dict[str, Any] = {
    "aligner": "joint",
    "reordering": "hier-mslr-bidirectional-fe",
    "order": 4,
    "class_min_count": 2,
    "function_words": 25,
}


def _train(train: Texts, model_text: Sequence[str], marked: Mapping[str, Sequence[int]] | None, folder: Path) -> None:
    aligner = ALIGNERS.get(_RECIPE["aligner"])()
    aligner.train(*train)
    links = [str(alignment) for alignment in aligner.align(*train, symmetrize="posterior")]
    scoring = Scoring(reordering=ReorderingModel.parse(_RECIPE["reordering"]))
    extract(*train, links, folder / "rules.table", scoring=scoring, domains=marked)
    estimate(model_text, order=_RECIPE["order"]).build().save(folder / "lm.bin")
    classes = [dict(train_classes(side, min_count=_RECIPE["class_min_count"]).classes) for side in train]
    parts = {"classes": classes, "words": [function_words(side, size=_RECIPE["function_words"]) for side in train]}
    (folder / "parts.json").write_text(json.dumps(parts, ensure_ascii=False), "utf-8")
