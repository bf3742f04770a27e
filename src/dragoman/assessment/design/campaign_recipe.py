"""Recipes: `campaign.toml` into a designed campaign.

    name = "news, Czech to English"
    protocol = "adequacy"            # or several: ["adequacy", "fluency"]

    [[testsets]]
    pair = "cs-en"
    reference = "ref.en"
    systems = { A = "a.en", B = "b.en" }

Everything else has a default. Files are named relative to the recipe. The same recipe with the same files makes the
same campaign, item ids included.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dragoman.assessment.campaign import Campaign, CampaignTask
from dragoman.assessment.crowd_entrance import CrowdEntrance
from dragoman.assessment.design.pool import (
    Gold,
    SystemOutput,
    read_gold,
    read_pairs,
    read_table,
    read_test_set,
    with_context,
)
from dragoman.assessment.design.tasks import Design, build_tasks
from dragoman.assessment.gold_gate import GoldGate
from dragoman.assessment.page_wording import wording
from dragoman.assessment.protocol import Protocol, get_protocol
from dragoman.errors import SettingError
from dragoman.files import read_lines
from dragoman.plain_data import parse_toml

__all__ = ["CampaignRecipe", "build_campaign", "read_campaign_recipe"]

_TOP = {
    "name", "protocol", "seed", "language", "consent", "contact", "completion_url", "hours", "tasks_per_assessor",
    "show_progress", "assessors", "gold", "context_size", "design", "protocols", "wording", "testsets", "gate", "crowd",
}  # fmt: skip
_TESTSET = {"name", "pair", "language", "reference", "source", "documents", "systems", "table", "pairs"}
_PASSED = ("language", "consent", "contact", "completion_url", "hours", "tasks_per_assessor", "show_progress")


@dataclass(frozen=True)
class CampaignRecipe:
    """What a recipe file says, read and checked, with its texts loaded."""

    name: str
    protocols: Sequence[Protocol]
    pool: Sequence[SystemOutput]
    design: Design
    seed: int = 1
    gold: Sequence[Gold] = ()
    assessors: Sequence[str] = ()
    wording: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    gate: Mapping[str, Any] = field(default_factory=dict)
    crowd: Mapping[str, Any] = field(default_factory=dict)
    sampling_given: bool = False


def read_campaign_recipe(path: Path | str) -> CampaignRecipe:
    """Read `campaign.toml` and the files that it names."""
    path = Path(path)
    return _Reader(parse_toml("\n".join(read_lines(path)), where=str(path)), path).recipe()


def build_campaign(recipe: CampaignRecipe) -> Campaign:
    """Design the tasks of every protocol and language pair, and lay them out for named assessors."""
    pools: dict[str, list[SystemOutput]] = {}
    for output in recipe.pool:
        pools.setdefault(output.pair, []).append(output)
    tasks: list[CampaignTask] = []
    groups = len(recipe.protocols) * len(pools)
    everyone = -(-len(recipe.assessors) // (recipe.design.judgements * groups))
    for protocol in recipe.protocols:
        for pool in pools.values():
            design = replace(recipe.design, at_least=max(1, everyone))
            if not recipe.sampling_given and len({output.testset for output in pool}) > 1:
                design = replace(design, sampling="pool")
            tasks += build_tasks(pool, protocol, design, gold=recipe.gold, seed=recipe.seed, first=len(tasks) + 1)
    return Campaign(
        recipe.name,
        tuple(_laid_out(tasks, recipe.assessors)),
        {protocol.name: protocol for protocol in recipe.protocols},
        recipe.seed,
        wording=recipe.wording,
        gate=recipe.gate,
        crowd=recipe.crowd,
        **recipe.settings,
    )


def _laid_out(tasks: Sequence[CampaignTask], assessors: Sequence[str]) -> list[CampaignTask]:
    """Every task gets as many different named assessors as it has copies, in turn, so that shares are equal."""
    if not assessors:
        return list(tasks)
    found, turn = [], 0
    for task in tasks:
        if task.copies > len(assessors):
            raise SettingError(
                f"{task.copies} judgements of each output cannot come from {len(assessors)} assessors",
                remedy="name more assessors or ask for fewer judgements",
            )
        chosen = tuple(assessors[(turn + at) % len(assessors)] for at in range(task.copies))
        turn += task.copies
        found.append(replace(task, assessors=chosen))
    return found


class _Reader:
    """Checks and loads what the file says; every error names the file and the key."""

    def __init__(self, values: dict[str, Any], path: Path) -> None:
        self.values, self.path = values, path

    def recipe(self) -> CampaignRecipe:
        self._known(self.values, _TOP, "")
        protocols = self._protocols()
        design, sampling_given = self._design()
        testsets = self._get(self.values, "testsets", list, None)
        if not testsets:
            raise self._wrong("there are no test sets", "add a [[testsets]] table with `pair` and `systems`")
        pool: list[SystemOutput] = []
        for number, testset in enumerate(testsets, 1):
            pool += self._testset(testset, number)
        if design.context == "document":
            pool = with_context(pool, self._get(self.values, "context_size", int, 5))
        overrides = self._get(self.values, "wording", dict, {})
        for name, texts in overrides.items():
            wording(name, overrides=texts)
        gate = self._get(self.values, "gate", dict, {})
        GoldGate.from_settings(gate)
        crowd = self._get(self.values, "crowd", dict, {})
        CrowdEntrance.from_dict(crowd, where=f"{self.path}, [crowd]")
        gold = self._get(self.values, "gold", str, "")
        return CampaignRecipe(
            self._get(self.values, "name", str, self.path.stem),
            protocols,
            pool,
            design,
            self._get(self.values, "seed", int, 1),
            read_gold(self._file(gold)) if gold else (),
            self._strings(self.values.get("assessors", []), "assessors"),
            overrides,
            {name: self.values[name] for name in _PASSED if name in self.values},
            gate,
            crowd,
            sampling_given,
        )

    def _protocols(self) -> list[Protocol]:
        named = self.values.get("protocol", "adequacy")
        names = self._strings([named] if isinstance(named, str) else named, "protocol")
        changes = self._get(self.values, "protocols", dict, {})
        if unknown := set(changes) - set(names):
            raise self._wrong(f"[protocols.{sorted(unknown)[0]}] is not among the protocols", "name it in `protocol`")
        found = []
        for name in names:
            plain = get_protocol(name).to_dict()
            self._known(changes.get(name, {}), set(plain) - {"name"}, f"protocols.{name}.")
            made = Protocol.from_dict({**plain, **changes.get(name, {})}, where=str(self.path))
            design = self._get(self.values, "design", dict, {})
            found.append(replace(made, degrade=design["degrade"]) if "degrade" in design else made)
        return found

    def _design(self) -> tuple[Design, bool]:
        given = dict(self._get(self.values, "design", dict, {}))
        if given.pop("degrade", "delete") not in ("delete", "replace", "duplicate"):
            raise self._wrong("design.degrade is `delete`, `replace` or `duplicate`")
        return Design.from_dict(given, where=f"{self.path}, [design]"), "sampling" in given

    def _testset(self, values: Any, number: int) -> list[SystemOutput]:
        where = f"testsets ({number}) "
        if not isinstance(values, dict):
            raise self._wrong(f"{where}is not a table")
        self._known(values, _TESTSET, where)
        name = self._get(values, "name", str, f"set{number}")
        if "pairs" in values:
            return read_pairs(self._file(values["pairs"]), language=self._get(values, "language", str, "en"), name=name)
        pair = self._get(values, "pair", str, "")
        if "table" in values:
            return read_table(self._file(values["table"]), pair=pair, name=name)
        systems: dict[str, Path | list[Path]] = {}
        for system, files in self._get(values, "systems", dict, {}).items():
            several = isinstance(files, list)
            systems[system] = [self._file(file) for file in files] if several else self._file(files)
        optional = {key: self._file(values[key]) for key in ("source", "documents") if key in values}
        named = values.get("reference", [])
        references = [self._file(file) for file in (named if isinstance(named, list) else [named])]
        seed = self._get(self.values, "seed", int, 1)
        return read_test_set(systems, pair=pair, name=name, seed=seed, reference=references, **optional)

    def _file(self, name: Any) -> Path:
        if not isinstance(name, str):
            raise self._wrong(f"{name!r} is not the name of a file")
        return self.path.parent / name

    def _get(self, values: Mapping[str, Any], name: str, kind: type, default: Any) -> Any:
        value = values.get(name, default)
        if value is not None and (not isinstance(value, kind) or (isinstance(value, bool) and kind is int)):
            raise self._wrong(f"{name} is {value!r}, which is not a {kind.__name__}")
        return value

    def _strings(self, values: Any, name: str) -> list[str]:
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise self._wrong(f"{name} must be a list of texts")
        if len(set(values)) != len(values):
            raise self._wrong(f"{name} names something twice")
        return values

    def _known(self, values: Any, known: set[str], prefix: str) -> None:
        if not isinstance(values, dict):
            raise self._wrong(f"{prefix.strip('. ') or 'the recipe'} is not a table")
        for name in values:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                remedy = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(sorted(known))}"
                raise self._wrong(f"unknown setting {prefix}{name}", remedy)

    def _wrong(self, what: str, remedy: str = "") -> SettingError:
        return SettingError(what, where=str(self.path), remedy=remedy)
