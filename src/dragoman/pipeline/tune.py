"""Tuning a model on raw text: prepare both sides as in training, tune, and put the weights into the bundle.

What the decoder sees and what it is judged by are prepared alike, so that scores of tuning are scores of tokens; the
model that comes back translates raw text as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from dragoman.errors import InputError, LengthMismatch
from dragoman.features.weights import Weights
from dragoman.metrics import get_metric
from dragoman.metrics.base import Metric
from dragoman.pipeline.model import Model
from dragoman.pipeline.tags import token_line
from dragoman.progress import ProgressCallback
from dragoman.progress_view import shows_progress
from dragoman.text.source_text import Source, SourceText
from dragoman.tuning.base import Tuner
from dragoman.tuning.families import DENSE
from dragoman.tuning.loop import tune
from dragoman.tuning.result import Iteration, TuningResult

__all__ = ["prepared_dev", "tune_model"]


def prepared_dev(
    model: Model, source: Sequence[Source], references: Sequence[Sequence[str]], *, threads: int = 0
) -> tuple[list[SourceText], list[list[str]]]:
    """Raw segments and their references as tokens, a line each; a `SourceText` keeps what is known of it."""
    if not source:
        raise InputError("a dev set without segments")
    for texts in references:
        if len(texts) != len(source):
            raise LengthMismatch(f"{len(source)} source segments, but {len(texts)} references")
    before, after = model.preprocessors
    raws = [SourceText.of(each) for each in source]
    ours = before.prepare_all([raw.text for raw in raws], threads=threads)
    sides = []
    for texts in references:
        theirs = after.prepare_all(list(texts), threads=threads)
        sides.append([token_line(their.matched_to(our)) for their, our in zip(theirs, ours, strict=True)])
    lines = model.tokenized([(raw, token_line(our)) for raw, our in zip(raws, ours, strict=True)], threads)
    return lines, sides


@shows_progress("tuning")
def tune_model(
    model: Model | Path | str,
    source: Sequence[Source],
    references: Sequence[Sequence[str]],
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
    heldout: tuple[Sequence[Source], Sequence[Sequence[str]]] | None = None,
    log: Path | str | None = None,
    resume: bool = False,
    progress: ProgressCallback | bool | None = None,
    watch: Callable[[Iteration], None] | None = None,
) -> TuningResult:
    """Tune a model, or the bundle at a path, on raw segments and lists of raw references; it is not changed by that.

    To keep the result: `model.save_weights(result.weights)`; of a model that was given other templates or features,
    `model.with_weights(result.weights).save(path)`. A `SourceText` among the segments keeps its domain and annotation.
    `progress` is as for `dragoman.train`, and all else as for `dragoman.tuning.tune`.
    """
    if not isinstance(model, Model):
        model = Model.open(model)
    fixed = frozenset(fixed)
    for named in (start or {}, dict.fromkeys(fixed - {DENSE}, 0.0)):
        model.decoder.check_weights(Weights(named))
    heldout_text = prepared_dev(model, *heldout, threads=threads) if heldout is not None else None
    return tune(
        model.decoder,
        *prepared_dev(model, source, references, threads=threads),
        tuner=tuner,
        settings=settings,
        metric=get_metric(metric, language=model.languages[1]).for_tokens() if isinstance(metric, str) else metric,
        iterations=iterations,
        nbest=nbest,
        seed=seed,
        threads=threads,
        start=start,
        fixed=fixed,
        heldout=heldout_text,
        log=log,
        resume=resume,
        progress=progress if callable(progress) else None,
        watch=watch,
    )
