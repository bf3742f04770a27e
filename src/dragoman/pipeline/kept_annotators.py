"""Annotators that a model keeps, so that what it learned from tags and heads is there when it translates.

Model folders of a chain are copied into the bundle; rules that need no model are named. Annotators that run a command,
or that lie in packages of others, are not kept: opening a bundle must not start what it names. Who translates with such
a model names them again.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from dragoman.annotations.annotator import ANNOTATORS, Annotator
from dragoman.annotations.annotator_chain import AnnotatorChain, parts_of
from dragoman.annotations.model import open_model
from dragoman.errors import BundleError

__all__ = ["keep_annotators", "keeps", "kept_annotator"]

_FOLDERS = ("annotators", "target-annotators")
_RULES = ("role-rules",)
"""Annotators that are rules of our own."""


def keeps(chain: str) -> bool:
    """Whether a model can keep all of a chain."""
    return all(part in _RULES or Path(part).is_dir() for part in parts_of(chain))


def keep_annotators(chain: str, files: Path, *, target: bool = False) -> list[str]:
    """Copy the models of a chain, of the source or of the target, into the files of a bundle.

    Gives what its manifest says of them.
    """
    entries = []
    for number, part in enumerate(parts_of(chain)):
        entries.append(part if part in _RULES else f"{_FOLDERS[target]}/{number}")
        if part not in _RULES:
            shutil.copytree(part, files / entries[-1])
    return entries


def kept_annotator(entries: Sequence[str], bundle: Path) -> Annotator | None:
    """The chain that a manifest names, from the files of its bundle."""
    links: list[Annotator] = []
    for entry in entries:
        if entry in _RULES:
            links.append(ANNOTATORS.get(entry).from_argument(""))
        elif entry.partition("/")[0] in _FOLDERS and ".." not in entry:
            links.append(open_model(bundle / entry))
        else:
            raise BundleError(
                f"damaged: it names the annotator {entry!r}", where=str(bundle), remedy="copy or train the model again"
            )
    return AnnotatorChain(links) if links else None
