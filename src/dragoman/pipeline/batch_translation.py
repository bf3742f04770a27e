"""Translation of large texts: in blocks, by any executor, in order, and resumed where it was interrupted.

A block is a step like those of training: a function of some lines and of a model. Each finished block is kept, under a
key of its text, of the model and of all that was asked, until the output is whole; so a job that was killed goes on
with the blocks that are not there, and the output is the same as that of one that was not.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from dragoman.cache import ContentKey, StageCache
from dragoman.executors import Executor, Shard, ShardPlace, ShardStep, Shared
from dragoman.files import checksum, require_writable, take_file, writing
from dragoman.pipeline.control import Control
from dragoman.pipeline.executors import working_on
from dragoman.pipeline.learned import learned_folder, with_learned
from dragoman.pipeline.model import Model
from dragoman.pipeline.parts import read_weights
from dragoman.plain_data import parse_json
from dragoman.progress import Progress, ProgressCallback
from dragoman.remote_files import fetched_bundle, with_urls
from dragoman.text.source_text import SourceText

__all__ = ["BatchReport", "BatchWish", "translate_batches"]

BLOCK = 500
"""Lines of a block: some seconds of work, so that little is lost."""

_ROOMS = ("text", "features", "search", "pipeline")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchWish:
    """What is asked of all translations, as plain values: settings of the search, weights in place of the model's, and
    the arguments of `Model.translate` that are the same for all lines."""

    search: Mapping[str, Any] = field(default_factory=dict)
    weights: Path | None = None
    """A file."""
    control: Control = field(default_factory=Control)
    consensus: int = 0
    scale: float = 1.0
    max_tokens: int = 0
    trust_features: bool = False

    def open(self, path: Path) -> Model:
        """The model at this path under these wishes."""
        model = with_learned(Model.open(path, trust_features=self.trust_features)).with_settings(**self.search)
        if self.weights is None:
            return model
        return model.with_weights(read_weights(self.weights, columns=model.decoder.rule_columns))

    def described(self) -> str:
        """All of it, as text."""
        terms = self.control.glossary.terms if self.control.glossary is not None else ()
        plain = replace(self, control=replace(self.control, glossary=None))
        return f"{plain!r} {terms!r}"


def _described(text: SourceText) -> str:
    layers = text.annotation.to_dict() if text.annotation is not None else None
    return json.dumps([text.text, text.domain, text.fixed, layers])


@dataclass(frozen=True, slots=True)
class BatchReport:
    """Lines that the output has, and how many of them were kept from an earlier run."""

    lines: int
    kept: int


def _translate(shard: Shard[list[SourceText]], shared: tuple[Model, BatchWish], place: ShardPlace) -> list[str]:
    model, wish = shared
    found = model.translate(
        shard.value,
        threads=place.threads,
        consensus=wish.consensus,
        scale=wish.scale,
        control=wish.control,
        max_tokens=wish.max_tokens,
    )
    return [each.text for each in found]


_BLOCK = ShardStep("translating", _translate, wide=True)


def _shared(model: Model, wish: BatchWish) -> Shared[tuple[Model, BatchWish]]:
    def save(folder: Path) -> None:
        if wish.weights is not None:
            take_file(wish.weights, folder / "weights")
        for home, name in ((model.path, "model"), (learned_folder(model.path), learned_folder(Path("model")).name)):
            for file in home.rglob("*") if home.is_dir() else ():
                if file.is_file():
                    target = folder / name / file.relative_to(home)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    take_file(file, target)

    return Shared((model, wish), wish, save, _load)


def _load(wish: BatchWish, folder: Path) -> tuple[Model, BatchWish]:
    here = replace(wish, weights=folder / "weights") if wish.weights is not None else wish
    return here.open(folder / "model"), here


@with_urls(output="output")
def translate_batches(
    model_path: Path | str,
    texts: Callable[[Model], Iterable[SourceText]],
    output: Path | str,
    *,
    on: str | Executor = "local",
    threads: int = 0,
    wish: BatchWish | None = None,
    cache: Path | str | None = None,
    progress: ProgressCallback | None = None,
) -> BatchReport:
    """Translate texts with the model at a path, and write a line for each to `output`, in order.

    `texts` are asked for when the model is open. `on` says where the work is done, as in training. Finished blocks are
    kept in `cache`, or beside the output until it is finished; the same call goes on with them.
    """
    output, wish = Path(output), wish or BatchWish()
    require_writable(output)
    model = wish.open(fetched_bundle(model_path))
    given = texts(model)
    folder = Path(cache) if cache is not None else output.with_name(f".{output.name}.blocks")
    kept = StageCache(folder)
    known = {
        "model": {name: checksum(model.path / name) for name in ("model.toml", "SHA256SUMS")},
        "learned": {file.name: checksum(file) for file in sorted(learned_folder(model.path).glob("*"))},
        "wish": wish.described(),
        "weights": checksum(wish.weights) if wish.weights is not None else None,
    }
    key = ContentKey(known, rooms=_ROOMS)
    blocks: list[Path] = []
    missing: list[Path] = []
    lines = done = 0
    with kept.locked(), working_on(on, threads=threads) as executor:
        present = set(folder.iterdir())

        def unfinished() -> Iterator[Shard[list[SourceText]]]:
            nonlocal lines
            stream = iter(given)
            while block := list(islice(stream, BLOCK)):
                path = folder / key.of("\n".join(map(_described, block))).hex()
                blocks.append(path)
                lines += len(block)
                if path not in present:
                    present.add(path)
                    missing.append(path)
                    yield Shard(block)

        for number, found in enumerate(executor.run(_BLOCK, unfinished(), shared=_shared(model, wish))):
            with writing(missing[number]) as file:
                file.write(json.dumps(found, ensure_ascii=False))
            done += len(found)
            if progress is not None:
                progress(Progress("translating", done))
        with writing(output) as file:
            for path in blocks:
                file.writelines(f"{line}\n" for line in parse_json(path.read_bytes(), where=str(path)))
    if cache is None:
        shutil.rmtree(folder, ignore_errors=True)
    return BatchReport(lines, lines - done)
