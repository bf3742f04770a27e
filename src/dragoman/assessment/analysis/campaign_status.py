"""Status: how far a campaign is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dragoman.assessment.campaign import Campaign, Judgement

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["CampaignStatus", "TaskStatus", "campaign_status"]


@dataclass(frozen=True, slots=True)
class TaskStatus:
    """One task: how many assessors are wanted, how many have finished, and how many items the others have judged."""

    number: int
    protocol: str
    pair: str
    items: int
    copies: int
    finished: int
    begun: int
    judgements: int


@dataclass(frozen=True)
class CampaignStatus:
    """A campaign's judgements so far; shows itself as tables."""

    name: str
    tasks: tuple[TaskStatus, ...]
    assessors: dict[str, int]
    judgements: int
    wanted: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "judgements": self.judgements,
            "wanted": self.wanted,
            "tasks": [{name: getattr(task, name) for name in task.__slots__} for task in self.tasks],
            "assessors": self.assessors,
        }

    def __rich__(self) -> Group:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table("task", "protocol", "pair", "items", "assessors", "finished", "begun", "judgements", box=None)
        for task in self.tasks:
            table.add_row(
                str(task.number),
                task.protocol,
                task.pair,
                str(task.items),
                str(task.copies),
                str(task.finished),
                str(task.begun),
                str(task.judgements),
            )
        share = self.judgements / self.wanted if self.wanted else 0.0
        total = Text(f"{self.judgements} of {self.wanted} judgements ({share:.0%})")
        people = ", ".join(f"{name} {count}" for name, count in self.assessors.items())
        return Group(Text(self.name, style="bold"), table, total, Text(f"by assessor: {people}" if people else ""))


def campaign_status(campaign: Campaign, judgements: Iterable[Judgement]) -> CampaignStatus:
    """Count the judgements of a campaign."""
    counts: Counter[tuple[str, str]] = Counter()
    people: Counter[str] = Counter()
    for one in judgements:
        task, _ = campaign.place(one.item)
        counts[task.id, one.assessor] += 1
        people[one.assessor] += 1
    tasks = []
    for task in campaign.tasks:
        own = [count for (name, _), count in counts.items() if name == task.id]
        finished = sum(count >= len(task.items) for count in own)
        tasks.append(
            TaskStatus(
                task.number,
                task.protocol,
                task.pair,
                len(task.items),
                task.copies,
                finished,
                len(own) - finished,
                sum(own),
            )
        )
    wanted = sum(len(task.items) * task.copies for task in campaign.tasks)
    return CampaignStatus(campaign.name, tuple(tasks), dict(sorted(people.items())), sum(people.values()), wanted)
