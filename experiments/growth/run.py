"""Training as text grows, and on a Ray cluster: what do time, memory and moved bytes do, stage by stage?

Text is English with French, German and Spanish from Debian's package descriptions, joined, and from there on generated
English and German (`dragoman synth`). Every training runs in a process of its own on one machine, without tuning
(`tuner=none`, and what `recipe` says below), for the cost of tuning follows from the dev set and not from the text;
`memory` is the bound that it was given, if any.
`seconds` are those of the clock, `processor` those that driver, workers and Ray itself spent, which other work on the
machine changes less. The ratio to `local` counts the start of the cluster, too. Memory is the most that one process
held of its own at once, without files that are mapped, as seen four times a second; what Ray's object store held, which
all share, stands beside it. Bytes are those that left the driver or came back to it, and those that went from worker to
worker; what all shards share counts once, though every node fetches it. The exponent is the slope of a straight line
through logarithms of processor time and of tokens: 1 where time is in proportion to text.
The last table is about work that could be spread and is small: comparisons of two systems by 1,000 bootstrap samples of
30,000 segments, with the counting of their statistics, and 60 simulated campaigns of human assessment.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.cache import StageCache
from dragoman.charts import line_plot
from experiments.common import TRAINING_ROOMS, Claim, Row, Table, arguments, grid, publish, remembered

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data")) / "debian"
JOINED = ("fr", "de", "es")
CHUNK = 100_000
MOST = 4 * 2**30
"""Bytes that no process may pass, at any size."""
PLACES = {"local": "2 threads", "ray": "2 workers"}
PICTURES = {"time": "processor", "memory": "driver MB", "worker-memory": "worker MB", "moved": "moved MB"}
"""Figures by stage and size, by the names of their files."""
TICK = os.sysconf("SC_CLK_TCK")


# Text


def generated(folder: Path, number: int) -> tuple[Path, Path]:
    """A hundred thousand generated pairs, made once."""
    sides = folder / f"{number}.en", folder / f"{number}.de"
    if not sides[1].exists():
        from dragoman.text import synthetic

        folder.mkdir(parents=True, exist_ok=True)
        items = synthetic.pair("en-de").generate(CHUNK, seed=4, start=CHUNK * number)
        parts = [side.with_name(f"{side.name}.part") for side in sides]
        with parts[0].open("w", encoding="utf-8") as source, parts[1].open("w", encoding="utf-8") as target:
            for item in items:
                source.write(f"{item.source.text}\n")
                target.write(f"{item.target.text}\n")
        for part, side in zip(parts, sides, strict=True):
            part.rename(side)
    return sides


def _joined(small: bool) -> Iterator[tuple[str, str]]:
    for language in () if small else JOINED:
        files = [DATA / f"en-{language}" / f"train.{code}.gz" for code in ("en", language)]
        if all(file.exists() for file in files):
            with (
                gzip.open(files[0], "rt", encoding="utf-8", newline="\n") as source,
                gzip.open(files[1], "rt", encoding="utf-8", newline="\n") as target,
            ):
                yield from zip(source, target, strict=True)


def write_text(pairs: int, folder: Path, kept: Path, *, small: bool) -> None:
    """The sides of a text of this size: real pairs as far as there are any, then generated ones."""

    def all_pairs() -> Iterator[tuple[str, str]]:
        yield from _joined(small)
        if small:
            from dragoman.text import synthetic

            for item in synthetic.pair("en-de").generate(pairs, seed=4):
                yield f"{item.source.text}\n", f"{item.target.text}\n"
            return
        number = 0
        while True:
            source, target = generated(kept, number)
            with source.open(encoding="utf-8") as ours, target.open(encoding="utf-8") as theirs:
                yield from zip(ours, theirs, strict=True)
            number += 1

    sides = folder / "corpus.en", folder / "corpus.xx"
    with sides[0].open("w", encoding="utf-8") as one, sides[1].open("w", encoding="utf-8") as other:
        for source, target in islice(all_pairs(), pairs):
            one.write(source)
            other.write(target)


# Watching


def _processes() -> dict[int, int]:
    """All processes with their parents."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            found[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
    return found


def _own(process: int) -> int:
    """Bytes of a process that are its own: what is mapped from files can be given back at any time."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


def _spent(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def _stored() -> int:
    """Bytes in the object stores of a cluster, if there is one."""
    ray: Any = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return 0
    room = "object_store_memory"
    return int(ray.cluster_resources().get(room, 0) - ray.available_resources().get(room, 0))


class Watch:
    """Memory and processor time of this process and of all workers that it started, by stage of training."""

    def __init__(self) -> None:
        self.stage = ""
        self.driver: Counter[str] = Counter()
        self.worker: Counter[str] = Counter()
        self.store: Counter[str] = Counter()
        self.seconds: dict[int, float] = {}
        self.processor: dict[str, float] = {}
        self._counted = 0.0

    def look(self) -> None:
        """What is held and has been spent now; processes that have ended keep what they had spent."""
        parents, own = _processes(), os.getpid()
        self.store[self.stage] = max(self.store[self.stage], _stored())
        for process in parents:
            line = process
            while line in parents and line != own:
                line = parents[line]
            if line != own:
                continue
            try:
                self.seconds[process] = max(self.seconds.get(process, 0.0), _spent(process))
                title = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[0]
                if process == own:
                    self.driver[self.stage] = max(self.driver[self.stage], _own(process))
                elif title.startswith(b"ray::"):
                    self.worker[self.stage] = max(self.worker[self.stage], _own(process))
            except (OSError, ValueError, IndexError):
                continue

    def begins(self, stage: str) -> None:
        self.look()
        spent = sum(self.seconds.values())
        self.processor[self.stage] = self.processor.get(self.stage, 0.0) + spent - self._counted
        self._counted, self.stage = spent, stage

    @contextmanager
    def watching(self) -> Iterator[None]:
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(0.25):
                self.look()

        thread = threading.Thread(target=watch)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


# Training


def train_here(folder: Path, on: str, recipe: str, memory: str) -> dict[str, Any]:
    """Train on the text in this folder, in this process, and say what it took; `memory` is a bound, or empty."""
    import dragoman
    from dragoman.pipeline.executors import get_executor
    from dragoman.pipeline.recipe import Recipe
    from dragoman.progress import Progress

    watch = Watch()
    moved: dict[str, dict[str, int]] = {}

    def begins(progress: Progress) -> None:
        if progress.stage == "training":
            moved[watch.stage] = dict(executor.moved)
            watch.begins(progress.note)

    started = time.perf_counter()
    with get_executor(on, threads=2) as executor, watch.watching():
        ready = time.perf_counter()
        watch.begins("")
        watch.processor.clear()
        model = dragoman.train(
            folder / "corpus.en",
            folder / "corpus.xx",
            output=folder / "model",
            languages=("en", "de"),
            recipe=Recipe.configured(["tuner=none", *filter(None, recipe.split(","))]),
            threads=2,
            on=executor,
            memory=memory or 0,
            progress=begins,
        )
        watch.begins("")
        whole = time.perf_counter() - ready
    digest = hashlib.sha256()
    for name in sorted(model.bundle.sizes):
        if name != "report.json":
            digest.update((model.path / name).read_bytes())
    size = model.report["preflight"]["train"]
    stages, before = [], Counter[str]()
    for name, facts in model.report["stages"].items():
        after = Counter(moved.get(name, {}))
        stages.append(
            {
                "stage": name,
                "seconds": facts["seconds"],
                "processor": round(watch.processor.get(name, 0.0), 2),
                "driver MB": watch.driver[name] / 2**20,
                "worker MB": watch.worker[name] / 2**20,
                "store MB": watch.store[name] / 2**20,
                "moved MB": (after - before).total() / 2**20,
            }
        )
        before = after
    return {
        "pairs": model.report["stages"]["prepare"]["pairs"],
        "tokens": size["source_tokens"] + size["target_tokens"],
        "stages": stages,
        "seconds": whole,
        "start": ready - started,
        "bytes": sum(model.bundle.sizes.values()),
        "digest": digest.hexdigest()[:16],
    }


def trained(given: argparse.Namespace, pairs: int, on: str) -> dict[str, Any]:
    """The same in a process of its own, or as an earlier run found it."""

    def work() -> Any:
        with tempfile.TemporaryDirectory(prefix="dragoman-growth-") as folder:
            write_text(pairs, Path(folder), given.cache / "text", small=given.small)
            command = [sys.executable, __file__, "--train", folder, on, given.recipe, given.memory]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=HOME)
        return json.loads(done.stdout.splitlines()[-1])

    settings = {"pairs": pairs, "on": on, "small": given.small, "recipe": given.recipe, "memory": given.memory}
    found: dict[str, Any] = remembered(StageCache(given.cache), "training", settings, work, rooms=TRAINING_ROOMS)
    return found


def _sizes(given: argparse.Namespace) -> list[int]:
    return [int(size) for size in given.sizes.split(",")]


def overhead(given: argparse.Namespace, on: str) -> Row:
    pairs = given.compared
    found, local = trained(given, pairs, on), trained(given, pairs, "local")
    spent, least = (sum(each["processor"] for each in one["stages"]) for one in (found, local))
    whole, shortest = (one["start"] + one["seconds"] for one in (found, local))
    return {
        "with": PLACES[on],
        "start of the cluster": found["start"],
        "seconds": found["seconds"],
        "ratio": whole / shortest,
        "processor": spent,
        "ratio of processor": spent / least,
        "moved MB": sum(each["moved MB"] for each in found["stages"]),
        "model": found["digest"],
    }


def growth(given: argparse.Namespace, pairs: int, on: str) -> list[Row]:
    """A row for each stage, and one for all."""
    found = trained(given, pairs, on)
    stages = found["stages"]
    whole = {"stage": "all", "seconds": found["seconds"]}
    whole |= {name: sum(each[name] for each in stages) for name in ("processor", "moved MB")}
    whole |= {name: max(each[name] for each in stages) for name in ("driver MB", "worker MB", "store MB")}
    text = {"pairs": pairs, "kept": found["pairs"], "tokens": found["tokens"], "on": on}
    return [
        {**text, **{name: each[name] for name in stages[0]}, "µs a token": 1e6 * each["processor"] / found["tokens"]}
        for each in (*stages, whole)
    ]


# What may be too small to spread


def spread_or_not(given: argparse.Namespace, work: str) -> Row:
    """Processor time of work that could be spread, here; of simulated campaigns also the time of two processes."""
    import random

    from dragoman.assessment.simulation.power import simulated_power
    from dragoman.evaluation.compare import compare
    from dragoman.executors import ProcessExecutor

    before, started = sum(os.times()[:2]), time.perf_counter()
    spread = math.nan
    if work.startswith("campaigns"):
        runs = 4 if given.small else 60
        simulated_power(3, 400, runs=runs)
        spent, seconds = sum(os.times()[:2]) - before, time.perf_counter() - started
        started = time.perf_counter()
        with ProcessExecutor(threads=2) as executor:
            simulated_power(3, 400, runs=runs, executor=executor)
        spread = time.perf_counter() - started
    else:
        draws = random.Random(1)
        references = [
            " ".join(f"w{draws.randrange(5000)}" for _ in range(20)) for _ in range(50 if given.small else 30_000)
        ]
        systems = {
            name: [" ".join(word if draws.random() < kept else "x" for word in line.split()) for line in references]
            for name, kept in (("A", 0.7), ("B", 0.69))
        }
        before, started = sum(os.times()[:2]), time.perf_counter()
        compare(systems, references, [work], test="bootstrap", samples=1000, threads=2)
        spent, seconds = sum(os.times()[:2]) - before, time.perf_counter() - started
    return {"processor": spent, "seconds": seconds, "seconds of 2 processes": spread}


def exponent(rows: list[Row]) -> float:
    """Of processor time over tokens: the slope of a straight line through their logarithms."""
    points = [(math.log(row["tokens"]), math.log(max(row["processor"], 1e-3))) for row in rows]
    across, up = (sum(values) / len(points) for values in zip(*points, strict=True))
    spread = sum((x - across) ** 2 for x, _ in points)
    return sum((x - across) * (y - up) for x, y in points) / spread if spread else math.nan


def main() -> None:
    given = arguments(
        __doc__,
        out="docs/experiments/growth",
        sizes="30000,100000,300000,1000000",
        compared=100_000,
        on="ray",
        recipe="",
        memory="",
        cache="",
        small=False,
    )
    if given.small:
        given.sizes, given.compared, given.on = "200,400", 200, "local"
    with tempfile.TemporaryDirectory() as scratch:
        given.cache = Path(given.cache or scratch)
        both = grid(lambda on: overhead(given, on), on=["local"] if given.small else list(PLACES))
        small = grid(
            lambda work: spread_or_not(given, work), work=["bleu", "chrf", "ter", "campaigns of 400 judgements"]
        )
        rows = [row for size in _sizes(given) for row in growth(given, size, given.on)]
    start = max(row["start of the cluster"] for row in both.rows)
    stages = list(dict.fromkeys(row["stage"] for row in rows))
    table = Table(("pairs", "stage"), tuple(rows))
    slopes = Table(("stage",), tuple({"stage": name, "exponent": exponent(table.where(stage=name))} for name in stages))
    largest = max(_sizes(given))
    claims = [
        Claim(
            "ray with 2 workers takes at most 1.3 times as long as local with 2 threads, and makes the same bytes",
            lambda table: all(row["ratio"] <= 1.3 for row in table.rows) and len({r["model"] for r in table.rows}) == 1,
        ),
        Claim(
            f"no process holds more than 4 GB of its own at {largest:,} pairs",
            lambda table: all(
                max(row["driver MB"], row["worker MB"]) * 2**20 <= MOST for row in table.where(pairs=largest)
            ),
        ),
        Claim(
            "time is near-linear: the exponent of all stages together is at most 1.1",
            lambda table: table.where(stage="all")[0]["exponent"] <= 1.1,
        ),
        Claim(
            "1,000 resamples take less processor time than a cluster takes to start, so they are not spread",
            lambda table: all(row["processor"] < start for row in table.rows if "campaigns" not in row["work"]),
        ),
    ]
    pictures = {}
    for name, figure in PICTURES.items():
        lines = {
            stage: [
                (math.log10(row["pairs"]), math.log10(row[figure]))
                for row in table.where(stage=stage)
                if row[figure] > 0
            ]
            for stage in stages
        }
        if any(lines.values()):
            pictures[name] = line_plot(
                lines, title=figure, x_name="log10 of pairs", y_name=f"log10 of {figure}", zero=False
            )
    publish(
        "Training as text grows",
        __doc__,
        {
            f"{given.compared:,} pairs, here and on a cluster": (both, claims[:1]),
            "Stage by stage": (table, claims[1:2]),
            "Exponents": (slopes, claims[2:3]),
            "Resampling and simulation": (small, claims[3:]),
        },
        pictures=pictures,
        out=given.out,
        settings=vars(given),
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--train"]:
        print(json.dumps(train_here(Path(sys.argv[2]), *sys.argv[3:])))
    else:
        main()
