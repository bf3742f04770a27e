"""The server: completions while somebody types, learning, batches, and fifty clients at once.

The model is trained on Multi30k de-en (29,000 pairs) with the aligner `fast` and untuned weights. Completions are those
of a simulated translator who types the first references of the test set of 2016; milliseconds are given as wall time
and as processor time, because others may use the machine; how many processes wanted its cores stands beside what has
wall time only. The server runs in a process of its own, with a thread for each core.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from bench.contest import DATA, Contest, bench
from dragoman.files import read_lines
from dragoman.pipeline.interactive import Completions, complete
from dragoman.pipeline.learned import LearnedLayer
from dragoman.pipeline.model import Model
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.simulated_user import type_sentence
from dragoman.pipeline.train import train
from tools.load_server import load

CACHE = Path(tempfile.gettempdir()) / "server-of-dragoman"
TYPED = 30


@cache
def model_path() -> Path:
    path = CACHE / "de-en"
    if not (path / "model.toml").exists():
        CACHE.mkdir(exist_ok=True)
        source, target = (list(read_lines(DATA / "multi30k" / f"train.{side}.gz")) for side in ("de", "en"))
        recipe = Recipe(aligner="fast", tuner="none", keep_aligner=True)
        train(source, target, output=path, languages=("de", "en"), recipe=recipe)
    return path


@cache
def test_set() -> tuple[list[str], list[str]]:
    source, target = (list(read_lines(DATA / "multi30k" / f"test_2016_flickr.{side}")) for side in ("de", "en"))
    return source, target


def measured(times: Sequence[float]) -> str:
    cuts = statistics.quantiles([1000 * each for each in times], n=100)
    return f"median {cuts[49]:.1f} ms, 95% {cuts[94]:.1f} ms, 99% {cuts[98]:.1f} ms"


def timed(work: Callable[[], Any], wall: list[float], processor: list[float]) -> Any:
    started, used = time.perf_counter(), time.process_time()
    made = work()
    wall.append(time.perf_counter() - started)
    processor.append(time.process_time() - used)
    return made


@bench("complete a translation at every keystroke")
def completions() -> dict[str, str]:
    model = Model.open(model_path())
    wall, processor = list[float](), list[float]()

    def helped(source: str, prefix: str) -> Completions:
        found: Completions = timed(lambda: complete(model, source, prefix, limit=5), wall, processor)
        return found

    sources, references = test_set()
    pairs = zip(sources[:TYPED], references[:TYPED], strict=True)
    keys = [type_sentence(source, reference, helped) for source, reference in pairs]
    total = sum(keys[1:], keys[0])
    return {
        "sentences": str(TYPED),
        "completions": str(len(wall)),
        "wall time": measured(wall),
        "processor time": measured(processor),
        "keys saved": f"{100 * total.saved:.1f} %",
        "words predicted": f"{100 * total.word_accuracy:.1f} %",
    }


@bench("learn a pair, and translate the next sentence")
def learning() -> dict[str, str]:
    layer = LearnedLayer(Model.open(model_path()), keep=False)
    layer.prepare()  # as the server does when it starts
    wall, processor = list[float](), list[float]()
    for source, target in zip(*(side[:50] for side in test_set()), strict=True):
        timed(lambda s=source, t=target: (layer.learn(s, t), layer.model.translate(s, threads=1)), wall, processor)  # type: ignore[misc]
    return {"pairs": str(len(wall)), "wall time": measured(wall), "processor time": measured(processor)}


def processor_seconds(process: int) -> float:
    """What a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def running() -> Iterator[tuple[str, int]]:
    """A server: its address, and the number of its process."""
    command = [sys.executable, "-m", "dragoman", "serve", str(model_path()), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            address = ""
            for line in process.stderr:
                if "in a browser" in line:
                    address = line.split()[1]
                    break
            # The log must be read, or the server waits for somebody to do so.
            drain = subprocess.Popen(["cat"], stdin=process.stderr, stdout=subprocess.DEVNULL)
            yield address, process.pid
            drain.kill()
            drain.wait()
        finally:
            process.terminate()


@bench("100 sentences in one request", peer="in 100 requests")
def batches() -> Contest:
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    client = httpx.Client(base_url=stack.enter_context(running())[0], timeout=120)
    lines = test_set()[0][:100]

    def ask(texts: Any) -> Any:
        return client.post("/v1/translate", json={"text": texts}).raise_for_status().json()["translations"]

    def agree(ours: Any, theirs: Any) -> None:
        assert [each["text"] for each in ours] == [each[0]["text"] for each in theirs]

    return Contest(lambda: ask(lines), lambda: [ask(line) for line in lines], agree, units=100, unit="sentences")


@bench("50 clients for two minutes")
def clients() -> dict[str, str]:
    with running() as (address, process):
        before = processor_seconds(process)
        found = asyncio.run(load(address, test_set()[0], clients=50, seconds=120.0))
        used, wanted = processor_seconds(process) - before, os.getloadavg()[1]
    shown = {"requests": str(found["requests"]), "statuses": str(found["statuses"]), "failures": str(found["failures"])}
    for kind in ("translate", "many", "complete", "explain"):
        if kind in found:
            each = found[kind]
            shown[kind] = (
                f"{each['answers']} answers; ms: median {each['p50']:.0f}, 90% {each['p90']:.0f}, 99% {each['p99']:.0f}"
            )
    shown["processor time of the server for a request"] = f"{1000 * used / found['requests']:.0f} ms"
    return shown | {"processes that wanted a core, mean of five minutes": f"{wanted:.0f} for {os.cpu_count()} cores"}
