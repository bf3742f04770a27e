"""Learning from corrections: a translator works through documents, and the model learns from every sentence.

    python experiments/learning/run.py --out docs/experiments/learning

Package descriptions of Debian are translated from English into German in the order of their packages, as a translator
would do it: a paragraph is translated, its reference takes the place of what the translator made of it, and the model
may learn from the pair before the next one comes. `static` never learns; `phrases` adds the phrases of each pair to the
layer over its table; a `cache` expects the words of the pair as well, by a cache language model (Kuhn and De Mori 1990)
with a share of so much in the probability of a word; with `weights`, these move by a small step, too. How large the
share should be is asked on the development part (behind the paragraphs that weights were tuned on); the test part
compares nothing but the default with less.

BLEU, TER, `p BLEU` and `p TER` (approximate randomization against `static`) are of the translations that were made
before their references were seen. `saved` is the share of keys that a translator saves who types the first `typed`
references with completions, letter by letter, and `p saved` that of a Wilcoxon test over sentences, against `static`;
`word` is the share of words that are predicted. `learn ms` and `complete ms` are processor time for one pair and for
one completion, as medians, and `learn ms, 99%` for all pairs but one in a hundred.

With `--small` a synthetic text stands in. `--cache FOLDER` keeps the trained model for another run.
"""

from __future__ import annotations

import math
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

Pairs = tuple[list[str], list[str]]
TUNED = 300
"""Paragraphs of the development part that weights are tuned on."""
DATA = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent.parent / "shared" / "data"))
SHARE = 0.3
"""The default share of the cache."""
SYSTEMS: dict[str, dict[str, Any] | None] = {
    "static": None,
    "phrases": {"cache_share": 0.0},
    f"phrases and cache {SHARE}": {"cache_share": SHARE},
}
"""What each learns: nothing, or with these settings of the layer."""
TRIED = SYSTEMS | {
    "phrases and cache 0.1": {"cache_share": 0.1},
    "phrases and cache 0.5": {"cache_share": 0.5},
    f"phrases, cache {SHARE} and weights": {"cache_share": SHARE, "step": 0.001},
}
DEFAULT = f"phrases and cache {SHARE}"


def texts(options: Any) -> dict[str, tuple[list[str], list[str]]]:
    """Training, dev and test pairs."""
    if options.small:
        parts = synthetic.pair("en-de").splits(train=250, dev=40, test=12, seed=1)
        made = {"train": parts.train, "dev": parts.dev, "choose": parts.dev[:12], "test": parts.test}
        return {
            name: ([item.source.text for item in items], [item.target.text for item in items])
            for name, items in made.items()
        }
    folder = DATA / "debian" / "en-de"

    def sides(part: str, size: int, *, after: int = 0, ending: str = "") -> tuple[list[str], list[str]]:
        return (
            list(read_lines(folder / f"{part}.en{ending}"))[after : after + size],
            list(read_lines(folder / f"{part}.de{ending}"))[after : after + size],
        )

    return {
        "train": sides("train", options.train, ending=".gz"),
        "dev": sides("dev", TUNED),
        "choose": sides("dev", options.choose, after=TUNED),
        "test": sides("test", options.test),
    }


class Desk:
    """A model at work: it translates, and learns what it is told, if it does."""

    def __init__(self, model: Model, settings: dict[str, Any] | None) -> None:
        self._model = model
        self._layer = None if settings is None else LearnedLayer(model, keep=False, **settings)

    @property
    def model(self) -> Model:
        return self._model if self._layer is None else self._layer.model

    def learn(self, source: str, target: str) -> None:
        if self._layer is not None:
            self._layer.learn(source, target)


def milliseconds(work: Callable[[], Any], kept: list[float]) -> Any:
    started = time.process_time()
    made = work()
    kept.append(1000 * (time.process_time() - started))
    return made


def work_through(model: Model, settings: dict[str, float] | None, pairs: Pairs) -> tuple[list[str], list[float]]:
    """What was translated before its reference was seen, and how long learning took."""
    desk, made, times = Desk(model, settings), [], list[float]()
    for source, reference in zip(*pairs, strict=True):
        made.append(desk.model.translate(source, threads=1).text)
        milliseconds(lambda s=source, r=reference: desk.learn(s, r), times)  # type: ignore[misc]
    return made, times


def type_through(
    model: Model, settings: dict[str, float] | None, pairs: Pairs
) -> tuple[Keystrokes, list[float], list[float]]:
    """Keys of a translator with completions, in all and by sentence, and how long completions took."""
    desk, keys, ratios, times = Desk(model, settings), Keystrokes(), list[float](), list[float]()

    def helped(source: str, prefix: str) -> Completions:
        found: Completions = milliseconds(lambda: complete(desk.model, source, prefix, limit=1), times)
        return found

    for source, reference in zip(*pairs, strict=True):
        one = type_sentence(source, reference, helped)
        ratios.append(one.ratio)
        keys += one
        desk.learn(source, reference)
    return keys, ratios, times


def compared(
    model: Model, systems: dict[str, dict[str, float] | None], pairs: Pairs, typed: int
) -> list[dict[str, Any]]:
    """A row for each system; the first is the baseline."""
    worked, helped = {}, {}
    for name, settings in systems.items():
        worked[name] = work_through(model, settings, pairs)
        if typed:
            helped[name] = type_through(model, settings, (pairs[0][:typed], pairs[1][:typed]))
        print(name, "done", flush=True)
    outputs = {name: each[0] for name, each in worked.items()}
    both = dragoman.compare(outputs, [pairs[1]], ["bleu", "ter"], baseline="static")
    tests = dict(zip(("bleu", "ter"), both, strict=True))
    rows = []
    for name, (made, learning) in worked.items():
        other = name != "static"
        scores = {each.metric: each.value for each in dragoman.score(made, [pairs[1]], ["bleu", "ter"])}
        row: dict[str, Any] = {"system": name, "paragraphs": len(made)}
        for metric in ("bleu", "ter"):
            row[metric.upper()] = scores[metric]
            row[f"p {metric.upper()}"] = tests[metric].pair_p("static", name) if other else math.nan
        row["learn ms"] = statistics.median(learning) if other else math.nan
        row["learn ms, 99%"] = statistics.quantiles(learning, n=100)[98] if other else math.nan
        if typed:
            keys, ratios, times = helped[name]
            differs = other and ratios != helped["static"][1]
            row |= {
                "typed": len(ratios),
                "saved": 100 * keys.saved,
                "p saved": float(wilcoxon(ratios, helped["static"][1]).pvalue) if differs else math.nan,
                "word": 100 * keys.word_accuracy,
                "complete ms": statistics.median(times),
            }
        rows.append(row)
        print(row, flush=True)
    return rows


def better(figure: str, sign: int, name: str) -> Callable[[Table], bool]:
    """Whether a system is better than the static one, where more (1) or less (-1) is better, and not by chance."""

    def holds(t: Table) -> bool:
        gain = sign * (t.mean(figure, system=name) - t.mean(figure, system="static"))
        return gain > 0 and t.mean(f"p {figure}", system=name) < 0.05

    return holds


CLAIMS = [
    Claim("a model that learns phrases translates better than a static one (BLEU)", better("BLEU", 1, "phrases")),
    Claim("a model that learns phrases translates better than a static one (TER)", better("TER", -1, "phrases")),
    Claim("with a cache, as the default is, it is better than a static one (BLEU)", better("BLEU", 1, DEFAULT)),
    Claim("with a cache, as the default is, it is better than a static one (TER)", better("TER", -1, DEFAULT)),
    Claim("learning saves more keys than a static model", better("saved", 1, DEFAULT)),
    Claim(
        "a pair is learned within 200 milliseconds, for 99 of 100",
        lambda t: all(row["learn ms, 99%"] < 200 for row in t.rows if row["system"] != "static"),
    ),
]


def main() -> None:
    options = arguments(
        __doc__,
        out="docs/experiments/learning",
        cache="",
        small=False,
        train=8000,
        choose=200,
        test=500,
        typed=40,
    )
    if options.small:
        options.typed = 2
    parts = texts(options)
    recipe = Recipe(keep_aligner=True, aligner="fast", tuner="none" if options.small else "mira", order=3)
    with tempfile.TemporaryDirectory() as place:
        model = dragoman.train(
            *parts["train"],
            dev=parts["dev"],
            output=Path(place) / "en-de",
            languages=("en", "de"),
            recipe=recipe,
            cache=options.cache or None,
        )
        tried = Table(("system",), tuple(compared(model, TRIED, parts["choose"], 0)))
        found = Table(("system",), tuple(compared(model, SYSTEMS, parts["test"], options.typed)))
    publish(
        "Learning from corrections",
        __doc__,
        {
            "Which share of the cache, development part": (
                tried,
                [
                    Claim(
                        "the default share is the best, or within half a point of it (BLEU)",
                        lambda t: t.mean("BLEU", system=DEFAULT) > max(row["BLEU"] for row in t.rows) - 0.5,
                    )
                ],
            ),
            "Work and keys, test part": (found, CLAIMS),
        },
        pictures={"plot": dot_plot(found, label=lambda row: row["system"], figure="BLEU")},
        out=options.out,
        settings={name: value for name, value in vars(options).items() if name not in ("out", "cache")},
    )


if __name__ == "__main__":
    main()
