"""Resources: what templates need besides the table, made from the training text and kept in files.

Templates over classes need a class for every word, ratios need lists of function words, and so on. What an option needs
follows from its name, so that a recipe says `link_class` and nothing of where classes come from. Text is cheap to count
and slow to cluster: everything is made once and lies in a file of its own beside the model.

    >>> missing_resources([TemplateSpec.parse("rule_class"), TemplateSpec.parse("idf:source=mine.tsv")])
    ['source_classes', 'target_classes', 'target']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.features.frequencies import InverseFrequencies, frequent_words, function_words
from dragoman.features.structural_distortion import GapOrders
from dragoman.features.template import read_words
from dragoman.features.template_specs import TemplateSpec
from dragoman.files import writing
from dragoman.lm.classes import ClassMap, train_classes
from dragoman.progress import ProgressCallback
from dragoman.settings import Settings, setting

__all__ = ["RESOURCES", "Resource", "ResourceOptions", "make_resources", "missing_resources"]

SMALL = 100_000
"""A text of fewer lines is small: rarer words get a class, and rarer rules a feature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceOptions(Settings):
    """How resources are made."""

    classes: int = setting(0, "Word classes of a side; 0: as many as usual for the size of the vocabulary.", least=0)
    seed: int = setting(1, "Of the random choices in clustering.", least=0)
    threads: int = 0
    progress: ProgressCallback | None = None


@dataclass(frozen=True, slots=True)
class Resource:
    """What one option of templates holds."""

    side: int
    """0 if it is made from the source text, 1 if from the target text, 2 if from the links between both."""
    file: str
    """What its file is called."""
    make: Callable[[Sequence[str], ResourceOptions], Any]
    read: Callable[[Path], Any]
    write: Callable[[Any, Path], None]


def _clustered(text: Sequence[str], options: ResourceOptions) -> ClassMap:
    return train_classes(
        text,
        classes=options.classes or None,
        min_count=2 if len(text) < SMALL else 5,
        seed=options.seed,
        threads=options.threads,
        progress=options.progress,
    )


def _classes(side: int, name: str) -> Resource:
    return Resource(side, f"{name}.classes.tsv", _clustered, ClassMap.read, lambda made, path: made.write(path))


def _words(side: int, name: str, find: Callable[[Sequence[str]], tuple[str, ...]]) -> Resource:
    def write(words: Sequence[str], path: Path) -> None:
        with writing(path) as file:
            file.writelines(f"{word}\n" for word in words)

    return Resource(side, f"{name}.txt", lambda text, _: find(text), lambda path: tuple(read_words(path)), write)


def _frequencies(side: int, name: str) -> Resource:
    return Resource(
        side,
        f"{name}.idf.tsv",
        lambda text, _: InverseFrequencies.of(text),
        InverseFrequencies.read,
        lambda made, path: made.write(path),
    )


RESOURCES: Mapping[str, Resource] = {
    "gap_orders": Resource(
        2, "gap-orders.tsv", lambda links, _: GapOrders.of(links), GapOrders.read, lambda made, path: made.write(path)
    ),
    "source_classes": _classes(0, "source"),
    "target_classes": _classes(1, "target"),
    "source_words": _words(0, "source.function-words", function_words),
    "target_words": _words(1, "target.function-words", function_words),
    "frequent": _words(1, "target.frequent-words", frequent_words),
    "source": _frequencies(0, "source"),
    "target": _frequencies(1, "target"),
}
"""Options of templates that hold resources."""


def missing_resources(specs: Iterable[TemplateSpec]) -> list[str]:
    """Resources that templates miss, in the order of `RESOURCES`."""
    missing = {option for spec in specs for option in spec.missing}
    return [option for option in RESOURCES if option in missing]


def make_resources(
    names: Iterable[str], text: Callable[[int], Sequence[str]], options: ResourceOptions | None = None
) -> dict[str, Any]:
    """Make resources by the names of their options; `text(side)` gives the tokenised lines of one side, or links."""
    options = options or ResourceOptions()
    made: dict[str, Any] = {}
    chosen = list(names)
    for side in (0, 1, 2):
        mine = [name for name in chosen if RESOURCES[name].side == side]
        lines = text(side) if mine else ()
        made |= {name: RESOURCES[name].make(lines, options) for name in mine}
    return made
