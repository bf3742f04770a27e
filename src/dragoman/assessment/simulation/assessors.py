"""Simulated assessors: people of known care judge systems of known quality.

Nothing about quality control can be tested without knowing who was careless. A conscientious assessor sees an output's
quality with noise, on a private scale (some lenient, some narrow), lowers the score of a damaged copy and gives
references nearly full marks; a half-attentive one does so every other time; a random one clicks anywhere; a constant
one stays near one place. The mix of a population is its shares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from dragoman.assessment.campaign import Campaign, CampaignTask, ErrorSpan, Item, Judgement
from dragoman.assessment.protocol import Protocol
from dragoman.errors import SettingError
from dragoman.seeds import stream
from dragoman.settings import Settings, setting

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KINDS", "Population", "SimulatedAssessor", "rehearsal", "simulate"]

KINDS = ("conscientious", "half-attentive", "random", "constant")
_START = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Population(Settings):
    """Who takes part: shares of the kinds of assessors, and how the careful ones perceive quality."""

    shares: Mapping[str, float] = setting(
        factory=lambda: {"conscientious": 0.6, "half-attentive": 0.15, "random": 0.2, "constant": 0.05},
        help="Of the kinds of assessors.",
        least=0,
        valid=lambda shares: set(shares) <= set(KINDS) and abs(sum(shares.values()) - 1) < 1e-9,
        wanted=f"shares of {', '.join(KINDS)} that add up to 1",
    )
    noise: float = setting(12.0, "Standard deviation of what is perceived.", least=0)
    damage: float = setting(25.0, "Points that a damaged copy loses.", least=0)
    leniency: float = setting(15.0, "Standard deviation of personal levels.", least=0)
    narrowness: tuple[float, float] = setting((0.5, 1.1), "Bounds of personal ranges, as factors.", least=0)


@dataclass(frozen=True, slots=True)
class SimulatedAssessor:
    """One person: a kind of care and a private scale."""

    name: str
    kind: str
    shift: float
    slope: float
    seconds: float

    def score(self, quality: float, population: Population, rng: np.random.Generator) -> float:
        """A mark from 0 to 100 for something of that quality (0 to 100)."""
        careful = self.kind == "conscientious" or (self.kind == "half-attentive" and rng.random() < 0.5)
        if careful:
            seen = 50 + self.slope * (quality + rng.normal(0, population.noise) - 50) + self.shift
        elif self.kind == "constant":
            seen = 50 + 2 * self.shift + rng.normal(0, 3)
        else:
            seen = rng.uniform(0, 100)
        return float(min(100.0, max(0.0, seen)))


def simulate(
    campaign: Campaign,
    qualities: Mapping[str, float],
    *,
    population: Population | None = None,
    assessors: int = 0,
    spread: float = 18.0,
    difficulty: Mapping[str, float] | None = None,
    outputs: Mapping[tuple[str, str, int], float] | None = None,
    seed: int = 1,
) -> tuple[list[Judgement], dict[str, str]]:
    """Judgements of a whole campaign, and what kind of assessor everyone was.

    `qualities` gives each system's quality on the scale of 0 to 100; single outputs spread around it. `difficulty` is
    taken off every output of a test set. Outputs whose quality is known, by test set, system and segment, are in
    `outputs`. Each copy of a task is done by somebody else; with `assessors` given, so many people share the work,
    otherwise every task has its own.
    """
    world = _World(qualities, difficulty or {}, outputs or {}, spread, population or Population(), seed)
    copies = max((task.copies for task in campaign.tasks), default=1)
    count = assessors or sum(task.copies for task in campaign.tasks)
    if count < copies:
        raise SettingError(f"{copies} copies of a task need as many assessors, there are {count}")
    named = {name: at for at, name in enumerate(dict.fromkeys(n for task in campaign.tasks for n in task.assessors))}
    people = [world.person(at) for at in range(max(count, len(named)))]
    found: list[Judgement] = []
    kinds: dict[str, str] = {}
    turn = 0
    for task in campaign.tasks:
        for copy in range(task.copies):
            name = task.assessors[copy] if task.assessors else people[turn % count].name
            person = people[named[name]] if task.assessors else people[turn % count]
            kinds[name] = person.kind
            found += world.work(task, campaign.protocol_of(task), person, name)
            turn += 1
    return found, kinds


def rehearsal(campaign: Campaign, qualities: Sequence[str], *, seed: int = 1) -> list[Judgement]:
    """Judgements of a simulated crowd; `qualities` are written `SYSTEM=QUALITY`, others stand two points apart."""
    systems = sorted({system for item in campaign for system in item.systems})
    planted = {system: 60.0 - 2 * at for at, system in enumerate(systems)}
    for text in qualities:
        system, _, value = text.rpartition("=")
        if system not in planted:
            raise SettingError(f"no system is called {system!r}", remedy=f"choose from {', '.join(systems)}")
        try:
            planted[system] = float(value)
        except ValueError:
            raise SettingError(f"{value!r} is not a quality", remedy="a number from 0 to 100") from None
    return simulate(campaign, planted, seed=seed)[0]


@dataclass(frozen=True, slots=True)
class _World:
    """How things are, as opposed to how they are judged."""

    qualities: Mapping[str, float]
    difficulty: Mapping[str, float]
    outputs: Mapping[tuple[str, str, int], float]
    spread: float
    population: Population
    seed: int

    def person(self, at: int) -> SimulatedAssessor:
        population = self.population
        rng = stream(self.seed, "person", at)
        kind = str(rng.choice(list(population.shares), p=list(population.shares.values())))
        shift, slope = rng.normal(0, population.leniency), rng.uniform(*population.narrowness)
        seconds = rng.uniform(10, 25) if kind == "conscientious" else rng.uniform(1, 12)
        return SimulatedAssessor(f"worker{at + 1}", kind, float(shift), float(slope), float(seconds))

    def quality(self, item: Item, at: int) -> float:
        """The true quality of a candidate, the same for everybody who sees it."""
        if item.kind == "gold" and item.expected is not None:
            return 20.0 * item.expected
        if item.kind == "reference":
            return 97.0
        system = item.systems[at]
        found = self.outputs.get((item.testset, system, item.segment))
        if found is None:
            own = stream(self.seed, "output", item.testset, system, item.segment)
            found = own.normal(self.qualities[system], self.spread) - self.difficulty.get(item.testset, 0.0)
        return float(found - self.population.damage if item.kind == "degraded" else found)

    def work(self, task: CampaignTask, protocol: Protocol, person: SimulatedAssessor, name: str) -> list[Judgement]:
        """One person does one task, under a name."""
        rng = stream(self.seed, "judging", name, task.id)
        found = []
        clock = _START
        for item in task.items:
            seconds = max(0.5, rng.normal(person.seconds, person.seconds / 4))
            started, clock = clock, clock + timedelta(seconds=seconds)
            places = range(len(item.candidates))
            marks = [person.score(self.quality(item, at), self.population, rng) for at in places]
            found.append(
                Judgement(
                    item.id,
                    task.id,
                    name,
                    score=_on_scale(marks[0], protocol),
                    ranks=_ranks(marks, ties=protocol.ties) if protocol.answer == "ranking" else (),
                    spans=_spans(item, marks[0], protocol),
                    started=started.isoformat().replace("+00:00", "Z"),
                    submitted=clock.isoformat().replace("+00:00", "Z"),
                    milliseconds=round(seconds * 1000),
                    moves=1 + int(rng.integers(0, 4)),
                )
            )
        return found


def _on_scale(mark: float, protocol: Protocol) -> float | None:
    if protocol.scale is None:
        return None
    points = protocol.scale.points
    return float(points[min(len(points) - 1, int(mark / 100 * len(points)))])


def _ranks(marks: Sequence[float], *, ties: bool) -> tuple[int, ...]:
    """Ranks by tens of points, so that near outputs tie; or by the marks as they are, the first before an equal one."""
    levels = [-round(mark / 10) if ties else (-mark, at) for at, mark in enumerate(marks)]
    order = sorted(set(levels))
    return tuple(1 + order.index(level) for level in levels)


def _spans(item: Item, mark: float, protocol: Protocol) -> tuple[ErrorSpan, ...]:
    if protocol.answer != "spans" or mark >= 90 or not item.candidates[0]:
        return ()
    length = len(item.candidates[0])
    return (ErrorSpan(0, max(1, round(length * (100 - mark) / 200)), protocol.severities[-1 if mark < 50 else 0]),)
