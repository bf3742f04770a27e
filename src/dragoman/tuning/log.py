"""The tuning log: a line of JSON for what is tuned and one for each iteration, enough to go on after an interruption.

Lines are flushed as they are written, so a killed run loses at most the iteration it was in; a line that was cut short
is dropped when the log is read again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dragoman.errors import FileError, FormatError, SettingError
from dragoman.features.weights import Weights
from dragoman.plain_data import parse_json
from dragoman.text.source_text import SourceText
from dragoman.tuning.dev import DevSet
from dragoman.tuning.result import Iteration

__all__ = ["SPENT", "TuningLog", "fingerprint", "pick", "read_log"]

SPENT = "all iterations are spent"
"""Why a run ends that could go on."""


def fingerprint(dev: DevSet) -> str:
    """A hash of the sentences and references of a dev set."""
    digest = hashlib.blake2b(digest_size=16)
    for stream in ([SourceText.of(each).text for each in dev.source], *dev.references):
        for line in stream:
            digest.update(line.encode() + b"\n")
        digest.update(b"\0")
    return digest.hexdigest()


class TuningLog:
    """An append-only log; `start` begins a new one, or reads the one that is there and checks that it fits."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    @property
    def state(self) -> Path:
        """Where a tuner may keep more than the log holds."""
        return self.path.with_name(self.path.name + ".state")

    def start(self, header: Mapping[str, Any], *, resume: bool, iterations: int) -> list[Iteration]:
        """Iterations that are in the log already; the end of a shorter run is taken off, to go on from there."""
        if resume and self.path.exists() and not self._unborn():
            found, history, _ = _read(self.path)
            for name, value in json.loads(json.dumps(header)).items():
                if found.get(name) != value:
                    raise SettingError(
                        f"cannot resume: {name} was {_short(found.get(name))}, not {_short(value)}",
                        remedy=f"repeat the command as it was, or remove {self.path}",
                    )
            if history and history[-1].details.get("reason") == SPENT and len(history) <= iterations:
                history.pop()
            self.keep(len(history))
            return history
        self._spare()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.unlink(missing_ok=True)
            self.state.unlink(missing_ok=True)
        except OSError as error:
            raise FileError(f"cannot be replaced: {error}", where=str(self.path)) from None
        self._write(header)
        return []

    def origin(self, weights: Weights) -> Weights:
        """The weights that the logged run started from, if it gave these weights; else these weights.

        A finished run has put its weights into the model, and a longer one must start where that one did.
        """
        if self.path.exists() and not self._unborn():
            header, history, _ = _read(self.path)
            if any(_not_zero(entry.weights) == _not_zero(weights) for entry in history):
                return Weights(header.get("start", weights))
        return weights

    def _spare(self) -> None:
        """Refuse to replace a file that is no log, or the log of an interrupted run, which was to be resumed."""
        if not self.path.is_file() or self._unborn():
            return
        _, history, _ = _read(self.path)
        if history and history[-1].following is not None:
            raise SettingError(
                f"{self.path} is the log of a run that was interrupted after iteration {history[-1].number}",
                remedy="resume it, or remove the file",
            )

    def _unborn(self) -> bool:
        """Whether a run was killed before the first line was whole."""
        with self.path.open("rb") as file:
            begun = file.readline(2**20)
        return not begun.endswith(b"\n") and begun.startswith(b'{"tuner"'[: len(begun)])

    def keep(self, iterations: int) -> None:
        """Take off what follows the first iterations."""
        sizes = _read(self.path)[2]
        os.truncate(self.path, sum(sizes[: iterations + 1]))

    def add(self, iteration: Iteration) -> None:
        """Append an iteration."""
        self._write(iteration.to_dict())

    def _write(self, value: Mapping[str, Any]) -> None:
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(value, ensure_ascii=False) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror}", where=str(self.path)) from None


def _not_zero(weights: Mapping[str, float]) -> dict[str, float]:
    return {name: value for name, value in weights.items() if value}


def read_log(path: Path | str) -> tuple[dict[str, Any], list[Iteration]]:
    """What was tuned, and the iterations so far."""
    header, history, _ = _read(Path(path))
    return header, history


def _read(path: Path) -> tuple[dict[str, Any], list[Iteration], list[int]]:
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror}", where=str(path)) from None
    whole = lines[:-1]  # what follows the last line break was cut short
    values: list[Any] = []
    for number, line in enumerate(whole, 1):
        values.append(parse_json(line, where=f"{path}, line {number}", remedy="is it a tuning log?"))
    if not values or not isinstance(values[0], dict) or "tuner" not in values[0]:
        raise FormatError("not a tuning log", where=str(path))
    history: list[Iteration] = []
    for number, value in enumerate(values[1:], 2):
        if not isinstance(value, dict) or value.get("number") != len(history):
            raise FormatError("an iteration is missing or damaged", where=f"{path}, line {number}")
        history.append(Iteration.from_dict(value))
    return values[0], history, [len(line) + 1 for line in whole]


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def pick(history: Sequence[Iteration], *, higher_is_better: bool) -> int:
    """The best iteration, the first of equals; by the held-out score if there is one."""
    sign = 1.0 if higher_is_better else -1.0
    scores = [sign * (entry.score if entry.heldout is None else entry.heldout) for entry in history]
    return scores.index(max(scores))
