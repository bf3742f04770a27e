"""Training of the joint model from an aligned bitext, with a part of it held out to know when to stop.

Most passes estimate the sum of all scores by a sample of words (Bengio and Senecal 2008), which is several times as
fast; the last ones take them all, so that scores come out normalised. Steps are those of AdaGrad (Duchi, Hazan and
Singer 2011), ever shorter from pass to pass. The best pass by held-out perplexity is the result.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dragoman._native import neural as native
from dragoman.errors import FormatError, InputError, LengthMismatch
from dragoman.files import writing
from dragoman.lm.classes import fold_digits, train_classes
from dragoman.neural.joint_model import JointModel, JointQuality, quality
from dragoman.neural.word_units import WordUnits
from dragoman.plain_data import parse_json
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import Settings, setting
from dragoman.text.heldout import hold_out, leak_key

__all__ = ["JointSettings", "TrainedJointModel", "TrainedNetwork", "fit_joint_model", "train_joint_model"]


_CLASSED = 2
"""Words seen less often are of one class, which stands for those that are never seen."""
_SUMS, _SUM_PASSES = 65_536, 8
"""Contexts whose sums of scores are learned, and passes over them."""


@dataclass(frozen=True, kw_only=True)
class JointSettings(Settings):
    """How a joint model is made."""

    history: int = setting(3, "Target words before a word that it is predicted from.", least=1, most=8)
    window: int = setting(5, "Source words on each side of the affiliated one.", least=1, most=20)
    vector: int = setting(64, "Numbers that stand for a word.", least=1)
    hidden: int = setting(256, "Width of the hidden layer.", least=1)
    words: int = setting(16_000, "Most words of a side that are units of their own.", least=1)
    min_count: int = setting(3, "How often such a word is seen at least.", least=1)
    classes: int = setting(64, "Word classes that stand for all others.", least=1)
    passes: int = setting(10, "Passes over the text.", least=1)
    exact_passes: int = setting(0, "Passes at the end that take the scores of all words.", least=0)
    samples: int = setting(1024, "Words that stand for all in the other passes.", least=1)
    batch: int = setting(256, "Words that are learned from at once.", least=1)
    rate: float = setting(0.05, "Length of the first steps; that of the last is near 0.", above=0)
    dropout: float = setting(0.4, "Share of the hidden layer that is left out of each step.", least=0, below=1)
    vector_dropout: float = setting(0.2, "Share of the vectors of context words that is left out.", least=0, below=1)
    normalization: float = setting(0.1, "What it costs if probabilities do not sum to one.", least=0)
    sum_units: int = setting(
        0, "Further hidden units, which learn by how much scores are too high; 0 for none.", least=0
    )
    patience: int = setting(2, "Passes without a better held-out perplexity after which it stops.", least=1)
    heldout: int = setting(1000, "Most pairs that are held out; a fiftieth of a small text.", least=1)
    networks: int = setting(
        1, "Networks that are trained apart, each from other random numbers, and asked as one.", least=1
    )
    seed: int = setting(1, "Random choices follow from it.", least=0)


@dataclass(frozen=True, slots=True)
class TrainedNetwork:
    """The held-out quality of a network after each pass, and the number of the pass that it is from."""

    history: tuple[JointQuality, ...]
    best: int


@dataclass(frozen=True, slots=True)
class TrainedJointModel:
    """A joint model, its held-out quality, and how its networks were trained."""

    model: JointModel
    networks: tuple[TrainedNetwork, ...]
    quality: JointQuality


def train_joint_model(
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[str],
    settings: JointSettings | Iterable[str] = (),
    *,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> JointModel:
    """A joint model of tokenised sentence pairs; `links` are as in Pharaoh files, `0-0 1-2`.

    Results follow from the seed of the settings and do not depend on `threads`.
    """
    chosen = settings if isinstance(settings, JointSettings) else JointSettings.configured(settings)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "joint.bin"
        return fit_joint_model(source, target, links, path, chosen, threads=threads, progress=progress).model


def fit_joint_model(
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[str],
    path: Path | str,
    settings: JointSettings | None = None,
    *,
    state: Path | str | None = None,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> TrainedJointModel:
    """As `train_joint_model`, into a file.

    With `state`, the name of a file, each pass leaves there what training goes on from, and beside it the best model so
    far: a job that was stopped, by a user or by a loss that is no number, takes it up. These are removed at the end.
    """
    chosen = settings or JointSettings()
    if not len(source) == len(target) == len(links):
        raise LengthMismatch(
            f"{len(source)} source sentences, {len(target)} target sentences, {len(links)} lines of links"
        )
    learned, held = _parts(source, target, chosen)
    untrained = _untrained(
        [source[row] for row in learned], [target[row] for row in learned], chosen, threads=threads, progress=progress
    )
    first = untrained(chosen.seed)
    texts = [
        native.JointText(first, *([side[row] for row in rows] for side in (source, target, links)))
        for rows in (learned, held)
    ]
    digest = _digest(source, target, links, chosen)
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(state) if state is not None else Path(scratch) / "state"
        kept = [_State(home.with_name(home.name + f"-{n + 1}" * (n > 0)), digest) for n in range(chosen.networks)]
        trained = []
        for number, each in enumerate(kept):
            made = untrained(chosen.seed + number) if number else first
            trained.append(_train(made, (texts[0], texts[1]), chosen, number, each, threads, progress))
        networks = [native.JointModel.open(each.best) for each in kept]
        made = networks[0] if len(networks) == 1 else native.JointModel.joined(networks)
        if chosen.sum_units:
            made.normalize(
                texts[0],
                units=chosen.sum_units,
                contexts=_SUMS,
                passes=_SUM_PASSES,
                seed=chosen.seed,
                threads=threads,
                progress=_reporter(progress, chosen.networks * chosen.passes - 1, chosen, "sums"),
            )
        made.save(Path(path))
        for each in kept:
            each.remove()
    model = JointModel.open(path)
    return TrainedJointModel(model, tuple(trained), quality(model.native, texts[1], threads))


def _train(
    made: native.JointModel,
    texts: tuple[native.JointText, native.JointText],
    settings: JointSettings,
    number: int,
    kept: _State,
    threads: int,
    progress: ProgressCallback | None,
) -> TrainedNetwork:
    """The passes of one network over the first text; the best by the second is kept."""
    trainer = native.JointTrainer(
        made,
        texts[0],
        batch=settings.batch,
        normalization=settings.normalization,
        dropout=settings.dropout,
        vector_dropout=settings.vector_dropout,
        seed=settings.seed + number,
    )
    history = kept.resume(trainer)
    for done in range(len(history), settings.passes):
        if _finished(history, settings):
            break
        note = f"perplexity {history[-1].perplexity:.2f}" if history else ""
        trainer.train_pass(
            done,
            rate=settings.rate * (1 - done / settings.passes),
            samples=0 if done >= settings.passes - settings.exact_passes else settings.samples,
            threads=threads,
            progress=_reporter(progress, number * settings.passes + done, settings, note),
        )
        found = quality(made, texts[1], threads)
        if not history or found.perplexity < min(each.perplexity for each in history):
            made.save(kept.best)
        history.append(found)
        kept.keep(trainer, history)
    return TrainedNetwork(tuple(history), _best(history))


def _best(history: Sequence[JointQuality]) -> int:
    return min(range(len(history)), key=lambda number: history[number].perplexity)


def _finished(history: Sequence[JointQuality], settings: JointSettings) -> bool:
    return bool(history) and len(history) - 1 - _best(history) >= settings.patience


def _reporter(progress: ProgressCallback | None, number: int, settings: JointSettings, note: str) -> object:
    if progress is None:
        return None
    return lambda done: progress(Progress("joint model", number + done, settings.networks * settings.passes, note))


def _parts(source: Sequence[str], target: Sequence[str], settings: JointSettings) -> tuple[list[int], list[int]]:
    """Pairs to learn from, and others that are like none of them."""
    usable = [row for row in range(len(source)) if source[row].split() and target[row].split()]
    keys = [leak_key(source[row]) for row in usable]
    texts = [source[row] for row in usable]
    size = max(1, min(settings.heldout, len(usable) // 50))
    held = hold_out(keys, texts, size=size, seed=settings.seed, min_words=1, max_words=100).dev
    if not held:  # a text of a few sentences that repeats itself
        held = list(range(0, len(usable), 10))
    taken = {keys[row] for row in held}
    learned = [row for row, key in zip(usable, keys, strict=True) if key not in taken]
    if not learned:
        learned = usable
    if not learned:
        raise InputError("no sentence pairs to learn from", remedy="give a text that is not empty")
    return learned, [usable[row] for row in held]


def _untrained(
    source: Sequence[str],
    target: Sequence[str],
    settings: JointSettings,
    *,
    threads: int,
    progress: ProgressCallback | None,
) -> Callable[[int], native.JointModel]:
    """Makes networks over the units of a text, with random parameters that follow from a seed."""
    sides = []
    for heads, lines in ((True, source), (False, target)):
        seen = Counter(word for line in lines for word in fold_digits(line).split())
        different = sum(count >= _CLASSED for count in seen.values())
        classes = train_classes(
            lines,
            classes=min(settings.classes, max(1, different // 4)),
            min_count=_CLASSED,
            seed=settings.seed,
            threads=threads,
            progress=progress,
        ).classes
        sides.append(WordUnits.of(lines, classes, most=settings.words, min_count=settings.min_count, heads=heads))
    return lambda seed: native.JointModel(
        source_words=sides[0].words[1:],
        source_units=sides[0].units,
        target_words=sides[1].words[1:],
        target_units=sides[1].units,
        target_shares=sides[1].shares,
        source_count=len(sides[0].counts),
        target_counts=sides[1].counts,
        history=settings.history,
        window=settings.window,
        vector=settings.vector,
        hidden=settings.hidden,
        seed=seed,
    )


def _digest(source: Sequence[str], target: Sequence[str], links: Sequence[str], settings: JointSettings) -> str:
    found = hashlib.sha256(json.dumps(settings.to_dict(), sort_keys=True).encode())
    for lines in (source, target, links):
        found.update("\n".join(lines).encode("utf-8", "surrogatepass") + b"\0")
    return found.hexdigest()


class _State:
    """What training goes on from: the trainer's own file, and beside it the best model and what was found so far."""

    def __init__(self, path: Path | str, digest: str) -> None:
        self.path, self.digest = Path(path), digest
        self.notes, self.best = (self.path.with_name(self.path.name + end) for end in (".json", ".best"))

    def resume(self, trainer: native.JointTrainer) -> list[JointQuality]:
        """The qualities of the passes that were made; none if there is nothing to go on from."""
        if not all(path.is_file() for path in (self.path, self.notes, self.best)):
            return []
        found = parse_json(self.notes.read_bytes(), where=str(self.notes), remedy="remove it, and begin again")
        try:
            if found["digest"] != self.digest:
                return []
            history = [JointQuality(**each) for each in found["history"]]
        except (KeyError, TypeError) as error:
            raise FormatError(f"damaged ({error})", where=str(self.notes), remedy="remove it, begin again") from None
        passes = trainer.restore(self.path)
        return history[:passes]

    def keep(self, trainer: native.JointTrainer, history: Sequence[JointQuality]) -> None:
        with writing(self.notes) as file:
            json.dump({"digest": self.digest, "history": [each.to_dict() for each in history]}, file)
        trainer.save(self.path, len(history))

    def remove(self) -> None:
        for path in (self.path, self.notes, self.best):
            with suppress(FileNotFoundError):
                path.unlink()
