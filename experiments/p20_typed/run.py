"""Typed similarity of records, and what the choice of training sets is worth (Agirre et al. 2013).

The records of 2013 are not at hand. A catalogue is made up: painters, places, dates, subjects and verbs of themes, with
titles and descriptions written from them, names and verbs marked as an annotator would; people's scores of a pair are
what its records share in each respect, with noise, and respects go together because themes do. So the first table says
what the systems can learn, and nothing of how hard real records are.

The second table is on real pairs: the system of Šarić et al. (2012) trained on each set of 2012 by itself and on all of
them, tested on the sets of 2013 that are here. The paper trains on all (.4340 in Mean), and on the best set for each
test set, chosen on the test set (.5221), an upper bound.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from dragoman.evaluation.correlation import pearson
from dragoman.evaluation.similarity_runs import RunScores, study_runs, weighted_mean
from dragoman.seeds import stream
from dragoman.similarity import PairSet, get_scorer
from dragoman.similarity.records import TYPES, Number, Record, RecordNames, TermWeights, baseline_scores
from dragoman.similarity.typed_regression import KINDS, TypedRegression
from experiments.common import Claim, Table, arguments, dot_plot, publish
from experiments.similarity_sets import joined, real_sets, small_sets, write_text

HOME = Path(__file__).parent.parent.parent
PUBLISHED = {"cosine": 0.4894, "linear": 0.7341, "rbf": 0.7620}
"""Means over types, other data (baseline and Unitor)."""


class Catalogue:
    """Records of a few themes; what each was written from is known."""

    def __init__(self, size: int, seed: int) -> None:
        self.draws = np.random.default_rng(seed)
        self.facts = [self._fact() for _ in range(size)]
        self.records = [self._record(str(at), fact) for at, fact in enumerate(self.facts)]

    def _fact(self) -> dict[str, Any]:
        theme = int(self.draws.integers(8))
        near = int(self.draws.integers(3))
        return {
            "theme": theme,
            "author": f"painter {theme} {near}",
            "person": f"sitter {theme} {int(self.draws.integers(4))}",
            "place": f"town {theme} {int(self.draws.integers(3))}",
            "year": 1500 + 40 * theme + int(self.draws.integers(60)),
            "verb": f"verb{theme}{int(self.draws.integers(3))}",
            "subject": [f"subject{theme}{int(self.draws.integers(4))}" for _ in range(2)],
        }

    def _record(self, name: str, fact: dict[str, Any]) -> Record:
        filler = " ".join(f"word{int(number)}" for number in self.draws.integers(200, size=6))
        said = f"{fact['person']} {fact['verb']} in {fact['place']} {fact['year']} {filler}"
        names = RecordNames(tuple(fact["person"].split()), tuple(fact["place"].split()), (fact["verb"],))
        creator = (fact["author"],) if self.draws.random() > 0.2 else ()
        date = (str(fact["year"]),) if self.draws.random() > 0.3 else ()
        title = f"{fact['person']} at {fact['place']}"
        return Record(name, title, tuple(fact["subject"]), said, creator, date, "museum", names)

    def pairs(self, count: int) -> tuple[list[tuple[Record, Record]], Number]:
        """Pairs, half of them of one theme, and scores of 0 to 1."""
        chosen: list[tuple[Record, Record]] = []
        gold: list[list[float]] = []
        while len(chosen) < count:
            one, other = (int(at) for at in self.draws.integers(len(self.records), size=2))
            a, b = self.facts[one], self.facts[other]
            if one == other or (len(chosen) % 2 == 0 and a["theme"] != b["theme"]):
                continue
            near = 0.4 * (a["theme"] == b["theme"])
            shared = len(set(a["subject"]) & set(b["subject"])) / len(set(a["subject"]) | set(b["subject"]))
            row = [near + 0.6 * (a[key] == b[key]) for key in ("author", "person", "place", "verb")]
            time = 1 / (1 + abs(a["year"] - b["year"]) / 20)
            author, person, place, verb = row
            subject, told = near + 0.6 * shared, (person + place + verb + time) / 4
            general = (author + person + time + place + verb + subject + told) / 7
            gold.append([general, author, person, time, place, verb, subject, told])
            chosen.append((self.records[one], self.records[other]))
        noise = self.draws.normal(0, 0.1, (count, len(TYPES)))
        return chosen, np.clip(np.array(gold) + noise, 0, 1)


def _correlation(scores: Number, gold: Number) -> float:
    """Pearson's; 0 where nothing varies."""
    return float(pearson(scores, gold)) if np.ptp(scores) > 0 and np.ptp(gold) > 0 else 0.0


def typed_table(size: int) -> tuple[Table, float, float]:
    """Correlations by type; and p, by 2,000 bootstrap samples of pairs, that the kernel `rbf` is no better than a
    linear one, and that the worse of them is no more than 0.1 above the cosines."""
    made = Catalogue(size, 1)
    train, test = made.pairs(size), made.pairs(size)
    weights = TermWeights.of(made.records)
    found = {"cosine": np.array([list(baseline_scores(a, b, weights).values()) for a, b in test[0]])}
    for kind in KINDS:
        found[kind] = TypedRegression(kind=kind).fit(*train, weights).score(test[0])
    rows = []
    for name, scores in found.items():
        row: dict[str, Any] = {"system": name}
        for at, kind in enumerate(TYPES):
            row[kind] = _correlation(scores[:, at], test[1][:, at])
        row["mean"] = sum(row[kind] for kind in TYPES) / len(TYPES)
        rows.append(row | {"published, other data": PUBLISHED.get(name, float("nan"))})
    draws, gold = stream(1, "bootstrap"), test[1]
    lost, near = 0, 0
    for _ in range(2000):
        drawn = draws.integers(len(gold), size=len(gold))
        means = {
            name: np.mean([_correlation(scores[drawn, at], gold[drawn, at]) for at in range(len(TYPES))])
            for name, scores in found.items()
        }
        lost += bool(means["rbf"] <= means["linear"])
        near += bool(min(means[kind] for kind in KINDS) <= means["cosine"] + 0.1)
    return Table(("system",), tuple(rows)), lost / 2000, near / 2000


def training_table(train: list[PairSet], test: list[PairSet], options: list[str], threads: int) -> tuple[Table, Any]:
    """The same system by what it was trained on; and the study of all."""
    outputs: dict[str, dict[str, RunScores]] = {}
    for name, sets in {"all of 2012": train, **{one.name: [one] for one in train}}.items():
        scorer = get_scorer("takelab", options).fit(*joined(sets), threads=threads)
        outputs[name] = {one.name: RunScores.of(scorer.score(one.pairs, threads=threads)) for one in test}
        print(name, flush=True)
    study = study_runs({one.name: one.scores() for one in test}, outputs)
    rows = [
        {"trained on": run.name, **{n: run.correlations[n] for n in study.sizes}, "Mean": run.mean}
        for run in study.runs
    ]
    best = {name: max(run.correlations[name] for run in study.runs) for name in study.sizes}
    rows.append(
        {"trained on": "the best for each (chosen on the test set)", **best, "Mean": weighted_mean(best, study.sizes)}
    )
    return Table(("trained on",), tuple(rows)), study


def main() -> None:
    given = arguments(__doc__, out=str(HOME / "docs/experiments/p20"), threads=0, small=False)
    typed, no_better, too_near = typed_table(100 if given.small else 600)
    with tempfile.TemporaryDirectory() as scratch:
        if given.small:
            sets = small_sets(["MSRpar", "SMTeuroparl", "headlines", "OnWN"])
            text = write_text(Path(scratch) / "text.en", sets)
            options = [f"text={text}", "dimensions=4", "wordnet=false"]
            train, test = sets[:2], sets[2:]
        else:
            options = [f"text={write_text(Path(scratch) / 'text.en')}", "dimensions=100"]
            first, second = (real_sets("2012", part) for part in ("train", "test"))
            # a set that has both parts counts as one
            joint = {one.name: one for one in (*first, *second)}
            for one in first:
                other = joint[one.name]
                pairs, gold = (*one.pairs, *other.pairs), (*(one.gold or ()), *(other.gold or ()))
                joint[one.name] = PairSet(one.name, pairs, gold)
            train, test = list(joint.values()), list(real_sets("2013", "test"))
        table, study = training_table(train, test, options, given.threads)
    means = [row["Mean"] for row in table.rows[:-1] if row["trained on"] != "all of 2012"]

    def mean_of(system: str) -> float:
        number: float = typed.where(system=system)[0]["mean"]
        return number

    publish(
        "Typed similarity, and the choice of training sets",
        __doc__,
        {
            "Types of similarity, made-up records": (
                typed,
                [
                    Claim(
                        f"regressions over all fields are 0.1 above the cosines (bootstrap, p = {too_near:.3f})",
                        lambda t: min(mean_of(kind) for kind in KINDS) > mean_of("cosine") + 0.1 and too_near < 0.05,
                    ),
                    Claim(
                        f"a Gaussian kernel is better than a linear one (bootstrap, p = {no_better:.3f})",
                        lambda t: mean_of("rbf") > mean_of("linear") and no_better < 0.05,
                    ),
                ],
            ),
            "Training sets": (
                table,
                [
                    Claim(
                        "the choice of one training set moves Mean by at least 0.05",
                        lambda t: max(means) - min(means) >= 0.05,
                    ),
                    Claim(
                        "the best set for each, known afterwards, is above all sets together",
                        lambda t: t.rows[-1]["Mean"] > t.where(**{"trained on": "all of 2012"})[0]["Mean"],
                    ),
                    Claim(
                        "all sets together are not significantly worse than any single one (bootstrap, p < 0.05)",
                        lambda t: all(
                            study.compare(run.name, "all of 2012").bootstrap >= 0.05
                            for run in study.runs
                            if run.name != "all of 2012"
                        ),
                    ),
                ],
            ),
        },
        pictures={
            "plot": dot_plot(typed, label=lambda row: str(row["system"]), figure="mean"),
            "training": dot_plot(table, label=lambda row: str(row["trained on"]), figure="Mean"),
        },
        out=given.out,
        settings={**vars(given), "records": 600, "seed": 1, "dimensions": 100},
    )


if __name__ == "__main__":
    main()
