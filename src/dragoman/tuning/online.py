"""Online tuning: learn from a few sentences at a time, decoded with the weights of that moment.

A mini-batch is decoded, each n-best list gives a loss and a gradient, one sparse step is taken, and the lists are
forgotten: no pool grows, and models with hundreds of thousands of features are tuned in a few passes over the dev set.
Rates are adaptive and L1 decides which features stay (`dragoman.tuning.updates`). An iteration is a pass over the dev
set in random order. (Green, Wang, Cer and Manning 2013; the expected loss: Green, Cer and Manning 2014.)

Gradients may be stale: `workers` batches are decoded with the same weights before their gradients are applied. In the
mode `rounds` they are applied in order, and results depend on `workers` but neither on threads nor on timing; with one
worker this is plain stochastic descent. In the mode `async` each worker goes on with the newest weights as soon as it
is done, which keeps all cores busy and cannot be repeated exactly.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import DragomanError, FormatError, InputError, SettingError
from dragoman.features.weights import Weights
from dragoman.files import write_bytes
from dragoman.forest import KBestLists
from dragoman.metrics.bleu import SENTENCE_BLEU
from dragoman.search.base import Tunable
from dragoman.seeds import stream
from dragoman.settings import setting
from dragoman.tuning.base import Session, Tuner, TuningStep, TuningTask
from dragoman.tuning.families import DENSE, Strengths, begins, count_families, family, is_fixed
from dragoman.tuning.feature_space import FeatureSpace
from dragoman.tuning.losses import LOSSES, list_loss
from dragoman.tuning.result import Iteration
from dragoman.tuning.updates import RULES, Updates

__all__ = ["Online", "OnlineExpected", "OnlineSession"]

_L1 = {"pro": 0.1, "hinge": 0.1, "expected": 0.001, "hope-fear": 0.1}
_MARGINS = ("hinge", "hope-fear")  # losses that a step can make good
_MOST_SKIPPED = 0.1  # share of the sentences that may have no translation


@dataclass(frozen=True, kw_only=True)
class Online(Tuner):
    """Online tuning with adaptive rates and L1: for dense models and for hundreds of thousands of features."""

    name: ClassVar[str] = "online"

    loss: str = setting(
        "pro",
        "What is made small: `pro` and `hinge` rank pairs, `expected` is the expected metric, `hope-fear` a margin.",
        choices=LOSSES,
    )
    rate: float = setting(0.02, "The first step of a feature is as long.", above=0)
    l1: float | None = setting(
        None,
        "Strength of L1 on the scale of a mini-batch's summed gradient; none is 0.1, and 0.001 for `expected`.",
        least=0,
    )
    l1_families: Mapping[str, float] = setting(
        factory=lambda: {DENSE: 0.0},
        help="Other strengths for names that begin like this; `dense` is for all names without a colon.",
        least=0,
    )
    l2: float = setting(0.0, "Strength of L2.", least=0)
    rule: str = setting(
        "adagrad",
        "How long steps are: rates fall with the root of the summed squared gradients, with their sum, or not at all "
        "(`sgd`); `mira` takes the shortest step that makes good the loss of a batch, at most `rate` times its "
        "gradient, for the losses `hinge` and `hope-fear` (Crammer et al. 2006). With batches of one sentence and "
        "`hope-fear` that is online MIRA.",
        choices=(*RULES, "mira"),
    )
    epsilon: float = setting(1e-3, "Added to the root of the squared gradients.", least=0)
    batch: int = setting(20, "Sentences of a mini-batch.", least=1)
    pairs: int = setting(15, "Pairs kept of each sentence.", least=1)
    samples: int = setting(500, "Pairs drawn.", least=1)
    threshold: float = setting(0.05, "How far the gains of a pair must lie apart.", least=0)
    mean: bool = setting(
        False, "Divide the gradient of a mini-batch by its sentences; `l1` must then be smaller by as much."
    )
    scale_by_length: bool | None = setting(
        None,
        "Multiply gains by the length of the shortest reference, so that long sentences count more; none does so for "
        "the losses `expected` and `hope-fear`.",
    )
    sentence_metric: str = setting(
        "auto", "What stands for BLEU in single sentences.", choices=("auto", *SENTENCE_BLEU)
    )
    temperature: float = setting(1.0, "Of the distribution in `expected`.", above=0)
    min_sentences: int = setting(
        0,
        "Sparse features that fire in the first lists of fewer sentences are left alone: the frequency cut-off that L1 "
        "is an alternative to.",
        least=0,
    )
    distinct: bool = setting(False, "Take only the best derivation of each text.")
    mode: str = setting(
        "rounds", "Batches in order, which can be repeated, or as they are done.", choices=("rounds", "async")
    )
    workers: int = setting(1, "Batches that are decoded under the same weights.", least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rule == "mira" and self.loss not in _MARGINS:
            raise SettingError(
                f"{self.name}: rule is 'mira' with the loss {self.loss!r}",
                remedy=f"it goes with {' and '.join(_MARGINS)}",
            )

    def check_decoder(self, decoder: Tunable) -> None:
        """Refuse strengths for families that the decoder does not have: a slip of the keyboard would go unnoticed."""
        if decoder.families is None:
            return
        families = [DENSE, *decoder.families]
        for name in self.l1_families:
            if not any(begins(known, name.partition(":")[0]) for known in (*families, *decoder.feature_names)):
                raise SettingError(
                    f"{self.name}: L1 for {name!r}, which the model does not have",
                    remedy=f"it has {', '.join(families)}",
                )

    @property
    def strength(self) -> Strengths:
        """L1 by feature name."""
        return Strengths(_L1[self.loss] if self.l1 is None else self.l1, self.l1_families)

    @property
    def scaled(self) -> bool:
        return self.loss in ("expected", "hope-fear") if self.scale_by_length is None else self.scale_by_length

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "l1": self.strength.general}  # what `none` stands for, so that logs tell

    def start(self, task: TuningTask) -> OnlineSession:
        return OnlineSession(self, task)


@dataclass(frozen=True, kw_only=True)
class OnlineExpected(Online):
    """Online tuning of the expected metric: nothing is sampled, fewer features stay (Green, Cer and Manning 2014)."""

    name: ClassVar[str] = "online-expected"

    loss: str = "expected"


@dataclass(slots=True)
class _Batch:
    """What a mini-batch gave: a gradient by feature id, its loss, and the best translations."""

    ids: NDArray[np.int64]
    gradient: NDArray[np.float64]
    loss: float
    used: int
    candidates: int
    texts: dict[int, str]
    skipped: dict[int, DragomanError]
    decode_seconds: float


class OnlineSession(Session):
    """Weights on their way through the dev set."""

    def __init__(self, tuner: Online, task: TuningTask) -> None:
        self.tuner, self.task = tuner, task
        self.space = FeatureSpace(task.decoder)
        rule = "sgd" if tuner.rule == "mira" else tuner.rule
        self.updates = Updates(rate=tuner.rate, l1=self._strengths, l2=tuner.l2, epsilon=tuner.epsilon, rule=rule)
        self.started = False
        self.passes = 0
        self.allowed: NDArray[np.bool_] | None = None  # ids that the frequency cut-off leaves
        lengths = np.array([[len(text.split()) for text in texts] for texts in task.dev.references])
        self.scales = np.maximum(lengths.min(axis=0), 1).astype(np.float64) if tuner.scaled else np.ones(len(task.dev))
        self.fixed: NDArray[np.bool_] = np.zeros(0, dtype=bool)  # by id, as far as ids have been seen
        self.metric = task.dev.sentence_metric(tuner.sentence_metric)

    def _strengths(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        strength, names = self.tuner.strength, self.space.names
        return np.array([strength(names.word(int(index))) for index in ids])

    def _begin(self, weights: Weights) -> None:
        self.started = True
        names = list(weights)
        self.updates.set(self.space.ids(names), np.array([weights[name] for name in names]))
        if self.tuner.min_sentences:
            self.allowed = self._frequent()

    # One pass.

    def step(self, number: int, weights: Weights) -> TuningStep:
        began = time.perf_counter()
        if not self.started:
            self._begin(weights)
        loss, used, candidates, decode_seconds = 0.0, 0, 0, 0.0
        texts: dict[int, str] = {}
        skipped: dict[int, DragomanError] = {}
        order = stream(self.task.seed, "online", number).permutation(len(self.task.dev))
        # A batch is a set: in the order of the dev set, sentences that are decoded alike lie together.
        size = self.tuner.batch
        batches = [np.sort(order[first : first + size]) for first in range(0, len(order), size)]
        run = self._asynchronous if self.tuner.mode == "async" else self._rounds
        for done, batch in enumerate(run(batches, number), 1):
            self._apply(batch)
            loss, used, candidates = loss + batch.loss, used + batch.used, candidates + batch.candidates
            texts |= batch.texts
            skipped |= batch.skipped
            decode_seconds += batch.decode_seconds
            self.task.report("learning", done, len(batches))
        if len(skipped) > _MOST_SKIPPED * len(self.task.dev):
            first = min(skipped)
            raise InputError(
                f"{len(skipped)} of {len(self.task.dev)} sentences cannot be translated: {skipped[first]}",
                where=f"dev sentence {first + 1}",
            )
        self.updates.sweep()
        self.passes += 1
        following = self._weights(weights)
        spent = time.perf_counter() - began
        decoding = spent if self.tuner.mode == "async" else decode_seconds
        return TuningStep(
            following=following,
            objective=loss / max(len(self.task.dev), 1),
            candidates=candidates,
            new=candidates,
            decode_seconds=decoding,
            learn_seconds=spent - decoding,
            warnings=tuple(f"no feature begins like {prefix!r}, for which an L1 was set" for prefix in self._unused()),
            details=self._details(following, texts, used, skipped),
        )

    def _unused(self) -> list[str]:
        names = self.space.names
        return self.tuner.strength.unused(names.word(index) for index in range(1, len(names)))

    def _weights(self, given: Weights) -> Weights:
        kept = {name: value for name, value in given.items() if family(name) == DENSE}
        return self.space.weights(self.updates.values(len(self.space)), kept)

    def _details(
        self, weights: Weights, texts: Mapping[int, str], used: int, skipped: Mapping[int, object]
    ) -> dict[str, Any]:
        dev = self.task.dev
        lines = [texts.get(number, "") for number in range(len(dev))]
        details: dict[str, Any] = {
            "pass_score": dev.score(lines, threads=self.task.threads),  # of outputs on the way, under many weights
            "used": used,
            "touched": int(self.updates.touched.sum()),
            "kept": count_families(name for name, value in weights.items() if value),
        }
        return details | ({"skipped": len(skipped)} if skipped else {})

    def _rounds(self, batches: Sequence[NDArray[np.int64]], number: int) -> Iterator[_Batch]:
        """Batches in order; `workers` of them at a time under the same weights."""
        for first in range(0, len(batches), self.tuner.workers):
            vector = self.updates.values(len(self.space))
            together = [
                self._learn(vector, batch, number, self.task.threads)
                for batch in batches[first : first + self.tuner.workers]
            ]
            yield from together

    def _asynchronous(self, batches: Sequence[NDArray[np.int64]], number: int) -> Iterator[_Batch]:
        """Batches as they are done, each under the weights that were newest when it began."""
        waiting = list(reversed(batches))
        with ThreadPoolExecutor(self.tuner.workers) as pool:
            running: set[Future[_Batch]] = set()
            while waiting or running:
                while waiting and len(running) < self.tuner.workers:
                    vector = self.updates.values(len(self.space))
                    running.add(pool.submit(self._learn, vector, waiting.pop(), number, 1))
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()

    def _learn(self, vector: NDArray[np.float64], batch: NDArray[np.int64], number: int, threads: int) -> _Batch:
        """Decode a batch and take its gradient."""
        tuner = self.tuner
        began = time.perf_counter()
        numbers, lists, skipped = self._decode(vector, batch.tolist(), threads)
        decoded = time.perf_counter()
        gains = self._gains(numbers, lists, threads)
        coefficients = np.zeros(len(lists.scores))
        loss, used = 0.0, 0
        for place, sentence in enumerate(numbers):
            part = slice(int(lists.lists[place]), int(lists.lists[place + 1]))
            found = list_loss(
                tuner.loss,
                lists.scores[part],
                gains[part],
                stream(self.task.seed, "pairs", number, sentence),
                samples=tuner.samples,
                pairs=tuner.pairs,
                threshold=tuner.threshold,
                temperature=tuner.temperature,
                scale=float(self.scales[sentence]),
            )
            coefficients[part] = found.coefficients
            loss, used = loss + found.value, used + found.used
        ids, gradient = lists.gradient(coefficients / max(len(numbers), 1) if tuner.mean else coefficients)
        texts = dict(zip(numbers, lists.best, strict=True))
        return _Batch(ids, gradient, loss, used, len(lists.scores), texts, skipped, decoded - began)

    def _decode(
        self, vector: NDArray[np.float64], numbers: list[int], threads: int
    ) -> tuple[list[int], KBestLists, dict[int, DragomanError]]:
        """Lists of the sentences that can be translated, and what is wrong with the others."""

        def lists(chosen: list[int]) -> KBestLists:
            source = [self.task.dev.source[number] for number in chosen]
            return self.space.lists(
                vector, source, nbest=self.task.nbest, distinct=self.tuner.distinct, threads=threads
            )

        try:
            return numbers, lists(numbers), {}
        except InputError:
            skipped: dict[int, DragomanError] = {}
            for number in numbers:
                try:
                    lists([number])
                except InputError as error:
                    skipped[number] = error
            kept = [number for number in numbers if number not in skipped]
            return kept, lists(kept), skipped

    def _gains(self, numbers: Sequence[int], lists: KBestLists, threads: int) -> NDArray[np.float64]:
        """The gain of each candidate; equal texts of a sentence are measured once."""
        sentences = np.zeros(len(lists.texts), dtype=np.int64)
        sentences[lists.text_of] = np.repeat(np.asarray(numbers, dtype=np.int64), np.diff(lists.lists))
        dev = self.task.dev
        rows = dev.statistics(sentences, lists.texts, threads=threads)
        return dev.metric.sign * self.metric.scores(rows)[lists.text_of] if len(rows) else np.zeros(0)

    def _apply(self, batch: _Batch) -> None:
        ids, gradient = batch.ids, batch.gradient
        if not np.isfinite(gradient).all():
            wrong = self.space.name(int(ids[np.flatnonzero(~np.isfinite(gradient))[0]]))
            raise InputError(f"the gradient of {wrong!r} is not a finite number", remedy="look at its values")
        if self.task.fixed:
            gradient = np.where(self._fixed_among(ids), 0.0, gradient)
        if self.allowed is not None:
            inside = ids < len(self.allowed)
            gradient = np.where(inside & self.allowed[np.where(inside, ids, 0)], gradient, 0.0)
        if self.tuner.rule == "mira":
            gradient = gradient * self._enough(batch, gradient)
        self.updates.apply(ids, gradient)

    def _fixed_among(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these keep their weight."""
        new = range(len(self.fixed), len(self.space))
        more = np.array([is_fixed(self.space.name(index), self.task.fixed) for index in new], dtype=bool)
        self.fixed = np.append(self.fixed, more)
        return self.fixed[ids]

    def _enough(self, batch: _Batch, gradient: NDArray[np.float64]) -> float:
        """What share of a whole step along a gradient makes good the loss."""
        loss = batch.loss / max(len(batch.texts), 1) if self.tuner.mean else batch.loss
        whole = self.tuner.rate * float(gradient @ gradient)
        return min(1.0, loss / whole) if whole > 0 else 0.0

    def _frequent(self) -> NDArray[np.bool_]:
        """Features that are dense, or fire in the lists of enough sentences."""
        counts = np.zeros(0, dtype=np.int64)
        vector = self.updates.values(len(self.space))
        for first in range(0, len(self.task.dev), self.tuner.batch):
            some = list(range(first, min(first + self.tuner.batch, len(self.task.dev))))
            numbers, lists, _ = self._decode(vector, some, self.task.threads)
            for place in range(len(numbers)):
                rows = lists.rows[lists.lists[place : place + 2]]
                seen = np.unique(lists.ids[rows[0] : rows[1]])
                if len(seen) and seen[-1] >= len(counts):
                    counts = np.append(counts, np.zeros(int(seen[-1]) + 1 - len(counts), dtype=np.int64))
                counts[seen] += 1
        dense = np.array([family(self.space.name(index)) == DENSE for index in range(len(counts))], dtype=bool)
        return dense | (counts >= self.tuner.min_sentences)

    # Interruptions.

    def save(self, path: Path) -> None:
        size = len(self.space)
        names = [self.space.name(index) for index in range(size)]
        allowed = np.zeros(0, dtype=bool) if self.allowed is None else self.allowed
        content = io.BytesIO()
        np.savez_compressed(
            content,
            **self.updates.state(size),
            names=np.array("\n".join(names).encode()),
            allowed=allowed,
            passes=np.int64(self.passes),
        )
        write_bytes(path, content.getvalue())

    def resume(self, path: Path, history: Sequence[Iteration]) -> int:
        if not path.exists():
            return 0  # killed before the first pass was saved
        try:
            with path.open("rb") as file, np.load(file) as state:
                passes = int(state["passes"])
                names = bytes(state["names"]).decode().split("\n")
                ids = self.space.ids(names[1:])
                kept = {
                    key: state[key][1:] if state[key].ndim else state[key]
                    for key in ("time", "weights", "squares", "last", "l1")
                }
                allowed = state["allowed"]
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise FormatError(
                f"the state of the tuner cannot be read: {error}",
                where=str(path),
                remedy="start again without resuming",
            ) from None
        if passes > len(history):
            raise FormatError(
                f"the state of the tuner is of {passes} passes, the log of {len(history)}",
                where=str(path),
                remedy="start again without resuming",
            )
        self.started, self.passes = True, passes
        self.updates.restore(kept, ids)
        if self.tuner.min_sentences:
            self.allowed = np.zeros(len(self.space), dtype=bool)
            self.allowed[ids[: max(0, len(allowed) - 1)]] = allowed[1:]
        return passes
