"""Is online tuning as good as batch tuning for a few features, and quicker for very many? (Green et al. 2013)

    python experiments/p17_online/run.py --out docs/experiments/p17

German to English, Multi30k: tuned on 70 % of `val` and about as much text held out of training, the best iteration
chosen on the rest of `val`, reported on `test_2016_flickr`; one reference. The sets of features are the dense model
alone (`dense`), classes and shapes (`extended`, thousands) and words (`sparse`, hundreds of thousands that may fire).
MERT is run for the dense model only. Processor seconds are those of decoding and learning together. Then, with a third
of the text: threads, stale gradients, how many features different strengths of L1 keep, how rates matter, and tuning on
text of the training kind.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.charts import line_plot
from dragoman.features.weights import Weights
from dragoman.search.phrase import PhraseDecoder
from dragoman.tuning import TUNERS, tune
from dragoman.tuning.base import Tuner
from dragoman.tuning.dev import DevSet
from dragoman.tuning.families import Selection, overlap
from dragoman.tuning.online import Online
from dragoman.tuning.result import TuningResult
from experiments.common import Claim, Table, arguments, dot_plot, record
from experiments.systems import System, Texts, system

Row = dict[str, Any]

TUNER: dict[str, Callable[[], Tuner]] = {
    "MERT": lambda: TUNERS.get("mert")(restarts=4),  # type: ignore[call-arg]
    "PRO": lambda: TUNERS.get("pro")(),
    "MIRA": lambda: TUNERS.get("mira")(),
    "online": lambda: Online(),
    "online expected": lambda: Online(loss="expected"),
}


class Bench:
    """Runs tuners on one system and collects rows."""

    def __init__(
        self, made: System, *, iterations: int, pop_limit: int, nbest: int, rows: list[Row] | None = None
    ) -> None:
        self.system, self.iterations, self.pop_limit, self.nbest = made, iterations, pop_limit, nbest
        self.rows = [] if rows is None else rows
        self.curves: dict[str, list[tuple[float, float]]] = {}

    @cache  # noqa: B019 - lives as long as the program
    def decoder(self, features: str) -> PhraseDecoder:
        return self.system.decoder(self.system.templates(features), pop_limit=self.pop_limit)

    @cache  # noqa: B019
    def set(self, name: str) -> DevSet:
        texts: Texts = getattr(self.system, name)
        return DevSet.of(*texts)

    def score(self, features: str, weights: Weights, name: str = "test") -> float:
        decoder = self.decoder(features).with_weights(weights)
        chosen = self.set(name)
        return 100 * chosen.score([found.text for found in decoder.translate(chosen.source)])

    def run(
        self,
        label: str,
        features: str,
        tuner: Tuner,
        *,
        on: str = "dev",
        threads: int = 0,
        iterations: int | None = None,
        limit: int | None = None,
        last: bool = False,
    ) -> tuple[TuningResult, Row]:
        """Tune once; a row of the table, for the pass chosen on the held-out set or for the last one."""
        source, target = getattr(self.system, on)
        source, target = source[:limit], target[:limit]
        cpu, wall = time.process_time(), time.perf_counter()
        curve: list[tuple[float, float]] = []
        result = tune(
            self.decoder(features),
            source,
            target,
            tuner=tuner,
            heldout=self.system.heldout,
            nbest=self.nbest,
            iterations=iterations or self.iterations,
            threads=threads,
            watch=lambda entry: curve.append((time.process_time() - cpu, 100 * (entry.heldout or 0.0))),
        )
        spent, waited = time.process_time() - cpu, time.perf_counter() - wall
        chosen = result.history[-1] if last else result.best
        row: Row = {
            "run": label,
            "features": features,
            "tuned on": f"{on} {len(source)}",
            "passes": len(result.history) - 1,
            "dev": 100 * chosen.score,
            "heldout": 100 * (chosen.heldout or 0.0),
            "test": self.score(features, chosen.weights),
            "kept": Selection.of(chosen.weights).size,
            "cpu s": round(spent, 1),
            "cpu s/pass": round(spent / max(1, len(result.history) - 1), 2),
            "wall s": round(waited, 1),
            "shown": chosen.number,
            "length": chosen.length_ratio,
        }
        print(row, flush=True)
        self.rows.append(row)
        self.curves[f"{label}, {features}"] = curve
        return result, row


def only(table: Table, **chosen: Any) -> Row:
    return table.where(**chosen)[0]


def spread(table: Table, rule: str) -> float:
    scores = [float(row["dev"]) for row in table.rows if row["run"].startswith(f"{rule}, rate")]
    return max(scores) - min(scores)


CLAIMS = [
    Claim(
        "dense: online within 1 BLEU of MERT on test",
        lambda t: only(t, run="online", features="dense")["test"] > only(t, run="MERT", features="dense")["test"] - 1,
    ),
    Claim(
        "online: a pass with words costs at most twice a dense pass",
        lambda t: (
            only(t, run="online", features="sparse")["cpu s/pass"]
            <= 2 * only(t, run="online", features="dense")["cpu s/pass"]
        ),
    ),
    Claim(
        "with words, a pass of online costs less than one of batch PRO",
        lambda t: (
            only(t, run="online", features="sparse")["cpu s/pass"] < only(t, run="PRO", features="sparse")["cpu s/pass"]
        ),
    ),
    Claim(
        "with words, online is better on test than batch PRO",
        lambda t: only(t, run="online", features="sparse")["test"] > only(t, run="PRO", features="sparse")["test"],
    ),
    Claim(
        "words raise dev BLEU by more than test BLEU (online)",
        lambda t: (
            only(t, run="online", features="sparse")["dev"] - only(t, run="online", features="dense")["dev"]
            > only(t, run="online", features="sparse")["test"] - only(t, run="online", features="dense")["test"]
        ),
    ),
    Claim(
        "words raise test BLEU over dense (online)",
        lambda t: only(t, run="online", features="sparse")["test"] > only(t, run="online", features="dense")["test"],
    ),
    Claim(
        "fewer features stay, the stronger L1 is",
        lambda t: (
            [only(t, run=f"L1 {l1}")["kept"] for l1 in ("0", "0.1", "1")]
            == sorted((only(t, run=f"L1 {l1}")["kept"] for l1 in ("0", "0.1", "1")), reverse=True)
        ),
    ),
    Claim("AdaGrad's dev BLEU varies less over rates than SGD's", lambda t: spread(t, "adagrad") < spread(t, "sgd")),
    Claim(
        "Nakov's sentence metric makes output longer than BLEU+1",
        lambda t: only(t, run="sentences by bleu-nakov")["length"] > only(t, run="sentences by bleu+1")["length"],
    ),
    Claim(
        "stale gradients of 4 batches: dev BLEU within 0.5 of sequential",
        lambda t: abs(only(t, run="4 stale")["dev"] - only(t, run="sequential")["dev"]) < 0.5,
    ),
    Claim(
        "two asynchronous workers need less time than one",
        lambda t: only(t, run="async, 2 workers")["wall s"] < only(t, run="async, 1 worker")["wall s"],
    ),
    Claim(
        "tuned on the bitext, better on bitext and worse on test than tuned on dev",
        lambda t: (
            only(t, run="tuned on bitext")["bitext BLEU"] > only(t, run="tuned on dev")["bitext BLEU"]
            and only(t, run="tuned on bitext")["test"] < only(t, run="tuned on dev")["test"]
        ),
    ),
]


def compare(bench: Bench) -> None:
    bench.rows.append(
        {
            "run": "untuned",
            "features": "dense",
            "tuned on": "",
            "passes": 0,
            "dev": bench.score("dense", bench.decoder("dense").weights, "dev"),
            "heldout": bench.score("dense", bench.decoder("dense").weights, "heldout"),
            "test": bench.score("dense", bench.decoder("dense").weights),
            "kept": 0,
            "cpu s": 0.0,
            "cpu s/pass": 0.0,
            "wall s": 0.0,
            "shown": 0,
            "length": 1.0,
        }
    )
    for features in ("dense", "extended", "sparse"):
        for name, make in TUNER.items():
            if name == "MERT" and features != "dense":
                continue
            bench.run(name, features, make())


def vary(bench: Bench) -> None:
    for metric in ("bleu+1", "bleu-nakov"):
        bench.run(f"sentences by {metric}", "dense", Online(sentence_metric=metric), last=True)
    for l1 in ("0", "0.1", "1"):
        bench.run(f"L1 {l1}", "sparse", Online(l1=float(l1)), iterations=2, last=True)
    for rule, rates in (("adagrad", (0.005, 0.02, 0.1)), ("sgd", (0.0005, 0.005, 0.05))):
        for rate in rates:
            bench.run(f"{rule}, rate {rate}", "extended", Online(rule=rule, rate=rate), iterations=1, last=True)
    bench.run("4 stale", "sparse", Online(workers=4), last=True)
    bench.run("sequential", "sparse", Online(), last=True)
    for workers in (1, 2):
        label = f"async, {workers} worker{'s' * (workers > 1)}"
        bench.run(label, "sparse", Online(mode="async", workers=workers), iterations=1, threads=1, last=True)


def domains(bench: Bench) -> str:
    """Tuning on `dev` against tuning on as much text of the training kind; the end of that text is for reporting."""
    source, target = bench.system.bitext
    held = source[-len(source) // 4 :], target[-len(target) // 4 :]
    size = min(len(source) - len(held[0]), len(bench.system.dev[0]))
    results = {}
    for on in ("dev", "bitext"):
        result, row = bench.run(f"tuned on {on}", "sparse", Online(), on=on, iterations=2, limit=size, last=True)
        results[on] = result.history[-1].weights
        part = DevSet.of(*held)
        decoder = bench.decoder("sparse").with_weights(results[on])
        row["bitext BLEU"] = 100 * part.score([found.text for found in decoder.translate(part.source)])
    shared = overlap(results["dev"], results["bitext"], kind="rule")
    return f"Rule features kept: {shared.first} tuned on dev, {shared.second} on bitext, {shared.both} by both."


def main() -> None:
    given = arguments(
        __doc__, out="docs/experiments/p17", iterations=5, pops=60, nbest=100, sentences=1700, tested=1000, small=False
    )
    whole = system(small=given.small)
    settings = {"pop_limit": given.pops, "nbest": given.nbest}
    bench = Bench(whole.limited(given.sentences, given.tested), iterations=given.iterations, **settings)
    compare(bench)
    main_curves = dict(bench.curves)
    bench = Bench(whole.limited(given.sentences // 3, given.tested), iterations=2, rows=bench.rows, **settings)
    vary(bench)
    note = domains(bench)
    print(note)
    for row in bench.rows:
        row.setdefault("bitext BLEU", "")
    table = Table(("run", "features"), tuple(bench.rows))
    facts = {**vars(given), "note": note}
    plot = line_plot(
        main_curves, title="held-out BLEU by processor time", x_name="processor seconds", y_name="BLEU", zero=False
    )
    record(table, CLAIMS, plot=plot, out=given.out, settings=facts)
    dots = dot_plot(table, label=lambda row: f"{row['run']}, {row['features']}", figure="test")
    (given.out / "test.svg").write_text(dots.svg(), "utf-8")


if __name__ == "__main__":
    main()
