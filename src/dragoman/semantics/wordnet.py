"""WordNet, read from its own database files.

Fellbaum (1998). The files of version 3.0 (or 3.1) are read as they are: `index.*` says which synonym sets a lemma is
in, `data.*` holds the sets, `*.exc` the irregular forms. Nothing is loaded before it is asked for: an index is read
whole on first use of its part of speech, sets are read where the index points. `morphy` finds the lemmas of an
inflected word as WordNet itself does, by exceptions and rules of detachment.

The folder is looked for in `WNSEARCHDIR`, `WNHOME/dict`, where Debian's `wordnet-base` puts it, and in NLTK's data
(`NLTK_DATA`, `~/nltk_data`).
"""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from dragoman.errors import FileError, FormatError, MissingDependency

__all__ = ["PARTS_OF_SPEECH", "Pointer", "Synset", "WordNet"]

PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""Letters of parts of speech, and how the files call them. Satellite adjectives (`s`) are kept with adjectives."""

_DETACHMENTS = {
    "n": (
        ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"),
        ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}  # fmt: skip
_FOLDERS = ("/usr/share/wordnet", "/usr/share/wordnet-3.0/dict", "/usr/local/WordNet-3.0/dict")


@dataclass(frozen=True, slots=True)
class Pointer:
    """A relation of a synonym set: its symbol (`@` hypernym, `!` antonym, ...), and what it points at.

    `source` and `target` number the lemmas that it holds between, from 1; 0 means the whole sets.
    """

    relation: str
    offset: int
    part_of_speech: str
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Synset:
    """A set of synonyms."""

    offset: int
    part_of_speech: str
    lemmas: tuple[str, ...]
    pointers: tuple[Pointer, ...]
    gloss: str
    lexicographer: int = 0
    """Number of the file that lexicographers kept it in, a coarse class of meaning (05 is animals, 30 change)."""

    @property
    def id(self) -> tuple[str, int]:
        """What identifies the set."""
        return self.part_of_speech, self.offset


class WordNet:
    """The database in a folder."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._data: dict[str, mmap.mmap] = {}
        self._indexes: dict[str, dict[str, tuple[int, ...]]] = {}
        self._exceptions: dict[str, dict[str, tuple[str, ...]]] = {}
        missing = [
            name for name in map("index.{}".format, PARTS_OF_SPEECH.values()) if not (self.folder / name).is_file()
        ]
        if missing:
            raise FileError(f"no WordNet here: {missing[0]} is missing", where=str(folder), remedy="set WNSEARCHDIR")

    @classmethod
    def find(cls, folder: Path | str | None = None) -> WordNet:
        """The database of this machine, or of the named folder; shared by all who ask."""
        if folder is None:
            home = os.environ.get("WNHOME")
            stores = [store for store in os.environ.get("NLTK_DATA", "").split(os.pathsep) if store]
            nltk = [Path(str(store), "corpora", "wordnet") for store in (*stores, Path.home() / "nltk_data")]
            places = [os.environ.get("WNSEARCHDIR"), f"{home}/dict" if home else None, *_FOLDERS, *nltk]
            folder = next((place for place in places if place and Path(place, "index.noun").is_file()), None)
        if folder is None:
            raise MissingDependency(
                "WordNet is not installed",
                remedy="apt-get install wordnet-base, or set WNSEARCHDIR to a folder with index.noun and its kin",
            )
        return _open(str(folder))

    @cached_property
    def version(self) -> str:
        """The version that the files state, such as 3.0."""
        head = (self.folder / "data.noun").read_bytes()[:4096].decode("latin-1")
        _, found, rest = head.partition("WordNet ")
        return rest.split()[0] if found and rest else "unknown"

    def offsets(self, lemma: str, part_of_speech: str) -> tuple[int, ...]:
        """Where the synonym sets of a lemma are, most frequent sense first; none for an unknown lemma."""
        if part_of_speech not in self._indexes:
            self._indexes[part_of_speech] = self._read_index(part_of_speech)
        return self._indexes[part_of_speech].get(lemma.lower().replace(" ", "_"), ())

    def lemmas(self, part_of_speech: str) -> list[str]:
        """All lemmas of a part of speech, blanks between their words."""
        self.offsets("", part_of_speech)
        return [lemma.replace("_", " ") for lemma in self._indexes[part_of_speech]]

    def synset(self, part_of_speech: str, offset: int) -> Synset:
        """The synonym set at a place."""
        part_of_speech = "a" if part_of_speech == "s" else part_of_speech
        try:
            return _parse_synset(self._line(part_of_speech, offset).decode("utf-8"), offset, part_of_speech)
        except (ValueError, IndexError):
            raise self._no_data(part_of_speech, offset) from None

    def hypernyms(self, part_of_speech: str, offset: int) -> tuple[tuple[str, int], ...]:
        """What stands directly above a synonym set, of instances too; nothing else of the set is read."""
        part_of_speech = "a" if part_of_speech == "s" else part_of_speech
        try:
            return _parse_hypernyms(self._line(part_of_speech, offset), offset)
        except (ValueError, IndexError):
            raise self._no_data(part_of_speech, offset) from None

    def _line(self, part_of_speech: str, offset: int) -> bytes:
        """The line of a data file that begins at a place."""
        file = self._file(part_of_speech)
        end = file.find(b"\n", offset) if 0 <= offset < len(file) else -1
        if end < 0:
            raise FormatError("no synonym set there", where=f"{self._path('data', part_of_speech)}, byte {offset}")
        return file[offset:end]

    def _no_data(self, part_of_speech: str, offset: int) -> FormatError:
        where = f"{self._path('data', part_of_speech)}, byte {offset}"
        return FormatError("not a line of a WordNet data file", where=where)

    def synsets(self, word: str, part_of_speech: str | None = None) -> list[Synset]:
        """The synonym sets of a word in any of its forms."""
        return [self.synset(*found) for found in self.synset_ids(word, part_of_speech)]

    def synset_ids(self, word: str, part_of_speech: str | None = None) -> list[tuple[str, int]]:
        """Part of speech and place of each synonym set of a word in any of its forms, without reading the sets."""
        found: dict[tuple[str, int], None] = {}
        for pos in PARTS_OF_SPEECH if part_of_speech is None else (part_of_speech,):
            for lemma in self.morphy(word, pos):
                found.update(dict.fromkeys((pos, offset) for offset in self.offsets(lemma, pos)))
        return list(found)

    def morphy(self, word: str, part_of_speech: str) -> list[str]:
        """The lemmas that a word may be a form of: exceptions first, then itself, then by rules."""
        form = word.lower().replace(" ", "_")
        if part_of_speech not in self._exceptions:
            self._exceptions[part_of_speech] = self._read_exceptions(part_of_speech)
        irregular = self._exceptions[part_of_speech].get(form)
        if irregular is not None:
            candidates = [*irregular, form]
        else:
            rules = () if part_of_speech == "n" and form.endswith("ss") else _DETACHMENTS[part_of_speech]
            candidates = [
                form,
                *(form[: -len(old)] + new for old, new in rules if form.endswith(old) and len(form) > len(old)),
            ]
        return [lemma for lemma in dict.fromkeys(candidates) if self.offsets(lemma, part_of_speech)]

    def _path(self, kind: str, part_of_speech: str) -> Path:
        name = PARTS_OF_SPEECH[part_of_speech]
        return self.folder / (f"{name}.exc" if kind == "exc" else f"{kind}.{name}")

    def _file(self, part_of_speech: str) -> mmap.mmap:
        if part_of_speech not in self._data:
            path = self._path("data", part_of_speech)
            try:
                with path.open("rb") as file:
                    self._data[part_of_speech] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except (OSError, ValueError) as error:
                raise FileError(f"cannot read: {error}", where=str(path), remedy="install WordNet again") from None
        return self._data[part_of_speech]

    def _lines(self, kind: str, part_of_speech: str) -> list[list[str]]:
        path = self._path(kind, part_of_speech)
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"cannot read: {error}", where=str(path), remedy="install WordNet again") from None
        return [line.split() for line in text.split("\n") if line and not line.startswith(" ")]

    def _read_index(self, part_of_speech: str) -> dict[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        try:
            for parts in self._lines("index", part_of_speech):
                found[parts[0]] = tuple(map(int, parts[-int(parts[2]) :]))
        except (ValueError, IndexError):
            raise FormatError(
                "not a WordNet index", where=str(self._path("index", part_of_speech)), remedy="install WordNet again"
            ) from None
        return found

    def _read_exceptions(self, part_of_speech: str) -> dict[str, tuple[str, ...]]:
        if not self._path("exc", part_of_speech).is_file():
            return {}
        return {parts[0]: tuple(parts[1:]) for parts in self._lines("exc", part_of_speech)}


@cache
def _open(folder: str) -> WordNet:
    return WordNet(folder)


def _parse_synset(line: str, offset: int, part_of_speech: str) -> Synset:
    fields, _, gloss = line.partition("|")
    parts = fields.split()
    if int(parts[0]) != offset:
        raise ValueError(line)
    words = int(parts[3], 16)
    lemmas = tuple(parts[4 + 2 * k].partition("(")[0].replace("_", " ") for k in range(words))
    at = 4 + 2 * words
    pointers = []
    for k in range(int(parts[at])):
        relation, target, pos, ends = parts[at + 1 + 4 * k : at + 5 + 4 * k]
        pos = "a" if pos == "s" else pos
        pointers.append(Pointer(relation, int(target), pos, int(ends[:2], 16), int(ends[2:], 16)))
    return Synset(offset, part_of_speech, lemmas, tuple(pointers), gloss.strip(), int(parts[1]))


def _parse_hypernyms(line: bytes, offset: int) -> tuple[tuple[str, int], ...]:
    parts = line.partition(b"|")[0].split()
    if int(parts[0]) != offset:
        raise ValueError(line)
    at = 5 + 2 * int(parts[3], 16)
    found = []
    for place in range(at, at + 4 * int(parts[at - 1]), 4):
        relation, target, pos, ends = parts[place : place + 4]
        if relation in (b"@", b"@i") and int(ends[:2], 16) == 0:
            found.append(("a" if pos == b"s" else pos.decode("ascii"), int(target)))
    return tuple(found)
