"""What phrase-based search costs, and what it finds: cubes and stacks, features in Python, language models, confidence.

    python experiments/p24_search/run.py --out docs/experiments/p24

Green, Cer and Manning (2014) decode by cube pruning with 1,200 pops, call features in batches, and report that language
models take more than half of the time. One system translates Multi30k German to English (29,000 pairs, `val`,
`test_2016_flickr`, tokenised as shipped), one English to German package descriptions of Debian (31,902 pairs, raw),
one a synthetic verb-final pair (8,000 pairs, dev and test of 500). All have dense features only and are tuned by batch
MIRA (seed 1) for `--iterations` rounds with `--pops` pops; the aligner is `--aligner`, everything else the default
recipe. On the first `--segments` segments of the test set, with one thread and processor time:

- *pops*: mean model score by pop limit, and the share of segments whose score is that of the greatest limit;
- *stacks*: the same filled exhaustively, by the number of partial translations built;
- *language model*: its share of the time by the decoder's own clock (`share`, the middle one of three runs); what a
  second copy of it, which weighs nothing, adds to the time (`second copy`: it is asked all that the first is, and finds
  all of it in the caches); and queries times the cost of one when text is scored in one batch, nothing remembered
  (`in a batch`);
- *Python*: time with a feature in Python that always says 0, as multiple of the time without, and whether outputs are
  equal: one of rules, one with a state, and three that see the partial translation: what it covers, the phrase before,
  or all phrases before (which keep partial translations apart that were one otherwise, so that more is searched); the
  best of three runs each;
- *confidence*: fitted on the dev set, measured on the whole test set: expected calibration error, and the share of
  wrong words among the least confident fifth (a random fifth has a fifth of them).
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Hashable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from dragoman.charts import line_plot
from dragoman.features.base import Fire, Option, RuleFeature, SourceSentence, StateFeature
from dragoman.features.extension import Extension, ExtensionFeature
from dragoman.features.language_model import LanguageModel
from dragoman.pipeline.confidence import calibrate, measure, reliability_plot
from dragoman.pipeline.model import Model
from dragoman.pipeline.tune import prepared_dev
from dragoman.search.phrase import PhraseDecoder
from dragoman.search.translation import SentenceTranslation
from experiments.common import Claim, Table, publish
from experiments.recipes import DENSE, Systems, names_of, system_arguments

NAMES = ("multi30k de-en", "debian en-de", "verb-final")
POPS = (50, 100, 200, 400, 1200, 5000)


class Nothing(RuleFeature):
    """A feature of rules that is always 0."""

    def rule(self, sentence: SourceSentence, option: Option, fire: Fire) -> None:
        fire("nothing", 0.0)


class NoState(StateFeature):
    """A feature with a state that is always 0."""

    def start(self, sentence: SourceSentence) -> Hashable:
        return 0

    def extend(self, state: Hashable, option: Option, fire: Fire) -> Hashable:
        fire("nothing", 0.0)
        return 0


class Sees(ExtensionFeature):
    """A feature that may look at something of the partial translation, and is always 0."""

    def __init__(self, what: str) -> None:
        self.sees = frozenset({what})  # type: ignore[misc]

    def step(self, extension: Extension, fire: Fire) -> None:
        fire("nothing", 0.0)


def timed(decoder: Any, lines: list[Any]) -> tuple[list[SentenceTranslation], float]:
    """Translations, and processor seconds."""
    started = time.process_time()
    found = decoder.translate(lines, threads=1)
    return found, time.process_time() - started


def score(found: list[SentenceTranslation]) -> float:
    return float(np.mean([each.score for each in found]))


def built(found: list[SentenceTranslation]) -> float:
    return float(np.mean([each.statistics["built"] for each in found]))


def by_pops(model: Model, lines: list[Any], pops: tuple[int, ...]) -> list[dict[str, Any]]:
    """A row for each limit, and one for stacks."""
    rows, runs = [], {}
    for limit in pops:
        runs[limit] = timed(model.decoder.with_settings(pop_limit=limit, beam=limit), lines)
    best = [each.score for each in runs[pops[-1]][0]]
    for limit, (found, seconds) in runs.items():
        same = np.mean([one.score >= other - 1e-6 for one, other in zip(found, best, strict=True)])
        rows.append(
            {
                "search": f"cube {limit}",
                "score": score(found),
                "built": built(found),
                "as 5000": float(same),
                "seconds": seconds,
            }
        )
    for beam in (50, 200):
        found, seconds = timed(model.decoder.with_settings(search="stack", beam=beam), lines)
        same = np.mean([one.score >= other - 1e-6 for one, other in zip(found, best, strict=True)])
        rows.append(
            {
                "search": f"stack {beam}",
                "score": score(found),
                "built": built(found),
                "as 5000": float(same),
                "seconds": seconds,
            }
        )
    return rows


def by_features(model: Model, lines: list[Any], text: list[str]) -> dict[str, Any]:
    """Language models and features in Python."""
    decoder = model.decoder
    assert isinstance(decoder, PhraseDecoder)
    plains = [timed(decoder, lines) for _ in range(3)]
    plain, once = plains[0][0], min(taken for _, taken in plains)
    shares = [sum(each.language_model_seconds for each in found) / taken for found, taken in plains]
    queries = sum(each.statistics["language_model_queries"] for each in plain)
    use = decoder.language_models[0].model
    started = time.process_time()
    use.score(text, threads=1)
    per_query = (time.process_time() - started) / sum(len(line.split()) + 1 for line in text)
    again = [*decoder.language_models, LanguageModel("lm_again", use)]
    twice = PhraseDecoder(decoder.table, again, decoder.weights, decoder.settings, features=decoder.features)
    both = min(timed(twice, lines)[1] for _ in range(3))
    row: dict[str, Any] = {
        "seconds": once,
        "queries": queries,
        "share": statistics.median(shares),
        "second copy": both / once - 1,
        "in a batch": queries * per_query / once,
    }
    features: dict[str, RuleFeature | StateFeature] = {"rule": Nothing(), "state": NoState()}
    features |= {what: Sees(what) for what in ("coverage", "previous", "all")}
    for name, feature in features.items():
        asked = decoder.with_features([*decoder.features, feature], decoder.weights)
        runs = [timed(asked, lines) for _ in range(3)]
        other = runs[0][0]
        row[f"Python {name}"] = min(taken for _, taken in runs) / once
        row[f"same with {name}"] = [each.target for each in other] == [each.target for each in plain]
    return row


def main() -> None:
    options = system_arguments(__doc__, out="docs/experiments/p24", segments=200)
    names = names_of(options.sets, NAMES[:1] if options.small else NAMES)
    pops = (20, 50, 200) if options.small else POPS
    searches, costs, sure = [], [], []
    pictures = {}
    with Systems(options) as systems:
        for number, name in enumerate(names):
            parts = systems.texts(name)
            recipe = (f"search.pop_limit={options.pops}", f"iterations={options.iterations}")
            model = systems.model(name, recipe)
            size = 20 if options.small else options.segments
            lines, _ = prepared_dev(model, parts["test"][0][:size], [parts["test"][1][:size]])
            searches += [{"set": name, **row} for row in by_pops(model, lines, pops)]
            print(*searches[-len(pops) - 2 :], sep="\n", flush=True)
            costs.append({"set": name, **by_features(model, lines, parts["train"][1][:2000])})
            print(costs[-1], flush=True)
            fitted = model.with_confidence(calibrate(model, *parts["dev"]))
            measured = measure(fitted, *parts["test"])
            pictures[f"confidence-{number}"] = reliability_plot(measured)
            sure.append(
                {
                    "set": name,
                    "right": measured.right,
                    "calibration error": measured.error,
                    "found in 20 %": measured.found,
                }
            )
            print(sure[-1], flush=True)
            write(
                Table(("set", "search"), tuple(searches)),
                Table(("set",), tuple(costs)),
                Table(("set",), tuple(sure)),
                pictures,
                options,
                pops,
            )


def write(
    searches: Table, costs: Table, sure: Table, pictures: dict[str, Any], options: Any, pops: tuple[int, ...]
) -> None:
    """The page so far."""
    last = f"cube {pops[-1]}"
    names = [row["set"] for row in costs.rows]

    def grows(name: str) -> Any:
        def holds(table: Table) -> bool:
            scores = [table.mean("score", set=name, search=f"cube {limit}") for limit in pops]
            return all(one <= other + 1e-9 for one, other in pairwise(scores))

        return holds

    def saves(name: str) -> Any:
        def holds(table: Table) -> bool:
            stack = table.where(set=name, search="stack 200")[0]
            cubes = [row for row in table.where(set=name) if row["search"].startswith("cube")]
            enough = [row for row in cubes if row["score"] >= stack["score"] - 1e-9]
            return bool(enough) and min(row["built"] for row in enough) <= stack["built"] / 3

        return holds

    def scores(name: str) -> Sequence[Claim]:
        return (
            Claim(f"{name}: more pops never score worse on average", grows(name)),
            Claim(
                f"{name}: with {pops[-2]} pops 99 % of segments score as with {pops[-1]}",
                lambda t: t.mean("as 5000", set=name, search=f"cube {pops[-2]}") >= 0.99,
            ),
            Claim(f"{name}: cubes score as stacks of 200 with a third of what these build", saves(name)),
        )

    def prices(name: str) -> Sequence[Claim]:
        return (
            Claim(
                f"{name}: features in Python that say 0 change nothing",
                lambda t: all(t.where(set=name)[0][f"same with {k}"] for k in ("rule", "state", "coverage")),
            ),
            Claim(
                f"{name}: and cost less than as much again",
                lambda t: t.mean("Python rule", set=name) < 2 and t.mean("Python state", set=name) < 2,
            ),
            Claim(
                f"{name}: the language model takes half of the time or more",
                lambda t: t.mean("share", set=name) >= 0.5,
            ),
        )

    claims = [claim for name in names for claim in scores(name)]
    cheap = [claim for name in names for claim in prices(name)]
    curves = line_plot(
        {
            name: [
                (
                    limit,
                    searches.mean("score", set=name, search=f"cube {limit}")
                    - searches.mean("score", set=name, search=last),
                )
                for limit in pops
            ]
            for name in names
        },
        title="model score by pop limit",
        x_name="pops",
        y_name=f"score, compared with {pops[-1]} pops",
    )
    publish(
        "What phrase-based search costs",
        __doc__,
        {"Cubes and stacks": (searches, claims), "Features": (costs, cheap), "Confidence": (sure, [])},
        pictures={"plot": curves, **pictures},
        out=options.out,
        settings={**vars(options), "dense": DENSE},
    )


if __name__ == "__main__":
    main()
