"""How good is the default recipe on Multi30k, and what do its parts contribute?

    python experiments/multi30k/run.py --out docs/experiments/multi30k

German and French to English, 29,000 pairs tokenised and lower-cased as shipped, tuned on `val`, tested once on
`test_2016_flickr` (BLEU and the others on the same tokens). Each variant changes one thing of the default recipe; `p`
is that of its difference from the default in BLEU (approximate randomisation, two-sided). The simplest tuners stand for
a base line, with the dense features that they can tune: the averaged perceptron, and `coordinate descent`, MERT along
one axis after the other (Och 2003) from one start and without windows. `no templates` is the default without what is
learned on folds of the training text, `templates on dev` learns the same templates on the dev set, by the perceptron or
online, and `no classes` leaves out the language model over word classes. `--variants` names some of them. Seconds are
those of processors, over all threads.

Settings are not chosen on the test set but with `--heldout 2000`, which tests on so many pairs held out of the training
text instead (`FURTHER` are the variants that were tried there); `--pairs 10000` trains on so many pairs only. With
`--small` a synthetic bitext stands in, to see that the script runs; `--cache` is a folder that keeps finished stages
from run to run.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import dragoman
from dragoman.files import read_lines
from dragoman.pipeline.recipe import Recipe
from dragoman.seeds import stream
from dragoman.text import synthetic
from experiments.common import Claim, Table, arguments, dot_plot, grid, record

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data")) / "multi30k"

VARIANTS: dict[str, list[str]] = {
    "default": [],
    "untuned": ["tuner=none"],
    "untuned, no classes": ["tuner=none", "classes=0"],
    "perceptron": ["tuner=perceptron", "templates="],
    "coordinate descent": ["tuner=mert", "tuner_settings=search=kcd,restarts=0,smoothing=none", "templates="],
    "no templates": ["templates="],
    "perceptron, templates on dev": ["tuner=perceptron", "templates=filtered", "fold_pairs=0"],
    "online, templates on dev": ["tuner=online", "templates=filtered", "fold_pairs=0"],
    "no classes": ["classes=0"],
    "no smoothing": ["smoothing=none"],
    "Good-Turing smoothing": ["smoothing=good-turing"],
    "posterior symmetrization": ["symmetrize=posterior"],
    "no lexicalised reordering": ["reordering="],
}
FURTHER: dict[str, list[str]] = {
    "two passes over the folds": ["fold_passes=2"],
    "stronger L1 on the folds": ["fold_settings=l1=0.1"],
    "expected loss on the folds": ["fold_settings=loss=expected"],
    "folds of 5,000 pairs": ["fold_pairs=5000"],
    "more templates": ["templates=filtered,target_ngram:order=2,delete,insert"],
}
SMALL = ["aligner=fast", "order=3", "iterations=2", "search.pop_limit=30", "fold_pairs=200"]
BLEU = "bleu:tokenize=none"
MOSES = {"de": 40.6, "fr": 49.4}
"""BLEU of Moses on the same data (docs/peers.md): sources of February 2025, run on 2026-11-15; batch MIRA on `val`,
fast_align, msd reordering, pop limit 1000."""


@cache
def texts(language: str, small: bool, heldout: int, pairs: int) -> dict[str, tuple[list[str], list[str]]]:
    """Train, dev and test."""
    if small:
        parts = synthetic.pair("en-de").splits(train=300, dev=30, test=30, seed=1 if language == "de" else 2)
        return {
            name: ([" ".join(i.source.tokens) for i in items], [" ".join(i.target.tokens) for i in items])
            for name, items in (("train", parts.train), ("dev", parts.dev), ("test", parts.test))
        }
    files = {"train": ("train", ".gz"), "dev": ("val", ""), "test": ("test_2016_flickr", "")}
    found: dict[str, tuple[list[str], list[str]]] = {
        name: tuple(list(read_lines(DATA / f"{stem}.{code}{suffix}")) for code in (language, "en"))  # type: ignore[misc]
        for name, (stem, suffix) in files.items()
    }
    source, target = found["train"]
    order = stream(1, "heldout").permutation(len(source)).tolist()
    kept = sorted(order[heldout:][: pairs or None])
    found["train"] = [source[row] for row in kept], [target[row] for row in kept]
    if heldout:
        found["test"] = [source[row] for row in order[:heldout]], [target[row] for row in order[:heldout]]
    return found


def main() -> None:
    options = arguments(
        __doc__, out="docs/experiments/multi30k", small=False, variants="", heldout=0, pairs=0, cache=""
    )
    chosen = [name.strip() for name in options.variants.split(";")] if options.variants else list(VARIANTS)
    outputs: dict[str, dict[str, list[str]]] = {"de": {}, "fr": {}}
    with tempfile.TemporaryDirectory() as folder:

        def cell(language: str, variant: str) -> Mapping[str, Any]:
            parts = texts(language, options.small, options.heldout, options.pairs)
            small = SMALL if options.small else []
            recipe = Recipe(tokenized=True).changed([*small, *(VARIANTS | FURTHER)[variant]])
            model = dragoman.train(
                *parts["train"],
                dev=parts["dev"],
                languages=(language, "en"),
                recipe=recipe,
                output=Path(folder) / "model",
                force=True,
                cache=options.cache or Path(folder) / "cache",
            )
            started = time.process_time()
            found = outputs[language][variant] = [each.text for each in model.translate(parts["test"][0])]
            decoded = time.process_time()
            scores = dragoman.score(found, parts["test"][1], [BLEU, "chrf", "ter"])
            bleu, chrf, ter = scores
            assert bleu.low is not None
            assert bleu.high is not None
            return {
                "BLEU": round(bleu.value, 2),
                "95%": f"{bleu.low:.1f}-{bleu.high:.1f}",
                "p": _p_value(outputs[language], variant, parts["test"][1]),
                "chrF": round(chrf.value, 2),
                "TER": round(ter.value, 2),
                "dev BLEU": round([f["dev_bleu"] for f in model.report["stages"].values() if "dev_bleu" in f][-1], 2),
                "train s": round(sum(facts["processor_seconds"] for facts in model.report["stages"].values())),
                "decode s": round(decoded - started, 1),
            }

        table = grid(cell, language=tuple(outputs), variant=chosen)
    claims = [
        Claim(f"{code}-en: the default recipe is at least as good as Moses ({bleu} BLEU)", _reaches(code, bleu))
        for code, bleu in MOSES.items()
        if not (options.heldout or options.pairs)
    ]
    claims += [
        Claim(f"{code}-en: the default recipe is significantly better than {text}", _beats(code, variant))
        for code in outputs
        for variant, text in (
            ("untuned", "no tuning"),
            ("untuned, no classes", "no tuning and no classes"),
            ("perceptron", "the perceptron"),
            ("coordinate descent", "coordinate descent"),
            ("no templates", "MIRA without templates"),
            ("perceptron, templates on dev", "the perceptron with templates"),
            ("online, templates on dev", "online tuning with templates"),
        )
        if variant in chosen
    ]
    plot = dot_plot(table, label=lambda row: f"{row['language']}: {row['variant']}", figure="BLEU")
    record(table, claims, plot=plot, out=options.out, settings=vars(options))


def _p_value(outputs: Mapping[str, list[str]], variant: str, references: list[str]) -> float | str:
    if variant == "default" or "default" not in outputs:
        return ""
    systems = {name: outputs[name] for name in ("default", variant)}
    return next(iter(dragoman.compare(systems, references, BLEU))).pair_p("default", variant)


def _reaches(code: str, bleu: float) -> Callable[[Table], bool]:
    return lambda table: table.mean("BLEU", language=code, variant="default") >= bleu


def _beats(code: str, variant: str) -> Callable[[Table], bool]:
    def holds(table: Table) -> bool:
        default, other = (table.where(language=code, variant=name)[0] for name in ("default", variant))
        return bool(default["BLEU"] > other["BLEU"] and other["p"] < 0.05)

    return holds


if __name__ == "__main__":
    main()
