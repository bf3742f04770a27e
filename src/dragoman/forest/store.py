"""Forests on disk: JSON lines to read and exchange, a binary file (kind FRST) for large sets.

A JSON line is one forest: `source` tokens, `nodes`, `edges` and the number of the `goal`. In the `target` of an edge a
string is a word and a number the index of a tail. The binary file holds the native arrays, with one vocabulary for all
forests; they are read one at a time, in any order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from dragoman._native import forest as native
from dragoman._native.common import Vocabulary, is_binary_file
from dragoman.errors import FormatError, InputError
from dragoman.files import read_lines, writing
from dragoman.forest.forest import Forest, ForestBuilder
from dragoman.plain_data import parse_json

__all__ = ["ForestFile", "from_dict", "read_forests", "to_dict", "write_forests"]


def to_dict(forest: Forest) -> dict[str, Any]:
    """As plain values, for JSON."""
    nodes: list[dict[str, Any]] = []
    for number in range(forest.nodes):
        node = forest.node(number)
        label: dict[str, Any] = {"start": node.start, "end": node.end, "covered": node.covered}
        if node.category:
            label["category"] = node.category
        if forest.native.coverage.shape[1]:
            label["coverage"] = sorted(node.coverage)
        nodes.append(label)
    edges: list[dict[str, Any]] = []
    for number in range(forest.edges):
        edge = forest.edge(number)
        edges.append(
            {
                "head": edge.head,
                "tails": list(edge.tails),
                "target": list(edge.target),
                "rule": edge.rule,
                "span": list(edge.span),
                "score": edge.score,
                "features": edge.features,
                "links": [list(link) for link in edge.links],
            }
        )
    goal = forest.goal if forest else None
    return {"source": list(forest.source), "goal": goal, "nodes": nodes, "edges": edges}


def from_dict(
    value: Any, *, words: Vocabulary | None = None, features: Vocabulary | None = None, where: str = "forest"
) -> Forest:
    """The inverse of `to_dict`; several forests may share vocabularies. Raises FormatError for anything else."""
    try:
        return _built(value, words, features)
    except InputError as error:
        raise FormatError(error.what, where=f"{where}, {error.where}" if error.where else where) from None
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        missing = f"{error} is missing" if isinstance(error, KeyError) else str(error).partition("\n")[0]
        raise FormatError(f"not a forest: {missing}", where=where, remedy="see docs/concepts/forest.md") from None


def _built(value: Any, words: Vocabulary | None, features: Vocabulary | None) -> Forest:
    if not isinstance(value, Mapping):
        raise TypeError("an object is needed")
    builder = ForestBuilder(_tokens(value["source"]), words=words, features=features)
    for node in _items(value["nodes"]):
        builder.add_node(
            _natural(node["start"]),
            _natural(node["end"]),
            covered=_natural(node["covered"]),
            category=_natural(node.get("category", 0)),
            coverage=node.get("coverage"),
        )
    for edge in _items(value["edges"]):
        target = edge["target"]
        if not isinstance(target, list) or not all(type(symbol) in (str, int) for symbol in target):
            raise TypeError("a target must be a list of words and tail indices")
        if any(isinstance(symbol, int) and symbol < 0 for symbol in target):
            raise ValueError("a tail index cannot be negative")
        builder.add_edge(
            _natural(edge["head"]),
            target,
            [_natural(tail) for tail in edge["tails"]],
            rule=_natural(edge.get("rule", 0)),
            span=_pair(edge.get("span", (0, 0))),
            score=float(edge["score"]),
            features=_features(edge.get("features", {})),
            links=[_pair(link) for link in edge.get("links", ())],
        )
    if value["goal"] is None:
        empty = ForestBuilder(builder.source, words=words, features=features)
        return empty.finish(empty.add_node())
    return builder.finish(_natural(value["goal"]))


def _items(values: Any) -> list[Mapping[str, Any]]:
    if not isinstance(values, list) or not all(isinstance(item, Mapping) for item in values):
        raise TypeError("a list of objects is needed")
    return values


def _tokens(values: Any) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(token, str) for token in values):
        raise TypeError("the source must be a list of tokens")
    return values


def _features(values: Any) -> dict[str, float]:
    if not isinstance(values, Mapping):
        raise TypeError("features must be an object of names and values")
    return {str(name): float(value) for name, value in values.items()}


def _natural(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**31:
        raise ValueError(f"{value!r} where a natural number is needed")
    return value


def _pair(value: Any) -> tuple[int, int]:
    first, second = value
    return _natural(first), _natural(second)


class ForestFile(Sequence[Forest]):
    """The forests of a binary file, copied out and checked as they are asked for; they share vocabularies."""

    def __init__(self, path: Path | str) -> None:
        self._native = native.ForestFile(Path(path))
        self.words, self.features = self._native.words(), self._native.features()

    def __len__(self) -> int:
        return len(self._native)

    @overload
    def __getitem__(self, index: int) -> Forest: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Forest]: ...
    def __getitem__(self, index: int | slice) -> Forest | Sequence[Forest]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        graph, source = self._native.forest(index + len(self) if index < 0 else index)
        tokens = list(map(self.words.word, source.tolist()))
        return Forest(graph, words=self.words, features=self.features, source=tokens)


def write_forests(path: Path | str, forests: Iterable[Forest]) -> None:
    """Write forests, one at a time: JSON lines if the name ends in `.json` or `.jsonl` (perhaps with `.gz` or `.xz`),
    or is `-`, else the binary file.
    """
    if str(path) == "-" or {".json", ".jsonl"} & set(Path(path).suffixes):
        with writing(path) as file:
            for forest in forests:
                json.dump(to_dict(forest), file, ensure_ascii=False, allow_nan=False)
                file.write("\n")
        return
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    writer = native.ForestWriter(Path(path))
    for forest in forests:
        writer.add(forest.native, forest.words, forest.features, list(forest.source))
    writer.finish()


def read_forests(path: Path | str) -> Sequence[Forest]:
    """Forests of a file, which tells by itself whether it is JSON lines or binary; `-` is standard input."""
    if str(path) != "-" and Path(path).is_file() and Path(path).stat().st_size and is_binary_file(Path(path)):
        return ForestFile(path)
    return list(_json_forests(path))


def _json_forests(path: Path | str) -> Iterator[Forest]:
    words, features = Vocabulary(), Vocabulary()
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        value = parse_json(line, where=where, remedy="one forest per line", finite=True)
        yield from_dict(value, words=words, features=features, where=where)
