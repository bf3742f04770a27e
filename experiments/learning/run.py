"""Learning from corrections: a translator works through documents, and the model learns from every sentence.

    python experiments/learning/run.py --out docs/experiments/learning

Package descriptions of Debian are translated from English into German in the order of their packages, as a translator
would do it: a paragraph is translated, its reference takes the place of what the translator made of it, and the model
may learn from the pair before the next one comes. `static` never learns; `phrases` adds the phrases of each pair to the
layer over its table; `phrases and cache` expects the words of the pair as well, by a cache language model (Kuhn and De
Mori 1990). BLEU, TER and `p` (approximate randomization on BLEU, against `static`) are of the translations that were
made before their references were seen. `saved` is the share of keys that a translator saves who types the first `typed`
references with completions, letter by letter, and `p saved` that of a Wilcoxon test over sentences, against `static`;
`word` is the share of words that are predicted. `learn ms` and `complete ms` are medians of processor time for one
pair, and for one completion.

With `--small` a synthetic text stands in.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from scipy.stats import wilcoxon

import dragoman
from dragoman.files import read_lines
from dragoman.pipeline.interactive import Completions, complete
from dragoman.pipeline.learned import LearnedLayer
from dragoman.pipeline.model import Model
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.simulated_user import Keystrokes, type_sentence
from dragoman.text import synthetic
from experiments.common import Claim, Table, arguments, dot_plot, publish

DATA = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent.parent / "shared" / "data"))
SYSTEMS = {"static": None, "phrases": 0.0, "phrases and cache": 0.3}
"""What each learns: nothing, or with this share of the cache."""


def texts(options: Any) -> dict[str, tuple[list[str], list[str]]]:
    """Training, dev and test pairs."""
    if options.small:
        parts = synthetic.pair("en-de").splits(train=250, dev=40, test=12, seed=1)
        return {
            name: ([item.source.text for item in items], [item.target.text for item in items])
            for name, items in (("train", parts.train), ("dev", parts.dev), ("test", parts.test))
        }
    folder = DATA / "debian" / "en-de"

    def sides(part: str, size: int, ending: str = "") -> tuple[list[str], list[str]]:
        return (
            list(read_lines(folder / f"{part}.en{ending}"))[:size],
            list(read_lines(folder / f"{part}.de{ending}"))[:size],
        )

    return {
        "train": sides("train", options.train, ".gz"),
        "dev": sides("dev", 300),
        "test": sides("test", options.test),
    }


def work_through(model: Model, sources: list[str], references: list[str], share: float | None, typed: int) -> Any:
    """Translate, learn, go on; then the same once more with keys."""

    def begin() -> tuple[Model, Callable[[str, str], object] | None]:
        if share is None:
            return model, None
        layer = LearnedLayer(model, keep=False, cache_share=share)
        return layer.model, layer.learn

    current, learn = begin()
    made, learning = [], []
    for source, reference in zip(sources, references, strict=True):
        made.append(current.translate(source, threads=1).text)
        started = time.process_time()
        if learn is not None:
            learn(source, reference)
        learning.append(1000 * (time.process_time() - started))
    current, learn = begin()
    keys, ratios, times = Keystrokes(), [], []

    def helped(source: str, prefix: str) -> Completions:
        started = time.process_time()
        found = complete(current, source, prefix, limit=1)
        times.append(1000 * (time.process_time() - started))
        return found

    for source, reference in zip(sources[:typed], references[:typed], strict=True):
        one = type_sentence(source, reference, helped)
        ratios.append(one.ratio)
        keys += one
        if learn is not None:
            learn(source, reference)
    return made, keys, ratios, statistics.median(learning), statistics.median(times)


def main() -> None:
    options = arguments(__doc__, out="docs/experiments/learning", small=False, train=8000, test=400, typed=60)
    if options.small:
        options.typed = 2
    parts = texts(options)
    recipe = Recipe(keep_aligner=True, aligner="fast", tuner="none" if options.small else "mira", order=3)
    sources, references = parts["test"]
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        model = dragoman.train(
            *parts["train"], dev=parts["dev"], output=Path(folder) / "en-de", languages=("en", "de"), recipe=recipe
        )
        for name, share in SYSTEMS.items():
            found[name] = work_through(model, sources, references, share, options.typed)
            print(name, found[name][1].saved, flush=True)
    outputs = {name: each[0] for name, each in found.items()}
    bleu = next(iter(dragoman.compare(outputs, [references], ["bleu"], baseline="static")))
    rows = []
    for name, (made, keys, ratios, learning, completing) in found.items():
        scores = {each.metric: each.value for each in dragoman.score(made, [references], ["bleu", "ter"])}
        other = name != "static"
        differs = other and ratios != found["static"][2]
        rows.append(
            {
                "system": name,
                "BLEU": scores["bleu"],
                "TER": scores["ter"],
                "p": bleu.pair_p("static", name) if other else float("nan"),
                "saved": keys.saved,
                "p saved": float(wilcoxon(ratios, found["static"][2]).pvalue) if differs else float("nan"),
                "word": keys.word_accuracy,
                "learn ms": learning,
                "complete ms": completing,
            }
        )
        print(rows[-1], flush=True)
    table = Table(("system",), tuple(rows))

    def better(figure: str, p: str, name: str) -> Callable[[Table], bool]:
        def holds(t: Table) -> bool:
            return t.mean(figure, system=name) > t.mean(figure, system="static") and t.mean(p, system=name) < 0.05

        return holds

    claims = [
        Claim("a model that learns phrases translates better than a static one", better("BLEU", "p", "phrases")),
        Claim("one with a cache does, too", better("BLEU", "p", "phrases and cache")),
        Claim("learning saves more keys than a static model", better("saved", "p saved", "phrases and cache")),
        Claim(
            "a pair is learned within 200 milliseconds",
            lambda t: all(row["learn ms"] < 200 for row in t.rows),
        ),
    ]
    publish(
        "Learning from corrections",
        __doc__,
        {"": (table, claims)},
        pictures={"plot": dot_plot(table, label=lambda row: row["system"], figure="BLEU")},
        out=options.out,
        settings={name: value for name, value in vars(options).items() if name != "out"},
    )


if __name__ == "__main__":
    main()
