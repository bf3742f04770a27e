"""File names in running text: should a model learn to translate them, or never see them?

    python experiments/protected/run.py --out docs/experiments/protected

What is protected (`/usr/bin/env`, `~/.profile`) is masked before training and put back after decoding, so that it
arrives as it was; but a mask hides what a language model could have known of the words around it. Decided on training
text alone: of the package descriptions of Debian (English to German and to French) that name files, every second one is
held out and the rest is learned from, with `--pairs` others. Two models for each language, the same in all but the
recipe's `protect`: with the kind `path` and without. Weights are tuned on the dev part (five rounds of the recipe's
tuner, seed 1, no learning on folds).

`kept`: the share of the file names in the held-out segments that the translation has, letter for letter and as often;
`people` is how many of them the human translation has. Its p-value is that of McNemar's test over file names. BLEU and
chrF with p-values of the difference to `with path` (approximate randomisation, two-sided, 10,000 samples), over the
held-out segments.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.evaluation.contingency import mcnemar
from dragoman.files import read_lines
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.train import train
from dragoman.text import synthetic
from dragoman.text.placeholders import KINDS, Finder
from experiments.common import Claim, Row, Table, arguments, dot_plot, grid, publish
from experiments.comparison import LEVEL, compared

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data")) / "debian"
ARMS = {"with path": tuple(KINDS), "without": tuple(kind for kind in KINDS if kind != "path")}
METRICS = {"BLEU": "bleu", "chrF": "chrf"}
Pairs = list[tuple[str, str]]


def files_in(line: str, finder: Finder = Finder(["path"])) -> list[str]:  # noqa: B008 - never changed
    return [line[span.start : span.end] for span in finder.find(line)]


def made_up() -> dict[str, Pairs]:
    """Sentences of the generator, with a file name after every third."""
    items = synthetic.pair("en-de").generate(120, seed=1)
    pairs = [(" ".join(item.source.tokens), " ".join(item.target.tokens)) for item in items]
    named = [tuple(f"{side} /etc/file{at}" for side in pair) if at % 3 == 0 else pair for at, pair in enumerate(pairs)]
    both = [(one, other) for one, other in named]
    return {"train": both[:90], "dev": both[90:105], "test": [pair for pair in both[60:] if files_in(pair[0])]}


def parts_of(language: str, pairs: int) -> dict[str, Pairs]:
    """What is learned from, tuned on and held out."""

    def read(part: str) -> Pairs:
        plain = [DATA / f"en-{language}" / f"{part}.{side}" for side in ("en", language)]
        files = [path if path.exists() else path.with_name(f"{path.name}.gz") for path in plain]
        return list(zip(*map(read_lines, files), strict=True))

    everything = read("train")
    naming = [pair for pair in everything if files_in(pair[0])]
    held = set(naming[::2])
    others = (pair for pair in everything if pair not in held)
    return {"train": list(islice(others, pairs)), "dev": read("dev"), "test": naming[::2]}


class Arms:
    """Models and what they made of held-out segments."""

    def __init__(self, pairs: int, small: bool, folder: Path) -> None:
        self.pairs, self.small, self.folder = pairs, small, folder
        self.found: dict[str, tuple[list[str], list[bool]]] = {}

    def measure(self, language: str, protect: str) -> Mapping[str, Any]:
        parts = made_up() if self.small else parts_of(language, self.pairs)
        fast: dict[str, Any] = {"aligner": "fast", "tuner": "none"} if self.small else {"iterations": 5}
        source, target = ([pair[side] for pair in parts["train"]] for side in (0, 1))
        with tempfile.TemporaryDirectory() as scratch:
            model = train(
                source,
                target,
                output=Path(scratch) / "model",
                dev=([one for one, _ in parts["dev"]], [other for _, other in parts["dev"]]),
                languages=("en", language),
                recipe=Recipe(protect=ARMS[protect], fold_pairs=0, **fast),
                cache=self.folder / "stages",
            )
            made = [each.text for each in model.translate([one for one, _ in parts["test"]])]
        references = [other for _, other in parts["test"]]
        names = [(at, name) for at, (one, _) in enumerate(parts["test"]) for name in files_in(one)]
        asked = [parts["test"][at][0].count(name) for at, name in names]
        kept = [made[at].count(name) == wanted for (at, name), wanted in zip(names, asked, strict=True)]
        people = [references[at].count(name) == wanted for (at, name), wanted in zip(names, asked, strict=True)]
        usual = self.found.setdefault(language, (made, kept))
        row: Row = {
            "learned from": len(source),
            "segments": len(made),
            "files": len(names),
            "people": sum(people) / len(people),
            "kept": sum(kept) / len(kept),
            "p kept": math.nan if usual[0] is made else mcnemar(kept, usual[1]),
        }
        for name, metric in METRICS.items():
            test = compared(metric, [references], [made], [] if usual[0] is made else [usual[0]], name=name)
            row |= {name: test[name], f"p {name}": math.nan if usual[0] is made else test["p"]}
        return row


def claims() -> list[Claim]:
    def rows(t: Table) -> list[tuple[Row, Row]]:
        return list(zip(t.where(protect="with path"), t.where(protect="without"), strict=True))

    return [
        Claim("protected, every file name is kept", lambda t: all(row["kept"] == 1 for row, _ in rows(t))),
        Claim(
            f"more of them than without protection, in both languages (p < {LEVEL})",
            lambda t: all(one["kept"] > other["kept"] and other["p kept"] < LEVEL for one, other in rows(t)),
        ),
        *(
            Claim(
                f"protection does not cost {name}, in either language (p < {LEVEL})",
                lambda t, name=name: all(
                    one[name] >= other[name] or other[f"p {name}"] >= LEVEL for one, other in rows(t)
                ),
            )
            for name in METRICS
        ),
    ]


def main() -> None:
    given = arguments(
        __doc__, out=str(HOME / "docs/experiments/protected"), pairs=15_000, cache="build/protected", small=False
    )
    arms = Arms(given.pairs, given.small, Path(given.cache))
    table = grid(arms.measure, language=["de"] if given.small else ["de", "fr"], protect=list(ARMS))
    publish(
        "File names in running text",
        __doc__,
        {"": (table, claims())},
        pictures={"plot": dot_plot(table, label=lambda row: f"{row['language']}, {row['protect']}", figure="kept")},
        out=given.out,
        settings=vars(given),
    )


if __name__ == "__main__":
    main()
