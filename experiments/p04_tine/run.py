"""TINE against BLEU, METEOR and TER, by what people said of single segments.

Does adequacy of predicates and arguments add to the overlap of words, and where does it stand among other metrics
(Rios, Aziz and Specia 2011)? Two kinds of judgements: people's preferences between outputs of five systems
(newstest2016, Czech to English), measured by Kendall's tau in the three forms of the metrics tasks, with a paired
bootstrap over segments for differences; and direct assessment of segments of newstest2013 into English, measured by
Pearson's correlation, with Williams' test. The rankings of 2010, on which the paper reports, are not at hand.

Trees are by our parser (English-EWT), roles by a model trained on PropBank over EWT or by rules over the tree, verbs
are related by WordNet or VerbNet, and `neighbours` widens arguments by words of the same contexts (28,000 lines of
`TEXTS` in `experiments/similarity_sets.py`).
Weights are searched by the genetic algorithm on the segments with odd numbers and tried on the others.

    python experiments/p04_tine/run.py --cache FOLDER    # keeps the annotators
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from dragoman._native.metrics import bootstrap_sums
from dragoman.annotations.training import train_annotator
from dragoman.evaluation.correlation import ScoredPreference, pearson, wmt_kendall
from dragoman.evaluation.preferences import JudgedPair, PreferenceStudy, read_preferences, study_preferences
from dragoman.evaluation.williams import compare_metrics
from dragoman.files import read_lines
from dragoman.metrics import Metric, get_metric
from dragoman.metrics.base import Floats
from dragoman.metrics.tine import Tine, tune_weights
from dragoman.semantics.profiles import Profiles
from dragoman.text import synthetic
from experiments.common import Claim, Table, arguments, dot_plot, publish
from experiments.similarity_sets import DATA, existing, trained, write_text

HOME = Path(__file__).parent.parent.parent
WMT = DATA / "wmt"
SYSTEMS = ("PJATK", "cu-mergedtrees", "jhu-pbmt", "online-B", "uedin-nmt")
ASSESSED = ("cs-en", "de-en", "es-en", "ru-en")
SEARCH = {"population": 80, "generations": 100}
PUBLISHED = {"words alone": 0.23, "TINE": 0.26, "BLEU": 0.26, "TINE-B": 0.28, "METEOR": 0.32}
"""Kendall's tau, mean over four language pairs of 2010 (Rios, Aziz and Specia 2011)."""


def ranked(small: bool) -> tuple[dict[str, list[str]], list[str], list[JudgedPair]]:
    """Outputs of systems, references, and preferences; segments count from 1."""
    if small:
        draws = np.random.default_rng(3)
        lines = [item.source.text for item in synthetic.pair("en-de").generate(40, seed=5)]
        good = [line.replace("the", "a") for line in lines]
        bad = [" ".join(np.array(line.split())[draws.permutation(len(line.split()))[:4]].tolist()) for line in lines]
        return (
            {"good": good, "bad": bad},
            lines,
            [JudgedPair(str(at + 1), "good", "bad", 1) for at in range(len(lines))],
        )
    folder = WMT / "newstest2016-cs-en"
    outputs = {name: list(read_lines(existing(folder / name))) for name in SYSTEMS}
    return outputs, list(read_lines(existing(folder / "ref.en"))), read_preferences(existing(folder / "pairwise.tsv"))


def assessed(pair: str, small: bool) -> tuple[list[str], list[str], Floats]:
    """Outputs, references and what people gave them."""
    if small:
        outputs, reference, _ = ranked(True)
        lines = outputs["good"][:20] + outputs["bad"][20:]
        shared = [len(set(a.split()) & set(b.split())) / len(b.split()) for a, b in zip(lines, reference, strict=True)]
        return lines, reference, np.array(shared) + np.random.default_rng(4).normal(0, 0.1, len(lines))
    folder = WMT / "direct-assessment"
    texts = [list(read_lines(existing(folder / f"{kind}.pre-tok.{pair}"))) for kind in ("sys", "ref")]
    rows = [line.split() for line in read_lines(existing(folder / f"human-scores.{pair}.csv"))][1:]
    return texts[0], texts[1], np.array([float(row[3]) for row in rows])


def metrics_of(cache: Path, scratch: Path, small: bool, threads: int) -> dict[str, Metric]:
    """All metrics by the name that tables give them."""
    if small:
        made = [item.source.annotated for item in synthetic.pair("en-de").generate(80, seed=1)]
        syntax, roles = scratch / "syntax", "role-rules"
        train_annotator("syntax", [one.with_layers(tags=one.pos) for one in made], epochs=2).save(syntax, language="en")
        near = None
    else:
        for kind in ("syntax", "roles"):
            trained(kind, cache)
        syntax, roles = cache / "en-syntax", str(cache / "en-roles")
        near = scratch / "profiles"
        text = write_text(scratch / "text.en")
        lowered = [line.lower() for line in list(read_lines(text))[::4]]
        Profiles.train(lowered, threads=threads).save(near)
    parsed: dict[str, Any] = {"syntax": str(syntax), "roles": roles, "ontology": "none" if small else "wordnet"}
    found: dict[str, Metric] = {
        "words alone": Tine(beta=0),
        "TINE": Tine(**parsed),
        "TINE, roles by rule": Tine(**{**parsed, "roles": "role-rules"}),
        "TINE-B": Tine(**parsed, lexical="bleu"),
        "adequacy alone": Tine(**parsed, alpha=0, beta=1),
    }
    if near is not None:
        verbnet = f"verbnet:{DATA / 'treebanks' / 'verbnet' / 'verbnet3.zip'}"
        found["TINE, VerbNet"] = Tine(**{**parsed, "ontology": verbnet})
        found["TINE, neighbours"] = Tine(**parsed, neighbors=str(near))
    stages = "stages=exact+stem" if small else ""
    return found | {
        "BLEU": get_metric("bleu+1"),
        "METEOR": get_metric(f"meteor:{stages}" if stages else "meteor"),
        "TER": get_metric("ter"),
    }


def scored(metric: Metric, outputs: Sequence[str], reference: Sequence[str], threads: int) -> Floats:
    """Scores of segments; more is better."""
    return metric.sign * np.asarray(metric.sentence_scores(list(outputs), list(reference), threads=threads))


def difference(
    pairs: Sequence[JudgedPair],
    first: Mapping[tuple[str, str], float],
    second: Mapping[tuple[str, str], float],
) -> tuple[float, float]:
    """How much higher the first metric's tau is (the form of 2014), and how often it is not in bootstrap samples."""
    counts: dict[str, list[float]] = {}
    for pair in pairs:
        if pair.preferred:
            row = counts.setdefault(pair.segment, [0.0, 0.0, 0.0])
            for at, scores in enumerate((first, second)):
                row[at] += pair.preferred * np.sign(
                    scores[pair.first, pair.segment] - scores[pair.second, pair.segment]
                )
            row[2] += 1
    table = np.array(list(counts.values()))
    sums = bootstrap_sums(table, samples=10_000, seed=1)
    total = table.sum(0)
    return float((total[0] - total[1]) / total[2]), float(np.mean(sums[:, 0] <= sums[:, 1]))


def tuned(
    tine: Tine,
    outputs: Mapping[str, list[str]],
    reference: list[str],
    pairs: list[JudgedPair],
    small: bool,
    threads: int,
) -> Table:
    """Weights found on segments with odd numbers, tried on the others."""
    used = sorted({int(pair.segment) - 1 for pair in pairs})
    parts = {
        name: tine.parts([lines[at] for at in used], [reference[at] for at in used], threads=threads)
        for name, lines in outputs.items()
    }
    place = {at: row for row, at in enumerate(used)}
    names = list(outputs)
    lexical, adequacy = (np.concatenate([parts[name][part] for name in names]) for part in (0, 1))

    def preferences(scores: Floats, odd: bool) -> list[ScoredPreference]:
        by_system = scores.reshape(len(names), len(used))
        return [
            ScoredPreference(
                pair.preferred,
                *(
                    float(by_system[names.index(one), place[int(pair.segment) - 1]])
                    for one in (pair.first, pair.second)
                ),
            )
            for pair in pairs
            if int(pair.segment) % 2 == odd
        ]

    size = {"population": 6, "generations": 3} if small else SEARCH
    found = tune_weights(lexical, adequacy, lambda scores: wmt_kendall(preferences(scores, True), "wmt12"), **size)
    rows = []
    for name, (alpha, beta) in {"as published": (1.0, 0.25), "searched": found.best, "words alone": (1.0, 0.0)}.items():
        scores = (alpha * lexical + beta * adequacy) / (alpha + beta)
        row: dict[str, Any] = {"weights": name, "beta / alpha": beta / alpha}
        for part, odd in (("odd", True), ("even", False)):
            row[f"tau wmt12, {part} segments"] = wmt_kendall(preferences(scores, odd), "wmt12")
        rows.append(row)
    rows[0]["segments without adequacy"] = float(np.mean(adequacy == 0))
    for row in rows[1:]:
        row["segments without adequacy"] = float("nan")
    return Table(("weights",), tuple(rows))


def main() -> None:
    given = arguments(__doc__, out=str(HOME / "docs/experiments/p04"), cache="", threads=0, small=False)
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        cache = Path(given.cache) if given.cache else place
        cache.mkdir(parents=True, exist_ok=True)
        metrics = metrics_of(cache, place, given.small, given.threads)
        outputs, reference, pairs = ranked(given.small)
        used = sorted({int(pair.segment) - 1 for pair in pairs})
        scores: dict[str, dict[tuple[str, str], float]] = {}
        for name, metric in metrics.items():
            scores[name] = {}
            for system, lines in outputs.items():
                found = scored(metric, [lines[at] for at in used], [reference[at] for at in used], given.threads)
                scores[name] |= {(system, str(at + 1)): float(v) for at, v in zip(used, found, strict=True)}
            print(name, "preferences", flush=True)
        study = study_preferences(pairs, scores)
        human: dict[str, Floats] = {}
        segments: dict[str, dict[str, Floats]] = {}
        for pair in ASSESSED:
            lines, references, human[pair] = assessed(pair, given.small)
            segments[pair] = {n: scored(metric, lines, references, given.threads) for n, metric in metrics.items()}
            print(pair, "direct assessment", flush=True)
        tine = metrics["TINE"]
        assert isinstance(tine, Tine)
        weights = tuned(tine, outputs, reference, pairs, given.small, given.threads)
    write(given, study, pairs, scores, human, segments, weights)


def write(
    given: Any,
    study: PreferenceStudy,
    pairs: list[JudgedPair],
    scores: dict[str, dict[tuple[str, str], float]],
    human: dict[str, Floats],
    segments: dict[str, dict[str, Floats]],
    weights: Table,
) -> None:
    """The page."""
    taus = []
    for one in study.metrics:
        row: dict[str, Any] = {"metric": one.metric, **{f"tau {form}": one.tau[form] for form in one.tau}}
        row |= {"from (wmt14)": one.intervals["wmt14"][0], "to (wmt14)": one.intervals["wmt14"][1]}
        more, p = difference(pairs, scores["TINE"], scores[one.metric])
        row |= {"TINE is higher by": more, "p": p if one.metric != "TINE" else float("nan")}
        taus.append(row | {"published, other data": PUBLISHED.get(one.metric, float("nan"))})
    tau_table = Table(("metric",), tuple(taus))
    correlations = []
    for name in scores:
        row = {"metric": name}
        for pair in segments:
            row[pair] = float(pearson(segments[pair][name], human[pair]))
        for pair in segments:
            p = float("nan")
            if name != "TINE" and np.ptp(segments[pair]["TINE"] - segments[pair][name]) > 0:
                p = compare_metrics(
                    segments[pair]["TINE"],
                    segments[pair][name],
                    human[pair],
                    a_higher_is_better=True,
                    b_higher_is_better=True,
                ).p
            row[f"p, TINE better, {pair}"] = p
        correlations.append(row)
    assessed_table = Table(("metric",), tuple(correlations))

    def tau(metric: str) -> float:
        return study[metric].tau["wmt14"]

    def p_of(first: str, second: str) -> float:
        return difference(pairs, scores[first], scores[second])[1]

    def r(metric: str, pair: str) -> float:
        number: float = assessed_table.where(metric=metric)[0][pair]
        return number

    about_tau = [
        Claim(
            "adequacy helps words: TINE's tau is above that of words alone, p < 0.05",
            lambda t: tau("TINE") > tau("words alone") and p_of("TINE", "words alone") < 0.05,
        ),
        Claim(
            "TINE is about as good as BLEU: its tau is no more than 0.02 below",
            lambda t: tau("TINE") >= tau("BLEU") - 0.02,
        ),
        Claim(
            "adequacy helps BLEU: TINE-B's tau is above BLEU's, p < 0.05",
            lambda t: tau("TINE-B") > tau("BLEU") and p_of("TINE-B", "BLEU") < 0.05,
        ),
        Claim(
            "METEOR's tau is above TINE's, p < 0.05",
            lambda t: tau("METEOR") > tau("TINE") and p_of("METEOR", "TINE") < 0.05,
        ),
        Claim("TINE's tau is above TER's, p < 0.05", lambda t: tau("TINE") > tau("TER") and p_of("TINE", "TER") < 0.05),
    ]
    about_r = [
        Claim(
            "TINE correlates higher than words alone on every language pair",
            lambda t: all(r("TINE", pair) > r("words alone", pair) for pair in segments),
        ),
        Claim(
            "on some language pair significantly so (Williams, p < 0.05)",
            lambda t: any(t.where(metric="words alone")[0][f"p, TINE better, {pair}"] < 0.05 for pair in segments),
        ),
        Claim(
            "METEOR correlates higher than TINE on most language pairs",
            lambda t: 2 * sum(r("METEOR", pair) > r("TINE", pair) for pair in segments) > len(segments),
        ),
    ]
    about_weights = [
        Claim(
            "the search gives adequacy less weight than published (beta / alpha below 0.25)",
            lambda t: t.rows[1]["beta / alpha"] < 0.25,
        ),
        Claim(
            "searched weights are at least as good as the published ones where they were not searched",
            lambda t: t.rows[1]["tau wmt12, even segments"] >= t.rows[0]["tau wmt12, even segments"],
        ),
    ]
    publish(
        "TINE: adequacy from predicates and arguments",
        __doc__,
        {
            f"{study.pairs - study.ties} preferences, {study.segments} segments": (tau_table, about_tau),
            "Direct assessment, Pearson": (assessed_table, about_r),
            "Weights": (weights, about_weights),
        },
        pictures={"plot": dot_plot(tau_table, label=lambda row: str(row["metric"]), figure="tau wmt14")},
        out=given.out,
        settings={**vars(given), "seed": 1, "samples": 10_000, **SEARCH},
    )


if __name__ == "__main__":
    main()
