"""Tuning a model on raw text: prepare both sides as in training, tune, and put the weights into the bundle.

What the decoder sees and what it is judged by are prepared alike, so that scores of tuning are scores of tokens; the
model that comes back translates raw text as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.metrics.base import Metric
from dragoman.pipeline.model import Model
from dragoman.pipeline.tags import token_line
from dragoman.progress import Report
from dragoman.search.phrase import PhraseDecoder
from dragoman.tuning import tuner_named
from dragoman.tuning.base import Tuner
from dragoman.tuning.families import DENSE, begins
from dragoman.tuning.loop import tune
from dragoman.tuning.result import Iteration, TuningResult

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["prepared_dev", "tune_model"]


def prepared_dev(
    model: Model, source: Sequence[str], references: Sequence[Sequence[str]], *, threads: int = 0
) -> tuple[list[str], list[list[str]]]:
    """Raw segments and their references as tokens, a line each; a `MarkedSentence` keeps its domain."""
    if not source:
        raise InputError("a dev set without segments")
    for texts in references:
        if len(texts) != len(source):
            raise LengthMismatch(f"{len(source)} source segments, but {len(texts)} references")
    before, after = model.preprocessors
    workers = max(1, threads)
    ours = before.prepare_all(list(source), threads=workers)
    sides = []
    for texts in references:
        theirs = after.prepare_all(list(texts), threads=workers)
        sides.append([token_line(their.matched_to(our)) for their, our in zip(theirs, ours, strict=True)])
    return [model.marked(raw, token_line(our)) for raw, our in zip(source, ours, strict=True)], sides


def _check_families(tuner: Tuner, decoder: PhraseDecoder) -> None:
    """Refuse strengths for families that the decoder does not have: a slip of the keyboard would go unnoticed."""
    templates = [DENSE, *(template.prefix for template in decoder.templates)]
    if len(decoder.templates) < len(decoder.features):
        return  # what a user's features fire is known when they do
    for name in getattr(tuner, "l1_families", ()):
        if not any(begins(known, name.partition(":")[0]) for known in (*templates, *decoder.feature_names)):
            raise SettingError(f"{tuner.name}: L1 for {name!r}, which the model does not have",
                               remedy=f"it has {', '.join(templates)}")  # fmt: skip


def tune_model(
    model: Model,
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    method: str | Tuner = "auto",
    metric: str | Metric = "bleu",
    iterations: int = 10,
    nbest: int = 100,
    seed: int = 1,
    threads: int = 0,
    start: Mapping[str, float] | None = None,
    fixed: Iterable[str] = (),
    heldout: tuple[Sequence[str], Sequence[Sequence[str]]] | None = None,
    log: Path | str | None = None,
    resume: bool = False,
    progress: Report | None = None,
    watch: Callable[[Iteration], None] | None = None,
) -> TuningResult:
    """Tune a model on raw segments and lists of raw references; the model itself is not changed.

    To keep the result: `model.save_weights(result.weights)`; of a model that was given other templates or features,
    `model.with_weights(result.weights).save(path)`. Segments that are a `MarkedSentence` are of its domain.
    """
    if isinstance(method, str):
        method = tuner_named(method, sparse=bool(model.decoder.templates))
    _check_families(method, model.decoder)
    judge = prepared_dev(model, *heldout, threads=threads) if heldout is not None else None
    return tune(
        model.decoder,
        *prepared_dev(model, source, references, threads=threads),
        method=method,
        metric=metric,
        iterations=iterations,
        nbest=nbest,
        seed=seed,
        threads=threads,
        start=start,
        fixed=fixed,
        heldout=judge,
        log=log,
        resume=resume,
        progress=progress,
        watch=watch,
    )
