"""The loop around every tuner: decode, learn, score, log, choose.

    result = tune(decoder, source, [reference], metric="bleu", iterations=10)
    better = decoder.with_weights(result.weights)

Iteration 0 is the decoder as it came. After the last round of learning the dev set is decoded once more, so that every
set of weights that could be chosen has been tried in earnest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from dragoman.errors import SettingError
from dragoman.features.weights import Weights
from dragoman.metrics.base import Metric
from dragoman.metrics.references import ReferenceText
from dragoman.progress import ProgressCallback
from dragoman.search.base import Tunable
from dragoman.settings import check_argument
from dragoman.text.source_text import Source
from dragoman.tuning.base import Session, Tuner, TuningStep, TuningTask
from dragoman.tuning.dev import DevSet
from dragoman.tuning.families import family
from dragoman.tuning.health import ill_signs
from dragoman.tuning.log import SPENT, TuningLog, fingerprint, pick
from dragoman.tuning.result import Iteration, TuningResult
from dragoman.tuning.tuners import get_tuner

__all__ = ["chosen_tuner", "tune"]


def tune(
    decoder: Tunable,
    source: Sequence[Source],
    references: ReferenceText,
    *,
    tuner: str | Tuner = "auto",
    settings: Iterable[str] = (),
    metric: str | Metric = "bleu",
    iterations: int = 10,
    nbest: int = 100,
    seed: int = 1,
    threads: int = 0,
    start: Mapping[str, float] | None = None,
    fixed: Iterable[str] = (),
    heldout: tuple[Sequence[Source], ReferenceText] | None = None,
    log: Path | str | None = None,
    resume: bool = False,
    progress: ProgressCallback | None = None,
    watch: Callable[[Iteration], None] | None = None,
) -> TuningResult:
    """Tune the weights of a decoder on tokenised text; `references` is one list of sentences, or several.

    `tuner` is one by name, with `settings` written as `name=value`, `auto` for the usual one, or a tuner; `metric`
    is any metric or expression, such as `bleu - ter`. Weights of features named in `fixed` stay as they are, and those
    of families (`rule`; `dense` is all that are not sparse). With `heldout`, source and references, the best iteration
    is chosen there. `log` keeps a line of JSON per iteration; `resume` goes on from it. `watch` sees each iteration as
    it ends, after those of a resumed log. Results follow from `seed` and do not depend on `threads`.
    """
    check_argument("iterations", iterations, int, least=1)
    check_argument("nbest", nbest, int, least=1)
    if resume and log is None:
        raise SettingError("nothing to resume from", remedy="give the log of the run that was interrupted")
    dev = DevSet.of(source, references, metric, threads=threads)
    heldout_set = DevSet.of(*heldout, dev.metric, threads=threads) if heldout else None
    kept = TuningLog(log) if log is not None else None
    weights = Weights(decoder.weights if start is None else start)
    if resume and kept is not None and start is None:
        weights = kept.origin(weights)
    if not len(weights):
        raise SettingError("no weights to start from", remedy="give a decoder with weights, or `start`")
    chosen, closed = chosen_tuner(tuner, decoder, weights, fixed, settings)
    chosen.check_decoder(decoder)
    task = TuningTask(
        decoder=decoder,
        dev=dev,
        iterations=iterations,
        nbest=nbest,
        seed=seed,
        threads=threads,
        fixed=closed,
        progress=progress,
    )
    run = _Run(task, chosen, heldout_set, weights, kept, watch)
    return run.all(resume=resume)


def chosen_tuner(
    tuner: str | Tuner,
    decoder: Tunable,
    weights: Mapping[str, float],
    fixed: Iterable[str],
    settings: Iterable[str] = (),
) -> tuple[Tuner, frozenset[str]]:
    """The tuner that `tuner` means, and all that keeps its weights.

    `auto` does not learn again, on a small dev set, what a large text has taught: if all sparse templates of the
    decoder have weights, these stay, and the others are tuned as if there were none.
    """
    kept = frozenset(fixed)
    if not isinstance(tuner, str):
        if list(settings):
            raise SettingError(
                "settings beside a tuner that has its own", remedy="name the tuner, or make it with them"
            )
        return tuner, kept
    open_families = {template.prefix for template in decoder.templates} - kept
    if tuner == "auto" and open_families <= {family(name) for name, value in weights.items() if value}:
        kept, open_families = kept | open_families, set()
    return get_tuner(tuner, sparse=bool(open_families), settings=settings), kept


class _Run:
    """One call of `tune`."""

    def __init__(
        self,
        task: TuningTask,
        tuner: Tuner,
        heldout: DevSet | None,
        start: Weights,
        log: TuningLog | None,
        watch: Callable[[Iteration], None] | None,
    ) -> None:
        self.task, self.tuner, self.heldout, self.log, self.watch = task, tuner, heldout, log, watch
        self.weights = self.first = start
        self.history: list[Iteration] = []
        self.reason = ""

    def all(self, *, resume: bool) -> TuningResult:
        task, metric = self.task, self.task.dev.metric
        session = self.tuner.start(task)
        if self.log is not None:
            self.resume(session, self.log, self.log.start(self.header(), resume=resume, iterations=task.iterations))
        while not self.reason:
            self.round(session)
        best = pick(self.history, higher_is_better=metric.higher_is_better)
        return TuningResult(
            self.history[best].weights,
            tuple(self.history),
            best,
            self.tuner.name,
            metric.name,
            metric.scale,
            self.reason,
        )

    def resume(self, session: Session, log: TuningLog, history: list[Iteration]) -> None:
        """Go on from the iterations in the log; a run that is finished needs no session for that."""
        if history and history[-1].following is not None:
            history = history[: session.resume(log.state, history)]
            log.keep(len(history))
        self.history = history
        for iteration in history:
            self.take(iteration)

    def take(self, iteration: Iteration) -> None:
        """Show an iteration, and find what follows from it: other weights, or a reason to end."""
        metric = self.task.dev.metric
        scored = f"iteration {iteration.number}: {metric.name} {metric.scale * iteration.score:.2f}"
        done = iteration.number + 1 if iteration.following is not None else self.task.iterations + 1
        self.task.report("tuning", done, self.task.iterations + 1, scored)
        if self.watch is not None:
            self.watch(iteration)
        if iteration.following is None:
            self.reason = str(iteration.details.get("reason") or "the tuner is done")
        else:
            self.weights = iteration.following

    def header(self) -> dict[str, object]:
        task = self.task
        named = [str(each) for each in task.decoder.features]
        return {
            "tuner": self.tuner.name,
            "settings": self.tuner.to_dict(),
            "metric": task.dev.metric.signature,
            "nbest": task.nbest,
            "seed": task.seed,
            "fixed": sorted(task.fixed),
            "dev": fingerprint(task.dev),
            "heldout": fingerprint(self.heldout) if self.heldout else None,
            "start": dict(self.first),
            **({"features": named} if named else {}),
        }

    def round(self, session: Session) -> None:
        number = len(self.history)
        if number >= self.task.iterations:
            step = TuningStep(following=None, reason=SPENT)
        else:
            step = session.step(number, self.weights)
        began = time.perf_counter()
        hypotheses = self.translations(self.task.dev) if step.hypotheses is None else step.hypotheses
        heldout_score = None
        if self.heldout is not None:
            heldout_score = self.heldout.score(self.translations(self.heldout), threads=self.task.threads)
        dev = self.task.dev
        ratio = sum(len(text.split()) for text in hypotheses) / max(dev.words.sum(), 1.0)
        names = self.task.decoder.feature_names
        iteration = Iteration(
            number=number,
            weights=self.weights,
            score=dev.score(hypotheses, threads=self.task.threads),
            heldout=heldout_score,
            length_ratio=float(ratio),
            objective=step.objective,
            objective_is_metric=step.objective_is_metric,
            following=step.following,
            candidates=step.candidates,
            new=step.new,
            decode_seconds=step.decode_seconds + time.perf_counter() - began,
            learn_seconds=step.learn_seconds,
            warnings=(
                *ill_signs(self.weights, dense=names, start=self.first, length_ratio=float(ratio)),
                *step.warnings,
            ),
            details={**step.details, **({"reason": step.reason} if step.reason else {})},
        )
        self.history.append(iteration)
        if self.log is not None:
            self.log.add(iteration)
            session.save(self.log.state)
        self.take(iteration)

    def translations(self, texts: DevSet) -> list[str]:
        decoder = self.task.decoder.with_weights(self.weights)
        return [translation.text for translation in self.task.translate(decoder, texts.source)]
