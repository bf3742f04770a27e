"""Tasks: who sees what, in which order, with which hidden controls.

A task of direct assessment has 100 items in ten sets of ten: seven outputs of systems, and one each of a degraded copy,
a repeat and a reference that belong to three different outputs of the *partner set*, five sets away. Only the order
within a set is random, so that 40 to 58 other judgements lie between the two members of every pair: far enough to
forget, near enough not to drift (Graham, Baldwin, Moffat and Zobel 2013, 2014). Fewer texts make shorter tasks by the
same rule, with fewer sets; documents take the place of segments where context is shown. Rankings show several systems'
outputs of one segment at once and repeat some screens; graded similarity hides one pair of known score on each page
(Agirre et al. 2012, 2013).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from dragoman.assessment.campaign import CampaignTask, Item, ItemKind
from dragoman.assessment.design.degrade import degrade, eligible
from dragoman.assessment.design.pool import Gold, SystemOutput
from dragoman.assessment.protocol import Protocol
from dragoman.errors import InputError
from dragoman.seeds import stream
from dragoman.settings import Settings, setting

if TYPE_CHECKING:
    import numpy as np

__all__ = ["CONTROLS", "Design", "build_tasks", "default_controls", "violations"]

CONTROLS: tuple[ItemKind, ...] = ("degraded", "repeat", "reference")
_SET = 10
_TRIES = 200
Unit = tuple[Item, ...]
"""Items that stay together: one segment, or the segments of a document."""


@dataclass(frozen=True, slots=True)
class Design(Settings):
    """How tasks are made of a pool."""

    items: int = setting(100, "Size of a full task.", least=1)
    judgements: int = setting(1, "How many assessors judge each output.", least=1)
    tasks: int = setting(0, "How many tasks are made; 0: as many as it takes to show every output once.", least=0)
    at_least: int = 1
    """So many tasks at least, if `tasks` is 0."""
    sampling: Literal["equal", "pool"] = setting(
        "equal", "As many outputs of each system, or every output as likely: then counts follow sizes of test sets."
    )
    controls: tuple[ItemKind, ...] | None = setting(
        None, "Hidden items, one unit of each kind per set; none for those that suit the protocol.", choices=CONTROLS
    )
    context: Literal["segment", "document"] = setting("segment", "What stays together.")
    candidates: int = setting(5, "Systems that a ranking shows.", least=2)
    gold_every: int = setting(5, "Of so many items one is gold, where there are gold items.", least=2)


def default_controls(protocol: Protocol) -> tuple[ItemKind, ...]:
    """Which hidden controls suit a protocol: all three for scores of outputs; a ranking can only be asked again."""
    if protocol.answer == "ranking":
        return ("repeat",)
    if protocol.degrade == "none":
        return ()
    return ("degraded",) if protocol.answer == "spans" else CONTROLS


def build_tasks(
    pool: Sequence[SystemOutput],
    protocol: Protocol,
    design: Design | None = None,
    *,
    gold: Sequence[Gold] = (),
    seed: int = 1,
    first: int = 1,
) -> list[CampaignTask]:
    """The tasks of one protocol and one language pair, numbered from `first`; the same seed makes the same tasks."""
    design = design or Design()
    if not pool:
        raise InputError("there is nothing to judge")
    if len({output.pair for output in pool}) > 1:
        raise InputError("a task has one language pair", remedy="build the tasks of each pair by themselves")
    if "reference" in protocol.shows and not any(output.reference for output in pool) and protocol.answer != "ranking":
        raise InputError(f"{protocol.name} is judged against references", remedy="give `reference`, or use fluency")
    if protocol.shows == ("source", "candidate") and not any(output.source for output in pool):
        raise InputError(f"{protocol.name} is judged against sources", remedy="give `source`")
    builder = _Builder(pool, protocol, design, gold, seed, f"{protocol.name} {pool[0].pair}")
    return builder.tasks(first)


class _Builder:
    """The parts that building one group of tasks shares."""

    def __init__(
        self,
        pool: Sequence[SystemOutput],
        protocol: Protocol,
        design: Design,
        gold: Sequence[Gold],
        seed: int,
        name: str,
    ) -> None:
        self.pool, self.protocol, self.design, self.gold = pool, protocol, design, gold
        self.rng = stream(seed, "tasks", name)
        self._ids = stream(seed, "ids", name)
        self._others = sorted({output.reference or output.text for output in pool} - {""})
        self._gold_queue: list[Gold] = []
        chosen = design.controls if design.controls is not None else default_controls(protocol)
        if protocol.degrade == "none" or protocol.answer == "ranking":
            chosen = tuple(kind for kind in chosen if kind == "repeat")
        if not any(output.reference for output in pool):
            chosen = tuple(kind for kind in chosen if kind != "reference")
        self.controls = chosen

    def opaque(self) -> str:
        """A random name that says nothing."""
        return str(self._ids.bytes(8).hex())

    def tasks(self, first: int) -> list[CampaignTask]:
        units = self._ranked_units() if self.protocol.answer == "ranking" else self._units()
        share = (_SET - len(self.controls)) / _SET
        room = max(1, round(self.design.items * share))
        if self.gold:
            room = max(1, self.design.items - self.design.items // self.design.gold_every)
        return [
            CampaignTask(self.opaque(), number, self.protocol.name, self._filled(chunk), self.design.judgements)
            for number, chunk in enumerate(self._chunks(units, room), first)
        ]

    def _item(
        self, output: SystemOutput, kind: ItemKind = "system", *, partner: str = "", text: str | None = None
    ) -> Item:
        return Item(
            self.opaque(),
            kind,
            (output.system,),
            (output.text if text is None else text,),
            output.source,
            output.reference,
            output.source_language,
            output.target_language,
            output.testset,
            output.segment,
            output.document,
            output.context,
            partner,
        )

    def _units(self) -> list[Unit]:
        if self.design.context == "segment":
            return [(self._item(output),) for output in self.pool]
        runs: dict[tuple[str, str, str], list[Item]] = {}
        for output in sorted(self.pool, key=lambda one: one.segment):
            runs.setdefault((output.testset, output.system, output.document), []).append(self._item(output))
        return [tuple(run) for run in runs.values()]

    def _ranked_units(self) -> list[Unit]:
        """One screen per segment; each shows the systems that were shown least so far, in random order."""
        by_segment: dict[tuple[str, int], list[SystemOutput]] = {}
        for output in self.pool:
            by_segment.setdefault((output.testset, output.segment), []).append(output)
        low, high = self.protocol.candidates
        width = min(self.design.candidates, high)
        shown: dict[str, int] = {}
        found: list[Unit] = []
        for outputs in by_segment.values():
            if len(outputs) < low:
                continue
            order = sorted(outputs, key=lambda one: (shown.get(one.system, 0), float(self.rng.random())))[:width]
            for output in order:
                shown[output.system] = shown.get(output.system, 0) + 1
            order = [order[at] for at in self.rng.permutation(len(order)).tolist()]
            item = self._item(order[0])
            context = tuple(
                replace(passage, candidates=tuple(one.context[at].candidates[0] for one in order))
                for at, passage in enumerate(order[0].context)
                if all(at < len(one.context) for one in order)
            )
            systems, texts = tuple(one.system for one in order), tuple(one.text for one in order)
            found.append((replace(item, systems=systems, candidates=texts, context=context),))
        if not found:
            raise InputError("no segment has outputs of two systems to compare")
        return found

    def _sequence(self, units: Sequence[Unit]) -> Iterator[Unit]:
        """The units in an order of which every stretch is a fair sample; once through the pool."""
        groups: dict[str, list[Unit]] = {}
        for at in self.rng.permutation(len(units)).tolist():
            unit = units[at]
            groups.setdefault(unit[0].system if self._by_system else "", []).append(unit)
        names = sorted(groups)
        while any(groups.values()):
            for at in self.rng.permutation(len(names)).tolist():
                if groups[names[at]]:
                    yield groups[names[at]].pop()

    @property
    def _by_system(self) -> bool:
        return self.design.sampling == "equal" and self.protocol.answer != "ranking"

    def _chunks(self, units: Sequence[Unit], room: int) -> list[list[Unit]]:
        """Units for each task, none twice in one task; later rounds through the pool show the same texts anew."""
        if not self.design.tasks:
            count = min(len(units), max(self.design.at_least, -(-sum(map(len, units)) // room)))
            order = list(self._sequence(units))
            bounds = [round(len(order) * at / count) for at in range(count + 1)]
            return [order[a:b] for a, b in itertools.pairwise(bounds) if b > a]
        groups: dict[str, list[Unit]] = {}
        for unit in units:
            groups.setdefault(unit[0].system if self._by_system else "", []).append(unit)
        queues: dict[str, list[Unit]] = {name: [] for name in sorted(groups)}
        return [self._drawn(groups, queues, min(room, sum(map(len, units)))) for _ in range(self.design.tasks)]

    def _drawn(self, groups: dict[str, list[Unit]], queues: dict[str, list[Unit]], wanted: int) -> list[Unit]:
        """The units of one task: every group in turn, so that their shares differ by one at most."""
        chunk: list[Unit] = []
        seen: set[tuple[str, str, int]] = set()
        size = 0
        while size < wanted:
            for at in self.rng.permutation(len(groups)).tolist():
                name = list(queues)[at]
                unit = self._next(groups[name], queues[name], seen) if size < wanted else None
                if unit is not None:
                    seen.add(_key(unit))
                    chunk.append(self._fresh(unit))
                    size += len(unit)
        return chunk

    def _next(self, group: list[Unit], queue: list[Unit], seen: set[tuple[str, str, int]]) -> Unit | None:
        """The next unit of a group that the task does not have yet; the group is reshuffled when it is used up."""
        at = next((at for at, unit in enumerate(queue) if _key(unit) not in seen), None)
        if at is None:
            fresh = [group[place] for place in self.rng.permutation(len(group)).tolist()]
            at = next((len(queue) + at for at, unit in enumerate(fresh) if _key(unit) not in seen), None)
            if at is None:
                return None
            queue += fresh
        return queue.pop(at)

    def _fresh(self, unit: Unit) -> Unit:
        return tuple(replace(item, id=self.opaque()) for item in unit)

    def _filled(self, units: Sequence[Unit]) -> tuple[Item, ...]:
        """A task's items in order: outputs and their controls in sets, or pages with gold."""
        if self.gold:
            return self._with_gold([item for unit in units for item in unit])
        if not self.controls or len(units) < 2:
            return tuple(item for unit in units for item in unit)
        count = min(_SET, max(2, 2 * round(len(units) / (2 * (_SET - len(self.controls))))))
        while count > 2 and len(units) // count < len(self.controls):
            count -= 2
        order = [units[at] for at in self.rng.permutation(len(units)).tolist()]
        bounds = [round(len(order) * at / count) for at in range(count + 1)]
        sets = [order[a:b] for a, b in itertools.pairwise(bounds)]
        controls = [self._controls(sets[(at + count // 2) % count]) for at in range(count)]
        full = count == _SET
        best: tuple[Item, ...] = ()
        widest = -1
        for _ in range(1 if full else _TRIES):
            placed = tuple(
                item
                for members, hidden in zip(sets, controls, strict=True)
                for unit in _shuffled([*members, *hidden], self.rng)
                for item in unit
            )
            apart = min(separations(placed), default=0)
            if apart > widest:
                best, widest = placed, apart
        return best

    def _controls(self, partners: Sequence[Unit]) -> list[Unit]:
        """One unit of each kind of control, for different units of the partner set."""
        left = [partners[at] for at in self.rng.permutation(len(partners)).tolist()]
        found: list[Unit] = []
        for kind in self.controls:
            fitting = [at for at, unit in enumerate(left) if all(self._fits(item, kind) for item in unit)]
            if kind == "degraded":
                ideal = [at for at in fitting if all(self._ideal(item) for item in left[at])]
                fitting = ideal or fitting
            if fitting:
                found.append(tuple(self._control(item, kind) for item in left.pop(fitting[0])))
        return found

    def _fits(self, item: Item, kind: ItemKind) -> bool:
        if kind == "reference":
            return bool(item.reference)
        if kind == "degraded" and not (self._ideal(item) and len(self._others) > 1):
            try:
                self._degraded(item, stream(0, "whether it can be degraded at all"))
            except InputError:
                return False
        return True

    def _ideal(self, item: Item) -> bool:
        return eligible(item.candidates[0], self.protocol.degrade, language=item.target_language)

    def _control(self, item: Item, kind: ItemKind) -> Item:
        made = replace(item, id=self.opaque(), kind=kind, partner=item.id)
        if kind == "reference":
            return replace(made, candidates=(item.reference,))
        return replace(made, candidates=(self._degraded(item, self.rng),)) if kind == "degraded" else made

    def _degraded(self, item: Item, rng: np.random.Generator) -> str:
        others = [text for text in self._others if text != item.reference]
        return degrade(item.candidates[0], self.protocol.degrade, rng=rng, others=others, language=item.target_language)

    def _with_gold(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Pages of `gold_every` items with one gold each at a random place; no gold twice before all have been used."""
        found: list[Item] = []
        step = self.design.gold_every - 1
        language = (self.pool[0].source_language, self.pool[0].target_language)
        for start in range(0, len(items), step):
            page = list(items[start : start + step])
            if not self._gold_queue:
                self._gold_queue = [self.gold[at] for at in self.rng.permutation(len(self.gold)).tolist()]
            one = self._gold_queue.pop()
            hidden = Item(
                self.opaque(),
                "gold",
                ("",),
                (one.text,),
                one.source,
                one.reference,
                *language,
                "gold",
                self.gold.index(one),
                expected=one.expected,
                accepted=one.accepted,
                reason=one.reason,
            )
            page.insert(int(self.rng.integers(0, len(page) + 1)), hidden)
            found += page
        return tuple(found)


def _shuffled(units: Sequence[Unit], rng: np.random.Generator) -> list[Unit]:
    return [units[at] for at in rng.permutation(len(units)).tolist()]


def _key(unit: Unit) -> tuple[str, str, int]:
    return unit[0].testset, unit[0].system, unit[0].segment


def separations(items: Sequence[Item]) -> list[int]:
    """How many other judgements lie between each control and its partner."""
    places = {item.id: at for at, item in enumerate(items)}
    return [abs(places[item.partner] - places[item.id]) - 1 for item in items if item.partner]


def violations(task: CampaignTask, *, full: bool = True) -> list[str]:
    """What is wrong with a task, in words; empty for a sound one. `full` asks for the 100-item form of the papers."""
    found: list[str] = []
    by_id = {item.id: item for item in task.items}
    if len(by_id) != len(task.items):
        found.append("two items have the same id")
    seen: set[tuple[str, str, int]] = set()
    for item in task.items:
        if item.kind == "system":
            key = (item.testset, item.system, item.segment)
            if key in seen:
                found.append(f"{item.system} segment {item.segment} is shown twice")
            seen.add(key)
            continue
        if item.kind == "gold":
            continue
        partner = by_id.get(item.partner)
        if partner is None or partner.kind != "system":
            found.append(f"control {item.id} has no partner in its task")
        elif item.kind == "repeat" and item.candidates != partner.candidates:
            found.append(f"repeat {item.id} differs from its output")
        elif item.kind == "degraded" and item.candidates == partner.candidates:
            found.append(f"degraded {item.id} equals its output")
    if full:
        if len(task.items) != 100:
            found.append(f"{len(task.items)} items, not 100")
        for at in range(0, len(task.items), _SET):
            kinds = sorted(item.kind for item in task.items[at : at + _SET])
            if kinds != ["degraded", "reference", "repeat", *["system"] * 7]:
                found.append(f"set {at // _SET} holds {', '.join(kinds)}")
        if by_id and not found and not all(40 <= apart <= 58 for apart in separations(task.items)):
            found.append("the members of a pair stand too near or too far from each other")
        for at in range(0, len(task.items), _SET):
            partners = [item.partner for item in task.items[at : at + _SET] if item.partner]
            if len(set(partners)) != len(partners):
                found.append(f"two controls of set {at // _SET} belong to one output")
    return found
