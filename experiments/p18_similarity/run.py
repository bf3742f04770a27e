"""Similarity systems on the shared tasks of 2012, 2013 and 2014: trained on the years before, tested on the later ones.

Do the claims of the task papers (Agirre et al. 2012, 2013, 2014) hold for our systems on the sets that are at hand? The
2012 systems learn from that year's training sets, those of 2013 from all of 2012, those of 2014 from 2012 and 2013;
with `--years SICK`, from the training and trial pairs of SICK. `--pairs` draws so many of these pairs at random,
`--without` leaves out systems. The video captions of 2012 and the machine translations of 2013 are not here, so means
are over the other sets.

Scorers that use words in context learn them from English text (Wikipedia sentences, captions, package descriptions,
news: `TEXTS`); DLS has PPDB's single words and trees by our parser, trained on English-EWT; `dls, glosses` also leaves
out the words that definitions are made of, as the winner did for OnWN only, here on all sets; `dls, weighted` lets
words count by how few of the texts to learn from have them, `dls, weighted by set` by how few of the texts of the set
itself, which takes texts to be scored and nothing of what people gave them. UKP is without its expansion by
translating there and back. The ensemble is fitted in three folds to all other systems; for a test set that has the name
of one that was learned from, with weights of its own.
What it is (random folds, weights that are not negative and strongly drawn to each other, differences within sets) was
decided on the sets of 2012 and 2013, leaving out one kind of text after the other; that sets of a kind that was learned
from have weights of their own, and how close these are held to those of all, leaving out one set after the other there.
2014 and SICK had no part in it. What else it could be is shown on the sets of 2012 alone, each scored by an ensemble
fitted to the others (members that learn have seen pairs of it, in other folds).

Every 'better' is a one-sided paired bootstrap over pairs within sets (10,000 samples), beside Williams' test by set.

    python experiments/p18_similarity/run.py --cache FOLDER    # keeps the parser and the annotated sets
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.annotations.annotator import Annotator
from dragoman.cache import StageCache
from dragoman.evaluation.correlation import pearson
from dragoman.evaluation.similarity_runs import RunScores, RunStudy, study_runs, weighted_mean
from dragoman.similarity import PairScorer, PairSet, TextPair, get_scorer, read_pair_set
from dragoman.similarity.base import Scores
from dragoman.similarity.ensemble import random_folds, stacked
from dragoman.similarity.learned import FeatureScorer
from experiments.common import Claim, Table, arguments, dot_plot, publish
from experiments.common import remembered as kept_work
from experiments.similarity_sets import (
    DATA,
    TEXTS,
    annotated,
    english_chain,
    existing,
    joined,
    real_sets,
    remembered,
    set_names,
    small_sets,
    trained,
    write_text,
)

HOME = Path(__file__).parent.parent.parent
FOLDS = 3
PPDA = ("max_ahead=2", "max_tokens=40", "iterations=40")
"""Jumps of the push-down edits are bounded more tightly than by default, because it is fitted once for each fold."""
METRICS = "bleu+1,chrf,ter,terp,terpa,meteor"
SECOND = {"multi30k/train.en": 29_000}
"""The other text that TakeLab's vectors are from: captions."""
PUBLISHED_BASELINE = {
    "2012": {"MSRpar": 0.4334, "SMTeuroparl": 0.4542, "OnWN": 0.5864, "SMTnews": 0.3908},
    "2013": {"headlines": 0.5399, "OnWN": 0.2828, "FNWN": 0.2146},
    "2014": {
        "deft-forum": 0.353, "deft-news": 0.596, "headlines": 0.510,
        "images": 0.513, "OnWN": 0.406, "tweet-news": 0.654,
    },
}  # fmt: skip
PUBLISHED = {
    "2012": {
        "takelab": {"MSRpar": 0.7343, "SMTeuroparl": 0.4771, "OnWN": 0.6797, "SMTnews": 0.3989},
        "ukp": {"MSRpar": 0.6830, "SMTeuroparl": 0.5280, "OnWN": 0.6641, "SMTnews": 0.4937},
        "soft-cardinality": {"MSRpar": 0.6405, "SMTeuroparl": 0.5152, "OnWN": 0.7109, "SMTnews": 0.4833},
    },
    "2014": {
        "dls": {
            "deft-forum": 0.483, "deft-news": 0.766, "headlines": 0.765, "images": 0.821, "OnWN": 0.723,
            "tweet-news": 0.764,
        },
        "pairing-words": {
            "deft-forum": 0.471, "deft-news": 0.763, "headlines": 0.760, "images": 0.801, "OnWN": 0.875,
            "tweet-news": 0.779,
        },
        "takelab": {
            "deft-forum": 0.333, "deft-news": 0.716, "headlines": 0.720, "images": 0.742, "OnWN": 0.793,
            "tweet-news": 0.650,
        },
    },
}  # fmt: skip
"""takelab-simple, UKP-run2 and SOFT-CARDINALITY (Agirre et al. 2012); DLS@CU-run1, Meerkat's pairingWords and TakeLab
(Agirre et al. 2014). The published ones of 2012 learned from each training set by itself, ours from all together."""
BY_SET = "dls, weighted by set"
"""Fitted to the texts of each set by itself, those to be scored too."""


@dataclass(frozen=True)
class Year:
    """What systems of a year learn from, and are tested on."""

    name: str
    train: tuple[list[TextPair], Scores]
    sets: list[str]
    """Of which set each pair to learn from is."""
    test: tuple[PairSet, ...]


def real_years(chosen: list[str], most: int, chain: Annotator, cache: Path, threads: int) -> list[Year]:
    """The sets of some years with their layers; of the pairs to learn from, at most so many, drawn at random."""
    years: list[Year] = []
    known = real_sets("2012", "train")
    for name in ("2012", "2013", "2014"):
        if name in chosen:
            train = drawn(known, most, chain, cache, threads)
            years.append(Year(name, *train, real_sets(name, "test", chain, cache, threads)))
            print(name, f"annotated after {time.process_time():.0f} s of processor time", flush=True)
        known = (*known, *real_sets(name, "test"))
    if "SICK" in chosen:
        folder = DATA / "sts" / "sick2014"
        *taught, test = (
            replace(read_pair_set(existing(folder / f"SICK_{part}.txt")), name="SICK")
            for part in ("train", "trial", "test_annotated")
        )
        train = drawn(taught, most, chain, cache, threads)
        years.append(Year("SICK", *train, (test.with_pairs(annotated(test.pairs, chain, cache, threads)),)))
    return years


def drawn(
    sets: Sequence[PairSet], most: int, chain: Annotator, cache: Path, threads: int
) -> tuple[tuple[list[TextPair], Scores], list[str]]:
    """Pairs of sets in a random order, with layers, what people gave them, and their sets."""
    (pairs, gold), names = joined(sets), set_names(sets)
    order = np.random.default_rng(1).permutation(len(pairs))[: most or None].tolist()
    return (annotated([pairs[at] for at in order], chain, cache, threads), gold[order]), [names[at] for at in order]


def small_years() -> list[Year]:
    train, more, *test = small_sets(["train", "more", "one", "two"])
    return [Year("2014", joined([train, more]), set_names([train, more]), tuple(test))]


def systems(text: Path, second: Path, paraphrases: str, small: bool) -> dict[str, tuple[str, list[str]]]:
    """Scorers by the name that tables give them."""
    known = [f"text={text}", f"dimensions={4 if small else 200}"]
    wordnet, synonyms = (["wordnet=false"], ["synonyms=false"]) if small else ([], [])
    given = [f"paraphrases={paraphrases}"] if paraphrases else []
    substitutes = [f"substitutes={paraphrases}"] if paraphrases else []
    found = {
        "token-cosine": ("token-cosine", []),
        "words, lower case": ("token-cosine", ["lowercase=true", "punctuation=false"]),
        "character 3-grams": ("ngrams", []),
        "string": ("string", []),
        "soft-cardinality": ("soft-cardinality", []),
        "lsa": ("lsa", known),
        "matching by contexts": ("matching", ["words=contexts", *known]),
        "dls": ("dls", given),
        "dls, glosses": ("dls", [*given, "gloss_words=true"]),
        "dls, weighted": ("dls", [*given, "weighted=true"]),
        BY_SET: ("dls", [*given, "weighted=true"]),
        "takelab": ("takelab", [*known, *wordnet, f"second_text={second}"]),
        "ukp": ("ukp", [*known, *wordnet, *substitutes]),
        "metrics": ("metrics", [] if small else [f"metrics={METRICS}"]),
        "uow": ("uow", ["stages=exact+stem"] if small else []),
        "pfsm": ("pfsm", synonyms),
        "ppda": ("ppda", [*synonyms, *PPDA]),
        "entailment": ("entailment", wordnet),
    }
    if not small:
        found |= {"matching by WordNet": ("matching", []), "pairing-words": ("pairing-words", known)}
    return found


def by_set(scorer: PairScorer, pairs: Sequence[TextPair], sets: Sequence[str], threads: int) -> Scores:
    """Scores of pairs by what was fitted to the texts of their set."""
    found, names = np.zeros(len(pairs)), np.array(sets)
    for name in np.unique(names).tolist():
        own = np.flatnonzero(names == name)
        some = [pairs[at] for at in own.tolist()]
        # fitting asks for scores that differ, and this scorer looks at none
        found[own] = scorer.fit(some, np.arange(len(own)), threads=threads).score(some, threads=threads)
    return found


class Systems:
    """All systems, and the ensemble over them, which is fitted anew for each year.

    What a system gives in a year is kept in a cache, so that a run can go on where another ended.
    """

    def __init__(self, named: dict[str, tuple[str, list[str]]], cache: Path) -> None:
        self.named, self.kept = named, StageCache(cache / "stages")
        # what does not depend on the year is worked out once for each pair
        self.members: dict[str, PairScorer] = {}

    def member(self, name: str) -> PairScorer:
        if name not in self.members:
            spec, options = self.named[name]
            found = self.members[name] = get_scorer(spec, options)
            if isinstance(found, FeatureScorer):
                found.features = remembered(found.features)  # type: ignore[method-assign, assignment]
        return self.members[name]

    def work(self, name: str, year: Year, threads: int) -> dict[str, Any]:
        """What a system gives pairs to learn from, when it was not fitted to them, and those of the sets."""
        member, (pairs, gold) = self.member(name), year.train
        if name == BY_SET:
            held = by_set(member, pairs, year.sets, threads)
        else:
            held = member.held_out(pairs, gold, random_folds(len(pairs), FOLDS, 1), threads=threads)
        started = time.process_time()
        test = {}
        for one in year.test:
            if name == BY_SET:
                test[one.name] = by_set(member, one.pairs, [one.name] * len(one), threads).tolist()
            else:
                test[one.name] = member.score(one.pairs, threads=threads).tolist()
        speed = sum(map(len, year.test)) / max(1e-9, time.process_time() - started)
        print(year.name, name, f"{speed:.0f} pairs/s", flush=True)
        return {"train": held.tolist(), "test": test, "pairs/s": speed}

    def given(self, name: str, year: Year, texts: str, threads: int) -> dict[str, Any]:
        """The same, now or in an earlier run; `texts` tell what was learned from."""
        spec, options = self.named[name]

        def work() -> dict[str, Any]:
            return self.work(name, year, threads)

        settings = {
            "system": name,
            "scorer": spec,
            "options": [each for each in options if "/" not in each],
            "texts": {**TEXTS, **SECOND},
            "year": year.name,
            "learned": texts,
        }
        rooms = ("similarity", "entailment", "metrics", "semantics")
        found: dict[str, Any] = kept_work(self.kept, "system", settings, work, rooms=rooms)
        return found

    def columns(self, year: Year, threads: int) -> tuple[dict[str, Any], Scores]:
        """What all systems give in a year, and a column of each for the pairs to learn from."""
        texts = hashlib.sha256("\n".join(text for pair in year.train[0] for text in pair.texts).encode()).hexdigest()
        found = {name: self.given(name, year, texts, threads) for name in self.named}
        return found, np.stack([np.array(each["train"]) for each in found.values()], axis=1)

    def run(self, year: Year, threads: int) -> tuple[RunStudy, dict[str, float], Table]:
        """All systems on the sets of a year, pairs a CPU second of each, and the weights of the ensemble."""
        found, columns = self.columns(year, threads)
        outputs = {
            name: {one: RunScores.of(scores) for one, scores in each["test"].items()} for name, each in found.items()
        }
        known = np.array(year.sets)
        kinds = ["", *(one.name for one in year.test if one.name in year.sets)]
        fitted = {kind: stacked(list(found), columns, year.train[1], known, like=kind) for kind in kinds}
        outputs["ensemble"] = {
            one.name: RunScores.of(
                fitted[one.name if one.name in fitted else ""].predict(
                    np.stack([np.array(each["test"][one.name]) for each in found.values()], axis=1)
                )
            )
            for one in year.test
        }
        speeds = {name: each["pairs/s"] for name, each in found.items()}
        speeds["ensemble"] = 1 / sum(1 / speed for speed in speeds.values())
        weights: list[dict[str, Any]] = [
            {
                "system": name,
                "weight": float(fitted[""].weights[at] / fitted[""].weights.sum()),
                **{kind: float(fitted[kind].weights[at] / fitted[kind].weights.sum()) for kind in kinds[1:]},
                "r in training": float(pearson(columns[:, at], year.train[1])),
            }
            for at, name in enumerate(found)
        ]
        weights.sort(key=lambda row: -row["weight"])
        study = study_runs({one.name: one.scores() for one in year.test}, outputs)
        return study, speeds, Table(("system",), tuple(weights))


def choices(names: Sequence[str], columns: Scores, gold: Scores, sets: Sequence[str]) -> Table:
    """Other ensembles on the sets that all learn from, each set scored by one that is fitted to the others."""
    known = np.array(sets)
    kinds = np.unique(known).tolist()
    spread = columns.copy()
    for kind in kinds:
        own = known == kind
        spread[own] = (columns[own] - columns[own].mean(0)) / columns[own].std(0)
    kept = [at for at, name in enumerate(names) if name != BY_SET]

    def fitted(given: Scores, members: Sequence[int], penalty: float, own: NDArray[np.bool_]) -> Scores:
        rest, chosen = ~own, [names[at] for at in members]
        model = stacked(chosen, given[rest][:, members], gold[rest], known[rest], penalty=penalty)
        return model.predict(given[own][:, members])

    every = list(range(len(names)))
    tried: dict[str, Callable[[NDArray[np.bool_]], Scores]] = {
        f"penalty {penalty:g}": partial(fitted, columns, every, penalty) for penalty in (0.1, 0.3, 1.0, 3.0, 10.0)
    }
    tried[f"penalty 1, without {BY_SET}"] = partial(fitted, columns, kept, 1.0)
    tried["penalty 1, members of equal spread in each set"] = partial(fitted, spread, every, 1.0)
    tried["equal weights"] = lambda own: spread[own].mean(1)
    rows = []
    for name, combine in tried.items():
        found = {kind: float(pearson(combine(known == kind), gold[known == kind])) for kind in kinds}
        mean = weighted_mean(found, {kind: int((known == kind).sum()) for kind in kinds})
        rows.append({"ensemble": name, **found, "Mean": mean})
    return Table(("ensemble",), tuple(rows))


def rows_of(study: RunStudy, speeds: dict[str, float]) -> Table:
    rows = []
    for run in study.runs:
        row: dict[str, Any] = {"system": run.name, **{name: run.correlations[name] for name in study.sizes}}
        row |= {"Mean": run.mean, "ALL": run.all, "ALLnrm": run.allnrm, "pairs/s": round(speeds[run.name])}
        rows.append(row)
    return Table(("system",), tuple(rows))


def tests_of(study: RunStudy) -> Table:
    """The ensemble against every single system."""
    rows = []
    for run in study.runs:
        if run.name != "ensemble":
            test = study.compare("ensemble", run.name)
            rows.append(
                {
                    "ensemble against": run.name,
                    "difference of Mean": test.difference,
                    "from": test.interval[0],
                    "to": test.interval[1],
                    "p bootstrap": test.bootstrap,
                    "p Fisher": test.fisher,
                    "sets better (Williams)": sum(p < 0.05 for p in test.williams.values()),
                    "sets worse (Williams)": sum(p > 0.95 for p in test.williams.values()),
                }
            )
    return Table(("ensemble against",), tuple(rows))


def value(table: Table, system: str, column: str) -> float:
    found: float = table.where(system=system)[0][column]
    return found


def published_of(year: str, study: RunStudy) -> Table:
    """What was printed, and how much higher ours is."""
    known, sets = {run.name for run in study.runs}, list(study.sizes)
    rows = []
    for system, printed in PUBLISHED.get(year, {}).items():
        if system in known and set(sets) <= printed.keys():
            found = study[system].correlations
            row: dict[str, Any] = {"system": system, **{name: printed[name] for name in sets}}
            row |= {"Mean": weighted_mean(printed, study.sizes), "ours, Mean": study[system].mean}
            row["lowest of ours less theirs"] = min(found[name] - printed[name] for name in sets)
            rows.append(row)
    return Table(("system",), tuple(rows))


def claims_of(year: str, study: RunStudy) -> list[Claim]:
    sets, known = list(study.sizes), {run.name for run in study.runs}
    trained_ones = [name for name in ("takelab", "ukp") if name in known]
    claims = [
        Claim(
            f"{year}: ALLnrm is above ALL for every system",
            lambda table: all(row["ALLnrm"] >= row["ALL"] - 1e-9 for row in table.rows),
        ),
        Claim(
            f"{year}: soft cardinality is above lower-cased words without punctuation on most sets",
            lambda table: (
                2
                * sum(value(table, "soft-cardinality", name) > value(table, "words, lower case", name) for name in sets)
                > len(sets)
            ),
        ),
    ]
    if trained_ones:
        claims.append(
            Claim(
                f"{year}: a trained feature system (takelab or ukp) beats the published baseline in Mean, p < 0.05",
                lambda table: min(study.compare(name, "token-cosine").bootstrap for name in trained_ones) < 0.05,
            )
        )
    published = {name: r for name, r in PUBLISHED_BASELINE.get(year, {}).items() if name in sets}
    if published:
        digits = 3 if year == "2014" else 4
        claims.append(
            Claim(
                f"{year}: the baseline has its published correlations to the printed digit, but for OnWN of 2012",
                lambda table: all(
                    round(value(table, "token-cosine", name), digits) == r
                    for name, r in published.items()
                    if (year, name) != ("2012", "OnWN")
                ),
            )
        )
    if year == "2014":
        claims += [
            Claim(
                "2014: DLS is above the baseline on every set",
                lambda table: all(value(table, "dls", name) > value(table, "token-cosine", name) for name in sets),
            ),
        ]
        if "takelab" in known:
            claims.append(
                Claim(
                    "2014: DLS, untrained, beats takelab, trained on pairs of 2012 and 2013, in Mean, p < 0.05",
                    lambda table: study.compare("dls", "takelab").bootstrap < 0.05,
                )
            )
        if {"takelab", "pairing-words"} <= known:
            claims += [
                Claim(
                    "2014: pairing-words is above the baseline on every set",
                    lambda table: all(
                        value(table, "pairing-words", name) > value(table, "token-cosine", name) for name in sets
                    ),
                ),
                Claim(
                    "2014: pairing-words, untrained, beats takelab in Mean, p < 0.05",
                    lambda table: study.compare("pairing-words", "takelab").bootstrap < 0.05,
                ),
            ]
        if "OnWN" in sets:
            claims += [
                Claim(
                    "2014: the mean of DLS is within 0.05 of its published one (.734)",
                    lambda table: abs(value(table, "dls", "Mean") - 0.734) <= 0.05,
                ),
                Claim(
                    "2014: DLS is within 0.05 of its published correlation on every set",
                    lambda table: all(
                        abs(value(table, "dls", name) - printed) <= 0.05
                        for name, printed in PUBLISHED["2014"]["dls"].items()
                    ),
                ),
                Claim(
                    "2014: words of glosses raise OnWN by more than 0.1 with DLS and no other set by more than 0.01",
                    lambda table: (
                        value(table, "dls, glosses", "OnWN") - value(table, "dls", "OnWN") > 0.1
                        and all(
                            abs(value(table, "dls, glosses", name) - value(table, "dls", name)) <= 0.01
                            for name in sets
                            if name != "OnWN"
                        )
                    ),
                ),
            ]
    return claims


def ensemble_claim(year: str) -> Claim:
    return Claim(
        f"{year}: the ensemble is above every single system in Mean, each p < 0.05",
        lambda table: all(row["difference of Mean"] > 0 and row["p bootstrap"] < 0.05 for row in table.rows),
    )


def main() -> None:
    given = arguments(
        __doc__,
        out=str(HOME / "docs/experiments/p18"),
        cache="",
        years="2012 2013 2014",
        pairs=0,
        without="",
        threads=0,
        small=False,
    )
    tables: dict[str, tuple[Table, list[Claim]]] = {}
    plot = None
    with tempfile.TemporaryDirectory() as scratch:
        cache = Path(given.cache or scratch)
        cache.mkdir(parents=True, exist_ok=True)
        text = write_text(Path(scratch) / "text.en", small_sets(["text"]) if given.small else ())
        second = write_text(Path(scratch) / "second.en", small_sets(["text"]) if given.small else (), SECOND)
        table = existing(DATA / "paraphrase" / "ppdb-1.0-xxxl-lexical.uniquepairs.txt")
        named = systems(text, second, "" if given.small else str(table), given.small)
        for name in filter(None, given.without.split(",")):
            del named[name]
        chain = english_chain if "uow" in named else partial(trained, "syntax")
        if given.small:
            years = small_years()
        else:
            years = real_years(given.years.split(), given.pairs, chain(cache), cache, given.threads)
        all_systems = Systems(named, cache)
        for year in years:
            study, speeds, weights = all_systems.run(year, given.threads)
            rows = rows_of(study, speeds)
            tables[year.name] = (rows, claims_of(year.name, study))
            if (printed := published_of(year.name, study)).rows:
                near = Claim(
                    f"{year.name}: no published system is more than 0.05 above ours on any set",
                    lambda table: all(row["lowest of ours less theirs"] >= -0.05 for row in table.rows),
                )
                tables[f"{year.name}: published"] = (printed, [near])
            tables[f"{year.name}: the ensemble against the others"] = (tests_of(study), [ensemble_claim(year.name)])
            tables[f"{year.name}: weights of the ensemble"] = (weights, [])
            if year.name == "2013":
                found, columns = all_systems.columns(year, given.threads)
                tables["2012: other ensembles, each set left out"] = (
                    choices(list(found), columns, year.train[1], year.sets),
                    [],
                )
            plot = dot_plot(rows, label=lambda row: str(row["system"]), figure="Mean")
        assert plot is not None
        publish(
            "Similarity systems on the shared tasks",
            __doc__,
            tables,
            pictures={"plot": plot},
            out=given.out,
            settings={**vars(given), "texts": TEXTS, "dimensions": 200, "seed": 1, "samples": 10_000},
        )


if __name__ == "__main__":
    main()
