"""Models that an experiment trains once and keeps: on Multi30k, German to English, or small ones on synthetic text."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

import dragoman
from dragoman.files import read_lines
from dragoman.pipeline.recipe import Recipe
from dragoman.text import synthetic

__all__ = ["TrainedModels"]

HOME = Path(__file__).parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data"))


class TrainedModels:
    """Texts and models; what training keeps by stage makes them again at once, unless a recipe or the code changed."""

    def __init__(self, cache: Path, *, small: bool) -> None:
        self.cache, self.small = cache, small
        self._bundles = tempfile.TemporaryDirectory()
        self._models: dict[str, dragoman.Model] = {}

    @cache  # noqa: B019 - one object lives as long as the program
    def texts(self, part: str) -> tuple[list[str], list[str]]:
        """Source and target of `train`, `val` or `test`."""
        if self.small:
            parts = synthetic.pair("en-de").splits(train=400, dev=40, test=60, seed=1)
            items = {"train": parts.train, "val": parts.dev, "test": parts.test}[part]
            return [" ".join(i.source.tokens) for i in items], [" ".join(i.target.tokens) for i in items]
        stem = {"train": "train.{}.gz", "val": "val.{}", "test": "test_2016_flickr.{}"}[part]
        source, target = (list(read_lines(DATA / "multi30k" / stem.format(side))) for side in ("de", "en"))
        return source, target

    def model(self, name: str, changes: list[str]) -> dragoman.Model:
        """A model by its recipe."""
        if name not in self._models:
            self._models[name] = dragoman.train(
                *self.texts("train"),
                dev=self.texts("val"),
                languages=("de", "en"),
                recipe=Recipe(tokenized=True).changed(changes),
                output=Path(self._bundles.name) / name,
                cache=self.cache,
            )
        return self._models[name]
