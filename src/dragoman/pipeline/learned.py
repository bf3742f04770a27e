"""Learning from corrections: what people put right counts from the next sentence on, and can be taken back.

A corrected pair is aligned with the model's own aligner; its phrases go into a layer over the table, which decoders
read together with it. A correction weighs as much as all that the training text says about the same words: its phrases
get, for each side, the relative frequency of counts in which every correction counts as often as the phrase was seen in
training, and once more. So what was put right once is likely, and what was put right again and again wins. Words that
the language model does not know, or does not expect, are expected from then on (`dragoman.features.cache`).

Every change is a line of a journal beside the model, on disk before it is acknowledged, and the journal is read when
the model is opened again. `compact` folds the layer into the bundle.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dragoman.align.base import Aligner
from dragoman.align.symmetrize import USUAL
from dragoman.errors import FormatError, InputError, SettingError, UnknownName
from dragoman.features.cache import CACHE, CacheModel
from dragoman.files import disk_errors
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.journal import Journal, damaged_line, journal_line
from dragoman.grammar.phrases import phrase_spans
from dragoman.grammar.scoring import DIRECT, INVERSE
from dragoman.pipeline.model import Model
from dragoman.pipeline.tags import token_line
from dragoman.tuning.online_step import online_step

try:
    import fcntl
except ImportError:  # Windows: there one process at a time should write
    fcntl = None  # type: ignore[assignment]

__all__ = ["LearnedChange", "LearnedLayer", "NothingToUndo", "compact", "learned_folder", "with_learned"]

Words = tuple[str, ...]
TokenPair = tuple[Words, Words]
TokenLinks = tuple[tuple[int, int], ...]

_FOLDED = "confirmed.journal"
"""The file of a bundle that remembers what was folded into it."""

_LEXICAL = {DIRECT: "lex.ts", INVERSE: "lex.st"}
"""Columns of lexical weights, which follow those of phrases where nothing else is known of a pair."""


class NothingToUndo(InputError):
    """No change is left that could be taken back."""


@dataclass(frozen=True, slots=True)
class LearnedChange:
    """A step of the journal: a correction with the phrases that it taught, or a rule that was added or removed."""

    action: str
    """`learn`, `add` or `remove`."""
    source: str
    target: str
    rules: tuple[tuple[TokenPair, TokenLinks], ...] = field(default=(), repr=False)
    tokens: Words = field(default=(), repr=False)
    """Of the target."""
    steps: Mapping[str, float] = field(default_factory=dict, repr=False)
    """What was added to weights."""

    def to_json(self) -> dict[str, Any]:
        rules = [
            [" ".join(source), " ".join(target), [list(link) for link in links]]
            for (source, target), links in self.rules
        ]
        entry: dict[str, Any] = {"action": self.action, "source": self.source, "target": self.target}
        if self.steps:
            entry["steps"] = dict(self.steps)
        return {**entry, "tokens": " ".join(self.tokens), "rules": rules}

    @staticmethod
    def from_json(entry: dict[str, Any]) -> LearnedChange:
        rules = tuple(
            ((tuple(source.split()), tuple(target.split())), tuple((int(i), int(j)) for i, j in links))
            for source, target, links in entry["rules"]
        )
        tokens = tuple(str(entry["tokens"]).split())
        steps = {str(name): float(value) for name, value in entry.get("steps", {}).items()}
        return LearnedChange(str(entry["action"]), str(entry["source"]), str(entry["target"]), rules, tokens, steps)


def with_learned(model: Model) -> Model:
    """The model with what it has learned, if it has learned anything."""
    if _FOLDED not in model.bundle.sizes and not any(learned_folder(model.path).glob("*.journal")):
        return model
    layer = LearnedLayer(model)
    return layer.model if layer.changes or layer._folded else model


def _read_folded(model: Model) -> list[LearnedChange]:
    """What was folded into the bundle: it is remembered for the cache, and for those who ask for corrections."""
    if _FOLDED not in model.bundle.sizes:
        return []
    return [LearnedChange.from_json(entry) for entry in Journal(model.bundle.file(_FOLDED)).read()]


def learned_folder(path: Path) -> Path:
    """Where the journals of a model lie: beside it, because a bundle never changes."""
    return path.with_name(f"{path.name}.learned")


class LearnedLayer:
    """What a model has learned since it was trained; `model` is the model with it. One writer at a time."""

    def __init__(
        self,
        model: Model,
        *,
        folder: Path | None = None,
        keep: bool = True,
        cache_share: float = 0.3,
        step: float = 0.0,
    ) -> None:
        """`folder` is where journals lie, usually beside the model; without `keep` there are none.

        `cache_share` is that of the cache in the probability of a word (see `CacheModel`). With a `step` above 0
        weights move by so much at most with each correction (see `online_step`); 0.001 is careful.
        """
        decoder = model.decoder
        if decoder.table is None:
            raise SettingError(f"a model of the kind {model.bundle.settings['decoder']!r} cannot learn rules")
        self.base, self._step = model, step
        self.table = DynamicTable(decoder.table)
        spoken = next((use for use in decoder.language_models if use.classes is None), None)
        self.cache = CacheModel(spoken.model if spoken is not None else None, share=cache_share)
        weights = {**decoder.weights, CACHE: decoder.weights[spoken.name] if spoken is not None else 0.0}
        self.model = model.with_decoder(
            decoder.with_table(self.table).with_features([*decoder.features, self.cache], weights)
        )
        self._folder = folder or learned_folder(model.path)
        self._lock = threading.Lock()
        self._steps: list[tuple[LearnedChange, int]] = []
        self._counts: Counter[TokenPair] = Counter()
        self._of_source: defaultdict[Words, set[TokenPair]] = defaultdict(set)
        self._links: dict[TokenPair, TokenLinks] = {}
        self._totals: tuple[Counter[Words], Counter[Words]] = (Counter(), Counter())
        self._folded = _read_folded(model)
        for change in self._folded:
            self.cache.remember(change.tokens)
        self._journal = Journal(self._folder / f"{_mark(model)}.journal") if keep else None
        self._read = 0  # entries of the journal that are in effect
        self._catch_up()

    @property
    def changes(self) -> list[LearnedChange]:
        """All that is in effect, oldest first."""
        return [change for change, _ in self._steps]

    @property
    def corrections(self) -> list[tuple[str, str]]:
        """All corrected pairs, those that were folded into the bundle first."""
        known = [*self._folded, *self.changes]
        return [(change.source, change.target) for change in known if change.action == "learn"]

    @property
    def can_learn(self) -> bool:
        """Whether the model has an aligner; without one, rules can be added and removed all the same."""
        return any(name.startswith("aligner/") for name in self.base.bundle.sizes)

    def prepare(self) -> None:
        """Open now what the first correction would open, so that it takes no longer than others."""
        _ = self.base.preprocessors
        if self.can_learn:
            _ = self._aligner

    @cached_property
    def _aligner(self) -> Aligner:
        if not self.can_learn:
            raise SettingError(
                "the model has no aligner to learn with",
                where=str(self.base.path),
                remedy="train it with --set keep_aligner=true",
            )
        return Aligner.load(self.base.path / "aligner")

    def learn(self, source: str, target: str) -> LearnedChange:
        """Learn from a corrected pair; it counts from the next translation on."""
        words, translation = self._tokens(source, target)
        if not words or not translation:
            raise InputError("a correction without words on one side", remedy="give both sides")
        symmetrize = str(self.base.bundle.provenance.get("recipe", {}).get("symmetrize", USUAL))
        alignment = self._aligner.align([list(words)], [list(translation)], symmetrize=symmetrize, threads=1)[0]
        rules: dict[TokenPair, TokenLinks] = {}
        for (first, last), (start, end) in phrase_spans(len(words), len(translation), alignment.links):
            inside = tuple((i - first, j - start) for i, j in alignment.links if first <= i < last and start <= j < end)
            rules[words[first:last], translation[start:end]] = inside
        if not rules:
            raise InputError("no words of the two sides could be linked", remedy="is it a translation?")
        steps = self._step_of_weights(source, translation) if self._step else {}
        return self._change(LearnedChange("learn", source, target, tuple(rules.items()), translation, steps))

    def _step_of_weights(self, source: str, translation: Words) -> dict[str, float]:
        """How weights should move for a correction of one sentence, by what they make of it now."""
        found = self.model.translate(source, forests=True, threads=1).sentences
        if len(found) != 1 or found[0].statistics.get("pieces", 1) > 1:
            return {}
        return online_step(found[0].forest, translation, limit=self._step)

    def _move(self, steps: Mapping[str, float], sign: float) -> None:
        if steps:
            weights = dict(self.model.weights)
            for name, value in steps.items():
                weights[name] = weights.get(name, 0.0) + sign * value
            self.model = self.model.with_weights(weights)

    def add_rule(self, source: str, target: str) -> LearnedChange:
        """Add a rule for a phrase: it is as probable as a rule can be."""
        pair = self._tokens(source, target)
        if not all(pair):
            raise InputError("a rule without words on one side", remedy="give both sides")
        links = ((0, 0),) if len(pair[0]) == len(pair[1]) == 1 else ()
        return self._change(LearnedChange("add", source, target, ((pair, links),), pair[1]))

    def remove_rule(self, source: str, target: str) -> LearnedChange:
        """Remove a rule, whether learned or of the table."""
        return self._change(LearnedChange("remove", source, target, ((self._tokens(source, target), ()),)))

    def undo(self) -> LearnedChange:
        """Take the last change back, and say which it was."""
        with self._writing():
            if not self._steps:
                raise NothingToUndo("there is nothing to undo")
            self._write({"action": "undo"})
            return self._take_back()

    def write_folded(self, path: Path) -> None:
        """Write all that was confirmed, for a bundle that has its rules in its table."""
        confirmed = [change for change in (*self._folded, *self.changes) if change.action != "remove"]
        path.write_bytes(b"".join(journal_line(replace(change, rules=()).to_json()) for change in confirmed))

    def _tokens(self, source: str, target: str) -> TokenPair:
        before, after = self.base.preprocessors
        prepared = before.prepare(source)
        matched = after.prepare(target).matched_to(prepared)
        return tuple(token_line(prepared.parted_from(matched)).split()), tuple(token_line(matched).split())

    def _change(self, change: LearnedChange) -> LearnedChange:
        with self._writing():
            if change.action == "remove" and not self.table.has(*change.rules[0][0]):
                raise UnknownName(
                    "there is no such rule", where=f"{change.source} → {change.target}", remedy="see what there is"
                )
            self._write(change.to_json())
            self._apply(change)
        return change

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Alone with the journal, among threads and among processes, and with all that others wrote in effect."""
        with self._lock, ExitStack() as held:
            if self._journal is not None:
                with disk_errors(self._journal.path):
                    self._folder.mkdir(parents=True, exist_ok=True)
                    lock = held.enter_context((self._folder / "lock").open("ab"))
                    if fcntl is not None:
                        fcntl.flock(lock, fcntl.LOCK_EX)
                self._catch_up()
            yield

    def _write(self, entry: dict[str, Any]) -> None:
        if self._journal is not None:
            with disk_errors(self._journal.path):
                self._journal.append(entry)
            self._read += 1

    def _apply(self, change: LearnedChange) -> None:
        before = len(self.table.changes)
        if change.action == "learn":
            self._count(change, 1)
            touched = {pair for pair, _ in change.rules}
            for pair in list(touched):
                touched |= self._of_source[pair[0]]
            for pair in sorted(touched):
                self.table.add(*pair, values=self._values(pair), links=self._links[pair])
        elif change.action == "add":
            (pair, links) = change.rules[0]
            self.table.add(*pair, links=links)
        else:
            self.table.remove(*change.rules[0][0])
        if change.action != "remove":
            self.cache.remember(change.tokens)
        self._move(change.steps, 1.0)
        self._steps.append((change, len(self.table.changes) - before))

    def _take_back(self) -> LearnedChange:
        change, count = self._steps.pop()
        for _ in range(count):
            self.table.undo()
        if change.action == "learn":
            self._count(change, -1)
        if change.action != "remove":
            self.cache.forget()
        self._move(change.steps, -1.0)
        return change

    def _count(self, change: LearnedChange, times: int) -> None:
        for pair, links in change.rules:
            self._counts[pair] += times
            for total, words in zip(self._totals, pair, strict=True):
                total[words] += times
            if self._counts[pair]:
                self._of_source[pair[0]].add(pair)
                self._links[pair] = links
            else:
                del self._counts[pair]
                self._of_source[pair[0]].discard(pair)

    def _values(self, pair: TokenPair) -> dict[str, float]:
        """Columns of a learned pair: those of the table, if it has it, with probabilities of all counts together."""
        base = self.table.base
        rule = base.find(*pair)
        values = dict(base.rule(rule).values) if rule is not None else {}
        known = base.rule(rule).counts if rule is not None else None
        joint = known.joint if known is not None else 0.0
        seen = known.source if known is not None else _seen(base, pair[0])
        others = known.target if known is not None else 0.0
        for column, before, side in ((DIRECT, seen, 0), (INVERSE, others, 1)):
            weight = 1.0 + before
            share = (joint + weight * self._counts[pair]) / (before + weight * self._totals[side][pair[side]])
            new = math.log(min(1.0, share))
            for name in (column, _LEXICAL[column]):
                if name in self.table.columns and (name == column or rule is None):
                    values[name] = new
        return values

    def _catch_up(self) -> None:
        """Put in effect what the journal has and this layer has not."""
        if self._journal is None:
            return
        for number, entry in enumerate(self._journal.read()[self._read :], self._read + 1):
            try:
                if entry["action"] == "undo":
                    self._take_back()
                else:
                    self._apply(LearnedChange.from_json(entry))
            except (KeyError, TypeError, ValueError, IndexError, AttributeError):
                raise damaged_line(self._journal.path, number) from None
            except InputError as error:
                raise FormatError(
                    f"the journal does not fit the model: {error.what}",
                    where=f"{self._journal.path}, line {number}",
                    remedy="restore it from a copy, or delete it to start afresh",
                ) from None
            self._read = number


def _seen(table: Any, source: Sequence[str]) -> float:
    """How often the training text has a phrase, as far as any rule says."""
    rules = table.ids(source)
    return float(table.rule(rules[0]).counts.source) if len(rules) and table.rule(rules[0]).counts is not None else 0.0


def _mark(model: Model) -> str:
    """What tells the table of a model from others: the header of its file holds a checksum."""
    with model.bundle.file("table.rules").open("rb") as file:
        return hashlib.sha256(file.read(64)).hexdigest()[:16]


def compact(path: Path | str, *, trust_features: bool = False) -> int:
    """Fold what a model has learned into its bundle; gives the number of changes that it took.

    The bundle is written aside and renamed. Its new table has a journal of its own, which is empty; the old one stays
    in the folder of journals as a record.
    """
    layer = LearnedLayer(Model.open(path, trust_features=trust_features))
    if layer.changes:
        moved = {name: value for name, value in layer.model.weights.items() if name != CACHE}
        layer.base.with_weights(moved).save(
            change=f"learned from {len(layer.changes)} corrections and rules",
            written={"table.rules": layer.table.save, _FOLDED: layer.write_folded},
        )
    return len(layer.changes)
