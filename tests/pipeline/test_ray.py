"""Training and translation on a Ray cluster of several nodes, with deaths of all kinds: the same, byte for byte."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import dragoman
from dragoman.align import em, sampler
from dragoman.align.base import get_aligner
from dragoman.bundle import Bundle
from dragoman.cli import app
from dragoman.errors import ClusterError, FileError, Unreachable
from dragoman.executors import Shard, ShardPlace, ShardStep, Shared
from dragoman.grammar import extraction_features, phrases, shards
from dragoman.grammar.extraction_features import ExtractionFeature, RuleOccurrence, TrainingPair
from dragoman.grammar.phrases import extract
from dragoman.lm import counting
from dragoman.pipeline import batch_translation, ray_executor, stages, steps
from dragoman.pipeline.batch_translation import translate_batches
from dragoman.pipeline.model import Model
from dragoman.pipeline.ray_executor import RayExecutor
from dragoman.pipeline.recipe import Recipe
from dragoman.progress import Progress
from dragoman.text import preprocessor
from dragoman.text.source_text import SourceText
from tests import conformance
from tests.conformance import check_executor
from tests.pipeline.conftest import Sides, sides

ray: Any = pytest.importorskip("ray")

pytestmark = [pytest.mark.slow, pytest.mark.alone, pytest.mark.filterwarnings("ignore")]

RECIPE = Recipe(order=3, tuner="mira", iterations=1, dev_size=20, fold_pairs=60, search={"pop_limit": 20, "beam": 20})
BITEXT = sides(240)
SLICED, LONGER = Recipe(order=3, aligner="fast", tuner="none"), sides(700)
"""A training and a text of three shards of expectation steps, which have 256 pairs each."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Three nodes on this machine; the head works, too."""
    from ray.cluster_utils import Cluster

    own = {"RAY_AUTH_MODE": "disabled", "PYTHONPATH": str(Path.cwd())}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**ray_executor._ENVIRONMENT, **own}.items():
            patch.setenv(name, value)
        made: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "object_store_memory": 100 * 2**20})
        try:
            made.add_node(num_cpus=1, object_store_memory=80 * 2**20)
            made.add_node(num_cpus=2, object_store_memory=80 * 2**20)
            ray.init(address=made.address, logging_level="error", log_to_driver=False)
            ray.cloudpickle.register_pickle_by_value(conformance)
            yield made
        finally:
            ray.shutdown()
            made.shutdown()


@pytest.fixture
def executor(cluster: Any) -> Iterator[RayExecutor]:
    with RayExecutor() as made:
        yield made


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return trained(tmp_path_factory.mktemp("local") / "model", "local")


@pytest.fixture(scope="module")
def expected_of_slices(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return trained(tmp_path_factory.mktemp("local") / "model", "local", SLICED, LONGER)


def trained(output: Path, on: str, recipe: Recipe = RECIPE, text: Sides = BITEXT, **settings: Any) -> dict[str, bytes]:
    """All files of a trained model but the report, which has times in it, and the manifest, which has the date."""
    model = dragoman.train(
        *text, output=output, languages=("en", "de"), recipe=recipe, on=on, **{"progress": False, **settings}
    )
    names = [name for name in Bundle.open(model.path).sizes if name != "report.json"]
    return {name: (model.path / name).read_bytes() for name in names}


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Slices so small that every step has several; how many shards each step was given."""
    for module, name, size in (
        (steps, "SLICE_LINES", 200),
        (preprocessor, "_SLICE", 200),
        (counting, "SLICE_LINES", 200),
        (counting, "RANGE_EVENTS", 3000),
        (phrases, "SLICE_LINES", 200),
        (phrases, "_RANGE_PAIRS", 2000),
        (em, "SLICE_SHARDS", 1),
    ):
        assert getattr(module, name) > size
        monkeypatch.setattr(module, name, size)
    given: Counter[str] = Counter()

    def counted(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(
            self: RayExecutor, step: ShardStep[Any, Any, Any], shards: Iterable[Any], *more: Any, **rest: Any
        ) -> Any:
            most = list(shards)
            given[step.name] = max(given[step.name], len(most))
            return method(self, step, most, *more, **rest)

        return call

    for method in ("run", "reduce"):
        monkeypatch.setattr(RayExecutor, method, counted(getattr(RayExecutor, method)))
    return given


STEPS = (
    *("cleaning", "counting forms", "tokenizing", "numbering words", "counting n-grams", "adjusting counts"),
    *("expecting", "linking", "extracting", "scoring"),
)
"""What a training of `SLICED` does apart."""


def test_the_contract(executor: RayExecutor, tmp_path: Path) -> None:
    check_executor(executor, tmp_path)
    assert executor.moved["scaling"] > 100


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_a_model_is_the_same_with_any_number_of_workers(
    cluster: Any, expected: dict[str, bytes], tmp_path: Path, workers: int
) -> None:
    assert trained(tmp_path / "model", "ray", threads=workers) == expected


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_a_model_is_the_same_when_every_step_has_several_shards(
    cluster: Any, expected_of_slices: dict[str, bytes], slices: Counter[str], tmp_path: Path, workers: int
) -> None:
    assert trained(tmp_path / "model", "ray", SLICED, LONGER, threads=workers) == expected_of_slices
    assert {step: slices[step] for step in STEPS if slices[step] < 2} == {}


def test_expectation_steps_add_up_on_workers(
    cluster: Any, executor: RayExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(em, "SLICE_SHARDS", 1)
    source, target = ([line for line in side for _ in range(12)] for side in (BITEXT.source, BITEXT.target))
    found = []
    for at in (None, executor):
        aligner = get_aligner("hmm", iterations=2, ibm1_iterations=1)
        found.append((aligner.train(source, target, executor=at).logprobs, aligner.align(*BITEXT)))
    assert found[0] == found[1]
    assert executor.moved["expecting"] > 1000


class SentenceLength(ExtractionFeature):
    """Words of the sentences that a rule comes from."""

    columns = ("sentence.words",)

    def values(self, pair: TrainingPair, occurrences: Sequence[RuleOccurrence]) -> Sequence[Sequence[float]]:
        return [[len(pair.source)] for _ in occurrences]


def test_rules_are_looked_at_where_they_occur_on_workers(
    executor: RayExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Features of places, in C++ and in Python."""
    monkeypatch.setattr(extraction_features, "BATCH", 32)
    aligner = get_aligner("fast", iterations=2)
    aligner.train(*BITEXT)
    links = [str(each) for each in aligner.align(*BITEXT)]
    features: list[ExtractionFeature | str] = ["edge", "unaligned", SentenceLength()]
    made = []
    for number, at in enumerate((None, executor)):
        made.append(extract(*BITEXT, links, tmp_path / f"{number}", features=features, executor=at).table)
    local, there = made
    assert there.columns == local.columns
    assert "sentence.words" in there.columns
    assert there.native.values(0, len(there)).tobytes() == local.native.values(0, len(local)).tobytes()


def deadly(work: Callable[..., Any], once: Path) -> Callable[..., Any]:
    """The same work, of which the first worker dies."""

    def die_or_work(shard: Shard[Any], shared: Any, place: ShardPlace) -> Any:
        if not once.exists():
            once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return work(shard, shared, place)

    return die_or_work


def test_a_model_is_the_same_after_workers_were_killed(
    cluster: Any, expected: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    died = [tmp_path / name for name in ("aligning", "folds")]
    monkeypatch.setattr(sampler, "_CHAIN", replace(sampler._CHAIN, work=deadly(sampler._run, died[0])))
    monkeypatch.setattr(stages, "_fold", deadly(stages._fold, died[1]))
    assert trained(tmp_path / "model", "ray") == expected
    assert all(each.exists() for each in died)


def test_a_model_is_the_same_after_workers_with_slices_were_killed(
    cluster: Any,
    expected_of_slices: dict[str, bytes],
    slices: Counter[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    died = [tmp_path / name for name in ("expecting", "extracting")]
    monkeypatch.setattr(em, "_EXPECTING", replace(em._EXPECTING, work=deadly(em._expect, died[0])))
    monkeypatch.setattr(shards, "EXTRACT", replace(shards.EXTRACT, work=deadly(shards._extract, died[1])))
    assert trained(tmp_path / "model", "ray", SLICED, LONGER) == expected_of_slices
    assert all(each.exists() for each in died)
    assert slices["expecting"] > 1 < slices["extracting"]


def test_a_model_is_the_same_after_a_node_was_removed(cluster: Any, expected: dict[str, bytes], tmp_path: Path) -> None:
    node = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    removed = []

    def remove(progress: Progress) -> None:
        if progress.stage == "aligning" and progress.done == 2:
            cluster.remove_node(node, allow_graceful=False)
            removed.append(progress.done)

    nodes = len(ray_executor._nodes())
    assert trained(tmp_path / "model", "ray", progress=remove) == expected
    assert removed == [2]
    while len(ray_executor._nodes()) == nodes:  # Ray believes in a silent node for a while, and so would other tests
        time.sleep(0.1)


def test_a_killed_driver_goes_on_where_it_was(cluster: Any, expected: dict[str, bytes], tmp_path: Path) -> None:
    for name, lines in (("en", BITEXT.source), ("de", BITEXT.target)):
        (tmp_path / f"text.{name}").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    RECIPE.save(tmp_path / "recipe.toml")
    command = [
        sys.executable,
        "-m",
        "dragoman",
        "train",
        "text.en",
        "text.de",
        "-o",
        "model",
        "--config",
        "recipe.toml",
    ]
    driver = subprocess.Popen(
        [*command, "--on", f"ray:{cluster.address}", "--cache", "stages"], cwd=tmp_path, stderr=subprocess.DEVNULL
    )
    while driver.poll() is None and not list((tmp_path / "stages").glob(".alignment-*.partial")):
        time.sleep(0.02)
    driver.kill()
    driver.wait()
    assert list((tmp_path / "stages").glob("prepare-*"))
    assert not (tmp_path / "model").exists()
    model = dragoman.train(
        *BITEXT,
        output=tmp_path / "model",
        languages=("en", "de"),
        recipe=RECIPE,
        on="ray",
        cache=tmp_path / "stages",
        progress=False,
    )
    assert model.report["stages"]["prepare"]["kept"]
    assert not list((tmp_path / "stages").glob("*.partial"))
    assert {name: (model.path / name).read_bytes() for name in expected} == expected


def test_a_file_is_translated_by_all_nodes_in_order(
    cluster: Any, model: Model, heldout: Sides, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_translation, "BLOCK", 3)
    texts = [SourceText(line) for line in heldout.source]
    for name in ("ray", "local"):
        translate_batches(model.path, lambda _: texts, tmp_path / name, on=name)
    assert (tmp_path / "ray").read_bytes() == (tmp_path / "local").read_bytes()


CLIENT = """
import sys, tempfile
from pathlib import Path
from dragoman.errors import InputError
from dragoman.executors import Shard, ShardStep, Shared
from dragoman.pipeline.executors import get_executor

def scale(shard, shared, place):
    (place.folder / f"{shard.value}").write_text(shard.files["text"].read_text() * shard.value)
    if shard.value == 4:
        raise InputError("four", where="shard 4", remedy="leave it out")
    return [shared * shard.value]

def join(parts):
    return sum(parts, [])

with get_executor(sys.argv[1]) as executor, tempfile.TemporaryDirectory() as folder:
    (Path(folder) / "text").write_text("x")
    shards = [Shard(number, {"text": Path(folder) / "text"}) for number in range(4)]
    print(list(executor.run(ShardStep("scaling", scale), shards, shared=Shared(10), folder=Path(folder))))
    print(executor.reduce(ShardStep("scaling", scale), shards, join, shared=Shared(10)))
    print((Path(folder) / "3").read_text())
    try:
        list(executor.run(ShardStep("scaling", scale), [Shard(4, shards[0].files)], shared=Shared(10)))
    except InputError as error:
        print(error)
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        number: int = found.getsockname()[1]
        return number


def test_a_cluster_is_used_from_a_machine_that_is_no_node_of_it(tmp_path: Path) -> None:
    """By the Ray Client server of its head, as `ray start --head` has one."""
    (tmp_path / "client.py").write_text(CLIENT, "utf-8")
    environment = {
        **os.environ,
        **ray_executor._ENVIRONMENT,
        "RAY_AUTH_MODE": "disabled",
        "PYTHONPATH": str(Path.cwd()),
    }
    port, client = free_port(), free_port()
    with tempfile.TemporaryDirectory(
        prefix="ray-", ignore_cleanup_errors=True
    ) as session:  # paths of sockets are short
        command = [str(Path(sys.executable).with_name("ray")), "start", "--head", "--block", "--num-cpus=1"]
        command += [f"--port={port}", f"--ray-client-server-port={client}", f"--temp-dir={session}"]
        command += ["--include-dashboard=false", "--disable-usage-stats"]
        head = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(300):
                with socket.socket() as asking:
                    if asking.connect_ex(("127.0.0.1", client)) == 0:
                        break
                time.sleep(0.2)
            run = subprocess.run(
                [sys.executable, "client.py", f"ray://127.0.0.1:{client}"],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
        finally:
            head.terminate()
            head.wait()
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [
        "[[0], [10], [20], [30]]",
        "[0, 10, 20, 30]",
        "xxx",
        "shard 4: four; leave it out",
    ]


# Bad cases


def test_the_demonstration_runs_on_a_cluster(cluster: Any, tmp_path: Path) -> None:
    found = {}
    for on in ("local", "ray"):
        ran = CliRunner().invoke(app, ["demo", "--size", "200", "-o", str(tmp_path / on), "--on", on, "--json"])
        assert ran.exit_code == 0, ran.output
        found[on] = json.loads(ran.stdout)["translation"], (tmp_path / on / "test.out.de").read_bytes()
    assert found["ray"] == found["local"]


TELLING = """
import sys
from dragoman.executors import Shard, ShardStep, Shared
from dragoman.pipeline.executors import get_executor
from dragoman.progress import Progress

def tell(shard, shared, place):
    print(f"shard {shard.value} says hello", flush=True)
    print(f"shard {shard.value} warns", file=sys.stderr, flush=True)

def told(progress):
    print(progress.stage, progress.done, progress.total, flush=True)

with get_executor(sys.argv[1]) as executor:
    shards = [Shard(number) for number in range(3)]
    list(executor.run(ShardStep("telling", tell), shards, shared=Shared(None), total=3, progress=told))
    import time; time.sleep(2)  # logs come a little later
"""


def test_what_all_workers_say_is_seen_in_one_place(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "telling.py").write_text(TELLING, "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd()), "RAY_DEDUP_LOGS": "0"}
    run = subprocess.run(
        [sys.executable, "telling.py", f"ray:{cluster.address}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    seen = run.stdout + run.stderr
    for number in range(3):
        assert f"shard {number} says hello" in seen
        assert f"shard {number} warns" in seen
        assert f"telling {number + 1} 3" in seen


def test_nobody_at_the_address() -> None:
    for address in ("ray:127.0.0.1:1", "ray://127.0.0.1:1"):
        with pytest.raises(Unreachable, match=r"127\.0\.0\.1:1.*ray start --head"):
            RayExecutor(address.removeprefix("ray:") if "//" not in address else address)._connect()


def test_another_version_on_a_node(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.version.__version__", "0.0.1")
    with pytest.raises(ClusterError, match=r"node .*: dragoman is .* there and 0\.0\.1 here; install the same"):
        RayExecutor().__enter__()


def test_no_dragoman_on_a_node(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def introduction() -> Callable[[tuple[str, ...]], str]:
        return lambda rooms: "No module named 'dragoman'"

    monkeypatch.setattr(ray_executor, "_introduction", introduction)
    with pytest.raises(ClusterError, match=r"node .*: dragoman cannot be imported.*pip install"):
        RayExecutor().__enter__()


def test_a_full_disk_on_a_node(executor: RayExecutor) -> None:
    def fill(shard: Shard[int], shared: None, place: ShardPlace) -> None:
        with open("/dev/full", "wb", buffering=0) as file:  # noqa: PTH123
            file.write(b"one byte too many")

    with pytest.raises(FileError, match=r"node .*no space left.*make room"):
        list(executor.run(ShardStep("filling", fill), [Shard(1)], shared=Shared(None)))


def test_a_task_that_always_kills_its_worker(executor: RayExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(shard: Shard[int], shared: None, place: ShardPlace) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(ray_executor, "RETRIES", 0)
    with pytest.raises(ClusterError, match=r"node .*died again and again.*ray status"):
        list(executor.run(ShardStep("dying", die), [Shard(1)], shared=Shared(None)))


def test_files_larger_than_an_object_store_arrive(executor: RayExecutor, tmp_path: Path) -> None:
    """Nodes of the test have 80 MB; what does not fit travels in pieces, and through their disks."""

    def measure(shard: Shard[int], shared: None, place: ShardPlace) -> int:
        (place.folder / "back").write_bytes(shard.files["large"].read_bytes()[: 2**20])
        return shard.files["large"].stat().st_size

    (tmp_path / "large").write_bytes(os.urandom(2**20) * 100)
    shards = [Shard(1, {"large": tmp_path / "large"})]
    assert list(executor.run(ShardStep("measuring", measure), shards, shared=Shared(None), folder=tmp_path)) == [
        100 * 2**20
    ]
    assert (tmp_path / "back").read_bytes() == (tmp_path / "large").read_bytes()[: 2**20]


def test_what_all_need_is_written_to_a_node_once_and_taken_away(executor: RayExecutor) -> None:
    def look(shard: Shard[int], shared: tuple[str, int], place: ShardPlace) -> tuple[str, int]:
        return shared

    def load(plain: None, folder: Path) -> tuple[str, int]:
        return str(folder), (folder / "model").stat().st_mtime_ns

    shared = Shared(("", 0), None, lambda folder: (folder / "model").write_text("model"), load)
    found = set(executor.run(ShardStep("looking", look), [Shard(n) for n in range(12)], shared=shared))
    assert len({folder for folder, _ in found}) == len(found) <= 4
    executor.close()
    assert not [folder for folder, _ in found if Path(folder).exists()]


SMALL_STORE = """
import os, tempfile
from pathlib import Path
import ray
from ray.cluster_utils import Cluster
from dragoman.errors import ClusterError
from dragoman.executors import Shard, ShardStep, Shared
from dragoman.pipeline.ray_executor import RayExecutor

def make(shard, shared, place):
    (place.folder / "made").write_bytes(bytes(200 * 2**20))

def read(shard, shared, place):
    return len(shard.files)

full = {"local_fs_capacity_threshold": 0.0001, "local_fs_monitor_interval_ms": 50}
head = {"num_cpus": 0, "object_store_memory": 100 * 2**20, "_system_config": full}
cluster = Cluster(initialize_head=True, head_node_args=head)
cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
ray.init(address=cluster.address, logging_level="error", log_to_driver=False)
with tempfile.TemporaryDirectory() as folder, RayExecutor() as executor:
    (Path(folder) / "given").write_bytes(bytes(60 * 2**20))
    makes = [Shard(0)]
    reads = [Shard(0, {f"{number}": Path(folder) / "given" for number in range(5)})]
    for step, shards in ((ShardStep("making", make), makes), (ShardStep("reading", read), reads)):
        try:
            print(list(executor.run(step, shards, shared=Shared(None), folder=Path(folder))))
        except ClusterError as error:
            print(error)
ray.shutdown()
cluster.shutdown()
"""


def test_object_stores_and_disks_that_are_too_small_have_a_remedy(tmp_path: Path) -> None:
    """A store of 80 MB beside a disk that Ray takes for full: what a task makes, and what one is sent."""
    (tmp_path / "small.py").write_text(SMALL_STORE, "utf-8")
    environment = {
        **os.environ,
        **ray_executor._ENVIRONMENT,
        "RAY_AUTH_MODE": "disabled",
        "PYTHONPATH": str(Path.cwd()),
    }
    run = subprocess.run(
        [sys.executable, "small.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    made, sent = run.stdout.splitlines()
    for line in (made, sent):
        assert re.match(r"node [\d.]+: the object store of a node is too small; .*--object-store-memory", line), (
            run.stdout
        )


def test_errors_of_tasks_name_their_node(cluster: Any) -> None:
    told = "ray::dragoman making() (pid=12, ip=192.0.2.77)\nLocal disk is full"
    assert ray_executor._place_of(ray.exceptions.OutOfDiskError(told)) == "node 192.0.2.77"


def test_an_object_store_that_is_full_has_a_remedy(cluster: Any) -> None:
    with (
        pytest.raises(ClusterError, match=r"node .*object store of a node is too small.*--object-store-memory"),
        ray_executor._cluster_errors(),
    ):
        raise ray.exceptions.ObjectStoreFullError("full")
