"""A matrix of metrics: a system tuned to each of several metrics, and every result scored by all of them.

Which metric a system should be tuned to cannot be told from one score: tuning raises the metric that it looks at, and
often pays for that with others. The matrix shows it; metrics under which the same systems do well form families, and
how far runs with other seeds lie apart says which differences are worth a thought (Cer, Manning and Jurafsky 2010).

    >>> said = {"bleu": [["a b c d"], ["a b c e"]], "wer": [["a b c"], ["a b c"]]}
    >>> matrix = TuningMatrix.of(said, [["a b c d"]], {"bleu:2": "bleu:2,tokenize=none", "wer": "wer:tokenize=none"})
    >>> matrix.best("wer"), matrix.mean("wer", "wer"), matrix.deviation("wer", "wer"), matrix.length("wer")
    ('bleu', 25.0, 0.0, 0.75)
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dragoman.charts import heat_map
from dragoman.drawing import Drawing
from dragoman.errors import InputError
from dragoman.metrics import get_metric
from dragoman.metrics.base import Metric
from dragoman.metrics.references import References, ReferenceText
from dragoman.search.base import Tunable
from dragoman.settings import check_argument
from dragoman.text.source_text import Source
from dragoman.tuning.base import Tuner
from dragoman.tuning.loop import tune

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["TuningMatrix", "tuning_matrix"]

Outputs = Sequence[Sequence[str]]
"""What each run of a system says, segment by segment."""


@dataclass(frozen=True, slots=True)
class TuningMatrix:
    """Scores in points of systems (rows, by what they were tuned to) under metrics (columns), run by run."""

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    runs: Mapping[tuple[str, str], tuple[float, ...]]
    lengths: Mapping[str, tuple[float, ...]]
    """Words of output per word of the references, on average of these, run by run."""
    lower_is_better: frozenset[str]

    @staticmethod
    def of(
        outputs: Mapping[str, Outputs],
        references: ReferenceText,
        metrics: Mapping[str, str | Metric] | Sequence[str],
        *,
        threads: int = 0,
    ) -> TuningMatrix:
        """Score what systems said; metrics may have names of their own, as in `{"meteor:0.5": "meteor:alpha=0.5"}`."""
        if not outputs or not all(outputs.values()):
            raise InputError("a matrix of metrics needs systems with at least one output each")
        made = {name: get_metric(spec) for name, spec in _named(metrics).items()}
        if not made:
            raise InputError("a matrix of metrics needs metrics")
        runs: dict[tuple[str, str], tuple[float, ...]] = {}
        for name, metric in made.items():
            prepared = metric.prepare(references, threads=threads)
            for system, said in outputs.items():
                scores = (metric.corpus_score(list(each), prepared, threads=threads) for each in said)
                runs[system, name] = tuple(metric.scale * score for score in scores)
        streams = References.of(references).streams
        words = sum(len(text.split()) for stream in streams for text in stream if text is not None) / len(streams)
        lengths = {
            system: tuple(sum(len(text.split()) for text in each) / max(words, 1.0) for each in said)
            for system, said in outputs.items()
        }
        errors = frozenset(name for name, metric in made.items() if not metric.higher_is_better)
        return TuningMatrix(tuple(outputs), tuple(made), runs, lengths, errors)

    def mean(self, system: str, metric: str) -> float:
        """Over the runs."""
        return statistics.fmean(self.runs[system, metric])

    def deviation(self, system: str, metric: str) -> float:
        """Standard deviation over the runs; not a number for a single one."""
        runs = self.runs[system, metric]
        return statistics.stdev(runs) if len(runs) > 1 else math.nan

    def length(self, system: str) -> float:
        """Words of output per word of the references, over the runs."""
        return statistics.fmean(self.lengths[system])

    def best(self, metric: str, among: Iterable[str] | None = None) -> str:
        """The system that is best by a metric, on average over its runs; of some, or of all."""
        sign = -1 if metric in self.lower_is_better else 1
        return max(self.systems if among is None else among, key=lambda system: sign * self.mean(system, metric))

    def heat_map(self, *, title: str = "", rules: Collection[int] = ()) -> Drawing:
        """Means, each metric shaded from its worst to its best system; `rules` are columns with a line before them."""
        title = title or "tuned to a metric (rows), scored by all (columns)"
        return self._map(self.mean, title, self.lower_is_better, rules)

    def stability_map(self, *, title: str = "", rules: Collection[int] = ()) -> Drawing:
        """Standard deviations over the runs, the darker the smaller."""
        return self._map(self.deviation, title or "standard deviation over runs", self.metrics, rules)

    def _map(
        self, cell: Callable[[str, str], float], title: str, lower: Collection[str], rules: Collection[int]
    ) -> Drawing:
        rows = [(system, [cell(system, metric) for metric in self.metrics]) for system in self.systems]
        return heat_map(rows, self.metrics, title=title, lower_is_better=lower, rules=rules)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "metrics": {name: {"higher_is_better": name not in self.lower_is_better} for name in self.metrics},
            "systems": {
                system: {
                    "length": list(self.lengths[system]),
                    "scores": {metric: list(self.runs[system, metric]) for metric in self.metrics},
                }
                for system in self.systems
            },
        }

    def __rich__(self) -> Table:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False)
        table.add_column("tuned to")
        for name in (*self.metrics, "length"):
            table.add_column(Text(name), justify="right")
        best = {metric: self.best(metric) for metric in self.metrics}
        for system in self.systems:
            cells = [
                Text(f"{self.mean(system, metric):.2f}", style="bold" if best[metric] == system else "")
                for metric in self.metrics
            ]
            table.add_row(Text(system), *cells, Text(f"{self.length(system):.3f}"))
        return table


def tuning_matrix(
    decoder: Tunable,
    dev: tuple[Sequence[Source], ReferenceText],
    test: tuple[Sequence[Source], ReferenceText],
    *,
    tuned_to: Mapping[str, str | Metric] | Sequence[str],
    scored_by: Mapping[str, str | Metric] | Sequence[str] | None = None,
    runs: int = 5,
    tuner: str | Tuner = "auto",
    iterations: int = 10,
    nbest: int = 100,
    threads: int = 0,
    watch: Callable[[str, int], None] | None = None,
) -> TuningMatrix:
    """Tune a decoder to each metric, with several seeds, and score what it then says of tokenised test text by all.

    Metrics may have names of their own, as for `TuningMatrix.of`; without `scored_by` they are the same. Runs of equal
    number have the same seed, so that MERT starts from the same points for every metric. `watch` is told the metric
    and the number of each run as it ends.
    """
    check_argument("runs", runs, int, least=1)
    goals = _named(tuned_to)
    outputs: dict[str, list[list[str]]] = {}
    for name, goal in goals.items():
        for seed in range(1, runs + 1):
            found = tune(
                decoder,
                *dev,
                tuner=tuner,
                metric=goal,
                iterations=iterations,
                nbest=nbest,
                seed=seed,
                threads=threads,
            )
            tuned = decoder.with_weights(found.weights)
            outputs.setdefault(name, []).append([each.text for each in tuned.translate(test[0], threads=threads)])
            if watch is not None:
                watch(name, seed)
    judges = _named(goals if scored_by is None else scored_by)
    tokens = {name: get_metric(spec).for_tokens() for name, spec in judges.items()}
    return TuningMatrix.of(outputs, test[1], tokens, threads=threads)


def _named(metrics: Mapping[str, str | Metric] | Sequence[str]) -> dict[str, str | Metric]:
    """Metrics by the names that they were given, or by what describes them."""
    return dict(metrics) if isinstance(metrics, Mapping) else {name: name for name in metrics}
