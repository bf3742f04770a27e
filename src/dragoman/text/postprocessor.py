"""A post-processor that is learned: it undoes whatever a pre-processor does to text, letter by letter.

Raw text is pre-processed, the result is aligned with the raw text by letters (Needleman and Wunsch 1970), and for each
letter a conditional random field learns what becomes of it: it stays, becomes a capital or another letter, vanishes (as
the blank before a comma does), and what is put in behind it. One pass restores case and spacing, in any language, with
no rules. (Green, Cer and Manning 2014; the field is that of python-crfsuite.)
"""

from __future__ import annotations

import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from dragoman.annotations.crfsuite import crfsuite
from dragoman.errors import FormatError, InputError
from dragoman.files import writing_bytes
from dragoman.text.composing import CharacterRange

__all__ = ["LearnedPostprocessor", "letter_labels", "relabelled"]

_KEEP, _UPPER, _DROP, _REPLACE, _INSERT, _START = "k", "u", "d", "r", "+", "\x02"
_BAND = 12
"""How far the two texts may drift apart, in letters."""
_WINDOW = 3
_FILE = "post.crfsuite"


def letter_labels(prepared: str, raw: str) -> list[str]:
    """What becomes of each letter of a prepared text, and of a mark in front of it, so that it becomes the raw text.

    >>> letter_labels("a b", "A b.")
    ['k', 'u', 'k', 'k+.']
    >>> relabelled("a ,", letter_labels("a ,", "a,"))
    'a,'
    """
    labels = [_KEEP]
    inserted = [""]
    for ours, theirs in _aligned(prepared, raw):
        if not ours:
            inserted[-1] += theirs
            continue
        if ours == theirs:
            labels.append(_KEEP)
        elif not theirs:
            labels.append(_DROP)
        else:
            labels.append(_UPPER if ours.upper() == theirs else _REPLACE + theirs)
        inserted.append("")
    return [label + (_INSERT + more if more else "") for label, more in zip(labels, inserted, strict=True)]


def relabelled(prepared: str, labels: Sequence[str]) -> str:
    """The text that labels make of a prepared one."""
    parts = []
    for letter, label in zip(_START + prepared, labels, strict=True):
        kind, _, more = label.partition(_INSERT) if not label.startswith(_REPLACE) else (label[:2], "", label[3:])
        if kind == _UPPER:
            letter = letter.upper()
        elif kind == _DROP:
            letter = ""
        elif kind.startswith(_REPLACE):
            letter = kind[1:]
        parts.append(("" if letter == _START else letter) + more)
    return "".join(parts)


def _placed(tokens: Sequence[str], labels: Sequence[str]) -> tuple[str, tuple[CharacterRange, ...]]:
    """The text that labels make of tokens, and where each of them is in it."""
    text = relabelled("", labels[:1])
    places = []
    at = 1
    for number, token in enumerate(tokens):
        if number:
            text += relabelled(" ", [_KEEP, labels[at]])
            at += 1
        start = len(text)
        text += relabelled(token, [_KEEP, *labels[at : at + len(token)]])
        at += len(token)
        places.append((start, len(text)))
    return text, tuple(places)


def _aligned(ours: str, theirs: str) -> list[tuple[str, str]]:
    """Pairs of letters, either of which may be empty; the same letter in another case costs little."""
    band = max(_BAND, abs(len(ours) - len(theirs)) + _BAND)
    worst = float("-inf")
    width = len(theirs) + 1
    before = [-float(j) if j <= band else worst for j in range(width)]
    moves: list[bytearray] = [bytearray(b"\x02" * width)]
    for i, letter in enumerate(ours, 1):
        row = [worst] * width
        move = bytearray(width)
        low, high = max(0, i - band), min(width - 1, i + band)
        small = letter.lower()
        for j in range(low, high + 1):
            best, way = (before[j] - 1, 1) if before[j] > worst else (worst, 1)
            if j > 0:
                other = theirs[j - 1]
                gain = 2.0 if letter == other else 1.5 if small == other.lower() else -2.0
                if before[j - 1] + gain > best:
                    best, way = before[j - 1] + gain, 0
                if row[j - 1] - 1 > best:
                    best, way = row[j - 1] - 1, 2
            row[j], move[j] = best, way
        before = row
        moves.append(move)
    pairs = []
    i, j = len(ours), len(theirs)
    while i or j:
        way = moves[i][j] if i else 2
        if j == 0:
            way = 1
        i -= way != 2
        j -= way != 1
        pairs.append((ours[i] if way != 2 else "", theirs[j] if way != 1 else ""))
    return pairs[::-1]


def _features(text: str) -> list[list[str]]:
    """What the field sees of each letter, and of the mark in front."""
    letters = "\x01" * (_WINDOW - 1) + _START + text + "\x03" * _WINDOW
    tokens = text.split(" ")
    at_token, starts = 0, 0
    rows = []
    for index in range(-1, len(text)):
        place = index + _WINDOW
        row = [f"{k}={letters[place + k]}" for k in range(-_WINDOW, _WINDOW + 1)]
        row += [f"2:{k}={letters[place + k : place + k + 2]}" for k in range(-2, 2)]
        row += [f"3:{k}={letters[place + k : place + k + 3]}" for k in range(-2, 1)]
        row.append(f"class={unicodedata.category(letters[place])}")
        if index >= 0 and text[index] == " ":
            at_token += 1
            starts = index + 1
        token = tokens[min(at_token, len(tokens) - 1)]
        row += [
            f"token={token}",
            f"first={index == starts}",
            f"before={tokens[at_token - 1] if at_token else ''}",
            f"token,before={token},{tokens[at_token - 1] if at_token else ''}",
            f"after={tokens[at_token + 1] if at_token + 1 < len(tokens) else ''}",
            f"start={at_token == 0 and index == starts}",
        ]
        rows.append(row)
    return rows


def _crfsuite() -> Any:
    return crfsuite("a learned post-processor")


class LearnedPostprocessor:
    """What turns prepared lines back into raw ones."""

    def __init__(self, model: bytes) -> None:
        self._model = model
        self._field = _crfsuite().Tagger()
        self._lock = Lock()  # a tagger remembers what it looks at
        try:
            self._field.open_inmemory(model)
        except ValueError as error:
            raise FormatError(f"not a model of CRFsuite: {error}", remedy="train the model again") from None

    @classmethod
    def train(
        cls, raw: Iterable[str], prepare: Callable[[Sequence[str]], Sequence[str]], *, iterations: int = 60
    ) -> LearnedPostprocessor:
        """Learn to undo what `prepare` does to raw lines."""
        lines = list(raw)
        return cls.train_on(zip(lines, prepare(lines), strict=True), iterations=iterations)

    @classmethod
    def train_on(cls, pairs: Iterable[tuple[str, str]], *, iterations: int = 60) -> LearnedPostprocessor:
        """Learn from raw lines and what a pre-processor made of them."""
        trainer = _crfsuite().Trainer(algorithm="lbfgs", verbose=False)
        trainer.set_params({"c1": 0.0, "c2": 0.3, "max_iterations": iterations})
        used = 0
        for line, prepared in pairs:
            if line.strip() and prepared.strip():
                trainer.append(_features(prepared), letter_labels(prepared, line))
                used += 1
        if not used:
            raise InputError("nothing to learn from", remedy="give raw text and the same text prepared")
        with tempfile.TemporaryDirectory() as folder:
            trainer.train(str(Path(folder) / _FILE))
            return cls((Path(folder) / _FILE).read_bytes())

    def apply(self, lines: Iterable[str]) -> list[str]:
        """Raw lines out of prepared ones."""
        return [relabelled(line, self._labels(line)) if line else "" for line in lines]

    def trace(
        self, lines: Iterable[Sequence[str]], *, threads: int = 0
    ) -> list[tuple[str, tuple[CharacterRange, ...]]]:
        """The text of each line of tokens, with the place of each token in it; it is made by one thread."""
        return [_placed(tokens, self._labels(" ".join(tokens))) if tokens else ("", ()) for tokens in map(list, lines)]

    def _labels(self, line: str) -> Sequence[str]:
        seen = _features(line)
        with self._lock:
            found: Sequence[str] = self._field.tag(seen)
        return found

    def save(self, path: Path | str) -> None:
        """Write the model."""
        with writing_bytes(path) as file:
            file.write(self._model)

    @classmethod
    def open(cls, path: Path | str) -> LearnedPostprocessor:
        """A model that was saved."""
        return cls(Path(path).read_bytes())
