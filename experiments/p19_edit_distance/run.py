"""Probabilistic edit distance with and without jumps on the sets of 2012 (Wang and Cer 2012).

Each model is fitted to one training set (`own`; sets without one use the joint model, as the authors did) or to all
training sets together (`joint`), and measured by Pearson's correlation on the test sets. The video captions are not at
hand. `untrained` has all weights 0: the number of edit sequences alone. Jumps match at most `ahead` words before they
come back (the paper: any number). `paraphrases` adds single words that PPDB calls paraphrases; the phrases of two words
that the paper has too are not at hand. `entailment` is their second system: features of entailment in both directions
and sentence BLEU in a support-vector regression over all training pairs, with our parser's trees (English-EWT);
`--edits` leaves it out.
Differences are tested by Williams' test on each set, because the models share the gold.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from dragoman.evaluation.similarity_runs import RunScores, RunStudy, study_runs
from dragoman.evaluation.williams import compare_metrics
from dragoman.similarity import PairSet, TextPair, get_scorer
from dragoman.similarity.edit_distance import FEATURES, EditModel
from experiments.common import Claim, Table, arguments, dot_plot, publish
from experiments.similarity_sets import DATA, english_chain, existing, joined, real_sets

HOME = Path(__file__).parent.parent.parent
PUBLISHED = {
    "pFSM, joint": {"MSRpar": 0.3769, "SMTeuroparl": 0.4256, "OnWN": 0.6052, "SMTnews": 0.4164},
    "pPDA, joint": {"MSRpar": 0.4409, "SMTeuroparl": 0.4558, "OnWN": 0.6468, "SMTnews": 0.4769},
    "entailment": {"MSRpar": 0.4374, "SMTeuroparl": 0.3533, "OnWN": 0.3077, "SMTnews": 0.3235},
}
"""With lemmas, synonyms and paraphrases, trained on the video captions too (Wang and Cer 2012)."""


def small_sets() -> tuple[dict[str, PairSet], dict[str, PairSet]]:
    """Made-up sentences, as alike as the words that they share, some of them turned round."""
    draws = np.random.default_rng(1)
    words = [f"w{number}" for number in range(12)]

    def made(name: str) -> PairSet:
        pairs, gold = [], []
        for _ in range(60):
            first = [str(word) for word in draws.choice(words, 5, replace=False)]
            kept = int(draws.integers(0, 6))
            second = [*first[:kept], *(str(word) for word in draws.choice(words, 5 - kept))]
            second = second[3:] + second[:3] if draws.random() < 0.5 else second
            pairs.append(TextPair.of(" ".join(first), " ".join(second)))
            gold.append(float(kept))
        return PairSet(name, tuple(pairs), tuple(gold))

    return {"one": made("one"), "two": made("two")}, {name: made(name) for name in ("one", "two", "three")}


def real_parts(cache: Path, edits: bool, threads: int) -> tuple[dict[str, PairSet], dict[str, PairSet]]:
    """The sets of 2012, with trees unless there are edits only: only entailment looks at them."""
    chain = None if edits else english_chain(cache)
    first, second = (real_sets("2012", part, chain, cache, threads) for part in ("train", "test"))
    return {one.name: one for one in first}, {one.name: one for one in second}


def fitted(kind: str, options: list[str], sets: list[PairSet], threads: int) -> EditModel:
    scorer = get_scorer(kind, options)
    assert isinstance(scorer, EditModel)
    scorer.fit(*joined(sets), threads=threads)
    return scorer


def untrained(options: list[str]) -> EditModel:
    scorer = get_scorer("pfsm", options)
    assert isinstance(scorer, EditModel)
    scorer._weights = np.zeros(FEATURES)
    return scorer


def study(small: bool, edits: bool, ahead: int, cache: Path, threads: int) -> tuple[RunStudy, dict[str, float], int]:
    train, test = small_sets() if small else real_parts(cache, edits, threads)
    known = ["synonyms=false"] if small else []
    kinds = {
        "pFSM, words": ("pfsm", ["synonyms=false"]),
        "pFSM": ("pfsm", known),
        "pPDA": ("ppda", [*known, f"max_ahead={ahead}"]),
    }
    if not small:
        table = f"paraphrases={existing(DATA / 'paraphrase' / 'ppdb-1.0-xxxl-lexical.uniquepairs.txt')}"
        kinds["pFSM, paraphrases"] = ("pfsm", [table])
    runs: dict[str, dict[str, RunScores]] = {}
    seconds: dict[str, float] = {}
    plain = untrained(known)
    runs["untrained"] = {name: RunScores.of(plain.score(one.pairs, threads=threads)) for name, one in test.items()}
    for label, (kind, options) in kinds.items():
        started = time.process_time()
        joint = fitted(kind, options, list(train.values()), threads)
        seconds[f"{label}, joint"] = time.process_time() - started
        own = {name: fitted(kind, options, [one], threads) for name, one in train.items()}
        for way in ("joint", "own"):
            chosen = {name: joint if way == "joint" else own.get(name, joint) for name in test}
            runs[f"{label}, {way}"] = {
                name: RunScores.of(chosen[name].score(one.pairs, threads=threads)) for name, one in test.items()
            }
        print(label, f"{seconds[f'{label}, joint']:.0f} s of processor time", flush=True)
    if not small and not edits:
        started = time.process_time()
        scorer = get_scorer("entailment").fit(*joined(list(train.values())), threads=threads)
        seconds["entailment"] = time.process_time() - started
        runs["entailment"] = {
            name: RunScores.of(scorer.score(one.pairs, threads=threads)) for name, one in test.items()
        }
    pairs = sum(map(len, train.values()))
    return study_runs({name: one.scores() for name, one in test.items()}, runs), seconds, pairs


def main() -> None:
    given = arguments(
        __doc__, out=str(HOME / "docs/experiments/p19"), cache="", ahead=5, edits=False, threads=0, small=False
    )
    with tempfile.TemporaryDirectory() as scratch:
        found, seconds, pairs = study(
            given.small, given.edits, given.ahead, Path(given.cache or scratch), given.threads
        )
    sets = list(found.sizes)
    rows: list[dict[str, Any]] = []
    for run in found.runs:
        row: dict[str, Any] = {"model": run.name, **{name: run.correlations[name] for name in sets}}
        row |= {"Mean": run.mean, "ALL": run.all, "seconds to fit": seconds.get(run.name, float("nan"))}
        rows.append(row)
    table = Table(("model",), tuple(rows))
    tests = []
    compared = [
        ("pPDA, joint", "pFSM, joint"),
        ("pPDA, own", "pFSM, own"),
        ("pFSM, joint", "pFSM, words, joint"),
        ("pFSM, joint", "untrained"),
    ]
    if not given.small:
        compared.append(("pFSM, paraphrases, joint", "pFSM, joint"))
    for better, worse in compared:
        test = found.compare(better, worse)
        row = {"first": better, "second": worse, "difference of Mean": test.difference, "p bootstrap": test.bootstrap}
        tests.append({**row, **{f"p Williams, {name}": test.williams.get(name, float("nan")) for name in sets}})

    def value(model: str, column: str) -> float:
        number: float = table.where(model=model)[0][column]
        return number

    def by_all(first: str, second: str) -> float:
        """The p-value that one run is no better than another by the correlation over all pairs."""
        gold = np.concatenate([found.gold[name] for name in sets])
        ours, theirs = (np.concatenate([found.outputs[run][name].scores for name in sets]) for run in (first, second))
        return compare_metrics(ours, theirs, gold, a_higher_is_better=True, b_higher_is_better=True).p

    separate = [by_all(f"{kind}, own", f"{kind}, joint") for kind in ("pFSM", "pPDA")]
    claims = [
        Claim(
            "under the joint model, jumps add at least 0.02 on every set, significantly (Williams, p < 0.05)",
            lambda rows: all(
                value("pPDA, joint", name) >= value("pFSM, joint", name) + 0.02
                and found.compare("pPDA, joint", "pFSM, joint").williams[name] < 0.05
                for name in sets
            ),
        ),
        Claim(
            "fitted weights are better than none on every set (Williams, p < 0.05)",
            lambda rows: all(found.compare("pFSM, joint", "untrained").williams.get(name, 1.0) < 0.05 for name in sets),
        ),
        Claim(
            "a model for each training set is better than the joint one by ALL, with and without jumps (Williams, p < "
            f"0.05: {', '.join(f'{p:.4f}' for p in separate)})",
            lambda rows: all(p < 0.05 for p in separate),
        ),
    ]
    if not given.small and not given.edits:
        claims.append(
            Claim(
                "entailment is weaker in Mean than edits with jumps, p < 0.05",
                lambda rows: found.compare("pPDA, joint", "entailment").bootstrap < 0.05,
            )
        )
    if not given.small:
        claims.append(
            Claim(
                "every joint model is within 0.06 of its published correlation, or above, on every set",
                lambda rows: all(
                    value(model, name) >= r - 0.06
                    for model, known in PUBLISHED.items()
                    if model in seconds
                    for name, r in known.items()
                ),
            )
        )
    publish(
        "Probabilistic edit distance",
        __doc__,
        {"Correlations": (table, claims), "Tests": (Table(("first", "second"), tuple(tests)), [])},
        pictures={"plot": dot_plot(table, label=lambda row: str(row["model"]), figure="Mean")},
        out=given.out,
        settings={**vars(given), "penalty": 5, "cutoff": 5, "jump": 5, "training pairs": pairs},
    )


if __name__ == "__main__":
    main()
