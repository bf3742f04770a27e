"""Similarity systems on the shared tasks of 2012, 2013 and 2014: trained on the years before, tested on the later ones.

Do the claims of the task papers (Agirre et al. 2012, 2013, 2014) hold for our systems on the sets that are at hand? The
2012 systems learn from that year's training sets, those of 2013 from all of 2012, those of 2014 from 2012 and 2013.
The video captions of 2012 and the machine translations of 2013 are not here, so means are over the other sets. Scorers
that use words in context learn them from English text (Wikipedia sentences, captions, package descriptions, news:
`TEXTS`); DLS has PPDB's single words and trees by our parser, trained on English-EWT; `dls, glosses` also leaves out
the words that definitions are made of, as the winner did for OnWN only, here on all sets.

Every 'better' is a one-sided paired bootstrap over pairs within sets (10,000 samples), beside Williams' test by set.

    python experiments/p18_similarity/run.py --cache FOLDER    # keeps the parser and the annotated sets
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from dragoman.annotations import annotator_chain
from dragoman.annotations.training import train_annotator
from dragoman.annotations.treebanks import read_treebank
from dragoman.evaluation.similarity_runs import RunScores, RunStudy, study_runs
from dragoman.files import read_lines
from dragoman.similarity import PairScorer, PairSet, TextPair, annotate_pairs, get_scorer, read_task
from dragoman.text import synthetic
from experiments.common import Claim, Table, arguments, dot_plot, publish

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data"))
TEXTS = {
    "indian/ur-en/lm.en": 40_000,
    "multi30k/train.en": 29_000,
    "debian/mono.en": 40_000,
    "wmt/newstest2013/references/newstest2013.en": 3_000,
}
"""What words are learned from: files and the first so many lines of each."""
PUBLISHED_BASELINE = {
    "2012": {"MSRpar": 0.4334, "SMTeuroparl": 0.4542, "OnWN": 0.5864, "SMTnews": 0.3908},
    "2013": {"headlines": 0.5399, "OnWN": 0.2828, "FNWN": 0.2146},
    "2014": {
        "deft-forum": 0.353, "deft-news": 0.596, "headlines": 0.510,
        "images": 0.513, "OnWN": 0.406, "tweet-news": 0.654,
    },
}  # fmt: skip
PUBLISHED_DLS = {
    "deft-forum": 0.483, "deft-news": 0.766, "headlines": 0.765, "images": 0.821, "OnWN": 0.723, "tweet-news": 0.764,
}  # fmt: skip
"""DLS@CU-run1 (Agirre et al. 2014)."""


@dataclass(frozen=True)
class Year:
    """What systems of a year learn from, and are tested on."""

    name: str
    train: tuple[PairSet, ...]
    test: tuple[PairSet, ...]


def existing(path: Path) -> Path:
    """The file, or its compressed form."""
    return path if path.exists() else path.with_name(path.name + ".gz")


def real_years(cache: Path, threads: int) -> list[Year]:
    """The sets, with trees."""
    model = cache / "en-syntax"
    if not model.exists():
        sentences = read_treebank([existing(DATA / "treebanks" / "ud" / "en_ewt-ud-train.conllu")])
        train_annotator("syntax", sentences).save(model, language="en")
    chain = annotator_chain.load(str(model))

    def sets(year: str, part: str) -> tuple[PairSet, ...]:
        found = read_task(sorted((DATA / "sts" / year).glob(f"*.{part}.tsv*")))
        return tuple(one.with_pairs(annotate_pairs(one.pairs, chain, threads=threads)) for one in found)

    first, second, third, fourth = (
        sets("2012", "train"),
        sets("2012", "test"),
        sets("2013", "test"),
        sets("2014", "test"),
    )
    return [
        Year("2012", first, second),
        Year("2013", (*first, *second), third),
        Year("2014", (*first, *second, *third), fourth),
    ]


def small_years() -> list[Year]:
    """Made-up sentences with their trees, as alike as the words that they share."""
    draws = np.random.default_rng(1)
    sentences = [item.source.annotated for item in synthetic.pair("en-de").generate(60, seed=2)]

    def made(name: str, start: int) -> PairSet:
        pairs, gold = [], []
        for at in range(start, start + 20):
            other = at if draws.random() < 0.2 else int(draws.integers(60))
            words = [set(sentences[k].words) for k in (at, other)]
            shared = len(words[0] & words[1]) / len(words[0] | words[1])
            pairs.append(TextPair(sentences[at], sentences[other]))
            gold.append(float(np.clip(5 * shared + draws.normal(0, 0.4), 0, 5)))
        return PairSet(name, tuple(pairs), tuple(gold))

    return [Year("2014", (made("train", 0),), (made("one", 20), made("two", 40)))]


def systems(text: Path, paraphrases: str, small: bool) -> dict[str, tuple[str, list[str]]]:
    """Scorers by the name that tables give them."""
    known = [f"text={text}", f"dimensions={4 if small else 200}"]
    wordnet = [] if not small else ["wordnet=false"]
    given = [f"paraphrases={paraphrases}"] if paraphrases else []
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
        "takelab": ("takelab", [*known, *wordnet]),
        "ukp": ("ukp", [*known, *wordnet]),
    }
    if not small:
        found |= {"matching by WordNet": ("matching", []), "pairing-words": ("pairing-words", known)}
    members = [spec if not options else ":".join([spec, *options]) for spec, options in found.values()]
    return found | {"ensemble": ("ensemble", [f"members={','.join(members)}"])}


def joined(sets: Sequence[PairSet]) -> tuple[list[TextPair], Any]:
    """All pairs of several sets, and what people gave them, of 1."""
    return [pair for one in sets for pair in one.pairs], np.concatenate([one.scores() for one in sets]) / 5


def run_year(year: Year, named: dict[str, tuple[str, list[str]]], threads: int) -> tuple[RunStudy, dict[str, float]]:
    """All systems on the sets of a year, and pairs a CPU second of each."""
    outputs: dict[str, dict[str, RunScores]] = {}
    speeds: dict[str, float] = {}
    for name, (spec, options) in named.items():
        scorer: PairScorer = get_scorer(spec, options)
        if scorer.learns:
            scorer.fit(*joined(year.train), threads=threads)
        scorer.score(year.test[0].pairs[:2], threads=threads)  # what is worked out once
        started = time.process_time()
        outputs[name] = {one.name: RunScores.of(scorer.score(one.pairs, threads=threads)) for one in year.test}
        pairs = sum(map(len, year.test))
        speeds[name] = pairs / max(1e-9, time.process_time() - started)
        print(year.name, name, f"{speeds[name]:.0f} pairs/s", flush=True)
    return study_runs({one.name: one.scores() for one in year.test}, outputs), speeds


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


def claims_of(year: str, study: RunStudy) -> list[Claim]:
    sets = list(study.sizes)
    claims = [
        Claim(
            f"{year}: a trained feature system (takelab or ukp) beats the published baseline in Mean, p < 0.05",
            lambda table: min(study.compare(name, "token-cosine").bootstrap for name in ("takelab", "ukp")) < 0.05,
        ),
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
    published = {name: r for name, r in PUBLISHED_BASELINE[year].items() if name in sets}
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
            Claim(
                "2014: DLS, untrained, beats the system of 2012 trained on 2012 and 2013 (takelab) in Mean, p < 0.05",
                lambda table: study.compare("dls", "takelab").bootstrap < 0.05,
            ),
        ]
        if "OnWN" in sets:
            ours = dict.fromkeys(sets, 0.05)
            claims += [
                Claim(
                    "2014: the mean of DLS is within 0.05 of its published one (.734)",
                    lambda table: abs(value(table, "dls", "Mean") - 0.734) <= 0.05,
                ),
                Claim(
                    "2014: DLS is within 0.05 of its published correlation on every set",
                    lambda table: all(
                        abs(value(table, "dls", name) - PUBLISHED_DLS[name]) <= room for name, room in ours.items()
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
    given = arguments(__doc__, out=str(HOME / "docs/experiments/p18"), cache="", threads=0, small=False)
    tables: dict[str, tuple[Table, list[Claim]]] = {}
    plot = None
    with tempfile.TemporaryDirectory() as scratch:
        cache = Path(given.cache or scratch)
        cache.mkdir(parents=True, exist_ok=True)
        years = small_years() if given.small else real_years(cache, given.threads)
        text = Path(scratch) / "text.en"
        if given.small:
            lines = [side.text for one in years[0].train for pair in one.pairs for side in (pair.first, pair.second)]
        else:
            lines = [line for name, most in TEXTS.items() for line in islice(read_lines(existing(DATA / name)), most)]
        text.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        table = existing(DATA / "paraphrase" / "ppdb-1.0-xxxl-lexical.uniquepairs.txt")
        named = systems(text, "" if given.small else str(table), given.small)
        for year in years:
            study, speeds = run_year(year, named, given.threads)
            rows = rows_of(study, speeds)
            tables[year.name] = (rows, claims_of(year.name, study))
            tables[f"{year.name}: the ensemble against the others"] = (tests_of(study), [ensemble_claim(year.name)])
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
