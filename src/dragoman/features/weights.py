"""Weights: feature names to numbers, finite by construction.

A weight file is text, one `name value` per line, because people edit it; a Moses `[weight]` section (`LM0= 0.5`, or
several values under one name) is read too, its values named `LM0_1`, `LM0_2`, ... when there are several. NaN and
infinity are refused when they arrive, with their name and place, so that no decoder meets one. A missing name weighs 0.

    >>> weights = Weights({"lm": 0.5, "word_penalty": -1.0})
    >>> weights["lm"], weights["missing"]
    (0.5, 0.0)
    >>> (weights * 2)["lm"]
    1.0
"""

from __future__ import annotations

import difflib
import math
from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from pathlib import Path

from dragoman.errors import FormatError, SettingError, UnknownName
from dragoman.files import read_lines, writing

__all__ = ["Weights"]


class Weights(Mapping[str, float]):
    """An immutable mapping from feature names to weights; names it does not hold weigh 0."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, float] | Iterable[tuple[str, float]] = ()) -> None:
        if isinstance(values, Weights):  # they are immutable and were checked
            self._values: dict[str, float] = values._values
            return
        self._values = {name: float(value) for name, value in dict(values).items()}
        for name, value in self._values.items():
            if not math.isfinite(value):
                raise SettingError(f"the weight of {name!r} is {value}", remedy="weights must be finite numbers")

    def __getitem__(self, name: str) -> float:
        return self._values.get(name, 0.0)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def items(self) -> ItemsView[str, float]:
        return self._values.items()

    def values(self) -> ValuesView[float]:
        return self._values.values()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __repr__(self) -> str:
        largest = sorted(self._values.items(), key=lambda each: -abs(each[1]))[:3]
        said = ", ".join(f"{name}={value:.3g}" for name, value in largest)
        more = len(self._values) - len(largest)
        return f"Weights({said}{f', and {more:,} more' if more > 0 else ''})"

    def __mul__(self, factor: float) -> Weights:
        return Weights({name: value * factor for name, value in self.items()})

    def __or__(self, other: Mapping[str, float]) -> Weights:
        """These weights, with those of `other` in their place where it has some."""
        return Weights({**self._values, **other})

    def normalized(self) -> Weights:
        """The same direction with absolute values that sum to 1."""
        total = sum(abs(value) for value in self.values())
        if total == 0:
            raise SettingError("all weights are zero", remedy="give at least one feature a weight")
        return self * (1 / total)

    def require_known(self, names: Iterable[str], *, prefixes: Iterable[str] = ()) -> None:
        """Refuse weights for features that the model does not have; `prefixes` are those of sparse templates."""
        known, starts = set(names), tuple(prefixes)
        for name in self:
            if name in known or name.startswith(starts):
                continue
            near = difflib.get_close_matches(name, known, n=1)
            remedy = f"did you mean {near[0]!r}?" if near else f"its features are {', '.join(sorted(known))}"
            raise UnknownName(f"the model has no feature {name!r}", remedy=remedy)

    def to_text(self) -> str:
        """As a file has them: in the order of the alphabet, sparse ones (with a colon) last and only if they are not 0.

        Names come up in the order in which search meets them, which says nothing.
        """
        dense = sorted((name, value) for name, value in self.items() if ":" not in name)
        sparse = sorted((name, value) for name, value in self.items() if ":" in name and value)
        return "".join(f"{name} {value!r}\n" for name, value in (*dense, *sparse))

    def save(self, path: Path | str) -> None:
        with writing(path) as file:
            file.write(self.to_text())

    @staticmethod
    def load(path: Path | str) -> Weights:
        """Read `name value` lines, or the `[weight]` section of a Moses file; `#` starts a comment."""
        found: dict[str, float] = {}
        section = ""
        for number, raw in enumerate(read_lines(path), 1):
            line = (raw.partition("#")[0] if "#" in raw else raw).strip()
            if line.startswith("["):
                section = line
            elif line and section in ("", "[weight]"):
                for name, text in _entries(line):
                    if name in found:
                        raise FormatError(
                            f"a second weight for {name!r}", where=f"{path}, line {number}", remedy="keep one of them"
                        )
                    try:
                        found[name] = float(text)
                    except ValueError:
                        raise FormatError(
                            f"{text!r} is not a number", where=f"{path}, line {number}", remedy="write `name value`"
                        ) from None
                    if not math.isfinite(found[name]):
                        raise FormatError(
                            f"a weight of {text}",
                            where=f"{path}, line {number}",
                            remedy="weights must be finite numbers",
                        )
        return Weights(found)


def _entries(line: str) -> list[tuple[str, str]]:
    name, *values = line.split()
    if not name.endswith("="):
        return [(name, " ".join(values))]
    name = name.removesuffix("=")
    if len(values) == 1:
        return [(name, values[0])]
    return [(f"{name}_{index}", value) for index, value in enumerate(values, 1)]
