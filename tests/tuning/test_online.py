from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from dragoman.errors import FormatError, InputError, SettingError
from dragoman.features import preset
from dragoman.grammar.phrases import extract
from dragoman.lm import estimate
from dragoman.search.phrase import LanguageModel, PhraseDecoder, PhraseSettings
from dragoman.text import synthetic
from dragoman.text.source_text import SourceText
from dragoman.tuning import TUNERS
from dragoman.tuning.base import TuningTask
from dragoman.tuning.dev import DevSet
from dragoman.tuning.domains import domain_scores
from dragoman.tuning.families import Selection, Strengths, family, overlap
from dragoman.tuning.loop import tune
from dragoman.tuning.online import Online, OnlineSession, _Batch
from dragoman.tuning.result import Iteration, TuningResult


class World:
    def __init__(self, folder: Path) -> None:
        items = list(synthetic.pair("en-de").generate(260, seed=4))
        source = [" ".join(item.source.tokens) for item in items]
        target = [" ".join(item.target.tokens) for item in items]
        alignment = [item.pharaoh for item in items]
        table = extract(source[:200], target[:200], alignment[:200], folder / "t.table").table
        lm = [LanguageModel("lm", estimate(target[:200], order=2).build())]
        chosen = PhraseSettings(pop_limit=20, beam=20)
        dense = PhraseDecoder(table, lm, {}, chosen)
        start = dense.start_weights() | {"lm": 0.1, "distortion": 0.0}
        self.dense = dense.with_weights(start)
        self.sparse = PhraseDecoder(table, lm, start, chosen, features=preset("sparse"))
        self.source, self.target = source[200:], target[200:]

    def tune(
        self, tuner: Online, *, sparse: bool = True, iterations: int = 3, threads: int = 1, **options: object
    ) -> TuningResult:
        decoder = self.sparse if sparse else self.dense
        return tune(
            decoder,
            self.source,
            self.target,
            tuner=tuner,
            iterations=iterations,
            nbest=30,
            threads=threads,
            **options,  # type: ignore[arg-type]
        )


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("online"))


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["pro", "expected", "hinge", "hope-fear"])
def test_every_loss_learns(world: World, loss: str) -> None:
    result = world.tune(Online(loss=loss, batch=10))
    assert result.gain > 0.005, [iteration.score for iteration in result.history]
    last = result.history[-2]
    assert last.details["touched"] >= sum(last.details["kept"].values()) - len(world.dense.feature_names)
    assert {"rule", "orient", "dense"} <= set(last.details["kept"])
    assert 0 < last.details["pass_score"] <= 1


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["sgd", "arow"])
def test_other_rules_learn_too(world: World, rule: str) -> None:
    assert world.tune(Online(rule=rule, batch=10, rate=0.02 if rule == "sgd" else 0.2), sparse=False).gain > 0


def histories(result: TuningResult) -> list[dict[str, float]]:
    return [dict(iteration.weights) for iteration in result.history]


@pytest.mark.slow
def test_results_follow_from_the_seed_and_not_from_threads(world: World) -> None:
    tuner = Online(batch=8, workers=3)
    once = world.tune(tuner, iterations=2)
    for threads in (1, 2, 7):
        again = world.tune(tuner, iterations=2, threads=threads)
        assert histories(again) == histories(once)
        assert [i.score for i in again.history] == [i.score for i in once.history]
    assert histories(world.tune(tuner, iterations=2, seed=2)) != histories(once)
    assert histories(world.tune(Online(batch=8, workers=1), iterations=2)) != histories(once)


@pytest.mark.slow
def test_asynchronous_workers_reach_the_same_quality(world: World) -> None:
    plain = world.tune(Online(batch=8)).score
    free = world.tune(Online(batch=8, mode="async", workers=3)).score
    assert free == pytest.approx(plain, abs=0.03)


@pytest.mark.slow
def test_an_interrupted_session_goes_on_as_if_nothing_had_happened(world: World, tmp_path: Path) -> None:
    tuner = Online(batch=10, l2=0.01, min_sentences=2)
    whole = world.tune(tuner, iterations=4)

    class Stop(Exception):
        pass

    def watch(iteration: object) -> None:
        if getattr(iteration, "number", 0) == 1:
            raise Stop

    log = tmp_path / "log.jsonl"
    with pytest.raises(Stop):
        world.tune(tuner, iterations=4, log=log, watch=watch)
    assert histories(world.tune(tuner, iterations=4, log=log, resume=True)) == histories(whole)


@pytest.mark.slow
def test_a_run_that_was_killed_between_log_and_state_loses_no_step_and_takes_none_twice(
    world: World, tmp_path: Path
) -> None:
    """The log is a line ahead of the state; of the last of two iterations, or of the first, there is none at all."""
    tuner, log = Online(batch=10), tmp_path / "log.jsonl"
    states: list[bytes] = []

    def watch(iteration: Iteration) -> None:
        states.append(Path(f"{log}.state").read_bytes())

    whole = world.tune(tuner, iterations=3, log=log, watch=watch)
    lines = log.read_text("utf-8").splitlines(keepends=True)
    for kept in (0, 2):
        log.write_text("".join(lines[: kept + 2]), "utf-8")
        Path(f"{log}.state").unlink()
        if kept:
            Path(f"{log}.state").write_bytes(states[kept - 1])
        assert histories(world.tune(tuner, iterations=3, log=log, resume=True)) == histories(whole)


def test_a_damaged_state_is_told(world: World, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    world.tune(Online(batch=10), iterations=2, log=log)
    state, lines = Path(f"{log}.state"), log.read_text("utf-8").splitlines(keepends=True)
    whole = state.read_bytes()
    log.write_text("".join(lines[:3]), "utf-8")
    for content in (b"", whole[: len(whole) // 2], b"PK\x03\x04"):
        state.write_bytes(content)
        with pytest.raises(FormatError, match="state of the tuner cannot be read"):
            world.tune(Online(batch=10), iterations=2, log=log, resume=True)
    state.write_bytes(whole)
    log.write_text("".join(lines[:2]), "utf-8")
    with pytest.raises(FormatError, match="of 2 passes, the log of 1"):
        world.tune(Online(batch=10), iterations=2, log=log, resume=True)


@pytest.mark.slow
def test_memory_does_not_grow_with_passes(world: World) -> None:
    """Lists are forgotten: what is kept of a pass are its weights, for the history."""

    def peak(iterations: int) -> int:
        tracemalloc.start()
        try:
            world.tune(Online(batch=10), iterations=iterations)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)  # what is imported and interned once
    few, many = peak(2), peak(5)
    features = len(world.tune(Online(batch=10), iterations=2).history[-1].weights)
    assert many < few + 3 * 250 * features


@pytest.mark.slow
def test_more_regularisation_keeps_fewer_features(world: World) -> None:
    every, some, few = (world.tune(Online(l1=l1)) for l1 in (0.0, 1.0, 30.0))
    sizes = [Selection.of(result.history[-1].weights).size for result in (every, some, few)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 3 * sizes[2]
    assert sizes[0] == every.history[-2].details["touched"]  # without shrinkage everything stays
    strong = world.tune(Online(l1_families={"dense": 0.0, "orient:": 100.0})).history[-1].weights
    assert "orient" not in Selection.of(strong).kept
    assert "rule" in Selection.of(strong).kept


def test_a_strength_for_what_never_fires_is_told(world: World) -> None:
    families = {"dense": 0.0, "rule": 0.1, "rule:no_such>word": 1.0}
    result = world.tune(Online(l1_families=families), iterations=2)
    told = [[said for said in entry.warnings if "L1" in said] for entry in result.history]
    assert told == [["no feature begins like 'rule:no_such>word', for which an L1 was set"]] * 2 + [[]]


@pytest.mark.parametrize(("loss", "after"), [(1.2, [0.09, 0.11]), (0.004, [0.098, 0.102]), (0.0, [0.1, 0.1])])
def test_mira_takes_the_shortest_step_that_is_enough(world: World, loss: float, after: list[float]) -> None:
    """The hope is (1, 2), the fear (2, 1); a step of 0.01 is the longest (Cherry and Foster 2012)."""
    tuner = Online(loss="hope-fear", rule="mira", rate=0.01, batch=1)
    task = TuningTask(decoder=world.dense, dev=DevSet.of(world.source, world.target))
    session = OnlineSession(tuner, task)
    ids = np.array([1, 2])
    session.updates.set(ids, np.array([0.1, 0.1]))
    session._apply(_Batch(ids, np.array([1.0, -1.0]), loss, 1, 2, {0: "a"}, {}, 0.0))
    assert session.updates.values(3)[1:] == pytest.approx(np.array(after))


def test_online_mira_learns(world: World) -> None:
    result = tune(
        world.dense,
        world.source,
        world.target,
        threads=1,
        iterations=3,
        nbest=30,
        tuner=Online(loss="hope-fear", rule="mira", rate=0.01, batch=1),
    )
    assert result.gain > 0.01
    with pytest.raises(SettingError, match="rule is 'mira' with the loss 'pro'"):
        Online(rule="mira")


@pytest.mark.slow
def test_a_cut_off_by_frequency(world: World) -> None:
    rare = world.tune(Online(l1=0.0, min_sentences=4), iterations=2).history[-1].weights
    every = world.tune(Online(l1=0.0), iterations=2).history[-1].weights
    assert 0 < Selection.of(rare).size < Selection.of(every).size


def test_fixed_weights_stay(world: World) -> None:
    result = world.tune(Online(), iterations=2, fixed=["lm", "distortion"])
    assert {(i.weights["lm"], i.weights["distortion"]) for i in result.history} == {(0.1, 0.0)}


def test_any_metric(world: World) -> None:
    result = tune(
        world.dense,
        world.source,
        world.target,
        tuner=Online(loss="expected"),
        metric="ter",
        iterations=3,
        nbest=30,
        threads=1,
    )
    assert result.gain < 0


def test_sentences_that_cannot_be_translated(world: World) -> None:
    overlong = " ".join(["a"] * 10_001)
    source, target = [*world.source[:15], overlong], world.target[:16]
    session = Online(batch=8).start(_task(world, source, target))
    assert session.step(0, world.dense.weights).details["skipped"] == 1
    with pytest.raises(InputError, match="2 of 2 sentences cannot be translated"):
        Online().start(_task(world, [overlong, overlong], target[:2])).step(0, world.dense.weights)


def _task(world: World, source: list[str], target: list[str]) -> TuningTask:

    return TuningTask(decoder=world.dense, dev=DevSet.of(source, target), nbest=20, threads=1)


@pytest.mark.parametrize(
    "settings",
    [{"loss": "zero"}, {"rate": 0.0}, {"l1": -1.0}, {"mode": "fast"}, {"rule": "adam"}, {"batch": 0}, {"l2": -0.1}],
)
def test_settings_are_checked(settings: dict[str, object]) -> None:
    with pytest.raises(SettingError):
        Online(**settings)  # type: ignore[arg-type]


def test_both_are_found_by_name() -> None:
    assert TUNERS.get("online")().loss == "pro"  # type: ignore[attr-defined]
    assert TUNERS.get("online-expected")().strength("rule:a>b") == 0.001  # type: ignore[attr-defined]


def test_families() -> None:
    assert [family(name) for name in ("lm", "phrase.ts", "rule:a>b", "orient.b:x")] == [
        "dense",
        "dense",
        "rule",
        "orient.b",
    ]
    strengths = Strengths(0.1, {"rule:": 1.0, "rule:a": 2.0, "lm": 3.0})
    assert [strengths(name) for name in ("rule:a>b", "rule:b>a", "lm", "words")] == [2.0, 1.0, 3.0, 0.1]
    assert strengths.unused(["rule:b>a", "lm"]) == ["rule:a"]
    chosen = Selection.of({"lm": 1.0, "rule:a>b": 0.5, "rule:b>c": -0.7, "rule:d>e": 0.0})
    assert (dict(chosen.kept), chosen.top["rule"][0], chosen.size) == ({"dense": 1, "rule": 2}, ("rule:b>c", -0.7), 3)
    shared = overlap({"rule:a": 1.0, "link:b": 1.0, "lm": 1.0}, {"rule:a": -1.0, "rule:c": 2.0, "link:b": 0.0})
    assert (shared.first, shared.second, shared.both) == (2, 2, 1)


def test_scores_by_domain(world: World) -> None:
    marked = [SourceText(line, "ab"[number % 2]) for number, line in enumerate(world.source[:20])]
    found = domain_scores(world.dense, marked, world.target[:20], threads=1)
    assert set(found) == {"a", "b", "all"}
    texts = [t.text for t in world.dense.translate(world.source[:20:2])]

    assert found["a"].score == pytest.approx(DevSet.of(world.source[:20:2], world.target[:20:2]).score(texts))
    assert found["all"].segments == 20
    assert not np.isnan(found["all"].score)
