"""The workload of a campaign: who judges what how often, and how long it takes, before anyone is asked to.

>>> from dragoman.assessment.campaign import Campaign, CampaignTask, Item
>>> from dragoman.assessment.protocol import get_protocol
>>> items = tuple(Item(name, systems=(name,), candidates=("x",)) for name in "AB")
>>> tasks = (CampaignTask("t", 1, "fluency", items, copies=3),)
>>> workload(Campaign("c", tasks, {"fluency": get_protocol("fluency")})).judgements
6
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, get_args

from dragoman.assessment.campaign import Campaign, ItemKind

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["SystemShare", "TaskShape", "Workload", "workload"]


@dataclass(frozen=True, slots=True)
class TaskShape:
    """The size of a task: items by kind, how many assessors do it, and the minutes that it takes one of them."""

    number: int
    protocol: str
    pair: str
    kinds: dict[str, int]
    copies: int
    minutes: float
    assessors: tuple[str, ...]

    @property
    def items(self) -> int:
        return sum(self.kinds.values())


@dataclass(frozen=True, slots=True)
class SystemShare:
    """How often a system is judged: different segments, and judgements of them (repeats included)."""

    protocol: str
    pair: str
    testset: str
    system: str
    segments: int
    judgements: int


@dataclass(frozen=True)
class Workload:
    """What a campaign asks of its assessors; shows itself as tables."""

    name: str
    tasks: tuple[TaskShape, ...]
    systems: tuple[SystemShare, ...]
    comparisons: int
    assessors: dict[str, int]
    warnings: tuple[str, ...]

    @property
    def judgements(self) -> int:
        return sum(task.items * task.copies for task in self.tasks)

    @property
    def hours(self) -> float:
        return sum(task.minutes * task.copies for task in self.tasks) / 60

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "judgements": self.judgements,
            "hours": round(self.hours, 2),
            "comparisons": self.comparisons,
            "tasks": [
                {
                    "task": task.number,
                    "protocol": task.protocol,
                    "pair": task.pair,
                    "items": task.items,
                    "kinds": task.kinds,
                    "copies": task.copies,
                    "minutes": round(task.minutes, 1),
                    "assessors": list(task.assessors),
                }
                for task in self.tasks
            ],
            "systems": [
                {
                    "protocol": one.protocol,
                    "pair": one.pair,
                    "testset": one.testset,
                    "system": one.system,
                    "segments": one.segments,
                    "judgements": one.judgements,
                }
                for one in self.systems
            ],
            "assessors": self.assessors,
            "warnings": list(self.warnings),
        }

    def __rich__(self) -> Group:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        shapes = Table("task", "protocol", "pair", "items", "outputs", "controls", "assessors", "minutes", box=None)
        for task in self.tasks:
            kinds = ", ".join(f"{count} {kind}" for kind, count in task.kinds.items() if kind != "system")
            people = ", ".join(task.assessors) or str(task.copies)
            row = (str(task.number), task.protocol, task.pair, str(task.items), str(task.kinds.get("system", 0)))
            shapes.add_row(*row, kinds or "none", Text(people), f"{task.minutes:.0f}")
        shares = Table("system", "test set", "pair", "protocol", "segments", "judgements", box=None)
        for one in self.systems:
            row = (one.testset, one.pair, one.protocol, str(one.segments), str(one.judgements))
            shares.add_row(Text(one.system), *row)
        parts: list[Any] = [Text(self.name, style="bold"), shapes, Text(), shares, Text()]
        total = f"{self.judgements} judgements in {len(self.tasks)} tasks, about {self.hours:.1f} hours of work"
        if self.comparisons:
            total += f"; {self.comparisons} comparisons of two outputs"
        parts.append(Text(total))
        if self.assessors:
            each = ", ".join(f"{name} {count}" for name, count in self.assessors.items())
            parts.append(Text(f"items per assessor: {each}"))
        parts += [Text(f"note: {warning}", style="yellow") for warning in self.warnings]
        return Group(*parts)


def workload(campaign: Campaign) -> Workload:
    """Count what a campaign asks for."""
    shapes = []
    segments: dict[tuple[str, str, str, str], set[int]] = {}
    judged: Counter[tuple[str, str, str, str]] = Counter()
    comparisons = 0
    people: Counter[str] = Counter()
    for task in campaign.tasks:
        protocol = campaign.protocol_of(task)
        counted: Counter[str] = Counter(item.kind for item in task.items)
        kinds = {kind: counted[kind] for kind in get_args(ItemKind) if counted[kind]}
        minutes = len(task.items) * protocol.seconds / 60
        shapes.append(TaskShape(task.number, task.protocol, task.pair, kinds, task.copies, minutes, task.assessors))
        for name in task.assessors:
            people[name] += len(task.items)
        for item in task.items:
            if item.kind not in ("system", "repeat"):
                continue
            comparisons += len(list(combinations(item.systems, 2))) * task.copies
            for system in item.systems:
                key = (task.protocol, task.pair, item.testset, system)
                segments.setdefault(key, set()).add(item.segment)
                judged[key] += task.copies
    shares = tuple(SystemShare(*key, len(segments[key]), judged[key]) for key in sorted(judged))
    return Workload(campaign.name, tuple(shapes), shares, comparisons, dict(people), tuple(_warnings(campaign, shares)))


def _warnings(campaign: Campaign, shares: tuple[SystemShare, ...]) -> Iterator[str]:
    empty = sum(1 for item in campaign if item.kind == "system" and not all(item.candidates))
    if empty:
        yield f"{empty} outputs are empty; they are shown as empty boxes and never degraded"
    for protocol in sorted({task.protocol for task in campaign.tasks}):
        pairs = [
            sum(item.kind == "degraded" for item in task.items) for task in campaign.tasks if task.protocol == protocol
        ]
        if campaign.protocols[protocol].degrade != "none" and pairs and min(pairs) < 5:
            yield f"a task of {protocol} has only {min(pairs)} degraded items: assessors can hardly be tested on it"
    scored = [one for one in shares if campaign.protocols[one.protocol].answer != "ranking"]
    if scored and min(one.judgements for one in scored) < 100:
        yield "some systems get fewer than 100 judgements: only large differences will show (`dragoman assess plan`)"
