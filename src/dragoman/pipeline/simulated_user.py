"""A simulated translator who types a reference with the help of completions, and how many keys that takes.

The translator looks at the completion, accepts what is right of it with one key, types the next letter, and looks
again; a last key confirms the sentence. The keystroke ratio is the number of keys over the number of letters of the
reference with its last key (Barrachina, Bender, Casacuberta et al. 2009); what is saved is the rest. A word is
predicted if the first suggestion for it, after all words before it, is right.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dragoman.errors import LengthMismatch
from dragoman.pipeline.interactive import Completions, complete
from dragoman.pipeline.model import Model
from dragoman.progress import Progress, ProgressCallback

__all__ = ["Keystrokes", "simulate", "type_sentence"]

Complete = Callable[[str, str], Completions]
"""Gives completions for a source text and a prefix."""


@dataclass(slots=True)
class Keystrokes:
    """What typing some references took."""

    sentences: int = 0
    letters: int = 0
    """Of the references, with a last key for each."""
    typed: int = 0
    accepted: int = 0
    """Keys that accepted a completion, or confirmed a sentence."""
    words: int = 0
    predicted: int = 0
    seconds: list[float] = field(default_factory=list, repr=False)
    """How long each completion took."""

    @property
    def ratio(self) -> float:
        """Keys per letter; 1 is what typing without help takes."""
        return (self.typed + self.accepted) / self.letters if self.letters else 0.0

    @property
    def saved(self) -> float:
        """The share of keys that was saved."""
        return 1.0 - self.ratio

    @property
    def word_accuracy(self) -> float:
        """The share of words that were predicted."""
        return self.predicted / self.words if self.words else 0.0

    def __add__(self, other: Keystrokes) -> Keystrokes:
        return Keystrokes(
            self.sentences + other.sentences,
            self.letters + other.letters,
            self.typed + other.typed,
            self.accepted + other.accepted,
            self.words + other.words,
            self.predicted + other.predicted,
            self.seconds + other.seconds,
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        cuts = statistics.quantiles(self.seconds, n=100) if len(self.seconds) > 1 else [0.0] * 99
        return {
            "sentences": self.sentences,
            "letters": self.letters,
            "typed": self.typed,
            "accepted": self.accepted,
            "keystroke_ratio": self.ratio,
            "saved": self.saved,
            "word_accuracy": self.word_accuracy,
            "completions": len(self.seconds),
            "milliseconds": {"median": 1000 * cuts[49], "p95": 1000 * cuts[94], "p99": 1000 * cuts[98]},
        }


def type_sentence(source: str, reference: str, helped: Complete) -> Keystrokes:
    """Type one reference with the help of completions."""
    reference = " ".join(reference.split())
    keys = Keystrokes(sentences=1, letters=len(reference) + 1, words=len(reference.split()))
    prefix = ""
    at_word = True
    while True:
        started = time.perf_counter()
        found = helped(source, prefix)
        keys.seconds.append(time.perf_counter() - started)
        right = _common(found.best, reference)
        if len(right) < len(prefix):
            right = prefix
        gained = right[len(prefix) :]
        keys.predicted += _whole_words(prefix, gained, reference, found.best, fresh=at_word)
        if right == reference:
            keys.accepted += 1  # confirms the sentence, with all that was still to come
            return keys
        keys.accepted += bool(gained)
        prefix = reference[: len(right) + 1]
        keys.typed += 1
        at_word = prefix[-1] == " "


def _common(one: str, other: str) -> str:
    """The letters that two texts begin with."""
    size = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:size]


def _whole_words(prefix: str, gained: str, reference: str, offered: str, *, fresh: bool) -> int:
    """Words of what was gained that were right from their first letter to their last."""
    end = len(prefix) + len(gained)
    starts = [at for at in range(len(prefix), end) if (at == 0 or reference[at - 1] == " ")]
    count = 0
    for start in starts:
        if start == len(prefix) and not fresh:
            continue
        stop = reference.find(" ", start)
        stop = len(reference) if stop < 0 else stop
        count += stop <= end and (stop == len(offered) or offered[stop : stop + 1] == " " or stop == len(reference))
    return count


def simulate(
    model: Model,
    sources: Sequence[str],
    references: Sequence[str],
    *,
    after_each: Callable[[str, str], object] | None = None,
    progress: ProgressCallback | None = None,
) -> Keystrokes:
    """Type all references; `after_each` is told each sentence that was confirmed, and may teach the model."""
    if len(sources) != len(references):
        raise LengthMismatch(f"{len(references)} references for {len(sources)} sources", remedy="give one for each")
    total = Keystrokes()

    def helped(source: str, prefix: str) -> Completions:
        return complete(model, source, prefix, limit=1)

    pairs: Iterable[tuple[str, str]] = zip(sources, references, strict=True)
    for number, (source, reference) in enumerate(pairs, 1):
        if source.strip() and reference.strip():
            total += type_sentence(source, reference, helped)
            if after_each is not None:
                after_each(source, reference)
        if progress is not None:
            progress(Progress("typing", number, len(sources)))
    return total
