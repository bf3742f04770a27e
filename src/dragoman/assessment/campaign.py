"""A campaign as values: tasks of items, and the judgements that assessors give.

A campaign is made once (`dragoman.assessment.design` reads `campaign.toml` and designs it) and never changes while it
is judged: the file `campaign.json` is its whole truth, and judgements refer to it by item and task id. It is *secret*:
an item knows its system and whether it is a control. What may reach an assessor's browser is `Item.public` and nothing
else; item and task ids are random and say nothing about kind, system or place.

    >>> from dragoman.assessment.protocol import get_protocol
    >>> item = Item("9f", kind="degraded", systems=("A",), candidates=("A cat .",), reference="The cat .", partner="3c")
    >>> item.public(get_protocol("adequacy"))["candidates"]
    ['A cat .']
    >>> "kind" in item.public(get_protocol("adequacy"))
    False
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from dragoman.assessment.json_fields import checked, sparse, tuple_of
from dragoman.assessment.protocol import Protocol
from dragoman.errors import FormatError, InputError, UnknownName
from dragoman.files import open_binary, writing
from dragoman.plain_data import parse_json

__all__ = ["FORMAT", "Campaign", "CampaignTask", "ErrorSpan", "Item", "ItemKind", "Judgement", "Passage", "direction"]

FORMAT, VERSION = "dragoman-campaign", 1

ItemKind = Literal["system", "repeat", "degraded", "reference", "gold"]
"""What an item is there for; secret.

system: an ordinary output. The others are controls: `repeat` shows an ordinary item of the same task again, `degraded`
a worsened copy of one, `reference` the human translation in place of one (`partner` is that ordinary item's id);
`gold` has a known answer (`expected`, `accepted`, `reason`).
"""

_RIGHT_TO_LEFT = {"Arabic", "Hebrew", "Syriac", "Thaana", "Nko", "Adlam"}


def direction(language: str) -> Literal["ltr", "rtl", "auto"]:
    """The writing direction of a language, for the `dir` attribute of its text; `auto` where it is not known."""
    from dragoman.text.scripts import scripts_of

    try:
        return "rtl" if _RIGHT_TO_LEFT & set(scripts_of(language)) else "ltr"
    except UnknownName:
        return "auto"


@dataclass(frozen=True, slots=True)
class Passage:
    """A neighbouring segment of the same document, shown for context and not judged."""

    source: str = ""
    reference: str = ""
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """One thing judged.

    Public, as far as the protocol shows it: `id`, `source`, `reference`, `candidates` (in the order of display),
    `context`, and the languages. Everything else is secret until the campaign is over. `systems[i]` made
    `candidates[i]`. `segment` counts from 0 within `testset`. For graded similarity `reference` is the first sentence
    and the only candidate the second.
    """

    id: str
    kind: ItemKind = "system"
    systems: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    source: str = ""
    reference: str = ""
    source_language: str = ""
    target_language: str = ""
    testset: str = ""
    segment: int = 0
    document: str = ""
    context: tuple[Passage, ...] = ()
    partner: str = ""
    expected: float | None = None
    accepted: tuple[float, ...] = ()
    reason: str = ""

    @property
    def system(self) -> str:
        """The system of an item with one candidate; systems of a ranking are joined by a bar."""
        return "|".join(self.systems)

    @property
    def pair(self) -> str:
        return "-".join(filter(None, (self.source_language, self.target_language)))

    def public(self, protocol: Protocol) -> dict[str, Any]:
        """All that an assessor's browser may be told of this item. Texts are raw: the page must escape them."""
        shown = set(protocol.shows)

        def texts(source: str, reference: str, candidates: tuple[str, ...]) -> dict[str, Any]:
            found: dict[str, Any] = {}
            if "source" in shown and source:
                found["source"] = source
            if "reference" in shown and reference:
                found["reference"] = reference
            return {**found, "candidates": list(candidates)}

        return {
            "id": self.id,
            **texts(self.source, self.reference, self.candidates),
            "context": [texts(passage.source, passage.reference, passage.candidates) for passage in self.context],
            "source_language": self.source_language,
            "target_language": self.target_language,
            "source_direction": direction(self.source_language),
            "target_direction": direction(self.target_language),
        }

    def to_dict(self) -> dict[str, Any]:
        """The secret form, without fields that have their default."""
        return sparse(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, where: str = "") -> Item:
        """The inverse of `to_dict`."""
        found = checked(cls, values, where=where)
        for name in ("systems", "candidates"):
            found[name] = tuple_of(str, found.get(name, ()), where=where)
        found["accepted"] = tuple_of((int, float), found.get("accepted", ()), where=where)
        context = [checked(Passage, passage, where=where) for passage in found.get("context", ())]
        for passage in context:
            passage["candidates"] = tuple_of(str, passage.get("candidates", ()), where=where)
        found["context"] = tuple(Passage(**passage) for passage in context)
        if found.get("kind", "system") not in get_args(ItemKind):
            raise FormatError(f"no item is of kind {found['kind']!r}", where=where)
        return cls(**found)


@dataclass(frozen=True, slots=True)
class CampaignTask:
    """What one assessor does in one go: items in the order in which they must be shown.

    `copies` different assessors do the task; `assessors` names them where they are known beforehand (else whoever comes
    next). The order of items is part of the design and must not be shuffled: it keeps the two members of a control pair
    apart. `number` counts from 1 and is public.
    """

    id: str
    number: int
    protocol: str
    items: tuple[Item, ...]
    copies: int = 1
    assessors: tuple[str, ...] = ()

    @property
    def pair(self) -> str:
        return self.items[0].pair if self.items else ""

    @property
    def target_language(self) -> str:
        return self.items[0].target_language if self.items else ""

    def to_dict(self) -> dict[str, Any]:
        return {**sparse(replace(self, items=())), "items": [item.to_dict() for item in self.items]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, where: str = "") -> CampaignTask:
        """The inverse of `to_dict`."""
        found = checked(cls, values, where=where)
        items = found.get("items", ())
        found["items"] = tuple(Item.from_dict(item, where=f"{where}, item {at}") for at, item in enumerate(items, 1))
        found["assessors"] = tuple_of(str, found.get("assessors", ()), where=where)
        return cls(**found)


@dataclass(frozen=True, slots=True)
class ErrorSpan:
    """A marked error: characters `[start, end)` of the only candidate, counted in code points (not UTF-16 units).

    `start == end` marks something missing at that place.
    """

    start: int
    end: int
    severity: str
    category: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """An assessor's answer to one item of one task; unique by (item, assessor).

    Which of `score`, `ranks` and `spans` are filled follows from `Protocol.answer`. `ranks[i]` is the rank of
    `Item.candidates[i]`, 1 for the best, ties allowed. `not_applicable` stands for an answer that declines to judge,
    where the protocol allows it. `started` and `submitted` are ISO 8601 times in UTC; `milliseconds` is the time the
    item was before the assessor's eyes, `moves` how often the handle was moved.
    """

    item: str
    task: str
    assessor: str
    score: float | None = None
    ranks: tuple[int, ...] = ()
    spans: tuple[ErrorSpan, ...] = ()
    not_applicable: bool = False
    comment: str = ""
    started: str = ""
    submitted: str = ""
    milliseconds: int = 0
    moves: int = 0

    def check(self, item: Item, protocol: Protocol) -> None:
        """Refuse an answer that does not fit the item and the protocol: the message is for the assessor's page."""
        where = f"item {self.item}"
        if self.not_applicable:
            if not protocol.not_applicable:
                raise InputError("this item must be judged", where=where)
            return
        if protocol.answer == "ranking":
            if len(self.ranks) != len(item.candidates) or self.score is not None or self.spans:
                raise InputError(f"{len(self.ranks)} ranks for {len(item.candidates)} candidates", where=where)
            if not all(type(rank) is int and 1 <= rank <= len(self.ranks) for rank in self.ranks):
                raise InputError(f"ranks are 1 to {len(self.ranks)}", where=where)
            if not protocol.ties and len(set(self.ranks)) < len(self.ranks):
                raise InputError("equal ranks are not allowed", where=where, remedy="choose the better one")
            return
        assert protocol.scale is not None
        if self.score is None:
            raise InputError("no score was given", where=where, remedy="move the handle or choose a point")
        protocol.scale.check(self.score, where=where)
        if self.ranks or (self.spans and protocol.answer != "spans"):
            raise InputError(f"a judgement of {protocol.name} is a score only", where=where)
        length = len(item.candidates[0]) if item.candidates else 0
        for span in self.spans:
            if not 0 <= span.start <= span.end <= length:
                raise InputError(f"marked text {span.start} to {span.end} lies outside the candidate", where=where)
            if span.severity not in protocol.severities:
                grades = ", ".join(protocol.severities)
                raise InputError(f"severity {span.severity!r} is not one of {grades}", where=where)

    def to_dict(self) -> dict[str, Any]:
        return sparse(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, where: str = "") -> Judgement:
        """The inverse of `to_dict`."""
        found = checked(cls, values, where=where)
        found["spans"] = tuple(ErrorSpan(**checked(ErrorSpan, span, where=where)) for span in found.get("spans", ()))
        found["ranks"] = tuple_of(int, found.get("ranks", ()), where=where)
        if found.get("score") is not None and not math.isfinite(found["score"]):
            raise FormatError(f"the score {found['score']!r} is not a number", where=where)
        return cls(**found)


@dataclass(frozen=True)
class Campaign:
    """A designed campaign: its protocols, its tasks, and how it is run.

    `language` is the language of the page (empty: that of the task's target language, English where it is not shipped);
    `wording` overrides single texts of the page, per protocol. `consent` is shown before the first item and must be
    agreed to. `tasks_per_assessor` is the most that one assessor may do (0: no limit); nobody does a task twice. A task
    that was begun and left returns to the queue after `hours`. `completion_url` is where a finished assessor is sent
    (with `{code}` in it). `show_progress` prints '12 of 70'. `gate` holds settings of the live gold gate, empty for
    none (`dragoman.assessment.gold_gate`); `crowd` those of the entrance for workers of crowd platforms
    (`dragoman.assessment.crowd_entrance`).
    """

    name: str
    tasks: tuple[CampaignTask, ...]
    protocols: Mapping[str, Protocol]
    seed: int = 1
    language: str = ""
    wording: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    consent: str = ""
    contact: str = ""
    completion_url: str = ""
    tasks_per_assessor: int = 0
    hours: float = 24.0
    show_progress: bool = True
    gate: Mapping[str, Any] = field(default_factory=dict)
    crowd: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for task in self.tasks:
            if task.protocol not in self.protocols:
                raise FormatError(f"task {task.number} follows {task.protocol!r}, which the campaign does not define")
        if len(self._items) != sum(len(task.items) for task in self.tasks):
            raise FormatError("two items have the same id", where=f"campaign {self.name}")
        if len(self._tasks) != len(self.tasks):
            raise FormatError("two tasks have the same id", where=f"campaign {self.name}")

    @cached_property
    def _items(self) -> dict[str, tuple[CampaignTask, int]]:
        return {item.id: (task, at) for task in self.tasks for at, item in enumerate(task.items)}

    @cached_property
    def _tasks(self) -> dict[str, CampaignTask]:
        return {task.id: task for task in self.tasks}

    def __iter__(self) -> Iterator[Item]:
        return (item for task in self.tasks for item in task.items)

    def task(self, id: str) -> CampaignTask:  # noqa: A002
        """The task of that id."""
        if id not in self._tasks:
            raise UnknownName(f"no task has the id {id!r}", where=f"campaign {self.name}")
        return self._tasks[id]

    def item(self, id: str) -> Item:  # noqa: A002
        """The item of that id."""
        task, at = self.place(id)
        return task.items[at]

    def place(self, item: str) -> tuple[CampaignTask, int]:
        """The task of an item and its position there, from 0."""
        if item not in self._items:
            raise UnknownName(f"no item has the id {item!r}", where=f"campaign {self.name}")
        return self._items[item]

    def protocol_of(self, task: CampaignTask) -> Protocol:
        return self.protocols[task.protocol]

    def to_dict(self) -> dict[str, Any]:
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {
            "format": FORMAT,
            "version": VERSION,
            **values,
            "protocols": {name: protocol.to_dict() for name, protocol in self.protocols.items()},
            "tasks": [task.to_dict() for task in self.tasks],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, where: str = "") -> Campaign:
        """The inverse of `to_dict`."""
        if values.get("format") != FORMAT:
            raise FormatError("not a campaign", where=where, remedy="make one with `dragoman assess new`")
        if values.get("version") != VERSION:
            raise FormatError(f"a campaign of version {values.get('version')!r}, not {VERSION}", where=where)
        known = {name: value for name, value in values.items() if name not in ("format", "version")}
        found = checked(cls, known, where=where)
        found["protocols"] = {
            name: Protocol.from_dict(protocol, where=f"{where}, protocol {name}")
            for name, protocol in found["protocols"].items()
        }
        found["tasks"] = tuple(
            CampaignTask.from_dict(task, where=f"{where}, task {at}") for at, task in enumerate(found["tasks"], 1)
        )
        return cls(**found)

    def write(self, path: Path | str) -> None:
        """Write `campaign.json`, for its owner only: it says which system is which and what controls expect."""
        with writing(path, private=True) as file:
            json.dump(self.to_dict(), file, ensure_ascii=False, indent=1)
            file.write("\n")

    @classmethod
    def read(cls, path: Path | str) -> Campaign:
        """Read `campaign.json`, or the one in a campaign's folder."""
        path = Path(path)
        if path.is_dir():
            path /= "campaign.json"
        with open_binary(path) as file:
            values = parse_json(file.read(), where=str(path))
        if not isinstance(values, dict):
            raise FormatError("not a campaign", where=str(path), remedy="make one with `dragoman assess new`")
        return cls.from_dict(values, where=str(path))
