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
with several seeds on the first 400 segments of the dev set (6 rounds, pop limit 100). BLEU is the mean of the seeds,
`deviation` their standard deviation; `p` is that of the difference from the system named in `against` by approximate
randomisation (two-sided, 10,000 samples): a segment is swapped in all runs at once, and a system's statistics are the
sums over its runs, so that luck of the tuner and of the segments are both in it (as in Clark, Dyer, Lavie and Smith
2011). `jumps` are words jumped over per sentence, `seconds` processor time of the test set on one thread.

With `--small` a synthetic bitext stands in; `--sets` and `--systems` name some, separated by semicolons; with `--cache`
finished stages and rows are kept there, so that sets may be run one by one and joined by a last run. `--train` and
`--test` take the first so many pairs of a set.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from dragoman.charts import forest_plot
from experiments.common import Claim, Table, publish
from experiments.recipes import DENSE, SETS, Systems, names_of, system_arguments

SYSTEMS: dict[str, tuple[tuple[str, ...], str]] = {
    "none": (("reordering=",), ""),
    "word": (("reordering=wbe-mslr-bidirectional-fe",), "none"),
    "phrase": (("reordering=phrase-mslr-bidirectional-fe",), "word"),
    "hierarchical": (("reordering=hier-mslr-bidirectional-fe",), "word"),
    "none, looking ahead": (("reordering=", "search.future_distortion=true"), "none"),
    "gaps": (("kind=gappy", "reordering="), "none"),
    "gaps, sizes": (("kind=gappy", "reordering=", "extraction_features=gap_size"), "gaps"),
    "gaps, hierarchical": (("kind=gappy", "reordering=hier-mslrc-bidirectional-fe"), "hierarchical"),
}
"""Recipes, and which system each is compared with."""
NAMES = tuple(name for name in SETS if "fr-en" not in name)


def row(systems: Systems, name: str, system: str) -> Mapping[str, Any]:
    pops = [f"search.pop_limit={systems.options.pops}", f"search.beam={systems.options.pops}"]

    def runs(which: str) -> Mapping[str, Any]:
        return systems.translations(name, [*pops, *SYSTEMS[which][0]], {})

    found, against = runs(system), SYSTEMS[system][1]
    return {
        "against": against,
        **systems.compared(name, found["outputs"], runs(against)["outputs"] if against else []),
        "jumps": found["jumps"],
        "seconds": found["seconds"],
    }


def main() -> None:
    options = system_arguments(__doc__, out="docs/experiments/p16", systems="", dev=400, pops=100)
    names = names_of(options.sets, NAMES[:1] if options.small else NAMES)
    chosen = names_of(options.systems, list(SYSTEMS))
    rows = []
    with Systems(options) as systems:
        for name in names:
            for system in chosen:
                rows.append({"set": name, "system": system, **row(systems, name, system)})
                print(rows[-1], flush=True)
                write(Table(("set", "system"), tuple(rows)), names[: names.index(name) + 1], options)


def write(table: Table, names: list[str], options: Any) -> None:
    """The page so far, so that a run that is ended early is not lost."""

    def better(name: str, system: str) -> Any:
        def holds(found: Table) -> bool:
            [row] = found.where(set=name, system=system)
            return bool(row["difference"] > 0 and row["p"] < 0.05)

        return holds

    done = {(row["set"], row["system"]) for row in table.rows}
    claims = [
        Claim(f"{name}: {text}", better(name, system))
        for name in names
        for system, text in (
            ("word", "orientation by words is better than none"),
            ("hierarchical", "hierarchical orientation is better than that of words"),
            ("gaps", "phrases with gaps are better than contiguous ones, without orientation"),
            ("gaps, sizes", "sizes of gaps make them better"),
            ("gaps, hierarchical", "phrases with gaps are better than contiguous ones, with orientation"),
        )
        if (name, system) in done
    ]
    picture = forest_plot(
        [
            (f"{row['set']}: {row['system']}", row["BLEU"], row["BLEU"] - _spread(row), row["BLEU"] + _spread(row))
            for row in table.rows
        ],
        title="BLEU, with the standard deviation of the seeds",
        sure=[not row["p"] >= 0.05 for row in table.rows],
        zero=False,
        figure=".2f",
    )
    publish(
        "Phrases and their order",
        __doc__,
        {"Systems": (table, claims)},
        pictures={"plot": picture},
        out=options.out,
        settings={**vars(options), "dense": DENSE},
    )


def _spread(row: Mapping[str, Any]) -> float:
    return 0.0 if np.isnan(row["deviation"]) else float(row["deviation"])


if __name__ == "__main__":
    main()
