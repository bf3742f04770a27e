"""What training costs as text grows, stage by stage: seconds, memory, and bytes that travel on a Ray cluster.

    python -m bench scale --only overhead
    python -m bench.scale 30000 100000        # growth at these sizes, of generated text

Every training runs in a process of its own; its memory is what is its own, without files that are mapped.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.contest import bench

HERE = Path(__file__).parent.parent


def _anonymous(process: str = "self") -> int:
    """Megabytes of a process that are its own: what is mapped from files can be given back at any time."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) // 1024
    return 0


def _parent(process: str) -> str:
    return Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[1]


@contextmanager
def _watched(stage: list[str], peaks: dict[str, int], workers: dict[str, int]) -> Iterator[None]:
    """The height of our memory by stage, and of that of Ray's workers by step, as often as one can look."""
    ended = threading.Event()
    own = str(os.getpid())

    def watch() -> None:
        while not ended.wait(0.05):
            peaks[stage[0]] = max(peaks.get(stage[0], 0), _anonymous())
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    title = (folder / "cmdline").read_bytes().split(b"\0")[0].decode()
                    if title.startswith("ray::dragoman ") and _parent(_parent(folder.name)) == own:
                        step = title.removeprefix("ray::dragoman ")
                        workers[step] = max(workers.get(step, 0), _anonymous(folder.name))
                except (OSError, ValueError):
                    continue

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def write_text(pairs: int, text: str, folder: str) -> None:
    """The sides of a text, `corpus.en` and another, into a folder."""
    if text == "debian":
        from bench.corpora import _sides

        sides = dict(zip(("en", "fr"), _sides(), strict=True))
    else:
        from dragoman.text import synthetic

        items = list(synthetic.pair("en-de").generate(pairs, seed=4))
        sides = {"en": [item.source.text for item in items], "de": [item.target.text for item in items]}
    for language, lines in sides.items():
        Path(folder, f"corpus.{language}").write_text("".join(f"{line}\n" for line in lines[:pairs]), "utf-8")


def train_here(corpus: str, on: str, threads: int, memory: int = 0) -> dict[str, Any]:
    """Train on the files of a folder in this process, and say what it took."""
    import dragoman
    from dragoman.pipeline.executors import get_executor
    from dragoman.pipeline.recipe import Recipe
    from dragoman.progress import Progress

    peaks: dict[str, int] = {}
    workers: dict[str, int] = {}
    spent: dict[str, float] = {}
    stage, begun = [""], [0.0]

    def begins(progress: Progress) -> None:
        if progress.stage == "training":
            spent[stage[0]] = round(time.process_time() - begun[0], 1)
            stage[0], begun[0] = progress.note, time.process_time()

    started = time.perf_counter()
    with get_executor(on, threads=threads) as executor, _watched(stage, peaks, workers):
        ready = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="dragoman-scale-") as folder:
            model = dragoman.train(
                *sorted(Path(corpus).iterdir(), key=lambda path: path.suffix != ".en"),
                output=Path(folder, "model"),
                recipe=Recipe(tuner="none"),
                threads=threads,
                on=executor,
                memory=memory,
                progress=begins,
            )
            digest = hashlib.sha256()
            for name in sorted(model.bundle.sizes):
                if name != "report.json":
                    digest.update((model.path / name).read_bytes())
            tokens = model.report["preflight"]["train"]
            seconds = {name: facts["seconds"] for name, facts in model.report["stages"].items()}
            return {
                "pairs": tokens["segments"],
                "tokens": tokens["source_tokens"] + tokens["target_tokens"],
                "seconds": seconds,
                "all": round(time.perf_counter() - ready, 1),
                "start": round(ready - started, 1),
                "processor": {name: spent[name] for name in seconds},
                "peaks": peaks,
                "workers": workers,
                "moved": dict(executor.moved),
                "bytes": sum(model.bundle.sizes.values()),
                "digest": digest.hexdigest()[:16],
            }


def train_apart(
    pairs: int, on: str = "local", *, threads: int = 2, text: str = "generated", memory: int = 0
) -> dict[str, Any]:
    """The same in a process of its own."""

    def python(code: str) -> str:
        run = [sys.executable, "-c", f"import json; from bench.scale import *; {code}"]
        return subprocess.run(run, cwd=HERE, check=True, stdout=subprocess.PIPE, text=True).stdout

    with tempfile.TemporaryDirectory(prefix="dragoman-scale-") as folder:
        python(f"write_text({pairs}, {text!r}, {folder!r})")
        done = python(f"print(json.dumps(train_here({folder!r}, {on!r}, {threads}, {memory})))")
    found: dict[str, Any] = json.loads(done.splitlines()[-1])
    return found


def _megabytes(size: float) -> str:
    return f"{size / 2**20:,.1f} MB"


@bench("overhead: train 100,000 pairs of Debian en-fr, ray with 2 workers against local with 2 threads")
def overhead() -> dict[str, str]:
    figures: dict[str, str] = {}
    local, ray = (train_apart(100_000, on, text="debian") for on in ("local", "ray"))
    for name, seconds in local["seconds"].items():
        figures[name] = f"{seconds:.1f} s, ray {ray['seconds'][name]:.1f} s"
    figures["all stages"] = f"{local['all']:.1f} s, ray {ray['all']:.1f} s"
    figures["ratio"] = f"{ray['all'] / local['all']:.2f}"
    figures["start of the cluster"] = f"{ray['start']:.1f} s"
    for step, size in ray["moved"].items():
        figures[f"{step}, moved"] = _megabytes(size)
    for step, size in ray["workers"].items():
        figures[f"{step}, largest worker"] = f"{size} MB"
    figures["same bytes"] = str(local["digest"] == ray["digest"])
    return figures


def _growth(pairs: int) -> dict[str, str]:
    made = train_apart(pairs)
    figures = {"pairs": f"{pairs:,}", "tokens": f"{made['tokens']:,}"}
    for name, seconds in made["seconds"].items():
        processor, peak = made["processor"][name], made["peaks"].get(name, 0)
        figures[name] = f"{seconds:.1f} s, processor {processor:.1f} s, {peak:,} MB"
    return {**figures, "all": f"{made['all']:.1f} s", "model": _megabytes(made["bytes"])}


@bench("growth: train 100,000 generated pairs, 2 threads")
def growth_small() -> dict[str, str]:
    return _growth(100_000)


@bench("growth: train 300,000 generated pairs, 2 threads")
def growth_large() -> dict[str, str]:
    return _growth(300_000)


if __name__ == "__main__":
    for given in sys.argv[1:]:
        print(json.dumps(train_apart(int(given)), indent=1), flush=True)
