"""Shards as tasks of a Ray cluster (Moritz et al. 2018).

Ray places the tasks, moves values and files between nodes through its object store, tries a task again whose worker or
node died, and shows all of it on its dashboard; here is only what makes a step of ours a task of Ray's. No file system
has to be shared: files travel as objects, and those that all shards need are written to a node once, where all of its
workers map them into memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from dragoman.errors import ClusterError, DragomanError, FileError, MissingDependency, SettingError, Unreachable
from dragoman.executors import Executor, Shard, ShardPlace, ShardStep, Shared, in_order, in_tree, told
from dragoman.files import disk_errors, writing_bytes
from dragoman.progress import ProgressCallback
from dragoman.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RayExecutor"]

Value = TypeVar("Value")
Common = TypeVar("Common")
Result = TypeVar("Result")

CHUNK = 32 * 2**20
"""Bytes of a file that travel as one object: files may be larger than the object store of a node."""

RETRIES = 5
"""How often a task is tried again whose worker or node died."""

PATIENCE = 5.0
"""Seconds that an address has to answer."""

_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",  # what people train on is nobody's business
    "RAY_worker_niceness": "0",  # workers are all that works here: behind everything else, they would starve
}
"""How a cluster that is started here differs from Ray's own."""

ROOMS = tuple(sorted(path.name for path in Path(__file__).parent.parent.iterdir() if (path / "__init__.py").is_file()))


@dataclass(frozen=True, slots=True)
class _Files:
    """Files as they travel: chunks of each by its name, as references, and a digest of all."""

    chunks: Mapping[str, list[Any]]
    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class _Packed:
    """A value as it travels, pickled once: what it is, and beside that its arrays, which workers map."""

    parts: Sequence[NDArray[np.uint8]]

    @classmethod
    def of(cls, value: Any) -> _Packed:
        buffers: list[pickle.PickleBuffer] = []
        pickled = _ray().cloudpickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        return cls([np.frombuffer(each, np.uint8) for each in (pickled, *(each.raw() for each in buffers))])

    @property
    def size(self) -> int:
        return sum(part.nbytes for part in self.parts)

    def value(self) -> Any:
        return pickle.loads(self.parts[0].data, buffers=self.parts[1:])


@dataclass(frozen=True, slots=True)
class _Common:
    """What runs have in common that share the same but for its state; it travels once, and a worker opens it once."""

    value: _Packed
    load: Callable[[Any, Path], Any] | None
    files: _Files


@dataclass(frozen=True, slots=True)
class _Run:
    """What all tasks of one run have in common; it travels once."""

    step: ShardStep[Any, Any, Any]
    common: Any
    """As a reference, so that only a worker that has not opened it yet fetches it."""
    opened: str
    update: Callable[[Any, Any], object] | None
    state: _Packed
    job: str
    number: str


@dataclass(frozen=True, slots=True)
class _Done:
    """What a task made; an error that a person can mend is a value, too."""

    result: bytes = b""
    files: Mapping[str, NDArray[np.uint8]] | None = None
    error: DragomanError | None = None
    shuffled: int = 0
    """Bytes that went from worker to worker for this result."""


class RayExecutor(Executor):
    """Tasks of a Ray cluster: one that runs at an address, or one that is started here."""

    name: ClassVar[str] = "ray"
    remote: ClassVar[bool] = True
    keeps: ClassVar[bool] = True

    def __init__(self, address: str = "", *, threads: int = 0) -> None:
        super().__init__()
        self.address, self.threads = address, threads
        self._started = False
        self._job = ""
        self._last: tuple[Shared[Any], Any, str] | None = None

    # The cluster

    def __enter__(self) -> Self:
        ray = _ray()
        self._started = not ray.is_initialized()
        if self._started:
            self._connect()
        # Ids of jobs begin anew with every cluster.
        self._job = f"{ray.get_runtime_context().get_job_id()}-{os.urandom(4).hex()}"
        try:
            self._check_nodes()
        except BaseException:
            self.close()
            raise
        return self

    def _connect(self) -> None:
        ray = _ray()
        for name, value in _ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        if self.address:
            _require_answer(self.address)
        where: dict[str, Any] = {"address": self.address} if self.address else {}
        if not self.address and not os.environ.get("RAY_ADDRESS") and self.threads:
            where = {"address": "local", "num_cpus": self.threads}
        # A Ray Client server begins a server for each client by a fork, which fails now and then on a busy machine.
        attempts = 3 if self.address.startswith("ray://") else 1
        for attempt in range(1, attempts + 1):
            try:
                ray.init(**where, logging_level="warning")
                return
            except Exception as error:  # Ray has no kind of its own for this
                if attempt == attempts:
                    raise Unreachable(
                        f"no Ray cluster can be joined: {_first_line(error)}",
                        where=self.address or "ray",
                        remedy="see `ray status`; both sides need the same versions of Ray and Python",
                    ) from None

    def close(self) -> None:
        """Take away what was written to the nodes, and leave the cluster; one that was started here ends."""
        ray = _ray()
        if self._job and ray.is_initialized():
            with contextlib.suppress(Exception):  # a node that is gone has nothing to be taken away from
                ray.get([_on(node, _forget).remote(self._job) for node in _nodes()], timeout=PATIENCE)
        self._job, self._last = "", None
        if self._started:
            ray.shutdown()
            self._started = False

    @property
    def workers(self) -> int:
        return self.threads or max(1, int(_ray().cluster_resources().get("CPU", 1)))

    def _check_nodes(self) -> None:
        """Every node must run this very code: results of others would be others."""
        ray = _ray()
        asked = {node["NodeID"]: (node, _on(node, _introduction()).remote(ROOMS)) for node in _nodes()}
        here = _introduction()(ROOMS)
        for node, answer in asked.values():
            name = _node_name(node)
            try:
                found = ray.get(answer, timeout=60)
            except ray.exceptions.GetTimeoutError:
                raise ClusterError(
                    "a node does not answer", where=name, remedy="see `ray status`; does it have a free processor?"
                ) from None
            except ray.exceptions.RayError as error:
                if node["NodeID"] not in {alive["NodeID"] for alive in _nodes()}:
                    continue  # it died while it was asked; the others will do
                raise ClusterError(f"a node cannot work: {_first_line(error)}", where=name) from None
            if isinstance(found, str):
                raise ClusterError(
                    f"dragoman cannot be imported: {found}",
                    where=name,
                    remedy=f"install dragoman {__version__} there: `pip install 'dragoman[ray]=={__version__}'`",
                )
            for what, ours, theirs in zip(("dragoman", "its code", "Python"), here, found, strict=True):
                if ours != theirs:
                    raise ClusterError(
                        f"{what} is {theirs} there and {ours} here",
                        where=name,
                        remedy=f"install the same everywhere: `pip install 'dragoman[ray]=={__version__}'`",
                    )

    # Work

    def run(
        self,
        step: ShardStep[Value, Common, Result],
        shards: Iterable[Shard[Value]],
        *,
        shared: Shared[Common],
        folder: Path | None = None,
        total: int | None = None,
        progress: ProgressCallback | None = None,
    ) -> Iterator[Result]:
        ray = _ray()
        if not self._job:
            raise SettingError("an executor outside of its `with` block", remedy="write `with get_executor(...):`")
        with _cluster_errors():
            run = self._shared_run(step, shared)
            task = ray.remote(num_cpus=1, max_retries=RETRIES, name=f"dragoman {step.name}")(_work)

            def submit(shard: Shard[Value]) -> Any:
                given, sent = pickle.dumps(shard.value), _sent(shard.files)
                self.moved[step.name] += len(given) + sent.size
                return task.remote(run, given, sent)

            def result(reference: Any) -> Result:
                done: _Done = ray.get(reference)
                if done.error is not None:
                    raise done.error
                self.moved[step.name] += len(done.result)
                for name, content in (done.files or {}).items():
                    self.moved[step.name] += len(content)
                    if folder is not None:
                        (folder / name).parent.mkdir(parents=True, exist_ok=True)
                        with disk_errors(folder), (folder / name).open("wb") as file:
                            file.write(content.data)
                found: Result = pickle.loads(done.result)
                return found

            # Some wait in the queues of nodes, so that no worker waits for us.
            ahead = self.threads or 2 * self.workers
            results = in_order(shards, submit, result, lambda each: ray.cancel(each, force=False), ahead=ahead)
            nodes = len(_nodes())
            yield from told(results, step.name, total, progress, f"{nodes} nodes" if nodes > 1 else "")

    def reduce(
        self,
        step: ShardStep[Value, Common, Result],
        shards: Iterable[Shard[Value]],
        combine: Callable[[list[Result]], Result],
        *,
        shared: Shared[Common],
    ) -> Result:
        """Results go from worker to worker; only the last comes here."""
        ray = _ray()
        with _cluster_errors():
            run = self._shared_run(step, shared)
            work = ray.remote(num_cpus=1, max_retries=RETRIES, name=f"dragoman {step.name}")(_work)
            together = ray.remote(num_cpus=1, max_retries=RETRIES, name=f"dragoman {step.name}, combining")(_combine)

            def begun() -> Iterator[Any]:
                for shard in shards:
                    given, sent = pickle.dumps(shard.value), _sent(shard.files)
                    self.moved[step.name] += len(given) + sent.size
                    yield work.remote(run, given, sent)

            done: _Done = ray.get(in_tree(begun(), lambda parts: together.remote(combine, *parts)))
            if done.error is not None:
                raise done.error
            self.moved[step.name] += done.shuffled + len(done.result)
            found: Result = pickle.loads(done.result)
            return found

    def _shared_run(self, step: ShardStep[Any, Common, Any], shared: Shared[Common]) -> Any:
        """What all tasks of a run need, as an object; what the last run shared serves again, in its new state."""
        ray = _ray()
        if self._last is None or self._last[0] is not shared:
            with tempfile.TemporaryDirectory(prefix="dragoman-shared-") as scratch:
                files = _Files({}, "", 0)
                if shared.save is not None:
                    shared.save(Path(scratch))
                    found = (path for path in Path(scratch).rglob("*") if path.is_file())
                    files = _sent({path.relative_to(scratch).as_posix(): path for path in found})
            value = _Packed.of(shared.value if shared.load is None else shared.plain)
            self.moved[step.name] += files.size + value.size
            self._last = (shared, ray.put(_Common(value, shared.load, files)), os.urandom(8).hex())
        _, common, opened = self._last
        state = _Packed.of(shared.state() if shared.state is not None else None)
        self.moved[step.name] += state.size
        return ray.put(_Run(step, common, opened, shared.update, state, self._job, os.urandom(8).hex()))


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingDependency("Ray is not installed", remedy="pip install 'dragoman[ray]'") from None
    return ray


def _require_answer(address: str) -> None:
    """Whether anybody listens there: Ray itself would ask for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise SettingError(
            f"the address is {address!r}", remedy="write HOST:PORT, such as ray://head.example.org:10001"
        )
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE):
            return
    except (OSError, OverflowError) as error:
        raise Unreachable(
            f"no Ray cluster answers: {_first_line(error)}",
            where=address,
            remedy="start one with `ray start --head` there, and see its address with `ray status`",
        ) from None


def _nodes() -> list[dict[str, Any]]:
    return [node for node in _ray().nodes() if node["Alive"] and node["Resources"].get("CPU")]


def _node_name(node: Mapping[str, Any]) -> str:
    return f"node {node['NodeManagerHostname']} ({node['NodeManagerAddress']}, {node['NodeID'][:8]})"


def _on(node: Mapping[str, Any], function: Callable[..., Any]) -> Any:
    """A function as a task that runs on this node and nowhere else, beside whatever works there."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    strategy = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
    return _ray().remote(num_cpus=0, scheduling_strategy=strategy)(function)


def _introduction() -> Callable[[tuple[str, ...]], tuple[str, str, str] | str]:
    """What a node says of itself; made here so that it travels as code, to where dragoman may not even be."""

    def introduce(rooms: tuple[str, ...]) -> tuple[str, str, str] | str:
        try:
            from platform import python_version

            from dragoman.cache import code_digest
            from dragoman.version import __version__
        except ImportError as error:
            return str(error)
        return __version__, code_digest(rooms), python_version()

    return introduce


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@contextlib.contextmanager
def _cluster_errors() -> Iterator[None]:
    """What a cluster lacks, in words that say where and what to do; Ray has tried again before."""
    from ray import exceptions as theirs

    try:
        yield
    except theirs.RayError as found:
        error = getattr(found, "cause", None) or found
        where = _place_of(found)
        if isinstance(error, theirs.ObjectStoreFullError | theirs.OutOfDiskError):
            raise ClusterError(
                "the object store of a node is too small",
                where=where,
                remedy="start its nodes with more `--object-store-memory`, or a `--temp-dir` on a larger disk",
            ) from None
        if isinstance(error, theirs.OutOfMemoryError):
            raise ClusterError(
                "a node ran out of memory", where=where, remedy="let fewer tasks run at once (--threads)"
            ) from None
        if isinstance(error, theirs.WorkerCrashedError | theirs.NodeDiedError | theirs.ObjectLostError):
            raise ClusterError(
                f"nodes or workers died again and again: {_first_line(error)}",
                where=where,
                remedy="see `ray status` and the logs of the nodes; the same command goes on with what is finished",
            ) from None
        raise


def _place_of(error: BaseException) -> str:
    """The node that an error comes from: of tasks it is in the text only; what has none happened here."""
    named = _TASK_PLACE.search(str(error))
    return f"node {named[1] if named else _ray().util.get_node_ip_address()}"


_TASK_PLACE = re.compile(r"\(pid=\d+, ip=([^,\s)]+)")


def _sent(files: Mapping[str, Path]) -> _Files:
    """Files as objects of the store."""
    ray = _ray()
    chunks: dict[str, list[Any]] = {}
    digest, size = hashlib.sha256(), 0
    for name in sorted(files):
        digest.update(f"\0{name}\0".encode())
        chunks[name] = []
        with files[name].open("rb") as file:
            while len(chunk := np.fromfile(file, np.uint8, CHUNK)):
                digest.update(chunk.data)
                size += len(chunk)
                chunks[name].append(ray.put(chunk))
    return _Files(chunks, digest.hexdigest()[:32], size)


# What runs on nodes


_opened: list[Any] = ["", "", None]
"""What this worker opened last: its number, that of the run whose state it has, and the model."""


def _shared(run: _Run, home: Path) -> Any:
    """What all tasks of a run share, as far as this worker has not opened it for an earlier one."""
    if _opened[0] != run.opened:
        _opened[:] = ["", "", None]
        common: _Common = _ray().get(run.common)
        value = common.value.value()
        if common.load is not None:
            value = common.load(value, _fetched(common.files, home))
        _opened[:] = [run.opened, "", value]
    if _opened[1] != run.number and run.update is not None:
        _opened[1] = ""
        run.update(_opened[2], run.state.value())
    _opened[1] = run.number
    return _opened[2]


def _work(run: _Run, value: bytes, files: _Files) -> _Done:
    """One shard, on a worker."""
    ray = _ray()
    number = ray.get_runtime_context().get_node_id()
    node = f"node {socket.gethostname()} ({ray.util.get_node_ip_address()}, {number[:8]})"
    home = _home(run.job)
    try:
        with disk_errors(home), tempfile.TemporaryDirectory(prefix="task-", dir=_made(home)) as scratch:
            shared = _shared(run, home)
            given, out = Path(scratch, "given"), Path(scratch, "out")
            _write(files, given)
            out.mkdir()
            shard = Shard(pickle.loads(value), {name: given / name for name in files.chunks})
            found = pickle.dumps(run.step.work(shard, shared, ShardPlace(out, 1)))
            made = {p.relative_to(out).as_posix(): np.fromfile(p, np.uint8) for p in out.rglob("*") if p.is_file()}
            return _Done(found, made)
    except FileError as error:
        return _Done(error=FileError(error.what, where=f"{node}, {error.where}", remedy=error.remedy))
    except DragomanError as error:
        return _Done(error=error)


def _combine(combine: Callable[[list[Any]], Any], *parts: _Done) -> _Done:
    """Results of neighbours as one, on a worker."""
    failed = next((part for part in parts if part.error is not None), None)
    if failed is not None:
        return failed
    found = combine([pickle.loads(part.result) for part in parts])
    shuffled = sum(len(part.result) + part.shuffled for part in parts)
    return _Done(pickle.dumps(found), shuffled=shuffled)


def _home(job: str) -> Path:
    """Where this node keeps the files of a job; nodes of a test share a machine."""
    node = _ray().get_runtime_context().get_node_id()
    return Path(tempfile.gettempdir(), f"dragoman-ray-{os.getuid()}", f"{job}-{node[:16]}")


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _fetched(files: _Files, home: Path) -> Path:
    """The folder with these files, which the first worker of this node that needs it makes."""
    import fcntl

    folder = _made(home) / files.digest
    with (home / f"{files.digest}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        whole = home / f"{files.digest}.whole"
        if not whole.exists():
            _write(files, folder)
            whole.touch()
    return folder


def _write(files: _Files, folder: Path) -> None:
    ray = _ray()
    for name, chunks in files.chunks.items():
        with writing_bytes(folder / name) as file:
            for chunk in chunks:
                file.write(memoryview(ray.get(chunk)))


def _forget(job: str) -> None:
    """Take away what a job left on this node."""
    shutil.rmtree(_home(job), ignore_errors=True)
