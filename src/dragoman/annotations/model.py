"""Models of annotators: bundles that say what they were trained on and under which licence.

A model of this room is a bundle of kind `annotator` (see `dragoman.bundle`); its settings name the annotator that can
open it. What the model was trained on is recorded by name, size and checksum, with the licence of the treebank in
words, because a model is a derived work of its treebank.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from dragoman._native.common import HASH_VERSION
from dragoman.annotations.annotator import ANNOTATORS, Annotator
from dragoman.annotations.sentence import Sentence
from dragoman.bundle import Bundle, Provenance, writing_bundle
from dragoman.errors import BundleError, SettingError
from dragoman.files import checksum

__all__ = ["KIND", "ModelAnnotator", "StoredModel", "open_model"]

KIND = "annotator"


class ModelAnnotator(Annotator):
    """An annotator that was trained here and lives in a bundle."""

    def __init__(self) -> None:
        self.settings: Mapping[str, Any] = {}
        self.identity = f"{self.name}:unsaved:{id(self)}"

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        """Refused: the name alone is no model."""
        raise SettingError(
            f"{cls.name} needs a model" + (f", not {argument!r}" if argument else ""),
            remedy=f"train one with `dragoman annotate train --kind {cls.name} FILE -o MODEL` and give the path MODEL",
        )

    @abstractmethod
    def write_parts(self, folder: Path) -> None:
        """Put the model's files into a folder."""

    @classmethod
    @abstractmethod
    def read_parts(cls, folder: Path, settings: Mapping[str, Any]) -> ModelAnnotator:
        """The model whose files are there."""

    def save(
        self, path: Path | str, *, language: str = "", licence: str = "", provenance: Provenance | None = None
    ) -> None:
        """Write the bundle; `licence` is that of the treebank."""
        settings = {
            "annotator": self.name,
            "licence": licence,
            "hash": HASH_VERSION,
            "model": dict(self.settings),
        }
        languages: Sequence[str] = (language,) if language else ()
        with writing_bundle(path, kind=KIND, languages=languages, settings=settings, provenance=provenance) as folder:
            self.write_parts(folder)
        self.identity = _identity(self.name, Path(path))


class StoredModel(Annotator):
    """A model on disk that is read when it is first needed: what the cache answers needs no model at all."""

    def __init__(self, bundle: Bundle) -> None:
        name = str(bundle.settings.get("annotator", ""))
        kind = ANNOTATORS.get(name)
        if not issubclass(kind, ModelAnnotator):
            raise BundleError(f"it names the annotator {name!r}, which has no models", where=str(bundle.path))
        hashing = bundle.settings.get("hash")
        if hashing != HASH_VERSION:  # its weights would be those of other features
            raise BundleError(
                f"its features are hashed by version {hashing}, this dragoman hashes by version {HASH_VERSION}",
                where=str(bundle.path),
                remedy="train it again with this version",
            )
        self._bundle, self._kind = bundle, kind
        self.needs, self.gives, self.tokenizes = kind.needs, kind.gives, kind.tokenizes
        self.identity = _identity(name, bundle.path)
        self.language = next(iter(bundle.languages), "")

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        return open_model(argument)

    @cached_property
    def _model(self) -> ModelAnnotator:
        return self._kind.read_parts(self._bundle.path, self._bundle.settings.get("model", {}))

    def tokenize(self, lines: Sequence[str], *, threads: int = 0) -> list[Sentence]:
        return self._model.tokenize(lines, threads=threads)

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        return self._model.add_layers(sentences, threads=threads)


def open_model(path: Path | str) -> StoredModel:
    """The annotator in a bundle; kind, format and sizes are checked now, the rest is read when it is needed."""
    return StoredModel(Bundle.open(path, kind=KIND))


def _identity(name: str, path: Path) -> str:
    """The list of checksums stands for all files of the bundle."""
    return f"{name}:{checksum(path / 'SHA256SUMS')[:16]}"
