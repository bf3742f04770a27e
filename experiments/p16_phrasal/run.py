"""Phrases and their order: models of orientation, phrases with gaps, and distortion that looks ahead.

    python experiments/p16_phrasal/run.py --out docs/experiments/p16 --seeds 3

Cer, Galley, Jurafsky and Manning (2010) report that a hierarchical model of orientation (Galley and Manning 2008) is
worth more than the word-based one of Moses, and offer phrases with gaps (Galley and Manning 2010) and distortion with
future cost (Green, Galley and Manning 2010). Here all systems of a set share text, word alignment, language model and
tuner (batch MIRA on the dev set, dense features only), and differ in what their names say: no model of orientation,
orientation by words, by phrases, or hierarchical (`mslr`, both sides, `fe`), contiguous phrases or phrases with gaps,
and where jumps are charged. Phrases with gaps may have probabilities of the sizes of gaps, and orientation with a class
of phrases between the words of their neighbour (`mslrc`).

Sets: Multi30k German to English (29,000 pairs, `val`, `test_2016_flickr`; tokenised as shipped), English to German
package descriptions of Debian (31,902 pairs, raw), and a synthetic verb-final pair (8,000 pairs). Every system is tuned
with several seeds on the first `--dev` segments of the dev set (`--iterations` rounds, pop limit 100). BLEU is the mean
of the seeds, `deviation` their standard deviation, `jumps` are words jumped over per sentence, `seconds` processor time
of the test set on one thread.

The second table compares pairs of systems. `p` is by approximate randomisation (two-sided, 10,000 samples): a segment
is swapped in all runs at once, and a system's statistics are the sums over its runs, so that luck of the tuner and of
the segments are both in it (as in Clark, Dyer, Lavie and Smith 2011). `from` and `to` hold 95 % of the differences on
test sets drawn from this one (bootstrap): how large a difference could be without being seen on so many segments.

To charge jumps ahead of time changes what search keeps and no score of a finished translation, so the third table
takes the weights of the system without a model of orientation and changes the search alone: where covered words behind
the first gap count (`tight`, `all`) and how much is charged one phrase later (`delay`), with jumps of up to 6 words, as
everywhere else, and up to 18. `score` is the mean model score over segments and seeds, its `p` by flipping signs of
paired segments, and `lost` is how much BLEU the longer jumps cost, its `p` by the randomisation above, for the two
limits at once.

With `--small` a synthetic bitext stands in; `--sets` and `--systems` name some, separated by semicolons; with `--cache`
finished stages and rows are kept there, so that sets may be run one by one and joined by a last run. `--train` and
`--test` take the first so many pairs of a set.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from dragoman.charts import forest_plot
from dragoman.evaluation.resampling import SignificanceTest, compare_all, compare_statistics
from dragoman.metrics import get_metric
from experiments.common import Claim, Row, Table, publish
from experiments.comparison import flipped, scores_of, significant
from experiments.recipes import DENSE, SETS, Systems, metric, names_of, system_arguments

SYSTEMS: dict[str, tuple[str, ...]] = {
    "none": ("reordering=",),
    "word": ("reordering=wbe-mslr-bidirectional-fe",),
    "phrase": ("reordering=phrase-mslr-bidirectional-fe",),
    "hierarchical": ("reordering=hier-mslr-bidirectional-fe",),
    "none, looking ahead": ("reordering=", "search.future_distortion=true"),
    "none, looking ahead over all": ("reordering=", "search.future_distortion=true", "search.way_back=all"),
    "none, looking ahead by half": ("reordering=", "search.future_distortion=true", "search.distortion_delay=0.5"),
    "gaps": ("kind=gappy", "reordering="),
    "gaps, sizes": ("kind=gappy", "reordering=", "extraction_features=gap_size"),
    "gaps, hierarchical": ("kind=gappy", "reordering=hier-mslrc-bidirectional-fe"),
}
"""Recipes."""
QUESTIONS: dict[tuple[str, str], str] = {
    ("word", "none"): "orientation by words is better than none",
    ("phrase", "none"): "orientation by phrases is better than none",
    ("hierarchical", "none"): "hierarchical orientation is better than none",
    ("phrase", "word"): "orientation by phrases is better than that of words",
    ("hierarchical", "word"): "hierarchical orientation is better than that of words",
    ("hierarchical", "phrase"): "hierarchical orientation is better than that of phrases",
    ("none, looking ahead", "none"): "to charge jumps ahead of time is better",
    ("none, looking ahead over all", "none"): "and over all covered words",
    ("none, looking ahead by half", "none"): "and half of it one phrase later",
    ("gaps", "none"): "phrases with gaps are better than contiguous ones, without orientation",
    ("gaps, sizes", "gaps"): "sizes of gaps make them better",
    ("gaps, hierarchical", "hierarchical"): "phrases with gaps are better than contiguous ones, with orientation",
}
"""Which systems are compared, and what is claimed of the first of them."""
FORMS: dict[str, dict[str, Any]] = {
    "as made": {},
    "ahead, tight": {"future_distortion": True},
    "ahead, all": {"future_distortion": True, "way_back": "all"},
    "ahead, tight, delay 0.5": {"future_distortion": True, "distortion_delay": 0.5},
    "ahead, all, delay 0.5": {"future_distortion": True, "way_back": "all", "distortion_delay": 0.5},
}
"""Searches that charge jumps at different times."""
LIMITS = (6, 18)
NAMES = tuple(name for name in SETS if "fr-en" not in name)


def translated(systems: Systems, name: str, system: str) -> Mapping[str, Any]:
    return systems.translations(name, [*_pops(systems), *SYSTEMS[system]], {})


def row(systems: Systems, name: str, system: str) -> dict[str, Any]:
    """How well a system translates."""
    found = translated(systems, name, system)
    runs = scores_of(metric(name), [systems.texts(name)["test"][1]], found["outputs"])
    return {
        "set": name,
        "system": system,
        "BLEU": round(statistics.fmean(runs), 2),
        "deviation": round(statistics.stdev(runs), 2) if len(runs) > 1 else np.nan,
        "jumps": found["jumps"],
        "seconds": found["seconds"],
    }


def differences(systems: Systems, name: str, chosen: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each pair of systems that is asked about, if both are there."""
    scorer = get_metric(metric(name))
    prepared = scorer.prepare([systems.texts(name)["test"][1]])
    sums = {
        system: np.sum(
            [scorer.statistics(run, prepared) for run in translated(systems, name, system)["outputs"]], axis=0
        )
        for system in chosen
    }
    pairs = [pair for pair in QUESTIONS if set(pair) <= set(chosen)]
    if not pairs:
        return []
    test = SignificanceTest(samples=1000 if systems.small else 10_000)
    found = compare_all(sums, scorer.scores, test, pairs=pairs).differences
    return [
        {
            "set": name,
            "system": system,
            "against": against,
            "difference": round(scorer.scale * each.delta, 2),
            "from": round(scorer.scale * each.interval[0], 2),
            "to": round(scorer.scale * each.interval[1], 2),
            "p": each.p,
        }
        for (system, against), each in ((pair, found[pair]) for pair in pairs)
    ]


def _pops(systems: Systems) -> list[str]:
    return [f"search.pop_limit={systems.options.pops}", f"search.beam={systems.options.pops}"]


def searched(systems: Systems, name: str, form: str) -> dict[str, Any]:
    """Translations and model scores of every segment, by limit and seed, with the weights of the system `none`."""
    recipe = (*_pops(systems), *SYSTEMS["none"])

    def work() -> dict[str, Any]:
        base = systems.model(name, (*recipe, "tuner=none"))
        source = systems.texts(name)["test"][0]
        found: dict[str, Any] = {}
        for limit in LIMITS:
            runs = []
            for seed in range(1, systems.options.seeds + 1):
                model = base.with_weights(systems.weights(name, recipe, seed))
                made = model.with_settings(distortion_limit=limit, **FORMS[form]).translate(source, threads=1)
                scores = [sum(sentence.score for sentence in each.sentences) for each in made]
                runs.append({"outputs": [each.text for each in made], "scores": scores})
            found[str(limit)] = runs
        return found

    settings = {"set": name, "recipe": list(recipe), "form": FORMS[form], "limits": LIMITS}
    kept: dict[str, Any] = systems.remember("jumps", settings, work)
    return kept


def ahead(systems: Systems, name: str) -> list[dict[str, Any]]:
    """A row for each form and limit."""
    scorer = get_metric(metric(name))
    prepared = scorer.prepare([systems.texts(name)["test"][1]])
    rows = []
    before, usual = np.zeros(0), np.zeros(0)
    for form in FORMS:
        runs = [searched(systems, name, form)[str(limit)] for limit in LIMITS]
        sums = [np.sum([scorer.statistics(run["outputs"], prepared) for run in each], axis=0) for each in runs]
        scores = np.mean([[run["scores"] for run in each] for each in runs], axis=1)
        both, width = np.hstack(sums), sums[0].shape[1]
        if form == "as made":
            before, usual = both, scores

        def loss(total: Any, width: int = width) -> Any:
            near, far = (np.ascontiguousarray(part) for part in (total[:, :width], total[:, width:]))
            return scorer.scores(near) - scorer.scores(far)

        lost = scorer.scale * float(loss(both.sum(axis=0)[None, :])[0])
        test = SignificanceTest(samples=1000 if systems.small else 10_000)
        for number, limit in enumerate(LIMITS):
            widest, other = limit == LIMITS[-1], form != "as made"
            score, plain = scores[number], usual[number]
            rows.append(
                {
                    "set": name,
                    "search": form,
                    "limit": limit,
                    "score": float(score.mean()),
                    "more": float((score - plain).mean()) if other else np.nan,
                    "p": flipped(score, plain) if other else np.nan,
                    "BLEU": scorer.scale * float(scorer.scores(sums[number].sum(axis=0)[None, :])[0]),
                    "lost": lost if widest else np.nan,
                    "p of lost": compare_statistics(both, before, loss, test).p if widest and other else np.nan,
                }
            )
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    options = system_arguments(__doc__, out="docs/experiments/p16", systems="", dev=400, pops=100)
    names = names_of(options.sets, NAMES[:1] if options.small else NAMES)
    chosen = names_of(options.systems, list(SYSTEMS))
    rows, pairs, searches = [], [], []
    with Systems(options) as systems:
        for name in names:
            for system in chosen:
                rows.append(row(systems, name, system))
                print(rows[-1], flush=True)
            pairs += differences(systems, name, chosen)
            print(*pairs, sep="\n", flush=True)
            searches += ahead(systems, name)
            write(
                Table(("set", "system"), tuple(rows)),
                Table(("set", "system", "against"), tuple(pairs)),
                Table(("set", "search", "limit"), tuple(searches)),
                names[: names.index(name) + 1],
                options,
            )


def write(table: Table, pairs: Table, searches: Table, names: list[str], options: Any) -> None:
    """The page so far, so that a run that is ended early is not lost."""

    def not_lower(name: str) -> Any:
        def holds(found: Table) -> bool:
            rows = [row for row in found.where(set=name) if row["search"] != "as made"]
            return not any(row["more"] < 0 and row["p"] < 0.05 for row in rows)

        return holds

    def loses_less(name: str) -> Any:
        def holds(found: Table) -> bool:
            [plain] = found.where(set=name, search="as made", limit=LIMITS[-1])
            [other] = found.where(set=name, search="ahead, tight", limit=LIMITS[-1])
            return bool(other["lost"] < plain["lost"] and other["p of lost"] < 0.05)

        return holds

    def better(asked: Row) -> Any:
        return lambda found: significant(*found.where(**{key: asked[key] for key in ("set", "system", "against")}))

    claims = [Claim(f"{row['set']}: {QUESTIONS[row['system'], row['against']]}", better(row)) for row in pairs.rows]
    ahead_of_time = [
        claim
        for name in names
        for claim in (
            Claim(f"{name}: no way of looking ahead lowers the model score significantly", not_lower(name)),
            Claim(f"{name}: looking ahead, jumps three times as long cost less BLEU", loses_less(name)),
        )
    ]
    picture = forest_plot(
        [
            (f"{row['set']}: {row['system']}", row["BLEU"], row["BLEU"] - _spread(row), row["BLEU"] + _spread(row))
            for row in table.rows
        ],
        title="BLEU, with the standard deviation of the seeds",
        sure=[True] * len(table.rows),
        zero=False,
        figure=".2f",
    )
    publish(
        "Phrases and their order",
        __doc__,
        {
            "Systems": (table, []),
            **({"Differences": (pairs, claims)} if pairs.rows else {}),
            "Jumps charged ahead of time": (searches, ahead_of_time),
        },
        pictures={"plot": picture},
        out=options.out,
        settings={**vars(options), "dense": DENSE},
    )


def _spread(row: Mapping[str, Any]) -> float:
    return 0.0 if np.isnan(row["deviation"]) else float(row["deviation"])


if __name__ == "__main__":
    main()
